// SPDX-License-Identifier: BSD-2-Clause
/*
 * traces			prints everything that a tracer can leave behind, one line each
 * traces bpf			prints BPF objects only
 * traces SECONDS BASELINE	waits until the output equals BASELINE, a former output; exits with 1 if it does not in time
 *
 * A BPF object is "prog ID TYPE NAME", "map ID TYPE NAME" or "link ID TYPE PROG-ID" (types as numbers of enum
 * bpf_prog_type, bpf_map_type, bpf_link_type). Ids are part of the line, so that an object that was replaced by
 * another differs. Plain system calls do all of it, so that the tests of what sonde leaves behind do not trust
 * the libraries that sonde uses. It is one process, because every test calls it.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing"

static FILE *out;

static long sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static void print_prog(union bpf_attr *attr)
{
	struct bpf_prog_info info = {};

	attr->info.info_len = sizeof(info);
	attr->info.info = (uintptr_t)&info;
	/* systemd replaces the programs of its own services when it reads its units again */
	if (!sys_bpf(BPF_OBJ_GET_INFO_BY_FD, attr) && strncmp(info.name, "sd_", 3) != 0)
		fprintf(out, "prog %u %u %s\n", info.id, info.type, info.name);
}

static void print_map(union bpf_attr *attr)
{
	struct bpf_map_info info = {};

	attr->info.info_len = sizeof(info);
	attr->info.info = (uintptr_t)&info;
	if (!sys_bpf(BPF_OBJ_GET_INFO_BY_FD, attr))
		fprintf(out, "map %u %u %s\n", info.id, info.type, info.name);
}

static void print_link(union bpf_attr *attr)
{
	struct bpf_link_info info = {};

	attr->info.info_len = sizeof(info);
	attr->info.info = (uintptr_t)&info;
	if (!sys_bpf(BPF_OBJ_GET_INFO_BY_FD, attr))
		fprintf(out, "link %u %u %u\n", info.id, info.type, info.prog_id);
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
			continue; /* unloaded in the meantime */
		memset(&attr, 0, sizeof(attr));
		attr.info.bpf_fd = fd;
		kind->print(&attr);
		close(fd);
	}
}

static void bpf_objects(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		list(&kinds[i]);
}

/* Prints the first lines of a file, each after a word that says what it is. */
static void lines(const char *what, const char *path, int most)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	if (!file) {
		fprintf(out, "%s: %s\n", path, strerror(errno));
		return;
	}
	while (most-- > 0 && getline(&line, &room, file) > 0)
		fprintf(out, "%s%s", what, line);
	free(line);
	fclose(file);
}

/* Prints the names below a directory, at all levels or only the first. */
static void below(const char *what, const char *path, bool deep)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir) {
		fprintf(out, "%s: %s\n", path, strerror(errno));
		return;
	}
	while ((entry = readdir(dir))) {
		char inner[4096];
		struct stat st;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		fprintf(out, "%s%s\n", what, inner);
		if (deep && !lstat(inner, &st) && S_ISDIR(st.st_mode))
			below(what, inner, deep);
	}
	closedir(dir);
}

/* Prints programs that are neither busybox's nor the kernel's: a tool may have left them running. */
static void processes(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	if (!dir)
		err(2, "/proc");
	while ((entry = readdir(dir))) {
		char path[64], exe[4096], args[4096] = "";
		int pid = atoi(entry->d_name);
		ssize_t len;
		FILE *file;

		if (pid <= 0 || pid == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/%d/exe", pid);
		len = readlink(path, exe, sizeof(exe) - 1);
		if (len < 0)
			continue;
		exe[len] = '\0';
		if (!strcmp(exe, "/bin/busybox"))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
		file = fopen(path, "r");
		len = file ? (ssize_t)fread(args, 1, sizeof(args) - 1, file) : 0;
		for (ssize_t i = 0; i < len; i++)
			if (args[i] == '\0' || args[i] == '\n')
				args[i] = ' ';
		if (file)
			fclose(file);
		fprintf(out, "process: %s (%d, %s)\n", args, pid, exe);
	}
	closedir(dir);
}

static void everything(void)
{
	bpf_objects();
	lines("", TRACING "/kprobe_events", 20);
	lines("", TRACING "/uprobe_events", 20);
	lines("traced function: ", TRACING "/enabled_functions", 20);
	lines("kprobe: ", "/sys/kernel/debug/kprobes/list", 20);
	below("instance: ", TRACING "/instances", false);
	lines("tracer: ", TRACING "/current_tracer", 1);
	below("pin: ", "/sys/fs/bpf", true);
	lines("mount: ", "/proc/mounts", 1000);
	processes();
}

static char *collect(void)
{
	char *text = NULL;
	size_t len;

	out = open_memstream(&text, &len);
	if (!out)
		err(2, "memory");
	everything();
	if (fclose(out))
		err(2, "memory");
	return text;
}

static char *whole(const char *path)
{
	static char text[1 << 20];
	FILE *file = fopen(path, "r");

	if (!file)
		err(2, "%s", path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Each look waits longer than the one before: looking takes processor time from what it waits for. */
static int await(const char *baseline, long patience)
{
	long began = milliseconds(), pause = 5;

	for (;;) {
		char *now = collect();
		bool same = !strcmp(now, baseline);

		free(now);
		if (same)
			return 0;
		if (milliseconds() - began >= patience)
			return 1;
		usleep((useconds_t)pause * 1000);
		pause = pause < 100 ? pause * 3 / 2 : 100;
	}
}

int main(int argc, char **argv)
{
	out = stdout;
	if (argc == 3)
		return await(whole(argv[2]), atol(argv[1]) * 1000);
	if (argc == 2 && !strcmp(argv[1], "bpf"))
		bpf_objects();
	else if (argc == 1)
		everything();
	else
		errx(2, "usage: traces [bpf | SECONDS BASELINE]");
	return 0;
}
