// SPDX-License-Identifier: BSD-2-Clause
/*
 * waits TIMES MS CAUSE...
 *
 * Starts a process for each CAUSE, all at once. Each waits TIMES times for MS milliseconds, and measures how long; then
 * it ends, and prints (its own ids, times in ns):
 *	did wait CAUSE PID TID WAITED RAN QUEUED
 * WAITED: from before each wait until it was running again after it. RAN, QUEUED: in the kernel's own account, how long
 * it ran, and how long it waited for a processor, in its whole life but the last moment. Where a child waits, they are
 * those of both.
 *
 * The tables at the ends of waits-*.c list the causes. What another process or thread does after MS milliseconds ends
 * the wait.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "waits.h"

int times, ms;
const char *name;
long long waited;
pid_t waiter;

void nap(void)
{
	usleep(ms * 1000);
}

int after_nap(void *arg)
{
	(void)arg;
	nap();
	_exit(0);
}

struct other start(void (*act)(void *), void *arg)
{
	int go[2];
	struct other other;

	if (pipe(go))
		err(1, "pipe");
	other.go = go[1];
	other.pid = fork();
	if (!other.pid) {
		char byte;

		close(go[1]);
		prctl(PR_SET_NAME, "other");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(go[0], &byte, 1) == 1) {
			nap();
			act(arg);
		}
		_exit(0);
	}
	close(go[0]);
	return other;
}

void go(const struct other *other)
{
	if (write(other->go, "", 1) != 1)
		err(1, "go");
}

void end(struct other *other)
{
	close(other->go);
	waitpid(other->pid, NULL, 0);
}

void put_byte(void *fd)
{
	if (write(*(int *)fd, "", 1) != 1)
		err(1, "write");
}

void send_signal(void *pid)
{
	kill(*(pid_t *)pid, SIGUSR1);
}

/* Adds what the kernel's account says of a process. */
static void add_account(pid_t pid, long *ran, long *queued)
{
	char path[64];
	long now[2];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%ld %ld", &now[0], &now[1]) != 2)
		errx(1, "schedstat");
	fclose(f);
	*ran += now[0];
	*queued += now[1];
}

static void tell(void)
{
	pid_t who = waiter ? waiter : getpid();
	struct tell *tell = tell_begin("wait");
	long ran = 0, queued = 0;

	add_account(getpid(), &ran, &queued);
	if (waiter)
		add_account(waiter, &ran, &queued);
	tell_word(tell, name);
	tell_number(tell, who);
	tell_number(tell, who);
	tell_number(tell, waited);
	tell_number(tell, ran);
	tell_number(tell, queued);
	tell_end(tell);
}

static void do_wait(const char *cause)
{
	static const struct cause *const tables[] = { on_descriptors, on_threads, on_processes };

	name = cause;
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct cause *known = tables[i]; known->name; known++)
			if (!strcmp(known->name, cause)) {
				known->wait();
				tell();
				exit(0);
			}
	errx(2, "no cause '%s'", cause);
}

int main(int argc, char **argv)
{
	int status, failed = 0;

	if (argc < 4)
		errx(2, "usage: waits TIMES MS CAUSE...");
	times = atoi(argv[1]);
	ms = atoi(argv[2]);
	for (int i = 3; i < argc; i++)
		if (!fork())
			do_wait(argv[i]);
	while (wait(&status) > 0)
		failed |= status;
	return !!failed;
}
