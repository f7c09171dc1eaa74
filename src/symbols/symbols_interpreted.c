// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names frames of interpreters when their stacks arrive: the process may free its functions, or end. What was read of a
 * function is kept, for a process that has ended by then, and compared with what the process has now.
 */
#include "base/str.h"
#include "interp/java.h"
#include "interp/language.h"
#include "interp/v8.h"
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

/* NULL: a process of which nothing is known. */
static const struct language *language_of(struct symbols *symbols, pid_t pid)
{
	uint32_t number = set_find(&symbols->interpreted.processes, &pid, sizeof(pid));

	return number == SET_NONE ? NULL : symbols->interpreted.languages.v[number];
}

/* What is known of a frame's function, as it is now; of a process that has ended, as it was. NULL: nothing. */
static const struct names_code *code_of(struct symbols *symbols, pid_t pid, uint64_t frame)
{
	uint64_t state, key[] = { (uint64_t)pid, INTERP_CODE(frame) };
	const struct runtime *runtime = runtime_of(symbols, pid, &state);
	const struct language *language = language_of(symbols, pid);
	const struct peek peek = peek_keep(&symbols->interpreted.process, pid);
	struct names_code new = {}, *known;
	uint32_t number;
	size_t had;
	int ret;

	if (!language || !key[1])
		return NULL;
	if (language->has_lines)
		key[1] |= INTERP_OF(frame);
	number = set_find(&symbols->interpreted.codes, key, sizeof(key));
	known = number == SET_NONE ? NULL : symbols->interpreted.v[number];
	if (!known && symbols->interpreted.n >= CODES_MAX)
		return NULL;
	if (runtime && !known)
		return names_read(&new, runtime, state, &peek, key[1]) < 0 ? NULL : keep(symbols, key, &new);
	if (runtime) {
		had = known->n_table;
		ret = names_read(known, runtime, state, &peek, key[1]);
		if (ret == -EBADMSG)
			names_release(known);
		if (ret == 1 || ret == -EBADMSG) {
			symbols->interpreted.tables -= had;
			limit_table(symbols, known);
		}
	}
	return known && known->words[0] ? known : NULL;
}

/* Modules of Node itself have no files: "node:fs/promises". */
static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	/* "(eval at FILE:LINE)" is none */
	return slash && slash[1] && *path != '(' && strncmp(path, "node:", 5) ? slash + 1 : path;
}

static void add_file(struct str *name, const char *file, int line, const char *mark)
{
	if (!*file)
		return;
	str_addf(name, " (%s", base_of(file));
	if (line)
		str_addf(name, ":%d%s", line, mark);
	str_addc(name, ')');
}

static const struct frame *frame_of_v8(struct symbols *symbols, const struct v8_frame *frame)
{
	__str struct str name = {};

	str_add(&name, frame->function);
	add_file(&name, frame->file, frame->line, frame->is_begin ? "+" : "");
	return frame_of(symbols, name.data);
}

/* Adds the methods of a frame. */
static void add_methods(struct symbols *symbols, const struct java_process *process, uint64_t frame)
{
	struct java_frame frames[JAVA_FRAMES];
	int n = -1;

	if (!symbols->interpreted.java)
		symbols->interpreted.java = java_new();
	/* a frame can be of many methods, and no more are kept than a stack has frames */
	if (symbols->stack.n < STACK_DEPTH)
		n = java_frames(symbols->interpreted.java, process, frame, frames);
	for (int i = 0; i < n; i++) {
		__str struct str name = {};

		str_add(&name, frames[i].method);
		add_file(&name, frames[i].file, frames[i].line, "");
		*vec_push(&symbols->stack) = frame_of(symbols, name.data);
	}
	if (n < 0)
		*vec_push(&symbols->stack) = frame_of(symbols, language_java.unread);
}

/* A frame in no file: its address; else 0. */
static uint64_t address_at(const struct stack_record *record, size_t i)
{
	return i < record->n_user && !(record->frames[i] >> STACK_MODULE_SHIFT) ? record->frames[i] : 0;
}

static bool is_note(const struct stack_record *record, size_t i)
{
	return i < record->n_user && record->frames[i] & INTERP_FRAME;
}

/* Whether the note behind says what a frame in no file is. */
static bool has_note(const struct stack_record *record, size_t i)
{
	return is_note(record, i + 1) || (address_at(record, i + 1) && is_note(record, i + 2) &&
					  INTERP_PLACE(record->frames[i + 2]) == INTERP_PLACE_MAYBE);
}

bool symbols_add_notes(struct symbols *symbols, const struct stack_record *record, size_t i)
{
	const bool note = is_note(record, i);
	uint64_t state = 0, before[2] = { address_at(record, i - note), i > 1 && note ? address_at(record, i - 2) : 0 };
	pid_t pid = (pid_t)record->pid;
	const struct runtime *runtime;
	const struct language *language;
	const struct peek peek = peek_keep(&symbols->interpreted.process, pid);
	struct v8_frame frames[V8_FRAMES];
	int n, n_before;

	if (symbols->options.raw || (!note && (!before[0] || has_note(record, i))))
		return false;
	runtime = runtime_of(symbols, pid, &state);
	language = language_of(symbols, pid);
	if (language && language->has_blobs && note)
		add_methods(symbols, &(struct java_process){ pid, runtime, state, &peek }, record->frames[i]);
	if (!language || !language->has_notes)
		return language && language->has_blobs && note;
	if (!symbols->interpreted.v8)
		symbols->interpreted.v8 = v8_new();
	n = v8_frames(symbols->interpreted.v8, &(struct v8_process){ pid, runtime, &peek }, note ? record->frames[i] : 0,
		      before, frames, &n_before);
	while (note && n_before-- && symbols->stack.n)
		symbols->stack.n--;
	for (int k = 0; k < n; k++)
		*vec_push(&symbols->stack) = frame_of_v8(symbols, &frames[k]);
	if (n < 0)
		*vec_push(&symbols->stack) = frame_of(symbols, language->unread);
	return note || n;
}

const struct frame *symbols_interpreted(struct symbols *symbols, pid_t pid, uint64_t frame)
{
	const struct language *language;
	const struct names_code *code;
	__str struct str name = {};
	int line;

	if (symbols->options.raw) {
		str_addf(&name, "0x%llx", (unsigned long long)INTERP_CODE(frame));
		return frame_of(symbols, name.data);
	}
	code = code_of(symbols, pid, frame);
	language = language_of(symbols, pid);
	if (!code)
		return frame_of(symbols, language ? language->unread : "[interpreted]");
	line = names_line(code, INTERP_PLACE(frame));
	str_add(&name, code->function);
	add_file(&name, code->file, line, "");
	return frame_of(symbols, name.data);
}

void symbols_release_interpreted(struct symbols *symbols)
{
	struct symbols_interpreted *interpreted = &symbols->interpreted;

	vec_each(code, interpreted) {
		names_release(*code);
		free(*code);
	}
	peek_end(&interpreted->process);
	v8_free(interpreted->v8);
	java_free(interpreted->java);
	free(interpreted->v);
	free(interpreted->frames.v);
	set_release(&interpreted->codes);
	free(interpreted->languages.v);
	set_release(&interpreted->processes);
	set_release(&interpreted->names);
}
