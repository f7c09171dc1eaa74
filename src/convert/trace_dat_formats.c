// SPDX-License-Identifier: BSD-2-Clause
/*
 * Descriptions of events, in the language of the kernel's files events/SYSTEM/EVENT/format. Names, fields and types of
 * the kernel's own events are the kernel's, because readers look for them. trace_dat_events.c fills the fields in, in
 * this order and without gaps but those of alignment.
 */
#include "trace_dat_part.h"

/* A name or number of a task, a number with what stands for one that is not known, the rest of one way each. */
#define F_COMM(name, known) \
	{ \
		"char " name "[16]", 16, 0, DAT_COMM, known, 0 \
	}
#define F_PID(name, known) \
	{ \
		"pid_t " name, 4, 1, DAT_NUMBER, known, 0 \
	}
#define F_INT(name, known, otherwise) \
	{ \
		"int " name, 4, 1, DAT_NUMBER, known, otherwise \
	}
#define F_LONG(name, known) \
	{ \
		"long " name, 8, 1, DAT_NUMBER, known, 0 \
	}
#define F_U32(name, how, known) \
	{ \
		"unsigned int " name, 4, 0, how, known, 0 \
	}
#define F_U64(name, known) \
	{ \
		"unsigned long long " name, 8, 0, DAT_NUMBER, known, 0 \
	}
#define F_CALL \
	{ \
		"long id", 8, 1, DAT_CALL, KNOWN_F_SYSCALL, -1 \
	}
#define F_ARGS \
	{ \
		"unsigned long args[6]", 48, 0, DAT_ARGS, KNOWN_F_ARGS, 0 \
	}
#define F_FUNCTION \
	{ \
		"unsigned long func", 8, 0, DAT_BY_HAND, 0, 0 \
	}
#define F_DEPTH \
	{ \
		"int depth", 4, 1, DAT_BY_HAND, 0, 0 \
	}
#define F_TEXT(name) \
	{ \
		"__data_loc char[] " name, 4, 0, DAT_BY_HAND, 0, 0 \
	}
#define F_REQUEST \
	F_U32("dev", DAT_NUMBER, KNOWN_F_DEVICE), F_U32("nr_sector", DAT_SECTORS, KNOWN_F_BYTES), \
		F_U64("sector", KNOWN_F_SECTOR), F_U32("bytes", DAT_NUMBER, KNOWN_F_BYTES), \
	{ \
		"char rwbs[8]", 8, 0, DAT_LETTER, KNOWN_F_OP, 0 \
	}
#define ARGS_TEXT "%lx, %lx, %lx, %lx, %lx, %lx"
#define ARGS_VALUES \
	"REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], REC->args[5]"
#define STATES \
	"__print_symbolic(REC->prev_state & 0xff, { 0, \"R\" }, { 1, \"S\" }, { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, " \
	"{ 16, \"X\" }, { 32, \"Z\" }, { 64, \"P\" }, { 128, \"I\" })"
#define REQUEST_TEXT "%d,%d %s %u %llu + %u"
#define REQUEST_VALUES \
	"((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1))), REC->rwbs, REC->bytes, " \
	"REC->sector, REC->nr_sector, "

#define SWITCH_TEXT \
	"\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d\", " \
	"REC->prev_comm, REC->prev_pid, REC->prev_prio, " STATES ", REC->prev_state & 0x100 ? \"+\" : \"\", " \
	"REC->next_comm, REC->next_pid, REC->next_prio"
#define WAKING_TEXT \
	"\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu"
#define MIGRATE_TEXT \
	"\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", REC->comm, REC->pid, REC->prio, REC->orig_cpu, " \
	"REC->dest_cpu"
#define FORK_TEXT \
	"\"comm=%s pid=%d child_comm=%s child_pid=%d\", REC->parent_comm, REC->parent_pid, REC->child_comm, " \
	"REC->child_pid"

/* Sorted by system. */
const struct dat_format dat_formats[DAT_EVENTS] = {
	[DAT_SWITCH] = {
		"sched",
		"sched_switch",
		SWITCH_TEXT,
		{
			F_COMM("prev_comm", KNOWN_F_PREV),
			F_PID("prev_pid", KNOWN_F_PREV),
			F_INT("prev_prio", KNOWN_F_PREV_PRIO, 120),
			F_LONG("prev_state", KNOWN_F_PREV_STATE),
			F_COMM("next_comm", KNOWN_F_NEXT),
			F_PID("next_pid", KNOWN_F_NEXT),
			F_INT("next_prio", KNOWN_F_NEXT_PRIO, 120),
		},
	},
	[DAT_WAKING] = {
		"sched",
		"sched_waking",
		WAKING_TEXT,
		{
			F_COMM("comm", KNOWN_F_TASK),
			F_PID("pid", KNOWN_F_TASK),
			F_INT("prio", KNOWN_F_PRIO, 120),
			F_INT("target_cpu", KNOWN_F_TARGET_CPU, 0),
		},
	},
	[DAT_MIGRATE] = {
		"sched",
		"sched_migrate_task",
		MIGRATE_TEXT,
		{
			F_COMM("comm", KNOWN_F_TASK),
			F_PID("pid", KNOWN_F_TASK),
			F_INT("prio", KNOWN_F_PRIO, 120),
			F_INT("orig_cpu", KNOWN_F_FROM_CPU, 0),
			F_INT("dest_cpu", KNOWN_F_TARGET_CPU, 0),
		},
	},
	[DAT_FORK] = {
		"sched",
		"sched_process_fork",
		FORK_TEXT,
		{
			F_COMM("parent_comm", DAT_TASK),
			F_PID("parent_pid", DAT_TASK),
			F_COMM("child_comm", KNOWN_F_CHILD),
			F_PID("child_pid", KNOWN_F_CHILD),
		},
	},
	[DAT_EXEC] = {
		"sched",
		"sched_process_exec",
		"\"filename=%s pid=%d old_pid=%d\", __get_str(filename), REC->pid, REC->old_pid",
		{
			F_TEXT("filename"),
			F_PID("pid", DAT_TASK),
			F_PID("old_pid", KNOWN_F_OLD_TASK),
		},
	},
	[DAT_EXIT] = {
		"sched",
		"sched_process_exit",
		"\"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio",
		{
			F_COMM("comm", DAT_TASK),
			F_PID("pid", DAT_TASK),
			F_INT("prio", KNOWN_F_PRIO, 120),
		},
	},
	[DAT_RENAME] = {
		"task",
		"task_rename",
		"\"pid=%d newcomm=%s\", REC->pid, REC->newcomm",
		{
			F_PID("pid", DAT_TASK),
			F_COMM("newcomm", DAT_TASK),
		},
	},
	/* the name of the call comes last, because programs look for the rest */
	[DAT_SYS_ENTER] = {
		"raw_syscalls",
		"sys_enter",
		"\"NR %ld (" ARGS_TEXT ") %s\", REC->id, " ARGS_VALUES,
		{
			F_CALL,
			F_ARGS,
		},
	},
	[DAT_SYS_EXIT] = {
		"raw_syscalls",
		"sys_exit",
		"\"NR %ld = %ld %s\", REC->id, REC->ret",
		{
			F_CALL,
			F_LONG("ret", KNOWN_F_RET),
		},
	},
	[DAT_ISSUE] = {
		"block",
		"block_rq_issue",
		"\"" REQUEST_TEXT " [%s]\", " REQUEST_VALUES "REC->comm",
		{
			F_REQUEST,
			F_COMM("comm", DAT_TASK),
		},
	},
	[DAT_COMPLETE] = {
		"block",
		"block_rq_complete",
		"\"" REQUEST_TEXT " [%d]\", " REQUEST_VALUES "REC->error",
		{
			F_REQUEST,
			F_INT("error", KNOWN_F_STATUS, 0),
		},
	},
	[DAT_PROBE] = {
		"sonde",
		"probe",
		"\"%s(" ARGS_TEXT ")\", __get_str(probe), " ARGS_VALUES,
		{
			F_TEXT("probe"),
			F_U32("unused", DAT_BY_HAND, 0),
			F_ARGS,
		},
	},
	[DAT_RETURN] = {
		"sonde",
		"probe_return",
		"\"%s = %lx\", __get_str(probe), REC->ret",
		{
			F_TEXT("probe"),
			F_U32("unused", DAT_BY_HAND, 0),
			{ "unsigned long ret", 8, 0, DAT_BY_HAND, 0, 0 },
		},
	},
	[DAT_MARK] = {
		"sonde",
		"mark",
		"\"%s\", __get_str(text)",
		{
			F_TEXT("text"),
		},
	},
	[DAT_LOST] = {
		"sonde",
		"lost",
		"\"%llu events were lost before the end\", REC->lost",
		{
			F_U64("lost", 0),
		},
	},
	/* trace-cmd prints these as a graph, by their names and those of their fields */
	[DAT_CALL_ENTRY] = {
		"ftrace",
		"funcgraph_entry",
		"\"--> %lx (%d)\", REC->func, REC->depth",
		{
			F_FUNCTION,
			F_DEPTH,
		},
	},
	[DAT_CALL_EXIT] = {
		"ftrace",
		"funcgraph_exit",
		"\"<-- %lx (%d) (start: %llx  end: %llx) over: %d\", REC->func, REC->depth, REC->calltime, "
		"REC->rettime, REC->depth",
		{
			F_FUNCTION,
			{ "unsigned long overrun", 8, 0, DAT_BY_HAND, 0, 0 },
			{ "unsigned long long calltime", 8, 0, DAT_BY_HAND, 0, 0 },
			{ "unsigned long long rettime", 8, 0, DAT_BY_HAND, 0, 0 },
			F_DEPTH,
		},
	},
};

static const struct dat_format other = { .print = "\"%s\", __get_str(text)", .fields = { F_TEXT("text") } };

#define HEAD \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* The names of calls, as a choice by number. */
static void add_calls(struct str *s, const struct recording *r, const struct set *calls)
{
	str_add(s, ", __print_symbolic(REC->id");
	for (size_t i = 0; i < calls->n; i++) {
		int64_t call;
		const char *name;

		memcpy(&call, calls->v[i].bytes, sizeof(call));
		name = recording_text(r, LAYOUT_SPACE_SYSCALLS, call);
		if (name && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0')
			str_addf(s, ", { %lld, \"%s\" }", (long long)call, name);
	}
	str_add(s, ", { -1, \"\" })");
}

static void add_fields(struct str *text, const struct dat_format *format)
{
	uint32_t offset = 8;

	for (const struct dat_field *field = format->fields; field->declaration; field++) {
		str_addf(text, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%u;\n", field->declaration, offset, field->size,
			 field->is_signed);
		offset += field->size;
	}
}

static void add_number(struct str *s, uint64_t number, size_t bytes)
{
	str_addn(s, (const char *)&number, bytes);
}

static void add_format(struct str *s, const struct dat_format *format, const char *name, unsigned int id,
		       const struct recording *r, const struct set *calls)
{
	__str struct str text = {};

	str_addf(&text, "name: %s\nID: %u\n" HEAD, name, id);
	add_fields(&text, format);
	str_addf(&text, "\nprint fmt: %s", format->print);
	if (format == &dat_formats[DAT_SYS_ENTER] || format == &dat_formats[DAT_SYS_EXIT])
		add_calls(&text, r, calls);
	str_addc(&text, '\n');
	add_number(s, text.len, 8);
	str_addn(s, text.data, text.len);
}

/* Kinds that we know nothing of belong to our system, under their own names. */
static void add_others(struct str *s, const struct recording *r, const struct set *calls)
{
	const struct recording_info *info = recording_info(r);

	for (size_t i = 0; i < info->n_kinds; i++) {
		__str struct str name = {};

		if (info->kinds[i]->known >= 0)
			continue;
		for (const char *c = info->kinds[i]->name; *c; c++)
			str_addc(&name, (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') ? *c : '_');
		add_format(s, &other, str_or_empty(name.data), DAT_FIRST_OTHER + i + 1, r, calls);
	}
}

static uint32_t count_others(const struct recording *r)
{
	const struct recording_info *info = recording_info(r);
	uint32_t n = 0;

	for (size_t i = 0; i < info->n_kinds; i++)
		n += info->kinds[i]->known < 0;
	return n;
}

void dat_formats_add(struct str *s, const struct recording *r, const struct set *calls)
{
	uint32_t systems = 0, at = 0;

	for (uint32_t i = 0; i < DAT_EVENTS; i++)
		systems += !i || !str_same(dat_formats[i].system, dat_formats[i - 1].system);
	add_number(s, systems, 4);
	while (at < DAT_EVENTS) {
		const char *system = dat_formats[at].system;
		bool is_ours = str_same(system, "sonde");
		uint32_t end = at;

		while (end < DAT_EVENTS && str_same(dat_formats[end].system, system))
			end++;
		str_addn(s, system, strlen(system) + 1);
		add_number(s, end - at + (is_ours ? count_others(r) : 0), 4);
		for (; at < end; at++)
			add_format(s, &dat_formats[at], dat_formats[at].name, at + 1, r, calls);
		if (is_ours)
			add_others(s, r, calls);
	}
}
