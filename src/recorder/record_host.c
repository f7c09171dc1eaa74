// SPDX-License-Identifier: BSD-2-Clause
/* Describes the machine to a recording. */
#include <fcntl.h>
#include <sys/utsname.h>

#include "base/base.h"
#include "base/cpus.h"
#include "bpf/record.h"
#include "kernel/syscalls.h"
#include "record/writer.h"
#include "record_host.h"

static void read_boot_id(char *text, size_t size)
{
	__close int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

int record_host_write(struct writer *writer, const char *line, pid_t command)
{
	char boot_id[64];
	struct utsname name = {};
	struct layout_host host = {
		.release = name.release,
		.machine = name.machine,
		.node = name.nodename,
		.boot_id = boot_id,
		.version = SONDE_VERSION,
		.line = line,
		.cpus = cpus_ids(),
		.command_pid = command ? command : -1,
	};

	uname(&name);
	read_boot_id(boot_id, sizeof(boot_id));
	return writer_host(writer, &host);
}

/* Lines of /proc/partitions: major, minor, blocks, name; below two lines of heading. */
static int write_disks(struct writer *writer)
{
	__fclose FILE *f = fopen("/proc/partitions", "re");
	char text[256], disk[64];
	unsigned int major, minor;
	int ret = 0;

	while (!ret && f && fgets(text, sizeof(text), f))
		if (sscanf(text, " %u %u %*u %63s", &major, &minor, disk) == 3)
			ret = writer_text(writer, LAYOUT_SPACE_DEVICES, major << 20 | minor, disk);
	return ret;
}

static int write_call(struct writer *writer, int number, const char *name)
{
	return name ? writer_text(writer, LAYOUT_SPACE_SYSCALLS, number, name) : 0;
}

int record_host_write_names(struct writer *writer)
{
	int ret = write_disks(writer);

	for (int number = 0; !ret && number < RECORD_CALLS; number++) {
		ret = write_call(writer, number, syscall_name(number));
		if (!ret)
			ret = write_call(writer, number + RECORD_CALL_32, syscall_name_32(number));
	}
	return ret;
}
