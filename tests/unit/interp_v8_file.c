// SPDX-License-Identifier: BSD-2-Clause
/* src/interp/runtime_v8.c: plans of files that claim to be V8 13.6, whose code of builtins must be searched for. */
#include <criterion/criterion.h>

#include "binary_fixture.h"
#include "interp/language.h"

TestSuite(interp_v8_file, .init = fixture_init);

/* The constants for debuggers that have a value of their own; any other of these is 1. */
static const char constants[] =
	"HeapObjectTag=1 off_fp_context=-8 off_fp_function=-16 off_fp_bytecode_array=-32 off_fp_bytecode_offset=-40 SmiTag=0 "
	"class_Map__instance_type__uint16_t=12 class_JSFunction__shared__SharedFunctionInfo=32 "
	"class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_=24 "
	"class_SharedFunctionInfo__script__Tagged_HeapObject_=40 class_SharedFunctionInfo__flags__int=56 "
	"class_Script__source__Object=8 class_Script__name__Object=16 class_Script__line_ends__Object=56 "
	"class_BytecodeArray__data__uintptr_t=64 class_InstructionStream__instruction_start__uintptr_t=32 "
	"class_Code__instruction_stream__Tagged_InstructionStream_=32 class_Code__instruction_start__Address=40 "
	"class_Code__instruction_size__int=56 class_Code__flags__uint32_t=52 "
	"type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE=1 type_ScopeInfo__SCOPE_INFO_TYPE=1 type_Script__SCRIPT_TYPE=1 "
	"type_FixedArray__FIXED_ARRAY_TYPE=1 type_ProtectedFixedArray__PROTECTED_FIXED_ARRAY_TYPE=1 "
	"type_TrustedWeakFixedArray__TRUSTED_WEAK_FIXED_ARRAY_TYPE=1 type_ByteArray__BYTE_ARRAY_TYPE=1 "
	"type_TrustedByteArray__TRUSTED_BYTE_ARRAY_TYPE=1 type_BytecodeArray__BYTECODE_ARRAY_TYPE=1 "
	"type_InterpreterData__INTERPRETER_DATA_TYPE=1 type_Code__CODE_TYPE=1 "
	"type_SharedFunctionInfoWrapper__SHARED_FUNCTION_INFO_WRAPPER_TYPE=1 ";

/* Four functions that follow each other: where the code is, its size, and the same for the data. */
#define FUNCTIONS(code) \
	".p2align 4\n lea " code "(%%rip), %%rax\n ret\n.p2align 4\n mov size(%%rip), %%eax\n ret\n" \
	".p2align 4\n lea data(%%rip), %%rax\n ret\n.p2align 4\n mov size+4(%%rip), %%eax\n ret\n"

/* Some places that have such functions, but no code where they say; then the place that is right. */
static void make_file(unsigned int n_wrong)
{
	FILE *file = fopen(fixture_path("v8.s"), "w");
	char *copy = strdup(constants), *rest = copy;

	cr_assert(file && copy);
	fprintf(file, ".globl _ZN2v88internal7Version6major_E, _ZN2v88internal7Version6minor_E, _ZN2v82V810GetVersionEv\n"
		      ".section .rodata\n_ZN2v88internal7Version6major_E: .long 13\n_ZN2v88internal7Version6minor_E: .long 6\n");
	for (char *name = strtok_r(NULL, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		char *value = strchr(name, '=');

		*value++ = 0;
		fprintf(file, ".globl v8dbg_%s\nv8dbg_%s: .long %s\n", name, name, value);
	}
	/* 1,874 builtins of 16 bytes */
	fprintf(file, "size: .long 29984, 22512\n"
		      "data: .skip 24\n.set at, 0\n.rept 1874\n.long at, 16, 0\n.set at, at + 16\n.endr\n"
		      ".text\n.type _ZN2v82V810GetVersionEv, @function\n_ZN2v82V810GetVersionEv: ret\n"
		      ".size _ZN2v82V810GetVersionEv, 1\n.p2align 4\n"
		      ".rept %u\n" FUNCTIONS("data") ".endr\n" FUNCTIONS("code") ".skip 131072\ncode: .skip 29984\n"
										 ".section .note.GNU-stack\n",
		n_wrong);
	fclose(file);
	free(copy);
	fixture_run("$CC -shared -nostdlib -o v8.so v8.s");
}

static struct runtime *read_file(unsigned int n_wrong)
{
	struct binary *binary;
	struct runtime *runtime;

	make_file(n_wrong);
	cr_assert_eq(binary_open(NULL, fixture_path("v8.so"), &binary, NULL), 0);
	runtime = runtime_read(binary);
	binary_close(binary);
	cr_assert(runtime);
	return runtime;
}

Test(interp_v8_file, builtins)
{
	struct runtime *runtime = read_file(3);

	cr_expect(runtime->major == 13 && runtime->minor == 6);
	cr_assert_null(runtime->why, "%s", runtime->why);
	cr_expect_eq(runtime->plan.loop.size, (93 - 81) * 16);
	cr_expect_eq(runtime->plan.loop.gap - runtime->plan.loop.begin, (1873 - 81) * 16);
	free(runtime);
}

/* A file that has many places which only look like it takes no more time than another one. */
Test(interp_v8_file, builtins_that_are_none)
{
	struct runtime *runtime = read_file(1000);

	cr_expect_str_eq(runtime->why, "has builtins that are not known");
	free(runtime);
}
