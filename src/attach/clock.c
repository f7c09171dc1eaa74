// SPDX-License-Identifier: BSD-2-Clause
/*
 * Points in time: a perf event of each processor, which counts its clock and runs the program once a period. This event
 * is the kernel's own and needs no counters of the processor, so virtual machines have it too. The period is fixed.
 * With a frequency instead, perf would shorten it after each pause: too many samples would be of tasks that just woke.
 */
#include <linux/bpf.h>

#include "base/cpus.h"
#include "mechanism.h"
#include "quirks.h"

static const char *clock_refuses(const struct attach *attach, const struct candidate *candidate, size_t n)
{
	return NULL;
}

static int open_processor(int program, const struct target *target, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = target->clock->period,
		.exclude_idle = !target->clock->idle,
	};

	return perf_link(program, &attr, 0, cpu, target->slot);
}

/*
 * Attaches to all processors that are online, or to none; the fd of the first one represents the target. ENODEV: the
 * processor is not online.
 */
static int attach_processors(struct attach *attach, const struct target *target, int program)
{
	size_t before = attach->links.n;
	int first = -ENODEV, fd = -ENODEV;

	for (int cpu = 0; cpu < cpus_ids(); cpu++) {
		fd = open_processor(program, target, cpu);
		if (fd == -ENODEV)
			continue;
		if (fd < 0)
			break;
		if (first < 0)
			first = fd;
		else
			attached_also(attach, fd, MECH_CLOCK);
	}
	if (fd >= 0 || fd == -ENODEV)
		return first;
	while (attach->links.n > before)
		close(attach->links.v[--attach->links.n].fd);
	if (first >= 0)
		close(first);
	return fd;
}

static int clock_one(struct attach *attach, struct candidate *candidate)
{
	const struct target *target = candidate->target;
	const struct copy copy = { .type = BPF_PROG_TYPE_PERF_EVENT, .how = SLOT_CONSTANT, .value = target->slot };
	int program = copy_load(attach, &copy), fd;

	if (program < 0)
		return program;
	fd = attach_processors(attach, target, program);
	if (fd == -EACCES || fd == -EPERM)
		attach->rejected = quirk_perf_denial();
	return fd;
}

static int clock_attach(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	return attach_each(attach, candidates, n, MECH_CLOCK, clock_one);
}

const struct mechanism mechanism_clock = {
	.mech = MECH_CLOCK,
	.kind = TARGET_CLOCK,
	.refuses = clock_refuses,
	.attach = clock_attach,
};
