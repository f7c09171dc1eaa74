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

static uint64_t address(const struct kallsyms_image *image, uint32_t i)
{
	int32_t offset = image->offsets[i];

	if (image->kind == OFFSETS_FROM_THEMSELVES)
		return image->base + i * sizeof(offset) + offset;
	if (image->kind == OFFSETS_FROM_BASE)
		return image->base + (uint32_t)offset;
	return offset < 0 ? image->base - 1 - offset : (uint64_t)offset;
}

static int read_offsets(struct kallsyms_image *image, const struct memory *memory, const struct info *info)
{
	uint64_t at = address_of(info, "kallsyms_offsets"), base = address_of(info, "kallsyms_relative_base");
	int ret = memory_take(memory, at, image->n * sizeof(*image->offsets), (void **)&image->offsets);

	if (ret)
		return ret;
	image->base = at;
	image->kind = OFFSETS_FROM_THEMSELVES;
	if (!base)
		return 0;
	/* the kernel's text is in the middle of the table */
	image->kind = image->offsets[image->n / 2] < 0 ? OFFSETS_PERCPU : OFFSETS_FROM_BASE;
	return memory_copy(memory, base, &image->base, sizeof(image->base));
}

/* After the names come the kernel's own index, then the tokens. */
static int read_names(struct kallsyms_image *image, const struct memory *memory, const struct info *info)
{
	uint64_t from = address_of(info, "kallsyms_names"), to = address_of(info, "kallsyms_token_table");

	if (from >= to || to - from > MAX_NAMES)
		return -EINVAL;
	image->names_len = to - from;
	return memory_take(memory, from, image->names_len, (void **)&image->names);
}

/* The tokens of the name at *at, of which there are *n; sets *at to the next name. NULL: there is no name. */
static const uint8_t *next_name(const struct kallsyms_image *image, size_t *at, size_t *n)
{
	const uint8_t *p = image->names + *at, *end = image->names + image->names_len;

	if (end - p < 2)
		return NULL;
	*n = *p++;
	if (*n & 0x80)
		*n = (*n & 0x7f) | *p++ << 7;
	if (!*n || *n > (size_t)(end - p))
		return NULL;
	*at = p + *n - image->names;
	return p;
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
	uint64_t stext = address_of(info, "_stext"), last = 0;
	bool found = false;
	size_t at = 0;

	for (uint32_t i = 0; i < image->n; i++) {
		uint64_t addr = address(image, i);
		const uint8_t *tokens;
		size_t n;

		tokens = next_name(image, &at, &n);
		if (!tokens || addr < last)
			return -EINVAL;
		last = addr;
		if (addr == stext)
			found = found || is_name(image, tokens, n, "_stext");
		/* of any type: Linux 7.2 has variables among its text */
		if ((is_name(image, tokens, n, "modules") && !take_place(&places->modules, addr)) ||
		    (is_name(image, tokens, n, "ftrace_pages_start") && !take_place(&places->ftrace_pages_start, addr)))
			return -EINVAL;
	}
	return found ? 0 : -EINVAL;
}

int kallsyms_image_each(const struct kallsyms_image *image, const char *name, ksym_fn fn, void *ctx)
{
	char text[MAX_NAME + 32];
	struct ksym sym = { .name = text + 1 };
	size_t at = 0, n;

	for (uint32_t i = 0; i < image->n; i++) {
		const uint8_t *tokens = next_name(image, &at, &n);
		int ret;

		if (!ksym_is_function(type_of(image, tokens)) || (name && !is_name(image, tokens, n, name)) ||
		    !expand(image, tokens, n, text))
			continue;
		sym.addr = address(image, i);
		ret = fn(&sym, ctx);
		if (ret)
			return ret;
	}
	return 0;
}

uint64_t kallsyms_image_address(const struct kallsyms_image *image, const char *name)
{
	size_t at = 0, n = 0;

	for (uint32_t i = 0; i < image->n; i++) {
		const uint8_t *tokens = next_name(image, &at, &n);

		if (is_name(image, tokens, n, name))
			return address(image, i);
	}
	return 0;
}

/* The first function of those that begin at one address. */
static bool function_among(const struct kallsyms_image *image, uint32_t first, uint32_t behind,
			   char text[MAX_NAME + 32])
{
	size_t at = image->index.v[first / INDEX_EVERY], n;

	for (uint32_t i = first / INDEX_EVERY * INDEX_EVERY; i < behind; i++) {
		const uint8_t *tokens = next_name(image, &at, &n);

		if (i >= first && ksym_is_function(type_of(image, tokens)) && expand(image, tokens, n, text) &&
		    !ksym_is_end_of_text(text + 1))
			return true;
	}
	return false;
}

/* Notes where every 16th name is. Only address lookups need it, so the first one makes it. */
static void make_index(struct kallsyms_image *image)
{
	size_t at = 0, n;

	if (image->index.n)
		return;
	for (uint32_t i = 0; i < image->n; i++) {
		if (i % INDEX_EVERY == 0)
			*vec_push(&image->index) = at;
		next_name(image, &at, &n);
	}
}

int kallsyms_image_at(struct kallsyms_image *image, uint64_t addr, struct ksym_place *place)
{
	uint32_t behind = search_first(i, image->n, address(image, i) > addr), first;
	char text[MAX_NAME + 32];

	/* behind the last symbol is no function */
	if (!behind || behind == image->n)
		return -ENOENT;
	place->start = address(image, behind - 1);
	place->end = address(image, behind);
	place->module = NULL;
	first = search_first(i, behind, address(image, i) >= place->start);
	make_index(image);
	if (!function_among(image, first, behind, text))
		return -ENOENT;
	memcpy(place->name, text + 1, strlen(text));
	return 0;
}

int kallsyms_image_read(struct kallsyms_image *image, struct memory_places *places, const struct memory *memory)
{
	__free struct info *info = base_alloc(sizeof(*info));
	int ret = read_info(memory, info);

	if (!ret)
		ret = memory_copy(memory, address_of(info, "kallsyms_num_syms"), &image->n, sizeof(image->n));
	if (!ret && (!image->n || image->n > MAX_SYMBOLS))
		ret = -EINVAL;
	if (!ret)
		ret = read_offsets(image, memory, info);
	if (!ret)
		ret = read_tokens(image, memory, info);
	if (!ret)
		ret = read_names(image, memory, info);
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
