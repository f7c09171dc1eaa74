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

#define MAP_CREATE(NUMA_NODE) \
	"{map_type=" MAP_TYPES ", key_size=%u4, value_size=%u4, max_entries=%u4%?, map_flags=" MAP_FLAGS \
	"%?, inner_map_fd=%d4" NUMA_NODE "%?, map_name=%s16%?, map_ifindex=%i4%?, btf_fd=%d4, btf_key_type_id=%u4, " \
	"btf_value_type_id=%u4%?, btf_vmlinux_value_type_id=%u4%?, map_extra=%u8%|%+}"

/* With BPF_F_NUMA_NODE. */
static const char on_node[] = MAP_CREATE("%?, numa_node=%u4");

/* By command; strace knows no attributes of those that have none here. */
static const char *const shapes[] = {
	MAP_CREATE("%.4"),
	"{map_fd=%d4, key=%.4%p8, value=%p8%?, flags=%b8(BPF_:=4 F_LOCK)%|%+}",
	"{map_fd=%d4, key=%.4%p8, value=%p8, flags=" ANY "%+}",
	"{map_fd=%d4, key=%.4%p8%+}",
	"{map_fd=%d4, key=%.4%p8, next_key=%p8%+}",
	"{prog_type=" PROGRAM_TYPES ", insn_cnt=%u4, insns=%p8, license=%p8%?, log_level=%u4, log_size=%u4, log_buf=%p8%?, "
	"kern_version=%k4%?, prog_flags=" PROGRAM_FLAGS "%?, prog_name=%s16%?, prog_ifindex=%i4%?, "
	"expected_attach_type=" ATTACH_TYPES "%?, prog_btf_fd=%d4, func_info_rec_size=%u4, func_info=%p8, func_info_cnt=%u4, "
	"line_info_rec_size=%u4, line_info=%p8, line_info_cnt=%u4%?, attach_btf_id=%u4%?, attach_prog_fd=%d4%.4%?, "
	"fd_array=%p8%|%+}",
	"{pathname=%p8, bpf_fd=%d4%?, file_flags=" OPEN_FLAGS "%|%+}",
	"{pathname=%p8, bpf_fd=%d4%?, file_flags=" OPEN_FLAGS "%|%+}",
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
	"{raw_tracepoint={name=%p8, prog_fd=%d4}%+}",
	"{btf=%p8, btf_log_buf=%p8, btf_size=%u4, btf_log_size=%u4, btf_log_level=%u4%+}",
	"{btf_id=%u4%+}",
	"{task_fd_query={pid=%d4, fd=%d4, flags=%u4, buf_len=%u4, buf=%p8, prog_id=%u4, fd_type=%e4(BPF_FD_TYPE_:RAW_TRACEPOINT "
	"TRACEPOINT KPROBE KRETPROBE UPROBE URETPROBE), probe_offset=%x8, probe_addr=%x8}%+}",
	"{map_fd=%d4, key=%.4%p8, value=%p8%?, flags=%b8(BPF_:=4 F_LOCK)%|%+}",
	"{map_fd=%d4%+}",
	"{start_id=%u4, next_id=%u4%?, open_flags=" OPEN_FLAGS "%|%+}",
	"{batch={in_batch=%p8, out_batch=%p8, keys=%p8, values=%p8, " BATCH,
	"{batch={in_batch=%p8, out_batch=%p8, keys=%p8, values=%p8, " BATCH,
	"{batch={keys=%.16%p8, values=%p8, " BATCH,
	"{batch={keys=%.16%p8, count=%.8%u4, map_fd=%d4, elem_flags=" ANY ", flags=%x8}%+}",
	"{link_create={prog_fd=%d4, target_fd=%d4, attach_type=" ATTACH_TYPES ", flags=%x4}%+}",
	"{link_update={link_fd=%d4, new_prog_fd=%d4, flags=" ATTACH_FLAGS "%.4}%+}",
	"{link_id=%u4%+}",
	"{start_id=%u4, next_id=%u4%?, open_flags=" OPEN_FLAGS "%|%+}",
};

/* The largest struct of a command, and what is looked at behind it. */
#define ATTRIBUTES_SIZE 256

static void print_bpf_attr(struct strace_line *line, unsigned int arg)
{
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);
	unsigned int command = strace_arg(line, 0), size = strace_arg(line, 2);
	unsigned char bytes[ATTRIBUTES_SIZE] = {};
	const char *shape;

	if (strace_arg(line, arg) && blob && blob->n && blob->status != STRACE_UNREAD && size <= 4096 &&
	    command < ARRAY_SIZE(shapes)) {
		memcpy(bytes, strace_bytes(blob), blob->n < sizeof(bytes) ? blob->n : sizeof(bytes));
		shape = !command && bytes[16] & 4 ? on_node : shapes[command];
		if (strace_shape(line, shape, strlen(shape), bytes, sizeof(bytes), size))
			return;
	}
	strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_bpf_attr = { print_bpf_attr, .steps = { STEP_ARRAY(NEXT(1), 1, ATTRIBUTES_SIZE) } };
