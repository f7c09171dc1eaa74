// SPDX-License-Identifier: BSD-2-Clause
/* The engine of `sonde why --over`: loads the programs, takes what they send, and reads at the end who still waits. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/process.h"
#include "base/report.h"
#include "bpf/filter.h" /* the skeleton names its structs */
#include "bpf/held.h"
#include "bpf/slot.h"
#include "bpf/stack.h"
#include "bpf/unwind.h"

#include "bpf/held.skel.h"
#include "engine/filter.h"
#include "engine/intake.h"
#include "held.h"
#include "titles.h"
#include "why_part.h"

/* Some thousands of waits. */
#define BUFFER	(4 * 1024 * 1024)
#define TAKE_MS 40
/* So many messages are read before others have their turn. */
#define MOST_TAKEN 2048
/* Before the last messages are taken. */
#define TAKE_LAST_US 1000
/* Waits of which more is to come, at most. */
#define MOST_OPEN 4096
/* Of tasks, where somebody waits for the processor. No multiple of the clock tick, at which much begins. */
#define SAMPLES_IN_SECOND 997
#define WORST		  10

static const struct progs_clock clock = { .period = NS_PER_SEC / SAMPLES_IN_SECOND };

#define VECTOR(NAME) \
	{ .program = "vector_begins", .system = "irq_vectors", .name = NAME "_entry", .raw = true, .optional = true }, \
	{ \
		.program = "hard_ends", .system = "irq_vectors", .name = NAME "_exit", .raw = true, .optional = true \
	}

static const struct progs_probe probes[] = {
	{ .program = "switched", .system = "sched", .name = "sched_switch", .raw = true },
	{ .program = "woken", .system = "sched", .name = "sched_waking", .raw = true },
	{ .program = "born", .system = "sched", .name = "sched_wakeup_new", .raw = true },
	{ .program = "moves", .system = "sched", .name = "sched_migrate_task", .raw = true, .optional = true },
	{ .program = "hard_begins", .system = "irq", .name = "irq_handler_entry", .raw = true },
	{ .program = "hard_ends", .system = "irq", .name = "irq_handler_exit", .raw = true },
	{ .program = "soft_begins", .system = "irq", .name = "softirq_entry", .raw = true },
	{ .program = "soft_ends", .system = "irq", .name = "softirq_exit", .raw = true },
	/* interrupts without a handler there: of x86 */
	VECTOR("local_timer"),
	VECTOR("reschedule"),
	VECTOR("call_function"),
	VECTOR("call_function_single"),
	VECTOR("irq_work"),
	VECTOR("x86_platform_ipi"),
	VECTOR("thermal_apic"),
	/* and of arm64 */
	{ .program = "ipi_begins", .system = "ipi", .name = "ipi_entry", .raw = true, .optional = true },
	{ .program = "hard_ends", .system = "ipi", .name = "ipi_exit", .raw = true, .optional = true },
	{ .program = "sample", .clock = SETTING(struct progs_clock, struct held, clock), .when = SETTING(bool, struct held, samples) },
};

static const struct progs_source source = {
	.object = held_bpf__elf_bytes,
	PROGS_PROBES(probes),
	.what = "waits for processors",
	.pending = {
		.what = "threads waiting at a time",
		.entries = HELD_WAITERS,
		.size = sizeof(struct held_waiter),
		.fixed = true,
	},
};

/* --- what the programs send --- */

/* Another row of the process may have been there while it lived. Of the command we know it. */
static char *find_command(const struct held *held, const struct held_key *key)
{
	const struct engine_context *ctx = held->instance->ctx;
	char *command = titles_command(key->id);

	vec_each(who, &held->sums.whos)
		if (!command && who->command && who->key.id == key->id &&
		    !memcmp(who->key.comm, key->comm, sizeof(key->comm)))
			command = base_strdup(who->command);
	if (!command && ctx->command.text && key->id == (uint32_t)ctx->command.pid)
		command = base_strdup(ctx->command.text);
	return command;
}

static void add_wait(struct held *held, struct held_wait *wait)
{
	size_t known = held->sums.whos.n;

	held_sums_add(&held->sums, wait);
	for (size_t i = known; i < held->sums.whos.n; i++) {
		struct held_who *who = &held->sums.whos.v[i];

		/* in a pid namespace /proc has other ids than the programs */
		if (who->key.what == HELD_BY_TASK && who->key.id && !filter_pidns())
			who->command = find_command(held, &who->key);
	}
}

static void forget(struct held *held, struct held_wait *wait)
{
	held_wait_release(wait);
	*wait = held->open.v[--held->open.n];
}

/* A thread waits once at a time. What is there of an earlier wait, whose end is lost, goes. */
static struct held_wait *find_open(struct held *held, uint32_t tid, uint64_t start)
{
	struct held_wait *wait;

	vec_each(it, &held->open) {
		if (it->tid != tid)
			continue;
		if (it->start == start)
			return it;
		forget(held, it);
		break;
	}
	if (held->open.n >= MOST_OPEN) {
		forget(held, &held->open.v[0]);
		held->dropped++;
	}
	wait = vec_push(&held->open);
	wait->tid = tid;
	wait->start = start;
	return wait;
}

static int on_message(void *ctx, void *data, size_t size)
{
	struct held *held = ctx;
	const struct held_message *message = data;
	struct held_wait *wait = find_open(held, message->tid, message->start);
	struct held_leg *leg = NULL;

	/* a wait may end on a processor that is not looked at */
	if (message->cpu < held->n_elements && held->cpus[message->cpu])
		leg = held_leg(wait, message->cpu, message->queued, message->ended);
	for (size_t i = 0; leg && i < message->n && HELD_HEAD + (i + 1) * sizeof(message->spans[0]) <= size; i++)
		*vec_push(&leg->spans) = message->spans[i];
	if (!message->last)
		return 0;
	wait->tgid = message->tgid;
	wait->prio = message->prio;
	wait->policy = message->policy;
	wait->ended = message->ended;
	wait->quota = message->state == HELD_QUOTA;
	memcpy(wait->comm, message->comm, sizeof(wait->comm));
	add_wait(held, wait);
	forget(held, wait);
	return 0;
}

static int take_ring(void *ctx)
{
	struct held *held = ctx;

	/* where more comes than can be read, it is lost, and said */
	return ring_buffer__consume_n(held->ring, MOST_TAKEN) < MOST_TAKEN ? TAKE_MS : 0;
}

/* --- options --- */

bool held_wanted(const struct engine_instance *instance)
{
	const struct why_settings *settings = instance->settings;

	return settings->over || settings->cpus || settings->user_stacks || instance->filter.by_cpu;
}

/* An option of the page, or of --requests, that was given; NULL: none. */
static const char *find_foreign(const struct why_settings *settings)
{
	const struct {
		bool given;
		const char *name;
	} options[] = {
		{ settings->requests, "--requests" },
		{ settings->port, "--port" },
		{ settings->by, "--by" },
		{ settings->slower, "--slower" },
		{ settings->first_byte, "--first-byte" },
		{ settings->chain != WHY_CHAIN_DEFAULT, "--chain" },
		{ settings->perfetto, "--perfetto" },
		{ settings->by_thread, "-t" },
		{ settings->stacks.flame, "--flame" },
		{ settings->stacks.folded, "--folded" },
		{ settings->stacks.pprof, "--pprof" },
		{ settings->stacks.speedscope, "--speedscope" },
		{ settings->stacks.compare, "--compare" },
		{ settings->stacks.overwrite, "--overwrite" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

static int refuse(struct held *held, struct err *err, const char *option, const char *text)
{
	held->instance->ctx->usage = true;
	return err_set(err, -EINVAL, "%s %s", option, text);
}

static int check_options(struct held *held, struct err *err)
{
	const struct why_settings *settings = held->settings;
	const struct stacks_settings *stacks = &settings->stacks;
	const bool by_cpu = held->instance->filter.by_cpu;
	const char *foreign = find_foreign(settings);

	if (!settings->over)
		return refuse(held, err, by_cpu ? "--cpu" : settings->cpus ? "--cpus"
									   : "--user-stacks",
			      "is of --over: say how long a wait is, as in --over 100us");
	if (settings->cpus && by_cpu)
		return refuse(held, err, "--cpu", "and --cpus both say which processors: choose one");
	if (foreign)
		return refuse(held, err, foreign, "does not go with --over");
	if (settings->user_stacks && settings->without_stacks)
		return refuse(held, err, "--no-stacks", "leaves nothing for --user-stacks: choose one");
	if (!settings->user_stacks && (stacks->unwind != STACKS_UNWIND_AUTO || stacks->native))
		return refuse(held, err, stacks->native ? "--native" : "--unwind",
			      "is of user stacks: give --user-stacks, too");
	return 0;
}

static int choose_one(struct held *held, const bool *online, uint64_t cpu, struct err *err)
{
	if (cpu >= (uint64_t)cpus_ids())
		return err_set(err, -ENOENT, "there is no processor %llu: the highest number is %d",
			       (unsigned long long)cpu, cpus_ids() - 1);
	if (!online[cpu])
		return err_set(err, -ENOENT, "processor %llu is offline", (unsigned long long)cpu);
	held->cpus[cpu] = true;
	return 0;
}

/* "0-3,8" */
static int choose_list(struct held *held, const bool *online, const char *list, struct err *err)
{
	for (const char *at = list;; at++) {
		char *end;
		unsigned long first = strtoul(at, &end, 10), last = first;

		if (end != at && *end == '-' && end[1] >= '0' && end[1] <= '9')
			last = strtoul(end + 1, &end, 10);
		if (end == at || *at < '0' || *at > '9' || (*end && *end != ',') || last < first) {
			held->instance->ctx->usage = true;
			return err_set(err, -EINVAL, "--cpus takes processors such as 0-3,8, not '%s'", list);
		}
		for (unsigned long cpu = first; cpu <= last; cpu++)
			if (choose_one(held, online, cpu, err))
				return err->code;
		at = end;
		if (!*at)
			return 0;
	}
}

/* The programs choose processors by their own map: a wait may end on another one. */
static int choose_cpus(struct held *held, struct err *err)
{
	__free bool *online = base_alloc(cpus_ids() * sizeof(*online));
	struct filter *filter = &held->instance->filter;
	int ret = 0;

	held->cpus = base_alloc(cpus_ids() * sizeof(*held->cpus));
	held->some = filter->by_cpu || held->settings->cpus;
	cpus_online(online);
	if (filter->by_cpu)
		ret = choose_one(held, online, filter->cpu, err);
	else if (held->settings->cpus)
		ret = choose_list(held, online, held->settings->cpus, err);
	else
		memcpy(held->cpus, online, cpus_ids() * sizeof(*online));
	filter->by_cpu = 0;
	filter->any = filter->by_tgid || filter->by_tid || filter->by_uid || filter->by_comm || filter->by_cgroup ||
		      filter->by_members;
	for (int i = 0; i < cpus_ids(); i++) {
		held->n_cpus += held->cpus[i];
		held->n_elements = held->cpus[i] ? (uint32_t)i + 1 : held->n_elements;
	}
	held->clock.cpus = held->cpus;
	return ret;
}

/* --- begin --- */

static int set_up(struct held *held, struct err *err)
{
	const struct held_config config = {
		.over = held->settings->over,
		.cpus = held->n_elements,
		.stacks = !held->settings->without_stacks,
		.some = held->some,
	};
	struct object *object = &held->progs.object;
	int ret = progs_configure(&held->progs, err);

	if (!ret)
		ret = progs_open(&held->progs, err);
	if (!ret)
		ret = object_fill(object, ".rodata.config", &config, sizeof(config), err);
	if (!ret)
		ret = object_size_map(object, "held_cpus", held->n_elements, err);
	if (!ret)
		ret = object_size_map(object, "held_messages", BUFFER, err);
	if (!ret)
		ret = stacks_open(&held->stacks, held->instance, &held->stacks_source, object, err);
	return ret ? ret : progs_prepare(&held->progs, err);
}

static int open_ring(struct held *held, struct err *err)
{
	struct intake *intake = held->instance->intake;
	int map = object_map_fd(&held->progs.object, "held_messages");

	held->ring = ring_buffer__new(map, on_message, held, NULL);
	if (!held->ring)
		return err_set(err, -errno, "cannot open the ring buffer: %s", strerror(errno));
	intake_add(intake, INTAKE_OWN, take_ring, held);
	return intake_watch(intake, map, err);
}

static int mark_cpus(struct held *held, struct err *err)
{
	__free struct held_cpu *cpu = base_alloc(sizeof(*cpu));
	int map = object_map_fd(&held->progs.object, "held_cpus");

	cpu->wanted = 1;
	for (uint32_t i = 0; i < held->n_elements; i++)
		if (held->cpus[i] && bpf_map_update_elem(map, &i, cpu, BPF_ANY))
			return err_set(err, -errno, "cannot choose processor %u: %s", i, strerror(errno));
	return 0;
}

static int arm(struct held *held, struct err *err)
{
	int ret = mark_cpus(held, err);

	if (!ret)
		ret = progs_attach(&held->progs, err);
	if (ret)
		return ret;
	interrupts_read(&held->interrupts);
	held->shared = object_memory(&held->progs.object, ".data.held_shared", sizeof(*held->shared));
	held->began = clock_monotonic_ns();
	__atomic_store_n(&held->shared->armed, held->began, __ATOMIC_RELEASE);
	return 0;
}

static void init(struct held *held, struct engine_instance *instance)
{
	struct stacks_settings *stacks = &((struct why_settings *)instance->settings)->stacks;

	held->instance = instance;
	held->settings = instance->settings;
	held->clock = clock;
	held->samples = !held->settings->without_stacks;
	/* to read processes holds processors, and before others: that would be part of what is measured */
	stacks->kernel_only |= !held->settings->user_stacks;
	held->stacks_source = (struct stacks_source){ .settings = stacks, .calm = true };
	held->sums = (struct held_sums){
		.own = filter_own_process(),
		.worst = held->settings->worst == WHY_WORST_DEFAULT ? WORST : held->settings->worst,
	};
	held->progs = (struct progs){
		.source = &source,
		.instance = instance,
		.settings = held,
		.options = { .must_not_miss = true, .shared = true, .progress = engine_progress, .ctx = instance },
	};
}

static int held_open(struct engine_instance *instance, struct err *err)
{
	struct held *held = base_alloc(sizeof(*held));
	int ret;

	instance->state = held;
	init(held, instance);
	instance->schema = &held_schema;
	ret = check_options(held, err);
	if (!ret)
		ret = choose_cpus(held, err);
	if (!ret)
		ret = set_up(held, err);
	if (!ret)
		ret = stacks_start(held->stacks, &held->progs.object, err);
	if (!ret)
		ret = open_ring(held, err);
	return ret ? ret : arm(held, err);
}

static void held_armed(struct engine_instance *instance)
{
	const struct held *held = instance->state;

	report_line("Tracing waits for %zu processor%s... Hit Ctrl-C to end.", held->n_cpus, str_plural(held->n_cpus));
}

/* --- end --- */

/* The process of a thread; the thread itself, if it has just ended. */
static uint32_t owner_of(uint32_t tid)
{
	const uint32_t process = process_of(tid);

	return process ? process : tid;
}

/* Who a thread is that still waits, or that runs. HELD_LASTS: it is neither. False: it is gone. */
static bool read_thread(uint32_t tid, struct held_span *span)
{
	char line[1024], *at;
	int prio = 0;

	if (!base_read_line(line, sizeof(line), "/proc/%u/stat", tid) || !(at = strrchr(line, ')')))
		return false;
	*at = '\0';
	strncpy(span->comm, strchr(line, '(') ? strchr(line, '(') + 1 : "", sizeof(span->comm) - 1);
	span->who = tid;
	/* field 18 is the priority, field 41 the policy; at + 2 is field 3 */
	at += 2;
	if (*at != 'R')
		span->flags = HELD_LASTS;
	for (int field = 3; at && field < 41; field++) {
		at = strchr(at + 1, ' ');
		if (at && field + 1 == 18)
			prio = atoi(at);
	}
	span->policy = at ? atoi(at) : 0;
	span->prio = prio + 100;
	span->tgid = owner_of(tid);
	return true;
}

static void copy_spans(struct held_leg *leg, const struct held_cpu *cpu, uint64_t now)
{
	struct held_span present = { .began = cpu->began, .ended = now, .kind = HELD_TASK };

	if (!leg)
		return;
	for (int kind = 0; kind < HELD_KINDS; kind++)
		for (size_t i = 0; i < HELD_SPANS && i < cpu->heads[kind]; i++)
			if (cpu->spans[kind][i].ended > leg->from)
				*vec_push(&leg->spans) = cpu->spans[kind][i];
	if (cpu->task && (!cpu->tid || read_thread(cpu->tid, &present)))
		*vec_push(&leg->spans) = present;
	if (cpu->soft)
		*vec_push(&leg->spans) = (struct held_span){
			.began = cpu->soft, .ended = now, .kind = HELD_SOFT, .who = cpu->soft_number
		};
	/* of one between processors the name is in the kernel */
	if (cpu->hard)
		*vec_push(&leg->spans) = (struct held_span){
			.began = cpu->hard,
			.ended = now,
			.who = cpu->hard_number,
			.kind = HELD_HARD,
			.flags = cpu->hard_flags,
		};
}

/* One that waits until now. */
static void add_lasting(struct held *held, const struct held_waiter *waiter, uint64_t now)
{
	int map = object_map_fd(&held->progs.object, "held_cpus");
	__free struct held_cpu *cpu = base_alloc(sizeof(*cpu));
	const uint32_t number = waiter->cpu;
	struct held_span who = {};
	struct held_wait *wait;

	if (now < waiter->start + held->settings->over || !read_thread(waiter->tid, &who) || who.flags)
		return;
	if (number < held->n_elements && bpf_map_lookup_elem(map, &number, cpu))
		return;
	/* woken while it ran, it has run on */
	if (cpu->tid == waiter->tid)
		return;
	if (!waiter->told && (!cpu->wanted || (held->some && now < waiter->queued + held->settings->over)))
		return;
	wait = find_open(held, waiter->tid, waiter->start);
	wait->tgid = who.tgid;
	wait->prio = who.prio;
	wait->policy = who.policy;
	wait->ended = now;
	wait->lasts = true;
	wait->quota = waiter->state == HELD_QUOTA;
	memcpy(wait->comm, who.comm, sizeof(wait->comm));
	if (cpu->wanted)
		copy_spans(held_leg(wait, number, waiter->queued, now), cpu, now);
	add_wait(held, wait);
	forget(held, wait);
}

static void read_lasting(struct held *held, uint64_t now)
{
	const struct held_waiter *waiters = object_memory(&held->progs.object, ".data.pending", sizeof(*waiters));
	size_t n = object_value_size(&held->progs.object, ".data.pending") / sizeof(*waiters);
	const bool pidns = filter_pidns() != 0;

	/* in a pid namespace /proc has other ids than the programs */
	for (size_t i = 0; i < n && !pidns; i++) {
		const struct held_waiter waiter = waiters[i];

		if (waiter.key)
			add_lasting(held, &waiter, now);
	}
}

/* From here on nothing changes any more: neither messages, nor what processors did, nor who waits. */
static void disarm(struct held *held)
{
	__atomic_store_n(&held->shared->armed, 0, __ATOMIC_SEQ_CST);
	held->ended = clock_monotonic_ns();
	/* programs that have seen it armed need some microseconds */
	usleep(TAKE_LAST_US);
	intake_take(held->instance->intake);
	while (ring_buffer__consume_n(held->ring, MOST_TAKEN) > 0)
		;
}

static void held_emit(struct engine_instance *instance, bool last)
{
	struct held *held = instance->state;

	if (!last)
		return;
	disarm(held);
	read_lasting(held, held->ended);
	interrupts_read(&held->interrupts);
	if (!output_is_text(instance->ctx->out))
		engine_table_begin(instance);
	held_print(held, instance->ctx->out);
}

/* The programs know no processors that came later. */
static void say_new_cpus(const struct held *held)
{
	__free bool *online = base_alloc(cpus_ids() * sizeof(*online));
	size_t n = 0;

	cpus_online(online);
	for (int i = 0; i < cpus_ids() && !held->some; i++)
		n += online[i] && !held->cpus[i];
	if (n)
		report_note("%zu processor%s came online meanwhile: waits for %s are not measured", n, str_plural(n),
			    n == 1 ? "it" : "them");
}

static void say_lost(uint64_t n, const char *what, const char *lost)
{
	if (n)
		report_note("%llu %s%s %s", (unsigned long long)n, what, str_plural(n), lost);
}

static void held_losses(struct engine_instance *instance)
{
	struct held *held = instance->state;
	uint64_t missed = progs_missed(&held->progs, &held->knows_missed);

	probes_say_missed(instance, held->progs.attach, held->knows_missed, missed, "time that nobody held");
	say_lost(held->shared->lost, "message", "about waits lost: the buffer was full");
	say_lost(held->shared->unseen, "wait", "not measured, long or short: the kernel did not show the end");
	say_lost(held->sums.unsplit, "wait", "moved too often: who held the processors later is not known");
	say_lost(held->dropped, "wait", "partly in other queues, which are left out: too many such waits at a time");
	if (held->sums.more_tids)
		report_note("more than %zu threads waited: no more are in their number", held->sums.tids.n);
	say_new_cpus(held);
	progs_say_losses(&held->progs, missed);
	stacks_losses(held->stacks);
}

static struct attach *held_attachment(const struct engine_instance *instance, size_t n)
{
	const struct held *held = instance->state;

	return n ? NULL : held->progs.attach;
}

static void held_close(struct engine_instance *instance)
{
	struct held *held = instance->state;

	if (!held)
		return;
	ring_buffer__free(held->ring);
	/* before the stacks, whose maps the programs use */
	attach_free(held->progs.attach);
	held->progs.attach = NULL;
	stacks_free(held->stacks);
	progs_release(&held->progs);
	vec_each(wait, &held->open)
		held_wait_release(wait);
	free(held->open.v);
	held_sums_release(&held->sums);
	interrupts_release(&held->interrupts);
	free(held->cpus);
	free(held);
}

const struct engine held_engine = {
	.open = held_open,
	.armed = held_armed,
	.emit = held_emit,
	.take = engine_take,
	.losses = held_losses,
	.attachment = held_attachment,
	.close = held_close,
};
