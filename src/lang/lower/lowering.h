/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of lowering one probe, values on their way, and what the files of lang/lower/ offer each other and
 * lang/functions/.
 *
 * An expression becomes a struct low_value: a register, a place in memory, or something that is only read where it is
 * needed, such as comm or str(). So a text goes from where it is straight to where it is wanted: a record or a key.
 */
#ifndef SONDE_LANG_LOWER_LOWERING_H
#define SONDE_LANG_LOWER_LOWERING_H

#include "lang/check/function.h"
#include "lang/lower/lower.h"

/* A place in memory. With an object: a piece of the function's frame. */
struct low_memory {
	bool is_object;
	uint32_t object;
	struct ir_value base;  /* without an object: an address */
	int64_t at;	       /* bytes behind it */
	enum type_space space; /* SPACE_BPF, SPACE_CONTEXT: loaded; SPACE_KERNEL, SPACE_USER: read by a helper */
	bool is_frame;	       /* in a frame: accesses have to be aligned */
	bool is_unsure;	       /* kernel memory by the rules; a text that is not there is looked for in user memory */
	uint8_t bit_at, bit_count;
};

enum low_kind {
	LOW_SCALAR,   /* v: extended to 64 bits by its type's sign */
	LOW_MEMORY,   /* memory */
	LOW_OPTIONAL, /* the same, in a map's value; the base may be NULL: then the value is zero */
	LOW_LITERAL,  /* text: len bytes */
	LOW_COMM,     /* the name of the current task */
	LOW_STRING,   /* text at the address v in memory.space; limit */
	LOW_BUFFER,   /* bytes there: limit */
	LOW_TUPLE,    /* elements */
};

struct low_value {
	enum low_kind kind;
	const struct type *type;
	struct ir_value v;
	struct low_memory memory;
	const char *text;
	uint32_t len;
	struct ir_value limit;	    /* LOW_STRING: bytes with the NUL; LOW_BUFFER: bytes */
	bool is_part;		    /* LOW_STRING: cutting it is meant, and not reported */
	bool is_own;		    /* LOW_STRING: of the program's memory */
	bool is_quiet;		    /* both: empty if it cannot be read, which is no loss */
	struct low_value *elements; /* as many as the type has fields */
	struct span at;		    /* the expression; end 0: none */
};

/* Where a variable lives: in a register, or in memory. */
struct low_variable {
	bool is_known, in_memory;
	bool in_scratch;   /* that a loop's body shares */
	uint32_t function; /* of reg, or of memory's object */
	uint32_t reg;
	struct low_memory memory;
};

/* An object that is used again when a statement is over. */
struct low_temp {
	uint32_t object, size;
};
#define LOWER_TEMPS 64

struct low_loop {
	struct low_loop *outer;
	uint32_t again, out; /* blocks of continue and break */
};

/* The function that is being built: the program's own or a loop's body. */
struct low_function {
	struct low_function *outer;
	uint32_t number;
	uint32_t exit;		 /* the block that ends it */
	uint32_t result;	 /* a register: what it returns */
	struct ir_value context; /* ctx */
	struct ir_value scratch;
	struct ir_value frame; /* a loop's body: address of the program's shared object */
	struct low_loop *loop;
	bool may_return; /* the body of a loop has a return */
	struct low_temp temps[LOWER_TEMPS];
	uint32_t n_temps;
	uint64_t used_temps; /* a bit for each */
	uint32_t frame_size; /* bytes of objects */
	uint32_t inner_size; /* of the largest frames of functions within */
};

/* What a program and the bodies of its loops share: an object of the program's own frame. */
enum low_shared {
	SHARED_CONTEXT = 0,
	SHARED_SCRATCH = 8,
	SHARED_RETURNED = 16, /* not 0: a loop's body returned */
	SHARED_RESULT = 24,
	SHARED_VARIABLES = 32,
};

/* What does not change during a run: see lower_cache.c. */
enum low_known_what {
	KNOWN_IDS,
	KNOWN_USER,
	KNOWN_TASK,
	KNOWN_CGROUP,
	KNOWN_RESULT,
	KNOWN_ARGUMENT, /* the first of 10 */
	KNOWN_END = KNOWN_ARGUMENT + 10,
};
struct low_known {
	bool is_known;
	struct ir_value v;
};
struct low_entry {
	const struct lang_map *map;
	const struct ast *key;
	struct ir_value v; /* the address or NULL */
};

/* A part of the program that claims scratch memory for itself, unless the program has it anyway. */
struct low_claim {
	uint32_t before, after; /* blocks that are filled at the end, when that is known */
	uint32_t none;		/* where it goes if no memory is free */
	bool had;		/* whether the program needed scratch memory before */
};

struct lower {
	struct lang_program *program;
	const struct checked_probe *checked;
	struct lang_probe *probe;
	const struct lang_options *options;
	struct ir_builder b;
	struct low_function *f;
	vec(struct low_variable) variables; /* by number */
	uint32_t shared;		    /* the object; IR_NONE: none yet */
	uint32_t shared_size;		    /* its bytes so far */
	uint32_t scratch_top;		    /* bytes in use */
	uint32_t scratch_kept;		    /* of them those that are in use for as long as the program */
	uint32_t scratch_size;
	uint32_t conditional; /* arms of conditions and loops around the place where instructions are added */
	vec(struct low_claim) claims;
	bool may_claim;	   /* behind the predicate, where the program itself claims scratch memory if it needs it */
	bool is_full;	   /* more than LOWER_SIZE_MAX: an error was reported */
	bool is_predicate; /* in the predicate, at its top: what it computes, the body can use */
	struct low_known known[KNOWN_END];
	struct low_entry entry;
};

/*
 * Objects of at most this many bytes are in the frame, as long as the frames of a program and of the loops in it have
 * no more than LOWER_FRAMES_MAX together. The rest of LANG_STACK_UNWIND is for registers that are spilled.
 */
#define LOWER_OBJECT_MAX 64
#define LOWER_FRAMES_MAX (LANG_STACK_UNWIND - 80)
/* Registers and blocks of a function: what is larger takes long to compile, and no kernel would accept it. */
#define LOWER_SIZE_MAX 30000

/* --- lower.c --- */
void lower_error(struct lower *l, struct span at, const char *fmt, ...) __printf(3, 4);
/* True, with an error, once the function is too large to go on. */
bool lower_is_full(struct lower *l, struct span at);
/* Instructions go there from now on. */
static inline void lower_at(struct lower *l, uint32_t block)
{
	l->b.block = block;
}
/* A block of errors and full maps. */
uint32_t lower_cold_block(struct lower *l);
/* Ends the function: jumps to its exit unless the block has ended. */
void lower_exit(struct lower *l);
/* What comes between the two may use scratch memory. Only if may_claim, and not for the bodies of loops. */
struct low_claim lower_claim_begin(struct lower *l, uint32_t none);
void lower_claim_end(struct lower *l, struct low_claim *claim);

/* --- lower_cache.c: false: it is not known here --- */
bool lower_remembered(struct lower *l, uint32_t what, struct ir_value *v);
struct ir_value lower_remember(struct lower *l, uint32_t what, struct ir_value v); /* returns v */
bool lower_entry_remembered(const struct lower *l, const struct lang_map *map, const struct ast *key,
			    struct ir_value *entry);
void lower_entry_remember(struct lower *l, const struct lang_map *map, const struct ast *key, struct ir_value entry);
/* The map's entries change; NULL: those of any map may. */
void lower_entry_forget(struct lower *l, const struct lang_map *map);

/* --- lower_memory.c: places, temporaries, loads, stores, copies --- */
/* Whether an object of so many bytes has room in the frames. */
bool lower_fits(const struct lower *l, uint32_t size);
/* Memory of size bytes until the statement is over. It holds garbage. */
struct low_memory lower_temp(struct lower *l, uint32_t size);
/* The same for as long as the program. */
struct low_memory lower_object(struct lower *l, uint32_t size);
/* Memory of that many bytes in scratch memory. */
struct low_memory lower_scratch(struct lower *l, uint32_t size);
struct low_mark {
	uint32_t scratch;
	uint64_t used_temps;
};
struct low_mark lower_mark(struct lower *l);
void lower_release(struct lower *l, struct low_mark mark);
struct ir_value lower_address(struct lower *l, const struct low_memory *memory);
struct low_memory lower_pointed(struct ir_value base, enum type_space space);
static inline struct low_memory lower_behind(struct low_memory memory, int64_t bytes)
{
	memory.at += bytes;
	return memory;
}
/* Memory of the program only. */
struct ir_value lower_load(struct lower *l, const struct low_memory *memory, uint8_t bits, bool is_signed);
void lower_store(struct lower *l, const struct low_memory *memory, uint8_t bits, struct ir_value v);
/* The scalar of that type that lies there, in whatever memory. */
struct ir_value lower_load_scalar(struct lower *l, const struct low_memory *memory, const struct type *type);
/* Copies bytes to memory of the program, from whatever memory. */
void lower_copy(struct lower *l, const struct low_memory *to, const struct low_memory *from, uint32_t size);
void lower_zero(struct lower *l, const struct low_memory *to, uint32_t size);
void lower_bytes(struct lower *l, const struct low_memory *to, const void *bytes, uint32_t size);
struct ir_value lower_helper(struct lower *l, uint32_t helper, unsigned int n, ...); /* n values */
struct ir_value lower_library(struct lower *l, uint32_t function, unsigned int n, ...);
/* Reads size bytes to memory of the program; the helper zeroes it if it fails. */
void lower_read(struct lower *l, const struct low_memory *to, const struct low_memory *from, struct ir_value size);

/* --- lower_fault.c --- */
/* With -k: a record says where and why memory could not be read. For cold blocks. */
void lower_fault(struct lower *l, const char *helper, struct ir_value ret);
/* If ret is below 0: counts a read that failed, unless the library has (is_counted); with -k the same record. */
void lower_check_read(struct lower *l, const char *helper, struct ir_value ret, bool is_counted);
/* With -k: reports that a map has no such entry, if entry is NULL. */
void lower_check_entry(struct lower *l, struct ir_value entry);

/* --- lower_value.c --- */
/* Whether a register holds a value of the type: integers, pointers, and what user space makes of one number. */
bool lower_is_word(const struct type *type);
struct low_value lower_scalar(struct ir_value v, const struct type *type);
struct low_value lower_at_memory(struct low_memory memory, const struct type *type);
/* The value in a register. */
struct ir_value lower_use(struct lower *l, const struct low_value *value);
/* Cuts or extends a register to what a variable of the type holds. */
struct ir_value lower_cut(struct lower *l, struct ir_value v, const struct type *type);
/* Writes the value to memory of the program, converted to type; all bytes of it. */
void lower_write(struct lower *l, const struct low_value *value, const struct low_memory *to, const struct type *type);
/* The same to a variable or map of the program, which parts of the value may lie in. */
void lower_write_over(struct lower *l, const struct low_value *value, const struct low_memory *to,
		      const struct type *type);
/* The value in memory of the program: where it is if it is there already. */
struct low_memory lower_place(struct lower *l, const struct low_value *value, const struct type *type);
/* The same where the library reads words: what is in a frame is aligned to 8 bytes. */
struct low_memory lower_place_words(struct lower *l, const struct low_value *value, const struct type *type);

/* --- lower_expression.c --- */
struct low_value lower_expression(struct lower *l, struct ast *ast);
struct ir_value lower_number(struct lower *l, struct ast *ast);
/* Goes to one of two blocks. */
void lower_condition(struct lower *l, struct ast *ast, uint32_t then, uint32_t otherwise);
struct ir_value lower_arithmetic(struct lower *l, enum ast_op op, struct ir_value x, const struct type *x_type,
				 struct ir_value y, const struct type *y_type, const struct type *type);
/* A register that is 1 if the branch is taken, else 0. */
struct ir_value lower_truth(struct lower *l, struct ast *ast);

/* --- lower_compare.c --- */
bool lower_is_comparison(enum ast_op op);
void lower_compare(struct lower *l, struct ast *ast, uint32_t then, uint32_t otherwise);
/* Goes to then if both texts are the same up to their NUL. */
void lower_compare_texts(struct lower *l, const struct low_value *x, const struct low_value *y, uint32_t then,
			 uint32_t otherwise);

/* --- lower_access.c: fields, elements, what pointers point to --- */
struct low_value lower_field(struct lower *l, struct ast *ast);
struct low_value lower_index(struct lower *l, struct ast *ast);
struct low_value lower_dereference(struct lower *l, struct ast *ast);
/* Whose memory a pointer of that type points to, in this probe. */
struct low_memory lower_target(struct lower *l, struct ir_value pointer, const struct type *type);
/* --- lower_trusted.c --- */
/* x.name where the kernel follows x: loaded, if it can be. False: it cannot, and nothing was done. */
bool lower_trusted_field(struct lower *l, struct ast *ast, struct low_value *value);
/* The address of a struct, or a pointer's value, as the kernel follows its type: by loads from the context on. */
struct ir_value lower_trusted(struct lower *l, struct ast *ast);

/* --- lower_argument.c: what the probe gives --- */
struct low_value lower_result(struct lower *l, const struct type *type);
struct low_value lower_all_arguments(struct lower *l, struct ast *ast); /* args as a record */
struct ir_value lower_stack_argument(struct lower *l, uint32_t n);	/* its n-th word on the stack */
struct ir_value lower_user_mode(struct lower *l);
struct ir_value lower_caller(struct lower *l);
struct low_value lower_errno(struct lower *l, struct ast *ast);

/* --- lower_context.c --- */
struct low_value lower_name(struct lower *l, struct ast *ast);
struct low_value lower_args_field(struct lower *l, struct ast *ast);
struct ir_value lower_argument(struct lower *l, uint32_t n);
struct ir_value lower_register(struct lower *l, const char *name);
/* Whether the register of that name has the address of the instruction. */
bool lower_is_instruction_pointer(const char *name);
/* The address of the place of a uprobe. */
struct ir_value lower_instruction_pointer(struct lower *l);
struct ir_value lower_place_number(struct lower *l);
struct ir_value lower_ids(struct lower *l); /* process << 32 | thread */
/* What a helper without arguments returns, which is the same in the whole run: enum low_known_what. */
struct ir_value lower_once(struct lower *l, uint32_t what, uint32_t helper);
/* ns since 1970, as the wall clock was when the program began. */
struct ir_value lower_wall_clock(struct lower *l);
/* A user's address with its process; a stack. */
struct low_value lower_usym(struct lower *l, struct ir_value address, const struct type *type);
struct low_value lower_stack(struct lower *l, bool is_user, const struct type *type);
/* The name of a task's process. */
struct low_value lower_group_comm(struct lower *l, struct ir_value task, const struct type *type);

/* --- lower_variable.c --- */
struct low_value lower_variable(struct lower *l, struct ast *ast);
void lower_set_variable(struct lower *l, struct ast_variable *variable, const struct low_value *value);
void lower_clear_variable(struct lower *l, struct ast_variable *variable);
struct low_value lower_assign(struct lower *l, struct ast *ast);
struct low_value lower_step(struct lower *l, struct ast *ast);
struct ast lower_one(const struct ast *step); /* the 1 of ++ and -- */
/* The object that the program shares with its loops, and a new piece of it. */
struct low_memory lower_shared(struct lower *l, uint32_t at);
struct low_memory lower_shared_new(struct lower *l, uint32_t size);

/* --- lower_map.c --- */
struct low_value lower_map(struct lower *l, struct ast *ast);
struct low_value lower_map_read(struct lower *l, struct lang_map *map, struct ast *key);
void lower_map_set(struct lower *l, struct lang_map *map, struct ast *key, const struct low_value *value);
struct low_value lower_map_update(struct lower *l, struct ast *map, enum ast_op op, struct ast *by, bool wants_old,
				  bool wants_new);
/* The address of an entry of a hash; NULL in the register if there is none. */
/* Writes a key, filled up with zeros (lang_key_size()). Returns its address. */
struct ir_value lower_map_key(struct lower *l, const struct lang_map *map, struct ast *key);
/*
 * The address of the entry; one that is not there is made, all zero. Goes to `out` if there is no room.
 */
struct low_memory lower_map_entry(struct lower *l, struct lang_map *map, struct ast *key, uint32_t out);
/* delete(@x, key); key NULL: the map has none. */
struct low_value lower_map_delete(struct lower *l, struct ast *call, struct lang_map *map, struct ast *key);
/* Whether the entry is there; if so, its value goes to the variable (NULL: nowhere). */
struct low_value lower_map_find(struct lower *l, struct ast *call, struct lang_map *map, struct ast *key,
				struct ast *variable);

/* --- lower_aggregate.c --- */
void lower_aggregate(struct lower *l, struct lang_map *map, struct ast *key, struct ast *call);
/* lower_total.c: the sum over the processors of an aggregate, as memory of map->value's type or as a number. */
struct low_value lower_total(struct lower *l, struct lang_map *map, struct ast *key, const struct type *as);
struct low_value lower_total_of(struct lower *l, struct lang_map *map, struct ir_value key_address,
				const struct type *as);

/* --- lower_call.c --- */
/* Of functions whose value is known before the program runs, or that have none: adds no code. */
struct low_value lower_nothing(struct lower *l, struct ast *call);
/* Of functions that are not supported: the message is function->instead. */
struct low_value lower_instead(struct lower *l, struct ast *call);
/* Of functions whose value is the number that they are given, as another type. */
struct low_value lower_number_call(struct lower *l, struct ast *call);
/*
 * A length that is known only when the program runs, between min and max: the verifier has to see that. Numbers below 0
 * are large ones.
 */
struct ir_value lower_bounded(struct lower *l, struct ir_value v, uint32_t min, uint32_t max);
/* --- lower_glob.c --- */
struct low_value lower_glob(struct lower *l, struct ast *call);

/* --- lower_record.c --- */
void lower_record(struct lower *l, struct lang_site *site, struct ast *args);
/* The same with values that are there already. */
void lower_record_values(struct lower *l, const struct lang_site *site, const struct low_value *values);
struct low_value lower_join(struct lower *l, struct ast *call);
/* Sends a record of so many bytes that is in scratch memory; counts it if there is no room. */
void lower_output(struct lower *l, const struct low_memory *begin, struct ir_value bytes, const struct lang_site *site);

/* --- lower_statement.c, lower_loop.c --- */
void lower_statement(struct lower *l, struct ast *ast);
void lower_statements(struct lower *l, struct ast *first);
void lower_loop(struct lower *l, struct ast *ast);
struct low_value lower_len(struct lower *l, struct ast *call);

#endif
