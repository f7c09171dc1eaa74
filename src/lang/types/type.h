/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of the language, and how a value of each lies in memory. The layout is the same in keys and values of maps,
 * in records and in objects on a program's stack, so that generated code copies and user space reads with one table.
 * Byte order is the machine's. The pool of the program owns all types; they are never changed once they are complete.
 */
#ifndef SONDE_LANG_TYPES_TYPE_H
#define SONDE_LANG_TYPES_TYPE_H

#include "base/base.h"
#include "base/pool.h"
#include "base/str.h"

enum type_kind {
	TYPE_NONE, /* not known (yet): of an expression with an error, of a map that nothing is assigned to */
	TYPE_VOID,
	TYPE_BOOL,    /* 1 byte */
	TYPE_INTEGER, /* size 1, 2, 4, 8; is_signed */
	TYPE_ENUM,    /* the same, with names of values */
	TYPE_POINTER, /* 8 bytes; `of` may be TYPE_VOID */
	TYPE_ARRAY,   /* count elements `of` */
	TYPE_STRUCT,  /* a struct or union of C, size bytes; fields are found by name, ctypes_field() */
	TYPE_STRING,  /* size bytes: the text, then NULs up to the end, at least one */
	TYPE_BUFFER,  /* u32 length, then size - 4 bytes */
	TYPE_TUPLE,   /* fields without names */
	TYPE_RECORD,  /* fields with names */

	/* What user space turns into text. */
	TYPE_KSYM,	  /* u64 address */
	TYPE_USYM,	  /* struct lang_usym */
	TYPE_KSTACK,	  /* u64 id of bpf/stack.h (0: none); `stack` says how it is printed */
	TYPE_USTACK,	  /* struct lang_ustack */
	TYPE_INET,	  /* struct lang_inet */
	TYPE_MAC,	  /* 6 bytes */
	TYPE_FLOAT,	  /* float or double, by its size: BPF cannot compute with it */
	TYPE_TIME,	  /* of strftime(): struct lang_time */
	TYPE_CGROUP_PATH, /* struct lang_cgroup */
	TYPE_NAMED,	  /* s32 whose name `naming` knows: of strerror(), syscall_name() */
	TYPE_USER,	  /* of username: u32 */
	TYPE_PROBE,	  /* of `probe`: u32, the number of a place: struct lang_program.places */
	TYPE_FUNCTION,	  /* of `func`: the same */

	/* Values of maps that user space adds up over the processors. */
	TYPE_COUNT,	/* u64 */
	TYPE_SUM,	/* u64 or s64: is_signed */
	TYPE_MIN,	/* struct lang_extreme; is_signed */
	TYPE_MAX,	/* the same */
	TYPE_AVG,	/* struct lang_average; is_signed */
	TYPE_STATS,	/* the same: count, average, total */
	TYPE_STDDEV,	/* struct lang_deviation */
	TYPE_HIST,	/* u64[buckets], of `hist` */
	TYPE_LHIST,	/* the same */
	TYPE_QUANTILES, /* the same, with the buckets of HIST_PRECISE (bpf/hist.h) */
	TYPE_TSERIES,	/* struct lang_moment[hist.buckets], a ring: the moment's number modulo buckets is the index */
	TYPES,
};

/* Whose memory a pointer points to. */
enum type_space {
	SPACE_NONE, /* unknown: bpftrace's rule decides by the kind of probe */
	SPACE_KERNEL,
	SPACE_USER,
	SPACE_CONTEXT, /* the program's context, `ctx` and `args`: loaded directly, with constant offsets */
	SPACE_TRUSTED, /* a pointer of BTF that the kernel lets programs load through (args of fentry, tp_btf, iter) */
	SPACE_BPF,     /* of this program: address of a map's value or a variable */
};

struct type_hist {
	uint32_t buckets;
	bool has_sum;		/* not TYPE_TSERIES: the sum of the values is behind the buckets */
	uint32_t bits;		/* TYPE_HIST: each power of two has 2^bits buckets */
	int64_t min, max, step; /* TYPE_LHIST: bucket 0 is below min, the last one is max and above */
	uint64_t interval;	/* TYPE_TSERIES: ns of a moment */
	enum type_kind of;	/* TYPE_TSERIES: TYPE_AVG, TYPE_SUM, TYPE_MIN, TYPE_MAX; TYPE_NONE: the last value */
};

enum type_stack_mode {
	STACK_BPFTRACE,
	STACK_PERF,
	STACK_RAW,
	STACK_BUILD_ID,
};

struct type_field {
	const char *name; /* NULL in tuples */
	const struct type *type;
	uint32_t at;		   /* offset in bytes */
	uint8_t bit_at, bit_count; /* bit field: first bit in the unit of type->size bytes at `at`; bit_count 0: none */
};

/* How user space names a number. */
struct type_naming {
	const char *name;    /* of the type, as messages show it */
	const char *written; /* the same, as programs write it */
	void (*add)(struct str *to, int64_t number);
};

struct type {
	enum type_kind kind;
	uint32_t size;	  /* bytes; 0: unknown or void */
	uint32_t align;	  /* 1, 2, 4, 8 */
	bool is_signed;	  /* integers, enums, sums */
	bool is_literal;  /* an integer that may still grow: it came from literals only */
	bool is_negative; /* such an integer that may be below 0: it makes what it is combined with signed */
	bool is_union;
	bool is_numbers;		 /* an array that the program wrote: int8[4] is no text, as C's char[4] is */
	bool is_const_size;		 /* a string whose size the program gave and that assignment must not grow */
	enum type_space space;		 /* pointer; an integer that is an address: of kaddr() */
	const struct type *of;		 /* pointer, array */
	uint32_t count;			 /* array */
	const char *name;		 /* struct, enum: as C names it, without "struct" */
	const struct type_field *fields; /* tuple, record; struct: once it was looked into, see ctypes_complete() */
	uint32_t n_fields;
	struct type_hist hist;
	enum type_stack_mode mode;
	uint32_t limit;			  /* of frames, TYPE_KSTACK, TYPE_USTACK */
	const struct type_naming *naming; /* TYPE_NAMED */
	uint32_t format;		  /* TYPE_TIME, TYPE_CGROUP_PATH: index in struct lang_program.texts */
	/* struct: what ctypes_complete() needs (ctype.h); NULL: complete. enum: where its values' names are */
	const void *origin;
};

struct lang_usym {
	uint64_t addr;
	uint32_t pid, tid;
};
struct lang_ustack {
	uint64_t id; /* of bpf/stack.h, 0: none */
	uint32_t pid, tid;
};
struct lang_inet {
	uint32_t family; /* AF_INET, AF_INET6 */
	uint8_t bytes[16];
};
struct lang_time {
	uint64_t ns;		/* of the clock */
	uint32_t clock, unused; /* enum lang_clock */
};
enum lang_clock {
	LANG_CLOCK_BOOT,
	LANG_CLOCK_MONOTONIC,
	LANG_CLOCK_TAI,
	LANG_CLOCK_SW_TAI
};
struct lang_cgroup {
	uint64_t id;
};
struct lang_extreme {
	uint64_t value, is_set;
};
#define LANG_EXTREME_SET  1
#define LANG_EXTREME_BUSY 2 /* not yet: a program is about to set the first value */
struct lang_average {
	uint64_t total, count;
};
/* Sums of the values and of their squares; the square sum has 128 bits. */
struct lang_deviation {
	uint64_t total, count, squares_low, squares_high;
};
struct lang_moment {
	uint64_t number, value, count; /* number: time / interval, or LANG_MOMENT_BUSY while it changes */
};
#define LANG_MOMENT_BUSY UINT64_MAX
_Static_assert(sizeof(struct lang_usym) == 16 && sizeof(struct lang_ustack) == 16 && sizeof(struct lang_inet) == 20 &&
		       sizeof(struct lang_time) == 16 && sizeof(struct lang_moment) == 24,
	       "as generated code writes them");

/* --- making; all of them return a type that the pool owns --- */
const struct type *type_integer(uint32_t size, bool is_signed); /* static, as all of these without a pool */
const struct type *type_float(uint32_t size);			/* 4 or 8 */
const struct type *type_bool(void);
const struct type *type_void(void);
const struct type *type_none(void);
/* A kind without parameters: TYPE_KSYM ... TYPE_FUNCTION, TYPE_COUNT ... */
const struct type *type_simple(enum type_kind kind);
const struct type *type_string(struct pool *pool, uint32_t size);
const struct type *type_buffer(struct pool *pool, uint32_t size); /* size: the most bytes, without the length */
const struct type *type_pointer(struct pool *pool, const struct type *of, enum type_space space);
const struct type *type_array(struct pool *pool, const struct type *of, uint32_t count);
/* Sets offsets and size; aligned as C does. fields are copied. */
const struct type *type_tuple(struct pool *pool, const struct type_field *fields, uint32_t n, bool is_record);
/* TYPE_NAMED. */
const struct type *type_named(struct pool *pool, const struct type_naming *naming);
const struct type *type_copy(struct pool *pool, const struct type *type); /* to be changed before anybody sees it */

/* --- asking --- */
bool type_is_integral(const struct type *type);	 /* an integer, bool or enum */
bool type_is_scalar(const struct type *type);	 /* fits into a register as it is: integral or a pointer */
bool type_is_aggregate(const struct type *type); /* TYPE_COUNT to TYPE_TSERIES: values that only maps have */
bool type_is_stack(const struct type *type);
bool type_same(const struct type *a, const struct type *b);
/* The field of that name, also in unnamed members, with its offset from the begin; false: there is none. */
bool type_field_find(const struct type *type, const char *name, struct type_field *field);
/*
 * The type as bpftrace names it in messages and listings: "uint64", "struct task_struct *", "string[64]",
 * "(int64,string[4])", "count_t".
 */
void type_show(const struct type *type, struct str *to);

#endif
