// SPDX-License-Identifier: BSD-2-Clause
/* strace: system calls with their arguments. */
#include "run/tool.h"
#include "strace/strace.h"

/* strace's options that this tool refuses, each with the reason. */
struct settings {
	bool refused;
};

#define REFUSED(LETTER, NAME) OPT(OPT_BOOL, struct settings, refused, LETTER, NAME, NULL, NAME)

static const struct opt options[] = {
	REFUSED('E', "env"),
	REFUSED('u', "user"),
};

static const struct opt_lack refuses[] = {
	{ "env user", "sudo -u USER env NAME=VALUE COMMAND does it" },
	{},
};

TOOL(strace, .brief = "print each system call with its arguments, as strace does", .args = "[COMMAND [ARG]...]", .command_first = true,
     .group = GROUP_HAPPENED, STRACE_ENGINE, OPTIONS(options), SETTINGS(struct settings), .refuses = refuses,
     .description =
	     "Prints a line for each system call: its name, its arguments in words, and its result, in the form "
	     "that strace has. The program is not stopped at any time, so it runs nearly as fast as without sonde, "
	     "and programs with set-user-ID and programs under a debugger can be traced, too.\n\n"
	     "Arguments are read when the call ends, what a call destroys when it begins. A text that another "
	     "thread changes during the call is read as it is then. A line stands where its call began; a call "
	     "that lasts long is printed as unfinished and resumed later.\n\n"
	     "Lines go to standard error, or to the file of -o; JSON and CSV to standard output. Without -f only "
	     "the command's first thread is traced, or with -p the first thread of each process (--tid names "
	     "another one). Without a command and without a filter, all processes are traced.\n\n"
	     "-c counts calls in the kernel and prints strace's table of them, -C also prints lines. Its time is the "
	     "time that the call was on a processor, to the nanosecond: interrupts are part of it, sleep and waits "
	     "for a processor are not. (strace shows the system time of the process, which most kernels estimate.) "
	     "With -w it is what passes between begin and end. As in strace, -z and -Z do not change the table.\n\n"
	     "-e takes most of strace's sets; it refuses inject and fault, which change the program, and kvm. "
	     "-e read and -e write show the data as far as it is recorded: 7,000 bytes of a call; a line says how "
	     "many are missing.\n\n"
	     "-k prints the user stack of each call, unwound in the kernel when it begins. The files of a program "
	     "are read when it maps them, so the stacks of its first milliseconds may be cut off.\n\n"
	     "-P compares paths as the program gives them, and as they are without symbolic links; descriptors in "
	     "the arrays of poll and select are not compared.\n\n"
	     "Of structs that are rare, such as those of V4L2, the bytes or the address are printed. "
	     "JSON and CSV have a row for each call that returned, and none for signals and ends of processes; -z, "
	     "-Z and --slower leave out calls that did not return.",
     EXAMPLES({ "sonde strace ls", "what ls asks the kernel for" },
	      { "sonde strace -f -e openat,connect curl http://localhost/", "files and connections, with children" },
	      { "sonde strace -f -p 1234 -e %file -Z", "a running process: calls about files that fail" },
	      { "sonde strace -f -P /etc/passwd sh -c 'id; ls -l'", "what is done with one file" },
	      { "sonde strace -c -f make", "which calls are made, and which take long" },
	      { "sonde strace --cgroup /system.slice/cron.service --slower 10ms", "a whole service, only slow calls" }));
