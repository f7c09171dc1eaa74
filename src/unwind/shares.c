// SPDX-License-Identifier: BSD-2-Clause
#include "base/clock.h"
#include "base/report.h"
#include "base/str.h"
#include "bpf/unwind.h"
#include "shares.h"

/* More users than this share one entry: a user namespace can have thousands. */
#define USERS_MAX 256

/* The report names so many users. */
#define USERS_NAMED 4

#define POOL ((uint64_t)UNWIND_BLOCKS_MAX * UNWIND_BLOCK_SIZE)

/* For tables, a session has no more time than this part of its life, beyond what the limits below give at once. */
#define TIME_PART 10

/* For each user, and for all but root together. */
static const struct limit {
	uint64_t one, all;
} limits[SHARES_N] = {
	[SHARES_TABLES] = { POOL / 4, POOL / 2 },
	[SHARES_RULES] = { UNWIND_RULES_MAX / 4, UNWIND_RULES_MAX / 2 },
	[SHARES_TIME] = { 3 * NS_PER_SEC, 6 * NS_PER_SEC },
	[SHARES_RUNS] = { POOL / 4, POOL / 8 * 3 },
	[SHARES_PROCESSES] = { 16384, 24576 },
};

void shares_init(struct shares *shares, bool off)
{
	*shares = (struct shares){ .off = off, .began = clock_monotonic_ns() };
}

void shares_release(struct shares *shares)
{
	vec_each(user, shares)
		for (size_t i = 0; i < SHARES_REFUSED_N; i++)
			free(user->refused[i].first);
	free(shares->v);
	*shares = (struct shares){};
}

static struct shares_user *find(struct shares *shares, uid_t uid)
{
	vec_each(user, shares)
		if (user->uid == uid)
			return user;
	if (shares->n < USERS_MAX)
		*vec_push(shares) = (struct shares_user){ .uid = uid };
	return &shares->v[shares->n - 1];
}

uint64_t shares_left(struct shares *shares, uid_t uid, enum shares_what what)
{
	uint64_t more = what == SHARES_TIME ? (clock_monotonic_ns() - shares->began) / TIME_PART : 0;
	uint64_t one = limits[what].one + more, all = limits[what].all + more, used;

	if (!uid || shares->off)
		return UINT64_MAX;
	used = find(shares, uid)->used[what];
	one = used < one ? one - used : 0;
	all = shares->used[what] < all ? all - shares->used[what] : 0;
	return one < all ? one : all;
}

void shares_take(struct shares *shares, uid_t uid, enum shares_what what, uint64_t n)
{
	find(shares, uid)->used[what] += n;
	if (uid)
		shares->used[what] += n;
}

void shares_return(struct shares *shares, uid_t uid, enum shares_what what, uint64_t n)
{
	find(shares, uid)->used[what] -= n;
	if (uid)
		shares->used[what] -= n;
}

void shares_refuse(struct shares *shares, uid_t uid, enum shares_refused_kind kind, const char *path)
{
	struct shares_refused *refused = &find(shares, uid)->refused[kind];

	if (!refused->n++ && path)
		refused->first = base_strdup(path);
}

static void report_files(const struct shares_user *user, enum shares_refused_kind kind, const char *what, const char *means)
{
	const struct shares_refused *refused = &user->refused[kind];

	if (refused->n)
		report_note("no room for %s of %llu file%s of user %u (%s%s): %s", what, (unsigned long long)refused->n,
			    str_plural(refused->n), user->uid, refused->first, refused->n > 1 ? ", ..." : "", means);
}

static void report_user(const struct shares_user *user)
{
	uint64_t n = user->refused[SHARES_NO_RUN].n;

	report_files(user, SHARES_NO_TABLE, "the unwind tables", "stacks in them follow frame pointers");
	report_files(user, SHARES_FEWER_RULES, "all unwind rules", "some stacks in them are incomplete");
	if (n)
		report_note("no room for %llu process%s of user %u: their stacks are not unwound", (unsigned long long)n,
			    n == 1 ? "" : "es", user->uid);
}

static bool has_refused(const struct shares_user *user)
{
	for (size_t i = 0; i < SHARES_REFUSED_N; i++)
		if (user->refused[i].n)
			return true;
	return false;
}

void shares_report(const struct shares *shares)
{
	size_t n = 0;

	vec_each(user, shares)
		if (has_refused(user) && ++n <= USERS_NAMED)
			report_user(user);
	if (n > USERS_NAMED)
		report_note("no room for files or processes of %zu more user%s", n - USERS_NAMED, str_plural(n - USERS_NAMED));
}
