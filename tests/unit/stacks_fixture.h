/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows with stacks, as a profiler has them. */
#ifndef SONDE_TESTS_UNIT_STACKS_FIXTURE_H
#define SONDE_TESTS_UNIT_STACKS_FIXTURE_H

#include "output/files.h"
#include "output_fixture.h"

#define STACK(...) \
	{ \
		(const struct frame *const[]){ __VA_ARGS__ }, \
			sizeof((const struct frame *const[]){ __VA_ARGS__ }) / sizeof(struct frame *) \
	}

struct stack_row {
	struct frame_stack kernel, user;
	char comm[16];
	uint32_t pid;
	uint64_t count, ns;
};

static struct frame_style style;

static inline void get_who(struct value *to, const void *data, const void *ctx)
{
	const struct stack_row *row = data;

	str_addf(to->room, "%.16s (%u)", row->comm, row->pid);
	value_set_made(to);
}

static const struct field profile_fields[] = {
	FIELD(FIELD_STACK, struct stack_row, kernel, "kernel", "    ", 0, .style = &style),
	FIELD(FIELD_STACK, struct stack_row, user, "user", "    ", 0, .style = &style),
	DATA(FIELD_CHARS, struct stack_row, comm, "comm", .role = ROLE_TASK),
	DATA(FIELD_U32, struct stack_row, pid, "pid", .role = ROLE_TASK),
	TEXT_GET(FIELD_STR, get_who, "    -                ", 0),
	FIELD(FIELD_U64, struct stack_row, count, "count", "        ", 0, .role = ROLE_COUNTER),
};
static const struct schema profile_schema = { profile_fields, ARRAY_SIZE(profile_fields), .stacked = true };

static const struct frame k_read = { .name = "vfs_read", .kind = FRAME_KERNEL, .address = 0xffffffff81000010 },
			  k_entry = { .name = "entry_SYSCALL_64", .kind = FRAME_KERNEL, .address = 0xffffffff82000020 },
			  u_read = { .name = "read", .file = "/lib/libc.so.6", .build_id = "abcd", .address = 0x1010 },
			  u_main = { .name = "main", .file = "/bin/x", .address = 0x2020, .start = 0x2000 },
			  u_main_later = { .name = "main", .file = "/bin/x", .address = 0x2040, .start = 0x2000 },
			  j_fn = { .name = "py::fn", .kind = FRAME_JIT, .address = 0x7f0000000000 };

#endif
