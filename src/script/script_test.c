// SPDX-License-Identifier: BSD-2-Clause
/* --test and --bench: runs these probes one after the other, and says what came out. */
#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "script_part.h"

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
	script->loaded.state->exited = 0;
	script->held = true;
	ret = script_own_call(own);
	script_take_all(script);
	script->held = false;
	return !ret && !script->has_failed && !ctx->status;
}

/* What a test printed is of interest only if it failed. */
static bool test(struct script *script, const struct script_own *own)
{
	uint64_t began = clock_monotonic_ns();
	bool passed = passes(script, own);
	__free char *line = base_printf("[%s] %s (%llu μs)\n", passed ? "       OK " : "  FAILED  ", name_of(own),
					(unsigned long long)((clock_monotonic_ns() - began) / 1000));

	if (!passed)
		script_output_add(script, str_or_empty(script->kept.data), script->kept.len);
	str_reset(&script->kept);
	add(script, line);
	return passed;
}

static void add_results(struct str *to, size_t n, size_t n_failed, const struct str *failed)
{
	size_t n_passed = n - n_failed;

	str_addf(to, "[==========] %zu test%s ran.\n", n, str_plural(n));
	str_addf(to, "[  PASSED  ] %zu test%s.\n", n_passed, str_plural(n_passed));
	if (n_failed)
		str_addf(to, "[  FAILED  ] %zu test%s, listed below:\n%s", n_failed, str_plural(n_failed),
			 failed->data);
}

/* The words are those of bpftrace, which has them from GoogleTest. */
void script_test_run(struct script *script)
{
	struct engine_context *ctx = script->instance->ctx;
	size_t n = 0, n_failed = 0;
	__str struct str failed = {};

	vec_each(probe, &script->program->probes)
		n += probe->kind == PROBE_TEST;
	str_addf(&script->text, "[==========] Running %zu test%s.\n", n, str_plural(n));
	for (size_t i = 0; i < script->program->probes.n; i++) {
		const struct script_own *own = &script->probes[i].own;

		if (own->probe->kind != PROBE_TEST)
			continue;
		str_addf(&script->text, "[ RUN      ] %s\n", name_of(own));
		script_output_text(script);
		if (!test(script, own)) {
			str_addf(&failed, "[  FAILED  ] %s\n", name_of(own));
			n_failed++;
		}
	}
	add_results(&script->text, n, n_failed, &failed);
	script_output_text(script);
	ctx->done = true;
	ctx->status = n_failed > 0;
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
