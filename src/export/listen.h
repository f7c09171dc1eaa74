/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets that listen: on addresses, at paths, and those that the service manager opened for us. */
#ifndef SONDE_EXPORT_LISTEN_H
#define SONDE_EXPORT_LISTEN_H

#include "base/str.h"

struct systemd;

struct listeners {
	struct listener {
		int fd;	    /* does not block, close-on-exec */
		char *path; /* of a socket file that we created; NULL: none */
	} * v;
	size_t n, cap;
};

/*
 * Adds the sockets that `where` names, as server_listen() in server.h says: one, or for "fd:" at least one. Returns 0
 * or -errno with err set.
 */
int listen_add(struct listeners *listeners, const char *where, struct systemd *systemd, struct err *err);
/* Returns 0 if `where` is a place, whether one can listen there or not; otherwise -EINVAL with err set. */
int listen_check(const char *where, struct err *err);
/* Closes them and removes the files that we created, unless another process listens there by now. */
void listen_release(struct listeners *listeners);
/* Appends where they listen: "http://127.0.0.1:9435/metrics, unix:/run/sonde.sock". */
void listen_add_names(const struct listeners *listeners, struct str *s);

#endif
