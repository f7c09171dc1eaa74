// SPDX-License-Identifier: BSD-2-Clause
/* What runs our programs: by the kernel's symbols before there is a stack, and by the names of frames afterwards. */
#include "engine/stacks_part.h"
#include "kernel_fixture.h"

TestSuite(stacks_own, .init = fixture_init, .fini = fixture_fini);

static const struct stack_own *at(const struct stack_setup *setup, uint64_t address)
{
	for (size_t i = 0; i < STACK_OWN_MAX && setup->own[i].from; i++)
		if (address >= setup->own[i].from && address < setup->own[i].to)
			return &setup->own[i];
	return NULL;
}

/* The symbols of many tracepoints come first, and leave room for what is needed always. */
Test(stacks_own, many_tracepoints)
{
	static const char *const names[] = { "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11" };
	struct stack_setup setup = {};
	struct kernel *kernel = kernel_new();
	__str struct str text = {};
	uint64_t address = 0xffffffff81000000;

	str_add(&text, "ffffffff81000000 T _stext\n");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		str_addf(&text, "%llx T __traceiter_%s\n", (unsigned long long)(address += 0x100), names[i]);
		str_addf(&text, "%llx t __bpf_trace_%s\n", (unsigned long long)(address += 0x100), names[i]);
	}
	str_add(&text, "ffffffff81010000 t trace_syscall_enter\nffffffff81010100 t other\n"
		       "ffffffff81010200 t perf_syscall_enter\nffffffff81010300 t perf_syscall_exit\n"
		       "ffffffff81010400 T __traceiter_sys_enter\nffffffff81010500 T bpf_iter_run_prog\n"
		       "ffffffff81010600 t bpf_trace_run1.cold\nffffffff81010700 T more\n"
		       "ffffffff81090000 T bpf_trace_run1\nffffffff81090100 T bpf_trace_run2\n"
		       "ffffffff81090200 T bpf_loop\nffffffff81090300 T bpf_for_each_hash_elem\n"
		       "ffffffff81090400 T behind\nffffffff82000000 T _etext\n"
		       "ffffffffc0000000 t bpf_loop\t[module]\nffffffffc0000100 t last\t[module]\n");
	fixture_file(KALLSYMS, text.data);
	stacks_find_own(kernel, names, ARRAY_SIZE(names), &setup);
	cr_expect_eq(setup.text.from, 0xffffffff81000000);
	cr_expect_eq(setup.text.to, 0xffffffff82000000);
	/* the first nine of them */
	cr_expect(at(&setup, 0xffffffff81000110));
	cr_expect(at(&setup, 0xffffffff81001210));
	cr_expect_not(at(&setup, 0xffffffff81001310));
	cr_expect(at(&setup, 0xffffffff81010010));
	cr_expect_not(at(&setup, 0xffffffff81010110));
	cr_expect(at(&setup, 0xffffffff81010210));
	cr_expect(at(&setup, 0xffffffff81010310));
	cr_expect(at(&setup, 0xffffffff81010410));
	cr_expect(at(&setup, 0xffffffff81010510));
	cr_expect_not(at(&setup, 0xffffffff81010610));
	cr_expect_eq(at(&setup, 0xffffffff81090010), &setup.own[0]);
	cr_expect_eq(at(&setup, 0xffffffff81090110), &setup.own[0]);
	cr_expect(at(&setup, 0xffffffff81090210));
	cr_expect(at(&setup, 0xffffffff81090310));
	cr_expect_not(at(&setup, 0xffffffff81090410));
	cr_expect_not(at(&setup, 0xffffffffc0000010));
	kernel_free(kernel);
}

static size_t skipped(const char *const *names, size_t n)
{
	struct frame frames[8] = {};
	const struct frame *v[8];

	for (size_t i = 0; i < n; i++) {
		frames[i] = (struct frame){ .name = names[i], .kind = FRAME_KERNEL };
		if (!strncmp(names[i], "bpf_prog_", strlen("bpf_prog_")))
			frames[i].file = "bpf";
		v[i] = &frames[i];
	}
	return symbols_skip_tracers(v, n);
}

#define SKIPPED(...) \
	skipped((const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

Test(stacks_own, names_of_frames)
{
	cr_expect_eq(SKIPPED("bpf_prog_1", "bpf_iter_run_prog", "task_seq_show", "bpf_seq_read"), 2);
	cr_expect_eq(SKIPPED("bpf_prog_1", "bpf_for_each_hash_elem", "bpf_for_each_map_elem", "bpf_prog_2",
			     "bpf_trace_run2", "__traceiter_x", "caller"),
		     6);
	cr_expect_eq(SKIPPED("bpf_prog_1", "bpf_loop", "bpf_prog_2", "bpf_trampoline_1", "vfs_read"), 3);
	cr_expect_eq(SKIPPED("vfs_read", "ksys_read"), 0);
}
