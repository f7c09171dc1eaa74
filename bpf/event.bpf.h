/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends events to user space. A program checks event_wanted(), reserves a record for the struct of its tool, fills
 * it and submits it:
 *
 *	struct open_event *e;
 *
 *	if (!event_wanted() || !(e = event_new(sizeof(*e))))
 *                 return 0;
 *	e->... = ...;
 *	event_submit(e);
 *
 * Events for which the buffer has no room are dropped and counted, with a counter for each processor.
 */
#ifndef SONDE_BPF_EVENT_BPF_H
#define SONDE_BPF_EVENT_BPF_H

#include "bpf/atomic.bpf.h"
#include "bpf/filter.bpf.h"
#include <bpf/bpf_core_read.h>
#include "bpf/event.h"
#include "bpf/task.bpf.h"

/* User space sets the size. */
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

	/* atomic: a program in an interrupt may come between */
	if (drops)
		atomic_add(drops, 1);
}

static __always_inline void event_dropped(void)
{
	event_lost(EVENT_LOSS_BUFFER);
}

/* Whether a filter on tasks is set. Then events of an unknown task are not wanted. */
static __always_inline bool event_chosen(void)
{
	return filter.any || event_setup.pidns_ino;
}

/* Whether the current task is sonde, the reader. Its events are left out: reading them would cause more events. */
static __always_inline bool event_of_reader(void)
{
	return event_setup.reader && bpf_get_current_pid_tgid() >> 32 == event_setup.reader;
}

/* Whether the filters pass an event of the current task. */
static __always_inline bool event_wanted(void)
{
	if (event_of_reader())
		return false;
	if (!filter_pass())
		return false;
	return !event_setup.pidns_ino ||
	       task_process((void *)bpf_get_current_task(), event_setup.pidns_ino);
}

/* The id of a process or thread in records: the host's or, with --pidns, that in the reader's pid namespace. */
static __always_inline int event_number(struct pid *pid)
{
	if (event_setup.pidns_ino)
		return task_id_in_pidns(pid, event_setup.pidns_ino);
	return BPF_CORE_READ(pid, numbers[0].nr);
}

/* Fills in the current task and the time. */
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
 * Reserves a record of size bytes, a constant, and fills in the current task. NULL: no room, which is counted. The
 * time is read after the place in the buffer is reserved: so the order in the buffer hardly differs from the order
 * in time.
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

/*
 * The flags of each record that is submitted or discarded. The state of the reader is read once for each, without a
 * barrier. That is safe: the reader waits some milliseconds after it sets its state to asleep and then looks once
 * more. With flags 0 the kernel wakes a reader that has read everything before this record. So the first record that
 * a sleeping reader has not seen must wake it, also one that is discarded: no later one does.
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

/*
 * The same for programs that send many records: it asks how full the buffer is for one of some records, by their times,
 * if the reader reads by itself anyhow.
 */
static __always_inline __u64 event_wakeup_seldom(__u64 time)
{
	volatile struct event_reader *reader = &event_reader;

	/* mixed: the clock of some machines goes in steps of many ns */
	return (time * 0x9e3779b97f4a7c15ULL) >> 61 && reader->awake ? BPF_RB_NO_WAKEUP : event_wakeup();
}

#define event_submit(record)  bpf_ringbuf_submit(record, event_wakeup())
#define event_discard(record) bpf_ringbuf_discard(record, event_wakeup())

/*
 * Reserves a record of `size` bytes, of room bytes for a string, and of `more` bytes, all constants, and copies the
 * string from user memory. The caller fills in the rest. *length is the string's, with its NUL; kernels before 6.14
 * give 0 for an empty one. It is < 0 if the string is not in memory; the kernel has then filled its room with zeros.
 * NULL: the buffer is full, or the string may be longer than its room and may_cut is false. A program tries the
 * smallest record first, so that the length of the string decides how much of the buffer it takes.
 */
static __always_inline void *event_reserve_text(__u32 size, __u32 room, __u32 more, __u64 text, bool may_cut,
						long *length)
{
	void *record = bpf_ringbuf_reserve(&events, size + room + more, 0);

	if (!record)
		return NULL;
	*length = bpf_probe_read_user_str(record + size, room, (void *)text);
	if (*length < room || may_cut)
		return record;
	event_discard(record);
	return NULL;
}

/* Completes a record that was reserved in this way. False: there is none, which is counted. */
static __always_inline bool event_begin(void *record)
{
	if (record)
		event_fill(record);
	else
		event_dropped();
	return record;
}

/*
 * event_new() for an event whose current task is a bystander. who: whose it is, as event_fill() filled it in; the time
 * is now.
 */
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

#endif
