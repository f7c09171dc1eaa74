// SPDX-License-Identifier: BSD-2-Clause
/* trace: programs in bpftrace's language. */
#include "run/run.h"
#include "script/script.h"

TOOL(trace, .brief = "run programs in bpftrace's language",
     .group = GROUP_HAPPENED,
     .args = "FILE|-e PROGRAM|PROBE... [ARG]... [-- [--NAME=VALUE]... [COMMAND [ARG]...]]", SCRIPT_ENGINE, .peer = "bpftrace",
     .peer_version = "v0.27.1", .own_dashes = true, .letters = "L:tid",
     LACKS({ "csv", "programs print text; -j and -f json print JSON" },
	   { "debug", "stages of the compiler are not printed; -v reports each step, --dry-run only tries it" },
	   { "no-feature", "sonde asks the kernel what it has; --mechanism NAME attaches by this mechanism only" },
	   { "aot emit-elf emit-llvm verify-llvm-ir",
	     "there is no LLVM here: a program is compiled in milliseconds each time; --dry-run only tries it" },
	   { "mode", "--test and --bench are the modes" },
	   { "fmt", "sonde does not format programs" },
	   { "debuginfo dwarf-pid", "user stacks need no option: sonde unwinds them and finds debug files itself" },
	   { "traceable-functions", "sonde reads the kernel's own list" }),
     .description =
	     "Compiles a program in the language of bpftrace, attaches its probes and prints what it prints. Nothing "
	     "else "
	     "is needed: no compiler, no headers. FILE is the program, - is stdin; what follows are its arguments $1, "
	     "$2 "
	     "... and, behind --, its options for getopt() and then a command to run. An argument that the program "
	     "does not use is an error.\n\n"
	     "As bpftrace, it ends with exit(), with the command of -c, or with Ctrl-C, and prints all maps then. What "
	     "was "
	     "lost is reported at the end.\n\n"
	     "A PROBE is in the notation of bcc's trace, and several may be given:\n\n"
	     "[KIND:][LIBRARY:]FUNCTION[(SIGNATURE)] [(PREDICATE)] [\"FORMAT\"[, EXPRESSIONS]]\n\n"
	     "KIND is p (entry, the default), r (return), t (t:CATEGORY:EVENT) or u (USDT). Expressions are C, with "
	     "arg1, arg2 ... (arg2@user: in user memory), retval, args->NAME, $pid, $tgid, $uid, $gid, $cpu, "
	     "STRCMP(\"text\", POINTER). FORMAT is printf's; %K and %U are symbols. bcc's -c is --cgroup, its -B "
	     "--bin-cmp.\n\n"
	     "-p, -c and a command behind -- filter, as in all tools of sonde. Called by the name bpftrace, options and "
	     "arguments mean what they mean there: all that follows the program is for the program.",
     EXAMPLES({ "sonde trace -e 'kprobe:vfs_read { @[comm] = count(); }'", "reads by process name, until Ctrl-C" },
	      { "sonde trace -e 't:syscalls:sys_enter_chdir { print(str(args.filename)); }'",
		"directories that processes change to" },
	      { "sonde trace biolatency.bt", "a script" },
	      { "sonde trace reads.bt -- dd if=/dev/zero of=/dev/null count=9", "a script, while a command runs" },
	      { "sonde trace 'do_sys_openat2 \"%s\", arg2@user'", "a probe of bcc's trace" },
	      { "sonde trace 'r:c:read ((int)retval < 0) \"failed: %d\", retval'", "and one with a predicate" }));
