// SPDX-License-Identifier: BSD-2-Clause
/* Reads what Ruby's functions say from their instructions, as GCC compiles them. */
#include "arm64.h"
#include "ruby_code.h"

size_t ruby_code_read(const struct runtime_file *file, const struct binary_exported *function, uint8_t *code, size_t max)
{
	const size_t n = function->size < max ? function->size : max;

	return runtime_read_at(file, function->vaddr, code, n) ? n : 0;
}

#if defined(__x86_64__)

/* Whether an instruction begins so; *target: what the 32 bits behind it refer to. */
static bool refers(const uint8_t *code, size_t n, uint64_t vaddr, const char *begin, size_t n_begin, uint64_t *target)
{
	int32_t distance;

	if (n < n_begin + sizeof(distance) || memcmp(code, begin, n_begin))
		return false;
	memcpy(&distance, code + n_begin, sizeof(distance));
	*target = vaddr + n_begin + sizeof(distance) + (uint64_t)(int64_t)distance;
	return true;
}

/* Searches a function for such an instruction. */
static bool find_reference(const struct runtime_file *file, const struct binary_exported *function, const char *begin,
			   size_t n_begin, uint64_t *target)
{
	uint8_t code[2 * RUBY_STUB_MAX];
	const size_t n = ruby_code_read(file, function, code, sizeof(code));

	for (size_t i = 0; i < n; i++)
		if (refers(code + i, n - i, function->vaddr + i, begin, n_begin, target))
			return true;
	return false;
}

bool ruby_code_call(const uint8_t *code, size_t n, uint64_t vaddr, uint64_t *target)
{
	return refers(code, n, vaddr, "\xe8", 1, target);
}

bool ruby_code_first_call(const struct runtime_file *file, const struct binary_exported *function, uint64_t *target)
{
	return find_reference(file, function, "\xe8", 1, target);
}

bool ruby_code_variable(const struct runtime_file *file, const struct binary_exported *function, uint64_t *place)
{
	/* data16 lea INDEX(%rip),%rdi, before the call of __tls_get_addr */
	return find_reference(file, function, "\x66\x48\x8d\x3d", 4, place);
}

bool ruby_code_symbols(const struct runtime_file *file, const struct binary_exported *function, uint64_t *names)
{
	uint64_t last;

	return find_reference(file, function, "\x39\x3d", 2, &last) &&
	       find_reference(file, function, "\x48\x8b\x3d", 3, names) && *names == last + 16;
}

bool ruby_code_member(const struct runtime_file *file, const struct binary_exported *function, uint8_t first, uint8_t offset)
{
	/* mov FIRST(%rdi),%rax; mov OFFSET(%rax),%rax */
	const uint8_t member[] = { 0x48, 0x8b, 0x47, first, 0x48, 0x8b, 0x40, offset };
	uint8_t code[RUBY_STUB_MAX];

	return memmem(code, ruby_code_read(file, function, code, sizeof(code)), member, sizeof(member));
}

#else

bool ruby_code_call(const uint8_t *code, size_t n, uint64_t vaddr, uint64_t *target)
{
	struct arm64_reader reader = { .code = code, .n = n, .vaddr = vaddr };
	struct arm64_place place;

	if (!arm64_next(&reader, &place) || place.kind != ARM64_CALL)
		return false;
	*target = place.at;
	return true;
}

bool ruby_code_first_call(const struct runtime_file *file, const struct binary_exported *function, uint64_t *target)
{
	uint8_t code[2 * RUBY_STUB_MAX];
	const size_t n = ruby_code_read(file, function, code, sizeof(code));

	for (size_t i = 0; i < n; i += RUBY_CODE_STEP)
		if (ruby_code_call(code + i, n - i, function->vaddr + i, target))
			return true;
	return false;
}

/* ldr REGISTER, [x0, LOW]; add x0, x0, LOW; blr REGISTER: the descriptor begins with the function that is called. */
static bool find_descriptor(const struct runtime_file *file, const struct binary_exported *function, uint64_t *place)
{
	uint8_t code[2 * RUBY_STUB_MAX];
	struct arm64_reader reader = { code, ruby_code_read(file, function, code, sizeof(code)), function->vaddr, 0, 0, {} };
	struct arm64_place now, loaded = {}, address = {};

	while (arm64_next(&reader, &now)) {
		if (now.kind == ARM64_ACCESS)
			loaded = now;
		if (now.kind == ARM64_ADDRESS)
			address = now;
		if (now.kind != ARM64_INDIRECT || now.base != loaded.reg || address.at != loaded.at || !loaded.at)
			continue;
		*place = address.at;
		return true;
	}
	return false;
}

bool ruby_code_variable(const struct runtime_file *file, const struct binary_exported *function, uint64_t *place)
{
	struct binary_exported callee = { .size = 2 * RUBY_STUB_MAX };

	return find_descriptor(file, function, place) ||
	       (ruby_code_first_call(file, function, &callee.vaddr) && find_descriptor(file, &callee, place));
}

bool ruby_code_symbols(const struct runtime_file *file, const struct binary_exported *function, uint64_t *names)
{
	uint8_t code[2 * RUBY_STUB_MAX];
	struct arm64_reader reader = { code, ruby_code_read(file, function, code, sizeof(code)), function->vaddr, 0, 0, {} };
	struct arm64_place now;
	uint64_t accessed = 0, last = 0;

	/* the number is loaded, then its address is that of what has the names, too */
	while (arm64_next(&reader, &now)) {
		if (now.kind == ARM64_ADDRESS && now.at == accessed)
			last = accessed;
		if (now.kind != ARM64_ACCESS)
			continue;
		accessed = now.at;
		*names = now.at;
		if (last && now.at == last + 16)
			return true;
	}
	return false;
}

bool ruby_code_member(const struct runtime_file *file, const struct binary_exported *function, uint8_t first, uint8_t offset)
{
	uint8_t code[RUBY_STUB_MAX];
	struct arm64_reader reader = { code, ruby_code_read(file, function, code, sizeof(code)), function->vaddr, 0, 0, {} };
	struct arm64_place body, member;

	/* bti c, in some builds; ldr x0, [x0, FIRST]; ldr x0, [x0, OFFSET] */
	if (reader.n >= 4 && !memcmp(code, "\x5f\x24\x03\xd5", 4))
		arm64_next(&reader, &body);
	return arm64_next(&reader, &body) && body.kind == ARM64_MEMBER && !body.base && body.at == first &&
	       arm64_next(&reader, &member) && member.kind == ARM64_MEMBER && member.base == body.reg && member.at == offset;
}

#endif
