// SPDX-License-Identifier: BSD-2-Clause
/* src/kernel/bpf_ksyms.c: a list of BPF programs that changes between two readings, and lists that are none. */
#include <criterion/criterion.h>

#include "base/str.h"
#include "kernel/bpf_ksyms.h"
#include "memory_fixture.h"

#define LIST 0x10
#define NODE 144 /* of the list in struct bpf_ksym */

static struct memory memory = {
	.copy = arena_copy,
	.layout = { .ksym_list = NODE, .ksym_start = 0, .ksym_end = 8, .ksym_name = 16 },
};

static struct bpf_ksyms ksyms;

/* Element i, which is the last one. */
static void put_ksym(unsigned int i, uint64_t start, uint64_t end, const char *name)
{
	size_t at = 0x1000 + i * 0x200;

	put_u64(i ? at - 0x200 + NODE : LIST, BASE + at + NODE);
	put_u64(at + NODE, BASE + LIST);
	put_u64(at, start);
	put_u64(at + 8, end);
	put(at + 16, name, strlen(name) + 1);
}

static const char *name_at(uint64_t addr)
{
	static struct ksym_place place;

	return bpf_ksyms_at(&ksyms, addr, &place) ? "" : place.name;
}

Test(bpf_ksyms, list)
{
	put_u64(LIST, BASE + LIST);
	cr_expect_eq(bpf_ksyms_read(&ksyms, &memory, BASE + LIST), 0);
	cr_expect_str_eq(name_at(0x100), "");
	put_ksym(0, 0x300, 0x340, "bpf_prog_1_one");
	put_ksym(1, 0x100, 0x180, "bpf_trampoline_5");
	put_ksym(2, 0x200, 0x280, "bpf_prog_2_two");
	cr_expect_eq(bpf_ksyms_read(&ksyms, &memory, BASE + LIST), 0);
	cr_expect_eq(ksyms.n, 3);
	cr_expect_str_eq(name_at(0xff), "");
	cr_expect_str_eq(name_at(0x100), "bpf_trampoline_5");
	cr_expect_str_eq(name_at(0x17f), "bpf_trampoline_5");
	cr_expect_str_eq(name_at(0x180), "");
	cr_expect_str_eq(name_at(0x27f), "bpf_prog_2_two");
	cr_expect_str_eq(name_at(0x340), "");
	/* one stays, one is gone and nothing is in its place, others are where two were */
	put_ksym(0, 0x300, 0x340, "bpf_prog_1_one");
	put_ksym(1, 0x140, 0x220, "bpf_prog_3_three");
	cr_expect_eq(bpf_ksyms_read(&ksyms, &memory, BASE + LIST), 0);
	cr_expect_eq(ksyms.n, 2);
	cr_expect_str_eq(name_at(0x300), "bpf_prog_1_one");
	cr_expect_str_eq(name_at(0x200), "bpf_prog_3_three");
	cr_expect_str_eq(name_at(0x100), "");
	put_ksym(0, 0x400, 0x440, "bpf_prog_4_four");
	cr_expect_eq(bpf_ksyms_read(&ksyms, &memory, BASE + LIST), 0);
	cr_expect_str_eq(name_at(0x300), "bpf_prog_1_one");
	cr_expect_str_eq(name_at(0x400), "bpf_prog_4_four");
	bpf_ksyms_release(&ksyms);
}

Test(bpf_ksyms, no_list)
{
	char name[300];

	cr_expect_eq(bpf_ksyms_read(&ksyms, &memory, 0), -ENOENT);
	cr_expect_eq(bpf_ksyms_read(&ksyms, &memory, BASE + sizeof(arena)), -EFAULT);
	/* it never comes back to its head */
	put_ksym(0, 0x300, 0x340, "one");
	put_u64(0x1000 + NODE, BASE + 0x1000 + NODE);
	cr_expect_eq(bpf_ksyms_read(&ksyms, &memory, BASE + LIST), -EINVAL);
	put_ksym(0, 0x340, 0x340, "empty");
	cr_expect_eq(bpf_ksyms_read(&ksyms, &memory, BASE + LIST), -EINVAL);
	/* a name that does not end is cut where the list is */
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	put_ksym(0, 0x500, 0x540, name);
	put_u64(0x1000 + NODE, BASE + LIST);
	cr_expect_eq(bpf_ksyms_read(&ksyms, &memory, BASE + LIST), 0);
	cr_expect_eq(strlen(name_at(0x500)), NODE - 16);
	bpf_ksyms_release(&ksyms);
}
