// SPDX-License-Identifier: BSD-2-Clause
/* Reports opened files at the end of the call: the kernel has read the path by then, so that its page is present. */
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "bpf/open_flags.h"
#include "bpf/path.bpf.h"
#include "tools/opensnoop.h"

#define O_ACCMODE 3
#define O_WRONLY  1
#define O_CREAT	  0100
#define O_TRUNC	  01000
#define O_TMPFILE 020000000 /* without O_DIRECTORY, which user space includes */

const volatile struct opensnoop_config config SEC(".rodata.config");

struct call {
	struct path_argument path;
	int ret;
	__u32 flags, mode;
};

static __always_inline void read_how(const struct context_syscall *at, struct call *call)
{
	struct {
		__u64 flags, mode;
	} how = {};

	bpf_probe_read_user(&how, sizeof(how), (void *)at->args[2]);
	call->flags = how.flags;
	call->mode = how.mode;
}

/* Reads the arguments of each call. */
static __always_inline bool read_call(void *ctx, struct call *call)
{
	__u64 probe = context_probe();
	struct context_syscall at;

	if (!context_sys_exit(ctx, &at))
		return false;
	call->ret = at.ret;
	call->path.dir = AT_FDCWD;
	call->path.text = at.args[0];
	if (probe == OPENSNOOP_OPENAT || probe == OPENSNOOP_OPENAT2) {
		call->path.dir = at.args[0];
		call->path.text = at.args[1];
	}
	if (probe == OPENSNOOP_OPENAT2) {
		read_how(&at, call);
	} else if (probe == OPENSNOOP_CREAT) {
		call->flags = O_CREAT | O_WRONLY | O_TRUNC;
		call->mode = at.args[1];
	} else {
		call->flags = probe == OPENSNOOP_OPENAT ? at.args[2] : at.args[1];
		call->mode = probe == OPENSNOOP_OPENAT ? at.args[3] : at.args[2];
	}
	/* mode is an argument only if a file may be created */
	if (!(call->flags & (O_CREAT | O_TMPFILE)))
		call->mode = 0;
	return true;
}

static __always_inline bool has_wanted_flags(const struct call *call)
{
	return !config.wanted.chosen || config.wanted.modes & 1 << (call->flags & O_ACCMODE) ||
	       config.wanted.flags & call->flags;
}

SEC("raw_tp")
int open_done(void *ctx)
{
	struct opensnoop_event *e;
	struct call call;

	if (config.failed && context_result(ctx) >= 0)
		return 0;
	if (!event_wanted() || !read_call(ctx, &call) || !has_wanted_flags(&call))
		return 0;
	e = path_new(offsetof(struct opensnoop_event, path), &call.path, config.full_path);
	if (!e)
		return 0;
	e->ret = call.ret;
	e->flags = call.flags;
	e->mode = call.mode;
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
