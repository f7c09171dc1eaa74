/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names that people wrote, from those that compilers of C++ and Rust made of them: by libiberty, the demangler of
 * binutils and gcc. C++: the Itanium ABI's mangling, chapter 5.1 (_Z). Rust: the legacy one (_ZN...17h<hash>E) and v0 of
 * RFC 2603 (_R). A name comes out of a foreign file: its length, the depth of the recursion, the length of what comes out
 * and the time are bounded, and a name beyond a bound counts as none.
 */
#ifndef SONDE_DEMANGLE_H
#define SONDE_DEMANGLE_H

#include "base/str.h"

/* Of what is longer, in bytes, nothing is made; libiberty itself takes 1,024 bytes of a C++ name. */
#define DEMANGLE_NAME_MAX 4096
#define DEMANGLE_TEXT_MAX 16384

enum demangle_form {
	DEMANGLE_WHOLE, /* "shop::Cart::add(int, char const*)", without the type it returns; Rust without the hash */
	/*
	 * "shop::Cart::add": C++ without the parameters, though a clone stays "add [clone .cold]"; Rust's v0 without the
	 * brackets in "<shop::Cart>::add", as the legacy mangling has it.
	 */
	DEMANGLE_PATH,
	DEMANGLE_PLAIN, /* C++ whole, without what follows the parameters: const, volatile, &, && */
	DEMANGLE_TYPED, /* C++ as c++filt prints it: templates with the type they return, std::string in full */
	DEMANGLE_FORMS,
};

/* Whether a name looks like one that was mangled; costs next to nothing. */
static inline bool demangle_is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/* The name replaces what to holds. False, and to is empty: it is not mangled, or beyond a bound. */
bool demangle(const char *name, enum demangle_form form, struct str *to);

/*
 * To spare demangling: nearly all that a demangler prints stands in the mangled name as it is. A run is n bytes of
 * [A-Za-z0-9_].
 * demangle_is_telling(): no demangler adds such a run by itself, as it does "unsigned" and "closure".
 * demangle_may_hold(): of a telling run. False only where no form of the mangled name has it.
 */
bool demangle_is_telling(const char *run, size_t n);
bool demangle_may_hold(const char *name, const char *run);

#endif
