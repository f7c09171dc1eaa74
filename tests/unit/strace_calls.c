// SPDX-License-Identifier: BSD-2-Clause
/* Lines of calls with odd arguments: what is copied of the test's own memory, and how it is printed. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "kernel/syscalls.h"
#include "strace/decode.h"
#include "strace/lines_part.h"
#include "strace/strace_part.h"
#include "strace/types_shape.h"

#define ROOM 8192
#define BAD  16 /* an address that nothing is at */

static struct strace_settings settings = { .size = 32 };
static unsigned int flags_of_record;
static char record_bytes[sizeof(struct strace_record) + ROOM];

/* The number that a step takes from a register or from the bytes of a blob. */
static uint64_t number_of(const struct strace_step *step, const uint64_t *args, int64_t ret, unsigned int arg,
			  const char *first)
{
	uint32_t number;

	if (step->count_from == STRACE_FROM_NONE)
		return 1;
	if (step->count_from == STRACE_FROM_RET)
		return ret;
	if (step->count_from < STRACE_FROM_BLOB || step->count_from >= SELF - STRACE_ARGS)
		return args[step->count_from >= SELF - STRACE_ARGS ? arg + step->count_from - SELF : step->count_from];
	if (!first)
		return 0;
	memcpy(&number, first + step->count_at, sizeof(number));
	return number;
}

/* Adds the blob of a step that copies bytes; returns its bytes. */
static const char *add_blob(struct strace_record *record, const struct strace_step *step, unsigned int arg, int i,
			    const char *first)
{
	struct strace_blob *blob = (void *)((char *)(record + 1) + record->size);
	const char *from;
	uint64_t n;

	if (step->op != STRACE_BYTES || step->from < SELF - STRACE_ARGS || (step->when & STRACE_IF_OK && record->ret < 0))
		return NULL;
	from = (const char *)record->args[arg + step->from - SELF];
	n = number_of(step, (const uint64_t *)record->args, record->ret, arg, first) * step->scale;
	if (step->wide == STRACE_OF_REQUEST)
		n = strace_size_of_request(record->args[arg - 1]);
	blob->tag = arg * STRACE_TYPE_STEPS + i;
	blob->status = n > step->most ? STRACE_SHORT : STRACE_WHOLE;
	blob->n = n < step->most ? n : step->most;
	blob->all = n < UINT32_MAX ? n : 0;
	if (from <= (const char *)BAD) {
		blob->status = STRACE_UNREAD;
		blob->n = 0;
	}
	if (blob->n)
		memcpy(blob + 1, from, blob->n);
	record->size += (sizeof(*blob) + blob->n + 7) & ~7U;
	cr_assert(record->size <= ROOM);
	return (const char *)(blob + 1);
}

/* The arguments of a call that has ended with a result, as its line has them; nr: its number. */
static void expect_line(const struct strace_call *call, unsigned int nr, const char *name, int64_t ret,
			const uint64_t args[STRACE_ARGS], const char *want)
{
	struct strace_record *record = (void *)record_bytes;
	struct str out __str = {};
	struct strace_line line = { .out = &out, .settings = &settings, .call = call, .exit = record };

	memset(record_bytes, 0, sizeof(record_bytes));
	record->kind = STRACE_EXIT;
	record->nr = nr;
	record->ret = ret;
	record->flags = flags_of_record;
	memcpy(record->args, args, STRACE_ARGS * sizeof(args[0]));
	for (unsigned int arg = 0; arg < STRACE_ARGS && call->args[arg]; arg++) {
		const char *first = NULL;

		for (int i = 0; i < STRACE_TYPE_STEPS && call->args[arg]->steps[i].op; i++) {
			const char *bytes = add_blob(record, &call->args[arg]->steps[i], arg, i, first);

			first = i ? first : bytes;
		}
	}
	strace_print_args(&line, 0, record->nr);
	if (want)
		cr_assert_str_eq(out.data, want, "%s(%s)\nand not\n%s", name, out.data, want);
}

static void expect_args(const char *name, int64_t ret, const uint64_t args[STRACE_ARGS], const char *want)
{
	int nr = syscall_number(name);

	expect_line(strace_call_of(nr), nr, name, ret, args, want);
}

/* The number in a 32-bit program; STRACE_CALLS: there is none. */
static int number_32(const char *name)
{
	int nr = 0;

	while (nr < STRACE_CALLS && (!syscall_name_32(nr) || strcmp(syscall_name_32(nr), name) != 0))
		nr++;
	return nr;
}

/* The same of a 32-bit program. */
static void expect_narrow(const char *name, int64_t ret, const uint64_t args[STRACE_ARGS], const char *want)
{
	int nr = number_32(name);

	cr_assert(strace_call_of_32(nr), "%s is not known", name);
	flags_of_record = STRACE_COMPAT;
	expect_line(strace_call_of_32(nr), nr, name, ret, args, want);
	flags_of_record = 0;
}

#define ARGS(...)	  ((const uint64_t[STRACE_ARGS]){ __VA_ARGS__ })
#define P(POINTER)	  ((uint64_t)(POINTER))
#define SET(WANT, ...)	  expect_args("setsockopt", 0, ARGS((uint32_t)-1, __VA_ARGS__), "-1, " WANT)
#define GOT(WANT, ...)	  expect_args("getsockopt", 0, ARGS((uint32_t)-1, __VA_ARGS__), "-1, " WANT)
#define FAILED(NAME, ...) expect_args(NAME, -9, ARGS(__VA_ARGS__), NULL)

Test(strace, options_of_sockets)
{
	static const unsigned int words[64] = { 1, 2, 3, 4, 5 };

	SET("SOL_SOCKET, SO_RCVBUF, [1], 4", 1, SO_RCVBUF, P(words), 4);
	SET("SOL_SOCKET, SO_RCVBUF, [1], 16", 1, SO_RCVBUF, P(words), 16);
	SET("SOL_SOCKET, SO_RCVBUF, 0x10, 16", 1, SO_RCVBUF, BAD, 16);
	SET("SOL_SOCKET, SO_RCVBUF, NULL, 4", 1, SO_RCVBUF, 0, 4);
	SET("SOL_SOCKET, SO_TXREHASH, [SOCK_TXREHASH_ENABLED], 4", 1, 74, P(words), 4);
	SET("SOL_SOCKET, 0x7777 /* SO_??? */, \"\\1\\0\\0\\0\\2\", 5", 1, 0x7777, P(words), 5);
	SET("SOL_SOCKET, SO_LINGER, {l_onoff=1, l_linger=2}, 12", 1, SO_LINGER, P(words), 12);
	SET("SOL_SOCKET, SO_ATTACH_FILTER, {len=1, filter=0x400000003}, 16", 1, SO_ATTACH_FILTER, P(words), 16);
	SET("SOL_IP, IP_TTL, [1], 4", 0, 2, P(words), 4);
	SET("SOL_IP, IP_TTL, \"\\1\", 1", 0, 2, P(words), 1);
	SET("SOL_IP, IPT_SO_SET_REPLACE, \"\", 0", 0, 64, P(words), 0);
	SET("SOL_IP, IP_ADD_MEMBERSHIP, {imr_multiaddr=inet_addr(\"1.0.0.0\"), imr_interface=inet_addr(\"2.0.0.0\")}, 8",
	    0, 35, P(words), 8);
	SET("SOL_RAW, ICMP_FILTER, ~[ICMP_SOURCE_QUENCH], 4", 255, 1, P((const unsigned int[]){ ~0x10U }), 4);
	SET("SOL_PACKET, PACKET_RX_RING, {tp_block_size=1, tp_block_nr=2, tp_frame_size=3, tp_frame_nr=4}, 16", 263, 5,
	    P(words), 16);
	SET("SOL_SCTP, SCTP_NODELAY, [1], 4", 132, 3, P(words), 4);
	SET("0x3e7 /* SOL_?? */, 1, [1], 4", 999, 1, P(words), 4);
	FAILED("setsockopt", 3, 0, 42, P(words), -1);
}

Test(strace, options_that_are_filled_in_in_part)
{
	const int words[64] = { 1, 2, 3 }, lengths[] = { 0, 1, 5, 8, 12, -1 };

	GOT("SOL_SOCKET, SO_LINGER, 0x10, [0]", 1, SO_LINGER, BAD, P(&lengths[0]));
	GOT("SOL_SOCKET, SO_LINGER, {l_onoff=1, l_linger=\"\\x02\"}, [5]", 1, SO_LINGER, P(words), P(&lengths[2]));
	GOT("SOL_SOCKET, SO_PEERCRED, {pid=1, uid=2}, [8]", 1, SO_PEERCRED, P(words), P(&lengths[3]));
	GOT("SOL_SOCKET, SO_RCVBUF, \"\\x01\", [1]", 1, SO_RCVBUF, P(words), P(&lengths[1]));
	GOT("SOL_PACKET, PACKET_STATISTICS, {tp_packets=1, tp_drops=2, tp_freeze_q_cnt=3}, [12]", 263, 6, P(words),
	    P(&lengths[4]));
	GOT("SOL_NETLINK, NETLINK_LIST_MEMBERSHIPS, [1, 2], [8]", 270, 9, P(words), P(&lengths[3]));
	GOT("SOL_TCP, TCP_INFO, \"\\1\\0\\0\\0\\2\", [5]", 6, 11, P(words), P(&lengths[2]));
	FAILED("getsockopt", 3, 1, SO_LINGER, P(words), P(&lengths[5]));
}

#define REQUEST(WANT, RET, ...) expect_args("ioctl", RET, ARGS(3, __VA_ARGS__), "3, " WANT)

Test(strace, structs_of_ioctl)
{
	static const unsigned int words[2048] = { 2, 0, 0, 5 };
	static const int geometry[130] = { 2, 0, 5, 2 };
	static const int64_t correction[3] = { 1, -1 }, level[3] = { 2, 2 };
	static const char interface[64] = "lo\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\1\2\3\4\5\6";

	/* what only a call that has succeeded fills in */
	REQUEST("HDIO_GETGEO, {heads=2, sectors=0, cylinders=0, start=8589934597}", 0, 0x301, P(geometry));
	REQUEST("HDIO_GETGEO, NULL", -9, 0x301, 0);
	REQUEST("SIOCGIFHWADDR, {ifr_name=\"lo\", ifr_hwaddr={sa_family=ARPHRD_ETHER, sa_data=01:02:03:04:05:06}}", 0, 0x8927,
		P(interface));
	REQUEST("SIOCGIFHWADDR, {ifr_name=\"lo\"}", -19, 0x8927, P(interface));
	/* an array whose length another member says */
	REQUEST("PTP_SYS_OFFSET, {n_samples=2, rsv=[0, 0, 0x5], ts=[{sec=0, nsec=0}, {sec=0, nsec=0}, {sec=0, nsec=0}, "
		"{sec=0, nsec=0}, {sec=0, nsec=0}]}",
		0, 0x43403d05, P(words));
	/* members that stand there only if others say so */
	REQUEST("RTC_PARAM_SET, {param=RTC_PARAM_CORRECTION, svalue=-1, index=0}", 0, 0x40187014,
		P(correction));
	REQUEST("RTC_PARAM_SET, {param=RTC_PARAM_BACKUP_SWITCH_MODE, uvalue=RTC_BSM_LEVEL, index=0}", 0, 0x40187014,
		P(level));
	REQUEST("LOOP_SET_STATUS64, {lo_offset=0, lo_number=0, lo_flags=0, lo_file_name=\"\", ...}", 0, 0x4c04, P(words));
}

#define ASKED(WANT, ...) expect_args("socket", -22, ARGS(__VA_ARGS__), WANT)

Test(strace, protocols_of_sockets)
{
	ASKED("AF_INET, SOCK_STREAM, IPPROTO_MPTCP", 2, 1, 262);
	ASKED("AF_VSOCK, SOCK_NONBLOCK|0x7, 5", 40, 0x807, 5);
	ASKED("AF_UNIX, SOCK_DGRAM|0x10 /* SOCK_??? */, 0", 1, 0x12, 0);
	ASKED("AF_BLUETOOTH, SOCK_RAW, BTPROTO_HCI", 31, 3, 1);
	ASKED("AF_PACKET, SOCK_RAW, htons(ETH_P_LLDP)", 17, 3, 0xcc88);
	ASKED("AF_AX25, SOCK_DGRAM, 0x1 /* AX25_P_ROSE */", 3, 2, 1);
	ASKED("0x7d0 /* AF_??? */, SOCK_STREAM, 1", 2000, 1, 1);
}

static void expect_address(const char *bytes, size_t n, const char *want)
{
	struct str line __str = {};

	str_addf(&line, "-1, %s, %zu", want, n);
	expect_args("connect", -9, ARGS((uint32_t)-1, P(bytes), n), line.data);
}

#define ADDRESS(BYTES, WANT) expect_address(BYTES, sizeof(BYTES) - 1, WANT)

Test(strace, addresses_of_sockets)
{
	static const char zeros[200];

	ADDRESS("\1\0@x", "{sa_family=AF_UNIX, sun_path=\"@x\"}");
	ADDRESS("\1\0\0x", "{sa_family=AF_UNIX, sun_path=@\"x\"}");
	ADDRESS("\1\0", "{sa_family=AF_UNIX}");
	ADDRESS("\2\0\0P\1\2", "{sa_family=AF_INET, sa_data=\"\\0P\\1\\2\"}");
	ADDRESS("\x1f\0\1\0", "{sa_family=AF_BLUETOOTH, hci_dev=htobs(1)}");
	ADDRESS("\x1f\0\1\2\3\4\5\6\7\0", "{sa_family=AF_BLUETOOTH, rc_bdaddr=01:02:03:04:05:06, rc_channel=7}");
	ADDRESS("\x1f\0\1\0\1\2\3\4\5\6\x41\0",
		"{sa_family=AF_BLUETOOTH, l2_psm=htobs(L2CAP_PSM_SDP), l2_bdaddr=01:02:03:04:05:06, "
		"l2_cid=htobs(L2CAP_CID_DYN_START+1)}");
	ADDRESS("\x28\0\0\0\xff\xff\xff\xff\2\0\0\0\1\0\0\0",
		"{sa_family=AF_VSOCK, svm_cid=VMADDR_CID_HOST, svm_port=VMADDR_PORT_ANY, svm_flags=VMADDR_FLAG_TO_HOST}");
	ADDRESS("\x11\0\0\3\1\0\0\x40\4\3\0\7\1\2\3\4\5\6\7\x8",
		"{sa_family=AF_PACKET, sll_protocol=htons(ETH_P_ALL), sll_ifindex=1073741825, sll_hatype=ARPHRD_LOOPBACK, "
		"sll_pkttype=PACKET_HOST, sll_halen=7, sll_addr=[0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7]}");
	ADDRESS("\x11\0\0\0\0\0\0\0\xfe\xff\0\0\0\0\0\0\0\0\0\0",
		"{sa_family=AF_PACKET, sll_protocol=htons(0 /* ETH_P_??? */), sll_ifindex=0, sll_hatype=ARPHRD_NONE, "
		"sll_pkttype=PACKET_HOST, sll_halen=0}");
	ADDRESS("\x26\0hash\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0md5",
		"{sa_family=AF_ALG, salg_type=\"hash\", salg_feat=0, salg_mask=0, salg_name=\"md\"...}");
	/* all families, with all lengths */
	for (unsigned int family = 0; family < 50; family++)
		for (size_t n = 0; n < sizeof(zeros); n++) {
			char *bytes __free = base_alloc(n + 1);

			memset(bytes, family & 1 ? 0xff : 0, n);
			if (n > 1)
				memcpy(bytes, &(const uint16_t){ family }, sizeof(uint16_t));
			FAILED("connect", 3, P(bytes), n);
		}
}

#define REQUESTED(WANT, ...) expect_args("ioctl", -9, ARGS((uint32_t)-1, __VA_ARGS__), "-1, " WANT)

Test(strace, requests_of_ioctl)
{
	static const unsigned int words[130] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const unsigned short old[32] = { 0, 0, 0xd };

	REQUESTED("BLKFLSBUF", 0x1261, P(words));
	REQUESTED("RTC_ALM_SET, {tm_sec=1, tm_min=2, tm_hour=3, tm_mday=4, tm_mon=5, tm_year=6, ...}", 0x40247007, P(words));
	REQUESTED("UFFDIO_COPY, {dst=0x200000001, src=0x400000003, len=0x600000005, "
		  "mode=UFFDIO_COPY_MODE_DONTWAKE|UFFDIO_COPY_MODE_WP|0x800000004}",
		  0xc028aa03, P(words));
	REQUESTED("TIOCMSET, [TIOCM_LE]", 0x5418, P(words));
	REQUESTED("TIOCMSET, 0x10", 0x5418, BAD);
	REQUESTED("TIOCMGET, NULL", 0x5415, 0);
	REQUESTED("TCFLSH, TCOFLUSH", 0x540b, 1);
	REQUESTED("TCSETA, {c_iflag=, c_oflag=NL0|CR0|TAB0|BS0|VT0|FF0|, c_cflag=B9600|CS5|, c_lflag=, ...}", 0x5406, P(old));
	REQUESTED("SIOCSIFMTU, {ifr_name=\"\\1\", ifr_mtu=5}", 0x8922, P(words));
	REQUESTED("_IOC(_IOC_READ|_IOC_WRITE, 0x7a, 0xff, 0x4), 0x1", 0xc0047aff, 1);
	for (unsigned int request = 0; request < 0x10000; request++)
		FAILED("ioctl", 3, request, P(words));
}

/* A text that says more than there is, or is none, is not printed. */
Test(strace, shapes_of_ioctl)
{
	static const char *const bad[] = { "%", "%d", "%d9", "%b4", "%b4(", "%b4(X)", "%e4(", "%v(", "%s99", "%.65", "%d4%d8", "%d8%?", "%>(", "%!4(", "%=0=1(", "%*2", "%$16", "%t9" };
	struct str out __str = {};
	struct strace_line line = { .out = &out, .settings = &settings };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_assert(!strace_shape(&line, bad[i], strlen(bad[i]), "\1\0\0\0\2\0\0\0", 8, 8), "%s", bad[i]);
	cr_assert_eq(out.len, 0);
	cr_assert(strace_shape(&line, "%d4 %.2%x2 %v(x)", 16, "\1\0\0\0\2\0\0\0", 8, 8));
	cr_assert_str_eq(out.data, "1 0 ...");
}

#define SHAPED(SHAPE, BYTES, SIZE) strace_shape(&line, SHAPE, strlen(SHAPE), BYTES, SIZE, SIZE)

/* Elements that are not shown are passed over: what is behind them is read where it is. */
Test(strace, shapes_behind_long_arrays)
{
	static const unsigned char bytes[48] = { [40] = 7, [44] = 9 };
	struct str out __str = {};
	struct strace_line line = { .out = &out, .settings = &settings };

	cr_assert(SHAPED("%*40(%u1) %u4", bytes, sizeof(bytes)));
	cr_assert(strstr(out.data, ", ... 7"), "%s", out.data);
	/* there is nothing behind an array that is cut */
	cr_assert(!SHAPED("%*48(%u1)%u4", bytes, sizeof(bytes)));
	cr_assert(!SHAPED("%T8(46)", bytes, sizeof(bytes)));
	cr_assert(!SHAPED("%P8(47)", bytes, sizeof(bytes)));
}

/* A recording may have more bytes than a step ever copies. */
Test(strace, attributes_that_are_too_long)
{
	static unsigned char attributes[0xfff0];
	static _Alignas(8) char bytes[sizeof(struct strace_record) + sizeof(struct strace_blob) + sizeof(attributes)];
	struct strace_record *record = (void *)bytes;
	struct strace_blob *blob = (void *)(record + 1);
	struct str out __str = {};
	struct strace_line line = { .out = &out, .settings = &settings, .exit = record };

	*record = (struct strace_record){ .kind = STRACE_EXIT, .nr = syscall_number("perf_event_open"), .ret = -22 };
	line.call = strace_call_of(record->nr);
	memset(attributes, 0x41, sizeof(attributes));
	record->args[0] = P(attributes);
	record->size = sizeof(*blob) + sizeof(attributes);
	*blob = (struct strace_blob){ .n = sizeof(attributes) };
	memcpy(blob + 1, attributes, sizeof(attributes));
	strace_print_args(&line, 0, record->nr);
	cr_assert(!strncmp(out.data, "{type=0x41414141", 16), "%s", out.data);
}

/* What a call has overwritten is not shown as what it was given. */
Test(strace, structs_that_ioctl_overwrites)
{
	static const unsigned int words[130] = { 4, 2, 3, 4, 5, 6, 7, 8 };

	REQUEST("KDKBDREP, {...} => {delay=4, period=2}", 0, 0x4b52, P(words));
	REQUEST("KDKBDREP, {delay=4, period=2}", -9, 0x4b52, P(words));
	REQUEST("KDGETKEYCODE, {scancode=0x4, keycode=... => 0x2}", 0, 0x4b4c, P(words));
	REQUEST("UBI_IOCATT, {ubi_num=..., mtd_num=2, vid_hdr_offset=3, max_beb_per1024=4} => [4]", 0, 0x40186f40, P(words));
	REQUEST("UBI_IOCATT, {ubi_num=4, mtd_num=2, vid_hdr_offset=3, max_beb_per1024=4}", -9, 0x40186f40, P(words));
	REQUEST("UFFDIO_API, {api=0x200000004, features=... => features=UFFD_FEATURE_PAGEFAULT_FLAG_WP|"
		"UFFD_FEATURE_EVENT_FORK|0x400000000, ioctls=1<<_UFFDIO_REGISTER|0x600000004}",
		0, 0xc018aa3f, P(words));
	REQUEST("TEE_IOC_SHM_REGISTER, {addr=0x200000004, length=..., flags=...} => {length=0x400000003, "
		"flags=TEE_IOCTL_SHM_MAPPED|TEE_IOCTL_SHM_EXT_DMA_BUF, id=6}",
		0, 0xc018a409, P(words));
	REQUEST("DM_REMOVE_ALL, [{...}] => [{version=[4, 2, 3], data_size=4 /* data_size too small */}]", 0, 0xc138fd01,
		P(words));
}

/* Longs of 32-bit programs have 4 bytes. */
Test(strace, longs_of_ioctl)
{
	static const unsigned int words[130] = { 2, 3, 4, 5, 6, 7, 8 };

	REQUEST("BLKGETSIZE, [12884901890]", 0, 0x1260, P(words));
	flags_of_record = STRACE_COMPAT;
	REQUEST("BLKGETSIZE, [2]", 0, 0x1260, P(words));
	REQUEST("BLKRAGET, [2]", 0, 0x1263, P(words));
	REQUEST("HDIO_GETGEO, {heads=2, sectors=0, cylinders=0, start=3}", 0, 0x301, P(words));
	REQUEST("HDIO_GET_DMA, [2]", 0, 0x30b, P(words));
	REQUEST("SIOCSIFMAP, {ifr_name=\"\\2\", ifr_map={mem_start=0x6, mem_end=0x7, base_addr=0x8, irq=0, dma=0, port=0}}",
		0, 0x8971, P(words));
	flags_of_record = 0;
}

Test(strace, names_of_ioctl)
{
	static const unsigned int notify[20] = { 1, 0, 2, 0, 3, 0xc00000b7, 4 };
	static const unsigned int descriptor[6] = { 1, 0, 0, 3, 4, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
	static const char loopback[64] = "lo\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x04\x03";
	static const unsigned int keys[2] = { 1, 0x160 }, button[2] = { 1, 0x110 };

	REQUEST("SECCOMP_IOCTL_NOTIF_RECV, {id=0x1, pid=2, flags=0, data={nr=3, arch=AUDIT_ARCH_AARCH64, "
		"instruction_pointer=0x4, args=[0, 0, 0, 0, 0, 0]}}",
		0, 0xc0502100, P(notify));
	REQUEST("SECCOMP_IOCTL_NOTIF_ADDFD, {id=0x1, flags=0, srcfd=3, newfd=4, newfd_flags=O_NOFOLLOW|O_CLOEXEC|O_DIRECTORY}",
		0, 0x40182103, P(descriptor));
	REQUEST("SIOCGIFHWADDR, {ifr_name=\"lo\", ifr_hwaddr={sa_family=ARPHRD_LOOPBACK, sa_data=00:00:00:00:00:00}}", 0, 0x8927,
		P(loopback));
	REQUEST("EVIOCGKEYCODE, [1, KEY_OK]", 0, 0x80084504, P(keys));
	REQUEST("EVIOCGKEYCODE, [1, BTN_LEFT]", 0, 0x80084504, P(button));
}

/* print(args): the size of a struct of ioctl is in the request, which is known too late. */
Test(strace, args_of_ioctl)
{
	static const unsigned short size[128] = { 24, 80 };
	const int ioctl = syscall_number("ioctl");
	struct lang_memory memory[LANG_MEMORIES];
	struct str out __str = {};

	cr_assert_eq(strace_decode_memory(ioctl, memory), 1);
	cr_assert_eq(memory[0].arg, 2);
	cr_assert_eq(memory[0].count, -1);
	cr_assert_eq(memory[0].size, sizeof(size));
	strace_decode_call(&out, ioctl, ARGS(3, 0x5414, P(size)), ioctl,
			   &(const struct strace_read){ .data = (const char *)size, .n = sizeof(size) }, 1);
	cr_assert_str_eq(out.data, "ioctl(3, TIOCSWINSZ, {ws_row=24, ws_col=80, ws_xpixel=0, ws_ypixel=0})");
}

#define TOLD(WANT, ...) expect_args("bpf", -22, ARGS(__VA_ARGS__), WANT)

Test(strace, attributes_of_bpf)
{
	static const unsigned int words[64] = { 1, 2, 3, 4, 5, 6, 7 }, zeros[64] = { 0 };

	TOLD("BPF_MAP_CREATE, {map_type=BPF_MAP_TYPE_HASH, key_size=2, value_size=3, max_entries=4}, 16", 0, P(words), 16);
	TOLD("BPF_MAP_CREATE, {map_type=BPF_MAP_TYPE_HASH, key_size=2, value_size=3, max_entries=4, "
	     "map_flags=BPF_F_NO_PREALLOC|BPF_F_NUMA_NODE, inner_map_fd=6, numa_node=7}, 28",
	     0, P(words), 28);
	TOLD("BPF_MAP_DELETE_ELEM, {map_fd=1, key=0x400000003, ...}, 24", 3, P(words), 24);
	TOLD("BPF_MAP_DELETE_ELEM, {map_fd=1, key=NULL}, 4", 3, P(words), 4);
	TOLD("BPF_PROG_TEST_RUN, {test={prog_fd=0, retval=0, data_size_in=0, data_size_out=0, data_in=NULL, data_out=NULL, "
	     "repeat=0, duration=0}}, 40",
	     10, P(zeros), 40);
	TOLD("BPF_ITER_CREATE, 0x10, 8", 33, BAD, 8);
	for (unsigned int command = 0; command < 50; command++)
		for (unsigned int size = 0; size <= sizeof(words); size++)
			FAILED("bpf", command, P(words), size);
}

/* An instruction of a filter, with -v. */
static void expect_filter(const char *want, unsigned short code, unsigned char jt, unsigned char jf, unsigned int k,
			  bool of_calls)
{
	const struct {
		unsigned short code;
		unsigned char jt, jf;
		unsigned int k;
	} instruction = { code, jt, jf, k };
	const struct {
		struct strace_blob head;
		char bytes[sizeof(instruction)];
	} blob = { { .n = sizeof(instruction) } };
	struct strace_settings whole = { .size = 32, .whole = true };
	struct str out __str = {};
	struct strace_line line = { .out = &out, .settings = &whole };

	memcpy((char *)blob.bytes, &instruction, sizeof(instruction));
	strace_filter_code(&line, &blob.head, 0x10, 1, of_calls);
	cr_assert_str_eq(out.data, want, "%s\nand not\n%s", out.data, want);
}

Test(strace, instructions_of_filters)
{
	expect_filter("[BPF_STMT(BPF_LD|BPF_W|BPF_ABS, SKF_AD_OFF+SKF_AD_CPU)]", 0x20, 0, 0, -4096 + 36, false);
	expect_filter("[BPF_STMT(BPF_LD|BPF_H|BPF_ABS, SKF_NET_OFF+5)]", 0x28, 0, 0, -0x100000 + 5, false);
	expect_filter("[BPF_STMT(BPF_LD|BPF_W|BPF_ABS, 0xfffff024)]", 0x20, 0, 0, -4096 + 36, true);
	expect_filter("[BPF_STMT(BPF_RET|BPF_K, SECCOMP_RET_ERRNO|0x1)]", 6, 0, 0, 0x50001, true);
	expect_filter("[BPF_STMT(BPF_RET|BPF_K, 0x50001)]", 6, 0, 0, 0x50001, false);
	expect_filter("[BPF_JUMP(BPF_JMP|BPF_K|BPF_JEQ, 0x7, 0x1, 0x2)]", 0x15, 1, 2, 7, true);
	expect_filter("[BPF_STMT(BPF_RET|BPF_A|0x80 /* BPF_??? */, 0)]", 0x96, 0, 0, 0, false);
	expect_filter("[BPF_STMT(BPF_MISC|0x8 /* BPF_??? */|0x100 /* BPF_??? */, 0)]", 0x10f, 0, 0, 0, false);
}

#define TRACED(WANT, RET, ...) expect_args("ptrace", RET, ARGS(__VA_ARGS__), WANT)

Test(strace, requests_of_ptrace)
{
	static const uint64_t words[64] = { 1, 2, 3 };

	TRACED("PTRACE_CONT, 7, NULL, SIGKILL", 0, 7, 7, 0, 9);
	TRACED("PTRACE_KILL, 7", 0, 8, 7, 1, 2);
#ifdef __x86_64__
	TRACED("PTRACE_PEEKUSER, 7, 8*R15+7, 0x10", -3, 3, 7, 7, BAD);
#endif
	TRACED("PTRACE_GET_SYSCALL_INFO, 7, 4, {op=PTRACE_SYSCALL_INFO_ENTRY}", 4, 0x420e, 7, 4, P(words));
	TRACED("PTRACE_GETEVENTMSG, 7, NULL, [1]", 0, 0x4201, 7, 0, P(words));
	TRACED("PTRACE_GETSIGMASK, 7, 8, [HUP]", 0, 0x420a, 7, 8, P(words));
	TRACED("PTRACE_GETREGSET, 7, NT_PRSTATUS, {iov_base=0x1, iov_len=2}", -3, 0x4204, 7, 1, P(words));
	TRACED("PTRACE_SEIZE, 7, NULL, PTRACE_O_TRACESYSGOOD", 0, 0x4206, 7, 0, 1);
	for (unsigned int request = 0; request < 64; request++) {
		FAILED("ptrace", request, 7, P(words), P(words));
		FAILED("ptrace", 0x4200 + request, 7, P(words), P(words));
	}
}

#define CALLED(NAME, WANT, ...)	 expect_args(NAME, 0, ARGS(__VA_ARGS__), WANT)
#define REFUSED(NAME, WANT, ...) expect_args(NAME, -22, ARGS(__VA_ARGS__), WANT)

Test(strace, flags_of_system_v)
{
	CALLED("semget", "IPC_PRIVATE, 1, 0600", 0, 1, 0600);
	CALLED("semget", "0x1, 1, IPC_CREAT|0600", 1, 1, 01600);
	CALLED("semget", "0x1, 1, IPC_CREAT|0x8000000|0600", 1, 1, 0x8000000 | 01600);
	CALLED("semget", "0x1, 1, 0x80000000600", 1, 1, 0x8000000 | 0600);
	CALLED("msgget", "0x1, 0x20000000", 1, 0x20000);
	CALLED("shmget", "0x1, 1, 0x20000|021", 1, 1, 0x20011);
	CALLED("shmget", "0x1, 1, SHM_HUGETLB|21<<SHM_HUGE_SHIFT|0600", 1, 1, 04000 | 21 << 26 | 0600);
	CALLED("shmget", "0x1, 1, SHM_NORESERVE|0x8000|5<<SHM_HUGE_SHIFT|000", 1, 1, 0x14009000);
	strace_set_style(STRACE_NUMBERS);
	CALLED("semget", "0x1, 1, 0x20000|000", 1, 1, 0x20000);
	CALLED("shmget", "0x1, 1, 0x800|5<<26|000", 1, 1, 0x14000800);
	CALLED("shmctl", "1, 0x100|0x2, NULL", 1, 0x102, 0);
	strace_set_style(STRACE_BOTH);
	CALLED("shmget", "0x1, 1, 0x800 /* SHM_HUGETLB */|5<<26 /* SHM_HUGE_SHIFT */|000", 1, 1, 0x14000800);
	CALLED("shmctl", "1, 0x100 /* IPC_64 */|0x2 /* IPC_STAT */, NULL", 1, 0x102, 0);
	strace_set_style(STRACE_NAMES);
}

Test(strace, registers_that_are_wider_than_a_flag)
{
	CALLED("mprotect", "0x10, 1, PROT_READ|0x700000000000", BAD, 1, 0x700000000001);
	CALLED("mremap", "0x10, 1, 2, MREMAP_MAYMOVE|0x700000000000", BAD, 1, 2, 0x700000000001);
	CALLED("mbind", "0x10, 1, MPOL_F_STATIC_NODES|0x700000000001, NULL, 0, 0x8 /* MPOL_MF_??? */", BAD, 1, 0x700000008001, 0, 0,
	       0xf00000008);
	CALLED("set_mempolicy", "MPOL_PREFERRED, NULL, 0", 0x700000000001, 0, 0);
	CALLED("get_mempolicy", "NULL, NULL, 0, NULL, 0x700000000008 /* MPOL_F_??? */", 0, 0, 0, 0, 0x700000000008);
	CALLED("socket", "0x7d0 /* AF_??? */, SOCK_STREAM, 64424509441", 2000, 1, 0xf00000001);
	CALLED("socketpair", "AF_INET, SOCK_STREAM, 64424509441, NULL", 2, 1, 0xf00000001, 0);
	CALLED("mknod", "NULL, S_IFCHR|0666, makedev(0x345, 0x1267)", 0, 020666, 0xfff000001234567);
	CALLED("ioperm", "0xffffffffffffffff, 0, -1", -1, 0, 0xffffffff);
	CALLED("sched_setaffinity", "1, 8, NULL", 1, 0xf00000008, 0);
}

Test(strace, numbers_that_depend_on_others)
{
	static const uint64_t words[40] = { 0x7065, 1, 2, 3, 4, 5 }, signals[8] = { 0, 9 }, silent[8] = { 0, 1ULL << 32 | 9 },
			      far[] = { 1ULL << 62, 0 };

	REFUSED("syslog", "-1 /* SYSLOG_ACTION_??? */, NULL, -2", (uint32_t)-1, 0, (uint32_t)-2);
	REFUSED("syslog", "10 /* SYSLOG_ACTION_SIZE_BUFFER */", 10, 1, 2);
	REFUSED("syslog", "8 /* SYSLOG_ACTION_CONSOLE_LEVEL */, 0x1, 8 /* LOGLEVEL_DEBUG+1 */", 8, 1, 8);
	REFUSED("syslog", "8 /* SYSLOG_ACTION_CONSOLE_LEVEL */, 0x1, 9 /* LOGLEVEL_??? */", 8, 1, 9);
	REFUSED("futex", "NULL, 0x101 /* FUTEX_??? */, 1", 0, 0x101, 1, 2, 3, 4);
	REFUSED("futex", "NULL, 0x1000 /* FUTEX_??? */, 1, NULL", 0, 0x1000, 1, 0, 3, 4);
	REFUSED("futex", "NULL, 0xe /* FUTEX_??? */, 1, 0x2, 0x3, 0x4", 0, 14, 1, 2, 3, 4);
	REFUSED("arch_prctl", "ARCH_GET_CPUID", 0x1011, 1);
	REFUSED("arch_prctl", "ARCH_REQ_XCOMP_PERM, 0x12 /* XFEATURE_XTILE_DATA */", 0x1023, 18);
	CALLED("arch_prctl", "ARCH_GET_XCOMP_PERM, [0x7065 /* XFEATURE_MASK_FP|XFEATURE_MASK_YMM|XFEATURE_MASK_OPMASK|"
			     "XFEATURE_MASK_ZMM_Hi256|0x7000 */]",
	       0x1022, P(words));
	CALLED("arch_prctl", "ARCH_GET_FS, [0x7065]", 0x1003, P(words));
	REFUSED("sethostname", "0x10, 65", BAD, 65);
	REFUSED("sethostname", "\"ep\", 2", P(words), 2);
	REFUSED("_sysctl", "{name=0x7065, nlen=1, oldval=0x2, oldlenp=0x3, newval=0x4, newlen=5}", P(words));
	REFUSED("get_thread_area", "{entry_number=28773, ...}", P(words));
	REFUSED("timer_create", "CLOCK_REALTIME, {sigev_signo=SIGKILL, sigev_notify=SIGEV_SIGNAL}, NULL", 0,
		P(signals), 0);
	REFUSED("timer_create", "CLOCK_REALTIME, {sigev_signo=9, sigev_notify=SIGEV_NONE}, NULL", 0,
		P(silent), 0);
	REFUSED("utime", "NULL, {actime=4611686018427387904, modtime=0}", 0, P(far));
}

/* Numbers of 64 bits are two arguments, those of users and groups have 16 bits in old calls. */
Test(strace, numbers_of_32_bit_programs)
{
#ifdef __x86_64__
	expect_narrow("pread64", -9, ARGS(3, 0x10, 6, 7, 8), "3, 0x10, 6, 34359738375");
	expect_narrow("truncate64", -14, ARGS(0, 0x40190ffb, 6), "NULL, 26845188091");
	expect_narrow("readahead", -9, ARGS(3, -100U, -1U, 5), "3, -100, 5");
	expect_narrow("sync_file_range", -9, ARGS(3, 1, 1, 2, 0, 2), "3, 4294967297, 2, SYNC_FILE_RANGE_WRITE");
#endif
	expect_narrow("fallocate", -9, ARGS(3, 1, 1, 1, 0, 0x80000000), "3, FALLOC_FL_KEEP_SIZE, 4294967297, -9223372036854775808");
	expect_narrow("fanotify_mark", -9, ARGS(3, 1, 2, 1, -100U, 0),
		      "3, FAN_MARK_ADD, FAN_MODIFY|0x100000000, AT_FDCWD, NULL");
	expect_narrow("chown", -14, ARGS(0, 0x1ffff, 0x10007), "NULL, -1, 7");
	expect_narrow("chown32", -14, ARGS(0, 0x1ffff, 0x10007), "NULL, 131071, 65543");
	expect_narrow("getresuid", 0, ARGS(P((uint16_t[]){ 1 }), P((uint16_t[]){ 2 }), P((uint16_t[]){ 65535 })), "[1], [2], [65535]");
}

/* The calls are found by their names: arm64 has no numbers of its own for these, but its 32-bit programs have. */
Test(strace, old_calls_of_32_bit_programs)
{
	static const char *const names[] = { "access", "chmod", "creat", "link", "mkdir", "open", "pipe", "readlink",
					     "rename", "rmdir", "stat", "symlink", "unlink" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		cr_expect(strace_call_named(names[i]), "%s", names[i]);
	cr_expect_not(strace_call_named("mmap2"));
	cr_expect_str_eq(strace_base_of_32(number_32("stat64")), "stat");
	cr_expect_str_eq(strace_base_of_32(number_32("chown32")), "chown");
	cr_expect_str_eq(strace_base_of_32(number_32("mmap2")), "mmap");
	expect_narrow("access", -2, ARGS(0, 4), "NULL, R_OK");
	expect_narrow("open", -2, ARGS(0, 0, 0), "NULL, O_RDONLY");
	expect_narrow("poll", 0, ARGS(0, 0, 5), "NULL, 0, 5");
	expect_narrow("unlink", -2, ARGS(0), "NULL");
}

/* Structs whose longs have 4 bytes. */
Test(strace, structs_of_32_bit_programs)
{
	static const int32_t times[] = { 1, 2, -3, 4 };
	static const uint32_t limits[] = { 5, UINT32_MAX }, action[] = { 1, 0x10000000, 0, 2, 0 };

	expect_narrow("nanosleep", 0, ARGS(P(times), 0), "{tv_sec=1, tv_nsec=2}, NULL");
	expect_narrow("nanosleep", -14, ARGS(BAD, 0), "0x10, NULL");
	expect_narrow("setitimer", 0, ARGS(0, P(times), 0),
		      "ITIMER_REAL, {it_interval={tv_sec=1, tv_usec=2}, it_value={tv_sec=-3, tv_usec=4}}, NULL");
	expect_narrow("setrlimit", 0, ARGS(0, P(limits)), "RLIMIT_CPU, {rlim_cur=5, rlim_max=RLIM_INFINITY}");
	expect_narrow("rt_sigaction", 0, ARGS(2, P(action), 0, 8),
		      "SIGINT, {sa_handler=SIG_IGN, sa_mask=[INT], sa_flags=SA_RESTART}, NULL, 8");
}

/* struct stat of the older calls is shorter than that of those whose names end in 64. */
Test(strace, stat_of_32_bit_programs)
{
	static const struct {
		uint32_t dev, ino;
		uint16_t mode, links, user, group;
		uint32_t rdev, size, block, blocks, times[6], unused[2];
	} st = { 0x801, 77, 0100644, 1, 1000, 1000, 0, 4242, 4096, 16, {}, {} };

	expect_narrow("stat", 0, ARGS(0, P(&st)), "NULL, {st_mode=S_IFREG|0644, st_size=4242, ...}");
	expect_narrow("lstat", -14, ARGS(0, BAD), "NULL, 0x10");
	settings.whole = true;
	expect_narrow("fstat", 0, ARGS(3, P(&st)),
		      "3, {st_dev=makedev(0x8, 0x1), st_ino=77, st_mode=S_IFREG|0644, st_nlink=1, st_uid=1000, st_gid=1000, "
		      "st_blksize=4096, st_blocks=16, st_size=4242, st_atime=0, st_atime_nsec=0, st_mtime=0, st_mtime_nsec=0, "
		      "st_ctime=0, st_ctime_nsec=0}");
	settings.whole = false;
}

/* Calls whose times have 64 bits have other structs with pointers of 4 bytes: these are addresses. */
Test(strace, pointers_inside_of_32_bit_programs)
{
	static const uint32_t words[64] = { 9, 1, 2, 3 };
	static const int64_t time[] = { 1, 2 };
	char want[64];

	snprintf(want, sizeof(want), "3, SIGKILL, %p, 0", (const void *)words);
	expect_narrow("pidfd_send_signal", 0, ARGS(3, 9, P(words), 0), want);
	snprintf(want, sizeof(want), "3, %p, 1, MADV_COLD, 0", (const void *)words);
	expect_narrow("process_madvise", 0, ARGS(3, P(words), 1, 20, 0), want);
	snprintf(want, sizeof(want), "0, NULL, NULL, NULL, {tv_sec=1, tv_nsec=2}, %p", (const void *)words);
	expect_narrow("pselect6_time64", 0, ARGS(0, 0, 0, 0, P(time), P(words)), want);
	snprintf(want, sizeof(want), "NULL, %p, {tv_sec=1, tv_nsec=2}, 8", (const void *)words);
	expect_narrow("rt_sigtimedwait_time64", 9, ARGS(0, P(words), P(time), 8), want);
}

/* Only in 64-bit programs of x86 the last two are the other way round. */
Test(strace, clone_of_32_bit_programs)
{
	expect_narrow("clone", -11, ARGS(0x01080000 | 17, 0x10, 0, 0x20, 0x30),
		      "child_stack=0x10, flags=CLONE_SETTLS|CLONE_CHILD_SETTID|SIGCHLD, tls=0x20, child_tidptr=0x30");
}

/* What is registered with a ring. */
Test(strace, registered_with_rings)
{
	static const uint64_t buffers[] = { BAD, 5, 0, 0 }, update[] = { 3, 0x20 };
	static const int files[8] = { 4, -1 };

	expect_args("io_uring_register", 0, ARGS(3, 0, P(buffers), 2), "3, IORING_REGISTER_BUFFERS, "
								       "[{iov_base=0x10, iov_len=5}, {iov_base=NULL, iov_len=0}], 2");
	expect_args("io_uring_register", 0, ARGS(3, 2, P(files), 2), "3, IORING_REGISTER_FILES, [4, -1], 2");
	expect_args("io_uring_register", 0, ARGS(3, 6, P(update), 1), "3, IORING_REGISTER_FILES_UPDATE, {offset=3, fds=0x20}, 1");
	expect_args("io_uring_register", -14, ARGS(3, 0, BAD, 1), "3, IORING_REGISTER_BUFFERS, 0x10, 1");
}
