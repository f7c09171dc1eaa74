/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The filters that programs apply in the kernel. Shared by both sides: user space fills them into the map
 * .rodata.filter before it loads the program, and the map is read-only from then on. The verifier removes the
 * filters that are off: without filters two instructions remain.
 */
#ifndef SONDE_BPF_FILTER_H
#define SONDE_BPF_FILTER_H

#define FILTER_COMM_LEN 16
/* How many processes an element of the members map holds, a byte each. */
#define FILTER_MEMBERS_ROW 64

struct filter {
	unsigned char any; /* one of the following is set */
	unsigned char by_tgid, by_tid, by_uid, by_cpu, by_comm, by_cgroup;
	unsigned char by_members;    /* only the command, or a service's processes, and their descendants */
	unsigned char in_pidns;	     /* tgid and tid are ids in the pid namespace below, not on the host */
	unsigned char members_exist; /* members run already; a command begins when it is released */
	unsigned char unused[2];     /* no padding: what is kept is compared as bytes */
	unsigned int tgid, tid, uid, cpu, unused_too;
	unsigned long long pidns_dev, pidns_ino;
	unsigned long long cgroup_id; /* as the kernel has it, for those who look at other tasks than the current one */
	char comm[FILTER_COMM_LEN];   /* padded with NULs */
};
_Static_assert(sizeof(struct filter) == 72, "as on the other side");

#endif
