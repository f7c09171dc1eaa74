// SPDX-License-Identifier: BSD-2-Clause
/* Structs that calls read and write. */
#include <linux/sched.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "strace_part.h"
#include "types.h"

#define L(X) ((long long)(X))
#define U(X) ((unsigned long long)(X))

/* --- files --- */

static void add_device(struct str *out, const char *name, dev_t device)
{
	str_addf(out, "%s=", name);
	strace_device(out, device);
}

static void add_time(struct str *out, const char *name, const struct timespec *time)
{
	char text[40];
	struct tm tm;

	str_addf(out, ", %s=%lld", name, L(time->tv_sec));
	if (time->tv_sec && localtime_r(&time->tv_sec, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm)) {
		str_addf(out, " /* %s", text);
		if (time->tv_nsec)
			str_addf(out, ".%09ld", time->tv_nsec);
		strftime(text, sizeof(text), "%z", &tm);
		str_addf(out, "%s */", text);
	}
	str_addf(out, ", %s_nsec=%ld", name, time->tv_nsec);
}

static void print_stat(struct strace_line *line, unsigned int arg)
{
	const struct stat *st = strace_struct(line, arg, 0, sizeof(*st));
	struct str *out = line->out;

	if (!st)
		return;
	str_addc(out, '{');
	if (line->settings->whole) {
		add_device(out, "st_dev", st->st_dev);
		str_addf(out, ", st_ino=%llu, ", U(st->st_ino));
	}
	str_add(out, "st_mode=");
	strace_mode(out, st->st_mode, true);
	if (line->settings->whole)
		str_addf(out, ", st_nlink=%llu, st_uid=%u, st_gid=%u, st_blksize=%lld, st_blocks=%lld", U(st->st_nlink),
			 st->st_uid, st->st_gid, L(st->st_blksize), L(st->st_blocks));
	str_add(out, ", ");
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
		add_device(out, "st_rdev", st->st_rdev);
	else
		str_addf(out, "st_size=%lld", L(st->st_size));
	if (line->settings->whole) {
		add_time(out, "st_atime", &st->st_atim);
		add_time(out, "st_mtime", &st->st_mtim);
		add_time(out, "st_ctime", &st->st_ctim);
		str_addc(out, '}');
	} else {
		str_add(out, ", ...}");
	}
}
const struct strace_type t_stat = { print_stat, .steps = { STEP_WRITES(sizeof(struct stat)) } };

void strace_date_remark(struct str *out, int64_t seconds, uint64_t ns)
{
	char text[40], zone[8];
	time_t time = seconds;
	struct tm tm;

	if ((!seconds && !ns) || ns > 999999999 || !localtime_r(&time, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	strftime(zone, sizeof(zone), "%z", &tm);
	str_addf(out, " /* %s", text);
	if (ns)
		str_addf(out, ".%09u", (unsigned int)ns);
	str_addf(out, "%s */", zone);
}

static void add_statx_time(struct str *out, const char *name, const struct statx_timestamp *time)
{
	str_addf(out, ", stx_%s={tv_sec=%lld, tv_nsec=%u}", name, L(time->tv_sec), time->tv_nsec);
	strace_date_remark(out, time->tv_sec, time->tv_nsec);
}

/* All members, with -v. */
static void add_statx_rest(struct str *out, const struct statx *st, const struct strace_words *attributes)
{
	str_addf(out, ", stx_ino=%llu, stx_size=%llu, stx_blocks=%llu, stx_attributes_mask=", U(st->stx_ino),
		 U(st->stx_size), U(st->stx_blocks));
	strace_bits(out, attributes, st->stx_attributes_mask);
	add_statx_time(out, "atime", &st->stx_atime);
	if (st->stx_mask & STATX_BTIME)
		add_statx_time(out, "btime", &st->stx_btime);
	add_statx_time(out, "ctime", &st->stx_ctime);
	add_statx_time(out, "mtime", &st->stx_mtime);
	str_addf(out, ", stx_rdev_major=%u, stx_rdev_minor=%u, stx_dev_major=%u, stx_dev_minor=%u", st->stx_rdev_major,
		 st->stx_rdev_minor, st->stx_dev_major, st->stx_dev_minor);
	/* the mount's number is the first 8 bytes behind the device */
	if (st->stx_mask & 0x1000)
		str_addf(out, ", stx_mnt_id=%#llx", U(*(const uint64_t *)(&st->stx_dev_minor + 1)));
	str_addc(out, '}');
}

static void print_statx(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words attributes = {
		"STATX_ATTR_", "=4 COMPRESSED =0x10 IMMUTABLE APPEND NODUMP =0x800 ENCRYPTED AUTOMOUNT MOUNT_ROOT "
			       "=0x100000 VERITY DAX"
	};
	const struct statx *st = strace_struct(line, arg, 0, sizeof(*st));
	struct str *out = line->out;

	if (!st)
		return;
	str_add(out, "{stx_mask=");
	strace_flags(out, t_statx_mask.data, st->stx_mask);
	if (line->settings->whole)
		str_addf(out, ", stx_blksize=%u", st->stx_blksize);
	str_add(out, ", stx_attributes=");
	strace_bits(out, &attributes, st->stx_attributes);
	if (line->settings->whole)
		str_addf(out, ", stx_nlink=%u, stx_uid=%u, stx_gid=%u", st->stx_nlink, st->stx_uid, st->stx_gid);
	str_add(out, ", stx_mode=");
	strace_mode(out, st->stx_mode, true);
	if (line->settings->whole)
		add_statx_rest(out, st, &attributes);
	else
		str_addf(out, ", stx_size=%llu, ...}", U(st->stx_size));
}
const struct strace_type t_statx = { print_statx, .steps = { STEP_WRITES(sizeof(struct statx)) } };

void strace_filesystem(struct str *out, uint64_t magic)
{
	static STRACE_FAMILY(types, "???", { "EXT2_SUPER_MAGIC", 0xef53 }, { "TMPFS_MAGIC", 0x01021994 },
			     { "CGROUP_SUPER_MAGIC", 0x27e0eb }, { "DEBUGFS_MAGIC", 0x64626720 },
			     { "TRACEFS_MAGIC", 0x74726163 }, { "RAMFS_MAGIC", 0x858458f6 },
			     { "FUSE_SUPER_MAGIC", 0x65735546 }, { "NFS_SUPER_MAGIC", 0x6969 },
			     { "HUGETLBFS_MAGIC", 0x958458f6 }, { "SQUASHFS_MAGIC", 0x73717368 },
			     { "PROC_SUPER_MAGIC", 0x9fa0 }, { "SYSFS_MAGIC", 0x62656572 },
			     { "OVERLAYFS_SUPER_MAGIC", 0x794c7630 }, { "BTRFS_SUPER_MAGIC", 0x9123683e },
			     { "XFS_SUPER_MAGIC", 0x58465342 }, { "CGROUP2_SUPER_MAGIC", 0x63677270 },
			     { "DEVPTS_SUPER_MAGIC", 0x1cd1 }, { "SELINUX_MAGIC", 0xf97cff8c },
			     { "SECURITYFS_MAGIC", 0x73636673 }, { "BPF_FS_MAGIC", 0xcafe4a11 });

	strace_choice(out, &types, magic);
}

static void print_statfs(struct strace_line *line, unsigned int arg)
{
	static STRACE_FAMILY(flags, "ST_???", { "ST_VALID", 0x20 }, { "ST_RDONLY", 1 }, { "ST_NOSUID", 2 },
			     { "ST_NODEV", 4 }, { "ST_NOEXEC", 8 }, { "ST_SYNCHRONOUS", 16 },
			     { "ST_MANDLOCK", 64 }, { "ST_NOATIME", 1024 }, { "ST_NODIRATIME", 2048 },
			     { "ST_RELATIME", 4096 }, { "ST_NOSYMFOLLOW", 8192 });
	const struct statfs *st = strace_struct(line, arg, 0, sizeof(*st));
	struct str *out = line->out;

	if (!st)
		return;
	str_add(out, "{f_type=");
	strace_filesystem(out, st->f_type);
	str_addf(out,
		 ", f_bsize=%lld, f_blocks=%llu, f_bfree=%llu, f_bavail=%llu, f_files=%llu, f_ffree=%llu, "
		 "f_fsid={val=[%#x, %#x]}, f_namelen=%lld, f_frsize=%lld, f_flags=",
		 L(st->f_bsize), U(st->f_blocks), U(st->f_bfree), U(st->f_bavail), U(st->f_files), U(st->f_ffree),
		 st->f_fsid.__val[0], st->f_fsid.__val[1], L(st->f_namelen), L(st->f_frsize));
	strace_flags(out, &flags, st->f_flags);
	str_addc(out, '}');
}
const struct strace_type t_statfs = { print_statfs, .steps = { STEP_WRITES(sizeof(struct statfs)) } };

static void print_dirents(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_ok(line) ? strace_blob(line, arg, 0, 0) : NULL;
	const struct strace_blob *entries = strace_ok(line) ? strace_blob(line, arg, 1, 0) : NULL;

	if (entries && entries->status != STRACE_UNREAD) {
		strace_dirents(line, entries);
		return;
	}
	strace_address(line->out, strace_arg(line, arg));
	if (blob && blob->status == STRACE_WHOLE)
		str_addf(line->out, " /* %u entries */", blob->all);
}
const struct strace_type t_dirents = {
	print_dirents,
	.steps = {
		{ STRACE_ENTRIES, .from = SELF, .count_from = STRACE_FROM_RET, .scale = 1, .when = STRACE_IF_OK },
		{ STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_RET, .scale = 1, .most = STRACE_ROOM - 256,
		  .when = STRACE_IF_OK | STRACE_IF_WHOLE },
	},
};

static void print_offset(struct strace_line *line, unsigned int arg)
{
	struct strace_line before = *line;
	const struct strace_blob *was, *is;

	before.exit = NULL;
	was = line->enter ? strace_blob(&before, arg, 0, 0) : NULL;
	is = line->exit ? strace_blob(line, arg, 0, 0) : NULL;
	if (!was || was->n < 8) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	str_addf(line->out, "[%llu]", U(*(const uint64_t *)strace_bytes(was)));
	if (is && is != was && is->n >= 8 && *(const int64_t *)strace_bytes(is) != *(const int64_t *)strace_bytes(was))
		str_addf(line->out, " => [%llu]", U(*(const uint64_t *)strace_bytes(is)));
}
const struct strace_type t_offset = { print_offset, .both = true, .steps = { STEP_READS(8) } };

/* --- times --- */

static void print_timespec(struct strace_line *line, unsigned int arg)
{
	const void *time = strace_struct(line, arg, 0, sizeof(struct timespec));

	if (time)
		strace_timespec(line->out, time);
}
const struct strace_type t_timespec_out = { print_timespec, .steps = { STEP_WRITES(16) } };

static void print_timespec_before(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_before(line, arg);

	if (blob && blob->n == 16 && blob->status == STRACE_WHOLE)
		strace_timespec(line->out, strace_bytes(blob));
	else
		strace_address(line->out, strace_arg(line, arg));
}

static void print_timespec_left(struct strace_line *line, unsigned int arg)
{
	/* the kernel writes it if a signal came */
	if (line->exit && (line->exit->ret == -4 || line->exit->ret == -516))
		print_timespec(line, arg);
	else
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_timespec = { print_timespec_before, .both = true, .steps = { STEP_READS(16) } };
const struct strace_type t_timespec_left = { print_timespec_left, .steps = { STEP_READS(16) } };

static void add_stamp(struct strace_line *line, const void *element, size_t index)
{
	const struct timespec *time = element;
	struct str *out = line->out;
	struct str number __str = {};

	if (time->tv_nsec == UTIME_NOW || time->tv_nsec == UTIME_OMIT) {
		strace_timespec(&number, time);
		strace_constant(out, number.data, time->tv_nsec == UTIME_NOW ? "UTIME_NOW" : "UTIME_OMIT");
		return;
	}
	strace_timespec(out, time);
	strace_date_remark(out, time->tv_sec, time->tv_nsec);
	(void)index;
}

static void print_times(struct strace_line *line, unsigned int arg)
{
	const struct timespec *times = strace_struct(line, arg, 0, 2 * sizeof(*times));

	if (!times)
		return;
	strace_array(line, arg, 0, 2, sizeof(*times), add_stamp);
}
const struct strace_type t_times = { print_times, .steps = { STEP_READS(32) } };

static void print_timeval(struct strace_line *line, unsigned int arg)
{
	const struct timeval *time = strace_struct(line, arg, 0, sizeof(*time));

	if (time)
		strace_timeval(line->out, time);
}
const struct strace_type t_timeval_out = { print_timeval, .steps = { STEP_WRITES(16) } },
			 t_timeval_in = { print_timeval, .steps = { STEP_READS(16) } };

static void print_itimerspec(struct strace_line *line, unsigned int arg)
{
	const struct itimerspec *timer = strace_struct(line, arg, 0, sizeof(*timer));

	if (!timer)
		return;
	str_add(line->out, "{it_interval=");
	strace_timespec(line->out, &timer->it_interval);
	str_add(line->out, ", it_value=");
	strace_timespec(line->out, &timer->it_value);
	str_addc(line->out, '}');
}
const struct strace_type t_itimerspec = { print_itimerspec, .steps = { STEP_READS(32) } },
			 t_itimerspec_out = { print_itimerspec, .steps = { STEP_WRITES(32) } };

/* --- limits and accounts --- */

static void add_limit(struct strace_line *line, uint64_t limit)
{
	/* prlimit64 has the same limits in all programs */
	bool narrow = strace_is_narrow(line) && !strstr(line->call->name, "64");
	struct str *out = line->out;
	char number[32];

	snprintf(number, sizeof(number), "%llu", U(limit));
	if (limit == UINT64_MAX)
		strace_constant(out, number, narrow ? "RLIM_INFINITY" : "RLIM64_INFINITY");
	else if (limit > 1024 && !(limit % 1024))
		strace_named(out, number, "%llu*1024", U(limit / 1024));
	else
		str_add(out, number);
}

static void print_rlimit(struct strace_line *line, unsigned int arg)
{
	const uint64_t *limits = strace_struct(line, arg, 0, 2 * sizeof(*limits));

	if (!limits)
		return;
	str_add(line->out, "{rlim_cur=");
	add_limit(line, limits[0]);
	str_add(line->out, ", rlim_max=");
	add_limit(line, limits[1]);
	str_addc(line->out, '}');
}
const struct strace_type t_rlimit = { print_rlimit, .steps = { STEP_READS(16) } },
			 t_rlimit_out = { print_rlimit, .steps = { STEP_WRITES(16) } };

static void print_rusage(struct strace_line *line, unsigned int arg)
{
	const struct rusage *usage = strace_struct(line, arg, 0, sizeof(*usage));

	if (!usage)
		return;
	str_add(line->out, "{ru_utime=");
	strace_timeval(line->out, &usage->ru_utime);
	str_add(line->out, ", ru_stime=");
	strace_timeval(line->out, &usage->ru_stime);
	if (line->settings->whole)
		str_addf(line->out,
			 ", ru_maxrss=%lld, ru_ixrss=%lld, ru_idrss=%lld, ru_isrss=%lld, ru_minflt=%lld, ru_majflt=%lld, "
			 "ru_nswap=%lld, ru_inblock=%lld, ru_oublock=%lld, ru_msgsnd=%lld, ru_msgrcv=%lld, "
			 "ru_nsignals=%lld, ru_nvcsw=%lld, ru_nivcsw=%lld}",
			 L(usage->ru_maxrss), L(usage->ru_ixrss), L(usage->ru_idrss), L(usage->ru_isrss), L(usage->ru_minflt),
			 L(usage->ru_majflt), L(usage->ru_nswap), L(usage->ru_inblock), L(usage->ru_oublock),
			 L(usage->ru_msgsnd), L(usage->ru_msgrcv), L(usage->ru_nsignals), L(usage->ru_nvcsw),
			 L(usage->ru_nivcsw));
	else
		str_add(line->out, ", ...}");
}
const struct strace_type t_rusage = { print_rusage, .steps = { STEP_WRITES(sizeof(struct rusage)) } };

static void add_load(struct strace_line *line, const void *element, size_t index)
{
	(void)index;
	/* the time stands before them */
	str_add_u64(line->out, ((const unsigned long *)element)[1]);
}

static void print_sysinfo(struct strace_line *line, unsigned int arg)
{
	const struct sysinfo *info = strace_struct(line, arg, 0, sizeof(*info));

	if (!info)
		return;
	str_addf(line->out, "{uptime=%lld, loads=", L(info->uptime));
	strace_array(line, arg, 0, 3, sizeof(info->loads[0]), add_load);
	str_addf(line->out,
		 ", totalram=%llu, freeram=%llu, sharedram=%llu, bufferram=%llu, "
		 "totalswap=%llu, freeswap=%llu, procs=%u, totalhigh=%llu, freehigh=%llu, mem_unit=%u}",
		 U(info->totalram), U(info->freeram), U(info->sharedram), U(info->bufferram), U(info->totalswap), U(info->freeswap),
		 info->procs, U(info->totalhigh), U(info->freehigh), info->mem_unit);
}
const struct strace_type t_sysinfo = { print_sysinfo, .steps = { STEP_WRITES(sizeof(struct sysinfo)) } };

/* In hundredths of a second. */
static void print_tms(struct strace_line *line, unsigned int arg)
{
	static const char *const names[] = { "{tms_utime", ", tms_stime", ", tms_cutime", ", tms_cstime" };
	const uint64_t *ticks = strace_struct(line, arg, 0, ARRAY_SIZE(names) * sizeof(*ticks));

	if (!ticks)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		unsigned long long n = ticks[i];

		str_addf(line->out, "%s=%llu", names[i], n);
		if (n && strace_style() != STRACE_NUMBERS)
			str_addf(line->out, " /* %llu.%02llu s */", n / 100, n % 100);
	}
	str_addc(line->out, '}');
}
const struct strace_type t_tms = { print_tms, .steps = { STEP_WRITES(32) } };

static void add_uname(struct strace_line *line, const char *name, const char *text)
{
	str_addf(line->out, "%s=", name);
	strace_text(line, text, strnlen(text, sizeof(((struct utsname *)0)->sysname)), false);
}

static void print_uname(struct strace_line *line, unsigned int arg)
{
	const struct utsname *name = strace_struct(line, arg, 0, sizeof(*name));

	if (!name)
		return;
	add_uname(line, "{sysname", name->sysname);
	add_uname(line, ", nodename", name->nodename);
	if (line->settings->whole) {
		add_uname(line, ", release", name->release);
		add_uname(line, ", version", name->version);
		add_uname(line, ", machine", name->machine);
		add_uname(line, ", domainname", name->machine + sizeof(name->machine));
		str_addc(line->out, '}');
	} else {
		str_add(line->out, ", ...}");
	}
}
const struct strace_type t_uname = { print_uname, .steps = { STEP_WRITES(sizeof(struct utsname)) } };

/* --- processes --- */

/* A traced process is stopped by calls, with a bit beside the signal, and by events, whose number is above it. */
static void add_stopped(struct str *out, unsigned int status)
{
	static const struct strace_words events = { "PTRACE_EVENT_", "- FORK VFORK CLONE EXEC VFORK_DONE EXIT SECCOMP =128 STOP" };
	unsigned int event = status >> 16;

	str_add(out, "[{WIFSTOPPED(s) && WSTOPSIG(s) == ");
	strace_signal_name(out, WSTOPSIG(status) & 0x7f);
	str_add(out, WSTOPSIG(status) & 0x80 ? " | 0x80}" : "}");
	if (event) {
		str_addc(out, '|');
		strace_word(out, &events, event);
		str_add(out, "<<16");
	}
	str_addc(out, ']');
}

static void print_wait_status(struct strace_line *line, unsigned int arg)
{
	const int *status = strace_ok(line) && strace_ret(line) > 0 ? strace_struct(line, arg, 0, sizeof(*status)) : NULL;
	struct str *out = line->out;

	if (!strace_ok(line) || strace_ret(line) <= 0) {
		strace_address(out, strace_arg(line, arg));
		return;
	}
	if (!status)
		return;
	if (WIFEXITED(*status)) {
		str_addf(out, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]", WEXITSTATUS(*status));
	} else if (WIFSIGNALED(*status)) {
		str_add(out, "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
		strace_signal_name(out, WTERMSIG(*status));
		str_add(out, WCOREDUMP(*status) ? " && WCOREDUMP(s)}]" : "}]");
	} else if (WIFSTOPPED(*status)) {
		add_stopped(out, *status);
	} else {
		str_add(out, "[{WIFCONTINUED(s)}]");
	}
}
const struct strace_type t_wait_status = { print_wait_status, .steps = { STEP_WRITES(4) } };

static void print_cpus(struct strace_line *line, unsigned int arg)
{
	bool is_there = strace_ok(line) || line->call->args[arg] == &t_cpus_in;
	const struct strace_blob *blob = is_there ? strace_blob(line, arg, 0, 0) : NULL;
	const unsigned char *bytes = blob ? strace_bytes(blob) : NULL;
	const char *separator = "";

	if (!blob || blob->status == STRACE_UNREAD) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	str_addc(line->out, '[');
	for (size_t i = 0; i < blob->n * 8U; i++)
		if (bytes[i / 8] >> i % 8 & 1) {
			str_addf(line->out, "%s%zu", separator, i);
			separator = " ";
		}
	str_addc(line->out, ']');
}
const struct strace_type t_cpus = {
	print_cpus,
	.steps = { STEP_FILLED(1, 1024) },
};
const struct strace_type t_cpus_in = { print_cpus, .steps = { STEP_ARRAY(BEFORE, 1, 1024) } };

static void print_ids(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_ok(line) && strace_ret(line) > 0 ? strace_blob(line, arg, 0, 0) : NULL;
	const uint32_t *ids = blob ? strace_bytes(blob) : NULL;

	if (strace_ok(line) && strace_arg(line, arg) && (!(int)strace_arg(line, arg - 1) || !strace_ret(line))) {
		str_add(line->out, "[]");
		return;
	}
	if (!blob || blob->status == STRACE_UNREAD || (int)strace_arg(line, arg - 1) == 0) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	str_addc(line->out, '[');
	for (size_t i = 0; i < blob->n / sizeof(*ids); i++) {
		if (i >= line->settings->size) {
			str_add(line->out, ", ...");
			break;
		}
		str_addf(line->out, "%s%u", i ? ", " : "", ids[i]);
	}
	str_addc(line->out, ']');
}
const struct strace_type t_ids_out = {
	print_ids,
	.steps = { STEP_FILLED(4, 1024) },
};

static void print_number(struct strace_line *line, unsigned int arg)
{
	const int *number = strace_struct(line, arg, 0, sizeof(*number));

	if (number)
		str_addf(line->out, "[%d]", *number);
}
const struct strace_type t_number_out = { print_number, .steps = { STEP_WRITES(4) } };

static void add_child(struct strace_line *line)
{
	str_addc(line->out, '[');
	strace_child(line, strace_ret(line));
	str_addc(line->out, ']');
}

/* Only in 64-bit programs of x86 the address of the child's number comes before that of its thread's memory. */
#if defined(__x86_64__)
#define OWN_CLONE_IS_BACKWARDS false
#else
#define OWN_CLONE_IS_BACKWARDS true
#endif

/* All arguments of clone, in the order of the C library's. */
static void print_clone(struct strace_line *line, unsigned int arg)
{
	uint64_t flags = strace_arg(line, 0), signal = flags & 0xff;
	bool backwards = strace_is_narrow(line) || OWN_CLONE_IS_BACKWARDS;
	unsigned int tls = backwards ? 3 : 4, child = backwards ? 4 : 3;
	struct str *out = line->out;

	str_add(out, "child_stack=");
	strace_address(out, strace_arg(line, 1));
	str_add(out, ", flags=");
	flags &= ~0xffULL;
	if (flags || !signal)
		strace_flags(out, t_clone_flags.data, flags);
	if (signal) {
		if (flags)
			str_addc(out, '|');
		strace_signal(out, signal);
	}
	if (flags & CLONE_PARENT_SETTID) {
		str_add(out, ", parent_tid=");
		if (strace_ok(line))
			add_child(line);
		else
			strace_address(out, strace_arg(line, 2));
	}
	if (flags & CLONE_SETTLS)
		str_addf(out, ", tls=%#llx", U(strace_arg(line, tls)));
	if (flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		str_add(out, ", child_tidptr=");
	if (flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		strace_address(out, strace_arg(line, child));
}
const struct strace_type t_clone = { print_clone };

static void add_set_tid(struct str *out, const struct clone_args *args)
{
	str_add(out, ", set_tid=");
	strace_address(out, args->set_tid);
	str_addf(out, ", set_tid_size=%llu", U(args->set_tid_size));
}

/* clone3's arguments; what the kernel has written is the thread's number. */
static void print_clone_args(struct strace_line *line, unsigned int arg)
{
	uint64_t size = strace_arg(line, arg + 1);
	const struct clone_args *args;
	struct str *out = line->out;

	if (size < CLONE_ARGS_SIZE_VER0) {
		strace_address(out, strace_arg(line, arg));
		return;
	}
	args = strace_struct(line, arg, 0, size < sizeof(*args) ? size : sizeof(*args));
	if (!args)
		return;
	str_add(out, "{flags=");
	strace_flags(out, t_clone_flags.data, args->flags);
	if (args->flags & CLONE_PIDFD)
		str_addf(out, ", pidfd=%#llx", U(args->pidfd));
	if (args->flags & (CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID))
		str_addf(out, ", child_tid=%#llx", U(args->child_tid));
	if (args->flags & CLONE_PARENT_SETTID)
		str_addf(out, ", parent_tid=%#llx", U(args->parent_tid));
	str_add(out, ", exit_signal=");
	if (args->exit_signal <= 64)
		strace_signal(out, args->exit_signal);
	else
		str_add_u64(out, args->exit_signal);
	str_addf(out, ", stack=");
	strace_address(out, args->stack);
	str_addf(out, ", stack_size=%#llx", U(args->stack_size));
	if (args->flags & CLONE_SETTLS)
		str_addf(out, ", tls=%#llx", U(args->tls));
	if (size >= CLONE_ARGS_SIZE_VER1 && (args->set_tid || args->set_tid_size))
		add_set_tid(out, args);
	if (size >= CLONE_ARGS_SIZE_VER2 && (args->cgroup || args->flags & CLONE_INTO_CGROUP))
		str_addf(out, ", cgroup=%llu", U(args->cgroup));
	if (size > CLONE_ARGS_SIZE_VER2)
		strace_rest(line, arg, CLONE_ARGS_SIZE_VER2, size);
	str_addc(out, '}');
	if (strace_ok(line) && args->flags & CLONE_PARENT_SETTID) {
		str_add(out, " => {parent_tid=");
		add_child(line);
		str_addc(out, '}');
	}
}
const struct strace_type t_clone_args = {
	print_clone_args,
	.steps = { STEP_EXTENSIBLE(NEXT(1)) },
};
