/* sorted.h -- the bodies in the order of their keys: a sort by the topmost bits, then a mend.
 *
 *	words  from the keys: as many topmost bits of the key as there is room for, and below them
 *	       the body's number: one word of 64 bits in place of a key and a value
 *	sort   by the topmost 40 bits, in 5 passes; 16384 bodies or fewer by 32, in 4
 *	mend   bodies that share all digits that the sort covers completely form a run.  Bodies of
 *	       a run of up to 32 count the smaller ones beside them, in shared memory, to find
 *	       their places; only runs make keys anew, from the bodies' positions
 *	long   longer runs, if one is not in order: a block merges each, up to 4096 bodies; if one
 *	       is longer still, the whole grid merges all bodies.  Otherwise it ends at once
 *
 * A body that shares fewer digits with both neighbours is a leaf by the digits that the sort
 * covers.  The lower bits of its key are never read, and are 0 in `keys`.
 *
 * With 40 bits, a run is bodies closer than 2^-13 of the box, which are few in Plummer's sphere.
 * Bodies at one place are a run in order.  Thousands of bodies in two cells of that size are slower
 * than a full sort, because each round of the grid's merge takes as long as a pass.  The host does
 * not wait for this decision, and other inputs pay only for a launch that ends at once.  The
 * launches of a second sort would cost more than the saved passes.  Words of n bodies have room for
 * 64 - log2 n bits: 2^30 bodies are sorted by 34.
 */
#ifndef GPUBENCH_CUDA_OCTREE_PARTS_SORTED_H
#define GPUBENCH_CUDA_OCTREE_PARTS_SORTED_H

#include "cuda/octree/parts/linear.h"

enum {
	MEND_BLOCK = 512,
	/* Most bodies of a run that is ordered in shared memory, and of one that a block orders. */
	SHORT_RUN = MEND_BLOCK < 512 ? 16 : 32,
	MEDIUM_RUN = 4096,
	MEND_BODIES = MEND_BLOCK - 2 * SHORT_RUN,
	MERGE_BLOCK = 256,
	FEW_BODIES_SORTED = 1 << 14, /* up to this many, 32 bits suffice */
};

/* Bodies in order, or partly so. */
struct octree_row {
	uint64_t *keys;
	uint32_t *numbers;
};

struct octree_sorted {
	struct octree_row row;         /* the result; before the sort, keys are words */
	uint64_t *words, *words_spare; /* sorted; spare of the sort, then keys of the merges */
	uint32_t *base;                /* numbers of the merges, then linear.h's base */
	uint32_t *long_runs;           /* first body of each long run */
	struct octree_words form;
	int sorted_bits; /* topmost bits of a word that are sorted */
};

static inline enum gb_status sorted_create(struct octree_sorted *s, struct octree_arrays *a,
					   struct gb_error *err)
{
	const size_t count = a->count;
	const int wanted = count <= FEW_BODIES_SORTED ? 32 : 40;

	s->form = octree_words_of(count);
	s->sorted_bits = min(wanted, 64 - s->form.number_bits);
	(void)gpu_alloc(&s->row.keys, count, err);
	s->form.word = s->row.keys;
	(void)gpu_alloc(&s->row.numbers, count, err);
	(void)gpu_alloc(&s->words, count, err);
	(void)gpu_alloc(&s->words_spare, count, err);
	(void)gpu_alloc(&s->base, count, err);
	(void)gpu_alloc(&s->long_runs, count / SHORT_RUN + 1, err);
	return linear_create(
		a, gpu_sort_temp_bytes(GPU_KEY_U64, false, count, 64 - s->sorted_bits, 64), err);
}

/* Arguments of the kernels. */
struct octree_mend {
	const uint64_t *words;
	const float *x, *y, *z; /* by body number */
	const struct octree_box *box;
	struct octree_row row, spare;
	uint32_t *long_runs;
	struct octree_counters *counters;
	size_t count;
	struct octree_words form;
	uint64_t run_step; /* words that differ by less are in a run; a power of two */
};

/* ---- short runs --------------------------------------------------------------------------- */

struct mend_shared {
	uint64_t keys[MEND_BLOCK]; /* keys of bodies in a run */
	/* Bit k: thread k's body is in a run with the one before. */
	uint32_t joined[MEND_BLOCK / WARP + 1];
};

/* Bits k .. k + 31 of joined. */
static __device__ __forceinline__ uint32_t joined_from(const struct mend_shared *s, unsigned k)
{
	const uint64_t both = (uint64_t)s->joined[k / WARP + 1] << 32 | s->joined[k / WARP];

	return (uint32_t)(both >> k % WARP);
}

/* True if body i is in a run with the one before it.  All lanes call together. */
static __device__ __forceinline__ bool is_joined(const struct octree_mend *m, uint32_t i,
						 uint64_t word)
{
	uint64_t last = __shfl_up_sync(ALL_LANES, word, 1);

	if (i == 0 || i >= m->count)
		return false;
	if (threadIdx.x % WARP == 0)
		last = m->words[i - 1];
	return (last ^ word) < m->run_step;
}

/* The number of places that thread k's body has to move forward in its run. */
static __device__ __forceinline__ int moved(const uint64_t *keys, uint64_t key, int k, int before,
					    int after)
{
	int by = 0;

	GPU_NO_UNROLL
	for (int j = k - before; j < k; j++)
		by -= keys[j] > key;
	GPU_NO_UNROLL
	for (int j = k + 1; j <= k + after; j++)
		by += keys[j] < key;
	return by;
}

/* One thread per body, and SHORT_RUN more on either side of the block's bodies. */
static __global__ void __launch_bounds__(MEND_BLOCK) mend_kernel(struct octree_mend m)
{
	SHARED_VAR(struct mend_shared, s);
	const unsigned k = threadIdx.x;
	uint32_t i = blockIdx.x * MEND_BODIES + k - SHORT_RUN;
	const uint64_t word = i < m.count ? m.words[i] : 0;
	const uint32_t number = octree_word_number(m.form, word);
	const uint32_t joined = __ballot_sync(ALL_LANES, is_joined(&m, i, word));
	uint64_t key = octree_word_key(m.form, word);

	if (k % WARP == 0)
		s.joined[k / WARP] = joined;
	if (k == 0)
		s.joined[MEND_BLOCK / WARP] = 0;
	__syncthreads();
	if (joined_from(&s, k) & 3)
		s.keys[k] = key = octree_key(m.box, m.x[number], m.y[number], m.z[number]);
	__syncthreads();
	if (k < SHORT_RUN || k >= MEND_BLOCK - SHORT_RUN || i >= m.count)
		return;

	/* Neighbours in the run, at most SHORT_RUN on each side. */
	const uint32_t down = joined_from(&s, k - (SHORT_RUN - 1)) << (WARP - SHORT_RUN);
	const uint32_t up = ~joined_from(&s, k + 1);
	const int before = __clz((int)~down);
	const int after = min(up ? __ffs((int)up) - 1 : (int)WARP, (int)SHORT_RUN);

	if (before + after < SHORT_RUN) {
		i += (uint32_t)moved(s.keys, key, (int)k, before, after);
	} else {
		if (before == 0)
			m.long_runs[atomicAdd(&m.counters->long_runs, 1u)] = i;
		else if (s.keys[k - 1] > key)
			gpu_st_relaxed(&m.counters->disorder, 1);
	}
	m.row.keys[i] = key;
	m.row.numbers[i] = number;
}

/* ---- long runs ---------------------------------------------------------------------------- */

/* The number of the ascending keys begin .. end - 1 that are below `key`, or not above it if
 * `equal`. */
static __device__ __forceinline__ size_t keys_below(const uint64_t *keys, size_t begin, size_t end,
						    uint64_t key, bool equal)
{
	size_t low = begin;

	while (low < end) {
		const size_t middle = low + (end - low) / 2;

		if (keys[middle] < key || (equal && keys[middle] == key))
			low = middle + 1;
		else
			end = middle;
	}
	return low - begin;
}

/* Bodies begin .. end - 1 ascend in pieces of `width`; merge these in pairs.  A thread takes every
 * `step`th body, from begin + self on. */
static __device__ __forceinline__ void merge_round(const struct octree_row *from,
						   const struct octree_row *to, size_t begin,
						   size_t end, size_t width, size_t self,
						   size_t step)
{
	for (size_t i = begin + self; i < end; i += step) {
		const size_t left = i - ((i - begin) & (2 * width - 1));
		const size_t right = min(left + width, end), last = min(left + 2 * width, end);
		const uint64_t key = from->keys[i];
		size_t place = i;

		if (right < last && from->keys[right - 1] > from->keys[right])
			place = i < right ? i + keys_below(from->keys, right, last, key, false)
					  : i - (right - left) +
						    keys_below(from->keys, left, right, key, true);
		to->keys[place] = key;
		to->numbers[place] = from->numbers[i];
	}
}

/* The end of the run that begins at `first`, or a place after first + MEDIUM_RUN. */
static __device__ __forceinline__ size_t end_of_run(const struct octree_mend *m, size_t first)
{
	const uint64_t word = m->words[first];
	size_t end = first;
	int found;

	do {
		const size_t i = end + threadIdx.x;

		found = __syncthreads_count(i < m->count && (m->words[i] ^ word) < m->run_step);
		end += (size_t)found;
	} while (found == MERGE_BLOCK && end <= first + MEDIUM_RUN);
	return end;
}

/* Rounds come in pairs, so that the result is in m->row. */
static __device__ __forceinline__ void merge_run(const struct octree_mend *m, size_t begin,
						 size_t end)
{
	for (size_t width = 1; width < end - begin; width *= 4) {
		__syncthreads();
		merge_round(&m->row, &m->spare, begin, end, width, threadIdx.x, MERGE_BLOCK);
		__syncthreads();
		merge_round(&m->spare, &m->row, begin, end, 2 * width, threadIdx.x, MERGE_BLOCK);
	}
}

/* All blocks are resident at once. */
static __global__ void __launch_bounds__(MERGE_BLOCK) long_kernel(struct octree_mend m)
{
	const size_t self = (size_t)blockIdx.x * MERGE_BLOCK + threadIdx.x;
	const size_t all = (size_t)gridDim.x * MERGE_BLOCK;

	if (!m.counters->disorder)
		return;
	for (uint32_t r = blockIdx.x; r < m.counters->long_runs; r += gridDim.x) {
		const size_t begin = m.long_runs[r], end = end_of_run(&m, begin);

		if (end - begin <= MEDIUM_RUN)
			merge_run(&m, begin, end);
		else
			gpu_st_relaxed(&m.counters->longer, 1);
	}
	gpu_grid_sync(&m.counters->arrived);
	if (!gpu_ld_relaxed(&m.counters->longer))
		return;
	for (size_t width = 1; width < m.count; width *= 4) {
		merge_round(&m.row, &m.spare, 0, m.count, width, self, all);
		gpu_grid_sync(&m.counters->arrived);
		merge_round(&m.spare, &m.row, 0, m.count, 2 * width, self, all);
		gpu_grid_sync(&m.counters->arrived);
	}
}

/* ---- launches ----------------------------------------------------------------------------- */

static inline enum gb_status mend(const struct octree_sorted *s, const struct octree_arrays *a,
				  struct gb_error *err)
{
	const struct octree_mend m = {
		.words = s->words,
		.x = a->x,
		.y = a->y,
		.z = a->z,
		.box = a->box,
		.row = s->row,
		.spare = { s->words_spare, s->base },
		.long_runs = s->long_runs,
		.counters = a->tree.counters,
		.count = a->count,
		.form = s->form,
		.run_step = (uint64_t)1 << (64 - s->sorted_bits / 3 * 3),
	};
	const size_t blocks = gpu_blocks(a->count, MEND_BODIES);

	if (GPU_RUN(err, mend_kernel, blocks, MEND_BLOCK, m))
		return err->code;
	return GPU_RUN_COOPERATIVE(err, long_kernel,
				   gpu_resident_blocks(long_kernel, MERGE_BLOCK, 0, blocks),
				   MERGE_BLOCK, m);
}

/* Queue the start of a run, and sort the words.  Phases "box", "keys" and "sort". */
static inline enum gb_status sorted_sort(const struct octree_sorted *s,
					 const struct octree_arrays *a, struct gb_timer *timer,
					 struct gb_error *err)
{
	const struct gpu_sort_args args = {
		.key = GPU_KEY_U64,
		.count = a->count,
		.begin_bit = 64 - s->sorted_bits,
		.end_bit = 64,
		.keys_in = s->row.keys,
		.keys_out = s->words,
		.keys_spare = s->words_spare,
		.temp = a->temp,
		.counted = true,
	};

	if (octree_queue_start(a, s->form, &args, timer, err) || a->count == 0)
		return err->code;
	gb_phase(timer, "sort");
	if (gpu_sort(&args, err) != GB_OK)
		return err->code;
	return mend(s, a, err);
}

#endif
