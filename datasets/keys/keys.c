/* keys.c -- generation of keys; keys.h defines the distributions.
 *
 * Keys are generated in tiles: first the 64-bit words of a tile, then the keys of the given type
 * from these words.  Tiles are independent and distributed to threads.
 */
#include "datasets/keys/keys.h"

#include <math.h>
#include <string.h>

#include "common/rng.h"

/* Even, so that a tile starts at an even index: two words share a Philox block. */
enum { TILE = 1024 };

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

static void uniform_words(uint64_t seed, uint64_t stream, uint64_t first, size_t n, uint64_t *word)
{
	for (size_t i = 0; i < n; i += 2) {
		struct gb_random_block block = gb_random_block(seed, stream, (first + i) / 2);

		word[i] = gb_random_half(block, 0);
		if (i + 1 < n)
			word[i + 1] = gb_random_half(block, 1);
	}
}

/* floor(i 2^64 / count) for n indices i < count from `first`, in reverse order if `down`.  Quotient and
 * remainder are updated incrementally, so only the first index needs a wide division. */
static void ramp_words(uint64_t first, size_t n, uint64_t count, bool down, uint64_t *word)
{
	wide start = (wide)first << 64, one = (wide)1 << 64;
	uint64_t quotient = (uint64_t)(start / count), rest = (uint64_t)(start % count);
	uint64_t step = (uint64_t)(one / count), step_rest = (uint64_t)(one % count);

	for (size_t i = 0; i < n; i++) {
		word[down ? n - 1 - i : i] = quotient;
		quotient += step;
		rest += step_rest;
		if (rest >= count) {
			rest -= count;
			quotient++;
		}
	}
}

static void entropy_words(uint64_t seed, unsigned draws, uint64_t first, size_t n, uint64_t *word)
{
	uint64_t other[TILE];

	for (size_t i = 0; i < n; i++)
		word[i] = UINT64_MAX;
	for (unsigned stream = 0; stream < draws; stream++) {
		uniform_words(seed, stream, first, n, other);
		for (size_t i = 0; i < n; i++)
			word[i] &= other[i];
	}
}

/* floor(u n), where u is the word as a fraction. */
static uint64_t scaled(uint64_t word, uint64_t n)
{
	return (uint64_t)((wide)word * n >> 64);
}

/* A ramp whose i-th word is drawn from the i-th of count equal parts of the range; some words are
 * uniform instead. */
static void nearly_words(uint64_t seed, uint64_t count, uint64_t first, size_t n, uint64_t *word)
{
	const uint64_t size = UINT64_MAX / count, rare = UINT64_MAX / (uint64_t)sqrt((double)count);
	uint64_t other[TILE];

	uniform_words(seed, 0, first, n, word);
	uniform_words(seed, 1, first, n, other);
	for (size_t i = 0; i < n; i++)
		if (other[i] >= rare)
			word[i] = (first + i) * size + scaled(word[i], size);
}

/* Generate the words of indices first .. first + n - 1; n <= TILE. */
static void make_words(enum radix_distribution distribution, uint64_t seed, uint64_t count,
		       uint64_t first, size_t n, uint64_t *word)
{
	switch (distribution) {
	case RADIX_UNIFORM:
		uniform_words(seed, 0, first, n, word);
		break;
	case RADIX_SORTED:
		ramp_words(first, n, count, false, word);
		break;
	case RADIX_REVERSE:
		ramp_words(count - first - n, n, count, true, word);
		break;
	case RADIX_CONSTANT:
		for (size_t i = 0; i < n; i++)
			word[i] = gb_random64(seed, 0);
		break;
	case RADIX_FEW:
		uniform_words(seed, 0, first, n, word);
		for (size_t i = 0; i < n; i++)
			word[i] = scatter64((uint32_t)word[i] & 255);
		break;
	case RADIX_ZIPF:
		uniform_words(seed, 0, first, n, word);
		for (size_t i = 0; i < n; i++)
			word[i] = scatter64(zipf_rank(word[i]));
		break;
	case RADIX_ENTROPY0:
	case RADIX_ENTROPY1:
	case RADIX_ENTROPY2:
	case RADIX_ENTROPY3:
	case RADIX_ENTROPY4:
	case RADIX_ENTROPY5:
		entropy_words(seed, (unsigned)(distribution - RADIX_ENTROPY0), first, n, word);
		break;
	case RADIX_NEARLY:
		nearly_words(seed, count, first, n, word);
		break;
	case RADIX_SPECIAL:
		uniform_words(seed, 0, first, n, word);
		break;
	case RADIX_DISTRIBUTIONS:
		break;
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
	for (size_t at = 0; at < count; at += TILE) {
		uint64_t word[TILE];
		const size_t n = count - at < TILE ? count - at : TILE;

		make_words(distribution, seed, count, at, n, word);
		for (size_t i = 0; i < n; i++)
			radix_store(keys, key_size, at + i,
				    distribution == RADIX_SPECIAL ? special_key(type, word[i] >> 60)
								  : key_of(type, word[i]));
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
