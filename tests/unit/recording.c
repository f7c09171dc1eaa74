// SPDX-License-Identifier: BSD-2-Clause
/* The file of a recording: what was written is read, in order; what is cut or damaged is left out or refused. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include "recording_fixture.h"

#define MARK(m, cpu, time) made_record(m, cpu, MADE_MARK, time, 100, 0x41)

/* Reads all. Sets the sum of lost records; returns how many events there were. */
static uint64_t count(struct recording *r, uint64_t *lost)
{
	struct recording_event event;
	uint64_t n = 0, last = 0;
	int ret;

	*lost = 0;
	while ((ret = recording_next(r, &event)) > 0) {
		cr_assert(event.time >= last, "at event %lu", n);
		last = event.time;
		*lost += event.lost;
		n += !!event.kind;
	}
	cr_assert_eq(ret, 0);
	return n;
}

Test(recording, tells_what_is_not_an_event)
{
	const struct recording_info *info;
	struct recording *r;
	struct made m;

	made_begin(&m);
	writer_text(m.w, LAYOUT_SPACE_SYSCALLS, 0, "read");
	writer_text(m.w, LAYOUT_SPACE_SYSCALLS, 0, "read_again");
	writer_text(m.w, LAYOUT_SPACE_DEVICES, 0, "vda");
	writer_note(m.w, "one was not attached");
	MARK(&m, 1, 50);
	r = made_open(&m);
	info = recording_info(r);
	cr_assert_str_eq(info->host.release, "6.12");
	cr_assert_str_eq(info->host.line, "sonde record");
	cr_assert_eq(info->host.command_pid, 100);
	cr_assert(info->ended && !info->cut);
	cr_assert_eq(info->totals.recorded, 1);
	cr_assert_eq(info->totals.exit_status, -1);
	cr_assert(info->start.monotonic && info->start.boot && info->end.wall >= info->start.wall);
	cr_assert_eq(recording_wall_offset(r), (int64_t)(info->start.wall - info->start.monotonic));
	cr_assert_eq(info->n_kinds, MADE_KINDS - 1);
	cr_assert_eq(info->cpus, 2);
	cr_assert_eq(info->n_notes, 1);
	cr_assert_str_eq(info->notes[0], "one was not attached");
	cr_assert_str_eq(recording_text(r, LAYOUT_SPACE_SYSCALLS, 0), "read_again");
	cr_assert_str_eq(recording_text(r, LAYOUT_SPACE_DEVICES, 0), "vda");
	cr_assert_null(recording_text(r, LAYOUT_SPACE_DEVICES, 1));
	cr_assert_eq(recording_tasks(r), 2);
	cr_assert_str_eq(recording_task(r, 200)->line, "cc -c x.c");
	cr_assert_eq(recording_task(r, 100)->state, 'S');
	cr_assert_str_eq(recording_comm(r, 0), "idle");
	cr_assert_str_eq(recording_comm(r, 300), "?");
	recording_close(r);
}

/* A flight recorder has forgotten the fork: the end says who it was. */
Test(recording, an_end_has_a_name)
{
	struct recording_event event;
	struct recording *r;
	struct made m;

	made_begin(&m);
	MARK(&m, 0, 50);
	made_record(&m, 0, MADE_EXIT, 60, 900, 0, 0x656e6f67 /* "gone" */, 0);
	r = made_open(&m);
	cr_assert_eq(recording_next(r, &event), 1);
	cr_assert_str_eq(recording_comm(r, 900), "?");
	cr_assert_eq(recording_next(r, &event), 1);
	cr_assert_str_eq(recording_comm(r, 900), "gone");
	recording_close(r);
}

/* Texts that a field refers to, also where they are not: offsets count from word 1 here. */
Test(recording, texts_elsewhere_in_the_record)
{
	static const struct layout_field fields[] = {
		{ "text", LAYOUT_LOC, 1, 0, 1 },
		{ "more", LAYOUT_LOC, 1, 32, 1 },
	};
	static const struct layout_kind kind = { 100, "traced", fields, 2 };
	static const struct {
		uint32_t loc;
		const char *text;
	} cases[] = {
		{ 8 | 5 << 16, "hello" },
		{ 8 | 3 << 16, "hel" },
		{ 8 | 100 << 16, "hello you" },
		{ 14 | 8 << 16, "you" },
		{ 24 | 1 << 16, NULL },
		{ 23 | 9 << 16, "" },
		{ 0xffff | 9 << 16, NULL },
		{ 8 | 0 << 16, "" },
	};
	uint64_t words[2] = {};
	struct recording_event event;
	struct recording *r;
	struct made m;

	memcpy(words, "hello you", 9);
	made_begin(&m);
	writer_kind(m.w, &kind);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		made_record(&m, 0, 100, i + 1, made_pair(cases[i].loc, cases[i].loc), words[0], words[1]);
	r = made_open(&m);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cr_assert_eq(recording_next(r, &event), 1);
		for (int field = 0; field < 2; field++) {
			size_t len;
			const char *text = recording_chars(r, &event, &event.kind->fields[field], &len);

			cr_assert_eq(!text, !cases[i].text, "%zu", i);
			if (text)
				cr_expect_arr_eq(text, cases[i].text, len, "%zu", i);
			cr_expect_eq(len, strlen(str_or_empty(cases[i].text)), "%zu", i);
		}
	}
	recording_close(r);
}

/* Rings of three processors in chunks of five; an interrupt's record comes before that of the program it interrupts. */
Test(recording, events_are_in_order)
{
	struct recording *r;
	struct made m;
	uint64_t lost;

	made_begin(&m);
	for (int i = 0; i < 3000; i++) {
		int cpu = i % 3;
		/* The first of a chunk is earlier than the last ones of the chunk before. */
		uint64_t time = 1000 + 10 * (i ^ (i / 3 % 4 == 3 ? 3 : 0)) + (i / 3 % 5 == 0 ? -100 : 0);

		MARK(&m, cpu, time);
		if (i / 3 % 5 == 4)
			made_chunk(&m, cpu);
	}
	r = made_open(&m);
	cr_assert_eq(count(r, &lost), 3000);
	cr_assert_eq(lost, 0);
	recording_rewind(r);
	cr_assert_eq(count(r, &lost), 3000);
	recording_close(r);
}

/* A foreign file may have all of them the wrong way round. */
Test(recording, sorts_whatever_order)
{
	struct recording *r;
	struct made m;
	uint64_t lost;

	made_begin(&m);
	for (int i = 0; i < 30000; i++)
		MARK(&m, 0, 1000000 - i);
	r = made_open(&m);
	cr_assert_eq(count(r, &lost), 30000);
	recording_close(r);
}

Test(recording, losses_are_where_they_happened)
{
	static const uint64_t expected[][2] = { { 10, 0 }, { 15, 0 }, { 20, 0 }, { 40, 7 }, { 40, 0 }, { 50, 0 }, { 50, 3 } };
	struct recording_event event;
	struct recording *r;
	struct made m;

	made_begin(&m);
	MARK(&m, 0, 10);
	MARK(&m, 0, 20);
	made_chunk(&m, 0);
	made_lose(&m, 0, 7);
	MARK(&m, 0, 40);
	MARK(&m, 0, 50);
	made_chunk(&m, 0);
	made_lose(&m, 0, 3);
	MARK(&m, 1, 15);
	r = made_open(&m);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		cr_assert_eq(recording_next(r, &event), 1);
		cr_assert_eq(event.time, expected[i][0]);
		cr_assert_eq(event.lost, expected[i][1]);
		cr_assert_eq(!event.kind, !!expected[i][1]);
		if (event.lost == 7)
			cr_assert_eq(event.since, 20);
	}
	cr_assert_eq(recording_next(r, &event), 0);
	recording_close(r);
}

/* Returns the offset of the n-th CHUNK. */
static uint64_t find_chunk(int fd, int n)
{
	uint64_t at = sizeof(struct layout_header);
	struct layout_section section;

	while (pread(fd, &section, sizeof(section), at) == sizeof(section)) {
		if (section.type == LAYOUT_CHUNK && !n--)
			return at;
		at += sizeof(section) + (section.bytes + 7) / 8 * 8;
	}
	cr_assert(false, "no such chunk");
	return 0;
}

Test(recording, damaged_chunk_counts_as_lost)
{
	struct recording *r;
	struct made m;
	struct err err;
	uint64_t lost;

	made_begin(&m);
	for (int i = 0; i < 30; i++) {
		MARK(&m, 0, 10 * i);
		if (i % 10 == 9)
			made_chunk(&m, 0);
	}
	made_close(&m, &(struct layout_end){});
	cr_assert_eq(pwrite(m.fd, "x", 1, find_chunk(m.fd, 1) + 100), 1);
	r = recording_open_fd(m.fd, "made", &err);
	cr_assert(r && !recording_info(r)->cut);
	cr_assert_eq(count(r, &lost), 20);
	cr_assert_eq(lost, 10);
	cr_assert_str_eq(recording_info(r)->cut, "parts of it are damaged");
	recording_close(r);
}

Test(recording, long_run_becomes_chunks)
{
	struct recording *r;
	struct made m;
	uint64_t lost;

	made_begin(&m);
	for (int i = 0; i < 150000; i++)
		MARK(&m, 0, 10 * i);
	r = made_open(&m);
	cr_assert_gt(recording_info(r)->chunks, 3);
	cr_assert_eq(count(r, &lost), 150000);
	cr_assert_eq(lost, 0);
	recording_close(r);
}

/* A file that ends at any byte is readable up to its last whole section, and tells what was missed until then. */
Test(recording, cut_anywhere)
{
	uint64_t before = 0, lost, n;
	struct recording *r;
	struct made m;
	struct err err;
	char *data;
	off_t size;

	made_begin(&m);
	for (int i = 0; i < 40; i++) {
		MARK(&m, i % 2, 10 * i);
		if (i % 10 == 9) {
			writer_missed(m.w, i + 1);
			made_chunk(&m, i % 4 < 2);
		}
	}
	made_close(&m, &(struct layout_end){ .missed = 40 });
	size = lseek(m.fd, 0, SEEK_END);
	data = base_alloc(size);
	cr_assert_eq(pread(m.fd, data, size, 0), size);
	close(m.fd);
	for (off_t cut = 0; cut <= size; cut++) {
		int fd = memfd_create("cut", MFD_CLOEXEC);

		cr_assert_eq(write(fd, data, cut), cut);
		err = (struct err){};
		r = recording_open_fd(fd, "x.trace", &err);
		if (cut < (off_t)sizeof(struct layout_header)) {
			cr_assert(!r && !strncmp(err.text, "x.trace ", 8), "%s", err.text);
			continue;
		}
		cr_assert(r, "%ld: %s", (long)cut, err.text);
		cr_assert_eq(!recording_info(r)->cut, cut == size, "at %ld of %ld", (long)cut, (long)size);
		n = count(r, &lost);
		cr_assert(n >= before && lost == 0);
		cr_assert_geq(recording_info(r)->totals.missed, n);
		before = n;
		recording_close(r);
	}
	cr_assert_eq(before, 40);
	free(data);
}

/* Whatever byte is wrong: no event that is not there, and a word about it. */
Test(recording, damaged_anywhere)
{
	struct recording *r;
	uint64_t lost, n;
	struct made m;
	struct err err;
	char *data;
	off_t size;

	made_begin(&m);
	for (int i = 0; i < 40; i++)
		MARK(&m, i % 2, 10 * i);
	made_close(&m, &(struct layout_end){ .recorded = 40 });
	size = lseek(m.fd, 0, SEEK_END);
	data = base_alloc(size);
	cr_assert_eq(pread(m.fd, data, size, 0), size);
	for (off_t at = 0; at < size; at++) {
		int fd = memfd_create("damaged", MFD_CLOEXEC);

		data[at] ^= 0x10;
		cr_assert_eq(write(fd, data, size), size);
		data[at] ^= 0x10;
		r = recording_open_fd(fd, "x.trace", &err);
		if (!r)
			continue;
		n = count(r, &lost);
		cr_assert(n <= 40);
		/* The header's machine and reserved words have no check. */
		cr_assert(recording_info(r)->cut || at < (off_t)sizeof(struct layout_header), "at %ld", (long)at);
		recording_close(r);
	}
	free(data);
	close(m.fd);
}

static void refuses(size_t at, const void *bytes, size_t n, const char *expected)
{
	struct err err = {};
	struct made m;

	made_begin(&m);
	made_close(&m, NULL);
	cr_assert_eq(pwrite(m.fd, bytes, n, at), (ssize_t)n);
	cr_assert_null(recording_open_fd(m.fd, "x.trace", &err));
	cr_assert_str_eq(err.text, expected);
}

Test(recording, refuses_other_files)
{
	struct err err;

	refuses(0, "\x1f\x8b", 2, "x.trace is not a recording of sonde");
	refuses(8, "\1\2\3\4", 4, "x.trace was recorded on a machine of another byte order");
	refuses(12, "\2", 1,
		"x.trace has version 2 of the format and this sonde reads 1: use the sonde that recorded it");
	cr_assert_null(recording_open("/dev/null", &err));
	cr_assert_null(recording_open("/nowhere/x.trace", &err));
	cr_assert_eq(err.code, -ENOENT);
}

/* A file with holes costs nothing to make: what its rings have is read one chunk of each at a time. */
Test(recording, refuses_what_memory_would_not_hold)
{
	const struct layout_section section = { .type = LAYOUT_CHUNK, .bytes = LAYOUT_BODY_MAX };
	struct err err = {};
	struct made m;
	off_t at;

	made_begin(&m);
	made_close(&m, NULL);
	at = lseek(m.fd, 0, SEEK_END);
	for (uint64_t cpu = 0; cpu <= 2048; cpu++, at += sizeof(section) + section.bytes) {
		const uint64_t head[LAYOUT_CHUNK_HEAD / 8] = { cpu };

		cr_assert_eq(pwrite(m.fd, &section, sizeof(section), at), (ssize_t)sizeof(section));
		cr_assert_eq(pwrite(m.fd, head, sizeof(head), at + sizeof(section)), (ssize_t)sizeof(head));
	}
	cr_assert_eq(ftruncate(m.fd, at), 0);
	cr_assert_null(recording_open_fd(m.fd, "x.trace", &err));
	cr_assert_str_eq(err.text, "x.trace needs more than 2 GB of memory: it has 2049 rings or more");
}

static long memory_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* Kinds that claim fields that do not follow take no memory for them, however many there are. */
Test(recording, kinds_without_their_fields)
{
	enum {
		N = 50000
	};
	const struct {
		struct layout_section section;
		uint64_t id, name, fields;
	} kind = { .section = { LAYOUT_KIND, 0, 24 }, .id = 50, .fields = LAYOUT_FIELDS_MAX };
	struct recording *r;
	struct str all __str = {};
	struct err err = {};
	struct made m;
	long before;

	made_begin(&m);
	made_close(&m, NULL);
	for (int i = 0; i < N; i++)
		str_addn(&all, (const char *)&kind, sizeof(kind));
	for (size_t at = 0; at < all.len; at += sizeof(kind)) {
		struct layout_section *section = (void *)(all.data + at);

		section->check = crc32(crc32(0, NULL, 0), (const Bytef *)&section->type, 4);
		section->check = crc32(section->check, (const Bytef *)&section->bytes, 8);
		section->check = crc32(section->check, (const Bytef *)(section + 1), 24);
	}
	cr_assert_eq(pwrite(m.fd, all.data, all.len, lseek(m.fd, 0, SEEK_END)), (ssize_t)all.len);
	before = memory_kb();
	r = recording_open_fd(m.fd, "x.trace", &err);
	cr_assert(r);
	cr_expect_str_eq(recording_info(r)->cut, "parts of it are damaged");
	cr_expect_eq(recording_info(r)->n_kinds, MADE_KINDS - 1);
	cr_expect_lt(memory_kb() - before, 24 << 10);
	recording_close(r);
}

Test(recording, knows_who_runs)
{
	struct recording_event event;
	struct recording *r;
	struct made m;

	made_begin(&m);
	made_record(&m, 0, MADE_SWITCH, 10, made_pair(0, 100), made_pair(0, 120));
	made_record(&m, 0, MADE_FORK, 20, 100, made_pair(300, 300), 0x73 /* "s" */, 0);
	made_record(&m, 0, MADE_SWITCH, 30, made_pair(100, 300), made_pair(1, 120), made_pair(61, 0), 0);
	made_record(&m, 0, MADE_EXEC, 40, made_pair(300, 300), 0x646c /* "ld" */, 0, 0x646c2f6e69622f /* "/bin/ld" */);
	made_record(&m, 0, MADE_COMM, 50, 200, 0x6363 /* "cc" */, 0x32);
	made_record(&m, 0, MADE_WAKING, 60, made_pair(100, 300), 1);
	made_record(&m, 0, MADE_ISSUE, 70, made_pair(254 << 20 | 1, 4096), 8);
	made_chunk(&m, 0);
	made_lose(&m, 0, 1);
	made_record(&m, 0, MADE_ISSUE, 80, made_pair(254 << 20 | 1, 4096), 8);
	r = made_open(&m);
	for (int turn = 0; turn < 2; turn++) {
		static const int32_t who[] = { 0, 100, 100, 300, 200, 300, 300, -1, -1 };

		cr_assert_null(recording_task(r, 300));
		for (size_t i = 0; i < ARRAY_SIZE(who); i++) {
			cr_assert_eq(recording_next(r, &event), 1);
			cr_assert_eq(event.task, who[i], "event %zu: %d", i, event.task);
			if (i == 1) {
				cr_assert_str_eq(recording_comm(r, 300), "s");
				cr_assert_str_eq(recording_task(r, 300)->line, "make -j2");
				cr_assert_eq(recording_task(r, 300)->ppid, 100);
			}
		}
		cr_assert_str_eq(recording_comm(r, 300), "ld");
		cr_assert_str_eq(recording_task(r, 300)->line, "/bin/ld");
		cr_assert_eq(recording_tasks(r), 3);
		recording_rewind(r);
	}
	recording_close(r);
}

static void shows(struct recording *r, const struct recording_event *event, enum known_field field,
		  const char *expected)
{
	__str struct str s = {};

	cr_assert(recording_field(event, field));
	recording_show(&s, r, event, recording_field(event, field));
	cr_assert_str_eq(str_or_empty(s.data), expected);
}

Test(recording, shows_fields)
{
	struct recording_event event;
	struct recording *r;
	struct made m;
	size_t n;

	made_begin(&m);
	writer_text(m.w, LAYOUT_SPACE_SYSCALLS, 61, "wait4");
	writer_text(m.w, LAYOUT_SPACE_PROBES, 3, "p:vfs_read");
	made_record(&m, 0, MADE_SWITCH, 30, made_pair(100, -1), made_pair(0x101, 120 | 99 << 16), made_pair(61, 1), 0x7f);
	made_record(&m, 0, MADE_SWITCH, 40, made_pair(100, 2), made_pair(0, 120));
	made_record(&m, 0, MADE_LEAVE, 50, made_pair(100, 61), -2);
	made_record(&m, 0, MADE_PROBE, 60, made_pair(100, 3 | 1u << 31), 0x55);
	made_record(&m, 0, MADE_COMPLETE, 70, made_pair(254 << 20 | 1, 4096), 8, 9, made_pair(0x101, 0), (uint32_t)-5);
	made_record(&m, 0, MADE_MARK, 80, 100, 0x0a41414141414141);
	r = made_open(&m);
	cr_assert_eq(recording_next(r, &event), 1);
	shows(r, &event, KNOWN_F_PREV_STATE, "S+");
	shows(r, &event, KNOWN_F_SYSCALL, "wait4");
	shows(r, &event, KNOWN_F_ARG, "0x7f");
	shows(r, &event, KNOWN_F_NEXT, "-1");
	cr_assert_eq(recording_known(&event, KNOWN_F_NEXT_PRIO, 0), 99);
	cr_assert_eq(recording_known(&event, KNOWN_F_STACK, 17), 17);
	cr_assert_eq(recording_next(r, &event), 1);
	shows(r, &event, KNOWN_F_PREV_STATE, "R");
	cr_assert(!recording_has(&event, recording_field(&event, KNOWN_F_SYSCALL)));
	cr_assert_eq(recording_known(&event, KNOWN_F_SYSCALL, -7), -7);
	cr_assert_eq(recording_next(r, &event), 1);
	shows(r, &event, KNOWN_F_RET, "-ENOENT");
	cr_assert_eq(recording_next(r, &event), 1);
	shows(r, &event, KNOWN_F_PROBE, "p:vfs_read");
	shows(r, &event, KNOWN_F_SITE, "return");
	shows(r, &event, KNOWN_F_ARGS, "0x55");
	cr_assert_eq(recording_words(&event, recording_field(&event, KNOWN_F_ARGS), &n)[0], 0x55);
	cr_assert_eq(n, 1);
	cr_assert_eq(recording_next(r, &event), 1);
	shows(r, &event, KNOWN_F_DEVICE, "254:1");
	shows(r, &event, KNOWN_F_OP, "write+sync");
	shows(r, &event, KNOWN_F_STATUS, "EIO");
	cr_assert_eq(recording_next(r, &event), 1);
	shows(r, &event, KNOWN_F_TEXT, "AAAAAAA\\n");
	recording_close(r);
}

/* A kind that the file does not describe, such as one of its damaged sections. */
Test(recording, unknown_kind_has_no_fields)
{
	struct recording_event event;
	struct recording *r;
	struct made m;

	made_begin(&m);
	made_record(&m, 0, 77, 30, 1, 2);
	r = made_open(&m);
	cr_assert_eq(recording_next(r, &event), 1);
	cr_assert_str_eq(event.kind->name, "kind_77");
	cr_assert_eq(event.kind->n, 0);
	cr_assert_eq(event.n, 3);
	recording_close(r);
}

/* --- files --- */

static char dir[] = "/tmp/recording-XXXXXX";

static void enter(void)
{
	cr_assert(mkdtemp(dir));
	cr_assert_eq(chdir(dir), 0);
	signal(SIGXFSZ, SIG_IGN);
}

static void leave(void)
{
	unlink("x.trace");
	unlink("d");
	rmdir("d");
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(rmdir(dir), 0);
}

TestSuite(recording_files, .init = enter, .fini = leave);

Test(recording_files, created_once_and_private)
{
	struct err err = {};
	struct writer *w = writer_open("x.trace", false, &err);
	struct stat st;

	cr_assert(w);
	cr_assert_eq(writer_close(w, NULL, &err), 0);
	cr_assert_eq(stat("x.trace", &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0600);
	cr_assert_null(writer_open("x.trace", false, &err));
	cr_assert_str_eq(err.text, "x.trace exists: --overwrite replaces it");
	w = writer_open("x.trace", true, &err);
	cr_assert(w);
	cr_assert_eq(writer_close(w, NULL, &err), 0);
	cr_assert_eq(mkdir("d", 0700), 0);
	cr_assert_null(writer_open("d", true, &err));
	cr_assert_str_eq(err.text, "d exists and is not a regular file");
	cr_assert_null(writer_open("nowhere/x.trace", false, &err));
	cr_assert_str_eq(err.text, "cannot create nowhere/x.trace: No such file or directory");
}

/* A limit of 40 KB behaves as a disk that fills: a piece of the section is written. */
Test(recording_files, full_disk_leaves_whole_sections)
{
	struct rlimit limit = { 40000, 40000 };
	uint64_t records[1024], lost, n;
	struct err err = {};
	struct writer *w = writer_open("x.trace", false, &err);
	struct recording *r;
	struct stat st;
	int ret = 0, chunks = 0;

	for (size_t i = 0; i < ARRAY_SIZE(records); i += 2) {
		records[i] = MADE_MARK | 2 << 8;
		records[i + 1] = 7;
	}
	cr_assert(w);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	writer_ring(w, &made_layout);
	while (!ret && chunks < 100) {
		ret = writer_chunk(w, 0, 0, chunks * 512, 0, records, sizeof(records));
		chunks += !ret;
	}
	cr_assert_eq(ret, -EFBIG);
	cr_assert_eq(writer_error(w), -EFBIG);
	cr_assert_eq(writer_chunk(w, 0, 0, 0, 0, records, sizeof(records)), -EFBIG);
	n = writer_bytes(w);
	cr_assert_eq(writer_close(w, &(struct layout_end){}, &err), -EFBIG);
	cr_assert_str_eq(err.text, "cannot write x.trace: File too large: it ends after 32 KB");
	cr_assert_eq(stat("x.trace", &st), 0);
	cr_assert_eq((uint64_t)st.st_size, n);
	r = recording_open("x.trace", &err);
	cr_assert(r, "%s", err.text);
	cr_assert_str_eq(recording_info(r)->cut, "it has no end: the recording was cut off");
	cr_assert_eq(count(r, &lost), 512u * chunks);
	recording_close(r);
}

/* Records of calls are in sections of their own: any lengths, in their order, with losses between them. */
Test(recording, has_calls)
{
	static char longer[20000];
	struct recording_call call;
	struct recording *r;
	struct made m;

	memset(longer, 'x', sizeof(longer));
	made_begin(&m);
	writer_calls_form(m.w, 77, 32);
	writer_call(m.w, "12345", 5);
	writer_calls_lost(m.w, 3);
	writer_calls_lost(m.w, 0);
	for (int i = 0; i < 10; i++)
		writer_call(m.w, longer, sizeof(longer) - i);
	r = made_open(&m);
	cr_assert(recording_info(r)->has_calls);
	cr_assert_eq(recording_info(r)->calls_form, 77);
	cr_assert_eq(recording_info(r)->calls_text, 32);
	for (int pass = 0; pass < 2; pass++) {
		cr_assert_eq(recording_next_call(r, &call), 1);
		cr_assert(call.n == 5 && !memcmp(call.bytes, "12345", 5) && !((uintptr_t)call.bytes & 7));
		cr_assert_eq(recording_next_call(r, &call), 1);
		cr_assert(!call.bytes && call.lost == 3);
		for (int i = 0; i < 10; i++) {
			cr_assert_eq(recording_next_call(r, &call), 1);
			cr_assert(call.n == sizeof(longer) - i && !memcmp(call.bytes, longer, call.n));
		}
		cr_assert_eq(recording_next_call(r, &call), 0);
		recording_rewind(r);
	}
	cr_assert_null(recording_info(r)->cut);
	recording_close(r);
}

/* Finds the section of calls in the file. Returns where its body begins. */
static off_t calls_at(int fd, struct layout_section *section)
{
	off_t at = sizeof(struct layout_header);

	for (;; at += sizeof(*section) + (section->bytes + 7) / 8 * 8) {
		cr_assert_eq(pread(fd, section, sizeof(*section), at), sizeof(*section));
		if (section->type == LAYOUT_CALLS)
			return at + sizeof(*section);
	}
}

/* A length that goes beyond the section: what is before it counts, and the damage is said. So is a wrong check. */
Test(recording, has_calls_that_are_damaged)
{
	for (int right = 0; right < 2; right++) {
		uint64_t body[] = { 8, 0x11, 1ull << 63, 0x22 };
		struct layout_end end = { .exit_status = -1 };
		struct layout_section section;
		struct recording_call call;
		struct recording *r;
		struct err err;
		struct made m;
		off_t at;

		made_begin(&m);
		writer_call(m.w, "12345678", 8);
		writer_call(m.w, "12345678", 8);
		made_close(&m, &end);
		at = calls_at(m.fd, &section);
		cr_assert_eq(section.bytes, sizeof(body));
		cr_assert_eq(pwrite(m.fd, body, sizeof(body), at), sizeof(body));
		section.check = crc32(0, NULL, 0);
		section.check = crc32(section.check, (const Bytef *)&section.type, sizeof(section.type));
		section.check = crc32(section.check, (const Bytef *)&section.bytes, sizeof(section.bytes));
		section.check = crc32(section.check, (const Bytef *)body, sizeof(body)) + !right;
		cr_assert_eq(pwrite(m.fd, &section, sizeof(section), at - (off_t)sizeof(section)), sizeof(section));
		r = recording_open_fd(m.fd, "made", &err);
		cr_assert(r);
		if (right) {
			cr_assert_eq(recording_next_call(r, &call), 1);
			cr_assert_eq(*(const uint64_t *)call.bytes, 0x11);
		}
		cr_assert_eq(recording_next_call(r, &call), 0);
		cr_assert_str_eq(recording_info(r)->cut, "parts of it are damaged");
		recording_close(r);
	}
}
