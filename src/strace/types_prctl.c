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
};

/* One of these is in the table for each argument of an option. */
enum kind {
	NONE,
	DECIMAL, /* int */
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
	AMBIENT,
	MEMORY,
	VMA,
	SECCOMP,
};

static const struct {
	unsigned int option;
	unsigned char kinds[4];
} options[] = {
	{ PR_SET_PDEATHSIG, { SIGNAL } },
	{ PR_GET_PDEATHSIG, { SIGNAL_AT } },
	{ PR_GET_DUMPABLE, {} },
	{ PR_SET_DUMPABLE, { DUMPABLE } },
	{ PR_GET_KEEPCAPS, {} },
	{ PR_SET_KEEPCAPS, { DECIMAL } },
	{ PR_SET_NAME, { STRING } },
	{ PR_GET_NAME, { STRING_OUT } },
	{ PR_GET_SECCOMP, {} },
	{ PR_SET_SECCOMP, { SECCOMP } },
	{ PR_CAPBSET_READ, { CAPABILITY } },
	{ PR_CAPBSET_DROP, { CAPABILITY } },
	{ PR_GET_SECUREBITS, {} },
	{ PR_SET_SECUREBITS, { SECURE } },
	{ PR_SET_TIMERSLACK, { DECIMAL } },
	{ PR_GET_TIMERSLACK, {} },
	{ PR_SET_MM, { MEMORY, HEX, DECIMAL, DECIMAL } },
	{ PR_SET_CHILD_SUBREAPER, { DECIMAL } },
	{ PR_GET_CHILD_SUBREAPER, { DECIMAL_AT } },
	{ PR_SET_NO_NEW_PRIVS, { DECIMAL, DECIMAL, DECIMAL, DECIMAL } },
	{ PR_GET_NO_NEW_PRIVS, { DECIMAL, DECIMAL, DECIMAL, DECIMAL } },
	{ PR_SET_THP_DISABLE, { DECIMAL, DECIMAL, DECIMAL, DECIMAL } },
	{ PR_GET_THP_DISABLE, { DECIMAL, DECIMAL, DECIMAL, DECIMAL } },
	{ PR_GET_TID_ADDRESS, { ADDRESS_AT } },
	{ PR_CAP_AMBIENT, { AMBIENT, CAPABILITY, DECIMAL, DECIMAL } },
	{ 0x53564d41 /* PR_SET_VMA */, { VMA, ADDRESS, DECIMAL, STRING } },
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

static void add_seccomp(struct strace_line *line, uint64_t mode)
{
	strace_word(line->out, &(const struct strace_words){ "SECCOMP_MODE_", "DISABLED STRICT FILTER" }, mode);
	if (mode == 2)
		str_addf(line->out, ", %#llx", U(strace_arg(line, 2)));
}

static void add_kind(struct strace_line *line, unsigned int arg, enum kind kind)
{
	static const struct strace_words ambient = { "PR_CAP_AMBIENT_", "- IS_SET RAISE LOWER CLEAR_ALL" };
	static const struct strace_words memory = {
		"PR_SET_MM_", "- START_CODE END_CODE START_DATA END_DATA START_STACK START_BRK BRK ARG_START ARG_END ENV_START "
			      "ENV_END AUXV EXE_FILE MAP MAP_SIZE"
	};
	uint64_t value = strace_arg(line, arg);

	switch (kind) {
	case SIGNAL:
		strace_signal(line->out, (int)value);
		break;
	case SIGNAL_AT:
	case DECIMAL_AT:
	case ADDRESS_AT:
		add_pointed(line, arg, kind);
		break;
	case STRING_OUT:
		if (!strace_ok(line)) {
			strace_address(line->out, value);
			break;
		}
		/* fall through */
	case STRING:
		if (arg == 1) {
			add_name(line, value);
			break;
		}
		strace_string(line, strace_blob(line, 1, VMA_NAME, 0), value, true);
		break;
	case CAPABILITY:
		strace_word(line->out, &strace_capabilities, value);
		break;
	case DUMPABLE:
		strace_word(line->out, &dumpable, value);
		break;
	case SECURE:
		strace_bits(line->out, &secure, value);
		break;
	case AMBIENT:
		strace_word(line->out, &ambient, value);
		break;
	case MEMORY:
		strace_word(line->out, &memory, value);
		break;
	case VMA:
		strace_word(line->out, &(const struct strace_words){ "PR_SET_VMA_", "ANON_NAME" }, value);
		break;
	case SECCOMP:
		add_seccomp(line, value);
		break;
	case ADDRESS:
		strace_address(line->out, value);
		break;
	case DECIMAL:
		str_add_s64(line->out, (int64_t)value);
		break;
	default:
		str_addf(line->out, "%#llx", U(value));
		break;
	}
}

/* All arguments after the option. */
static void print_prctl_arg(struct strace_line *line, unsigned int arg)
{
	static const unsigned char unknown[4] = { HEX, HEX, HEX, HEX };
	unsigned int option = strace_arg(line, 0);
	const unsigned char *kinds = unknown;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].option == option)
			kinds = options[i].kinds;
	for (unsigned int i = 0; i < 4 && kinds[i]; i++) {
		if (i)
			str_add(line->out, ", ");
		add_kind(line, arg + i, kinds[i]);
	}
}
const struct strace_type t_prctl_arg = {
	print_prctl_arg,
	.steps = {
		{ STRACE_STRING, .from = SELF, .most = 17 },
		{ STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = 8, .most = 8 },
		{ STRACE_STRING, .from = NEXT(3), .most = 81 },
	},
};

void strace_ret_prctl(struct strace_line *line)
{
	unsigned int option = strace_arg(line, 0);
	uint64_t ret = strace_ret(line);

	if (option == PR_GET_DUMPABLE) {
		str_addf(line->out, "%llu (", U(ret));
		strace_word(line->out, &dumpable, ret);
		str_addc(line->out, ')');
	} else if (option == PR_GET_SECUREBITS && ret) {
		str_addf(line->out, "%#llx (", U(ret));
		strace_bits(line->out, &secure, ret);
		str_addc(line->out, ')');
	} else {
		str_add_s64(line->out, ret);
	}
}
