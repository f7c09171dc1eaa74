// SPDX-License-Identifier: BSD-2-Clause
/* Records of sonde strace to lines: their order, calls that wait, what only another thread's records tell. */
#include <criterion/criterion.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/syscalls.h"
#include "output/output.h"
#include "strace/attached.h"
#include "strace/lines_part.h"

#define MS 1000000ULL

static struct strace_settings settings = { .size = 32, .column = 0, .status = ~0U, .follow = 1, .took_digits = 7 };
static struct strace_lines *lines;
static struct output *out;
static FILE *file;

static void begin(void)
{
	file = tmpfile();
	out = output_new(fileno(file), OUTPUT_TEXT);
	lines = strace_lines_new(&settings, out, 0);
}

static void expect(uint64_t now, bool last, const char *want)
{
	char text[2048] = "";

	strace_lines_print(lines, now, last);
	output_flush(out);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	cr_assert_str_eq(text, want);
}

static void end(void)
{
	strace_lines_free(lines);
	output_free(out);
	fclose(file);
}

/* A record of a call, at some ms. */
static struct strace_record call(enum strace_kind kind, uint32_t tid, const char *name, uint64_t began, uint64_t time)
{
	return (struct strace_record){
		.kind = kind,
		.time = time * MS,
		.began = began * MS,
		.pid = 7,
		.tid = tid,
		.nr = syscall_number(name),
	};
}

static void add(struct strace_record record)
{
	strace_lines_add(lines, &record, sizeof(record));
}

/* The records come when the calls end; the lines stand where they began. */
Test(strace_lines, order)
{
	begin();
	add(call(STRACE_EXIT, 7, "getpid", 1, 2));
	add(call(STRACE_EXIT, 8, "getuid", 4, 5));
	add(call(STRACE_EXIT, 7, "getppid", 3, 6));
	add(call(STRACE_EXIT, 7, "gettid", 7, 8));
	expect(1000 * MS, true,
	       "getpid() = 0 <0.001000>\n"
	       "getppid() = 0 <0.003000>\n"
	       "[pid     8] getuid() = 0 <0.001000>\n"
	       "[pid     7] gettid() = 0 <0.001000>\n");
	end();
}

/* With several threads a line waits for calls that still run, and began before it. */
Test(strace_lines, waits)
{
	begin();
	add(call(STRACE_EXIT, 7, "getpid", 1, 2));
	add(call(STRACE_EXIT, 8, "getuid", 1, 3));
	expect(4 * MS, false, "getpid() = 0 <0.001000>\n");
	expect(30 * MS, false, "getpid() = 0 <0.001000>\n[pid     8] getuid() = 0 <0.002000>\n");
	end();
}

/* A call that leaves the processor has a record of its begin: one line if it ends soon, else two. */
Test(strace_lines, unfinished)
{
	begin();
	add(call(STRACE_ENTER, 7, "pause", 1, 2));
	add(call(STRACE_EXIT, 7, "pause", 0, 5));
	expect(6 * MS, false, "pause() = 0 <0.004000>\n");
	add(call(STRACE_ENTER, 7, "pause", 8, 9));
	expect(20 * MS, false, "pause() = 0 <0.004000>\n");
	expect(200 * MS, false, "pause() = 0 <0.004000>\npause(");
	add(call(STRACE_EXIT, 7, "pause", 0, 208));
	expect(300 * MS, true, "pause() = 0 <0.004000>\npause() = 0 <0.200000>\n");
	end();
}

/* What a request fills in is known at the end, and printed there; one without memory is whole at its begin. */
Test(strace_lines, unfinished_ptrace)
{
	struct {
		struct strace_record record;
		struct strace_blob blob;
		uint64_t v[2];
	} ended = { call(STRACE_EXIT, 7, "ptrace", 0, 208), { .tag = 3 * STRACE_TYPE_STEPS, .n = 16 }, { 2 } };
	struct strace_record begun = call(STRACE_ENTER, 7, "ptrace", 8, 9);

	begin();
	memcpy(begun.args, (uint64_t[]){ 0x420a, 5, 8, 0x1000 }, 4 * sizeof(uint64_t));
	ended.record.size = sizeof(ended.blob) + ended.blob.n;
	add(begun);
	expect(200 * MS, false, "ptrace(PTRACE_GETSIGMASK, 5, 8, ");
	strace_lines_add(lines, &ended.record, sizeof(ended));
	begun = call(STRACE_ENTER, 7, "ptrace", 210, 211);
	begun.args[0] = 7;
	begun.args[1] = 5;
	add(begun);
	expect(500 * MS, false, "ptrace(PTRACE_GETSIGMASK, 5, 8, [INT]) = 0 <0.200000>\nptrace(PTRACE_CONT, 5, NULL, 0");
	end();
}

/* A begin was not seen: there is no time. A call whose end was lost, or skipped, has its begin, and is counted. */
Test(strace_lines, unknown)
{
	begin();
	add(call(STRACE_EXIT, 7, "pause", 0, 5));
	add(call(STRACE_ENTER, 7, "pause", 6, 7));
	add(call(STRACE_EXIT, 7, "getpid", 8, 9));
	add(call(STRACE_UNENDED, 7, "read", 10, 20));
	add(call(STRACE_EXIT, 7, "getuid", 20, 21));
	expect(300 * MS, true,
	       "pause() = 0\n"
	       "pause( <unfinished ...>\n"
	       "getpid() = 0 <0.001000>\n"
	       "read( <unfinished ...>\n"
	       "getuid() = 0 <0.001000>\n");
	cr_assert_eq(strace_lines_unended(lines), 2);
	end();
}

/* A thread ends within a call, which is shown as strace shows it. */
Test(strace_lines, ends_within_a_call)
{
	struct strace_record ended = { .kind = STRACE_ENDED, .time = 4 * MS, .pid = 7, .tid = 7, .flags = STRACE_LAST };

	begin();
	add(call(STRACE_ENTER, 7, "pause", 1, 3));
	add(ended);
	expect(300 * MS, true, "pause( <unfinished ...>) = ?\n+++ exited with 0 +++\n");
	cr_assert_eq(strace_lines_unended(lines), 0);
	end();
}

/* The column of a result counts from the begin of its line, also if that was written before. */
Test(strace_lines, column_of_a_line_in_two_parts)
{
	settings.column = 20;
	begin();
	add(call(STRACE_ENTER, 7, "pause", 1, 2));
	expect(100 * MS, false, "pause(");
	add(call(STRACE_EXIT, 7, "pause", 0, 108));
	expect(300 * MS, true, "pause()             = 0 <0.107000>\n");
	settings.column = 0;
	end();
}

/* The directories of PATH that the command's exec tries are no lines, and miss no end. */
Test(strace_lines, search_of_the_command)
{
	file = tmpfile();
	out = output_new(fileno(file), OUTPUT_TEXT);
	lines = strace_lines_new(&settings, out, 7);
	add(call(STRACE_ENTER, 7, "execve", 1, 1));
	add(call(STRACE_ENTER, 7, "execve", 2, 2));
	add(call(STRACE_EXIT, 7, "execve", 0, 3));
	expect(300 * MS, true, "execve(NULL, NULL, NULL) = 0 <0.001000>\n");
	cr_assert_eq(strace_lines_unended(lines), 0);
	end();
}

Test(strace_lines, restarted)
{
	struct strace_record broken = call(STRACE_EXIT, 7, "pause", 1, 2);

	begin();
	broken.ret = -516;
	add(broken);
	add(call(STRACE_EXIT, 7, "restart_syscall", 3, 4));
	add(call(STRACE_EXIT, 8, "restart_syscall", 5, 6));
	expect(300 * MS, true,
	       "pause() = ? ERESTART_RESTARTBLOCK (Interrupted by signal) <0.001000>\n"
	       "restart_syscall(<... resuming interrupted pause ...>) = 0 <0.001000>\n"
	       "[pid     8] restart_syscall(<... resuming interrupted system call ...>) = 0 <0.001000>\n");
	end();
}

/* A thread executes a program, and gets the number of the first one, which has ended. */
Test(strace_lines, superseded)
{
	struct strace_record ended = { .kind = STRACE_ENDED, .time = 4 * MS, .pid = 7, .tid = 7 };

	begin();
	add(call(STRACE_EXIT, 7, "getpid", 1, 2));
	add(call(STRACE_ENTER, 8, "execve", 3, 3));
	add(ended);
	add(call(STRACE_EXIT, 7, "execve", 0, 5));
	ended.time = 9 * MS;
	ended.flags = STRACE_LAST;
	add(ended);
	expect(300 * MS, true,
	       "getpid() = 0 <0.001000>\n"
	       "[pid     8] execve(NULL, NULL, NULL <unfinished ...>\n"
	       "[pid     7] +++ superseded by execve in pid 8 +++\n"
	       "<... execve resumed>) = 0 <0.002000>\n"
	       "+++ exited with 0 +++\n");
	end();
}

/* Without -f the first thread's end is not its process's: another one may have executed a program, and be the first. */
Test(strace_lines, goes_on_after_its_first_thread)
{
	static const uint32_t ids[] = { 7, 9 };
	struct strace_record ended = { .kind = STRACE_ENDED, .time = 4 * MS, .pid = 7, .tid = 7 };

	settings.follow = 0;
	begin();
	strace_lines_set_processes(lines, ids, ARRAY_SIZE(ids));
	cr_assert_eq(strace_lines_hints(lines), 0);
	add(ended);
	expect(300 * MS, true, "[pid     7] +++ exited with 0 +++\n");
	cr_assert_eq(strace_lines_hints(lines), 1);
	ended.flags = STRACE_LAST;
	add(ended);
	strace_lines_print(lines, 300 * MS, true);
	cr_assert_not(strace_lines_ended(lines));
	ended.pid = ended.tid = 9;
	add(ended);
	strace_lines_print(lines, 300 * MS, true);
	cr_assert(strace_lines_ended(lines));
	end();
	settings.follow = 1;
}

/* Children may go on when what is named has ended: the end of each is a hint. Of lost records nothing is known. */
Test(strace_lines, hints_of_children)
{
	struct strace_record ended = { .kind = STRACE_ENDED, .time = 4 * MS, .pid = 7, .tid = 8, .flags = 0 };
	uint64_t hints;

	begin();
	strace_lines_set_processes(lines, (const uint32_t[]){ 7 }, 1);
	strace_lines_lost(lines, 1);
	add(ended);
	strace_lines_print(lines, 100 * MS, true);
	cr_assert_eq(strace_lines_hints(lines), 0, "all threads send the record of their end");
	ended.flags = STRACE_LAST;
	add(ended);
	strace_lines_print(lines, 200 * MS, true);
	cr_assert(strace_lines_ended(lines));
	hints = strace_lines_hints(lines);
	ended.pid = ended.tid = 20;
	add(ended);
	strace_lines_print(lines, 300 * MS, true);
	cr_assert_eq(strace_lines_hints(lines), hints + 1);
	end();
}

/* The id of a process that is none. */
static uint32_t nobody(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static struct strace_record call_of(enum strace_kind kind, uint32_t pid, uint32_t tid, const char *name, uint64_t time)
{
	struct strace_record record = call(kind, tid, name, kind == STRACE_ENTER ? time : 0, time);

	record.pid = pid;
	return record;
}

/* What is said when it is asked for a thread that is gone until the run ends; "": nothing. */
static const char *said_of_thread(void)
{
	static char text[256];
	FILE *said = tmpfile();
	int old = dup(STDERR_FILENO), times = 0;

	dup2(fileno(said), STDERR_FILENO);
	while (!strace_lines_ended(lines) && times++ < 2)
		strace_lines_ask(lines);
	dup2(old, STDERR_FILENO);
	close(old);
	rewind(said);
	text[fread(text, 1, sizeof(text) - 1, said)] = '\0';
	fclose(said);
	cr_assert(strace_lines_ended(lines));
	return text;
}

#define GOES_ON "its process goes on without it"

/* A thread that is named alone ends with itself, or is gone when it has executed a program. */
Test(strace_lines, only_a_thread)
{
	struct strace_record ended = { .kind = STRACE_ENDED, .time = 4 * MS, .pid = 7, .tid = 8 };

	begin();
	strace_lines_set_thread(lines, 8);
	add(call(STRACE_EXIT, 8, "getpid", 1, 2));
	cr_assert_eq(strace_lines_hints(lines), 0);
	add(call(STRACE_ENTER, 9, "execve", 3, 3));
	cr_assert_eq(strace_lines_hints(lines), 0, "another one");
	add(call(STRACE_ENTER, 8, "execve", 3, 3));
	cr_assert_eq(strace_lines_hints(lines), 1);
	add(call(STRACE_EXIT, 8, "execve", 0, 4));
	add(ended);
	strace_lines_print(lines, 300 * MS, true);
	cr_assert(strace_lines_ended(lines));
	end();
}

/* Only of a thread that was in an exec it is said that its process goes on without it. */
Test(strace_lines, replaced_thread)
{
	uint32_t tid = nobody(), process = getpid();

	begin();
	strace_lines_set_thread(lines, tid);
	add(call_of(STRACE_EXIT, process, tid, "getpid", 2));
	strace_lines_lost(lines, 1);
	cr_assert_str_empty(said_of_thread());
	end();
	begin();
	strace_lines_set_thread(lines, tid);
	add(call_of(STRACE_ENTER, process, tid, "execve", 2));
	cr_assert(strstr(said_of_thread(), GOES_ON));
	end();
}

/* The thread was killed in its exec: the record of its end waits; or it was lost, and so has the process ended. */
Test(strace_lines, killed_in_exec)
{
	uint32_t tid = nobody(), process = getpid();
	struct strace_record ended = { .kind = STRACE_ENDED, .time = 3 * MS, .pid = process, .tid = tid };

	begin();
	strace_lines_set_thread(lines, tid);
	add(call_of(STRACE_ENTER, process, tid, "execve", 2));
	strace_lines_ask(lines);
	cr_assert_not(strace_lines_ended(lines), "a record may come that says why");
	add(ended);
	cr_assert_str_empty(said_of_thread());
	end();
	begin();
	strace_lines_set_thread(lines, tid);
	add(call_of(STRACE_ENTER, nobody(), tid, "execve", 2));
	cr_assert_str_empty(said_of_thread());
	end();
}

/* The end of the exec may come, too, with the number of the process. */
Test(strace_lines, replaced_thread_with_an_end)
{
	uint32_t tid = nobody(), process = getpid();

	begin();
	strace_lines_set_thread(lines, tid);
	add(call_of(STRACE_ENTER, process, tid, "execve", 2));
	add(call_of(STRACE_EXIT, process, process, "execve", 3));
	cr_assert_eq(strace_lines_hints(lines), 2);
	strace_lines_print(lines, 300 * MS, true);
	cr_assert(strstr(said_of_thread(), GOES_ON));
	end();
}

/* A first thread that is named alone goes on if another thread executes a program and gets its number. */
Test(strace_lines, only_a_first_thread)
{
	struct strace_record ended = { .kind = STRACE_ENDED, .time = 4 * MS, .pid = 7, .tid = 7 };

	begin();
	strace_lines_set_thread(lines, 7);
	add(ended);
	strace_lines_print(lines, 300 * MS, true);
	cr_assert(!strace_lines_ended(lines) && strace_lines_hints(lines) == 1);
	ended.time = 9 * MS;
	ended.flags = STRACE_LAST;
	add(ended);
	strace_lines_print(lines, 600 * MS, true);
	cr_assert(strace_lines_ended(lines));
	end();
}

/* The program knows the number of a return from a signal at its begin only. */
Test(strace_lines, returns_from_signals)
{
	struct strace_record exit = call(STRACE_EXIT, 7, "getpid", 0, 2);

	begin();
	exit.nr = UINT32_MAX;
	add(call(STRACE_ENTER, 7, "rt_sigreturn", 1, 1));
	add(exit);
	exit.time = 4 * MS;
	add(exit);
	exit.flags = STRACE_COMPAT;
	for (unsigned int nr = 119; nr <= 173; nr += 173 - 119) {
		struct strace_record enter = { .kind = STRACE_ENTER, .pid = 7, .tid = 7, .nr = nr, .flags = STRACE_COMPAT };

		enter.began = enter.time = exit.time + MS;
		exit.time += 2 * MS;
		add(enter);
		add(exit);
	}
	expect(300 * MS, true,
	       "rt_sigreturn() = 0 <0.001000>\n"
	       "rt_sigreturn() = 0\n"
	       "sigreturn() = 0 <0.001000>\n"
	       "rt_sigreturn() = 0 <0.001000>\n");
	end();
}

/* A number that is -1 at a call's begin is no call of the set; at its end it is a return from a signal. */
Test(strace_lines, returns_outside_of_the_set)
{
	struct strace_record enter = call(STRACE_ENTER, 7, "getpid", 1, 1), exit = call(STRACE_EXIT, 7, "getpid", 0, 2);

	settings.trace.any = true;
	settings.trace.v[syscall_number("getpid")] = 1;
	begin();
	enter.nr = exit.nr = UINT32_MAX;
	add(enter);
	add(exit);
	expect(300 * MS, true, "");
	settings.trace.v[syscall_number("rt_sigreturn")] = 1;
	enter.time = 3 * MS;
	exit.time = 4 * MS;
	add(enter);
	add(exit);
	expect(300 * MS, true, "rt_sigreturn() = 0\n");
	end();
	settings.trace = (struct strace_set){};
}

/* Times of a foreign file: an exec ends before it begins, in another thread. Its end stays behind its begin. */
Test(strace_lines, exec_ends_too_early)
{
	begin();
	add(call(STRACE_EXIT, 9, "getpid", 7, 7));
	add(call(STRACE_ENTER, 8, "execve", 10, 10));
	add(call(STRACE_EXIT, 7, "execve", 0, 5));
	expect(300 * MS, true,
	       "getpid() = 0 <0.000000>\n"
	       "[pid     8] execve(NULL, NULL, NULL) = 0 <0.000000>\n");
	end();
}

/* The begin of an exec was printed, its end never is: both are freed. Other processes in an exec are not it. */
Test(strace_lines, execs_of_threads)
{
	struct strace_record other = call(STRACE_ENTER, 20, "execve", 2, 2);

	other.pid = 20;
	begin();
	add(call(STRACE_ENTER, 8, "execve", 1, 1));
	add(other);
	expect(200 * MS, false, "execve(NULL, NULL, NULL <unfinished ...>\n[pid    20] execve(NULL, NULL, NULL");
	add(call(STRACE_EXIT, 7, "execve", 0, 300));
	end();
}

/* The run ends before a call was printed, of which both ends have come. */
Test(strace_lines, freed_before_it_is_printed)
{
	begin();
	add(call(STRACE_ENTER, 7, "pause", 1, 1));
	add(call(STRACE_EXIT, 7, "pause", 0, 2));
	end();
}

/* Lines of calls of which some words are foreign: a blob that is whole, but has no bytes. */
static void expect_short(const char *name, uint64_t first, uint16_t size, const char *want)
{
	struct {
		struct strace_record record;
		struct strace_blob blob;
		unsigned char bytes[48];
		struct strace_blob none, next;
		unsigned char rest[56];
	} whole = {
		.record = call(STRACE_EXIT, 7, name, 1, 2),
		.blob = { .tag = STRACE_TYPE_STEPS, .n = size },
		.none = { .tag = STRACE_TYPE_STEPS + 1 },
		.next = { .tag = 99, .n = sizeof(whole.rest) },
	};

	whole.record.size = sizeof(whole) - sizeof(whole.record);
	whole.record.args[0] = first;
	whole.record.args[1] = 0x1000;
	whole.bytes[0] = 56;
	memset(whole.rest, 0x11, sizeof(whole.rest));
	if (!size)
		memset(whole.bytes, 0, sizeof(whole.bytes));
	begin();
	strace_lines_add(lines, &whole.record, sizeof(whole));
	expect(300 * MS, true, want);
	end();
}

Test(strace_lines, blobs_without_bytes)
{
	expect_short("sched_getattr", 0, 48,
		     "sched_getattr(0, {size=56, sched_policy=SCHED_OTHER, sched_flags=0, sched_nice=0, "
		     "sched_priority=0, sched_runtime=0, sched_deadline=0, sched_period=0}, 0, 0) = 0 <0.001000>\n");
}

/* Of a signal nothing is known but its number: there are no bytes, whatever stands behind the record. */
Test(strace_lines, signal_without_bytes)
{
	struct {
		struct strace_record record;
		struct strace_blob blob;
		int info[12];
	} whole = { .record = { .kind = STRACE_SIGNAL, .nr = 10 }, .blob.n = 48, .info = { 10, 0, 0, 0, 77, 78 } };
	const struct strace_settings plain = {};
	struct str text __str = {};
	struct strace_line line = { .out = &text, .settings = &plain, .exit = &whole.record };

	whole.record.size = sizeof(whole) - sizeof(whole.record);
	strace_siginfo(&line);
	cr_assert_str_eq(text.data, "{si_signo=SIGUSR1, si_code=SI_USER, si_pid=77, si_uid=78}");
	str_reset(&text);
	whole.blob.n = 8;
	strace_siginfo(&line);
	cr_assert_str_eq(text.data, "{si_signo=SIGUSR1, si_code=SI_USER, si_pid=0, si_uid=0}");
	str_reset(&text);
	whole.blob.n = 48;
	whole.record.size = 0;
	strace_siginfo(&line);
	cr_assert_str_eq(text.data, "{si_signo=SIGUSR1, si_code=SI_USER, si_pid=0, si_uid=0}");
}

/* Beyond the most that may wait, the oldest is printed, and no other. */
Test(strace_lines, most_that_wait)
{
	begin();
	strace_lines_set_most(lines, 2);
	add(call(STRACE_ENTER, 7, "pause", 1, 2));
	add(call(STRACE_ENTER, 8, "pause", 2, 3));
	expect(4 * MS, false, "");
	add(call(STRACE_ENTER, 9, "pause", 3, 4));
	expect(5 * MS, false, "pause(");
	add(call(STRACE_EXIT, 8, "pause", 0, 6));
	expect(300 * MS, true,
	       "pause( <unfinished ...>\n"
	       "[pid     8] pause() = 0 <0.004000>\n"
	       "[pid     9] pause( <unfinished ...>\n");
	end();
}

/* What was lost is said where it was lost, though the line before waits for its end. */
Test(strace_lines, lost)
{
	begin();
	add(call(STRACE_ENTER, 7, "pause", 1, 2));
	strace_lines_lost(lines, 3);
	strace_lines_lost(lines, 3);
	expect(4 * MS, false, "");
	add(call(STRACE_EXIT, 7, "pause", 0, 5));
	add(call(STRACE_EXIT, 7, "getpid", 6, 7));
	expect(300 * MS, true,
	       "pause() = 0 <0.004000>\n"
	       "... 3 records of calls lost ...\n"
	       "getpid() = 0 <0.001000>\n");
	strace_lines_lost(lines, 4);
	expect(300 * MS, true,
	       "pause() = 0 <0.004000>\n"
	       "... 3 records of calls lost ...\n"
	       "getpid() = 0 <0.001000>\n"
	       "... 1 record of calls lost ...\n");
	end();
}

/* A begin whose end was lost, and a call of which only that it did not end is known, are two. */
Test(strace_lines, two_without_ends)
{
	begin();
	add(call(STRACE_ENTER, 7, "pause", 1, 2));
	add(call(STRACE_UNENDED, 7, "read", 3, 4));
	expect(300 * MS, true, "pause( <unfinished ...>\nread( <unfinished ...>\n");
	cr_assert_eq(strace_lines_unended(lines), 2);
	end();
}

/* Of a thread with a name, in a pid namespace. */
static struct strace_record named(uint32_t tid, uint32_t own, uint32_t space, const char *comm, const char *name,
				  uint64_t at)
{
	struct strace_record record = call(STRACE_EXIT, tid, name, at, at + 1);

	record.own = own;
	record.space = space;
	snprintf(record.comm, sizeof(record.comm), "%s", comm);
	return record;
}

/* -Y and --decode-pids=pidns: names as they were at that moment; ids of another namespace are those of its threads. */
Test(strace_lines, names_of_processes)
{
	struct strace_record kill = named(9, 1, 5, "init", "kill", 8), fork = named(9, 1, 5, "init", "clone", 3);

	settings.pids = STRACE_PID_NAMES | STRACE_PID_SPACE;
	begin();
	lines->space = 4;
	kill.args[0] = 2;
	fork.ret = 2;
	add(named(7, 7, 4, "a<b", "getuid", 1));
	add(fork);
	add(named(8, 2, 5, "new", "getgid", 6));
	add(kill);
	kill = named(8, 2, 5, "new", "kill", 10);
	kill.args[0] = 7;
	add(kill);
	expect(1000 * MS, true,
	       "getuid() = 0 <0.001000>\n"
	       "[pid     9<init>] clone(child_stack=NULL, flags=0) = 2<init> <0.001000>\n"
	       "[pid     8<new>] getgid() = 0 <0.001000>\n"
	       "[pid     9<init>] kill(2<new> /* 8 in strace's PID NS */, 0) = 0 <0.001000>\n"
	       "[pid     8<new>] kill(7, 0) = 0 <0.001000>\n");
	end();
	settings.pids = 0;
}

/* What /proc says of a thread that waits in a call, in none, or not at all; and of one of the kernel. */
Test(strace_lines, call_when_attached)
{
	struct strace_record record = {};
	uint64_t ip;

	cr_assert(strace_attached_parse("0 0x3 0x7ffc10 0x20000 0x0 0x0 0xffffffffffffffff 0x7ffc00 0x7f01\n", &record, &ip));
	cr_expect_eq(record.nr, 0);
	cr_expect_eq(record.args[0], 3);
	cr_expect_eq(record.args[2], 0x20000);
	cr_expect_eq(record.args[5], UINT64_MAX);
	cr_expect_eq(ip, 0x7f01);
	cr_expect_not(strace_attached_parse("running\n", &record, &ip));
	cr_expect_not(strace_attached_parse("-1 0x7ffc00 0x7f01\n", &record, &ip));
	cr_expect_not(strace_attached_parse("35 0x3 0x7ffc10", &record, &ip));
	cr_expect_not(strace_attached_parse("0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n", &record, &ip));
	cr_expect_not(strace_attached_parse("", &record, &ip));
}

/* Memory that is there up to an address. */
static size_t read_until(void *end, uint64_t at, void *to, size_t n)
{
	uint64_t there = *(uint64_t *)end > at ? *(uint64_t *)end - at : 0;

	n = n < there ? n : there;
	memset(to, 'a', n);
	return n;
}

/* Blobs of a call never fill more than their room, whatever a program passes; and where its memory ends. */
Test(strace_lines, memory_when_attached)
{
	static struct strace_plans plans = { .steps = { { STRACE_BYTES, .from = 0, .count_from = 1, .scale = 1, .most = 4096 },
							{ STRACE_STRING, .tag = 1, .from = 2, .most = 4096 },
							{ STRACE_BYTES, .tag = 2, .from = 3, .count_from = STRACE_FROM_NONE, .scale = 16, .most = 16 } } };
	struct strace_record *record = base_alloc(sizeof(*record) + STRACE_ROOM + 1);
	char *end = (char *)(record + 1) + STRACE_ROOM;
	uint64_t there = 1 << 20;
	const struct peek peek = { read_until, &there };
	const struct strace_blob *blob = (const void *)(record + 1);

	plans.plans[0][8] = (struct strace_plan){ .n_enter = 3 };
	for (size_t n = 4000; n <= 4096; n++) {
		*record = (struct strace_record){ .nr = 7, .args = { 4096, n, 8192, 4096 } };
		*end = 'z';
		strace_attached_fill(record, &plans, &peek);
		cr_assert_leq(record->size, STRACE_ROOM);
		cr_assert_eq(*end, 'z');
	}
	there = 4096 + 100;
	*record = (struct strace_record){ .nr = 7, .args = { 4096, 200, 0, 0 } };
	strace_attached_fill(record, &plans, &peek);
	cr_expect_eq(blob->status, STRACE_UNREAD);
	cr_expect_eq(blob->n, 0);
	plans.steps[0].when = STRACE_TO_EDGE;
	record->size = 0;
	strace_attached_fill(record, &plans, &peek);
	cr_expect_eq(blob->status, STRACE_EDGE);
	cr_expect_eq(blob->n, 100);
	free(record);
}

/* A begin that was asked for gives way to what records say: its own begin and end, or another call. */
Test(strace_lines, begin_that_was_asked_for)
{
	struct strace_record asked = call(STRACE_ENTER, 7, "pause", 0, 1);

	asked.flags = STRACE_ASKED;
	begin();
	add(asked);
	/* late: it began before */
	add(call(STRACE_ENTER, 7, "pause", 1, 1));
	cr_expect(strace_lines_is_in_call(lines, 7, UINT64_MAX));
	add(call(STRACE_EXIT, 7, "pause", 1, 2));
	cr_expect_not(strace_lines_is_in_call(lines, 7, 2 * MS));
	cr_expect(strace_lines_is_in_call(lines, 7, 1 * MS));
	/* its end had passed already when it was asked for */
	asked.time = 3 * MS;
	add(asked);
	/* the end of an earlier call, which came late, is none of it */
	add(call(STRACE_EXIT, 7, "pause", 0, 2));
	cr_expect(strace_lines_is_in_call(lines, 7, UINT64_MAX));
	expect(200 * MS, false, "pause() = 0 <0.001000>\npause( <unfinished ...>\npause() = 0\n");
	add(call(STRACE_EXIT, 7, "getpid", 204, 205));
	expect(400 * MS, true, "pause() = 0 <0.001000>\npause( <unfinished ...>\npause() = 0\ngetpid() = 0 <0.001000>\n");
	cr_expect_eq(strace_lines_unended(lines), 0);
	end();
}

/* What the link of a descriptor says. */
Test(strace_lines, file_when_attached)
{
	struct strace_file *to = base_alloc(sizeof(*to) + PATH_MAX);
	char pipe[] = "pipe:[5381701]", epoll[] = "anon_inode:[eventpoll]", gone[] = "/tmp/a name (deleted)", root[] = "/";

	strace_attached_file(pipe, to);
	cr_expect_eq(to->inode, 5381701);
	cr_expect_eq(to->magic, STRACE_PIPES);
	strace_attached_file(epoll, to);
	cr_expect_eq(to->path.dirs_size, 11);
	cr_expect_arr_eq(to->path.text, "[eventpoll]", 11);
	strace_attached_file(gone, to);
	cr_expect(to->unlinked);
	cr_expect_eq(to->path.dirs_size, 11);
	cr_expect_arr_eq(to->path.text, "a name\0tmp", 11);
	strace_attached_file(root, to);
	cr_expect_eq(to->path.dirs_size, 0);
	free(to);
}
