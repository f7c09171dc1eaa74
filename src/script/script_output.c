// SPDX-License-Identifier: BSD-2-Clause
/* Where a program's output goes, and when it is written: -o, -B. */
#include <fcntl.h>

#include "base/report.h"
#include "script_part.h"

int script_output_open(struct script *script, struct err *err)
{
	const struct script_settings *settings = script->settings;
	struct output *out = script->instance->ctx->out;

	script->file = -1;
	script->form = settings->format && script->front->has_format && !strcmp(settings->format, "json") ? SCRIPT_JSON
		       : output_is_text(out) || script->export						  ? SCRIPT_TEXT
													  : SCRIPT_ROWS;
	if (settings->file) {
		script->file = open(settings->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (script->file < 0)
			return err_set(err, -errno, "cannot write to '%s': %s", settings->file, strerror(errno));
		output_redirect(out, script->file);
	}
	script->names.for_terminal = script->form == SCRIPT_TEXT &&
				     isatty(settings->file ? script->file : STDOUT_FILENO);
	return 0;
}

void script_output_add(struct script *script, const char *text, size_t n)
{
	if (script->export) {
		script_export_text(script, text, n);
		return;
	}
	if (script->held) {
		str_addn(&script->kept, text, n);
		return;
	}
	output_bytes(script->instance->ctx->out, text, n);
	if (script->settings->buffering == SCRIPT_BUFFER_NONE)
		output_flush(script->instance->ctx->out);
}

void script_output_text(struct script *script)
{
	script_output_add(script, str_or_empty(script->text.data), script->text.len);
	str_reset(&script->text);
}

void script_output_flush(struct script *script)
{
	if (script->settings->buffering != SCRIPT_BUFFER_FULL)
		output_flush(script->instance->ctx->out);
}

/* On stderr, as bpftrace; a script that is a tool says what tools say. JSON goes where the rest of it goes. */
void script_output_attached(struct script *script)
{
	size_t n = script->attached.n;

	if (script->export)
		return;
	if (script->instance->source) {
		report_line("Attached %zu probe%s... Hit Ctrl-C to end.", n, str_plural(n));
	} else if (script->instance->ctx->quiet) {
		return;
	} else if (script->form == SCRIPT_TEXT) {
		fprintf(stderr, "Attached %zu probe%s\n", n, str_plural(n));
	} else {
		script_json_attached(&script->text, script->form, n);
		script_output_text(script);
	}
}

void script_output_release(struct script *script)
{
	if (script->file < 0)
		return;
	output_flush(script->instance->ctx->out);
	output_redirect(script->instance->ctx->out, STDOUT_FILENO);
	close(script->file);
}
