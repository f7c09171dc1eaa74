/* SPDX-License-Identifier: BSD-2-Clause */
/* Links of one program to many functions by trampolines (Linux 7.2), which libbpf has from 1.8 on. */
#ifndef SONDE_ATTACH_TRACING_MULTI_H
#define SONDE_ATTACH_TRACING_MULTI_H

#include <linux/bpf.h>

#include "base/base.h"

/* Attach types of such programs, which are loaded without a function in BTF. */
#define TRACING_FENTRY_MULTI   ((enum bpf_attach_type)59)
#define TRACING_FEXIT_MULTI    ((enum bpf_attach_type)60)
#define TRACING_FSESSION_MULTI ((enum bpf_attach_type)61) /* at entry and return */

/*
 * Attaches a program to n functions of the kernel's BTF, to all or to none. The program reads cookies[i] when ids[i] is hit.
 * Returns the fd of a link, or -errno.
 */
int tracing_multi_link(int program, enum bpf_attach_type type, const uint32_t *ids, const uint64_t *cookies, size_t n);

#endif
