// SPDX-License-Identifier: BSD-2-Clause
/* binary/instruction.h: lengths and kinds of instructions, as in the manuals of the processors. */
#include <criterion/criterion.h>

#include "binary/instruction.h"

static void expect(const char *code, size_t n, enum instruction_kind kind, int64_t target)
{
	struct instruction instruction;

	cr_assert(!instruction_decode((const uint8_t *)code, n, &instruction), "%02x...", (unsigned char)code[0]);
	cr_expect_eq(instruction.length, n, "%02x...: %u bytes", (unsigned char)code[0], instruction.length);
	cr_expect_eq(instruction.kind, kind, "%02x...: kind %d", (unsigned char)code[0], instruction.kind);
	cr_expect_eq(instruction.target, target, "%02x...: to %lld", (unsigned char)code[0],
		     (long long)instruction.target);
}

static void expect_none(const char *code, size_t n)
{
	struct instruction instruction;

	cr_expect_eq(instruction_decode((const uint8_t *)code, n, &instruction), -EILSEQ);
}

#define EXPECT(code, kind, target) expect(code, sizeof(code) - 1, INSTRUCTION_##kind, target)
#define EXPECT_NONE(code)	   expect_none(code, sizeof(code) - 1)

Test(instruction, nothing)
{
	EXPECT_NONE("");
}

#if defined(__x86_64__)

Test(instruction, returns)
{
	EXPECT("\xc3", RETURN, 0);
	EXPECT("\xf3\xc3", RETURN, 0);	   /* repz ret */
	EXPECT("\xf2\xc3", RETURN, 0);	   /* bnd ret */
	EXPECT("\xc2\x08\x00", RETURN, 0); /* ret 8 */
	EXPECT("\xcb", AWAY, 0);	   /* far */
	EXPECT("\x48\xcf", AWAY, 0);	   /* iretq */
}

Test(instruction, jumps)
{
	EXPECT("\xeb\x82", JUMP, -124);
	EXPECT("\xe9\x01\x02\x00\x00", JUMP, 0x206);
	EXPECT("\xf2\xe9\xf0\xff\xff\xff", JUMP, -10); /* bnd */
	EXPECT("\x76\x67", BRANCH, 0x69);
	EXPECT("\x0f\x86\x00\x01\x00\x00", BRANCH, 0x106);
	EXPECT("\x3e\x74\x10", BRANCH, 0x13); /* a hint for the processor */
	EXPECT("\xe3\x05", BRANCH, 7);	      /* jrcxz */
	EXPECT("\xe2\xfe", BRANCH, 0);	      /* loop */
	EXPECT("\xc7\xf8\x10\x00\x00\x00", BRANCH, 0x16);
	EXPECT("\xff\x24\xc5\x00\x00\x00\x00", SWITCH, 0);
	EXPECT("\xff\x24\xc8", SWITCH, 0);
	EXPECT("\x41\xff\x24\xc4", SWITCH, 0);
	EXPECT("\xff\xe0", AWAY, 0);		     /* jmp *%rax */
	EXPECT("\x3e\xff\xe0", SWITCH, 0);	     /* notrack */
	EXPECT("\xff\x25\x01\x00\x00\x00", AWAY, 0); /* by the GOT */
	EXPECT("\xff\x24\x24", AWAY, 0);	     /* jmp *(%rsp): no index */
	EXPECT("\xff\x64\x24\x08", AWAY, 0);	     /* jmp *8(%rsp) */
	EXPECT("\xff\x2c\xc8", AWAY, 0);	     /* far */
	EXPECT("\xe8\x00\x00\x00\x00", CALL, 0);
	EXPECT("\xff\xd0", CALL, 0);
}

Test(instruction, lengths)
{
	EXPECT("\x90", NOP, 0);
	EXPECT("\x0f\x1f\x44\x00\x00", NOP, 0);
	EXPECT("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", NOP, 0);
	EXPECT("\xcc", STOP, 0);
	EXPECT("\x0f\x0b", STOP, 0);
	EXPECT("\x55", OTHER, 0);
	EXPECT("\xf3\x0f\x1e\xfa", OTHER, 0);			      /* endbr64 */
	EXPECT("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", OTHER, 0); /* movabs */
	EXPECT("\xc5\xf8\x77", OTHER, 0);			      /* vzeroupper, VEX */
	EXPECT("\xc4\xe2\x7d\x78\xc0", OTHER, 0);		      /* vpbroadcastb, VEX of three bytes */
	EXPECT("\x62\xf1\x7d\x28\x6f\x07", OTHER, 0);		      /* vmovdqa32, EVEX */
	EXPECT("\xf0\x48\x0f\xb1\x0f", OTHER, 0);		      /* lock cmpxchg */
	EXPECT("\x64\x48\x8b\x04\x25\x28\x00\x00\x00", OTHER, 0);     /* of the canary */
}

static enum instruction_uprobe uprobe_of(const char *code, size_t n)
{
	struct instruction instruction;

	cr_assert(!instruction_decode((const uint8_t *)code, n, &instruction));
	cr_expect_eq(instruction.length, n);
	return instruction.uprobe;
}

static bool skipped(const char *code, size_t n)
{
	return uprobe_of(code, n) == INSTRUCTION_SKIPPED;
}

#define EXPECT_UPROBE(code, what) cr_expect_eq(uprobe_of(code, sizeof(code) - 1), INSTRUCTION_##what)

/* What the kernel mistakes for popf, a return or a far call, and what sees that it steps. */
Test(instruction, strands)
{
	EXPECT_UPROBE("\xc5\xfb\xc2\xc1\x01", STRANDS); /* vcmpltsd */
	EXPECT_UPROBE("\xc5\xfc\xc2\xc1\x01", STRANDS); /* vcmpltps */
	EXPECT_UPROBE("\xc4\xe2\xf9\x9d\xc1", STRANDS); /* vfnmadd132sd */
	EXPECT_UPROBE("\x9c", STRANDS);			/* pushf */
	EXPECT_UPROBE("\x0f\x05", STRANDS);		/* syscall */
	EXPECT_UPROBE("\x9d", RUNS);			/* popf */
	EXPECT_UPROBE("\xc3", RUNS);
	EXPECT_UPROBE("\xf2\x0f\xc2\xc1\x01", RUNS); /* cmpltsd */
	EXPECT_UPROBE("\xc5\xfb\x58\xc1", RUNS);     /* vaddsd */
}

/* What the kernel sets no breakpoint on. */
Test(instruction, unseen)
{
	EXPECT_UPROBE("\xc5\xf9\xef\xc0", UNSEEN);     /* vpxor */
	EXPECT_UPROBE("\xc5\xf9\x6e\xc7", UNSEEN);     /* vmovd */
	EXPECT_UPROBE("\xc5\xfe\x6f\x07", UNSEEN);     /* vmovdqu */
	EXPECT_UPROBE("\xc5\xf9\x2f\xc1", UNSEEN);     /* vcomisd */
	EXPECT_UPROBE("\xc4\xe2\xf9\x9a\xc1", UNSEEN); /* vfmsub132pd */
	EXPECT_UPROBE("\xf0\x48\x0f\xb1\x0f", UNSEEN); /* lock cmpxchg */
	EXPECT_UPROBE("\x3e\xff\xe0", UNSEEN);	       /* notrack jmp */
	EXPECT_UPROBE("\xcc", UNSEEN);
	EXPECT_UPROBE("\xf4", UNSEEN);		 /* hlt */
	EXPECT_UPROBE("\x66\x0f\xef\xc0", RUNS); /* pxor */
	EXPECT_UPROBE("\x66\x0f\x6e\xc7", RUNS); /* movd */
	EXPECT_UPROBE("\x66\x0f\x2f\xc1", RUNS); /* comisd */
	EXPECT_UPROBE("\xf3\x0f\x1e\xfa", RUNS); /* endbr64 */
	EXPECT_UPROBE("\xff\xe0", RUNS);
	EXPECT_UPROBE("\x64\x48\x8b\x04\x25\x28\x00\x00\x00", RUNS); /* of the canary */
}

/* Instructions that are a nop except for their prefix. */
Test(instruction, skipped)
{
	cr_expect(skipped("\x49\x90", 2)); /* xchg %r8, %rax */
	cr_expect(skipped("\x41\x90", 2)); /* xchg %r8d, %eax */
	cr_expect(!skipped("\x48\x90", 2));
	cr_expect(!skipped("\xf3\x90", 2)); /* pause */
	cr_expect(!skipped("\x48\x93", 2)); /* xchg %rbx, %rax */
	cr_expect(!skipped("\x90", 1));
	/*
	 * AVX's, with opcodes of jumps and a call: vmovdqu, vpor, vpcmpeqb, vpsubsb, vpsubsw, vpbroadcastb, and
	 * EVEX's vmovdqu64
	 */
	cr_expect(skipped("\xc5\xfe\x7f\x0f", 4));
	cr_expect(skipped("\xc5\xed\xeb\xd1", 4));
	cr_expect(skipped("\xc5\xf5\x74\xd1", 4));
	cr_expect(skipped("\xc5\xed\xe8\xd1", 4));
	cr_expect(skipped("\xc5\xed\xe9\xd1", 4));
	cr_expect(skipped("\xc4\xe2\x7d\x78\x0e", 5));
	cr_expect(skipped("\x62\xe1\xfe\x28\x7f\x07", 6));
	cr_expect(!skipped("\xc5\xf5\xfc\xc9", 4)); /* vpaddb */
	cr_expect(!skipped("\x7f\x07", 2));
}

Test(instruction, none)
{
	EXPECT_NONE("\x06");		 /* not on 64 bits */
	EXPECT_NONE("\xe8\x00\x00\x00"); /* cut */
	EXPECT_NONE("\x62\xf1");
	EXPECT_NONE("\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90"); /* longer than 15 */
}

#elif defined(__aarch64__)

Test(instruction, returns)
{
	EXPECT("\xc0\x03\x5f\xd6", RETURN, 0); /* ret */
	EXPECT("\x20\x02\x5f\xd6", RETURN, 0); /* ret x17 */
	EXPECT("\xff\x0b\x5f\xd6", RETURN, 0); /* retaa */
	EXPECT("\xff\x0f\x5f\xd6", RETURN, 0); /* retab */
	EXPECT("\xe0\x03\x9f\xd6", AWAY, 0);   /* eret */
}

Test(instruction, jumps)
{
	EXPECT("\x02\x00\x00\x14", JUMP, 8);
	EXPECT("\xff\xff\xff\x17", JUMP, -4);
	EXPECT("\x02\x00\x00\x94", CALL, 0);
	EXPECT("\x49\x00\x00\x54", BRANCH, 8);	/* b.ls */
	EXPECT("\xe0\xff\xff\xb5", BRANCH, -4); /* cbnz x0 */
	EXPECT("\x40\x00\x00\x36", BRANCH, 8);	/* tbz w0, #0 */
	EXPECT("\xe0\xff\x0f\x37", BRANCH, -4); /* tbnz w0, #1 */
	EXPECT("\x60\x03\x1f\xd6", AWAY, 0);	/* br x27 */
	EXPECT("\x60\x03\x3f\xd6", CALL, 0);	/* blr x27 */
}

Test(instruction, uprobes)
{
	EXPECT_UPROBE("\xe0\x7f\x5f\xc8", UNSEEN);  /* ldxr x0, [sp] */
	EXPECT_UPROBE("\xe1\x7f\x02\xc8", UNSEEN);  /* stxr w2, x1, [sp] */
	EXPECT_UPROBE("\x40\x00\x00\x58", STRANDS); /* ldr x0, 1f */
	EXPECT_UPROBE("\x40\x00\x00\x9c", STRANDS); /* ldr q0, 1f */
	EXPECT_UPROBE("\x40\x00\x00\xd8", UNSEEN);  /* prfm */
	EXPECT_UPROBE("\x01\x00\x00\xd4", UNSEEN);  /* svc #0 */
	EXPECT_UPROBE("\x01\x42\x1b\xd5", UNSEEN);  /* msr nzcv, x1 */
	EXPECT_UPROBE("\x41\xd0\x3b\xd5", RUNS);    /* mrs x1, tpidr_el0 */
	EXPECT_UPROBE("\x3f\x20\x03\xd5", UNSEEN);  /* yield */
	EXPECT_UPROBE("\x5f\x24\x03\xd5", RUNS);    /* bti c */
	EXPECT_UPROBE("\x3f\x23\x03\xd5", RUNS);    /* paciasp */
	EXPECT_UPROBE("\xbf\x23\x03\xd5", UNSEEN);  /* autiasp */
	EXPECT_UPROBE("\xff\x0b\x5f\xd6", UNSEEN);  /* retaa */
	EXPECT_UPROBE("\xc0\x03\x5f\xd6", RUNS);    /* ret */
	EXPECT_UPROBE("\x60\x03\x1f\xd6", RUNS);    /* br x27 */
	EXPECT_UPROBE("\x60\x03\x3f\xd6", RUNS);    /* blr x27 */
	EXPECT_UPROBE("\x3f\x08\x1f\xd6", UNSEEN);  /* braaz x1 */
	EXPECT_UPROBE("\xbf\x3b\x03\xd5", RUNS);    /* dmb ish */
}

Test(instruction, others)
{
	EXPECT("\x1f\x20\x03\xd5", NOP, 0);
	EXPECT("\x5f\x24\x03\xd5", OTHER, 0); /* bti c */
	EXPECT("\xfd\x7b\xbf\xa9", OTHER, 0); /* stp x29, x30, [sp, #-16]! */
	EXPECT("\x00\x00\x00\x00", STOP, 0);  /* udf */
	EXPECT("\x00\x00\x20\xd4", STOP, 0);  /* brk */
	EXPECT_NONE("\xc0\x03\x5f");
}

#endif
