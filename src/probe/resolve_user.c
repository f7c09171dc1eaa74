// SPDX-License-Identifier: BSD-2-Clause
/* Resolves specs of user functions and USDT probes in one binary or library. */
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/str.h"
#include "binary/binary.h"
#include "binary/binary_code.h"
#include "binary/library.h"
#include "functions.h"
#include "returns.h"

struct object {
	struct library library;
	struct binary *binary;
	const char *path; /* owned by the pool of the set */
	int file;	  /* owned by the set */
	bool force;
	bool mangled; /* label functions by their symbols */
	struct returns returns;
};

static void object_release(struct object *object)
{
	if (object->binary)
		binary_close(object->binary);
	library_release(&object->library);
}

/* Keeps a descriptor in the set, one for each file, so that probes attach to the very file that was read. */
static int keep_file(struct target_set *set, const struct binary *binary)
{
	struct stat ours, kept;
	int fd;

	fstat(binary_fd(binary), &ours);
	vec_each(file, &set->files)
		if (!fstat(*file, &kept) && kept.st_dev == ours.st_dev && kept.st_ino == ours.st_ino)
			return *file;
	fd = fcntl(binary_fd(binary), F_DUPFD_CLOEXEC, 3);
	if (fd >= 0)
		*vec_push(&set->files) = fd;
	return fd < 0 ? -errno : fd;
}

static int object_open(struct object *object, const struct query *query, const struct target_options *options,
		       struct target_set *set, struct err *err)
{
	int ret = library_find(query->spec.object, options->pid, &object->library, err);

	if (ret == -ENOENT && query->no_module) {
		size_t n = strlen(err->text);

		snprintf(err->text + n, sizeof(err->text) - n, ", and no kernel module of that name is loaded");
	}
	if (!ret)
		ret = binary_open(object->library.root, object->library.path, &object->binary, err);
	if (ret)
		return ret;
	object->path = pool_add(&set->pool, object->library.path);
	object->file = keep_file(set, object->binary);
	if (object->file < 0)
		return err_set(err, object->file, "%s: %s", object->library.shown, strerror(-object->file));
	object->force = options->force;
	object->mangled = options->mangled;
	returns_init(&object->returns, object->binary, query->spec.ret, options);
	return 0;
}

static struct target *add_target(struct target_set *set, const struct query *query,
				 const struct object *object, uint64_t offset, const char *label)
{
	struct target *target = vec_push(set);

	target->kind = TARGET_USER;
	target->mech = query->spec.mech;
	target->ret = query->spec.ret;
	target->addr = offset;
	target->object = object->path;
	target->file = object->file;
	target->label = label;
	target->name = target->label;
	return target;
}

static void add_note(struct target_set *set, const char *name, const char *reason)
{
	struct target_note *note = vec_push(&set->notes);

	note->name = pool_add(&set->pool, name);
	note->reason = pool_add(&set->pool, reason);
}

/* What a message about a place ends with, unless it says so itself. */
static const char *way_out(const struct err *why)
{
	return why->code == -ENODATA || strstr(why->text, "--force") ? "" : " (--force overrides this)";
}

/* No probe may be put here: an error if the spec names the place, else (a pattern) it is skipped and noted. */
static int leave_out(struct target_set *set, const struct query *query, const char *name, const struct err *why,
		     struct err *err)
{
	if (match_literal(query->name))
		return err_set(err, why->code, "'%s': %s%s", name, why->text, way_out(why));
	add_note(set, name, why->text);
	return 0;
}

/*
 * Versions of a global function share a slot. Static functions of the same name are different functions: each has
 * its own.
 */
static int add_function(struct target_set *set, const struct query *query, const struct object *object,
			const struct binary_symbol *function, const char *name, struct err *err)
{
	uint64_t offset = query->spec.offset;
	const char *symbol = pool_add(&set->pool, name), *label = object->mangled ? symbol : functions_shown(set, name);
	struct target *target;
	struct err why = {};

	if (offset) {
		symbol = pool_addf(&set->pool, "%s+0x%llx", symbol, (unsigned long long)offset);
		label = pool_addf(&set->pool, "%s+0x%llx", label, (unsigned long long)offset);
	}
	if (!object->force && binary_check_offset(object->binary, function, offset, &why))
		return leave_out(set, query, label, &why, err);
	target = add_target(set, query, object, function->offset + offset, label);
	target->name = symbol;
	target->offset = offset;
	target->one_of = function->binding != STB_LOCAL;
	if (offset)
		return 0;
	if (!returns_place(&object->returns, object->binary, function, target, &set->pool, &why))
		return 0;
	set->n--;
	return leave_out(set, query, label, &why, err);
}

struct ifuncs {
	vec(struct binary_ifunc);
};

/*
 * Adds the implementation of an IFUNC. In a stripped library it has no symbol, but a function is known to begin
 * there.
 */
static int add_ifunc(struct target_set *set, const struct query *query, const struct object *object,
		     const struct binary_ifunc *ifunc, struct err *err)
{
	struct binary_symbol chosen = *ifunc->symbol;
	const struct binary_symbol *function;

	chosen.offset = ifunc->offset;
	chosen.size = 0;
	if (binary_vaddr_of(object->binary, ifunc->offset, &chosen.vaddr))
		return err_set(err, -EINVAL, "'%s' stands for a function that is not in the code", chosen.name);
	if (!binary_check_place(object->binary, ifunc->offset, &function, NULL))
		chosen.size = function->size - (ifunc->offset - function->offset);
	return add_function(set, query, object, &chosen, chosen.name, err);
}

/* The address of an IFUNC symbol is that of its resolver, which runs once: the implementations are probed instead. */
static int add_ifuncs(struct target_set *set, const struct query *query, const struct object *object, pid_t pid,
		      struct ifuncs *ifuncs, struct err *err)
{
	int ret = 0;

	if (!ifuncs->n)
		return 0;
	binary_resolve_ifuncs(object->binary, pid, ifuncs->v, ifuncs->n);
	vec_each(ifunc, ifuncs) {
		const char *name = ifunc->symbol->name, *failed = ifunc->failed;

		if (!failed)
			ret = add_ifunc(set, query, object, ifunc, err);
		else if (match_literal(query->name))
			return err_set(err, -ENOTSUP, "'%s' cannot be counted: %s", name, failed);
		else
			add_note(set, name, failed);
		if (ret)
			return ret;
	}
	return 0;
}

/* Copies of a function inside others have no entry, hence no probe. Looked for only if the spec names the function. */
static void note_inlined(struct target_set *set, const struct query *query, const struct object *object,
			 const char *symbol)
{
	const char *line = "%s is inlined at %zu place%s of %s, where the probe does not see it";
	size_t n = match_literal(query->name) && !query->spec.offset ? binary_count_inlined(object->binary, symbol) : 0;

	if (n)
		*vec_push(&set->unseen) = pool_addf(&set->pool, line, functions_shown(set, symbol), n, str_plural(n),
						    object->library.shown);
}

/* Of the targets from `first` on: those that end where it is not known what they return. */
static void note_leaving(struct target_set *set, const struct object *object, size_t first)
{
	const char *line = "ends of %s by a jump to another function are left out, for what that returns is not known "
			   "(--force uses the kernel's return probe, which can break programs)";
	const char *name = NULL;
	size_t n = 0;

	for (size_t i = first; i < set->n; i++) {
		if (!set->v[i].leaves || !object->returns.value)
			continue;
		name = set->v[i].label;
		n++;
	}
	if (n > 1)
		name = pool_addf(&set->pool, "%zu functions", n);
	if (n)
		*vec_push(&set->unseen) = pool_addf(&set->pool, line, name);
}

static int no_function(const struct query *query, const struct object *object,
		       const struct binary_symbol *symbols, size_t n, struct err *err)
{
	const char *source = binary_source(object->binary);
	bool stripped = source && !strcmp(source, ".dynsym");
	__free char *what = base_printf("%sfunction of %s%s", stripped ? "exported " : "",
					object->library.shown, stripped ? ", which is stripped," : "");
	__free char *near = NULL;

	if (!match_literal(query->name))
		return resolve_no_match(err, what, &query->spec, NULL);
	if (binary_is_named(object->binary, query->spec.name))
		return err_set(err, -ENOENT,
			       "'%s' cannot be probed: the compiler inlined it in %s (only its debug information names it)",
			       query->spec.name, object->library.shown);
	near = functions_nearest(query->spec.name, symbols, n);
	return resolve_no_match(err, what, &query->spec, near);
}

static int add_functions(struct query *query, const struct object *object, pid_t pid, struct target_set *set,
			 struct err *err)
{
	const struct binary_symbol *symbols;
	struct functions functions = {};
	struct ifuncs ifuncs = {};
	size_t n, first = set->n;
	int ret = binary_functions(object->binary, &symbols, &n, err);

	if (ret)
		return ret;
	functions_find(query, symbols, n, &functions);
	query->found = functions.n;
	ret = functions_check_one(query, &functions, err);
	for (size_t i = 0; !ret && i < functions.n; i++) {
		const struct binary_symbol *function = functions.v[i];

		/* aliases follow each other; remove_duplicates() keeps the first */
		if (function->ifunc)
			vec_push(&ifuncs)->symbol = function;
		else
			ret = add_function(set, query, object, function, function->name, err);
	}
	if (!ret && functions.n)
		note_inlined(set, query, object, functions.v[0]->name);
	free(functions.v);
	if (!ret)
		ret = add_ifuncs(set, query, object, pid, &ifuncs, err);
	free(ifuncs.v);
	note_leaving(set, object, first);
	if (ret)
		return ret;
	return query->found ? 0 : no_function(query, object, symbols, n, err);
}

/* Adds a line unless it is there: several specs may name the same file. */
static void add_refused(struct target_set *set, const char *refused)
{
	vec_each(it, &set->refused)
		if (!refused || !strcmp(*it, refused))
			return;
	if (refused)
		*vec_push(&set->refused) = pool_add(&set->pool, refused);
}

static int add_address(const struct query *query, const struct object *object,
		       struct target_set *set, struct err *err)
{
	unsigned long long vaddr = query->spec.offset;
	const struct binary_symbol *function = NULL;
	struct target *target;
	struct err why = {};
	uint64_t offset;

	if (binary_offset_of(object->binary, vaddr, true, &offset))
		return err_set(err, -ENOENT, "0x%llx is not in the code of %s", vaddr, object->library.shown);
	if (!object->force && binary_check_place(object->binary, offset, &function, &why))
		return err_set(err, why.code, "0x%llx of %s: %s (--force overrides this)", vaddr, object->library.shown,
			       why.text);
	target = add_target(set, query, object, offset, pool_addf(&set->pool, "0x%llx", vaddr));
	target->offset = function ? offset - function->offset : 0;
	if (function && !target->offset) {
		if (!returns_place(&object->returns, object->binary, function, target, &set->pool, &why))
			return 0;
	} else {
		if (!function && !object->force)
			target->no_return = "the function there is not known, and so none of its ends (--force overrides this)";
		if (!query->spec.ret || object->force)
			return 0;
		err_set(&why, -ENOTSUP, "no function is known to begin there, and so none of its ends");
	}
	return err_set(err, why.code, "0x%llx of %s: %s%s", vaddr, object->library.shown, why.text, way_out(&why));
}

static bool has_provider(const struct query *query, const struct binary_usdt *probes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (match_test(query->provider, probes[i].provider))
			return true;
	return false;
}

/* err lists the providers that exist, as many as fit on a line. */
static int no_provider(const struct query *query, const struct object *object, const struct binary_usdt *probes, size_t n,
		       struct err *err)
{
	struct str all __str = {};

	for (size_t i = 0; i < n; i++) {
		size_t before = 0;

		while (before < i && strcmp(probes[before].provider, probes[i].provider))
			before++;
		if (before == i && all.len < 100)
			str_addf(&all, "%s%s", all.len ? ", " : "", probes[i].provider);
		else if (before == i)
			return err_set(err, -ENOENT, "%s has no USDT probes of '%s'; its providers: %s and others",
				       object->library.shown, query->spec.provider, all.data);
	}
	return err_set(err, -ENOENT, "%s has no USDT probes of '%s'; its providers: %s", object->library.shown,
		       query->spec.provider, all.data);
}

static int no_usdt(const struct query *query, const struct object *object,
		   const struct binary_usdt *probes, size_t n, struct err *err)
{
	__free char *what = base_printf("USDT probe of %s", object->library.shown);
	bool literal = match_literal(query->name);
	struct nearest nearest;

	if (!n)
		return err_set(err, -ENOENT, "%s has no USDT probes", object->library.shown);
	if (!has_provider(query, probes, n))
		return no_provider(query, object, probes, n, err);
	nearest_init(&nearest, query->spec.name);
	for (size_t i = 0; literal && i < n; i++)
		if (match_test(query->provider, probes[i].provider))
			nearest_offer(&nearest, probes[i].name);
	return resolve_no_match(err, what, &query->spec, nearest_name(&nearest));
}

static int add_usdt(struct query *query, const struct object *object, struct target_set *set,
		    struct err *err)
{
	const struct binary_usdt *probes;
	size_t n;
	int ret = binary_usdt_probes(object->binary, &probes, &n, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < n; i++) {
		const struct binary_usdt *probe = &probes[i];
		struct target *target;
		struct err why = {};
		const char *label;

		if (!match_test(query->name, probe->name) || !match_test(query->provider, probe->provider))
			continue;
		query->found++;
		label = pool_addf(&set->pool, "%s:%s", probe->provider, probe->name);
		if (!object->force && binary_check_usdt(object->binary, probe->offset, &why)) {
			add_note(set, label, why.text);
			continue;
		}
		target = add_target(set, query, object, probe->offset, label);
		target->ref_ctr = probe->semaphore;
		target->usdt_args = pool_add(&set->pool, probe->args);
		target->usdt = true;
		target->one_of = true;
	}
	return query->found ? 0 : no_usdt(query, object, probes, n, err);
}

/* What these libraries had is in libc since glibc 2.34, and always was in musl's. */
static bool is_part_of_libc(const char *object)
{
	static const char *const names[] = { "pthread", "rt", "dl", "util" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_same(object, names[i]))
			return true;
	return false;
}

static int resolve_in_object(struct query *query, const struct target_options *options, struct target_set *set,
			     struct err *err)
{
	__cleanup(object_release) struct object object = {};
	int ret = object_open(&object, query, options, set, err);

	if (ret)
		return ret;
	if (query->spec.kind == SPEC_USDT)
		return add_usdt(query, &object, set, err);
	if (!query->spec.name)
		return add_address(query, &object, set, err);
	ret = add_functions(query, &object, options->pid, set, err);
	add_refused(set, binary_refused(object.binary));
	return ret;
}

int resolve_user(struct query *query, const struct target_options *options, struct target_set *set, struct err *err)
{
	struct query in_libc = *query;
	struct err why = {};
	int ret = resolve_in_object(query, options, set, err);

	if (ret != -ENOENT || !is_part_of_libc(query->spec.object))
		return ret;
	in_libc.spec.object = "c";
	if (resolve_in_object(&in_libc, options, set, &why))
		return ret;
	*err = (struct err){};
	query->found = in_libc.found;
	return 0;
}
