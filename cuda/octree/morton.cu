/* morton.cu -- step 4 of 4: sort all bodies, then make every node and link at once.
 *
 * Nodes and links take no atomics.
 *
 *	keys   words of the topmost of 63 bits, and of the body's number
 *	sort   the words by 40 bits, in 5 passes over one word instead of 8 over key and number;
 *	       then mend the order of bodies that share these bits (sort_words.h)
 *	link   count the nodes that each body starts, sum up and clear these nodes (shared/linear.h);
 *	       then one thread per body enters the nodes it starts into their parents, and the
 *	       leaf it starts into its node
 *	tiles  for many bodies, in place of mend and link: a block does both for a tile of bodies
 *	       in shared memory (shared/tile.h).  If a long run is not in order, mend and link
 *	       follow; otherwise their launches end at once
 *
 * A parent that an earlier body started is found by searching back through the sorted keys in
 * doubling steps; the search is short for all but the topmost nodes.  A body needs one search: for
 * the node above its topmost one if it starts any, else for the node above its leaf.  A leaf is a
 * range of bodies linked in the order of their keys, so any bucket costs the same.
 *
 * Bytes per body: 40 for box, words, rest and cleared links, 5 * 16 for the sort, 20 for the mend,
 * 12 to count and sum up, and 24 for links read in order; and 64 per node, which is written twice.
 * A body in a run takes a sector more.  Bound: memory bandwidth.
 *
 * cpu/morton sorts by all 63 bits, cell by cell in a core's cache, and makes the same tree in the
 * same steps.  A low digit costs no pass over memory there, so it needs no mend.
 */
#include "cuda/octree/shared/tile.h"

enum { BLOCK = 256, MOST_NUMBER_BITS = 25 };

struct state {
	octree_arrays arrays; /* first: shared operations cast a state to it */
	gpu_words words;
	uint32_t *base;     /* rest, then numbers of the merges, then linear.h's base */
	octree_tiles tiles; /* if words.again */
};

/* Words of more bodies show so few digits that long runs would be common. */
static bool is_tiled(const gpu_words *w)
{
	return w->count >= gpu_sort_limits.tiles && w->number_bits <= MOST_NUMBER_BITS;
}

/* Makes the words, and keys for the mend. */
struct octree_worded {
	octree_bodies bodies;
	uint64_t *words;
	int number_bits;
	int32_t *next;
	uint32_t *rest; /* by body: the bits of its key that its word lacks */

	__device__ __forceinline__ uint64_t whole(size_t i, uint64_t part) const
	{
		return part | rest[i];
	}

	__device__ __forceinline__ uint64_t make(size_t i) const
	{
		const uint64_t key = bodies.key(i);

		next[i] = -1;
		rest[i] = gpu_word_rest(number_bits, key);
		return words[i] = gpu_word(number_bits, key, i);
	}
};

/* The slot of body i's key in the node of that level. */
static __device__ __forceinline__ int32_t *slot_of(const octree_linear *l, const octree_tree *tree,
						   uint32_t i, int level)
{
	const uint32_t first = linear_first(l->keys, i, level);

	return &tree->child[linear_node(l, first, level)][octree_digit(l->keys[i], level)];
}

/* common_bucket of the body `bucket` places before i; -1 if there is none. */
static __device__ __forceinline__ signed char common_bucket_of(const octree_linear *l, uint32_t i,
							       uint32_t bucket)
{
	return (signed char)(i >= bucket && i - bucket < l->count
				     ? linear_common_bucket(l, i - bucket)
				     : -1);
}

/* Link the bodies from block * BLOCK on, one thread per body. */
static __device__ __forceinline__ void link_bodies(const octree_linear &l, const uint32_t *numbers,
						   const octree_tree &tree,
						   signed char *common_bucket, uint32_t block)
{
	const uint32_t i = block * BLOCK + threadIdx.x;

	/* 1. Down to which levels do this body and those just before it start nodes? */
	common_bucket[threadIdx.x] = common_bucket_of(&l, i, l.bucket);
	if (threadIdx.x < l.bucket)
		common_bucket[threadIdx.x + BLOCK] = common_bucket_of(&l, i + BLOCK, l.bucket);
	__syncthreads();
	if (i >= l.count)
		return;

	const uint64_t key = l.keys[i];
	const int common_before = i == 0 ? -1 : octree_shared_digits(l.keys[i - 1], key);
	const int above = min(common_before, l.deepest); /* level above its topmost node */
	const int last = common_bucket[threadIdx.x + l.bucket];
	const bool starts = last > above; /* nodes of levels above + 1 .. last */
	const int leaf = starts ? last : linear_leaf_level(&common_bucket[threadIdx.x], l.bucket);
	const uint32_t number = numbers[i];
	int32_t value = octree_body((int32_t)number);

	/* 2. Enter into each node the next one; into the last, the body. */
	if (starts) {
		const int32_t first = (int32_t)l.base[i];

		for (int level = above + 1; level <= last; level++) {
			const int32_t node = first + (level - above - 1);

			tree.child[node][octree_digit(key, level)] =
				level < last ? node + 1 : value;
		}
		value = first;
	}

	/* 3. Enter the topmost node, or the leaf if it starts here, into the node above. */
	if (starts ? above >= 0 : common_before <= leaf)
		*slot_of(&l, &tree, i, starts ? above : leaf) = value;

	/* 4. The next body is in the same leaf if they share more digits than its level. */
	if (i + 1 < l.count && octree_shared_digits(key, l.keys[i + 1]) > leaf)
		tree.next[number] = (int32_t)numbers[i + 1];
}

/* One thread per body. */
static __global__ void link_kernel(octree_linear l, const uint32_t *numbers, octree_tree tree)
{
	__shared__ signed char common_bucket[BLOCK + (int)OCTREE_MAX_BUCKET];

	if (!tree.counters->exhausted)
		link_bodies(l, numbers, tree, common_bucket, blockIdx.x);
}

/* The same by any number of blocks if a run is in disorder. */
static __global__ void link_again_kernel(octree_linear l, const uint32_t *numbers, octree_tree tree)
{
	__shared__ signed char common_bucket[BLOCK + (int)OCTREE_MAX_BUCKET];

	if (!l.again->disorder || tree.counters->exhausted)
		return;
	for (uint32_t k = blockIdx.x; (size_t)k * BLOCK < l.count; k += gridDim.x) {
		link_bodies(l, numbers, tree, common_bucket, k);
		__syncthreads();
	}
}

static enum gb_status create(state *s, const void *params, const octree_input *input,
			     struct gb_error *err)
{
	octree_arrays *const a = &s->arrays;
	gpu_words *const w = &s->words;

	(void)octree_arrays_create(a, input, false, err);
	*w = gpu_words_of(a->count);
	w->staged = gpu_words_can_stage(w);
	(void)gpu_alloc(&w->row.keys, a->count, err);
	(void)gpu_alloc(&w->row.numbers, a->count, err);
	(void)gpu_alloc(&w->sorted, a->count, err);
	(void)gpu_alloc(&w->spare.keys, a->count, err);
	(void)gpu_alloc(&w->long_runs, a->count / SHORT_RUN + 1, err);
	(void)gpu_alloc(&s->base, a->count, err);
	w->spare.numbers = s->base;
	w->again = is_tiled(w);
	if (w->again) {
		s->tiles.count = (uint32_t)gpu_blocks(a->count, TILE_BODIES);
		(void)gpu_alloc(&s->tiles.first_key, s->tiles.count, err);
		(void)gpu_alloc(&s->tiles.boundary, s->tiles.count, err);
	}
	return linear_create(
		a, gpu_words_temp_bytes(w) + (w->again ? octree_tiles_chain_bytes(&s->tiles) : 0),
		err);
}

/* Make the tree from the sorted words, unless a long run is in disorder. */
static enum gb_status link_tiles(state *s, struct gb_error *err)
{
	octree_tiles *const t = &s->tiles;

	t->words = s->words;
	t->rest = s->base;
	t->tree = s->arrays.tree;
	t->chain = (uint64_t *)(void *)((char *)s->arrays.temp + gpu_words_temp_bytes(&s->words));
	tile_kernel<<<t->count, TILE_BLOCK, 0, gpu_stream()>>>(*t);
	boundary_kernel<<<gpu_blocks(t->count, BOUNDARY_BLOCK / WARP), BOUNDARY_BLOCK, 0,
			  gpu_stream()>>>(*t);
	return CUDA_TRY(err, cudaGetLastError());
}

static enum gb_status run(state *s, struct gb_timer *timer, struct gb_error *err)
{
	const octree_arrays *const a = &s->arrays;
	gpu_words *const w = &s->words;
	const octree_worded worded = { octree_bodies_of(a), w->row.keys, w->number_bits,
				       a->tree.next, s->base };
	const size_t blocks = gpu_blocks(a->count, BLOCK);
	octree_linear linear = { w->row.keys, s->base, a->count, (size_t)a->input->bucket,
				 OCTREE_DEEPEST };

	if (octree_queue_box(a, timer, err) || a->count == 0)
		return err->code;
	w->runs = &a->tree.counters->runs;
	if (w->again)
		linear.again = w->runs;
	gb_phase(timer, "keys");
	if (gpu_words_make(w, worded, a->temp, err) != GB_OK)
		return err->code;
	gb_phase(timer, "sort");
	if (gpu_words_sort(w, a->temp, err) || (!w->again && gpu_words_fix_ties(w, worded, err)))
		return err->code;
	gb_phase(timer, "link");
	if (w->again && (link_tiles(s, err) || gpu_words_fix_ties_again(w, worded, err)))
		return err->code;
	if (linear_number(&linear, a, true, err) != GB_OK)
		return err->code;
	if (w->again)
		link_again_kernel<<<gpu_resident_blocks(link_again_kernel, BLOCK, 0, blocks), BLOCK,
				    0, gpu_stream()>>>(linear, w->row.numbers, a->tree);
	else
		link_kernel<<<blocks, BLOCK, 0, gpu_stream()>>>(linear, w->row.numbers, a->tree);
	return CUDA_TRY(err, cudaGetLastError());
}

/* long_runs: runs of more than SHORT_RUN bodies; disorder: 1 if one of them, or with tiles one of
 * more than TILE_RUN, was not in order. */
static void metrics(const octree_arrays *a, struct gb_metrics *metrics)
{
	gb_metric(metrics, "long_runs", a->last.runs.count);
	gb_metric(metrics, "disorder", a->last.runs.disorder);
}

/* Derived in the heads of this file and of shared/tile.h. */
static double bytes(const void *params, const octree_input *input)
{
	const gpu_words words = gpu_words_of(input->count);
	const double n = (double)input->count, nodes = (double)input->tree.nodes;
	const double sorted = octree_bytes(params, input) + (40 + 80 - 40) * n;

	return is_tiled(&words) ? sorted + 8 * n : sorted + (20 + 12 + 24) * n + 32 * nodes;
}

extern "C" const struct gb_variant_ops octree_cuda_morton =
	octree_ops<state, create, run, bytes, metrics>();
