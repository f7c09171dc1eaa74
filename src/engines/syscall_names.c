// SPDX-License-Identifier: BSD-2-Clause
/* Names of system calls: found, offered, listed. */
#include "base/nearest.h"
#include "bpf/syscalls.h"
#include "kernel/syscalls.h"
#include "output/output.h"
#include "syscall_names.h"

#define NAME_WIDTH   22
#define NAMES_A_LINE 4

int syscall_names_set(void *dest, const char *name, struct err *err)
{
	int number = syscall_number(name);
	struct nearest nearest;

	if (number >= 0 && number < SYSCALLS_NUMBERS) {
		*(int *)dest = number;
		return 0;
	}
	nearest_init(&nearest, name);
	for (number = 0; number < SYSCALLS_NUMBERS; number++)
		if (syscall_name(number))
			nearest_offer(&nearest, syscall_name(number));
	if (nearest_name(&nearest))
		return err_set(err, -EINVAL, "no such system call (did you mean %s?)", nearest_name(&nearest));
	return err_set(err, -EINVAL, "no such system call (-l lists them)");
}

void syscall_names_offer(const char *word, void (*fn)(const char *name, void *ctx), void *ctx)
{
	for (int number = 0; number < SYSCALLS_NUMBERS; number++)
		if (syscall_name(number))
			fn(syscall_name(number), ctx);
}

struct row {
	const char *name;
	uint32_t number;
};

static const struct field fields[] = {
	DATA(FIELD_STR, struct row, name, "syscall"),
	DATA(FIELD_U32, struct row, number, "number", .role = ROLE_LABEL),
};
static const struct schema schema = { fields, ARRAY_SIZE(fields) };

static int by_name(const void *pa, const void *pb)
{
	return strcmp(((const struct row *)pa)->name, ((const struct row *)pb)->name);
}

static void print_columns(struct output *out, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i += NAMES_A_LINE) {
		size_t end = i + NAMES_A_LINE < n ? i + NAMES_A_LINE : n;
		__str struct str line = {};

		for (size_t j = i; j < end; j++)
			str_addf(&line, "%s%-*s", j > i ? "   " : "", j + 1 < end ? NAME_WIDTH : 0, rows[j].name);
		output_line(out, "%s", line.data);
	}
}

void syscall_names_list(struct output *out)
{
	struct row rows[SYSCALLS_NUMBERS];
	size_t n = 0;

	for (uint32_t number = 0; number < SYSCALLS_NUMBERS; number++)
		if (syscall_name(number))
			rows[n++] = (struct row){ syscall_name(number), number };
	qsort(rows, n, sizeof(*rows), by_name);
	if (output_is_text(out)) {
		print_columns(out, rows, n);
		return;
	}
	output_table_begin(out, &schema, NULL, true);
	for (size_t i = 0; i < n; i++)
		output_row(out, &rows[i]);
}
