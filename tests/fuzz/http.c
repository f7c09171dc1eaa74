// SPDX-License-Identifier: BSD-2-Clause
/* Fuzzes the parser of requests, and the choice of content types. */
#include "export/http.h"
#include "fuzz.h"

static const char *const offers[] = {
	"text/plain; version=0.0.4; charset=utf-8",
	"application/openmetrics-text; version=1.0.0; charset=utf-8",
	"application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited",
};

/* A text lies within the input. */
static void check_text(struct http_text text, const char *data, size_t size)
{
	if (text.data < data || text.data + text.n > data + size)
		abort();
}

static void check_request(const struct http_request *request, const char *data, size_t size)
{
	if (!request->size || request->size > size || request->size > HTTP_REQUEST_MAX || !request->path.n)
		abort();
	/* The path of "http://host" is not in the input. */
	if (request->path.n > 1)
		check_text(request->path, data, request->size);
	check_text(request->fields, data, request->size);
	if (http_choose(request, offers, ARRAY_SIZE(offers)) >= (int)ARRAY_SIZE(offers))
		abort();
	http_accepts_gzip(request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_request request, part;
	char *text = base_alloc(size + !size);
	int status;

	/* Memory of exactly this size, so that the sanitizers find what is read behind it. */
	if (size)
		memcpy(text, data, size);
	status = http_parse(text, size, &request);
	if (!status)
		check_request(&request, text, size);
	if (status > 0 && (status < 400 || !strcmp(http_reason(status), "Error")))
		abort();
	/*
	 * The whole request is as long as it is: one byte less is no request, and other bytes behind it change
	 * nothing.
	 */
	if (!status && http_parse(text, request.size - 1, &part) != -EAGAIN)
		abort();
	if (!status && (http_parse(text, request.size, &part) || part.size != request.size))
		abort();
	if (status == -EAGAIN && size >= HTTP_REQUEST_MAX)
		abort();
	free(text);
	return 0;
}
