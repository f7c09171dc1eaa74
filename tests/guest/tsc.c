// SPDX-License-Identifier: BSD-2-Clause
// Prints the frequency of this machine's time stamp counter in kHz, for a guest's kernel (tests/guest/run). An emulated
// processor counts as the machine's does, but a guest that is kept from running while its kernel measures the counter
// against a timer takes a wrong frequency: its clock then runs several times too fast.
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// A reading of both clocks, with as little time between them as a try of ten has.
static void read_both(int64_t *ns, uint64_t *ticks)
{
	int64_t shortest = INT64_MAX;

	for (int i = 0; i < 10; i++) {
		int64_t before = now();
		uint64_t count = __rdtsc();
		int64_t took = now() - before;

		if (took < shortest) {
			shortest = took;
			*ns = before + took / 2;
			*ticks = count;
		}
	}
}

int main(void)
{
	uint64_t ticks[2];
	int64_t ns[2];

	read_both(&ns[0], &ticks[0]);
	nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	read_both(&ns[1], &ticks[1]);
	printf("%.0f\n", (double)(ticks[1] - ticks[0]) * 1e6 / (double)(ns[1] - ns[0]));
	return 0;
}
