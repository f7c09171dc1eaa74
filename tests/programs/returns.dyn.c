// SPDX-License-Identifier: BSD-2-Clause
/*
 * returns [-w FIFO] CASE
 *
 * Functions r_* whose calls do not simply return, or that look at return addresses: whatever probes the ends of
 * functions must leave them alone. Prints what it found, always the same text, then "did FUNCTION N" for calls that
 * return and "left FUNCTION N" for calls that are left in another way. -w: waits first until FIFO is written to.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "workload.h"

/* Its own frame and its own symbol. */
#define PROBED __attribute__((noinline, noclone))

static volatile long sum;

static void did(const char *function, int n)
{
	printf("did %s %d\n", function, n);
}

static void left(const char *function, int n)
{
	printf("left %s %d\n", function, n);
}

/* --- jumps out of functions and back into them --- */

static jmp_buf outside, inside;

PROBED void r_jumper(int value)
{
	sum += value;
	longjmp(outside, value);
}

PROBED int r_over(int value)
{
	r_jumper(value);
	return 0;
}

PROBED int r_beside(int value)
{
	sum += value;
	return value + 1;
}

static void longjmps(void)
{
	volatile int landed = 0;

	for (volatile int i = 1; i <= 10; i++) {
		if (!setjmp(outside))
			r_over(i);
		else
			landed += r_beside(i);
	}
	printf("landed %d\n", landed);
	did("r_beside", 10);
	left("r_over", 10);
	left("r_jumper", 10);
}

PROBED void r_back(int value)
{
	longjmp(inside, value);
}

/* setjmp() returns twice here, to the same frame. */
PROBED int r_twice(int value)
{
	volatile int times = 0;
	int came = setjmp(inside);

	times++;
	if (!came)
		r_back(value);
	return came + times;
}

static void setjmps(void)
{
	int all = 0;

	for (int i = 1; i <= 10; i++)
		all += r_twice(i);
	printf("came %d\n", all);
	did("r_twice", 10);
	left("r_back", 10);
}

/* --- more than one stack --- */

static ucontext_t back, coroutines[2];
static long n;

/* Leaves its stack in the middle, and goes on there. */
PROBED long r_yield(int me, long value)
{
	n += value;
	swapcontext(&coroutines[me], &coroutines[!me]);
	n += 10 * value;
	return n;
}

PROBED void r_coroutine(int me)
{
	for (int i = 0; i < 5; i++)
		r_yield(me, me ? 1 : 2);
}

static void run_coroutine(int me)
{
	r_coroutine(me);
	n += 1000;
	/* the first to end lets the other one end, too */
	if (n < 2000)
		swapcontext(&coroutines[me], &coroutines[!me]);
	setcontext(&back);
}

static void contexts(void)
{
	static char stacks[2][256 << 10];
	volatile bool started = false;

	getcontext(&back);
	if (!started) {
		started = true;
		for (int i = 0; i < 2; i++) {
			getcontext(&coroutines[i]);
			coroutines[i].uc_stack = (stack_t){ .ss_sp = stacks[i], .ss_size = sizeof(stacks[i]) };
			makecontext(&coroutines[i], (void (*)(void))run_coroutine, 1, i);
		}
		setcontext(&coroutines[0]);
	}
	printf("n=%ld\n", n - 2000);
	did("r_yield", 10);
	did("r_coroutine", 2);
}

/* getcontext() returns twice here. */
PROBED int r_getcontext(int value)
{
	volatile int times = 0;
	ucontext_t here;

	getcontext(&here);
	if (++times < 3)
		setcontext(&here);
	return value + times;
}

static void getcontexts(void)
{
	int all = 0;

	for (int i = 0; i < 10; i++)
		all += r_getcontext(i);
	printf("times %d\n", all);
	did("r_getcontext", 10);
}

static volatile int handled;

PROBED void r_handler(int signal)
{
	handled += signal == SIGUSR1;
}

PROBED int r_interrupted(int value)
{
	raise(SIGUSR1);
	return value + handled;
}

static void on_signal(int signal)
{
	r_handler(signal);
}

static void sigaltstacks(void)
{
	static char stack[64 << 10];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	int all = 0;

	if (sigaltstack(&other, NULL) || sigaction(SIGUSR1, &action, NULL))
		err(1, "sigaltstack");
	for (int i = 0; i < 10; i++)
		all += r_interrupted(i);
	printf("handled %d, in all %d\n", handled, all);
	did("r_handler", 10);
	did("r_interrupted", 10);
}

/* --- who calls --- */

/* dlsym(RTLD_NEXT) and dlopen() look at their own return address, for the library that calls. */
PROBED bool r_next(void)
{
	return dlsym(RTLD_NEXT, "getppid") != NULL;
}

PROBED bool r_open(void)
{
	void *library = dlopen("libc.so.6", RTLD_NOW);

	return library && !dlclose(library);
}

/* 0 if the return address is in this program. */
PROBED int r_caller(void)
{
	Dl_info caller, own;

	return !dladdr(__builtin_return_address(0), &caller) || !dladdr((void *)r_caller, &own) ||
	       caller.dli_fbase != own.dli_fbase;
}

static void callers(void)
{
	int next = 0, opened = 0, strangers = 0;

	for (int i = 0; i < 10; i++) {
		next += r_next();
		opened += r_open();
		strangers += r_caller();
	}
	printf("next %d, opened %d, strange callers %d\n", next, opened, strangers);
	did("r_next", 10);
	did("r_open", 10);
	did("r_caller", 10);
}

/* Offsets in files, since addresses differ from run to run. */
PROBED int r_trace(int depth)
{
	void *frames[64];
	int count;

	if (depth > 0) {
		count = r_trace(depth - 1) + 1;
		sum++; /* else the compiler makes a loop of it */
		return count;
	}
	count = backtrace(frames, 64);
	for (int i = 0; i < count; i++) {
		const char *name;
		Dl_info info;

		if (!dladdr(frames[i], &info)) {
			printf("frame %d in no file\n", i);
			continue;
		}
		name = strrchr(info.dli_fname, '/');
		printf("frame %d %s+0x%lx\n", i, name ? name + 1 : info.dli_fname,
		       (long)((char *)frames[i] - (char *)info.dli_fbase));
	}
	return 1;
}

static void backtraces(void)
{
	int all = 0;

	for (int i = 0; i < 3; i++)
		all += r_trace(i);
	printf("depths %d\n", all);
	did("r_trace", 6);
}

/* --- ends of threads and processes within functions --- */

static void cleaned(void *count)
{
	++*(int *)count;
}

PROBED void r_quits(void)
{
	pthread_exit((void *)7);
}

PROBED void r_waits(int *ready)
{
	__atomic_store_n(ready, 1, __ATOMIC_RELEASE);
	for (;;)
		sleep(1000);
}

static int clean;

PROBED void *r_quitting(void *unused)
{
	pthread_cleanup_push(cleaned, &clean);
	r_quits();
	pthread_cleanup_pop(0);
	return unused;
}

PROBED void *r_canceled(void *ready)
{
	pthread_cleanup_push(cleaned, &clean);
	r_waits(ready);
	pthread_cleanup_pop(0);
	return NULL;
}

static void threads(void)
{
	int quit = 0, canceled = 0;

	for (int i = 0; i < 10; i++) {
		pthread_t thread;
		int ready = 0;
		void *result;

		if (pthread_create(&thread, NULL, r_quitting, NULL) || pthread_join(thread, &result))
			errx(1, "pthread_create");
		quit += result == (void *)7;
		if (pthread_create(&thread, NULL, r_canceled, &ready))
			errx(1, "pthread_create");
		while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
			usleep(1000);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		canceled += result == PTHREAD_CANCELED;
	}
	printf("quit %d, canceled %d, cleaned %d\n", quit, canceled, clean);
	left("r_quits", 10);
	left("r_quitting", 10);
	left("r_waits", 10);
	left("r_canceled", 10);
}

/* Returns in two processes. */
PROBED int r_fork(void)
{
	return fork();
}

/* The child runs on the parent's stack until it ends. */
PROBED int r_vfork(int code)
{
	int status, child = vfork();

	if (!child)
		_exit(code);
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static void forks(void)
{
	int all = 0, codes = 0;

	for (int i = 0; i < 10; i++) {
		int status, child = r_fork();

		if (!child)
			_exit(i);
		waitpid(child, &status, 0);
		all += WEXITSTATUS(status);
		codes += r_vfork(i);
	}
	printf("forked %d, vforked %d\n", all, codes);
	did("r_fork", 10);
	did("r_vfork", 10);
}

/* --- jumps that are no calls --- */

PROBED long r_target(long value)
{
	sum += value;
	return value * 3;
}

PROBED long r_other(long value)
{
	sum -= value;
	return value * 5;
}

/* Ends with a jump. */
PROBED long r_tail(long value)
{
	sum++;
	return r_target(value + 1);
}

static long (*volatile targets[2])(long) = { r_target, r_other };

/* Ends with a jump to wherever a register points. */
PROBED long r_indirect(long value)
{
	sum++;
	return targets[value & 1](value + 1);
}

/* An indirect jump that stays in the function. */
PROBED long r_switch(long value)
{
	switch (value) {
	case 0:
		return sum++;
	case 1:
		sum += 3;
		break;
	case 2:
		sum -= 5;
		break;
	case 3:
		return r_other(sum & 1);
	case 4:
		sum ^= 7;
		break;
	case 5:
		sum *= 3;
		break;
	case 6:
		sum = 11;
		break;
	default:
		sum = value;
	}
	return sum & 0xff;
}

PROBED long r_deep(long depth)
{
	long below = depth > 1 ? r_deep(depth - 1) : r_target(depth);

	sum++; /* as above */
	return below + depth;
}

__attribute__((noinline, noclone, cold)) void rare(void)
{
	sum = 0;
}

/* Its unlikely part is elsewhere: r_split.cold. */
PROBED long r_split(long value)
{
	if (__builtin_expect(value == 7, 0)) {
		rare();
		sum += value;
		return -1;
	}
	return sum += value;
}

/* The end of the process, in the midst of functions. */
__attribute__((noreturn)) PROBED void r_ends(int code)
{
	fflush(stdout);
	_exit(code);
}

PROBED int r_leaves(int code)
{
	if (code >= 0)
		r_ends(code);
	return code;
}

static void jumps(void)
{
	long all = 0;

	for (long i = 0; i < 16; i++)
		all += r_tail(i) + r_indirect(i) + r_switch(i % 8) + r_split(i);
	printf("all %ld, deep %ld\n", all, r_deep(100));
	did("r_tail", 16);
	did("r_indirect", 16);
	did("r_switch", 16);
	did("r_split", 16);
	did("r_deep", 100);
	did("r_target", 16 + 8 + 1);
	did("r_other", 8 + 2);
	left("r_ends", 1);
	left("r_leaves", 1);
	r_leaves(23);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "longjmp", longjmps },
		{ "setjmp", setjmps },
		{ "swapcontext", contexts },
		{ "getcontext", getcontexts },
		{ "sigaltstack", sigaltstacks },
		{ "callers", callers },
		{ "backtrace", backtraces },
		{ "threads", threads },
		{ "fork", forks },
		{ "jumps", jumps },
	};

	if (argc > 2 && !strcmp(argv[1], "-w")) {
		workload_wait(argv[2]);
		argv += 2;
		argc -= 2;
	}
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			setvbuf(stdout, NULL, _IOFBF, 1 << 16);
			cases[i].run();
			return 0;
		}
	errx(2, "usage: returns [-w FIFO] CASE");
}
