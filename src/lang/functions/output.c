// SPDX-License-Identifier: BSD-2-Clause
/* What user space carries out: printf() and its kin, time(), join(), exit(). */
#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

#define MANY 255

static const struct type *check_printf(struct checker *c, struct ast *call)
{
	const char *format = check_text_argument(c, call, 0);
	struct ast *args = call->call.args->next;
	struct lang_site *site;

	if (!format)
		return type_void();
	check_format(c, call, format, args);
	site = check_site_new(c, call->call.function->site, call);
	if (site) {
		size_t len = strlen(format);

		site->format = format;
		site->has_newline = len && format[len - 1] == '\n';
		check_site_arguments(c, site, args);
	}
	return type_void();
}

static struct low_value lower_printf(struct lower *l, struct ast *call)
{
	lower_record(l, call->call.site, call->call.args->next);
	return lower_nothing(l, call);
}

FUNCTION(printf, 1, MANY, check_printf, lower_printf, .is_statement = true, .site = SITE_PRINTF,
	 .map = { .is_unused = true });
FUNCTION(errorf, 1, MANY, check_printf, lower_printf, .is_statement = true, .site = SITE_ERRORF);
FUNCTION(warnf, 1, MANY, check_printf, lower_printf, .is_statement = true, .site = SITE_WARNF);
FUNCTION(cat, 1, MANY, check_printf, lower_printf, .is_statement = true, .site = SITE_CAT);
FUNCTION(system, 1, MANY, check_printf, lower_printf, .is_statement = true, .is_unsafe = true, .site = SITE_SYSTEM);

/* The text of fail(), whose arguments are constants. */
static void check_fail_text(struct checker *c, struct str *text, const char *format, const struct ast *arg)
{
	while (*format) {
		const char *percent = strchr(format, '%');
		size_t skip;

		if (!percent || !percent[1]) {
			str_add(text, format);
			return;
		}
		str_addn(text, format, percent - format);
		skip = 1 + strcspn(percent + 1, "diuxXopcsr%");
		format = percent + skip + (percent[skip] != 0);
		if (percent[skip] == '%') {
			str_addc(text, '%');
			continue;
		}
		if (arg && check_is_known_text(arg) && percent[skip] == 's')
			str_add(text, arg->text);
		else if (arg && arg->is_constant && strchr("xXp", percent[skip]))
			str_addf(text, "%llx", (unsigned long long)arg->constant);
		else if (arg && arg->is_constant)
			str_addf(text, "%lld", (long long)arg->constant);
		arg = arg ? arg->next : NULL;
	}
}

static const struct type *check_fail(struct checker *c, struct ast *call)
{
	const char *format = check_text_argument(c, call, 0);
	__str struct str text = {};

	if (!format)
		return type_void();
	check_format(c, call, format, call->call.args->next);
	for (const struct ast *arg = call->call.args->next; arg; arg = arg->next)
		if (!arg->is_constant && arg->type->kind != TYPE_NONE) {
			check_error(c, arg->at, "fail() arguments need to be literals");
			return type_void();
		}
	check_fail_text(c, &text, format, call->call.args->next);
	if (!c->dead)
		check_error(c, call->at, "%s", str_or_empty(text.data));
	return type_void();
}

FUNCTION(fail, 1, MANY, check_fail, lower_nothing, .is_statement = true);

static struct ast *check_new_call(struct checker *c, const char *name, struct span at, struct ast *args)
{
	struct ast *statement = pool_alloc(c->pool, 2 * sizeof(*statement)), *call = statement + 1;

	call->kind = AST_CALL;
	call->at = at;
	call->call.name = name;
	call->call.args = args;
	statement->kind = AST_EXPRESSION;
	statement->at = at;
	statement->unary.operand = call;
	return statement;
}

/* assert(x, text) becomes { if (!x) { errorf("assert failed: " text); exit(1) } }. */
static const struct type *check_assert(struct checker *c, struct ast *call)
{
	struct ast *nodes = pool_alloc(c->pool, 5 * sizeof(*nodes));
	struct ast *condition = call->call.args, *text = condition->next, *then;

	condition->next = NULL;
	if (!text) {
		text = &nodes[0];
		*text = (struct ast){ .kind = AST_STRING, .at = call->at, .string = { .text = "assert failed" } };
	} else if (text->kind == AST_STRING) {
		text->string.text = pool_addf(c->pool, "assert failed: %s", text->string.text);
	}
	nodes[1] = (struct ast){ .kind = AST_INTEGER, .at = call->at, .integer = { .value = 1 } };
	nodes[2] = (struct ast){ .kind = AST_UNARY, .at = condition->at };
	nodes[2].unary.op = OP_NOT;
	nodes[2].unary.operand = condition;
	then = &nodes[3];
	then->kind = AST_BLOCK;
	then->at = call->at;
	then->block.first = check_new_call(c, "errorf", call->at, text);
	then->block.first->next = check_new_call(c, "exit", call->at, &nodes[1]);
	nodes[4] = (struct ast){ .kind = AST_IF, .at = call->at };
	nodes[4].branch.condition = &nodes[2];
	nodes[4].branch.then = then;
	call->kind = AST_BLOCK;
	memset(&call->block, 0, sizeof(call->block));
	call->block.first = &nodes[4];
	return check_expression(c, call);
}

FUNCTION(assert, 1, 2, check_assert, lower_nothing, .is_statement = true);

static const struct type *check_time(struct checker *c, struct ast *call)
{
	const char *format = call->call.args ? check_text_argument(c, call, 0) : "%H:%M:%S\n";
	struct lang_site *site = check_site_new(c, SITE_TIME, call);

	if (site)
		site->format = format;
	return type_void();
}

static struct low_value lower_time(struct lower *l, struct ast *call)
{
	lower_record(l, call->call.site, NULL);
	return lower_nothing(l, call);
}

FUNCTION(time, 0, 1, check_time, lower_time, .is_statement = true);

#define JOIN_MAX (16 * 1024)

static const struct type *check_join_call(struct checker *c, struct ast *call)
{
	struct ast *arg = call->call.args;
	const struct type *type = check_value(c, arg);
	const char *separator = call->call.n > 1 ? check_text_argument(c, call, 1) : " ";
	struct lang_site *site;

	if (type->kind != TYPE_NONE && !type_is_scalar(type))
		check_error(c, arg->at, "join() expects a pointer to strings, not '%s'", check_show(c, type));
	site = check_site_new(c, SITE_JOIN, call);
	if (site) {
		struct ast joined = { .type = type_buffer(c->pool, JOIN_MAX) };

		site->format = separator;
		check_site_arguments(c, site, &joined);
	}
	return type_void();
}

FUNCTION(join, 1, 2, check_join_call, lower_join, .is_statement = true);

static const struct type *check_exit(struct checker *c, struct ast *call)
{
	struct ast *status = call->call.args;

	if (status && !check_integer(c, status, "the status of exit()"))
		return type_void();
	check_site_arguments(c, check_site_new(c, SITE_EXIT, call), status);
	return type_void();
}

/* exit(): programs that start from now on do nothing, and this one ends. */
static struct low_value lower_exit_call(struct lower *l, struct ast *call)
{
	struct ir_value state;

	lower_record(l, call->call.site, call->call.args);
	state = ir_address(&l->b, IR_DATA, LANG_DATA_STATE, 0);
	ir_store(&l->b, 64, state, offsetof(struct lang_state, exited), ir_imm(1));
	if (l->f->outer) {
		struct low_memory at = lower_shared(l, SHARED_RETURNED);

		lower_store(l, &at, 64, ir_imm(1));
		l->f->may_return = true;
		ir_move(&l->b, l->f->result, ir_imm(1));
	}
	lower_exit(l);
	lower_at(l, ir_new_block(&l->b)); /* nothing comes here */
	return lower_nothing(l, call);
}

FUNCTION(exit, 0, 1, check_exit, lower_exit_call, .is_statement = true);

static const struct type *check_skboutput(struct checker *c, struct ast *call)
{
	const char *path = check_text_argument(c, call, 0);
	struct lang_site *site;

	check_value(c, check_argument(call, 1));
	check_integer(c, check_argument(call, 2), "the length of skboutput()");
	check_integer(c, check_argument(call, 3), "the offset of skboutput()");
	site = check_site_new(c, SITE_SKBOUTPUT, call);
	if (site)
		site->format = path;
	return type_integer(8, true);
}

FUNCTION(skboutput, 4, 4, check_skboutput, lower_instead, .is_statement = true, .probes = IN(FENTRY) | IN(FEXIT),
	 .instead = "printf(\"%r\\n\", buf(skb->data, 64)) shows the bytes of a packet");
