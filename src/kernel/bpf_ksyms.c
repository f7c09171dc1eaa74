// SPDX-License-Identifier: BSD-2-Clause
#include "base/search.h"
#include "bpf_ksyms.h"

/* More than any kernel has: memory that is not, or no longer, such a list could be read for ever. */
#define MAX_KSYMS (1 << 16)

static size_t first_behind(const struct bpf_ksyms *ksyms, uint64_t addr)
{
	return search_first(i, ksyms->n, ksyms->v[i].end > addr);
}

/* Replaces what was there before. */
static void add(struct bpf_ksyms *ksyms, uint64_t start, uint64_t end, const char *name)
{
	size_t at = first_behind(ksyms, start), old = at;

	while (old < ksyms->n && ksyms->v[old].start < end)
		old++;
	if (old == at + 1 && ksyms->v[at].start == start && ksyms->v[at].end == end && !strcmp(ksyms->v[at].name, name))
		return;
	vec_push(ksyms);
	memmove(ksyms->v + at + 1, ksyms->v + old, (ksyms->n - 1 - old) * sizeof(*ksyms->v));
	ksyms->n -= old - at;
	ksyms->v[at] = (struct bpf_ksym){ start, end, pool_add(&ksyms->names, name) };
}

static int read_one(struct bpf_ksyms *ksyms, const struct memory *memory, uint64_t at)
{
	const struct memory_layout *layout = &memory->layout;
	char name[KSYM_NAME_MAX] = "";
	uint64_t start = 0, end = 0;
	int ret = memory_copy(memory, at + layout->ksym_start, &start, sizeof(start));

	if (!ret)
		ret = memory_copy(memory, at + layout->ksym_end, &end, sizeof(end));
	/* its size differs between kernels; nothing in it is left out, as the list follows it */
	if (!ret)
		ret = memory_copy(memory, at + layout->ksym_name, name,
				  layout->ksym_list - layout->ksym_name < sizeof(name) ? layout->ksym_list - layout->ksym_name
										       : sizeof(name));
	if (!ret && (start >= end || name[sizeof(name) - 1]))
		ret = -EINVAL;
	if (!ret)
		add(ksyms, start, end, name);
	return ret;
}

int bpf_ksyms_read(struct bpf_ksyms *ksyms, const struct memory *memory, uint64_t list)
{
	uint64_t at;
	int ret = memory->layout.ksym_list && list ? memory_copy(memory, list, &at, sizeof(at)) : -ENOENT;

	for (int n = 0; !ret && at != list; n++) {
		uint64_t ksym = at - memory->layout.ksym_list;

		ret = n == MAX_KSYMS ? -EINVAL : memory_copy(memory, at, &at, sizeof(at));
		if (!ret)
			ret = read_one(ksyms, memory, ksym);
	}
	return ret;
}

int bpf_ksyms_at(const struct bpf_ksyms *ksyms, uint64_t addr, struct ksym_place *place)
{
	size_t at = first_behind(ksyms, addr);

	if (at == ksyms->n || addr < ksyms->v[at].start)
		return -ENOENT;
	snprintf(place->name, sizeof(place->name), "%s", ksyms->v[at].name);
	place->module = "bpf";
	place->start = ksyms->v[at].start;
	place->end = ksyms->v[at].end;
	return 0;
}

void bpf_ksyms_release(struct bpf_ksyms *ksyms)
{
	free(ksyms->v);
	pool_release(&ksyms->names);
	*ksyms = (struct bpf_ksyms){};
}
