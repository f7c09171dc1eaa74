// SPDX-License-Identifier: BSD-2-Clause
/* Reads the lines that readline() returns to a shell. It has just copied the line, so that its memory is present. */
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "tools/bashreadline.h"

/*
 * A record with room bytes (a constant) for the line. NULL: the buffer is full, or the line may be longer and
 * may_cut is false.
 */
static __always_inline struct bashreadline_event *line_read(__u64 line, __u32 room, bool may_cut)
{
	__u32 size = offsetof(struct bashreadline_event, line);
	struct bashreadline_event *e;
	char next = 0;
	long length;

	e = event_reserve_text(size, room, 0, line, may_cut, &length);
	if (!e)
		return NULL;
	/* the room is full: the line may just fit or be longer */
	if (may_cut && length >= room)
		bpf_probe_read_user(&next, sizeof(next), (void *)(line + room - 1));
	e->unread = length < 0;
	e->cut = next != 0;
	return e;
}

SEC("kprobe")
int line_entered(void *ctx)
{
	__u64 line = PT_REGS_RC((struct pt_regs *)ctx);
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
	if (event_begin(e))
		event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
