// SPDX-License-Identifier: BSD-2-Clause
/* The registers of x86-64 and arm64, their calling conventions and breakpoint instructions. */
#include <elf.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "tracee_regs.h"

/* Stack between what the process uses and what we put there: more than any red zone. */
#define STACK_GAP 4096

int tracee_regs_get(pid_t pid, struct user_regs_struct *regs)
{
	struct iovec iov = { regs, sizeof(*regs) };

	return ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &iov) ? -errno : 0;
}

int tracee_regs_set(pid_t pid, const struct user_regs_struct *regs)
{
	struct iovec iov = { (void *)regs, sizeof(*regs) };

	return ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &iov) ? -errno : 0;
}

int tracee_regs_peek(pid_t pid, uint64_t addr, uint64_t *word)
{
	errno = 0;
	*word = (uint64_t)ptrace(PTRACE_PEEKDATA, pid, addr, NULL);
	return -errno;
}

static int poke(pid_t pid, uint64_t addr, uint64_t word)
{
	return ptrace(PTRACE_POKEDATA, pid, addr, word) ? -errno : 0;
}

/* Replaces size bytes at addr, all within one aligned word. */
static int poke_part(pid_t pid, uint64_t addr, const void *bytes, size_t size)
{
	uint64_t word;
	int ret = tracee_regs_peek(pid, addr & ~7ULL, &word);

	if (ret)
		return ret;
	memcpy((char *)&word + (addr & 7), bytes, size);
	return poke(pid, addr & ~7ULL, word);
}

#if defined(__x86_64__)

int tracee_regs_break(pid_t pid, uint64_t addr)
{
	const uint8_t int3 = 0xcc;

	return poke_part(pid, addr, &int3, sizeof(int3));
}

uint64_t tracee_regs_at_break(const struct user_regs_struct *regs)
{
	return regs->rip - 1; /* int3 is done when it traps */
}

uint64_t tracee_regs_pc(const struct user_regs_struct *regs)
{
	return regs->rip;
}

uint64_t tracee_regs_result(const struct user_regs_struct *regs)
{
	return regs->rax;
}

int tracee_regs_return(pid_t pid, struct user_regs_struct *regs)
{
	uint64_t to;
	int ret = tracee_regs_peek(pid, regs->rsp, &to);

	regs->rip = to;
	regs->rsp += 8;
	return ret;
}

int tracee_regs_call(pid_t pid, struct user_regs_struct *regs, uint64_t addr)
{
	regs->rsp = ((regs->rsp - STACK_GAP) & ~15ULL) - 8;
	regs->rip = addr;
	regs->orig_rax = ~0ULL; /* no system call to restart */
	return poke(pid, regs->rsp, 0);
}

#elif defined(__aarch64__)

/* glibc's <sys/ifunc.h>: the second argument is a struct of size, hwcap, hwcap2, and is there */
#define IFUNC_ARG_HWCAP (1ULL << 62)
#define IFUNC_ARG_SIZE	24

int tracee_regs_break(pid_t pid, uint64_t addr)
{
	const uint32_t brk = 0xd4200000;

	return poke_part(pid, addr, &brk, sizeof(brk));
}

uint64_t tracee_regs_at_break(const struct user_regs_struct *regs)
{
	return regs->pc;
}

uint64_t tracee_regs_pc(const struct user_regs_struct *regs)
{
	return regs->pc;
}

uint64_t tracee_regs_result(const struct user_regs_struct *regs)
{
	return regs->regs[0];
}

int tracee_regs_return(pid_t pid, struct user_regs_struct *regs)
{
	regs->pc = regs->regs[30];
	return 0;
}

int tracee_regs_call(pid_t pid, struct user_regs_struct *regs, uint64_t addr)
{
	/* the fourth word keeps the stack aligned */
	const uint64_t arg[] = { IFUNC_ARG_SIZE, getauxval(AT_HWCAP), getauxval(AT_HWCAP2), 0 };
	int ret = 0;

	regs->sp = ((regs->sp - STACK_GAP) & ~15ULL) - sizeof(arg);
	for (size_t i = 0; !ret && i < ARRAY_SIZE(arg); i++)
		ret = poke(pid, regs->sp + i * sizeof(arg[0]), arg[i]);
	regs->regs[0] = arg[1] | IFUNC_ARG_HWCAP;
	regs->regs[1] = regs->sp;
	regs->regs[30] = 0;
	regs->pc = addr;
	return ret;
}

#else
#error "sonde knows x86-64 and arm64"
#endif
