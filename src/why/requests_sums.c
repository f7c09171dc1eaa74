// SPDX-License-Identifier: BSD-2-Clause
/* The sums of the page of requests: columns, lines with their objects, percentiles, groups. */
#include "bpf/request.h"
#include "output/address.h"
#include "requests_sums.h"
#include "titles.h"

/* If more requests than this are batches, what one of them lasts is not known: in percent. */
#define MOST_MERGED 5
/* A lock with this share of the time stands before what its holder did for itself. */
#define LEAST_LOCK 0.1

/* --- names --- */

static void add_address(struct str *s, const struct why_client *client)
{
	const bool bare = !client->port;

	str_add(s, client->version == 6 && !bare ? "[" : "");
	address_add(s, client->version, client->address);
	if (!bare)
		str_addf(s, "%s:%u", client->version == 6 ? "]" : "", client->port);
}

void requests_page_add_thread(const struct why *why, struct str *s, uint32_t tid)
{
	uint32_t task = set_find(&why->sums.tids, &tid, sizeof(tid));

	if (task != SET_NONE)
		str_addf(s, "%.16s", why->sums.tasks.v[why->sums.latest.v[task]].comm);
}

/* The thread's process, and its title, best that which it had while others waited for it: there are many of one name. */
static void add_id(struct why *why, struct str *s, uint32_t tid)
{
	const struct titles *titles = &why->requests.titles;
	uint32_t task = set_find(&why->sums.tids, &tid, sizeof(tid)), tgid;
	const char *title = titles_held(titles, tid);

	if (task == SET_NONE)
		return;
	tgid = why->sums.tasks.v[why->sums.latest.v[task]].tgid;
	if (!title)
		title = titles_now(&why->requests.titles, tgid);
	if (!title[0] && titles_last(titles, tid))
		title = titles_last(titles, tid);
	str_addf(s, " %u%s", tgid, title);
}

static void add_who(struct why *why, struct str *s, uint32_t tid)
{
	const uint32_t task = set_find(&why->sums.tids, &tid, sizeof(tid));

	if (task == SET_NONE && requests_behind_is(why, tid) && titles_comm(s, tid)) {
		/* it is not measured, so its process is not known, but that of a first thread */
		str_addf(s, " %u%s", tid, titles_now(&why->requests.titles, tid));
		return;
	}
	requests_page_add_thread(why, s, tid);
	add_id(why, s, tid);
	if (task == SET_NONE || why->sums.tasks.v[why->sums.latest.v[task]].tgid != tid)
		str_addf(s, "%s%u", s->len ? " thread " : "thread ", tid);
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_lock(const struct why *why, uint32_t object)
{
	const struct why_key *key = object == REQUESTS_NONE ? NULL : (const void *)why->path.keys.v[object].bytes;

	return key && (key->class == WHY_LOCK || key->class == WHY_FLOCK);
}

const struct why_requests_held *requests_page_held(struct why *why, uint32_t number)
{
	const struct requests_ended *ended = requests_ended(why->requests.found, number);
	struct why_requests_held *held;
	struct str who __str = {};
	uint32_t at = 0;

	if (!ended)
		return NULL;
	while (why->requests.held.n <= number)
		vec_push(&why->requests.held);
	held = &why->requests.held.v[number];
	if (held->who)
		return held;
	/* of several that wait behind each other for the same lock, the last one waits for who holds it */
	for (uint32_t i = 0; i < ended->n; i++) {
		const char *lock = objects_lock_of(why, ended->hops[i].object);

		if (held->lock ? !is_same(held->lock, lock) : !lock && !is_lock(why, ended->hops[i].object))
			break;
		held->lock = lock;
		at = i;
	}
	add_who(why, &who, ended->hops[at].tid);
	held->who = base_printf("%s", str_or_empty(who.data));
	return held;
}

static void add_name(struct why *why, struct str *s, const struct why_client *client)
{
	uint64_t key;

	memcpy(&key, client->address, sizeof(key));
	if (client->version == REQUEST_UNIX && client->port) {
		str_addf(s, "%.16s %u", (const char *)client->address, client->port);
	} else if (client->version == REQUEST_UNIX) {
		str_addf(s, "%.16s", (const char *)client->address);
	} else if (client->version == WHY_UNIX_NAME) {
		str_add(s, why_requests_name(why, key));
	} else if (client->version == WHY_PORT) {
		str_addf(s, "port %u", client->port);
	} else if (client->version == WHY_TID) {
		requests_page_add_thread(why, s, client->port);
		str_addf(s, "%s%u", s->len ? " " : "", client->port);
	} else {
		add_address(s, client);
	}
}

void requests_page_add_name(struct why *why, struct str *s, uint32_t number)
{
	if (number != REQUESTS_NONE)
		add_name(why, s, (const void *)why->requests.clients.v[number].bytes);
}

void requests_page_add_group(struct why *why, struct str *s, uint32_t number)
{
	add_name(why, s, (const void *)why->requests.groups.v[number].bytes);
}

void requests_page_add_object(struct why *why, struct str *s, const struct requests_state *state)
{
	const struct why_object none = {};
	const struct why_key *key;
	const struct why_found *found;
	const char *lock = NULL;

	if (state->where == REQUESTS_BEHIND && (state->inner == REQUESTS_BEHIND || state->inner == REQUESTS_WAY)) {
		requests_page_add_name(why, s, state->server);
	} else if (state->class == WHY_RUNNING ||
		   (state->via != REQUESTS_DIRECT && state->object == REQUESTS_NONE && state->where != REQUESTS_ACCEPT)) {
		requests_page_add_thread(why, s, state->tid);
		if (state->via != REQUESTS_DIRECT)
			add_id(why, s, state->tid);
	} else if (state->object != REQUESTS_NONE) {
		key = (const void *)why->path.keys.v[state->object].bytes;
		if (key->call == OBJECTS_AT_STACK)
			lock = objects_lock_of(why, state->object);
		if (key->call >= OBJECTS_AT_STACK)
			key = (const void *)why->path.keys.v[key->b].bytes;
		found = objects_find(why, key);
		if (lock)
			str_add(s, lock);
		else
			objects_name(why, s, key, found ? &found->object : &none);
	}
}

/* --- lines --- */

bool requests_page_below(const struct requests_line *line, const struct requests_line *sum)
{
	if (line->where != sum->where || line->where == REQUESTS_QUEUE || line->where == REQUESTS_BEHIND)
		return line->where == sum->where;
	if (line->lock || sum->lock)
		return is_same(line->lock, sum->lock);
	return line->via == sum->via && (line->via != REQUESTS_DIRECT || line->class == sum->class);
}

/* The sum of the line, which may be new. */
static struct requests_line *sum_of(struct requests_page *page, const struct requests_line *line)
{
	struct requests_line *sum;

	vec_each(it, &page->sums) {
		if (!requests_page_below(line, it))
			continue;
		it->via = it->via == REQUESTS_DIRECT ? line->via : it->via;
		return it;
	}
	sum = vec_push(&page->sums);
	sum->where = line->where;
	sum->class = line->class;
	sum->via = line->via;
	sum->lock = line->lock;
	return sum;
}

const char *requests_page_lock(struct why *why, const struct requests_state *state)
{
	if (state->where != REQUESTS_OWN || state->via != REQUESTS_DIRECT ||
	    !((WHY_FOLLOWS | 1ULL << WHY_SLEEP) >> state->class & 1))
		return NULL;
	return objects_lock_of(why, state->object);
}

static struct requests_line *line_of(struct requests_page *page, const struct requests_state *state,
				     const struct why_requests_held *held)
{
	const bool behind = state->where == REQUESTS_BEHIND;
	const uint8_t where = behind ? state->inner : state->where, inner = behind ? state->inner : 0;
	/* what is not known has one line, whatever it looks like */
	const bool any = where == REQUESTS_UNKNOWN || where == REQUESTS_ACCEPT;
	const uint8_t class = any ? WHY_UNKNOWN : state->class, via = any ? REQUESTS_DIRECT : state->via;
	const bool is_direct = via == REQUESTS_DIRECT;
	const char *lock = held && state->where == REQUESTS_OWN ? held->lock : requests_page_lock(page->why, state);
	struct requests_line *line;

	vec_each(it, &page->lines)
		if (it->where == state->where && it->class == class && it->inner == inner &&
		    (lock ? (it->via == REQUESTS_DIRECT) == is_direct : it->via == via) && is_same(it->lock, lock))
			return it;
	line = vec_push(&page->lines);
	line->where = state->where;
	line->class = class;
	line->inner = inner;
	line->via = via;
	line->lock = lock;
	return line;
}

/* Returns the object; NULL: it has no name. */
static struct requests_line_object *add_object(struct requests_line *line, const char *name, double ns, const double *shares)
{
	struct requests_line_object *object = NULL;

	if (!name || !name[0])
		return NULL;
	vec_each(it, &line->objects)
		if (!strcmp(it->name, name))
			object = it;
	if (!object) {
		object = vec_push(&line->objects);
		object->name = base_printf("%s", name);
	}
	for (size_t c = 0; c < REQUESTS_COLUMNS; c++)
		object->ns[c] += ns * shares[c];
	return object;
}

static void add_cell(struct requests_line *line, double ns, const double *shares)
{
	for (size_t c = 0; c < REQUESTS_COLUMNS; c++)
		line->all.ns[c] += ns * shares[c];
}

/* --- who holds a lock, and has requests of its own --- */

struct state_key {
	uint32_t tid, object, class;
};

static struct requests_holds *holds_of(struct requests_page *page, const struct requests_state *state)
{
	/* it is one state, wherever it ran */
	const uint32_t object = state->class == WHY_RUNNING ? REQUESTS_NONE : state->object;
	const struct state_key key = { state->tid, object, state->class };
	const uint32_t number = set_add(&page->state_keys, &key, sizeof(key));

	return number < page->states.n ? &page->states.v[number] : vec_push(&page->states);
}

static void vote(struct requests_vote *votes, const char *lock, uint8_t via, double ns)
{
	if (votes->weight < ns && (!is_same(votes->lock, lock) || votes->via != via))
		*votes = (struct requests_vote){ lock, via, ns - votes->weight };
	else if (is_same(votes->lock, lock) && votes->via == via)
		votes->weight += ns;
	else
		votes->weight -= ns;
}

/* Others wait for a lock while the thread is in this state, or it is for its own request, or both. */
static void add_holds(struct requests_page *page, const struct requests_part *part)
{
	const struct requests_state *state = &part->state;
	const struct why_requests_held *held;
	struct requests_holds *holds;

	if (state->where != REQUESTS_OWN || state->class == WHY_PROCESSOR)
		return;
	held = requests_page_held(page->why, state->ended);
	if (state->via != REQUESTS_DIRECT && !(held && held->lock) && state->via != WHY_LOCK && state->via != WHY_FLOCK)
		return;
	holds = holds_of(page, state);
	if (state->via == REQUESTS_DIRECT) {
		holds->own_ns += part->ns;
		return;
	}
	holds->others_ns += part->ns;
	vote(&holds->others_for, held ? held->lock : NULL, state->via, part->ns);
}

/* A state of a thread for its own request, for which others have waited half of that time and more. */
static void add_held(struct requests_page *page, const struct requests_part *part, struct requests_line *sum,
		     const double *shares)
{
	struct requests_holds *holds = holds_of(page, &part->state);
	struct str who __str = {};

	if (part->state.where != REQUESTS_OWN || part->state.via != REQUESTS_DIRECT || holds->others_ns < holds->own_ns / 2 ||
	    !holds->others_ns)
		return;
	if (!holds->who) {
		add_who(page->why, &who, part->state.tid);
		holds->who = base_printf("%s", str_or_empty(who.data));
	}
	if (!sum->held)
		sum->held = base_alloc(sizeof(*sum->held));
	add_cell(sum->held, part->ns, shares);
	add_object(sum->held, holds->who, part->ns, shares);
	vote(&sum->held_for, holds->others_for.lock, holds->others_for.via, part->ns);
}

/* A lock of some weight stands before what its holder did for itself meanwhile. */
static void put_locks_first(struct requests_page *page)
{
	const enum requests_column of = page->merged ? REQUESTS_MEAN : REQUESTS_SLOWEST_ONE;

	for (size_t i = 0; i < page->sums.n; i++) {
		const struct requests_line own = page->sums.v[i];

		for (size_t at = i + 1; at < page->sums.n && own.held && own.held->all.ns[of] > own.all.ns[of] / 2; at++) {
			const struct requests_line sum = page->sums.v[at];

			if (sum.where != REQUESTS_OWN || sum.via == REQUESTS_DIRECT || !is_same(sum.lock, own.held_for.lock) ||
			    (!sum.lock && sum.via != own.held_for.via) || sum.all.ns[of] < LEAST_LOCK * page->sum.all.ns[of])
				continue;
			memmove(&page->sums.v[i + 1], &page->sums.v[i], (at - i) * sizeof(sum));
			page->sums.v[i] = sum;
			i++;
			break;
		}
	}
}

/* What is behind a server: the lock there, and who has it. Who itself waits for it does not. */
static void add_lock_behind(struct requests_page *page, const struct requests_part *part,
			    const struct why_requests_held *held, struct str *name)
{
	struct requests_state there = part->state;
	struct str object __str = {};

	there.where = REQUESTS_OWN;
	requests_page_add_object(page->why, &object, &there);
	str_add(name, held->lock);
	if (!is_same(object.data, held->lock))
		str_addf(name, " by %s", held->who);
}

/* shares: of the request in each column. */
static void add_part(struct requests_page *page, const struct requests_part *part, const double *shares)
{
	const struct why_requests_held *held = requests_page_held(page->why, part->state.ended);
	struct requests_line *line = line_of(page, &part->state, held), *sum = sum_of(page, line);
	/* else the object is a lock, whatever its holder waits for */
	const bool is_plain = part->state.where != REQUESTS_BEHIND || !held || !held->lock;
	const uint32_t process = is_plain ? requests_behind_of(page->why, &part->state) >> 32 : 0;
	struct requests_line_object *object;
	struct str name __str = {};

	if (!is_plain)
		add_lock_behind(page, part, held, &name);
	else if (part->state.where != REQUESTS_UNKNOWN)
		requests_page_add_object(page->why, &name, &part->state);
	add_cell(line, part->ns, shares);
	requests_ran_add(&line->ran, requests_ran_stack(page->why, &part->state), part->ns, shares);
	object = add_object(line, name.data, part->ns, shares);
	if (object && process)
		requests_behind_add(object, process, part->ns * (shares[REQUESTS_MEAN] + shares[REQUESTS_SLOWEST_ONE]));
	add_cell(&page->sum, part->ns, shares);
	add_cell(sum, part->ns, shares);
	add_held(page, part, sum, shares);
	if (part->state.where == REQUESTS_BEHIND) {
		str_reset(&name);
		requests_page_add_name(page->why, &name, part->state.server);
		add_object(sum, name.data, part->ns, shares);
	} else if (part->state.where == REQUESTS_OWN && held && !(held->lock && is_same(held->lock, name.data))) {
		/* who itself waits for the lock does not hold it */
		add_object(sum, held->who, part->ns, shares);
	}
}

/* Of requests that are merged, there are no slowest ones. */
static int by_object_mean(const void *pa, const void *pb)
{
	const struct requests_line_object *a = pa, *b = pb;

	return a->ns[REQUESTS_MEAN] > b->ns[REQUESTS_MEAN] ? -1 : a->ns[REQUESTS_MEAN] < b->ns[REQUESTS_MEAN];
}

static int by_slowest(const void *pa, const void *pb)
{
	const struct requests_line *a = pa, *b = pb;
	const enum requests_column c = REQUESTS_SLOWEST_ONE;

	return a->all.ns[c] > b->all.ns[c] ? -1 : a->all.ns[c] < b->all.ns[c];
}

static int by_mean(const void *pa, const void *pb)
{
	const struct requests_line *a = pa, *b = pb;

	return a->all.ns[REQUESTS_MEAN] > b->all.ns[REQUESTS_MEAN] ? -1 : a->all.ns[REQUESTS_MEAN] < b->all.ns[REQUESTS_MEAN];
}

/* Those that held up the slowest ones first. */
static int by_object(const void *pa, const void *pb)
{
	const struct requests_line_object *a = pa, *b = pb;
	const enum requests_column c = a->ns[REQUESTS_SLOWEST_ONE] == b->ns[REQUESTS_SLOWEST_ONE] ? REQUESTS_MEAN
												  : REQUESTS_SLOWEST_ONE;

	return a->ns[c] > b->ns[c] ? -1 : a->ns[c] < b->ns[c];
}

static void sort_objects(const struct requests_page *page, struct requests_line *line)
{
	if (line->objects.n)
		qsort(line->objects.v, line->objects.n, sizeof(*line->objects.v), page->merged ? by_object_mean : by_object);
}

/* Which requests are in which column: of ranks 0 to n, from..to. */
static void add_all(struct requests_page *page)
{
	const size_t n = page->n_cut, few = n / 100 ? n / 100 : 1;
	const size_t from = n / 2 - (n / 20 < n / 2 ? n / 20 : n / 2);
	const size_t to = n / 2 + n / 20 + 1 < n ? n / 2 + n / 20 + 1 : n;

	for (size_t i = 0; i < n; i++)
		for (uint32_t p = 0; p < page->cut[i]->n_parts; p++)
			add_holds(page, &page->cut[i]->parts[p]);
	for (size_t i = 0; i < n; i++) {
		const double shares[REQUESTS_COLUMNS] = {
			[REQUESTS_MEAN] = 1.0 / n,
			[REQUESTS_MIDDLE] = i >= from && i < to ? 1.0 / (to - from) : 0,
			[REQUESTS_SLOWEST_ONE] = i + few >= n ? 1.0 / few : 0,
		};

		for (uint32_t p = 0; p < page->cut[i]->n_parts; p++)
			add_part(page, &page->cut[i]->parts[p], shares);
	}
	if (page->lines.n) {
		qsort(page->lines.v, page->lines.n, sizeof(*page->lines.v), page->merged ? by_mean : by_slowest);
		qsort(page->sums.v, page->sums.n, sizeof(*page->sums.v), page->merged ? by_mean : by_slowest);
	}
	put_locks_first(page);
	vec_each(line, &page->lines) {
		sort_objects(page, line);
		requests_behind_name(page->why, line);
		line->in = requests_ran_in(page->why, &line->ran, page->merged ? REQUESTS_MEAN : REQUESTS_SLOWEST_ONE);
	}
	vec_each(sum, &page->sums) {
		sort_objects(page, sum);
		if (sum->held)
			sort_objects(page, sum->held);
	}
}

/* --- percentiles --- */

static int by_number(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a > b ? 1 : -(a < b);
}

/* The rank of p in percent among n: the smallest value that p percent do not exceed. */
static uint64_t at_percent(const uint64_t *sorted, size_t n, unsigned int p)
{
	return sorted[(n * p + 99) / 100 - 1];
}

/* Sorts them. */
static struct requests_percentiles percentiles_of(uint64_t *ns, size_t n)
{
	if (!n)
		return (struct requests_percentiles){};
	qsort(ns, n, sizeof(*ns), by_number);
	return (struct requests_percentiles){
		.n = n,
		.p50 = at_percent(ns, n, 50),
		.p99 = at_percent(ns, n, 99),
		.max = ns[n - 1],
	};
}

static struct requests_percentiles find_percentiles(const struct requests_page *page, bool of_client)
{
	size_t n, found = 0;
	const struct requests_time *times = requests_times(page->why->requests.found, &n);
	__free uint64_t *ns = base_alloc((n + 1) * sizeof(*ns));

	for (size_t i = 0; i < n; i++)
		if (!of_client || times[i].client_ns)
			ns[found++] = of_client ? times[i].client_ns : times[i].ns;
	return percentiles_of(ns, found);
}

/* --- groups --- */

static int by_group(const void *pa, const void *pb)
{
	const struct requests_time *a = pa, *b = pb;

	if (a->group != b->group)
		return a->group > b->group ? 1 : -1;
	return a->ns > b->ns ? 1 : -(a->ns < b->ns);
}

static int by_time(const void *pa, const void *pb)
{
	const struct requests_by *a = pa, *b = pb;

	return a->all.ns > b->all.ns ? -1 : a->all.ns < b->all.ns;
}

static void add_times(struct requests_page *page)
{
	size_t n, from = 0;
	const struct requests_time *times = requests_times(page->why->requests.found, &n);
	__free struct requests_time *sorted = base_alloc((n + 1) * sizeof(*sorted));
	__free uint64_t *ns = base_alloc((n + 1) * sizeof(*ns));

	for (size_t i = 0; i < n; i++)
		sorted[i] = times[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_group);
	vec_each(by, &page->groups) {
		size_t found = 0;

		while (from < n && sorted[from].group < by->group)
			from++;
		for (; from < n && sorted[from].group == by->group; from++)
			ns[found++] = sorted[from].ns;
		by->times = percentiles_of(ns, found);
	}
}

/* Where most of the time of each group went. */
static void add_causes(struct requests_page *page)
{
	__free uint64_t *sums = NULL;
	const size_t states = (REQUESTS_WAY + 1) * WHY_CLASSES;
	size_t n;

	requests_groups(page->why->requests.found, &n);
	sums = base_alloc((n + 1) * states * sizeof(*sums));
	for (size_t i = 0; i < page->n_cut; i++) {
		const struct requests_request *request = page->cut[i];

		for (uint32_t p = 0; request->group < n && p < request->n_parts; p++)
			sums[request->group * states + request->parts[p].state.where * WHY_CLASSES +
			     request->parts[p].state.class] += request->parts[p].ns;
	}
	vec_each(by, &page->groups) {
		uint64_t most = 0;

		for (size_t s = 0; s < states; s++) {
			if (sums[by->group * states + s] <= most)
				continue;
			most = sums[by->group * states + s];
			by->where = s / WHY_CLASSES;
			by->class = s % WHY_CLASSES;
		}
	}
}

static void make_groups(struct requests_page *page)
{
	size_t n;
	const struct requests_group *groups = requests_groups(page->why->requests.found, &n);

	/* without --by, requests have no group */
	for (size_t i = 0; i < n; i++)
		if (groups[i].n)
			*vec_push(&page->groups) = (struct requests_by){ .group = i, .all = groups[i] };
	if (!page->groups.n)
		return;
	add_times(page);
	add_causes(page);
	qsort(page->groups.v, page->groups.n, sizeof(*page->groups.v), by_time);
}

/* --- all of it --- */

static int by_ns(const void *pa, const void *pb)
{
	const struct requests_request *a = *(const struct requests_request *const *)pa;
	const struct requests_request *b = *(const struct requests_request *const *)pb;

	return a->ns > b->ns ? 1 : -(a->ns < b->ns);
}

void requests_page_make(struct requests_page *page, struct why *why)
{
	*page = (struct requests_page){ .why = why };
	page->split = requests_split(why->requests.found, &page->n_split);
	page->slowest = requests_slowest(why->requests.found, &page->n_slowest);
	page->counts = requests_count(why->requests.found);
	page->merged = page->counts.merged * 100 > page->counts.requests * MOST_MERGED;
	page->server = find_percentiles(page, false);
	page->client = find_percentiles(page, true);
	page->cut = base_alloc((page->n_split + 1) * sizeof(*page->cut));
	for (size_t i = 0; i < page->n_split; i++)
		if (page->split[i].n_parts)
			page->cut[page->n_cut++] = &page->split[i];
	if (page->n_cut)
		qsort(page->cut, page->n_cut, sizeof(*page->cut), by_ns);
	add_all(page);
	make_groups(page);
}

static void free_line(struct requests_line *line)
{
	if (line->held)
		free_line(line->held);
	free(line->held);
	vec_each(object, &line->objects) {
		free(object->name);
		free(object->processes.v);
	}
	free(line->objects.v);
	requests_ran_release(&line->ran);
}

void requests_page_free(struct requests_page *page)
{
	vec_each(line, &page->lines)
		free_line(line);
	vec_each(sum, &page->sums)
		free_line(sum);
	free(page->lines.v);
	free(page->sums.v);
	free(page->groups.v);
	set_release(&page->state_keys);
	vec_each(state, &page->states)
		free(state->who);
	free(page->states.v);
	free(page->cut);
}
