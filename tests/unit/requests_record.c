// SPDX-License-Identifier: BSD-2-Clause
/* Requests in the recording of --perfetto: what has a bound, and that what is left out is counted. */
#include <criterion/criterion.h>

#include "convert/convert.h"
#include "why/why_part.h"

#define MOST   65536
#define BEYOND 10

static struct why why;

static void begin(void)
{
	static const struct file file = { .format = &convert_perfetto.file, .name = "a", .dir = -1 };
	const struct record_sets sets = { .requests = true };
	struct err err = {};

	cr_assert_eq(record_temporary_open(&why.recording.file, &file, "why", 0, &sets, &err), 0, "%s", err.text);
}

static struct requests_done done_on(uint64_t sock)
{
	return (struct requests_done){ .sock = sock,
				       .birth = 1,
				       .number = 1,
				       .arrived = 1,
				       .read_at = 2,
				       .ended = 3,
				       .from = REQUESTS_NONE,
				       .at = REQUESTS_NONE };
}

Test(requests_record, leaves_out_requests_on_more_connections)
{
	struct requests_done done;

	begin();
	for (uint64_t i = 0; i < MOST + BEYOND; i++) {
		done = done_on(i);
		why_record_request(&why, &done);
	}
	cr_expect_eq(why.recording.file.fresh, MOST);
	cr_expect_eq(why.recording.left_out, BEYOND);
	/* those that are known go on */
	done = done_on(0);
	why_record_request(&why, &done);
	cr_expect_eq(why.recording.file.fresh, MOST + 1);
	cr_expect_eq(why.recording.left_out, BEYOND);
	why_record_release(&why);
}

Test(requests_record, has_names_of_so_many_steps)
{
	static struct requests_step steps[MOST + BEYOND];
	struct requests_done done = done_on(1);

	begin();
	for (uint32_t i = 0; i < MOST + BEYOND; i++)
		steps[i] = (struct requests_step){ .state = { .where = REQUESTS_QUEUE, .tid = 1 + i, .object = i },
						   .from = i,
						   .to = i + 1 };
	done.steps = steps;
	done.n_steps = MOST + BEYOND;
	why_record_request(&why, &done);
	/* all are drawn; those beyond have one name */
	cr_expect_eq(why.recording.file.fresh, 1 + MOST + BEYOND);
	cr_expect_eq(why.recording.unnamed, BEYOND);
	cr_expect_eq(why.recording.states.n, MOST + 1);
	why_record_release(&why);
}
