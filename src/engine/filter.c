// SPDX-License-Identifier: BSD-2-Clause
/* Writes filters into BPF objects; asks the kernel about our pid namespace. */
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/stat.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "filter.h"
#include "follow.h"

uint32_t filter_pidns(void)
{
	struct stat ns;

	return stat("/proc/self/ns/pid", &ns) || ns.st_ino == FILTER_FIRST_PIDNS ? 0 : ns.st_ino;
}

/* A program that runs in our own process is asked: no file says how a namespace around ours numbers it. */
static uint32_t host_process(void)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid },
		{ .code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = BPF_REG_0, .imm = 32 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	__close int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "own_process", "GPL", insns, ARRAY_SIZE(insns), NULL);

	return fd < 0 || bpf_prog_test_run_opts(fd, &opts) ? 0 : opts.retval;
}

uint32_t filter_own_process(void)
{
	return filter_pidns() ? host_process() : (uint32_t)getpid();
}

/* Ids of the host: from inside a pid namespace, which may have a limit of its own, the most there can be. */
static uint32_t pid_max(void)
{
	__close int fd = open("/proc/sys/kernel/pid_max", O_RDONLY | O_CLOEXEC);
	char text[16] = "";
	struct stat ns;

	if (!stat("/proc/self/ns/pid", &ns) && ns.st_ino == FILTER_FIRST_PIDNS && fd >= 0 &&
	    read(fd, text, sizeof(text) - 1) > 0 && atoi(text) > 0)
		return atoi(text);
	return 4 * 1024 * 1024;
}

int filter_before(const struct engine_instance *instance, struct bpf_object *object, struct err *err)
{
	const struct filter *filter = &instance->filter;
	struct bpf_map *rodata = bpf_object__find_map_by_name(object, ".rodata.filter");
	struct bpf_map *members = bpf_object__find_map_by_name(object, "members");
	struct bpf_map *cgroups = bpf_object__find_map_by_name(object, "cgroups");
	size_t size;
	void *value = rodata ? bpf_map__initial_value(rodata, &size) : NULL;

	if (!value || !members || !cgroups || size < sizeof(*filter))
		return err_set(err, -ENOENT, "the BPF object has no filter");
	memcpy(value, filter, sizeof(*filter));
	bpf_map__set_autocreate(cgroups, filter->by_cgroup);
	if (filter->by_members)
		bpf_map__set_max_entries(members, pid_max() / FILTER_MEMBERS_ROW + 1);
	return 0;
}

static int set_cgroup(struct bpf_object *object, int cgroup, struct err *err)
{
	uint32_t first = 0;
	int ret = bpf_map_update_elem(bpf_object__find_map_fd_by_name(object, "cgroups"), &first, &cgroup, BPF_ANY);

	return ret ? err_set(err, ret, "the kernel refuses this cgroup as a filter: %s", strerror(-ret)) : 0;
}

int filter_after(struct engine_instance *instance, struct bpf_object *object, struct err *err)
{
	const struct engine_context *ctx = instance->ctx;
	int ret = ctx->cgroup >= 0 ? set_cgroup(object, ctx->cgroup, err) : 0;

	if (ret || !ctx->command.pid)
		return ret;
	return follow_start(&instance->follow, ctx->command.pid, bpf_object__find_map_fd_by_name(object, "members"), err);
}
