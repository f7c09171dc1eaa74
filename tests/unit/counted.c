// SPDX-License-Identifier: BSD-2-Clause
/* Events counted by their labels: order, what a row shows, and room. */
#include "engines/counted.h"
#include "output_fixture.h"

struct record {
	uint32_t first, second, other;
	char name[8];
};

static const struct field fields[] = {
	FIELD(FIELD_U32, struct record, first, "first", "FIRST", 1, .role = ROLE_LABEL),
	FIELD(FIELD_U32, struct record, second, "second", "SECOND", 1, .role = ROLE_LABEL),
	FIELD(FIELD_CHARS, struct record, name, "name", "NAME", -1),
	FIELD(FIELD_U32, struct record, other, "other", "OTHER", 1),
	COUNTED("n", "N", 1),
};
static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static void add(struct counted *counted, uint32_t first, uint32_t second, uint32_t other, const char *name)
{
	struct record record = { first, second, other };

	strncpy(record.name, name, sizeof(record.name) - 1);
	counted_add(counted, &record, sizeof(record));
}

static void expect(struct counted *counted, const char *want)
{
	__close int fd = memfd_create("rows", 0);
	struct output *out = output_new(fd, OUTPUT_CSV);
	char text[512] = "";

	output_table_begin(out, &schema, NULL, true);
	counted_print(counted, out);
	output_table_end(out);
	output_free(out);
	cr_assert_gt(pread(fd, text, sizeof(text) - 1, 0), 0);
	cr_expect_str_eq(text, want);
}

/* The first record of a row is shown, and fields that are no labels do not tell rows apart; 1 23 is not 12 3. */
Test(counted, rows)
{
	struct counted *counted = counted_new(&schema);

	add(counted, 1, 23, 7, "a");
	add(counted, 12, 3, 0, "a");
	add(counted, 1, 23, 8, "a");
	add(counted, 1, 23, 9, "b");
	add(counted, 1, 23, 9, "a");
	add(counted, 12, 3, 0, "a");
	expect(counted, "first,second,name,other,n\r\n1,23,b,9,1\r\n12,3,a,0,2\r\n1,23,a,7,3\r\n");
	expect(counted, "first,second,name,other,n\r\n");
	add(counted, 12, 3, 5, "a");
	expect(counted, "first,second,name,other,n\r\n12,3,a,5,1\r\n");
	cr_expect_eq(counted_lost(counted), 0);
	counted_free(counted);
}

Test(counted, no_room)
{
	struct counted *counted = counted_new(&schema);

	for (uint32_t i = 0; i < COUNTED_MAX; i++)
		add(counted, i, 0, 0, "");
	add(counted, 0, 0, 0, "");
	cr_expect_eq(counted_lost(counted), 0);
	add(counted, 0, 1, 0, "");
	add(counted, 1, 1, 0, "");
	cr_expect_eq(counted_lost(counted), 2);
	counted_free(counted);
	counted_free(NULL);
}
