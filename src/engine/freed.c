// SPDX-License-Identifier: BSD-2-Clause
#include "attach/plan.h"
#include "freed.h"
#include "object.h"

int freed_load(struct freed *freed, const struct object *object, const char *program, struct err *err)
{
	freed->wanted = program;
	return program ? object_image(object, program, &freed->image, err) : 0;
}

/* A raw tracepoint has the task itself. A kernel that preempts its programs may skip some. */
int freed_attach(struct freed *freed, const struct attach_options *options, struct err *err)
{
	const struct plan_step step = { .image = &freed->image, .mech = MECH_RAW_TP, .insist = true };
	struct attach_options own = *options;
	struct target *target;

	if (!freed->wanted)
		return 0;
	/* what the user asks for is about functions */
	own.mech = MECH_AUTO;
	target = vec_push(&freed->set);
	target->kind = TARGET_TRACEPOINT;
	target->object = "sched";
	target->name = "sched_process_free";
	target->label = "sched:sched_process_free";
	freed->set.n_slots = 1;
	freed->attach = attach_new(&freed->set, &own);
	return plan_run(freed->attach, &step, 1, err);
}

void freed_release(struct freed *freed)
{
	attach_free(freed->attach);
	image_release(&freed->image);
	target_set_release(&freed->set);
}
