// SPDX-License-Identifier: BSD-2-Clause
/* ptrace: of some requests all four arguments, of others fewer, and each has its own. */
#include "strace_part.h"
#include "types.h"
#include "types_shape.h"

enum {
	PEEKTEXT = 1,
	PEEKDATA,
	PEEKUSER,
	POKEUSER = 6,
	CONT,
	KILL,
	SINGLESTEP,
	GETREGS = 12,
	SETREGS,
	GETFPREGS,
	SETFPREGS,
	ATTACH,
	DETACH,
	OLDSETOPTIONS = 21,
	SYSCALL = 24,
	SYSEMU = 31,
	SYSEMU_SINGLESTEP,
	SINGLEBLOCK,
	SETOPTIONS = 0x4200,
	GETEVENTMSG,
	GETSIGINFO,
	SETSIGINFO,
	GETREGSET,
	SETREGSET,
	SEIZE,
	INTERRUPT,
	LISTEN,
	PEEKSIGINFO,
	GETSIGMASK,
	SETSIGMASK,
	SECCOMP_GET_FILTER,
	SECCOMP_GET_METADATA,
	GET_SYSCALL_INFO,
};

static const struct strace_words requests = {
	"PTRACE_", "TRACEME PEEKTEXT PEEKDATA PEEKUSER POKETEXT POKEDATA POKEUSER CONT KILL SINGLESTEP - - GETREGS SETREGS "
		   "GETFPREGS SETFPREGS ATTACH DETACH GETFPXREGS SETFPXREGS - OLDSETOPTIONS - - SYSCALL GET_THREAD_AREA "
		   "SET_THREAD_AREA - - - ARCH_PRCTL SYSEMU SYSEMU_SINGLESTEP SINGLEBLOCK =0x4200 SETOPTIONS GETEVENTMSG "
		   "GETSIGINFO SETSIGINFO GETREGSET SETREGSET SEIZE INTERRUPT LISTEN PEEKSIGINFO GETSIGMASK SETSIGMASK "
		   "SECCOMP_GET_FILTER SECCOMP_GET_METADATA GET_SYSCALL_INFO GET_RSEQ_CONFIGURATION "
		   "SET_SYSCALL_USER_DISPATCH_CONFIG GET_SYSCALL_USER_DISPATCH_CONFIG SET_SYSCALL_INFO"
};
static const struct strace_words options = {
	"PTRACE_O_", "TRACESYSGOOD TRACEFORK TRACEVFORK TRACECLONE TRACEEXEC TRACEVFORKDONE TRACEEXIT TRACESECCOMP =0x100000 "
		     "EXITKILL SUSPEND_SECCOMP"
};
static const struct strace_words sets = {
	"NT_", "- PRSTATUS FPREGSET PRPSINFO TASKSTRUCT - AUXV =0x200 386_TLS 386_IOPERM X86_XSTATE"
};
static const char area[] = "{off=%u8, flags=%b4(PTRACE_PEEKSIGINFO_:SHARED), nr=%u4}";
static const char vector[] = "{iov_base=%p8, iov_len=%u8}", metadata[] = "{filter_off=%u8}";

/* struct user_regs_struct */
static const char registers[] =
#ifdef __x86_64__
	"{r15=%x8, r14=%x8, r13=%x8, r12=%x8, rbp=%x8, rbx=%x8, r11=%x8, r10=%x8, r9=%x8, r8=%x8, rax=%x8, rcx=%x8, rdx=%x8, "
	"rsi=%x8, rdi=%x8, orig_rax=%x8, rip=%x8, cs=%x8, eflags=%x8, rsp=%x8, ss=%x8, fs_base=%x8, gs_base=%x8, ds=%x8, "
	"es=%x8, fs=%x8, gs=%x8}";
#else
	"";
#endif

static void add_user_address(struct str *out, uint64_t address)
{
	static const struct strace_words names = {
		"8*", "R15 R14 R13 R12 RBP RBX R11 R10 R9 R8 RAX RCX RDX RSI RDI ORIG_RAX RIP CS EFLAGS RSP SS FS_BASE GS_BASE "
		      "DS ES FS GS"
	};

	if (*registers == '\0' || address % 8 || !strace_word_if(out, &names, address / 8))
		strace_address(out, address);
}

/* What a pointer points to, or the pointer. step: of the type. */
static void add_struct(struct strace_line *line, unsigned int arg, unsigned int step, uint64_t address, const char *shape)
{
	const struct strace_blob *blob = strace_blob(line, arg, step, 0);

	if (!address || !blob || blob->status == STRACE_UNREAD || !*shape ||
	    !strace_shape(line, shape, strlen(shape), strace_bytes(blob), blob->n, blob->n))
		strace_address(line->out, address);
}

enum {
	STEP_WORDS,
	STEP_REGISTERS,
	STEP_AREA
};

static void add_where(struct strace_line *line, unsigned int arg, unsigned int request)
{
	uint64_t address = strace_arg(line, 2);

	switch (request) {
	case PEEKUSER:
	case POKEUSER:
		add_user_address(line->out, address);
		return;
	case GETREGSET:
	case SETREGSET:
		strace_word(line->out, &sets, (unsigned int)address);
		return;
	case PEEKSIGINFO:
		add_struct(line, arg, STEP_AREA, address, area);
		return;
	case GETSIGMASK:
	case SETSIGMASK:
	case SECCOMP_GET_FILTER:
	case SECCOMP_GET_METADATA:
	case GET_SYSCALL_INFO:
		str_add_u64(line->out, address);
		return;
	default:
		strace_address(line->out, address);
	}
}

static void add_mask(struct strace_line *line, unsigned int arg, bool is_there)
{
	const struct strace_blob *blob = strace_blob(line, arg, STEP_WORDS, 0);
	uint64_t size = strace_arg(line, 2);

	if (is_there && size == sizeof(uint64_t) && blob && blob->status != STRACE_UNREAD && blob->n >= size)
		strace_sigset(line->out, strace_bytes(blob), size);
	else
		strace_address(line->out, strace_arg(line, 3));
}

static void add_siginfo(struct strace_line *line, unsigned int arg, bool is_there)
{
	const struct strace_blob *blob = strace_blob(line, arg, STEP_REGISTERS, 0);
	int signal;

	if (!is_there || !strace_arg(line, 3) || !blob || blob->status == STRACE_UNREAD || blob->n < STRACE_SIGINFO) {
		strace_address(line->out, strace_arg(line, 3));
		return;
	}
	memcpy(&signal, strace_bytes(blob), sizeof(signal));
	strace_siginfo_bytes(line, strace_bytes(blob), signal);
}

static void add_data(struct strace_line *line, unsigned int arg, unsigned int request)
{
	uint64_t data = strace_arg(line, 3);

	switch (request) {
	case CONT:
	case SINGLESTEP:
	case DETACH:
	case SYSCALL:
	case SYSEMU:
	case SYSEMU_SINGLESTEP:
	case SINGLEBLOCK:
		strace_signal(line->out, (int)data);
		return;
	case OLDSETOPTIONS:
	case SETOPTIONS:
	case SEIZE:
		strace_bits(line->out, &options, data);
		return;
	case SETREGS:
		add_struct(line, arg, STEP_REGISTERS, data, registers);
		return;
	case GETREGS:
		add_struct(line, arg, STEP_REGISTERS, data, strace_ok(line) ? registers : "");
		return;
	case GETREGSET:
	case SETREGSET:
		add_struct(line, arg, STEP_WORDS, data, vector);
		return;
	case SECCOMP_GET_METADATA:
		add_struct(line, arg, STEP_WORDS, data, strace_arg(line, 2) >= 8 ? metadata : "");
		return;
	case SETSIGINFO:
		add_siginfo(line, arg, true);
		return;
	case GETSIGINFO:
		add_siginfo(line, arg, strace_ok(line));
		return;
	case GETSIGMASK:
	case SETSIGMASK:
		add_mask(line, arg, request == SETSIGMASK || strace_ok(line));
		return;
	case GETEVENTMSG:
		add_struct(line, arg, STEP_WORDS, data, strace_ok(line) ? "[%u8]" : "");
		return;
	case PEEKTEXT:
	case PEEKDATA:
	case PEEKUSER:
		add_struct(line, arg, STEP_WORDS, data, strace_ok(line) ? "[%p8]" : "");
		return;
	default:
		strace_address(line->out, data);
	}
}

static void print_ptrace(struct strace_line *line, unsigned int arg)
{
	unsigned int request = strace_arg(line, 0);

	strace_word(line->out, &requests, request);
	if (!request)
		return;
	str_add(line->out, ", ");
	strace_pid(line, strace_arg(line, 1));
	if (request == KILL || request == ATTACH || request == INTERRUPT || request == LISTEN)
		return;
	if (request < GETREGS || request > SETFPREGS) {
		str_add(line->out, ", ");
		add_where(line, arg, request);
	}
	str_add(line->out, ", ");
	add_data(line, arg, request);
}

#define STEP_OF(ARG, SIZE) \
	{ \
		STRACE_BYTES, .from = NEXT(ARG), .count_from = STRACE_FROM_NONE, .scale = SIZE, .most = SIZE \
	}
/* struct user_regs_struct is the largest */
const struct strace_type t_ptrace = { print_ptrace, .steps = { STEP_OF(3, 16), STEP_OF(3, 216), STEP_OF(2, 16) } };
