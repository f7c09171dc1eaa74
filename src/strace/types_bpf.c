// SPDX-License-Identifier: BSD-2-Clause
/* bpf: its commands and what they are told. */
#include "strace_part.h"
#include "types.h"
#include "types_shape.h"

WORDS(t_bpf, "BPF_",
      "MAP_CREATE MAP_LOOKUP_ELEM MAP_UPDATE_ELEM MAP_DELETE_ELEM MAP_GET_NEXT_KEY PROG_LOAD OBJ_PIN OBJ_GET PROG_ATTACH "
      "PROG_DETACH PROG_TEST_RUN PROG_GET_NEXT_ID MAP_GET_NEXT_ID PROG_GET_FD_BY_ID MAP_GET_FD_BY_ID OBJ_GET_INFO_BY_FD "
      "PROG_QUERY RAW_TRACEPOINT_OPEN BTF_LOAD BTF_GET_FD_BY_ID TASK_FD_QUERY MAP_LOOKUP_AND_DELETE_ELEM MAP_FREEZE "
      "BTF_GET_NEXT_ID MAP_LOOKUP_BATCH MAP_LOOKUP_AND_DELETE_BATCH MAP_UPDATE_BATCH MAP_DELETE_BATCH LINK_CREATE "
      "LINK_UPDATE LINK_GET_FD_BY_ID LINK_GET_NEXT_ID ENABLE_STATS ITER_CREATE LINK_DETACH PROG_BIND_MAP TOKEN_CREATE");

enum {
	MAP_CREATE = 0,
	PROG_LOAD = 5,
	OBJ_PIN = 6,
	RAW_TRACEPOINT_OPEN = 17,
	BTF_LOAD = 18,
	TASK_FD_QUERY = 20,
	LINK_CREATE = 28,
};

#define MAP_TYPES \
	"%e4(BPF_MAP_TYPE_:UNSPEC HASH ARRAY PROG_ARRAY PERF_EVENT_ARRAY PERCPU_HASH PERCPU_ARRAY STACK_TRACE CGROUP_ARRAY " \
	"LRU_HASH LRU_PERCPU_HASH LPM_TRIE ARRAY_OF_MAPS HASH_OF_MAPS DEVMAP SOCKMAP CPUMAP XSKMAP SOCKHASH CGROUP_STORAGE " \
	"REUSEPORT_SOCKARRAY PERCPU_CGROUP_STORAGE QUEUE STACK SK_STORAGE DEVMAP_HASH STRUCT_OPS RINGBUF INODE_STORAGE " \
	"TASK_STORAGE BLOOM_FILTER USER_RINGBUF CGRP_STORAGE ARENA)"
#define MAP_FLAGS \
	"%b4(BPF_F_:NO_PREALLOC NO_COMMON_LRU NUMA_NODE RDONLY WRONLY STACK_BUILD_ID ZERO_SEED RDONLY_PROG WRONLY_PROG CLONE " \
	"MMAPABLE PRESERVE_ELEMS INNER_MAP LINK PATH_FD VTYPE_BTF_OBJ_FD TOKEN_FD SEGV_ON_FAULT NO_USER_CONV)"
#define PROGRAM_TYPES \
	"%e4(BPF_PROG_TYPE_:UNSPEC SOCKET_FILTER KPROBE SCHED_CLS SCHED_ACT TRACEPOINT XDP PERF_EVENT CGROUP_SKB CGROUP_SOCK " \
	"LWT_IN LWT_OUT LWT_XMIT SOCK_OPS SK_SKB CGROUP_DEVICE SK_MSG RAW_TRACEPOINT CGROUP_SOCK_ADDR LWT_SEG6LOCAL LIRC_MODE2 " \
	"SK_REUSEPORT FLOW_DISSECTOR CGROUP_SYSCTL RAW_TRACEPOINT_WRITABLE CGROUP_SOCKOPT TRACING STRUCT_OPS EXT LSM SK_LOOKUP " \
	"SYSCALL NETFILTER)"
#define ATTACH_TYPES \
	"%e4(BPF_:CGROUP_INET_INGRESS CGROUP_INET_EGRESS CGROUP_INET_SOCK_CREATE CGROUP_SOCK_OPS SK_SKB_STREAM_PARSER " \
	"SK_SKB_STREAM_VERDICT CGROUP_DEVICE SK_MSG_VERDICT CGROUP_INET4_BIND CGROUP_INET6_BIND CGROUP_INET4_CONNECT " \
	"CGROUP_INET6_CONNECT CGROUP_INET4_POST_BIND CGROUP_INET6_POST_BIND CGROUP_UDP4_SENDMSG CGROUP_UDP6_SENDMSG LIRC_MODE2 " \
	"FLOW_DISSECTOR CGROUP_SYSCTL CGROUP_UDP4_RECVMSG CGROUP_UDP6_RECVMSG CGROUP_GETSOCKOPT CGROUP_SETSOCKOPT TRACE_RAW_TP " \
	"TRACE_FENTRY TRACE_FEXIT MODIFY_RETURN LSM_MAC TRACE_ITER CGROUP_INET4_GETPEERNAME CGROUP_INET6_GETPEERNAME " \
	"CGROUP_INET4_GETSOCKNAME CGROUP_INET6_GETSOCKNAME XDP_DEVMAP CGROUP_INET_SOCK_RELEASE XDP_CPUMAP SK_LOOKUP XDP " \
	"SK_SKB_VERDICT SK_REUSEPORT_SELECT SK_REUSEPORT_SELECT_OR_MIGRATE PERF_EVENT TRACE_KPROBE_MULTI LSM_CGROUP STRUCT_OPS " \
	"NETFILTER TCX_INGRESS TCX_EGRESS TRACE_UPROBE_MULTI)"
#define ATTACH_FLAGS  "%b4(BPF_F_:ALLOW_OVERRIDE ALLOW_MULTI REPLACE BEFORE AFTER ID)"
#define PROGRAM_FLAGS "%b4(BPF_F_:STRICT_ALIGNMENT ANY_ALIGNMENT TEST_RND_HI32 TEST_STATE_FREQ SLEEPABLE XDP_HAS_FRAGS)"
#define OPEN_FLAGS    "%b4(BPF_F_:=8 RDONLY WRONLY)"
#define ANY	      "%e8(BPF_:ANY NOEXIST EXIST =4 F_LOCK)"
#define BATCH	      "count=%u4, map_fd=%d4, elem_flags=" ANY ", flags=%x8}%+}"

#define MAP_ATTRIBUTES(NUMA_NODE) \
	"{map_type=" MAP_TYPES ", key_size=%u4, value_size=%u4, max_entries=%u4%?, map_flags=" MAP_FLAGS \
	"%?, inner_map_fd=%d4" NUMA_NODE "%?, map_name=%s16%?, map_ifindex=%i4%?, btf_fd=%d4, btf_key_type_id=%u4, " \
	"btf_value_type_id=%u4%?, btf_vmlinux_value_type_id=%u4%?, map_extra=%u8%|%+}"

#define LINK_ATTRIBUTES(REST) "{link_create={prog_fd=%d4, target_fd=%d4, attach_type=" ATTACH_TYPES ", flags=%x4" REST

/* By what is attached to. */
static const char *link_shape(unsigned int attach_type)
{
	switch (attach_type) {
	case 28: /* BPF_TRACE_ITER */
		return LINK_ATTRIBUTES("%?, iter_info=%p8, iter_info_len=%u4%|}%+}");
	case 41: /* BPF_PERF_EVENT */
		return LINK_ATTRIBUTES("%?, perf_event={bpf_cookie=%x8}%|}%+}");
	case 42: /* BPF_TRACE_KPROBE_MULTI */
		return LINK_ATTRIBUTES("%?, kprobe_multi={flags=%b4(BPF_F_KPROBE_MULTI_:RETURN), cnt=%u4, syms=%p8, addrs=%p8, "
				       "cookies=%p8}%|}%+}");
	default:
		return LINK_ATTRIBUTES("}%+}");
	}
}

/* With BPF_F_NUMA_NODE. */
static const char on_node[] = MAP_ATTRIBUTES("%?, numa_node=%u4");

/* By command; strace knows no attributes of those that have none here. */
static const char *const shapes[] = {
	MAP_ATTRIBUTES("%.4"),
	"{map_fd=%d4, key=%.4%p8, value=%p8%?, flags=%B8(BPF_ANY:BPF_:=4 F_LOCK)%|%+}",
	"{map_fd=%d4, key=%.4%p8, value=%p8, flags=" ANY "%+}",
	"{map_fd=%d4, key=%.4%p8%+}",
	"{map_fd=%d4, key=%.4%p8, next_key=%p8%+}",
	"{prog_type=" PROGRAM_TYPES ", insn_cnt=%u4, insns=%z8, license=%z8%?, log_level=%u4, log_size=%u4, log_buf=%z8%?, "
	"kern_version=%k4%?, prog_flags=" PROGRAM_FLAGS "%?, prog_name=%s16%?, prog_ifindex=%i4%?, "
	"expected_attach_type=" ATTACH_TYPES "%?, prog_btf_fd=%d4, func_info_rec_size=%u4, func_info=%p8, func_info_cnt=%u4, "
	"line_info_rec_size=%u4, line_info=%p8, line_info_cnt=%u4%?, attach_btf_id=%u4%?, attach_prog_fd=%d4%.4%?, "
	"fd_array=%p8%|%+}",
	"{pathname=%z8, bpf_fd=%d4%?, file_flags=" OPEN_FLAGS "%|%+}",
	"{pathname=%z8, bpf_fd=%d4%?, file_flags=" OPEN_FLAGS "%|%+}",
	"{target_fd=%d4, attach_bpf_fd=%d4, attach_type=" ATTACH_TYPES ", attach_flags=" ATTACH_FLAGS
	"%?, replace_bpf_fd=%d4%|%+}",
	"{target_fd=%d4, attach_type=%.4" ATTACH_TYPES "%+}",
	"{test={prog_fd=%d4, retval=%u4, data_size_in=%u4, data_size_out=%u4, data_in=%p8, data_out=%p8, repeat=%u4, "
	"duration=%u4%?, ctx_size_in=%u4, ctx_size_out=%u4, ctx_in=%p8, ctx_out=%p8%?, flags=%b4(BPF_F_:TEST_RUN_ON_CPU "
	"TEST_XDP_LIVE_FRAMES), cpu=%u4%?, batch_size=%u4%|}%+}",
	"{start_id=%u4, next_id=%u4%?, open_flags=" OPEN_FLAGS "%|%+}",
	"{start_id=%u4, next_id=%u4%?, open_flags=" OPEN_FLAGS "%|%+}",
	"{prog_id=%u4, next_id=%u4%?, open_flags=" OPEN_FLAGS "%|%+}",
	"{map_id=%u4, next_id=%u4%?, open_flags=" OPEN_FLAGS "%|%+}",
	"{info={bpf_fd=%d4, info_len=%u4, info=%p8}%+}",
	"{query={target_fd=%d4, attach_type=" ATTACH_TYPES ", query_flags=%b4(BPF_F_QUERY_:EFFECTIVE), attach_flags=" ATTACH_FLAGS
	", prog_ids=%p8, prog_cnt=%u4}%+}",
	"{raw_tracepoint={name=%z8, prog_fd=%d4}%+}",
	"{btf=%z8, btf_log_buf=%p8, btf_size=%u4, btf_log_size=%u4, btf_log_level=%u4%+}",
	"{btf_id=%u4%+}",
	"{task_fd_query={pid=%d4, fd=%d4, flags=%u4, buf_len=%u4, buf=%z8, prog_id=%u4, fd_type=%e4(BPF_FD_TYPE_:RAW_TRACEPOINT "
	"TRACEPOINT KPROBE KRETPROBE UPROBE URETPROBE), probe_offset=%x8, probe_addr=%x8}%+}",
	"{map_fd=%d4, key=%.4%p8, value=%p8%?, flags=%B8(BPF_ANY:BPF_:=4 F_LOCK)%|%+}",
	"{map_fd=%d4%+}",
	"{start_id=%u4, next_id=%u4%?, open_flags=" OPEN_FLAGS "%|%+}",
	"{batch={in_batch=%p8, out_batch=%p8, keys=%p8, values=%p8, " BATCH,
	"{batch={in_batch=%p8, out_batch=%p8, keys=%p8, values=%p8, " BATCH,
	"{batch={keys=%.16%p8, values=%p8, " BATCH,
	"{batch={keys=%.16%p8, count=%.8%u4, map_fd=%d4, elem_flags=" ANY ", flags=%x8}%+}",
	LINK_ATTRIBUTES("}%+}"),
	"{link_update={link_fd=%d4, new_prog_fd=%d4, flags=" ATTACH_FLAGS "%.4}%+}",
	"{link_id=%u4%+}",
	"{start_id=%u4, next_id=%u4%?, open_flags=" OPEN_FLAGS "%|%+}",
};

/* As many as the kernel looks at, whatever the command knows of. */
#define ATTRIBUTES_SIZE 4096

enum {
	ATTRIBUTES,
	TEXT,	      /* the pointer at 16 */
	FIRST,	      /* the one at 0, of several kinds, to the page's end at most */
	LOG,	      /* the one at 32 */
	INSTRUCTIONS, /* the one at 8 */
};

#define FIRST_MOST 4096 /* bytes of a path */

static uint64_t number_at(const unsigned char *bytes, size_t at, size_t size)
{
	uint64_t number = 0;

	memcpy(&number, bytes + at, size);
	return number;
}

/* What a text has of `size` bytes, up to a NUL. */
static void add_text(struct strace_line *line, const struct strace_blob *blob, uint64_t address, uint64_t size)
{
	size_t most = line->settings->size, n;

	if (address && !size) {
		str_add(line->out, "\"\"");
		return;
	}
	if (!address || !blob || blob->status == STRACE_UNREAD) {
		strace_address(line->out, address);
		return;
	}
	n = strnlen(strace_bytes(blob), blob->n);
	if (n >= size || n > most)
		strace_text(line, strace_bytes(blob), size < most ? size : most, size > 0);
	else
		strace_text(line, strace_bytes(blob), n, false);
}

/* What the first pointer of some commands points to: the path, the name of a tracepoint, or bytes. */
static void add_first(struct strace_line *line, const unsigned char *bytes, uint64_t address)
{
	const struct strace_blob *blob = strace_blob(line, 1, FIRST, 0);
	unsigned int command = strace_arg(line, 0);
	size_t n, most = line->settings->size;

	if (!address || !blob || blob->status == STRACE_UNREAD) {
		strace_address(line->out, address);
	} else if (command == BTF_LOAD) {
		n = number_at(bytes, 16, 4);
		if (blob->n < (n < most ? n : most))
			strace_address(line->out, address);
		else
			strace_text(line, strace_bytes(blob), n < most ? n : most, n > most);
	} else {
		n = strnlen(strace_bytes(blob), blob->n);
		/* no NUL: the memory ends within the text */
		if (n == blob->n && n < FIRST_MOST && (command != RAW_TRACEPOINT_OPEN || n <= most))
			strace_address(line->out, address);
		else if (command == RAW_TRACEPOINT_OPEN)
			strace_text(line, strace_bytes(blob), n < most ? n : most, n > most);
		else
			strace_text(line, strace_bytes(blob), n < FIRST_MOST ? n : FIRST_MOST - 1, n == FIRST_MOST);
	}
}

static void add_pointed(struct strace_line *line, const unsigned char *bytes, size_t at)
{
	uint64_t address = number_at(bytes, at, 8);

	if (!at)
		add_first(line, bytes, address);
	else if (at == 8)
		strace_instructions(line, strace_blob(line, 1, INSTRUCTIONS, 0), address, number_at(bytes, 4, 4));
	else if (at == 32)
		add_text(line, strace_blob(line, 1, LOG, 0), address, number_at(bytes, 28, 4));
	else if (strace_arg(line, 0) == TASK_FD_QUERY)
		add_text(line, strace_blob(line, 1, TEXT, 0), address, number_at(bytes, 12, 4));
	else if (!address)
		strace_address(line->out, address);
	else
		strace_string(line, strace_blob(line, 1, TEXT, 0), address, false);
}

static const char *shape_of(unsigned int command, const unsigned char *bytes)
{
	if (command == MAP_CREATE && bytes[16] & 4)
		return on_node;
	return command == LINK_CREATE ? link_shape(number_at(bytes, 8, 4)) : shapes[command];
}

static void print_bpf_attr(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_blob(line, arg, ATTRIBUTES, 0);
	unsigned int command = strace_arg(line, 0), size = strace_arg(line, 2);
	unsigned char bytes[ATTRIBUTES_SIZE] = {};
	const char *shape;

	if (strace_arg(line, arg) && blob && blob->n && blob->status != STRACE_UNREAD && size <= 4096 &&
	    command < ARRAY_SIZE(shapes) && blob->n >= size) {
		memcpy(bytes, strace_bytes(blob), blob->n < sizeof(bytes) ? blob->n : sizeof(bytes));
		shape = shape_of(command, bytes);
		if (strace_shape_pointed(line, shape, strlen(shape), bytes, sizeof(bytes), size, add_pointed))
			return;
	}
	strace_address(line->out, strace_arg(line, arg));
}

#define STEP_AT(AT) .from = STRACE_FROM_BLOB, .at = AT
const struct strace_type t_bpf_attr = {
	print_bpf_attr,
	.steps = {
		STEP_ARRAY(NEXT(1), 1, ATTRIBUTES_SIZE),
		{ STRACE_STRING, STEP_AT(16), .most = MOST_TEXT, .of = { PROG_LOAD, TASK_FD_QUERY } },
		{
			STRACE_BYTES,
			STEP_AT(0),
			.count_from = STRACE_FROM_NONE,
			.scale = FIRST_MOST,
			.most = FIRST_MOST,
			.when = STRACE_TO_EDGE,
			.of = { OBJ_PIN, BTF_LOAD },
		},
		{ STRACE_STRING, STEP_AT(32), .most = MOST_TEXT, .of = { PROG_LOAD, PROG_LOAD } },
		{
			STRACE_BYTES,
			STEP_AT(8),
			.count_from = STRACE_FROM_BLOB,
			.count_at = 4,
			.scale = STRACE_FILTER_CODE,
			.most = STRACE_FILTER_MOST,
			.when = STRACE_IF_WHOLE | STRACE_TO_EDGE,
			.of = { PROG_LOAD, PROG_LOAD },
		},
	},
};
