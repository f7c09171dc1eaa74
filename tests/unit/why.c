// SPDX-License-Identifier: BSD-2-Clause
/* The sums of `sonde why`: threads, names and causes; and the classes of system calls. */
#include <criterion/criterion.h>

#include <arpa/inet.h>
#include <math.h>

#include "kernel/syscalls.h"
#include "why/waits.h"
#include "why/why_part.h"

static struct why_thread part(uint32_t tid, const char *comm, uint32_t record)
{
	struct why_thread thread = { .tid = tid, .tgid = tid, .record = record, .began = 100, .since = 200 };

	strncpy(thread.comm, comm, sizeof(thread.comm) - 1);
	return thread;
}

/* A thread that executes a program goes on; after its end the same id is another thread. */
Test(why, threads_by_id)
{
	struct why_sums sums = {};
	struct why_thread thread = part(7, "sh", WHY_PART);

	thread.ns[WHY_CHILD] = 10;
	why_sums_add(&sums, &thread);
	thread = part(7, "make", WHY_END);
	thread.ns[WHY_PIPE] = 20;
	thread.since = 300;
	why_sums_add(&sums, &thread);
	thread = part(7, "cc1", 0);
	thread.ns[WHY_DISK] = 5;
	why_sums_add(&sums, &thread);
	why_sums_finish(&sums);
	cr_assert_eq(sums.tasks.n, 2);
	cr_assert_eq(sums.processes, 2);
	cr_assert_eq(sums.tasks.v[0].split.ns[WHY_CHILD], 10);
	cr_assert_eq(sums.tasks.v[0].split.ns[WHY_PIPE], 20);
	cr_assert_eq(sums.tasks.v[0].began, 100);
	cr_assert_eq(sums.tasks.v[0].ended, 300);
	cr_assert_str_eq(sums.tasks.v[0].comm, "make");
	cr_assert(sums.tasks.v[0].has_ended);
	cr_assert_eq(why_sums_life(&sums.tasks.v[1].split), 5);
	cr_assert(!sums.tasks.v[1].has_ended);
	cr_assert_eq(sums.names.n, 3);
	cr_assert_eq(why_sums_life(&sums.all), 35);
	why_sums_release(&sums);
}

/* The time on a processor is divided without a rest. */
Test(why, running_is_divided)
{
	struct why_sums sums = {};
	struct why_thread thread = part(7, "cc1", WHY_END);
	const struct why_split *split = &sums.all;

	thread.ns[WHY_RUNNING] = 1000;
	thread.ran = 900;
	thread.user = 3;
	thread.system = 1;
	why_sums_add(&sums, &thread);
	why_sums_finish(&sums);
	cr_assert_eq(split->ns[WHY_STOLEN], 100);
	cr_assert_eq(split->ns[WHY_SYSTEM], 225);
	cr_assert_eq(split->ns[WHY_USER], 675);
	cr_assert_eq(split->ns[WHY_RUNNING], 0);
	cr_assert_eq(why_sums_life(split), 1000);
	why_sums_release(&sums);
}

/* Ticks may have found nothing, and the kernel's account may be a little ahead of ours, or behind in one part. */
Test(why, running_without_ticks)
{
	struct why_sums sums = {};
	struct why_thread thread = part(7, "cc1", WHY_PART);

	thread.ns[WHY_RUNNING] = 10;
	thread.ran = -5;
	why_sums_add(&sums, &thread);
	thread = part(7, "cc1", WHY_END);
	thread.ns[WHY_RUNNING] = 1000;
	thread.ran = 1100;
	why_sums_add(&sums, &thread);
	why_sums_finish(&sums);
	cr_assert_eq(sums.all.ns[WHY_STOLEN], 0);
	cr_assert_eq(sums.all.ns[WHY_SYSTEM], 0);
	cr_assert_eq(sums.all.ns[WHY_USER], 1010);
	why_sums_release(&sums);
}

/* Threads that only waited for work are apart from the others, and nothing is lost or counted twice. */
Test(why, idle_is_apart)
{
	struct why why = {};
	struct why_thread thread = part(7, "server", 0);

	thread.ns[WHY_POLL] = 900;
	thread.ns[WHY_RUNNING] = thread.ran = 100;
	thread.user = 1;
	why_sums_add(&why.sums, &thread);
	for (uint32_t tid = 8; tid < 11; tid++) {
		thread = part(tid, tid < 10 ? "worker" : "server", 0);
		thread.ns[WHY_CONDITION] = 990;
		thread.ns[WHY_RUNNING] = thread.ran = 10;
		why_sums_add(&why.sums, &thread);
	}
	/* what others are to end is no wait for work */
	thread = part(11, "worker", 0);
	thread.ns[WHY_LOCK] = 1000;
	why_sums_add(&why.sums, &thread);
	why_sums_finish(&why.sums);
	why_idle_find(&why);
	cr_assert_eq(why.work.threads, 3);
	cr_assert_eq(why.work.idle.n, 2);
	cr_assert_str_eq(why.work.idle.v[0].comm, "worker");
	cr_assert_eq(why.work.idle.v[0].threads, 2);
	cr_assert_eq(why.work.idle.v[0].cause, WHY_CONDITION);
	cr_assert_eq(why.work.idle.v[0].ns, 2000);
	cr_assert_eq(why.work.worked.all.ns[WHY_POLL], 900);
	cr_assert_eq(why.work.worked.all.ns[WHY_CONDITION], 0);
	cr_assert_eq(why_sums_life(&why.work.worked.all) + 3000, why_sums_life(&why.sums.all));
	why_idle_release(&why);
	why_sums_release(&why.sums);
}

/* Where nobody worked, what they waited for is the answer. */
Test(why, all_idle)
{
	struct why why = {};
	struct why_thread thread = part(7, "server", 0);

	thread.ns[WHY_POLL] = 1000;
	why_sums_add(&why.sums, &thread);
	why_sums_finish(&why.sums);
	why_idle_find(&why);
	cr_assert_eq(why.work.threads, 0);
	cr_assert_eq(why.work.idle.n, 0);
	why_idle_release(&why);
	why_sums_release(&why.sums);
}

/* A timer or the network that ends a wait for work only shows that there was none. Of others it may be the cause. */
Test(why, waits_for_work_are_not_the_worst)
{
	const struct why_settings settings = { .worst = 2 };
	struct why_wait kept[3], wait = { .ns = 5, .waker = { WHY_INTERRUPT }, .key.class = WHY_POLL };
	struct why why = { .settings = &settings, .waits = kept };

	why_keep_wait(&why, &wait);
	cr_assert_eq(why.n_waits, 0);
	wait.key.class = WHY_NETWORK;
	why_keep_wait(&why, &wait);
	wait = (struct why_wait){ .ns = 6, .waker = "redis", .key.class = WHY_POLL };
	why_keep_wait(&why, &wait);
	cr_assert_eq(why.n_waits, 2);
	cr_assert_eq(why.waits[0].ns, 6);
}

/* What a timer has cut into pieces is one wait among the longest. */
Test(why, pieces_are_one_wait)
{
	const struct why_settings settings = { .worst = 3 };
	struct why_wait kept[4], wait = { .tid = 7, .ns = 5, .key.class = WHY_CONDITION };
	struct why_wait other = { .tid = 8, .ns = 5, .key.class = WHY_CONDITION };
	struct why why = { .settings = &settings, .waits = kept };

	why_keep_wait(&why, &wait);
	why_keep_wait(&why, &other);
	wait.before = 5;
	wait.ns = 11;
	why_keep_wait(&why, &wait);
	wait.before = 11;
	wait.ns = 12;
	wait.waker_tid = 8;
	why_keep_wait(&why, &wait);
	cr_assert_eq(why.n_waits, 2);
	cr_expect_eq(why.waits[0].ns, 12);
	cr_expect_eq(why.waits[0].waker_tid, 8);
	cr_expect_eq(why.waits[1].tid, 8);
	/* a wait that was not kept */
	wait.before = 4;
	wait.ns = 6;
	why_keep_wait(&why, &wait);
	cr_assert_eq(why.n_waits, 3);
	cr_expect_eq(why.waits[1].ns, 6);
}

/* A thread that looks at something each few milliseconds waits for no lock: of its time, the last piece is a wait. */
Test(why, ticks_are_no_wait)
{
	const struct why_settings settings = { .worst = 3 };
	struct why_wait kept[4], wait = { .tid = 7, .ns = 500, .before = 490, .key.class = WHY_CONDITION };
	struct why_wait other = { .tid = 8, .ns = 50, .key.class = WHY_CONDITION };
	struct why why = { .settings = &settings, .waits = kept };

	why_keep_wait(&why, &wait);
	why_keep_wait(&why, &other);
	why_settle_waits(&why);
	cr_assert_eq(why.n_waits, 2);
	cr_expect_eq(why.waits[0].tid, 8);
	cr_expect_eq(why.waits[1].ns, 10);
	why_settle_waits(&why);
	cr_expect_eq(why.waits[1].ns, 10);
}

Test(why, causes_have_names)
{
	for (uint32_t i = 0; i < WHY_CAUSES; i++)
		cr_assert(why_sums_cause(i) && *why_sums_cause(i), "cause %u", i);
	cr_assert_str_eq(why_sums_cause(12345), "unknown");
}

/* The brightness of "#rrggbb" as people see it, 0 to 1: https://www.w3.org/TR/WCAG21/#dfn-relative-luminance */
static double luminance(const char *color)
{
	static const double weights[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		const char digits[] = { color[1 + 2 * i], color[2 + 2 * i], 0 };
		double part = strtoul(digits, NULL, 16) / 255.0;

		sum += weights[i] * (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(const char *one, const char *other)
{
	double a = luminance(one) + 0.05, b = luminance(other) + 0.05;

	return a > b ? a / b : b / a;
}

/* How far two colors are from each other in red, green and blue. */
static unsigned int distance(const char *one, const char *other)
{
	unsigned long a = strtoul(one + 1, NULL, 16), b = strtoul(other + 1, NULL, 16);
	unsigned int sum = 0;

	for (int shift = 0; shift < 24; shift += 8)
		sum += abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
	return sum;
}

/* What sleeps or waits has a color of its own, on which text can be read. */
Test(why, colors_differ)
{
	for (uint32_t i = 0; i < WHY_CLASSES; i++) {
		const struct frame_color *color = &waits_of(i)->color;
		const char *name = waits_of(i)->name;

		if (i == WHY_RUNNING) {
			cr_assert_null(color->light);
			continue;
		}
		cr_assert_eq(strlen(color->light), strlen("#rrggbb"), "%s: not of six digits", name);
		cr_assert_eq(strlen(color->dark), strlen("#rrggbb"), "%s: not of six digits", name);
		cr_assert_geq(contrast(color->light, "#222222"), 5.5, "%s: the light color is too dark for text", name);
		cr_assert_geq(contrast(color->dark, "#ffffff"), 5.5, "%s: the dark color is too light for text", name);
		for (uint32_t j = 0; j < i; j++) {
			const struct frame_color *other = &waits_of(j)->color;

			if (j == WHY_RUNNING)
				continue;
			cr_assert_geq(distance(color->light, other->light), 24, "%s is like %s", name, waits_of(j)->name);
			cr_assert_geq(distance(color->dark, other->dark), 24, "%s is like %s", name, waits_of(j)->name);
		}
	}
}

/* Classes past the 32nd have a bit, too. */
Test(why, classes_by_object)
{
	uint64_t bits = waits_with(WAITS_FOR_WAKER);

	cr_assert(bits >> WHY_PIPE & 1);
	cr_assert(bits >> WHY_CHILD & 1);
	cr_assert_not(bits >> WHY_DISK & 1);
	for (uint32_t i = 0; i < WHY_CLASSES; i++)
		cr_assert_eq(bits >> i & 1, waits_of(i)->object == WAITS_FOR_WAKER, "class %u", i);
}

Test(why, calls)
{
	static uint8_t calls[WHY_ABIS][WHY_CALLS];

	waits_fill(calls);
	cr_assert_eq(calls[WHY_NATIVE][syscall_number("read")], WHY_BY_FD);
	cr_assert_eq(calls[WHY_NATIVE][syscall_number("futex")], WHY_BY_FUTEX);
	cr_assert_eq(calls[WHY_NATIVE][syscall_number("wait4")], WHY_CHILD);
	cr_assert_eq(calls[WHY_NATIVE][syscall_number("getpid")], WHY_KERNEL);
	/* of 32-bit programs, with numbers that x86 and ARM have */
	cr_assert_eq(calls[WHY_COMPAT][3], WHY_BY_FD);
	cr_assert_eq(calls[WHY_COMPAT][20], WHY_KERNEL);
	cr_assert_eq(calls[WHY_COMPAT][55], WHY_BY_FLOCK);
	cr_assert_eq(calls[WHY_COMPAT][142], WHY_POLL, "_newselect");
	cr_assert_eq(calls[WHY_COMPAT][240], WHY_BY_FUTEX);
	cr_assert_eq(calls[WHY_COMPAT][407], WHY_SLEEP, "clock_nanosleep_time64");
	cr_assert_eq(calls[WHY_COMPAT][422], WHY_BY_FUTEX, "futex_time64");
	cr_assert_str_eq(waits_call(syscall_number("read")), "read");
	cr_assert_eq(waits_class("read"), WHY_DESCRIPTOR);
	cr_assert_eq(waits_class("fsync"), WHY_DISK);
	cr_assert_eq(waits_class("futex"), WHY_CONDITION);
	cr_assert_eq(waits_class("nanosleep"), WHY_SLEEP);
	cr_assert_eq(waits_class("clock_nanosleep_time64"), WHY_SLEEP);
	cr_assert_eq(waits_class("_time64"), WHY_KERNEL);
	cr_assert_eq(waits_class("openat"), WHY_KERNEL);
	cr_assert_eq(waits_class("no such call"), WHY_KERNEL);
	cr_assert_eq(waits_class(NULL), WHY_KERNEL);
	for (int i = 0; i < WHY_CALLS; i++)
		cr_assert_lt(waits_class(syscall_name(i)), WHY_CLASSES, "call %d", i);
	cr_assert_str_eq(waits_call(3 | WHY_COMPAT_CALL), "read");
	cr_assert_null(waits_call(WHY_NO_CALL));
	cr_assert_str_eq(waits_call(20 | WHY_COMPAT_CALL), "getpid");
	cr_assert_null(waits_call(511 | WHY_COMPAT_CALL));
}

static void name_is(const struct why *why, const struct why_key *key, const struct why_object *object, const char *name)
{
	struct str s __str = {};

	cr_assert(objects_name(why, &s, key, object));
	cr_assert_str_eq(s.data, name);
}

/* Paths are whole, or begin with "..." where there was no room. */
Test(why, names_of_files)
{
	const struct why why = {};
	const struct why_key key = { .class = WHY_DISK, .a = 1 };
	struct why_object object = { .names = { "libc.so.6", "lib", "/" } };

	name_is(&why, &key, &object, "/lib/libc.so.6");
	strcpy(object.names[2], "usr");
	name_is(&why, &key, &object, ".../usr/lib/libc.so.6");
	for (int i = 0; i < WHY_NAMES; i++)
		memset(object.names[i], 'x', WHY_NAME_SIZE);
	for (int i = 1; i < WHY_NAMES; i++)
		strcpy(object.names[i], "d");
	name_is(&why, &key, &object, ".../d/d/d/d/d/d/d/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	object = (struct why_object){ .names = { "/" } };
	name_is(&why, &key, &object, "/");
}

Test(why, names_of_peers)
{
	const struct why why = {};
	const struct why_key key = { .class = WHY_NETWORK };
	struct why_object object = { .family = AF_INET, .peer_port = htons(80), .peer = { 127, 0, 0, 1 } };

	name_is(&why, &key, &object, "127.0.0.1:80");
	object.peer_port = 0;
	object.own_port = 8080;
	name_is(&why, &key, &object, "port 8080 from 127.0.0.1");
}

/* A holder is named only if it is a thread of the process that waits. */
Test(why, names_of_locks)
{
	struct why why = {};
	struct why_thread thread = part(7, "ld", 0);
	struct why_key key = { .class = WHY_LOCK, .a = 0x1000, .b = 7ULL << 32 | 7 };

	name_is(&why, &key, NULL, "0x1000 of 7");
	why_sums_add(&why.sums, &thread);
	name_is(&why, &key, NULL, "0x1000 of 7 held by ld 7");
	key.b = 8ULL << 32 | 7;
	name_is(&why, &key, NULL, "0x1000 of 8");
	why_sums_release(&why.sums);
}

/* A lock of a file: its holder may be any process, and one that is not measured has no name. */
Test(why, names_of_locks_of_files)
{
	struct why why = {};
	struct why_thread thread = part(7, "apt", 0);
	struct why_key key = { .class = WHY_FLOCK, .a = 12, .b = 8ULL << 32 };
	const struct why_object object = { .names = { "lock", "var", "/" } };

	name_is(&why, &key, &object, "/var/lock");
	key.b |= 7;
	name_is(&why, &key, &object, "/var/lock held by 7");
	why_sums_add(&why.sums, &thread);
	name_is(&why, &key, &object, "/var/lock held by apt 7");
	why_sums_release(&why.sums);
}

/* What is not known is not called an interrupt. */
Test(why, names_of_wakers)
{
	const struct why why = {};
	struct why_key key = { .class = WHY_POLL };
	struct str s __str = {};

	name_is(&why, &key, NULL, "unknown");
	key.a = WHY_INTERRUPT;
	name_is(&why, &key, NULL, "an interrupt");
	memcpy(&key.a, "sixteen_", 8);
	memcpy(&key.b, "letters_", 8);
	name_is(&why, &key, NULL, "sixteen_letters_");
	key = (struct why_key){ .class = WHY_SLEEP };
	cr_assert(!objects_name(&why, &s, &key, NULL));
}
