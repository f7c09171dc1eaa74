// SPDX-License-Identifier: BSD-2-Clause
#include "base/clock.h"
#include "base/report.h"
#include "base/str.h"
#include "bpf/unwind.h"
#include "known.h"
#include "users.h"

/* The report names so many users. */
#define NAMED_MAX 4

#define POOL ((uint64_t)UNWIND_BLOCKS_MAX * UNWIND_BLOCK_SIZE)

static const struct shares_limit limits[] = {
	[USERS_TABLES] = { POOL / 4, POOL / 2 },
	[USERS_RULES] = { UNWIND_RULES_MAX / 4, UNWIND_RULES_MAX / 2 },
	[USERS_TIME] = { 3 * NS_PER_SEC, 6 * NS_PER_SEC, .time = true },
	[USERS_RUNS] = { POOL / 4, POOL / 8 * 3 },
	[USERS_PROCESSES] = { 16384, 24576 },
	[USERS_FILES] = { KNOWN_MAX / 4, KNOWN_MAX / 2 },
};

void users_init(struct shares *shares, bool off)
{
	shares_init(shares, limits, off);
}

static void report_files(const struct shares_user *user, enum users_refused kind, const char *what, const char *means)
{
	const struct shares_refused *refused = &user->refused[kind];

	if (refused->n)
		report_note("no room for %s of %llu file%s of user %u (%s%s): %s", what, (unsigned long long)refused->n,
			    str_plural(refused->n), user->uid, refused->first, refused->n > 1 ? ", ..." : "", means);
}

static void report_user(const struct shares_user *user)
{
	uint64_t n = user->refused[USERS_NO_RUN].n;

	report_files(user, USERS_NO_TABLE, "the unwind tables", "stacks in them follow frame pointers");
	report_files(user, USERS_FEWER_RULES, "all unwind rules", "some stacks in them are incomplete");
	if (n)
		report_note("no room for %llu process%s of user %u: their stacks are not unwound", (unsigned long long)n,
			    n == 1 ? "" : "es", user->uid);
}

static bool has_refused(const struct shares_user *user)
{
	for (size_t i = 0; i < SHARES_KINDS; i++)
		if (user->refused[i].n)
			return true;
	return false;
}

void users_report(const struct shares *shares)
{
	size_t n = 0;

	vec_each(user, shares)
		if (has_refused(user) && ++n <= NAMED_MAX)
			report_user(user);
	if (n > NAMED_MAX)
		report_note("no room for files or processes of %zu more user%s", n - NAMED_MAX, str_plural(n - NAMED_MAX));
}
