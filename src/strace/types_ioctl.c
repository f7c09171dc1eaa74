// SPDX-License-Identifier: BSD-2-Clause
/* ioctl: names of requests, and what they read and write. */
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <sys/ioctl.h>

#include "strace_part.h"
#include "types.h"

#define FICLONE_REQUEST	     0x40049409
#define BLKGETSIZE64_REQUEST 0x80081272
#define BLKSSZGET_REQUEST    0x1268
#define BLKGETZONESZ_REQUEST 0x80041284
#define GETFLAGS_REQUEST     0x80086601
#define SETFLAGS_REQUEST     0x40086602
/* The largest struct that is printed: of interfaces. */
#define ARGUMENT_SIZE 40

/* Names with a size and a direction, and those that are two requests. */
static STRACE_FAMILY(ioctls, "???",
		     { "BTRFS_IOC_CLONE or FICLONE", FICLONE_REQUEST }, { "FS_IOC_GETFLAGS", GETFLAGS_REQUEST },
		     { "FS_IOC_SETFLAGS", SETFLAGS_REQUEST }, { "FS_IOC_FSGETXATTR", 0x801c581f },
		     { "FS_IOC_FIEMAP", 0xc020660b }, { "FIBMAP", 0x1 }, { "FIGETBSZ", 0x2 }, { "FIFREEZE", 0xc0045877 }, { "FITRIM", 0xc0185879 },
		     { "BLKGETSIZE64", BLKGETSIZE64_REQUEST }, { "BLKBSZGET", 0x80081270 },
		     { "TIOCGPTN", TIOCGPTN }, { "TIOCSPTLCK", TIOCSPTLCK }, { "LOOP_CTL_GET_FREE", 0x4c82 },
		     { "KVM_GET_API_VERSION", 0xae00 }, { "KVM_CREATE_VM", 0xae01 }, { "KVM_RUN", 0xae80 },
		     { "TUNSETIFF", 0x400454ca }, { "PERF_EVENT_IOC_PERIOD", 0x40082404 },
		     { "PERF_EVENT_IOC_SET_FILTER", 0x40082406 }, { "PERF_EVENT_IOC_ID", 0x80082407 },
		     { "PERF_EVENT_IOC_SET_BPF", 0x40042408 }, { "UFFDIO_API", 0xc018aa3f },
		     { "FDGETFDCSTAT", 0x80280215 }, { "CDROMAUDIOBUFSIZ or SCSI_IOCTL_GET_IDLUN", 0x5382 },
		     { "SNDCTL_TMR_START or TCSETS", 0x5402 }, { "SNDCTL_TMR_STOP or TCSETSW", 0x5403 },
		     { "SNDCTL_TMR_CONTINUE or TCSETSF", 0x5404 },
		     { "VBG_IOCTL_VMMDEV_REQUEST_BIG or VT_GETSTATE", 0x5603 });

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
	else if (!strace_word_if(line->out, &strace_ioctl_names, request))
		str_addf(line->out, "_IOC(%s, %#x, %#x, %#x)", directions[request >> 30], request >> 8 & 0xff, request & 0xff,
			 request >> 16 & 0x3fff);
}
const struct strace_type t_ioctl = { print_ioctl };

/* --- terminals --- */

static STRACE_FAMILY(input_flags, "0", N(IGNBRK), N(BRKINT), N(IGNPAR), N(PARMRK), N(INPCK), N(ISTRIP), N(INLCR),
		     N(IGNCR), N(ICRNL), N(IUCLC), N(IXON), N(IXANY), N(IXOFF), N(IMAXBEL), N(IUTF8));
static STRACE_FAMILY(output_flags, "0", N(OPOST), N(OLCUC), N(ONLCR), N(OCRNL), N(ONOCR), N(ONLRET), N(OFILL),
		     N(OFDEL));
static STRACE_FAMILY(control_flags, "0", N(CSTOPB), N(CREAD), N(PARENB), N(PARODD), N(HUPCL), N(CLOCAL),
		     N(CRTSCTS));
static STRACE_FAMILY(local_flags, "0", N(ISIG), N(ICANON), N(XCASE), N(ECHO), N(ECHOE), N(ECHOK), N(ECHONL),
		     N(NOFLSH), N(TOSTOP), N(IEXTEN), N(ECHOCTL), N(ECHOPRT), N(ECHOKE), N(FLUSHO), N(PENDIN),
		     N(EXTPROC));
static STRACE_FAMILY(speeds, "B???", N(B0), N(B300), N(B1200), N(B2400), N(B4800), N(B9600), N(B19200), N(B38400),
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

/* --- files, extents and interfaces --- */

static void add_inode_flags(struct str *out, unsigned int value)
{
	static const struct strace_words flags = {
		"FS_", "SECRM_FL UNRM_FL COMPR_FL SYNC_FL IMMUTABLE_FL APPEND_FL NODUMP_FL NOATIME_FL DIRTY_FL COMPRBLK_FL "
		       "NOCOMP_FL ENCRYPT_FL INDEX_FL IMAGIC_FL JOURNAL_DATA_FL NOTAIL_FL DIRSYNC_FL TOPDIR_FL HUGE_FILE_FL "
		       "EXTENT_FL VERITY_FL EA_INODE_FL EOFBLOCKS_FL NOCOW_FL - DAX_FL =0x10000000 INLINE_DATA_FL PROJINHERIT_FL "
		       "CASEFOLD_FL"
	};

	str_addc(out, '[');
	strace_bits(out, &flags, value);
	str_addc(out, ']');
}

/* The kernel changes only how many extents it has found. */
static void add_fiemap(struct strace_line *line, const void *bytes)
{
	static const struct strace_words flags = { "FIEMAP_FLAG_", "SYNC XATTR CACHE" };
	const struct {
		uint64_t start, length;
		uint32_t flags, mapped, count;
	} *map = bytes;

	str_addf(line->out, "{fm_start=%llu, fm_length=", (unsigned long long)map->start);
	if (map->length == UINT64_MAX)
		str_add(line->out, "FIEMAP_MAX_OFFSET");
	else
		str_add_u64(line->out, map->length);
	str_add(line->out, ", fm_flags=");
	strace_bits(line->out, &flags, map->flags);
	str_addf(line->out, ", fm_extent_count=%u}", map->count);
	if (!strace_ok(line))
		return;
	str_add(line->out, " => {fm_flags=");
	strace_bits(line->out, &flags, map->flags);
	str_addf(line->out, ", fm_mapped_extents=%u, ...}", map->mapped);
}

static bool is_interface(unsigned int request)
{
	return request >= 0x8910 && request <= 0x8942 && request != 0x8912;
}

static void add_interface(struct strace_line *line, unsigned int request, const char *bytes)
{
	static const struct strace_words flags = {
		"IFF_", "UP BROADCAST DEBUG LOOPBACK POINTOPOINT NOTRAILERS RUNNING NOARP PROMISC ALLMULTI MASTER SLAVE MULTICAST "
			"PORTSEL AUTOMEDIA DYNAMIC LOWER_UP DORMANT ECHO"
	};
	static const struct {
		unsigned int request;
		const char *name;
	} addresses[] = { { 0x8915, "addr" }, { 0x8917, "dstaddr" }, { 0x8919, "broadaddr" }, { 0x891b, "netmask" } };
	int value;

	memcpy(&value, bytes + 16, sizeof(value));
	if (request == 0x8910) {
		str_addf(line->out, "{ifr_ifindex=%d", value);
		if (strace_ok(line)) {
			str_add(line->out, ", ifr_name=");
			strace_text(line, bytes, strnlen(bytes, 16), false);
		}
		str_addc(line->out, '}');
		return;
	}
	str_add(line->out, "{ifr_name=");
	strace_text(line, bytes, strnlen(bytes, 16), false);
	for (size_t i = 0; strace_ok(line) && i < ARRAY_SIZE(addresses); i++)
		if (request == addresses[i].request) {
			str_addf(line->out, ", ifr_%s=", addresses[i].name);
			strace_sockaddr(line, bytes + 16, 16);
		}
	if (strace_ok(line) && (request == 0x8913 || request == 0x8914)) {
		str_add(line->out, ", ifr_flags=");
		strace_bits(line->out, &flags, (unsigned short)value);
	} else if (strace_ok(line) && request == 0x8927 && (value & 0xffff) == 1) {
		const unsigned char *v = (const unsigned char *)bytes + 18;

		str_addf(line->out, ", ifr_hwaddr={sa_family=ARPHRD_ETHER, sa_data=%02x:%02x:%02x:%02x:%02x:%02x}", v[0], v[1],
			 v[2], v[3], v[4], v[5]);
	} else if (strace_ok(line) && request == 0x8927 && (value & 0xffff) == 772) {
		const unsigned char *v = (const unsigned char *)bytes + 18;

		str_addf(line->out, ", ifr_hwaddr={sa_family=ARPHRD_LOOPBACK, sa_data=%02x:%02x:%02x:%02x:%02x:%02x}", v[0],
			 v[1], v[2], v[3], v[4], v[5]);
	} else if (strace_ok(line) && request == 0x8933) {
		str_addf(line->out, ", ifr_ifindex=%d", value);
	} else if (strace_ok(line) && request == 0x8921) {
		str_addf(line->out, ", ifr_mtu=%d", value);
	} else if (strace_ok(line) && request == 0x8942) {
		str_addf(line->out, ", ifr_qlen=%d", value);
	}
	str_addc(line->out, '}');
}

/* --- arguments --- */

static bool is_filled_in(unsigned int request)
{
	return request == TIOCGWINSZ || request == FIONREAD || request == TIOCGPGRP || request == TIOCOUTQ ||
	       request == TCGETS || request == TIOCGPTN || request == TIOCGSID || request == TIOCGETD ||
	       request == BLKSSZGET_REQUEST || request == BLKGETZONESZ_REQUEST;
}

static bool is_number(unsigned int request)
{
	return request == FIONREAD || request == FIONBIO || request == TIOCGPGRP || request == TIOCSPGRP ||
	       request == TIOCOUTQ || request == FIOASYNC || request == TIOCGPTN || request == TIOCSPTLCK ||
	       request == TIOCGSID || request == TIOCGETD || request == TIOCSETD || request == BLKSSZGET_REQUEST ||
	       request == BLKGETZONESZ_REQUEST;
}

static bool is_terminal(unsigned int request)
{
	return request == TCGETS || request == TCSETS || request == TCSETSW || request == TCSETSF;
}

/* Whether the argument is known to point to something. */
static bool is_pointer(unsigned int request)
{
	return is_terminal(request) || is_number(request) || is_interface(request) || request == TIOCGWINSZ ||
	       request == TIOCSWINSZ || request == 0xc020660b || request == BLKGETSIZE64_REQUEST ||
	       request == GETFLAGS_REQUEST || request == SETFLAGS_REQUEST;
}

static void print_ioctl_arg(struct strace_line *line, unsigned int arg)
{
	unsigned int request = strace_arg(line, arg - 1);
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);
	const void *bytes = blob && blob->n == ARGUMENT_SIZE && blob->status != STRACE_UNREAD ? strace_bytes(blob) : NULL;
	const struct winsize *size = bytes;

	if (is_alone(request))
		return;
	if (request == FICLONE_REQUEST || request == TIOCSCTTY || request == TCFLSH || request == TCSBRK ||
	    (request >= 0x2400 && request <= 0x2405))
		str_add_s64(line->out, (int)strace_arg(line, arg));
	else if (!is_pointer(request))
		str_addf(line->out, "%#llx", (unsigned long long)strace_arg(line, arg));
	else if (!bytes || (is_filled_in(request) && !strace_ok(line)))
		strace_address(line->out, strace_arg(line, arg));
	else if (request == TIOCGWINSZ || request == TIOCSWINSZ)
		str_addf(line->out, "{ws_row=%u, ws_col=%u, ws_xpixel=%u, ws_ypixel=%u}", size->ws_row, size->ws_col,
			 size->ws_xpixel, size->ws_ypixel);
	else if (is_terminal(request))
		add_termios(line, bytes);
	else if (request == BLKGETSIZE64_REQUEST && strace_ok(line))
		str_addf(line->out, "[%llu]", *(const unsigned long long *)bytes);
	else if ((request == GETFLAGS_REQUEST && strace_ok(line)) || request == SETFLAGS_REQUEST)
		add_inode_flags(line->out, *(const unsigned int *)bytes);
	else if (request == 0xc020660b)
		add_fiemap(line, bytes);
	else if (is_interface(request))
		add_interface(line, request, bytes);
	else if (is_number(request))
		str_addf(line->out, "[%d]", *(const int *)bytes);
	else
		strace_address(line->out, strace_arg(line, arg));
}
const struct strace_type t_ioctl_arg = { print_ioctl_arg, .steps = { STEP_READS(ARGUMENT_SIZE) } };
