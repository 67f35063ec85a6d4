/* test_keys.c -- generated keys.
 *
 * The known digests of generated keys were recorded when words at several places agreed with a
 * second implementation, in Python, written from the description in datasets/keys/keys.h.
 */
#include "datasets/keys/keys.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/rng.h"
#include "common/text.h"
#include "tests/digest_of.h"

/* ---- generated keys ---------------------------------------------------------------------- */

static void *make(enum radix_type type, enum radix_distribution distribution, size_t count,
		  uint64_t seed)
{
	struct gb_error err = { 0 };
	void *keys = gb_host_alloc(count, radix_key_size(type), &err);

	cr_assert(keys, "%s", err.message);
	gb_keys_fill(keys, type, distribution, count, seed);
	return keys;
}

/* Digests of 10001 keys of u32, u64 and f32, with seed 0x123456789abcdef. */
static const enum radix_type known_types[] = { RADIX_U32, RADIX_U64, RADIX_F32 };
static const uint64_t known[RADIX_SPECIAL][3] = {
	{ 0x2f3a7bbb3342f4f3, 0x1136d1357cc08aee, 0xb1ee869a04c64a68 }, /* uniform */
	{ 0xb125f984d6e7a684, 0x23119ec372092fc4, 0xe56f4265b32924dc }, /* sorted */
	{ 0x5b2abdcd535b9e04, 0x28690b8610ceff64, 0xb67d1be0d0fb703c }, /* reverse */
	{ 0x8c8d3555acf9fea4, 0xf95b4bf4b31524dc, 0xd4ee8592237b090b }, /* constant */
	{ 0x3b9f83f2cd0a0664, 0xb1b557997703900a, 0x82ca0ef8c3a38d40 }, /* few */
	{ 0x25bf21c514535d3f, 0x8d93a2011a3dab67, 0x85b41ddb1430dbe6 }, /* zipf */
	{ 0xed71cddf68b1d2b8, 0x2b19da3df206b930, 0x702390a12c9c30b8 }, /* entropy0 */
	{ 0x2f3a7bbb3342f4f3, 0x1136d1357cc08aee, 0xb1ee869a04c64a68 }, /* entropy1 */
	{ 0x1afdb99158110a9c, 0xd2dd67fc62bb0b9d, 0x72856da518f83102 }, /* entropy2 */
	{ 0xd132aff1add96291, 0x1e49440963f1ca38, 0x1f32fe150a4ee303 }, /* entropy3 */
	{ 0xc7ddffc43b3b67ba, 0x2922e85fa63ec354, 0x5f8578443ce03b5c }, /* entropy4 */
	{ 0xc8a1282734d4d96e, 0xbbf7a26c03df755b, 0x5c16b92ea2495697 }, /* entropy5 */
	{ 0xe4cab54fbadfdd10, 0x62fb37739111cb41, 0x299788627719ab5f }, /* nearly */
};

Test(keys, known_digests_for_any_number_of_threads)
{
	for (int d = 0; d < RADIX_SPECIAL; d++)
		for (size_t t = 0; t < GB_COUNT(known_types); t++)
			for (int threads = 1; threads <= 7; threads += 3) {
				const enum radix_type type = known_types[t];
				uint64_t digest;
				void *keys;

				omp_set_num_threads(threads);
				keys = make(type, d, 10001, 0x123456789abcdef);
				digest = digest_of(0, keys, 10001 * radix_key_size(type));
				cr_expect_eq(digest, known[d][t],
					     "distribution %d, type %d: 0x%016lx", d, type, digest);
				gb_host_free(keys);
			}
}

/* Counts around the boundaries of a block of keys. */
Test(keys, the_number_of_threads_does_not_matter)
{
	const size_t counts[] = { 1, 2, 1023, 1024, 1025 };

	for (int t = 0; t < RADIX_TYPES; t++)
		for (int d = 0; d < RADIX_DISTRIBUTIONS; d++)
			for (size_t c = 0; c < GB_COUNT(counts); c++) {
				void *one, *more;

				omp_set_num_threads(1);
				one = make(t, d, counts[c], 42);
				for (int threads = 2; threads <= 7; threads += 5) {
					omp_set_num_threads(threads);
					more = make(t, d, counts[c], 42);
					cr_assert_arr_eq(
						one, more,
						counts[c] * radix_key_size((enum radix_type)t));
					gb_host_free(more);
				}
				gb_host_free(one);
			}
}

/* Keys of all types come from the same words: the order of an integer is their upper bits, and
 * floats ascend where the words do. */
Test(keys, types)
{
	for (int d = 0; d < RADIX_SPECIAL; d++) {
		const uint64_t *words = make(RADIX_U64, d, 3000, 7);

		for (int t = 0; t < RADIX_TYPES; t++) {
			const enum radix_type type = (enum radix_type)t;
			const size_t size = radix_key_size(type);
			const void *keys = make(type, d, 3000, 7);
			uint64_t before = 0;

			for (size_t i = 0; i < 3000; i++) {
				const uint64_t key = radix_load(keys, size, i);
				const uint64_t order = radix_order(type, key);

				cr_assert_eq(radix_bits(type, order), key);
				if (type < RADIX_F32)
					cr_assert_eq(order, words[i] >> (64 - 8 * size));
				else if (i)
					cr_assert(words[i] > words[i - 1]   ? order >= before
						  : words[i] < words[i - 1] ? order <= before
									    : order == before);
				before = order;
			}
		}
	}
}

/* 16 different keys of each type, with each of them several zeros, infinities and NaNs. */
Test(keys, special)
{
	const double *wide = make(RADIX_F64, RADIX_SPECIAL, 1000, 1);
	const float *narrow = make(RADIX_F32, RADIX_SPECIAL, 1000, 1);
	size_t count[6] = { 0 };

	for (size_t i = 0; i < 1000; i++) {
		cr_assert_eq(fpclassify(wide[i]), fpclassify(narrow[i]));
		cr_assert_eq(!signbit(wide[i]), !signbit(narrow[i]));
		count[0] += wide[i] == 0 && signbit(wide[i]);
		count[1] += wide[i] == 0 && !signbit(wide[i]);
		count[2] += isinf(wide[i]) != 0;
		count[3] += isnan(wide[i]) && signbit(wide[i]);
		count[4] += isnan(wide[i]) && !signbit(wide[i]);
		count[5] += fpclassify(wide[i]) == FP_SUBNORMAL;
	}
	for (size_t k = 0; k < GB_COUNT(count); k++)
		cr_expect(count[k] > 30, "%zu of kind %zu", count[k], k);
}

Test(keys, the_order_of_reals)
{
	const float reals[] = { -INFINITY, -1e30f, -1.5f, -1e-40f, -0.0f,
				0.0f,      1e-40f, 1.5f,  1e30f,   INFINITY };
	uint64_t last[2] = { 0 };

	cr_assert(radix_order(RADIX_F32, 0xffc00000) < radix_order(RADIX_F32, 0xff800000));
	for (size_t i = 0; i < GB_COUNT(reals); i++) {
		const double wide = (double)reals[i];
		uint32_t narrow_bits;
		uint64_t bits, order[2];

		memcpy(&narrow_bits, &reals[i], sizeof narrow_bits);
		memcpy(&bits, &wide, sizeof bits);
		order[0] = radix_order(RADIX_F32, narrow_bits);
		order[1] = radix_order(RADIX_F64, bits);
		for (size_t k = 0; k < 2; k++) {
			cr_assert(order[k] > last[k]);
			last[k] = order[k];
		}
	}
	cr_assert(radix_order(RADIX_F32, 0x7fc00000) > last[0], "+NaN comes last");
	cr_assert(radix_order(RADIX_I32, (uint32_t)-1) < radix_order(RADIX_I32, 0));
	cr_assert(radix_order(RADIX_I64, (uint64_t)INT64_MIN) < radix_order(RADIX_I64, 5));
}

Test(keys, values_number_the_keys)
{
	const uint64_t seeds[] = { 0, 1, 0xfedcba9876543210 };
	uint32_t values[3000];
	uint64_t wide[3000];

	for (size_t s = 0; s < GB_COUNT(seeds); s++) {
		size_t ascents = 0;

		gb_keys_number(values, GB_COUNT(values), RADIX_INDEX_VALUES, seeds[s]);
		for (uint32_t i = 0; i < GB_COUNT(values); i++) {
			cr_assert_eq(values[i], i);
			cr_assert_eq(gb_keys_place(i, RADIX_INDEX_VALUES, seeds[s]), i);
		}
		gb_keys_number(values, GB_COUNT(values), RADIX_U32_VALUES, seeds[s]);
		gb_keys_number(wide, GB_COUNT(wide), RADIX_U64_VALUES, seeds[s]);
		for (uint32_t i = 0; i < GB_COUNT(values); i++) {
			cr_assert_eq(gb_keys_place(values[i], RADIX_U32_VALUES, seeds[s]), i);
			cr_assert_eq(gb_keys_place(wide[i], RADIX_U64_VALUES, seeds[s]), i);
			ascents += i > 0 && values[i] > values[i - 1];
		}
		cr_expect(ascents > 1350 && ascents < 1650, "%zu ascents", ascents);
	}
}

/* ---- segments ---------------------------------------------------------------------------- */

Test(keys, segments)
{
	static const size_t counts[] = { 0, 1, 10, 100000 };
	uint64_t offsets[1001];

	for (int lengths = 0; lengths < RADIX_LENGTHS; lengths++)
		for (size_t c = 0; c < GB_COUNT(counts); c++) {
			uint64_t longest = 0, shortest = UINT64_MAX;

			gb_keys_segments(offsets, 1000, (enum radix_lengths)lengths, counts[c], 3);
			cr_assert(offsets[0] == 0 && offsets[1000] == counts[c]);
			for (size_t s = 0; s < 1000; s++) {
				const uint64_t length = offsets[s + 1] - offsets[s];

				cr_assert(offsets[s] <= offsets[s + 1]);
				longest = length > longest ? length : longest;
				shortest = length < shortest ? length : shortest;
			}
			if (lengths == RADIX_EQUAL_LENGTHS)
				cr_assert(longest - shortest <= 1);
			else if (counts[c] > 1000)
				cr_assert(longest > (lengths == RADIX_ZIPF_LENGTHS ? 2000 : 180) &&
					  shortest < 20);
		}
}
