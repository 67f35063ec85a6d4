/* cbt.c -- the cbt benchmark: find the leaves of a concurrent binary tree, compute its sums, split
 * and merge leaves.
 *
 * Verification uses the definitions and no code of a variant.  Ids are compared with the leaves of
 * the field, gap by gap.  A heap is compared bit by bit with the field that it must hold, and each
 * sum with its two children.  The tree after an update is compared with the rules applied to one
 * leaf at a time.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "common/cbt_types.h"
#include "common/memory.h"
#include "common/text.h"
#include "datasets/trees/bits.h"
#include "datasets/trees/trees.h"

/* ---- parameters -------------------------------------------------------------------------- */

GB_WORDS(ops, CBT_OPS, "bitfield", "reduce", "decode", "cycle", "update");
GB_WORDS(shapes, CBT_SHAPES, "full", "uniform", "random", "terrain");
GB_WORDS(uses, CBT_IDS, "store", "sum");

#define AT(type, member) GB_AT(type, struct cbt_params, member)
static const struct gb_param params[] = {
	{ .name = "op",
	  AT(GB_CHOICE, op),
	  .initial = "cycle",
	  .choices = ops,
	  .help = "operation; bitfield: find leaves from the field alone; reduce: compute all "
		  "sums; decode: find leaves with the sums; cycle: reduce, then decode; update: "
		  "split and merge leaves, then reduce, in each frame" },
	{ .name = "depth",
	  AT(GB_INT, depth),
	  .initial = "17",
	  .min = CBT_MIN_DEPTH,
	  .max = CBT_MAX_DEPTH,
	  .help = "depth of the tree: at most 2^depth leaves, 2^(depth + 2) bits" },
	{ .name = "shape",
	  AT(GB_CHOICE, shape),
	  .initial = "random",
	  .choices = shapes,
	  .help = "shape of the tree; uniform: all leaves on one level; random: irregular; "
		  "terrain: refined for a moving camera" },
	{ .name = "fill",
	  AT(GB_FLOAT, fill),
	  .initial = "1",
	  .high = 1,
	  .help = "leaves as a fraction of 2^depth; approximate for a terrain" },
	{ .name = "ids",
	  AT(GB_CHOICE, ids),
	  .initial = "store",
	  .choices = uses,
	  .help = "use of the leaf ids in bitfield, decode and cycle: store them in an array or "
		  "sum them" },
	{ .name = "frames",
	  AT(GB_INT, frames),
	  .initial = "4",
	  .min = 1,
	  .max = 256,
	  .help = "number of frames that one run of --op=update executes" },
	GB_COMMON_PARAMS(struct cbt_params),
};
#undef AT

/* ---- sweeps: each line holds the arguments of `gpubench cbt` ------------------------------ */

#define ALL_OPS "--op=bitfield,reduce,decode,cycle,update "

/* Every small depth, then depths around the sizes of words, cache lines, blocks and subtrees;
 * sparse and dense trees; both uses of ids. */
static const char *const check[] = {
	ALL_OPS "--depth=1:12",
	ALL_OPS "--depth=1:14 --shape=random --fill=0.3",
	ALL_OPS "--depth=12,15,18 --shape=random --fill=0.0003,0.97",
	"--op=bitfield,decode,cycle --ids=sum --depth=3,6,11,13,16 --shape=random --fill=0.5",
	"--op=reduce,decode,update --shape=uniform --fill=0.125 --depth=9,13",
	"--op=cycle,update --shape=terrain --fill=0.2 --depth=11,14",
	NULL,
};

/* The paper's cycle and its application, and the leaves of a large tree. */
#define QUICK "cpu/descent cpu/ocbt cuda/descent cuda/block cuda/ocbt "
static const char *const quick[] = {
	QUICK "--op=cycle,update --depth=17 --fill=0.25",
	QUICK "--op=decode --depth=19 --fill=0.5",
	NULL,
};

static const char *const ci[] = {
	"--op=reduce,decode --depth=16,22",
	"--op=bitfield --depth=20 --fill=0.25",
	"--op=cycle --depth=17 --fill=0.25 --ids=store,sum",
	"--op=update --depth=17 --fill=0.25 --shape=random,terrain",
	NULL,
};

/* The depths of the paper's figures 11 and 12 and of its supplements 13 and 14.  The depths of
 * figure 6 stop at 24 because a single GPU thread is slow beyond; `repro cbt:fig6` runs them
 * all. */
static const char *const paper[] = {
	"--op=bitfield --depth=10:24 --shape=full --ids=sum",
	"--op=reduce,decode --depth=10:30 --shape=full --ids=sum",
	"--op=cycle --depth=10:30 --fill=0.25 --ids=sum",
	"--op=cycle,decode --depth=17 --fill=0.25",
	"--op=update --depth=17 --fill=0.25 --shape=random,terrain",
	NULL,
};

/* ---- input ------------------------------------------------------------------------------- */

static enum gb_status prepare(const void *params_, void **input, struct gb_error *err)
{
	const struct cbt_params *p = params_;
	struct cbt_input *in = gb_input_begin(sizeof *in, err);

	if (in)
		(void)gb_trees_make(p, in, err);
	return gb_input_end(in, input, err);
}

static size_t output_size(const void *params_, const void *input)
{
	return cbt_output_size(input);
}

/* ---- verification: ids ------------------------------------------------------------------- */

/* The sum of the ids of the leaves whose bits are in [x, end). */
static uint64_t sum_ids(const struct cbt_input *in, uint64_t x, uint64_t end)
{
	const uint64_t bits = UINT64_C(1) << in->depth;
	uint64_t sum = 0;

	x = gb_tree_next(in->field, end, x);
	for (uint64_t next; x < end; x = next) {
		next = gb_tree_next(in->field, bits, x + 1);
		sum += cbt_leaf(in->depth, (uint32_t)x, (uint32_t)(next - x));
	}
	return sum;
}

/* Parallel, since a full tree of depth 30 has 2^30 leaves. */
static enum gb_status verify_sum(const struct cbt_input *in, uint64_t id_sum, struct gb_error *err)
{
	const uint64_t bits = UINT64_C(1) << in->depth;
	const uint64_t share = bits > 1U << 14 ? 1U << 14 : bits;
	uint64_t sum = 0;

#pragma omp parallel for schedule(dynamic) reduction(+ : sum) if (bits > share)
	for (uint64_t x = 0; x < bits; x += share)
		sum += sum_ids(in, x, x + share);
	if (id_sum == sum)
		return GB_OK;
	return gb_fail(err, GB_EVERIFY, "the ids of the leaves add up to %" PRIu64 ", not %" PRIu64,
		       sum, id_sum);
}

static enum gb_status verify_ids(const struct cbt_input *in, const struct cbt_output *out,
				 const uint32_t *ids, struct gb_error *err)
{
	const uint64_t end = UINT64_C(1) << in->depth;
	size_t leaf = 0;

	if (out->leaves != in->leaves)
		return gb_fail(err, GB_EVERIFY, "%" PRIu64 " leaves decoded of %zu", out->leaves,
			       in->leaves);
	if (in->ids == CBT_SUM)
		return verify_sum(in, out->id_sum, err);
	for (uint64_t x = 0, next; x < end; x = next, leaf++) {
		uint32_t k;

		next = gb_tree_next(in->field, end, x + 1);
		k = cbt_leaf(in->depth, (uint32_t)x, (uint32_t)(next - x));
		if (ids[leaf] != k)
			return gb_fail(err, GB_EVERIFY,
				       "leaf %zu of %zu is node %" PRIu32 ", not %" PRIu32
				       " (its bit is %" PRIu64 ")",
				       leaf, in->leaves, k, ids[leaf], x);
	}
	return GB_OK;
}

/* ---- verification: heaps ----------------------------------------------------------------- */

/* Check that level D of the heap equals the field. */
static enum gb_status verify_field(const uint64_t *heap, unsigned depth, const uint64_t *field,
				   struct gb_error *err)
{
	const uint64_t start = cbt_level_bit(depth, depth);
	const unsigned width = depth < 5 ? 1U << depth : 32;

	for (uint64_t x = 0; x < UINT64_C(1) << depth; x += width) {
		const uint64_t want = cbt_bits(field, x, width);
		const uint64_t have = cbt_bits(heap, start + x, width);

		if (have == want)
			continue;
		x += (uint64_t)__builtin_ctzll(have ^ want);
		return gb_fail(err, GB_EVERIFY,
			       "bit %" PRIu64 " of the field is %d after the run, and should be %d",
			       x, (int)gb_tree_get(heap, start + x), (int)gb_tree_get(field, x));
	}
	return GB_OK;
}

/* Check the bits that belong to no node: the depth marker and zeros. */
static enum gb_status verify_rest(const uint64_t *heap, unsigned depth, struct gb_error *err)
{
	const uint64_t first = cbt_bits(heap, 0, depth + 3);

	if (first != UINT64_C(1) << depth)
		return gb_fail(err, GB_EVERIFY,
			       "the heap starts with bits 0x%" PRIx64 ", not with the depth marker "
			       "0x%" PRIx64,
			       first, UINT64_C(1) << depth);
	if (depth < 4 && heap[0] >> (4U << depth))
		return gb_fail(err, GB_EVERIFY, "bits behind the heap's last are set");
	return GB_OK;
}

/* The number of leaves below node k, counted in the field. */
static uint64_t count_field(const uint64_t *field, unsigned depth, uint32_t k)
{
	const uint64_t x = cbt_field_bit(depth, k), size = (UINT64_C(1) << depth) >> cbt_level(k);
	uint64_t count = 0;

	if (size < 64)
		return (uint64_t)__builtin_popcountll(field[x / 64] >> x % 64 &
						      ((UINT64_C(1) << size) - 1));
	for (uint64_t w = x / 64; w < (x + size) / 64; w++)
		count += (uint64_t)__builtin_popcountll(field[w]);
	return count;
}

/* The expected sum of node k: that of its children if they are stored, else a count of the
 * field. */
static uint64_t expected_sum(const uint64_t *heap, unsigned depth, const uint64_t *field,
			     int64_t last_level, uint32_t k)
{
	if ((int64_t)cbt_level(k) == last_level && last_level < (int64_t)depth - 1)
		return count_field(field, depth, k);
	return cbt_get(heap, depth, 2 * k) + cbt_get(heap, depth, 2 * k + 1);
}

/* The smallest node whose sum is wrong; 0 if all are right. */
static uint32_t first_wrong(const uint64_t *heap, unsigned depth, const uint64_t *field,
			    int64_t last_level)
{
	const uint32_t end = UINT32_C(2) << last_level;
	uint32_t wrong = UINT32_MAX;

#pragma omp parallel for schedule(static) reduction(min : wrong) if (last_level > 12)
	for (uint32_t k = 1; k < end; k++)
		if (k < wrong &&
		    cbt_get(heap, depth, k) != expected_sum(heap, depth, field, last_level, k))
			wrong = k;
	return wrong == UINT32_MAX ? 0 : wrong;
}

static enum gb_status verify_heap(const struct cbt_input *in, const struct cbt_output *out,
				  const uint64_t *heap, const uint64_t *field, struct gb_error *err)
{
	const unsigned least = in->depth > CBT_LEVELS_LEFT ? in->depth - CBT_LEVELS_LEFT : 0;
	uint32_t wrong;

	if (out->last_level < (int64_t)least || out->last_level >= (int64_t)in->depth)
		return gb_fail(err, GB_EVERIFY,
			       "the output's last_level is %" PRId64 ", outside %u .. %u",
			       out->last_level, least, in->depth - 1);
	if (verify_field(heap, in->depth, field, err) || verify_rest(heap, in->depth, err))
		return err->code;
	wrong = first_wrong(heap, in->depth, field, out->last_level);
	if (wrong)
		return gb_fail(err, GB_EVERIFY,
			       "the sum of node %" PRIu32 ", level %u, is %" PRIu64
			       ", not %" PRIu64,
			       wrong, cbt_level(wrong), cbt_get(heap, in->depth, wrong),
			       expected_sum(heap, in->depth, field, out->last_level, wrong));
	if (out->leaves != cbt_get(heap, in->depth, 1))
		return gb_fail(err, GB_EVERIFY,
			       "%" PRIu64 " leaves reported, but the root's sum is %" PRIu64,
			       out->leaves, cbt_get(heap, in->depth, 1));
	return GB_OK;
}

static enum gb_status verify(const void *params_, const void *input, int64_t sample,
			     const void *output, struct gb_metrics *metrics, struct gb_error *err)
{
	const struct cbt_input *in = input;
	const struct cbt_output *out = output;
	const unsigned char *bytes = (const unsigned char *)output + sizeof *out;
	const uint32_t *ids = (const void *)bytes;
	const uint64_t *heap = (const void *)(bytes + cbt_ids_size(in));
	const uint64_t *field = in->op == CBT_UPDATE ? in->end_field : in->field;

	if (in->op != CBT_REDUCE && in->op != CBT_UPDATE && verify_ids(in, out, ids, err))
		return err->code;
	if (cbt_has_heap(in) && verify_heap(in, out, heap, field, err))
		return err->code;
	gb_metric(metrics, "leaves", (double)in->leaves);
	gb_metric(metrics, "heap_bytes", ldexp(1, (int)in->depth + 2) / 8);
	return GB_OK;
}

/* ---- the benchmark ------------------------------------------------------------------------ */

/* Bytes that any algorithm must move: it reads the field and writes ids and sums.  A frame also
 * reads its wishes and writes the field. */
static struct gb_work work(const void *params_, const void *input)
{
	const struct cbt_input *in = input;
	const double field = ldexp(1, (int)in->depth - 3);
	double bytes = field;

	if (cbt_has_ids(in))
		bytes += (double)in->leaves * sizeof(uint32_t);
	if (cbt_has_heap(in))
		bytes += 3 * field;
	if (in->op == CBT_UPDATE)
		bytes = (double)in->frames * 5 * field + (double)in->total_leaves / 4;
	return (struct gb_work){ .items = (double)in->total_leaves, .bytes = bytes, .read = field };
}

/* An update changes its input tree. */
static bool repeatable(const void *params_)
{
	const struct cbt_params *p = params_;

	return p->op != CBT_UPDATE;
}

const struct gb_benchmark gb_cbt_benchmark = {
	.name = "cbt",
	.summary = "find, count, split and merge the leaves of a concurrent binary tree",
	.paper = "Grachev, Ushakov. A research on concurrent binary tree properties. Software & "
		 "Systems 36(3), 2023, 398-413 (in Russian)",
	.item = "leaves",
	.params = params,
	.param_count = GB_COUNT(params),
	.params_size = sizeof(struct cbt_params),
	.check = check,
	.preset = { [GB_QUICK] = quick, [GB_CI] = ci, [GB_PAPER] = paper },
	.prepare = prepare,
	.output_size = output_size,
	.verify = verify,
	.verify_method = "ids against the field's gaps, each sum against its children, the field "
			 "against the rules applied one leaf at a time; heap with libcbt's depth "
			 "marker (element 0 at bit 0)",
	.work = work,
	.repeatable = repeatable,
	.release = gb_input_release,
};
