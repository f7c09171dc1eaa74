// SPDX-License-Identifier: BSD-2-Clause
/* binary/binary_code.h: finds where calls of a function end, and refuses functions whose ends are not known. */
#include "binary_fixture.h"
#include "binary/binary_code.h"

TestSuite(binary_ends, .init = fixture_init);

#if defined(__x86_64__)
#define JUMP	"jmp "
#define BRANCH	"je "
#define AWAY	"jmp *%rax"
#define UNKNOWN ".byte 0x06"
#define STOP	"ud2"
#define OTHER	"mov %rax, %rcx"
/* cmp 0x10(%r14), %rsp; jbe: Go's check for stack space */
#define ROOM "cmp 16(%r14), %rsp\\njbe "
#else
#define JUMP	"b "
#define BRANCH	"b.eq "
#define AWAY	"br x0"
#define UNKNOWN ".short 1"
#define STOP	"brk #0"
#define OTHER	"mov x0, x1"
#define ROOM	"ldr x16, [x28, #16]\\ncmp sp, x16\\nb.ls "
#endif

#define FUNCTION(name, body) \
	"__asm__(\".text\\n.balign 16\\n.globl " name "\\n.type " name ",%function\\n" name ":\\n" body \
	"\\n.size " name ",.-" name "\\n\");\n"

static const char source[] =
	FUNCTION("one", "nop\\nret")
		FUNCTION("two", BRANCH "1f\\nnop\\nret\\n1: nop\\nnop\\nret")
			FUNCTION("stops", BRANCH "1f\\nret\\n1: nop\\n" STOP)
				FUNCTION("tail", "nop\\n" BRANCH "1f\\nret\\n1: " JUMP "one")
					FUNCTION("branches", "nop\\n" BRANCH "one + 0\\nret")
						FUNCTION("away", BRANCH "1f\\nret\\n1: " AWAY)
							FUNCTION("never", "1: nop\\n" JUMP "1b")
								FUNCTION("through", BRANCH "1f\\nret\\n1: nop\\n" OTHER)
									FUNCTION("unknown", "ret\\n" UNKNOWN)
										FUNCTION("loops", "1: nop\\n" BRANCH "1b\\nret")
											FUNCTION("grows", "1: " ROOM "2f\\nnop\\nret\\n2: nop\\n" JUMP "1b") "int main(void) { return 0; }\n";

static struct binary *build(void)
{
	fixture_text("a.c", source);
	fixture_run("$CC -O1 -o a a.c");
	return fixture_open(fixture_path("a"));
}

static int find(struct binary *binary, const char *name, uint64_t entry, size_t *n, bool *again, struct err *err)
{
	const struct binary_symbol *function = fixture_find(binary, name);
	struct binary_ends returns;
	int ret = binary_find_go_returns(binary, function, entry, &returns, err);

	*n = returns.n;
	*again = returns.again;
	for (size_t i = 0; i < returns.n; i++)
		cr_expect(returns.v[i].offset >= function->offset && returns.v[i].offset < function->offset + function->size);
	free(returns.v);
	return ret;
}

static void expect_returns(struct binary *binary, const char *name, size_t wanted)
{
	struct err err = { .text = "" };
	bool again;
	size_t n;

	cr_expect_eq(find(binary, name, 0, &n, &again, &err), 0, "%s: %s", name, err.text);
	cr_expect_eq(n, wanted, "%s: %zu", name, n);
	cr_expect(!again, "%s", name);
}

static void expect_refused(struct binary *binary, const char *name, const char *why)
{
	struct err err = { .text = "" };
	bool again;
	size_t n;

	cr_expect_lt(find(binary, name, 0, &n, &again, &err), 0, "%s", name);
	cr_expect(strstr(err.text, why), "%s: %s", name, err.text);
	cr_expect_eq(n, 0);
}

Test(binary_ends, found)
{
	struct binary *binary __cleanup(binary_closep) = build();

	expect_returns(binary, "one", 1);
	expect_returns(binary, "two", 2);
	expect_returns(binary, "stops", 1);
}

Test(binary_ends, other_ways)
{
	struct binary *binary __cleanup(binary_closep) = build();

	expect_refused(binary, "tail", "a jump into another function");
	expect_refused(binary, "branches", "a jump into another function");
	expect_refused(binary, "away", "an address in a register");
	expect_refused(binary, "never", "never returns");
	expect_refused(binary, "through", "the code after it");
	expect_refused(binary, "unknown", "an unknown instruction");
}

/* A hostile file may consist of returns, with many symbols for the same ones: the number that is kept is bounded. */
Test(binary_ends, bombs_are_refused)
{
	struct binary *binary __cleanup(binary_closep) = NULL;
	struct err err;
	size_t n, kept = 0, refused = 0;
	bool again;

	fixture_text("a.c", FUNCTION("bomb", ".rept 5000\\nret\\n.endr") FUNCTION("many", ".rept 4000\\nret\\n.endr") "int main(void) { return 0; }\n");
	fixture_run("$CC -O1 -o a a.c");
	binary = fixture_open(fixture_path("a"));
	cr_expect_eq(find(binary, "bomb", 0, &n, &again, &err), -ENOTSUP);
	cr_expect_str_eq(err.text, "it returns in more places than any real function");
	for (int i = 0; i < 300; i++) {
		refused += !!find(binary, "many", 0, &n, &again, &err);
		kept += n;
	}
	cr_expect_leq(kept, 1 << 20);
	cr_expect_gt(refused, 0);
}

Test(binary_ends, what_runs_again)
{
	struct binary *binary __cleanup(binary_closep) = build();
	struct err err;
	uint64_t entry;
	bool again;
	size_t n;

	cr_assert(!find(binary, "loops", 0, &n, &again, &err));
	cr_expect(again);
	cr_assert(!binary_go_entry(binary, fixture_find(binary, "loops"), &entry, &err));
	cr_expect_eq(entry, 0);
	/* no jump leads back to the instruction after the check */
	cr_assert(!binary_go_entry(binary, fixture_find(binary, "grows"), &entry, &err));
	cr_expect_neq(entry, 0);
	cr_assert(!find(binary, "grows", entry, &n, &again, &err));
	cr_expect(!again);
	cr_assert(!find(binary, "grows", 0, &n, &again, &err));
	cr_expect(again);
}

/* --- any language but Go --- */

#if defined(__x86_64__)
#define SWITCH	"add %rdx, %rax\\njmp *%rax"
#define TABLE	"jmp *(%rdx,%rax,8)"
#define METHOD	"jmp *24(%rax)"
#define LEAVES	"jmp puts@PLT"
#define OWN	"jmp one@PLT"
#define NO_JUMP "jrcxz "
#else
#define SWITCH	"add x0, x1, x0\\nbr x0"
#define METHOD	"ldr x16, [x0, 24]\\nbr x16"
#define LEAVES	"b puts"
#define OWN	"b one"
#define NO_JUMP "b.eq "
#endif

#define FRAMED "\\n.cfi_def_cfa_offset 32\\n"

static const char tails[] =
	"#include <stdio.h>\n" FUNCTION("one", "nop\\nret") FUNCTION("hands", "nop\\n" BRANCH "1f\\nret\\n1: " JUMP "one")
		FUNCTION("twice", JUMP "hands") FUNCTION("leaves", LEAVES) FUNCTION("method", METHOD)
			FUNCTION("away", BRANCH "1f\\nret\\n1: " AWAY) FUNCTION("switches", "nop\\n" SWITCH "\\nret")
				FUNCTION("odd", NO_JUMP "one\\nret") FUNCTION("branches", "nop\\n" BRANCH "one\\nret")
					FUNCTION("cold", ".cfi_startproc" FRAMED "nop\\nret\\n" JUMP "back\\n.cfi_endproc")
						FUNCTION("warm", BRANCH "cold\\nback: ret") "int main(void) { return puts(\"\"); }\n";

static struct binary *build_tails(void)
{
	fixture_text("t.c", tails);
	fixture_run("$CC -O1 -o t t.c");
	return fixture_open(fixture_path("t"));
}

/* Describes the ends: R returns or leaves, J is judged, > hands over; small letters: only calls that were handed over. */
static const char *ends_of(struct binary *binary, const char *name, bool *leaves)
{
	static char text[64];
	struct err err = { .text = "" };
	struct binary_ends ends;
	int ret = binary_find_ends(binary, fixture_find(binary, name), false, &ends, &err);
	size_t n = 0;

	if (ret) {
		snprintf(text, sizeof(text), "%s", err.text);
		return text;
	}
	vec_each(end, &ends)
		if (n < sizeof(text) - 1)
			text[n++] = (end->handed ? "rj?" : "RJ>")[end->kind];
	text[n] = 0;
	*leaves = ends.leaves;
	free(ends.v);
	return text;
}

static void expect_ends(struct binary *binary, const char *name, const char *wanted, bool wanted_leaves)
{
	bool leaves = false;

	cr_expect_str_eq(ends_of(binary, name, &leaves), wanted, "%s", name);
	cr_expect_eq(leaves, wanted_leaves, "%s", name);
}

Test(binary_ends, calls_are_followed)
{
	struct binary *binary __cleanup(binary_closep) = build_tails();

	expect_ends(binary, "one", "R", false);
	expect_ends(binary, "hands", "R>r", false);
	/* what another function hands over further is the same call */
	expect_ends(binary, "twice", ">rr", false);
	expect_ends(binary, "leaves", "R", true);
	expect_ends(binary, "away", "RJ", true);
	expect_ends(binary, "switches", "R", false);
	/* what lies elsewhere and begins with a frame is a part of the function */
	expect_ends(binary, "warm", "RR", false);
}

#if defined(__x86_64__)
Test(binary_ends, operands)
{
	struct binary *binary __cleanup(binary_closep) = build_tails();
	struct binary_ends ends;

	expect_ends(binary, "method", "R", true);
	expect_ends(binary, "branches", "R>r", false);
	expect_ends(binary, "odd", "it may end by a branch into another function", false);
	cr_assert(!binary_find_ends(binary, fixture_find(binary, "branches"), false, &ends, NULL));
	cr_expect_eq(ends.v[1].condition, 4, "je");
	free(ends.v);
	cr_assert(!binary_find_ends(binary, fixture_find(binary, "away"), false, &ends, NULL));
	cr_expect_eq(ends.v[1].operand.reg, 0, "rax");
	cr_expect_eq(ends.v[1].before, 3, "behind je and ret");
	cr_expect_eq(ends.v[1].size, 5);
	free(ends.v);
	/* a word of memory decides */
	cr_assert(!binary_find_ends(binary, fixture_find(binary, "method"), true, &ends, NULL));
	cr_expect(binary_ends_keep_values(&ends, true));
	cr_expect(ends.n == 1 && ends.v[0].learns && !ends.leaves);
	cr_expect(!binary_ends_keep_values(&ends, false));
	cr_expect(!ends.n && ends.leaves);
	free(ends.v);
	/* calls that come from elsewhere */
	cr_assert(!binary_find_handed_ends(binary, fixture_find(binary, "hands")->offset, &ends, NULL));
	cr_expect(ends.n == 2 && ends.v[0].handed && ends.v[1].handed, "one call, which hands over no further");
	free(ends.v);
	cr_expect_eq(binary_find_handed_ends(binary, 1, &ends, NULL), -ENOENT);
}
#endif

/* The offset of work() in the program k, which has a debug file; its symbols are found there only. */
static uint64_t build_stripped(void)
{
	struct binary *binary __cleanup(binary_closep) = NULL;

	fixture_text("k.c", "long work(long n) { __asm__ volatile(\".rept 2000\\n nop\\n .endr\"); return n; }\n"
			    "int main(void) { return work(0); }\n");
	fixture_run("$CC -O1 -o k k.c && objcopy --only-keep-debug k k.debug && strip k && objcopy --add-gnu-debuglink=k.debug k");
	binary = fixture_open(fixture_path("k"));
	return fixture_find(binary, "work")->offset;
}

/* What is read while others wait is read within limits, and no other file is. .eh_frame says enough. */
Test(binary_ends, kept_small)
{
	uint64_t offset = build_stripped();
	struct binary *binary = fixture_open(fixture_path("k"));
	const struct binary_symbol *symbols;
	struct binary_ends ends;
	struct err err;
	size_t n;

	binary_keep_small(binary, 1 << 20);
	cr_expect_eq(binary_functions(binary, &symbols, &n, NULL), -ENODATA);
	cr_expect_eq(binary_functions(binary, &symbols, &n, NULL), -ENODATA, "also when asked again");
	cr_assert(!binary_find_handed_ends(binary, offset, &ends, NULL));
	cr_expect(ends.n == 1 && ends.v[0].handed && ends.v[0].returns);
	free(ends.v);
	binary_close(binary);
	binary = fixture_open(fixture_path("k"));
	binary_keep_small(binary, 1500);
	cr_expect_eq(binary_find_handed_ends(binary, offset, &ends, &err), -ENOTSUP);
	cr_expect_str_eq(err.text, "it is one function too many to be decoded now");
	binary_close(binary);
	binary = fixture_open(fixture_path("k"));
	binary_keep_small(binary, 10);
	cr_expect_eq(binary_find_handed_ends(binary, offset, &ends, NULL), -ENOENT, ".eh_frame_hdr is larger");
	binary_close(binary);
}

/* Where hundreds of functions hand over to one, a program would run for each of them at its end. */
Test(binary_ends, many_followers)
{
	struct binary *binary __cleanup(binary_closep) = NULL;
	size_t followed = 0, left = 0;

	fixture_text("m.c", "int one(int n);\n"
			    "__asm__(\".text\\n.type one,%function\\none: nop\\nret\\n.size one,.-one\\n\"\n"
			    "\".altmacro\\n.macro many n\\n.type many\\\\n,%function\\nmany\\\\n: " JUMP
			    "one\\n.size many\\\\n,.-many\\\\n\\n.endm\\n"
			    ".set i,0\\n.rept 100\\nmany %i\\n.set i,i+1\\n.endr\\n\");\n"
			    "int main(void) { return one(1); }\n");
	fixture_run("$CC -O1 -o m m.c");
	binary = fixture_open(fixture_path("m"));
	for (int i = 0; i < 100; i++) {
		char name[16];
		bool leaves;

		snprintf(name, sizeof(name), "many%d", i);
		ends_of(binary, name, &leaves);
		followed += !leaves;
		left += leaves;
	}
	cr_expect_gt(followed, 0);
	cr_expect_gt(left, followed);
}

/* A library calls its own functions by stubs, too, if programs may replace them. */
Test(binary_ends, stubs)
{
	struct binary *binary __cleanup(binary_closep) = NULL;
	struct binary_ends ends;

	fixture_text("s.c", FUNCTION("one", "nop\\nret") FUNCTION("own", OWN) FUNCTION("leaves", LEAVES));
	fixture_run("$CC -shared -fPIC -o s.so s.c");
	binary = fixture_open(fixture_path("s.so"));
	cr_assert(!binary_find_ends(binary, fixture_find(binary, "own"), false, &ends, NULL));
	cr_expect(ends.leaves);
	free(ends.v);
	cr_assert(!binary_find_ends(binary, fixture_find(binary, "own"), true, &ends, NULL));
	cr_expect(!ends.leaves);
	cr_expect_eq(ends.n, 2, "it hands over, and the other one returns");
	free(ends.v);
	cr_assert(!binary_find_ends(binary, fixture_find(binary, "leaves"), true, &ends, NULL));
	cr_expect(ends.leaves);
	free(ends.v);
}
