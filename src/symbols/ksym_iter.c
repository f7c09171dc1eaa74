// SPDX-License-Identifier: BSD-2-Clause
#include <bpf/bpf.h>

#include "bpf/symbols.h"
#include "bpf/symbols.skel.h"
#include "core_btf.h"
#include "ksym_iter.h"

#define ITERATOR "bpf_iter_ksym"

static int match_iterator(const char *name, uint32_t id, void *ctx)
{
	if (strcmp(name, ITERATOR))
		return 0;
	*(uint32_t *)ctx = id;
	return 1;
}

/* Made with its maps, but without a program: libbpf would read all of the kernel's BTF for an iterator. */
static int prepare(struct symbols_bpf **bpf)
{
	__cleanup(core_btf_release) struct core_btf btf = {};
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf.path);
	struct err err;
	size_t size;
	const void *elf = symbols_bpf__elf_bytes(&size);
	int ret = core_btf_make(&btf, elf, size, &err);

	if (ret)
		return ret;
	*bpf = symbols_bpf__open_opts(&opts);
	return *bpf ? bpf_object__prepare((*bpf)->obj) : -errno;
}

static int load(struct symbols_bpf *bpf, uint32_t iterator)
{
	const struct bpf_program *program = bpf->progs.symbols_next;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_ITER, .attach_btf_id = iterator);

	return bpf_prog_load(BPF_PROG_TYPE_TRACING, bpf_program__name(program), "Dual BSD/GPL", bpf_program__insns(program),
			     bpf_program__insn_cnt(program), &opts);
}

static void destroy(struct symbols_bpf **bpf)
{
	symbols_bpf__destroy(*bpf);
}

int ksym_iter_open(void)
{
	__cleanup(destroy) struct symbols_bpf *bpf = NULL;
	__close int program = -1, link = -1;
	uint32_t iterator = 0;
	struct err err;
	int ret = kernel_each_btf_func(match_iterator, &iterator, &err);

	if (ret != 1)
		return ret ? ret : -ENOENT;
	ret = prepare(&bpf);
	if (ret)
		return ret;
	program = load(bpf, iterator);
	if (program < 0)
		return program;
	link = bpf_link_create(program, 0, BPF_TRACE_ITER, NULL);
	return link < 0 ? link : bpf_iter_create(link);
}

/* The first of them; how many bytes it has, 0: it is not all there. */
static size_t take(const char *at, size_t n, struct ksym *sym, char *type)
{
	struct symbols_head head;

	if (n < sizeof(head))
		return 0;
	memcpy(&head, at, sizeof(head));
	if (n < sizeof(head) + head.name + head.module)
		return 0;
	*type = head.type;
	sym->addr = head.addr;
	sym->name = at + sizeof(head);
	sym->module = head.module ? sym->name + head.name : NULL;
	return sizeof(head) + head.name + head.module;
}

int ksym_iter_each(int fd, int (*fn)(const struct ksym *sym, char type, void *ctx), void *ctx, struct err *err)
{
	size_t size = 64 * 1024, have = 0;
	__free char *buf = base_alloc(size);
	ssize_t more;

	while ((more = read(fd, buf + have, size - have)) > 0) {
		size_t at = 0, took;
		struct ksym sym;
		char type;

		have += more;
		while ((took = take(buf + at, have - at, &sym, &type))) {
			int ret = fn(&sym, type, ctx);

			if (ret)
				return ret;
			at += took;
		}
		have -= at;
		memmove(buf, buf + at, have);
	}
	if (more < 0 || have)
		return err_set(err, more < 0 ? -errno : -EIO, "cannot read the kernel's symbols: %s", strerror(more < 0 ? errno : EIO));
	return 0;
}
