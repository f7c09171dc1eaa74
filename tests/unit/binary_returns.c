// SPDX-License-Identifier: BSD-2-Clause
/* binary/binary_code.h: finds return instructions, and refuses functions that may end in another way. */
#include "binary_fixture.h"
#include "binary/binary_code.h"

TestSuite(binary_returns, .init = fixture_init);

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
	struct binary_returns returns;
	int ret = binary_find_returns(binary, function, entry, &returns, err);

	*n = returns.n;
	*again = returns.again;
	for (size_t i = 0; i < returns.n; i++)
		cr_expect(returns.v[i] >= function->offset && returns.v[i] < function->offset + function->size);
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

	cr_expect_eq(find(binary, name, 0, &n, &again, &err), -ENOTSUP, "%s", name);
	cr_expect(strstr(err.text, why), "%s: %s", name, err.text);
	cr_expect_eq(n, 0);
}

Test(binary_returns, found)
{
	struct binary *binary __cleanup(binary_closep) = build();

	expect_returns(binary, "one", 1);
	expect_returns(binary, "two", 2);
	expect_returns(binary, "stops", 1);
}

Test(binary_returns, other_ways)
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
Test(binary_returns, bombs_are_refused)
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

Test(binary_returns, what_runs_again)
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
