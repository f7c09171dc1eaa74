/* SPDX-License-Identifier: BSD-2-Clause */
/* A test's end: a line on stdout that says what is wrong, and exit status 1. */
#ifndef SONDE_TESTS_ENGINES_FAIL_H
#define SONDE_TESTS_ENGINES_FAIL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

static void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}

#endif
