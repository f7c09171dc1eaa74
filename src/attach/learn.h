/* SPDX-License-Identifier: BSD-2-Clause */
/* Within attach/: what was learned of functions to which calls are handed over by pointers. attach_learn() learns. */
#ifndef SONDE_ATTACH_LEARN_H
#define SONDE_ATTACH_LEARN_H

#include "base/set.h"
#include "base/shares.h"
#include "unwind/module_file.h"

struct attach;
struct binary;

/* What has shares by users: of those whose processes jump. */
enum learn_what {
	LEARN_TIME,   /* ns that it took */
	LEARN_PLACES, /* at which functions end that were learned */
};

/* What found no room: its number in refused[]. */
enum learn_refused {
	LEARN_NO_LEAD,
	LEARN_NO_PLACE,
};

/* The files that were parsed last: one after the other, a process jumps to many functions of few files. */
#define LEARN_FILES_MAX 4

struct learn_file {
	struct module_file_id id;
	struct binary *binary; /* NULL: this one is free */
	uint64_t used;	       /* when, as a number that grows */
};

struct learned {
	struct set leads;  /* those that were looked at, struct gate_lead */
	struct set places; /* in files, for each slot */
	vec(bool) probed;  /* whether the ends are probed, for each place */
	struct set claims; /* what bounds the places, see learn_places.c */
	struct {
		vec(uint32_t);
	} claimed;	 /* of each of them, how often */
	uint64_t n_ends; /* that are probed */
	struct shares shares;
	struct learn_file files[LEARN_FILES_MAX];
	uint64_t files_used;
	uint64_t next; /* monotonic: when to look again */
	bool was_full;
	uint32_t named;	    /* users that found no room, in messages */
	uint64_t unlearned; /* calls before the last pause, and of processes that have ended */
};

/* alone: there is one process, whose user has no limit. */
void learn_init(struct learned *learned, bool alone);
/* In a pause, which closes the links of what was learned: it is learned again afterwards. */
void learn_forget(struct attach *attach);
void learn_release(struct learned *learned);

/* The code at an address of a process. */
struct learn_code {
	uint64_t address;
	pid_t pid;
	struct module_file file;
	uint64_t offset; /* in the file */
};

/* In learn_files.c: finds file and offset. The caller closes file.fd and frees file.root. -ENOENT: it is in no file. */
int learn_find_code(struct learn_code *code);
/* The file, parsed; owned by learned, and valid until the next call. NULL: it cannot be read, as err says. */
struct binary *learn_file(struct learned *learned, const struct module_file *file, struct err *err);
void learn_files_release(struct learned *learned);

/*
 * In learn_places.c: probes the ends of the function at a place, for calls that a process of this user has handed over.
 * Returns whether they are probed; *was: they were before.
 */
struct gate_lead;
bool learn_place(struct attach *attach, const struct gate_lead *lead, uid_t uid, const struct learn_code *code, bool *was);
void learn_places_release(struct learned *learned);
/* What is probed with this slot, for messages. NULL: nothing. */
const char *learn_label(const struct attach *attach, uint32_t slot);

#endif
