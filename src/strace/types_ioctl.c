// SPDX-License-Identifier: BSD-2-Clause
/* ioctl: names of requests, and what they read and write. */
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <sys/ioctl.h>

#include "strace_part.h"
#include "types.h"

#define FICLONE_REQUEST 0x40049409
/* The largest struct that is printed: of terminals. */
#define ARGUMENT_SIZE 36

static const STRACE_FAMILY(ioctls, "???", N(TCGETS), N(TCSETS), { "SNDCTL_TMR_START or TCSETS", TCSETS }, N(TCSETSW),
			   N(TCSETSF), N(TCSBRK), N(TCXONC), N(TCFLSH), N(TIOCEXCL), N(TIOCNXCL), N(TIOCSCTTY),
			   N(TIOCGPGRP), N(TIOCSPGRP), N(TIOCOUTQ), N(TIOCSTI), N(TIOCGWINSZ), N(TIOCSWINSZ), N(FIONREAD),
			   N(TIOCNOTTY), N(FIONBIO), N(TIOCGSID), N(TIOCGPTN), N(TIOCSPTLCK), N(TIOCGPTPEER), N(TIOCSETD),
			   N(TIOCGETD), N(FIONCLEX), N(FIOCLEX), N(FIOASYNC), { "BTRFS_IOC_CLONE or FICLONE", FICLONE_REQUEST },
			   { "FS_IOC_GETFLAGS", 0x80086601 }, { "FS_IOC_SETFLAGS", 0x40086602 },
			   { "FS_IOC_FSGETXATTR", 0x801c581f }, { "FS_IOC_FIEMAP", 0xc020660b }, { "FIFREEZE", 0xc0045877 },
			   { "FITRIM", 0xc0185879 }, { "BLKGETSIZE", 0x1260 }, { "BLKGETSIZE64", 0x80081272 },
			   { "BLKSSZGET", 0x1268 }, { "BLKBSZGET", 0x80081270 }, { "BLKROGET", 0x125e },
			   { "BLKFLSBUF", 0x1261 }, { "BLKRRPART", 0x125f }, { "SIOCGIFNAME", 0x8910 },
			   { "SIOCGIFCONF", 0x8912 }, { "SIOCGIFFLAGS", 0x8913 }, { "SIOCSIFFLAGS", 0x8914 },
			   { "SIOCGIFADDR", 0x8915 }, { "SIOCGIFNETMASK", 0x891b }, { "SIOCGIFMTU", 0x8921 },
			   { "SIOCGIFHWADDR", 0x8927 }, { "SIOCGIFINDEX", 0x8933 }, { "SIOCETHTOOL", 0x8946 },
			   { "SIOCATMARK", 0x8905 }, { "NS_GET_USERNS", 0xb701 }, { "NS_GET_PARENT", 0xb702 },
			   { "NS_GET_NSTYPE", 0xb703 }, { "LOOP_SET_FD", 0x4c00 }, { "LOOP_CLR_FD", 0x4c01 },
			   { "LOOP_GET_STATUS64", 0x4c05 }, { "LOOP_CTL_GET_FREE", 0x4c82 }, { "KVM_GET_API_VERSION", 0xae00 },
			   { "KVM_CREATE_VM", 0xae01 }, { "KVM_RUN", 0xae80 }, { "TUNSETIFF", 0x400454ca });

/* Requests that take no argument. */
static bool is_alone(unsigned int request)
{
	return request == FIOCLEX || request == FIONCLEX || request == TIOCNOTTY || request == TIOCEXCL ||
	       request == TIOCNXCL;
}

static void print_ioctl(struct strace_line *line, unsigned int arg)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE" };
	unsigned int request = strace_arg(line, arg);
	const char *name = strace_name_of(&ioctls, request);

	if (name)
		str_add(line->out, name);
	else
		str_addf(line->out, "_IOC(%s, %#x, %#x, %#x)", directions[request >> 30], request >> 8 & 0xff, request & 0xff,
			 request >> 16 & 0x3fff);
}
const struct strace_type t_ioctl = { print_ioctl };

/* --- terminals --- */

static const STRACE_FAMILY(input_flags, "0", N(IGNBRK), N(BRKINT), N(IGNPAR), N(PARMRK), N(INPCK), N(ISTRIP), N(INLCR),
			   N(IGNCR), N(ICRNL), N(IUCLC), N(IXON), N(IXANY), N(IXOFF), N(IMAXBEL), N(IUTF8));
static const STRACE_FAMILY(output_flags, "0", N(OPOST), N(OLCUC), N(ONLCR), N(OCRNL), N(ONOCR), N(ONLRET), N(OFILL),
			   N(OFDEL));
static const STRACE_FAMILY(control_flags, "0", N(CSTOPB), N(CREAD), N(PARENB), N(PARODD), N(HUPCL), N(CLOCAL),
			   N(CRTSCTS));
static const STRACE_FAMILY(local_flags, "0", N(ISIG), N(ICANON), N(XCASE), N(ECHO), N(ECHOE), N(ECHOK), N(ECHONL),
			   N(NOFLSH), N(TOSTOP), N(ECHOCTL), N(ECHOPRT), N(ECHOKE), N(FLUSHO), N(PENDIN), N(IEXTEN),
			   N(EXTPROC));
static const STRACE_FAMILY(speeds, "B???", N(B0), N(B300), N(B1200), N(B2400), N(B4800), N(B9600), N(B19200), N(B38400),
			   N(B57600), N(B115200), N(B230400), N(B460800), N(B921600));

/* Delays and sizes: fields of the flags, each with a name for each value. */
static void add_output_flags(struct str *out, unsigned int flags)
{
	unsigned int rest = flags & ~(NLDLY | CRDLY | TABDLY | BSDLY | VTDLY | FFDLY);

	str_addf(out, "NL%u|CR%u|TAB%u|BS%u|VT%u|FF%u", !!(flags & NLDLY), (flags & CRDLY) / CR1, (flags & TABDLY) / TAB1,
		 !!(flags & BSDLY), !!(flags & VTDLY), !!(flags & FFDLY));
	if (rest) {
		str_addc(out, '|');
		strace_flags(out, &output_flags, rest);
	}
}

static void add_control_flags(struct str *out, unsigned int flags)
{
	unsigned int rest = flags & ~(CBAUD | CSIZE);

	strace_choice(out, &speeds, flags & CBAUD);
	str_addf(out, "|CS%u", 5 + (flags & CSIZE) / CS6);
	if (rest) {
		str_addc(out, '|');
		strace_flags(out, &control_flags, rest);
	}
}

static void add_characters(struct str *out, const unsigned char characters[NCCS])
{
	static const char *const names[NCCS] = {
		[VINTR] = "VINTR",
		[VQUIT] = "VQUIT",
		[VERASE] = "VERASE",
		[VKILL] = "VKILL",
		[VEOF] = "VEOF",
		[VTIME] = "VTIME",
		[VMIN] = "VMIN",
		[VSWTC] = "VSWTC",
		[VSTART] = "VSTART",
		[VSTOP] = "VSTOP",
		[VSUSP] = "VSUSP",
		[VEOL] = "VEOL",
		[VREPRINT] = "VREPRINT",
		[VDISCARD] = "VDISCARD",
		[VWERASE] = "VWERASE",
		[VLNEXT] = "VLNEXT",
		[VEOL2] = "VEOL2",
	};

	str_add(out, ", c_cc=[");
	for (unsigned int i = 0; i < NCCS; i++) {
		if (names[i])
			str_addf(out, "%s[%s]=%#x", i ? ", " : "", names[i], characters[i]);
		else
			str_addf(out, ", [%u]=%#x", i, characters[i]);
	}
	str_addc(out, ']');
}

static void add_termios(struct strace_line *line, const struct termios *termios)
{
	struct str *out = line->out;

	str_add(out, "{c_iflag=");
	strace_flags(out, &input_flags, termios->c_iflag);
	str_add(out, ", c_oflag=");
	add_output_flags(out, termios->c_oflag);
	str_add(out, ", c_cflag=");
	add_control_flags(out, termios->c_cflag);
	str_add(out, ", c_lflag=");
	strace_flags(out, &local_flags, termios->c_lflag);
	if (line->settings->whole) {
		str_add(out, termios->c_line ? "" : ", c_line=N_TTY");
		if (termios->c_line)
			str_addf(out, ", c_line=%u", termios->c_line);
		add_characters(out, termios->c_cc);
		str_addc(out, '}');
	} else {
		str_add(out, ", ...}");
	}
}

/* --- arguments --- */

static bool is_filled_in(unsigned int request)
{
	return request == TIOCGWINSZ || request == FIONREAD || request == TIOCGPGRP || request == TIOCOUTQ ||
	       request == TCGETS || request == TIOCGPTN || request == TIOCGSID || request == TIOCGETD;
}

static bool is_number(unsigned int request)
{
	return request == FIONREAD || request == FIONBIO || request == TIOCGPGRP || request == TIOCSPGRP ||
	       request == TIOCOUTQ || request == FIOASYNC || request == TIOCGPTN || request == TIOCSPTLCK ||
	       request == TIOCGSID || request == TIOCGETD || request == TIOCSETD;
}

static bool is_terminal(unsigned int request)
{
	return request == TCGETS || request == TCSETS || request == TCSETSW || request == TCSETSF;
}

static void print_ioctl_arg(struct strace_line *line, unsigned int arg)
{
	unsigned int request = strace_arg(line, arg - 1);
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);
	const void *bytes = blob && blob->n == ARGUMENT_SIZE && blob->status != STRACE_UNREAD ? strace_bytes(blob) : NULL;
	const struct winsize *size = bytes;

	if (is_alone(request))
		return;
	if (request == FICLONE_REQUEST || request == TIOCSCTTY || request == TCFLSH || request == TCSBRK)
		str_add_s64(line->out, (int)strace_arg(line, arg));
	else if (!bytes || (is_filled_in(request) && !strace_ok(line)))
		strace_address(line->out, strace_arg(line, arg));
	else if (request == TIOCGWINSZ || request == TIOCSWINSZ)
		str_addf(line->out, "{ws_row=%u, ws_col=%u, ws_xpixel=%u, ws_ypixel=%u}", size->ws_row, size->ws_col,
			 size->ws_xpixel, size->ws_ypixel);
	else if (is_terminal(request))
		add_termios(line, bytes);
	else if (is_number(request))
		str_addf(line->out, "[%d]", *(const int *)bytes);
	else
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_ioctl_arg = { print_ioctl_arg, .steps = { STEP_READS(ARGUMENT_SIZE) } };
