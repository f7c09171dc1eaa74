// SPDX-License-Identifier: BSD-2-Clause
/*
 * usdt [N]
 *
 * Passes USDT probes of the provider "house", each a known number of times, and prints "did house:PROBE COUNT" lines:
 * plain N times, places 3 N times at three places, gated N times if a tracer has raised its semaphore, else 0 times.
 * The probe args:all, which it passes N times, has arguments of each form: a register, memory, a constant, a negative
 * number: 0 ... N - 1, a million times that, -5, and the negative of the first. args:many, which it passes once, has as
 * many as a probe may have: 1 to 12.
 */
#include <stdio.h>
#include <stdlib.h>

/*
 * A USDT probe is a nop and a note with the place of the nop: type 3 of the owner "stapsdt" with three
 * addresses (the nop, .stapsdt.base to correct for prelinking, the semaphore or 0) and three strings.
 */
#define MARK_ADDR ".8byte"
#define MARK(provider, name, semaphore, args, ...) \
	__asm__ volatile("990:	nop\n" \
			 "	.pushsection .note.stapsdt, \"\", \"note\"\n" \
			 "	.balign 4\n" \
			 "	.4byte 992f - 991f, 994f - 993f, 3\n" \
			 "991:	.asciz \"stapsdt\"\n" \
			 "992:	.balign 4\n" \
			 "993:	" MARK_ADDR " 990b\n" \
			 "	" MARK_ADDR " _.stapsdt.base\n" \
			 "	" MARK_ADDR " " semaphore "\n" \
			 "	.asciz \"" provider "\"\n" \
			 "	.asciz \"" name "\"\n" \
			 "	.asciz \"" args "\"\n" \
			 "994:	.balign 4\n" \
			 "	.popsection\n" ::__VA_ARGS__)

__asm__(".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n"
	".popsection\n");

__attribute__((section(".probes"), used)) volatile unsigned short house_gated_semaphore;

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, gated = 0;

	for (int i = 0; i < n; i++) {
		volatile long in_memory = i * 1000000L;

		MARK("args", "all", "0", "-4@%0 8@%1 -1@%2 -8@%3", "r"(i), "m"(in_memory), "i"(-5), "r"(-(long)i));
		MARK("house", "plain", "0", "-4@%0", "r"(i));
		MARK("house", "places", "0", "");
		MARK("house", "places", "0", "");
		MARK("house", "places", "0", "");
		if (house_gated_semaphore) {
			MARK("house", "gated", "house_gated_semaphore", "");
			gated++;
		}
	}
	MARK("args", "many", "0", "4@%0 4@%1 4@%2 4@%3 4@%4 4@%5 4@%6 4@%7 4@%8 4@%9 4@%10 4@%11", "i"(1), "i"(2),
	     "i"(3), "i"(4), "i"(5), "i"(6), "i"(7), "i"(8), "i"(9), "i"(10), "i"(11), "r"(n ? 12 : 0));
	printf("did house:plain %d\ndid house:places %d\ndid house:gated %d\n", n, 3 * n, gated);
	return 0;
}
