// SPDX-License-Identifier: BSD-2-Clause
/* Lines that readline gives to a shell, as its function returns: the line has just been copied for the caller. */
#include "bpf/event.bpf.h"
#include "bpf/context.bpf.h"
#include "tools/bashreadline.h"

/* A record with that room, a constant: NULL where there is none in the buffer, or where the line may be longer. */
static __always_inline struct bashreadline_event *line_read(const char *line, __u32 room, bool may_cut)
{
	struct bashreadline_event *e = bpf_ringbuf_reserve(&events, sizeof(*e) + room, 0);
	char next = 0;
	long n;

	if (!e)
		return NULL;
	/* of an empty line: 0 on older kernels, 1 on newer ones */
	n = bpf_probe_read_user_str(e->line, room, line);
	/* as long as that it may just fit */
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

	/* no line: the end of the input */
	if (!line || !event_wanted())
		return 0;
	e = line_read(line, 128, false);
	if (!e)
		e = line_read(line, 4096, false);
	if (!e)
		e = line_read(line, 65536, false);
	if (!e)
		e = line_read(line, 1048576, true);
	/* where there is no room for all of it */
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
