// SPDX-License-Identifier: BSD-2-Clause
/* Fuzzes the reader of .eh_frame: its records and their instructions, as both architectures read them. */
#include "fuzz.h"
#include "unwind/eh_frame.h"
#include "unwind/rules.h"

struct look {
	struct rules rules;
	uint64_t last, end;
};

/* Rows come in order, and are inside the function. */
static void look_at_row(void *ctx, uint64_t vaddr, const struct unwind_rule *rule)
{
	struct look *look = ctx;

	if (vaddr < look->last || vaddr >= look->end)
		abort();
	look->last = vaddr;
	rules_number(&look->rules, rule);
}

static void run(const struct cfi_machine *machine, const struct eh_frame *frame)
{
	struct look look = {};

	for (size_t i = 0; i < frame->n; i++) {
		struct cfi_fde fde = eh_frame_fde(frame, i);

		if (fde.start < look.end)
			abort();
		look.last = fde.start;
		look.end = fde.end;
		cfi_run(machine, &fde, look_at_row, &look);
	}
	rules_release(&look.rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct binary_bytes bytes = { .data = data, .size = size, .vaddr = 0x1000, .exact = true };
	struct eh_frame frame = {};

	if (!eh_frame_read(&frame, &bytes)) {
		run(&cfi_x86_64, &frame);
		run(&cfi_aarch64, &frame);
	}
	eh_frame_release(&frame);
	return 0;
}
