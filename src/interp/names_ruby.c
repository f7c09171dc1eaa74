// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads instruction sequences, methods of C, strings, names of symbols and line tables of Ruby. A frame's place is the
 * address of the next instruction, in words.
 */
#include "base/str.h"
#include "language.h"

/* The first word of objects. */
#define TYPE(flags)   ((flags)&0x1f)
#define TYPE_STRING   0x05
#define TYPE_ARRAY    0x07
#define TYPE_INTERNAL 0x1a /* of which there are kinds */
#define KIND(flags)   ((flags) >> 12 & 0xf)
#define KIND_METHOD   6
#define KIND_SEQUENCE 7

#define STRING_APART	    (1 << 13)		   /* the text is not behind the head */
#define STRING_SHORT(flags) ((flags) >> 14 & 0x1f) /* how long, for versions that have no other length for it */
#define ARRAY_WITHIN	    (1 << 13)		   /* the elements are behind the head */
#define ARRAY_SHORT(flags)  ((flags) >> 15 & 0x7f)

/* struct rb_iseq_struct, of which `body` says all */
struct sequence {
	uint64_t flags, wrapper, body;
};

/* struct rb_iseq_constant_body */
#define BODY_SIZE     176
#define BODY_POSITION 0x58
/* Kinds of code, in order: what catches exceptions, what is always done, evaluated text. */
#define BODY_RESCUE 4
#define BODY_EVAL   6

struct body_head {
	uint32_t type, size; /* of the code, in words */
	uint64_t code;
};

/* struct iseq_insn_info */
struct body_lines {
	uint64_t lines, unused;
	uint32_t n, unused_either;
	uint64_t index;
};

/* struct rb_method_entry_struct */
struct method {
	uint64_t flags, class, definition, called, owner;
};

/* struct rb_method_definition_struct */
struct definition {
	uint64_t kind, unused[3];
	uint64_t name;
};
#define DEFINITION_C 1 /* in the low four bits */

/*
 * Since 3.4 evaluated text has this for a label, where before it had that of the function which evaluates it, as Ruby shows it
 * still. What catches exceptions there has it behind other words.
 */
#define EVALUATED "<compiled>"
#define EVALS_MAX 8 /* in each other */

const char *const ruby_labels[RUBY_LABELS] = { "<main>", "<top (required)>", EVALUATED };

/* --- lines --- */

/* struct iseq_insn_info_entry */
struct line {
	int32_t line;
	uint32_t unused[2];
};

/* The table as we keep it: this, n lines, and the index. */
struct table {
	uint32_t code; /* as a place has it */
	uint32_t size, n;
};

/*
 * The index says how many entries begin up to a word of the code (struct succ_index_table). For the first words it has a
 * number of 7 bits each, nine in 8 bytes; behind them a bit each, in blocks that also have the numbers at their begin.
 */
#define FIRST	    54
#define IN_EACH	    9
#define BLOCK_BITS  512
#define BLOCK_BYTES 80

struct block {
	uint32_t before, unused;
	uint64_t within; /* before each of the later words: 9 bits each */
	uint64_t bits[BLOCK_BITS / 64];
};
_Static_assert(sizeof(struct block) == BLOCK_BYTES, "as Ruby has it");

static size_t index_bytes(uint32_t size)
{
	const uint32_t first = size < FIRST ? size : FIRST, rest = size - first;

	return (size_t)(first + IN_EACH - 1) / IN_EACH * 8 + (size_t)(rest + BLOCK_BITS - 1) / BLOCK_BITS * BLOCK_BYTES;
}

/* How many entries begin up to a word of the code. */
static uint32_t entries_up_to(const uint8_t *index, uint32_t word)
{
	struct block block;
	uint64_t packed;
	uint32_t n;

	if (word < FIRST) {
		memcpy(&packed, index + word / IN_EACH * 8, sizeof(packed));
		return packed >> word % IN_EACH * 7 & 0x7f;
	}
	word -= FIRST;
	memcpy(&block, index + FIRST / IN_EACH * 8 + (size_t)word / BLOCK_BITS * BLOCK_BYTES, sizeof(block));
	word %= BLOCK_BITS;
	n = block.before + (uint32_t)__builtin_popcountll(block.bits[word / 64] << (63 - word % 64));
	return word < 64 ? n : n + (block.within >> (word / 64 - 1) * 9 & 0x1ff);
}

static int line_of(const struct names_code *code, unsigned int place)
{
	const uint8_t *lines;
	struct table table;
	uint32_t word, n = 1;
	int32_t line;

	if (code->n_table < sizeof(table))
		return 0;
	memcpy(&table, code->table, sizeof(table));
	lines = code->table + sizeof(table);
	word = (place - table.code) & INTERP_PLACE_MASK;
	/* the instruction before the place is executed */
	word -= word ? 1 : 0;
	if (word >= table.size)
		return 0;
	if (table.n > 1)
		n = entries_up_to(lines + (size_t)table.n * sizeof(line), word);
	if (!n || n > table.n)
		return 0;
	memcpy(&line, lines + (size_t)(n - 1) * sizeof(line), sizeof(line));
	return line > 0 ? line : 0;
}

static void read_table(const struct peek *peek, const struct body_head *head, const struct body_lines *from,
		       struct names_code *code)
{
	const struct table table = { head->code >> 3 & INTERP_PLACE_MASK, head->size, from->n };
	const size_t kept = sizeof(table) + from->n * sizeof(int32_t);
	struct line *lines __free = NULL;
	size_t bytes;

	if (!head->size || !from->n || from->n > head->size || head->size > NAMES_TABLE)
		return;
	bytes = from->n > 1 ? index_bytes(head->size) : 0;
	lines = base_alloc(from->n * sizeof(*lines));
	code->table = base_alloc(kept + bytes);
	if (!peek_copy(peek, from->lines, lines, from->n * sizeof(*lines)) ||
	    (bytes && !peek_copy(peek, from->index, code->table + kept, bytes))) {
		free(code->table);
		code->table = NULL;
		return;
	}
	memcpy(code->table, &table, sizeof(table));
	for (uint32_t i = 0; i < from->n; i++)
		memcpy(code->table + sizeof(table) + i * sizeof(int32_t), &lines[i].line, sizeof(int32_t));
	code->n_table = kept + bytes;
}

/* --- text --- */

struct reader {
	const struct runtime *runtime;
	const struct peek *peek;
	uint64_t state;
};

/*
 * Copies n bytes of text. Labels that are constants of the file may be in pages that this process has not used, such as one
 * that another has forked: they are known by their address.
 */
static bool copy_text(const struct reader *reader, uint64_t at, char *to, size_t n)
{
	if (peek_copy(reader->peek, at, to, n))
		return true;
	for (size_t i = 0; i < RUBY_LABELS; i++) {
		if (!reader->runtime->ruby.labels[i] || at != reader->state + reader->runtime->ruby.labels[i] ||
		    n != strlen(ruby_labels[i]))
			continue;
		memcpy(to, ruby_labels[i], n);
		return true;
	}
	return false;
}

/* Reads a string. False: there is none. max: bytes of `to`. */
static bool read_string(const struct reader *reader, uint64_t at, char *to, size_t max)
{
	const struct runtime *runtime = reader->runtime;
	static const char dots[] = "...";
	uint64_t head[4], n, text;
	char bytes[NAMES_FILE];
	__str struct str s = {};
	size_t len;

	if (at & 7 || !peek_copy(reader->peek, at, head, sizeof(head)) || TYPE(head[0]) != TYPE_STRING)
		return false;
	n = runtime->ruby.has_length || head[0] & STRING_APART ? head[2] : STRING_SHORT(head[0]);
	text = head[0] & STRING_APART ? head[3] : at + (runtime->ruby.has_length ? 24 : 16);
	len = n < sizeof(bytes) ? n : sizeof(bytes);
	if (len && !copy_text(reader, text, bytes, len))
		return false;
	str_add_shown(&s, bytes, len);
	len = s.len;
	if (n > sizeof(bytes) || len >= max) {
		len = len < max - sizeof(dots) ? len : max - sizeof(dots);
		/* not in the middle of a character */
		while (len && len < s.len && (s.data[len] & 0xc0) == 0x80)
			len--;
		snprintf(to, max, "%.*s%s", (int)len, s.data, dots);
	} else {
		snprintf(to, max, "%s", str_or_empty(s.data));
	}
	return true;
}

/* Reads an element of an array. False: there is none. */
static bool read_element(const struct peek *peek, uint64_t at, uint64_t i, uint64_t *element)
{
	uint64_t head[5], n;

	if (at & 7 || !peek_copy(peek, at, head, sizeof(head)) || TYPE(head[0]) != TYPE_ARRAY)
		return false;
	n = head[0] & ARRAY_WITHIN ? ARRAY_SHORT(head[0]) : head[2];
	at = head[0] & ARRAY_WITHIN ? at + 16 : head[4];
	return i < n && peek_copy(peek, at + i * 8, element, sizeof(*element));
}

/* A path, or an array that begins with it. */
static bool read_path(const struct reader *reader, uint64_t at, char *to, size_t max)
{
	uint64_t path;

	if (read_element(reader->peek, at, 0, &path))
		at = path;
	return read_string(reader, at, to, max);
}

/* The name of a symbol, by its number (rb_id2str). */
#define SYMBOL_OPERATORS 0xa9 /* up to here it is the number itself */
#define SYMBOL_SHIFT	 4
#define SYMBOLS_IN_EACH	 512

static bool read_symbol(const struct reader *reader, uint64_t id, char *to, size_t max)
{
	const uint64_t number = id > SYMBOL_OPERATORS ? id >> SYMBOL_SHIFT : id, symbols = reader->runtime->ruby.symbols;
	uint64_t all, some, name;

	return symbols && peek_copy(reader->peek, reader->state + symbols, &all, sizeof(all)) &&
	       read_element(reader->peek, all, number / SYMBOLS_IN_EACH, &some) &&
	       read_element(reader->peek, some, number % SYMBOLS_IN_EACH * 2, &name) && read_string(reader, name, to, max);
}

/* --- functions --- */

/* Reads the body of the code around; false: there is none. The bodies may be one. */
static bool read_around(const struct reader *reader, const uint8_t *body, uint8_t around[BODY_SIZE])
{
	struct sequence sequence;
	uint64_t at;

	memcpy(&at, body + reader->runtime->ruby.lines + RUBY_LINES_PARENT, sizeof(at));
	return !(at & 7) && peek_copy(reader->peek, at, &sequence, sizeof(sequence)) &&
	       TYPE(sequence.flags) == TYPE_INTERNAL && KIND(sequence.flags) == KIND_SEQUENCE &&
	       peek_copy(reader->peek, sequence.body, around, BODY_SIZE);
}

static uint32_t type_of(const uint8_t *body)
{
	struct body_head head;

	memcpy(&head, body, sizeof(head));
	return head.type;
}

/*
 * Reads the label of code. Where it ends with EVALUATED, this is replaced by the label of the code around the evaluated text:
 * what catches exceptions in there is within it, and has the words of all that is between in its own label.
 */
static bool read_label(const struct reader *reader, const uint8_t *body, char *to, size_t max)
{
	const size_t n_evaluated = strlen(EVALUATED);
	uint8_t around[BODY_SIZE];
	bool skips = false;
	uint64_t at;
	size_t n;

	for (int i = 0;; i++) {
		const uint32_t type = type_of(body);

		memcpy(&at, body + RUBY_BODY_LABEL, sizeof(at));
		if (!skips && !read_string(reader, at, to, max))
			return false;
		n = skips ? n_evaluated : strlen(to);
		if (i == EVALS_MAX || type < BODY_RESCUE || type > BODY_EVAL || n < n_evaluated ||
		    strcmp(to + n - n_evaluated, EVALUATED))
			return true;
		to += n - n_evaluated;
		max -= n - n_evaluated;
		skips = type != BODY_EVAL;
		if (!read_around(reader, body, around))
			return false;
		body = around;
	}
}

static int read_sequence(struct names_code *code, const struct reader *reader, const struct sequence *sequence)
{
	const struct peek *peek = reader->peek;
	uint8_t body[BODY_SIZE], again[BODY_SIZE];
	uint64_t words[8] = { KIND_SEQUENCE, sequence->body }, path, label, parent, position[3];
	struct body_lines lines;
	struct body_head head;

	if (!peek_copy(peek, sequence->body, body, sizeof(body)))
		return -EBADMSG;
	memcpy(&head, body, sizeof(head));
	memcpy(&path, body + RUBY_BODY_PATH, sizeof(path));
	memcpy(&label, body + RUBY_BODY_LABEL, sizeof(label));
	memcpy(&lines, body + reader->runtime->ruby.lines, sizeof(lines));
	memcpy(&parent, body + reader->runtime->ruby.lines + RUBY_LINES_PARENT, sizeof(parent));
	memcpy(position, body + BODY_POSITION, sizeof(position));
	words[2] = head.code;
	words[3] = path;
	words[4] = label;
	/* and where in the file it is: all of it may lie where another one did, that was freed */
	for (int i = 0; i < 3; i++)
		words[5] ^= position[i];
	words[5] ^= lines.lines ^ parent;
	words[6] = lines.index;
	words[7] = (uint64_t)head.size << 32 | lines.n;
	if (!memcmp(words, code->words, sizeof(words)))
		return 0;
	names_release(code);
	if (!read_label(reader, body, code->function, sizeof(code->function)) ||
	    !read_path(reader, path, code->file, sizeof(code->file)))
		return -EBADMSG;
	read_table(peek, &head, &lines, code);
	/* Ruby may have freed it meanwhile, and have something else there */
	if (!peek_copy(peek, sequence->body, again, sizeof(again)) || memcmp(again, body, RUBY_BODY_LABEL + 8))
		return -EBADMSG;
	memcpy(code->words, words, sizeof(words));
	code->line = line_of;
	return 1;
}

/* A method of C has no file. */
static int read_method(struct names_code *code, const struct reader *reader, uint64_t address)
{
	const struct peek *peek = reader->peek;
	uint64_t words[8] = { KIND_METHOD };
	struct definition definition;
	struct method method;

	if (!peek_copy(peek, address, &method, sizeof(method)) ||
	    !peek_copy(peek, method.definition, &definition, sizeof(definition)) ||
	    (definition.kind & 0xf) != DEFINITION_C)
		return -EBADMSG;
	words[1] = method.definition;
	words[2] = definition.name;
	if (!memcmp(words, code->words, sizeof(words)))
		return 0;
	names_release(code);
	if (!read_symbol(reader, definition.name, code->function, sizeof(code->function)))
		return -EBADMSG;
	memcpy(code->words, words, sizeof(words));
	return 1;
}

int ruby_read(struct names_code *code, const struct runtime *runtime, uint64_t state, const struct peek *peek,
	      uint64_t address)
{
	const struct reader reader = { runtime, peek, state };
	struct sequence sequence, again;
	int ret = -EBADMSG;

	if (!peek_copy(peek, address, &sequence, sizeof(sequence)))
		return -ESRCH;
	if (TYPE(sequence.flags) == TYPE_INTERNAL && KIND(sequence.flags) == KIND_SEQUENCE)
		ret = read_sequence(code, &reader, &sequence);
	else if (TYPE(sequence.flags) == TYPE_INTERNAL && KIND(sequence.flags) == KIND_METHOD)
		ret = read_method(code, &reader, address);
	if (ret == 1 && (!peek_copy(peek, address, &again, sizeof(again)) || again.body != sequence.body ||
			 TYPE(again.flags) != TYPE_INTERNAL || KIND(again.flags) != KIND(sequence.flags)))
		ret = -EBADMSG;
	if (ret == -EBADMSG)
		names_release(code);
	return ret;
}
