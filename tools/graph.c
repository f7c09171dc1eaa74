// SPDX-License-Identifier: BSD-2-Clause
/* graph: calls of kernel and user functions as a tree. */
#include "bpf/ring.h"
#include "bpf/slot.h"
#include "engine/object.h"
#include "engine/probes.h"
#include "engines/event.h"
#include "graph/condition.h"
#include "graph/graph.h"
#include "probe/offer.h"
#include "run/tool.h"
#include "bpf/graph.skel.h"
#include "bpf/graph_stacks.skel.h"

struct settings {
	uint64_t slower;
	uint32_t depth, calls;
	bool with_stacks, trees;
	const char *only_if;
	struct opt_list under;
	struct stacks_settings stacks;
	struct probes_settings probes;
	struct graph_settings graph;
	struct graph_config config;
};

static const struct opt options[] = {
	OPT(OPT_BOOL, struct settings, graph.args, 'a', "arguments", NULL, "print the arguments of each call"),
	OPT(OPT_BOOL, struct settings, graph.results, 'r', "results", NULL, "print what each call returned"),
	OPT(OPT_STRING, struct settings, only_if, 0, "if", "COND",
	    "only calls for which COND is true, and their callers: 'ret < 0', 'count > 4096'"),
	OPT(OPT_BOOL, struct settings, with_stacks, 'k', "kernel-stack", NULL,
	    "print the kernel stack below each tree: who made its first call"),
	OPT(OPT_BOOL, struct settings, graph.flat, 0, "flat", NULL,
	    "no trees: print each entry of kernel functions as it comes, with its caller"),
	OPT(OPT_U32, struct settings, depth, 'D', "depth", "N", "only N levels of calls", .also = "max-graph-depth",
	    .min = 1, .max = UINT32_MAX - 1),
	OPT(OPT_LIST, struct settings, under, 'g', "under", "FUNCTION",
	    "only calls of FUNCTION and what is called in them; may be repeated"),
	OPT(OPT_SECONDS, struct settings, slower, 't', "slower", "TIME", "only calls that took at least TIME: 10us"),
	OPT(OPT_BOOL, struct settings, probes.regex, 0, "regexp", NULL, "patterns are POSIX extended regular expressions"),
	PROBES_MANGLED(struct settings, probes.mangled),
	OPT(OPT_U32, struct settings, calls, 0, "max-calls", "N", "at most N pending calls at a time: 4096", .min = 1,
	    .max = 131072),
	PROBES_MECHANISM(struct settings, probes),
	OPT(OPT_STRING, struct settings, graph.folded, 0, "folded", "FILE",
	    "write folded stacks to FILE: the time of calls by path, in microseconds"),
	OPT(OPT_STRING, struct settings, graph.flame, 0, "flame", "FILE",
	    "write a flame graph of these times to FILE, an SVG image for any browser"),
	OPT(OPT_STRING, struct settings, graph.perfetto, 0, "perfetto", "FILE",
	    "write the calls to FILE for Perfetto's UI: nested slices of each thread and goroutine"),
	OPT(OPT_STRING, struct settings, graph.trace_dat, 0, "trace-dat", "FILE",
	    "write the calls to FILE for trace-cmd and KernelShark, as ftrace's function graph"),
	OPT(OPT_STRING, struct settings, graph.record, 0, "record", "FILE",
	    "write the calls to FILE for sonde report: trees, and their differences"),
	OPT(OPT_BOOL, struct settings, graph.overwrite, 0, "overwrite", NULL, "overwrite FILEs that exist"),
	PROBES_FORCE(struct settings, probes.force),
};

static const struct field fields[] = { EVENT_TIMES, GRAPH_COLUMNS };
static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static const struct field stack_fields[] = {
	EVENT_TIMES,
	GRAPH_COLUMNS,
	FIELD(FIELD_STACK, struct graph_row, stack, "kernel_stack", NULL, 0),
};
static const struct schema stack_schema = { stack_fields, ARRAY_SIZE(stack_fields) };

static const struct field flat_fields[] = {
	FIELD(FIELD_TIME, struct event, time, "time", "TIME", -8, .with = FIELD_WITH_TIME),
	FIELD(FIELD_ELAPSED, struct event, time, "boot_ns", "TIME(s)", 12),
	EVENT_ID(tid, "TID", 7),
	EVENT_COMM("COMM", -15),
	TEXT(FIELD_STR, struct graph_row, line, "FUNCTION <- CALLER", -1, .may_cut = true),
	EVENT_ID_DATA(pid),
	DATA(FIELD_STR, struct graph_row, function, "func"),
	DATA(FIELD_STR, struct graph_row, args, "args"),
	DATA(FIELD_STR, struct graph_row, caller, "caller"),
};

static const struct schema flat_schema = { flat_fields, ARRAY_SIZE(flat_fields) };

static const struct progs_specs flat_specs = {
	.program = "graph_flat",
	.settings = SETTING(struct probes_settings, struct settings, probes),
	.what = "trace",
	.registers = true,
};

/* What is known of a call only when it has returned. */
static const char *not_flat(const struct settings *settings)
{
	const struct graph_settings *graph = &settings->graph;

	return settings->depth	       ? "--depth"
	       : settings->with_stacks ? "--kernel-stack"
	       : settings->slower      ? "--slower"
	       : settings->only_if     ? "--if"
	       : graph->results	       ? "--results"
	       : settings->under.n     ? "--under"
	       : graph->folded	       ? "--folded"
	       : graph->flame	       ? "--flame"
	       : graph->perfetto       ? "--perfetto"
	       : graph->trace_dat      ? "--trace-dat"
	       : graph->record	       ? "--record"
				       : NULL;
}

/* Entries alone, of functions that need not return. */
static int make_flat(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	const char *other = not_flat(instance->tool_settings);

	if (other)
		return err_set(err, -EINVAL, "--flat prints only the begins of calls: it does not go with %s", other);
	own->pairs = NULL;
	own->specs = &flat_specs;
	own->pending.what = NULL;
	instance->schema = &flat_schema;
	return 0;
}

static int read_condition(struct engine_instance *instance, struct err *err)
{
	struct settings *settings = instance->tool_settings;
	struct graph_settings *graph = &settings->graph;

	graph->reads_args = graph->args;
	if (!settings->only_if)
		return 0;
	graph->only_if = condition_new(settings->only_if, err);
	graph->reads_args = true;
	return graph->only_if ? 0 : -EINVAL;
}

/* Files have calls, and no stacks. */
static int check_stacks(const struct settings *settings, struct err *err)
{
	const struct graph_settings *graph = &settings->graph;
	const char *file = graph->folded      ? "--folded"
			   : graph->flame     ? "--flame"
			   : graph->perfetto  ? "--perfetto"
			   : graph->trace_dat ? "--trace-dat"
			   : graph->record    ? "--record"
					      : NULL;

	if (!settings->with_stacks || !file)
		return 0;
	return err_set(err, -EINVAL,
		       "--kernel-stack prints stacks below trees, and no file has them: it does not go with %s", file);
}

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	struct settings *settings = instance->tool_settings;
	int ret = read_condition(instance, err);

	if (!ret)
		ret = check_stacks(settings, err);
	if (ret)
		return ret;
	settings->graph.under = settings->probes.also = settings->under.v;
	settings->graph.n_under = settings->probes.n_also = settings->under.n;
	settings->graph.pid = instance->ctx->pid;
	settings->graph.least = settings->slower;
	settings->graph.regex = settings->probes.regex;
	settings->graph.force = settings->probes.force;
	settings->graph.title = instance->ctx->title;
	settings->graph.command = instance->ctx->command.pid;
	settings->graph.filter = &instance->filter;
	settings->config = (struct graph_config){
		.least = settings->slower,
		.depth = settings->depth ?: UINT32_MAX,
		.args = settings->graph.reads_args,
		.under = settings->under.n != 0,
		.limited = settings->depth != 0,
	};
	settings->stacks.kernel_only = true;
	if (settings->with_stacks) {
		own->object = graph_stacks_bpf__elf_bytes;
		instance->schema = &stack_schema;
	}
	settings->trees = !settings->graph.flat;
	return settings->graph.flat ? make_flat(instance, own, err) : 0;
}

static int open_rows(struct engine_instance *instance, const struct target_set *set, struct object *object, void **state,
		     struct err *err)
{
	const struct settings *settings = instance->tool_settings;
	__free uint8_t *about = base_alloc(GRAPH_SLOTS);
	int ret;

	*state = graph_new(&settings->graph, set, instance->ctx->out, about, err);
	instance->ctx->usage |= !*state && err->code == -EINVAL;
	if (!*state)
		return err->code;
	ret = object_fill(object, ".data.graph", about, GRAPH_SLOTS, err);
	return ret ? ret : object_size_value(object, ".data.threads", GRAPH_THREADS * sizeof(struct graph_thread), err);
}

static void begin_rows(void *state, struct engine_instance *instance, const struct object *object,
		       struct stacks *with_stacks)
{
	size_t size = object_value_size(object, ".data.pending");
	unsigned long long *losses = object_memory(object, ".data.losses", PENDING_LOSSES * sizeof(*losses));
	const struct graph_shared shared = {
		.pending = object_memory(object, ".data.pending", size),
		.n = size / sizeof(struct graph_call),
		.threads = object_memory(object, ".data.threads", GRAPH_THREADS * sizeof(struct graph_thread)),
		.stacks = with_stacks,
		.no_end = &losses[PENDING_NO_END],
	};

	graph_begin(state, instance->schema, &shared);
}

static void add_row(void *state, const struct event *event)
{
	graph_add(state, event);
}

static void stop_rows(void *state)
{
	graph_stop(state);
}

static void end_rows(void *state, struct engine_instance *instance)
{
	if (!graph_end(state))
		instance->ctx->failed = true;
}

static void close_rows(void *state)
{
	graph_free(state);
}

static void lost_rows(void *state)
{
	graph_lost(state);
}

static const struct progs_pairs pairs = {
	.entry = "graph_entry",
	.ret = "graph_return",
	.session = "graph_session",
	.freed = "graph_freed",
	.settings = SETTING(struct probes_settings, struct settings, probes),
};

static const struct event_rows rows = { open_rows, begin_rows, add_row, stop_rows, end_rows, close_rows, lost_rows };

static const struct stacks_source stacks = {};

static const struct event_source source = {
	.progs = {
		PROGS(graph),
		PROGS_CONFIG(struct settings, config),
		.pairs = &pairs,
		.pending = { "calls at a time", .instead = SETTING(uint32_t, struct settings, calls),
			     .size = sizeof(struct graph_call) },
		.configure = configure,
		.what = "calls",
	},
	.ringed = IS_SET(trees),
	.rows = &rows,
	.stacks = &stacks,
	.with_stacks = IS_SET(with_stacks),
	.stacks_settings = SETTING(struct stacks_settings, struct settings, stacks),
	.unit = "call",
};

TOOL(graph, .brief = "print the calls of functions as a tree",
     .group = GROUP_LONG, .args = "FUNCTION... [-- COMMAND [ARG]...]", .schema = &schema,
     EVENT_ENGINE(source), OPTIONS(options), SETTINGS_WITH(struct settings, .calls = 4096),
     .offers = spec_offer,
     .description =
	     "Prints each call of the functions, with the calls of the functions that are made in it, and how long it "
	     "took. A FUNCTION is a kernel or user function, as for funclatency; both may be in one tree. A tree is "
	     "printed when its first call has returned, or its thread has ended in calls. Those never return, and are "
	     "open, as are calls that have not returned when tracing ends, which come last.\n\n"
	     "-a and -r print arguments and results of kernel functions by their types: numbers, names of constants "
	     "and errors, and the text of the first argument that is one or stands for one (char *, struct filename, "
	     "dentry, path, file). Of user functions and of clones by the compiler they print three registers, and "
	     "the result as a number.\n\n"
	     "--if COND shows only calls for which COND is true, and the calls that they are in. COND is an expression "
	     "of sonde trace: numbers, texts, names of errors, arguments by name as -a shows them (of user functions arg0 "
	     "to arg2), ret, and the operators on them. Texts have up to 38 bytes. What a "
	     "function does not have, and the result of what has not returned, is not known, and does not match.\n\n"
	     "-k prints the kernel stack below the last line of a tree that begins with a kernel function: it shows "
	     "how the thread came there. Files (--flame, --perfetto and the like) have no stacks.\n\n"
	     "--perfetto writes the calls that are shown as nested slices for https://ui.perfetto.dev and its trace "
	     "processor, with a track for each thread and each goroutine. With -a a slice has the arguments by name "
	     "(arg0 to arg2 where the function has no types), with -r the result as `result`. A call that has not "
	     "returned ends with the one that it is in, and is a moment where later calls of its thread have ended.\n\n"
	     "--record writes the calls as a recording: sonde report FILE tree prints the trees, sonde report FILE "
	     "sums by function, with and without the calls in them, and sonde report NEW diff OLD what changed.\n\n"
	     "--flat prints no trees but a line for each call of a kernel function as it begins, with the function "
	     "that has called it, as ftrace's function tracer does. It takes functions that never return, too.\n\n"
	     "-t leaves out calls that were shorter, with all that was called in them, for that was shorter still. With "
	     "-g FUNCTION, calls of other functions are seen only while FUNCTION runs in the same thread: where nothing "
	     "else matters, that costs less.",
     EXAMPLES({ "sonde graph 'vfs_*' -- cat /etc/passwd", "calls of functions of one command" },
	      { "sonde graph -ar -g do_sys_openat2 'vfs_*' 'security_*' -p 1234", "opening files, with arguments and results" },
	      { "sonde graph -t 10ms -D 3 'ext4_*' -d 10", "slow calls, three levels of them" },
	      { "sonde graph -q --flame graph.svg 'vfs_*' 'ext4_*' -- ls -lR /usr", "a picture" },
	      { "sonde graph -q -ar --perfetto graph.pftrace 'vfs_*' -- ls", "a timeline for https://ui.perfetto.dev" },
	      { "sonde graph -q -ar --record new.trace 'vfs_*' -- ls", "trees to look at later, or to compare" },
	      { "sonde graph -ar --if 'ret < 0' 'vfs_*' 'security_*' -- ls", "what fails, and in which calls" },
	      { "sonde graph -k -g vfs_write 'ext4_*' -d 1", "writes to files, and who makes them" },
	      { "sonde graph --flat 'vfs_*' -p 1234", "entries in order, and who called: ftrace's function tracer" },
	      { "sonde graph 'u:./server:*' tcp_sendmsg", "user functions, and what the kernel does for them" }));
