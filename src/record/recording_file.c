// SPDX-License-Identifier: BSD-2-Clause
/* Opens the file and looks at each section once. Chunks are noted: recording_chunks.c reads them when it is time. */
#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include "binary/foreign.h"
#include "recording_part.h"

int recording_read(struct recording *r, uint64_t at, void *to, size_t n)
{
	while (n) {
		ssize_t taken = pread(r->fd, to, n, at);

		if (taken < 0 && errno == EINTR)
			continue;
		if (taken <= 0)
			return taken ? -errno : -ENODATA;
		to = (char *)to + taken;
		at += taken;
		n -= taken;
	}
	return 0;
}

ssize_t recording_bytes(const struct recording *r, uint64_t at, void *to, size_t n)
{
	ssize_t taken;

	do {
		taken = pread(r->fd, to, n, at);
	} while (taken < 0 && errno == EINTR);
	return taken < 0 ? -errno : taken;
}

bool recording_check(const struct layout_section *section, const void *head, size_t head_bytes, const void *body,
		     size_t n)
{
	uLong check = crc32(0, NULL, 0);

	check = crc32(check, (const Bytef *)&section->type, sizeof(section->type));
	check = crc32(check, (const Bytef *)&section->bytes, sizeof(section->bytes));
	check = head_bytes ? crc32(check, head, head_bytes) : check;
	check = n ? crc32(check, body, n) : check;
	return check == section->check;
}

static void set_cut(struct recording *r, const char *why)
{
	if (r->info.cut)
		return;
	snprintf(r->cut, sizeof(r->cut), "%s", why);
	r->info.cut = r->cut;
}

void recording_note_damage(struct recording *r)
{
	r->damaged++;
	set_cut(r, "parts of it are damaged");
}

/* A section from another writer, or of a file that ends within it, has no room. */
static bool fits(const struct recording *r, uint64_t at, uint64_t bytes)
{
	return bytes <= r->size && r->size - at >= sizeof(struct layout_section) &&
	       (bytes + 7) / 8 * 8 <= r->size - at - sizeof(struct layout_section);
}

static struct recording_ring *find_ring(struct recording *r, uint64_t cpu, uint64_t lane)
{
	uint64_t key[] = { cpu, lane };
	uint32_t at = set_add(&r->ring_ids, key, sizeof(key));

	if (at == r->rings.n)
		*vec_push(&r->rings) = (struct recording_ring){ .cpu = cpu, .lane = lane };
	return &r->rings.v[at];
}

static int note_chunk(struct recording *r, uint64_t at, const struct layout_section *section)
{
	uint64_t head[LAYOUT_CHUNK_HEAD / 8];
	struct recording_ring *ring;
	int ret;

	if (section->bytes < sizeof(head) || section->bytes > LAYOUT_BODY_MAX || section->bytes % 8) {
		recording_note_damage(r);
		return 0;
	}
	ret = recording_read(r, at + sizeof(*section), head, sizeof(head));
	if (ret)
		return ret;
	if (head[0] >= RECORDING_CPUS_MAX || head[1] >= 16 || r->rings.n >= RECORDING_RINGS_MAX) {
		recording_note_damage(r);
		return 0;
	}
	ring = find_ring(r, head[0], head[1]);
	*vec_push(&ring->chunks) = (struct recording_chunk){
		.at = at, .bytes = section->bytes - sizeof(head), .first = head[2], .lost = head[3]
	};
	r->info.chunks++;
	if (head[0] >= r->info.cpus)
		r->info.cpus = head[0] + 1;
	if (section->bytes > ring->largest) {
		r->largest += section->bytes - ring->largest;
		ring->largest = section->bytes;
	}
	return r->largest > RECORDING_CHUNKS_MAX ? -E2BIG : 0;
}

static int read_names(struct recording *r, uint64_t at, const struct layout_section *section)
{
	size_t padded = (section->bytes + 7) / 8 * 8;
	void *body __free = NULL;
	int ret;

	if (section->bytes > LAYOUT_BODY_MAX || r->names_bytes > RECORDING_NAMES_MAX) {
		recording_note_damage(r);
		return 0;
	}
	r->names_bytes += padded;
	body = base_alloc(padded + 1);
	ret = recording_read(r, at + sizeof(*section), body, padded);
	if (ret)
		return ret;
	if (!recording_check(section, NULL, 0, body, padded) ||
	    !recording_section(r, section->type, body, section->bytes))
		recording_note_damage(r);
	return 0;
}

static int scan(struct recording *r, uint64_t at)
{
	struct layout_section section;
	int ret = 0;

	while (!ret && at < r->size) {
		ret = r->size - at < sizeof(section) ? -ENODATA : recording_read(r, at, &section, sizeof(section));
		if (!ret && !fits(r, at, section.bytes))
			ret = -ENODATA;
		if (ret)
			break;
		if (section.type == LAYOUT_CHUNK)
			ret = note_chunk(r, at, &section);
		else if (section.type == LAYOUT_CALLS)
			recording_note_calls(r, at, &section);
		else
			ret = read_names(r, at, &section);
		at += sizeof(section) + (section.bytes + 7) / 8 * 8;
		r->whole = at;
	}
	if (ret == -ENODATA)
		set_cut(r, "it ends within a section: the recording was cut off");
	else if (!ret && !r->info.ended)
		set_cut(r, "it has no end: the recording was cut off");
	return ret == -ENODATA ? 0 : ret;
}

static int read_header(struct recording *r, struct err *err)
{
	struct layout_header header;
	int ret;

	if (!r->size)
		return err_set(err, -ENODATA, "%s is empty", r->name);
	memset(&header, 0, sizeof(header));
	ret = recording_read(r, 0, &header, r->size < sizeof(header) ? r->size : sizeof(header));
	if (ret)
		return err_set(err, ret, "cannot read %s: %s", r->name, strerror(-ret));
	if (memcmp(header.magic, LAYOUT_MAGIC, sizeof(header.magic)))
		return err_set(err, -ENOEXEC, "%s is not a recording of sonde", r->name);
	if (r->size < sizeof(header))
		return err_set(err, -ENODATA, "%s ends in its header", r->name);
	if (header.endian != LAYOUT_ENDIAN)
		return err_set(err, -ENOEXEC, "%s was recorded on a machine of another byte order", r->name);
	if (header.version != LAYOUT_VERSION)
		return err_set(err, -ENOEXEC,
			       "%s has version %u of the format and this sonde reads %u: "
			       "use the sonde that recorded it",
			       r->name, header.version, LAYOUT_VERSION);
	if (header.header_bytes < sizeof(header) || header.header_bytes > 4096 || header.header_bytes % 8 ||
	    header.header_bytes > r->size)
		return err_set(err, -ENODATA, "%s ends in its header", r->name);
	r->info.machine = header.machine;
	r->whole = header.header_bytes;
	return 0;
}

static int read_all(struct recording *r, struct err *err)
{
	int ret = read_header(r, err);

	if (ret)
		return ret;
	ret = scan(r, r->whole);
	if (ret == -E2BIG)
		return err_set(err, ret, "%s needs more than %llu GB of memory: it has %zu rings or more", r->name,
			       RECORDING_CHUNKS_MAX >> 30, r->rings.n);
	if (ret)
		return err_set(err, ret, "cannot read %s: %s", r->name, strerror(-ret));
	if (!r->has_ring && r->rings.n)
		return err_set(err, -EINVAL, "%s is damaged: it does not say how its records are made", r->name);
	return 0;
}

/* Pointers into arrays that have stopped growing. */
static void finish_info(struct recording *r)
{
	struct recording_info *info = &r->info;

	info->bytes = r->size;
	info->rings = r->rings.n;
	info->kinds = r->kinds.v;
	info->n_kinds = r->kinds.n;
	info->notes = r->notes.v;
	info->n_notes = r->notes.n;
	if (info->host.cpus > info->cpus && info->host.cpus <= RECORDING_CPUS_MAX)
		info->cpus = info->host.cpus;
	r->current = base_alloc((info->cpus + 1) * sizeof(*r->current));
	recording_tasks_begin(r);
}

struct recording *recording_open_fd(int fd, const char *name, struct err *err)
{
	struct recording *r = base_alloc(sizeof(*r));
	struct stat st;
	int ret;

	*r = (struct recording){ .fd = fd, .name = base_strdup(name) };
	r->info.host = (struct layout_host){ "", "", "", "", "", "", .command_pid = -1 };
	r->info.totals.exit_status = -1;
	ret = fstat(fd, &st) ? err_set(err, -errno, "cannot read %s: %s", name, strerror(errno)) : 0;
	r->size = ret ? 0 : st.st_size;
	if (!ret)
		ret = read_all(r, err);
	if (ret) {
		recording_close(r);
		return NULL;
	}
	finish_info(r);
	return r;
}

struct recording *recording_open(const char *path, struct err *err)
{
	uint64_t size;
	int fd = foreign_open(NULL, path, UINT64_MAX >> 1, &size, err);

	return fd < 0 ? NULL : recording_open_fd(fd, path, err);
}

void recording_close(struct recording *r)
{
	if (!r)
		return;
	vec_each(ring, &r->rings) {
		recording_ring_reset(ring);
		free(ring->chunks.v);
	}
	free(r->rings.v);
	free(r->heap);
	free(r->current);
	free(r->kinds.v);
	free(r->notes.v);
	free(r->texts.v);
	free(r->first.v);
	free(r->tasks.v);
	set_release(&r->text_ids);
	set_release(&r->tids);
	free(r->named);
	free(r->calls.v);
	free(r->call_words);
	set_release(&r->names);
	set_release(&r->ring_ids);
	pool_release(&r->pool);
	close(r->fd);
	free(r->name);
	free(r);
}
