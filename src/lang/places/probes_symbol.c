// SPDX-License-Identifier: BSD-2-Clause
/* Symbols of the binary that a probe is in: uaddr(). */
#include "binary/binary.h"
#include "probes.h"

static int find(struct binary *binary, const struct target *target, const char *name, struct lang_symbol *symbol,
		struct err *err)
{
	const struct binary_symbol *functions;
	uint64_t place;
	size_t n;
	int ret;

	binary_functions(binary, &functions, &n, NULL); /* opens the debug file, if the symbols are there */
	ret = binary_find_object(binary, name, &symbol->at, &symbol->size);
	if (ret == -ENOTSUP)
		return err_set(err, ret, "each thread has its own '%s': it has no one address", name);
	if (ret)
		return err_set(err, ret, "%s has no symbol '%s'", target->object, name);
	symbol->is_fixed = binary_is_fixed(binary);
	if (symbol->is_fixed)
		return 0;
	ret = binary_vaddr_of(binary, target->addr, &place);
	if (ret)
		return err_set(err, ret, "%s: the probe is in no segment of code", target->object);
	symbol->at -= place;
	return 0;
}

int lang_symbol_of(const struct target *target, const char *name, struct lang_symbol *symbol, struct err *err)
{
	struct binary *binary;
	int ret = binary_open_fd(NULL, target->object, target->file, &binary, err);

	if (ret)
		return ret;
	ret = find(binary, target, name, symbol, err);
	binary_close(binary);
	return ret;
}
