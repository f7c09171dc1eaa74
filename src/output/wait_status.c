// SPDX-License-Identifier: BSD-2-Clause
/* Getters for the parts of a wait status: how a process ended. */
#include <sys/wait.h>

#include "wait_status.h"
#include "words.h"

void wait_status_get_end(struct value *to, const void *status, const void *ctx)
{
	int code = *(const int *)status;

	if (WIFSIGNALED(code)) {
		str_addf(to->room, "signal %d (", WTERMSIG(code));
		if (!words_add_signal(to->room, WTERMSIG(code)))
			str_add(to->room, "unknown");
		str_add(to->room, WCOREDUMP(code) ? "), core dumped" : ")");
	} else {
		str_addf(to->room, WEXITSTATUS(code) ? "code %d" : "%d", WEXITSTATUS(code));
	}
	value_set_made(to);
}

void wait_status_get_code(struct value *to, const void *status, const void *ctx)
{
	int code = *(const int *)status;

	if (!WIFSIGNALED(code))
		value_set_u64(to, WEXITSTATUS(code));
}

void wait_status_get_signal(struct value *to, const void *status, const void *ctx)
{
	int code = *(const int *)status;

	if (WIFSIGNALED(code))
		value_set_u64(to, WTERMSIG(code));
}

void wait_status_get_core(struct value *to, const void *status, const void *ctx)
{
	value_set_bool(to, WCOREDUMP(*(const int *)status));
}
