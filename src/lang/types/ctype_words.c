// SPDX-License-Identifier: BSD-2-Clause
/*
 * C's own integers in all of their spellings, bpftrace's names of them, and the typedefs of the kernel that programs
 * and tracepoints use most. Reading BTF for these would cost more than the rest of the compiler.
 */
#include "ctype_part.h"

struct name {
	const char *name;
	uint8_t size;
	bool is_signed;
};

static const struct name fixed[] = {
	{ "int8", 1, true },
	{ "int16", 2, true },
	{ "int32", 4, true },
	{ "int64", 8, true },
	{ "uint8", 1 },
	{ "uint16", 2 },
	{ "uint32", 4 },
	{ "uint64", 8 },
	{ "int8_t", 1, true },
	{ "int16_t", 2, true },
	{ "int32_t", 4, true },
	{ "int64_t", 8, true },
	{ "uint8_t", 1 },
	{ "uint16_t", 2 },
	{ "uint32_t", 4 },
	{ "uint64_t", 8 },
	{ "s8", 1, true },
	{ "s16", 2, true },
	{ "s32", 4, true },
	{ "s64", 8, true },
	{ "u8", 1 },
	{ "u16", 2 },
	{ "u32", 4 },
	{ "u64", 8 },
	{ "__s8", 1, true },
	{ "__s16", 2, true },
	{ "__s32", 4, true },
	{ "__s64", 8, true },
	{ "__u8", 1 },
	{ "__u16", 2 },
	{ "__u32", 4 },
	{ "__u64", 8 },
};

static const struct name typedefs[] = {
	{ "__le16", 2 },
	{ "__le32", 4 },
	{ "__le64", 8 },
	{ "__be16", 2 },
	{ "__be32", 4 },
	{ "__be64", 8 },
	{ "__sum16", 2 },
	{ "__wsum", 4 },
	{ "size_t", 8 },
	{ "ssize_t", 8, true },
	{ "uintptr_t", 8 },
	{ "intptr_t", 8, true },
	{ "loff_t", 8, true },
	{ "off_t", 8, true },
	{ "ptrdiff_t", 8, true },
	{ "time_t", 8, true },
	{ "ktime_t", 8, true },
	{ "time64_t", 8, true },
	{ "sector_t", 8 },
	{ "ino_t", 8 },
	{ "pid_t", 4, true },
	{ "uid_t", 4 },
	{ "gid_t", 4 },
	{ "dev_t", 4 },
	{ "qid_t", 4 },
	{ "key_t", 4, true },
	{ "umode_t", 2 },
	{ "mode_t", 4 },
	{ "fmode_t", 4 },
	{ "gfp_t", 4 },
	{ "clockid_t", 4, true },
	{ "timer_t", 4, true },
	{ "mqd_t", 4, true },
	{ "rwf_t", 4, true },
	{ "aio_context_t", 8 },
	{ "key_serial_t", 4, true },
	{ "uint", 4 },
	{ "ulong", 8 },
	{ "ushort", 2 },
	{ "unchar", 1 },
	{ "dma_addr_t", 8 },
	{ "phys_addr_t", 8 },
	{ "resource_size_t", 8 },
	{ "pgoff_t", 8 },
	{ "socklen_t", 4 },
	{ "sa_family_t", 2 },
	{ "in_addr_t", 4 },
	{ "in_port_t", 2 },
	{ "blk_status_t", 1 },
	{ "blk_opf_t", 4 },
	{ "nfds_t", 8 },
	{ "clock_t", 8, true },
};

/* What the words of an integer of C add up to. */
struct words {
	unsigned int n_unsigned, n_signed, n_char, n_short, n_int, n_long;
};

static bool count_word(struct words *words, const char *word, size_t len)
{
	const struct {
		const char *word;
		unsigned int *n;
	} all[] = {
		{ "unsigned", &words->n_unsigned },
		{ "signed", &words->n_signed },
		{ "char", &words->n_char },
		{ "short", &words->n_short },
		{ "int", &words->n_int },
		{ "long", &words->n_long },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (strlen(all[i].word) == len && !memcmp(all[i].word, word, len)) {
			++*all[i].n;
			return true;
		}
	return false;
}

static const struct type *integer_of(const struct words *words)
{
	uint32_t size = words->n_char ? 1 : words->n_short ? 2
				    : words->n_long	   ? 8
							   : 4;

	if (words->n_unsigned + words->n_signed > 1 || words->n_char + words->n_short > 1 || words->n_int > 1 ||
	    words->n_long > 2 || (words->n_char && (words->n_int || words->n_long)) ||
	    (words->n_short && words->n_long))
		return NULL;
	return type_integer(size, !words->n_unsigned);
}

/* "unsigned long int" */
static const struct type *find_words(const char *name)
{
	struct words words = {};
	const char *at = name;

	for (size_t len; *at; at += len) {
		at += strspn(at, " ");
		len = strcspn(at, " ");
		if (!count_word(&words, at, len))
			return NULL;
	}
	return at > name ? integer_of(&words) : NULL;
}

static const struct type *find_name(const struct name *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i].name, name))
			return type_integer(names[i].size, names[i].is_signed);
	return NULL;
}

const struct type *ctypes_integer(const char *name)
{
	return find_words(name) ?: find_name(fixed, ARRAY_SIZE(fixed), name);
}

const struct type *ctypes_builtin(const char *name)
{
	if (!strcmp(name, "bool") || !strcmp(name, "_Bool"))
		return type_bool();
	if (!strcmp(name, "void"))
		return type_void();
	if (!strcmp(name, "float") || !strcmp(name, "double"))
		return type_float(name[0] == 'f' ? 4 : 8);
	return ctypes_integer(name) ?: find_name(typedefs, ARRAY_SIZE(typedefs), name);
}
