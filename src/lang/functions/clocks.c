// SPDX-License-Identifier: BSD-2-Clause
/* Times. */
#include <linux/bpf.h>

#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

static const struct type *check_nsecs(struct checker *c, struct ast *call)
{
	static const char *const clocks[] = { "boot", "monotonic", "tai", "sw_tai" };
	int clock = check_word(c, call, clocks, ARRAY_SIZE(clocks));

	if (clock == LANG_CLOCK_TAI && !c->options->features.tai) {
		check_error(c, call->at, "this kernel cannot read the TAI clock in programs (Linux 6.1 can)");
		check_hint(c, call->at, "nsecs(sw_tai) is nearly the same");
	}
	return type_integer(8, false);
}

/* The clock that nsecs(WORD) reads. */
static enum lang_clock clock_of(const struct ast *call)
{
	const char *name = call->call.args->name.name;

	return !strcmp(name, "monotonic") ? LANG_CLOCK_MONOTONIC : !strcmp(name, "tai") ? LANG_CLOCK_TAI
							   : !strcmp(name, "sw_tai")	? LANG_CLOCK_SW_TAI
											: LANG_CLOCK_BOOT;
}

static struct low_value lower_nsecs(struct lower *l, struct ast *call)
{
	enum lang_clock clock = clock_of(call);

	if (clock == LANG_CLOCK_MONOTONIC)
		return lower_scalar(lower_helper(l, BPF_FUNC_ktime_get_ns, 0), call->type);
	if (clock == LANG_CLOCK_TAI && l->options->features.tai)
		return lower_scalar(lower_library(l, LANG_FN_time_tai, 0), call->type);
	if (clock != LANG_CLOCK_BOOT)
		return lower_scalar(lower_wall_clock(l), call->type);
	return lower_scalar(lower_helper(l, BPF_FUNC_ktime_get_boot_ns, 0), call->type);
}

FUNCTION(nsecs, 0, 1, check_nsecs, lower_nsecs);

static struct ir_value now(struct lower *l)
{
	return lower_helper(l, BPF_FUNC_ktime_get_boot_ns, 0);
}

static struct low_value lower_now(struct lower *l, struct ast *ast)
{
	return lower_scalar(now(l), ast->type);
}

BUILTIN(nsecs, check_uint64, lower_now);

static struct low_value lower_elapsed(struct lower *l, struct ast *ast)
{
	struct ir_value end = now(l), state = ir_address(&l->b, IR_DATA, LANG_DATA_STATE, 0);
	struct ir_value begin = ir_load(&l->b, 64, false, state, offsetof(struct lang_state, began));

	return lower_scalar(ir_binary(&l->b, IR_SUB, end, begin), ast->type);
}

BUILTIN(elapsed, check_uint64, lower_elapsed);

static struct low_value lower_jiffies(struct lower *l, struct ast *ast)
{
	return lower_scalar(lower_helper(l, BPF_FUNC_jiffies64, 0), ast->type);
}

BUILTIN(jiffies, check_uint64, lower_jiffies);

static const struct type *check_strftime(struct checker *c, struct ast *call)
{
	const char *format = check_text_argument(c, call, 0);

	check_integer(c, check_argument(call, 1), "the time");
	return format ? check_with_text(c, TYPE_TIME, format) : type_none();
}

/* struct lang_time: the time with the clock that it is of. */
static struct low_value lower_strftime(struct lower *l, struct ast *call)
{
	struct low_memory to = lower_temp(l, sizeof(struct lang_time)), clock = lower_behind(to, 8);
	struct ast *time = call->call.args->next;
	bool is_read = time->kind == AST_CALL && time->call.function->lower == lower_nsecs;

	lower_store(l, &to, 64, lower_number(l, time));
	lower_store(l, &clock, 64, ir_imm(is_read ? clock_of(time) : LANG_CLOCK_BOOT));
	return lower_at_memory(to, call->type);
}

FUNCTION(strftime, 2, 2, check_strftime, lower_strftime);
