// SPDX-License-Identifier: BSD-2-Clause
/* src/symbols/: names in stripped programs of Go. */
#include "binary/binary_part.h"
#include "symbols_fixture.h"

TestSuite(symbols_go, .init = fixture_init);

/*
 * What Go's runtime calls a function: without the calling convention that the linker appends, with [...] for the
 * arguments of types, and with the middle dots that the linker writes as dots into symbols.
 */
static bool is_named_in_go(const char *symbol, const char *name)
{
	for (; *name && strncmp(name, "[...]", strlen("[...]")); symbol++, name++) {
		bool dot = !strncmp(name, "·", strlen("·"));

		if (*symbol != (dot ? '.' : *name))
			return false;
		name += dot ? strlen("·") - 1 : 0;
	}
	return *name ? *symbol == '[' : !*symbol || !strcmp(symbol, ".abi0");
}

/* A stripped program of Go has the names that it has with symbols. */
Test(symbols_go, names)
{
	const struct binary_symbol *functions;
	struct binary *whole = NULL;
	size_t n, same = 0;

	fixture_text("shop.go", "package main\n"
				"type Cart struct{ m map[string]int }\n"
				"//go:noinline\nfunc (c *Cart) Add(s string) { c.m[s]++ }\n"
				"func main() { c := &Cart{map[string]int{}}; c.Add(\"x\"); println(len(c.m)) }\n");
	if (system("command -v go > /dev/null"))
		cr_skip_test("there is no go");
	fixture_run("export HOME=$PWD GOFLAGS=-buildvcs=false CGO_ENABLED=0; go build -o whole shop.go && "
		    "go build -ldflags='-s -w' -o stripped shop.go");
	whole = fixture_open(fixture_path("whole"));
	begin(fixture_path("stripped"), (struct symbols_options){});
	cr_assert_eq(binary_functions(whole, &functions, &n, NULL), 0);
	for (size_t i = 0; i + 1 < n; i++) {
		const struct frame *frame;

		/* without a size: marks of the linker */
		if (!functions[i].size || functions[i + 1].offset == functions[i].offset)
			continue;
		frame = symbols_user(symbols, 0, FRAME(7, functions[i].offset + functions[i].size - 1));
		cr_expect_eq(symbols_name(symbols), 0);
		if (strstr(frame->name, "stripped+0x"))
			continue;
		cr_expect(is_named_in_go(functions[i].name, frame->name), "%s is not %s", frame->name,
			  functions[i].name);
		cr_expect_eq(frame->start, functions[i].vaddr);
		same++;
	}
	cr_expect_gt(same, n * 9 / 10);
	binary_close(whole);
	done();
}

/* A table of Go 1.26 and later, which does not say where the text is: two functions after some other code. */
static const char go_1_26[] = ".text\n.fill 64\n"
			      "text: .fill 32\nsecond: .fill 32\nend:\n"
			      ".section .gopclntab, \"a\"\n"
			      "table: .long 0xfffffff1\n.byte 0, 0, 1, 8\n"
			      ".quad 2, 0, 0, names - table, 0, 0, 0, functions - table\n"
			      "names: .asciz \"main.main\", \"main.(*Cart).Add\"\n"
			      "functions: .long 0, one - functions, second - text, two - functions, end - text\n"
			      "one: .long 0, 0\ntwo: .long second - text, 10\n"
			      ".section .go.module, \"aw\"\n"
			      ".quad table\n.fill 15, 8\n.quad functions, 2 + MORE, 3, 0, text, end, text, end\n";

/*
 * Links it with the entries that its list has more than functions, and opens it. Returns the place of its text in the
 * file.
 */
static uint64_t begin_go(const char *flags, int more)
{
	char *command __free = base_printf("$CC -nostdlib -Wl,-e,0 -DMORE=%d %s -o out f.S", more, flags);
	uint64_t vaddr, offset;

	fixture_text("f.S", go_1_26);
	fixture_run(command);
	begin(fixture_path("out"), (struct symbols_options){});
	cr_assert_eq(binary_find_symbol(binary, "text", &vaddr), 0);
	cr_assert_eq(binary_offset_of(binary, vaddr, true, &offset), 0);
	return offset;
}

Test(symbols_go, table_without_address)
{
	static const char *const flags[] = { "-static", "-static-pie", "-shared" };

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		uint64_t text = begin_go(flags[i], 1);

		expect_name(text, "main.main");
		expect_name(text + 31, "main.main");
		expect_name(text + 32, "main.(*Cart).Add");
		expect_name(text + 63, "main.(*Cart).Add");
		cr_expect(strstr(name_at(text - 1), "out+0x"));
		cr_expect(strstr(name_at(text + 64), "out+0x"));
		done();
	}
	/* a form that we do not know: no name rather than a wrong one */
	cr_expect(strstr(name_at(begin_go("-static", 2)), "out+0x"));
	done();
}
