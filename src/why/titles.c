// SPDX-License-Identifier: BSD-2-Clause
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/threads.h"
#include "engine/filter.h"
#include "titles.h"

#define BYTES 256
/* Of a title, columns. */
#define TITLE 48

/* How long the first process may keep its arguments from being read, and others after it. */
#define PATIENCE_NS (2 * NS_PER_SEC)
#define LATER_NS    (20 * NS_PER_MS)

/*
 * Returns how many bytes there are, without the NULs and blanks at the end. Not by stdio: exit() waits for the lock of a
 * stream that hangs.
 */
static size_t read_now(uint32_t pid, char text[BYTES])
{
	__free char *path = base_printf("/proc/%u/cmdline", pid);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t ret = fd < 0 ? 0 : read(fd, text, BYTES - 1);
	size_t n = ret > 0 ? ret : 0;

	if (fd >= 0)
		close(fd);
	while (n && (!text[n - 1] || text[n - 1] == ' '))
		n--;
	text[n] = 0;
	return n;
}

/*
 * To read a process's arguments, the kernel waits for the lock of its memory, which one that hangs in a file system may
 * hold for ever. So a thread of its own reads: while it hangs, processes have no titles, and all else goes on.
 */
static struct {
	pthread_mutex_t mutex;
	pthread_cond_t asked, read;
	bool begun, reads;
	bool hung; /* one did */
	uint32_t pid;
	size_t n;
	char text[BYTES];
} reader = { .mutex = PTHREAD_MUTEX_INITIALIZER, .asked = PTHREAD_COND_INITIALIZER };

static void *read_for_others(void *unused)
{
	char text[BYTES];

	(void)unused;
	pthread_mutex_lock(&reader.mutex);
	for (;;) {
		const uint32_t pid = reader.pid;
		size_t n;

		if (!reader.reads) {
			pthread_cond_wait(&reader.asked, &reader.mutex);
			continue;
		}
		pthread_mutex_unlock(&reader.mutex);
		n = read_now(pid, text);
		pthread_mutex_lock(&reader.mutex);
		memcpy(reader.text, text, n + 1);
		reader.n = n;
		reader.reads = false;
		pthread_cond_signal(&reader.read);
	}
	return NULL;
}

/* The mutex is held. Signals are for the other threads. */
static bool begin_reader(void)
{
	pthread_condattr_t clock;
	pthread_t thread;

	if (reader.begun)
		return true;
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&reader.read, &clock);
	pthread_condattr_destroy(&clock);
	reader.begun = !threads_start(&thread, read_for_others, NULL);
	if (reader.begun)
		pthread_detach(thread);
	return reader.begun;
}

static size_t read_arguments(uint32_t pid, char text[BYTES])
{
	const uint64_t until = clock_monotonic_ns() + (reader.hung ? LATER_NS : PATIENCE_NS);
	const struct timespec at = { .tv_sec = until / NS_PER_SEC, .tv_nsec = until % NS_PER_SEC };
	size_t n = 0;
	int ret = 0;

	pthread_mutex_lock(&reader.mutex);
	if (!reader.reads && begin_reader()) {
		reader.pid = pid;
		reader.reads = true;
		pthread_cond_signal(&reader.asked);
		while (reader.reads && !ret)
			ret = pthread_cond_timedwait(&reader.read, &reader.mutex, &at);
		reader.hung |= reader.reads;
		n = reader.reads ? 0 : reader.n;
		memcpy(text, reader.text, n);
	}
	pthread_mutex_unlock(&reader.mutex);
	text[n] = 0;
	return n;
}

char *titles_command(uint32_t pid)
{
	char text[BYTES];
	size_t n = read_arguments(pid, text);

	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	return n ? base_strndup(text, n) : NULL;
}

bool titles_comm(struct str *s, uint32_t tid)
{
	__free char *path = base_printf("/proc/%u/comm", tid);
	__fclose FILE *f = filter_pidns() ? NULL : fopen(path, "re");
	char text[64];

	if (!f || !fgets(text, sizeof(text), f))
		return false;
	str_addf(s, "%.*s", (int)strcspn(text, "\n"), text);
	return true;
}

/* The 22nd word, in ticks of the clock that also counts while the machine is suspended. The second one may have blanks. */
static bool read_start(uint32_t id, uint64_t *ticks)
{
	__free char *path = base_printf("/proc/%u/stat", id);
	__fclose FILE *f = filter_pidns() ? NULL : fopen(path, "re");
	char text[1024];
	const char *at = f && fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;

	for (int word = 2; at && word < 22; word++)
		at = strchr(at + 1, ' ');
	if (at)
		*ticks = strtoull(at, NULL, 10);
	return at;
}

bool titles_was_there(uint32_t id, uint64_t time)
{
	struct timespec boot;
	uint64_t ticks, now;

	if (!read_start(id, &ticks) || clock_gettime(CLOCK_BOOTTIME, &boot))
		return false;
	now = clock_monotonic_ns();
	time += boot.tv_sec * NS_PER_SEC + boot.tv_nsec - now;
	return ticks <= time / (NS_PER_SEC / sysconf(_SC_CLK_TCK));
}

void titles_add(struct str *s, uint32_t pid)
{
	char text[BYTES];
	size_t n = pid && !filter_pidns() ? read_arguments(pid, text) : 0;
	const char *title = text, *colon;
	size_t all;

	/* several arguments, or one without a blank, are a command */
	if (!n || strlen(text) < n || !strchr(text, ' '))
		return;
	colon = strstr(text, ": ");
	if (colon && !memchr(text, ' ', colon - text))
		title = colon + 2;
	all = n = strlen(title);
	/* not within a character of several bytes */
	for (n = n > TITLE ? TITLE : n; n < all && n && ((unsigned char)title[n] & 0xc0) == 0x80;)
		n--;
	str_addf(s, " (%.*s%s)", (int)n, title, n < all ? "..." : "");
}

/* --- while others wait --- */

#define LOOK_NS (100 * NS_PER_MS)
/* So many processes that are not watched yet are read between two looks; of those that hold no lock, fewer. */
#define MOST_READS	 64
#define MOST_OTHER_READS 16
/* After so many looks, processes that had no title are asked again: a number comes again, too. */
#define ASK_AGAIN 20

static void release(struct titles_watched *watched)
{
	for (size_t i = 0; i < TITLES_SAMPLES; i++)
		free(watched->samples[i].text);
	free(watched->held);
	free(watched->last);
	*watched = (struct titles_watched){};
}

static struct titles_watched *find(const struct titles *titles, uint32_t pid)
{
	for (size_t i = 0; pid && i < TITLES_WATCHED; i++)
		if (titles->watched[i].pid == pid)
			return (struct titles_watched *)&titles->watched[i];
	return NULL;
}

/* A place for a process: a free one, else, for one that has held a lock, that of one that has not, or any. */
static struct titles_watched *find_place(struct titles *titles, bool holds)
{
	for (size_t i = 0; i < TITLES_WATCHED; i++)
		if (!titles->watched[i].pid)
			return &titles->watched[i];
	for (size_t i = 0; holds && i < TITLES_WATCHED; i++)
		if (!titles->watched[i].holds)
			return &titles->watched[i];
	return holds ? &titles->watched[titles->next++ % TITLES_WATCHED] : NULL;
}

/* NULL: it is not watched: it has no title, or there is no room. */
static struct titles_watched *watch(struct titles *titles, uint32_t pid, bool holds)
{
	uint32_t *without = &titles->without[pid % ARRAY_SIZE(titles->without)];
	struct titles_watched *watched = find(titles, pid);
	struct str text __str = {};

	if (!watched && *without != pid && titles->reads < (holds ? MOST_READS : MOST_OTHER_READS))
		watched = find_place(titles, holds);
	if (!watched || watched->pid == pid)
		return watched;
	titles->reads++;
	titles_add(&text, pid);
	if (!text.len) {
		*without = pid;
		return NULL;
	}
	release(watched);
	watched->pid = pid;
	watched->last = base_printf("%s", text.data);
	return watched;
}

void titles_seen(struct titles *titles, uint32_t pid)
{
	watch(titles, pid, false);
}

void titles_waited(struct titles *titles, uint32_t pid, uint64_t from, uint64_t to, bool holds)
{
	struct titles_watched *watched = watch(titles, pid, holds);

	if (!watched)
		return;
	watched->holds |= holds;
	/* the latest one comes last */
	for (size_t i = 0; i < TITLES_SAMPLES; i++) {
		const struct titles_sample *sample = &watched->samples[(watched->n + i) % TITLES_SAMPLES];

		if (!sample->text || sample->time < from || sample->time > to)
			continue;
		free(watched->held);
		watched->held = base_printf("%s", sample->text);
	}
}

static void forget(struct titles *titles)
{
	for (size_t i = 0; i < ARRAY_SIZE(titles->known); i++) {
		free(titles->known[i].text);
		titles->known[i] = (struct titles_known){};
	}
}

const char *titles_now(struct titles *titles, uint32_t pid)
{
	struct titles_known *known = &titles->known[pid % ARRAY_SIZE(titles->known)];
	struct str text __str = {};

	if (known->text && known->pid == pid)
		return known->text;
	titles_add(&text, pid);
	free(known->text);
	*known = (struct titles_known){ pid, base_printf("%s", str_or_empty(text.data)) };
	return known->text;
}

void titles_look(struct titles *titles, uint64_t now)
{
	if (now < titles->looked_at + LOOK_NS)
		return;
	titles->looked_at = now;
	titles->reads = 0;
	if (titles->looks++ % ASK_AGAIN == 0)
		memset(titles->without, 0, sizeof(titles->without));
	forget(titles);
	for (size_t i = 0; i < TITLES_WATCHED; i++) {
		struct titles_watched *watched = &titles->watched[i];
		struct titles_sample *sample = &watched->samples[watched->n % TITLES_SAMPLES];
		struct str text __str = {};

		if (!watched->pid)
			continue;
		titles_add(&text, watched->pid);
		if (!text.len)
			continue;
		watched->n++;
		free(sample->text);
		*sample = (struct titles_sample){ now, base_printf("%s", text.data) };
		free(watched->last);
		watched->last = base_printf("%s", text.data);
	}
}

void titles_born(struct titles *titles, uint32_t pid)
{
	struct titles_watched *watched = find(titles, pid);

	if (watched)
		release(watched);
}

const char *titles_held(const struct titles *titles, uint32_t pid)
{
	const struct titles_watched *watched = find(titles, pid);

	return watched ? watched->held : NULL;
}

const char *titles_last(const struct titles *titles, uint32_t pid)
{
	const struct titles_watched *watched = find(titles, pid);

	return watched ? watched->last : NULL;
}

void titles_release(struct titles *titles)
{
	for (size_t i = 0; i < TITLES_WATCHED; i++)
		release(&titles->watched[i]);
	forget(titles);
}
