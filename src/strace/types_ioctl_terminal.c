// SPDX-License-Identifier: BSD-2-Clause
/* What ioctl says of terminals. */
#include <asm/termbits.h>

#include "strace_part.h"
#include "types.h"
#include "types_ioctl.h"

/* Bits from the first name on: the next name is the next bit. */
static const struct strace_words input_flags = {
	"", "IGNBRK BRKINT IGNPAR PARMRK INPCK ISTRIP INLCR IGNCR ICRNL IUCLC IXON IXANY IXOFF IMAXBEL IUTF8"
};
static const struct strace_words output_flags = { "", "OPOST OLCUC ONLCR OCRNL ONOCR ONLRET OFILL OFDEL" };
static const struct strace_words control_flags = {
	"", "=0x40 CSTOPB CREAD PARENB PARODD HUPCL CLOCAL =0x40000000 CMSPAR CRTSCTS"
};
static const struct strace_words local_flags = {
	"", "ISIG ICANON XCASE ECHO ECHOE ECHOK ECHONL NOFLSH =0x8000 IEXTEN =0x200 ECHOCTL ECHOPRT ECHOKE FLUSHO =0x4000 "
	    "PENDIN =0x100 TOSTOP =0x10000 EXTPROC"
};
static const struct strace_words speeds = {
	"B", "0 50 75 110 134 150 200 300 600 1200 1800 2400 4800 9600 19200 38400 =0x1000 OTHER 57600 115200 230400 460800 "
	     "500000 576000 921600 1000000 1152000 1500000 2000000 2500000 3000000 3500000 4000000"
};
static const struct strace_words disciplines = {
	"N_", "TTY SLIP MOUSE PPP STRIP AX25 X25 6PACK MASC R3964 PROFIBUS_FDL IRDA SMSBLOCK HDLC SYNC_PPP HCI GIGASET_M101 "
	      "SLCAN PPS V253 CAIF GSM0710 TI_WL TRACESINK TRACEROUTER NCI SPEAKUP NULL MCTP DEVELOPMENT CAN327"
};

/* Names joined by '|', and what has none; nothing for 0. */
static void add_flags(struct str *out, const struct strace_words *words, unsigned int flags)
{
	struct str text __str = {};
	char *comment;

	if (!flags)
		return;
	strace_bits(&text, words, flags);
	comment = strstr(text.data, " /*");
	str_addn(out, text.data, comment ? (size_t)(comment - text.data) : text.len);
}

/* Delays and sizes: fields of the flags, each with a name for each value. */
static void add_output_flags(struct str *out, unsigned int flags)
{
	static const char *const tabs[] = { "TAB0", "TAB1", "TAB2", "XTABS" };

	str_addf(out, "NL%u|CR%u|%s|BS%u|VT%u|FF%u|", !!(flags & NLDLY), (flags & CRDLY) / CR1, tabs[(flags & TABDLY) / TAB1],
		 !!(flags & BSDLY), !!(flags & VTDLY), !!(flags & FFDLY));
	add_flags(out, &output_flags, flags & ~(NLDLY | CRDLY | TABDLY | BSDLY | VTDLY | FFDLY));
}

static void add_control_flags(struct str *out, unsigned int flags)
{
	unsigned int input = flags >> IBSHIFT & CBAUD;

	strace_word(out, &speeds, flags & CBAUD);
	if (input) {
		str_addc(out, '|');
		strace_word(out, &speeds, input);
		str_add(out, "<<IBSHIFT");
	}
	str_addf(out, "|CS%u|", 5 + (flags & CSIZE) / CS6);
	add_flags(out, &control_flags, flags & ~(CBAUD | CSIZE | (unsigned int)CBAUD << IBSHIFT));
}

static void add_characters(struct str *out, const unsigned char *characters, size_t n)
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
	for (size_t i = 0; i < n; i++) {
		str_add(out, i ? ", " : "");
		if (names[i])
			str_addf(out, "[%s]=%#x", names[i], characters[i]);
		else
			str_addf(out, "[%zu]=%#x", i, characters[i]);
	}
	str_addc(out, ']');
}

static void add_terminal(struct strace_line *line, const struct termios *termios, size_t n_characters)
{
	struct str *out = line->out;

	str_add(out, "{c_iflag=");
	add_flags(out, &input_flags, termios->c_iflag);
	str_add(out, ", c_oflag=");
	add_output_flags(out, termios->c_oflag);
	str_add(out, ", c_cflag=");
	add_control_flags(out, termios->c_cflag);
	str_add(out, ", c_lflag=");
	add_flags(out, &local_flags, termios->c_lflag);
	if (line->settings->whole) {
		str_add(out, ", c_line=");
		strace_word(out, &disciplines, termios->c_line);
		add_characters(out, termios->c_cc, n_characters);
		str_addc(out, '}');
	} else {
		str_add(out, ", ...}");
	}
}

void strace_termios(struct strace_line *line, const void *bytes)
{
	struct termios termios;

	memcpy(&termios, bytes, sizeof(termios));
	add_terminal(line, &termios, NCCS);
}

void strace_termio(struct strace_line *line, const void *bytes)
{
	const unsigned short *flags = bytes;
	const unsigned char *rest = (const unsigned char *)bytes + 8;
	struct termios termios = {
		.c_iflag = flags[0],
		.c_oflag = flags[1],
		.c_cflag = flags[2],
		.c_lflag = flags[3],
		.c_line = rest[0],
	};

	memcpy(termios.c_cc, rest + 1, 8);
	add_terminal(line, &termios, 8);
}
