// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes the reader of recordings, their reports, and what converts them. Sections get the right check, and calls the
 * fingerprint of this sonde's table, so that what is behind them is reached, unless the first of the header's reserved
 * words is set.
 */
#include <fcntl.h>
#include <zlib.h>

#include "convert/convert.h"
#include "fuzz.h"
#include "recording_mutate.h"
#include "report/difference.h"
#include "report/spent.h"
#include "report/summary.h"
#include "report/timeline.h"
#include "strace/replay.h"
#include "strace/replay_part.h"
#include "why/why_replay.h"

static void set_checks(uint8_t *data, size_t size)
{
	const struct layout_header *header = (const void *)data;
	struct layout_section section;
	size_t at = sizeof(*header);
	static uint64_t form;

	if (!form)
		form = strace_replay_fingerprint();
	if (size < at || header->reserved[0])
		return;
	while (size - at >= sizeof(section)) {
		uLong check = crc32(0, NULL, 0);

		memcpy(&section, data + at, sizeof(section));
		if (section.bytes > size || (section.bytes + 7) / 8 * 8 > size - at - sizeof(section))
			return;
		if (section.type == LAYOUT_CALLS_FORM && section.bytes >= sizeof(form))
			memcpy(data + at + sizeof(section), &form, sizeof(form));
		check = crc32(check, data + at, sizeof(section.type));
		check = crc32(check, data + at + offsetof(struct layout_section, bytes), sizeof(section.bytes));
		if (section.bytes)
			check = crc32(check, data + at + sizeof(section), (section.bytes + 7) / 8 * 8);
		section.check = check;
		memcpy(data + at, &section, sizeof(section));
		at += sizeof(section) + (section.bytes + 7) / 8 * 8;
	}
}

static void look_at_info(const struct recording *r)
{
	const struct recording_info *info = recording_info(r);

	fuzz_look(info->host.release);
	fuzz_look(info->host.line);
	fuzz_look(info->cut);
	for (size_t i = 0; i < info->n_notes; i++)
		fuzz_look(info->notes[i]);
	for (size_t i = 0; i < recording_tasks(r); i++) {
		fuzz_look(recording_task_at(r, i)->comm);
		fuzz_look(recording_task_at(r, i)->line);
	}
	for (uint64_t id = 0; id < 8; id++)
		fuzz_look(recording_text(r, LAYOUT_SPACE_STRINGS, id));
}

static void look_at_event(const struct recording *r, const struct recording_event *event)
{
	__str struct str s = {};

	for (uint32_t i = 0; event->kind && i < event->kind->n; i++)
		recording_show(&s, r, event, &event->kind->fields[i]);
	for (int i = 0; i < KNOWN_FIELDS_N; i++)
		recording_known(event, i, 0);
	fuzz_look(recording_comm(r, event->task));
	fuzz_look(s.data);
}

/* What becomes folded stacks and a flame graph. */
static void look_at_spent(const struct sums *sums, const struct recording *r)
{
	__str struct str s = {};
	struct files files = {};

	spent_add(&files, sums, r);
	tree_finish(&files.tree);
	file_folded.add(&s, &files);
	file_flame.add(&s, &files);
	fuzz_look(s.data);
	files_release(&files);
}

static void report(struct recording *r, int fd)
{
	struct sums sums = {};
	uint64_t lost;
	struct err err;

	recording_rewind(r);
	sums_read(&sums, r);
	look_at_spent(&sums, r);
	for (int format = OUTPUT_TEXT; format <= OUTPUT_JSON; format++) {
		struct output *out = output_new(fd, format);

		recording_rewind(r);
		timeline_print(r, out);
		difference_print(&sums, r, &sums, r, out, 20);
		summary_print(&sums, r, out, 20, false);
		recording_rewind(r);
		why_replay(r, out, 20, &lost, &err);
		recording_rewind(r);
		strace_replay(r, out, &lost, &err);
		output_free(out);
	}
	sums_release(&sums);
}

static void convert(struct recording *r, const struct convert_format *format, int fd)
{
	struct sink sink = { .is_file = true, .fd = fd };
	struct err err;

	recording_rewind(r);
	format->write(r, &sink, &err);
	str_release(&sink.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_file file;
	static int null = -1;
	uint8_t *copy __free = base_alloc(size + 1);
	struct recording_event event;
	struct recording *r;
	struct err err;

	if (null < 0)
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (size)
		memcpy(copy, data, size);
	set_checks(copy, size);
	fuzz_write(&file, copy, size);
	r = recording_open_fd(dup(file.fd), "fuzz", &err);
	if (!r)
		return 0;
	look_at_info(r);
	while (recording_next(r, &event) > 0) {
		if (!event.kind && !event.lost)
			abort();
		look_at_event(r, &event);
	}
	report(r, null);
	convert(r, &convert_perfetto, null);
	convert(r, &convert_trace_dat, null);
	recording_close(r);
	return 0;
}
