// SPDX-License-Identifier: BSD-2-Clause
/* hardirqs: what time interrupts take, by the name of who handles them. */
#include "engine/irqs.h"
#include "run/tool.h"
#include "tools/hardirqs.skel.h"

static struct irqs_settings settings;
static const struct opt options[] = { IRQS_OPTIONS(typeof(settings)) };

static const struct field charts[] = { DIST_KEY("", 0), HIST_FIELDS };
static const struct schema schema = { charts, ARRAY_SIZE(charts), hist_draw };
static const struct field fields[] = { DIST_KEY("HARDIRQ", -26), DIST_TOTALS(11) };
static const struct schema totals = { fields, ARRAY_SIZE(fields) };

static const struct dist_kind kinds[] = { { .name = "hardirq", .named = true } };

static const struct event_probe probes[] = {
	{ .program = "left", .system = "irq", .name = "irq_handler_exit", .raw = true, .when = &settings.times },
	{ .program = "entered", .system = "irq", .name = "irq_handler_entry", .raw = true, .when = &settings.times },
	{ .program = "counted", .system = "irq", .name = "irq_handler_entry", .raw = true, .when = &settings.counts },
};

static struct dist_source source;

static int configure(struct engine_instance *instance, struct err *err)
{
	return irqs_configure(&settings, &source, "hard irq event time", "hard irq events");
}

static struct dist_source source = {
	.events = { EVENT_OBJECT(hardirqs), EVENT_PROBES(probes), .configure = configure },
	DIST_KINDS(kinds),
	.totals = &totals,
	IRQS_SOURCE(settings),
};

TOOL(hardirqs, .brief = "what time interrupts take, in all or as histograms",
     .args = "[INTERVAL [COUNT]] [-- COMMAND [ARG]...]",
     .schema = &schema, DIST_ENGINE(source),
     OPTIONS(options), .settings = &settings,
     LACKS(IRQS_LACKS, { "max-pending", "a processor handles one interrupt at a time" }),
     .description =
	     "Adds up the time that the handlers of interrupts take, by the name of each as in /proc/interrupts (31 characters "
	     "of it), and prints it at the end, or every INTERVAL seconds, COUNT times; with -d as a histogram each, "
	     "with -C how often they were called. Interrupts that have no handler there, a processor's own timer say, "
	     "are not among them.\n\n"
	     "Interrupts belong to no process: with a COMMAND all are shown that come while it runs.",
     EXAMPLES({ "sonde hardirqs", "the time by name, until Ctrl-C" },
	      { "sonde hardirqs 1 10", "every second, ten times" },
	      { "sonde hardirqs -d", "as histograms" },
	      { "sonde hardirqs -NT 1", "in nanoseconds, with the time of day" },
	      { "sonde hardirqs -C -- dd if=/dev/vda of=/dev/null", "how many, while a command runs" }));
