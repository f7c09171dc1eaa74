/* SPDX-License-Identifier: BSD-2-Clause */
/* For engines whose arguments are probes as a user writes them. */
#ifndef SONDE_ENGINE_PROBES_H
#define SONDE_ENGINE_PROBES_H

#include "attach/attach.h"
#include "engine.h"

struct probes_settings {
	bool regex, mangled, force;
	/* Set by the engine: functions are probed at both ends; it reads what they return. */
	bool both, value;
	const char *const *also; /* more specs than the arguments */
	size_t n_also;
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
	    "probe user functions even if that may break the program: inside instructions, or by return probes")

/* Resolves the arguments to targets. what: "count", for "nothing to count". It is an error if no target is left. */
int probes_resolve(struct engine_instance *instance, const struct probes_settings *settings, const char *what,
		   struct target_set *set, struct err *err);
/*
 * Adds all targets that a spec matches to a set, with this slot. The caller numbers the slots and sets set->n_slots.
 * Returns 0, or -errno with err set; -ENOENT: the spec matches nothing that can be probed. Nothing is added then.
 */
int probes_add_spec(struct target_set *set, const char *spec, uint32_t slot, const struct target_options *options,
		    struct err *err);
/* Returns the options to attach a set of targets. */
struct attach_options probes_attach_options(struct engine_instance *instance, const struct probes_settings *settings);
/* Reports "Tracing 5 functions for ...". */
void probes_say_armed(struct engine_instance *instance, size_t n);
/* Lists the targets that are not attached, and why. The caller frees notes->v. */
void probes_not_attached(const struct attach *attach, const struct target_set *set, struct target_notes *notes);
/* Reports, a line for each reason, which targets were not attached (notes), and which were left out of the set. */
void probes_say_left_out(struct engine_instance *instance, struct target_set *set, struct target_notes *failed);
/*
 * Why the kernel may have missed a return, to be added to the reason that it may have for any hit: " or ...". Empty where
 * that is no reason, or is reported by probes_say_missed_returns().
 */
const char *probes_why_missed_returns(const struct attach *attach);
/* Reports the hits that the kernel missed, if it knows them; consequence: "not counted". */
void probes_say_missed(struct engine_instance *instance, const struct attach *attach, bool knows, uint64_t missed,
		       const char *consequence);
/*
 * Reports the returns of attach_missed_returns(), or that some may be missing. Returns how many are. consequence: "not
 * counted".
 */
uint64_t probes_say_missed_returns(struct engine_instance *instance, struct attach *attach, const char *consequence);
/* Reports the calls of attach_pushed_out(). */
void probes_say_pushed_out(uint64_t n);
/* Reports if probes were switched off meanwhile, which the kernel does not. Returns true if so. */
bool probes_say_switched_off(const struct attach *attach);

#endif
