// SPDX-License-Identifier: BSD-2-Clause
/* What descriptors are open on, as -y and -yy print it, and as -P compares it. */
#include <arpa/inet.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "strace_part.h"
#include "types.h"

#define U(X) ((unsigned long long)(X))

#define PIDFS_MAGIC 0x50494446

/* The bytes of a blob, NULL: the descriptor was not open, or was not looked at. */
static const struct strace_file *file_of(const struct strace_blob *blob)
{
	const struct strace_file *file = blob && blob->status == STRACE_WHOLE ? strace_bytes(blob) : NULL;

	if (!file || blob->n < sizeof(*file) || file->path.dirs_size > blob->n - sizeof(*file))
		return NULL;
	return file;
}

/* --- paths --- */

/* The names are there from the innermost out. */
static void add_names(struct str *path, const struct strace_file *file)
{
	const char *end = file->path.text + file->path.dirs_size, *name = end;

	if (file->path.dirs_cut)
		str_add(path, "...");
	while (name > file->path.text) {
		const char *begin = name - 1; /* its NUL */

		while (begin > file->path.text && begin[-1])
			begin--;
		str_addc(path, '/');
		str_addn(path, begin, name - 1 - begin);
		name = begin;
	}
	if (!file->path.dirs_size)
		str_addc(path, '/');
}

static void add_path(struct str *path, const struct strace_file *file)
{
	switch (file->magic) {
	case SOCKFS_MAGIC:
		str_addf(path, "socket:[%llu]", U(file->inode));
		break;
	case STRACE_PIPES:
		str_addf(path, "pipe:[%llu]", U(file->inode));
		break;
	case PIDFS_MAGIC:
		str_add(path, "anon_inode:[pidfd]");
		break;
	case ANON_INODE_FS_MAGIC:
		str_addf(path, "anon_inode:%.*s", (int)file->path.dirs_size, file->path.text);
		break;
	default:
		add_names(path, file);
	}
}

static bool is_nameless(const struct strace_file *file)
{
	return file->magic == SOCKFS_MAGIC || file->magic == PIDFS_MAGIC || file->magic == STRACE_PIPES || file->magic == ANON_INODE_FS_MAGIC;
}

/* A name within < and >. */
void strace_escape_name(struct str *out, const char *text)
{
	for (const char *c = text; *c; c++)
		if (*c == '<' || *c == '>' || *c == '\\' || *c < ' ' || *c >= 0x7f)
			str_addf(out, c[1] >= '0' && c[1] <= '7' ? "\\%03o" : "\\%o", (unsigned char)*c);
		else
			str_addc(out, *c);
}

/* --- sockets --- */

static void add_address(struct str *out, const struct strace_file *file, const unsigned char address[16], uint16_t port)
{
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(file->family, address, text, sizeof(text));
	str_addf(out, file->family == AF_INET6 ? "[%s]:%u" : "%s:%u", text, port);
}

static const char *protocol_of(const struct strace_file *file)
{
	switch (file->protocol) {
	case IPPROTO_TCP:
		return file->family == AF_INET6 ? "TCPv6" : "TCP";
	case IPPROTO_UDP:
		return file->family == AF_INET6 ? "UDPv6" : "UDP";
	case IPPROTO_RAW:
		return file->family == AF_INET6 ? "RAWv6" : "RAW";
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return file->family == AF_INET6 ? "PINGv6" : "PING";
	default:
		return NULL;
	}
}

static void add_inet(struct str *out, const struct strace_file *file, const char *protocol)
{
	str_addf(out, "%s:[", protocol);
	if (!file->own_port) {
		str_addf(out, "%llu]", U(file->inode));
		return;
	}
	add_address(out, file, file->own, file->own_port);
	if (file->peer_port) {
		str_add(out, "->");
		add_address(out, file, file->peer, file->peer_port);
	}
	str_addc(out, ']');
}

static void add_unix(struct strace_line *line, const struct strace_file *file)
{
	size_t size = file->name_size < sizeof(file->name) ? file->name_size : sizeof(file->name);
	const char *type = file->type == SOCK_STREAM ? "-STREAM" : file->type == SOCK_DGRAM ? "-DGRAM"
											    : "-SEQPACKET";

	str_addf(line->out, "UNIX%s:[%llu", type, U(file->inode));
	if (file->peer_inode)
		str_addf(line->out, "->%llu", U(file->peer_inode));
	if (size) {
		str_addc(line->out, ',');
		/* an abstract name begins with a NUL */
		if (!file->name[0])
			str_addc(line->out, '@');
		strace_text(line, file->name + !file->name[0],
			    file->name[0] ? strnlen(file->name, size) : size - 1, false);
	}
	str_addc(line->out, ']');
}

static void add_netlink(struct str *out, const struct strace_file *file)
{
	const char *name = strace_name_of(&strace_netlink_families, file->protocol);

	if (file->peer_inode)
		str_addf(out, "NETLINK:[%s:%llu]", name ? name + strlen("NETLINK_") : "?", U(file->peer_inode));
	else
		str_addf(out, "NETLINK:[%llu]", U(file->inode));
}

/* -yy: false: the socket is none that is known. */
static bool add_socket(struct strace_line *line, const struct strace_file *file)
{
	const char *protocol = protocol_of(file);

	if (file->family == AF_UNIX)
		add_unix(line, file);
	else if ((file->family == AF_INET || file->family == AF_INET6) && protocol)
		add_inet(line->out, file, protocol);
	else if (file->family == AF_NETLINK)
		add_netlink(line->out, file);
	else
		return false;
	return true;
}

/* --- descriptors --- */

static bool is_device(const struct strace_file *file)
{
	return S_ISCHR(file->mode) || S_ISBLK(file->mode);
}

void strace_file(struct strace_line *line, const struct strace_blob *blob)
{
	uint32_t details = line->settings->details;
	const struct strace_file *file = details ? file_of(blob) : NULL;
	bool socket, device;
	struct str path __str = {};

	if (!file)
		return;
	socket = details & STRACE_SOCKS && file->magic == SOCKFS_MAGIC;
	device = details & STRACE_DEVICES && is_device(file);
	if (!(details & STRACE_PATHS) && !socket && !device && !(details & STRACE_PIDFDS && file->pid))
		return;
	str_addc(line->out, '<');
	if (details & STRACE_PIDFDS && file->pid)
		str_addf(line->out, "pid:%u", file->pid);
	else if (!socket || !add_socket(line, file)) {
		add_path(&path, file);
		strace_escape_name(line->out, str_or_empty(path.data));
		if (device)
			str_addf(line->out, "<%s %u:%u>", S_ISCHR(file->mode) ? "char" : "block", file->device >> 20,
				 file->device & 0xfffff);
	}
	str_addc(line->out, '>');
	if (file->unlinked && !is_nameless(file))
		str_add(line->out, "(deleted)");
}

void strace_fd(struct strace_line *line, int fd, const struct strace_blob *blob)
{
	str_add_s64(line->out, fd);
	strace_file(line, blob);
}

char *strace_file_path(const struct strace_blob *blob)
{
	const struct strace_file *file = file_of(blob);
	struct str path __str = {};

	if (!file || is_nameless(file))
		return NULL;
	add_path(&path, file);
	return base_strdup(str_or_empty(path.data));
}

bool strace_returns_fd(const struct strace_call *call)
{
	return call->ret == strace_ret_fd || call->ret == strace_ret_fcntl;
}

void strace_ret_fd(struct strace_line *line)
{
	strace_fd(line, strace_ret(line), strace_ret_blob(line));
}
