/* SPDX-License-Identifier: BSD-2-Clause */
/* One frame of a stack with its name, as printers write it. Knows neither processes nor files. */
#ifndef SONDE_OUTPUT_FRAME_H
#define SONDE_OUTPUT_FRAME_H

#include "base/base.h"

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_JIT,
	FRAME_INTERPRETED,
	FRAME_MARK, /* no code: "[unknown]", "[lost]" */
};

/* A color of its own in flame graphs, as CSS has it: "#ff8f8f". Text on it has a contrast of 5.5 or more. */
struct frame_color {
	const char *light, *dark; /* where the page is light, or dark */
};

/* Strings are foreign bytes, and stay valid as long as whoever made the frame. Equal frames are one object. */
struct frame {
	const char *name;     /* what people read: "vfs_read", "shop::Cart::add", "libc.so.6+fn@0x2a1f0"; never NULL */
	const char *symbol;   /* as the linker or kernel has it, NULL: the same as name */
	const char *file;     /* path of the file, "[vdso]", a kernel module's name; NULL: none */
	const char *build_id; /* of the file, in hexadecimal; NULL: none */
	uint64_t address;     /* in the kernel; as linked if there is a file; else in the process */
	uint64_t start;	      /* of the function, likewise; 0: not known */
	enum frame_kind kind;
	/* of a FRAME_MARK for what a thread waits for, the innermost frame of its stack; NULL: of all others */
	const struct frame_color *color;
};

/* Returns the name, for formats whose readers take no empty names. */
static inline const char *frame_name(const struct frame *frame)
{
	return *frame->name ? frame->name : "[unknown]";
}

/* A part of a stack, the innermost frame first, 127 frames at most: what a member of FIELD_STACK is. */
struct frame_stack {
	const struct frame *const *frames; /* NULL: there is no such stack (null); not owned */
	size_t n;
};

/* How text and folded output write stacks; options set it. */
struct frame_style {
	bool addresses;	       /* text: the address in front of each name */
	bool offsets;	       /* text: the offset in the function behind each name */
	bool modules;	       /* text, as bcc's trace: " [kernel]" or the file behind each, in columns */
	bool annotated;	       /* _[k] behind names of kernel frames */
	const char *delimiter; /* a line between user and kernel frames, "--"; NULL: none */
};

#endif
