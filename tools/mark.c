// SPDX-License-Identifier: BSD-2-Clause
/* mark: writes a text into the recordings that run now. Passes a USDT probe, which `sonde record` has attached. */
#include "run/run.h"

/* The kernel raises it in each process that runs this file, as long as somebody has attached. */
__attribute__((section(".probes"), used)) volatile unsigned short sonde_mark_semaphore;

__asm__(".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n"
	".popsection\n");

/* Keeps the section of the name above: a note alone does not. */
extern const char stapsdt_base __asm__("_.stapsdt.base");

/*
 * A USDT probe is a nop and a note with the place of the nop: type 3 of the owner "stapsdt" with three addresses (the
 * nop, .stapsdt.base to correct for prelinking, the semaphore) and three strings: provider, name, arguments. The
 * argument is where the first one of a function is, so that a program finds it without reading the note.
 */
#if defined(__x86_64__)
#define TEXT_REGISTER "rdi"
#define TEXT_OPERAND  "8@%%rdi"
#else
#define TEXT_REGISTER "x0"
#define TEXT_OPERAND  "8@x0"
#endif

static void pass_probe(const char *text)
{
	register const char *at __asm__(TEXT_REGISTER) = text;

	__asm__ volatile("990:	nop\n"
			 "	.pushsection .note.stapsdt, \"\", \"note\"\n"
			 "	.balign 4\n"
			 "	.4byte 992f - 991f, 994f - 993f, 3\n"
			 "991:	.asciz \"stapsdt\"\n"
			 "992:	.balign 4\n"
			 "993:	.8byte 990b\n"
			 "	.8byte _.stapsdt.base\n"
			 "	.8byte sonde_mark_semaphore\n"
			 "	.asciz \"sonde\"\n"
			 "	.asciz \"mark\"\n"
			 "	.asciz \"" TEXT_OPERAND "\"\n"
			 "994:	.balign 4\n"
			 "	.popsection\n" ::"r"(at),
			 "m"(stapsdt_base));
}

static int mark(struct run *run, struct err *err)
{
	__str struct str text = {};

	for (size_t i = 0; i < run->args.n; i++)
		str_addf(&text, "%s%s", i ? " " : "", run->args.v[i]);
	if (!text.len) {
		run->ctx.usage = true;
		return err_set(err, -EINVAL, "nothing to mark: name a text");
	}
	if (!sonde_mark_semaphore)
		return err_set(err, -ESRCH, "no recording is running ('sonde record' of this same program)");
	pass_probe(text.data);
	return 0;
}

TOOL(mark, .brief = "write a text into the recordings that run now", .args = "TEXT...", .act = mark, .unlinked = true,
     .group = GROUP_HAPPENED,
     LACKS({ "json csv", "it prints nothing" }),
     .description = "Writes a text into each recording (sonde record) that runs now on this machine, with the time. It "
		    "needs no privileges. Texts are cut after 255 bytes. Exits with 1 if nothing is recorded.",
     EXAMPLES({ "sonde mark 'requests begin'", "to find this place in the recording" }));
