// SPDX-License-Identifier: BSD-2-Clause
/*
 * Says in the text of a struct where each of its fields is. libbpf has written the text, a line for each field, in the
 * order of the members in BTF; unnamed structs and unions stand where they are used, and padding is written, too.
 */
#include <ctype.h>

#include <bpf/btf.h>

#include "list_part.h"

#define LEVELS_MAX 32

/* A struct whose fields are read. */
struct level {
	const struct btf_type *type;
	uint32_t next; /* the number of the next member */
	uint64_t at;   /* in bits, from the begin of all */
};

struct reader {
	const struct btf *btf;
	struct level levels[LEVELS_MAX];
	size_t n;
	struct str *to;
};

/* An unnamed struct, union or enum, also behind arrays and pointers: libbpf writes it in full. NULL: it is none. */
static const struct btf_type *unnamed(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	for (int i = 0; t && i < LEVELS_MAX; i++) {
		if (btf_is_array(t))
			t = btf__type_by_id(btf, btf_array(t)->type);
		else if (btf_is_mod(t) || btf_is_ptr(t))
			t = btf__type_by_id(btf, t->type);
		else
			break;
	}
	return t && (btf_is_composite(t) || btf_is_any_enum(t)) && !t->name_off ? t : NULL;
}

/* The name that a line declares, "mnt" of "struct vfsmount *mnt;" and "fn" of "int (*fn)(int);". 0 bytes: none. */
static const char *declared_name(const char *line, size_t len, size_t *n)
{
	const char *end = memchr(line, ';', len), *call = strstr(line, "(*"), *begin;

	end = end ?: line + len;
	if (call && call < end) {
		begin = call + strspn(call, "(*");
		*n = 0;
		while (isalnum((unsigned char)begin[*n]) || begin[*n] == '_')
			++*n;
		return begin;
	}
	for (const char *p = line; p < end; p++)
		if (*p == '[' || *p == ':')
			end = p;
	begin = end;
	while (begin > line && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
		begin--;
	*n = end - begin;
	return begin;
}

static void add_place(struct str *to, uint64_t bit, bool is_bit_field)
{
	str_addf(to, " /* offset %llu", (unsigned long long)bit / 8);
	if (is_bit_field)
		str_addf(to, ", bit %llu", (unsigned long long)bit % 8);
	str_add(to, " */");
}

/* The next member of the innermost struct with that name; lines of padding have none. */
static void add_field(struct reader *r, const char *line, size_t len)
{
	struct level *level = &r->levels[r->n - 1];
	size_t n;
	const char *name = declared_name(line, len, &n);

	for (uint32_t i = level->next; n && btf_is_composite(level->type) && i < btf_vlen(level->type); i++) {
		const char *of = btf__name_by_offset(r->btf, btf_members(level->type)[i].name_off);

		if (strlen(of) != n || memcmp(of, name, n))
			continue;
		level->next = i + 1;
		add_place(r->to, level->at + btf_member_bit_offset(level->type, i),
			  btf_member_bitfield_size(level->type, i));
		return;
	}
}

/* The next member whose type is unnamed begins: its fields follow. */
static void open_level(struct reader *r)
{
	struct level *level = &r->levels[r->n - 1], inner = { .type = level->type, .next = UINT32_MAX };

	for (uint32_t i = level->next; btf_is_composite(level->type) && i < btf_vlen(level->type); i++) {
		const struct btf_type *type = unnamed(r->btf, btf_members(level->type)[i].type);

		if (!type)
			continue;
		level->next = i + 1;
		inner = (struct level){ type, 0, level->at + btf_member_bit_offset(level->type, i) };
		break;
	}
	r->levels[r->n++] = inner;
}

static void read_line(struct reader *r, const char *line, size_t len)
{
	const char *text = line + strspn(line, "\t");

	str_addn(r->to, line, len);
	if (!r->n) { /* behind the end */
	} else if (*text == '}' && r->n == 1) {
		str_addf(r->to, " /* %u bytes */", r->levels[0].type->size);
		r->n = 0;
	} else if (*text == '}') {
		uint64_t at = r->levels[--r->n].at;

		if (r->levels[r->n].next != UINT32_MAX)
			add_place(r->to, at, false);
	} else if (len && line[len - 1] == '{' && r->n < LEVELS_MAX) {
		open_level(r);
	} else {
		add_field(r, text, line + len - text);
	}
	str_addc(r->to, '\n');
}

void list_add_offsets(const struct btf *btf, uint32_t id, const char *definition, struct str *to)
{
	struct reader r = { .btf = btf, .levels = { { .type = btf__type_by_id(btf, id) } }, .n = 1, .to = to };
	const char *line = strchr(definition, '\n');

	if (!r.levels[0].type || !btf_is_composite(r.levels[0].type) || !line || line[-1] != '{') {
		str_add(to, definition);
		return;
	}
	str_addn(to, definition, ++line - definition);
	for (const char *end; (end = strchr(line, '\n')); line = end + 1)
		read_line(&r, line, end - line);
}
