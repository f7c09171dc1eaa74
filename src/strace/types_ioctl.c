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
#define ARGUMENT_SIZE 4096

static void print_ioctl(struct strace_line *line, unsigned int arg)
{
	static const char *const directions[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE" };
	unsigned int request = strace_arg(line, arg);
	const struct strace_ioctl *known = strace_ioctl_of(request);
	char number[16];

	snprintf(number, sizeof(number), "%#x", request);
	if (known)
		strace_named(line->out, number, "%.*s", (int)known->name_n, known->name);
	else
		strace_named(line->out, number, "_IOC(%s, %#x, %#x, %#x)", directions[request >> 30], request >> 8 & 0xff,
			     request & 0xff, request >> 16 & 0x3fff);
}
const struct strace_type t_ioctl = { print_ioctl };

/* --- files and extents --- */

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
	return is_terminal(request) || is_old_terminal(request) || request == TIOCGWINSZ || request == TIOCSWINSZ ||
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
	else
		return false;
	return true;
}

/* What the table says of an argument; `p`: a pointer to n bytes. */
static void add_by_shape(struct strace_line *line, unsigned int request, const struct strace_ioctl *known, const void *p, size_t n)
{
	const char *shape = known->shape, *end = shape + known->shape_n;
	uint64_t value = strace_arg(line, 2);
	bool filled_in = *shape == '<', in_hex = *shape == '0';

	if (*shape == '=') {
		if (strace_is_narrow(line))
			value = (uint64_t)(int32_t)value;
		p = &value;
		n = sizeof(value);
	} else if (n < (request >> 16 & 0x3fff)) {
		p = NULL;
	}
	shape += *shape == '=' || filled_in || in_hex;
	/* pointers of 32-bit programs have 4 bytes */
	if (strace_is_narrow(line) && memmem(shape, end - shape, "%p8", 3))
		p = NULL;
	if (*shape != 'p' && p && (!filled_in || strace_ok(line)) && strace_shape(line, shape, end - shape, p, n, n))
		return;
	if (in_hex)
		str_addf(line->out, "%#llx", (unsigned long long)value);
	else
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
		add_by_shape(line, request, known, bytes, n);
	else if (has_struct(request))
		strace_address(line->out, value);
	else
		str_addf(line->out, "%#llx", (unsigned long long)value);
}
const struct strace_type t_ioctl_arg = {
	print_ioctl_arg,
	.steps = {
		{ STRACE_BYTES, .from = SELF, .count_from = BEFORE, .wide = STRACE_OF_REQUEST, .scale = 1,
		  .most = ARGUMENT_SIZE, .when = STRACE_TO_EDGE },
	},
};
