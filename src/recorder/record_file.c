// SPDX-License-Identifier: BSD-2-Clause
/* The file of a recording: what describes the machine, then what the rings hold, then the end. */
#include "base/report.h"
#include "record/writer.h"
#include "record_host.h"
#include "record_part.h"
#include "record_kinds.h"
#include "record_tasks.h"
#include "strace/capture.h"

#define OUTPUT_DEFAULT "sonde.trace"

const char *record_output(const struct recorder *recorder)
{
	const struct record_settings *settings = recorder->instance->settings;

	return settings->output ? settings->output : OUTPUT_DEFAULT;
}

static int write_failed(const char *name, int ret, struct err *err)
{
	return ret ? err_set(err, ret, "cannot write %s: %s", name, strerror(-ret)) : 0;
}

int record_file_open(struct recorder *recorder, const char *name, struct err *err)
{
	const struct record_settings *settings = recorder->instance->settings;
	const struct engine_context *ctx = recorder->instance->ctx;
	struct writer *writer = writer_open(name, settings->force, err);
	int ret;

	if (!writer)
		return err->code;
	recorder->writer = writer;
	recorder->passed = recorder->lost = recorder->missed = 0;
	ret = record_host_write(writer, ctx->title, ctx->command.pid);
	if (!ret)
		ret = record_kinds_write(writer, &recorder->sets);
	if (!ret && recorder->sets.strace)
		ret = strace_capture_describe(writer);
	if (!ret)
		ret = record_tracepoints_write(recorder);
	if (!ret)
		ret = record_host_write_names(writer);
	if (!ret)
		ret = record_probes_write(recorder);
	return write_failed(name, ret, err);
}

/* Probes are armed now: the recording begins. */
int record_file_tasks(struct recorder *recorder, const char *name, struct err *err)
{
	const struct engine_instance *instance = recorder->instance;

	return write_failed(
		name, record_tasks_begin(recorder->writer, instance->ctx->command.pid, &instance->filter), err);
}

/* What the kernel has skipped goes before the records that were read before: a file that is cut off has it, too. */
static int write_missed(struct recorder *recorder)
{
	bool known;
	uint64_t missed = progs_missed(&recorder->progs, &known);

	if (missed <= recorder->missed)
		return 0;
	recorder->missed = missed;
	return writer_missed(recorder->writer, missed);
}

int record_file_run(const struct ring_run *run, void *ctx)
{
	struct recorder *recorder = ctx;
	int ret = write_missed(recorder);

	recorder->passed += run->n_records;
	recorder->lost += run->lost;
	if (ret)
		return ret;
	return writer_chunk(recorder->writer, run->cpu, run->lane, run->number, run->lost, run->words,
			    run->n_words * sizeof(*run->words));
}

int record_file_close(struct recorder *recorder, const char *name)
{
	const struct engine_context *ctx = recorder->instance->ctx;
	struct layout_end end = {
		.recorded = recorder->passed,
		.lost = recorder->lost,
		.missed = recorder->missed + recorder->missed_returns,
		.unattached = recorder->unattached,
		.exit_status = ctx->command.ended ? ctx->command.status : -1,
	};
	struct str calls __str = {};
	uint64_t bytes;
	struct err err = {};

	if (recorder->capture)
		end.missed += strace_capture_missed(recorder->capture);
	writer_clocks(recorder->writer);
	writer_flush(recorder->writer);
	bytes = writer_bytes(recorder->writer);
	if (writer_close(take_ptr(recorder->writer), &end, &err)) {
		report_err(&err, NULL);
		return err.code;
	}
	if (recorder->capture)
		str_addf(&calls, ", %llu records of calls",
			 (unsigned long long)strace_capture_calls(recorder->capture));
	report_line("%s: %llu event%s%s, %.1f MB", name, (unsigned long long)recorder->passed,
		    str_plural(recorder->passed), str_or_empty(calls.data), bytes / 1e6);
	return 0;
}
