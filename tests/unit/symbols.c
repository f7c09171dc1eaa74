// SPDX-License-Identifier: BSD-2-Clause
/* src/symbols/: names of frames in files that a test makes, one object for each frame, and what ends the search. */
#include "symbols_fixture.h"

TestSuite(symbols, .init = fixture_init);

Test(symbols, within_their_size)
{
	fixture_text("f.s", ".text\n"
			    ".globl sized, _start\n"
			    ".type sized, %function\nsized: .fill 8, 1, 0\n.size sized, .-sized\n"
			    ".fill 8, 1, 0\n"
			    ".type hole, %function\nhole: .cfi_startproc\n.fill 16, 1, 0\n.cfi_endproc\n.fill 16, 1, 0\n"
			    ".type outer, %function\nouter: .fill 8, 1, 0\n"
			    ".type inner, %function\ninner: .fill 8, 1, 0\n.size inner, 4\n.fill 8, 1, 0\n.size outer, .-outer\n"
			    "unnamed: .cfi_startproc\n.fill 16, 1, 0\n.cfi_endproc\n"
			    "_start: .fill 16, 1, 0\n");
	fixture_run("$CC -nostdlib -static -Wl,--build-id=none -o out f.s");
	begin(fixture_path("out"), (struct symbols_options){});
	uint64_t at = offset_of("sized"), vaddr;
	char text[64];

	cr_assert_eq(binary_vaddr_of(binary, at, &vaddr), 0);
	expect_name(at, "sized");
	expect_name(at + 7, "sized");
	snprintf(text, sizeof(text), "out+0x%llx", (unsigned long long)vaddr + 8);
	expect_name(at + 8, text);
	/* without a size: as far as .eh_frame says */
	expect_name(at + 16, "hole");
	expect_name(at + 31, "hole");
	snprintf(text, sizeof(text), "out+0x%llx", (unsigned long long)vaddr + 32);
	expect_name(at + 32, text);
	expect_name(at + 48, "outer");
	expect_name(at + 56, "inner");
	expect_name(at + 60, "outer");
	expect_name(at + 71, "outer");
	snprintf(text, sizeof(text), "out+fn@0x%llx", (unsigned long long)vaddr + 72);
	expect_name(at + 75, text);
	done();
}

/* Of aliases the one that people know; one of them without a size ends where the others do. */
Test(symbols, aliases)
{
	fixture_text("f.s", ".text\n.globl _start, known\n.weak weak\n"
			    ".type known, %function\n.type weak, %function\n.type __local, %function\n.type sizeless, %function\n"
			    "_start:\nknown: weak: __local: sizeless: .cfi_startproc\n.fill 8, 1, 0\n"
			    ".size known, 8\n.size weak, 8\n.size __local, 16\n.fill 16, 1, 0\n.cfi_endproc\n");
	fixture_run("$CC -nostdlib -static -Wl,--build-id=none -o out f.s");
	begin(fixture_path("out"), (struct symbols_options){});
	uint64_t at = offset_of("known");

	expect_name(at + 7, "known");
	expect_name(at + 8, "__local");
	cr_expect_eq(strncmp(name_at(at + 16), "out+fn@0x", 9), 0, "%s", name_at(at + 16));
	done();
}

Test(symbols, names_of_c_plus_plus)
{
	fixture_text("f.cc", "namespace shop { struct Cart { int add(int, const char *); int n; };\n"
			     "__attribute__((noinline)) int Cart::add(int a, const char *b) { return n += a + *b; } }\n"
			     "int main(int c, char **v) { shop::Cart cart{c}; return cart.add(c, *v); }\n");
	fixture_run("g++ -O1 -o out f.cc");
	begin(fixture_path("out"), (struct symbols_options){});
	uint64_t at = offset_of("_ZN4shop4Cart3addEiPKc");
	const struct frame *frame = symbols_user(symbols, 0, FRAME(7, at + 1));

	expect_name(at, "shop::Cart::add");
	cr_expect_str_eq(frame->name, "shop::Cart::add");
	cr_expect_str_eq(frame->symbol, "_ZN4shop4Cart3addEiPKc");
	cr_expect_str_eq(frame->file, fixture_path("out"));
	cr_expect_eq(frame->address, frame->start + 1);
	cr_expect_null(symbols_user(symbols, 0, FRAME(7, offset_of("main")))->symbol);
	done();
	begin(fixture_path("out"), (struct symbols_options){ .mangled = true });
	expect_name(at, "_ZN4shop4Cart3addEiPKc");
	done();
	begin(fixture_path("out"), (struct symbols_options){ .raw = true });
	char text[64];

	snprintf(text, sizeof(text), "out+0x%llx", (unsigned long long)fixture_find(binary, "_ZN4shop4Cart3addEiPKc")->vaddr);
	expect_name(at, text);
	done();
}

Test(symbols, one_object_for_each_frame)
{
	const struct frame *frames[5000];

	begin("/proc/self/exe", (struct symbols_options){});
	uint64_t at = offset_of("symbols_name");

	for (size_t i = 0; i < ARRAY_SIZE(frames); i++)
		frames[i] = symbols_user(symbols, 0, FRAME(7, at + i));
	cr_expect_str_eq(frames[0]->name, "");
	cr_expect_eq(symbols_name(symbols), 0);
	for (size_t i = 0; i < ARRAY_SIZE(frames); i++)
		cr_expect_eq(symbols_user(symbols, 0, FRAME(7, at + i)), frames[i]);
	cr_expect_str_eq(frames[0]->name, "symbols_name");
	cr_expect_eq(frames[1]->name, frames[0]->name);
	/* a process does not matter to what is in a file; elsewhere it does, and so does the kernel */
	cr_expect_eq(symbols_user(symbols, 5, FRAME(7, at)), frames[0]);
	cr_expect_neq(symbols_user(symbols, 5, at), symbols_user(symbols, 6, at));
	cr_expect_neq(symbols_user(symbols, 0, 12345), symbols_kernel(symbols, 12345));
	cr_expect_str_eq(name_at(1ULL << 47), "exe+0x800000000000");
	done();
}

static bool stop_at_second(void *ctx)
{
	int *calls = ctx;

	return ++*calls >= 2;
}

Test(symbols, stop)
{
	int calls = 0;

	begin("/proc/self/exe", (struct symbols_options){ .should_stop = stop_at_second, .ctx = &calls });
	const struct frame *frame = symbols_user(symbols, 0, FRAME(7, offset_of("symbols_name")));
	const struct frame *other = symbols_user(symbols, 0, FRAME(8, 5)), *jit = symbols_user(symbols, getpid(), 4096);

	cr_expect_eq(symbols_name(symbols), -EINTR);
	cr_expect_eq(strncmp(frame->name, "exe+0x", 6), 0, "%s", frame->name);
	cr_expect_str_eq(other->name, "[unknown]");
	cr_expect_str_eq(jit->name, "0x1000");
	done();
}

/* Messages have the file's path, not our descriptor. */
Test(symbols, file_that_is_not_elf)
{
	const char *note;

	fixture_text("text", "not an ELF file, but longer than the header of one, which has 64 bytes\n");
	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	module.path = fixture_path("text");
	module.fd = open(module.path, O_RDONLY | O_CLOEXEC);
	expect_name(4096, "text+0x1000");
	cr_assert_eq(symbols->notes.n, 1);
	note = symbols->notes.v[0];
	cr_expect(strstr(note, "/text: is not an ELF file") && !strstr(note, "/proc/self"), "%s", note);
	close(module.fd);
	module.fd = -1;
	symbols_free(symbols);
}

static bool stop_when_named(void *ctx)
{
	const struct frame *const *frame = ctx;

	return *frame && *(*frame)->name;
}

/* The user does not wait for the rest of a file's frames either. */
Test(symbols, stop_within_a_file)
{
	const struct frame *first = NULL, *second;

	begin("/proc/self/exe", (struct symbols_options){ .should_stop = stop_when_named, .ctx = &first });
	first = symbols_user(symbols, 0, FRAME(7, offset_of("symbols_name")));
	second = symbols_user(symbols, 0, FRAME(7, offset_of("symbols_name") + 1));
	cr_expect_eq(symbols_name(symbols), -EINTR);
	cr_expect_str_eq(first->name, "symbols_name");
	cr_expect_eq(strncmp(second->name, "exe+0x", 6), 0, "%s", second->name);
	done();
}

Test(symbols, no_file)
{
	const struct frame *frame;

	symbols = symbols_new_from(&source, NULL, &(struct symbols_options){});
	module.path = "/no/such/lib.so (deleted)";
	expect_name(4096, "lib.so+0x1000");
	cr_expect_eq(symbols->notes.n, 1);
	frame = symbols_user(symbols, 0, FRAME(9, 4096));
	cr_expect_eq(symbols_name(symbols), 0);
	cr_expect_str_eq(frame->name, "[unknown]");
	symbols_free(symbols);
}
