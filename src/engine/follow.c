// SPDX-License-Identifier: BSD-2-Clause
/* Loads and holds the programs that follow a command's forks. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/quirks.h"
#include "bpf/filter.h"
#include "bpf/follow.skel.h"
#include "follow.h"
#include "object.h"

#define PROGRAMS 2

struct follow {
	struct object object;
	struct bpf_link *links[PROGRAMS];
};

/* Finds the command by a program that runs in our own process, since the command is our child. */
static int adopt(const struct follow *follow, pid_t command, struct err *err)
{
	const struct bpf_program *program;
	__u64 args[] = { command };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	int ret = object_program(&follow->object, "follow_adopt", &program, err);

	if (ret)
		return ret;
	ret = bpf_prog_test_run_opts(bpf_program__fd(program), &opts);
	if (!ret && opts.retval != 1)
		ret = -ESRCH;
	return ret ? err_set(err, ret, "%s", strerror(-ret)) : 0;
}

static int attach(struct follow *follow, struct err *err)
{
	static const char *const programs[PROGRAMS] = { "follow_fork", "follow_free" };

	for (size_t i = 0; i < PROGRAMS; i++) {
		const struct bpf_program *program;
		int ret = object_program(&follow->object, programs[i], &program, err);

		if (ret)
			return ret;
		follow->links[i] = bpf_program__attach(program);
		if (!follow->links[i])
			return err_set(err, -errno, "%s", strerror(errno));
	}
	return 0;
}

static int start(struct follow *follow, pid_t command, int members_fd, struct err *err)
{
	int ret = object_open(&follow->object, follow_bpf__elf_bytes, err);

	if (!ret)
		ret = object_reuse_map(&follow->object, "members", members_fd, err);
	if (!ret)
		ret = object_load(&follow->object, err);
	if (!ret)
		ret = attach(follow, err);
	return ret ? ret : adopt(follow, command, err);
}

int follow_start(struct follow **follow, pid_t command, int members_fd, struct err *err)
{
	struct follow *new = base_alloc(sizeof(*new));
	struct err cause = {};
	const char *why;
	int ret = start(new, command, members_fd, &cause);

	if (!ret) {
		*follow = new;
		return 0;
	}
	follow_free(new);
	why = ret == -EPERM ? quirk_denial() : quirk_refusal();
	return err_set(err, ret, "the command's children cannot be followed: %s", why ? why : cause.text);
}

void follow_free(struct follow *follow)
{
	if (!follow)
		return;
	for (size_t i = 0; i < PROGRAMS; i++)
		bpf_link__destroy(follow->links[i]);
	object_release(&follow->object);
	free(follow);
}
