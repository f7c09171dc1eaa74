// SPDX-License-Identifier: BSD-2-Clause
/* ptrace: of some requests all four arguments, of others fewer, and each has its own. */
#include "kernel/syscalls.h"
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
	"NT_", "- PRSTATUS FPREGSET PRPSINFO PRXREG PLATFORM AUXV GWINDOWS ASRS =10 PSTATUS =13 PSINFO PRCRED UTSNAME LWPSTATUS "
	       "LWPSINFO =20 PRFPXREG =0x100 PPC_VMX PPC_SPE PPC_VSX PPC_TAR PPC_PPR PPC_DSCR PPC_EBB PPC_PMU PPC_TM_CGPR "
	       "PPC_TM_CFPR PPC_TM_CVMX PPC_TM_CVSX PPC_TM_SPR PPC_TM_CTAR PPC_TM_CPPR PPC_TM_CDSCR PPC_PKEY =0x200 386_TLS "
	       "386_IOPERM X86_XSTATE =0x300 S390_HIGH_GPRS S390_TIMER S390_TODCMP S390_TODPREG S390_CTRS S390_PREFIX "
	       "S390_LAST_BREAK S390_SYSTEM_CALL S390_TDB S390_VXRS_LOW S390_VXRS_HIGH S390_GS_CB S390_GS_BC S390_RI_CB "
	       "S390_PV_CPU_DATA =0x400 ARM_VFP ARM_TLS ARM_HW_BREAK ARM_HW_WATCH ARM_SYSTEM_CALL ARM_SVE ARM_PAC_MASK "
	       "ARM_PACA_KEYS ARM_PACG_KEYS ARM_TAGGED_ADDR_CTRL ARM_PAC_ENABLED_KEYS ARM_SSVE ARM_ZA =0x500 METAG_CBUF "
	       "METAG_RPIPE METAG_TLS =0x600 ARC_V2 =0x700 VMCOREDD =0x800 MIPS_DSP MIPS_FP_MODE MIPS_MSA =0xa00 "
	       "LOONGARCH_CPUCFG LOONGARCH_CSR LOONGARCH_LSX LOONGARCH_LASX LOONGARCH_LBT =0x46494c45 FILE =0x46e62b7f PRXFPREG "
	       "=0x53494749 SIGINFO"
};
static const char area[] = "{off=%u8, flags=%b4(PTRACE_PEEKSIGINFO_:SHARED), nr=%u4}";

/* Registers, each of 8 bytes: struct user_regs_struct. */
static const char registers[] =
#ifdef __x86_64__
	"r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs";
#else
	"";
#endif
/* Of floating point: struct user_fpregs_struct. A name, the bytes of an element, how many there are; ended by an empty one. */
static const struct {
	const char *name;
	unsigned char size, n;
} float_registers[] =
#ifdef __x86_64__
	{ { "cwd", 2, 1 }, { "swd", 2, 1 }, { "ftw", 2, 1 }, { "fop", 2, 1 }, { "rip", 8, 1 }, { "rdp", 8, 1 }, { "mxcsr", 4, 1 }, { "mxcr_mask", 4, 1 }, { "st_space", 4, 32 }, { "xmm_space", 4, 64 }, { "padding", 4, 24 }, {} };
#else
	{ {} };
#endif

#define SIGINFO_SIZE   128
#define REGISTERS_SIZE 216
#define FLOATS_SIZE    512

/* The first n bytes of registers; more: the caller has more. */
static void add_registers(struct strace_line *line, const unsigned char *bytes, size_t n, bool more)
{
	const char *name = registers;
	uint64_t value;

	str_addc(line->out, '{');
	for (size_t i = 0; (i + 1) * 8 <= n && *name; i++) {
		int len = strcspn(name, " ");

		memcpy(&value, bytes + i * 8, sizeof(value));
		str_addf(line->out, "%s%.*s=%#llx", i ? ", " : "", len, name, (unsigned long long)value);
		name += len + (name[len] == ' ');
	}
	str_add(line->out, more ? ", ...}" : "}");
}

/* The same of floating point. */
static void add_floats(struct strace_line *line, const unsigned char *bytes, size_t n, bool more)
{
	size_t used = 0, most = line->settings->whole ? SIZE_MAX : line->settings->size;
	uint64_t value;

	str_addc(line->out, '{');
	for (size_t i = 0; float_registers[i].name && used + float_registers[i].size <= n; i++) {
		size_t size = float_registers[i].size, all = float_registers[i].n;

		str_addf(line->out, all > 1 ? "%s%s=[" : "%s%s=", used ? ", " : "", float_registers[i].name);
		for (size_t j = 0; j < all && used + size <= n; j++, used += size) {
			value = 0;
			memcpy(&value, bytes + used, size);
			if (all == 1 || j < most)
				str_addf(line->out, "%s%#llx", j ? ", " : "", (unsigned long long)value);
			else if (j == most)
				str_add(line->out, j ? ", ..." : "...");
		}
		str_add(line->out, all > 1 ? "]" : "");
	}
	str_add(line->out, more ? ", ...}" : "}");
}

/* A place in struct user. */
static void add_user_address(struct str *out, uint64_t address)
{
#ifdef __x86_64__
	static const struct strace_words names = {
		"", "8*R15 8*R14 8*R13 8*R12 8*RBP 8*RBX 8*R11 8*R10 8*R9 8*R8 8*RAX 8*RCX 8*RDX 8*RSI 8*RDI 8*ORIG_RAX 8*RIP 8*CS "
		    "8*EFL 8*RSP 8*SS"
	};
	static const struct strace_words members = { "", "=27 u_fpvalid i387 =92 u_tsize u_dsize u_ssize start_code start_stack "
							 "signal reserved u_ar0 u_fpstate magic u_comm =106 u_debugreg" };
	const uint64_t size = 912, end_of_registers = 168;
	uint64_t begin = address & ~7ULL;
	struct str name __str = {}, place __str = {}, number __str = {};

	strace_address(&number, address);
	if (address >= size) {
		strace_constant(out, number.data, address == size ? "sizeof(struct user)" : NULL);
		return;
	}
	while (!strace_word_if(&name, begin <= end_of_registers ? &names : &members, begin / 8))
		begin -= 8;
	str_addf(&place, begin < end_of_registers ? "%s" : "offsetof(struct user, %s)", name.data);
	if (begin != address)
		str_addf(&place, "+%llu", (unsigned long long)(address - begin));
	strace_constant(out, number.data, place.data);
#else
	strace_address(out, address);
#endif
}

/* What a pointer points to, or the pointer. step: of the type. */
static void add_struct(struct strace_line *line, unsigned int arg, unsigned int step, uint64_t address, const char *shape)
{
	const struct strace_blob *blob = strace_blob(line, arg, step, 0);

	if (!address || !blob || blob->status == STRACE_UNREAD || !*shape ||
	    !strace_shape(line, shape, strlen(shape), strace_bytes(blob), blob->n, blob->n))
		strace_address(line->out, address);
}

/* Steps of the data. */
enum {
	STEP_WORDS,
	STEP_REGISTERS,
	STEP_INFO,
	STEP_SET,
	STEP_ELEMENTS,
};

#define INFO_SIZE 96 /* bytes of struct siginfo and of struct ptrace_syscall_info that are printed */

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
		add_struct(line, arg, 0, address, area);
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
	const struct strace_blob *blob = strace_blob(line, arg, STEP_INFO, 0);
	int signal;

	if (!is_there || !strace_arg(line, 3) || !blob || blob->status == STRACE_UNREAD || blob->n < STRACE_SIGINFO) {
		strace_address(line->out, strace_arg(line, 3));
		return;
	}
	memcpy(&signal, strace_bytes(blob), sizeof(signal));
	strace_siginfo_bytes(line, strace_bytes(blob), signal);
}

/* All registers, of floating point or others, or the address. */
static void add_all_registers(struct strace_line *line, unsigned int arg, bool is_there, bool is_float)
{
	const struct strace_blob *blob = strace_blob(line, arg, STEP_REGISTERS, 0);
	size_t size = is_float ? FLOATS_SIZE : REGISTERS_SIZE;

	if (!is_there || !strace_arg(line, 3) || !blob || blob->n < size || !*registers)
		strace_address(line->out, strace_arg(line, 3));
	else if (is_float)
		add_floats(line, strace_bytes(blob), size, false);
	else
		add_registers(line, strace_bytes(blob), size, false);
}

/* The content of a set of registers, of n bytes; told: how many the caller says that there are. */
static bool add_set(struct strace_line *line, unsigned int arg, uint64_t n, uint64_t told)
{
	const struct strace_blob *blob = strace_blob(line, arg, STEP_SET, 0);
	unsigned int set = strace_arg(line, 2);
	size_t has;

	if (!blob || blob->status == STRACE_UNREAD || n < 8 || n % 8 || !*registers || (set != 1 && set != 2))
		return false;
	has = n < blob->n ? n : blob->n;
	if (set == 1)
		add_registers(line, strace_bytes(blob), has, told > REGISTERS_SIZE);
	else
		add_floats(line, strace_bytes(blob), has, told > FLOATS_SIZE);
	return true;
}

/* The struct iovec of a set: the call says how long the set is. */
static void add_register_set(struct strace_line *line, unsigned int arg, bool gets)
{
	const struct strace_blob *blob = strace_blob(line, arg, STEP_WORDS, 0), *before = strace_before(line, arg);
	uint64_t now[2], then[2], n;

	if (!strace_arg(line, 3) || !blob || blob->n < sizeof(now)) {
		strace_address(line->out, strace_arg(line, 3));
		return;
	}
	memcpy(now, strace_bytes(blob), sizeof(now));
	memcpy(then, before && before->n >= sizeof(then) ? strace_bytes(before) : now, sizeof(then));
	n = gets ? now[1] : then[1];
	str_add(line->out, "{iov_base=");
	if (gets && !strace_ok(line))
		n = 0;
	if (!add_set(line, arg, n, gets ? 0 : then[1]))
		strace_address(line->out, then[0]);
	str_addf(line->out, ", iov_len=%llu", (unsigned long long)then[1]);
	if (strace_ok(line) && now[1] != then[1])
		str_addf(line->out, " => %llu", (unsigned long long)now[1]);
	str_addc(line->out, '}');
}

static void add_pending(struct strace_line *line, const void *element, size_t index)
{
	int signal;

	(void)index;
	memcpy(&signal, element, sizeof(signal));
	strace_siginfo_bytes(line, element, signal);
}

/* {filter_off=0, flags=0}: the call fills in the flags. */
static void add_metadata(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words flags = { "SECCOMP_FILTER_FLAG_",
						   "TSYNC LOG SPEC_ALLOW NEW_LISTENER TSYNC_ESRCH WAIT_KILLABLE_RECV" };
	const struct strace_blob *blob = strace_blob(line, arg, STEP_WORDS, 0);
	uint64_t size = strace_arg(line, 2), v[2] = {};

	if (size < 8 || !strace_arg(line, 3) || !blob || blob->n < (size < 16 ? size : 16)) {
		strace_address(line->out, strace_arg(line, 3));
		return;
	}
	memcpy(v, strace_bytes(blob), blob->n < sizeof(v) ? blob->n : sizeof(v));
	str_addf(line->out, "{filter_off=%llu", (unsigned long long)v[0]);
	if (strace_ok(line) && size >= 16) {
		str_add(line->out, ", flags=");
		strace_bits(line->out, &flags, v[1]);
	} else if (strace_ok(line) && size > 8) {
		str_add(line->out, ", ???");
	}
	str_addc(line->out, '}');
}

/* A call, and its arguments as far as they are there. */
static void add_call(struct strace_line *line, const unsigned char *bytes, size_t n, bool is_seccomp)
{
	const char *name;
	uint64_t value;
	uint32_t arch;

	memcpy(&value, bytes + 24, sizeof(value));
	memcpy(&arch, bytes + 4, sizeof(arch));
	name = strace_name_in(arch, value);
	str_addf(line->out, ", %s={nr=", is_seccomp ? "seccomp" : "entry");
	if (name && arch == STRACE_OWN_ARCH)
		strace_call_number(line->out, value, name);
	else
		str_addf(line->out, name ? "%llu /* %s */" : "%llu", (unsigned long long)value, name);
	for (size_t i = 0; i < STRACE_ARGS && 40 + i * 8 <= n; i++) {
		memcpy(&value, bytes + 32 + i * 8, sizeof(value));
		str_addf(line->out, "%s%#llx", i ? ", " : ", args=[", (unsigned long long)value);
	}
	str_add(line->out, n >= 40 ? "]" : "");
	if (is_seccomp && n >= 84) {
		memcpy(&value, bytes + 80, sizeof(uint32_t));
		str_addf(line->out, ", ret_data=%u", (unsigned int)value);
	}
	str_addc(line->out, '}');
}

/* struct ptrace_syscall_info, of which the call has filled in so many bytes as there was room for. */
static void add_syscall_info(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words kinds = { "PTRACE_SYSCALL_INFO_", "NONE ENTRY EXIT SECCOMP" };
	const struct strace_blob *blob = strace_ok(line) ? strace_blob(line, arg, STEP_INFO, 0) : NULL;
	uint64_t size = strace_arg(line, 2), value;
	const char *name;
	unsigned char bytes[INFO_SIZE] = {};
	char number[32];
	size_t n;

	value = strace_ret(line);
	n = size < value ? size : value;
	if (!n || !strace_arg(line, 3) || !blob || blob->n < n || n > sizeof(bytes)) {
		strace_address(line->out, strace_arg(line, 3));
		return;
	}
	memcpy(bytes, strace_bytes(blob), n);
	str_add(line->out, "{op=");
	strace_word(line->out, &kinds, bytes[0]);
	if (n >= 8) {
		memcpy(&value, bytes, sizeof(value));
		str_add(line->out, ", arch=");
		strace_word(line->out, &strace_audit_archs, value >> 32);
	}
	for (size_t i = 16; i <= 24 && n >= i; i += 8) {
		memcpy(&value, bytes + i - 8, sizeof(value));
		str_add(line->out, i == 16 ? ", instruction_pointer=" : ", stack_pointer=");
		strace_address(line->out, value);
	}
	if (n >= 32 && (bytes[0] == 1 || bytes[0] == 3)) {
		add_call(line, bytes, n, bytes[0] == 3);
	} else if (n >= 32 && bytes[0] == 2) {
		memcpy(&value, bytes + 24, sizeof(value));
		str_add(line->out, ", exit={rval=");
		name = n >= 33 && bytes[32] && (int64_t)value < 0 && (int64_t)value >= -4095 ? strerrorname_np((int)-(int64_t)value) : NULL;
		snprintf(number, sizeof(number), "%lld", (long long)value);
		if (name)
			strace_named(line->out, number, "-%s", name);
		else
			str_add(line->out, number);
		str_addf(line->out, n >= 33 ? ", is_error=%u}" : "}", bytes[32]);
	}
	str_addc(line->out, '}');
}

/* What structs are for. False: it is another request. */
static bool add_told(struct strace_line *line, unsigned int arg, unsigned int request)
{
	bool ok = strace_ok(line);

	switch (request) {
	case GETREGS:
	case GETFPREGS:
		add_all_registers(line, arg, ok, request == GETFPREGS);
		return true;
	case SETREGS:
	case SETFPREGS:
		add_all_registers(line, arg, true, request == SETFPREGS);
		return true;
	case GETREGSET:
	case SETREGSET:
		add_register_set(line, arg, request == GETREGSET);
		return true;
	case SECCOMP_GET_METADATA:
		add_metadata(line, arg);
		return true;
	case SECCOMP_GET_FILTER:
		if (!ok)
			return false;
		strace_filter_code(line, strace_blob(line, arg, STEP_ELEMENTS, 0), strace_arg(line, 3), strace_ret(line), true);
		return true;
	case PEEKSIGINFO:
		if (!ok)
			return false;
		strace_array_of(line, strace_blob(line, arg, STEP_ELEMENTS, 0), strace_arg(line, 3), strace_ret(line),
				SIGINFO_SIZE, add_pending);
		return true;
	case GET_SYSCALL_INFO:
		add_syscall_info(line, arg);
		return true;
	case SETSIGINFO:
	case GETSIGINFO:
		add_siginfo(line, arg, ok || request == SETSIGINFO);
		return true;
	case GETSIGMASK:
	case SETSIGMASK:
		add_mask(line, arg, ok || request == SETSIGMASK);
		return true;
	default:
		return false;
	}
}

static void add_data(struct strace_line *line, unsigned int arg, unsigned int request)
{
	uint64_t data = strace_arg(line, 3);

	if (add_told(line, arg, request))
		return;
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

/* A number of more bits is no request. */
static unsigned int request_of(const struct strace_line *line)
{
	return strace_arg(line, 0) > UINT32_MAX ? UINT32_MAX : strace_arg(line, 0);
}

static void print_ptrace(struct strace_line *line, unsigned int arg)
{
	strace_word(line->out, &requests, strace_arg(line, arg));
}

static void print_ptrace_pid(struct strace_line *line, unsigned int arg)
{
	if (strace_arg(line, 0))
		strace_pid(line, strace_arg(line, arg));
}

static bool has_where(unsigned int request)
{
	return request && request != KILL && request != ATTACH && request != INTERRUPT && request != LISTEN;
}

static void print_ptrace_where(struct strace_line *line, unsigned int arg)
{
	unsigned int request = request_of(line);

	if (has_where(request) && (request < GETREGS || request > SETFPREGS))
		add_where(line, arg, request);
}

static bool where_waits(const struct strace_line *line)
{
	return request_of(line) == PEEKSIGINFO;
}

static void print_ptrace_data(struct strace_line *line, unsigned int arg)
{
	if (has_where(request_of(line)))
		add_data(line, arg, request_of(line));
}

/* Requests whose data are memory. */
static bool data_waits(const struct strace_line *line)
{
	unsigned int request = request_of(line);

	return (request >= PEEKTEXT && request <= PEEKUSER) || (request >= GETREGS && request <= SETFPREGS) ||
	       (request >= GETEVENTMSG && request <= SETREGSET) || (request >= PEEKSIGINFO && request <= GET_SYSCALL_INFO);
}

#define STEP_OF(SIZE, FIRST, LAST) \
	STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = SIZE, .most = SIZE, .when = STRACE_TO_EDGE, \
		      .of = { FIRST, LAST }
const struct strace_type t_ptrace = { print_ptrace }, t_ptrace_pid = { print_ptrace_pid };
const struct strace_type t_ptrace_where = { print_ptrace_where, .steps = { { STEP_OF(16, PEEKSIGINFO, PEEKSIGINFO) } }, .waits = where_waits };
const struct strace_type t_ptrace_data = {
	print_ptrace_data,
	.steps = {
		{ STEP_OF(16, PEEKTEXT, SECCOMP_GET_METADATA) },
		{ STEP_OF(FLOATS_SIZE, GETREGS, SETFPREGS) },
		{ STEP_OF(INFO_SIZE, GETSIGINFO, GET_SYSCALL_INFO) },
		{
			STRACE_BYTES,
			.from = STRACE_FROM_BLOB,
			.count_from = STRACE_FROM_BLOB,
			.count_at = 8,
			.wide = 1,
			.scale = 1,
			.most = FLOATS_SIZE,
			.of = { GETREGSET, SETREGSET },
		},
		{
			STRACE_BYTES,
			.from = SELF,
			.count_from = STRACE_FROM_RET,
			.scale = SIGINFO_SIZE,
			.most = SIGINFO_SIZE * 32,
			.when = STRACE_IF_OK | STRACE_TO_EDGE,
			.of = { PEEKSIGINFO, SECCOMP_GET_FILTER },
		},
	},
	.both = true,
	.begins = { GETREGSET, SETREGSET },
	.waits = data_waits,
};
