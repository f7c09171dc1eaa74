// SPDX-License-Identifier: BSD-2-Clause
/* Which mechanism attaches which targets, in order of preference, and what became of it. */
#include <pthread.h>
#include <sys/resource.h>

#include <bpf/bpf.h>

#include "base/report.h"
#include "mechanism.h"
#include "quirks.h"
#include "switches.h"

#define CLOSERS_MAX  256
#define CLOSER_STACK (64 * 1024)

/* Within a kind, the best first. */
static const struct mechanism *const order[] = {
	&mechanism_fentry,
	&mechanism_kprobe_session,
	&mechanism_kprobe_multi,
	&mechanism_kprobe,
	&mechanism_raw_tp,
	&mechanism_tp,
	&mechanism_uprobe_multi,
	&mechanism_uprobe,
};

/* Before the object is prepared: read-only values, as large as they have to be. */
static int rodata_fill(struct bpf_object *object, const char *name, const void *data, size_t size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	int ret = 0;

	if (!map)
		return -ENOENT;
	if (bpf_map__value_size(map) != size)
		ret = bpf_map__set_value_size(map, size);
	if (!ret)
		memcpy(bpf_map__initial_value(map, &size), data, size);
	return ret;
}

static int slots_fill(struct bpf_object *object, const struct slot_table *table)
{
	int ret = rodata_fill(object, ".rodata.slot", &table->hash, sizeof(table->hash));

	ret = ret ? ret
		  : rodata_fill(object, ".rodata.buckets", table->buckets,
				table->n_buckets * sizeof(*table->buckets));
	return ret ? ret
		   : rodata_fill(object, ".rodata.cells", table->cells, table->n_cells * sizeof(*table->cells));
}

/* A probe is a file: as many as the kernel lets us have. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max = 1024 * 1024;
	setrlimit(RLIMIT_NOFILE, &limit);
}

struct attach *attach_new(struct target_set *set, const struct attach_options *options)
{
	struct attach *attach = base_alloc(sizeof(*attach));

	raise_file_limit();
	attach->options = *options;
	attach->shared = options->shared || attach_needs_atomic(set);
	attach->set = set;
	return attach;
}

int attach_fill_slots(struct bpf_object *object, const struct target_set *set, struct err *err)
{
	__cleanup(slot_table_release) struct slot_table table = {};
	int ret = slot_table_build(&table, set);

	if (!ret)
		ret = slots_fill(object, &table);
	return ret ? err_set(err, ret, "cannot number the targets: %s", strerror(-ret)) : 0;
}

static int interrupted(struct attach *attach)
{
	const struct attach_options *options = &attach->options;

	if (options->progress && options->progress(options->ctx, attach->attached, attach->total))
		return -EINTR;
	return 0;
}

void attached_also(struct attach *attach, int fd, enum mech mech)
{
	*vec_push(&attach->links) = (struct link){ .fd = fd, .mech = mech, .slot = SLOT_NONE };
}

int attached(struct attach *attach, int fd, enum mech mech, struct target **targets, size_t n)
{
	struct link *link = vec_push(&attach->links);

	link->fd = fd;
	link->mech = mech;
	link->slot = n == 1 && targets[0]->n_returns < 2 ? targets[0]->slot : SLOT_NONE;
	for (size_t i = 0; i < n; i++) {
		targets[i]->attached = true;
		targets[i]->by = mech;
		targets[i]->failed = NULL;
	}
	attach->attached += n;
	return interrupted(attach);
}

static const char *failed_because(struct attach *attach, int error)
{
	const char *rejected = attach->rejected;

	attach->rejected = NULL;
	if (rejected)
		return rejected;
	switch (-error) {
	case EILSEQ:
		return "the offset is inside an instruction";
	case ENOENT:
	case ESRCH:
		/* locked down from its boot on a kernel has no files of events */
		return quirk_refusal() ?: "the kernel does not find it";
	case EINVAL:
	case EADDRNOTAVAIL:
		return "the kernel does not allow a probe there";
	case ENOTSUPP:
		return "the kernel cannot put a probe on that instruction";
	case EOPNOTSUPP:
		return "this kernel does not have that for this architecture";
	case EMFILE:
	case ENFILE:
		return "too many open files";
	case EPERM:
	case EACCES:
		return quirk_denial();
	}
	return pool_add(&attach->set->pool, strerror(-error));
}

int attach_each(struct attach *attach, struct target **targets, size_t n, enum mech mech,
		attach_one_fn one)
{
	for (size_t i = 0; i < n; i++) {
		int fd = one(attach, targets[i]), ret;

		if (fd < 0)
			targets[i]->failed = failed_because(attach, fd);
		ret = fd < 0 ? interrupted(attach) : attached(attach, fd, mech, &targets[i], 1);
		if (ret)
			return ret;
	}
	return 0;
}

/* No half would fare better: what is wrong is not wrong with a target. */
static bool fails_for_all(const struct attach *attach, int error)
{
	return attach->rejected || error == -EPERM || error == -EACCES || error == -EMFILE || error == -ENFILE;
}

int attach_halving(struct attach *attach, struct target **targets, size_t n, enum mech mech,
		   attach_many_fn many)
{
	int fd = many(attach, targets, n), ret;

	if (fd >= 0)
		return attached(attach, fd, mech, targets, n);
	if (n == 1 || fails_for_all(attach, fd)) {
		const char *why = failed_because(attach, fd);

		for (size_t i = 0; i < n; i++)
			targets[i]->failed = why;
		return interrupted(attach);
	}
	ret = attach_halving(attach, targets, n / 2, mech, many);
	return ret ? ret : attach_halving(attach, targets + n / 2, n - n / 2, mech, many);
}

static enum mech asked_for(const struct attach *attach, const struct target *target)
{
	return attach->options.mech ? attach->options.mech : target->mech;
}

static bool may_serve(const struct attach *attach, const struct mechanism *mechanism,
		      const struct target *target)
{
	enum mech asked = asked_for(attach, target);

	return target->group == attach->group && !target->attached && target->kind == mechanism->kind &&
	       target->session == mechanism->session && (!attach->only || attach->only == mechanism->mech) &&
	       (asked == MECH_AUTO || asked == mechanism->mech);
}

static int try_mechanism(struct attach *attach, const struct mechanism *mechanism,
			 struct target **targets)
{
	struct target_set *set = attach->set;
	size_t candidates = 0, n = 0;
	struct switches switches = {};
	struct err err = {};
	int ret;

	vec_each(target, set)
		candidates += may_serve(attach, mechanism, target);
	vec_each(target, set) {
		const char *why;

		if (!may_serve(attach, mechanism, target))
			continue;
		why = mechanism->refuses ? mechanism->refuses(attach, target, candidates) : NULL;
		why = why ? why : switches_off(&switches, mechanism->mech, target);
		if (!why)
			targets[n++] = target;
		else
			target->failed = why; /* the last resort's reason tells most */
	}
	if (!n)
		return 0;
	ret = mechanism->attach(attach, targets, n, &err);
	if (ret == -EINTR || !ret)
		return ret;
	report_verbose("%s: %s", mech_names[mechanism->mech], err.text);
	for (size_t i = 0; i < n; i++)
		if (!targets[i]->attached)
			targets[i]->failed = pool_add(&set->pool, err.text);
	return 0;
}

static const char *kind_of(const struct target *target)
{
	switch (target->kind) {
	case TARGET_KERNEL:
		return "a kernel function";
	case TARGET_TRACEPOINT:
		return "a tracepoint";
	default:
		return target->usdt ? "a USDT probe" : "a user function";
	}
}

/* The user asked for a mechanism that attaches to targets of another kind. */
static void say_unserved(struct attach *attach)
{
	vec_each(target, attach->set) {
		enum mech asked = asked_for(attach, target);

		if (target->group == attach->group && !target->attached && !target->failed)
			target->failed = pool_addf(&attach->set->pool, "%s cannot attach to %s", mech_names[asked],
						   kind_of(target));
	}
}

/* Of the group that is at work: what stands for it where none could be attached. */
static const struct target *first_failed(const struct attach *attach)
{
	vec_each(target, attach->set)
		if (target->group == attach->group)
			return target;
	return attach->set->v;
}

int attach_targets_by(struct attach *attach, uint32_t group, enum mech only, const struct image *image,
		      struct err *err)
{
	struct target_set *set = attach->set;
	__free struct target **targets = base_alloc(set->n * sizeof(*targets));
	size_t before = attach->attached;
	const struct target *target;
	enum mech asked;
	int wrong = image_check(image, err);

	if (wrong)
		return wrong;
	attach->group = group;
	attach->only = only;
	attach->image = image;
	attach->total = set->n;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		int ret = try_mechanism(attach, order[i], targets);

		if (ret)
			return err_set(err, ret, "interrupted");
	}
	say_unserved(attach);
	if (attach->attached > before)
		return 0;
	target = first_failed(attach);
	asked = asked_for(attach, target);
	return err_set(err, -ENOTSUP, "cannot attach to '%s'%s%s: %s", target->label, asked ? " by " : "",
		       asked ? mech_names[asked] : "", target->failed);
}

int attach_targets(struct attach *attach, uint32_t group, const struct image *image, struct err *err)
{
	return attach_targets_by(attach, group, MECH_AUTO, image, err);
}

size_t attach_count(const struct attach *attach)
{
	return attach->attached;
}

static uint64_t program_missed(int fd)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	return bpf_prog_get_info_by_fd(fd, &info, &len) ? 0 : info.recursion_misses;
}

static uint64_t link_missed(const struct link *link)
{
	struct bpf_link_info info = {};
	uint32_t len = sizeof(info);

	if (bpf_link_get_info_by_fd(link->fd, &info, &len))
		return 0;
	if (info.type == BPF_LINK_TYPE_KPROBE_MULTI)
		return info.kprobe_multi.missed;
	if (info.type != BPF_LINK_TYPE_PERF_EVENT)
		return 0;
	if (info.perf_event.type == BPF_PERF_EVENT_KPROBE || info.perf_event.type == BPF_PERF_EVENT_KRETPROBE)
		return info.perf_event.kprobe.missed;
	return 0;
}

int attach_missed(const struct attach *attach, uint64_t *by_slot, uint64_t *others)
{
	*others = 0;
	if (!quirk_counts_recursion())
		return -ENOTSUP;
	vec_each(loaded, &attach->copies) {
		bool own = loaded->copy.how == SLOT_CONSTANT;

		*(own ? &by_slot[loaded->copy.value] : others) += program_missed(loaded->fd);
	}
	vec_each(link, &attach->links)
		*(link->slot != SLOT_NONE ? &by_slot[link->slot] : others) += link_missed(link);
	return 0;
}

bool attach_hides_missed_returns(const struct attach *attach)
{
	bool returns = false;

	vec_each(target, attach->set)
		returns = returns || (target->kind == TARGET_KERNEL && target->ret && target->attached);
	vec_each(link, &attach->links) {
		struct bpf_link_info info = {};
		uint32_t len = sizeof(info);

		if (!returns || link->mech != MECH_KPROBE)
			continue;
		/* what an event without a link has missed cannot be asked for at all */
		if (bpf_link_get_info_by_fd(link->fd, &info, &len) || info.perf_event.type == BPF_PERF_EVENT_UNSPEC)
			return true;
	}
	return false;
}

const char *attach_switched_off(const struct attach *attach)
{
	struct switches switches = {};
	const char *why = NULL;

	vec_each(target, attach->set)
		if (!why && target->attached)
			why = switches_off(&switches, target->by, target);
	return why;
}

struct closing {
	struct links *links;
	size_t next;
};

static void *close_some(void *ctx)
{
	struct closing *closing = ctx;
	size_t i;

	while ((i = __atomic_fetch_add(&closing->next, 1, __ATOMIC_RELAXED)) < closing->links->n)
		close(closing->links->v[i].fd);
	return NULL;
}

/*
 * Closing a perf event waits for RCU, 40 ms or more: many wait at the same time, each in a thread that
 * needs next to no stack. Where threads are not to be had, one after the other.
 */
static void close_links(struct links *links)
{
	struct closing closing = { .links = links };
	pthread_t threads[CLOSERS_MAX];
	size_t n = 0, wanted = links->n - (links->n > 0);
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, CLOSER_STACK);
	while (n < wanted && n < CLOSERS_MAX && !pthread_create(&threads[n], &attr, close_some, &closing))
		n++;
	close_some(&closing);
	while (n)
		pthread_join(threads[--n], NULL);
	pthread_attr_destroy(&attr);
}

void attach_free(struct attach *attach)
{
	if (!attach)
		return;
	close_links(&attach->links);
	vec_each(loaded, &attach->copies)
		close(loaded->fd);
	free(attach->links.v);
	free(attach->copies.v);
	free(attach);
}

static bool may_nest(enum target_kind kind)
{
	switch (kind) {
	case TARGET_KERNEL:
		return !quirk_counts_recursion();
	case TARGET_TRACEPOINT:
		return !quirk_guards_raw_tp();
	case TARGET_USER:
		break;
	}
	return true;
}

bool attach_needs_atomic(const struct target_set *set)
{
	vec_each(target, set)
		if (may_nest(target->kind))
			return true;
	return false;
}
