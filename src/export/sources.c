// SPDX-License-Identifier: BSD-2-Clause
/* The sources of a configuration, and their exchange at a reload. */
#include "base/report.h"
#include "base/set.h"
#include "sources.h"

static bool has(const struct sources *sources, const struct source *source)
{
	for (size_t i = 0; sources && i < sources->n; i++)
		if (sources->v[i] == source)
			return true;
	return false;
}

/* Returns the running source whose line means the same, NULL: none. One that is down starts anew. */
static struct source *find_running(const struct sources *running, const struct sources *taken,
				   const struct config_line *line)
{
	for (size_t i = 0; running && i < running->n; i++)
		if (source_is_up(running->v[i]) && config_line_same(source_line(running->v[i]), line) &&
		    !has(taken, running->v[i]))
			return running->v[i];
	return NULL;
}

/* Compares the name of the last source with those of the others. */
static int check_name(const struct sources *sources, struct err *err)
{
	const struct source *source = sources->v[sources->n - 1];

	for (size_t i = 0; i + 1 < sources->n; i++) {
		__free char *place = NULL;

		if (strcmp(source_name(sources->v[i]), source_name(source)))
			continue;
		place = config_place(source_line(sources->v[i]));
		err_set(err, -EINVAL, "the metrics would be called %s, as those of %s: name one by 'as NAME'",
			source_name(source), place);
		return config_blame(source_line(source), err);
	}
	return 0;
}

static int add(struct sources *sources, struct config_line *line, const struct sources *running, struct err *err)
{
	struct source *source = find_running(running, sources, line);

	if (source)
		source_move(source, line);
	else
		source = source_new(line, err);
	if (!source)
		return err->code;
	*vec_push(sources) = source;
	return check_name(sources, err);
}

int sources_make(struct sources *sources, struct config *config, const struct sources *running, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < config->n; i++)
		ret = add(sources, &config->v[i], running, err);
	if (ret)
		sources_give_up(sources, config, running);
	return ret;
}

void sources_give_up(struct sources *sources, struct config *config, const struct sources *running)
{
	/* each line has its source, in the same order */
	for (size_t i = 0; i < sources->n; i++)
		if (has(running, sources->v[i]))
			source_move(sources->v[i], &config->v[i]);
	sources_release(sources, running);
}

int sources_open(struct sources *sources, const struct source_host *host, struct err *err)
{
	for (size_t i = 0; i < sources->n; i++) {
		struct err why = {};
		int ret = source_is_up(sources->v[i]) ? 0 : source_open(sources->v[i], host, &why);

		if (ret == -EINVAL || ret == -EINTR) {
			*err = why;
			return ret;
		}
		if (ret)
			report_error("%s", why.text);
	}
	return 0;
}

/* --- names of families --- */

struct families {
	struct set names;
	vec(const struct source *) owners; /* by the number of the name; NULL: the page's own */
	const struct source *source;	   /* whose families are added */
	struct err *err;
	int ret;
};

static void add_family(const struct metrics_info *info, const char *labels, void *ctx)
{
	struct families *families = ctx;
	uint32_t number = set_add(&families->names, info->name, strlen(info->name));

	(void)labels;
	if (number == families->owners.n) {
		*vec_push(&families->owners) = families->source;
	} else if (families->owners.v[number] != families->source && !families->ret) {
		const struct source *owner = families->owners.v[number];
		__free char *place = owner ? config_place(source_line(owner)) : base_strdup("sonde itself");

		err_set(families->err, -EINVAL, "the metric %s is also one of %s: name the line by 'as NAME'",
			info->name, place);
		families->ret = config_blame(source_line(families->source), families->err);
	}
}

int sources_check_families(struct sources *sources, const struct metrics *page, struct err *err)
{
	struct families families = { .err = err };

	for (size_t i = 0; i < page->n; i++)
		add_family(&page->v[i].info, "", &families);
	for (size_t i = 0; i < sources->n; i++) {
		families.source = sources->v[i];
		if (source_is_up(families.source))
			source_each_family(sources->v[i], add_family, &families);
	}
	set_release(&families.names);
	free(families.owners.v);
	return families.ret;
}

void sources_release(struct sources *sources, const struct sources *kept)
{
	for (size_t i = 0; i < sources->n; i++)
		if (!has(kept, sources->v[i]))
			source_free(sources->v[i]);
	free(sources->v);
	*sources = (struct sources){};
}

size_t sources_up(const struct sources *sources)
{
	size_t n = 0;

	for (size_t i = 0; i < sources->n; i++)
		n += source_is_up(sources->v[i]);
	return n;
}
