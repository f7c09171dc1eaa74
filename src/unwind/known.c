// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which numbers a file has in the kernel is what the kernel shows of a mapping; when it was changed and how long it is, what
 * stat(2) says. Where stat(2) shows other numbers (overlayfs, btrfs), the key has those of the mapping.
 */
#include <sys/sysmacros.h>

#include <bpf/bpf.h>

#include "known.h"

/* Offsets and addresses that programs search are below this one. */
#define OFFSET_MAX (1ULL << 62)

int known_init(struct known *known, struct blocks *blocks, struct shares *shares, uint32_t n_max)
{
	*known = (struct known){ .blocks = blocks, .shares = shares, .part.keep = true };
	known->fd = bpf_map_create(BPF_MAP_TYPE_HASH, "unwind_files", sizeof(struct unwind_file_key),
				   sizeof(struct unwind_file), n_max, NULL);
	return known->fd < 0 ? -errno : 0;
}

void known_release(struct known *known)
{
	free(known->v);
	if (known->fd >= 0)
		close(known->fd);
	*known = (struct known){ .fd = -1 };
}

/* One mapping for each piece of the table, from where it begins to where the next one does; or one without a table. */
static void fill(struct unwind_mapping *to, size_t n, const struct module *module)
{
	const struct module_table *table = &module->table;

	for (size_t i = 0; i < n; i++) {
		const struct module_pages *pages = i < table->n ? &table->v[i] : NULL;

		to[i] = (struct unwind_mapping){
			.start = i ? (uint64_t)pages->page << UNWIND_PAGE_SHIFT : 0,
			.end = i + 1 < n ? (uint64_t)table->v[i + 1].page << UNWIND_PAGE_SHIFT : OFFSET_MAX,
			.module = module->shown.number,
		};
		if (!pages)
			continue;
		to[i].block = pages->block;
		to[i].first = pages->first;
		to[i].page = pages->page;
		to[i].n_pages = pages->n;
	}
}

/* Whether the module has a run, which is made once. */
static bool make_run(struct known *known, struct module *module)
{
	struct unwind_file *value = &module->listed.value;
	size_t n = module->table.n ? module->table.n : 1;
	struct blocks_piece piece;

	if (value->n)
		return true;
	if (!shares_left(known->shares, module->id.uid, USERS_FILES) || n > UNWIND_BLOCK_MAPPINGS ||
	    blocks_take(known->blocks, &known->part, n * sizeof(struct unwind_mapping), &piece))
		return false;
	shares_take(known->shares, module->id.uid, USERS_FILES, 1);
	fill(piece.memory, n, module);
	*value = (struct unwind_file){
		.block = piece.block,
		.first = piece.at / sizeof(struct unwind_mapping),
		.n = n,
	};
	return true;
}

void known_add(struct known *known, struct module *module, const struct file_id *id)
{
	struct module_listed *listed = &module->listed;

	if (!module->opened || (listed->value.n && file_id_same(&listed->id, id)) || !make_run(known, module))
		return;
	listed->id = *id;
	*vec_push(known) = (struct known_new){
		.key = {
			.inode = id->inode,
			.mtime = module->id.mtime,
			.size = module->id.size,
			.dev = major(id->dev) << 20 | minor(id->dev),
		},
		.value = listed->value,
	};
}

int known_publish(struct known *known)
{
	int ret = known->n ? blocks_show(known->blocks) : 0;

	if (ret)
		return ret;
	vec_each(new, known)
		bpf_map_update_elem(known->fd, &new->key, &new->value, BPF_ANY);
	known->n = 0;
	return 0;
}
