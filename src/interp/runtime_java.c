// SPDX-License-Identifier: BSD-2-Clause
/*
 * HotSpot in libjvm: the file exports tables for debuggers (gHotSpotVMStructs) with the members of objects and of what is
 * static, by their names. Addresses stand there. Offsets do, too, or are filled in by a function that the loader calls, which
 * consists of stores of constants: those are read from its code. That is up to the compiler.
 */
#include "arm64.h"
#include "java.h"
#include "language.h"

#define ENTRIES_MAX 4096
#define PIECE	    128 /* entries that are read together; ENTRIES_MAX is a multiple */
#define TEXT	    64
#define FAR_MAX	    (1LL << 30)	       /* bytes between the state and what is static */
#define INIT_MAX    (32 * 1024 * 1024) /* bytes of code */
#define OFFSETS_MAX 4096

/* An entry of the table; with all zero it ends. */
struct entry {
	uint64_t type, member, kind;
	uint32_t is_static, unused;
	uint64_t offset, address;
};

#define IN(what) offsetof(struct java_layout, what)
/* Versions: 11, 17, 21, and from 25 on. */
#define IN_11	 1U
#define IN_17	 2U
#define IN_21	 4U
#define ONLY_NEW 8U
#define ONLY_OLD (IN_11 | IN_17 | IN_21)
#define IN_ALL	 (ONLY_OLD | ONLY_NEW)

/* What a plan or names want, and in which versions. */
static const struct wanted {
	const char *type, *member;
	size_t to;
	unsigned int in;
} wanted[] = {
	{ "CodeCache", "_low_bound", IN(low), IN_ALL },
	{ "CodeCache", "_high_bound", IN(high), IN_ALL },
	{ "CodeCache", "_heaps", IN(heaps), IN_ALL },
	{ "AbstractInterpreter", "_code", IN(interpreter), IN_ALL },
	{ "StubRoutines", "_call_stub_return_address", IN(call_stub), IN_ALL },
	{ "GenericGrowableArray", "_len", IN(array_length), IN_11 },
	{ "GrowableArrayBase", "_len", IN(array_length), IN_ALL & ~IN_11 },
	{ "GrowableArray<int>", "_data", IN(array_data), IN_ALL },
	{ "VirtualSpace", "_low", IN(space_low), IN_ALL },
	{ "VirtualSpace", "_high", IN(space_high), IN_ALL },
	{ "CodeHeap", "_memory", IN(heap_memory), IN_ALL },
	{ "CodeHeap", "_segmap", IN(heap_segments), IN_ALL },
	{ "CodeHeap", "_log2_segment_size", IN(heap_shift), IN_ALL },
	{ "StubQueue", "_stub_buffer", IN(queue_begin), IN_ALL },
	{ "StubQueue", "_buffer_limit", IN(queue_size), IN_ALL },
	{ "CodeBlob", "_name", IN(name), IN_ALL },
	{ "CodeBlob", "_frame_size", IN(frame_size), IN_ALL },
	{ "CodeBlob", "_frame_complete_offset", IN(complete), IN_ALL },
	{ "CodeBlob", "_code_begin", IN(code_at), ONLY_OLD },
	{ "CodeBlob", "_code_offset", IN(code_at), ONLY_NEW },
	{ "CodeBlob", "_relocation_size", IN(relocations), ONLY_NEW },
	{ "CodeBlob", "_mutable_data", IN(mutable), ONLY_NEW },
	{ "CodeBlob", "_mutable_data_size", IN(mutable_size), ONLY_NEW },
	{ "nmethod", "_compile_id", IN(number), IN_ALL },
	{ "CompiledMethod", "_method", IN(code_method), ONLY_OLD },
	{ "nmethod", "_method", IN(code_method), ONLY_NEW },
	{ "nmethod", "_scopes_pcs_offset", IN(places), IN_ALL },
	{ "nmethod", "_dependencies_offset", IN(places_end), ONLY_OLD },
	{ "nmethod", "_scopes_data_offset", IN(places_end), ONLY_NEW },
	{ "CompiledMethod", "_scopes_data_begin", IN(scopes), ONLY_OLD },
	{ "nmethod", "_immutable_data", IN(immutable), ONLY_NEW },
	{ "nmethod", "_immutable_data_size", IN(immutable_size), ONLY_NEW },
	{ "nmethod", "_metadata_offset", IN(metadata), ONLY_OLD },
	{ "Method", "_constMethod", IN(method_const), IN_ALL },
	{ "ConstMethod", "_constants", IN(const_pool), IN_ALL },
	{ "ConstMethod", "_code_size", IN(const_code_size), IN_ALL },
	{ "ConstMethod", "_constMethod_size", IN(const_size), IN_ALL },
	{ "ConstMethod", "_name_index", IN(const_name), IN_ALL },
	{ "ConstMethod", "_flags", IN(const_flags), IN_11 | IN_17 },
	{ "ConstMethod", "_flags._flags", IN(const_flags), IN_21 | ONLY_NEW },
	{ "ConstMethod", "_method_idnum", IN(const_number), IN_ALL },
	{ "ConstantPool", "_pool_holder", IN(pool_holder), IN_ALL },
	{ "ConstantPool", "_length", IN(pool_length), IN_ALL },
	{ "ConstantPool", "_source_file_name_index", IN(pool_file), IN_ALL & ~IN_11 },
	{ "InstanceKlass", "_source_file_name_index", IN(class_file), IN_11 },
	{ "Klass", "_name", IN(class_name), IN_ALL },
	{ "InstanceKlass", "_constants", IN(class_pool), IN_ALL },
	{ "InstanceKlass", "_methods", IN(class_methods), IN_ALL },
	{ "Array<Method*>", "_data", IN(methods_data), IN_ALL },
	{ "Symbol", "_length", IN(symbol_length), IN_ALL },
	{ "Symbol", "_body", IN(symbol_body), IN_ALL },
};

struct tables {
	const struct runtime_file *file;
	uint64_t begin, end; /* of the table */
	size_t n;
	struct entry *v;
	bool is_filled; /* has offsets in the file */
	struct {
		uint32_t offset;
		uint8_t times;
	} * stores;
};

static bool read_text(const struct runtime_file *file, uint64_t vaddr, char text[TEXT])
{
	uint64_t offset;

	memset(text, 0, TEXT);
	if (!vaddr || binary_offset_of(file->binary, vaddr, false, &offset))
		return false;
	/* the file goes on behind it: a table of others ends there */
	return !binary_read(file->binary, offset, text, TEXT - 1);
}

static bool read_entries(struct tables *tables)
{
	uint64_t begin;

	if (binary_read_linked(tables->file->binary, tables->file->state.vaddr, &begin, sizeof(begin)))
		return false;
	tables->begin = begin;
	tables->v = base_alloc(ENTRIES_MAX * sizeof(*tables->v));
	while (tables->n < ENTRIES_MAX) {
		struct entry *entries = tables->v + tables->n;

		if (binary_read_linked(tables->file->binary, begin + tables->n * sizeof(*entries), entries,
				       PIECE * sizeof(*entries)))
			return false;
		for (size_t i = 0; i < PIECE; i++, tables->n++)
			if (!entries[i].type) {
				tables->end = begin + tables->n * sizeof(*entries);
				return tables->n;
			}
	}
	return false;
}

/* A number is stored at an address. */
static void add_store(struct tables *tables, uint64_t address, uint32_t number)
{
	const uint64_t place = address - tables->begin, i = place / sizeof(struct entry);

	if (place >= tables->end - tables->begin || place % sizeof(struct entry) != offsetof(struct entry, offset))
		return;
	/* one that has had different ones stays so */
	if (tables->stores[i].times && tables->stores[i].offset != number)
		tables->stores[i].times = 2;
	else if (!tables->stores[i].times)
		tables->stores[i].times = 1;
	tables->stores[i].offset = number;
}

/* Looks for stores of numbers into the table. */
#if defined(__x86_64__)

/* movq $NUMBER, DISTANCE(%rip) */
#define STORE_SIZE 11

static void find_stores(struct tables *tables, const uint8_t *code, size_t n, uint64_t vaddr)
{
	for (const uint8_t *at = code; n - (size_t)(at - code) >= STORE_SIZE; at++) {
		const uint8_t *end = code + n;
		int32_t distance;
		uint32_t number;

		at = memmem(at, (size_t)(end - at), "\x48\xc7\x05", 3);
		if (!at || end - at < STORE_SIZE)
			return;
		memcpy(&distance, at + 3, 4);
		memcpy(&number, at + 7, 4);
		add_store(tables, vaddr + (uint64_t)(at - code) + STORE_SIZE + (uint64_t)(int64_t)distance, number);
	}
}

#else

static void find_stores(struct tables *tables, const uint8_t *code, size_t n, uint64_t vaddr)
{
	static const uint8_t ret[] = { 0xc0, 0x03, 0x5f, 0xd6 };
	struct arm64_reader reader = { .code = code, .n = n, .vaddr = vaddr };
	struct arm64_place place;

	for (;;) {
		const uint8_t *at = reader.code;

		if (!arm64_next(&reader, &place))
			return;
		/* another function begins */
		if (!memcmp(at, ret, sizeof(ret)))
			reader.known = reader.numbers = 0;
		if (place.kind != ARM64_ACCESS || !place.stores || place.size != 8)
			continue;
		if (place.reg == 31)
			add_store(tables, place.at, 0);
		else if ((reader.known | reader.numbers) >> place.reg & 1)
			add_store(tables, place.at, (uint32_t)reader.values[place.reg]);
	}
}

#endif

/* What the last function of those may have. */
#define FUNCTION_MAX (64 * 1024)

static bool read_stores(struct tables *tables)
{
	struct binary *binary = tables->file->binary;
	uint64_t vaddr, n, first = UINT64_MAX, last = 0, offset;
	__free uint64_t *functions = NULL;
	__free uint8_t *code = NULL;
	size_t size;

	if (binary_init_array(binary, &vaddr, &n) || !n || n > FUNCTION_MAX)
		return false;
	functions = base_alloc(n * sizeof(*functions));
	if (binary_read_linked(binary, vaddr, functions, n * sizeof(*functions)))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (binary_offset_of(binary, functions[i], true, &offset))
			continue;
		first = functions[i] < first ? functions[i] : first;
		last = functions[i] > last ? functions[i] : last;
	}
	if (first > last || last - first > INIT_MAX || binary_offset_of(binary, first, true, &offset))
		return false;
	size = last - first + FUNCTION_MAX;
	code = base_alloc(size);
	tables->stores = base_alloc(tables->n * sizeof(*tables->stores));
	if (binary_read(binary, offset, code, size))
		return false;
	find_stores(tables, code, size, first);
	/* without offsets in the file either, they are written in a way that is not known */
	for (size_t i = 0; i < tables->n; i++) {
		if (tables->stores[i].times) {
			tables->is_filled = false;
			return true;
		}
		tables->is_filled |= !tables->v[i].is_static && tables->v[i].offset;
	}
	return tables->is_filled;
}

/* What an entry says. False: it is not known, or is too large. */
static bool value_of(const struct tables *tables, size_t i, uint32_t *value)
{
	const struct entry *entry = &tables->v[i];
	const int64_t distance = (int64_t)(entry->address - tables->file->state.vaddr);

	if (entry->is_static) {
		*value = (uint32_t)(int32_t)distance;
		return entry->address && distance < FAR_MAX && distance > -FAR_MAX;
	}
	*value = tables->is_filled ? (uint32_t)entry->offset : tables->stores[i].offset;
	return (tables->is_filled ? entry->offset < OFFSETS_MAX : tables->stores[i].times == 1) && *value < OFFSETS_MAX;
}

/* Whether two members of a type are at its begin: what is written in a way that is not known is 0. */
static bool is_second_at_0(const struct java_layout *layout, size_t k, unsigned int in)
{
	uint32_t value, before;

	memcpy(&value, (const uint8_t *)layout + wanted[k].to, sizeof(value));
	for (size_t i = 0; i < k; i++) {
		memcpy(&before, (const uint8_t *)layout + wanted[i].to, sizeof(before));
		if (wanted[i].in & in && !strcmp(wanted[i].type, wanted[k].type) && !before && !value)
			return true;
	}
	return false;
}

static bool read_layout(const struct tables *tables, struct java_layout *layout, unsigned int in)
{
	uint64_t found = 0;
	char type[TEXT], member[TEXT];
	uint32_t value;

	for (size_t i = 0; i < tables->n; i++) {
		if (!read_text(tables->file, tables->v[i].type, type) ||
		    !read_text(tables->file, tables->v[i].member, member))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(wanted); k++) {
			if (!(wanted[k].in & in) || strcmp(type, wanted[k].type) || strcmp(member, wanted[k].member) ||
			    !value_of(tables, i, &value))
				continue;
			memcpy((uint8_t *)layout + wanted[k].to, &value, sizeof(value));
			found |= 1ULL << k;
		}
	}
	for (size_t k = 0; k < ARRAY_SIZE(wanted); k++)
		if (wanted[k].in & in && (!(found & 1ULL << k) || is_second_at_0(layout, k, in)))
			return false;
	return true;
}
_Static_assert(ARRAY_SIZE(wanted) <= 64, "bits of a number");

/* An entry of the table of types. */
struct type {
	uint64_t name, super;
	uint32_t flags[4];
	uint64_t size;
};

static void keep_size(const struct runtime_file *file, const struct type *type, struct java_layout *layout)
{
	char name[TEXT];

	if (type->size > OFFSETS_MAX || !read_text(file, type->name, name))
		return;
	if (!strcmp(name, "ConstMethod"))
		layout->code_begin = (uint32_t)type->size;
	else if (!strcmp(name, "ConstantPool"))
		layout->pool_begin = (uint32_t)type->size;
	else if (!strcmp(name, "HeapBlock"))
		layout->block_size = (uint32_t)type->size;
}

/* Sections are walked for each piece, and a file may have 65,535 of them: pieces are few. */
static bool read_sizes(const struct runtime_file *file, struct java_layout *layout)
{
	struct binary_exported found;
	struct type types[PIECE];
	uint64_t begin;
	size_t i, piece = PIECE;

	if (binary_find_exported(file->binary, "gHotSpotVMTypes", &found) ||
	    binary_read_linked(file->binary, found.vaddr, &begin, sizeof(begin)))
		return false;
	for (size_t n = 0; n < ENTRIES_MAX; n += i) {
		const uint64_t at = begin + n * sizeof(*types);

		/* the last ones may stand where the file ends */
		if (piece > 1 && binary_read_linked(file->binary, at, types, sizeof(types)))
			piece = 1;
		if (piece == 1 && binary_read_linked(file->binary, at, types, sizeof(*types)))
			break;
		for (i = 0; i < piece && types[i].name; i++)
			keep_size(file, &types[i], layout);
		if (i < piece)
			break;
	}
	return layout->code_begin && layout->pool_begin && layout->block_size;
}

/* Words of an object are read so far. */
#define HEAD_MAX 504

static bool set_plan(struct interp_plan *plan, struct java_layout *layout)
{
	const uint32_t head = (layout->number > layout->name ? layout->number : layout->name) + 8;
	const uint32_t heap = layout->heap_shift + 4;

	if (head > HEAD_MAX || heap > HEAD_MAX || layout->frame_size + 4 > head || layout->complete + 4 > head ||
	    layout->code_at + 8 > head || layout->heap_memory + layout->space_high + 8 > heap ||
	    layout->heap_memory + layout->space_low + 8 > heap || layout->heap_segments + layout->space_low + 8 > heap ||
	    !java_fits(layout))
		return false;
	*plan = (struct interp_plan){ .boundary = INTERP_BLOBS };
	plan->java = (struct interp_java){
		.low = layout->low,
		.high = layout->high,
		.heaps = layout->heaps,
		.interpreter = layout->interpreter,
		.call_stub = layout->call_stub,
		.array_length = (uint16_t)layout->array_length,
		.array_data = (uint16_t)layout->array_data,
		.heap_low = (uint16_t)(layout->heap_memory + layout->space_low),
		.heap_high = (uint16_t)(layout->heap_memory + layout->space_high),
		.heap_segments = (uint16_t)(layout->heap_segments + layout->space_low),
		.heap_shift = (uint16_t)layout->heap_shift,
		.heap_size = (uint16_t)heap,
		.queue_begin = (uint16_t)layout->queue_begin,
		.queue_size = (uint16_t)layout->queue_size,
		.block_size = (uint16_t)layout->block_size,
		.head_size = (uint16_t)head,
		.name = (uint16_t)layout->name,
		.frame_size = (uint16_t)layout->frame_size,
		.code_at = (uint16_t)layout->code_at,
		.complete = (uint16_t)layout->complete,
		.number = (uint16_t)layout->number,
		.is_short = layout->is_new,
		.method_const = (uint16_t)layout->method_const,
		.code_begin = (uint16_t)layout->code_begin,
	};
	return true;
}

static void tables_release(struct tables *tables)
{
	free(tables->v);
	free(tables->stores);
}

/* The static number of the version. False: the table does not have it. */
static bool read_version(const struct tables *tables, struct runtime *runtime)
{
	char type[TEXT], member[TEXT];
	int32_t version;

	for (size_t i = 0; i < tables->n; i++) {
		if (!tables->v[i].is_static || !read_text(tables->file, tables->v[i].type, type) ||
		    strcmp(type, "Abstract_VM_Version") || !read_text(tables->file, tables->v[i].member, member) ||
		    strcmp(member, "_vm_major_version"))
			continue;
		runtime->major = runtime_read_at(tables->file, tables->v[i].address, &version, sizeof(version)) && version > 0 ? (unsigned int)version : 0;
		return runtime->major;
	}
	return false;
}

/* Versions that were tried. */
static const struct version {
	unsigned int major, in;
	uint8_t minus;
} versions[] = {
	{ 11, IN_11, 0 },
	{ 17, IN_17, 0 },
	{ 21, IN_21, 1 },
	{ 25, ONLY_NEW, 1 },
	{ 26, ONLY_NEW, 1 },
	{ 27, ONLY_NEW, 1 },
};

static const struct version *find_version(unsigned int major)
{
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++)
		if (versions[i].major == major)
			return &versions[i];
	return NULL;
}

static const char *make_plan(struct runtime *runtime, const struct runtime_file *file)
{
	struct tables tables __cleanup(tables_release) = { .file = file };
	struct java_layout *layout = &runtime->java;
	const struct version *version;

	if (!file->state.vaddr || !read_entries(&tables) || !read_version(&tables, runtime))
		return "does not say its version";
	version = find_version(runtime->major);
	if (!version)
		return "is none of 11, 17, 21 and 25 to 27";
	if (!read_sizes(file, layout) || !read_stores(&tables) || !read_layout(&tables, layout, version->in))
		return "was built in a way that is not known";
	layout->is_new = version->in == ONLY_NEW;
	layout->minus = version->minus;
	return set_plan(&runtime->plan, layout) ? NULL : "was built in a way that is not known";
}

const struct language language_java = {
	.name = "HotSpot",
	.unread = "[java]",
	.state = "gHotSpotVMStructs",
	.loop = "AsyncGetCallTrace",
	.make_plan = make_plan,
	.has_blobs = true,
};
