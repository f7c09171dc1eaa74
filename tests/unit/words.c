// SPDX-License-Identifier: BSD-2-Clause
/* Names of errors; names and numbers of signals, in both directions. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>

#include "output/words.h"

/* "unknown" where it has none. */
static const char *name(int signal)
{
	static struct str s;

	str_reset(&s);
	return words_add_signal(&s, signal) ? s.data : "unknown";
}

Test(words, errors)
{
	cr_expect_str_eq(words_error_name(-ENOENT), "ENOENT");
	cr_expect_str_eq(words_error_name(-EAGAIN), "EAGAIN");
	cr_expect_str_eq(words_error_name(-512), "ERESTARTSYS", "only the kernel sees it");
	cr_expect_null(words_error_name(0));
	cr_expect_null(words_error_name(ENOENT));
}

/* Numbers between those of errors, addresses that look negative, the smallest number. */
Test(words, what_is_no_error_has_no_name)
{
	static const int64_t none[] = { -511, -4095, -4096, -(1LL << 32) - ENOENT, INT64_MIN };

	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		cr_expect_null(words_error_name(none[i]));
}

Test(words, signals_have_names)
{
	cr_expect_str_eq(name(SIGKILL), "KILL");
	cr_expect_str_eq(name(SIGRTMIN), "RTMIN");
	cr_expect_str_eq(name(SIGRTMIN + 15), "RTMIN+15");
	cr_expect_str_eq(name(SIGRTMIN + 16), "RTMAX-14");
	cr_expect_str_eq(name(SIGRTMAX), "RTMAX");
}

Test(words, what_is_no_signal_has_none)
{
	static const int none[] = { -1, 0, 32, 33, 65, 99, 1 << 30 };

	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		cr_expect_str_eq(name(none[i]), "unknown");
}

Test(words, signals_are_found_again)
{
	struct err err = {};

	for (int signal = 1; signal <= SIGRTMAX; signal++) {
		if (signal == 32 || signal == 33)
			continue;
		cr_expect_eq(words_find_signal(name(signal), &err), signal, "%d", signal);
	}
	cr_expect_eq(words_find_signal("sigterm", &err), SIGTERM);
	cr_expect_eq(words_find_signal("SIGIOT", &err), SIGABRT);
	cr_expect_eq(words_find_signal("SigRtMin+3", &err), SIGRTMIN + 3);
	cr_expect_eq(words_find_signal("0", &err), 0);
	cr_expect_eq(words_find_signal("33", &err), 33);
}

Test(words, errors_name_the_signal)
{
	static const char *const none[] = {
		"", "SIG", "9x", "-9", "+9", "65", "99999999999999999999",
		"RTMIN-1", "RTMAX+1", "RTMIN+", "RTMIN+31", "RTMIN+x", "NOSUCHTHING"
	};
	struct err err = {};

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		cr_expect_eq(words_find_signal(none[i], &err), -EINVAL, "%s", none[i]);
		cr_expect(strstr(err.text, none[i]), "%s", err.text);
		cr_expect(!strstr(err.text, "did you mean"), "%s", err.text);
	}
	cr_expect_eq(words_find_signal("sigkil", &err), -EINVAL);
	cr_expect_str_eq(err.text, "no signal 'sigkil' (did you mean KILL?)");
}

Test(words, errors_are_found_again)
{
	static const int numbers[] = { 1, ENOENT, EBADF, EOPNOTSUPP, EHWPOISON };
	struct err err = {};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		__free char *number = base_printf("%d", numbers[i]);

		cr_expect_eq(words_find_error(strerrorname_np(numbers[i]), &err), numbers[i]);
		cr_expect_eq(words_find_error(number, &err), numbers[i]);
	}
	cr_expect_eq(words_find_error("enoent", &err), ENOENT);
	cr_expect_eq(words_find_error("EWOULDBLOCK", &err), EAGAIN);
	cr_expect_eq(words_find_error("ERESTARTSYS", &err), 512);
	cr_expect_eq(words_find_error("4095", &err), 4095);
}

Test(words, what_is_no_error_is_told)
{
	static const char *const none[] = { "", "0", "4096", "-2", "+2", "2x", "99999999999999999999", "NOSUCHTHING" };
	struct err err = {};

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		cr_expect_eq(words_find_error(none[i], &err), -EINVAL, "%s", none[i]);
		cr_expect(strstr(err.text, none[i]), "%s", err.text);
		cr_expect(!strstr(err.text, "did you mean"), "%s", err.text);
	}
	cr_expect_eq(words_find_error("ENOETN", &err), -EINVAL);
	cr_expect_str_eq(err.text, "no error 'ENOETN' (did you mean ENOENT?)");
}

Test(words, sets_of_signals)
{
	struct signal_set set = {};
	struct err err = {};

	cr_expect_eq(words_set_signals(&set, "TERM,sigkill,64", &err), 0);
	cr_expect_eq(set.numbers, 1ULL << (SIGTERM - 1) | 1ULL << (SIGKILL - 1) | 1ULL << 63);
	cr_expect(set.chosen && !set.zero);
	/* the last list counts */
	cr_expect_eq(words_set_signals(&set, "0", &err), 0);
	cr_expect(set.chosen && set.zero && !set.numbers);
	cr_expect_eq(words_set_signals(&set, "TERM,SIGTRM", &err), -EINVAL);
	cr_expect_str_eq(err.text, "no signal 'SIGTRM' (did you mean TERM?)");
	cr_expect_eq(words_set_signals(&set, "TERM,", &err), -EINVAL);
}
