/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording says of a disk request. */
#ifndef SONDE_BPF_RECORD_BLOCK_BPF_H
#define SONDE_BPF_RECORD_BLOCK_BPF_H

#include "bpf/block.bpf.h"
#include "bpf/filter.bpf.h"
#include "bpf/pending.bpf.h"
#include "bpf/record.h"

/* What both records of a request have. */
static __always_inline void record_read_request(struct request *rq, struct record_block *to)
{
	struct gendisk *disk = block_disk(rq);

	to->device = disk ? BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor) : 0;
	to->sector = BPF_CORE_READ(rq, __sector);
	to->request = (__u64)rq;
	to->how = block_flags(rq);
	to->pid = (__u32)bpf_get_current_pid_tgid();
}

/*
 * blk_status_t (include/linux/blk_types.h) as the errors that the kernel makes of them: EOPNOTSUPP, ETIMEDOUT, ENOSPC,
 * ENOLINK, EREMOTEIO, EBADE, ENODATA, EILSEQ, ENOMEM, EIO, EREMCHG, EAGAIN, EBUSY; all others EIO.
 */
const volatile __u8 record_block_errors[16] SEC(".rodata.blocks") = { 0, 95, 110, 28, 67, 121, 52, 61,
								      84, 12, 5, 78, 11, 16, 5, 5 };

/* The second argument is an error on older kernels, and a blk_status_t on newer ones (5.16). */
static __always_inline __s32 record_request_error(void *ctx)
{
	__s32 error = context_word(ctx, 1);

	return error <= 0 ? error : -(__s32)record_block_errors[error & 15];
}

/* Whether the filters pass whoever makes a request, which is issued now. own: the current task is sonde. */
static __always_inline bool record_request_wanted(struct request *rq, bool own)
{
	if (filter.any && pending_find(pending_key(rq)))
		return true;
	if (!filter_pass() || own)
		return false;
	if (filter.any)
		pending_begin((__u64)rq, bpf_ktime_get_ns());
	return true;
}

#endif
