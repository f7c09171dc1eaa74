// SPDX-License-Identifier: BSD-2-Clause
/* Structs of calls about processes that are seldom made: rights, scheduling, memory policies, timers. */
#include <linux/capability.h>
#include <signal.h>
#include <sys/timex.h>
#include <time.h>

#include "strace_part.h"
#include "types.h"

#define L(X) ((long long)(X))
#define U(X) ((unsigned long long)(X))

/* --- numbers behind pointers --- */

static void print_int_at(struct strace_line *line, unsigned int arg)
{
	const int *number = strace_struct(line, arg, 0, sizeof(*number));

	if (number)
		str_addf(line->out, "[%d]", *number);
}
const struct strace_type t_int_in = { print_int_at, .steps = { STEP_READS(4) } };

static void print_unsigned_at(struct strace_line *line, unsigned int arg)
{
	const unsigned int *number = strace_struct(line, arg, 0, sizeof(*number));

	if (number)
		str_addf(line->out, "[%u]", *number);
}
const struct strace_type t_unsigned_out = { print_unsigned_at, .steps = { STEP_WRITES(4) } };

static void print_address_at(struct strace_line *line, unsigned int arg)
{
	const uint64_t *address = strace_struct(line, arg, 0, sizeof(*address));

	if (!address)
		return;
	str_addc(line->out, '[');
	strace_address(line->out, *address);
	str_addc(line->out, ']');
}
const struct strace_type t_address_out = { print_address_at, .steps = { STEP_WRITES(8) } };

static void print_size_at(struct strace_line *line, unsigned int arg)
{
	const uint64_t *number = strace_struct(line, arg, 0, sizeof(*number));

	if (number)
		str_addf(line->out, "[%llu]", U(*number));
}
const struct strace_type t_size_out = { print_size_at, .steps = { STEP_WRITES(8) } };

/* --- rights --- */

#define CAPS \
	"CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE " \
	"NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN " \
	"SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP " HIGH_CAPS
/* from the 32nd on */
#define HIGH_CAPS "MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE"
const struct strace_words strace_capabilities = { "CAP_", CAPS };

static void print_cap_head(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words versions = {
		"_LINUX_CAPABILITY_VERSION_", "=0x19980330 1 =0x20071026 2 =0x20080522 3"
	};
	const struct __user_cap_header_struct *head = strace_struct(line, arg, 0, sizeof(*head));

	if (!head)
		return;
	str_add(line->out, "{version=");
	strace_word(line->out, &versions, head->version);
	str_add(line->out, ", pid=");
	strace_pid(line, head->pid);
	str_addc(line->out, '}');
}
const struct strace_type t_cap_head = { print_cap_head, .enter = true, .steps = { STEP_READS(8) } };

static void add_caps(struct str *out, const char *name, uint64_t low, uint64_t high)
{
	static const struct strace_words bits = { "1<<CAP_", CAPS }, high_bits = { "1<<CAP_", HIGH_CAPS };

	str_addf(out, "%s=", name);
	/* numbers are those of the two halves */
	if (strace_style() == STRACE_NAMES || !high) {
		strace_bits(out, &bits, low | high << 32);
		return;
	}
	if (low)
		strace_bits(out, &bits, low);
	str_add(out, low ? "|" : "");
	strace_bits(out, &high_bits, high);
}

static void print_cap_data(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *whole = strace_blob(line, arg, 0, 0);
	const struct __user_cap_data_struct *data = strace_struct(line, arg, 1, sizeof(*data));
	const struct strace_blob *head = strace_blob(line, 0, 0, 0);
	const struct __user_cap_header_struct *version = head ? strace_bytes(head) : NULL;
	bool two = data && whole && whole->status == STRACE_WHOLE && whole->n >= 2 * sizeof(*data) && head &&
		   head->status == STRACE_WHOLE && head->n >= sizeof(*version) &&
		   (version->version == _LINUX_CAPABILITY_VERSION_2 || version->version == _LINUX_CAPABILITY_VERSION_3);

	if (!data)
		return;
	/* the head says what the data are */
	if (!head || head->status == STRACE_UNREAD) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	if (two)
		data = strace_bytes(whole);
	add_caps(line->out, "{effective", data[0].effective, two ? data[1].effective : 0);
	add_caps(line->out, ", permitted", data[0].permitted, two ? data[1].permitted : 0);
	add_caps(line->out, ", inheritable", data[0].inheritable, two ? data[1].inheritable : 0);
	str_addc(line->out, '}');
}
const struct strace_type t_cap_data = { print_cap_data, .enter = true, .steps = { STEP_READS(24), STEP_READS(12) } },
			 t_cap_data_out = { print_cap_data, .steps = { STEP_WRITES(24), STEP_WRITES(12) } };

static void add_id(struct strace_line *line, const void *element, size_t index)
{
	uint32_t id;

	memcpy(&id, element, sizeof(id));
	if (id == UINT32_MAX)
		str_add(line->out, "-1");
	else
		str_add_u64(line->out, id);
}

/* More than the kernel takes is an address. */
static void print_ids_in(struct strace_line *line, unsigned int arg)
{
	int n = strace_arg(line, arg - 1);

	if (n < 0 || n > 65536)
		strace_address(line->out, strace_arg(line, arg));
	else
		strace_array(line, arg, 0, n, sizeof(uint32_t), add_id);
}
const struct strace_type t_ids_in = { print_ids_in, .steps = { STEP_ARRAY_TO_EDGE(BEFORE, 4, 256) } };

/* --- what two processes share --- */

enum {
	KCMP_FILE = 0,
	KCMP_EPOLL = 7,
	KCMP_KINDS = 8,
};

/* Descriptors of files, or nothing. */
static void print_kcmp(struct strace_line *line, unsigned int arg)
{
	unsigned int kind = strace_arg(line, 2);
	const uint32_t *slot;

	if (kind >= KCMP_KINDS) {
		str_addf(line->out, "%#llx", U(strace_arg(line, arg)));
	} else if (kind == KCMP_FILE || (kind == KCMP_EPOLL && arg == 3)) {
		str_add_s64(line->out, (int)strace_arg(line, arg));
	} else if (kind == KCMP_EPOLL) {
		slot = strace_struct(line, arg, 0, 3 * sizeof(*slot));
		if (slot)
			str_addf(line->out, "{efd=%d, tfd=%d, toff=%u}", (int)slot[0], (int)slot[1], slot[2]);
	}
}
const struct strace_type t_kcmp_first = { print_kcmp },
			 t_kcmp_second = { print_kcmp, .steps = { STEP_READS(12) } };

/* --- descriptors of segments --- */

/* out: the call fills in all but the number of the entry. */
static void add_user_desc(struct strace_line *line, unsigned int arg, bool out)
{
	/* a call that fails leaves all but the number */
	bool only_number = out && !strace_ok(line);
	const uint32_t *v = strace_struct(line, arg, only_number, only_number ? sizeof(*v) : 4 * sizeof(*v));
	uint32_t bits;

	if (!v)
		return;
	str_addf(line->out, (int)v[0] == -1 ? "{entry_number=-1" : "{entry_number=%u", v[0]);
	if (only_number) {
		str_add(line->out, ", ...}");
		return;
	}
	bits = v[3];
	str_addf(line->out, ", base_addr=%#08x, limit=%#08x, seg_32bit=%u, contents=%u, read_exec_only=%u, limit_in_pages=%u, ",
		 v[1], v[2], bits & 1, bits >> 1 & 3, bits >> 3 & 1, bits >> 4 & 1);
	str_addf(line->out, "seg_not_present=%u, useable=%u, lm=%u}", bits >> 5 & 1, bits >> 6 & 1, bits >> 7 & 1);
}

static void print_user_desc(struct strace_line *line, unsigned int arg)
{
	add_user_desc(line, arg, false);
}

static void print_user_desc_out(struct strace_line *line, unsigned int arg)
{
	add_user_desc(line, arg, true);
}

/* Of modify_ldt: if its length is that of one. */
static void print_ldt(struct strace_line *line, unsigned int arg)
{
	if (strace_arg(line, arg + 1) == 16)
		add_user_desc(line, arg, false);
	else
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_ldt = { print_ldt, .enter = true, .steps = { STEP_READS(16) } };
const struct strace_type t_user_desc = { print_user_desc, .steps = { STEP_READS(16) } },
			 t_user_desc_out = { print_user_desc_out, .steps = { STEP_READS(16), STEP_READS(4) } };

/* Its errors are numbers without a sign, of 32 bits. */
void strace_ret_modify_ldt(struct strace_line *line)
{
	int64_t ret = strace_ret(line);
	int64_t error = -(int64_t)(int)ret;

	str_add_s64(line->out, ret);
	if (error > 0 && error <= 4095 && strerrorname_np(error))
		str_addf(line->out, " %s (%s)", strerrorname_np(error), strerror(error));
}

/* --- scheduling --- */

#define KEEP_POLICY 0x08
#define KEEP_PARAMS 0x10

static void print_sched_attr(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words flags = {
		"SCHED_FLAG_", "RESET_ON_FORK RECLAIM DL_OVERRUN KEEP_POLICY KEEP_PARAMS UTIL_CLAMP_MIN UTIL_CLAMP_MAX"
	};
	const struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
		uint32_t min, max;
	} *attr = strace_struct(line, arg, 0, 48);
	const struct strace_blob *blob = strace_blob(line, arg, 1, 0);

	if (!attr)
		return;
	/* not even the first version: the kernel writes how much it takes */
	if (line->call->args[arg] == &t_sched_attr && attr->size && attr->size < 48) {
		str_addf(line->out, "{size=%u}", attr->size);
		return;
	}
	str_addf(line->out, "{size=%u", attr->size);
	/* one that keeps something does not look at the policy either, but for one that is negative */
	if (line->call->args[arg] == &t_sched_attr_out || !(attr->flags & (KEEP_POLICY | KEEP_PARAMS)) || (int)attr->policy < 0) {
		str_add(line->out, ", sched_policy=");
		strace_word(line->out, t_policy.data, attr->policy);
	}
	str_add(line->out, ", sched_flags=");
	strace_bits(line->out, &flags, attr->flags);
	/* a call that keeps the parameters does not look at them */
	if (line->call->args[arg] == &t_sched_attr_out || !(attr->flags & KEEP_PARAMS))
		str_addf(line->out,
			 ", sched_nice=%d, sched_priority=%u, sched_runtime=%llu, sched_deadline=%llu, sched_period=%llu",
			 attr->nice, attr->priority, U(attr->runtime), U(attr->deadline), U(attr->period));
	if (attr->size >= 56 && blob && blob->status == STRACE_WHOLE && blob->n >= sizeof(*attr)) {
		attr = strace_bytes(blob);
		str_addf(line->out, ", sched_util_min=%u, sched_util_max=%u", attr->min, attr->max);
		if (attr->size > 56)
			str_add(line->out, ", ...");
	}
	str_addc(line->out, '}');
}
const struct strace_type t_sched_attr = { print_sched_attr, .enter = true, .steps = { STEP_READS(48), STEP_READS(56) } },
			 t_sched_attr_out = { print_sched_attr, .steps = { STEP_WRITES(48), STEP_WRITES(56) } };

BITS(t_sched_attr_flags, "SCHED_GETATTR_FLAG_", "DL_DYNAMIC");

void strace_ioprio(struct str *out, unsigned int value)
{
	static const struct strace_words classes = { "IOPRIO_CLASS_", "NONE RT BE IDLE" };

	str_add(out, "IOPRIO_PRIO_VALUE(");
	strace_word(out, &classes, value >> 13);
	str_addf(out, ", %u)", value & 0x1fff);
}

static void print_ioprio(struct strace_line *line, unsigned int arg)
{
	struct str name __str = {};
	char number[16];

	strace_ioprio(&name, (unsigned int)strace_arg(line, arg));
	snprintf(number, sizeof(number), "%u", (unsigned int)strace_arg(line, arg));
	strace_constant(line->out, number, name.data);
}
const struct strace_type t_ioprio = { print_ioprio };

void strace_ret_ioprio(struct strace_line *line)
{
	str_add_s64(line->out, strace_ret(line));
	if (strace_style() == STRACE_NUMBERS)
		return;
	str_add(line->out, " (");
	strace_ioprio(line->out, strace_ret(line));
	str_addc(line->out, ')');
}

/* --- memory --- */

static void add_nodes(struct strace_line *line, const void *element, size_t index)
{
	str_addf(line->out, "%#016llx", *(const unsigned long long *)element);
	(void)index;
}

/* A set of nodes, in longs; the next argument counts its bits, and one more. */
static void print_nodes(struct strace_line *line, unsigned int arg)
{
	const unsigned int *count = line->call->args[arg]->data;
	uint64_t bits = strace_arg(line, count ? *count : arg + 1);
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);

	if ((!blob && bits) || bits == 1 || bits + 62 < bits)
		strace_address(line->out, strace_arg(line, arg));
	else
		strace_array(line, arg, 0, (bits + 62) / 64, sizeof(uint64_t), add_nodes);
}
#define NODES 128 /* the most numbers of 64 bits */
#define STEP_NODES(COUNT, WHEN) \
	{ \
		STRACE_BYTES, .from = SELF, .count_from = COUNT, .scale = 8, .most = 8 * NODES, .when = (WHEN) | STRACE_TO_EDGE \
	}
const struct strace_type t_nodes = { print_nodes, .steps = { STEP_NODES(NEXT(1), 0) } },
			 t_nodes_out = { print_nodes, .steps = { STEP_NODES(NEXT(1), STRACE_IF_OK) } },
			 /* migrate_pages: the number stands before */
	t_nodes_before = { print_nodes, .data = &(const unsigned int){ 1 }, .steps = { STEP_NODES(1, 0) } };

static void print_mempolicy_out(struct strace_line *line, unsigned int arg)
{
	const unsigned int *mode = strace_struct(line, arg, 0, sizeof(*mode));

	if (!mode)
		return;
	str_addc(line->out, '[');
	strace_mempolicy(line->out, *mode);
	str_addc(line->out, ']');
}
const struct strace_type t_mempolicy_out = { print_mempolicy_out, .steps = { STEP_WRITES(4) } };

/* move_pages: pages of another process, nodes, and what became of each. */
static void add_page(struct strace_line *line, const void *element, size_t index)
{
	strace_address(line->out, *(const uint64_t *)element);
}

static void add_node(struct strace_line *line, const void *element, size_t index)
{
	str_add_s64(line->out, *(const int *)element);
}

static void add_page_status(struct strace_line *line, const void *element, size_t index)
{
	int status = *(const int *)element;

	if (status < 0 && strerrorname_np(-status))
		str_addf(line->out, "-%s", strerrorname_np(-status));
	else
		str_add_s64(line->out, status);
}

static void print_pages(struct strace_line *line, unsigned int arg)
{
	strace_array(line, arg, 0, strace_arg(line, 1), sizeof(uint64_t), add_page);
}

static void print_page_nodes(struct strace_line *line, unsigned int arg)
{
	strace_array(line, arg, 0, strace_arg(line, 1), sizeof(int), add_node);
}

static void print_page_status(struct strace_line *line, unsigned int arg)
{
	if (strace_ok(line))
		strace_array(line, arg, 0, strace_arg(line, 1), sizeof(int), add_page_status);
	else
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_page_list = { print_pages, .steps = { STEP_ARRAY_TO_EDGE(1, 8, 32) } },
			 t_page_nodes = { print_page_nodes, .steps = { STEP_ARRAY_TO_EDGE(1, 4, 32) } },
			 t_page_status = { print_page_status, .steps = { STEP_ARRAY_TO_EDGE(1, 4, 32) } };

/* A byte for each page of the range. */
static void print_in_core(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_ok(line) ? strace_blob(line, arg, 0, 0) : NULL;
	uint64_t n = (strace_arg(line, 1) + 4095) / 4096;

	if (!blob || blob->status == STRACE_UNREAD)
		blob = strace_ok(line) ? strace_blob(line, arg, 1, 0) : NULL;
	if (!blob || blob->status == STRACE_UNREAD) {
		strace_address(line->out, strace_arg(line, arg));
		return;
	}
	str_addc(line->out, '[');
	for (uint64_t i = 0; i < n; i++) {
		if (i >= blob->n || i >= line->settings->size) {
			str_add(line->out, i ? ", ..." : "...");
			break;
		}
		str_addf(line->out, "%s%u", i ? ", " : "", ((const unsigned char *)strace_bytes(blob))[i] & 1);
	}
	str_addc(line->out, ']');
}
const struct strace_type t_in_core = { print_in_core, .steps = { STEP_WRITES(32), STEP_WRITES(1) } };

/* --- timers --- */

static void print_sigevent(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words kinds = { "SIGEV_", "SIGNAL NONE THREAD - THREAD_ID" };
	const struct {
		uint64_t value;
		int32_t signo, notify, tid;
	} *event = strace_struct(line, arg, 0, 32);

	if (!event)
		return;
	str_addc(line->out, '{');
	if (event->value)
		str_addf(line->out, "sigev_value={sival_int=%d, sival_ptr=%#llx}, ", (int)event->value, U(event->value));
	str_add(line->out, "sigev_signo=");
	/* a number where it is not used */
	if (event->notify == SIGEV_SIGNAL || event->notify == SIGEV_THREAD_ID)
		strace_signal(line->out, event->signo);
	else
		str_add_u64(line->out, (uint32_t)event->signo);
	str_add(line->out, ", sigev_notify=");
	strace_word(line->out, &kinds, (unsigned int)event->notify);
	if (event->notify == SIGEV_THREAD_ID)
		str_addf(line->out, ", sigev_notify_thread_id=%d", event->tid);
	str_addc(line->out, '}');
}
const struct strace_type t_sigevent = { print_sigevent, .steps = { STEP_READS(32) } };

static void print_itimerval(struct strace_line *line, unsigned int arg)
{
	const struct itimerval *timer = strace_struct(line, arg, 0, sizeof(*timer));

	if (!timer)
		return;
	str_add(line->out, "{it_interval=");
	strace_timeval(line->out, &timer->it_interval);
	str_add(line->out, ", it_value=");
	strace_timeval(line->out, &timer->it_value);
	str_addc(line->out, '}');
}
const struct strace_type t_itimerval = { print_itimerval, .steps = { STEP_READS(32) } },
			 t_itimerval_out = { print_itimerval, .steps = { STEP_WRITES(32) } };

static void add_date(struct str *out, time_t seconds, long microseconds)
{
	char text[40], zone[8];
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	strftime(zone, sizeof(zone), "%z", &tm);
	str_add(out, text);
	if (microseconds)
		str_addf(out, ".%06ld", microseconds);
	str_add(out, zone);
}

static void print_timevals(struct strace_line *line, unsigned int arg)
{
	const struct timeval *times = strace_struct(line, arg, 0, 2 * sizeof(*times));

	for (int i = 0; times && i < 2; i++) {
		str_addc(line->out, i ? ',' : '[');
		if (i)
			str_addc(line->out, ' ');
		strace_timeval(line->out, &times[i]);
		if ((times[i].tv_sec || times[i].tv_usec) && times[i].tv_usec >= 0 && times[i].tv_usec < 1000000) {
			str_add(line->out, " /* ");
			add_date(line->out, times[i].tv_sec, times[i].tv_usec);
			str_add(line->out, " */");
		}
	}
	if (times)
		str_addc(line->out, ']');
}
const struct strace_type t_timevals = { print_timevals, .steps = { STEP_READS(32) } };

static void print_utimbuf(struct strace_line *line, unsigned int arg)
{
	const int64_t *times = strace_struct(line, arg, 0, 2 * sizeof(*times));
	static const char *const names[] = { "{actime=", ", modtime=" };

	for (int i = 0; times && i < 2; i++) {
		str_addf(line->out, "%s%lld", names[i], L(times[i]));
		strace_date_remark(line->out, times[i], 0);
	}
	if (times)
		str_addc(line->out, '}');
}
const struct strace_type t_utimbuf = { print_utimbuf, .steps = { STEP_READS(16) } };

/* What time(2) fills in. */
static void print_time_at(struct strace_line *line, unsigned int arg)
{
	const int64_t *seconds = strace_struct(line, arg, 0, sizeof(*seconds));

	if (!seconds)
		return;
	str_addf(line->out, "[%lld /* ", L(*seconds));
	add_date(line->out, *seconds, 0);
	str_add(line->out, " */]");
}
const struct strace_type t_time_out = { print_time_at, .steps = { STEP_WRITES(8) } };

static void print_timezone(struct strace_line *line, unsigned int arg)
{
	const int *v = strace_struct(line, arg, 0, 2 * sizeof(*v));

	if (v)
		str_addf(line->out, "{tz_minuteswest=%d, tz_dsttime=%d}", v[0], v[1]);
}
const struct strace_type t_timezone = { print_timezone, .steps = { STEP_WRITES(8) } },
			 t_timezone_in = { print_timezone, .steps = { STEP_READS(8) } };

void strace_ret_time(struct strace_line *line)
{
	str_addf(line->out, "%lld (", L(strace_ret(line)));
	add_date(line->out, strace_ret(line), 0);
	str_addc(line->out, ')');
}

static void print_timex(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words modes = {
		"ADJ_", "OFFSET FREQUENCY MAXERROR ESTERROR STATUS TIMECONST - TAI SETOFFSET - - - MICRO NANO TICK"
	};
	static const struct strace_words status = {
		"STA_", "PLL PPSFREQ PPSTIME FLL INS DEL UNSYNC FREQHOLD PPSSIGNAL PPSJITTER PPSWANDER PPSERROR CLOCKERR NANO "
			"MODE CLK"
	};
	const struct timex *t = strace_struct(line, arg, 0, sizeof(*t));

	if (!t)
		return;
	str_add(line->out, "{modes=");
	strace_bits(line->out, &modes, t->modes);
	str_addf(line->out, ", offset=%ld, freq=%ld, maxerror=%ld, esterror=%ld, status=", t->offset, t->freq, t->maxerror,
		 t->esterror);
	strace_bits(line->out, &status, (unsigned int)t->status);
	str_addf(line->out, ", constant=%ld, precision=%ld, tolerance=%ld, time=", t->constant, t->precision,
		 t->tolerance);
	strace_timeval(line->out, &t->time);
	str_addf(line->out,
		 ", tick=%ld, ppsfreq=%ld, jitter=%ld, shift=%d, stabil=%ld, jitcnt=%ld, calcnt=%ld, errcnt=%ld, "
		 "stbcnt=%ld, tai=%d}",
		 t->tick, t->ppsfreq, t->jitter, t->shift, t->stabil, t->jitcnt, t->calcnt, t->errcnt, t->stbcnt, t->tai);
}
const struct strace_type t_timex = { print_timex, .steps = { STEP_WRITES(sizeof(struct timex)) } };

void strace_ret_timex(struct strace_line *line)
{
	static const struct strace_words states = { "TIME_", "OK INS DEL OOP WAIT ERROR" };

	struct str name __str = {};

	/* it has a name whatever -X says */
	if (!strace_word_if(&name, &states, strace_ret(line)))
		str_addf(&name, "%#llx /* TIME_??? */", (unsigned long long)strace_ret(line));
	str_addf(line->out, "%lld (%s)", L(strace_ret(line)), name.data);
}

/* --- signals --- */

static void print_siginfo(struct strace_line *line, unsigned int arg)
{
	const int *bytes = strace_struct(line, arg, 0, STRACE_SIGINFO);

	if (bytes && !bytes[0])
		str_add(line->out, "{}");
	else if (bytes)
		strace_siginfo_bytes(line, bytes, bytes[0]);
}

/* It is filled in if there was a signal, or a child. */
static void print_siginfo_out(struct strace_line *line, unsigned int arg)
{
	if (strace_ok(line))
		print_siginfo(line, arg);
	else
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_siginfo = { print_siginfo, .steps = { STEP_READS(STRACE_SIGINFO) } },
			 t_siginfo_out = { print_siginfo_out, .steps = { STEP_WRITES(STRACE_SIGINFO) } };

struct waiter {
	uint64_t val, uaddr;
	uint32_t flags, reserved;
};

static void add_waiter(struct strace_line *line, const void *element, size_t index)
{
	static const struct strace_words flags = { "FUTEX_", "- 32 - - - - - PRIVATE_FLAG" };
	const struct waiter *waiter = element;

	str_addf(line->out, "{val=%#llx, uaddr=", U(waiter->val));
	strace_address(line->out, waiter->uaddr);
	str_add(line->out, ", flags=");
	strace_bits(line->out, &flags, waiter->flags);
	if (waiter->reserved)
		str_addf(line->out, ", __reserved=%#x", waiter->reserved);
	str_addc(line->out, '}');
}

static void print_waitv(struct strace_line *line, unsigned int arg)
{
	strace_array(line, arg, 0, (unsigned int)strace_arg(line, arg + 1), sizeof(struct waiter), add_waiter);
}
const struct strace_type t_waitv = { print_waitv, .steps = { STEP_ARRAY_TO_EDGE(NEXT(1), 24, 128) } };
