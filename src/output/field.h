/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A row is a C struct, and a schema says which fields it has: where a field's value comes from, what it is, and how wide its
 * column is in text. A field's type and role say what it means; how a format writes that is the printers' alone.
 */
#ifndef SONDE_FIELD_H
#define SONDE_FIELD_H

#include "value.h"

enum field_type {
	/* numbers */
	FIELD_U64,
	FIELD_S64,
	FIELD_U32,
	FIELD_S32,
	FIELD_REAL, /* double */
	FIELD_BOOL, /* bool */
	/* uint64_t with a meaning */
	FIELD_TIME,	/* ns since boot; shown as wall time: text HH:MM:SS and .decimals, data RFC 3339 with microseconds */
	FIELD_ELAPSED,	/* ns since boot; text: seconds since tracing began, data: as it is */
	FIELD_DURATION, /* ns; text: in .unit with .decimals, rounded; data: as it is */
	FIELD_BYTES,	/* text: in .unit; data: as it is */
	/* int32_t with a meaning */
	FIELD_SIGNAL, /* text KILL, data SIGKILL; null where it has no name */
	FIELD_ERRNO,  /* what a call returned: the error's number, 0 where it is none */
	FIELD_ERROR,  /* the same: the error's name, null where it is none */
	/* texts, foreign */
	FIELD_STR,   /* const char *, NUL-terminated; NULL is null */
	FIELD_PATH,  /* the same, of a file */
	FIELD_CHARS, /* char[] inline, NUL-terminated unless full */
	/* only by a getter */
	FIELD_ADDRESS,
	FIELD_LIST, /* of strings, numbers or rows */
	FIELD_ROW,
};

/* What a field is good for, whatever its type. */
enum field_role {
	ROLE_BY_TYPE,
	ROLE_LABEL,   /* tells rows apart: a name, an address, an error */
	ROLE_VALUE,   /* a measured number that may rise and fall */
	ROLE_COUNTER, /* a number of things: those of several rows add up */
	ROLE_TIME,    /* when */
	ROLE_DURATION,
	ROLE_TASK, /* who: ids and names of processes, threads and users */
};

/* How text shows a duration (stored in ns) or a size (stored in bytes). */
enum field_unit {
	UNIT_STORED,
	UNIT_US,
	UNIT_MS,
	UNIT_SECONDS,
	UNIT_KB,    /* 1024 bytes, the rest cut off */
	UNIT_SHORT, /* three digits at most: 512, 1.5K, 48K, 12M */
};

/* Which number stands for null. */
enum field_null {
	NULL_NEVER,
	NULL_ZERO,
	NULL_MOST, /* all bits set */
};

struct field {
	const char *key;   /* of data, JSON say: "count" */
	const char *title; /* column heading of text: "COUNT" */
	enum field_type type;
	enum field_role role;
	/* The value: a member of the row, or what a getter sets. It sets *to, which is null before; ctx: output_set_context(). */
	size_t offset;
	size_t size; /* FIELD_CHARS: of the array */
	void (*get)(struct value *to, const void *row, const void *ctx);
	/* When a member's value is null nevertheless: for one number, or while another member, of known_size bytes, is 0. */
	enum field_null null;
	size_t known, known_size;

	/* where it is shown */
	bool data_only;	   /* not a text column */
	bool text_only;	   /* not in data: JSON, CSV */
	const bool *shown; /* a text column only where this is set; NULL: always */

	/* text */
	int width;	       /* least columns; < 0 left-aligned; longer pushes right */
	bool may_cut;	       /* where a line is too long for the terminal, this column is cut in its middle; one of a schema */
	const char *absent;    /* what stands for null; NULL: "-" */
	enum field_unit unit;  /* FIELD_DURATION, FIELD_BYTES */
	int decimals;	       /* FIELD_TIME, FIELD_DURATION, FIELD_REAL */
	unsigned int base;     /* of numbers: 8, 16; 0 is 10 */
	int digits;	       /* at least, of base 8 or 16 */
	const char *prefix;    /* of each number in base 8 or 16 */
	const char *separator; /* between items of a list; NULL: a space */
	const bool *quoted;    /* items of a list are quoted for a shell where this is set; NULL: never */
	/* data */
	int data_decimals; /* FIELD_REAL */
};

/* A column of text and data: FIELD of a member, FIELD_GET by a getter. */
#define FIELD(TYPE, STRUCT, MEMBER, KEY, TITLE, WIDTH, ...) \
	{ \
		.key = KEY, .title = TITLE, .type = TYPE, \
		.offset = offsetof(STRUCT, MEMBER), .size = sizeof(((STRUCT *)0)->MEMBER), \
		.width = WIDTH, ##__VA_ARGS__ \
	}
#define FIELD_GET(TYPE, GET, KEY, TITLE, WIDTH, ...) \
	{ \
		.key = KEY, .title = TITLE, .type = TYPE, .get = GET, .width = WIDTH, ##__VA_ARGS__ \
	}
/* In data only. */
#define DATA(TYPE, STRUCT, MEMBER, KEY, ...) FIELD(TYPE, STRUCT, MEMBER, KEY, NULL, 0, .data_only = true, ##__VA_ARGS__)
#define DATA_GET(TYPE, GET, KEY, ...)	     FIELD_GET(TYPE, GET, KEY, NULL, 0, .data_only = true, ##__VA_ARGS__)
/* In text only, for what people read in another shape than programs. */
#define TEXT(TYPE, STRUCT, MEMBER, TITLE, WIDTH, ...) \
	FIELD(TYPE, STRUCT, MEMBER, NULL, TITLE, WIDTH, .text_only = true, ##__VA_ARGS__)
#define TEXT_GET(TYPE, GET, TITLE, WIDTH, ...) FIELD_GET(TYPE, GET, NULL, TITLE, WIDTH, .text_only = true, ##__VA_ARGS__)
/* Null where STRUCT.MEMBER is 0. */
#define KNOWN_BY(STRUCT, MEMBER) .known = offsetof(STRUCT, MEMBER), .known_size = sizeof(((STRUCT *)0)->MEMBER)

struct schema {
	const struct field *fields;
	size_t n;
	/* What is no table in text, a chart say: appends the whole row, as lines. There are no headings then. */
	void (*draw)(struct str *s, const void *row);
	bool ruled; /* text: a line of dashes below the headings, and where output_rule() asks for one */
};

/* The role that is given, else the one that the type has: never ROLE_BY_TYPE. */
enum field_role field_role(const struct field *field);

#endif
