// SPDX-License-Identifier: BSD-2-Clause
/*
 * narrow [WORD]
 *
 * A 32-bit program of x86 or ARM without any library, and with frame pointers: 27 calls of down(), then leaf()
 * computes for a while.
 * With a WORD it waits instead: three times 20 ms in nanosleep(2), then 100 ms each in futex(2),
 * poll(2) and recv(2). With two WORDs it makes calls with vectors, and some that the architecture's 64-bit programs may
 * not have.
 */
#define KEPT __attribute__((noinline, noclone, noipa, used))

KEPT static int leaf(int n)
{
	for (int i = 0; i < 200000000; i++)
		__asm__ volatile(""
				 : "+r"(n));
	return n;
}

KEPT static int down(int n)
{
	int r = n > 1 ? down(n - 1) : leaf(n);

	__asm__ volatile("" ::
				 : "memory");
	return r + 1;
}

/* Numbers that both architectures have. */
enum {
	EXIT = 1,
	UNLINK = 10,
	ACCESS = 33,
	STAT = 106,
	NANOSLEEP = 162,
	POLL = 168,
	FUTEX = 240,
	READV = 145,
	WRITEV = 146,
};

#ifdef __arm__
enum {
	SOCKETPAIR = 288,
	RECV = 291,
	SETSOCKOPT = 294,
	SENDMSG = 296,
	RECVMSG = 297,
	RECVMMSG = 365,
	SENDMMSG = 374,
};

static int call(int number, const void *first, int second, int third, int fourth, int fifth)
{
	register int r7 __asm__("r7") = number;
	register int r0 __asm__("r0") = (int)first;
	register int r1 __asm__("r1") = second;
	register int r2 __asm__("r2") = third;
	register int r3 __asm__("r3") = fourth;
	register int r4 __asm__("r4") = fifth;

	__asm__ volatile("svc 0"
			 : "+r"(r0)
			 : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4)
			 : "memory");
	return r0;
}

static int call_socket(int number, int first, int second, int third, int fourth, int fifth)
{
	return call(number, (void *)first, second, third, fourth, fifth);
}
#else
enum {
	RECVMMSG = 337,
	SENDMMSG = 345,
	SENDMSG = 370,
	RECVMSG = 372,
};

/* socketcall(2) has numbers of its own and takes its arguments in memory. */
#define SOCKETCALL 102
enum {
	SOCKETPAIR = 8,
	RECV = 10,
	SETSOCKOPT = 14,
};

static int call(int number, const void *first, int second, int third, int fourth, int fifth)
{
	int ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(number), "b"(first), "c"(second), "d"(third), "S"(fourth), "D"(fifth)
			 : "memory");
	return ret;
}

static int call_socket(int number, int first, int second, int third, int fourth, int fifth)
{
	return call(SOCKETCALL, (void *)number, (int)(int[]){ first, second, third, fourth, fifth }, 0, 0, 0);
}
#endif

/* Receives from a socket to which nobody sends. */
static int receive(void)
{
	static const int timeout[2] = { 0, 100000 };
	int fds[2];

	if (call_socket(SOCKETPAIR, 1, 1, 0, (int)fds, 0))
		return 1;
	call_socket(SETSOCKOPT, fds[0], 1, 20, (int)timeout, 8);
	return call_socket(RECV, fds[0], (int)fds, 1, 0, 0) != -11;
}

static int waits(void)
{
	static const int nap[2] = { 0, 20000000 }, longer[2] = { 0, 100000000 };
	int ret = 0;

	for (int i = 0; i < 3; i++)
		ret |= call(NANOSLEEP, nap, 0, 0, 0, 0);
	call(FUTEX, (int[]){ 0 }, 128, 0, (int)longer, 0);
	return ret | call(POLL, nap, 0, 100, 0, 0) | receive();
}

struct vector {
	const void *base;
	unsigned int size;
};

struct message {
	const void *name;
	int name_size;
	const struct vector *vectors;
	unsigned int n_vectors;
	const void *control;
	unsigned int control_size, flags;
};

static int vectors(void)
{
	static struct vector out[] = { { "one", 3 }, { "two", 3 } };
	static char room[4], more[20];
	static struct vector in[] = { { room, 4 }, { more, 20 } };
	static int rights[4] = { 16, 1, 1 };
	struct message sent = { 0, 0, out, 2, rights, 16, 0 }, got = { 0, 0, in, 2, 0, 0, 0 };
	struct {
		struct message message;
		unsigned int size;
	} all_sent[1] = { { { 0, 0, out, 2, 0, 0, 0 }, 0 } }, all_got[1] = { { { 0, 0, in, 2, 0, 0, 0 }, 0 } };
	int fds[2], ret;

	if (call_socket(SOCKETPAIR, 1, 1, 0, (int)fds, 0))
		return 1;
	ret = call(WRITEV, (void *)fds[0], (int)out, 2, 0, 0) != 6;
	ret |= call(READV, (void *)fds[1], (int)in, 2, 0, 0) != 6;
	rights[3] = fds[0];
	ret |= call(SENDMSG, (void *)fds[0], (int)&sent, 0, 0, 0) != 6;
	ret |= call(RECVMSG, (void *)fds[1], (int)&got, 0, 0, 0) != 6;
	ret |= call(SENDMMSG, (void *)fds[0], (int)all_sent, 1, 0, 0) != 1;
	return ret | (call(RECVMMSG, (void *)fds[1], (int)all_got, 1, 0, 0) != 1);
}

/* Of a file that exists, and of one that does not. */
static int old(void)
{
	int st[64];

	return call(STAT, "/", (int)st, 0, 0, 0) | (call(ACCESS, "/nowhere", 4, 0, 0, 0) != -2) |
	       (call(UNLINK, "/nowhere", 0, 0, 0, 0) != -2);
}

KEPT static void start(int words)
{
	int result = words > 2 ? vectors() | old() : words > 1 ? waits()
							       : down(27) - 28;

	call(EXIT, (void *)result, 0, 0, 0, 0);
}

#ifdef __arm__
__asm__(".globl _start\n_start: mov fp, #0\n\tldr r0, [sp]\n\tbl start\n");
#else
__asm__(".globl _start\n_start: xor %ebp, %ebp\n\tpushl (%esp)\n\tcall start\n\thlt\n");
#endif
