// SPDX-License-Identifier: BSD-2-Clause
/*
 * From records to lines: their order. A line stands where its call began. The records of the last milliseconds are
 * held, so that a call whose end comes within this time is one line; one that lasts longer is printed as unfinished,
 * and resumed later.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "base/report.h"
#include "kernel/syscalls.h"
#include "lines_part.h"

#define HOLD_NS (60 * 1000 * 1000ULL)

/* How long a call may take that does not leave its processor: only then is its begin known. */
#define RUN_NS (10 * 1000 * 1000ULL)

/* The most records, or calls, that one is compared with. Records may be foreign. */
#define LOOK_MAX 1024

/* Of held.record, beside enum strace_kind: that records were lost here; ret: how many. */
#define HELD_LOST 0xffff

struct held {
	struct held *next, *prev;
	struct held *other; /* of a begin its end, and of an end its begin */
	bool printed;
	bool ours;		      /* a begin before that of the command: exec tries a directory of PATH */
	bool begins;		      /* the end of the execve with which the command begins */
	uint64_t stack;		      /* of a begin, with -k; 0: none */
	uint32_t from;		      /* an exec's end: the thread that began it, if that was another one; else 0 */
	uint32_t by;		      /* of an end of a thread: the thread that has executed a program instead; else 0 */
	const char *before;	      /* of a call: the one before; NULL: not known */
	struct strace_record *beside; /* of an end: what other programs know; NULL: nothing */
	struct strace_record record;  /* with its blobs */
};

struct strace_lines *strace_lines_new(const struct strace_settings *settings, struct output *out, uint32_t command)
{
	struct strace_lines *lines = base_alloc(sizeof(*lines));

	lines->settings = settings;
	lines->unabridged = *settings;
	lines->unabridged.whole = true;
	lines->out = out;
	lines->command = command;
	lines->begun = !command;
	lines->sink = &lines->all;
	return lines;
}

void strace_lines_free(struct strace_lines *lines)
{
	struct held *held, *next;

	if (!lines)
		return;
	for (size_t i = 0; i < lines->tasks.n; i++) {
		if (lines->tasks.v[i]->open && lines->tasks.v[i]->open->printed)
			free(lines->tasks.v[i]->open);
		if (lines->tasks.v[i]->sink.file)
			fclose(lines->tasks.v[i]->sink.file);
		free(lines->tasks.v[i]->beside);
		free(lines->tasks.v[i]);
	}
	for (held = lines->first; held; held = next) {
		next = held->next;
		if (held->record.kind == STRACE_EXIT && !held->printed && held->other && held->other->printed)
			free(held->other);
		/* a begin that was not printed is freed here, before its end */
		if (held->record.kind == STRACE_ENTER && held->other)
			held->other->other = NULL;
		free(held->beside);
		free(held);
	}
	free(lines->tasks.v);
	free(lines->named);
	for (size_t i = 0; i < STRACE_CALLS; i++)
		free(lines->guessed[i]);
	lookup_release(&lines->by_tid);
	str_release(&lines->line);
	free(lines);
}

void strace_lines_set_stacks(struct strace_lines *lines, struct stacks *stacks)
{
	lines->stacks = stacks;
}

void strace_lines_set_beside(struct strace_lines *lines, const struct strace_beside *beside, void *state)
{
	lines->says = beside;
	lines->says_state = state;
}

bool strace_lines_failed(const struct strace_lines *lines)
{
	return lines->failed;
}

void strace_lines_set_armed(struct strace_lines *lines, uint64_t armed)
{
	lines->armed = armed;
}

void strace_lines_set_most(struct strace_lines *lines, size_t most)
{
	lines->most = most;
}

uint64_t strace_lines_unended(const struct strace_lines *lines)
{
	return lines->unended;
}

void strace_lines_say_unended(const struct strace_lines *lines)
{
	if (lines->unended)
		report_note("%llu call%s without an end: it was skipped by the kernel, or lost",
			    (unsigned long long)lines->unended, str_plural(lines->unended));
}

bool strace_lines_ended(const struct strace_lines *lines)
{
	return lines->ended;
}

/* --- tasks --- */

struct task *strace_find_task(const struct strace_lines *lines, uint32_t tid)
{
	lookup_each(it, &lines->by_tid, hash_bytes(&tid, sizeof(tid)))
		if (lines->tasks.v[it.number]->tid == tid)
			return lines->tasks.v[it.number];
	return NULL;
}

static struct task *task_of(struct strace_lines *lines, const struct strace_record *record)
{
	struct task *task = strace_find_task(lines, record->tid);

	if (!task) {
		task = base_alloc(sizeof(*task));
		task->tid = record->tid;
		lookup_add(&lines->by_tid, hash_bytes(&task->tid, sizeof(task->tid)), lines->tasks.n);
		*vec_push(&lines->tasks) = task;
	}
	task->pid = record->pid;
	return task;
}

bool strace_is_exec(const struct strace_record *record)
{
	const char *name = strace_name_of_call(record);

	return name && (!strcmp(name, "execve") || !strcmp(name, "execveat"));
}

bool strace_is_in_exec(const struct task *task)
{
	return task->open && strace_is_exec(&task->open->record);
}

/* The call that the task is in, NULL: none. Those in an exec are in a list, the newest first. */
static void set_open(struct strace_lines *lines, struct task *task, struct held *held)
{
	if (strace_is_in_exec(task)) {
		*(task->exec_before ? &task->exec_before->exec_next : &lines->execs) = task->exec_next;
		if (task->exec_next)
			task->exec_next->exec_before = task->exec_before;
		task->exec_next = task->exec_before = NULL;
	}
	task->open = held;
	if (held && strace_is_exec(&held->record)) {
		task->exec_next = lines->execs;
		if (lines->execs)
			lines->execs->exec_before = task;
		lines->execs = task;
		strace_begin_exec(lines, task);
	}
}

/* The begin of a call is forgotten: its end will not come. */
static void close_call(struct strace_lines *lines, struct task *task)
{
	struct held *open = task->open;

	set_open(lines, task, NULL);
	if (open && open->printed)
		free(open);
}

/* In a new task the call that made it ends, too: with 0, and without a begin. */
static bool is_birth(const struct task *task, const struct strace_record *record)
{
	const char *name = strace_name_of_call(record);

	return record->kind == STRACE_EXIT && !record->ret && !record->began && !task->open && name &&
	       (!strcmp(name, "clone") || !strcmp(name, "clone3") || !strcmp(name, "fork") || !strcmp(name, "vfork"));
}

/* --- the queue --- */

/* A line stands where its call began. */
static uint64_t place_of(const struct strace_record *record)
{
	return record->began ? record->began : record->time;
}

/*
 * Records come in the order in which they were made, mostly that of the lines; those of a thread stay in this order,
 * and so do the ends of a call, which may be of two threads.
 */
static void insert(struct strace_lines *lines, struct held *held)
{
	struct held *before = lines->last;

	for (size_t i = 0; i < LOOK_MAX && before && before != held->other && before->record.tid != held->record.tid &&
			   place_of(&before->record) > place_of(&held->record);
	     i++)
		before = before->prev;
	held->prev = before;
	held->next = before ? before->next : lines->first;
	if (before)
		before->next = held;
	else
		lines->first = held;
	if (held->next)
		held->next->prev = held;
	else
		lines->last = held;
	lines->n_held++;
}

/* The caller frees it. */
static void remove_first(struct strace_lines *lines)
{
	struct held *held = lines->first;

	lines->first = held->next;
	if (lines->first)
		lines->first->prev = NULL;
	else
		lines->last = NULL;
	held->next = NULL;
	lines->n_held--;
}

/* Before the command executes its program its process is ours. Exec tries the directories of PATH one by one. */
static bool is_ours(struct strace_lines *lines, const struct strace_record *record)
{
	if (lines->begun || record->tid != lines->command)
		return false;
	return record->kind != STRACE_ENTER || !strace_is_exec(record);
}

/* Whether it is the end of a call that began before all programs were attached. */
static bool is_too_early(const struct strace_lines *lines, const struct task *task, const struct strace_record *record)
{
	return record->kind == STRACE_EXIT && !record->began && !task->open && record->time < lines->armed;
}

bool strace_lines_is_in_call(const struct strace_lines *lines, uint32_t tid, uint64_t since)
{
	const struct task *task = strace_find_task(lines, tid);

	return task && (task->open || task->seen > since);
}

/*
 * Whether the task is in this call, as it was asked for when sonde attached, and the record is of it: its begin comes
 * later, or its end knows when it began.
 */
static bool is_asked(const struct task *task, const struct strace_record *record)
{
	const struct strace_record *open = task->open ? &task->open->record : NULL;

	return open && open->flags & STRACE_ASKED && open->nr == record->nr &&
	       (open->flags & STRACE_COMPAT) == (record->flags & STRACE_COMPAT) &&
	       (record->kind == STRACE_ENTER || record->time >= open->time);
}

/* What a record knows of a call that was asked for. */
static void learn_of_asked(struct task *task, struct strace_record *record)
{
	if (record->began)
		task->open->record.began = record->began;
	record->began = 0;
}

/* Whose call ends here; NULL: its begin is not known. A thread that executes a program gets its process's number. */
static struct task *opener(struct strace_lines *lines, struct task *task, const struct strace_record *exit)
{
	if (task->open && task->open->record.nr == exit->nr)
		return task->open->record.flags & STRACE_ASKED && !is_asked(task, exit) ? NULL : task;
	if (!strace_is_exec(exit) || exit->ret)
		return NULL;
	task = lines->execs;
	for (size_t i = 0; i < LOOK_MAX && task; i++, task = task->exec_next)
		if (task->pid == exit->pid && task->open->record.nr == exit->nr)
			return task;
	return NULL;
}

/* The first thread has ended since another one has executed a program, and gets its number. */
static void supersede(struct strace_lines *lines, const struct held *exit)
{
	struct held *held = exit->from ? lines->last : NULL;

	for (size_t i = 0; i < LOOK_MAX && held; i++, held = held->prev)
		if (held->record.kind == STRACE_ENDED && held->record.tid == exit->record.tid)
			held->by = exit->from;
	if (exit->from)
		strace_replace_named(lines, exit->from, exit->record.pid);
}

bool strace_has_end(const struct strace_lines *lines, uint32_t tid)
{
	const struct held *held = lines->last;

	for (size_t i = 0; i < LOOK_MAX && held; i++, held = held->prev)
		if (held->record.kind == STRACE_ENDED && held->record.tid == tid)
			return true;
	return false;
}

/* What other programs know of the call of this task that ends next. */
static void keep_beside(struct task *task, const struct strace_record *record)
{
	size_t size = sizeof(*record) + record->size;

	free(task->beside);
	task->beside = base_alloc(size);
	memcpy(task->beside, record, size);
}

/* Whether it is of this call that has ended: a record of either may have been lost. -1: a number is not known. */
static bool is_beside(const struct strace_record *beside, const struct held *held)
{
	const struct strace_record *exit = &held->record;
	uint64_t began = exit->began ? exit->began : held->other ? held->other->record.time
								 : 0;

	return beside->ret == exit->ret && beside->time >= began &&
	       (beside->nr == exit->nr || beside->nr == UINT32_MAX);
}

static void take_beside(struct task *task, struct held *exit)
{
	if (task->beside && is_beside(task->beside, exit))
		exit->beside = task->beside;
	else
		free(task->beside);
	task->beside = NULL;
}

/* The number of the call that has ended, where only its begin has the right one. enter: NULL: it is not known. */
static void number_by_begin(struct strace_record *exit, const struct strace_record *enter)
{
	/* syscall(-1), or a return from a signal, which has lost its number */
	if (exit->nr == UINT32_MAX)
		exit->nr = enter && (enter->nr == UINT32_MAX || strace_is_restore(enter)) ? enter->nr : strace_restore_of(exit);
	if (!enter)
		return;
	/* the new program may be of the other kind, with another number for the call that it returns from */
	if (strace_is_exec(exit) && strace_is_exec(enter)) {
		exit->nr = enter->nr;
		exit->flags = enter->flags;
	}
}

/* The programs know -1 only with returns from signals: it is another call, or one of those that is not in the set. */
static bool is_outside(const struct strace_lines *lines, const struct strace_record *record,
		       const struct strace_record *numbered)
{
	return record->nr == UINT32_MAX && (record->kind == STRACE_ENTER || record->kind == STRACE_EXIT) &&
	       !strace_set_has(&lines->settings->trace, numbered->nr, numbered->flags & STRACE_COMPAT);
}

/* A begin without an end: of the command's exec that failed, or its end was lost. */
static void close_unended(struct strace_lines *lines, struct task *task, const struct strace_record *next)
{
	const struct strace_record *open = task->open ? &task->open->record : NULL;

	if (next->kind != STRACE_ENTER && next->kind != STRACE_UNENDED && (next->kind != STRACE_EXIT || !next->began))
		return;
	/* an unended call is another one than that whose begin was seen */
	lines->unended += next->kind == STRACE_UNENDED;
	lines->unended += open && !task->open->ours && !(open->flags & STRACE_ASKED) && !strace_is_exit(open);
	close_call(lines, task);
}

void strace_lines_add(struct strace_lines *lines, const struct strace_record *record, size_t size)
{
	struct task *task, *from;
	struct held *held;
	bool begins;

	if (size < sizeof(*record) || record->size > size - sizeof(*record) || record->kind > STRACE_BESIDE)
		return;
	task = task_of(lines, record);
	if (record->time > task->seen)
		task->seen = record->time;
	if (record->kind == STRACE_BESIDE) {
		/* a recording has none of its own */
		if (lines->says)
			keep_beside(task, record);
		return;
	}
	begins = !lines->begun && record->tid == lines->command && record->kind == STRACE_EXIT && strace_is_exec(record) &&
		 !record->ret && task->open;
	if (begins)
		lines->begun = true;
	else if (strace_has_left(lines, record) || is_ours(lines, record) || is_birth(task, record) ||
		 is_too_early(lines, task, record) || (record->kind == STRACE_ENTER && is_asked(task, record)))
		return;
	if (record->kind == STRACE_STACK) {
		if (task->open && task->open->record.nr == record->nr)
			task->open->stack = record->ret;
		return;
	}
	held = base_alloc(sizeof(*held) + record->size);
	held->begins = begins;
	held->ours = !lines->begun && record->tid == lines->command;
	memcpy(&held->record, record, sizeof(*record) + record->size);
	if (record->kind == STRACE_EXIT && record->flags & STRACE_COMPAT)
		held->record.ret = strace_result_32(record->ret);
	if (record->kind == STRACE_EXIT)
		number_by_begin(&held->record, task->open ? &task->open->record : NULL);
	if (record->kind == STRACE_EXIT && is_asked(task, &held->record))
		learn_of_asked(task, &held->record);
	if (is_outside(lines, record, &held->record)) {
		free(held);
		return;
	}
	close_unended(lines, task, &held->record);
	if (record->kind == STRACE_ENTER)
		set_open(lines, task, held);
	else if (record->kind == STRACE_EXIT && !held->record.began && (from = opener(lines, task, &held->record))) {
		held->other = from->open;
		from->open->other = held;
		set_open(lines, from, NULL);
		held->from = from == task ? 0 : from->tid;
		supersede(lines, held);
	}
	held->before = task->before;
	if (record->kind == STRACE_EXIT) {
		task->before = strace_name_of_call(&held->record);
		take_beside(task, held);
	}
	insert(lines, held);
}

static void bury(struct strace_lines *lines, struct task *task)
{
	if (task->alive)
		lines->alive--;
	task->alive = false;
}

/* The thread has become another one, by exec. */
static void forget_thread(struct strace_lines *lines, uint32_t tid)
{
	struct task *task = strace_find_task(lines, tid);

	if (task)
		bury(lines, task);
}

/* -b: a process that has executed a program sends no more. */
static void leave(struct strace_lines *lines, const struct strace_record *exit)
{
	struct named *named = strace_named_of(lines, exit);

	if (!lines->settings->detach || !strace_is_exec(exit) || exit->ret)
		return;
	for (size_t i = 0; i < lines->tasks.n; i++)
		if (lines->tasks.v[i]->pid == exit->pid)
			bury(lines, lines->tasks.v[i]);
	if (named) {
		named->left = true;
		strace_end_named(lines, named);
	}
}

/* Counted here and not when its first record came: the number decides how this line begins. */
static void revive(struct strace_lines *lines, struct task *task, const struct strace_record *record)
{
	if (task->alive || record->kind == STRACE_ENDED)
		return;
	task->alive = true;
	lines->alive++;
}

/*
 * Until when the first of the queue waits: for its end, or for a call of another thread that began before it and still
 * runs. 0: it can be printed.
 */
static uint64_t waits_until(const struct strace_lines *lines, uint64_t now)
{
	const struct held *held = lines->first;
	const struct strace_record *record = &held->record;
	uint64_t until = 0;

	if (lines->alive > 1)
		until = place_of(record) + RUN_NS;
	if (record->kind == STRACE_ENTER && !held->other && !strace_is_exit(record) && record->time + HOLD_NS > until)
		until = record->time + HOLD_NS;
	return now < until ? until : 0;
}

/* A begin that is younger is of the thread that has the number now. */
static void print_ended(struct strace_lines *lines, struct task *task, const struct held *held)
{
	const struct strace_record *record = &held->record;

	if (task->open && task->open->record.time <= record->time) {
		if (task->open->printed)
			strace_print_killed(lines, &task->open->record, record);
		close_call(lines, task);
	}
	strace_print_ended(lines, record, held->by);
	if (lines->sink == &task->sink)
		strace_print_close(lines, lines->sink);
	bury(lines, task);
	strace_end_by(lines, record);
}

static void print_first(struct strace_lines *lines)
{
	struct held *held = lines->first;
	const struct strace_record *record = &held->record;
	struct task *task = task_of(lines, record);

	strace_print_of(lines, task);
	lines->interrupted = held->before;
	lines->beside = record->kind == STRACE_ENTER && held->other ? held->other->beside : held->beside;
	/* the begin of a printed call is gone */
	lines->stack = record->kind == STRACE_EXIT && held->other && !held->printed ? held->other->stack : held->stack;
	if (record->kind == STRACE_ENTER || record->kind == STRACE_EXIT) {
		task->nr = record->nr;
		task->has_nr = true;
	}
	switch (record->kind) {
	case STRACE_ENTER:
		/* an exec that ends in another thread is two lines */
		if (held->other && !held->other->from) {
			strace_print_whole(lines, record, &held->other->record);
			held->other->printed = true;
			break;
		}
		/* the command's exec that failed: the next directory of PATH is tried */
		if (!held->other && task->open != held && held->ours)
			break;
		strace_print_begin(lines, record, held->other ? &held->other->record : NULL);
		/* nobody has it any more if its thread has gone on without its end */
		held->printed = held->other || task->open == held;
		break;
	case STRACE_UNENDED:
		strace_print_unended(lines, record);
		break;
	case STRACE_EXIT:
		if (held->from)
			forget_thread(lines, held->from);
		if (!held->begins)
			leave(lines, record);
		if (held->printed)
			break;
		if (held->other) {
			strace_print_end(lines, &held->other->record, record);
			free(held->other);
		} else {
			strace_print_whole(lines, NULL, record);
		}
		break;
	case STRACE_SIGNAL:
		strace_print_signal(lines, record);
		break;
	case STRACE_ENDED:
		print_ended(lines, task, held);
		break;
	}
}

/* Threads that have ended are forgotten now and then. */
static void forget_ended(struct strace_lines *lines)
{
	size_t n = 0;

	if (lines->tasks.n < 1024 || lines->tasks.n < 2 * lines->alive || lines->tasks.n < 2 * lines->tasks_kept)
		return;
	lookup_reset(&lines->by_tid);
	for (size_t i = 0; i < lines->tasks.n; i++) {
		struct task *task = lines->tasks.v[i];

		if (!task->alive && !task->open) {
			strace_print_close(lines, &task->sink);
			free(task->beside);
			free(task);
			continue;
		}
		lookup_add(&lines->by_tid, hash_bytes(&task->tid, sizeof(task->tid)), n);
		lines->tasks.v[n++] = task;
	}
	lines->tasks.n = lines->tasks_kept = n;
}

static void close_sinks(struct strace_lines *lines)
{
	strace_print_close(lines, &lines->all);
	for (size_t i = 0; i < lines->tasks.n; i++)
		strace_print_close(lines, &lines->tasks.v[i]->sink);
}

static void print_lost(struct strace_lines *lines, uint64_t lost)
{
	struct str text __str = {};

	str_addf(&text, "... %llu record%s of calls lost ...", (unsigned long long)lost, str_plural(lost));
	strace_print_note(lines, text.data);
}

/* Prints what can be printed. Returns until when the next one waits; 0: there is none. */
static uint64_t print_queue(struct strace_lines *lines, uint64_t now, bool last)
{
	while (lines->first) {
		struct held *held = lines->first;
		uint64_t until;

		if (held->record.kind == HELD_LOST) {
			print_lost(lines, held->record.ret);
			remove_first(lines);
			free(held);
			continue;
		}
		revive(lines, task_of(lines, &held->record), &held->record);
		until = last || (lines->most && lines->n_held > lines->most) ? 0 : waits_until(lines, now);
		if (until)
			return until;
		print_first(lines);
		remove_first(lines);
		if (held->record.kind != STRACE_ENTER || !held->printed) {
			free(held->beside);
			free(held);
		}
	}
	return 0;
}

int strace_lines_print(struct strace_lines *lines, uint64_t now, bool last)
{
	uint64_t until;

	forget_ended(lines);
	until = print_queue(lines, now, last);
	if (last)
		close_sinks(lines);
	for (size_t i = 0; strace_is_separate(lines->settings) && i < lines->tasks.n; i++)
		strace_print_flush(&lines->tasks.v[i]->sink);
	return until ? (int)((until - now) / NS_PER_MS) + 1 : -1;
}

void strace_lines_lost(struct strace_lines *lines, uint64_t lost)
{
	struct held *held;

	if (lost == lines->said_lost)
		return;
	if (lines->last && lines->last->record.kind == HELD_LOST) {
		lines->last->record.ret += lost - lines->said_lost;
	} else if (lines->last) {
		held = base_alloc(sizeof(*held));
		held->record.kind = HELD_LOST;
		held->record.time = place_of(&lines->last->record);
		held->record.ret = lost - lines->said_lost;
		insert(lines, held);
	} else {
		print_lost(lines, lost - lines->said_lost);
	}
	lines->said_lost = lost;
}
