// SPDX-License-Identifier: BSD-2-Clause
/* The session: creates the maps, and keeps modules and processes up to date. */
#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/report.h"
#include "base/str.h"
#include "bpf/stack.h"
#include "interp/language.h"
#include "unwind_part.h"

/* Processes that the hash has room for. One process can have some children. */
#define PROCESSES_MAX	  32768
#define PROCESSES_MAX_ONE 4096

/* After records were lost /proc is read again, but not for more than a part of the time. */
#define RESCAN_PAUSE 20

/* How often to look whether processors came online. */
#define CHECK_NS NS_PER_SEC

static int create_maps(struct unwind *unwind)
{
	int ret = blocks_init(&unwind->blocks);

	if (!ret)
		ret = spaces_init(&unwind->spaces, &unwind->blocks, &unwind->shares,
				  unwind->options.pid ? PROCESSES_MAX_ONE : PROCESSES_MAX);
	if (!ret)
		ret = known_init(&unwind->known, &unwind->blocks, &unwind->shares,
				 unwind->options.pid ? KNOWN_MAX_ONE : KNOWN_MAX);
	if (ret)
		return ret;
	unwind->modules.tables.rules_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_rules", sizeof(uint32_t),
							 sizeof(struct unwind_rule), UNWIND_RULES_MAX, NULL);
	if (unwind->modules.tables.rules_fd < 0)
		return -errno;
	unwind->modules.plans_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "interp_plans", sizeof(uint32_t),
						  sizeof(struct interp_plan), INTERP_PLANS, NULL);
	if (unwind->modules.plans_fd < 0)
		return -errno;
	unwind->maps = (struct unwind_maps){
		.blocks = unwind->blocks.outer,
		.spaces = unwind->spaces.fd,
		.files = unwind->known.fd,
		.rules = unwind->modules.tables.rules_fd,
		.plans = unwind->modules.plans_fd,
	};
	return 0;
}

int unwind_new(struct unwind **created, const struct unwind_options *options, struct err *err)
{
	struct unwind *unwind = base_alloc(sizeof(*unwind));
	int ret;

	unwind->options = *options;
	unwind->blocks.outer = unwind->spaces.fd = unwind->known.fd = -1;
	users_init(&unwind->shares, options->pid);
	modules_init(&unwind->modules, &unwind->blocks, &unwind->shares, options->tables);
	unwind->modules.long_work = options->long_work;
	unwind->modules.ctx = options->ctx;
	ret = create_maps(unwind);
	if (!ret) {
		*created = unwind;
		return 0;
	}
	unwind_free(unwind);
	return err_set(err, ret, "the maps for unwinding cannot be created: %s", strerror(-ret));
}

void unwind_free(struct unwind *unwind)
{
	if (!unwind)
		return;
	mapped_close(unwind->records);
	spaces_release(&unwind->spaces);
	known_release(&unwind->known);
	modules_release(&unwind->modules);
	blocks_release(&unwind->blocks);
	shares_release(&unwind->shares);
	free(unwind->ending.v);
	free(unwind);
}

const struct unwind_maps *unwind_maps(const struct unwind *unwind)
{
	return &unwind->maps;
}

/* Tables first, then the files that refer to them. */
static int publish_files(struct unwind *unwind)
{
	int ret = module_tables_show(&unwind->modules.tables);

	return ret ? ret : known_publish(&unwind->known);
}

static int publish(struct unwind *unwind)
{
	int ret = publish_files(unwind);

	return ret ? ret : spaces_publish(&unwind->spaces);
}

int unwind_start(struct unwind *unwind, bool (*should_stop)(void *ctx), void *ctx, struct err *err)
{
	int ret;

	unwind->started = true;
	unwind->modules.tables.should_stop = should_stop;
	unwind->modules.tables.ctx = ctx;
	mapped_open(&unwind->records, &unwind->no_records);
	modules_begin_round(&unwind->modules);
	ret = scan_processes(unwind);
	if (!ret)
		ret = publish(unwind);
	if (ret == -ESRCH)
		return err_set(err, ret, "there is no process %d", (int)unwind->options.pid);
	return ret ? err_set(err, ret, "processes cannot be read: %s", strerror(-ret)) : 0;
}

void unwind_add_process(struct unwind *unwind, pid_t pid)
{
	if (spaces_find(&unwind->spaces, pid))
		return;
	modules_begin_round(&unwind->modules);
	scan_process(unwind, pid);
	publish(unwind);
}

int unwind_fd(const struct unwind *unwind)
{
	return unwind->records ? mapped_fd(unwind->records) : -1;
}

static void check_processors(struct unwind *unwind)
{
	uint64_t now = clock_monotonic_ns();

	if (now - unwind->checked < CHECK_NS)
		return;
	unwind->checked = now;
	unwind->rescan |= mapped_check_processors(unwind->records);
}

static bool may_rescan(const struct unwind *unwind)
{
	return clock_monotonic_ns() - unwind->scan_began > RESCAN_PAUSE * unwind->scan_took;
}

void unwind_take(struct unwind *unwind)
{
	if (!unwind->records)
		return;
	modules_begin_round(&unwind->modules);
	mapped_take(unwind->records, follow_record, unwind);
	check_processors(unwind);
	if (unwind->rescan && may_rescan(unwind))
		scan_again(unwind);
	follow_endings(unwind);
	publish(unwind);
}

void unwind_prepare(struct unwind *unwind, const char *path)
{
	prepare_program(unwind, path);
	publish_files(unwind);
}

const struct unwind_module *unwind_module(const struct unwind *unwind, uint16_t number)
{
	const struct module *module = modules_get(&unwind->modules, number);

	return module ? &module->shown : NULL;
}

int unwind_function_at(struct unwind *unwind, uint16_t number, uint64_t offset, uint64_t *start, uint64_t *size)
{
	struct module *module = modules_get(&unwind->modules, number);
	const struct functions_one *function = module ? modules_function(module, offset) : NULL;

	if (!function)
		return -ENOENT;
	*start = function->offset;
	*size = function->size;
	return 0;
}

const struct runtime *unwind_runtime(const struct unwind *unwind, pid_t pid, uint64_t *state)
{
	const struct space *space = spaces_find(&unwind->spaces, pid);

	if (!space || !space->runtime.of)
		return NULL;
	*state = space->runtime.state;
	return space->runtime.of;
}

void unwind_report_runtimes(const struct unwind *unwind)
{
	const struct unwind_module *first = NULL;
	__str struct str version = {};
	size_t n = 0;

	vec_each(module, &unwind->modules) {
		const struct runtime *runtime = (*module)->shown.runtime;

		if (!runtime || (*module)->plan != INTERP_UNKNOWN)
			continue;
		first = first ? first : &(*module)->shown;
		n++;
	}
	if (!first)
		return;
	if (first->runtime->major)
		str_addf(&version, " %u.%u", first->runtime->major, first->runtime->minor);
	report_note("stacks of %s%s (%s) show the interpreter, not its functions: it %s%s",
		    first->runtime->language->name, str_or_empty(version.data), first->path, first->runtime->why ? first->runtime->why : "is too many",
		    n > 1 ? "; so do those of other files" : "");
}

static void report_modules(const struct modules *modules)
{
	size_t unopened = 0;

	vec_each(module, modules)
		unopened += !(*module)->opened;
	if (unopened)
		report_note("%zu file%s that processes map could not be opened: stacks in them follow frame pointers", unopened,
			    str_plural(unopened));
	if (modules->refused)
		report_note("more than %u files: stacks in others follow frame pointers", STACK_MODULES_MAX);
}

void unwind_report(const struct unwind *unwind)
{
	const struct spaces *spaces = &unwind->spaces;

	if (unwind->started && !unwind->records)
		report_note("%s: new processes and libraries are not seen", unwind->no_records.text);
	if (unwind->lost)
		report_note("%llu record%s of mappings and processes lost: some stacks can be incomplete",
			    (unsigned long long)unwind->lost, str_plural(unwind->lost));
	report_modules(&unwind->modules);
	users_report(&unwind->shares);
	if (spaces->refused)
		report_note("more than %u processes: stacks of others are not unwound", spaces->n_max);
	if (spaces->too_many)
		report_note("a process has more than %d executable mappings: those at higher addresses are not known",
			    UNWIND_BLOCK_MAPPINGS / 2);
}
