// SPDX-License-Identifier: BSD-2-Clause
/* Records of calls with their arguments: bodies of sections, one in memory at a time, in the order of the file. */
#include "recording_part.h"

void recording_note_calls(struct recording *r, uint64_t at, const struct layout_section *section)
{
	if (section->bytes > LAYOUT_BODY_MAX || section->bytes % 8)
		recording_note_damage(r);
	else
		*vec_push(&r->calls) = (struct recording_calls){ .at = at, .bytes = section->bytes };
}

/* A damaged section is left out; how many records it had is not known. */
static int load(struct recording *r, const struct recording_calls *calls)
{
	struct layout_section section;
	int ret = recording_read(r, calls->at, &section, sizeof(section));

	if (!r->call_words)
		r->call_words = base_alloc(LAYOUT_BODY_MAX);
	if (!ret)
		ret = recording_read(r, calls->at + sizeof(section), r->call_words, calls->bytes);
	r->call_at = r->call_n = 0;
	if (ret == -ENODATA || (!ret && !recording_check(&section, NULL, 0, r->call_words, calls->bytes))) {
		recording_note_damage(r);
		return 0;
	}
	if (ret)
		return err_set(&r->err, ret, "cannot read %s: %s", r->name, strerror(-ret));
	r->call_n = calls->bytes / 8;
	return 0;
}

/* False: the body is damaged: the rest of it is left out. */
static bool take(struct recording *r, struct recording_call *call)
{
	uint64_t n = r->call_words[r->call_at++], left = r->call_n - r->call_at;

	*call = (struct recording_call){};
	if (!n) {
		call->lost = left ? r->call_words[r->call_at++] : 0;
		return call->lost;
	}
	if (n > left * 8)
		return false;
	call->bytes = r->call_words + r->call_at;
	call->n = n;
	r->call_at += (n + 7) / 8;
	return true;
}

int recording_next_call(struct recording *r, struct recording_call *call)
{
	for (;;) {
		int ret;

		if (r->call_at < r->call_n) {
			if (take(r, call))
				return 1;
			recording_note_damage(r);
			r->call_at = r->call_n;
			continue;
		}
		if (r->next_calls == r->calls.n)
			return 0;
		ret = load(r, &r->calls.v[r->next_calls++]);
		if (ret)
			return ret;
	}
}

void recording_calls_rewind(struct recording *r)
{
	r->next_calls = r->call_at = r->call_n = 0;
}
