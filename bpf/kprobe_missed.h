/* SPDX-License-Identifier: BSD-2-Clause */
/* What is read of a return probe of ours that is held by a perf event. Shared by both sides. */
#ifndef SONDE_BPF_KPROBE_MISSED_H
#define SONDE_BPF_KPROBE_MISSED_H

/* The iterator's text is an array of these: one for each probe whose descriptor is open in the process that reads. */
struct kprobe_missed {
	unsigned int fd;
	unsigned int returns; /* how many it missed; of an entry 0, of a user function any number */
};
_Static_assert(sizeof(struct kprobe_missed) == 8, "as on the other side");

#endif
