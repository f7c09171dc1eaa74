// SPDX-License-Identifier: BSD-2-Clause
/* hardirqs: what time interrupts take, by the name of who handles them. */
#include "engines/irqs.h"
#include "run/tool.h"
#include "tools/hardirqs.skel.h"

static const struct opt options[] = { IRQS_OPTIONS };

static const struct field fields[] = { DIST_KEY("HARDIRQ", -26), DIST_TOTALS(11) };
static const struct schema totals = { fields, ARRAY_SIZE(fields) };

static const struct dist_kind kinds[] = { { .name = "hardirq", .named = true } };

static const struct progs_probe probes[] = {
	{ .program = "left", .system = "irq", .name = "irq_handler_exit", .raw = true, .when = IRQS_TIMES },
	{ .program = "entered", .system = "irq", .name = "irq_handler_entry", .raw = true, .when = IRQS_TIMES },
	{ .program = "counted", .system = "irq", .name = "irq_handler_entry", .raw = true, .when = IRQS_COUNTS },
};

static int configure(struct engine_instance *instance, struct progs_source *own, struct err *err)
{
	return irqs_configure(instance, own, "hard irq event time", "hard irq events");
}

static const struct dist_source source = {
	.progs = { PROGS(hardirqs), PROGS_PROBES(probes), .configure = configure, .no_task = true },
	DIST_KINDS(kinds),
	.totals = &totals,
	IRQS_SOURCE,
};

TOOL(hardirqs, .brief = "how much time interrupts take, as totals or histograms",
     .group = GROUP_LONG,
     .args = "[INTERVAL [COUNT]] [-- COMMAND [ARG]...]",
     .schema = &dist_charts, DIST_ENGINE(source),
     OPTIONS(options), SETTINGS(struct irqs_settings),
     LACKS(IRQS_LACKS, { "max-pending", "a processor handles one interrupt at a time" }),
     .description =
	     "Adds up the time that interrupt handlers take, by the handler's name in /proc/interrupts (31 "
	     "characters of it), and prints it at the end, or every INTERVAL seconds, COUNT times; with -d as a "
	     "histogram for each, with -C how often the handlers were called. Interrupts without a handler there, "
	     "such as a processor's own timer, are not included.\n\n"
	     "Interrupts belong to no process. With a COMMAND, the table has all interrupts that come while the "
	     "command runs.",
     EXAMPLES({ "sonde hardirqs", "the time by name, until Ctrl-C" },
	      { "sonde hardirqs 1 10", "every second, ten times" },
	      { "sonde hardirqs -d", "as histograms" },
	      { "sonde hardirqs -NT 1", "in nanoseconds, with the time of day" },
	      { "sonde hardirqs -C -- dd if=/dev/vda of=/dev/null", "how many there are while a command runs" }));
