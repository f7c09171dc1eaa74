// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the code at an address of a process, and parses its file, within limits: others wait meanwhile, and nobody named
 * the file. The last files stay parsed.
 */
#include "base/clock.h"
#include "learn.h"
#include "binary/binary.h"

/*
 * How much of a file is read, and decoded: of root's, and of those that others have made. Symbols take about three times
 * that. Of the latter one stays parsed.
 */
#define ROOTS_BYTES  (256 << 20)
#define OTHERS_BYTES (16 << 20)

/* A file that a program serves answers when that program wants. */
static int look_at(const struct mapping *m, void *ctx)
{
	struct learn_code *code = ctx;

	if (code->address < m->start || code->address >= m->end)
		return 0;
	if (!m->exec || !m->inode || module_file_is_served(code->pid, m->dev) ||
	    module_file_open(&code->file, code->pid, m))
		code->file.fd = -1;
	code->offset = code->address - m->start + m->offset;
	return 1;
}

int learn_find_code(struct learn_code *code)
{
	code->file = (struct module_file){ .fd = -1 };
	maps_each(code->pid, look_at, code);
	return code->file.fd < 0 ? -ENOENT : 0;
}

static void forget(struct learn_file *file)
{
	binary_close(file->binary);
	*file = (struct learn_file){};
}

/* The place of a new one: a free one, else that of the oldest. Files of others than root have the first. */
static struct learn_file *place_for(struct learned *learned, uid_t uid)
{
	struct learn_file *oldest = uid ? &learned->files[0] : &learned->files[1];

	for (size_t i = 2; !uid && i < LEARN_FILES_MAX; i++)
		if (learned->files[i].used < oldest->used)
			oldest = &learned->files[i];
	return oldest;
}

struct binary *learn_file(struct learned *learned, const struct module_file *file, struct err *err)
{
	struct learn_file *to = NULL;
	char path[32];

	for (size_t i = 0; i < LEARN_FILES_MAX; i++)
		if (learned->files[i].binary && module_file_same(&learned->files[i].id, &file->id))
			to = &learned->files[i];
	if (!to) {
		to = place_for(learned, file->id.uid);
		forget(to);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
		if (binary_open_fd(NULL, path, file->fd, &to->binary, err))
			return NULL;
		to->id = file->id;
		binary_keep_small(to->binary, file->id.uid ? OTHERS_BYTES : ROOTS_BYTES);
	}
	to->used = ++learned->files_used;
	return to->binary;
}

void learn_files_release(struct learned *learned)
{
	for (size_t i = 0; i < LEARN_FILES_MAX; i++)
		forget(&learned->files[i]);
}
