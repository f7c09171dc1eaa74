// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes files of made-up stacks, the same in each run, for those who read such files:
 *
 *	build/stack-files [-n ROWS] [-t] [FORMAT FILE]...
 *
 * -t: rows have times, and files show these. Names hold what formats are made of.
 */
#include <err.h>

#include "base/pool.h"
#include "output/files.h"

#define FUNCTIONS 300

struct row {
	struct frame_stack kernel, user;
	const char *comm;
	uint32_t pid, tid;
	uint64_t count, ns;
};

static const struct field fields[] = {
	FIELD(FIELD_STACK, struct row, kernel, "kernel", "", 0),
	FIELD(FIELD_STACK, struct row, user, "user", "", 0),
	FIELD(FIELD_STR, struct row, comm, "comm", "", 0, .role = ROLE_TASK),
	FIELD(FIELD_U32, struct row, pid, "pid", "", 0, .role = ROLE_TASK),
	FIELD(FIELD_U32, struct row, tid, "tid", "", 0, .role = ROLE_TASK),
	FIELD(FIELD_U64, struct row, count, "count", "", 0, .role = ROLE_COUNTER),
	FIELD(FIELD_DURATION, struct row, ns, "ns", "", 0),
};

static const char *const odd_names[] = {
	"std::map<std::string, int>::operator[](std::string&&)",
	"a;b",
	"line\nbreak",
	"\"quoted\" \\ <&>",
	"\033[31m",
	"\xff\xfe",
	"größe",
	"関数",
	"",
	"<core::iter::Map<I,F> as Iterator>::fold",
	"count 12",
	"[lost]",
	"--",
};

/* A function is two places in it. */
static struct frame functions[FUNCTIONS][2];

static uint32_t next_random(void)
{
	static uint32_t state = 1;

	state = state * 1664525 + 1013904223;
	return state >> 8;
}

static void make_functions(struct pool *pool)
{
	static const char *const files[] = { "/usr/bin/prog", "/usr/lib/libc.so.6", "/opt/a b/lib\"x\".so" };

	for (unsigned int i = 0; i < FUNCTIONS; i++)
		for (unsigned int place = 0; place < 2; place++) {
			struct frame *frame = &functions[i][place];
			bool kernel = i % 3 == 2, jit = i % 30 == 1;

			frame->name = i < ARRAY_SIZE(odd_names) ? odd_names[i] : pool_addf(pool, "function_%u", i);
			frame->symbol = i % 2 ? NULL : pool_addf(pool, "_Z%u", i);
			frame->file = kernel || jit ? NULL : files[i % ARRAY_SIZE(files)];
			frame->build_id = frame->file ? "0123456789abcdef" : NULL;
			frame->kind = kernel ? FRAME_KERNEL : jit ? FRAME_JIT
								  : FRAME_USER;
			frame->start = (kernel ? 0xffffffff81000000 : 0x1000) + i * 256;
			frame->address = frame->start + 16 + place * 32;
		}
}

/* Frames of the kernel (2 of each 3), or of users. The depth varies; each caller calls a few functions only. */
static struct frame_stack make_stack(const struct frame **frames, bool kernel, unsigned int depth)
{
	unsigned int function = next_random() % 5;

	for (unsigned int i = depth; i--;) {
		frames[i] = &functions[(function / 3 * 3 + (kernel ? 2 : function % 2)) % FUNCTIONS][next_random() % 2];
		function = function * 7 + next_random() % 3;
	}
	return (struct frame_stack){ frames, depth };
}

static void add_rows(struct files *files, unsigned long n, bool times)
{
	static const char *const comms[] = { "bash", "a;b c", "x\ny\xff" };
	const struct schema schema = { fields, ARRAY_SIZE(fields) - !times, .stacked = true };
	const struct frame *kernel[127], *user[127];

	for (unsigned long i = 0; i < n; i++) {
		struct row row = { .comm = comms[next_random() % ARRAY_SIZE(comms)], .pid = 100 + next_random() % 4 };

		row.tid = row.pid + next_random() % 3;
		row.kernel = make_stack(kernel, true, next_random() % 3 ? next_random() % 12 : 0);
		row.user = make_stack(user, false, i ? next_random() % 30 : 127);
		row.count = 1 + next_random() % 50;
		row.ns = row.count * 1000 * (1 + next_random() % 900);
		files_row(files, &schema, &row, NULL);
	}
}

static const struct file_format *find_format(const char *name)
{
	static const struct file_format *const formats[] = { &file_folded, &file_flame, &file_pprof, &file_speedscope };

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	errx(2, "no format %s", name);
}

int main(int argc, char **argv)
{
	struct files files = {};
	unsigned long n = 10000;
	struct pool pool = {};
	bool times = false;
	struct err err;
	int opt;

	while ((opt = getopt(argc, argv, "n:t")) != -1)
		if (opt == 'n')
			n = strtoul(optarg, NULL, 10);
		else if (opt == 't')
			times = true;
		else
			return 2;
	for (int i = optind; i + 1 < argc; i += 2)
		if (files_add(&files, find_format(argv[i]), argv[i + 1], false, &err))
			errx(1, "%s", err.text);
	files.about = (struct files_about){
		.title = "made up \"stacks\"",
		.counts = times ? "contentions" : "samples",
		.times = times ? "delay" : "cpu",
		.period_ns = times ? 0 : 10101010,
		.by_time = times,
		.began_ns = 1714557600000000000,
		.lasted_ns = 5000000000,
	};
	make_functions(&pool);
	add_rows(&files, n, times);
	vec_each(file, &files)
		if (files_write(&files, file, &err))
			errx(1, "%s", err.text);
	files_release(&files);
	pool_release(&pool);
	return 0;
}
