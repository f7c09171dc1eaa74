// SPDX-License-Identifier: BSD-2-Clause
/* Hashes of bytes and numbers. Knows no table. */
#include <sys/auxv.h>

#include "hash.h"

static inline uint64_t rotate(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

/* Reads the last 0 to 7 bytes without a call or a loop: most keys are short. */
static inline uint64_t last_bytes(const unsigned char *at, size_t n)
{
	uint32_t first, last;

	if (n < 4)
		return n ? at[0] | at[n / 2] << n / 2 * 8 | at[n - 1] << (n - 1) * 8 : 0;
	memcpy(&first, at, 4);
	memcpy(&last, at + n - 4, 4);
	return first | (uint64_t)last << (n - 4) * 8;
}

uint64_t hash_sip(const uint64_t key[2], const void *bytes, size_t len)
{
	uint64_t v[] = { key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
			 key[1] ^ 0x7465646279746573 };
	const unsigned char *at = bytes;
	size_t left = len;
	uint64_t word;

	for (; left >= 8; left -= 8, at += 8) {
		memcpy(&word, at, 8);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	word = last_bytes(at, left) | (uint64_t)len << 56;
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The kernel gives each process 16 random bytes. */
static const uint64_t *own_key(void)
{
	static uint64_t key[2];
	static bool has_key;

	if (!has_key) {
		memcpy(key, (const void *)getauxval(AT_RANDOM), sizeof(key));
		has_key = true;
	}
	return key;
}

uint32_t hash_bytes(const void *bytes, size_t len)
{
	return hash_sip(own_key(), bytes, len);
}

/* Mixes the bits of a number so that each one changes half of the others: the last step of MurmurHash3 of 64 bits. */
static uint64_t mix(uint64_t n)
{
	n = (n ^ n >> 33) * 0xff51afd7ed558ccd;
	n = (n ^ n >> 33) * 0xc4ceb9fe1a85ec53;
	return n ^ n >> 33;
}

/* A single product of both would do for most keys, but not for all. */
uint32_t hash_pair(uint64_t a, uint64_t b)
{
	const uint64_t *key = own_key();

	return mix(mix(a ^ key[0]) ^ b ^ key[1]);
}

uint64_t hash_stable(uint64_t before, const void *bytes, size_t len)
{
	const unsigned char *byte = bytes;
	uint64_t hash = before;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3;
	return hash;
}
