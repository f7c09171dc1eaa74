// SPDX-License-Identifier: BSD-2-Clause
/* Sets of system calls: names, classes and patterns, as strace's -e trace= takes them. */
#include "base/word.h"
#include "kernel/syscalls.h"
#include "probe/regex.h"
#include "strace_part.h"
#include "types.h"

/* Calls of a class that the table of arguments does not show. */
static const struct {
	const char *name, *also;
	const struct strace_type *type; /* calls with such an argument are in it */
	const char *calls;
} classes[] = {
	{ "file", NULL, &t_path,
	  "execve execveat mount umount2 mknod mknodat swapon swapoff acct chroot pivot_root uselib quotactl utime "
	  "utimes futimesat setxattr lsetxattr removexattr lremovexattr inotify_add_watch fanotify_mark "
	  "name_to_handle_at openat2 open_tree move_mount fspick mount_setattr fchmodat2 getcwd memfd_create" },
	{ "desc", NULL, &t_fd,
	  "select pselect6 poll ppoll openat2 preadv pwritev preadv2 pwritev2 copy_file_range splice tee vmsplice "
	  "fallocate sync_file_range syncfs signalfd4 timerfd_create timerfd_gettime inotify_init1 inotify_add_watch "
	  "inotify_rm_watch fsetxattr fremovexattr perf_event_open bpf pidfd_open pidfd_getfd pidfd_send_signal "
	  "epoll_create epoll_create1 eventfd2 memfd_create mmap pipe pipe2 openat open socket socketpair io_uring_setup "
	  "io_uring_enter io_uring_register close_range userfaultfd sendmmsg recvmmsg epoll_pwait2" },
	{ "process", NULL, NULL,
	  "clone clone3 fork vfork execve execveat exit exit_group wait4 waitid kill tkill tgkill pidfd_open "
	  "pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo arch_prctl unshare" },
	{ "network", "net", NULL,
	  "socket socketpair bind connect listen accept accept4 getsockname getpeername sendto recvfrom setsockopt "
	  "getsockopt shutdown sendmsg recvmsg sendmmsg recvmmsg sendfile" },
	{ "signal", NULL, NULL,
	  "kill tkill tgkill pause rt_sigaction rt_sigprocmask rt_sigpending rt_sigqueueinfo rt_tgsigqueueinfo "
	  "rt_sigreturn rt_sigsuspend rt_sigtimedwait sigaltstack signalfd signalfd4 pidfd_send_signal" },
	{ "ipc", NULL, NULL,
	  "msgget msgsnd msgrcv msgctl semget semop semctl semtimedop shmget shmat shmdt shmctl" },
	{ "memory", NULL, NULL,
	  "mmap munmap mprotect mremap brk madvise mincore mlock mlock2 munlock mlockall munlockall msync mbind "
	  "get_mempolicy set_mempolicy move_pages migrate_pages pkey_mprotect remap_file_pages shmat shmdt "
	  "process_madvise set_mempolicy_home_node map_shadow_stack mseal" },
};

static bool has_type(const struct strace_call *call, const struct strace_type *type)
{
	for (int i = 0; call && type && i < STRACE_ARGS; i++)
		if (call->args[i] == type)
			return true;
	return false;
}

static bool add_class(unsigned char *v, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		if (strcmp(classes[i].name, name) && !str_same(classes[i].also, name))
			continue;
		for (int number = 0; number < STRACE_CALLS; number++) {
			const char *call = syscall_name(number);

			if (!call)
				continue;
			if (word_is_in(call, classes[i].calls) || has_type(strace_call_of(number), classes[i].type) ||
			    (classes[i].type == &t_fd && has_type(strace_call_of(number), &t_dir)))
				v[number] = 1;
		}
		return true;
	}
	return false;
}

static int add_pattern(unsigned char *v, const char *pattern, struct err *err)
{
	regex_t regex;
	int ret = regex_compile(&regex, pattern, err);

	if (ret)
		return ret;
	for (int number = 0; number < STRACE_CALLS; number++) {
		const char *call = syscall_name(number);

		if (call && !regexec(&regex, call, 0, NULL, 0))
			v[number] = 1;
	}
	regfree(&regex);
	return 0;
}

static int add_word(unsigned char *v, char *word, struct err *err)
{
	bool optional = *word == '?';
	int number;

	word += optional;
	if (!strcmp(word, "all"))
		memset(v, 1, STRACE_CALLS);
	if (!strcmp(word, "all") || !strcmp(word, "none"))
		return 0;
	if (*word == '%' && add_class(v, word + 1))
		return 0;
	if (*word == '%')
		return err_set(err, -EINVAL, "no such class of system calls: %s (there are %%file, %%desc, %%process, "
					     "%%network, %%signal, %%ipc, %%memory)",
			       word);
	if (*word == '/')
		return add_pattern(v, word + 1, err);
	number = syscall_number(word);
	if (number >= 0 && number < STRACE_CALLS) {
		v[number] = 1;
		return 0;
	}
	if (optional || add_class(v, word))
		return 0;
	return err_set(err, -EINVAL, "no such system call: %s", word);
}

int strace_set_parse(struct strace_set *set, const char *text, struct err *err)
{
	bool others = *text == '!';
	__free char *copy = base_strdup(text + others);
	unsigned char v[STRACE_CALLS] = {};
	char *rest = copy, *word;
	int ret = 0;

	while (!ret && (word = strsep(&rest, ",")))
		ret = add_word(v, word, err);
	if (ret)
		return ret;
	/* the last one wins, as in strace */
	set->any = true;
	for (int i = 0; i < STRACE_CALLS; i++)
		set->v[i] = others ? !v[i] : v[i];
	return 0;
}
