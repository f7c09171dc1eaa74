/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of the classes of waits (bpf/why.h): all that user space knows of each. */
#ifndef SONDE_WHY_WAITS_H
#define SONDE_WHY_WAITS_H

#include "bpf/why.h"
#include "output/frame.h"

/* What a thread waits for within a class, and what its key (struct why_key) has for it. */
enum waits_object {
	WAITS_FOR_CLASS, /* nothing that has a name */
	WAITS_FOR_WAKER, /* the task that ends the wait */
	WAITS_FOR_FILE,	 /* by its path; of a call on none, the call */
	WAITS_FOR_LOCK,	 /* by its address or its file, and the holder */
	WAITS_FOR_PEER,	 /* the other end of a connection */
	WAITS_FOR_TASK,	 /* that had the processor; the key has its name */
	WAITS_FOR_EVENT, /* the key has the name of the file */
	WAITS_FOR_CALL,	 /* the system call itself */
	WAITS_OBJECTS,
};

struct waits_class {
	const char *name;	  /* "disk" */
	struct frame_color color; /* of flame graphs; NULL: what runs has none */
	enum waits_object object;
	/*
	 * The system calls, separated by blanks, those of 32-bit programs too, which have names and numbers of their
	 * own. how: of which the programs find the class by their arguments (WHY_BY_*), and which have this class
	 * where nothing but the call is known; 0: which always have it.
	 */
	struct waits_calls {
		const char *names;
		uint8_t how;
	} calls[3];
	/* A thread that has nothing to do waits so; it may be for something that others are to do, too. */
	bool for_work;
};

/* A class of the programs; WHY_UNKNOWN's for any other number. */
const struct waits_class *waits_of(uint32_t class);
/* The classes with such an object, a bit each. */
uint64_t waits_with(enum waits_object object);
/* The classes in which threads that have nothing to do wait, a bit each. */
uint64_t waits_for_work(void);
/* Fills in .rodata.calls. Calls that are not listed are WHY_KERNEL. */
void waits_fill(uint8_t calls[WHY_ABIS][WHY_CALLS]);
/* The name of a call as the programs number it, a constant; NULL: none, or not known. */
const char *waits_call(unsigned int call);
/* The class of a call by its name alone. NULL, or a name that is not listed: WHY_KERNEL. */
uint8_t waits_class(const char *name);

#endif
