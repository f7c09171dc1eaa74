// SPDX-License-Identifier: BSD-2-Clause
/* Calls: finds the function, counts its arguments, asks the file that knows it. */
#include "bpf/hist.h"
#include "check_part.h"

struct ast *check_argument(const struct ast *call, unsigned int n)
{
	struct ast *arg = call->call.args;

	while (arg && n--)
		arg = arg->next;
	return arg;
}

const char *check_text_argument(struct checker *c, struct ast *call, unsigned int n)
{
	struct ast *arg = check_argument(call, n);

	check_value(c, arg);
	check_as_text(c, arg);
	if (check_is_known_text(arg))
		return arg->text;
	if (arg->type->kind != TYPE_NONE)
		check_error(c, arg->at, "%s() expects a string literal here, '%s' provided", call->call.name,
			    check_show(c, arg->type));
	return NULL;
}

bool check_constant_argument(struct checker *c, struct ast *call, unsigned int n, int64_t *value)
{
	struct ast *arg = check_argument(call, n);
	const struct type *type = check_value(c, arg);

	if (arg->is_constant && type_is_integral(type)) {
		*value = arg->constant;
		return true;
	}
	if (type->kind != TYPE_NONE)
		check_error(c, arg->at, "%s() expects a number here that is known before the program runs",
			    call->call.name);
	return false;
}

/* Whether the call may stand in this probe, with so many arguments. */
static bool check_call_shape(struct checker *c, struct ast *ast)
{
	const struct function *function = ast->call.function;
	uint32_t n = 0;

	for (const struct ast *arg = ast->call.args; arg; arg = arg->next)
		n++;
	ast->call.n = n;
	if (n < function->min_args || n > function->max_args) {
		if (function->min_args == function->max_args)
			check_error(c, ast->at, "%s() requires %u argument%s (%u provided)", function->name,
				    function->min_args, str_plural(function->min_args), n);
		else if (n < function->min_args)
			check_error(c, ast->at, "%s() requires at least %u argument%s (%u provided)", function->name,
				    function->min_args, str_plural(function->min_args), n);
		else
			check_error(c, ast->at, "%s() takes up to %u argument%s (%u provided)", function->name,
				    function->max_args, str_plural(function->max_args), n);
		return false;
	}
	if (function->probes && !(function->probes & 1U << c->probe->probe->kind)) {
		check_error(c, ast->at, "%s can not be used with \"%s\" probes", function->name,
			    lang_probe_kind_name(c->probe->probe->kind));
		return false;
	}
	if (function->is_unsafe && !c->options->is_unsafe) {
		check_error(c, ast->at, "%s() is an unsafe function being used in safe mode", function->name);
		check_hint(c, ast->at, "--unsafe allows it");
		return false;
	}
	return true;
}

/* --- values of maps --- */

bool function_is_aggregate(const struct function *function)
{
	return function->id <= FUNCTION_TSERIES;
}

/* One for values below 0, one for each value below 2^bits, and 2^bits for each greater power of two below 2^63. */
static uint32_t check_hist_buckets(uint32_t bits)
{
	return 1 + ((64 - bits) << bits);
}

/* Exporters show the sum of the values; print() does not. */
static void add_sum(const struct checker *c, struct type *type)
{
	type->hist.has_sum = c->options->max_keys;
	type->size = (type->hist.buckets + type->hist.has_sum) * 8;
	type->align = 8;
}

static const struct type *check_hist(struct checker *c, struct ast *call, enum type_kind kind)
{
	struct type *type = (struct type *)type_copy(c->pool, type_simple(kind));
	int64_t bits = 0;

	if (kind == TYPE_QUANTILES) {
		type->hist.buckets = HIST_PRECISE_BUCKETS;
	} else {
		if (call->call.n > 1 && check_constant_argument(c, call, 1, &bits) && (bits < 0 || bits > 5)) {
			check_error(c, check_argument(call, 1)->at, "hist: bits %lld must be 0..5", (long long)bits);
			bits = 0;
		}
		type->hist.bits = bits;
		type->hist.buckets = check_hist_buckets(bits);
	}
	add_sum(c, type);
	return type;
}

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
	add_sum(c, type);
	return type;
}

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

static const struct type *check_signed_aggregate(struct checker *c, struct ast *call, enum type_kind kind)
{
	struct type *type = (struct type *)type_copy(c->pool, type_simple(kind));
	const struct ast *arg = check_argument(call, 0);

	type->is_signed = arg->type->is_signed;
	return type;
}

const struct type *check_aggregate(struct checker *c, struct ast *to, struct ast *call)
{
	static const enum type_kind kinds[] = {
		[FUNCTION_SUM] = TYPE_SUM,
		[FUNCTION_MIN] = TYPE_MIN,
		[FUNCTION_MAX] = TYPE_MAX,
		[FUNCTION_AVG] = TYPE_AVG,
		[FUNCTION_STATS] = TYPE_STATS,
		[FUNCTION_STDDEV] = TYPE_STDDEV,
	};
	uint32_t id = call->call.function->id;

	if (!check_call_shape(c, call))
		return type_none();
	if (id == FUNCTION_COUNT)
		return type_simple(TYPE_COUNT);
	if (!check_integer(c, check_argument(call, 0), pool_addf(c->pool, "the argument of %s()", call->call.name)))
		return type_none();
	switch (id) {
	case FUNCTION_HIST:
		return check_hist(c, call, TYPE_HIST);
	case FUNCTION_QUANTILES:
		return check_hist(c, call, TYPE_QUANTILES);
	case FUNCTION_LHIST:
		return check_lhist(c, call);
	case FUNCTION_TSERIES:
		return check_tseries(c, call);
	default:
		return check_signed_aggregate(c, call, kinds[id]);
	}
}

/* --- any call --- */

static void check_unknown_function(struct checker *c, const struct ast *ast)
{
	const char *hint = function_hint(ast->call.name);
	struct nearest nearest;

	check_error(c, ast->at, "Unknown function: '%s'", ast->call.name);
	if (hint) {
		check_hint(c, ast->at, "%s", hint);
		return;
	}
	nearest_init(&nearest, ast->call.name);
	function_offer(&nearest);
	if (nearest_name(&nearest))
		check_hint(c, ast->at, "did you mean '%s'?", nearest_name(&nearest));
}

static check_call_fn check_call_of(uint32_t id)
{
	if (id <= FUNCTION_PRINTA)
		return check_call_map;
	if (id <= FUNCTION_SKBOUTPUT)
		return check_call_output;
	switch (id) {
	case FUNCTION_STRNCMP:
	case FUNCTION_STRCMP:
	case FUNCTION_STRCONTAINS:
	case FUNCTION_STRLEN:
	case FUNCTION_STRCAP:
	case FUNCTION_STRSTR:
	case FUNCTION_GLOBMATCH:
	case FUNCTION_MEMCMP:
	case FUNCTION_SUBSTR:
	case FUNCTION_INDEX:
	case FUNCTION_STRTOK:
	case FUNCTION_BASENAME:
	case FUNCTION_DIRNAME:
		return check_call_text;
	case FUNCTION_REG:
	case FUNCTION_PERCPU_KADDR:
	case FUNCTION_SIGNAL:
	case FUNCTION_SIGNAL_THREAD:
	case FUNCTION_OVERRIDE:
	case FUNCTION_WRITE_USER:
	case FUNCTION_SOCKET_COOKIE:
	case FUNCTION_PROGENYOF:
	case FUNCTION_UNWATCH:
	case FUNCTION_PATH:
		return check_call_kernel;
	case FUNCTION_KADDR:
	case FUNCTION_UADDR:
	case FUNCTION_PTON:
	case FUNCTION_CGROUPID:
	case FUNCTION_GETOPT:
	case FUNCTION_IS_ARRAY:
	case FUNCTION_IS_INTEGER:
	case FUNCTION_IS_LITERAL:
	case FUNCTION_IS_PTR:
	case FUNCTION_IS_STR:
	case FUNCTION_IS_UNSIGNED:
	case FUNCTION_HAS_FIELD:
	case FUNCTION_LISTED:
	case FUNCTION_KFUNC_EXIST:
	case FUNCTION_KFUNC_ALLOWED:
	case FUNCTION_STATIC_ASSERT:
	case FUNCTION_ASSERT_STR:
	case FUNCTION_DEFAULT_STR_LENGTH:
		return check_call_compile;
	default:
		return check_call_value;
	}
}

const struct type *check_call(struct checker *c, struct ast *ast)
{
	const struct function *function = function_find(ast->call.name);
	const char *name = ast->call.name;

	if (!ast->call.args && builtin_find(name)) { /* pid() is pid */
		ast->kind = AST_NAME;
		memset(&ast->name, 0, sizeof(ast->name));
		ast->name.name = name;
		return check_name(c, ast);
	}
	ast->call.function = function;
	if (!function) {
		check_unknown_function(c, ast);
		return type_none();
	}
	if (!check_call_shape(c, ast))
		return type_none();
	if (function_is_aggregate(function)) {
		check_error(c, ast->at, "%s() must be assigned directly to a map", function->name);
		check_hint(c, ast->at, "@ = %s(%s);", function->name, function->max_args ? "x" : "");
		return type_none();
	}
	return check_call_of(function->id)(c, ast);
}
