// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names frames of interpreters when their stacks arrive: the process may free its functions, or end. What was read of a
 * function is kept, for a process that has ended by then, and compared with what the process has now.
 */
#include "base/str.h"
#include "interp/language.h"
#include "symbols_part.h"

/* Frames of one function and line are one, whatever process they are of. */
static const struct frame *frame_of(struct symbols *symbols, const char *name)
{
	struct symbols_interpreted *interpreted = &symbols->interpreted;
	uint32_t number = set_add(&interpreted->names, name, strlen(name) + 1);

	if (number == interpreted->frames.n) {
		const struct frame new = { .name = pool_add(&symbols->strings, name), .kind = FRAME_INTERPRETED };

		*vec_push(&interpreted->frames) = pool_copy(&symbols->strings, &new, sizeof(new));
	}
	return interpreted->frames.v[number];
}

/* A process can make functions without end. Those beyond have no lines, or no names. */
#define CODES_MAX  (256 * 1024)
#define TABLES_MAX (64 * 1024 * 1024)

static void limit_table(struct symbols *symbols, struct names_code *code)
{
	if (symbols->interpreted.tables + code->n_table > TABLES_MAX) {
		free(code->table);
		code->table = NULL;
		code->n_table = 0;
	}
	symbols->interpreted.tables += code->n_table;
}

/* Keeps what was read of a new function, and takes over what it has. */
static const struct names_code *keep(struct symbols *symbols, const uint64_t key[2], const struct names_code *new)
{
	struct names_code *code = base_alloc(sizeof(*code));

	*code = *new;
	limit_table(symbols, code);
	set_add(&symbols->interpreted.codes, key, 2 * sizeof(*key));
	*vec_push(&symbols->interpreted) = code;
	return code;
}

/* The runtime of a process. NULL: its memory cannot be read, or not any more. */
static const struct runtime *runtime_of(struct symbols *symbols, pid_t pid, uint64_t *state)
{
	struct symbols_interpreted *interpreted = &symbols->interpreted;
	const struct runtime *runtime = NULL;
	uint32_t number;

	if (symbols->source.runtime)
		runtime = symbols->source.runtime(symbols->source.ctx, pid, state);
	if (!runtime || runtime->why)
		return NULL;
	number = set_add(&interpreted->processes, &pid, sizeof(pid));
	if (number == interpreted->languages.n)
		vec_push(&interpreted->languages);
	interpreted->languages.v[number] = runtime->language;
	return runtime;
}

/* What stands in place of a function of a process that cannot be read. */
static const char *unread_of(struct symbols *symbols, pid_t pid)
{
	uint32_t number = set_find(&symbols->interpreted.processes, &pid, sizeof(pid));

	return number == SET_NONE ? "[interpreted]" : symbols->interpreted.languages.v[number]->unread;
}

/* What is known of a function, as it is now; of a process that has ended, as it was. NULL: nothing. */
static const struct names_code *code_at(struct symbols *symbols, pid_t pid, uint64_t address)
{
	const uint64_t key[] = { (uint64_t)pid, address };
	uint32_t number = set_find(&symbols->interpreted.codes, key, sizeof(key));
	struct names_code new = {}, *known = number == SET_NONE ? NULL : symbols->interpreted.v[number];
	const struct peek peek = peek_at(&pid);
	const struct runtime *runtime;
	uint64_t state;
	size_t had;
	int ret;

	runtime = runtime_of(symbols, pid, &state);
	if (!address || (!known && symbols->interpreted.n >= CODES_MAX))
		return NULL;
	if (runtime && !known)
		return names_read(&new, runtime, state, &peek, address) < 0 ? NULL : keep(symbols, key, &new);
	if (runtime) {
		had = known->n_table;
		ret = names_read(known, runtime, state, &peek, address);
		if (ret == -EBADMSG)
			names_release(known);
		if (ret == 1 || ret == -EBADMSG) {
			symbols->interpreted.tables -= had;
			limit_table(symbols, known);
		}
	}
	return known && known->words[0] ? known : NULL;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const struct frame *symbols_interpreted(struct symbols *symbols, pid_t pid, uint64_t frame)
{
	const struct names_code *code;
	__str struct str name = {};
	int line;

	if (symbols->options.raw) {
		str_addf(&name, "0x%llx", (unsigned long long)INTERP_CODE(frame));
		return frame_of(symbols, name.data);
	}
	code = code_at(symbols, pid, INTERP_CODE(frame));
	if (!code)
		return frame_of(symbols, unread_of(symbols, pid));
	line = names_line(code, INTERP_PLACE(frame));
	str_add(&name, code->function);
	if (code->file[0])
		str_addf(&name, " (%s", base_of(code->file));
	if (code->file[0] && line)
		str_addf(&name, ":%d", line);
	if (code->file[0])
		str_addc(&name, ')');
	return frame_of(symbols, name.data);
}

void symbols_release_interpreted(struct symbols *symbols)
{
	struct symbols_interpreted *interpreted = &symbols->interpreted;

	vec_each(code, interpreted) {
		names_release(*code);
		free(*code);
	}
	free(interpreted->v);
	free(interpreted->frames.v);
	set_release(&interpreted->codes);
	free(interpreted->languages.v);
	set_release(&interpreted->processes);
	set_release(&interpreted->names);
}
