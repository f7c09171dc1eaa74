// SPDX-License-Identifier: BSD-2-Clause
/* Reads the records of .eh_frame: common entries (CIE) and functions (FDE). */
#include "base/search.h"
#include "eh_frame.h"

/*
 * The limit on a CIE's own instructions. They are executed for each of its functions, so that a hostile file with
 * long ones would take quadratic time. Compilers write 5 to 20 bytes.
 */
#define INITIAL_MAX 64

/* The limit on the CIEs of a file. Compilers and linkers make 2 to 20. */
#define CIES_MAX 4096

/*
 * How much of the section is read at a time: little after a leap, since records can be in any other order than the
 * addresses. And the largest record, many times the largest known.
 */
#define WINDOW	   (64 * 1024)
#define LEAP	   1024
#define RECORD_MAX (1024 * 1024)

/* All that is needed of a record to know where its function begins. */
#define RECORD_BEGIN 32

/* Records that are read between two looks whether to stop. */
#define STOP_RECORDS 8192

static const uint32_t extended_length = 0xffffffff;

/* Reads the augmentation ("zR", "zPLR", "zRS" ...). Returns false if the rest of the record cannot be read. */
static bool read_augmentation(struct cfi_cie *cie, const char *letters, struct cursor *c)
{
	struct cursor data;

	cie->encoding = 0;
	if (!*letters)
		return true;
	if (*letters++ != 'z')
		return false;
	cie->augmented = true;
	data = cursor_take(c, cursor_uleb(c));
	for (; *letters; letters++)
		switch (*letters) {
		case 'R':
			cie->encoding = cursor_fixed(&data, 1);
			break;
		case 'P':
			cursor_skip_pointer(&data, cursor_fixed(&data, 1));
			break;
		case 'L':
			cursor_fixed(&data, 1);
			break;
		case 'S': /* a signal's frame; the rules of its registers already say so */
		case 'B': /* arm64: addresses are signed with key B */
		case 'G': /* arm64: the stack is tagged */
			break;
		default:
			/*
			 * The data of an unknown letter are unknown as well, but their total length is given. 'R'
			 * mostly comes first.
			 */
			return !data.bad;
		}
	return !data.bad;
}

/* Copies the instructions, for the bytes of the record are soon replaced by others. */
static struct cursor keep(struct cursor c)
{
	size_t n = cursor_left(&c);

	return cursor_init(memcpy(base_alloc(n + 1), c.at, n), n, c.vaddr);
}

static bool read_cie(struct cfi_cie *cie, struct cursor c)
{
	uint8_t version = cursor_fixed(&c, 1);
	const char *letters = cursor_string(&c);

	if (version != 1 && version != 3 && version != 4)
		return false;
	if (version == 4 && (cursor_fixed(&c, 1) != 8 || cursor_fixed(&c, 1)))
		return false;
	cie->code_align = cursor_uleb(&c);
	cie->data_align = cursor_sleb(&c);
	cie->ra = version == 1 ? cursor_fixed(&c, 1) : cursor_uleb(&c);
	if (!read_augmentation(cie, letters, &c) || c.bad || cursor_left(&c) > INITIAL_MAX)
		return false;
	cie->initial = keep(c);
	return true;
}

/*
 * Returns the bytes from an offset of the section, n of them or as many as there are, valid until the next call. NULL:
 * they cannot be read.
 */
static const uint8_t *bytes_at(struct eh_frame *frame, uint64_t at, size_t n)
{
	const struct binary_part *part = &frame->source.part;
	struct eh_frame_window *window = &frame->window;
	size_t left = part->size - at, least;

	if (!frame->source.binary)
		return frame->source.data + at;
	if (window->bytes && at >= window->at && at - window->at <= window->n && n <= window->n - (at - window->at))
		return window->bytes + (at - window->at);
	least = at >= window->at && at - window->at <= window->n + LEAP ? WINDOW : LEAP;
	n = n < least ? least : n;
	n = n < left ? n : left;
	if (n > window->cap) {
		window->bytes = base_realloc(window->bytes, n, 1);
		window->cap = n;
	}
	window->at = at;
	window->n = 0;
	if (binary_read(frame->source.binary, part->offset + at, window->bytes, n))
		return NULL;
	window->n = n;
	return window->bytes;
}

/* A cursor over n bytes of the section; over less if the section is shorter, or over none if it cannot be read. */
static struct cursor cursor_at(struct eh_frame *frame, uint64_t at, size_t n)
{
	const struct binary_part *part = &frame->source.part;
	const uint8_t *bytes;

	n = n < part->size - at ? n : part->size - at;
	bytes = bytes_at(frame, at, n);
	return bytes ? cursor_init(bytes, n, part->vaddr + at) : cursor_init("", 0, part->vaddr + at);
}

/* Where a record is in the section. */
struct record {
	uint64_t at;
	uint64_t id_at; /* what follows its length: of a CIE 0, of an FDE the distance to its CIE */
	uint64_t size;	/* from there */
	uint32_t id;
};

/*
 * Reads the begin of the record at *at and sets *at behind it. Returns false at the end of the section, with
 * *damaged if it ends within a record.
 */
static bool next_record(struct eh_frame *frame, uint64_t *at, struct record *record, bool *damaged)
{
	uint64_t length = 0;
	struct cursor c;

	do {
		c = cursor_at(frame, *at, 16);
		if (cursor_left(&c) < 4)
			return false;
		record->at = *at;
		length = cursor_fixed(&c, 4);
		*at += 4;
	} while (!length && frame->source.part.exact);
	if (!length)
		return false;
	if (length == extended_length) {
		length = cursor_fixed(&c, 8);
		*at += 8;
	}
	record->id_at = *at;
	record->size = length;
	record->id = cursor_fixed(&c, 4);
	*damaged = c.bad || length < 4 || length > frame->source.part.size - *at;
	if (*damaged)
		return false;
	*at += length;
	return true;
}

/* The bytes of a record behind its id, max of them at most. */
static struct cursor body_of(struct eh_frame *frame, const struct record *record, size_t max)
{
	size_t n = record->size < max ? record->size : max;
	struct cursor c = cursor_at(frame, record->id_at, n);

	cursor_skip(&c, 4);
	return c;
}

static void add_cie(struct eh_frame *frame, const struct record *record)
{
	struct eh_frame_cie *cie;

	if (frame->cies.n == CIES_MAX || record->size > RECORD_MAX) {
		frame->damaged++;
		return;
	}
	cie = vec_push(&frame->cies);
	cie->at = record->at;
	cie->bad = !read_cie(&cie->cie, body_of(frame, record, RECORD_MAX));
	frame->damaged += cie->bad;
}

/* Binary search: records were added in the order of their offsets. NULL: there is none, or it is bad. */
static const struct cfi_cie *cie_of(const struct eh_frame *frame, const struct record *record)
{
	const struct eh_frame_cie *cies = frame->cies.v;
	uint64_t at = record->id_at - record->id;
	size_t first = search_first(i, frame->cies.n, cies[i].at >= at);

	return first < frame->cies.n && cies[first].at == at && !cies[first].bad ? &cies[first].cie : NULL;
}

/* Reads the addresses of a function. Returns false if they are damaged. size 0: the linker removed the function. */
static bool read_span(const struct cfi_cie *cie, struct cursor *c, uint64_t *start, uint64_t *size)
{
	*start = cursor_pointer(c, cie->encoding, 0);
	/* The size has the same form as the address, but is not relative. */
	*size = cursor_pointer(c, cie->encoding & 0x0f, 0);
	/* It kept the description. */
	if (!*start)
		*size = 0;
	return !c->bad && *size <= UINT32_MAX && *size <= UINT64_MAX - *start;
}

static void add_fde(struct eh_frame *frame, const struct record *record)
{
	const struct cfi_cie *cie = cie_of(frame, record);
	struct cursor c = body_of(frame, record, RECORD_BEGIN);
	uint64_t start, size;
	int64_t relative;

	if (!cie || !read_span(cie, &c, &start, &size)) {
		frame->damaged++;
		return;
	}
	relative = start - frame->source.part.vaddr;
	if (!size)
		return;
	if (relative != (int32_t)relative)
		frame->damaged++;
	else
		*vec_push(frame) = (struct eh_frame_fde){ .start = relative, .at = record->at };
}

/* Reads the CIEs first, then the FDEs: an FDE may precede its CIE. */
static int read_records(struct eh_frame *frame, bool cies)
{
	struct record record;
	bool damaged = false;
	uint64_t at = 0;
	uint32_t n = 0;

	while (next_record(frame, &at, &record, &damaged)) {
		if (!record.id && cies)
			add_cie(frame, &record);
		else if (record.id && !cies)
			add_fde(frame, &record);
		if (!(++n % STOP_RECORDS) && frame->should_stop && frame->should_stop(frame->ctx))
			return -EINTR;
	}
	frame->damaged += cies && damaged;
	return 0;
}

static int by_start(const void *pa, const void *pb)
{
	const struct eh_frame_fde *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Some linkers write the functions in order. */
static bool is_sorted(const struct eh_frame *frame)
{
	for (size_t i = 1; i < frame->n; i++)
		if (frame->v[i].start < frame->v[i - 1].start)
			return false;
	return true;
}

int eh_frame_read(struct eh_frame *frame, const struct eh_frame_source *source)
{
	int ret;

	if (source->part.size > EH_FRAME_MAX)
		return -EFBIG;
	frame->source = *source;
	ret = read_records(frame, true);
	if (!ret)
		ret = read_records(frame, false);
	if (ret)
		return ret;
	if (!is_sorted(frame))
		qsort(frame->v, frame->n, sizeof(*frame->v), by_start);
	return 0;
}

int eh_frame_open(struct eh_frame *frame, struct binary *binary)
{
	struct eh_frame_source source = { .binary = binary };
	int ret = binary_eh_frame(binary, &source.part);

	return ret ? ret : eh_frame_read(frame, &source);
}

/* Reads a function. Returns false if it is damaged, or overlaps the one before it: then the first counts. */
static bool read_fde(struct eh_frame *frame, uint64_t at, struct cfi_fde *fde)
{
	struct record record;
	struct cursor c;
	bool damaged;
	uint64_t size;

	if (!next_record(frame, &at, &record, &damaged) || record.size > RECORD_MAX)
		return false;
	fde->cie = cie_of(frame, &record);
	if (!fde->cie)
		return false;
	c = body_of(frame, &record, RECORD_MAX);
	if (!read_span(fde->cie, &c, &fde->start, &size) || !size || fde->start < frame->reached)
		return false;
	fde->end = fde->start + size;
	if (fde->cie->augmented)
		cursor_skip(&c, cursor_uleb(&c));
	fde->instructions = c;
	return !c.bad;
}

bool eh_frame_next(struct eh_frame *frame, struct cfi_fde *fde)
{
	while (frame->next < frame->n) {
		if (read_fde(frame, frame->v[frame->next++].at, fde)) {
			frame->reached = fde->end;
			return true;
		}
		frame->damaged++;
	}
	return false;
}

void eh_frame_release(struct eh_frame *frame)
{
	vec_each(cie, &frame->cies)
		free((void *)cie->cie.initial.at);
	free(frame->v);
	free(frame->cies.v);
	free(frame->window.bytes);
	*frame = (struct eh_frame){};
}
