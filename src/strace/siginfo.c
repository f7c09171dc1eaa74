// SPDX-License-Identifier: BSD-2-Clause
/* What the kernel says of a signal, when it is delivered. */
#include <signal.h>

#include "kernel/syscalls.h"
#include "strace_part.h"
#include "type.h"

const struct strace_words strace_audit_archs = {
	"AUDIT_ARCH_",
	"=2 SPARC =4 M68K =8 MIPS =15 PARISC =20 PPC =22 S390 =40 ARMEB =42 SH =46 H8300 =88 M32R =92 OPENRISC ARCOMPACTBE "
	"XTENSA =140 C6XBE =164 HEXAGON =167 NDS32BE =189 MICROBLAZE =195 ARCV2BE =0x5441 FRV =0x40000003 I386 =0x40000008 "
	"MIPSEL =0x40000028 ARM =0x4000002a SHEL =0x4000004c CRIS =0x4000005d ARCOMPACT =0x4000006e UNICORE =0x40000071 NIOS2 "
	"=0x4000008c C6X =0x400000a7 NDS32 =0x400000bc TILEPRO =0x400000bf TILEGX32 =0x400000c3 ARCV2 =0x400000f3 RISCV32 "
	"=0x400000fc CSKY =0x40000102 LOONGARCH32 =0x80000008 MIPS64 =0x8000000f PARISC64 =0x80000015 PPC64 S390X =0x8000002a "
	"SH64 SPARC64 =0xa0000008 MIPS64N32 =0xc0000008 MIPSEL64 =0xc0000015 PPC64LE =0xc000002a SHEL64 =0xc0000032 IA64 "
	"=0xc000003e X86_64 =0xc00000b7 AARCH64 =0xc00000bf TILEGX =0xc00000f3 RISCV64 =0xc0000102 LOONGARCH64 =0xc0009026 "
	"ALPHA =0xe0000008 MIPSEL64N32"
};

const char *strace_name_in(unsigned int arch, uint64_t number)
{
	if (number > INT32_MAX)
		return NULL;
	return arch == STRACE_OWN_ARCH ? syscall_name(number) : arch == STRACE_NARROW_ARCH ? syscall_name_32(number)
											   : NULL;
}

void strace_call_number(struct str *out, uint64_t number, const char *name)
{
	char decimal[32];

	snprintf(decimal, sizeof(decimal), "%llu", (unsigned long long)number);
	if (name)
		strace_named(out, decimal, "__NR_%s", name);
	else
		str_add(out, decimal);
}

/* In hundredths of a second, whatever the kernel's clock. */
static void add_ticks(struct str *out, const char *name, unsigned long long ticks)
{
	str_addf(out, "%s%llu", name, ticks);
	if (ticks && strace_style() != STRACE_NUMBERS)
		str_addf(out, " /* %llu.%02llu s */", ticks / 100, ticks % 100);
}

static void add_sender(struct strace_line *line, const int *v)
{
	str_add(line->out, ", si_pid=");
	strace_pid(line, v[4]);
	str_addf(line->out, v[5] == -1 ? ", si_uid=-1" : ", si_uid=%u", v[5]);
}

/* What the sender added. */
static void add_value(struct strace_line *line, const int *v)
{
	str_addf(line->out, ", si_int=%d, si_ptr=", v[6]);
	strace_address(line->out, *(const uint64_t *)(v + 6));
}

/* A code without a name stands alone. */
static void add_code(struct str *out, int signal, int code)
{
	static const struct {
		int signal;
		struct strace_words words;
	} own[] = {
		{ SIGCHLD, { "CLD_", "- EXITED KILLED DUMPED TRAPPED STOPPED CONTINUED" } },
		{ SIGSEGV, { "SEGV_", "- MAPERR ACCERR BNDERR PKUERR ACCADI ADIDERR ADIPERR MTEAERR MTESERR CPERR" } },
		{ SIGBUS, { "BUS_", "- ADRALN ADRERR OBJERR MCEERR_AR MCEERR_AO" } },
		{ SIGILL, { "ILL_", "- ILLOPC ILLOPN ILLADR ILLTRP PRVOPC PRVREG COPROC BADSTK BADIADDR" } },
		{ SIGFPE, { "FPE_", "- INTDIV INTOVF FLTDIV FLTOVF FLTUND FLTRES FLTINV FLTSUB =14 FLTUNK CONDTRAP" } },
		{ SIGTRAP, { "TRAP_", "- BRKPT TRACE BRANCH HWBKPT UNK PERF" } },
		{ SIGPOLL, { "POLL_", "- IN OUT MSG ERR PRI HUP" } },
		{ SIGPROF, { "PROF_", "- SIG" } },
		{ SIGSYS, { "SYS_", "- SECCOMP USER_DISPATCH" } },
	};
	static const struct strace_words common = {
		"SI_", "=0 USER =0x80 KERNEL =0xffffffff QUEUE =0xfffffffe TIMER =0xfffffffd MESGQ =0xfffffffc ASYNCIO "
		       "=0xfffffffb SIGIO =0xfffffffa TKILL =0xfffffff9 DETHREAD =0xffffffc4 ASYNCNL"
	};
	struct str name __str = {};
	char number[16];

	for (size_t i = 0; i < ARRAY_SIZE(own) && code > 0; i++)
		if (own[i].signal == signal)
			strace_word_if(&name, &own[i].words, (unsigned int)code);
	if (!name.len)
		strace_word_if(&name, &common, (unsigned int)code);
	snprintf(number, sizeof(number), "%#x", (unsigned int)code);
	strace_constant(out, number, name.len ? name.data : NULL);
}

/* Members of a signal that a program has sent. */
static void add_sent(struct strace_line *line, const int *v)
{
	if (v[2] == SI_TIMER) {
		str_addf(line->out, ", si_timerid=%d, si_overrun=%d", v[4], v[5]);
		add_value(line, v);
		return;
	}
	add_sender(line, v);
	if (v[2] != SI_USER && v[2] != SI_TKILL && *(const uint64_t *)(v + 6))
		add_value(line, v);
}

/* Members of one that the kernel has sent. */
static void add_raised(struct strace_line *line, const int *v, int signal)
{
	const long long *halves = (const void *)v;
	struct str *out = line->out;
	const char *name;

	switch (signal) {
	case SIGCHLD:
		add_sender(line, v);
		str_add(out, ", si_status=");
		if (v[2] == CLD_EXITED)
			str_add_s64(out, v[6]);
		else
			strace_signal(out, v[6]);
		add_ticks(out, ", si_utime=", halves[4]);
		add_ticks(out, ", si_stime=", halves[5]);
		break;
	case SIGILL:
	case SIGFPE:
	case SIGSEGV:
	case SIGBUS:
		str_add(out, ", si_addr=");
		strace_address(out, halves[2]);
		break;
	case SIGPOLL:
		str_addf(out, ", si_band=%lld, si_fd=%d", halves[2], v[6]);
		break;
	case SIGSYS:
		str_add(out, ", si_call_addr=");
		strace_address(out, halves[2]);
		str_addf(out, ", si_syscall=");
		name = strace_name_in(v[7], v[6]);
		strace_call_number(out, (unsigned int)v[6], name);
		str_add(out, ", si_arch=");
		strace_word(out, &strace_audit_archs, (unsigned int)v[7]);
		break;
	default:
		if (v[4] || v[5])
			add_sender(line, v);
		if (halves[3])
			add_value(line, v);
	}
}

void strace_siginfo_bytes(struct strace_line *line, const void *bytes, int signal)
{
	struct str *out = line->out;
	const int *v = bytes;

	str_add(out, "{si_signo=");
	strace_signal(out, signal);
	str_add(out, ", si_code=");
	add_code(out, signal, v ? v[2] : 0);
	if (v && v[1]) {
		char number[16];

		str_add(out, ", si_errno=");
		snprintf(number, sizeof(number), "%u", (unsigned int)v[1]);
		strace_constant(out, number, strerrorname_np(v[1]));
	}
	if (!v)
		str_add(out, ", si_pid=0, si_uid=0");
	else if (v[2] <= 0)
		add_sent(line, v);
	else
		add_raised(line, v, signal);
	str_addc(out, '}');
}

void strace_siginfo(struct strace_line *line)
{
	const struct strace_record *record = line->exit;
	const struct strace_blob *blob = (const void *)(record + 1);
	bool known = record->size >= sizeof(*blob) + STRACE_SIGINFO && blob->status == STRACE_WHOLE &&
		     blob->n >= STRACE_SIGINFO;

	strace_siginfo_bytes(line, known ? strace_bytes(blob) : NULL, record->nr);
}
