/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patch sites: constants in BPF programs that user space overwrites before it loads a copy of the program. Shared
 * by both sides.
 *
 * Each copy of a program has its own values at the patch sites, and the verifier removes the code that cannot run
 * with these values. src/attach/image.h locates the sites. The numbers below stand at the sites until they are
 * overwritten with:
 */
#ifndef SONDE_BPF_PATCH_H
#define SONDE_BPF_PATCH_H

/* 64 bits, in an instruction that loads a constant (patch_constant() of bpf/patch.bpf.h). Different in each copy: */
#define PATCH_SLOT_HOW	  0x736f6e6465486f77ULL /* an enum slot_how (bpf/slot.h) */
#define PATCH_SLOT_VALUE  0x736f6e646556616cULL /* the slot, or a number to add to the address */
#define PATCH_SLOT_SHARED 0x736f6e6465536872ULL /* 1 where two runs may write to one shard at a time */
#define PATCH_CONTEXT	  0x736f6e6465437478ULL /* an enum context_kind (bpf/context.h) */
#define PATCH_TYPED	  0x736f6e6465547970ULL /* 1 if its arguments have types (bpf/typed.bpf.h) */
#define PATCH_LATENCY	  0x736f6e64654c676fULL /* an enum latency_calls (bpf/latency.h) */
#define PATCH_LEAVES	  0x736f6e64654c7673ULL /* 1 where a function jumps elsewhere: what it returns is not known */
/* The addresses of variables of the kernel, for SLOT_KPROBE_IP (bpf/slot.h). Likewise in each copy: */
#define PATCH_CPU_OFFSETS 0x736f6e6465437075ULL /* __per_cpu_offset, an array */
#define PATCH_KPROBE	  0x736f6e64654b7072ULL /* current_kprobe, of each processor */
/* The same in all copies: */
#define PATCH_HIST_KIND 0x736f6e6465486b64ULL /* an enum hist_kind (bpf/hist.h) */
#define PATCH_HIST_UNIT 0x736f6e646548756eULL /* the divisor of values */
#define PATCH_SAMPLING	0x736f6e6465536d70ULL /* 1 if the programs obey the sampling word (bpf/sampling.bpf.h) */
#define PATCH_HIST_STEP 0x736f6e6465487374ULL /* the width of a linear bucket */
#define PATCH_RING_HOW	0x736f6e6465526877ULL /* an enum ring_how (bpf/ring.h) */

/* 32 bits, the operand of an arithmetic instruction. The same in all copies: */
#define PATCH_SHARDS	   0x736f526f /* the number of shards - 1: slot_shard() */
#define PATCH_SHARD_SIZE   0x736f5277 /* the bytes of a shard */
#define PATCH_HIST_STRIDE  0x736f4873 /* the bytes of a histogram; 0: all slots share one */
#define PATCH_PENDING_MASK 0x736f4c6d /* mask for offsets in the pending table: whole cache lines */
/* Sizes of rings (bpf/ring.bpf.h), all powers of two but numbers of bytes and the blocks of a processor. */
#define PATCH_RING_LAST	      0x736f6e72 /* the number of rings - 1 */
#define PATCH_RING_BYTES      0x736f5952 /* RING_DIRECT: the bytes of a ring */
#define PATCH_RING_BLOCKS     0x736f6252 /* else: the blocks of a processor */
#define PATCH_RING_BLOCK_BITS 0x736f7352 /* the logarithm of the words of a block */
#define PATCH_RING_BLOCK_LAST 0x736f6c52 /* the blocks of a ring - 1 */
#define PATCH_RING_OFFSET     0x736f6f52 /* the words of a block - 1 */
#define PATCH_RING_PAGES      0x736f7052 /* the pages of a block - 1 */
#define PATCH_RING_TABLE      0x736f7452 /* the bytes in front of the table of pages in a block */
#define PATCH_RING_LAP	      0x736f4c52 /* the logarithm of a ring's words */

/* 32 bits, the number of a called function. Overwritten with the number of a kfunc of sessions: */
#define PATCH_CALL_IS_RETURN 0x736f4c72 /* bpf_session_is_return() */
#define PATCH_CALL_COOKIE    0x736f4c63 /* bpf_session_cookie() */

#endif
