// SPDX-License-Identifier: BSD-2-Clause
/* Blobs, texts, numbers and names, as strace writes them. */
#include <signal.h>
#include <sys/stat.h>

#include "strace_part.h"

uint64_t strace_arg(const struct strace_line *line, unsigned int arg)
{
	return (line->enter ? line->enter : line->exit)->args[arg];
}

int64_t strace_ret(const struct strace_line *line)
{
	return line->exit ? line->exit->ret : 0;
}

bool strace_ok(const struct strace_line *line)
{
	return line->exit && !(line->exit->ret < 0 && line->exit->ret >= -4095);
}

static const struct strace_blob *blob_in(const struct strace_record *record, unsigned int tag, size_t nth)
{
	uint32_t at = 0;

	if (!record)
		return NULL;
	while (at + sizeof(struct strace_blob) <= record->size) {
		const struct strace_blob *blob = (const void *)((const char *)(record + 1) + at);
		uint32_t size = (sizeof(*blob) + blob->n + 7U) & ~7U;

		if (sizeof(*blob) + blob->n > record->size - at)
			return NULL;
		if (blob->tag == tag && !nth--)
			return blob;
		at += size;
	}
	return NULL;
}

const struct strace_blob *strace_blob(const struct strace_line *line, unsigned int arg, unsigned int step, size_t nth)
{
	const struct strace_type *type = line->call->args[arg];
	unsigned int tag = arg * STRACE_TYPE_STEPS + step;
	const struct strace_blob *blob = type->enter ? NULL : blob_in(line->exit, tag, nth);

	return blob ? blob : blob_in(line->enter, tag, nth);
}

const struct strace_blob *strace_ret_blob(const struct strace_line *line)
{
	return blob_in(line->exit, STRACE_RET_TAG, 0);
}

bool strace_is_narrow(const struct strace_line *line)
{
	return (line->enter ? line->enter : line->exit)->flags & STRACE_COMPAT;
}

int strace_netlink_protocol(const struct strace_line *line)
{
	const struct strace_blob *blob = blob_in(line->exit, STRACE_NETLINK_TAG, 0);

	return blob && blob->n >= sizeof(int) ? *(const int *)strace_bytes(blob) : -1;
}

const struct strace_blob *strace_before(const struct strace_line *line, unsigned int arg)
{
	struct strace_line before = *line;
	const struct strace_blob *blob;

	before.exit = NULL;
	blob = before.enter ? strace_blob(&before, arg, 0, 0) : NULL;
	return blob && blob->status != STRACE_UNREAD ? blob : strace_blob(line, arg, 0, 0);
}

void strace_address(struct str *out, uint64_t address)
{
	if (address)
		str_addf(out, "0x%llx", (unsigned long long)address);
	else
		str_add(out, "NULL");
}

const void *strace_struct(struct strace_line *line, unsigned int arg, unsigned int step, size_t size)
{
	const struct strace_blob *blob = strace_blob(line, arg, step, 0);

	if (blob && blob->status != STRACE_UNREAD && blob->n >= size)
		return strace_bytes(blob);
	strace_address(line->out, strace_arg(line, arg));
	return NULL;
}

void strace_array(struct strace_line *line, unsigned int arg, unsigned int step, uint64_t n, size_t size,
		  void (*add)(struct strace_line *line, const void *element, size_t index))
{
	strace_array_of(line, strace_blob(line, arg, step, 0), strace_arg(line, arg), n, size, add);
}

void strace_array_of(struct strace_line *line, const struct strace_blob *blob, uint64_t address, uint64_t n, size_t size,
		     void (*add)(struct strace_line *line, const void *element, size_t index))
{
	size_t has = blob && blob->status != STRACE_UNREAD ? blob->n / size : 0;

	if (!address || (n && !has) || n > UINT64_MAX / size) {
		strace_address(line->out, address);
		return;
	}
	str_addc(line->out, '[');
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			str_add(line->out, ", ");
		if (i < has && (line->settings->whole || i < line->settings->size)) {
			add(line, (const char *)strace_bytes(blob) + i * size, i);
			continue;
		}
		str_add(line->out, "...");
		if (i == has && blob->status == STRACE_EDGE)
			str_addf(line->out, " /* %#llx */", (unsigned long long)(address + i * size));
		break;
	}
	str_addc(line->out, ']');
}

void strace_rest_of(struct strace_line *line, const struct strace_blob *blob, size_t known, uint64_t size)
{
	struct strace_settings hex = *line->settings;
	struct strace_line in_hex = *line;
	const char *bytes;
	size_t n, i;

	if (size > STRACE_EXTENSIBLE)
		size = STRACE_EXTENSIBLE;
	if (size <= known)
		return;
	if (!blob || blob->n < size) {
		str_add(line->out, ", ???");
		return;
	}
	n = size - known;
	bytes = (const char *)strace_bytes(blob) + known;
	for (i = 0; i < n && !bytes[i]; i++)
		;
	if (i == n)
		return;
	str_addf(line->out, ", /* bytes %zu..%llu */ ", known, (unsigned long long)size - 1);
	hex.hex = 2;
	in_hex.settings = &hex;
	if (n > line->settings->size)
		n = line->settings->size;
	strace_text(&in_hex, bytes, n, size - known > n);
}

void strace_rest(struct strace_line *line, unsigned int arg, size_t known, uint64_t size)
{
	strace_rest_of(line, strace_blob(line, arg, 0, 0), known, size);
}

/* --- text --- */

static void add_escaped(struct str *out, unsigned char c, bool digit_follows, bool hex)
{
	static const char letters[] = "\tt\nn\vv\ff\rr";

	for (const char *l = letters; *l; l += 2)
		if (c == (unsigned char)*l) {
			str_addc(out, '\\');
			str_addc(out, l[1]);
			return;
		}
	if (c == '"' || c == '\\') {
		str_addc(out, '\\');
		str_addc(out, c);
	} else if (c >= ' ' && c < 0x7f) {
		str_addc(out, c);
	} else if (hex) {
		str_addf(out, "\\x%02x", c);
	} else {
		/* as short as possible, if what follows is no digit of the same number */
		str_addf(out, digit_follows ? "\\%03o" : "\\%o", c);
	}
}

/* -x: only texts with bytes that are not printable are in hex; -xx: all are. */
static bool in_hex(const struct strace_settings *settings, const unsigned char *bytes, size_t n)
{
	if (!strace_hex(settings))
		return false;
	if (settings->hex > 1)
		return true;
	for (size_t i = 0; i < n; i++)
		if (bytes[i] >= 0x7f || (bytes[i] < ' ' && !strchr("\t\n\v\f\r", bytes[i])) || !bytes[i])
			return true;
	return false;
}

void strace_text(struct strace_line *line, const void *bytes, size_t n, bool cut)
{
	const unsigned char *text = bytes;
	bool hex = in_hex(line->settings, text, n);

	str_addc(line->out, '"');
	for (size_t i = 0; i < n; i++) {
		if (hex)
			str_addf(line->out, "\\x%02x", text[i]);
		else
			add_escaped(line->out, text[i], i + 1 < n && text[i + 1] >= '0' && text[i + 1] <= '7',
				    line->settings->hex == STRACE_HEX_CHARS);
	}
	str_add(line->out, cut ? "\"..." : "\"");
}

void strace_string(struct strace_line *line, const struct strace_blob *blob, uint64_t address, bool is_path)
{
	const char *text;
	size_t n, most = is_path ? 4095 : line->settings->size;

	if (!blob || blob->status == STRACE_UNREAD) {
		strace_address(line->out, address);
		return;
	}
	text = strace_bytes(blob);
	n = strnlen(text, blob->n);
	strace_text(line, text, n < most ? n : most, n > most || blob->status == STRACE_SHORT);
}

/* --- names --- */

const char *strace_name_of(const struct strace_family *family, uint64_t value)
{
	for (const struct strace_name *name = family->v; name->name; name++)
		if (name->value == value)
			return name->name;
	return NULL;
}

/* separator: what stands before the first name. If that is nothing, bits of which none has a name are not added. */
static void add_names(struct str *out, const struct strace_family *family, uint64_t value, const char *separator)
{
	uint64_t left = value;

	for (const struct strace_name *name = family->v; name->name; name++) {
		if (!name->value || (left & name->value) != name->value)
			continue;
		str_addf(out, "%s%s", separator, name->name);
		separator = "|";
		left &= ~name->value;
	}
	if (left && *separator)
		str_addf(out, "|%#llx", (unsigned long long)left);
}

void strace_flags_more(struct str *out, const struct strace_family *family, uint64_t value)
{
	if (strace_style() == STRACE_NAMES) {
		add_names(out, family, value, "|");
	} else if (value) {
		str_addc(out, '|');
		strace_flags(out, family, value);
	}
}

void strace_flags(struct str *out, const struct strace_family *family, uint64_t value)
{
	const char *exact = strace_name_of(family, value);
	struct str names __str = {};
	char number[32];

	snprintf(number, sizeof(number), "%#llx", (unsigned long long)value);
	if (!exact)
		add_names(&names, family, value, "");
	if (exact || names.len || !value)
		strace_constant(out, number, exact ? exact : names.data);
	else if (strace_style() == STRACE_NUMBERS)
		str_add(out, number);
	else
		str_addf(out, "%s /* %s */", number, family->unknown);
}

void strace_choice(struct str *out, const struct strace_family *family, uint64_t value)
{
	const char *name = strace_name_of(family, value);
	char number[32];

	snprintf(number, sizeof(number), "%#llx", (unsigned long long)value);
	if (name || strace_style() == STRACE_NUMBERS)
		strace_constant(out, number, name);
	else
		str_addf(out, "%s /* %s */", number, family->unknown);
}

void strace_signal_name(struct str *out, int64_t number)
{
	static const char *const names[] = {
		[SIGHUP] = "HUP",
		[SIGINT] = "INT",
		[SIGQUIT] = "QUIT",
		[SIGILL] = "ILL",
		[SIGTRAP] = "TRAP",
		[SIGABRT] = "ABRT",
		[SIGBUS] = "BUS",
		[SIGFPE] = "FPE",
		[SIGKILL] = "KILL",
		[SIGUSR1] = "USR1",
		[SIGSEGV] = "SEGV",
		[SIGUSR2] = "USR2",
		[SIGPIPE] = "PIPE",
		[SIGALRM] = "ALRM",
		[SIGTERM] = "TERM",
		[SIGSTKFLT] = "STKFLT",
		[SIGCHLD] = "CHLD",
		[SIGCONT] = "CONT",
		[SIGSTOP] = "STOP",
		[SIGTSTP] = "TSTP",
		[SIGTTIN] = "TTIN",
		[SIGTTOU] = "TTOU",
		[SIGURG] = "URG",
		[SIGXCPU] = "XCPU",
		[SIGXFSZ] = "XFSZ",
		[SIGVTALRM] = "VTALRM",
		[SIGPROF] = "PROF",
		[SIGWINCH] = "WINCH",
		[SIGIO] = "IO",
		[SIGPWR] = "PWR",
		[SIGSYS] = "SYS",
	};

	if (number > 0 && number < (int64_t)ARRAY_SIZE(names))
		str_addf(out, "SIG%s", names[number]);
	else if (number == 32)
		str_add(out, "SIGRTMIN");
	else if (number > 32 && number <= 64)
		str_addf(out, "SIGRT_%d", (int)number - 32);
	else
		str_add_s64(out, number);
}

void strace_signal(struct str *out, int64_t number)
{
	struct str name __str = {};
	char decimal[32];

	strace_signal_name(&name, number);
	snprintf(decimal, sizeof(decimal), "%lld", (long long)number);
	strace_constant(out, decimal, strcmp(name.data, decimal) ? name.data : NULL);
}

void strace_sigset(struct str *out, const void *mask, size_t n)
{
	int signals = n < sizeof(uint64_t) ? (int)n * 8 : 64, set;
	uint64_t bits = 0;
	const char *separator = "";

	memcpy(&bits, mask, n < sizeof(bits) ? n : sizeof(bits));
	set = __builtin_popcountll(bits);
	/* more than two thirds: those that are missing are fewer */
	if (set && set >= signals * 2 / 3) {
		str_addc(out, '~');
		bits = ~bits;
	}
	str_addc(out, '[');
	for (int i = 1; i <= signals; i++) {
		struct str name __str = {};
		char decimal[16];

		if (!(bits >> (i - 1) & 1))
			continue;
		strace_signal_name(&name, i);
		snprintf(decimal, sizeof(decimal), "%d", i);
		str_add(out, separator);
		strace_constant(out, decimal, strncmp(name.data, "SIG", 3) ? name.data : name.data + 3);
		separator = " ";
	}
	str_addc(out, ']');
}

void strace_mode(struct str *out, uint32_t mode, bool with_kind)
{
	static const struct strace_name kinds[] = {
		N(S_IFREG), N(S_IFSOCK), N(S_IFIFO), N(S_IFLNK), N(S_IFDIR), N(S_IFBLK), N(S_IFCHR), {}
	};
	static const struct strace_name bits[] = { N(S_ISUID), N(S_ISGID), N(S_ISVTX), {} };

	uint32_t left = mode;
	struct str names __str = {};
	char number[16];

	for (const struct strace_name *kind = kinds; with_kind && kind->name; kind++)
		if ((left & S_IFMT) == kind->value) {
			str_addf(&names, "%s|", kind->name);
			left &= ~S_IFMT;
		}
	/* without a kind that is known the rest is one number */
	for (const struct strace_name *bit = bits; with_kind && (names.len || !(mode & S_IFMT)) && bit->name; bit++)
		if (left & bit->value) {
			str_addf(&names, "%s|", bit->name);
			left &= ~bit->value;
		}
	snprintf(number, sizeof(number), "%#03o", mode);
	if (names.len)
		str_addf(&names, "%#03o", left);
	strace_constant(out, number, names.data);
}

void strace_timespec(struct str *out, const void *bytes)
{
	int64_t time[2];

	memcpy(time, bytes, sizeof(time));
	str_addf(out, "{tv_sec=%lld, tv_nsec=%llu}", (long long)time[0], (unsigned long long)time[1]);
}

void strace_timeval(struct str *out, const void *bytes)
{
	int64_t time[2];

	memcpy(time, bytes, sizeof(time));
	str_addf(out, "{tv_sec=%lld, tv_usec=%llu}", (long long)time[0], (unsigned long long)time[1]);
}

void strace_error(struct str *out, int error)
{
	/* what the kernel returns to itself, when a signal ends a call that it may begin again */
	static const struct {
		int error;
		const char *name, *text;
	} own[] = {
		{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
		{ 513, "ERESTARTNOINTR", "To be restarted" },
		{ 514, "ERESTARTNOHAND", "To be restarted if no handler" },
		{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (own[i].error == error) {
			str_addf(out, "? %s (%s)", own[i].name, own[i].text);
			return;
		}
	if (strerrorname_np(error))
		str_addf(out, "-1 %s (%s)", strerrorname_np(error), strerror(error));
	else
		str_addf(out, "-1 (errno %d)", error);
}
