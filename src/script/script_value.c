// SPDX-License-Identifier: BSD-2-Clause
/* Values as text and as JSON. Knows how they lie in memory; names of what they stand for come from script_names.h. */
#include <arpa/inet.h>

#include "lang/types/ctype.h"
#include "script_value.h"

/* Readers of JSON keep numbers as doubles, which are exact up to here. As bpftrace, larger ones are strings. */
#define JSON_EXACT (1ULL << 53)

struct script_value script_value_of(const struct type *type, const void *data)
{
	struct script_value value = { .type = type, .data = data, .len = type->size };

	if (type->kind == TYPE_STRING) {
		value.len = strnlen(data, type->size);
	} else if (type->kind == TYPE_BUFFER) {
		uint32_t len;

		memcpy(&len, data, sizeof(len));
		value.data = (const char *)data + sizeof(len);
		value.len = len < type->size - sizeof(len) ? len : type->size - sizeof(len);
	}
	return value;
}

/* A text argument is further back in the record. */
static struct script_value text_argument(const struct lang_site_argument *argument, const char *data, size_t size)
{
	struct script_value value = { .type = argument->type, .data = "" };
	struct lang_text text;
	size_t len;

	memcpy(&text, data + argument->at, sizeof(text));
	len = text.size & ~LANG_TEXT_CUT;
	if (text.at > size || len > size - text.at)
		return value;
	value.data = data + text.at;
	/* a string that a program built in memory of its own may end earlier */
	value.len = argument->type->kind == TYPE_STRING ? strnlen(value.data, len) : len;
	value.is_cut = text.size & LANG_TEXT_CUT;
	return value;
}

struct script_value script_value_argument(const struct lang_site_argument *argument, const void *data, size_t size)
{
	bool is_text = argument->type->kind == TYPE_STRING || argument->type->kind == TYPE_BUFFER;
	size_t need = is_text ? sizeof(struct lang_text) : argument->type->size;

	if (argument->at > size || need > size - argument->at)
		return (struct script_value){ .type = type_void(), .data = "" };
	return is_text ? text_argument(argument, data, size)
		       : script_value_of(argument->type, (const char *)data + argument->at);
}

bool script_value_is_signed(const struct type *type)
{
	return type->is_signed && type->kind != TYPE_POINTER;
}

int64_t script_value_number(const struct script_value *value)
{
	size_t size = value->type->size < 8 ? value->type->size : 8;
	uint64_t number = 0;
	unsigned int shift;

	if (!size || value->type->kind == TYPE_STRING || value->type->kind == TYPE_BUFFER)
		return 0;
	memcpy(&number, value->data, size);
	shift = 64 - size * 8;
	if (script_value_is_signed(value->type))
		return (int64_t)(number << shift) >> shift;
	return number;
}

void script_value_add_bytes(struct str *to, const struct script_value *value, enum script_bytes how)
{
	const unsigned char *bytes = value->data;

	for (size_t i = 0; i < value->len; i++) {
		if (how == SCRIPT_BYTES_SPACED)
			str_addf(to, "%s%02x", i ? " " : "", bytes[i]);
		else if (how == SCRIPT_BYTES_ALL || bytes[i] < ' ' || bytes[i] > '~')
			str_addf(to, "\\x%02x", bytes[i]);
		else
			str_addc(to, bytes[i]);
	}
}

/* --- what both forms share --- */

static void add_number(struct str *to, const struct script_value *value)
{
	if (script_value_is_signed(value->type))
		str_add_s64(to, script_value_number(value));
	else
		str_add_u64(to, script_value_number(value));
}

static void add_inet(struct str *to, const struct lang_inet *inet)
{
	char text[INET6_ADDRSTRLEN] = "";

	if (inet->family == AF_INET || inet->family == AF_INET6)
		inet_ntop(inet->family, inet->bytes, text, sizeof(text));
	str_add(to, text);
}

static void add_mac(struct str *to, const unsigned char *bytes)
{
	for (int i = 0; i < 6; i++)
		str_addf(to, "%s%02X", i ? ":" : "", bytes[i]);
}

/* As C's printf("%g") does, but with all digits that the type has. */
static void add_float(struct str *to, const struct script_value *value)
{
	double number;
	float single;

	if (value->type->size == sizeof(single)) {
		memcpy(&single, value->data, sizeof(single));
		str_addf(to, "%.6g", single);
	} else {
		memcpy(&number, value->data, sizeof(number));
		str_addf(to, "%.15g", number);
	}
}

static const char *text_of(const struct script_names *names, uint32_t index)
{
	return index < names->program->texts.n ? str_or_empty(names->program->texts.v[index]) : "";
}

static uint64_t first_word(const struct script_value *value)
{
	uint64_t word;

	memcpy(&word, value->data, sizeof(word));
	return word;
}

/* Values that user space turns into text. False: the type is none of these. */
static bool add_named(struct str *to, struct script_names *names, const struct script_value *value)
{
	switch (value->type->kind) {
	case TYPE_KSYM:
		script_names_add_ksym(to, names, first_word(value));
		return true;
	case TYPE_USYM: {
		struct lang_usym usym;

		memcpy(&usym, value->data, sizeof(usym));
		script_names_add_usym(to, names, &usym);
		return true;
	}
	case TYPE_KSTACK:
	case TYPE_USTACK:
		script_names_add_stack(to, names, value->type, first_word(value));
		return true;
	case TYPE_INET: {
		struct lang_inet inet;

		memcpy(&inet, value->data, sizeof(inet));
		add_inet(to, &inet);
		return true;
	}
	case TYPE_MAC:
		add_mac(to, value->data);
		return true;
	case TYPE_FLOAT:
		add_float(to, value);
		return true;
	case TYPE_TIME: {
		struct lang_time time;

		memcpy(&time, value->data, sizeof(time));
		script_names_add_time(to, text_of(names, value->type->format), &time);
		return true;
	}
	case TYPE_CGROUP_PATH:
		script_names_add_cgroup(to, text_of(names, value->type->format), first_word(value));
		return true;
	case TYPE_NAMED:
		value->type->naming->add(to, script_value_number(value));
		return true;
	case TYPE_USER:
		script_names_add_user(to, names, script_value_number(value));
		return true;
	case TYPE_PROBE:
	case TYPE_FUNCTION:
		script_names_add_place(to, names, value->type->kind, script_value_number(value));
		return true;
	default:
		return false;
	}
}

/* The name of an enum's value; NULL: it has none, or the type is no enum. */
static const char *constant_of(const struct script_names *names, const struct script_value *value)
{
	if (value->type->kind != TYPE_ENUM || !names->program->types)
		return NULL;
	return ctypes_value_name(names->program->types, value->type, script_value_number(value));
}

/* Arrays of char are texts. */
static bool is_text(const struct type *type)
{
	return type->kind == TYPE_ARRAY && !type->is_numbers && type->of->kind == TYPE_INTEGER && type->of->size == 1 &&
	       type->of->is_signed;
}

/* A member of a struct, tuple or record. number: room for a bit field. */
static struct script_value member_of(const struct script_value *value, const struct type_field *field, uint64_t *number)
{
	const char *at = (const char *)value->data + field->at;
	unsigned int high;

	if (!field->bit_count)
		return script_value_of(field->type, at);
	*number = 0;
	memcpy(number, at, field->type->size < 8 ? field->type->size : 8);
	high = 64 - field->bit_at - field->bit_count;
	*number <<= high;
	if (field->type->is_signed)
		*number = (int64_t)*number >> (64 - field->bit_count);
	else
		*number >>= 64 - field->bit_count;
	return (struct script_value){ .type = field->type, .data = number, .len = field->type->size };
}

static struct script_value element_of(const struct script_value *value, uint32_t i)
{
	return script_value_of(value->type->of, (const char *)value->data + (size_t)i * value->type->of->size);
}

static bool has_fields(const struct script_names *names, const struct type *type)
{
	return type->kind != TYPE_STRUCT || (names->program->types && ctypes_complete(names->program->types, type));
}

/* --- text --- */

/* The separators of parts: with blanks for people, without in keys of JSON. */
struct separators {
	const char *open, *close, *comma, *equals;
};
static const struct separators spaced = { "{ ", " }", ", ", " = " };
static const struct separators dense = { "{", "}", ",", "=" };

static void add_value(struct str *to, struct script_names *names, const struct script_value *value, bool is_key,
		      const struct separators *how);

static void add_fields(struct str *to, struct script_names *names, const struct script_value *value,
		       const struct separators *how)
{
	bool first = true;

	str_add(to, how->open);
	for (uint32_t i = 0; has_fields(names, value->type) && i < value->type->n_fields; i++) {
		const struct type_field *field = &value->type->fields[i];
		uint64_t number;
		struct script_value member = member_of(value, field, &number);

		str_add(to, first ? "" : how->comma);
		first = false;
		if (field->name)
			str_addf(to, ".%s%s", field->name, how->equals);
		add_value(to, names, &member, false, how);
	}
	str_add(to, how->close);
}

static void add_tuple(struct str *to, struct script_names *names, const struct script_value *value, bool is_key,
		      const struct separators *how)
{
	str_add(to, is_key ? "" : "(");
	for (uint32_t i = 0; i < value->type->n_fields; i++) {
		struct script_value member = member_of(value, &value->type->fields[i], &(uint64_t){ 0 });

		str_add(to, i ? how->comma : "");
		add_value(to, names, &member, false, how);
	}
	str_add(to, is_key ? "" : ")");
}

static void add_array(struct str *to, struct script_names *names, const struct script_value *value)
{
	if (is_text(value->type)) {
		script_names_add_foreign(to, names, value->data, strnlen(value->data, value->type->size));
		return;
	}
	str_addc(to, '[');
	for (uint32_t i = 0; i < value->type->count; i++) {
		struct script_value element = element_of(value, i);

		str_add(to, i ? "," : "");
		script_value_add(to, names, &element, false);
	}
	str_addc(to, ']');
}

static void add_value(struct str *to, struct script_names *names, const struct script_value *value, bool is_key,
		      const struct separators *how)
{
	const char *constant = constant_of(names, value);

	switch (value->type->kind) {
	case TYPE_BOOL:
		str_add(to, script_value_number(value) ? "true" : "false");
		break;
	case TYPE_POINTER:
		str_addf(to, "0x%llx", (unsigned long long)script_value_number(value));
		break;
	case TYPE_STRING:
		script_names_add_foreign(to, names, value->data, value->len);
		if (value->is_cut)
			str_add(to, str_or_empty(names->program->config.str_trunc_trailer));
		break;
	case TYPE_BUFFER:
		script_value_add_bytes(to, value, SCRIPT_BYTES_TEXT);
		break;
	case TYPE_TUPLE:
		add_tuple(to, names, value, is_key, how);
		break;
	case TYPE_STRUCT:
	case TYPE_RECORD:
		add_fields(to, names, value, how);
		break;
	case TYPE_ARRAY:
		add_array(to, names, value);
		break;
	default:
		if (constant)
			str_add(to, constant);
		else if (!add_named(to, names, value))
			add_number(to, value);
	}
}

void script_value_add(struct str *to, struct script_names *names, const struct script_value *value, bool is_key)
{
	add_value(to, names, value, is_key, &spaced);
}

/* --- JSON --- */

void script_value_add_key(struct str *to, struct script_names *names, const struct script_value *value)
{
	add_value(to, names, value, true, &dense);
}

void script_value_add_json_number(struct str *to, int64_t number, bool is_signed)
{
	uint64_t size = is_signed && number < 0 ? -(uint64_t)number : (uint64_t)number;
	const char *quote = size > JSON_EXACT ? "\"" : "";

	str_add(to, quote);
	if (is_signed)
		str_add_s64(to, number);
	else
		str_add_u64(to, number);
	str_add(to, quote);
}

static void add_json_fields(struct str *to, struct script_names *names, const struct script_value *value)
{
	str_addc(to, '{');
	for (uint32_t i = 0; has_fields(names, value->type) && i < value->type->n_fields; i++) {
		const struct type_field *field = &value->type->fields[i];
		uint64_t number;
		struct script_value member = member_of(value, field, &number);

		str_add(to, i ? ", " : "");
		str_add_json(to, str_or_empty(field->name), strlen(str_or_empty(field->name)));
		str_add(to, ": ");
		script_value_add_json(to, names, &member);
	}
	str_addc(to, '}');
}

static void add_json_list(struct str *to, struct script_names *names, const struct script_value *value)
{
	bool is_array = value->type->kind == TYPE_ARRAY;
	uint32_t n = is_array ? value->type->count : value->type->n_fields;

	str_addc(to, '[');
	for (uint32_t i = 0; i < n; i++) {
		struct script_value each = is_array ? element_of(value, i)
						    : member_of(value, &value->type->fields[i], &(uint64_t){ 0 });

		str_add(to, i ? "," : "");
		script_value_add_json(to, names, &each);
	}
	str_addc(to, ']');
}

static void add_json_bytes(struct str *to, const struct script_value *value)
{
	str_addc(to, '[');
	for (size_t i = 0; i < value->len; i++)
		str_addf(to, "%s%u", i ? "," : "", ((const unsigned char *)value->data)[i]);
	str_addc(to, ']');
}

/* Whatever text shows as words is a string. */
static void add_json_text(struct str *to, struct script_names *names, const struct script_value *value)
{
	struct script_names plain = *names;
	__str struct str text = {};

	plain.for_terminal = false;
	script_value_add(&text, &plain, value, false);
	names->users = plain.users;
	names->usyms = plain.usyms;
	str_add_json(to, str_or_empty(text.data), text.len);
}

void script_value_add_json(struct str *to, struct script_names *names, const struct script_value *value)
{
	switch (value->type->kind) {
	case TYPE_BOOL:
		str_add(to, script_value_number(value) ? "true" : "false");
		break;
	case TYPE_INTEGER:
	case TYPE_POINTER:
	case TYPE_ENUM: /* its name is for people */
		script_value_add_json_number(to, script_value_number(value), script_value_is_signed(value->type));
		break;
	case TYPE_BUFFER:
		add_json_bytes(to, value);
		break;
	case TYPE_STRUCT:
	case TYPE_RECORD:
		add_json_fields(to, names, value);
		break;
	case TYPE_TUPLE:
		add_json_list(to, names, value);
		break;
	case TYPE_ARRAY:
		if (is_text(value->type))
			add_json_text(to, names, value);
		else
			add_json_list(to, names, value);
		break;
	default:
		add_json_text(to, names, value);
	}
}
