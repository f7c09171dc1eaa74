// SPDX-License-Identifier: BSD-2-Clause
/* What pprof's and speedscope's files hold. tests/host/stack-files.sh reads large ones with their own readers. */
#include <zlib.h>

#include "stacks_fixture.h"

static const struct files_about about = {
	.title = "a \"title\"",
	.counts = "samples",
	.times = "cpu",
	.period_ns = 1000,
	.began_ns = 5,
	.lasted_ns = 7,
};

static struct str make(const struct file_format *format, const struct stack_row *rows, size_t n,
		       const struct files_about *what)
{
	struct files files = { .has_samples = true };
	struct str text = {};

	for (size_t i = 0; i < n; i++)
		files_row(&files, &profile_schema, &rows[i], NULL);
	files.about = *what;
	tree_finish(&files.tree);
	format->add(&text, &files);
	files_release(&files);
	return text;
}

static void expect_speedscope(const struct stack_row *rows, size_t n, const struct files_about *what, const char *want)
{
	struct str text __str = make(&file_speedscope, rows, n, what);

	cr_expect_str_eq(text.data, want, "'%s', not '%s'", text.data, want);
}

#define SCHEMA \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n" \
	"\"exporter\":\"sonde\",\"name\":\"a \\\"title\\\"\",\n"
#define PROFILE "\"profiles\":[{\"type\":\"sampled\",\"name\":\"a \\\"title\\\"\","

Test(speedscope, merged_stacks)
{
	static const struct frame odd = { .name = "a\n\xff\"", .file = "/lib/\"x\"" };
	const struct stack_row rows[] = {
		{ STACK(&k_read), STACK(&u_main), "cat", 42, 7, 0 },
		{ STACK(&k_read), STACK(&u_main_later), "cat", 43, 1, 0 },
		{ {}, STACK(&odd, &u_main), "cat", 43, 2, 0 },
	};
	struct files_about times = about;

	expect_speedscope(rows, 3, &about,
			  SCHEMA "\"shared\":{\"frames\":["
				 "{\"name\":\"cat\"},\n"
				 "{\"name\":\"main\",\"file\":\"/bin/x\"},\n"
				 "{\"name\":\"a\\n\xef\xbf\xbd\\\"\",\"file\":\"/lib/\\\"x\\\"\"},\n"
				 "{\"name\":\"vfs_read\"}]},\n" PROFILE
				 "\"unit\":\"none\",\"startValue\":0,\"endValue\":10,\n"
				 "\"samples\":[[0,1,2],\n[0,1,3]],\n"
				 "\"weights\":[2,8]}]}\n");
	times.by_time = true;
	expect_speedscope(rows, 1, &times,
			  SCHEMA "\"shared\":{\"frames\":[{\"name\":\"cat\"},\n"
				 "{\"name\":\"main\",\"file\":\"/bin/x\"},\n"
				 "{\"name\":\"vfs_read\"}]},\n" PROFILE
				 "\"unit\":\"microseconds\",\"startValue\":0,\"endValue\":7,\n"
				 "\"samples\":[[0,1,2]],\n\"weights\":[7]}]}\n");
}

Test(speedscope, of_nothing)
{
	expect_speedscope(NULL, 0, &about,
			  SCHEMA "\"shared\":{\"frames\":[]},\n" PROFILE
				 "\"unit\":\"none\",\"startValue\":0,\"endValue\":0,\n"
				 "\"samples\":[],\n\"weights\":[]}]}\n");
}

/* The caller releases. */
static struct str unpack(const struct str *gzip)
{
	z_stream stream = { .next_in = (Bytef *)gzip->data, .avail_in = gzip->len };
	struct str data = {};

	cr_assert_eq(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
	str_add_fill(&data, 0, 1 << 20);
	stream.next_out = (Bytef *)data.data;
	stream.avail_out = data.len;
	cr_assert_eq(inflate(&stream, Z_FINISH), Z_STREAM_END);
	cr_expect_eq(stream.avail_in, 0);
	data.len = stream.total_out;
	inflateEnd(&stream);
	return data;
}

static uint64_t varint(const unsigned char **at, const unsigned char *end)
{
	uint64_t value = 0;

	for (int shift = 0;; shift += 7) {
		cr_assert(*at < end && shift < 64);
		value |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80))
			return value;
	}
}

/* Appends "FIELD=NUMBER " or "FIELD{...} " for each field of a message; strings (field 6 of a profile) as text. */
static void describe(struct str *s, const unsigned char *at, size_t n, bool profile)
{
	const unsigned char *end = at + n;

	while (at < end) {
		uint64_t tag = varint(&at, end), value = varint(&at, end);

		str_addf(s, "%u", (unsigned int)(tag >> 3));
		if ((tag & 7) == 0) {
			str_addf(s, "=%llx ", (unsigned long long)value);
			continue;
		}
		cr_assert_eq(tag & 7, 2);
		cr_assert_leq(value, (uint64_t)(end - at));
		str_addc(s, '{');
		if (profile && tag >> 3 == 6) {
			str_addn(s, (const char *)at, value);
		} else if (profile) {
			describe(s, at, value, false);
		} else {
			for (uint64_t i = 0; i < value; i++)
				str_addf(s, "%02x", at[i]);
		}
		at += value;
		str_add(s, profile ? "}\n" : "} ");
	}
}

static void expect_pprof(const struct stack_row *rows, size_t n, const struct files_about *what, const char *want)
{
	struct str text __str = make(&file_pprof, rows, n, what), data __str = unpack(&text), got __str = {};

	describe(&got, (const unsigned char *)data.data, data.len, true);
	cr_expect_str_eq(got.data, want, "'%s', not '%s'", got.data, want);
}

/* The numbers are those of https://github.com/google/pprof/blob/main/proto/profile.proto. */
Test(pprof, samples_locations_functions_and_mappings)
{
	static const struct frame odd = { .name = "", .symbol = "_Z3odd", .file = "/lib/\xff.so" };
	const struct stack_row rows[] = {
		{ STACK(&k_read), STACK(&odd), "cat", 42, 300, 0 },
		{ {}, STACK(&odd, &u_main), "cat", 42, 1, 0 },
		{ {}, STACK(&u_main_later), "cat", 42, 1, 0 },
		{ STACK(&k_read), STACK(&odd), "cat", 42, 1, 0 },
		{ {}, {}, "cat", 7, 1, 0 },
	};

	expect_pprof(rows, 5, &about,
		     /* sample types: samples count, cpu nanoseconds */
		     "1{1=4 2=5 }\n1{1=6 2=7 }\n"
		     /* k_read is location 1 in mapping 1, line of function 1 */
		     "4{1=1 2=1 3=ffffffff81000010 4{0801} }\n4{1=2 2=2 4{0802} }\n"
		     /* 301 samples, 301,000 ns; comm is string 1 and its text string 2, pid is string 3 and 42 */
		     "2{1{0102} 2{ad02c8af12} 3{08011002} 3{0803182a} }\n"
		     "4{1=3 2=3 3=2020 4{0803} }\n"
		     "2{1{0203} 2{01e807} 3{08011002} 3{0803182a} }\n"
		     /* another place in main, function 3 */
		     "4{1=4 2=3 3=2040 4{0803} }\n"
		     "2{1{04} 2{01e807} 3{08011002} 3{0803182a} }\n"
		     "4{1=5 4{0804} }\n"
		     "2{1{05} 2{01e807} 3{08011002} 3{08031807} }\n"
		     /* period type, period, time, duration, comment */
		     "11{1=6 2=7 }\n12=3e8 9=5 10=7 13=10 "
		     /* mappings of the program, the library, the kernel */
		     "3{1=3 3=2041 5=e 7=1 }\n3{1=2 3=1 5=c 7=1 }\n3{1=1 3=ffffffff81000011 5=9 7=1 }\n"
		     "5{1=1 2=8 3=8 }\n5{1=2 2=a 3=b }\n5{1=3 2=d 3=d }\n5{1=4 2=f 3=f }\n"
		     "6{}\n6{comm}\n6{cat}\n6{pid}\n6{samples}\n6{count}\n6{cpu}\n6{nanoseconds}\n6{vfs_read}\n"
		     "6{[kernel.kallsyms]}\n6{[unknown]}\n6{_Z3odd}\n6{/lib/\\xff.so}\n"
		     "6{main}\n6{/bin/x}\n6{[no stack]}\n6{a \"title\"}\n");
}

/* Ids follow the order of the samples, the order of the mappings does not. */
Test(pprof, program_with_most_samples_comes_first)
{
	static const struct frame starter = { .name = "start", .file = "/bin/s", .address = 0x10 };
	static const struct frame other = { .name = "other", .file = "/bin/y", .address = 0x30 };
	const struct stack_row rows[] = {
		{ STACK(&k_read), STACK(&starter), "s", 42, 2, 0 },
		{ {}, STACK(&u_main), "x", 42, 2, 0 },
		{ {}, STACK(&u_main_later), "x", 42, 1, 0 },
		{ {}, STACK(&other), "x", 42, 1, 0 },
	};
	struct str text __str = make(&file_pprof, rows, 4, &about), data __str = unpack(&text), got __str = {};
	static const char want[] = "3{1=3 3=2041 5=e 7=1 }\n3{1=2 3=11 5=c 7=1 }\n3{1=4 3=31 5=10 7=1 }\n"
				   "3{1=1 3=ffffffff81000011 5=a 7=1 }\n";

	describe(&got, (const unsigned char *)data.data, data.len, true);
	cr_expect(strstr(got.data, want), "no '%s' in '%s'", want, got.data);
}

Test(pprof, of_nothing_and_without_times)
{
	struct files_about counts = about;

	counts.times = NULL;
	expect_pprof(NULL, 0, &counts, "1{1=1 2=2 }\n9=5 10=7 13=3 6{}\n6{samples}\n6{count}\n6{a \"title\"}\n");
}
