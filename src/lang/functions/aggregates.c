// SPDX-License-Identifier: BSD-2-Clause
/* Values of maps: count(), sum(), hist() and so on. What adds to them is lower_aggregate.c, by the type of the map. */
#include "bpf/hist.h"
#include "lang/check/checker.h"

static const struct type *check_plain(struct checker *c, struct ast *call)
{
	struct type *type = (struct type *)type_copy(c->pool, type_simple(call->call.function->result));

	type->is_signed = call->call.args && call->call.args->type->is_signed;
	return type;
}

AGGREGATE(count, 0, 0, check_plain, .result = TYPE_COUNT);
AGGREGATE(sum, 1, 1, check_plain, .result = TYPE_SUM);
AGGREGATE(min, 1, 1, check_plain, .result = TYPE_MIN);
AGGREGATE(max, 1, 1, check_plain, .result = TYPE_MAX);
AGGREGATE(avg, 1, 1, check_plain, .result = TYPE_AVG);
AGGREGATE(stats, 1, 1, check_plain, .result = TYPE_STATS);
AGGREGATE(stddev, 1, 1, check_plain, .result = TYPE_STDDEV);

/* Exporters show the sum of the values; print() does not. */
static const struct type *with_sum(const struct checker *c, struct type *type)
{
	type->hist.has_sum = c->options->max_keys;
	type->size = (type->hist.buckets + type->hist.has_sum) * 8;
	type->align = 8;
	return type;
}

static const struct type *check_hist(struct checker *c, struct ast *call)
{
	struct type *type = (struct type *)type_copy(c->pool, type_simple(TYPE_HIST));
	int64_t bits = 0;

	if (call->call.n > 1 && check_constant_argument(c, call, 1, &bits) && (bits < 0 || bits > 5)) {
		check_error(c, check_argument(call, 1)->at, "hist: bits %lld must be 0..5", (long long)bits);
		bits = 0;
	}
	type->hist.bits = bits;
	/* One for values below 0, one for each below 2^bits, and 2^bits for each greater power of two below 2^63. */
	type->hist.buckets = 1 + ((64 - bits) << bits);
	return with_sum(c, type);
}

AGGREGATE(hist, 1, 2, check_hist);

static const struct type *check_quantiles(struct checker *c, struct ast *call)
{
	struct type *type = (struct type *)type_copy(c->pool, type_simple(TYPE_QUANTILES));

	type->hist.buckets = HIST_PRECISE_BUCKETS;
	return with_sum(c, type);
}

AGGREGATE(quantiles, 1, 1, check_quantiles);

static const struct type *check_lhist(struct checker *c, struct ast *call)
{
	struct type *type = (struct type *)type_copy(c->pool, type_simple(TYPE_LHIST));
	int64_t min = 0, max = 0, step = 0;
	uint64_t buckets;
	/* All are checked, whatever the first one gives. */
	bool has_min = check_constant_argument(c, call, 1, &min), has_max = check_constant_argument(c, call, 2, &max),
	     has_step = check_constant_argument(c, call, 3, &step);

	if (!has_min || !has_max || !has_step)
		return type_none();
	if (step <= 0 || min > max) {
		check_error(c, call->at,
			    step <= 0 ? "lhist() step must be >= 1 (%lld provided)"
				      : "lhist() min is above its max (step %lld)",
			    (long long)step);
		return type_none();
	}
	buckets = ((uint64_t)max - min + step - 1) / step + 2;
	if (buckets > 1002) {
		check_error(c, call->at, "lhist() too many buckets, must be <= 1000 (would need %llu)",
			    (unsigned long long)buckets - 2);
		return type_none();
	}
	type->hist = (struct type_hist){ .buckets = buckets, .min = min, .max = max, .step = step };
	return with_sum(c, type);
}

AGGREGATE(lhist, 4, 4, check_lhist);

static const struct type *check_tseries(struct checker *c, struct ast *call)
{
	static const struct {
		const char *name;
		enum type_kind kind;
	} kinds[] = { { "avg", TYPE_AVG }, { "sum", TYPE_SUM }, { "min", TYPE_MIN }, { "max", TYPE_MAX } };
	struct type *type = (struct type *)type_copy(c->pool, type_simple(TYPE_TSERIES));
	int64_t interval = 0, n = 0;
	const char *name = call->call.n > 3 ? check_text_argument(c, call, 3) : NULL;
	bool has_interval = check_constant_argument(c, call, 1, &interval),
	     has_n = check_constant_argument(c, call, 2, &n);

	if (c->program->config.refuses_tseries)
		check_error(c, call->at, "tseries() is refused by the config: unstable_tseries=enable allows it");
	if (c->program->config.warns_of_tseries && c->is_final)
		check_warning(c, call->at,
			      "tseries() is unstable in bpftrace; unstable_tseries=enable hides this warning");
	if (!has_interval || !has_n)
		return type_none();
	if (interval < 1 || n < 1 || n > 1000000) {
		check_error(c, call->at,
			    interval < 1 ? "tseries() interval_ns must be >= 1 (%lld provided)"
					 : "tseries() num_intervals must be from 1 to 1000000 (%lld provided)",
			    (long long)(interval < 1 ? interval : n));
		return type_none();
	}
	type->is_signed = check_argument(call, 0)->type->is_signed;
	type->hist = (struct type_hist){ .buckets = n, .interval = interval, .of = TYPE_NONE };
	for (size_t i = 0; name && i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			type->hist.of = kinds[i].kind;
	if (name && type->hist.of == TYPE_NONE)
		check_error(c, check_argument(call, 3)->at, "tseries() aggregates by avg, sum, min or max, not '%s'",
			    name);
	type->size = n * sizeof(struct lang_moment);
	type->align = 8;
	return type;
}

AGGREGATE(tseries, 3, 4, check_tseries);
