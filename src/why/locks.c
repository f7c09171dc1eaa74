// SPDX-License-Identifier: BSD-2-Clause
/* The table of functions that wait for something that has a name, as in the public sources of these programs. */
#include "base/pool.h"
#include "base/str.h"
#include "locks.h"

/* So many frames are looked at from the innermost one on: a thread that waits for work is deep in no such function. */
#define FRAMES	  24
#define LINES_MAX 4096

struct line {
	const char *module, *function, *name; /* begins; module NULL: any */
	const char *inner;		      /* the stack has such a function, too, further in; NULL: whatever is there */
	bool held;			      /* by a thread, which ends the waits for it */
};

#define KERNEL "[kernel]"

/* The first line that fits a frame counts. What is deeper in a program is more exact, and its frames are further in. */
static const struct line known[] = {
	/* PostgreSQL */
	{ "postgres", "XactLockTableWait", "row lock (PostgreSQL)" },
	{ "postgres", "ConditionalXactLockTableWait", "row lock (PostgreSQL)" },
	{ "postgres", "LockTuple", "row lock (PostgreSQL)" },
	{ "postgres", "SpeculativeInsertionWait", "row lock (PostgreSQL)" },
	{ "postgres", "VirtualXactLock", "end of other transactions (PostgreSQL)" },
	{ "postgres", "RequestCheckpoint", "checkpoint (PostgreSQL)" },
	{ "postgres", "LockRelation", "table lock (PostgreSQL)" },
	{ "postgres", "ConditionalLockRelation", "table lock (PostgreSQL)" },
	{ "postgres", "LockBufferForCleanup", "buffer pin (PostgreSQL)" },
	{ "postgres", "LWLockAcquire", "LWLock (PostgreSQL)" },
	{ "postgres", "LWLockWaitForVar", "LWLock (PostgreSQL)" },
	{ "postgres", "SyncRepWaitForLSN", "synchronous replication (PostgreSQL)" },
	{ "postgres", "XLogFlush", "flush of the log (PostgreSQL)" },
	{ "postgres", "pg_advisory_", "advisory lock (PostgreSQL)" },
	{ "postgres", "pg_sleep", "pg_sleep() (PostgreSQL)" },
	/* MariaDB and MySQL */
	{ "maria", "lock_wait(", "row lock (InnoDB)" },
	{ "mysql", "lock_wait(", "row lock (InnoDB)" },
	{ "mysql", "lock_wait_suspend_thread(", "row lock (InnoDB)" },
	/* Debian's has no names of functions within InnoDB, which waits for a time only for rows */
	{ "maria", "handler::ha_", "row lock (InnoDB)", "pthread_cond_timedwait" },
	{ "maria", "handler::ha_", "row lock (InnoDB)", "pthread_cond_clockwait" },
	{ "maria", "Item_func_sleep::val_int", "SLEEP() (MariaDB)" },
	{ "maria", "MDL_wait::timed_wait", "metadata lock (MariaDB)" },
	{ "mysql", "MDL_wait::timed_wait", "metadata lock (MySQL)" },
	{ "maria", "ssux_lock_impl", "latch (InnoDB)" },
	{ "maria", "srw_mutex_impl", "latch (InnoDB)" },
	{ "maria", "srw_lock_impl", "latch (InnoDB)" },
	{ "mysql", "rw_lock_", "latch (InnoDB)" },
	{ "maria", "log_write_up_to(", "flush of the log (InnoDB)" },
	{ "mysql", "log_write_up_to(", "flush of the log (InnoDB)" },
	{ "maria", "group_commit_lock", "flush of the log (InnoDB)" },
	/* Python */
	{ NULL, "PyThread_acquire_lock_timed", "threading.Lock (Python)", .held = true },
	{ NULL, "PyEval_RestoreThread", "GIL (Python)", .held = true },
	{ NULL, "PyEval_AcquireThread", "GIL (Python)", .held = true },
	{ NULL, "PyGILState_Ensure", "GIL (Python)", .held = true },
	{ NULL, "take_gil", "GIL (Python)", .held = true },
	{ NULL, "_PyEval_EvalFrameDefault", "GIL (Python)", "pthread_cond_timedwait", true },
	/* Debian's has no names of functions within, and Python's functions stand in place of the loop */
	{ "python", "", "GIL (Python)", "pthread_cond_timedwait", true },
	{ "libpython", "", "GIL (Python)", "pthread_cond_timedwait", true },
	/* Java */
	{ "libjvm.so", "ObjectMonitor::enter", "monitor (Java)", .held = true },
	{ "libjvm.so", "ObjectMonitor::wait", "Object.wait() (Java)" },
	{ "libjvm.so", "SafepointSynchronize::block", "safepoint (Java)" },
	{ "libjvm.so", "SafepointMechanism::process", "safepoint (Java)" },
	{ "libjvm.so", "G1CollectedHeap::", "garbage collector (Java)" },
	{ "libjvm.so", "GenCollectedHeap::", "garbage collector (Java)" },
	{ "libjvm.so", "ParallelScavengeHeap::", "garbage collector (Java)" },
	{ "libjvm.so", "ShenandoahControlThread::", "garbage collector (Java)" },
	{ "libjvm.so", "CollectedHeap::", "garbage collector (Java)" },
	{ "libjvm.so", "JavaThread::sleep", "Thread.sleep() (Java)" },
	{ NULL, "java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire", "java.util.concurrent lock" },
	{ NULL, "java.lang.Object.wait", "Object.wait() (Java)" },
	/* Rust */
	{ NULL, "std::sys::sync::mutex", "Mutex (Rust)" },
	{ NULL, "std::sys::sync::rwlock", "RwLock (Rust)" },
	{ NULL, "std::sys::sync::condvar", "Condvar (Rust)" },
	{ NULL, "parking_lot::raw_mutex", "Mutex (parking_lot)" },
	{ NULL, "parking_lot::raw_rwlock", "RwLock (parking_lot)" },
	/* SQLite sleeps, and tries again */
	{ "libsqlite3", "sqlite3_step", "lock of the database (SQLite)", "clock_nanosleep" },
	{ "libsqlite3", "sqlite3_exec", "lock of the database (SQLite)", "clock_nanosleep" },
	/* glibc */
	{ "libc", "malloc", "malloc's lock (glibc)", "__lll_lock_wait_private" },
	{ "libc", "__libc_malloc", "malloc's lock (glibc)", "__lll_lock_wait_private" },
	{ "libc", "calloc", "malloc's lock (glibc)", "__lll_lock_wait_private" },
	{ "libc", "realloc", "malloc's lock (glibc)", "__lll_lock_wait_private" },
	{ "libc", "free", "malloc's lock (glibc)", "__lll_lock_wait_private" },
	{ "libc", "_int_free", "malloc's lock (glibc)", "__lll_lock_wait_private" },
	/* the kernel */
	{ KERNEL, "lock_mm_and_find_vma", "map of memory (mmap_lock)", "rwsem_down_" },
	{ KERNEL, "vm_mmap_pgoff", "map of memory (mmap_lock)", "rwsem_down_" },
	{ KERNEL, "do_mprotect_pkey", "map of memory (mmap_lock)", "rwsem_down_" },
	{ KERNEL, "__vm_munmap", "map of memory (mmap_lock)", "rwsem_down_" },
	{ KERNEL, "jbd2_log_wait_commit", "commit of the journal (ext4)" },
	{ KERNEL, "jbd2__journal_start", "room in the journal (ext4)" },
	{ KERNEL, "xfs_log_force", "flush of the log (xfs)" },
};

struct locks {
	struct pool strings;
	vec(struct line);
};

/* --- the user's lines --- */

/* Cuts a word off the front of a text. NULL: there is none. */
static const char *word(struct pool *strings, const char **text)
{
	const char *at = *text + strspn(*text, " \t");
	size_t n = strcspn(at, " \t\n");

	*text = at + n;
	return n ? pool_addf(strings, "%.*s", (int)n, at) : NULL;
}

static bool add_line(struct locks *locks, const char *text)
{
	const char *module, *function;
	size_t n;

	text += strspn(text, " \t");
	if (!*text || *text == '#' || *text == '\n' || *text == '\r')
		return true;
	module = word(&locks->strings, &text);
	function = word(&locks->strings, &text);
	text += strspn(text, " \t");
	n = strcspn(text, "\r\n");
	if (!function || !n)
		return false;
	*vec_push(locks) = (struct line){
		.module = strcmp(module, "*") ? module : NULL,
		.function = function,
		.name = pool_addf(&locks->strings, "%.*s", (int)n, text),
	};
	return true;
}

static int read_file(struct locks *locks, const char *path, struct err *err)
{
	__fclose FILE *file = fopen(path, "re");
	char text[1024];
	size_t n = 0;

	if (!file)
		return err_set(err, -errno, "cannot read %s: %s", path, strerror(errno));
	while (fgets(text, sizeof(text), file)) {
		n++;
		if (!strchr(text, '\n') && !feof(file))
			return err_set(err, -EINVAL, "%s, line %zu: longer than %zu bytes", path, n, sizeof(text) - 2);
		if (!add_line(locks, text))
			return err_set(err, -EINVAL, "%s, line %zu: not MODULE FUNCTION NAME", path, n);
		if (locks->n > LINES_MAX)
			return err_set(err, -EINVAL, "%s: more than %d lines", path, LINES_MAX);
	}
	return ferror(file) ? err_set(err, -errno, "cannot read %s: %s", path, strerror(errno)) : 0;
}

int locks_new(struct locks **to, const char *file, struct err *err)
{
	struct locks *locks = *to = base_alloc(sizeof(*locks));
	int ret = file ? read_file(locks, file, err) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		*vec_push(locks) = known[i];
	return ret;
}

void locks_free(struct locks *locks)
{
	if (!locks)
		return;
	pool_release(&locks->strings);
	free(locks->v);
	free(locks);
}

/* --- names --- */

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static const char *module_of(const struct frame *frame)
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;

	if (frame->kind == FRAME_KERNEL)
		return KERNEL;
	return slash ? slash + 1 : str_or_empty(frame->file);
}

/*
 * Whether frame n has called this function for itself: what is between is of the file of one of both. Another library that
 * it called may wait there for something else.
 */
static bool has(const struct frame_stack *part, size_t n, const char *function)
{
	const char *own = module_of(part->frames[n]);

	for (size_t i = n; i--;) {
		const char *between = module_of(part->frames[i]);

		if (begins(part->frames[i]->name, function))
			return true;
		if (strcmp(between, own) && !begins(between, "libc.") && !begins(between, "libpthread"))
			return false;
	}
	return false;
}

static const char *name_of(const struct locks *locks, const struct frame_stack *part)
{
	for (size_t i = 0; i < part->n && i < FRAMES; i++) {
		const char *module = module_of(part->frames[i]);

		vec_each(line, locks)
			if (begins(part->frames[i]->name, line->function) &&
			    (!line->module || begins(module, line->module)) &&
			    (!line->inner || has(part, i, line->inner)))
				return line->name;
	}
	return NULL;
}

const char *locks_name(const struct locks *locks, const struct frame_stack *user, const struct frame_stack *kernel)
{
	const char *name = name_of(locks, user);

	return name ? name : name_of(locks, kernel);
}

bool locks_has_holder(const struct locks *locks, const char *name)
{
	vec_each(line, locks)
		if (line->name == name)
			return line->held;
	return false;
}
