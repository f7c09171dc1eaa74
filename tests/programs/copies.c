// SPDX-License-Identifier: BSD-2-Clause
/*
 * Looks whether probed instructions run as they are: copies SECONDS THREADS. The kernel runs a copy of each, and the
 * threads call functions that begin with different ones. Prints "N calls, M wrong"; a signal ends it with status 3.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS_MAX 16
#define VALUE	    0x7654321L

#ifdef __x86_64__
#define STORE "mov %rax, (%rdi)\n\tmov %rax, 8(%rdi)\n\tret\n"
/* void copy_NAME(long to[2], long value): stores the value, or VALUE, twice. */
#define COPY(name, code) \
	__asm__(".pushsection .text\n.globl copy_" #name "\n.type copy_" #name ", %function\n.balign 16\ncopy_" #name \
		":\n\t" code ".size copy_" #name ", . - copy_" #name "\n.popsection"); \
	void copy_##name(long *to, long value)
__asm__(".pushsection .data\ncopied: .quad 0x7654321\n.popsection");
COPY(a, "mov %rsi, (%rdi)\n\tmov %rsi, 8(%rdi)\n\tret\n");
COPY(b, "mov copied(%rip), %eax\n\t" STORE);
COPY(c, "sub $8, %rsp\n\tmov %rsi, %rax\n\tadd $8, %rsp\n\t" STORE);
COPY(d, "lea 100(%rsi), %rax\n\tsub $100, %rax\n\t" STORE);
COPY(e, "movabs $0x7654321, %rax\n\t" STORE);
COPY(f, "mov %rsi, %rax\n\t" STORE);
COPY(g, "addl $0, copied(%rip)\n\tmov %rsi, %rax\n\t" STORE);
COPY(h, "mov copied(%rip), %rsi\n\tmov %rsi, %rax\n\t" STORE);
COPY(i, "xor %eax, %eax\n\tadd %rsi, %rax\n\t" STORE);
COPY(j, "test %rsi, %rsi\n\tmov %rsi, %rax\n\t" STORE);
COPY(k, "mov $0x7654321, %esi\n\tmov %rsi, %rax\n\t" STORE);
COPY(l, "lea 100000(%rsi), %rax\n\tsub $100000, %rax\n\t" STORE);
static void (*const copies[])(long *, long) = { copy_a, copy_b, copy_c, copy_d, copy_e, copy_f,
						copy_g, copy_h, copy_i, copy_j, copy_k, copy_l };
static const char constant[] = "010010010010";
#else
void __attribute__((noinline)) copy_a(long *to, long value)
{
	to[0] = to[1] = value;
}
static void (*const copies[])(long *, long) = { copy_a };
static const char constant[] = "0";
#endif

static atomic_bool stop;
static atomic_long calls, wrong;

static void died(int signal)
{
	static const char text[] = "a signal\n";

	_exit(write(1, text, sizeof(text) - 1) < 0 ? 4 : 3);
}

static void *run(void *ctx)
{
	uint32_t chance = (uint32_t)(uintptr_t)ctx * 7919 + 1;
	long n;

	for (n = 1; !stop; n++) {
		size_t which = (chance = chance * 1103515245 + 12345) / 256 % (sizeof(copies) / sizeof(*copies));
		long to[2] = {}, want = constant[which] == '1' ? VALUE : n;

		copies[which](to, n);
		wrong += to[0] != want || to[1] != want;
	}
	calls += n - 1;
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[2]) : 0;
	pthread_t threads[THREADS_MAX];

	if (n < 1 || n > THREADS_MAX)
		return 2;
	for (int i = 0; i < 4; i++)
		signal((int[]){ SIGSEGV, SIGILL, SIGTRAP, SIGBUS }[i], died);
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i))
			return 1;
	sleep((unsigned int)atoi(argv[1]));
	stop = true;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%ld calls, %ld wrong\n", calls, wrong);
	return wrong != 0;
}
