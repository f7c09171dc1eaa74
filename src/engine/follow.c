// SPDX-License-Identifier: BSD-2-Clause
/* Loads and holds the two programs that follow a command's forks. */
#include "bpf/filter.h"
#include "bpf/follow.skel.h"

#include <bpf/bpf.h>

#include "attach/attach.h"
#include "attach/quirks.h"
#include "kernel/core_btf.h"
#include "follow.h"

struct follow {
	struct follow_bpf *bpf;
};

/* The command is a child of ours: a program that runs in our own process finds it. */
static int adopt(struct follow_bpf *bpf, pid_t command)
{
	__u64 args[] = { command };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	int ret = bpf_prog_test_run_opts(bpf_program__fd(bpf->progs.follow_adopt), &opts);

	return ret ? ret : opts.retval == 1 ? 0
					    : -ESRCH;
}

static int start(struct follow_bpf **bpf, pid_t command, int members_fd, struct err *err)
{
	__cleanup(core_btf_release) struct core_btf btf = {};
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf.path);
	const char *rejected = NULL;
	size_t size;
	const void *elf = follow_bpf__elf_bytes(&size);
	int ret = core_btf_make(&btf, elf, size, err);

	if (ret)
		return ret;
	*bpf = follow_bpf__open_opts(&opts);
	ret = *bpf ? bpf_map__reuse_fd((*bpf)->maps.members, members_fd) : -errno;
	if (!ret) {
		ret = follow_bpf__load(*bpf);
		rejected = attach_rejected(ret);
	}
	if (!ret)
		ret = follow_bpf__attach(*bpf);
	if (!ret)
		ret = adopt(*bpf, command);
	return ret ? err_set(err, ret, "%s", rejected ? rejected : strerror(-ret)) : 0;
}

int follow_start(struct follow **follow, pid_t command, int members_fd, struct err *err)
{
	struct follow_bpf *bpf = NULL;
	const char *why;
	struct err cause;
	int ret = start(&bpf, command, members_fd, &cause);

	if (ret) {
		follow_bpf__destroy(bpf);
		why = ret == -EPERM ? quirk_denial() : quirk_refusal();
		return err_set(err, ret, "the command's children cannot be followed: %s", why ? why : cause.text);
	}
	*follow = base_alloc(sizeof(**follow));
	(*follow)->bpf = bpf;
	return 0;
}

void follow_free(struct follow *follow)
{
	if (follow)
		follow_bpf__destroy(follow->bpf);
	free(follow);
}
