// SPDX-License-Identifier: BSD-2-Clause
/* -k: the user stack with which a call began, as lines below it. */
#include "engine/stacks.h"
#include "strace_part.h"

/*
 * file(symbol+0xoff) [0xaddress], the address as the file has it. Frames have addresses within the calling instruction;
 * strace prints those behind it.
 */
static void add_frame(struct str *out, const struct frame *frame)
{
	uint64_t address = frame->address + 1;
	const char *file = frame->file ? frame->file : frame_name(frame);
	bool named = frame->file && frame->start && address > frame->start && !strstr(frame->name, "+fn@");

	str_add(out, " > ");
	str_add_shown(out, file, strlen(file));
	if (frame->kind != FRAME_MARK) {
		str_addc(out, '(');
		if (named) {
			str_add_shown(out, frame->name, strlen(frame->name));
			str_addf(out, "+%#llx", (unsigned long long)(address - frame->start));
		}
		str_addf(out, ") [%#llx]", (unsigned long long)address);
	}
	str_addc(out, '\n');
}

void strace_stack(struct str *out, struct stacks *stacks, uint64_t id)
{
	struct stacks_named named = {};

	if (!stacks || !id)
		return;
	if (!stacks_find(stacks, id, &named)) {
		str_add(out, " > [lost]\n");
		return;
	}
	for (size_t i = 0; i < named.user.n; i++)
		add_frame(out, named.user.frames[i]);
}
