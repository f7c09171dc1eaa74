// SPDX-License-Identifier: BSD-2-Clause
/* From a compiled program to what the kernel has of it: the library's object, maps, images of the probes, buffers. */
#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/syscall.h>

#include "attach/keep.h"
#include "base/clock.h"
#include "base/report.h"
#include "bpf/lang.h"
#include "bpf/filter.h" /* skeletons name its structs, and those of the next */
#include "bpf/event.h"
#include "bpf/slot.h"
#include "bpf/stack.h"
#include "bpf/lang.skel.h"
#include "engine/filter.h"
#include "engine/intake.h"
#include "engine/stream_ring.h"
#include "script_part.h"

#define BUFFER_NONE 4096
_Static_assert(sizeof(struct lang_record) + LANG_DATA_MAX + 8 <= STREAM_RING_RECORD, "a record is mapped in one piece");

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
	ret = object_fill_slots(&script->loaded.object, &all, err);
	free(all.v);
	return ret;
}

/* cells and shards cannot be empty. */
static int size_memory(struct script *script, struct err *err)
{
	const struct lang_program *program = script->program;
	struct object *object = &script->loaded.object;
	int ret;

	script->loaded.memory.layout = shards_of(program->shard_size ? program->shard_size : 64);
	ret = object_size_value(object, ".data.cells", program->cells_size ? program->cells_size : 8, err);
	if (!ret)
		ret = object_size_value(object, ".data.shards", shards_memory(&script->loaded.memory.layout), err);
	return ret;
}

static int fill(struct script *script, struct err *err)
{
	const struct script_settings *settings = script->settings;
	struct lang_setup setup = {};
	uint64_t pages = (uint64_t)script->program->config.perf_rb_pages * getpagesize();
	uint64_t size = settings->buffer_size ? settings->buffer_size : pages;
	int ret;

	filter_read_pidns(&setup.pidns_dev, &setup.pidns_ino);
	ret = object_fill(&script->loaded.object, ".rodata.setup", &setup, sizeof(setup), err);
	if (!ret)
		ret = stream_set_size(&script->loaded.object, script->program->sites.n ? size : BUFFER_NONE, err);
	return ret ? ret : filter_before(script->instance, &script->loaded.object, err);
}

/* Reading the kernel's BTF takes longer than all the rest. */
static int open_library(struct script *script, struct err *err)
{
	if (script_link_needs_types(script->program))
		return object_open(&script->loaded.object, lang_bpf__elf_bytes, err);
	return object_open_untyped(&script->loaded.object, lang_bpf__elf_bytes, err);
}

static int open_object(struct script *script, struct err *err)
{
	int ret = open_library(script, err);

	if (!ret)
		ret = size_memory(script, err);
	if (!ret)
		ret = script_link_size(script->program, &script->loaded.object, err);
	if (!ret)
		ret = fill_slots(script, err);
	if (!ret)
		ret = fill(script, err);
	return ret;
}

/* The rest is zero: each text is filled up, and the one behind the last is empty. */
static void fill_texts(struct script *script, const struct lang_place_texts *texts, bool is_probe)
{
	char *to = script->loaded.memory.cells + texts->at;

	for (size_t i = 0; texts->size && i < script->program->places.n; i++, to += texts->size) {
		const struct lang_place *place = &script->program->places.v[i];
		const char *text = is_probe ? place->probe : str_or_empty(place->function);

		memcpy(to, text, strlen(text));
	}
}

static void share_memory(struct script *script)
{
	const struct lang_program *program = script->program;

	script->loaded.memory.cells = object_memory(&script->loaded.object, ".data.cells", program->cells_size);
	script->loaded.memory.shards = object_memory(&script->loaded.object, ".data.shards", shards_memory(&script->loaded.memory.layout));
	script->loaded.state = object_memory(&script->loaded.object, ".data.state", sizeof(*script->loaded.state));
	if (!keep_is_adopted(engine_keep(script->instance)))
		script->loaded.state->began = clock_boot_ns();
	script->loaded.state->epoch = clock_wall_offset();
	fill_texts(script, &program->probe_texts, true);
	fill_texts(script, &program->function_texts, false);
}

/*
 * The kernel switches this event on by itself when it loads a program that writes to the trace pipe, and leaves it on.
 * Newer ones do so some time later, and the first lines would be missing.
 */
static void open_trace_pipe(void)
{
	__close int fd = openat(kernel_tracefs(), "events/bpf_trace/bpf_trace_printk/enable", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, "1", 1) != 1)
		report_verbose("cannot switch on the event of the trace pipe: %s", strerror(errno));
}

static int create_maps(struct script *script, struct err *err)
{
	const struct lang_program *program = script->program;
	int ret = script_map_check_memory(program, err);

	share_memory(script);
	script->loaded.maps = base_alloc((program->maps.n + 1) * sizeof(*script->loaded.maps));
	for (size_t i = 0; i < program->maps.n; i++)
		script->loaded.maps[i].fd = script->loaded.maps[i].twin = -1;
	for (size_t i = 0; !ret && i < program->maps.n; i++)
		ret = script_map_init(&script->loaded.maps[i], program->maps.v[i], &script->loaded.memory,
				      engine_keep(script->instance), err);
	vec_each(site, &program->sites)
		if ((*site)->kind == SITE_CLEAR || (*site)->kind == SITE_ZERO)
			script->loaded.maps[(*site)->map->number].keeps_shown = true;
	return ret;
}

static int link_probes(struct script *script, struct err *err)
{
	const struct lang_program *program = script->program;
	__free int *fds = base_alloc((2 * program->maps.n + 1) * sizeof(*fds));
	int ret = 0;

	for (size_t i = 0; i < program->maps.n; i++) {
		const struct script_map *map = &script->loaded.maps[i];

		fds[i] = map->fd;
		fds[program->maps.n + i] = map->twin < 0 ? map->fd : map->twin;
	}
	for (size_t i = 0; !ret && i < program->probes.n; i++) {
		struct image *image = &script->probes[i].image;

		ret = script_link(program, &program->probes.v[i], &script->loaded.object, fds, image, err);
		if (ret)
			break;
		image_patch_optional(image, PATCH_SHARDS, script->loaded.memory.layout.n - 1);
		image_patch_optional(image, PATCH_SHARD_SIZE, script->loaded.memory.layout.size);
	}
	return ret;
}

/* Whether stacks of the kernel can begin with what runs the program: not where registers say where they begin. */
static bool may_have_own(enum lang_probe_kind kind)
{
	return kind != PROBE_UPROBE && kind != PROBE_URETPROBE && kind != PROBE_USDT && kind != PROBE_PROFILE &&
	       kind != PROBE_SOFTWARE && kind != PROBE_HARDWARE && kind != PROBE_WATCHPOINT;
}

static int open_stacks(struct script *script, struct err *err)
{
	bool kernel = false, user = false, limited = false;
	vec(const char *) tracepoints = {};
	int ret;

	vec_each(probe, &script->program->probes) {
		kernel |= probe->needs.kernel_stack;
		user |= probe->needs.user_stack;
		limited |= probe->needs.limited_stack && may_have_own(probe->kind);
		if (!probe->needs.limited_stack ||
		    (probe->kind != PROBE_TRACEPOINT && probe->kind != PROBE_RAWTRACEPOINT))
			continue;
		for (uint32_t i = 0; i < probe->n_places && i < STACK_OWN_MAX; i++)
			*vec_push(&tracepoints) = script->program->places.v[probe->first_place + i].function;
	}
	if (!kernel && !user)
		return 0;
	script->stacks_settings.kernel_only = !user;
	script->stacks_settings.user_only = !kernel;
	script->stacks_settings.mangled = !script->program->config.cpp_demangle;
	script->loaded.stacks_source = (struct stacks_source){ .settings = &script->stacks_settings,
							       .limited = limited,
							       .tracepoints = tracepoints.v,
							       .n_tracepoints = tracepoints.n };
	ret = stacks_open(&script->loaded.stacks, script->instance, &script->loaded.stacks_source, &script->loaded.object, err);
	script->names.stacks = script->loaded.stacks;
	script->loaded.stacks_source.n_tracepoints = 0;
	free(tracepoints.v);
	return ret;
}

/* bpftrace ends when the process of -p does. */
static int watch_process(struct script *script, struct err *err)
{
	const struct engine_context *ctx = script->instance->ctx;

	if (!ctx->as_peer || !ctx->pid)
		return 0;
	script->loaded.process = syscall(SYS_pidfd_open, ctx->pid, 0);
	if (script->loaded.process < 0 && errno == ESRCH)
		return err_set(err, -ESRCH, "there is no process %u", ctx->pid);
	return intake_watch(script->instance->intake, script->loaded.process, err);
}

static void probes_new(struct script *script)
{
	script->probes = base_alloc((script->program->probes.n + 1) * sizeof(*script->probes));
	for (size_t i = 0; i < script->program->probes.n; i++)
		script->probes[i].own = (struct script_own){ .program = -1, .timer = -1 };
	script->names.program = script->program;
	script->names.usyms.mangled = !script->program->config.cpp_demangle;
	script->names.kernel = script->kernel;
}

int script_load(struct script *script, struct err *err)
{
	struct engine_instance *instance = script->instance;
	int ret = 0;

	script_keep(script);
	probes_new(script);
	script_attach_events(script);
	if (instance->ctx->metrics)
		ret = script_export_open(script, err);
	if (!ret)
		ret = script_output_open(script, err);
	if (!ret)
		ret = open_object(script, err);
	if (!ret)
		ret = open_stacks(script, err);
	if (!ret)
		ret = object_prepare(&script->loaded.object, engine_keep(instance), err);
	if (!ret)
		ret = filter_after(instance, &script->loaded.object, err);
	if (!ret)
		ret = create_maps(script, err);
	if (!ret)
		ret = link_probes(script, err);
	if (!ret)
		ret = stream_open(&script->loaded.stream, &script->loaded.object, instance->intake, script_on_record, script, err);
	if (!ret && script->loaded.stacks)
		ret = stacks_start(script->loaded.stacks, &script->loaded.object, err);
	if (!ret && script->program->debugs)
		open_trace_pipe();
	if (!ret)
		ret = script_own_open(script, err);
	return ret ? ret : watch_process(script, err);
}

void script_unload(struct script *script)
{
	stream_close(script->loaded.stream);
	for (size_t i = 0; script->probes && i < script->program->probes.n; i++)
		image_release(&script->probes[i].image);
	for (size_t i = 0; script->loaded.maps && i < script->program->maps.n; i++)
		script_map_release(&script->loaded.maps[i]);
	object_release(&script->loaded.object);
	stacks_free(script->loaded.stacks);
	base_closep(&script->loaded.process);
	free(script->probes);
	free(script->loaded.maps);
}
