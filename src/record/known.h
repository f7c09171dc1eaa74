/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kinds and fields that reports and converters understand, by name. A recording may have others, which are shown as
 * they are described; and any field may be missing. The recorder takes the names from here.
 */
#ifndef SONDE_RECORD_KNOWN_H
#define SONDE_RECORD_KNOWN_H

/*
 *	switch		prev prev_state prev_prio next next_prio; if prev waits: syscall (-1: a page fault or the kernel's
 *			own) arg iowait; prev_passes (0: the filters pass only next)
 *	waking		task target_cpu prio waker (-1: an interrupt; missing: whoever is running there)
 *	migrate		task from_cpu target_cpu
 *	fork		task (the parent) child child_process [comm]
 *	exec		task old_task [comm] filename (CHARS or TEXT)
 *	comm		task comm
 *	exit		task code (as of wait(2)) last (1: of its process) comm
 *	sys_enter	task syscall args (WORDS)
 *	sys_exit	task syscall ret
 *	block_issue	current device sector bytes request (the same in both) op
 *	block_complete	current device sector bytes request op status
 *	probe		task probe site (0 entry, 1 return) args (WORDS; a return's first is the result) stack
 *	mark		task text
 *	wait		task text woken (when it was woken; 0: not yet) waker iowait: what it slept for until now
 *	call		task probe (the function) depth took ended (0: it has not returned, took is not known) ret
 *			returned (0: ret is not known) result (ret as text) text (its arguments) track (a text: calls
 *			of no thread; 0: of their task) user (0: a function of the kernel). Its time is its begin
 *	request		task begin lasted number part (1 a whole one, 2 the same of one behind, 3 a step of it,
 *			4 what a thread did for it) connection text client server args (WORDS: of those asked for)
 * waking, migrate, wait and request: `task` is the one that is moved, or waited. Elsewhere it may be missing where it
 * is the task that runs: the reader knows it from the switches. `current`: who runs, of a kind that concerns no task.
 */
#define KNOWN_KINDS(X) \
	X(SWITCH, "switch") \
	X(WAKING, "waking") \
	X(MIGRATE, "migrate") \
	X(FORK, "fork") \
	X(EXEC, "exec") \
	X(COMM, "comm") \
	X(EXIT, "exit") \
	X(SYS_ENTER, "sys_enter") \
	X(SYS_EXIT, "sys_exit") \
	X(BLOCK_ISSUE, "block_issue") \
	X(BLOCK_COMPLETE, "block_complete") \
	X(PROBE, "probe") \
	X(MARK, "mark") \
	X(WAIT, "wait") \
	X(CALL, "call") \
	X(REQUEST, "request")

#define KNOWN_FIELDS(X) \
	X(TASK, "task") \
	X(PROCESS, "process") \
	X(CURRENT, "current") \
	X(PREV, "prev") \
	X(PREV_STATE, "prev_state") \
	X(PREV_PRIO, "prev_prio") \
	X(PREV_PASSES, "prev_passes") \
	X(NEXT, "next") \
	X(NEXT_PRIO, "next_prio") \
	X(PRIO, "prio") \
	X(WAKER, "waker") \
	X(WOKEN, "woken") \
	X(FROM_CPU, "from_cpu") \
	X(TARGET_CPU, "target_cpu") \
	X(SYSCALL, "syscall") \
	X(ARG, "arg") \
	X(IOWAIT, "iowait") \
	X(CHILD, "child") \
	X(CHILD_PROCESS, "child_process") \
	X(COMM, "comm") \
	X(FILENAME, "filename") \
	X(OLD_TASK, "old_task") \
	X(LAST, "last") \
	X(REQUEST, "request") \
	X(CODE, "code") \
	X(ARGS, "args") \
	X(RET, "ret") \
	X(DEVICE, "device") \
	X(SECTOR, "sector") \
	X(BYTES, "bytes") \
	X(OP, "op") \
	X(STATUS, "status") \
	X(PROBE, "probe") \
	X(SITE, "site") \
	X(STACK, "stack") \
	X(TEXT, "text") \
	X(DEPTH, "depth") \
	X(TOOK, "took") \
	X(ENDED, "ended") \
	X(RETURNED, "returned") \
	X(USER, "user") \
	X(RESULT, "result") \
	X(TRACK, "track") \
	X(BEGIN, "begin") \
	X(LASTED, "lasted") \
	X(NUMBER, "number") \
	X(PART, "part") \
	X(CONNECTION, "connection") \
	X(CLIENT, "client") \
	X(SERVER, "server")

#define KNOWN_ID(id, name) KNOWN_##id,
enum known_kind {
	KNOWN_KINDS(KNOWN_ID)
	KNOWN_KINDS_N
};
#undef KNOWN_ID
#define KNOWN_ID(id, name) KNOWN_F_##id,
enum known_field {
	KNOWN_FIELDS(KNOWN_ID)
	KNOWN_FIELDS_N
};
#undef KNOWN_ID

extern const char *const known_kinds[KNOWN_KINDS_N];
extern const char *const known_fields[KNOWN_FIELDS_N];

#endif
