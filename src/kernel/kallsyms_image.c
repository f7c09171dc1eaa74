// SPDX-License-Identifier: BSD-2-Clause
#include "kallsyms_image.h"

/* Linux has 200,000, and allows none with more than 511 bytes. */
#define MAX_SYMBOLS   (1 << 23)
#define MAX_NAMES     (64 << 20)
#define MAX_NAME      512
#define N_TOKENS      256
#define TOKENS_MARGIN 64

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

/* 0, where nothing can be read: it does not say. */
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
	/* in the middle is the kernel's text: */
	image->kind = image->offsets[image->n / 2] < 0 ? OFFSETS_PERCPU : OFFSETS_FROM_BASE;
	return memory_copy(memory, base, &image->base, sizeof(image->base));
}

/* Behind the names are what finds the middle of them, and then the tokens. */
static int read_names(struct kallsyms_image *image, const struct memory *memory, const struct info *info)
{
	uint64_t from = address_of(info, "kallsyms_names"), to = address_of(info, "kallsyms_token_table");

	if (from >= to || to - from > MAX_NAMES)
		return -EINVAL;
	image->names_len = to - from;
	return memory_take(memory, from, image->names_len, (void **)&image->names);
}

/* Where the tokens of the name at *at begin; *at becomes the next name. NULL: there is none. */
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

/* Are these tokens, of type and name, this name? Of most one need not look: they are more than it has bytes. */
static bool is_name(const struct kallsyms_image *image, const uint8_t *tokens, size_t n, const char *name, size_t len)
{
	char text[MAX_NAME + 32];

	return n <= len + 1 && expand(image, tokens, n, text) && !strcmp(text + 1, name);
}

#define IS_NAME(image, tokens, n, name) is_name(image, tokens, n, name, sizeof(name) - 1)

/*
 * Every name is where it should be, addresses rise, and the kernel's text begins where vmcoreinfo says. *modules
 * becomes where the list of them is, of which there is one.
 */
static int check(const struct kallsyms_image *image, const struct info *info, uint64_t *modules)
{
	uint64_t stext = address_of(info, "_stext"), last = 0;
	bool found = false;
	size_t at = 0;

	*modules = 0;
	for (uint32_t i = 0; i < image->n; i++) {
		uint64_t addr = address(image, i);
		size_t n;
		const uint8_t *tokens = next_name(image, &at, &n);

		if (!tokens || addr < last)
			return -EINVAL;
		last = addr;
		if (addr == stext)
			found = found || IS_NAME(image, tokens, n, "_stext");
		if (!IS_NAME(image, tokens, n, "modules"))
			continue;
		if (*modules)
			return -EINVAL;
		*modules = addr;
	}
	return found ? 0 : -EINVAL;
}

/* A kernel may be without them. */
static int read_modules(struct kallsyms_image *image, const struct memory *memory, uint64_t list)
{
	if (list)
		return modules_image_read(&image->modules, memory, list);
	return kernel_module_loaded("*") ? -EINVAL : 0;
}

int kallsyms_image_each(const struct kallsyms_image *image, kallsyms_fn fn, void *ctx)
{
	static const bool wanted[256] = {
		['t'] = true,
		['T'] = true,
		['w'] = true,
		['W'] = true,
		['d'] = true,
		['D'] = true,
		['b'] = true,
		['B'] = true,
	};
	char text[MAX_NAME + 32];
	struct ksym sym = { .name = text + 1 };
	size_t at = 0, n;

	for (uint32_t i = 0; i < image->n; i++) {
		const uint8_t *tokens = next_name(image, &at, &n);
		int ret;

		if (!wanted[(uint8_t)image->tokens[*tokens].text[0]] || !expand(image, tokens, n, text))
			continue;
		sym.addr = address(image, i);
		ret = fn(&sym, text[0], ctx);
		if (ret)
			return ret;
	}
	return modules_image_each(&image->modules, fn, ctx);
}

int kallsyms_image_read(struct kallsyms_image *image, const struct memory *memory)
{
	__free struct info *info = base_alloc(sizeof(*info));
	int ret = read_info(memory, info);
	uint64_t modules;

	ret = ret ? ret : memory_copy(memory, address_of(info, "kallsyms_num_syms"), &image->n, sizeof(image->n));
	if (!ret && (!image->n || image->n > MAX_SYMBOLS))
		ret = -EINVAL;
	ret = ret ? ret : read_offsets(image, memory, info);
	ret = ret ? ret : read_tokens(image, memory, info);
	ret = ret ? ret : read_names(image, memory, info);
	ret = ret ? ret : check(image, info, &modules);
	return ret ? ret : read_modules(image, memory, modules);
}

void kallsyms_image_release(struct kallsyms_image *image)
{
	free(image->offsets);
	free(image->tokens);
	free(image->names);
	modules_image_release(&image->modules);
}
