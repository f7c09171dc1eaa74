// SPDX-License-Identifier: BSD-2-Clause
/*
 * caps [NAME]... -- CMD [ARGS]
 *
 * Executes CMD as user 1000 with these capabilities and no other.
 */
#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* CAP_BPF and CAP_PERFMON are newer than some headers. */
static const struct {
	const char *name;
	unsigned int number;
} known[] = {
	{ "dac_read_search", CAP_DAC_READ_SEARCH },
	{ "sys_admin", CAP_SYS_ADMIN },
	{ "sys_ptrace", CAP_SYS_PTRACE },
	{ "sys_resource", CAP_SYS_RESOURCE },
	{ "syslog", CAP_SYSLOG },
	{ "perfmon", 38 },
	{ "bpf", 39 },
	{ NULL, 0 },
};

static int number_of(const char *name)
{
	for (int i = 0; known[i].name; i++)
		if (!strcmp(known[i].name, name))
			return (int)known[i].number;
	fprintf(stderr, "caps: no capability '%s'\n", name);
	_exit(2);
}

static int set(uint64_t caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted = data[i].inheritable = (uint32_t)(caps >> (32 * i));
	return (int)syscall(SYS_capset, &header, data);
}

int main(int argc, char **argv)
{
	uint64_t caps = 0;
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--"); i++)
		caps |= 1ULL << number_of(argv[i]);
	if (i + 1 >= argc || prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) || setresgid(1000, 1000, 1000) ||
	    setresuid(1000, 1000, 1000) || set(caps)) {
		perror("caps");
		return 1;
	}
	for (int n = 0; n < 64; n++)
		if (caps >> n & 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, n, 0, 0)) {
			perror("caps");
			return 1;
		}
	execvp(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return 1;
}
