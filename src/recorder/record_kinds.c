// SPDX-License-Identifier: BSD-2-Clause
/* The kinds of records and their fields, as a recording describes them. The names are those of record/known.h. */
#include "base/base.h"
#include "bpf/record.h"
#include "bpf/ring.h"
#include "record/writer.h"
#include "record_part.h"
#include "record_kinds.h"

/* A whole member of a record's struct. */
#define MEMBER(NAME, IS, STRUCT, FIELD) \
	{ \
		.name = NAME, .is = IS, .word = offsetof(struct STRUCT, FIELD) / 8, \
		.bit = offsetof(struct STRUCT, FIELD) % 8 * 8, .bits = sizeof(((struct STRUCT *)0)->FIELD) * 8 % 64, \
	}
/* Texts: bits counts bytes, and 0 means up to the end of the record. */
#define CHARS(NAME, STRUCT, FIELD, BYTES) \
	{ \
		.name = NAME, .is = LAYOUT_CHARS, .word = offsetof(struct STRUCT, FIELD) / 8, .bits = BYTES, \
	}
#define WORDS(NAME, STRUCT, FIELD) \
	{ \
		.name = NAME, .is = LAYOUT_WORDS, .word = offsetof(struct STRUCT, FIELD) / 8, \
	}

#define REQUEST \
	MEMBER("device", LAYOUT_DEVICE, record_block, device), MEMBER("sector", LAYOUT_SECTOR, record_block, sector), \
		MEMBER("bytes", LAYOUT_BYTES, record_block, bytes), \
		{ .name = "op", .is = LAYOUT_OP, .word = offsetof(struct record_block, how) / 8, .bits = 8 }, \
		MEMBER("flags", LAYOUT_HEX, record_block, how), MEMBER("request", LAYOUT_HEX, record_block, request), \
		MEMBER("current", LAYOUT_TASK, record_block, pid)

#define PROBE_WORD (offsetof(struct record_probe, probe) / 8)

/* Its fields are the rest of the arguments. */
#define KIND(ID, NAME, SET, ...) \
	{ \
		.kind = { \
			.id = ID, \
			.name = NAME, \
			.fields = (const struct layout_field[]){ __VA_ARGS__ }, \
			.n = sizeof((const struct layout_field[]){ __VA_ARGS__ }) / sizeof(struct layout_field), \
		}, \
		.set = SET, \
	}

/* set: whose events they are. A reader takes a kind without events for one that did not happen. */
static const struct {
	struct layout_kind kind;
	size_t set;
} kinds[] = {
	KIND(RECORD_SWITCH, "switch", RECORD_SET(sched),
	     MEMBER("prev", LAYOUT_TASK, record_switch, prev),
	     MEMBER("prev_prio", LAYOUT_PRIO, record_switch, prev_prio),
	     MEMBER("prev_state", LAYOUT_STATE, record_switch, state),
	     MEMBER("next", LAYOUT_TASK, record_switch, next),
	     MEMBER("next_prio", LAYOUT_PRIO, record_switch, next_prio),
	     MEMBER("syscall", LAYOUT_SYSCALL, record_switch, call),
	     MEMBER("arg", LAYOUT_HEX, record_switch, argument),
	     MEMBER("iowait", LAYOUT_NUMBER, record_switch, iowait),
	     MEMBER("prev_passes", LAYOUT_NUMBER, record_switch, passes)),
	KIND(RECORD_WAKING, "waking", RECORD_SET(sched),
	     MEMBER("task", LAYOUT_TASK, record_waking, pid),
	     MEMBER("prio", LAYOUT_PRIO, record_waking, prio),
	     MEMBER("target_cpu", LAYOUT_CPU, record_waking, cpu),
	     MEMBER("waker", LAYOUT_TASK, record_waking, waker)),
	KIND(RECORD_MIGRATE, "migrate", RECORD_SET(sched),
	     MEMBER("task", LAYOUT_TASK, record_migrate, pid),
	     MEMBER("prio", LAYOUT_PRIO, record_migrate, prio),
	     MEMBER("from_cpu", LAYOUT_CPU, record_migrate, from),
	     MEMBER("target_cpu", LAYOUT_CPU, record_migrate, to)),
	KIND(RECORD_FORK, "fork", RECORD_ALWAYS,
	     MEMBER("task", LAYOUT_TASK, record_fork, parent),
	     MEMBER("process", LAYOUT_PROCESS, record_fork, parent_tgid),
	     MEMBER("child", LAYOUT_TASK, record_fork, child),
	     MEMBER("child_process", LAYOUT_PROCESS, record_fork, child_tgid),
	     CHARS("comm", record_fork, comm, RECORD_COMM_LEN)),
	KIND(RECORD_EXEC, "exec", RECORD_ALWAYS,
	     MEMBER("task", LAYOUT_TASK, record_exec, pid),
	     MEMBER("old_task", LAYOUT_TASK, record_exec, old_pid),
	     CHARS("comm", record_exec, comm, RECORD_COMM_LEN),
	     CHARS("filename", record_exec, file, 0)),
	KIND(RECORD_COMM, "comm", RECORD_ALWAYS,
	     MEMBER("task", LAYOUT_TASK, record_comm, pid),
	     MEMBER("process", LAYOUT_PROCESS, record_comm, tgid),
	     CHARS("comm", record_comm, comm, RECORD_COMM_LEN)),
	KIND(RECORD_EXIT, "exit", RECORD_ALWAYS,
	     MEMBER("task", LAYOUT_TASK, record_exit, pid),
	     MEMBER("process", LAYOUT_PROCESS, record_exit, tgid),
	     MEMBER("code", LAYOUT_NUMBER, record_exit, status),
	     MEMBER("last", LAYOUT_NUMBER, record_exit, last),
	     CHARS("comm", record_exit, comm, RECORD_COMM_LEN)),
	KIND(RECORD_SYS_ENTER, "sys_enter", RECORD_SET(syscalls),
	     MEMBER("task", LAYOUT_TASK, record_sys_enter, pid),
	     MEMBER("syscall", LAYOUT_SYSCALL, record_sys_enter, call),
	     WORDS("args", record_sys_enter, args)),
	KIND(RECORD_SYS_EXIT, "sys_exit", RECORD_SET(syscalls),
	     MEMBER("task", LAYOUT_TASK, record_sys_exit, pid),
	     MEMBER("syscall", LAYOUT_SYSCALL, record_sys_exit, call),
	     MEMBER("ret", LAYOUT_RETURN, record_sys_exit, ret)),
	KIND(RECORD_BLOCK_ISSUE, "block_issue", RECORD_SET(block),
	     REQUEST),
	KIND(RECORD_BLOCK_COMPLETE, "block_complete", RECORD_SET(block),
	     REQUEST,
	     MEMBER("status", LAYOUT_ERROR, record_block, error)),
	KIND(RECORD_PROBE, "probe", RECORD_ALWAYS,
	     MEMBER("task", LAYOUT_TASK, record_probe, pid),
	     { .name = "probe", .is = LAYOUT_PROBE, .word = PROBE_WORD, .bit = 32, .bits = 31 },
	     { .name = "site", .is = LAYOUT_PROBE_SITE, .word = PROBE_WORD, .bit = 63, .bits = 1 },
	     WORDS("args", record_probe, args)),
	KIND(RECORD_MARK, "mark", RECORD_ALWAYS,
	     MEMBER("task", LAYOUT_TASK, record_mark, pid),
	     MEMBER("process", LAYOUT_PROCESS, record_mark, tgid),
	     CHARS("text", record_mark, text, 0)),
	KIND(RECORD_WAIT, "wait", RECORD_SET(waits),
	     MEMBER("task", LAYOUT_TASK, record_wait, pid),
	     MEMBER("waker", LAYOUT_TASK, record_wait, waker),
	     MEMBER("woken", LAYOUT_TIME, record_wait, woken),
	     MEMBER("text", LAYOUT_TEXT, record_wait, text),
	     MEMBER("iowait", LAYOUT_NUMBER, record_wait, disk)),
	KIND(RECORD_FUNCTION, "call", RECORD_SET(calls),
	     MEMBER("task", LAYOUT_TASK, record_function, pid),
	     MEMBER("probe", LAYOUT_PROBE, record_function, function),
	     MEMBER("took", LAYOUT_DURATION, record_function, took),
	     MEMBER("ret", LAYOUT_SIGNED, record_function, ret),
	     MEMBER("depth", LAYOUT_NUMBER, record_function, depth),
	     MEMBER("ended", LAYOUT_NUMBER, record_function, ended),
	     MEMBER("returned", LAYOUT_NUMBER, record_function, returned),
	     MEMBER("user", LAYOUT_NUMBER, record_function, user),
	     MEMBER("track", LAYOUT_TEXT, record_function, track),
	     CHARS("result", record_function, result, RECORD_RESULT_LEN),
	     CHARS("text", record_function, args, 0)),
	KIND(RECORD_REQUEST, "request", RECORD_SET(requests),
	     MEMBER("task", LAYOUT_TASK, record_request, pid),
	     MEMBER("begin", LAYOUT_TIME, record_request, begin),
	     MEMBER("lasted", LAYOUT_DURATION, record_request, lasted),
	     MEMBER("number", LAYOUT_NUMBER, record_request, number),
	     MEMBER("part", LAYOUT_NUMBER, record_request, part),
	     MEMBER("connection", LAYOUT_NUMBER, record_request, connection),
	     MEMBER("text", LAYOUT_TEXT, record_request, text),
	     MEMBER("client", LAYOUT_TEXT, record_request, client),
	     MEMBER("server", LAYOUT_TEXT, record_request, server),
	     WORDS("args", record_request, asked)),
};

/* The header of bpf/ring.h. Of the number it has the low 8 bits. */
static const struct layout_ring ring = {
	.kind_at = 0,
	.kind_bits = 8,
	.words_at = 8,
	.words_bits = 8,
	.number_at = RING_HEADER_BITS + RING_PLACE_BITS,
	.number_bits = 64 - RING_HEADER_BITS - RING_PLACE_BITS,
};

int record_kinds_write(struct writer *writer, const struct record_sets *sets)
{
	int ret = writer_ring(writer, &ring);

	for (size_t i = 0; !ret && i < ARRAY_SIZE(kinds); i++)
		if (record_set_is_on(sets, kinds[i].set))
			ret = writer_kind(writer, &kinds[i].kind);
	return ret;
}
