// SPDX-License-Identifier: BSD-2-Clause
/* binary_count_inlined(): copies of functions inside others, as each compiler describes them. */
#include "binary_fixture.h"

TestSuite(binary_inlined, .init = fixture_init);

/* Copies: two of shared(), three of get(), whose name is in the entry itself, one of all(); none of alone(). */
static const char program[] =
	"volatile int sink;\n"
	"static inline __attribute__((always_inline)) int all(int x) { sink += x; return x * 3; }\n"
	"__attribute__((noinline)) int alone(int x) { sink++; return x + 1; }\n"
	"__attribute__((noinline)) int unshared(int x) { sink--; return x + 1; }\n"
	"int shared(int x) { sink += x; return x * 2; }\n"
	"int get(int x) { sink += x; return x * 7; }\n"
	"__attribute__((noinline)) int a(int x) { return shared(x) + 1 + get(x); }\n"
	"__attribute__((noinline)) int b(int x) { return shared(x + 2) + 1 + all(x) + get(x - 1); }\n"
	"int main(int argc, char **argv) {\n"
	"	int (*volatile f)(int) = shared, (*volatile g)(int) = get;\n"
	"	return alone(a(argc) + b(argc) + f(argc) + g(argc) + get(argc) + unshared(argc)) == 0; }\n";

static const char methods[] =
	"struct Cart { int n; int add(int x); };\n"
	"volatile int sink;\n"
	"int Cart::add(int x) { sink += x; n += x; return n; }\n"
	"__attribute__((noinline)) int a(Cart &c, int x) { return c.add(x) + x; }\n"
	"int main(int argc, char **) { Cart c{}; return a(c, argc) + c.add(3) == 0; }\n";

static void expect(const char *file, const char *name, size_t n)
{
	struct binary *binary = fixture_open(fixture_path(file));
	const struct binary_symbol *symbols;
	struct err err;
	size_t functions, found;

	/* opens the debug file, if there is one */
	cr_assert(!binary_functions(binary, &symbols, &functions, &err));
	found = binary_count_inlined(binary, name);
	cr_expect(found == n, "%s of %s: %zu, not %zu", name, file, found, n);
	binary_close(binary);
}

static void build(const char *command)
{
	fixture_text("program.c", program);
	fixture_text("methods.cc", methods);
	fixture_run(command);
}

static void expect_all(const char *command)
{
	build(command);
	expect("program", "shared", 2);
	expect("program", "get", 3);
	expect("program", "all", 1);
	expect("program", "alone", 0);
	expect("program", "absent", 0);
}

Test(binary_inlined, of_each_version)
{
	expect_all("$CC -O2 -g -gdwarf-2 -o program program.c");
	expect_all("$CC -O2 -g -gdwarf-3 -o program program.c");
	expect_all("$CC -O2 -g -gdwarf-4 -o program program.c");
	expect_all("$CC -O2 -g -gdwarf-5 -o program program.c");
}

/* Its units refer to names by number. */
Test(binary_inlined, of_clang)
{
	expect_all("clang -O2 -g -gdwarf-4 -o program program.c");
	expect_all("clang -O2 -g -gdwarf-5 -o program program.c");
}

Test(binary_inlined, packed_or_in_a_file_of_its_own)
{
	expect_all("$CC -O2 -g -gz -o program program.c");
	expect_all("$CC -O2 -g -o program program.c && objcopy --only-keep-debug program program.debug &&"
		   " strip program && objcopy --add-gnu-debuglink=program.debug program");
}

/* The copies are in a unit other than the one that has the name. */
Test(binary_inlined, across_units)
{
	expect_all("$CC -O2 -g -flto -o program program.c");
}

Test(binary_inlined, of_methods)
{
	build("g++ -O2 -g -o program methods.cc");
	expect("program", "_ZN4Cart3addEi", 2);
	build("clang++ -O2 -g -o program methods.cc");
	expect("program", "_ZN4Cart3addEi", 2);
}

Test(binary_inlined, without_debug_information)
{
	build("$CC -O2 -o program program.c");
	expect("program", "shared", 0);
}

/* Each byte of .debug_info and .debug_abbrev in turn is another: nothing is read beyond its end, and it ends. */
Test(binary_inlined, damaged, .timeout = 120)
{
	build("$CC -O2 -g -o program program.c && cp program damaged &&"
	      " for s in info abbrev; do readelf -SW program |"
	      " sed -n \"s/.* \\.debug_$s *PROGBITS *[0-9a-f]* \\([0-9a-f]*\\) \\([0-9a-f]*\\) .*/0x\\1 0x\\2/p\";"
	      " done > places");
	FILE *places __fclose = fopen(fixture_path("places"), "re");
	size_t n;
	char *data __free = fixture_read(fixture_path("program"), &n);
	unsigned int at, size, sections = 0;

	for (; fscanf(places, "%x %x", &at, &size) == 2; sections++)
		for (unsigned int i = at; i < at + size; i++) {
			struct binary *binary;
			char kept = data[i];

			data[i] = (char)(i % 3 ? 0xff : kept + 1);
			fixture_write("damaged", data, n);
			data[i] = kept;
			binary = fixture_open(fixture_path("damaged"));
			cr_expect(binary_count_inlined(binary, "shared") < 100);
			binary_close(binary);
		}
	cr_expect(sections == 2);
}
