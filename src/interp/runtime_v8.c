// SPDX-License-Identifier: BSD-2-Clause
/*
 * V8 in Node: the file exports where the version is, and some 500 constants for debuggers (v8dbg_*), which say the types
 * and most offsets of objects; those of the version must be as we know them. The code of builtins is one piece, with a
 * table at the begin of its data.
 */
#include "language.h"

/* A builtin in that table. */
struct builtin {
	uint32_t offset, length, unused[6];
};

/* What lies before the first one. */
#define BUILTINS_HEAD 24
#define FAR_MAX	      (1U << 30) /* bytes */

static const struct version {
	unsigned int major, minor;
	/*
	 * Numbers of builtins: InterpreterEntryTrampoline, that behind the others that enter the interpreter (deoptimized
	 * frames return to these), and the first handler of a bytecode.
	 */
	unsigned int trampoline, other, handlers;
	struct v8_layout layout;
} versions[] = {
	/* Node 20 */
	{ 11, 3, 70, 88, 1699, { .map_type = 12, .function_shared = 24, .shared_data = 8, .shared_name = 16, .shared_script = 32, .script_source = 8, .script_name = 16, .script_line = 24, .script_ends = 56, .bytecode_positions = 32, .bytecode_data = 54, .code_data = 16, .code_positions = 24, .code_stream = 32, .code_start = 40, .code_kind = 48, .code_size = 56, .stream_code = 8, .stream_start = 16, .stream_align = 64, .kind_baseline = 11, .kind_optimized = 12, .kinds_optimized = 2, .register_bytecode = 3 /* r12 */, .register_offset = 8 /* r9 */, .sizes = "AAAAABCDESTBABAAAAABDDBBBCBBBAAAICCCDBBDDBDDJDDCCCDDDLDLCCCCCCCCCCCCCCCCCCCCCCCCBBBBAAABBBDEEDEFECDE"
																																																																						 "ESTKKEECCCCCCCCBBBBASKABKAKCKBCCCCAAADBBBBBBBBBBBBBBBBBBBBBBDBCCEBAAAABAABDEDDABBAAAAAAAAAAAAAAAAA",
				 .opcodes = "10BB11c1c11111i11111111RFFFw01111121" } },
};

/* --- the constants --- */

/* What must be as the version has it: else the build is another one, with pointers of four bytes for example. */
static const struct constant {
	const char *name;
	int value;
} constants[] = {
	{ "SmiTag", 0 },
	{ "HeapObjectTag", 1 },
	{ "off_fp_context", -8 },
	{ "off_fp_function", -16 },
	{ "off_fp_bytecode_array", -32 },
	{ "off_fp_bytecode_offset", -40 },
};

/* What a version has in its layout. */
static const struct member {
	const char *name;
	size_t offset;
} members[] = {
	{ "class_Map__instance_type__uint16_t", offsetof(struct v8_layout, map_type) },
	{ "class_JSFunction__shared__SharedFunctionInfo", offsetof(struct v8_layout, function_shared) },
	{ "class_SharedFunctionInfo__function_data__Object", offsetof(struct v8_layout, shared_data) },
	{ "class_SharedFunctionInfo__name_or_scope_info__Object", offsetof(struct v8_layout, shared_name) },
	{ "class_SharedFunctionInfo__script_or_debug_info__HeapObject", offsetof(struct v8_layout, shared_script) },
	{ "class_Script__source__Object", offsetof(struct v8_layout, script_source) },
	{ "class_Script__name__Object", offsetof(struct v8_layout, script_name) },
	{ "class_Script__line_ends__Object", offsetof(struct v8_layout, script_ends) },
	{ "class_BytecodeArray__data__uintptr_t", offsetof(struct v8_layout, bytecode_data) },
	{ "class_Code__deoptimization_data__FixedArray", offsetof(struct v8_layout, code_data) },
	{ "class_Code__source_position_table__ByteArray", offsetof(struct v8_layout, code_positions) },
	{ "class_InstructionStream__instruction_start__uintptr_t", offsetof(struct v8_layout, stream_start) },
};

/* What only the file says. */
static const struct type {
	const char *name;
	size_t offset;
} types[] = {
	{ "type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", offsetof(struct v8_layout, shared_type) },
	{ "type_ScopeInfo__SCOPE_INFO_TYPE", offsetof(struct v8_layout, scope_type) },
	{ "type_Script__SCRIPT_TYPE", offsetof(struct v8_layout, script_type) },
	{ "type_FixedArray__FIXED_ARRAY_TYPE", offsetof(struct v8_layout, array_type) },
	{ "type_WeakFixedArray__WEAK_FIXED_ARRAY_TYPE", offsetof(struct v8_layout, weak_type) },
	{ "type_ByteArray__BYTE_ARRAY_TYPE", offsetof(struct v8_layout, bytes_type) },
	{ "type_BytecodeArray__BYTECODE_ARRAY_TYPE", offsetof(struct v8_layout, bytecode_type) },
	{ "type_InterpreterData__INTERPRETER_DATA_TYPE", offsetof(struct v8_layout, interpreter_type) },
	{ "type_Code__CODE_TYPE", offsetof(struct v8_layout, code_type) },
	{ "type_InstructionStream__INSTRUCTION_STREAM_TYPE", offsetof(struct v8_layout, stream_type) },
};

/* Reads an exported number. Those that are 0 may be in memory that the file does not have. */
static bool read_number(const struct runtime_file *file, const char *name, int *value)
{
	struct binary_exported found;

	*value = 0;
	if (binary_find_exported(file->binary, name, &found))
		return false;
	runtime_read_at(file, found.vaddr, value, sizeof(*value));
	return true;
}

static bool read_constant(const struct runtime_file *file, const char *name, int *value)
{
	char full[128];

	snprintf(full, sizeof(full), "v8dbg_%s", name);
	return read_number(file, full, value);
}

static bool has_layout(struct runtime *runtime, const struct runtime_file *file)
{
	uint8_t *layout = (uint8_t *)&runtime->v8;
	uint16_t known;
	int value;

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (!read_constant(file, constants[i].name, &value) || value != constants[i].value)
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		memcpy(&known, layout + members[i].offset, sizeof(known));
		if (!read_constant(file, members[i].name, &value) || value != known)
			return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!read_constant(file, types[i].name, &value) || value <= 0 || value > UINT16_MAX)
			return false;
		known = (uint16_t)value;
		memcpy(layout + types[i].offset, &known, sizeof(known));
	}
	return true;
}

/* --- the code of builtins --- */

/* The address that a function returns, which does nothing else. 0: it does. */
static uint64_t returned(const struct runtime_file *file, const char *name)
{
	struct binary_exported function;
	uint8_t code[8];
	int32_t bytes;

	if (binary_find_exported(file->binary, name, &function) ||
	    !runtime_read_at(file, function.vaddr, code, sizeof(code)))
		return 0;
	/* mov $ADDRESS, %eax; ret */
	memcpy(&bytes, code + 1, 4);
	if (code[0] == 0xb8 && code[5] == 0xc3)
		return (uint32_t)bytes;
	/* lea DISTANCE(%rip), %rax; ret */
	memcpy(&bytes, code + 3, 4);
	if (code[0] == 0x48 && code[1] == 0x8d && code[2] == 0x05 && code[7] == 0xc3)
		return function.vaddr + 7 + (uint64_t)(int64_t)bytes;
	return 0;
}

/* The number that a function returns, which reads it from where `mov DISTANCE(%rip), %eax` says. 0: it does otherwise. */
static uint32_t returned_number(const struct runtime_file *file, const char *name)
{
	struct binary_exported function;
	uint32_t number = 0;
	uint8_t code[7];
	int32_t bytes;

	if (binary_find_exported(file->binary, name, &function) ||
	    !runtime_read_at(file, function.vaddr, code, sizeof(code)) || code[0] != 0x8b || code[1] != 0x05 ||
	    code[6] != 0xc3)
		return 0;
	memcpy(&bytes, code + 2, 4);
	runtime_read_at(file, function.vaddr + 6 + (uint64_t)(int64_t)bytes, &number, sizeof(number));
	return number;
}

/* Where the code of a builtin begins, in that of all. */
static bool read_offset(const struct runtime_file *file, uint64_t data, unsigned int number, uint32_t *offset)
{
	struct builtin builtin;

	if (!runtime_read_at(file, data + BUILTINS_HEAD + number * sizeof(builtin), &builtin, sizeof(builtin)))
		return false;
	*offset = builtin.offset;
	return builtin.length;
}

static bool set_loop(struct runtime *runtime, const struct runtime_file *file, const struct version *version)
{
	uint64_t code = returned(file, "_ZN2v88internal23DefaultEmbeddedBlobCodeEv"), offset;
	uint64_t data = returned(file, "_ZN2v88internal23DefaultEmbeddedBlobDataEv");
	uint32_t size = returned_number(file, "_ZN2v88internal27DefaultEmbeddedBlobCodeSizeEv");
	uint32_t trampoline, other, handlers;

	if (!size || size > FAR_MAX || binary_offset_of(file->binary, code, true, &offset) || offset > FAR_MAX ||
	    !read_offset(file, data, version->trampoline, &trampoline) ||
	    !read_offset(file, data, version->other, &other) || !read_offset(file, data, version->handlers, &handlers) ||
	    trampoline >= other || other >= handlers || handlers >= size)
		return false;
	runtime->plan.loop = (struct interp_loop){
		.begin = (int)(offset + trampoline),
		.size = other - trampoline,
		.gap = (int)(offset + handlers),
		.gap_size = size - handlers,
	};
	return true;
}

static const char *make_plan(struct runtime *runtime, const struct runtime_file *file)
{
	const struct version *version = NULL;
	int major, minor;

	if (!file->state.vaddr || !read_number(file, "_ZN2v88internal7Version6major_E", &major) ||
	    !read_number(file, "_ZN2v88internal7Version6minor_E", &minor) || major <= 0 || minor < 0)
		return "does not say its version";
	runtime->major = (unsigned int)major;
	runtime->minor = (unsigned int)minor;
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (versions[i].major == runtime->major && versions[i].minor == runtime->minor)
			version = &versions[i];
	if (!version)
		return "is not 11.3, which Node 20 has";
	runtime->v8 = version->layout;
	if (!has_layout(runtime, file))
		return "was built in a way that is not known";
	runtime->plan = (struct interp_plan){
		.boundary = INTERP_NOTES,
		.code = (uint8_t)runtime->v8.function_shared,
		.frame_register = runtime->v8.register_bytecode,
		.place_register = runtime->v8.register_offset,
	};
	return set_loop(runtime, file, version) ? NULL : "has builtins that are not known";
}

const struct language language_v8 = {
	.name = "V8",
	.unread = "[js]",
	.state = "_ZN2v88internal7Version6major_E",
	.loop = "_ZN2v88internal23DefaultEmbeddedBlobCodeEv",
	.make_plan = make_plan,
	.has_notes = true,
};
