// SPDX-License-Identifier: BSD-2-Clause
/*
 * USDT marks of an ELF file, as <sys/sdt.h> leaves them in notes. Reads where a mark and its
 * semaphore are and what its argument text is; what that text means is not known here.
 */
#include "elf_file.h"

#define NT_STAPSDT 3

struct marks {
	struct elf *elf;
	uint64_t base; /* address of .stapsdt.base now, 0 without one */
	struct elf_mark *v;
	size_t n, cap;
};

/* The next string of a note; NULL where it does not end within it. */
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
 * Three addresses (place, .stapsdt.base when linked, semaphore or 0), three strings. Where
 * prelink has moved the file, the base section has moved with it and tells by how much.
 */
static int add_mark(void *ctx, const char *desc, size_t len)
{
	const char *at = desc + 3 * sizeof(uint64_t), *end = desc + len;
	struct marks *marks = ctx;
	struct elf_mark mark = { 0 };
	uint64_t addr[3], moved;

	if (len < sizeof(addr))
		return -EBADMSG;
	memcpy(addr, desc, sizeof(addr));
	if (!addr[0]) /* its code was dropped by the linker (--gc-sections) */
		return 0;
	mark.provider = next_string(&at, end);
	mark.name = mark.provider ? next_string(&at, end) : NULL;
	mark.args = mark.name ? next_string(&at, end) : NULL;
	if (!mark.args || !*mark.provider || !*mark.name)
		return -EBADMSG;
	moved = marks->base && addr[1] ? marks->base - addr[1] : 0;
	if (elf_offset_of(marks->elf, addr[0] + moved, true, &mark.offset))
		return -EBADMSG;
	if (addr[2] && elf_offset_of(marks->elf, addr[2] + moved, false, &mark.semaphore))
		return -EBADMSG;
	*vec_push(marks) = mark;
	return 0;
}

static int compare_marks(const void *pa, const void *pb)
{
	const struct elf_mark *a = pa, *b = pb;
	int ret = strcmp(a->provider, b->provider);

	if (!ret)
		ret = strcmp(a->name, b->name);
	return ret ? ret : (a->offset > b->offset) - (a->offset < b->offset);
}

static int read_marks(struct elf *elf, struct err *err)
{
	struct marks marks = { .elf = elf };
	Elf_Scn *scn;
	GElf_Shdr shdr;
	int ret;

	if (!elf_image_section(&elf->file, ".stapsdt.base", &scn, &shdr))
		marks.base = shdr.sh_addr;
	ret = elf_each_note(&elf->file, ".note.stapsdt", "stapsdt", NT_STAPSDT, add_mark, &marks);
	if (ret) {
		free(marks.v);
		return err_set(err, ret, "%s: its USDT notes are damaged", elf->path);
	}
	if (marks.n)
		qsort(marks.v, marks.n, sizeof(*marks.v), compare_marks);
	elf->marks = marks.v;
	elf->n_marks = marks.n;
	elf->has_marks = true;
	return 0;
}

int elf_marks(struct elf *elf, const struct elf_mark **marks, size_t *n, struct err *err)
{
	int ret = elf->has_marks ? 0 : read_marks(elf, err);

	if (ret)
		return ret;
	*marks = elf->marks;
	*n = elf->n_marks;
	return 0;
}
