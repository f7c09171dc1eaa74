// SPDX-License-Identifier: BSD-2-Clause
/* Names of ioctl's requests: src/strace/ioctls.txt, compressed. It is unpacked when the first name is asked for. */
#include "base/unpack.h"
#include "gen/ioctls.inc"
#include "strace_part.h"
#include "types_ioctl.h"

/* The table's lines, which are in order of numbers. */
static struct {
	char text[IOCTLS_SIZE + 1];
	struct strace_ioctl v[IOCTLS_LINES];
	size_t n;
} table;

static void fill_table(void)
{
	char *unpacked __free = unpack(packed, sizeof(packed), IOCTLS_SIZE);
	char *at = table.text;

	if (unpacked)
		memcpy(table.text, unpacked, IOCTLS_SIZE);
	for (; *at && table.n < ARRAY_SIZE(table.v); at += *at == '\n') {
		struct strace_ioctl *v = &table.v[table.n++];

		v->request = strtoul(at, &at, 16);
		v->name = at + strspn(at, " ");
		v->name_n = strcspn(v->name, "\t\n");
		at += strcspn(at, "\t\n");
		v->shape = at + strspn(at, "\t");
		v->shape_n = strcspn(v->shape, "\n");
		at += strcspn(at, "\n");
	}
}

static int compare(const void *key, const void *element)
{
	uint32_t request = *(const uint32_t *)key, other = ((const struct strace_ioctl *)element)->request;

	return request < other ? -1 : request > other;
}

const struct strace_ioctl *strace_ioctl_of(uint32_t request)
{
	if (!table.n)
		fill_table();
	return bsearch(&request, table.v, table.n, sizeof(table.v[0]), compare);
}
