// SPDX-License-Identifier: BSD-2-Clause
/*
 * How many arguments syscalls take, from their man pages. The kernel says it only in tracefs, one file for each call.
 * tests/tools/record.sh compares the two.
 */
#include "base/base.h"
#include "syscalls.h"

/* By number of arguments. Calls that are missing here take SYSCALL_ARGUMENTS, or are not known. */
static const char *const by_arguments[SYSCALL_ARGUMENTS] = {
	"fork getegid geteuid getgid getpgrp getpid getppid gettid getuid inotify_init munlockall pause "
	"restart_syscall rt_sigreturn sched_yield setsid sync vfork vhangup",
	"_sysctl get_kernel_syms acct adjtimex alarm brk chdir chroot close dup epoll_create epoll_create1 eventfd exit exit_group fchdir "
	"fdatasync fsync get_thread_area getpgid getsid inotify_init1 io_destroy iopl memfd_secret mlockall "
	"mq_unlink personality pipe pkey_free rmdir sched_get_priority_max sched_get_priority_min "
	"sched_getscheduler set_thread_area set_tid_address setfsgid setfsuid setgid setuid shmdt swapoff "
	"syncfs sysinfo time timer_delete timer_getoverrun times umask uname unlink unshare uselib "
	"userfaultfd",
	"access arch_prctl capget capset chmod clock_adjtime clock_getres clock_gettime clock_settime clone3 creat "
	"create_module "
	"delete_module dup2 eventfd2 fanotify_init fchmod flock fremovexattr fsopen fstat fstatfs ftruncate "
	"getcwd getgroups getitimer getpriority getrlimit getrusage gettimeofday inotify_rm_watch io_setup "
	"io_uring_setup ioprio_get kill landlock_restrict_self link listen lremovexattr lstat memfd_create "
	"mkdir mlock mq_notify munlock munmap nanosleep pidfd_open pipe2 pivot_root pkey_alloc "
	"process_mrelease removexattr rename rt_sigpending rt_sigsuspend sched_getparam sched_rr_get_interval "
	"sched_setparam set_robust_list setdomainname setgroups sethostname setns setpgid setregid setreuid "
	"setrlimit settimeofday shutdown sigaltstack stat statfs swapon symlink timer_gettime timerfd_create "
	"timerfd_gettime tkill truncate umount2 ustat utime utimes",
	"accept bind bpf cachestat chown close_range connect dup3 execve faccessat fchmodat fchown fcntl "
	"finit_module flistxattr fsmount fspick futimesat get_robust_list getcpu getdents getdents64 "
	"getpeername getrandom getresgid getresuid getsockname init_module inotify_add_watch io_cancel "
	"io_submit ioctl ioperm ioprio_set landlock_create_ruleset lchown listxattr llistxattr lookup_dcookie "
	"nfsservctl security tuxcall "
	"lseek lsm_list_modules madvise map_shadow_stack membarrier mincore mkdirat mknod mlock2 modify_ldt "
	"mprotect mseal mq_getsetattr msgctl msync open open_by_handle_at open_tree pidfd_getfd poll read readahead "
	"readlink readv recvmsg rt_sigqueueinfo sched_getaffinity sched_setaffinity sched_setattr "
	"sched_setscheduler seccomp semget semop sendmsg set_mempolicy setitimer setpriority setresgid "
	"setresuid shmat shmctl shmget signalfd socket symlinkat sysfs syslog tgkill timer_create unlinkat "
	"write writev",
	"epoll_ctl_old epoll_wait_old "
	"accept4 clock_nanosleep epoll_ctl epoll_wait faccessat2 fadvise64 fallocate fchmodat2 fgetxattr "
	"fstatat futex_requeue futex_wake getxattr io_uring_register kexec_load landlock_add_rule lgetxattr "
	"listmount listns lsm_get_self_attr lsm_set_self_attr migrate_pages mknodat mq_open msgsnd newfstatat "
	"openat openat2 pidfd_send_signal pkey_mprotect pread64 prlimit64 ptrace pwrite64 quotactl "
	"quotactl_fd readlinkat reboot removexattrat renameat request_key rseq rt_sigaction rt_sigprocmask "
	"rt_sigtimedwait rt_tgsigqueueinfo sched_getattr semctl semtimedop sendfile sendmmsg signalfd4 "
	"set_mempolicy_home_node socketpair statmount sync_file_range tee timer_settime timerfd_settime "
	"utimensat vmsplice wait4",
	"afs_syscall getpmsg putpmsg query_module vserver "
	"add_key clone execveat fanotify_mark fchownat file_getattr file_setattr fsconfig fsetxattr "
	"futex_waitv get_mempolicy getsockopt io_getevents kcmp kexec_file_load keyctl linkat listxattrat "
	"lsetxattr mount mount_setattr move_mount mq_timedreceive mq_timedsend mremap msgrcv "
	"name_to_handle_at open_tree_attr perf_event_open ppoll prctl preadv process_madvise pwritev recvmmsg "
	"remap_file_pages renameat2 select setsockopt setxattr statx waitid",
};

/* Whether a list of words has the word. */
static bool has(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

int syscall_arguments(int number)
{
	const char *name = syscall_name(number);

	for (size_t n = 0; name && n < SYSCALL_ARGUMENTS; n++)
		if (has(by_arguments[n], name))
			return n;
	return SYSCALL_ARGUMENTS;
}
