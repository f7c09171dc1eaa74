/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patch sites: constants in BPF programs that user space overwrites before it loads a copy of the program. Shared
 * by both sides.
 *
 * Each copy of a program has its own values at the patch sites, and the verifier removes the code that cannot run
 * with these values. src/attach/image.h locates the sites. The numbers below stand at the sites until they are
 * overwritten with:
 */
#ifndef SONDE_PATCH_H
#define SONDE_PATCH_H

/* 64 bits, in an instruction that loads a constant (patch_constant() of bpf/patch.bpf.h). Different in each copy: */
#define PATCH_SLOT_HOW	  0x736f6e6465486f77ULL /* an enum slot_how (bpf/slot.h) */
#define PATCH_SLOT_VALUE  0x736f6e646556616cULL /* the slot, or a number to add to the address */
#define PATCH_SLOT_SHARED 0x736f6e6465536872ULL /* 1 where two runs may write to one shard at a time */
#define PATCH_CONTEXT	  0x736f6e6465437478ULL /* an enum context_kind (bpf/context.h) */
#define PATCH_LATENCY_GO  0x736f6e64654c676fULL /* 1 for functions of Go (bpf/latency.h) */
/* The same in all copies: */
#define PATCH_HIST_KIND 0x736f6e6465486b64ULL /* an enum hist_kind (bpf/hist.h) */
#define PATCH_HIST_UNIT 0x736f6e646548756eULL /* the divisor of values */
#define PATCH_HIST_STEP 0x736f6e6465487374ULL /* the width of a linear bucket */

/* 32 bits, the operand of an arithmetic instruction. The same in all copies: */
#define PATCH_SHARDS	   0x736f526f /* the number of shards - 1: slot_shard() */
#define PATCH_SHARD_SIZE   0x736f5277 /* the bytes of a shard */
#define PATCH_HIST_STRIDE  0x736f4873 /* the bytes of a histogram; 0: all slots share one */
#define PATCH_PENDING_MASK 0x736f4c6d /* mask for offsets in the pending table: whole cache lines */

/* 32 bits, the number of a called function. Overwritten with the number of a kfunc of sessions: */
#define PATCH_CALL_IS_RETURN 0x736f4c72 /* bpf_session_is_return() */
#define PATCH_CALL_COOKIE    0x736f4c63 /* bpf_session_cookie() */

#endif
