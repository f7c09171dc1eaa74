// SPDX-License-Identifier: BSD-2-Clause
/* Stacks as text, JSON and CSV. */
#include "stacks_fixture.h"

/* What a table of one row looks like. The caller frees. */
static char *print(enum output_format format, const struct schema *schema, const void *row)
{
	int fd __close = memfd_create("stacks", 0);
	struct output *out = output_new(fd, format);
	char *text = base_alloc(200000);

	output_table_begin(out, schema, NULL, true);
	output_row(out, row);
	output_table_end(out);
	output_free(out);
	cr_assert_geq(pread(fd, text, 199999, 0), 0);
	return text;
}

static void expect(enum output_format format, const struct schema *schema, const void *row, const char *want)
{
	char *text __free = print(format, schema, row);

	cr_expect_str_eq(text, want, "'%s', not '%s'", text, want);
}

static const struct stack_row both = { STACK(&k_read, &k_entry), STACK(&u_read, &u_main), "cat", 42, 7, 0 };

Test(stacks_text, as_bcc_prints_them)
{
	expect(OUTPUT_TEXT, &profile_schema, &both,
	       "    vfs_read\n"
	       "    entry_SYSCALL_64\n"
	       "    read\n"
	       "    main\n"
	       "    -                cat (42)\n"
	       "        7\n"
	       "\n");
}

Test(stacks_text, styles)
{
	style = (struct frame_style){ .addresses = true, .offsets = true, .annotated = true, .delimiter = "--" };
	expect(OUTPUT_TEXT, &profile_schema, &both,
	       "    ffffffff81000010 vfs_read_[k]\n"
	       "    ffffffff82000020 entry_SYSCALL_64_[k]\n"
	       "    --\n"
	       "    1010             read\n"
	       "    2020             main+0x20\n"
	       "    -                cat (42)\n"
	       "        7\n"
	       "\n");
}

Test(stacks_text, no_delimiter_beside_an_empty_stack)
{
	const struct stack_row row = { { NULL, 0 }, STACK(&u_main), "cat", 42, 7, 0 },
			       empty = { { (const struct frame *const[1]){}, 0 }, { NULL, 0 }, "k", 1, 2, 0 };

	style = (struct frame_style){ .delimiter = "--" };
	expect(OUTPUT_TEXT, &profile_schema, &row, "    main\n    -                cat (42)\n        7\n\n");
	expect(OUTPUT_TEXT, &profile_schema, &empty, "    -                k (1)\n        2\n\n");
	expect(OUTPUT_JSON, &profile_schema, &empty,
	       "{\"kernel\":[],\"user\":null,\"comm\":\"k\",\"pid\":1,\"count\":2}\n");
	expect(OUTPUT_CSV, &profile_schema, &empty, "kernel,user,comm,pid,count\r\n\"\",,k,1,2\r\n");
}

Test(stacks_text, data)
{
	expect(OUTPUT_JSON, &profile_schema, &both,
	       "{\"kernel\":[\"vfs_read\",\"entry_SYSCALL_64\"],\"user\":[\"read\",\"main\"],"
	       "\"comm\":\"cat\",\"pid\":42,\"count\":7}\n");
	expect(OUTPUT_CSV, &profile_schema, &both,
	       "kernel,user,comm,pid,count\r\nentry_SYSCALL_64;vfs_read,main;read,cat,42,7\r\n");
}

Test(stacks_text, foreign_names)
{
	static const struct frame odd = { .name = "a\n\033[31m\xff;\"b,é" };
	const struct stack_row row = { {}, STACK(&odd, &u_main), "x\ny", 1, 1, 0 };

	expect(OUTPUT_TEXT, &profile_schema, &row,
	       "    a\\n\\x1b[31m\\xff;\"b,é\n    main\n    -                x\\ny (1)\n        1\n\n");
	expect(OUTPUT_JSON, &profile_schema, &row,
	       "{\"kernel\":null,\"user\":[\"a\\n\\u001b[31m\xef\xbf\xbd;\\\"b,é\",\"main\"],"
	       "\"comm\":\"x\\ny\",\"pid\":1,\"count\":1}\n");
	expect(OUTPUT_CSV, &profile_schema, &row,
	       "kernel,user,comm,pid,count\r\n,\"main;a\\n\\x1b[31m\\xff\\x3b\"\"b,é\",\"x\ny\",1,1\r\n");
}

Test(stacks_text, deep_stacks_of_long_names_are_whole)
{
	static char name[251];
	const struct frame frame = { .name = memset(name, 'f', 250) };
	const struct frame *frames[127];
	struct stack_row row = { .user = { frames, 127 } };
	char *text __free = NULL, *line;
	int lines = 0;

	for (int i = 0; i < 127; i++)
		frames[i] = &frame;
	text = print(OUTPUT_TEXT, &profile_schema, &row);
	for (line = text; !strncmp(line, "    fff", 7); line += 255, lines++)
		cr_assert_eq(line[254], '\n');
	cr_expect_eq(lines, 127);
}

/* offwaketime's: the waker's stack from the root down, then the sleeper's from where it sleeps up. */
struct pair_row {
	const char *waker, *target;
	struct frame_stack waker_user, waker_kernel, kernel, user;
	uint64_t ns;
};

static const struct field pair_fields[] = {
	FIELD(FIELD_STR, struct pair_row, waker, "waker", "    waker:           ", 0, .role = ROLE_TASK),
	FIELD(FIELD_STACK, struct pair_row, waker_user, "waker_user", "    ", 0, .style = &style, .reversed = true),
	FIELD(FIELD_STACK, struct pair_row, waker_kernel, "waker_kernel", "    ", 0, .style = &style, .reversed = true),
	FIELD(FIELD_STACK, struct pair_row, kernel, "kernel", "    ", 0, .style = &style),
	FIELD(FIELD_STACK, struct pair_row, user, "user", "    ", 0, .style = &style),
	FIELD(FIELD_STR, struct pair_row, target, "target", "    target:          ", 0, .role = ROLE_TASK),
	FIELD(FIELD_DURATION, struct pair_row, ns, "ns", "        ", 0, .unit = UNIT_US),
};
static const struct schema pairs = { pair_fields, ARRAY_SIZE(pair_fields), .stacked = true };
static const struct pair_row pair = { "w", "t", STACK(&u_read, &u_main), STACK(&k_read, &k_entry),
				      STACK(&k_read, &k_entry), STACK(&u_main), 5000000 };

Test(stacks_text, a_stack_turned_over)
{
	style = (struct frame_style){ .delimiter = "-" };
	expect(OUTPUT_TEXT, &pairs, &pair,
	       "    waker:           w\n"
	       "    main\n"
	       "    read\n"
	       "    -\n"
	       "    entry_SYSCALL_64\n"
	       "    vfs_read\n"
	       "    --               --\n"
	       "    vfs_read\n"
	       "    entry_SYSCALL_64\n"
	       "    -\n"
	       "    main\n"
	       "    target:          t\n"
	       "        5000\n"
	       "\n");
}

/* A tool that streams events: the stack follows the line. */
static const struct field event_fields[] = {
	FIELD(FIELD_CHARS, struct stack_row, comm, "comm", "COMM", -8, .role = ROLE_TASK),
	FIELD(FIELD_U32, struct stack_row, pid, "pid", "PID", 5, .role = ROLE_TASK),
	FIELD(FIELD_STACK, struct stack_row, kernel, "kernel", NULL, 0, .style = &style),
	FIELD(FIELD_STACK, struct stack_row, user, "user", NULL, 0, .style = &style),
	FIELD(FIELD_DURATION, struct stack_row, ns, "ns", "US", 6, .unit = UNIT_US),
};
static const struct schema events = { event_fields, ARRAY_SIZE(event_fields) };

Test(stacks_text, below_the_row_of_a_table)
{
	const struct stack_row row = { STACK(&k_read), STACK(&u_read), "cat", 42, 0, 9000 };

	expect(OUTPUT_TEXT, &events, &row, "COMM       PID     US\ncat         42      9\n    vfs_read\n    read\n");
}

/* The folded text of rows. The caller frees. */
static char *fold(const struct schema *schema, const void *rows, size_t n, size_t size, bool by_time)
{
	struct files files = { .about = { .by_time = by_time, .counts = "samples" } };
	struct str text = {};

	for (size_t i = 0; i < n; i++)
		files_row(&files, schema, (const char *)rows + i * size, NULL);
	tree_finish(&files.tree);
	file_folded.add(&text, &files);
	files_release(&files);
	return text.data ? text.data : base_strdup("");
}

static void expect_folded(const struct schema *schema, const void *rows, size_t n, size_t size, bool by_time,
			  const char *want)
{
	char *text __free = fold(schema, rows, n, size, by_time);

	cr_expect_str_eq(text, want, "'%s', not '%s'", text, want);
}

Test(folded, root_to_leaf_and_added_up)
{
	const struct stack_row rows[] = {
		{ STACK(&k_read, &k_entry), STACK(&u_read, &u_main), "cat", 42, 7, 0 },
		{ {}, STACK(&u_main), "cat", 42, 1, 0 },
		{ {}, STACK(&u_main_later), "cat", 43, 2, 0 },
		{ STACK(&k_read, &k_entry), STACK(&u_read, &u_main), "cat", 42, 3, 0 },
		{ {}, {}, "idle", 0, 5, 0 },
	};

	expect_folded(&profile_schema, rows, 5, sizeof(*rows), false,
		      "cat;main 3\n"
		      "cat;main;read;entry_SYSCALL_64;vfs_read 10\n"
		      "idle 5\n");
	style = (struct frame_style){ .delimiter = "--", .annotated = true };
	expect_folded(&profile_schema, rows, 5, sizeof(*rows), false,
		      "cat;main 3\n"
		      "cat;main;read;--;entry_SYSCALL_64_[k];vfs_read_[k] 10\n"
		      "idle 5\n");
	expect_folded(&profile_schema, rows, 0, sizeof(*rows), false, "");
}

Test(folded, names_that_would_break_the_format)
{
	static const struct frame odd = { .name = "a;b\nc 1" }, none = { .name = "" };
	const struct stack_row row = { {}, STACK(&odd, &none), "x;y", 1, 2, 0 };

	expect_folded(&profile_schema, &row, 1, sizeof(row), false, "x\\x3by;[unknown];a\\x3bb\\nc 1 2\n");
}

Test(folded, a_stack_turned_over_stands_on_the_other)
{
	style = (struct frame_style){ .delimiter = "-" };
	expect_folded(&pairs, &pair, 1, sizeof(pair), true,
		      "t;main;-;entry_SYSCALL_64;vfs_read;--;vfs_read;entry_SYSCALL_64;-;read;main;w 5000\n");
}

Test(folded, events_by_time_and_by_number)
{
	const struct stack_row rows[] = { { STACK(&k_read), STACK(&u_read), "cat", 42, 0, 9000 },
					  { STACK(&k_read), STACK(&u_read), "cat", 43, 0, 1999 } };

	expect_folded(&events, rows, 2, sizeof(*rows), true, "cat;read;vfs_read 10\n");
	expect_folded(&events, rows, 2, sizeof(*rows), false, "cat;read;vfs_read 2\n");
}
