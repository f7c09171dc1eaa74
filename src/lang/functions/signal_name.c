// SPDX-License-Identifier: BSD-2-Clause
/* signal_name(n): "SIGKILL" of 9. User space names the number when it prints it. */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"
#include "output/words.h"

static void add_signal(struct str *to, int64_t number)
{
	__str struct str name = {};

	if (words_add_signal(&name, number))
		str_addf(to, "SIG%s", name.data);
	else
		str_add(to, "N/A");
}

FUNCTION(signal_name, 1, 1, check_named_call, lower_number_call,
	 .naming = { "signal_name_t", "signal_name_t", add_signal });
