// SPDX-License-Identifier: BSD-2-Clause
/* The session: chooses where symbols are read from, and looks in the kernel's own and in its modules'. */
#include "bpf_ksyms.h"
#include "ftrace_records.h"
#include "kallsyms_image.h"
#include "kallsyms_search.h"
#include "kallsyms_text.h"
#include "kernel_files.h"
#include "ksym.h"
#include "modules_image.h"

struct kernel {
	bool was_opened;
	bool was_dropped;      /* the image, which is to be copied again */
	struct memory *memory; /* NULL: it cannot be read */
	struct memory_places places;
	bool packed; /* the kernel's tables could be copied: image and modules have all symbols */
	struct kallsyms_image image;
	struct modules_image modules;
	bool was_searched; /* for the list of BPF programs */
	bool was_passed;   /* the text has been read once, without keeping it */
	bool was_kept;	   /* the list has been made of the text, or error says why not */
	int error;
	struct err err;
	struct ksym_list list; /* all symbols; if packed the modules' alone, and only once an address is looked up */
	bool sorted;
	struct bpf_ksyms bpf;
};

struct kernel *kernel_new(void)
{
	return base_alloc(sizeof(struct kernel));
}

static void release_image(struct kernel *kernel)
{
	kallsyms_image_release(&kernel->image);
	modules_image_release(&kernel->modules);
}

void kernel_free(struct kernel *kernel)
{
	if (!kernel)
		return;
	release_image(kernel);
	ksym_list_release(&kernel->list);
	bpf_ksyms_release(&kernel->bpf);
	memory_close(&kernel->memory);
	free(kernel);
}

/* A kernel may be without modules, and then without their list. */
static int read_modules(struct kernel *kernel)
{
	if (kernel->places.modules)
		return modules_image_read(&kernel->modules, kernel->memory, kernel->places.modules);
	return kernel_module_loaded("*") ? -EINVAL : 0;
}

static bool read_image(struct kernel *kernel, bool by_address)
{
	kernel->places = (struct memory_places){};
	if (!kallsyms_image_read(&kernel->image, &kernel->places, kernel->memory, by_address) && !read_modules(kernel))
		return true;
	release_image(kernel);
	kernel->places = (struct memory_places){};
	return false;
}

/* by_address: nobody asks for all symbols now. Tests put files in the kernel's place, but no memory. */
static void open_symbols(struct kernel *kernel, bool by_address)
{
	if (!kernel->was_opened)
		kernel->memory = kernel_is_real() ? memory_open() : NULL;
	if (!kernel->was_opened || kernel->was_dropped)
		kernel->packed = kernel->memory && read_image(kernel, by_address);
	kernel->was_opened = true;
	kernel->was_dropped = false;
}

/* Frees the tables, 2 MB. They are copied again if somebody asks again. Address lookups keep them. */
static void drop_image(struct kernel *kernel)
{
	if (!kernel->packed || kernel->sorted)
		return;
	release_image(kernel);
	kernel->was_dropped = true;
}

/* The symbols as text, in the list. */
static int keep_text(struct kernel *kernel, struct err *err)
{
	if (!kernel->was_kept) {
		kernel->was_kept = true;
		kernel->error = kallsyms_text_read(&kernel->list, &kernel->places, &kernel->err);
	}
	return kernel->error ? err_set(err, kernel->error, "%s", kernel->err.text) : 0;
}

struct filter {
	const char *name; /* NULL: any */
	ksym_fn fn;
	void *ctx;
};

static int offer(const struct ksym *sym, void *ctx)
{
	const struct filter *filter = ctx;

	return filter->name && strcmp(sym->name, filter->name) ? 0 : filter->fn(sym, filter->ctx);
}

static int offer_module_symbol(const struct ksym *sym, char type, void *ctx)
{
	return ksym_is_function(type) ? offer(sym, ctx) : 0;
}

static int offer_text(const struct ksym *sym, bool function, void *ctx)
{
	return function ? offer(sym, ctx) : 0;
}

/*
 * Text is kept when it is asked for again: a pattern needs one pass, and to copy all names makes that a tenth slower.
 */
static int each_of_text(struct kernel *kernel, struct filter *filter, struct err *err)
{
	int ret;

	if (!kernel->was_passed && !kernel->was_kept) {
		kernel->was_passed = true;
		return kallsyms_text_each(&kernel->places, offer_text, filter, err);
	}
	ret = keep_text(kernel, err);
	return ret ? ret : ksym_list_each(&kernel->list, offer, filter);
}

static int each(struct kernel *kernel, struct filter filter, struct err *err)
{
	int ret;

	open_symbols(kernel, false);
	if (!kernel->packed)
		return each_of_text(kernel, &filter, err);
	ret = kallsyms_image_each(&kernel->image, filter.name, filter.fn, filter.ctx);
	return ret ? ret : modules_image_each(&kernel->modules, offer_module_symbol, &filter);
}

int kernel_each_symbol(struct kernel *kernel, ksym_fn fn, void *ctx, struct err *err)
{
	return each(kernel, (struct filter){ NULL, fn, ctx }, err);
}

int kernel_each_named(struct kernel *kernel, const char *name, ksym_fn fn, void *ctx, struct err *err)
{
	return each(kernel, (struct filter){ name, fn, ctx }, err);
}

static int add_module_symbol(const struct ksym *sym, char type, void *ctx)
{
	ksym_list_add(ctx, sym, ksym_is_function(type));
	return 0;
}

static void sort(struct kernel *kernel)
{
	if (kernel->sorted)
		return;
	kernel->sorted = true;
	if (kernel->packed)
		modules_image_each(&kernel->modules, add_module_symbol, &kernel->list);
	vec_each(module, &kernel->modules)
		ksym_list_set_module(&kernel->list, module->name, module->start, module->end);
	ksym_list_sort(&kernel->list);
}

int kernel_symbol_at(struct kernel *kernel, uint64_t addr, struct ksym_place *place)
{
	int ret;

	open_symbols(kernel, true);
	if (!bpf_ksyms_at(&kernel->bpf, addr, place))
		return 0;
	ret = kernel->packed ? 0 : keep_text(kernel, NULL);
	if (ret)
		return ret;
	sort(kernel);
	ret = kernel->packed ? kallsyms_image_at(&kernel->image, addr, place) : -ENOENT;
	return ret ? ksym_list_at(&kernel->list, addr, place) : 0;
}

static void find_symbol(struct kernel *kernel, struct ksym_wanted *wanted, const struct ksym_wanted *before, struct pool *strings)
{
	struct ksym_place place;

	wanted->ret = kernel_symbol_at(kernel, wanted->addr, &place);
	if (wanted->ret)
		return;
	wanted->start = place.start;
	wanted->module = place.module ? pool_add(strings, place.module) : NULL;
	wanted->name = before && !before->ret && before->start == place.start ? before->name : pool_add(strings, place.name);
}

void kernel_find_symbols(struct kernel *kernel, struct ksym_wanted *v, size_t n, struct pool *strings)
{
	struct ksym_place place;

	open_symbols(kernel, true);
	if (!kernel->packed && !kernel->was_kept)
		kallsyms_search(v, n, strings, &kernel->places);
	for (size_t i = 0; i < n; i++)
		if (kernel->packed || kernel->was_kept || !bpf_ksyms_at(&kernel->bpf, v[i].addr, &place))
			find_symbol(kernel, &v[i], i ? &v[i - 1] : NULL, strings);
}

static int ignore(const struct ksym *sym, bool function, void *ctx)
{
	return 0;
}

/* The text is read at most once for the place of the list. */
static void find_bpf(struct kernel *kernel)
{
	if (kernel->places.bpf_kallsyms || kernel->was_searched)
		return;
	kernel->was_searched = true;
	if (kernel->packed)
		kernel->places.bpf_kallsyms = kallsyms_image_address(&kernel->image, "bpf_kallsyms");
	else if (!kernel->was_passed && !kernel->was_kept)
		kallsyms_text_each(&kernel->places, ignore, NULL, NULL);
}

int kernel_read_bpf(struct kernel *kernel)
{
	open_symbols(kernel, true);
	if (!kernel->memory)
		return -ENOENT;
	find_bpf(kernel);
	return bpf_ksyms_read(&kernel->bpf, kernel->memory, kernel->places.bpf_kallsyms);
}

/* The first pass over the text, if it came to its end, has found where the records are. */
int kernel_each_record(struct kernel *kernel, void (*fn)(uint64_t addr, void *ctx), void *ctx)
{
	int ret = 0;

	if (!kernel->was_dropped)
		open_symbols(kernel, false);
	if (!kernel->memory)
		return -ENOENT;
	if (!kernel->packed && !kernel->places.ftrace_pages_start)
		ret = keep_text(kernel, NULL);
	if (!ret && !kernel->places.ftrace_pages_start)
		ret = -ENOENT;
	/* the caller has matched its patterns by now */
	if (!ret)
		drop_image(kernel);
	return ret ? ret : ftrace_records_each(kernel->memory, kernel->places.ftrace_pages_start, fn, ctx);
}
