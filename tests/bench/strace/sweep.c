// SPDX-License-Identifier: BSD-2-Clause
/*
 * sweep SEED TIMES [NUMBER]: makes each system call, or the one with this number, so many times with random arguments,
 * each in a process of its own. For the comparison of `sonde strace` with strace: what both say of such calls must be the
 * same. It gives up the rights of root first, so that no call changes anything outside of its directory.
 */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
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
	for (size_t i = 0; content == POINTERS && i < PAGE / sizeof(char *); i++)
		((char **)page)[i] = random_below(4) ? pages[random_below(CONTENTS)] + PAGE - 8 * random_below(9) : (char *)random_below(64);
	for (size_t i = 0; content == TEXTS && i < PAGE; i += 8)
		memcpy(page + i, "./sweep" + random_below(7), 1 + random_below(8));
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

/* A process that such a call makes ends at once: it does not come back to the loop of its parent. */
static void try_call(long number)
{
	const struct itimerval soon = { .it_value.tv_usec = 30000 };
	pid_t self;
	uint64_t args[6];

	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		args[i] = argument();
	self = getpid();
	setitimer(ITIMER_REAL, &soon, NULL);
	syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
	_exit(self != getpid());
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

	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		if (left_out[i] == number)
			return 1;
	return 0;
}

static void lose_rights(void)
{
	const struct rlimit processes = { 200, 200 }, bytes = { 1 << 20, 1 << 20 }, none = {};

	if (!geteuid() && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
		exit(1);
	setrlimit(RLIMIT_NPROC, &processes);
	setrlimit(RLIMIT_FSIZE, &bytes);
	setrlimit(RLIMIT_CORE, &none);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? atoi(argv[1]) : 1;
	int times = argc > 2 ? atoi(argv[2]) : 1;
	long only = argc > 3 ? atoi(argv[3]) : -1;

	setsid();
	umask(0);
	mkdir("sweep", 0777);
	if (chdir("sweep"))
		exit(1);
	lose_rights();
	for (size_t i = 0; i < CONTENTS; i++) {
		pages[i] = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(pages[i] + PAGE, PAGE);
	}
	open_files();
	for (long number = only < 0 ? 0 : only; number <= (only < 0 ? CALLS : only); number++) {
		for (int i = 0; i < times && !is_left_out(number); i++) {
			state = (seed * 1000 + number) * 1000003 + i + 1;
			for (int j = 0; j < 9; j++)
				random_below(2);
			if (!fork())
				try_call(number);
			while (wait(NULL) > 0)
				;
		}
	}
	return 0;
}
