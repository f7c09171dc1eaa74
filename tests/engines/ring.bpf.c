// SPDX-License-Identifier: BSD-2-Clause
/* Records whose words tell whether they are whole: of system calls, of interrupts, and as many as a test asks for. */
#include "bpf/ring.bpf.h"
#include "tests/engines/ring.h"
#include <bpf/bpf_core_read.h>

const volatile struct ring_test ring_test SEC(".rodata.test");
SEC(".data.begun")
__u64 begun[RING_TEST_KINDS] = {};

/* Up to RING_TEST_WORDS words more. */
static __always_inline void record(__u64 kind, __u64 seq, __u64 more)
{
	struct ring_place place;
	__u64 words = RING_BODY + 1 + (more & (RING_TEST_WORDS - 1)), *at;

	atomic_add(&begun[kind], 1);
	at = ring_reserve(&place, words);
	if (!at)
		return;
	at[RING_BODY] = seq;
#pragma unroll
	for (__u64 i = RING_BODY + 1; i < RING_BODY + RING_TEST_WORDS; i++)
		if (i < words)
			at[i] = RING_TEST_WORD(kind, seq, i);
	ring_commit(&place, kind, words);
}

/* A call of the workload: its first argument is the number of the call. */
SEC("raw_tp")
int entered(struct bpf_raw_tracepoint_args *ctx)
{
	struct pt_regs *regs = (void *)ctx->args[0];
	__u64 seq;

	if (ctx->args[1] != ring_test.syscall || bpf_get_current_pid_tgid() >> 32 != ring_test.pid)
		return 0;
	seq = PT_REGS_PARM1_CORE_SYSCALL(regs);
	record(RING_TEST_CALL, seq, seq);
	return 0;
}

/* What a record of 32 bytes costs. */
SEC("raw_tp")
int every(struct bpf_raw_tracepoint_args *ctx)
{
	struct ring_place place;
	__u64 *at = ring_reserve(&place, RING_BODY + 2);

	if (!at)
		return 0;
	at[RING_BODY] = bpf_get_current_pid_tgid();
	at[RING_BODY + 1] = ctx->args[1];
	ring_commit(&place, RING_TEST_CALL, RING_BODY + 2);
	return 0;
}

/* Comes between the instructions of the program above, too. */
SEC("perf_event")
int interrupted(void *ctx)
{
	__u64 seq = bpf_ktime_get_ns();

	record(RING_TEST_INTERRUPT, seq, seq);
	return 0;
}

/* args: how many records, up to RING_TEST_BATCH; the number of the first; 1: as long as a record can be. */
SEC("raw_tp")
int batch(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 n = ctx->args[0], seq = ctx->args[1];
	struct ring_place place;
	__u64 *at;

	for (__u64 i = 0; i < RING_TEST_BATCH; i++) {
		if (i >= n)
			break;
		if (!ctx->args[2]) {
			record(RING_TEST_BATCHED, seq + i, seq + i);
			continue;
		}
		atomic_add(&begun[RING_TEST_BATCHED], 1);
		at = ring_reserve(&place, RING_WORDS);
		if (!at)
			break;
		at[RING_BODY] = seq + i;
		at[RING_WORDS - 1] = RING_TEST_WORD(RING_TEST_BATCHED, seq + i, RING_WORDS - 1);
		ring_commit(&place, RING_TEST_BATCHED, RING_WORDS);
	}
	return 0;
}

/*
 * A program that is held up within a record while others write RING_TEST_BATCH long ones, which is more than the
 * smallest ring; then it writes as if nothing had happened. args: the number of the first of them.
 */
SEC("raw_tp")
int late(struct bpf_raw_tracepoint_args *ctx)
{
	struct ring_place place, other;
	__u64 *at, *between;

	atomic_add(&begun[RING_TEST_LATE], 1);
	at = ring_reserve(&place, RING_WORDS);
	if (!at)
		return 0;
	for (__u64 i = 0; i < RING_TEST_BATCH; i++) {
		atomic_add(&begun[RING_TEST_BATCHED], 1);
		between = ring_reserve(&other, RING_WORDS);
		if (!between)
			break;
		between[RING_BODY] = ctx->args[0] + i;
		between[RING_WORDS - 1] = RING_TEST_WORD(RING_TEST_BATCHED, ctx->args[0] + i, RING_WORDS - 1);
		ring_commit(&other, RING_TEST_BATCHED, RING_WORDS);
	}
#pragma unroll
	for (__u64 i = RING_BODY; i < RING_WORDS; i++)
		((volatile __u64 *)at)[i] = ~0ULL;
	ring_commit(&place, RING_TEST_LATE, RING_WORDS);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
