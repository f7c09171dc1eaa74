// SPDX-License-Identifier: BSD-2-Clause
#include "graph_roots.h"
#include "probe/target.h"

/* Whether they are one place. Of a module's function, a spec without the module need not know it. */
static bool is_place(const struct target *a, const struct target *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == TARGET_USER)
		return a->addr == b->addr && str_same(a->object, b->object);
	return !strcmp(a->name, b->name) && (!a->object || !b->object || !strcmp(a->object, b->object));
}

/* Returns how many functions trees may begin with. */
static size_t mark_root(const struct target *const *functions, size_t n_slots, const struct target *root, uint8_t *about)
{
	size_t n = 0;

	for (size_t i = 0; i < n_slots; i++) {
		if (!functions[i] || !is_place(functions[i], root))
			continue;
		about[i] |= GRAPH_ROOT;
		n++;
	}
	return n;
}

static int mark_spec(const struct graph_settings *settings, const char *spec, const struct target *const *functions,
		     size_t n_slots, uint8_t *about, struct err *err)
{
	const struct target_options options = {
		.pid = settings->pid, .regex = settings->regex, .force = settings->force, .both = true
	};
	__cleanup(target_set_release) struct target_set roots = {};
	size_t bad, n = 0;
	int ret = target_resolve(&spec, 1, &options, &roots, &bad, err);

	if (ret)
		return ret;
	vec_each(root, &roots)
		n += mark_root(functions, n_slots, root, about);
	if (n)
		return 0;
	return err_set(err, -ENOENT, "nothing can be seen under '%s': it is no function that can be probed", spec);
}

int graph_roots_mark(const struct graph_settings *settings, const struct target *const *functions, size_t n_slots,
		     uint8_t *about, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < settings->n_under; i++)
		ret = mark_spec(settings, settings->under[i], functions, n_slots, about, err);
	return ret;
}
