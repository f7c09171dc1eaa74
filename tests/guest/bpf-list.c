// SPDX-License-Identifier: BSD-2-Clause
/*
 * bpf-list
 *
 * Prints a line for each BPF object that the kernel holds, "prog ID TYPE NAME", "map ID TYPE NAME" and
 * "link ID TYPE PROG-ID" (types as numbers of enum bpf_prog_type, bpf_map_type, bpf_link_type),
 * from the bpf system call alone, so that tests of what sonde leaves behind trust nothing that sonde is made of.
 */
#include <err.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void print_prog(union bpf_attr *attr)
{
	struct bpf_prog_info info = {};

	attr->info.info_len = sizeof(info);
	attr->info.info = (uintptr_t)&info;
	if (!sys_bpf(BPF_OBJ_GET_INFO_BY_FD, attr))
		printf("prog %u %u %s\n", info.id, info.type, info.name);
}

static void print_map(union bpf_attr *attr)
{
	struct bpf_map_info info = {};

	attr->info.info_len = sizeof(info);
	attr->info.info = (uintptr_t)&info;
	if (!sys_bpf(BPF_OBJ_GET_INFO_BY_FD, attr))
		printf("map %u %u %s\n", info.id, info.type, info.name);
}

static void print_link(union bpf_attr *attr)
{
	struct bpf_link_info info = {};

	attr->info.info_len = sizeof(info);
	attr->info.info = (uintptr_t)&info;
	if (!sys_bpf(BPF_OBJ_GET_INFO_BY_FD, attr))
		printf("link %u %u %u\n", info.id, info.type, info.prog_id);
}

static const struct kind {
	const char *name;
	int next, open;
	void (*print)(union bpf_attr *attr);
} kinds[] = {
	{ "programs", BPF_PROG_GET_NEXT_ID, BPF_PROG_GET_FD_BY_ID, print_prog },
	{ "maps", BPF_MAP_GET_NEXT_ID, BPF_MAP_GET_FD_BY_ID, print_map },
	{ "links", BPF_LINK_GET_NEXT_ID, BPF_LINK_GET_FD_BY_ID, print_link },
};

static void list(const struct kind *kind)
{
	uint32_t id = 0;

	for (;;) {
		union bpf_attr attr = { .start_id = id };
		int fd;

		if (sys_bpf(kind->next, &attr)) {
			if (errno != ENOENT)
				err(1, "cannot list %s", kind->name);
			return;
		}
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = sys_bpf(kind->open, &attr);
		if (fd < 0)
			continue; /* gone meanwhile */
		memset(&attr, 0, sizeof(attr));
		attr.info.bpf_fd = fd;
		kind->print(&attr);
		close(fd);
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		list(&kinds[i]);
	return 0;
}
