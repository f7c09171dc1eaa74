// SPDX-License-Identifier: BSD-2-Clause
/*
 * sweep [-3] SEED TIMES [FIRST [LAST]]: makes each system call, or those with these numbers, so many times with random
 * arguments, each in a process of its own. -3: the calls of 32-bit programs, on x86. For the comparison of `sonde strace` with strace: what both say of such calls must be the
 * same. It gives up the rights of root first, so that no call changes anything outside of its directory.
 */
#include <fcntl.h>
#include <grp.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MAP_32BIT
#define MAP_32BIT 0
#endif
#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))
#define PAGE	      4096
#define CALLS	      470
#define NOBODY	      65534

static uint64_t state;

static uint64_t random_below(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state * 0x2545f4914f6cdd1dULL >> 20) % n;
}

static const uint64_t numbers[] = {
	0,
	1,
	2,
	3,
	4,
	5,
	6,
	7,
	8,
	10,
	16,
	24,
	32,
	64,
	100,
	128,
	4096,
	65535,
	0x10000,
	1 << 20,
	1U << 31,
	0xffffffff,
	0xdeadbeef,
	0xfacefeeddeadbeef,
	-1,
	-2,
	-100,
	0xffffffff00000000,
	0xbadc0ded00000003,
	0x7fffffff,
	0x7fffffffffffffff,
	0x8000000000000000,
};

/* What is at pointers: each is a mapping of a page, behind which nothing is. */
enum content {
	ZEROS,
	ONES,
	COUNTING,
	WORDS,
	LONGS,
	POINTERS,
	TEXTS,
	RANDOM,
	CONTENTS
};

static char *pages[CONTENTS];
static int fds[10];
static bool narrow;

/* Up to 8 bytes of a path, which may have its end. */
static void fill_text(char *to)
{
	const size_t from = random_below(7), n = 1 + random_below(8 - from);

	memcpy(to, &"./sweep"[from], n);
}

static void fill(enum content content)
{
	char *page = pages[content];

	for (size_t i = 0; i < PAGE; i++)
		page[i] = content == ONES ? -1 : content == COUNTING ? i
					 : content == RANDOM	     ? random_below(256)
								     : 0;
	for (size_t i = 0; content == WORDS && i < PAGE / sizeof(uint32_t); i++)
		((uint32_t *)page)[i] = random_below(3) ? random_below(40) : numbers[random_below(ARRAY_SIZE(numbers))];
	for (size_t i = 0; content == LONGS && i < PAGE / sizeof(uint64_t); i++)
		((uint64_t *)page)[i] = random_below(3) ? random_below(40) : numbers[random_below(ARRAY_SIZE(numbers))];
	for (size_t i = 0; content == POINTERS && i < PAGE / (narrow ? 4 : 8); i++) {
		char *to = random_below(4) ? pages[random_below(CONTENTS)] + PAGE - 8 * random_below(9) : (char *)random_below(64);

		memcpy(page + i * (narrow ? 4 : 8), &to, narrow ? 4 : 8);
	}
	for (size_t i = 0; content == TEXTS && i < PAGE; i += 8)
		fill_text(page + i);
	if (content == TEXTS)
		page[PAGE - 1] = random_below(4) ? 0 : 'x';
}

static uint64_t pointer(void)
{
	enum content content = random_below(CONTENTS);
	uint64_t back[] = { PAGE, PAGE, 64, 8 * random_below(40), random_below(70), 0 };

	fill(content);
	return (uint64_t)pages[content] + PAGE - back[random_below(ARRAY_SIZE(back))];
}

static uint64_t argument(void)
{
	switch (random_below(8)) {
	case 0:
		return numbers[random_below(ARRAY_SIZE(numbers))];
	case 1:
		return random_below(70);
	case 2:
		return fds[random_below(ARRAY_SIZE(fds))];
	case 3:
		return 1ULL << random_below(40) | 1ULL << random_below(20) | random_below(2);
	default:
		return pointer();
	}
}

/* What makes sense in the arguments of calls that do many things: one of these for every other argument of theirs. */
static const struct {
	int number;
	unsigned int arg;
	uint64_t first, last;
} hints[] = {
#ifdef SYS_open
	{ SYS_open, 1, 0, 0x7fffff },
	{ SYS_poll, 1, 0, 9 },
	{ SYS_select, 0, 0, 70 },
	{ SYS_access, 1, 0, 15 },
	{ SYS_epoll_wait, 2, 0, 9 },
	{ SYS_signalfd, 2, 8, 8 },
	{ SYS_arch_prctl, 0, 0x1000, 0x1026 },
	{ SYS_arch_prctl, 0, 0x2000, 0x2004 },
	{ SYS_modify_ldt, 0, 0, 2 },
	{ SYS_modify_ldt, 0, 17, 17 },
	{ SYS_modify_ldt, 2, 14, 17 },
	{ SYS_sysfs, 0, 0, 4 },
	{ SYS_iopl, 0, 0, 4 },
#endif
	{ SYS_lseek, 2, 0, 5 },
	{ SYS_mmap, 2, 0, 15 },
	{ SYS_mmap, 3, 0, 0x3fffff },
	{ SYS_mprotect, 2, 0, 15 },
	{ SYS_mremap, 3, 0, 8 },
	{ SYS_msync, 2, 0, 8 },
	{ SYS_madvise, 2, 0, 26 },
	{ SYS_madvise, 2, 100, 105 },
	{ SYS_rt_sigaction, 0, 0, 66 },
	{ SYS_rt_sigaction, 3, 8, 8 },
	{ SYS_rt_sigprocmask, 0, 0, 4 },
	{ SYS_rt_sigprocmask, 3, 8, 8 },
	{ SYS_rt_sigpending, 1, 1, 9 },
	{ SYS_rt_sigtimedwait, 3, 8, 8 },
	{ SYS_rt_sigsuspend, 1, 8, 8 },
	{ SYS_ioctl, 1, 0x5401, 0x5470 },
	{ SYS_ioctl, 1, 0x8901, 0x89ff },
	{ SYS_ioctl, 1, 0x40000000, 0xffffffff },
	{ SYS_readv, 2, 0, 9 },
	{ SYS_writev, 2, 0, 9 },
	{ SYS_shmget, 2, 0, 0xffff },
	{ SYS_shmat, 2, 0, 0xffff },
	{ SYS_shmctl, 1, 0, 16 },
	{ SYS_shmctl, 1, 0x100, 0x110 },
	{ SYS_getitimer, 0, 0, 4 },
	{ SYS_setitimer, 0, 0, 4 },
	{ SYS_socket, 0, 0, 47 },
	{ SYS_socket, 1, 0, 12 },
	{ SYS_socket, 1, 0x80000, 0x8080a },
	{ SYS_socket, 2, 0, 300 },
	{ SYS_socketpair, 0, 0, 47 },
	{ SYS_socketpair, 1, 0, 12 },
	{ SYS_connect, 2, 0, 130 },
	{ SYS_bind, 2, 0, 130 },
	{ SYS_sendto, 5, 0, 130 },
	{ SYS_shutdown, 1, 0, 4 },
	{ SYS_setsockopt, 1, 0, 1 },
	{ SYS_setsockopt, 1, 0, 280 },
	{ SYS_setsockopt, 2, 0, 80 },
	{ SYS_setsockopt, 4, 0, 40 },
	{ SYS_getsockopt, 1, 0, 1 },
	{ SYS_getsockopt, 1, 0, 280 },
	{ SYS_getsockopt, 2, 0, 80 },
	{ SYS_wait4, 2, 0, 15 },
	{ SYS_semget, 2, 0, 0xffff },
	{ SYS_semop, 2, 0, 9 },
	{ SYS_semctl, 2, 0, 21 },
	{ SYS_semctl, 2, 0x100, 0x115 },
	{ SYS_msgget, 1, 0, 0xffff },
	{ SYS_msgsnd, 2, 0, 60 },
	{ SYS_msgrcv, 2, 0, 60 },
	{ SYS_msgrcv, 4, 0, 0xffff },
	{ SYS_msgctl, 1, 0, 15 },
	{ SYS_msgctl, 1, 0x100, 0x110 },
	{ SYS_fcntl, 1, 0, 40 },
	{ SYS_fcntl, 1, 1024, 1045 },
	{ SYS_fcntl, 2, 0, 0xffff },
	{ SYS_flock, 1, 0, 0xff },
	{ SYS_getrlimit, 0, 0, 17 },
	{ SYS_setrlimit, 0, 0, 17 },
	{ SYS_getrusage, 0, 0, 2 },
	{ SYS_syslog, 0, 0, 12 },
	{ SYS_getgroups, 0, 0, 4 },
	{ SYS_setgroups, 0, 0, 9 },
	{ SYS_personality, 0, 0, 0x20 },
	{ SYS_personality, 0, 0, 0xfffffff },
	{ SYS_getpriority, 0, 0, 3 },
	{ SYS_setpriority, 0, 0, 3 },
	{ SYS_sched_setscheduler, 1, 0, 8 },
	{ SYS_sched_setscheduler, 1, 0x40000000, 0x40000009 },
	{ SYS_sched_get_priority_max, 0, 0, 8 },
	{ SYS_sched_get_priority_min, 0, 0, 8 },
	{ SYS_mlockall, 0, 0, 8 },
	{ SYS_prctl, 0, 1, 80 },
	{ SYS_prctl, 1, 0, 9 },
	{ SYS_prctl, 2, 0, 9 },
	{ SYS_mount, 3, 0, 0x3ffffff },
	{ SYS_mount, 3, 0xc0ed0000, 0xc0edffff },
	{ SYS_umount2, 1, 0, 16 },
	{ SYS_swapon, 1, 0, 0x7ffff },
	{ SYS_reboot, 0, 0xfee1dead, 0xfee1dead },
	{ SYS_reboot, 1, 672274793, 672274793 },
	{ SYS_reboot, 2, 0x1234567, 0x1234567 },
	{ SYS_quotactl, 0, 0x80000100, 0x80000903 },
	{ SYS_quotactl, 0, 0x580100, 0x580903 },
	{ SYS_futex, 1, 0, 15 },
	{ SYS_futex, 1, 0x80, 0x8f },
	{ SYS_futex, 1, 0x100, 0x19f },
	{ SYS_sched_setaffinity, 1, 0, 64 },
	{ SYS_sched_getaffinity, 1, 0, 64 },
	{ SYS_io_setup, 0, 1, 3 },
	{ SYS_io_submit, 1, 0, 5 },
	{ SYS_io_getevents, 2, 0, 5 },
	{ SYS_fadvise64, 3, 0, 8 },
	{ SYS_timer_create, 0, 0, 13 },
	{ SYS_clock_settime, 0, 0, 13 },
	{ SYS_clock_gettime, 0, 0, 13 },
	{ SYS_clock_getres, 0, 0, 13 },
	{ SYS_clock_nanosleep, 0, 0, 13 },
	{ SYS_epoll_ctl, 1, 0, 4 },
	{ SYS_mbind, 2, 0, 8 },
	{ SYS_mbind, 4, 0, 300 },
	{ SYS_set_mempolicy, 0, 0, 8 },
	{ SYS_set_mempolicy, 2, 0, 300 },
	{ SYS_get_mempolicy, 2, 0, 300 },
	{ SYS_get_mempolicy, 4, 0, 8 },
};

/* Makes an argument one that makes sense, or leaves it. */
static void hint(long number, uint64_t *args)
{
	for (size_t i = 0; i < ARRAY_SIZE(hints) && !narrow; i++)
		if (hints[i].number == number && random_below(2))
			args[hints[i].arg] = hints[i].first + random_below(hints[i].last - hints[i].first + 1);
}

static void open_files(void)
{
	int pair[2];

	fds[0] = -100;
	fds[1] = open("file", O_RDWR | O_CREAT, 0600);
	fds[2] = open(".", O_RDONLY | O_DIRECTORY);
	if (pipe(pair))
		exit(1);
	fds[3] = pair[0];
	fds[4] = pair[1];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(1);
	fds[5] = pair[0];
	fds[6] = socket(AF_INET, SOCK_DGRAM, 0);
	fds[7] = epoll_create1(0);
	fds[8] = eventfd(1, EFD_NONBLOCK);
	fds[9] = 99;
}

static void make_call(long number, const uint64_t *args)
{
#ifdef __x86_64__
	if (narrow) {
		uint64_t v[6];

		/* strace prints whole registers, of which the call sees 32 bits */
		for (size_t i = 0; i < ARRAY_SIZE(v); i++)
			v[i] = (uint32_t)args[i];
		__asm__ volatile("push %%rbp; mov %6, %%rbp; int $0x80; pop %%rbp"
				 : "+a"(number)
				 : "b"(v[0]), "c"(v[1]), "d"(v[2]), "S"(v[3]), "D"(v[4]), "r"(v[5])
				 : "memory", "r8", "r9", "r10", "r11");
		return;
	}
#endif
	syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

/* A process that such a call makes ends at once: it does not come back to the loop of its parent. */
static void try_call(long number)
{
	const struct itimerval soon = { .it_value.tv_usec = 30000 };
	pid_t self;
	uint64_t args[6];

	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		args[i] = argument();
	hint(number, args);
	self = getpid();
	setitimer(ITIMER_REAL, &soon, NULL);
	make_call(number, args);
	_exit(self != getpid());
}

/* A call that waits with all signals blocked ends after a second. */
static void end_children(pid_t child)
{
	const struct timespec second = { 1, 0 };
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	do {
		if (sigtimedwait(&ends, NULL, &second) < 0)
			kill(child, SIGKILL);
	} while (waitpid(child, NULL, WNOHANG) == 0);
	while (wait(NULL) > 0)
		;
}

/* What ends the machine's peace though nobody has a right, or ends another process of nobody, or never ends. */
static int is_left_out(long number)
{
	static const long left_out[] = { SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
#ifdef SYS_vfork
					 SYS_vfork, SYS_fork, SYS_pause,
#endif
					 SYS_clone, SYS_clone3, SYS_sync, SYS_rt_sigreturn, SYS_pidfd_send_signal,
					 SYS_syncfs, SYS_ptrace };

	/* of x86: fork, ptrace, pause, sync, kill, sigreturn, clone, rt_sigreturn, rt_sigqueueinfo, vfork, tkill ... */
	static const long left_out_narrow[] = { 2, 26, 29, 36, 37, 119, 120, 173, 178, 190, 238, 270, 335, 344, 424, 435 };

	for (size_t i = 0; narrow && i < ARRAY_SIZE(left_out_narrow); i++)
		if (left_out_narrow[i] == number)
			return 1;
	for (size_t i = 0; !narrow && i < ARRAY_SIZE(left_out); i++)
		if (left_out[i] == number)
			return 1;
	return 0;
}

static void lose_rights(void)
{
	const struct rlimit processes = { 200, 200 }, bytes = { 1 << 20, 1 << 20 }, none = {};

	if (geteuid()) {
		fprintf(stderr, "sweep: run it as root: as this user it may reach other processes of yours\n");
		exit(1);
	}
	/* what it makes of System V ends with it */
	if (syscall(SYS_unshare, CLONE_NEWIPC) || (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
		exit(1);
	setrlimit(RLIMIT_NPROC, &processes);
	setrlimit(RLIMIT_FSIZE, &bytes);
	setrlimit(RLIMIT_CORE, &none);
}

static int sweep(int argc, char **argv, int low)
{
	uint64_t seed = argc > 1 ? atoi(argv[1]) : 1;
	int times = argc > 2 ? atoi(argv[2]) : 1;
	long first = argc > 3 ? atoi(argv[3]) : 0, last = argc > 4 ? atoi(argv[4]) : argc > 3 ? first
											      : CALLS;

	pid_t child;
	sigset_t ends;

	setsid();
	sigemptyset(&ends);
	sigaddset(&ends, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	umask(0);
	mkdir("sweep", 0777);
	if (chdir("sweep"))
		exit(1);
	lose_rights();
	for (size_t i = 0; i < CONTENTS; i++) {
		pages[i] = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | low, -1, 0);
		munmap(pages[i] + PAGE, PAGE);
	}
	open_files();
	for (long number = first; number <= last; number++) {
		for (int i = 0; i < times && !is_left_out(number); i++) {
			state = (seed * 1000 + number) * 1000003 + i + 1;
			for (int j = 0; j < 9; j++)
				random_below(2);
			child = fork();
			if (!child)
				try_call(number);
			end_children(child);
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	const int low = argc > 1 && !strcmp(argv[1], "-3") ? MAP_32BIT : 0;

	narrow = low;
	return sweep(argc - narrow, argv + narrow, low);
}
