// SPDX-License-Identifier: BSD-2-Clause
/* Requests in the recording of --perfetto: what has a bound, and that what is left out is counted. */
#include <criterion/criterion.h>

#include "convert/convert.h"
#include "why/why_part.h"

#define MOST   65536
#define BEYOND 10
#define OWN    4096

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

/* Ever new connections: one at a time, they need one more track than those that have their own. */
Test(requests_record, shares_tracks)
{
	struct requests_done done;

	begin();
	for (uint64_t i = 0; i < 3 * MOST; i++) {
		const struct why_client client = {
			.version = 4,
			.address = { 10, 0, 0, i % 2 },
			.port = 1 + i % 60000,
		};

		done = done_on(i);
		done.arrived = 10 * i;
		done.ended = 10 * i + 9;
		done.from = set_add_most(&why.requests.clients, &client, sizeof(client), WHY_CLIENTS);
		why_record_request(&why, &done);
	}
	cr_expect_eq(why.recording.file.fresh, 3 * MOST);
	cr_expect_eq(why.recording.left_out, 0);
	cr_expect_eq(why.recording.connections.n, OWN);
	cr_expect_eq(why.recording.lanes.n, 2);
	/* those that last have lanes of their own */
	for (uint64_t i = 0; i < 10; i++) {
		done.sock += 1;
		done.arrived = 100 * MOST;
		done.ended = 200 * MOST;
		why_record_request(&why, &done);
	}
	cr_expect_eq(why.recording.lanes.n, 11);
	why_record_release(&why);
}

Test(requests_record, leaves_out_requests_without_lanes)
{
	struct requests_done done;

	begin();
	for (uint64_t i = 0; i < 2 * OWN; i++) {
		done = done_on(i);
		done.at = i;
		why_record_request(&why, &done);
	}
	cr_expect_eq(why.recording.left_out, 0);
	for (uint64_t i = 0; i < MOST + BEYOND; i++) {
		done = done_on(MOST + i);
		done.at = i;
		why_record_request(&why, &done);
	}
	cr_expect_eq(why.recording.lanes.n, MOST - OWN);
	cr_expect_eq(why.recording.left_out, 2 * OWN + BEYOND);
	/* those that are known go on */
	done = done_on(0);
	why_record_request(&why, &done);
	cr_expect_eq(why.recording.left_out, 2 * OWN + BEYOND);
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
