// SPDX-License-Identifier: BSD-2-Clause
/*
 * debugf(format, ...): writes to the kernel's trace pipe (/sys/kernel/tracing/trace_pipe) at once, whether user space
 * reads or not. The kernel formats: numbers, as 64 bits, and texts. Before Linux 5.16 it takes three arguments, one text
 * among them, and neither flags nor widths (Documentation of bpf_trace_printk() in bpf-helpers(7)).
 */
#include <linux/bpf.h>

#include "lang/check/checker.h"
#include "lang/lower/lowering.h"

#define ARGS_OLD 3
#define ARGS_MAX 12

/* A specifier of a format. */
struct specifier {
	const char *begin, *end; /* "%-5ld" */
	uint32_t flags;		 /* characters of flags and width behind the '%' */
	char conversion;	 /* '%': it stands for itself */
};

/* The next specifier of a checked format; false: there is none. is_left: an argument is left for it. */
static bool next_specifier(const char **p, bool is_left, struct specifier *found)
{
	const char *at = strchr(*p, '%');

	if (!at)
		return false;
	*found = (struct specifier){ .begin = at, .conversion = '%' };
	at++;
	if (*at == '%') {
		at++;
	} else if (is_left ? !lang_format_is_plain(at) : !lang_format_is_plain_without(at)) {
		found->flags = strspn(at, "-+ #0123456789.$'");
		at += found->flags;
		at += strspn(at, "hljztL");
		found->conversion = *at;
		at += *at != 0;
	}
	found->end = *p = at;
	return true;
}

/* The argument of a specifier: a text, which may have to be made of a pointer or a place, or a number. */
static void check_one(struct checker *c, struct ast *call, uint32_t n, char conversion)
{
	struct ast *arg = check_argument(call, n);

	if (!arg) /* reported */
		return;
	if (conversion == 's')
		check_text(c, call, n);
	else if (arg->type->kind != TYPE_NONE && !type_is_scalar(arg->type))
		check_error(c, arg->at, "debugf() prints numbers and texts, which the kernel can format, not '%s'",
			    check_show(c, arg->type));
}

static void check_number(struct checker *c, const struct ast *call, uint32_t n, uint32_t n_texts)
{
	bool is_old = !c->options->features.trace_vprintk;

	if (n > ARGS_MAX || (is_old && n > ARGS_OLD))
		check_error(c, call->at, "debugf() takes up to %d arguments behind the format%s", is_old ? ARGS_OLD : ARGS_MAX,
			    is_old ? " on this kernel (Linux 5.16 takes 12)" : "");
	else if (is_old && n_texts > 1)
		check_error(c, call->at, "debugf() takes one text on this kernel (Linux 5.16 takes more)");
}

static void check_specifiers(struct checker *c, struct ast *call, const char *format)
{
	bool is_old = !c->options->features.trace_vprintk;
	const char *known = is_old ? "diuxps" : "diuxXps%";
	uint32_t n = 0, n_texts = 0;
	struct specifier s;

	while (next_specifier(&format, n + 1 < call->call.n, &s)) {
		if (!s.conversion || !strchr(known, s.conversion) || memchr(s.begin, '$', s.end - s.begin) ||
		    (s.flags && is_old)) {
			check_error(c, call->call.args->at, "debugf(): this kernel does not format '%.*s': it knows %s",
				    (int)(s.end - s.begin), s.begin,
				    is_old ? "%d, %u, %x, %p and %s, without a width" : "%d, %u, %x, %X, %p and %s");
			return;
		}
		if (s.conversion != '%')
			check_one(c, call, ++n, s.conversion);
		n_texts += s.conversion == 's';
	}
	check_number(c, call, n, n_texts);
}

static const struct type *check_debugf(struct checker *c, struct ast *call)
{
	const char *format = check_text_argument(c, call, 0);
	size_t errors = c->program->messages.errors;

	if (!format)
		return type_void();
	check_format(c, call, format, call->call.args->next);
	if (c->program->messages.errors == errors)
		check_specifiers(c, call, format);
	if (c->is_final && c->program->messages.errors == errors)
		check_warning(c, call->at,
			      "debugf() writes to the kernel's trace pipe, which all its users share: use it to debug, and "
			      "printf() otherwise");
	return type_void();
}

/* The format as the kernel takes it: each number has 64 bits, and it ends the line itself. */
static const char *kernel_format(struct lower *l, const char *format, uint32_t n)
{
	__str struct str text = {};
	struct specifier s;
	const char *at = format;

	while (next_specifier(&format, n > 0, &s)) {
		str_addn(&text, at, s.begin - at);
		at = s.end;
		n -= s.conversion != '%';
		if (s.conversion == '%')
			str_add(&text, "%%");
		else if (s.conversion == 'p')
			str_add(&text, "0x%llx");
		else if (s.conversion == 's')
			str_addf(&text, "%.*ss", (int)s.flags + 1, s.begin);
		else
			str_addf(&text, "%.*sll%c", (int)s.flags + 1, s.begin, s.conversion);
	}
	str_add(&text, at);
	if (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = 0;
	return pool_add(&l->program->pool, str_or_empty(text.data));
}

/* The format in memory, and its bytes with the NUL. */
static struct ir_value format_address(struct lower *l, const char *format, uint32_t *size)
{
	struct type *type = (struct type *)type_string(&l->program->pool, strlen(format) + 1);
	struct low_value text = { .kind = LOW_LITERAL, .type = type, .text = format, .len = strlen(format) };
	struct low_memory place = lower_place(l, &text, type);

	*size = type->size;
	return lower_address(l, &place);
}

/* A number, or the address of a text. */
static struct ir_value argument_word(struct lower *l, struct ast *arg)
{
	struct low_value value = lower_expression(l, arg);
	struct low_memory place;

	if (!check_is_text(arg->type))
		return lower_use(l, &value);
	place = lower_place(l, &value, arg->type);
	return lower_address(l, &place);
}

static struct low_value lower_debugf(struct lower *l, struct ast *call)
{
	const struct ast *written = call->call.args;
	const char *format = kernel_format(l, written->text ? written->text : written->string.text, call->call.n - 1);
	struct ir_value words[ARGS_MAX], address;
	uint32_t n = 0, size;

	l->program->debugs = true;
	for (struct ast *arg = call->call.args->next; arg && n < ARGS_MAX; arg = arg->next)
		words[n++] = argument_word(l, arg);
	address = format_address(l, format, &size);
	if (n > ARGS_OLD) {
		struct low_memory all = lower_temp(l, 8 * n);

		for (uint32_t i = 0; i < n; i++) {
			struct low_memory word = lower_behind(all, 8 * i);

			lower_store(l, &word, 64, words[i]);
		}
		lower_helper(l, BPF_FUNC_trace_vprintk, 4, address, ir_imm(size), lower_address(l, &all), ir_imm(8 * n));
		return lower_nothing(l, call);
	}
	while (n < ARGS_OLD)
		words[n++] = ir_imm(0);
	lower_helper(l, BPF_FUNC_trace_printk, 5, address, ir_imm(size), words[0], words[1], words[2]);
	return lower_nothing(l, call);
}

FUNCTION(debugf, 1, 255, check_debugf, lower_debugf, .is_statement = true, .map = { .is_unused = true });
