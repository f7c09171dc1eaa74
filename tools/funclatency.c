// SPDX-License-Identifier: BSD-2-Clause
/* funclatency: how long calls of kernel and user functions take. */
#include "engines/latency.h"
#include "probe/offer.h"
#include "run/tool.h"

static const struct field fields[] = {
	FIELD(FIELD_STR, struct hist_row, key, "func", "", 0),
	FIELD(FIELD_STR, struct hist_row, symbol, "symbol", "", 0, .role = ROLE_NOTE),
	HIST_FIELDS,
};

static const struct schema schema = { fields, ARRAY_SIZE(fields), hist_draw };

TOOL(funclatency, .brief = "measure how long functions take, as a histogram", .args = "FUNCTION... [-- COMMAND [ARG]...]",
     .group = GROUP_LONG, .front = { "sonde funclatency vfs_fsync", "how long each call takes" },
     .schema = &schema, LATENCY_ENGINE,
     .offers = spec_offer,
     .description =
	     "Measures in the kernel the time from a function's entry to its return, and prints a histogram at the "
	     "end or at each interval, for all functions together or, with -F, for each. A FUNCTION is a kernel "
	     "function, MODULE:NAME a kernel module's, LIBRARY:NAME and /PATH:NAME are user functions. NAME is a "
	     "glob, or with -r a regular expression. C++ and Rust functions have the names that people wrote, as "
	     "for funccount.\n\n"
	     "Each call is measured on its own, recursive calls too. A call that began before tracing is not "
	     "measured. After the last table sonde reports calls that did not return, and calls for which there was "
	     "no room.",
     EXAMPLES({ "sonde funclatency do_sys_openat2", "in nanoseconds, until Ctrl-C" },
	      { "sonde funclatency -u -i 1 -T vfs_read", "in microseconds, a histogram every second" },
	      { "sonde funclatency -F -m 'vfs_*' -d 10", "a histogram for each function, in milliseconds" },
	      { "sonde funclatency --precise do_sys_openat2", "with percentiles" },
	      { "sonde funclatency -u --linear 10 vfs_fsync", "in steps of 10 microseconds" },
	      { "sonde funclatency -p 1234 c:malloc", "a user function, in one process" },
	      { "sonde funclatency 'vfs_*' -- tar cf /dev/null /usr/share", "one command and its children" }));
