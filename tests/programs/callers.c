// SPDX-License-Identifier: BSD-2-Clause
/*
 * callers [-w FILE] [-t] LEFT RIGHT
 *
 * Calls leaf() LEFT times as main, left, leaf and RIGHT times as main, right, deeper, leaf. Each call makes one system
 * call, getpgid. -t: a second thread does the same. -w waits until FILE can be opened and read. Prints what it did, as
 * often as all threads together did it:
 *	did left LEFT
 *	did right RIGHT
 */
#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "workload.h"

static int n_left, n_right;

/* Behind each call, so that none becomes a jump. */
#define STAY() asm volatile("")

__attribute__((noinline)) void leaf(void)
{
	syscall(SYS_getpgid, 0);
	STAY();
}

__attribute__((noinline)) void left(void)
{
	leaf();
	STAY();
}

__attribute__((noinline)) void deeper(void)
{
	leaf();
	STAY();
}

__attribute__((noinline)) void right(void)
{
	deeper();
	STAY();
}

__attribute__((noinline)) void *branch(void *nothing)
{
	for (int i = 0; i < n_left; i++)
		left();
	for (int i = 0; i < n_right; i++)
		right();
	STAY();
	return nothing;
}

static void did(const char *what, long n)
{
	struct tell *tell = tell_begin(what);

	tell_number(tell, n);
	tell_end(tell);
}

int main(int argc, char **argv)
{
	bool twice = false;
	pthread_t thread;
	int option;

	while ((option = getopt(argc, argv, "tw:")) != -1)
		if (option == 't')
			twice = true;
		else if (option == 'w')
			workload_wait(optarg);
		else
			return 2;
	if (argc != optind + 2)
		errx(2, "usage: callers [-w FILE] [-t] LEFT RIGHT");
	n_left = atoi(argv[optind]);
	n_right = atoi(argv[optind + 1]);
	if (twice && pthread_create(&thread, NULL, branch, NULL))
		errx(1, "no thread");
	branch(NULL);
	if (twice)
		pthread_join(thread, NULL);
	did("left", n_left * (1 + twice));
	did("right", n_right * (1 + twice));
	return 0;
}
