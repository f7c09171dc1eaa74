// SPDX-License-Identifier: BSD-2-Clause
/* src/interp/runtime_java.c: plans of files that claim to be HotSpot, with tables that are made up. */
#include <criterion/criterion.h>

#include "binary_fixture.h"
#include "interp/language.h"

TestSuite(interp_java_file, .init = fixture_init);

/* What a table has of version 21, and of 11 and 26 in its place; the type, the member, 1: static. */
static const struct member {
	const char *type, *member;
	unsigned int is_static, major; /* major: only this version has it; 0: all have */
} members[] = {
	{ "CodeCache", "_low_bound", 1, 0 },
	{ "CodeCache", "_high_bound", 1, 0 },
	{ "CodeCache", "_heaps", 1, 0 },
	{ "AbstractInterpreter", "_code", 1, 0 },
	{ "StubRoutines", "_call_stub_return_address", 1, 0 },
	{ "GenericGrowableArray", "_len", 0, 11 },
	{ "GrowableArrayBase", "_len", 0, 21 },
	{ "GrowableArrayBase", "_len", 0, 26 },
	{ "GrowableArray<int>", "_data", 0, 0 },
	{ "VirtualSpace", "_low", 0, 0 },
	{ "VirtualSpace", "_high", 0, 0 },
	{ "CodeHeap", "_memory", 0, 0 },
	{ "CodeHeap", "_segmap", 0, 0 },
	{ "CodeHeap", "_log2_segment_size", 0, 0 },
	{ "StubQueue", "_stub_buffer", 0, 0 },
	{ "StubQueue", "_buffer_limit", 0, 0 },
	{ "CodeBlob", "_name", 0, 0 },
	{ "CodeBlob", "_frame_size", 0, 0 },
	{ "CodeBlob", "_frame_complete_offset", 0, 0 },
	{ "CodeBlob", "_code_begin", 0, 11 },
	{ "CodeBlob", "_code_begin", 0, 21 },
	{ "CodeBlob", "_code_offset", 0, 26 },
	{ "CodeBlob", "_relocation_size", 0, 26 },
	{ "CodeBlob", "_mutable_data", 0, 26 },
	{ "CodeBlob", "_mutable_data_size", 0, 26 },
	{ "nmethod", "_compile_id", 0, 0 },
	{ "CompiledMethod", "_method", 0, 11 },
	{ "CompiledMethod", "_method", 0, 21 },
	{ "nmethod", "_method", 0, 26 },
	{ "nmethod", "_scopes_pcs_offset", 0, 0 },
	{ "nmethod", "_dependencies_offset", 0, 11 },
	{ "nmethod", "_dependencies_offset", 0, 21 },
	{ "nmethod", "_scopes_data_offset", 0, 26 },
	{ "CompiledMethod", "_scopes_data_begin", 0, 11 },
	{ "CompiledMethod", "_scopes_data_begin", 0, 21 },
	{ "nmethod", "_immutable_data", 0, 26 },
	{ "nmethod", "_immutable_data_size", 0, 26 },
	{ "nmethod", "_metadata_offset", 0, 11 },
	{ "nmethod", "_metadata_offset", 0, 21 },
	{ "Method", "_constMethod", 0, 0 },
	{ "ConstMethod", "_constants", 0, 0 },
	{ "ConstMethod", "_code_size", 0, 0 },
	{ "ConstMethod", "_constMethod_size", 0, 0 },
	{ "ConstMethod", "_name_index", 0, 0 },
	{ "ConstMethod", "_flags", 0, 11 },
	{ "ConstMethod", "_flags._flags", 0, 21 },
	{ "ConstMethod", "_flags._flags", 0, 26 },
	{ "ConstMethod", "_method_idnum", 0, 0 },
	{ "ConstantPool", "_pool_holder", 0, 0 },
	{ "ConstantPool", "_length", 0, 0 },
	{ "InstanceKlass", "_source_file_name_index", 0, 11 },
	{ "ConstantPool", "_source_file_name_index", 0, 21 },
	{ "ConstantPool", "_source_file_name_index", 0, 26 },
	{ "Klass", "_name", 0, 0 },
	{ "InstanceKlass", "_constants", 0, 0 },
	{ "InstanceKlass", "_methods", 0, 0 },
	{ "Array<Method*>", "_data", 0, 0 },
	{ "Symbol", "_length", 0, 0 },
	{ "Symbol", "_body", 0, 0 },
};

/* That members[i] has. A heap has the size of its segments last. */
#define OFFSET(i) (strcmp(members[i].member, "_log2_segment_size") ? 8 + (i) : 200)

/* Where offsets are. */
enum where {
	IN_FILE,    /* in the table */
	IN_CODE,    /* a function stores them there */
	IN_NEITHER, /* the table has them, but a function stores one of them anew */
	IN_NOTHING, /* nobody knows how they come there */
	IN_PART	    /* so for one member of a type and more */
};

/* Writes the table, less the member with a number, and compiles it. */
static void make_file(unsigned int major, enum where where, size_t less)
{
	FILE *file = fopen(fixture_path("vm.c"), "w");
	size_t n = 0;

	cr_assert(file);
	fprintf(file, "static int major = %u, thing;\n"
		      "struct entry { const char *type, *member, *kind; int is_static, unused; unsigned long offset; void *at; };\n"
		      "struct entry table[512] __attribute__((visibility(\"hidden\"))) = {\n"
		      "{ \"Abstract_VM_Version\", \"_vm_major_version\", \"int\", 1, 0, 0, &major },\n",
		major);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (i != less && (!members[i].major || members[i].major == major))
			fprintf(file, "{ \"%s\", \"%s\", \"\", %u, 0, %zu, %s },\n", members[i].type, members[i].member,
				members[i].is_static, members[i].is_static || where == IN_CODE || where == IN_NOTHING || (where == IN_PART && i % 2) ? 0 : OFFSET(i),
				members[i].is_static ? "&thing" : "0");
	fprintf(file, "};\nvoid *gHotSpotVMStructs = table;\n"
		      "struct type { const char *name, *super; int flags[4]; unsigned long size; };\n"
		      "/* the data ends behind it */\n"
		      "struct type types[4] __attribute__((visibility(\"hidden\"), section(\".data.last\"))) = {\n"
		      "{ \"ConstMethod\", 0, {}, 128 }, { \"ConstantPool\", 0, {}, 72 }, { \"HeapBlock\", 0, {}, 16 } };\n"
		      "void *gHotSpotVMTypes = types;\n"
		      "char long_file[128 * 1024] = { 1 };\n"
		      "int AsyncGetCallTrace(void) { return 0; }\n"
		      "__attribute__((constructor)) static void fill(void) {\n");
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (i != less && (!members[i].major || members[i].major == major)) {
			n++;
			if (!members[i].is_static && (where == IN_CODE || (where == IN_NEITHER && i == 8)))
				fprintf(file, "table[%zu].offset = %zu;\n", n, OFFSET(i));
		}
	fprintf(file, "}\n");
	fclose(file);
	fixture_run("$CC -O1 -shared -fPIC -o vm.so vm.c");
}

static struct runtime *read_file(void)
{
	struct binary *binary;
	struct runtime *runtime;

	cr_assert_eq(binary_open(NULL, fixture_path("vm.so"), &binary, NULL), 0);
	runtime = runtime_read(binary);
	binary_close(binary);
	cr_assert(runtime);
	return runtime;
}

static size_t number_of(const char *type, const char *member)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (!strcmp(members[i].type, type) && !strcmp(members[i].member, member))
			return i;
	return 0;
}

Test(interp_java_file, versions)
{
	static const unsigned int majors[] = { 11, 21, 26 };

	for (size_t i = 0; i < ARRAY_SIZE(majors); i++)
		for (enum where where = IN_FILE; where <= IN_CODE; where++) {
			struct runtime *runtime;
			const struct java_layout *layout;

			make_file(majors[i], where, SIZE_MAX);
			runtime = read_file();
			layout = &runtime->java;
			cr_expect_eq(runtime->major, majors[i]);
			cr_assert_null(runtime->why, "%u, %d: %s", majors[i], where, runtime->why);
			cr_expect_eq(layout->name, OFFSET(number_of("CodeBlob", "_name")));
			cr_expect_eq(layout->symbol_body, OFFSET(number_of("Symbol", "_body")));
			cr_expect_eq(layout->minus, majors[i] > 11);
			cr_expect_eq(layout->is_new, majors[i] > 21);
			cr_expect_eq(layout->class_file, majors[i] == 11 ? OFFSET(number_of("InstanceKlass", "_source_file_name_index")) : 0);
			cr_expect_eq(layout->pool_begin, 72);
			cr_expect_eq(runtime->plan.java.complete, OFFSET(number_of("CodeBlob", "_frame_complete_offset")));
			free(runtime);
		}
}

Test(interp_java_file, not_known)
{
	struct runtime *runtime;

	make_file(12, IN_FILE, SIZE_MAX);
	runtime = read_file();
	cr_expect_str_eq(runtime->why, "is none of 11, 17, 21 and 25 to 27");
	free(runtime);
	for (size_t less = 0; less < ARRAY_SIZE(members); less += 9) {
		make_file(26, IN_FILE, members[less].major && members[less].major != 26 ? 0 : less);
		runtime = read_file();
		cr_expect_str_eq(runtime->why, "was built in a way that is not known");
		free(runtime);
	}
	for (enum where where = IN_NEITHER; where <= IN_PART; where++) {
		make_file(21, where, SIZE_MAX);
		runtime = read_file();
		cr_expect_str_eq(runtime->why, "was built in a way that is not known");
		free(runtime);
	}
}
