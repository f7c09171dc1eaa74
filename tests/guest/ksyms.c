// SPDX-License-Identifier: BSD-2-Clause
/*
 * ksyms [N]	looks up about N symbols of the running kernel and all of its modules in a session (src/kernel/kernel.h),
 *		by address and by name, and compares each result with /proc/kallsyms
 *
 * Also all BPF programs and trampolines. Prints the differences, and "A addresses, M of modules, N names, B of BPF". Exits
 * 1 if something differs.
 */
#include <err.h>

#include "base/pool.h"
#include "kernel/kernel.h"

struct line {
	uint64_t addr;
	size_t number; /* in the file */
	char type, name[KSYM_NAME_MAX], module[64];
};

static struct {
	vec(struct line);
} lines;

static size_t differ;

static void read_lines(void)
{
	FILE *file __fclose = fopen("/proc/kallsyms", "r");
	char text[1024];

	if (!file)
		errx(1, "cannot read /proc/kallsyms");
	while (fgets(text, sizeof(text), file)) {
		struct line *line = vec_push(&lines);
		unsigned long long addr;

		if (sscanf(text, "%llx %c %511s [%63[^]]", &addr, &line->type, line->name, line->module) < 3)
			errx(1, "what is '%s'?", text);
		line->addr = addr;
		line->number = lines.n;
	}
}

static int by_address(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

/* The kernel lists BPF programs and its own trampolines as functions of modules, too. */
static bool is_function(const struct line *line)
{
	return strchr("tTwW", line->type) && strcmp(line->module, "bpf") && strncmp(line->module, "__builtin__", 11) &&
	       strcmp(line->name, "_etext") && strcmp(line->name, "_einittext");
}

static void expect(struct kernel *kernel, const struct line *line, uint64_t addr)
{
	struct ksym_place place;

	if (kernel_symbol_at(kernel, addr, &place)) {
		printf("%llx: nothing, and not %s\n", (unsigned long long)addr, line->name);
		differ++;
	} else if (strcmp(place.name, line->name) || strcmp(place.module ?: "", line->module) ||
		   place.start != line->addr) {
		printf("%llx: %s of '%s' from %llx, and not %s of '%s' from %llx\n", (unsigned long long)addr,
		       place.name, place.module ?: "", (unsigned long long)place.start, line->name, line->module,
		       (unsigned long long)line->addr);
		differ++;
	}
}

/* Sums are compared: of all addresses, and how many are of modules. */
static int add(const struct ksym *sym, void *sum)
{
	*(uint64_t *)sum += sym->addr + !!sym->module;
	return 0;
}

static void expect_named(struct kernel *kernel, const struct line *line)
{
	uint64_t want = 0, have = 0;

	for (size_t i = 0; i < lines.n; i++)
		if (!strcmp(lines.v[i].name, line->name) && is_function(&lines.v[i]))
			want += lines.v[i].addr + !!lines.v[i].module[0];
	if (!kernel_each_named(kernel, line->name, add, &have, NULL) && have == want)
		return;
	printf("%s: %llx, and not %llx\n", line->name, (unsigned long long)have, (unsigned long long)want);
	differ++;
}

/* An address that data begins at, or lies behind: no function. */
static void expect_none(struct kernel *kernel, const struct line *line)
{
	struct ksym_place place;

	if (kernel_symbol_at(kernel, line->addr, &place))
		return;
	printf("%llx: %s, and not nothing, for %s is data\n", (unsigned long long)line->addr, place.name, line->name);
	differ++;
}

/* The first function of its address: of the symbols of one address, which are [first, end). */
static const struct line *function_of(size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (is_function(&lines.v[i]))
			return &lines.v[i];
	return NULL;
}

/* Returns how many there were. Before they are read, their addresses are in no function. */
static size_t expect_bpf(struct kernel *kernel)
{
	struct ksym_place place;
	size_t n = 0;

	for (size_t i = 0; i < lines.n; i++)
		if (!strcmp(lines.v[i].module, "bpf"))
			expect_none(kernel, &lines.v[i]);
	if (kernel_read_bpf(kernel) || kernel_read_bpf(kernel))
		differ++;
	for (size_t i = 0; i < lines.n; i++) {
		if (strcmp(lines.v[i].module, "bpf"))
			continue;
		expect(kernel, &lines.v[i], lines.v[i].addr);
		expect(kernel, &lines.v[i], lines.v[i].addr + 16);
		if (!kernel_symbol_at(kernel, lines.v[i].addr, &place) && !kernel_symbol_at(kernel, place.end, &place) &&
		    place.start == lines.v[i].addr)
			differ++;
		n++;
	}
	return n;
}

static struct {
	vec(struct ksym_wanted);
} places;

/* Another session finds all of them at once, where it can without keeping the symbols. */
static void expect_together(struct kernel *kernel)
{
	struct kernel *other __cleanup(kernel_freep) = kernel_new();
	struct pool strings = {};
	struct ksym_place place;

	kernel_find_symbols(other, places.v, places.n, &strings);
	vec_each(it, &places) {
		int ret = kernel_symbol_at(kernel, it->addr, &place);

		if (ret == it->ret && (ret || (!strcmp(it->name, place.name) && it->start == place.start &&
					       !strcmp(it->module ?: "", place.module ?: ""))))
			continue;
		printf("%llx: %d %s, and not %d %s\n", (unsigned long long)it->addr, it->ret, it->ret ? "" : it->name, ret,
		       ret ? "" : place.name);
		differ++;
	}
	pool_release(&strings);
	free(places.v);
}

int main(int argc, char **argv)
{
	size_t wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000, step, addresses = 0, modules = 0, names = 0, end;
	struct kernel *kernel __cleanup(kernel_freep) = kernel_new();

	read_lines();
	qsort(lines.v, lines.n, sizeof(*lines.v), by_address);
	step = lines.n / wanted + 1;
	for (size_t i = 0; i < lines.n; i = end) {
		const struct line *line;
		uint64_t size;

		for (end = i + 1; end < lines.n && lines.v[end].addr == lines.v[i].addr; end++)
			;
		line = function_of(i, end);
		if (!lines.v[i].addr || end == lines.n || (i % step && !lines.v[i].module[0]))
			continue;
		size = lines.v[end].addr - lines.v[i].addr;
		vec_push(&places)->addr = lines.v[i].addr + size / 2;
		if (!line) {
			expect_none(kernel, &lines.v[i]);
			continue;
		}
		addresses++;
		modules += !!line->module[0];
		expect(kernel, line, line->addr);
		/* the code of a module may end before the next symbol, which is data */
		if (!line->module[0] || (!strcmp(line->module, lines.v[end].module) && is_function(&lines.v[end]))) {
			expect(kernel, line, line->addr + size / 2);
			expect(kernel, line, line->addr + size - 1);
		}
		if (addresses % 10 == 0 && ++names)
			expect_named(kernel, line);
	}
	expect_together(kernel);
	printf("%zu addresses, %zu of modules, %zu names", addresses, modules, names);
	printf(", %zu of BPF\n", expect_bpf(kernel));
	return differ > 0;
}
