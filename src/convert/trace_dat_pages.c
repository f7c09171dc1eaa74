// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pages as the kernel's ring buffer has them: a time, how many bytes of events, the events. An event begins with a
 * word of 32 bits: its length in words of 4 bytes (5 bits) and the time since the event before (27 bits). Longer times have
 * an event of their own in front. A loss can only stand in front of a page, so it ends the one before. Nothing is known
 * of what events mean here.
 *
 * The first time, pages are filled to count them. The second time they are written, each to its place.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "base/write.h"
#include "trace_dat_part.h"

#define ROOM	     (16 << 20) /* for pages of all processors that are not written yet */
#define MOST_BATCH   64		/* of them for a processor */
#define DELTA_BITS   27
#define TYPE_LENGTH  28 /* the longest length in words of the first one */
#define TYPE_EXTEND  30
#define MISSED	     (1ULL << 31) /* of a page's size: events are missing before */
#define MISSED_COUNT (1ULL << 30) /* and how many stands behind the last event */

static struct dat_cpu *find_cpu(struct dat_pages *pages, uint32_t number)
{
	while (number >= pages->cpus.n)
		vec_push(&pages->cpus);
	return &pages->cpus.v[number];
}

static unsigned char *page_of(struct dat_pages *pages, struct dat_cpu *cpu)
{
	return cpu->batch ? cpu->batch + cpu->n % pages->per_batch * DAT_PAGE : pages->only_counted;
}

/* Writes the pages of a batch that have ended. */
static void write_batch(struct dat_pages *pages, struct dat_cpu *cpu)
{
	uint64_t first = cpu->n ? (cpu->n - 1) / pages->per_batch * pages->per_batch : 0;
	uint64_t at = cpu->at - pages->before + first * DAT_PAGE;
	size_t bytes = (cpu->n - first) * DAT_PAGE, done = 0;

	/* another number than before: somebody writes to the recording */
	if (!pages->error && cpu->n > cpu->planned)
		pages->error = -EIO;
	while (!pages->error && done < bytes) {
		ssize_t n = pwrite(pages->fd, cpu->batch + done, bytes - done, at + done);

		if (n <= 0)
			pages->error = n < 0 ? -errno : -EIO;
		else
			done += n;
	}
}

static void end_page(struct dat_pages *pages, struct dat_cpu *cpu)
{
	unsigned char *page = page_of(pages, cpu);
	uint64_t commit = cpu->used;
	uint32_t end = DAT_PAGE_HEAD + cpu->used;

	if (!cpu->is_open)
		return;
	if (cpu->lost) {
		memcpy(page + end, &cpu->lost, sizeof(cpu->lost));
		commit |= MISSED | MISSED_COUNT;
		end += sizeof(cpu->lost);
	}
	memset(page + end, 0, DAT_PAGE - end);
	memcpy(page + 8, &commit, sizeof(commit));
	cpu->n++;
	cpu->used = cpu->lost = 0;
	cpu->is_open = false;
	if (cpu->batch && cpu->n % pages->per_batch == 0)
		write_batch(pages, cpu);
}

static void begin_page(struct dat_pages *pages, struct dat_cpu *cpu, uint64_t time)
{
	memcpy(page_of(pages, cpu), &time, sizeof(time));
	cpu->last = time;
	cpu->is_open = true;
}

static void put_words(struct dat_cpu *cpu, unsigned char *page, uint32_t first, uint32_t second, bool has_second)
{
	unsigned char *at = page + DAT_PAGE_HEAD + cpu->used;

	memcpy(at, &first, sizeof(first));
	if (has_second)
		memcpy(at + 4, &second, sizeof(second));
	cpu->used += has_second ? 8 : 4;
}

void dat_pages_add(struct dat_pages *pages, uint32_t number, uint64_t time, const void *data, size_t len)
{
	struct dat_cpu *cpu = find_cpu(pages, number);
	/* with both words of the time's own event, both of this one, and the count of what was lost */
	uint32_t words = (len + 3) / 4, need = 16 + words * 4 + 8;
	unsigned char *page;
	uint64_t delta;

	if (cpu->is_open && (cpu->used + need > DAT_PAGE - DAT_PAGE_HEAD || time < cpu->last))
		end_page(pages, cpu);
	if (!cpu->is_open)
		begin_page(pages, cpu, time);
	page = page_of(pages, cpu);
	delta = time - cpu->last;
	if (delta >> DELTA_BITS) {
		put_words(cpu, page, TYPE_EXTEND | (uint32_t)delta << 5, delta >> DELTA_BITS, true);
		delta = 0;
	}
	if (words <= TYPE_LENGTH && words)
		put_words(cpu, page, words | (uint32_t)delta << 5, 0, false);
	else
		put_words(cpu, page, (uint32_t)delta << 5, words * 4 + 4, true);
	memcpy(page + DAT_PAGE_HEAD + cpu->used, data, len);
	memset(page + DAT_PAGE_HEAD + cpu->used + len, 0, words * 4 - len);
	cpu->used += words * 4;
	cpu->last = time;
}

void dat_pages_lose(struct dat_pages *pages, uint32_t number, uint64_t lost)
{
	struct dat_cpu *cpu = find_cpu(pages, number);

	if (cpu->used)
		end_page(pages, cpu);
	cpu->lost += lost;
}

void dat_pages_count(struct dat_pages *pages, uint32_t n_cpus)
{
	find_cpu(pages, n_cpus - 1);
	vec_each(cpu, &pages->cpus) {
		end_page(pages, cpu);
		*cpu = (struct dat_cpu){ .planned = cpu->n };
	}
}

void dat_pages_begin(struct dat_pages *pages, int fd)
{
	pages->is_temporary = fd < 0;
	pages->before = pages->is_temporary ? pages->cpus.v[0].at : 0;
	pages->fd = pages->is_temporary ? file_open_temporary(-1) : fd;
	if (pages->fd < 0)
		pages->error = -errno;
	pages->per_batch = ROOM / DAT_PAGE / pages->cpus.n;
	if (pages->per_batch > MOST_BATCH)
		pages->per_batch = MOST_BATCH;
	if (!pages->per_batch)
		pages->per_batch = 1;
	vec_each(cpu, &pages->cpus)
		if (cpu->planned)
			cpu->batch = base_alloc(pages->per_batch * DAT_PAGE);
}

/* Appends what is in the temporary file. */
static void copy(struct dat_pages *pages, uint64_t bytes, struct sink *sink)
{
	char some[64 << 10];

	for (uint64_t at = 0; !pages->error && !sink->error && at < bytes;) {
		ssize_t n = pread(pages->fd, some, sizeof(some), at);

		if (n <= 0)
			pages->error = n < 0 ? -errno : -EIO;
		else
			str_addn(&sink->data, some, n);
		at += n;
		sink_flush(sink);
	}
}

int dat_pages_finish(struct dat_pages *pages, struct sink *sink)
{
	uint64_t all = 0;

	vec_each(cpu, &pages->cpus) {
		end_page(pages, cpu);
		if (cpu->batch && cpu->n % pages->per_batch)
			write_batch(pages, cpu);
		if (!pages->error && cpu->n != cpu->planned)
			pages->error = -EIO;
		all += cpu->planned * DAT_PAGE;
	}
	if (pages->is_temporary)
		copy(pages, all, sink);
	return pages->error;
}

void dat_pages_release(struct dat_pages *pages)
{
	if (pages->is_temporary && pages->fd >= 0)
		close(pages->fd);
	vec_each(cpu, &pages->cpus)
		free(cpu->batch);
	free(pages->cpus.v);
}
