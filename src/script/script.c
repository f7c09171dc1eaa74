// SPDX-License-Identifier: BSD-2-Clause
/* The script engine: from a program's text to its last line of output. */
#include <limits.h>
#include <linux/bpf.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "attach/keep.h"
#include "base/clock.h"
#include "base/report.h"
#include "engine/filter.h"
#include "engine/stream_ring.h"
#include "bpf/lang.h"
#include "bpf/event.h" /* skeletons name its structs */
#include "bpf/slot.h"
#include "bpf/stack.h"
#include "bpf/lang.skel.h"
#include "lang/lang.h"
#include "script_part.h"

#define BUFFER_DEFAULT (2 * 1024 * 1024)
#define BUFFER_NONE    4096
_Static_assert(sizeof(struct lang_record) + LANG_DATA_MAX + 8 <= STREAM_RING_RECORD, "a record is mapped in one piece");

/* What harnesses of bpftrace wait for. */
#define NOTIFY "__BPFTRACE_NOTIFY_PROBES_ATTACHED"

/* --- the object and its maps --- */

/* All probes share one table of addresses: where two have the same function, their keys differ. */
static int fill_slots(struct script *script, struct err *err)
{
	struct target_set all = {};
	uint64_t key = 0;
	int ret;

	for (size_t i = 0; i < script->program->probes.n; i++) {
		struct lang_probe *probe = &script->program->probes.v[i];

		if (!probe->needs.place || probe->targets.n < 2)
			continue;
		vec_each(target, &probe->targets) {
			target->key = key;
			*vec_push(&all) = *target;
		}
		all.n_slots = probe->targets.n_slots > all.n_slots ? probe->targets.n_slots : all.n_slots;
		key += 1ULL << 34;
	}
	ret = object_fill_slots(&script->object, &all, err);
	free(all.v);
	return ret;
}

/* cells and shards cannot be empty. */
static int size_memory(struct script *script, struct err *err)
{
	const struct lang_program *program = script->program;
	struct object *object = &script->object;
	int ret;

	script->memory.layout = shards_of(program->shard_size ? program->shard_size : 64);
	ret = object_size_value(object, ".data.cells", program->cells_size ? program->cells_size : 8, err);
	if (!ret)
		ret = object_size_value(object, ".data.shards", shards_memory(&script->memory.layout), err);
	return ret;
}

static int fill(struct script *script, struct err *err)
{
	const struct script_settings *settings = script->settings;
	struct lang_setup setup = {};
	uint64_t size = settings->buffer_size ? settings->buffer_size : BUFFER_DEFAULT;
	int ret;

	filter_read_pidns(&setup.pidns_dev, &setup.pidns_ino);
	ret = object_fill(&script->object, ".rodata.setup", &setup, sizeof(setup), err);
	if (!ret)
		ret = stream_set_size(&script->object, script->program->sites.n ? size : BUFFER_NONE, err);
	return ret ? ret : filter_before(script->instance, &script->object, err);
}

/* Reading the kernel's BTF takes longer than all the rest. */
static int open_library(struct script *script, struct err *err)
{
	if (script_link_needs_types(script->program))
		return object_open(&script->object, lang_bpf__elf_bytes, err);
	return object_open_untyped(&script->object, lang_bpf__elf_bytes, err);
}

static int open_object(struct script *script, struct err *err)
{
	int ret = open_library(script, err);

	if (!ret)
		ret = size_memory(script, err);
	if (!ret)
		ret = script_link_size(script->program, &script->object, err);
	if (!ret)
		ret = fill_slots(script, err);
	if (!ret)
		ret = fill(script, err);
	return ret;
}

static int create_maps(struct script *script, struct err *err)
{
	const struct lang_program *program = script->program;
	int ret = script_map_check_memory(program, err);

	script->maps = base_alloc((program->maps.n + 1) * sizeof(*script->maps));
	for (size_t i = 0; i < program->maps.n; i++)
		script->maps[i].fd = -1;
	for (size_t i = 0; !ret && i < program->maps.n; i++)
		ret = script_map_init(&script->maps[i], program->maps.v[i], &script->memory,
				      engine_keep(script->instance), err);
	vec_each(site, &program->sites)
		if ((*site)->kind == SITE_CLEAR || (*site)->kind == SITE_ZERO)
			script->maps[(*site)->map->number].keeps_shown = true;
	return ret;
}

static void share_memory(struct script *script)
{
	const struct lang_program *program = script->program;

	script->memory.cells = object_memory(&script->object, ".data.cells", program->cells_size);
	script->memory.shards = object_memory(&script->object, ".data.shards", shards_memory(&script->memory.layout));
	script->state = object_memory(&script->object, ".data.state", sizeof(*script->state));
	if (!keep_is_adopted(engine_keep(script->instance)))
		script->state->began = clock_boot_ns();
	script->state->epoch = clock_wall_offset();
}

/* --- programs --- */

static int link_probes(struct script *script, struct err *err)
{
	const struct lang_program *program = script->program;
	__free int *fds = base_alloc((program->maps.n + 1) * sizeof(*fds));
	int ret = 0;

	for (size_t i = 0; i < program->maps.n; i++)
		fds[i] = script->maps[i].fd;
	for (size_t i = 0; !ret && i < program->probes.n; i++) {
		struct image *image = &script->probes[i].image;

		ret = script_link(program, &program->probes.v[i], &script->object, fds, image, err);
		if (ret)
			break;
		image_patch_optional(image, PATCH_SHARDS, script->memory.layout.n - 1);
		image_patch_optional(image, PATCH_SHARD_SIZE, script->memory.layout.size);
	}
	return ret;
}

/* --- begin --- */

static int wait_for(struct script *script, int fd, struct err *err)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (fd < 0 || !epoll_ctl(script->epoll, EPOLL_CTL_ADD, fd, &event))
		return 0;
	return err_set(err, -errno, "cannot wait for events: %s", strerror(errno));
}

static int open_stream(struct script *script, struct err *err)
{
	int ret = stream_open(&script->stream, &script->object, script_on_record, script, err);

	if (!ret)
		ret = wait_for(script, stream_fd(script->stream), err);
	if (ret || !script->stacks)
		return ret;
	ret = stacks_start(script->stacks, &script->object, err);
	return ret ? ret : wait_for(script, stacks_fd(script->stacks), err);
}

static int open_stacks(struct script *script, struct err *err)
{
	bool kernel = false, user = false;
	int ret;

	vec_each(probe, &script->program->probes) {
		kernel |= probe->needs.kernel_stack;
		user |= probe->needs.user_stack;
	}
	if (!kernel && !user)
		return 0;
	script->stacks_settings.kernel_only = !user;
	script->stacks_settings.user_only = !kernel;
	script->stacks_source = (struct stacks_source){ .settings = &script->stacks_settings };
	if (!script->front)
		script->instance->schema = &script_schema;
	ret = stacks_open(&script->stacks, script->instance, &script->stacks_source, &script->object, err);
	script->names.stacks = script->stacks;
	return ret;
}

static int load(struct script *script, struct err *err)
{
	int ret = open_object(script, err);

	if (!ret)
		ret = open_stacks(script, err);
	if (!ret)
		ret = object_prepare(&script->object, engine_keep(script->instance), err);
	if (!ret)
		ret = filter_after(script->instance, &script->object, err);
	if (ret)
		return ret;
	share_memory(script);
	ret = create_maps(script, err);
	if (!ret)
		ret = link_probes(script, err);
	return ret ? ret : open_stream(script, err);
}

/* bpftrace ends when the process of -p does. */
static int watch_process(struct script *script, struct err *err)
{
	const struct engine_context *ctx = script->instance->ctx;

	if (!ctx->as_peer || !ctx->pid)
		return 0;
	script->process = syscall(SYS_pidfd_open, ctx->pid, 0);
	if (script->process < 0 && errno == ESRCH)
		return err_set(err, -ESRCH, "there is no process %u", ctx->pid);
	return wait_for(script, script->process, err);
}

static struct script *script_new(struct engine_instance *instance)
{
	struct script *script = base_alloc(sizeof(*script));

	script->instance = instance;
	script->settings = instance->settings;
	script->kernel = kernel_new();
	script->file = script->process = -1;
	script->epoll = epoll_create1(EPOLL_CLOEXEC);
	return script;
}

static void probes_new(struct script *script)
{
	script->probes = base_alloc((script->program->probes.n + 1) * sizeof(*script->probes));
	for (size_t i = 0; i < script->program->probes.n; i++)
		script->probes[i].own = (struct script_own){ .program = -1, .timer = -1 };
	script->names.program = script->program;
	script->names.kernel = script->kernel;
}

/* What --info and a list of probes do not use. bpftrace ignores it. */
static int refuse_beside_answers(const struct script *script, struct err *err)
{
	const struct script_settings *settings = script->settings;
	struct engine_context *ctx = script->instance->ctx;
	const struct opt_list *args = &script->instance->args;
	bool lists_probes = settings->list && !script_lists_program(script);
	size_t n = settings->info ? 0 : lists_probes ? 1
						     : args->n;

	if (ctx->as_peer || (!settings->info && !settings->list))
		return 0;
	ctx->usage = true;
	if (args->n > n)
		return err_set(err, -EINVAL, "unexpected argument '%s': %s", args->v[n],
			       settings->info ? "--info takes none" : "-l takes one pattern, in quotes");
	if (ctx->command.pid)
		return err_set(err, -EINVAL, "unexpected command '%s': %s runs none", ctx->command.name,
			       settings->info ? "--info" : "-l");
	ctx->usage = false;
	return 0;
}

int script_open(struct engine_instance *instance, const struct script_front *front, struct err *err)
{
	struct script *script = script_new(instance);
	int ret;

	instance->state = script;
	script->front = front;
	if (script->epoll < 0)
		return err_set(err, -errno, "cannot wait for events: %s", strerror(errno));
	ret = refuse_beside_answers(script, err);
	if (ret)
		return ret;
	if (script->settings->info) {
		script_info(script);
		return 0;
	}
	if (script->settings->list && !script_lists_program(script))
		return script_list(script, err);
	ret = script_compile(script, err);
	if (ret)
		return ret;
	if (script->settings->list)
		return script_list_program(script, err);
	script_keep(script);
	probes_new(script);
	if (instance->ctx->metrics)
		ret = script_export_open(script, err);
	if (ret)
		return ret;
	script_attach_events(script);
	ret = script_output_open(script, err);
	if (!ret)
		ret = load(script, err);
	if (!ret)
		ret = script_own_open(script, err);
	if (!ret)
		ret = watch_process(script, err);
	if (ret)
		return ret;
	if (!script->export)
		engine_hurry();
	/* what begin has set is kept with the maps */
	if (!script->settings->dry_run && !keep_is_adopted(engine_keep(instance)))
		script_own_run(script, PROBE_BEGIN);
	script->begun = clock_boot_ns();
	ret = script_attach(script, err);
	if (!ret && !script->settings->dry_run)
		ret = script_own_start(script, err);
	return ret;
}

/* --- the run --- */

void script_armed(struct engine_instance *instance)
{
	struct script *script = instance->state;

	if (!script->front)
		script_output_attached(script);
	else if (script->front->armed)
		script->front->armed(script);
	/* From now on we precede other tasks, also the command, whose mappings must be read before it runs on. */
	if (script->stacks)
		stacks_take(script->stacks);
	/* What begin printed comes before the first line of a command. */
	stream_take_until(script->stream, script->begun);
	output_flush(instance->ctx->out);
	if (getenv(NOTIFY)) {
		puts(NOTIFY);
		fflush(stdout);
	}
	if (script->settings->dry_run)
		instance->ctx->done = true;
	else if (script->settings->test)
		script_test_run(script);
	else if (script->settings->bench)
		script_test_bench(script);
	else
		script_own_iterate(script);
}

static void look_at_process(struct script *script)
{
	struct epoll_event events[8];
	int n = epoll_wait(script->epoll, events, ARRAY_SIZE(events), 0);

	for (int i = 0; i < n; i++)
		if (script->process >= 0 && events[i].data.fd == script->process)
			script->instance->ctx->done = true;
}

/* Where calls of probed functions end, is known of some only when they run. Returns after how many ms to look again. */
static int learn_ends(struct script *script)
{
	int ms = INT_MAX;

	for (size_t i = 0; script->learns && i < script->program->probes.n; i++) {
		int also = script->probes[i].attach ? attach_learn(script->probes[i].attach) : INT_MAX;

		ms = also < ms ? also : ms;
	}
	return ms;
}

int script_take(struct engine_instance *instance)
{
	struct script *script = instance->state;
	int ms, also = INT_MAX;

	/* First: until the mappings of a process that called exec() are read, its user stacks are unknown. */
	if (script->stacks)
		also = stacks_take(script->stacks);
	look_at_process(script);
	script_own_take(script);
	script_full_maps(script);
	ms = learn_ends(script);
	ms = also < ms ? also : ms;
	also = stream_take(script->stream);
	ms = also < ms ? also : ms;
	script_output_flush(script);
	return ms;
}

int script_fd(const struct engine_instance *instance)
{
	return ((const struct script *)instance->state)->epoll;
}

void script_take_all(struct script *script)
{
	const struct engine_context *ctx = script->instance->ctx;

	stream_end_at(script->stream, ctx->asked_at);
	stream_take_all(script->stream, ctx->should_hurry, ctx->should_stop_ctx);
}

static bool has_end(const struct script *script)
{
	vec_each(probe, &script->program->probes)
		if (probe->kind == PROBE_END)
			return true;
	return false;
}

/* end runs when nothing else does any more, also after exit(). */
static void run_end(struct script *script)
{
	script->missed = script_missed(script);
	script->unlearned = script_unlearned(script);
	script->knows_missed = true;
	script_look_at_switches(script);
	script_detach(script);
	script_take_all(script);
	script->state->exited = 0;
	script_own_run(script, PROBE_END);
}

void script_emit(struct engine_instance *instance, bool last)
{
	struct script *script = instance->state;

	if (!last || script->settings->dry_run)
		return;
	if (has_end(script))
		run_end(script);
	script_take_all(script);
	if (script->front && script->front->ended)
		script->front->ended(script);
	else if (!script->settings->test && !script->settings->bench && !script->front)
		script_print_maps(script);
	output_flush(instance->ctx->out);
}

void script_say_losses(struct engine_instance *instance)
{
	script_losses(instance->state);
}

void script_close(struct engine_instance *instance)
{
	struct script *script = instance->state;

	if (!script)
		return;
	if (script->program) {
		script_output_release(script);
		script_detach(script);
		if (script->probes)
			script_own_release(script);
	}
	stream_close(script->stream);
	for (size_t i = 0; script->program && script->probes && i < script->program->probes.n; i++)
		image_release(&script->probes[i].image);
	for (size_t i = 0; script->maps && i < script->program->maps.n; i++)
		script_map_release(&script->maps[i]);
	object_release(&script->object);
	stacks_free(script->stacks);
	script_export_release(script);
	script_names_release(&script->names);
	if (script->front && script->front->release)
		script->front->release(script);
	if (script->program)
		lang_program_free(script->program);
	kernel_free(script->kernel);
	str_release(&script->text);
	str_release(&script->kept);
	if (script->process >= 0)
		close(script->process);
	if (script->epoll >= 0)
		close(script->epoll);
	free(script->order.v);
	free(script->probes);
	free(script->maps);
	free(script);
}
