// SPDX-License-Identifier: BSD-2-Clause
/*
 * USDT marks of an ELF file, as <sys/sdt.h> leaves them in notes. Reads where a mark and its
 * semaphore are and what its argument text is; what that text means is not known here.
 */
#include "binary_file.h"

#define NT_STAPSDT 3

struct marks {
	struct binary *binary;
	uint64_t base; /* address of .stapsdt.base now, 0 without one */
	struct binary_mark *v;
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
	struct binary_mark mark = { 0 };
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
	if (binary_offset_of(marks->binary, addr[0] + moved, true, &mark.offset))
		return -EBADMSG;
	if (addr[2] && binary_offset_of(marks->binary, addr[2] + moved, false, &mark.semaphore))
		return -EBADMSG;
	*vec_push(marks) = mark;
	return 0;
}

static int compare_marks(const void *pa, const void *pb)
{
	const struct binary_mark *a = pa, *b = pb;
	int ret = strcmp(a->provider, b->provider);

	if (!ret)
		ret = strcmp(a->name, b->name);
	return ret ? ret : (a->offset > b->offset) - (a->offset < b->offset);
}

static int read_marks(struct binary *binary, struct err *err)
{
	struct marks marks = { .binary = binary };
	Elf_Scn *scn;
	GElf_Shdr shdr;
	int ret;

	if (!binary_image_section(&binary->file, ".stapsdt.base", &scn, &shdr))
		marks.base = shdr.sh_addr;
	ret = binary_each_note(&binary->file, ".note.stapsdt", "stapsdt", NT_STAPSDT, add_mark, &marks);
	if (ret) {
		free(marks.v);
		return err_set(err, ret, "%s: its USDT notes are damaged", binary->path);
	}
	if (marks.n)
		qsort(marks.v, marks.n, sizeof(*marks.v), compare_marks);
	binary->marks = marks.v;
	binary->n_marks = marks.n;
	binary->has_marks = true;
	return 0;
}

int binary_marks(struct binary *binary, const struct binary_mark **marks, size_t *n, struct err *err)
{
	int ret = binary->has_marks ? 0 : read_marks(binary, err);

	if (ret)
		return ret;
	*marks = binary->marks;
	*n = binary->n_marks;
	return 0;
}
