/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the user typed, parsed. The grammar takes bpftrace's words and bcc's short forms:
 *
 *	[KIND:][OBJECT:]NAME[+OFFSET]
 *
 *	kprobe k p             kernel function entry      p:vfs_read  p::vfs_read  p:ext4:ext4_sync_fs
 *	kretprobe kr r         kernel function return
 *	fentry f kfunc         the same two, by trampoline only
 *	fexit fr kretfunc
 *	tracepoint t           t:sched:sched_switch   tracepoint:syscalls:sys_enter_*
 *	rawtracepoint rt       rt:sched_switch (any system)
 *	uprobe u               u:/bin/bash:readline   u:c:malloc   u:BIN:0x1234
 *	uretprobe ur
 *	usdt U                 usdt:BIN:PROVIDER:NAME  usdt:BIN:NAME
 *	(none)                 a kernel function; X:NAME is a function of the module X or
 *	                       of the library or binary X (also after p: and r:, as in bcc)
 *
 * NAME, module, provider and tracepoint system are globs (* ? [..]); with regex, NAME is
 * a POSIX extended regular expression and has no +OFFSET. A regex may hold colons of its own:
 * an object that may be left out is then only what looks like a plain name, [A-Za-z0-9_./+-]+.
 * NAME may be an address (0x...) for functions at entry. In a glob a backslash quotes, \+ too.
 * X:NAME with an unknown first word and one more ':' (C++'s '::' apart) is an unknown kind.
 *
 * Of uprobe, uretprobe and BIN:NAME everything behind the binary's ':' is NAME, with whatever colons, commas, blanks and
 * parentheses a C++, Rust or Go name has: 'u:BIN:ns::Cart::add(int, char const*)'. Only these characters mean something there:
 *   * ? [  wildcards, operator* too; \* \? \[ are the characters. A name that is the pattern's very text matches as well,
 *	    and so does operator[].
 *   +	    followed by a number an offset: 'ns::fn+4' is 4 bytes behind ns::fn, 'operator++4' behind operator+. What
 *	    follows the word operator otherwise belongs to the name: operator+, operator++, operator+=.
 */
#ifndef SONDE_SPEC_H
#define SONDE_SPEC_H

#include "base/base.h"

/* How a probe is attached; the order within a kind is the order of preference. */
enum mech {
	MECH_AUTO,
	MECH_FENTRY,	   /* BPF trampoline: fentry, and fexit for returns */
	MECH_KPROBE_MULTI, /* one link for many functions, on fprobe */
	MECH_KPROBE,	   /* perf-event kprobe and kretprobe */
	MECH_RAW_TP,	   /* raw tracepoint */
	MECH_TP,	   /* perf-event tracepoint */
	MECH_UPROBE_MULTI, /* one link for many user functions */
	MECH_UPROBE,	   /* perf-event uprobe and uretprobe */
	MECH_COUNT,
};

/* The word for it: "fentry", "kprobe.multi", "kprobe", "raw_tp", "tp", "uprobe.multi", "uprobe", "auto". */
extern const char *const mech_names[MECH_COUNT + 1]; /* NULL-terminated */

enum spec_kind {
	SPEC_KFUNC, /* kernel function */
	SPEC_FUNC,  /* X:NAME: kernel module or user object, decided when resolved */
	SPEC_TRACEPOINT,
	SPEC_UFUNC, /* user function */
	SPEC_USDT,
};

struct spec {
	enum spec_kind kind;
	enum mech mech; /* MECH_FENTRY or MECH_RAW_TP when the word asks for it, else MECH_AUTO */
	bool ret;	/* at return */
	bool regex;
	const char *text; /* as typed; the caller's */
	char *object;	  /* module, tracepoint system (globs), path or library name; NULL: any */
	char *provider;	  /* USDT, NULL: any */
	char *name;	  /* pattern; NULL when an address was given */
	uint64_t offset;  /* beyond the function's start, or the address itself when name is NULL */
};

/* err->at is an offset in text. On error nothing needs to be released. */
int spec_parse(const char *text, bool regex, struct spec *spec, struct err *err);
void spec_release(struct spec *spec);

#endif
