// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads a trace.dat as KernelShark does, with its library, and prints a line for each entry: time, processor, task,
 * event, what it says.
 *
 *	kshark FILE
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "libkshark.h"

int main(int argc, char **argv)
{
	struct kshark_context *context = NULL;
	struct kshark_entry **entries = NULL;
	ssize_t n;
	int stream;

	if (argc != 2 || !kshark_instance(&context))
		return 2;
	stream = kshark_open(context, argv[1]);
	if (stream < 0) {
		fprintf(stderr, "kshark_open: %d\n", stream);
		return 1;
	}
	n = kshark_load_entries(context, stream, &entries);
	for (ssize_t i = 0; i < n; i++) {
		char *event = kshark_get_event_name(entries[i]), *task = kshark_get_task(entries[i]), *info = kshark_get_info(entries[i]);

		printf("%" PRId64 " %d %s-%d %s: %s\n", entries[i]->ts, entries[i]->cpu, task, kshark_get_pid(entries[i]), event, info);
		free(event);
		free(task);
		free(info);
		free(entries[i]);
	}
	free(entries);
	kshark_close_all(context);
	kshark_free(context);
	return n < 0;
}
