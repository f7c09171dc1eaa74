/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Within script/: what a program prints as JSON: bpftrace's objects (-f json), one for each call of print(), or rows
 * (-j), one for each entry of a map, so that jq reads them line by line.
 */
#ifndef SONDE_SCRIPT_SCRIPT_JSON_H
#define SONDE_SCRIPT_SCRIPT_JSON_H

#include "script_print.h"

enum script_form {
	SCRIPT_TEXT,
	SCRIPT_JSON, /* bpftrace's */
	SCRIPT_ROWS, /* sonde's: {"time":...,"map":"@x","key":...,"value":...} */
};

/* {"type": "printf", "data": "..."}, or {"time":...,"printf":"..."}. */
void script_json_text(struct str *to, enum script_form form, const char *type, const char *text, size_t n);
/* print(value) */
void script_json_value(struct str *to, struct script_names *names, enum script_form form,
		       const struct script_value *value);
/* {"type": "attached_probes", "data": {"probes": 2}}; rows: nothing. */
/* A message of a program with its place; type: "errorf", "warnf". */
void script_json_message(struct str *to, const struct lang_sources *sources, const struct span *at, const char *type,
			 const char *text);
void script_json_attached(struct str *to, enum script_form form, size_t n);
/* Sorts the entries. An empty map is nothing. */
void script_json_map(struct str *to, struct script_names *names, enum script_form form, struct script_entries *entries,
		     const struct script_choice *choice);
/* print(@x[key]): the value alone. */
void script_json_map_value(struct str *to, struct script_names *names, enum script_form form, const struct type *type,
			   const void *value);

#endif
