/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets to links. A program is a template, prepared by libbpf (maps
 * created, relocations done) and loaded once per way of attaching: attach writes two constants
 * into each copy, how the slot is found and which slot it is (bpf/slot.bpf.h).
 */
#ifndef SONDE_ATTACH_H
#define SONDE_ATTACH_H

#include "probe/target.h"

struct bpf_program;
struct bpf_map;
struct attach;

struct attach_options {
	const struct bpf_program *program; /* the template, from an object that is prepared */
	int slot_disp_fd, slot_table_fd;   /* maps of bpf/slot.bpf.h */
	enum mech mech;	 /* MECH_AUTO or the one that is forced */
	pid_t pid;	 /* user functions: only in this process, 0 everywhere */
	/* called between batches; non-zero stops attaching with -EINTR */
	int (*progress)(void *ctx, size_t done, size_t total);
	void *ctx;
};

