// SPDX-License-Identifier: BSD-2-Clause
/* What threads wait for: how long, and what it is called. Knows neither pages nor files. */
#include <arpa/inet.h>

#include "engine/batch.h"
#include "output/address.h"
#include "symbols/symbols.h"
#include "locks.h"
#include "titles.h"
#include "waits.h"
#include "why_part.h"

/* More are not kept apart: 10 MB. */
#define MOST_KEYS 262144
/* So many with those of stacks, and before with those of threads, without which an object still has its name. */
#define MOST_KEYS_AT	 (MOST_KEYS / 2)
#define MOST_KEYS_RAN	 (MOST_KEYS / 4)
#define MOST_KEYS_BEHIND (MOST_KEYS / 8)

uint32_t objects_key(struct why *why, const struct why_key *key)
{
	const uint32_t number = set_add_most(&why->path.keys, key, sizeof(*key), MOST_KEYS);

	why->path.unnamed += number == SET_NONE;
	return number;
}

/* --- sums --- */

/* The object of a key, which may be new. */
static struct why_object *object_of(struct why *why, const struct why_key *key)
{
	uint32_t number = set_add(&why->keys, key, sizeof(*key));
	struct why_found *found;

	if (number < why->objects.n)
		return &why->objects.v[number].object;
	found = vec_push(&why->objects);
	found->key = *key;
	return &found->object;
}

static void add(struct why_object *object, uint64_t ns, uint64_t count, uint64_t max)
{
	object->ns += ns;
	object->count += count;
	object->max = max > object->max ? max : object->max;
}

void objects_add(struct why *why, const struct why_key *key, uint64_t ns, uint64_t count, uint64_t max)
{
	add(object_of(why, key), ns, count, max);
}

void objects_add_path(struct why *why, uint32_t number, uint64_t ns)
{
	struct why_path *path = &why->path;
	uint32_t at;

	if (number == PATH_NONE)
		return;
	at = set_add(&path->seen, &number, sizeof(number));
	if (at == path->objects.n)
		memcpy(&vec_push(&path->objects)->key, path->keys.v[number].bytes, sizeof(struct why_key));
	add(&path->objects.v[at].object, ns, 1, ns);
}

static void add_read(const void *key, const void *value, void *ctx)
{
	const struct why_object *from = value;
	struct why_object *object = object_of(ctx, key);

	memcpy(object->names, from->names, sizeof(*from) - offsetof(struct why_object, names));
	add(object, from->ns, from->count, from->max);
}

int objects_read(struct why *why)
{
	const struct batch_map map = {
		.fd = object_map_fd(&why->progs.object, "why_objects"),
		.max = WHY_OBJECTS,
		.key_size = sizeof(struct why_key),
		.value_size = sizeof(struct why_object),
	};

	return batch_read(&map, add_read, why);
}

static int by_time(const void *pa, const void *pb)
{
	const struct why_found *a = pa, *b = pb;

	return a->object.ns > b->object.ns ? -1 : a->object.ns < b->object.ns;
}

void objects_sort(struct why *why)
{
	struct why_path *path = &why->path;

	if (path->objects.n)
		qsort(path->objects.v, path->objects.n, sizeof(*path->objects.v), by_time);
	if (why->objects.n)
		qsort(why->objects.v, why->objects.n, sizeof(*why->objects.v), by_time);
	/* their numbers change */
	set_release(&why->keys);
	why->keys = (struct set){};
	vec_each(object, &why->objects)
		set_add(&why->keys, &object->key, sizeof(object->key));
}

const struct why_found *objects_find(const struct why *why, const struct why_key *key)
{
	uint32_t number = set_find(&why->keys, key, sizeof(*key));

	return number == SET_NONE ? NULL : &why->objects.v[number];
}

/* A key that says more of another one, which stands alone if there is nothing more, or too much. */
static uint32_t key_upon(struct why *why, const struct why_key *key, uint64_t more, uint32_t what, uint32_t most)
{
	struct why_key upon = { .a = more, .class = key->class, .call = what };
	uint32_t number = objects_key(why, key);

	if (!more || number == SET_NONE)
		return number;
	upon.b = number;
	number = set_add_most(&why->path.keys, &upon, sizeof(upon), most);
	why->path.no_stack += number == SET_NONE && what == OBJECTS_AT_STACK;
	return number == SET_NONE ? upon.b : number;
}

uint32_t objects_key_at(struct why *why, const struct why_key *key, uint64_t stack)
{
	return key_upon(why, key, stack, OBJECTS_AT_STACK, MOST_KEYS_AT);
}

uint32_t objects_key_behind(struct why *why, const struct why_key *key, uint64_t thread)
{
	return key_upon(why, key, thread, OBJECTS_BEHIND, MOST_KEYS_BEHIND);
}

uint32_t objects_key_ran(struct why *why, uint64_t stack)
{
	const struct why_key running = { .class = WHY_RUNNING };

	return key_upon(why, &running, stack, OBJECTS_RAN, MOST_KEYS_RAN);
}

uint32_t objects_key_of(const struct why *why, uint32_t number)
{
	const struct why_key *key = number < why->path.keys.n ? (const void *)why->path.keys.v[number].bytes : NULL;

	return key && key->call == OBJECTS_BEHIND ? key->b : number;
}

/* --- names --- */

const char *objects_lock(struct why *why, uint32_t class, uint64_t stack, struct stacks_named *named)
{
	if (!stack || !stacks_find(why->stacks, stack, named) || class == WHY_PROCESSOR)
		return NULL;
	return locks_name(why->locks, &named->user, &named->kernel);
}

bool objects_is_wrapper(const struct frame *frame)
{
	static const char *const libraries[] = { "libc.so", "libc-", "libpthread", "ld-musl", "libstdc++" };
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;

	for (size_t i = 0; slash && i < ARRAY_SIZE(libraries); i++)
		if (!strncmp(slash + 1, libraries[i], strlen(libraries[i])))
			return true;
	return false;
}

const char *objects_function(struct why *why, uint64_t stack, struct stacks_named *named)
{
	const struct frame *native = NULL;

	if (!stack || !stacks_find(why->stacks, stack, named))
		return NULL;
	for (size_t i = 0; i < named->user.n; i++) {
		const struct frame *frame = named->user.frames[i];

		if (frame->kind == FRAME_INTERPRETED)
			return frame->name;
		if (!native && frame->kind != FRAME_MARK && *frame->name && !symbols_is_unknown(frame) &&
		    !objects_is_wrapper(frame))
			native = frame;
	}
	return native ? native->name : NULL;
}

const char *objects_lock_of(struct why *why, uint32_t number)
{
	struct stacks_named named = {};
	const struct why_key *key = number == SET_NONE ? NULL : (const void *)why->path.keys.v[number].bytes;

	return key && key->call == OBJECTS_AT_STACK ? objects_lock(why, key->class, key->a, &named) : NULL;
}

static void add_path(struct str *s, const struct why_object *object)
{
	int n = 0;

	while (n < WHY_NAMES && object->names[n][0])
		n++;
	if (n && object->names[n - 1][0] == '/' && !object->names[n - 1][1])
		n--;
	else
		str_add(s, "...");
	for (int i = n - 1; i >= 0; i--) {
		str_addc(s, '/');
		str_addn(s, object->names[i], strnlen(object->names[i], WHY_NAME_SIZE));
	}
	if (!n)
		str_addc(s, '/');
}

static void add_peer(struct str *s, const struct why_object *object)
{
	static const unsigned char nobody[sizeof(object->peer)];

	if (object->own_port)
		str_addf(s, "port %u", object->own_port);
	if (object->own_port && !memcmp(object->peer, nobody, sizeof(nobody)))
		return;
	str_add(s, object->own_port ? " from " : "");
	address_add(s, object->family == AF_INET ? 4 : 6, object->peer);
	if (object->peer_port)
		str_addf(s, ":%u", ntohs(object->peer_port));
}

/* The thread that last had this id. */
static const struct why_task *task_of(const struct why *why, uint32_t tid)
{
	uint32_t number = set_find(&why->sums.tids, &tid, sizeof(tid));

	return number == SET_NONE ? NULL : &why->sums.tasks.v[why->sums.latest.v[number]];
}

/* The holder counts only if it is a thread of the process. */
static void add_lock(const struct why *why, struct str *s, const struct why_key *key)
{
	uint32_t process = key->b >> 32, holder = key->b;
	const struct why_task *task = holder ? task_of(why, holder) : NULL;

	str_addf(s, "0x%llx of %u", key->a, process);
	if (task && task->tgid == process)
		str_addf(s, " held by %.16s %u", task->comm, holder);
}

/* Of a holder that is not measured, only its number is known. */
static void add_flock(const struct why *why, struct str *s, const struct why_key *key, const struct why_object *object)
{
	uint32_t holder = key->b;
	const struct why_task *task = holder ? task_of(why, holder) : NULL;

	add_path(s, object);
	if (task) {
		str_addf(s, " held by %.16s %u", task->comm, holder);
		titles_add(s, task->tgid);
	} else if (holder) {
		str_addf(s, " held by %u", holder);
	}
}

static void add_comm(struct str *s, const struct why_key *key, const char *otherwise)
{
	char comm[sizeof(key->a) + sizeof(key->b) + 1] = "";

	memcpy(comm, &key->a, sizeof(key->a) + sizeof(key->b));
	if (comm[0] == WHY_INTERRUPT)
		str_add(s, "an interrupt");
	else if (comm[0] == WHY_NOBODY)
		str_add(s, "nobody yet");
	else
		str_add(s, comm[0] ? comm : otherwise);
}

static void add_call(struct str *s, unsigned int call)
{
	const char *name = waits_call(call);

	if (name)
		str_add(s, name);
	else
		str_addf(s, "system call %u", call & ~WHY_COMPAT_CALL);
}

/* Of a call that is on no file, the call. */
static void add_file(struct str *s, const struct why_key *key, const struct why_object *object)
{
	if (key->a)
		add_path(s, object);
	else if (key->call && key->call != WHY_NO_CALL)
		add_call(s, key->call);
}

bool objects_name(const struct why *why, struct str *s, const struct why_key *key, const struct why_object *object)
{
	const size_t before = s->len;

	switch (waits_of(key->class)->object) {
	case WAITS_FOR_WAKER:
		add_comm(s, key, "unknown");
		break;
	case WAITS_FOR_FILE:
		add_file(s, key, object);
		break;
	case WAITS_FOR_LOCK:
		if (key->a && key->class == WHY_FLOCK)
			add_flock(why, s, key, object);
		else if (key->a)
			add_lock(why, s, key);
		break;
	case WAITS_FOR_PEER:
		add_peer(s, object);
		break;
	case WAITS_FOR_TASK:
		add_comm(s, key, "idle");
		break;
	case WAITS_FOR_EVENT:
		add_comm(s, key, "a device");
		break;
	case WAITS_FOR_CALL:
		add_call(s, key->call);
		break;
	default:
		break;
	}
	return s->len > before;
}
