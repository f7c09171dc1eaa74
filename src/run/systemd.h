/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a service manager and we say to each other: sd_notify(3), sd_listen_fds(3), sd_pid_notify_with_fds(3) and
 * sd_watchdog_enabled(3), by hand: a few variables of the environment and datagrams of lines. Without a manager every
 * function does nothing and succeeds.
 */
#ifndef SONDE_RUN_SYSTEMD_H
#define SONDE_RUN_SYSTEMD_H

#include <sys/un.h>

#include "base/str.h"

struct systemd {
	struct sockaddr_un notify; /* where messages go */
	socklen_t notify_size;	   /* 0: nobody listens */
	bool hangs;		   /* the manager did not take the last message in time: nobody waits for it now */
	bool is_slow;		   /* the manager did not end a wait in time: nobody waits for it again */
	uint64_t watchdog_ns;	   /* half of what the manager waits for a sign of life; 0: it does not wait */
	uint64_t watchdog_next;	   /* CLOCK_MONOTONIC, ns: when to send it; UINT64_MAX: never */

	/* Descriptors that we were started with: sockets to listen on, and what the store kept, in no certain order. */
	struct systemd_fd {
		int fd;	    /* close-on-exec; -1: somebody has taken it */
		char *name; /* FDNAME= or FileDescriptorName=; "unknown" if the manager says none */
	} * v;
	size_t n, cap;
};

/*
 * Reads the variables, claims the descriptors (close-on-exec), and removes the variables, so that no child takes them
 * for its own. Call it before anything starts a process. Descriptors meant for another process are left alone. Returns
 * 0 or -errno: NOTIFY_SOCKET is no address (-EINVAL), a promised descriptor is not open (-EBADF); all else is set then
 * too. Closes what nobody has taken: systemd_release().
 */
int systemd_begin(struct systemd *systemd);
void systemd_release(struct systemd *systemd);

/*
 * Sends lines: systemd_notify(sd, "READY=1\nSTATUS=%s", text). Control characters are the caller's to keep out. Waits
 * up to a second for a manager that is busy; if that was in vain, the next messages are sent without waiting until it
 * takes one. Returns 0 or -errno; -EAGAIN: it did not take the message.
 */
int systemd_notify(struct systemd *systemd, const char *fmt, ...) __printf(2, 3);
/* RELOADING=1 and its time; READY=1 must follow. */
int systemd_reloading(struct systemd *systemd);
/* One line for `systemctl status`. Bytes that would break the line are replaced. */
int systemd_status(struct systemd *systemd, const char *text);

/*
 * The store keeps a copy of fd after our end, under a name (letters, digits, "._-", up to 255), and the next start gets
 * it back. FDPOLL=0: the manager does not drop it when it signals an error or a hang-up (systemd 246; links and maps do
 * not, perf events do). Needs FileDescriptorStoreMax= of the unit, without which the manager drops it in silence.
 * Returns 0 or -errno: -EINVAL for a bad name. systemd_unstore() removes all descriptors of a name.
 */
int systemd_store(struct systemd *systemd, const char *name, int fd);
int systemd_unstore(struct systemd *systemd, const char *name);

/*
 * Waits until the manager has read all that was sent before, but not for longer than two seconds in all: after a wait
 * in vain this returns at once.
 */
void systemd_wait(struct systemd *systemd);

/* Sends the sign of life if it is time, now: CLOCK_MONOTONIC in ns. To be called at watchdog_next or sooner. */
void systemd_watchdog(struct systemd *systemd, uint64_t now);

#endif
