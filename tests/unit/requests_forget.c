// SPDX-License-Identifier: BSD-2-Clause
/* Requests of random histories, and that what is forgotten was not needed. */
#include "requests_fixture.h"

#define MS 1000000ULL

/* One request is never answered; others are, while a thread switches 100 times in each of so many 10 ms. */
static void stuck(const struct requests_limits *limits, size_t most_kept)
{
	struct requests *requests = begin_with(limits);
	uint64_t at = MS, most = 0;

	reads(requests, 9, 1, at, 9, at);
	for (uint32_t round = 1; round <= 20000; round++) {
		at += MS;
		reads(requests, 1, round, at, 7, at + 100);
		sleeps(requests, 7, DISK, at + 200, 0, at + 300, at + 300);
		sends(requests, 1, round, at, 7, at + 400, at + 400, at + 500);
		for (int i = 0; i < 100; i++) {
			at += MS / 20;
			sleeps(requests, 8, POLL, at, 0, at + 10, at + 20);
		}
		requests_settle(requests, at);
		most = requests->kept > most ? requests->kept : most;
	}
	cr_assert_leq(most, most_kept, "%lu are kept", most);
	cr_assert_eq(requests_count(requests).requests, 20000);
	cr_assert_eq(requests_count(requests).not_cut, 0, "%lu not cut", requests_count(requests).not_cut);
	cr_assert_eq(requests_count(requests).unanswered, 1);
	expect(requests, 19999, "own running of 7 300, own disk of 7 100");
	requests_free(requests);
}

/* Of 2 million switches, those of 2 s and a bit are kept. */
Test(requests, one_is_too_old)
{
	stuck(&(struct requests_limits){ .longest = 5000 * MS }, 150000);
}

/* Without a longest one, there is room for so many only. */
Test(requests, no_room)
{
	stuck(&(struct requests_limits){ .kept = 20000 }, 20200);
}

/* A request is read long after it has arrived, and is known only then. What its thread did before is still there. */
Test(requests, read_late)
{
	struct requests *requests = begin();
	uint64_t at = 10000 * MS, arrived = at;

	for (int i = 0; i < 150; i++) {
		at += 10 * MS;
		sleeps(requests, 7, DISK, at - 5 * MS, 0, at, at);
		requests_settle(requests, at);
	}
	reads(requests, 1, 1, arrived, 7, at + MS);
	sends(requests, 1, 1, arrived, 7, at + 2 * MS, at + 2 * MS, at + 3 * MS);
	requests_settle(requests, at + 4 * MS);
	expect(requests, 0, "own running of 7 752000000, own disk of 7 750000000");
	requests_free(requests);
}

/* One that is known to have been read, although that time has not come. */
Test(requests, is_read_later)
{
	struct requests *requests = begin();
	uint64_t at = 10000 * MS, arrived = at;

	reads(requests, 1, 1, arrived, 7, at + 5001 * MS);
	for (int i = 0; i < 500; i++) {
		at += 10 * MS;
		sleeps(requests, 7, DISK, at - 5 * MS, 0, at, at);
		requests_settle(requests, at);
	}
	sends(requests, 1, 1, arrived, 7, at + 2 * MS, at + 2 * MS, at + 3 * MS);
	requests_settle(requests, at + 4 * MS);
	expect(requests, 0, "own running of 7 2502000000, own disk of 7 2500000000");
	requests_free(requests);
}

/* A request that is read 5 s after it has arrived. Somebody has looked after one second, or nobody has. */
static struct requests *read_too_late(bool is_seen)
{
	struct requests *requests = begin();
	uint64_t at = 10000 * MS, arrived = at;

	for (int i = 0; i < 500; i++) {
		at += 10 * MS;
		if (is_seen && i == 100)
			requests_keep_since(requests, arrived);
		sleeps(requests, 7, DISK, at - 5 * MS, 0, at, at);
		requests_settle(requests, at);
	}
	reads(requests, 1, 1, arrived, 7, at + MS);
	sends(requests, 1, 1, arrived, 7, at + 2 * MS, at + 2 * MS, at + 3 * MS);
	requests_settle(requests, at + 4 * MS);
	return requests;
}

/* What its thread did is forgotten: it is counted, and has no parts. */
Test(requests, read_too_late)
{
	struct requests *requests = read_too_late(false);
	const struct requests_request *all;
	size_t n;

	all = requests_split(requests, &n);
	cr_assert_eq(n, 1);
	cr_assert_eq(all[0].ns, 5002 * MS);
	cr_assert_eq(all[0].n_parts, 0);
	cr_assert_eq(requests_count(requests).not_cut, 1);
	requests_free(requests);
}

Test(requests, is_not_read_yet)
{
	struct requests *requests = read_too_late(true);

	expect(requests, 0, "own running of 7 2502000000, own disk of 7 2500000000");
	cr_assert_eq(requests_count(requests).not_cut, 0);
	requests_free(requests);
}

/* Ever new sockets, at both sides, as an exporter sees them: the longest request is one of a minute. */
Test(requests, new_sockets)
{
	struct requests *requests = begin_with(&(struct requests_limits){ .longest = 60000 * MS });
	uint64_t at = 10000 * MS;
	const uint32_t n = 100000;

	for (uint32_t i = 1; i <= n; i++) {
		at += 100 * MS;
		reads(requests, i, 1, at, 7, at + 100);
		behind(requests, REQUESTS_ASK, n + i, 7, at + 110, 0);
		behind(requests, REQUESTS_GET, n + i, 7, at + 130, at + 120);
		sends(requests, i, 1, at, 7, at + 140, at + 140, at + 150);
		/* every 100th is never answered */
		if (i % 100 == 0)
			reads(requests, i, 2, at + 200, 7, at + 210);
		requests_settle(requests, at + 300);
	}
	/* those of 10 minutes, and of one hour */
	cr_assert_leq(requests->connections.n + requests->behinds.n, 16500, "%zu", requests->connections.n);
	cr_assert_eq(requests->socks.n, requests->connections.n);
	cr_assert_eq(requests->behind_socks.n, requests->behinds.n);
	cr_assert_eq(requests_count(requests).requests, n);
	cr_assert_eq(requests_count(requests).connections, n);
	cr_assert_eq(requests_count(requests).unanswered, n / 100);
	requests_free(requests);
}

/* --- random histories --- */

#define THREADS	    5
#define CONNECTIONS 8
#define STEPS	    3000

static uint64_t some(unsigned int *seed, unsigned int most)
{
	return rand_r(seed) % (most + 1);
}

/* Each thread switches at random, also with clocks that do not agree. */
static void add_threads(struct requests *requests, unsigned int *seed, uint64_t end)
{
	for (uint32_t tid = 1; tid <= THREADS; tid++) {
		for (uint64_t at = some(seed, 100); at < end;) {
			uint64_t off_at = at + some(seed, 50), woken_at = off_at + some(seed, 50);
			uint64_t ran_at = woken_at + some(seed, 20);

			if (some(seed, 50) == 0)
				woken_at -= some(seed, 30) < woken_at ? 3 : 0;
			sleeps(requests, tid, some(seed, 3) ? DISK + some(seed, 2) : LOCK, off_at, some(seed, THREADS),
			       woken_at, ran_at);
			at = ran_at;
		}
	}
}

static uint64_t deep; /* requests that are parts of others */

struct handed_out {
	uint64_t requests, inner, asked;
};

/* Each one comes once, and its steps follow each other from its begin to its end. */
static void check_steps(const struct requests_done *done, void *ctx)
{
	struct handed_out *out = ctx;
	uint64_t at = done->arrived, sum = 0;

	out->requests += !done->inner;
	out->inner += done->inner;
	out->asked += done->n_asked;
	cr_assert(done->n_steps && done->arrived <= done->read_at && done->read_at <= done->ended);
	for (size_t i = 0; i < done->n_steps; i++) {
		cr_assert_eq(done->steps[i].from, at, "step %zu of request %lu", i, done->number);
		cr_assert_gt(done->steps[i].to, at);
		at = done->steps[i].to;
	}
	cr_assert_eq(at, done->ended);
	for (size_t i = 0; i < done->n_parts; i++)
		sum += done->parts[i].ns;
	cr_assert_eq(sum, done->ended - done->arrived);
}

/* Sockets get other addresses now and then, and the first ones again. */
static uint64_t sock_of(uint64_t connection, uint32_t round)
{
	return connection + round / 50 % 3 * CONNECTIONS;
}

/* forgets: now and then, all that nobody needs. Returns how many requests there are. */
static uint64_t add_random(struct requests *requests, unsigned int seed, bool forgets)
{
	uint64_t at[CONNECTIONS + 1] = {}, end = 0, wanted = 0, settled = 0;

	for (uint32_t round = 1; round <= STEPS / CONNECTIONS; round++) {
		for (uint64_t i = 1; i <= CONNECTIONS; i++) {
			uint64_t arrived = at[i] + 1 + some(&seed, 60), read = arrived + some(&seed, 60);
			uint64_t first = read + some(&seed, 90), last = first + some(&seed, 1) * some(&seed, 40);

			reads(requests, sock_of(i, round), round, arrived, 1 + some(&seed, THREADS - 1), read);
			at[i] = last + 1 + some(&seed, 30);
			if (some(&seed, 1))
				behind(requests, REQUESTS_ASK, sock_of(some(&seed, 5), round),
				       1 + some(&seed, THREADS - 1), read + some(&seed, 40), 0);
			if (some(&seed, 1))
				gets(requests, sock_of(some(&seed, 5), round), 1 + some(&seed, THREADS - 1),
				     read + some(&seed, 90), read + some(&seed, 90),
				     sock_of(some(&seed, CONNECTIONS), round), round - some(&seed, 1));
			sends(requests, sock_of(i, round), round, arrived, 1 + some(&seed, THREADS - 1), first, last,
			      at[i]);
			end = at[i] > end ? at[i] : end;
			wanted++;
		}
	}
	add_threads(requests, &seed, end);
	while (settled < end) {
		requests_settle(requests, (settled += 1 + some(&seed, 500)) * unit);
		if (forgets && some(&seed, 3) == 0)
			requests_forget_connections(requests, UINT64_MAX, 0);
	}
	requests_settle(requests, UINT64_MAX);
	return wanted;
}

/* Whatever threads did, and whoever reads and sends: the parts of each request sum to its time, to the nanosecond. */
static void try_random(unsigned int seed)
{
	struct requests *requests = begin();
	const struct requests_request *all;
	struct handed_out out = {};
	uint64_t wanted;
	size_t n;

	requests_each(requests, check_steps, &out, true);
	wanted = add_random(requests, seed, false);
	all = requests_split(requests, &n);
	cr_assert_eq(n + requests_count(requests).inner, wanted, "%zu requests, not %lu", n, wanted);
	deep += requests_count(requests).inner;
	/* one that lasts for no time is not handed out */
	cr_assert(out.requests <= n && out.requests > n * 9 / 10, "%lu of %zu", out.requests, n);
	cr_assert_leq(out.inner, requests_count(requests).inner);
	cr_assert_gt(out.asked, 0);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(sum_of(&all[i]), all[i].ns, "request %zu: %lu, not %lu", i,
			     sum_of(&all[i]), all[i].ns);
	cr_assert_eq(requests_count(requests).connections, 3 * CONNECTIONS);
	cr_assert_eq(requests_count(requests).unanswered, 0);
	requests_free(requests);
}

Test(requests, random)
{
	for (unsigned int seed = 1; seed <= 8; seed++)
		try_random(seed);
	cr_assert_gt(deep, 30, "%lu were linked", deep);
}

static void expect_same(const struct requests *got, const struct requests *wanted)
{
	const struct requests_request *a, *b;
	size_t n, n_wanted;

	a = requests_split(got, &n);
	b = requests_split(wanted, &n_wanted);
	cr_assert_eq(n, n_wanted);
	cr_assert_eq(requests_count(got).inner, requests_count(wanted).inner);
	cr_assert_eq(requests_count(got).not_cut, 0);
	for (size_t i = 0; i < n; i++) {
		cr_assert_eq(a[i].ns, b[i].ns * unit);
		cr_assert_eq(a[i].behind, b[i].behind);
		cr_assert_eq(a[i].n_parts, b[i].n_parts, "request %zu: %u parts, not %u", i, a[i].n_parts,
			     b[i].n_parts);
		for (uint32_t p = 0; p < a[i].n_parts; p++) {
			cr_assert_eq(a[i].parts[p].ns, b[i].parts[p].ns * unit);
			cr_assert(!memcmp(&a[i].parts[p].state, &b[i].parts[p].state, sizeof(a[i].parts[p].state)));
		}
	}
}

/* What is forgotten was not needed: in 1 ms for each ns, most of the same history is. */
Test(requests, random_forgotten)
{
	for (unsigned int seed = 1; seed <= 8; seed++) {
		struct requests *wanted = begin(), *requests = begin();

		unit = 1;
		add_random(wanted, seed, true);
		unit = MS;
		add_random(requests, seed, true);
		expect_same(requests, wanted);
		cr_assert_lt(requests->kept, wanted->kept / 2, "%zu of %zu are kept", requests->kept, wanted->kept);
		cr_assert_lt(requests->connections.n, wanted->connections.n);
		requests_free(requests);
		requests_free(wanted);
	}
}
