// SPDX-License-Identifier: BSD-2-Clause
/* [INTERVAL [COUNT]] or [DURATION] in the place of --interval and --duration. */
#include "interval.h"

int interval_parse(struct engine_instance *instance, struct err *err)
{
	const char *const *args = instance->args.v;
	struct engine_context *ctx = instance->ctx;
	uint64_t count;

	if (instance->args.n > 2)
		return engine_unexpected(instance, args[2], err);
	if (instance->args.n && ctx->interval)
		return err_set(err, -EINVAL, "the interval is given twice: by --interval and as '%s'", args[0]);
	if (instance->args.n > 1 && ctx->duration)
		return err_set(err, -EINVAL, "the end is given twice: by --duration and as '%s' tables", args[1]);
	if (instance->args.n && opt_seconds(args[0], &ctx->interval))
		return err_set(err, -EINVAL, "'%s' is not an interval in seconds", args[0]);
	if (instance->args.n < 2)
		return 0;
	if (opt_u64(args[1], &count) || !count || count > UINT32_MAX)
		return err_set(err, -EINVAL, "'%s' is not a number of tables", args[1]);
	if (ctx->interval > UINT64_MAX / count)
		return err_set(err, -EINVAL, "%s intervals of %s are too long", args[1], args[0]);
	ctx->duration = ctx->interval * count;
	return 0;
}

int interval_parse_duration(struct engine_instance *instance, struct err *err)
{
	const char *const *args = instance->args.v;
	struct engine_context *ctx = instance->ctx;

	if (instance->args.n > 1)
		return engine_unexpected(instance, args[1], err);
	if (instance->args.n && ctx->duration)
		return err_set(err, -EINVAL, "the duration is given twice: by --duration and as '%s'", args[0]);
	if (instance->args.n && opt_seconds(args[0], &ctx->duration))
		return err_set(err, -EINVAL, "'%s' is not a duration in seconds", args[0]);
	return 0;
}
