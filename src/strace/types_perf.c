// SPDX-License-Identifier: BSD-2-Clause
/* perf_event_open: what is counted or sampled, and how. */
#include <linux/perf_event.h>

#include "strace_part.h"
#include "types.h"
#include "types_shape.h"

#define U(X) ((unsigned long long)(X))
/* The members that are known; the first version of the struct, which size 0 stands for. */
#define ATTRIBUTES_SIZE 128
#define FIRST_SIZE	64
#define SHORT_SIZE	48 /* what is looked at without -v */

static void print_perf_flags_arg(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words flags = { "PERF_FLAG_", "FD_NO_GROUP FD_OUTPUT PID_CGROUP FD_CLOEXEC" };

	strace_bits(line->out, &flags, strace_arg(line, arg));
}
const struct strace_type t_perf_flags = { print_perf_flags_arg };

#define PERF_SIZES "=64 VER0 =72 VER1 =80 VER2 =96 VER3 =104 VER4 =112 VER5 =120 VER6 =128 VER7 =136 VER8"

/* Bits of the flags from the lowest on; "-" is precise_ip, which has two. */
static const char flag_names[] =
	"disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle mmap comm freq inherit_stat "
	"enable_on_exec task watermark - - mmap_data sample_id_all exclude_host exclude_guest exclude_callchain_kernel "
	"exclude_callchain_user mmap2 comm_exec use_clockid context_switch write_backward namespaces ksymbol bpf_event "
	"aux_output cgroup text_poke build_id inherit_thread remove_on_exec sigtrap";
#define FLAG_BITS  38
#define PRECISE_IP 15

/* What follows the flags: of breakpoints, and of others; then of both, as far as the struct goes. */
#define BREAKPOINT ", bp_type=%@52%e4(HW_BREAKPOINT_:EMPTY R W RW X), bp_addr=%x8%?, bp_len=%u8"
#define CONFIG	   ", config1=%@56%x8%?, config2=%x8"
#define MORE \
	"%?%=24&0x800(, branch_sample_type=%b8(PERF_SAMPLE_BRANCH_:USER KERNEL HV ANY ANY_CALL ANY_RETURN IND_CALL ABORT_TX " \
	"IN_TX NO_TX COND CALL_STACK IND_JUMP CALL NO_FLAGS NO_CYCLES TYPE_SAVE HW_INDEX PRIV_SAVE))%@80" \
	"%?, sample_regs_user=%x8%?%=24&0x2000(, sample_stack_user=%x4)%@92" \
	"%?%=43.1&2(, clockid=%e4(CLOCK_:REALTIME MONOTONIC PROCESS_CPUTIME_ID THREAD_CPUTIME_ID MONOTONIC_RAW " \
	"REALTIME_COARSE MONOTONIC_COARSE BOOTTIME REALTIME_ALARM BOOTTIME_ALARM SGI_CYCLE TAI))%@96" \
	"%?, sample_regs_intr=%x8%?, aux_watermark=%u4%?, sample_max_stack=%u2%!2( /* bytes 110..111: %x2 */)" \
	"%?, aux_sample_size=%u4%!4( /* bytes 116..119: %x4 */)%?, sig_data=%x8%|"

static void add_cache(struct str *out, uint64_t config)
{
	if (config >> 24 & 0xff)
		str_addf(out, "%#llx<<24|", U(config >> 24 & 0xff));
	strace_word(out, &(const struct strace_words){ "PERF_COUNT_HW_CACHE_RESULT_", "ACCESS MISS" }, config >> 16 & 0xff);
	str_add(out, "<<16|");
	strace_word(out, &(const struct strace_words){ "PERF_COUNT_HW_CACHE_OP_", "READ WRITE PREFETCH" }, config >> 8 & 0xff);
	str_add(out, "<<8|");
	strace_word(out, &(const struct strace_words){ "PERF_COUNT_HW_CACHE_", "L1D L1I LL DTLB ITLB BPU NODE" }, config & 0xff);
}

static void add_config(struct str *out, const struct perf_event_attr *attr)
{
	static const struct strace_words hardware = {
		"PERF_COUNT_HW_", "CPU_CYCLES INSTRUCTIONS CACHE_REFERENCES CACHE_MISSES BRANCH_INSTRUCTIONS BRANCH_MISSES "
				  "BUS_CYCLES STALLED_CYCLES_FRONTEND STALLED_CYCLES_BACKEND REF_CPU_CYCLES"
	};
	static const struct strace_words software = {
		"PERF_COUNT_SW_", "CPU_CLOCK TASK_CLOCK PAGE_FAULTS CONTEXT_SWITCHES CPU_MIGRATIONS PAGE_FAULTS_MIN "
				  "PAGE_FAULTS_MAJ ALIGNMENT_FAULTS EMULATION_FAULTS DUMMY BPF_OUTPUT CGROUP_SWITCHES"
	};

	str_add(out, ", config=");
	/* the number of a processor's own unit */
	if ((attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE) && attr->config >> 32)
		str_addf(out, "%#llx<<32|", U(attr->config >> 32));
	if (attr->type == PERF_TYPE_HARDWARE)
		strace_word(out, &hardware, (uint32_t)attr->config);
	else if (attr->type == PERF_TYPE_SOFTWARE)
		strace_word(out, &software, attr->config);
	else if (attr->type == PERF_TYPE_HW_CACHE)
		add_cache(out, attr->config);
	else if (attr->type == PERF_TYPE_TRACEPOINT)
		str_add_u64(out, attr->config);
	else
		str_addf(out, "%#llx", U(attr->config));
}

/* The bits: with -v all, else those that are set. */
static void add_perf_flags(struct str *out, uint64_t flags, bool whole)
{
	static const char *const skids[] = { "arbitrary skid", "constant skid", "requested to have 0 skid", "must have 0 skid" };
	const char *name = flag_names;

	for (int i = 0; i < FLAG_BITS; i++, name += strcspn(name, " "), name += *name == ' ') {
		if (i == PRECISE_IP)
			str_addf(out, ", precise_ip=%u /* %s */", (unsigned int)(flags >> i & 3), skids[flags >> i & 3]);
		else if (*name != '-' && (whole || flags >> i & 1))
			str_addf(out, ", %.*s=%u", (int)strcspn(name, " "), name, (unsigned int)(flags >> i & 1));
	}
	if (flags >> FLAG_BITS)
		str_addf(out, ", __reserved_1=%#llx /* Bits 63..38 */", U(flags >> FLAG_BITS));
}

static void print_perf_attr(struct strace_line *line, unsigned int arg)
{
	static const struct strace_words kinds = { "PERF_TYPE_", "HARDWARE SOFTWARE TRACEPOINT HW_CACHE RAW BREAKPOINT" };
	static const struct strace_words samples = {
		"PERF_SAMPLE_", "IP TID TIME ADDR READ CALLCHAIN ID CPU PERIOD STREAM_ID RAW BRANCH_STACK REGS_USER STACK_USER "
				"WEIGHT DATA_SRC IDENTIFIER TRANSACTION REGS_INTR PHYS_ADDR AUX CGROUP DATA_PAGE_SIZE "
				"CODE_PAGE_SIZE WEIGHT_STRUCT"
	};
	static const struct strace_words formats = { "PERF_FORMAT_",
						     "TOTAL_TIME_ENABLED TOTAL_TIME_RUNNING ID GROUP LOST" };
	static const char breakpoint[] = BREAKPOINT MORE, other[] = CONFIG MORE;
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);
	union {
		struct perf_event_attr attr;
		unsigned char bytes[ATTRIBUTES_SIZE];
		uint64_t words[ATTRIBUTES_SIZE / 8];
	} all = {};
	const struct perf_event_attr *attr = &all.attr;
	struct str *out = line->out;
	bool whole = line->settings->whole, is_breakpoint;
	size_t size = 0, needed, n = blob && blob->status != STRACE_UNREAD ? blob->n : 0;

	/* a recording may say more than its step copies */
	n = n < sizeof(all) ? n : sizeof(all);
	if (n >= 8) {
		memcpy(all.bytes, strace_bytes(blob), n);
		size = attr->size ? attr->size : FIRST_SIZE;
	}
	needed = !whole ? SHORT_SIZE : size < ATTRIBUTES_SIZE ? size
							      : ATTRIBUTES_SIZE;
	if (size < FIRST_SIZE || n < needed) {
		strace_address(out, strace_arg(line, arg));
		return;
	}
	if (size < ATTRIBUTES_SIZE)
		memset(all.bytes + size, 0, ATTRIBUTES_SIZE - size);
	str_add(out, "{type=");
	strace_word(out, &kinds, attr->type);
	str_add(out, ", size=");
	strace_word(out, &(const struct strace_words){ "PERF_ATTR_SIZE_", PERF_SIZES }, attr->size);
	add_config(out, attr);
	str_addf(out, attr->freq ? ", sample_freq=%llu" : ", sample_period=%llu", U(attr->sample_period));
	str_add(out, ", sample_type=");
	strace_bits(out, &samples, attr->sample_type);
	str_add(out, ", read_format=");
	strace_bits(out, &formats, attr->read_format);
	add_perf_flags(out, all.words[5], whole);
	if (whole) {
		str_addf(out, attr->watermark ? ", wakeup_watermark=%u" : ", wakeup_events=%u", attr->wakeup_events);
		is_breakpoint = attr->type == PERF_TYPE_BREAKPOINT;
		strace_shape(line, is_breakpoint ? breakpoint : other, is_breakpoint ? sizeof(breakpoint) - 1 : sizeof(other) - 1,
			     all.bytes, ATTRIBUTES_SIZE, size < ATTRIBUTES_SIZE ? size : ATTRIBUTES_SIZE);
	}
	str_add(out, whole && size <= ATTRIBUTES_SIZE ? "}" : ", ...}");
}
const struct strace_type t_perf_attr = {
	print_perf_attr,
	.steps = {
		{ STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = ATTRIBUTES_SIZE, .most = ATTRIBUTES_SIZE,
		  .when = STRACE_TO_EDGE },
	},
};
