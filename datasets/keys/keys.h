/* keys.h -- the input of radix: generated keys and keys from a file.
 *
 * Every generated key is derived from a 64-bit word.  The word depends only on (distribution, seed,
 * index), and for some on count, so the bytes do not depend on the number of threads.  The types
 * use the word as follows:
 *
 *	integers    the upper bits of the word are the order of the key (common/radix_types.h)
 *	f32, f64    the upper 32 or 64 bits are a fraction, which is scaled to the position among
 *	            the finite floats in ascending order: never a NaN or an infinity; order
 *	            and equality are preserved
 *
 * The distributions define the word:
 *
 *	uniform     half i % 2 of Philox block (seed, stream 0, i / 2)
 *	sorted      floor(i 2^64 / count)
 *	reverse     the same for count - 1 - i
 *	constant    word 0 of uniform for every index
 *	few         the low 8 bits of the uniform word, scattered
 *	zipf        a rank r in 1 .. 2^32 - 1 with probability log2(1 + 1/r) / 32, scattered.  The
 *	            distribution function log2(r) / 32 is inverted: r = floor(2^(32 u)), where u is
 *	            the uniform word as a fraction.  A fixed-point polynomial computes 2^x of the
 *	            fractional part, so the bytes do not depend on the libm
 *	entropy k   AND of the uniform words of streams 0 .. k - 1; all bits set for k = 0.
 *	            Thearling and Smith's measure: k = 1 is uniform, each further word reduces
 *	            the entropy
 *	nearly      ramp(i); with probability 1/floor(sqrt(count)) the uniform word: if the word of
 *	            stream 1 is below floor((2^64 - 1) / floor(sqrt(count))).  ramp(i) is a word from
 *	            the i-th of count equal parts of the range, drawn by the uniform word: with s =
 *	            floor((2^64 - 1) / count), i s + floor(u s); u as for zipf
 *	special     the upper 4 bits of the uniform word select one of 16 keys, each with and
 *	            without the sign bit: 0, 1, the bits of infinity and those before and after it,
 *	            a quiet NaN, all bits set, and half the bits of infinity
 *
 * "Scattered" means a fixed bijection of 32-bit numbers that spreads small ones over the range.
 */
#ifndef GPUBENCH_DATASETS_KEYS_KEYS_H
#define GPUBENCH_DATASETS_KEYS_KEYS_H

#include <stdbool.h>

#include "common/radix_types.h"
#include "common/status.h"

/* Fill count keys of `type`. */
void gb_keys_fill(void *keys, enum radix_type type, enum radix_distribution distribution,
		  size_t count, uint64_t seed);

/* Set the values of keys; count <= 2^32 unless they have 64 bits.  Random ones all differ: with t the
 * XOR of the seed's halves, scattered, u32 values are v = i + t, scattered; u64 values are v above
 * the scattered v XOR t, XOR the upper half of i. */
void gb_keys_number(void *values, size_t count, enum radix_values kind, uint64_t seed);
/* The index of the key that has this value. */
uint64_t gb_keys_place(uint64_t value, enum radix_values kind, uint64_t seed);

/* Set the segments + 1 offsets of segments of count keys in all; see enum radix_lengths. */
void gb_keys_segments(uint64_t *offsets, size_t segments, enum radix_lengths lengths, size_t count,
		      uint64_t seed);

/* Read keys of in->type, which have in->key_size bytes: at most `limit`, or all if it is 0.  The contents
 * tell the format:
 *
 *	.npy  an array of one dimension; integers that fit, float32 for f32, float64 for f64
 *	text  a number per line; empty lines and lines that start with # are skipped
 *	SOSD  a number of 8 bytes and just as many raw keys of u32 or u64
 *	raw   little-endian keys: whatever is none of the others
 *
 * in->keys belongs to the input that gb_input_begin() began, also after a failure; in->count starts as 0.
 * A dry run does not read raw keys.  GB_EUSAGE if the file cannot be read, is not a regular file, is
 * empty, holds a fraction of a key or a number that the type has not; GB_EMEMORY if memory runs out.
 * The message names the file. */
enum gb_status gb_keys_read(const char *path, size_t limit, struct radix_input *in,
			    struct gb_error *err);

#endif
