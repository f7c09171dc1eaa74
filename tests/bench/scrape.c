// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench-scrape [-a text | openmetrics | protobuf] [-c] [-n TIMES] [-p PID] [-z] PORT
 *
 * Scrapes http://127.0.0.1:PORT/metrics TIMES times (100) over one connection, as Prometheus does, after 5 that are not
 * measured. -c: with a connection for each. -z: as gzip.
 * Prints LINES BYTES CPU ELAPSED: the lines of the last answer that are not comments (of text that is not compressed),
 * the bytes of its body, and for one scrape the ns of processor time of the process PID, and the ns that passed.
 */
#include <arpa/inet.h>
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char *const accepts[][2] = {
	{ "text", "text/plain;version=0.0.4" },
	{ "openmetrics", "application/openmetrics-text;version=1.0.0" },
	{ "protobuf", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited" },
};

static char answer[8 << 20];
static const char *accepted = "text/plain;version=0.0.4";
static bool each_connects, gzip;

static int connect_to(int port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		err(1, "port %d", port);
	return fd;
}

static size_t receive(int fd, size_t n)
{
	ssize_t more = read(fd, answer + n, sizeof(answer) - 1 - n);

	if (more <= 0)
		err(1, "the answer ended after %zu bytes", n);
	answer[n + more] = '\0';
	return n + more;
}

/* An answer in chunks ends with an empty one. The heads of the chunks stay in the body. */
static size_t receive_chunks(int fd, size_t n)
{
	while (memcmp(answer + n - 5, "0\r\n\r\n", 5))
		n = receive(fd, n);
	return n;
}

/* The size of the body. */
static size_t scrape(int fd, char **body)
{
	char request[512], *length;
	size_t n = 0, size;
	int asked = snprintf(request, sizeof(request),
			     "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\n%s%s\r\n", accepted,
			     gzip ? "Accept-Encoding: gzip\r\n" : "",
			     each_connects ? "Connection: close\r\n" : "");

	if (write(fd, request, asked) != asked)
		err(1, "write");
	do
		n = receive(fd, n);
	while (!(*body = strstr(answer, "\r\n\r\n")));
	*body += 4;
	if (strncmp(answer, "HTTP/1.1 200", 12))
		errx(1, "answer: %.60s", answer);
	length = strcasestr(answer, "\r\nContent-Length:");
	if (!length || length > *body)
		return answer + receive_chunks(fd, n) - *body;
	size = strtoul(length + 17, NULL, 10);
	while (n < *body - answer + size)
		n = receive(fd, n);
	return size;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text = strchr(text, '\n') + 1)
		n += *text != '#';
	return n;
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec ts = {};

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void choose(const char *format)
{
	for (size_t i = 0; i < sizeof(accepts) / sizeof(*accepts); i++)
		if (!strcmp(accepts[i][0], format)) {
			accepted = accepts[i][1];
			return;
		}
	errx(2, "which format?");
}

int main(int argc, char **argv)
{
	clockid_t cpu = CLOCK_PROCESS_CPUTIME_ID;
	uint64_t cpu_ns = 0, start = 0;
	size_t size = 0;
	int times = 100, c, port, fd;
	char *body = answer;

	while ((c = getopt(argc, argv, "a:cn:p:z")) != -1) {
		if (c == 'a')
			choose(optarg);
		else if (c == 'n')
			times = atoi(optarg);
		else if (c == 'c')
			each_connects = true;
		else if (c == 'z')
			gzip = true;
		else if (c != 'p' || clock_getcpuclockid(atoi(optarg), &cpu))
			return 2;
	}
	if (optind + 1 != argc || times < 1)
		return 2;
	port = atoi(argv[optind]);
	fd = connect_to(port);
	for (int i = -5; i < times; i++) {
		if (!i) {
			cpu_ns = ns_of(cpu);
			start = ns_of(CLOCK_MONOTONIC);
		}
		size = scrape(fd, &body);
		if (each_connects) {
			close(fd);
			fd = connect_to(port);
		}
	}
	printf("%zu %zu %ju %ju\n", *body == '#' ? count_lines(body) : 0, size,
	       (uintmax_t)(ns_of(cpu) - cpu_ns) / times, (uintmax_t)(ns_of(CLOCK_MONOTONIC) - start) / times);
	return 0;
}
