// SPDX-License-Identifier: BSD-2-Clause
/*
 * pin program PATH | pin map PATH | pin link PATH: pins a BPF object that only the pin keeps; creates missing
 * directories. The link attaches a program that does nothing to the raw tracepoint sched_process_hang.
 * pin hold PATH...: holds the objects of these pins open until it is killed. Prints "did hold N" when all are open.
 */
#include <err.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int make_program(void)
{
	/* r0 = 0; exit */
	struct bpf_insn code[] = { { .code = 0xb7 }, { .code = 0x95 } };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = (uintptr_t)code,
		.insn_cnt = 2,
		.license = (uintptr_t) "GPL",
		.prog_name = "pinned",
	};

	return sys_bpf(BPF_PROG_LOAD, &attr);
}

static int make_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 8,
		.max_entries = 1,
		.map_name = "pinned",
	};

	return sys_bpf(BPF_MAP_CREATE, &attr);
}

static int make_link(void)
{
	union bpf_attr attr = {
		.raw_tracepoint.name = (uintptr_t) "sched_process_hang",
		.raw_tracepoint.prog_fd = make_program(),
	};

	return sys_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

static void make_directories(char *path)
{
	for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static void hold(char **paths, int n)
{
	for (int i = 0; i < n; i++) {
		union bpf_attr attr = { .pathname = (uintptr_t)paths[i] };

		if (sys_bpf(BPF_OBJ_GET, &attr) < 0)
			err(1, "%s", paths[i]);
	}
	printf("did hold %d\n", n);
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	/* 5.10 counts BPF objects as locked memory, those of a tracer beside us as well */
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	union bpf_attr attr = {};
	int fd = -1;

	if (setrlimit(RLIMIT_MEMLOCK, &unlimited))
		err(1, "setrlimit");
	if (argc > 2 && !strcmp(argv[1], "hold"))
		hold(argv + 2, argc - 2);
	if (argc != 3)
		errx(2, "usage: pin program|map|link|hold PATH...");
	if (!strcmp(argv[1], "program"))
		fd = make_program();
	else if (!strcmp(argv[1], "map"))
		fd = make_map();
	else if (!strcmp(argv[1], "link"))
		fd = make_link();
	if (fd < 0)
		err(1, "%s", argv[1]);
	make_directories(argv[2]);
	attr.pathname = (uintptr_t)argv[2];
	attr.bpf_fd = fd;
	if (sys_bpf(BPF_OBJ_PIN, &attr))
		err(1, "%s", argv[2]);
	return 0;
}
