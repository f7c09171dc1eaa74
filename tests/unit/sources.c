// SPDX-License-Identifier: BSD-2-Clause
/* How a new configuration takes over the lines that run. Nothing is attached. */
#include <criterion/criterion.h>

#include "export/source_part.h"
#include "export/sources.h"

/* Makes the sources of a text. Returns what is wrong with it, "" if nothing is. */
static const char *make(struct sources *sources, const char *text, const struct sources *running)
{
	static struct err err;
	struct config config = {};

	err = (struct err){};
	cr_assert_eq(config_add_text(&config, "F", text, strlen(text), &err), 0, "%s", err.text);
	sources_make(sources, &config, running, &err);
	config_release(&config);
	return err.text;
}

static void expect_places(const struct sources *sources, unsigned int first, unsigned int second)
{
	cr_assert_eq(sources->n, 2);
	cr_expect_eq(source_line(sources->v[0])->number, first);
	cr_expect_eq(source_line(sources->v[1])->number, second);
	cr_expect_str_eq(source_line(sources->v[0])->file, "F");
}

/* A line that goes on has its new place if the configuration is the one that runs, and its old one if it is refused. */
Test(sources, places_after_a_reload)
{
	struct sources running = {}, next = {};

	cr_assert_str_eq(make(&running, "runqlat\nbiolatency\n", NULL), "");
	expect_places(&running, 1, 2);
	running.v[0]->up = running.v[1]->up = true;
	cr_expect_str_eq(make(&next, "\nbiolatency\n\nrunqlat\nno_tool\n", &running),
			 "F:5: there is no tool 'no_tool': 'sonde help' lists the tools");
	expect_places(&running, 1, 2);
	cr_expect_str_eq(make(&next, "\n\nrunqlat\nsyscount as sonde_biolatency\nbiolatency\n", &running),
			 "F:5: the metrics would be called sonde_biolatency, as those of F:4: name one by 'as NAME'");
	expect_places(&running, 1, 2);
	cr_expect_str_eq(make(&next, "\nrunqlat\nsyscount\nbiolatency\n", &running), "");
	cr_expect_eq(next.n, 3);
	cr_expect(next.v[0] == running.v[0] && next.v[2] == running.v[1]);
	expect_places(&running, 2, 4);
	running.v[0]->up = running.v[1]->up = false;
	sources_release(&running, &next);
	sources_release(&next, NULL);
}
