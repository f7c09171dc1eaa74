/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A part of bpf/lang.bpf.c: finds the number of a key in a struct lang_keys (bpf/lang.h). The values are in each
 * processor's shard, by that number.
 */
#ifndef SONDE_BPF_LANG_KEYS_BPF_H
#define SONDE_BPF_LANG_KEYS_BPF_H

#include "bpf/lang.h"

/* With half of the entries free at least, 32 of them are all taken once in 2^32 keys. */
#define KEYS_TRIED 32

/* Takes a free entry, unless all keys that the map may have are there. Returns the mark that it has then. */
static __always_inline __u64 key_claim(struct lang_keys *keys, struct lang_key *key, __u64 mark, __u64 a, __u64 b)
{
	__u64 owner;

	if (__sync_fetch_and_add(&keys->n, 1) >= keys->max) {
		atomic_add(&keys->n, -1);
		return 0;
	}
	owner = __sync_val_compare_and_swap(&key->mark, 0, mark);
	if (owner) {
		atomic_add(&keys->n, -1);
		return owner;
	}
	key->words[0] = a;
	key->words[1] = b;
	return mark;
}

/*
 * Looks for the entry with the mark, or else a free one. Few branches: the verifier follows each turn. Who finds the
 * mark and not yet the words came between the swap and the writes above: it is the same key. Two keys with one mark are
 * as good as impossible by chance; the second is refused.
 */
static __always_inline __u64 key_search(struct lang_keys *keys, __u64 a, __u64 b, __u64 shift, __u64 mark)
{
	struct lang_key *key = NULL;
	__u64 h = mark, at = 0, found = 0;

	for (int i = 0; i < KEYS_TRIED; i++) {
		at = h >> shift;
		barrier_var(at);
		key = &keys->v[at];
		found = key->mark;
		barrier_var(found);
		if (!(found * (found ^ mark))) /* it is 0 or the mark: marks are odd */
			break;
		h = h * LANG_KEY_FACTOR + 1;
	}
	if (!found)
		found = key_claim(keys, key, mark, a, b);
	if (found != mark)
		return -1ULL;
	if (((key->words[0] ^ a) | (key->words[1] ^ b)) && (key->words[0] | key->words[1]))
		return -1ULL;
	return at;
}

FN lang_key_add(struct lang_keys *keys, __u64 a, __u64 b, __u64 shift, __u64 mark)
{
	__u64 at;

	mark = unknown(mark);
	at = key_search(keys, a, b, shift, mark);
	/* somebody else may have claimed the free entry meanwhile */
	if (at == -1ULL && keys->n < keys->max)
		at = key_search(keys, a, b, shift, mark);
	return at;
}

FN lang_key(struct lang_keys *keys, __u64 a, __u64 b, __u64 shift)
{
	__u64 mark = LANG_KEY_MARK(a, b), at = mark >> shift;
	struct lang_key *key;

	barrier_var(at);
	key = &keys->v[at];
	if (key->mark == mark && key->words[0] == a && key->words[1] == b)
		return at;
	return lang_key_add(keys, a, b, shift, mark);
}

#endif
