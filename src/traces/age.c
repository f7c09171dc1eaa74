// SPDX-License-Identifier: BSD-2-Clause
/*
 * An event's directory in tracefs has the time at which it was made. Later kernels make the directory's inode when somebody
 * looks it up, and the time is that one: later than the event, and thus never a false proof.
 *
 * That time is the wall clock's, a process' start counts from boot. The one can be compared with the other only where the
 * clock has not been set since boot: tracefs' own root, as old as the kernel, tells.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "age.h"
#include "kernel/kernel_files.h"

/* Seconds: how long a kernel may need from the start of its clock to tracefs, and by how much an event must be older. */
#define BOOT_LIMIT 10
#define MARGIN	   60

/* When the machine was booted, by what its clock says now; false: it said something else when tracefs was made. */
static bool boot_time(time_t tracefs, time_t *boot)
{
	struct timespec now, since;

	if (clock_gettime(CLOCK_REALTIME, &now) || clock_gettime(CLOCK_BOOTTIME, &since))
		return false;
	*boot = now.tv_sec - since.tv_sec;
	return tracefs >= *boot - BOOT_LIMIT && tracefs <= *boot + BOOT_LIMIT;
}

/* Seconds from boot to the start of a process, -1 it is gone. */
static time_t start_of(pid_t pid)
{
	__free char *path = base_printf("/proc/%d/stat", pid);
	__close int fd = kernel_open(path, O_RDONLY);
	unsigned long long ticks;
	char text[1024] = "", *at;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -1;
	/* the 22nd word; the second is the command in parentheses, which may hold any */
	at = strrchr(text, ')');
	for (int word = 2; at && word < 22; word++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%llu", &ticks) == 1 ? (time_t)(ticks / sysconf(_SC_CLK_TCK)) : -1;
}

bool age_event_precedes(int tracefs, const char *group, const char *name, pid_t pid)
{
	__free char *path = base_printf("events/%s/%s", group, name);
	time_t boot, start = start_of(pid);
	struct stat root, event;

	if (start < 0 || fstat(tracefs, &root) || !boot_time(root.st_ctime, &boot) ||
	    fstatat(tracefs, path, &event, AT_SYMLINK_NOFOLLOW))
		return false;
	/* a time that is tracefs' own would be no event's */
	return event.st_ctime != root.st_ctime && event.st_ctime + MARGIN < boot + start;
}
