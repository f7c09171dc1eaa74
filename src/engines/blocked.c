// SPDX-License-Identifier: BSD-2-Clause
/* Options of the tools for blocked threads, and the threads that are still blocked at the end. */
#include "base/clock.h"
#include "blocked.h"
#include "bpf/slot.h" /* the skeleton names its structs */
#include "bpf/blocked.skel.h"
#include "engine/interval.h"
#include "engine/progs_life.h"

#define NS_PER_US 1000ULL

const struct opt blocked_options[BLOCKED_OPTIONS] = {
	BLOCKED_USER_THREADS,
	OPT(OPT_BOOL, struct blocked_settings, kernel_threads, 'k', "kernel-threads-only", NULL,
	    "only threads of the kernel"),
	BLOCKED_TIMES,
	OPT(OPT_STRING, struct blocked_settings, state, 0, "state", "BITS",
	    "only threads in one of these states: 1 sleeps, 2 cannot be interrupted (include/linux/sched.h)"),
};

const struct progs_probe blocked_wakes[BLOCKED_WAKES] = {
	{ .program = "wakes", .system = "sched", .name = "sched_waking", .raw = true },
	{ .program = "sleeps", .system = "sched", .name = "sched_switch", .raw = true },
};

const void *blocked_object(size_t *size)
{
	return blocked_bpf__elf_bytes(size);
}

static int parse_state(struct blocked_settings *settings, bool wakers, struct err *err)
{
	uint64_t state = 0;

	if (!settings->state)
		return 0;
	if (opt_u64(settings->state, &state) || state > UINT32_MAX)
		return err_set(err, -EINVAL, "--state: '%s' is not a number of state bits", settings->state);
	if (!state && wakers)
		return err_set(err, -EINVAL, "--state: a thread in state 0 is ready to run, so nobody wakes it");
	settings->config.by_state = 1;
	settings->config.state = state;
	return 0;
}

int blocked_configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	const struct stack_counts_source *source = instance->source;
	struct blocked_settings *settings = instance->tool_settings;
	struct blocked_config *config = &settings->config;
	int ret = interval_parse_duration(instance, err);

	if (!ret)
		ret = parse_state(settings, own->probes == blocked_wakes, err);
	if (!ret && settings->user_threads && settings->kernel_threads)
		return err_set(err, -EINVAL, "--user-threads-only and --kernel-threads-only: choose one");
	if (!ret && settings->most_us && settings->most_us < settings->least_us)
		return err_set(err, -EINVAL, "no time is at least %u and at most %u us", settings->least_us,
			       settings->most_us);
	config->least = settings->least_us * NS_PER_US;
	config->most = settings->most_us ? settings->most_us * NS_PER_US : UINT64_MAX;
	config->user_threads = settings->user_threads;
	config->kernel_threads = settings->kernel_threads;
	/* who shows no stacks of the blocked thread shows only its name */
	config->targets = !source->kernel_only;
	return ret;
}

/* Copies the table. Programs go on writing to it, so a copy of an entry may be half of one thread and half of another. */
static void copy_all(struct blocked_thread *to, const struct blocked_thread *from, size_t n)
{
	const uint64_t *words = (const uint64_t *)from;

	for (size_t i = 0; i < n * sizeof(*from) / sizeof(*words); i++)
		((uint64_t *)to)[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
}

static void add(const struct blocked_thread *thread, uint64_t ns, stack_counts_fn fn, void *ctx)
{
	struct stack_key key = { .stack = thread->stack, .pid = thread->pid, .tid = thread->tid };

	memcpy(key.comm, thread->comm, sizeof(key.comm));
	fn(&key, ns, ctx);
}

/*
 * Counts only entries that stay the same while the whole table is read twice. The others belong to threads that come
 * and go, whose last time is short.
 */
size_t blocked_unended(struct progs *progs, stack_counts_fn fn, void *ctx)
{
	const struct blocked_config *config = progs_config(progs);
	size_t size = object_value_size(&progs->object, ".data.pending"), n = size / sizeof(struct blocked_thread), found = 0;
	const struct blocked_thread *table = object_memory(&progs->object, ".data.pending", size);
	__free struct blocked_thread *first = base_alloc(size);
	__free struct blocked_thread *second = base_alloc(size);
	uint64_t now = clock_monotonic_ns();

	copy_all(first, table, n);
	copy_all(second, table, n);
	for (size_t i = 0; i < n; i++) {
		const struct blocked_thread *thread = &first[i];
		uint64_t start = thread->pending.start, ns = now - start;

		if (!thread->pending.key || !start || memcmp(thread, &second[i], sizeof(*thread)) || now < start ||
		    ns < config->least || ns > config->most)
			continue;
		add(thread, ns, fn, ctx);
		found++;
	}
	return found;
}
