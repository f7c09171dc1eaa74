// SPDX-License-Identifier: BSD-2-Clause
/* Calls whose arguments mean what another argument says: fcntl, futex, prctl, epoll_ctl. */
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/epoll.h>

#include "strace_part.h"
#include "types.h"

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif
#define U(X) ((unsigned long long)(X))

/* --- fcntl --- */

static STRACE_FAMILY(fcntls, "F_???", N(F_DUPFD), N(F_GETFD), N(F_SETFD), N(F_GETFL), N(F_SETFL), N(F_GETLK),
		     N(F_SETLK), N(F_SETLKW), N(F_SETOWN), N(F_GETOWN), { "F_SETSIG", 10 }, { "F_GETSIG", 11 },
		     { "F_OFD_GETLK", 36 }, { "F_OFD_SETLK", 37 }, { "F_OFD_SETLKW", 38 }, { "F_SETLEASE", 1024 },
		     { "F_GETLEASE", 1025 }, { "F_NOTIFY", 1026 }, N(F_DUPFD_CLOEXEC), { "F_SETPIPE_SZ", 1031 },
		     { "F_GETPIPE_SZ", 1032 }, { "F_ADD_SEALS", 1033 }, { "F_GET_SEALS", 1034 },
		     { "F_SETOWN_EX", 15 }, { "F_GETOWN_EX", 16 }, { "F_GETOWNER_UIDS", 17 },
		     { "F_GET_RW_HINT", 1035 }, { "F_SET_RW_HINT", 1036 }, { "F_GET_FILE_RW_HINT", 1037 },
		     { "F_SET_FILE_RW_HINT", 1038 }, { "F_GETLK64", 12 }, { "F_SETLK64", 13 },
		     { "F_SETLKW64", 14 }, { "F_CANCELLK", 1029 });
CHOICE(t_fcntl, fcntls);

static bool is_lock(int command)
{
	return (command >= F_GETLK && command <= F_SETLKW) || (command >= 36 && command <= 38);
}

static void add_lock(struct strace_line *line, unsigned int arg)
{
	static STRACE_FAMILY(kinds, "F_???", N(F_RDLCK), N(F_WRLCK), N(F_UNLCK));
	bool is_out = (int)strace_arg(line, arg - 1) == F_GETLK || (int)strace_arg(line, arg - 1) == 36;
	const struct flock *lock;

	if (is_out && !strace_ok(line)) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	lock = strace_struct(line, arg, 0, sizeof(*lock));
	if (!lock)
		return;
	str_add(line->out, "{l_type=");
	strace_choice(line->out, &kinds, (unsigned short)lock->l_type);
	str_add(line->out, ", l_whence=");
	strace_choice(line->out, t_whence.data, (unsigned short)lock->l_whence);
	str_addf(line->out, ", l_start=%lld, l_len=%lld", (long long)lock->l_start, (long long)lock->l_len);
	if (is_out) {
		str_add(line->out, ", l_pid=");
		strace_pid(line, lock->l_pid);
	}
	str_addc(line->out, '}');
}

static bool fcntl_has_argument(int command)
{
	return command != F_GETFD && command != F_GETFL && command != F_GETOWN && command != 11 && command != 1025 &&
	       command != 1032 && command != 1034;
}

static const struct strace_words seals = { "F_SEAL_", "SEAL SHRINK GROW WRITE FUTURE_WRITE EXEC" };
static const struct strace_words leases = { "F_", "RDLCK WRLCK UNLCK" };

static void add_owner(struct strace_line *line, unsigned int arg)
{
	const int *owner;

	if ((int)strace_arg(line, arg - 1) == 16 && !strace_ok(line)) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	owner = strace_struct(line, arg, 1, 2 * sizeof(*owner));
	if (!owner)
		return;
	str_add(line->out, "{type=");
	strace_word(line->out, &(const struct strace_words){ "F_OWNER_", "TID PID PGRP" }, (unsigned int)owner[0]);
	str_add(line->out, ", pid=");
	if (owner[0] == F_OWNER_PGRP)
		str_add_s64(line->out, owner[1]);
	else
		strace_pid(line, owner[1]);
	str_addc(line->out, '}');
}

static void print_fcntl_arg(struct strace_line *line, unsigned int arg)
{
	int command = strace_arg(line, arg - 1);

	if (!fcntl_has_argument(command))
		return;
	if (is_lock(command))
		add_lock(line, arg);
	else if (command == F_SETFD)
		strace_flags(line->out, t_fd_flags.data, (unsigned int)strace_arg(line, arg));
	else if (command == F_SETFL)
		strace_combined_as(line, &t_open_flags, arg);
	else if (command == 15 || command == 16)
		add_owner(line, arg);
	else if (command == 10)
		strace_signal(line->out, (int)strace_arg(line, arg));
	else if (command == 1024)
		strace_word(line->out, &leases, strace_arg(line, arg));
	else if (command == 1026)
		strace_bits(line->out,
			    &(const struct strace_words){ "DN_", "ACCESS MODIFY CREATE DELETE RENAME ATTRIB =0x80000000 MULTISHOT" },
			    strace_arg(line, arg));
	else if (command == 1033)
		strace_bits(line->out, &seals, (unsigned int)strace_arg(line, arg));
	else if (command == F_SETOWN)
		strace_pid(line, strace_arg(line, arg));
	else if (command == F_DUPFD || command == F_DUPFD_CLOEXEC || command == F_SETPIPE_SZ)
		str_add_u64(line->out, strace_arg(line, arg));
	else
		str_addf(line->out, "%#llx", U(strace_arg(line, arg)));
}
const struct strace_type t_fcntl_arg = { print_fcntl_arg,
					 .steps = { STEP_READS(sizeof(struct flock)), STEP_READS(8) } };

void strace_ret_fcntl(struct strace_line *line)
{
	static const char *const modes[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE" };
	int command = strace_arg(line, 1);
	unsigned int flags = strace_ret(line);

	const enum strace_style style = strace_style();

	if (command == F_GETFL) {
		strace_set_style(STRACE_NAMES);
		str_addf(line->out, "%#x (flags %s", flags, modes[flags & O_ACCMODE]);
		strace_flags_more(line->out, &strace_open_flags, flags & ~O_ACCMODE);
		strace_set_style(style);
		str_addc(line->out, ')');
	} else if (command == F_GETFD && flags) {
		str_addf(line->out, "%#x (flags ", flags);
		strace_flags(line->out, t_fd_flags.data, flags);
		str_addc(line->out, ')');
	} else if (command == 11 && flags) {
		str_addf(line->out, "%u (", flags);
		strace_signal_name(line->out, flags);
		str_addc(line->out, ')');
	} else if (command == 1025) {
		str_addf(line->out, flags ? "%#x (" : "%x (", flags);
		strace_set_style(STRACE_NAMES);
		strace_word(line->out, &leases, flags);
		strace_set_style(style);
		str_addc(line->out, ')');
	} else if (command == 1034 && flags) {
		str_addf(line->out, "%#x (seals ", flags);
		strace_bits(line->out, &seals, flags);
		str_addc(line->out, ')');
	} else if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
		strace_ret_fd(line);
	} else if (command == F_GETOWN) {
		strace_ret_pid(line);
	} else {
		str_add_s64(line->out, strace_ret(line));
	}
}

/* --- futex --- */

static STRACE_FAMILY(futexes, "FUTEX_???", N(FUTEX_WAIT), N(FUTEX_WAKE), N(FUTEX_FD), N(FUTEX_REQUEUE),
		     N(FUTEX_CMP_REQUEUE), N(FUTEX_WAKE_OP), N(FUTEX_LOCK_PI), N(FUTEX_UNLOCK_PI),
		     N(FUTEX_TRYLOCK_PI), N(FUTEX_WAIT_BITSET), N(FUTEX_WAKE_BITSET), N(FUTEX_WAIT_REQUEUE_PI),
		     N(FUTEX_CMP_REQUEUE_PI), { "FUTEX_LOCK_PI2", 13 });

/* Only some operations take the clock. */
static bool takes_clock(unsigned int op)
{
	return op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_WAIT_REQUEUE_PI;
}

static void print_futex_op(struct strace_line *line, unsigned int arg)
{
	unsigned int op = strace_arg(line, arg), command = op & FUTEX_CMD_MASK;
	const char *name = strace_name_of(&futexes, command);
	const char *is_private = command == FUTEX_FD ? "|FUTEX_PRIVATE_FLAG" : "_PRIVATE";

	char number[16];

	snprintf(number, sizeof(number), "%#x", op);
	if (name && (takes_clock(command) || !(op & FUTEX_CLOCK_REALTIME)))
		strace_named(line->out, number, "%s%s%s", name, op & FUTEX_PRIVATE_FLAG ? is_private : "",
			     op & FUTEX_CLOCK_REALTIME ? "|FUTEX_CLOCK_REALTIME" : "");
	else
		str_addf(line->out, strace_style() == STRACE_NUMBERS ? "%s" : "%s /* FUTEX_??? */", number);
}
const struct strace_type t_futex_op = { print_futex_op };

static void add_shifted(struct str *out, const struct strace_words *words, unsigned int value, int shift)
{
	if (strace_style() != STRACE_NUMBERS && strace_word_constant(out, words, value))
		str_addf(out, "<<%d", shift);
	else
		str_addf(out, "%#x<<%d /* %s??? */", value, shift, words->prefix);
}

/* What FUTEX_WAKE_OP does: an operation, its number, a comparison, its number. */
static void add_wake_op(struct str *out, unsigned int value)
{
	static const struct strace_words ops = { "FUTEX_OP_", "SET ADD OR ANDN XOR" };
	static const struct strace_words comparisons = { "FUTEX_OP_CMP_", "EQ NE LT LE GT GE" };

	str_add(out, ", ");
	if (value >> 31)
		str_add(out, "FUTEX_OP_OPARG_SHIFT<<28|");
	add_shifted(out, &ops, value >> 28 & 7, 28);
	str_addf(out, "|%#x<<12|", value >> 12 & 0xfff);
	add_shifted(out, &comparisons, value >> 24 & 0xf, 24);
	str_addf(out, "|%#x", value & 0xfff);
}

/* When to give up, and what comes behind it. */
static void add_futex_wait(struct strace_line *line, unsigned int arg, unsigned int op)
{
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);
	unsigned int bits = strace_arg(line, 5);
	struct str *out = line->out;

	if (blob && blob->n == 16 && blob->status == STRACE_WHOLE)
		strace_timespec(out, strace_bytes(blob));
	else
		strace_address(out, strace_arg(line, 3));
	if (op == FUTEX_WAIT_BITSET && bits == FUTEX_BITSET_MATCH_ANY)
		str_add(out, ", FUTEX_BITSET_MATCH_ANY");
	else if (op == FUTEX_WAIT_BITSET)
		str_addf(out, ", %#x", bits);
	else if (op == FUTEX_WAIT_REQUEUE_PI)
		str_addf(out, ", %#llx", U(strace_arg(line, 4)));
}

/* The operation is in these bits, whatever stands above them. */
#define FUTEX_OPS 0x7f

/* All after the operation: how many arguments there are depends on it. */
static void print_futex(struct strace_line *line, unsigned int arg)
{
	unsigned int op = strace_arg(line, 1) & FUTEX_OPS;
	unsigned int value = strace_arg(line, 2), value2 = strace_arg(line, 3), value3 = strace_arg(line, 5);
	struct str *out = line->out;

	switch (op) {
	case FUTEX_UNLOCK_PI:
	case FUTEX_TRYLOCK_PI:
		break;
	case FUTEX_WAKE:
	case FUTEX_FD:
		str_add_u64(out, value);
		break;
	case FUTEX_WAKE_BITSET:
		str_addf(out, "%u, %#x", value, value3);
		break;
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
		str_addf(out, "%u, ", value);
		/* fall through */
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		add_futex_wait(line, arg, op);
		break;
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
	case FUTEX_WAKE_OP:
		str_addf(out, "%u, %u, %#llx", value, value2, U(strace_arg(line, 4)));
		if (op == FUTEX_WAKE_OP)
			add_wake_op(out, value3);
		else if (op != FUTEX_REQUEUE)
			str_addf(out, ", %u", value3);
		break;
	default:
		str_addf(out, "%u, ", value);
		strace_address(out, strace_arg(line, 3));
		str_add(out, ", ");
		strace_address(out, strace_arg(line, 4));
		str_addf(out, ", %#x", value3);
	}
}
const struct strace_type t_futex = {
	print_futex,
	.steps = { { STRACE_BYTES, .from = NEXT(1), .count_from = STRACE_FROM_NONE, .scale = 16, .most = 16 } },
};

/* --- arch_prctl --- */

static STRACE_FAMILY(arch_prctls, "ARCH_???", { "ARCH_SET_GS", 0x1001 }, { "ARCH_SET_FS", 0x1002 },
		     { "ARCH_GET_FS", 0x1003 }, { "ARCH_GET_GS", 0x1004 }, { "ARCH_GET_CPUID", 0x1011 },
		     { "ARCH_SET_CPUID", 0x1012 }, { "ARCH_GET_XCOMP_SUPP", 0x1021 },
		     { "ARCH_GET_XCOMP_PERM", 0x1022 }, { "ARCH_REQ_XCOMP_PERM", 0x1023 }, { "ARCH_GET_XCOMP_GUEST_PERM", 0x1024 },
		     { "ARCH_REQ_XCOMP_GUEST_PERM", 0x1025 }, { "ARCH_MAP_VDSO_X32", 0x2001 }, { "ARCH_MAP_VDSO_32", 0x2002 },
		     { "ARCH_MAP_VDSO_64", 0x2003 }, { "ARCH_GET_UNTAG_MASK", 0x4001 },
		     { "ARCH_ENABLE_TAGGED_ADDR", 0x4002 }, { "ARCH_GET_MAX_TAG_BITS", 0x4003 },
		     { "ARCH_FORCE_TAGGED_SVA", 0x4004 }, { "ARCH_SHSTK_ENABLE", 0x5001 },
		     { "ARCH_SHSTK_DISABLE", 0x5002 }, { "ARCH_SHSTK_LOCK", 0x5003 }, { "ARCH_SHSTK_UNLOCK", 0x5004 },
		     { "ARCH_SHSTK_STATUS", 0x5005 });
CHOICE(t_arch_prctl, arch_prctls);

/* A number with the names of what it stands for as a remark. */
static void add_remark(struct str *out, const struct strace_words *words, uint64_t value, bool bits)
{
	struct str names __str = {};
	const enum strace_style style = strace_style();

	str_addf(out, "%#llx", U(value));
	if (style == STRACE_NUMBERS)
		return;
	strace_set_style(STRACE_NAMES);
	if (bits)
		strace_bits(&names, words, value);
	else if (!strace_word_if(&names, words, value))
		str_addf(&names, "%s???", words->prefix);
	strace_set_style(style);
	str_addf(out, " /* %s */", names.data);
}

/* A register's address, parts of the processor's state, or one of them. */
static void print_arch_prctl_arg(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words part = {
		"XFEATURE_", "FP SSE YMM BNDREGS BNDCSR OPMASK ZMM_Hi256 Hi16_ZMM PT_UNIMPLEMENTED_SO_FAR PKRU PASID =15 LBR "
			     "=17 XTILE_CFG XTILE_DATA"
	};
	static const struct strace_words parts = {
		"XFEATURE_MASK_", "=3 FPSSE =1 FP SSE YMM BNDREGS BNDCSR OPMASK ZMM_Hi256 Hi16_ZMM PT PKRU PASID =0x8000 LBR "
				  "=0x20000 XTILE_CFG XTILE_DATA"
	};
	unsigned int option = strace_arg(line, 0);
	const uint64_t *value;

	switch (option) {
	case 0x1011: /* ARCH_GET_CPUID */
		break;
	case 0x1023: /* ARCH_REQ_XCOMP_PERM and that of guests */
	case 0x1025:
		add_remark(line->out, &part, strace_arg(line, arg), false);
		break;
	case 0x1003: /* ARCH_GET_FS to ARCH_GET_XCOMP_GUEST_PERM: what is filled in */
	case 0x1004:
	case 0x1021:
	case 0x1022:
	case 0x1024:
		value = strace_struct(line, arg, 0, sizeof(*value));
		if (!value)
			break;
		str_addc(line->out, '[');
		if (option <= 0x1004)
			strace_address(line->out, *value);
		else
			add_remark(line->out, &parts, *value, true);
		str_addc(line->out, ']');
		break;
	default:
		strace_address(line->out, strace_arg(line, arg));
	}
}
const struct strace_type t_arch_prctl_arg = { print_arch_prctl_arg, .steps = { STEP_WRITES(8) } };

/* --- epoll --- */

static STRACE_FAMILY(epoll_ops, "EPOLL_CTL_???", N(EPOLL_CTL_ADD), N(EPOLL_CTL_DEL), N(EPOLL_CTL_MOD));
CHOICE(t_epoll_op, epoll_ops);
static STRACE_FAMILY(epoll_events, "EPOLL???", N(EPOLLIN), N(EPOLLPRI), N(EPOLLOUT), N(EPOLLERR), N(EPOLLHUP),
		     { "EPOLLNVAL", 0x20 }, N(EPOLLRDNORM), N(EPOLLRDBAND), N(EPOLLWRNORM), N(EPOLLWRBAND), N(EPOLLMSG),
		     N(EPOLLRDHUP), N(EPOLLEXCLUSIVE), N(EPOLLWAKEUP), N(EPOLLONESHOT), { "EPOLLET", 1U << 31 });

static void add_epoll_event(struct str *out, const struct epoll_event *event)
{
	str_add(out, "{events=");
	strace_flags(out, &epoll_events, event->events);
	str_addf(out, ", data={u32=%u, u64=%llu}}", event->data.u32, U(event->data.u64));
}

static void print_epoll_event(struct strace_line *line, unsigned int arg)
{
	struct epoll_event event;
	const void *bytes;

	if ((int)strace_arg(line, 1) == EPOLL_CTL_DEL) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	bytes = strace_struct(line, arg, 0, sizeof(event));
	if (!bytes)
		return;
	memcpy(&event, bytes, sizeof(event));
	add_epoll_event(line->out, &event);
}
const struct strace_type t_epoll_event = { print_epoll_event, .steps = { STEP_READS(sizeof(struct epoll_event)) } };

static void print_epoll_events(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_ok(line) ? strace_blob(line, arg, 0, 0) : NULL;
	struct epoll_event event;
	size_t n = blob ? blob->n / sizeof(event) : 0;

	if (!strace_ok(line)) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	str_addc(line->out, '[');
	for (size_t i = 0; i < n; i++) {
		if (i >= line->settings->size) {
			str_add(line->out, i ? ", ..." : "...");
			break;
		}
		memcpy(&event, (const char *)strace_bytes(blob) + i * sizeof(event), sizeof(event));
		if (i)
			str_add(line->out, ", ");
		add_epoll_event(line->out, &event);
	}
	str_addc(line->out, ']');
}
const struct strace_type t_epoll_events = {
	print_epoll_events,
	.steps = { STEP_FILLED(sizeof(struct epoll_event), 256) },
};
