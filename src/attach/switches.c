// SPDX-License-Identifier: BSD-2-Clause
/*
 * kernel.ftrace_enabled and kprobes/enabled in debugfs: which mechanism depends on which switch, and whether it is
 * off.
 */
#include <fcntl.h>

#include "base/mount.h"
#include "kernel/kernel.h"
#include "quirks.h"
#include "switches.h"

static bool is_off(int fd)
{
	char value = '1';

	return fd >= 0 && read(fd, &value, 1) == 1 && value == '0';
}

static const char *ftrace_off(void)
{
	__close int fd = open("/proc/sys/kernel/ftrace_enabled", O_RDONLY | O_CLOEXEC);

	return is_off(fd) ? "ftrace is switched off (sysctl kernel.ftrace_enabled=1 switches it on)" : NULL;
}

static const char *kprobes_off(void)
{
	__close int debugfs = mount_own("debugfs");
	__close int fd = debugfs < 0 ? -1 : openat(debugfs, "kprobes/enabled", O_RDONLY | O_CLOEXEC);

	return is_off(fd) ? "kprobes are switched off (echo 1 > /sys/kernel/debug/kprobes/enabled switches them on)" : NULL;
}

static const char *look(const char *(*off)(void), bool *looked, const char **known)
{
	if (!*looked)
		*known = off();
	*looked = true;
	return *known;
}

const char *switches_off(struct switches *switches, enum mech mech, const struct target *target)
{
	bool kprobe = mech == MECH_KPROBE;
	const char *why = NULL;

	if (kprobe)
		why = look(kprobes_off, &switches->looked_at_kprobes, &switches->kprobes);
	if (!why && (mech == MECH_FENTRY || mech == MECH_FENTRY_MULTI || mech == MECH_KPROBE_MULTI ||
		     (kprobe && quirk_kprobe_by_ftrace(target->offset))))
		why = look(ftrace_off, &switches->looked_at_ftrace, &switches->ftrace);
	return why;
}
