// SPDX-License-Identifier: BSD-2-Clause
/* One row for each thread, state and call; the files add up those of the same names. */
#include "spent.h"
#include "summary.h"

struct spent_row {
	const char *comm;
	struct frame_stack stack;
	uint64_t ns, count;
};

static const struct field fields[] = {
	FIELD(FIELD_STR, struct spent_row, comm, "comm", "COMM", -16, .role = ROLE_TASK),
	FIELD(FIELD_STACK, struct spent_row, stack, "stack", NULL, 0),
	FIELD(FIELD_DURATION, struct spent_row, ns, "ns", "TIME", 10),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct frame states[SUMS_STATES] = {
	[SUMS_UNKNOWN] = { .name = "[unknown]", .kind = FRAME_MARK },
	[SUMS_RUNS] = { .name = "[running]", .kind = FRAME_MARK },
	[SUMS_WAITS] = { .name = "[processor]", .kind = FRAME_MARK },
	[SUMS_SLEEPS] = { .name = "[sleep]", .kind = FRAME_MARK },
	[SUMS_DISK] = { .name = "[disk]", .kind = FRAME_MARK },
	[SUMS_STOPPED] = { .name = "[stopped]", .kind = FRAME_MARK },
};

static void add_row(struct files *files, const char *comm, const struct frame *call, enum sums_state state, uint64_t ns)
{
	const struct frame *frames[] = { call, &states[state] };
	const struct spent_row row = { comm, { call ? frames : frames + 1, call ? 2 : 1 }, ns, 1 };

	if (ns && states[state].name)
		files_row(files, &schema, &row, NULL);
}

static void add_sleep(struct files *files, const struct sums *sums, const struct recording *r,
		      const struct sums_sleep *sleep)
{
	struct frame call = { .kind = FRAME_KERNEL };
	__str struct str name = {};

	if (sleep->call >= 0) {
		summary_add_call(&name, r, sleep->call);
		call.name = name.data;
	}
	add_row(files, sums->tasks.v[sleep->task].comm, call.name ? &call : NULL, sleep->state, sleep->ns);
}

void spent_add(struct files *files, const struct sums *sums, const struct recording *r)
{
	const struct recording_info *info = recording_info(r);

	files->about = (struct files_about){
		.title = info->host.line,
		.counts = "states",
		.times = "wall",
		.by_time = true,
		.began_ns = sums->begun + recording_wall_offset(r),
		.lasted_ns = sums->ended > sums->begun ? sums->ended - sums->begun : 0,
	};
	vec_each(task, &sums->tasks)
		for (int state = 0; state < SUMS_STATES; state++)
			if (!task->hidden && state != SUMS_SLEEPS && state != SUMS_DISK)
				add_row(files, task->comm, NULL, state, task->ns[state]);
	vec_each(sleep, &sums->sleeps)
		if (!sums->tasks.v[sleep->task].hidden)
			add_sleep(files, sums, r, sleep);
}
