// SPDX-License-Identifier: BSD-2-Clause
/* Compiles the program that the front-end makes of the arguments, for this kernel. */
#include <linux/bpf.h>

#include "attach/quirks.h"
#include "base/cpus.h"
#include "base/report.h"
#include "engine/filter.h"
#include "lang/lang.h"
#include "script_part.h"
#include "strace/decode.h"

struct lang_features script_features(void)
{
	return (struct lang_features){
		.large_keys = quirk_large_keys(),
		.fetching_atomics = quirk_swaps(),
		.for_each = quirk_helper(BPF_FUNC_for_each_map_elem),
		.cookies = quirk_cookies(),
		.func_args = quirk_func_args(),
		.loop = quirk_helper(BPF_FUNC_loop),
		.strncmp = quirk_func_args(),
		.percpu_lookup = quirk_helper(BPF_FUNC_map_lookup_percpu_elem),
		.tai = quirk_guards_raw_tp(),
		.task_regs = quirk_task_regs(),
		/* of the same release; to ask for bpf_trace_vprintk() would switch on its event in tracefs */
		.trace_vprintk = quirk_helper(BPF_FUNC_get_branch_snapshot),
		.btf = !access("/sys/kernel/btf/vmlinux", R_OK),
	};
}

/* Variables of bpftrace that mean nothing here: one line names all that are set. */
static void warn_of_ignored(void)
{
	static const char *const sources[] = { "BPFTRACE_BTF", "BPFTRACE_VMLINUX", "BPFTRACE_KERNEL_SOURCE",
					       "BPFTRACE_KERNEL_BUILD" };
	__str struct str names = {};
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (getenv(sources[i]))
			str_addf(&names, "%s%s", n++ ? ", " : "", sources[i]);
	if (n)
		report_note("%s %s ignored: types and symbols come from this kernel itself", names.data,
			    n > 1 ? "are" : "is");
	if (getenv("BPFTRACE_COLOR"))
		report_note("BPFTRACE_COLOR is ignored: messages have no colors");
}

int script_compile(struct script *script, struct err *err)
{
	struct engine_context *ctx = script->instance->ctx;
	const struct script_settings *settings = script->settings;
	__str struct str text = {};
	struct lang_options compiling = {
		.features = script_features(),
		.kernel = script->kernel,
		.named_are_known = script->instance->source,
		.include_dirs = settings->include_dirs.v,
		.n_include_dirs = settings->include_dirs.n,
		.includes = settings->includes.v,
		.n_includes = settings->includes.n,
		.is_unsafe = settings->is_unsafe,
		.force = settings->force,
		.host_ids = !filter_pidns(),
		.is_filtered = script->instance->filter.any,
		.test = settings->test,
		.bench = settings->bench,
		.probe_filter = settings->probe_filter.given ? &settings->probe_filter : NULL,
		.reports_faults = settings->faults,
		.compat = settings->compat,
		.pid = ctx->pid,
		.command = ctx->command.pid,
		.n_cpus = cpus_ids(),
		.call_memory = ctx->as_peer ? NULL : strace_decode_memory,
		.max_keys = ctx->metrics ? ctx->metrics->max_keys : 0,
	};

	compiling.n_shards = 1;
	while (compiling.n_shards < compiling.n_cpus)
		compiling.n_shards *= 2;
	if (!settings->no_warnings)
		warn_of_ignored();
	script->program = script->front->compile(script, &compiling, err);
	if (ctx->answered)
		return 0;
	if (!script->program)
		return err->code ? err->code : -EINVAL;
	lang_messages_show(&script->program->messages, &script->program->sources, !settings->no_warnings, &text);
	fputs(str_or_empty(text.data), stderr);
	if (!script->program->messages.errors)
		return 0;
	ctx->said = true;
	ctx->usage = script->program->is_misused || (ctx->metrics && script->program->is_malformed);
	return err_set(err, -EINVAL, "the program has errors");
}
