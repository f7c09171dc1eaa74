// SPDX-License-Identifier: BSD-2-Clause
/* Completes a set of targets: one target for each place, unique labels, slots. */
#include <criterion/criterion.h>

#include "probe/resolve.h"

static struct target_set set;

static void teardown(void)
{
	target_set_release(&set);
}

TestSuite(target, .fini = teardown);

static struct target *add(enum target_kind kind, const char *object, const char *label, uint64_t addr)
{
	struct target *target = vec_push(&set);

	target->kind = kind;
	target->object = object;
	target->label = target->name = label;
	target->addr = addr;
	return target;
}

/* A place of a USDT probe, or a version of a global symbol. */
static struct target *add_one_of(const char *object, const char *label, uint64_t addr)
{
	struct target *target = add(TARGET_USER, object, label, addr);

	target->one_of = true;
	return target;
}

static const char *label(size_t i)
{
	cr_assert_lt(i, set.n);
	return set.v[i].label;
}

/* Every slot has a label of its own, which its targets share. */
static void finish(size_t targets, size_t slots)
{
	target_set_finish(&set);
	cr_assert_eq(set.n, targets, "%zu targets", set.n);
	cr_assert_eq(set.n_slots, slots, "%zu slots", set.n_slots);
	vec_each(target, &set) {
		cr_assert_lt(target->slot, set.n_slots);
		cr_expect_str_eq(set.slots[target->slot], target->label);
	}
	for (size_t i = 1; i < set.n_slots; i++)
		cr_expect_lt(strcmp(set.slots[i - 1], set.slots[i]), 0, "%s", set.slots[i]);
}

Test(target, empty)
{
	finish(0, 0);
}

Test(target, the_first_of_equals_stays)
{
	add(TARGET_KERNEL, NULL, "b", 0x2000);
	add(TARGET_KERNEL, NULL, "a", 0x1000);
	add(TARGET_KERNEL, NULL, "alias_of_b", 0x2000);
	add(TARGET_KERNEL, NULL, "a", 0x1000);
	finish(2, 2);
	cr_expect_str_eq(label(0), "b");
	cr_expect_str_eq(label(1), "a");
}

Test(target, one_offset_in_two_binaries)
{
	add(TARGET_USER, "/bin/a", "main", 0x1000);
	add(TARGET_USER, "/bin/b", "main", 0x1000);
	add(TARGET_USER, "/bin/a", "main", 0x1000);
	finish(2, 2);
	cr_expect_str_eq(label(0), "/bin/a:main");
	cr_expect_str_eq(label(1), "/bin/b:main");
}

Test(target, tracepoints_have_names_only)
{
	add(TARGET_TRACEPOINT, "sched", "sched:sched_switch", 0);
	add(TARGET_TRACEPOINT, "sched", "sched:sched_wakeup", 0);
	add(TARGET_TRACEPOINT, "sched", "sched:sched_switch", 0);
	finish(2, 2);
}

Test(target, hidden_addresses)
{
	add(TARGET_KERNEL, NULL, "vfs_read", 0);
	add(TARGET_KERNEL, NULL, "vfs_read+0x4", 0)->offset = 4;
	set.v[1].name = "vfs_read";
	add(TARGET_KERNEL, NULL, "vfs_write", 0);
	add(TARGET_KERNEL, "ext4", "vfs_read", 0);
	add(TARGET_KERNEL, NULL, "vfs_read", 0);
	finish(4, 4);
	cr_expect_str_eq(label(3), "ext4:vfs_read");
}

Test(target, entry_and_return)
{
	add(TARGET_KERNEL, NULL, "vfs_read", 0x1000);
	add(TARGET_KERNEL, NULL, "vfs_read", 0x1000)->ret = true;
	add(TARGET_KERNEL, NULL, "vfs_write", 0x2000)->ret = true;
	finish(3, 3);
	cr_expect_str_eq(label(0), "vfs_read");
	cr_expect_str_eq(label(1), "r:vfs_read");
	cr_expect_str_eq(label(2), "vfs_write", "nothing else has this name");
}

/* Labels get no more qualifiers than needed to distinguish them. */
Test(target, twins_in_modules)
{
	add(TARGET_KERNEL, NULL, "init", 0x1000);
	add(TARGET_KERNEL, "ext4", "init", 0x2000);
	add(TARGET_KERNEL, "xfs", "init", 0x3000);
	add(TARGET_KERNEL, "xfs", "init", 0x4000);
	add(TARGET_KERNEL, "xfs", "init", 0x4000)->ret = true;
	finish(5, 5);
	cr_expect_str_eq(label(0), "init");
	cr_expect_str_eq(label(1), "ext4:init");
	cr_expect_str_eq(label(2), "xfs:init@3000");
	cr_expect_str_eq(label(3), "xfs:init@4000");
	cr_expect_str_eq(label(4), "r:init");
}

/* The places of a USDT probe share a slot, and so do the versions of a symbol; not those of two binaries. */
Test(target, places_of_one_usdt_probe)
{
	add_one_of("/bin/a", "house:door", 0x1000);
	add_one_of("/bin/b", "house:door", 0x1000);
	add_one_of("/bin/a", "house:door", 0x2000);
	add_one_of("/bin/a", "house:door", 0x1000);
	add_one_of("/bin/a", "house:wall", 0x3000);
	finish(4, 3);
	cr_expect_eq(set.v[0].slot, set.v[2].slot);
	cr_expect_neq(set.v[0].slot, set.v[1].slot);
	cr_expect_str_eq(label(0), "/bin/a:house:door");
	cr_expect_str_eq(label(3), "house:wall");
}

Test(target, static_twins)
{
	add(TARGET_USER, "/bin/a", "twin", 0x1000);
	add(TARGET_USER, "/bin/a", "twin", 0x2000);
	finish(2, 2);
	cr_expect_str_eq(label(0), "twin@1000");
	cr_expect_str_eq(label(1), "twin@2000");
}

/* With a static function of the same name, the versions of a global function still share a slot. */
Test(target, static_twin_of_versions)
{
	add_one_of("/lib/c", "f", 0x1000);
	add(TARGET_USER, "/lib/c", "f", 0x2000);
	add_one_of("/lib/c", "f", 0x3000);
	finish(3, 2);
	cr_expect_str_eq(label(0), "f");
	cr_expect_str_eq(label(1), "f@2000");
	cr_expect_eq(set.v[0].slot, set.v[2].slot);
}

Test(target, entry_and_return_of_versions)
{
	add_one_of("/lib/c", "f", 0x1000);
	add_one_of("/lib/c", "f", 0x1000)->ret = true;
	add_one_of("/lib/c", "f", 0x2000);
	add_one_of("/lib/c", "f", 0x2000)->ret = true;
	finish(4, 2);
	cr_expect_eq(set.v[0].slot, set.v[2].slot);
	cr_expect_eq(set.v[1].slot, set.v[3].slot);
}

Test(target, equal_notes_are_one)
{
	const struct target_note notes[] = {
		{ "b", "idle" }, { "a", "idle" }, { "b", "idle" }, { "b", "bpf" }, { "a", "idle" }
	};

	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		*vec_push(&set.notes) = notes[i];
	finish(0, 0);
	cr_assert_eq(set.notes.n, 3);
	cr_expect_str_eq(set.notes.v[0].reason, "bpf");
	cr_expect_str_eq(set.notes.v[1].name, "a");
	cr_expect_str_eq(set.notes.v[2].name, "b");
}

/* Each error names the spec that it is about. */
Test(target, what_does_not_parse)
{
	const char *const specs[] = { "t:sched:sched_switch", "p:foo[", "bar" };
	struct target_options options = {};
	struct err err = {};
	size_t bad = 9;

	cr_expect_eq(target_resolve(specs, 3, &options, &set, &bad, &err), -EINVAL);
	cr_expect_eq(bad, 1);
	cr_expect_geq(err.at, 2);
}

/* A USDT probe at the first instruction of a function; the spec of the function comes first. */
Test(target, a_mark_on_a_function_keeps_its_semaphore)
{
	add(TARGET_USER, "/bin/x", "func", 0x1000);
	add_one_of("/bin/x", "provider:name", 0x1000)->ref_ctr = 0x4000;
	finish(1, 1);
	cr_expect_eq(set.v[0].ref_ctr, 0x4000);
}

/* Two constructors with the same demangled name: each keeps its slot. */
Test(target, symbols_of_one_name_are_told_apart)
{
	struct target *target = add_one_of("/bin/x", "Cart::Cart()", 0x1000);

	target->name = "_ZN4CartC1Ev";
	target = add_one_of("/bin/x", "Cart::Cart()", 0x2000);
	target->name = "_ZN4CartC2Ev";
	finish(2, 2);
	cr_expect_str_eq(set.slots[0], "Cart::Cart() [_ZN4CartC1Ev]");
	cr_expect_str_eq(set.symbols[0], "_ZN4CartC1Ev");
	cr_expect_str_eq(set.slots[1], "Cart::Cart() [_ZN4CartC2Ev]");
}
