// SPDX-License-Identifier: BSD-2-Clause
/* Demangling, matching patterns against mangled and demangled names, and hostile names that keep a demangler busy. */
#include <ctype.h>

#include <criterion/criterion.h>

#include "probe/names.h"
#include "binary/demangle.h"
#include "timeout.h"

static const struct pair {
	const char *mangled, *whole, *path; /* path NULL: the same */
} pairs[] = {
	{ "_Z3fibi", "fib(int)", "fib" },
	{ "_Z3fibl", "fib(long)", "fib" },
	{ "_ZNK4shop4Cart5totalEv", "shop::Cart::total() const", "shop::Cart::total" },
	{ "_ZN4shop4Cart3addEiPKc", "shop::Cart::add(int, char const*)", "shop::Cart::add" },
	{ "_ZN4shopmlERKNS_4CartEi", "shop::operator*(shop::Cart const&, int)", "shop::operator*" },
	{ "_ZN4shop4CartixEm", "shop::Cart::operator[](unsigned long)", "shop::Cart::operator[]" },
	{ "_ZN4shop4CartC2Ev", "shop::Cart::Cart()", "shop::Cart::Cart" },
	{ "_ZN12_GLOBAL__N_16hiddenEv", "(anonymous namespace)::hidden()", "(anonymous namespace)::hidden" },
	{ "_Z5twiceIdET_S0_", "twice<double>(double)", "twice<double>" },
	{ "_ZN4shop4nameB5cxx11ERKSs", "shop::name[abi:cxx11](std::string const&)", "shop::name[abi:cxx11]" },
	{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()" },
	{ "_ZThn8_N4shop4CartD1Ev", "non-virtual thunk to shop::Cart::~Cart()" },
	{ "_Z3fibi.cold", "fib(int) [clone .cold]", "fib [clone .cold]" },
	{ "_Z3fibi.part.0.isra.0", "fib(int) [clone .part.0] [clone .isra.0]", "fib [clone .part.0] [clone .isra.0]" },
	/* of rustc 1.97: legacy, v0 */
	{ "_ZN4shop4cart4Cart3add17h20292be173911a63E", "shop::cart::Cart::add" },
	{ "_ZN4shop4cart4Cart3add17h20292be173911a63E.llvm.7412", "shop::cart::Cart::add" },
	{ "_ZN4shop4cart5twice17hdac550a2f9515f42E", "shop::cart::twice" },
	{ "_ZN54_$LT$shop..cart..Cart$u20$as$u20$shop..cart..Price$GT$5price17h17658ac4dc98eb46E",
	  "<shop::cart::Cart as shop::cart::Price>::price" },
	{ "_RNvMNtCsiFFU9vsPtRy_4shop4cartNtB2_4Cart3add", "<shop::cart::Cart>::add", "shop::cart::Cart::add" },
	{ "_RINvNtCsiFFU9vsPtRy_4shop4cart5twicemEB4_", "shop::cart::twice::<u32>" },
	{ "_RNvXs_NtCsiFFU9vsPtRy_4shop4cartNtB4_4CartNtB4_5Price5price", "<shop::cart::Cart as shop::cart::Price>::price" },
	{ "_RNvNtCsiFFU9vsPtRy_4shop4cartu9gre_6ka8i", "shop::cart::größe" },
	{ "_RNCINvNtCsi4IsKQVxMg0_3std2rt10lang_startuE0CsiFFU9vsPtRy_4shop", "std::rt::lang_start::<()>::{closure#0}" },
};

Test(demangle, pairs)
{
	__str struct str text = {};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const struct pair *p = &pairs[i];

		cr_assert(demangle(p->mangled, DEMANGLE_WHOLE, &text), "%s", p->mangled);
		cr_expect_str_eq(text.data, p->whole);
		cr_assert(demangle(p->mangled, DEMANGLE_PATH, &text), "%s", p->mangled);
		cr_expect_str_eq(text.data, p->path ? p->path : p->whole);
	}
}

Test(demangle, forms)
{
	__str struct str text = {};

	cr_expect(demangle("_Z5twiceIdET_S0_", DEMANGLE_TYPED, &text));
	cr_expect_str_eq(text.data, "double twice<double>(double)");
	cr_expect(demangle("_ZNK4shop4Cart5totalEv", DEMANGLE_PLAIN, &text));
	cr_expect_str_eq(text.data, "shop::Cart::total()");
	cr_expect(demangle("_Z3fibi.cold", DEMANGLE_PLAIN, &text));
	cr_expect_str_eq(text.data, "fib(int) [clone .cold]");
}

/*
 * Removes the hashes of Rust that c++filt prints: "::h0123456789abcdef" at the end, "[0123456789abcdef]" after a
 * crate.
 */
static void remove_hashes(char *name)
{
	static const char hex[] = "0123456789abcdef";
	char *end = strrchr(name, ':');

	if (end && end[1] == 'h' && strspn(end + 2, hex) == 16)
		memmove(end - 1, end + 18, strlen(end + 18) + 1);
	for (char *at = strchr(name, '['); at; at = strchr(at + 1, '['))
		if (strspn(at + 1, hex) > 10 && at[1 + strspn(at + 1, hex)] == ']')
			memmove(at, at + 2 + strspn(at + 1, hex), strlen(at + 2 + strspn(at + 1, hex)) + 1);
}

/* Compares with c++filt of binutils, in one run for all names. */
Test(demangle, as_cxxfilt)
{
	__str struct str command = {}, text = {};
	char *line __free = NULL;
	size_t cap = 0;
	FILE *pipe;

	str_add(&command, "c++filt 2> /dev/null <<'END'\n");
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		str_addf(&command, "%s\n", pairs[i].mangled);
	str_add(&command, "END\n");
	pipe = popen(command.data, "r");
	cr_assert(pipe);
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		ssize_t n = getline(&line, &cap, pipe);

		if (n <= 0 && !i)
			break;
		cr_assert_gt(n, 0);
		line[n - 1] = '\0';
		remove_hashes(line);
		cr_assert(demangle(pairs[i].mangled, DEMANGLE_TYPED, &text));
		cr_expect_str_eq(text.data, line);
	}
	pclose(pipe);
}

Test(demangle, what_is_none)
{
	__str struct str text = {};
	static const char *const names[] = { "", "_", "main", "_start", "_Z", "_Z3fi", "_ZN", "_R",
					     "_RNv", "_ZNSt3", "__Z3fibi", "_Z9999999999999999999f", "_ZS_", "_RMC1aB_" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		cr_expect_not(demangle(names[i], DEMANGLE_WHOLE, &text), "%s is %s", names[i], text.data);
		cr_expect_eq(text.len, 0);
	}
}

/* A type of two types of two types ...: as a parameter, which is printed, and as a type that is only walked. */
static void add_tree(struct str *name, const char *begin, int depth)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	str_addf(name, "%s1A", begin);
	for (int i = 0; i < depth; i++)
		str_add(name, i ? "S_I" : "I");
	str_add(name, "S_IiiE");
	for (int i = 0; i < depth; i++)
		str_addf(name, "S%c_E", digits[i]);
}

Test(demangle, what_never_ends, .timeout = TIMEOUT_SECONDS)
{
	__str struct str name = {}, text = {};
	static const char *const rust[] = { "_RMC1aFGzzzzzzzzz_uEu", "_RNvMC1aINtC1b1cFGzzzzzzzzz_uEuEu1b",
					    "_RNvMINtC1b1cFGzzzzzzzzz_uEuEC1au1b", "_RNvMINtu5a_4ga1cFGzzzzzzzzz_uEuEC1au1b" };

	for (size_t i = 0; i < ARRAY_SIZE(rust); i++)
		cr_expect_not(demangle(rust[i], DEMANGLE_WHOLE, &text), "%s", rust[i]);
	add_tree(&name, "_Z1f", 30);
	cr_expect_not(demangle(name.data, DEMANGLE_WHOLE, &text));
	cr_expect(demangle("_Z3fibi", DEMANGLE_WHOLE, &text));
	for (int i = 0; i < 10; i++) {
		str_reset(&name);
		add_tree(&name, "_Z1fDp", 30);
		cr_expect_not(demangle(name.data, DEMANGLE_WHOLE, &text));
	}
	str_reset(&name);
	str_add(&name, "_Z");
	for (int i = 0; i < 5000; i++)
		str_add(&name, "P");
	cr_expect_not(demangle(name.data, DEMANGLE_WHOLE, &text));
}

static bool matches(const char *pattern, bool regex, const char *symbol)
{
	struct match *match = match_new(pattern, regex, NULL);
	struct names *names = names_new(pattern, regex, match);
	bool found = names_test(names, symbol);

	names_free(names);
	match_free(match);
	return found;
}

Test(demangle, patterns)
{
	static const struct {
		const char *pattern;
		bool regex;
		const char *symbol;
		bool matches;
	} cases[] = {
		{ "fib", false, "_Z3fibi", true },
		{ "fib", false, "_Z3fibl", true },
		{ "fib", false, "_Z4fib2l", false },
		{ "fib", false, "_ZN2ns3fibEi", false },
		{ "fib", false, "_Z3fibi.cold", false },
		{ "fib*", false, "_Z3fibi.cold", true },
		{ "fib(int)", false, "_Z3fibi", true },
		{ "fib(int)", false, "_Z3fibl", false },
		{ "fib(int)", false, "_Z3fibi.cold", false },
		{ "shop::*", false, "_ZN4shop4Cart3addEiPKc", true },
		{ "shop::*", false, "_ZN4Shop4Cart3addEiPKc", false },
		{ "shop::*", false, "_RNvMNtCsiFFU9vsPtRy_4shop4cartNtB2_4Cart3add", true },
		{ "shop::*::add", false, "_RNvMNtCsiFFU9vsPtRy_4shop4cartNtB2_4Cart3add", true },
		{ "<shop::*", false, "_RNvMNtCsiFFU9vsPtRy_4shop4cartNtB2_4Cart3add", true },
		{ "shop::*::add", false, "_ZN4shop4cart4Cart3add17h20292be173911a63E", true },
		{ "shop::Cart::total()", false, "_ZNK4shop4Cart5totalEv", true },
		{ "shop::Cart::total() const", false, "_ZNK4shop4Cart5totalEv", true },
		{ "shop::Cart::add(int, char const*)", false, "_ZN4shop4Cart3addEiPKc", true },
		{ "shop::operator*", false, "_ZN4shopmlERKNS_4CartEi", true },
		{ "shop::operator\\*", false, "_ZN4shopmlERKNS_4CartEi", true },
		{ "shop::operator\\*", false, "_ZN4shopplERKNS_4CartEi", false },
		{ "shop::Cart::operator[]", false, "_ZN4shop4CartixEm", true },
		{ "shop::Cart::operator[](unsigned*", false, "_ZN4shop4CartixEm", true },
		{ "shop::name[abi:cxx11]*", false, "_ZN4shop4nameB5cxx11ERKSs", false }, /* one of a:bicx1 */
		{ "shop::name[abi:cxx11]", false, "_ZN4shop4nameB5cxx11ERKSs", true },
		{ "twice<double>", false, "_Z5twiceIdET_S0_", true },
		{ "double twice<double>(double)", false, "_Z5twiceIdET_S0_", true },
		{ "shop::name[abi:cxx11](std::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)", false,
		  "_ZN4shop4nameB5cxx11ERKSs", true },
		{ "*string*", false, "_ZN4shop4nameB5cxx11ERKSs", true },
		{ "std::*", false, "_ZNSaIcED1Ev", true },
		{ "*closure*", false, "_RNCINvNtCsi4IsKQVxMg0_3std2rt10lang_startuE0CsiFFU9vsPtRy_4shop", true },
		{ "*größe", false, "_RNvNtCsiFFU9vsPtRy_4shop4cartu9gre_6ka8i", true },
		{ "fooAbar", false, "_ZN10foo$u41$ba17h20292be173911a63E", false },
		{ "fooAba", false, "_ZN10foo$u41$ba17h20292be173911a63E", true },
		{ "Cart::(add|total)", true, "_ZNK4shop4Cart5totalEv", true },
		{ "Cart::(add|total)$", true, "_ZN4shop4Cart3addEiPKc", true },
		{ "^Cart::", true, "_ZN4shop4Cart3addEiPKc", false },
		{ "shop|bank", true, "_ZN4bank4openEv", true },
		{ "shops?::", true, "_ZN4shop4openEv", true },
		{ "shop+::open", true, "_ZN5shopp4openEv", true },
		{ "(shop){0,1}bank", true, "_ZN4bank4openEv", true },
		{ "sho[px]::op{1}en", true, "_ZN4shop4openEv", true },
		{ "fib", false, "fib", false }, /* that is match_test()'s */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		cr_expect_eq(matches(cases[i].pattern, cases[i].regex, cases[i].symbol), cases[i].matches, "%s and %s",
			     cases[i].pattern, cases[i].symbol);
}

Test(demangle, last_parts)
{
	static const struct {
		const char *name, *symbol;
		bool matches;
	} cases[] = {
		{ "Cart::total", "_ZNK4shop4Cart5totalEv", true },
		{ "Cart::total()", "_ZNK4shop4Cart5totalEv", true },
		{ "total", "_ZNK4shop4Cart5totalEv", true },
		{ "otal", "_ZNK4shop4Cart5totalEv", false },
		{ "Cart", "_ZNK4shop4Cart5totalEv", false },
		{ "fib", "_Z3fibi", false },
		{ "Cart::add", "_ZN4shop4cart4Cart3add17h20292be173911a63E", true },
		{ "Cart::add", "_RNvMNtCsiFFU9vsPtRy_4shop4cartNtB2_4Cart3add", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct match *match = match_new(cases[i].name, false, NULL);
		struct names *names = names_new(cases[i].name, false, match);

		cr_expect_eq(names_test_last(names, cases[i].symbol), cases[i].matches, "%s and %s", cases[i].name,
			     cases[i].symbol);
		names_free(names);
		match_free(match);
	}
}

/* A search for any part of the demangled name must not be rejected by the mangled name. */
Test(demangle, runs_are_not_missed)
{
	__str struct str text = {};

	for (size_t i = 0; i < ARRAY_SIZE(pairs) * DEMANGLE_FORMS; i++) {
		const char *mangled = pairs[i / DEMANGLE_FORMS].mangled;

		cr_assert(demangle(mangled, i % DEMANGLE_FORMS, &text));
		for (size_t from = 0; from < text.len; from++)
			for (size_t n = 1; isalnum((unsigned char)text.data[from + n - 1]) || text.data[from + n - 1] == '_'; n++) {
				char *run __free = base_strndup(text.data + from, n);

				cr_expect(!demangle_is_telling(run, n) || demangle_may_hold(mangled, run), "%s of %s", run, mangled);
			}
	}
	/* and most names are rejected */
	cr_expect(demangle_is_telling("shop", 4));
	cr_expect(demangle_is_telling("getTargetMachine", 16));
	cr_expect_not(demangle_may_hold("_Z3fibi", "shop"));
	cr_expect_not(demangle_is_telling("std", 3));
	cr_expect_not(demangle_is_telling("Float16", 7));
}
