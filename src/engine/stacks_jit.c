// SPDX-License-Identifier: BSD-2-Clause
/*
 * Advice for stacks with code that a JIT compiler made: it is in no file, so it has names only if the runtime writes a
 * perf map. Knows how runtimes are made to do that. docs/HOWTO-stacks.md says more.
 */
#include "base/report.h"
#include "stacks_part.h"

/* By the begin of the program's name: "python3.12". The last is for all others. */
static const struct {
	const char *program, *advice;
} runtimes[] = {
	{ "java",
	  "start java with -XX:+PreserveFramePointer, and run 'jcmd PID Compiler.perfmap' (JDK 17) or a perf map agent" },
	{ "node", "start node with --perf-basic-prof" },
	{ "python", "start python with -X perf" },
	{ "dotnet", "start dotnet with DOTNET_PerfMapEnabled=1" },
	{ "", "start the program so that it keeps frame pointers and writes /tmp/perf-PID.map" },
};

/*
 * A frame that is in no known mapping need not be code: a wrong frame pointer leads anywhere. Only the last frame of a
 * walk is such a one, unless the stack is partial.
 */
static bool has_unknown_code(const struct stacks_kept *kept)
{
	size_t n = kept->n_user;

	if (!kept->pid || kept->flags & STACK_PARTIAL || kept->end == STACK_END_PROCESS)
		return false;
	if (n && kept->frames[n - 1]->kind == FRAME_MARK)
		n--;
	if (n && kept->end == STACK_END_MAPPING)
		n--;
	for (size_t i = 0; i < n; i++)
		if (symbols_is_unknown(kept->frames[i]))
			return true;
	return false;
}

static size_t runtime_of(const char *program)
{
	size_t i = 0;

	while (strncmp(program, runtimes[i].program, strlen(runtimes[i].program)) != 0)
		i++;
	return i;
}

void stacks_say_jit(const struct stacks *stacks)
{
	bool is_seen[ARRAY_SIZE(runtimes)] = {};
	__str struct str advice = {};
	unsigned long long n = 0;

	for (size_t i = 0; i < stacks->kept.n; i++) {
		const struct stacks_kept *kept = stacks->kept.v[i];
		const char *program = kept && has_unknown_code(kept)
					      ? symbols_without_map(stacks->symbols, kept->pid)
					      : NULL;

		if (!program)
			continue;
		is_seen[runtime_of(program)] = true;
		n++;
	}
	if (!n)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++)
		if (is_seen[i])
			str_addf(&advice, "%s%s", advice.len ? "; " : "", runtimes[i].advice);
	report_note("%llu stack%s frames in code without a file (JIT): %s", n, n == 1 ? " has" : "s have", advice.data);
}
