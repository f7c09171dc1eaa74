// SPDX-License-Identifier: BSD-2-Clause
/*
 * Runs the two demanglers of libiberty within bounds. libiberty bounds its recursion but not its work: a name of
 * 300 bytes may stand for 2^40 types, which it prints, or walks without printing. The size of the text stops the
 * first, a timer of processor time the second. Both leave the demangler with siglongjmp(), because its callback
 * cannot stop it. Knows nothing of patterns.
 */
#include <ctype.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include <libiberty/demangle.h>
#undef ARRAY_SIZE /* ours is the same */

#include "demangle.h"

/* Demangling stops after TICKS_MAX ticks. After GIVE_UP_MAX such names the process demangles no more. */
#define TICK_US	    100000
#define TICKS_MAX   2
#define GIVE_UP_MAX 3
/* The demangler of v0 allocates memory for Unicode names, and a jump out of it leaks some KB. This bounds the leaks. */
#define LEAKS_MAX 100
/* A v0 binder (for<'a, 'b, ...>) whose number of lifetimes has more digits, in base 62, is refused in Unicode names. */
#define BINDER_DIGITS_MAX 2

static __thread struct {
	sigjmp_buf out;
	volatile sig_atomic_t running; /* a demangler that allocates nothing runs: a jump may leave it at any place */
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

/*
 * Signal handler. The timer is not stopped after each name, which would cost as much as demangling; it stops at the
 * first tick without a demangler running.
 */
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
	/* libiberty passes NULL for an empty piece */
	if (!n)
		return;
	memcpy(work.text + work.len, text, n);
	work.len += n;
}

/* Legacy Rust names are C++ names that end in a hash: "17h", 16 hexadecimal digits, "E", and maybe a suffix. */
static bool is_legacy_rust(const char *name)
{
	const char *hash = strstr(name, "17h");

	return hash && strspn(hash + 3, "0123456789abcdef") >= 16;
}

/*
 * Whether a v0 name may hold an identifier that is not ASCII: those begin with 'u' and a digit. Other names may
 * hold that, too.
 */
static bool may_be_unicode(const char *name)
{
	for (const char *u = strchr(name, 'u'); u; u = strchr(u + 1, 'u'))
		if (isdigit((unsigned char)u[1]))
			return name[1] == 'R';
	return false;
}

/* The demangler prints or skips the lifetimes of a binder one by one, however many the number claims. */
static bool may_be_endless(const char *name)
{
	for (const char *g = strchr(name, 'G'); g; g = strchr(g + 1, 'G')) {
		size_t digits = strspn(g + 1, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

		/* a binder follows the letter of an fn (F) or dyn (D) type */
		if (digits > BINDER_DIGITS_MAX && g[1 + digits] == '_' && (g[-1] == 'F' || g[-1] == 'D'))
			return true;
	}
	return false;
}

/* Demangles name, as Rust (without options) or C++, to work.text. False: not possible within the bounds. */
static bool run(const char *name, bool rust, int options)
{
	volatile bool allocates = rust && may_be_unicode(name); /* volatile: read after the jump */
	int jumped, done = 0;

	/* the timer must not interrupt a demangler that allocates: refuse names that could run long */
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

/* A clone that the compiler made, such as a cold part, is not the function itself: appends its suffix to the path. */
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

/* <T>::f becomes T::f if T is a path, not if it is &str or U as Trait. The '>' of an arrow (->) closes no bracket. */
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

/* Cuts what follows the parameters, such as "const". The suffix of a clone stays. */
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

/* --- deciding without demangling --- */

/*
 * Words that a demangler may print though the mangled name does not hold them: types, operators, abbreviations of
 * the standard library, words of special names. All keywords of C++ and Rust are included, for a later version may
 * print more.
 */
static const char own_words[] =
	"alignas alignof allocator anonymous async auto await basic_iostream basic_istream basic_ostream "
	"basic_string bfloat16_t _BitInt boolean byte char char_traits class clone closure co_await _Complex "
	"concept const const_cast constant consteval constexpr constinit construction constructors coroutine "
	"covariant crate ctors decimal128 decltype default delete destructors double dynamic_cast enum "
	"explicit extern _Accum false _Float __float128 _Fract for friend function global guard half hidden "
	"iostream isize _Imaginary impl init initializer inline istream JArray java keyed lambda literal long "
	"__int128 mod module move mut mutable name namespace noexcept non nullptr object operator ostream "
	"package parameter parm private protected public punycode ref reference register reinterpret_cast "
	"requires resource restrict return _Sat self shim signed sizeof static static_cast std str string "
	"struct super temporary template this thread_local throw thunk TLS transaction_safe true type typeid "
	"typeinfo typename ull union unnamed unsafe unsigned usize using variable __vector virtual void "
	"volatile vtable VTT wchar_t where wrapper abi args arg dyn fn float int short bool new not and xor "
	"to";

static bool is_own_word(const char *letters, size_t n)
{
	return memmem(own_words, strlen(own_words), letters, n);
}

/*
 * Ignores digits: demanglers print numbers of their own, some right after a word (_Float16). Ignores hexadecimal
 * numbers of v0, too (0xffff_).
 */
bool demangle_is_telling(const char *run, size_t n)
{
	static const char digits[] = "0123456789";
	const char *end = run + n;

	if (memchr(run, 'x', n) && strspn(run, "0123456789abcdefx_") >= n)
		return false;
	while (run < end) {
		size_t letters = strcspn(run, digits);

		letters = letters < (size_t)(end - run) ? letters : (size_t)(end - run);
		/* demanglers print single letters, too: names of lifetimes, suffixes of numbers */
		if (letters >= 3 && !is_own_word(run, letters))
			return true;
		run += letters;
		run += run < end ? strspn(run, digits) : 0;
	}
	return false;
}

/* Legacy Rust encodes special characters as $u7e$. No compiler encodes letters so, but a hostile file can. */
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
	/* v0 encodes the bytes of a string constant (after "Ke") as hexadecimal digits */
	return strstr(name, run) || hides_letters(name) || (name[1] == 'R' && strstr(name, "Ke"));
}
