// SPDX-License-Identifier: BSD-2-Clause
/*
 * Keeps the frames that were seen, each once, and has them named in batches: those of one file, of one process or of the
 * kernel together. Does not know where names come from.
 */
#include "base/hash.h"
#include "base/report.h"
#include "base/str.h"
#include "symbols_part.h"

#define MAX_NOTES 8

static const struct unwind_module *module_of(void *unwind, uint16_t number)
{
	return unwind ? unwind_module(unwind, number) : NULL;
}

static int function_at(void *unwind, uint16_t number, uint64_t offset, uint64_t *start, uint64_t *size)
{
	return unwind_function_at(unwind, number, offset, start, size);
}

static const struct runtime *runtime_of_process(void *unwind, pid_t pid, uint64_t *state)
{
	return unwind ? unwind_runtime(unwind, pid, state) : NULL;
}

struct symbols *symbols_new_from(const struct symbols_source *source, struct kernel *kernel,
				 const struct symbols_options *options)
{
	struct symbols *symbols = base_alloc(sizeof(*symbols));

	symbols->source = *source;
	symbols->kernel = kernel;
	symbols->options = *options;
	symbols->interpreted.process.pagemap = -1;
	return symbols;
}

struct symbols *symbols_new(struct unwind *unwind, struct kernel *kernel, const struct symbols_options *options)
{
	const struct symbols_source source = { module_of, function_at, unwind, runtime_of_process };

	return symbols_new_from(&source, kernel, options);
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	symbols_release_jits(symbols);
	symbols_release_interpreted(symbols);
	symbols_release_files(symbols);
	pool_release(&symbols->strings);
	free(symbols->stack.v);
	free(symbols->waiting.v);
	free(symbols->notes.v);
	lookup_release(&symbols->frames.lookup);
	free(symbols->frames.v);
	free(symbols);
}

/* ---- the table of frames ---- */

static const struct frame *find(struct symbols *symbols, pid_t pid, uint64_t key, const struct frame *frame)
{
	const struct named new = { .frame = *frame, .key = key, .pid = pid };
	struct symbols_frames *frames = &symbols->frames;
	uint32_t hash = hash_pair(key, pid);
	struct named *named;

	lookup_each(it, &frames->lookup, hash) {
		named = frames->v[it.number];
		if (named->key == key && named->pid == pid)
			return &named->frame;
	}
	named = (struct named *)pool_copy(&symbols->strings, &new, sizeof(new));
	lookup_add(&frames->lookup, hash, frames->n);
	*vec_push(frames) = named;
	*vec_push(&symbols->waiting) = named;
	return &named->frame;
}

const struct frame *symbols_user(struct symbols *symbols, pid_t pid, uint64_t frame)
{
	const struct frame new = { .name = "", .kind = FRAME_USER, .address = frame & STACK_OFFSET_MASK };
	bool in_file = frame >> STACK_MODULE_SHIFT;

	if (frame & INTERP_FRAME)
		return symbols_interpreted(symbols, pid, frame);
	if (!in_file)
		symbols_hold(symbols, pid);
	return find(symbols, in_file ? 0 : pid, frame, &new);
}

const struct frame *const *symbols_stack(struct symbols *symbols, const struct stack_record *record, size_t *n)
{
	struct symbols_stack *stack = &symbols->stack;
	const pid_t pid = (pid_t)record->pid;

	stack->n = 0;
	for (size_t i = 0; i < record->n_user; i++)
		if (!symbols_add_notes(symbols, record, i))
			*vec_push(stack) = symbols_user(symbols, pid, record->frames[i]);
	*n = stack->n;
	return stack->v;
}

const struct frame *symbols_kernel(struct symbols *symbols, uint64_t addr)
{
	const struct frame new = { .name = "", .kind = FRAME_KERNEL, .address = addr };

	return find(symbols, SYMBOLS_KERNEL, addr, &new);
}

/* ---- naming ---- */

bool symbols_should_stop(void *ctx)
{
	struct symbols *symbols = ctx;

	if (!symbols->stopped && symbols->options.should_stop)
		symbols->stopped = symbols->options.should_stop(symbols->options.ctx);
	return symbols->stopped;
}

void symbols_note(struct symbols *symbols, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vec_each(note, &symbols->notes)
		if (!strcmp(*note, text))
			return;
	if (symbols->notes.n < MAX_NOTES)
		*vec_push(&symbols->notes) = pool_add(&symbols->strings, text);
	else
		symbols->notes.more++;
}

void symbols_report(const struct symbols *symbols)
{
	vec_each(note, &symbols->notes)
		report_note("%s", *note);
	if (symbols->notes.more)
		report_note("%llu more file%s could not be read for names", (unsigned long long)symbols->notes.more,
			    str_plural(symbols->notes.more));
}

/* Frames that are named together follow each other, by address. */
static int compare(const void *pa, const void *pb)
{
	const struct named *a = *(struct named *const *)pa, *b = *(struct named *const *)pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static bool are_together(const struct named *a, const struct named *b)
{
	return a->pid == b->pid && (a->pid || a->key >> STACK_MODULE_SHIFT == b->key >> STACK_MODULE_SHIFT);
}

static void name_group(struct symbols *symbols, struct named **v, size_t n)
{
	if (v[0]->pid && v[0]->pid != SYMBOLS_KERNEL) {
		symbols_name_jit(symbols, v, n);
		return;
	}
	symbols_should_stop(symbols);
	if (v[0]->pid)
		symbols_name_kernel(symbols, v, n);
	else
		symbols_name_file(symbols, v[0]->key >> STACK_MODULE_SHIFT, v, n);
}

int symbols_name(struct symbols *symbols)
{
	struct symbols_waiting *waiting = &symbols->waiting;
	size_t end, left = 0;

	if (waiting->n)
		qsort(waiting->v, waiting->n, sizeof(*waiting->v), compare);
	for (size_t at = 0; at < waiting->n; at = end) {
		end = at + 1;
		while (end < waiting->n && are_together(waiting->v[at], waiting->v[end]))
			end++;
		name_group(symbols, waiting->v + at, end - at);
	}
	for (size_t i = 0; i < waiting->n; i++)
		if (!waiting->v[i]->done)
			waiting->v[left++] = waiting->v[i];
	waiting->n = left;
	return symbols->stopped ? -EINTR : 0;
}
