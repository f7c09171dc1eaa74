// SPDX-License-Identifier: BSD-2-Clause
/* Errors and signals by name, as libc knows them. */
#include <ctype.h>
#include <signal.h>

#include "base/nearest.h"
#include "words.h"

static const char *error_name(int64_t ret)
{
	return ret < 0 && ret > -4096 ? strerrorname_np(-ret) : NULL;
}

void words_add_result(struct str *s, int64_t ret, enum output_format format)
{
	const char *name = format == OUTPUT_TEXT ? error_name(ret) : NULL;

	if (name)
		str_addf(s, "-%s", name);
	else
		str_add_s64(s, ret);
}

void words_add_error(struct str *s, int64_t ret)
{
	const char *name = error_name(ret);

	if (name)
		str_addf(s, "\"%s\"", name);
	else
		str_add(s, "null");
}

/* --- signals --- */

/* Second names, of which libc keeps only the first. */
static const struct {
	const char *name;
	int number;
} aliases[] = { { "CLD", SIGCHLD }, { "IO", SIGIO }, { "IOT", SIGIOT } };

/* From the nearer end, as a shell's kill -l has them. */
static void add_realtime(struct str *s, int signal)
{
	int above = signal - SIGRTMIN, below = SIGRTMAX - signal;

	str_add(s, above <= below ? "RTMIN" : "RTMAX");
	if (above && below)
		str_addf(s, "%+d", above <= below ? above : -below);
}

void words_add_signal(struct str *s, int signal, enum output_format format)
{
	const char *name = sigabbrev_np(signal);
	bool realtime = signal >= SIGRTMIN && signal <= SIGRTMAX, json = format == OUTPUT_JSON;

	if (!name && !realtime) {
		str_add(s, json ? "null" : "unknown");
		return;
	}
	if (json)
		str_add(s, "\"SIG");
	if (name)
		str_add(s, name);
	else
		add_realtime(s, signal);
	if (json)
		str_addc(s, '"');
}

/* What follows RTMIN or RTMAX: nothing, or a sign and a number. */
static int find_realtime(const char *name)
{
	bool min = !strncmp(name, "RTMIN", 5), max = !strncmp(name, "RTMAX", 5);
	const char *more = name + 5;
	char *end;
	long n;

	if (!min && !max)
		return -EINVAL;
	if (!*more)
		return min ? SIGRTMIN : SIGRTMAX;
	if (*more != (min ? '+' : '-') || !isdigit((unsigned char)more[1]))
		return -EINVAL;
	n = strtol(more, &end, 10);
	return *end || labs(n) > SIGRTMAX - SIGRTMIN ? -EINVAL : (min ? SIGRTMIN : SIGRTMAX) + n;
}

/* In capitals, without SIG. */
static int find_name(const char *name, struct nearest *nearest)
{
	for (int signal = 1; signal < SIGRTMIN; signal++) {
		const char *known = sigabbrev_np(signal);

		if (known && !strcmp(name, known))
			return signal;
		if (known)
			nearest_offer(nearest, known);
	}
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(name, aliases[i].name))
			return aliases[i].number;
	return find_realtime(name);
}

int words_find_signal(const char *text, struct err *err)
{
	__free char *upper = base_strdup(text);
	struct nearest nearest;
	char *name = upper, *end;
	int signal;

	if (isdigit((unsigned char)*text)) {
		unsigned long number = strtoul(text, &end, 10);

		if (!*end && number <= (unsigned long)SIGRTMAX)
			return number;
		return err_set(err, -EINVAL, "no signal '%s': the last is %d", text, SIGRTMAX);
	}
	for (char *c = upper; *c; c++)
		*c = toupper((unsigned char)*c);
	name += strncmp(name, "SIG", 3) ? 0 : 3;
	nearest_init(&nearest, name);
	signal = find_name(name, &nearest);
	if (signal > 0)
		return signal;
	if (nearest_name(&nearest))
		return err_set(err, -EINVAL, "no signal '%s' (did you mean %s?)", text, nearest_name(&nearest));
	return err_set(err, -EINVAL, "no signal '%s'", text);
}
