// SPDX-License-Identifier: BSD-2-Clause
/* Values of fields, and how people read them. */
#include <elf.h>

#include "bpf/block.h"
#include "kernel/syscalls.h"
#include "output/words.h"
#include "recording_part.h"

#ifdef __x86_64__
#define NATIVE EM_X86_64
#else
#define NATIVE EM_AARCH64
#endif

bool recording_has(const struct recording_event *event, const struct recording_field *field)
{
	return field->word < event->n;
}

static bool is_signed(const struct recording_field *field)
{
	switch (field->is) {
	case LAYOUT_SIGNED:
	case LAYOUT_TASK:
	case LAYOUT_PROCESS:
	case LAYOUT_CPU:
	case LAYOUT_SYSCALL:
	case LAYOUT_RETURN:
	case LAYOUT_ERROR:
		return true;
	}
	return false;
}

uint64_t recording_value(const struct recording_event *event, const struct recording_field *field)
{
	uint64_t value;

	if (!recording_has(event, field) || field->is == LAYOUT_CHARS || field->is == LAYOUT_LOC)
		return 0;
	value = event->words[field->word];
	if (field->is == LAYOUT_WORDS)
		return value;
	/* To the top of the word, and down again. */
	value <<= 64 - field->bit - field->bits;
	if (is_signed(field))
		return (int64_t)value >> (64 - field->bits);
	return value >> (64 - field->bits);
}

const struct recording_field *recording_field(const struct recording_event *event, enum known_field field)
{
	int at = event->kind ? event->kind->at[field] : -1;

	return at < 0 ? NULL : &event->kind->fields[at];
}

int64_t recording_known(const struct recording_event *event, enum known_field which, int64_t otherwise)
{
	const struct recording_field *field = recording_field(event, which);

	return field && recording_has(event, field) ? (int64_t)recording_value(event, field) : otherwise;
}

/* A text elsewhere in the record, as far as it is there. */
static const char *chars_at(const struct recording_event *event, const struct recording_field *field, size_t *len)
{
	uint32_t loc = event->words[field->word] >> field->bit;
	size_t at = field->bits * sizeof(*event->words) + (loc & 0xffff), end = event->n * sizeof(*event->words);
	const char *text = (const char *)event->words + at;

	if (at >= end)
		return NULL;
	*len = strnlen(text, loc >> 16 < end - at ? loc >> 16 : end - at);
	return text;
}

const char *recording_chars(const struct recording *r, const struct recording_event *event,
			    const struct recording_field *field, size_t *len)
{
	const char *text = NULL;

	*len = 0;
	if (!recording_has(event, field))
		return NULL;
	if (field->is == LAYOUT_LOC)
		return chars_at(event, field, len);
	if (field->is == LAYOUT_CHARS) {
		size_t most = (event->n - field->word) * 8 - field->bit / 8;

		text = (const char *)(event->words + field->word) + field->bit / 8;
		*len = strnlen(text, field->bits && field->bits < most ? field->bits : most);
	} else if (field->is == LAYOUT_TEXT) {
		text = recording_text(r, LAYOUT_SPACE_STRINGS, recording_value(event, field));
		*len = text ? strlen(text) : 0;
	}
	return text;
}

const uint64_t *recording_words(const struct recording_event *event, const struct recording_field *field, size_t *n)
{
	*n = field->is == LAYOUT_WORDS && recording_has(event, field) ? event->n - field->word : 0;
	return *n ? event->words + field->word : NULL;
}

/* --- as text --- */

static void show_text(struct str *s, const char *text)
{
	str_add_shown(s, text, strlen(text));
}

static void show_state(struct str *s, uint64_t state)
{
	static const char letters[] = "SDTtXZPI"; /* from bit 0 on */

	if (!(state & 0xff))
		str_addc(s, 'R');
	for (int i = 0; i < 8; i++)
		if (state >> i & 1)
			str_addc(s, letters[i]);
	if (state & 0x100)
		str_addc(s, '+');
}

static void show_op(struct str *s, uint64_t op)
{
	static const char *const names[] = {
		"read", "write", "flush", "discard", [9] = "write zeroes", [34] = "driver", [35] = "driver"
	};
	static const struct {
		uint32_t bit;
		const char *name;
	} flags[] = { { BLOCK_SYNC, "sync" }, { BLOCK_META, "meta" }, { BLOCK_FUA, "fua" }, { BLOCK_RAHEAD, "ahead" } };
	uint64_t number = op & BLOCK_OP_MASK;

	if (number < ARRAY_SIZE(names) && names[number])
		str_add(s, names[number]);
	else
		str_addf(s, "op%u", (unsigned int)number);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (op & flags[i].bit)
			str_addf(s, "+%s", flags[i].name);
}

static void show_return(struct str *s, int64_t value)
{
	const char *name = words_error_name(value);

	/* Addresses are results, too. */
	if (name)
		str_addf(s, "-%s", name);
	else if (value > UINT32_MAX || value < -4095)
		str_addf(s, "0x%llx", (unsigned long long)value);
	else
		str_add_s64(s, value);
}

static void show_error(struct str *s, int64_t value)
{
	const char *name = words_error_name(value < 0 ? value : -value);

	if (name)
		str_add(s, name);
	else
		str_add_s64(s, value);
}

static void show_syscall(struct str *s, const struct recording *r, int64_t number)
{
	const char *name = recording_text(r, LAYOUT_SPACE_SYSCALLS, number);

	if (!name && r->info.machine == NATIVE && number >= 0 && number < 1 << 16)
		name = syscall_name(number);
	if (name)
		show_text(s, name);
	else if (number < 0)
		str_add(s, "-");
	else
		str_addf(s, "syscall_%lld", (long long)number);
}

/* A text of an id, or the id. */
static void show_named(struct str *s, const struct recording *r, enum layout_space space, const char *otherwise,
		       uint64_t id)
{
	const char *name = recording_text(r, space, id);

	if (name)
		show_text(s, name);
	else
		str_addf(s, otherwise, (unsigned long long)id);
}

static void show_words(struct str *s, const struct recording_event *event, const struct recording_field *field)
{
	size_t n;
	const uint64_t *words = recording_words(event, field, &n);

	for (size_t i = 0; i < n; i++)
		str_addf(s, "%s0x%llx", i ? " " : "", (unsigned long long)words[i]);
}

void recording_show(struct str *s, const struct recording *r, const struct recording_event *event,
		    const struct recording_field *field)
{
	uint64_t value = recording_value(event, field);
	const char *text;
	size_t n;

	switch (field->is) {
	case LAYOUT_HEX:
		str_addf(s, "0x%llx", (unsigned long long)value);
		break;
	case LAYOUT_STATE:
		show_state(s, value);
		break;
	case LAYOUT_SYSCALL:
		show_syscall(s, r, value);
		break;
	case LAYOUT_RETURN:
		show_return(s, value);
		break;
	case LAYOUT_ERROR:
		show_error(s, value);
		break;
	case LAYOUT_ADDRESS:
		show_named(s, r, LAYOUT_SPACE_SYMBOLS, "0x%llx", value);
		break;
	case LAYOUT_PROBE:
		show_named(s, r, LAYOUT_SPACE_PROBES, "probe_%llu", value);
		break;
	case LAYOUT_DEVICE:
		text = recording_text(r, LAYOUT_SPACE_DEVICES, value);
		if (text)
			show_text(s, text);
		else
			str_addf(s, "%u:%u", (unsigned int)(value >> 20), (unsigned int)(value & 0xfffff));
		break;
	case LAYOUT_CHARS:
	case LAYOUT_LOC:
	case LAYOUT_TEXT:
		text = recording_chars(r, event, field, &n);
		str_add_shown(s, text ? text : "?", text ? n : 1);
		break;
	case LAYOUT_WORDS:
		show_words(s, event, field);
		break;
	case LAYOUT_OP:
		show_op(s, value);
		break;
	case LAYOUT_PROBE_SITE:
		str_add(s, value ? "return" : "entry");
		break;
	default:
		if (is_signed(field))
			str_add_s64(s, value);
		else
			str_add_u64(s, value);
	}
}

void recording_show_value(struct str *s, const struct recording *r, uint8_t is, uint64_t value)
{
	const struct recording_field field = { .is = is, .word = 0, .bits = 64 };
	const struct recording_event event = { .words = &value, .n = 1 };

	recording_show(s, r, &event, &field);
}
