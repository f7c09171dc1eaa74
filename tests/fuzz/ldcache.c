// SPDX-License-Identifier: BSD-2-Clause
/* Fuzzes the parser of /etc/ld.so.cache. */
#include "fuzz.h"
#include "binary/ldcache.h"

static int look(const char *name, const char *path, int level, void *ctx)
{
	fuzz_look(name);
	fuzz_look(path);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;

	fuzz_write(&file, data, size);
	ldcache_each(NULL, file.path, look, NULL);
	return 0;
}
