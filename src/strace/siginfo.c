// SPDX-License-Identifier: BSD-2-Clause
/* What the kernel says of a signal, when it is delivered. */
#include <signal.h>

#include "strace_part.h"

/* In hundredths of a second, whatever the kernel's clock. */
static void add_ticks(struct str *out, const char *name, long long ticks)
{
	str_addf(out, "%s%lld", name, ticks);
	if (ticks)
		str_addf(out, " /* %lld.%02lld s */", ticks / 100, ticks % 100);
}

static void add_sender(struct strace_line *line, const int *v)
{
	str_add(line->out, ", si_pid=");
	strace_pid(line, v[4]);
	str_addf(line->out, ", si_uid=%u", v[5]);
}

void strace_siginfo_bytes(struct strace_line *line, const void *bytes, int signal)
{
	static STRACE_FAMILY(codes, "SI_???", { "SI_USER", 0 }, { "SI_KERNEL", 0x80 }, { "SI_QUEUE", -1U },
			     { "SI_TIMER", -2U }, { "SI_TKILL", -6U });
	static STRACE_FAMILY(children, "CLD_???", { "CLD_EXITED", 1 }, { "CLD_KILLED", 2 }, { "CLD_DUMPED", 3 },
			     { "CLD_TRAPPED", 4 }, { "CLD_STOPPED", 5 }, { "CLD_CONTINUED", 6 });
	static STRACE_FAMILY(faults, "SEGV_???", { "SEGV_MAPERR", 1 }, { "SEGV_ACCERR", 2 }, { "SEGV_BNDERR", 3 },
			     { "SEGV_PKUERR", 4 });
	struct str *out = line->out;
	const int *v = bytes;
	int code = v ? v[2] : 0;
	bool is_child = signal == SIGCHLD && code > 0;
	bool is_fault = code > 0 && code < 0x80 &&
			(signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
			 signal == SIGTRAP);
	/* a fault without an address, which is 0 */
	bool is_protection = code == SI_KERNEL && (signal == SIGSEGV || signal == SIGBUS);

	str_add(out, "{si_signo=");
	strace_signal(out, signal);
	str_add(out, ", si_code=");
	strace_choice(out, is_child ? &children : is_fault && signal == SIGSEGV ? &faults
										: &codes,
		      (unsigned int)code);
	if (!v) {
		str_add(out, ", si_pid=0, si_uid=0");
	} else if (is_child) {
		const long long *times = bytes;

		add_sender(line, v);
		str_add(out, ", si_status=");
		if (code == 1)
			str_add_s64(out, v[6]);
		else
			strace_signal(out, v[6]);
		add_ticks(out, ", si_utime=", times[4]);
		add_ticks(out, ", si_stime=", times[5]);
	} else if (is_fault || is_protection) {
		str_add(out, ", si_addr=");
		strace_address(out, *(const uint64_t *)(v + 4));
	} else if (code == SI_TIMER) {
		str_addf(out, ", si_timerid=%d, si_overrun=%d, si_int=%d, si_ptr=", v[4], v[5], v[6]);
		strace_address(out, *(const uint64_t *)(v + 6));
	} else if (code <= 0) { /* a positive one is the kernel's, which has other members */
		add_sender(line, v);
	}
	str_addc(out, '}');
}

void strace_siginfo(struct strace_line *line)
{
	const struct strace_record *record = line->exit;
	const struct strace_blob *blob = (const void *)(record + 1);
	bool known = record->size >= sizeof(*blob) + STRACE_SIGINFO && blob->status == STRACE_WHOLE &&
		     blob->n >= STRACE_SIGINFO;

	strace_siginfo_bytes(line, known ? strace_bytes(blob) : NULL, record->nr);
}
