// SPDX-License-Identifier: BSD-2-Clause
/* Names that stand for values: builtins in the probe that is checked, constants of enums. */
#include "checker.h"

/* `args` as a whole: a record. Where its members come from is in the arguments of the probe. */
static const struct type *check_args(struct checker *c, struct ast *ast)
{
	const struct lang_arguments *arguments = &c->probe->arguments;
	struct type_field *fields;

	if (!arguments->n) {
		check_error(c, ast->at, "%s has no arguments that are known by name", check_place_name(c));
		return type_none();
	}
	fields = pool_alloc(c->pool, arguments->n * sizeof(*fields));
	for (size_t i = 0; i < arguments->n; i++) {
		fields[i].name = arguments->v[i].name;
		fields[i].type = arguments->v[i].type;
		/* A text whose length is known when it is read. */
		if (fields[i].type->kind == TYPE_STRING && !fields[i].type->size)
			fields[i].type = type_string(c->pool, c->program->config.max_strlen);
	}
	return type_tuple(c->pool, fields, arguments->n, true);
}

/* A struct of the kernel by its name; without BTF a pointer to void. */
static const struct type *check_kernel_pointer(struct checker *c, const char *name, enum type_space space)
{
	struct err err = {};
	const struct type *of = ctypes_find(c->program->types, CTYPE_STRUCT, name, &err);

	return type_pointer(c->pool, of ? of : type_void(), space);
}

static const struct type *check_context(struct checker *c, struct ast *ast)
{
	switch (c->probe->probe->kind) {
	case PROBE_ITER:
		return c->probe->arguments.context ? type_pointer(c->pool, c->probe->arguments.context, SPACE_CONTEXT)
						   : type_pointer(c->pool, type_void(), SPACE_CONTEXT);
	case PROBE_KPROBE:
	case PROBE_KRETPROBE:
	case PROBE_UPROBE:
	case PROBE_URETPROBE:
	case PROBE_USDT:
		return check_kernel_pointer(c, "pt_regs", SPACE_CONTEXT);
	default:
		return type_pointer(c->pool, type_void(), SPACE_CONTEXT);
	}
}

static const struct type *check_retval(struct checker *c, struct ast *ast)
{
	if (c->probe->probe->kind != PROBE_FEXIT)
		return type_integer(8, false);
	if (c->probe->arguments.ret && c->probe->arguments.ret->kind != TYPE_VOID)
		return c->probe->arguments.ret;
	check_error(c, ast->at, "%s returns nothing", check_place_name(c));
	return type_none();
}

static const struct type *check_argument_n(struct checker *c, struct ast *ast)
{
	uint32_t n = strtoul(ast->name.name + 3, NULL, 10);
	const struct checked_probe *probe = c->probe;

	switch (probe->probe->kind) {
	case PROBE_USDT:
		if (n >= probe->n_usdt)
			check_error(c, ast->at, "%s has %zu argument%s: there is no arg%u", check_place_name(c),
				    probe->n_usdt, str_plural(probe->n_usdt), n);
		return type_integer(8, true);
	case PROBE_RAWTRACEPOINT:
	case PROBE_FENTRY:
	case PROBE_FEXIT:
		if (probe->arguments.v && n >= probe->arguments.n)
			check_error(c, ast->at, "%s has %zu argument%s: there is no arg%u", check_place_name(c),
				    probe->arguments.n, str_plural(probe->arguments.n), n);
		return type_integer(8, true);
	default:
#ifdef __aarch64__
		if (n >= 8)
#else
		if (n >= 6)
#endif
			check_error(c, ast->at,
				    "arg%u is not in a register on this machine: read the stack at reg(\"sp\")", n);
		return type_integer(8, true);
	}
}

static const struct type *check_stack(struct checker *c, enum type_kind kind)
{
	struct type *type = (struct type *)type_copy(c->pool, type_simple(kind));

	type->mode = c->program->config.stack_mode;
	return type;
}

static const struct type *check_cpid(struct checker *c, struct ast *ast, bool asks)
{
	if (asks) {
		check_set_bool(ast, c->options->command > 0);
		return ast->type;
	}
	if (!c->options->command)
		check_warning(c, ast->at, "cpid is 0: there is no -c, and so no child process");
	check_set_integer(ast, c->options->command, type_integer(4, false));
	return ast->type;
}

/* What probetype says: begin and end have one name. */
static const char *check_probe_type(enum lang_probe_kind kind)
{
	return kind == PROBE_BEGIN || kind == PROBE_END ? "special" : lang_probe_kind_name(kind);
}

static const struct type *check_builtin(struct checker *c, struct ast *ast, enum builtin_id id)
{
	switch (id) {
	case BUILTIN_PID:
	case BUILTIN_TID:
	case BUILTIN_PPID:
	case BUILTIN_CPU:
	case BUILTIN_NUMAID:
	case BUILTIN_RAND:
		return type_integer(4, false);
	case BUILTIN_COMM:
	case BUILTIN_PCOMM:
		return type_string(c->pool, 16);
	case BUILTIN_NCPUS:
		check_set_integer(ast, c->options->n_cpus, type_integer(8, false));
		return ast->type;
	case BUILTIN_CURTASK:
		return check_kernel_pointer(c, "task_struct", SPACE_KERNEL);
	case BUILTIN_CTX:
		return check_context(c, ast);
	case BUILTIN_ARGS:
		return check_args(c, ast);
	case BUILTIN_ARG:
		return check_argument_n(c, ast);
	case BUILTIN_SARG:
		return type_integer(8, true);
	case BUILTIN_RETVAL:
		return check_retval(c, ast);
	case BUILTIN_FUNC:
		return type_simple(TYPE_FUNCTION);
	case BUILTIN_PROBE:
		return type_simple(TYPE_PROBE);
	case BUILTIN_PROBETYPE:
		check_set_text(c, ast, check_probe_type(c->probe->probe->kind));
		return ast->type;
	case BUILTIN_KSTACK:
		return check_stack(c, TYPE_KSTACK);
	case BUILTIN_USTACK:
		return check_stack(c, TYPE_USTACK);
	case BUILTIN_USERNAME:
		return type_simple(TYPE_USER);
	case BUILTIN_CPID:
	case BUILTIN_HAS_CPID:
		return check_cpid(c, ast, id == BUILTIN_HAS_CPID);
	case BUILTIN_USERMODE:
		if (c->probe->probe->kind <= PROBE_BENCH) /* it runs in a system call of ours */
			check_set_integer(ast, 1, type_integer(1, false));
		return type_integer(1, false);
	case BUILTIN_ERRNO:
		return type_integer(4, true);
	case BUILTIN_CALLER:
		return type_simple(TYPE_KSYM);
	case BUILTIN_UCALLER:
		return type_simple(TYPE_USYM);
	default:
		return type_integer(8, false);
	}
}

/* What to use where a builtin cannot stand. */
static void check_hint_builtin(struct checker *c, const struct ast *ast, enum builtin_id id)
{
	switch (c->probe->probe->kind) {
	case PROBE_KPROBE:
		if (id == BUILTIN_ARGS)
			check_hint(c, ast->at, "arg0, arg1 ... are its arguments; fentry knows them by name");
		break;
	case PROBE_UPROBE:
	case PROBE_USDT:
		if (id == BUILTIN_ARGS)
			check_hint(c, ast->at, "arg0, arg1 ... are its arguments");
		break;
	case PROBE_KRETPROBE:
	case PROBE_URETPROBE:
		if (id == BUILTIN_ARGS || id == BUILTIN_ARG)
			check_hint(c, ast->at, "keep what you need in a map when the function begins: @a[tid] = arg0");
		break;
	case PROBE_TRACEPOINT:
		if (id == BUILTIN_ARG)
			check_hint(c, ast->at, "args.NAME is an argument of a tracepoint; -lv lists them");
		break;
	default:
		break;
	}
	if (id == BUILTIN_RETVAL)
		check_hint(c, ast->at, "a return probe has it: kretprobe, fexit or uretprobe");
}

static void check_unknown_name(struct checker *c, const struct ast *ast)
{
	struct nearest nearest;

	check_error(c, ast->at, "Unknown identifier: '%s'", ast->name.name);
	if (function_hint(ast->name.name)) {
		check_hint(c, ast->at, "%s", function_hint(ast->name.name));
		return;
	}
	nearest_init(&nearest, ast->name.name);
	builtin_offer(&nearest);
	function_offer(&nearest);
	if (nearest_name(&nearest))
		check_hint(c, ast->at, "did you mean '%s'?", nearest_name(&nearest));
}

const struct type *check_name(struct checker *c, struct ast *ast)
{
	const struct builtin *builtin = builtin_find(ast->name.name);
	const struct function *function;
	const struct type *type;
	int64_t value;

	ast->name.builtin = builtin;
	if (builtin) {
		if (!builtin->probes || builtin->probes & 1U << c->probe->probe->kind)
			return check_builtin(c, ast, builtin->id);
		check_error(c, ast->at, "%s can not be used with '%s' probes", builtin->name,
			    lang_probe_kind_name(c->probe->probe->kind));
		check_hint_builtin(c, ast, builtin->id);
		return type_none();
	}
	function = function_find(ast->name.name);
	if (function && !function->min_args) { /* `exit` is exit() */
		const char *name = ast->name.name;

		ast->kind = AST_CALL;
		memset(&ast->call, 0, sizeof(ast->call));
		ast->call.name = name;
		return check_call(c, ast);
	}
	if (function) {
		check_error(c, ast->at, "%s is a function: it needs arguments, as %s(...)", function->name,
			    function->name);
		return type_none();
	}
	if (!ctypes_find_value(c->program->types, ast->name.name, &value, &type)) {
		check_unknown_name(c, ast);
		return type_none();
	}
	check_set_integer(ast, value, type);
	return type;
}
