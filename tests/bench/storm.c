// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench-storm [-w FIFO] [-r EVENTS] SECONDS
 *
 * Makes EVENTS events a second (200,000), a thousandth of them each millisecond, and knows how many it has made: calls
 * of getppid(2), and of functions of its own: storm_count, storm_time and storm_key, which has a key as its argument.
 * A key lives for a while, and ends with storm_gone; 64 keys live at any time. Its own name changes with the keys.
 * -w waits until FIFO can be opened and read.
 *
 * At the end it prints NAME COUNT lines: getppid, storm_count, storm_time, storm_key, live (the calls of storm_key with
 * keys that live), keys (all that have lived), ms (the time it took).
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone, used))
#define LIVE   64
#define TURNS  1000 /* of a second */

void storm_count(void);
void storm_time(void);
void storm_key(long key);
void storm_gone(long key);

/* The statement keeps calls from being merged or removed. */
PROBED void storm_count(void)
{
	__asm__ volatile("" ::
				 : "memory");
}

PROBED void storm_time(void)
{
	__asm__ volatile("" ::
				 : "memory");
}

PROBED void storm_key(long key)
{
	__asm__ volatile("" ::"r"(key)
			 : "memory");
}

PROBED void storm_gone(long key)
{
	__asm__ volatile("" ::"r"(key)
			 : "memory");
}

static uint64_t getppids, counts, times, keys, calls_of[LIVE];
static long first, next; /* the keys that live */

/* A new key, in the place of the oldest one if there are enough. */
static void renew(void)
{
	char name[16];

	if (next - first == LIVE)
		storm_gone(first++);
	snprintf(name, sizeof(name), "storm-%ld", next);
	prctl(PR_SET_NAME, name);
	calls_of[next++ % LIVE] = 0;
}

/* The parts of the events: a call of storm_time is two of them, at its begin and at its end. */
static void turn(long events)
{
	for (long i = 0; i < events * 70 / 100; i++, getppids++)
		syscall(SYS_getppid);
	for (long i = 0; i < events * 15 / 100; i++, counts++)
		storm_count();
	for (long i = 0; i < events * 5 / 100; i++, times++)
		storm_time();
	for (long i = 0; i < events * 5 / 100; i++, keys++) {
		long key = first + (long)(keys % (uint64_t)(next - first));

		storm_key(key);
		calls_of[key % LIVE]++;
	}
}

static void wait_for(const char *fifo)
{
	char byte;
	int fd = open(fifo, O_RDONLY);

	if (fd < 0 || read(fd, &byte, 1) < 0)
		err(1, "%s", fifo);
	close(fd);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Turns that are late follow at once. */
static void storm(long seconds, long events)
{
	uint64_t at = now_ns();

	for (long n = 0; n < seconds * TURNS; n++) {
		struct timespec until;

		if (n % (TURNS / 10) == 0)
			renew();
		turn(events / TURNS);
		at += 1000000000 / TURNS;
		until = (struct timespec){ at / 1000000000, at % 1000000000 };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	}
}

int main(int argc, char **argv)
{
	uint64_t start, live = 0;
	long events = 200000;
	int c;

	while ((c = getopt(argc, argv, "w:r:")) != -1) {
		if (c == 'w')
			wait_for(optarg);
		else if (c == 'r')
			events = atol(optarg);
		else
			return 2;
	}
	if (optind + 1 != argc)
		errx(2, "how many seconds?");
	start = now_ns();
	storm(atol(argv[optind]), events);
	for (long key = first; key < next; key++)
		live += calls_of[key % LIVE];
	printf("getppid %ju\nstorm_count %ju\nstorm_time %ju\n", (uintmax_t)getppids, (uintmax_t)counts,
	       (uintmax_t)times);
	printf("storm_key %ju\nlive %ju\nkeys %ld\n", (uintmax_t)keys, (uintmax_t)live, next);
	printf("ms %ju\n", (uintmax_t)((now_ns() - start) / 1000000));
	return 0;
}
