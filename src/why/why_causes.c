// SPDX-License-Identifier: BSD-2-Clause
/* The lines of `sonde why` with causes and their objects: the path of the command, and all threads. */
#include "why_part.h"

/* How many objects a line names, and the columns that it has for them, so that the line has 80. */
#define OBJECTS 4
#define ROOM	44
/* What is less than this part of the whole has no name: 0.1 %. */
#define LEAST 1000

#define BEHIND	    "behind "
#define SECONDS(ns) ((double)(ns) / 1e9)

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static int by_time(const void *pa, const void *pb, void *ctx)
{
	const uint64_t *ns = ctx;
	uint64_t a = ns[*(const uint32_t *)pa], b = ns[*(const uint32_t *)pb];

	return a > b ? -1 : a < b;
}

size_t why_causes_sort(const struct why_split *split, uint32_t order[WHY_CAUSES])
{
	uint64_t ns[WHY_CAUSES];
	size_t n = 0;

	memcpy(ns, split->ns, sizeof(ns));
	for (uint32_t i = 0; i < WHY_CAUSES; i++)
		if (ns[i])
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), by_time, ns);
	return n;
}

/* What the objects of a line are of. */
struct part {
	const struct why *why;
	uint32_t cause;
	uint64_t whole; /* of all lines */
	const struct why_sums *sums;
	const struct why_found *found; /* n objects, the longest first */
	size_t n;
};

/* Appends an item unless the line is full. One that is too long for a line of its own loses its begin. */
static bool add_text(struct str *line, size_t room, const char *item)
{
	size_t len = strlen(item) + (line->len ? strlen(", ") : 0);
	size_t over = len > room ? len - room + strlen("...") : 0;

	if (line->len && line->len + len > room)
		return false;
	/* not within a character of several bytes */
	while (over && over < len && ((unsigned char)item[over] & 0xc0) == 0x80)
		over++;
	str_add(line, line->len ? ", " : "");
	str_add(line, over ? "..." : "");
	str_add(line, item + over);
	return true;
}

/* Appends "NAME SECONDS" likewise. */
static bool add_item(struct str *line, const struct part *part, const char *name, uint64_t ns)
{
	__free char *item = base_printf("%s %.3f", name, SECONDS(ns));

	return add_text(line, ROOM - (part->cause == WHY_PROCESSOR ? strlen(BEHIND) : 0), item);
}

static int by_cause(const void *pa, const void *pb, void *ctx)
{
	const uint32_t *cause = ctx;
	const struct why_name *a = *(const struct why_name *const *)pa, *b = *(const struct why_name *const *)pb;

	return a->split.ns[*cause] > b->split.ns[*cause] ? -1 : a->split.ns[*cause] < b->split.ns[*cause];
}

/* Which processes did it. */
static void add_names(struct str *line, const struct part *part)
{
	const struct why_sums *sums = part->sums;
	const struct why_name **names = base_alloc((sums->names.n + 1) * sizeof(*names));
	uint32_t cause = part->cause;
	size_t n = 0;

	vec_each(name, &sums->names)
		if (name->split.ns[cause] && name->split.ns[cause] >= part->whole / LEAST)
			names[n++] = name;
	qsort_r(names, n, sizeof(*names), by_cause, &cause);
	for (size_t i = 0; i < n && i < OBJECTS; i++)
		if (!add_item(line, part, names[i]->comm, names[i]->split.ns[cause]))
			break;
	free(names);
}

static void add_objects(struct str *line, const struct part *part)
{
	size_t named = 0;

	for (size_t i = 0; i < part->n && named < OBJECTS; i++) {
		const struct why_found *found = &part->found[i], *known = objects_find(part->why, &found->key);
		struct str name __str = {};

		/* what threads without work waited for is among the objects, too: it may be more than the line has */
		if (found->key.class != part->cause || !found->object.ns || found->object.ns < part->whole / LEAST ||
		    found->object.ns > part->sums->all.ns[part->cause] ||
		    !objects_name(part->why, &name, &found->key, known ? &known->object : &found->object))
			continue;
		named += add_item(line, part, name.data, found->object.ns);
	}
}

static void print_line(struct output *out, const char *cause, uint64_t ns, uint64_t whole, const char *objects)
{
	double part = percent(ns, whole);
	char text[16];

	snprintf(text, sizeof(text), ns && part < 0.5 ? "<1" : "%.0f", part);
	output_line(out, "  %-16s %9.3f %3s %%  %s", cause, SECONDS(ns), text, objects);
}

/* The causes of a sum, the largest first, and what is too little for a line in one. names: also where objects do. */
static void print_causes(struct output *out, struct part *part, bool names)
{
	const struct why_split *split = &part->sums->all;
	uint32_t order[WHY_CAUSES];
	size_t n = why_causes_sort(split, order);
	uint64_t others = 0;

	for (size_t i = 0; i < n; i++) {
		struct str line __str = {}, all __str = {};

		part->cause = order[i];
		if (split->ns[part->cause] < part->whole / LEAST) {
			others += split->ns[part->cause];
			continue;
		}
		if (part->cause < WHY_CLASSES)
			add_objects(&line, part);
		if (line.len && part->cause == WHY_PROCESSOR)
			str_add(&all, BEHIND);
		if (!line.len && (names || part->cause >= WHY_CLASSES))
			add_names(&line, part);
		str_add(&all, str_or_empty(line.data));
		print_line(out, why_sums_cause(part->cause), split->ns[part->cause], part->whole,
			   str_or_empty(all.data));
	}
	if (others)
		print_line(out, "other", others, part->whole, "");
}

/* One line: how long all of them, and who. */
static void print_idle(const struct why *why, struct output *out)
{
	struct str line __str = {};
	uint64_t ns = 0;
	bool room = true;

	vec_each(idle, &why->work.idle) {
		__free char *several = base_printf("%s (%llu)", idle->comm, (unsigned long long)idle->threads);

		ns += idle->ns;
		room = room && add_text(&line, ROOM - strlen(", ..."), idle->threads > 1 ? several : idle->comm);
	}
	output_line(out, "  %-16s %9.3f        %s%s", "idle", SECONDS(ns), str_or_empty(line.data),
		    room ? "" : ", ...");
}

static void print_threads(const struct why *why, struct output *out, struct part *all)
{
	size_t threads = why->sums.tasks.n, idle = why->work.threads;

	if (!idle) {
		output_line(out, "ALL THREADS          seconds");
		print_causes(out, all, false);
		return;
	}
	output_line(out, "THREADS THAT WORKED  seconds        %zu of %zu; the others only waited for work",
		    threads - idle, threads);
	print_causes(out, all, false);
	print_idle(why, out);
}

void why_causes_print(const struct why *why, struct output *out)
{
	const struct why_path *path = &why->path;
	const struct why_sums *sums = why->work.threads ? &why->work.worked : &why->sums;
	struct part all = {
		.why = why,
		.whole = why_sums_life(&sums->all),
		.sums = sums,
		.found = why->objects.v,
		.n = why->objects.n,
	};
	struct part of_path = {
		.why = why,
		.whole = why->ended - why->began,
		.sums = &path->sums,
		.found = path->objects.v,
		.n = path->objects.n,
	};

	if (path->links) {
		output_line(out, "THE PATH OF THE COMMAND (what made it last %.3f s)", SECONDS(of_path.whole));
		output_line(out, "                     seconds");
		/* sleeps without an object are those of threads: these are named then */
		print_causes(out, &of_path, true);
	}
	print_threads(why, out, &all);
}
