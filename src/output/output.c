// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes tables to a file descriptor: the buffer, writing it, and counting lost rows. Knows no format; printers do.
 */
#include <sys/ioctl.h>

#include "base/write.h"
#include "printer.h"

/* The size of a pipe, so that the reader is woken as rarely as possible. */
#define FLUSH_AT 65536

static const struct printer *const printers[] = {
	[OUTPUT_TEXT] = &printer_text,
	[OUTPUT_JSON] = &printer_json,
	[OUTPUT_CSV] = &printer_csv,
};

struct output *output_new(int fd, enum output_format format)
{
	struct output *out = base_alloc(sizeof(*out));

	out->fd = fd;
	out->printer = printers[format];
	return out;
}

bool output_is_text(const struct output *out)
{
	return out->printer == &printer_text;
}

void output_set_context(struct output *out, const void *ctx)
{
	out->ctx = ctx;
}

const void *output_context(const struct output *out)
{
	return out->ctx;
}

void output_set_clock(struct output *out, const struct output_clock *clock)
{
	out->clock = *clock;
}

/* Asks each time, because people resize windows. */
static void look_at_width(struct output *out)
{
	struct winsize size;

	out->width = out->printer == &printer_text && !ioctl(out->fd, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

size_t output_width(struct output *out)
{
	look_at_width(out);
	return out->width;
}

void output_flush(struct output *out)
{
	size_t done = 0;

	look_at_width(out);

	if (!out->error && out->buf.len)
		done = write_all(out->fd, out->buf.data, out->buf.len, &out->error);
	/* a row that was written only in part is lost as well */
	vec_each(end, out)
		out->rows_lost += *end > done;
	out->n = 0;
	str_reset(&out->buf);
}

void output_free(struct output *out)
{
	if (!out)
		return;
	output_flush(out);
	str_release(&out->buf);
	str_release(&out->stamp);
	str_release(&out->keys);
	free(out->printed.v);
	str_release(&out->room);
	free(out->v);
	free(out);
}

void output_table_begin(struct output *out, const struct schema *schema, const struct output_stamp *stamp, bool first)
{
	out->schema = schema;
	look_at_width(out);
	str_reset(&out->stamp);
	out->printer->begin(out, stamp, first);
}

void output_screen(struct output *out)
{
	struct winsize size;

	if (out->printer != &printer_text || ioctl(out->fd, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		return;
	out->columns = size.ws_col;
	/* the cursor stands below the last */
	out->lines = size.ws_row - 1;
	str_add(&out->buf, "\033[H\033[J");
}

static void end_row(struct output *out)
{
	*vec_push(out) = out->buf.len;
	if (out->buf.len >= FLUSH_AT)
		output_flush(out);
}

void output_row(struct output *out, const void *row)
{
	if (out->error) {
		out->rows_lost++;
		return;
	}
	out->printer->row(out, row);
	end_row(out);
}

void output_line(struct output *out, const char *fmt, ...)
{
	__str struct str text = {};
	va_list ap;

	va_start(ap, fmt);
	str_addv(&text, fmt, ap);
	va_end(ap);
	if (out->error) {
		out->rows_lost++;
		return;
	}
	if (text.len)
		str_add_shown(&out->buf, text.data, text.len);
	str_addc(&out->buf, '\n');
	end_row(out);
}

void output_bytes(struct output *out, const char *bytes, size_t n)
{
	if (out->error) {
		out->rows_lost++;
		return;
	}
	str_addn(&out->buf, bytes, n);
	end_row(out);
}

void output_redirect(struct output *out, int fd)
{
	out->fd = fd;
}

void output_table_end(struct output *out)
{
	output_flush(out);
}

void output_rule(struct output *out)
{
	if (out->printer->rule && !out->error)
		out->printer->rule(out);
}

int output_error(const struct output *out)
{
	return out->error;
}

uint64_t output_rows_lost(const struct output *out)
{
	return out->rows_lost;
}
