/* keys.c -- generation of keys; keys.h defines the distributions.
 *
 * Each key is computed from its index alone.  Two neighbours share a Philox block of stream 0.
 */
#include "datasets/keys/keys.h"

#include <math.h>
#include <string.h>

#include "common/rng.h"

__extension__ typedef unsigned __int128 wide;

/* ---- words ------------------------------------------------------------------------------- */

/* A bijection: xor-shifts and products with odd numbers. */
static uint32_t scatter(uint32_t x)
{
	x = (x ^ x >> 16) * UINT32_C(0x9e3779b1);
	x = (x ^ x >> 15) * UINT32_C(0x85ebca77);
	return x ^ x >> 16;
}

/* The inverse of scatter(): the factors are the inverses of its own modulo 2^32. */
static uint32_t gather(uint32_t x)
{
	x = (x ^ x >> 16) * UINT32_C(0xb6c92f47);
	x = (x ^ x >> 15 ^ x >> 30) * UINT32_C(0x0e8b2f51);
	return x ^ x >> 16;
}

/* Both halves are bijections of x, so different x give different keys of either width. */
static uint64_t scatter64(uint32_t x)
{
	return (uint64_t)scatter(x) << 32 | scatter(x ^ UINT32_C(0xc2b2ae3d));
}

/* floor(2^(32 u)) for u = word / 2^64.  The upper 5 bits of the word are the octave, the next 32
 * the fraction f within it.  2^f - 1 is approximated by a polynomial without a constant term whose
 * coefficients add up to 1. */
static uint32_t zipf_rank(uint64_t word)
{
	static const uint64_t coefficient[] = { 0xb1726472, 0x3d7b13f8, 0x0e4a21fc, 0x024d3bde,
						0x007b29bc };
	unsigned octave = (unsigned)(word >> 59);
	uint64_t f = word >> 27 & UINT32_MAX, power = 0;

	for (int k = 4; k >= 0; k--)
		power = (coefficient[k] + power) * f >> 32;
	return (uint32_t)(((UINT64_C(1) << 32) + power) >> (32 - octave));
}

/* floor(i 2^64 / count) for i < count. */
static uint64_t ramp(uint64_t i, uint64_t count)
{
	return (uint64_t)(((wide)i << 64) / count);
}

/* floor(u n), where u is the word as a fraction. */
static uint64_t scaled(uint64_t word, uint64_t n)
{
	return (uint64_t)((wide)word * n >> 64);
}

/* The uniform word of index i from a stream. */
static uint64_t uniform(uint64_t seed, uint64_t stream, uint64_t i)
{
	return gb_random_half(gb_random_block(seed, stream, i / 2), i % 2);
}

/* The word of index i, of which `word` is the uniform word from stream 0. */
static uint64_t word_of(enum radix_distribution distribution, uint64_t seed, uint64_t count,
			uint64_t i, uint64_t word)
{
	switch (distribution) {
	case RADIX_SORTED:
		return ramp(i, count);
	case RADIX_REVERSE:
		return ramp(count - 1 - i, count);
	case RADIX_CONSTANT:
		return gb_random64(seed, 0);
	case RADIX_FEW:
		return scatter64((uint32_t)word & 255);
	case RADIX_ZIPF:
		return scatter64(zipf_rank(word));
	case RADIX_ENTROPY0:
		return UINT64_MAX;
	case RADIX_ENTROPY2:
	case RADIX_ENTROPY3:
	case RADIX_ENTROPY4:
	case RADIX_ENTROPY5:
		for (uint64_t stream = 1; stream < distribution - RADIX_ENTROPY0; stream++)
			word &= uniform(seed, stream, i);
		return word;
	case RADIX_NEARLY:
		if (uniform(seed, 1, i) < UINT64_MAX / (uint64_t)sqrt((double)count))
			return word;
		return i * (UINT64_MAX / count) + scaled(word, UINT64_MAX / count);
	default:
		return word;
	}
}

/* ---- keys -------------------------------------------------------------------------------- */

/* The bits of infinity; for integers, a number with as many bits set as fit. */
static inline uint64_t infinity_of(enum radix_type type)
{
	return type == RADIX_F64 ? UINT64_C(0x7ff0) << 48
				 : UINT64_C(0x7f800000) << 32 >> (64 - 8 * radix_key_size(type));
}

/* Special key `number`, 0 to 15: the upper 8 are the lower ones with the sign bit. */
static uint64_t special_key(enum radix_type type, uint64_t number)
{
	const uint64_t infinity = infinity_of(type), quiet = infinity | infinity >> 1;
	const uint64_t sign = UINT64_C(1) << (8 * radix_key_size(type) - 1);
	const uint64_t key[] = { 0,     1,        infinity - 1, infinity, infinity | 1,
				 quiet, sign - 1, infinity >> 1 };

	return key[number & 7] | (number & 8 ? sign : 0);
}

/* The order of a finite float: the upper bits of a word as a fraction, scaled to the
 * number of finite floats. */
static inline uint64_t finite_order(enum radix_type type, uint64_t word)
{
	const unsigned unused = 64 - 8 * (unsigned)radix_key_size(type);
	const uint64_t most = UINT64_MAX >> unused, lowest = infinity_of(type) ^ most >> 1;

	return lowest + 1 + scaled(word >> unused << unused, most - 2 * lowest - 1);
}

/* The bits of the key that a word gives. */
static inline uint64_t key_of(enum radix_type type, uint64_t word)
{
	const unsigned unused = 64 - 8 * (unsigned)radix_key_size(type);

	return radix_bits(type, type >= RADIX_F32 ? finite_order(type, word) : word >> unused);
}

void gb_keys_fill(void *keys, enum radix_type type, enum radix_distribution distribution,
		  size_t count, uint64_t seed)
{
	const size_t key_size = radix_key_size(type);

#pragma omp parallel for schedule(static)
	for (size_t at = 0; at < count; at += 2) {
		const struct gb_random_block block = gb_random_block(seed, 0, at / 2);

		for (size_t i = at; i < at + 2 && i < count; i++) {
			const uint64_t word =
				word_of(distribution, seed, count, i, gb_random_half(block, i % 2));

			radix_store(keys, key_size, i,
				    distribution == RADIX_SPECIAL ? special_key(type, word >> 60)
								  : key_of(type, word));
		}
	}
}

/* ---- values ------------------------------------------------------------------------------ */

/* Random values add this to an index before they scatter it. */
static uint32_t turn_of(uint64_t seed)
{
	return scatter((uint32_t)(seed ^ seed >> 32));
}

void gb_keys_number(void *values, size_t count, enum radix_values kind, uint64_t seed)
{
	const bool is_index = kind == RADIX_INDEX_VALUES;
	const uint32_t turn = turn_of(seed);
	uint32_t *value32 = values;
	uint64_t *value64 = values;

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < count; i++) {
		const uint32_t low = is_index ? (uint32_t)i : scatter((uint32_t)i + turn);

		if (kind == RADIX_U64_VALUES)
			value64[i] = (uint64_t)low << 32 | (scatter(low ^ turn) ^ i >> 32);
		else
			value32[i] = low;
	}
}

uint64_t gb_keys_place(uint64_t value, enum radix_values kind, uint64_t seed)
{
	const uint32_t turn = turn_of(seed), upper = (uint32_t)(value >> 32);

	if (kind == RADIX_INDEX_VALUES)
		return value;
	if (kind == RADIX_U32_VALUES)
		return gather((uint32_t)value) - turn;
	return (uint64_t)(scatter(upper ^ turn) ^ (uint32_t)value) << 32 |
	       (uint32_t)(gather(upper) - turn);
}

/* ---- segments ---------------------------------------------------------------------------- */

/* The weight of segment i of `segments`: a random number, or 2^32 / r for a random r up to
 * `segments`. */
static uint64_t weight_of(enum radix_lengths lengths, size_t segments, uint64_t seed, size_t i)
{
	const uint64_t word = gb_random_half(gb_random_block(seed, 2, i / 2), i % 2);

	if (lengths == RADIX_EQUAL_LENGTHS)
		return 1;
	return lengths == RADIX_UNIFORM_LENGTHS
		       ? word >> 32
		       : (UINT64_C(1) << 32) / (1 + scaled(word, segments));
}

void gb_keys_segments(uint64_t *offsets, size_t segments, enum radix_lengths lengths, size_t count,
		      uint64_t seed)
{
	uint64_t sum = 0;

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < segments; i++)
		offsets[i] = weight_of(lengths, segments, seed, i);
	for (size_t i = 0; i < segments; i++) {
		const uint64_t weight = offsets[i];

		offsets[i] = sum;
		sum += weight;
	}
	offsets[segments] = sum;
	for (size_t i = 0; i <= segments && sum; i++)
		offsets[i] = (uint64_t)((wide)offsets[i] * count / sum);
	offsets[segments] = count;
}
