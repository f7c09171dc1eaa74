// SPDX-License-Identifier: BSD-2-Clause
/*
 * What differs between two recordings. Ids of processes differ in any two, so threads are added up by name; calls and
 * disks have names as well.
 */
#include "difference.h"
#include "summary.h"

/* One thing that takes time: of both recordings. */
struct item {
	const char *what; /* "run", "syscall" ... */
	const char *name;
	uint64_t ns[2], counts[2];
};

struct items {
	vec(struct item);
	struct set names; /* what, then the name; both with their NUL */
};

static void add_item(struct items *items, int which, const char *what, const char *name, uint64_t ns, uint64_t count)
{
	__str struct str key = {};
	uint32_t at;

	if (!ns && !count)
		return;
	str_addn(&key, what, strlen(what) + 1);
	str_addn(&key, name, strlen(name) + 1);
	at = set_add(&items->names, key.data, key.len);
	if (at == items->n) {
		struct item *item = vec_push(items);

		item->what = items->names.v[at].bytes;
		item->name = item->what + strlen(what) + 1;
	}
	items->v[at].ns[which] += ns;
	items->v[at].counts[which] += count;
}

static void add_sums(struct items *items, int which, const struct sums *sums, const struct recording *r)
{
	static const char *const states[SUMS_STATES] = {
		[SUMS_RUNS] = "run",
		[SUMS_WAITS] = "wait",
		[SUMS_SLEEPS] = "sleep",
		[SUMS_DISK] = "disk",
	};
	__str struct str name = {};

	add_item(items, which, "time", "of the recording", sums->ended > sums->begun ? sums->ended - sums->begun : 0,
		 sums->events);
	vec_each(task, &sums->tasks)
		for (int i = 0; i < SUMS_STATES; i++)
			if (states[i] && !task->hidden)
				add_item(items, which, states[i], task->comm, task->ns[i],
					 i == SUMS_RUNS ? task->switches : i == SUMS_SLEEPS ? task->wakes
											    : 0);
	vec_each(call, &sums->calls) {
		str_reset(&name);
		summary_add_call(&name, r, call->number);
		add_item(items, which, "syscall", name.data, call->total, call->count);
	}
	vec_each(function, &sums->functions) {
		str_reset(&name);
		summary_add_function(&name, r, function->number);
		add_item(items, which, "self", name.data, function->self, function->count);
		add_item(items, which, "total", name.data, function->total, function->count);
	}
	vec_each(disk, &sums->disks) {
		str_reset(&name);
		summary_add_disk(&name, r, disk->device, disk->op);
		add_item(items, which, "request", name.data, disk->total, disk->count);
	}
}

static int64_t change(const struct item *item)
{
	return item->ns[1] - item->ns[0];
}

static int compare(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	uint64_t x = llabs(change(a)), y = llabs(change(b));
	int ret;

	if (x != y)
		return x > y ? -1 : 1;
	x = llabs((int64_t)(a->counts[1] - a->counts[0]));
	y = llabs((int64_t)(b->counts[1] - b->counts[0]));
	if (x != y)
		return x > y ? -1 : 1;
	ret = strcmp(a->what, b->what);
	return ret ? ret : strcmp(a->name, b->name);
}

static void get_change(struct value *to, const void *row, const void *ctx)
{
	value_set_s64(to, change(row));
}

/* With a sign: what grew is worth a look. */
static void show_change(struct value *to, const void *row, const void *ctx)
{
	str_addf(to->room, "%+.1f", change(row) / 1e6);
	value_set_made(to);
}

static void show_percent(struct value *to, const void *row, const void *ctx)
{
	const struct item *item = row;

	if (!item->ns[0])
		str_add(to->room, "new");
	else if (!item->ns[1])
		str_add(to->room, "gone");
	else
		str_addf(to->room, "%+.0f%%", 100.0 * change(item) / item->ns[0]);
	value_set_made(to);
}

#define TIME(INDEX, KEY, TITLE) \
	FIELD(FIELD_DURATION, struct item, ns[INDEX], KEY, TITLE, 11, .unit = UNIT_MS, .decimals = 1)

static const struct field fields[] = {
	FIELD(FIELD_STR, struct item, what, "what", "WHAT", -8, .role = ROLE_LABEL),
	FIELD(FIELD_STR, struct item, name, "name", "NAME", -18, .role = ROLE_LABEL, .may_cut = true),
	TIME(0, "old_ns", "OLD(ms)"),
	TIME(1, "new_ns", "NEW(ms)"),
	DATA_GET(FIELD_S64, get_change, "change_ns", .role = ROLE_VALUE),
	TEXT_GET(FIELD_STR, show_change, "CHANGE", 10),
	TEXT_GET(FIELD_STR, show_percent, "", 7),
	DATA(FIELD_U64, struct item, counts[0], "old_count", .role = ROLE_COUNTER),
	FIELD(FIELD_U64, struct item, counts[1], "new_count", "COUNT", 8, .role = ROLE_COUNTER),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

void difference_print(const struct sums *old, const struct recording *old_r, const struct sums *now,
		      const struct recording *r, struct output *out, uint32_t top)
{
	struct items items = {};

	add_sums(&items, 0, old, old_r);
	add_sums(&items, 1, now, r);
	if (items.n)
		qsort(items.v, items.n, sizeof(*items.v), compare);
	output_table_begin(out, &schema, NULL, true);
	for (size_t i = 0; i < items.n && (!top || i < top); i++)
		output_row(out, &items.v[i]);
	output_table_end(out);
	if (top && items.n > top && output_is_text(out))
		output_line(out, "%zu more", items.n - top);
	free(items.v);
	set_release(&items.names);
}
