/* test_keys.c -- generated keys and the digest.
 *
 * The known digests of generated keys were recorded when words at several places agreed with a
 * second implementation, in Python, written from the description in datasets/keys/keys.h; it also
 * computed the answers of gb_keys_digest().
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
	void *keys = gb_host_alloc(count, gb_keys_size(type), &err);

	cr_assert(keys, "%s", err.message);
	gb_keys_fill(keys, type, distribution, count, seed);
	return keys;
}

/* Digests of 10001 keys of u32 (and pairs), u64 and f32, with seed 0x123456789abcdef. */
static const uint64_t known[RADIX_DISTRIBUTIONS][3] = {
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
	for (int d = 0; d < RADIX_DISTRIBUTIONS; d++)
		for (int t = 0; t < RADIX_TYPES; t++)
			for (int threads = 1; threads <= 7; threads += 3) {
				uint64_t digest;
				void *keys;

				omp_set_num_threads(threads);
				keys = make(t, d, 10001, 0x123456789abcdef);
				digest = digest_of(0, keys, 10001 * gb_keys_size(t));
				cr_expect_eq(digest, known[d][t % 3],
					     "distribution %d, type %d: 0x%016lx", d, t, digest);
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
					cr_assert_arr_eq(one, more, counts[c] * gb_keys_size(t));
					gb_host_free(more);
				}
				gb_host_free(one);
			}
}

Test(keys, the_order_of_floats)
{
	const float ascending_floats[] = { -INFINITY, -1e30f, -1.5f, -1e-40f, -0.0f,
					   0.0f,      1e-40f, 1.5f,  1e30f,   INFINITY };
	uint32_t bits[GB_COUNT(ascending_floats)];

	memcpy(bits, ascending_floats, sizeof bits);
	for (size_t i = 0; i < GB_COUNT(bits); i++) {
		cr_assert_eq(radix_f32_bits(radix_f32_order(bits[i])), bits[i]);
		if (i)
			cr_assert(radix_f32_order(bits[i - 1]) < radix_f32_order(bits[i]));
	}
	cr_assert(radix_f32_order(0xffc00000) < radix_f32_order(bits[0]), "-NaN comes first");
	cr_assert(radix_f32_order(0x7fc00000) > radix_f32_order(bits[9]), "+NaN comes last");
}

Test(keys, values_number_the_keys)
{
	const uint64_t seeds[] = { 0, 1, 0xfedcba9876543210 };
	uint32_t values[3000];

	for (size_t s = 0; s < GB_COUNT(seeds); s++) {
		size_t ascents = 0;

		gb_keys_number(values, GB_COUNT(values), RADIX_INDEX_VALUES, seeds[s]);
		for (uint32_t i = 0; i < GB_COUNT(values); i++) {
			cr_assert_eq(values[i], i);
			cr_assert_eq(gb_keys_place(i, RADIX_INDEX_VALUES, seeds[s]), i);
		}
		gb_keys_number(values, GB_COUNT(values), RADIX_RANDOM_VALUES, seeds[s]);
		for (uint32_t i = 0; i < GB_COUNT(values); i++) {
			cr_assert_eq(gb_keys_place(values[i], RADIX_RANDOM_VALUES, seeds[s]), i);
			ascents += i > 0 && values[i] > values[i - 1];
		}
		cr_expect(ascents > 1350 && ascents < 1650, "%zu ascents", ascents);
	}
}

/* ---- digest ------------------------------------------------------------------------------ */

Test(keys, digest_known_answers)
{
	const uint32_t keys[] = { 1, 2, 3 }, pair_keys[] = { 5, 7, 5 }, values[] = { 0, 1, 2 };
	const uint64_t wide[] = { 3, 1, 2 };

	cr_assert_eq(gb_keys_digest(keys, 4, NULL, 3, 0), 0xeaeefea9854a876c);
	cr_assert_eq(gb_keys_digest(wide, 8, NULL, 3, 0), 0xeaeefea9854a876c);
	cr_assert_eq(gb_keys_digest(pair_keys, 4, values, 3, 0), 0xcc63a4eb158b46a1);
	cr_assert_eq(gb_keys_digest(NULL, 4, NULL, 0, 0), 0);
}
