// SPDX-License-Identifier: BSD-2-Clause
/*
 * The functions of an ELF file: decides which tables are read, which symbols are functions, and which alias comes
 * first. binary_debug.c finds separate debug files. binary_places.c finds functions by address.
 */
#include "binary_part.h"

/*
 * Bounds on foreign tables. A browser's table has a tenth of this. MAX_ALIASES: so many names of one place are
 * compared to find doubles.
 */
#define MAX_ALIASES 32
#define MAX_TABLE   (256U << 20)

/* Finds the strings of a table, and reads both if `load`. */
static int table_take(struct binary_image *image, Elf_Scn *scn, const GElf_Shdr *shdr, bool load, struct binary_table *t)
{
	Elf_Scn *names = elf_getscn(image->elf, shdr->sh_link);
	GElf_Shdr names_shdr;
	Elf_Data *strings;
	int ret;

	if (!names || !gelf_getshdr(names, &names_shdr) || names_shdr.sh_type != SHT_STRTAB)
		return -EBADMSG;
	/* No linker compresses one. libelf gives no symbols of it, and reading them without libelf would give some. */
	if (shdr->sh_flags & SHF_COMPRESSED)
		return -EBADMSG;
	if (shdr->sh_size > MAX_TABLE)
		return -EFBIG;
	*t = (struct binary_table){ .image = image, .at = shdr->sh_offset, .n = shdr->sh_size / sizeof(Elf64_Sym), .strings_at = names_shdr.sh_offset, .strings_len = names_shdr.sh_size };
	if (!load)
		return 0;
	ret = binary_image_data(image, scn, &t->data);
	if (!ret)
		ret = binary_image_data(image, names, &strings);
	if (ret)
		return ret;
	t->n = t->data->d_size / sizeof(Elf64_Sym);
	t->strings = strings->d_buf;
	t->strings_len = strings->d_size;
	while (t->strings_len && t->strings[t->strings_len - 1])
		t->strings_len--;
	return 0;
}

/* *t: the first table of that type that is not empty. -ENODATA: none; -EBADMSG: damaged; -EFBIG. */
static int table_find(struct binary_image *image, uint32_t type, bool load, struct binary_table *t)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(image->elf, scn))) {
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr))
			return -EBADMSG;
		/* a table with only the null entry is empty */
		if (shdr.sh_type == type && shdr.sh_size > sizeof(Elf64_Sym))
			return table_take(image, scn, &shdr, load, t);
	}
	return -ENODATA;
}

/* .symtab holds names such as "memcpy@@GLIBC_2.14": what begins with '@' is the version. */
static const char *name_without_version(struct binary *binary, const char *name)
{
	const char *at = *name ? strchr(name + 1, '@') : NULL;

	return at ? binary_keep_name(binary, name, (size_t)(at - name)) : name;
}

const char *binary_keep_name(struct binary *binary, const char *name, size_t len)
{
	struct binary_string *copy = base_alloc(sizeof(*copy) + len + 1);

	memcpy(copy->text, name, len);
	copy->next = binary->strings;
	binary->strings = copy;
	return copy->text;
}

static bool is_function(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF &&
	       sym->st_shndx != SHN_ABS && sym->st_value;
}

bool binary_function_of(const struct binary *binary, const GElf_Sym *sym, const struct binary_segment **last,
			struct binary_symbol *function)
{
	const struct binary_segment *s = *last;
	uint64_t inside;

	if (!is_function(sym))
		return false;
	if (!s || !s->exec || sym->st_value < s->vaddr || sym->st_value - s->vaddr >= s->size)
		s = binary_segment_of(binary, sym->st_value, true);
	if (!s)
		return false;
	*last = s;
	inside = sym->st_value - s->vaddr;
	*function = (struct binary_symbol){
		.offset = inside + s->offset,
		.vaddr = sym->st_value,
		.size = sym->st_size < s->size - inside ? sym->st_size : s->size - inside,
		.ifunc = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC,
		.binding = GELF_ST_BIND(sym->st_info),
	};
	return true;
}

/* The name of a symbol, NULL if it has none. *len: at most ELF_MAX_NAME. */
static const char *table_name(const struct binary_table *t, const GElf_Sym *sym, size_t *len)
{
	const char *name = t->strings + sym->st_name;
	size_t rest;

	if (sym->st_name >= t->strings_len)
		return NULL;
	rest = t->strings_len - sym->st_name;
	*len = strnlen(name, rest < ELF_MAX_NAME ? rest : ELF_MAX_NAME);
	return name;
}

/*
 * Appends the functions of a table to binary->symbols, which has room. *left: how many bytes of names may still be
 * read.
 */
static int table_collect(struct binary *binary, const struct binary_table *t, uint64_t *left)
{
	const struct binary_segment *last = NULL;

	for (size_t i = 1; i < t->n; i++) {
		struct binary_symbol function;
		const char *name;
		GElf_Sym sym;
		size_t len;

		if (!gelf_getsym(t->data, (int)i, &sym))
			return 0;
		name = is_function(&sym) ? table_name(t, &sym, &len) : NULL;
		if (!name)
			continue;
		if (len > *left)
			return -EFBIG;
		*left -= len;
		if (!len || len == ELF_MAX_NAME || !binary_function_of(binary, &sym, &last, &function))
			continue;
		function.name = name_without_version(binary, name);
		function.debug = t->image == &binary->debug;
		binary->symbols[binary->n_symbols++] = function;
	}
	return 0;
}

static int binding_rank(const struct binary_symbol *s)
{
	switch (s->binding) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return 0;
	case STB_WEAK:
		return 1;
	default:
		return 2;
	}
}

int binary_compare_names(const struct binary_symbol *a, const struct binary_symbol *b)
{
	size_t a_under, b_under, a_len, b_len;

	if (binding_rank(a) != binding_rank(b))
		return binding_rank(a) - binding_rank(b);
	a_under = strspn(a->name, "_");
	b_under = strspn(b->name, "_");
	if (a_under != b_under)
		return a_under < b_under ? -1 : 1;
	a_len = strlen(a->name);
	b_len = strlen(b->name);
	if (a_len != b_len)
		return a_len < b_len ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int compare_symbols(const void *pa, const void *pb)
{
	const struct binary_symbol *a = pa, *b = pb;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return binary_compare_names(a, b);
}

/* The one of the last few symbols that has the same place and name; NULL: none. */
static struct binary_symbol *find_double(struct binary_symbol *first, struct binary_symbol *end,
					 const struct binary_symbol *s)
{
	int left = MAX_ALIASES;

	while (end-- > first && end->offset == s->offset && left--) {
		if (!strcmp(end->name, s->name))
			return end;
	}
	return NULL;
}

/* Sorts the symbols and removes doubles: both tables may list a symbol, perhaps with another binding or version. */
static void sort_symbols(struct binary *binary)
{
	struct binary_symbol *to = binary->symbols, *end = binary->symbols + binary->n_symbols;

	qsort(binary->symbols, binary->n_symbols, sizeof(*binary->symbols), compare_symbols);
	for (const struct binary_symbol *from = binary->symbols; from < end; from++) {
		struct binary_symbol *same = find_double(binary->symbols, to, from);

		if (same)
			same->debug &= from->debug;
		else
			*to++ = *from;
	}
	binary->n_symbols = (size_t)(to - binary->symbols);
}

/* The table of the debug file. If that is damaged, .dynsym is still used: so every error becomes -ENODATA. */
static int find_debug_table(struct binary *binary, bool load, struct binary_table *full)
{
	int ret = table_find(&binary->debug, SHT_SYMTAB, load, full);

	if (!ret)
		return 0;
	binary_refuse(binary, base_printf("%s: its symbol table is %s", binary->source,
					  ret == -EFBIG ? "too large" : "damaged"));
	free(take_ptr(binary->source));
	*full = (struct binary_table){ 0 };
	return -ENODATA;
}

int binary_tables_find(struct binary *binary, bool load, struct binary_table *full, struct binary_table *dynamic,
		       char **looked)
{
	int ret, dynamic_ret;

	dynamic_ret = table_find(&binary->file, SHT_DYNSYM, load, dynamic);
	ret = table_find(&binary->file, SHT_SYMTAB, load, full);
	if (!ret) {
		binary->source = base_strdup(".symtab");
	} else if (ret == -ENODATA && !binary->bounds.alone) {
		ret = binary_debug_find(binary, &binary->source, looked);
		if (!ret)
			ret = find_debug_table(binary, load, full);
	}
	if (ret && ret != -ENODATA)
		return ret;
	if (dynamic_ret && dynamic_ret != -ENODATA)
		return dynamic_ret;
	if (ret && !dynamic_ret)
		binary->source = base_strdup(".dynsym");
	return ret && dynamic_ret ? -ENODATA : 0;
}

static int collect(struct binary *binary, const struct binary_table *full, const struct binary_table *dynamic)
{
	uint64_t left = binary->bounds.names;
	int ret;

	binary->symbols = calloc(full->n + dynamic->n, sizeof(*binary->symbols));
	if (!binary->symbols)
		return -ENOMEM;
	ret = table_collect(binary, full, &left);
	if (!ret)
		ret = table_collect(binary, dynamic, &left);
	if (ret)
		binary->n_symbols = 0;
	else
		sort_symbols(binary);
	return ret;
}

static int read_symbols(struct binary *binary, struct err *err)
{
	struct binary_table full = { 0 }, dynamic = { 0 };
	char *looked __free = NULL;
	int ret = binary_tables_find(binary, true, &full, &dynamic, &looked);

	if (!ret)
		ret = collect(binary, &full, &dynamic);
	if (ret == -EBADMSG)
		return err_set(err, ret, "%s: its symbol table is damaged, or the file has been truncated", binary->path);
	if (ret == -EFBIG)
		return err_set(err, ret, "%s: its symbol table is too large to be read", binary->path);
	if (ret == -ENOMEM)
		return err_set(err, ret, "%s: no memory for %zu symbols", binary->path, full.n + dynamic.n);
	if (!binary->n_symbols)
		return err_set(err, -ENODATA, "%s: no function symbols: stripped%s%s", binary->path,
			       looked ? ", and nothing in " : "", looked ? looked : "");
	return 0;
}

void binary_forget(struct binary *binary)
{
	free(take_ptr(binary->symbols));
	binary->n_symbols = 0;
	free(binary->confirmed.v);
	binary->confirmed = (struct binary_confirmed){};
	free(take_ptr(binary->source));
	binary_image_close(&binary->debug);
}

int binary_functions(struct binary *binary, const struct binary_symbol **symbols, size_t *n, struct err *err)
{
	int ret;

	if (binary->bounds.failed)
		return err_set(err, binary->bounds.failed, "%s: its functions are not known", binary->path);
	if (!binary->n_symbols) {
		binary_forget(binary);
		ret = read_symbols(binary, err);
		if (ret && binary->bounds.alone)
			binary->bounds.failed = ret;
		if (ret)
			return ret;
	}
	*symbols = binary->symbols;
	*n = binary->n_symbols;
	return 0;
}

static int find_symbol(struct binary_image *image, uint32_t type, const char *name, GElf_Sym *sym)
{
	struct binary_table t;
	int ret = table_find(image, type, true, &t);

	for (size_t i = 1; !ret && i < t.n && gelf_getsym(t.data, (int)i, sym); i++) {
		size_t len;
		const char *own = table_name(&t, sym, &len);

		if (own && sym->st_shndx != SHN_UNDEF && len == strlen(name) && !memcmp(own, name, len))
			return 0;
	}
	return -ENOENT;
}

int binary_find_symbol(struct binary *binary, const char *name, uint64_t *vaddr)
{
	GElf_Sym sym;
	int ret = find_symbol(&binary->file, SHT_SYMTAB, name, &sym);

	if (!ret)
		*vaddr = sym.st_value;
	return ret;
}

int binary_find_object(struct binary *binary, const char *name, uint64_t *vaddr, uint64_t *size)
{
	GElf_Sym sym;
	int ret = find_symbol(&binary->file, SHT_SYMTAB, name, &sym);

	if (ret)
		ret = find_symbol(&binary->file, SHT_DYNSYM, name, &sym);
	if (ret && binary->debug.elf)
		ret = find_symbol(&binary->debug, SHT_SYMTAB, name, &sym);
	if (ret)
		return ret;
	if (GELF_ST_TYPE(sym.st_info) == STT_TLS || sym.st_shndx == SHN_ABS)
		return -ENOTSUP;
	*vaddr = sym.st_value;
	*size = sym.st_size;
	return 0;
}
