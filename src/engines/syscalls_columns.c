// SPDX-License-Identifier: BSD-2-Clause
/* The columns of tables of system calls. */
#include "syscalls_columns.h"

static void get_name(struct value *to, const void *data, const void *ctx)
{
	const struct syscalls_row *row = data;

	if (row->name) {
		value_set_text(to, row->name);
		return;
	}
	if (row->key < SYSCALLS_OTHER)
		str_addf(to->room, "[unknown: %u]", row->key);
	else
		str_add(to->room, "[unknown]");
	value_set_made(to);
}

static void get_average_us(struct value *to, const void *data, const void *ctx)
{
	const struct syscalls_row *row = data;

	value_set_u64(to, row->calls ? row->ns / row->calls / 1000 : 0);
}

#define ROW   struct syscalls_row
#define CALL  FIELD_GET(FIELD_STR, get_name, "syscall", "SYSCALL", -22)
#define PID   FIELD(FIELD_U32, ROW, key, "pid", "PID", -6, .role = ROLE_TASK)
#define COMM  FIELD(FIELD_CHARS, ROW, comm, "comm", "COMM", -15, .role = ROLE_TASK)
#define COUNT FIELD(FIELD_U64, ROW, calls, "count", "COUNT", 8, .role = ROLE_COUNTER)
/* Text has times only on request, in the requested unit; data has them in ns, or null. */
#define IN_US  TEXT(FIELD_DURATION, ROW, ns, "TIME (us)", 16, .unit = UNIT_US, .decimals = 3)
#define IN_MS  TEXT(FIELD_DURATION, ROW, ns, "TIME (ms)", 16, .unit = UNIT_MS, .decimals = 6)
#define ERRORS DATA(FIELD_U64, ROW, errors, "errors", .role = ROLE_COUNTER)
#define TIME   DATA(FIELD_DURATION, ROW, ns, "time_ns", KNOWN_BY(ROW, timed), .role = ROLE_COUNTER)
#define MAX    DATA(FIELD_DURATION, ROW, max, "max_ns", KNOWN_BY(ROW, timed))

static const struct field calls[] = { CALL, COUNT, ERRORS, TIME, MAX };
static const struct field calls_us[] = { CALL, COUNT, ERRORS, IN_US, TIME, MAX };
static const struct field calls_ms[] = { CALL, COUNT, ERRORS, IN_MS, TIME, MAX };
static const struct field processes[] = { PID, COMM, COUNT, ERRORS, TIME, MAX };
static const struct field processes_us[] = { PID, COMM, COUNT, ERRORS, IN_US, TIME, MAX };
static const struct field processes_ms[] = { PID, COMM, COUNT, ERRORS, IN_MS, TIME, MAX };

/* As in strace -c: no number if no call failed. */
static const struct field summary[] = {
	TEXT(FIELD_REAL, ROW, percent, "% time", 6, .decimals = 2),
	TEXT(FIELD_DURATION, ROW, ns, "seconds", 11, .unit = UNIT_SECONDS, .decimals = 6),
	TEXT_GET(FIELD_U64, get_average_us, "usecs/call", 11),
	TEXT(FIELD_U64, ROW, calls, "calls", 9),
	TEXT(FIELD_U64, ROW, errors, "errors", 9, .null = NULL_ZERO, .absent = ""),
	FIELD_GET(FIELD_STR, get_name, "syscall", "syscall", -16),
	DATA(FIELD_U64, ROW, calls, "count", .role = ROLE_COUNTER),
	ERRORS,
	TIME,
	MAX,
};

#define SCHEMA(fields) \
	{ \
		fields, ARRAY_SIZE(fields) \
	}

const struct schema syscalls_schema = SCHEMA(calls);

const struct schema *syscalls_columns(const struct syscalls_settings *settings, enum field_unit unit)
{
	static const struct schema summaries = { summary, ARRAY_SIZE(summary), .ruled = true };
	static const struct schema by_call[] = { SCHEMA(calls), SCHEMA(calls_us), SCHEMA(calls_ms) };
	static const struct schema by_process[] = { SCHEMA(processes), SCHEMA(processes_us), SCHEMA(processes_ms) };
	size_t times = !settings->timed ? 0 : unit == UNIT_US ? 1
							      : 2;

	if (settings->with_total)
		return &summaries;
	return settings->by_process ? &by_process[times] : &by_call[times];
}
