/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What traces this kernel through tracefs, in all of its instances, and the pins of BPF objects: read, not judged. Items
 * are what can be set, made or left there; each says in which file it is.
 *
 * perf events and BPF programs on a dynamic event cannot be seen here: the kernel refuses to remove it then.
 */
#ifndef SONDE_TRACES_INVENTORY_H
#define SONDE_TRACES_INVENTORY_H

#include "base/pool.h"
#include "base/str.h"
#include "owner.h"
#include "holders.h"
#include "pins.h"

enum trace_kind {
	/* dynamic events, each a line of one of the lists */
	TRACE_EPROBE,
	TRACE_SYNTHETIC,
	TRACE_PROBE, /* of functions, by fprobe, or of tracepoints */
	TRACE_KPROBE,
	TRACE_UPROBE,
	/* what is set for one event in one instance */
	TRACE_ENABLED,
	TRACE_TRIGGER,
	TRACE_FILTER,
	/* of an instance */
	TRACE_SETTING,
	TRACE_ENTRIES, /* in the ring buffer */
	TRACE_INSTANCE,
	/* of no tracefs: a name in a bpffs */
	TRACE_PIN,
};

struct trace_item {
	enum trace_kind kind;
	bool set;	   /* false: a setting that is as the kernel begins with it */
	size_t instance;   /* index in traces.instances */
	const char *file;  /* from tracefs' root, or from / where it begins with that */
	const char *group; /* of an event, else NULL */
	const char *name;  /* of an event or an instance, else NULL */
	const char *text;  /* as the kernel says it: the definition, the trigger, what the setting is */
	ssize_t event;	   /* of TRACE_ENABLED and so on: the item of their event where that is a dynamic one, else -1 */
	size_t users;	   /* of a dynamic event: how many of TRACE_ENABLED and TRACE_TRIGGER are its */
	uint64_t entries;  /* of TRACE_ENTRIES */
	const struct trace_setting *setting;
	const struct trace_pin *pin;
	int unreadable;		  /* of a setting or a pin: -errno, 0 it was read */
	struct trace_owner owner; /* of dynamic events and pins */
};

/* A file of tracefs that is one setting. */
struct trace_setting {
	const char *file;
	const char *expected; /* without comments and the last newline */
	const char *reset;    /* what to write, NULL: opening it with O_TRUNC does it */
};

/* One of the files that list dynamic events, whole. */
struct trace_list {
	const char *file;
	struct str text;
};

#define TRACE_LISTS 3

struct trace_instance {
	const char *name;		 /* "" for the one that is always there */
	const char *prefix;		 /* of its files: "" or "instances/NAME/" */
	const struct process_id *reader; /* one that has its ring buffer open to read, NULL none */
};

struct traces {
	int root;			      /* tracefs, not ours to close */
	const char *path;		      /* where it is mounted, for people */
	struct trace_list lists[TRACE_LISTS]; /* by enum trace_kind: see trace_list_of() */
	struct {
		struct trace_instance *v;
		size_t n, cap;
	} instances; /* the first is the one that is always there */
	struct trace_item *v;
	size_t n, cap;
	struct processes processes; /* read where a name holds a process id */
	bool knows_processes;
	struct trace_pins pins;
	struct holders holders; /* who has what open */
	struct pool strings;
};

/*
 * Reads all of it and looks up owners. What cannot be read is an error; but where that is tracefs as a whole, the pins are
 * there nevertheless.
 */
int traces_read(struct traces *traces, struct err *err);
void traces_release(struct traces *traces);
/* What one file of it holds now. */
int traces_read_file(const struct traces *traces, const char *file, struct str *text);

static inline bool trace_is_event(const struct trace_item *item)
{
	return item->kind <= TRACE_UPROBE;
}

/* The list in which an event of this kind is: an index of traces.lists. */
size_t trace_list_of(enum trace_kind kind);
/* "kprobe", "trigger": one word. */
const char *trace_kind_name(enum trace_kind kind);
/* The name of the file for people: with where tracefs is. The caller frees it. */
char *traces_file_name(const struct traces *traces, const char *file);

#endif
