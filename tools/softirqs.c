// SPDX-License-Identifier: BSD-2-Clause
/* softirqs: what time soft interrupts take, by kind. */
#include "engines/irqs.h"
#include "kernel/interrupts.h"
#include "run/tool.h"
#include "tools/softirqs.h"
#include "tools/softirqs.skel.h"

static const struct opt options[] = { IRQS_OPTIONS };

static const struct field fields[] = { DIST_KEY("SOFTIRQ", -16), DIST_TOTALS(11) };
static const struct schema totals = { fields, ARRAY_SIZE(fields) };

_Static_assert(SOFTIRQS == INTERRUPTS_SOFT, "all have a name");

static const struct progs_probe probes[] = {
	{ .program = "left", .system = "irq", .name = "softirq_exit", .raw = true, .when = IRQS_TIMES },
	{ .program = "entered", .system = "irq", .name = "softirq_entry", .raw = true, .when = IRQS_TIMES },
	{ .program = "counted", .system = "irq", .name = "softirq_entry", .raw = true, .when = IRQS_COUNTS },
};

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	return irqs_configure(instance, own, "soft irq event time", "soft irq events");
}

static const struct dist_source source = {
	.progs = { PROGS(softirqs), PROGS_PROBES(probes), .configure = configure, .no_task = true },
	.numbers = interrupts_soft,
	.n_numbers = SOFTIRQS,
	.numbers_name = "softirq",
	.totals = &totals,
	IRQS_SOURCE,
};

TOOL(softirqs, .brief = "how much time soft interrupts take, as totals or histograms",
     .group = GROUP_LONG,
     .args = "[INTERVAL [COUNT]] [-- COMMAND [ARG]...]",
     .schema = &dist_charts, DIST_ENGINE(source),
     OPTIONS(options), SETTINGS(struct irqs_settings),
     LACKS(IRQS_LACKS, { "max-pending", "a processor handles one soft interrupt at a time" },
	   { "max-keys", "there are ten kinds of soft interrupts" }),
     .description =
	     "Adds up the time that soft interrupts take, by kind, and prints it at the end, or every INTERVAL "
	     "seconds, COUNT times; with -d as a histogram for each, with -C how many there were. The time includes "
	     "hard interrupts that come meanwhile.\n\n"
	     "Interrupts belong to no process. With a COMMAND, the table has all interrupts that come while the "
	     "command runs.",
     EXAMPLES({ "sonde softirqs", "the time by kind, until Ctrl-C" },
	      { "sonde softirqs 1 10", "every second, ten times" },
	      { "sonde softirqs -d", "as histograms" },
	      { "sonde softirqs -NT 1", "in nanoseconds, with the time of day" },
	      { "sonde softirqs -C --cpu 3", "how many there are, on one processor" }));
