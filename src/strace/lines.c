// SPDX-License-Identifier: BSD-2-Clause
/*
 * From records to lines. A line stands where its call began. The records of the last milliseconds are held, so that a
 * call whose end comes within this time is one line; one that lasts longer is printed as unfinished, and resumed later.
 */
#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/lookup.h"
#include "kernel/syscalls.h"
#include "strace_part.h"

#define HOLD_NS	   (60 * 1000 * 1000ULL)
#define ERRORS_MAX 4095

struct held {
	struct held *next;
	struct held *other; /* of a begin its end, and of an end its begin */
	bool printed;
	uint32_t from;		     /* an exec's end: the thread that began it, if that was another one; else 0 */
	struct strace_record record; /* with its blobs */
};

struct task {
	uint32_t tid, pid;
	struct held *open; /* the begin of a call whose end has not been seen; a printed one belongs to the task */
	bool alive;
};

struct strace_lines {
	const struct strace_settings *settings;
	const struct strace_set *set;
	struct output *out;
	uint32_t command; /* the command's first thread; 0: none */
	uint32_t process; /* of -p; 0: none */
	bool begun;	  /* the command executes its program: what its process did before is ours */
	bool ended;
	bool to_file;
	vec(struct task *) tasks;
	struct lookup by_tid;
	size_t alive;
	struct held *first, **last;
	struct str line;
	uint32_t unended;   /* the thread whose call stands unended in the last line; 0: none */
	uint64_t last_time; /* of the line before, for -r */
	uint64_t said_lost;
	struct strace_call *guessed[STRACE_CALLS]; /* of calls that are not in the table, when they were met */
};

struct strace_lines *strace_lines_new(const struct strace_settings *settings, const struct strace_set *set,
				      struct output *out, uint32_t command, uint32_t process)
{
	struct strace_lines *lines = base_alloc(sizeof(*lines));

	lines->settings = settings;
	lines->set = set;
	lines->out = out;
	lines->command = command;
	lines->process = process;
	lines->begun = !command;
	lines->to_file = settings->output;
	lines->last = &lines->first;
	return lines;
}

void strace_lines_free(struct strace_lines *lines)
{
	struct held *held, *next;

	if (!lines)
		return;
	for (held = lines->first; held; held = next) {
		next = held->next;
		free(held);
	}
	for (size_t i = 0; i < lines->tasks.n; i++) {
		if (lines->tasks.v[i]->open && lines->tasks.v[i]->open->printed)
			free(lines->tasks.v[i]->open);
		free(lines->tasks.v[i]);
	}
	free(lines->tasks.v);
	for (size_t i = 0; i < STRACE_CALLS; i++)
		free(lines->guessed[i]);
	lookup_release(&lines->by_tid);
	str_release(&lines->line);
	free(lines);
}

bool strace_lines_ended(const struct strace_lines *lines)
{
	return lines->ended;
}

/* --- tasks --- */

static struct task *task_of(struct strace_lines *lines, const struct strace_record *record)
{
	uint32_t hash = hash_bytes(&record->tid, sizeof(record->tid));
	struct task *task = NULL;

	lookup_each(it, &lines->by_tid, hash)
		if (lines->tasks.v[it.number]->tid == record->tid)
			task = lines->tasks.v[it.number];
	if (!task) {
		task = base_alloc(sizeof(*task));
		task->tid = record->tid;
		lookup_add(&lines->by_tid, hash, lines->tasks.n);
		*vec_push(&lines->tasks) = task;
	}
	task->pid = record->pid;
	if (!task->alive && record->kind != STRACE_ENDED) {
		task->alive = true;
		lines->alive++;
	}
	return task;
}

/* The begin of a call is forgotten: its end is printed, or will not come. */
static void close_call(struct task *task)
{
	if (task->open && task->open->printed)
		free(task->open);
	task->open = NULL;
}

static bool is_exec(const struct strace_record *record)
{
	const char *name = record->flags & STRACE_COMPAT ? syscall_name_32(record->nr) : syscall_name(record->nr);

	return name && (!strcmp(name, "execve") || !strcmp(name, "execveat"));
}

static bool is_exit(const struct strace_record *record)
{
	const char *name = record->flags & STRACE_COMPAT ? syscall_name_32(record->nr) : syscall_name(record->nr);

	return name && (!strcmp(name, "exit") || !strcmp(name, "exit_group"));
}

/* In a new task the call that made it ends, too: with 0, and without a begin. */
static bool is_birth(const struct task *task, const struct strace_record *record)
{
	const char *name = record->flags & STRACE_COMPAT ? syscall_name_32(record->nr) : syscall_name(record->nr);

	return record->kind == STRACE_EXIT && !record->ret && !task->open && name &&
	       (!strcmp(name, "clone") || !strcmp(name, "clone3") || !strcmp(name, "fork") || !strcmp(name, "vfork"));
}

/* --- parts of a line --- */

static uint64_t wall(uint64_t boot)
{
	return boot + clock_wall_offset();
}

static void add_time(struct strace_lines *lines, uint64_t time)
{
	uint64_t ns = wall(time), usec = ns % NS_PER_SEC / 1000;
	time_t seconds = ns / NS_PER_SEC;
	char text[16];
	struct tm tm;

	if (lines->settings->relative) {
		uint64_t since = lines->last_time && time > lines->last_time ? time - lines->last_time : 0;

		str_addf(&lines->line, "%6llu.%06llu ", (unsigned long long)(since / NS_PER_SEC),
			 (unsigned long long)(since % NS_PER_SEC / 1000));
		lines->last_time = time;
	}
	if (!lines->settings->times)
		return;
	if (lines->settings->times > 2) {
		str_addf(&lines->line, "%lld.%06llu ", (long long)seconds, (unsigned long long)usec);
		return;
	}
	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	str_add(&lines->line, text);
	if (lines->settings->times > 1)
		str_addf(&lines->line, ".%06llu", (unsigned long long)usec);
	str_addc(&lines->line, ' ');
}

static void add_head(struct strace_lines *lines, const struct strace_record *record)
{
	if (lines->to_file && lines->settings->follow)
		str_addf(&lines->line, "%-5u ", record->tid);
	else if (!lines->to_file && lines->alive > 1)
		str_addf(&lines->line, "[pid %5u] ", record->tid);
	add_time(lines, record->time);
}

static void add_name(struct str *out, const struct strace_record *record)
{
	const char *name = record->flags & STRACE_COMPAT ? syscall_name_32(record->nr) : syscall_name(record->nr);

	if (name)
		str_add(out, name);
	else
		str_addf(out, "syscall_%#x", record->nr);
}

/* The argument's memory comes only with the call's end. */
static bool needs_end(const struct strace_type *type)
{
	return type->steps[0].op && !type->enter && !type->both;
}

/*
 * Adds arguments from number `from` on. Returns the first that is not printed, since the call has not ended. A call
 * without a line in the table has its registers.
 */
static unsigned int add_args(struct strace_line *line, unsigned int from, unsigned int nr)
{
	const struct strace_record *record = line->enter ? line->enter : line->exit;
	unsigned int n = line->call || record->flags & STRACE_COMPAT ? STRACE_ARGS : syscall_arguments(nr), i;

	for (i = from; i < n; i++) {
		size_t before, after;

		if (line->call && !line->call->args[i])
			break;
		if (line->call && !line->exit && needs_end(line->call->args[i]))
			return i;
		before = line->out->len;
		if (i)
			str_add(line->out, ", ");
		after = line->out->len;
		if (line->call)
			line->call->args[i]->print(line, i);
		else
			str_addf(line->out, "%#llx", (unsigned long long)strace_arg(line, i));
		/* an argument that this call does not have */
		if (line->out->len == after && after > before) {
			line->out->len = before;
			line->out->data[before] = '\0';
		}
	}
	return i;
}

static void add_result(struct strace_line *line)
{
	int64_t ret = strace_ret(line);

	if (ret < 0 && ret >= -ERRORS_MAX)
		strace_error(line->out, -ret);
	else if (line->call && line->call->ret)
		line->call->ret(line);
	else
		str_add_s64(line->out, ret);
}

/* Ends the arguments, and fills up to the column of the result. */
static void add_equals(struct strace_lines *lines)
{
	size_t column = lines->settings->column;

	str_addc(&lines->line, ')');
	if (lines->line.len < column)
		str_add_fill(&lines->line, ' ', column - lines->line.len);
	str_add(&lines->line, lines->line.len > 0 && lines->line.data[lines->line.len - 1] == ' ' ? "= " : " = ");
}

static void add_took(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *exit)
{
	uint64_t ns = enter && exit->time > enter->time ? exit->time - enter->time : 0;

	if (lines->settings->took && enter)
		str_addf(&lines->line, " <%llu.%06llu>", (unsigned long long)(ns / NS_PER_SEC),
			 (unsigned long long)(ns % NS_PER_SEC / 1000));
}

static void write_line(struct strace_lines *lines, bool ended)
{
	if (ended)
		str_addc(&lines->line, '\n');
	output_bytes(lines->out, lines->line.data, lines->line.len);
	str_reset(&lines->line);
}

/* Ends a line that stands open: another one comes. */
static void end_open_line(struct strace_lines *lines)
{
	if (lines->unended)
		output_bytes(lines->out, " <unfinished ...>\n", strlen(" <unfinished ...>\n"));
	lines->unended = 0;
}

/* --- lines --- */

static const struct strace_call *call_of(struct strace_lines *lines, const struct strace_record *record)
{
	const struct strace_call *known;

	if (record->nr >= STRACE_CALLS)
		return NULL;
	if (record->flags & STRACE_COMPAT)
		return strace_call_of_32(record->nr);
	known = strace_call_of(record->nr);
	if (!known && !lines->guessed[record->nr])
		lines->guessed[record->nr] = strace_guess(record->nr);
	return known ? known : lines->guessed[record->nr];
}

static struct strace_line line_of(struct strace_lines *lines, const struct strace_record *enter,
				  const struct strace_record *exit)
{
	const struct strace_record *record = enter ? enter : exit;

	return (struct strace_line){
		.out = &lines->line,
		.settings = lines->settings,
		.call = call_of(lines, record),
		.enter = enter,
		.exit = exit,
	};
}

/* Whether -e lets a call pass: execve is recorded in any case. */
static bool is_chosen(const struct strace_lines *lines, const struct strace_record *record)
{
	return strace_set_has(lines->set, record->flags & STRACE_COMPAT ? strace_number_32(record->nr) : (int)record->nr);
}

/* Whether -z, -Z and --slower let a call pass. */
static bool passes(const struct strace_lines *lines, const struct strace_record *enter,
		   const struct strace_record *exit)
{
	bool failed = exit->ret < 0 && exit->ret >= -ERRORS_MAX;

	if (!is_chosen(lines, exit))
		return false;
	if ((lines->settings->failed && !failed) || (lines->settings->ok && failed))
		return false;
	return !lines->settings->slower || (enter && exit->time - enter->time >= lines->settings->slower);
}

static void print_row(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *exit)
{
	struct strace_line line = line_of(lines, enter, exit);
	struct str name __str = {};
	struct strace_row row = {
		.time = (enter ? enter : exit)->time,
		.ns = enter && exit->time > enter->time ? exit->time - enter->time : 0,
		.pid = exit->pid,
		.tid = exit->tid,
		.ret = exit->ret,
		.error = exit->ret < 0 && exit->ret >= -ERRORS_MAX ? exit->ret : 0,
	};

	add_name(&name, exit);
	add_args(&line, 0, exit->nr);
	memcpy(row.comm, exit->comm, sizeof(row.comm));
	row.call = name.data;
	row.args = str_or_empty(lines->line.data);
	output_row(lines->out, &row);
	str_reset(&lines->line);
}

static void print_whole(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *exit)
{
	struct strace_line line = line_of(lines, enter, exit);

	if (!passes(lines, enter, exit))
		return;
	if (!output_is_text(lines->out)) {
		print_row(lines, enter, exit);
		return;
	}
	end_open_line(lines);
	add_head(lines, enter ? enter : exit);
	add_name(&lines->line, exit);
	str_addc(&lines->line, '(');
	add_args(&line, 0, exit->nr);
	add_equals(lines);
	add_result(&line);
	add_took(lines, enter, exit);
	write_line(lines, true);
}

/* Whether calls are printed only when they have ended. */
static bool waits_for_end(const struct strace_lines *lines)
{
	return lines->settings->failed || lines->settings->ok || lines->settings->slower || !output_is_text(lines->out);
}

static void print_begin(struct strace_lines *lines, const struct strace_record *enter)
{
	struct strace_line line = line_of(lines, enter, NULL);
	unsigned int shown;

	if (waits_for_end(lines) || !is_chosen(lines, enter))
		return;
	end_open_line(lines);
	add_head(lines, enter);
	add_name(&lines->line, enter);
	str_addc(&lines->line, '(');
	shown = add_args(&line, 0, enter->nr);
	if (is_exit(enter)) {
		add_equals(lines);
		str_addc(&lines->line, '?');
		write_line(lines, true);
		return;
	}
	if (shown && line.call && shown < STRACE_ARGS && line.call->args[shown])
		str_add(&lines->line, ", ");
	write_line(lines, false);
	lines->unended = enter->tid;
}

static void print_end(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *exit)
{
	struct strace_line line = line_of(lines, enter, exit), begin = line_of(lines, enter, NULL);
	unsigned int shown;

	if (waits_for_end(lines) || !is_chosen(lines, exit)) {
		print_whole(lines, enter, exit);
		return;
	}
	/* what was printed at the begin decides what is left */
	shown = add_args(&begin, 0, enter->nr);
	str_reset(&lines->line);
	if (lines->unended == enter->tid) {
		lines->unended = 0;
	} else {
		end_open_line(lines);
		add_head(lines, exit);
		str_add(&lines->line, "<... ");
		add_name(&lines->line, exit);
		str_add(&lines->line, " resumed>");
	}
	if (line.call) {
		size_t before = lines->line.len;

		add_args(&line, shown, exit->nr);
		/* the separator stands at the end of the begin */
		if (shown && lines->line.len > before + 1 && !strncmp(lines->line.data + before, ", ", 2)) {
			memmove(lines->line.data + before, lines->line.data + before + 2, lines->line.len - before - 1);
			lines->line.len -= 2;
		}
	}
	add_equals(lines);
	add_result(&line);
	add_took(lines, enter, exit);
	write_line(lines, true);
}

/* A thread ends within a call. */
static void print_killed(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *end)
{
	if (waits_for_end(lines) || is_exit(enter) || !is_chosen(lines, enter))
		return;
	if (lines->unended == end->tid) {
		lines->unended = 0;
	} else {
		end_open_line(lines);
		add_head(lines, end);
		str_add(&lines->line, "<... ");
		add_name(&lines->line, enter);
		str_add(&lines->line, " resumed>");
	}
	str_add(&lines->line, " <unfinished ...>");
	add_equals(lines);
	str_addc(&lines->line, '?');
	write_line(lines, true);
}

/* --- signals and ends --- */

static void print_signal(struct strace_lines *lines, const struct strace_record *record)
{
	/* a task never sees its SIGKILL; its end says it */
	if (!output_is_text(lines->out) || record->nr == SIGKILL)
		return;
	end_open_line(lines);
	add_head(lines, record);
	str_add(&lines->line, "--- ");
	strace_signal(&lines->line, record->nr);
	str_addc(&lines->line, ' ');
	strace_siginfo(&lines->line, record);
	str_add(&lines->line, " ---");
	write_line(lines, true);
}

static void print_ended(struct strace_lines *lines, const struct strace_record *record)
{
	int status = record->ret;

	if (!output_is_text(lines->out) || lines->settings->quiet > 1)
		return;
	end_open_line(lines);
	add_head(lines, record);
	if (status & 0x7f) {
		str_add(&lines->line, "+++ killed by ");
		strace_signal(&lines->line, status & 0x7f);
		str_add(&lines->line, status & 0x80 ? " (core dumped) +++" : " +++");
	} else {
		str_addf(&lines->line, "+++ exited with %d +++", status >> 8 & 0xff);
	}
	write_line(lines, true);
}

/* --- the queue --- */

/* Before the command executes its program its process is ours. Exec tries the directories of PATH one by one. */
static bool is_ours(struct strace_lines *lines, const struct strace_record *record)
{
	if (lines->begun || record->tid != lines->command)
		return false;
	return record->kind != STRACE_ENTER || !is_exec(record);
}

/* Whose call ends here; NULL: its begin is not known. A thread that executes a program gets its process's number. */
static struct task *opener(struct strace_lines *lines, struct task *task, const struct strace_record *exit)
{
	if (task->open && task->open->record.nr == exit->nr)
		return task;
	for (size_t i = 0; is_exec(exit) && !exit->ret && i < lines->tasks.n; i++) {
		struct task *other = lines->tasks.v[i];

		if (other->pid == exit->pid && other->open && other->open->record.nr == exit->nr)
			return other;
	}
	return NULL;
}

void strace_lines_add(struct strace_lines *lines, const struct strace_record *record, size_t size)
{
	struct task *task, *from;
	struct held *held;

	if (size < sizeof(*record) || record->size > size - sizeof(*record))
		return;
	task = task_of(lines, record);
	if (!lines->begun && record->tid == lines->command && record->kind == STRACE_EXIT && is_exec(record) &&
	    !record->ret && task->open)
		lines->begun = true;
	else if (is_ours(lines, record) || is_birth(task, record))
		return;
	held = base_alloc(sizeof(*held) + record->size);
	memcpy(&held->record, record, sizeof(*record) + record->size);
	/* the program cannot tell syscall(-1) from a return from a signal */
	if (record->kind == STRACE_EXIT && task->open && task->open->record.nr == UINT32_MAX)
		held->record.nr = UINT32_MAX;
	/* the new program may be of the other kind, with another number for the call that it returns from */
	if (record->kind == STRACE_EXIT && task->open && is_exec(record) && is_exec(&task->open->record)) {
		held->record.nr = task->open->record.nr;
		held->record.flags = task->open->record.flags;
	}
	if (record->kind == STRACE_ENTER) {
		/* a begin without an end: of the command's exec that failed, or its end was lost */
		close_call(task);
		task->open = held;
	} else if (record->kind == STRACE_EXIT && (from = opener(lines, task, &held->record))) {
		held->other = from->open;
		from->open->other = held;
		from->open = NULL;
		held->from = from == task ? 0 : from->tid;
	}
	*lines->last = held;
	lines->last = &held->next;
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
	for (size_t i = 0; i < lines->tasks.n; i++)
		if (lines->tasks.v[i]->tid == tid)
			bury(lines, lines->tasks.v[i]);
}

/* Whether nothing more comes from what the user has named, if its children are not followed. */
static bool is_last(const struct strace_lines *lines, const struct strace_record *record)
{
	if (record->tid == lines->command || record->tid == lines->process)
		return record->flags & STRACE_LAST || !lines->settings->follow;
	return record->flags & STRACE_LAST && (record->pid == lines->command || record->pid == lines->process);
}

/* Prints the first of the queue. False: it waits for its end. */
static bool print_first(struct strace_lines *lines, uint64_t now, bool last)
{
	struct held *held = lines->first;
	const struct strace_record *record = &held->record;
	struct task *task = task_of(lines, record);

	switch (record->kind) {
	case STRACE_ENTER:
		if (held->other) {
			print_whole(lines, record, &held->other->record);
			held->other->printed = true;
			break;
		}
		if (!is_exit(record) && !last && now < record->time + HOLD_NS)
			return false;
		/* the command's exec that failed: the next directory of PATH is tried */
		if (task->open != held)
			break;
		print_begin(lines, record);
		held->printed = true;
		break;
	case STRACE_EXIT:
		if (held->from)
			forget_thread(lines, held->from);
		if (held->printed)
			break;
		if (held->other) {
			print_end(lines, &held->other->record, record);
			free(held->other);
		} else {
			print_whole(lines, NULL, record);
		}
		break;
	case STRACE_SIGNAL:
		print_signal(lines, record);
		break;
	case STRACE_ENDED:
		/* a begin that is younger is of the thread that has the number now */
		if (task->open && task->open->record.time <= record->time) {
			if (task->open->printed)
				print_killed(lines, &task->open->record, record);
			close_call(task);
		}
		print_ended(lines, record);
		bury(lines, task);
		lines->ended = lines->ended || is_last(lines, record);
		break;
	}
	return true;
}

/* Threads that have ended are forgotten now and then. */
static void forget_ended(struct strace_lines *lines)
{
	size_t n = 0;

	if (lines->tasks.n < 1024 || lines->tasks.n < 2 * lines->alive)
		return;
	lookup_reset(&lines->by_tid);
	for (size_t i = 0; i < lines->tasks.n; i++) {
		struct task *task = lines->tasks.v[i];

		if (!task->alive && !task->open) {
			free(task);
			continue;
		}
		lookup_add(&lines->by_tid, hash_bytes(&task->tid, sizeof(task->tid)), n);
		lines->tasks.v[n++] = task;
	}
	lines->tasks.n = n;
}

int strace_lines_print(struct strace_lines *lines, uint64_t now, bool last)
{
	forget_ended(lines);
	while (lines->first) {
		struct held *held = lines->first;
		bool kept;

		if (!print_first(lines, now, last))
			return HOLD_NS / NS_PER_MS;
		kept = held->record.kind == STRACE_ENTER && held->printed;
		lines->first = held->next;
		if (!lines->first)
			lines->last = &lines->first;
		held->next = NULL;
		if (!kept)
			free(held);
	}
	if (last)
		end_open_line(lines);
	return -1;
}

void strace_lines_lost(struct strace_lines *lines, uint64_t lost)
{
	if (lost == lines->said_lost || !output_is_text(lines->out))
		return;
	end_open_line(lines);
	str_addf(&lines->line, "... %llu record%s of calls lost ...", (unsigned long long)(lost - lines->said_lost),
		 str_plural(lost - lines->said_lost));
	write_line(lines, true);
	lines->said_lost = lost;
}
