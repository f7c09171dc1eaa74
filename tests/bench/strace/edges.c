// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes system calls with all kinds of bad arguments, for the comparison of `sonde strace` with strace: pointers to
 * nothing, to the end of the memory, to bytes that make no sense, and sizes that are no sizes. All calls fail.
 */
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A call, and a letter for each argument: f a descriptor (-1), P a process that is none, s a path that is none, p a
 * pointer, n a size, i a number, others as they are: 0 to 9. One argument after the other takes all values of its kind.
 */
static const struct {
	int number;
	const char *args;
} calls[] = {
	{ SYS_readv, "fpi" },
	{ SYS_writev, "fpi" },
	{ SYS_preadv, "fpii" },
	{ SYS_process_vm_readv, "Ppipi0" },
	{ SYS_process_madvise, "fpi40" },
	{ SYS_sendto, "fpn0p9" },
	{ SYS_recvmsg, "fp0" },
	{ SYS_accept, "fpp" },
	{ SYS_getsockname, "fpp" },
	{ SYS_setxattr, "sspn0" },
	{ SYS_getxattr, "sspn" },
	{ SYS_open_by_handle_at, "fp0" },
	{ SYS_openat2, "fspn" },
	{ SYS_mount_setattr, "fs0pn" },
	{ SYS_utimensat, "fsp0" },
	{ SYS_futimesat, "fsp" },
	{ SYS_mount, "sssip" },
	{ SYS_fsconfig, "f0spi" },
	{ SYS_fsconfig, "f1spi" },
	{ SYS_fsconfig, "f2spi" },
	{ SYS_fsconfig, "f3spi" },
	{ SYS_fsconfig, "f6spi" },
	{ SYS_semop, "0pi" },
	{ SYS_semctl, "001p" },
	{ SYS_shmctl, "01p" },
	{ SYS_msgctl, "01p" },
	{ SYS_msgsnd, "0pni" },
	{ SYS_mq_getsetattr, "fpp" },
	{ SYS_mq_notify, "fp" },
	{ SYS_mq_timedsend, "fpn0p" },
	{ SYS_keyctl, "2ipi" },
	{ SYS_keyctl, "5i0" },
	{ SYS_keyctl, "9ii" },
	{ SYS_signalfd4, "fpn0" },
	{ SYS_epoll_pwait, "fpi0pn" },
	{ SYS_epoll_pwait2, "fpippn" },
	{ SYS_epoll_ctl, "f0ip" },
	{ SYS_rt_sigprocmask, "0p0n" },
	{ SYS_rt_sigqueueinfo, "P1p" },
	{ SYS_pidfd_send_signal, "f1p0" },
	{ SYS_timerfd_settime, "f0pp" },
	{ SYS_kcmp, "PP0ii" },
	{ SYS_kcmp, "PP1ii" },
	{ SYS_kcmp, "PP7ip" },
	{ SYS_migrate_pages, "P8pp" },
	{ SYS_prlimit64, "P7pp" },
	{ SYS_sched_setparam, "Pp" },
	{ SYS_fanotify_mark, "f00is" },
	{ SYS_inotify_add_watch, "fsi" },
};

enum {
	PAGE = 4096,
	BUFFERS = 6,
};
static unsigned char *buffers[BUFFERS];

/* Two pages, behind which there is nothing. */
static unsigned char *pages(void)
{
	unsigned char *memory = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(memory + 2 * PAGE, PAGE);
	return memory;
}

static void fill(void)
{
	unsigned char *small = pages(), *odd = pages(), *zeros = pages(), *ones = pages(), *end = pages();

	for (int i = 0; i < 2 * PAGE / 4; i++)
		((uint32_t *)small)[i] = i % 16 + 1;
	for (int i = 0; i < 2 * PAGE; i++) {
		odd[i] = 0x80 + i % 96;
		end[i] = 1 + i % 7;
	}
	memset(zeros, 0, 2 * PAGE);
	memset(ones, 0xff, 2 * PAGE);
	buffers[0] = small;
	buffers[1] = odd;
	buffers[2] = zeros;
	buffers[3] = ones;
	buffers[4] = end + 2 * PAGE - 8;
	buffers[5] = end + 2 * PAGE - 17;
}

/* The nth value of an argument's kind; the first is that of the others. n: how many there are is written there. */
static long value(char kind, int nth, int *n)
{
	static const long sizes[] = { 8, 0, 1, 4, 16, 24, 32, 64, PAGE, -1 }, numbers[] = { 2, 0, 1, -1, 0x7fffffff, -100 };
	static char path[] = "/none/\"\n\\\1\377", huge[5000];

	*n = 1;
	switch (kind) {
	case 'f':
		return 0xffffffff;
	case 'P':
		return 0x7ffffff0;
	case 's':
		*n = 2;
		memset(huge, 'x', sizeof(huge) - 1);
		return (long)(nth ? huge : path);
	case 'p':
		*n = BUFFERS + 2;
		return nth < BUFFERS ? (long)buffers[nth] : nth == BUFFERS ? 0 : -16;
	case 'n':
		*n = sizeof(sizes) / sizeof(*sizes);
		return sizes[nth];
	case 'i':
		*n = sizeof(numbers) / sizeof(*numbers);
		return numbers[nth];
	default:
		return kind - '0';
	}
}

static void make(int number, const char *args)
{
	for (int changed = 0; args[changed]; changed++) {
		int n = 1;

		for (int nth = 0; nth < n; nth++) {
			long v[6] = {};
			int unused;

			for (int i = 0; args[i]; i++)
				v[i] = value(args[i], i == changed ? nth : 0, i == changed ? &n : &unused);
			if (nth < n)
				syscall(number, v[0], v[1], v[2], v[3], v[4], v[5]);
		}
	}
}

int main(void)
{
	fill();
	for (unsigned int i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		make(calls[i].number, calls[i].args);
	_exit(0);
}
