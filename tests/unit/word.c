// SPDX-License-Identifier: BSD-2-Clause
/* Words of a list: whole ones only. */
#include <criterion/criterion.h>

#include "base/word.h"

Test(word, lists)
{
	static const char list[] = "int long __int128 "
				   "short";

	cr_expect(word_is_in("int", list) && word_is_in("__int128", list) && word_is_in("short", list));
	cr_expect(!word_is_in("in", list) && !word_is_in("nt", list) && !word_is_in("shorts", list));
	cr_expect(!word_is_in("", list) && !word_is_in("int long", list) && !word_is_in("int", ""));
}
