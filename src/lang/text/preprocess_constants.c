// SPDX-License-Identifier: BSD-2-Clause
/* The constants of C's headers: those of the headers for programs, and some that are the kernel's own. */
#include "kernel/syscalls.h"
#include "preprocess_constants.h"

/* Of headers that programs outside of the kernel cannot include. */
static const struct {
	const char *name, *header;
	int64_t value;
} internal[] = {
	{ "TASK_RUNNING", "linux/sched.h", 0 },
	{ "TASK_INTERRUPTIBLE", "linux/sched.h", 1 },
	{ "TASK_UNINTERRUPTIBLE", "linux/sched.h", 2 },
	{ "TASK_COMM_LEN", "linux/sched.h", 16 },
	{ "PF_KTHREAD", "linux/sched.h", 0x00200000 },
	{ "MINORBITS", "linux/kdev_t.h", 20 },
	{ "MINORMASK", "linux/kdev_t.h", (1 << 20) - 1 },
	{ "SECTOR_SHIFT", "linux/blk_types.h", 9 },
	{ "SECTOR_SIZE", "linux/blk_types.h", 512 },
	{ "FMODE_READ", "linux/fs.h", 1 },
	{ "FMODE_WRITE", "linux/fs.h", 2 },
	{ "NSEC_PER_SEC", "linux/time64.h", 1000000000 },
	{ "NSEC_PER_MSEC", "linux/time64.h", 1000000 },
	{ "NSEC_PER_USEC", "linux/time64.h", 1000 },
	{ "USEC_PER_SEC", "linux/time64.h", 1000000 },
	{ "USEC_PER_MSEC", "linux/time64.h", 1000 },
	{ "MSEC_PER_SEC", "linux/time64.h", 1000 },
	{ "TCPF_ESTABLISHED", "net/tcp_states.h", 1 << 1 },
	{ "TCPF_SYN_SENT", "net/tcp_states.h", 1 << 2 },
	{ "TCPF_SYN_RECV", "net/tcp_states.h", 1 << 3 },
	{ "TCPF_FIN_WAIT1", "net/tcp_states.h", 1 << 4 },
	{ "TCPF_FIN_WAIT2", "net/tcp_states.h", 1 << 5 },
	{ "TCPF_TIME_WAIT", "net/tcp_states.h", 1 << 6 },
	{ "TCPF_CLOSE", "net/tcp_states.h", 1 << 7 },
	{ "TCPF_CLOSE_WAIT", "net/tcp_states.h", 1 << 8 },
	{ "TCPF_LAST_ACK", "net/tcp_states.h", 1 << 9 },
	{ "TCPF_LISTEN", "net/tcp_states.h", 1 << 10 },
	{ "TCPF_CLOSING", "net/tcp_states.h", 1 << 11 },
};

/* What a libc calls the kernel's headers, and those that define types only. */
static const char *const others[] = {
	"sys/socket.h",
	"netinet/in.h",
	"netinet/tcp.h",
	"arpa/inet.h",
	"fcntl.h",
	"errno.h",
	"signal.h",
	"sched.h",
	"sys/mman.h",
	"sys/stat.h",
	"sys/types.h",
	"stdint.h",
	"stddef.h",
	"asm/errno.h",
	"linux/types.h",
	"asm/unistd.h",
	"linux/unistd.h",
	"sys/syscall.h",
	"syscall.h",
	"unistd.h",
};

/* __NR_read and SYS_read: the number on this architecture. */
static bool preprocess_syscall(const char *name, struct constant *constant)
{
	static const struct {
		const char *prefix, *header;
	} forms[] = { { "__NR_", "asm/unistd.h" }, { "SYS_", "sys/syscall.h" } };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		size_t len = strlen(forms[i].prefix);
		int number = strncmp(name, forms[i].prefix, len) ? -ENOENT : syscall_number(name + len);

		if (number < 0)
			continue;
		*constant = (struct constant){ .value = number };
		snprintf(constant->header, sizeof(constant->header), "%s", forms[i].header);
		return true;
	}
	return false;
}

bool preprocess_constant(const char *name, struct constant *constant)
{
	for (size_t i = 0; i < ARRAY_SIZE(internal); i++)
		if (!strcmp(internal[i].name, name)) {
			*constant = (struct constant){ .value = internal[i].value };
			snprintf(constant->header, sizeof(constant->header), "%s", internal[i].header);
			return true;
		}
	if (preprocess_syscall(name, constant))
		return true;
	return *name >= 'A' && *name <= 'Z' && constant_find(name, constant);
}

bool preprocess_knows_header(const char *header)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i], header))
			return true;
	return constant_has_header(header);
}
