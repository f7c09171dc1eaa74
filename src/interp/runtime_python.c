// SPDX-License-Identifier: BSD-2-Clause
/*
 * CPython: the exported symbol _PyRuntime. The frames of a version are where its headers say; from 3.13 on the runtime
 * says so itself, in a table at the begin of _PyRuntime. Where the runtime keeps the number of the pthread key differs
 * between versions: a short function that reads it confirms our table.
 */
#include "language.h"

/* Bounds on what a file says: all of it is in the first bytes of frames and code objects. */
#define FRAME_MAX 0x70
#define CODE_MAX  1024
#define STATE_MAX 4096

/* --- 3.13 and newer: the table that the runtime has for debuggers --- */

#define DEBUG_COOKIE "xdebugpy"

/* Words of the table. What lies between them is of no interest here. */
enum debug_word {
	DEBUG_VERSION = 1,
	DEBUG_FREE_THREADED,
	DEBUG_THREAD_313 = 19, /* struct thread_state; interpreter_frame follows it */
	DEBUG_THREAD_314 = 22,
	DEBUG_WORDS = 60,
};

/* From the begin of each part, in words. */
enum {
	THREAD_FRAME = 4,
	THREAD_WORDS = 9,
	FRAME_PREVIOUS = 1,
	FRAME_CODE,
	FRAME_PLACE,
	FRAME_OWNER = 5,
	FRAME_WORDS_313 = 6,
	FRAME_WORDS_314 = 8,
	CODE_FILENAME = 1,
	CODE_QUALNAME = 3,
	CODE_LINETABLE,
	CODE_FIRSTLINE,
	CODE_DATA = 9,
};

static bool take_debug_table(struct runtime *runtime, const struct runtime_file *file)
{
	bool is_314 = runtime->minor >= 14;
	uint64_t words[DEBUG_WORDS];
	const uint64_t *thread = words + (is_314 ? DEBUG_THREAD_314 : DEBUG_THREAD_313), *frame = thread + THREAD_WORDS;
	const uint64_t *code = frame + (is_314 ? FRAME_WORDS_314 : FRAME_WORDS_313);

	if (!runtime_read_at(file, file->state.vaddr, words, sizeof(words)) || memcmp(words, DEBUG_COOKIE, 8) ||
	    words[DEBUG_VERSION] >> 16 != (runtime->major << 8 | runtime->minor))
		return false;
	if (words[DEBUG_FREE_THREADED]) {
		runtime->why = "is free-threaded";
		return false;
	}
	for (int i = 1; i < CODE_DATA + 1; i++)
		if (code[i] > CODE_MAX)
			return false;
	if (thread[THREAD_FRAME] > STATE_MAX || frame[FRAME_PREVIOUS] > FRAME_MAX || frame[FRAME_CODE] > FRAME_MAX ||
	    frame[FRAME_PLACE] > FRAME_MAX || frame[FRAME_OWNER] > FRAME_MAX)
		return false;
	runtime->plan.deref[0] = thread[THREAD_FRAME];
	runtime->plan.next = frame[FRAME_PREVIOUS];
	runtime->plan.code = frame[FRAME_CODE];
	runtime->plan.place = frame[FRAME_PLACE];
	runtime->plan.owner = frame[FRAME_OWNER];
	runtime->plan.code_data = code[CODE_DATA];
	runtime->python.filename = code[CODE_FILENAME];
	runtime->python.qualname = code[CODE_QUALNAME];
	runtime->python.linetable = code[CODE_LINETABLE];
	runtime->python.firstline = code[CODE_FIRSTLINE];
	runtime->python.code_data = code[CODE_DATA];
	return true;
}

/* --- all versions --- */

/* Up to 3.10: one frame for each call of the loop. Functions have no name but their own. */
#define OLD_FRAME .boundary = INTERP_EACH, .n_deref = 1, .deref = { 24 }, .code = 32, .next = 24
#define OLD_CODE  104, 112, 120, 40, .code_data = 128, .ascii = 48, .compact = 72

/* The state of 3.11 has two locks of pthreads, which are larger on arm64. */
#if defined(__x86_64__)
#define KEY_311	 596
#define VERSIONS "3.8 to 3.14"
#else
#define KEY_311	 612
#define VERSIONS "3.11 to 3.14"
#endif

static const struct version {
	unsigned int minor;
	struct interp_plan plan;
	struct python_layout layout;
} versions[] = {
#if defined(__x86_64__)
	{ .minor = 8,
	  .plan = { .key = 1396, OLD_FRAME, .place = 104, .code_data = 1 },
	  .layout = { OLD_CODE } },
	{ .minor = 9,
	  .plan = { .key = 588, OLD_FRAME, .place = 104, .code_data = 1 },
	  .layout = { OLD_CODE } },
	{ .minor = 10, .plan = { .key = 588, OLD_FRAME, .place = 96 }, .layout = { OLD_CODE } },
#endif
	{ .minor = 11,
	  .plan = { .key = KEY_311,
		    .boundary = INTERP_ENTRY,
		    .n_deref = 2,
		    .deref = { 56, 8 },
		    .link = 16,
		    .code = 32,
		    .next = 48,
		    .place = 56,
		    .owner = 68,
		    .code_data = 184 },
	  .layout = { 112, 128, 136, 72, .code_data = 184, .ascii = 48, .compact = 72 } },
	{ .minor = 12,
	  .plan = { .key = 1548,
		    .boundary = INTERP_SHIM,
		    .n_deref = 2,
		    .deref = { 56, 0 },
		    .code = 0,
		    .next = 8,
		    .place = 56,
		    .owner = 70,
		    .owners = 3,
		    .code_data = 192 },
	  .layout = { 112, 128, 136, 68, .code_data = 192, .ascii = 40, .compact = 56 } },
	/* the rest by the runtime's table */
	{ .minor = 13,
	  .plan = { .key = 0x874, .boundary = INTERP_SHIM, .n_deref = 1, .owners = 3 },
	  .layout = { .ascii = 40, .compact = 56 } },
	{ .minor = 14,
	  .plan = { .key = 0x924, .boundary = INTERP_SHIM, .n_deref = 1, .owners = 3, .tag = 7 },
	  .layout = { .ascii = 40, .compact = 56 } },
};

/* What the frame's members need at the end of the last one. */
static uint8_t frame_size(const struct interp_plan *plan)
{
	uint8_t last = plan->code;

	last = plan->next > last ? plan->next : last;
	last = plan->place > last ? plan->place : last;
	last = plan->owner > last + 7 ? plan->owner - 7 : last;
	return last + 8 < 0x7f ? last + 8 : 0x7f;
}

static const char *plan_of_version(struct runtime *runtime, const struct runtime_file *file)
{
	const struct version *version = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (runtime->major == 3 && versions[i].minor == runtime->minor)
			version = &versions[i];
	if (!version)
		return "is none of " VERSIONS;
	runtime->plan = version->plan;
	runtime->plan.by_key = true;
	runtime->python = version->layout;
	if (runtime->minor >= 13 && !take_debug_table(runtime, file))
		return runtime->why ? runtime->why : "has no table for debuggers";
	runtime->plan.size = frame_size(&runtime->plan);
	return NULL;
}

/* Up to 3.10 nothing but what is new in it says the version. */
static const struct {
	const char *symbol;
	unsigned int minor;
} first_in[] = {
	{ "PyIter_Send", 10 },
	{ "PyFrame_GetBack", 9 },
	{ "PyConfig_Clear", 8 },
};

static bool find_version(struct runtime *runtime, const struct runtime_file *file)
{
	struct binary_exported found;
	uint64_t number;

	/* from 3.11 on */
	if (!binary_find_exported(file->binary, "Py_Version", &found)) {
		if (!runtime_read_at(file, found.vaddr, &number, sizeof(number)))
			return false;
		runtime->major = number >> 24 & 0xff;
		runtime->minor = number >> 16 & 0xff;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(first_in); i++) {
		if (binary_find_exported(file->binary, first_in[i].symbol, &found))
			continue;
		runtime->major = 3;
		runtime->minor = first_in[i].minor;
		return true;
	}
	return false;
}

#define PROLOGUE_MAX 256

/*
 * Of versions that are known on x86-64 only. The loop puts its frame into the list when it stores it in the thread's
 * state: with `mov REGISTER, OFFSET(REGISTER)`, the first with that offset.
 */
static bool set_loop(struct runtime *runtime, const struct runtime_file *file)
{
	struct interp_plan *plan = &runtime->plan;
	uint8_t code[PROLOGUE_MAX];

	if (!runtime_set_loop(runtime, file, file->loop.vaddr, file->loop.size) ||
	    !runtime_read_at(file, file->loop.vaddr, code, sizeof(code)))
		return false;
	plan->entry = (int)(file->loop.vaddr - file->state.vaddr);
	for (size_t i = 0; i + 5 <= sizeof(code) && !plan->prologue; i++) {
		/* with r12 in place of the second register a byte more */
		const size_t n = (code[i + 2] & 7) == 4 ? 4 : 3;

		if ((code[i] & 0xf8) != 0x48 || code[i + 1] != 0x89 || code[i + 2] >> 6 != 1 ||
		    code[i + n] != plan->deref[0] || (n == 4 && (code[i + 3] != 0x24 || !(code[i] & 1))))
			continue;
		plan->prologue = (unsigned int)(i + n + 1);
	}
	return plan->prologue;
}

static const char *make_plan(struct runtime *runtime, const struct runtime_file *file)
{
	struct binary_exported code, string, bytes, stub;
	const char *why;

	if (!find_version(runtime, file))
		return "is older than 3.8";
	if (!file->state.vaddr || binary_find_exported(file->binary, "PyCode_Type", &code) ||
	    binary_find_exported(file->binary, "PyUnicode_Type", &string) ||
	    binary_find_exported(file->binary, "PyBytes_Type", &bytes) ||
	    binary_find_exported(file->binary, "PyGILState_GetThisThreadState", &stub))
		return "exports too few symbols";
	why = plan_of_version(runtime, file);
	if (why)
		return why;
	runtime->python.code_type = code.vaddr - file->state.vaddr;
	runtime->python.string_type = string.vaddr - file->state.vaddr;
	runtime->python.bytes_type = bytes.vaddr - file->state.vaddr;
	if (!runtime_has_glibc(file))
		return "is not linked to glibc";
	if (runtime->plan.boundary == INTERP_EACH && !set_loop(runtime, file))
		return "has a loop whose code is not known";
	/* the function refers to the key, or to the begin of the pair whose second word it is */
	return runtime_confirms(file, &stub, runtime->plan.key) || runtime_confirms(file, &stub, runtime->plan.key - 4)
		       ? NULL
		       : "was built in a way that is not known";
}

const struct language language_python = {
	.name = "Python",
	.unread = "[python]",
	.state = "_PyRuntime",
	.loop = "_PyEval_EvalFrameDefault",
	.make_plan = make_plan,
	.read = python_read,
};
