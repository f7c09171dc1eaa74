// SPDX-License-Identifier: BSD-2-Clause
/* Descriptions of what is kept: what is written reads back the same, and nothing else is read. */
#include <criterion/criterion.h>

#include "attach/keep_text.h"

static void make(struct keep_text *text)
{
	struct kept_attach *attach;

	*text = (struct keep_text){
		.number = 7,
		.boot = "a boot",
		.line = "funccount vfs_read",
		.history = { .created_ns = 1700000000123456789, .gap_ns = 5, .paused_ns = 6, .own = "own", .n_own = 3 },
	};
	*vec_push(&text->maps) = (struct kept_map){ ".bss", 11 };
	*vec_push(&text->maps) = (struct kept_map){ ".rodata", 12 };
	attach = vec_push(&text->attaches);
	attach->identity = 0x123456789abcdef0;
	*vec_push(&attach->targets) = (struct kept_target){ true, MECH_FENTRY, NULL };
	*vec_push(&attach->targets) = (struct kept_target){ false, MECH_AUTO, "" };
	*vec_push(&attach->targets) = (struct kept_target){ false, MECH_AUTO, "the kernel does not find it" };
	*vec_push(&attach->links) = (struct kept_link){ KEEP_LINK, 13, MECH_FENTRY, 1 };
	*vec_push(&attach->links) = (struct kept_link){ KEEP_EVENT, UINT64_MAX, MECH_KPROBE, UINT32_MAX };
	*vec_push(&attach->copies) = (struct kept_copy){
		15, { .type = 26, .btf_id = 4711, .value = 1, .own_stack = 1 }
	};
	attach->paused = true;
	*vec_push(&attach->missed) = 8;
	*vec_push(&attach->missed) = UINT64_MAX;
	vec_push(&text->attaches);
}

static void write_one(struct str *bytes)
{
	struct keep_text text;

	make(&text);
	keep_text_write(&text, bytes);
	keep_text_release(&text);
}

static int read_bytes(const void *bytes, size_t n)
{
	struct keep_text text = {};
	int ret = keep_text_read(&text, bytes, n);

	keep_text_release(&text);
	return ret;
}

Test(keep_text, reads_what_was_written)
{
	struct keep_text text = {};
	struct str bytes = {}, again = {};
	const struct kept_attach *attach;

	write_one(&bytes);
	cr_assert_eq(keep_text_read(&text, bytes.data, bytes.len), 0);
	cr_assert_str_eq(text.line, "funccount vfs_read");
	cr_assert_eq(text.history.created_ns, 1700000000123456789);
	cr_assert_eq(text.history.gap_ns, 5);
	cr_assert_eq(text.history.paused_ns, 6);
	cr_assert_eq(text.history.n_own, 3);
	cr_assert_eq(memcmp(text.history.own, "own", 3), 0);
	cr_assert_eq(text.maps.n, 2);
	cr_assert_str_eq(text.maps.v[1].name, ".rodata");
	cr_assert_eq(text.attaches.n, 2);
	attach = &text.attaches.v[0];
	cr_assert_null(attach->targets.v[0].why_not);
	cr_assert_str_eq(attach->targets.v[1].why_not, "");
	cr_assert_eq(attach->links.v[1].id, UINT64_MAX);
	cr_assert_eq(attach->copies.v[0].copy.btf_id, 4711);
	cr_assert(attach->paused);
	cr_assert_eq(attach->missed.n, 2);
	cr_assert_eq(attach->missed.v[1], UINT64_MAX);
	cr_assert_not(text.attaches.v[1].paused);
	keep_text_write(&text, &again);
	cr_assert_eq(again.len, bytes.len);
	cr_assert_eq(memcmp(again.data, bytes.data, bytes.len), 0);
	keep_text_release(&text);
	str_release(&bytes);
	str_release(&again);
}

Test(keep_text, refuses_every_part_of_one)
{
	struct str bytes = {};

	write_one(&bytes);
	for (size_t n = 0; n < bytes.len; n++) {
		/* of its own, so that a read behind it is noticed */
		char *part = base_alloc(n + 1);

		memcpy(part, bytes.data, n);
		cr_assert_eq(read_bytes(part, n), -ESTALE, "%zu bytes", n);
		free(part);
	}
	str_addc(&bytes, 0);
	cr_assert_eq(read_bytes(bytes.data, bytes.len), -ESTALE);
	str_release(&bytes);
}

Test(keep_text, refuses_another_version)
{
	struct str bytes = {};

	write_one(&bytes);
	for (size_t word = 0; word < 3; word++) {
		uint64_t *version = (uint64_t *)bytes.data + word;

		*version += 1;
		cr_assert_eq(read_bytes(bytes.data, bytes.len), -ESTALE, "word %zu", word);
		*version -= 1;
	}
	cr_assert_eq(read_bytes(bytes.data, bytes.len), 0);
	str_release(&bytes);
}

/* Any byte may be another one: what is read is within its bounds, or refused. */
Test(keep_text, survives_other_bytes)
{
	struct str bytes = {};
	size_t refused = 0;

	write_one(&bytes);
	for (size_t i = 0; i < bytes.len; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes.data[i] ^= 1 << bit;
			refused += read_bytes(bytes.data, bytes.len) == -ESTALE;
			bytes.data[i] ^= 1 << bit;
		}
	}
	cr_assert_gt(refused, bytes.len * 4);
	str_release(&bytes);
}
