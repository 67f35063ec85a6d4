/* octree_reference.c -- the shape of the expected tree, computed from sorted keys.
 *
 * A parallel, stable counting sort sorts the keys, 11 bits per pass.  The nodes and the leaf of a
 * body then follow from its neighbours in this order.  The method is independent of the builders.
 */
#include "cli/benchmarks/octree/octree_reference.h"

#include <omp.h>
#include <string.h>

#include "common/memory.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

struct entry {
	uint64_t key;
	uint32_t body;
};

/* ---- keys -------------------------------------------------------------------------------- */

static void bounds(const float *position, size_t count, float *low, float *high)
{
	float least = position[0], most = position[0];

#pragma omp parallel for schedule(static) reduction(min : least) reduction(max : most)
	for (size_t i = 0; i < count; i++) {
		least = position[i] < least ? position[i] : least;
		most = position[i] > most ? position[i] : most;
	}
	*low = least;
	*high = most;
}

static struct octree_box box_of(const struct octree_input *in)
{
	float low[3] = { 0 }, high[3] = { 0 };

	if (in->count) {
		bounds(in->x, in->count, &low[0], &high[0]);
		bounds(in->y, in->count, &low[1], &high[1]);
		bounds(in->z, in->count, &low[2], &high[2]);
	}
	return octree_box_of(low, high);
}

/* The start of this thread's share of 0 .. count - 1. */
static size_t part(size_t count, int thread, int threads)
{
	return count * (size_t)thread / (size_t)threads;
}

/* One pass of the sort, called by every thread of a team.  count has DIGITS counters per thread. */
static void pass(const struct entry *from, struct entry *to, size_t n, unsigned shift,
		 size_t (*count)[DIGITS])
{
	const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
	const size_t begin = part(n, thread, threads), end = part(n, thread + 1, threads);

	memset(count[thread], 0, sizeof count[thread]);
	for (size_t i = begin; i < end; i++)
		count[thread][from[i].key >> shift & (DIGITS - 1)]++;
#pragma omp barrier
#pragma omp single
	for (size_t d = 0, sum = 0; d < DIGITS; d++)
		for (int t = 0; t < threads; t++) {
			size_t c = count[t][d];

			count[t][d] = sum;
			sum += c;
		}
	for (size_t i = begin; i < end; i++)
		to[count[thread][from[i].key >> shift & (DIGITS - 1)]++] = from[i];
#pragma omp barrier
}

/* Sort by key.  The number of passes is even, so the result is in entry. */
static void sort(struct entry *entry, struct entry *spare, size_t n, size_t (*count)[DIGITS],
		 int threads)
{
#pragma omp parallel num_threads(threads)
	for (unsigned shift = 0; shift < 6 * DIGIT_BITS; shift += 2 * DIGIT_BITS) {
		pass(entry, spare, n, shift, count);
		pass(spare, entry, n, shift + DIGIT_BITS, count);
	}
}

/* Put the bodies into the order of the entries, then renumber the entries. */
static void reorder(struct octree_input *in, struct entry *entry, struct entry *spare)
{
	float *axis[] = { in->x, in->y, in->z };
	float *old = (float *)spare;

	for (int d = 0; d < 3; d++) {
		memcpy(old, axis[d], in->count * sizeof *old);
#pragma omp parallel for schedule(static)
		for (size_t i = 0; i < in->count; i++)
			axis[d][i] = old[entry[i].body];
	}
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < in->count; i++)
		entry[i].body = (uint32_t)i;
}

/* ---- the shape --------------------------------------------------------------------------- */

/* The number of levels that two keys share: 0 .. 21. */
static int shared(uint64_t a, uint64_t b)
{
	return a == b ? OCTREE_LEVELS : (__builtin_clzll(a ^ b) - 1) / 3;
}

/* The level of the deepest node that holds body i and the next `bucket` bodies in sorted order, at
 * most OCTREE_DEEPEST; -1 if fewer bodies follow. */
static int node_from(const struct entry *entry, size_t n, size_t i, size_t bucket)
{
	int level = i + bucket < n ? shared(entry[i].key, entry[i + bucket].key) : -1;

	return level < OCTREE_DEEPEST ? level : OCTREE_DEEPEST;
}

static struct octree_shape shape_of(const struct entry *entry, const int8_t *node, size_t n,
				    size_t bucket)
{
	size_t nodes = 0, leaves = 0, depths = 0;
	int deepest = 0;
	uint64_t hash = 0;

#pragma omp parallel for schedule(static) reduction(+ : nodes, leaves, depths, hash) \
	reduction(max : deepest)
	for (size_t i = 0; i < n; i++) {
		const uint64_t key = entry[i].key;
		const int before = i ? shared(entry[i - 1].key, key) : -1;
		int leaf = 0;

		for (size_t j = i < bucket ? 0 : i - bucket; j <= i; j++)
			leaf = node[j] > leaf ? node[j] : leaf;
		leaf++;
		leaves += before < leaf;
		depths += (size_t)leaf;
		deepest = leaf > deepest ? leaf : deepest;
		hash += octree_hash_body(octree_cell(key, leaf), entry[i].body);
		/* Count the nodes whose first body this is.  The root is counted separately. */
		for (int level = before < 0 ? 1 : before + 1; level <= node[i]; level++) {
			hash += octree_hash_node(octree_cell(key, level));
			nodes++;
		}
	}
	return (struct octree_shape){
		.nodes = nodes + 1,
		.leaves = leaves,
		.max_depth = deepest,
		.mean_depth = n ? (double)depths / (double)n : 0,
		.hash = hash + octree_hash_node(octree_cell(0, 0)),
	};
}

enum gb_status octree_reference(struct octree_input *in, bool spatial, struct octree_box *box,
				struct gb_error *err)
{
	const size_t n = in->count, bucket = (size_t)in->bucket;
	const int threads = n < 10000 ? 1 : omp_get_max_threads();
	struct entry *entry = gb_host_alloc(n, sizeof *entry, err);
	struct entry *spare = gb_host_alloc(n, sizeof *spare, err);
	size_t(*count)[DIGITS] = gb_host_alloc((size_t)threads, sizeof *count, err);
	int8_t *node = (int8_t *)spare;

	if (err->code)
		goto out;
	*box = box_of(in);
#pragma omp parallel for schedule(static) num_threads(threads)
	for (size_t i = 0; i < n; i++) {
		entry[i].key = octree_key(box, in->x[i], in->y[i], in->z[i]);
		entry[i].body = (uint32_t)i;
	}
	sort(entry, spare, n, count, threads);
	if (spatial)
		reorder(in, entry, spare);
#pragma omp parallel for schedule(static) num_threads(threads)
	for (size_t i = 0; i < n; i++)
		node[i] = (int8_t)node_from(entry, n, i, bucket);
	in->tree = shape_of(entry, node, n, bucket);
out:
	gb_host_free(count);
	gb_host_free(spare);
	gb_host_free(entry);
	return err->code;
}
