// SPDX-License-Identifier: BSD-2-Clause
/* A recording in a file that has no name, until a converter has read it. */
#include <fcntl.h>

#include "bpf/record.h"
#include "bpf/ring.h"
#include "convert/convert.h"
#include "record/writer.h"
#include "record_host.h"
#include "record_tasks.h"
#include "record_temporary.h"

/* Some records come from no ring of a processor: they have one more lane. */
#define LANES (RING_LANES + 1)

static int write_failed(const struct record_temporary *recording, int ret, struct err *err)
{
	return ret ? err_set(err, ret, "cannot write %s: %s", recording->files[0]->name, strerror(-ret)) : 0;
}

int record_temporary_open(struct record_temporary *recording, const struct file *file, const char *line, pid_t command,
			  const struct record_sets *sets, struct err *err)
{
	int ret;

	recording->files[recording->n_files++] = file;
	recording->fd = file_open_temporary(file->dir);
	if (recording->fd < 0)
		return write_failed(recording, -errno, err);
	recording->writer = writer_open_fd(recording->fd, file->name, err);
	if (!recording->writer)
		return err->code;
	ret = record_host_write(recording->writer, line, command);
	if (!ret)
		ret = record_kinds_write(recording->writer, sets);
	return write_failed(recording, ret, err);
}

void record_temporary_also(struct record_temporary *recording, const struct file *file)
{
	if (recording->writer && recording->n_files < RECORD_TEMPORARY_FILES)
		recording->files[recording->n_files++] = file;
}

int record_temporary_begin(struct record_temporary *recording, pid_t command, const struct filter *filter,
			   struct err *err)
{
	if (!recording->writer)
		return 0;
	return write_failed(recording, record_tasks_begin(recording->writer, command, filter), err);
}

void record_temporary_add(struct record_temporary *recording, uint32_t kind, const void *record, size_t bytes)
{
	const uint64_t header = RING_HEADER(0, kind, 1 + bytes / sizeof(uint64_t));

	if (!recording->writer)
		return;
	str_addn(&recording->words, (const char *)&header, sizeof(header));
	str_addn(&recording->words, record, bytes);
	recording->fresh++;
}

void record_temporary_run(struct record_temporary *recording, uint32_t cpu, uint32_t lane, uint64_t lost)
{
	const size_t ring = (size_t)cpu * LANES + lane;
	uint64_t first;

	if (!recording->writer || (!recording->fresh && !lost))
		return;
	while (ring >= recording->numbers.n)
		*vec_push(&recording->numbers) = 0;
	first = recording->numbers.v[ring] + lost;
	writer_chunk(recording->writer, cpu, lane, first, lost, recording->words.data, recording->words.len);
	recording->numbers.v[ring] = first + recording->fresh;
	recording->recorded += recording->fresh;
	recording->fresh = 0;
	str_reset(&recording->words);
}

static int convert(const struct record_temporary *recording, int fd, struct err *err)
{
	struct recording *r = recording_open_fd(fd, recording->files[0]->name, err);
	int ret = r ? 0 : err->code;

	for (size_t i = 0; !ret && i < recording->n_files; i++)
		ret = convert_write(convert_format_of(recording->files[i]), r, recording->files[i], err);

	recording_close(r);
	return ret;
}

int record_temporary_write(struct record_temporary *recording, uint64_t lost, struct err *err)
{
	struct layout_end end = { .lost = lost, .exit_status = -1 };
	struct err where = {};
	int ret, fd;

	if (!recording->writer)
		return 0;
	record_temporary_run(recording, 0, 0, 0);
	end.recorded = recording->recorded;
	fd = fcntl(recording->fd, F_DUPFD_CLOEXEC, 0);
	ret = fd < 0 ? -errno : 0;
	/* all that failed before fails here, too; where the file without a name ends, nobody needs to know */
	if (writer_close(recording->writer, &end, &where))
		ret = where.code;
	recording->writer = NULL;
	if (!ret)
		return convert(recording, fd, err);
	if (fd >= 0)
		close(fd);
	return write_failed(recording, ret, err);
}

void record_temporary_release(struct record_temporary *recording)
{
	struct err err = {};

	if (recording->writer)
		writer_close(recording->writer, NULL, &err);
	str_release(&recording->words);
	free(recording->numbers.v);
}
