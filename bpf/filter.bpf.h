/* SPDX-License-Identifier: BSD-2-Clause */
/* filter_pass(): whether the filters of the user pass the current task. */
#ifndef SONDE_BPF_FILTER_BPF_H
#define SONDE_BPF_FILTER_BPF_H

#include "vmlinux/vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "bpf/filter.h"

const volatile struct filter filter SEC(".rodata.filter");

/*
 * A byte for each process id, set for the command (-c) and its descendants. An array and not a hash, because a
 * lookup takes a few instructions instead of 140, and a byte can be set without an atomic operation. User space
 * sets the size: one element if unused, else kernel.pid_max / FILTER_MEMBERS_ROW.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u8[FILTER_MEMBERS_ROW]);
} members SEC(".maps");

/*
 * The cgroup of the filter, opened by user space. Membership is tested by this map and not by id: that works since
 * Linux 4.9, for descendants too, and in every cgroup namespace. The map is created only if it is used.
 */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} cgroups SEC(".maps");

static __always_inline __u8 *filter_member(__u32 tgid)
{
	__u32 row = tgid / FILTER_MEMBERS_ROW;
	__u8 *bytes = bpf_map_lookup_elem(&members, &row);

	return bytes ? bytes + tgid % FILTER_MEMBERS_ROW : NULL;
}

static __always_inline bool filter_pass_ids(void)
{
	__u32 tgid, tid;

	if (filter.in_pidns) {
		struct bpf_pidns_info ids = {};

		/* fails for a task that the namespace does not see: the filter rejects it */
		if (bpf_get_ns_current_pid_tgid(filter.pidns_dev, filter.pidns_ino, &ids,
						sizeof(ids)))
			return false;
		tgid = ids.tgid;
		tid = ids.pid;
	} else {
		__u64 both = bpf_get_current_pid_tgid();

		tgid = both >> 32;
		tid = both;
	}
	if (filter.by_tgid && tgid != filter.tgid)
		return false;
	return !filter.by_tid || tid == filter.tid;
}

static __always_inline bool filter_pass_comm(void)
{
	union {
		char text[FILTER_COMM_LEN];
		__u64 words[2];
	} comm = {};
	const volatile __u64 *want = (const volatile __u64 *)filter.comm;

	bpf_get_current_comm(comm.text, sizeof(comm.text));
	return comm.words[0] == want[0] && comm.words[1] == want[1];
}

static __always_inline bool filter_pass(void)
{
	/* one test without filters: the verifier removes guarded code, but not the loads of the tests themselves */
	if (!filter.any)
		return true;
	if (filter.by_cpu && bpf_get_smp_processor_id() != filter.cpu)
		return false;
	if ((filter.by_tgid || filter.by_tid) && !filter_pass_ids())
		return false;
	if (filter.by_members) {
		__u8 *member = filter_member(bpf_get_current_pid_tgid() >> 32);

		if (!member || !*member)
			return false;
	}
	if (filter.by_uid && (__u32)bpf_get_current_uid_gid() != filter.uid)
		return false;
	if (filter.by_cgroup && bpf_current_task_under_cgroup(&cgroups, 0) != 1)
		return false;
	return !filter.by_comm || filter_pass_comm();
}

#endif
