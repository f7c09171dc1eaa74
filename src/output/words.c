// SPDX-License-Identifier: BSD-2-Clause
/* Errors and signals by the names that libc knows. */
#include <ctype.h>
#include <signal.h>

#include "base/nearest.h"
#include "words.h"

#define ERRORS_MAX   4095 /* the highest error number that a system call can return */
#define ERRORS_NAMED 255  /* libc names errors up to here */

/* Second names, and errors that only the kernel sees. */
static const struct {
	const char *name;
	int number;
} other_errors[] = {
	{ "EWOULDBLOCK", EWOULDBLOCK },
	{ "EDEADLOCK", EDEADLOCK },
	{ "ENOTSUP", ENOTSUP },
	{ "ERESTARTSYS", 512 },
	{ "ERESTARTNOINTR", 513 },
	{ "ERESTARTNOHAND", 514 },
	{ "ENOIOCTLCMD", 515 },
	{ "ERESTART_RESTARTBLOCK", 516 },
	{ "ENOTSUPP", 524 },
};

const char *words_error_name(int64_t ret)
{
	if (ret >= 0 || ret < -ERRORS_MAX)
		return NULL;
	for (size_t i = 0; ret < -ERRORS_NAMED && i < ARRAY_SIZE(other_errors); i++)
		if (other_errors[i].number == -ret)
			return other_errors[i].name;
	return strerrorname_np(-ret);
}

static int find_error(const char *name, struct nearest *nearest)
{
	for (int error = 1; error <= ERRORS_NAMED; error++) {
		const char *known = strerrorname_np(error);

		if (known && !strcmp(name, known))
			return error;
		if (known)
			nearest_offer(nearest, known);
	}
	for (size_t i = 0; i < ARRAY_SIZE(other_errors); i++)
		if (!strcmp(name, other_errors[i].name))
			return other_errors[i].number;
	return -EINVAL;
}

static char *in_capitals(const char *text)
{
	char *upper = base_strdup(text);

	for (char *c = upper; *c; c++)
		*c = toupper((unsigned char)*c);
	return upper;
}

static int no_such(const char *what, const char *text, const struct nearest *nearest, struct err *err)
{
	if (nearest_name(nearest))
		return err_set(err, -EINVAL, "no %s '%s' (did you mean %s?)", what, text, nearest_name(nearest));
	return err_set(err, -EINVAL, "no %s '%s'", what, text);
}

int words_find_error(const char *text, struct err *err)
{
	__free char *upper = in_capitals(text);
	struct nearest nearest;
	char *end;
	int error;

	if (isdigit((unsigned char)*text)) {
		unsigned long number = strtoul(text, &end, 10);

		if (!*end && number && number <= ERRORS_MAX)
			return number;
		return err_set(err, -EINVAL, "no error '%s': they are 1 to %d", text, ERRORS_MAX);
	}
	nearest_init(&nearest, upper);
	error = find_error(upper, &nearest);
	return error > 0 ? error : no_such("error", text, &nearest, err);
}

int words_set_error(void *dest, const char *text, struct err *err)
{
	int error = words_find_error(text, err);

	if (error < 0)
		return error;
	*(uint32_t *)dest = error;
	return 0;
}

/* --- signals --- */

/* Second names of signals: libc knows one name for each. */
static const struct {
	const char *name;
	int number;
} aliases[] = { { "CLD", SIGCHLD }, { "IO", SIGIO }, { "IOT", SIGIOT } };

/* Counts from the nearer end, as a shell's kill -l does. */
static void add_realtime(struct str *s, int signal)
{
	int above = signal - SIGRTMIN, below = SIGRTMAX - signal;

	str_add(s, above <= below ? "RTMIN" : "RTMAX");
	if (above && below)
		str_addf(s, "%+d", above <= below ? above : -below);
}

bool words_add_signal(struct str *s, int signal)
{
	const char *name = sigabbrev_np(signal);

	if (name)
		str_add(s, name);
	else if (signal >= SIGRTMIN && signal <= SIGRTMAX)
		add_realtime(s, signal);
	else
		return false;
	return true;
}

/* Parses RTMIN or RTMAX, alone or with a sign and a number. */
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

/* name: in capitals, without SIG. */
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
	__free char *upper = in_capitals(text);
	struct nearest nearest;
	char *name = upper, *end;
	int signal;

	if (isdigit((unsigned char)*text)) {
		unsigned long number = strtoul(text, &end, 10);

		if (!*end && number <= (unsigned long)SIGRTMAX)
			return number;
		return err_set(err, -EINVAL, "no signal '%s': the last is %d", text, SIGRTMAX);
	}
	name += strncmp(name, "SIG", 3) ? 0 : 3;
	nearest_init(&nearest, name);
	signal = find_name(name, &nearest);
	return signal > 0 ? signal : no_such("signal", text, &nearest, err);
}

/* --- completion --- */

void words_offer_errors(const char *word, void (*fn)(const char *name, void *ctx), void *ctx)
{
	for (int error = 1; error <= ERRORS_NAMED; error++)
		if (strerrorname_np(error))
			fn(strerrorname_np(error), ctx);
}

void words_offer_signals(const char *word, void (*fn)(const char *name, void *ctx), void *ctx)
{
	for (int signal = 1; signal <= SIGRTMAX; signal++) {
		__str struct str name = {};

		if (words_add_signal(&name, signal))
			fn(name.data, ctx);
	}
}

int words_set_signals(void *dest, const char *text, struct err *err)
{
	struct signal_set *set = dest;
	__free char *copy = base_strdup(text);
	char *names = copy;

	*set = (struct signal_set){ .chosen = 1 };
	for (char *name; (name = strsep(&names, ","));) {
		int signal = words_find_signal(name, err);

		if (signal < 0)
			return signal;
		if (signal)
			set->numbers |= 1ULL << (signal - 1);
		else
			set->zero = 1;
	}
	return 0;
}
