/* SPDX-License-Identifier: BSD-2-Clause */
/* How a process ended, an int as wait(2) has it, as columns. */
#ifndef SONDE_OUTPUT_WAIT_STATUS_H
#define SONDE_OUTPUT_WAIT_STATUS_H

#include "field.h"

/* For people one column, "0", "code 1" or "signal 9 (KILL), core dumped"; data has fields that are null where they do not apply. */
#define WAIT_STATUS_FIELDS(STRUCT, MEMBER, TITLE, WIDTH) \
	TEXT_GET(FIELD_STR, wait_status_get_end, TITLE, WIDTH, GET_OF(STRUCT, MEMBER)), \
		DATA_GET(FIELD_U32, wait_status_get_code, "exit_code", GET_OF(STRUCT, MEMBER)), \
		DATA_GET(FIELD_U32, wait_status_get_signal, "signal", .role = ROLE_LABEL, GET_OF(STRUCT, MEMBER)), \
		DATA_GET(FIELD_SIGNAL, wait_status_get_signal, "signal_name", GET_OF(STRUCT, MEMBER)), \
		DATA_GET(FIELD_BOOL, wait_status_get_core, "core_dumped", GET_OF(STRUCT, MEMBER))
void wait_status_get_end(struct value *to, const void *status, const void *ctx);
void wait_status_get_code(struct value *to, const void *status, const void *ctx);
void wait_status_get_signal(struct value *to, const void *status, const void *ctx);
void wait_status_get_core(struct value *to, const void *status, const void *ctx);

#endif
