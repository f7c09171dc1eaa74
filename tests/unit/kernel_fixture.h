/* SPDX-License-Identifier: BSD-2-Clause */
/* A directory that replaces /proc and /sys. Each test is a process of its own. */
#ifndef SONDE_TESTS_UNIT_KERNEL_FIXTURE_H
#define SONDE_TESTS_UNIT_KERNEL_FIXTURE_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "kernel/kernel.h"

#define KALLSYMS "/proc/kallsyms"
#define MODULES	 "/proc/modules"
#define LIST	 "/sys/kernel/tracing/available_filter_functions"
#define ADDRS	 "/sys/kernel/tracing/available_filter_functions_addrs"
#define EVENTS	 "/sys/kernel/tracing/available_events"
#define BTF	 "/sys/kernel/btf/vmlinux"

static char fixture_dir[] = "/tmp/sonde-unit-XXXXXX";

static inline void fixture_init(void)
{
	cr_assert(mkdtemp(fixture_dir));
	kernel_set_root(fixture_dir);
}

static inline int fixture_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

static inline void fixture_fini(void)
{
	nftw(fixture_dir, fixture_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void fixture_bytes(const char *path, const void *data, size_t n)
{
	__free char *full = base_printf("%s%s", fixture_dir, path);
	__close int fd = -1;

	for (char *slash = full + strlen(fixture_dir); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(full, 0755);
		*slash = '/';
	}
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	cr_assert_geq(fd, 0, "%s", full);
	cr_assert_eq(write(fd, data, n), (ssize_t)n);
}

static inline void fixture_file(const char *path, const char *text)
{
	fixture_bytes(path, text, strlen(text));
}

#endif
