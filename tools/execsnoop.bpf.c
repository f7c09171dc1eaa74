// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reports new programs. After a successful exec all arguments are one block where the kernel has just put them, in
 * memory that is present; the name that was executed follows the environment. After a failed exec the arguments are
 * read from where the caller passed them, when the call returns.
 */
#include "bpf/args.bpf.h"
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "tools/execsnoop.h"

#define NAME_MAX_SIZE 4096
/* How many arguments of a failed exec are read: in a first try, and if there are more. */
#define FAILED_FEW  24
#define FAILED_MANY 256

const volatile struct execsnoop_config config SEC(".rodata.config");

static __always_inline bool exec_wanted(void)
{
	return event_wanted() && task_is_child_of(config.ppid, config.reader_pidns);
}

/* A record with name_room and args_room bytes, both constants. NULL: the buffer is full, or the name may be longer. */
static __always_inline struct execsnoop_event *exec_read(const struct args_block *block, __u32 name_room,
							 __u32 args_room)
{
	struct execsnoop_event *e;
	long length;

	e = event_reserve_text(sizeof(*e), name_room, args_room, block->name, name_room == NAME_MAX_SIZE, &length);
	if (e)
		args_copy(&e->args, e->data, name_room, args_room, block);
	return e;
}

/* The smallest record that holds all; if the buffer has no room for that, a smaller one. */
static __always_inline struct execsnoop_event *exec_fit(const struct args_block *block)
{
	struct execsnoop_event *e = NULL;

	if (block->size <= 192)
		e = exec_read(block, 64, 192);
	if (!e && block->size <= 1024)
		e = exec_read(block, 256, 1024);
	if (!e && block->size <= 16384)
		e = exec_read(block, NAME_MAX_SIZE, 16384);
	if (!e && block->size > 16384 && block->size <= 262144)
		e = exec_read(block, NAME_MAX_SIZE, 262144);
	if (!e && block->size > 262144)
		e = exec_read(block, NAME_MAX_SIZE, 2097152);
	if (!e)
		e = exec_read(block, NAME_MAX_SIZE, 4096);
	return e;
}

SEC("raw_tp")
int exec_done(void *ctx)
{
	struct execsnoop_event *e;
	struct args_block block;

	if (!exec_wanted())
		return 0;
	args_find(&block);
	e = exec_fit(&block);
	if (!event_begin(e))
		return 0;
	e->ret = 0;
	event_submit(e);
	return 0;
}

/* The same for n_args arguments as they were passed, each up to `longest`. NULL also: there are more. */
static __always_inline struct execsnoop_event *failed_read(__u64 name, __u64 argv, int n_args, __u32 name_room,
							   __u32 args_room, __u32 longest)
{
	bool last = n_args == FAILED_MANY;
	struct execsnoop_event *e;
	long length;

	e = event_reserve_text(sizeof(*e), name_room, args_room + longest, name, last, &length);
	if (!e || args_copy_array(&e->args, e->data, name_room, args_room, argv, n_args, longest) || last)
		return e;
	event_discard(e);
	return NULL;
}

SEC("raw_tp")
int exec_failed(void *ctx)
{
	struct execsnoop_event *e;
	struct context_syscall call;
	__u64 name, argv;

	if (context_result(ctx) >= 0 || !exec_wanted() || !context_sys_exit(ctx, &call))
		return 0;
	name = context_probe() == EXECSNOOP_EXECVEAT ? call.args[1] : call.args[0];
	argv = context_probe() == EXECSNOOP_EXECVEAT ? call.args[2] : call.args[1];
	e = failed_read(name, argv, FAILED_FEW, 256, 512, 256);
	if (!e)
		e = failed_read(name, argv, FAILED_MANY, NAME_MAX_SIZE, 32768, 4096);
	if (!event_begin(e))
		return 0;
	e->ret = call.ret;
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
