/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinding: a table of rows (page of text, place in the page, rule) says how to find the frame of the caller.
 * Shared by both sides: src/unwind/ makes the rows from the .eh_frame of a file, BPF programs search them.
 *
 * A rule computes three things from the registers of a frame: the CFA (the value of the stack pointer before the
 * call), the caller's frame pointer, and the address to which the frame returns. Registers have the names that all
 * architectures share: SP, FP (rbp, x29), LR (x30; x86-64 has none). The caller's SP is the CFA.
 */
#ifndef SONDE_BPF_UNWIND_H
#define SONDE_BPF_UNWIND_H

enum unwind_cfa {
	UNWIND_CFA_NONE,     /* .eh_frame does not cover this place */
	UNWIND_CFA_UNKNOWN,  /* it does, but no rule can express it */
	UNWIND_CFA_ROOT,     /* there is no caller */
	UNWIND_CFA_SP,	     /* SP + offset */
	UNWIND_CFA_FP,	     /* FP + offset */
	UNWIND_CFA_PLT,	     /* SP + offset, and 8 more at and after byte `add` of each 16 bytes of text */
	UNWIND_CFA_SP_DEREF, /* the word at SP + offset, + add */
	UNWIND_CFA_FP_DEREF, /* the word at FP + offset, + add */
	/* Register number `add` of the kernel's struct pt_regs + offset. Only the topmost frame has its registers. */
	UNWIND_CFA_REGISTER,
};

/* Where the caller's value of a register is. */
enum unwind_saved {
	UNWIND_SAME,   /* still in the register; for the return address: in LR */
	UNWIND_AT_CFA, /* in memory at the CFA + 8 * offset */
	UNWIND_AT_SP,
	UNWIND_AT_FP,
	UNWIND_LOST, /* unknown: the caller can be found, but not a frame that needs this register */
};

struct unwind_rule {
	int offset;		    /* of the CFA */
	short fp_offset, ra_offset; /* in words of 8 bytes: arm64 saves both below all that a function keeps on the stack */
	unsigned char cfa, fp, ra;  /* enum unwind_cfa, unwind_saved, unwind_saved */
	unsigned char add;
};
_Static_assert(sizeof(struct unwind_rule) == 12, "as on the other side");

/* A row holds from byte `place` of a page of text to the next row. */
struct unwind_row {
	unsigned short place;
	unsigned short rule; /* its number */
};
_Static_assert(sizeof(struct unwind_row) == 4, "as on the other side");

/*
 * Text is divided by its offset in the file into pages of 2 KB, so that a search of the rows of one takes five or six
 * steps. Every page that has a row has one at place 0.
 */
#define UNWIND_PAGE_SHIFT 11

/* Numbers of rules that every set of rules has. */
enum unwind_rule_number {
	UNWIND_RULE_NONE,
	UNWIND_RULE_UNKNOWN,
	UNWIND_RULE_ROOT,
	UNWIND_RULES_FIXED,
};

/*
 * Rows, page entries and mappings all lie in blocks of 32 KB: elements of inner arrays of one entry each, which the
 * outer array of maps "unwind_blocks" holds by block number. A block holds things of one kind. Rows and page entries
 * of a file never change.
 */
#define UNWIND_BLOCK_SIZE 32768
#define UNWIND_BLOCKS_MAX 4096
#define UNWIND_RULES_MAX  16384

/* Where the rows of one page of text are: n rows from index `first` of the block. n 0: the page has no function. */
struct unwind_page {
	unsigned int block;
	unsigned short first, n;
};
_Static_assert(sizeof(struct unwind_page) == 8, "as on the other side");

/* A part of a process's memory that can be executed. */
struct unwind_mapping {
	unsigned long long start, end; /* addresses in the process; end: the first one behind */
	unsigned long long offset;     /* of start, in the file; 0 if there is none */
	/* The entry for page number `page` (file offset >> UNWIND_PAGE_SHIFT), and n_pages - 1 more behind it. */
	unsigned int block;
	unsigned short first;  /* index of the entry in the block */
	unsigned short module; /* its number; 0: no file */
	unsigned int page;
	unsigned int n_pages; /* 0: no table: follow the frame pointer */
};
_Static_assert(sizeof(struct unwind_mapping) == 40, "as on the other side");

#define UNWIND_BLOCK_ROWS     (UNWIND_BLOCK_SIZE / 4)
#define UNWIND_BLOCK_PAGES    (UNWIND_BLOCK_SIZE / 8)
#define UNWIND_BLOCK_MAPPINGS (UNWIND_BLOCK_SIZE / 40)

/*
 * The value of the hash "unwind_spaces", whose key is a process id (host's tgid, unsigned int): the mappings of the
 * process, sorted by address: n of them from index `first` of the block. A changed process gets another run of
 * mappings; user space uses the place of the old run again only later. The address of the vDSO differs after exec: so
 * programs do not take the mappings of what the process ran before for its own.
 */
struct unwind_space {
	unsigned long long vdso; /* 0: the process has none, or user space has not seen it yet */
	unsigned int block;
	unsigned short first, n;
	/* Its interpreter: the address of the runtime's state, and the number of the plan (bpf/interp.h). */
	unsigned long long runtime;
	unsigned int plan;
	int keys; /* from the thread pointer to the value of the first pthread key, in bytes */
};
_Static_assert(sizeof(struct unwind_space) == 32, "as on the other side");

/*
 * The hash "unwind_files": the files of modules by what the kernel has of them in memory, so that programs find the table
 * of a file in a process that user space has not read of yet. All 0: the vDSO. A file that was written to is another one.
 * The value: n mappings from index `first` of the block, as if the file were mapped from address 0 on.
 */
struct unwind_file_key {
	unsigned long long inode, mtime, size; /* mtime: ns since 1970 */
	unsigned int dev;		       /* as the kernel has it: the major number above 20 bits */
	unsigned int unused;
};
_Static_assert(sizeof(struct unwind_file_key) == 32, "as on the other side");

struct unwind_file {
	unsigned int block;
	unsigned short first, n;
};
_Static_assert(sizeof(struct unwind_file) == 8, "as on the other side");

#endif
