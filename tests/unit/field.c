// SPDX-License-Identifier: BSD-2-Clause
/* Fields of every type, as text, JSON and CSV. */
#include <signal.h>
#include <string.h>
#include <time.h>

#include "output/wait_status.h"
#include "output_fixture.h"

struct row {
	uint64_t u64;
	int32_t s32;
	double real;
	bool flag;
	const char *text;
	const char *const *strings;
	size_t n;
	const char *words;
	unsigned long long numbers[3];
	unsigned char address[16];
	unsigned char known;
};

/* A number, true or false is the same in CSV; null is nothing there; the rest is what tests of CSV are about. */
static void expect(struct field field, const struct row *row, const char *text, const char *json)
{
	fixture_expect(field, OUTPUT_TEXT, row, NULL, text);
	fixture_expect(field, OUTPUT_JSON, row, NULL, json);
	if (!strcmp(json, "null"))
		fixture_expect(field, OUTPUT_CSV, row, NULL, "");
	else if (!strpbrk(json, "\"[{"))
		fixture_expect(field, OUTPUT_CSV, row, NULL, json);
}

#define MEMBER(TYPE, NAME, ...) ((struct field)DATA(TYPE, struct row, NAME, "k", ##__VA_ARGS__))
#define GETTER(TYPE, GET, ...)	((struct field)DATA_GET(TYPE, GET, "k", ##__VA_ARGS__))

Test(field, numbers)
{
	const struct row row = { .u64 = UINT64_MAX, .s32 = -7, .real = 2.345 };

	expect(MEMBER(FIELD_U64, u64), &row, "18446744073709551615", "18446744073709551615");
	expect(MEMBER(FIELD_S64, u64), &row, "-1", "-1");
	expect(MEMBER(FIELD_S64, u64, .base = 16), &row, "ffffffffffffffff", "-1");
	expect(MEMBER(FIELD_S32, s32), &row, "-7", "-7");
	expect(MEMBER(FIELD_REAL, real, .decimals = 1, .data_decimals = 2), &row, "2.3", "2.35");
	expect(MEMBER(FIELD_U64, u64, .base = 8, .digits = 8), &(struct row){ .u64 = 577 }, "00001101", "577");
	expect(MEMBER(FIELD_U64, u64, .base = 16, .prefix = "0x"), &(struct row){ .u64 = 577 }, "0x241", "577");
}

Test(field, what_is_null)
{
	static const struct row zero = {}, most = { .u64 = UINT64_MAX }, known = { .known = 1 };

	expect(MEMBER(FIELD_U64, u64, .null = NULL_ZERO), &zero, "-", "null");
	expect(MEMBER(FIELD_U64, u64, .null = NULL_ZERO), &most, "18446744073709551615", "18446744073709551615");
	expect(MEMBER(FIELD_U64, u64, .null = NULL_MOST), &most, "-", "null");
	expect(MEMBER(FIELD_U64, u64, .null = NULL_MOST), &zero, "0", "0");
	expect(MEMBER(FIELD_DURATION, u64, .null = NULL_MOST), &most, "-", "null");
	expect(MEMBER(FIELD_U64, u64, KNOWN_BY(struct row, known)), &zero, "-", "null");
	expect(MEMBER(FIELD_U64, u64, KNOWN_BY(struct row, known)), &known, "0", "0");
	expect(MEMBER(FIELD_STR, text), &zero, "-", "null");
	expect(MEMBER(FIELD_STR, text, .absent = "?"), &zero, "?", "null");
	expect(MEMBER(FIELD_STR, text, .absent = ""), &zero, "", "null");
}

static void get_nothing(struct value *to, const void *row, const void *ctx)
{
}

static void get_part(struct value *to, const void *row, const void *ctx)
{
	value_set_text(to, ((const struct row *)row)->text);
	to->more = "...";
}

static void get_made(struct value *to, const void *row, const void *ctx)
{
	str_addf(to->room, "%s/%s", (const char *)ctx, ((const struct row *)row)->text);
	value_set_made(to);
}

Test(field, texts)
{
	static const struct row row = { .text = "a\"\n\xff\xe6\x97\xa5", .flag = true };

	expect(MEMBER(FIELD_STR, text), &row, "a\"\\n\\xff\xe6\x97\xa5", "\"a\\\"\\n\xef\xbf\xbd\xe6\x97\xa5\"");
	expect(MEMBER(FIELD_PATH, text), &row, "a\"\\n\\xff\xe6\x97\xa5", "\"a\\\"\\n\xef\xbf\xbd\xe6\x97\xa5\"");
	expect(MEMBER(FIELD_BOOL, flag), &row, "true", "true");
	expect(MEMBER(FIELD_BOOL, known), &row, "false", "false");
	expect(GETTER(FIELD_STR, get_nothing), &row, "-", "null");
	expect(GETTER(FIELD_STR, get_part), &(struct row){ .text = "ls" }, "ls...", "\"ls\"");
	fixture_expect(GETTER(FIELD_STR, get_made), OUTPUT_TEXT, &(struct row){ .text = "b\t" }, "a", "a/b\\t");
	fixture_expect(GETTER(FIELD_STR, get_made), OUTPUT_JSON, &(struct row){ .text = "b\t" }, "a", "\"a/b\\t\"");
}

/* Text rounds to the nearest, and to the greater of two that are equally near; data has what was measured. */
Test(field, durations)
{
	static const struct {
		uint64_t ns;
		enum field_unit unit;
		int decimals;
		const char *text;
	} cases[] = {
		{ 0, UNIT_MS, 2, "0.00" },
		{ 4999, UNIT_MS, 2, "0.00" },
		{ 5000, UNIT_MS, 2, "0.01" },
		{ 1234567, UNIT_MS, 2, "1.23" },
		{ 999995000, UNIT_MS, 2, "1000.00" },
		{ 1234567, UNIT_MS, 6, "1.234567" },
		{ 1234567, UNIT_US, 3, "1234.567" },
		{ 1500000000, UNIT_SECONDS, 0, "2" },
		{ 1500000001, UNIT_SECONDS, 9, "1.500000001" },
		{ UINT64_MAX, UNIT_SECONDS, 9, "18446744073.709551615" },
		{ 17, UNIT_STORED, 0, "17" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct row row = { .u64 = cases[i].ns };
		__free char *json = base_printf("%llu", (unsigned long long)cases[i].ns);

		expect(MEMBER(FIELD_DURATION, u64, .unit = cases[i].unit, .decimals = cases[i].decimals), &row, cases[i].text, json);
	}
}

Test(field, bytes)
{
	static const struct {
		uint64_t bytes;
		const char *kb, *brief, *json;
	} cases[] = {
		{ 0, "0", "0", "0" },
		{ 999, "0", "999", "999" },
		{ 1000, "0", "1.0K", "1000" },
		{ 2047, "1", "2.0K", "2047" },
		{ 10189, "9", "10K", "10189" },
		{ 1048576, "1024", "1.0M", "1048576" },
		{ 12ULL << 40, "12884901888", "12T", "13194139533312" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct row row = { .u64 = cases[i].bytes };

		expect(MEMBER(FIELD_BYTES, u64, .unit = UNIT_KB), &row, cases[i].kb, cases[i].json);
		expect(MEMBER(FIELD_BYTES, u64, .unit = UNIT_SHORT), &row, cases[i].brief, cases[i].json);
		expect(MEMBER(FIELD_BYTES, u64), &row, cases[i].json, cases[i].json);
	}
}

/* The fixture's clock: boot was at 10:00:00, tracing began a second later. */
Test(field, times)
{
	static const struct row row = { .u64 = 3123456789 }, early = { .u64 = 5 };

	setenv("TZ", "UTC0", 1);
	tzset();
	expect(MEMBER(FIELD_TIME, u64), &row, "10:00:03", "\"2024-05-01T10:00:03.123456+00:00\"");
	expect(MEMBER(FIELD_TIME, u64, .decimals = 3), &row, "10:00:03.123", "\"2024-05-01T10:00:03.123456+00:00\"");
	expect(MEMBER(FIELD_ELAPSED, u64), &row, "2.123456", "3123456789");
	expect(MEMBER(FIELD_ELAPSED, u64), &early, "0.000000", "5");
}

Test(field, errors_and_signals)
{
	static const struct row failed = { .s32 = -2 }, done = { .s32 = 3 }, kill = { .s32 = SIGKILL }, none = { .s32 = 0 };

	expect(MEMBER(FIELD_ERRNO, s32), &failed, "2", "2");
	expect(MEMBER(FIELD_ERRNO, s32), &done, "0", "0");
	expect(MEMBER(FIELD_ERROR, s32), &failed, "ENOENT", "\"ENOENT\"");
	expect(MEMBER(FIELD_ERROR, s32), &done, "-", "null");
	expect(MEMBER(FIELD_SIGNAL, s32), &kill, "KILL", "\"SIGKILL\"");
	expect(MEMBER(FIELD_SIGNAL, s32), &none, "unknown", "null");
}

static void get_address(struct value *to, const void *row, const void *ctx)
{
	value_set_address(to, *(const unsigned int *)ctx, ((const struct row *)row)->address);
}

Test(field, addresses)
{
	static const struct row row = { .address = { 127, 0, 0, 1 } };
	unsigned int version = 4;

	fixture_expect(GETTER(FIELD_ADDRESS, get_address), OUTPUT_TEXT, &row, &version, "127.0.0.1");
	fixture_expect(GETTER(FIELD_ADDRESS, get_address), OUTPUT_JSON, &row, &version, "\"127.0.0.1\"");
	version = 6;
	fixture_expect(GETTER(FIELD_ADDRESS, get_address), OUTPUT_TEXT, &row, &version, "7f00:1::");
}

static void get_strings(struct value *to, const void *row, const void *ctx)
{
	const struct row *r = row;

	value_set_strings(to, r->strings, r->n);
}

static void get_words(struct value *to, const void *row, const void *ctx)
{
	const struct row *r = row;

	value_set_words(to, r->words, r->n);
	to->more = r->known ? " ..." : NULL;
}

static void get_numbers(struct value *to, const void *row, const void *ctx)
{
	const struct row *r = row;

	value_set_numbers(to, r->numbers, r->n);
}

static void get_quoted(struct value *to, const void *row, const void *ctx)
{
	get_words(to, row, ctx);
	to->quoted = true;
}

Test(field, lists)
{
	static const char *const strings[] = { "a", NULL, "c\n" };

	expect(GETTER(FIELD_LIST, get_strings, .separator = ","), &(struct row){ .strings = strings, .n = 3 }, "a,-,c\\n",
	       "[\"a\",null,\"c\\n\"]");
	expect(GETTER(FIELD_LIST, get_strings), &(struct row){}, "", "[]");
	/* an empty word is one, and the last may lack its end */
	expect(GETTER(FIELD_LIST, get_words), &(struct row){ .words = "ls\0\0-l x", .n = 8 }, "ls  -l x", "[\"ls\",\"\",\"-l x\"]");
	expect(GETTER(FIELD_LIST, get_words), &(struct row){ .words = "ls\0-l x", .n = 5 }, "ls -l", "[\"ls\",\"-l\"]");
	expect(GETTER(FIELD_LIST, get_quoted), &(struct row){ .words = "ls\0\0a b", .n = 8, .known = 1 },
	       "ls '' 'a b' ...", "[\"ls\",\"\",\"a b\"]");
	expect(GETTER(FIELD_LIST, get_numbers, .base = 16, .prefix = "0x"), &(struct row){ .numbers = { 1, UINT64_MAX, 16 }, .n = 3 },
	       "0x1 0xffffffffffffffff 0x10", "[1,18446744073709551615,16]");
}

static const struct field inner_fields[] = {
	DATA(FIELD_U64, struct row, u64, "n"),
	DATA_GET(FIELD_STR, get_made, "made"),
	DATA(FIELD_STR, struct row, text, "text"),
};
static const struct schema inner = { inner_fields, ARRAY_SIZE(inner_fields) };

static void get_rows(struct value *to, const void *row, const void *ctx)
{
	static const struct row rows[] = { { .u64 = 1, .text = "x" }, { .u64 = 2, .text = "y\"" } };

	value_set_rows(to, &inner, rows, ((const struct row *)row)->n, sizeof(*rows));
}

static void get_row(struct value *to, const void *row, const void *ctx)
{
	value_set_row(to, &inner, row);
}

Test(field, rows_within_rows)
{
	fixture_expect(GETTER(FIELD_LIST, get_rows), OUTPUT_JSON, &(struct row){ .n = 2 }, "c",
		       "[{\"n\":1,\"made\":\"c/x\",\"text\":\"x\"},{\"n\":2,\"made\":\"c/y\\\"\",\"text\":\"y\\\"\"}]");
	fixture_expect(GETTER(FIELD_LIST, get_rows), OUTPUT_JSON, &(struct row){}, "c", "[]");
	fixture_expect(GETTER(FIELD_ROW, get_row), OUTPUT_JSON, &(struct row){ .u64 = 5 }, "c",
		       "{\"n\":5,\"made\":\"c/(null)\",\"text\":null}");
}

/* Text has columns of its own, and so has data; rules and headings are as wide as columns. */
Test(field, text_and_data_differ)
{
	static const struct field fields[] = {
		FIELD(FIELD_U64, struct row, u64, "n", "N", 4),
		DATA(FIELD_STR, struct row, text, "raw"),
		TEXT(FIELD_STR, struct row, text, "SHOWN", -8),
		TEXT(FIELD_STR, struct row, text, "HIDDEN", -8, .hidden = true),
		FIELD(FIELD_S32, struct row, s32, "last", "LAST", -6),
	};
	static const struct schema schema = { fields, ARRAY_SIZE(fields), .ruled = true };
	static const struct row row = { .u64 = 1, .text = "\xe6\x97\xa5", .s32 = 7 };
	char *text __free = fixture_print(OUTPUT_TEXT, &schema, &row, NULL), *json __free = fixture_print(OUTPUT_JSON, &schema, &row, NULL);

	cr_expect_str_eq(text, "---- -------- ------\n   1 \xe6\x97\xa5       7\n");
	cr_expect_str_eq(json, "{\"n\":1,\"raw\":\"\xe6\x97\xa5\",\"last\":7}\n");
}

/* Codes and signals as wait(2) packs them: exit code << 8, or the signal with 0x80 for a core. */
Test(field, wait_status)
{
	static const struct field fields[] = { WAIT_STATUS_FIELDS(struct row, s32, "END", -1) };
	static const struct schema schema = { fields, ARRAY_SIZE(fields) };
	static const struct {
		int status;
		const char *text, *json;
	} cases[] = {
		{ 0, "0\n", "{\"exit_code\":0,\"signal\":null,\"signal_name\":null,\"core_dumped\":false}\n" },
		{ 3 << 8, "code 3\n", "{\"exit_code\":3,\"signal\":null,\"signal_name\":null,\"core_dumped\":false}\n" },
		{ 9, "signal 9 (KILL)\n", "{\"exit_code\":null,\"signal\":9,\"signal_name\":\"SIGKILL\",\"core_dumped\":false}\n" },
		{ 11 | 0x80, "signal 11 (SEGV), core dumped\n",
		  "{\"exit_code\":null,\"signal\":11,\"signal_name\":\"SIGSEGV\",\"core_dumped\":true}\n" },
		{ 32, "signal 32 (unknown)\n", "{\"exit_code\":null,\"signal\":32,\"signal_name\":null,\"core_dumped\":false}\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct row row = { .s32 = cases[i].status };
		char *text __free = fixture_print(OUTPUT_TEXT, &schema, &row, NULL);
		char *json __free = fixture_print(OUTPUT_JSON, &schema, &row, NULL);

		cr_expect_str_eq(text, cases[i].text);
		cr_expect_str_eq(json, cases[i].json, "%s", json);
	}
}

Test(field, roles)
{
	static const struct field given = DATA(FIELD_U64, struct row, u64, "k", .role = ROLE_TASK);

	cr_expect_eq(field_role(&given), ROLE_TASK);
	cr_expect_eq(field_role(&MEMBER(FIELD_U64, u64)), ROLE_VALUE);
	cr_expect_eq(field_role(&MEMBER(FIELD_TIME, u64)), ROLE_TIME);
	cr_expect_eq(field_role(&MEMBER(FIELD_ELAPSED, u64)), ROLE_TIME);
	cr_expect_eq(field_role(&MEMBER(FIELD_DURATION, u64)), ROLE_DURATION);
	cr_expect_eq(field_role(&MEMBER(FIELD_STR, text)), ROLE_LABEL);
	cr_expect_eq(field_role(&MEMBER(FIELD_SIGNAL, s32)), ROLE_LABEL);
}

static void expect_csv(struct field field, const struct row *row, const char *csv)
{
	unsigned int version = 4;

	fixture_expect(field, OUTPUT_CSV, row, &version, csv);
}

Test(field, csv_texts)
{
	static const struct {
		const char *text, *csv;
	} cases[] = {
		{ "plain", "plain" },
		{ "", "\"\"" },
		{ "a b", "a b" },
		{ "a,b", "\"a,b\"" },
		{ "a\"b", "\"a\"\"b\"" },
		{ "\"", "\"\"\"\"" },
		{ "a\nb\r\nc", "\"a\nb\r\nc\"" },
		{ "a\tb", "a\tb" },
		{ "a\rb", "\"a\rb\"" },
		{ "=1+1", "=1+1" },
		{ "\xe6\x97\xa5", "\xe6\x97\xa5" },
		{ "\033[2J", "\xef\xbf\xbd[2J" },
		{ "\xff,", "\"\xef\xbf\xbd,\"" },
		{ "a\xe2\x80\xa8"
		  "b",
		  "a\xef\xbf\xbd"
		  "b" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect_csv(MEMBER(FIELD_STR, text), &(struct row){ .text = cases[i].text }, cases[i].csv);
}

Test(field, csv_values)
{
	static const struct row row = { .u64 = 3123456789, .s32 = SIGKILL, .address = { 127, 0, 0, 1 }, .numbers = { 1, 2 }, .n = 2 };
	static const char *const strings[] = { "a", NULL, "b,\"" };

	setenv("TZ", "UTC0", 1);
	tzset();
	expect_csv(MEMBER(FIELD_TIME, u64), &row, "2024-05-01T10:00:03.123456+00:00");
	expect_csv(MEMBER(FIELD_SIGNAL, s32), &row, "SIGKILL");
	expect_csv(GETTER(FIELD_ADDRESS, get_address), &row, "127.0.0.1");
	expect_csv(GETTER(FIELD_LIST, get_numbers), &row, "\"[1,2]\"");
	expect_csv(GETTER(FIELD_LIST, get_numbers), &(struct row){}, "[]");
	expect_csv(GETTER(FIELD_LIST, get_strings), &(struct row){ .strings = strings, .n = 3 },
		   "\"[\"\"a\"\",null,\"\"b,\\\"\"\"\"]\"");
}

/* The headings are a line of the first table alone; time is in front, as in JSON. */
Test(field, csv_tables)
{
	static const struct field fields[] = { DATA(FIELD_U64, struct row, u64, "n"), TEXT(FIELD_U64, struct row, u64, "N", 3),
					       FIELD(FIELD_STR, struct row, text, "a,b", "AB", 3) };
	static const struct schema schema = { fields, ARRAY_SIZE(fields) };
	static const struct row row = { .u64 = 1, .text = "x" }, none = {};
	const struct output_stamp stamp = { .wall_ns = FIXTURE_CLOCK_WALL };
	int fd __close = memfd_create("csv", 0);
	struct output *out = output_new(fd, OUTPUT_CSV);
	char text[1000] = "";

	setenv("TZ", "UTC0", 1);
	tzset();
	output_table_begin(out, &schema, &stamp, true);
	output_row(out, &row);
	output_table_end(out);
	output_table_begin(out, &schema, &stamp, false);
	output_rule(out);
	output_row(out, &none);
	output_table_end(out);
	output_free(out);
	cr_assert_gt(pread(fd, text, sizeof(text) - 1, 0), 0);
	cr_expect_str_eq(text, "time,n,\"a,b\"\r\n"
			       "2024-05-01T10:00:00.000000+00:00,1,x\r\n"
			       "2024-05-01T10:00:00.000000+00:00,0,\r\n");
}
