// SPDX-License-Identifier: BSD-2-Clause
/*
 * spoil NAME CMD...: runs CMD, and breaks each BPF program that it loads whose name begins with NAME, so that the
 * verifier refuses it: the first instruction then reads a register that was never written.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* The arguments of a system call at its entry, as ptrace(2) returns them since Linux 5.3. */
struct syscall_info {
	__u8 op, pad[3];
	__u32 arch;
	__u64 ip, sp, number, args[6];
};

#define IS_ENTRY 1

static bool copy(pid_t pid, bool write, void *here, __u64 there, size_t size)
{
	struct iovec local = { here, size }, remote = { (void *)(unsigned long)there, size };
	ssize_t n = write ? process_vm_writev(pid, &local, 1, &remote, 1, 0)
			  : process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return n == (ssize_t)size;
}

static void look(pid_t pid, const char *name)
{
	struct bpf_insn bad = { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_9 };
	size_t size = offsetof(union bpf_attr, prog_name) + BPF_OBJ_NAME_LEN;
	struct syscall_info info = {};
	union bpf_attr attr = {};

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) < 0 || info.op != IS_ENTRY ||
	    info.number != SYS_bpf || info.args[0] != BPF_PROG_LOAD || info.args[2] < size)
		return;
	if (copy(pid, false, &attr, info.args[1], size) && !strncmp(attr.prog_name, name, strlen(name)))
		copy(pid, true, &bad, attr.insns, sizeof(bad));
}

int main(int argc, char **argv)
{
	int status, stop;
	pid_t pid, which;

	pid = argc > 2 ? fork() : -1;
	if (pid < 0)
		return 2;
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE);
	ptrace(PTRACE_SYSCALL, pid, 0, 0);
	while ((which = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (which == pid && WIFEXITED(status))
			return WEXITSTATUS(status);
		if (which < 0 || !WIFSTOPPED(status))
			continue;
		stop = WSTOPSIG(status);
		if (stop == (SIGTRAP | 0x80))
			look(which, argv[1]);
		ptrace(PTRACE_SYSCALL, which, 0,
		       stop == (SIGTRAP | 0x80) || stop == SIGTRAP || stop == SIGSTOP ? 0 : stop);
	}
	return 3;
}
