// SPDX-License-Identifier: BSD-2-Clause
/* What is cut down of the kernel that runs here, for each BPF object that sonde has. */
#include <libgen.h>

#include "bpf/filter.h"
#include "bpf/follow.skel.h"
#include "core_btf_fixture.h"

TestSuite(core_btf_real, .init = fixture_init, .fini = fixture_fini);

static struct btf *real_kernel(void)
{
	struct btf *btf;

	kernel_set_root(NULL);
	libbpf_set_print(quiet);
	btf = btf__parse(BTF, NULL);
	if (!btf)
		cr_skip_test("this kernel has no BTF");
	return btf;
}

/* All structs, and all their members, are as in the whole. */
Test(core_btf_real, this_kernel)
{
	struct btf *kernel = real_kernel(), *cut;
	struct core_btf made = {};
	struct err err = {};
	size_t size;
	const void *elf = follow_bpf__elf_bytes(&size);

	cr_assert_eq(core_btf_make(&made, elf, size, &err), 0, "%s", err.text);
	cut = btf__parse(made.path, NULL);
	cr_assert(cut);
	EXPECT_STRUCT(kernel, cut, "task_struct", "pid", "tgid", "thread_pid", "children", "sibling");
	EXPECT_STRUCT(kernel, cut, "pid", "level", "numbers");
	EXPECT_STRUCT(kernel, cut, "upid", "nr");
	EXPECT_STRUCT(kernel, cut, "list_head", "next", "prev");
	cr_expect_not(place_of(cut, type_named(cut, BTF_KIND_STRUCT, "task_struct", 0), "static_prio").found);
	core_btf_release(&made);
	btf__free(cut);
	btf__free(kernel);
}

/* --- every object --- */

/* Creates no maps, so that no instruction holds a map's file descriptor: these would differ. */
static struct bpf_object *relocated(const char *file, const char *btf_path)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path);
	struct bpf_object *object = bpf_object__open_file(file, &opts);
	struct bpf_map *map;
	int ret;

	cr_assert(object, "%s: %s", file, strerror(errno));
	bpf_object__for_each_map(map, object)
	{
		bpf_map__set_autocreate(map, false);
	}
	ret = bpf_object__prepare(object);
	if (ret == -EPERM)
		cr_skip_test("libbpf relocates only where programs may be loaded");
	cr_assert_eq(ret, 0, "%s: %s", file, strerror(-ret));
	return object;
}

static void expect_same_program(const char *file, const struct bpf_program *a, const struct bpf_program *b)
{
	const char *name = bpf_program__name(a);

	cr_assert(b, "%s: %s is missing", file, name);
	cr_assert_eq(bpf_program__insn_cnt(a), bpf_program__insn_cnt(b), "%s: %s", file, name);
	for (size_t i = 0; i < bpf_program__insn_cnt(a); i++)
		cr_expect_arr_eq(bpf_program__insns(a) + i, bpf_program__insns(b) + i, sizeof(struct bpf_insn),
				 "%s: %s: instruction %zu", file, name, i);
}

static struct core_btf cut_down_for(const char *file)
{
	static uint8_t elf[4 << 20];
	__close int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t size = read(fd, elf, sizeof(elf));
	struct core_btf made = {};
	struct err err = {};

	cr_assert(size > 0 && size < (ssize_t)sizeof(elf), "%s: %zd", file, size);
	cr_assert_eq(core_btf_make(&made, elf, size, &err), 0, "%s: %s", file, err.text);
	return made;
}

static void expect_same_instructions(const char *file)
{
	struct core_btf made = cut_down_for(file);
	struct bpf_object *full = relocated(file, NULL), *cut = relocated(file, made.path);
	struct bpf_program *program;
	int n = 0;

	bpf_object__for_each_program(program, full)
	{
		expect_same_program(file, program, bpf_object__find_program_by_name(cut, bpf_program__name(program)));
		n++;
	}
	cr_expect_gt(n, 0, "%s holds no program", file);
	bpf_object__close(full);
	bpf_object__close(cut);
	core_btf_release(&made);
}

/*
 * What counts in the end: libbpf makes the same instructions from the whole and from the part. Makefile lists all
 * objects in build/objects; this program is build/unit/unit.
 */
Test(core_btf_real, every_object)
{
	char self[4096] = "", list[8192] = "", *at = list;
	__free char *path = NULL;
	__close int fd = -1;
	int n = 0;

	btf__free(real_kernel());
	cr_assert_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	path = base_printf("%s/objects", dirname(dirname(self)));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert_gt(read(fd, list, sizeof(list) - 1), 0, "%s", path);
	for (char *name; (name = strsep(&at, " \n"));) {
		__free char *file = base_printf("%s/%s", self, name);

		if (!*name)
			continue;
		expect_same_instructions(file);
		n++;
	}
	cr_expect_gt(n, 15, "%d objects", n);
}
