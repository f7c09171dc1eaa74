// SPDX-License-Identifier: BSD-2-Clause
/*
 * libiberty's two demanglers, within bounds. It bounds the recursion and not what comes of it: a name of 300 bytes may stand
 * for 2^40 types, which are printed, or looked through without a letter printed. The first ends when the text is full,
 * the second by a clock of processor time. Both leave the demangler by a jump, for it takes no answer from its callback. Knows
 * nothing of patterns.
 */
#include <ctype.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include <libiberty/demangle.h>
#undef ARRAY_SIZE /* ours is the same */

#include "demangle.h"

/* A name that takes two ticks is given up; so many of them in one process, and no further one is tried. */
#define TICK_US	    100000
#define TICKS_MAX   2
#define GIVE_UP_MAX 3
/* The demangler of v0 allocates for Unicode names, and a jump out of it leaves some KB behind: this bounds it. */
#define LEAKS_MAX 100
/* A binder of v0 that introduces more lifetimes than its digits in base 62 can say: for<'a, 'b, ...> */
#define BINDER_DIGITS_MAX 2

static __thread struct {
	sigjmp_buf out;
	volatile sig_atomic_t running; /* a demangler that allocates nothing: it can be left at any place */
	volatile sig_atomic_t ticks;
	char text[DEMANGLE_TEXT_MAX];
	size_t len;
} work;

static volatile sig_atomic_t clock_runs;
static unsigned int given_up, leaks;

static void clock_set(long us)
{
	const struct itimerval every = { { 0, us }, { 0, us } };

	clock_runs = us != 0;
	setitimer(ITIMER_VIRTUAL, &every, NULL);
}

/* It runs on beyond the last name for a tick: stopping it after each would cost as much as demangling. */
static void tick(int signal)
{
	if (!work.running)
		clock_set(0);
	else if (++work.ticks >= TICKS_MAX)
		siglongjmp(work.out, ETIME);
}

static void clock_start(void)
{
	static bool handled;

	if (!handled)
		sigaction(SIGVTALRM, &(struct sigaction){ .sa_handler = tick, .sa_flags = SA_RESTART | SA_NODEFER }, NULL);
	handled = true;
	if (!clock_runs)
		clock_set(TICK_US);
}

static void take(const char *text, size_t n, void *unused)
{
	if (n > sizeof(work.text) - work.len)
		siglongjmp(work.out, E2BIG);
	memcpy(work.text + work.len, text, n);
	work.len += n;
}

/* C++ has no other way to say that it is Rust's: "17h", 16 hexadecimal digits, "E" at the end or in front of a suffix. */
static bool is_legacy_rust(const char *name)
{
	const char *hash = strstr(name, "17h");

	return hash && strspn(hash + 3, "0123456789abcdef") >= 16;
}

/* An identifier of v0 that is not ASCII begins so; any other may hold it, too. */
static bool may_be_unicode(const char *name)
{
	for (const char *u = strchr(name, 'u'); u; u = strchr(u + 1, 'u'))
		if (isdigit((unsigned char)u[1]))
			return name[1] == 'R';
	return false;
}

/* Binders are printed, or skipped over one by one, for as many lifetimes as the number says. */
static bool may_be_endless(const char *name)
{
	for (const char *g = strchr(name, 'G'); g; g = strchr(g + 1, 'G')) {
		size_t digits = strspn(g + 1, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

		/* a type fn or dyn stands in front of each */
		if (digits > BINDER_DIGITS_MAX && g[1 + digits] == '_' && (g[-1] == 'F' || g[-1] == 'D'))
			return true;
	}
	return false;
}

/* Of Rust, which has no options, or of C++: to work.text. */
static bool run(const char *name, bool rust, int options)
{
	volatile bool allocates = rust && may_be_unicode(name); /* read after the jump */
	int jumped, done = 0;

	/* a demangler that allocates must not be stopped by the clock: what it could need it for is refused */
	if (given_up >= GIVE_UP_MAX || (allocates && (leaks > LEAKS_MAX || may_be_endless(name))))
		return false;
	clock_start();
	work.len = work.ticks = 0;
	jumped = sigsetjmp(work.out, 0);
	if (!jumped) {
		work.running = !allocates;
		done = rust ? rust_demangle_callback(name, DMGL_RUST, take, NULL)
			    : cplus_demangle_v3_callback(name, options, take, NULL);
	}
	work.running = false;
	given_up += jumped == ETIME;
	leaks += jumped && allocates;
	return !jumped && done && work.len;
}

/* A clone of the compiler's, a cold part say, is not the function whose path it has: its suffix is made part of it. */
static void add_clone(const char *name, struct str *to)
{
	static const char clone[] = " [clone .";
	const char *at;

	if (!strchr(name, '.') || !run(name, false, DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP))
		return;
	at = memmem(work.text, work.len, clone, sizeof(clone) - 1);
	if (at)
		str_addn(to, at, work.text + work.len - at);
}

/* <T>::f to T::f, where T is a path and nothing like &str or U as Trait. Some of what is cut is printed by arrows: -> */
static void cut_brackets(struct str *s)
{
	size_t depth = 1, end = 1;

	if (s->len < 2 || s->data[0] != '<' || !(isalpha((unsigned char)s->data[1]) || s->data[1] == '_'))
		return;
	for (; end < s->len; end++) {
		depth += s->data[end] == '<';
		if (s->data[end] == '>' && s->data[end - 1] != '-' && !--depth)
			break;
		if (depth == 1 && s->data[end] == ' ')
			return;
	}
	if (end == s->len)
		return;
	memmove(s->data + end, s->data + end + 1, s->len - end);
	memmove(s->data, s->data + 1, s->len - 1);
	s->len -= 2;
}

/* Back to the parenthesis that closes the parameters. What follows a clone's is more than that. */
static void cut_qualifiers(struct str *s)
{
	const char *close = memrchr(s->data, ')', s->len);

	if (close && !strchr(close, '['))
		s->len = close + 1 - s->data;
	s->data[s->len] = '\0';
}

static bool demangle_rust(const char *name, enum demangle_form form, struct str *to)
{
	if (!run(name, true, 0))
		return false;
	str_addn(to, work.text, work.len);
	if (form == DEMANGLE_PATH && name[1] == 'R')
		cut_brackets(to);
	return true;
}

static bool demangle_cxx(const char *name, enum demangle_form form, struct str *to)
{
	static const int options[DEMANGLE_FORMS] = {
		[DEMANGLE_WHOLE] = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP,
		[DEMANGLE_PATH] = DMGL_ANSI,
		[DEMANGLE_PLAIN] = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP,
		[DEMANGLE_TYPED] = DMGL_PARAMS | DMGL_ANSI | DMGL_VERBOSE,
	};

	if (!run(name, false, options[form]))
		return false;
	str_addn(to, work.text, work.len);
	if (form == DEMANGLE_PATH)
		add_clone(name, to);
	if (form == DEMANGLE_PLAIN)
		cut_qualifiers(to);
	return true;
}

bool demangle(const char *name, enum demangle_form form, struct str *to)
{
	str_reset(to);
	if (!demangle_is_mangled(name) || strnlen(name, DEMANGLE_NAME_MAX + 1) > DEMANGLE_NAME_MAX)
		return false;
	if (name[1] == 'R')
		return demangle_rust(name, form, to);
	return (is_legacy_rust(name) && demangle_rust(name, form, to)) || demangle_cxx(name, form, to);
}

/* --- to spare demangling --- */

/*
 * What the demanglers print by themselves: types, operators, abbreviations of the standard library, and the words of special
 * names. All keywords of C++ and Rust are among them, for a later version may print more of them.
 */
static const char *const own_words[] = {
	"alignas",
	"alignof",
	"allocator",
	"anonymous",
	"async",
	"auto",
	"await",
	"basic_iostream",
	"basic_istream",
	"basic_ostream",
	"basic_string",
	"bfloat16_t",
	"_BitInt",
	"boolean",
	"byte",
	"char",
	"char_traits",
	"class",
	"clone",
	"closure",
	"co_await",
	"_Complex",
	"concept",
	"const",
	"const_cast",
	"constant",
	"consteval",
	"constexpr",
	"constinit",
	"construction",
	"constructors",
	"coroutine",
	"covariant",
	"crate",
	"ctors",
	"decimal128",
	"decltype",
	"default",
	"delete",
	"destructors",
	"double",
	"dynamic_cast",
	"enum",
	"explicit",
	"extern",
	"_Accum",
	"false",
	"_Float",
	"__float128",
	"_Fract",
	"for",
	"friend",
	"function",
	"global",
	"guard",
	"half",
	"hidden",
	"iostream",
	"isize",
	"_Imaginary",
	"impl",
	"init",
	"initializer",
	"inline",
	"istream",
	"JArray",
	"java",
	"keyed",
	"lambda",
	"literal",
	"long",
	"__int128",
	"mod",
	"module",
	"move",
	"mut",
	"mutable",
	"name",
	"namespace",
	"noexcept",
	"non",
	"nullptr",
	"object",
	"operator",
	"ostream",
	"package",
	"parameter",
	"parm",
	"private",
	"protected",
	"public",
	"punycode",
	"ref",
	"reference",
	"register",
	"reinterpret_cast",
	"requires",
	"resource",
	"restrict",
	"return",
	"_Sat",
	"self",
	"shim",
	"signed",
	"sizeof",
	"static",
	"static_cast",
	"std",
	"str",
	"string",
	"struct",
	"super",
	"temporary",
	"template",
	"this",
	"thread_local",
	"throw",
	"thunk",
	"TLS",
	"transaction_safe",
	"true",
	"type",
	"typeid",
	"typeinfo",
	"typename",
	"ull",
	"union",
	"unnamed",
	"unsafe",
	"unsigned",
	"usize",
	"using",
	"variable",
	"__vector",
	"virtual",
	"void",
	"volatile",
	"vtable",
	"VTT",
	"wchar_t",
	"where",
	"wrapper",
	"abi",
	"args",
	"arg",
	"dyn",
	"fn",
	"float",
	"int",
	"short",
	"bool",
	"new",
	"not",
	"and",
	"xor",
	"to",
};

static bool is_own_word(const char *letters, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_words); i++)
		if (memmem(own_words[i], strlen(own_words[i]), letters, n))
			return true;
	return false;
}

/* Digits do not tell, for some are counted, and some follow a word at once: _Float16. Nor do v0's numbers: 0xffff_. */
bool demangle_is_telling(const char *run, size_t n)
{
	static const char digits[] = "0123456789";
	const char *end = run + n;

	if (memchr(run, 'x', n) && strspn(run, "0123456789abcdefx_") >= n)
		return false;
	while (run < end) {
		size_t letters = strcspn(run, digits);

		letters = letters < (size_t)(end - run) ? letters : (size_t)(end - run);
		/* single letters are names of lifetimes and suffixes of numbers */
		if (letters >= 3 && !is_own_word(run, letters))
			return true;
		run += letters;
		run += run < end ? strspn(run, digits) : 0;
	}
	return false;
}

/* Legacy Rust writes a character as $u7e$; no compiler writes a letter so, but a file can. */
static bool hides_letters(const char *name)
{
	static const char hex[] = "0123456789abcdef";

	for (const char *at = strstr(name, "$u"); at; at = strstr(at + 2, "$u")) {
		const char *high = at[2] ? strchr(hex, at[2]) : NULL, *low = high && at[3] ? strchr(hex, at[3]) : NULL;
		int c = low ? (high - hex) * 16 + (low - hex) : 0;

		if (c == '_' || isalnum(c))
			return true;
	}
	return false;
}

bool demangle_may_hold(const char *name, const char *run)
{
	/* v0 may write a text constant as the hexadecimal digits of its bytes */
	return strstr(name, run) || hides_letters(name) || (name[1] == 'R' && strstr(name, "Ke"));
}
