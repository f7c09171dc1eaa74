// SPDX-License-Identifier: BSD-2-Clause
/* What reports say of a recording: sums of threads, calls and disks, the timeline, the difference of two. */
#include "output_fixture.h"
#include "recording_fixture.h"
#include "report/difference.h"
#include "report/spent.h"
#include "report/summary.h"
#include "report/timeline.h"

#define MS 1000000ULL

#define S	  1
#define D	  2
#define PREEMPTED 0x100
#define ZOMBIE	  0x20

/* Times are behind the clocks' start, as in a real one. */
static uint64_t base;

static void switches(struct made *m, int cpu, uint64_t ms, int prev, int state, int next)
{
	made_record(m, cpu, MADE_SWITCH, base + ms * MS, made_pair(prev, next), made_pair(state, 0));
}

/*
 * make (100) existed and sleeps; cc (200) existed and runs. At 10 ms make is woken, at 12 it runs and forks 300 at 15,
 * which runs from 20 to 30 on the other processor, waits for the disk until 50, for the processor until 51, and dies
 * at 60. make sleeps from 18 on, cc is preempted from 12 to 18.
 */
static void make_threads(struct made *m)
{
	base = 0;
	made_begin(m);
	base = 1ull << 62;
	made_record(m, 0, MADE_WAKING, base + 10 * MS, made_pair(100, 200), 0);
	switches(m, 0, 12, 200, PREEMPTED, 100);
	made_record(m, 0, MADE_FORK, base + 15 * MS, 100, made_pair(300, 300), 0x6873 /* "sh" */, 0);
	switches(m, 0, 18, 100, S, 200);
	switches(m, 1, 20, 0, 0, 300);
	made_record(m, 1, MADE_SWITCH, base + 30 * MS, made_pair(300, 0), D, made_pair(-1, 1), 0);
	made_record(m, 0, MADE_WAKING, base + 50 * MS, made_pair(300, 200), 1);
	switches(m, 1, 51, 0, 0, 300);
	switches(m, 1, 60, 300, ZOMBIE, 0);
}

static const struct sums_task *thread(const struct sums *sums, int tid)
{
	for (size_t i = 0; i < sums->tasks.n; i++)
		if (sums->tasks.v[i].tid == tid)
			return &sums->tasks.v[i];
	cr_assert(false, "no thread %d", tid);
	return NULL;
}

static void sum_up(struct made *m, struct sums *sums, struct recording **r)
{
	*r = made_open(m);
	*sums = (struct sums){};
	cr_assert_eq(sums_read(sums, *r), 0);
}

/* What a thread did before the first record is the time from the clocks on: not known here. */
Test(sums, threads_split_exactly)
{
	const struct sums_task *make, *cc, *sh;
	struct recording *r;
	struct sums sums;
	struct made m;

	make_threads(&m);
	sum_up(&m, &sums, &r);
	make = thread(&sums, 100);
	cc = thread(&sums, 200);
	sh = thread(&sums, 300);
	cr_assert_eq(sums.events, 9);
	cr_assert_eq(sh->ns[SUMS_RUNS], 19 * MS);
	cr_assert_eq(sh->ns[SUMS_WAITS], 6 * MS);
	cr_assert_eq(sh->ns[SUMS_DISK], 20 * MS);
	cr_assert_eq(sh->ns[SUMS_UNKNOWN], 0);
	cr_assert_str_eq(sh->comm, "sh");
	cr_assert_eq(sh->tgid, 300);
	cr_assert_eq(sh->switches, 2);
	cr_assert_eq(make->ns[SUMS_WAITS], 2 * MS);
	cr_assert_eq(make->ns[SUMS_RUNS], 6 * MS);
	cr_assert_eq(make->ns[SUMS_UNKNOWN], 0);
	cr_assert_eq(make->wakes, 1);
	cr_assert_eq(cc->ns[SUMS_WAITS], 6 * MS);
	/* Both existed all the time. */
	for (int i = 1; i < SUMS_STATES; i++)
		sums.tasks.v[0].ns[0] += make->ns[i] - cc->ns[i];
	cr_assert_eq(sums.tasks.v[0].ns[0], 0);
	sums_release(&sums);
	recording_close(r);
}

/* A switch to the processor that was lost: the time is unknown, not running and not asleep. */
Test(sums, lost_records_are_unknown_time)
{
	struct recording *r;
	struct sums sums;
	struct made m;

	make_threads(&m);
	switches(&m, 1, 70, 0, 0, 300);
	made_chunk(&m, 1);
	made_lose(&m, 1, 5);
	switches(&m, 1, 90, 0, 0, 300);
	sum_up(&m, &sums, &r);
	cr_assert_eq(sums.lost, 5);
	cr_assert(!sums.filtered);
	cr_assert_eq(thread(&sums, 300)->ns[SUMS_UNKNOWN], 20 * MS);
	sums_release(&sums);
	recording_close(r);
}

/* The two that existed are among those that fit, and an id that Linux does not have never fits. */
Test(sums, more_threads_than_fit)
{
	const int fit = RECORDING_TASKS_MAX - 2, more = 10;
	struct recording *r;
	struct sums sums;
	struct made m;

	made_begin(&m);
	for (int i = 0; i < fit + more; i++)
		made_record(&m, 0, MADE_WAKING, (1ull << 62) + i, made_pair(1000 + i, 200), 0);
	made_record(&m, 0, MADE_WAKING, (1ull << 62) + fit + more, made_pair(1000 + fit - 1, 200), 0);
	made_record(&m, 0, MADE_WAKING, (1ull << 62) + fit + more + 1, made_pair(5 << 20, 200), 0);
	sum_up(&m, &sums, &r);
	cr_assert_eq(sums.events, fit + 1);
	cr_assert_eq(sums.lost, more + 1);
	cr_assert_eq(recording_info(r)->left_out, more + 1);
	cr_assert_leq(sums.tasks.n, RECORDING_TASKS_MAX);
	cr_assert_eq(thread(&sums, 1000 + fit - 1)->wakes, 1);
	cr_assert_eq(sums.crowded, 0);
	sums_release(&sums);
	recording_rewind(r);
	cr_assert_eq(sums_read(&sums, r), 0);
	cr_assert_eq(recording_info(r)->left_out, more + 1);
	sums_release(&sums);
	recording_close(r);
}

/* Each fork is another thread, until there are too many of them; and calls by any number. */
Test(sums, more_rows_than_fit)
{
	const int forks = SUMS_MAX + 10, calls = SUMS_FEW_MAX + 5;
	struct recording *r;
	struct sums sums;
	struct made m;

	made_begin(&m);
	for (int i = 0; i < forks; i++)
		made_record(&m, 0, MADE_FORK, (1ull << 62) + i, 100, made_pair(300, 300), 0x6161, 0);
	for (int i = 0; i < calls; i++)
		made_record(&m, 0, MADE_LEAVE, (1ull << 62) + forks + i, made_pair(300, i), 0);
	sum_up(&m, &sums, &r);
	cr_assert_eq(sums.events, forks + calls);
	cr_assert_leq(sums.tasks.n, SUMS_MAX + 1);
	cr_assert_eq(sums.calls.n, SUMS_FEW_MAX);
	cr_assert_eq(sums.crowded, forks - SUMS_MAX - 1 + 5);
	sums_release(&sums);
	recording_close(r);
}

Test(sums, new_thread_with_an_old_id)
{
	struct recording *r;
	struct sums sums;
	struct made m;

	make_threads(&m);
	made_record(&m, 0, MADE_FORK, base + 70 * MS, 100, made_pair(300, 300), 0x6161, 0);
	switches(&m, 1, 75, 0, 0, 300);
	sum_up(&m, &sums, &r);
	cr_assert_eq(sums.tasks.n, 4);
	cr_assert_str_eq(thread(&sums, 300)->comm, "sh");
	cr_assert_str_eq(sums.tasks.v[3].comm, "aa");
	cr_assert_eq(sums.tasks.v[3].ns[SUMS_WAITS], 5 * MS);
	sums_release(&sums);
	recording_close(r);
}

/* Of a filtered recording: 100 passes the filter, 400 runs before and behind it. */
Test(sums, threads_outside_of_the_filter_are_hidden)
{
	struct recording *r;
	struct sums sums;
	struct made m;

	made_begin(&m);
	base = 1ull << 62;
	switches(&m, 0, 10, 400, 0, 100);
	made_record(&m, 0, MADE_ENTER, base + 11 * MS, made_pair(100, 0));
	switches(&m, 0, 12, 100, S, 400);
	made_record(&m, 1, MADE_WAKING, base + 30 * MS, made_pair(100, 500), 0);
	switches(&m, 0, 40, 0, 0, 100);
	switches(&m, 0, 50, 100, 0, 400);
	sum_up(&m, &sums, &r);
	cr_assert(sums.filtered);
	cr_assert(thread(&sums, 400)->hidden);
	cr_assert(!thread(&sums, 100)->hidden);
	cr_assert_eq(thread(&sums, 100)->ns[SUMS_RUNS], 12 * MS);
	cr_assert_eq(thread(&sums, 100)->ns[SUMS_SLEEPS], 18 * MS);
	/* it waited since the recording began: nobody woke it */
	cr_assert_eq(thread(&sums, 100)->ns[SUMS_WAITS], 10 * MS + base + 10 * MS - sums.begun);
	sums_release(&sums);
	recording_close(r);
}

/* 100 is only ever preempted: with a filter, its switches alone say that it passes. */
Test(sums, a_thread_that_passes_the_filter_is_shown)
{
	static const struct layout_field fields[] = {
		{ "prev", LAYOUT_TASK, 1, 0, 32 },
		{ "next", LAYOUT_TASK, 1, 32, 32 },
		{ "prev_state", LAYOUT_STATE, 2, 0, 16 },
		{ "prev_passes", LAYOUT_NUMBER, 2, 16, 16 },
	};
	static const struct layout_kind passing = { 100, "switch", fields, ARRAY_SIZE(fields) };
	struct recording *r;
	struct sums sums;
	struct made m;

	made_begin(&m);
	writer_kind(m.w, &passing);
	base = 1ull << 62;
	made_record(&m, 0, 100, base + 10 * MS, made_pair(400, 100), PREEMPTED);
	made_record(&m, 0, 100, base + 20 * MS, made_pair(100, 401), PREEMPTED | 1 << 16);
	made_record(&m, 0, 100, base + 30 * MS, made_pair(402, 100), PREEMPTED);
	made_record(&m, 0, 100, base + 50 * MS, made_pair(100, 401), PREEMPTED | 1 << 16);
	sum_up(&m, &sums, &r);
	cr_assert(sums.filtered);
	cr_assert(!thread(&sums, 100)->hidden);
	cr_assert(thread(&sums, 400)->hidden);
	cr_assert(thread(&sums, 401)->hidden);
	cr_assert(thread(&sums, 402)->hidden);
	cr_assert_eq(thread(&sums, 100)->ns[SUMS_RUNS], 30 * MS);
	cr_assert_eq(thread(&sums, 100)->ns[SUMS_WAITS], 10 * MS + base + 10 * MS - sums.begun);
	cr_assert_eq(thread(&sums, 100)->ns[SUMS_UNKNOWN], 0);
	sums_release(&sums);
	recording_close(r);
}

/* 500 runs at the start, and nothing is heard of it; 501 sleeps, and the filters do not pass 502. */
Test(sums, a_thread_without_switches_runs_all_the_time)
{
	struct layout_task task = { 500, 500, 1, LAYOUT_TASK_EXISTED | LAYOUT_TASK_PASSES, 5, 'R', "spin", "" };
	struct recording *r;
	struct sums sums;
	struct made m;

	made_begin(&m);
	writer_task(m.w, &task);
	task.tid = 501;
	task.state = 'S';
	writer_task(m.w, &task);
	task.tid = 502;
	task.state = 'R';
	task.flags = LAYOUT_TASK_EXISTED;
	writer_task(m.w, &task);
	sum_up(&m, &sums, &r);
	cr_assert_eq(sums.tasks.n, 1);
	cr_assert_eq(thread(&sums, 500)->ns[SUMS_RUNS], sums.ended - sums.begun);
	cr_assert_eq(thread(&sums, 500)->ns[SUMS_UNKNOWN], 0);
	sums_release(&sums);
	recording_close(r);
}

/* As a flight recorder's: the clocks are read behind the events. Times are shown from the first one on. */
static void make_calls(struct made *m, int slow)
{
	made_begin(m);
	base = MS;
	writer_text(m->w, LAYOUT_SPACE_SYSCALLS, 0, "read");
	writer_text(m->w, LAYOUT_SPACE_SYSCALLS, 61, "wait4");
	made_record(m, 0, MADE_LEAVE, base, made_pair(100, 61), -10);
	made_record(m, 0, MADE_ENTER, base + 1 * MS, made_pair(100, 0), 3);
	made_record(m, 0, MADE_LEAVE, base + (1 + slow) * MS, made_pair(100, 0), 512);
	made_record(m, 0, MADE_ENTER, base + 50 * MS, made_pair(100, 0), 3);
	made_record(m, 0, MADE_ISSUE, base + 51 * MS, made_pair(254 << 20, 4096), 8, 77, 0x100);
	made_record(m, 1, MADE_COMPLETE, base + 54 * MS, made_pair(254 << 20, 4096), 8, 77, 0x100, 0);
	made_record(m, 1, MADE_COMPLETE, base + 55 * MS, made_pair(254 << 20, 4096), 16, 78, 1, (uint32_t)-5);
	made_record(m, 0, MADE_LEAVE, base + 56 * MS, made_pair(100, 0), -11);
}

Test(sums, calls_and_disks)
{
	struct recording *r;
	struct sums sums;
	struct made m;

	make_calls(&m, 2);
	sum_up(&m, &sums, &r);
	cr_assert_eq(sums.calls.n, 2);
	cr_assert_eq(sums.calls.v[0].number, 61);
	cr_assert_eq(sums.calls.v[0].count, 1);
	cr_assert_eq(sums.calls.v[0].timed, 0);
	cr_assert_eq(sums.calls.v[1].count, 2);
	cr_assert_eq(sums.calls.v[1].errors, 1);
	cr_assert_eq(sums.calls.v[1].total, 8 * MS);
	cr_assert_eq(sums.calls.v[1].most, 6 * MS);
	cr_assert_eq(thread(&sums, 100)->calls, 3);
	cr_assert_eq(sums.disks.n, 2);
	cr_assert_eq(sums.disks.v[0].total, 3 * MS);
	cr_assert_eq(sums.disks.v[0].bytes, 4096);
	cr_assert_eq(sums.disks.v[1].errors, 1);
	cr_assert_eq(sums.disks.v[1].timed, 0);
	sums_release(&sums);
	recording_close(r);
}

/* The child returns from a fork that it has not called; a return from a signal has lost its number. */
Test(sums, what_is_no_call)
{
	struct recording *r;
	struct sums sums;
	struct made m;

	made_begin(&m);
	base = 1ull << 62;
	writer_text(m.w, LAYOUT_SPACE_SYSCALLS, 56, "clone");
	made_record(&m, 0, MADE_ENTER, base + 1 * MS, made_pair(100, 56), 0);
	made_record(&m, 1, MADE_LEAVE, base + 2 * MS, made_pair(300, 56), 0);
	made_record(&m, 0, MADE_LEAVE, base + 3 * MS, made_pair(100, 56), 300);
	made_record(&m, 0, MADE_ENTER, base + 4 * MS, made_pair(100, 15), 0);
	made_record(&m, 0, MADE_LEAVE, base + 5 * MS, made_pair(100, -1), 0);
	sum_up(&m, &sums, &r);
	cr_assert_eq(sums.calls.n, 2);
	cr_assert_eq(sums.calls.v[0].count, 1);
	cr_assert_eq(sums.calls.v[0].total, 2 * MS);
	cr_assert_eq(sums.calls.v[1].number, 15);
	cr_assert_eq(sums.calls.v[1].timed, 1);
	sums_release(&sums);
	recording_close(r);
}

/* Returns what fn prints. The caller frees. */
static char *printed(enum output_format format, void (*fn)(struct output *out, void *ctx), void *ctx)
{
	int fd __close = memfd_create("out", 0);
	struct output *out = output_new(fd, format);
	char *text = base_alloc(65536);

	fn(out, ctx);
	output_flush(out);
	cr_assert_eq(output_error(out), 0);
	output_free(out);
	cr_assert_geq(pread(fd, text, 65535, 0), 0);
	return text;
}

static void expect(const char *text, const char *line)
{
	cr_expect(strstr(text, line), "no \"%s\" in\n%s", line, text);
}

static void print_timeline(struct output *out, void *ctx)
{
	recording_rewind(ctx);
	cr_assert_eq(timeline_print(ctx, out), 0);
}

Test(sums, timeline)
{
	struct recording *r;
	struct made m;
	char *text;

	make_calls(&m, 2);
	made_chunk(&m, 0);
	made_lose(&m, 0, 3);
	switches(&m, 0, 60, 100, S, 0);
	r = made_open(&m);
	text = printed(OUTPUT_TEXT, print_timeline, r);
	expect(text, "                make-100 [000]      0.001000 sys_enter      syscall=read args=0x3\n");
	expect(text, "                make-100 [000]      0.056000 sys_exit       syscall=read ret=-EAGAIN\n");
	expect(text, "                       ? [000]      0.060000 lost           3 records\n");
	expect(text, "                make-100 [000]      0.060000 switch         prev=make-100 next=idle-0 prev_state=S ");
	free(text);
	text = printed(OUTPUT_JSON, print_timeline, r);
	expect(text, "\"cpu\":0,\"comm\":\"make\",\"tid\":100,\"kind\":\"sys_enter\","
		     "\"fields\":{\"task\":100,\"syscall\":\"read\",\"args\":[3]},\"lost\":null}\n");
	expect(text, "\"kind\":\"lost\",\"fields\":null,\"lost\":3}\n");
	free(text);
	recording_close(r);
}

static void print_summary(struct output *out, void *ctx)
{
	struct sums sums = {};

	recording_rewind(ctx);
	cr_assert_eq(sums_read(&sums, ctx), 0);
	summary_print(&sums, ctx, out, 1, false);
	sums_release(&sums);
}

Test(sums, summary)
{
	struct recording *r;
	struct made m;
	char *text;

	make_calls(&m, 2);
	r = made_open(&m);
	text = printed(OUTPUT_TEXT, print_summary, r);
	expect(text, "sonde record\n");
	expect(text, "2 processors, 8 events, node, Linux 6.12\n");
	expect(text, "SYSCALL                    COUNT   ERRORS    TOTAL(ms)      AVG(us)      MAX(us)\n"
		     "read                           2        1          8.0       4000.0       6000.0\n"
		     "1 more\n");
	expect(text, "254:0        read              1          4          3.0      3000.0      3000.0\n");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		cr_expect(strlen(line) <= 80, "%s", line);
	free(text);
	text = printed(OUTPUT_JSON, print_summary, r);
	expect(text, "{\"table\":\"recording\",\"command\":\"sonde record\",\"node\":\"node\",");
	expect(text, "{\"table\":\"syscalls\",\"syscall\":\"read\",\"count\":2,\"errors\":1,\"total_ns\":8000000,");
	free(text);
	recording_close(r);
}

struct two {
	struct recording *old, *now;
};

static void print_difference(struct output *out, void *ctx)
{
	struct sums old = {}, now = {};
	struct two *two = ctx;

	recording_rewind(two->old);
	recording_rewind(two->now);
	cr_assert_eq(sums_read(&old, two->old), 0);
	cr_assert_eq(sums_read(&now, two->now), 0);
	difference_print(&old, two->old, &now, two->now, out, 1000);
	sums_release(&old);
	sums_release(&now);
}

Test(sums, difference)
{
	struct made m, slower;
	struct two two;
	char *text;

	make_calls(&m, 2);
	make_calls(&slower, 22);
	two.old = made_open(&m);
	two.now = made_open(&slower);
	text = printed(OUTPUT_TEXT, print_difference, &two);
	expect(text, "syscall  read                       8.0        28.0      +20.0   +250%        2\n");
	expect(text, "request  254:0 read                 3.0         3.0       +0.0     +0%        1\n");
	free(text);
	text = printed(OUTPUT_JSON, print_difference, &two);
	expect(text, "{\"what\":\"syscall\",\"name\":\"read\",\"old_ns\":8000000,\"new_ns\":28000000,\"change_ns\":20000000,");
	free(text);
	recording_close(two.old);
	recording_close(two.now);
}

/* Microseconds by thread, by what it did, and by the call in which it slept. */
Test(sums, folded)
{
	char dir[] = "/tmp/folded-XXXXXX", *path, text[4096] = "";
	struct files files = {};
	struct recording *r;
	struct sums sums;
	struct made m;
	struct err err;
	FILE *f;

	cr_assert(mkdtemp(dir));
	path = base_printf("%s/f", dir);
	make_threads(&m);
	made_record(&m, 1, MADE_SWITCH, base + 70 * MS, made_pair(0, 300), 0);
	made_record(&m, 1, MADE_SWITCH, base + 71 * MS, made_pair(300, 0), S, made_pair(61, 0), 0);
	made_record(&m, 0, MADE_WAKING, base + 75 * MS, made_pair(300, 200), 1);
	writer_text(m.w, LAYOUT_SPACE_SYSCALLS, 61, "wait4");
	sum_up(&m, &sums, &r);
	cr_assert_eq(files_add(&files, &file_folded, path, false, &err), 0);
	spent_add(&files, &sums, r);
	cr_assert_eq(files_write(&files, &files.v[0], &err), 0);
	files_release(&files);
	f = fopen(path, "r");
	cr_assert(fread(text, 1, sizeof(text) - 1, f));
	fclose(f);
	expect(text, "sh;[running] 20000\n");
	expect(text, "sh;[processor] 6000\n");
	expect(text, "sh;[disk] 20000\n");
	expect(text, "sh;[sleep];wait4 4000\n");
	unlink(path);
	rmdir(dir);
	free(path);
	sums_release(&sums);
	recording_close(r);
}
