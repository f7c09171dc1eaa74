/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events to user space. A program asks event_wanted(), reserves a record of its tool's struct, fills it and
 * submits it:
 *
 *	struct open_event *e;
 *
 *	if (!event_wanted() || !(e = event_new(sizeof(*e))))
 *		return 0;
 *	e->... = ...;
 *	event_submit(e);
 *
 * What there is no room for is counted, a counter for each processor.
 */
#ifndef SONDE_EVENT_BPF_H
#define SONDE_EVENT_BPF_H

#include "bpf/atomic.bpf.h"
#include "bpf/filter.bpf.h"
#include <bpf/bpf_core_read.h>
#include "bpf/event.h"
#include "bpf/task.bpf.h"

/* Sized by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, EVENT_LOSSES);
	__type(key, __u32);
	__type(value, __u64);
} event_drops SEC(".maps");

const volatile struct event_setup event_setup SEC(".rodata.event");
struct event_reader event_reader;

static __always_inline void event_lost(__u32 why)
{
	__u64 *drops = bpf_map_lookup_elem(&event_drops, &why);

	/* atomic: an interrupt's program may come between */
	if (drops)
		atomic_add(drops, 1);
}

static __always_inline void event_dropped(void)
{
	event_lost(EVENT_LOSS_BUFFER);
}

/* Has the user asked for the events of some only? Then those whose task is not known are not wanted. */
static __always_inline bool event_chosen(void)
{
	return filter.any || event_setup.pidns_ino;
}

/* Is it the reader itself? What it does to read would make more to read, and nobody has asked for it. */
static __always_inline bool event_of_reader(void)
{
	return event_setup.reader && bpf_get_current_pid_tgid() >> 32 == event_setup.reader;
}

/* Is the current task's event one that the user asked for? */
static __always_inline bool event_wanted(void)
{
	if (event_of_reader())
		return false;
	if (!filter_pass())
		return false;
	return !event_setup.pidns_ino ||
	       task_process((void *)bpf_get_current_task(), event_setup.pidns_ino);
}

/* Who did it: the current task. */
static __always_inline void event_fill(struct event *event)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 both = bpf_get_current_pid_tgid();

	event->time = bpf_ktime_get_boot_ns();
	event->uid = bpf_get_current_uid_gid();
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	event->pid = both >> 32;
	event->tid = both;
	event->ppid = task_process(BPF_CORE_READ(task, real_parent), event_setup.pidns_ino);
	if (event_setup.pidns_ino) {
		event->pid = task_process(task, event_setup.pidns_ino);
		event->tid = task_id_in_pidns(BPF_CORE_READ(task, thread_pid), event_setup.pidns_ino);
	}
}

/*
 * A record of that size, a constant, and filled with who did it: NULL where there is no room, and counted. The time is taken
 * with the place in the buffer already ours: order in the buffer and order in time differ by next to nothing.
 */
#define event_new(size) \
	({ \
		void *_record = bpf_ringbuf_reserve(&events, size, 0); \
		if (_record) \
			event_fill(_record); \
		else \
			event_dropped(); \
		_record; \
	})

/* The same for an event whose current task is a bystander. who: whose it is, as event_fill() filled it in; the time is now. */
#define event_new_of(size, who) \
	({ \
		void *_record = bpf_ringbuf_reserve(&events, size, 0); \
		if (_record) { \
			*(struct event *)_record = *(who); \
			((struct event *)_record)->time = bpf_ktime_get_boot_ns(); \
		} else { \
			event_dropped(); \
		} \
		_record; \
	})

/*
 * Whether the reader sleeps is asked once for each event and without a barrier: it stays around for some
 * milliseconds after it has said that it sleeps, and the kernel itself wakes a reader that has read all.
 */
static __always_inline __u64 event_wakeup(void)
{
	volatile struct event_reader *reader = &event_reader;

	if (!reader->awake)
		return 0;
	if (bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) < reader->wake_at)
		return BPF_RB_NO_WAKEUP;
	reader->wake_at = ~0ULL;
	return BPF_RB_FORCE_WAKEUP;
}

#define event_submit(record) bpf_ringbuf_submit(record, event_wakeup())

#endif
