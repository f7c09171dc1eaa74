// SPDX-License-Identifier: BSD-2-Clause
/* The text of sonde strace: escapes, flags, sets of calls, plans. */
#include <criterion/criterion.h>

#include "kernel/syscalls.h"
#include "strace/decode.h"
#include "strace/strace_part.h"
#include "strace/types_ioctl.h"

static struct strace_settings settings = { .size = 8, .column = 40 };

static void expect_text(const char *bytes, size_t n, bool cut, const char *want)
{
	struct str out __str = {};
	struct strace_line line = { .out = &out, .settings = &settings };

	strace_text(&line, bytes, n, cut);
	cr_assert_str_eq(out.data, want);
}

Test(strace, escapes)
{
	expect_text("abc", 3, false, "\"abc\"");
	expect_text("abc", 3, true, "\"abc\"...");
	expect_text("", 0, false, "\"\"");
	expect_text("a\"\\\n\t\r\v\f", 8, false, "\"a\\\"\\\\\\n\\t\\r\\v\\f\"");
	/* as short as the next character permits */
	expect_text("\1x\0011\0018\177\377", 8, false, "\"\\1x\\0011\\18\\177\\377\"");
	settings.hex = 1;
	expect_text("abc", 3, false, "\"abc\"");
	expect_text("a\1", 2, false, "\"\\x61\\x01\"");
	settings.hex = 2;
	expect_text("abc", 3, false, "\"\\x61\\x62\\x63\"");
	settings.hex = STRACE_HEX_CHARS;
	expect_text("a\1\n", 3, false, "\"a\\x01\\n\"");
	settings.hex = 0;
}

static void expect_flags(const struct strace_family *family, uint64_t value, const char *want)
{
	struct str out __str = {};

	strace_flags(&out, family, value);
	cr_assert_str_eq(out.data, want);
}

Test(strace, flags)
{
	static STRACE_FAMILY(family, "F_???", { "F_NONE", 0 }, { "F_ALL", 7 }, { "F_A", 1 }, { "F_B", 2 });

	expect_flags(&family, 0, "F_NONE");
	expect_flags(&family, 3, "F_A|F_B");
	expect_flags(&family, 7, "F_ALL");
	expect_flags(&family, 0x12, "F_B|0x10");
	expect_flags(&family, 0x10, "0x10 /* F_??? */");
	expect_flags(&strace_msg_flags, 0, "0");
}

Test(strace, sets_of_signals)
{
	const struct {
		uint64_t mask;
		const char *want;
	} cases[] = {
		{ 0, "[]" },
		{ 1 << 1 | 1 << 16, "[INT CHLD]" },
		{ ~0ULL, "~[]" },
		{ ~(3ULL << 31), "~[RTMIN RT_1]" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str out __str = {};

		strace_sigset(&out, &cases[i].mask, 8);
		cr_assert_str_eq(out.data, cases[i].want);
	}
}

static bool has(const struct strace_set *set, const char *name)
{
	return set->v[syscall_number(name)];
}

static int number_32(const char *name)
{
	for (int i = 0; i < STRACE_CALLS; i++)
		if (str_same(syscall_name_32(i), name))
			return i;
	return -1;
}

Test(strace, sets_of_calls)
{
	struct strace_set set = {};
	struct err err;

	cr_assert_eq(strace_set_parse(&set, "openat,close", &err), 0);
	cr_assert(set.any && has(&set, "openat") && has(&set, "close") && !has(&set, "read"));
	cr_assert_eq(strace_set_parse(&set, "!openat", &err), 0);
	cr_assert(!has(&set, "openat") && has(&set, "read"));
	cr_assert_eq(strace_set_parse(&set, "%file", &err), 0);
	cr_assert(has(&set, "openat") && has(&set, "execve") && !has(&set, "read"));
	cr_assert_eq(strace_set_parse(&set, "%net", &err), 0);
	cr_assert(has(&set, "connect") && !has(&set, "openat"));
	cr_assert_eq(strace_set_parse(&set, "/^p.*64$", &err), 0);
	cr_assert(has(&set, "pread64") && !has(&set, "read"));
	cr_assert_eq(strace_set_parse(&set, "?nosuch,read", &err), 0);
	cr_assert(has(&set, "read"));
	cr_assert_eq(strace_set_parse(&set, "%%stat", &err), 0);
	cr_assert(has(&set, "fstat") && has(&set, "statx") && !has(&set, "statfs"));
	cr_assert_eq(strace_set_parse(&set, "%desc", &err), 0);
	cr_assert(has(&set, "read") && has(&set, "openat") && has(&set, "mq_open") && !has(&set, "connect"));
	cr_assert_eq(strace_set_parse(&set, "%clock,%creds,%pure,%statfs,%fstatfs,%stat,%lstat,%fstat,%%statfs", &err), 0);
	cr_assert_eq(strace_set_parse(&set, "read@64,write@32", &err), 0);
	cr_assert(strace_set_has(&set, syscall_number("read"), false) && !strace_set_has(&set, number_32("read"), true));
	cr_assert(!has(&set, "write") && strace_set_has(&set, number_32("write"), true));
	cr_assert_eq(strace_set_parse(&set, "_llseek,all@64", &err), 0);
	cr_assert(strace_set_has(&set, number_32("_llseek"), true) && has(&set, "read"));
	cr_assert(!strace_set_has(&set, number_32("read"), true));
	cr_assert_eq(strace_set_parse(&set, "read@x32", &err), -EINVAL);
	/* 32-bit programs have calls of these names */
	cr_assert_eq(strace_set_parse(&set, "signal,ipc", &err), 0);
	cr_assert(has(&set, "rt_sigaction") && has(&set, "shmget") && strace_set_has(&set, number_32("sigreturn"), true));
	cr_assert_eq(strace_set_parse(&set, "%desc", &err), 0);
	cr_assert(!strace_set_has(&set, number_32("recvmmsg_time64"), true));
	cr_assert_eq(strace_set_parse(&set, "nosuch@32", &err), -EINVAL);
	cr_assert_eq(strace_set_parse(&set, "nosuch", &err), -EINVAL);
	cr_assert_eq(strace_set_parse(&set, "%nosuch", &err), -EINVAL);
	cr_assert_eq(strace_set_parse(&set, "/(", &err), -EINVAL);
}

static bool op_is_of_begin(int op)
{
	return op == STRACE_STRING || op == STRACE_BYTES || op == STRACE_STRINGS || op == STRACE_COUNT || op == STRACE_FILE ||
	       op == STRACE_FILES;
}

/* No plan has more steps than the program takes, and a step refers to an earlier one only. */
Test(strace, plans)
{
	struct strace_settings every = { .size = 8, .whole = true, .details = ~0U };
	static struct strace_plans plans;
	const struct strace_set all = {};

	strace_plans_make(&plans, &every, &all, false);
	cr_assert_lt(plans.n + 2 * STRACE_BLOBS, STRACE_STEPS);
	for (int i = 0; i < 2 * STRACE_CALLS; i++) {
		bool compat = i >= STRACE_CALLS;
		const struct strace_plan *plan = &plans.plans[compat][i % STRACE_CALLS + 1];

		cr_assert(plan->wanted & STRACE_WANTED);
		cr_assert_leq(plan->n_enter, STRACE_BLOBS);
		cr_assert_leq(plan->n_exit, STRACE_BLOBS);
		/* the program at the begin of calls has no others */
		for (unsigned int n = 0; n < plan->n_enter; n++)
			cr_assert(op_is_of_begin(plans.steps[plan->enter + n].op), "%d", i);
		for (unsigned int n = 0; n < plan->n_exit; n++) {
			const struct strace_step *step = &plans.steps[plan->exit + n];

			cr_assert_lt(step->from, STRACE_FROM_BLOB + n + !n);
			cr_assert_leq(step->most, STRACE_ROOM);
		}
	}
}

static const struct strace_plan *plan_of(const struct strace_plans *plans, const char *name)
{
	return &plans->plans[false][syscall_number(name) + 1];
}

/* With -s 0 a byte is copied, which says whether the memory can be read. */
Test(strace, plans_without_text)
{
	static struct strace_plans plans;
	struct strace_settings none = settings;
	const struct strace_set all = {};

	none.size = 0;
	strace_plans_make(&plans, &none, &all, false);
	cr_assert_eq(plan_of(&plans, "write")->only.most, 1);
}

/* One small step at the end goes right into the buffer; a begin is sent when its memory is copied, or is all. */
Test(strace, brief_plans)
{
	static struct strace_plans plans;
	static const char names[] = "openat,read,fstat,getppid,exit_group,rt_sigreturn,execve,newfstatat,ppoll";
	static const char *const late[] = { "openat", "read", "fstat", "getppid" };
	static const char *const early[] = { "exit_group", "rt_sigreturn", "execve", "ppoll" };
	const struct strace_plan *execve;
	struct strace_set some = {};
	struct err err;

	cr_assert_eq(strace_set_parse(&some, names, &err), 0);
	strace_plans_make(&plans, &settings, &some, false);
	cr_assert_eq(plan_of(&plans, "openat")->brief, STRACE_BRIEF_TEXT);
	cr_assert_eq(plan_of(&plans, "openat")->only.op, STRACE_STRING);
	cr_assert_eq(plan_of(&plans, "read")->brief, STRACE_BRIEF_BYTES);
	cr_assert_eq(plan_of(&plans, "read")->only.from, 1);
	cr_assert_eq(plan_of(&plans, "fstat")->brief, STRACE_BRIEF_STRUCT);
	cr_assert_eq(plan_of(&plans, "newfstatat")->brief, STRACE_BRIEF_BOTH);
	cr_assert_eq(plan_of(&plans, "getppid")->n_exit, 0);
	for (size_t i = 0; i < ARRAY_SIZE(late); i++)
		cr_assert(!plan_of(&plans, late[i])->early, "%s", late[i]);
	for (size_t i = 0; i < ARRAY_SIZE(early); i++)
		cr_assert(plan_of(&plans, early[i])->early, "%s", early[i]);
	cr_assert_eq(plan_of(&plans, "write")->wanted & STRACE_WANTED, 0);
	/* there is no result when a call begins */
	execve = plan_of(&plans, "execve");
	for (size_t i = 0; i < execve->n_enter; i++)
		cr_assert_eq(plans.steps[execve->enter + i].when & (STRACE_IF_OK | STRACE_IF_FAILED), 0);
	/* dumps make what is copied larger */
	settings.dump_read.any = true;
	plans = (struct strace_plans){};
	strace_plans_make(&plans, &settings, &some, false);
	cr_assert_eq(plan_of(&plans, "read")->brief, STRACE_LONG);
	settings.dump_read.any = false;
}

static int parse(struct strace_settings *into, const char *text)
{
	struct err err = {};

	return strace_expr_parse(into, text, &err);
}

Test(strace, expressions)
{
	struct strace_settings s = { .status = ~0U };

	cr_assert_eq(parse(&s, "signal=INT,sigchld,10"), 0);
	cr_assert_eq(s.hidden, ~(1ULL << 1 | 1ULL << 16 | 1ULL << 9));
	cr_assert_eq(parse(&s, "s=!io,RT_1"), 0);
	cr_assert_eq(s.hidden, 1ULL << 28 | 1ULL << 32);
	cr_assert_eq(parse(&s, "signals=none"), 0);
	cr_assert_eq(s.hidden, ~0ULL);
	cr_assert_eq(parse(&s, "signal=all"), 0);
	cr_assert_eq(s.hidden, 0);
	cr_assert_eq(parse(&s, "status=failed,unfinished"), 0);
	cr_assert_eq(s.status, STRACE_FAILED | STRACE_UNFINISHED);
	cr_assert_eq(parse(&s, "status=!failed"), 0);
	cr_assert_eq(s.status, ~(uint32_t)STRACE_FAILED);
	cr_assert_eq(parse(&s, "q=exit,path-resolution"), 0);
	cr_assert_eq(s.hushed, STRACE_Q_EXIT | STRACE_Q_PATH);
	cr_assert_eq(parse(&s, "decode-fds=dev,socket"), 0);
	cr_assert_eq(s.details, STRACE_DEVICES | STRACE_SOCKS);
	cr_assert_eq(parse(&s, "read=3,5"), 0);
	cr_assert(s.dump_read.any && s.dump_read.v[3] && s.dump_read.v[5] && !s.dump_read.v[4] && !s.dump_read.others);
	cr_assert_eq(parse(&s, "w=!1"), 0);
	cr_assert(s.dump_written.any && s.dump_written.v[0] && !s.dump_written.v[1] && s.dump_written.others);
	cr_assert_eq(parse(&s, "write=none"), 0);
	cr_assert(!s.dump_written.any);
	cr_assert_eq(parse(&s, "raw=close"), 0);
	cr_assert(s.raw.any && has(&s.raw, "close") && !has(&s.raw, "read"));
	cr_assert_eq(parse(&s, "read,close"), 0);
	cr_assert(has(&s.trace, "close") && has(&s.trace, "read") && !has(&s.trace, "write"));
	for (const char *const *bad = (const char *const[]){ "signal=nosuch", "signal=65", "status=nosuch", "quiet=x",
							     "read=x",
							     "read=-1", "write=1024", "decode-fds=x", "inject=read",
							     "fault=read",
							     "kvm=vcpu", "nosuch=1", "raw=nosuch", NULL };
	     *bad; bad++)
		cr_assert_eq(parse(&s, *bad), -EINVAL, "%s", *bad);
}

static void expect_times(struct strace_settings *s, const char *want)
{
	struct str out __str = {};
	uint64_t before = 1000000000;

	strace_times_add(&out, s, 3123456789, &before);
	strace_times_took(&out, s, 1002003004);
	cr_assert_str_eq(out.data, want);
	cr_assert_eq(before, s->relative_digits ? 3123456789 : 1000000000);
}

Test(strace, times)
{
	struct strace_settings s = {};
	struct err err = {};

	cr_assert_eq(strace_times_precision(&s.relative_digits, NULL, &err), 0);
	cr_assert_eq(strace_times_precision(&s.took_digits, "s", &err), 0);
	expect_times(&s, "     2.123456  <1>");
	cr_assert_eq(strace_times_precision(&s.relative_digits, "ns", &err), 0);
	cr_assert_eq(strace_times_precision(&s.took_digits, "ms", &err), 0);
	expect_times(&s, "     2.123456789  <1.002>");
	cr_assert_eq(strace_times_precision(&s.took_digits, "hours", &err), -EINVAL);
	cr_assert_eq(strace_times_clock(&s.clock, NULL, &err), 0);
	cr_assert(s.clock.form == STRACE_CLOCK_TIME && s.clock.digits == 0);
	cr_assert_eq(strace_times_clock(&s.clock, "format:unix,precision:ns", &err), 0);
	cr_assert(s.clock.form == STRACE_CLOCK_UNIX && s.clock.digits == 9);
	cr_assert_eq(strace_times_clock(&s.clock, "us", &err), 0);
	cr_assert(s.clock.form == STRACE_CLOCK_TIME && s.clock.digits == 6);
	cr_assert_eq(strace_times_clock(&s.clock, "none", &err), 0);
	cr_assert(s.clock.form == STRACE_CLOCK_NONE);
	cr_assert_eq(strace_times_clock(&s.clock, "noon", &err), -EINVAL);
}

Test(strace, styles)
{
	static STRACE_FAMILY(family, "F_???", { "F_NONE", 0 }, { "F_A", 1 }, { "F_B", 2 });
	struct str out __str = {};

	strace_set_style(STRACE_NUMBERS);
	expect_flags(&family, 0, "0");
	expect_flags(&family, 3, "0x3");
	expect_flags(&family, 0x12, "0x12");
	strace_signal(&out, 10);
	strace_mode(&out, 0100644, true);
	strace_set_style(STRACE_BOTH);
	expect_flags(&family, 0, "0 /* F_NONE */");
	expect_flags(&family, 3, "0x3 /* F_A|F_B */");
	expect_flags(&family, 0x12, "0x12 /* F_B|0x10 */");
	expect_flags(&family, 0x10, "0x10 /* F_??? */");
	strace_signal(&out, 10);
	strace_mode(&out, 0100644, true);
	strace_set_style(STRACE_NAMES);
	cr_assert_str_eq(out.data, "10010064410 /* SIGUSR1 */0100644 /* S_IFREG|0644 */");
}

Test(strace, dumps)
{
	struct str out __str = {};

	strace_dump_bytes(&out, "hello\nworld 0123456789", 22, 30);
	cr_assert_str_eq(out.data,
			 " | 00000  68 65 6c 6c 6f 0a 77 6f  72 6c 64 20 30 31 32 33  hello.world 0123 |\n"
			 " | 00010  34 35 36 37 38 39                                 456789           |\n"
			 " * 8 bytes more are not recorded\n");
	str_reset(&out);
	strace_dump_bytes(&out, "", 0, 0);
	cr_assert_eq(out.len, 0);
}

static void expect_table(const char *order, const char *columns, const char *want)
{
	struct strace_total totals[] = {
		{ .name = "read", .number = 0, .calls = 3, .ns = 2600, .least = 600, .most = 1600 },
		{ .name = "openat", .number = 257, .calls = 2, .errors = 2, .ns = 7500000, .most = 7000000 },
		{ .name = "close", .number = 3, .calls = 3 },
	};
	struct strace_table table = {};
	struct str out __str = {};
	struct err err = {};

	cr_assert_eq(strace_summary_columns(&table, columns, &err), 0);
	cr_assert_eq(strace_summary_order(&table, order, &err), 0);
	strace_summary(&out, &table, totals, ARRAY_SIZE(totals));
	cr_assert_str_eq(out.data, want);
}

Test(strace, tables)
{
	struct strace_table table = {};
	struct str out __str = {};
	struct err err = {};

	expect_table("time", "time-percent,total-time,avg-time,calls,errors,name",
		     "% time     seconds  usecs/call     calls    errors syscall\n"
		     "------ ----------- ----------- --------- --------- ----------------\n"
		     " 99.97    0.007500        3750         2         2 openat\n"
		     "  0.03    0.000003           0         3           read\n"
		     "  0.00    0.000000           0         3           close\n"
		     "------ ----------- ----------- --------- --------- ----------------\n"
		     "100.00    0.007503         937         8         2 total\n");
	expect_table("calls", "name,calls,min-time,max-time",
		     "syscall              calls shortest  longest\n"
		     "---------------- --------- -------- --------\n"
		     "read                     3 0.000001 0.000002\n"
		     "close                    3 0.000000 0.000000\n"
		     "openat                   2 0.000000 0.007000\n"
		     "---------------- --------- -------- --------\n"
		     "total                    8 0.000000 0.007000\n");
	/* the name is always there */
	expect_table("name", "errors",
		     "   errors syscall\n"
		     "--------- ----------------\n"
		     "          close\n"
		     "        2 openat\n"
		     "          read\n"
		     "--------- ----------------\n"
		     "        2 total\n");
	cr_assert_eq(strace_summary_columns(&table, "calls,nosuch", &err), -EINVAL);
	cr_assert_eq(strace_summary_columns(&table, "calls,count", &err), -EINVAL);
	cr_assert_eq(strace_summary_order(&table, "nosuch", &err), -EINVAL);
	strace_summary(&out, &table, NULL, 0);
	cr_assert_eq(out.len, 0);
}

/* --- calls of which one end is known --- */

static void expect_call(const char *name, const uint64_t args[STRACE_DECODE_ARGS], const struct strace_read *reads,
			size_t n, const char *want)
{
	struct str out __str = {};

	strace_decode_call(&out, syscall_number(name), args, syscall_number(name), reads, n);
	cr_assert_str_eq(out.data, want);
}

Test(strace, calls_that_begin)
{
	static const uint64_t opened[STRACE_DECODE_ARGS] = { (uint32_t)-100, 0x1000, 0x80000 };
	static const uint64_t nothing[STRACE_DECODE_ARGS] = { (uint32_t)-100 };
	static const uint64_t written[STRACE_DECODE_ARGS] = { 1, 0x1000, 40 };
	static const uint64_t slept[STRACE_DECODE_ARGS] = { 0x1000, 0x2000 };
	const struct strace_read path = { "/etc/passwd", 11, false }, cut = { "/etc", 4, true }, none = {};
	const struct strace_read data = { "0123456789012345678901234567890\n", 32, true };
	const struct strace_read time = { (const long[]){ 1, 5 }, 16, false }, part = { "1234", 4, false };
	struct lang_memory memory[LANG_MEMORIES];

	expect_call("openat", opened, &path, 1, "openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC)");
	expect_call("openat", opened, &cut, 1, "openat(AT_FDCWD, \"/etc\"..., O_RDONLY|O_CLOEXEC)");
	expect_call("openat", opened, &none, 1, "openat(AT_FDCWD, 0x1000, O_RDONLY|O_CLOEXEC)");
	expect_call("openat", opened, NULL, 0, "openat(AT_FDCWD, 0x1000, O_RDONLY|O_CLOEXEC)");
	expect_call("openat", nothing, &none, 1, "openat(AT_FDCWD, NULL, O_RDONLY)");
	expect_call("write", written, &data, 1, "write(1, \"0123456789012345678901234567890\\n\"..., 40)");
	expect_call("read", written, NULL, 0, "read(1, 0x1000, 40)");
	expect_call("nanosleep", slept, &time, 1, "nanosleep({tv_sec=1, tv_nsec=5}, 0x2000)");
	expect_call("nanosleep", slept, &part, 1, "nanosleep(0x1000, 0x2000)");
	cr_assert_eq(strace_decode_memory(syscall_number("write"), memory), 1);
	cr_assert(memory[0].arg == 1 && memory[0].count == 2 && memory[0].size == 32 && !memory[0].is_text);
	cr_assert_eq(strace_decode_memory(syscall_number("read"), memory), 0);
	cr_assert_eq(strace_decode_memory(100000, memory), 0);
}

/* What was read for one call is not shown of another one, whose memory is another. */
Test(strace, calls_that_begin_as_another)
{
	static const uint64_t args[STRACE_DECODE_ARGS] = { 1, 0x1000, 2 };
	const struct strace_read text = { "abc", 3, false };
	struct str out __str = {};

	strace_decode_call(&out, syscall_number("write"), args, syscall_number("openat"), &text, 1);
	cr_assert_str_eq(out.data, "write(1, 0x1000, 2)");
	str_reset(&out);
	strace_decode_call(&out, 4000, args, 4000, &text, 1);
	cr_assert_str_eq(out.data, "syscall_0xfa0(0x1, 0x1000, 0x2, 0, 0, 0)");
}

Test(strace, calls_that_end)
{
	struct str out __str = {};

	strace_decode_result(&out, syscall_number("openat"), 3);
	str_addc(&out, ' ');
	strace_decode_result(&out, syscall_number("openat"), -2);
	str_addc(&out, ' ');
	strace_decode_result(&out, syscall_number("brk"), 0x1000);
	cr_assert_str_eq(out.data, "openat = 3 openat = -1 ENOENT (No such file or directory) brk = 0x1000");
}

/* dpkg makes hundreds of these. */
Test(strace, request_of_extents)
{
	const struct strace_ioctl *request = strace_ioctl_of(0xc020660b);

	cr_assert(request && !strncmp(request->name, "FS_IOC_FIEMAP\n", request->name_n + 1));
}
