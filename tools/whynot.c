// SPDX-License-Identifier: BSD-2-Clause
/* whynot: which function of the kernel decided that a system call fails, and what that means. */
#include "run/tool.h"
#include "whynot/whynot.h"

TOOL(whynot, .brief = "why system calls fail: who in the kernel decided so",
     .group = GROUP_HAPPENED, .args = "[-- COMMAND [ARG]...]", WHYNOT_ENGINE,
     .description =
	     "Prints each system call of the command, and of its children, that failed: the line of sonde strace, and "
	     "below it the innermost function of the kernel that failed with this error (decided by), what it asked "
	     "before (because), the functions from the system call to it (chain), and in words what that means (look "
	     "at): the capability that is missing, the limit and its value, the LSM, the seccomp filter, the cgroup, "
	     "the mount's or the inode's flags, the setting of /proc/sys. A call that succeeds prints nothing. Many "
	     "failures are no faults, such as the directories in which a file is searched for: -e and --errno "
	     "choose.\n\n"
	     "Some 3,500 functions in which system calls decide are watched at both ends; a task that is not the "
	     "command's pays for the question whose it is. A function that succeeds takes back the failures of those "
	     "that it has called. Functions that the compiler has made a part of others are not seen: their caller is "
	     "named then. On kernels without sessions of kprobe.multi (before 6.10) each function costs milliseconds, "
	     "so only some forty are watched, and the function that is named may be one further out.\n\n"
	     "Lines go to standard error, or to the file of -o; JSON and CSV to standard output. Limits and settings "
	     "are those at the moment of the call, except values of /proc/sys and of cgroups, which are read when the "
	     "line is printed.",
     EXAMPLES({ "sonde whynot -- mount -o bind /a /b", "each call that fails in it" },
	      { "sonde whynot --errno EPERM -- ./install.sh", "only what was not permitted" },
	      { "sonde whynot -e openat,connect -p 1234", "a running process: failed opens and connections" },
	      { "sonde whynot --json -c 'ulimit -n 8; ./server' > failures.json", "for programs" }));
