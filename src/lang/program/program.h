/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A compiled program: instructions for each probe, maps, and what user space does with records. The engine links it
 * with bpf/lang.bpf.c, attaches it and interprets its records (script/script.h). Offsets and sizes are in bytes.
 */
#ifndef SONDE_LANG_PROGRAM_PROGRAM_H
#define SONDE_LANG_PROGRAM_PROGRAM_H

#include "bpf/lang.h"
#include "lang/code/code.h"
#include "lang/places/probes.h"
#include "lang/text/source.h"
#include "lang/types/type.h"

enum lang_storage {
	LANG_CELL,  /* no key, a plain value: in lang_cells, shared by all processors */
	LANG_CELLS, /* no key, an aggregate: in each processor's shard of lang_shards */
	LANG_SLOTS, /* the key is `probe` or `func` alone, an aggregate: an array by place in each shard */
	LANG_KEYS,  /* a total of one or two words by a short key: keys in a struct lang_keys, values in each shard */
	LANG_HASH,  /* BPF_MAP_TYPE_HASH, values are shared */
	LANG_PERCPU_HASH,
	LANG_LRU_HASH,
	LANG_LRU_PERCPU_HASH,
	LANG_ARRAY, /* of `let @x = array(n)` */
	LANG_PERCPU_ARRAY,
};

struct lang_map {
	const char *name;  /* with '@' */
	const char *typed; /* what the user typed that it belongs to: its name, or a probe in bcc's notation */
	struct span at;
	const struct type *key;	  /* NULL: none */
	const struct type *value; /* TYPE_NONE: nothing is ever assigned */
	enum lang_storage storage;
	uint32_t max_entries;
	uint32_t number; /* index in lang_program.maps */
	/*
	 * LANG_CELLS, LANG_SLOTS, LANG_KEYS: offset in a shard. LANG_CELL: offset in lang_cells; the byte behind the
	 * value, at at_cell + value->size, is 1 once the program has assigned a value: user space prints no map that
	 * was never assigned.
	 */
	uint32_t at_cell;
	/* LANG_SLOTS: number of places; LANG_KEYS: of entries, a power of two. Value i: at_cell + i * value->size. */
	uint32_t n_slots;
	uint32_t at_keys; /* LANG_KEYS: offset of the struct lang_keys in lang_cells */
	/*
	 * A hash to which the program only adds, and which clear() empties, has a twin, number + the number of maps.
	 * The word at at_turn in lang_cells tells which of the two programs add to: not 0: the twin.
	 */
	bool has_twin;
	uint32_t at_turn;
	bool is_declared;
	/*
	 * All keys without room have one value together: LANG_KEYS: value n_slots; LANG_PERCPU_HASH: at at_cell in a
	 * shard.
	 */
	bool has_others;
	/*
	 * What each part of the key is, for labels: the name of the variable, field or builtin that the program first
	 * used there; NULL: nothing has a name. As many as the key has parts.
	 */
	const char *const *labels;
	uint32_t n_labels;
	/*
	 * LANG_HASH: each key is `tid`. Values are in a struct lang_tasks at at_cell in lang_cells, and only those
	 * that find no room there in the hash.
	 */
	bool has_tasks;
	/* (checker) a key is not `tid`, or the map is used in ways that need all entries in the hash */
	bool is_general;
	/* (checker) the program does not only assign to its entries, print() and zero() it */
	bool is_read;
	/* (checker) the program itself looks at its entries or deletes some: what clear() forgets must not be there */
	bool is_seen;
	bool is_cleared; /* (checker) by clear() */
	/* (checker) the program deletes some of its entries */
	bool is_deleted;
	/* (checker) the program changes values other than by adding to them: assigns, deletes, takes an address */
	bool is_set;
	/* (checker, lowering) the program uses its values, also the result of @x++ */
	bool is_valued;
	/* (lowering) an arm that may run assigns to it */
	bool is_written;
	/* (checker) the program computes with its values; it does not only set, step, print and delete them */
	bool is_used;
};

/*
 * Bytes of a key in the kernel's hash. The kernel compares whole words at once, and the rest byte by byte: short keys
 * are filled up with zeros.
 */
static inline uint32_t lang_key_size(const struct lang_map *map)
{
	bool is_array = map->storage == LANG_ARRAY || map->storage == LANG_PERCPU_ARRAY;

	return is_array || map->key->size > 64 ? map->key->size : (map->key->size + 7) / 8 * 8;
}

/* What a record is about: a place in the program where user space has something to do. */
enum lang_site_kind {
	SITE_PRINTF, /* format, args */
	SITE_ERRORF, /* the same, to stderr with its place */
	SITE_WARNF,
	SITE_CAT,	  /* format, args: name of a file */
	SITE_SYSTEM,	  /* format, args: a command */
	SITE_PRINT,	  /* args[0]: a value */
	SITE_CALL,	  /* print(args) of a system call that begins: args: its number, registers, the memory of call_memory() */
	SITE_CALL_ENDS,	  /* of one that ends: args: its number, its result */
	SITE_PRINT_MAP,	  /* map; args: top, div (u64; 0: none); format: printa()'s, of key and value */
	SITE_PRINT_ENTRY, /* print(@x[key]): args: key, value */
	SITE_CLEAR,	  /* map */
	SITE_ZERO,	  /* map */
	SITE_TIME,	  /* format of strftime(3) */
	SITE_JOIN,	  /* args[0]: the strings as one buffer, joined by the program */
	SITE_EXIT,	  /* args[0]: status */
	SITE_SKBOUTPUT,	  /* format: the file; args[0]: buffer */
	SITE_MISSING,	  /* an entry of a map is not there; format: the warning; only counted without -k */
	SITE_DIVISION,	  /* a division by 0: warning */
	SITE_FAULT,	  /* -k: a helper failed: args[0]: its result; format: its name */
	SITE_ADDED,	  /* a key was added where user space has to know: reserved for the engine */
};

struct lang_site_argument {
	const struct type *type;
	/*
	 * Offset in the record's data. A string or buffer that is an argument by itself is a struct lang_text there,
	 * whose bytes are further back in the record, so that short texts make short records. All other types lie as
	 * in type.h.
	 */
	uint32_t at;
};

struct lang_site {
	enum lang_site_kind kind;
	struct span at;
	uint32_t number;    /* index in lang_program.sites; in the record */
	const char *format; /* checked against args; NULL: none */
	const struct lang_site_argument *args;
	uint32_t n_args;
	uint32_t size; /* of the fixed part of the data: all arguments; the texts follow */
	struct lang_map *map;
	bool has_newline;
	int call; /* SITE_CALL: the call whose memory the last arguments are */
	uint32_t n_registers;
};

/* How code must be attached; the engine chooses the mechanism within that. */
struct lang_needs {
	bool arguments;	 /* argN, retval: registers or a trampoline's */
	bool registers;	 /* reg(), ctx of kprobe, stack arguments: pt_regs, so no trampoline */
	bool record;	 /* args of a tracepoint: perf's record */
	bool trampoline; /* args, retval of fentry, fexit */
	bool kernel_stack, user_stack;
	bool limited_stack; /* kstack(N) */
	bool place;	    /* probe, func, LANG_SLOTS: lang_place() */
	bool scratch;
	bool sleeps; /* reserved */
};

/* One action block and the attach points of one kind in it; a block with several kinds becomes several. */
struct lang_probe {
	enum lang_probe_kind kind;
	struct span at;
	const struct lang_attach *attach; /* the first; for kinds without targets the only one */
	struct target_set targets;	  /* empty for kinds without targets */
	/*
	 * With wildcards of fentry, tracepoints and USDT, places differ in their arguments: a probe has those that
	 * agree.
	 */
	uint32_t first_place; /* place = first_place + slot */
	uint32_t n_places;
	struct lang_needs needs;
	struct lang_code code;
	uint32_t stack; /* bytes of the deepest chain of its own functions */
};

/* The texts of all places, for programs that work on them: one behind the other, and behind the last an empty one. */
struct lang_place_texts {
	uint32_t at;   /* offset in lang_cells */
	uint32_t size; /* bytes of each, filled up with NULs; 0: no program needs them */
};

struct lang_place {
	const char *probe;    /* "kprobe:vfs_read", as `probe` prints it */
	const char *function; /* "vfs_read" */
	const char *type;     /* "kprobe" */
	uint64_t addr;	      /* of the function; 0: unknown */
};

/* Values of config = { } and BPFTRACE_*: language.md has the meaning of each. */
struct lang_config {
	uint32_t max_map_keys, max_strlen, max_cat_bytes, max_probes, max_bpf_progs, perf_rb_pages, log_size,
		on_stack_limit;
	enum {
		MISSING_ERROR,
		MISSING_WARN,
		MISSING_IGNORE
	} missing_probes;
	enum type_stack_mode stack_mode;
	const char *str_trunc_trailer, *license, *cache_user_symbols;
	bool print_maps_on_exit, cpp_demangle, lazy_symbolication, show_debug_info;
	bool refuses_tseries, warns_of_tseries; /* unstable_tseries=error, =warn */
};

struct lang_program {
	struct pool pool;
	struct lang_sources sources;
	struct lang_messages messages;
	bool is_malformed; /* it is no program, on any kernel: the first errors are of the syntax */
	bool is_misused;   /* errors are in the arguments: an option that it does not have, a probe in bcc's notation */
	/* It has positional parameters up to this one; SIZE_MAX: it has $#. Known if it is not malformed. */
	size_t n_positional;
	struct ctypes *types;
	struct lang_config config;
	vec(struct lang_probe) probes;
	vec(struct lang_map *) maps;
	vec(struct lang_site *) sites;
	vec(struct lang_place) places;
	struct lang_place_texts probe_texts, function_texts;
	vec(const char *) texts;   /* formats of strftime(), filters of cgroup_path() */
	bool debugs;		   /* it writes to the kernel's trace pipe */
	bool has_tests;		   /* test or bench probes were left out: neither was asked for */
	uint32_t cells_size;	   /* lang_cells */
	uint32_t shard_size;	   /* a processor's shard of lang_shards, a multiple of 64 */
	uint32_t scratch_size;	   /* the largest of all probes, 0: none needs it */
	uint32_t zero_size;	   /* bytes of LANG_DATA_ZERO: the largest value that a program adds to a hash; 0: none */
	vec(const char *) options; /* names of getopt(), for --help: pairs of name and description */
};

/* Whether the '%' in a format that is followed by this text is one that is printed: "100%", "% of". */
static inline bool lang_format_is_plain(const char *behind)
{
	static const char flags[] = "-+ #0'";

	return (!*behind || strchr(" \t\n", *behind)) && (!behind[strspn(behind, flags)] ||
							  !strchr("0123456789.hljztLdiuxXopcsrg", behind[strspn(behind, flags)]));
}

/* The same for "100% done", which could be a specifier with a flag, once no argument is left for it. */
static inline bool lang_format_is_plain_without(const char *behind)
{
	return *behind == ' ' || lang_format_is_plain(behind);
}

#endif
