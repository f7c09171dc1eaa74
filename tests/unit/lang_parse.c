// SPDX-License-Identifier: BSD-2-Clause
/* Trees of programs: what binds to what, and what each form of the language becomes. */
#include "lang_fixture.h"

static const struct {
	const char *text, *tree;
} expressions[] = {
	{ "1 + 2 * 3", "(+ 1 (* 2 3))" },
	{ "1 - 2 - 3", "(- (- 1 2) 3)" },
	{ "1 << 2 + 3 & 4 | 5 ^ 6", "(| (& (<< 1 (+ 2 3)) 4) (^ 5 6))" },
	{ "1 == 2 && 3 < 4 || 5", "(|| (&& (== 1 2) (< 3 4)) 5)" },
	{ "$a ? $b : $c ? $d : $e", "(? $a $b (? $c $d $e))" },
	{ "$a = $b = 1", "(= $a (= $b 1))" },
	{ "@x[1, \"a\"] += 2", "(+= @x[1,\"a\"] 2)" },
	{ "-1 - -$x", "(- (- 1) (- $x))" },
	{ "!~*&$x", "(! (~ (* (& $x))))" },
	{ "$x++ + ++$y", "(+ (x++ $x) (++x $y))" },
	{ "@--", "(x-- @)" },
	{ "(1, 2)", "(tuple 1 2)" },
	{ "(1,)", "(tuple 1)" },
	{ "()", "(tuple)" },
	{ "(1)", "1" },
	{ "((1, 2), 3)", "(tuple (tuple 1 2) 3)" },
	{ "(a=1, b=\"x\")", "(record a=1 b=\"x\")" },
	{ "$t.0.1", "$t.0.1" },
	{ "$t.0.name->next", "$t.0.name->next" },
	{ "@x[1].0[2]", "(index @x[1].0 2)" },
	{ "args.if.config", "args.if.config" },
	{ "(struct task_struct *)curtask", "(cast <struct task_struct*> curtask)" },
	{ "((struct a *)arg0)->b.c", "(cast <struct a*> arg0)->b.c" },
	{ "(uint8) 1 + 2", "(+ (cast <uint8> 1) 2)" },
	{ "(uint8[4]) $x", "(cast <uint8[4]> $x)" },
	{ "(uint8[]) $x", "(cast <uint8[]> $x)" },
	{ "(unsigned  long)-1", "(cast <unsigned long> (- 1))" },
	{ "(const char *)arg0", "(cast <char*> arg0)" },
	{ "(sometype)$x", "(cast <sometype> $x)" },
	{ "(sometype **)-1", "(cast <sometype**> (- 1))" },
	{ "(pid) - 1", "(- pid 1)" },
	{ "(pid) * (tid)", "(* pid tid)" },
	{ "(size_t)-1", "(cast <size_t> (- 1))" },
	{ "*(uint32 *)arg0", "(* (cast <uint32*> arg0))" },
	{ "(typeof($x))5", "(cast <typeof($x)> 5)" },
	{ "sizeof(struct a)", "(sizeof <struct a>)" },
	{ "sizeof(uint8[4])", "(sizeof <uint8[4]>)" },
	{ "sizeof($x + 1)", "(sizeof (+ $x 1))" },
	{ "offsetof(struct a, b.c)", "(offsetof <struct a>).b.c" },
	{ "offsetof(*$x, b)", "(offsetof (* $x)).b" },
	{ "count()", "(count)" },
	{ "hist(1, 2)", "(hist 1 2)" },
	{ "{ $a = 1; $a + 1 }", "{ (= $a 1) = (+ $a 1) }" },
	{ "if (1) { 2 } else if (3) { 4 } else { 5 }", "(? 1 { = 2 } { = (? 3 { = 4 } { = 5 }) })" },
	{ "if comptime (1) { 2 } else { 3 }", "(if-comptime 1 { = 2 } { = 3 })" },
	{ "true != false", "(!= true false)" },
	{ "$1 + $#", "(+ $1 $#)" },
	{ "\"a\" \"b\"", "\"ab\"" },
	/* numbers */
	{ "0x1F", "31" },
	{ "0755", "493" },
	{ "0b101", "5" },
	{ "1_000_000", "1000000" },
	{ "1e6", "1000000" },
	{ "1_0e0_1", "100" },
	{ "12UL", "12" },
	{ "5ms", "5000000" },
	{ "1s", "1000000000" },
	{ "2m", "120000000000" },
	{ "1h", "3600000000000" },
	{ "1d", "86400000000000" },
	{ "7us", "7000" },
	{ "7ns", "7" },
	{ "0xffffffffffffffff", "18446744073709551615" },
	{ "18446744073709551615", "18446744073709551615" },
	/* strings */
	{ "\"\\n\\t\\\"\\\\\\x41\\101\"", "\"\\n\\t\\\"\\\\AA\"" },
	/* blanks and comments */
	{ "1 /* a */ + // b\n 2", "(+ 1 2)" },
};

Test(lang_parse, expressions)
{
	for (size_t i = 0; i < ARRAY_SIZE(expressions); i++) {
		struct str wanted __str = {}, program __str = {};

		str_addf(&program, "begin { _ = %s; }", expressions[i].text);
		str_addf(&wanted, "(probe \"begin\" { (discard %s) })\n", expressions[i].tree);
		expect_tree(program.data, wanted.data);
	}
}

static const struct {
	const char *text, *tree;
} programs[] = {
	{ "BEGIN { }", "(probe \"BEGIN\" { })\n" },
	{ "#!/usr/bin/env -S sonde trace\n// about\nbegin { print(1) }", "(probe \"begin\" { (do (print 1)) })\n" },
	{ "kprobe:vfs_read { @[comm] = count(); }", "(probe \"kprobe:vfs_read\" { (= @[comm] (count)) })\n" },
	{ "k:a,k:b\n,\nk:c*{}", "(probe \"k:a\" \"k:b\" \"k:c*\" { })\n" },
	/* predicates, and paths in attach points */
	{ "kprobe:f /pid == 1/ {}", "(probe \"kprobe:f\" / (== pid 1) / { })\n" },
	{ "kprobe:f/pid == 1/{}", "(probe \"kprobe:f\" / (== pid 1) / { })\n" },
	{ "kprobe:f\n/arg2 / 2 > 1/\n{}", "(probe \"kprobe:f\" / (> (/ arg2 2) 1) / { })\n" },
	{ "kprobe:f /comm == \"a/b\"/ {}", "(probe \"kprobe:f\" / (== comm \"a/b\") / { })\n" },
	{ "uprobe:/bin/bash:readline /pid/ {}", "(probe \"uprobe:/bin/bash:readline\" / pid / { })\n" },
	{ "uprobe:/bin/bash:readline/pid/ {}", "(probe \"uprobe:/bin/bash:readline\" / pid / { })\n" },
	{ "uprobe:./a.out:f+0x10 {}", "(probe \"uprobe:./a.out:f+0x10\" { })\n" },
	{ "uprobe:bin/a:f /1/ {}", "(probe \"uprobe:bin/a:f\" / 1 / { })\n" },
	{ "uprobe:/a/*b?:cpp:\"f(int, char)\" {}", "(probe \"uprobe:/a/*b?:cpp:f(int, char)\" { })\n" },
	{ "iter:task:/sys/fs/bpf/x {}", "(probe \"iter:task:/sys/fs/bpf/x\" { })\n" },
	{ "usdt:/a:b:c // what\n/* that */ {}", "(probe \"usdt:/a:b:c\" { })\n" },
	{ "interval : s : 1 {}", "(probe \"interval:s:1\" { })\n" },
	{ "software:faults: {}", "(probe \"software:faults:\" { })\n" },
	{ "name=kprobe:f, other = kprobe:g {}", "(probe name=\"kprobe:f\" other=\"kprobe:g\" { })\n" },
	{ "kprobe:$1 { $1 }", "(probe \"kprobe:first\" { (do $1) })\n" },
	/* statements */
	{ "i:s:1 { $x = 1; if ($x) { f() } else if 2 { g(); } else { h() } }",
	  "(probe \"i:s:1\" { (= $x 1) (if $x { (do (f)) } { (if 2 { (do (g)) } { (do (h)) }) }) })\n" },
	{ "i:s:1 { if comptime (1) { f() } }", "(probe \"i:s:1\" { (if-comptime 1 { (do (f)) }) })\n" },
	{ "i:s:1 { while ($i < 5) { $i++; if ($i == 2) { break; } continue } }",
	  "(probe \"i:s:1\" { (while (< $i 5) { (do (x++ $i)) (if (== $i 2) { (break) }) (continue) }) })\n" },
	{ "i:s:1 { for ($kv : @m) { print($kv) } }", "(probe \"i:s:1\" { (for $kv @m { (do (print $kv)) }) })\n" },
	{ "i:s:1 { for ($i : 0..ncpus) { } for $j : 1..2 {} }",
	  "(probe \"i:s:1\" { (for-range $i 0 ncpus { }) (for-range $j 1 2 { }) })\n" },
	{ "i:s:1 { unroll (3) { } unroll($1) {} }", "(probe \"i:s:1\" { (unroll 3 { }) (unroll $1 { }) })\n" },
	{ "i:s:1 { let $a; let $b = 1; let $c : uint8; let $d : struct a * = 0; let $e: (uint8, string[4]); }",
	  "(probe \"i:s:1\" { (let $a) (let $b 1) (let $c <uint8>) (let $d <struct a*> 0) (let $e <(uint8,string[4])>) "
	  "})\n" },
	{ "i:s:1 { return; return 1 }", "(probe \"i:s:1\" { (return) (return 1) })\n" },
	{ "i:s:1 { _ = f(); { $a = 1; } ; ; }", "(probe \"i:s:1\" { (discard (f)) { (= $a 1) } })\n" },
	/* an if whose arms have values is one only where its value is used */
	{ "i:s:1 { $x = { if (1) { 2 } else { 3 } }; }", "(probe \"i:s:1\" { (= $x { = (? 1 { = 2 } { = 3 }) }) })\n" },
	{ "i:s:1 { { if (1) { 2 } else { 3 } } }", "(probe \"i:s:1\" { { (if 1 { (do 2) } { (do 3) }) } })\n" },
	{ "i:s:1 { if (1) { 2 } else { 3 } }", "(probe \"i:s:1\" { (if 1 { (do 2) } { (do 3) }) })\n" },
	/* above the probes */
	{ "config = { max_map_keys = 10; stack_mode=perf; trailer=\"..\" } begin {}",
	  "(config max_map_keys 10)\n(config stack_mode perf)\n(config trailer ..)\n(probe \"begin\" { })\n" },
	{ "let @a = lruhash(100); let @ = hash(2 * 8); begin {}",
	  "(map @a lruhash 100)\n(map @ hash 16)\n(probe \"begin\" { })\n" },
	/* carriage returns are blanks */
	{ "begin {\r\n 1;\r\n}\r\n", "(probe \"begin\" { (do 1) })\n" },
};

Test(lang_parse, programs)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		expect_tree(programs[i].text, programs[i].tree);
}

static const struct {
	const char *text, *tree;
} preprocessed[] = {
	{ "#define A 1 + B\n#define B 2\nbegin { A; B }", "(probe \"begin\" { (do (+ 1 2)) (do 2) })\n" },
	{ "#define A A + 1\nbegin { A }", "(probe \"begin\" { (do (+ A 1)) })\n" },
	{ "#define RED \"\\033[31m\" // a colour\nbegin { RED \"x\" }",
	  "(probe \"begin\" { (do \"\\u001b[31mx\") })\n" },
	{ "#define A 1\n#undef A\nbegin { A }", "(probe \"begin\" { (do A) })\n" },
	{ "#define LONG 1 + \\\n 2\nbegin { LONG }", "(probe \"begin\" { (do (+ 1 2)) })\n" },
	{ "#ifdef X\nbegin { 1 }\n#else\nbegin { 2 }\n#endif", "(probe \"begin\" { (do 2) })\n" },
	{ "#ifndef X\nbegin { 1 }\n#else\n'\"\n#endif", "(probe \"begin\" { (do 1) })\n" },
	{ "#define X 3\n#if X > 2 && defined(X) && !defined Y\nbegin { 1 }\n#elif 1\nbegin { 2 }\n#else\nbegin { 3 "
	  "}\n#endif",
	  "(probe \"begin\" { (do 1) })\n" },
	{ "#if 0\n#if 1\nbegin { 1 }\n#endif\n#elif 1\nbegin { 2 }\n#elif 1\nbegin { 3 }\n#endif",
	  "(probe \"begin\" { (do 2) })\n" },
	{ "#if 0\n/*\n#endif\n*/\n#else\nbegin { 2 }\n#endif", "(probe \"begin\" { (do 2) })\n" },
	{ "begin {\n#ifdef X\n 1;\n#else\n 2;\n#endif\n 3 }", "(probe \"begin\" { (do 2) (do 3) })\n" },
	{ "#ifndef BPFTRACE_HAVE_BTF\n#error no BTF\n#endif\nbegin {}", "(probe \"begin\" { })\n" },
	{ "#include <sys/socket.h>\nstruct s { int AF_INET; } begin { AF_INET }",
	  "(probe \"begin\" { (do AF_INET) })\n" },
	{ "begin { AF_INET }", "(probe \"begin\" { (do AF_INET) })\n" },
	{ "#pragma once\nbegin { }", "(probe \"begin\" { })\n" },
};

Test(lang_parse, preprocessing)
{
	for (size_t i = 0; i < ARRAY_SIZE(preprocessed); i++)
		expect_tree(preprocessed[i].text, preprocessed[i].tree);
}

static const struct {
	const char *text, *tree;
} macros[] = {
	{ "macro one() { 1 } begin { one(); one; one + one() }", "(probe \"begin\" { (do 1) (do 1) (do (+ 1 1)) })\n" },
	{ "macro add(x) { x + 1 } begin { add(add($a)) }", "(probe \"begin\" { (do (+ (+ $a 1) 1)) })\n" },
	{ "macro f($a, @b) { $a += 1; @b[2] += 1; } begin { f($x, @y); }",
	  "(probe \"begin\" { { (+= $x 1) (+= @y[2] 1) } })\n" },
	/* hygiene: the body's own variables are not the caller's */
	{ "macro f(x) { let $x = x; $x + 1 } begin { $x = 1; $y = f($x); f(2) }",
	  "(probe \"begin\" { (= $x 1) (= $y { (let $x#1 $x) = (+ $x#1 1) }) { (let $x#2 2) (do (+ $x#2 1)) } })\n" },
	/* overloads, and macros before their declaration */
	{ "begin { f(1); f(1, 2) } macro f(a) { a } macro f(a, b) { f(a) + b }",
	  "(probe \"begin\" { (do 1) (do (+ 1 2)) })\n" },
	/* an argument is evaluated where the parameter stands, also in an inner macro of the same parameter */
	{ "macro g(x) { x * 2 } macro f(x) { g(x + 1) } begin { f($x) }",
	  "(probe \"begin\" { (do (* (+ $x 1) 2)) })\n" },
	{ "macro t(x) { x; x; } begin { t({ f(); }) }", "(probe \"begin\" { { { (do (f)) } { (do (f)) } } })\n" },
	{ "macro s(x) { (typeof(x))sizeof(x) } begin { s($a) }",
	  "(probe \"begin\" { (do (cast <typeof($a)> (sizeof $a))) })\n" },
	{ "macro w(x) { if (x) { f() } else { g() } } begin { w(1); $y = w(2) }",
	  "(probe \"begin\" { (if 1 { (do (f)) } { (do (g)) }) (= $y (? 2 { = (f) } { = (g) })) })\n" },
};

Test(lang_parse, macros)
{
	for (size_t i = 0; i < ARRAY_SIZE(macros); i++)
		expect_tree(macros[i].text, macros[i].tree);
}
