// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ruby: what exports rb_profile_frames. A thread's list of frames begins in a variable of the thread, ruby_current_ec: the
 * function asks where it is as dynamic linking has it, so its code says where the module's number and the variable's
 * offset are. Short functions confirm where code objects have what, else there is no plan.
 */
#include "binary/binary_code.h"
#include "language.h"
#include "ruby_code.h"

/* struct rb_execution_context_struct */
#define STATE_FRAME 16

/* struct rb_iseq_struct */
#define BODY 16

/* struct rb_control_frame_struct */
#define FRAME_PLACE	  0
#define FRAME_CODE	  16
#define FRAME_ENVIRONMENT 32
#define FRAME_SIZE	  40 /* as far as it is read */

/* Flags of an environment. */
#define FLAGS_KIND     0x7fff0000
#define FLAGS_INTERNAL 0x55550000 /* VM_FRAME_MAGIC_CFUNC */
#define FLAGS_END      0x79990000 /* VM_FRAME_MAGIC_DUMMY */
#define FLAG_FINISH    0x20	  /* C code has called it */

static const struct version {
	unsigned int major, minor;
	uint8_t frame, lines; /* bytes of a frame; insns_info in rb_iseq_constant_body */
	bool has_length;
} versions[] = {
	{ 3, 1, 0x40, 0x78, false },
	{ 3, 3, 0x38, 0x70, true },
	{ 3, 4, 0x38, 0x70, true },
};

#define EXEC_MAX (64 * 1024) /* bytes; Debian's have some 3,000 */
/* Of the functions that the one which catches exceptions calls, the loop is by far the longest. */
#define LOOP_MIN 8192

/* The code that has a record of its own and begins there. */
static bool begins_at(const struct runtime_file *file, uint64_t vaddr, struct binary_exported *function)
{
	struct binary_extent extent;

	if (!binary_unwind_extent(file->binary, vaddr, &extent) || extent.vaddr != vaddr || extent.in_frame)
		return false;
	*function = (struct binary_exported){ .vaddr = vaddr, .size = extent.size };
	return true;
}

/* Where a function goes to at its end. */
static bool find_last(const struct runtime_file *file, const char *name, struct binary_exported *target)
{
	struct binary_symbol symbol = {};
	struct binary_exported function;
	const struct binary_exits *exits;

	if (binary_find_exported(file->binary, name, &function) || !function.size || function.size > EXEC_MAX)
		return false;
	symbol.vaddr = function.vaddr;
	symbol.size = function.size;
	if (binary_offset_of(file->binary, symbol.vaddr, true, &symbol.offset))
		return false;
	exits = binary_exits_of(file->binary, &symbol);
	if (!exits || exits->why)
		return false;
	vec_each(exit, exits)
		if (exit->kind == BINARY_EXIT_JUMP && begins_at(file, exit->target, target))
			return true;
	return false;
}

/* The loop has no symbol. A function that may have one calls it; what evaluates code ends with that. */
static bool find_loop(const struct runtime_file *file, struct binary_exported *loop)
{
	uint8_t *code __free = base_alloc(EXEC_MAX);
	struct binary_exported exec, callee;
	uint64_t target;
	size_t n;

	*loop = (struct binary_exported){};
	if (binary_find_exported(file->binary, "rb_vm_exec", &exec) && !find_last(file, "rb_iseq_eval", &exec))
		return false;
	n = ruby_code_read(file, &exec, code, EXEC_MAX);
	for (size_t i = 0; i < n; i += RUBY_CODE_STEP) {
		if (!ruby_code_call(code + i, n - i, exec.vaddr + i, &target) || target == loop->vaddr ||
		    !begins_at(file, target, &callee) || callee.size < LOOP_MIN)
			continue;
		if (loop->size)
			return false;
		*loop = callee;
	}
	return loop->size;
}

/* Sets where the names of symbols are. Without it, methods of C have no names. */
static void find_symbols(struct runtime *runtime, const struct runtime_file *file)
{
	struct binary_exported function;
	uint64_t names;

	if (find_last(file, "rb_id2str", &function) && ruby_code_symbols(file, &function, &names))
		runtime->ruby.symbols = names - file->state.vaddr;
}

#define PIECE  65536
#define AROUND (8 * PIECE) /* bytes around the state, which is a constant, too */

/* Finds a text with a NUL before and behind it. Returns its address from the state; 0: there is none. */
static uint64_t find_text(const struct runtime_file *file, const char *text)
{
	const size_t n = strlen(text) + 2;
	uint8_t *piece __free = base_alloc(PIECE + n);
	char wanted[32] = "";
	const uint8_t *found;

	snprintf(wanted + 1, sizeof(wanted) - 1, "%s", text);
	for (uint64_t at = file->state.vaddr - AROUND; at < file->state.vaddr + AROUND; at += PIECE) {
		found = runtime_read_at(file, at, piece, PIECE + n) ? memmem(piece, PIECE + n, wanted, n) : NULL;
		if (found)
			return at + (uint64_t)(found - piece) + 1 - file->state.vaddr;
	}
	return 0;
}

/* Whether a function returns a member of what the body of a code object has. */
static bool is_member(const struct runtime_file *file, const char *name, uint8_t offset)
{
	struct binary_exported stub;

	return !binary_find_exported(file->binary, name, &stub) && ruby_code_member(file, &stub, BODY, offset);
}

/* Whether code objects have what is read where we think it is. */
static bool is_confirmed(const struct runtime_file *file, const struct version *version)
{
	struct binary_exported stub, callee = { .size = RUBY_STUB_MAX };

	/* struct iseq_insn_info: how many lines there are */
	return !binary_find_exported(file->binary, "rb_iseq_line_no", &stub) &&
	       ruby_code_first_call(file, &stub, &callee.vaddr) && runtime_confirms(file, &callee, version->lines + 16) &&
	       is_member(file, "rb_iseq_label", RUBY_BODY_LABEL) && is_member(file, "rb_iseq_path", RUBY_BODY_PATH) &&
	       !binary_find_exported(file->binary, "rb_iseq_method_name", &stub) &&
	       runtime_confirms(file, &stub, version->lines + RUBY_LINES_LOCAL);
}

static const char *make_plan(struct runtime *runtime, const struct runtime_file *file)
{
	const struct version *version = NULL;
	struct binary_exported loop;
	uint32_t numbers[2];
	uint64_t index;

	if (!file->state.vaddr || !runtime_read_at(file, file->state.vaddr, numbers, sizeof(numbers)))
		return "does not say its version";
	runtime->major = numbers[0];
	runtime->minor = numbers[1];
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (versions[i].major == runtime->major && versions[i].minor == runtime->minor)
			version = &versions[i];
	if (!version)
		return "is none of 3.1, 3.3 and 3.4";
	if (!runtime_has_glibc(file))
		return "is not linked to glibc";
	if (!ruby_code_variable(file, &file->loop, &index) || index - file->state.vaddr > UINT32_MAX ||
	    !is_confirmed(file, version))
		return "was built in a way that is not known";
	runtime->ruby.lines = version->lines;
	runtime->ruby.has_length = version->has_length;
	find_symbols(runtime, file);
	for (size_t i = 0; i < RUBY_LABELS; i++)
		runtime->ruby.labels[i] = find_text(file, ruby_labels[i]);
	runtime->plan = (struct interp_plan){
		.key = (unsigned int)(index - file->state.vaddr),
		.tls = true,
		.n_deref = 1,
		.deref = { STATE_FRAME },
		.boundary = INTERP_ARRAY,
		.size = FRAME_SIZE,
		.code = FRAME_CODE,
		.next = version->frame,
		.place = FRAME_PLACE,
		.owner = FRAME_ENVIRONMENT,
		.owners = FLAG_FINISH,
		.kinds = FLAGS_KIND,
		.internal = FLAGS_INTERNAL,
		.end = FLAGS_END,
	};
	return find_loop(file, &loop) && runtime_set_loop(runtime, file, loop.vaddr, loop.size)
		       ? NULL
		       : "has a loop whose code is not known";
}

const struct language language_ruby = {
	.name = "Ruby",
	.unread = "[ruby]",
	.state = "ruby_api_version",
	.loop = "rb_profile_frames",
	.make_plan = make_plan,
	.read = ruby_read,
};
