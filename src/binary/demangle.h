/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Demangles symbols of C++ and Rust with libiberty, the demangler of binutils and gcc. C++: the mangling of the
 * Itanium ABI, chapter 5.1 (_Z). Rust: the legacy mangling (_ZN...17h<hash>E) and v0 of RFC 2603 (_R). The names
 * are foreign: the length of the name and of the result, the depth of the recursion and the time are bounded. A
 * name beyond a bound is not demangled.
 */
#ifndef SONDE_BINARY_DEMANGLE_H
#define SONDE_BINARY_DEMANGLE_H

#include "base/str.h"

/*
 * In bytes. Longer names are not demangled, longer results are dropped. libiberty limits C++ names to 1,024 bytes
 * itself.
 */
#define DEMANGLE_NAME_MAX 4096
#define DEMANGLE_TEXT_MAX 16384

enum demangle_form {
	DEMANGLE_WHOLE, /* "shop::Cart::add(int, char const*)", without the return type; Rust without the hash */
	/*
	 * "shop::Cart::add": C++ without the parameters, but a clone stays "add [clone .cold]". Rust's v0 without
	 * the brackets of "<shop::Cart>::add", like the legacy mangling.
	 */
	DEMANGLE_PATH,
	DEMANGLE_PLAIN, /* C++ like WHOLE, but without const, volatile, & and && after the parameters; Rust: WHOLE */
	DEMANGLE_TYPED, /* C++ as c++filt prints it: templates with return types, std::string in full; Rust: WHOLE */
	DEMANGLE_FORMS,
};

/* Whether a name looks mangled. Cheap: looks at two characters. */
static inline bool demangle_is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/*
 * Replaces what to holds by the demangled name. False, and to is empty: name is not mangled, or beyond a bound.
 * Takes SIGVTALRM and ITIMER_VIRTUAL of the process.
 */
bool demangle(const char *name, enum demangle_form form, struct str *to);

/*
 * To search many names without demangling each: nearly all that a demangler prints is in the mangled name, letter
 * by letter. A run is n bytes of [A-Za-z0-9_]; for demangle_may_hold() it ends with NUL. demangle_is_telling():
 * whether no demangler prints the run by itself, as it prints "unsigned" and "closure". demangle_may_hold(): for a
 * telling run. False: no form of the demangled name holds it. True: one may.
 */
bool demangle_is_telling(const char *run, size_t n);
bool demangle_may_hold(const char *name, const char *run);

#endif
