// SPDX-License-Identifier: BSD-2-Clause
/*
 * ends FILE...
 * How many functions of each file have ends that are known, as a table: functions, those that never return, those whose
 * ends are known and their share of the rest; of these, how many may leave for code that is not followed; the ends of one,
 * on average. Below a file's row: why the others are refused. Exits with 1 if a file cannot be read.
 */
#include "binary/binary_code.h"

struct reason {
	char text[96];
	const char *example;
	size_t n;
};

struct sums {
	size_t functions, never, known, leaves, ends;
	struct reason reasons[16];
};

static void add_reason(struct sums *sums, const char *text, const char *example)
{
	for (size_t i = 0; i < ARRAY_SIZE(sums->reasons); i++) {
		struct reason *reason = &sums->reasons[i];

		if (reason->n && strncmp(reason->text, text, sizeof(reason->text) - 1))
			continue;
		snprintf(reason->text, sizeof(reason->text), "%s", text);
		reason->example = example;
		reason->n++;
		return;
	}
}

static void add(struct sums *sums, struct binary *binary, const struct binary_symbol *function)
{
	struct binary_ends ends;
	struct err err = {};
	int ret;

	/* what is no function of its own cannot be called */
	if (function->ifunc || strstr(function->name, ".cold") || binary_check_entry(binary, function, NULL))
		return;
	sums->functions++;
	ret = binary_find_ends(binary, function, false, &ends, &err);
	if (ret == -ENODATA)
		sums->never++;
	else if (ret)
		add_reason(sums, err.text, function->name);
	if (ret)
		return;
	sums->known++;
	sums->leaves += ends.leaves;
	sums->ends += ends.n;
	free(ends.v);
}

static double percent(size_t part, size_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 100;
}

static int show(const char *path)
{
	struct binary *binary __cleanup(binary_closep) = NULL;
	const struct binary_symbol *symbols;
	struct sums sums = {};
	struct err err = {};
	size_t n;

	if (binary_open(NULL, path, &binary, &err) || binary_functions(binary, &symbols, &n, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	for (size_t i = 0; i < n; i++)
		if (!i || symbols[i].offset != symbols[i - 1].offset)
			add(&sums, binary, &symbols[i]);
	printf("%9zu %6zu %9zu %6.1f %% %7.1f %% %6.1f  %s\n", sums.functions, sums.never, sums.known,
	       percent(sums.known, sums.functions - sums.never), percent(sums.leaves, sums.known),
	       sums.known ? (double)sums.ends / (double)sums.known : 0, path);
	for (size_t i = 0; i < ARRAY_SIZE(sums.reasons) && sums.reasons[i].n; i++)
		printf("          %zu: %s, as of %s\n", sums.reasons[i].n, sums.reasons[i].text, sums.reasons[i].example);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	printf("FUNCTIONS  NEVER     KNOWN    SHARE    LEAVES  ENDS  FILE\n");
	for (int i = 1; i < argc; i++)
		failed |= show(argv[i]);
	return failed;
}
