// SPDX-License-Identifier: BSD-2-Clause
/* Waits for other threads of the process: locks, conditions, ends, and pages of memory that they give. */
#include <errno.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "waits.h"

static void *nap_once(void *arg)
{
	nap();
	return arg;
}

static void wait_join(void)
{
	for (int i = 0; i < times; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, nap_once, NULL))
			errx(1, "thread");
		MEASURE(-pthread_join(thread, NULL));
	}
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t held, wanted;

/* Holds the mutex for MS milliseconds after it was told that somebody wants it. */
static void *hold(void *lock)
{
	for (int i = 0; i < times; i++) {
		pthread_mutex_lock(lock);
		sem_post(&held);
		nap();
		pthread_mutex_unlock(lock);
		while (sem_wait(&wanted))
			;
	}
	return NULL;
}

static void contend(pthread_mutex_t *lock)
{
	pthread_t holder;

	sem_init(&held, 0, 0);
	sem_init(&wanted, 0, 0);
	if (pthread_create(&holder, NULL, hold, lock))
		errx(1, "thread");
	for (int i = 0; i < times; i++) {
		while (sem_wait(&held))
			;
		MEASURE(-pthread_mutex_lock(lock));
		pthread_mutex_unlock(lock);
		sem_post(&wanted);
	}
	pthread_join(holder, NULL);
}

static void wait_lock(void)
{
	contend(&mutex);
}

static void wait_lock_pi(void)
{
	pthread_mutexattr_t attr;
	static pthread_mutex_t pi;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&pi, &attr);
	contend(&pi);
}

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int signalled;

static void *signal_after(void *arg)
{
	nap();
	pthread_mutex_lock(&mutex);
	signalled = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static int wait_signalled(void)
{
	int ret = 0;

	while (!signalled && !ret)
		ret = pthread_cond_wait(&condition, &mutex);
	return -ret;
}

static void wait_condition(void)
{
	for (int i = 0; i < times; i++) {
		pthread_t thread;

		signalled = 0;
		if (pthread_create(&thread, NULL, signal_after, NULL))
			errx(1, "thread");
		pthread_mutex_lock(&mutex);
		MEASURE(wait_signalled());
		pthread_mutex_unlock(&mutex);
		pthread_join(thread, NULL);
	}
}

static void *post_after(void *arg)
{
	nap();
	sem_post(&held);
	return arg;
}

static void wait_semaphore(void)
{
	sem_init(&held, 0, 0);
	for (int i = 0; i < times; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, post_after, NULL))
			errx(1, "thread");
		MEASURE(sem_wait(&held));
		pthread_join(thread, NULL);
	}
}

/* --- locks for readers and writers --- */

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

/* Holds the lock as a writer for MS milliseconds after it was told that somebody wants it. */
static void *write_locked(void *arg)
{
	pthread_rwlock_wrlock(&rwlock);
	sem_post(&held);
	nap();
	pthread_rwlock_unlock(&rwlock);
	return arg;
}

static void contend_rwlock(int (*lock)(pthread_rwlock_t *lock))
{
	sem_init(&held, 0, 0);
	for (int i = 0; i < times; i++) {
		pthread_t writer;

		if (pthread_create(&writer, NULL, write_locked, NULL))
			errx(1, "thread");
		while (sem_wait(&held))
			;
		MEASURE(-lock(&rwlock));
		pthread_rwlock_unlock(&rwlock);
		pthread_join(writer, NULL);
	}
}

static void wait_rwlock_read(void)
{
	contend_rwlock(pthread_rwlock_rdlock);
}

static void wait_rwlock_write(void)
{
	contend_rwlock(pthread_rwlock_wrlock);
}

/* A mutex that the kernel frees if its owner dies. */
static void wait_lock_robust(void)
{
	pthread_mutexattr_t attr;
	static pthread_mutex_t robust;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attr);
	contend(&robust);
}

/* A lock of libc itself, which does not know its holder: of a FILE. */
static void *hold_file(void *f)
{
	flockfile(f);
	sem_post(&held);
	nap();
	funlockfile(f);
	return NULL;
}

static void wait_lock_file(void)
{
	FILE *f = fopen("/dev/null", "w");

	sem_init(&held, 0, 0);
	for (int i = 0; i < times; i++) {
		pthread_t holder;

		if (pthread_create(&holder, NULL, hold_file, f))
			errx(1, "thread");
		while (sem_wait(&held))
			;
		MEASURE((flockfile(f), 0));
		funlockfile(f);
		pthread_join(holder, NULL);
	}
}

static pthread_barrier_t barrier;

static void *come_late(void *arg)
{
	nap();
	pthread_barrier_wait(&barrier);
	return arg;
}

static void wait_barrier(void)
{
	for (int i = 0; i < times; i++) {
		pthread_t thread;

		pthread_barrier_init(&barrier, NULL, 2);
		if (pthread_create(&thread, NULL, come_late, NULL))
			errx(1, "thread");
		MEASURE(pthread_barrier_wait(&barrier) > 0 ? -1 : 0);
		pthread_join(thread, NULL);
		pthread_barrier_destroy(&barrier);
	}
}

static void wait_condition_timed(void)
{
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < times; i++) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += ms * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		MEASURE(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT ? 0 : -1);
	}
	pthread_mutex_unlock(&mutex);
}

/* --- words as other libraries use them --- */

struct foreign {
	uint32_t *word;
	uint32_t then; /* what it is when the wait has ended */
};

static void *wake_foreign(void *arg)
{
	const struct foreign *foreign = arg;

	nap();
	__atomic_store_n(foreign->word, foreign->then, __ATOMIC_RELEASE);
	syscall(SYS_futex, foreign->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return NULL;
}

/* Returns how long it waited for the ends of the threads that woke it, in ns: that is no wait at the word. */
static long long at_word(uint32_t *word, uint32_t value)
{
	long long joined = 0, began;

	for (int i = 0; i < times; i++) {
		struct foreign foreign = { word, 0 };
		pthread_t thread;

		*word = value;
		if (pthread_create(&thread, NULL, wake_foreign, &foreign))
			errx(1, "thread");
		/* EAGAIN: the other was quicker */
		MEASURE(syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0) && errno != EAGAIN ? -1 : 0);
		began = did_ns(CLOCK_MONOTONIC);
		pthread_join(thread, NULL);
		joined += did_ns(CLOCK_MONOTONIC) - began;
	}
	return joined;
}

/* A thread of Rust that is parked. */
static void wait_parked(void)
{
	static uint32_t word[8];

	at_word(word, -1);
}

/* A mutex of Rust, which has nothing but this word. */
static void wait_lock_rust(void)
{
	static uint32_t word[8];

	at_word(word, 2);
}

/* A mutex of musl: its holder's id is in the word. */
static void wait_lock_musl(void)
{
	static uint32_t word[8];

	at_word(word, getpid() | 0x80000000);
}

/* musl's conditions: a word of the thread that waits, on its stack. */
static void wait_condition_musl(void)
{
	uint32_t word[8] = {};

	at_word(word, 2);
}

/* musl's end of a thread: a word in the thread's struct, which begins with a pointer to itself. */
static void wait_join_musl(void)
{
	static struct {
		void *self;
#if defined(__x86_64__)
		void *chains[5];
#else
		void *chains[3];
#endif
		uint32_t tid, error, word, cancel[5];
	} thread = { .self = &thread };

	/* sonde counts both as waits for the end of a thread. */
	waited += at_word(&thread.word, 2);
}

static long page;
static char *pages;

/* Gives the pages that are missing, each after MS milliseconds. */
static void *give_pages(void *fd)
{
	char *zero = aligned_alloc(page, page);
	struct uffd_msg message;

	memset(zero, 1, page);
	for (int i = 0; i < times; i++) {
		struct uffdio_copy copy = { .src = (unsigned long)zero, .len = page };

		if (read(*(int *)fd, &message, sizeof(message)) != sizeof(message))
			err(1, "userfaultfd");
		nap();
		copy.dst = message.arg.pagefault.address & -page;
		ioctl(*(int *)fd, UFFDIO_COPY, &copy);
	}
	return NULL;
}

static void wait_fault(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	pthread_t thread;

	page = sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, times * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (unsigned long)pages;
	range.range.len = times * page;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range) ||
	    pthread_create(&thread, NULL, give_pages, &fd))
		err(1, "userfaultfd");
	for (int i = 0; i < times; i++)
		MEASURE(*(volatile char *)(pages + i * page));
	pthread_join(thread, NULL);
}

const struct cause on_threads[] = {
	{ "join", wait_join },
	{ "lock", wait_lock },
	{ "lock-pi", wait_lock_pi },
	{ "condition", wait_condition },
	{ "semaphore", wait_semaphore },
	{ "rwlock-read", wait_rwlock_read },
	{ "rwlock-write", wait_rwlock_write },
	{ "lock-robust", wait_lock_robust },
	{ "lock-file", wait_lock_file },
	{ "barrier", wait_barrier },
	{ "condition-timed", wait_condition_timed },
	{ "parked", wait_parked },
	{ "lock-rust", wait_lock_rust },
	{ "lock-musl", wait_lock_musl },
	{ "condition-musl", wait_condition_musl },
	{ "join-musl", wait_join_musl },
	{ "fault", wait_fault },
	{},
};
