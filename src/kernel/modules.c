// SPDX-License-Identifier: BSD-2-Clause
#include <fnmatch.h>

#include "kernel_files.h"
#include "lines.h"
#include "modules.h"

/* "NAME SIZE USERS USED-BY STATE 0xADDRESS" */
static void parse_line(char *line, struct module_line *module)
{
	char *size = strchrnul(line, ' '), *address = strstr(size, " 0x");

	module->name = line;
	module->size = strtoull(size, NULL, 10);
	module->addr = address ? strtoull(address, NULL, 16) : 0;
	*size = 0;
}

int modules_each(int (*fn)(const struct module_line *module, void *ctx), void *ctx)
{
	__free struct lines *lines = base_alloc(sizeof(*lines));
	__close int fd = kernel_open("/proc/modules", O_RDONLY);
	int error, ret;
	char *line;

	if (fd < 0)
		return 0;
	lines->fd = fd;
	while ((line = lines_next(lines, &error))) {
		struct module_line module;

		parse_line(line, &module);
		ret = fn(&module, ctx);
		if (ret)
			return ret;
	}
	return 0;
}

static int match(const struct module_line *module, void *name_glob)
{
	return !fnmatch(name_glob, module->name, 0);
}

bool kernel_module_loaded(const char *name_glob)
{
	return modules_each(match, (void *)name_glob);
}

struct named {
	int (*fn)(const char *name, void *ctx);
	void *ctx;
};

static int offer_name(const struct module_line *module, void *ctx)
{
	const struct named *named = ctx;

	return named->fn(module->name, named->ctx);
}

int kernel_each_module(int (*fn)(const char *name, void *ctx), void *ctx)
{
	struct named named = { fn, ctx };

	return modules_each(offer_name, &named);
}
