// SPDX-License-Identifier: BSD-2-Clause
/* Reads programs and links by their ids, from the kernel's lists (bpf(2)). */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/search.h"
#include "programs.h"
#include "kernel/kernel_files.h"

#define NAME_SIZE 4096

/* Returns the kind of an unattached program of this type, NULL if the type does not trace. */
static const char *kind_of_type(uint32_t type)
{
	switch (type) {
	case BPF_PROG_TYPE_KPROBE:
		return "kprobe";
	case BPF_PROG_TYPE_TRACEPOINT:
		return "tracepoint";
	case BPF_PROG_TYPE_PERF_EVENT:
		return "perf_event";
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE:
		return "raw_tp";
	case BPF_PROG_TYPE_TRACING:
		return "tracing";
	case BPF_PROG_TYPE_LSM:
		return "lsm";
	}
	return NULL;
}

static const char *kind_of_trampoline(uint32_t attach_type)
{
	switch (attach_type) {
	case BPF_TRACE_RAW_TP:
		return "tp_btf";
	case BPF_TRACE_FENTRY:
		return "fentry";
	case BPF_TRACE_FEXIT:
		return "fexit";
	case BPF_TRACE_FSESSION:
		return "fsession";
	case BPF_MODIFY_RETURN:
		return "fmod_ret";
	case BPF_LSM_MAC:
		return "lsm";
	case BPF_TRACE_ITER:
		return "iter";
	}
	return "tracing";
}

/* ---- memory, which fdinfo calls memlock ---- */

static uint64_t memory_of(int fd)
{
	__free char *path = base_printf("/proc/self/fdinfo/%d", fd);
	__close int info = kernel_open(path, O_RDONLY);
	char text[2048];
	ssize_t n = info < 0 ? -1 : read(info, text, sizeof(text) - 1);
	unsigned long long bytes = 0;
	const char *at;

	text[n < 0 ? 0 : n] = 0;
	at = strstr(text, "memlock:");
	return at && sscanf(at, "memlock: %llu", &bytes) == 1 ? bytes : 0;
}

static uint64_t memory_of_map(uint32_t id)
{
	__close int fd = bpf_map_get_fd_by_id(id);

	return fd < 0 ? 0 : memory_of(fd);
}

/* ---- programs ---- */

static void read_maps(struct bpf_program *program, int fd, uint32_t n)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);
	__free uint32_t *ids = base_alloc((n + 1) * sizeof(*ids));

	info.nr_map_ids = n;
	info.map_ids = (uintptr_t)ids;
	if (!n || bpf_prog_get_info_by_fd(fd, &info, &len))
		return;
	for (uint32_t i = 0; i < n && i < info.nr_map_ids; i++) {
		*vec_push(&program->maps) = ids[i];
		program->memory += memory_of_map(ids[i]);
	}
}

static void add_program(struct programs *programs, uint32_t id)
{
	__close int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);
	struct bpf_program *program;

	/* it was unloaded in the meantime */
	if (fd < 0 || bpf_prog_get_info_by_fd(fd, &info, &len) || !kind_of_type(info.type))
		return;
	program = vec_push(programs);
	program->id = id;
	program->type = info.type;
	program->name = pool_addf(&programs->strings, "%.*s", (int)sizeof(info.name), info.name);
	program->kind = kind_of_type(info.type);
	program->missed = info.recursion_misses;
	program->runs = info.run_cnt;
	program->run_ns = info.run_time_ns;
	program->memory = memory_of(fd);
	read_maps(program, fd, info.nr_map_ids);
}

struct bpf_program *programs_find(const struct programs *programs, uint32_t id)
{
	size_t at = search_first(i, programs->n, programs->v[i].id >= id);

	return at < programs->n && programs->v[at].id == id ? &programs->v[at] : NULL;
}

/* ---- links ---- */

struct link_reader {
	struct programs *programs;
	struct bpf_program *program;
	struct bpf_link_info info;
	int fd;
	char name[NAME_SIZE];
};

static bool ask(struct link_reader *r)
{
	uint32_t len = sizeof(r->info);

	return !bpf_link_get_info_by_fd(r->fd, &r->info, &len);
}

static struct bpf_target *add_target(struct link_reader *r, const char *name, uint64_t addr)
{
	struct bpf_target *target = vec_push(&r->program->targets);

	target->name = name && *name ? pool_add(&r->programs->strings, name) : NULL;
	target->addr = addr;
	return target;
}

/*
 * A kernel refuses buffers meant for another type of link. So the first query finds the type, and a second one
 * passes the buffers for it.
 */
static void read_raw_tracepoint(struct link_reader *r)
{
	bool typed = r->program->type == BPF_PROG_TYPE_TRACING;

	r->program->kind = typed ? "tp_btf" : "raw_tp";
	r->info = (struct bpf_link_info){};
	r->info.raw_tracepoint.tp_name = (uintptr_t)r->name;
	r->info.raw_tracepoint.tp_name_len = sizeof(r->name);
	add_target(r, ask(r) ? r->name : NULL, 0);
}

static void read_trampoline(struct link_reader *r)
{
	struct bpf_target *target = add_target(r, NULL, 0);

	r->program->kind = kind_of_trampoline(r->info.tracing.attach_type);
	target->btf_object = r->info.tracing.target_obj_id;
	target->btf_id = r->info.tracing.target_btf_id;
}

static void read_iterator(struct link_reader *r)
{
	r->program->kind = "iter";
	r->info = (struct bpf_link_info){};
	r->info.iter.target_name = (uintptr_t)r->name;
	r->info.iter.target_name_len = sizeof(r->name);
	add_target(r, ask(r) ? r->name : NULL, 0);
}

static void read_kprobe_multi(struct link_reader *r)
{
	uint32_t n = r->info.kprobe_multi.count;
	__free uint64_t *addrs = base_alloc((n + 1) * sizeof(*addrs));

	r->program->kind = r->info.kprobe_multi.flags & BPF_F_KPROBE_MULTI_RETURN ? "kretprobe.multi" : "kprobe.multi";
	r->program->missed += r->info.kprobe_multi.missed;
	r->info = (struct bpf_link_info){};
	r->info.kprobe_multi.addrs = (uintptr_t)addrs;
	r->info.kprobe_multi.count = n;
	if (!ask(r))
		memset(addrs, 0, n * sizeof(*addrs));
	for (uint32_t i = 0; i < n; i++)
		add_target(r, NULL, addrs[i]);
}

static void read_uprobe_multi(struct link_reader *r)
{
	uint32_t n = r->info.uprobe_multi.count;
	__free uint64_t *offsets = base_alloc((n + 1) * sizeof(*offsets));

	r->program->kind = r->info.uprobe_multi.flags & BPF_F_UPROBE_MULTI_RETURN ? "uretprobe.multi" : "uprobe.multi";
	r->info = (struct bpf_link_info){};
	r->info.uprobe_multi.path = (uintptr_t)r->name;
	r->info.uprobe_multi.path_size = sizeof(r->name);
	r->info.uprobe_multi.offsets = (uintptr_t)offsets;
	r->info.uprobe_multi.count = n;
	if (!ask(r))
		*r->name = 0;
	for (uint32_t i = 0; i < n; i++)
		add_target(r, r->name, offsets[i])->user = true;
}

static const char *perf_kind(uint32_t type)
{
	switch (type) {
	case BPF_PERF_EVENT_UPROBE:
		return "uprobe";
	case BPF_PERF_EVENT_URETPROBE:
		return "uretprobe";
	case BPF_PERF_EVENT_KPROBE:
		return "kprobe";
	case BPF_PERF_EVENT_KRETPROBE:
		return "kretprobe";
	case BPF_PERF_EVENT_TRACEPOINT:
		return "tracepoint";
	}
	return "perf_event";
}

static void read_perf_name(struct link_reader *r, uint32_t type)
{
	r->info = (struct bpf_link_info){};
	*r->name = 0;
	/* func_name lies where the names of the other types do */
	r->info.perf_event.kprobe.func_name = (uintptr_t)r->name;
	r->info.perf_event.kprobe.name_len = sizeof(r->name);
	if (!ask(r))
		return;
	switch (type) {
	case BPF_PERF_EVENT_UPROBE:
	case BPF_PERF_EVENT_URETPROBE:
		add_target(r, r->name, r->info.perf_event.uprobe.offset)->user = true;
		break;
	case BPF_PERF_EVENT_KPROBE:
	case BPF_PERF_EVENT_KRETPROBE:
		r->program->missed += r->info.perf_event.kprobe.missed;
		add_target(r, r->name, r->info.perf_event.kprobe.addr);
		break;
	default:
		add_target(r, r->name, 0);
	}
}

static void read_perf_event(struct link_reader *r)
{
	uint32_t type = r->info.perf_event.type;

	/* Before 6.6 the link does not say. The descriptor of its perf event may, see below. */
	if (type == BPF_PERF_EVENT_UNSPEC)
		return;
	r->program->kind = perf_kind(type);
	if (type == BPF_PERF_EVENT_EVENT)
		add_target(r, NULL, 0)->name =
			pool_addf(&r->programs->strings, "type %u config 0x%llx", r->info.perf_event.event.type,
				  (unsigned long long)r->info.perf_event.event.config);
	else
		read_perf_name(r, type);
}

static void add_link(struct programs *programs, uint32_t id)
{
	__close int fd = bpf_link_get_fd_by_id(id);
	struct link_reader r = { .programs = programs, .fd = fd };

	if (fd < 0 || !ask(&r))
		return;
	r.program = programs_find(programs, r.info.prog_id);
	if (!r.program)
		return;
	*vec_push(&r.program->links) = id;
	r.program->attached = true;
	switch (r.info.type) {
	case BPF_LINK_TYPE_RAW_TRACEPOINT:
		return read_raw_tracepoint(&r);
	case BPF_LINK_TYPE_TRACING:
		return read_trampoline(&r);
	case BPF_LINK_TYPE_ITER:
		return read_iterator(&r);
	case BPF_LINK_TYPE_KPROBE_MULTI:
		return read_kprobe_multi(&r);
	case BPF_LINK_TYPE_UPROBE_MULTI:
		return read_uprobe_multi(&r);
	case BPF_LINK_TYPE_PERF_EVENT:
		return read_perf_event(&r);
	}
}

/* ---- perf events that hold a program: the way to attach before links, and the source for links before 6.6 ---- */

static const char *query_kind(uint32_t type)
{
	switch (type) {
	case BPF_FD_TYPE_TRACEPOINT:
		return "tracepoint";
	case BPF_FD_TYPE_KPROBE:
		return "kprobe";
	case BPF_FD_TYPE_KRETPROBE:
		return "kretprobe";
	case BPF_FD_TYPE_UPROBE:
		return "uprobe";
	case BPF_FD_TYPE_URETPROBE:
		return "uretprobe";
	}
	return "perf_event";
}

static void add_perf_event(struct programs *programs, struct bpf_program *program, const struct holding *holding)
{
	struct link_reader r = { .programs = programs, .program = program };
	uint32_t len = sizeof(r.name), id, type;
	uint64_t offset, addr;

	if (bpf_task_fd_query(holding->pid, holding->fd, 0, r.name, &len, &id, &type, (__u64 *)&offset, (__u64 *)&addr))
		return;
	/* its links have given all targets */
	if (r.program->links.n && r.program->targets.n >= r.program->links.n)
		return;
	r.program->kind = query_kind(type);
	if (type == BPF_FD_TYPE_UPROBE || type == BPF_FD_TYPE_URETPROBE)
		add_target(&r, r.name, offset)->user = true;
	else
		add_target(&r, r.name, addr);
}

/* ---- */

static void find_perf_events(struct programs *programs, struct bpf_program *program, const struct holders *holders)
{
	size_t n;
	const struct holding *perf = holders_find(holders, HOLDS_PERF_EVENT, program->id, &n);

	for (size_t i = 0; i < n; i++) {
		program->attached = true;
		program->holder = perf->pid;
		add_perf_event(programs, program, &perf[i]);
	}
}

/* Finds a process that holds the program: a path of a user target is valid in that process's mount namespace. */
static void find_holder(struct bpf_program *program, const struct holders *holders)
{
	size_t n;
	const struct holding *holding = holders_find(holders, HOLDS_PROGRAM, program->id, &n);

	for (size_t i = 0; !n && i < program->links.n; i++)
		holding = holders_find(holders, HOLDS_LINK, program->links.v[i], &n);
	if (n)
		program->holder = holding->pid;
}

static int each_id(int (*next)(uint32_t, uint32_t *), void (*add)(struct programs *, uint32_t), struct programs *programs)
{
	uint32_t id = 0;

	while (!next(id, &id))
		add(programs, id);
	return errno == ENOENT ? 0 : -errno;
}

static int by_id(const void *pa, const void *pb)
{
	const struct bpf_program *a = pa, *b = pb;

	return a->id < b->id ? -1 : a->id > b->id;
}

int programs_read(struct programs *programs, const struct holders *holders)
{
	int ret;

	*programs = (struct programs){};
	ret = each_id(bpf_prog_get_next_id, add_program, programs);
	if (programs->n)
		qsort(programs->v, programs->n, sizeof(*programs->v), by_id);
	if (!ret)
		ret = each_id(bpf_link_get_next_id, add_link, programs);
	vec_each(it, programs) {
		find_perf_events(programs, it, holders);
		find_holder(it, holders);
	}
	return ret;
}

void programs_release(struct programs *programs)
{
	vec_each(it, programs) {
		free(it->targets.v);
		free(it->links.v);
		free(it->maps.v);
	}
	free(programs->v);
	pool_release(&programs->strings);
	*programs = (struct programs){};
}

bool programs_are_counted(void)
{
	__close int fd = kernel_open("/proc/sys/kernel/bpf_stats_enabled", O_RDONLY);
	char digit = '0';

	return fd >= 0 && read(fd, &digit, 1) == 1 && digit != '0';
}
