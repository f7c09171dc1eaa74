// SPDX-License-Identifier: BSD-2-Clause
/* Reads methods of HotSpot: names of method and class, the file, and lines. */
#include "java_part.h"

#define STRINGS_MAX (512 * 1024)
#define METHODS_MAX (256 * 1024)
#define MEMBERS_MAX 8192
#define CONST_MAX   128 /* bytes of what does not change that are read */
#define LINES_FLAG  1
#define PIECE	    512 /* words */

const char *java_string(struct java *java, const char *text)
{
	uint32_t number = set_add_most(&java->strings, text, strlen(text) + 1, STRINGS_MAX);

	return number == SET_NONE ? NULL : java->strings.v[number].bytes;
}

void *java_copy(struct java *java, const struct java_process *process, uint64_t at, uint64_t n)
{
	void *copy;

	if (!n || n > JAVA_TABLE_MAX || java->bytes + n > JAVA_BYTES_MAX)
		return NULL;
	/* zeros behind it */
	copy = base_alloc(n + sizeof(struct java_stop));
	if (!peek_copy(process->peek, at, copy, n)) {
		free(copy);
		return NULL;
	}
	java->bytes += n;
	return copy;
}

static uint64_t word_at(const struct java_process *process, uint64_t at)
{
	uint64_t word = 0;

	return peek_copy(process->peek, at, &word, sizeof(word)) ? word : 0;
}

/* Reads a symbol, at most `max` bytes with the NUL. False: it is none, or empty. */
static bool read_symbol(const struct java_process *process, uint64_t symbol, char *to, size_t max)
{
	const struct java_layout *layout = &process->runtime->java;
	uint16_t length;
	size_t n;

	if (symbol & 7 || !peek_copy(process->peek, symbol + layout->symbol_length, &length, sizeof(length)) || !length)
		return false;
	n = length < max ? length : max - 1;
	if (!peek_copy(process->peek, symbol + layout->symbol_body, to, n))
		return false;
	to[n] = '\0';
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)to[i] < ' ' || to[i] == 0x7f)
			to[i] = '?';
	if (n < length && max > 4)
		memcpy(to + n - 3, "...", 3);
	return true;
}

/* Packages have dots; classes without a name of their own have an address in it, which is left out. */
static void show_class(char *name)
{
	char *address = strstr(name, "+0x");

	if (address)
		*address = '\0';
	for (; *name; name++)
		if (*name == '/')
			*name = '.';
}

/* Whether a class has a method: what else looks like one is not believed. */
static bool has_method(const struct java_process *process, uint64_t class, uint64_t method)
{
	const struct java_layout *layout = &process->runtime->java;
	const uint64_t array = word_at(process, class + layout->class_methods);
	uint64_t piece[PIECE];
	uint32_t n;

	if (!array || !peek_copy(process->peek, array, &n, sizeof(n)) || n > MEMBERS_MAX)
		return false;
	for (uint32_t i = 0; i < n; i += PIECE) {
		const uint32_t count = n - i < PIECE ? n - i : PIECE;

		if (!peek_copy(process->peek, array + layout->methods_data + 8ULL * i, piece, 8ULL * count))
			return false;
		for (uint32_t k = 0; k < count; k++)
			if (piece[k] == method)
				return true;
	}
	return false;
}

/* The parts of a method that are read. */
struct parts {
	uint8_t unchanging[CONST_MAX];
	uint64_t at, pool, holder, name, class_name;
	uint16_t code_size, name_index, flags;
	uint32_t size;	/* words */
	bool is_absent; /* something is not in memory */
};

static uint64_t part_at(const struct java_process *process, uint64_t at, struct parts *parts)
{
	uint64_t word = 0;

	parts->is_absent = !peek_copy(process->peek, at, &word, sizeof(word));
	return word;
}

bool java_fits(const struct java_layout *layout)
{
	const uint32_t size = layout->code_begin;

	return size <= CONST_MAX && layout->const_pool + 8ULL <= size && layout->const_code_size + 2ULL <= size &&
	       layout->const_name + 2ULL <= size && layout->const_flags + 2ULL <= size && layout->const_size + 4ULL <= size;
}

static bool read_parts(const struct java_process *process, uint64_t address, struct parts *parts)
{
	const struct java_layout *layout = &process->runtime->java;
	uint32_t length;

	parts->at = part_at(process, address + layout->method_const, parts);
	if (!parts->at || parts->at & 7 || !java_fits(layout))
		return false;
	parts->is_absent = !peek_copy(process->peek, parts->at, parts->unchanging, layout->code_begin);
	if (parts->is_absent)
		return false;
	memcpy(&parts->pool, parts->unchanging + layout->const_pool, 8);
	memcpy(&parts->code_size, parts->unchanging + layout->const_code_size, 2);
	memcpy(&parts->name_index, parts->unchanging + layout->const_name, 2);
	memcpy(&parts->flags, parts->unchanging + layout->const_flags, 2);
	memcpy(&parts->size, parts->unchanging + layout->const_size, 4);
	if (!parts->pool || parts->pool & 7)
		return false;
	parts->is_absent = !peek_copy(process->peek, parts->pool + layout->pool_length, &length, sizeof(length));
	if (parts->is_absent || parts->name_index >= length)
		return false;
	parts->name = part_at(process, parts->pool + layout->pool_begin + 8ULL * parts->name_index, parts);
	if (parts->name)
		parts->holder = part_at(process, parts->pool + layout->pool_holder, parts);
	if (parts->holder)
		parts->class_name = part_at(process, parts->holder + layout->class_name, parts);
	return parts->class_name;
}

static const char *read_file(struct java *java, const struct java_process *process, const struct parts *parts)
{
	const struct java_layout *layout = &process->runtime->java;
	char text[NAMES_FILE] = "";
	const uint64_t at = layout->class_file ? parts->holder + layout->class_file : parts->pool + layout->pool_file;
	const char *file = NULL;
	uint16_t index;

	if (peek_copy(process->peek, at, &index, sizeof(index)) && index &&
	    read_symbol(process, word_at(process, parts->pool + layout->pool_begin + 8ULL * index), text, sizeof(text)))
		file = java_string(java, text);
	return file ? file : "";
}

static void forget(struct java *java, struct java_method *method)
{
	java->bytes -= method->n_lines;
	free(method->lines);
	*method = (struct java_method){};
}

/* Reads the names. False: it is no method. */
static bool read_method(struct java *java, const struct java_process *process, uint64_t address,
			const struct parts *parts, struct java_method *method)
{
	const struct java_layout *layout = &process->runtime->java;
	char name[2 * NAMES_FUNCTION + 64], class[NAMES_FUNCTION + 62], own[NAMES_FUNCTION];
	uint64_t lines = parts->at + layout->code_begin + parts->code_size, end = parts->at + 8ULL * parts->size;

	if (word_at(process, parts->holder + layout->class_pool) != parts->pool ||
	    !has_method(process, parts->holder, address) ||
	    !read_symbol(process, parts->class_name, class, sizeof(class)) ||
	    !read_symbol(process, parts->name, own, sizeof(own)))
		return false;
	show_class(class);
	snprintf(name, sizeof(name), "%s.%s", class, own);
	method->name = java_string(java, name);
	if (!method->name)
		return false;
	method->file = read_file(java, process, parts);
	method->code_size = parts->code_size;
	method->minus = layout->minus;
	if (parts->flags & LINES_FLAG && end > lines) {
		method->lines = java_copy(java, process, lines, end - lines);
		method->n_lines = method->lines ? end - lines : 0;
	}
	return true;
}

/* Whether what was read, as far as it could be, is as it was when the names were read. */
static bool is_same(const struct parts *parts, const uint64_t words[5], const struct java_method *known)
{
	for (int i = 0; i < 5; i++)
		if (words[i] != known->words[i])
			return !words[i] && parts->is_absent;
	return true;
}

const struct java_method *java_method_at(struct java *java, const struct java_process *process, uint64_t address)
{
	const uint64_t key[] = { (uint64_t)process->pid, address };
	const uint32_t number = set_find(&java->methods.keys, key, sizeof(key));
	struct java_method new = {}, *known = number == SET_NONE ? NULL : &java->methods.v[number];
	struct parts parts = {};
	bool is_read;

	if (!address || address & 7)
		return NULL;
	if (process->runtime) {
		is_read = read_parts(process, address, &parts);
		const uint64_t words[] = { parts.at, parts.pool, parts.name, parts.holder, parts.class_name };

		if (known && is_same(&parts, words, known))
			return known->words[0] ? known : NULL;
		if (known)
			forget(java, known);
		if (!is_read || (!known && java->methods.n >= METHODS_MAX) ||
		    !read_method(java, process, address, &parts, &new)) {
			forget(java, &new);
			return NULL;
		}
		memcpy(new.words, words, sizeof(words));
		if (!known) {
			set_add(&java->methods.keys, key, sizeof(key));
			known = vec_push(&java->methods);
		}
		*known = new;
	}
	return known && known->words[0] ? known : NULL;
}
