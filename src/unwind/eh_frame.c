// SPDX-License-Identifier: BSD-2-Clause
/* Reads the records of .eh_frame: common entries (CIE) and functions (FDE). */
#include "base/search.h"
#include "eh_frame.h"

/*
 * The limit on a CIE's own instructions. They are executed for each of its functions, so that a hostile file with
 * long ones would take quadratic time. Compilers write 5 to 20 bytes.
 */
#define INITIAL_MAX 256

/* The limit on the CIEs of a file. Compilers and linkers make 2 to 20. */
#define CIES_MAX 65536

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
			cursor_pointer(&data, cursor_fixed(&data, 1) & 0x7f, 0);
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
	cie->initial = c;
	return true;
}

/*
 * Finds the next record: *at is its offset in the section, *body what follows its length. Returns false if there
 * is none.
 */
static bool next_record(const struct eh_frame *frame, struct cursor *c, uint64_t *at, struct cursor *body)
{
	uint64_t length;

	do {
		if (cursor_left(c) < 4)
			return false;
		*at = c->at - frame->data;
		length = cursor_fixed(c, 4);
	} while (!length && frame->exact);
	if (!length)
		return false;
	if (length == extended_length)
		length = cursor_fixed(c, 8);
	*body = cursor_take(c, length);
	return !c->bad;
}

static void add_cie(struct eh_frame *frame, uint64_t at, struct cursor body)
{
	struct eh_frame_cie *cie;

	if (frame->cies.n == CIES_MAX) {
		frame->damaged++;
		return;
	}
	cie = vec_push(&frame->cies);
	cie->at = at;
	cie->bad = !read_cie(&cie->cie, body);
	frame->damaged += cie->bad;
}

/* Binary search: records were added in the order of their offsets. */
static const struct eh_frame_cie *find_cie(const struct eh_frame *frame, uint64_t at)
{
	const struct eh_frame_cie *cies = frame->cies.v;
	size_t first = search_first(i, frame->cies.n, cies[i].at >= at);

	return first < frame->cies.n && cies[first].at == at ? &cies[first] : NULL;
}

static void add_fde(struct eh_frame *frame, uint64_t cie_at, struct cursor body)
{
	const struct eh_frame_cie *cie = find_cie(frame, cie_at);
	uint64_t start, size;

	if (!cie || cie->bad) {
		frame->damaged++;
		return;
	}
	start = cursor_pointer(&body, cie->cie.encoding, 0);
	/* The size has the same form as the address, but is not relative. */
	size = cursor_pointer(&body, cie->cie.encoding & 0x0f, 0);
	if (cie->cie.augmented)
		cursor_skip(&body, cursor_uleb(&body));
	if (body.bad || size > UINT32_MAX || size > UINT64_MAX - start) {
		frame->damaged++;
		return;
	}
	/* The linker removed the function but kept its description. */
	if (!start || !size)
		return;
	*vec_push(frame) = (struct eh_frame_fde){
		.start = start,
		.size = size,
		.cie = cie - frame->cies.v,
		.instructions = body.at - frame->data,
		.n_bytes = cursor_left(&body),
	};
}

/* Reads the CIEs first, then the FDEs: an FDE may precede its CIE. */
static void read_records(struct eh_frame *frame, size_t size, bool cies)
{
	struct cursor c = cursor_init(frame->data, size, frame->vaddr), body;
	uint64_t at;

	while (next_record(frame, &c, &at, &body)) {
		uint64_t here = body.at - frame->data, id = cursor_fixed(&body, 4);

		if (body.bad)
			frame->damaged += cies;
		else if (!id && cies)
			add_cie(frame, at, body);
		else if (id && !cies)
			add_fde(frame, here - id, body);
	}
	frame->damaged += cies && c.bad;
}

static uint64_t end_of(const struct eh_frame_fde *fde)
{
	return fde->start + fde->size;
}

static int by_start(const void *pa, const void *pb)
{
	const struct eh_frame_fde *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Where two functions overlap, keeps the first and drops the second. */
static void remove_covered(struct eh_frame *frame)
{
	size_t kept = 0;

	for (size_t i = 0; i < frame->n; i++) {
		if (kept && frame->v[i].start < end_of(&frame->v[kept - 1]))
			frame->damaged++;
		else
			frame->v[kept++] = frame->v[i];
	}
	frame->n = kept;
}

/* Most linkers write the functions in order. */
static bool is_sorted(const struct eh_frame *frame)
{
	for (size_t i = 1; i < frame->n; i++)
		if (frame->v[i].start < frame->v[i - 1].start)
			return false;
	return true;
}

int eh_frame_read(struct eh_frame *frame, const struct binary_bytes *bytes)
{
	if (bytes->size > EH_FRAME_MAX)
		return -EFBIG;
	frame->data = bytes->data;
	frame->vaddr = bytes->vaddr;
	frame->exact = bytes->exact;
	read_records(frame, bytes->size, true);
	read_records(frame, bytes->size, false);
	if (!is_sorted(frame))
		qsort(frame->v, frame->n, sizeof(*frame->v), by_start);
	remove_covered(frame);
	return 0;
}

struct cfi_fde eh_frame_fde(const struct eh_frame *frame, size_t i)
{
	const struct eh_frame_fde *fde = &frame->v[i];

	return (struct cfi_fde){
		.cie = &frame->cies.v[fde->cie].cie,
		.start = fde->start,
		.end = end_of(fde),
		.instructions = cursor_init(frame->data + fde->instructions, fde->n_bytes, frame->vaddr + fde->instructions),
	};
}

void eh_frame_release(struct eh_frame *frame)
{
	free(frame->v);
	free(frame->cies.v);
	*frame = (struct eh_frame){};
}
