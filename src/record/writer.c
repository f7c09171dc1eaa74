// SPDX-License-Identifier: BSD-2-Clause
/* Sections are whole or not there: what a failed write left behind is cut off. */
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "binary/foreign.h"
#include "writer.h"

#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* Small entries are collected up to so many bytes. */
#define COLLECT_BYTES (64u << 10)

enum {
	COLLECT_TASKS,
	COLLECT_TEXTS,
	COLLECT_CALLS,
	COLLECTS
};

static const enum layout_type collect_types[COLLECTS] = {
	[COLLECT_TASKS] = LAYOUT_TASKS,
	[COLLECT_TEXTS] = LAYOUT_TEXTS,
	[COLLECT_CALLS] = LAYOUT_CALLS,
};

struct writer {
	int fd;
	const char *name;
	uint64_t bytes; /* whole sections */
	int error;
	struct layout_ring ring;
	struct str collected[COLLECTS];
};

/* Writes n bytes at *at, and moves it. */
static int put(struct writer *w, uint64_t *at, const void *data, size_t n)
{
	const char *from = data;

	while (n) {
		ssize_t taken = pwrite(w->fd, from, n, *at);

		if (taken < 0 && errno == EINTR)
			continue;
		if (taken <= 0)
			return taken ? -errno : -EIO;
		from += taken;
		n -= taken;
		*at += taken;
	}
	return 0;
}

/* A section of two parts, the first of which is whole words. */
static int put_section(struct writer *w, enum layout_type type, const void *head, size_t head_bytes, const void *data,
		       size_t n)
{
	struct layout_section section = { .type = type, .bytes = head_bytes + n };
	size_t padding = -n & 7;
	uint64_t at = w->bytes;
	uLong check = crc32(0, NULL, 0);
	int ret;

	if (w->error)
		return w->error;
	check = crc32(check, (const Bytef *)&section.type, sizeof(section.type));
	check = crc32(check, (const Bytef *)&section.bytes, sizeof(section.bytes));
	/* zlib takes no data for a new sum. */
	check = head_bytes ? crc32(check, head, head_bytes) : check;
	check = n ? crc32(check, data, n) : check;
	section.check = padding ? crc32(check, (const Bytef *)"\0\0\0\0\0\0\0", padding) : check;
	ret = put(w, &at, &section, sizeof(section));
	if (!ret)
		ret = put(w, &at, head, head_bytes);
	if (!ret)
		ret = put(w, &at, data, n);
	if (!ret)
		ret = put(w, &at, "\0\0\0\0\0\0\0", padding);
	if (!ret) {
		w->bytes = at;
		return 0;
	}
	w->error = ret;
	/* If even that fails, the reader finds the piece and says that the file was cut. */
	if (ftruncate(w->fd, w->bytes))
		return ret;
	return ret;
}

/* --- bodies --- */

static void add_word(struct str *s, uint64_t word)
{
	str_addn(s, (const char *)&word, sizeof(word));
}

static void add_text(struct str *s, const char *text)
{
	size_t n = strlen(str_or_empty(text));

	n = n > LAYOUT_TEXT_MAX ? LAYOUT_TEXT_MAX : n;
	add_word(s, n);
	if (n)
		str_addn(s, text, n);
	str_add_fill(s, 0, -n & 7);
}

static int put_body(struct writer *w, enum layout_type type, const struct str *body)
{
	return put_section(w, type, NULL, 0, body->data, body->len);
}

static int flush_one(struct writer *w, int which)
{
	struct str *s = &w->collected[which];
	int ret = s->len ? put_body(w, collect_types[which], s) : w->error;

	str_reset(s);
	return ret;
}

/* To be called behind each entry. */
static int collected(struct writer *w, int which)
{
	return w->collected[which].len >= COLLECT_BYTES ? flush_one(w, which) : w->error;
}

/* --- the file --- */

struct writer *writer_open_fd(int fd, const char *name, struct err *err)
{
	struct layout_header header = { .endian = LAYOUT_ENDIAN,
					.version = LAYOUT_VERSION,
					.header_bytes = sizeof(header),
					.machine = MACHINE };
	struct writer *w = base_alloc(sizeof(*w));
	int ret;

	*w = (struct writer){ .fd = fd, .name = name };
	/* as an initializer it would lose its NUL, of which gcc 16 warns */
	memcpy(header.magic, LAYOUT_MAGIC, sizeof(header.magic));
	ret = put(w, &w->bytes, &header, sizeof(header));
	if (!ret)
		return w;
	err_set(err, ret, "cannot write %s: %s", name, strerror(-ret));
	close(fd);
	free(w);
	return NULL;
}

/* Removes an old file. Nothing but a regular file is removed. */
static int remove_old(const char *name, struct err *err)
{
	struct stat st;

	if (lstat(name, &st))
		return errno == ENOENT ? 0 : err_set(err, -errno, "cannot create %s: %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return err_set(err, -EEXIST, "%s exists and is not a regular file", name);
	if (unlink(name))
		return err_set(err, -errno, "cannot replace %s: %s", name, strerror(errno));
	return 0;
}

struct writer *writer_open(const char *name, bool force, struct err *err)
{
	struct writer *w;
	int fd;

	if (force && remove_old(name, err))
		return NULL;
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		err_set(err, -EEXIST, "%s exists: --overwrite replaces it", name);
	else if (fd < 0)
		err_set(err, -errno, "cannot create %s: %s", name, strerror(errno));
	if (fd < 0)
		return NULL;
	w = writer_open_fd(fd, name, err);
	if (!w)
		unlink(name);
	return w;
}

uint64_t writer_bytes(const struct writer *w)
{
	return w->bytes;
}

int writer_error(const struct writer *w)
{
	return w->error;
}

int writer_flush(struct writer *w)
{
	for (int i = 0; i < COLLECTS; i++)
		flush_one(w, i);
	return w->error;
}

static int put_end(struct writer *w, const struct layout_end *end)
{
	__str struct str s = {};

	add_word(&s, end->recorded);
	add_word(&s, end->lost);
	add_word(&s, end->missed);
	add_word(&s, end->unattached);
	add_word(&s, end->exit_status);
	return put_body(w, LAYOUT_END, &s);
}

int writer_close(struct writer *w, const struct layout_end *end, struct err *err)
{
	int ret = writer_flush(w);

	if (!ret && end)
		ret = put_end(w, end);
	/* NFS may report a full disk only here. */
	if (close(w->fd) && !ret)
		ret = -errno;
	if (ret)
		err_set(err, ret, "cannot write %s: %s: it ends after %s", w->name, strerror(-ret),
			foreign_show_size(w->bytes).text);
	for (int i = 0; i < COLLECTS; i++)
		str_release(&w->collected[i]);
	free(w);
	return ret;
}

/* --- sections --- */

int writer_host(struct writer *w, const struct layout_host *host)
{
	__str struct str s = {};

	add_text(&s, host->release);
	add_text(&s, host->machine);
	add_text(&s, host->node);
	add_text(&s, host->boot_id);
	add_text(&s, host->version);
	add_text(&s, host->line);
	add_word(&s, host->cpus);
	add_word(&s, (int64_t)host->command_pid);
	return put_body(w, LAYOUT_HOST, &s);
}

int writer_clocks(struct writer *w)
{
	uint64_t words[] = { clock_monotonic_ns(), clock_boot_ns(), clock_wall_ns() };

	return put_section(w, LAYOUT_CLOCKS, words, sizeof(words), NULL, 0);
}

int writer_ring(struct writer *w, const struct layout_ring *ring)
{
	uint64_t words[] = { ring->number_at, ring->number_bits, ring->kind_at, ring->kind_bits,
			     ring->words_at, ring->words_bits, ring->words_extra };

	w->ring = *ring;
	return put_section(w, LAYOUT_RING, words, sizeof(words), NULL, 0);
}

int writer_kind(struct writer *w, const struct layout_kind *kind)
{
	__str struct str s = {};

	add_word(&s, kind->id);
	add_text(&s, kind->name);
	add_word(&s, kind->n);
	for (uint32_t i = 0; i < kind->n; i++) {
		add_text(&s, kind->fields[i].name);
		add_word(&s, kind->fields[i].is);
		add_word(&s, kind->fields[i].word);
		add_word(&s, kind->fields[i].bit);
		add_word(&s, kind->fields[i].bits);
	}
	return put_body(w, LAYOUT_KIND, &s);
}

int writer_note(struct writer *w, const char *text)
{
	__str struct str s = {};

	add_text(&s, text);
	return put_body(w, LAYOUT_NOTE, &s);
}

int writer_calls_form(struct writer *w, uint64_t form, uint64_t text)
{
	uint64_t words[] = { form, text };

	return put_section(w, LAYOUT_CALLS_FORM, words, sizeof(words), NULL, 0);
}

int writer_missed(struct writer *w, uint64_t missed)
{
	__str struct str s = {};

	add_word(&s, missed);
	return put_body(w, LAYOUT_MISSED, &s);
}

int writer_task(struct writer *w, const struct layout_task *task)
{
	struct str *s = &w->collected[COLLECT_TASKS];

	add_word(s, (int64_t)task->tid);
	add_word(s, (int64_t)task->tgid);
	add_word(s, (int64_t)task->ppid);
	add_word(s, task->flags);
	add_word(s, task->began);
	add_word(s, task->state);
	add_text(s, task->comm);
	add_text(s, task->line);
	return collected(w, COLLECT_TASKS);
}

int writer_text(struct writer *w, enum layout_space space, uint64_t id, const char *text)
{
	struct str *s = &w->collected[COLLECT_TEXTS];

	add_word(s, space);
	add_word(s, id);
	add_text(s, text);
	return collected(w, COLLECT_TEXTS);
}

int writer_call(struct writer *w, const void *record, size_t n)
{
	struct str *s = &w->collected[COLLECT_CALLS];

	if (!n)
		return w->error;
	add_word(s, n);
	str_addn(s, record, n);
	str_add_fill(s, 0, -n & 7);
	return collected(w, COLLECT_CALLS);
}

int writer_calls_lost(struct writer *w, uint64_t lost)
{
	struct str *s = &w->collected[COLLECT_CALLS];

	if (!lost)
		return w->error;
	add_word(s, 0);
	add_word(s, lost);
	return collected(w, COLLECT_CALLS);
}

/* --- chunks --- */

/* Returns the bytes of as many whole records as fit in a chunk, and counts them. */
static size_t chunk_part(const struct writer *w, const uint64_t *words, size_t n, uint64_t *records)
{
	size_t at = 0;

	for (*records = 0; at < n; (*records)++) {
		uint64_t mask = (1ull << w->ring.words_bits) - 1;
		size_t length = (words[at] >> w->ring.words_at & mask) + w->ring.words_extra;

		if (!length || length > n - at || (at + length) * 8 > LAYOUT_CHUNK_MAX)
			break;
		at += length;
	}
	return at * 8;
}

static int put_chunk(struct writer *w, const uint64_t head[4], const void *records, size_t bytes)
{
	_Static_assert(LAYOUT_CHUNK_HEAD == 4 * sizeof(head[0]), "cpu, lane, first, lost");

	return put_section(w, LAYOUT_CHUNK, head, LAYOUT_CHUNK_HEAD, records, bytes);
}

int writer_chunk(struct writer *w, uint32_t cpu, uint32_t lane, uint64_t first, uint64_t lost, const void *records,
		 size_t bytes)
{
	uint64_t head[4] = { cpu, lane, first, lost };
	int ret = writer_flush(w);

	while (!ret && bytes > LAYOUT_CHUNK_MAX) {
		uint64_t n;
		size_t part = chunk_part(w, records, bytes / 8, &n);

		if (!part)
			return w->error = -EINVAL; /* no whole records, or writer_ring() was not called */
		ret = put_chunk(w, head, records, part);
		records = (const char *)records + part;
		bytes -= part;
		head[2] += n;
		head[3] = 0;
	}
	return ret ? ret : put_chunk(w, head, records, bytes);
}
