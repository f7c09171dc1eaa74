// SPDX-License-Identifier: BSD-2-Clause
/* Closes the links of an attach for a while, and makes them again by the plans that made them first. */
#include <linux/bpf.h>

#include "base/cpus.h"
#include "mechanism.h"

static uint32_t *copy_targets(const uint32_t *targets, size_t n)
{
	uint32_t *copy = targets ? base_alloc(n * sizeof(*copy)) : NULL;

	if (copy)
		memcpy(copy, targets, n * sizeof(*copy));
	return copy;
}

void pause_add_plan(struct attach *attach, const struct plan_step *steps, size_t n)
{
	struct plan *plan = vec_push(&attach->pauses.plans);

	plan->n = n;
	plan->steps = base_alloc(n * sizeof(*steps));
	for (size_t i = 0; i < n; i++) {
		plan->steps[i] = steps[i];
		plan->steps[i].targets = copy_targets(steps[i].targets, steps[i].n);
		plan->steps[i].returns = copy_targets(steps[i].returns, steps[i].n);
	}
}

void pauses_release(struct pauses *pauses)
{
	vec_each(plan, &pauses->plans) {
		for (size_t i = 0; i < plan->n; i++) {
			free((void *)plan->steps[i].targets);
			free((void *)plan->steps[i].returns);
		}
		free(plan->steps);
	}
	free(pauses->plans.v);
	free(pauses->maps.v);
	free(pauses->missed);
}

void attach_clear_at_resume(struct attach *attach, int fd)
{
	*vec_push(&attach->pauses.maps) = fd;
}

bool attach_is_paused(const struct attach *attach)
{
	return attach->pauses.paused;
}

void attach_pause(struct attach *attach, const char *why)
{
	struct pauses *pauses = &attach->pauses;
	size_t n_slots = attach->set->n_slots;
	uint64_t returns;
	int ret;

	if (pauses->paused)
		return;
	/* the first time it loads a program: what is missed meanwhile counts, too */
	attach_missed_returns(attach, &returns);
	pauses->paused = true;
	snprintf(pauses->why, sizeof(pauses->why), "%s", why);
	if (!pauses->missed)
		pauses->missed = base_alloc((n_slots + 1) * sizeof(*pauses->missed));
	/* the kernel forgets with a link what it has missed */
	attach_add_missed(attach, pauses->missed, &pauses->missed[n_slots]);
	ret = attach_missed_returns(attach, &returns);
	attach_close_links(&attach->links);
	pauses->missed_returns = returns;
	if (ret)
		pauses->unknown_returns = ret;
	learn_forget(attach);
	for (size_t i = 0; i < attach->set->n; i++) {
		struct candidate *candidate = &attach->candidates[i];

		candidate->paused |= candidate->attached;
		candidate->attached = false;
		if (candidate->paused)
			candidate->why_not = pauses->why;
	}
	attach->attached = 0;
}

/* Writes zeros to a map's only element, on all processors. */
static int clear(int fd)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info), only = 0;
	__free void *zeros = NULL;

	if (bpf_map_get_info_by_fd(fd, &info, &len))
		return -errno;
	zeros = base_alloc((info.value_size + 7) / 8 * 8 * (info.type == BPF_MAP_TYPE_PERCPU_ARRAY ? cpus_ids() : 1));
	return bpf_map_update_elem(fd, &only, zeros, BPF_ANY);
}

static int clear_maps(const struct attach *attach, struct err *err)
{
	const struct attach_options *options = &attach->options;
	int ret = options->forget ? options->forget(options->ctx) : 0;

	for (size_t i = 0; !ret && i < attach->pauses.maps.n; i++)
		ret = clear(attach->pauses.maps.v[i]);
	return ret ? err_set(err, ret, "cannot forget what had begun before: %s", strerror(-ret)) : 0;
}

int pause_is_adopted(struct attach *attach, struct err *err)
{
	struct pauses *pauses = &attach->pauses;
	int ret = 0;

	if (!pauses->plans.n) {
		if (pauses->adopted)
			ret = clear_maps(attach, err);
		/* also what could not be attached is tried again */
		pauses->adopted |= !attach->links.n;
	}
	return ret || !pauses->adopted ? ret : -ENOENT;
}

/* Returns why the first target that was paused is not attached; NULL: none was paused. */
static const char *why_none(const struct attach *attach, size_t *which)
{
	for (*which = 0; *which < attach->set->n; ++*which)
		if (attach->candidates[*which].paused)
			return attach_why_not(attach, *which);
	return NULL;
}

int attach_resume(struct attach *attach, struct err *err)
{
	struct pauses *pauses = &attach->pauses;
	const char *why;
	size_t which;
	int ret;

	if (!pauses->paused)
		return 0;
	ret = clear_maps(attach, err);
	if (ret)
		return ret;
	vec_each(loaded, &attach->copies)
		loaded->again = false;
	/* in the pause, a module may have been loaded again */
	for (size_t i = 0; i < attach->set->n; i++)
		attach->candidates[i].looked_up = false;
	pauses->paused = false;
	pauses->resuming = true;
	for (size_t i = 0; !ret && i < pauses->plans.n; i++)
		ret = plan_run_steps(attach, pauses->plans.v[i].steps, pauses->plans.v[i].n);
	pauses->resuming = false;
	why = why_none(attach, &which);
	for (size_t i = 0; i < attach->set->n; i++)
		attach->candidates[i].paused &= !attach->candidates[i].attached;
	if (ret)
		return err_set(err, ret, "interrupted");
	pauses->paused = !attach->attached && why;
	if (!pauses->paused)
		return 0;
	return err_set(err, -ENOTSUP, "cannot attach to '%s' again: %s", attach->set->v[which].label, why);
}
