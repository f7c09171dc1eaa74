// SPDX-License-Identifier: BSD-2-Clause
/*
 * Wrong programs and what the compiler says about them: tests/lang/errors/NAME.txt. In these files, a case is
 *	=== what is wrong
 *	the program
 *	---
 *	the messages, and an empty line
 */
#include <criterion/criterion.h>
#include <dirent.h>

#include "kernel/kernel.h"
#include "lang/lang.h"

#define DIRECTORY "tests/lang/errors"

struct tally {
	size_t n, wrong;
};

static void compile(const char *text, size_t len, struct str *messages)
{
	static const char *const positional[] = { "first" };
	struct kernel *kernel __cleanup(kernel_freep) = kernel_new();
	struct lang_options options = {
		.features = { true, true, true, true, true, true, true, true, true, true, true, true },
		.kernel = kernel,
		.positional = positional,
		.n_positional = 1,
		.n_cpus = 1,
		.n_shards = 1,
	};
	struct lang_program *program;

	program = lang_compile("stdin", text, len, &options);
	lang_messages_show(&program->messages, &program->sources, true, messages);
	lang_program_free(program);
}

/* The text between two marks; *at moves behind the second. Both are NULL: there is none. */
static char *take(const char **at, const char *end)
{
	const char *found = strstr(*at, end);
	char *text = NULL;

	if (!found)
		return NULL;
	text = base_strndup(*at, found - *at);
	*at = found + strlen(end);
	return text;
}

static void check_case(const char *file, const char **at, struct tally *tally)
{
	char *title __free = take(at, "\n"), *program __free = take(at, "\n---\n"), *wanted __free = NULL;
	const char *next = strstr(*at, "\n=== ");
	struct str messages __str = {};

	cr_assert(title && program, "%s: a case has no program", file);
	wanted = next ? base_strndup(*at, next - *at) : base_strdup(*at);
	compile(program, strlen(program), &messages);
	tally->n++;
	if (!strcmp(str_or_empty(messages.data), wanted))
		return;
	tally->wrong++;
	fprintf(stderr, "%s: %s\n%s\n--- wanted:\n%s--- got:\n%s\n", file, title, program, wanted,
		str_or_empty(messages.data));
}

static void check_file(const char *name, struct tally *tally)
{
	char *path __free = base_printf(DIRECTORY "/%s", name), *text __free = NULL;
	FILE *file __fclose = fopen(path, "r");
	const char *at;
	size_t size = 0;

	cr_assert(file && getdelim(&text, &size, 0, file) > 0, "%s", path);
	/* Each case but the last ends with an empty line, whose newline belongs to the next one's mark. */
	for (at = strstr(text, "=== "); at; at = strstr(at, "\n=== ")) {
		at += strcspn(at, "=") + 4;
		check_case(name, &at, tally);
	}
}

Test(lang_errors, messages)
{
	DIR *dir = opendir(DIRECTORY);
	struct tally tally = {};
	struct dirent *entry;

	cr_assert(dir, "run this in the top directory");
	kernel_set_root("/nonexistent");
	while ((entry = readdir(dir)))
		if (strstr(entry->d_name, ".txt"))
			check_file(entry->d_name, &tally);
	closedir(dir);
	cr_assert_geq(tally.n, 140, "%zu cases", tally.n);
	cr_assert_eq(tally.wrong, 0, "%zu of %zu cases", tally.wrong, tally.n);
}
