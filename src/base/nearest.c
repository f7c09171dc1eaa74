// SPDX-License-Identifier: BSD-2-Clause
/* Edit distance between names. Knows nothing of what the names stand for. */
#include "nearest.h"

#define LONGEST sizeof(((struct nearest *)0)->name)

/* The largest distance at which a name can still be the one that was meant. */
static unsigned int limit_of(const char *wanted)
{
	size_t limit = strlen(wanted) * 2 / 5;

	return limit < 4 ? limit : 4;
}

void nearest_init(struct nearest *n, const char *wanted)
{
	*n = (struct nearest){ .wanted = wanted, .distance = limit_of(wanted) + 1 };
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

/*
 * Optimal string alignment: dynamic programming over prefixes, with three rows of the matrix. Gives up as soon as
 * every path costs more than `bound`: callers offer all names of a kernel, and nearly all of them are far away.
 */
static unsigned int distance(const char *a, size_t n, const char *b, size_t m, unsigned int bound)
{
	unsigned int rows[3][LONGEST + 1], least;

	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned int *row = rows[i % 3], *above = rows[(i - 1) % 3];

		row[0] = least = i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = min3(above[j] + 1, row[j - 1] + 1,
				      above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    rows[(i - 2) % 3][j - 2] + 1 < row[j])
				row[j] = rows[(i - 2) % 3][j - 2] + 1;
			if (row[j] < least)
				least = row[j];
		}
		/*
		 * A swap can still reach back across one row, but adds one to its cost: it cannot come below the
		 * bound.
		 */
		if (least > bound)
			return least;
	}
	return rows[n % 3][m];
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	size_t have = strlen(candidate), want = strlen(n->wanted);
	unsigned int d;

	if (have >= LONGEST || want >= LONGEST)
		return;
	if ((have > want ? have - want : want - have) >= n->distance)
		return;
	d = distance(n->wanted, want, candidate, have, n->distance);
	if (d >= n->distance)
		return;
	n->distance = d;
	memcpy(n->name, candidate, have + 1);
}

const char *nearest_name(const struct nearest *n)
{
	return n->name[0] && n->distance <= limit_of(n->wanted) ? n->name : NULL;
}
