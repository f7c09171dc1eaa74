// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reports new programs. After a successful exec all arguments are one block where the kernel has just put them, in
 * memory that is present; the name that was executed follows the environment. After a failed exec the arguments are
 * read from where the caller passed them, when the call returns.
 */
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

/* Addresses of the strings of the new program. */
struct strings {
	__u64 args, name;
	__u32 size;
};

static __always_inline void find_strings(struct strings *strings)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	strings->args = BPF_CORE_READ(mm, arg_start);
	strings->name = BPF_CORE_READ(mm, env_end);
	strings->size = BPF_CORE_READ(mm, arg_end) - strings->args;
}

/*
 * A record with name_room and args_room bytes, both constants. NULL: the buffer is full, or the name may be longer.
 */
static __always_inline struct execsnoop_event *exec_read(const struct strings *strings, __u32 name_room,
							 __u32 args_room)
{
	struct execsnoop_event *e = bpf_ringbuf_reserve(&events, sizeof(*e) + name_room + args_room, 0);
	__u32 size = strings->size;
	long n;

	if (!e)
		return NULL;
	n = bpf_probe_read_user_str(e->data, name_room, (void *)strings->name);
	if (n >= name_room && name_room < NAME_MAX_SIZE) {
		bpf_ringbuf_discard(e, BPF_RB_NO_WAKEUP);
		return NULL;
	}
	if (n <= 0)
		e->data[0] = 0;
	/* compare the same register that is used: older verifiers see no link between copies */
	asm volatile(""
		     : "+r"(size));
	if (size > args_room)
		size = args_room;
	asm volatile(""
		     : "+r"(size));
	if (bpf_probe_read_user(e->data + name_room, size, (void *)strings->args))
		size = 0;
	e->args_at = name_room;
	e->args_size = size;
	e->args_total = strings->size;
	return e;
}

/* The smallest record that holds all; if the buffer has no room for that, a smaller one. */
static __always_inline struct execsnoop_event *exec_fit(const struct strings *strings)
{
	struct execsnoop_event *e = NULL;

	if (strings->size <= 192)
		e = exec_read(strings, 64, 192);
	if (!e && strings->size <= 1024)
		e = exec_read(strings, 256, 1024);
	if (!e && strings->size <= 16384)
		e = exec_read(strings, NAME_MAX_SIZE, 16384);
	if (!e && strings->size > 16384 && strings->size <= 262144)
		e = exec_read(strings, NAME_MAX_SIZE, 262144);
	if (!e && strings->size > 262144)
		e = exec_read(strings, NAME_MAX_SIZE, 2097152);
	if (!e)
		e = exec_read(strings, NAME_MAX_SIZE, 4096);
	return e;
}

SEC("raw_tp")
int exec_done(void *ctx)
{
	struct execsnoop_event *e;
	struct strings strings;

	if (!exec_wanted())
		return 0;
	find_strings(&strings);
	e = exec_fit(&strings);
	if (!e) {
		event_dropped();
		return 0;
	}
	event_fill(&e->event);
	e->ret = 0;
	event_submit(e);
	return 0;
}

/*
 * Copies the arguments one after the other. False: one may be longer than `longest`, or all together exceed
 * args_room, a power of two; after that there is room for one more. The size is kept in the record: the verifier
 * does not track memory there, so that all turns of the loop look the same to it and it checks one.
 */
static __always_inline bool failed_args(struct execsnoop_event *e, __u64 argv, int n_args, __u32 name_room,
					__u32 args_room, __u32 longest)
{
	e->args_at = name_room;
	e->args_size = 0;
	e->args_total = 1;
	for (int i = 0; i < n_args; i++) {
		__u32 at = *(volatile __u32 *)&e->args_size & (2 * args_room - 1);
		__u64 arg = 0;
		long n;

		if (bpf_probe_read_user(&arg, sizeof(arg), (void *)(argv + i * sizeof(arg))) || !arg) {
			e->args_total = at;
			return true;
		}
		if (at >= args_room)
			break;
		n = bpf_probe_read_user_str(e->data + name_room + at, longest, (void *)arg);
		/* the page is not present: the kernel has not read the argument */
		if (n < 0)
			break;
		/*
		 * before 6.14 an empty string gives 0, not 1 for its NUL; corrected without a branch, for the
		 * verifier
		 */
		n += (__u64)(n - 1) >> 63;
		e->args_size = at + n;
		e->args_total = at + n + 1;
		if (n >= longest)
			break;
	}
	return false;
}

static __always_inline struct execsnoop_event *failed_read(__u64 name, __u64 argv, int n_args,
							   __u32 name_room, __u32 args_room, __u32 longest)
{
	struct execsnoop_event *e =
		bpf_ringbuf_reserve(&events, sizeof(*e) + name_room + args_room + longest, 0);
	long n;

	if (!e)
		return NULL;
	n = bpf_probe_read_user_str(e->data, name_room, (void *)name);
	if (n <= 0)
		e->data[0] = 0;
	if ((!failed_args(e, argv, n_args, name_room, args_room, longest) || n >= name_room) && n_args < FAILED_MANY) {
		bpf_ringbuf_discard(e, BPF_RB_NO_WAKEUP);
		return NULL;
	}
	return e;
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
	if (!e) {
		event_dropped();
		return 0;
	}
	event_fill(&e->event);
	e->ret = call.ret;
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
