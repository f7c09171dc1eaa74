/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patch sites: constants in BPF programs that user space overwrites before it loads a copy of the program. Shared by both sides.
 *
 * A program is a template. Each copy has its own values at the patch sites, and the verifier removes the code that these values rule
 * out. src/attach/image.h locates the sites. What is overwritten with:
 */
#ifndef SONDE_PATCH_H
#define SONDE_PATCH_H

/* 64 bits, in an instruction that loads a constant: patch_constant() of bpf/patch.bpf.h. Different in each copy: */
#define PATCH_SLOT_HOW	  0x736f6e6465486f77ULL /* an enum slot_how (bpf/slot.h) */
#define PATCH_SLOT_VALUE  0x736f6e646556616cULL /* the slot, or what is added to the address */
#define PATCH_SLOT_SHARED 0x736f6e6465536872ULL /* 1 where two runs may write to one shard at a time */
#define PATCH_CONTEXT	  0x736f6e6465437478ULL /* an enum context_kind (bpf/context.h) */
#define PATCH_LATENCY_GO  0x736f6e64654c676fULL /* 1 for functions of Go (bpf/latency.h) */
/* The same in all copies: */
#define PATCH_HIST_KIND 0x736f6e6465486b64ULL /* an enum hist_kind (bpf/hist.h) */
#define PATCH_HIST_UNIT 0x736f6e646548756eULL /* what a value is divided by */
#define PATCH_HIST_STEP 0x736f6e6465487374ULL /* how wide a linear step is */

/* 32 bits, the operand of a calculation. The same in all copies: */
#define PATCH_SHARDS	   0x736f526f /* the number of shards - 1: slot_shard() */
#define PATCH_SHARD_SIZE   0x736f5277 /* the bytes of a shard */
#define PATCH_HIST_STRIDE  0x736f4873 /* the bytes of a histogram; 0 where one is for all */
#define PATCH_PENDING_MASK 0x736f4c6d /* which bytes of the pending table a key may begin at: whole cache lines */

/* 32 bits, the number of a function that is called: becomes the kernel's number of a function of sessions. */
#define PATCH_CALL_IS_RETURN 0x736f4c72 /* bpf_session_is_return() */
#define PATCH_CALL_COOKIE    0x736f4c63 /* bpf_session_cookie() */

#endif
