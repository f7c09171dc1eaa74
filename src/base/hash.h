/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hashes. Those of tables (lookup.h) have a key that is random for each process: keys come from foreign files and
 * processes, too, and nobody can choose some that collide. Only hash_stable() may leave the process.
 */
#ifndef SONDE_BASE_HASH_H
#define SONDE_BASE_HASH_H

#include "base.h"

/* Returns the hash of len bytes. */
uint32_t hash_bytes(const void *bytes, size_t len);
/* Returns the hash of two numbers, in a fraction of the instructions that their bytes would take. */
uint32_t hash_pair(uint64_t a, uint64_t b);
/* SipHash-1-3, of Aumasson and Bernstein: what hash_bytes() computes with its key. */
uint64_t hash_sip(const uint64_t key[2], const void *bytes, size_t len);

/*
 * Returns a hash that is the same in every process and version, FNV-1a of 64 bits, for names of files and for what is
 * compared with a later run: of the bytes, after those whose hash is `before`. HASH_STABLE_NONE: after none.
 */
uint64_t hash_stable(uint64_t before, const void *bytes, size_t len);
#define HASH_STABLE_NONE 0xcbf29ce484222325

#endif
