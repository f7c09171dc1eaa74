// SPDX-License-Identifier: BSD-2-Clause
/* Filters of packets and of system calls, and programs of eBPF: instructions of all kinds. Most calls fail. */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *edge; /* what is behind it cannot be read */

static void *at_edge(const void *bytes, size_t n)
{
	return memcpy(edge - n, bytes, n);
}

static void all(struct sock_filter *code, unsigned int n)
{
	struct sock_fprog program = { .len = n, .filter = code };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
	setsockopt(fd, SOL_SOCKET, 51, &program, sizeof(program));
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0x40, &program);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	close(fd);
}

/* Where a filter of packets loads from. */
static void packets(void)
{
	static const int places[] = { -4096 + 65, -4096 - 1, -1, -0x100000 + 5, -0x100000 - 1, -0x200000,
				      -0x200000 + 7, -0x200000 - 1, 0x80000000, 5 };
	static const int codes[] = { 0x20, 0x28, 0x30, 0x38, 0x40, 0x48, 0x50, 0x21, 0x31, 0x41, 0x00, 0x60, 0x80, 0xa0, 0x05, 0x15,
				     0x06, 0x26, 0x106, 0x120, 0x220 };
	struct sock_filter code[150], one = { 6, 0, 0, 1 };
	struct sock_fprog program = { .len = 1, .filter = &one };
	int n = 0, fd = socket(AF_INET, SOCK_DGRAM, 0);
	char bytes[100];
	socklen_t len = 12;

	for (int i = 0; i < 70; i += 2)
		code[n++] = (struct sock_filter){ 0x20, 0, 0, -4096 + i };
	for (int i = 0; i < 10; i++)
		code[n++] = (struct sock_filter){ 0x20, 0, 0, places[i] };
	for (int i = 0; i < 21; i++) {
		code[n++] = (struct sock_filter){ codes[i], 0, 0, -4096 + 4 };
		code[n++] = (struct sock_filter){ codes[i], 1, 0, -0x100000 + 4 };
	}
	all(code, n);
	setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, 16);
	getsockopt(fd, SOL_SOCKET, SO_GET_FILTER, bytes, &len);
	len = 0;
	getsockopt(fd, SOL_SOCKET, SO_GET_FILTER, bytes, &len);
	for (int i = 15; i < 18; i++) {
		setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, i);
		setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, i);
		setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, NULL, i);
	}
	close(fd);
}

/* The filter of a packet socket, in a message. */
static void message(void)
{
	struct {
		struct nlmsghdr head;
		char packet[16];
		struct nlattr attribute;
		struct sock_filter code[3];
	} m;
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);

	bind(fd, (struct sockaddr *)&address, sizeof(address));
	for (int n = 0; n < 28; n += n < 20 ? 4 : 1) {
		memset(&m, 0, sizeof(m));
		m.head.nlmsg_len = 36 + n;
		m.head.nlmsg_type = 20;
		m.head.nlmsg_flags = NLM_F_DUMP_INTR;
		m.packet[0] = AF_PACKET;
		m.attribute.nla_len = 4 + n;
		m.attribute.nla_type = 7;
		m.code[0] = (struct sock_filter){ 0x20, 0, 0, -4096 };
		m.code[1] = (struct sock_filter){ 0x06, 0, 0, 0x7fff0000 };
		m.code[2] = (struct sock_filter){ 0x06, 1, 0, 5 };
		sendto(fd, &m, m.head.nlmsg_len, MSG_DONTWAIT, NULL, 0);
	}
	close(fd);
}

static union bpf_attr a;
#define BPF(COMMAND, SIZE) syscall(SYS_bpf, COMMAND, &a, SIZE)
#define NEW()		   memset(&a, 0, sizeof(a))

static void programs(void)
{
	char path[] = "/sys/fs/bpf/none\n", key[] = "abcdefgh", value[300];

	memset(value, 'v', sizeof(value));
	NEW(), a.pathname = (long)path, a.bpf_fd = -1;
	BPF(BPF_OBJ_PIN, 16), BPF(BPF_OBJ_GET, 16), BPF(BPF_OBJ_GET, 12);
	a.pathname = (long)edge, BPF(BPF_OBJ_GET, 16);
	a.pathname = (long)at_edge("abc", 3), BPF(BPF_OBJ_GET, 16);
	a.pathname = (long)at_edge("abc", 4), BPF(BPF_OBJ_GET, 16);
	NEW(), a.map_fd = -1, a.key = (long)key, a.value = (long)value;
	BPF(BPF_MAP_LOOKUP_ELEM, 32), BPF(BPF_MAP_UPDATE_ELEM, 32), BPF(BPF_MAP_DELETE_ELEM, 32);
	BPF(BPF_MAP_DELETE_ELEM, 17), BPF(BPF_MAP_GET_NEXT_KEY, 32);
	NEW(), a.raw_tracepoint.name = (long)"sched_switch_sched_switch_sched_switch", a.raw_tracepoint.prog_fd = -1;
	BPF(BPF_RAW_TRACEPOINT_OPEN, 16);
	a.raw_tracepoint.name = (long)"sched_switch", BPF(BPF_RAW_TRACEPOINT_OPEN, 16);
	a.raw_tracepoint.name = (long)at_edge("abc", 3), BPF(BPF_RAW_TRACEPOINT_OPEN, 16);
	NEW(), a.btf = (long)value, a.btf_size = 100, BPF(BPF_BTF_LOAD, 32);
	a.btf_size = 10, BPF(BPF_BTF_LOAD, 32);
	a.btf_size = 32, BPF(BPF_BTF_LOAD, 32);
	a.btf_size = 33, BPF(BPF_BTF_LOAD, 32);
	a.btf = -1, BPF(BPF_BTF_LOAD, 32);
	a.btf = (long)at_edge("abc", 3), BPF(BPF_BTF_LOAD, 32);
	a.btf_size = 3, BPF(BPF_BTF_LOAD, 32);
	NEW(), a.link_create.prog_fd = -1;
	for (int i = 0; i < 44; i++)
		a.link_create.attach_type = i, BPF(BPF_LINK_CREATE, 64);
	for (int i = 12; i < 28; i += 4) {
		a.link_create.attach_type = 28, BPF(BPF_LINK_CREATE, i);
		a.link_create.attach_type = 41, BPF(BPF_LINK_CREATE, i);
		a.link_create.attach_type = 42, BPF(BPF_LINK_CREATE, i);
	}
	a.link_create.perf_event.bpf_cookie = 5, BPF(BPF_LINK_CREATE, 64);
	a.link_create.attach_type = 41, BPF(BPF_LINK_CREATE, 64);
	a.link_create.attach_type = 9, BPF(BPF_LINK_CREATE, 64);
}

/* Attributes that are longer than any command knows, at a page's edge, too. */
static void long_attributes(void)
{
	static const int sizes[] = { 129, 200, 256, 257, 300, 1000, 4095, 4096, 4097 };
	static unsigned char bytes[4100];

	for (int zeros = 128; zeros < 300; zeros += 162) {
		memset(bytes, 0, sizeof(bytes));
		for (int i = zeros; i < 4100; i++)
			bytes[i] = i;
		for (unsigned int i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			for (int command = 0; command < 4; command++)
				syscall(SYS_bpf, command, bytes, sizes[i]);
	}
	for (unsigned int i = 0; i < 5; i++) {
		syscall(SYS_bpf, 1, at_edge(bytes, sizes[i] - 1), sizes[i]);
		syscall(SYS_bpf, 1, at_edge(bytes, sizes[i]), sizes[i]);
	}
}

/* Of three pages, before what cannot be read. The last instruction is none, so that it is not installed. */
static void long_filter(void)
{
	static struct sock_filter code[2000];
	struct sock_filter *some = (void *)(edge - 800 * sizeof(*code));

	for (int i = 0; i < 800; i++)
		some[i] = (struct sock_filter){ i < 799 ? 6 : 0xffff, i % 3, 0, i };
	all(some, 800);
	all(some, 801);
	all(some, 896);
	some = (void *)(edge - 512 * sizeof(*code));
	all(some, 512);
	all(some, 513);
}

static void ignore(int signal)
{
	(void)signal;
}

/* Signals of calls that a filter refuses: a call of this architecture, two of 32-bit programs, and numbers of none. */
static void traps(void)
{
	struct sock_filter code[] = {
		{ 0x20, 0, 0, 4 }, { 0x15, 2, 0, 0x40000003 }, { 0x20, 0, 0, 0 }, { 0x35, 0, 1, 500 }, { 6, 0, 0, 0x00030000 }, { 0x15, 0, 1, SYS_getppid }, { 6, 0, 0, 0x00030000 }, { 6, 0, 0, 0x7fff0000 }
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	signal(SIGSYS, ignore);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	syscall(SYS_getppid);
	syscall(5000);
#ifdef __x86_64__
	static const int numbers[] = { 20, 3 };

	for (int i = 0; i < 2; i++)
		__asm__ volatile("int $0x80"
				 :
				 : "a"(numbers[i]), "b"(-1), "c"(0), "d"(0)
				 : "memory");
#endif
}

static void text(const char *text, int size)
{
	NEW(), a.log_buf = (long)text, a.log_size = size;
	BPF(BPF_PROG_LOAD, 40), BPF(BPF_PROG_LOAD, 48);
	NEW(), a.task_fd_query.buf = (long)text, a.task_fd_query.buf_len = size;
	BPF(BPF_TASK_FD_QUERY, 48);
}

static void texts(void)
{
	static const int sizes[] = { 0, 1, 3, 4, 5, 10, 11, 31, 32, 33, 100, -1 };
	char xs[300];

	memset(xs, 'x', sizeof(xs));
	xs[10] = xs[43] = xs[100] = '\0';
	for (int i = 0; i < 12; i++) {
		text(xs, sizes[i]);
		text(xs + 11, sizes[i]);
		text(xs + 44, sizes[i]);
		text(edge, sizes[i]);
		text(at_edge("abcd", 5), sizes[i]);
		text(NULL, sizes[i]);
	}
}

int main(void)
{
	struct sock_filter code[300], *some;
	struct bpf_insn insns[300], *ins;

	message();
	edge = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	edge += 12288;
	munmap(edge, 4096);
	for (int i = 0; i < 300; i++)
		code[i] = (struct sock_filter){ i, i % 3, i % 5, i * 7 };
	for (int i = 0; i < 300; i += 15)
		all(code + i, 15);
	code[0] = (struct sock_filter){ 0xffff, 255, 255, -1 };
	code[1] = (struct sock_filter){ 0x20, 0, 0, -4096 };
	code[2] = (struct sock_filter){ 0x20, 0, 0, -0x100000 };
	code[3] = (struct sock_filter){ 0x20, 0, 0, -4096 + 4 };
	code[4] = (struct sock_filter){ 0x6, 0, 0, 0x7fff0000 };
	code[5] = (struct sock_filter){ 0x6, 0, 0, 0x00050001 };
	code[6] = (struct sock_filter){ 0x6, 0, 0, 0x80000001 };
	code[7] = (struct sock_filter){ 0x6, 0, 0, 0x00030001 };
	code[8] = (struct sock_filter){ 0x6, 0, 0, 0x7fc00000 };
	code[9] = (struct sock_filter){ 0x6, 0, 0, 0x7ff00000 };
	code[10] = (struct sock_filter){ 0x6, 0, 0, 0x7ffc0000 };
	code[11] = (struct sock_filter){ 0x6, 0, 0, 0x0 };
	code[12] = (struct sock_filter){ 0x6, 0, 0, 0x80000000 };
	code[13] = (struct sock_filter){ 0x6, 0, 0, 0x00050000 };
	code[14] = (struct sock_filter){ 0x6, 0, 0, 0x12345678 };
	code[15] = (struct sock_filter){ 0x6, 0, 0, 0x7ff12345 };
	code[16] = (struct sock_filter){ 0x16, 1, 0, 0x7ff00000 };
	all(code, 17);
	some = at_edge(code + 20, 3 * sizeof(*some));
	all(some, 3);
	all(some, 4);
	all(some, 0);
	all(NULL, 3);
	all((void *)edge, 3);
	all((void *)((char *)edge - 3), 3);
	all(code + 20, 33);
	all(code + 20, 200);
	packets();
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, edge - 8);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, edge);
	for (long i = 0; i < 5; i++)
		prctl(PR_SET_SECCOMP, i == 1 ? 7 : i, i, 3, 4);
	prctl(PR_SET_SECCOMP, 0x100000000, 1, 3, 4);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1, NULL);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0x7f, edge);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0x7f, edge - 8);

	for (int i = 0; i < 300; i++)
		insns[i] = (struct bpf_insn){ i, i % 16, i * 7 % 16, i * 3 - 40, i * 11 - 60 };
	for (int i = 0; i < 300; i += 15) {
		union bpf_attr attr = { .prog_type = 1, .insn_cnt = 15, .insns = (long)(insns + i), .license = (long)"GPL" };

		syscall(SYS_bpf, BPF_PROG_LOAD, &attr, 48);
	}
	ins = at_edge(insns + 20, 3 * sizeof(*ins));
	for (int i = 0; i < 6; i++) {
		static const int counts[] = { 0, 1, 3, 4, 33, 300 };
		union bpf_attr attr = { .prog_type = 1, .insn_cnt = counts[i], .insns = (long)insns, .license = (long)edge };

		strcpy(attr.prog_name, "a\"name");
		syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
		attr.insns = (long)ins;
		attr.license = (long)at_edge("abc", 3);
		syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
		attr.insns = (long)edge;
		attr.license = (long)"012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789";
		syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
		attr.insns = 0;
		attr.license = 0;
		syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
		ins = at_edge(insns + 20, 3 * sizeof(*ins));
	}
	programs();
	texts();
	long_attributes();
	long_filter();
	traps();
	return 0;
}
