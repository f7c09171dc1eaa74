// SPDX-License-Identifier: BSD-2-Clause
/*
 * Functions with instructions that a kernel may not run as they are, where it runs a copy of a probed one elsewhere.
 *
 *	steps -l	the places of these instructions, one a line, as NAME+OFFSET
 *	steps NAME...	calls each 3 times in a child; prints "did NAME SUM", or "died NAME SIGNAL"; 5 s are one, too
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

/* long step_NAME(long x, double one, double two); what follows is no part of it. */
#define STEP(name, code, after) \
	__asm__(".pushsection .text\n.globl step_" #name "\n.type step_" #name ", %function\n.balign 16\nstep_" #name \
		":\n\t" code ".size step_" #name ", . - step_" #name "\n" after ".popsection"); \
	long step_##name(long x, double one, double two)

#ifdef __x86_64__
#define SAME "mov %rdi, %rax\n\tret\n"
#define BITS "vmovq %xmm0, %rax\n\tret\n"
__asm__(".pushsection .data\n.balign 8\nstepped: .quad 0\n.popsection");
STEP(compare, "vcmpltsd %xmm1, %xmm0, %xmm0\n\t" BITS, "");
STEP(fused, "vfnmadd132sd %xmm1, %xmm1, %xmm0\n\t" BITS, "");
STEP(clear, "vpxor %xmm0, %xmm0, %xmm0\n\t" BITS, "");
STEP(or, "vpor %xmm1, %xmm0, %xmm0\n\t" BITS, "");
STEP(move, "vmovd %xmm1, %eax\n\tret\n", "");
STEP(store, "vmovdqu %xmm1, -32(%rsp)\n\tmov -32(%rsp), %rax\n\tret\n", "");
STEP(order, "vcomisd %xmm1, %xmm0\n\tsetb %al\n\tmovzbl %al, %eax\n\tret\n", "");
STEP(upper, "vzeroupper\n\t" SAME, "");
STEP(flags, "pushf\n\tpopf\n\t" SAME, "");
STEP(pop, "pushf\n\tpopf\n\t" SAME, "");
STEP(lock, "lock addl $1, stepped(%rip)\n\t" SAME, "");
STEP(exchange, "mov %rdi, %r8\n\txchg %r8, %rax\n\tret\n", "");
STEP(system, "mov $39, %eax\n\tsyscall\n\t" SAME, "");
STEP(jump, "lea 1f(%rip), %rax\n\tnotrack jmp *%rax\n1:\t" SAME, "");
STEP(push, "push %rbp\n\tpop %rbp\n\t" SAME, "");
STEP(thread, "mov %fs:0, %rax\n\t" SAME, "");
STEP(sse, "pxor %xmm0, %xmm0\n\t" SAME, "");

#define STEPS(X) \
	X(compare, 0) \
	X(fused, 0) \
	X(clear, 0) \
	X(or, 0) \
	X(move, 0) \
	X(store, 0) \
	X(order, 0) \
	X(upper, 0) \
	X(flags, 0) \
	X(pop, 1) \
	X(lock, 0) \
	X(exchange, 3) \
	X(system, 5) \
	X(jump, 7) \
	X(push, 0) \
	X(thread, 0) \
	X(sse, 0)
#else
#define FEATURES ".arch armv8.5-a\n\t"
#define ATOMIC	 "sub sp, sp, #16\n\tstr x0, [sp]\n1:\tldxr x1, [sp]\n\tadd x1, x1, #1\n\tstxr w2, x1, [sp]\n\tcbnz w2, 1b\n\t" \
	       "ldr x0, [sp]\n\tadd sp, sp, #16\n\tret\n"
STEP(exclusive, ATOMIC, "");
STEP(between, ATOMIC, "");
STEP(conditional, ATOMIC, "");
STEP(behind, ATOMIC, "");
STEP(literal, "ldr x0, 1f\n\tret\n", ".balign 8\n1:\t.quad 0x123456789\n");
STEP(word, "ldr w0, 1f\n\tret\n", ".balign 8\n1:\t.quad 0x123456789\n");
STEP(sign, "ldrsw x0, 1f\n\tret\n", ".balign 8\n1:\t.quad 0x8234567890\n");
STEP(fetch, "prfm pldl1keep, 1f\n\tret\n", ".balign 8\n1:\t.quad 0x123456789\n");
STEP(single, "ldr s0, 1f\n\tfmov w0, s0\n\tret\n", ".balign 8\n1:\t.quad 0x123456789\n");
STEP(real, "ldr d0, 1f\n\tfmov x0, d0\n\tret\n", ".balign 8\n1:\t.quad 0x123456789\n");
STEP(vector, "ldr q0, 1f\n\tfmov x0, d0\n\tret\n", ".balign 16\n1:\t.quad 0x123456789, 5\n");
STEP(system, "mov x8, #172\n\tsvc #0\n\tmov x0, #7\n\tret\n", "");
STEP(thread, "mrs x1, tpidr_el0\n\tret\n", "");
STEP(flags, "mrs x1, nzcv\n\tmsr nzcv, x1\n\tret\n", "");
STEP(restore, "mrs x1, nzcv\n\tmsr nzcv, x1\n\tret\n", "");
STEP(yield, "yield\n\tret\n", "");
STEP(event, "sevl\n\tret\n", "");
STEP(speculation, "hint #20\n\tret\n", "");
STEP(landing, FEATURES "bti c\n\tret\n", "");
STEP(sign_sp, FEATURES "paciasp\n\tautiasp\n\tret\n", "");
STEP(check_sp, FEATURES "paciasp\n\tautiasp\n\tret\n", "");
STEP(signed_return, FEATURES "paciasp\n\tretaa\n", "");
STEP(signed_jump, FEATURES "adr x1, 1f\n\tpaciza x1\n\tbraaz x1\n1:\tret\n", "");
STEP(address, "adr x1, 1f\n1:\tret\n", "");
STEP(page, "adrp x1, step_page\n\tret\n", "");
STEP(zero, "cbz x0, 1f\n\tnop\n1:\tret\n", "");
STEP(bit, "tbz x0, #1, 1f\n\tnop\n1:\tret\n", "");
STEP(jump, "b 1f\n\tnop\n1:\tret\n", "");
STEP(far, "adr x1, 1f\n\tbr x1\n1:\tret\n", "");
STEP(add, FEATURES "sub sp, sp, #16\n\tstr x0, [sp]\n\tldadd x0, x1, [sp]\n\tldr x0, [sp]\n\tadd sp, sp, #16\n\tret\n", "");
STEP(barrier, "dmb ish\n\tret\n", "");
STEP(sync, "isb\n\tret\n", "");
STEP(push, "stp x29, x30, [sp, #-16]!\n\tldp x29, x30, [sp], #16\n\tret\n", "");

#define STEPS(X) \
	X(exclusive, 8) \
	X(between, 12) \
	X(conditional, 16) \
	X(behind, 20) \
	X(literal, 0) \
	X(word, 0) \
	X(sign, 0) \
	X(fetch, 0) \
	X(single, 0) \
	X(real, 0) \
	X(vector, 0) \
	X(system, 4) \
	X(thread, 0) \
	X(flags, 0) \
	X(restore, 4) \
	X(yield, 0) \
	X(event, 0) \
	X(speculation, 0) \
	X(landing, 0) \
	X(sign_sp, 0) \
	X(check_sp, 4) \
	X(signed_return, 4) \
	X(signed_jump, 8) \
	X(address, 0) \
	X(page, 0) \
	X(zero, 0) \
	X(bit, 0) \
	X(jump, 0) \
	X(far, 4) \
	X(add, 8) \
	X(barrier, 0) \
	X(sync, 0) \
	X(push, 0)
#endif

static const struct step {
	const char *name;
	unsigned int offset;
	long (*call)(long x, double one, double two);
} steps[] = {
#define ROW(name, offset) { "step_" #name, offset, step_##name },
	STEPS(ROW)
};

static void call(const struct step *step)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child) {
		long sum = 0;

		alarm(60);
		for (long i = 1; i <= 3; i++)
			sum += step->call(i, 1, 2);
		printf("did %s %ld\n", step->name, sum);
		exit(0);
	}
	if (waitpid(child, &status, 0) != child)
		err(1, "waitpid");
	if (WIFSIGNALED(status))
		printf("died %s %d\n", step->name, WTERMSIG(status));
}

int main(int argc, char **argv)
{
	size_t n = sizeof(steps) / sizeof(*steps);

	for (size_t i = 0; i < n; i++)
		if (argc == 2 && !strcmp(argv[1], "-l"))
			printf("%s+%u\n", steps[i].name, steps[i].offset);
		else
			for (int name = 1; name < argc; name++)
				if (!strcmp(argv[name], steps[i].name))
					call(&steps[i]);
	return 0;
}
