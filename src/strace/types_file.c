// SPDX-License-Identifier: BSD-2-Clause
/* Structs of calls about files that are seldom made: handles, vectors of other processes, entries of directories. */
#include <dirent.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "strace_part.h"
#include "types.h"

#define U(X) ((unsigned long long)(X))

static void print_open_how(struct strace_line *line, unsigned int arg)
{
	static const char *const modes[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };
	static const struct strace_words resolve = { "RESOLVE_",
						     "NO_XDEV NO_MAGICLINKS NO_SYMLINKS BENEATH IN_ROOT CACHED" };
	const enum strace_style style = strace_style();
	const struct open_how *how;
	struct str names __str = {};
	char number[32];

	/* not even the first version of the struct */
	if (strace_arg(line, arg + 1) < sizeof(*how)) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	how = strace_struct(line, arg, 0, sizeof(*how));
	if (!how)
		return;
	str_add(line->out, "{flags=");
	snprintf(number, sizeof(number), "%#llx", U(how->flags));
	strace_set_style(STRACE_NAMES);
	str_add(&names, modes[how->flags & 3]);
	strace_flags_more(&names, &strace_open_flags, how->flags & ~3ULL);
	strace_set_style(style);
	strace_constant(line->out, number, names.data);
	if (how->flags & 020000100 || how->mode)
		str_addf(line->out, ", mode=%#03llo", U(how->mode));
	str_add(line->out, ", resolve=");
	strace_bits(line->out, &resolve, how->resolve);
	strace_rest(line, arg, sizeof(*how), strace_arg(line, arg + 1));
	str_addc(line->out, '}');
}
const struct strace_type t_open_how = { print_open_how,
					.steps = { STEP_EXTENSIBLE(NEXT(1)) } };

/* --- handles --- */

#define MAX_HANDLE 128U /* bytes, of the kernel's MAX_HANDLE_SZ */

struct handle {
	uint32_t bytes;
	int32_t type;
	unsigned char v[128];
};

static void print_handle(struct strace_line *line, unsigned int arg)
{
	struct strace_settings hex = *line->settings;
	struct strace_line in_hex = *line;
	const struct strace_blob *before = strace_before(line, arg), *body = strace_blob(line, arg, 1, 0);
	const struct handle *handle = strace_struct(line, arg, 0, 8);
	uint32_t was = before && before->n >= 8 ? ((const struct handle *)strace_bytes(before))->bytes : 0, shown;
	size_t room;

	if (!handle)
		return;
	str_addf(line->out, "{handle_bytes=%u", was);
	if (handle->bytes != was)
		str_addf(line->out, " => %u", handle->bytes);
	if (!strace_ok(line) && line->call->args[arg] == &t_handle_out) {
		str_addc(line->out, '}');
		return;
	}
	str_addf(line->out, ", handle_type=%d, f_handle=", handle->type);
	hex.hex = 2;
	in_hex.settings = &hex;
	room = body && body->status != STRACE_UNREAD && body->n >= 8 ? body->n - 8U : 0;
	shown = handle->bytes < MAX_HANDLE ? handle->bytes : MAX_HANDLE;
	if (body && shown <= room)
		strace_text(&in_hex, (const char *)strace_bytes(body) + 8, shown, handle->bytes > shown);
	else
		str_add(line->out, "???");
	str_addc(line->out, '}');
}
#define HANDLE \
	{ \
		STEP_READS(8), \
		{ \
			STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = 8 + MAX_HANDLE, \
				      .most = 8 + MAX_HANDLE, .when = STRACE_TO_EDGE \
		} \
	}
const struct strace_type t_handle = { print_handle, .both = true, .steps = HANDLE },
			 t_handle_out = { print_handle, .both = true, .steps = HANDLE };

/* --- devices --- */

/* Only of what is a device. */
static void print_device(struct strace_line *line, unsigned int arg)
{
	uint64_t mode = strace_arg(line, arg - 1);
	unsigned int device = strace_arg(line, arg);

	if (S_ISCHR(mode) || S_ISBLK(mode))
		strace_device(line->out, device);
}
const struct strace_type t_device = { print_device };

static void print_dev(struct strace_line *line, unsigned int arg)
{
	uint64_t device = (unsigned int)strace_arg(line, arg);

	strace_device(line->out, device);
}
const struct strace_type t_dev = { print_dev };

/* The high half of an offset: 64-bit programs have none. */
static void print_nothing(struct strace_line *line, unsigned int arg)
{
}
const struct strace_type t_nothing = { print_nothing };

/* --- configuring a file system --- */

/* FSCONFIG_*: what the arguments are depends on the command. */
enum {
	SET_FLAG,
	SET_STRING,
	SET_BINARY,
	SET_PATH,
	SET_PATH_EMPTY,
	SET_FD,
	COMMANDS,
};

static void print_fsconfig_key(struct strace_line *line, unsigned int arg)
{
	if ((unsigned int)strace_arg(line, 1) < COMMANDS)
		t_text.print(line, arg);
	else
		strace_address(line->out, strace_arg(line, arg));
}

#define BINARY_MOST (1 << 20) /* the kernel takes no more */

/* The steps: a text, and as many bytes as the last argument says. */
static void print_fsconfig_value(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *bytes = strace_blob(line, arg, 1, 0);
	unsigned int command = strace_arg(line, 1);
	struct strace_settings hex = *line->settings;
	struct strace_line in_hex = *line;
	int n = strace_arg(line, arg + 1);
	size_t shown;

	if (command == SET_STRING || command == SET_PATH || command == SET_PATH_EMPTY) {
		strace_string(line, strace_blob(line, arg, 0, 0), strace_arg(line, arg), command != SET_STRING);
	} else if (command == SET_BINARY && strace_arg(line, arg) && n >= 0 && n <= BINARY_MOST && bytes &&
		   bytes->status != STRACE_UNREAD) {
		hex.hex = 2;
		in_hex.settings = &hex;
		shown = (unsigned int)n < line->settings->size ? (unsigned int)n : line->settings->size;
		if (shown > bytes->n)
			shown = bytes->n;
		strace_text(&in_hex, strace_bytes(bytes), shown, (unsigned int)n > shown);
	} else {
		strace_address(line->out, strace_arg(line, arg));
	}
}

static void print_fsconfig_aux(struct strace_line *line, unsigned int arg)
{
	unsigned int command = strace_arg(line, 1);

	if (command == SET_PATH || command == SET_PATH_EMPTY)
		t_dir.print(line, arg);
	else
		str_add_s64(line->out, (int)strace_arg(line, arg));
}
const struct strace_type t_fsconfig_key = { print_fsconfig_key,
					    .steps = { { STRACE_STRING, .from = SELF, .most = MOST_TEXT } } },
			 t_fsconfig_value = { print_fsconfig_value,
					      .steps = {
						      { STRACE_STRING, .from = SELF, .most = 4097 },
						      { STRACE_BYTES, .from = SELF, .count_from = NEXT(1), .scale = 1, .most = MOST_TEXT },
					      } },
			 t_fsconfig_aux = { print_fsconfig_aux, .enter = true, .steps = { STEP_FILE } };

/* fanotify_mark: -1 is no directory. */
static void print_fanotify_dir(struct strace_line *line, unsigned int arg)
{
	if ((int)strace_arg(line, arg) == -1)
		strace_constant(line->out, "-1", "FAN_NOFD");
	else
		t_dir.print(line, arg);
}
const struct strace_type t_fanotify_dir = { print_fanotify_dir, .enter = true, .steps = { STEP_FILE } };

/* --- offsets and vectors --- */

static void print_offset_in(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *before = strace_before(line, arg);

	if (before && before->n == 8 && before->status == STRACE_WHOLE)
		str_addf(line->out, "[%lld]", *(const long long *)strace_bytes(before));
	else
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_offset_in = { print_offset_in, .both = true, .steps = { STEP_READS(8) } };

/* The memory of another process is not read. */
static void print_vectors_far(struct strace_line *line, unsigned int arg)
{
	strace_vectors(line, arg, 0, strace_arg(line, arg), strace_arg(line, arg + 1), UINT64_MAX);
}
const struct strace_type t_vectors_far = {
	print_vectors_far,
	.steps = { STEP_ARRAY_TO_EDGE(NEXT(1), 16, STRACE_VECTOR) },
};

/* --- entries of directories, with -v --- */

void strace_dirents(struct strace_line *line, const struct strace_blob *blob)
{
	static const struct strace_words kinds = { "DT_", "UNKNOWN FIFO CHR - DIR - BLK - REG - LNK - SOCK - WHT" };
	const char *bytes = strace_bytes(blob);
	struct dirent64 entry;
	size_t head = offsetof(struct dirent64, d_name), n = 0;

	str_addc(line->out, '[');
	for (size_t at = 0; at + head < blob->n; at += entry.d_reclen, n++) {
		size_t room;

		memcpy(&entry, bytes + at, head);
		if (n)
			str_add(line->out, ", ");
		if (entry.d_reclen <= head || at + entry.d_reclen > blob->n) {
			str_add(line->out, "...");
			break;
		}
		room = entry.d_reclen - head;
		str_addf(line->out, "{d_ino=%llu, d_off=%lld, d_reclen=%u, d_type=", U(entry.d_ino),
			 (long long)entry.d_off, entry.d_reclen);
		strace_word(line->out, &kinds, entry.d_type);
		str_add(line->out, ", d_name=");
		strace_text(line, bytes + at + head, strnlen(bytes + at + head, room), false);
		str_addc(line->out, '}');
	}
	str_addc(line->out, ']');
}
