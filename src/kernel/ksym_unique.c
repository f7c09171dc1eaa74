// SPDX-License-Identifier: BSD-2-Clause
/*
 * Does a kernel function's name say one place? Asked of the kernel, which has an index of its symbols: to
 * read all of /proc/kallsyms for that takes it a thousand times as long.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "kernel.h"

/* In several files of every kernel with sockets and a block layer, a static function each. */
#define KNOWN_TWIN "init_once"

static int kprobe_type(void)
{
	__close int fd = open("/sys/bus/event_source/devices/kprobe/type", O_RDONLY | O_CLOEXEC);
	char text[16] = "";

	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 ? atoi(text) : -1;
}

/*
 * What the kernel says to a disabled kprobe one byte into the function, which is inside its first
 * instruction. It looks for twins before it looks at the place.
 */
static int ask(const char *name)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = kprobe_type(),
		.disabled = 1,
		.kprobe_func = (uintptr_t)name,
		.probe_offset = 1,
	};
	__close int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : 0;
}

bool kernel_symbol_unique(const char *name)
{
	int said;

	if (kprobe_type() < 0)
		return false;
	said = ask(name);
	if (said && said != -EILSEQ)
		return false;
	/* older kernels take the first of several */
	return ask(KNOWN_TWIN) == -EADDRNOTAVAIL;
}
