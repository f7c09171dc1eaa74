// SPDX-License-Identifier: BSD-2-Clause
#include "base/search.h"
#include "kallsyms_image.h"
#include "ksym.h"

/* Linux has 200,000, and allows none with more than 511 bytes. */
#define MAX_SYMBOLS   (1 << 23)
#define MAX_NAMES     (64 << 20)
#define MAX_NAME      KSYM_NAME_MAX
#define N_TOKENS      256
#define TOKENS_MARGIN 64
#define INDEX_EVERY   16
#define PIECE	      (64 * 1024) /* bytes of a table that are read at a time */
#define MAX_BLOCK     (INDEX_EVERY * (MAX_NAME + 2)) /* bytes of the names of so many symbols */

/* vmcoreinfo: lines of text, less than a page of them. */
struct info {
	char text[4097];
};

static int read_info(const struct memory *memory, struct info *info)
{
	uint64_t text;
	int ret = memory_copy(memory, memory->vmcoreinfo, &text, sizeof(text));

	return ret ? ret : memory_copy(memory, text, info->text, sizeof(info->text) - 1);
}

/* 0, which cannot be read, where vmcoreinfo does not name the symbol. */
static uint64_t address_of(const struct info *info, const char *name)
{
	__free char *key = base_printf("SYMBOL(%s)=", name);
	const char *found = strstr(info->text, key);

	return found ? strtoull(found + strlen(key), NULL, 16) : 0;
}

static int take_token(struct kallsyms_token *token, const char *text, size_t room)
{
	size_t len = strnlen(text, room);

	if (len == room || len >= sizeof(token->text))
		return -EINVAL;
	memcpy(token->text, text, len);
	token->len = len;
	return 0;
}

static int read_tokens(struct kallsyms_image *image, const struct memory *memory, const struct info *info)
{
	__free void *starts = NULL, *text = NULL;
	size_t len = 0;
	int ret = memory_take(memory, address_of(info, "kallsyms_token_index"), N_TOKENS * sizeof(uint16_t), &starts);
	const uint16_t *start = starts;

	if (!ret) {
		len = start[N_TOKENS - 1] + TOKENS_MARGIN;
		ret = memory_take(memory, address_of(info, "kallsyms_token_table"), len, &text);
	}
	image->tokens = base_alloc(N_TOKENS * sizeof(*image->tokens));
	for (int i = 0; !ret && i < N_TOKENS; i++)
		ret = start[i] < len ? take_token(&image->tokens[i], (char *)text + start[i], len - start[i]) : -EINVAL;
	return ret;
}

static uint64_t address_by(const struct kallsyms_image *image, uint32_t i, int32_t offset)
{
	if (image->kind == OFFSETS_FROM_THEMSELVES)
		return image->base + i * sizeof(offset) + offset;
	if (image->kind == OFFSETS_FROM_BASE)
		return image->base + (uint32_t)offset;
	return offset < 0 ? image->base - 1 - offset : (uint64_t)offset;
}

static int read_offsets(struct kallsyms_image *image, const struct info *info)
{
	uint64_t base = address_of(info, "kallsyms_relative_base");
	int32_t middle;
	int ret;

	image->offsets_at = address_of(info, "kallsyms_offsets");
	image->base = image->offsets_at;
	image->kind = OFFSETS_FROM_THEMSELVES;
	if (!base)
		return 0;
	ret = memory_copy(image->memory, image->offsets_at + image->n / 2 * sizeof(middle), &middle, sizeof(middle));
	if (ret)
		return ret;
	/* the kernel's text is in the middle of the table */
	image->kind = middle < 0 ? OFFSETS_PERCPU : OFFSETS_FROM_BASE;
	return memory_copy(image->memory, base, &image->base, sizeof(image->base));
}

static void drop_tables(struct kallsyms_image *image)
{
	free(image->names);
	free(image->offsets);
	image->names = NULL;
	image->offsets = NULL;
}

/* After the names come the kernel's own index, then the tokens. */
static int read_names(struct kallsyms_image *image, const struct info *info)
{
	uint64_t from = address_of(info, "kallsyms_names"), to = address_of(info, "kallsyms_token_table");

	if (from >= to || to - from > MAX_NAMES)
		return -EINVAL;
	image->names_at = from;
	image->names_len = to - from;
	return 0;
}

static int hold_tables(struct kallsyms_image *image)
{
	const struct memory *memory = image->memory;
	const size_t size = image->n * sizeof(*image->offsets);
	int ret = memory_take(memory, image->names_at, image->names_len, (void **)&image->names);

	if (!ret)
		ret = memory_take(memory, image->offsets_at, size, (void **)&image->offsets);
	return ret;
}

/* The tokens of the name at *at, of which there are *n; sets *at to the next name. NULL: there is no name. */
static const uint8_t *next_name(const uint8_t *names, size_t len, size_t *at, size_t *n)
{
	const uint8_t *p = names + *at, *end = names + len;

	if (end - p < 2)
		return NULL;
	*n = *p++;
	if (*n & 0x80)
		*n = (*n & 0x7f) | *p++ << 7;
	if (!*n || *n > (size_t)(end - p))
		return NULL;
	*at = p + *n - names;
	return p;
}

/* --- all symbols, one after the other --- */

/* Reads the tables that the image holds, or pieces of the kernel's. Initialise with the image alone. */
struct cursor {
	const struct kallsyms_image *image;
	uint32_t i;  /* the number of the next symbol */
	size_t name; /* where its name is in names */
	void *own_names, *own_offsets;
	size_t names_at, names_len;	/* the piece of names */
	uint32_t offsets_at, n_offsets; /* the piece of offsets */
	/* the last symbol */
	uint64_t addr;
	size_t n; /* tokens */
};

static void cursor_release(struct cursor *c)
{
	free(c->own_names);
	free(c->own_offsets);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool take_names_piece(struct cursor *c)
{
	const struct kallsyms_image *image = c->image;

	if (!c->own_names)
		c->own_names = base_alloc(PIECE);
	c->names_at = c->name;
	c->names_len = least(PIECE, image->names_len - c->name);
	return !memory_copy(image->memory, image->names_at + c->names_at, c->own_names, c->names_len);
}

static bool take_offsets_piece(struct cursor *c)
{
	const size_t size = sizeof(*c->image->offsets);

	if (!c->own_offsets)
		c->own_offsets = base_alloc(PIECE);
	c->offsets_at = c->i;
	c->n_offsets = least(PIECE / size, c->image->n - c->i);
	return !memory_copy(c->image->memory, c->image->offsets_at + c->i * size, c->own_offsets, c->n_offsets * size);
}

/* Returns the tokens of the next symbol, and sets addr and n. NULL: there is none, or it cannot be read. */
static const uint8_t *cursor_next(struct cursor *c)
{
	const struct kallsyms_image *image = c->image;
	const uint8_t *tokens;
	size_t at;

	if (c->i == image->n)
		return NULL;
	if (image->names) {
		tokens = next_name(image->names, image->names_len, &c->name, &c->n);
		c->addr = address_by(image, c->i, image->offsets[c->i]);
		c->i++;
		return tokens;
	}
	if (c->name + MAX_NAME + 2 > c->names_at + c->names_len && c->names_at + c->names_len < image->names_len &&
	    !take_names_piece(c))
		return NULL;
	if (c->i == c->offsets_at + c->n_offsets && !take_offsets_piece(c))
		return NULL;
	at = c->name - c->names_at;
	tokens = next_name(c->own_names, c->names_len, &at, &c->n);
	c->name = c->names_at + at;
	c->addr = address_by(image, c->i, ((const int32_t *)c->own_offsets)[c->i - c->offsets_at]);
	c->i++;
	return tokens;
}

/*
 * Type and name, of at most MAX_NAME bytes with the NUL. Whole tokens are copied: their lengths vary too much to be
 * foreseen.
 */
static bool expand(const struct kallsyms_image *image, const uint8_t *tokens, size_t n, char text[MAX_NAME + 32])
{
	size_t len = 0;

	for (; n; n--, tokens++) {
		const struct kallsyms_token *token = &image->tokens[*tokens];

		memcpy(text + len, token->text, sizeof(token->text));
		len += token->len;
		if (len > MAX_NAME)
			return false;
	}
	text[len] = 0;
	return len > 1;
}

static char type_of(const struct kallsyms_image *image, const uint8_t *tokens)
{
	return image->tokens[*tokens].text[0];
}

/* Are these tokens, of type and name, this name? The first token, which begins with the type, mostly says no. */
static bool is_name(const struct kallsyms_image *image, const uint8_t *tokens, size_t n, const char *name)
{
	for (size_t skip = 1; n; n--, tokens++, skip = 0) {
		const struct kallsyms_token *token = &image->tokens[*tokens];
		size_t len = token->len - skip;

		if (token->len <= skip)
			continue;
		if (token->text[skip] != *name || strncmp(token->text + skip, name, len))
			return false;
		name += len;
	}
	return !*name;
}

/* Two variables of one name: which one is it? */
static bool take_place(uint64_t *place, uint64_t addr)
{
	bool first = !*place;

	*place = addr;
	return first;
}

/*
 * Every name is where it should be, addresses rise, and the kernel's text begins where vmcoreinfo says. Sets
 * places.
 */
static int check(struct kallsyms_image *image, struct memory_places *places, const struct info *info)
{
	__cleanup(cursor_release) struct cursor c = { .image = image };
	uint64_t stext = address_of(info, "_stext"), last = 0;
	bool found = false;

	while (c.i < image->n) {
		struct kallsyms_mark mark = { .name = c.name };
		const uint8_t *tokens = cursor_next(&c);

		if (!tokens || c.addr < last)
			return -EINVAL;
		last = c.addr;
		mark.addr = c.addr;
		if ((c.i - 1) % INDEX_EVERY == 0)
			*vec_push(&image->index) = mark;
		if (c.addr == stext)
			found = found || is_name(image, tokens, c.n, "_stext");
		/* of any type: Linux 7.2 has variables among its text */
		if ((is_name(image, tokens, c.n, "modules") && !take_place(&places->modules, c.addr)) ||
		    (is_name(image, tokens, c.n, "ftrace_pages_start") &&
		     !take_place(&places->ftrace_pages_start, c.addr)))
			return -EINVAL;
	}
	return found ? 0 : -EINVAL;
}

int kallsyms_image_each(const struct kallsyms_image *image, const char *name, ksym_fn fn, void *ctx)
{
	__cleanup(cursor_release) struct cursor c = { .image = image };
	char text[MAX_NAME + 32];
	struct ksym sym = { .name = text + 1 };
	int ret = 0;

	while (!ret && c.i < image->n) {
		const uint8_t *tokens = cursor_next(&c);

		if (!tokens)
			return -EFAULT;
		if (!ksym_is_function(type_of(image, tokens)) || (name && !is_name(image, tokens, c.n, name)) ||
		    !expand(image, tokens, c.n, text))
			continue;
		sym.addr = c.addr;
		ret = fn(&sym, ctx);
	}
	return ret;
}

uint64_t kallsyms_image_address(const struct kallsyms_image *image, const char *name)
{
	__cleanup(cursor_release) struct cursor c = { .image = image };
	const uint8_t *tokens;

	while ((tokens = cursor_next(&c)))
		if (is_name(image, tokens, c.n, name))
			return c.addr;
	return 0;
}

/* --- by address --- */

/* 16 symbols, or the rest. */
struct block {
	void *names, *offsets;
	size_t names_len;
	uint32_t first, n; /* symbols */
};

static void block_release(struct block *block)
{
	free(block->names);
	free(block->offsets);
}

static int take_offsets(const struct kallsyms_image *image, uint32_t number, struct block *block)
{
	const size_t size = sizeof(*image->offsets);
	uint32_t first = number * INDEX_EVERY, n = image->n - first;

	block->first = first;
	block->n = n < INDEX_EVERY ? n : INDEX_EVERY;
	return memory_take(image->memory, image->offsets_at + first * size, block->n * size, &block->offsets);
}

static int take_names(const struct kallsyms_image *image, uint32_t number, struct block *block)
{
	size_t from = image->index.v[number].name, end = image->names_len;

	if (number + 1 < image->index.n)
		end = image->index.v[number + 1].name;
	block->names_len = least(end - from, MAX_BLOCK);
	return memory_take(image->memory, image->names_at + from, block->names_len, &block->names);
}

static uint64_t address_in(const struct kallsyms_image *image, const struct block *block, uint32_t i)
{
	return address_by(image, block->first + i, ((const int32_t *)block->offsets)[i]);
}

/* The first function of those of a block that begin at this address. */
static bool function_of_block(const struct kallsyms_image *image, uint32_t number, uint64_t addr,
			      char text[MAX_NAME + 32])
{
	__cleanup(block_release) struct block block = {};
	size_t at = 0, n;

	if (take_offsets(image, number, &block) || take_names(image, number, &block))
		return false;
	for (uint32_t i = 0; i < block.n; i++) {
		const uint8_t *tokens = next_name(block.names, block.names_len, &at, &n);

		if (!tokens)
			return false;
		if (address_in(image, &block, i) == addr && ksym_is_function(type_of(image, tokens)) &&
		    expand(image, tokens, n, text) && !ksym_is_end_of_text(text + 1))
			return true;
	}
	return false;
}

/* Symbols of one address may be in several blocks. */
static bool function_at(const struct kallsyms_image *image, uint64_t addr, char text[MAX_NAME + 32])
{
	uint32_t number = search_first(i, image->index.n, image->index.v[i].addr >= addr);

	for (number -= !!number; number < image->index.n && image->index.v[number].addr <= addr; number++)
		if (function_of_block(image, number, addr, text))
			return true;
	return false;
}

/* Stacks are named for long: the tables, 3.5 MB, are not kept for that. Of 16 symbols they are copied when needed. */
int kallsyms_image_at(struct kallsyms_image *image, uint64_t addr, struct ksym_place *place)
{
	__cleanup(block_release) struct block block = {};
	uint32_t next = search_first(i, image->index.n, image->index.v[i].addr > addr), behind;
	char text[MAX_NAME + 32];

	drop_tables(image);
	if (!next || take_offsets(image, next - 1, &block))
		return -ENOENT;
	behind = search_first(i, block.n, address_in(image, &block, i) > addr);
	/* behind the last symbol is no function */
	if (!behind || (behind == block.n && next == image->index.n))
		return -ENOENT;
	place->start = address_in(image, &block, behind - 1);
	place->end = behind < block.n ? address_in(image, &block, behind) : image->index.v[next].addr;
	place->module = NULL;
	if (!function_at(image, place->start, text))
		return -ENOENT;
	memcpy(place->name, text + 1, strlen(text));
	return 0;
}

int kallsyms_image_read(struct kallsyms_image *image, struct memory_places *places, const struct memory *memory,
			bool by_address)
{
	__free struct info *info = base_alloc(sizeof(*info));
	int ret = read_info(memory, info);

	image->memory = memory;
	if (!ret)
		ret = memory_copy(memory, address_of(info, "kallsyms_num_syms"), &image->n, sizeof(image->n));
	if (!ret && (!image->n || image->n > MAX_SYMBOLS))
		ret = -EINVAL;
	if (!ret)
		ret = read_offsets(image, info);
	if (!ret)
		ret = read_tokens(image, memory, info);
	if (!ret)
		ret = read_names(image, info);
	if (!ret && !by_address)
		ret = hold_tables(image);
	return ret ? ret : check(image, places, info);
}

void kallsyms_image_release(struct kallsyms_image *image)
{
	free(image->offsets);
	free(image->tokens);
	free(image->names);
	free(image->index.v);
	*image = (struct kallsyms_image){};
}
