// SPDX-License-Identifier: BSD-2-Clause
/* Parses requests and writes heads of answers. Bounded by HTTP_REQUEST_MAX, so every search may be a plain one. */
#include <strings.h>
#include <time.h>

#include "base/clock.h"
#include "http.h"

/* Qualities are numbers from 0 to 1 with up to three decimals; we count thousandths. */
#define QUALITY_MAX 1000

static const struct {
	int status;
	const char *reason;
} statuses[] = {
	{ 200, "OK" },
	{ 400, "Bad Request" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 406, "Not Acceptable" },
	{ 408, "Request Timeout" },
	{ 414, "URI Too Long" },
	{ 431, "Request Header Fields Too Large" },
	{ 500, "Internal Server Error" },
	{ 505, "HTTP Version Not Supported" },
};

const char *http_reason(int status)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].status == status)
			return statuses[i].reason;
	return "Error";
}

/* --- pieces of text --- */

static bool is_token(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static bool same(struct http_text a, const char *b)
{
	return a.n == strlen(b) && !strncasecmp(a.data, b, a.n);
}

static bool same_text(struct http_text a, struct http_text b)
{
	return a.n == b.n && (!a.n || !strncasecmp(a.data, b.data, a.n));
}

static struct http_text trim(struct http_text t)
{
	for (; t.n && is_space(*t.data); t.n--)
		t.data++;
	while (t.n && is_space(t.data[t.n - 1]))
		t.n--;
	return t;
}

/* Takes the text up to a separator, which is removed too, and not in a quoted string. Returns false at the end. */
static bool take(struct http_text *rest, char separator, struct http_text *piece)
{
	bool quoted = false;
	size_t n = 0;

	if (!rest->data)
		return false;
	for (; n < rest->n && (quoted || rest->data[n] != separator); n++) {
		if (rest->data[n] == '"')
			quoted = !quoted;
		else if (quoted && rest->data[n] == '\\' && n + 1 < rest->n)
			n++;
	}
	*piece = trim((struct http_text){ rest->data, n });
	*rest = n < rest->n ? (struct http_text){ rest->data + n + 1, rest->n - n - 1 } : (struct http_text){};
	return true;
}

/* Takes a line without its end. Returns false if there is no whole line. */
static bool take_line(struct http_text *rest, struct http_text *line)
{
	const char *end = rest->n ? memchr(rest->data, '\n', rest->n) : NULL;

	if (!end)
		return false;
	*line = (struct http_text){ rest->data, end - rest->data };
	rest->data += line->n + 1;
	rest->n -= line->n + 1;
	if (line->n && line->data[line->n - 1] == '\r')
		line->n--;
	return true;
}

/* Splits a field line. Returns false unless it is a name, a colon right behind it, and a value. */
static bool split_field(struct http_text line, struct http_text *name, struct http_text *value)
{
	size_t n = 0;

	while (n < line.n && is_token(line.data[n]))
		n++;
	if (!n || n == line.n || line.data[n] != ':')
		return false;
	*name = (struct http_text){ line.data, n };
	*value = trim((struct http_text){ line.data + n + 1, line.n - n - 1 });
	return true;
}

/* The next value of a field. rest: the field lines that are left. */
static bool next_value(struct http_text *rest, const char *name, struct http_text *value)
{
	struct http_text line, found;

	while (take_line(rest, &line))
		if (split_field(line, &found, value) && same(found, name))
			return true;
	return false;
}

/* --- the request --- */

/* Returns the first byte that no request has, or NULL. A CR must stand before a LF, which may not have arrived. */
static const char *find_bad(const char *data, size_t n)
{
	for (const char *p = data; p < data + n; p++) {
		unsigned char c = *p;

		if (c == '\r' && (p + 1 == data + n || p[1] == '\n'))
			continue;
		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			return p;
	}
	return NULL;
}

/* Returns the minor version, or -status. */
static int parse_version(struct http_text version)
{
	if (version.n != 8 || memcmp(version.data, "HTTP/", 5) || version.data[6] != '.')
		return -400;
	if (version.data[5] != '1')
		return version.data[5] >= '0' && version.data[5] <= '9' ? -505 : -400;
	return version.data[7] >= '0' && version.data[7] <= '9' ? version.data[7] - '0' : -400;
}

/* The path of "/path?query" or of "http://host/path?query". */
static bool parse_target(struct http_text target, struct http_text *path)
{
	const char *end;

	if (target.n > 7 && !strncasecmp(target.data, "http://", 7)) {
		end = memchr(target.data + 7, '/', target.n - 7);
		*path = end ? (struct http_text){ end, target.data + target.n - end } : (struct http_text){ "/", 1 };
	} else if (target.n && target.data[0] == '/') {
		*path = target;
	} else {
		return false;
	}
	end = memchr(path->data, '?', path->n);
	if (end)
		path->n = end - path->data;
	return true;
}

static bool is_method(struct http_text method)
{
	for (size_t i = 0; i < method.n; i++)
		if (!is_token(method.data[i]))
			return false;
	return method.n;
}

/* METHOD TARGET HTTP/1.1. Returns 0 or the status; sets the minor version. */
static int parse_request_line(struct http_text line, struct http_request *request, int *minor)
{
	const char *first = memchr(line.data, ' ', line.n), *last = memrchr(line.data, ' ', line.n);
	struct http_text method, target, version;

	if (!first || first == last)
		return 400;
	method = (struct http_text){ line.data, first - line.data };
	target = (struct http_text){ first + 1, last - first - 1 };
	version = (struct http_text){ last + 1, line.data + line.n - last - 1 };
	request->head = method.n == 4 && !memcmp(method.data, "HEAD", 4);
	*minor = parse_version(version);
	if (*minor < 0)
		return -*minor;
	if (!is_method(method) || memchr(target.data, ' ', target.n) || memchr(line.data, '\t', line.n))
		return 400;
	if (!request->head && (method.n != 3 || memcmp(method.data, "GET", 3)))
		return 405;
	return parse_target(target, &request->path) ? 0 : 400;
}

/* Reads what the fields say about the connection. Returns 0 or the status. */
static int parse_fields(struct http_request *request, int minor)
{
	struct http_text rest = request->fields, line, name, value, word;
	int hosts = 0;

	request->keep = minor > 0;
	while (take_line(&rest, &line)) {
		if (!split_field(line, &name, &value))
			return 400;
		hosts += same(name, "Host");
		/* We read no bodies: whoever sends one would have it taken for the next request. */
		if (same(name, "Transfer-Encoding") || (same(name, "Content-Length") && !same(value, "0")))
			return 400;
		if (same(name, "Connection"))
			while (take(&value, ',', &word))
				if (same(word, "close"))
					request->keep = false;
	}
	return hosts == 1 || (!hosts && !minor) ? 0 : 400;
}

/* Returns the status for n bytes whose last line has no end: -EAGAIN if it may come, otherwise too_long. */
static int not_whole(size_t n, const struct http_text *last, int too_long)
{
	if (find_bad(last->data, last->n))
		return 400;
	return n < HTTP_REQUEST_MAX ? -EAGAIN : too_long;
}

int http_parse(const char *data, size_t n, struct http_request *request)
{
	size_t size = n < HTTP_REQUEST_MAX ? n : HTTP_REQUEST_MAX;
	struct http_text rest = { data, size }, line, first;
	const char *begin;
	int minor, ret;

	*request = (struct http_request){};
	/* An empty line before a request is ignored (RFC 9112, 2.2). */
	do {
		begin = rest.data;
		if (!take_line(&rest, &first))
			return not_whole(size, &rest, 414);
	} while (!first.n);
	if (find_bad(begin, rest.data - begin))
		return 400;
	ret = parse_request_line(first, request, &minor);
	if (ret)
		return ret;
	request->fields.data = rest.data;
	do {
		begin = rest.data;
		if (!take_line(&rest, &line))
			return not_whole(size, &rest, 431);
		if (find_bad(begin, rest.data - begin))
			return 400;
	} while (line.n);
	request->fields.n = begin - request->fields.data;
	request->size = rest.data - data;
	return parse_fields(request, minor);
}

/* --- what the client prefers --- */

/* A quality in thousandths: "1", "0.75". Anything else counts as 0. */
static int parse_quality(struct http_text text)
{
	int value = 0, unit = QUALITY_MAX;

	if (!text.n || text.n > 5 || (text.n > 1 && text.data[1] != '.'))
		return 0;
	for (size_t i = 0; i < text.n; i++) {
		if (i == 1)
			continue;
		if (text.data[i] < '0' || text.data[i] > '9')
			return 0;
		value += (text.data[i] - '0') * unit;
		unit /= 10;
	}
	return value <= QUALITY_MAX ? value : 0;
}

/* Splits "name=value"; quotes around the value are removed. */
static void split_parameter(struct http_text text, struct http_text *name, struct http_text *value)
{
	*name = *value = (struct http_text){};
	if (!take(&text, '=', name) || !text.data)
		return;
	*value = trim(text);
	if (value->n >= 2 && value->data[0] == '"' && value->data[value->n - 1] == '"') {
		value->data++;
		value->n -= 2;
	}
}

/* Returns 0 if the offer has another value of this parameter, 1 if it has none, 2 if it has the same. */
static int compare_parameter(struct http_text offer, struct http_text name, struct http_text value)
{
	struct http_text parameter, other, offered;

	while (take(&offer, ';', &parameter)) {
		split_parameter(parameter, &other, &offered);
		if (same_text(name, other))
			return same_text(value, offered) ? 2 : 0;
	}
	return 1;
}

/* Returns how exactly a range's type names the offer's: 0 not, 1 for any type, 2 for any subtype, 3 for this one. */
static int compare_type(struct http_text range, struct http_text offer)
{
	const char *slash = memchr(offer.data, '/', offer.n);
	size_t n = slash - offer.data + 1;

	if (same(range, "*/*"))
		return 1;
	if (range.n == n + 1 && range.data[n] == '*' && !strncasecmp(range.data, offer.data, n))
		return 2;
	return same_text(range, offer) ? 3 : 0;
}

/* Returns how exactly a range of Accept names an offer, 0: not. Sets the range's quality. */
static int compare_range(struct http_text range, struct http_text offer, int *quality)
{
	struct http_text type, offered, piece, name, value;
	int exact, how;

	*quality = QUALITY_MAX;
	take(&range, ';', &type);
	take(&offer, ';', &offered);
	exact = compare_type(type, offered);
	while (exact && take(&range, ';', &piece)) {
		split_parameter(piece, &name, &value);
		if (same(name, "q")) {
			*quality = parse_quality(value);
			break;
		}
		how = name.n ? compare_parameter(offer, name, value) : 1;
		exact = how ? exact + how - 1 : 0;
	}
	return exact;
}

/* What a request thinks of an offer. */
struct opinion {
	int quality, exact, place;
};

static struct opinion ask(const struct http_request *request, struct http_text offer)
{
	struct http_text rest = request->fields, value, range;
	struct opinion best = {};
	int place = 0, quality;

	while (next_value(&rest, "Accept", &value)) {
		while (take(&value, ',', &range)) {
			int exact = compare_range(range, offer, &quality);

			if (exact > best.exact)
				best = (struct opinion){ quality, exact, place };
			place++;
		}
	}
	return best;
}

static bool is_better(struct opinion a, struct opinion b)
{
	if (a.quality != b.quality)
		return a.quality > b.quality;
	return a.exact != b.exact ? a.exact > b.exact : a.place < b.place;
}

int http_choose(const struct http_request *request, const char *const *offers, size_t n)
{
	struct http_text rest = request->fields, value;
	struct opinion best = {};
	int chosen = -1;
	bool asked = false;

	while (!asked && next_value(&rest, "Accept", &value))
		asked = value.n;
	if (!asked)
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct opinion opinion = ask(request, (struct http_text){ offers[i], strlen(offers[i]) });

		if (opinion.quality && (chosen < 0 || is_better(opinion, best))) {
			best = opinion;
			chosen = i;
		}
	}
	return chosen;
}

bool http_accepts_gzip(const struct http_request *request)
{
	struct http_text rest = request->fields, value, piece, coding, parameter, name, quality;
	int gzip = -1, any = 0;

	while (next_value(&rest, "Accept-Encoding", &value)) {
		while (take(&value, ',', &piece)) {
			int q = QUALITY_MAX;

			take(&piece, ';', &coding);
			while (take(&piece, ';', &parameter)) {
				split_parameter(parameter, &name, &quality);
				if (same(name, "q"))
					q = parse_quality(quality);
			}
			if (same(coding, "gzip") || same(coding, "x-gzip"))
				gzip = q;
			else if (same(coding, "*"))
				any = q;
		}
	}
	return gzip >= 0 ? gzip : any;
}

/* --- the answer --- */

void http_add_head(struct str *s, const struct http_answer *answer)
{
	time_t seconds = answer->wall_ns / NS_PER_SEC;
	char date[40] = "";
	struct tm tm;

	/* The C locale is the only one that we use, so the names are English. */
	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
	str_addf(s, "HTTP/1.1 %d %s\r\nDate: %s\r\n", answer->status, http_reason(answer->status), date);
	str_addf(s, "Content-Type: %s\r\nContent-Length: %zu\r\n", answer->type, answer->length);
	if (answer->gzip)
		str_add(s, "Content-Encoding: gzip\r\n");
	if (answer->varies)
		str_add(s, "Vary: Accept, Accept-Encoding\r\n");
	if (answer->status == 405)
		str_add(s, "Allow: GET, HEAD\r\n");
	/* Labels hold foreign text, in which a browser must not look for HTML. */
	str_add(s, "X-Content-Type-Options: nosniff\r\n");
	if (!answer->keep)
		str_add(s, "Connection: close\r\n");
	str_add(s, "\r\n");
}
