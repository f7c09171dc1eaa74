/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within script/: the names of user addresses, for usym(). They are looked up when they are printed: a process that has
 * ended by then has no names.
 */
#ifndef SONDE_SCRIPT_SCRIPT_USYM_H
#define SONDE_SCRIPT_SCRIPT_USYM_H

#include <sys/types.h>

#include "base/set.h"

/* Names that were asked for, by process and address. Initialise with {}. */
struct script_usyms {
	struct set keys;
	bool mangled; /* names of C++ and Rust stay as they are in the file */
	vec(char *) names; /* of the key with this number; NULL: no name */
};
void script_usyms_release(struct script_usyms *usyms);

/* The function that the address is in, demangled; NULL: none is known. pid: in our pid namespace. */
const char *script_usyms_name(struct script_usyms *usyms, pid_t pid, uint64_t addr);

#endif
