// SPDX-License-Identifier: BSD-2-Clause
/* Reports what a clean-up could not read or could not do. */
#include "base/nearest.h"
#include "base/report.h"
#include "clean.h"
#include "faults.h"
#include "owner.h"

#define ERRORS_SHOWN 5

size_t traces_report_errors(const struct traces *traces, const struct trace_verdicts *verdicts, bool all)
{
	size_t n = 0;

	for (size_t i = 0; i < verdicts->n; i++) {
		const struct trace_item *item = &traces->v[i];
		const struct trace_step *step = &verdicts->v[i];
		__free char *file = NULL;

		if (!trace_step_failed(step) || (n++ >= ERRORS_SHOWN && !all))
			continue;
		file = traces_file_name(traces, item->file);
		report_error("cannot %s %s%s%s%s%s: %s%s", trace_step_action(item, step), item->group ? item->group : "",
			     item->group ? "/" : "", item->group ? item->name : "", item->group ? " in " : "", file,
			     strerror(-step->error),
			     step->error == -EBUSY && trace_is_event(item) ? " (perf or a BPF program uses it)" : "");
	}
	if (n > ERRORS_SHOWN && !all)
		report_error("and %zu more like these (-v names all)", n - ERRORS_SHOWN);
	return n;
}

void traces_report_unreadable(const struct traces *traces)
{
	__str struct str files = {};
	int error = 0;

	for (size_t i = 0; i < traces->n; i++) {
		if (!traces->v[i].unreadable)
			continue;
		str_addf(&files, "%s%s", files.len ? ", " : "", traces->v[i].file);
		error = traces->v[i].unreadable;
	}
	if (files.len)
		report_note("not checked, for it cannot be read: %s: %s", files.data, strerror(-error));
}

static bool is_there(const struct traces *traces, const char *owner)
{
	vec_each(item, traces)
		if (trace_is_named(item, owner))
			return true;
	return false;
}

int traces_check_owner(const struct traces *traces, const char *owner, struct err *err)
{
	struct nearest nearest;
	const char *name;

	if (owner_is_known(owner) || is_there(traces, owner))
		return 0;
	nearest_init(&nearest, owner);
	owner_suggest(&nearest);
	vec_each(item, traces)
		if (item->owner.tool)
			nearest_offer(&nearest, item->owner.tool);
	name = nearest_name(&nearest);
	return err_set(err, -EINVAL, "--owner %s: no tool is known by this name, and nothing here is its%s%s%s", owner,
		       name ? " (did you mean " : "", name ? name : "", name ? "?)" : "");
}
