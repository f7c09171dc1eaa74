// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory of 32-bit programs whose layout differs by the size of its longs. Such a type copies what the program has, and
 * is printed by the type for 64-bit programs, from a record in which each member has the size that it has there.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>

#include "narrow.h"
#include "types.h"

/*
 * Members, one after the other: s a long, u an unsigned one or a pointer, r a limit, h a short that becomes an int; w 4
 * and l 8 bytes that are the same everywhere; p 4 bytes of padding that only 64-bit programs have. Elements of arrays
 * are as one struct.
 */
struct layout {
	const struct strace_type *wide;
	const char *members;
	void (*widen)(void *to, const char *from); /* instead, where the order is another one */
	unsigned int size, wide_size;
};

/* Times, and pairs of them: what is less than a second is no negative number. */
#define TIME	 "su"
#define TIMES	 "susu"
#define LONGS_14 "ssssssssssssss"

/* struct stat64: on x86 without the padding that aligns its numbers of 8 bytes. */
#if defined(__x86_64__)
#define STAT_SIZE   96
#define STAT_LENGTH 44
#define STAT_BLOCKS 56
#else
#define STAT_SIZE   104
#define STAT_LENGTH 48
#define STAT_BLOCKS 64
#endif

static uint32_t word_at(const char *from, size_t at)
{
	uint32_t v;

	memcpy(&v, from + at, sizeof(v));
	return v;
}

static uint64_t long_at(const char *from, size_t at)
{
	uint64_t v;

	memcpy(&v, from + at, sizeof(v));
	return v;
}

static void widen_stat(void *to, const char *from)
{
	const size_t times = STAT_BLOCKS + 8;
	const struct stat st = {
		.st_dev = long_at(from, 0),
		.st_mode = word_at(from, 16),
		.st_nlink = word_at(from, 20),
		.st_uid = word_at(from, 24),
		.st_gid = word_at(from, 28),
		.st_rdev = long_at(from, 32),
		.st_size = long_at(from, STAT_LENGTH),
		.st_blksize = word_at(from, STAT_LENGTH + 8),
		.st_blocks = long_at(from, STAT_BLOCKS),
		.st_atim = { (int32_t)word_at(from, times), word_at(from, times + 4) },
		.st_mtim = { (int32_t)word_at(from, times + 8), word_at(from, times + 12) },
		.st_ctim = { (int32_t)word_at(from, times + 16), word_at(from, times + 20) },
		.st_ino = long_at(from, times + 24),
	};

	memcpy(to, &st, sizeof(st));
}

/* struct stat of the older calls, whose numbers of users, groups and links have 16 bits. */
static void widen_short_stat(void *to, const char *from)
{
	uint16_t halves[4];
	struct stat st = {
		.st_dev = word_at(from, 0),
		.st_ino = word_at(from, 4),
		.st_rdev = word_at(from, 16),
		.st_size = word_at(from, 20),
		.st_blksize = word_at(from, 24),
		.st_blocks = word_at(from, 28),
		.st_atim = { (int32_t)word_at(from, 32), word_at(from, 36) },
		.st_mtim = { (int32_t)word_at(from, 40), word_at(from, 44) },
		.st_ctim = { (int32_t)word_at(from, 48), word_at(from, 52) },
	};

	memcpy(halves, from + 8, sizeof(halves));
	st.st_mode = halves[0];
	st.st_nlink = halves[1];
	st.st_uid = halves[2];
	st.st_gid = halves[3];
	memcpy(to, &st, sizeof(st));
}

static const struct layout layouts[] = {
	{ &t_stat, .widen = widen_stat, .size = STAT_SIZE, .wide_size = sizeof(struct stat) },
	{ &t_timespec, TIME },
	{ &t_timespec_out, TIME },
	{ &t_timespec_left, TIME },
	{ &t_timeval, TIME },
	{ &t_timeval_in, TIME },
	{ &t_timeval_out, TIME },
	{ &t_times, TIMES },
	{ &t_timevals, TIMES },
	{ &t_itimerval, TIMES },
	{ &t_itimerval_out, TIMES },
	{ &t_itimerspec, TIMES },
	{ &t_itimerspec_out, TIMES },
	{ &t_utimbuf, "ss" },
	{ &t_tms, "ssss" },
	{ &t_rusage, TIMES LONGS_14 },
	{ &t_rlimit, "rr" },
	{ &t_rlimit_out, "rr" },
	{ &t_sysinfo, "suuuuuuuuuwpuuwp" },
	{ &t_statfs, "uuuuuuuwwuuuuuuu" },
	{ &t_sigaction, "uuul" },
	{ &t_sigaction_out, "uuul" },
	{ &t_sigaltstack, "uwpu" },
	{ &t_sigaltstack_out, "uwpu" },
};

/* Of calls whose numbers of users and groups have 16 bits. */
static const struct layout layouts_of_ids[] = {
	{ &t_unsigned_out, "h" },
	{ &t_ids_in, "h" },
	{ &t_ids_out, "h" },
};

/* struct statfs64, of the calls that have it */
static const struct layout layout_of_statfs64 = { &t_statfs, "uulllllwwuuuuuuu" };

/* struct stat of stat, lstat and fstat */
static const struct layout layout_of_short_stat = {
	&t_stat,
	.widen = widen_short_stat,
	.size = 64,
	.wide_size = sizeof(struct stat),
};

struct narrow {
	struct strace_type type; /* first: it is what the call has */
	const struct layout *layout;
};

/* Bytes of the members here and there. */
static unsigned int size_of(const struct layout *layout, bool wide)
{
	unsigned int size = wide ? layout->wide_size : layout->size;

	for (const char *member = layout->members; member && *member; member++)
		size += *member == 'l' ? 8 : *member == 'w' ? 4
				     : *member == 'p'	    ? 4 * wide
				     : *member == 'h'	    ? 2 + 2 * wide
							    : 4 + 4 * wide;
	return size;
}

/* Of one struct. */
static void widen(const struct layout *layout, char *to, const char *from)
{
	if (layout->widen) {
		layout->widen(to, from);
		return;
	}
	for (const char *member = layout->members; *member; member++) {
		unsigned int wide = strchr("surl", *member) ? 8 : 4, n = *member == 'h' ? 2 : *member == 'l' ? 8
										      : *member == 'p'	     ? 0
													     : 4;
		uint64_t value = 0;

		memcpy(&value, from, n);
		if (*member == 's')
			value = (int32_t)value;
		if (*member == 'r' && value == UINT32_MAX)
			value = UINT64_MAX;
		memcpy(to, &value, wide);
		to += wide;
		from += n;
	}
}

/* Appends a blob with its structs as they are in 64-bit programs: those that are whole. */
static void add_widened(struct str *out, const struct layout *layout, const struct strace_blob *blob)
{
	unsigned int size = size_of(layout, false), wide = size_of(layout, true), n = blob->n / size;
	char *bytes __free = base_alloc(n * wide + 1);
	struct strace_blob head = *blob;

	head.n = n * wide;
	head.all = blob->all / size * wide;
	for (unsigned int i = 0; i < n; i++)
		widen(layout, bytes + i * wide, (const char *)strace_bytes(blob) + i * size);
	str_addn(out, (const char *)&head, sizeof(head));
	str_addn(out, bytes, head.n);
}

/* The record with such blobs of one argument. */
static void widen_record(struct str *out, const struct strace_record *record, unsigned int arg,
			 const struct layout *layout)
{
	static const char zeros[8];
	uint32_t at = 0;

	str_addn(out, (const char *)record, sizeof(*record));
	while (at + sizeof(struct strace_blob) <= record->size) {
		const struct strace_blob *blob = (const void *)((const char *)(record + 1) + at);

		if (sizeof(*blob) + blob->n > record->size - at)
			break;
		if (blob->tag == arg * STRACE_TYPE_STEPS)
			add_widened(out, layout, blob);
		else
			str_addn(out, (const char *)blob, sizeof(*blob) + blob->n);
		str_addn(out, zeros, -out->len & 7);
		at += (sizeof(*blob) + blob->n + 7U) & ~7U;
	}
	((struct strace_record *)out->data)->size = out->len - sizeof(*record);
}

static void print_narrow(struct strace_line *line, unsigned int arg)
{
	const struct layout *layout = ((const struct narrow *)line->call->args[arg])->layout;
	struct str enter __str = {}, exit __str = {};
	struct strace_call call = *line->call;
	struct strace_line wide = *line;

	call.args[arg] = layout->wide;
	wide.call = &call;
	if (line->enter) {
		widen_record(&enter, line->enter, arg, layout);
		wide.enter = (const void *)enter.data;
	}
	if (line->exit) {
		widen_record(&exit, line->exit, arg, layout);
		wide.exit = (const void *)exit.data;
	}
	layout->wide->print(&wide, arg);
}

static const struct strace_type *make(const struct layout *layout)
{
	unsigned int size = size_of(layout, false), wide = size_of(layout, true);
	struct narrow *narrow = base_alloc(sizeof(*narrow));
	struct strace_step *step = &narrow->type.steps[0];

	narrow->layout = layout;
	narrow->type = *layout->wide;
	narrow->type.print = print_narrow;
	step->scale = step->scale * size / wide;
	step->most = step->most * size / wide;
	return &narrow->type;
}

/* Each is made once. */
static const struct strace_type *find(const struct layout *v, size_t n, const struct strace_type **made,
				      const struct strace_type *wide)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i].wide != wide)
			continue;
		if (!made[i])
			made[i] = make(&v[i]);
		return made[i];
	}
	return NULL;
}

const struct strace_type *strace_narrow_type(const struct strace_type *wide)
{
	static const struct strace_type *made[ARRAY_SIZE(layouts)];

	return find(layouts, ARRAY_SIZE(layouts), made, wide);
}

const struct strace_type *strace_narrow_ids(const struct strace_type *wide)
{
	static const struct strace_type *made[ARRAY_SIZE(layouts_of_ids)];

	return find(layouts_of_ids, ARRAY_SIZE(layouts_of_ids), made, wide);
}

const struct strace_type *strace_narrow_statfs64(void)
{
	static const struct strace_type *made;

	return find(&layout_of_statfs64, 1, &made, &t_statfs);
}

const struct strace_type *strace_narrow_short_stat(void)
{
	static const struct strace_type *made;

	return find(&layout_of_short_stat, 1, &made, &t_stat);
}
