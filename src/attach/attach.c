// SPDX-License-Identifier: BSD-2-Clause
/* Records the links of each target, or why it has none; counts what the kernel missed; detaches everything. */
#include <bpf/bpf.h>

#include "base/file_limit.h"
#include "base/report.h"
#include "base/str.h"
#include "base/threads.h"
#include "keep.h"
#include "mechanism.h"
#include "quirks.h"
#include "switches.h"

#define CLOSERS_MAX 256

/* Sizes read-only values of an object that is not prepared yet. */
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

	if (!ret)
		ret = rodata_fill(object, ".rodata.buckets", table->buckets,
				  table->n_buckets * sizeof(*table->buckets));
	if (!ret)
		ret = rodata_fill(object, ".rodata.cells", table->cells, table->n_cells * sizeof(*table->cells));
	return ret;
}

void attach_grow(struct attach *attach)
{
	const size_t n = attach->n_candidates;

	attach->n_candidates = attach->set->n;
	attach->knows_tracepoints = attach->knows_tracepoints && attach->set->n == n;
	attach->shared = attach->shared || attach_needs_atomic(attach->set);
	attach->candidates = base_realloc(attach->candidates, attach->set->n, sizeof(*attach->candidates));
	memset(attach->candidates + n, 0, (attach->set->n - n) * sizeof(*attach->candidates));
	for (size_t i = 0; i < attach->set->n; i++)
		attach->candidates[i].target = &attach->set->v[i];
}

struct attach *attach_new(const struct target_set *set, const struct attach_options *options)
{
	struct attach *attach = base_alloc(sizeof(*attach));

	file_limit_raise();
	attach->options = *options;
	attach->shared = options->shared;
	attach->set = set;
	attach_grow(attach);
	learn_init(&attach->learned, options->pid);
	keep_attach_new(options->keep, attach);
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

int attach_interrupted(struct attach *attach)
{
	const struct attach_options *options = &attach->options;

	if (options->progress && options->progress(options->ctx, attach->attached, attach->set->n))
		return -EINTR;
	return 0;
}

void attached_also(struct attach *attach, int fd, enum mech mech)
{
	*vec_push(&attach->links) = (struct link){ .fd = fd, .mech = mech, .slot = SLOT_NONE };
}

static size_t user_probes;

size_t attach_user_probes(void)
{
	return user_probes;
}

int attached(struct attach *attach, int fd, enum mech mech, struct candidate **candidates, size_t n)
{
	const struct target *first = candidates[0]->target;
	struct link *link = vec_push(&attach->links);

	link->fd = fd;
	link->mech = mech;
	link->slot = n == 1 && first->n_ends < 2 ? first->slot : SLOT_NONE;
	for (size_t i = 0; i < n; i++) {
		candidates[i]->attached = true;
		candidates[i]->by = mech;
		candidates[i]->why_not = NULL;
	}
	attach->attached += n;
	user_probes += first->kind == TARGET_USER ? n : 0;
	return attach_interrupted(attach);
}

/* notrace is what ftrace must not trace; kprobes have a list of their own. */
static const char *not_allowed(enum mech mech)
{
	if (mech != MECH_KPROBE && mech != MECH_KPROBE_MULTI)
		return "the kernel does not allow a probe there";
	return "the kernel does not allow a probe there: it is notrace, or in /sys/kernel/debug/kprobes/blacklist";
}

static const char *failed_because(struct attach *attach, enum mech mech, int error)
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
		/* a kernel that is locked down from boot on has no event files */
		return quirk_refusal() ?: "the kernel does not find it";
	case EINVAL:
	case EADDRNOTAVAIL:
		return not_allowed(mech);
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
	return pool_add(&attach->reasons, strerror(-error));
}

int attach_each(struct attach *attach, struct candidate **candidates, size_t n, enum mech mech,
		attach_one_fn one)
{
	for (size_t i = 0; i < n; i++) {
		int fd = one(attach, candidates[i]), ret;

		if (fd < 0)
			candidates[i]->why_not = failed_because(attach, mech, fd);
		ret = fd < 0 ? attach_interrupted(attach) : attached(attach, fd, mech, &candidates[i], 1);
		if (ret)
			return ret;
	}
	return 0;
}

/* True for errors that are not the fault of a target, so that trying each half would not help. */
static bool fails_for_all(const struct attach *attach, int error)
{
	return attach->rejected || error == -EPERM || error == -EACCES || error == -EMFILE || error == -ENFILE;
}

int attach_halving(struct attach *attach, struct candidate **candidates, size_t n, enum mech mech,
		   attach_many_fn many)
{
	int fd = many(attach, candidates, n), ret;

	if (fd >= 0)
		return attached(attach, fd, mech, candidates, n);
	if (n == 1 || fails_for_all(attach, fd)) {
		const char *why = failed_because(attach, mech, fd);

		for (size_t i = 0; i < n; i++)
			candidates[i]->why_not = why;
		return attach_interrupted(attach);
	}
	ret = attach_halving(attach, candidates, n / 2, mech, many);
	return ret ? ret : attach_halving(attach, candidates + n / 2, n - n / 2, mech, many);
}

enum mech attach_asked(const struct attach *attach, const struct candidate *candidate)
{
	if (attach->options.mech)
		return attach->options.mech;
	return candidate->asked ? candidate->asked : candidate->target->mech;
}

bool attach_is_attached(const struct attach *attach, size_t target)
{
	return attach->candidates[target].attached;
}

/* Without a session the return is attached first. So an entry alone has a session. */
bool attach_is_served(const struct attach *attach, size_t target)
{
	const struct target *of = attach->set->v, *ret = &of[target];
	size_t half = attach->set->n / 2;

	if (attach_is_attached(attach, target))
		return true;
	return ret->ret && target >= half && !of[target - half].ret && of[target - half].slot == ret->slot &&
	       attach_is_attached(attach, target - half);
}

const char *attach_why_not(const struct attach *attach, size_t target)
{
	const struct candidate *candidate = &attach->candidates[target];

	if (candidate->attached)
		return NULL;
	return candidate->why_not ? candidate->why_not : "nothing has tried to attach it";
}

size_t attach_count(const struct attach *attach)
{
	return attach->attached;
}

size_t attach_targets(const struct attach *attach)
{
	return attach->set->n;
}

size_t attach_slots(const struct attach *attach)
{
	return attach->set->n_slots;
}

enum mech attach_mechanism(const struct attach *attach, size_t target)
{
	return attach->candidates[target].attached ? attach->candidates[target].by : MECH_AUTO;
}

/* Measured on kernels from 5.10 to 7.2: tests/tools/trace-order.sh. */
static bool runs_last_first(const struct target *target, enum mech by)
{
	switch (by) {
	case MECH_KPROBE:
		return !target->ret;
	case MECH_KPROBE_MULTI:
		return !target->ret || quirk_multi_returns_last_first();
	case MECH_TP:
	case MECH_RAW_TP:
		return false;
	default:
		return true;
	}
}

bool attach_runs_last_first(const struct attach *attach)
{
	for (size_t i = 0; i < attach->set->n; i++)
		if (attach_is_attached(attach, i))
			return runs_last_first(&attach->set->v[i], attach->candidates[i].by);
	return false;
}

static const char *kind_of(const struct target *target)
{
	switch (target->kind) {
	case TARGET_KERNEL:
		return target->ret ? "kretprobe:" : "kprobe:";
	case TARGET_TRACEPOINT:
		return "tracepoint:";
	case TARGET_USER:
		return target->usdt ? "usdt:" : target->ret ? "uretprobe:"
							    : "uprobe:";
	case TARGET_EVENT:
		break;
	}
	return "";
}

void attach_add_name(struct str *to, const struct attach *attach, size_t target)
{
	const struct target *of = &attach->set->v[target];

	str_add(to, kind_of(of));
	if (of->object)
		str_addf(to, "%s:", of->object);
	str_add(to, of->name);
	if (of->kind == TARGET_KERNEL && of->offset)
		str_addf(to, "+0x%llx", (unsigned long long)of->offset);
}

uint64_t attach_program_missed(int fd)
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

void attach_add_missed(const struct attach *attach, uint64_t *by_slot, uint64_t *others)
{
	vec_each(link, &attach->links)
		*(link->slot != SLOT_NONE ? &by_slot[link->slot] : others) += link_missed(link);
}

int attach_missed(const struct attach *attach, uint64_t *by_slot, uint64_t *others)
{
	*others = 0;
	if (!quirk_counts_recursion())
		return -ENOTSUP;
	vec_each(loaded, &attach->copies) {
		bool own = loaded->copy.how == SLOT_CONSTANT;

		*(own ? &by_slot[loaded->copy.value] : others) += attach_program_missed(loaded->fd);
	}
	attach_add_missed(attach, by_slot, others);
	for (size_t i = 0; attach->pauses.missed && i < attach->set->n_slots; i++)
		by_slot[i] += attach->pauses.missed[i];
	*others += attach->pauses.missed ? attach->pauses.missed[attach->set->n_slots] : 0;
	return 0;
}

uint64_t attach_pushed_out(const struct attach *attach)
{
	return gate_pushed_out(&attach->gates);
}

/* Whether returns are attached by kretprobes of a kernel that does, or does not report what they have missed. */
static bool has_kretprobes(const struct attach *attach, bool reports)
{
	bool returns = false;

	for (size_t i = 0; i < attach->set->n; i++) {
		const struct target *target = &attach->set->v[i];

		returns = returns || (target->kind == TARGET_KERNEL && target->ret && attach_is_attached(attach, i));
	}
	vec_each(link, &attach->links) {
		struct bpf_link_info info = {};
		uint32_t len = sizeof(info);

		if (!returns || link->mech != MECH_KPROBE)
			continue;
		/* the kernel does not report what an event without a link has missed */
		if ((!bpf_link_get_info_by_fd(link->fd, &info, &len) &&
		     info.perf_event.type != BPF_PERF_EVENT_UNSPEC) == reports)
			return true;
	}
	return false;
}

bool attach_hides_missed_returns(const struct attach *attach)
{
	return has_kretprobes(attach, false);
}

bool attach_counts_missed_returns(const struct attach *attach)
{
	return has_kretprobes(attach, true);
}

const char *attach_switched_off(const struct attach *attach)
{
	struct switches switches = {};
	const char *why = NULL;

	for (size_t i = 0; !why && i < attach->set->n; i++)
		if (attach_is_attached(attach, i))
			why = switches_off(&switches, attach->candidates[i].by, &attach->set->v[i]);
	return why;
}

static void close_one(void *ctx, size_t i)
{
	const struct links *links = ctx;

	close(links->v[i].fd);
}

/* Closing a perf event waits for RCU, 40 ms or more. Many wait at the same time. */
void attach_close_links(struct links *links)
{
	threads_each(links->n, CLOSERS_MAX, close_one, links);
	links->n = 0;
}

void attach_free(struct attach *attach)
{
	if (!attach)
		return;
	keep_attach_free(attach->options.keep, attach);
	attach_close_links(&attach->links);
	vec_each(loaded, &attach->copies)
		close(loaded->fd);
	if (attach->gates.handed_over)
		close(attach->gates.handed_over);
	if (attach->gates.tally)
		close(attach->gates.tally);
	if (attach->gates.leads)
		close(attach->gates.leads);
	if (attach->gates.users)
		close(attach->gates.users);
	if (attach->returns_link)
		close(attach->returns_link);
	learn_release(&attach->learned);
	free(attach->candidates);
	pauses_release(&attach->pauses);
	pool_release(&attach->reasons);
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
	case TARGET_EVENT:
		return false;
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
