// SPDX-License-Identifier: BSD-2-Clause
/* The checker: types of maps, variables and records, and what it refuses. Programs that need no kernel. */
#include <criterion/criterion.h>

#include "lang/check/check.h"
#include "lang/lang.h"
#include "lang/tree/parse.h"

static const char *no_environment(const char *name)
{
	return NULL;
}

static const struct lang_options defaults = {
	.features = { .large_keys = true,
		      .fetching_atomics = true,
		      .for_each = true,
		      .cookies = true,
		      .func_args = true,
		      .loop = true,
		      .strncmp = true,
		      .percpu_lookup = true,
		      .tai = true },
	.n_cpus = 4,
	.n_shards = 4,
	.getenv = no_environment,
};

/* What check() found: freed with checked_release(). */
struct result {
	struct lang_program *program;
	struct checked_program checked;
	bool ok;
};

static struct result check_with(const char *text, const struct lang_options *options)
{
	struct result result = { .program = base_alloc(sizeof(struct lang_program)) };
	struct lang_program *program = result.program;
	const struct parse_options parse = { .positional = options->positional, .n_positional = options->n_positional };
	uint32_t source = lang_sources_add(&program->sources, "stdin", text, strlen(text));
	struct ast_program *ast;

	program->types = ctypes_new(&program->pool);
	ast = lang_parse(&program->sources, source, &parse, program->types, &program->pool, &program->messages);
	result.ok = ast && lang_check(program, ast, options, &result.checked);
	return result;
}

static void result_release(struct result *result)
{
	free(result->checked.probes.v);
	lang_program_free(result->program);
}

#define __result __cleanup(result_release)

/* The types of maps and of what is printed, as text: "@x[uint32]=count_t print int8". */
static void show(const struct result *result, struct str *to)
{
	vec_each(map, &result->program->maps) {
		str_addf(to, "%s%s", to->len ? " " : "", (*map)->name);
		if ((*map)->key) {
			str_add(to, "[");
			type_show((*map)->key, to);
			str_add(to, "]");
		}
		str_add(to, "=");
		type_show((*map)->value, to);
	}
	vec_each(site, &result->program->sites)
		for (uint32_t i = 0; i < (*site)->n_args; i++) {
			str_add(to, to->len ? " " : "");
			type_show((*site)->args[i].type, to);
		}
}

static const struct good {
	const char *text, *types;
} goods[] = {
	/* integers: a literal has the least signed type, what can grow has 64 bits */
	{ "BEGIN { print(1); print(-129); print(40000); print(0xffffffffffffffff) }", "int8 int16 int32 uint64" },
	{ "BEGIN { static_assert(7 / 0 == 1 && 7 % 0 == 1); print((int8)-7 / 0 == 1) }", "bool" }, /* with a warning */
	{ "BEGIN { print(1 + 1); print(100 + 100); print(1 << 40); print(~0) }", "int8 int16 int64 int8" },
	{ "BEGIN { $a = 1; $a = -1000; print($a) }", "int16" },
	{ "BEGIN { $a = 1; $a++; print($a) }", "int64" },
	{ "BEGIN { $a = (uint8)1; $a++; print($a) }", "uint64" },
	{ "BEGIN { $a = (uint32)5; $a |= 1; print($a); $b = (uint32)5; $b += 1; print($b) }", "uint32 uint64" },
	{ "BEGIN { print(nsecs - 1); print(nsecs + 1); print(pid % 10); print((uint32)5 / 2) }",
	  "int64 uint64 uint32 uint32" },
	{ "BEGIN { $c = (uint64)1; $d = (int64)-1; $c = $d; print($c) }", "int64" },
	{ "BEGIN { $a = (uint32)1; $a = (int8)-1; print($a) }", "int64" },
	{ "BEGIN { @a = 5; @b++; @c += pid; @d -= 1 }", "@a=int8 @b=int64 @c=uint64 @d=int64" },
	{ "BEGIN { print(1 == 2); print(!pid); print(pid && 1); print(true) }", "bool bool bool bool" },
	{ "BEGIN { $x = (uint64)10; print($x * -1); print($x * 2); $y = -1; print($x + $y); print(pid * -1) }",
	  "int64 uint64 int64 int64" },
	{ "BEGIN { let $z; print($z) }", "int64" },
	{ "BEGIN { let $a: uint16 = 3; $a = 70000; print($a) }", "uint16" },
	/* text grows to the longest */
	{ "BEGIN { @x = \"a\"; @x = \"abc\"; $y = \"ab\"; $y = comm; print($y) }", "@x=string[4] string[16]" },
	{ "BEGIN { @[comm] = 1; @[\"a longer text than a comm\"] = 2 }", "@[string[26]]=int8" },
	{ "BEGIN { print(str(0)); print(str(0, 10)); print(str(0, 5000)) }", "string[1024] string[10] string[1024]" },
	{ "config = { max_strlen = 100 } BEGIN { print(str(0)); print(buf(0, 200)) }", "string[100] buffer[100]" },
	{ "BEGIN { print(5 > 3 ? \"a\" : \"bcd\") }", "string[4]" },
	/* keys */
	{ "BEGIN { @[pid, comm] = count(); @b[1] = 1; @b[300] = 2 }", "@[(uint32,string[16])]=count_t @b[int16]=int8" },
	{ "BEGIN { @[(1, \"a\")] = 1; @[1, \"abc\"] = 2 }", "@[(int8,string[4])]=int8" },
	{ "BEGIN { @[kstack] = count(); @u[ustack(perf, 3)] = sum(-1) }", "@[kstack]=count_t @u[ustack]=sum_t" },
	/* types flow between probes, whatever their order */
	{ "END { print(@t[1]) } BEGIN { @t[5] = nsecs }", "@t[int8]=uint64 uint64" },
	{ "BEGIN { $x = @a; @b = $x } END { @a = comm }", "@a=string[16] @b=string[16]" },
	/* aggregates are read as integers */
	{ "BEGIN { @c = count(); print(@c + 1); printf(\"%d\", @c); print((int64)@c) }",
	  "@c=count_t uint64 uint64 int64" },
	{ "BEGIN { @s = sum(-3); @m = max(pid); if (@s > 1) { print(@m - 1) } }", "@s=sum_t @m=max_t int64" },
	{ "BEGIN { @h = hist(1); @l = lhist(5, 0, 100, 10); @t = tseries(1, 1s, 5) }",
	  "@h=hist_t @l=lhist_t @t=tseries_t" },
	/* tuples and records */
	{ "BEGIN { $t = (1, \"a\"); $t = (300, \"abc\"); print($t); print($t.1); print($t[0]) }",
	  "(int16,string[4]) string[4] int16" },
	{ "BEGIN { @[1] = \"x\"; for ($kv : @) { print($kv); print($kv.0) } }",
	  "@[int8]=string[2] (int8,string[2]) int8" },
	{ "BEGIN { @[1, 2] = count(); for ($kv : @) { print($kv.0.1); print($kv.1) } }",
	  "@[(int8,int8)]=count_t int8 uint64" },
	/* what is known before the program runs */
	{ "BEGIN { print(sizeof(uint32)); print(strlen(\"abc\")); print(bswap((uint16)1)) }", "uint64 uint64 uint16" },
	{ "BEGIN { print(pton(\"1.2.3.4\")); print((uint32)pton(\"1.2.3.4\")); print(pton(\"::1\")) }",
	  "uint8[4] uint32 uint8[16]" },
	{ "BEGIN { if comptime (is_str(comm)) { print(1) } else { print(comm.x) } }", "int8" },
	{ "BEGIN { print(getopt(\"a\", false) ? strftime(\"%H\", nsecs) : \"\"); print(getopt(\"b\", true) ? nsecs : "
	  "\"\") }",
	  "string[1] uint64" },
	{ "struct foo { int a; struct { char c; short d; } in; } BEGIN { print(offsetof(struct foo, in.d)) }",
	  "uint64" },
	{ "struct foo { uint32 a; uint8 b[4]; } BEGIN { $f = (struct foo *)0; print($f.a); print($f->b[1]) }",
	  "uint32 uint8" },
	/* functions that are values, values that are functions */
	{ "BEGIN { print(pid()); print(kstack()); print(nsecs(monotonic)); exit }", "uint32 kstack uint64" },
	{ "BEGIN { if (find(@x, 1, $v)) { print($v) } @x[1] = comm; let $v }", NULL },
	{ "BEGIN { let $v; if (find(@x, 1, $v)) { print($v) } @x[1] = comm }", "@x[int8]=string[16] string[16]" },
	{ "BEGIN { print({ let $b = 1; $b }); if (comm) { print(1) } }", "int8 int8" },
};

Test(lang_check, types)
{
	for (size_t i = 0; i < ARRAY_SIZE(goods); i++) {
		__result struct result result = check_with(goods[i].text, &defaults);
		__str struct str text = {};

		if (!goods[i].types) {
			cr_expect(!result.ok, "%s", goods[i].text);
			continue;
		}
		if (!result.ok)
			lang_messages_show(&result.program->messages, &result.program->sources, false, &text);
		cr_expect(result.ok, "%s: %s", goods[i].text, str_or_empty(text.data));
		show(&result, &text);
		cr_expect_str_eq(str_or_empty(text.data), goods[i].types, "%s: %s", goods[i].text,
				 str_or_empty(text.data));
	}
}

/* Programs with one mistake, and the first message. */
static const struct bad {
	const char *text, *message;
} bads[] = {
	{ "BEGIN { print($a) }", "Undefined or undeclared variable: $a" },
	{ "BEGIN { print(@a) }", "Undefined map: @a" },
	{ "BEGIN { $a = 1; $a = \"x\" }",
	  "Type mismatch for $a: trying to assign value of type 'string[2]' when variable "
	  "already has a type 'int8'" },
	{ "BEGIN { @a = 1; @a = \"x\" }", "Type mismatch for @a: trying to assign value of type 'string[2]' when map "
					  "already contains a value of type 'int8'" },
	{ "BEGIN { @a = 1; @a[1] = 1 }",
	  "@a used as a map with an explicit key (non-scalar map), previously used without an "
	  "explicit key (scalar map)" },
	{ "BEGIN { @a[1] = 1; @a[\"x\"] = 1 }",
	  "Argument mismatch for @a: trying to access with arguments: 'string[2]' when "
	  "map expects arguments: 'int8'" },
	{ "BEGIN { @a = count(); @a = 5 }",
	  "Type mismatch for @a: it holds 'count_t', and only such a call can be assigned to "
	  "it" },
	{ "BEGIN { $a = count() }", "count() must be assigned directly to a map" },
	{ "BEGIN { @a = count(); @b = @a }",
	  "Map value 'count_t' cannot be assigned from one map to another: call the function, "
	  "as in @x = count()" },
	{ "BEGIN { prinf(\"a\") }", "Unknown function: 'prinf'" },
	{ "BEGIN { print(pidd) }", "Unknown identifier: 'pidd'" },
	{ "BEGIN { print(arg0) }", "arg0 can not be used with 'begin' probes" },
	{ "BEGIN { printf(\"%d\") }", "printf: Not enough arguments for format string (0 supplied, 1 expected)" },
	{ "BEGIN { printf(\"%d\", 1, 2) }", "printf: Too many arguments for format string (2 supplied, 1 expected)" },
	{ "BEGIN { printf(\"%s\", (int8 *)1) }",
	  "printf: %s specifier expects a value of type string (int8 * supplied)" },
	{ "BEGIN { printf(\"%d\", comm) }",
	  "printf: %d specifier expects a value of type integer (string[16] supplied)" },
	{ "BEGIN { printf(\"%z\", 1) }", "printf: Unknown format string token: %z" },
	{ "BEGIN { printf(comm) }", "printf() expects a string literal here, 'string[16]' provided" },
	{ "BEGIN { system(\"ls\") }", "system() is an unsafe function being used in safe mode" },
	{ "BEGIN { print(\"a\" + 1) }", "the '+' operator cannot be used on 'string[2]' and 'int8'" },
	{ "BEGIN { if (\"a\" == 1) { } }", "Type mismatch for '==': comparing 'string[2]' with 'int8'" },
	{ "BEGIN { print(1 ? 1 : \"a\") }", "Ternary operator must return the same type: have 'int8' and 'string[2]'" },
	{ "BEGIN { print((1, 2).2) }", "Invalid tuple index: 2. Found 2 elements in tuple." },
	{ "BEGIN { break }", "'break' statement must be inside a loop" },
	{ "BEGIN { unroll(0) { } }", "unroll minimum value is 1" },
	{ "BEGIN { $n = 3; unroll($n) { } }", "unroll() needs a number that is known before the program runs" },
	{ "BEGIN { if ($1 < 2) { fail(\"too small: %d\", $1) } }", "too small: 0" },
	{ "BEGIN { static_assert(1 == 2, \"no\") }", "static assertion failed: no" },
	{ "BEGIN { @a = lhist(1, 0, 10, 0) }", "lhist() step must be >= 1 (0 provided)" },
	{ "BEGIN { @a = hist(1, 6) }", "hist: bits 6 must be 0..5" },
	{ "BEGIN { @a = hist(comm) }", "the argument of hist() must be an integer, not 'string[16]'" },
	{ "BEGIN { delete(@a) } END { @a[1] = 1 }",
	  "delete() expects a map with no keys for the first argument: give a key of "
	  "@a" },
	{ "BEGIN { @a = 1; print(has_key(@a, 1)) }",
	  "has_key() expects a map with explicit keys (non-scalar map), @a has none" },
	{ "BEGIN { @a = 1; for ($kv : @a) { } }",
	  "@a has no explicit keys (scalar map), and cannot be used for iteration" },
	{ "let @a = hash(5); BEGIN { @a[1] = count() }",
	  "Incompatible map types. Type from declaration: hash. Type from "
	  "value/key type: percpuhash" },
	{ "let @a = hsh(5); BEGIN { @a[1] = 1 }", "Invalid bpf map type: hsh" },
	{ "config = { max_strlenn = 5 } BEGIN { }", "Unrecognized config variable: max_strlenn" },
	{ "config = { max_strlen = 99999 } BEGIN { }",
	  "Invalid value for max_strlen: '99999' is not a number from 1 to 65536" },
	{ "BEGIN { let $a; let $a }", "Variable $a was already declared" },
	{ "BEGIN { $x = 1; if ($x) { let $x = 2 } }",
	  "Variable $x was already declared: it would hide the variable of the block "
	  "around" },
	{ "BEGIN { $p = (uint64)5; print($p.x) }", "Can not access field 'x' on expression of type 'uint64'" },
	{ "struct foo { int abc; } BEGIN { print(((struct foo *)0).abd) }",
	  "'struct foo' does not have a field named 'abd'" },
	{ "BEGIN { print(kstack(fast)) }", "Invalid stack mode: 'fast': there are bpftrace, perf, raw and build_id" },
	{ "BEGIN { print(nsecs(bot)) }", "Invalid argument of nsecs(): 'bot'" },
	{ "BEGIN { print(strlen(5)) }", "strlen() expects a string here (int8 provided)" },
	{ "BEGIN { print(pton(\"1.2.3\")) }", "pton() expects a string argument of an IPv4/IPv6 address, got 1.2.3" },
	{ "BEGIN { print(str(1, -1)) }", "str() cannot use negative length (-1)" },
	{ "BEGIN { print((uint8[3])(uint32)5) }", "Cannot cast from \"uint32\" to \"uint8[3]\": they differ in size" },
	{ "BEGIN { print(getopt(pid)) }", "getopt() expects a string literal here, 'uint32' provided" },
	{ "BEGIN { exit(1, 2) }", "exit() takes up to 1 argument (2 provided)" },
};

static const char *first_error(const struct result *result)
{
	vec_each(message, &result->program->messages)
		if (message->severity == LANG_ERROR)
			return message->text;
	return "";
}

/* What older kernels cannot do, and what to use there. */
Test(lang_check, older_kernels)
{
	static const struct bad refused[] = {
		{ "BEGIN { @[1] = 1; for ($kv : @) { print($kv) } }",
		  "this kernel cannot loop over a map (Linux 5.13 can): print(@) shows all of it" },
		{ "BEGIN { @[1] = count(); print(@[1] + 1) }",
		  "this kernel cannot read the value of all processors from @ (Linux 5.19 can)" },
		{ "BEGIN { @[1] = 1; print(len(@)) }", "this kernel cannot count the keys of a map (Linux 5.13 can)" },
		{ "BEGIN { print(nsecs(tai)) }", "this kernel cannot read the TAI clock in programs (Linux 6.1 can)" },
		{ "BEGIN { @[str(0), str(1)] = 1 }",
		  "the key of @ has 960 bytes, and this kernel allows 512 (Linux 5.11 allows more)" },
	};
	struct lang_options options = defaults;

	memset(&options.features, 0, sizeof(options.features));
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		__result struct result result = check_with(refused[i].text, &options);

		cr_expect_str_eq(first_error(&result), refused[i].message, "%s: %s", refused[i].text,
				 first_error(&result));
	}
	{
		__result struct result result = check_with("BEGIN { @[str(0), comm] = 1; @c = count(); print(@c + 1) }",
							   &options);

		cr_expect(result.ok, "%s", first_error(&result));
	}
}

Test(lang_check, errors)
{
	for (size_t i = 0; i < ARRAY_SIZE(bads); i++) {
		__result struct result result = check_with(bads[i].text, &defaults);

		cr_expect(!result.ok, "%s", bads[i].text);
		cr_expect_str_eq(first_error(&result), bads[i].message, "%s: %s", bads[i].text, first_error(&result));
		cr_expect_eq(result.program->messages.errors, 1, "%s: %zu errors", bads[i].text,
			     result.program->messages.errors);
	}
}

/* --- where values of threads are --- */

static bool has_tasks(const char *text, const struct lang_options *options)
{
	__result struct result result = check_with(text, options);

	cr_assert(result.ok, "%s: %s", text, first_error(&result));
	return result.program->maps.v[0]->has_tasks;
}

static bool has_keys(const char *text, const struct lang_options *options)
{
	__result struct result result = check_with(text, options);

	cr_assert(result.ok, "%s: %s", text, first_error(&result));
	return result.program->maps.v[0]->storage == LANG_KEYS;
}

/* Totals that the program only adds to. */
Test(lang_check, maps_of_short_keys)
{
	static const char *const keyed[] = {
		"BEGIN { @c[comm] = count(); }",
		"BEGIN { @c[pid, cpu] = sum(pid); print(@c, 5, 10); zero(@c); }",
		"BEGIN { @c[nsecs] = avg(pid); } END { @c[tid] = avg(1); }",
		"BEGIN { if (pid) { @c[\"a\"] = stats(pid); } }",
	};
	static const char *const others[] = {
		"BEGIN { @c[comm] = 1; }",
		"BEGIN { @c[comm] = hist(pid); }",
		"BEGIN { @c[comm] = max(pid); }",
		"BEGIN { @c[comm, pid] = count(); }",
		"BEGIN { @c[pid] = count(); print(@c[pid]); }",
		"BEGIN { @c[pid] = count(); if (@c[pid] > 3) { @x = 1; } }",
		"BEGIN { @c[pid] = count(); delete(@c[pid]); }",
		"BEGIN { @c[pid] = count(); delete(@c, pid); }",
		"BEGIN { @c[pid] = count(); if (has_key(@c, pid)) { @x = 1; } }",
		"BEGIN { @c[pid] = count(); @x = len(@c); }",
		"BEGIN { @c[pid] = count(); clear(@c); }",
		"BEGIN { @c[pid] = count(); for ($kv : @c) { print($kv); } }",
		"let @c = percpuhash(100); BEGIN { @c[pid] = count(); }",
		"config = { max_map_keys=100000 } BEGIN { @c[pid] = count(); }",
	};
	struct lang_options old = defaults, large = defaults;

	old.features.fetching_atomics = false;
	large.n_shards = 256;
	for (size_t i = 0; i < ARRAY_SIZE(keyed); i++) {
		cr_expect(has_keys(keyed[i], &defaults), "%s", keyed[i]);
		cr_expect_not(has_keys(keyed[i], &old), "%s", keyed[i]);
		cr_expect_not(has_keys(keyed[i], &large), "%s", keyed[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		cr_expect_not(has_keys(others[i], &defaults), "%s", others[i]);
}

/* Only what user space and the library can do without a hash. */
Test(lang_check, maps_of_threads)
{
	static const char *const tasks[] = {
		"BEGIN { @s[tid] = nsecs; }",
		"BEGIN /@s[tid]/ { @s[tid]++; @s[tid] += 2; print(@s[tid]); delete(@s[tid]); delete(@s, tid); }",
		"BEGIN { if (has_key(@s, tid)) { $x = @s[tid]; } @s[tid] = (uint8)1; print(@s); clear(@s); zero(@s); }",
	};
	static const char *const others[] = {
		"BEGIN { @s[pid] = nsecs; }",
		"BEGIN { @s[tid] = nsecs; @s[1] = 1; }",
		"BEGIN { @s[tid] = nsecs; delete(@s, pid); }",
		"BEGIN { @s[tid] = nsecs; if (has_key(@s, cpu)) { @x = 1; } }",
		"BEGIN { @s[tid] = nsecs; @n = len(@s); }",
		"BEGIN { @s[tid] = nsecs; for ($kv : @s) { print($kv); } }",
		"BEGIN { @s[tid] = count(); }",
		"BEGIN { @s[tid] = comm; }",
		"BEGIN { @s[tid, pid] = nsecs; }",
		"BEGIN { @s = tid; }",
		"let @s = lruhash(9000); BEGIN { @s[tid] = nsecs; }",
		"config = { max_map_keys=100 } BEGIN { @s[tid] = nsecs; }",
	};
	struct lang_options old = defaults;

	old.features.fetching_atomics = false;
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++) {
		cr_expect(has_tasks(tasks[i], &defaults), "%s", tasks[i]);
		cr_expect_not(has_tasks(tasks[i], &old), "%s", tasks[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		cr_expect_not(has_tasks(others[i], &defaults), "%s", others[i]);
}
