// SPDX-License-Identifier: BSD-2-Clause
/*
 * flame-draw TITLE [NOTE [OLD]] < FOLDED > SVG
 * Draws folded stacks; [disk] and the like are causes. With the file OLD it compares. Counts are samples; with the
 * environment variable TIMES they are microseconds.
 */
#include "base/write.h"
#include "output/baseline.h"

/* What threads wait for has a color. */
static void color(struct tree *tree)
{
	static const struct {
		const char *name;
		struct frame_color color;
	} causes[] = {
		{ "[processor]", { "#ff8f8f", "#a8323a" } },
		{ "[disk]", { "#ff9ad5", "#9c2f77" } },
		{ "[sleep]", { "#dcdf7a", "#65680f" } },
		{ "[not known for what]", { "#bba3c8", "#5f4a70" } },
	};

	vec_each(frame, &tree->made)
		for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
			if (!strcmp((*frame)->name, causes[i].name))
				(*frame)->color = &causes[i].color;
}

/* Stacks of a file as a run has them: a folded file of microseconds is one of times. */
static void use_times(struct tree *tree)
{
	vec_each(node, tree) {
		node->self.ns = node->self.count * 1000;
		node->self.count = 1;
	}
	tree_finish(tree);
}

int main(int argc, char **argv)
{
	struct files files = {};
	__str struct str s = {};
	struct err err = {};
	int error;

	if (argc < 2 || argc > 4) {
		fprintf(stderr, "usage: flame-draw TITLE [NOTE [OLD]] < FOLDED > SVG\n");
		return 2;
	}
	files.about = (struct files_about){ .title = argv[1], .counts = "samples", .lasted_ns = 10049000000 };
	files.about.note = argc > 2 && *argv[2] ? argv[2] : NULL;
	files.about.by_time = getenv("TIMES");
	if ((argc > 3 && baseline_open(&files, argv[3], &err)) || baseline_read(&files.tree, STDIN_FILENO, "stdin", &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (files.about.by_time)
		use_times(&files.tree);
	color(&files.tree);
	file_flame.add(&s, &files);
	files_release(&files);
	write_all(STDOUT_FILENO, s.data, s.len, &error);
	return !!error;
}
