/* test_radix_vary.c -- variations of the keys of radix and of the bytes of stream: they keep
 * distribution, order and values; every variant is right on a variation.
 */
#include <math.h>
#include <unistd.h>

#include "common/radix.h"
#include "common/stream.h"
#include "datasets/keys/keys.h"
#include "tests/cli/workloads/varied.h"
#include "tests/file_of.h"

/* ---- keys ---------------------------------------------------------------------------------- */

static size_t list_arrays(const struct radix_input *in, struct piece piece[2])
{
	piece[0] = (struct piece){ in->keys, in->count * in->key_size };
	piece[1] = (struct piece){ in->values, in->values ? in->count * sizeof *in->values : 0 };
	return 2;
}

static uint64_t key_at(const struct radix_input *in, size_t i)
{
	const uint32_t *key32 = in->keys;
	const uint64_t *key64 = in->keys;

	return in->type == RADIX_U64   ? key64[i]
	       : in->type == RADIX_F32 ? radix_f32_order(key32[i])
				       : key32[i];
}

/* The number of different keys; most + 1 if there are more than `most`. */
static size_t different(const struct radix_input *in, size_t most)
{
	uint64_t *seen = calloc(most + 1, sizeof *seen);
	size_t found = 0;

	for (size_t i = 0; i < in->count && found <= most; i++) {
		const uint64_t key = key_at(in, i);
		size_t k = 0;

		while (k < found && seen[k] != key)
			k++;
		if (k == found)
			seen[found++] = key;
	}
	free(seen);
	return found;
}

/* Expect the order and the number of different keys that a distribution has, in all variations, and
 * values that say where a pair was. */
static void expect_order(const struct radix_input *in, const struct radix_params *params)
{
	const size_t n = in->count, root = (size_t)sqrt((double)n), any = SIZE_MAX;
	const struct {
		size_t descents, ascents, turns, different;
	} most[RADIX_DISTRIBUTIONS] = {
		[RADIX_SORTED] = { 0, any, any, any },
		[RADIX_REVERSE] = { any, 0, any, any },
		[RADIX_CONSTANT] = { 0, 0, 0, 1 },
		[RADIX_FEW] = { any, any, any, 256 },
		[RADIX_DOMINANT] = { 30 + n / 50, 30 + n / 50, any, any },
		[RADIX_RUNS] = { 15, any, any, any },
		[RADIX_ORGANPIPE] = { n / 2, n / 2, 1, any },
		[RADIX_NEARLY] = { 20 + 2 * root, any, any, any },
		[RADIX_LAST] = { 1, any, any, any },
		[RADIX_STAIRCASE] = { 0, 63, 0, 64 },
		[RADIX_SQRT] = { any, any, any, root },
		[RADIX_TWO] = { any, any, any, 2 },
		[RADIX_ROOTDUP] = { root + 3, any, any, root },
	}, *m = &most[params->distribution];
	size_t descents = 0, ascents = 0, turns = 0;

	for (size_t i = 0; in->values && i < n; i++)
		cr_assert_eq(gb_keys_place(in->values[i], (enum radix_values)params->values,
					   (uint64_t)params->seed),
			     i);
	for (size_t i = 1; i < n; i++) {
		const uint64_t before = key_at(in, i - 1), here = key_at(in, i);

		descents += before > here;
		ascents += before < here;
		turns += i > 1 && (before > here) != (key_at(in, i - 2) > before);
	}
	if (params->file || (!m->different && !m->turns))
		return;
	cr_assert(descents <= m->descents && ascents <= m->ascents && turns <= m->turns &&
			  (m->different == any || n > 5000 ||
			   different(in, m->different) <= m->different),
		  "distribution %d, %zu keys: %zu descents, %zu ascents, %zu turns",
		  (int)params->distribution, n, descents, ascents, turns);
}

static void check_keys(const struct radix_params *params, bool varies)
{
	struct trial t = start_trial(&gb_radix_workload, params);
	const struct radix_input *in = t.input;
	struct piece piece[2];
	const size_t pieces = list_arrays(in, piece);

	for (uint64_t key = 2; key < 5; key++) {
		cr_assert_eq(vary(&t, key), varies, "type %d, distribution %d, %zu keys",
			     (int)params->type, (int)params->distribution, in->count);
		expect_order(in, params);
	}
	(void)vary(&t, 0);
	if (in->count != 1) /* different seeds may give a single key the same value */
		check_bytes(&t, piece, pieces, varies, varies);
	end_trial(&t);
}

Test(radix_vary, generated_keys)
{
	static const int64_t counts[] = { 0, 1, 64, 65, 66, 127, 4097, 30011 };

	for (int64_t type = 0; type < RADIX_TYPES; type++)
		for (int64_t d = 0; d < RADIX_DISTRIBUTIONS; d++)
			for (size_t c = 0; c < GB_COUNT(counts); c++) {
				const struct radix_params params = { .count = counts[c],
								     .type = type,
								     .distribution = d,
								     .values = type % 2,
								     .seed = 4 };
				/* One key cannot take another's value. */
				const bool fixed = d == RADIX_SORTED || d == RADIX_REVERSE ||
						   d >= RADIX_ROOTDUP;

				check_keys(&params, counts[c] > fixed && d != RADIX_ENTROPY0);
			}
}

/* One key in 64 takes the value of the key before it. */
Test(radix_vary, replaced_keys)
{
	const struct radix_params params = { .count = 1000,
					     .type = RADIX_U64,
					     .distribution = RADIX_SORTED };
	struct trial t = start_trial(&gb_radix_workload, &params);
	const struct radix_input *in = t.input;
	const uint64_t *key = in->keys;
	uint64_t original[1000];
	bool chosen[GB_KEYS_GROUP] = { false };
	size_t kinds = 0;

	memcpy(original, in->keys, sizeof original);
	for (uint64_t variation = 1; variation < 100; variation++) {
		size_t replaced = 0;

		(void)vary(&t, variation);
		for (size_t i = 0; i < in->count; i++) {
			if (key[i] == original[i])
				continue;
			cr_assert(i % GB_KEYS_GROUP != 0 && key[i] == original[i - 1]);
			chosen[i % GB_KEYS_GROUP] = true;
			replaced++;
		}
		cr_assert_eq(replaced, gb_keys_groups(in->count));
	}
	for (size_t i = 0; i < GB_KEYS_GROUP; i++)
		kinds += chosen[i];
	cr_assert_eq(kinds, GB_KEYS_GROUP - 1);
	end_trial(&t);
}

Test(radix_vary, keys_of_files)
{
	uint64_t data[200];

	for (size_t i = 0; i < GB_COUNT(data); i++)
		data[i] = i * UINT64_C(0x9e3779b97f4a7c15);
	for (int64_t type = 0; type < RADIX_TYPES; type++) {
		const struct radix_params params = { .type = type,
						     .file = file_of("", data, sizeof data) };

		check_keys(&params, true);
		unlink(params.file);
	}
	memset(data, 7, sizeof data);
	for (int64_t type = 0; type < RADIX_TYPES; type++) {
		const struct radix_params params = { .type = type,
						     .file = file_of("", data, sizeof data) };

		check_keys(&params, false);
		unlink(params.file);
	}
}

Test(variants_radix_vary, every_variant)
{
#ifdef GPUBENCH_SIMT
	const int64_t least = 0;
#else
	const int64_t least = RADIX_ENTROPY1;
#endif
	size_t checked = 0;

	for (int64_t type = 0; type < RADIX_TYPES; type++)
		for (int64_t d = 0; d < RADIX_DISTRIBUTIONS; d++) {
			/* One type each of the distributions whose shape matters little here;
			 * in the emulator, of all. */
			if (d >= least && type != d % RADIX_TYPES)
				continue;
			const struct radix_params params = { .count = 3001,
							     .type = type,
							     .distribution = d,
							     .threads = 2,
							     .values = d % 2,
							     .seed = 4 };
			struct trial t = start_trial(&gb_radix_workload, &params);

			checked += check_variants(&t, d != RADIX_ENTROPY0);
			end_trial(&t);
		}
	cr_assert(checked > 0);
}

/* ---- bytes --------------------------------------------------------------------------------- */

Test(stream_vary, bytes)
{
	static const int64_t counts[] = { 0, 1, 7, 8, 9, 1003 };

	for (size_t c = 0; c < GB_COUNT(counts); c++) {
		const struct stream_params params = { .count = counts[c], .seed = 4 };
		struct trial t = start_trial(&gb_stream_workload, &params);
		const struct stream_input *in = t.input;
		const struct piece piece = { in->words, in->count };

		cr_assert_eq(vary(&t, 5), counts[c] > 0);
		(void)vary(&t, 0);
		check_bytes(&t, &piece, 1, counts[c] > 0, counts[c] > 0);
		end_trial(&t);
	}
}

Test(variants_stream_vary, every_variant)
{
	static const int64_t counts[] = { 1, 65, 100003 };
	size_t checked = 0;

	for (size_t c = 0; c < GB_COUNT(counts); c++) {
		const struct stream_params params = { .count = counts[c], .threads = 2, .seed = 4 };
		struct trial t = start_trial(&gb_stream_workload, &params);

		checked += check_variants(&t, true);
		end_trial(&t);
	}
	cr_assert(checked > 0);
}
