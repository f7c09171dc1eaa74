// SPDX-License-Identifier: BSD-2-Clause
/*
 * From attach points to places: parses them, resolves their targets, and makes a probe of each kind that a block has. A
 * block that looks at arguments becomes one for each form that they have.
 */
#include "binary/demangle.h"
#include "checker.h"
#include "lang/tree/ast_walk.h"

/* The attach points of a block of one kind, where that has targets; else a single one. */
struct group {
	struct lang_attach *attach, *last; /* the first and the last attach point */
	struct lang_specs specs;
	vec(struct span) at; /* of specs */
	size_t n_written;    /* attach points, of which each may be several specs */
	bool at_place;	     /* as of struct looks */
};

#define WRITTEN_MAX 256

#define TRAMPOLINES_FEW 64

/* Whether the block uses arguments whose form depends on the place. */
struct looks {
	enum lang_probe_kind kind;
	bool found;
	bool at_place; /* uaddr(): each place by itself */
};

static void check_looks(struct ast **child, void *ctx)
{
	struct looks *looks = ctx;
	const struct ast *ast = *child;
	const char *name = ast->kind == AST_NAME ? ast->name.name : ast->kind == AST_CALL ? ast->call.name
											  : "";
	bool has_words = looks->kind == PROBE_USDT || looks->kind == PROBE_RAWTRACEPOINT ||
			 looks->kind == PROBE_FENTRY || looks->kind == PROBE_FEXIT;

	if (!strcmp(name, "args") || (looks->kind == PROBE_ITER && !strcmp(name, "ctx")) ||
	    (looks->kind == PROBE_FEXIT && !strcmp(name, "retval")) ||
	    (has_words && !strncmp(name, "arg", 3) && strspn(name + 3, "0123456789")))
		looks->found = true;
	if (ast->kind == AST_CALL && !strcmp(name, "uaddr"))
		looks->found = looks->at_place = true;
	ast_walk(*child, check_looks, ctx);
}

static bool check_looks_at_arguments(struct ast_probe *ast, enum lang_probe_kind kind, bool *at_place)
{
	struct looks looks = { .kind = kind };

	if (ast->predicate)
		check_looks(&ast->predicate, &looks);
	if (ast->body)
		check_looks(&ast->body, &looks);
	*at_place = looks.at_place;
	return looks.found;
}

/* --- places --- */

/* The name of a function as stacks of the user show it. */
static const char *check_shown(struct checker *c, enum lang_probe_kind kind, const char *function)
{
	__str struct str text = {};

	if ((kind != PROBE_UPROBE && kind != PROBE_URETPROBE) || !function || !c->program->config.cpp_demangle)
		return function;
	return demangle(function, DEMANGLE_PATH, &text) ? pool_add(c->pool, text.data) : function;
}

static void check_place(struct checker *c, const struct lang_probe *probe, const char *text, const char *function,
			uint64_t addr)
{
	struct lang_place *place = vec_push(&c->program->places);

	place->probe = text;
	place->function = check_shown(c, probe->kind, function);
	place->type = lang_probe_kind_name(probe->kind);
	place->addr = addr;
}

/* Gives the newest probe its places: a slot each, named after its first target, or one. */
static void check_places(struct checker *c, const struct group *group)
{
	struct lang_probe *probe = &c->program->probes.v[c->program->probes.n - 1];
	const struct target_set *set = &probe->targets;
	const struct lang_attach *attach = group->specs.n == 1 ? group->attach : NULL;
	__free const struct target **first = base_alloc((set->n_slots + 1) * sizeof(*first));

	probe->first_place = c->program->places.n;
	for (size_t i = set->n; i-- > 0;)
		first[set->v[i].slot] = &set->v[i];
	for (size_t slot = 0; slot < set->n_slots; slot++)
		check_place(c, probe, lang_target_text(probe->kind, attach, first[slot], c->pool), set->symbols[slot],
			    first[slot]->addr);
	if (!set->n_slots)
		check_place(c, probe, probe->attach->text, NULL, 0);
	probe->n_places = c->program->places.n - probe->first_place;
}

static struct checked_probe *check_new_probe(struct checker *c, struct ast_probe *ast, const struct lang_attach *attach)
{
	struct checked_probe *checked = vec_push(&c->checked->probes);
	struct lang_probe *probe = vec_push(&c->program->probes);

	probe->kind = attach->kind;
	probe->at = ast->at;
	probe->attach = attach;
	checked->ast = ast;
	return checked;
}

const char *check_place_name(const struct checker *c)
{
	return c->program->places.v[c->probe->probe->first_place].probe;
}

/* --- targets --- */

/* An attach point with $1 in it is not what the program shows. */
static void check_hint_parameters(struct checker *c, struct span at, const char *text)
{
	const char *source = c->program->sources.v[at.source].text;

	for (uint32_t i = at.begin; i + 1 < at.end; i++)
		if (source[i] == '$' && source[i + 1] >= '0' && source[i + 1] <= '9') {
			check_hint(c, at, "with the parameters it is '%s'", text);
			return;
		}
}

static void check_missing(struct checker *c, const struct group *group, size_t bad, const struct err *err)
{
	if (c->program->config.missing_probes == MISSING_IGNORE)
		return;
	if (c->program->config.missing_probes == MISSING_ERROR)
		check_error(c, group->at.v[bad], "%s", err->text);
	else
		check_warning(c, group->at.v[bad], "%s", err->text);
	check_hint_parameters(c, group->at.v[bad], group->specs.v[bad]);
}

static void check_finds_retval(struct ast **child, void *ctx)
{
	const struct ast *ast = *child;
	bool *found = ctx;

	*found |= ast->kind == AST_NAME && !strcmp(ast->name.name, "retval");
	if (!*found)
		ast_walk(*child, check_finds_retval, found);
}

/* Whether the block reads what a function returns. */
static bool check_reads_retval(struct ast_probe *ast)
{
	bool found = false;

	if (ast->predicate)
		check_finds_retval(&ast->predicate, &found);
	if (ast->body)
		check_finds_retval(&ast->body, &found);
	return found;
}

/* Nothing has the name, or no probe can be where it ends. */
static bool is_missing(int error)
{
	return error == -ENOENT || error == -ENOTSUP;
}

/* Fills set. Specs that match nothing are reported as missing_probes says, and left out. False: nothing is left. */
static bool check_resolve(struct checker *c, struct ast_probe *ast, struct group *group, struct target_set *set)
{
	const struct target_options options = {
		.kernel = c->options->kernel,
		.pid = c->options->pid,
		.value = check_reads_retval(ast),
		.learn = true,
		.force = c->options->force,
	};

	while (group->specs.n) {
		struct err err = {};
		size_t bad = 0;
		int ret = target_resolve(group->specs.v, group->specs.n, &options, set, &bad, &err);

		vec_each(unseen, &set->unseen)
			check_warning(c, group->at.v[0], "%s", *unseen);
		if (!ret && (set->n || !set->notes.n))
			return true;
		/* a pattern that matches nothing but these */
		if (!ret)
			ret = err_set(&err, -EPERM, "'%s' cannot be traced: %s", set->notes.v[0].name,
				      set->notes.v[0].reason);
		target_set_release(set);
		check_missing(c, group, bad, &err);
		if (ret == -ENOTSUP && c->program->config.missing_probes == MISSING_IGNORE)
			check_warning(c, group->at.v[bad], "%s", err.text);
		if (!is_missing(ret) && c->program->config.missing_probes != MISSING_ERROR)
			check_error(c, group->at.v[bad], "%s", err.text);
		if (c->program->config.missing_probes == MISSING_ERROR || !is_missing(ret))
			return false;
		group->specs.n--;
		memmove(&group->specs.v[bad], &group->specs.v[bad + 1], (group->specs.n - bad) * sizeof(group->specs.v[0]));
		memmove(&group->at.v[bad], &group->at.v[bad + 1], (group->specs.n - bad) * sizeof(group->at.v[0]));
	}
	return false;
}

/* What arguments a place has. */
struct form {
	struct lang_arguments arguments;
	struct lang_usdt_argument usdt[LANG_USDT_MAX];
	size_t n_usdt;
	const struct target *place; /* NULL: nobody asks for it */
};

static bool check_same_form(const struct form *x, const struct form *y)
{
	const struct lang_arguments *a = &x->arguments, *b = &y->arguments;

	if (x->place && y->place && (x->place->file != y->place->file || x->place->addr != y->place->addr))
		return false;
	if (x->n_usdt != y->n_usdt || memcmp(x->usdt, y->usdt, x->n_usdt * sizeof(x->usdt[0])))
		return false;
	if (a->n != b->n || !a->ret != !b->ret || (a->ret && !type_same(a->ret, b->ret)))
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->v[i].name, b->v[i].name) || a->v[i].at != b->v[i].at ||
		    a->v[i].is_data_loc != b->v[i].is_data_loc || !type_same(a->v[i].type, b->v[i].type))
			return false;
	return true;
}

/* Moves the targets whose form is `form` from `from` to a set of its own, with slots from 0. */
static void check_part_of_set(const struct target_set *from, const size_t *form_of, size_t form, struct target_set *to)
{
	uint32_t *slots = base_alloc((from->n_slots + 1) * sizeof(*slots)); /* new number + 1 */

	to->slots = base_alloc((from->n_slots + 1) * sizeof(*to->slots));
	to->symbols = base_alloc((from->n_slots + 1) * sizeof(*to->symbols));
	for (size_t i = 0; i < from->n; i++) {
		struct target *target;

		if (form_of[i] != form)
			continue;
		target = vec_push(to);
		*target = from->v[i];
		if (!slots[target->slot]) {
			to->slots[to->n_slots] = from->slots[target->slot];
			to->symbols[to->n_slots] = from->symbols[target->slot];
			slots[target->slot] = ++to->n_slots;
		}
		target->slot = slots[target->slot] - 1;
	}
	free(slots);
}

/* Strings and files go along with one part, which is released with the others. */
static void check_move_owned(struct target_set *from, struct target_set *to)
{
	to->files.v = from->files.v;
	to->files.n = from->files.n;
	to->files.cap = from->files.cap;
	to->pool = from->pool;
	memset(&from->files, 0, sizeof(from->files));
	memset(&from->pool, 0, sizeof(from->pool));
}

/* --probe-filter: leaves out the targets that it does not match. */
static void check_filter(struct checker *c, const struct group *group, struct target_set *set)
{
	__free size_t *form_of = base_alloc((set->n + 1) * sizeof(*form_of));
	const struct lang_attach *attach = group->specs.n == 1 ? group->attach : NULL;
	struct target_set part = {};

	if (!c->options->probe_filter)
		return;
	for (size_t i = 0; i < set->n; i++)
		form_of[i] = !regex_matches(c->options->probe_filter,
					    lang_target_text(group->attach->kind, attach, &set->v[i], c->pool));
	check_part_of_set(set, form_of, 0, &part);
	check_move_owned(set, &part);
	target_set_release(set);
	*set = part;
}

/*
 * False: the target is left out. A pattern also fits functions that BTF does not describe, for the compiler has changed
 * their parameters: no trampoline can be attached to them.
 */
static bool check_form(struct checker *c, const struct group *group, const struct target *target, bool is_pattern,
		       struct form *form)
{
	struct err err = {};
	int ret;

	form->place = group->at_place ? target : NULL;
	if (target->usdt_args) {
		form->n_usdt = LANG_USDT_MAX;
		/* those before a form that is not known */
		lang_usdt_parse(target->usdt_args, form->usdt, &form->n_usdt);
		return true;
	}
	ret = lang_arguments_of(group->attach->kind, target, c->program->types, c->pool, &form->arguments, &err);
	if (ret == -ENODATA && is_pattern)
		return false;
	if (ret && ret != -ENOENT && err.text[0])
		check_error(c, group->at.v[0], "%s", err.text);
	return true;
}

/*
 * The form of each target; returns the number of different ones. form_of[i]: that of target i, SIZE_MAX: it is left
 * out. Where nobody looks at the arguments, all have one form.
 */
static size_t check_forms(struct checker *c, const struct group *group, const struct target_set *set, bool looks,
			  size_t *form_of, struct form *forms)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct form *form = &forms[n];

		memset(form, 0, sizeof(*form));
		form_of[i] = SIZE_MAX;
		if (!check_form(c, group, &set->v[i], set->n > 1, form))
			continue;
		if (!looks)
			form->arguments = (struct lang_arguments){};
		for (form_of[i] = 0; form_of[i] < n; form_of[i]++)
			if (check_same_form(&forms[form_of[i]], form))
				break;
		n += form_of[i] == n;
	}
	return n;
}

/* A block of its own, for types differ between probes. */
static struct ast_probe *check_copy(struct checker *c, const struct ast_probe *ast)
{
	struct ast_probe *copy = (struct ast_probe *)pool_copy(c->pool, ast, sizeof(*ast));

	copy->predicate = ast_copy(c->pool, ast->predicate);
	copy->body = ast_copy(c->pool, ast->body);
	return copy;
}

/* Makes a probe for each form of arguments. The first keeps what the set owns. */
static void check_split(struct checker *c, struct ast_probe *ast, struct group *group, bool looks,
			struct target_set *set)
{
	__free size_t *form_of = base_alloc(set->n * sizeof(*form_of));
	__free struct form *forms = base_alloc((set->n + 1) * sizeof(*forms));
	size_t n = check_forms(c, group, set, looks, form_of, forms);

	if (!n)
		check_error(c, group->at.v[0], "the kernel's BTF describes no function that matches");
	for (size_t form = 0; form < n; form++) {
		struct checked_probe *checked = check_new_probe(c, check_copy(c, ast), group->attach);
		struct target_set part = {};

		checked->arguments = forms[form].arguments;
		checked->usdt = pool_copy(c->pool, forms[form].usdt, sizeof(forms[form].usdt));
		checked->n_usdt = forms[form].n_usdt;
		check_part_of_set(set, form_of, form, &part);
		if (!form)
			check_move_owned(set, &part);
		c->program->probes.v[c->program->probes.n - 1].targets = part;
		check_places(c, group);
	}
	target_set_release(set);
}

/*
 * A trampoline is a program for each function, and takes the kernel milliseconds. A program that looks at no arguments
 * can be attached to many functions at a time, by any mechanism.
 */
static void check_trampolines(struct checker *c, const struct group *group, bool looks, struct target_set *set)
{
	uint32_t most = c->program->config.max_bpf_progs;

	if (!looks && set->n > TRAMPOLINES_FEW)
		vec_each(target, set)
			target->mech = MECH_AUTO;
	if (!looks || set->n <= most)
		return;
	check_error(c, group->at.v[0], "Can't attach to %zu functions: each needs a BPF program, and max_bpf_progs is %u",
		    set->n, most);
	check_hint(c, group->at.v[0], "kprobe has one program for all functions");
	target_set_release(set);
}

static void check_group(struct checker *c, struct ast_probe *ast, struct group *group)
{
	struct checked_probe *checked;
	struct target_set set = {};
	bool looks = check_looks_at_arguments(ast, group->attach->kind, &group->at_place);
	bool is_trampoline = group->attach->kind == PROBE_FENTRY || group->attach->kind == PROBE_FEXIT;
	struct err err = {};

	if (group->attach->spec) {
		if (!check_resolve(c, ast, group, &set))
			return;
		check_filter(c, group, &set);
		if (!set.n && c->options->probe_filter) {
			target_set_release(&set);
			return;
		}
		if (is_trampoline)
			check_trampolines(c, group, looks, &set);
		if ((looks && set.n) || (is_trampoline && set.n > 1)) {
			check_split(c, ast, group, looks, &set);
			return;
		}
	}
	checked = check_new_probe(c, check_copy(c, ast), group->attach);
	c->program->probes.v[c->program->probes.n - 1].targets = set;
	check_places(c, group);
	if (group->attach->kind == PROBE_ITER &&
	    lang_arguments_of_iter(group->attach->object, c->program->types, c->pool, &checked->arguments, &err))
		check_error(c, group->attach->at, "%s", err.text[0] ? err.text : "this kernel has no such iterator");
}

/* --- blocks --- */

static void check_add_specs(struct checker *c, struct group *group, const struct lang_attach *attach)
{
	size_t first = group->specs.n, n = lang_attach_specs(attach, c->options->pid, c->pool, &group->specs);
	struct err err = {};

	for (size_t i = 0; i < n; i++)
		*vec_push(&group->at) = attach->at;
	if (n != 1 || group->specs.v[first] != attach->spec || !lang_attach_has_files(attach))
		return;
	err_set(&err, -ENOENT, "no file matches, or none of them has this probe: '%s'", attach->text);
	check_missing(c, group, first, &err);
	group->specs.n = group->at.n = first;
}

static void check_block_of_probes(struct checker *c, struct ast_probe *ast)
{
	struct group *groups = base_alloc(PROBE_KINDS * sizeof(*groups));

	for (const struct ast_attach *written = ast->attach; written; written = written->next) {
		struct lang_attach *attach = pool_alloc(c->pool, sizeof(*attach));
		struct group *group;

		if (!lang_attach_parse(attach, written->text, written->at, c->pool, &c->program->messages)) {
			check_hint_parameters(c, written->at, written->text);
			continue;
		}
		if (attach->needs_process && !c->options->pid) {
			check_error(c, written->at,
				    "usdt without a binary needs a process (-p): usdt:/bin/bash:NAME, or "
				    "usdt:*:NAME for all processes");
			continue;
		}
		if ((attach->kind == PROBE_TEST && !c->options->test) ||
		    (attach->kind == PROBE_BENCH && !c->options->bench)) {
			c->program->has_tests = true;
			continue;
		}
		if (!attach->spec && attach->kind != PROBE_BEGIN && attach->kind != PROBE_END &&
		    c->options->probe_filter && !regex_matches(c->options->probe_filter, attach->text))
			continue;
		group = &groups[attach->kind];
		if (!group->specs.n)
			group->attach = attach;
		else
			group->last->next = attach;
		group->last = attach;
		if (!attach->spec) {
			check_group(c, ast, group);
			continue;
		}
		if (group->n_written++ == WRITTEN_MAX) {
			check_error(c, written->at, "a block has at most %d attach points of a kind", WRITTEN_MAX);
			break;
		}
		check_add_specs(c, group, attach);
	}
	for (int kind = 0; kind < PROBE_KINDS; kind++) {
		if (groups[kind].specs.n)
			check_group(c, ast, &groups[kind]);
		free(groups[kind].specs.v);
		free(groups[kind].at.v);
	}
	free(groups);
}

void check_probes(struct checker *c)
{
	for (struct ast_probe *ast = c->ast->probes; ast; ast = ast->next)
		check_block_of_probes(c, ast);
	for (size_t i = 0; i < c->program->probes.n; i++)
		c->checked->probes.v[i].probe = &c->program->probes.v[i];
	if (c->program->places.n > c->program->config.max_probes)
		check_error(c, c->ast->probes->at,
			    "Can't attach to %zu probes because it exceeds the current limit of %u probes: max_probes "
			    "can be raised",
			    c->program->places.n, c->program->config.max_probes);
	if (c->program->probes.n > c->program->config.max_bpf_progs)
		check_error(c, c->ast->probes->at,
			    "the blocks need %zu BPF programs, which exceeds the current limit of %u: "
			    "max_bpf_progs can be raised",
			    c->program->probes.n, c->program->config.max_bpf_progs);
}
