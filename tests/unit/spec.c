// SPDX-License-Identifier: BSD-2-Clause
/* The grammar of probe specs: the meaning of each form, and the place of each mistake. */
#include <criterion/criterion.h>

#include "probe/spec.h"

static const struct good {
	const char *text;
	enum spec_kind kind;
	const char *object, *name;
	bool ret, regex;
	enum mech mech;
	uint64_t offset;
	const char *provider;
} goods[] = {
	/* kernel functions */
	{ "vfs_read", SPEC_KFUNC, NULL, "vfs_read" },
	{ "vfs_*", SPEC_KFUNC, NULL, "vfs_*" },
	{ "p:vfs_read", SPEC_KFUNC, NULL, "vfs_read" },
	{ "p::vfs_read", SPEC_KFUNC, NULL, "vfs_read" },
	{ "k:vfs_read", SPEC_KFUNC, NULL, "vfs_read" },
	{ "kprobe:vfs_read", SPEC_KFUNC, NULL, "vfs_read" },
	{ "kprobe::vfs_read", SPEC_KFUNC, NULL, "vfs_read" },
	{ "kprobe:ext4:ext4_*", SPEC_KFUNC, "ext4", "ext4_*" },
	{ "k:nf_*:*", SPEC_KFUNC, "nf_*", "*" },
	{ "r:vfs_read", SPEC_KFUNC, NULL, "vfs_read", .ret = true },
	{ "r::vfs_read", SPEC_KFUNC, NULL, "vfs_read", .ret = true },
	{ "kr:vfs_read", SPEC_KFUNC, NULL, "vfs_read", .ret = true },
	{ "kretprobe:ext4:f", SPEC_KFUNC, "ext4", "f", .ret = true },
	{ "f:vfs_read", SPEC_KFUNC, NULL, "vfs_read", .mech = MECH_FENTRY },
	{ "fentry:vfs_read", SPEC_KFUNC, NULL, "vfs_read", .mech = MECH_FENTRY },
	{ "kfunc:btrfs:x", SPEC_KFUNC, "btrfs", "x", .mech = MECH_FENTRY },
	{ "fr:vfs_read", SPEC_KFUNC, NULL, "vfs_read", .ret = true, .mech = MECH_FENTRY },
	{ "fexit:vfs_read", SPEC_KFUNC, NULL, "vfs_read", .ret = true, .mech = MECH_FENTRY },
	{ "kretfunc:vfs_read", SPEC_KFUNC, NULL, "vfs_read", .ret = true, .mech = MECH_FENTRY },
	{ "do_sys.isra.0", SPEC_KFUNC, NULL, "do_sys.isra.0" },
	{ "f[[:digit:]]:x", SPEC_FUNC, "f[[:digit:]]", "x" },
	{ "vfs_[[:alpha:]]*", SPEC_KFUNC, NULL, "vfs_[[:alpha:]]*" },
	/* a module, a library or a binary */
	{ "ext4:*", SPEC_FUNC, "ext4", "*" },
	{ "c:malloc", SPEC_FUNC, "c", "malloc" },
	{ "p:c:malloc", SPEC_FUNC, "c", "malloc" },
	{ "r:c:malloc", SPEC_FUNC, "c", "malloc", .ret = true },
	{ "stdc++:ns::f", SPEC_FUNC, "stdc++", "ns::f" },
	{ "kprob:x", SPEC_FUNC, "kprob", "x" },
	{ "/bin/bash:readline", SPEC_UFUNC, "/bin/bash", "readline" },
	{ "./a.out:ns::f", SPEC_UFUNC, "./a.out", "ns::f" },
	{ "p:/bin/bash:readline", SPEC_UFUNC, "/bin/bash", "readline" },
	{ "r:/bin/bash:readline", SPEC_UFUNC, "/bin/bash", "readline", .ret = true },
	/* user functions */
	{ "u:c:malloc", SPEC_UFUNC, "c", "malloc" },
	{ "uprobe:/bin/bash:readline", SPEC_UFUNC, "/bin/bash", "readline" },
	{ "u:/bin/x:ns::f", SPEC_UFUNC, "/bin/x", "ns::f" },
	{ "u:/bin/x:type:.eq.main.T", SPEC_UFUNC, "/bin/x", "type:.eq.main.T" },
	{ "ur:c:malloc", SPEC_UFUNC, "c", "malloc", .ret = true },
	{ "uretprobe:c:m*", SPEC_UFUNC, "c", "m*", .ret = true },
	{ "u:/usr/bin/[:main", SPEC_UFUNC, "/usr/bin/[", "main" },
	{ "u:c:operator\\+", SPEC_UFUNC, "c", "operator\\+" },
	{ "u:b:shop::Cart::add(int, char const*)", SPEC_UFUNC, "b", "shop::Cart::add(int, char const*)" },
	{ "/b:std::vector<int>::operator[](unsigned long)", SPEC_UFUNC, "/b",
	  "std::vector<int>::operator[](unsigned long)" },
	{ "u:b:shop::operator*", SPEC_UFUNC, "b", "shop::operator*" },
	{ "u:b:shop::operator+", SPEC_UFUNC, "b", "shop::operator+" },
	{ "u:b:operator++", SPEC_UFUNC, "b", "operator++" },
	{ "u:b:operator+=(V const&)", SPEC_UFUNC, "b", "operator+=(V const&)" },
	{ "u:b:operator+(int)+4", SPEC_UFUNC, "b", "operator+(int)", .offset = 4 },
	{ "u:b:operator++4", SPEC_UFUNC, "b", "operator+", .offset = 4 },
	{ "u:b:ns::fn+4", SPEC_UFUNC, "b", "ns::fn", .offset = 4 },
	{ "u:b:ns::fn(int)+0x4", SPEC_UFUNC, "b", "ns::fn(int)", .offset = 4 },
	{ "u:c:operator[+]", SPEC_UFUNC, "c", "operator[+]" },
	/* tracepoints */
	{ "t:sched:sched_switch", SPEC_TRACEPOINT, "sched", "sched_switch" },
	{ "tracepoint:syscalls:sys_enter_*", SPEC_TRACEPOINT, "syscalls", "sys_enter_*" },
	{ "t:*:sched_*", SPEC_TRACEPOINT, "*", "sched_*" },
	{ "rt:sched_switch", SPEC_TRACEPOINT, NULL, "sched_switch", .mech = MECH_RAW_TP },
	{ "rawtracepoint:sched:x", SPEC_TRACEPOINT, "sched", "x", .mech = MECH_RAW_TP },
	/* USDT probes */
	{ "usdt:/bin/x:prov:name", SPEC_USDT, "/bin/x", "name", .provider = "prov" },
	{ "U:c:setjmp", SPEC_USDT, "c", "setjmp" },
	{ "usdt:c::setjmp", SPEC_USDT, "c", "setjmp" },
	{ "usdt:c:lib*:*", SPEC_USDT, "c", "*", .provider = "lib*" },
	/* places */
	{ "vfs_read+4", SPEC_KFUNC, NULL, "vfs_read", .offset = 4 },
	{ "p:vfs_read+0x1F", SPEC_KFUNC, NULL, "vfs_read", .offset = 0x1f },
	{ "vfs_read+010", SPEC_KFUNC, NULL, "vfs_read", .offset = 10 },
	{ "u:c:malloc+0x10", SPEC_UFUNC, "c", "malloc", .offset = 0x10 },
	{ "c:malloc+7", SPEC_FUNC, "c", "malloc", .offset = 7 },
	{ "kprobe:0xffffffff81000000", SPEC_KFUNC, NULL, NULL, .offset = 0xffffffff81000000 },
	{ "0xffffffffffffffff", SPEC_KFUNC, NULL, NULL, .offset = UINT64_MAX },
	{ "u:/bin/x:0x1234", SPEC_UFUNC, "/bin/x", NULL, .offset = 0x1234 },
	{ "c:0x12", SPEC_FUNC, "c", NULL, .offset = 0x12 },
	/* regular expressions */
	{ "^vfs_(read|write)$", SPEC_KFUNC, NULL, "^vfs_(read|write)$", .regex = true },
	{ "p:^vfs", SPEC_KFUNC, NULL, "^vfs", .regex = true },
	{ "p::^vfs", SPEC_KFUNC, NULL, "^vfs", .regex = true },
	{ "r:c:^mem", SPEC_FUNC, "c", "^mem", .ret = true, .regex = true },
	{ "c:^mem", SPEC_FUNC, "c", "^mem", .regex = true },
	{ "/lib/x.so.6:^a+b$", SPEC_UFUNC, "/lib/x.so.6", "^a+b$", .regex = true },
	{ "stdc++:ns::f", SPEC_FUNC, "stdc++", "ns::f", .regex = true },
	{ "x[[:alpha:]]:b", SPEC_KFUNC, NULL, "x[[:alpha:]]:b", .regex = true },
	{ "^(a|b):c", SPEC_KFUNC, NULL, "^(a|b):c", .regex = true },
	{ "t:sys*:^sys_enter", SPEC_TRACEPOINT, "sys*", "^sys_enter", .regex = true },
	{ "rt:^sched", SPEC_TRACEPOINT, NULL, "^sched", .mech = MECH_RAW_TP, .regex = true },
	{ "u:c:0x12+", SPEC_UFUNC, "c", "0x12+", .regex = true },
	{ "usdt:/bin/x:p:^n", SPEC_USDT, "/bin/x", "^n", .provider = "p", .regex = true },
	{ "usdt:/bin/x:^(a:|b)", SPEC_USDT, "/bin/x", "^(a:|b)", .regex = true },
};

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

Test(spec, forms)
{
	for (size_t i = 0; i < ARRAY_SIZE(goods); i++) {
		const struct good *g = &goods[i];
		struct spec s;
		struct err err;
		int rc = spec_parse(g->text, g->regex, &s, &err);

		cr_assert_eq(rc, 0, "%s: %s", g->text, err.text);
		cr_expect_eq(s.kind, g->kind, "%s: kind %d", g->text, s.kind);
		cr_expect_eq(s.mech, g->mech, "%s: mech %d", g->text, s.mech);
		cr_expect_eq(s.ret, g->ret, "%s: ret", g->text);
		cr_expect_eq(s.regex, g->regex, "%s: regex", g->text);
		cr_expect_eq(s.offset, g->offset, "%s: offset %#lx", g->text, s.offset);
		cr_expect(same(s.object, g->object), "%s: object %s", g->text, s.object);
		cr_expect(same(s.provider, g->provider), "%s: provider %s", g->text, s.provider);
		cr_expect(same(s.name, g->name), "%s: name %s", g->text, s.name);
		cr_expect_eq(s.text, g->text);
		spec_release(&s);
		cr_expect_null(s.name);
	}
}

Test(spec, mistakes_and_their_places)
{
	static const struct {
		const char *text;
		int at;
		const char *says;
		bool regex;
	} cases[] = {
		{ "", 0, "the probe is empty" },
		{ ":vfs_read", 0, "cannot begin with ':'" },
		/* kinds */
		{ "kprob:x:y", 0, "unknown probe kind 'kprob' (did you mean kprobe?)" },
		{ "shop::Cart::add", 0,
		  "'shop::Cart::add' needs a binary or library: a C++ or Rust function is u:BIN:shop" },
		{ "u:b:fn+", 7, "the offset is not a number" },
		{ "kprob::y", 0, "unknown probe kind 'kprob' (did you mean kprobe?)" },
		{ "uprob:/bin/x:f", 0, "unknown probe kind 'uprob' (did you mean uprobe?)" },
		{ "tracepiont:a:b", 0, "(did you mean tracepoint?)" },
		{ "profile:hz:99", 0, "unknown probe kind 'profile' (kinds: kprobe," },
		{ "kprob:x:y", 0, "(did you mean kprobe?)", true },
		/* names */
		{ "p:", 2, "the name is missing" },
		{ "p::", 3, "the name is missing" },
		{ "ext4:", 5, "the name is missing" },
		{ "kprobe:ext4:", 12, "the name is missing" },
		{ "u:/bin/x:", 9, "the name is missing" },
		{ "t:sched:", 8, "the name is missing" },
		{ "usdt:x:p:", 9, "the name is missing" },
		{ "p:+4", 2, "the name is missing" },
		{ "p:^", 3, NULL, true },
		{ "p:", 2, "the name is missing", true },
		{ "vfs_read,vfs_write", 8, "unexpected ',vfs_write'" },
		{ "vfs_read()", 8, "unexpected '()'" },
		{ "/bin/bash", 0, "a path needs u: in front of it and a function after it: u:/bin/bash:NAME" },
		{ "p:./shop", 2, "after it: u:./shop:NAME" },
		{ "vfs read", 3, "unexpected ' read'" },
		{ "vfs read+4", 3, "unexpected ' read+4'" },
		{ "t:a:b:c", 5, "unexpected ':c'" },
		{ "kprobe:a:b:c", 10, "unexpected ':c'" },
		{ "p:c:a:b", 5, "unexpected ':b'" },
		{ "usdt:b:p:n:x", 10, "unexpected ':x'" },
		{ "u:/bin/x::f", 9, "unexpected ':' after the binary" },
		/* objects */
		{ "kprobe:/bin/x:f", 7, "takes kernel functions" },
		{ "f:/bin/x:f", 2, "f takes kernel functions" },
		{ "t:sched_switch", 2, "t:SYSTEM:NAME" },
		{ "tracepoint:x", 11, "tracepoint:SYSTEM:NAME" },
		{ "t::x", 2, "system is missing" },
		{ "t:^sched", 2, "t:SYSTEM:NAME", true },
		{ "u:malloc", 2, "a binary or library is missing: u:BIN:NAME" },
		{ "uprobe:", 7, "a binary or library is missing: uprobe:BIN:NAME" },
		{ "u::malloc", 2, "the binary or library is empty" },
		{ "usdt:name", 5, "usdt:BIN:PROVIDER:NAME" },
		{ "U::name", 2, "U:BIN:PROVIDER:NAME" },
		/* offsets and addresses */
		{ "vfs_read+", 9, "the offset is not a number" },
		{ "vfs_read+x", 9, "the offset is not a number" },
		{ "vfs_read+-4", 9, "the offset is not a number" },
		{ "vfs_read+ 4", 9, "the offset is not a number" },
		{ "vfs_read+0x", 11, "the offset is not a number" },
		{ "vfs_read+4x", 10, "unexpected 'x' after the offset" },
		{ "vfs_read+99999999999999999999", 9, "the offset is too large" },
		{ "vfs_*+4", 5, "an offset needs the name of one function" },
		{ "a+4+4", 1, "unexpected '+4+4'" },
		{ "r:vfs_read+4", 10, "a return probe takes the name of a function, not an offset" },
		{ "ur:c:malloc+0", 11, "not an offset" },
		{ "f:vfs_read+4", 10, "f takes the name of a function, not an offset" },
		{ "t:sched:sched_switch+4", 20, "a tracepoint has no offset" },
		{ "rt:x+4", 4, "a tracepoint has no offset" },
		{ "usdt:b:n+4", 8, "a USDT probe has no offset" },
		{ "kprobe:0x", 9, "the address is not a number" },
		{ "u:c:0xz", 6, "the address is not a number" },
		{ "u:c:0x12g", 8, "unexpected 'g' after the address" },
		{ "u:c:0x12+4", 8, "unexpected '+4' after the address" },
		{ "0x10000000000000000", 0, "the address is too large" },
		{ "kr:0x12", 3, "not an address" },
		{ "fentry:0x12", 7, "fentry takes the name of a function, not an address" },
		{ "t:a:0x12", 4, "a tracepoint has no address" },
		/* patterns */
		{ "vfs_[rw", 4, "unclosed '['" },
		{ "p:ext4:f[", 8, "unclosed '['" },
		{ "k:x\\:f", 6, NULL },
		{ "t:s[a:b", 3, "unclosed '['" },
		{ "usdt:b:p[:n", 8, "unclosed '['" },
		{ "u:c:a\\", 5, "nothing after" },
		{ "(a", 0, "bad regular expression", true },
		{ "p:c:a(b", 5, "bad regular expression", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { .at = -2 };
		struct spec s;
		int rc = spec_parse(cases[i].text, cases[i].regex, &s, &err);

		if (!cases[i].says) { /* beside the mistakes: what looks like one */
			cr_expect_eq(rc, 0, "%s: %s", cases[i].text, err.text);
			spec_release(&s);
			continue;
		}
		cr_assert_eq(rc, -EINVAL, "%s is accepted", cases[i].text);
		cr_expect_eq(err.at, cases[i].at, "%s: at %d: %s", cases[i].text, err.at, err.text);
		cr_expect_not_null(strstr(err.text, cases[i].says), "%s: %s", cases[i].text,
				   err.text);
		cr_expect(!s.name && !s.object && !s.provider, "%s leaves something",
			  cases[i].text);
	}
}

/*
 * Specs cut anywhere, as glob and as regex: the place of an error is inside the text, and nothing leaks. A regular
 * expression is compiled in a process of its own, so it is one of four.
 */
Test(spec, any_beginning_is_parsed_or_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(goods); i++) {
		for (size_t len = 0; len <= strlen(goods[i].text); len++) {
			char *text __free = strndup(goods[i].text, len);

			for (int regex = 0; regex < 1 + ((i + len) % 4 == 0); regex++) {
				struct spec s;
				struct err err = { .at = -2 };

				if (!spec_parse(text, regex, &s, &err))
					spec_release(&s);
				else
					cr_expect(err.at >= 0 && (size_t)err.at <= len, "%s: at %d",
						  text, err.at);
			}
		}
	}
}

Test(spec, every_mechanism_has_a_name)
{
	for (size_t i = 0; i < MECH_COUNT; i++)
		cr_assert_not_null(mech_names[i]);
	cr_expect_null(mech_names[MECH_COUNT]);
	cr_expect_str_eq(mech_names[MECH_FENTRY_MULTI], "fentry.multi");
	cr_expect_str_eq(mech_names[MECH_KPROBE_MULTI], "kprobe.multi");
	cr_expect_str_eq(mech_names[MECH_UPROBE], "uprobe");
}
