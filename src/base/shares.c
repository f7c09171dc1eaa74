// SPDX-License-Identifier: BSD-2-Clause
#include "clock.h"
#include "shares.h"

/* More users than this share one entry: a user namespace can have thousands. */
#define USERS_MAX 256

/* Of time, there is no more than this part of the life of what is shared, beyond what the limits give at once. */
#define TIME_PART 10

void shares_init(struct shares *shares, const struct shares_limit *limits, bool off)
{
	*shares = (struct shares){ .limits = limits, .off = off, .began = clock_monotonic_ns() };
}

void shares_release(struct shares *shares)
{
	vec_each(user, shares)
		for (size_t i = 0; i < SHARES_KINDS; i++)
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

uint64_t shares_left(struct shares *shares, uid_t uid, unsigned int what)
{
	const struct shares_limit *limit = &shares->limits[what];
	uint64_t more = limit->time ? (clock_monotonic_ns() - shares->began) / TIME_PART : 0;
	uint64_t one = limit->one + more, all = limit->all + more, used;

	if (!uid || shares->off)
		return UINT64_MAX;
	used = find(shares, uid)->used[what];
	one = used < one ? one - used : 0;
	all = shares->used[what] < all ? all - shares->used[what] : 0;
	return one < all ? one : all;
}

uint64_t shares_used(struct shares *shares, uid_t uid, unsigned int what)
{
	return find(shares, uid)->used[what];
}

void shares_take(struct shares *shares, uid_t uid, unsigned int what, uint64_t n)
{
	find(shares, uid)->used[what] += n;
	if (uid)
		shares->used[what] += n;
}

void shares_return(struct shares *shares, uid_t uid, unsigned int what, uint64_t n)
{
	find(shares, uid)->used[what] -= n;
	if (uid)
		shares->used[what] -= n;
}

bool shares_refuse(struct shares *shares, uid_t uid, unsigned int kind, const char *what)
{
	struct shares_refused *refused = &find(shares, uid)->refused[kind];

	if (!refused->n++ && what)
		refused->first = base_strdup(what);
	return refused->n == 1;
}
