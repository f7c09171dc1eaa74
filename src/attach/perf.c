// SPDX-License-Identifier: BSD-2-Clause
/* Attaches programs to perf events, which every kernel supports. */
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "mechanism.h"
#include "quirks.h"

static int read_number(const char *path, const char *skip_until)
{
	__close int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[64] = "", *number = text;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return -ENOTSUP;
	if (skip_until)
		number = strstr(text, skip_until);
	return number ? atoi(number + (skip_until ? strlen(skip_until) : 0)) : -ENOTSUP;
}

static int read_bit(const char *pmu, const char *format, int otherwise)
{
	__free char *path = base_printf("/sys/bus/event_source/devices/%s/format/%s", pmu, format);
	int bit = read_number(path, "config:");

	return bit < 0 ? otherwise : bit;
}

static const struct perf_pmu *pmu_read(struct perf_pmu *pmu, const char *name)
{
	__free char *path = base_printf("/sys/bus/event_source/devices/%s/type", name);

	if (pmu->type)
		return pmu;
	pmu->type = read_number(path, NULL);
	pmu->return_bit = read_bit(name, "retprobe", 0);
	pmu->ref_ctr_bit = read_bit(name, "ref_ctr_offset", 32);
	return pmu;
}

const struct perf_pmu *perf_pmu_kprobe(void)
{
	static struct perf_pmu pmu;

	return pmu_read(&pmu, "kprobe");
}

const struct perf_pmu *perf_pmu_uprobe(void)
{
	static struct perf_pmu pmu;

	return pmu_read(&pmu, "uprobe");
}

struct copy copy_by_cookie(enum bpf_prog_type type, const struct target *target)
{
	if (quirk_cookies())
		return (struct copy){ .type = type, .how = SLOT_COOKIE };
	return (struct copy){ .type = type, .how = SLOT_CONSTANT, .value = target->slot };
}

int perf_link(int program, struct perf_event_attr *attr, pid_t pid, int cpu, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	__close int event = -1;

	attr->size = sizeof(*attr);
	event = syscall(SYS_perf_event_open, attr, pid > 0 ? pid : -1, pid > 0 ? -1 : cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	if (quirk_cookies())
		return bpf_link_create(program, event, BPF_PERF_EVENT, &opts);
	if (ioctl(event, PERF_EVENT_IOC_SET_BPF, program) || ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return take_fd(event);
}

/* Any processor will do: the program is attached to the probe and runs on all. */
int perf_attach(struct attach *attach, struct perf_event_attr *attr, pid_t pid,
		const struct copy *copy, const struct target *target)
{
	int program = copy_load(attach, copy);

	return program < 0 ? program : perf_link(program, attr, pid, 0, target->slot);
}
