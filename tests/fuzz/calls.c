// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes records of system calls, as a recording has them: all that prints arguments, results and signals. Two bytes say
 * how lines are printed; a head for each record, with the blobs behind it, is what libFuzzer changes.
 */
#include <fcntl.h>

#include "fuzz.h"
#include "output/output.h"
#include "strace/strace_part.h"

/* What a record has, without what no printer reads. */
struct head {
	uint16_t nr, size; /* size: of the blobs; as many bytes as there are */
	uint8_t kind, flags, tid;
	uint8_t late; /* when it was made, in some ms after the one before */
	int64_t ret;
	uint64_t args[STRACE_ARGS];
};
_Static_assert(sizeof(struct head) == 64, "the inputs of the corpus have such heads");

#define MS    1000000ULL
#define PATHS (STRACE_PATHS | STRACE_DEVICES | STRACE_SOCKS | STRACE_PIDFDS)

static struct strace_settings settings_of(unsigned int how)
{
	static const uint32_t sizes[] = { 32, 0, 4000, 1 };
	struct strace_settings settings = {
		.size = sizes[how & 3],
		.whole = how & 4,
		.details = how & 8 ? PATHS : 0,
		.pids = how & 16 ? STRACE_PID_NAMES | STRACE_PID_SPACE : 0,
		.hex = how >> 5 & 3,
		.style = (how >> 7 & 3) % 3,
		.column = 40,
		.follow = 1,
		.status = ~0U,
		.took_digits = how & 512 ? 7 : 0,
		.elsewhere = true,
		.output = how & 1024 ? "" : NULL,
	};

	if (how & 2048) {
		settings.dump_read = settings.dump_written = (struct strace_fds){ .any = true, .others = true };
		memset(settings.dump_read.v, 1, sizeof(settings.dump_read.v));
		memset(settings.dump_written.v, 1, sizeof(settings.dump_written.v));
	}
	if (how & 4096)
		settings.raw.any = true; /* of no call */
	if (how & 8192)
		settings.abbrev.any = true;
	if (how & 16384)
		settings.verbose.any = true;
	return settings;
}

/* Adds the record at the begin of so many bytes; returns how many it has, 0: there is none. */
static size_t add(struct strace_lines *lines, const uint8_t *data, size_t size, uint64_t *now)
{
	struct strace_record *record;
	struct head head;
	size_t n;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	n = head.size < size - sizeof(head) ? head.size : size - sizeof(head);
	*now += head.late * MS;
	record = base_alloc(sizeof(*record) + n);
	*record = (struct strace_record){
		.time = *now,
		.began = head.kind == STRACE_EXIT || head.kind == STRACE_ENTER ? *now : 0,
		.pid = 7,
		.tid = 7 + (head.tid & 3),
		.kind = head.kind,
		.flags = head.flags,
		.nr = head.nr,
		.size = n,
		.ret = head.ret,
		.comm = "fuzz",
	};
	/* the end of a call that has begun */
	if (head.kind == STRACE_EXIT && head.tid & 4)
		record->began = 0;
	memcpy(record->args, head.args, sizeof(head.args));
	memcpy(record + 1, data + sizeof(head), n);
	strace_lines_add(lines, record, sizeof(*record) + n);
	free(record);
	return sizeof(head) + n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strace_settings settings;
	struct strace_lines *lines;
	static int null = -1;
	struct output *out;
	uint64_t now = MS;
	size_t n;

	if (size < 2)
		return 0;
	if (null < 0) {
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		kernel_set_root("/nonexistent");
	}
	settings = settings_of(data[0] | data[1] << 8);
	out = output_new(null, data[1] & 0x80 ? OUTPUT_JSON : OUTPUT_TEXT);
	lines = strace_lines_new(&settings, out, 0);
	data += 2;
	size -= 2;
	while ((n = add(lines, data, size, &now))) {
		strace_lines_print(lines, now, false);
		data += n;
		size -= n;
	}
	strace_lines_print(lines, UINT64_MAX, true);
	output_flush(out);
	strace_lines_free(lines);
	output_free(out);
	return 0;
}
