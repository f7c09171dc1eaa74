// SPDX-License-Identifier: BSD-2-Clause
/* Resolves kernel functions, from lists that the test writes. */
#include "kernel_fixture.h"
#include "probe/target.h"
#include "timeout.h"

/*
 * Two aliases at 1000, of which ftrace lists one; a notrace function; twins; one name that is in the kernel
 * and in a module; what is no function; what BPF itself runs; padding before a function; endbr.
 */
static const char kallsyms[] =
	"0000000000000010 A fixed_percpu_data\n"
	"ffffffff81001000 T __do_sys_getppid\n"
	"ffffffff81001000 T __x64_sys_getppid\n"
	"ffffffff81001040 t notrace_me\n"
	"ffffffff81001080 t twin\n"
	"ffffffff810010c0 t twin\n"
	"ffffffff810010f0 T __pfx_vfs_read\n"
	"ffffffff81001100 T vfs_read\n"
	"ffffffff81001200 T vfs_write\n"
	"ffffffff81001300 T rcu_read_lock_held\n"
	"ffffffff81001400 D some_data\n"
	"ffffffffc0001000 t ext4_sync_fs\t[ext4]\n"
	"ffffffffc0001100 t vfs_read\t[ext4]\n"
	"ffffffffc0002000 t bpf_prog_1234\t[bpf]\n"
	"ffffffffc0003000 t ftrace_trampoline\t[__builtin__ftrace]\n";

static const char names[] = "__do_sys_getppid\ntwin\ntwin\nvfs_read\nvfs_write\nrcu_read_lock_held\n"
			    "ext4_sync_fs [ext4]\nvfs_read [ext4]\n";

static const char addrs[] = "ffffffff81001004 __do_sys_getppid\nffffffff81001084 twin\nffffffff810010c4 twin\n"
			    "ffffffff81001104 vfs_read\nffffffff81001204 vfs_write\n"
			    "ffffffff81001304 rcu_read_lock_held\nffffffffc0001004 ext4_sync_fs [ext4]\n"
			    "ffffffffc0001104 vfs_read [ext4]\n";

static struct target_set set;
static struct err err;
static size_t bad;

static void setup(void)
{
	fixture_init();
	fixture_file(KALLSYMS, kallsyms);
	fixture_file(MODULES, "ext4 1 0 - Live 0x0\n");
	fixture_file(ADDRS, addrs);
	fixture_file(LIST, names);
}

static void teardown(void)
{
	target_set_release(&set);
	fixture_fini();
}

TestSuite(resolve_kernel, .init = setup, .fini = teardown);

/* Before 6.5 the kernel lists names only. */
static void without_addrs(void)
{
	__free char *path = base_printf("%s%s", fixture_dir, ADDRS);

	unlink(path);
}

/* kernel.kptr_restrict=2: every address is 0. */
static void hide_addresses(void)
{
	__free char *text = base_strdup(kallsyms);

	for (char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!*line)
			break;
		memset(line, '0', 16);
	}
	fixture_file(KALLSYMS, text);
}

static int resolve(size_t n, const char *const *specs, bool regex)
{
	struct target_options options = { .regex = regex };

	target_set_release(&set);
	return target_resolve(specs, n, &options, &set, &bad, &err);
}

#define RESOLVE(...) \
	resolve(ARRAY_SIZE(((const char *[]){ __VA_ARGS__ })), (const char *[]){ __VA_ARGS__ }, false)

/* The labels of the slots, in their order. */
static void expect_slots(const char *want)
{
	__free char *have = base_strdup("");

	for (size_t i = 0; i < set.n_slots; i++) {
		char *more = base_printf("%s%s%s", have, i ? " " : "", set.slots[i]);

		free(have);
		have = more;
	}
	cr_expect_str_eq(have, want);
}

Test(resolve_kernel, literal)
{
	cr_assert_eq(RESOLVE("vfs_write"), 0);
	cr_assert_eq(set.n, 1);
	cr_expect_eq(set.v[0].kind, TARGET_KERNEL);
	cr_expect_eq(set.v[0].addr, 0xffffffff81001200);
	cr_expect_eq(set.v[0].unique, true);
	cr_expect_eq(set.v[0].ret, false);
	cr_expect_null(set.v[0].object);
	expect_slots("vfs_write");
}

/* ftrace lists the address of the function by another alias. */
Test(resolve_kernel, alias)
{
	cr_assert_eq(RESOLVE("__x64_sys_getppid"), 0);
	expect_slots("__x64_sys_getppid");
	cr_assert_eq(RESOLVE("__x64_sys_getppid", "__do_sys_getppid"), 0);
	cr_expect_eq(set.n, 1, "one place");
}

/* Of several aliases that match, the one that a spec names is kept, else the one that ftrace lists. */
static void expect_alias_by_pattern(const char *listed)
{
	cr_assert_eq(RESOLVE("*_sys_getppid"), 0);
	expect_slots(listed);
	cr_assert_eq(RESOLVE("*_sys_getppid", "__x64_sys_getppid"), 0);
	expect_slots("__x64_sys_getppid");
	cr_assert_eq(RESOLVE("__x64_*"), 0);
	expect_slots("__x64_sys_getppid");
}

Test(resolve_kernel, alias_by_pattern)
{
	expect_alias_by_pattern("__do_sys_getppid");
	without_addrs();
	expect_alias_by_pattern("__do_sys_getppid");
}

/* Patterns do not match functions that ftrace cannot trace; a name is tried anyway. */
static void expect_traceable_only(void)
{
	cr_assert_eq(RESOLVE("*"), 0);
	expect_slots("__do_sys_getppid ext4:vfs_read ext4_sync_fs twin@ffffffff81001080 twin@ffffffff810010c0 "
		     "vfs_read vfs_write");
	cr_assert_eq(RESOLVE("notrace_me"), 0);
	cr_expect_eq(RESOLVE("notrace*"), -ENOENT);
	cr_expect_str_eq(err.text, "no traceable kernel function matches 'notrace*'");
}

Test(resolve_kernel, only_what_is_traceable)
{
	expect_traceable_only();
	without_addrs();
	expect_traceable_only();
}

/* Two functions with one name, of which ftrace lists one: a list of names does not show which. */
Test(resolve_kernel, one_of_twins)
{
	fixture_file(LIST, "twin\nvfs_read\n");
	fixture_file(ADDRS, "ffffffff810010c4 twin\nffffffff81001104 vfs_read\n");
	cr_assert_eq(RESOLVE("t*"), 0, "%s", err.text);
	cr_assert_eq(set.n, 1);
	cr_expect_eq(set.v[0].addr, 0xffffffff810010c0);
	cr_expect_eq(set.v[0].unique, false);
	without_addrs();
	cr_assert_eq(RESOLVE("t*"), 0);
	cr_expect_eq(set.n, 2, "attaching will tell");
}

/*
 * A module's symbols are in no order: the listed name of an address may be far from the one that matches, on both
 * sides.
 */
Test(resolve_kernel, aliases_in_a_module)
{
	without_addrs();
	fixture_file(KALLSYMS, "ffffffffc0001000 t listed_a\t[ext4]\nffffffffc0001100 t middle\t[ext4]\n"
			       "ffffffffc0001000 t match_a\t[ext4]\nffffffffc0001200 t match_b\t[ext4]\n"
			       "ffffffffc0001300 t match_c\t[ext4]\nffffffffc0001200 t listed_b\t[ext4]\n"
			       "ffffffffc0002200 t listed_c\t[xfs]\n");
	fixture_file(LIST, "listed_a [ext4]\nlisted_b [ext4]\nlisted_c [xfs]\n");
	cr_assert_eq(RESOLVE("match_*"), 0, "%s", err.text);
	expect_slots("match_a match_b");
}

/* kallsyms is read a second time for specs that found nothing among the listed names. Other specs add nothing then. */
Test(resolve_kernel, addresses_beside_a_second_reading)
{
	fixture_file(LIST, "twin\nvfs_write\n");
	cr_assert_eq(RESOLVE("p:0xffffffff81001204", "t*", "vfs_w*"), 0, "%s", err.text);
	expect_slots("twin@ffffffff81001080 twin@ffffffff810010c0 vfs_write vfs_write+0x4");
	cr_expect_eq(set.n, 4);
}

Test(resolve_kernel, without_a_list_all_is_tried)
{
	fixture_fini();
	fixture_file(KALLSYMS, kallsyms);
	cr_assert_eq(RESOLVE("notrace*"), 0);
	expect_slots("notrace_me");
	cr_expect_eq(RESOLVE("*"), 0);
	cr_expect_eq(set.n_slots, 8, "%zu", set.n_slots);
}

Test(resolve_kernel, twins)
{
	cr_assert_eq(RESOLVE("twin"), 0);
	expect_slots("twin@ffffffff81001080 twin@ffffffff810010c0");
	cr_expect_eq(set.v[0].unique, false);
	cr_expect_eq(set.v[1].unique, false);
	/* each is the only one of its module */
	cr_assert_eq(RESOLVE("vfs_read"), 0);
	expect_slots("ext4:vfs_read vfs_read");
	cr_expect_eq(set.v[0].unique, true);
	cr_expect_eq(set.v[1].unique, true);
}

Test(resolve_kernel, modules)
{
	cr_assert_eq(RESOLVE("p:ext4:*"), 0);
	expect_slots("ext4_sync_fs vfs_read");
	cr_expect_str_eq(set.v[0].object, "ext4");
	cr_assert_eq(RESOLVE("ext4:vfs_read"), 0, "a loaded module is taken before a library");
	cr_expect_eq(set.v[0].addr, 0xffffffffc0001100);
	cr_assert_eq(RESOLVE("p:vmlinux:vfs_read"), 0);
	cr_expect_eq(set.v[0].addr, 0xffffffff81001100);
	cr_expect_eq(RESOLVE("vfs_write", "kprobe:xfs:xfs_sync"), -ENOENT);
}

/*
 * A trampoline knows the module of its function. Older kernels go by the name, and find the kernel proper's first.
 */
Test(resolve_kernel, trampolines_of_modules)
{
	cr_assert_eq(RESOLVE("fentry:ext4_sync_fs"), 0, "%s", err.text);
	cr_expect_str_eq(set.v[0].object, "ext4");
	cr_expect_eq(set.v[0].unique, true);
	cr_assert_eq(RESOLVE("fexit:ext4:*"), 0, "%s", err.text);
	expect_slots("ext4_sync_fs vfs_read");
	cr_expect_eq(set.v[0].unique, true);
	cr_expect_eq(set.v[0].alone, true);
	cr_expect_eq(set.v[1].unique, true);
	cr_expect_eq(set.v[1].alone, false);
	cr_assert_eq(RESOLVE("fentry:vfs_read"), 0, "%s", err.text);
	cr_assert_eq(set.n, 2);
	vec_each(target, &set) {
		cr_expect_eq(target->unique, true);
		cr_expect_eq(target->alone, !target->object, "the kernel proper's own is found by its name");
	}
	cr_assert_eq(RESOLVE("p:ext4:vfs_read"), 0, "%s", err.text);
	cr_expect_eq(set.v[0].unique, true);
}

/* The kernel itself has a name that patterns match, too. */
Test(resolve_kernel, patterns_of_modules)
{
	cr_assert_eq(RESOLVE("p:*:vfs_read"), 0);
	expect_slots("ext4:vfs_read vfs_read");
	cr_assert_eq(RESOLVE("fentry:vm*:vfs_read"), 0);
	cr_expect_eq(set.n, 1);
	cr_expect_eq(set.v[0].addr, 0xffffffff81001100);
	cr_assert_eq(RESOLVE("p:ext?:vfs_read"), 0);
	cr_expect_eq(set.n, 1);
	cr_expect_str_eq(set.v[0].object, "ext4");
	cr_expect_eq(RESOLVE("kprobe:x*:vfs_read"), -ENOENT);
	cr_expect_str_eq(err.text,
			 "no kernel function matches 'kprobe:x*:vfs_read' (did you mean vmlinux:vfs_read?)");
	cr_expect_eq(RESOLVE("kprobe:x*:*"), -ENOENT);
	cr_expect_str_eq(err.text, "no kernel function matches 'kprobe:x*:*'");
}

Test(resolve_kernel, entry_and_return)
{
	cr_assert_eq(RESOLVE("p:vfs_write", "r:vfs_write", "kretprobe:vfs_write"), 0);
	cr_expect_eq(set.n, 2);
	expect_slots("r:vfs_write vfs_write");
}

Test(resolve_kernel, offsets)
{
	cr_assert_eq(RESOLVE("vfs_write+4", "vfs_write"), 0);
	expect_slots("vfs_write vfs_write+0x4");
	cr_expect_eq(set.v[0].addr + set.v[1].addr, 2 * 0xffffffff81001200 + 4);
	cr_assert_eq(RESOLVE("vfs_write+0xff"), 0);
	cr_expect_eq(RESOLVE("twin", "vfs_write+0x100"), -EINVAL);
	cr_expect_eq(bad, 1);
	cr_expect_str_eq(err.text, "'vfs_write' ends before +0x100: it is at most 0x100 bytes long");
	/* of aliases, each has its end */
	cr_expect_eq(RESOLVE("__do_sys_getppid+0x40"), -EINVAL);
	cr_expect_eq(RESOLVE("__x64_sys_getppid+0x40"), -EINVAL);
	cr_expect_eq(RESOLVE("__x64_sys_getppid+0x3f"), 0);
	cr_expect_eq(RESOLVE("__x64_sys_getppid+0x3f", "__do_sys_getppid+0x40"), -EINVAL);
}

Test(resolve_kernel, addresses)
{
	cr_assert_eq(RESOLVE("p:0xffffffff81001204", "p:0xffffffff81001200", "vfs_write"), 0);
	expect_slots("vfs_write vfs_write+0x4");
	cr_assert_eq(RESOLVE("p:0xffffffffc0001008"), 0);
	cr_expect_str_eq(set.v[0].object, "ext4");
	cr_expect_eq(RESOLVE("p:0x1234"), -ENOENT);
	cr_expect_str_eq(err.text, "no kernel function is at address 0x1234");
	hide_addresses();
	cr_expect_eq(RESOLVE("p:0xffffffff81001204"), -ENOENT);
}

/* Addresses are hidden: functions are found by name. */
Test(resolve_kernel, hidden_addresses)
{
	hide_addresses();
	without_addrs();
	cr_assert_eq(RESOLVE("vfs_write", "r:vfs_write", "vfs_write+4", "twin"), 0);
	expect_slots("r:vfs_write twin vfs_write vfs_write+0x4");
	vec_each(target, &set) {
		cr_expect_eq(target->addr, 0);
		cr_expect_eq(target->unique, strcmp(target->name, "twin") != 0, "%s", target->name);
	}
	cr_assert_eq(RESOLVE("notrace*", "vfs_*"), -ENOENT);
	cr_assert_eq(RESOLVE("vfs_w*"), 0);
	expect_slots("vfs_write");
	cr_expect_eq(set.v[0].unique, true);
}

Test(resolve_kernel, what_bpf_runs_itself)
{
	cr_expect_eq(RESOLVE("rcu_read_lock_held"), -EPERM);
	cr_expect(strstr(err.text, "'rcu_read_lock_held' cannot be traced: "), "%s", err.text);
	cr_expect_eq(RESOLVE("p:0xffffffff81001308"), -EPERM);
	cr_assert_eq(RESOLVE("rcu*", "r:*rcu*"), 0);
	cr_expect_eq(set.n, 0);
	cr_assert_eq(set.notes.n, 1, "once");
	cr_expect_str_eq(set.notes.v[0].name, "rcu_read_lock_held");
}

/* A name of something else: the error suggests the right spec. */
Test(resolve_kernel, suggestions)
{
	static const struct {
		const char *spec, *text;
	} cases[] = {
		{ "sched_switch", "'sched_switch' is a tracepoint, not a function: t:sched:sched_switch" },
		{ "sched:sched_switch", "'sched:sched_switch' is a tracepoint, not a function: t:sched:sched_switch" },
		{ "sched:sched_*", "'sched:sched_*' is a tracepoint, not a function: t:sched:sched_*" },
		{ "t:irq:sched_switch",
		  "no tracepoint matches 't:irq:sched_switch' (did you mean t:sched:sched_switch?)" },
		{ "t:sched:sched_swich", "no tracepoint matches 'sched_swich' (did you mean sched_switch?)" },
		{ "openat", "'openat' is a system call, not a kernel function: t:syscalls:sys_enter_openat" },
		{ "r:openat", "'openat' is a system call, not a kernel function: t:syscalls:sys_exit_openat" },
	};

	fixture_file(EVENTS, "sched:sched_wakeup\nsched:sched_switch\nirq:irq_handler_exit\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cr_expect_eq(RESOLVE(cases[i].spec), -ENOENT);
		cr_expect_str_eq(err.text, cases[i].text);
	}
}

/* Functions that have another name in this kernel. */
Test(resolve_kernel, renamed)
{
	static const char symbols[] =
		"ffffffff81001000 T __x64_sys_getppid\n"
		"ffffffff81001280 t renamed.part.0\n"
		"ffffffff81001290 t renamed.isra.0\n"
		"ffffffff810012a0 t renamed.cold\n"
		"ffffffff810012b0 T kernel_clone\n"
		"ffffffff810012c0 T __kmalloc_noprof\n";
	static const struct {
		const char *spec, *text;
	} cases[] = {
		{ "renamed", "in this kernel it is renamed.isra.0, and its arguments may differ" },
		{ "r:renamed+0x10", "a return probe takes the name of a function, not an offset" },
		{ "__kmalloc", "in this kernel it is __kmalloc_noprof" },
		{ "_do_fork", "this kernel has kernel_clone in its place" },
		{ "do_fork", "this kernel has kernel_clone in its place" },
		{ "r:do_fork", "this kernel has kernel_clone in its place" },
		{ "blk_account_io_start", "this kernel has t:block:block_io_start in its place" },
		{ "sys_getppid", "it is __x64_sys_getppid since Linux 4.17, with a pointer to the arguments; "
				 "t:syscalls:sys_enter_getppid is the same on all kernels" },
		{ "r:SyS_getppid", "it is __x64_sys_getppid since Linux 4.17, with a pointer to the arguments; "
				   "t:syscalls:sys_exit_getppid is the same on all kernels" },
	};

	fixture_file(KALLSYMS, symbols);
	fixture_file(EVENTS, "block:block_rq_insert\nblock:block_io_start\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		__free char *text = NULL;
		const char *name = cases[i].spec + 2 * !strncmp(cases[i].spec, "r:", 2);

		cr_expect_neq(RESOLVE(cases[i].spec), 0);
		text = strchr(name, '+') ? base_strdup(cases[i].text)
					 : base_printf("no kernel function matches '%s': %s", name, cases[i].text);
		cr_expect_str_eq(err.text, text);
	}
	/* nothing has its place, or nothing that returns */
	cr_expect_eq(RESOLVE("ttwu_do_wakeup"), -ENOENT);
	cr_expect(!strstr(err.text, "in its place"), "%s", err.text);
	cr_expect_eq(RESOLVE("r:blk_account_io_start"), -ENOENT);
	cr_expect(!strstr(err.text, "in its place"), "%s", err.text);
}

Test(resolve_kernel, nearest_name)
{
	cr_expect_eq(RESOLVE("vfs_write", "vfs_raed"), -ENOENT);
	cr_expect_eq(bad, 1);
	cr_expect_eq(err.at, -1);
	cr_expect_str_eq(err.text, "no kernel function matches 'vfs_raed' (did you mean vfs_read?)");
	cr_expect_eq(RESOLVE("some_data"), -ENOENT, "no function");
	cr_expect_eq(RESOLVE("ftrace_trampoline"), -ENOENT, "no module has it");
	cr_expect_eq(RESOLVE("bpf_prog_1234"), -ENOENT);
	cr_expect_eq(RESOLVE("p:ext4:vfs_write"), -ENOENT);
	cr_expect_str_eq(err.text,
			 "no kernel function matches 'p:ext4:vfs_write' (did you mean vmlinux:vfs_write?)");
	cr_expect_eq(RESOLVE("p:vmlinux:ext4_sync_fs"), -ENOENT);
	cr_expect_str_eq(err.text,
			 "no kernel function matches 'p:vmlinux:ext4_sync_fs' (did you mean ext4:ext4_sync_fs?)");
	cr_expect_eq(RESOLVE("fentry:xfs:vfs_write"), -ENOENT);
	cr_expect_str_eq(err.text, "no kernel module 'xfs' is loaded");
}

Test(resolve_kernel, regex)
{
	const char *const specs[] = { "^vfs_(read|write)$", "twin" };

	cr_assert_eq(resolve(2, specs, true), 0);
	expect_slots("ext4:vfs_read twin@ffffffff81001080 twin@ffffffff810010c0 vfs_read vfs_write");
}

/* 100,000 functions, with specs for addresses, offsets and a pattern: the work must not grow quadratically. */
Test(resolve_kernel, many, .timeout = TIMEOUT_SECONDS)
{
	size_t size = 100000 * 48, at = 0;
	__free char *text = base_alloc(size);
	__free char *list = base_alloc(size);
	size_t end = 0;

	for (int i = 0; i < 100000; i++) {
		at += snprintf(text + at, size - at, "%016llx t f%06d\n", 0xffffffff81000000ULL + 64 * i, i);
		end += snprintf(list + end, size - end, "%016llx f%06d\n", 0xffffffff81000004ULL + 64 * i, i);
	}
	fixture_bytes(KALLSYMS, text, at);
	fixture_bytes(ADDRS, list, end);
	cr_assert_eq(RESOLVE("f*", "p:0xffffffff81000101", "f099999+60", "f000000+0x3f"), 0, "%s", err.text);
	cr_expect_eq(set.n, 100003);
	cr_expect_eq(set.n_slots, 100003);
	cr_expect_eq(RESOLVE("f*", "f000001+64"), -EINVAL);
}
