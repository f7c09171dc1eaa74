// SPDX-License-Identifier: BSD-2-Clause
/* From text to three-address code. Programs of begin only: they need nothing of the machine that runs the test. */
#include <criterion/criterion.h>

#include "kernel/kernel.h"
#include "lang/check/check.h"
#include "lang/lower/lower.h"
#include "tests/lang/show.h"

struct fixture {
	struct lang_program program;
	struct lang_options options;
	struct checked_program checked;
	struct ir_program ir;
	struct str text;
	bool ok;
};

static void release(struct fixture *f)
{
	ir_program_release(&f->ir);
	str_release(&f->text);
	free(f->checked.probes.v);
	vec_each(probe, &f->program.probes)
		target_set_release(&probe->targets);
	free(f->program.probes.v);
	free(f->program.maps.v);
	free(f->program.sites.v);
	free(f->program.places.v);
	free(f->program.texts.v);
	free(f->program.options.v);
	ctypes_free(f->program.types);
	lang_messages_release(&f->program.messages);
	lang_sources_release(&f->program.sources);
	pool_release(&f->program.pool);
}

static const char *no_environment(const char *name)
{
	return NULL;
}

/* Lowers the first probe of a program. */
static void lower(struct fixture *f, const char *text, bool is_new)
{
	const struct parse_options parse = {};
	struct ast_program *ast;
	uint32_t source;

	kernel_set_root("/nonexistent");
	f->options = (struct lang_options){ .n_cpus = 3, .n_shards = 4, .getenv = no_environment };
	if (is_new)
		memset(&f->options.features, 1, sizeof(f->options.features));
	f->options.features.btf = false;
	source = lang_sources_add(&f->program.sources, "stdin", text, strlen(text));
	f->program.types = ctypes_new(&f->program.pool);
	ast = lang_parse(&f->program.sources, source, &parse, f->program.types, &f->program.pool, &f->program.messages);
	f->ok = ast && !f->program.messages.errors && lang_check(&f->program, ast, &f->options, &f->checked) &&
		lang_lower(&f->program, f->checked.probes.v, &f->options, &f->ir);
	if (f->ok) {
		ir_show(&f->ir, &f->text);
		return;
	}
	lang_messages_show(&f->program.messages, &f->program.sources, true, &f->text);
}

#define FIXTURE __cleanup(release) struct fixture f = {}

/* All of it, so that each instruction that is added to a hit is seen. */
Test(lang_lower, counting_takes_no_lookup)
{
	FIXTURE;

	lower(&f, "begin { @ = count(); }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_not_null(strstr(f.text.data, "\tv3 = helper 8\n"
					       "\tv4 = and v3, 3\n"
					       "\tv5 = mul v4, 64\n"
					       "\tv6 = data 1\n"
					       "\tv7 = add v6, v5\n"
					       "\tv8 = patch 0x736f6e6465536872\n"),
			   "%s", f.text.data);
	cr_assert_null(strstr(f.text.data, "library"));
	cr_assert_null(strstr(f.text.data, "helper 1 "));
	cr_assert_null(strstr(f.text.data, "object"));
}

Test(lang_lower, a_new_key_is_added_with_zeros_and_counted_if_the_map_is_full)
{
	FIXTURE;

	lower(&f, "begin { @[1] += 2; }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_not_null(strstr(f.text.data, "helper 2 "), "%s", f.text.data);
	cr_assert_not_null(strstr(f.text.data, "library map_full 0"));
	cr_assert_not_null(strstr(f.text.data, "atomic_add"));
}

/* Adds and returns by one instruction only where the kernel has it. */
Test(lang_lower, the_old_value_by_what_the_kernel_has)
{
	for (int is_new = 0; is_new < 2; is_new++) {
		FIXTURE;

		lower(&f, "begin { $x = @a++; print($x); }", is_new);
		cr_assert(f.ok, "%s", f.text.data);
		cr_assert_eq(!!strstr(f.text.data, " = atomic"), is_new, "%s", f.text.data);
	}
}

/* The value that nobody uses is not read. */
Test(lang_lower, a_step_whose_value_is_not_used_only_adds)
{
	FIXTURE;

	lower(&f, "begin { @a++; }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_null(strstr(f.text.data, "load"), "%s", f.text.data);
	cr_assert_not_null(strstr(f.text.data, "atomic_add"));
}

Test(lang_lower, short_texts_are_reserved_in_place_and_long_ones_built_in_scratch_memory)
{
	FIXTURE;
	__cleanup(release) struct fixture g = {};

	lower(&f, "begin { printf(\"%s %d\\n\", comm, 5); }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_not_null(strstr(f.text.data, "library submit"), "%s", f.text.data);
	cr_assert_eq(f.program.scratch_size, 0);
	lower(&g, "begin { printf(\"%s\\n\", str(kptr(curtask))); }", true);
	cr_assert(g.ok, "%s", g.text.data);
	cr_assert_not_null(strstr(g.text.data, "library output"), "%s", g.text.data);
	cr_assert_not_null(strstr(g.text.data, "library scratch_free"));
	cr_assert_geq(g.program.scratch_size, 16 + 8 + 1024);
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		text++;
		n++;
	}
	return n;
}

/* A short record is tried first, and only a string that is longer claims scratch memory. */
Test(lang_lower, scratch_memory_is_claimed_where_a_string_is_longer)
{
	FIXTURE;
	__cleanup(release) struct fixture all = {};
	const char *discard;

	lower(&f, "begin { printf(\"%s\\n\", str(kptr(curtask))); }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_lt(strstr(f.text.data, "helper 131 "), strstr(f.text.data, "library scratch\n"), "%s", f.text.data);
	discard = strstr(f.text.data, "library discard");
	cr_assert_not_null(discard);
	cr_assert_eq(count_of(f.text.data, "library scratch\n"), 1);
	cr_assert_eq(count_of(f.text.data, "library scratch_free"), 1);
	lower(&all, "begin { @[str(kptr(curtask))] = 1; printf(\"%s\\n\", str(kptr(curtask))); }", true);
	cr_assert(all.ok, "%s", all.text.data);
	cr_assert_gt(strstr(all.text.data, "helper 131 "), strstr(all.text.data, "library scratch\n"));
	cr_assert_eq(count_of(all.text.data, "library scratch\n"), 1);
	cr_assert_eq(count_of(all.text.data, "library scratch_free"), 1);
}

/* Other reads would be counted twice. */
Test(lang_lower, a_short_record_is_tried_if_nothing_else_may_fail)
{
	FIXTURE;
	__cleanup(release) struct fixture g = {};

	lower(&f, "begin { @[1] = \"x\"; printf(\"%d%s%s%s\", pid, comm, @[1], str(uptr(curtask))); }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_eq(count_of(f.text.data, "library discard"), 1, "%s", f.text.data);
	lower(&g, "begin { printf(\"%s%s\", str(uptr(16), 8), str(uptr(curtask))); }", true);
	cr_assert(g.ok, "%s", g.text.data);
	cr_assert_null(strstr(g.text.data, "library discard"), "%s", g.text.data);
}

/* Kernels before 6.14 return 0 for an empty string of a user: one less is compared. */
Test(lang_lower, an_empty_string_is_short)
{
	FIXTURE;
	__cleanup(release) struct fixture g = {};

	lower(&f, "begin { printf(\"%s\", str(uptr(curtask))); }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_eq(count_of(f.text.data, " == -1: "), 1, "%s", f.text.data);
	lower(&g, "begin { printf(\"%s\", str(kptr(curtask))); }", true);
	cr_assert(g.ok, "%s", g.text.data);
	cr_assert_null(strstr(g.text.data, " == -1: "), "%s", g.text.data);
}

/* A read that fails is counted, with one comparison for those that do not. */
Test(lang_lower, failed_reads_are_counted)
{
	FIXTURE;

	lower(&f, "begin { @ = *kptr((uint64 *)curtask); }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_eq(count_of(f.text.data, "library loss 2"), 1, "%s", f.text.data);
}

/* They would not all have room in registers and on the stack. */
Test(lang_lower, many_arguments_are_written_one_by_one)
{
	FIXTURE;

	lower(&f,
	      "begin { printf(\"%d%d%d%d%d%d%d%d%d\", @a[1], @a[2], @a[3], @a[4], @a[5], @a[6], @a[7], @a[8], @a[9]); "
	      "@a[1] = 1; }",
	      true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_null(strstr(f.text.data, "helper 131 "), "%s", f.text.data);
	cr_assert_not_null(strstr(f.text.data, "library output"));
}

/* No byte of a key may be left over from something else. */
Test(lang_lower, gaps_in_keys_are_zero)
{
	FIXTURE;

	lower(&f, "begin { @[(uint8)1, nsecs] = 5; }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_not_null(strstr(f.text.data, "store8 v"), "%s", f.text.data);
	cr_assert_not_null(strstr(f.text.data, " + 1, 0\n"));
	cr_assert_not_null(strstr(f.text.data, " + 2, 0\n"));
	cr_assert_not_null(strstr(f.text.data, " + 4, 0\n"));
}

/* comm == "bash" is two words, not a loop. */
Test(lang_lower, a_literal_is_compared_by_words)
{
	FIXTURE;

	lower(&f, "begin { if (comm == \"bash\") { @++; } }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_null(strstr(f.text.data, "library"), "%s", f.text.data);
	cr_assert_not_null(strstr(f.text.data, "== 1752392034"), "%s", f.text.data);
}

/* A loop that the kernel runs has its body in a function, and shares variables through an object. */
Test(lang_lower, a_long_loop_is_a_function)
{
	FIXTURE;

	lower(&f, "begin { $s = 0; for ($i : 0..1000) { $s += $i; } print($s); }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_eq(f.ir.functions.n, 2);
	cr_assert_not_null(strstr(f.text.data, "helper 181 "), "%s", f.text.data);
}

/* A loop over a list of the kernel's may have any number of turns. */
Test(lang_lower, a_loop_without_a_known_end_is_ended)
{
	FIXTURE;
	__cleanup(release) struct fixture g = {}, old = {};

	lower(&f, "begin { $p = nsecs; while ($p != 0) { $p = *kptr((uint64 *)$p); } }", true);
	cr_assert(f.ok, "%s", f.text.data);
	cr_assert_not_null(strstr(f.text.data, "library loss 4"), "%s", f.text.data);
	lower(&old, "begin { $p = nsecs; while ($p != 0) { $p = *kptr((uint64 *)$p); } }", false);
	cr_assert(old.ok, "%s", old.text.data);
	cr_assert_not_null(strstr(old.text.data, "library loss 3"), "%s", old.text.data);
	lower(&g, "begin { $i = 0; while ($i < 1000) { $i++; } }", true);
	cr_assert(g.ok, "%s", g.text.data);
	cr_assert_null(strstr(g.text.data, "library loss"), "%s", g.text.data);
}

static const char *const programs[] = {
	"begin { @x = 1; @x += 2; @x++; ++@x; print(@x); @y = \"hello\"; printf(\"%s %d\\n\", @y, @x); clear(@x); }",
	"begin { @m[1] = 2; delete(@m[1]); delete(@m, 3); if (has_key(@m, 1)) { print(1); } zero(@m); }",
	"begin { @[pid, comm] = count(); @s[comm] = sum(5); @m = min(-3); @mm = max(7); @a = avg(3); @t = stats(4); }",
	"begin { @ = lhist(5, 0, 1000, 100); @h[comm] = hist(nsecs); @l[pid] = lhist(-1, 0, 100, 10); @d = stddev(3); "
	"}",
	"begin { @t = tseries(5, 1s, 10); @u[pid] = tseries(3, 100ms, 5, \"avg\"); @q = quantiles(5); @q2[1] = "
	"quantiles(7); }",
	"begin { $i = 0; while ($i < 10) { printf(\"%d \", $i); if ($i > 5) { break; } if ($i == 2) { continue; } "
	"$i++; } }",
	"begin { unroll(3) { print(\"x\"); } for ($i : 0..5) { print($i); if ($i == 3) { break; } } }",
	"begin { @m[1] = 2; for ($kv : @m) { print($kv.0); if ($kv.1 > 3) { return; } print($kv); } exit(); print(1); "
	"}",
	"begin { $n = 0; @x[1] = 5; for ($kv : @x) { for ($i : 0..200) { $n += $i; if ($i > $kv.1) { break; } } } "
	"print($n); }",
	"begin { $a = (1, \"hello\"); $b = (3, 4, $a); print($b); print($b.2.1); @t[1] = $b; $c = @t[1]; print($c == "
	"$b); }",
	"begin { $x = 5; $y = $x > 3 ? 10 : 20; $s = $x > 3 ? \"yes\" : \"no\"; print($s); $x > 1 ? print(1) : "
	"print(2); }",
	"begin { let $x; $x = 10; $x <<= 2; $x |= 1; $x ^= 3; $x %= 7; $x /= 2; print(-$x); print(~$x); print(!$x); }",
	"begin { $a = (int8[8])12345; printf(\"%x\\n\", $a[0]); printf(\"%d\\n\", (uint64)$a); $i = 1; print($a[$i]); "
	"}",
	"begin { printf(\"%s %s %s\\n\", ksym(5), usym(6), ntop(10, pton(\"::1\"))); }",
	"begin { @c = count(); if (@c > 1) { printf(\"%d\\n\", (int64)@c); } @a[1] = avg(3); printf(\"%d\\n\", "
	"(int64)@a[1]); }",
	"begin { $v = 0; @m[1] = 5; if (find(@m, 1, $v)) { print($v); } print(len(@m)); }",
	"begin { $x = { let $b = 1; $b + 1 }; print($x); @r = (a=1, b=\"x\"); print(@r.b); }",
	"begin { @s = \"abc\"; if (strcontains(@s, \"b\")) { print(strstr(@s, \"c\")); } print(strncmp(@s, \"abd\", "
	"2)); }",
	"begin { join(curtask); time(\"%H\"); cat(\"/x\"); errorf(\"x %d\", 1); warnf(\"y %s\", comm); printf(\"%r\", "
	"buf(curtask, 8)); }",
	"begin { printf(\"%s %s %d %d\\n\", pcomm, username, ppid, jiffies); print((uid, gid, cpu, numaid, rand, "
	"cgroup, elapsed)); }",
	"begin { @a[kstack, ustack] = count(); print(kstack); @b[comm] = (nsecs, kstack(3)); "
	"print(bswap((uint32)nsecs)); }",
	"begin { $s = str(curtask); @[$s] = count(); if ($s == comm || $s != \"x\" && pid > 5) { print($s); } }",
	"begin { print(strftime(\"%H\", nsecs)); print(strerror(2)); print(syscall_name(1)); print(nsecs(monotonic)); "
	"}",
	"begin { @p = \"/a/b\"; print(basename(@p)); print(dirname(@p)); print(substr(@p, 1, 2)); print(globmatch(@p, "
	"\"*[a-c]?\")); }",
	"begin { $n = nsecs; @x = str(curtask, $n); @y[str(curtask, $n)] = buf(curtask, $n); printf(\"%s\", substr(@x, "
	"$n)); }",
	"let @l = lruhash(9); let @p = percpuhash(5); begin { @l[1] = 2; @p[1] = count(); @p[2] = count(); "
	"print(@l[1]); }",
};

/* Each program is well-formed, whatever the kernel has. */
Test(lang_lower, programs_are_well_formed)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		FIXTURE;
		const char *wrong;

		lower(&f, programs[i], true);
		cr_assert(f.ok, "%s: %s", programs[i], f.text.data);
		wrong = ir_check(&f.ir);
		cr_assert_null(wrong, "%s: %s\n%s", programs[i], wrong, f.text.data);
	}
}
