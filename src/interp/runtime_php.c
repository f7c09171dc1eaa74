// SPDX-License-Identifier: BSD-2-Clause
/*
 * PHP: the exported function execute_ex. Builds for one thread (NTS) export executor_globals, too, which has the frame
 * that is executed; a short function that reads it confirms our table. All frames and functions are where PHP's headers
 * say (zend_compile.h), but for the few members whose place differs between versions.
 */
#include "language.h"

/* struct _zend_execute_data */
#define FRAME_INSTRUCTION 0
#define FRAME_FUNCTION	  24
#define FRAME_FLAGS	  42 /* the third byte of This.u1.type_info */
#define FRAME_PREVIOUS	  48
#define FRAME_SIZE	  56
#define FLAG_TOP	  2 /* ZEND_CALL_TOP: C code has called it */

/* struct _zend_op */
#define INSTRUCTION_LINE 24
#define INSTRUCTION_SIZE 32

/*
 * The kernel's r14 and r15, x27 and x28: the loop as GCC compiles it has there the frame that it executes, and the
 * instruction.
 */
#if defined(__x86_64__)
#define REGISTER_FRAME	     1
#define REGISTER_INSTRUCTION 0
#else
#define REGISTER_FRAME	     27
#define REGISTER_INSTRUCTION 28
#endif

static const struct version {
	unsigned int major, minor;
	uint16_t current; /* executor_globals.current_execute_data */
	/* struct _zend_op_array: filename, opcodes, last, and ZEND_ACC_CLOSURE of fn_flags. */
	uint8_t filename, instructions, n_instructions;
	uint32_t closure;
} versions[] = {
	{ 7, 4, 488, 136, 64, 60, 1 << 20 },
	{ 8, 2, 488, 152, 88, 80, 1 << 22 },
	{ 8, 4, 488, 168, 104, 96, 1 << 22 },
	{ 8, 5, 512, 168, 104, 96, 1 << 22 },
};

/* --- the version --- */

/* A text that every PHP has, with its version behind it. */
static const char banner[] = "X-Powered-By: PHP/";

#define PIECE	  65536
#define BYTES_MAX (256 * 1024 * 1024)

/* Reads "8.2." */
static bool read_version(struct runtime *runtime, const uint8_t *text)
{
	char copy[8] = "", major[3], minor[3];
	int n = 0;

	memcpy(copy, text, sizeof(copy) - 1);
	if (sscanf(copy, "%2[0-9].%2[0-9].%n", major, minor, &n) != 2 || !n)
		return false;
	runtime->major = (unsigned int)atoi(major);
	runtime->minor = (unsigned int)atoi(minor);
	return true;
}

/* Searches the file, which has the text nowhere in particular, but for its last page: that has no text. */
static bool find_version(struct runtime *runtime, const struct runtime_file *file)
{
	const size_t n = sizeof(banner) - 1, behind = n + 8;
	uint8_t *piece __free = base_alloc(PIECE + behind);

	for (uint64_t at = 0; at < BYTES_MAX; at += PIECE) {
		size_t got = PIECE + behind;

		while (got && binary_read(file->binary, at, piece, got))
			got = got > 4096 ? got - 4096 : 0;
		if (!got)
			return false;
		for (uint8_t *found = piece; (found = memmem(found, piece + got - found, banner, n)); found++)
			if (found + behind <= piece + got && read_version(runtime, found + n))
				return true;
	}
	return false;
}

static const char *make_plan(struct runtime *runtime, const struct runtime_file *file)
{
	const struct version *version = NULL;
	struct binary_exported stub;

	if (!find_version(runtime, file))
		return "does not say its version";
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (versions[i].major == runtime->major && versions[i].minor == runtime->minor)
			version = &versions[i];
	if (!version)
		return "is none of 7.4, 8.2, 8.4 and 8.5";
	if (!file->state.vaddr && !binary_find_exported(file->binary, "executor_globals_offset", &stub))
		return "was built for threads (ZTS)";
	if (!file->state.vaddr)
		return "exports too few symbols";
	if (binary_find_exported(file->binary, "zend_is_executing", &stub) ||
	    !runtime_confirms(file, &stub, version->current))
		return "was built in a way that is not known";
	runtime->php.filename = version->filename;
	runtime->plan = (struct interp_plan){
		.key = version->current,
		.boundary = INTERP_LOOP,
		.size = FRAME_SIZE,
		.code = FRAME_FUNCTION,
		.next = FRAME_PREVIOUS,
		.place = FRAME_INSTRUCTION,
		.owner = FRAME_FLAGS,
		.owners = FLAG_TOP,
		.code_data = INSTRUCTION_LINE,
		.frame_register = REGISTER_FRAME,
		.place_register = REGISTER_INSTRUCTION,
		.file = version->filename,
		.instructions = version->instructions,
		.n_instructions = version->n_instructions,
		.instruction_size = INSTRUCTION_SIZE,
		.closure = version->closure,
		/* ZEND_ACC_FAKE_CLOSURE is not set: that has the name of a function */
		.closures = version->closure | version->closure << 1,
	};
	return runtime_set_loop(runtime, file, file->loop.vaddr, file->loop.size) ? NULL : "has a loop whose code is not known";
}

const struct language language_php = {
	.name = "PHP",
	.unread = "[php]",
	.state = "executor_globals",
	.loop = "execute_ex",
	.make_plan = make_plan,
	.has_lines = true,
	.read = php_read,
};
