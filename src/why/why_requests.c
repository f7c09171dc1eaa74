// SPDX-License-Identifier: BSD-2-Clause
/*
 * --requests: which ports are the server's, and what the programs write of threads and connections, as requests.h wants
 * it.
 */
#include <bpf/bpf.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/report.h"
#include "bpf/request.h"
#include "bpf/ring.h"
#include "bpf/why_link.h"
#include "engine/batch.h"
#include "engine/filter.h"
#include "engine/stacks.h"
#include "kernel/kernel.h"
#include "requests_sums.h"
#include "waits.h"
#include "why_part.h"

/* Records of all processors have come so long after the rings are read; and connections are looked at so often. */
#define SETTLED_NS  (20 * NS_PER_MS)
#define LOOK_NS	    NS_PER_SEC
#define MOST_GROUPS 4096
#define PLACES_SIZE (REQUEST_PLACES * sizeof(struct request_cell))
/* An answer that went on for so long without a byte is over. */
#define QUIET_NS (2 * NS_PER_SEC)
/* With many connections, those of unix sockets are over that nobody has used for so long; or that are not answered. */
#define UNUSED_NS     (600 * NS_PER_SEC)
#define UNANSWERED_NS (3600 * NS_PER_SEC)
/* For whom others wait so long, its title is looked at. */
#define LONG_NS (20 * NS_PER_MS)
/* A thread leaves, is woken, and comes. */
#define HITS_OF_LINK 3
/* An exporter keeps no more for requests that last. */
#define EXPORTER_KEPT	 131072
#define EXPORTER_LONGEST (60 * NS_PER_SEC)

static int refuse(struct why *why, struct err *err, const char *text)
{
	why->instance->ctx->usage = true;
	return err_set(err, -EINVAL, "%s", text);
}

static bool of_requests(const struct why_settings *settings)
{
	return settings->port || settings->by || settings->slower || settings->first_byte ||
	       settings->chain != WHY_CHAIN_DEFAULT;
}

int why_requests_check(struct why *why, struct err *err)
{
	const struct filter *filter = &why->instance->filter;

	if (!why->requests.on)
		return of_requests(why->settings) ? refuse(why, err,
							   "--port, --by, --slower, --chain and --first-byte are of "
							   "--requests: give it, too")
						  : 0;
	if (why->settings->by_thread)
		return refuse(why, err, "--requests goes with no -t: --by thread is the table by thread");
	if (filter->by_tid || filter->by_uid || filter->by_comm)
		return refuse(why, err, "--requests is of whole processes: use --port, -p, --cgroup or a name");
	why->instance->schema = &why_requests_schema;
	return 0;
}

static void hand_out(const struct requests_done *done, void *ctx)
{
	why_export_request(ctx, done);
	why_record_request(ctx, done);
	why_flame_request(ctx, done);
}

/* A key at a stack stays what it is: the stack is looked up once, or now and then. */
static bool is_lock(uint32_t object, void *ctx)
{
	struct why *why = ctx;
	struct why_known_lock *known = &why->requests.known_locks[object % ARRAY_SIZE(why->requests.known_locks)];

	if (known->next != object + 1)
		*known = (struct why_known_lock){ object + 1, objects_lock_of(why, object) };
	return known->is_lock;
}

int why_requests_open(struct why *why, struct err *err)
{
	const struct requests_classes classes = {
		.rests = waits_for_work() & ~(1ULL << WHY_SLEEP | waits_with(WAITS_FOR_PEER)),
		.follows = WHY_FOLLOWS,
		.locks = WHY_LOCKS,
		.is_lock = is_lock,
		.ctx = why,
		.behind = WHY_NETWORK,
		.running = WHY_RUNNING,
		.unknown = WHY_UNKNOWN,
		.poll = WHY_POLL,
	};
	const bool exported = why->requests.export, drawn = why->settings->perfetto || why->stacks_source.keyed;
	/* an exporter has each one as it comes */
	const struct requests_limits limits = {
		.split = exported,
		.times = exported,
		.slowest = why->settings->worst,
		.slower = exported ? 0 : why->settings->slower * (uint64_t)NS_PER_MS,
		.first_byte = why->settings->first_byte,
		.deep = why->settings->chain,
		.kept = exported ? EXPORTER_KEPT : 0,
		.longest = exported ? EXPORTER_LONGEST : 0,
	};
	struct object *object = &why->progs.object;
	static const char *const maps[] = { "request_cells", "request_behinds", "request_peers", "request_names",
					    "request_joined" };
	int ret = 0;

	for (size_t i = 0; !why->requests.on && !ret && i < ARRAY_SIZE(maps); i++)
		ret = object_size_map(object, maps[i], 0, err);
	if (!why->requests.on)
		return ret;
	/* where a read of nothing is not seen */
	why->requests.no_recv = kernel_tracepoint_id("sock", "sock_recv_length") < 0;
	why->requests.found = requests_new(&classes, &limits);
	if (exported || drawn)
		requests_each(why->requests.found, hand_out, why, drawn);
	ret = object_size_value(object, ".data.request_places", PLACES_SIZE, err);
	if (!ret)
		ret = object_size_value(object, ".data.request_pairs", REQUEST_PLACES * sizeof(struct request_pair), err);
	return ret ? ret : object_size_value(object, ".data.request_ports", REQUEST_PORTS, err);
}

int why_requests_arm(struct why *why, struct err *err)
{
	struct why_requests *requests = &why->requests;

	(void)err;
	if (!requests->on)
		return 0;
	requests->shared = object_memory(&why->progs.object, ".data.requests", sizeof(*requests->shared));
	requests->looked_at = clock_monotonic_ns();
	/* whom the filter passes may work for those that read requests */
	if (why->instance->filter.any)
		memset(object_memory(&why->progs.object, ".data.request_serves", REQUEST_SERVES), 1, REQUEST_SERVES);
	why_requests_listen(why);
	return 0;
}

/* --- records --- */

static void add_link(struct why *why, uint32_t kind, const uint64_t *words, size_t n)
{
	struct why_link from = {};
	struct why_key behind = { .class = WHY_PROCESSOR };
	struct requests_link link;

	memcpy(&from, words, (n < WHY_LINK_STACK ? n : WHY_LINK_STACK) * sizeof(*words));
	link = (struct requests_link){
		.off_at = from.off_at,
		.woken_at = kind == WHY_LINK_WOKEN ? from.woken_at : from.off_at,
		.ran_at = from.ran_at,
		.tid = from.tid,
		.waker = kind == WHY_LINK_WOKEN ? from.waker : 0,
		.object = REQUESTS_NONE,
		.behind = REQUESTS_NONE,
		.class = from.class < WHY_CLASSES ? from.class : WHY_UNKNOWN,
		.ready_class = kind == WHY_LINK_READY && from.class == WHY_THROTTLED ? WHY_THROTTLED : WHY_PROCESSOR,
		.born = kind == WHY_LINK_BORN,
	};
	/* for weeks, there would be ever new ones */
	if (kind == WHY_LINK_WOKEN && !why->requests.export) {
		const struct why_key key = { .a = from.a, .b = from.b, .class = from.class, .call = from.call };

		link.object = objects_key_at(why, &key, from.stack);
		link.stack = from.stack;
	}
	memcpy(&behind.a, from.behind, sizeof(from.behind));
	/* it is its cgroup's quota that holds up a thread that is throttled, and nobody else */
	if (!link.born && link.ready_class != WHY_THROTTLED && n >= WHY_LINK_BEHIND && from.behind[0] &&
	    !why->requests.export)
		link.behind = objects_key_behind(why, &behind, (uint64_t)from.behind_tgid << 32 | from.behind_tid);
	requests_behind_met(why, link.behind == REQUESTS_NONE ? 0 : from.behind_tgid, link.ran_at);
	requests_behind_met(why, why->requests.export ? 0 : link.waker, link.woken_at);
	if (link.born)
		titles_born(&why->requests.titles, link.tid);
	if (kind == WHY_LINK_WOKEN && link.waker && WHY_FOLLOWS >> link.class & 1 && link.woken_at > link.off_at + LONG_NS &&
	    !why->requests.export)
		titles_waited(&why->requests.titles, link.waker, link.off_at, link.woken_at,
			      WHY_LOCKS >> link.class & 1 || (link.object != REQUESTS_NONE && is_lock(link.object, why)));
	requests_add_link(why->requests.found, &link);
}

uint32_t why_requests_bare(struct why *why, struct why_client client)
{
	/* a process at a unix socket is named by its id */
	if (client.version != REQUEST_UNIX)
		client.port = 0;
	return set_add_most(&why->requests.clients, &client, sizeof(client), 2 * WHY_CLIENTS);
}

/* The client of a connection. Of too many, the address alone is kept. */
static uint32_t client_of(struct why *why, const struct request_event *event)
{
	struct why_client client = { .version = event->version, .port = event->client_port };
	uint32_t number;

	memcpy(client.address, event->client, sizeof(client.address));
	if (event->version == REQUEST_UNIX)
		client.port = event->client_pid;
	number = set_add_most(&why->requests.clients, &client, sizeof(client), WHY_CLIENTS);
	return number == SET_NONE ? why_requests_bare(why, client) : number;
}

/* A server at a unix socket has a name in place of an address. */
static uint32_t server_of(struct why *why, const struct request_event *event)
{
	struct why_client server = { .version = WHY_UNIX_NAME };

	if (event->version != REQUEST_UNIX)
		return client_of(why, event);
	memcpy(server.address, &event->name, sizeof(event->name));
	return set_add_most(&why->requests.clients, &server, sizeof(server), 2 * WHY_CLIENTS);
}

/* Where the server listens. */
static uint32_t place_of(struct why *why, const struct request_event *event)
{
	struct why_client place = { .version = WHY_PORT, .port = event->port };

	if (event->version == REQUEST_UNIX) {
		place = (struct why_client){ .version = WHY_UNIX_NAME };
		memcpy(place.address, &event->name, sizeof(event->name));
	}
	return set_add_most(&why->requests.clients, &place, sizeof(place), 2 * WHY_CLIENTS);
}

/* What --by puts a request into. */
static uint32_t group_of(struct why *why, const struct request_event *event)
{
	struct why_client group = { .version = event->version };

	switch (why->settings->by) {
	case WHY_BY_PEER:
		memcpy(group.address, event->client, sizeof(group.address));
		break;
	case WHY_BY_PORT:
		group.version = event->version == REQUEST_UNIX ? WHY_UNIX_NAME : WHY_PORT;
		group.port = event->version == REQUEST_UNIX ? 0 : event->port;
		memcpy(group.address, &event->name, sizeof(event->name));
		break;
	case WHY_BY_THREAD:
		group.version = WHY_TID;
		group.port = event->tid;
		break;
	default:
		return REQUESTS_NONE;
	}
	return set_add_most(&why->requests.groups, &group, sizeof(group), MOST_GROUPS);
}

static void add_event(struct why *why, uint32_t kind, const uint64_t *words, size_t n)
{
	static const uint8_t kinds[] = {
		[WHY_LINK_READ] = REQUESTS_READ,
		[WHY_LINK_SEND] = REQUESTS_SEND,
		[WHY_LINK_DIAL] = REQUESTS_DIAL,
		[WHY_LINK_ASK] = REQUESTS_ASK,
		[WHY_LINK_GET] = REQUESTS_GET,
		[WHY_LINK_DONE] = REQUESTS_DONE,
	};
	struct request_event from = {};
	struct requests_event event;

	memcpy(&from, words, (n < REQUEST_WHOLE ? n : REQUEST_WHOLE) * sizeof(*words));
	event = (struct requests_event){
		.time = from.time,
		.sock = from.sock,
		.birth = from.birth,
		.arrived = from.arrived,
		.sent_at = from.sent_at,
		.client_at = from.client_at,
		.tid = from.tid,
		.round = from.round,
		.merged = from.merged,
		.from = REQUESTS_NONE,
		.group = REQUESTS_NONE,
		.at = REQUESTS_NONE,
		.kind = kinds[kind],
	};
	if (kind == WHY_LINK_DONE && why->requests.export) {
		event.at = place_of(why, &from);
	} else if (kind == WHY_LINK_DONE) {
		event.from = client_of(why, &from);
		event.group = group_of(why, &from);
		event.at = place_of(why, &from);
	} else if (kind == WHY_LINK_GET) {
		if (!why->requests.export)
			event.from = server_of(why, &from);
		event.there = (struct requests_there){ from.there, from.there_birth, from.round };
	} else if (kind == WHY_LINK_READ) {
		event.aside = from.merged;
		if (!why->requests.export)
			titles_seen(&why->requests.titles, event.tid);
	}
	requests_add_event(why->requests.found, &event);
}

static void add_sample(struct why *why, const uint64_t *words, size_t n)
{
	struct requests_sample sample = { .object = REQUESTS_NONE };
	struct why_sample from = {};

	memcpy(&from, words, (n < WHY_SAMPLE_WORDS ? n : WHY_SAMPLE_WORDS) * sizeof(*words));
	sample.time = from.time;
	sample.tid = from.tid;
	sample.stack = from.stack;
	sample.object = objects_key_ran(why, from.stack);
	requests_add_sample(why->requests.found, &sample);
}

void why_requests_add(struct why *why, uint32_t kind, const uint64_t *words, size_t n)
{
	if (!why->requests.on || !n)
		return;
	if (kind >= WHY_LINK_WOKEN && kind <= WHY_LINK_BORN) {
		why->requests.hits += HITS_OF_LINK;
		add_link(why, kind, words, n);
	} else if (kind >= WHY_LINK_READ && kind <= WHY_LINK_DONE) {
		why->requests.hits++;
		add_event(why, kind, words, n);
	} else if (kind == WHY_LINK_SAMPLE) {
		add_sample(why, words, n);
	}
}

/* What was lost was written since the rings were last read. */
void why_requests_lost(struct why *why, size_t ring)
{
	(void)ring;
	if (why->requests.on)
		requests_add_loss(why->requests.found,
				  why->requests.lost_from > SETTLED_NS ? why->requests.lost_from - SETTLED_NS : 0,
				  clock_monotonic_ns());
}

void why_requests_add_wait(struct why *why, const struct why_thread *thread, uint64_t now)
{
	const bool sleeps = thread->state == WHY_IS_ASLEEP;
	struct requests_link link = {
		.off_at = thread->since,
		.woken_at = sleeps && thread->woken > thread->since ? thread->woken : sleeps ? now
											     : thread->since,
		.ran_at = now,
		.tid = thread->tid,
		.object = REQUESTS_NONE,
		.behind = REQUESTS_NONE,
		.stack = sleeps ? thread->stack : 0,
		.class = thread->key.class < WHY_CLASSES ? thread->key.class : WHY_UNKNOWN,
		.ready_class = thread->throttled ? WHY_THROTTLED : WHY_PROCESSOR,
	};

	if (why->requests.on && thread->state != WHY_IS_RUNNING)
		requests_add_link(why->requests.found, &link);
}

/* --- connections whose next request does not come --- */

struct look {
	struct why *why;
	uint64_t before; /* the last send */
	uint64_t now;
	size_t cells;
	uint64_t unread;      /* when the first one has arrived that is not read yet */
	vec(uint64_t) unused; /* unix sockets */
};

/* Where both ends close without a read, a unix socket shows no end. What comes on it is a new connection. */
static bool is_unused(const struct request_cell *cell, uint64_t now)
{
	const uint64_t times[] = { cell->birth, cell->arrived, cell->sent_at, cell->client_at };
	const bool waits = cell->state != REQUEST_IDLE && cell->answered != cell->round;
	const uint64_t ns = waits ? UNANSWERED_NS : UNUSED_NS;

	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		if (times[i] + ns > now)
			return false;
	return cell->version == REQUEST_UNIX;
}

static void look_at(const void *key, const void *value, void *ctx)
{
	const struct request_cell *cell = value;
	struct look *look = ctx;
	struct request_event event = {
		.time = look->now,
		.birth = cell->birth,
		.arrived = cell->arrived,
		.sent_at = cell->sent_at,
		.client_at = cell->client_at,
		.tid = cell->sender,
		.tgid = cell->sender_tgid,
		.round = cell->round,
		.merged = cell->merged,
		.name = cell->version == REQUEST_UNIX ? cell->name : 0,
		.client_pid = cell->client_pid, /* or both ports */
		.version = cell->version,
	};

	look->cells++;
	if (cell->state == REQUEST_ARRIVED && cell->arrived && cell->arrived < look->unread)
		look->unread = cell->arrived;
	if (is_unused(cell, look->now))
		*vec_push(&look->unused) = *(const uint64_t *)key;
	memcpy(&event.sock, key, sizeof(event.sock));
	memcpy(event.client, cell->client, sizeof(event.client));
	if (cell->state == REQUEST_READ && cell->arrived && cell->answered == cell->round &&
	    cell->sent_at <= look->before)
		add_event(look->why, WHY_LINK_DONE, (const void *)&event, REQUEST_WHOLE);
	/* the last one of its connection, if tracing ends: no program counts it any more */
	if (cell->state == REQUEST_READ && !cell->arrived && look->now == UINT64_MAX)
		look->why->requests.shared->in_midst++;
}

/* By then, another connection may have the address: it is counted as one that was not seen from its begin. */
static void forget_unused(struct why *why, const struct look *look, struct request_cell *places, int cells)
{
	for (size_t i = 0; i < REQUEST_PLACES; i++)
		if (places[i].sock && is_unused(&places[i], look->now))
			__atomic_store_n(&places[i].sock, 0, __ATOMIC_RELAXED);
	vec_each(sock, &look->unused)
		if (!bpf_map_delete_elem(cells, sock))
			__atomic_sub_fetch(&why->requests.shared->hashed, 1, __ATOMIC_RELAXED);
}

/* Those that have sent nothing since `before` have answered. */
static void look(struct why *why, uint64_t before, uint64_t now)
{
	const struct batch_map map = {
		.fd = object_map_fd(&why->progs.object, "request_cells"),
		.max = REQUEST_CELLS,
		.key_size = sizeof(uint64_t),
		.value_size = sizeof(struct request_cell),
	};
	struct request_cell *places = object_memory(&why->progs.object, ".data.request_places", PLACES_SIZE);
	struct look look = { .why = why, .before = before, .now = now, .unread = UINT64_MAX };

	for (size_t i = 0; i < REQUEST_PLACES; i++) {
		const struct request_cell cell = places[i];

		if (cell.sock)
			look_at(&cell.sock, &cell, &look);
	}
	batch_read(&map, look_at, &look);
	requests_keep_since(why->requests.found, look.unread);
	if (look.cells > REQUEST_CELLS / 2 && now != UINT64_MAX)
		forget_unused(why, &look, places, map.fd);
	free(look.unused.v);
}

/* --- after a pause of the exporter --- */

/* Nobody writes to it. A key is a number. */
static void clear(struct why *why, const char *map)
{
	const int fd = object_map_fd(&why->progs.object, map);
	uint64_t key = 0;

	while (!bpf_map_get_next_key(fd, NULL, &key) && !bpf_map_delete_elem(fd, &key))
		;
}

/*
 * What threads and connections did meanwhile is not known: requests that had begun have no end, threads and connections
 * are new. Ports and names stay.
 */
int why_requests_forget(void *instance)
{
	static const char *const maps[] = { "request_cells", "request_peers", "request_behinds", "request_joined",
					    "why_more" };
	struct why *why = ((struct engine_instance *)instance)->state;
	const size_t size = WHY_THREADS * sizeof(struct why_thread);
	const uint64_t now = clock_monotonic_ns();

	if (!why->requests.on)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++)
		clear(why, maps[i]);
	memset(object_memory(&why->progs.object, ".data.why_threads", size), 0, size);
	memset(object_memory(&why->progs.object, ".data.request_places", PLACES_SIZE), 0, PLACES_SIZE);
	why->shared->hashed = 0;
	why->requests.shared->behind = why->requests.shared->hashed = 0;
	requests_add_loss(why->requests.found, 0, now);
	__atomic_store_n(&why->shared->armed, now, __ATOMIC_RELEASE);
	return 0;
}

static void follow(const void *tgid, const void *value, void *ctx)
{
	struct why *why = ctx;

	(void)value;
	stacks_add_process(why->stacks, *(const uint32_t *)tgid);
}

/* Stacks are of the processes that the filter passes, and of those that have joined them. */
static void follow_joined(struct why *why)
{
	const struct request_chain *chain =
		object_memory(&why->progs.object, ".data.request_chain", sizeof(*chain));
	const uint64_t joined = __atomic_load_n(&chain->joined, __ATOMIC_RELAXED);
	const struct batch_map map = {
		.fd = object_map_fd(&why->progs.object, "request_joined"),
		.max = REQUEST_JOINED,
		.key_size = sizeof(uint32_t),
		.value_size = sizeof(uint8_t),
	};

	if (why->settings->without_stacks || joined == why->requests.joined)
		return;
	why->requests.joined = joined;
	batch_read(&map, follow, why);
}

void why_requests_take(struct why *why)
{
	struct why_requests *requests = &why->requests;
	const uint64_t now = requests->on ? clock_monotonic_ns() : 0;

	if (!requests->on)
		return;
	if (requests->read_at > SETTLED_NS)
		requests_settle(requests->found, requests->read_at - SETTLED_NS);
	why_record_requests(why);
	follow_joined(why);
	titles_look(&requests->titles, now);
	requests->lost_from = requests->read_at;
	requests->read_at = now;
	if (now < requests->looked_at + LOOK_NS)
		return;
	requests->looked_at = now;
	look(why, now - QUIET_NS, now);
}

void why_requests_finish(struct why *why)
{
	if (!why->requests.on)
		return;
	why_path_take(why);
	look(why, UINT64_MAX, UINT64_MAX);
	why_record_run(why, 0, 0, 0);
	requests_settle(why->requests.found, UINT64_MAX);
	why_record_requests(why);
}

static void say(uint64_t n, const char *what, const char *why_not)
{
	if (n)
		report_note("%llu %s%s %s", (unsigned long long)n, what, str_plural(n), why_not);
}

void why_requests_losses(const struct why *why)
{
	const struct why_requests *requests = &why->requests;
	const struct request_chain *chain;
	struct requests_counts counts;
	size_t kept;

	if (!requests->on || !requests->shared)
		return;
	counts = requests_count(requests->found);
	if (!why_requests_listens(why))
		report_note("no measured process listens at a TCP port or a unix socket: there are no requests to find; "
			    "--port N names one");
	say(why->path.lost, "record", "lost: the ring buffers were full; what happened meanwhile is missing");
	say(counts.not_cut, "request", "counted, but not split: records were lost, or they lasted too long");
	say(requests->undrawn, "step", "drawn without thread and stack: more are different than can be kept");
	if (requests->groups.n >= MOST_GROUPS)
		report_note("more than %u lines by --by: others are missing", MOST_GROUPS);
	say(counts.not_named, "step", "without who held it up: more are different than can be kept");
	say(why->path.no_stack, "wait", "without its stack: the names of locks may be missing");
	requests_times(requests->found, &kept);
	if (kept < counts.requests)
		report_note("percentiles are of a sample of %zu requests", kept);
	requests_split(requests->found, &kept);
	if (kept < counts.slower)
		report_note("where time goes is of a sample of %zu requests", kept);
	say(counts.unanswered, "request", "not measured: read, but not answered when its connection or tracing ended");
	if (requests->shared->no_room)
		report_note("more than %u connections at a time: requests of others are missing", REQUEST_CELLS);
	if (requests->shared->no_peer)
		report_note("more than %u clients at a time: the view of others is missing", REQUEST_CELLS);
	if (requests->shared->no_name)
		report_note("more than %u names of unix sockets: those of others are missing", REQUEST_NAMES);
	chain = object_memory(&why->progs.object, ".data.request_chain", sizeof(*chain));
	if (chain->no_room)
		report_note("more than %u processes behind: others are not gone into", REQUEST_JOINED);
	say(requests->shared->in_midst, "request", "left out: it had begun before tracing, or before its connection was seen");
}

void why_requests_release(struct why *why)
{
	why_export_release(why);
	requests_free(why->requests.found);
	set_release(&why->requests.clients);
	set_release(&why->requests.groups);
	set_release(&why->requests.drawn);
	free(why->requests.drawn_ns.v);
	set_release(&why->requests.name_keys);
	vec_each(name, &why->requests.names)
		free(*name);
	free(why->requests.names.v);
	vec_each(held, &why->requests.held)
		free(held->who);
	free(why->requests.held.v);
	titles_release(&why->requests.titles);
	set_release(&why->requests.met);
	free(why->requests.met_at.v);
}
