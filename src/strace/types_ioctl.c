// SPDX-License-Identifier: BSD-2-Clause
/* ioctl: names of requests, and what they read and write. */
#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <sys/ioctl.h>

#include "strace_part.h"
#include "types.h"
#include "types_ioctl.h"
#include "types_shape.h"

#define GETFLAGS_REQUEST  0x80086601
#define SETFLAGS_REQUEST  0x40086602
#define FIEMAP_REQUEST	  0xc020660b
#define OLD_TERMINAL_SIZE 18 /* struct termio */
/* The largest struct that is printed. */
#define ARGUMENT_SIZE 64

static void print_ioctl(struct strace_line *line, unsigned int arg)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE" };
	unsigned int request = strace_arg(line, arg);
	const struct strace_ioctl *known = strace_ioctl_of(request);
	struct str name __str = {};
	char number[16];

	if (known) {
		str_addn(&name, known->name, known->name_n);
		snprintf(number, sizeof(number), "%#x", request);
		strace_constant(line->out, number, name.data);
		return;
	}
	str_addf(line->out, "_IOC(%s, %#x, %#x, %#x)", directions[request >> 30], request >> 8 & 0xff, request & 0xff,
		 request >> 16 & 0x3fff);
}
const struct strace_type t_ioctl = { print_ioctl };

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

#define INTERFACE_SIZE 40

/* Requests of struct ifreq that fill it in; those that read it are in the table. */
static bool is_interface(unsigned int request)
{
	static const unsigned short requests[] = { 0x8910, 0x8913, 0x8915, 0x8917, 0x8919, 0x891b, 0x891d,
						   0x8921, 0x8927, 0x8929, 0x8933, 0x8942, 0x8970 };

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		if (requests[i] == request)
			return true;
	return false;
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
	if (strace_ok(line) && request == 0x8913) {
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

/* struct termio, of System V */
static bool is_old_terminal(unsigned int request)
{
	return request == TCGETA || request == TCSETA || request == TCSETAW || request == TCSETAF;
}

static bool is_terminal(unsigned int request)
{
	return request == TCGETS || request == TIOCGLCKTRMIOS || request == TIOCSLCKTRMIOS || request == TCSETS || request == TCSETSW || request == TCSETSF;
}

static bool has_struct(unsigned int request)
{
	return is_terminal(request) || is_old_terminal(request) || is_interface(request) || request == TIOCGWINSZ || request == TIOCSWINSZ ||
	       request == FIEMAP_REQUEST || request == GETFLAGS_REQUEST || request == SETFLAGS_REQUEST;
}

/* A struct that has a text of its own; returns false for others. */
static bool add_struct(struct strace_line *line, unsigned int request, const void *bytes, size_t n)
{
	const struct winsize *size = bytes;

	if (is_terminal(request) && n >= sizeof(struct termios) && ((request != TCGETS && request != TIOCGLCKTRMIOS) || strace_ok(line)))
		strace_termios(line, bytes);
	else if (is_old_terminal(request) && n >= OLD_TERMINAL_SIZE && (request != TCGETA || strace_ok(line)))
		strace_termio(line, bytes);
	else if ((request == TIOCSWINSZ || (request == TIOCGWINSZ && strace_ok(line))) && n >= sizeof(*size))
		str_addf(line->out, "{ws_row=%u, ws_col=%u, ws_xpixel=%u, ws_ypixel=%u}", size->ws_row, size->ws_col,
			 size->ws_xpixel, size->ws_ypixel);
	else if ((request == SETFLAGS_REQUEST || (request == GETFLAGS_REQUEST && strace_ok(line))) && n >= sizeof(int))
		add_inode_flags(line->out, *(const unsigned int *)bytes);
	else if (request == FIEMAP_REQUEST && n >= 32)
		add_fiemap(line, bytes);
	else if (is_interface(request) && n >= INTERFACE_SIZE)
		add_interface(line, request, bytes);
	else
		return false;
	return true;
}

/* What the table says of an argument; `p`: a pointer to n bytes. */
static void add_by_shape(struct strace_line *line, uint64_t value, const struct strace_ioctl *known, const void *p, size_t n)
{
	const char *shape = known->shape;
	size_t shape_n = known->shape_n;
	bool is_own = *shape == '=', is_filled_in = *shape == '<';

	if (is_own) {
		if (strace_is_narrow(line))
			value = (uint64_t)(int32_t)value;
		p = &value;
		n = sizeof(value);
	}
	shape += is_own || is_filled_in;
	shape_n -= is_own || is_filled_in;
	/* pointers of 32-bit programs have 4 bytes */
	if (strace_is_narrow(line) && memmem(shape, shape_n, "%p8", 3))
		p = NULL;
	if (*shape == 'p' || !p || (is_filled_in && !strace_ok(line)) || !strace_shape(line, shape, shape_n, p, n, n))
		strace_address(line->out, value);
}

static void print_ioctl_arg(struct strace_line *line, unsigned int arg)
{
	unsigned int request = strace_arg(line, arg - 1);
	const struct strace_blob *blob = strace_blob(line, arg, 0, 0);
	const struct strace_ioctl *known = strace_ioctl_of(request);
	uint64_t value = strace_arg(line, arg);
	size_t n = value && blob && blob->status != STRACE_UNREAD ? blob->n : 0;
	const void *bytes = n ? strace_bytes(blob) : NULL;

	if (known && known->shape_n && *known->shape == '-')
		return;
	if (bytes && add_struct(line, request, bytes, n))
		return;
	if (known && known->shape_n)
		add_by_shape(line, value, known, bytes, n);
	else if (has_struct(request))
		strace_address(line->out, value);
	else
		str_addf(line->out, "%#llx", (unsigned long long)value);
}
const struct strace_type t_ioctl_arg = {
	print_ioctl_arg,
	.steps = {
		{ STRACE_BYTES, .from = SELF, .count_from = STRACE_FROM_NONE, .scale = ARGUMENT_SIZE, .most = ARGUMENT_SIZE,
		  .when = STRACE_TO_EDGE },
	},
};
