// SPDX-License-Identifier: BSD-2-Clause
/* strace: system calls with their arguments. */
#include "run/tool.h"
#include "strace/strace.h"

TOOL(strace, .brief = "print each system call with its arguments, as strace does", .args = "[-- COMMAND [ARG]...]",
     .group = GROUP_HAPPENED, STRACE_ENGINE, .peer = "strace", .peer_version = "6.1", .letters = "",
     .description =
	     "Prints a line for each system call: its name, its arguments in words, and its result, in the form that "
	     "strace has. The program is not stopped at any time, so it runs nearly as fast as without sonde, and "
	     "programs with set-user-ID and programs under a debugger can be traced, too.\n\n"
	     "Arguments are read when the call ends, what a call destroys when it begins. A text that another thread "
	     "changes during the call is read as it is then. A line stands where its call began; a call that lasts long "
	     "is printed as unfinished and resumed later.\n\n"
	     "Lines go to standard error, or to the file of -o; JSON and CSV to standard output. Without -f only the "
	     "command's first thread is traced, or with -p the thread of that number. Without a command and without a "
	     "filter, all processes are traced.",
     EXAMPLES({ "sonde strace -- ls", "what ls asks the kernel for" },
	      { "sonde strace -f -e openat,connect -- curl http://localhost/", "files and connections, with children" },
	      { "sonde strace -f -p 1234 -e %file -Z", "a running process: calls about files that fail" },
	      { "sonde strace --cgroup /system.slice/cron.service --slower 10ms", "a whole service, only slow calls" }));
