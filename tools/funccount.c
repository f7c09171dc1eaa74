// SPDX-License-Identifier: BSD-2-Clause
/* funccount: how often kernel and user functions, tracepoints and USDT probes are reached. */
#include "engines/count.h"
#include "probe/offer.h"
#include "run/tool.h"

static const struct field fields[] = {
	FIELD(FIELD_STR, struct count_row, name, "func", "FUNC", -36, .may_cut = true),
	FIELD(FIELD_STR, struct count_row, symbol, "symbol", NULL, 0, .data_only = true, .role = ROLE_NOTE),
	FIELD(FIELD_U64, struct count_row, count, "count", "COUNT", 8, .role = ROLE_COUNTER),
};

static const struct schema schema = { fields, ARRAY_SIZE(fields) };

TOOL(funccount, .brief = "count calls of functions, tracepoints and USDT probes", .args = "SPEC... [-- COMMAND [ARG]...]",
     .group = GROUP_OFTEN, .front = { "sonde funccount 'vfs_*'", "how often each is called" },
     .schema = &schema, COUNT_ENGINE,
     .offers = spec_offer,
     .description =
	     "Counts in the kernel, and prints the counts at the end or at each interval. A SPEC is a kernel "
	     "function, or KIND:[OBJECT:]NAME with bpftrace's words or bcc's short forms for KIND: kprobe (p), "
	     "kretprobe (r), fentry, fexit, tracepoint (t), rawtracepoint (rt), uprobe (u), uretprobe (ur), usdt "
	     "(U). NAME is a glob, or with -r a regular expression. MODULE:NAME is a kernel module's function, "
	     "LIBRARY:NAME and /PATH:NAME are user functions.\n\n"
	     "C++ and Rust functions have the names that people wrote: 'u:BIN:shop::*', "
	     "'u:BIN:shop::Cart::add(int)'. A name without parameters stands for every overload, and a name without "
	     "wildcards may omit its namespaces. The symbol works too (_ZN4shop4Cart3addEi), and --mangled shows "
	     "symbols. In a glob \\* stands for a '*', as in operator*. operator[] and [abi:cxx11] also match as "
	     "they are written.\n\n"
	     "sonde refuses a probe that could break the traced program: inside an instruction, in something that "
	     "is not code, or where nothing shows that an instruction starts. Go moves its stacks, and a return "
	     "probe would crash it. So in Go sonde probes the function's return instructions, and refuses a "
	     "function that may leave in another way. --force sets an ordinary probe.\n\n"
	     "After the last table sonde reports what it could not attach, and the hits that the kernel missed.",
     EXAMPLES({ "sonde funccount 'vfs_*'", "kernel functions by glob, until Ctrl-C" },
	      { "sonde funccount -i 1 -d 10 -T 'tcp_send*' 'tcp_recv*'", "a table every second, for 10 seconds" },
	      { "sonde funccount -r '^(ksys|vfs)_(read|write)$'", "kernel functions by regular expression" },
	      { "sonde funccount -c 'tar cf /dev/null /usr/share' 'vfs_*'", "one command and its children" },
	      { "sonde funccount r:vfs_read kprobe:do_sys_openat2+4", "returns, and an offset" },
	      { "sonde funccount 't:sched:*'", "tracepoints" },
	      { "sonde funccount -p 1234 c:malloc u:/bin/bash:'r*'", "user functions, in one process" },
	      { "sonde funccount 'u:./shop:shop::Cart::*' u:./shop:fib", "C++ and Rust functions; fib is every overload" },
	      { "sonde funccount 'usdt:/usr/bin/python3:python:*'", "USDT probes" }));
