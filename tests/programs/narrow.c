// SPDX-License-Identifier: BSD-2-Clause
/*
 * narrow [WORD]
 *
 * A 32-bit program without any library, and with frame pointers: 27 calls of down(), then leaf() computes for a while.
 * With a WORD it waits instead: three times 20 ms in nanosleep(2), then 100 ms each in futex(2),
 * poll(2) and recv(2).
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

static int call(int number, const void *first, int second, int third, int fourth)
{
	int ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(number), "b"(first), "c"(second), "d"(third), "S"(fourth)
			 : "memory");
	return ret;
}

/* Receives from a socket to which nobody sends. socketcall(2) takes its arguments in memory. */
static int receive(void)
{
	static const int timeout[2] = { 0, 100000 };
	int fds[2], pair[] = { 1, 1, 0, (int)fds };

	if (call(102, (void *)8, (int)pair, 0, 0)) /* socketpair */
		return 1;
	call(102, (void *)14, (int)(int[]){ fds[0], 1, 20, (int)timeout, 8 }, 0, 0); /* setsockopt */
	return call(102, (void *)10, (int)(int[]){ fds[0], (int)fds, 1, 0 }, 0, 0) != -11;
}

static int waits(void)
{
	static const int nap[2] = { 0, 20000000 }, longer[2] = { 0, 100000000 };
	int ret = 0;

	for (int i = 0; i < 3; i++)
		ret |= call(162, nap, 0, 0, 0);
	call(240, (int[]){ 0 }, 128, 0, (int)longer);
	return ret | call(168, nap, 0, 100, 0) | receive();
}

KEPT static void start(int words)
{
	int result = words > 1 ? waits() : down(27) - 28;

	__asm__ volatile("int $0x80"
			 :
			 : "a"(1), "b"(result)); /* exit */
}

__asm__(".globl _start\n_start: xor %ebp, %ebp\n\tpushl (%esp)\n\tcall start\n\thlt\n");
