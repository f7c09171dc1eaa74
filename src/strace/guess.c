// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls without a line in calls.c: what their arguments are is guessed from the types and names that the kernel's own
 * declarations have, which tracefs shows (events/syscalls/sys_enter_NAME/format). So a new call prints something true.
 * It is looked up when the first such call is printed, so no memory is copied for it.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/word.h"
#include "kernel/kernel.h"
#include "kernel/syscalls.h"
#include "strace_part.h"
#include "types.h"

/* "const char * filename" and "filename" */
static const struct strace_type *type_of(const char *declaration, const char *name)
{
	if (strchr(declaration, '*'))
		return &t_pointer;
	if (word_is_in(name, "dfd olddfd newdfd dirfd"))
		return &t_dir;
	if (word_is_in(name, "fd fildes fd_in fd_out fdin fdout epfd ufd oldfd newfd pidfd mqdes"))
		return &t_fd;
	if (word_is_in(name, "mode umode"))
		return &t_mode;
	if (word_is_in(name, "sig"))
		return &t_signal;
	if (word_is_in(name, "flags flag") || strstr(name, "flags"))
		return &t_hex_short;
	if (word_is_in(name, "addr start"))
		return &t_pointer;
	if (strstr(declaration, "unsigned int") || strstr(declaration, "u32") || strstr(declaration, "uid_t") ||
	    strstr(declaration, "gid_t"))
		return &t_uint;
	if (strstr(declaration, "int ") || strstr(declaration, "pid_t") || strstr(declaration, "clockid_t") ||
	    strstr(declaration, "key_t"))
		return &t_int;
	return strstr(declaration, "size_t") || strstr(declaration, "unsigned") ? &t_size : &t_long;
}

/* A line of the format: "	field:const char * filename;	offset:16; ..." */
static const struct strace_type *type_of_line(char *line)
{
	char *declaration = strstr(line, "field:"), *end, *name;

	if (!declaration || !(end = strchr(declaration, ';')))
		return NULL;
	declaration += strlen("field:");
	*end = '\0';
	name = strrchr(declaration, ' ');
	if (!name || !strncmp(name, " common_", strlen(" common_")) || !strcmp(name, " __syscall_nr"))
		return NULL;
	return type_of(declaration, name + 1);
}

struct strace_call *strace_guess(int number)
{
	const char *name = syscall_name(number);
	struct strace_call *call;
	unsigned int n = 0;
	char path[128];
	FILE *file;
	char *line = NULL;
	size_t size = 0;
	int fd;

	if (!name)
		return NULL;
	snprintf(path, sizeof(path), "events/syscalls/sys_enter_%s/format", name);
	fd = openat(kernel_tracefs(), path, O_RDONLY | O_CLOEXEC);
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (!file) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	call = base_alloc(sizeof(*call));
	call->name = name;
	while (n < STRACE_ARGS && getline(&line, &size, file) > 0) {
		const struct strace_type *type = type_of_line(line);

		if (type)
			call->args[n++] = type;
	}
	free(line);
	fclose(file);
	return call;
}
