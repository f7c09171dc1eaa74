// SPDX-License-Identifier: BSD-2-Clause
/*
 * pythons N: has the frames of CPython 3.13, though it is none: two threads, one after the other, in which outer() calls
 * inner(), in a call of the loop of its own, which makes N system calls (getppid). It begins when it has read a byte from
 * stdin, prints "did pythons N", and ends with stdin. What it exports and where things are is as in that version, so that a
 * guest needs no interpreter.
 */
#include <err.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct object {
	uint64_t references;
	const void *type;
};

struct type {
	struct object head;
};
struct type PyCode_Type, PyUnicode_Type, PyBytes_Type;

/* PyASCIIObject. Bits of the state: ASCII, compact, and a byte for each character. */
struct text {
	struct object head;
	uint64_t length, hash, state;
	char data[16];
};

struct bytes {
	struct object head;
	uint64_t length, hash;
	uint8_t data[8];
};

struct code {
	struct object head;
	uint8_t unused[52];
	uint32_t first_line;
	uint8_t unused2[40];
	const struct text *filename, *name, *qualname;
	const struct bytes *lines;
	uint8_t unused3[56];
	uint16_t instructions[8];
};
_Static_assert(offsetof(struct code, first_line) == 68 && offsetof(struct code, filename) == 112, "as in 3.13");
_Static_assert(offsetof(struct code, instructions) == 200, "as in 3.13");

struct frame {
	const struct code *code;
	struct frame *previous;
	uint64_t unused[5];
	const uint16_t *instruction;
	uint8_t unused2[6];
	uint8_t owner;
};
_Static_assert(offsetof(struct frame, instruction) == 56 && offsetof(struct frame, owner) == 70, "as in 3.13");

struct state {
	uint64_t unused[9];
	struct frame *frame;
};

struct key {
	int is_made;
	pthread_key_t key;
};

struct {
	uint64_t table[60]; /* _Py_DebugOffsets */
	uint8_t unused[0x870 - 480];
	struct key key;
} _PyRuntime = {
	.table = {
		[0] = 0x7970677562656478, /* "xdebugpy" */
		[1] = 0x030d05f0,
		/* struct _ts: the frame */
		[23] = offsetof(struct state, frame),
		/* _PyInterpreterFrame: previous, code, place, owner */
		[29] = offsetof(struct frame, previous),
		[30] = offsetof(struct frame, code),
		[31] = offsetof(struct frame, instruction),
		[33] = offsetof(struct frame, owner),
		/* PyCodeObject: file, qualified name, lines, first line, instructions */
		[35] = offsetof(struct code, filename),
		[37] = offsetof(struct code, qualname),
		[38] = offsetof(struct code, lines),
		[39] = offsetof(struct code, first_line),
		[43] = offsetof(struct code, instructions),
	},
};
_Static_assert(offsetof(__typeof__(_PyRuntime), key) == 0x870, "as in 3.13");

const unsigned long Py_Version = 0x030d05f0;
void *PyGILState_GetThisThreadState(void);
long _PyEval_EvalFrameDefault(struct state *state, struct frame *frame, unsigned int n);

void *PyGILState_GetThisThreadState(void)
{
	return _PyRuntime.key.is_made ? pthread_getspecific(_PyRuntime.key.key) : NULL;
}

#define TEXT(s) \
	{ \
		{ 1, &PyUnicode_Type }, sizeof(s) - 1, 0, 3 << 5 | 1 << 2, s \
	}
static const struct text file = TEXT("fake.py"), outer_name = TEXT("outer"), inner_name = TEXT("inner");
/* Eight units of the line behind the first. */
static const struct bytes lines = { { 1, &PyBytes_Type }, 2, 0, { 0x80 | 13 << 3 | 7, 1 << 1 } };

#define CODE(n, line) \
	{ \
		.head = { 1, &PyCode_Type }, .first_line = line, .filename = &file, .name = &n, .qualname = &n, .lines = &lines, \
	}
static const struct code outer = CODE(outer_name, 10), inner = CODE(inner_name, 20);

/* The loop: its own frame on the native stack ends the run of frames that it executes. */
__attribute__((noinline)) long _PyEval_EvalFrameDefault(struct state *state, struct frame *frame, unsigned int n)
{
	struct frame entry = { .previous = state->frame, .owner = 3 };
	struct frame called = { .code = &inner, .instruction = inner.instructions + 2 };
	long sum = 0;

	frame->previous = &entry;
	state->frame = frame;
	if (frame->code == &outer)
		sum = _PyEval_EvalFrameDefault(state, &called, n);
	else
		for (unsigned int i = 0; i < n; i++)
			sum += syscall(SYS_getppid);
	state->frame = entry.previous;
	frame->previous = NULL;
	return sum;
}

static void *execute(void *n)
{
	struct state state = {};
	struct frame frame = { .code = &outer, .instruction = outer.instructions + 2 };

	if (pthread_setspecific(_PyRuntime.key.key, &state) || PyGILState_GetThisThreadState() != &state)
		errx(1, "no key");
	return (void *)_PyEval_EvalFrameDefault(&state, &frame, *(const unsigned int *)n);
}

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	pthread_key_t before;
	pthread_t thread;
	char byte;

	/* the first key is somebody else's */
	if (pthread_key_create(&before, NULL) || pthread_key_create(&_PyRuntime.key.key, NULL))
		err(1, "pthread_key_create");
	_PyRuntime.key.is_made = 1;
	if (read(0, &byte, 1) != 1)
		errx(1, "no byte");
	if (!execute(&n) || pthread_create(&thread, NULL, execute, &n) || pthread_join(thread, NULL))
		errx(1, "no thread");
	printf("did pythons %u\n", n);
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
