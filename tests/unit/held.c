// SPDX-License-Identifier: BSD-2-Clause
/* `sonde why --over`: waits are cut into parts without a rest; names of interrupts. */
#include <criterion/criterion.h>

#include "why/held.h"

static void add(struct held_leg *leg, uint32_t kind, uint32_t who, uint64_t began, uint64_t ended, int prio)
{
	struct held_span *span = vec_push(&leg->spans);

	*span = (struct held_span){ .began = began, .ended = ended, .who = who, .tgid = who, .kind = kind, .prio = prio };
	snprintf(span->comm, sizeof(span->comm), "%u", who);
}

static struct held_wait wait_of(uint64_t start, uint64_t ended, int prio)
{
	return (struct held_wait){ .tid = 1, .tgid = 1, .prio = prio, .start = start, .ended = ended };
}

static uint64_t ns_of(const struct held_sums *sums, enum held_what what, uint32_t id)
{
	uint64_t ns = 0;

	vec_each(who, &sums->whos)
		if (who->key.what == what && who->key.id == id)
			ns += who->ns;
	return ns;
}

static enum held_where where_of(const struct held_sums *sums, uint32_t id)
{
	vec_each(who, &sums->whos)
		if (who->key.what == HELD_BY_TASK && who->key.id == id)
			return who->key.where;
	return HELD_SOMEWHERE;
}

/* What sonde itself had is a row of its own, whatever it did. */
Test(held, itself)
{
	struct held_sums sums = { .worst = 10, .own = 7 };
	struct held_wait wait = wait_of(100, 200, 120);
	struct held_leg *leg = held_leg(&wait, 0, 100, 200);

	add(leg, HELD_TASK, 7, 50, 130, 120);
	add(leg, HELD_TASK, 8, 130, 180, 120);
	add(leg, HELD_TASK, 7, 180, 200, 50);
	held_sums_add(&sums, &wait);
	cr_assert_eq(ns_of(&sums, HELD_BY_SELF, 0), 50);
	cr_assert_eq(ns_of(&sums, HELD_BY_TASK, 7), 0);
	cr_assert_eq(ns_of(&sums, HELD_BY_TASK, 8), 50);
	held_sums_release(&sums);
}

/* Who waits for its quota waits for nobody, whatever the processor did. */
Test(held, quota)
{
	struct held_sums sums = { .worst = 1 };
	struct held_wait wait = wait_of(100, 200, 120);
	struct held_leg *leg = held_leg(&wait, 0, 100, 200);

	add(leg, HELD_TASK, 7, 50, 200, 120);
	wait.quota = true;
	held_sums_add(&sums, &wait);
	cr_assert_eq(ns_of(&sums, HELD_BY_QUOTA, 0), 100);
	cr_assert_eq(sums.longest[0].parts.n, 1);
	held_sums_release(&sums);
}

/* The innermost counts: an interrupt within a soft interrupt within a task. */
Test(held, nested)
{
	struct held_sums sums = { .worst = 10 };
	struct held_wait wait = wait_of(100, 200, 120);
	struct held_leg *leg = held_leg(&wait, 0, 110, 200);

	add(leg, HELD_HARD, 27, 150, 155, 0);
	add(leg, HELD_HARD, 27, 90, 112, 0);
	add(leg, HELD_SOFT, 3, 140, 170, 0);
	add(leg, HELD_TASK, 8, 180, 200, 120);
	add(leg, HELD_TASK, 7, 50, 180, 120);
	held_sums_add(&sums, &wait);
	cr_assert_eq(ns_of(&sums, HELD_ELSEWHERE, 0), 10);
	cr_assert_eq(ns_of(&sums, HELD_BY_HARD, 27), 5 + 2);
	cr_assert_eq(ns_of(&sums, HELD_BY_SOFT, 3), 25);
	cr_assert_eq(ns_of(&sums, HELD_BY_TASK, 7), 180 - 110 - 2 - 30);
	cr_assert_eq(ns_of(&sums, HELD_BY_TASK, 8), 20);
	cr_assert_eq(sums.waits, 1);
	cr_assert_eq(sums.longest[0].parts.n, 5);
	cr_assert_eq(sums.longest[0].parts.v[0].ns, 38);
	held_sums_release(&sums);
}

/*
 * Who goes first is held up by the kernel; who does not, by the other one. Only the task that is there when the thread
 * comes is not preempted: one that comes later was chosen.
 */
Test(held, first)
{
	struct held_sums sums = { .worst = 1 };
	struct held_wait wait = wait_of(0, 60, 20);
	struct held_leg *leg = held_leg(&wait, 1, 0, 40);

	add(leg, HELD_TASK, 5, 0, 10, 120);
	add(leg, HELD_TASK, 6, 10, 20, 120);
	leg->spans.v[1].flags = HELD_USER;
	add(leg, HELD_TASK, 7, 20, 30, 10);
	leg->spans.v[2].flags = HELD_USER;
	add(leg, HELD_TASK, 8, 30, 40, 120);
	leg->spans.v[3].flags = HELD_KERNEL;
	leg = held_leg(&wait, 0, 40, 60);
	add(leg, HELD_TASK, 9, 35, 60, 120);
	leg->spans.v[0].flags = HELD_USER;
	held_sums_add(&sums, &wait);
	cr_assert_eq(where_of(&sums, 5), HELD_NOT_PREEMPTED);
	cr_assert_eq(where_of(&sums, 6), HELD_IN_USER);
	cr_assert_eq(where_of(&sums, 7), HELD_IN_USER);
	cr_assert_eq(where_of(&sums, 8), HELD_IN_KERNEL);
	cr_assert_eq(where_of(&sums, 9), HELD_LATE);
	held_sums_release(&sums);
}

/* A list that is full does not reach back: what the task had of the time before is not known. */
Test(held, forgotten)
{
	struct held_sums sums = { .worst = 1 };
	struct held_wait wait = wait_of(0, 4000, 120);
	struct held_leg *leg = held_leg(&wait, 1, 0, 4000);

	add(leg, HELD_TASK, 5, 0, 4000, 120);
	for (uint64_t i = 0; i < HELD_SPANS; i++)
		add(leg, HELD_SOFT, 3, 1000 + 2 * i, 1001 + 2 * i, 0);
	held_sums_add(&sums, &wait);
	cr_assert_eq(ns_of(&sums, HELD_BY_UNKNOWN, 0), 1000);
	cr_assert_eq(ns_of(&sums, HELD_BY_SOFT, 3), HELD_SPANS);
	cr_assert_eq(ns_of(&sums, HELD_BY_TASK, 5), 3000 - HELD_SPANS);
	held_sums_release(&sums);
}

/* A wait that moves for ever: its first legs are split, what the others lasted is not known. */
Test(held, moves)
{
	struct held_sums sums = { .worst = 1 };
	struct held_wait wait = wait_of(0, 1000, 120);

	for (uint64_t from = 0; from < 1000; from += 10)
		for (int messages = 0; messages < 2; messages++) {
			struct held_leg *leg = held_leg(&wait, from / 10 % 2, from, from + 9);

			if (leg && messages)
				add(leg, HELD_TASK, 5, from, from + 9, 120);
		}
	held_sums_add(&sums, &wait);
	cr_assert_eq(ns_of(&sums, HELD_BY_TASK, 5), 64 * 9);
	cr_assert_eq(ns_of(&sums, HELD_BY_UNKNOWN, 0), 36 * 9);
	cr_assert_eq(ns_of(&sums, HELD_ELSEWHERE, 0), 100);
	cr_assert_eq(sums.unsplit, 1);
	held_sums_release(&sums);
}

/* Of very many holders the rest shares a row; what is no task has its own. */
Test(held, many)
{
	struct held_sums sums = { .worst = 1 };

	for (uint32_t i = 0; i < 5000; i++) {
		struct held_wait wait = wait_of(0, 20, 120);
		struct held_leg *leg = held_leg(&wait, 0, 0, 20);

		wait.tid = i;
		add(leg, HELD_TASK, i + 1, 0, 10, 120);
		if (i == 4999)
			add(leg, HELD_HARD, 27, 10, 15, 0);
		held_sums_add(&sums, &wait);
	}
	cr_assert_gt(ns_of(&sums, HELD_BY_TASK, 0), 9000);
	cr_assert_eq(ns_of(&sums, HELD_BY_HARD, 27), 5);
	cr_assert_eq(ns_of(&sums, HELD_BY_UNKNOWN, 0), 5000 * 10 - 5);
	cr_assert_eq(sums.tids.n, 5000);
	cr_assert(!sums.more_tids);
	held_sums_release(&sums);
}

/* Samples say more than the place where a task had to leave; and one gives its stack to the part. */
Test(held, samples)
{
	struct held_sums sums = { .worst = 1 };
	struct held_wait wait = wait_of(0, 100, 120);
	struct held_leg *leg = held_leg(&wait, 1, 0, 100);

	add(leg, HELD_TASK, 5, 0, 100, 120);
	leg->spans.v[0].flags = HELD_PREEMPTED | HELD_KERNEL;
	leg->spans.v[0].stack = 1;
	for (uint64_t at = 10; at < 40; at += 10) {
		add(leg, HELD_SAMPLE, 5, at, at, 0);
		leg->spans.v[leg->spans.n - 1].flags = HELD_USER;
		leg->spans.v[leg->spans.n - 1].stack = at;
	}
	held_sums_add(&sums, &wait);
	cr_assert_eq(where_of(&sums, 5), HELD_IN_USER);
	cr_assert_eq(sums.longest[0].parts.v[0].stack, 30);
	held_sums_release(&sums);
}

Test(held, priorities)
{
	cr_assert_eq(held_rt(120), 0);
	cr_assert_eq(held_rt(100), 0);
	cr_assert_eq(held_rt(98), 1);
	cr_assert_eq(held_rt(0), 99);
	cr_assert_eq(held_rt(-1), 100);
}

/* Whatever the spans are, parts sum to the wait; and only the longest waits are kept, the longest first. */
Test(held, random)
{
	struct held_sums sums = { .worst = 10 };
	uint64_t all = 0;

	srand(1);
	for (int i = 0; i < 2000; i++) {
		struct held_wait wait = wait_of(1000, 1001 + rand() % 5000, rand() % 2 ? 10 : 120);
		int legs = rand() % 3;
		uint64_t sum = 0, from = 1000;

		wait.tid = i;
		for (int n = 0; n < legs; n++, from += 500) {
			struct held_leg *leg = held_leg(&wait, rand() % 2, from, from + rand() % 1000);

			for (int k = rand() % 20; k--;)
				add(leg, rand() % HELD_KINDS, rand() % 4, rand() % 5000, rand() % 8000, rand() % 130);
		}
		held_cut(&sums, &wait);
		vec_each(part, &wait.parts)
			sum += part->ns;
		cr_assert_eq(sum, wait.ended - wait.start);
		wait.parts.n = 0;
		all += sum;
		held_sums_add(&sums, &wait);
	}
	cr_assert_eq(sums.ns, all);
	cr_assert_eq(sums.n_longest, 10);
	for (size_t i = 1; i < sums.n_longest; i++)
		cr_assert_geq(sums.longest[i - 1].ended, sums.longest[i].ended);
	all = 0;
	vec_each(who, &sums.whos)
		all += who->ns;
	cr_assert_eq(all, sums.ns);
	held_sums_release(&sums);
}

Test(held, interrupts)
{
	struct interrupts interrupts = {};

	interrupts_add_line(&interrupts, "           CPU0       CPU1       \n");
	interrupts_add_line(&interrupts, "  1:          9          0   IO-APIC   1-edge      i8042\n");
	interrupts_add_line(&interrupts, " 16:         29          7   IO-APIC  16-fasteoi   ehci_hcd:usb1, i801_smbus\n");
	interrupts_add_line(&interrupts, " 27:          0          0  PCI-MSIX-0000:00:04.0   1-edge      virtio2-req.0\n");
	interrupts_add_line(&interrupts, " 40:          0          0     GICv3  27 Level     arch_timer\n");
	interrupts_add_line(&interrupts, "NMI:          0          0   Non-maskable interrupts\n");
	interrupts_add_line(&interrupts, " 99:\n");
	interrupts_add_line(&interrupts, "");
	cr_assert_eq(interrupts.n, 4);
	cr_assert_str_eq(interrupts_name(&interrupts, 1), "i8042");
	cr_assert_str_eq(interrupts_name(&interrupts, 16), "ehci_hcd:usb1, i801_smbus");
	cr_assert_str_eq(interrupts_name(&interrupts, 27), "virtio2-req.0");
	cr_assert_str_eq(interrupts_name(&interrupts, 40), "arch_timer");
	cr_assert_null(interrupts_name(&interrupts, 99));
	interrupts_release(&interrupts);
}
