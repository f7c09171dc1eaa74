// SPDX-License-Identifier: BSD-2-Clause
/* Makes tracing_multi links by the system call itself. Knows no target. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracing_multi.h"

/* BPF_LINK_CREATE's attributes up to those of a tracing_multi link. */
struct link_create {
	uint32_t program, target, attach_type, flags;
	uint64_t ids, cookies;
	uint32_t n, unused;
};
_Static_assert(sizeof(struct link_create) == 40, "as the kernel has it");

int tracing_multi_link(int program, enum bpf_attach_type type, const uint32_t *ids, const uint64_t *cookies, size_t n)
{
	struct link_create create = {
		.program = program,
		.attach_type = type,
		.ids = (uintptr_t)ids,
		.cookies = (uintptr_t)cookies,
		.n = n,
	};
	int fd = syscall(SYS_bpf, BPF_LINK_CREATE, &create, sizeof(create));

	return fd < 0 ? -errno : fd;
}
