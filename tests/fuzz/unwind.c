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

static void run(const struct cfi_machine *machine, const struct eh_frame_source *source)
{
	struct eh_frame frame = {};
	struct look look = {};
	struct cfi_fde fde;

	if (eh_frame_read(&frame, source))
		abort();
	while (eh_frame_next(&frame, &fde)) {
		if (fde.start < look.end)
			abort();
		look.last = fde.start;
		look.end = fde.end;
		cfi_run(machine, &fde, look_at_row, &look);
	}
	rules_release(&look.rules);
	eh_frame_release(&frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct eh_frame_source source = { .data = data, .part = { .size = size, .vaddr = 0x1000, .exact = true } };

	run(&cfi_x86_64, &source);
	run(&cfi_aarch64, &source);
	return 0;
}
