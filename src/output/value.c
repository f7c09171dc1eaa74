// SPDX-License-Identifier: BSD-2-Clause
/* Sets values for getters, and reads values out of rows. Knows no format. */
#include "printer.h"
#include "words.h"

void value_set_null(struct value *to)
{
	to->type = VALUE_NULL;
}

void value_set_bool(struct value *to, bool value)
{
	to->type = VALUE_BOOL;
	to->bits = value;
}

void value_set_u64(struct value *to, uint64_t value)
{
	to->type = VALUE_U64;
	to->bits = value;
}

void value_set_s64(struct value *to, int64_t value)
{
	to->type = VALUE_S64;
	to->bits = value;
}

void value_set_real(struct value *to, double value)
{
	to->type = VALUE_REAL;
	to->real = value;
}

void value_set_chars(struct value *to, const char *text, size_t len)
{
	to->type = VALUE_TEXT;
	to->at = text;
	to->n = len;
}

void value_set_text(struct value *to, const char *text)
{
	if (text)
		value_set_chars(to, text, strlen(text));
	else
		value_set_null(to);
}

void value_set_made(struct value *to)
{
	value_set_chars(to, str_or_empty(to->room->data), to->room->len);
}

void value_set_address(struct value *to, unsigned int version, const void *address)
{
	to->type = VALUE_ADDRESS;
	to->version = version;
	to->at = address;
}

void value_set_stack(struct value *to, const struct frame_stack *stack)
{
	to->type = stack->frames ? VALUE_STACK : VALUE_NULL;
	to->at = stack->frames;
	to->n = stack->n;
}

static void set_list(struct value *to, enum value_items items, const void *at, size_t n)
{
	to->type = VALUE_LIST;
	to->items = items;
	to->at = at;
	to->n = n;
	to->quoted = false;
}

void value_set_strings(struct value *to, const char *const *strings, size_t n)
{
	set_list(to, ITEMS_STRINGS, strings, n);
}

void value_set_words(struct value *to, const char *words, size_t bytes)
{
	set_list(to, ITEMS_WORDS, words, bytes);
}

void value_set_numbers(struct value *to, const unsigned long long *numbers, size_t n)
{
	set_list(to, ITEMS_NUMBERS, numbers, n);
}

void value_set_rows(struct value *to, const struct schema *schema, const void *rows, size_t n, size_t size)
{
	set_list(to, ITEMS_ROWS, rows, n);
	to->schema = schema;
	to->size = size;
}

void value_set_row(struct value *to, const struct schema *schema, const void *row)
{
	to->type = VALUE_ROW;
	to->schema = schema;
	to->at = row;
}

void value_set_hist(struct value *to, const void *hist)
{
	to->type = VALUE_HIST;
	to->at = hist;
}

/* Removes the first item from the list: bytes of data, and n of the list's count. */
static void skip(struct value *list, size_t bytes, size_t n)
{
	list->at = (const char *)list->at + bytes;
	list->n -= n;
}

bool value_next(struct value *list, struct value *item)
{
	size_t len;

	*item = (struct value){};
	if (!list->n)
		return false;
	switch (list->items) {
	case ITEMS_STRINGS:
		value_set_text(item, *(const char *const *)list->at);
		skip(list, sizeof(const char *), 1);
		break;
	case ITEMS_WORDS:
		len = strnlen(list->at, list->n);
		value_set_chars(item, list->at, len);
		/* the last may lack its NUL */
		len = len < list->n ? len + 1 : len;
		skip(list, len, len);
		break;
	case ITEMS_NUMBERS:
		value_set_u64(item, *(const unsigned long long *)list->at);
		skip(list, sizeof(unsigned long long), 1);
		break;
	case ITEMS_ROWS:
		value_set_row(item, list->schema, list->at);
		skip(list, list->size, 1);
		break;
	}
	return true;
}

static bool is_known(const struct field *field, const char *row)
{
	for (size_t i = 0; i < field->known_size; i++)
		if (row[field->known + i])
			return true;
	return false;
}

static void read_member(struct value *to, const struct field *field, const void *at)
{
	switch (field->type) {
	case FIELD_U64:
	case FIELD_TIME:
	case FIELD_ELAPSED:
	case FIELD_DURATION:
	case FIELD_BYTES:
		value_set_u64(to, *(const uint64_t *)at);
		break;
	case FIELD_U32:
		value_set_u64(to, *(const uint32_t *)at);
		break;
	case FIELD_S64:
		value_set_s64(to, *(const int64_t *)at);
		break;
	case FIELD_S32:
	case FIELD_SIGNAL:
		value_set_s64(to, *(const int32_t *)at);
		break;
	case FIELD_REAL:
		value_set_real(to, *(const double *)at);
		break;
	case FIELD_BOOL:
		value_set_bool(to, *(const bool *)at);
		break;
	case FIELD_STR:
	case FIELD_PATH:
		value_set_text(to, *(const char *const *)at);
		break;
	case FIELD_CHARS:
		value_set_chars(to, at, strnlen(at, field->size));
		break;
	case FIELD_ERRNO:
		value_set_s64(to, *(const int32_t *)at < 0 ? -*(const int32_t *)at : 0);
		break;
	case FIELD_ERROR:
		value_set_text(to, words_error_name(*(const int32_t *)at));
		break;
	case FIELD_STACK:
		value_set_stack(to, at);
		break;
	case FIELD_ADDRESS:
	case FIELD_LIST:
	case FIELD_ROW:
		break;
	}
}

static bool stands_for_null(const struct field *field, const struct value *value)
{
	uint64_t most = field->type == FIELD_U32 ? UINT32_MAX : UINT64_MAX;

	if (field->null == NULL_NEVER || (value->type != VALUE_U64 && value->type != VALUE_S64))
		return false;
	return (field->null == NULL_ZERO && !value->bits) || (field->null == NULL_MOST && value->bits == most);
}

/* Called for each field of each row: only the members are set that somebody reads of every value. */
void value_read(struct value *to, const struct field *field, const void *row, const void *ctx, struct str *room)
{
	to->type = VALUE_NULL;
	to->more = NULL;
	to->room = room;
	if (field->known_size && !is_known(field, row))
		return;
	if (field->get) {
		str_reset(room);
		field->get(to, (const char *)row + field->offset, ctx);
	} else {
		read_member(to, field, (const char *)row + field->offset);
	}
	if (stands_for_null(field, to))
		value_set_null(to);
}

void value_add_number(struct str *s, const struct value *value, int decimals)
{
	if (value->type == VALUE_REAL)
		str_addf(s, "%.*f", decimals, value->real);
	else if (value->type == VALUE_S64)
		str_add_s64(s, value->bits);
	else
		str_add_u64(s, value->bits);
}

enum field_role field_role(const struct field *field)
{
	if (field->role != ROLE_BY_TYPE)
		return field->role;
	switch (field->type) {
	case FIELD_TIME:
	case FIELD_ELAPSED:
		return ROLE_TIME;
	case FIELD_DURATION:
		return ROLE_DURATION;
	case FIELD_STACK:
		return ROLE_STACK;
	case FIELD_BOOL:
	case FIELD_SIGNAL:
	case FIELD_ERRNO:
	case FIELD_ERROR:
	case FIELD_STR:
	case FIELD_PATH:
	case FIELD_CHARS:
	case FIELD_ADDRESS:
		return ROLE_LABEL;
	default:
		return ROLE_VALUE;
	}
}
