/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses a probe spec, which is what the user typed. The grammar has bpftrace's words and bcc's short forms:
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
 * NAME, module, provider and tracepoint system are globs (* ? [..]). With the option regex, NAME is a POSIX
 * extended regular expression, without +OFFSET. A regex may hold colons of its own: an optional object before it
 * must then be a plain name, [A-Za-z0-9_./+-]+.
 * NAME may be an address (0x...) for functions at entry. In a glob a backslash quotes the next character, a '+'
 * too. X:NAME with an unknown first word and one more ':' (not counting C++'s '::') is an unknown kind.
 *
 * In uprobe, uretprobe and BIN:NAME everything after the ':' of the binary is NAME, with the colons, commas, blanks
 * and parentheses of a C++, Rust or Go name: 'u:BIN:ns::Cart::add(int, char const*)'. Only these characters are
 * special there:
 *   * ? [  wildcards, also in operator*; \* \? \[ are the plain characters. A name that is equal to the text of the
 *	    pattern matches as well. The "[]" of operator[] is not special.
 *   +	    before a number: an offset. 'ns::fn+4' is 4 bytes after the begin of ns::fn, 'operator++4' of operator+. Any
 *	    other '+' after the word operator is part of the name: operator+, operator++, operator+=.
 */
#ifndef SONDE_PROBE_SPEC_H
#define SONDE_PROBE_SPEC_H

#include "base/base.h"

/* How a probe is attached; the order within a kind is the order of preference. */
enum mech {
	MECH_AUTO,
	MECH_FENTRY,	   /* BPF trampoline: fentry, and fexit for returns */
	MECH_FENTRY_MULTI, /* one link for many functions, each by a BPF trampoline */
	MECH_KPROBE_MULTI, /* one link for many functions, on fprobe */
	MECH_KPROBE,	   /* perf-event kprobe and kretprobe */
	MECH_RAW_TP,	   /* raw tracepoint */
	MECH_TP,	   /* perf-event tracepoint */
	MECH_UPROBE_MULTI, /* one link for many user functions */
	MECH_UPROBE,	   /* perf-event uprobe and uretprobe */
	MECH_COUNT,	   /* of those above, which users can choose */
	MECH_EVENT,	   /* perf's events of each processor, or of a process */
	MECHS,
};

/* The name of each mechanism: "fentry", "fentry.multi", "kprobe.multi" ... */
extern const char *const mech_names[MECHS]; /* [MECH_COUNT] is NULL: the list of those that users can choose ends there */

enum spec_kind {
	SPEC_KFUNC, /* kernel function */
	SPEC_FUNC,  /* X:NAME: kernel module or user object, decided when resolved */
	SPEC_TRACEPOINT,
	SPEC_UFUNC, /* user function */
	SPEC_USDT,
};

struct spec {
	enum spec_kind kind;
	enum mech mech; /* MECH_FENTRY or MECH_RAW_TP if the word demands it, else MECH_AUTO */
	bool ret;	/* at return */
	bool regex;
	const char *text; /* as typed; owned by the caller */
	char *object;	  /* module, tracepoint system (globs), path or library name; NULL: any */
	char *provider;	  /* of USDT probes; NULL: any */
	char *name;	  /* pattern; NULL if an address was given */
	uint64_t offset;  /* in bytes from the begin of the function; the address if name is NULL */
};

/*
 * Parses text, which must outlive spec; the caller releases spec. -EINVAL: err->at is the offset of the fault in
 * text, and nothing needs to be released.
 */
int spec_parse(const char *text, bool regex, struct spec *spec, struct err *err);
void spec_release(struct spec *spec);

#endif
