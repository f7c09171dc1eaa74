// SPDX-License-Identifier: BSD-2-Clause
/* --test and --bench: runs these probes one after the other, and says what came out. */
#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "script_instance.h"

/* A benchmark runs so long, and at least so often. */
#define BENCH_NS    (NS_PER_SEC / 10)
#define BENCH_LEAST 100

static const char *name_of(const struct script_own *own)
{
	return own->probe->attach->object;
}

static void add(struct script *script, const char *text)
{
	script_output_add(script, text, strlen(text));
}

/* --- tests --- */

/* A test passes if it returns 0, reports no error and does not exit with another status than 0. */
static bool passes(struct script *script, const struct script_own *own)
{
	struct engine_context *ctx = script->instance->ctx;
	int ret;

	script->has_failed = ctx->done = false;
	ctx->status = 0;
	script->state->exited = 0;
	script->held = true;
	ret = script_own_call(own);
	stream_take_all(script->stream);
	script->held = false;
	return !ret && !script->has_failed && !ctx->status;
}

/* What a test printed is of interest only if it failed. */
static bool test(struct script *script, const struct script_own *own)
{
	uint64_t began = clock_monotonic_ns();
	bool passed = passes(script, own);
	__free char *line = base_printf("[ %8s ] %s (%llu ms)\n", passed ? "OK" : "FAILED", name_of(own),
					(unsigned long long)((clock_monotonic_ns() - began) / NS_PER_MS));

	if (!passed)
		script_output_add(script, str_or_empty(script->kept.data), script->kept.len);
	str_reset(&script->kept);
	add(script, line);
	return passed;
}

void script_test_run(struct script *script)
{
	struct engine_context *ctx = script->instance->ctx;
	size_t n = 0, failed = 0;

	for (size_t i = 0; i < script->program->probes.n; i++) {
		const struct script_own *own = &script->probes[i].own;
		__free char *line = NULL;

		if (own->probe->kind != PROBE_TEST)
			continue;
		line = base_printf("[ RUN      ] %s\n", name_of(own));
		add(script, line);
		failed += !test(script, own);
		n++;
	}
	str_addf(&script->text, "%zu passed, %zu failed\n", n - failed, failed);
	add(script, script->text.data);
	str_reset(&script->text);
	ctx->done = true;
	ctx->status = failed > 0;
}

/* --- benchmarks --- */

static struct bpf_prog_info info_of(int program)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	bpf_prog_get_info_by_fd(program, &info, &len);
	return info;
}

/* The kernel measures the program alone, without the system call that runs it. Returns ns, or -errno. */
static int64_t measure(const struct script_own *own)
{
	__close int stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	struct bpf_prog_info before = info_of(own->program), after;
	uint64_t end = clock_monotonic_ns() + BENCH_NS;

	if (stats < 0)
		return stats;
	for (uint32_t i = 0; i < BENCH_LEAST || clock_monotonic_ns() < end; i++) {
		int ret = script_own_call(own);

		if (ret < 0)
			return ret;
	}
	after = info_of(own->program);
	if (after.run_cnt == before.run_cnt)
		return -ENODATA;
	return (after.run_time_ns - before.run_time_ns) / (after.run_cnt - before.run_cnt);
}

static void add_rule(struct str *to, int width)
{
	str_addc(to, '+');
	str_add_fill(to, '-', width + 2);
	str_add(to, "+-------------+\n");
}

void script_test_bench(struct script *script)
{
	int width = strlen("BENCHMARK");
	struct str *to = &script->text;

	for (size_t i = 0; i < script->program->probes.n; i++)
		if (script->program->probes.v[i].kind == PROBE_BENCH) {
			int len = strlen(name_of(&script->probes[i].own));

			width = len > width ? len : width;
		}
	str_add(to, "\n\n");
	add_rule(to, width);
	str_addf(to, "| %-*s | NANOSECONDS |\n", width, "BENCHMARK");
	add_rule(to, width);
	for (size_t i = 0; i < script->program->probes.n; i++)
		if (script->program->probes.v[i].kind == PROBE_BENCH)
			str_addf(to, "| %-*s | %-11lld |\n", width, name_of(&script->probes[i].own),
				 (long long)measure(&script->probes[i].own));
	add_rule(to, width);
	script_output_add(script, to->data, to->len);
	str_reset(to);
	script->instance->ctx->done = true;
}
