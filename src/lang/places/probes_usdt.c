// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where the arguments of a USDT probe are, by the text of its note (SystemTap's wiki, UserSpaceProbeImplementation):
 * for each argument SIZE@OPERAND, a negative size for a signed one. The operand is the assembler's. x86-64 writes $5,
 * %eax, -20(%rbp), 8(%rax,%rbx,4); arm64 writes 5, x0, [sp, 16]. The two never look alike, so one parser reads both.
 */
#include "probes.h"

/* struct pt_regs of x86-64, in the order of the kernel. */
static const struct {
	const char *names[4]; /* of 8, 4, 2 and 1 bytes */
	uint8_t at;
} x86[] = {
	{ { "r15", "r15d", "r15w", "r15b" }, 0 },
	{ { "r14", "r14d", "r14w", "r14b" }, 8 },
	{ { "r13", "r13d", "r13w", "r13b" }, 16 },
	{ { "r12", "r12d", "r12w", "r12b" }, 24 },
	{ { "rbp", "ebp", "bp", "bpl" }, 32 },
	{ { "rbx", "ebx", "bx", "bl" }, 40 },
	{ { "r11", "r11d", "r11w", "r11b" }, 48 },
	{ { "r10", "r10d", "r10w", "r10b" }, 56 },
	{ { "r9", "r9d", "r9w", "r9b" }, 64 },
	{ { "r8", "r8d", "r8w", "r8b" }, 72 },
	{ { "rax", "eax", "ax", "al" }, 80 },
	{ { "rcx", "ecx", "cx", "cl" }, 88 },
	{ { "rdx", "edx", "dx", "dl" }, 96 },
	{ { "rsi", "esi", "si", "sil" }, 104 },
	{ { "rdi", "edi", "di", "dil" }, 112 },
	{ { "rsp", "esp", "sp", "spl" }, 152 },
};

#define ARM64_SP (31 * 8)

/* The register at *at, which is moved behind it. -1: none. */
static int32_t parse_x86(const char **at)
{
	const char *name = *at + 1;
	size_t len = **at == '%' ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;

	for (size_t i = 0; len && i < ARRAY_SIZE(x86); i++)
		for (size_t j = 0; j < ARRAY_SIZE(x86[i].names); j++)
			if (strlen(x86[i].names[j]) == len && !memcmp(x86[i].names[j], name, len)) {
				*at = name + len;
				return x86[i].at;
			}
	return -1;
}

static int32_t parse_arm64(const char **at)
{
	const char *name = *at;
	char *end;
	unsigned long n;

	if (!strncmp(name, "sp", 2)) {
		*at += 2;
		return ARM64_SP;
	}
	if ((*name != 'x' && *name != 'w') || name[1] < '0' || name[1] > '9')
		return -1;
	n = strtoul(name + 1, &end, 10);
	*at = end;
	return n <= 30 ? (int32_t)n * 8 : -1;
}

static bool parse_number(const char **at, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(*at, &end, 0);
	if (errno == ERANGE) /* a constant above INT64_MAX */
		*value = (int64_t)strtoull(*at, &end, 0);
	if (end == *at)
		return false;
	*at = end;
	return true;
}

/* "(%rbp)", "(%rax,%rbx,4)", "(,%rbx,4)" behind the offset */
static bool parse_x86_memory(const char **at, struct lang_usdt_argument *argument)
{
	int64_t scale = 1;

	++*at;
	argument->where = USDT_MEMORY;
	argument->reg = parse_x86(at);
	if (**at == ',') {
		++*at;
		argument->index_reg = parse_x86(at);
		if (argument->index_reg < 0)
			return false;
		if (**at == ',' && (++*at, !parse_number(at, &scale)))
			return false;
	}
	argument->scale = scale;
	return *(*at)++ == ')' && (argument->reg >= 0 || argument->index_reg >= 0) &&
	       (scale == 1 || scale == 2 || scale == 4 || scale == 8);
}

/* "[sp, 16]", "[x19]", "[x0, x1, lsl 3]" */
static bool parse_arm64_memory(const char **at, struct lang_usdt_argument *argument)
{
	int64_t shift = 0;

	++*at;
	argument->where = USDT_MEMORY;
	argument->scale = 1;
	argument->reg = parse_arm64(at);
	if (argument->reg < 0)
		return false;
	if (**at == ',') {
		*at += 1 + strspn(*at + 1, " ");
		*at += **at == '#';
		if (!parse_number(at, &argument->value)) {
			argument->index_reg = parse_arm64(at);
			if (argument->index_reg < 0)
				return false;
		}
	}
	if (!strncmp(*at, ", lsl ", 6) || !strncmp(*at, ",lsl ", 5)) {
		*at = strstr(*at, "lsl ") + 4;
		*at += **at == '#';
		if (!parse_number(at, &shift) || shift < 0 || shift > 3)
			return false;
		argument->scale = 1 << shift;
	}
	return *(*at)++ == ']';
}

static bool parse_operand(const char **at, struct lang_usdt_argument *argument)
{
	if (**at == '[')
		return parse_arm64_memory(at, argument);
	argument->where = USDT_REGISTER;
	argument->reg = **at == '%' ? parse_x86(at) : parse_arm64(at);
	if (argument->reg >= 0)
		return true;
	argument->where = USDT_CONSTANT;
	if (**at == '$')
		++*at;
	else if (**at == '(')
		return parse_x86_memory(at, argument);
	return parse_number(at, &argument->value) && (**at != '(' || parse_x86_memory(at, argument));
}

static bool parse_size(const char **at, struct lang_usdt_argument *argument)
{
	int64_t size, bytes;

	if (!parse_number(at, &size) || *(*at)++ != '@')
		return false;
	bytes = size < 0 ? -size : size;
	argument->is_signed = size < 0;
	argument->size = bytes;
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* Assemblers write a constant of 4 bytes as they like: $-1 and $0xffffffff are the same. */
static void cut_constant(struct lang_usdt_argument *argument)
{
	uint32_t bits = 64 - 8 * argument->size;
	uint64_t high = (uint64_t)argument->value << bits;

	argument->value = argument->is_signed ? (int64_t)high >> bits : (int64_t)(high >> bits);
}

int lang_usdt_parse(const char *note, struct lang_usdt_argument *v, size_t *n)
{
	size_t max = *n;
	const char *at = note + strspn(note, " ");

	for (*n = 0; *at; ++*n) {
		if (*n == max)
			return -E2BIG;
		v[*n] = (struct lang_usdt_argument){ .reg = -1, .index_reg = -1, .scale = 1 };
		if (!parse_size(&at, &v[*n]) || !parse_operand(&at, &v[*n]) || (*at && *at != ' '))
			return -EINVAL;
		if (v[*n].where == USDT_CONSTANT)
			cut_constant(&v[*n]);
		at += strspn(at, " ");
	}
	return 0;
}
