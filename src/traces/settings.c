// SPDX-License-Identifier: BSD-2-Clause
/*
 * The settings of ftrace and the kernel's defaults. Events are not settings. tracing_on comes last, so that
 * nothing is written into the buffer while the settings before it are reset.
 */
#include "settings.h"

static const struct trace_setting settings[] = {
	{ "current_tracer", "nop", "nop" },
	{ "set_ftrace_filter", "", NULL },
	{ "set_ftrace_notrace", "", NULL },
	{ "set_graph_function", "", NULL },
	{ "set_graph_notrace", "", NULL },
	{ "max_graph_depth", "0", "0" },
	{ "set_ftrace_pid", "", NULL },
	{ "set_ftrace_notrace_pid", "", NULL },
	{ "set_event_pid", "", NULL },
	{ "set_event_notrace_pid", "", NULL },
	{ "tracing_thresh", "0", "0" },
	{ "function_profile_enabled", "0", "0" },
	{ "/proc/sys/kernel/stack_tracer_enabled", "0", "0" },
	{ "stack_trace_filter", "", NULL },
	{ "tracing_on", "1", "1" },
};

const struct trace_setting *trace_settings(size_t *n)
{
	*n = ARRAY_SIZE(settings);
	return settings;
}
