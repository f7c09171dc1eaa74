// SPDX-License-Identifier: BSD-2-Clause
/* argdist: values of functions' arguments and results, as counts and histograms. */
#include "run/tool.h"
#include "script/argdist.h"

TOOL(argdist, .brief = "count values of arguments and results, or draw histograms",
     .group = GROUP_OFTEN,
     .args = "-C SPEC|-H SPEC ... [-- COMMAND [ARG]...]", ARGDIST_ENGINE, .tables = true, .letters = "t:tid",
     LACKS({ "csv", "counts and histograms have different columns; --json has both" },
	   { "time timestamp", "each table has its time" }),
     .description =
	     "Prints, every second, how often each value occurred (-C) or a histogram of the values (-H), as bcc's "
	     "argdist does. A SPEC is\n\n"
	     "KIND:[LIBRARY]:FUNCTION[(SIGNATURE)][:TYPES:EXPRESSIONS[:FILTER]][#LABEL]\n\n"
	     "KIND is p (a function's entry), r (its return), t (a tracepoint: t:CATEGORY:EVENT) or u (a USDT probe). "
	     "EXPRESSIONS are C: parameters of the signature, arg1, arg2 ..., args->NAME in tracepoints, $retval, "
	     "$entry(PARAMETER) and $latency (ns) in returns, $pid, $tgid, $uid, $gid, $cpu, $comm. TYPES are as many: "
	     "int, u64, char* for a text, struct file * for an address. FILTER is an expression, which can use "
	     "STRCMP(\"text\", "
	     "POINTER): whether the text begins so. A char* that is in the memory of the process is __user.\n\n"
	     "-v prints the program that it becomes. Types come from the kernel; macros of headers are not known.",
     EXAMPLES({ "sonde argdist -H 'r::vfs_read():int:$retval'", "how much reads return, and their errors" },
	      { "sonde argdist -C 'p:c:write(int fd):int:fd' -T 5", "the descriptors that are written to most" },
	      { "sonde argdist -H 'r::vfs_read():u64:$latency/1000#usecs'", "how long reads take" },
	      { "sonde argdist -C 't:irq:irq_handler_entry():int:args->irq' -i 5 -n 2",
		"interrupts by number, for 10 seconds" }));
