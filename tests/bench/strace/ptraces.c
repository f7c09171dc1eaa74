// SPDX-License-Identifier: BSD-2-Clause
/* Requests of ptrace, of a child that no other tracer follows. What cannot be read or written is at a page's edge. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static char *edge; /* what is behind it cannot be read */
static char big[4096];
static int child;

#define R(REQUEST, ADDRESS, DATA) syscall(SYS_ptrace, (long)(REQUEST), child, (long)(ADDRESS), (long)(DATA))
#define COUNT(ARRAY)		  (sizeof(ARRAY) / sizeof((ARRAY)[0]))

static void traced(void)
{
	struct sock_filter code[] = { { 0x20, 0, 0, 0 }, { 0x15, 0, 1, SYS_getpid }, { 6, 0, 0, 0x7ff00007 }, { 6, 0, 0, 0x7fff0000 } };
	struct sock_fprog program = { COUNT(code), code };

	syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG, &program);
	syscall(SYS_getpid, 1, 2, 3, 4, 5, 6);
	raise(SIGSTOP);
	syscall(SYS_openat, -1, 0, 0, 0, 0, 0);
	syscall(-1, 1, 2, 3, 4, 5, 6);
	_exit(0);
}

static void set(int request, int kind, void *base, size_t len)
{
	struct iovec vector = { base, len };

	R(request, kind, &vector);
}

static void registers(void)
{
	static const int kinds[] = { 0, 3, 4, 5, 6, 7, 0x100, 0x200, 0x201, 0x202, 0x300, 0x400, 0x405, 0x46e62b7f, 0x53494749 };
	struct user_regs_struct r;
	struct user_fpregs_struct f;

	R(PTRACE_GETREGS, 1, &r), R(PTRACE_SETREGS, 0, &r), R(PTRACE_GETREGS, 0, edge), R(PTRACE_GETREGS, 0, 0);
	R(PTRACE_SETREGS, 0, edge), R(PTRACE_SETREGS, 0, edge - 8);
	R(PTRACE_GETFPREGS, 0, &f), R(PTRACE_SETFPREGS, 0, &f), R(PTRACE_GETFPREGS, 0, edge);
	R(PTRACE_GETFPXREGS, 0, &f), R(PTRACE_SETFPXREGS, 0, &f);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		set(PTRACE_GETREGSET, kinds[i], big, sizeof(big));
		set(PTRACE_SETREGSET, kinds[i], big, 0);
	}
	for (int n = 0; n <= 4096; n += n < 32 ? 4 : n < 544 ? 24
							     : 3552) {
		set(PTRACE_GETREGSET, 1, &big, n);
		set(PTRACE_GETREGSET, 2, &big, n);
	}
	set(PTRACE_GETREGSET, 1, &r, sizeof(r)), set(PTRACE_GETREGSET, 2, &f, sizeof(f));
	for (int n = 0; n <= 528; n += n < 16 ? 4 : 64) {
		set(PTRACE_SETREGSET, 1, &r, n);
		set(PTRACE_SETREGSET, 2, &f, n);
	}
	memcpy(edge - 16, &r, 16);
	for (int n = 8; n < 32; n += 8) {
		set(PTRACE_SETREGSET, 1, edge - 16, n), set(PTRACE_SETREGSET, 1, NULL, n);
		set(PTRACE_GETREGSET, 1, edge, n), set(PTRACE_GETREGSET, 1, NULL, n);
	}
	R(PTRACE_GETREGSET, 1, edge), R(PTRACE_GETREGSET, 1, edge - 8), R(PTRACE_SETREGSET, 1, edge - 8);
	R(PTRACE_SETREGSET, 1, NULL);
}

static void words(void)
{
	long word;

	for (int at = 0; at < 930; at += at < 216 ? 4 : 8)
		R(PTRACE_PEEKUSER, at, &word);
	R(PTRACE_PEEKUSER, -1, &word), R(PTRACE_PEEKUSER, 0, edge), R(PTRACE_POKEUSER, 848, 0), R(PTRACE_POKEUSER, 1000, 1);
	R(PTRACE_PEEKTEXT, registers, &word), R(PTRACE_PEEKDATA, big, &word), R(PTRACE_PEEKDATA, 1, &word);
	R(PTRACE_PEEKDATA, big, edge), R(PTRACE_PEEKDATA, big, edge - 8), R(PTRACE_POKEDATA, big, 0x123456789abcdef);
	R(PTRACE_POKETEXT, 0, 5), R(PTRACE_GETEVENTMSG, 0, &word), R(PTRACE_GETEVENTMSG, 0, edge);
}

static void signals(void)
{
	struct __ptrace_peeksiginfo_args which = { 0, 1, 3 };
	unsigned long mask = 5;
	siginfo_t info, infos[10];

	R(PTRACE_GETSIGINFO, 0, &info), R(PTRACE_GETSIGINFO, 5, edge), R(PTRACE_SETSIGINFO, 0, &info);
	R(PTRACE_SETSIGINFO, 0, edge), R(PTRACE_SETSIGINFO, 0, 0);
	for (int size = 4; size <= 16; size += 4)
		R(PTRACE_SETSIGMASK, size, &mask), R(PTRACE_GETSIGMASK, size, &mask);
	mask = 0, R(PTRACE_SETSIGMASK, 8, &mask), R(PTRACE_SETSIGMASK, 8, edge), R(PTRACE_GETSIGMASK, 8, 0);
	kill(child, SIGCONT), kill(child, SIGWINCH);
	for (int i = 0; i < 4; i++)
		which.flags = i, R(PTRACE_PEEKSIGINFO, &which, infos);
	which = (struct __ptrace_peeksiginfo_args){ 1, 1, 10 }, R(PTRACE_PEEKSIGINFO, &which, infos);
	which.nr = -1, R(PTRACE_PEEKSIGINFO, &which, infos), R(PTRACE_PEEKSIGINFO, edge, infos), R(PTRACE_PEEKSIGINFO, 0, 0);
	which = (struct __ptrace_peeksiginfo_args){ 0, 1, 3 }, R(PTRACE_PEEKSIGINFO, &which, edge);
}

static void filters(void)
{
	struct __ptrace_seccomp_metadata data = { 0, 7 };
	struct sock_filter code[10];

	R(PTRACE_SECCOMP_GET_FILTER, 0, code), R(PTRACE_SECCOMP_GET_FILTER, 1, code), R(PTRACE_SECCOMP_GET_FILTER, 0, 0);
	R(PTRACE_SECCOMP_GET_FILTER, 0, edge), R(PTRACE_SECCOMP_GET_FILTER, -1, code);
	for (int n = 0; n < 20; n++)
		R(PTRACE_SECCOMP_GET_METADATA, n, &data);
	R(PTRACE_SECCOMP_GET_METADATA, 16, edge);
	data.filter_off = 3, R(PTRACE_SECCOMP_GET_METADATA, 16, &data), R(PTRACE_SECCOMP_GET_METADATA, 9, &data);
}

static void infos(void)
{
	static const int sizes[] = { 0, 1, 4, 7, 8, 15, 16, 17, 24, 31, 32, 33, 39, 40, 48, 79, 80, 83, 84, 88, 96, 200 };
	struct __ptrace_syscall_info info;

	for (size_t i = 0; i < COUNT(sizes); i++)
		R(PTRACE_GET_SYSCALL_INFO, sizes[i], &info);
	R(PTRACE_GET_SYSCALL_INFO, 88, edge), R(PTRACE_GET_SYSCALL_INFO, 88, 0);
}

static void failing(void)
{
	static const long requests[] = { PTRACE_ATTACH, PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_LISTEN, PTRACE_DETACH, PTRACE_CONT,
					 PTRACE_KILL, PTRACE_SINGLESTEP, PTRACE_SINGLEBLOCK, PTRACE_SYSEMU, 21 /* PTRACE_OLDSETOPTIONS */,
					 PTRACE_GET_THREAD_AREA, PTRACE_ARCH_PRCTL, 0x42ff, 0x100000000, 0x10000000c, 10, 20, 22 };

	child = 1 << 30;
	for (size_t i = 0; i < COUNT(requests); i++)
		R(requests[i], 1, 9), R(requests[i], 0, 65), R(requests[i], 0, 0x100000009);
	R(PTRACE_SETOPTIONS, 0, -1), R(PTRACE_SETOPTIONS, 1, 0x3000ff), R(PTRACE_SEIZE, 0, 0x1000);
}

int main(void)
{
	int status;

	edge = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	edge += 4096;
	munmap(edge, 4096);
	child = syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0);
	if (!child)
		traced();
	waitpid(child, &status, 0);
	R(PTRACE_SETOPTIONS, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXIT);
	registers();
	words();
	signals();
	infos();
	for (int i = 0; i < 24; i++) {
		R(PTRACE_SYSCALL, 0, 0);
		waitpid(child, &status, 0);
		if (!WIFSTOPPED(status))
			break;
		infos();
		if (i == 12)
			filters();
	}
	kill(child, SIGKILL);
	failing();
	return 0;
}
