// SPDX-License-Identifier: BSD-2-Clause
/* Descriptors: pipes, poll and select, and the vectors of readv. */
#include <poll.h>
#include <sys/time.h>

#include "netlink.h"
#include "strace_part.h"
#include "types.h"

#define U(X) ((unsigned long long)(X))

static void print_pipe(struct strace_line *line, unsigned int arg)
{
	const int *fds = strace_struct(line, arg, 0, 2 * sizeof(*fds));

	if (!fds)
		return;
	str_addc(line->out, '[');
	for (unsigned int i = 0; i < 2; i++) {
		str_add(line->out, i ? ", " : "");
		if (!line->settings->whole && i >= line->settings->size) {
			str_add(line->out, "...");
			break;
		}
		strace_fd(line, fds[i], strace_blob(line, arg, i + 1, 0));
	}
	str_addc(line->out, ']');
}
#define PIPE \
	{ \
		STEP_WRITES(8), { STRACE_FILE, .from = STRACE_FROM_BLOB, .when = STRACE_IF_OK }, \
			{ STRACE_FILE, .from = STRACE_FROM_BLOB, .at = 4, .when = STRACE_IF_OK }, \
	}
const struct strace_type t_pipe = { print_pipe, .steps = PIPE }, t_pipe_pair = { print_pipe, .steps = PIPE };

static STRACE_FAMILY(poll_events, "POLL???", N(POLLIN), N(POLLPRI), N(POLLOUT), N(POLLERR),
		     N(POLLHUP), N(POLLNVAL), { "POLLRDNORM", 0x40 }, { "POLLRDBAND", 0x80 },
		     { "POLLWRNORM", 0x100 }, { "POLLWRBAND", 0x200 }, { "POLLMSG", 0x400 },
		     { "POLLREMOVE", 0x1000 }, { "POLLRDHUP", 0x2000 }, { "POLL_BUSY_LOOP", 0x8000 });

void strace_poll_events(struct str *out, uint64_t events)
{
	strace_flags(out, &poll_events, events);
}

static void add_pollfd(struct strace_line *line, const void *element, size_t index)
{
	const struct pollfd *fd = element;

	str_add(line->out, "{fd=");
	strace_fd(line, fd->fd, strace_blob(line, 0, 1, index));
	if (fd->fd >= 0) {
		str_add(line->out, ", events=");
		strace_flags(line->out, &poll_events, (unsigned short)fd->events);
	}
	str_addc(line->out, '}');
}

static void print_pollfds(struct strace_line *line, unsigned int arg)
{
	strace_array(line, arg, 0, (unsigned int)strace_arg(line, arg + 1), sizeof(struct pollfd), add_pollfd);
}
const struct strace_type t_pollfds = { print_pollfds, .both = true, .steps = { STEP_ARRAY_TO_EDGE(NEXT(1), 8, 512), { STRACE_FILES, .from = STRACE_FROM_BLOB, .scale = STRACE_FILES_POLL } } };

/* The result of poll: which descriptors are ready. */
void strace_ret_poll(struct strace_line *line)
{
	const struct strace_blob *blob = strace_blob(line, 0, 0, 0);
	const struct pollfd *fds = blob ? strace_bytes(blob) : NULL;
	const struct strace_blob *left = line->call->args[2] == &t_timespec ? strace_blob(line, 2, 0, 0) : NULL;
	const char *separator = " ([";
	int64_t n = strace_ret(line);

	str_add_s64(line->out, n);
	if (!n) {
		str_add(line->out, " (Timeout)");
		return;
	}
	for (size_t i = 0, shown = 0; blob && i < blob->n / sizeof(*fds); i++) {
		if (!fds[i].revents)
			continue;
		if (shown++ >= line->settings->size) {
			str_addf(line->out, "%s...", separator);
			separator = ", ";
			break;
		}
		str_addf(line->out, "%s{fd=%d, revents=", separator, fds[i].fd);
		strace_flags(line->out, &poll_events, (unsigned short)fds[i].revents);
		str_addc(line->out, '}');
		separator = ", ";
	}
	if (*separator != ',')
		return;
	str_addc(line->out, ']');
	if (strace_arg(line, 2) && left && left->n == 16) {
		str_add(line->out, ", left ");
		strace_timespec(line->out, strace_bytes(left));
	}
	str_addc(line->out, ')');
}

/* Of recvmmsg: how much of the time is left. */
void strace_ret_left(struct strace_line *line)
{
	const struct strace_blob *left = strace_arg(line, 4) ? strace_blob(line, 4, 0, 0) : NULL;

	str_add_s64(line->out, strace_ret(line));
	if (!strace_ret(line))
		str_add(line->out, " (Timeout)");
	if (!left || left->n != 16 || strace_ret(line) <= 0)
		return;
	str_add(line->out, " (left ");
	strace_timespec(line->out, strace_bytes(left));
	str_addc(line->out, ')');
}

/* The descriptors of a set below the call's first argument. line: its settings say whether to add what they are. */
static bool add_fds(struct str *out, const struct strace_blob *blob, int n, struct strace_line *line, unsigned int arg)
{
	const unsigned char *bits = strace_bytes(blob);
	const char *separator = "";
	size_t nth = 0;
	bool any = false;

	str_addc(out, '[');
	for (int fd = 0; fd < n && fd < blob->n * 8; fd++)
		if (bits[fd / 8] >> fd % 8 & 1) {
			str_add(out, separator);
			if (line)
				strace_fd(line, fd, fd < 64 ? strace_blob(line, arg, 1, nth++) : NULL);
			else
				str_add_s64(out, fd);
			separator = " ";
			any = true;
		}
	str_addc(out, ']');
	return any;
}

#define FD_SET_BYTES 128

static void print_fd_set(struct strace_line *line, unsigned int arg)
{
	struct strace_line begin = *line;
	const struct strace_blob *blob = strace_before(line, arg);
	int64_t n = (int)strace_arg(line, 0);

	/* in longs, as the kernel reads it */
	if (blob && blob->status != STRACE_UNREAD && (blob->n == FD_SET_BYTES || blob->n >= (n + 63) / 64 * 8)) {
		/* what the set was, and the descriptors then */
		if (begin.enter)
			begin.exit = NULL;
		add_fds(line->out, blob, strace_arg(line, 0), &begin, arg);
	} else {
		strace_address(line->out, strace_arg(line, arg));
	}
}
const struct strace_type t_fd_set = {
	print_fd_set,
	.both = true,
	.steps = { STEP_ARRAY_TO_EDGE(STRACE_FROM_NONE, FD_SET_BYTES, 1), { STRACE_FILES, .from = STRACE_FROM_BLOB, .scale = STRACE_FILES_BITS } },
};

static void print_timeval_before(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_before(line, arg);

	if (blob && blob->n == 16)
		strace_timeval(line->out, strace_bytes(blob));
	else
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_timeval = { print_timeval_before, .both = true, .steps = { STEP_READS(16) } };

static void print_sigset_pair(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *mask = strace_blob(line, arg, 1, 0);
	const uint64_t *pair = strace_struct(line, arg, 0, 16);

	if (!pair)
		return;
	str_add(line->out, "{sigmask=");
	if (mask && mask->n == 8 && pair[0])
		strace_sigset(line->out, strace_bytes(mask), 8);
	else
		strace_address(line->out, pair[0]);
	str_addf(line->out, ", sigsetsize=%llu}", U(pair[1]));
}
const struct strace_type t_sigset_pair = {
	print_sigset_pair,
	.steps = {
		STEP_READS(16),
		{ STRACE_BYTES, .from = STRACE_FROM_BLOB, .count_from = STRACE_FROM_NONE, .scale = 8, .most = 8 },
	},
};

/* Which descriptors are ready, and how much of the time is left. */
void strace_ret_select(struct strace_line *line)
{
	static const char *const names[] = { "in", "out", "except" };
	const char *separator = " (";
	int64_t n = strace_ret(line);

	str_add_s64(line->out, n);
	if (!n) {
		str_add(line->out, " (Timeout)");
		return;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		const struct strace_blob *blob = strace_arg(line, 1 + i) ? strace_blob(line, 1 + i, 0, 0) : NULL;
		struct str fds __str = {};

		if (!blob || blob->status == STRACE_UNREAD || !add_fds(&fds, blob, strace_arg(line, 0), NULL, 0))
			continue;
		str_addf(line->out, "%s%s %s", separator, names[i], fds.data);
		separator = ", ";
	}
	if (strace_arg(line, 4)) {
		const struct strace_blob *left = strace_blob(line, 4, 0, 0);

		if (left && left->n == 16) {
			str_addf(line->out, "%sleft ", separator);
			if (line->call->args[4] == &t_timeval)
				strace_timeval(line->out, strace_bytes(left));
			else
				strace_timespec(line->out, strace_bytes(left));
			separator = ", ";
		}
	}
	if (*separator == ',')
		str_addc(line->out, ')');
}

struct vector {
	uint64_t base, len;
};

/* An element of an array; narrow: of a 32-bit program. */
static struct vector vector_at(const void *array, size_t i, bool narrow)
{
	const uint32_t *halves = array;

	return narrow ? (struct vector){ halves[2 * i], halves[2 * i + 1] } : ((const struct vector *)array)[i];
}

void strace_vectors_of(struct strace_line *line, unsigned int arg, unsigned int step, const struct strace_blob *array,
		       size_t nth, uint64_t address, uint64_t n, uint64_t most)
{
	bool narrow = strace_is_narrow(line);
	size_t size = narrow ? sizeof(struct vector) / 2 : sizeof(struct vector);
	int protocol = strace_netlink_protocol(line);
	size_t i;

	if (!array || array->status == STRACE_UNREAD || !address || (n && array->n < size) || n > UINT64_MAX / size) {
		strace_address(line->out, address);
		return;
	}
	str_addc(line->out, '[');
	for (i = 0; i < n && i < array->n / size && i < line->settings->size; i++) {
		const struct strace_blob *bytes = strace_blob(line, arg, step, nth + i);
		struct vector vector = vector_at(strace_bytes(array), i, narrow);
		uint64_t len = vector.len < most ? vector.len : most, shown = len;

		str_add(line->out, i ? ", {iov_base=" : "{iov_base=");
		if (!bytes || !vector.base || bytes->status == STRACE_UNREAD) {
			strace_address(line->out, vector.base);
		} else if (protocol < 0 || !strace_netlink(line, protocol, bytes, vector.base, len)) {
			if (shown > line->settings->size)
				shown = line->settings->size;
			if (shown > bytes->n)
				shown = bytes->n;
			strace_text(line, strace_bytes(bytes), shown, len > shown);
		}
		str_addf(line->out, ", iov_len=%llu}", U(vector.len));
		if (most != UINT64_MAX)
			most -= len;
	}
	if (i < n)
		str_add(line->out, i ? ", ..." : "...");
	if (i < n && i == array->n / size && array->status == STRACE_EDGE)
		str_addf(line->out, " /* %#llx */", U(address + i * size));
	str_addc(line->out, ']');
}

void strace_vectors(struct strace_line *line, unsigned int arg, unsigned int step, uint64_t address, uint64_t n,
		    uint64_t most)
{
	strace_vectors_of(line, arg, step + 1, strace_blob(line, arg, step, 0), 0, address, n, most);
}

static void print_vectors_in(struct strace_line *line, unsigned int arg)
{
	strace_vectors(line, arg, 0, strace_arg(line, arg), strace_arg(line, arg + 1), UINT64_MAX);
}

static void print_vectors_out(struct strace_line *line, unsigned int arg)
{
	if (strace_ok(line))
		strace_vectors(line, arg, 0, strace_arg(line, arg), strace_arg(line, arg + 1), strace_ret(line));
	else /* nothing was filled in: a step without blobs */
		strace_vectors_of(line, arg, STRACE_TYPE_STEPS - 1, strace_blob(line, arg, 0, 0), 0, strace_arg(line, arg),
				  strace_arg(line, arg + 1), 0);
}

#define VECTORS(SIZE, WHEN) \
	{ \
		{ STRACE_BYTES, .from = SELF, .count_from = NEXT(1), .scale = (SIZE), .most = (SIZE)*STRACE_VECTOR, \
		  .when = STRACE_TO_EDGE }, \
			{ STRACE_VECTORS, .from = STRACE_FROM_BLOB, .most = MOST_TEXT, .when = WHEN }, \
	}
const struct strace_type t_vectors_in = { print_vectors_in, .steps = VECTORS(16, 0) },
			 t_vectors_out = { print_vectors_out, .steps = VECTORS(16, STRACE_IF_OK) },
			 t_vectors_in_32 = { print_vectors_in, .steps = VECTORS(8, STRACE_NARROW) },
			 t_vectors_out_32 = { print_vectors_out, .steps = VECTORS(8, STRACE_IF_OK | STRACE_NARROW) };
