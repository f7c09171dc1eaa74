// SPDX-License-Identifier: BSD-2-Clause
/*
 * return-guard REFUSED DIR... -- COMMAND [ARGUMENT]...: runs a command that must not set the kernel's return probe on
 * other people's files. A file below one of the DIRs was made by the tests, and nobody else has mapped it. A return
 * probe on any other file gets EPERM instead, and a line in the file REFUSED.
 *
 * Such a probe is in the file, hence in each process of the machine that has mapped it, and it replaces return
 * addresses there. That kills processes that jump back, switch stacks or unwind.
 *
 * The kernel asks us at the two system calls that can set the probe (seccomp(2), user notification), whichever program
 * makes them. Ends with the status of the command; 125: the guard itself cannot work. What the command starts is
 * guarded as well, until the command has ended.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#else
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif
/* Set for the command: a guard that runs in a guard need not ask again, and the kernel permits one listener only. */
#define GUARDED "RETURN_GUARD"

static void die(const char *what)
{
	fprintf(stderr, "return-guard: %s: %s\n", what, strerror(errno));
	exit(125);
}

/* Returns the listener, which tells us of each bpf(BPF_LINK_CREATE) and perf_event_open() from now on. */
static int listen_to_probes(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ, NATIVE_ARCH, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ, SYS_perf_event_open, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ, SYS_bpf, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ, BPF_LINK_CREATE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };
	long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);

	if (listener < 0)
		die("seccomp");
	return (int)listener;
}

/* What the process has there; what it does not have is 0. */
static void read_memory(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec here = { .iov_base = to, .iov_len = n }, there = { .iov_base = (void *)at, .iov_len = n };

	memset(to, 0, n);
	process_vm_readv(pid, &here, 1, &there, 1, 0);
}

static int type_of_uprobes(void)
{
	static int type;
	FILE *file = type ? NULL : fopen("/sys/bus/event_source/devices/uprobe/type", "re");

	if (file && fscanf(file, "%d", &type) != 1)
		type = -1;
	if (file)
		fclose(file);
	return type;
}

/* The address of the path of the file that gets a return probe; 0: the call sets none. */
static uint64_t probed_path(const struct seccomp_notif *call)
{
	union bpf_attr link;
	struct perf_event_attr event;

	if (call->data.nr == SYS_bpf) {
		read_memory((pid_t)call->pid, call->data.args[1], &link, sizeof(link));
		if (link.link_create.attach_type == BPF_TRACE_UPROBE_MULTI &&
		    !(link.link_create.uprobe_multi.flags & BPF_F_UPROBE_MULTI_RETURN))
			return 0;
		return link.link_create.attach_type == BPF_TRACE_UPROBE_MULTI ||
				       link.link_create.attach_type == BPF_TRACE_UPROBE_SESSION
			       ? link.link_create.uprobe_multi.path
			       : 0;
	}
	read_memory((pid_t)call->pid, call->data.args[0], &event, sizeof(event));
	return (int)event.type == type_of_uprobes() && event.config & 1 ? event.uprobe_path : 0;
}

/* The file as the process sees it, without links. What cannot be resolved stays as it is, and is in no directory. */
static void resolve(pid_t pid, uint64_t at, char file[PATH_MAX])
{
	char path[PATH_MAX], seen[PATH_MAX + 32];
	size_t page = 4096 - at % 4096;

	_Static_assert(PATH_MAX == 4096, "the path is on one page or two, of which the second may not exist");
	read_memory(pid, at, path, page);
	read_memory(pid, at + page, path + page, sizeof(path) - page);
	path[sizeof(path) - 1] = '\0';
	if (!strncmp(path, "/proc/self/", 11))
		snprintf(seen, sizeof(seen), "/proc/%d/%s", pid, path + 11);
	else
		snprintf(seen, sizeof(seen), "/proc/%d/%s/%s", pid, *path == '/' ? "root" : "cwd", path);
	if (!realpath(seen, file))
		snprintf(file, PATH_MAX, "%s", path);
}

/* libbpf tries the system call with "/", to learn what the kernel can do. */
static bool is_directory(const char *file)
{
	struct stat st;

	return !stat(file, &st) && S_ISDIR(st.st_mode);
}

static bool is_below(const char *file, char *const directories[])

{
	char directory[PATH_MAX];

	for (; strcmp(*directories, "--"); directories++) {
		size_t n = realpath(*directories, directory) ? strlen(directory) : 0;

		if (n && !strncmp(file, directory, n) && file[n] == '/')
			return true;
	}
	return false;
}

static void answer(int listener, const char *refused, char *const directories[])
{
	struct seccomp_notif call = {};
	struct seccomp_notif_resp reply = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
	char file[PATH_MAX];
	uint64_t at;

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
		return; /* the caller was killed */
	reply.id = call.id;
	at = probed_path(&call);
	if (at)
		resolve((pid_t)call.pid, at, file);
	if (at && !is_directory(file) && !is_below(file, directories)) {
		FILE *list = fopen(refused, "ae");

		if (!list)
			die(refused);
		fprintf(list, "%s\n", file);
		fclose(list);
		reply = (struct seccomp_notif_resp){ .id = call.id, .error = -EPERM };
	}
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

int main(int argc, char **argv)
{
	struct pollfd files[2] = { { .events = POLLIN }, { .events = POLLIN } };
	char **command = argv + 1;
	int status;
	pid_t child;

	while (*command && strcmp(*command, "--"))
		command++;
	if (argc < 2 || !*command || !*++command) {
		fprintf(stderr, "usage: return-guard REFUSED DIR... -- COMMAND [ARGUMENT]...\n");
		return 125;
	}
	if (getenv(GUARDED)) {
		execvp(*command, command);
		die(*command);
	}
	files[0].fd = listen_to_probes();
	setenv(GUARDED, "1", 1);
	child = fork();
	if (!child) {
		close(files[0].fd);
		execvp(*command, command);
		die(*command);
	}
	files[1].fd = child < 0 ? -1 : (int)syscall(SYS_pidfd_open, child, 0);
	if (files[1].fd < 0)
		die("fork");
	for (; poll(files, 2, -1) >= 0 && !files[1].revents; files[0].revents = 0)
		if (files[0].revents & POLLIN)
			answer(files[0].fd, argv[1], argv + 2);
	if (waitpid(child, &status, 0) != child)
		die("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
