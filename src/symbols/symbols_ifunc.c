// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names the implementations of IFUNCs in files without local symbols: in a stripped libc, memcpy is the name of a
 * resolver, and the code that runs has no symbol. It gets the name by which the loader binds callers to it on this
 * machine.
 */
#include "base/search.h"
#include "binary/binary.h"
#include "symbols_part.h"

struct ifuncs {
	vec(struct binary_ifunc);
};

/* By place; the preferred name of a place comes first. Those that were not found come last. */
static int compare(const void *pa, const void *pb)
{
	const struct binary_ifunc *a = pa, *b = pb;

	if (!a->failed != !b->failed)
		return a->failed ? 1 : -1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return binary_compare_names(a->symbol, b->symbol);
}

/* Resolves once for a file: it may start a process (binary/asker.h). */
static void resolve(struct symbols *symbols, struct binary *binary, struct symbols_file *file)
{
	const struct binary_symbol *functions;
	struct ifuncs ifuncs = {};
	size_t n;

	file->resolved = true;
	if (!binary_hides_implementations(binary) || binary_functions(binary, &functions, &n, NULL))
		return;
	for (size_t i = 0; i < n; i++)
		if (functions[i].ifunc)
			vec_push(&ifuncs)->symbol = &functions[i];
	if (ifuncs.n) {
		binary_resolve_ifuncs(binary, 0, ifuncs.v, ifuncs.n);
		qsort(ifuncs.v, ifuncs.n, sizeof(*ifuncs.v), compare);
	}
	vec_each(ifunc, &ifuncs) {
		if (ifunc->failed)
			break;
		if (!file->n || file->v[file->n - 1].offset != ifunc->offset)
			*vec_push(file) = (struct symbols_implementation){
				ifunc->offset, pool_add(&symbols->strings, ifunc->symbol->name)
			};
	}
	free(ifuncs.v);
}

static struct symbols_file *find_file(struct symbols *symbols, uint16_t module)
{
	struct symbols_file *file;

	vec_each(it, &symbols->files)
		if (it->module == module)
			return it;
	file = vec_push(&symbols->files);
	file->module = module;
	return file;
}

const char *symbols_implementation_at(struct symbols *symbols, struct binary *binary, uint16_t module, uint64_t start)
{
	struct symbols_file *file = find_file(symbols, module);
	size_t at;

	if (!file->resolved)
		resolve(symbols, binary, file);
	at = search_first(i, file->n, file->v[i].offset >= start);
	return at < file->n && file->v[at].offset == start ? file->v[at].name : NULL;
}

void symbols_release_files(struct symbols *symbols)
{
	vec_each(file, &symbols->files)
		free(file->v);
	free(symbols->files.v);
}
