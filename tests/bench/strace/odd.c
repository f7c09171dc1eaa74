// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes system calls that ordinary programs seldom make, for the comparison of `sonde strace` with strace. They change
 * nothing outside of this process: what could is called with arguments that fail.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/if_alg.h>
#include <linux/if_packet.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/quota.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

static void ids(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];
	unsigned int a, b, c, more[100];

	syscall(SYS_capget, &head, data);
	syscall(SYS_capset, &head, data);
	syscall(SYS_capset, NULL, NULL);
	syscall(SYS_getresuid, &a, &b, &c);
	syscall(SYS_getresgid, &a, &b, &c);
	syscall(SYS_setresuid, -1, 0, -1);
	syscall(SYS_setresgid, -1, 0, -1);
	syscall(SYS_setreuid, -1, -1);
	syscall(SYS_setregid, -1, 0);
	syscall(SYS_setfsuid, 0);
	syscall(SYS_setfsgid, 0);
	syscall(SYS_setgroups, 0, NULL);
	syscall(SYS_getgroups, 100, more);
	syscall(SYS_setgroups, 1, &a);
	syscall(SYS_getcpu, &a, &b, NULL);
	syscall(SYS_membarrier, 0, 0, 0);
	syscall(SYS_personality, 0xffffffff);
	syscall(SYS_sethostname, "a", -1);
	syscall(SYS_setdomainname, NULL, 3);
	syscall(SYS_syslog, 10, NULL, 0);
	syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 1);
	syscall(SYS_get_robust_list, 0, &a, &b);
}

static void scheduling(void)
{
	struct sched_param param = { 0 };
	struct timespec interval;
	struct {
		unsigned int size, policy;
		unsigned long flags;
		int nice;
		unsigned int priority;
		unsigned long runtime, deadline, period;
		unsigned int min, max;
	} attr = { sizeof(attr) };
	unsigned long mask[2] = { 1 }, node = 1;
	int mode;

	syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &param);
	syscall(SYS_sched_setscheduler, 0, SCHED_BATCH | SCHED_RESET_ON_FORK, &param);
	syscall(SYS_sched_getscheduler, 0);
	syscall(SYS_sched_setparam, 0, &param);
	syscall(SYS_sched_getparam, 0, &param);
	syscall(SYS_sched_get_priority_max, SCHED_FIFO);
	syscall(SYS_sched_get_priority_min, SCHED_RR);
	syscall(SYS_sched_rr_get_interval, 0, &interval);
	syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask);
	syscall(SYS_sched_getaffinity, 0, 16, mask);
	syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0);
	syscall(SYS_sched_setattr, 0, &attr, 0);
	syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 4);
	syscall(SYS_ioprio_get, 1, 0);
	syscall(SYS_getpriority, PRIO_PROCESS, 0);
	syscall(SYS_get_mempolicy, &mode, mask, 64, NULL, 0);
	syscall(SYS_set_mempolicy, 0, NULL, 0);
	syscall(SYS_mbind, NULL, 4096, 2, &node, 64, 1);
	syscall(SYS_migrate_pages, 0, 0, &node, &node);
	syscall(SYS_move_pages, 0, 0, NULL, NULL, NULL, 2);
}

static void memory(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char in_core[2];

	syscall(SYS_mincore, page, 8192, in_core);
	syscall(SYS_msync, page, 4096, MS_ASYNC);
	syscall(SYS_mlock, page, 4096);
	syscall(SYS_mlock2, page, 4096, 1);
	syscall(SYS_munlock, page, 4096);
	syscall(SYS_mlockall, -1);
	syscall(SYS_munlockall);
	syscall(SYS_madvise, page, 4096, MADV_DONTNEED);
	syscall(SYS_process_madvise, -1, NULL, 0, MADV_COLD, 0);
	syscall(SYS_pkey_alloc, 0, 1);
	syscall(SYS_pkey_mprotect, page, 4096, PROT_READ, -1);
	syscall(SYS_pkey_free, 3);
	syscall(SYS_remap_file_pages, page, 4096, 0, 0, 0);
	syscall(SYS_userfaultfd, O_CLOEXEC | 1);
	syscall(SYS_memfd_create, "name", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	syscall(SYS_mremap, page, 8192, 4096, MREMAP_MAYMOVE);
	syscall(SYS_process_vm_readv, getpid(), &(struct iovec){ page, 4 }, 1, &(struct iovec){ page, 4 }, 1, 0);
	syscall(SYS_process_vm_writev, getpid(), &(struct iovec){ page, 4 }, 1, &(struct iovec){ page, 4 }, 1, 0);
}

static void timers(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct itimerval interval = {};
	struct tms used;
	struct itimerspec timer = { .it_value.tv_sec = 100 }, old;
	struct timex timex = {};
	struct timeval now[2] = {};
	struct timespec left;
	int id, fd;

	syscall(SYS_times, &used);
	syscall(SYS_times, NULL);
	syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id);
	syscall(SYS_timer_settime, id, 0, &timer, &old);
	syscall(SYS_timer_gettime, id, &old);
	syscall(SYS_timer_getoverrun, id);
	syscall(SYS_timer_delete, id);
	syscall(SYS_setitimer, ITIMER_REAL, &interval, &interval);
	syscall(SYS_getitimer, ITIMER_VIRTUAL, &interval);
	fd = syscall(SYS_timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	syscall(SYS_timerfd_settime, fd, TFD_TIMER_ABSTIME, &timer, NULL);
	syscall(SYS_timerfd_gettime, fd, &old);
	syscall(SYS_adjtimex, &timex);
	syscall(SYS_clock_adjtime, CLOCK_REALTIME, &timex);
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &left);
	syscall(SYS_clock_getres, CLOCK_BOOTTIME, &left);
	syscall(SYS_clock_settime, CLOCK_MONOTONIC, &left);
	syscall(SYS_gettimeofday, now, NULL);
	syscall(SYS_settimeofday, (void *)16, NULL);
	syscall(SYS_times, NULL);
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &(struct timespec){ 0, 1000 }, &left);
#ifdef SYS_time
	syscall(SYS_time, NULL);
	syscall(SYS_alarm, 0);
	syscall(SYS_utime, "/nowhere", NULL);
	syscall(SYS_utimes, "/nowhere", now);
	syscall(SYS_futimesat, AT_FDCWD, "/nowhere", now);
#endif
}

static void files(void)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	struct {
		struct file_handle head;
		char bytes[128];
	} handle = { { .handle_bytes = 128 } };
	int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600), mount, ends[2];
	loff_t from = 0;
	struct iovec vector = { "abcdef", 6 };
	struct flock lock = { F_WRLCK, SEEK_SET, 0, 1 };

	syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", &how, sizeof(how));
	syscall(SYS_name_to_handle_at, AT_FDCWD, "/etc", &handle, &mount, 0);
	syscall(SYS_open_by_handle_at, -1, &handle, O_RDONLY);
	syscall(SYS_pwritev, fd, &vector, 1, 4, 0);
	syscall(SYS_preadv, fd, &vector, 0, 4, 0);
	syscall(SYS_pwritev2, fd, &vector, 1, 4, 0, 2);
	syscall(SYS_preadv2, fd, &vector, 0, -1, -1, 8);
	syscall(SYS_fallocate, fd, 3, 0, 4096);
	syscall(SYS_sync_file_range, fd, 0, 4096, 2);
	syscall(SYS_readahead, fd, 0, 4096);
	syscall(SYS_syncfs, fd);
	syscall(SYS_pipe2, ends, O_NONBLOCK);
	syscall(SYS_splice, fd, &from, ends[1], NULL, 4, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	syscall(SYS_tee, ends[0], ends[1], 1, SPLICE_F_NONBLOCK);
	syscall(SYS_vmsplice, ends[1], &vector, 1, 0);
	syscall(SYS_copy_file_range, fd, &from, fd, NULL, 4, 0);
	syscall(SYS_fsetxattr, fd, "user.a", "value", 5, XATTR_CREATE);
	syscall(SYS_fgetxattr, fd, "user.a", &handle, 100);
	syscall(SYS_fsetxattr, fd, "user.a", "va\0e\0", 5, 0);
	syscall(SYS_fsetxattr, fd, "user.a", "a value of more than thirty-two \0", 33, 0);
	syscall(SYS_fsetxattr, fd, "user.a", "va\0e\0", 5, 0);
	syscall(SYS_fgetxattr, fd, "user.a", &handle, 100);
	ioctl(-1, BLKFLSBUF, 0);
	ioctl(-1, TIOCMSET, &(int){ 6 });
	ioctl(-1, TCFLSH, 2);
	ioctl(-1, FITRIM, &(struct fstrim_range){ 1, 2, 3 });
	ioctl(-1, _IOC(3, 0x7a, 0xff, 4), 1);
	ioctl(fd, FIGETBSZ, &handle);
	syscall(SYS_flistxattr, fd, &handle, 100);
	syscall(SYS_flistxattr, fd, NULL, 0);
	syscall(SYS_fremovexattr, fd, "user.a");
	syscall(SYS_lsetxattr, "/nowhere", "user.a", NULL, 0, 0);
	syscall(SYS_fcntl, fd, F_SETLK, &lock);
	syscall(SYS_fcntl, fd, F_GETLK, &lock);
	syscall(SYS_fcntl, fd, F_SETPIPE_SZ, 4096);
	syscall(SYS_fcntl, ends[0], F_GETPIPE_SZ);
	syscall(SYS_fcntl, fd, F_GETOWN);
	syscall(SYS_fcntl, fd, F_SETOWN, 0);
	syscall(SYS_fcntl, fd, F_SETSIG, SIGUSR1);
	syscall(SYS_fcntl, fd, F_GETSIG);
	syscall(SYS_fcntl, fd, F_GETLEASE);
	syscall(SYS_fcntl, fd, F_GET_SEALS);
	syscall(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	syscall(SYS_fcntl, fd, F_NOTIFY, DN_ACCESS);
	syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 10);
	syscall(SYS_fcntl, fd, F_GETOWN_EX, &handle);
	syscall(SYS_flock, fd, LOCK_EX | LOCK_NB);
	syscall(SYS_faccessat2, AT_FDCWD, "/etc", R_OK | X_OK, AT_EACCESS);
	syscall(SYS_mknodat, AT_FDCWD, "/nowhere/a", S_IFCHR | 0600, 0x105);
	syscall(SYS_utimensat, AT_FDCWD, "/nowhere", (struct timespec[]){ { 0, UTIME_NOW }, { 0, UTIME_OMIT } }, 0);
	syscall(SYS_renameat2, AT_FDCWD, "/nowhere", AT_FDCWD, "/nowhere2", 1);
	syscall(SYS_lookup_dcookie, 1, NULL, 0);
	syscall(SYS_close_range, 900, 1000, 4);
	syscall(SYS_umask, 022);
	syscall(SYS_fadvise64, fd, 0, 0, 4);
}

static void mounts(void)
{
	int fd;

	syscall(SYS_mount, "none", "/nowhere", "tmpfs", MS_NOSUID | MS_NODEV | MS_REC, "size=1m");
	syscall(SYS_mount, "a", "/nowhere", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL);
	syscall(SYS_umount2, "/nowhere", MNT_DETACH | UMOUNT_NOFOLLOW);
	syscall(SYS_pivot_root, "/nowhere", "/nowhere");
	syscall(SYS_swapon, "/nowhere", 0x8000 | 3);
	syscall(SYS_swapoff, "/nowhere");
	syscall(SYS_quotactl, QCMD(Q_GETQUOTA, USRQUOTA), "/nowhere", 0, NULL);
	syscall(SYS_statfs, "/proc", NULL);
	fd = syscall(SYS_open_tree, AT_FDCWD, "/nowhere", 1 | O_CLOEXEC);
	syscall(SYS_move_mount, fd, "", AT_FDCWD, "/nowhere", 4);
	fd = syscall(SYS_fsopen, "nofs", 1);
	syscall(SYS_fsconfig, fd, 1, "a", "b", 0);
	syscall(SYS_fsmount, fd, 1, 2);
	syscall(SYS_fspick, AT_FDCWD, "/nowhere", 1);
	syscall(SYS_mount_setattr, -1, "", 0x1000, NULL, 0);
	syscall(SYS_setns, -1, CLONE_NEWNET);
	syscall(SYS_unshare, 0);
	syscall(SYS_chroot, "/nowhere");
	syscall(SYS_acct, "/nowhere");
	syscall(SYS_init_module, (void *)16, 10, "a=b");
	syscall(SYS_finit_module, -1, "a=b", 1);
	syscall(SYS_delete_module, "nothing", O_NONBLOCK);
	syscall(SYS_fanotify_init, 0x3, O_RDONLY);
	syscall(SYS_fanotify_mark, -1, 1, 1, AT_FDCWD, "/nowhere");
	fd = syscall(SYS_inotify_init1, IN_CLOEXEC | IN_NONBLOCK);
	syscall(SYS_inotify_add_watch, fd, "/etc", IN_CREATE | IN_DELETE | IN_ONLYDIR);
	syscall(SYS_inotify_rm_watch, fd, 1);
}

static void waiting(void)
{
	struct pollfd fds[] = { { 0, POLLIN | POLLRDHUP }, { 1, POLLOUT }, { -1 }, { 900, POLLIN } };
	struct epoll_event event = { EPOLLIN | EPOLLET, { .u64 = 0x123456789a } }, events[4];
	sigset_t set;
	fd_set in, out;
	int fd = epoll_create1(EPOLL_CLOEXEC), ends[2];
	siginfo_t info;
	struct {
		unsigned long val, uaddr;
		unsigned int flags, reserved;
	} waitv = { 1, (unsigned long)&ends, 2 };

	pipe2(ends, 0);
	syscall(SYS_epoll_ctl, fd, EPOLL_CTL_ADD, ends[1], &(struct epoll_event){ EPOLLOUT, { .fd = ends[1] } });
	syscall(SYS_epoll_ctl, fd, EPOLL_CTL_MOD, ends[1], &event);
	syscall(SYS_epoll_ctl, fd, EPOLL_CTL_DEL, ends[0], NULL);
	syscall(SYS_epoll_pwait, fd, events, 4, 0, NULL, 8);
	syscall(SYS_epoll_pwait2, fd, events, 4, &(struct timespec){}, NULL, 8);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	syscall(SYS_ppoll, fds, 4, &(struct timespec){ 0, 5 }, &set, 8);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(ends[0], &in);
	FD_SET(ends[1], &out);
	syscall(SYS_pselect6, ends[1] + 1, &in, &out, NULL, &(struct timespec){ 0, 5 }, NULL);
	syscall(SYS_signalfd4, -1, &set, 8, SFD_CLOEXEC | SFD_NONBLOCK);
	syscall(SYS_eventfd2, 3, EFD_SEMAPHORE | EFD_CLOEXEC);
	syscall(SYS_rt_sigpending, &set, 8);
	syscall(SYS_rt_sigtimedwait, &set, &info, &(struct timespec){}, 8);
	syscall(SYS_rt_sigqueueinfo, getpid(), 0, &info);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), 0, &info);
	syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG, NULL);
	if (!fork())
		_exit(3);
	syscall(SYS_waitid, P_ALL, 0, &info, WEXITED, NULL);
	syscall(SYS_futex, ends, 4 | 128, 1, 2, ends, ends[0]);
	syscall(SYS_futex, ends, 5 | 128, 1, 1, ends, 4 << 28 | 1 << 12);
	syscall(SYS_futex_waitv, &waitv, 1, 0, &(struct timespec){}, CLOCK_MONOTONIC);
	fd = syscall(SYS_pidfd_open, getpid(), 0);
	syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0);
	syscall(SYS_pidfd_getfd, fd, 0, 0);
	syscall(SYS_restart_syscall);
}

static void sockets(void)
{
	struct sockaddr_in address = { AF_INET, htons(0), { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_in6 address6 = { AF_INET6 };
	struct sockaddr_ll packet = { AF_PACKET, htons(3), 1 };
	struct linger linger = { 1, 2 };
	struct timeval time = { 1, 2 };
	struct sock_fprog filter = { 1, &(struct sock_filter){ BPF_RET | BPF_K, 0, 0, 0xffff } };
	struct ucred cred;
	char text[64];
	int fds[2], fd, value = 1;
	socklen_t len = sizeof(value);
	struct iovec vector = { "hello", 5 }, into = { text, sizeof(text) };
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = { { CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct msghdr message = { NULL, 0, &vector, 1, &control, sizeof(control) };
	struct mmsghdr messages[2] = { { { NULL, 0, &vector, 1 } }, { { NULL, 0, &vector, 1 } } };

	fd = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
	bind(fd, (void *)&address, sizeof(address));
	len = sizeof(address);
	getsockname(fd, (void *)&address, &len);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, sizeof(value));
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter));
	setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, 2);
	setsockopt(fd, SOL_TCP, TCP_NODELAY, &value, sizeof(value));
	setsockopt(fd, SOL_TCP, TCP_CONGESTION, "cubic", 5);
	setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &value, sizeof(value));
	setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &(struct ip_mreq){ { 1 }, { 2 } }, 8);
	setsockopt(-1, SOL_SOCKET, SO_RCVBUF, &linger, sizeof(linger));
	setsockopt(-1, SOL_SOCKET, SO_LINGER, &linger, 4);
	setsockopt(-1, IPPROTO_SCTP, 7, &value, sizeof(value));
	setsockopt(-1, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &(struct packet_mreq){ 1, 1, 2, { 3, 4 } }, sizeof(struct packet_mreq));
	setsockopt(-1, SOL_RAW, 1, &value, sizeof(value));
	setsockopt(-1, SOL_IP, 64, NULL, 0);
	len = 5;
	getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &len);
	len = 2;
	getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &value, &len);
	len = sizeof(value);
	getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &len);
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &len);
	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &value, &len);
	getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &value, &len);
	getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value, &len);
	getsockopt(fd, SOL_TCP, TCP_MAXSEG, &value, &len);
	len = sizeof(text);
	getsockopt(fd, SOL_TCP, TCP_CONGESTION, text, &len);
	getsockopt(fd, 99, 98, text, &len);
	listen(fd, 5);
	connect(fd, (void *)&address6, sizeof(address6));
	accept4(fd, NULL, NULL, SOCK_NONBLOCK);
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(3));
	bind(-1, (void *)&packet, sizeof(packet));
	for (packet.sll_hatype = 0xfffd; packet.sll_hatype; packet.sll_hatype++)
		bind(-1, (void *)&packet, sizeof(packet));
	bind(-1, (void *)&(struct sockaddr_vm){ AF_VSOCK, 0, 80, VMADDR_CID_HOST }, sizeof(struct sockaddr_vm));
	bind(-1, (void *)&(struct sockaddr_alg){ AF_ALG, "hash", 0, 0, "md5" }, sizeof(struct sockaddr_alg));
	bind(-1, (void *)&(struct sockaddr_un){ AF_UNIX, "\0abs" }, 6);
	socket(AF_BLUETOOTH, 0x7 | SOCK_NONBLOCK, 3);
	socket(AF_INET6, SOCK_DGRAM, IPPROTO_UDP);
	socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds);
	len = sizeof(cred);
	getsockopt(fds[0], SOL_SOCKET, SO_PEERCRED, &cred, &len);
	setsockopt(fds[1], SOL_SOCKET, SO_PASSCRED, &value, sizeof(value));
	memcpy(CMSG_DATA(&control.head), fds, sizeof(fds));
	sendmsg(fds[0], &message, MSG_NOSIGNAL);
	message.msg_iov = &into;
	recvmsg(fds[1], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	syscall(SYS_sendmmsg, fds[0], messages, 2, MSG_DONTWAIT);
	messages[0].msg_hdr.msg_iov = messages[1].msg_hdr.msg_iov = &into;
	syscall(SYS_recvmmsg, fds[1], messages, 2, MSG_DONTWAIT, NULL);
	syscall(SYS_recvmmsg, fds[1], messages, 2, MSG_DONTWAIT, &(struct timespec){ 1 });
	shutdown(fds[0], SHUT_RDWR);
	sendto(-1, "abc", 3, MSG_MORE | MSG_EOR, (void *)&address, sizeof(address));
	recvfrom(fds[1], text, 10, MSG_PEEK | MSG_DONTWAIT, NULL, NULL);
}

static void netlink(void)
{
	struct {
		struct nlmsghdr head;
		struct rtgenmsg body;
	} request = { { NLMSG_LENGTH(sizeof(struct rtgenmsg)), RTM_GETLINK, NLM_F_REQUEST | NLM_F_ROOT, 7, 0 },
		      { AF_UNSPEC } };
	struct sockaddr_nl address = { AF_NETLINK, 0, 0, 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), value = 1;
	char reply[8192];

	bind(fd, (void *)&address, sizeof(address));
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &value, sizeof(value));
	send(fd, &request, request.head.nlmsg_len, 0);
	recv(fd, reply, 64, MSG_PEEK | MSG_TRUNC);
	request.head.nlmsg_type = 99;
	request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	send(fd, &request, request.head.nlmsg_len, MSG_DONTWAIT);
}

static void controls(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000,
					.disabled = 1 };
	struct io_uring_params params = { .flags = IORING_SETUP_CQSIZE, .cq_entries = 8 };
	struct landlock_ruleset_attr rules = { .handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE };
	union bpf_attr bpf = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 0 };
	struct winsize size;
	char text[64] = "abc";
	int fd, n;

	syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	fd = syscall(SYS_io_uring_setup, 4, &params);
	syscall(SYS_io_uring_enter, fd, 0, 0, 1, NULL, 8);
	syscall(SYS_io_uring_register, fd, 1, NULL, 0);
	syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);
	syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	syscall(SYS_landlock_add_rule, -1, 1, NULL, 0);
	syscall(SYS_landlock_restrict_self, -1, 0);
	syscall(SYS_bpf, BPF_MAP_CREATE, &bpf, 16);
	syscall(SYS_bpf, BPF_PROG_LOAD, NULL, 0);
	syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
	syscall(SYS_add_key, "user", "a", "b", 1, -900);
	syscall(SYS_request_key, "user", "a", NULL, -900);
	syscall(SYS_ptrace, PTRACE_PEEKDATA, 0, 0, 0);
	syscall(SYS_ptrace, PTRACE_ATTACH, 0, 0, 0);
	syscall(SYS_ptrace, PTRACE_SETOPTIONS, 0, 0, 1);
	syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &(unsigned int){ SECCOMP_RET_LOG });
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG, NULL);
	prctl(PR_SET_NAME, "odd");
	prctl(PR_GET_NAME, text);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_GET_PDEATHSIG, &n);
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	prctl(PR_CAPBSET_READ, 3);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 3, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_GET_CHILD_SUBREAPER, &n);
	prctl(PR_GET_TID_ADDRESS, text);
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, 0, 0, "name");
	prctl(PR_SET_KEEPCAPS, 1);
	prctl(PR_GET_SECCOMP);
	prctl(PR_GET_SECUREBITS);
	prctl(PR_SET_TIMERSLACK, 50000);
	prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0);
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	prctl(PR_SET_MM, PR_SET_MM_START_CODE, 0, 0, 0);
	ioctl(0, TIOCGWINSZ, &size);
	ioctl(-1, TCGETS, text);
	ioctl(-1, FIONREAD, &n);
	ioctl(-1, FIONBIO, &n);
	ioctl(-1, SIOCGIFFLAGS, text);
	ioctl(-1, BLKGETSIZE64, text);
	ioctl(-1, FS_IOC_GETFLAGS, &n);
	ioctl(-1, _IOWR('z', 99, int[4]), text);
	ioctl(-1, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(-1, FICLONE, 3);
	ioctl(-1, 0x12345, 3);
}

static void ipc(void)
{
	struct {
		long type;
		char text[8];
	} message = { 1, "hello" };
	struct sembuf op = { 0, 1, IPC_NOWAIT };
	struct shmid_ds shm;
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	void *at = shmat(id, NULL, SHM_RDONLY);

	shmctl(id, IPC_STAT, &shm);
	shmdt(at);
	shmctl(id, IPC_RMID, NULL);
	id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
	semop(id, &op, 1);
	semtimedop(id, &op, 1, &(struct timespec){ 1 });
	semctl(id, 0, GETVAL);
	semctl(id, 0, IPC_RMID);
	id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
	msgsnd(id, &message, 5, IPC_NOWAIT);
	msgrcv(id, &message, 8, 0, MSG_NOERROR);
	msgctl(id, IPC_RMID, NULL);
	syscall(SYS_mq_open, "odd", O_RDONLY, 0600, NULL);
	syscall(SYS_mq_unlink, "odd");
	syscall(SYS_mq_timedsend, -1, "abc", 3, 1, NULL);
	syscall(SYS_mq_timedreceive, -1, &message, 8, NULL, NULL);
	syscall(SYS_mq_notify, -1, NULL);
	syscall(SYS_mq_getsetattr, -1, NULL, NULL);
	syscall(SYS_io_setup, 1, &id);
	syscall(SYS_io_destroy, 0x1234);
	syscall(SYS_io_submit, 0x1234, 0, NULL);
	syscall(SYS_io_getevents, 0x1234, 0, 0, NULL, NULL);
	syscall(SYS_io_cancel, 0x1234, NULL, NULL);
}

static void processes(void)
{
	struct rlimit limit = { 1024 * 1024, RLIM_INFINITY };
	struct rusage usage;
	struct utsname name;
	struct clone_args args = { .flags = CLONE_VM | CLONE_VFORK, .exit_signal = SIGCHLD };
	stack_t stack = { .ss_flags = SS_DISABLE };
	long child;

	syscall(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit);
	syscall(SYS_setrlimit, RLIMIT_CORE, &limit);
	syscall(SYS_getrusage, RUSAGE_CHILDREN, &usage);
	syscall(SYS_uname, &name);
	syscall(SYS_sigaltstack, &stack, NULL);
	syscall(SYS_clone3, &args, 8);
	child = syscall(SYS_clone, SIGCHLD | CLONE_CHILD_SETTID, NULL, NULL, NULL, &child);
	if (!child)
		_exit(0);
	syscall(SYS_wait4, child, NULL, __WALL, &usage);
	syscall(SYS_execveat, -1, "", (char *[]){ "a", NULL }, NULL, AT_EMPTY_PATH);
	syscall(SYS_execve, "/nowhere", (char *[]){ "a", "b", NULL }, (char *[]){ "A=1", NULL });
	syscall(SYS_getpgid, 0);
	syscall(SYS_kill, 0, 0);
}

int main(void)
{
	ids();
	scheduling();
	memory();
	timers();
	files();
	mounts();
	waiting();
	sockets();
	netlink();
	controls();
	ipc();
	processes();
	return 0;
}
