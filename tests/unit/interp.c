// SPDX-License-Identifier: BSD-2-Clause
/* src/interp/: line tables of Python's own library, and names in memory that is right, wrong or hostile. */
#include <criterion/criterion.h>

#include "base/base.h"
#include "interp/language.h"
#include "interp/lines.h"

TestSuite(interp);

/* --- line tables --- */

/* For each code object of some modules: the version, the first line, the table, and the line of each unit as Python says it. */
static const char tables[] =
	"import sys, os, glob, dis\n"
	"def lines(code):\n"
	"    if sys.version_info >= (3, 11):\n"
	"        return [p[0] or 0 for p in code.co_positions()]\n"
	"    n = len(code.co_code) // 2\n"
	"    if sys.version_info >= (3, 10):\n"
	"        return [line or 0 for a, b, line in code.co_lines() for i in range(a, b, 2)]\n"
	"    starts = dict(dis.findlinestarts(code))\n"
	"    at = [code.co_firstlineno]\n"
	"    for i in range(n):\n"
	"        at.append(starts.get(2 * i, at[-1]))\n"
	"    return at[1:]\n"
	"def show(code):\n"
	"    table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab\n"
	"    print(sys.version_info[1], code.co_firstlineno, table.hex() or '-', *lines(code))\n"
	"    for const in code.co_consts:\n"
	"        if hasattr(const, 'co_firstlineno'):\n"
	"            show(const)\n"
	"if sys.version_info >= (3, 8):\n"
	"    for path in sorted(glob.glob(os.path.dirname(os.__file__) + '/*.py'))[::4]:\n"
	"        show(compile(open(path, encoding='utf-8', errors='replace').read(), path, 'exec'))\n";

static size_t from_hex(const char *text, uint8_t *bytes)
{
	size_t n = 0;

	for (unsigned int byte; sscanf(text + 2 * n, "%2x", &byte) == 1; n++)
		bytes[n] = (uint8_t)byte;
	return n;
}

static size_t check_table(char *line, uint8_t *bytes)
{
	char *rest = NULL, *word = strtok_r(line, " \n", &rest);
	int minor = atoi(word ? word : "0"), first;
	int (*lines)(const uint8_t *, size_t, int, unsigned int) = minor > 10	 ? lines_at
								   : minor == 10 ? lines_at_310
										 : lines_at_38;
	size_t n, place = 0;

	word = strtok_r(NULL, " \n", &rest);
	first = atoi(word ? word : "0");
	word = strtok_r(NULL, " \n", &rest);
	n = word && *word != '-' ? from_hex(word, bytes) : 0;
	for (; (word = strtok_r(NULL, " \n", &rest)); place++) {
		int expected = atoi(word), line_is = lines(bytes, n, first, (unsigned int)place);

		cr_assert_eq(line_is, expected, "first line %d, unit %zu: %d, not %d", first, place, line_is, expected);
	}
	/* behind its end older tables go on, with the line of the last pair */
	cr_expect(minor < 10 || !lines(bytes, n, first, (unsigned int)place));
	return place;
}

Test(interp, lines_of_the_library, .timeout = 120)
{
	char *command __free = base_printf("PATH=/usr/bin:$PATH\nfor python in python3 "
					   "\"$HOME\"/.pyenv/versions/3.[89].*/bin/python3 "
					   "\"$HOME\"/.pyenv/versions/3.10.*/bin/python3; do\n"
					   "command -v \"$python\" > /dev/null || continue\n"
					   "\"$python\" - << 'END'\n%sEND\ndone\n",
					   tables),
		      *line = NULL;
	FILE *out = popen(command, "r");
	uint8_t *bytes __free = malloc(1 << 20);
	size_t room = 0, units = 0, codes = 0;
	ssize_t len;

	cr_assert(out);
	while ((len = getline(&line, &room, out)) > 0 && len < 1 << 20) {
		units += check_table(line, bytes);
		codes++;
	}
	free(line);
	pclose(out);
	if (!codes)
		cr_skip_test("there is no Python 3.8 or newer");
	cr_expect_gt(units, 10000);
}

Test(interp, lines_of_damaged_tables)
{
	static const uint8_t no_begin[] = { 0x50, 0 }, cut[] = { 0xf0, 0x02 };
	static const uint8_t endless[] = { 0xe8, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f };
	static const uint8_t far[] = { 0xe8, 0x7e, 0x7f, 0x7f, 0x7f, 0x1f };

	cr_expect_eq(lines_at(NULL, 0, 1, 0), 0);
	cr_expect_eq(lines_at(no_begin, sizeof(no_begin), 1, 0), 0);
	cr_expect_eq(lines_at(cut, sizeof(cut), 1, 0), 0);
	cr_expect_eq(lines_at(endless, sizeof(endless), 1, 0), 0);
	cr_expect_geq(lines_at(far, sizeof(far), INT32_MAX, 0), 0);
	/* of old versions: half a pair, lines below 1 and above all */
	cr_expect_eq(lines_at_310(far, 1, 5, 0), 0);
	cr_expect_eq(lines_at_310((const uint8_t[]){ 2, 0xff }, 2, 1, 0), 0);
	cr_expect_eq(lines_at_310((const uint8_t[]){ 2, 1 }, 2, INT32_MAX, 0), 0);
	cr_expect_eq(lines_at_38(far, 1, 5, 0), 5);
	cr_expect_eq(lines_at_38((const uint8_t[]){ 0, 0xff }, 2, 1, 0), 0);
	cr_expect_eq(lines_at_38((const uint8_t[]){ 0, 1 }, 2, INT32_MAX, 0), 0);
}

/* Pairs of bytes: 4 units at line 7, two of line 5, one of none, one of line 9. */
Test(interp, lines_of_old_versions)
{
	static const uint8_t of_310[] = { 8, 0, 4, 0xfe, 2, 0x80, 2, 4 }, of_38[] = { 8, 0xfe, 4, 2, 0, 2 };
	static const int is_310[] = { 7, 7, 7, 7, 5, 5, 0, 9, 0 }, is_38[] = { 7, 7, 7, 7, 5, 5, 9, 9, 9 };

	for (unsigned int i = 0; i < ARRAY_SIZE(is_310); i++) {
		cr_expect_eq(lines_at_310(of_310, sizeof(of_310), 7, i), is_310[i], "unit %u", i);
		cr_expect_eq(lines_at_38(of_38, sizeof(of_38), 7, i), is_38[i], "unit %u", i);
	}
	cr_expect_eq(lines_at_38(NULL, 0, 7, 100), 7, "all of it is in one line");
}

/* --- names --- */

struct object {
	uint64_t references, type, length, hash;
	uint32_t state, unused;
	char text[1024];
};

/* The runtime's state is at `state`, and its types follow. */
static uint64_t state[8];
static struct object file, function;
static struct bytes {
	uint64_t references, type, length, hash;
	uint8_t bytes[16];
} table;
static uint8_t code[256];
static const struct runtime runtime = {
	.major = 3,
	.minor = 12,
	.language = &language_python,
	.python = { 112, 128, 136, 68, 192, .ascii = 40, .compact = 56, .code_type = 8, .string_type = 16, .bytes_type = 24 },
};

static void set_word(size_t offset, uint64_t word)
{
	memcpy(code + offset, &word, sizeof(word));
}

static struct object string(const char *text)
{
	struct object object = { 1, (uintptr_t)state + 16, strlen(text), 0, 1 << 2 | 0x20 | 0x40, 0, "" };

	memcpy(object.text, text, strlen(text) < sizeof(object.text) ? strlen(text) : sizeof(object.text));
	return object;
}

/* A function `work` at line 7, whose first instruction is in line 8. */
static void make_code(void)
{
	const int32_t first = 7;

	file = string("/srv/app/load.py");
	function = string("K.work");
	table = (struct bytes){ 1, (uintptr_t)state + 24, 3, 0, { 0x80 | 11 << 3 | 3, 0, 0 } };
	memset(code, 0, sizeof(code));
	set_word(8, (uintptr_t)state + 8);
	set_word(112, (uintptr_t)&file);
	set_word(128, (uintptr_t)&function);
	set_word(136, (uintptr_t)&table);
	memcpy(code + 68, &first, sizeof(first));
}

static int read_code(struct names_code *to)
{
	pid_t pid = getpid();
	const struct peek peek = peek_at(&pid);

	return names_read(to, &runtime, (uintptr_t)state, &peek, (uintptr_t)code);
}

Test(interp, names)
{
	struct names_code known = {};

	make_code();
	cr_assert_eq(read_code(&known), 1);
	cr_expect_str_eq(known.function, "K.work");
	cr_expect_str_eq(known.file, "/srv/app/load.py");
	cr_expect_eq(names_line(&known, 0), 8);
	cr_expect_eq(names_line(&known, 3), 8);
	cr_expect_eq(names_line(&known, 4), 0);
	cr_expect_eq(names_line(&known, INTERP_PLACE_MASK), 7);
	cr_expect_eq(read_code(&known), 0);
	/* another function in the same place */
	set_word(128, (uintptr_t)&file);
	cr_expect_eq(read_code(&known), 1);
	cr_expect_str_eq(known.function, known.file);
	names_release(&known);
}

/* Python 3.9: a table that is empty says that all is in the first line, one that cannot be read says nothing. */
Test(interp, names_of_old_versions)
{
	struct runtime old = runtime;
	struct names_code known = {};
	pid_t pid = getpid();
	const struct peek peek = peek_at(&pid);

	old.minor = 9;
	make_code();
	table.length = 2;
	table.bytes[0] = 4;
	table.bytes[1] = 1;
	cr_assert_eq(names_read(&known, &old, (uintptr_t)state, &peek, (uintptr_t)code), 1);
	cr_expect_eq(names_line(&known, 1), 7);
	cr_expect_eq(names_line(&known, 2), 8);
	cr_expect_eq(names_line(&known, INTERP_PLACE_MASK), 7);
	names_release(&known);
	table.length = 0;
	cr_assert_eq(names_read(&known, &old, (uintptr_t)state, &peek, (uintptr_t)code), 1);
	cr_expect_eq(names_line(&known, 2), 7);
	names_release(&known);
	table.type = 1;
	cr_assert_eq(names_read(&known, &old, (uintptr_t)state, &peek, (uintptr_t)code), 1);
	cr_expect_eq(names_line(&known, 2), 0);
	names_release(&known);
}

Test(interp, names_that_are_none)
{
	struct names_code known = {};

	make_code();
	set_word(8, (uintptr_t)state);
	cr_expect_eq(read_code(&known), -EBADMSG, "the type is not that of code objects");
	make_code();
	file.type = 1;
	cr_expect_eq(read_code(&known), -EBADMSG, "the file's name is no string");
	make_code();
	function.state &= ~0x20U;
	cr_expect_eq(read_code(&known), -EBADMSG, "the name is not compact");
	make_code();
	function.length = UINT64_MAX;
	cr_expect_eq(read_code(&known), 1, "a long name is cut");
	cr_expect_leq(strlen(known.function), NAMES_FUNCTION - 1);
	names_release(&known);
	make_code();
	set_word(128, 64);
	cr_expect_eq(read_code(&known), -EBADMSG, "the name is nowhere");
	make_code();
	table.length = UINT64_MAX;
	cr_expect_eq(read_code(&known), 1);
	cr_expect_eq(names_line(&known, 0), 0, "the table is too long");
	names_release(&known);
}

Test(interp, names_with_odd_characters)
{
	static const uint16_t wide[] = { 0xe9, 0x20ac, '\n', 0xd800 };
	struct names_code known = {};

	make_code();
	function = string("a\n\033[2Jb");
	cr_assert_eq(read_code(&known), 1);
	cr_expect_str_eq(known.function, "a\\x0a\\x1b[2Jb");
	names_release(&known);
	function = string("");
	function.state = 2 << 2 | 0x20;
	function.length = 4;
	memcpy(function.text + 16, wide, sizeof(wide));
	cr_assert_eq(read_code(&known), 1);
	cr_expect_str_eq(known.function, "\xc3\xa9\xe2\x82\xac\\x0a?");
	names_release(&known);
}

/* --- PHP --- */

struct php_string {
	uint32_t references, type;
	uint64_t hash, length;
	char text[NAMES_FILE];
};

static struct php_string php_name, php_file, php_class_name;
static struct {
	uint64_t kind, name;
} php_class;
static uint64_t php_function[32];
static const struct runtime php_runtime = { .language = &language_php, .php.filename = 152 };

static struct php_string php_string(const char *text)
{
	struct php_string string = { 1, 6, 0, strlen(text), "" };

	memcpy(string.text, text, strlen(text));
	return string;
}

/* A method Cart::add of a file. */
static void make_function(void)
{
	php_name = php_string("add");
	php_file = php_string("/srv/app/cart.php");
	php_class_name = php_string("Cart");
	php_class.kind = 2;
	php_class.name = (uintptr_t)&php_class_name;
	memset(php_function, 0, sizeof(php_function));
	php_function[0] = 2;
	php_function[1] = (uintptr_t)&php_name;
	php_function[2] = (uintptr_t)&php_class;
	php_function[152 / 8] = (uintptr_t)&php_file;
}

static int read_php(struct names_code *to, const void *at, enum interp_of of)
{
	pid_t pid = getpid();
	const struct peek peek = peek_at(&pid);

	return names_read(to, &php_runtime, 0, &peek, (uintptr_t)at | of);
}

Test(interp, names_of_php)
{
	struct names_code known = {};

	make_function();
	cr_assert_eq(read_php(&known, php_function, INTERP_OF_FUNCTION), 1);
	cr_expect_str_eq(known.function, "Cart::add");
	cr_expect_str_eq(known.file, "/srv/app/cart.php");
	cr_expect_eq(names_line(&known, 31), 31);
	cr_expect_eq(names_line(&known, INTERP_OF_FILE << INTERP_LINE_BITS | 31), 31);
	cr_expect_eq(read_php(&known, php_function, INTERP_OF_FUNCTION), 0);
	/* another function in the same place: an internal one */
	php_function[0] = 1;
	php_function[2] = 0;
	cr_expect_eq(read_php(&known, php_function, INTERP_OF_FUNCTION), 1);
	cr_expect_str_eq(known.function, "add");
	cr_expect_str_empty(known.file);
	names_release(&known);
	cr_expect_eq(read_php(&known, &php_file, INTERP_OF_CLOSURE), 1);
	cr_expect_str_eq(known.function, "{closure}");
	cr_expect_str_eq(known.file, "/srv/app/cart.php");
	cr_expect_eq(read_php(&known, &php_file, INTERP_OF_CLOSURE), 0);
	php_file = php_string("/srv/app/other.php");
	cr_expect_eq(read_php(&known, &php_file, INTERP_OF_FILE), 1);
	cr_expect_str_eq(known.function, "{main}");
	cr_expect_str_eq(known.file, "/srv/app/other.php");
	names_release(&known);
}

Test(interp, names_of_php_that_are_none)
{
	struct names_code known = {};

	make_function();
	php_function[0] = 3;
	cr_expect_eq(read_php(&known, php_function, INTERP_OF_FUNCTION), -EBADMSG, "no kind of function");
	make_function();
	php_name.type = 7;
	cr_expect_eq(read_php(&known, php_function, INTERP_OF_FUNCTION), -EBADMSG, "the name is no string");
	make_function();
	php_function[1] = 0;
	cr_expect_eq(read_php(&known, php_function, INTERP_OF_FUNCTION), -EBADMSG, "there is no name");
	make_function();
	php_function[2] = 64;
	cr_expect_eq(read_php(&known, php_function, INTERP_OF_FUNCTION), -EBADMSG, "the class is nowhere");
	make_function();
	php_file.type = 0;
	cr_expect_eq(read_php(&known, php_function, INTERP_OF_FUNCTION), -EBADMSG, "the file's name is no string");
	cr_expect_eq(read_php(&known, &php_file, INTERP_OF_CLOSURE), -EBADMSG);
	cr_expect_eq(read_php(&known, NULL, INTERP_OF_CLOSURE), -ESRCH);
	cr_expect_eq(read_php(&known, NULL, INTERP_OF_FUNCTION), -ESRCH);
	names_release(&known);
}

Test(interp, names_of_php_with_odd_characters)
{
	struct names_code known = {};
	size_t n;

	make_function();
	php_name = php_string("a\n\033[2J\xff\xc3\xa9");
	/* an anonymous class has its file behind a NUL */
	memcpy(php_class_name.text, "A@anonymous\0/srv/app/cart.php:3$0", 33);
	php_class_name.length = 33;
	cr_assert_eq(read_php(&known, php_function, INTERP_OF_FUNCTION), 1);
	cr_expect_str_eq(known.function, "A@anonymous::a\\n\\x1b[2J\\xff\xc3\xa9");
	make_function();
	php_name.length = UINT64_MAX;
	memset(php_name.text, 'x', sizeof(php_name.text));
	names_release(&known);
	cr_assert_eq(read_php(&known, php_function, INTERP_OF_FUNCTION), 1, "a long name is cut");
	n = strlen(known.function);
	cr_expect_eq(n, NAMES_FUNCTION - 1);
	cr_expect_str_eq(known.function + n - 3, "...");
	/* not in the middle of a character */
	for (size_t i = 0; i + 1 < sizeof(php_name.text); i += 2)
		memcpy(php_name.text + i, "\xc3\xa9", 2);
	names_release(&known);
	cr_assert_eq(read_php(&known, php_function, INTERP_OF_FUNCTION), 1);
	n = strlen(known.function);
	cr_expect_str_eq(known.function + n - 5, "\xc3\xa9...");
	names_release(&known);
}

/* --- Ruby --- */

struct ruby_string {
	uint64_t flags, class, length, text;
};

/* Only pages that are there are read: so the text is. */
static struct ruby_string string_of(const char *text)
{
	const volatile char *at = text;

	while (*at)
		at++;
	return (struct ruby_string){ 0x2005, 0, (size_t)(at - text), (uintptr_t)text };
}

static struct ruby_string ruby_label, ruby_path, ruby_short;
static uint64_t ruby_paths[5], ruby_some[5], ruby_all[5], ruby_symbols[8], ruby_sequence[3], ruby_body[22];
static uint64_t ruby_definition[5], ruby_method[5];
static struct {
	int32_t line;
	uint32_t unused[2];
} ruby_lines[4000];
/* For the first 54 words, and blocks behind them. */
static uint64_t ruby_index[6 + 10 * 8];
static struct runtime ruby_runtime = {
	.language = &language_ruby,
	.ruby = { .lines = 0x78, .symbols = 16 },
};

/* A function of `size` words, with an entry at each place for which begins[] is true. */
static void make_lines(const bool *begins, uint32_t size)
{
	uint32_t n = 0, in_block = 0;

	memset(ruby_index, 0, sizeof(ruby_index));
	/* the last line may end on a page that nothing has touched */
	memset(ruby_lines, 0, sizeof(ruby_lines));
	for (uint32_t i = 0; i < size; i++) {
		uint64_t *block = ruby_index + 6 + (i - 54) / 512 * 10;
		const uint32_t bit = (i - 54) % 512;

		if (i >= 54 && !bit) {
			block[0] = n;
			in_block = 0;
		}
		if (i >= 54 && bit && bit % 64 == 0)
			block[1] |= (uint64_t)in_block << (bit / 64 - 1) * 9;
		if (begins[i]) {
			ruby_lines[n].line = (int)(1000 + n);
			n++;
			in_block++;
		}
		if (i < 54)
			ruby_index[i / 9] |= (uint64_t)n << i % 9 * 7;
		else if (begins[i])
			block[2 + bit / 64] |= 1ULL << bit % 64;
	}
	ruby_body[0] = (uint64_t)size << 32;
	ruby_body[1] = 0x7f0000001230;
	ruby_body[15] = (uintptr_t)ruby_lines;
	ruby_body[17] = n;
	ruby_body[18] = (uintptr_t)ruby_index;
}

/* `block in sum` of /srv/app/cart.rb; and `each`, a method of C. */
static void make_ruby(void)
{
	static const bool begins[8] = { true, false, true };

	memset(ruby_paths, 0, sizeof(ruby_paths));
	memset(ruby_some, 0, sizeof(ruby_some));
	memset(ruby_all, 0, sizeof(ruby_all));
	memset(ruby_symbols, 0, sizeof(ruby_symbols));
	memset(ruby_sequence, 0, sizeof(ruby_sequence));
	memset(ruby_body, 0, sizeof(ruby_body));
	memset(ruby_definition, 0, sizeof(ruby_definition));
	memset(ruby_method, 0, sizeof(ruby_method));
	ruby_label = string_of("block in sum");
	ruby_path = string_of("/srv/app/cart.rb");
	ruby_short = (struct ruby_string){ 5 | 4 << 14 };
	memcpy(&ruby_short.length, "each", 4);
	make_lines(begins, 8);
	ruby_body[8] = (uintptr_t)ruby_paths;
	ruby_body[10] = (uintptr_t)&ruby_label;
	ruby_paths[0] = 0x2007 | 2 << 15;
	ruby_paths[2] = (uintptr_t)&ruby_path;
	ruby_sequence[0] = 0x701a;
	ruby_sequence[2] = (uintptr_t)ruby_body;
	ruby_method[0] = 0x601a;
	ruby_method[2] = (uintptr_t)ruby_definition;
	ruby_definition[0] = 1;
	ruby_definition[4] = 1 << 4 | 1 << 13; /* number 512 + 1 */
	ruby_symbols[2] = (uintptr_t)ruby_all;
	ruby_all[0] = 0x2007 | 2 << 15;
	ruby_all[3] = (uintptr_t)ruby_some;
	ruby_some[0] = 0x2007 | 3 << 15;
	ruby_some[4] = (uintptr_t)&ruby_short;
}

static int read_ruby(struct names_code *to, const void *at)
{
	pid_t pid = getpid();
	const struct peek peek = peek_at(&pid);

	return names_read(to, &ruby_runtime, (uintptr_t)ruby_symbols, &peek, (uintptr_t)at);
}

/* A place is behind the instruction. */
static int ruby_line(const struct names_code *read, unsigned int word)
{
	return names_line(read, ((ruby_body[1] >> 3) + word + 1) & INTERP_PLACE_MASK);
}

Test(interp, names_of_ruby)
{
	struct names_code known = {};

	make_ruby();
	cr_assert_eq(read_ruby(&known, ruby_sequence), 1);
	cr_expect_str_eq(known.function, "block in sum");
	cr_expect_str_eq(known.file, "/srv/app/cart.rb");
	cr_expect_eq(ruby_line(&known, 0), 1000);
	cr_expect_eq(ruby_line(&known, 1), 1000);
	cr_expect_eq(ruby_line(&known, 7), 1001);
	cr_expect_eq(ruby_line(&known, 8), 0);
	cr_expect_eq(names_line(&known, (ruby_body[1] >> 3) & INTERP_PLACE_MASK), 1000, "before all");
	cr_expect_eq(names_line(&known, 1), 0);
	cr_expect_eq(read_ruby(&known, ruby_sequence), 0);
	ruby_body[11] = 7;
	cr_expect_eq(read_ruby(&known, ruby_sequence), 1, "another place in the file");
	ruby_body[8] = (uintptr_t)&ruby_path;
	cr_expect_eq(read_ruby(&known, ruby_sequence), 1);
	cr_expect_str_eq(known.file, "/srv/app/cart.rb");
	ruby_label = (struct ruby_string){ 0x2005, 0, strlen("<main>"), 64 };
	ruby_body[11] = 8;
	cr_expect_eq(read_ruby(&known, ruby_sequence), -EBADMSG, "no memory is there");
	ruby_runtime.ruby.labels[0] = 64 - (uintptr_t)ruby_symbols;
	cr_expect_eq(read_ruby(&known, ruby_sequence), 1, "it is known what the file has there");
	cr_expect_str_eq(known.function, "<main>");
	cr_expect_eq(read_ruby(&known, ruby_method), 1);
	cr_expect_str_eq(known.function, "each");
	cr_expect_str_eq(known.file, "");
	cr_expect_eq(names_line(&known, 1), 0);
	cr_expect_eq(read_ruby(&known, ruby_method), 0);
	names_release(&known);
}

/* Code evaluated in a block, in code that was evaluated, and what catches exceptions there. */
Test(interp, names_of_ruby_that_was_evaluated)
{
	const struct ruby_string evaluated = string_of("<compiled>"), rescue = string_of("rescue in <compiled>");
	const struct ruby_string ensure = string_of("ensure in rescue in <compiled>");
	static uint64_t bodies[3][22], sequences[3][3];
	struct names_code known = {};

	make_ruby();
	for (int i = 0; i < 3; i++) {
		memcpy(bodies[i], ruby_body, sizeof(ruby_body));
		bodies[i][0] = 8ULL << 32 | (i ? 4 : 6);
		bodies[i][10] = (uintptr_t)(i ? &rescue : &evaluated);
		bodies[i][21] = (uintptr_t)(i ? sequences[0] : ruby_sequence);
		sequences[i][0] = 0x701a;
		sequences[i][2] = (uintptr_t)bodies[i];
	}
	cr_assert_eq(read_ruby(&known, sequences[0]), 1);
	cr_expect_str_eq(known.function, "block in sum");
	cr_assert_eq(read_ruby(&known, sequences[1]), 1);
	cr_expect_str_eq(known.function, "rescue in block in sum");
	bodies[2][0] = 8ULL << 32 | 5;
	bodies[2][10] = (uintptr_t)&ensure;
	bodies[2][21] = (uintptr_t)sequences[1];
	cr_assert_eq(read_ruby(&known, sequences[2]), 1);
	cr_expect_str_eq(known.function, "ensure in rescue in block in sum");
	bodies[1][0] = 8ULL << 32;
	bodies[1][11] = 1;
	cr_assert_eq(read_ruby(&known, sequences[1]), 1);
	cr_expect_str_eq(known.function, "rescue in <compiled>", "it is no such code");
	bodies[0][21] = (uintptr_t)sequences[0];
	cr_assert_eq(read_ruby(&known, sequences[0]), 1);
	cr_expect_str_eq(known.function, "<compiled>", "in itself");
	bodies[0][21] = (uintptr_t)ruby_method;
	cr_expect_eq(read_ruby(&known, sequences[0]), -EBADMSG, "in what is no code");
	names_release(&known);
}

Test(interp, lines_of_ruby)
{
	static bool begins[4000];
	struct names_code known = {};

	make_ruby();
	srand(1);
	for (uint32_t size = 2; size < 4000; size += size < 600 ? 1 : 97) {
		int n = 0;

		for (uint32_t i = 0; i < size; i++)
			begins[i] = !i || rand() % 3 == 0;
		make_lines(begins, size);
		ruby_body[11] = size;
		cr_assert_eq(read_ruby(&known, ruby_sequence), 1);
		for (uint32_t i = 0; i < size; i++) {
			n += begins[i];
			cr_assert_eq(ruby_line(&known, i), 999 + n, "word %u of %u", i, size);
		}
		cr_assert_eq(ruby_line(&known, size), 0);
	}
	names_release(&known);
}

Test(interp, names_of_ruby_that_are_none)
{
	struct names_code known = {};

	make_ruby();
	cr_expect_eq(read_ruby(&known, NULL), -ESRCH);
	ruby_sequence[0] = 0x501a;
	cr_expect_eq(read_ruby(&known, ruby_sequence), -EBADMSG, "another kind of object");
	make_ruby();
	ruby_label.flags = 0x2007;
	cr_expect_eq(read_ruby(&known, ruby_sequence), -EBADMSG, "the label is no string");
	make_ruby();
	ruby_label.text = 64;
	cr_expect_eq(read_ruby(&known, ruby_sequence), -EBADMSG, "no memory is there");
	make_ruby();
	ruby_paths[0] = 0x2007;
	cr_expect_eq(read_ruby(&known, ruby_sequence), -EBADMSG, "there is no path");
	make_ruby();
	ruby_body[17] = 9;
	cr_expect_eq(read_ruby(&known, ruby_sequence), 1);
	cr_expect_eq(ruby_line(&known, 0), 0, "more lines than words");
	ruby_body[0] = UINT64_MAX;
	ruby_body[17] = UINT64_MAX;
	cr_expect_eq(read_ruby(&known, ruby_sequence), 1);
	cr_expect_eq(ruby_line(&known, 0), 0, "too long");
	make_ruby();
	ruby_index[0] = 0x7f;
	cr_expect_eq(read_ruby(&known, ruby_sequence), 1);
	cr_expect_eq(ruby_line(&known, 0), 0, "an entry that is none");
	make_ruby();
	ruby_definition[0] = 2;
	cr_expect_eq(read_ruby(&known, ruby_method), -EBADMSG, "not of C");
	ruby_definition[0] = 1;
	ruby_definition[4] = UINT64_MAX;
	cr_expect_eq(read_ruby(&known, ruby_method), -EBADMSG, "no symbol");
	cr_expect_eq(known.words[0], 0);
	names_release(&known);
}

Test(interp, names_of_ruby_with_odd_characters)
{
	static char many[2000];
	struct names_code known = {};

	make_ruby();
	ruby_label = string_of("a\nb\x1b[2J\xff");
	cr_expect_eq(read_ruby(&known, ruby_sequence), 1);
	cr_expect_str_eq(known.function, "a\\nb\\x1b[2J\\xff");
	memset(many, 'x', sizeof(many));
	ruby_label.text = ruby_path.text = (uintptr_t)many;
	ruby_label.length = ruby_path.length = UINT64_MAX;
	ruby_body[11] = 1;
	cr_expect_eq(read_ruby(&known, ruby_sequence), 1);
	cr_expect_eq(strlen(known.function), NAMES_FUNCTION - 1);
	cr_expect_str_eq(known.function + NAMES_FUNCTION - 4, "...");
	cr_expect_eq(strlen(known.file), NAMES_FILE - 1);
	names_release(&known);
}
