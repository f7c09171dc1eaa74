// SPDX-License-Identifier: BSD-2-Clause
/* Lines of calls from a recording that has no blobs, and recordings whose calls another sonde must print. */
#include "bpf/record.h"
#include "kernel/syscalls.h"
#include "output/output.h"
#include "recording_fixture.h"
#include "strace/replay.h"
#include "strace/replay_part.h"

/* Times are behind the clocks' start, as in a real one. */
#define BASE (1ull << 62)
#define MS   1000000ULL

static int replay(struct recording *r, char *text, size_t size, struct err *err)
{
	FILE *file = tmpfile();
	struct output *out = output_new(fileno(file), OUTPUT_TEXT);
	uint64_t lost;
	int ret = strace_replay(r, out, &lost, err);

	output_flush(out);
	rewind(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	output_free(out);
	fclose(file);
	recording_close(r);
	return ret;
}

/*
 * The command becomes a 32-bit program: the end of its exec has the number of the 64-bit call, and says that it is a
 * 32-bit one. Then comes a call whose number is that of none.
 */
Test(strace_replay, ends_as_it_began)
{
	int execve = syscall_number("execve"), getpid = syscall_number("getpid");
	char text[1024];
	struct made m;
	struct err err;

	made_begin(&m);
	made_record(&m, 0, MADE_ENTER, BASE + 1 * MS, made_pair(100, execve), 0, 0, 0);
	made_record(&m, 0, MADE_LEAVE, BASE + 2 * MS, made_pair(100, execve + RECORD_CALL_32), 0);
	made_record(&m, 0, MADE_ENTER, BASE + 3 * MS, made_pair(100, -1), 0);
	made_record(&m, 0, MADE_LEAVE, BASE + 4 * MS, made_pair(100, -1), -38);
	made_record(&m, 0, MADE_ENTER, BASE + 5 * MS, made_pair(100, getpid), 0);
	made_record(&m, 0, MADE_LEAVE, BASE + 6 * MS, made_pair(100, getpid), 100);
	cr_assert_eq(replay(made_open(&m), text, sizeof(text), &err), 0);
	cr_assert(strstr(text, "100   execve(NULL, NULL, NULL)"), "%s", text);
	cr_assert(strstr(text, "100   syscall_0xffffffff("), "%s", text);
	cr_assert(strstr(text, "= -1 ENOSYS "), "%s", text);
	cr_assert(strstr(text, "100   getpid() "), "%s", text);
	cr_assert(!strstr(text, "unfinished"), "%s", text);
}

/* A begin from before recording is kept for its end, and for no other call of its thread. */
Test(strace_replay, begins_that_came_too_early)
{
	struct strace_record begun = { .kind = STRACE_ENTER, .tid = 7, .nr = 59 }, other = begun;
	struct strace_record ended = { .kind = STRACE_EXIT, .tid = 7, .nr = 59 }, of_nobody = { .kind = STRACE_EXIT, .tid = 8, .nr = 59 };
	struct strace_begins begins = {};
	struct strace_record *kept;

	other.nr = 60;
	strace_begins_keep(&begins, &other);
	strace_begins_keep(&begins, &begun);
	cr_assert_eq(begins.n, 1);
	cr_assert_null(strace_begins_take(&begins, &of_nobody));
	kept = strace_begins_take(&begins, &ended);
	cr_assert(kept && kept->nr == 59);
	free(kept);
	cr_assert_null(strace_begins_take(&begins, &ended));
	strace_begins_keep(&begins, &begun);
	ended.began = 5;
	cr_assert_null(strace_begins_take(&begins, &ended));
	strace_begins_keep(&begins, &begun);
	strace_begins_release(&begins);
}

/* How long a call waits for its end does not depend on how many records come in between. */
Test(strace_replay, splits_by_time)
{
	int pause = syscall_number("ppoll"), getpid = syscall_number("getpid");
	char text[4096];
	struct made m;
	struct err err;

	made_begin(&m);
	made_record(&m, 0, MADE_ENTER, BASE + 1 * MS, made_pair(200, pause), 0);
	made_record(&m, 0, MADE_ENTER, BASE + 101 * MS, made_pair(300, getpid), 0);
	made_record(&m, 0, MADE_LEAVE, BASE + 102 * MS, made_pair(300, getpid), 300);
	made_record(&m, 0, MADE_LEAVE, BASE + 103 * MS, made_pair(200, pause), 0);
	cr_assert_eq(replay(made_open(&m), text, sizeof(text), &err), 0);
	cr_assert(strstr(text, "<unfinished ...>\n300   getpid()"), "%s", text);
	cr_assert(strstr(text, "200   <... ppoll resumed>"), "%s", text);
}

Test(strace_replay, other_machine)
{
	uint32_t none = 0;
	struct layout_end end = {};
	char text[64];
	struct made m;
	struct err err;

	made_begin(&m);
	made_close(&m, &end);
	cr_assert_eq(pwrite(m.fd, &none, sizeof(none), offsetof(struct layout_header, machine)), sizeof(none));
	cr_assert_eq(replay(recording_open_fd(m.fd, "made", &err), text, sizeof(text), &err), -ENOEXEC);
	cr_assert_str_eq(err.text, "calls of x86_64 are printed by the sonde of that architecture");
}

Test(strace_replay, other_table)
{
	char text[64];
	struct made m;
	struct err err;

	made_begin(&m);
	cr_assert_eq(writer_calls_form(m.w, strace_replay_fingerprint() + 1, 32), 0);
	cr_assert_eq(replay(made_open(&m), text, sizeof(text), &err), -ENOEXEC);
	cr_assert_str_eq(err.text,
			 "sonde 0.6 has recorded the calls, by another table of calls: that version prints them");
	made_begin(&m);
	cr_assert_eq(writer_calls_form(m.w, strace_replay_fingerprint(), 32), 0);
	cr_assert_eq(replay(made_open(&m), text, sizeof(text), &err), 0);
	cr_assert_str_eq(text, "");
}
