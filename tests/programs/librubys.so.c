// SPDX-License-Identifier: BSD-2-Clause
/*
 * Has what a library of Ruby 3.1 has, but frames and functions as no Ruby makes them. No process must harm who looks at
 * it. The program is one thread that stays in the loop.
 */
#include <stdint.h>
#include <stdio.h>

#define FRAMES 100000

extern const int ruby_api_version[3];
extern __thread void *ruby_current_ec;
void rb_vm_exec(void);

const int ruby_api_version[3] = { 3, 1, 0 };
__thread void *ruby_current_ec;

#if defined(__x86_64__)

/*
 * rb_profile_frames() asks where ruby_current_ec is. rb_iseq_line_no() calls what reads 0x88(%rdi), how many lines a
 * function has; rb_iseq_method_name() reads 0xb0(%rax). rb_vm_exec() calls the loop, which is long.
 */
asm(".globl rb_profile_frames, rb_iseq_line_no, rb_iseq_label, rb_iseq_path, rb_iseq_method_name, rb_vm_exec\n"
    ".type rb_profile_frames, @function\n"
    "rb_profile_frames: sub $8, %rsp\n"
    ".byte 0x66\n"
    "lea ruby_current_ec@tlsgd(%rip), %rdi\n"
    ".byte 0x66, 0x66, 0x48\n"
    "call __tls_get_addr@PLT\n"
    "add $8, %rsp\n"
    "ret\n"
    ".size rb_profile_frames, . - rb_profile_frames\n"
    ".type rb_iseq_line_no, @function\n"
    "rb_iseq_line_no: call 1f\n"
    "ret\n"
    ".size rb_iseq_line_no, . - rb_iseq_line_no\n"
    "1: mov 0x88(%rdi), %eax\n"
    "ret\n"
    ".type rb_iseq_label, @function\n"
    "rb_iseq_label: mov 0x10(%rdi), %rax\n"
    "mov 0x50(%rax), %rax\n"
    "ret\n"
    ".size rb_iseq_label, . - rb_iseq_label\n"
    ".type rb_iseq_path, @function\n"
    "rb_iseq_path: mov 0x10(%rdi), %rax\n"
    "mov 0x40(%rax), %rax\n"
    "ret\n"
    ".size rb_iseq_path, . - rb_iseq_path\n"
    ".type rb_iseq_method_name, @function\n"
    "rb_iseq_method_name: mov 0x10(%rdi), %rax\n"
    "mov 0xb0(%rax), %rax\n"
    "ret\n"
    ".size rb_iseq_method_name, . - rb_iseq_method_name\n"
    ".skip 64, 0x90\n"
    "2: .cfi_startproc\n"
    "jmp 2b\n"
    ".skip 9000, 0x90\n"
    "ret\n"
    ".cfi_endproc\n"
    ".type rb_vm_exec, @function\n"
    "rb_vm_exec: .cfi_startproc\n"
    "sub $8, %rsp\n"
    ".cfi_def_cfa_offset 16\n"
    "call 2b\n"
    "add $8, %rsp\n"
    ".cfi_def_cfa_offset 8\n"
    "ret\n"
    ".cfi_endproc\n"
    ".size rb_vm_exec, . - rb_vm_exec\n");

struct frame {
	uint64_t place, sp, code, self, environment, unused[3];
};

/* Frames without an end, in turn: of a function with an odd name and lines beyond all memory, and of none. */
__attribute__((constructor)) static void begin(void)
{
	static uint64_t environment[3], text[4] = { 0x2005, 0, UINT64_MAX, 0x1000 };
	static uint64_t label[4] = { 0x5 | 4 << 14, 0, 0x0a781b79 };
	static uint64_t body[22] = { 0xffffffff00000000, 0x10000 }, code[3] = { 0x701a, 0, (uint64_t)body };
	static uint64_t odd[3] = { 0x601a, 1, 7 }, state[3];
	static struct frame frames[FRAMES];

	body[8] = (uint64_t)label;
	body[10] = (uint64_t)label;
	body[15] = (uint64_t)text;
	body[17] = UINT32_MAX;
	body[18] = (uint64_t)text;
	for (int i = 0; i < FRAMES; i++)
		frames[i] = (struct frame){ .place = 0x10008,
					    .code = i % 3 == 0 ? (uint64_t)code : i % 3 == 1 ? (uint64_t)odd
											     : (uint64_t)text,
					    .environment = (uint64_t)(environment + 2) };
	state[2] = (uint64_t)frames;
	ruby_current_ec = state;
	puts("ready");
	fflush(stdout);
	rb_vm_exec();
}

#endif
