/* keys.h -- the input of radix: generated keys, keys from a file, and a digest of records.
 *
 * Every generated key comes from a 64-bit word that depends on (distribution, seed, index) alone,
 * or for the ramps on (index, count), so that any number of threads makes the same bytes:
 *
 *	u64         the word
 *	u32, pairs  its upper half
 *	f32         its upper half w, scaled to place w * 0xff000000 / 2^32 among the finite floats
 *	            in ascending order, from -FLT_MAX to FLT_MAX: never a NaN or an infinity, and
 *	            whatever is ordered or repeated stays so
 *
 *	uniform     half i % 2 of Philox block (seed, stream 0, i / 2)
 *	sorted      floor(i 2^64 / count)
 *	reverse     the same for count - 1 - i
 *	constant    word 0 of uniform, everywhere
 *	few         the low 8 bits of the uniform word, scattered
 *	zipf        a rank r in 1 .. 2^32 - 1 with probability log2(1 + 1/r) / 32, scattered.  The
 *	            distribution function log2(r) / 32 is inverted: r = floor(2^(32 u)), u the
 *	            uniform word as a fraction, 2^x of the fractional part by a polynomial in
 *	            fixed point (relative error below 1e-7), so that the bytes depend on no libm
 *	entropy k   AND of the uniform words of streams 0 .. k - 1; all bits set for k = 0.
 *	            Thearling and Smith's measure: k = 1 is uniform, each further word takes
 *	            entropy away
 *
 * "Scattered" is a fixed bijection of 32-bit numbers that spreads small ones over the range.
 */
#ifndef GPUBENCH_DATASETS_KEYS_KEYS_H
#define GPUBENCH_DATASETS_KEYS_KEYS_H

#include "common/radix.h"
#include "common/status.h"

/* 4 or 8 bytes. */
size_t gb_keys_size(enum radix_type type);

/* Fill count keys of `type`. */
void gb_keys_fill(void *keys, enum radix_type type, enum radix_distribution distribution,
		  size_t count, uint64_t seed);

/* value i = i; count <= 2^32. */
void gb_keys_number(uint32_t *values, size_t count);

/* Read raw little-endian keys of key_size bytes: at most `limit`, or all if it is 0.  *keys is from
 * gb_host_alloc (in a dry run left unread) and the caller's to free.  GB_EUSAGE for what cannot be
 * read, is no regular file, is empty, or holds no whole number of keys; GB_EMEMORY if memory
 * does not suffice; then *keys is NULL and the message names the file. */
enum gb_status gb_keys_read(const char *path, size_t key_size, size_t limit, void **keys,
			    size_t *count, struct gb_error *err);

/* A sum over well-mixed records (key, and value if values is not NULL, then key_size is 4): equal
 * for every order of the same records.  Different records give the same digest with probability
 * about 2^-64. */
uint64_t gb_keys_digest(const void *keys, size_t key_size, const uint32_t *values, size_t count);

#endif
