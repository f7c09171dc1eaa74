// SPDX-License-Identifier: BSD-2-Clause
/* Names frames of the kernel, and knows which of them are the machinery that ran our own program. */
#include "symbols_part.h"

static void name_by_address(struct symbols *symbols, struct named *named)
{
	named->frame.name = pool_addf(&symbols->strings, "0x%llx", (unsigned long long)named->key);
}

/* Neighbours in one function share their strings. */
static void name_by_place(struct symbols *symbols, struct named *named, const struct ksym_place *place,
			  const struct named *before)
{
	struct frame *frame = &named->frame;

	frame->start = place->start;
	if (before && before->frame.start == place->start) {
		frame->name = before->frame.name;
		frame->file = before->frame.file;
		return;
	}
	frame->name = pool_add(&symbols->strings, place->name);
	frame->file = place->module ? pool_add(&symbols->strings, place->module) : NULL;
}

void symbols_name_kernel(struct symbols *symbols, struct named **v, size_t n)
{
	struct named *before = NULL;
	struct ksym_place place;

	for (size_t i = 0; i < n; i++) {
		int ret;

		v[i]->done = true;
		if (symbols->options.raw || !symbols->kernel || symbols_should_stop(symbols)) {
			name_by_address(symbols, v[i]);
			continue;
		}
		ret = kernel_symbol_at(symbols->kernel, v[i]->key, &place);
		if (!ret) {
			name_by_place(symbols, v[i], &place, before);
			before = v[i];
		} else if (ret == -ENOENT) {
			v[i]->frame.name = "[unknown]";
		} else {
			name_by_address(symbols, v[i]);
			symbols_note(symbols, "kernel functions have addresses for names: %s",
				     ret == -EPERM ? "the kernel hides where they are (kptr_restrict, lockdown)"
						   : strerror(-ret));
		}
	}
}

bool symbols_is_tracer(const struct frame *frame)
{
	/* To be completed by what real stacks show. */
	static const char *const prefixes[] = { "bpf_prog_", "bpf_trace_run", "__bpf_trace_", "__traceiter_", "bpf_trampoline_" };

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (frame->kind == FRAME_KERNEL && !strncmp(frame->name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}
