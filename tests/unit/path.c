// SPDX-License-Identifier: BSD-2-Clause
/* The path of a command, by links that are made by hand. */
#include <criterion/criterion.h>

#include "base/str.h"
#include "why/path.h"

#define MOST 1000

static void woken(struct path *path, uint32_t tid, uint64_t off_at, uint32_t waker, uint64_t woken_at, uint64_t ran_at)
{
	const struct path_link link = {
		.kind = PATH_WOKEN,
		.tid = tid,
		.off_at = off_at,
		.waker = waker,
		.woken_at = woken_at,
		.ran_at = ran_at,
	};

	path_add(path, &link);
}

static void preempted(struct path *path, uint32_t tid, uint64_t off_at, uint64_t ran_at)
{
	path_add(path, &(struct path_link){ .kind = PATH_PREEMPTED, .tid = tid, .off_at = off_at, .ran_at = ran_at });
}

/* It runs from ran_at on. */
static void born(struct path *path, uint32_t tid, uint32_t parent, uint64_t at, uint64_t ran_at)
{
	path_add(path, &(struct path_link){ .kind = PATH_BORN, .tid = tid, .waker = parent, .ran_at = at });
	preempted(path, tid, at, ran_at);
}

struct seen {
	struct str text;
	uint64_t at; /* where the last step began */
	uint64_t began;
};

/* "TID what FROM-TO", the first step first, and each begins where the one before ended. */
static void see(const struct path_step *step, void *ctx)
{
	static const char *const whats[] = { "unknown", "runs", "queued", "waits" };
	struct seen *seen = ctx;
	__free char *rest = base_printf("%s%s", seen->text.len ? ", " : "", str_or_empty(seen->text.data));
	struct str line = {};

	cr_assert_eq(step->to, seen->at, "a gap: %lu, not %lu", step->to, seen->at);
	cr_assert_lt(step->from, step->to);
	cr_assert_eq(step->what == PATH_RUNS || step->what == PATH_UNKNOWN, !step->link);
	seen->at = step->from;
	str_addf(&line, "%u %s %lu-%lu", step->tid, whats[step->what], step->from, step->to);
	if (step->span != PATH_NONE)
		str_addf(&line, " as %u", step->span);
	str_add(&line, rest);
	str_release(&seen->text);
	seen->text = line;
}

static void expect_known(struct path *path, uint32_t tid, uint64_t began, uint64_t ended, const char *text,
			 uint64_t known)
{
	struct seen seen = { .at = ended };
	uint64_t got = path_walk(path, tid, began, ended, see, &seen);

	cr_assert_str_eq(str_or_empty(seen.text.data), text);
	cr_assert_eq(seen.at, began, "the path begins at %lu", seen.at);
	cr_assert_eq(got, known);
	str_release(&seen.text);
	path_free(path);
}

static void expect(struct path *path, uint32_t tid, uint64_t began, uint64_t ended, const char *text)
{
	expect_known(path, tid, began, ended, text, 0);
}

Test(path, runs_all_the_time)
{
	expect(path_new(MOST), 1, 100, 900, "1 runs 100-900");
}

Test(path, sleeps_and_is_preempted)
{
	struct path *path = path_new(MOST);

	woken(path, 1, 200, 0, 300, 310);
	preempted(path, 1, 400, 450);
	expect(path, 1, 100, 900,
	       "1 runs 100-200, 1 waits 200-300, 1 queued 300-310, 1 runs 310-400, 1 queued 400-450, 1 runs 450-900");
}

/* The parent waits for the child; the child's begin is the parent's fork. What the parent did meanwhile is left out. */
Test(path, child)
{
	struct path *path = path_new(MOST);

	born(path, 2, 1, 200, 220);
	woken(path, 1, 250, 0, 260, 270);
	woken(path, 1, 300, 2, 700, 710);
	woken(path, 2, 400, 0, 500, 505);
	expect(path, 1, 100, 900,
	       "1 runs 100-200, 2 queued 200-220, 2 runs 220-400, 2 waits 400-500, 2 queued 500-505, 2 runs 505-700, "
	       "1 queued 700-710, 1 runs 710-900");
}

/*
 * A reader that waits each time: only what the writer does is on the path. The other way round, what the reader does
 * before it wakes the writer is.
 */
static struct path *pipeline(uint64_t writes, uint64_t reads, uint64_t *end)
{
	struct path *path = path_new(MOST);
	uint64_t writer = 0, reader = 0; /* until when each has worked */

	for (int i = 0; i < 10; i++) {
		writer += writes;
		if (writer > reader) {
			if (i)
				woken(path, 1, reader, 2, writer, writer);
			reader = writer;
		} else {
			woken(path, 2, writer, 1, reader, reader);
			writer = reader;
		}
		reader += reads;
	}
	*end = reader;
	return path;
}

static void add_by_thread(const struct path_step *step, void *ctx)
{
	((uint64_t *)ctx)[step->tid] += step->to - step->from;
}

static void expect_pipeline(uint64_t writes, uint64_t reads, uint32_t critical)
{
	uint64_t by_thread[3] = {}, end;
	struct path *path = pipeline(writes, reads, &end);

	born(path, 2, 1, 0, 0);
	path_walk(path, 1, 0, end, add_by_thread, by_thread);
	path_free(path);
	cr_assert_eq(by_thread[1] + by_thread[2], end);
	cr_assert_gt(by_thread[critical], end * 8 / 10, "%lu of %lu", by_thread[critical], end);
}

Test(path, pipeline_has_one_critical_stage)
{
	expect_pipeline(100, 10, 2);
	expect_pipeline(500, 10, 2);
	expect_pipeline(10, 100, 1);
	expect_pipeline(10, 500, 1);
}

/* Slowing the other stage changes nothing. */
Test(path, pipeline_waits_for_its_slowest)
{
	uint64_t slow, same;

	path_free(pipeline(100, 10, &slow));
	path_free(pipeline(100, 50, &same));
	cr_assert_eq(same - slow, 40, "only the last item is read later");
}

/* Each holder of a lock wakes the next one. */
Test(path, chain_of_locks)
{
	struct path *path = path_new(MOST);

	for (uint32_t tid = 2; tid <= 4; tid++)
		born(path, tid, 1, 100, 100 + tid);
	woken(path, 3, 110, 2, 300, 300);
	woken(path, 4, 110, 3, 500, 500);
	woken(path, 1, 110, 4, 700, 700);
	expect(path, 1, 0, 800,
	       "1 runs 0-100, 2 queued 100-102, 2 runs 102-300, 3 runs 300-500, 4 runs 500-700, 1 runs 700-800");
}

/* A waker that is not one of ours, also if it has the id that one of ours gets later. */
Test(path, somebody_else)
{
	struct path *path = path_new(MOST);

	woken(path, 1, 200, 7, 300, 300);
	born(path, 7, 1, 400, 401);
	expect(path, 1, 100, 500, "1 runs 100-200, 1 waits 200-300, 1 runs 300-500");
}

/* A thread gets the id of one that has ended. */
Test(path, same_id)
{
	struct path *path = path_new(MOST);

	born(path, 2, 1, 100, 100);
	woken(path, 1, 110, 2, 200, 200);
	born(path, 2, 1, 300, 300);
	woken(path, 1, 310, 2, 400, 400);
	expect(path, 1, 0, 500, "1 runs 0-100, 2 runs 100-200, 1 runs 200-300, 2 runs 300-400, 1 runs 400-500");
}

/* Rings of processors are read one after the other. */
Test(path, links_in_any_order)
{
	struct path *path = path_new(MOST);

	woken(path, 1, 400, 0, 500, 500);
	path_settle(path);
	woken(path, 1, 200, 0, 300, 300);
	path_settle(path);
	woken(path, 1, 600, 0, 700, 700);
	woken(path, 1, 320, 0, 340, 340);
	path_settle(path);
	expect(path, 1, 100, 800,
	       "1 runs 100-200, 1 waits 200-300, 1 runs 300-320, 1 waits 320-340, 1 runs 340-400, 1 waits 400-500, "
	       "1 runs 500-600, 1 waits 600-700, 1 runs 700-800");
}

/* Clocks that differ, and links that are wrong: no gap, no step twice, and an end. */
Test(path, clocks_differ)
{
	struct path *path = path_new(MOST);

	woken(path, 1, 250, 2, 300, 310);
	woken(path, 2, 100, 0, 299, 302);
	woken(path, 2, 50, 1, 80, 90);
	woken(path, 1, 500, 1, 490, 480);
	expect(path, 1, 0, 600,
	       "1 runs 0-80, 2 queued 80-90, 2 runs 90-100, 2 waits 100-299, 2 queued 299-300, 1 queued "
	       "300-310, 1 runs 310-480, 1 runs 480-600");
}

Test(path, wake_each_other_at_the_same_time)
{
	struct path *path = path_new(MOST);

	for (int i = 0; i < 5; i++) {
		woken(path, 1, 100, 2, 100, 100);
		woken(path, 2, 100, 1, 100, 100);
	}
	expect(path, 1, 0, 200, "1 runs 0-100, 1 runs 100-200");
}

/* A thread that executes a program has another name from then on. */
Test(path, spans)
{
	struct path *path = path_new(MOST);

	path_add_span(path, 1, 300, 900, 20);
	path_add_span(path, 1, 50, 300, 10);
	path_add_span(path, 2, 50, 900, 30);
	woken(path, 1, 200, 0, 400, 400);
	expect(path, 1, 0, 1000,
	       "1 runs 0-50, 1 runs 50-200 as 10, 1 waits 200-300 as 10, 1 waits 300-400 as 20, 1 runs 400-900 as 20, "
	       "1 runs 900-1000");
}

/* What is forgotten is unknown. */
Test(path, bounded)
{
	struct path *path = path_new(4);

	for (uint64_t i = 1; i <= 10; i++) {
		woken(path, 1, i * 100, 0, i * 100 + 50, i * 100 + 50);
		path_settle(path);
	}
	expect_known(path, 1, 0, 1100,
		     "1 unknown 0-700, 1 waits 700-750, 1 runs 750-800, 1 waits 800-850, 1 runs 850-900, "
		     "1 waits 900-950, 1 runs 950-1000, 1 waits 1000-1050, 1 runs 1050-1100",
		     700);
}
