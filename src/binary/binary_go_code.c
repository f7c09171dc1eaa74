// SPDX-License-Identifier: BSD-2-Clause
/*
 * Go functions: which they are, and how they begin. By Go's calling convention (src/cmd/compile/abi-internal.md) a
 * register holds the current goroutine from Go 1.18 on; a prologue compares the stack pointer with the stack bound
 * in the goroutine (stacksplit() in src/cmd/internal/obj/x86/obj6.go and arm64/obj7.go).
 */
#include "binary_code.h"
#include "binary_part.h"
#include "instruction.h"

/* The longest prologue in bytes, with the branch that is taken if the stack is too small. */
#define PROLOGUE_MAX 64

#if defined(__x86_64__)
/* cmp 0x10(%r14), %rsp; for a large frame %r12 in place of %rsp */
static bool is_check(const uint8_t *code)
{
	return (code[0] == 0x49 || code[0] == 0x4d) && code[1] == 0x3b && code[2] == 0x66 && code[3] == 0x10;
}
#else
/* cmp sp, x16; for a large frame x17 in place of sp; x16 was loaded from 16(x28) */
static bool is_check(const uint8_t *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return word == 0xeb3063ff || word == 0xeb10023f;
}
#endif

/* The length of the prologue, with its branch; 0 if the function has none. */
static uint64_t prologue_of(const uint8_t *code, uint64_t size)
{
	struct instruction instruction;
	bool checked = false;

	for (uint64_t at = 0; at < size; at += instruction.length) {
		if (instruction_decode(code + at, size - at, &instruction))
			return 0;
		if (checked)
			return instruction.kind == INSTRUCTION_BRANCH ? at + instruction.length : 0;
		checked = is_check(code + at);
		/* a very large frame needs another branch before the check */
		if (!checked && instruction.kind != INSTRUCTION_OTHER && instruction.kind != INSTRUCTION_BRANCH)
			return 0;
	}
	return 0;
}

int binary_go_entry(struct binary *binary, const struct binary_symbol *function, uint64_t *entry, struct err *err)
{
	uint64_t size = function->size < PROLOGUE_MAX ? function->size : PROLOGUE_MAX;
	uint8_t code[PROLOGUE_MAX + INSTRUCTION_MAX] = {};
	struct instruction instruction;

	*entry = 0;
	if (pread(binary->file.fd, code, sizeof(code), (off_t)function->offset) < (ssize_t)size)
		return err_set(err, -EIO, "it cannot be read");
	*entry = prologue_of(code, size);
	if (instruction_decode(code + *entry, sizeof(code) - *entry, &instruction))
		return 0;
	return binary_check_instruction(&instruction, err);
}

int binary_go_range(struct binary *binary, uint64_t *begin, uint64_t *end)
{
	int ret = binary_find_symbol(binary, "runtime.text", begin);

	return ret ? ret : binary_find_symbol(binary, "runtime.etext", end);
}
