// SPDX-License-Identifier: BSD-2-Clause
/*
 * execd [ARG]...
 *
 * Writes a fact (execs.h): the arguments with which it was executed. argv[0] is chosen by the caller and left out
 * of the line. As the interpreter of a script it has more words that nobody typed; UNTYPED in its environment is
 * their number.
 */
#include <sys/auxv.h>

#include "execs.h"

int main(int argc, char **argv)
{
	const char *untyped = getenv("UNTYPED");

	tell_exec(0, (const char *)getauxval(AT_EXECFN), argv, argv + (untyped ? atoi(untyped) : argc > 0));
	return 0;
}
