/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A row is a C struct, and a schema lists its fields: where the value of a field comes from, what it is, and how wide
 * its column is in text. A field's type and role say what it means. Only the printers know how a format writes it.
 */
#ifndef SONDE_OUTPUT_FIELD_H
#define SONDE_OUTPUT_FIELD_H

#include "frame.h"
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
	FIELD_TIME,	/* ns since boot; printed as wall time: text HH:MM:SS and .decimals, data RFC 3339 with µs */
	FIELD_ELAPSED,	/* ns since boot; text: seconds since tracing began, data: unchanged */
	FIELD_DURATION, /* ns; text: in .unit with .decimals, rounded; data: unchanged */
	FIELD_BYTES,	/* text: in .unit; data: unchanged */
	/* int32_t with a meaning */
	FIELD_SIGNAL, /* text KILL, data SIGKILL; null if the signal has no name */
	FIELD_ERRNO,  /* what a call returned; printed as the number of the error, 0 if there was none */
	FIELD_ERROR,  /* the same, printed as the name of the error, null if there was none */
	/* foreign texts */
	FIELD_STR,   /* const char *, NUL-terminated; NULL is null */
	FIELD_PATH,  /* the same, the path of a file */
	FIELD_CHARS, /* char[] inline, NUL-terminated unless full */
	FIELD_STACK, /* struct frame_stack; text: a line for each frame; data: names, see output.h */
	/* set only by a getter */
	FIELD_ADDRESS,
	FIELD_LIST, /* of strings, numbers or rows */
	FIELD_ROW,
};

/* What a field is for, whatever its type. */
enum field_role {
	ROLE_BY_TYPE,
	ROLE_LABEL,   /* distinguishes rows: a name, an address, an error */
	ROLE_VALUE,   /* a measured number that may rise and fall */
	ROLE_COUNTER, /* a count: counts of several rows can be added up */
	ROLE_TIME,    /* when */
	ROLE_DURATION,
	ROLE_TASK, /* who: ids and names of processes, threads and users */
	ROLE_STACK,
	ROLE_NOTE, /* describes another field: its unit, another spelling of a name */
	/*
	 * For exporters. The value is a VALUE_HIST, the type is that of the measured values: FIELD_DURATION,
	 * FIELD_BYTES...
	 */
	ROLE_HISTOGRAM,
	ROLE_SUMMARY, /* only the number of values and their sum */
};

/* How text shows a duration (stored in ns) or a size (stored in bytes). */
enum field_unit {
	UNIT_STORED,
	UNIT_US,
	UNIT_MS,
	UNIT_SECONDS,
	UNIT_KB,    /* 1024 bytes, rounded down */
	UNIT_SHORT, /* at most three digits: 512, 1.5K, 48K, 12M */
};

/* Options of all tools that columns in text may wait for. */
enum field_option {
	FIELD_ALWAYS,
	FIELD_WITH_TIME,
	FIELD_WITH_TIMESTAMP,
	FIELD_WITH_VERBOSE,
};

/* The number that stands for null. */
enum field_null {
	NULL_NEVER,
	NULL_ZERO,
	NULL_MOST, /* all bits set */
};

struct field {
	const char *key;   /* in data, such as JSON: "count" */
	const char *title; /* column heading in text: "COUNT" */
	enum field_type type;
	enum field_role role;
	/*
	 * The value is a member of the row, or a getter sets it: *to, which is null before. ctx: output_set_context().
	 */
	size_t offset;
	size_t size; /* FIELD_CHARS: the bytes of the array */
	/* row is the row, or with GET_OF() a member of it. */
	void (*get)(struct value *to, const void *row, const void *ctx);
	/* A member's value is null if it is this number, or if another member, of known_size bytes, is 0. */
	enum field_null null;
	size_t known, known_size;

	/* where the field is printed */
	bool data_only;		/* no column in text */
	bool text_only;		/* not in data: JSON, CSV. With data_only: nowhere, only exporters read it */
	enum field_option with; /* a column in text only with this option */
	size_t shown;		/* a column in text only if this SETTING(bool, ...) is set (options/setting.h); 0: always */
	bool hidden;		/* no column in text: what the user's options make of the two above */

	/* text */
	int width;	       /* least columns; < 0: left-aligned; a longer value pushes the rest to the right */
	bool may_cut;	       /* a line too long for the terminal is cut in this column; one in a schema */
	const char *absent;    /* printed for null; NULL: "-" */
	enum field_unit unit;  /* FIELD_DURATION, FIELD_BYTES */
	int decimals;	       /* FIELD_TIME, FIELD_DURATION, FIELD_REAL */
	unsigned int base;     /* for numbers: 8 or 16; 0 means 10 */
	int digits;	       /* the least digits in base 8 or 16 */
	const char *prefix;    /* in front of each number in base 8 or 16 */
	const char *separator; /* between items of a list; NULL: a space */
	/* FIELD_STACK; text: the title, or four spaces if there is none, is printed in front of each frame */
	const struct frame_style *style; /* NULL: names only */
	bool reversed;			 /* text: the root first, as offwaketime draws its waker */
	/* data */
	int data_decimals; /* FIELD_REAL */
};

/* A column in text and in data: FIELD() for a member, FIELD_GET() for a getter. */
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
/* For FIELD_GET() and its like: the getter gets &row->MEMBER instead of the row. */
#define GET_OF(STRUCT, MEMBER) .offset = offsetof(STRUCT, MEMBER)
/* Only in data. */
#define DATA(TYPE, STRUCT, MEMBER, KEY, ...) FIELD(TYPE, STRUCT, MEMBER, KEY, NULL, 0, .data_only = true, ##__VA_ARGS__)
#define DATA_GET(TYPE, GET, KEY, ...)	     FIELD_GET(TYPE, GET, KEY, NULL, 0, .data_only = true, ##__VA_ARGS__)
/* Only in text: for values that people read in another form than programs. */
#define TEXT(TYPE, STRUCT, MEMBER, TITLE, WIDTH, ...) \
	FIELD(TYPE, STRUCT, MEMBER, NULL, TITLE, WIDTH, .text_only = true, ##__VA_ARGS__)
#define TEXT_GET(TYPE, GET, TITLE, WIDTH, ...) FIELD_GET(TYPE, GET, NULL, TITLE, WIDTH, .text_only = true, ##__VA_ARGS__)
/* Only for exporters: values that text and data show in other forms. */
#define METRIC(TYPE, STRUCT, MEMBER, KEY, ROLE, ...) \
	DATA(TYPE, STRUCT, MEMBER, KEY, .text_only = true, .role = ROLE, ##__VA_ARGS__)
#define METRIC_GET(TYPE, GET, KEY, ROLE, ...) DATA_GET(TYPE, GET, KEY, .text_only = true, .role = ROLE, ##__VA_ARGS__)
/* The value is null if STRUCT.MEMBER is 0. */
#define KNOWN_BY(STRUCT, MEMBER) .known = offsetof(STRUCT, MEMBER), .known_size = sizeof(((STRUCT *)0)->MEMBER)

struct schema {
	const struct field *fields;
	size_t n;
	/* For text that is not a table, such as a chart: appends the whole row as lines. There are no headings then. */
	void (*draw)(struct str *s, const void *row);
	bool ruled; /* text: a line of dashes below the headings, and for each output_rule() */
	/*
	 * text: no columns and no headings. Each field is a line of its own, its title and its value, and each frame
	 * of a stack; a null has no line; an empty line ends the row. A line of dashes stands between a stack that is
	 * reversed and one that is not. Without this, the frames of stack fields follow the row's line.
	 */
	bool stacked;
};

/* Returns the role, or the role of the type if none is given. Never ROLE_BY_TYPE. */
enum field_role field_role(const struct field *field);

#endif
