/* morton.cu -- sort first: all bodies by their keys, then every node and link of the tree at
 * once, without an atomic.
 *
 *	keys   63 bits and the body's number
 *	sort   stable, by all 63 bits (cuda/primitives/primitives.h): 8 passes
 *	link   count the nodes that each body starts, sum up, clear that many nodes; then a thread
 *	       per body enters the nodes it starts into their parents, and the leaf it starts into
 *	       its node (parts/linear.h says which these are)
 * A parent that an earlier body started is found by a search back through the sorted keys, in
 * steps that double: short for all nodes but those of the top.  A leaf is a range of bodies, so any
 * bucket costs the same; its bodies are linked in the order of their keys.
 *
 * Bytes per body: 36 for box and keys, 8 + 8 * 24 for the sort, 28 to count and sum up, 24 for
 * links read in order, and each node twice (0.48 * 64): 320, which at 4.3 TB/s bounds it at 13 G
 * insertions/s.  On an H200 9 to 11 are to be expected: the sort runs at four fifths of copy
 * bandwidth.  Three of its passes serve bodies closer than 2^-13 of the box alone: lf-shared does
 * without.
 */
#include "cuda/octree/parts/linear.h"

enum {
	BLOCK = GPU_BLOCK(256),
	CLEAR_BLOCKS = 8, /* per multiprocessor */
};

struct state {
	struct octree_arrays arrays; /* first: common.h takes a state as one of these */
	struct octree_sorted sorted;
};

/* A grid that strides over the nodes there are. */
static __global__ void clear_kernel(struct octree_tree tree)
{
	const size_t nodes = tree.counters->exhausted ? 0 : tree.counters->taken;

	for (size_t k = (size_t)blockIdx.x * BLOCK + threadIdx.x; k < nodes;
	     k += (size_t)gridDim.x * BLOCK)
		octree_clear_node(tree.child[k]);
}

/* The first body that shares `level` digits with body i. */
static __device__ __forceinline__ size_t first_of(const struct octree_linear *l, size_t i,
						  int level)
{
	const int shift = 3 * (OCTREE_LEVELS - level);
	const uint64_t cell = l->keys[i] >> shift;
	size_t inside = i, step = 1;

	while (step <= inside && l->keys[inside - step] >> shift == cell) {
		inside -= step;
		step *= 2;
	}
	for (; step > 0; step /= 2) {
		if (step <= inside && l->keys[inside - step] >> shift == cell)
			inside -= step;
	}
	return inside;
}

/* The slot of body i's key in the node of that level. */
static __device__ __forceinline__ int32_t *slot_of(const struct octree_linear *l,
						   const struct octree_tree *tree, size_t i,
						   int level)
{
	const size_t first = first_of(l, i, level);

	return &tree->child[linear_node(l, first, level)][octree_digit(l->keys[i], level)];
}

/* The level of the deepest node that holds body i: the most levels that a run of bucket + 1 bodies
 * with i among them shares.  reach: of the body `bucket` places before the block's first, and on.
 */
static __device__ __forceinline__ int deepest_of(const signed char *reach, size_t bucket)
{
	int deepest = 0;

	for (size_t k = 0; k <= bucket; k++)
		deepest = max(deepest, (int)reach[threadIdx.x + k]);
	return deepest;
}

/* One thread per body. */
static __global__ void link_kernel(struct octree_linear l, const uint32_t *numbers,
				   struct octree_tree tree)
{
	SHARED_ARRAY(signed char, reach, BLOCK + (int)OCTREE_MAX_BUCKET);
	const size_t first = (size_t)blockIdx.x * BLOCK, i = first + threadIdx.x;

	if (tree.counters->exhausted)
		return;
	for (size_t k = threadIdx.x; k < BLOCK + l.bucket; k += BLOCK) {
		const size_t j = first + k; /* bucket places too far */

		reach[k] = (signed char)(j >= l.bucket && j - l.bucket < l.count
						 ? linear_reach(&l, j - l.bucket)
						 : -1);
	}
	__syncthreads();
	if (i >= l.count)
		return;

	const int before = linear_before(&l, i);
	const int deepest = deepest_of(reach, l.bucket);
	const int leaf = deepest + 1; /* its level */

	for (int level = before + 1; level <= (int)reach[threadIdx.x + l.bucket]; level++) {
		const uint32_t node = linear_node(&l, i, level);

		if (level > before + 1)
			tree.child[node - 1][octree_digit(l.keys[i], level - 1)] = (int32_t)node;
		else if (level > 0)
			*slot_of(&l, &tree, i, level - 1) = (int32_t)node;
	}
	if (i == 0 || octree_shared_digits(l.keys[i - 1], l.keys[i]) < leaf)
		*slot_of(&l, &tree, i, deepest) = octree_body((int32_t)numbers[i]);
	if (i + 1 < l.count && octree_shared_digits(l.keys[i], l.keys[i + 1]) >= leaf)
		tree.next[numbers[i]] = (int32_t)numbers[i + 1];
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)octree_arrays_create(&s->arrays, input, false, err);
	return sorted_create(&s->sorted, s->arrays.count, 0, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	struct octree_arrays *const a = &s->arrays;
	const struct octree_linear linear = { s->sorted.keys, s->sorted.base, a->count,
					      (size_t)a->input->bucket, OCTREE_DEEPEST };

	if (octree_queue_start(a, s->sorted.numbers_in, timer, err) != GB_OK || a->count == 0)
		return err->code;
	if (sorted_sort(&s->sorted, a, timer, err) != GB_OK)
		return err->code;
	gb_phase(timer, "link");
	if (linear_number(&linear, a->tree, s->sorted.scan_temp, err) != GB_OK)
		return err->code;
	gb_phase(timer, "clear");
	GPU_LAUNCH(clear_kernel, (unsigned)gpu_sm_count() * CLEAR_BLOCKS, BLOCK, 0, gpu_stream(),
		   a->tree);
	if (!CUDA_OK(err, cudaGetLastError()))
		return err->code;
	gb_phase(timer, "link");
	GPU_LAUNCH(link_kernel, (unsigned)(a->count / BLOCK + (a->count % BLOCK != 0)), BLOCK, 0,
		   gpu_stream(), linear, s->sorted.numbers, a->tree);
	return CUDA_OK(err, cudaGetLastError()) ? GB_OK : err->code;
}

/* See above. */
static double bytes(const void *params, const void *input_)
{
	const struct octree_input *input = (const struct octree_input *)input_;

	return octree_bytes(params, input_) + (double)input->count * (4 + 200 + 28 + 24 - 8) +
	       (double)input->tree.nodes * 32;
}

const struct gb_variant_ops octree_cuda_morton = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = octree_upload,
	.reset = octree_reset,
	.run = run,
	.download = octree_download,
	.bytes = bytes,
	.flags = GB_REPEATABLE,
};
