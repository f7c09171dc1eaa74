// SPDX-License-Identifier: BSD-2-Clause
/*
 * Probes of bcc's argdist and trace and the programs they become, or what the compiler says about them:
 * tests/lang/bcc/{argdist,hist,trace,bytes}.txt. A case is
 *	=== what it is about
 *	the probe
 *	---
 *	the program without its configuration, or the messages; and an empty line
 */
#include <criterion/criterion.h>

#include "kernel/kernel.h"
#include "lang/bcc/bcc.h"

static void compile(const char *kind, const char *text, struct str *to)
{
	struct kernel *kernel __cleanup(kernel_freep) = kernel_new();
	const struct lang_options options = {
		.features = { true, true, true, true, true, true, true, true, true, true, true, true },
		.kernel = kernel,
		.n_cpus = 1,
		.n_shards = 1,
	};
	struct bcc_probe probe = { .text = text, .is_hist = !strcmp(kind, "hist") };
	struct bcc_request request = {
		.probes = &probe, .n = 1, .traces = *kind == 't' || *kind == 'b', .binary = *kind == 'b'
	};
	struct lang_program *program = bcc_compile(&request, &options);

	lang_messages_show(&program->messages, &program->sources, true, to);
	/* There is no kernel here: the program is right as far as it can be known without its functions. */
	if (request.program && (strstr(str_or_empty(to->data), ": cannot ") ||
				strstr(str_or_empty(to->data), ": the kernel offers no BTF"))) {
		str_reset(to);
		str_add(to, strchr(request.program, '\n') + 1);
	}
	lang_program_free(program);
}

/* The text up to a mark; *at moves behind it. */
static char *take(const char **at, const char *end)
{
	const char *found = strstr(*at, end);
	char *text;

	cr_assert(found, "a case has no '%s'", end);
	text = base_strndup(*at, found - *at);
	*at = found + strlen(end);
	return text;
}

static void check_file(const char *kind, size_t least)
{
	char *path __free = base_printf("tests/lang/bcc/%s.txt", kind), *text __free = NULL;
	FILE *file __fclose = fopen(path, "r");
	size_t size = 0, n = 0, wrong = 0;
	const char *at;

	cr_assert(file && getdelim(&text, &size, 0, file) > 0, "%s", path);
	kernel_set_root("/nonexistent");
	for (at = strstr(text, "=== "); at; at = strstr(at, "\n=== "), n++) {
		char *title __free = NULL, *probe __free = NULL, *wanted __free = NULL;
		const char *next;
		struct str got __str = {};

		at += strcspn(at, "=") + 4;
		title = take(&at, "\n");
		probe = take(&at, "\n---\n");
		next = strstr(at, "\n=== ");
		wanted = next ? base_strndup(at, next - at) : base_strdup(at);
		compile(kind, probe, &got);
		if (!strcmp(str_or_empty(got.data), wanted))
			continue;
		wrong++;
		fprintf(stderr, "%s: %s\n%s\n--- wanted:\n%s--- got:\n%s\n", path, title, probe, wanted,
			str_or_empty(got.data));
	}
	cr_assert_geq(n, least, "%zu cases", n);
	cr_assert_eq(wrong, 0, "%zu of %zu cases", wrong, n);
}

Test(lang_bcc, argdist)
{
	check_file("argdist", 20);
}

Test(lang_bcc, hist)
{
	check_file("hist", 5);
}

Test(lang_bcc, trace)
{
	check_file("trace", 20);
}

Test(lang_bcc, bytes)
{
	check_file("bytes", 3);
}
