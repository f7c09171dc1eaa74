// SPDX-License-Identifier: BSD-2-Clause
/* Runs iter probes: the kernel calls the program for each of its objects while we read from an iterator. */
#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "base/report.h"
#include "kernel/types.h"
#include "script_part.h"

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

/*
 * Without a pin the iterator runs once, now; with one, whenever somebody reads the file. What it prints then is ours to
 * show, hence the file goes when we do.
 */
static int run(struct script_own *own, int link, struct err *err)
{
	const struct lang_attach *attach = own->probe->attach;
	__free char *path = NULL;
	int ret;

	if (!attach->pin) {
		ret = read_all(link);
		return ret ? err_set(err, ret, "cannot run '%s': %s", attach->text, strerror(-ret)) : 0;
	}
	path = attach->pin[0] == '/' ? base_strdup(attach->pin) : base_printf(PIN_ROOT "%s", attach->pin);
	ret = bpf_obj_pin(link, path);
	if (ret)
		return err_set(err, ret, "cannot pin '%s' to %s: %s", attach->text, path,
			       ret == -EPERM || ret == -EINVAL ? "only a bpf file system can hold it" : strerror(-ret));
	report_line("Program pinned to %s", path);
	own->pin = path;
	path = NULL;
	return 0;
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

int script_iter_run(struct script_own *own, uint32_t pid, struct err *err)
{
	const char *object = own->probe->attach->object;
	union bpf_iter_link_info info = { .task.pid = pid };
	LIBBPF_OPTS(bpf_link_create_opts, opts, .iter_info = &info, .iter_info_len = sizeof(info));
	/* other iterators read something else in its place */
	bool is_of_tasks = pid && !strncmp(object, "task", strlen("task"));
	__close int link = bpf_link_create(own->program, 0, BPF_TRACE_ITER, is_of_tasks ? &opts : NULL);

	if (link == -E2BIG && is_of_tasks)
		return err_set(err, -EOPNOTSUPP, "this kernel's iterators visit all tasks: -p needs Linux 6.1");
	if (link < 0)
		return err_set(err, link, "cannot run '%s': %s", own->probe->attach->text, strerror(-link));
	return run(own, link, err);
}

void script_iter_release(struct script_own *own)
{
	if (own->pin)
		unlink(own->pin);
	free(own->pin);
}
