// SPDX-License-Identifier: BSD-2-Clause
/* src/symbols/: names in the system's files, compared with readelf's tables. */
#include "symbols_fixture.h"

TestSuite(symbols_truth, .init = fixture_init);

struct truth {
	struct truth_symbol {
		uint64_t start, size;
		char *name;
	} * v;
	size_t n, cap;
};

/* Adds the functions that readelf lists. */
static void read_truth(struct truth *truth, const char *path)
{
	char *command __free = base_printf("readelf -sW '%s' 2>&1", path);
	char line[8192], size[32], type[32], index[32], name[4096];
	FILE *out = popen(command, "r");

	cr_assert(out);
	while (fgets(line, sizeof(line), out)) {
		unsigned long long value;

		if (sscanf(line, " %*u: %llx %31s %31s %*s %*s %31s %4095s", &value, size, type, index, name) != 5)
			continue;
		if ((strcmp(type, "FUNC") && strcmp(type, "IFUNC")) || !strcmp(index, "UND"))
			continue;
		name[1 + strcspn(name + 1, "@")] = 0;
		*vec_push(truth) = (struct truth_symbol){ value, strtoull(size, NULL, 0),
							  base_printf("%s%s", name, *type == 'I' ? "@resolver" : "") };
	}
	cr_assert_eq(pclose(out), 0);
}

static void truth_release(struct truth *truth)
{
	vec_each(symbol, truth)
		free(symbol->name);
	free(truth->v);
}

/* Whether an IFUNC has the name: what it is bound to has no symbol. */
static bool is_bound(const struct truth *truth, const char *name)
{
	char *resolver __free = base_printf("%s@resolver", name);

	vec_each(symbol, truth)
		if (!strcmp(symbol->name, resolver))
			return true;
	return false;
}

/* Whether a name that was given is true: a symbol that covers the place, or none if none does. */
static bool is_true(const struct truth *truth, const struct frame *frame, bool *is_symbol)
{
	bool covered = false, sizeless = false;

	*is_symbol = !strstr(frame->name, "+fn@0x") && !strstr(frame->name, "+0x") && !strstr(frame->name, "+plt") &&
		     !strstr(frame->name, "@plt");
	vec_each(symbol, truth) {
		bool covers = frame->address - symbol->start < symbol->size;

		covered |= covers;
		if (covers && !strcmp(symbol->name, frame->name))
			return true;
		sizeless |= !symbol->size && symbol->start == frame->start && !strcmp(symbol->name, frame->name);
	}
	return *is_symbol ? !covered && (sizeless || is_bound(truth, frame->name)) : !covered;
}

static void compare_with_readelf(const char *file)
{
	char *path __free = realpath(file, NULL);
	struct truth truth __cleanup(truth_release) = {};
	const struct binary_symbol *functions;
	const struct frame *frames[4000];
	size_t n, named = 0, total = 0;
	uint64_t random = 1;

	if (!path)
		return;
	begin(path, (struct symbols_options){ .mangled = true });
	cr_assert_eq(binary_functions(binary, &functions, &n, NULL), 0);
	read_truth(&truth, path);
	if (*binary_source(binary) == '/')
		read_truth(&truth, binary_source(binary));
	while (total < ARRAY_SIZE(frames)) {
		uint64_t from = functions[0].offset, to = functions[n - 1].offset, vaddr;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		if (!binary_vaddr_of(binary, from + (random >> 16) % (to - from), &vaddr))
			frames[total++] = symbols_user(symbols, 0, FRAME(7, from + (random >> 16) % (to - from)));
	}
	cr_expect_eq(symbols_name(symbols), 0);
	for (size_t i = 0; i < total; i++) {
		bool is_symbol;

		cr_expect(is_true(&truth, frames[i], &is_symbol), "%s: 0x%llx is not %s", path,
			  (unsigned long long)frames[i]->address, frames[i]->name);
		named += is_symbol;
	}
	cr_log_info("%s: %zu of %zu places have names", path, named, total);
	cr_expect_gt(named, total / 20);
	done();
}

Test(symbols_truth, of_the_system)
{
	compare_with_readelf("/bin/bash");
	module.root = fixture_dir;
	compare_with_readelf(LIBS "libc.so.6");
	module.root = NULL;
	compare_with_readelf("/proc/self/exe");
	compare_with_readelf(LIBS "libc.so.6");
	compare_with_readelf(LIBS "libcrypto.so.3");
	compare_with_readelf(LIBS "libstdc++.so.6");
	compare_with_readelf("/usr/bin/python3.11");
	compare_with_readelf("/usr/bin/node");
}
