// SPDX-License-Identifier: BSD-2-Clause
#include <search.h>

#include "base/search.h"
#include "base/str.h"
#include "traceable.h"

/* The address in ftrace's list is at most so many bytes after the symbol: endbr, bti and patchable nops are between. */
#define ENTRY_MAX 16

static void keep_string(void *text)
{
}

void traceable_release(struct traceable *traceable)
{
	tdestroy(traceable->names, keep_string);
	pool_release(&traceable->pool);
	free(traceable->addrs.v);
	*traceable = (struct traceable){};
}

static int compare_addresses(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

bool traceable_at(const struct traceable *traceable, uint64_t addr)
{
	const uint64_t *addrs = traceable->addrs.v;
	size_t at = search_first(i, traceable->addrs.n, addrs[i] >= addr);

	return at < traceable->addrs.n && addrs[at] - addr < ENTRY_MAX;
}

static int compare_listed(const void *pa, const void *pb)
{
	return strcmp(pa, pb);
}

static const char *listed_key(const char *name, const char *module, char *buf, size_t size)
{
	snprintf(buf, size, "%s\t%s", name, str_or_empty(module));
	return buf;
}

bool traceable_named(const struct traceable *traceable, const char *name, const char *module)
{
	char key[256];

	return traceable->names && tfind(listed_key(name, module, key, sizeof(key)), &traceable->names, compare_listed);
}

static void add_record(uint64_t addr, void *ctx)
{
	struct traceable *traceable = ctx;

	*vec_push(&traceable->addrs) = addr;
}

static int add_listed(const struct ksym *sym, void *ctx)
{
	struct traceable *traceable = ctx;
	char key[256];

	if (sym->addr) {
		add_record(sym->addr, traceable);
		return 0;
	}
	listed_key(sym->name, sym->module, key, sizeof(key));
	if (!tsearch(pool_add(&traceable->pool, key), &traceable->names, compare_listed))
		return -ENOMEM;
	return 0;
}

static int add_symbol(const struct ksym *sym, void *ctx)
{
	struct traceable *traceable = ctx;

	if (sym->addr && traceable_named(traceable, sym->name, sym->module))
		add_record(sym->addr, traceable);
	return 0;
}

static bool read_list(struct traceable *traceable, struct kernel *kernel, bool hidden)
{
	bool has_addr = !hidden;

	traceable_release(traceable);
	if (kernel_each_traceable(add_listed, traceable, &has_addr, NULL))
		return false;
	return has_addr || hidden || !kernel_each_symbol(kernel, add_symbol, traceable, NULL);
}

void traceable_read(struct traceable *traceable, struct kernel *kernel, bool hidden)
{
	traceable->known = !kernel_each_record(kernel, add_record, traceable) || read_list(traceable, kernel, hidden);
	if (traceable->addrs.n)
		qsort(traceable->addrs.v, traceable->addrs.n, sizeof(*traceable->addrs.v), compare_addresses);
}
