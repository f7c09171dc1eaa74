// SPDX-License-Identifier: BSD-2-Clause
/* The times in front of lines and behind them, and the options that say which, and with how many digits. */
#include <time.h>

#include "base/clock.h"
#include "strace_part.h"

/* --- options --- */

static int digits_of(const char *text)
{
	static const char *const units[] = { "s", "ms", "us", "ns" };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i], text))
			return 3 * i;
	return -EINVAL;
}

int strace_times_precision(void *dest, const char *text, struct err *err)
{
	int digits = text && *text ? digits_of(text) : 6;

	if (digits < 0)
		return err_set(err, -EINVAL, "no such precision: %s (there are s, ms, us, ns)", text);
	*(uint32_t *)dest = digits + 1;
	return 0;
}

int strace_times_clock(void *dest, const char *text, struct err *err)
{
	__free char *copy = base_strdup(text ? text : "");
	struct strace_clock clock = { .form = STRACE_CLOCK_TIME };
	char *rest = *copy ? copy : NULL, *word;

	while ((word = strsep(&rest, ","))) {
		char *value = strchr(word, ':') ? strchr(word, ':') + 1 : word;
		int digits = digits_of(value);

		if (digits >= 0)
			clock.digits = digits;
		else if (!strcmp(value, "none"))
			clock.form = STRACE_CLOCK_NONE;
		else if (!strcmp(value, "time"))
			clock.form = STRACE_CLOCK_TIME;
		else if (!strcmp(value, "unix"))
			clock.form = STRACE_CLOCK_UNIX;
		else
			return err_set(err, -EINVAL,
				       "no such form of times: %s (there are none, time, unix, and s, ms, us, ns)",
				       word);
	}
	*(struct strace_clock *)dest = clock;
	return 0;
}

/* --- text --- */

static void add_fraction(struct str *out, uint64_t ns, unsigned int digits)
{
	static const uint64_t units[] = { 0, 0, 0, 1000000, 0, 0, 1000, 0, 0, 1 };

	if (digits)
		str_addf(out, ".%0*llu", (int)digits, (unsigned long long)(ns % NS_PER_SEC / units[digits]));
}

static void add_clock(struct str *out, const struct strace_clock *clock, uint64_t time)
{
	uint64_t ns = time + clock_wall_offset();
	time_t seconds = ns / NS_PER_SEC;
	char text[16];
	struct tm tm;

	if (clock->form == STRACE_CLOCK_UNIX) {
		str_add_s64(out, seconds);
	} else {
		localtime_r(&seconds, &tm);
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
		str_add(out, text);
	}
	add_fraction(out, ns, clock->digits);
	str_addc(out, ' ');
}

void strace_times_add(struct str *out, const struct strace_settings *settings, uint64_t time, uint64_t *before)
{
	bool both = settings->clock.form && settings->relative_digits;

	if (settings->clock.form)
		add_clock(out, &settings->clock, time);
	if (settings->relative_digits) {
		uint64_t since = *before && time > *before ? time - *before : 0;

		str_addf(out, both ? "(+%6llu" : "%6llu", (unsigned long long)(since / NS_PER_SEC));
		add_fraction(out, since, settings->relative_digits - 1);
		str_add(out, both ? ") " : " ");
		*before = time;
	}
}

void strace_times_took(struct str *out, const struct strace_settings *settings, uint64_t ns)
{
	if (!settings->took_digits)
		return;
	str_addf(out, " <%llu", (unsigned long long)(ns / NS_PER_SEC));
	add_fraction(out, ns, settings->took_digits - 1);
	str_addc(out, '>');
}
