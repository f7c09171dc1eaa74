// SPDX-License-Identifier: BSD-2-Clause
/* Runs the iterator of bpf/kprobe_missed.bpf.c, which reads what the kernel counts and does not report. */
#include "bpf/kprobe_missed.h"
#include "bpf/kprobe_missed.skel.h"
#include "kernel/core_object.h"
#include "kernel/types.h"
#include "mechanism.h"

#define BATCH 512

/* The function behind which the kernel runs iterators over files. 0: it has none. */
static uint32_t find_iterator(void)
{
	struct kernel_types *types = kernel_types_new();
	struct err err = {};
	int kernel = kernel_types_module(types, NULL, &err);
	uint32_t id = kernel < 0 ? 0 : kernel_types_find(types, kernel, "bpf_iter_task_file", 1 << BTF_KIND_FUNC, &err);

	kernel_types_free(types);
	return id;
}

static int load_program(void)
{
	__cleanup(core_object_release) struct core_object object = {};
	__cleanup(image_release) struct image image = {};
	const struct bpf_program *program;
	uint32_t id = find_iterator();
	struct err err = {};
	size_t size;
	const void *elf = kprobe_missed_bpf__elf_bytes(&size);
	int ret = id ? core_object_open(&object, elf, size, &err) : -ENOTSUP;

	if (!ret)
		ret = core_object_prepare(&object);
	program = ret ? NULL : bpf_object__find_program_by_name(object.bpf, "kprobe_missed");
	if (!program)
		return ret ? ret : -ENOENT;
	image_from_program(&image, object.bpf, program);
	return attach_load(&image, BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, id, &err);
}

static bool is_kprobe(const struct attach *attach, uint32_t fd)
{
	vec_each(link, &attach->links)
		if ((uint32_t)link->fd == fd)
			return link->mech == MECH_KPROBE;
	return false;
}

/* A probe of an entry has missed no return. */
static int sum_up(const struct attach *attach, int iterator, uint64_t *sum)
{
	struct kprobe_missed missed[BATCH];
	ssize_t n;

	do {
		n = read(iterator, missed, sizeof(missed));
		for (ssize_t i = 0; n > 0 && i < n / (ssize_t)sizeof(*missed); i++)
			*sum += is_kprobe(attach, missed[i].fd) ? missed[i].returns : 0;
	} while (n > 0 || (n < 0 && errno == EAGAIN));
	return n < 0 ? -errno : 0;
}

/* Links the program to the descriptors of this process; kernels before 6.1 show it those of all. */
static int link_iterator(int program)
{
	union bpf_iter_link_info info = { .task.pid = getpid() };
	LIBBPF_OPTS(bpf_link_create_opts, own, .iter_info = &info, .iter_info_len = sizeof(info));
	int link = bpf_link_create(program, 0, BPF_TRACE_ITER, &own);

	return link < 0 ? bpf_link_create(program, 0, BPF_TRACE_ITER, NULL) : link;
}

/* Returns the fd of the program's link, which attach_free() closes, or -errno. */
static int link_program(struct attach *attach)
{
	__close int program = -1;
	int link;

	if (attach->returns_link)
		return attach->returns_link;
	program = load_program();
	link = program < 0 ? program : link_iterator(program);
	attach->returns_link = link < 0 ? 0 : link;
	return link;
}

int attach_missed_returns(struct attach *attach, uint64_t *returns)
{
	__close int iterator = -1;
	int link, ret;

	*returns = attach->pauses.missed_returns;
	if (!attach_hides_missed_returns(attach))
		return attach->pauses.unknown_returns;
	link = link_program(attach);
	if (link < 0)
		return link;
	iterator = bpf_iter_create(link);
	ret = iterator < 0 ? iterator : sum_up(attach, iterator, returns);
	return ret ? ret : attach->pauses.unknown_returns;
}
