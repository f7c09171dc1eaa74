// SPDX-License-Identifier: BSD-2-Clause
/* Requests of scrapers, of people with netcat, and of nobody; what they accept; heads of answers. */
#include <criterion/criterion.h>

#include "export/http.h"

#define HOST "Host: x\r\n"

static int parse(const char *text, struct http_request *request)
{
	return http_parse(text, strlen(text), request);
}

static bool is_text(struct http_text text, const char *expected)
{
	return text.n == strlen(expected) && !memcmp(text.data, expected, text.n);
}

Test(http, requests)
{
	static const struct {
		const char *text, *path;
		bool head, keep;
	} good[] = {
		{ "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "/metrics", false, true },
		{ "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", "/", true, true },
		{ "GET /metrics?name[]=up&x=/ HTTP/1.1\r\nHost: x\r\n\r\n", "/metrics", false, true },
		{ "GET http://127.0.0.1:9435/metrics HTTP/1.1\r\nHost: x\r\n\r\n", "/metrics", false, true },
		{ "GET http://127.0.0.1:9435 HTTP/1.1\r\nHost: x\r\n\r\n", "/", false, true },
		{ "GET / HTTP/1.0\r\n\r\n", "/", false, false },
		{ "GET / HTTP/1.9\r\nHOST: x\r\n\r\n", "/", false, true },
		{ "\r\n\r\nGET / HTTP/1.1\nhost:x\n\n", "/", false, true },
		{ "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, CLOSE\r\n\r\n", "/", false, false },
		{ "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nX: \"\xc3\xa4,\t;\"\r\n\r\n", "/", false, true },
	};
	struct http_request request;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		cr_expect_eq(parse(good[i].text, &request), 0, "%s", good[i].text);
		cr_expect(is_text(request.path, good[i].path), "%s", good[i].text);
		cr_expect_eq(request.head, good[i].head, "%s", good[i].text);
		cr_expect_eq(request.keep, good[i].keep, "%s", good[i].text);
		cr_expect_eq(request.size, strlen(good[i].text));
	}
}

Test(http, refused)
{
	static const struct {
		const char *text;
		int status;
	} bad[] = {
		{ "POST / HTTP/1.1\r\n", 405 },
		{ "get / HTTP/1.1\r\n", 405 },
		{ "OPTIONS * HTTP/1.1\r\n", 405 },
		{ "G@T / HTTP/1.1\r\n", 400 },
		{ "GET\r\n", 400 },
		{ "GET /\r\n", 400 },
		{ "GET  / HTTP/1.1\r\n", 400 },
		{ "GET / x HTTP/1.1\r\n", 400 },
		{ "GET /\tx HTTP/1.1\r\n", 400 },
		{ " GET / HTTP/1.1\r\n", 400 },
		{ "GET x HTTP/1.1\r\n", 400 },
		{ "GET ftp://x/ HTTP/1.1\r\n", 400 },
		{ "GET / HTTP/1.x\r\n", 400 },
		{ "GET / HTTP/11\r\n", 400 },
		{ "GET / http/1.1\r\n", 400 },
		{ "PRI * HTTP/2.0\r\n", 505 },
		{ "GET / HTTP/2.0\r\n", 505 },
		{ "GET / HTTP/1.1\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400 },
		{ "GET / HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nX\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\ntransfer-encoding: chunked\r\n\r\n", 400 },
		/* at once, though no line has ended: TLS's hello, and keys that somebody pressed */
		{ "\x16\x03\x01\x02", 400 },
		{ "GET /\x1b[A", 400 },
		{ "GET / HTTP/1.1\r\nX: \x7f", 400 },
	};
	struct http_request request;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		cr_expect_eq(parse(bad[i].text, &request), bad[i].status, "%s: %d", bad[i].text,
			     parse(bad[i].text, &request));
	cr_expect_eq(http_parse("GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n", 29, &request), 400);
	/* the answer to HEAD has no body, though the request is refused */
	parse("HEAD / HTTP/1.1\r\n\r\n", &request);
	cr_expect(request.head);
}

/* Every beginning of a request waits for more, in whatever pieces it arrives, and never reads behind its end. */
Test(http, pieces)
{
	static const char text[] = "\r\nGET /metrics HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n";
	struct http_request request;

	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *piece __free = base_alloc(n ? n : 1);

		memcpy(piece, text, n);
		cr_expect_eq(http_parse(piece, n, &request), -EAGAIN, "%zu bytes", n);
	}
	cr_expect_eq(http_parse(text, sizeof(text) - 1, &request), 0);
	/* what follows is the next request's */
	cr_expect_eq(parse("GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n", &request), 0);
	cr_expect_eq(request.size, 18);
}

/* Fills a request with so many bytes of a path and of a field, to n bytes. */
static int parse_long(size_t n, bool path)
{
	__str struct str s = {};
	struct http_request request;
	const char *end = path ? " HTTP/1.1\r\n" HOST "\r\n" : "\r\n" HOST "\r\n";

	str_add(&s, path ? "GET /" : "GET / HTTP/1.1\r\nX: ");
	str_add_fill(&s, 'x', n - s.len - strlen(end));
	str_add(&s, end);
	return http_parse(s.data, s.len, &request);
}

Test(http, lengths)
{
	__str struct str s = {};
	struct http_request request;

	cr_expect_eq(parse_long(HTTP_REQUEST_MAX, true), 0);
	cr_expect_eq(parse_long(HTTP_REQUEST_MAX, false), 0);
	cr_expect_eq(parse_long(HTTP_REQUEST_MAX + 1, false), 431);
	cr_expect_eq(parse_long(HTTP_REQUEST_MAX + 1, true), 431);
	cr_expect_eq(parse_long(2 * HTTP_REQUEST_MAX, true), 414);
	/* empty lines only */
	str_add_fill(&s, '\n', HTTP_REQUEST_MAX);
	cr_expect_eq(http_parse(s.data, s.len, &request), 414);
}

/* --- what the client prefers --- */

#define TEXT	     0
#define OPENMETRICS  1
#define PROTOBUF     2
#define PROTO_FAMILY "proto=io.prometheus.client.MetricFamily"

static const char *const offers[] = {
	"text/plain; version=0.0.4; charset=utf-8",
	"application/openmetrics-text; version=1.0.0; charset=utf-8",
	"application/vnd.google.protobuf; " PROTO_FAMILY "; encoding=delimited",
};

static int choose(const char *fields)
{
	char *text __free = base_printf("GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", fields);
	struct http_request request;

	cr_assert_eq(parse(text, &request), 0, "%s", fields);
	return http_choose(&request, offers, ARRAY_SIZE(offers));
}

Test(http, content_types)
{
	static const struct {
		const char *fields;
		int chosen;
	} cases[] = {
		{ "", TEXT },
		{ "Accept:\r\n", TEXT },
		{ "Accept: */*\r\n", TEXT },
		{ "accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n", TEXT },
		/* Prometheus 2.42, then with native histograms */
		{ "Accept: application/openmetrics-text;version=1.0.0,"
		  "application/openmetrics-text;version=0.0.1;q=0.75,"
		  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1\r\n",
		  OPENMETRICS },
		{ "Accept: application/vnd.google.protobuf;" PROTO_FAMILY ";encoding=delimited,"
		  "application/openmetrics-text;version=1.0.0;q=0.8,application/openmetrics-text;version=0.0.1;q=0.75,"
		  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1\r\n",
		  PROTOBUF },
		/* Prometheus 3 */
		{ "Accept: application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
		  "application/openmetrics-text;version=0.0.1;q=0.4,"
		  "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
		  "text/plain;version=0.0.4;q=0.2,*/*;q=0.1\r\n",
		  OPENMETRICS },
		{ "Accept: application/openmetrics-text; version=0.0.1\r\n", -1 },
		{ "Accept: application/openmetrics-text\r\n", OPENMETRICS },
		{ "Accept: APPLICATION/OpenMetrics-Text; VERSION=\"1.0.0\"\r\n", OPENMETRICS },
		{ "Accept: application/*\r\n", OPENMETRICS },
		{ "Accept: application/vnd.google.protobuf;" PROTO_FAMILY ";encoding=text\r\n", -1 },
		{ "Accept: application/json\r\n", -1 },
		{ "Accept: text/plain;q=0\r\n", -1 },
		{ "Accept: text/plain;q=0, */*\r\n", OPENMETRICS },
		{ "Accept: text/plain;q=0.001, application/*;q=0.0\r\n", TEXT },
		{ "Accept: text/*;q=0.3, application/openmetrics-text;q=0.31\r\n", OPENMETRICS },
		{ "Accept: text/plain;q=0.5\r\nAccept: application/openmetrics-text\r\n", OPENMETRICS },
		{ "Accept: application/openmetrics-text, text/plain\r\n", OPENMETRICS },
		{ "Accept: text/plain;q=7, application/openmetrics-text;q=0.1\r\n", OPENMETRICS },
		{ "Accept: text/plain;q=, application/openmetrics-text;q=x\r\n", -1 },
		{ "Accept: x;a=\"b,text/plain\", ;;,=\r\n", -1 },
		{ "Accept: text/plain;=;q=1;version=9\r\n", TEXT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		cr_expect_eq(choose(cases[i].fields), cases[i].chosen, "%s", cases[i].fields);
}

Test(http, gzip)
{
	static const struct {
		const char *fields;
		bool gzip;
	} cases[] = {
		{ "", false },
		{ "Accept-Encoding: gzip\r\n", true },
		{ "Accept-Encoding: gzip, deflate, br, zstd\r\n", true },
		{ "Accept-Encoding: identity\r\nAccept-Encoding: GZIP;q=0.1\r\n", true },
		{ "Accept-Encoding: gzip;q=0, *\r\n", false },
		{ "Accept-Encoding: *\r\n", true },
		{ "Accept-Encoding: br, *;q=0\r\n", false },
		{ "Accept-Encoding: gzipped\r\n", false },
		{ "Accept-Encoding:\r\n", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text __free = base_printf("GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", cases[i].fields);
		struct http_request request;

		cr_assert_eq(parse(text, &request), 0);
		cr_expect_eq(http_accepts_gzip(&request), cases[i].gzip, "%s", cases[i].fields);
	}
}

Test(http, heads)
{
	struct http_answer answer = { .status = 200, .type = "text/plain", .length = 12, .gzip = true, .varies = true };
	__str struct str s = {};

	answer.wall_ns = 784111777ULL * 1000000000;
	http_add_head(&s, &answer);
	cr_expect_str_eq(s.data, "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
				 "Content-Type: text/plain\r\n"
				 "Content-Length: 12\r\nContent-Encoding: gzip\r\nVary: Accept, Accept-Encoding\r\n"
				 "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n");
	answer = (struct http_answer){ .status = 405, .type = "text/plain", .keep = true };
	str_reset(&s);
	http_add_head(&s, &answer);
	cr_expect_str_eq(s.data, "HTTP/1.1 405 Method Not Allowed\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
				 "Content-Type: text/plain\r\nContent-Length: 0\r\nAllow: GET, HEAD\r\n"
				 "X-Content-Type-Options: nosniff\r\n\r\n");
}
