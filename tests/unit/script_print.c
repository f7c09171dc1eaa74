// SPDX-License-Identifier: BSD-2-Clause
/* What programs of the language print, to the byte as bpftrace 0.23 printed it. */
#include <arpa/inet.h>

#include <criterion/criterion.h>

#include "bpf/hist.h"
#include "lang/check/function.h"
#include "script/script_format.h"
#include "script/script_json.h"
#include "script/script_map.h"

static struct lang_program program = { .config = { .str_trunc_trailer = ".." } };
static struct script_names names = { .program = &program };
static struct pool pool;

static void expect_text(struct str *text, const char *expected)
{
	cr_expect_str_eq(str_or_empty(text->data), expected, "'%s' in place of '%s'", str_or_empty(text->data),
			 expected);
	str_reset(text);
}

static struct script_value number(const struct type *type, const int64_t *from)
{
	return script_value_of(type, from);
}

static struct script_value text(const char *from)
{
	return (struct script_value){ .type = type_string(&pool, 64), .data = from, .len = strlen(from) };
}

/* Formats one number of 64 bits, signed. */
static void expect_format(const char *format, int64_t value, const char *expected)
{
	struct script_value v = number(type_integer(8, true), &value);
	struct str to __str = {};

	script_format_add(&to, &names, format, &v, 1);
	expect_text(&to, expected);
}

Test(script_format, integers_as_in_c)
{
	static const int64_t values[] = { 0, 1, -1, 8, 255, 300, 70000, 5000000000, INT64_MIN, INT64_MAX };
	static const char *const formats[] = { "%lld", "%llu", "%llx", "%llX", "%llo", "%5lld|",
					       "%-5lld|", "%05lld", "%+lld", "% lld", "%#llx", "%#llo",
					       "%.3lld", "%8.3llx|", "%-+8lld|", "%.0lld", "%08llx", "%#010llx",
					       "%020llu", "%ld", "%zu" };
	static const char *const narrow[] = { "%d", "%u", "%x", "%5d|", "%o", "%i", "%-8u|" };
	char expected[64];

	for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
		for (size_t f = 0; f < ARRAY_SIZE(formats); f++) {
			snprintf(expected, sizeof(expected), formats[f], (long long)values[v]);
			expect_format(formats[f], values[v], expected);
		}
		/* without a length C takes an int, and so does bpftrace */
		for (size_t f = 0; f < ARRAY_SIZE(narrow); f++) {
			snprintf(expected, sizeof(expected), narrow[f], (int)values[v]);
			expect_format(narrow[f], values[v], expected);
		}
		snprintf(expected, sizeof(expected), "%hd %hhu", (short)values[v], (unsigned char)values[v]);
#pragma GCC diagnostic pop
	}
	expect_format("%hhu", 300, "44");
	expect_format("%hd", 70000, "4464");
	expect_format("%hhd", 511, "-1");
	expect_format("%hx", -1, "ffff");
	expect_format("%d", 5000000000, "705032704");
}

Test(script_format, letters_pointers_and_percent)
{
	expect_format("%c", 65, "A");
	expect_format("%5c|", 65, "    A|");
	expect_format("%p", 4096, "0x1000");
	expect_format("%%", 0, "%");
	expect_format("100%% of %d", 3, "100% of 3");
	expect_format("%", 3, "%");
	expect_format("%5", 3, "");
	expect_format("%d %d", 3, "3 ");
	expect_format("%s", -7, "-7");
	expect_format("no value", 7, "no value");
}

Test(script_format, texts_in_their_width)
{
	struct script_value values[] = { text("abc"), text("def"), text("ghijkl") };
	struct str to __str = {};

	script_format_add(&to, &names, "%s|%10s|%-10.2s|", values, 3);
	expect_text(&to, "abc|       def|gh        |");
	values[0].is_cut = true;
	script_format_add(&to, &names, "%s", values, 1);
	expect_text(&to, "abc..");
}

Test(script_format, a_width_is_limited)
{
	struct str to __str = {};
	struct script_value value = text("x");

	script_format_add(&to, &names, "%999999999999s", &value, 1);
	cr_expect_eq(to.len, 4096);
}

Test(script_format, buffers)
{
	struct script_value value = { .type = type_buffer(&pool, 16), .data = "Li\x01\xff", .len = 4 };
	struct str to __str = {};

	script_format_add(&to, &names, "%r|%r", (struct script_value[]){ value, value }, 2);
	expect_text(&to, "Li\\x01\\xff|Li\\x01\\xff");
	script_format_add(&to, &names, "%rx %rh|", (struct script_value[]){ value, value }, 2);
	expect_text(&to, "\\x4c\\x69\\x01\\xff 4c 69 01 ff|");
}

Test(script_format, allocation_flags)
{
	expect_format("%gr", 0xcc0, "GFP_KERNEL");
	expect_format("%gr", 0x820, "GFP_ATOMIC");
	expect_format("%gr", 0, "0");
}

/* --- values --- */

static void expect_value(const struct type *type, const void *data, const char *in_text, const char *json)
{
	struct script_value value = script_value_of(type, data);
	struct str to __str = {};

	script_value_add(&to, &names, &value, false);
	expect_text(&to, in_text);
	script_value_add_json(&to, &names, &value);
	expect_text(&to, json);
}

Test(script_value, integers_of_all_sizes)
{
	static const unsigned char bytes[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	for (uint32_t size = 1; size <= 8; size *= 2)
		expect_value(type_integer(size, true), bytes, "-1", "-1");
	expect_value(type_integer(1, false), bytes, "255", "255");
	expect_value(type_integer(2, false), bytes, "65535", "65535");
	expect_value(type_integer(8, false), bytes, "18446744073709551615", "\"18446744073709551615\"");
	expect_value(type_bool(), bytes, "true", "true");
	expect_value(type_pointer(&pool, type_void(), SPACE_KERNEL), &(uint64_t){ 100 }, "0x64", "100");
}

Test(script_value, addresses)
{
	struct lang_inet inet = { .family = AF_INET, .bytes = { 127, 0, 0, 1 } };

	expect_value(type_simple(TYPE_INET), &inet, "127.0.0.1", "\"127.0.0.1\"");
	inet = (struct lang_inet){ .family = AF_INET6, .bytes = { [15] = 1 } };
	expect_value(type_simple(TYPE_INET), &inet, "::1", "\"::1\"");
	expect_value(type_simple(TYPE_MAC), "\x18\xc0\x4d\x08\x2e\xbb", "18:C0:4D:08:2E:BB", "\"18:C0:4D:08:2E:BB\"");
	/* no session: no names */
	expect_value(type_simple(TYPE_KSYM), &(uint64_t){ 12 }, "0xc", "\"0xc\"");
	expect_value(type_simple(TYPE_KSYM), &(uint64_t){ 0 }, "0", "\"0\"");
	expect_value(function_find_type(&pool, "strerror_t"), &(int32_t){ 2 }, "No such file or directory",
		     "\"No such file or directory\"");
}

Test(script_value, tuples_and_arrays)
{
	const struct type *u8 = type_integer(1, false), *i8 = type_integer(1, true);
	const struct type *inner = type_tuple(&pool, (struct type_field[]){ { .type = u8 }, { .type = u8 } }, 2, false);
	const struct type *outer = type_tuple(
		&pool, (struct type_field[]){ { .type = u8 }, { .type = type_string(&pool, 4) }, { .type = inner } }, 3,
		false);
	unsigned char data[16] = {};

	data[outer->fields[0].at] = 1;
	memcpy(data + outer->fields[1].at, "hi", 3);
	data[outer->fields[2].at] = 2;
	data[outer->fields[2].at + 1] = 3;
	expect_value(outer, data, "(1, hi, (2, 3))", "[1,\"hi\",[2,3]]");
	expect_value(type_array(&pool, type_integer(4, true), 2), (int32_t[]){ 5, -6 }, "[5,-6]", "[5,-6]");
	/* an array of char is a text */
	expect_value(type_array(&pool, i8, 4), "x ve", "x ve", "\"x ve\"");
	expect_value(type_array(&pool, u8, 4), "x ve", "[120,32,118,101]", "[120,32,118,101]");
}

Test(script_value, records)
{
	const struct type *type = type_tuple(&pool,
					     (struct type_field[]){ { .name = "a", .type = type_integer(4, true) },
								    { .name = "b", .type = type_integer(1, false) } },
					     2, true);
	struct {
		int32_t a;
		uint8_t b;
	} data = { -3, 4 };

	expect_value(type, &data, "{ .a = -3, .b = 4 }", "{\"a\": -3, \"b\": 4}");
}

Test(script_value, foreign_texts_on_a_terminal)
{
	struct script_names terminal = { .program = &program, .for_terminal = true };
	struct script_value value = text("a\x1b[31m\n\tb");
	struct str to __str = {};

	script_value_add(&to, &terminal, &value, false);
	expect_text(&to, "a\\x1b[31m\n\tb");
	script_value_add(&to, &names, &value, false);
	expect_text(&to, "a\x1b[31m\n\tb");
	script_value_add_json(&to, &terminal, &value);
	expect_text(&to, "\"a\\u001b[31m\\n\\tb\"");
}

/* The record says where a text is; what lies beyond the record is never read. */
Test(script_value, arguments_of_damaged_records)
{
	struct {
		struct lang_text text;
		char bytes[4];
	} data = { { 8, 4 }, "abc" };
	struct lang_site_argument argument = { .type = type_string(&pool, 64) };
	struct script_value value = script_value_argument(&argument, &data, sizeof(data));

	cr_expect_eq(value.len, 3);
	data.text.size = 5;
	cr_expect_eq(script_value_argument(&argument, &data, sizeof(data)).len, 0);
	data.text = (struct lang_text){ 100, 1 };
	cr_expect_eq(script_value_argument(&argument, &data, sizeof(data)).len, 0);
	data.text = (struct lang_text){ 8, 2 | LANG_TEXT_CUT };
	value = script_value_argument(&argument, &data, sizeof(data));
	cr_expect_eq(value.len, 2);
	cr_expect(value.is_cut);
	argument = (struct lang_site_argument){ .type = type_integer(8, false), .at = 8 };
	cr_expect_eq(script_value_argument(&argument, &data, sizeof(data)).type->kind, TYPE_VOID);
}

/* --- maps --- */

static void add(struct script_entries *entries, const void *key, size_t key_size, const void *value)
{
	struct script_entry *entry = vec_push(entries);

	entry->key = key ? pool_copy(&entries->pool, key, key_size) : NULL;
	entry->value = pool_copy(&entries->pool, value, entries->map->value->size);
}

static void expect_map(struct script_entries *entries, uint64_t top, uint64_t div, const char *expected)
{
	const struct script_choice choice = { top, div };
	struct str to __str = {};

	script_print_map(&to, &names, entries, &choice);
	expect_text(&to, expected);
}

Test(script_print, sorted_by_value)
{
	const struct type *type = type_integer(8, true);
	const struct lang_map map = { .name = "@", .key = type, .value = type };
	struct script_entries entries __cleanup(script_entries_release) = { .map = &map };
	struct str json __str = {};

	add(&entries, &(int64_t){ 1 }, 8, &(int64_t){ -1 });
	add(&entries, &(int64_t){ 2 }, 8, &(int64_t){ -5 });
	add(&entries, &(int64_t){ 3 }, 8, &(int64_t){ 30 });
	expect_map(&entries, 0, 0, "@[2]: -5\n@[1]: -1\n@[3]: 30\n");
	expect_map(&entries, 1, 7, "@[3]: 4\n");
	expect_map(&entries, 9, 0, "@[2]: -5\n@[1]: -1\n@[3]: 30\n");
	script_json_map(&json, &names, SCRIPT_JSON, &entries, &(struct script_choice){});
	expect_text(&json, "{\"type\": \"map\", \"data\": {\"@\": {\"2\": -5, \"1\": -1, \"3\": 30}}}\n");
}

Test(script_print, keys_of_several_parts)
{
	const struct type *u8 = type_integer(1, false);
	const struct type *pair = type_tuple(&pool, (struct type_field[]){ { .type = u8 }, { .type = u8 } }, 2, false);
	const struct lang_map map = { .name = "@y", .key = pair, .value = u8 };
	struct script_entries entries __cleanup(script_entries_release) = { .map = &map };
	struct str json __str = {};

	expect_map(&entries, 0, 0, "");
	add(&entries, "\x02\x01", 2, "\x07");
	add(&entries, "\x01\x02", 2, "\x07");
	expect_map(&entries, 0, 0, "@y[1, 2]: 7\n@y[2, 1]: 7\n");
	script_json_map(&json, &names, SCRIPT_JSON, &entries, &(struct script_choice){});
	expect_text(&json, "{\"type\": \"map\", \"data\": {\"@y\": {\"1,2\": 7, \"2,1\": 7}}}\n");
}

Test(script_print, averages)
{
	const struct type *key = type_string(&pool, 8);
	struct lang_map map = { .name = "@s", .key = key, .value = type_simple(TYPE_STATS) };
	struct script_entries entries __cleanup(script_entries_release) = { .map = &map };
	struct str json __str = {};

	expect_map(&entries, 0, 0, "");
	add(&entries, "b\0\0\0\0\0\0", 8, &(struct lang_average){ 20, 1 });
	add(&entries, "a\0\0\0\0\0\0", 8, &(struct lang_average){ 30, 3 });
	expect_map(&entries, 1, 0, "@s[b]: { .count = 1, .average = 20, .total = 20 }\n");
	expect_map(&entries, 5, 10, "@s[a]: { .count = 3, .average = 1, .total = 30 }\n"
				    "@s[b]: { .count = 1, .average = 2, .total = 20 }\n");
	script_json_map(&json, &names, SCRIPT_JSON, &entries, &(struct script_choice){});
	expect_text(&json,
		    "{\"type\": \"stats\", \"data\": {\"@s\": {\"a\": {\"count\": 3, \"average\": 10, \"total\": 30}, "
		    "\"b\": {\"count\": 1, \"average\": 20, \"total\": 20}}}}\n");
	map.value = type_simple(TYPE_AVG);
	expect_map(&entries, 1, 0, "@s[b]: 20\n");
}

#define BAR_0  "                                                    "
#define BAR_26 "@@@@@@@@@@@@@@@@@@@@@@@@@@                          "
#define BAR_52 "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"

static struct type *hist_type(enum type_kind kind, struct type_hist hist)
{
	struct type *type = (struct type *)type_copy(&pool, type_simple(kind));

	type->hist = hist;
	type->size = hist.buckets * 8;
	return type;
}

static void expect_chart(const struct type *type, const uint64_t *buckets, uint64_t div, const char *expected)
{
	struct str to __str = {};

	script_chart_add(&to, type, buckets, div);
	expect_text(&to, expected);
}

Test(script_chart, powers_of_two)
{
	uint64_t buckets[66] = {};
	const struct type *type = hist_type(TYPE_HIST, (struct type_hist){ .buckets = 66 });

	buckets[0] = buckets[1] = buckets[2] = 1; /* below 0; 0; 1 */
	buckets[4] = 2;				  /* 4 to 7 */
	expect_chart(type, buckets, 0,
		     "(..., 0)               1 |" BAR_26 "|\n"
		     "[0]                    1 |" BAR_26 "|\n"
		     "[1]                    1 |" BAR_26 "|\n"
		     "[2, 4)                 0 |" BAR_0 "|\n"
		     "[4, 8)                 2 |" BAR_52 "|\n");
	memset(buckets, 0, sizeof(buckets));
	buckets[21] = 1;
	buckets[64] = 0;
	expect_chart(type, buckets, 0, "[512K, 1M)             1 |" BAR_52 "|\n");
	expect_chart(type, buckets, 2, "[512K, 1M)             0 |" BAR_52 "|\n");
	memset(buckets, 0, sizeof(buckets));
	expect_chart(type, buckets, 0, "");
}

/* The bounds rise up to the largest number. */
Test(script_chart, highest_bounds)
{
	for (uint32_t bits = 0; bits <= 5; bits++) {
		uint32_t n = 1 + ((64 - bits) << bits);
		const struct type *type = hist_type(TYPE_HIST, (struct type_hist){ .buckets = n, .bits = bits });
		const struct hist hist = script_print_buckets(type);
		int64_t before = INT64_MIN, high;

		for (uint32_t i = 0; i < n; i++) {
			high = hist_high(&hist, i);
			cr_expect(high > before, "%u of %u bits", i, bits);
			before = high;
		}
		cr_expect_eq(before, INT64_MAX, "%u bits", bits);
	}
}

/* Labels as bpftrace prints them of hist(5000000, 1), hist(900000, 1), and of hist(1024, 2), hist(3000, 2). */
Test(script_chart, parts_of_powers)
{
	uint64_t buckets[300] = {};
	const struct type *halves = hist_type(TYPE_HIST, (struct type_hist){ .buckets = 130, .bits = 1 });
	const struct type *quarters = hist_type(TYPE_HIST, (struct type_hist){ .buckets = 257, .bits = 2 });
	const struct hist half = script_print_buckets(halves), quarter = script_print_buckets(quarters);
	uint64_t low;

	for (uint32_t i = 0; i < 130; i++) {
		low = hist_low(&half, i);
		if (low == 786432 || low == 1048576 || low == 1572864)
			buckets[i] = 2;
	}
	expect_chart(halves, buckets, 0,
		     "[768K, 1024K)          2 |" BAR_52 "|\n"
		     "[1024K, 1536K)         2 |" BAR_52 "|\n"
		     "[1536K, 2M)            2 |" BAR_52 "|\n");
	memset(buckets, 0, sizeof(buckets));
	for (uint32_t i = 0; i < 257; i++) {
		low = hist_low(&quarter, i);
		if (low == 7 || low == 1792 || low == 2048)
			buckets[i] = 1;
	}
	cr_expect_eq(buckets[8], 1, "7 has a bucket of its own");
	buckets[8] = 0;
	expect_chart(quarters, buckets, 0,
		     "[1792, 2048)           1 |" BAR_52 "|\n"
		     "[2048, 2560)           1 |" BAR_52 "|\n");
}

Test(script_chart, linear)
{
	uint64_t buckets[12] = {};
	const struct type *three = hist_type(TYPE_LHIST,
					     (struct type_hist){ .buckets = 5, .min = 2, .max = 10, .step = 3 });
	const struct type *kilo =
		hist_type(TYPE_LHIST, (struct type_hist){ .buckets = 12, .min = 0, .max = 10240, .step = 1024 });

	buckets[0] = buckets[1] = buckets[4] = 1;
	expect_chart(three, buckets, 0,
		     "(..., 2)               1 |" BAR_52 "|\n"
		     "[2, 5)                 1 |" BAR_52 "|\n"
		     "[5, 8)                 0 |" BAR_0 "|\n"
		     "[8, 10)                0 |" BAR_0 "|\n"
		     "[10, ...)              1 |" BAR_52 "|\n");
	expect_chart(hist_type(TYPE_LHIST, (struct type_hist){ .buckets = 5, .min = 2, .max = 9, .step = 3 }), buckets,
		     1,
		     "(..., 2)               1 |" BAR_52 "|\n"
		     "[2, 5)                 1 |" BAR_52 "|\n"
		     "[5, 8)                 0 |" BAR_0 "|\n"
		     "[8, 9)                 0 |" BAR_0 "|\n"
		     "[9, ...)               1 |" BAR_52 "|\n");
	expect_chart(hist_type(TYPE_LHIST, (struct type_hist){ .buckets = 5, .min = -1, .max = 2, .step = 1 }), buckets,
		     1,
		     "(..., -1)              1 |" BAR_52 "|\n"
		     "[-1]                   1 |" BAR_52 "|\n"
		     "[0]                    0 |" BAR_0 "|\n"
		     "[1]                    0 |" BAR_0 "|\n"
		     "[2, ...)               1 |" BAR_52 "|\n");
	memset(buckets, 0, sizeof(buckets));
	buckets[1] = buckets[11] = 1;
	buckets[2] = 2;
	for (int i = 3; i < 11; i++)
		buckets[i] = 2;
	{
		struct str to __str = {};

		script_chart_add(&to, kilo, buckets, 0);
		cr_expect(strstr(to.data, "[0, 1K)                1 |" BAR_26 "|\n"));
		cr_expect(strstr(to.data, "[1K, 2K)               2 |" BAR_52 "|\n"));
		cr_expect(strstr(to.data, "[10K, ...)             1 |" BAR_26 "|\n"));
	}
}

Test(script_chart, in_json)
{
	uint64_t buckets[66] = { [0] = 1, [4] = 1 };
	const struct type *type = hist_type(TYPE_HIST, (struct type_hist){ .buckets = 66 });
	const struct lang_map map = { .name = "@h", .value = type };
	struct script_entries entries __cleanup(script_entries_release) = { .map = &map };
	struct str to __str = {};

	add(&entries, NULL, 0, buckets);
	script_json_map(&to, &names, SCRIPT_JSON, &entries, &(struct script_choice){});
	expect_text(&to,
		    "{\"type\": \"hist\", \"data\": {\"@h\": [{\"max\": -1, \"count\": 1},{\"min\": 0, \"max\": 0, "
		    "\"count\": 0},{\"min\": 1, \"max\": 1, \"count\": 0},{\"min\": 2, \"max\": 3, \"count\": 0},"
		    "{\"min\": 4, \"max\": 7, \"count\": 1}]}}\n");
}

Test(script_chart, series)
{
	struct lang_moment ring[4] = { { 8, 3, 1 }, { 5, -5, 1 }, { 6, 5, 2 }, { 3, 9, 1 } };
	struct type *type = hist_type(TYPE_TSERIES, (struct type_hist){ .buckets = 4, .interval = 1000000000 });
	struct str to __str = {};

	type->size = sizeof(ring);
	script_chart_add(&to, type, ring, 0);
	/* the moment 3 is too old; 7 had no value */
	cr_expect(strstr(to.data, "                   -5                                                  5\n"), "%s",
		  to.data);
	cr_expect(strstr(to.data, "hh:mm:ss.ns        |___________________________________________________|\n"));
	cr_expect(strstr(to.data, " *                         .                         | -5\n"), "%s", to.data);
	cr_expect(strstr(to.data, " |                         .                         * 5\n"), "%s", to.data);
	cr_expect(strstr(to.data, " |                         .                         | -\n"), "%s", to.data);
	cr_expect(strstr(to.data, "                   v___________________________________________________v\n"));
	cr_expect_null(strstr(to.data, "| 9\n"));
}

Test(script_chart, percentiles)
{
	static uint64_t buckets[HIST_PRECISE_BUCKETS];
	const struct type *type = hist_type(TYPE_QUANTILES, (struct type_hist){ .buckets = HIST_PRECISE_BUCKETS });

	buckets[5] = 90;
	buckets[100] = 10;
	expect_chart(type, buckets, 0, "count 100, p50 5, p90 5, p99 100, p99.9 100");
}

/* --- values of several processors --- */

Test(script_map, values_are_added_up)
{
	struct type *sum = (struct type *)type_copy(&pool, type_simple(TYPE_SUM));
	struct type *least = (struct type *)type_copy(&pool, type_simple(TYPE_MIN));
	int64_t total = -3;
	struct lang_extreme extreme = {}, other = { 7, 1 };
	struct lang_deviation deviation = { 1, 1, UINT64_MAX, 0 }, more = { 2, 1, 2, 1 };

	sum->is_signed = least->is_signed = true;
	script_map_merge(sum, &total, &(int64_t){ 2 });
	cr_expect_eq(total, -1);
	script_map_merge(least, &extreme, &other);
	cr_expect_eq(extreme.value, 7);
	other.value = -8;
	script_map_merge(least, &extreme, &other);
	cr_expect_eq((int64_t)extreme.value, -8);
	other = (struct lang_extreme){ -9, 0 };
	script_map_merge(least, &extreme, &other);
	cr_expect_eq((int64_t)extreme.value, -8);
	script_map_merge(type_simple(TYPE_STDDEV), &deviation, &more);
	cr_expect_eq(deviation.squares_low, 1);
	cr_expect_eq(deviation.squares_high, 2);
	cr_expect_eq(script_print_deviation(&(struct lang_deviation){ 40, 4, 416, 0 }), 2);
}

/* clear() and zero() forget nothing that comes later. */
Test(script_map, cleared_counts_start_from_zero)
{
	uint64_t shards[16] = { [0] = 5, [8] = 6 };
	char cells[16] = {};
	struct script_memory memory = { .cells = cells, .shards = (char *)shards, .layout = { 2, 64 } };
	struct lang_map of = { .name = "@c", .value = type_simple(TYPE_COUNT), .storage = LANG_CELLS };
	struct script_entries entries __cleanup(script_entries_release) = {};
	struct script_map map __cleanup(script_map_release) = {};

	cr_assert_eq(script_map_init(&map, &of, &memory, NULL, NULL), 0);
	cr_assert_eq(script_map_read(&map, &entries), 0);
	cr_expect_eq(*(const uint64_t *)entries.v[0].value, 11);
	shards[0] += 100;
	cr_assert_eq(script_map_clear(&map, 1), 0);
	shards[8] += 3;
	script_entries_release(&entries);
	map.keeps_shown = true;
	cr_assert_eq(script_map_read_shown(&map, 5, &entries), 0);
	cr_expect_eq(*(const uint64_t *)entries.v[0].value, 3);
	shards[0] += 7; /* between print() and clear() */
	cr_assert_eq(script_map_clear(&map, 6), 0);
	script_entries_release(&entries);
	cr_assert_eq(script_map_read(&map, &entries), 0);
	cr_expect_eq(*(const uint64_t *)entries.v[0].value, 7);
	/* a print() of long ago is none that the clear() belongs to */
	script_entries_release(&entries);
	cr_assert_eq(script_map_read_shown(&map, 7, &entries), 0);
	shards[0] += 9;
	cr_assert_eq(script_map_clear(&map, 10000000000), 0);
	script_entries_release(&entries);
	cr_assert_eq(script_map_read(&map, &entries), 0);
	cr_expect_eq(*(const uint64_t *)entries.v[0].value, 0);
}

Test(script_map, plain_values_without_a_key)
{
	char cells[16] = {};
	struct script_memory memory = { .cells = cells };
	struct lang_map of = { .name = "@p", .value = type_integer(8, true), .storage = LANG_CELL };
	struct script_entries entries __cleanup(script_entries_release) = {};
	struct script_map map __cleanup(script_map_release) = {};

	cr_assert_eq(script_map_init(&map, &of, &memory, NULL, NULL), 0);
	script_map_read(&map, &entries);
	cr_expect_eq(entries.n, 0, "nothing was assigned");
	cells[8] = 1;
	script_map_read(&map, &entries);
	cr_expect_eq(entries.n, 1, "0 was assigned");
	script_entries_release(&entries);
	cells[0] = 5;
	script_map_zero(&map, 1);
	script_map_read(&map, &entries);
	cr_assert_eq(entries.n, 1);
	cr_expect_eq(*(const int64_t *)entries.v[0].value, 0);
	script_entries_release(&entries);
	script_map_clear(&map, 1);
	script_map_read(&map, &entries);
	cr_expect_eq(entries.n, 0);
}
