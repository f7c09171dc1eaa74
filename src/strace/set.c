// SPDX-License-Identifier: BSD-2-Clause
/* Sets of system calls: names, classes and patterns, as strace's -e trace= takes them. */
#include "base/word.h"
#include "kernel/syscalls.h"
#include "probe/regex.h"
#include "strace_part.h"
#include "types.h"

/* A class has the calls that strace 6.1 has in it, as far as it knows them. */
static const struct class
{
	const char *name, *also;
	const struct strace_type *type; /* calls with such an argument are in it */
	const char *calls;		/* that the type does not show */
	const char *but;		/* calls with that type that are not in it; NULL: none */
} classes[] = {
	{ "file", NULL, &t_path,
	  "execve execveat mount umount2 mknod mknodat swapon swapoff acct chroot pivot_root uselib quotactl utime "
	  "utimes futimesat setxattr lsetxattr removexattr lremovexattr inotify_add_watch fanotify_mark "
	  "name_to_handle_at openat2 open_tree move_mount fspick mount_setattr fchmodat2 getcwd",
	  "mq_open mq_unlink" },
	{ "desc", NULL, &t_fd,
	  "select pselect6 poll ppoll openat2 preadv pwritev preadv2 pwritev2 copy_file_range splice tee vmsplice "
	  "fallocate sync_file_range syncfs signalfd4 timerfd_create timerfd_gettime inotify_init1 inotify_add_watch "
	  "inotify_rm_watch fsetxattr fremovexattr perf_event_open bpf pidfd_open pidfd_getfd pidfd_send_signal "
	  "epoll_create epoll_create1 eventfd2 memfd_create mmap pipe pipe2 openat open io_uring_setup "
	  "io_uring_enter io_uring_register close_range userfaultfd epoll_pwait2 creat eventfd fanotify_init getdents "
	  "inotify_init kexec_file_load mq_open readahead",
	  "accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg "
	  "sendmsg sendto setsockopt shutdown" },
	{ "process", NULL, NULL,
	  "clone clone3 fork vfork execve execveat exit exit_group wait4 waitid waitpid kill tkill tgkill pidfd_open "
	  "pidfd_send_signal rt_sigqueueinfo rt_tgsigqueueinfo" },
	{ "network", "net", NULL,
	  "socket socketpair bind connect listen accept accept4 getsockname getpeername sendto recvfrom setsockopt "
	  "getsockopt shutdown sendmsg recvmsg sendmmsg recvmmsg sendfile getpmsg putpmsg" },
	{ "signal", NULL, NULL,
	  "kill tkill tgkill pause rt_sigaction rt_sigprocmask rt_sigpending rt_sigqueueinfo rt_tgsigqueueinfo "
	  "rt_sigreturn rt_sigsuspend rt_sigtimedwait sigaltstack signalfd signalfd4 pidfd_send_signal "
	  "sigaction signal sigpending sigprocmask sigreturn sigsuspend sgetmask ssetmask" },
	{ "ipc", NULL, NULL,
	  "msgget msgsnd msgrcv msgctl semget semop semctl semtimedop shmget shmat shmdt shmctl ipc" },
	{ "memory", NULL, NULL,
	  "mmap munmap mprotect mremap brk madvise mincore mlock mlock2 munlock mlockall munlockall msync mbind "
	  "get_mempolicy set_mempolicy move_pages migrate_pages pkey_mprotect remap_file_pages shmat shmdt "
	  "process_madvise set_mempolicy_home_node map_shadow_stack mseal "
	  "io_setup io_destroy" },
	{ "creds", NULL, NULL,
	  "capget capset getegid geteuid getgid getgroups getresgid getresuid getuid prctl setfsgid setfsuid setgid "
	  "setgroups setregid setresgid setresuid setreuid setuid" },
	{ "stat", NULL, NULL, "stat stat64 oldstat" },
	{ "lstat", NULL, NULL, "lstat lstat64 oldlstat" },
	{ "fstat", NULL, NULL, "fstat fstat64 oldfstat newfstatat fstatat64 statx" },
	{ "%stat", NULL, NULL,
	  "stat stat64 oldstat lstat lstat64 oldlstat fstat fstat64 oldfstat newfstatat fstatat64 statx" },
	{ "statfs", NULL, NULL, "statfs statfs64" },
	{ "fstatfs", NULL, NULL, "fstatfs fstatfs64" },
	{ "%statfs", NULL, NULL, "statfs statfs64 fstatfs fstatfs64 ustat" },
	{ "clock", NULL, NULL,
	  "adjtimex clock_adjtime clock_getres clock_gettime clock_settime gettimeofday settimeofday time stime" },
	{ "pure", NULL, NULL, "getegid geteuid getgid getpgrp getpid getppid gettid getuid" },
};

/* Bits of a choice: calls of which programs. */
#define OF_64 1
#define OF_32 2

/* One of the first three. */
struct choice {
	const char *name;
	const struct class *class;
	const regex_t *regex;
	unsigned int of;
};

/* A call by its index. base: the name that it has in 64-bit programs, if that is another one. */
struct named {
	const char *name, *base;
	const struct strace_call *call;
};

/* The names in 64-bit programs: to find them takes some time. */
static const char *base_of(int number)
{
	static const char *names[STRACE_CALLS];

	if (!names[number])
		names[number] = strace_base_of_32(number) ?: "";
	return *names[number] ? names[number] : NULL;
}

static struct named named_of(int i)
{
	if (i < STRACE_CALLS)
		return (struct named){ syscall_name(i), NULL, strace_call_of(i) };
	i -= STRACE_CALLS;
	return (struct named){ syscall_name_32(i), base_of(i), strace_call_of_32(i) };
}

static bool has_type(const struct strace_call *call, const struct strace_type *type)
{
	for (int i = 0; call && type && i < STRACE_ARGS; i++)
		if (call->args[i] == type || (type == &t_fd && call->args[i] == &t_dir))
			return true;
	return false;
}

/* Whether one of the names of a call is among these words. */
static bool is_in(const struct named *named, const char *words)
{
	return words && (word_is_in(named->name, words) || (named->base && word_is_in(named->base, words)));
}

static bool is_chosen(const struct choice *choice, const struct named *named)
{
	const struct class *class = choice->class;

	if (choice->regex)
		return !regexec(choice->regex, named->name, 0, NULL, 0) ||
		       (named->base && !regexec(choice->regex, named->base, 0, NULL, 0));
	if (!class)
		return !strcmp(named->name, choice->name) || str_same(named->base, choice->name);
	return is_in(named, class->calls) || (has_type(named->call, class->type) && !is_in(named, class->but));
}

/* Returns whether there is such a call. */
static bool add(unsigned char *v, const struct choice *choice)
{
	bool found = false;

	for (int i = 0; i < STRACE_SET_SIZE; i++) {
		struct named named;

		if (!(choice->of & (i < STRACE_CALLS ? OF_64 : OF_32)))
			continue;
		named = named_of(i);
		if (!named.name)
			continue;
		if (is_chosen(choice, &named))
			v[i] = found = true;
	}
	return found;
}

static const struct class *class_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(classes[i].name, name) || str_same(classes[i].also, name))
			return &classes[i];
	return NULL;
}

static int no_class(const char *word, struct err *err)
{
	struct str all __str = {};

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		str_addf(&all, "%s%%%s", i ? ", " : "", classes[i].name);
	return err_set(err, -EINVAL, "no such class of system calls: %s (there are %s)", word, all.data);
}

static int add_pattern(unsigned char *v, const char *pattern, unsigned int of, struct err *err)
{
	regex_t regex;
	int ret = regex_compile(&regex, pattern, err);

	if (ret)
		return ret;
	add(v, &(struct choice){ .regex = &regex, .of = of });
	regfree(&regex);
	return 0;
}

/* Cuts off which programs are meant: @64, @32. */
static int take_suffix(char *word, unsigned int *of, struct err *err)
{
	char *at = strrchr(word, '@');

	*of = OF_64 | OF_32;
	if (!at)
		return 0;
	if (!strcmp(at, "@x32"))
		return err_set(err, -EINVAL, "%s: calls of x32 programs cannot be chosen by name", word);
	if (strcmp(at, "@64") && strcmp(at, "@32"))
		return 0;
	*of = !strcmp(at, "@64") ? OF_64 : OF_32;
	*at = '\0';
	return 0;
}

static int add_word(unsigned char *v, char *word, struct err *err)
{
	bool optional = *word == '?';
	struct choice choice = { .name = word + optional };
	int ret = take_suffix(word, &choice.of, err);

	word += optional;
	if (ret || !strcmp(word, "none"))
		return ret;
	if (!strcmp(word, "all")) {
		memset(choice.of & OF_64 ? v : v + STRACE_CALLS, 1, choice.of == (OF_64 | OF_32) ? STRACE_SET_SIZE : STRACE_CALLS);
		return 0;
	}
	if (*word == '/')
		return add_pattern(v, word + 1, choice.of, err);
	/* some classes are known without their sign, as they were written once */
	choice.class = *word == '%'							 ? class_of(word + 1)
		       : word_is_in(word, "file desc process network signal ipc memory") ? class_of(word)
											 : NULL;
	if (*word == '%' && !choice.class)
		return no_class(word, err);
	if (add(v, &choice) || choice.class || optional)
		return 0;
	return err_set(err, -EINVAL, "no such system call%s: %s",
		       choice.of == OF_64   ? " of 64-bit programs"
		       : choice.of == OF_32 ? " of 32-bit programs"
					    : "",
		       word);
}

int strace_set_parse(struct strace_set *set, const char *text, struct err *err)
{
	bool others = *text == '!';
	__free char *copy = base_strdup(text + others);
	unsigned char v[STRACE_SET_SIZE] = {};
	char *rest = copy, *word;
	int ret = 0;

	while (!ret && (word = strsep(&rest, ",")))
		ret = add_word(v, word, err);
	if (ret)
		return ret;
	/* the last one wins, as in strace */
	set->any = true;
	for (int i = 0; i < STRACE_SET_SIZE; i++)
		set->v[i] = others ? !v[i] : v[i];
	return 0;
}
