/* test_octree_vary.c -- variations of the bodies of an octree: they exchange neighbours, keep the
 * shape of the tree, and change its lists; every variant builds the tree of a variation.
 */
#include "cli/workloads/octree/reference.h"
#include "tests/cli/workloads/varied.h"

enum { ARRAYS = 3 };

static void list_arrays(const struct octree_input *in, struct piece piece[ARRAYS])
{
	const float *const axis[] = { in->x, in->y, in->z };

	for (int d = 0; d < ARRAYS; d++)
		piece[d] = (struct piece){ axis[d], in->count * sizeof *axis[d] };
}

/* Coincident bodies have no variations, nor have bodies in one leaf. */
static bool has_variations(const struct octree_input *in)
{
	return in->tree.leaves > 1;
}

static void expect_same_shape(const struct octree_params *params, struct octree_input *in)
{
	const struct octree_shape before = in->tree;
	struct octree_box box = { { 0 }, 0, 0 };
	struct gb_error err = { 0 };

	(void)gb_octree_workload.vary(params, in, 12);
	cr_assert_eq(octree_reference(in, false, &box, &err), GB_OK);
	cr_assert_eq(memcmp(&box, &in->verifier->box, sizeof box), 0);
	cr_assert_eq(in->tree.nodes, before.nodes);
	cr_assert_eq(in->tree.leaves, before.leaves);
	cr_assert_eq(in->tree.max_depth, before.max_depth);
	cr_assert_eq(in->tree.mean_depth, before.mean_depth);
	/* Few bodies may be exchanged within their leaf. */
	cr_assert(in->tree.hash == before.hash || has_variations(in));
	cr_assert(in->tree.hash != before.hash || !has_variations(in) || in->count < 100);
	in->tree = before;
	(void)gb_octree_workload.vary(params, in, 0);
}

/* About half of the pairs are exchanged, and nothing else changes. */
static void expect_exchanges(const struct octree_params *params, struct octree_input *in)
{
	float *x = malloc((in->count + 1) * sizeof *x);
	size_t exchanged = 0;

	memcpy(x, in->x, in->count * sizeof *x);
	(void)gb_octree_workload.vary(params, in, 12);
	for (size_t i = 0; i < in->count; i++) {
		const size_t from = gb_exchange_source(12, i, in->count, octree_apart(in));

		cr_assert_eq(in->x[i], x[from]);
		cr_assert(from == i || from == (i ^ octree_apart(in)));
		exchanged += from != i;
	}
	cr_assert(params->count < 1000 ||
		  (exchanged > in->count * 4 / 10 && exchanged < in->count * 6 / 10));
	(void)gb_octree_workload.vary(params, in, 0);
	free(x);
}

Test(octree_vary, bytes_and_shape)
{
	static const int64_t counts[] = { 0, 1, 2, 3, 128, 129, 4001 };

	for (int64_t d = 0; d < OCTREE_DISTRIBUTIONS; d++)
		for (size_t c = 0; c < GB_COUNT(counts); c++)
			for (int64_t order = 0; order < OCTREE_ORDERS; order++) {
				const struct octree_params params = { .distribution = d,
								      .count = counts[c],
								      .bucket = 1 + order,
								      .order = order,
								      .seed = 4 };
				struct trial t = start_trial(&gb_octree_workload, &params);
				const bool varies = has_variations(t.input);
				const bool moves = d != OCTREE_COINCIDENT && counts[c] > 1;
				struct piece piece[ARRAYS];

				list_arrays(t.input, piece);
				cr_assert(varies == moves || counts[c] < 4);
				cr_assert_eq(vary(&t, 5), varies);
				(void)vary(&t, 0);
				check_bytes(&t, piece, ARRAYS, moves, moves && counts[c] > 100);
				expect_same_shape(&params, t.input);
				expect_exchanges(&params, t.input);
				end_trial(&t);
			}
}

#ifdef GPUBENCH_SIMT
enum { MANY = 700 };
#else
enum { MANY = 3000 };
#endif

Test(variants_octree_vary, every_variant)
{
	static const int64_t buckets[] = { 1, 16 };
	size_t checked = 0;

	for (int64_t d = 0; d < OCTREE_DISTRIBUTIONS; d++)
		for (size_t b = 0; b < GB_COUNT(buckets); b++) {
			const struct octree_params params = { .distribution = d,
							      .count = MANY,
							      .bucket = buckets[b],
							      .order = (d + (int64_t)b) % 3,
							      .threads = 2,
							      .seed = 4 };
			struct trial t = start_trial(&gb_octree_workload, &params);

			checked += check_variants(&t, has_variations(t.input));
			end_trial(&t);
		}
	cr_assert(checked > 0);
}

/* The metrics of a right result are those of the original. */
Test(octree_vary, metrics)
{
	const struct octree_params params = { .count = 1000, .bucket = 1, .threads = 2, .seed = 4 };
	struct trial t = start_trial(&gb_octree_workload, &params);
	const struct octree_input *in = t.input;
	extern const struct gb_variant_ops octree_cpu_seq;
	const struct gb_variant seq = { .name = "seq", .ops = &octree_cpu_seq };
	struct gb_metrics metrics = { 0 }, expected = { 0 };
	struct gb_error err = { 0 };
	void *state;

	cr_assert_eq(gb_state_create(seq.ops, &params, in, &state, &err), GB_OK);
	run_on(&t, &seq, state, 5, 6);
	cr_assert_eq(t.workload->verify(&params, in, 0, t.output, &metrics, &err), GB_OK);
	gb_metric_hash(&expected, "structural_hash", in->tree.hash);
	for (size_t i = 0; i < metrics.count; i++)
		if (gb_equal(metrics.item[i].name, "structural_hash"))
			cr_assert_str_eq(metrics.item[i].text, expected.item[0].text);
	gb_state_destroy(seq.ops, state);
	end_trial(&t);
}
