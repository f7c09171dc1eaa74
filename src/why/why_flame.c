// SPDX-License-Identifier: BSD-2-Clause
/*
 * Wall-clock flame graphs and the like: waits by stack, with their cause as the innermost frame, and samples, which
 * share the time that the threads of their name ran. The sums know the whole time, so what has no stack is drawn too:
 * the files add up to the life of all threads.
 */
#include "engine/batch.h"
#include "engine/stacks.h"
#include "output/files.h"
#include "waits.h"
#include "why_part.h"

/* What has been drawn of the threads of one name. */
struct drawn {
	uint64_t samples;
	uint64_t ns[WHY_CLASSES];
};

struct drawing {
	struct why *why;
	char names[WHY_CLASSES][32];
	struct frame causes[WHY_CLASSES];
	struct drawn *drawn; /* by the number of a name in the sums */
};

bool why_flame_wanted(const struct why_settings *settings)
{
	const struct stacks_settings *stacks = &settings->stacks;

	return stacks->folded || stacks->flame || stacks->pprof || stacks->speedscope;
}

bool why_flame_has_stdout(const struct why *why)
{
	return files_use_stdout(stacks_files(why->stacks));
}

static void set_total(const void *key, const void *value, void *stacks)
{
	const struct stack_count *total = value;

	stacks_set(stacks, key, total->count, total->ns);
}

int why_flame_read(struct why *why)
{
	const struct batch_map map = {
		.fd = object_map_fd(&why->progs.object, "stack_counts"),
		.max = why->settings->stacks.storage ? why->settings->stacks.storage : STACKS_STORAGE,
		.key_size = sizeof(struct stack_key),
		.value_size = sizeof(struct stack_count),
	};

	return why->stacks_source.keyed ? batch_read(&map, set_total, why->stacks) : 0;
}

void why_flame_sleeps(struct why *why, const struct why_thread *thread, uint64_t ns)
{
	struct stack_key key = { .stack = thread->stack, .slot = thread->key.class };

	if (!why->stacks_source.keyed || !thread->stack)
		return;
	memcpy(key.comm, thread->comm, strnlen(thread->comm, sizeof(key.comm)));
	stacks_add(why->stacks, &key, 1, ns);
}

static uint64_t time_of(const struct why_split *split, uint32_t class)
{
	if (class == WHY_RUNNING)
		return split->ns[WHY_USER] + split->ns[WHY_SYSTEM] + split->ns[WHY_STOLEN];
	return split->ns[class];
}

void why_flame_causes(struct frame causes[WHY_CLASSES], char names[WHY_CLASSES][32])
{
	for (uint32_t i = 0; i < WHY_CLASSES; i++) {
		snprintf(names[i], sizeof(names[i]), "[%s]", why_sums_cause(i));
		causes[i] = (struct frame){ .name = names[i], .kind = FRAME_MARK };
		if (i != WHY_RUNNING)
			causes[i].color = &waits_of(i)->color;
	}
}

/* A stack with its cause; code that runs has none. The stack's id may be 0. */
static void draw(struct drawing *d, const char *comm, uint64_t stack, uint32_t class, uint64_t count, uint64_t ns)
{
	struct stacks *stacks = d->why->stacks;
	struct stacks_named named = stack ? stacks_named(stacks, stack) : (struct stacks_named){};
	const struct frame *frames[STACK_DEPTH + 1] = { &d->causes[class] };
	struct why_row row = { .comm = comm, .user = named.user, .kernel = named.kernel, .count = count, .ns = ns };

	if (!ns)
		return;
	if (class != WHY_RUNNING || !stack) {
		for (size_t i = 0; i < named.kernel.n; i++)
			frames[i + 1] = named.kernel.frames[i];
		row.kernel = (struct frame_stack){ frames, named.kernel.n + 1 };
	}
	files_row(stacks_files(stacks), &why_schema, &row, NULL);
}

/* The drawn part of a key's name; NULL: no thread has this name at the end of its life, or when it calls exec. */
static struct drawn *drawn_of(struct drawing *d, const struct stack_key *key)
{
	uint32_t number = set_find(&d->why->sums.comms, key->comm, strnlen(key->comm, sizeof(key->comm)));

	return number == SET_NONE ? NULL : &d->drawn[number];
}

static void count_samples(struct drawing *d)
{
	const struct stack_key *key;
	uint64_t count, ns;

	for (size_t i = 0; (key = stacks_counted(d->why->stacks, i, &count, &ns)); i++) {
		struct drawn *drawn = drawn_of(d, key);

		if (drawn && key->slot == WHY_RUNNING)
			drawn->samples += count;
	}
}

static void draw_stacks(struct drawing *d, uint64_t all[WHY_CLASSES])
{
	const struct stack_key *key;
	uint64_t count, ns;

	for (size_t i = 0; (key = stacks_counted(d->why->stacks, i, &count, &ns)); i++) {
		struct drawn *drawn = drawn_of(d, key);
		char comm[sizeof(key->comm) + 1] = "";

		if (key->slot >= WHY_CLASSES)
			continue;
		if (key->slot == WHY_RUNNING)
			ns = drawn ? (double)time_of(&d->why->sums.names.v[drawn - d->drawn].split, WHY_RUNNING) *
					     count / drawn->samples
				   : 0;
		if (drawn)
			drawn->ns[key->slot] += ns;
		all[key->slot] += ns;
		memcpy(comm, key->comm, sizeof(key->comm));
		draw(d, comm, key->stack, key->slot, count, ns);
	}
}

/*
 * The rest of a class, by name. A thread that changes its name is in the sums by its last one, so some names have more
 * stacks than time. Then the others have less without a stack: the whole is the sum's.
 */
static void draw_rest(struct drawing *d, uint32_t class, uint64_t drawn)
{
	const struct why_sums *sums = &d->why->sums;
	uint64_t whole = time_of(&sums->all, class), missing = 0;

	if (drawn >= whole)
		return;
	for (size_t i = 0; i < sums->names.n; i++) {
		uint64_t ns = time_of(&sums->names.v[i].split, class);

		missing += ns > d->drawn[i].ns[class] ? ns - d->drawn[i].ns[class] : 0;
	}
	for (size_t i = 0; i < sums->names.n; i++) {
		uint64_t ns = time_of(&sums->names.v[i].split, class);

		if (ns > d->drawn[i].ns[class])
			draw(d, sums->names.v[i].comm, 0, class, 1,
			     (double)(ns - d->drawn[i].ns[class]) * (whole - drawn) / missing);
	}
}

static void draw_threads(struct why *why)
{
	struct drawing d = { .why = why, .drawn = base_alloc((why->sums.names.n + 1) * sizeof(*d.drawn)) };
	uint64_t all[WHY_CLASSES] = {};

	why_flame_causes(d.causes, d.names);
	count_samples(&d);
	draw_stacks(&d, all);
	for (uint32_t class = 0; class < WHY_CLASSES; class ++)
		draw_rest(&d, class, all[class]);
	/* while the frames live */
	stacks_write_files(why->stacks);
	free(d.drawn);
}

void why_flame_write(struct why *why)
{
	if (!why->stacks_source.keyed)
		return;
	stacks_name_all(why->stacks);
	if (why->requests.on)
		why_flame_draw_requests(why);
	else
		draw_threads(why);
}
