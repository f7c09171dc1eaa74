// SPDX-License-Identifier: BSD-2-Clause
/*
 * V8 in Node: the file, a program or libnode, exports where the version is, and some 500 constants for debuggers (v8dbg_*),
 * which say the types and most offsets of objects; those of the version must be as we know them. The code of builtins is one piece, with a
 * table at the begin of its data.
 */
#include "arm64.h"
#include "language.h"

/* How a builtin in that table begins. */
struct builtin {
	uint32_t offset, length;
};

/* What lies before the first one. */
#define BUILTINS_HEAD 24
#define FAR_MAX	      (1U << 30) /* bytes */

/*
 * What depends on the architecture: registers (r12 and r9, x20 and x19), and the alignment of code, which in version 10 follows
 * its head.
 */
#if defined(__x86_64__)
#define MACHINE	 .stream_align = 64, .register_bytecode = 3, .register_offset = 8
#define HEAD_OLD 128
#else
#define MACHINE	 .stream_align = 32, .register_bytecode = 20, .register_offset = 19
#define HEAD_OLD 96
#endif

/* What all versions have. */
#define LAYOUT \
	.map_type = 12, .shared_data = 8, .script_source = 8, .script_name = 16, .script_line = 24, .script_ends = 56, \
	.kinds_optimized = 2, MACHINE
/* Up to 11, and later ones. */
#define LAYOUT_OLD \
	LAYOUT, .function_shared = 24, .shared_other = 8, .shared_name = 16, .shared_script = 32, .shared_flags = 48, .scope_head = 4, \
		.bytecode_positions = 32, .code_data = 16, .code_positions = 24, .kind_baseline = 11, .kind_optimized = 12, DATA
#define LAYOUT_NEW \
	LAYOUT, .function_shared = 32, .bytecode_positions = 24, .bytecode_data = 64, .code_data = 8, .code_positions = 16, \
		.code_stream = 32, .code_start = 40, .stream_code = 8, .stream_start = 32, .kind_baseline = 10, .kind_optimized = 11
/* Up to 12. */
#define DATA .data_literals = 2, .data_shared = 6, .data_calls = 7, .data_exits = 8, .data_words = 11

/* clang-format off */
static const struct version {
	unsigned int major, minor;
	/*
	 * Numbers of builtins: InterpreterEntryTrampoline, that behind the others that enter the interpreter (deoptimized
	 * frames return to these), and the first handler of a bytecode. Then the bytes of a builtin in the table.
	 */
	unsigned int trampoline, other, handlers, builtin_size;
	struct v8_layout layout;
} versions[] = {
	/* Node 18 */
	{ 10, 2, 72, 88, 1571, 28,
	  { LAYOUT_OLD, .bytecode_data = 56, .code_kind = 48, .code_size = 40, .stream_start = HEAD_OLD,
	    .sizes = "AAAAABCDESTBABAAAAABDDBBBCBBBAAAICCCDBBDDBDDJDDCCCDDDDDLBCCCCCCCCCCCCCCCCCCCCCCCCBBBBAAABBBEEDEFECDE"
	             "ESTKKEECCCCCCCCBBBBAKKABKAKCKBCCCCAAACBBBBBBBBBBBBBBBBBBBBBBDBCCEBAAAABAABDEDDABBAAAAAAAAAAAAAAAAA",
	    .opcodes = "ix1x0xbx1x1xcx1xcx1x1x1x1x1x1x1x1x1xRxcxcxwx1x1x1x1x1x2x" } },
	/* Node 20 */
	{ 11, 3, 70, 88, 1699, 32,
	  { LAYOUT_OLD, .bytecode_data = 54, .code_kind = 48, .code_size = 56, .code_stream = 32, .code_start = 40,
	    .stream_code = 8, .stream_start = 16,
	    .sizes = "AAAAABCDESTBABAAAAABDDBBBCBBBAAAICCCDBBDDBDDJDDCCCDDDLDLCCCCCCCCCCCCCCCCCCCCCCCCBBBBAAABBBDEEDEFECDE"
	             "ESTKKEECCCCCCCCBBBBASKABKAKCKBCCCCAAADBBBBBBBBBBBBBBBBBBBBBBDBCCEBAAAABAABDEDDABBAAAAAAAAAAAAAAAAA",
	    .opcodes = "10BB11c1c11111i11111111RFFFw01111121" } },
	/* Node 22 */
	{ 12, 4, 76, 88, 1810, 12,
	  { LAYOUT_NEW, DATA, .shared_other = 8, .shared_name = 16, .shared_script = 32, .shared_flags = 48, .scope_head = 4,
	    .code_kind = 48, .code_size = 52,
	    .sizes = "AAAAABCDESTBABAAAAABDDBBBCBBBAAAICCCDBDBBDDBDDJDDCECCDDDLDLCCCCCCCCCCCCCCCCCCCCCCCCBBBBAAABBBDEEDEFE"
	             "CDEESTKKEECCCCCCCCCABBBAASKABKAKCKBCCCCAAADBBBBBBBBBBBBBBBBBBBBBBDBCCEBAAAABAABDEDDABBAAAAAAAAAAAAAA"
	             "AAA",
	    .opcodes = "RFcciocwci10BB11111111111111111101111121" } },
	/* Node 24 */
	{ 13, 6, 81, 93, 1873, 12,
	  { LAYOUT_NEW, .shared_other = 16, .shared_name = 24, .shared_script = 40, .shared_flags = 56, .scope_head = 6,
	    .code_kind = 52, .code_size = 56,
	    .data_literals = 3, .data_shared = 7, .data_calls = 8, .data_exits = 9, .data_words = 12, .kind_maglev = 11,
	    .sizes = "AAAAABCDESTBABAAAAABDDDBBBBCBBBAAAICCCDBDBBDDDBDDDJDDCECCDDDLDLCCCCCCCCCCCCCCCCCCCCCCCCBBBBAABBBBDEE"
	             "DEFECDEESTKKEECCCCCCCCCABBBAASKABKAKCKBCCCCAAADBBBBBBBBBBDBBBBBBBBBBBBDDBCEBAAAABAABDEDDABBAAAAAAAAA"
	             "AAAAAAAA",
	    .opcodes = "SGcciocwccc100BB11101111111111111111101111121" } },
};
/* clang-format on */

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

/* Versions from `from` to `to`, which 0 says nothing of. */
struct range {
	unsigned int from, to;
};

static bool is_in(struct range range, unsigned int major)
{
	return major >= range.from && (!range.to || major <= range.to);
}

/* What a version has in its layout. */
static const struct member {
	const char *name;
	size_t offset;
	struct range range;
} members[] = {
	{ "class_Map__instance_type__uint16_t", offsetof(struct v8_layout, map_type), { 0, 0 } },
	{ "class_JSFunction__shared__SharedFunctionInfo", offsetof(struct v8_layout, function_shared), { 0, 0 } },
	{ "class_SharedFunctionInfo__function_data__Object", offsetof(struct v8_layout, shared_data), { 0, 11 } },
	{ "class_SharedFunctionInfo__name_or_scope_info__Object", offsetof(struct v8_layout, shared_name), { 0, 11 } },
	{ "class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_", offsetof(struct v8_layout, shared_name), { 12, 12 } },
	{ "class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_", offsetof(struct v8_layout, shared_name), { 13, 0 } },
	{ "class_SharedFunctionInfo__script_or_debug_info__HeapObject", offsetof(struct v8_layout, shared_script), { 0, 11 } },
	{ "class_SharedFunctionInfo__script__Tagged_HeapObject_", offsetof(struct v8_layout, shared_script), { 12, 0 } },
	{ "class_SharedFunctionInfo__flags__int", offsetof(struct v8_layout, shared_flags), { 12, 0 } },
	{ "class_Script__source__Object", offsetof(struct v8_layout, script_source), { 0, 0 } },
	{ "class_Script__name__Object", offsetof(struct v8_layout, script_name), { 0, 0 } },
	{ "class_Script__line_ends__Object", offsetof(struct v8_layout, script_ends), { 0, 0 } },
	{ "class_BytecodeArray__data__uintptr_t", offsetof(struct v8_layout, bytecode_data), { 0, 0 } },
	{ "class_Code__deoptimization_data__FixedArray", offsetof(struct v8_layout, code_data), { 11, 11 } },
	{ "class_Code__source_position_table__ByteArray", offsetof(struct v8_layout, code_positions), { 11, 11 } },
	{ "class_InstructionStream__instruction_start__uintptr_t", offsetof(struct v8_layout, stream_start), { 11, 0 } },
	{ "class_Code__instruction_stream__Tagged_InstructionStream_", offsetof(struct v8_layout, code_stream), { 12, 0 } },
	{ "class_Code__instruction_start__Address", offsetof(struct v8_layout, code_start), { 12, 0 } },
	{ "class_Code__instruction_start__uintptr_t", offsetof(struct v8_layout, stream_start), { 0, 10 } },
	{ "class_Code__instruction_size__int", offsetof(struct v8_layout, code_size), { 0, 10 } },
	{ "class_Code__instruction_size__int", offsetof(struct v8_layout, code_size), { 12, 0 } },
	{ "class_Code__flags__uint32_t", offsetof(struct v8_layout, code_kind), { 0, 10 } },
	{ "class_Code__flags__uint32_t", offsetof(struct v8_layout, code_kind), { 12, 0 } },
};

/* What only the file says. */
static const struct type {
	const char *name;
	size_t offset;
	struct range range;
} types[] = {
	{ "type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", offsetof(struct v8_layout, shared_type), { 0, 0 } },
	{ "type_ScopeInfo__SCOPE_INFO_TYPE", offsetof(struct v8_layout, scope_type), { 0, 0 } },
	{ "type_Script__SCRIPT_TYPE", offsetof(struct v8_layout, script_type), { 0, 0 } },
	{ "type_FixedArray__FIXED_ARRAY_TYPE", offsetof(struct v8_layout, array_type), { 0, 0 } },
	{ "type_FixedArray__FIXED_ARRAY_TYPE", offsetof(struct v8_layout, data_type), { 0, 11 } },
	{ "type_TrustedFixedArray__TRUSTED_FIXED_ARRAY_TYPE", offsetof(struct v8_layout, data_type), { 12, 12 } },
	{ "type_ProtectedFixedArray__PROTECTED_FIXED_ARRAY_TYPE", offsetof(struct v8_layout, data_type), { 13, 0 } },
	{ "type_WeakFixedArray__WEAK_FIXED_ARRAY_TYPE", offsetof(struct v8_layout, weak_type), { 0, 12 } },
	{ "type_TrustedWeakFixedArray__TRUSTED_WEAK_FIXED_ARRAY_TYPE", offsetof(struct v8_layout, weak_type), { 13, 0 } },
	{ "type_ByteArray__BYTE_ARRAY_TYPE", offsetof(struct v8_layout, bytes_type), { 0, 0 } },
	{ "type_ByteArray__BYTE_ARRAY_TYPE", offsetof(struct v8_layout, trusted_type), { 0, 11 } },
	{ "type_TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE", offsetof(struct v8_layout, trusted_type), { 12, 0 } },
	{ "type_BytecodeArray__BYTECODE_ARRAY_TYPE", offsetof(struct v8_layout, bytecode_type), { 0, 0 } },
	{ "type_InterpreterData__INTERPRETER_DATA_TYPE", offsetof(struct v8_layout, interpreter_type), { 0, 0 } },
	{ "type_Code__CODE_TYPE", offsetof(struct v8_layout, code_type), { 0, 0 } },
	{ "type_SharedFunctionInfoWrapper__SHARED_FUNCTION_INFO_WRAPPER_TYPE", offsetof(struct v8_layout, wrapper_type), { 13, 0 } },
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
		if (!is_in(members[i].range, runtime->major))
			continue;
		memcpy(&known, layout + members[i].offset, sizeof(known));
		if (!read_constant(file, members[i].name, &value) || value != known)
			return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!is_in(types[i].range, runtime->major))
			continue;
		if (!read_constant(file, types[i].name, &value) || value <= 0 || value > UINT16_MAX)
			return false;
		known = (uint16_t)value;
		memcpy(layout + types[i].offset, &known, sizeof(known));
	}
	return true;
}

/* --- the code of builtins --- */

/* The code of builtins, and its data. */
struct blob {
	uint64_t code, data;
	uint32_t size; /* of the code */
};

/*
 * V8 13 exports none of these functions, which follow each other: where the code is, its size, and the same for the data.
 * The sizes are neighbours. Node's file has one such place, 2 MB behind V8's function that is exported.
 */
#define FUNCTIONS    4
#define SEARCH_SIZE  (16U << 20) /* bytes behind that function, as far as we search */
#define SEARCH_PIECE 65536
#define SEARCH_TRIES 64 /* places whose addresses are looked at, and asked of the file: a hostile one may have a million */

#if defined(__x86_64__)

#define FUNCTION_ALIGN 16

/* Functions that return an address, or what stands there: `head`, the address or its distance, `rest`. */
static const struct form {
	uint8_t n_head, head[3], n_rest, rest[4];
	bool is_read; /* what stands there */
} forms[] = {
	/* mov $ADDRESS, %eax; ret */
	{ 1, { 0xb8 }, 1, { 0xc3 }, false },
	/* lea DISTANCE(%rip), %rax; ret */
	{ 3, { 0x48, 0x8d, 0x05 }, 1, { 0xc3 }, false },
	/* lea DISTANCE(%rip), %rax; mov (%rax), %rax; ret */
	{ 3, { 0x48, 0x8d, 0x05 }, 4, { 0x48, 0x8b, 0x00, 0xc3 }, true },
	/* mov DISTANCE(%rip), %eax; ret */
	{ 2, { 0x8b, 0x05 }, 1, { 0xc3 }, true },
	/* lea DISTANCE(%rip), %rax; mov (%rax), %eax; ret */
	{ 3, { 0x48, 0x8d, 0x05 }, 3, { 0x8b, 0x00, 0xc3 }, true },
};

#define FORM_MAX 12 /* bytes of one, rounded up */

/* The form of a function at an address, and the address in it. NULL: it has none. */
static const struct form *form_of(const uint8_t code[FORM_MAX], uint64_t vaddr, uint64_t *address)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const struct form *form = &forms[i];
		const size_t n = form->n_head + sizeof(int32_t);
		int32_t bytes;

		if (memcmp(code, form->head, form->n_head) || memcmp(code + n, form->rest, form->n_rest))
			continue;
		memcpy(&bytes, code + form->n_head, sizeof(bytes));
		*address = form->n_head == 1 ? (uint32_t)bytes : vaddr + n + (uint64_t)(int64_t)bytes;
		return form;
	}
	return NULL;
}

/* What a function returns, which does nothing else; of what it reads, `size` bytes. 0: it does. */
static uint64_t returned(const struct runtime_file *file, const char *name, size_t size)
{
	struct binary_exported function;
	const struct form *form;
	uint64_t value = 0, address;
	uint8_t code[FORM_MAX];

	if (binary_find_exported(file->binary, name, &function) ||
	    !runtime_read_at(file, function.vaddr, code, sizeof(code)))
		return 0;
	form = form_of(code, function.vaddr, &address);
	if (!form)
		return 0;
	/* linkers write addresses into the file, though the loader does so, too; one that does not leaves 0 */
	if (!form->is_read)
		return address;
	runtime_read_at(file, address, &value, size);
	return value;
}

static bool are_functions(const struct runtime_file *file, const uint8_t *code, uint64_t vaddr, uint64_t address[FUNCTIONS],
			  unsigned int *tries)
{
	const struct form *found[FUNCTIONS];

	(void)file;
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		found[i] = form_of(code + FUNCTION_ALIGN * i, vaddr + FUNCTION_ALIGN * i, &address[i]);
		if (!found[i] || found[i]->is_read != i % 2 || found[i] != found[i % 2])
			return false;
	}
	if (address[3] != address[1] + sizeof(((struct blob *)0)->size))
		return false;
	(*tries)++;
	return true;
}

#else

#define FUNCTION_ALIGN 32
#define FORM_MAX       16 /* bytes of a function that returns an address, or what stands there: four instructions */

/*
 * What a function returns: the sum of adrp and add, or what that leads to; what the loader fills in is read as it will be.
 * *is_read: the address of what it returns last; 0: it returns an address.
 */
static bool evaluate(const struct runtime_file *file, const uint8_t code[FORM_MAX], uint64_t vaddr, uint64_t *value,
		     uint64_t *is_read)
{
	static const uint8_t ret[] = { 0xc0, 0x03, 0x5f, 0xd6 };
	struct arm64_reader reader = { .code = code, .n = FORM_MAX, .vaddr = vaddr };
	struct arm64_place place;
	bool any = false;

	*value = *is_read = 0;
	for (; reader.n && memcmp(reader.code, ret, sizeof(ret)); any = true) {
		arm64_next(&reader, &place);
		if (place.kind == ARM64_OTHER && reader.n == FORM_MAX - sizeof(ret))
			continue; /* bti */
		if (place.reg || place.base || (place.kind == ARM64_MEMBER && (!any || place.at)))
			return false;
		if (place.kind == ARM64_ADDRESS) {
			*value = place.at;
			*is_read = 0;
			continue;
		}
		if (place.kind != ARM64_ACCESS && place.kind != ARM64_MEMBER)
			return false;
		*is_read = place.kind == ARM64_ACCESS ? place.at : *value;
		*value = 0;
		if (binary_read_linked(file->binary, *is_read, value, place.size))
			return false;
	}
	return any && reader.n;
}

static uint64_t returned(const struct runtime_file *file, const char *name, size_t size)
{
	struct binary_exported function;
	uint64_t value = 0, is_read;
	uint8_t code[FORM_MAX];

	if (binary_find_exported(file->binary, name, &function) ||
	    !runtime_read_at(file, function.vaddr, code, sizeof(code)) ||
	    !evaluate(file, code, function.vaddr, &value, &is_read))
		return 0;
	return size == 4 ? (uint32_t)value : value;
}

/* Whether a function begins with adrp x0, and loads four bytes (ldr w0, [x0]) or not. */
static bool begins(const uint8_t *code, bool loads)
{
	uint32_t words[3];
	bool has_load;

	memcpy(words, code, sizeof(words));
	has_load = (words[1] & 0xffc003ff) == 0xb9400000 || (words[2] & 0xffc003ff) == 0xb9400000;
	return (words[0] & 0x9f00001f) == 0x90000000 && has_load == loads;
}

static bool are_functions(const struct runtime_file *file, const uint8_t *code, uint64_t vaddr, uint64_t address[FUNCTIONS],
			  unsigned int *tries)
{
	uint64_t is_read;

	for (unsigned int i = 0; i < FUNCTIONS; i++)
		if (!begins(code + FUNCTION_ALIGN * i, i % 2))
			return false;
	(*tries)++;
	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		const unsigned int at = FUNCTION_ALIGN * i;

		if (!evaluate(file, code + at, vaddr + at, &address[i], &is_read))
			return false;
		if (i % 2)
			address[i] = is_read;
	}
	return address[3] == address[1] + sizeof(((struct blob *)0)->size);
}

#endif

static bool is_blob(const struct runtime_file *file, const uint64_t address[FUNCTIONS], struct blob *blob)
{
	uint64_t offset;

	blob->code = address[0];
	blob->data = address[2];
	return runtime_read_at(file, address[1], &blob->size, sizeof(blob->size)) &&
	       !binary_offset_of(file->binary, blob->code, true, &offset) &&
	       !binary_offset_of(file->binary, blob->data, false, &offset);
}

static bool search_blob(const struct runtime_file *file, struct blob *blob)
{
	const uint64_t begin = file->loop.vaddr & ~(uint64_t)(FUNCTION_ALIGN - 1);
	const size_t n = SEARCH_PIECE + FUNCTIONS * FUNCTION_ALIGN;
	uint8_t *code __free = base_alloc(n);
	uint64_t address[FUNCTIONS];
	unsigned int tries = 0;

	for (uint64_t at = begin; at - begin < SEARCH_SIZE && runtime_read_at(file, at, code, n); at += SEARCH_PIECE)
		for (unsigned int i = 0; i < SEARCH_PIECE && tries < SEARCH_TRIES; i += FUNCTION_ALIGN)
			if (are_functions(file, code + i, at + i, address, &tries) && is_blob(file, address, blob))
				return true;
	return false;
}

static bool find_blob(const struct runtime_file *file, struct blob *blob)
{
	blob->code = returned(file, "_ZN2v88internal23DefaultEmbeddedBlobCodeEv", 8);
	blob->data = returned(file, "_ZN2v88internal23DefaultEmbeddedBlobDataEv", 8);
	blob->size = (uint32_t)returned(file, "_ZN2v88internal27DefaultEmbeddedBlobCodeSizeEv", 4);
	return (blob->code && blob->data && blob->size) || search_blob(file, blob);
}

/* Where the code of a builtin begins, in that of all. */
static bool read_offset(const struct runtime_file *file, uint64_t at, uint32_t *offset)
{
	struct builtin builtin;

	if (!runtime_read_at(file, at, &builtin, sizeof(builtin)))
		return false;
	*offset = builtin.offset;
	return builtin.length;
}

static bool set_loop(struct runtime *runtime, const struct runtime_file *file, const struct version *version)
{
	const unsigned int each = version->builtin_size;
	uint32_t trampoline, other, handlers;
	struct blob blob;
	uint64_t offset, data;

	if (!find_blob(file, &blob))
		return false;
	data = blob.data + BUILTINS_HEAD;
	if (blob.size > FAR_MAX || binary_offset_of(file->binary, blob.code, true, &offset) || offset > FAR_MAX ||
	    !read_offset(file, data + (uint64_t)version->trampoline * each, &trampoline) ||
	    !read_offset(file, data + (uint64_t)version->other * each, &other) ||
	    !read_offset(file, data + (uint64_t)version->handlers * each, &handlers) ||
	    trampoline >= other || other >= handlers || handlers >= blob.size)
		return false;
	runtime->plan.loop = (struct interp_loop){
		.begin = (int)(offset + trampoline),
		.size = other - trampoline,
		.gap = (int)(offset + handlers),
		.gap_size = blob.size - handlers,
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
		return "is none of 10.2, 11.3, 12.4 and 13.6, which Node 18, 20, 22 and 24 have";
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
	.loop = "_ZN2v82V810GetVersionEv",
	.make_plan = make_plan,
	.has_notes = true,
};
