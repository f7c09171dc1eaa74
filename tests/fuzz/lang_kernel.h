/* SPDX-License-Identifier: BSD-2-Clause */
/* A small kernel for programs that are fuzzed: some functions, tracepoints, and types of each form in BTF. */
#ifndef SONDE_TESTS_FUZZ_LANG_KERNEL_H
#define SONDE_TESTS_FUZZ_LANG_KERNEL_H

#include <bpf/btf.h>

#include "fuzz.h"

static inline void lang_kernel_file(const char *path, const void *data, size_t n)
{
	char *full __free = fuzz_full_path(path);
	int fd __close = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
}

static inline void lang_kernel_text(const char *path, const char *text)
{
	lang_kernel_file(path, text, strlen(text));
}

/* struct task_struct has all that a field can be. */
static inline int lang_kernel_task(struct btf *btf, int number, int wide, int letter)
{
	int text = btf__add_array(btf, number, letter, 16), list = btf__add_array(btf, number, number, 3);
	int table, either;
	int state = btf__add_enum(btf, "state", 4), hidden, self;

	btf__add_enum_value(btf, "RUNNING", 0);
	btf__add_enum_value(btf, "STOPPED", 4);
	table = btf__add_array(btf, number, list, 2);
	either = btf__add_union(btf, NULL, 8);
	btf__add_field(btf, "exit_code", number, 0, 0);
	btf__add_field(btf, "start_time", wide, 0, 0);
	hidden = btf__add_ptr(btf, btf__add_fwd(btf, "hidden", BTF_FWD_STRUCT));
	self = btf__type_cnt(btf) + 1;
	btf__add_struct(btf, "task_struct", 96);
	btf__add_field(btf, "parent", self, 0, 0);
	btf__add_field(btf, "pid", number, 64, 0);
	btf__add_field(btf, "low", number, 96, 3);
	btf__add_field(btf, "high", number, 99, 7);
	btf__add_field(btf, NULL, either, 128, 0);
	btf__add_field(btf, "comm", text, 192, 0);
	btf__add_field(btf, "table", table, 320, 0);
	btf__add_field(btf, "state", state, 512, 0);
	btf__add_field(btf, "hidden", hidden, 576, 0);
	btf__add_field(btf, "children", self, 640, 0);
	return btf__add_ptr(btf, self - 1);
}

static inline void lang_kernel_types(void)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), wide = btf__add_int(btf, "unsigned long", 8, 0);
	int letter = btf__add_int(btf, "char", 1, 0), text = btf__add_ptr(btf, letter), nothing = btf__add_ptr(btf, 0);
	int task = lang_kernel_task(btf, number, wide, letter), proto = btf__add_func_proto(btf, wide);
	const void *data;
	uint32_t size;

	btf__add_func_param(btf, "task", task);
	btf__add_func_param(btf, "name", text);
	btf__add_func_param(btf, "count", wide);
	btf__add_func(btf, "vfs_read", BTF_FUNC_GLOBAL, proto);
	btf__add_func(btf, "vfs_write", BTF_FUNC_GLOBAL, proto);
	proto = btf__add_func_proto(btf, number);
	btf__add_func_param(btf, "n", number);
	btf__add_func(btf, "vfs_open", BTF_FUNC_GLOBAL, proto);
	proto = btf__add_func_proto(btf, 0);
	btf__add_func_param(btf, "__data", nothing);
	btf__add_func_param(btf, "prev", task);
	btf__add_func(btf, "__traceiter_sched_switch", BTF_FUNC_GLOBAL, proto);
	btf__add_typedef(btf, "btf_trace_sched_switch", btf__add_ptr(btf, proto));
	btf__add_struct(btf, "bpf_iter__task", 16);
	btf__add_field(btf, "task", task, 64, 0);
	data = btf__raw_data(btf, &size);
	lang_kernel_file("/sys/kernel/btf/vmlinux", data, size);
	btf__free(btf);
}

#define EVENTS_DIR "/sys/kernel/tracing/events/"

static inline void lang_kernel_make(void)
{
	static const char head[] = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
				   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
	char *opened __free = base_printf("name: sys_enter_openat\nID: 600\nformat:\n%s"
					  "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
					  "\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
					  "\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n\n",
					  head);
	char *switched __free = base_printf("name: sched_switch\nID: 300\nformat:\n%s"
					    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
					    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
					    "\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
					    "\tfield:u8 list[8];\toffset:32;\tsize:8;\tsigned:0;\n\n",
					    head);

	lang_kernel_text("/proc/kallsyms", "ffffffff81000000 T vfs_read\nffffffff81000100 T vfs_write\n"
					   "ffffffff81000200 T vfs_open\nffffffff81000300 t static_one\n"
					   "ffffffff82000000 D data_symbol\n");
	lang_kernel_text("/sys/kernel/tracing/available_filter_functions",
			 "vfs_read\nvfs_write\nvfs_open\nstatic_one\n");
	lang_kernel_text("/sys/kernel/tracing/available_events", "syscalls:sys_enter_openat\nsched:sched_switch\n");
	lang_kernel_text(EVENTS_DIR "syscalls/sys_enter_openat/format", opened);
	lang_kernel_text(EVENTS_DIR "syscalls/sys_enter_openat/id", "600\n");
	lang_kernel_text(EVENTS_DIR "sched/sched_switch/format", switched);
	lang_kernel_text(EVENTS_DIR "sched/sched_switch/id", "300\n");
	lang_kernel_types();
}

#endif
