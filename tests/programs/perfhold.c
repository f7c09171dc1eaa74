// SPDX-License-Identifier: BSD-2-Clause
/*
 * perfhold ID...: opens perf events that count the tracepoints with these ids (events/GROUP/EVENT/id in tracefs)
 * until it is killed. Prints "did perf N" when all N are open.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_TRACEPOINT,
			.size = sizeof(attr),
			.config = strtoul(argv[i], NULL, 10),
		};

		if (syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0) < 0) {
			perror("perfhold");
			return 1;
		}
	}
	printf("did perf %d\n", argc - 1);
	fflush(stdout);
	for (;;)
		pause();
}
