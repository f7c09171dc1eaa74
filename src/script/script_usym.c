// SPDX-License-Identifier: BSD-2-Clause
/* Names user addresses by the mappings of their process and the symbols of the mapped file. */
#include "base/str.h"
#include "binary/binary.h"
#include "binary/demangle.h"
#include "binary/maps.h"
#include "script_usym.h"

void script_usyms_release(struct script_usyms *usyms)
{
	vec_each(name, &usyms->names)
		free(*name);
	free(usyms->names.v);
	set_release(&usyms->keys);
	*usyms = (struct script_usyms){};
}

struct search {
	uint64_t addr;
	char *path; /* out: of the file; NULL: the address is in none */
	uint64_t offset;
};

static int look_at(const struct mapping *m, void *ctx)
{
	struct search *search = ctx;

	if (search->addr < m->start || search->addr >= m->end)
		return 0;
	if (m->path[0] == '/')
		search->path = base_strdup(m->path);
	search->offset = search->addr - m->start + m->offset;
	return 1;
}

/* The file is opened as the process sees it. */
static char *read_name(pid_t pid, uint64_t addr, bool mangled)
{
	__free char *root = base_printf("/proc/%d/root", (int)pid), *path = NULL;
	__cleanup(binary_closep) struct binary *binary = NULL;
	struct search search = { .addr = addr };
	struct binary_place place = {};
	__str struct str text = {};
	char *name = NULL;
	const char *found;

	if (maps_each(pid, look_at, &search) != 1 || !search.path)
		return NULL;
	path = base_printf("%s%s", root, search.path);
	place.offset = search.offset;
	if (!binary_open(root, path, &binary, NULL) && !binary_find_places(binary, &place, 1, NULL, NULL) &&
	    place.function.name) {
		found = place.function.name;
		name = base_strdup(mangled || !demangle(found, DEMANGLE_PATH, &text) ? found : text.data);
	}
	free(search.path);
	return name;
}

const char *script_usyms_name(struct script_usyms *usyms, pid_t pid, uint64_t addr)
{
	const struct {
		uint64_t addr, pid;
	} key = { addr, pid };
	uint32_t number = set_add(&usyms->keys, &key, sizeof(key));

	if (number == usyms->names.n)
		*vec_push(&usyms->names) = pid ? read_name(pid, addr, usyms->mangled) : NULL;
	return usyms->names.v[number];
}
