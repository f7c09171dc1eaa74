// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzzes bcc's notation: probes, each behind a byte that says whose they are; 0xff ends a probe. What they become goes
 * all the way to instructions, and each message must be about a place of the user's text.
 */
#include "fuzz.h"
#include "lang/bcc/bcc.h"

#define PROBES_MAX 8

static void check_places(const struct lang_program *program)
{
	vec_each(message, &program->messages)
		if (message->at.source >= program->sources.n || message->at.begin > message->at.end ||
		    message->at.end > program->sources.v[message->at.source].len)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kernel *kernel;
	struct bcc_probe probes[PROBES_MAX] = {};
	struct bcc_request request = { .probes = probes };
	struct lang_options options = { .n_cpus = 4, .n_shards = 4 };
	char *texts[PROBES_MAX];
	struct lang_program *program;
	struct str shown __str = {};

	if (!kernel) {
		fuzz_make_root();
		kernel = kernel_new();
	}
	options.kernel = kernel;
	request.traces = size && *data & 1;
	request.binary = request.kernel_stack = size && *data & 2;
	while (size && request.n < PROBES_MAX) {
		bool is_hist = !request.traces && *data & 4;
		struct fuzz_piece piece;

		data++;
		size--;
		piece = fuzz_next_piece(&data, &size);
		texts[request.n] = base_strndup((const char *)piece.data, piece.size);
		probes[request.n] = (struct bcc_probe){ .text = texts[request.n], .is_hist = is_hist };
		request.n++;
	}
	program = bcc_compile(&request, &options);
	check_places(program);
	if (!program->messages.errors && !request.program)
		abort();
	lang_messages_show(&program->messages, &program->sources, true, &shown);
	fuzz_look(shown.data);
	lang_program_free(program);
	for (size_t i = 0; i < request.n; i++)
		free(texts[i]);
	return 0;
}
