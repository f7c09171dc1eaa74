// SPDX-License-Identifier: BSD-2-Clause
/* What all converters do: create the file, write it piece by piece, report. */
#include "base/write.h"
#include "convert.h"

#define MUCH (256 << 10)

static void write_out(struct sink *sink)
{
	if (!sink->error && sink->data.len)
		write_all(sink->fd, sink->data.data, sink->data.len, &sink->error);
	str_reset(&sink->data);
}

void sink_flush(struct sink *sink)
{
	if (sink->data.len >= MUCH)
		write_out(sink);
}

const struct convert_format *convert_format_of(const struct file *file)
{
	static const struct convert_format *const formats[] = {
		&convert_perfetto,
		&convert_trace_dat,
		&convert_recording,
	};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (file->format == &formats[i]->file)
			return formats[i];
	return NULL;
}

int convert_write(const struct convert_format *format, struct recording *r, const struct file *file, struct err *err)
{
	struct sink sink = {};
	struct file_part part;
	int ret = file_begin(file, &part, err);

	if (ret)
		return ret;
	sink.fd = part.fd;
	sink.is_file = *part.own;
	recording_rewind(r);
	ret = format->write(r, &sink, err);
	if (!ret)
		write_out(&sink);
	str_release(&sink.data);
	/* the converter has set err, if it was the converter */
	return file_end(file, &part, ret ? ret : sink.error, ret ? NULL : err);
}
