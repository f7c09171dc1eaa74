/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes random programs in the language that the checker accepts. What a program reads is in maps without keys, which
 * a test fills: @i0 to @i7, an integer of each size and sign, @b and the texts @s0 and @s1. Results are in @r0 to @r7,
 * @q0, @q1, @t and in the hashes @h0 to @h2. $1 to $7 are random_parameters. The
 * first probe gives each map its type and is not meant to run.
 *
 * Loops end after a few turns, and every order of evaluation that matters is that of the text.
 */
#ifndef SONDE_TESTS_LANG_PROGRAM_RANDOM_H
#define SONDE_TESTS_LANG_PROGRAM_RANDOM_H

#include "base/str.h"
#include "tests/lang/ir_random.h"

/* The kernel clears all entries of a hash when it makes it: of the usual 4,096, that is most of a program's time. */
#define RANDOM_KEYS 256

struct random_text {
	struct random_ir r; /* only its numbers */
	struct str *to;
	uint32_t n_ints, n_texts; /* variables that are known here: $v0 ..., $x0 ... */
	uint32_t n_names;	  /* loop variables so far */
	uint32_t budget;	  /* nodes that may still be written */
	uint32_t loops;		  /* around this place */
	bool in_function;	  /* of a loop that may become one */
	bool all;		  /* also what only the kernel knows: such programs are loaded, not evaluated */
	bool has_loops;		  /* the kernel has bpf_loop() */
};

static const char *const random_types[] = { "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64" };

static inline uint32_t text_below(struct random_text *t, uint32_t n)
{
	return random_below(&t->r, n);
}

static inline bool text_chance(struct random_text *t, uint32_t n)
{
	return !text_below(t, n);
}

static inline const char *text_type(struct random_text *t)
{
	return random_types[text_below(t, ARRAY_SIZE(random_types))];
}

static inline void text_int(struct random_text *t, uint32_t depth);
static inline void text_string(struct random_text *t, uint32_t depth);
static inline void text_bool(struct random_text *t, uint32_t depth);

/* What a program is given: numbers of each size, which are constants as literals are. */
static const char *const random_parameters[] = { "5", "-3", "0", "200", "-40000", "3000000000", "9223372036854775807" };

static inline void text_literal(struct random_text *t)
{
	int64_t v = random_number(&t->r);

	if (text_chance(t, 6)) {
		str_addf(t->to, "$%u", 1 + text_below(t, ARRAY_SIZE(random_parameters)));
		return;
	}
	if (text_chance(t, 30)) {
		str_add(t->to, "kaddr(\"vfs_read\")");
		return;
	}
	if (text_chance(t, 2))
		v = (int64_t)text_below(t, 20) - 4;
	if (v < 0 && text_chance(t, 4))
		str_addf(t->to, "%llu", (unsigned long long)v);
	else if (v == INT64_MIN)
		str_add(t->to, "(-9223372036854775807 - 1)");
	else
		str_addf(t->to, v < 0 ? "(%lld)" : "%lld", (long long)v);
}

static inline void text_string_literal(struct random_text *t, uint32_t max)
{
	uint32_t n = text_below(t, max + 1);

	str_addc(t->to, '"');
	while (n--)
		str_addc(t->to, "ab/c"[text_below(t, 4)]);
	str_addc(t->to, '"');
}

/* --- what only the kernel knows --- */

static inline void text_kernel_int(struct random_text *t)
{
	static const char *const names[] = {
		"pid", "tid", "uid", "gid", "nsecs", "cpu", "elapsed", "rand", "ncpus", "cgroup", "arg0", "arg1",
		"arg2", "(uint64)curtask", "jiffies", "ppid", "numaid", "curtask->pid", "curtask->flags",
		"curtask->real_parent->tgid", "((struct file *)arg0)->f_flags", "*(uint32 *)arg1",
		"((uint16 *)arg1)[3]", "@c[pid]", "(uint64)strlen(str(arg1, 32))", "curtask->in_execve"
	};

	str_add(t->to, names[text_below(t, ARRAY_SIZE(names))]);
}

static inline void text_kernel_string(struct random_text *t, uint32_t depth)
{
	static const char *const names[] = { "comm", "pcomm", "str(arg1, 16)", "str(arg1, 64)", "curtask->comm",
					     "str(((struct file *)arg0)->f_path.dentry->d_name.name)" };

	if (text_chance(t, 3)) {
		str_add(t->to, "str(arg1, ");
		text_int(t, depth);
		str_addc(t->to, ')');
	} else {
		str_add(t->to, names[text_below(t, ARRAY_SIZE(names))]);
	}
}

/* --- expressions --- */

static inline void text_call_int(struct random_text *t, uint32_t depth)
{
	static const char *const two[] = { "index", "strstr", "strcontains" };
	static const char *const parts[] = { "uint16", "uint32", "uint64" };
	uint32_t which = text_below(t, 6);

	if (which == 0) {
		str_add(t->to, "(int64)strlen(");
		text_string(t, depth);
	} else if (which == 1) {
		str_addf(t->to, "bswap((%s)(", parts[text_below(t, 3)]);
		text_int(t, depth);
		str_addc(t->to, ')');
	} else if (which == 2) {
		str_addf(t->to, "sizeof(%s", text_type(t));
	} else if (which == 3) {
		str_add(t->to, "(int8)has_key(@h0, ");
		text_int(t, depth);
	} else {
		str_addf(t->to, "(int16)%s(", two[text_below(t, 3)]);
		text_string(t, 0);
		str_add(t->to, ", ");
		text_string_literal(t, 10);
	}
	str_addc(t->to, ')');
}

static inline void text_int_leaf(struct random_text *t)
{
	switch (text_below(t, 7)) {
	case 0:
		text_literal(t);
		break;
	case 1:
		str_addf(t->to, "@r%u", text_below(t, 8));
		break;
	case 2:
		str_add(t->to, text_chance(t, 2) ? "@t.0" : "@t.2");
		break;
	case 3:
		if (t->all) {
			text_kernel_int(t);
			break;
		} /* fall through */
	case 4:
		if (t->n_ints) {
			str_addf(t->to, "$v%u", text_below(t, t->n_ints));
			break;
		} /* fall through */
	default:
		str_addf(t->to, "@i%u", text_below(t, 8));
	}
}

/* Array elements, entries of hashes, assignments whose value is used. */
static inline void text_int_rest(struct random_text *t, uint32_t depth)
{
	switch (text_below(t, 5)) {
	case 0:
		str_add(t->to, "((uint8[8])(uint64)(");
		text_int(t, depth);
		str_addf(t->to, "))[%u]", text_below(t, 8));
		break;
	case 1:
		str_add(t->to, "@h0[");
		text_int(t, depth);
		str_addc(t->to, ']');
		break;
	case 2:
		str_add(t->to, "@h2[");
		text_int(t, depth);
		str_add(t->to, ", ");
		text_string(t, 0);
		str_addf(t->to, "].%u", text_below(t, 2) * 2);
		break;
	case 3:
		if (t->n_ints) {
			str_addf(t->to, text_chance(t, 2) ? "$v%u++" : "--$v%u", text_below(t, t->n_ints));
			break;
		} /* fall through */
	default:
		str_addf(t->to, text_chance(t, 2) ? "@r%u++" : "++@r%u", text_below(t, 8));
	}
}

static inline void text_int_ternary(struct random_text *t, uint32_t depth)
{
	text_bool(t, depth);
	str_add(t->to, " ? ");
	text_int(t, depth);
	str_add(t->to, " : ");
	text_int(t, depth);
}

static inline void text_int(struct random_text *t, uint32_t depth)
{
	static const char *const operators[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>" };
	static const char *const unary[] = { "-", "~" };

	if (!depth || !t->budget) {
		text_int_leaf(t);
		return;
	}
	t->budget--;
	depth--;
	str_addc(t->to, '(');
	switch (text_below(t, 8)) {
	case 0:
		str_addf(t->to, "(%s)", text_type(t));
		text_int(t, depth);
		break;
	case 1:
		str_add(t->to, unary[text_below(t, 2)]);
		text_int(t, depth);
		break;
	case 2:
		text_int_ternary(t, depth);
		break;
	case 3:
		text_call_int(t, depth);
		break;
	case 4:
		text_int_rest(t, depth);
		break;
	default:
		text_int(t, depth);
		str_addf(t->to, " %s ", operators[text_below(t, ARRAY_SIZE(operators))]);
		text_int(t, depth);
		break;
	}
	str_addc(t->to, ')');
}

static inline void text_bool(struct random_text *t, uint32_t depth)
{
	static const char *const comparisons[] = { "==", "!=", "<", "<=", ">", ">=" };

	if (depth)
		depth--;
	str_addc(t->to, '(');
	switch (text_below(t, 8)) {
	case 0:
		text_bool(t, depth);
		str_add(t->to, text_chance(t, 2) ? " && " : " || ");
		text_bool(t, depth);
		break;
	case 1:
		str_addc(t->to, '!');
		text_bool(t, depth);
		break;
	case 2:
		text_string(t, depth);
		str_addf(t->to, " %s ", comparisons[text_below(t, 2)]);
		text_string(t, depth);
		break;
	case 3:
		str_add(t->to, "strncmp(");
		text_string(t, depth);
		str_add(t->to, ", ");
		text_string(t, depth);
		str_addf(t->to, ", %u) == 0", text_below(t, 12));
		break;
	case 4:
		if (text_chance(t, 2)) {
			str_add(t->to, "@b");
			break;
		}
		str_add(t->to, "(bool)");
		text_int(t, depth);
		break;
	default:
		text_int(t, depth);
		str_addf(t->to, " %s ", comparisons[text_below(t, 6)]);
		text_int(t, depth);
		break;
	}
	str_addc(t->to, ')');
}

static inline void text_string_leaf(struct random_text *t)
{
	switch (text_below(t, 5)) {
	case 0:
		text_string_literal(t, 20);
		break;
	case 1:
		if (t->n_texts) {
			str_addf(t->to, "$x%u", text_below(t, t->n_texts));
			break;
		} /* fall through */
	case 2:
		str_addf(t->to, "@q%u", text_below(t, 2));
		break;
	case 3:
		if (t->all) {
			text_kernel_string(t, 0);
			break;
		} /* fall through */
	default:
		str_addf(t->to, "@s%u", text_below(t, 2));
	}
}

static inline void text_string(struct random_text *t, uint32_t depth)
{
	if (!depth || !t->budget) {
		text_string_leaf(t);
		return;
	}
	t->budget--;
	depth--;
	switch (text_below(t, 7)) {
	case 0:
		str_add(t->to, "substr(");
		text_string(t, depth);
		str_add(t->to, ", ");
		text_int(t, depth);
		if (text_chance(t, 2)) {
			str_add(t->to, ", ");
			text_int(t, depth);
		}
		str_addc(t->to, ')');
		break;
	case 1:
		str_add(t->to, text_chance(t, 2) ? "basename(" : "dirname(");
		text_string(t, depth);
		str_addc(t->to, ')');
		break;
	case 2:
		str_addc(t->to, '(');
		text_bool(t, depth);
		str_add(t->to, " ? ");
		text_string(t, depth);
		str_add(t->to, " : ");
		text_string(t, depth);
		str_addc(t->to, ')');
		break;
	case 3:
		str_add(t->to, "@h1[");
		text_string(t, depth);
		str_addc(t->to, ']');
		break;
	case 4:
		str_add(t->to, "@t.1");
		break;
	default:
		text_string_leaf(t);
	}
}

static inline void text_tuple(struct random_text *t, uint32_t depth)
{
	str_add(t->to, "((int32)(");
	text_int(t, depth);
	str_add(t->to, "), ");
	text_string(t, depth);
	str_add(t->to, ", (uint8)(");
	text_int(t, depth);
	str_add(t->to, "))");
}

/* --- statements --- */

static inline void text_statements(struct random_text *t, uint32_t n);

/* What is declared in a block ends with it. */
static inline void text_block(struct random_text *t, uint32_t n)
{
	uint32_t n_ints = t->n_ints, n_texts = t->n_texts;

	str_add(t->to, "{ ");
	text_statements(t, n);
	str_add(t->to, "} ");
	t->n_ints = n_ints;
	t->n_texts = n_texts;
}

static inline void text_let(struct random_text *t)
{
	if (text_chance(t, 3)) {
		str_addf(t->to, "let $x%u", t->n_texts);
		if (!t->all)
			str_addf(t->to, " : string[%u]", 41 + text_below(t, 3) * 8);
		str_add(t->to, " = ");
		text_string(t, 2);
		t->n_texts++;
	} else {
		const char *type = text_type(t);

		str_addf(t->to, "let $v%u : %s = (%s)", t->n_ints, type, type);
		text_int(t, 3);
		t->n_ints++;
	}
	str_add(t->to, "; ");
}

static inline void text_assign_map(struct random_text *t)
{
	static const char *const operators[] = { "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=" };
	uint32_t n = text_below(t, 8);

	switch (text_below(t, 8)) {
	case 0:
		str_addf(t->to, "@q%u = ", text_below(t, 2));
		text_string(t, 3);
		break;
	case 1:
		str_add(t->to, "@t = ");
		text_tuple(t, 2);
		break;
	case 2:
		str_add(t->to, "@h0[");
		text_int(t, 1);
		str_addf(t->to, "] %s (int64)", operators[text_below(t, ARRAY_SIZE(operators))]);
		text_int(t, 2);
		break;
	case 3:
		str_add(t->to, "@h1[");
		text_string(t, 1);
		str_add(t->to, "] = ");
		text_string(t, 2);
		break;
	case 4:
		str_add(t->to, "@h2[");
		text_int(t, 1);
		str_add(t->to, ", ");
		text_string(t, 1);
		str_add(t->to, "] = ");
		text_tuple(t, 1);
		break;
	case 5:
		str_add(t->to, "delete(@h0, ");
		text_int(t, 1);
		str_addc(t->to, ')');
		break;
	default:
		str_addf(t->to, "@r%u %s (%s)", n, operators[text_below(t, ARRAY_SIZE(operators))], random_types[n]);
		text_int(t, 4);
	}
	str_add(t->to, "; ");
}

static inline void text_assign_variable(struct random_text *t)
{
	static const char *const operators[] = { "+=", "-=", "*=", "/=", "&=", "|=", "^=", "<<=", ">>=" };

	if (t->n_texts && text_chance(t, 3)) {
		str_addf(t->to, "$x%u = ", text_below(t, t->n_texts));
		text_string(t, 2);
	} else if (t->n_ints && text_chance(t, 2)) {
		str_addf(t->to, "$v%u = (int8)", text_below(t, t->n_ints));
		text_int(t, 3);
	} else if (t->n_ints) {
		str_addf(t->to, "$v%u %s (int8)", text_below(t, t->n_ints),
			 operators[text_below(t, ARRAY_SIZE(operators))]);
		text_int(t, 2);
	} else {
		text_assign_map(t);
		return;
	}
	str_add(t->to, "; ");
}

static inline void text_loop(struct random_text *t)
{
	uint32_t kind = text_below(t, 4), name = t->n_names++;

	t->loops++;
	if (kind == 0) {
		str_addf(t->to, "unroll (%u) ", 1 + text_below(t, 3));
		text_block(t, 2);
	} else if (kind == 1) {
		str_addf(t->to, "for ($k%u : %u..%u) ", name, text_below(t, 3), text_below(t, 6));
		text_block(t, 2);
	} else if (kind == 2 && t->has_loops) {
		str_addf(t->to, "for ($k%u : @i%u..(@i%u & 7)) ", name, 1, text_below(t, 8));
		text_block(t, 2);
	} else {
		str_addf(t->to, "let $w%u = 0; while ($w%u < %u && ", name, name, 1 + text_below(t, 5));
		text_bool(t, 1);
		str_addf(t->to, ") { $w%u++; ", name);
		text_block(t, 2);
		str_add(t->to, "} ");
	}
	t->loops--;
}

static inline void text_kernel_statement(struct random_text *t)
{
	static const char *const aggregates[] = { "count()", "sum(%s)", "min(%s)", "max(%s)", "avg(%s)", "stats(%s)",
						  "hist(%s)", "lhist(%s, 0, 100, 10)", "stddev(%s)", "quantiles(%s)" };
	uint32_t n = text_below(t, ARRAY_SIZE(aggregates));

	switch (text_below(t, 5)) {
	case 0:
		str_add(t->to, "printf(\"%d %s %d %s\\n\", ");
		text_int(t, 2);
		str_add(t->to, ", ");
		text_string(t, 2);
		str_add(t->to, ", ");
		text_int(t, 2);
		str_add(t->to, ", ");
		text_string(t, 2);
		str_add(t->to, "); ");
		break;
	case 1:
		str_add(t->to, "print(");
		text_tuple(t, 2);
		str_add(t->to, "); ");
		break;
	case 2:
		str_addf(t->to, "@a%u = ", n);
		str_addf(t->to, aggregates[n], "arg2");
		str_add(t->to, "; ");
		break;
	default:
		str_addf(t->to, "@k%u[", n);
		text_int(t, 2);
		str_add(t->to, ", ");
		text_string(t, 2);
		str_add(t->to, "] = ");
		str_addf(t->to, aggregates[n], "arg1 + arg2");
		str_add(t->to, "; ");
	}
}

static inline void text_statement(struct random_text *t)
{
	switch (text_below(t, 10)) {
	case 0:
		str_add(t->to, "if (");
		text_bool(t, 2);
		str_add(t->to, ") ");
		text_block(t, 2);
		if (text_chance(t, 2)) {
			str_add(t->to, "else ");
			text_block(t, 2);
		}
		break;
	case 1:
		if (t->loops < 2) {
			text_loop(t);
			break;
		} /* fall through */
	case 2:
		if (t->loops && text_chance(t, 2)) {
			str_add(t->to, "if (");
			text_bool(t, 1);
			str_add(t->to, text_chance(t, 2) ? ") { break; } " : ") { continue; } ");
			break;
		} /* fall through */
	case 3:
		text_let(t);
		break;
	case 4:
	case 5:
		text_assign_variable(t);
		break;
	case 6:
		if (t->all) {
			text_kernel_statement(t);
			break;
		} /* fall through */
	default:
		text_assign_map(t);
	}
}

static inline void text_statements(struct random_text *t, uint32_t n)
{
	for (n = 1 + text_below(t, n); n; n--)
		text_statement(t);
}

static inline void text_prologue(struct random_text *t)
{
	str_addf(t->to, "config = { max_map_keys = %d; %s}\n", RANDOM_KEYS, t->all ? "max_strlen = 100; " : "");
	str_add(t->to, "BEGIN { ");
	for (uint32_t i = 0; i < ARRAY_SIZE(random_types); i++)
		str_addf(t->to, "@i%u = (%s)0; @r%u = (%s)0; ", i, random_types[i], i, random_types[i]);
	str_add(t->to, "@b = (bool)1; @s0 = \"0123456789abcde\"; @s1 = \"0123456789abcdef0123456789abcdef01234567\"; ");
	str_add(t->to, "@q0 = @s1; @q1 = @s0; @t = ((int32)1, @s1, (uint8)1); ");
	str_add(t->to, "@h0[(int64)1] = (int64)1; @h1[@s1] = @s1; @h2[(int64)1, @s1] = ((int32)1, @s1, (uint8)1); ");
	if (t->all)
		str_add(t->to, "@c[pid] = 1; ");
	str_add(t->to, "}\n");
}

/* Writes a program: the probe that gives the maps their types, then one of the kind that is given, such as "test:x". */
static inline void random_text(struct random_text *t, uint64_t seed, const char *probe)
{
	t->r.state = seed * 0x9e3779b97f4a7c15ULL + 1;
	random_next(&t->r);
	t->budget = 60;
	text_prologue(t);
	str_addf(t->to, "%s { ", probe);
	text_statements(t, 8);
	str_add(t->to, "}\n");
}

#endif
