/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HTTP/1.1 as a scraper speaks it (RFC 9110, RFC 9112): a request from bytes, the choice of a content type, the head of
 * an answer. Knows no sockets and no pages; nothing here allocates but struct str.
 */
#ifndef SONDE_EXPORT_HTTP_H
#define SONDE_EXPORT_HTTP_H

#include "base/str.h"

/* A request line and its fields have this many bytes at most. */
#define HTTP_REQUEST_MAX 4096

/* Bytes of the request's memory, without a NUL. */
struct http_text {
	const char *data;
	size_t n;
};

struct http_request {
	bool head;		 /* HEAD: the answer is sent without its body */
	bool keep;		 /* the connection stays open after the answer */
	struct http_text path;	 /* without the query: "/metrics" */
	struct http_text fields; /* the field lines, which are well formed; the last one ends with LF */
	size_t size;		 /* bytes of the whole request: the next one begins behind them */
};

/*
 * Parses the request at the beginning of n bytes. Returns
 * - 0: *request is set, and points into data
 * - -EAGAIN: these bytes can begin a request, but do not hold all of it
 * - the status of the answer that refuses them: 400, 405, 414, 431, 505. The connection must be closed after it,
 *   because nobody knows where the next request begins; request->head is valid, so that HEAD gets no body.
 * Methods but GET and HEAD are refused, and so are bodies. Lines may end with LF alone. A request of HTTP/1.0 is
 * answered once.
 */
int http_parse(const char *data, size_t n, struct http_request *request);

/*
 * Returns the index of the content type that the request's Accept fields prefer, or -1 if they accept none. offers: n
 * content types with parameters, the favourite first: "text/plain; version=0.0.4". A range matches an offer if the
 * types match and no parameter that both have differs; other parameters of the range are ignored ("escaping=..."). The
 * most specific range that matches an offer gives its quality (RFC 9110, 12.5.1). Offers of the same quality: the more
 * specific range wins, then the one that the request names first, then the favourite. Without Accept: 0.
 */
int http_choose(const struct http_request *request, const char *const *offers, size_t n);
/* Returns true if the request accepts an answer that is compressed by gzip. */
bool http_accepts_gzip(const struct http_request *request);

struct http_answer {
	int status;
	const char *type; /* content type of the body */
	size_t length;	  /* of the body, in bytes */
	bool gzip;	  /* the body is compressed */
	bool varies;	  /* another Accept would have got another body */
	bool keep;	  /* the connection stays open */
	uint64_t wall_ns; /* the time, ns since 1970 */
};

/* Appends status line and fields, up to and with the empty line. */
void http_add_head(struct str *s, const struct http_answer *answer);
/* Returns the name of a status that this file or the server answers with: 404 is "Not Found". */
const char *http_reason(int status);

#endif
