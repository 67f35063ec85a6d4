/* sort_words.h -- sorts keys of 63 bits with their numbers: by the topmost bits, then a mend.
 *
 *	words  from the keys: as many topmost bits of the key as there is room for, and below them
 *	       the key's number: one word of 64 bits in place of a key and a value
 *	sort   by the topmost 40 bits, in 5 passes; 16384 keys or fewer by 32, in 4
 *	mend   keys that share all octal digits that the sort covers completely form a run.  Keys
 *	       of a run of up to 32 count the smaller ones beside them, in shared memory, to find
 *	       their places; only runs look up whole keys, by their numbers
 *	long   longer runs, if one is not in order: a block merges each, up to 4096 keys; if one is
 *	       longer still, the whole grid merges all keys.  Otherwise it ends at once
 *
 * A key that shares fewer digits with both neighbours has 0 in place of its lower bits.  This does
 * not change which digits any two sorted keys share.
 *
 * With 40 bits, a run is places closer than 2^-13 of the box, which are few in Plummer's sphere.
 * Equal keys are a run in order.  Thousands of places in two cells of that size are slower than a
 * full sort, because each round of the grid's merge takes as long as a pass.  The host does not
 * wait for this decision, and other inputs pay only for a launch that ends at once.  The launches
 * of a second sort would cost more than the saved passes.  Words of n keys have room for
 * 64 - log2 n bits: 2^30 keys are sorted by 34.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_SORT_WORDS_H
#define GPUBENCH_CUDA_PRIMITIVES_SORT_WORDS_H

#include "cuda/primitives/sort_count.h"

enum {
	MEND_BLOCK = 512,
	/* Most keys of a run that is ordered in shared memory, and of one that a block orders. */
	SHORT_RUN = MEND_BLOCK < 512 ? 16 : 32,
	MEDIUM_RUN = 4096,
	MEND_KEYS = MEND_BLOCK - 2 * SHORT_RUN,
	MERGE_BLOCK = 256,
	FEW_WORDS = 1 << 14, /* up to this many, 32 bits suffice */
};

/* Keys in order, or partly so, and their numbers. */
struct gpu_row {
	uint64_t *keys;
	uint32_t *numbers;
};

struct gpu_words {
	struct gpu_row row;    /* the result; before the sort, keys are words */
	struct gpu_row spare;  /* keys: spare of the sort; both: of the merges */
	uint64_t *sorted;      /* words */
	uint32_t *long_runs;   /* first key of each long run */
	struct gpu_runs *runs; /* zeroed before a sort */
	size_t count;
	int number_bits;   /* bits of a word for the number: 1 .. 30 */
	int sorted_bits;   /* topmost bits of a word that are sorted */
	uint64_t run_step; /* words that differ by less are in a run; a power of two */
	bool again;        /* mend only if a run is in disorder, as the caller has found */
	bool staged;       /* gpu_sort_can_stage() */
};

/* Only the sizes are set.  long_runs has count / SHORT_RUN + 1 elements, other arrays `count`. */
static inline struct gpu_words gpu_words_of(size_t count)
{
	struct gpu_words w = {};

	w.count = count;
	w.number_bits = 1;
	while ((size_t)1 << w.number_bits < count)
		w.number_bits++;
	w.sorted_bits = min(count <= FEW_WORDS ? 32 : 40, 64 - w.number_bits);
	w.run_step = (uint64_t)1 << (64 - w.sorted_bits / 3 * 3);
	return w;
}

static inline size_t gpu_words_temp_bytes(const struct gpu_words *w)
{
	return gpu_sort_temp_bytes(GPU_KEY_U64, false, w->count, 64 - w->sorted_bits, 64);
}

/* ---- words -------------------------------------------------------------------------------- */

static __device__ __forceinline__ uint64_t gpu_word(int number_bits, uint64_t key, size_t number)
{
	return key >> (number_bits - 1) << number_bits | number;
}

static __device__ __forceinline__ uint32_t gpu_word_number(int number_bits, uint64_t word)
{
	return (uint32_t)word & ((1u << number_bits) - 1);
}

/* The key with its lowest bits 0. */
static __device__ __forceinline__ uint64_t gpu_word_key(int number_bits, uint64_t word)
{
	return word >> number_bits << (number_bits - 1);
}

/* The bits of a key that its word lacks. */
static __device__ __forceinline__ uint32_t gpu_word_rest(int number_bits, uint64_t key)
{
	return (uint32_t)key & ((1u << (number_bits - 1)) - 1);
}

/* ---- short runs --------------------------------------------------------------------------- */

struct mend_shared {
	uint64_t keys[MEND_BLOCK]; /* keys in a run */
	/* Bit k: thread k's key is in a run with the one before. */
	uint32_t joined[MEND_BLOCK / WARP + 1];
};

/* Bits k .. k + 31 of joined. */
static __device__ __forceinline__ uint32_t joined_from(const struct mend_shared *s, unsigned k)
{
	const uint64_t both = (uint64_t)s->joined[k / WARP + 1] << 32 | s->joined[k / WARP];

	return (uint32_t)(both >> k % WARP);
}

/* True if key i is in a run with the one before it.  All lanes call together. */
static __device__ __forceinline__ bool is_joined(const struct gpu_words *w, uint32_t i,
						 uint64_t word)
{
	uint64_t last = __shfl_up_sync(ALL_LANES, word, 1);

	if (i == 0 || i >= w->count)
		return false;
	if (threadIdx.x % WARP == 0)
		last = w->sorted[i - 1];
	return (last ^ word) < w->run_step;
}

/* The number of places that thread k's key has to move forward in its run. */
static __device__ __forceinline__ int moved(const uint64_t *keys, uint64_t key, int k, int before,
					    int after)
{
	int by = 0;

#pragma unroll 1
	for (int j = k - before; j < k; j++)
		by -= keys[j] > key;
#pragma unroll 1
	for (int j = k + 1; j <= k + after; j++)
		by += keys[j] < key;
	return by;
}

/* Mend the keys from block * MEND_KEYS on, one thread per key, and SHORT_RUN more on either
 * side. */
template <class SOURCE>
static __device__ __forceinline__ void mend(struct mend_shared *s, const struct gpu_words &w,
					    SOURCE source, uint32_t block)
{
	const unsigned k = threadIdx.x;
	uint32_t i = block * MEND_KEYS + k - SHORT_RUN;
	const uint64_t word = i < w.count ? w.sorted[i] : 0;
	const uint32_t number = gpu_word_number(w.number_bits, word);
	const uint32_t joined = __ballot_sync(ALL_LANES, is_joined(&w, i, word));
	uint64_t key = gpu_word_key(w.number_bits, word);

	if (k % WARP == 0)
		s->joined[k / WARP] = joined;
	if (k == 0)
		s->joined[MEND_BLOCK / WARP] = 0;
	__syncthreads();
	if (joined_from(s, k) & 3)
		s->keys[k] = key = source.whole(number, key);
	__syncthreads();
	if (k < SHORT_RUN || k >= MEND_BLOCK - SHORT_RUN || i >= w.count)
		return;

	/* Neighbours in the run, at most SHORT_RUN on each side. */
	const uint32_t down = joined_from(s, k - (SHORT_RUN - 1)) << (WARP - SHORT_RUN);
	const uint32_t up = ~joined_from(s, k + 1);
	const int before = __clz((int)~down);
	const int after = min(up ? __ffs((int)up) - 1 : (int)WARP, (int)SHORT_RUN);

	if (before + after < SHORT_RUN) {
		i += (uint32_t)moved(s->keys, key, (int)k, before, after);
	} else {
		if (before == 0)
			w.long_runs[atomicAdd(&w.runs->count, 1u)] = i;
		else if (s->keys[k - 1] > key)
			gpu_st_relaxed(&w.runs->disorder, 1);
	}
	w.row.keys[i] = key;
	w.row.numbers[i] = number;
}

/* One block per MEND_KEYS keys. */
template <class SOURCE>
static __global__ void __launch_bounds__(MEND_BLOCK) mend_kernel(struct gpu_words w, SOURCE source)
{
	__shared__ struct mend_shared s;

	mend(&s, w, source, blockIdx.x);
}

/* The same by any number of blocks if a run is in disorder. */
template <class SOURCE>
static __global__ void __launch_bounds__(MEND_BLOCK)
	mend_again_kernel(struct gpu_words w, SOURCE source)
{
	__shared__ struct mend_shared s;

	if (!gpu_ld_relaxed(&w.runs->disorder))
		return;
	for (uint32_t k = blockIdx.x; (size_t)k * MEND_KEYS < w.count; k += gridDim.x) {
		mend(&s, w, source, k);
		__syncthreads();
	}
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

/* Keys begin .. end - 1 ascend in pieces of `width`; merge these in pairs.  A thread takes every
 * `step`th key, from begin + self on. */
static __device__ __forceinline__ void merge_round(const struct gpu_row *from,
						   const struct gpu_row *to, size_t begin,
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
static __device__ __forceinline__ size_t end_of_run(const struct gpu_words *w, size_t first)
{
	const uint64_t word = w->sorted[first];
	size_t end = first;
	int found;

	do {
		const size_t i = end + threadIdx.x;

		found = __syncthreads_count(i < w->count && (w->sorted[i] ^ word) < w->run_step);
		end += (size_t)found;
	} while (found == MERGE_BLOCK && end <= first + MEDIUM_RUN);
	return end;
}

/* Rounds come in pairs, so that the result is in w->row. */
static __device__ __forceinline__ void merge_run(const struct gpu_words *w, size_t begin,
						 size_t end)
{
	for (size_t width = 1; width < end - begin; width *= 4) {
		__syncthreads();
		merge_round(&w->row, &w->spare, begin, end, width, threadIdx.x, MERGE_BLOCK);
		__syncthreads();
		merge_round(&w->spare, &w->row, begin, end, 2 * width, threadIdx.x, MERGE_BLOCK);
	}
}

/* All blocks are resident at once. */
static __global__ void __launch_bounds__(MERGE_BLOCK) long_kernel(struct gpu_words w)
{
	const size_t self = (size_t)blockIdx.x * MERGE_BLOCK + threadIdx.x;
	const size_t all = (size_t)gridDim.x * MERGE_BLOCK;

	if (!w.runs->disorder)
		return;
	for (uint32_t r = blockIdx.x; r < w.runs->count; r += gridDim.x) {
		const size_t begin = w.long_runs[r], end = end_of_run(&w, begin);

		if (end - begin <= MEDIUM_RUN)
			merge_run(&w, begin, end);
		else
			gpu_st_relaxed(&w.runs->longer, 1);
	}
	gpu_grid_sync(&w.runs->arrived);
	if (!gpu_ld_relaxed(&w.runs->longer))
		return;
	for (size_t width = 1; width < w.count; width *= 4) {
		merge_round(&w.row, &w.spare, 0, w.count, width, self, all);
		gpu_grid_sync(&w.runs->arrived);
		merge_round(&w.spare, &w.row, 0, w.count, 2 * width, self, all);
		gpu_grid_sync(&w.runs->arrived);
	}
}

/* ---- launches ----------------------------------------------------------------------------- */

static inline struct gpu_sort_args gpu_words_args(const struct gpu_words *w, void *temp)
{
	return {
		.key = GPU_KEY_U64,
		.count = w->count,
		.begin_bit = 64 - w->sorted_bits,
		.end_bit = 64,
		.keys_in = w->row.keys,
		.keys_out = w->sorted,
		.keys_spare = w->spare.keys,
		.temp = temp,
		.staged = w->staged,
		.counted = true,
	};
}

/* First make the words: source.make(i) returns word i and stores it in row.keys.  temp and runs are
 * zero. */
template <class SOURCE>
static inline enum gb_status gpu_words_make(const struct gpu_words *w, SOURCE source, void *temp,
					    struct gb_error *err)
{
	const struct gpu_sort_args args = gpu_words_args(w, temp);

	return gpu_sort_count<key_u64>(&args, source, err);
}

/* Then sort them: w->sorted. */
static inline enum gb_status gpu_words_sort(const struct gpu_words *w, void *temp,
					    struct gb_error *err)
{
	const struct gpu_sort_args args = gpu_words_args(w, temp);

	return gpu_sort(&args, err);
}

static inline enum gb_status gpu_words_mend_long(const struct gpu_words *w, struct gb_error *err)
{
	const unsigned blocks =
		gpu_resident_blocks(long_kernel, MERGE_BLOCK, 0, gpu_blocks(w->count, MEND_KEYS));

	return CUDA_TRY(
		err, gpu_launch_cooperative(long_kernel, blocks, MERGE_BLOCK, 0, gpu_stream(), *w));
}

/* Then put the keys of runs in order: w->row.  source.whole(i, part) returns key i, whose upper
 * bits are `part`. */
template <class SOURCE>
static inline enum gb_status gpu_words_mend(const struct gpu_words *w, SOURCE source,
					    struct gb_error *err)
{
	mend_kernel<<<gpu_blocks(w->count, MEND_KEYS), MEND_BLOCK, 0, gpu_stream()>>>(*w, source);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	return gpu_words_mend_long(w, err);
}

/* The same if w->runs says that one is in disorder. */
template <class SOURCE>
static inline enum gb_status gpu_words_mend_again(const struct gpu_words *w, SOURCE source,
						  struct gb_error *err)
{
	const unsigned blocks = gpu_resident_blocks(mend_again_kernel<SOURCE>, MEND_BLOCK, 0,
						    gpu_blocks(w->count, MEND_KEYS));

	mend_again_kernel<<<blocks, MEND_BLOCK, 0, gpu_stream()>>>(*w, source);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	return gpu_words_mend_long(w, err);
}

#endif
