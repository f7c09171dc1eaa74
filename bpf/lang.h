/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What compiled programs and user space agree on: records, memory, and the functions of bpf/lang.bpf.c that programs
 * call. Shared by both sides.
 */
#ifndef SONDE_BPF_LANG_H
#define SONDE_BPF_LANG_H

/* A record in the ring buffer; the site's data follows (src/lang/program/program.h). */
struct lang_record {
	unsigned long long time; /* ns since boot, suspended time included */
	unsigned int site;
	unsigned int size; /* bytes of data behind this struct */
};
_Static_assert(sizeof(struct lang_record) == 16, "as on the other side");

/* Where a text is that is an argument of a record: in the record's data. */
struct lang_text {
	unsigned int at;
	unsigned int size; /* bytes, without a NUL; LANG_TEXT_CUT is added if it was longer than its limit */
};
_Static_assert(sizeof(struct lang_text) == 8, "as generated code writes it");
#define LANG_TEXT_CUT 0x80000000U

/* Pieces of scratch memory for each processor: programs interrupt and preempt each other. */
#define LANG_SCRATCH_SLOTS 4

#define LANG_DATA_MAX	  (60 * 1024) /* bytes of a record's data */
#define LANG_STACK_MAX	  384	      /* bytes of stack of the program itself; the library needs the rest of 512 */
#define LANG_STACK_UNWIND 256	      /* the same for a program that calls lang_ustack() */

/*
 * A map whose keys are all `tid`: what a thread has begun and not ended. An entry is found by the id without a map
 * lookup; if another thread has it, the hash of the map holds the value.
 */
#define LANG_TASKS 4096
struct lang_tasks {
	unsigned long long is_spilled; /* the hash holds, or has held, an entry */
	struct lang_task {
		unsigned long long key; /* LANG_TASK_KEY(); 0: free */
		unsigned long long value;
	} v[LANG_TASKS];
};
_Static_assert(sizeof(struct lang_tasks) == 8 + 16 * LANG_TASKS, "as on the other side");
#define LANG_TASK_KEY(TID) ((TID) | 1ULL << 32)

/*
 * The keys of a map of totals, of at most two words; a key's number is the same on all processors. An entry that was
 * taken keeps its key for good.
 */
struct lang_keys {
	unsigned long long n;	/* entries that are taken */
	unsigned long long max; /* at most; user space sets it */
	struct lang_key {
		unsigned long long mark;     /* LANG_KEY_MARK() of the words; 0: free. Set before the words are. */
		unsigned long long words[2]; /* a key of one word: the second is 0 */
	} v[];
};
_Static_assert(sizeof(struct lang_keys) == 16 && sizeof(struct lang_key) == 24, "as on the other side");
#define LANG_KEYS_MAX 32768 /* entries */
/* The upper bits choose an entry: they depend on all bits of both words. */
#define LANG_KEY_FACTOR	    0x9e3779b97f4a7c15ULL
#define LANG_KEY_MARK(A, B) (((A)*LANG_KEY_FACTOR + (B)*0xc2b2ae3d27d4eb4fULL) | 1)

/* Arrays in memory that both sides map; user space sizes them. */
enum lang_data {
	LANG_DATA_CELLS,  /* .data.cells: values of maps without keys */
	LANG_DATA_SHARDS, /* .data.shards: a shard for each processor, aggregates of maps without keys */
	LANG_DATA_SETUP,  /* .rodata.setup: struct lang_setup */
	LANG_DATA_STATE,  /* .data.state: struct lang_state */
	LANG_DATA_ZERO,	  /* .rodata.zero: zeros, for new entries of maps with large values */
	LANG_DATAS,
};

/* Set by user space before the load. */
struct lang_setup {
	unsigned long long pidns_dev, pidns_ino; /* ino 0: ids are the host's */
};
_Static_assert(sizeof(struct lang_setup) == 16, "as on the other side");

/* Both sides write it. */
struct lang_state {
	unsigned long long exited; /* not 0: exit() ran; programs do nothing any more */
	unsigned long long began;  /* ns since boot: `elapsed` */
	unsigned long long epoch;  /* ns between boot and 1970, for sw_tai */
	/* not 0: an update found its map full; user space resets it when it has reported it */
	unsigned long long full;
	unsigned long long zero; /* always 0, which the verifier does not know */
};
_Static_assert(sizeof(struct lang_state) == 40, "as on the other side");

/* The most turns of a loop whose end the verifier cannot see and runs through itself; the most of bpf_loop(). */
#define LANG_TURNS_PLAIN  256
#define LANG_TURNS_KERNEL (1 << 23)

/*
 * What was lost, by reason; user space reads them and reports each. For each map, and for each site, an array of its
 * own.
 */
enum lang_loss {
	LANG_LOSS_RECORD,  /* no room in the ring buffer, by site */
	LANG_LOSS_SCRATCH, /* no scratch memory was free: the run of the program did nothing */
	LANG_LOSS_READ,	   /* memory that could not be read; the value was 0 or "", by site 0 */
	LANG_LOSS_TURNS,   /* a loop was ended after LANG_TURNS_PLAIN */
	LANG_LOSS_TURNS_KERNEL,
	LANG_LOSS_NESTED, /* an update of min(), max() or tseries() met another one that it had interrupted */
	LANG_LOSSES,
};

/* Whose memory a text is in. */
enum lang_space {
	LANG_SPACE_KERNEL,
	LANG_SPACE_USER,
	LANG_SPACE_UNSURE, /* the user's if it is not the kernel's */
};

/*
 * Functions of the library: name, number of parameters. They return 64 bits. Pointers to memory are of the program's
 * stack, scratch memory or maps. bpf/lang.bpf.c says what each does.
 */
#define LANG_FUNCTIONS(FN) \
	/* lang_wanted(ctx): 1 if the filter wants the current task */ \
	FN(wanted, 1) \
	/* lang_place(ctx): the slot of the target that was hit; -1: none */ \
	FN(place, 1) \
	/* lang_scratch(): memory of this run, NULL: none is free, which is counted; lang_scratch_free(memory) */ \
	FN(scratch, 0) \
	FN(scratch_free, 1) \
	/* lang_shard(): this processor's shard */ \
	FN(shard, 0) \
	/* lang_task(tasks, tid, map): the address of the value, NULL: there is none */ \
	/* lang_task_add(tasks, tid, map): makes it if there is none, NULL: full; lang_task_delete(): 0 or -ENOENT */ \
	FN(task, 3) \
	FN(task_add, 3) \
	FN(task_delete, 3) \
	/* lang_key(keys, word, word, shift): the key's number below 1 << 64 - shift; a new one is added; -1: none */ \
	/* lang_key_add(..., mark): the same, if the key is not at its first place */ \
	FN(key, 4) \
	FN(key_add, 5) \
	/* lang_submit(record): time, wakes the reader; lang_output(record, bytes): the same from scratch memory */ \
	/* lang_discard(record): one that was reserved */ \
	FN(submit, 1) \
	FN(discard, 1) \
	FN(output, 2) \
	/* lang_lost(site), lang_map_full(map) */ \
	FN(lost, 1) \
	FN(map_full, 1) \
	/* lang_loss(reason): counts */ \
	FN(loss, 1) \
	/* lang_arg(ctx, n), lang_ret(ctx): by context_arg() and context_ret(); n is a constant */ \
	FN(arg, 2) \
	FN(ret, 1) \
	/* lang_hist(value, bits): a bucket's index; negative values are 0 */ \
	FN(hist, 2) \
	FN(quantile, 1) \
	/* lang_str(to, size, from, enum lang_space): length with NUL, and LANG_TEXT_CUT; `to` is filled with NULs */ \
	/* -errno: it could not be read, which is counted */ \
	FN(str, 4) \
	/* lang_read(to, size, from, is_user): 0 or -errno; then `to` is zeroed */ \
	FN(read, 4) \
	/* lang_zero(to, size): size is a multiple of 8; lang_copy(to, from, size) the same */ \
	FN(zero, 2) \
	FN(copy, 3) \
	/* lang_compare(a, b, size): texts up to NUL or size bytes: < 0, 0, > 0; lang_memory_compare(): all bytes */ \
	FN(compare, 3) \
	FN(memory_compare, 3) \
	FN(length, 2) \
	/* lang_find(text, size, what, what_size): index, -1: not in it */ \
	FN(find, 4) \
	/* lang_find_word(text, size, what, bytes): the same for at most 8 bytes, the first the highest in `what` */ \
	FN(find_word, 4) \
	/* lang_last(text, size, byte): the index behind the last such byte; 0: there is none */ \
	FN(last, 3) \
	/* lang_ids(): process << 32 | thread, in the reader's pid namespace */ \
	FN(ids, 0) \
	FN(parent, 1) \
	FN(group_comm, 2) \
	/* lang_comm(id, to): the name of that thread, or "N/A", to 16 bytes that are 0 */ \
	FN(comm, 2) \
	/* lang_kstack(ctx, limit), lang_ustack(ctx, limit): ids of bpf/stack.h; limit: the most frames, 0: all */ \
	FN(kstack, 2) \
	FN(ustack, 2) \
	FN(progeny, 1) \
	FN(time_tai, 0)

enum lang_function {
#define LANG_FUNCTION(NAME, N) LANG_FN_##NAME,
	LANG_FUNCTIONS(LANG_FUNCTION)
#undef LANG_FUNCTION
	LANG_FNS,
};

#endif
