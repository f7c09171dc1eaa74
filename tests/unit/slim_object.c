// SPDX-License-Identifier: BSD-2-Clause
/* scripts/slim-object: the object in sonde's file against the one that the compiler and bpftool made. */
#include <criterion/criterion.h>
#include <libgen.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/base.h"
#include "bpf/filter.h"
#include "bpf/follow.skel.h"

/* Makefile makes build/bpf/follow.bpf.o; this program is build/unit/unit. The caller frees. */
static char *file_of_object(void)
{
	char self[4096] = "";

	cr_assert_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	return base_printf("%s/bpf/follow.bpf.o", dirname(dirname(self)));
}

static bool has_text(const void *bytes, size_t n, const char *text)
{
	return memmem(bytes, n, text, strlen(text));
}

/* Programs and maps are the same. */
Test(slim_object, loads_the_same)
{
	__free char *file = file_of_object();
	size_t size;
	const void *elf = follow_bpf__elf_bytes(&size);
	struct bpf_object *slim = bpf_object__open_mem(elf, size, NULL), *whole = bpf_object__open_file(file, NULL);
	struct bpf_program *program, *other;
	struct bpf_map *map;
	size_t programs = 0;

	cr_assert(slim && whole);
	bpf_object__for_each_program(program, whole)
	{
		other = bpf_object__find_program_by_name(slim, bpf_program__name(program));
		cr_assert(other, "%s", bpf_program__name(program));
		cr_assert_eq(bpf_program__insn_cnt(other), bpf_program__insn_cnt(program));
		cr_expect_arr_eq(bpf_program__insns(other), bpf_program__insns(program),
				 bpf_program__insn_cnt(program) * 8);
		programs++;
	}
	cr_expect_gt(programs, 0);
	bpf_object__for_each_map(map, whole)
		cr_expect(bpf_object__find_map_by_name(slim, bpf_map__name(map)), "%s", bpf_map__name(map));
	bpf_object__close(slim);
	bpf_object__close(whole);
}

/* Bytes of .BTF.ext that name lines of the source: the sixth word of its header. */
static uint32_t bytes_of_lines(const char *path)
{
	struct btf_ext *ext = NULL;
	struct btf *btf = btf__parse(path, &ext);
	const uint32_t *raw;
	uint32_t size, n;

	cr_assert(btf && ext, "%s", path);
	raw = btf_ext__raw_data(ext, &size);
	n = raw[5];
	btf_ext__free(ext);
	btf__free(btf);
	return n;
}

Test(slim_object, has_no_lines)
{
	size_t size;
	const void *elf = follow_bpf__elf_bytes(&size);
	__close int fd = memfd_create("slim", 0);
	__free char *slim = base_printf("/proc/self/fd/%d", fd), *whole = file_of_object();

	cr_assert_eq(write(fd, elf, size), (ssize_t)size);
	cr_expect_gt(bytes_of_lines(whole), 0);
	cr_expect_eq(bytes_of_lines(slim), 0);
}

/* The compiler's labels are named LBB0_1. */
Test(slim_object, has_no_labels)
{
	size_t size;
	const void *elf = follow_bpf__elf_bytes(&size);

	cr_expect_not(has_text(elf, size, "LBB"));
	cr_expect(has_text(elf, size, "follow_adopt"));
}
