// SPDX-License-Identifier: BSD-2-Clause
/* What others see of a source whose engine cannot be read, or has attached nothing. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "attach/attach.h"
#include "export/source_part.h"

static int error; /* of the next snapshot */

static int snapshot(struct engine_instance *instance, engine_row_fn fn, void *ctx)
{
	(void)instance;
	(void)fn;
	(void)ctx;
	return error;
}

static struct attach *parts[3];

static struct attach *attachment(const struct engine_instance *instance, size_t n)
{
	(void)instance;
	return parts[n];
}

static const struct engine engine = { .snapshot = snapshot, .attachment = attachment };
static const struct tool tool = { .name = "fake", .engine = &engine };

static void make_source(struct source *source, char *label)
{
	*source = (struct source){ .tool = &tool, .label = label, .title = label, .up = true, .task = -1 };
	source->instance.engine = &engine;
}

/* Reads the totals. Returns what was reported, "" if nothing was. */
static const char *collect(struct source *source, int reader, int fails)
{
	static char text[400];
	struct metrics page = {};
	ssize_t n;

	error = fails;
	cr_expect_eq(source_collect(source, &page), fails);
	metrics_release(&page);
	n = recv(reader, text, sizeof(text) - 1, MSG_DONTWAIT);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* Each line, and each reason, but not each page. */
Test(source, reports_failed_reads_once)
{
	struct source one, two;
	int pair[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	dup2(pair[1], STDERR_FILENO);
	make_source(&one, "one");
	make_source(&two, "two");
	cr_expect_str_eq(collect(&one, pair[0], 0), "");
	cr_expect_str_eq(collect(&one, pair[0], -EIO), "sonde: cannot read the totals of 'one': Input/output error\n");
	cr_expect_str_eq(collect(&one, pair[0], -EIO), "");
	cr_expect_str_eq(collect(&two, pair[0], -EIO), "sonde: cannot read the totals of 'two': Input/output error\n");
	cr_expect_str_eq(collect(&one, pair[0], 0), "");
	cr_expect_str_eq(collect(&one, pair[0], -EIO), "");
	cr_expect_str_eq(collect(&one, pair[0], -ENOMEM),
			 "sonde: cannot read the totals of 'one': Cannot allocate memory\n");
}

static void count_probe(const char *probe, const char *why, void *n)
{
	(void)why;
	cr_expect_str_eq(probe, "kprobe:f");
	++*(size_t *)n;
}

static size_t unattached(struct source *source, size_t most)
{
	size_t n = 0;

	source_each_unattached(source, most, count_probe, &n);
	return n;
}

/* A page has some of them: there may be thousands, and each name costs time. */
Test(source, unattached_probes)
{
	struct target targets[50] = {};
	struct target_set set = { .v = targets, .n = ARRAY_SIZE(targets) };
	const struct attach_options options = {};
	struct source source;

	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		targets[i] = (struct target){ .kind = TARGET_KERNEL, .name = "f" };
	parts[0] = attach_new(&set, &options);
	parts[1] = attach_new(&set, &options);
	make_source(&source, "one");
	cr_expect_eq(unattached(&source, 0), 0);
	cr_expect_eq(unattached(&source, 20), 20);
	cr_expect_eq(unattached(&source, 64), 64);
	cr_expect_eq(unattached(&source, SIZE_MAX), 100);
	attach_free(parts[0]);
	attach_free(parts[1]);
}
