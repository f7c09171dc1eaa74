// SPDX-License-Identifier: BSD-2-Clause
/* Fuzzes the reader of folded stacks and drawing them. A byte 0xff separates the profile from the one before. */
#include "fuzz.h"
#include "output/baseline.h"

static void read_piece(struct tree *tree, struct fuzz_piece piece)
{
	static struct fuzz_file file;
	struct err err = {};

	fuzz_write(&file, piece.data, piece.size);
	lseek(file.fd, 0, SEEK_SET);
	if (baseline_read(tree, file.fd, "folded", &err) && !err.text[0])
		abort();
}

/* What names could break out with is escaped: each "<" in the picture begins one of our elements, and no byte is a control. */
static void check(const char *text)
{
	static const char *const elements[] = { "g ", "/g>", "title>", "/title>", "text ", "/text>", "rect ", "!", "?", "svg ", "/svg>",
						"style>", "/style>", "script>", "/script>" };
	const char *script = strstr(text, "<script>");

	for (const char *p = text; p < script; p++) {
		bool known = *p != '<';

		for (size_t i = 0; i < ARRAY_SIZE(elements) && !known; i++)
			known = !strncmp(p + 1, elements[i], strlen(elements[i]));
		if (!known || ((unsigned char)*p < ' ' && *p != '\n'))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct files files = { .about = { .title = "fuzz", .counts = "samples" } };
	__str struct str s = {};

	read_piece(&files.tree, fuzz_next_piece(&data, &size));
	files.compared = size ? "old" : NULL;
	read_piece(&files.old, (struct fuzz_piece){ data, size });
	file_flame.add(&s, &files);
	check(s.data);
	files_release(&files);
	return 0;
}
