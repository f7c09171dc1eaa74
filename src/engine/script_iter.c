// SPDX-License-Identifier: BSD-2-Clause
/* Runs iter probes: the kernel calls the program for each of its objects while we read from an iterator. */
#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "base/report.h"
#include "kernel/types.h"
#include "script_instance.h"

#define PIN_ROOT "/sys/fs/bpf/"

static int find_function(const char *object, uint32_t *id, struct err *err)
{
	struct kernel_types *types = kernel_types_new();
	__free char *name = base_printf("bpf_iter_%s", object);
	int module = kernel_types_module(types, NULL, err);

	*id = module < 0 ? 0 : kernel_types_find(types, module, name, 1 << BTF_KIND_FUNC, err);
	kernel_types_free(types);
	if (*id)
		return 0;
	return module < 0 ? module : err_set(err, -ENOENT, "this kernel has no iterator over %s", object);
}

/* The program's output is in records, and none in the iterator's text: the bytes read are only the end of a turn. */
static int read_all(int link)
{
	__close int fd = bpf_iter_create(link);
	char bytes[4096];
	ssize_t n;

	if (fd < 0)
		return fd;
	do
		n = read(fd, bytes, sizeof(bytes));
	while (n > 0 || (n < 0 && errno == EAGAIN));
	return n < 0 ? -errno : 0;
}

/* Without a pin the iterator runs once, now; with one, whenever somebody reads the file. */
static int run(const struct lang_attach *attach, int link)
{
	__free char *path = NULL;
	int ret;

	if (!attach->pin)
		return read_all(link);
	path = attach->pin[0] == '/' ? base_strdup(attach->pin) : base_printf(PIN_ROOT "%s", attach->pin);
	ret = bpf_obj_pin(link, path);
	if (!ret)
		report_line("Program pinned to %s", path);
	return ret;
}

int script_iter_open(struct script *script, size_t i, struct err *err)
{
	const struct lang_attach *attach = script->program->probes.v[i].attach;
	struct script_own *own = &script->probes[i].own;
	uint32_t id;
	int ret = find_function(attach->object, &id, err);

	if (ret)
		return ret;
	own->program = attach_load(&script->probes[i].image, BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, id, err);
	return own->program < 0 ? own->program : 0;
}

int script_iter_run(const struct script_own *own)
{
	__close int link = bpf_link_create(own->program, 0, BPF_TRACE_ITER, NULL);

	return link < 0 ? link : run(own->probe->attach, link);
}
