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
	const struct open_how *how = strace_struct(line, arg, 0, sizeof(*how));

	if (!how)
		return;
	str_addf(line->out, "{flags=%s", modes[how->flags & 3]);
	if (how->flags & ~3ULL) {
		str_addc(line->out, '|');
		strace_flags(line->out, &strace_open_flags, how->flags & ~3ULL);
	}
	if (how->flags & 0100)
		str_addf(line->out, ", mode=%#03llo", U(how->mode));
	str_add(line->out, ", resolve=");
	strace_bits(line->out, &resolve, how->resolve);
	str_addc(line->out, '}');
}
const struct strace_type t_open_how = { print_open_how, .steps = { STEP_READS(24) } };

/* --- handles --- */

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
	uint32_t was = before && before->n >= 8 ? ((const struct handle *)strace_bytes(before))->bytes : 0;

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
	/* twice the size is copied, which has room for the head */
	if (body && body->status != STRACE_UNREAD && body->n >= 8 && handle->bytes <= body->n - 8U)
		strace_text(&in_hex, (const char *)strace_bytes(body) + 8, handle->bytes, false);
	else
		strace_address(line->out, strace_arg(line, arg) + 8);
	str_addc(line->out, '}');
}
#define HANDLE \
	{ \
		STEP_READS(8), \
		{ \
			STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_BLOB, .scale = 2, .most = 136 \
		} \
	}
const struct strace_type t_handle = { print_handle, .both = true, .steps = HANDLE },
			 t_handle_out = { print_handle, .both = true, .steps = HANDLE };

/* --- devices --- */

/* Only of what is a device. */
static void print_device(struct strace_line *line, unsigned int arg)
{
	uint64_t mode = strace_arg(line, arg - 1), device = strace_arg(line, arg);

	if (S_ISCHR(mode) || S_ISBLK(mode))
		str_addf(line->out, "makedev(%#x, %#x)", major(device), minor(device));
}
const struct strace_type t_device = { print_device };

/* The high half of an offset: 64-bit programs have none. */
static void print_nothing(struct strace_line *line, unsigned int arg)
{
}
const struct strace_type t_nothing = { print_nothing };

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
	.steps = { { STRACE_BYTES, .from = SELF, .count_from = NEXT(1), .scale = 16, .most = 16 * STRACE_VECTOR } },
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
