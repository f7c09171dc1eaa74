// SPDX-License-Identifier: BSD-2-Clause
/*
 * execd [ARG]...
 *
 * What it finds itself executed with, as a fact (execs.h). Of its arguments the first is what the caller calls it, and not
 * on the line; as the interpreter of a script it has more such, and UNTYPED in its environment says how many.
 */
#include <sys/auxv.h>

#include "execs.h"

int main(int argc, char **argv)
{
	const char *untyped = getenv("UNTYPED");

	tell_exec(0, (const char *)getauxval(AT_EXECFN), argv, argv + (untyped ? atoi(untyped) : argc > 0));
	return 0;
}
