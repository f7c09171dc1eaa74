// SPDX-License-Identifier: BSD-2-Clause
/* Arguments that are numbers, and texts. */
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "strace_part.h"
#include "types.h"

static void print_int(struct strace_line *line, unsigned int arg)
{
	str_add_s64(line->out, (int)strace_arg(line, arg));
}

static void print_uint(struct strace_line *line, unsigned int arg)
{
	str_add_u64(line->out, (unsigned int)strace_arg(line, arg));
}

static void print_long(struct strace_line *line, unsigned int arg)
{
	str_add_s64(line->out, (int64_t)strace_arg(line, arg));
}

static void print_size(struct strace_line *line, unsigned int arg)
{
	str_add_u64(line->out, strace_arg(line, arg));
}

static void print_hex(struct strace_line *line, unsigned int arg)
{
	str_addf(line->out, "%#llx", (unsigned long long)strace_arg(line, arg));
}

static void print_hex_short(struct strace_line *line, unsigned int arg)
{
	str_addf(line->out, "%#x", (unsigned int)strace_arg(line, arg));
}

static void print_pointer(struct strace_line *line, unsigned int arg)
{
	strace_address(line->out, strace_arg(line, arg));
}

static void print_fd(struct strace_line *line, unsigned int arg)
{
	int fd = strace_arg(line, arg);

	/* AT_FDCWD is a descriptor only where a directory is meant */
	strace_fd(line, fd, fd < 0 ? NULL : strace_blob(line, arg, 0, 0));
}

static void print_dir(struct strace_line *line, unsigned int arg)
{
	if ((int)strace_arg(line, arg) != AT_FDCWD) {
		print_fd(line, arg);
		return;
	}
	strace_constant(line->out, "-100", "AT_FDCWD");
	strace_file(line, strace_blob(line, arg, 0, 0));
}

static void print_id(struct strace_line *line, unsigned int arg)
{
	if ((unsigned int)strace_arg(line, arg) == (unsigned int)-1)
		str_add(line->out, "-1");
	else
		print_uint(line, arg);
}

static void print_mode(struct strace_line *line, unsigned int arg)
{
	strace_mode(line->out, (unsigned short)strace_arg(line, arg), false);
}

static void print_mode_kind(struct strace_line *line, unsigned int arg)
{
	strace_mode(line->out, (unsigned short)strace_arg(line, arg), true);
}

static void print_signal(struct strace_line *line, unsigned int arg)
{
	strace_signal(line->out, (int)strace_arg(line, arg));
}

static STRACE_FAMILY(clocks, "CLOCK_???", N(CLOCK_REALTIME), N(CLOCK_MONOTONIC), N(CLOCK_PROCESS_CPUTIME_ID),
		     N(CLOCK_THREAD_CPUTIME_ID), N(CLOCK_MONOTONIC_RAW), N(CLOCK_REALTIME_COARSE),
		     N(CLOCK_MONOTONIC_COARSE), N(CLOCK_BOOTTIME), N(CLOCK_REALTIME_ALARM),
		     N(CLOCK_BOOTTIME_ALARM), { "CLOCK_SGI_CYCLE", 10 }, N(CLOCK_TAI));

void strace_print_flags(struct strace_line *line, unsigned int arg)
{
	strace_flags(line->out, line->call->args[arg]->data, (unsigned int)strace_arg(line, arg));
}

void strace_print_flags_long(struct strace_line *line, unsigned int arg)
{
	strace_flags(line->out, line->call->args[arg]->data, strace_arg(line, arg));
}

void strace_print_choice(struct strace_line *line, unsigned int arg)
{
	strace_choice(line->out, line->call->args[arg]->data, (unsigned int)strace_arg(line, arg));
}

static void print_open_mode(struct strace_line *line, unsigned int arg)
{
	/* plan.c leaves out the separator where nothing is printed */
	if (strace_arg(line, arg - 1) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))
		print_mode(line, arg);
}

static void print_queue_mode(struct strace_line *line, unsigned int arg)
{
	if (strace_arg(line, arg - 1) & O_CREAT)
		print_mode(line, arg);
}

static void print_interrupted(struct strace_line *line, unsigned int arg)
{
	str_addf(line->out, "<... resuming interrupted %s ...>", line->interrupted ? line->interrupted : "system call");
}

const struct strace_type t_interrupted = { print_interrupted };
const struct strace_type t_int = { print_int }, t_uint = { print_uint }, t_long = { print_long },
			 t_size = { print_size },
			 t_hex = { print_hex }, t_hex_short = { print_hex_short }, t_pointer = { print_pointer }, t_fd = { print_fd, .enter = true, .steps = { STEP_FILE } },
			 t_dir = { print_dir, .enter = true, .steps = { STEP_FILE } }, t_id = { print_id }, t_mode = { print_mode }, t_mode_kind = { print_mode_kind },
			 t_open_mode = { print_open_mode }, t_queue_mode = { print_queue_mode }, t_signal = { print_signal },
			 t_clock = { strace_print_choice, .data = &clocks };

/* --- texts --- */

static void print_path(struct strace_line *line, unsigned int arg)
{
	strace_string(line, strace_blob(line, arg, 0, 0), strace_arg(line, arg), true);
}

static void print_text(struct strace_line *line, unsigned int arg)
{
	strace_string(line, strace_blob(line, arg, 0, 0), strace_arg(line, arg), false);
}

/* Bytes of a number that is known only now. */
static void add_bytes(struct strace_line *line, const struct strace_blob *blob, uint64_t address, uint64_t n)
{
	uint64_t most = line->settings->size;

	if (!address || !blob || blob->status == STRACE_UNREAD) {
		strace_address(line->out, address);
		return;
	}
	if (n < most)
		most = n;
	if (blob->n < most)
		most = blob->n;
	strace_text(line, strace_bytes(blob), most, n > most);
}

static void print_bytes(struct strace_line *line, unsigned int arg, uint64_t n)
{
	add_bytes(line, strace_blob(line, arg, 0, 0), strace_arg(line, arg), n);
}

static void print_in(struct strace_line *line, unsigned int arg)
{
	print_bytes(line, arg, strace_arg(line, arg + 1));
}

/* Of so many bytes that the kernel refuses it, it is an address. */
static void print_host_name(struct strace_line *line, unsigned int arg)
{
	unsigned int n = strace_arg(line, arg + 1);

	if (n > HOST_NAME_MAX)
		strace_address(line->out, strace_arg(line, arg));
	else
		print_bytes(line, arg, n);
}

static void print_out(struct strace_line *line, unsigned int arg)
{
	if (strace_ok(line))
		print_bytes(line, arg, strace_ret(line));
	else
		print_pointer(line, arg);
}

/* Without room the call says only how much it needs. */
static void print_list(struct strace_line *line, unsigned int arg)
{
	if (strace_arg(line, arg + 1))
		print_out(line, arg);
	else
		print_pointer(line, arg);
}

static void print_in_before(struct strace_line *line, unsigned int arg)
{
	print_bytes(line, arg, strace_arg(line, arg - 1));
}

static void print_random(struct strace_line *line, unsigned int arg)
{
	struct strace_settings hex = *line->settings;
	struct strace_line in_hex = *line;

	hex.hex = 2;
	in_hex.settings = &hex;
	print_out(&in_hex, arg);
}

/* The kernel's getcwd() counts the NUL. */
static void print_cwd(struct strace_line *line, unsigned int arg)
{
	if (strace_ok(line))
		strace_string(line, strace_blob(line, arg, 0, 0), strace_arg(line, arg), true);
	else
		print_pointer(line, arg);
}

/* A NUL at the end of what is shown ends it, and is left out but in hex. */
void strace_value(struct strace_line *line, const struct strace_blob *blob, uint64_t address, uint64_t n)
{
	const char *bytes = blob && blob->status != STRACE_UNREAD ? strace_bytes(blob) : NULL;
	uint64_t shown = n < line->settings->size ? n : line->settings->size;

	if (n > INT32_MAX)
		strace_address(line->out, address);
	else if (bytes && shown && shown <= blob->n && !bytes[shown - 1] && !strace_hex(line->settings))
		strace_text(line, bytes, shown - 1, false);
	else
		add_bytes(line, blob, address, n);
}

static void print_value(struct strace_line *line, unsigned int arg, uint64_t n)
{
	strace_value(line, strace_blob(line, arg, 0, 0), strace_arg(line, arg), n);
}

static void print_value_in(struct strace_line *line, unsigned int arg)
{
	print_value(line, arg, strace_arg(line, arg + 1));
}

static void print_value_out(struct strace_line *line, unsigned int arg)
{
	if (strace_ok(line) && strace_arg(line, arg + 1))
		print_value(line, arg, strace_ret(line));
	else
		print_list(line, arg);
}

#define TEXT_OF(MOST) \
	{ \
		{ \
			STRACE_STRING, .from = SELF, .most = MOST \
		} \
	}
#define BYTES(COUNT, WHEN) \
	{ \
		{ \
			STRACE_BYTES, .from = SELF, .count_from = COUNT, .scale = 1, .most = MOST_TEXT, .when = WHEN \
		} \
	}

const struct strace_type t_path = { print_path, .steps = TEXT_OF(4097) },
			 t_text = { print_text, .steps = TEXT_OF(MOST_TEXT) },
			 t_cwd = { print_cwd, .steps = { { STRACE_STRING, .from = SELF, .most = 4097, .when = STRACE_IF_OK } } },
			 t_in = { print_in, .steps = BYTES(NEXT(1), 0) },
			 t_host_name = { print_host_name, .steps = BYTES(NEXT(1), 0) },
			 t_in_before = { print_in_before, .steps = BYTES(BEFORE, 0) },
			 t_out = { print_out, .steps = BYTES(STRACE_FROM_RET, STRACE_IF_OK) },
			 t_random = { print_random, .steps = BYTES(STRACE_FROM_RET, STRACE_IF_OK) },
			 t_xattr_in = { print_value_in, .steps = BYTES(NEXT(1), 0) },
			 t_xattr_out = { print_value_out, .steps = BYTES(STRACE_FROM_RET, STRACE_IF_OK) },
			 t_xattr_list = { print_list, .steps = BYTES(STRACE_FROM_RET, STRACE_IF_OK) };

/* --- execve --- */

/*
 * What was executed: as the caller wrote it or, if that page was not present when the call began, as the new program
 * finds it.
 */
static void print_program(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);

	if (!blob || blob->status == STRACE_UNREAD)
		blob = strace_blob(line, arg, 1, 0);
	if (!blob || blob->status == STRACE_UNREAD)
		blob = strace_blob(line, arg, 2, 0);
	strace_string(line, blob, strace_arg(line, arg), true);
}

/* One block of texts, which follow each other. */
static void print_block(struct strace_line *line, const struct strace_blob *blob)
{
	const char *text = strace_bytes(blob);
	size_t most = line->settings->size, n = 0;

	for (size_t at = 0; at < blob->n; n++) {
		size_t len = strnlen(text + at, blob->n - at);

		if (n >= most) {
			str_add(line->out, n ? ", ..." : "...");
			break;
		}
		if (n)
			str_add(line->out, ", ");
		strace_text(line, text + at, len < most ? len : most, len > most);
		at += len + 1;
	}
}

static bool print_strings(struct strace_line *line, unsigned int arg, unsigned int step)
{
	size_t most = line->settings->whole ? STRACE_STRINGS_WHOLE : line->settings->size;
	const struct strace_blob *blob;
	size_t n = 0;

	while ((blob = strace_blob(line, arg, step, n)) && blob->status != STRACE_UNREAD) {
		if (n >= most) {
			str_add(line->out, n ? ", ..." : "...");
			break;
		}
		if (n++)
			str_add(line->out, ", ");
		strace_string(line, blob, 0, false);
	}
	/* the program copies no more */
	if (n == STRACE_VECTOR + 1 && n <= most && !line->settings->whole)
		str_add(line->out, ", ...");
	return n;
}

static void print_argv(struct strace_line *line, unsigned int arg)
{
	/* the second blob of the path's step: see STRACE_PROGRAM */
	const struct strace_blob *block = strace_blob(line, arg - 1, 2, 1), *first = strace_blob(line, arg, 0, 0);

	/* what the caller has written; a script's new program has other arguments */
	if (first && first->status != STRACE_UNREAD) {
		str_addc(line->out, '[');
		print_strings(line, arg, 0);
		str_addc(line->out, ']');
	} else if (block && block->status == STRACE_WHOLE && block->n) {
		str_addc(line->out, '[');
		print_block(line, block);
		str_addc(line->out, ']');
	} else {
		print_pointer(line, arg);
	}
}

/* Steps of t_argv behind the first one, at the end of a call that has failed. */
#define N_ARGUMENTS 1
#define N_VARIABLES 2

/* Whether the call could read its path and all arguments: then it was the environment that it could not read. */
static bool has_read_others(const struct strace_line *line, unsigned int envp)
{
	const struct strace_blob *count = strace_blob(line, envp - 1, N_ARGUMENTS, 0), *blob = strace_blob(line, envp - 2, 0, 0);
	size_t n = 0;

	if (!blob || blob->status == STRACE_UNREAD)
		blob = strace_blob(line, envp - 2, 1, 0);
	if (!blob || blob->status == STRACE_UNREAD)
		return false;
	while ((blob = strace_blob(line, envp - 1, 0, n)) && blob->status != STRACE_UNREAD)
		n++;
	return !strace_arg(line, envp - 1) || (count && count->status == STRACE_WHOLE && count->all == n);
}

static void print_envp(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *count = strace_blob(line, arg, 0, 0), *first = strace_blob(line, arg, 1, 0);
	const struct strace_blob *last = strace_blob(line, arg - 1, N_VARIABLES, 0);

	if (first && first->status != STRACE_UNREAD) {
		str_addc(line->out, '[');
		print_strings(line, arg, 1);
		str_addc(line->out, ']');
		return;
	}
	print_pointer(line, arg);
	/* pages that were not present when the call began are when the kernel has read them */
	if (last && (!count || count->status == STRACE_UNREAD))
		count = last;
	if (count && count->status == STRACE_WHOLE)
		str_addf(line->out, " /* %u var%s */", count->all, str_plural(count->all));
	else if (last && last->status == STRACE_UNREAD && last->all && strace_ret(line) == -EFAULT && has_read_others(line, arg))
		str_addf(line->out, " /* %u var%s, unterminated */", last->all, str_plural(last->all));
}

const struct strace_type t_program = {
	print_program,
	.both = true,
	.steps = {
		{ STRACE_STRING, .from = SELF, .most = 4097 },
		{ STRACE_STRING, .from = SELF, .most = 4097, .when = STRACE_IF_FAILED },
		{ STRACE_PROGRAM, .most = 4096, .when = STRACE_IF_OK },
	},
};
const struct strace_type t_argv = {
	print_argv,
	.both = true,
	.steps = {
		{ STRACE_STRINGS, .from = SELF, .most = MOST_TEXT },
		[N_ARGUMENTS] = { STRACE_COUNT, .from = SELF, .when = STRACE_IF_FAILED },
		[N_VARIABLES] = { STRACE_COUNT, .from = NEXT(1), .when = STRACE_IF_FAILED },
	},
};
const struct strace_type t_envp = {
	print_envp,
	.enter = true,
	.steps = {
		{ STRACE_COUNT, .from = SELF },
		{ STRACE_STRINGS, .from = SELF, .most = MOST_TEXT, .when = STRACE_IF_WHOLE },
	},
};

/* --- results --- */

void strace_ret_address(struct strace_line *line)
{
	str_addf(line->out, "%#llx", (unsigned long long)strace_ret(line));
}

void strace_ret_mode(struct strace_line *line)
{
	strace_mode(line->out, strace_ret(line), false);
}
