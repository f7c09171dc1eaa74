/* SPDX-License-Identifier: BSD-2-Clause */
/* Within engine/: what engines have in common whose arguments are probes as a user writes them. */
#ifndef SONDE_PROBES_H
#define SONDE_PROBES_H

#include "attach/attach.h"
#include "engine.h"

struct probes_settings {
	bool regex, mangled, force;
	bool both; /* the engine's: functions are probed at both ends */
	int mech;
};

#define PROBES_REGEX(STRUCT, MEMBER) \
	OPT(OPT_BOOL, STRUCT, MEMBER.regex, 'r', "regexp", NULL, "patterns are POSIX extended regular expressions")
#define PROBES_MANGLED(STRUCT, MEMBER) \
	OPT(OPT_BOOL, STRUCT, MEMBER, 0, "mangled", NULL, \
	    "name C++ and Rust functions by their symbols: _ZN4shop4Cart3addEv")
#define PROBES_MECHANISM(STRUCT, MEMBER) \
	OPT(OPT_CHOICE, STRUCT, MEMBER.mech, 0, "mechanism", "NAME", "attach by this mechanism only", \
	    .choices = mech_names)
#define PROBES_FORCE(STRUCT, MEMBER) \
	OPT(OPT_BOOL, STRUCT, MEMBER, 0, "force", NULL, \
	    "probe user functions even if that may break the program: inside instructions, or Go's by return probes")

/* The arguments to targets. what: "count", for "nothing to count". Fails where nothing is left. */
int probes_resolve(struct engine_instance *instance, const struct probes_settings *settings, const char *what,
		   struct target_set *set, struct err *err);
/* What every set of targets is attached with. */
struct attach_options probes_attach_options(struct engine_instance *instance, const struct probes_settings *settings);
/* "Tracing 5 functions for ..." */
void probes_say_armed(struct engine_instance *instance, size_t n);
/* A line for each file that would have had more symbols. */
void probes_say_refused(const struct target_set *set);
/* A line for each reason: what was not attached, of those notes, and what was left out of the set. */
void probes_say_left_out(struct engine_instance *instance, struct target_set *set, struct target_notes *failed);
/* The kernel's own, where it `knows` them; consequence: "not counted". */
void probes_say_missed(struct engine_instance *instance, bool knows, uint64_t missed, const char *consequence);
/* Whether probes have been switched off meanwhile, which the kernel tells nobody: true when something was said. */
bool probes_say_switched_off(const struct attach *attach);

#endif
