// SPDX-License-Identifier: BSD-2-Clause
/* src/unwind/: rules and tables of functions in assembler, of programs as they are, and of damaged sections. */
#include <elf.h>

#include "base/str.h"
#include "binary_fixture.h"
#include "binary/binary_part.h"
#include "unwind/eh_frame.h"
#include "unwind_table.h"

TestSuite(unwind, .init = fixture_init);

#if defined(__x86_64__)
#define SAVE_FP	  "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"
#define USE_FP	  ".cfi_def_cfa_register %rbp\n"
#define SAVE_FAR  ".cfi_def_cfa_offset 400000\n.cfi_offset %rbp, -399984\n"
#define NO_RA	  ".cfi_undefined %rip\n"
#define NOP	  ".byte 0x90\n"
#define OTHER_CFA ".cfi_def_cfa %r10, 16\n"
#define OTHER	  7 /* r10's place in struct pt_regs */
/* as glibc's __restore_rt has them: what a signal has interrupted is at known places above the stack pointer */
#define SIGNAL \
	".cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06\n" /* CFA: what is at rsp + 160 */ \
	".cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0x00\n"	/* rbp is at rsp + 120 */ \
	".cfi_escape 0x10, 16, 3, 0x77, 0xa8, 0x01\n"	/* rip is at rsp + 168 */
#define PLT	  ".cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22\n"
#define DEREF_ADD ".cfi_escape 0x0f, 5, 0x76, 0x78, 0x06, 0x23, 8\n" /* what is at rbp - 8, + 8 */
#define STRANGE	  ".cfi_escape 0x0f, 3, 0x77, 8, 0x1f\n"	     /* DW_OP_neg */
#define MACHINE	  cfi_x86_64
#define BEGIN	  UNWIND_CFA_SP, 8
#define RA	  UNWIND_AT_CFA, -1
#else
#define SAVE_FP	  "stp x29, x30, [sp, -16]!\n.cfi_def_cfa_offset 16\n.cfi_offset x29, -16\n.cfi_offset x30, -8\n"
#define USE_FP	  ".cfi_def_cfa_register x29\n"
#define SAVE_FAR  ".cfi_def_cfa_offset 400000\n.cfi_offset x29, -399984\n"
#define NO_RA	  ".cfi_undefined x30\n"
#define NOP	  "nop\n"
#define OTHER_CFA ".cfi_def_cfa x9, 16\n"
#define OTHER	  9
#define STRANGE	  ".cfi_escape 0x0f, 3, 0x8f, 8, 0x1f\n"
#define MACHINE	  cfi_aarch64
#define BEGIN	  UNWIND_CFA_SP, 0
#define RA	  UNWIND_SAME, 0
#endif

#define FUNCTION(name, body) \
	".globl " name "\n.type " name ", %function\n" name ":\n.cfi_startproc\n" body ".cfi_endproc\n.size " name \
	", .-" name "\n"

static struct rules rules;
static struct test_table table;
static struct binary *binary;

static void build(const char *functions)
{
	char *source __free = base_printf(".text\n%s\n.globl _start\n_start:\n" NOP, functions);

	fixture_text("f.s", source);
	fixture_run("$CC -nostdlib -static -Wl,--build-id=none -o out f.s");
	cr_assert_eq(binary_open(NULL, fixture_path("out"), &binary, NULL), 0);
	cr_assert_eq(test_table_make(&table, binary, &rules), 0);
}

static void done(void)
{
	test_table_release(&table);
	rules_release(&rules);
	binary_close(binary);
}

/* The rule at an offset from the begin of a function. */
static struct unwind_rule rule_at(const char *name, uint64_t offset)
{
	const struct binary_symbol *symbols;
	size_t n;

	cr_assert_eq(binary_functions(binary, &symbols, &n, NULL), 0);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(symbols[i].name, name))
			return rules.v[test_table_rule(&table, symbols[i].offset + offset)];
	cr_assert_fail("no function %s", name);
	return (struct unwind_rule){};
}

static void expect_cfa(const char *name, uint64_t offset, enum unwind_cfa cfa, int of)
{
	struct unwind_rule rule = rule_at(name, offset);

	cr_expect_eq(rule.cfa, cfa, "%s+%d: kind %d", name, (int)offset, rule.cfa);
	cr_expect_eq(rule.offset, of, "%s+%d: offset %d", name, (int)offset, rule.offset);
}

static void expect_saved(const char *name, uint64_t offset, enum unwind_saved fp, int fp_at, enum unwind_saved ra,
			 int ra_at)
{
	struct unwind_rule rule = rule_at(name, offset);

	cr_expect(rule.fp == fp && rule.fp_offset == fp_at, "%s+%d: fp %d %d", name, (int)offset, rule.fp,
		  rule.fp_offset);
	cr_expect(rule.ra == ra && rule.ra_offset == ra_at, "%s+%d: ra %d %d", name, (int)offset, rule.ra,
		  rule.ra_offset);
}

Test(unwind, rules_of_a_function)
{
	build(FUNCTION("plain", NOP) FUNCTION("frame", SAVE_FP NOP USE_FP NOP)
		      FUNCTION("big", ".cfi_adjust_cfa_offset 100000\n" NOP) FUNCTION("root", NO_RA NOP)
			      FUNCTION("other", OTHER_CFA NOP) FUNCTION("strange", STRANGE NOP)
				      FUNCTION("twice", NOP ".cfi_remember_state\n.cfi_adjust_cfa_offset 64\n" NOP
							    ".cfi_restore_state\n" NOP));
	expect_cfa("plain", 0, BEGIN);
	expect_saved("plain", 0, UNWIND_SAME, 0, RA);
	expect_cfa("frame", 0, BEGIN);
#if defined(__x86_64__)
	expect_cfa("frame", 1, UNWIND_CFA_SP, 16);
	expect_cfa("frame", 2, UNWIND_CFA_FP, 16);
	expect_saved("frame", 2, UNWIND_AT_CFA, -2, RA);
	expect_cfa("big", 0, UNWIND_CFA_SP, 100008);
	expect_cfa("twice", 1, UNWIND_CFA_SP, 72);
	expect_cfa("twice", 2, BEGIN);
#else
	expect_cfa("frame", 4, UNWIND_CFA_SP, 16);
	expect_cfa("frame", 8, UNWIND_CFA_FP, 16);
	expect_saved("frame", 8, UNWIND_AT_CFA, -2, UNWIND_AT_CFA, -1);
	expect_cfa("big", 0, UNWIND_CFA_SP, 100000);
	expect_cfa("twice", 4, UNWIND_CFA_SP, 64);
	expect_cfa("twice", 8, BEGIN);
#endif
	expect_cfa("root", 0, UNWIND_CFA_ROOT, 0);
	expect_cfa("other", 0, UNWIND_CFA_REGISTER, 16);
	cr_expect_eq(rule_at("other", 0).add, OTHER);
	expect_cfa("strange", 0, UNWIND_CFA_UNKNOWN, 0);
	cr_expect_eq(test_table_rule(&table, 0), UNWIND_RULE_NONE);
	cr_expect_eq(test_table_rule(&table, 1ULL << 40), UNWIND_RULE_NONE);
	cr_expect_eq(table.count.functions, 7);
	cr_expect_eq(table.count.damaged, 0);
	done();
}

#if defined(__aarch64__)
/* As glibc has it in _dl_runtime_resolve: the CFA lies below what was pushed before. */
Test(unwind, rules_of_a_cfa_that_is_too_low)
{
	build(FUNCTION("resolve", ".cfi_rel_offset x30, 8\n" NOP ".cfi_adjust_cfa_offset 208\n" NOP));
	expect_cfa("resolve", 0, UNWIND_CFA_SP, 16);
	expect_saved("resolve", 0, UNWIND_SAME, 0, UNWIND_AT_CFA, -1);
	expect_cfa("resolve", 4, UNWIND_CFA_SP, 224);
	expect_saved("resolve", 4, UNWIND_SAME, 0, UNWIND_AT_CFA, -1);
	done();
}
#endif

/* The PLT without an FDE, as lld and arm64's linkers make it. */
Test(unwind, rules_of_a_plt_without_fde)
{
	build(FUNCTION("other", NOP) ".section .plt,\"ax\"\n.globl plt\n.type plt, %function\nplt: .skip 64\n.size plt, 64\n.text\n");
#if defined(__x86_64__)
	expect_cfa("plt", 0, UNWIND_CFA_SP, 16);
	expect_cfa("plt", 6, UNWIND_CFA_SP, 24);
	expect_cfa("plt", 16, UNWIND_CFA_PLT, 8);
	expect_cfa("plt", 63, UNWIND_CFA_PLT, 8);
#else
	expect_cfa("plt", 0, UNWIND_CFA_SP, 0);
	expect_cfa("plt", 4, UNWIND_CFA_SP, 16);
	expect_cfa("plt", 32, UNWIND_CFA_SP, 0);
	expect_cfa("plt", 63, UNWIND_CFA_SP, 0);
#endif
	expect_cfa("other", 0, BEGIN);
	done();
}

/* _start, which follows, has no FDE. */
Test(unwind, rules_of_the_entry)
{
	build(FUNCTION("other", NOP));
	expect_cfa("other", 0, BEGIN);
#if defined(__x86_64__)
	expect_cfa("other", 1, UNWIND_CFA_ROOT, 0);
#else
	expect_cfa("other", 4, UNWIND_CFA_ROOT, 0);
#endif
	expect_cfa("other", 200, UNWIND_CFA_NONE, 0);
	done();
}

/* A frame so large that a rule has no room for the distance from the CFA. */
Test(unwind, rules_of_a_large_frame)
{
	build(FUNCTION("far", SAVE_FAR NOP));
	expect_cfa("far", 0, UNWIND_CFA_SP, 400000);
	expect_saved("far", 0, UNWIND_AT_SP, 2, RA);
	done();
}

#if defined(__x86_64__)
Test(unwind, rules_of_linkers_and_signals)
{
	build(FUNCTION("signal", SIGNAL NOP) FUNCTION("plt", PLT NOP) FUNCTION("realigned", DEREF_ADD NOP)
		      FUNCTION("back", ".cfi_adjust_cfa_offset 8\n" DEREF_ADD NOP ".cfi_def_cfa_register %rsp\n" NOP));
	expect_cfa("signal", 0, UNWIND_CFA_SP_DEREF, 160);
	expect_saved("signal", 0, UNWIND_AT_SP, 15, UNWIND_AT_SP, 21);
	expect_cfa("plt", 0, UNWIND_CFA_PLT, 8);
	cr_expect_eq(rule_at("plt", 0).add, 11);
	expect_cfa("realigned", 0, UNWIND_CFA_FP_DEREF, -8);
	cr_expect_eq(rule_at("realigned", 0).add, 8);
	/* a register alone leaves the offset as it was before the expression */
	expect_cfa("back", 1, UNWIND_CFA_SP, 16);
	done();
}
#endif

/* A function of several pages: each of them begins with its rule. */
Test(unwind, pages)
{
	build(FUNCTION("long", NOP ".cfi_adjust_cfa_offset 32\n.fill 300000, 1, 0\n") FUNCTION("behind", NOP));
	for (uint64_t at = 65536; at < 300000; at += 65536)
		expect_cfa("long", at, UNWIND_CFA_SP, rule_at("long", 4).offset);
	expect_cfa("behind", 0, BEGIN);
	cr_expect_geq(table.n, 5);
	for (size_t i = 0; i < table.n; i++)
		cr_expect_eq(table.rows.v[table.v[i].first].place, 0);
	done();
}

struct check {
	uint64_t n; /* rows */
};

static void check_row(void *ctx, uint64_t vaddr, const struct unwind_rule *rule)
{
	struct check *check = ctx;
	uint64_t offset;
	uint16_t number;

	cr_assert_eq(binary_offset_of(binary, vaddr, true, &offset), 0);
	number = test_table_rule(&table, offset);
	cr_assert(!memcmp(&rules.v[number], rule, sizeof(*rule)), "0x%llx has rule %u", (unsigned long long)vaddr,
		  number);
	check->n++;
}

/* For a real program, this one, every row of the table agrees with the instructions of .eh_frame. */
Test(unwind, table_of_a_program)
{
	struct eh_frame frame = {};
	struct check check = {};
	struct cfi_fde fde;
	size_t n;

	cr_assert_eq(binary_open(NULL, "/proc/self/exe", &binary, NULL), 0);
	cr_assert_eq(test_table_make(&table, binary, &rules), 0);
	cr_assert_eq(eh_frame_open(&frame, binary), 0);
	for (n = 0; eh_frame_next(&frame, &fde); n++) {
		cr_expect(binary_unwinds_from(binary, fde.start));
		cr_expect(fde.end == fde.start + 1 || !binary_unwinds_from(binary, fde.start + 1));
		cr_assert_eq(cfi_run(&MACHINE, &fde, check_row, &check), 0);
	}
	cr_expect_gt(check.n, 1000);
	cr_expect_eq(table.count.functions, n);
	eh_frame_release(&frame);
	done();
}

/* Without section headers, which the loader does not need, the table is the same. */
Test(unwind, by_program_headers)
{
	size_t rows, n;
	char *data;

	fixture_text("p.c", "#include <stdio.h>\nint main(void) { return puts(\"\"); }\n");
	fixture_run("$CC -O2 -o p p.c");
	cr_assert_eq(binary_open(NULL, fixture_path("p"), &binary, NULL), 0);
	cr_assert_eq(test_table_make(&table, binary, &rules), 0);
	rows = table.rows.n;
	done();
	data = fixture_read(fixture_path("p"), &n);
	((Elf64_Ehdr *)data)->e_shoff = ((Elf64_Ehdr *)data)->e_shnum = ((Elf64_Ehdr *)data)->e_shstrndx = 0;
	fixture_write("p", data, n);
	free(data);
	cr_assert_eq(binary_open(NULL, fixture_path("p"), &binary, NULL), 0);
	cr_assert_eq(test_table_make(&table, binary, &rules), 0);
	cr_expect_eq(table.rows.n, rows);
	done();
}

/* --- hostile sections --- */

/* A CIE "zR" with addresses of 8 bytes, and functions: those of `spans`, start and size. */
static size_t section(uint8_t *to, const uint64_t (*spans)[2], size_t n)
{
	static const uint8_t cie[] = { 20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0,
				       1, 0x78, 16, 1, 0x00, 0x0c, 7, 8, 0x90, 1, 0, 0 };
	size_t at = sizeof(cie);

	memcpy(to, cie, sizeof(cie));
	for (size_t i = 0; i < n; i++) {
		uint32_t head[] = { 28, (uint32_t)at + 4 };

		memcpy(to + at, head, sizeof(head));
		memcpy(to + at + 8, spans[i], 16);
		memset(to + at + 24, 0, 8);
		at += 32;
	}
	memset(to + at, 0, 4);
	return at + 4;
}

static struct eh_frame read_section(const uint8_t *data, size_t size)
{
	const struct eh_frame_source source = { .data = data, .part = { .size = size, .vaddr = 0x1000, .exact = true } };
	struct eh_frame frame = {};

	cr_assert_eq(eh_frame_read(&frame, &source), 0);
	return frame;
}

Test(unwind, functions_in_order)
{
	const uint64_t spans[][2] = { { 0x300, 16 }, { 0x100, 16 }, { 0x108, 16 }, { 0, 16 }, { 0x200, 0 }, { ~0ULL, 2 }, { 1, 1ULL << 40 } };
	uint8_t data[512];
	struct eh_frame frame = read_section(data, section(data, spans, ARRAY_SIZE(spans)));
	struct cfi_fde fde;

	cr_assert(eh_frame_next(&frame, &fde));
	cr_expect(fde.start == 0x100 && fde.end == 0x110);
	cr_assert(eh_frame_next(&frame, &fde));
	cr_expect(fde.start == 0x300 && fde.end == 0x310);
	cr_expect_not(eh_frame_next(&frame, &fde));
	cr_expect_eq(frame.damaged, 3, "%d", (int)frame.damaged);
	eh_frame_release(&frame);
}

static void count_row(void *ctx, uint64_t vaddr, const struct unwind_rule *rule)
{
	((struct check *)ctx)->n++;
}

/* Sets each byte to each of a few values: ASan checks that nothing beyond the section is read. */
Test(unwind, damaged_sections)
{
	const uint64_t spans[][2] = { { 0x300, 16 }, { 0x100, 16 } };
	static const uint8_t values[] = { 0, 1, 0x0f, 0x10, 0x7f, 0x80, 0xff };
	uint8_t whole[512];
	size_t size = section(whole, spans, ARRAY_SIZE(spans));

	for (size_t i = 0; i < size * ARRAY_SIZE(values); i++) {
		uint8_t *data = base_alloc(size);
		struct eh_frame frame;
		struct cfi_fde fde;

		memcpy(data, whole, size);
		data[i / ARRAY_SIZE(values)] = values[i % ARRAY_SIZE(values)];
		frame = read_section(data, size);
		while (eh_frame_next(&frame, &fde)) {
			struct check check = {};

			cfi_run(&cfi_x86_64, &fde, count_row, &check);
			cr_expect_leq(check.n, 16);
		}
		eh_frame_release(&frame);
		free(data);
	}
}

Test(unwind, truncated_sections)
{
	const uint64_t spans[][2] = { { 0x300, 16 }, { 0x100, 16 } };
	uint8_t whole[512];
	size_t size = section(whole, spans, ARRAY_SIZE(spans));

	for (size_t n = 0; n < size; n++) {
		uint8_t *data = base_alloc(n + 1);
		struct eh_frame frame;
		struct cfi_fde fde;

		memcpy(data, whole, n);
		frame = read_section(data, n);
		cr_expect_leq(frame.n, 2);
		while (eh_frame_next(&frame, &fde))
			;
		eh_frame_release(&frame);
		free(data);
	}
}

Test(unwind, numbers)
{
	static const uint8_t data[] = { 0xe5, 0x8e, 0x26, 0x7f, 0x80, 0x7f, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 'a', 0, 0x80 };
	struct cursor c = cursor_init(data, sizeof(data), 0x40);

	cr_expect_eq(cursor_uleb(&c), 624485);
	cr_expect_eq(cursor_sleb(&c), -1);
	cr_expect_eq(cursor_sleb(&c), -128);
	cr_expect_eq(cursor_uleb(&c), UINT64_MAX);
	cr_expect_str_eq(cursor_string(&c), "a");
	cr_expect_eq(c.vaddr, 0x40 + sizeof(data) - 1);
	cr_expect_not(c.bad);
	cr_expect_eq(cursor_uleb(&c), 0);
	cr_expect(c.bad);
}

Test(unwind, pointers)
{
	static const uint8_t data[] = { 0xfc, 0xff, 0xff, 0xff, 0x10, 0, 0, 0, 2, 0 };
	struct cursor c = cursor_init(data, sizeof(data), 0x1000);

	cr_expect_eq(cursor_pointer(&c, CURSOR_OMIT, 0), 0);
	cr_expect_eq(cursor_pointer(&c, 0x1b, 0), 0x1000 - 4);
	cr_expect_eq(cursor_pointer(&c, 0x3b, 0x500), 0x510);
	cr_expect_eq(cursor_pointer(&c, 0x02, 0), 2);
	cr_expect_not(c.bad);
	c = cursor_init(data, sizeof(data), 0x1000);
	cursor_skip_pointer(&c, CURSOR_OMIT);
	cursor_skip_pointer(&c, 0x9b);
	cr_expect_eq(cursor_pointer(&c, 0x03, 0), 0x10);
	cr_expect_not(c.bad);
	c = cursor_init(data, sizeof(data), 0x1000);
	cursor_pointer(&c, 0x9b, 0);
	cr_expect(c.bad);
	c = cursor_init(data + 8, 2, 0x1008);
	cr_expect_eq(cursor_pointer(&c, 0x02, 0), 2);
	cr_expect_eq(cursor_pointer(&c, 0x02, 0), 0);
	cr_expect(c.bad);
}

Test(unwind, rules_are_each_once)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP, .ra = UNWIND_AT_CFA, .ra_offset = -8 };
	uint16_t first = rules_number(&rules, &rule);

	cr_expect_geq(first, UNWIND_RULES_FIXED);
	for (int i = 0; i <= 70000; i++) {
		uint16_t number;

		rule.offset = i;
		number = rules_number(&rules, &rule);
		cr_expect_eq(number, i < UNWIND_RULES_MAX - UNWIND_RULES_FIXED ? first + i : UNWIND_RULE_UNKNOWN);
	}
	cr_expect_eq(rules.n, UNWIND_RULES_MAX);
	cr_expect_eq(rules.refused, 70001 - (UNWIND_RULES_MAX - UNWIND_RULES_FIXED));
	rule.offset = 17;
	cr_expect_eq(rules_number(&rules, &rule), first + 17);
	rules_release(&rules);
	rules.limit = UNWIND_RULES_FIXED + 1;
	cr_expect_eq(rules_number(&rules, &rule), first);
	rule.offset = 18;
	cr_expect_eq(rules_number(&rules, &rule), UNWIND_RULE_UNKNOWN);
	cr_expect_eq(rules.refused, 1);
	rules_release(&rules);
}

/* Records can be in another order than the functions: a leap to one reads little, not 64 KB for each. */
Test(unwind, records_in_reverse)
{
	__cleanup(eh_frame_release) struct eh_frame frame = {};
	struct binary *binary __cleanup(binary_closep) = NULL;
	struct cfi_fde fde;
	size_t n = 0, read = 0;
	uint64_t at = 0;
	__str struct str text = {};

	for (int i = 0; i < 6000; i++)
		str_addf(&text, ".text %d\n.cfi_startproc\nnop\n.cfi_endproc\n", 6000 - i);
	fixture_text("reverse.s", text.data);
	fixture_run("$CC -shared -nostdlib -o reverse reverse.s");
	cr_assert_eq(binary_open(NULL, fixture_path("reverse"), &binary, NULL), 0);
	cr_assert_eq(eh_frame_open(&frame, binary), 0);
	cr_assert_gt(frame.source.part.size, 100000u);
	for (; eh_frame_next(&frame, &fde); n++) {
		read += frame.window.at != at ? frame.window.n : 0;
		at = frame.window.at;
	}
	cr_expect_eq(n, 6000);
	cr_expect_lt(read, 6000 * 2048 + 100000);
}
