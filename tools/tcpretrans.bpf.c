// SPDX-License-Identifier: BSD-2-Clause
/* Reports TCP segments that are sent again, and tail loss probes. */
#include "bpf/event.bpf.h"
#include "bpf/tcp.bpf.h"
#include "tools/tcpretrans.h"

const volatile struct tcp_wanted wanted SEC(".rodata.config");

SEC("raw_tp")
int retransmits(void *ctx)
{
	bool probe = context_is_function();
	struct tcp_ends ends = {};
	struct tcpretrans_event *e;
	struct sock *sk;
	__u32 seq = 0;

	if (probe)
		sk = (void *)context_arg(ctx, 0);
	else if (!tcp_read_retransmit(ctx, &sk, &seq))
		return 0;
	if (!filter_pass() || !tcp_read_ends(sk, &wanted, &ends) || !(e = event_new(sizeof(*e))))
		return 0;
	e->tcp.ends = ends;
	e->state = tcp_state(sk);
	e->segment = !probe;
	e->seq = seq;
	event_submit(e);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
