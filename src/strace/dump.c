// SPDX-License-Identifier: BSD-2-Clause
/* -e read= and -e write=: what was read from descriptors, and written to them, in hex below the call's line. */
#include "kernel/syscalls.h"
#include "strace_part.h"
#include "types.h"

#define COLUMNS 16

/* The types of arguments that have the data, and the step that copies it: bytes, or a blob for each struct iovec. */
static const struct data {
	const struct strace_type *type;
	unsigned int step;
	bool reads;
} datas[] = {
	{ &t_in, 0, false },
	{ &t_out, 0, true },
	{ &t_sent, 0, false },
	{ &t_received, 0, true },
	{ &t_vectors_in, 1, false },
	{ &t_vectors_out, 1, true },
	{ &t_vectors_in_32, 1, false },
	{ &t_vectors_out_32, 1, true },
	{ &t_msg_in_32, 3, false },
	{ &t_msg_out_32, 3, true },
	{ &t_msg_in, 3, false },
	{ &t_msg_out, 3, true },
};

/* Returns the argument with the data of a call whose first one is a descriptor; 0: there is none. */
static unsigned int find_data(const struct strace_call *call, const struct data **data)
{
	if (!call || call->args[0] != &t_fd)
		return 0;
	for (unsigned int arg = 1; arg < STRACE_ARGS && call->args[arg]; arg++)
		for (size_t i = 0; i < ARRAY_SIZE(datas); i++)
			if (call->args[arg] == datas[i].type) {
				*data = &datas[i];
				return arg;
			}
	return 0;
}

static bool has_fd(const struct strace_fds *fds, uint64_t number)
{
	return fds->any && ((unsigned int)number < ARRAY_SIZE(fds->v) ? fds->v[(unsigned int)number] : fds->others);
}

static void add_row(struct str *out, const unsigned char *bytes, size_t n, size_t offset)
{
	str_addf(out, " | %05zx ", offset);
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i % 8 == 0)
			str_addc(out, ' ');
		if (i < n)
			str_addf(out, "%02x ", bytes[i]);
		else
			str_add(out, "   ");
	}
	str_addc(out, ' ');
	for (size_t i = 0; i < COLUMNS; i++)
		str_addc(out, i >= n ? ' ' : bytes[i] >= ' ' && bytes[i] < 0x7f ? bytes[i]
										: '.');
	str_add(out, " |\n");
}

void strace_dump_bytes(struct str *out, const void *bytes, size_t n, uint64_t all)
{
	for (size_t i = 0; i < n; i += COLUMNS)
		add_row(out, (const unsigned char *)bytes + i, n - i < COLUMNS ? n - i : COLUMNS, i);
	/* strace has no such line: it reads all of the memory */
	if (n < all)
		str_addf(out, " * %llu bytes more are not recorded\n", (unsigned long long)(all - n));
}

void strace_dump(struct strace_line *line)
{
	const struct strace_settings *settings = line->settings;
	const struct data *data = NULL;
	unsigned int arg = find_data(line->call, &data);
	uint64_t left;

	if (!arg || !line->exit || (data->reads && !strace_ok(line)) ||
	    (!data->step && !strace_ok(line) && strace_arg(line, arg + 1) > INT32_MAX) ||
	    !has_fd(data->reads ? &settings->dump_read : &settings->dump_written, strace_arg(line, 0)))
		return;
	left = data->reads ? (uint64_t)strace_ret(line) : UINT64_MAX;
	for (size_t i = 0; left; i++) {
		const struct strace_blob *blob = strace_blob(line, arg, data->step, i);
		uint64_t all;

		if (!blob || blob->status == STRACE_UNREAD)
			break;
		all = blob->all < left ? blob->all : left;
		if (data->step)
			str_addf(line->out, " * %llu bytes in buffer %zu\n", (unsigned long long)all, i);
		strace_dump_bytes(line->out, strace_bytes(blob), blob->n < all ? blob->n : all, all);
		left -= all;
		if (!data->step)
			break;
	}
}
