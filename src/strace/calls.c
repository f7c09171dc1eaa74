// SPDX-License-Identifier: BSD-2-Clause
/* Which call has which arguments. A call that is missing here prints its arguments as numbers. */
#include "kernel/syscalls.h"
#include "strace_part.h"
#include "types.h"

#define CALL(NAME, ...) \
	{ \
#NAME, \
		{ \
			__VA_ARGS__ \
		} \
	}
#define CALL_RET(NAME, RET, ...) \
	{ \
#NAME, { __VA_ARGS__ }, RET \
	}
#define I	&t_int
#define PATH	&t_path
#define FD	&t_fd
#define DIR	&t_dir
#define SIZE	&t_size
#define POINTER &t_pointer

static void ret_unsigned(struct strace_line *line)
{
	str_add_u64(line->out, strace_ret(line));
}

static const struct strace_call calls[] = {
	/* files */
	CALL(read, FD, &t_out, SIZE),
	CALL(write, FD, &t_in, SIZE),
	CALL(pread64, FD, &t_out, SIZE, &t_long),
	CALL(pwrite64, FD, &t_in, SIZE, &t_long),
	CALL(readv, FD, &t_vectors_out, &t_size),
	CALL(writev, FD, &t_vectors_in, &t_size),
	CALL(open, PATH, &t_open_flags, &t_open_mode),
	CALL(openat, DIR, PATH, &t_open_flags, &t_open_mode),
	CALL(creat, PATH, &t_mode),
	CALL(close, FD),
	CALL(close_range, &t_uint, &t_uint, &t_close_range_flags),
	CALL(stat, PATH, &t_stat),
	CALL(lstat, PATH, &t_stat),
	CALL(fstat, FD, &t_stat),
	CALL(newfstatat, DIR, PATH, &t_stat, &t_at_flags),
	CALL(fstatat, DIR, PATH, &t_stat, &t_at_flags),
	CALL(statx, DIR, PATH, &t_statx_flags, &t_statx_mask, &t_statx),
	CALL(statfs, PATH, &t_statfs),
	CALL(fstatfs, FD, &t_statfs),
	CALL(access, PATH, &t_access),
	CALL(faccessat, DIR, PATH, &t_access),
	CALL(faccessat2, DIR, PATH, &t_access, &t_at_flags),
	CALL(lseek, FD, &t_long, &t_whence),
	CALL(getdents64, FD, &t_dirents, &t_size),
	CALL(getcwd, &t_cwd, SIZE),
	CALL(chdir, PATH),
	CALL(fchdir, FD),
	CALL(rename, PATH, PATH),
	CALL(renameat, DIR, PATH, DIR, PATH),
	CALL(renameat2, DIR, PATH, DIR, PATH, &t_rename_flags),
	CALL(mkdir, PATH, &t_mode),
	CALL(mkdirat, DIR, PATH, &t_mode),
	CALL(rmdir, PATH),
	CALL(link, PATH, PATH),
	CALL(linkat, DIR, PATH, DIR, PATH, &t_link_flags),
	CALL(unlink, PATH),
	CALL(unlinkat, DIR, PATH, &t_unlink_flags),
	CALL(symlink, PATH, PATH),
	CALL(symlinkat, PATH, DIR, PATH),
	CALL(readlink, PATH, &t_out, SIZE),
	CALL(readlinkat, DIR, PATH, &t_out, SIZE),
	CALL(chmod, PATH, &t_mode),
	CALL(fchmod, FD, &t_mode),
	CALL(fchmodat, DIR, PATH, &t_mode),
	CALL(chown, PATH, &t_id, &t_id),
	CALL(lchown, PATH, &t_id, &t_id),
	CALL(fchown, FD, &t_id, &t_id),
	CALL(fchownat, DIR, PATH, &t_id, &t_id, &t_at_flags),
	CALL_RET(umask, strace_ret_mode, &t_mode),
	CALL(truncate, PATH, &t_long),
	CALL(ftruncate, FD, &t_long),
	CALL(fsync, FD),
	CALL(fdatasync, FD),
	CALL(flock, FD, &t_flock),
	CALL(fadvise64, FD, &t_long, SIZE, &t_fadvise),
	CALL(utimensat, DIR, PATH, &t_times, &t_at_flags),
	CALL_RET(fcntl, strace_ret_fcntl, FD, &t_fcntl, &t_fcntl_arg),
	CALL(ioctl, FD, &t_ioctl, &t_ioctl_arg),
	CALL(dup, FD),
	CALL(dup2, FD, FD),
	CALL(dup3, FD, FD, &t_dup_flags),
	CALL(pipe, &t_pipe),
	CALL(pipe2, &t_pipe, &t_pipe_flags),
	CALL(sendfile, FD, FD, &t_offset, SIZE),
	CALL(memfd_create, &t_text, &t_memfd_flags),
	CALL(copy_file_range, FD, &t_offset, FD, &t_offset, SIZE, &t_uint),
	CALL(fallocate, FD, &t_uint, &t_long, &t_long),
	CALL(sync),
	CALL(chroot, PATH),
	CALL(mknod, PATH, &t_mode_kind, &t_hex),
	CALL(mknodat, DIR, PATH, &t_mode_kind, &t_hex),
	CALL(mount, PATH, PATH, PATH, &t_hex_short, POINTER),
	CALL(umount2, PATH, &t_hex_short),
	CALL(pivot_root, PATH, PATH),
	CALL(swapon, PATH, &t_hex_short),
	CALL(swapoff, PATH),
	CALL(acct, PATH),
	CALL(inotify_init1, &t_dup_flags),
	CALL(inotify_add_watch, FD, PATH, &t_hex_short),
	CALL(inotify_rm_watch, FD, I),
	CALL(setxattr, PATH, &t_name, &t_xattr_in, SIZE, &t_hex_short),
	CALL(lsetxattr, PATH, &t_name, &t_xattr_in, SIZE, &t_hex_short),
	CALL(fsetxattr, FD, &t_name, &t_xattr_in, SIZE, &t_hex_short),
	CALL(removexattr, PATH, &t_name),
	CALL(lremovexattr, PATH, &t_name),
	CALL(fremovexattr, FD, &t_name),
	CALL(fchmodat2, DIR, PATH, &t_mode, &t_at_flags),
	CALL(openat2, DIR, PATH, POINTER, SIZE),
	CALL(name_to_handle_at, DIR, PATH, POINTER, POINTER, &t_at_flags),
	CALL(getxattr, PATH, &t_name, &t_xattr_out, SIZE),
	CALL(lgetxattr, PATH, &t_name, &t_xattr_out, SIZE),
	CALL(fgetxattr, FD, &t_name, &t_xattr_out, SIZE),
	CALL(listxattr, PATH, &t_xattr_list, SIZE),
	CALL(llistxattr, PATH, &t_xattr_list, SIZE),
	CALL(flistxattr, FD, &t_xattr_list, SIZE),
	/* memory */
	CALL_RET(mmap, strace_ret_address, POINTER, SIZE, &t_prot, &t_map_flags, FD, &t_hex),
	CALL(munmap, POINTER, SIZE),
	CALL(mprotect, POINTER, SIZE, &t_prot),
	CALL(madvise, POINTER, SIZE, &t_madvise),
	CALL_RET(mremap, strace_ret_address, POINTER, SIZE, SIZE, &t_mremap_flags, &t_mremap_new),
	CALL_RET(brk, strace_ret_address, POINTER),
	/* processes */
	CALL(execve, &t_program, &t_argv, &t_envp),
	CALL(exit, I),
	CALL(exit_group, I),
	CALL(wait4, I, &t_wait_status, &t_wait_options, &t_rusage),
	CALL(sched_getparam, I, POINTER),
	CALL(sched_getscheduler, I),
	CALL(getpriority, &t_priority, I),
	CALL(setpriority, &t_priority, I, I),
	CALL(kill, I, &t_signal),
	CALL(tkill, I, &t_signal),
	CALL(tgkill, I, I, &t_signal),
	CALL(getpid),
	CALL(getppid),
	CALL(gettid),
	CALL(getuid),
	CALL(geteuid),
	CALL(getgid),
	CALL(getegid),
	CALL(getpgrp),
	CALL(getpgid, I),
	CALL(getsid, I),
	CALL(setsid),
	CALL(setpgid, I, I),
	CALL(setuid, &t_id),
	CALL(setgid, &t_id),
	CALL(getgroups, I, &t_ids_out),
	CALL(fork),
	CALL(vfork),
	CALL(clone, &t_clone),
	CALL(clone3, &t_clone_args, SIZE),
	CALL(unshare, &t_clone_flags),
	CALL(set_tid_address, POINTER),
	CALL(set_robust_list, POINTER, SIZE),
	CALL(rseq, POINTER, &t_hex, I, &t_hex),
	CALL_RET(prctl, strace_ret_prctl, &t_prctl, &t_prctl_arg),
	CALL(arch_prctl, &t_arch_prctl, POINTER),
	CALL(sched_yield),
	CALL(sched_getaffinity, I, SIZE, &t_cpus),
	CALL(getrlimit, &t_resource, &t_rlimit_out),
	CALL(setrlimit, &t_resource, &t_rlimit),
	CALL(prlimit64, I, &t_resource, &t_rlimit, &t_rlimit_out),
	CALL(getrusage, &t_rusage_who, &t_rusage),
	CALL(sysinfo, &t_sysinfo),
	CALL(uname, &t_uname),
	CALL(getrandom, &t_random, SIZE, &t_random_flags),
	/* signals */
	CALL(rt_sigaction, &t_signal, &t_sigaction, &t_sigaction_out, SIZE),
	CALL(rt_sigprocmask, &t_how, &t_sigset, &t_sigset_out, SIZE),
	CALL(rt_sigreturn, &t_restored),
	CALL(rt_sigsuspend, &t_sigset, SIZE),
	CALL(sigaltstack, &t_sigaltstack, &t_sigaltstack_out),
	CALL(pause),
	CALL_RET(alarm, ret_unsigned, &t_uint),
	/* times */
	CALL(nanosleep, &t_timespec, &t_timespec_left),
	CALL(clock_nanosleep, &t_clock, &t_timer_flags, &t_timespec, &t_timespec_left),
	CALL(clock_gettime, &t_clock, &t_timespec_out),
	CALL(clock_getres, &t_clock, &t_timespec_out),
	CALL(gettimeofday, &t_timeval_out, POINTER),
	CALL(timer_settime, I, &t_timer_flags, &t_itimerspec, &t_itimerspec_out),
	CALL(timerfd_settime, FD, &t_timer_flags, &t_itimerspec, &t_itimerspec_out),
	/* waiting */
	CALL_RET(poll, strace_ret_poll, &t_pollfds, &t_uint, I),
	CALL_RET(ppoll, strace_ret_poll, &t_pollfds, &t_uint, &t_timespec, &t_sigset, SIZE),
	CALL_RET(select, strace_ret_select, I, &t_fd_set, &t_fd_set, &t_fd_set, &t_timeval),
	CALL_RET(pselect6, strace_ret_select, I, &t_fd_set, &t_fd_set, &t_fd_set, &t_timespec, &t_sigset_pair),
	CALL(futex, POINTER, &t_futex_op, &t_futex),
	CALL(epoll_create1, &t_epoll_flags),
	CALL(epoll_create, I),
	CALL(epoll_ctl, FD, &t_epoll_op, FD, &t_epoll_event),
	CALL(epoll_wait, FD, &t_epoll_events, I, I),
	CALL(epoll_pwait, FD, &t_epoll_events, I, I, &t_sigset, SIZE),
	CALL(eventfd2, &t_uint, &t_event_flags),
	/* sockets */
	CALL(socket, &t_domain, &t_socket_type, &t_protocol),
	CALL(socketpair, &t_domain, &t_socket_type, &t_protocol, &t_pipe_pair),
	CALL(connect, FD, &t_sockaddr, I),
	CALL(bind, FD, &t_sockaddr, I),
	CALL(listen, FD, I),
	CALL(accept, FD, &t_sockaddr_out, &t_socklen),
	CALL(accept4, FD, &t_sockaddr_out, &t_socklen, &t_accept_flags),
	CALL(getsockname, FD, &t_sockaddr_out, &t_socklen),
	CALL(getpeername, FD, &t_sockaddr_out, &t_socklen),
	CALL(shutdown, FD, &t_shutdown),
	CALL(setsockopt, FD, &t_level, &t_option, &t_option_in, I),
	CALL(getsockopt, FD, &t_level, &t_option, &t_option_out, &t_option_len),
	CALL(sendto, FD, &t_in, SIZE, &t_msg_flags, &t_sockaddr, &t_uint),
	CALL(recvfrom, FD, &t_out, SIZE, &t_msg_flags, &t_sockaddr_out, &t_socklen),
	CALL(sendmsg, FD, &t_msg_in, &t_msg_flags),
	CALL(recvmsg, FD, &t_msg_out, &t_msg_flags),
};

const struct strace_call *strace_call_of(int number)
{
	const char *name = syscall_name(number);

	for (size_t i = 0; name && i < ARRAY_SIZE(calls); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}
