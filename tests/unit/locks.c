// SPDX-License-Identifier: BSD-2-Clause
/* What functions wait for, by name: lines that are known, and those of the user. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "why/locks.h"

#define N 4

static const struct frame *const none[1];

/* The name of a stack of functions, the innermost first, in one file; NULL ends them. */
static const char *name_of(const struct locks *locks, const char *file, enum frame_kind kind, const char *const functions[N])
{
	struct frame frames[N];
	const struct frame *stack[N];
	struct frame_stack part = { stack, 0 }, nothing = { none, 0 };

	for (; part.n < N && functions[part.n]; part.n++) {
		frames[part.n] = (struct frame){ .name = functions[part.n], .file = file, .kind = kind };
		stack[part.n] = &frames[part.n];
	}
	return kind == FRAME_KERNEL ? locks_name(locks, &nothing, &part) : locks_name(locks, &part, &nothing);
}

#define NAME(LOCKS, FILE, KIND, ...) name_of(LOCKS, FILE, KIND, (const char *const[N]){ __VA_ARGS__ })

static struct locks *made(const char *text, int wanted, const char *error)
{
	char path[] = "/tmp/sonde-locks-XXXXXX";
	struct locks *locks;
	struct err err = {};
	int fd = mkstemp(path), ret;

	cr_assert_eq(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	ret = locks_new(&locks, path, &err);
	unlink(path);
	cr_expect_eq(ret, wanted, "%d: %s", ret, err.text);
	cr_expect(!error || strstr(err.text, error), "%s", err.text);
	return locks;
}

Test(locks, known_ones)
{
	struct locks *locks;

	cr_assert_eq(locks_new(&locks, NULL, NULL), 0);
	cr_expect_str_eq(NAME(locks, "/usr/lib/postgresql/15/bin/postgres", FRAME_USER, "epoll_wait", "WaitLatch",
			      "ProcSleep", "XactLockTableWait"),
			 "row lock (PostgreSQL)");
	cr_expect_str_eq(NAME(locks, "/usr/sbin/mariadbd", FRAME_USER, "futex", "lock_wait(que_thr_t*)"), "row lock (InnoDB)");
	cr_expect_str_eq(NAME(locks, NULL, FRAME_KERNEL, "rwsem_down_write_slowpath", "down_write", "vm_mmap_pgoff"),
			 "map of memory (mmap_lock)");
	/* such a function for which another one waits, further in */
	cr_expect_str_eq(NAME(locks, "/usr/sbin/mariadbd", FRAME_USER, "pthread_cond_timedwait", "mariadbd+fn@0x1",
			      "handler::ha_index_read_map(unsigned char*)"),
			 "row lock (InnoDB)");
	cr_expect_null(NAME(locks, "/usr/sbin/mariadbd", FRAME_USER, "pread64", "handler::ha_index_read_map(unsigned char*)",
			    "pthread_cond_timedwait"));
	/* it reads what it maps, with the lock */
	cr_expect_null(NAME(locks, NULL, FRAME_KERNEL, "folio_wait_bit_common", "populate_vma_page_range", "vm_mmap_pgoff"));
	/* another program's function of this name */
	cr_expect_null(NAME(locks, "/usr/bin/other", FRAME_USER, "XactLockTableWait"));
	cr_expect_null(NAME(locks, "/usr/bin/other", FRAME_USER, "vm_mmap_pgoff"));
	cr_expect_null(NAME(locks, NULL, FRAME_USER, NULL));
	locks_free(locks);
}

/* Another library waits there for something else. */
Test(locks, inner)
{
	const struct frame sleep = { .name = "__clock_nanosleep", .file = "/lib/libc.so.6", .kind = FRAME_USER },
			   timed = { .name = "pthread_cond_timedwait", .file = "/lib/libc.so.6", .kind = FRAME_USER },
			   pool = { .name = "pool_wait", .file = "/srv/pool.so", .kind = FRAME_USER },
			   eval = { .name = "_PyEval_EvalFrameDefault", .file = "/usr/bin/python3", .kind = FRAME_USER };
	const struct frame *const gil[] = { &timed, &eval }, *const other[] = { &timed, &pool, &eval },
				  *const none_of_both[] = { &sleep, &eval };
	const struct frame_stack kernel = { none, 0 };
	struct locks *locks;

	cr_assert_eq(locks_new(&locks, NULL, NULL), 0);
	cr_expect_str_eq(locks_name(locks, &(struct frame_stack){ (void *)gil, 2 }, &kernel), "GIL (Python)");
	cr_expect_null(locks_name(locks, &(struct frame_stack){ (void *)other, 3 }, &kernel));
	cr_expect_null(locks_name(locks, &(struct frame_stack){ (void *)none_of_both, 2 }, &kernel));
	locks_free(locks);
}

/* Debian's Python has no names of functions within, and shows the program's in place of its loop. */
Test(locks, gil_of_a_stripped_python)
{
	const struct frame timed = { .name = "pthread_cond_timedwait", .file = "/lib/libc.so.6", .kind = FRAME_USER },
			   wait = { .name = "sem_clockwait", .file = "/lib/libc.so.6", .kind = FRAME_USER },
			   fn = { .name = "python3.11+fn@0x4f92c0", .file = "/usr/bin/python3.11", .kind = FRAME_USER },
			   acquire = { .name = "PyThread_acquire_lock_timed", .file = "/usr/bin/python3.11", .kind = FRAME_USER },
			   crunch = { .name = "crunch (load.py:52)", .kind = FRAME_INTERPRETED };
	const struct frame *const gil[] = { &timed, &fn, &crunch }, *const other[] = { &wait, &fn, &crunch },
				  *const lock[] = { &timed, &acquire, &fn, &crunch };
	const struct frame_stack kernel = { none, 0 };
	struct locks *locks;

	cr_assert_eq(locks_new(&locks, NULL, NULL), 0);
	cr_expect_str_eq(locks_name(locks, &(struct frame_stack){ (void *)gil, 3 }, &kernel), "GIL (Python)");
	cr_expect_null(locks_name(locks, &(struct frame_stack){ (void *)other, 3 }, &kernel));
	cr_expect_str_eq(locks_name(locks, &(struct frame_stack){ (void *)lock, 4 }, &kernel), "threading.Lock (Python)");
	locks_free(locks);
}

Test(locks, holders)
{
	struct locks *locks;

	cr_assert_eq(locks_new(&locks, NULL, NULL), 0);
	cr_expect(locks_has_holder(locks, NAME(locks, NULL, FRAME_USER, "take_gil")));
	cr_expect_not(locks_has_holder(locks, NAME(locks, "/lib/libjvm.so", FRAME_USER, "ObjectMonitor::wait")));
	cr_expect_not(locks_has_holder(locks, "a name of nobody"));
	locks_free(locks);
}

/* Of two that are known, the innermost is what the thread waits for. */
Test(locks, innermost)
{
	struct locks *locks;

	cr_assert_eq(locks_new(&locks, NULL, NULL), 0);
	cr_expect_str_eq(NAME(locks, "/bin/postgres", FRAME_USER, "LWLockAcquire", "XLogFlush"), "LWLock (PostgreSQL)");
	cr_expect_str_eq(NAME(locks, "/bin/postgres", FRAME_USER, "fdatasync", "XLogFlush"), "flush of the log (PostgreSQL)");
	locks_free(locks);
}

Test(locks, lines_of_the_user)
{
	struct locks *locks = made("# ours\n\nshop  Cart::lock\tthe cart of a customer\n"
				   "*\tXLogFlush our own name\n",
				   0, NULL);

	cr_expect_str_eq(NAME(locks, "/srv/shop-2", FRAME_USER, "pthread_mutex_lock", "Cart::lock()"), "the cart of a customer");
	cr_expect_null(NAME(locks, "/srv/other", FRAME_USER, "Cart::lock()"));
	/* they come first, and what they leave out is still known */
	cr_expect_str_eq(NAME(locks, "/bin/postgres", FRAME_USER, "XLogFlush"), "our own name");
	cr_expect_str_eq(NAME(locks, "/bin/postgres", FRAME_USER, "LWLockAcquire"), "LWLock (PostgreSQL)");
	locks_free(locks);
}

Test(locks, bad_lines)
{
	char text[3000];

	locks_free(made("shop Cart::lock\n", -EINVAL, "line 1: not MODULE FUNCTION NAME"));
	locks_free(made("# x\nshop\n", -EINVAL, "line 2"));
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	locks_free(made(text, -EINVAL, "line 1: longer than"));
}

/* As an editor of another system writes it. */
Test(locks, returns_at_the_ends_of_lines)
{
	struct locks *locks = made("# x\r\n\r\nshop Cart::lock a cart\r\n", 0, NULL);

	cr_expect_str_eq(NAME(locks, "/srv/shop", FRAME_USER, "Cart::lock()"), "a cart");
	locks_free(locks);
}

Test(locks, directory)
{
	struct locks *locks;
	struct err err = {};

	cr_expect_eq(locks_new(&locks, "/tmp", &err), -EISDIR);
	cr_expect(strstr(err.text, "cannot read /tmp"), "%s", err.text);
	locks_free(locks);
}

Test(locks, no_file)
{
	struct locks *locks;
	struct err err = {};

	cr_expect_eq(locks_new(&locks, "/no/such", &err), -ENOENT);
	cr_expect(strstr(err.text, "/no/such"), "%s", err.text);
	locks_free(locks);
}
