// SPDX-License-Identifier: BSD-2-Clause
/*
 * hogs spin|send|turns|move|open N
 *
 * Two threads of the first processor; one waits N times for it while the other one, the hog, holds it. Prints "did
 * waits N" and "did hog PID".
 *	spin	the hog is SCHED_FIFO: wakes the other, then spins for 3 ms
 *	send	likewise, but sends itself datagrams, which the network's soft interrupts take
 *	turns	likewise, but neither spins, and both are SCHED_FIFO: nobody else comes in between
 *	move	like spin, but then moves the other one to the second processor, where it answers, and back
 *	open	the hog is an ordinary task, the other one is SCHED_FIFO and sleeps for 1 ms each time: the hog opens
 *		files, until the other one is done
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SPIN_NS	  3000000
#define DATAGRAMS 100

static unsigned long long now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000ULL + at.tv_nsec;
}

static void first(void)
{
	const struct sched_param param = { .sched_priority = 50 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		err(1, "SCHED_FIFO");
}

/* a frame of its own */
__attribute__((noinline)) static void spin(void)
{
	for (unsigned long long end = now() + SPIN_NS; now() < end;)
		;
}

static void send_some(void)
{
	static int to = -1, from = -1;
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);
	char text[1000] = "";

	if (to < 0) {
		to = socket(AF_INET, SOCK_DGRAM, 0);
		from = socket(AF_INET, SOCK_DGRAM, 0);
		if (to < 0 || from < 0 || bind(to, (struct sockaddr *)&at, len) ||
		    getsockname(to, (struct sockaddr *)&at, &len) || connect(from, (struct sockaddr *)&at, len))
			err(1, "socket");
	}
	for (int i = 0; i < DATAGRAMS; i++) {
		if (write(from, text, sizeof(text)) < 0)
			err(1, "write");
		while (recv(to, text, sizeof(text), MSG_DONTWAIT) > 0)
			;
	}
}

/* The other one answers each byte, as soon as it comes to the processor. */
static void answer(int in, int out, bool goes_first)
{
	char byte;

	prctl(PR_SET_NAME, "waiter");
	if (goes_first)
		first();
	if (write(out, "", 1) != 1)
		err(1, "write");
	while (read(in, &byte, 1) == 1)
		if (write(out, &byte, 1) != 1)
			err(1, "write");
	_exit(0);
}

static void sleeper(int n, int out)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	prctl(PR_SET_NAME, "waiter");
	first();
	while (n--)
		nanosleep(&ms, NULL);
	if (write(out, "", 1) != 1)
		err(1, "write");
	_exit(0);
}

static void move(pid_t pid, int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(pid, sizeof(cpus), &cpus))
		err(1, "cannot move to processor %d", cpu);
}

static void hog(const char *what, int n, int out, int in, pid_t other)
{
	char byte = 0;

	if (!strcmp(what, "open")) {
		fcntl(in, F_SETFL, O_NONBLOCK);
		while (read(in, &byte, 1) != 1)
			close(open("/", O_RDONLY | O_DIRECTORY));
		return;
	}
	/* until the other one has its name */
	if (read(in, &byte, 1) != 1)
		err(1, "read");
	first();
	if (!strcmp(what, "send"))
		send_some();
	while (n--) {
		if (write(out, &byte, 1) != 1)
			err(1, "write");
		if (!strcmp(what, "send"))
			send_some();
		else if (strcmp(what, "turns"))
			spin();
		if (!strcmp(what, "move"))
			move(other, 1);
		if (read(in, &byte, 1) != 1)
			err(1, "read");
		if (!strcmp(what, "move"))
			move(other, 0);
	}
}

static bool is_known(const char *what)
{
	static const char *const known[] = { "spin", "send", "turns", "move", "open" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(what, known[i]))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	int to[2], from[2], n;
	pid_t pid;

	if (argc != 3 || !is_known(argv[1]))
		errx(2, "usage: hogs spin|send|turns|move|open N");
	n = atoi(argv[2]);
	move(0, 0);
	if (pipe(to) || pipe(from))
		err(1, "cannot set up");
	pid = fork();
	if (!pid) {
		close(to[1]);
		strcmp(argv[1], "open") ? answer(to[0], from[1], !strcmp(argv[1], "turns")) : sleeper(n, from[1]);
	}
	hog(argv[1], n, to[1], from[0], pid);
	close(to[1]);
	if (waitpid(pid, NULL, 0) != pid)
		err(1, "waitpid");
	printf("did waits %d\ndid hog %d\n", n, getpid());
	return 0;
}
