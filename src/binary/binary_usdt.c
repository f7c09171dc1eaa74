// SPDX-License-Identifier: BSD-2-Clause
/*
 * The USDT probes of an ELF file, which <sys/sdt.h> records in notes. Reads the place, the semaphore and the
 * argument string of each; does not parse that string.
 */
#include "binary_part.h"

#define NT_STAPSDT 3

struct probes {
	struct binary *binary;
	uint64_t base; /* current address of .stapsdt.base, 0 without one */
	vec(struct binary_usdt);
};

/* The next string of a note; NULL if it has no end inside the note. */
static const char *next_string(const char **at, const char *end)
{
	const char *s = *at;
	const char *nul = memchr(s, 0, (size_t)(end - s));

	if (!nul)
		return NULL;
	*at = nul + 1;
	return s;
}

/*
 * A note holds three addresses (place, .stapsdt.base when linked, semaphore or 0) and three strings. If prelink
 * moved the file, the base section moved with it: the difference corrects the addresses.
 */
static int add_probe(void *ctx, const char *desc, size_t len)
{
	const char *at = desc + 3 * sizeof(uint64_t), *end = desc + len;
	struct probes *probes = ctx;
	struct binary_usdt probe = { 0 };
	uint64_t addr[3], moved;

	if (len < sizeof(addr))
		return -EBADMSG;
	memcpy(addr, desc, sizeof(addr));
	if (!addr[0]) /* the linker dropped the code (--gc-sections) */
		return 0;
	probe.provider = next_string(&at, end);
	probe.name = probe.provider ? next_string(&at, end) : NULL;
	probe.args = probe.name ? next_string(&at, end) : NULL;
	if (!probe.args || !*probe.provider || !*probe.name)
		return -EBADMSG;
	moved = probes->base && addr[1] ? probes->base - addr[1] : 0;
	if (binary_offset_of(probes->binary, addr[0] + moved, true, &probe.offset))
		return -EBADMSG;
	if (addr[2] && binary_offset_of(probes->binary, addr[2] + moved, false, &probe.semaphore))
		return -EBADMSG;
	*vec_push(probes) = probe;
	return 0;
}

static int compare_probes(const void *pa, const void *pb)
{
	const struct binary_usdt *a = pa, *b = pb;
	int ret = strcmp(a->provider, b->provider);

	if (!ret)
		ret = strcmp(a->name, b->name);
	return ret ? ret : (a->offset > b->offset) - (a->offset < b->offset);
}

static int read_probes(struct binary *binary, struct err *err)
{
	struct probes probes = { .binary = binary };
	Elf_Scn *scn;
	GElf_Shdr shdr;
	int ret;

	if (!binary_image_section(&binary->file, ".stapsdt.base", &scn, &shdr))
		probes.base = shdr.sh_addr;
	ret = binary_each_note(&binary->file, ".note.stapsdt", "stapsdt", NT_STAPSDT, add_probe, &probes);
	if (ret) {
		free(probes.v);
		return err_set(err, ret, "%s: its USDT notes are damaged", binary->path);
	}
	if (probes.n)
		qsort(probes.v, probes.n, sizeof(*probes.v), compare_probes);
	binary->usdt = probes.v;
	binary->n_usdt = probes.n;
	binary->has_usdt = true;
	return 0;
}

int binary_usdt_probes(struct binary *binary, const struct binary_usdt **probes, size_t *n, struct err *err)
{
	int ret = binary->has_usdt ? 0 : read_probes(binary, err);

	if (ret)
		return ret;
	*probes = binary->usdt;
	*n = binary->n_usdt;
	return 0;
}
