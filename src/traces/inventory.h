/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists what traces this kernel through tracefs, in all its instances, and the pins of BPF objects. It lists
 * without judging. An item is something that was set, made or left; each names its file.
 *
 * perf events and BPF programs on a dynamic event are not visible here. The kernel refuses to remove such an
 * event.
 */
#ifndef SONDE_TRACES_INVENTORY_H
#define SONDE_TRACES_INVENTORY_H

#include "base/pool.h"
#include "base/str.h"
#include "owner.h"
#include "holders.h"
#include "pins.h"

enum trace_kind {
	/* dynamic events, each one a line in one of the lists */
	TRACE_EPROBE,
	TRACE_SYNTHETIC,
	TRACE_PROBE, /* of a function, by fprobe, or of a tracepoint */
	TRACE_KPROBE,
	TRACE_UPROBE,
	/* settings of one event in one instance */
	TRACE_ENABLED,
	TRACE_TRIGGER,
	TRACE_FILTER,
	/* an instance's settings, its ring buffer, and the instance itself */
	TRACE_SETTING,
	TRACE_ENTRIES,
	TRACE_INSTANCE,
	/* not in tracefs: a name in a bpffs */
	TRACE_PIN,
};

struct trace_item {
	enum trace_kind kind;
	/* false: a setting with the kernel's default, an empty ring buffer, or a pin that cannot be opened */
	bool set;
	size_t instance;   /* index in traces.instances */
	const char *file;  /* relative to the root of tracefs, or absolute if it begins with '/' */
	const char *group; /* of an event, else NULL */
	const char *name;  /* of an event or an instance, else NULL */
	const char *text;  /* in the kernel's words: the definition, the trigger, the value of the setting */
	/* of TRACE_ENABLED, TRACE_TRIGGER and TRACE_FILTER: index of their event if it is a dynamic one, else -1 */
	ssize_t event;
	size_t users;	  /* of a dynamic event: how many TRACE_ENABLED and TRACE_TRIGGER items use it */
	uint64_t entries; /* of TRACE_ENTRIES */
	const struct trace_setting *setting;
	const struct trace_pin *pin;
	int unreadable;		  /* of a setting or a pin: -errno, 0 if it was read */
	struct trace_owner owner; /* of dynamic events and pins */
};

/* A file of tracefs that holds one setting. */
struct trace_setting {
	const char *file;
	const char *expected; /* the kernel's default, without comments and the last newline */
	const char *reset;    /* what to write to reset it; NULL: opening it with O_TRUNC resets it */
};

/* A file that lists dynamic events, and its whole text. */
struct trace_list {
	const char *file;
	struct str text;
};

#define TRACE_LISTS 3

struct trace_instance {
	const char *name;		 /* "" for the top one, which always exists */
	const char *prefix;		 /* of its files: "" or "instances/NAME/" */
	const struct process_id *reader; /* a process that has its ring buffer open for reading, or NULL */
};

struct traces {
	int root;			      /* descriptor of tracefs; do not close it */
	const char *path;		      /* its mount point, for messages */
	struct trace_list lists[TRACE_LISTS]; /* by enum trace_kind: see trace_list_of() */
	vec(struct trace_instance) instances; /* the first is the top one */
	vec(struct trace_item);
	struct processes processes; /* read only if a name contains a process id or there are pins */
	bool knows_processes;
	struct trace_pins pins;
	struct holders holders; /* who holds tracing objects open */
	struct pool strings;
};

/*
 * Reads everything and looks up the owners. Free traces with traces_release(), also after an error. Returns 0, or
 * -errno with err if tracefs or a part of it cannot be read; pins and holders are valid nevertheless.
 */
int traces_read(struct traces *traces, struct err *err);
void traces_release(struct traces *traces);
/* Reads the current contents of one of its files. Returns 0 or -errno. */
int traces_read_file(const struct traces *traces, const char *file, struct str *text);

static inline bool trace_is_event(const struct trace_item *item)
{
	return item->kind <= TRACE_UPROBE;
}

/* Returns the list that holds events of this kind: an index of traces.lists; TRACE_LISTS if it is no event. */
size_t trace_list_of(enum trace_kind kind);
/* Returns the kind as one word: "kprobe", "trigger". */
const char *trace_kind_name(enum trace_kind kind);
/* Returns the file's name with the mount point in front, for messages. The caller frees it. */
char *traces_file_name(const struct traces *traces, const char *file);

/* True if a process that has this file of tracefs open takes records out of the ring buffer. */
bool inventory_is_for_readers(const char *file);

#endif
