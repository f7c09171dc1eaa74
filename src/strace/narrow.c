// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls of 32-bit programs. Their numbers are others, their names mostly the same, and so are those arguments that have
 * no long and no pointer inside. What is laid out in another way is printed as an address.
 */
#include "kernel/syscalls.h"
#include "strace_part.h"
#include "types.h"

static void print_offset_of_pages(struct strace_line *line, unsigned int arg)
{
	uint64_t pages = (unsigned int)strace_arg(line, arg);

	str_addf(line->out, pages ? "%#llx" : "%llx", (unsigned long long)pages * 4096);
}

/* Two halves of a number are two arguments. */
static void print_halves(struct strace_line *line, unsigned int arg)
{
	str_add_s64(line->out, strace_arg(line, arg) << 32 | (unsigned int)strace_arg(line, arg + 1));
}

static void print_offset_at(struct strace_line *line, unsigned int arg)
{
	const int64_t *offset = strace_struct(line, arg, 0, sizeof(*offset));

	if (offset)
		str_addf(line->out, "[%lld]", (long long)*offset);
}

static const struct strace_type t_pages = { print_offset_of_pages }, t_halves = { print_halves },
				t_offset_out = { print_offset_at, .steps = { STEP_WRITES(8) } };

/* Calls that only 32-bit programs have. */
static const struct strace_call calls[] = {
	{ "mmap2", { &t_pointer, &t_uint, &t_prot, &t_map_flags, &t_fd, &t_pages }, strace_ret_address },
	{ "_llseek", { &t_fd, &t_halves, &t_nothing, &t_offset_out, &t_whence } },
	{ "waitpid", { &t_int, &t_wait_status, &t_wait_options } },
	{ "stat64", { &t_path, &t_pointer } },
	{ "lstat64", { &t_path, &t_pointer } },
	{ "fstat64", { &t_fd, &t_pointer } },
	{ "fstatat64", { &t_dir, &t_path, &t_pointer, &t_at_flags } },
	{ "statfs64", { &t_path, &t_uint, &t_pointer } },
	{ "fstatfs64", { &t_fd, &t_uint, &t_pointer } },
	{ "ugetrlimit", { &t_resource, &t_pointer } },
	{ "set_thread_area", { &t_user_desc } },
	{ "sigreturn", {} },
};

/* Types whose memory has the same layout in all programs. */
static const struct strace_type *const same[] = {
	&t_path,
	&t_text,
	&t_in,
	&t_host_name,
	&t_out,
	&t_sent,
	&t_received,
	&t_cwd,
	&t_random,
	&t_fd,
	&t_uring_ring,
	&t_uring_wait,
	&t_dir,
	&t_pipe,
	&t_pipe_pair,
	&t_pollfds,
	&t_statx,
	&t_wait_status,
	&t_sockaddr,
	&t_sockaddr_out,
	&t_socklen,
	&t_option_in,
	&t_option_out,
	&t_dirents,
	&t_ids_out,
	&t_ids_in,
	&t_number_out,
	&t_int_in,
	&t_uname,
	&t_unsigned_out,
	&t_prctl_arg,
	&t_sigset,
	&t_sigset_out,
	&t_sigpending,
	&t_mount_type,
	&t_mount_data,
	&t_mount_attr_in,
	&t_open_how,
	&t_kcmp_second,
	&t_fsconfig_key,
	&t_fsconfig_value,
	&t_landlock_what,
	&t_user_desc,
	&t_ldt,
	&t_user_desc_out,
	&t_sem_ops,
	&t_page_nodes,
	&t_timezone,
	&t_timezone_in,
	&t_cap_head,
	&t_cap_data,
	&t_xattr_in,
	&t_cap_data_out,
	&t_xattr_out,
	&t_xattr_list,
	&t_epoll_event,
	&t_epoll_events,
	&t_cpus,
	&t_cpus_in,
	&t_clone_args,
	&t_program,
	&t_offset_out,
	&t_fcntl_arg,
	&t_ioctl_arg,
};

/* Types that have another one for memory of a 32-bit program. */
static const struct {
	const struct strace_type *wide, *narrow;
} others[] = {
	{ &t_vectors_in, &t_vectors_in_32 },
	{ &t_vectors_out, &t_vectors_out_32 },
	{ &t_msg_in, &t_msg_in_32 },
	{ &t_msg_out, &t_msg_out_32 },
	{ &t_mmsg_in, &t_mmsg_in_32 },
	{ &t_mmsg_out, &t_mmsg_out_32 },
};

static const struct strace_type *narrow_type(const struct strace_type *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].wide == type)
			return others[i].narrow;
	return NULL;
}

static bool is_same(const struct strace_type *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		if (same[i] == type)
			return true;
	return !type->steps[0].op;
}

/* The 64-bit call of the name, which may end in another way. Returns its number, or -ENOENT; wide: so do its structs. */
static int number_of(const char *name, bool *wide)
{
	static const char *const ends[] = { "_time64", "64", "32" };
	size_t len = strlen(name);
	int number = syscall_number(name);
	char base[32];

	*wide = false;
	for (size_t i = 0; i < ARRAY_SIZE(ends) && number < 0; i++) {
		size_t end = strlen(ends[i]);

		if (len <= end || len - end >= sizeof(base) || strcmp(name + len - end, ends[i]))
			continue;
		memcpy(base, name, len - end);
		base[len - end] = '\0';
		number = syscall_number(base);
		*wide = number >= 0 && strcmp(ends[i], "32");
	}
	/* prlimit64 and the like have one name, and one layout, everywhere */
	*wide = *wide || (len > 2 && !strcmp(name + len - 2, "64"));
	return number;
}

int strace_number_32(int number)
{
	const char *name = syscall_name_32(number);
	bool wide;

	if (!name)
		return -ENOENT;
	if (!strcmp(name, "mmap2"))
		return syscall_number("mmap");
	return number_of(name, &wide);
}

/* The call without the memory whose layout differs: its types then print addresses. */
static const struct strace_call *narrowed(const struct strace_call *call, bool wide)
{
	struct strace_call *copy = base_alloc(sizeof(*copy));

	*copy = *call;
	for (unsigned int i = 0; i < STRACE_ARGS && copy->args[i]; i++) {
		const struct strace_type *narrow = narrow_type(copy->args[i]);
		struct strace_type *type;

		if (copy->args[i] == &t_long)
			copy->args[i] = &t_int;
		if (narrow)
			copy->args[i] = narrow;
		if (wide || narrow || is_same(copy->args[i]))
			continue;
		type = base_alloc(sizeof(*type));
		*type = *copy->args[i];
		memset(type->steps, 0, sizeof(type->steps));
		copy->args[i] = type;
	}
	return copy;
}

const struct strace_call *strace_call_of_32(int number)
{
	static const struct strace_call *known[STRACE_CALLS];
	const char *name = syscall_name_32(number);
	const struct strace_call *call = NULL;
	bool wide = false;

	if (!name || number >= STRACE_CALLS || known[number])
		return name && number < STRACE_CALLS ? known[number] : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	call = strace_call_of(number_of(name, &wide));
	if (call)
		known[number] = narrowed(call, wide);
	return known[number];
}
