// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench-empty [-t] MECHANISM WHERE...
 *
 * Attaches a BPF program that does nothing, and keeps it attached until SIGINT: no tracer can cost less. With -t the
 * program reads the clock, as every program that measures time must. MECHANISM is sonde's name for it; WHERE is
 *	fentry, fexit, kprobe, kretprobe FUNCTION; raw_tp NAME; tp SYSTEM/NAME;
 *	kprobe.multi, kretprobe.multi FUNCTION | FILE-WITH-ADDRESSES (has a slash in its name);
 *	uprobe, uretprobe, uprobe.multi, uretprobe.multi PATH OFFSET
 *	sample HZ: of the processor's clock;
 *	kprobe.session as kprobe.multi, one program at entry and return
 * Two mechanisms with a + between them are attached to the same place.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#define ADDRESSES_MAX 100000

static bool reads_clock;

static int load(enum bpf_prog_type type, enum bpf_attach_type attach_type, __u32 btf_id)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach_type, .attach_btf_id = btf_id);
	struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(type, "bench_empty", "GPL", insns + !reads_clock, 2 + reads_clock, &opts);

	if (fd < 0)
		errx(1, "the kernel does not load the program: %s", strerror(-fd));
	return fd;
}

static int read_number(const char *path, const char *behind)
{
	char text[64] = "", *at = text;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		err(1, "%s", path);
	close(fd);
	if (behind && (at = strstr(text, behind)))
		at += strlen(behind);
	return at ? atoi(at) : 0;
}

static int pmu_number(const char *pmu, const char *file, const char *behind)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, file);
	return read_number(path, behind);
}

static int hang_on_event(struct perf_event_attr *attr, int program)
{
	int fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return fd;
}

static int attach_trampoline(bool ret, char **where)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(btf, where[0], BTF_KIND_FUNC) : -errno;
	int fd;

	if (id < 0)
		return id;
	fd = load(BPF_PROG_TYPE_TRACING, ret ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY, id);
	btf__free(btf);
	return bpf_raw_tracepoint_open(NULL, fd);
}

static int attach_probe(bool ret, char **where)
{
	bool user = where[1];
	const char *pmu = user ? "uprobe" : "kprobe";
	struct perf_event_attr attr = {
		.type = pmu_number(pmu, "type", NULL),
		.config = ret ? 1ULL << pmu_number(pmu, "format/retprobe", "config:") : 0,
		.config1 = (unsigned long)where[0],
		.config2 = user ? strtoull(where[1], NULL, 0) : 0,
	};

	return hang_on_event(&attr, load(BPF_PROG_TYPE_KPROBE, 0, 0));
}

static int attach_tracepoint(bool raw, char **where)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .sample_period = 1 };
	char path[256];

	if (raw)
		return bpf_raw_tracepoint_open(where[0], load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0));
	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", where[0]);
	attr.config = read_number(path, NULL);
	return hang_on_event(&attr, load(BPF_PROG_TYPE_TRACEPOINT, 0, 0));
}

static int attach_samples(bool unused, char **where)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 / atoi(where[0]),
	};

	return hang_on_event(&attr, load(BPF_PROG_TYPE_PERF_EVENT, 0, 0));
}

static size_t read_addresses(const char *path, unsigned long *addrs)
{
	FILE *f = fopen(path, "r");
	size_t n = 0;

	if (!f)
		err(1, "%s", path);
	while (n < ADDRESSES_MAX && fscanf(f, "%lx", &addrs[n]) == 1)
		n++;
	fclose(f);
	return n;
}

static int attach_multi(enum bpf_attach_type type, bool ret, char **where)
{
	static unsigned long addrs[ADDRESSES_MAX];
	LIBBPF_OPTS(bpf_link_create_opts, opts);

	if (strchr(where[0], '/')) {
		opts.kprobe_multi.cnt = read_addresses(where[0], addrs);
		opts.kprobe_multi.addrs = addrs;
	} else {
		opts.kprobe_multi.cnt = 1;
		opts.kprobe_multi.syms = (const char **)where;
	}
	opts.kprobe_multi.flags = ret ? BPF_F_KPROBE_MULTI_RETURN : 0;
	return bpf_link_create(load(BPF_PROG_TYPE_KPROBE, type, 0), 0, type, &opts);
}

static int attach_kprobe_multi(bool ret, char **where)
{
	return attach_multi(BPF_TRACE_KPROBE_MULTI, ret, where);
}

static int attach_kprobe_session(bool unused, char **where)
{
	return attach_multi(BPF_TRACE_KPROBE_SESSION, false, where);
}

static int attach_uprobe_multi(bool ret, char **where)
{
	unsigned long offset = where[1] ? strtoul(where[1], NULL, 0) : 0;
	LIBBPF_OPTS(bpf_link_create_opts, opts);

	opts.uprobe_multi.path = where[0];
	opts.uprobe_multi.offsets = &offset;
	opts.uprobe_multi.cnt = 1;
	opts.uprobe_multi.flags = ret ? BPF_F_UPROBE_MULTI_RETURN : 0;
	return bpf_link_create(load(BPF_PROG_TYPE_KPROBE, BPF_TRACE_UPROBE_MULTI, 0), 0,
			       BPF_TRACE_UPROBE_MULTI, &opts);
}

static const struct mechanism {
	const char *name;
	int (*attach)(bool variant, char **where);
	bool variant;
} mechanisms[] = {
	{ "fentry", attach_trampoline, false },
	{ "fexit", attach_trampoline, true },
	{ "kprobe", attach_probe, false },
	{ "kretprobe", attach_probe, true },
	{ "kprobe.multi", attach_kprobe_multi, false },
	{ "kretprobe.multi", attach_kprobe_multi, true },
	{ "kprobe.session", attach_kprobe_session, false },
	{ "raw_tp", attach_tracepoint, true },
	{ "tp", attach_tracepoint, false },
	{ "sample", attach_samples, false },
	{ "uprobe", attach_probe, false },
	{ "uretprobe", attach_probe, true },
	{ "uprobe.multi", attach_uprobe_multi, false },
	{ "uretprobe.multi", attach_uprobe_multi, true },
};

/* Waits for SIGINT and exits with 0. Unlike pause() in a loop, this misses no signal. */
static void hold(void)
{
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fprintf(stderr, "Tracing nothing.\n");
	sigwait(&set, &signal);
}

static void hang(const char *name, char **where)
{
	const struct mechanism *found = NULL;
	int fd;

	for (size_t i = 0; i < sizeof(mechanisms) / sizeof(*mechanisms); i++)
		if (!strcmp(name, mechanisms[i].name))
			found = &mechanisms[i];
	if (!found)
		errx(2, "no such mechanism");
	fd = found->attach(found->variant, where);
	if (fd < 0)
		errx(1, "%s is not to be had: %s", found->name, strerror(-fd));
}

int main(int argc, char **argv)
{
	reads_clock = argc > 1 && !strcmp(argv[1], "-t");
	argc -= reads_clock;
	argv += reads_clock;
	if (argc < 3)
		errx(2, "what to hang where?");
	for (char *name = strtok(argv[1], "+"); name; name = strtok(NULL, "+"))
		hang(name, argv + 2);
	hold();
	return 0;
}
