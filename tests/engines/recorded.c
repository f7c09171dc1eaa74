// SPDX-License-Identifier: BSD-2-Clause
/*
 * recorded FILE
 *
 * Prints a recording for scripts, a line for each event in the order of time: kind, task, processor, then the fields as
 * NAME=VALUE, separated by tabs. Losses are lines "lost N". At the end "ended RECORDED LOST", or "cut", and "tasks N".
 */
#include "base/base.h"
#include "record/recording.h"

static void print_event(const struct recording *r, const struct recording_event *event)
{
	__str struct str line = {};

	str_addf(&line, "%s\t%d\t%u", event->kind->name, event->task, event->cpu);
	for (uint32_t i = 0; i < event->kind->n; i++) {
		const struct recording_field *field = &event->kind->fields[i];

		if (!recording_has(event, field))
			continue;
		str_addf(&line, "\t%s=", field->name);
		recording_show(&line, r, event, field);
	}
	puts(line.data);
}

static int print_events(struct recording *r)
{
	struct recording_event event;
	uint64_t last = 0;
	int ret;

	while ((ret = recording_next(r, &event)) > 0) {
		if (event.kind)
			print_event(r, &event);
		else
			printf("lost\t%llu\n", (unsigned long long)event.lost);
		if (event.kind && event.time < last)
			puts("disorder");
		last = event.time;
	}
	return ret;
}

int main(int argc, char **argv)
{
	struct err err = {};
	struct recording *r = recording_open(argc > 1 ? argv[1] : "", &err);
	const struct recording_info *info;

	if (!r) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	info = recording_info(r);
	if (print_events(r))
		puts("unreadable");
	if (info->ended)
		printf("ended\t%llu\t%llu\n", (unsigned long long)info->totals.recorded,
		       (unsigned long long)info->totals.lost);
	else
		puts("cut");
	printf("tasks\t%zu\n", recording_tasks(r));
	recording_close(r);
	return 0;
}
