// SPDX-License-Identifier: BSD-2-Clause
/*
 * Marks of the user's in a recording: the USDT probe of our own file that `sonde mark` passes. Whoever calls it runs
 * the same file, and the kernel tells it by the semaphore that somebody records.
 */
#include "attach/plan.h"
#include "record_part.h"

#define MARK_SPEC "usdt:/proc/self/exe:sonde:mark"

int record_marks_prepare(struct recorder *recorder, struct err *err)
{
	struct record_marks *marks = &recorder->marks;
	int ret = object_image(&recorder->progs.object, "marked", &marks->image, err);

	return ret ? ret : ring_patch(recorder->ring, &marks->image, err);
}

int record_marks_attach(struct recorder *recorder, struct err *err)
{
	const struct attach_options options = { .registers = true, .shared = true, .must_not_miss = true };
	const struct target_options target = {};
	struct record_marks *marks = &recorder->marks;
	const struct plan_step step = { .image = &marks->image };
	int ret = probes_add_spec(&marks->set, MARK_SPEC, 0, &target, err);

	if (ret)
		return ret;
	marks->set.n_slots = 1;
	marks->attach = attach_new(&marks->set, &options);
	return plan_run(marks->attach, &step, 1, err);
}

void record_marks_release(struct recorder *recorder)
{
	struct record_marks *marks = &recorder->marks;

	attach_free(marks->attach);
	image_release(&marks->image);
	target_set_release(&marks->set);
}
