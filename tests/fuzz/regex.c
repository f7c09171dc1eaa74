// SPDX-License-Identifier: BSD-2-Clause
/* Fuzzes regular expressions and the names that they are matched with. A byte 0xff separates the two in the input. */
#include <pthread.h>
#include <signal.h>

#include "fuzz.h"
#include "probe/match.h"

void __sanitizer_set_death_callback(void (*callback)(void));

/* The child that compiles first may crash, which is not a finding. */
static void in_child(void)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(null, STDERR_FILENO);
	__sanitizer_set_death_callback(NULL);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_piece first = fuzz_next_piece(&data, &size);
	char *pattern __free = fuzz_text(first.data, first.size), *name __free = fuzz_text(data, size);
	struct match *match;
	static bool hooked;
	struct err err;

	if (!hooked)
		pthread_atfork(NULL, NULL, in_child);
	hooked = true;
	match = match_new(pattern, true, &err);
	if (!match && err.at > (int)strlen(pattern))
		abort();
	if (match)
		match_test(match, name);
	match_free(match);
	return 0;
}
