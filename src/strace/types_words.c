// SPDX-License-Identifier: BSD-2-Clause
/* Names that are kept as one text, and the flags and choices of calls that are seldom made. */
#include <ctype.h>
#include <sys/mman.h>

#include "strace_part.h"
#include "types.h"

/* The next name of a text, and its value; false: there is none. at: where to go on; next: the value of the next name. */
struct walk {
	const char *at;
	uint64_t next, value;
	bool bits;
	int n;
	const char *name;
};

static bool next_word(struct walk *walk)
{
	while (*walk->at) {
		if (*walk->at == ' ') {
			walk->at++;
			continue;
		}
		if (*walk->at == '=') {
			walk->next = strtoull(walk->at + 1, (char **)&walk->at, 0);
			continue;
		}
		walk->value = walk->next;
		walk->next = walk->bits ? walk->next << 1 : walk->next + 1;
		walk->name = walk->at;
		walk->n = strcspn(walk->at, " ");
		walk->at += walk->n;
		if (*walk->name != '-')
			return true;
	}
	return false;
}

static void add_word(struct str *out, const struct strace_words *words, const struct walk *walk)
{
	bool whole = *walk->name == '!';

	str_addf(out, "%s%.*s", whole ? "" : words->prefix, walk->n - whole, walk->name + whole);
}

bool strace_word_if(struct str *out, const struct strace_words *words, uint64_t value)
{
	struct walk walk = { .at = words->names };

	while (next_word(&walk))
		if (walk.value == value) {
			add_word(out, words, &walk);
			return true;
		}
	return false;
}

static void add_unknown(struct str *out, const struct strace_words *words, uint64_t value)
{
	str_addf(out, "%#llx /* %s%s */", (unsigned long long)value, words->unknown ? words->unknown : words->prefix,
		 words->unknown ? "" : "???");
}

/* A number and its names, as -X asks for it; name NULL: it has none. */
static void add_styled(struct str *out, const struct strace_words *words, uint64_t value, const char *name)
{
	char number[32];

	snprintf(number, sizeof(number), "%#llx", (unsigned long long)value);
	if (name || strace_style() == STRACE_NUMBERS)
		strace_constant(out, number, name);
	else
		add_unknown(out, words, value);
}

void strace_word(struct str *out, const struct strace_words *words, uint64_t value)
{
	struct str name __str = {};

	if (strace_style() == STRACE_NAMES && strace_word_if(out, words, value))
		return;
	strace_word_if(&name, words, value);
	add_styled(out, words, value, name.data);
}

/* Appends the names, and what has none if one has; separator: what stands before the first. Returns what is left. */
static uint64_t add_bits(struct str *out, const struct strace_words *words, uint64_t value, const char *separator)
{
	struct walk walk = { .at = words->names, .next = 1, .bits = true };
	uint64_t left = value;

	while (next_word(&walk)) {
		if ((left & walk.value) != walk.value)
			continue;
		str_add(out, separator);
		add_word(out, words, &walk);
		separator = "|";
		left &= ~walk.value;
	}
	if (left && *separator)
		str_addf(out, "|%#llx", (unsigned long long)left);
	return left;
}

void strace_bits_more(struct str *out, const struct strace_words *words, uint64_t value)
{
	if (strace_style() == STRACE_NAMES) {
		add_bits(out, words, value, "|");
	} else if (value) {
		str_addc(out, '|');
		strace_bits(out, words, value);
	}
}

void strace_bits(struct str *out, const struct strace_words *words, uint64_t value)
{
	struct str names __str = {};

	if (!value)
		str_addc(out, '0');
	else if (strace_style() != STRACE_NAMES)
		add_styled(out, words, value, add_bits(&names, words, value, "") == value ? NULL : names.data);
	else if (add_bits(out, words, value, "") == value)
		add_unknown(out, words, value);
}

void strace_print_word(struct strace_line *line, unsigned int arg)
{
	strace_word(line->out, line->call->args[arg]->data, (unsigned int)strace_arg(line, arg));
}

void strace_print_bits_long(struct strace_line *line, unsigned int arg)
{
	strace_bits(line->out, line->call->args[arg]->data, strace_arg(line, arg));
}

void strace_print_bits(struct strace_line *line, unsigned int arg)
{
	strace_bits(line->out, line->call->args[arg]->data, (unsigned int)strace_arg(line, arg));
}

/* --- processes --- */

WORDS(t_policy, "SCHED_", "OTHER FIFO RR BATCH ISO IDLE DEADLINE EXT");
WORDS(t_ioprio_who, "IOPRIO_WHO_", "- PROCESS PGRP USER");
WORDS(t_wait_kind, "P_", "ALL PID PGID PIDFD");
WORDS(t_kcmp, "KCMP_", "FILE VM FILES FS SIGHAND IO SYSVSEM EPOLL_TFD");
#define MEMBARRIERS \
	"=1 GLOBAL GLOBAL_EXPEDITED REGISTER_GLOBAL_EXPEDITED PRIVATE_EXPEDITED REGISTER_PRIVATE_EXPEDITED " \
	"PRIVATE_EXPEDITED_SYNC_CORE REGISTER_PRIVATE_EXPEDITED_SYNC_CORE PRIVATE_EXPEDITED_RSEQ " \
	"REGISTER_PRIVATE_EXPEDITED_RSEQ"
#define MEMBARRIER_CHOICES \
	"GLOBAL GLOBAL_EXPEDITED =4 REGISTER_GLOBAL_EXPEDITED =8 PRIVATE_EXPEDITED =16 REGISTER_PRIVATE_EXPEDITED " \
	"=32 PRIVATE_EXPEDITED_SYNC_CORE =64 REGISTER_PRIVATE_EXPEDITED_SYNC_CORE =128 PRIVATE_EXPEDITED_RSEQ " \
	"=256 REGISTER_PRIVATE_EXPEDITED_RSEQ =512 GET_REGISTRATIONS"
BITS(t_membarrier_flags, "MEMBARRIER_CMD_FLAG_", "CPU");

static void print_membarrier(struct strace_line *line, unsigned int arg)
{
	strace_word(line->out, &(const struct strace_words){ "MEMBARRIER_CMD_", "QUERY " MEMBARRIER_CHOICES },
		    (unsigned int)strace_arg(line, arg));
}
const struct strace_type t_membarrier = { print_membarrier };

/* Only with the flag. */
static void print_membarrier_cpu(struct strace_line *line, unsigned int arg)
{
	if (strace_arg(line, arg - 1) & 1)
		str_add_s64(line->out, (int)strace_arg(line, arg));
}
const struct strace_type t_membarrier_cpu = { print_membarrier_cpu };

void strace_ret_membarrier(struct strace_line *line)
{
	if (strace_arg(line, 0) || !strace_ret(line)) {
		str_add_s64(line->out, strace_ret(line));
		return;
	}
	str_addf(line->out, "%#x (", (unsigned int)strace_ret(line));
	strace_bits(line->out, &(const struct strace_words){ "MEMBARRIER_CMD_", MEMBARRIERS }, strace_ret(line));
	str_addc(line->out, ')');
}

/* --- memory --- */

static void print_mempolicy(struct strace_line *line, unsigned int arg)
{
	strace_mempolicy(line->out, (unsigned int)strace_arg(line, arg));
}

static void print_mempolicy_long(struct strace_line *line, unsigned int arg)
{
	strace_mempolicy(line->out, strace_arg(line, arg));
}

/* A policy, and flags of it. */
void strace_mempolicy(struct str *out, uint64_t mode)
{
	static const struct strace_words modes = { "MPOL_",
						   "DEFAULT PREFERRED BIND INTERLEAVE LOCAL PREFERRED_MANY WEIGHTED_INTERLEAVE" };
	static const struct strace_words flags = { "MPOL_F_", "=0x8000 STATIC_NODES =0x4000 RELATIVE_NODES =0x2000 NUMA_BALANCING" };
	uint64_t set = mode & 0xe000;

	if (!set) {
		strace_word(out, &modes, mode);
		return;
	}
	if (strace_word_if(out, &modes, mode & ~0xe000ULL)) {
		strace_bits_more(out, &flags, set);
		return;
	}
	strace_bits(out, &flags, mode);
}
const struct strace_type t_mempolicy = { print_mempolicy }, t_mempolicy_long = { print_mempolicy_long };
BITS_LONG(t_mempolicy_flags, "MPOL_F_", "NODE ADDR MEMS_ALLOWED");
BITS(t_mbind_flags, "MPOL_MF_", "STRICT MOVE MOVE_ALL");
BITS(t_move_flags, "MPOL_MF_", "- MOVE MOVE_ALL");
BITS(t_msync_flags, "MS_", "=4 SYNC =1 ASYNC INVALIDATE");
BITS(t_mlock_flags, "MLOCK_", "ONFAULT");
BITS(t_mlockall_flags, "MCL_", "CURRENT FUTURE ONFAULT");
BITS_LONG(t_pkey_rights, "PKEY_", "DISABLE_ACCESS DISABLE_WRITE DISABLE_EXECUTE");
BITS(t_pidfd_flags, "PIDFD_", "=0x800 NONBLOCK =0x80 THREAD =0x200 AUTOKILL");
BITS(t_uffd_flags, "UFFD_", "USER_MODE_ONLY =0x800 !O_NONBLOCK =0x80000 !O_CLOEXEC");

/* --- times --- */

WORDS(t_interval, "ITIMER_", "REAL VIRTUAL PROF");
BITS(t_timerfd_flags, "TFD_", "TIMER_ABSTIME TIMER_CANCEL_ON_SET =0x80000 CLOEXEC =0x800 NONBLOCK");
BITS(t_signalfd_flags, "SFD_", "=0x80000 CLOEXEC =0x800 NONBLOCK");

/* --- files --- */

BITS(t_xattr_flags, "XATTR_", "CREATE REPLACE");
BITS(t_fallocate, "FALLOC_FL_",
     "KEEP_SIZE PUNCH_HOLE NO_HIDE_STALE COLLAPSE_RANGE ZERO_RANGE INSERT_RANGE UNSHARE_RANGE WRITE_ZEROES");
BITS(t_sync_range, "SYNC_FILE_RANGE_", "WAIT_BEFORE WRITE WAIT_AFTER");
BITS(t_splice_flags, "SPLICE_F_", "MOVE NONBLOCK MORE GIFT");
BITS(t_rw_flags, "RWF_", "HIPRI DSYNC SYNC NOWAIT APPEND NOAPPEND ATOMIC DONTCACHE NOSIGNAL");
BITS(t_inotify_flags, "IN_", "=0x800 NONBLOCK =0x80000 CLOEXEC");
BITS(t_inotify_mask, "IN_",
     "ACCESS MODIFY ATTRIB CLOSE_WRITE CLOSE_NOWRITE OPEN MOVED_FROM MOVED_TO CREATE DELETE "
     "DELETE_SELF MOVE_SELF - UNMOUNT Q_OVERFLOW IGNORED =0x1000000 ONLYDIR DONT_FOLLOW EXCL_UNLINK - MASK_CREATE "
     "MASK_ADD ISDIR ONESHOT");
BITS(t_fanotify_mark, "FAN_MARK_",
     "ADD REMOVE =0x80 FLUSH =4 DONT_FOLLOW ONLYDIR =0x110 MNTNS =0x100 FILESYSTEM =0x10 MOUNT IGNORED_MASK "
     "IGNORED_SURV_MODIFY =0x400 IGNORE =0x200 EVICTABLE");
BITS_LONG(t_fanotify_mask, "FAN_",
	  "ACCESS MODIFY ATTRIB CLOSE_WRITE CLOSE_NOWRITE OPEN MOVED_FROM MOVED_TO CREATE DELETE DELETE_SELF MOVE_SELF "
	  "OPEN_EXEC - Q_OVERFLOW FS_ERROR OPEN_PERM ACCESS_PERM OPEN_EXEC_PERM DIR_MODIFY PRE_ACCESS =0x1000000 MNT_ATTACH "
	  "MNT_DETACH =0x8000000 EVENT_ON_CHILD RENAME =0x40000000 ONDIR");
BITS(t_module_init, "MODULE_INIT_", "IGNORE_MODVERSIONS IGNORE_VERMAGIC COMPRESSED_FILE");
BITS(t_module_exit, "O_", "=0x800 NONBLOCK =0x200 TRUNC");

static void print_fanotify(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words classes = { "FAN_CLASS_", "NOTIF - - - CONTENT - - - PRE_CONTENT" };
	static const struct strace_words flags = {
		"FAN_", "CLOEXEC NONBLOCK - - UNLIMITED_QUEUE UNLIMITED_MARKS ENABLE_AUDIT REPORT_PIDFD "
			"REPORT_TID REPORT_FID REPORT_DIR_FID REPORT_NAME REPORT_TARGET_FID REPORT_FD_ERROR REPORT_MNT"
	};
	unsigned int value = strace_arg(line, arg);

	strace_word(line->out, &classes, value & 0xc);
	if (value & ~0xcU) {
		str_addc(line->out, '|');
		strace_bits(line->out, &flags, value & ~0xcU);
	}
}
const struct strace_type t_fanotify = { print_fanotify };

/* --- mounts --- */

/* Older programs have a magic number in the upper half of the flags. */
#define MS_MAGIC       0xc0ed0000U
#define MS_BELOW_MAGIC 0xffffU

static bool has_magic(uint64_t flags)
{
	return (flags & 0xffff0000) == MS_MAGIC;
}

static uint64_t mount_flags(const struct strace_line *line)
{
	uint64_t flags = strace_arg(line, 3);

	return has_magic(flags) ? flags & MS_BELOW_MAGIC : flags;
}

/* of 64 bits */
static void print_mount_flags(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words flags = { "MS_",
						   "RDONLY NOSUID NODEV NOEXEC SYNCHRONOUS REMOUNT MANDLOCK DIRSYNC NOSYMFOLLOW - NOATIME NODIRATIME BIND MOVE REC "
						   "SILENT POSIXACL UNBINDABLE PRIVATE SLAVE SHARED RELATIME KERNMOUNT I_VERSION STRICTATIME LAZYTIME "
						   "SUBMOUNT NOREMOTELOCK NOSEC BORN ACTIVE NOUSER" };

	uint64_t value = strace_arg(line, arg);

	if (!has_magic(value)) {
		strace_bits(line->out, &flags, value);
		return;
	}
	str_add(line->out, "MS_MGC_VAL");
	strace_bits_more(line->out, &flags, value & MS_BELOW_MAGIC);
}
const struct strace_type t_mount_flags = { print_mount_flags };

/* A change of a mount takes no type, and most no data either. */
#define MS_CHANGES  0x001e3020
#define MS_REMOUNTS 0x20

static void print_mount_type(struct strace_line *line, unsigned int arg)
{
	if (mount_flags(line) & MS_CHANGES)
		strace_address(line->out, strace_arg(line, arg));
	else
		t_text.print(line, arg);
}

static void print_mount_data(struct strace_line *line, unsigned int arg)
{
	uint64_t flags = mount_flags(line);

	if (flags & MS_CHANGES && !(flags & MS_REMOUNTS))
		strace_address(line->out, strace_arg(line, arg));
	else
		t_text.print(line, arg);
}
const struct strace_type t_mount_type = { print_mount_type,
					  .steps = { { STRACE_STRING, .from = SELF, .most = MOST_TEXT } } },
			 t_mount_data = { print_mount_data,
					  .steps = { { STRACE_STRING, .from = SELF, .most = MOST_TEXT } } };
BITS(t_umount_flags, "MNT_", "FORCE DETACH EXPIRE !UMOUNT_NOFOLLOW");
BITS(t_open_tree, "OPEN_TREE_",
     "CLONE NAMESPACE =0x80000 CLOEXEC =0x100 !AT_SYMLINK_NOFOLLOW =0x800 !AT_NO_AUTOMOUNT !AT_EMPTY_PATH =0x8000 "
     "!AT_RECURSIVE");
BITS(t_move_mount, "MOVE_MOUNT_",
     "F_SYMLINKS F_AUTOMOUNTS F_EMPTY_PATH - T_SYMLINKS T_AUTOMOUNTS T_EMPTY_PATH - SET_GROUP BENEATH");
BITS(t_fsopen, "FSOPEN_", "CLOEXEC");
BITS(t_fsmount, "FSMOUNT_", "CLOEXEC NAMESPACE");
BITS(t_mount_attr, "MOUNT_ATTR_",
     "RDONLY NOSUID NODEV NOEXEC =0x70 _ATIME =0x10 NOATIME STRICTATIME =0x80 NODIRATIME =0x100000 IDMAP NOSYMFOLLOW");
/* Those of fsmount: it maps no ids. */
BITS(t_mount_attr_new, "MOUNT_ATTR_",
     "RDONLY NOSUID NODEV NOEXEC =0x70 _ATIME =0x10 NOATIME STRICTATIME =0x80 NODIRATIME =0x200000 NOSYMFOLLOW");
/* Of mount_setattr: its size says what there is of it. */
static void print_mount_attr_in(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words kinds = { "MS_", "=0x20000 UNBINDABLE =0x40000 PRIVATE =0x80000 SLAVE =0x100000 SHARED" };
	const uint64_t *v;

	if (strace_arg(line, arg + 1) < 4 * sizeof(*v)) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	v = strace_struct(line, arg, 0, 4 * sizeof(*v));
	if (!v)
		return;
	str_add(line->out, "{attr_set=");
	strace_bits(line->out, t_mount_attr.data, v[0]);
	str_add(line->out, ", attr_clr=");
	strace_bits(line->out, t_mount_attr.data, v[1]);
	str_add(line->out, ", propagation=");
	strace_word(line->out, &kinds, v[2]);
	str_addf(line->out, ", userns_fd=%llu", (unsigned long long)v[3]);
	strace_rest(line, arg, 4 * sizeof(*v), strace_arg(line, arg + 1));
	str_addc(line->out, '}');
}
const struct strace_type t_mount_attr_in = { print_mount_attr_in,
					     .steps = { STEP_EXTENSIBLE(NEXT(1)) } };
BITS(t_fspick, "FSPICK_", "CLOEXEC SYMLINK_NOFOLLOW NO_AUTOMOUNT EMPTY_PATH");
WORDS(t_fsconfig, "FSCONFIG_",
      "SET_FLAG SET_STRING SET_BINARY SET_PATH SET_PATH_EMPTY SET_FD CMD_CREATE CMD_RECONFIGURE CMD_CREATE_EXCL");

static void print_swap_flags(struct strace_line *line, unsigned int arg)
{
	unsigned int flags = strace_arg(line, arg), priority = flags & 0x7fff;

	if (flags & ~0x7fffU) {
		strace_bits(line->out,
			    &(const struct strace_words){ "SWAP_FLAG_", "=0x8000 PREFER DISCARD DISCARD_ONCE DISCARD_PAGES" },
			    flags & ~0x7fffU);
		str_addf(line->out, "|%u", priority);
	} else {
		str_add_u64(line->out, flags);
	}
}
const struct strace_type t_swap_flags = { print_swap_flags };

/* --- the kernel's own --- */

/* What was asked of _sysctl, which kernels do not have any more. */
static void print_sysctl(struct strace_line *line, unsigned int arg)
{
	const uint64_t *v = strace_struct(line, arg, 0, 6 * sizeof(*v));

	if (!v)
		return;
	str_add(line->out, "{name=");
	strace_address(line->out, v[0]);
	str_addf(line->out, ", nlen=%d, oldval=", (int)v[1]);
	strace_address(line->out, v[2]);
	str_add(line->out, ", oldlenp=");
	strace_address(line->out, v[3]);
	str_add(line->out, ", newval=");
	strace_address(line->out, v[4]);
	str_addf(line->out, ", newlen=%llu}", (unsigned long long)v[5]);
}
const struct strace_type t_sysctl = { print_sysctl, .steps = { STEP_READS(6 * 8) } };

static void print_personality(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words kinds = { "PER_", "LINUX =8 LINUX32" };
	static const struct strace_words flags = {
		"", "=0x20000 UNAME26 ADDR_NO_RANDOMIZE FDPIC_FUNCPTRS MMAP_PAGE_ZERO ADDR_COMPAT_LAYOUT READ_IMPLIES_EXEC "
		    "ADDR_LIMIT_32BIT SHORT_INODE WHOLE_SECONDS STICKY_TIMEOUTS ADDR_LIMIT_3GB"
	};
	unsigned int value = arg < STRACE_ARGS ? strace_arg(line, arg) : (uint64_t)strace_ret(line);

	if (value == 0xffffffff) {
		str_add(line->out, "0xffffffff");
		return;
	}
	strace_word(line->out, &kinds, value & 0xff);
	strace_bits_more(line->out, &flags, value & ~0xffU);
}
const struct strace_type t_personality = { print_personality };

void strace_ret_personality(struct strace_line *line)
{
	str_addf(line->out, strace_ret(line) ? "%#x (" : "%x (", (unsigned int)strace_ret(line));
	print_personality(line, STRACE_ARGS);
	str_addc(line->out, ')');
}

static void add_log_level(struct strace_line *line)
{
	static const struct strace_words levels = { "LOGLEVEL_", "EMERG ALERT CRIT ERR WARNING NOTICE INFO DEBUG DEBUG+1" };
	unsigned int level = strace_arg(line, 2);

	str_add(line->out, ", ");
	strace_address(line->out, strace_arg(line, 1));
	str_addf(line->out, ", %d /* ", level);
	if (!strace_word_if(line->out, &levels, level))
		str_add(line->out, "LOGLEVEL_???");
	str_add(line->out, " */");
}

/* The operation, and all arguments of syslog that it has. */
static void print_syslog(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words actions = {
		"SYSLOG_ACTION_", "CLOSE OPEN READ READ_ALL READ_CLEAR CLEAR CONSOLE_OFF CONSOLE_ON CONSOLE_LEVEL SIZE_UNREAD "
				  "SIZE_BUFFER"
	};
	int action = strace_arg(line, arg);

	str_addf(line->out, "%d /* ", action);
	if (!strace_word_if(line->out, &actions, (unsigned int)action))
		str_add(line->out, "SYSLOG_ACTION_???");
	str_add(line->out, " */");
	if ((action >= 2 && action <= 4) || action < 0 || action > 10) {
		str_add(line->out, ", ");
		strace_address(line->out, strace_arg(line, 1));
		str_addf(line->out, ", %d", (int)strace_arg(line, 2));
	} else if (action == 8) {
		add_log_level(line);
	}
}
const struct strace_type t_syslog = { print_syslog };

WORDS(t_reboot_first, "LINUX_REBOOT_MAGIC1", "=0xfee1dead !LINUX_REBOOT_MAGIC1");
WORDS(t_reboot_second, "LINUX_REBOOT_MAGIC2",
      "=672274793 !LINUX_REBOOT_MAGIC2 =85072278 !LINUX_REBOOT_MAGIC2A =369367448 !LINUX_REBOOT_MAGIC2B "
      "=537993216 !LINUX_REBOOT_MAGIC2C");
WORDS(t_reboot, "LINUX_REBOOT_CMD_",
      "=0x1234567 RESTART =0xcdef0123 HALT =0x89abcdef CAD_ON =0 CAD_OFF =0x4321fedc POWER_OFF =0xa1b2c3d4 RESTART2 "
      "=0x45584543 KEXEC =0xd000fce2 SW_SUSPEND");

/* Only one command has a text. */
static void print_reboot_text(struct strace_line *line, unsigned int arg)
{
	if ((uint32_t)strace_arg(line, arg - 1) == 0xa1b2c3d4)
		strace_string(line, strace_blob(line, arg, 0, 0), strace_arg(line, arg), false);
}
const struct strace_type t_reboot_text = {
	print_reboot_text,
	.steps = { { STRACE_STRING, .from = SELF, .most = MOST_TEXT } },
	.enter = true,
};
