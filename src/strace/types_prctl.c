// SPDX-License-Identifier: BSD-2-Clause
/* prctl: how many arguments there are, and what they are, depends on the first. */
#include <sys/prctl.h>

#include "strace_part.h"
#include "types.h"

#define U(X) ((unsigned long long)(X))

WORDS(t_prctl, "PR_",
      "- SET_PDEATHSIG GET_PDEATHSIG GET_DUMPABLE SET_DUMPABLE GET_UNALIGN SET_UNALIGN GET_KEEPCAPS SET_KEEPCAPS GET_FPEMU "
      "SET_FPEMU GET_FPEXC SET_FPEXC GET_TIMING SET_TIMING SET_NAME GET_NAME - - GET_ENDIAN SET_ENDIAN GET_SECCOMP "
      "SET_SECCOMP CAPBSET_READ CAPBSET_DROP GET_TSC SET_TSC GET_SECUREBITS SET_SECUREBITS SET_TIMERSLACK GET_TIMERSLACK "
      "TASK_PERF_EVENTS_DISABLE TASK_PERF_EVENTS_ENABLE MCE_KILL MCE_KILL_GET SET_MM SET_CHILD_SUBREAPER "
      "GET_CHILD_SUBREAPER SET_NO_NEW_PRIVS GET_NO_NEW_PRIVS GET_TID_ADDRESS SET_THP_DISABLE GET_THP_DISABLE "
      "MPX_ENABLE_MANAGEMENT MPX_DISABLE_MANAGEMENT SET_FP_MODE GET_FP_MODE CAP_AMBIENT - - SVE_SET_VL SVE_GET_VL "
      "GET_SPECULATION_CTRL SET_SPECULATION_CTRL PAC_RESET_KEYS SET_TAGGED_ADDR_CTRL GET_TAGGED_ADDR_CTRL SET_IO_FLUSHER "
      "GET_IO_FLUSHER SET_SYSCALL_USER_DISPATCH PAC_SET_ENABLED_KEYS PAC_GET_ENABLED_KEYS SCHED_CORE SME_SET_VL "
      "SME_GET_VL SET_MDWE GET_MDWE =0x53564d41 SET_VMA =0x59616d61 SET_PTRACER");

static const struct strace_words dumpable = { "SUID_DUMP_", "DISABLE USER ROOT" };
static const struct strace_words secure = {
	"SECBIT_", "NOROOT NOROOT_LOCKED NO_SETUID_FIXUP NO_SETUID_FIXUP_LOCKED KEEP_CAPS KEEP_CAPS_LOCKED "
		   "NO_CAP_AMBIENT_RAISE NO_CAP_AMBIENT_RAISE_LOCKED"
};

/* The steps: what the second argument points to, as a text and as bytes, and the text of PR_SET_VMA. */
enum {
	TEXT,
	BYTES,
	VMA_NAME,
	FILTER, /* struct sock_fprog, and its instructions */
	FILTER_CODE,
};

/* One of these is in the table for each argument of an option. */
enum kind {
	NONE,
	DECIMAL, /* unsigned long */
	SIGNED,
	HEX,
	ADDRESS,
	SIGNAL,
	SIGNAL_AT,  /* [SIGTERM] */
	DECIMAL_AT, /* [1] */
	ADDRESS_AT,
	STRING,
	STRING_OUT,
	CAPABILITY,
	DUMPABLE,
	SECURE,
	SECCOMP,
	WORD, /* a name of the option's own, of 64 bits */
	WORD_SHORT,
	WORD_THEN, /* the same: what is behind it is in hex if it has no name */
	FLAGS,
	FLAGS_LONG, /* of 64 bits */
	FLAGS_AT,
	PIDTYPE,
};

#define W(PREFIX, NAMES) \
	{ \
		PREFIX, NAMES \
	}

static const struct {
	unsigned int option;
	unsigned char kinds[4];
	struct strace_words words;
} options[] = {
	{ PR_SET_PDEATHSIG, { SIGNAL } },
	{ PR_GET_PDEATHSIG, { SIGNAL_AT } },
	{ PR_GET_DUMPABLE, {} },
	{ PR_SET_DUMPABLE, { DUMPABLE } },
	{ PR_GET_UNALIGN, { FLAGS_AT }, W("PR_UNALIGN_", "NOPRINT SIGBUS") },
	{ PR_SET_UNALIGN, { FLAGS }, W("PR_UNALIGN_", "NOPRINT SIGBUS") },
	{ PR_GET_KEEPCAPS, {} },
	{ PR_SET_KEEPCAPS, { DECIMAL } },
	{ PR_GET_FPEMU, { FLAGS_AT }, W("PR_FPEMU_", "NOPRINT SIGFPE") },
	{ PR_SET_FPEMU, { DECIMAL } },
	{ PR_GET_FPEXC, { FLAGS_AT }, W("PR_FP_EXC_", "NONRECOV ASYNC =0x80 SW_ENABLE =0x10000 DIV OVF UND RES INV") },
	{ PR_SET_FPEXC, { DECIMAL } },
	{ PR_GET_TIMING, {} },
	{ PR_SET_TIMING, { DECIMAL } },
	{ PR_SET_NAME, { STRING } },
	{ PR_GET_NAME, { STRING_OUT } },
	{ PR_GET_ENDIAN, { DECIMAL_AT } },
	{ PR_SET_ENDIAN, { DECIMAL } },
	{ PR_GET_SECCOMP, {} },
	{ PR_SET_SECCOMP, { SECCOMP } },
	{ PR_CAPBSET_READ, { CAPABILITY } },
	{ PR_CAPBSET_DROP, { CAPABILITY } },
	{ PR_GET_TSC, { DECIMAL_AT } },
	{ PR_SET_TSC, { WORD_SHORT }, W("PR_TSC_", "- ENABLE SIGSEGV") },
	{ PR_GET_SECUREBITS, {} },
	{ PR_SET_SECUREBITS, { SECURE } },
	{ PR_SET_TIMERSLACK, { SIGNED } },
	{ PR_GET_TIMERSLACK, {} },
	{ PR_TASK_PERF_EVENTS_DISABLE, {} },
	{ PR_TASK_PERF_EVENTS_ENABLE, {} },
	{ PR_MCE_KILL, { WORD, HEX, HEX, HEX }, W("PR_MCE_KILL_", "CLEAR SET") },
	{ PR_SET_MM, { WORD_SHORT, HEX, HEX, HEX }, W("PR_SET_MM_", "- START_CODE END_CODE START_DATA END_DATA START_STACK START_BRK BRK ARG_START ARG_END ENV_START ENV_END "
								    "AUXV EXE_FILE MAP MAP_SIZE") },
	{ PR_SET_CHILD_SUBREAPER, { DECIMAL } },
	{ PR_GET_CHILD_SUBREAPER, { DECIMAL_AT } },
	{ PR_SET_NO_NEW_PRIVS, { DECIMAL, HEX, HEX, HEX } },
	{ PR_SET_THP_DISABLE, { DECIMAL, HEX, HEX, HEX } },
	{ PR_GET_TID_ADDRESS, { ADDRESS_AT } },
	{ PR_SET_FP_MODE, { FLAGS }, W("PR_FP_MODE_", "FR FRE") },
	{ PR_GET_FP_MODE, {} },
	{ PR_CAP_AMBIENT, { WORD_THEN, CAPABILITY, HEX, HEX }, W("PR_CAP_AMBIENT_", "- IS_SET RAISE LOWER CLEAR_ALL") },
	{ PR_SVE_GET_VL, {} },
	{ 64 /* PR_SME_GET_VL */, {} },
	{ PR_GET_SPECULATION_CTRL, { WORD }, W("PR_SPEC_", "STORE_BYPASS INDIRECT_BRANCH L1D_FLUSH") },
	{ PR_SET_SPECULATION_CTRL, { WORD, HEX }, W("PR_SPEC_", "STORE_BYPASS INDIRECT_BRANCH L1D_FLUSH") },
	{ PR_PAC_RESET_KEYS, { FLAGS_LONG, HEX, HEX, HEX }, W("PR_PAC_", "APIAKEY APIBKEY APDAKEY APDBKEY APGAKEY") },
	{ 60 /* PR_PAC_SET_ENABLED_KEYS */, { FLAGS_LONG, FLAGS_LONG, HEX, HEX }, W("PR_PAC_", "APIAKEY APIBKEY APDAKEY APDBKEY") },
	{ PR_SET_IO_FLUSHER, { DECIMAL, HEX, HEX, HEX } },
	{ 59 /* PR_SET_SYSCALL_USER_DISPATCH */, { WORD, HEX, HEX, HEX }, W("PR_SYS_DISPATCH_", "OFF ON") },
	{ 62 /* PR_SCHED_CORE */, { WORD, DECIMAL, PIDTYPE, HEX }, W("PR_SCHED_CORE_", "GET CREATE SHARE_TO SHARE_FROM") },
	{ 0x53564d41 /* PR_SET_VMA */, { WORD_THEN, ADDRESS, DECIMAL, STRING }, W("PR_SET_VMA_", "ANON_NAME") },
	{ 0x59616d61 /* PR_SET_PTRACER */, { DECIMAL } },
};

static void add_pointed(struct strace_line *line, unsigned int arg, enum kind kind)
{
	const struct strace_blob *blob = strace_ok(line) ? strace_blob(line, arg, BYTES, 0) : NULL;
	const void *bytes = blob && blob->status == STRACE_WHOLE && blob->n >= 8 ? strace_bytes(blob) : NULL;

	if (!bytes) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	str_addc(line->out, '[');
	if (kind == SIGNAL_AT)
		strace_signal(line->out, *(const int *)bytes);
	else if (kind == DECIMAL_AT)
		str_add_s64(line->out, *(const int *)bytes);
	else
		strace_address(line->out, *(const uint64_t *)bytes);
	str_addc(line->out, ']');
}

/* A thread's name: the kernel takes no more than 15 bytes of it. */
static void add_name(struct strace_line *line, uint64_t address)
{
	const struct strace_blob *blob = strace_blob(line, 1, TEXT, 0);
	size_t n = blob && blob->status != STRACE_UNREAD ? strnlen(strace_bytes(blob), blob->n) : 0;

	if (blob && blob->status != STRACE_UNREAD)
		strace_text(line, strace_bytes(blob), n < 15 ? n : 15, n >= 15);
	else
		strace_address(line->out, address);
}

static void add_filter(struct strace_line *line)
{
	const struct strace_blob *blob = strace_blob(line, 1, FILTER, 0);

	if (strace_arg(line, 2) && !strace_is_narrow(line) && blob && blob->status == STRACE_WHOLE && blob->n >= 16)
		strace_filter(line, strace_bytes(blob), strace_blob(line, 1, FILTER_CODE, 0), true);
	else
		strace_address(line->out, strace_arg(line, 2));
}

static void add_seccomp(struct strace_line *line, uint64_t mode)
{
	strace_word(line->out, &(const struct strace_words){ "SECCOMP_MODE_", "DISABLED STRICT FILTER" }, mode);
	if (mode == 1)
		return;
	str_add(line->out, ", ");
	if (mode == 2)
		add_filter(line);
	else
		str_addf(line->out, "%#llx, %#llx, %#llx", U(strace_arg(line, 2)), U(strace_arg(line, 3)),
			 U(strace_arg(line, 4)));
}

static void add_flags_at(struct strace_line *line, unsigned int arg, const struct strace_words *words)
{
	const struct strace_blob *blob = strace_ok(line) ? strace_blob(line, arg, BYTES, 0) : NULL;

	if (!blob || blob->status != STRACE_WHOLE || blob->n < 4) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	str_addc(line->out, '[');
	strace_bits(line->out, words, *(const uint32_t *)strace_bytes(blob));
	str_addc(line->out, ']');
}

static void add_text(struct strace_line *line, unsigned int arg)
{
	if (arg == 1)
		add_name(line, strace_arg(line, arg));
	else
		strace_string(line, strace_blob(line, 1, VMA_NAME, 0), strace_arg(line, arg), true);
}

/* What has names. False: it is of another kind. */
static bool add_named(struct strace_line *line, uint64_t value, enum kind kind, const struct strace_words *words)
{
	static const struct strace_words pid_types = { "PIDTYPE_", "PID TGID PGID SID" };
	struct str *out = line->out;

	switch (kind) {
	case CAPABILITY:
		strace_word(out, &strace_capabilities, value);
		return true;
	case DUMPABLE:
		strace_word(out, &dumpable, value);
		return true;
	case SECURE:
		strace_bits(out, &secure, value);
		return true;
	case SECCOMP:
		add_seccomp(line, value);
		return true;
	case WORD:
	case WORD_THEN:
		strace_word(out, words, value);
		return true;
	case WORD_SHORT:
		strace_word(out, words, (unsigned int)value);
		return true;
	case PIDTYPE:
		strace_word(out, &pid_types, value);
		return true;
	case FLAGS:
		strace_bits(out, words, (unsigned int)value);
		return true;
	case FLAGS_LONG:
		strace_bits(out, words, value);
		return true;
	default:
		return false;
	}
}

static void add_kind(struct strace_line *line, unsigned int arg, enum kind kind, const struct strace_words *words)
{
	uint64_t value = strace_arg(line, arg);

	if (add_named(line, value, kind, words))
		return;
	switch (kind) {
	case SIGNAL:
		if (value <= 64)
			strace_signal(line->out, (int)value);
		else
			str_add_u64(line->out, value);
		break;
	case SIGNAL_AT:
	case DECIMAL_AT:
	case ADDRESS_AT:
		add_pointed(line, arg, kind);
		break;
	case STRING_OUT:
		if (strace_ok(line))
			add_text(line, arg);
		else
			strace_address(line->out, value);
		break;
	case STRING:
		add_text(line, arg);
		break;
	case FLAGS_AT:
		add_flags_at(line, arg, words);
		break;
	case ADDRESS:
		strace_address(line->out, value);
		break;
	case SIGNED:
		str_add_s64(line->out, (int64_t)value);
		break;
	case DECIMAL:
		str_add_u64(line->out, value);
		break;
	default:
		str_addf(line->out, "%#llx", U(value));
		break;
	}
}

/* Whether a word that others depend on has no name. */
static bool is_unknown(const struct strace_line *line, enum kind kind, const struct strace_words *words)
{
	struct str name __str = {};

	return kind == WORD_THEN && !strace_word_if(&name, words, strace_arg(line, 1));
}

/* All arguments after the option. */
static void print_prctl_arg(struct strace_line *line, unsigned int arg)
{
	static const unsigned char unknown[4] = { HEX, HEX, HEX, HEX };
	unsigned int option = strace_arg(line, 0);
	const unsigned char *kinds = unknown;
	const struct strace_words *words = NULL;
	bool in_hex = false;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].option == option) {
			kinds = options[i].kinds;
			words = &options[i].words;
			in_hex = is_unknown(line, kinds[0], words);
		}
	for (unsigned int i = 0; i < 4 && kinds[i]; i++) {
		if (i)
			str_add(line->out, ", ");
		add_kind(line, arg + i, i && in_hex ? HEX : kinds[i], words);
	}
}
const struct strace_type t_prctl_arg = {
	print_prctl_arg,
	.steps = {
		{ STRACE_STRING, .from = SELF, .most = 17 },
		{ STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = 8, .most = 8 },
		{ STRACE_STRING, .from = NEXT(3), .most = 81 },
		{ STRACE_BYTES, .from = NEXT(1), .count_from = STRACE_FROM_NONE, .scale = 16, .most = 16 },
		STEP_FILTER(FILTER),
	},
};

void strace_ret_prctl(struct strace_line *line)
{
	unsigned int option = strace_arg(line, 0);
	const enum strace_style style = strace_style();
	uint64_t ret = strace_ret(line);

	/* whatever the style of numbers, but not with numbers alone */
	if (option == PR_GET_DUMPABLE && style != STRACE_NUMBERS) {
		strace_set_style(STRACE_NAMES);
		str_addf(line->out, "%llu (", U(ret));
		strace_word(line->out, &dumpable, ret);
		str_addc(line->out, ')');
	} else if (option == PR_GET_SECUREBITS && ret && strace_style() != STRACE_NUMBERS) {
		strace_set_style(STRACE_NAMES);
		str_addf(line->out, "%#llx (", U(ret));
		strace_bits(line->out, &secure, ret);
		str_addc(line->out, ')');
	} else {
		str_addf(line->out, option == PR_GET_SECUREBITS && ret ? "%#llx" : "%llu", (unsigned long long)ret);
	}
	strace_set_style(style);
}
