// SPDX-License-Identifier: BSD-2-Clause
/* The lines themselves: heads, names, arguments, results, and where they go. It knows no order of records. */
#include <signal.h>

#include "base/report.h"
#include "base/word.h"
#include "kernel/syscalls.h"
#include "lines_part.h"
#include "types.h"

const char *strace_name_of_call(const struct strace_record *record)
{
	return record->flags & STRACE_COMPAT ? syscall_name_32(record->nr) : syscall_name(record->nr);
}

bool strace_is_exit(const struct strace_record *record)
{
	const char *name = strace_name_of_call(record);

	return name && (!strcmp(name, "exit") || !strcmp(name, "exit_group"));
}

bool strace_is_restore(const struct strace_record *record)
{
	const char *name = strace_name_of_call(record);

	return name && word_is_in(name, "rt_sigreturn sigreturn");
}

unsigned int strace_restore_of(const struct strace_record *record)
{
	return record->flags & STRACE_COMPAT ? STRACE_RETURN_32 : (unsigned int)syscall_number("rt_sigreturn");
}

/* --- parts of a line --- */

/* -n. At signals and ends the call before is known only if all are recorded. */
static void add_number(struct strace_lines *lines, const struct strace_record *record)
{
	bool is_call = record->kind == STRACE_ENTER || record->kind == STRACE_EXIT || record->kind == STRACE_UNENDED;

	if (is_call || (lines->task->has_nr && !lines->settings->trace.any))
		str_addf(&lines->line, "[%4d] ", (int)(is_call ? record->nr : lines->task->nr));
	else
		str_add(&lines->line, "[   ?] ");
}

/* -i */
static void add_ip(struct str *out, const struct strace_record *record)
{
	if (record->kind == STRACE_ENDED || record->kind == STRACE_UNENDED)
		str_add(out, "[????????????????] ");
	else
		str_addf(out, record->flags & STRACE_COMPAT ? "[%08llx] " : "[%016llx] ",
			 (unsigned long long)record->ip);
}

static void add_head(struct strace_lines *lines, const struct strace_record *record)
{
	const struct strace_settings *settings = lines->settings;

	lines->shown = 0;
	strace_pids_learn(lines, record);
	if (settings->output && (settings->follow || lines->n_named > 1) && !strace_is_separate(settings)) {
		str_addf(&lines->line, settings->pids & STRACE_PID_NAMES ? "%u" : "%-5u", record->tid);
		strace_pids_name(lines, record);
		str_addc(&lines->line, ' ');
	} else if (!settings->output && (lines->alive > 1 || lines->n_named_alive > 1)) {
		str_addf(&lines->line, "[pid %5u", record->tid);
		strace_pids_name(lines, record);
		str_add(&lines->line, "] ");
	}
	strace_times_add(&lines->line, settings, record->began ? record->began : record->time, &lines->last_time);
	if (settings->numbers)
		add_number(lines, record);
	if (settings->ip)
		add_ip(&lines->line, record);
}

void strace_print_name(struct str *out, const struct strace_record *record)
{
	const char *name = strace_name_of_call(record);

	if (name)
		str_add(out, name);
	else
		str_addf(out, "syscall_%#x", record->nr);
}

/* The argument's memory comes only with the call's end. */
static bool needs_end(const struct strace_line *line, const struct strace_type *type)
{
	if (type->steps[0].op && type->waits)
		return type->waits(line);
	return type->steps[0].op && !type->enter && !type->both;
}

static bool is_in(const struct strace_set *set, const struct strace_record *record)
{
	return strace_set_has(set, record->nr, record->flags & STRACE_COMPAT);
}

static bool is_raw(const struct strace_line *line, const struct strace_record *record)
{
	return line->settings->raw.any && is_in(&line->settings->raw, record);
}

/* Whether the argument is a pointer to something that is no text. */
static bool is_struct(const struct strace_type *type)
{
	enum strace_op op = type->steps[0].op;

	if (type == &t_in || type == &t_in_before || type == &t_host_name || type == &t_out || type == &t_random || type == &t_xattr_in || type == &t_xattr_out ||
	    type == &t_xattr_list || type == &t_ptrace_where || type == &t_ptrace_data || type == &t_kcmp_second || type == &t_futex)
		return false;
	return op && op != STRACE_STRING && op != STRACE_FILE;
}

/* Its parts are separate choices and flags, but one number. */
static bool is_combined(const struct strace_type *type)
{
	return type == &t_open_flags || type == &t_map_flags;
}

/*
 * The argument of a call that has executed a program, whose begin was not seen, as with --comm: its registers are gone.
 * What was executed is known from the program itself.
 */
static bool is_gone(const struct strace_line *line, unsigned int arg)
{
	const struct strace_type *const *args = line->call ? line->call->args : NULL;

	if (!args || line->enter || !strace_ok(line) || (args[1] != &t_argv && args[2] != &t_argv))
		return false;
	return args[arg] != &t_program && (args[arg] != &t_argv || args[0] != &t_program);
}

unsigned int strace_print_args(struct strace_line *line, unsigned int from, unsigned int nr)
{
	const struct strace_record *record = line->enter ? line->enter : line->exit;
	bool raw = is_raw(line, record), plain = !is_in(&line->settings->verbose, record);
	bool narrow = record->flags & STRACE_COMPAT;
	unsigned int n = line->call && !raw ? STRACE_ARGS : narrow ? strace_arguments_32(nr)
								   : (unsigned int)syscall_arguments(nr),
		     i;

	for (i = from; i < n; i++) {
		size_t before, after;

		if (line->call && !raw && !line->call->args[i])
			break;
		if (line->call && !line->exit && !raw && needs_end(line, line->call->args[i]))
			return i;
		before = line->out->len;
		if (i)
			str_add(line->out, ", ");
		after = line->out->len;
		if (raw)
			str_addf(line->out, "%#llx", (unsigned long long)strace_arg(line, i));
		else if (is_gone(line, i))
			str_addc(line->out, '?');
		else if (line->call && plain && is_struct(line->call->args[i]))
			strace_address(line->out, strace_arg(line, i));
		else if (line->call && is_combined(line->call->args[i]))
			strace_combined(line, i);
		else if (line->call)
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

void strace_print_result(struct strace_line *line)
{
	int64_t ret = strace_ret(line);

	if (ret < 0 && ret >= -ERRORS_MAX)
		strace_error(line->out, -ret);
	else if (is_raw(line, line->exit) || !strace_name_of_call(line->exit))
		str_addf(line->out, "%#llx", (unsigned long long)ret);
	else if (line->call && line->call->ret)
		line->call->ret(line);
	else
		str_add_s64(line->out, ret);
}

/* Ends the arguments, and fills up to the column of the result. */
static void add_equals(struct strace_lines *lines)
{
	size_t column = lines->settings->column, len;

	str_addc(&lines->line, ')');
	len = lines->shown + lines->line.len;
	if (len < column)
		str_add_fill(&lines->line, ' ', column - len);
	str_add(&lines->line, lines->line.len > 0 && lines->line.data[lines->line.len - 1] == ' ' ? "= " : " = ");
}

/* When a call began; 0: not known. */
static uint64_t began(const struct strace_record *enter, const struct strace_record *exit)
{
	return enter ? enter->began : exit->began;
}

static uint64_t since(const struct strace_record *exit, uint64_t begin)
{
	return begin && exit->time > begin ? exit->time - begin : 0;
}

static uint64_t took(const struct strace_record *enter, const struct strace_record *exit)
{
	return since(exit, began(enter, exit));
}

static void add_took(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *exit)
{
	if (began(enter, exit))
		strace_times_took(&lines->line, lines->settings, took(enter, exit));
}

/* --- where lines go --- */

/* With -ff: FILE.TID, opened for the thread's first line. */
static void open_sink(struct strace_lines *lines, struct sink *sink)
{
	const struct strace_settings *settings = lines->settings;
	struct str path __str = {};

	if (sink == &lines->all || sink->file || sink->failed)
		return;
	str_addf(&path, "%s.%u", settings->output, lines->task->tid);
	sink->file = fopen(path.data, settings->append || sink->opened ? "ae" : "we");
	if (sink->file) {
		sink->opened = true;
		return;
	}
	sink->failed = true;
	if (!lines->failed)
		report_error("cannot write to %s: %s", path.data, strerror(errno));
	lines->failed = true;
}

static void write_text(struct strace_lines *lines, struct sink *sink, const char *text, size_t n)
{
	if (sink == &lines->all)
		output_bytes(lines->out, text, n);
	else if (sink->file)
		sink->dirty = fwrite(text, 1, n, sink->file) || sink->dirty;
}

static void write_line(struct strace_lines *lines, bool ended)
{
	if (ended)
		str_addc(&lines->line, '\n');
	open_sink(lines, lines->sink);
	write_text(lines, lines->sink, lines->line.data, lines->line.len);
	str_reset(&lines->line);
}

/* The lines below a call, with its stack. */
static void add_stack(struct strace_lines *lines)
{
	strace_stack(&lines->line, lines->stacks, lines->stack);
	write_line(lines, false);
}

/* The next bytes go on in the line that stands open. */
static void resume_open_line(struct strace_lines *lines)
{
	lines->sink->unended = 0;
	lines->shown = lines->sink->shown;
}

/* The lines below a call that failed: what another room says of it. */
static void add_beside(struct strace_lines *lines, const struct strace_record *exit)
{
	const struct strace_record *beside = lines->beside;

	if (!lines->says)
		return;
	lines->says->describe(lines->says_state, &lines->line, exit, beside ? beside + 1 : NULL,
			      beside ? beside->size : 0);
	write_line(lines, false);
}

/* Ends a line that stands open: another one comes. */
static void end_open_line(struct strace_lines *lines, struct sink *sink)
{
	if (sink->unended)
		write_text(lines, sink, " <unfinished ...>\n", strlen(" <unfinished ...>\n"));
	sink->unended = 0;
}

void strace_print_close(struct strace_lines *lines, struct sink *sink)
{
	end_open_line(lines, sink);
	if (!sink->file)
		return;
	if (ferror(sink->file) + fclose(sink->file)) {
		if (!lines->failed)
			report_error("cannot write all to the files of -o");
		lines->failed = true;
	}
	sink->file = NULL;
}

void strace_print_flush(struct sink *sink)
{
	if (sink->file && sink->dirty)
		fflush(sink->file);
	sink->dirty = false;
}

void strace_print_of(struct strace_lines *lines, struct task *task)
{
	lines->task = task;
	lines->sink = strace_is_separate(lines->settings) ? &task->sink : &lines->all;
}

void strace_print_note(struct strace_lines *lines, const char *text)
{
	if (!output_is_text(lines->out) || strace_is_separate(lines->settings))
		return;
	lines->sink = &lines->all;
	end_open_line(lines, lines->sink);
	str_add(&lines->line, text);
	write_line(lines, true);
}

/* --- lines --- */

static const struct strace_call *call_of(struct strace_lines *lines, const struct strace_record *record)
{
	bool narrow = record->flags & STRACE_COMPAT;
	const struct strace_call *known;
	int number;

	if (record->nr >= STRACE_CALLS)
		return NULL;
	number = narrow ? strace_number_32(record->nr) : (int)record->nr;
	known = narrow ? strace_call_of_32(record->nr) : strace_call_of(record->nr);
	if (known || number < 0 || number >= STRACE_CALLS)
		return known;
	if (!lines->guessed[number])
		lines->guessed[number] = strace_guess(number);
	return lines->guessed[number];
}

static struct strace_line line_of(struct strace_lines *lines, const struct strace_record *enter,
				  const struct strace_record *exit)
{
	const struct strace_record *record = enter ? enter : exit;

	const struct strace_settings *settings = lines->settings;

	strace_set_style(settings->style);
	strace_pids_learn(lines, record);
	return (struct strace_line){
		.out = &lines->line,
		.settings = is_in(&settings->abbrev, record) ? settings : &lines->unabridged,
		.call = call_of(lines, record),
		.enter = enter,
		.exit = exit,
		.interrupted = lines->interrupted,
		.lines = lines,
	};
}

/* Whether -e lets a call pass: execve is recorded in any case. */
static bool is_chosen(const struct strace_lines *lines, const struct strace_record *record)
{
	return is_in(&lines->settings->trace, record);
}

#define STATUS_ALL (STRACE_FAILED | STRACE_SUCCESSFUL | STRACE_UNFINISHED)

/* Whether -e status=, -z, -Z and --slower let a call pass. */
static bool passes(const struct strace_lines *lines, const struct strace_record *enter,
		   const struct strace_record *exit)
{
	bool failed = exit->ret < 0 && exit->ret >= -ERRORS_MAX;

	if (!is_chosen(lines, exit))
		return false;
	if (!(lines->settings->status & (failed ? STRACE_FAILED : STRACE_SUCCESSFUL)))
		return false;
	if (lines->settings->error && exit->ret != -(int64_t)lines->settings->error)
		return false;
	/* it is made again, or ends with EINTR: no failure yet */
	if (lines->says && exit->ret <= -512 && exit->ret >= -516)
		return false;
	/* at least, if it began before sonde attached */
	return !lines->settings->slower || since(exit, enter ? enter->time : exit->began) >= lines->settings->slower;
}

static void print_row(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *exit)
{
	struct strace_line line = line_of(lines, enter, exit);
	struct str name __str = {};
	struct strace_row row = {
		.time = began(enter, exit) ? began(enter, exit) : exit->time,
		.ns = took(enter, exit),
		.pid = exit->pid,
		.tid = exit->tid,
		.ret = exit->ret,
		.error = exit->ret < 0 && exit->ret >= -ERRORS_MAX ? exit->ret : 0,
	};

	strace_print_name(&name, exit);
	strace_print_args(&line, 0, exit->nr);
	memcpy(row.comm, exit->comm, sizeof(row.comm));
	row.call = name.data;
	row.args = str_or_empty(lines->line.data);
	if (lines->says)
		lines->says->print(lines->says_state, lines->out, &row, exit, lines->beside ? lines->beside + 1 : NULL,
				   lines->beside ? lines->beside->size : 0);
	else
		output_row(lines->out, &row);
	str_reset(&lines->line);
}

void strace_print_whole(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *exit)
{
	struct strace_line line = line_of(lines, enter, exit);

	if (!passes(lines, enter, exit) || !strace_paths_pass(&line))
		return;
	if (!output_is_text(lines->out)) {
		print_row(lines, enter, exit);
		return;
	}
	end_open_line(lines, lines->sink);
	add_head(lines, enter ? enter : exit);
	strace_print_name(&lines->line, exit);
	str_addc(&lines->line, '(');
	strace_print_args(&line, 0, exit->nr);
	add_equals(lines);
	strace_print_result(&line);
	add_took(lines, enter, exit);
	write_line(lines, true);
	strace_dump(&line);
	add_stack(lines);
	add_beside(lines, exit);
}

/* Whether calls are printed only when they have ended. */
static bool waits_for_end(const struct strace_lines *lines)
{
	return ~lines->settings->status & STATUS_ALL || lines->settings->slower || !output_is_text(lines->out);
}

/* Whether a call that lasts was printed when it began; else it is one line at its end. */
static bool shows_begin(struct strace_lines *lines, const struct strace_record *enter)
{
	struct strace_line line = line_of(lines, enter, NULL);

	if (waits_for_end(lines) &&
	    (!strace_is_exit(enter) || lines->settings->slower || !(lines->settings->status & STRACE_UNFINISHED)))
		return false;
	return output_is_text(lines->out) && is_chosen(lines, enter) && strace_paths_pass(&line);
}

/* The name and the arguments that are known. Returns the first that is not. */
static unsigned int add_begin(struct strace_lines *lines, struct strace_line *line)
{
	end_open_line(lines, lines->sink);
	add_head(lines, line->enter);
	strace_print_name(&lines->line, line->enter);
	str_addc(&lines->line, '(');
	return strace_print_args(line, 0, line->enter->nr);
}

void strace_print_begin(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *exit)
{
	struct strace_line line = line_of(lines, enter, exit);
	unsigned int shown;

	if (!shows_begin(lines, enter))
		return;
	shown = add_begin(lines, &line);
	if (strace_is_exit(enter)) {
		add_equals(lines);
		str_addc(&lines->line, '?');
		write_line(lines, true);
		add_stack(lines);
		return;
	}
	if (shown && line.call && shown < STRACE_ARGS && line.call->args[shown])
		str_add(&lines->line, ", ");
	lines->sink->shown = lines->line.len;
	write_line(lines, false);
	lines->sink->unended = enter->tid;
}

void strace_print_end(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *exit)
{
	struct strace_line line = line_of(lines, enter, exit), begin = line_of(lines, enter, NULL);
	unsigned int shown;

	if (!shows_begin(lines, enter)) {
		strace_print_whole(lines, enter, exit);
		return;
	}
	/* what was printed at the begin decides what is left */
	shown = strace_print_args(&begin, 0, enter->nr);
	str_reset(&lines->line);
	if (lines->sink->unended == enter->tid) {
		resume_open_line(lines);
	} else {
		end_open_line(lines, lines->sink);
		add_head(lines, exit);
		str_add(&lines->line, "<... ");
		strace_print_name(&lines->line, exit);
		str_add(&lines->line, " resumed>");
	}
	if (line.call) {
		size_t before = lines->line.len;

		strace_print_args(&line, shown, exit->nr);
		/* the separator stands at the end of the begin */
		if (shown && lines->line.len > before + 1 && !strncmp(lines->line.data + before, ", ", 2)) {
			memmove(lines->line.data + before, lines->line.data + before + 2, lines->line.len - before - 1);
			lines->line.len -= 2;
		}
	}
	add_equals(lines);
	strace_print_result(&line);
	add_took(lines, enter, exit);
	write_line(lines, true);
	strace_dump(&line);
	add_stack(lines);
}

/* A thread ends within a call. */
void strace_print_killed(struct strace_lines *lines, const struct strace_record *enter, const struct strace_record *end)
{
	struct strace_line line = line_of(lines, enter, NULL);

	if (strace_is_exit(enter) || !output_is_text(lines->out) || !is_chosen(lines, enter) ||
	    !strace_paths_pass(&line))
		return;
	if (!shows_begin(lines, enter)) {
		if (lines->settings->slower || !(lines->settings->status & STRACE_UNFINISHED))
			return;
		add_begin(lines, &line);
	} else if (lines->sink->unended == end->tid) {
		resume_open_line(lines);
	} else {
		end_open_line(lines, lines->sink);
		add_head(lines, end);
		str_add(&lines->line, "<... ");
		strace_print_name(&lines->line, enter);
		str_add(&lines->line, " resumed>");
	}
	str_add(&lines->line, " <unfinished ...>");
	add_equals(lines);
	str_addc(&lines->line, '?');
	write_line(lines, true);
}

void strace_print_unended(struct strace_lines *lines, const struct strace_record *record)
{
	const struct strace_settings *settings = lines->settings;

	if (!output_is_text(lines->out) || !is_chosen(lines, record) || settings->slower || settings->paths.n ||
	    !(settings->status & STRACE_UNFINISHED))
		return;
	end_open_line(lines, lines->sink);
	add_head(lines, record);
	strace_print_name(&lines->line, record);
	str_add(&lines->line, "( <unfinished ...>");
	write_line(lines, true);
}

/* --- signals and ends --- */

void strace_print_signal(struct strace_lines *lines, const struct strace_record *record)
{
	struct strace_line line = { .out = &lines->line, .settings = lines->settings, .exit = record, .lines = lines };

	/* a task never sees its SIGKILL; its end says it */
	if (!output_is_text(lines->out) || record->nr == SIGKILL ||
	    (record->nr - 1 < 64 && lines->settings->hidden >> (record->nr - 1) & 1))
		return;
	strace_set_style(lines->settings->style);
	end_open_line(lines, lines->sink);
	add_head(lines, record);
	str_add(&lines->line, "--- ");
	strace_signal_name(&lines->line, record->nr);
	str_addc(&lines->line, ' ');
	strace_siginfo(&line);
	str_add(&lines->line, " ---");
	write_line(lines, true);
}

void strace_print_ended(struct strace_lines *lines, const struct strace_record *record, uint32_t by)
{
	int status = record->ret;

	if (!output_is_text(lines->out) || lines->settings->hushed & STRACE_Q_EXIT || lines->settings->summary)
		return;
	end_open_line(lines, lines->sink);
	add_head(lines, record);
	if (by) {
		str_addf(&lines->line, "+++ superseded by execve in pid %u +++", by);
	} else if (status & 0x7f) {
		str_add(&lines->line, "+++ killed by ");
		strace_signal_name(&lines->line, status & 0x7f);
		str_add(&lines->line, status & 0x80 ? " (core dumped) +++" : " +++");
	} else {
		str_addf(&lines->line, "+++ exited with %d +++", status >> 8 & 0xff);
	}
	write_line(lines, true);
}
