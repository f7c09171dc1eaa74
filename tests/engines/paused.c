// SPDX-License-Identifier: BSD-2-Clause
/*
 * An engine whose links are closed and made again, by the same process or the next, and one that measures a part of the
 * calls. The workload is a child of ours that makes as many calls as we say.
 *
 *	paused ENGINE MECHANISM SPEC	ENGINE: count, latency, syscalls, script
 *
 * SPEC "alpha" is a function of this program; the system call getpgid is made as often. Of a script it is the key under
 * which it stores when a call of that function has begun. Prints "ok", or what is wrong, and exits with 1.
 */
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "attach/keep.h"
#include "attach/mechanism.h"
#include "attach/quirks.h"
#include "base/report.h"
#include "bpf/sampling.h"
#include "counted.h"
#include "engines/count.h"
#include "engines/latency.h"
#include "engines/syscalls.h"
#include "fail.h"
#include "script/script.h"

#define WORKLOAD "pausedload"
#define CYCLES	 4
#define CALLS	 50
/* So many that the estimate of one of 8 is wrong by 15 % once in 10^13 times: 8 standard deviations of sqrt(7 n). */
#define SAMPLED 20000

/* --- the workload --- */

static int to_child[2], from_child[2];

static void answer(void)
{
	if (write(from_child[1], "", 1) != 1)
		_exit(0);
}

static int request(void)
{
	int n;

	return read(to_child[0], &n, sizeof(n)) == sizeof(n) ? n : -1;
}

/* waits: answers when the call has begun, and ends it when the next request comes. */
__attribute__((noipa)) void paused_alpha(bool waits)
{
	if (!waits)
		return;
	answer();
	request();
}

/* Called after each call: an end that is a probe of its own. */
__attribute__((noipa)) void paused_omega(void)
{
	__asm__ volatile("");
}

static void call_waiting(void)
{
	paused_alpha(true);
	paused_omega();
}

/* A request of n calls; of 0: one call that waits. */
static void work(void)
{
	int n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, WORKLOAD);
	while ((n = request()) >= 0) {
		if (!n)
			call_waiting();
		for (int i = 0; i < n; i++) {
			paused_alpha(false);
			paused_omega();
			syscall(SYS_getpgid, 0);
		}
		answer();
	}
	_exit(0);
}

static void call(int n)
{
	char byte;

	if (write(to_child[1], &n, sizeof(n)) != sizeof(n) || read(from_child[0], &byte, 1) != 1)
		fail("the workload has ended");
}

static void start_workload(void)
{
	if (pipe(to_child) || pipe(from_child))
		exit(1);
	fflush(stdout);
	if (!fork())
		work();
}

/* --- the engine --- */

static struct counted counted = { .metrics = { .max_keys = 128, .sampling = true } };

static void open_engine(const char *mechanism, const char **spec)
{
	struct err err = {};

	if (counted_open(&counted, mechanism, spec, WORKLOAD, &err))
		fail("%s", err.text);
}

static struct attach *attachment(size_t n)
{
	return counted.engine->attachment(&counted.instance, n);
}

static void expect_calls(uint64_t n, const char *when)
{
	uint64_t calls = counted_total(&counted).calls;

	if (calls != n)
		fail("%s: %llu calls, not %llu", when, (unsigned long long)calls, (unsigned long long)n);
}

/* --- pauses --- */

static size_t n_attached(void)
{
	const struct attach *attach;
	size_t n = 0;

	for (size_t i = 0; (attach = attachment(i)); i++)
		n += attach_count(attach);
	return n;
}

static void pause_all(void)
{
	struct attach *attach;

	for (size_t i = 0; (attach = attachment(i)); i++) {
		attach_pause(attach, "paused: a test");
		attach_pause(attach, "paused: a test");
		if (!attach_is_paused(attach) || strcmp(attach_why_not(attach, 0), "paused: a test"))
			fail("it is not paused");
	}
	if (n_attached())
		fail("%zu targets are attached during the pause", n_attached());
}

static void resume_all(size_t n)
{
	struct attach *attach;
	struct err err = {};

	for (size_t i = 0; (attach = attachment(i)); i++)
		if (attach_resume(attach, &err) || attach_is_paused(attach))
			fail("cannot resume: %s", err.text);
	if (n_attached() != n)
		fail("%zu of %zu targets are attached after the pause", n_attached(), n);
}

static void test_pauses(void)
{
	size_t n = n_attached();
	uint64_t calls = 0;

	for (int i = 0; i < CYCLES; i++) {
		call(CALLS);
		expect_calls(calls += CALLS, "before a pause");
		pause_all();
		call(CALLS);
		expect_calls(calls, "in a pause");
		resume_all(n);
	}
	call(CALLS);
	expect_calls(calls + CALLS, "at the end");
}

/* While nothing can be attached the pause lasts, and the next try is as good as the first. */
static void test_failure(void)
{
	struct attach *attach = attachment(0);
	size_t n = n_attached(), copies = attach->copies.n;
	struct rlimit limit, none;
	struct err err = {};

	pause_all();
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 3;
	setrlimit(RLIMIT_NOFILE, &none);
	for (int i = 0; i < CYCLES; i++)
		if (attach_resume(attach, &err) != -ENOTSUP || !attach_is_paused(attach))
			fail("attached without a descriptor");
	setrlimit(RLIMIT_NOFILE, &limit);
	resume_all(n);
	if (attach->copies.n != copies)
		fail("%zu copies of programs, not %zu", attach->copies.n, copies);
}

static uint64_t lost(void)
{
	struct engine_stats stats = {};
	uint64_t n = 0;

	counted.engine->stats(&counted.instance, &stats);
	for (size_t i = 0; i < stats.n_lost; i++)
		n += stats.lost[i].n;
	return n;
}

/* A call that begins before a pause and ends after it: nobody knows its time. */
static void test_call_over_pause(void)
{
	size_t n = n_attached();
	uint64_t calls = counted_total(&counted).calls;

	call(0);
	pause_all();
	resume_all(n);
	call(1); /* ends the call that waits, and makes no other */
	call(CALLS);
	expect_calls(calls + CALLS, "after a call over a pause");
	if (lost())
		fail("%llu calls are reported as lost", (unsigned long long)lost());
}

/* --- the next process --- */

static void describe(struct keep_fds *list)
{
	const struct keep_history history = {};
	struct err err = {};

	if (keep_describe(counted.metrics.keep, &history, list, &err))
		fail("%s", err.text);
}

/* Offers copies of the descriptors, since keep_offer() takes them. */
static void offer(const struct keep_fds *list, const int *fds)
{
	struct keep_history history;

	keep_free(counted.metrics.keep);
	counted.metrics.keep = keep_new(WORKLOAD);
	if (keep_offer(counted.metrics.keep, fds, list->n, &history))
		fail("the description is not found");
}

static void reopen(const char *mechanism, const char **spec)
{
	struct keep_fds list = {};
	__free int *fds = NULL;

	describe(&list);
	fds = base_alloc(list.n * sizeof(*fds));
	for (size_t i = 0; i < list.n; i++)
		fds[i] = fcntl(list.v[i].fd, F_DUPFD_CLOEXEC, 0);
	counted_close(&counted);
	offer(&list, fds);
	free(list.v);
	open_engine(mechanism, spec);
	if (!keep_is_adopted(counted.metrics.keep))
		fail("it is not adopted");
}

/*
 * A line that is paused when its process ends: the next one attaches it again, in the same way. A call that began
 * before is not measured, and what was missed before is still counted.
 */
static void test_adoption(const char *mechanism, const char **spec)
{
	bool waits = counted.engine == &script_engine || (counted.engine == &latency_engine && strstr(*spec, "alpha"));
	struct attach *attach = attachment(0);
	enum mech by = attach_mechanism(attach, 0);
	size_t n = n_attached();
	uint64_t calls = counted_total(&counted).calls, before;

	if (waits)
		call(0);
	pause_all();
	before = counted_missed(attach);
	attach->pauses.missed[0] += 2;
	attach->pauses.missed[attach_slots(attach)] += 3;
	reopen(mechanism, spec);
	attach = attachment(0);
	if (n_attached() != n || attach_mechanism(attach, 0) != by)
		fail("%zu of %zu targets, by %s, not %s", n_attached(), n, mech_names[attach_mechanism(attach, 0)],
		     mech_names[by]);
	if (quirk_counts_recursion() && counted_missed(attach) != before + 5)
		fail("%llu missed, not %llu", (unsigned long long)counted_missed(attach),
		     (unsigned long long)before + 5);
	if (waits)
		call(1);
	call(CALLS);
	expect_calls(calls + CALLS, "after the restart");
}

/* --- sampling --- */

static void expect_about(double is, double wanted, double within, const char *what)
{
	if (is < wanted * (1 - within) || is > wanted * (1 + within))
		fail("%s: %.0f, not about %.0f", what, is, wanted);
}

/* The number of calls is an estimate, the number of system calls is counted. Nothing is lost. */
static void test_sampling(void)
{
	double within = counted.engine == &latency_engine ? 0.15 : 0;
	struct counted_totals before = counted_total(&counted), all, some;

	if (!counted.instance.sampling)
		fail("there is no sampling word");
	call(SAMPLED);
	all = counted_total(&counted);
	if (all.calls - before.calls != SAMPLED)
		fail("%llu calls with one of one", (unsigned long long)(all.calls - before.calls));
	*counted.instance.sampling = SAMPLING_SHIFT_MAX;
	call(SAMPLED);
	some = counted_total(&counted);
	expect_about(some.calls - all.calls, SAMPLED, within, "calls with one of 8");
	/* each value counts 8 times; how long the calls took depends on the machine */
	if ((within && (some.calls - all.calls) % 8) || (some.ns - all.ns) % 8 || some.ns == all.ns)
		fail("%llu calls and %llu ns are not multiples of 8", (unsigned long long)(some.calls - all.calls),
		     (unsigned long long)(some.ns - all.ns));
	if (some.max && some.max > some.ns)
		fail("the maximum has a weight");
	*counted.instance.sampling = 0;
	call(CALLS);
	if (counted_total(&counted).calls - some.calls != CALLS)
		fail("%llu calls after sampling", (unsigned long long)(counted_total(&counted).calls - some.calls));
	if (lost())
		fail("%llu calls are reported as lost", (unsigned long long)lost());
}

/* A script that measures as latency does, and counts what it has measured. */
static char *script_of(const char *path, const char *key)
{
	return base_printf("u:%s:paused_alpha { @begun[%s] = nsecs; }"
			   "u:%s:paused_omega /@begun[%s]/ { @ = count(); delete(@begun, %s); }",
			   path, key, path, key, key);
}

int main(int argc, char **argv)
{
	__free char *own = base_printf("u:%s:paused_alpha", argv[0]), *script = NULL;
	const char *spec;

	if (argc != 4)
		return 2;
	spec = !strcmp(argv[3], "alpha") ? own : argv[3];
	counted_choose(&counted, argv[1]);
	if (counted.engine == &script_engine)
		spec = script = script_of(argv[0], argv[3]);
	start_workload();
	counted.metrics.keep = keep_new(WORKLOAD);
	open_engine(argv[2], &spec);
	test_pauses();
	test_failure();
	if (spec == script || (counted.engine == &latency_engine && spec == own))
		test_call_over_pause();
	if (counted.engine != &count_engine && spec != script)
		test_sampling();
	test_adoption(argv[2], &spec);
	counted_close(&counted);
	keep_free(counted.metrics.keep);
	puts("ok");
	return 0;
}
