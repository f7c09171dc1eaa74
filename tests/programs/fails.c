// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fails for a known reason: `fails REASON`. The call that it is about is the last one that fails, and its error is
 * printed
 * as "did REASON ERRNO PID". What must be there before (users, limits, filters, mounts) is made by the program, as
 * far as one
 * process can; the rest by the test.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/if_packet.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Becomes an ordinary user, without capabilities. */
static void drop(void)
{
	if (setgid(1000) || setuid(1000))
		_exit(3);
}

static void limit(int which, rlim_t value)
{
	const struct rlimit both = { value, value };

	if (setrlimit(which, &both))
		_exit(4);
}

static int tcp_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static struct sockaddr_in address(const char *host, int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, host, &to.sin_addr);
	return to;
}

static int bind_to(int fd, const char *host, int port)
{
	struct sockaddr_in to = address(host, port);

	return bind(fd, (void *)&to, sizeof(to));
}

static int connect_to(int fd, const char *host, int port)
{
	struct sockaddr_in to = address(host, port);

	return connect(fd, (void *)&to, sizeof(to));
}

/* --- capabilities --- */

static int do_port(void)
{
	drop();
	return bind_to(tcp_socket(), "127.0.0.1", 80);
}
static int do_raw(void)
{
	drop();
	return socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}
static int do_packet(void)
{
	drop();
	return socket(AF_PACKET, SOCK_RAW, 0);
}
static int do_chroot(void)
{
	drop();
	return chroot("/");
}
static int do_hostname(void)
{
	drop();
	return sethostname("x", 1);
}
static int do_mount(void)
{
	drop();
	return mount("none", "/tmp", "tmpfs", 0, NULL);
}
static int do_chown(void)
{
	drop();
	return chown("own", 0, 0);
}
static int do_chmod(void)
{
	drop();
	return chmod("/etc/passwd", 0777);
}
static int do_kill(void)
{
	drop();
	return kill(1, SIGTERM);
}
static int do_clock(void)
{
	struct timeval now = {};
	drop();
	return settimeofday(&now, NULL);
}
static int do_mknod(void)
{
	drop();
	return mknod("device", S_IFCHR | 0600, 0x103);
}
static int do_reboot(void)
{
	drop();
	return syscall(SYS_reboot, 0xfee1dead, 672274793, 0, NULL);
}
static int do_unshare(void)
{
	drop();
	return unshare(CLONE_NEWNET);
}
static int do_module(void)
{
	drop();
	return syscall(SYS_init_module, "", 0, "");
}
static int do_iopl(void)
{
	drop();
	return syscall(SYS_syslog, 3, "", 0);
}
static int do_quota(void)
{
	drop();
	return syscall(SYS_quotactl, 0x800003 << 8, "/dev/null", 0, NULL);
}
static int do_swapon(void)
{
	drop();
	return syscall(SYS_swapon, "/tmp", 0);
}
static int do_trusted(void)
{
	drop();
	return setxattr("own", "trusted.x", "1", 1, 0);
}
static int do_setuid(void)
{
	drop();
	return setuid(0);
}
static int do_ptrace(void)
{
	drop();
	return ptrace(PTRACE_ATTACH, 1, 0, 0);
}
static int do_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
	};

	drop();
	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
}
static int do_bpf(void)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 4, .max_entries = 1 };

	drop();
	return syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

/* --- limits --- */

static int do_nofile(void)
{
	limit(RLIMIT_NOFILE, 3);
	return open("/", O_RDONLY);
}
static int do_nproc(void)
{
	limit(RLIMIT_NPROC, 1);
	drop();
	return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}
static int do_as(void)
{
	limit(RLIMIT_AS, 64 << 20);
	return mmap(NULL, 1 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}
/* The soft limit alone, and for the moment: what the program prints may go to a file. */
static int do_fsize(void)
{
	const struct rlimit low = { 4096, RLIM_INFINITY }, none = { RLIM_INFINITY, RLIM_INFINITY };
	int fd = open("own", O_RDWR), ret, error;

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &low))
		_exit(4);
	ret = pwrite(fd, "x", 1, 8192);
	error = errno;
	setrlimit(RLIMIT_FSIZE, &none);
	errno = error;
	return ret;
}

static int do_memlock(void)
{
	void *at = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	limit(RLIMIT_MEMLOCK, 65536);
	drop();
	return mlock(at, 1 << 20);
}
static int do_nice(void)
{
	drop();
	return setpriority(PRIO_PROCESS, 0, -5);
}
static int do_rtprio(void)
{
	struct sched_param param = { .sched_priority = 10 };

	drop();
	return syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &param);
}
static int do_rlimit(void)
{
	const struct rlimit both = { 10000000, 10000000 };

	limit(RLIMIT_NOFILE, 64);
	drop();
	return setrlimit(RLIMIT_NOFILE, &both);
}
static int do_sigpending(void)
{
	union sigval value = {};

	signal(SIGUSR1, SIG_IGN);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	limit(RLIMIT_SIGPENDING, 0);
	drop();
	return sigqueue(getpid(), SIGRTMIN, value);
}
static int do_fork(void)
{
	pid_t child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!child)
		_exit(0);
	if (child > 0)
		waitpid(child, NULL, 0);
	return child;
}

/* --- seccomp --- */

static int do_seccomp(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdirat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog prog = { .len = 4, .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 0;
	return syscall(SYS_mkdirat, AT_FDCWD, "d", 0700);
}

/* --- files --- */

static int do_read(void)
{
	drop();
	return open("secret", O_RDONLY);
}
static int do_search(void)
{
	drop();
	return open("closed/file", O_RDONLY);
}
/* As chattr does. What the test removes must be changed back, so only this is done to a file of the program's own. */
static void set_flags(const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_CREAT, 0600);

	if (ioctl(fd, FS_IOC_SETFLAGS, &flags))
		_exit(5);
	close(fd);
}
static int then_clear(const char *path, int ret)
{
	int error = errno;

	set_flags(path, 0);
	errno = error;
	return ret;
}
static int do_immutable(void)
{
	set_flags("disk/i", FS_IMMUTABLE_FL);
	return then_clear("disk/i", open("disk/i", O_WRONLY));
}
static int do_unlink_immutable(void)
{
	set_flags("disk/i", FS_IMMUTABLE_FL);
	return then_clear("disk/i", unlink("disk/i"));
}
static int do_append(void)
{
	set_flags("disk/i", FS_APPEND_FL);
	return then_clear("disk/i", open("disk/i", O_WRONLY | O_TRUNC));
}
static int do_sticky(void)
{
	drop();
	return unlink("sticky/file");
}
static int do_readonly(void)
{
	return open("ro/new", O_WRONLY | O_CREAT, 0600);
}
static int do_readonly_mkdir(void)
{
	return mkdir("ro/dir", 0700);
}
static int do_noexec(void)
{
	return execl("noexec/true", "true", NULL);
}
static int do_nodev(void)
{
	return open("nodev/null", O_RDONLY);
}
static int do_busy(void)
{
	int fd = open("busy/file", O_RDONLY);
	int ret = umount("busy");
	int error = errno;
	close(fd);
	errno = error;
	return ret;
}
static int do_notmount(void)
{
	return umount(".");
}
static int do_fstype(void)
{
	return mount("none", "empty", "nosuchfs", 0, NULL);
}
static int do_option(void)
{
	return mount("none", "empty", "tmpfs", 0, "nosuchoption=1");
}
static int do_notblock(void)
{
	return mount("/dev/null", "empty", "ext4", 0, NULL);
}
static int do_toolong(void)
{
	char name[300];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	return open(name, O_RDONLY);
}
static int do_pathlong(void)
{
	char name[5000];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	return open(name, O_RDONLY);
}
static int do_loop(void)
{
	return open("loop", O_RDONLY);
}
static int do_nofollow(void)
{
	return open("link", O_RDONLY | O_NOFOLLOW);
}
static int do_notdir(void)
{
	return open("own/x", O_RDONLY);
}
static int do_notempty(void)
{
	return rmdir("full");
}
static int do_exdev(void)
{
	return rename("own", "busy/own");
}
static int do_linkdev(void)
{
	return link("own", "busy/own");
}
static int do_textbusy(void)
{
	return open("/proc/self/exe", O_WRONLY);
}
static int do_noformat(void)
{
	return execl("garbage", "garbage", NULL);
}
static int do_interpreter(void)
{
	return execl("script", "script", NULL);
}
static int do_isdir(void)
{
	return open(".", O_WRONLY);
}
static int do_exists(void)
{
	return mkdir("full", 0700);
}
static int do_nospace(void)
{
	int fd = open("small/file", O_WRONLY | O_CREAT, 0600);
	char block[65536] = {};
	while (write(fd, block, sizeof(block)) > 0)
		;
	return -1;
}
static int do_noinodes(void)
{
	char name[32];

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "small/%d", i);
		if (mknod(name, S_IFREG | 0600, 0))
			return -1;
	}
	return 0;
}
static int do_fifo(void)
{
	return open("fifo", O_WRONLY | O_NONBLOCK);
}
static int do_lock(void)
{
	int a = open("own", O_RDWR), b = open("own", O_RDWR);

	flock(a, LOCK_EX);
	return flock(b, LOCK_EX | LOCK_NB);
}
static int do_badf(void)
{
	char c;
	return read(77, &c, 1);
}
static int do_dup(void)
{
	return dup2(99, 5);
}
static int do_nosuch(void)
{
	drop();
	return execl("/no/such", "such", NULL);
}
static int do_mapproc(void)
{
	int fd = open("/proc/self/status", O_RDONLY);

	return mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED ? -1 : 0;
}
static int do_lockhole(void)
{
	char *at = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(at, 8192);
	return mlock(at, 8192);
}
static int do_writeonly(void)
{
	char c;
	return read(open("own", O_WRONLY), &c, 1);
}
static int do_tty(void)
{
	int n;
	return ioctl(open("own", O_RDONLY), TIOCGWINSZ, &n);
}
static int do_pipe(void)
{
	int p[2];
	signal(SIGPIPE, SIG_IGN);
	if (pipe(p))
		return 0;
	close(p[0]);
	return write(p[1], "x", 1);
}
static int do_pipesize(void)
{
	int p[2];
	drop();
	if (pipe(p))
		return 0;
	return fcntl(p[1], F_SETPIPE_SZ, 1 << 28);
}

/* --- memory --- */

static int do_mmapmin(void)
{
	drop();
	return mmap((void *)4096, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) == MAP_FAILED
		       ? -1
		       : 0;
}
static int do_mprotect(void)
{
	int fd = open("own", O_RDONLY);
	void *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	return mprotect(at, 4096, PROT_READ | PROT_WRITE);
}
static int do_mapshared(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, open("own", O_RDONLY), 0) == MAP_FAILED ? -1 : 0;
}
static int do_fault(void)
{
	return syscall(SYS_openat, AT_FDCWD, (void *)8, O_RDONLY);
}
static int do_seal(void)
{
	int fd = memfd_create("x", MFD_ALLOW_SEALING);

	fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE);
	return write(fd, "x", 1);
}

/* --- the network --- */

static int do_inuse(void)
{
	int a = tcp_socket(), b = tcp_socket();

	bind_to(a, "127.0.0.1", 4711);
	listen(a, 1);
	return bind_to(b, "127.0.0.1", 4711);
}
static int do_refused(void)
{
	return connect_to(tcp_socket(), "127.0.0.1", 9);
}
static int do_unreach(void)
{
	return connect_to(tcp_socket(), "192.0.2.1", 9);
}
static int do_notavail(void)
{
	return bind_to(tcp_socket(), "192.0.2.1", 4712);
}
static int do_family(void)
{
	return socket(44, SOCK_STREAM, 0);
}
static int do_protocol(void)
{
	return socket(AF_INET, SOCK_STREAM, 200);
}
static int do_unix(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = "own" };

	return connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&to, sizeof(to));
}
static int do_notsock(void)
{
	return listen(open("own", O_RDONLY), 1);
}
static int do_notconn(void)
{
	return send(tcp_socket(), "x", 1, MSG_NOSIGNAL);
}
static int do_broadcast(void)
{
	struct sockaddr_in to = address("127.255.255.255", 9);

	return sendto(socket(AF_INET, SOCK_DGRAM, 0), "x", 1, 0, (void *)&to, sizeof(to));
}

/* --- the rest --- */

static int do_key(void)
{
	return syscall(SYS_keyctl, KEYCTL_READ, 0x7654321, NULL, 0);
}
static int do_verifier(void)
{
	const struct bpf_insn insns[] = { { .code = 0xbf, .dst_reg = 0, .src_reg = 5 }, { .code = 0x95 } };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insn_cnt = 2,
		.insns = (unsigned long)insns,
		.license = (unsigned long)"GPL",
	};

	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}
static int do_userns(void)
{
	return unshare(CLONE_NEWUSER);
}
static int do_inotify(void)
{
	drop();
	return inotify_init();
}
static int do_nochild(void)
{
	return waitpid(-1, NULL, 0);
}
static int do_noprocess(void)
{
	return kill(4000000, 0);
}
static int do_yama(void)
{
	int sync[2];
	pid_t child;
	char c;

	drop();
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	if (pipe(sync))
		return 0;
	child = fork();
	if (!child) {
		/* not its descendant */
		close(sync[1]);
		if (read(sync[0], &c, 1))
			_exit(1);
		_exit(0);
	}
	pid_t other = fork();

	if (!other) {
		int ret = ptrace(PTRACE_SEIZE, child, 0, 0), error = errno;

		if (!ret)
			_exit(0);
		_exit(error);
	}
	int status = 0;

	waitpid(other, &status, 0);
	close(sync[1]);
	waitpid(child, NULL, 0);
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}
static int do_msgsize(void)
{
	static struct {
		long type;
		char text[70000];
	} message = { .type = 1 };
	int queue = msgget(IPC_PRIVATE, 0600), ret = msgsnd(queue, &message, sizeof(message.text), 0), error = errno;

	msgctl(queue, IPC_RMID, NULL);
	errno = error;
	return ret;
}
static int do_shmmode(void)
{
	int id = shmget(0x51, 4096, IPC_CREAT | 0600);

	drop();
	return shmat(id, NULL, 0) == (void *)-1 ? -1 : 0;
}
static int do_affinity(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(900, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}
static int do_setns(void)
{
	return setns(open("/proc/self/ns/user", O_RDONLY), CLONE_NEWUSER);
}
static int do_locked(void)
{
	limit(RLIMIT_MEMLOCK, 65536);
	drop();
	return mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0) == MAP_FAILED ? -1 : 0;
}
static int do_epolls(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int a = epoll_create1(0), b = epoll_create1(0);

	if (epoll_ctl(a, EPOLL_CTL_ADD, b, &event))
		return 0;
	return epoll_ctl(b, EPOLL_CTL_ADD, a, &event);
}
static int do_unpolled(void)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, open("own", O_RDONLY), &event);
}
static int do_peer(void)
{
	int both[2];

	signal(SIGPIPE, SIG_IGN);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, both) || close(both[1]))
		return 0;
	return write(both[0], "x", 1);
}
static int do_mounted(void)
{
	return rmdir("busy");
}
static int do_nstype(void)
{
	return setns(open("/proc/self/ns/uts", O_RDONLY), CLONE_NEWNET);
}
static int do_longarg(void)
{
	char *arg = calloc(1, 200000), *args[] = { "true", arg, NULL };

	memset(arg, 'x', 199999);
	return execv("/bin/true", args);
}
static int do_below(void)
{
	return rename("empty", "empty/it");
}
static int do_setsid(void)
{
	setpgid(0, 0);
	return setsid();
}
static int do_nropen(void)
{
	limit(RLIMIT_CORE, 0);
	return setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 1 << 30, 1 << 30 });
}
static int do_longhost(void)
{
	char name[70] = { [0 ... 68] = 'x' };

	return sethostname(name, 69);
}
static int do_semaphore(void)
{
	int set = semget(IPC_PRIVATE, 1, 0600), ret, error;

	ret = semop(set, &(struct sembuf){ 5, 1, 0 }, 1);
	error = errno;
	semctl(set, 0, IPC_RMID);
	errno = error;
	return ret;
}
static int do_notlink(void)
{
	char link[8];

	return readlink("own", link, sizeof(link));
}
static int do_delmodule(void)
{
	return syscall(SYS_delete_module, "nosuch", O_NONBLOCK);
}
static int do_ambient(void)
{
	drop();
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 13, 0, 0);
}
static int do_nodriver(void)
{
	return open("nodriver", O_RDONLY);
}

/* --- more of each kind --- */

static int do_handle(void)
{
	struct file_handle *handle = calloc(1, sizeof(*handle) + 8);

	handle->handle_bytes = 8;
	handle->handle_type = 1;
	drop();
	return open_by_handle_at(AT_FDCWD, handle, O_RDONLY);
}
static int do_stale(void)
{
	struct file_handle *handle = calloc(1, sizeof(*handle) + 8);

	handle->handle_bytes = 8;
	handle->handle_type = 0x77;
	return open_by_handle_at(AT_FDCWD, handle, O_RDONLY);
}
static int do_fanotify(void)
{
	drop();
	return syscall(SYS_fanotify_init, 4, O_RDONLY);
}
static int do_userfault(void)
{
	drop();
	return syscall(SYS_userfaultfd, 0);
}
static int do_semmsl(void)
{
	return semget(IPC_PRIVATE, 100000, 0600);
}
static int do_mapempty(void)
{
	return mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}
static int do_mapdir(void)
{
	return mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, open("/", O_RDONLY), 0) == MAP_FAILED ? -1 : 0;
}
static int do_mapwrite(void)
{
	int fd = open("own", O_RDONLY);

	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0;
}
static int do_maplarge(void)
{
	return mmap(NULL, 1ULL << 62, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0;
}
static int do_maphuge(void)
{
	return mmap(NULL, 1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0) == MAP_FAILED
		       ? -1
		       : 0;
}
static int do_mapodd(void)
{
	return syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_PRIVATE, open("own", O_RDONLY), 100) == -1 ? -1 : 0;
}
static int do_setgroups(void)
{
	drop();
	return syscall(SYS_setgroups, 0, NULL);
}
static int do_random(void)
{
	return syscall(SYS_getrandom, (char[8]){ 0 }, 8, 0x100);
}
static int do_raise(void)
{
	const struct rlimit more = { 4096, 8192 };

	limit(RLIMIT_NOFILE, 64);
	drop();
	return prlimit(0, RLIMIT_NOFILE, &more, NULL);
}
static int do_limits_of(void)
{
	struct rlimit is;

	drop();
	return prlimit(1, RLIMIT_NOFILE, NULL, &is);
}
static int do_softhard(void)
{
	const struct rlimit wrong = { 100, 50 };

	return prlimit(0, RLIMIT_NOFILE, &wrong, NULL);
}
static int do_pidfd(void)
{
	return syscall(SYS_pidfd_open, 4194000, 0);
}
static int do_pidfdflag(void)
{
	return syscall(SYS_pidfd_open, getpid(), 0x1000);
}
static int do_landlock(void)
{
	const unsigned long long access = 1;
	int fd = syscall(444, &access, sizeof(access), 0);

	drop();
	return syscall(446, fd, 0);
}
static int do_acct(void)
{
	drop();
	return acct(NULL);
}
static int do_acctdir(void)
{
	return acct("/tmp");
}
static int do_kexec(void)
{
	drop();
	return syscall(SYS_kexec_load, 0, 0, NULL, 0);
}
static int do_fsopen(void)
{
	drop();
	return syscall(430, "tmpfs", 0);
}
static int do_fsopentype(void)
{
	return syscall(430, "nosuchfs", 0);
}
static int do_memfd(void)
{
	return memfd_create("x", 0x80000);
}
static int do_memfdname(void)
{
	char name[300];

	memset(name, 'x', sizeof(name) - 1);
	name[299] = 0;
	return memfd_create(name, 0);
}
static int do_script(void)
{
	char *const args[] = { "script", NULL };

	return execve("./script", args, args + 1);
}
static int do_prctlopt(void)
{
	return prctl(12345, 0, 0, 0, 0);
}
/* Bytes behind those that the kernel knows, and not 0. */
static int do_structure(void)
{
	unsigned long long how[16] = { [15] = 1 };

	return syscall(437, AT_FDCWD, "own", how, sizeof(how)); /* openat2() */
}
static int do_notchild(void)
{
	return setpgid(1, 0);
}
/* Nothing gives controllers to the children of this one. */
static int do_controller(void)
{
	int fd, ret, error;

	mkdir("/sys/fs/cgroup/above", 0755);
	mkdir("/sys/fs/cgroup/above/below", 0755);
	fd = open("/sys/fs/cgroup/above/below/cgroup.subtree_control", O_WRONLY);
	ret = write(fd, "+pids", 5);
	error = errno;
	rmdir("/sys/fs/cgroup/above/below");
	rmdir("/sys/fs/cgroup/above");
	errno = error;
	return ret;
}

static const struct {
	const char *name;
	int (*fail)(void);
} reasons[] = {
#define REASON(NAME) \
	{ \
#NAME, do_##NAME \
	}
	REASON(port),
	REASON(raw),
	REASON(packet),
	REASON(chroot),
	REASON(hostname),
	REASON(mount),
	REASON(chown),
	REASON(chmod),
	REASON(kill),
	REASON(clock),
	REASON(mknod),
	REASON(reboot),
	REASON(unshare),
	REASON(module),
	REASON(iopl),
	REASON(quota),
	REASON(swapon),
	REASON(trusted),
	REASON(setuid),
	REASON(ptrace),
	REASON(perf),
	REASON(bpf),
	REASON(nofile),
	REASON(nproc),
	REASON(as),
	REASON(fsize),
	REASON(memlock),
	REASON(nice),
	REASON(rtprio),
	REASON(rlimit),
	REASON(sigpending),
	REASON(fork),
	REASON(seccomp),
	REASON(read),
	REASON(search),
	REASON(immutable),
	REASON(unlink_immutable),
	REASON(append),
	REASON(sticky),
	REASON(readonly),
	REASON(readonly_mkdir),
	REASON(noexec),
	REASON(nodev),
	REASON(busy),
	REASON(notmount),
	REASON(fstype),
	REASON(option),
	REASON(notblock),
	REASON(toolong),
	REASON(pathlong),
	REASON(loop),
	REASON(nofollow),
	REASON(notdir),
	REASON(notempty),
	REASON(exdev),
	REASON(linkdev),
	REASON(textbusy),
	REASON(noformat),
	REASON(interpreter),
	REASON(isdir),
	REASON(exists),
	REASON(nospace),
	REASON(noinodes),
	REASON(fifo),
	REASON(lock),
	REASON(badf),
	REASON(writeonly),
	REASON(dup),
	REASON(nosuch),
	REASON(mapproc),
	REASON(lockhole),
	REASON(pipe),
	REASON(pipesize),
	REASON(mmapmin),
	REASON(mprotect),
	REASON(mapshared),
	REASON(fault),
	REASON(seal),
	REASON(inuse),
	REASON(refused),
	REASON(unreach),
	REASON(notavail),
	REASON(family),
	REASON(protocol),
	REASON(unix),
	REASON(notsock),
	REASON(notconn),
	REASON(broadcast),
	REASON(key),
	REASON(verifier),
	REASON(userns),
	REASON(inotify),
	REASON(nochild),
	REASON(noprocess),
	REASON(yama),
	REASON(msgsize),
	REASON(shmmode),
	REASON(affinity),
	REASON(setns),
	REASON(setsid),
	REASON(locked),
	REASON(epolls),
	REASON(unpolled),
	REASON(peer),
	REASON(mounted),
	REASON(nstype),
	REASON(longarg),
	REASON(below),
	REASON(nropen),
	REASON(longhost),
	REASON(semaphore),
	REASON(notlink),
	REASON(delmodule),
	REASON(ambient),
	REASON(nodriver),
	REASON(handle),
	REASON(stale),
	REASON(fanotify),
	REASON(userfault),
	REASON(semmsl),
	REASON(mapempty),
	REASON(mapdir),
	REASON(mapwrite),
	REASON(maplarge),
	REASON(maphuge),
	REASON(mapodd),
	REASON(setgroups),
	REASON(random),
	REASON(raise),
	REASON(limits_of),
	REASON(softhard),
	REASON(pidfd),
	REASON(pidfdflag),
	REASON(landlock),
	REASON(acct),
	REASON(acctdir),
	REASON(kexec),
	REASON(fsopen),
	REASON(fsopentype),
	REASON(memfd),
	REASON(memfdname),
	REASON(script),
	REASON(tty),
	REASON(prctlopt),
	REASON(structure),
	REASON(notchild),
	REASON(controller),
};

static int fail(const char *name)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (strcmp(reasons[i].name, name))
			continue;
		errno = 0;
		if (reasons[i].fail() != -1)
			fprintf(stderr, "%s has not failed\n", name);
		/* a child that has failed has said it */
		printf("did %s %d %d\n", name, errno, getpid());
		fflush(stdout);
		return 0;
	}
	fprintf(stderr, "unknown reason %s\n", name);
	return 2;
}

/* Each reason in a process of its own. "-": all of them. */
int main(int argc, char **argv)
{
	int status = 0;

	if (argc == 2)
		return fail(argv[1]);
	for (int i = 1; i < argc; i++) {
		pid_t child = fork();

		if (!child)
			_exit(fail(argv[i]));
		waitpid(child, &status, 0);
	}
	return status != 0;
}
