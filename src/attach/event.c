// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events that perf counts: the program runs once in so many of them. Time is one of these, the clock of each
 * processor. It is the kernel's own and needs no counters of the processor, so virtual machines have it too. The
 * period is fixed. With a frequency instead, perf would shorten it after each pause: too many samples would be of
 * tasks that just woke.
 */
#include <dirent.h>
#include <linux/bpf.h>

#include "base/cpus.h"
#include "mechanism.h"
#include "quirks.h"

static const char *event_refuses(const struct attach *attach, const struct candidate *candidate, size_t n)
{
	return NULL;
}

static struct perf_event_attr attr_of(const struct target_event *event)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.config = event->config,
		.sample_period = event->period,
		.exclude_idle = event->exclude_idle,
	};

	if (event->type == PERF_TYPE_BREAKPOINT) {
		attr.bp_addr = event->address;
		attr.bp_len = event->access == TARGET_EXECUTE ? sizeof(long) : event->length;
		attr.bp_type = event->access;
	}
	return attr;
}

/* The links of one target; the fd of the first one represents it. */
struct links_of {
	struct attach *attach;
	size_t before; /* how many links there were */
	int first;     /* -1: none yet */
};

static void add_link(struct links_of *links, int fd)
{
	if (links->first < 0)
		links->first = fd;
	else
		attached_also(links->attach, fd, MECH_EVENT);
}

/* Returns the first link, or closes all of them and returns the error. */
static int end_links(struct links_of *links, int error)
{
	struct attach *attach = links->attach;

	if (!error && links->first >= 0)
		return links->first;
	while (attach->links.n > links->before)
		close(attach->links.v[--attach->links.n].fd);
	if (links->first >= 0)
		close(links->first);
	return error ? error : -ENODEV;
}

/* Attaches to all processors that are online, or to none. ENODEV: the processor is not online. */
static int attach_processors(struct attach *attach, const struct target *target, int program)
{
	struct links_of links = { attach, attach->links.n, -1 };

	for (int cpu = 0; cpu < cpus_ids(); cpu++) {
		struct perf_event_attr attr = attr_of(target->event);
		int fd;

		if (target->event->cpus && !target->event->cpus[cpu])
			continue;
		fd = perf_link(program, &attr, 0, cpu, target->slot);
		if (fd >= 0)
			add_link(&links, fd);
		else if (fd != -ENODEV)
			return end_links(&links, fd);
	}
	return end_links(&links, 0);
}

/* Attaches to the threads of a process, and by inheritance to those that they start. ESRCH: the thread has ended. */
static int attach_threads(struct attach *attach, const struct target *target, int program)
{
	struct links_of links = { attach, attach->links.n, -1 };
	__free char *path = base_printf("/proc/%d/task", attach->options.pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	int fd = 0;

	if (!dir)
		return -errno;
	while ((fd >= 0 || fd == -ESRCH) && (entry = readdir(dir))) {
		struct perf_event_attr attr = attr_of(target->event);

		if (entry->d_name[0] == '.')
			continue;
		attr.inherit = 1;
		fd = perf_link(program, &attr, atoi(entry->d_name), -1, target->slot);
		if (fd >= 0)
			add_link(&links, fd);
	}
	closedir(dir);
	return end_links(&links, fd < 0 && fd != -ESRCH ? fd : 0);
}

/*
 * An address belongs to one process, so its breakpoint is set in that. All else is counted on each processor, and the
 * program's filter chooses: so threads and children that come later count, too.
 */
static int event_one(struct attach *attach, struct candidate *candidate)
{
	const struct target *target = candidate->target;
	const struct copy copy = { .type = BPF_PROG_TYPE_PERF_EVENT, .how = SLOT_CONSTANT, .value = target->slot };
	bool is_address = target->event->type == PERF_TYPE_BREAKPOINT && attach->options.pid;
	int program = copy_load(attach, &copy), fd;

	if (program < 0)
		return program;
	fd = is_address ? attach_threads(attach, target, program) : attach_processors(attach, target, program);
	if (fd == -EACCES || fd == -EPERM)
		attach->rejected = quirk_perf_denial();
	else if (fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV)
		attach->rejected = "this machine does not count such events";
	else if (fd == -ENOSPC)
		attach->rejected = "all watchpoints of the processor are in use";
	return fd;
}

static int event_attach(struct attach *attach, struct candidate **candidates, size_t n, struct err *err)
{
	return attach_each(attach, candidates, n, MECH_EVENT, event_one);
}

const struct mechanism mechanism_event = {
	.mech = MECH_EVENT,
	.kind = TARGET_EVENT,
	.refuses = event_refuses,
	.attach = event_attach,
};
