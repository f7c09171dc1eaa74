// SPDX-License-Identifier: BSD-2-Clause
/* Fuzzes the parsers of tracefs, where other tools choose names. The input is the files, separated by bytes 0xff. */
#include "fuzz.h"
#include "traces/parse.h"
#include "traces/verdicts.h"
#include "traces/tracers_part.h"

#define TRACING "/sys/kernel/tracing/"

static const char *const paths[] = {
	TRACING "kprobe_events",
	TRACING "uprobe_events",
	TRACING "dynamic_events",
	TRACING "set_event",
	TRACING "kprobe_profile",
	TRACING "uprobe_profile",
	TRACING "current_tracer",
	TRACING "set_ftrace_filter",
	TRACING "per_cpu/cpu0/stats",
	TRACING "events/sched/sched_switch/trigger",
	TRACING "events/sched/sched_switch/filter",
	TRACING "events/sched/sched_switch/enable",
	TRACING "available_events",
	TRACING "available_filter_functions",
	"/proc/10/status",
	"/proc/modules",
	"/proc/kallsyms",
};

static struct fuzz_file files[ARRAY_SIZE(paths)];

static void make_root(void)
{
	if (files[0].path[0])
		return;
	fuzz_make_root();
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		fuzz_link(&files[i], paths[i]);
}

static void read_inventory(void)
{
	struct tracers tracers = {};
	struct err err;

	if (!traces_read(&tracers.traces, &err))
		tracers_add_events(&tracers);
	vec_each(tracer, &tracers)
		fuzz_look(tracer->name);
	tracers_release(&tracers);
}

static int look_at_tracepoint(const struct ktracepoint *tp, void *ctx)
{
	fuzz_look(tp->system);
	fuzz_look(tp->name);
	return 0;
}

static int look_at_symbol(const struct ksym *sym, void *ctx)
{
	fuzz_look(sym->name);
	fuzz_look(sym->module);
	return 0;
}

static void read_symbols(struct kernel *kernel)
{
	struct ksym_place place;
	struct err err;

	kernel_each_symbol(kernel, look_at_symbol, NULL, &err);
	kernel_each_named(kernel, "x", look_at_symbol, NULL, &err);
	for (uint64_t addr = 1; addr; addr <<= 1) {
		if (kernel_symbol_at(kernel, addr, &place))
			continue;
		fuzz_look(place.name);
		fuzz_look(place.module);
	}
}

static void read_lists(void)
{
	struct kernel *kernel = kernel_new();
	bool has_addr = false;
	struct err err;

	kernel_each_tracepoint(look_at_tracepoint, NULL, &err);
	kernel_each_traceable(look_at_symbol, NULL, &has_addr, &err);
	read_symbols(kernel);
	kernel_free(kernel);
	kernel_module_loaded("x*");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	make_root();
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct fuzz_piece piece = fuzz_next_piece(&data, &size);
		char *text __free = fuzz_text(piece.data, piece.size);

		fuzz_write(&files[i], text, piece.size);
		parse_setting(text);
		parse_entries(text);
		parse_trigger_len(text);
	}
	read_inventory();
	read_lists();
	return 0;
}
