// SPDX-License-Identifier: BSD-2-Clause
/* src/symbols/: names of frames in files that a test makes and in those of the system, compared with readelf's tables. */
#include "binary_fixture.h"
#include "base/search.h"
#include "symbols/symbols_part.h"
#include "unwind/eh_frame.h"

TestSuite(symbols, .init = fixture_init);

#define FRAME(number, offset) ((uint64_t)(number) << STACK_MODULE_SHIFT | (offset))

/* Until the session is there. */
__attribute__((weak)) const struct unwind_module *unwind_module(const struct unwind *unwind, uint16_t number)
{
	return NULL;
}

__attribute__((weak)) int unwind_function_at(struct unwind *unwind, uint16_t number, uint64_t offset, uint64_t *start,
					     uint64_t *size)
{
	return -ENOENT;
}

/* In place of the unwinding session: one module, its file, and the functions of its .eh_frame. */
static struct unwind_module module = { .number = 7, .fd = -1 };
static struct binary *binary;
static struct eh_frame eh_frame;
static struct symbols *symbols;

static const struct unwind_module *fake_module(void *ctx, uint16_t number)
{
	return number == module.number ? &module : NULL;
}

static int fake_function_at(void *ctx, uint16_t number, uint64_t offset, uint64_t *start, uint64_t *size)
{
	uint64_t vaddr;
	size_t at;

	if (binary_vaddr_of(binary, offset, &vaddr))
		return -ENOENT;
	at = search_first(i, eh_frame.n, eh_frame.v[i].start > vaddr);
	if (!at || vaddr - eh_frame.v[at - 1].start >= eh_frame.v[at - 1].size)
		return -ENOENT;
	*start = eh_frame.v[at - 1].start - vaddr + offset;
	*size = eh_frame.v[at - 1].size;
	return 0;
}

static const struct symbols_source source = { fake_module, fake_function_at, NULL };

static void begin(const char *path, struct symbols_options options)
{
	struct binary_bytes bytes;

	module.path = path;
	module.fd = open(path, O_RDONLY);
	binary = fixture_open(path);
	if (!binary_eh_frame(binary, &bytes))
		cr_assert_eq(eh_frame_read(&eh_frame, &bytes), 0);
	symbols = symbols_new_from(&source, NULL, &options);
}

static void done(void)
{
	symbols_free(symbols);
	eh_frame_release(&eh_frame);
	eh_frame = (struct eh_frame){};
	binary_close(binary);
	base_closep(&module.fd);
}

static const char *name_at(uint64_t offset)
{
	const struct frame *frame = symbols_user(symbols, 0, FRAME(module.number, offset));

	cr_expect_eq(symbols_name(symbols), 0);
	return frame->name;
}

static uint64_t offset_of(const char *function)
{
	const struct binary_symbol *symbol = fixture_find(binary, function);

	cr_assert(symbol, "no function %s", function);
	return symbol->offset;
}

#define expect_name(offset, text) cr_expect_str_eq(name_at(offset), text)

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
