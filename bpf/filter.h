/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which events count, decided in the kernel. Shared by both sides: user space fills
 * it before the program is loaded, into the map .rodata.filter, which is read-only from then on. The
 * verifier removes what is off: where nothing is asked for, two instructions are left.
 */
#ifndef SONDE_FILTER_H
#define SONDE_FILTER_H

#define FILTER_COMM_LEN 16
/* Processes a row of the members map stands for, a byte each. */
#define FILTER_MEMBERS_ROW 64

struct filter {
	unsigned char any; /* one of the following is set */
	unsigned char by_tgid, by_tid, by_uid, by_cpu, by_comm, by_cgroup;
	unsigned char by_members; /* the command and its descendants */
	unsigned char in_pidns;	  /* tgid and tid are numbers of the pid namespace below, not of the host */
	unsigned int tgid, tid, uid, cpu;
	unsigned long long pidns_dev, pidns_ino;
	unsigned long long cgroup_id; /* as the kernel has it, for those who look at other tasks than the current one */
	char comm[FILTER_COMM_LEN];   /* padded with NULs */
};

#endif
