// SPDX-License-Identifier: BSD-2-Clause
/*
 * Learns where probed functions hand their calls over to by pointers. gate.c notes each address in a map; here its file is
 * found by the mappings of the process, and the ends of the function there are probed from then on, for the calls that
 * were handed over. What cannot be found stays counted in the map.
 *
 * A process can jump to as many places as it wants. So all that it costs us has shares by users.
 */
#include <signal.h>

#include "base/clock.h"
#include "base/report.h"
#include "learn.h"
#include "mechanism.h"

/* How often to look for new addresses. */
#define LOOK_MS 50

/* So many users are named that found no room. */
#define NAMED_MAX 4

/* ENDS_MAX of learn_places.c in all; each costs a perf event on old kernels, and time at the end. */
static const struct shares_limit limits[] = {
	[LEARN_TIME] = { NS_PER_SEC, 2 * NS_PER_SEC, .time = true },
	[LEARN_PLACES] = { 1024, 2048 },
};

struct lead {
	struct gate_lead at;
	struct gate_calls calls;
	uint64_t used; /* new ones: how much time the user has taken */
};

struct leads {
	vec(struct lead);
};

void learn_init(struct learned *learned, bool alone)
{
	shares_init(&learned->shares, limits, alone);
}

/* Where the place was probed before, the calls were seen. */
static void learn(struct attach *attach, struct lead *lead)
{
	struct learn_code code = { .address = lead->at.address, .pid = (pid_t)lead->at.pid };
	struct gate_calls calls;
	bool was;

	if (learn_find_code(&code))
		return;
	if (learn_place(attach, &lead->at, (uid_t)lead->calls.uid, &code, &was) &&
	    !bpf_map_lookup_elem(attach->gates.leads, &lead->at, &calls)) {
		calls.n = was ? GATE_LEARNED : calls.n | GATE_LEARNED;
		bpf_map_update_elem(attach->gates.leads, &lead->at, &calls, BPF_EXIST);
		report_verbose("learned where a call of %s goes on, in process %u", learn_label(attach, lead->at.slot),
			       lead->at.pid);
	}
	close(code.file.fd);
	free(code.file.root);
}

/* All that are in the map, which the caller frees. */
static struct leads read_leads(const struct attach *attach)
{
	uint32_t n = GATE_LEADS_MAX, at;
	struct gate_lead none;
	__free struct gate_lead *keys = NULL;
	__free struct gate_calls *values = NULL;
	struct leads leads = {};

	if (!attach->gates.leads || bpf_map_get_next_key(attach->gates.leads, NULL, &none))
		return leads;
	keys = base_alloc(n * sizeof(*keys));
	values = base_alloc(n * sizeof(*values));
	/* the whole map: -ENOENT says that nothing follows */
	if (bpf_map_lookup_batch(attach->gates.leads, NULL, &at, keys, values, &n, NULL) && errno != ENOENT)
		return leads;
	for (uint32_t i = 0; i < n; i++)
		*vec_push(&leads) = (struct lead){ keys[i], values[i], 0 };
	return leads;
}

static bool is_known(const struct learned *learned, const struct lead *lead)
{
	return set_find(&learned->leads, &lead->at, sizeof(lead->at)) != SET_NONE;
}

/* Forgets those that are in the map no longer. */
static void keep_known(struct learned *learned, const struct leads *leads)
{
	struct set known = {};

	if (learned->leads.n <= leads->n)
		return;
	vec_each(lead, leads)
		if (is_known(learned, lead))
			set_add(&known, &lead->at, sizeof(lead->at));
	set_release(&learned->leads);
	learned->leads = known;
}

static int by_used(const void *pa, const void *pb)
{
	const struct lead *a = pa, *b = pb;

	return (a->used > b->used) - (a->used < b->used);
}

/* First those of users who have taken the least time. Returns whether there were any. */
static bool learn_new(struct attach *attach, const struct leads *leads, uint64_t until)
{
	struct learned *learned = &attach->learned;
	struct leads fresh = {};

	vec_each(lead, leads) {
		uid_t uid = (uid_t)lead->calls.uid;

		if (!is_known(learned, lead) && shares_left(&learned->shares, uid, LEARN_TIME)) {
			lead->used = shares_used(&learned->shares, uid, LEARN_TIME);
			*vec_push(&fresh) = *lead;
		}
	}
	if (fresh.n)
		qsort(fresh.v, fresh.n, sizeof(*fresh.v), by_used);
	vec_each(lead, &fresh) {
		uint64_t began = clock_monotonic_ns();

		if (began > until || !shares_left(&learned->shares, (uid_t)lead->calls.uid, LEARN_TIME))
			continue;
		set_add(&learned->leads, &lead->at, sizeof(lead->at));
		learn(attach, lead);
		shares_take(&learned->shares, (uid_t)lead->calls.uid, LEARN_TIME, clock_monotonic_ns() - began);
	}
	free(fresh.v);
	return fresh.n;
}

/* Removes what is known of processes that have ended. */
static void forget_ended(struct attach *attach, struct leads *leads)
{
	struct set pids = {};
	struct {
		vec(bool);
	} ended = {};
	size_t n = 0;

	vec_each(lead, leads) {
		uint32_t number = set_add(&pids, &lead->at.pid, sizeof(lead->at.pid));

		if (number == ended.n)
			*vec_push(&ended) = kill((pid_t)lead->at.pid, 0) && errno == ESRCH;
		if (!ended.v[number]) {
			leads->v[n++] = *lead;
			continue;
		}
		/* it may have made calls since the map was read */
		if (!bpf_map_lookup_elem(attach->gates.leads, &lead->at, &lead->calls))
			attach->learned.unlearned += lead->calls.n & ~GATE_LEARNED;
		bpf_map_delete_elem(attach->gates.leads, &lead->at);
	}
	leads->n = n;
	set_release(&pids);
	free(ended.v);
}

/* How many leads each user has, by the number of the user in a set. */
struct tally {
	struct set uids;
	vec(uint32_t);
};

static void tally_add(struct tally *tally, uint32_t uid)
{
	uint32_t number = set_add(&tally->uids, &uid, sizeof(uid));

	if (number == tally->n)
		*vec_push(tally) = 0;
	tally->v[number]++;
}

static void tally_count(struct tally *tally, const struct leads *leads)
{
	vec_each(lead, leads) {
		if (!lead->calls.uid)
			continue;
		tally_add(tally, (uint32_t)lead->calls.uid);
		tally_add(tally, GATE_ALL_USERS);
	}
}

static void report_full(struct learned *learned, const struct tally *tally, size_t leads)
{
	for (size_t i = 0; i < tally->n; i++) {
		uint32_t uid;

		memcpy(&uid, tally->uids.v[i].bytes, sizeof(uid));
		if (tally->v[i] < (uid == GATE_ALL_USERS ? GATE_LEADS_OF_ALL : GATE_LEADS_OF_ONE) ||
		    !shares_refuse(&learned->shares, uid, LEARN_NO_LEAD, NULL) || learned->named++ >= NAMED_MAX)
			continue;
		if (uid == GATE_ALL_USERS)
			report_note("returns are missing: programs of all users but root jump by pointers to more than %u places",
				    GATE_LEADS_OF_ALL);
		else
			report_note("returns are missing: programs of user %u jump by pointers to more than %u places", uid,
				    GATE_LEADS_OF_ONE);
	}
	if (leads < GATE_LEADS_MAX || learned->was_full)
		return;
	report_note("returns are missing: pointers lead to more than %u places", GATE_LEADS_MAX);
	learned->was_full = true;
}

/* Writes into the map of users how many leads they have now. */
static void correct_users(const struct attach *attach, const struct tally *tally)
{
	int map = attach->gates.users;
	uint32_t keys[GATE_USERS_MAX], n = 0;
	uint64_t zero = 0;

	while (map && n < GATE_USERS_MAX && !bpf_map_get_next_key(map, n ? &keys[n - 1] : NULL, &keys[n]))
		n++;
	while (n--) {
		uint32_t number = set_find(&tally->uids, &keys[n], sizeof(keys[n]));
		uint64_t leads = number == SET_NONE ? zero : tally->v[number];

		if (keys[n] == GATE_LOST_CALLS)
			continue;
		if (leads)
			bpf_map_update_elem(map, &keys[n], &leads, BPF_EXIST);
		else
			bpf_map_delete_elem(map, &keys[n]);
	}
}

static void make_room(struct attach *attach, struct leads *leads)
{
	struct tally tally = {};
	size_t before = leads->n;

	if (before < GATE_LEADS_OF_ONE)
		return;
	tally_count(&tally, leads);
	report_full(&attach->learned, &tally, before);
	set_release(&tally.uids);
	tally.n = 0;
	forget_ended(attach, leads);
	tally_count(&tally, leads);
	correct_users(attach, &tally);
	set_release(&tally.uids);
	free(tally.v);
}

int attach_learn(struct attach *attach, uint64_t until)
{
	struct learned *learned = &attach->learned;
	uint64_t now = clock_monotonic_ns();
	struct leads leads;

	if (!attach->gates.leads || attach->pauses.paused)
		return INT_MAX;
	if (now < learned->next)
		return (learned->next - now) / NS_PER_MS + 1;
	if (now > until)
		return LOOK_MS;
	leads = read_leads(attach);
	keep_known(learned, &leads);
	if (!learn_new(attach, &leads, until))
		learn_files_release(learned);
	make_room(attach, &leads);
	free(leads.v);
	learned->next = clock_monotonic_ns() + LOOK_MS * NS_PER_MS;
	return LOOK_MS;
}

uint64_t attach_unlearned(struct attach *attach)
{
	struct leads leads = read_leads(attach);
	uint32_t key = GATE_LOST_CALLS;
	uint64_t sum = attach->learned.unlearned, lost;

	vec_each(lead, &leads)
		sum += lead->calls.n & ~GATE_LEARNED;
	free(leads.v);
	return attach->gates.users && !bpf_map_lookup_elem(attach->gates.users, &key, &lost) ? sum + lost : sum;
}

static void release(struct learned *learned)
{
	set_release(&learned->leads);
	learn_places_release(learned);
	learn_files_release(learned);
}

void learn_forget(struct attach *attach)
{
	struct leads leads = read_leads(attach);
	struct tally none = {};

	vec_each(lead, &leads) {
		attach->learned.unlearned += lead->calls.n & ~GATE_LEARNED;
		bpf_map_delete_elem(attach->gates.leads, &lead->at);
	}
	free(leads.v);
	correct_users(attach, &none);
	release(&attach->learned);
}

void learn_release(struct learned *learned)
{
	release(learned);
	shares_release(&learned->shares);
}
