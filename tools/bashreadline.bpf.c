// SPDX-License-Identifier: BSD-2-Clause
/* Reads the lines that readline() returns to a shell. It has just copied the line, so that its memory is present. */
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "tools/bashreadline.h"

/*
 * A record with room bytes (a constant) for the line. NULL: the buffer is full, or the line may be longer and
 * may_cut is false.
 */
static __always_inline struct bashreadline_event *line_read(const char *line, __u32 room, bool may_cut)
{
	struct bashreadline_event *e = bpf_ringbuf_reserve(&events, sizeof(*e) + room, 0);
	char next = 0;
	long n;

	if (!e)
		return NULL;
	/* for an empty line older kernels return 0, newer ones 1 */
	n = bpf_probe_read_user_str(e->line, room, line);
	/* the room is full: the line may just fit or be longer */
	if (n >= room)
		bpf_probe_read_user(&next, sizeof(next), line + room - 1);
	if (next && !may_cut) {
		bpf_ringbuf_discard(e, BPF_RB_NO_WAKEUP);
		return NULL;
	}
	if (n <= 0)
		e->line[0] = 0;
	e->unread = n < 0;
	e->cut = next != 0;
	return e;
}

SEC("kprobe")
int line_entered(void *ctx)
{
	const char *line = (const char *)PT_REGS_RC((struct pt_regs *)ctx);
	struct bashreadline_event *e;

	/* NULL: the end of the input */
	if (!line || !event_wanted())
		return 0;
	e = line_read(line, 128, false);
	if (!e)
		e = line_read(line, 4096, false);
	if (!e)
		e = line_read(line, 65536, false);
	if (!e)
		e = line_read(line, 1048576, true);
	/* no room for the whole line: cut it */
	if (!e)
		e = line_read(line, 1024, true);
	if (!e) {
		event_dropped();
		return 0;
	}
	event_fill(&e->event);
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
