// SPDX-License-Identifier: BSD-2-Clause
/* record: what happens, in order, in a file. */
#include "recorder/record.h"
#include "run/tool.h"

TOOL(record, .brief = "what happens, in order, into a file",
     .group = GROUP_HAPPENED, .front = { "sonde record -- make -j2", "everything, into a file" },
     .args = "[SET|SPEC...] [-- COMMAND [ARG]...]", .offers = record_offer, RECORD_ENGINE, .unlinked = true,
     LACKS({ "json csv time timestamp", "the file has all there is" }),
     .description =
	     "Writes each event with its time to a file, until the command or the time is over, or Ctrl-C. Sets of "
	     "events are sched (switches, wake-ups and migrations), syscalls (begins with arguments, ends with "
	     "results) and block (disk requests); without arguments it records these three. strace is calls with "
	     "what their arguments point to, signals and ends, for sonde report strace. Any other argument is a "
	     "probe as in funccount: of a function its record has the first six arguments, or the result; of a "
	     "tracepoint the fields of its format. Tasks that start, execute "
	     "a program, change their name or end are always recorded.\n\n"
	     "With a filter or a command, switches are recorded if the task that leaves or the one that comes passes, "
	     "wake-ups if the woken task passes, and disk requests if the task that makes them passes.\n\n"
	     "Nothing is decoded while it records. A recording that was cut off, by kill -9 or a full disk, is "
	     "readable up to where it was cut. Events that were lost are counted, where they were lost.\n\n"
	     "With --flight nothing is read or written: the rings keep the newest events. They are written to FILE one "
	     "second after SIGUSR2 (then to FILE.2, FILE.3 and so on) or after the first row of the tool of "
	     "--snapshot-on, and when the command exits with another status than 0.",
     EXAMPLES({ "sonde record -- make -j2", "a command and its children, into sonde.trace" },
	      { "sonde record sched block -d 10 -o x.trace", "the whole machine for ten seconds" },
	      { "sonde record --flight 64M --snapshot-on 'funcslower -m 50 vfs_fsync'",
		"the seconds before a slow fsync" },
	      { "sonde record strace -- make", "each system call with its arguments, to print later" },
	      { "sonde record sched vfs_fsync r:vfs_fsync t:ext4:* -p 185", "one process, with probes" }));
