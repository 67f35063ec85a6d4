/* test_radix_vary.c -- variations of the keys of radix and of the bytes of stream: they keep
 * distribution, order and values; every variant is right on a variation.
 */
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

/* Expect keys that are sorted, reversed or all equal, if the original's are. */
static void expect_order(const struct radix_input *in, int64_t distribution)
{
	for (size_t i = 1; i < in->count; i++) {
		const uint64_t before = key_at(in, i - 1), here = key_at(in, i);

		cr_assert(distribution != RADIX_SORTED || before <= here);
		cr_assert(distribution != RADIX_REVERSE || before >= here);
		cr_assert(distribution != RADIX_CONSTANT || before == here);
	}
	for (size_t i = 0; in->values && i < in->count; i++)
		cr_assert_eq(in->values[i], i);
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
		expect_order(in, params->file ? RADIX_UNIFORM : params->distribution);
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
								     .seed = 4 };
				const bool ramp = d == RADIX_SORTED || d == RADIX_REVERSE;

				check_keys(&params,
					   counts[c] > (ramp ? 1 : 0) && d != RADIX_ENTROPY0);
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
	size_t checked = 0;

	for (int64_t type = 0; type < RADIX_TYPES; type++)
		for (int64_t d = 0; d < RADIX_DISTRIBUTIONS; d++) {
			const struct radix_params params = { .count = 3001,
							     .type = type,
							     .distribution = d,
							     .threads = 2,
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
