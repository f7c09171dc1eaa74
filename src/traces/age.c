// SPDX-License-Identifier: BSD-2-Clause
/*
 * Compares the age of an event with that of a process. The time of an event's directory in tracefs is when the
 * event was made. Later kernels make the directory's inode only when somebody looks it up; the time is then that
 * of the look-up, which is later, and so never a false proof.
 *
 * That time is of the wall clock, but a process's start counts from boot. The two can be compared only if nobody
 * has set the clock since boot. We know that from tracefs's root directory, which was made at boot.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "age.h"
#include "kernel/kernel_files.h"

/*
 * In seconds: the longest time from the start of the kernel's clock to the making of tracefs, and how much older
 * than the process an event must be.
 */
#define BOOT_LIMIT 10
#define MARGIN	   60

/* Computes the time of boot from the clocks. Returns false if the wall clock was set after tracefs was made. */
static bool boot_time(time_t tracefs, time_t *boot)
{
	struct timespec now, since;

	if (clock_gettime(CLOCK_REALTIME, &now) || clock_gettime(CLOCK_BOOTTIME, &since))
		return false;
	*boot = now.tv_sec - since.tv_sec;
	return tracefs >= *boot - BOOT_LIMIT && tracefs <= *boot + BOOT_LIMIT;
}

/* Returns the seconds from boot to the start of a process, -1 if it has exited. */
static time_t start_of(pid_t pid)
{
	__free char *path = base_printf("/proc/%d/stat", pid);
	__close int fd = kernel_open(path, O_RDONLY);
	unsigned long long ticks;
	char text[1024] = "", *at;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -1;
	/*
	 * The start is the 22nd word. The second is the command in parentheses, which can hold blanks and
	 * parentheses itself.
	 */
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
	/* A time equal to that of tracefs's root says nothing about the event. */
	return event.st_ctime != root.st_ctime && event.st_ctime + MARGIN < boot + start;
}
