/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Members of a settings struct, as constant tables name them. Each instance of a tool has settings of its own, so a
 * table cannot hold a member's address:
 *
 *	struct settings { bool failed; };
 *	static const struct progs_probe probes[] = {
 *		{ .program = "exec_failed", .syscall = "execve", .when = IS_SET(failed) },
 *	};
 *
 * The number 0 names no member, so that what a table leaves out is not there.
 */
#ifndef SONDE_OPTIONS_SETTING_H
#define SONDE_OPTIONS_SETTING_H

#include "base/base.h"

/* Does not compile if the member is not a TYPE. */
#define SETTING(TYPE, STRUCT, MEMBER) _Generic(((STRUCT *)0)->MEMBER, TYPE \
					       : offsetof(STRUCT, MEMBER) + 1)

/* A bool of the struct settings of a tool. */
#define IS_SET(MEMBER) SETTING(bool, struct settings, MEMBER)

/* Returns the member, which has the type that SETTING() has checked; NULL if the number names none. */
static inline const void *setting_at(const void *settings, size_t setting)
{
	return setting ? (const char *)settings + setting - 1 : NULL;
}

/* Returns the value of a bool, or `otherwise` if the number names none. */
static inline bool setting_is(const void *settings, size_t setting, bool otherwise)
{
	const bool *is = setting_at(settings, setting);

	return is ? *is : otherwise;
}

#endif
