// SPDX-License-Identifier: BSD-2-Clause
/*
 * Opens the sockets. Host names are not looked up: a static program has no resolver, and a service should not wait for
 * one.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "listen.h"
#include "run/systemd.h"

/* Clients that wait until we accept them. The kernel lowers it to net.core.somaxconn. */
#define BACKLOG 1024
/* Members of the socket file's group may connect. */
#define SOCKET_MODE 0660

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un un;
};

static struct listener *add(struct listeners *listeners, int fd)
{
	struct listener *listener = vec_push(listeners);

	*listener = (struct listener){ .fd = fd };
	return listener;
}

static int family_of(int fd)
{
	int family = AF_UNSPEC;
	socklen_t size = sizeof(family);

	getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size);
	return family;
}

/*
 * A client that connects and sends nothing waits in the kernel, for about a second, and takes no place of ours
 * meanwhile. Errors do not matter.
 */
static void defer(int fd)
{
	int family = family_of(fd), seconds = 1;

	if (family == AF_INET || family == AF_INET6)
		setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof(seconds));
}

/* --- addresses --- */

/* Sets the scope of "fe80::1%eth0" and ends the text before it. */
static bool take_scope(char *host, struct sockaddr_in6 *v6)
{
	char *percent = strchr(host, '%');

	if (!percent)
		return true;
	*percent = '\0';
	v6->sin6_scope_id = if_nametoindex(percent + 1);
	return v6->sin6_scope_id;
}

static bool parse_port(const char *text, in_port_t *port)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*port = htons(value);
	return *text >= '0' && *text <= '9' && !*end && value <= 65535;
}

/* Splits "HOST:PORT" and "[HOST]:PORT" and reads both. Returns the address' size, or 0. */
static socklen_t parse_address(const char *where, union address *address)
{
	const char *colon = strrchr(where, ':');
	char *host __free = NULL;
	in_port_t port;

	if (!colon || !parse_port(colon + 1, &port))
		return 0;
	host = base_strndup(where, colon - where);
	*address = (union address){};
	if (*host == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = '\0';
		address->v6 = (struct sockaddr_in6){ AF_INET6, port };
		if (take_scope(host + 1, &address->v6) && inet_pton(AF_INET6, host + 1, &address->v6.sin6_addr) == 1)
			return sizeof(address->v6);
	} else if (*host) {
		address->v4 = (struct sockaddr_in){ AF_INET, port };
		if (inet_pton(AF_INET, strcmp(host, "localhost") ? host : "127.0.0.1", &address->v4.sin_addr) == 1)
			return sizeof(address->v4);
	} else {
		address->v6 = (struct sockaddr_in6){ AF_INET6, port, .sin6_addr = in6addr_any };
		return sizeof(address->v6);
	}
	return 0;
}

/* Returns a socket that listens, or -errno. */
static int open_address(const union address *address, socklen_t size)
{
	int fd __close = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1, off = 0;

	if (fd < 0)
		return -errno;
	/* The connections of the process before us may still be winding down. Two listeners are refused nonetheless. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (address->any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, &address->any, size) || listen(fd, BACKLOG))
		return -errno;
	return take_fd(fd);
}

static int say_why(const char *where, int code, struct err *err)
{
	switch (code) {
	case -EADDRINUSE:
		return err_set(err, code, "cannot listen on %s: another program does", where);
	case -EADDRNOTAVAIL:
		return err_set(err, code, "cannot listen on %s: this machine has no such address", where);
	case -EACCES:
		return err_set(err, code, "cannot listen on %s: ports below 1024 need CAP_NET_BIND_SERVICE", where);
	default:
		return err_set(err, code, "cannot listen on %s: %s", where, strerror(-code));
	}
}

static int no_place(const char *where, struct err *err)
{
	return err_set(err, -EINVAL,
		       "\"%s\" is not an address to listen on: ADDRESS:PORT, [ADDRESS]:PORT, unix:PATH or fd:", where);
}

static int add_address(struct listeners *listeners, const char *where, struct err *err)
{
	union address address;
	socklen_t size = parse_address(where, &address);
	int fd;

	if (!size)
		return no_place(where, err);
	fd = open_address(&address, size);
	/* All addresses of a machine without IPv6. */
	if ((fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL) && *where == ':') {
		address.v4 = (struct sockaddr_in){ AF_INET, address.v6.sin6_port };
		fd = open_address(&address, sizeof(address.v4));
	}
	if (fd < 0)
		return say_why(where, fd, err);
	add(listeners, fd);
	return 0;
}

/* --- files --- */

static int set_path(struct sockaddr_un *un, const char *path, struct err *err)
{
	*un = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (!*path || strlen(path) >= sizeof(un->sun_path))
		return err_set(err, -EINVAL, "\"unix:%s\" is not an address to listen on: a path has 1 to %zu bytes", path,
			       sizeof(un->sun_path) - 1);
	strcpy(un->sun_path, path);
	return 0;
}

/* Returns the process that listens at the path: -errno if none does, 0 if it is not to be seen. */
static pid_t who_listens(const struct sockaddr_un *un)
{
	int fd __close = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred peer = {};
	socklen_t size = sizeof(peer);

	if (fd < 0)
		return -errno;
	if (!connect(fd, (const struct sockaddr *)un, sizeof(*un)))
		return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) ? 0 : peer.pid;
	/* The queue of a listener is full, or it has another type: somebody is there. */
	return errno == EAGAIN || errno == EPROTOTYPE ? 0 : -errno;
}

/* Makes room for a socket file: removes one that nobody listens at. Returns 0 or -errno. */
static int remove_dead(const struct sockaddr_un *un)
{
	struct stat st;
	pid_t pid;

	if (lstat(un->sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	pid = who_listens(un);
	if (pid >= 0)
		return -EADDRINUSE;
	if (pid != -ECONNREFUSED)
		return pid;
	return unlink(un->sun_path) && errno != ENOENT ? -errno : 0;
}

/*
 * Creates the socket file. bind() gives it the socket's mode less the umask. A chmod() afterwards would follow a link
 * that somebody has put there meanwhile.
 */
static int open_path(const struct sockaddr_un *un)
{
	int fd __close = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), ret;
	mode_t mask;

	if (fd < 0 || fchmod(fd, SOCKET_MODE))
		return -errno;
	mask = umask(0);
	ret = bind(fd, (const struct sockaddr *)un, sizeof(*un)) ? -errno : 0;
	umask(mask);
	if (ret)
		return ret;
	if (listen(fd, BACKLOG)) {
		int error = -errno;

		unlink(un->sun_path);
		return error;
	}
	return take_fd(fd);
}

static int add_path(struct listeners *listeners, const char *path, struct err *err)
{
	struct sockaddr_un un;
	int fd = set_path(&un, path, err);

	if (fd)
		return fd;
	fd = remove_dead(&un);
	if (!fd)
		fd = open_path(&un);
	if (fd == -EEXIST)
		return err_set(err, fd, "cannot listen on unix:%s: the file exists and is not a socket", path);
	if (fd == -EADDRINUSE)
		return err_set(err, fd, "cannot listen on unix:%s: another program does", path);
	if (fd < 0)
		return err_set(err, fd, "cannot listen on unix:%s: %s", path, strerror(-fd));
	add(listeners, fd)->path = base_strdup(path);
	return 0;
}

/* Removes the file of one of our sockets, which listens still. */
static void remove_own(const char *path)
{
	struct sockaddr_un un;
	struct err err = {};

	if (!set_path(&un, path, &err) && who_listens(&un) == getpid())
		unlink(path);
}

/* --- sockets that were passed --- */

static bool is_listening(int fd)
{
	int type = 0, on = 0;
	socklen_t size = sizeof(int);

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_STREAM &&
	       !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &size) && on;
}

/* The store's descriptors come in the same list, but none of them listens. */
static int add_passed(struct listeners *listeners, const char *name, struct systemd *systemd, struct err *err)
{
	size_t n = listeners->n;

	if (systemd) {
		vec_each(passed, systemd) {
			if (passed->fd < 0 || (*name && strcmp(name, passed->name)) || !is_listening(passed->fd))
				continue;
			fcntl(passed->fd, F_SETFL, fcntl(passed->fd, F_GETFL) | O_NONBLOCK);
			add(listeners, take_fd(passed->fd));
		}
	}
	if (listeners->n > n)
		return 0;
	return err_set(err, -ENOENT, "cannot listen on fd%s%s: no service manager passed such a socket that listens",
		       *name ? ":" : "", name);
}

int listen_add(struct listeners *listeners, const char *where, struct systemd *systemd, struct err *err)
{
	size_t n = listeners->n;
	int ret;

	if (!strncmp(where, "unix:", 5))
		ret = add_path(listeners, where + 5, err);
	else if (!strncmp(where, "fd:", 3))
		ret = add_passed(listeners, where + 3, systemd, err);
	else
		ret = add_address(listeners, where, err);
	for (; n < listeners->n; n++)
		defer(listeners->v[n].fd);
	return ret;
}

int listen_check(const char *where, struct err *err)
{
	union address address;
	struct sockaddr_un un;

	if (!strncmp(where, "unix:", 5))
		return set_path(&un, where + 5, err);
	return !strncmp(where, "fd:", 3) || parse_address(where, &address) ? 0 : no_place(where, err);
}

void listen_release(struct listeners *listeners)
{
	vec_each(listener, listeners) {
		if (listener->path)
			remove_own(listener->path);
		close(listener->fd);
		free(listener->path);
	}
	free(listeners->v);
	*listeners = (struct listeners){};
}

static void add_name(struct str *s, int fd)
{
	union address address = {};
	socklen_t size = sizeof(address);
	char text[INET6_ADDRSTRLEN] = "";

	if (getsockname(fd, &address.any, &size)) {
		str_add(s, "?");
	} else if (address.any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &address.v4.sin_addr, text, sizeof(text));
		str_addf(s, "http://%s:%u/metrics", text, ntohs(address.v4.sin_port));
	} else if (address.any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &address.v6.sin6_addr, text, sizeof(text));
		str_addf(s, "http://[%s]:%u/metrics", text, ntohs(address.v6.sin6_port));
	} else {
		bool abstract = size > offsetof(struct sockaddr_un, sun_path) && !address.un.sun_path[0];
		const char *path = address.un.sun_path + abstract;

		str_addf(s, "unix:%s%.*s", abstract ? "@" : "",
			 (int)strnlen(path, sizeof(address.un.sun_path) - abstract), path);
	}
}

void listen_add_names(const struct listeners *listeners, struct str *s)
{
	vec_each(listener, listeners) {
		if (listener != listeners->v)
			str_add(s, ", ");
		add_name(s, listener->fd);
	}
}
