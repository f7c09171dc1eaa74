// SPDX-License-Identifier: BSD-2-Clause
/* Loads and holds the programs that follow a command's forks: one for forks, one for processes that are freed. */
#include <sys/syscall.h>
#include <linux/perf_event.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/attach.h"
#include "attach/quirks.h"
#include "base/process.h"
#include "base/report.h"
#include "base/str.h"
#include "bpf/filter.h"
#include "bpf/follow.skel.h"
#include "filter.h"
#include "follow.h"
#include "kernel/kernel.h"
#include "object.h"

enum {
	FORK,
	FREE,
	PROGRAMS,
};

/* Each by a raw tracepoint or by perf's. */
static const struct {
	const char *raw, *record, *tracepoint;
} programs[PROGRAMS] = {
	[FORK] = { "follow_fork", "follow_fork_record", "sched_process_fork" },
	[FREE] = { "follow_free", "follow_free_record", "sched_process_free" },
};

struct follow {
	struct object object;
	bool by_perf;
	struct bpf_link *links[PROGRAMS];
	int fds[PROGRAMS]; /* of the programs, which are the object's */
	uint32_t living;   /* a member that was seen last; 0: none */
};

/* Rows of the map of members that are read at once. */
#define ROWS 256

/* Finds the command by a program that runs in our own process, since the command is our child. */
static int adopt(const struct follow *follow, pid_t command, struct err *err)
{
	const struct bpf_program *program;
	__u64 args[] = { command };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	int ret = object_program(&follow->object, "follow_adopt", &program, err);

	if (ret)
		return ret;
	ret = bpf_prog_test_run_opts(bpf_program__fd(program), &opts);
	if (!ret && opts.retval != 1)
		ret = -ESRCH;
	return ret ? err_set(err, ret, "%s", strerror(-ret)) : 0;
}

/* Perf's tracepoints have a number in tracefs, which may not be there. */
static bool has_perf_tracepoints(void)
{
	for (size_t i = 0; i < PROGRAMS; i++)
		if (kernel_tracepoint_id("sched", programs[i].tracepoint) < 0)
			return false;
	return true;
}

/*
 * Every process's, whatever the processor: the kernel asks the event's processor only for samples, which nobody reads.
 */
static struct bpf_link *attach_perf(const struct bpf_program *program, const char *tracepoint)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = kernel_tracepoint_id("sched", tracepoint),
		.sample_period = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link = fd < 0 ? NULL : bpf_program__attach_perf_event(program, fd);

	if (fd >= 0 && !link)
		close(fd);
	return link;
}

static int attach_one(struct follow *follow, size_t i, struct err *err)
{
	const char *name = follow->by_perf ? programs[i].record : programs[i].raw;
	const struct bpf_program *program;
	int ret = object_program(&follow->object, name, &program, err);

	if (ret)
		return ret;
	follow->links[i] = follow->by_perf ? attach_perf(program, programs[i].tracepoint)
					   : bpf_program__attach(program);
	follow->fds[i] = bpf_program__fd(program);
	return follow->links[i] ? 0 : err_set(err, -errno, "%s", strerror(errno));
}

/* Whom to follow: a command, a service or processes. */
struct start {
	pid_t command;
	const struct service *service;
	const struct engine_context *processes;
	int members;
};

/* Whether new processes are members: else those that are there are forgotten when they end, and no more. */
static bool is_wanted(const struct start *from, size_t i)
{
	return i == FREE || !from->processes || from->processes->pids.children;
}

/* Loads the programs for one of the two ways. */
static int load(struct follow *follow, const struct start *from, struct err *err)
{
	int ret = object_open(&follow->object, follow_bpf__elf_bytes, err);

	follow->by_perf = quirk_preemptible() && has_perf_tracepoints();
	if (!ret)
		ret = object_reuse_map(&follow->object, "members", from->members, err);
	for (size_t i = 0; !ret && i < PROGRAMS; i++)
		ret = object_skip_program(&follow->object, follow->by_perf ? programs[i].raw : programs[i].record, err);
	for (size_t i = 0; !ret && i < PROGRAMS; i++)
		if (!is_wanted(from, i))
			ret = object_skip_program(&follow->object, follow->by_perf ? programs[i].record : programs[i].raw,
						  err);
	if (!ret)
		ret = object_skip_program(&follow->object, from->command ? "follow_add" : "follow_adopt", err);
	if (!ret)
		ret = object_load(&follow->object, err);
	return ret;
}

/* A program writes to the map: it has many processes in an element, and forks change others of them meanwhile. */
static void add_member(uint32_t tgid, void *ctx)
{
	__u64 args[] = { tgid };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

	bpf_prog_test_run_opts(*(const int *)ctx, &opts);
}

static int add_members(const struct follow *follow, const struct start *from, struct err *err)
{
	const struct bpf_program *program;
	int ret = object_program(&follow->object, "follow_add", &program, err), fd;

	if (ret)
		return ret;
	fd = bpf_program__fd(program);
	if (from->service)
		service_each(from->service, add_member, &fd);
	for (size_t i = 0; from->processes && i < from->processes->pids.n; i++)
		add_member(from->processes->pids.v[i], &fd);
	return 0;
}

/* What a process of the service, or a named one, forks from now on is followed, so the programs are attached first. */
static int start(struct follow *follow, const struct start *from, struct err *err)
{
	int ret = load(follow, from, err);

	for (size_t i = 0; !ret && i < PROGRAMS; i++)
		if (is_wanted(from, i))
			ret = attach_one(follow, i, err);
	if (ret)
		return ret;
	return from->command ? adopt(follow, from->command, err) : add_members(follow, from, err);
}

static int try_start(struct follow **follow, const struct start *from, struct err *err)
{
	struct follow *new = base_alloc(sizeof(*new));
	struct err cause = {};
	const char *why;
	int ret = start(new, from, &cause);

	if (!ret) {
		*follow = new;
		return 0;
	}
	follow_free(new);
	why = ret == -EPERM ? quirk_denial() : quirk_refusal();
	if (!why)
		why = cause.text;
	if (from->processes && !from->processes->pids.children)
		return err_set(err, ret, "several processes cannot be told apart: %s", why);
	return err_set(err, ret, "the %s's children cannot be followed: %s",
		       from->service ? "service" : from->command ? "command"
								 : "process",
		       why);
}

int follow_start(struct follow **follow, pid_t command, int members_fd, struct err *err)
{
	return try_start(follow, &(struct start){ .command = command, .members = members_fd }, err);
}

int follow_start_service(struct follow **follow, const struct service *service, int members_fd, struct err *err)
{
	return try_start(follow, &(struct start){ .service = service, .members = members_fd }, err);
}

int follow_start_processes(struct follow **follow, const struct engine_context *ctx, int members_fd, struct err *err)
{
	return try_start(follow, &(struct start){ .processes = ctx, .members = members_fd }, err);
}

/* A zombie is a member until its parent has asked for its status. */
static uint32_t living_of(const unsigned char *members, uint32_t n, uint32_t first)
{
	for (uint32_t i = 0; i < n; i++)
		if (members[i] && !process_has_ended(first + i))
			return first + i;
	return 0;
}

bool follow_has_living(struct follow *follow)
{
	unsigned char *members __free = base_alloc(ROWS * FILTER_MEMBERS_ROW);
	int fd = object_map_fd(&follow->object, "members"), ret = 0;
	uint32_t keys[ROWS], from, next, n, row = 0;

	if (follow->living && !process_has_ended(follow->living))
		return true;
	for (follow->living = 0; !ret && !follow->living; row += n) {
		n = ROWS;
		/* of the last rows it says -ENOENT */
		ret = bpf_map_lookup_batch(fd, row ? &from : NULL, &next, keys, members, &n, NULL);
		from = next;
		/* nothing is known: it is asked again */
		if (ret && ret != -ENOENT)
			return true;
		follow->living = living_of(members, n * FILTER_MEMBERS_ROW, row * FILTER_MEMBERS_ROW);
	}
	return follow->living;
}

void follow_losses(const struct follow *follow)
{
	uint64_t missed = follow->links[FORK] ? attach_program_missed(follow->fds[FORK]) : 0;

	if (missed)
		report_note("%llu fork%s missed by the kernel: children may be missing",
			    (unsigned long long)missed, str_plural(missed));
}

void follow_free(struct follow *follow)
{
	if (!follow)
		return;
	for (size_t i = 0; i < PROGRAMS; i++)
		bpf_link__destroy(follow->links[i]);
	object_release(&follow->object);
	free(follow);
}
