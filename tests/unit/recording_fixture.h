/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings made by hand: kinds as `sonde record` describes them, records in rings, a file in memory. */
#ifndef SONDE_TESTS_UNIT_RECORDING_FIXTURE_H
#define SONDE_TESTS_UNIT_RECORDING_FIXTURE_H

#include <criterion/criterion.h>
#include <sys/mman.h>

#include "record/recording.h"
#include "record/writer.h"

enum {
	MADE_SWITCH = 1,
	MADE_WAKING,
	MADE_FORK,
	MADE_EXEC,
	MADE_COMM,
	MADE_EXIT,
	MADE_ENTER,
	MADE_LEAVE,
	MADE_ISSUE,
	MADE_COMPLETE,
	MADE_PROBE,
	MADE_MARK,
	MADE_KINDS
};

#define MADE_FIELD(name, is, ...) \
	{ \
		name, is, __VA_ARGS__ \
	}
#define MADE_KIND(id, name, ...) \
	[id] = { id, name, (const struct layout_field[]){ __VA_ARGS__ }, \
		 sizeof((struct layout_field[]){ __VA_ARGS__ }) / sizeof(struct layout_field) }

static const struct layout_kind made_kinds[MADE_KINDS] = {
	MADE_KIND(MADE_SWITCH, "switch", { "prev", LAYOUT_TASK, 1, 0, 32 }, { "next", LAYOUT_TASK, 1, 32, 32 },
		  { "prev_state", LAYOUT_STATE, 2, 0, 16 }, { "prev_prio", LAYOUT_PRIO, 2, 32, 16 },
		  { "next_prio", LAYOUT_PRIO, 2, 48, 16 }, { "syscall", LAYOUT_SYSCALL, 3, 0, 32 },
		  { "iowait", LAYOUT_NUMBER, 3, 32, 32 }, { "arg", LAYOUT_HEX, 4, 0, 64 }),
	MADE_KIND(MADE_WAKING, "waking", { "task", LAYOUT_TASK, 1, 0, 32 }, { "waker", LAYOUT_TASK, 1, 32, 32 },
		  { "target_cpu", LAYOUT_CPU, 2, 0, 16 }),
	MADE_KIND(MADE_FORK, "fork", { "task", LAYOUT_TASK, 1, 0, 32 }, { "child", LAYOUT_TASK, 2, 0, 32 },
		  { "child_process", LAYOUT_PROCESS, 2, 32, 32 }, { "comm", LAYOUT_CHARS, 3, 0, 16 }),
	MADE_KIND(MADE_EXEC, "exec", { "task", LAYOUT_TASK, 1, 0, 32 }, { "old_task", LAYOUT_TASK, 1, 32, 32 },
		  { "comm", LAYOUT_CHARS, 2, 0, 16 }, { "filename", LAYOUT_CHARS, 4, 0, 0 }),
	MADE_KIND(MADE_COMM, "comm", { "task", LAYOUT_TASK, 1, 0, 32 }, { "comm", LAYOUT_CHARS, 2, 0, 16 }),
	MADE_KIND(MADE_EXIT, "exit", { "task", LAYOUT_TASK, 1, 0, 32 }, { "code", LAYOUT_NUMBER, 2, 0, 32 },
		  { "comm", LAYOUT_CHARS, 3, 0, 16 }),
	MADE_KIND(MADE_ENTER, "sys_enter", { "task", LAYOUT_TASK, 1, 0, 32 }, { "syscall", LAYOUT_SYSCALL, 1, 32, 32 },
		  { "args", LAYOUT_WORDS, 2, 0, 0 }),
	MADE_KIND(MADE_LEAVE, "sys_exit", { "task", LAYOUT_TASK, 1, 0, 32 }, { "syscall", LAYOUT_SYSCALL, 1, 32, 32 },
		  { "ret", LAYOUT_RETURN, 2, 0, 64 }),
	MADE_KIND(MADE_ISSUE, "block_issue", { "device", LAYOUT_DEVICE, 1, 0, 32 }, { "bytes", LAYOUT_BYTES, 1, 32, 32 },
		  { "sector", LAYOUT_SECTOR, 2, 0, 64 }, { "request", LAYOUT_HEX, 3, 0, 64 },
		  { "op", LAYOUT_OP, 4, 0, 32 }, { "task", LAYOUT_TASK, 4, 32, 32 }),
	MADE_KIND(MADE_COMPLETE, "block_complete", { "device", LAYOUT_DEVICE, 1, 0, 32 },
		  { "bytes", LAYOUT_BYTES, 1, 32, 32 }, { "sector", LAYOUT_SECTOR, 2, 0, 64 },
		  { "request", LAYOUT_HEX, 3, 0, 64 }, { "op", LAYOUT_OP, 4, 0, 32 }, { "task", LAYOUT_TASK, 4, 32, 32 },
		  { "status", LAYOUT_ERROR, 5, 0, 32 }),
	MADE_KIND(MADE_PROBE, "probe", { "task", LAYOUT_TASK, 1, 0, 32 }, { "probe", LAYOUT_PROBE, 1, 32, 31 },
		  { "site", LAYOUT_PROBE_SITE, 1, 63, 1 }, { "args", LAYOUT_WORDS, 2, 0, 0 }),
	MADE_KIND(MADE_MARK, "mark", { "task", LAYOUT_TASK, 1, 0, 32 }, { "text", LAYOUT_CHARS, 2, 0, 0 }),
};

static const struct layout_ring made_layout = { .number_at = 56, .number_bits = 8, .kind_bits = 8, .words_at = 8, .words_bits = 8 };

#define MADE_CPUS 4

struct made {
	struct writer *w;
	int fd; /* of the file in memory */
	struct {
		struct str records;
		uint64_t first, number, lost;
	} cpus[MADE_CPUS];
};

static inline uint64_t made_pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

/* The header, the host, the clocks, the ring, kinds and two tasks that existed. */
static inline void made_begin(struct made *m)
{
	const struct layout_host host = { "6.12", "x86_64", "node", "boot", "0.6", "sonde record", 2, 100 };
	struct err err;

	*m = (struct made){ .fd = memfd_create("made", MFD_CLOEXEC) };
	m->w = writer_open_fd(dup(m->fd), "made", &err);
	cr_assert(m->w);
	cr_assert_eq(writer_host(m->w, &host), 0);
	cr_assert_eq(writer_clocks(m->w), 0);
	cr_assert_eq(writer_ring(m->w, &made_layout), 0);
	for (int i = 1; i < MADE_KINDS; i++)
		cr_assert_eq(writer_kind(m->w, &made_kinds[i]), 0);
	writer_task(m->w, &(struct layout_task){ 100, 100, 1, LAYOUT_TASK_EXISTED, 5, 'S', "make", "make -j2" });
	writer_task(m->w, &(struct layout_task){ 200, 200, 1, LAYOUT_TASK_EXISTED, 6, 'R', "cc", "cc -c x.c" });
}

static inline void made_words(struct made *m, int cpu, int kind, const uint64_t *words, size_t n)
{
	uint64_t header = kind | (n + 1) << 8 | (m->cpus[cpu].number & 0xff) << 56;

	str_addn(&m->cpus[cpu].records, (const char *)&header, 8);
	str_addn(&m->cpus[cpu].records, (const char *)words, n * 8);
	m->cpus[cpu].number++;
}

#define made_record(m, cpu, kind, ...) \
	made_words(m, cpu, kind, (const uint64_t[]){ __VA_ARGS__ }, \
		   sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* Numbers of records that are not there. */
static inline void made_lose(struct made *m, int cpu, uint64_t n)
{
	m->cpus[cpu].lost += n;
	m->cpus[cpu].number += n;
	if (!m->cpus[cpu].records.len)
		m->cpus[cpu].first += n;
}

static inline void made_chunk(struct made *m, int cpu)
{
	struct str *records = &m->cpus[cpu].records;

	cr_assert_eq(writer_chunk(m->w, cpu, 0, m->cpus[cpu].first, m->cpus[cpu].lost, records->data, records->len), 0);
	m->cpus[cpu].first = m->cpus[cpu].number;
	m->cpus[cpu].lost = 0;
	str_reset(records);
}

static inline void made_close(struct made *m, const struct layout_end *end)
{
	struct err err;

	for (int i = 0; i < MADE_CPUS; i++)
		if (m->cpus[i].records.len || m->cpus[i].lost)
			made_chunk(m, i);
	cr_assert_eq(writer_clocks(m->w), 0);
	cr_assert_eq(writer_close(m->w, end, &err), 0);
	for (int i = 0; i < MADE_CPUS; i++)
		str_release(&m->cpus[i].records);
}

/* Ends the file and opens it. */
static inline struct recording *made_open(struct made *m)
{
	struct layout_end end = { .exit_status = -1 };
	struct recording *r;
	struct err err = {};

	for (int i = 0; i < MADE_CPUS; i++)
		end.recorded += m->cpus[i].number - m->cpus[i].lost;
	made_close(m, &end);
	r = recording_open_fd(m->fd, "made", &err);
	cr_assert(r, "%s", err.text);
	return r;
}

#endif
