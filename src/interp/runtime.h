/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file with an interpreter: is it one, of which version, and how are its frames found (bpf/interp.h)? Asked once for
 * each file, of what the file itself says. Knows no process.
 */
#ifndef SONDE_INTERP_RUNTIME_H
#define SONDE_INTERP_RUNTIME_H

#include "base/base.h"
#include "bpf/interp.h"

struct binary;
struct language;

/* Where objects of a version of Python have what, in bytes from their begin. */
struct python_layout {
	uint16_t filename, qualname, linetable, firstline, code_data; /* of a code object */
	uint16_t ascii, compact;				      /* the text of a string, of other strings */
	/* From the runtime's state: the types of code objects, strings and bytes. */
	uint64_t code_type, string_type, bytes_type;
};

/* The same for PHP. */
struct php_layout {
	uint16_t filename; /* of a function */
};

/* The same for Ruby. All of it is confirmed by the file. */
#define RUBY_BODY_PATH	  0x40
#define RUBY_BODY_LABEL	  0x50
#define RUBY_LINES_PARENT 0x30 /* from the lines: the code around it, and the function's, which has no other around it */
#define RUBY_LINES_LOCAL  0x38
#define RUBY_LABELS	  3
extern const char *const ruby_labels[RUBY_LABELS];
struct ruby_layout {
	uint16_t lines;	 /* of the body of a code object */
	bool has_length; /* short strings have it as long ones do */
	/* From the runtime's state, 0: not known: the names of symbols, and where the file has some labels. */
	uint64_t symbols, labels[RUBY_LABELS];
};

/* The same for V8: of objects by their address, which in pointers has 1 added. */
struct v8_layout {
	uint16_t map_type, function_shared; /* of a map, a function */
	/* Of what all closures of a function share. shared_other: what it has in place of code. */
	uint16_t shared_data, shared_other, shared_name, shared_script, shared_flags;
	uint16_t scope_head; /* words before the names; with 6 of them two are its positions */
	uint16_t script_source, script_name, script_line, script_ends;
	uint16_t bytecode_positions, bytecode_data;
	uint16_t code_data, code_positions, code_stream, code_start, code_kind, code_size;
	/* Of the instructions of a code object; stream_code 0: they and their head are the object. */
	uint16_t stream_code, stream_start, stream_align;
	/* Members of the array for deoptimisation, behind its head, and how many come before its entries. */
	uint8_t data_literals, data_shared, data_calls, data_exits, data_words;
	uint8_t kind_baseline, kind_optimized, kinds_optimized; /* kinds of code: the first that is optimized, and how many */
	uint8_t kind_maglev;					/* its entries have no return addresses; 0: there is none */
	uint8_t register_bytecode, register_offset;		/* words of the kernel's pt_regs */
	const char *sizes, *opcodes;				/* of bytecodes, of translations: v8_tables.h */
	/* Types of objects. */
	uint16_t shared_type, scope_type, script_type, array_type, weak_type, bytes_type, bytecode_type, interpreter_type;
	uint16_t code_type, data_type;
	uint16_t trusted_type; /* of bytes, too */
	uint16_t wrapper_type; /* of what points to a function; 0: there is none */
};

/* The same for HotSpot, which says all in tables. */
struct java_layout {
	/* From the runtime's state. */
	uint32_t low, high, heaps, interpreter, call_stub;
	uint32_t array_length, array_data, space_low, space_high, heap_memory, heap_segments, heap_shift, block_size;
	uint32_t queue_begin, queue_size;
	/* Of a piece of code: its head; its tables, at offsets or by pointers. */
	uint32_t name, frame_size, complete, code_at, number, code_method, relocations, mutable, mutable_size, immutable,
		immutable_size;
	uint32_t places, places_end, scopes, metadata;
	/* Of a method, what of it does not change, its constants, its class. */
	uint32_t method_const, const_pool, const_code_size, const_size, const_name, const_flags, const_number, code_begin;
	/* class_file: where the class has what pool_file says; 0: it has not */
	uint32_t pool_holder, pool_length, pool_file, pool_begin, class_name, class_pool, class_methods, class_file, methods_data;
	uint32_t symbol_length, symbol_body;
	bool is_new;   /* code has its tables elsewhere: 25 */
	uint8_t minus; /* what each byte of a packed number has too much: 1 from 20 on */
};

struct runtime {
	const struct language *language;
	unsigned int major, minor; /* of the language; 0: not known */
	const char *why;	   /* NULL: it has a plan; else why it has none, for people: a constant */
	/* The begin of the runtime's state, from the begin of the file if it were mapped as the loop's segment is. */
	uint64_t state;
	uint64_t loop; /* the offset in the file of the loop's function */
	struct interp_plan plan;
	union {
		struct python_layout python;
		struct php_layout php;
		struct ruby_layout ruby;
		struct v8_layout v8;
		struct java_layout java;
	};
};

/* Returns what a file is, which the caller frees; NULL: it is no interpreter that we know of. */
struct runtime *runtime_read(struct binary *binary);

#endif
