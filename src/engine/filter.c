// SPDX-License-Identifier: BSD-2-Clause
/* Writes filters into BPF objects; asks the kernel about our pid namespace. */
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <bpf/bpf.h>

#include "filter.h"
#include "follow.h"
#include "object.h"

void filter_read_pidns(unsigned long long *dev, unsigned long long *ino)
{
	struct stat ns;

	if (stat("/proc/self/ns/pid", &ns) || ns.st_ino == FILTER_FIRST_PIDNS)
		return;
	/* the kernel's own encoding of dev_t, which differs from that of stat(2) */
	*dev = (uint64_t)major(ns.st_dev) << 20 | minor(ns.st_dev);
	*ino = ns.st_ino;
}

uint32_t filter_pidns(void)
{
	unsigned long long dev, ino = 0;

	filter_read_pidns(&dev, &ino);
	return ino;
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

int filter_before(const struct engine_instance *instance, struct object *object, struct err *err)
{
	const struct filter *filter = &instance->filter;
	int ret = object_fill(object, ".rodata.filter", filter, sizeof(*filter), err);

	if (!ret)
		ret = object_size_map(object, "cgroups", filter->by_cgroup, err);
	if (!ret && filter->by_members)
		ret = object_size_map(object, "members", pid_max() / FILTER_MEMBERS_ROW + 1, err);
	return ret;
}

static int set_cgroup(const struct object *object, int cgroup, struct err *err)
{
	uint32_t first = 0;
	int ret = bpf_map_update_elem(object_map_fd(object, "cgroups"), &first, &cgroup, BPF_ANY);

	return ret ? err_set(err, ret, "the kernel refuses this cgroup as a filter: %s", strerror(-ret)) : 0;
}

int filter_after(struct engine_instance *instance, const struct object *object, struct err *err)
{
	const struct engine_context *ctx = instance->ctx;
	int ret = ctx->cgroup >= 0 ? set_cgroup(object, ctx->cgroup, err) : 0, members;

	/* a second object of the instance has the map of the first one */
	if (ret || !instance->filter.by_members || instance->follow)
		return ret;
	members = object_map_fd(object, "members");
	if (ctx->service)
		return follow_start_service(&instance->follow, ctx->service, members, err);
	if (!ctx->command.pid)
		return follow_start_processes(&instance->follow, ctx, members, err);
	return follow_start(&instance->follow, ctx->command.pid, members, err);
}
