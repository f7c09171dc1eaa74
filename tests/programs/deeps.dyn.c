// SPDX-License-Identifier: BSD-2-Clause
/*
 * deeps [-w FIFO] [-n DEPTH] [-r ROUNDS] [-m MS] WAY LEAF
 *
 * Goes down DEPTH (27) calls of down() on a known way, and stays there for MS (1000) ms of processor time. Compiled
 * with -O2 and without frame pointers, so that only tables can unwind it. It prints "did WAY LEAF ROUNDS" (1).
 *
 * WAY	what is between main() and down()
 *	plain		nothing
 *	untabled	with_pointer(), which has a frame pointer, and saving(), which has no table; on arm64 it saves registers
 *			before it makes its frame
 *	callback	compare(), which libc's qsort calls
 *	signal		handler() of a signal that compare() raises: libc, compare(), libc, handler()
 *	alternate	the same, and the handler has a stack of its own
 *	interrupt	handler() of a timer that interrupts busy() anywhere, and that down() calls
 *	threads		two threads, which start with run() in place of main(); libc's functions are below that
 *	crossed		a thread whose signal handler's stack lies above the thread's own
 *	dlopen		inside(), which calls back, of a library that is loaded after the gate has opened
 *	exec		the program executes itself after the gate has opened, to go the plain way
 *	forks		ROUNDS children, one after another
 * LEAF	what is done at the end
 *	spin		leaf() computes
 *	calls		leaf() calls getppid, 1000 times for each ms instead of the time
 *	vdso		leaf() reads the clock
 *	register	leaf() calls by_register(), which computes
 *	edge		leaf() calls ask(), which ends with a system call; the next function has no caller (x86-64)
 *	plt		leaf() calls nothing() in the library beside this program, through the PLT
 *	stop		leaf() raises SIGSTOP
 *	wait		leaf() reads a byte from stdin
 */
#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

#define KEPT	 __attribute__((noinline, noclone, noipa))
#define ALTSTACK 65536

#define CODE(text) __asm__(".pushsection .text\n" text ".popsection\n")
#if defined(__x86_64__)
#define BY_REGISTER \
	"mov %rsp, %rax\n.cfi_def_cfa_register %rax\nsub $56, %rsp\nand $-64, %rsp\n1: dec %rdi\njnz 1b\n" \
	"mov %rax, %rsp\n.cfi_def_cfa_register %rsp\nret\n"
#define ASK \
	FUNCTION("ask", "mov $110, %eax\nsyscall\n") \
	FUNCTION("asked", ".cfi_undefined %rip\nret\n")
#define SAVING "push %rbp\nmov %rsp, %rbp\ncall *%rdi\npop %rbp\nret\n"
#else
#define BY_REGISTER \
	"mov x9, sp\n.cfi_def_cfa_register x9\nsub sp, sp, #64\n1: subs x0, x0, #1\nb.ne 1b\n" \
	"mov sp, x9\n.cfi_def_cfa_register sp\nret\n"
#define ASK FUNCTION("ask", "ret\n")
#define SAVING \
	"stp x19, x20, [sp, #-16]!\nstp x21, x22, [sp, #-16]!\nstp x29, x30, [sp, #-16]!\nmov x29, sp\nblr x0\n" \
	"ldp x29, x30, [sp], #16\nldp x21, x22, [sp], #16\nldp x19, x20, [sp], #16\nret\n"
#endif
#define FUNCTION(name, text) \
	".globl " name "\n.type " name ", %function\n" name ":\n.cfi_startproc\n" text ".cfi_endproc\n.size " name ", . - " name "\n"

/* Keeps its CFA in a register that functions may overwrite, as OpenSSL's assembler does. */
long by_register(long n);
CODE(FUNCTION("by_register", BY_REGISTER));
/* Where a system call returns to is behind it. */
long ask(void);
CODE(ASK);
/* Calls a function, without a table. */
void saving(void (*call)(void));
CODE(".type saving, %function\nsaving:\n" SAVING ".size saving, . - saving\n");

static const char *way, *leaf_name;
static int depth = 27, rounds = 1, ms = 1000;
static char **arguments;

#ifdef DEEPS_LIBRARY
/* In libdeeps.so. */
extern long nothing(long n);
#else
/* A static program has no PLT for what is in itself. */
#define nothing(n)	    ((n) + 0)
#define dlopen(name, how)   NULL
#define dlsym(handle, name) NULL
#define dlerror()	    "static"
#define dlclose(handle)
#endif

static long long spent(void)
{
	struct timespec now;

	/* A system call, as the threads' clock is for libc: so "spin" and "vdso" differ only by what they do between. */
	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static long some(long n)
{
	struct timespec now;

	switch (leaf_name[0]) {
	case 'v':
		for (int i = 0; i < 1000; i++)
			clock_gettime(CLOCK_MONOTONIC, &now);
		return now.tv_nsec;
	case 'r':
		return by_register(100000);
	case 'e':
		for (int i = 0; i < 1000; i++)
			n += ask();
		return n;
	case 'p':
		for (int i = 0; i < 10000; i++)
			n = nothing(n);
		return n;
	default:
		for (int i = 0; i < 100000; i++)
			n = n * 31 + i;
		return n;
	}
}

/* Everything that is sampled is in this function or called by it. */
KEPT long leaf(long n)
{
	char byte;

	if (!strcmp(leaf_name, "stop"))
		raise(SIGSTOP);
	else if (!strcmp(leaf_name, "wait"))
		n += read(STDIN_FILENO, &byte, 1);
	else if (!strcmp(leaf_name, "calls"))
		for (int i = 0; i < ms * 1000; i++)
			n += syscall(SYS_getppid);
	else
		for (long long end = spent() + ms; spent() < end;)
			n = some(n);
	__asm__ volatile("" ::
				 : "memory");
	return n;
}

/*
 * Every other frame has another shape: one whose size only the frame pointer knows, and one that keeps a number in the
 * register of the frame pointer.
 */
KEPT long down(int n, long a, long b)
{
	long kept = a * 3 + b, r;

	if (n & 1) {
		volatile char *room = __builtin_alloca(n * 8 + 16);

		room[0] = n;
		r = n > 1 ? down(n - 1, b, kept) : leaf(kept);
		r += room[0];
	} else {
		r = n > 1 ? down(n - 1, kept, a ^ b) : leaf(kept);
	}
	__asm__ volatile("" ::
				 : "memory");
	return r + kept + a;
}

KEPT void below(void)
{
	down(depth, 1, 2);
	__asm__ volatile("" ::
				 : "memory");
}

KEPT __attribute__((optimize("no-omit-frame-pointer"))) void with_pointer(void)
{
	saving(below);
	__asm__ volatile("" ::
				 : "memory");
}

KEPT void handler(int signal)
{
	down(depth, signal, 2);
	__asm__ volatile("" ::
				 : "memory");
}

static volatile sig_atomic_t interrupted;

KEPT void handle_timer(int signal)
{
	interrupted = 1;
	handler(signal);
	__asm__ volatile("" ::
				 : "memory");
}

KEPT long busy(long n)
{
	while (!interrupted)
		n = n * 31 + 7;
	return n;
}

/* qsort calls it at least once for two numbers. */
KEPT int compare(const void *a, const void *b)
{
	int r = *(const int *)a - *(const int *)b;

	if (!strcmp(way, "callback"))
		r += down(depth, 1, 2) == 12345;
	else
		raise(SIGUSR1);
	__asm__ volatile("" ::
				 : "memory");
	return r;
}

KEPT void sort(void)
{
	int numbers[] = { 2, 1 };

	qsort(numbers, 2, sizeof(numbers[0]), compare);
	__asm__ volatile("" ::
				 : "memory");
}

static void use_stack(void *at)
{
	stack_t stack = { .ss_sp = at, .ss_size = ALTSTACK };

	if (sigaltstack(&stack, NULL))
		err(1, "sigaltstack");
}

static void on_signal(int signal, void (*act)(int), int flags)
{
	struct sigaction action = { .sa_handler = act, .sa_flags = flags };

	sigaction(signal, &action, NULL);
}

KEPT void *run(void *altstack)
{
	if (altstack) {
		use_stack(altstack);
		sort();
	} else {
		down(depth, 1, 2);
	}
	__asm__ volatile("" ::
				 : "memory");
	return NULL;
}

static void run_threads(int n, pthread_attr_t *attr, void *altstack)
{
	pthread_t threads[2];

	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], attr, run, altstack))
			errx(1, "pthread_create");
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* One piece of memory: the thread's stack below, the handler's above. */
static void run_crossed(void)
{
	size_t size = 1 << 20;
	char *memory = mmap(NULL, size + ALTSTACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;

	if (memory == MAP_FAILED)
		err(1, "mmap");
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, memory, size);
	on_signal(SIGUSR1, handler, SA_ONSTACK);
	run_threads(1, &attr, memory + size);
}

static void run_interrupt(void)
{
	struct itimerval timer = { .it_value = { .tv_usec = 20000 } };

	on_signal(SIGALRM, handle_timer, 0);
	interrupted = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	busy(depth);
}

/* Calls us back, so that a frame of the library lies below ours. */
static void run_library(void)
{
	void *library = dlopen("libinside.so", RTLD_NOW);
	long (*inside)(long (*)(int, long, long), int) = library ? dlsym(library, "inside") : NULL;

	if (!inside)
		errx(1, "%s", dlerror());
	inside(down, depth);
	dlclose(library);
}

static void run_self(void)
{
	for (char **arg = arguments; *arg; arg++)
		if (!strcmp(*arg, "exec"))
			*arg = "plain";
		else if (!strcmp(*arg, "-w"))
			*arg = "-W"; /* the gate is open */
	execv("/proc/self/exe", arguments);
	err(1, "exec");
}

static void run_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		down(depth, 1, 2);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) < 0)
		err(1, "fork");
}

static void go(void)
{
	if (!strcmp(way, "callback")) {
		sort();
	} else if (!strcmp(way, "untabled")) {
		with_pointer();
	} else if (!strcmp(way, "signal")) {
		on_signal(SIGUSR1, handler, 0);
		sort();
	} else if (!strcmp(way, "alternate")) {
		static char stack[ALTSTACK];

		use_stack(stack);
		on_signal(SIGUSR1, handler, SA_ONSTACK);
		sort();
	} else if (!strcmp(way, "interrupt")) {
		run_interrupt();
	} else if (!strcmp(way, "threads")) {
		run_threads(2, NULL, NULL);
	} else if (!strcmp(way, "crossed")) {
		run_crossed();
	} else if (!strcmp(way, "dlopen")) {
		run_library();
	} else if (!strcmp(way, "exec")) {
		run_self();
	} else if (!strcmp(way, "forks")) {
		run_child();
	} else {
		down(depth, 1, 2);
	}
}

int main(int argc, char **argv)
{
	const char *gate = NULL;
	int option;

	arguments = argv;
	while ((option = getopt(argc, argv, "w:W:n:r:m:")) != -1)
		switch (option) {
		case 'w':
			gate = optarg;
			break;
		case 'W':
			break;
		case 'n':
			depth = atoi(optarg);
			break;
		case 'r':
			rounds = atoi(optarg);
			break;
		case 'm':
			ms = atoi(optarg);
			break;
		default:
			return 2;
		}
	if (argc - optind != 2)
		errx(2, "usage: deeps [-w FIFO] [-n DEPTH] [-r ROUNDS] [-m MS] WAY LEAF");
	way = argv[optind];
	leaf_name = argv[optind + 1];
	if (gate)
		workload_wait(gate);
	for (int i = 0; i < rounds; i++)
		go();
	printf("did %s %s %d\n", way, leaf_name, rounds);
	return 0;
}
