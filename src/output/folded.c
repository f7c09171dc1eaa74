// SPDX-License-Identifier: BSD-2-Clause
/* Folded stacks: a line for each distinct stack, "task;root;...;innermost WEIGHT". */
#include "files.h"
#include "folded.h"

void folded_add_name(struct str *s, const struct frame *frame, bool annotated)
{
	const char *name = frame_name(frame), *end;

	for (; (end = strchr(name, ';')); name = end + 1) {
		str_add_shown(s, name, end - name);
		str_add(s, "\\x3b");
	}
	str_add_shown(s, name, strlen(name));
	if (annotated && frame->kind == FRAME_KERNEL)
		str_add(s, "_[k]");
}

void folded_add_stack(struct str *s, const struct frame *const *frames, size_t n)
{
	while (n) {
		folded_add_name(s, frames[--n], false);
		if (n)
			str_addc(s, ';');
	}
}

static void folded_add(struct str *s, const struct files *files)
{
	const struct frame *path[TREE_DEPTH];

	for (uint32_t node = tree_next(&files->tree, 0); node; node = tree_next(&files->tree, node)) {
		uint64_t weight = files_weight(files, &files->tree.v[node].self);
		size_t depth;

		if (!weight)
			continue;
		depth = tree_path(&files->tree, node, path);
		for (size_t i = 0; i < depth; i++) {
			if (i)
				str_addc(s, ';');
			folded_add_name(s, path[i], files->annotated);
		}
		str_addc(s, ' ');
		str_add_u64(s, weight);
		str_addc(s, '\n');
	}
}

const struct file_format file_folded = { .name = "folded", .add = folded_add };
