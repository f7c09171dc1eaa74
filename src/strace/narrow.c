// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls of 32-bit programs. Their numbers are others, their names mostly the same, and so are those arguments that have
 * no long and no pointer inside. What is laid out in another way has other types (narrow_types.c), or is printed as an
 * address.
 */
#include "base/word.h"
#include "kernel/syscalls.h"
#include "lines_part.h"
#include "narrow.h"
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

/* The same, the low half first. */
static uint64_t pair_at(const struct strace_line *line, unsigned int arg)
{
	return strace_arg(line, arg + 1) << 32 | (unsigned int)strace_arg(line, arg);
}

static void print_pair(struct strace_line *line, unsigned int arg)
{
	str_add_s64(line->out, pair_at(line, arg));
}

/* The events of fanotify_mark(2). */
static void print_events(struct strace_line *line, unsigned int arg)
{
	struct strace_record record = *(line->enter ? line->enter : line->exit);
	struct strace_call call = *line->call;
	struct strace_line joined = *line;

	call.args[arg] = &t_fanotify_mask;
	joined.call = &call;
	record.args[arg] = pair_at(line, arg);
	record.size = 0;
	joined.enter = &record;
	t_fanotify_mask.print(&joined, arg);
}

/* A number of a user or group, which has 16 bits in old calls. */
static void print_short_id(struct strace_line *line, unsigned int arg)
{
	unsigned int id = (uint16_t)strace_arg(line, arg);

	str_add_s64(line->out, id == UINT16_MAX ? -1 : (int)id);
}

/* The arguments are words in memory, where the only one points. */
static void print_words_of(struct strace_line *line, unsigned int arg, const char *name, unsigned int n)
{
	struct strace_record record = *(line->enter ? line->enter : line->exit);
	const uint32_t *words = strace_struct(line, arg, 0, n * sizeof(*words));
	struct strace_line call = *line;

	if (!words)
		return;
	for (unsigned int i = 0; i < n; i++)
		record.args[i] = words[i];
	record.size = 0;
	call.enter = call.exit = &record;
	call.call = strace_call_named(name);
	strace_print_args(&call, 0, record.nr);
}

static void print_mmap(struct strace_line *line, unsigned int arg)
{
	print_words_of(line, arg, "mmap", 6);
}

static void print_select(struct strace_line *line, unsigned int arg)
{
	print_words_of(line, arg, "select", 5);
}

static void print_set(struct strace_line *line, unsigned int arg)
{
	const uint32_t *mask = strace_struct(line, arg, 0, sizeof(*mask));

	if (mask)
		strace_sigset(line->out, mask, sizeof(*mask));
}

static void print_offset_at(struct strace_line *line, unsigned int arg)
{
	const int64_t *offset = strace_struct(line, arg, 0, sizeof(*offset));

	if (offset)
		str_addf(line->out, "[%lld]", (long long)*offset);
}

static const struct strace_type t_pages = { print_offset_of_pages }, t_halves = { print_halves },
				t_offset_out = { print_offset_at, .steps = { STEP_WRITES(8) } }, t_pair = { print_pair },
				t_events = { print_events }, t_short_id = { print_short_id },
				t_mmap = { print_mmap, .steps = { STEP_READS(24) } },
				t_select = { print_select, .steps = { STEP_READS(20) } },
				t_set = { print_set, .steps = { STEP_READS(4) } },
				t_set_out = { print_set, .steps = { STEP_WRITES(4) } };

/* Calls from here on have one number, and one layout, in all programs. */
#define FIRST_OF_ALL 424

/* A number of 64 bits in two registers. On ARM the first one has an even number, so one before it may be left out. */
#define PAIR &t_pair, &t_nothing
#if defined(__aarch64__)
#define EVEN_PAIR &t_nothing, PAIR
#else
#define EVEN_PAIR PAIR
#endif

/* Calls that only 32-bit programs have. */
static const struct strace_call calls[] = {
	{ "mmap2", { &t_pointer, &t_uint, &t_prot, &t_map_flags, &t_fd, &t_pages }, strace_ret_address },
	{ "_llseek", { &t_fd, &t_halves, &t_nothing, &t_offset_out, &t_whence } },
	{ "waitpid", { &t_int, &t_wait_status, &t_wait_options } },
	{ "stat64", { &t_path, &t_stat } },
	{ "lstat64", { &t_path, &t_stat } },
	{ "fstat64", { &t_fd, &t_stat } },
	{ "fstatat64", { &t_dir, &t_path, &t_stat, &t_at_flags } },
	{ "statfs64", { &t_path, &t_uint, &t_statfs } },
	{ "fstatfs64", { &t_fd, &t_uint, &t_statfs } },
	{ "ugetrlimit", { &t_resource, &t_rlimit_out } },
	{ "set_thread_area", { &t_user_desc } },
	{ "sigreturn", {} },
	{ "pread64", { &t_fd, &t_out, &t_size, EVEN_PAIR } },
	{ "pwrite64", { &t_fd, &t_in, &t_size, EVEN_PAIR } },
	{ "truncate64", { &t_path, EVEN_PAIR } },
	{ "ftruncate64", { &t_fd, EVEN_PAIR } },
	{ "readahead", { &t_fd, EVEN_PAIR, &t_size } },
	{ "fadvise64", { &t_fd, PAIR, &t_size, &t_fadvise } },
	{ "fadvise64_64", { &t_fd, PAIR, PAIR, &t_fadvise } },
	{ "arm_fadvise64_64", { &t_fd, &t_fadvise, PAIR, PAIR } },
	{ "sync_file_range", { &t_fd, PAIR, PAIR, &t_sync_range } },
	{ "sync_file_range2", { &t_fd, &t_sync_range, PAIR, PAIR } },
	{ "arm_sync_file_range", { &t_fd, &t_sync_range, PAIR, PAIR } },
	{ "fallocate", { &t_fd, &t_fallocate, PAIR, PAIR } },
	{ "preadv", { &t_fd, &t_vectors_out, &t_size, PAIR } },
	{ "pwritev", { &t_fd, &t_vectors_in, &t_size, PAIR } },
	{ "preadv2", { &t_fd, &t_vectors_out, &t_size, PAIR, &t_rw_flags } },
	{ "pwritev2", { &t_fd, &t_vectors_in, &t_size, PAIR, &t_rw_flags } },
	{ "fanotify_mark", { &t_fd, &t_fanotify_mark, &t_events, &t_nothing, &t_fanotify_dir, &t_path } },
	{ "lookup_dcookie", { PAIR, &t_pointer, &t_size } },
	{ "umount", { &t_path } },
	{ "nice", { &t_int } },
	{ "_newselect", { &t_int, &t_fd_set, &t_fd_set, &t_fd_set, &t_timeval }, strace_ret_select },
	{ "mmap", { &t_mmap }, strace_ret_address },
	{ "select", { &t_select } },
	{ "oldstat", { &t_path, &t_pointer } },
	{ "oldlstat", { &t_path, &t_pointer } },
	{ "oldfstat", { &t_fd, &t_pointer } },
	{ "readdir", { &t_fd, &t_pointer, &t_uint } },
	{ "signal", { &t_signal, &t_pointer } },
	{ "sigprocmask", { &t_how, &t_set, &t_set_out } },
	{ "sigpending", { &t_set_out } },
};

/* How many arguments others have, which are printed as numbers. */
static const char arguments[] =
	" break 0 stime 1 stty 2 gtty 2 ftime 0 prof 0 lock 0 mpx 0 ulimit 2 oldolduname 1 "
	"sigaction 3 sgetmask 0 ssetmask 1 sigsuspend 3 profil 4 socketcall 2 olduname 1 idle 0 "
	"vm86old 1 create_module 2 get_kernel_syms 1 bdflush 2 afs_syscall 5 vm86 5 query_module 5 nfsservctl 3 getpmsg 5 "
	"putpmsg 5 vserver 5 ";

/* Calls whose numbers of users and groups have 16 bits; each has a second one, whose name ends in 32. */
static const char of_short_ids[] = "chown lchown fchown setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid "
				   "getresuid getresgid getgroups setgroups";

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
	&t_fd_set,
	&t_mmap,
	&t_select,
	&t_offset_in,
	&t_perf_attr,
	&t_sched_attr,
	&t_handle_out,
	&t_set,
	&t_set_out,
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

/* Types with longs or pointers inside that no other type stands for: even of calls that have the times of 64-bit programs. */
static bool has_longs(const struct strace_type *type)
{
	return type == &t_sigset_pair || type == &t_siginfo || type == &t_siginfo_out || type == &t_vectors_far;
}

static const struct strace_type *narrow_type(const struct strace_type *type, bool wide)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].wide == type)
			return others[i].narrow;
	return wide ? NULL : strace_narrow_type(type);
}

/* The type that a call of this name has instead. NULL: none, which its name decides. */
static const struct strace_type *type_in(const char *name, const struct strace_type *type)
{
	if (word_is_in(name, of_short_ids))
		return type == &t_id ? &t_short_id : strace_narrow_ids(type);
	if (type == &t_stat && word_is_in(name, "stat lstat fstat"))
		return strace_narrow_short_stat();
	return type == &t_statfs && word_is_in(name, "statfs64 fstatfs64") ? strace_narrow_statfs64() : NULL;
}

static bool is_same(const struct strace_type *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		if (same[i] == type)
			return true;
	return !type->steps[0].op;
}

/* How names of 32-bit programs may end beyond those of the same calls of 64-bit programs. */
static const char *const ends[] = { "", "_time64", "64", "32" };

#define BASE_SIZE 32

/* The name without such an end. False: it has another one. */
static bool cut_end(const char *name, const char *end, char base[BASE_SIZE])
{
	size_t len = strlen(name), cut = strlen(end);

	if (len <= cut || len - cut >= BASE_SIZE || strcmp(name + len - cut, end) != 0)
		return false;
	memcpy(base, name, len - cut);
	base[len - cut] = '\0';
	return true;
}

int strace_number_32(int number)
{
	const char *name = syscall_name_32(number);
	int wide = -ENOENT;
	char base[BASE_SIZE];

	if (name && !strcmp(name, "mmap2"))
		return syscall_number("mmap");
	for (size_t i = 0; i < ARRAY_SIZE(ends) && name && wide < 0; i++)
		if (cut_end(name, ends[i], base))
			wide = syscall_number(base);
	return wide;
}

/* By name: an architecture may have no number for what its 32-bit programs still call, as arm64 for stat. */
static const struct strace_call *wide_call(const char *name)
{
	const struct strace_call *call = NULL;
	char base[BASE_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(ends) && !call; i++)
		if (cut_end(name, ends[i], base))
			call = strace_call_named(base);
	return call;
}

const char *strace_base_of_32(int number)
{
	const char *name = syscall_name_32(number), *base = syscall_name(strace_number_32(number));
	const struct strace_call *call = name && !base ? wide_call(name) : NULL;

	return call ? call->name : base;
}

/*
 * The call without the memory whose layout differs: its types then print addresses. wide: its structs are those of
 * 64-bit programs, but for has_longs().
 */
static const struct strace_call *narrowed(const struct strace_call *call, const char *name, bool wide)
{
	struct strace_call *copy = base_alloc(sizeof(*copy));

	*copy = *call;
	for (unsigned int i = 0; i < STRACE_ARGS && copy->args[i]; i++) {
		const struct strace_type *narrow = type_in(name, copy->args[i]);
		struct strace_type *type;

		if (!narrow)
			narrow = narrow_type(copy->args[i], wide);
		if (copy->args[i] == &t_long)
			copy->args[i] = &t_int;
		if (narrow)
			copy->args[i] = narrow;
		if ((wide && !has_longs(copy->args[i])) || narrow || is_same(copy->args[i]))
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
	bool wide = number >= FIRST_OF_ALL;
	char base[BASE_SIZE];

	if (!name || number >= STRACE_CALLS || known[number])
		return name && number < STRACE_CALLS ? known[number] : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(calls[i].name, name))
			call = &calls[i];
	if (!call) {
		call = wide_call(name);
		/* fcntl64 and clock_gettime64, also prlimit64, which has this name everywhere */
		wide = wide || cut_end(name, "64", base);
	}
	if (call)
		known[number] = narrowed(call, name, wide);
	return known[number];
}

int64_t strace_result_32(int64_t ret)
{
	int32_t low = (int32_t)ret;

	return low < 0 && low >= -ERRORS_MAX ? (int64_t)low : (int64_t)(uint32_t)ret;
}

unsigned int strace_arguments_32(int number)
{
	const char *name = syscall_name_32(number), *found;
	char word[32];

	if (!name)
		return STRACE_ARGS;
	snprintf(word, sizeof(word), " %s ", name);
	found = strstr(arguments, word);
	return found ? found[strlen(word)] - '0' : STRACE_ARGS;
}
