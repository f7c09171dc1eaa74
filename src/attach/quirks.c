// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds out what the running kernel can do by asking it: a trial load, a call that must fail in a certain way, the
 * length of an answer. The only C file that knows differences between kernels.
 */
#include <fcntl.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <sys/resource.h>

#include "base/mount.h"
#include "base/caps.h"
#include "base/word.h"
#include "bpf/slot.h"
#include "kernel/kernel.h"
#include "kernel/types.h"
#include "quirks.h"
#include "tracing_multi.h"

/* No kernel refuses a map's value for being so large. */
#define VALUE_SURE (1 << 20)
#define ENDBR_SIZE 4

enum answer {
	UNKNOWN,
	NO,
	YES
};

/* Asks once: a kernel does not change while sonde runs. */
static bool remember(enum answer *answer, bool (*ask)(void))
{
	if (*answer == UNKNOWN)
		*answer = ask() ? YES : NO;
	return *answer == YES;
}

/* Defines quirk_NAME(), the remembered answer of ask_NAME(). */
#define QUIRK(name) \
	bool quirk_##name(void) \
	{ \
		static enum answer answer; \
\
		return remember(&answer, ask_##name); \
	}

/* A program that calls one helper. */
static int trial_load(enum bpf_prog_type type, enum bpf_attach_type attach_type, int helper)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach_type);
	struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = helper },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(type, "sonde_trial", "GPL", insns, ARRAY_SIZE(insns), &opts);
}

static bool ask_cookies(void)
{
	__close int fd = trial_load(BPF_PROG_TYPE_KPROBE, 0, BPF_FUNC_get_attach_cookie);

	return fd >= 0;
}

QUIRK(cookies)

/* The trial lacks arguments: a kernel that knows the helper misses those. */
bool quirk_helper(int helper)
{
	__close int fd = trial_load(BPF_PROG_TYPE_KPROBE, 0, helper);

	return fd >= 0 || fd == -EACCES;
}

/* The trial lacks the helper's argument. A kernel that knows the helper refuses it for that reason. */
static bool ask_task_regs(void)
{
	__close int fd = trial_load(BPF_PROG_TYPE_TRACEPOINT, 0, BPF_FUNC_task_pt_regs);

	return fd == -EACCES;
}

QUIRK(task_regs)

/*
 * Only a program on a trampoline may call them, and a trial would need a function to attach to. So this asks for a
 * helper of the same release; the trial lacks its arguments, as above.
 */
static bool ask_func_args(void)
{
	__close int fd = trial_load(BPF_PROG_TYPE_KPROBE, 0, BPF_FUNC_strncmp);

	return fd == -EACCES;
}

QUIRK(func_args)

/* An older kernel reports how much of the struct it knows. */
static bool ask_counts_recursion(void)
{
	__close int fd = trial_load(BPF_PROG_TYPE_KPROBE, 0, BPF_FUNC_ktime_get_ns);
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	return fd >= 0 && !bpf_prog_get_info_by_fd(fd, &info, &len) &&
	       len > offsetof(struct bpf_prog_info, recursion_misses);
}

QUIRK(counts_recursion)

/* Nothing shows it directly. A helper that came with the same release does, also where both were backported. */
static bool ask_guards_raw_tp(void)
{
	__close int fd = trial_load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, BPF_FUNC_ktime_get_tai_ns);

	return fd >= 0;
}

QUIRK(guards_raw_tp)

static bool ask_swaps(void)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_0, .off = -8 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW,
		  .dst_reg = BPF_REG_10,
		  .src_reg = BPF_REG_0,
		  .off = -8,
		  .imm = BPF_CMPXCHG },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	__close int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "sonde_trial", "GPL", insns, ARRAY_SIZE(insns), NULL);

	return fd >= 0;
}

QUIRK(swaps)

bool quirk_value_size(size_t size)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	__close int fd = -1;

	if (size <= VALUE_SURE)
		return true;
	if (size > INT32_MAX)
		return false;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "sonde_trial", sizeof(uint32_t), size, 1, &opts);
	return fd >= 0;
}

bool quirk_large_keys(void)
{
	__close int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "sonde_trial", 2 * 512, sizeof(uint32_t), 1, NULL);

	return fd >= 0;
}

/* Addresses that cannot be read: a kernel that has kprobe.multi faults on them, another does not look. */
static bool accepts_kprobe_multi(enum bpf_attach_type type)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	__close int fd = trial_load(BPF_PROG_TYPE_KPROBE, type, BPF_FUNC_ktime_get_ns);
	int link;

	if (fd < 0)
		return false;
	opts.kprobe_multi.addrs = (void *)1;
	opts.kprobe_multi.cnt = 1;
	link = bpf_link_create(fd, 0, type, &opts);
	if (link >= 0)
		close(link);
	return link == -EFAULT;
}

static bool ask_kprobe_multi(void)
{
	return accepts_kprobe_multi(BPF_TRACE_KPROBE_MULTI);
}

QUIRK(kprobe_multi)

/* ftrace's address is the first instruction, or the second if the first one marks a jump target (endbr64). */
bool quirk_kprobe_by_ftrace(uint64_t offset)
{
#if defined(__x86_64__)
	return offset <= ENDBR_SIZE;
#else
	return false;
#endif
}

/* Addresses that cannot be read, as above. */
static bool ask_tracing_multi(void)
{
	__close int fd = trial_load(BPF_PROG_TYPE_TRACING, TRACING_FENTRY_MULTI, BPF_FUNC_ktime_get_ns);
	int link = fd < 0 ? fd : tracing_multi_link(fd, TRACING_FENTRY_MULTI, (void *)1, NULL, 1);

	if (link >= 0)
		close(link);
	return link == -EFAULT;
}

QUIRK(tracing_multi)

static bool ask_kprobe_session(void)
{
	return accepts_kprobe_multi(BPF_TRACE_KPROBE_SESSION);
}

QUIRK(kprobe_session)

static int is_rethook(const char *name, uint32_t id, void *ctx)
{
	return !strcmp(name, "fprobe_exit_handler");
}

/* Newer kernels keep returns on the stack of function graphs, and have no handler for those of rethook any more. */
static bool ask_multi_returns_last_first(void)
{
	struct err err = {};

	return !kernel_each_btf_func(is_rethook, NULL, &err);
}

QUIRK(multi_returns_last_first)

/* Tries to link a program to uprobes of a directory. Returns the error: -EBADF if only the file is wrong. */
static int try_uprobes(enum bpf_attach_type type, int pid)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	unsigned long offset = 0;
	__close int fd = trial_load(BPF_PROG_TYPE_KPROBE, type, BPF_FUNC_ktime_get_ns);
	int link;

	if (fd < 0)
		return fd;
	opts.uprobe_multi.path = "/";
	opts.uprobe_multi.offsets = &offset;
	opts.uprobe_multi.cnt = 1;
	opts.uprobe_multi.pid = pid;
	link = bpf_link_create(fd, -1, type, &opts);
	if (link >= 0)
		close(link);
	return link;
}

/* The kernel checks the path before the pid, and a kernel with the right filter refuses -1 as a number. */
static bool ask_uprobe_multi(void)
{
	return try_uprobes(BPF_TRACE_UPROBE_MULTI, 0) == -EBADF && try_uprobes(BPF_TRACE_UPROBE_MULTI, -1) == -EINVAL;
}

QUIRK(uprobe_multi)

/* The kernel does not say it; sessions of uprobes came with the same version. */
static bool ask_private_stacks(void)
{
	return try_uprobes(BPF_TRACE_UPROBE_SESSION, 0) == -EBADF;
}

QUIRK(private_stacks)

/* Where a struct of the kernel proper has a member, in bits. -ENOENT: it has none, or its types cannot be read. */
static int64_t member_offset(const char *name, const char *member)
{
	struct kernel_types *types = kernel_types_new();
	struct err err;
	int kernel = kernel_types_module(types, NULL, &err);
	uint32_t id = kernel < 0 ? 0 : kernel_types_find(types, kernel, name, 1U << BTF_KIND_STRUCT, &err);
	const struct btf_type *type = id ? kernel_types_get(types, kernel, id) : NULL;
	const struct btf_member *members = (const void *)(type + 1);
	int64_t offset = -ENOENT;

	for (uint32_t i = 0; type && i < BTF_INFO_VLEN(type->info); i++)
		if (!strcmp(kernel_types_string(types, kernel, members[i].name_off), member))
			offset = members[i].offset;
	kernel_types_free(types);
	return offset;
}

bool quirk_kprobe_has_address(void)
{
	return member_offset("kprobe", "addr") == SLOT_KPROBE_ADDR * 8;
}

/* The same change gave programs a member that says whose function they are attached to. */
static bool ask_trampolines_of_modules(void)
{
	return member_offset("bpf_prog_aux", "mod") >= 0;
}

QUIRK(trampolines_of_modules)

/* "none voluntary (full) lazy": the model in use is in parentheses. False: who asks may not see it. */
static bool preemption_is(const char *one, const char *other)
{
	__close int debugfs = mount_own("debugfs");
	__close int fd = debugfs < 0 ? -1 : openat(debugfs, "sched/preempt", O_RDONLY | O_CLOEXEC);
	char text[64] = "";

	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && (strstr(text, one) || strstr(text, other));
}

static bool ask_preemptible(void)
{
	return preemption_is("(full)", "(lazy)");
}

QUIRK(preemptible)

static bool ask_never_preempted(void)
{
	return preemption_is("(none)", "(voluntary)");
}

QUIRK(never_preempted)

/* From the kernel's __noreturn annotations; newer kernels refuse a return trampoline on these by themselves. */
bool quirk_never_returns(const char *function)
{
	static const char names[] =
		"__ia32_sys_exit __ia32_sys_exit_group __module_put_and_kthread_exit __stack_chk_fail "
		"__x64_sys_exit __x64_sys_exit_group __arm64_sys_exit __arm64_sys_exit_group "
		"cpu_startup_entry do_exit do_group_exit do_task_dead kthread_complete_and_exit kthread_exit "
		"make_task_dead panic rewind_stack_and_make_dead";

	return word_is_in(function, names);
}

const char *quirk_refusal(void)
{
	return kernel_locked_down();
}

/* Before 5.11 BPF memory counts as locked memory. libbpf removes the limit, which needs a capability. */
static bool short_of_locked_memory(void)
{
	struct rlimit limit;
	__close int fd = -1;

	if (base_capable(CAP_SYS_RESOURCE) || getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return false;
	/* new in 5.11; if the limit makes the trial fail, too, the limit is the reason */
	fd = trial_load(BPF_PROG_TYPE_SOCKET_FILTER, 0, BPF_FUNC_ktime_get_coarse_ns);
	return fd < 0;
}

const char *quirk_denial(void)
{
	const char *refusal = quirk_refusal();

	if (refusal)
		return refusal;
	if (short_of_locked_memory())
		return "this kernel counts BPF's memory as locked, and the limit is too low: ulimit -l unlimited, or "
		       "CAP_SYS_RESOURCE";
	if (base_capable(CAP_SYS_ADMIN))
		return "the kernel does not permit it";
	/* without addresses each function needs a link of its own, for which perf may need more capabilities */
	if (quirk_kprobe_multi() && !base_capable(CAP_SYSLOG))
		return "the kernel does not permit it without CAP_SYS_ADMIN, or CAP_SYSLOG for kernel functions";
	return "the kernel does not permit it without CAP_SYS_ADMIN";
}

const char *quirk_perf_denial(void)
{
	const char *refusal = quirk_refusal();

	if (refusal)
		return refusal;
	if (base_capable(CAP_SYS_ADMIN))
		return "the kernel does not permit perf events here (seccomp, or a security module)";
	/* Debian's kernels have levels of kernel.perf_event_paranoid for which CAP_PERFMON is not enough */
	if (base_capable(CAP_PERFMON))
		return "the kernel does not permit perf events without CAP_SYS_ADMIN (sysctl "
		       "kernel.perf_event_paranoid, seccomp, or a security module)";
	return "perf events of all processes need CAP_PERFMON or CAP_SYS_ADMIN, or sysctl kernel.perf_event_paranoid=0";
}
