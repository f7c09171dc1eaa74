// SPDX-License-Identifier: BSD-2-Clause
/* trace: programs in bpftrace's language. */
#include "engine/script.h"
#include "run/run.h"

TOOL(trace, .brief = "run programs in bpftrace's language", .args = "FILE|-e PROGRAM [ARG]... [-- --NAME=VALUE...]",
     SCRIPT_ENGINE, .peer = "bpftrace", .peer_version = "v0.25.0", .own_dashdash = true,
     LACKS({ "csv", "programs print text; -j and -f json print JSON" },
	   { "time timestamp", "programs print times themselves: time(), strftime()" }),
     .description =
	     "Compiles a program in the language of bpftrace, attaches its probes and prints what it prints. Nothing else "
	     "is needed: no compiler, no headers. FILE is the program, - is stdin; what follows are its arguments $1, $2 "
	     "... and, behind --, its options for getopt().\n\n"
	     "As bpftrace, it ends with exit(), with the command of -c, or with Ctrl-C, and prints all maps then. What was "
	     "lost is reported at the end: events for which there was no room, full maps, hits that the kernel skipped.\n\n"
	     "-p and -c filter, as in all tools of sonde. Called by the name bpftrace, they do what they do there.",
     EXAMPLES({ "sonde trace -e 'kprobe:vfs_read { @[comm] = count(); }'", "reads by process name, until Ctrl-C" },
	      { "sonde trace -e 't:syscalls:sys_enter_chdir { print(str(args.filename)); }'",
		"directories that processes change to" },
	      { "sonde trace biolatency.bt", "a script" }));
