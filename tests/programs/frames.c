// SPDX-License-Identifier: BSD-2-Clause
/*
 * frames MODE DEPTH: calls functions DEPTH deep, without frame pointers, and reads a byte of /dev/zero in the
 * innermost, leaf(). Prints "ready", and begins when its standard input ends. MODE:
 *	deep	odd() and even() in turn, of which only even() has a stack of varying size, hence a frame pointer
 *	signal	the same in the handler of a signal, which leaf() has caused
 *	stack	the same, and the handler has a stack of its own
 *	sort	the same in a function that qsort() calls
 *	thread	the same in a thread
 *	spin	deep, and leaf() runs for a while instead
 *	cost	deep, a thousand times; prints on stderr "cost NS", the time of one in the fastest round
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALLED __attribute__((noipa, optimize("O2", "omit-frame-pointer", "no-optimize-sibling-calls")))

static long spins;
static int zero;

/* The call must not be in a function of libc, which would be the innermost then. */
CALLED void leaf(void)
{
	char byte;

	for (volatile long i = 0; i < spins; i++)
		;
#if defined(__x86_64__)
	long number = SYS_read;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(zero), "S"(&byte), "d"(1)
			 : "rcx", "r11", "memory");
#else
	register long x8 __asm__("x8") = SYS_read, x0 __asm__("x0") = zero, x2 __asm__("x2") = 1;
	register char *x1 __asm__("x1") = &byte;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2)
			 : "memory");
#endif
}

CALLED void even(int depth);

CALLED void odd(int depth)
{
	char room[40];

	memset(room, depth, sizeof(room));
	__asm__ volatile(""
			 :
			 : "r"(room)
			 : "memory");
	if (depth > 1)
		even(depth - 1);
	else
		leaf();
	__asm__ volatile(""
			 :
			 : "r"(room)
			 : "memory");
}

CALLED void even(int depth)
{
	/* of a size that the compiler does not know, so that the frame is found by the frame pointer */
	char room[depth % 7 * 24 + 8];

	memset(room, depth, 8);
	__asm__ volatile(""
			 :
			 : "r"(room)
			 : "memory");
	if (depth > 1)
		odd(depth - 1);
	else
		leaf();
	__asm__ volatile(""
			 :
			 : "r"(room)
			 : "memory");
}

static int wanted;

CALLED void deep(void)
{
	odd(wanted);
	__asm__ volatile(""
			 :
			 :
			 : "memory");
}

CALLED void handler(int signal)
{
	deep();
	__asm__ volatile(""
			 :
			 :
			 : "memory");
}

CALLED void raises(void)
{
	/* an instruction that faults: what it interrupts is at an exact place, not behind a call */
#if defined(__x86_64__)
	__asm__ volatile(".globl fault\nfault: ud2"
			 :
			 :
			 : "memory");
#else
	__asm__ volatile(".globl fault\nfault: udf #0"
			 :
			 :
			 : "memory");
#endif
}

/* The fault is over: the second one ends the process. So the handler leaves the process itself. */
CALLED void faulted(int signal)
{
	handler(signal);
	printf("did signal %d\n", wanted);
	fflush(stdout);
	_exit(0);
}

static void on_signal(int flags)
{
	struct sigaction action = { .sa_handler = faulted, .sa_flags = flags };
	static char room[65536];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };

	sigaltstack(&stack, NULL);
	sigaction(SIGILL, &action, NULL);
	raises();
}

CALLED int compare(const void *a, const void *b)
{
	static int once;

	if (!once++)
		deep();
	return *(const int *)a - *(const int *)b;
}

CALLED void *thread(void *unused)
{
	deep();
	return unused;
}

static void cost(void)
{
	long long least = 1LL << 62;

	for (int round = 0; round < 100; round++) {
		struct timespec from, to;
		long long ns;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
		for (int i = 0; i < 10; i++)
			deep();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
		ns = (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec;
		least = ns < least ? ns : least;
	}
	fprintf(stderr, "cost %lld\n", least / 10);
}

int main(int argc, char **argv)
{
	const char *mode = argc == 3 ? argv[1] : "";
	int numbers[] = { 3, 1, 2 };
	pthread_t id;
	char byte;

	zero = open("/dev/zero", O_RDONLY);
	wanted = argc == 3 ? atoi(argv[2]) : 0;
	printf("ready\n");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	if (!strcmp(mode, "signal"))
		on_signal(0);
	else if (!strcmp(mode, "stack"))
		on_signal(SA_ONSTACK);
	else if (!strcmp(mode, "sort"))
		qsort(numbers, 3, sizeof(*numbers), compare);
	else if (!strcmp(mode, "thread"))
		pthread_create(&id, NULL, thread, NULL), pthread_join(id, NULL);
	else if (!strcmp(mode, "spin"))
		spins = 30000000, deep();
	else if (!strcmp(mode, "cost"))
		cost();
	else if (!strcmp(mode, "deep"))
		deep();
	else
		return 2;
	printf("did %s %d\n", mode, wanted);
	return 0;
}
