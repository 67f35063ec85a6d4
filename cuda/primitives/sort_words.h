/* sort_words.h -- sorts keys of 63 bits with their numbers: by the topmost bits, then fixes ties.
 *
 *	words  from the keys: as many topmost bits of the key as there is room for, and below them
 *	       the key's number: one word of 64 bits in place of a key and a value
 *	sort   by the topmost 40 bits, in 5 passes; 16384 keys or fewer by 32, in 4
 *	ties   keys that share all octal digits that the sort covers completely form a run.  The
 *	       length of a run decides how it is sorted by the whole keys, which are looked up by
 *	       their numbers for keys in runs only:
 *	         up to 32 keys    rank sort: each key counts the smaller ones beside it, in shared
 *	                          memory (rank_run)
 *	         up to 4096       merge sort by a block (merge_run)
 *	         more             merge sort of all keys by the whole grid (merge_ties_kernel)
 *	       If no run of more than 32 keys is out of order, the kernel that merges ends at once.
 *
 * A key that is in no run has 0 in place of its lower bits.  This does not change which digits any
 * two sorted keys share.
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
	SHORT_RUN = 32,    /* keys of a run that is sorted by rank */
	MEDIUM_RUN = 4096, /* keys of a run that a block merges */
	TIES_BLOCK = 512,
	TIES_TILE = TIES_BLOCK - 2 * SHORT_RUN, /* keys of a block but for its neighbours' */
	MERGE_BLOCK = 256,
	FEW_WORDS = 1 << 14, /* up to this many, 32 bits suffice */
};

/* Keys in order, or partly so, and their numbers. */
struct gpu_row {
	uint64_t *keys;
	uint32_t *numbers;
};

struct gpu_words {
	gpu_row row;         /* the result; before the sort, keys are words */
	gpu_row spare;       /* keys: spare of the sort; both: of the merges */
	uint64_t *sorted;    /* words */
	uint32_t *long_runs; /* first key of each long run */
	gpu_runs *runs;      /* zeroed before a sort */
	size_t count;
	int number_bits;   /* bits of a word for the number: 1 .. 30 */
	int sorted_bits;   /* topmost bits of a word that are sorted */
	uint64_t run_step; /* words that differ by less are in a run; a power of two */
	bool again;        /* fix ties only if a run is in disorder, as the caller has found */
	bool staged;       /* gpu_words_can_stage() */
};

/* Only the sizes are set.  long_runs has count / SHORT_RUN + 1 elements, other arrays `count`. */
static inline gpu_words gpu_words_of(size_t count)
{
	gpu_words w = {};

	w.count = count;
	w.number_bits = 1;
	while ((size_t)1 << w.number_bits < count)
		w.number_bits++;
	w.sorted_bits = min(count <= FEW_WORDS ? 32 : 40, 64 - w.number_bits);
	w.run_step = (uint64_t)1 << (64 - w.sorted_bits / 3 * 3);
	return w;
}

static inline gpu_sort_args gpu_words_args(const gpu_words *w, void *temp)
{
	return {
		.count = w->count,
		.key_size = sizeof(uint64_t),
		.begin_bit = 64 - w->sorted_bits,
		.end_bit = 64,
		.keys_in = w->row.keys,
		.out = w->sorted,
		.spare = w->spare.keys,
		.temp = temp,
		.staged = w->staged,
		.counted = true,
	};
}

static inline size_t gpu_words_temp_bytes(const gpu_words *w)
{
	const gpu_sort_args args = gpu_words_args(w, NULL);

	return gpu_sort_temp_bytes(&args);
}

static inline bool gpu_words_can_stage(const gpu_words *w)
{
	const gpu_sort_args args = gpu_words_args(w, NULL);

	return gpu_sort_can_stage(&args);
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

/* ---- rank sort of short runs --------------------------------------------------------------- */

struct ties_shared {
	uint64_t keys[TIES_BLOCK]; /* keys in a run */
	/* Bit k: thread k's key is tied to the one before it. */
	uint32_t tied[TIES_BLOCK / WARP + 1];
};

/* Bits k .. k + 31 of tied. */
static __device__ __forceinline__ uint32_t tied_from(const ties_shared *s, unsigned k)
{
	return __funnelshift_r(s->tied[k / WARP], s->tied[k / WARP + 1], k % WARP);
}

/* True if key i is in a run with the one before it.  All lanes call together. */
static __device__ __forceinline__ bool is_tied(const gpu_words *w, uint32_t i, uint64_t word)
{
	uint64_t previous = __shfl_up_sync(ALL_LANES, word, 1);

	if (i == 0 || i >= w->count)
		return false;
	if (threadIdx.x % WARP == 0)
		previous = w->sorted[i - 1];
	return (previous ^ word) < w->run_step;
}

/* The rank of key k in its run minus its present position there.  `before` and `after` keys of the
 * run are before and after it. */
static __device__ __forceinline__ int rank_run(const uint64_t *keys, uint64_t key, int k,
					       int before, int after)
{
	int distance = 0;

#pragma unroll 1
	for (int j = k - before; j < k; j++)
		distance -= keys[j] > key;
#pragma unroll 1
	for (int j = k + 1; j <= k + after; j++)
		distance += keys[j] < key;
	return distance;
}

/* Fix the ties of keys from tile * TIES_TILE on, one thread per key.  The first and the last
 * SHORT_RUN threads have keys of the tiles beside it. */
template <class SOURCE>
static __device__ __forceinline__ void fix_ties(ties_shared *s, const gpu_words &w, SOURCE source,
						uint32_t tile)
{
	const unsigned k = threadIdx.x;
	uint32_t i = tile * TIES_TILE + k - SHORT_RUN;
	const uint64_t word = i < w.count ? w.sorted[i] : 0;
	const uint32_t number = gpu_word_number(w.number_bits, word);
	const uint32_t tied = __ballot_sync(ALL_LANES, is_tied(&w, i, word));
	uint64_t key = gpu_word_key(w.number_bits, word);

	/* 1. Find the runs, and look up the keys in them. */
	if (k % WARP == 0)
		s->tied[k / WARP] = tied;
	if (k == 0)
		s->tied[TIES_BLOCK / WARP] = 0;
	__syncthreads();         /* ties */
	if (tied_from(s, k) & 3) /* to the key before or after */
		s->keys[k] = key = source.whole(number, key);
	__syncthreads(); /* keys */
	if (k < SHORT_RUN || k >= TIES_BLOCK - SHORT_RUN || i >= w.count)
		return;

	/* 2. Count the keys of the run before and after this one, up to SHORT_RUN each. */
	const uint32_t ties_before = tied_from(s, k - (SHORT_RUN - 1));
	const uint32_t ends_after = ~tied_from(s, k + 1);
	const int before = __clz((int)~ties_before);
	const int after = ends_after ? __ffs((int)ends_after) - 1 : (int)SHORT_RUN;

	/* 3. Move the key by rank, or list a long run by its first key. */
	if (before + after < SHORT_RUN) {
		i += (uint32_t)rank_run(s->keys, key, (int)k, before, after);
	} else {
		if (before == 0)
			w.long_runs[atomicAdd(&w.runs->count, 1u)] = i;
		else if (s->keys[k - 1] > key)
			gpu_st_relaxed(&w.runs->disorder, 1);
	}
	w.row.keys[i] = key;
	w.row.numbers[i] = number;
}

/* One block per tile. */
template <class SOURCE>
static __global__ void __launch_bounds__(TIES_BLOCK) fix_ties_kernel(gpu_words w, SOURCE source)
{
	__shared__ ties_shared s;

	fix_ties(&s, w, source, blockIdx.x);
}

/* The same by any number of blocks if a run is in disorder. */
template <class SOURCE>
static __global__ void __launch_bounds__(TIES_BLOCK)
	fix_ties_again_kernel(gpu_words w, SOURCE source)
{
	__shared__ ties_shared s;

	if (!gpu_ld_relaxed(&w.runs->disorder))
		return;
	for (uint32_t tile = blockIdx.x; (size_t)tile * TIES_TILE < w.count; tile += gridDim.x) {
		fix_ties(&s, w, source, tile);
		__syncthreads(); /* ties and keys are read */
	}
}

/* ---- merge sort of longer runs -------------------------------------------------------------- */

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

/* Keys begin .. end - 1 ascend in pieces of `width`; merge these in pairs.  A key's rank in a pair
 * is its position in its own piece plus the number of smaller keys in the other one.  Thread number
 * `thread` of `threads` takes every `threads`th key. */
static __device__ __forceinline__ void merge_pieces(const gpu_row *from, const gpu_row *to,
						    size_t begin, size_t end, size_t width,
						    size_t thread, size_t threads)
{
	for (size_t i = begin + thread; i < end; i += threads) {
		const size_t left = i - ((i - begin) & (2 * width - 1));
		const size_t right = min(left + width, end), last = min(left + 2 * width, end);
		const uint64_t key = from->keys[i];
		size_t rank = i;

		if (right < last && from->keys[right - 1] > from->keys[right])
			rank = i < right ? i + keys_below(from->keys, right, last, key, false)
					 : i - (right - left) +
						   keys_below(from->keys, left, right, key, true);
		to->keys[rank] = key;
		to->numbers[rank] = from->numbers[i];
	}
}

/* The end of the run that begins at `first`, or a position after first + MEDIUM_RUN. */
static __device__ __forceinline__ size_t end_of_run(const gpu_words *w, size_t first)
{
	const uint64_t word = w->sorted[first];
	size_t end = first;
	int tied;

	do {
		const size_t i = end + threadIdx.x;

		tied = __syncthreads_count(i < w->count && (w->sorted[i] ^ word) < w->run_step);
		end += (size_t)tied;
	} while (tied == MERGE_BLOCK && end <= first + MEDIUM_RUN);
	return end;
}

/* Merge sort by a block.  Rounds come in pairs, so that the result is in w->row. */
static __device__ __forceinline__ void merge_run(const gpu_words *w, size_t begin, size_t end)
{
	for (size_t width = 1; width < end - begin; width *= 4) {
		__syncthreads();
		merge_pieces(&w->row, &w->spare, begin, end, width, threadIdx.x, MERGE_BLOCK);
		__syncthreads();
		merge_pieces(&w->spare, &w->row, begin, end, 2 * width, threadIdx.x, MERGE_BLOCK);
	}
}

/* All blocks are resident at once. */
static __global__ void __launch_bounds__(MERGE_BLOCK) merge_ties_kernel(gpu_words w)
{
	const size_t thread = (size_t)blockIdx.x * MERGE_BLOCK + threadIdx.x;
	const size_t threads = (size_t)gridDim.x * MERGE_BLOCK;

	if (!w.runs->disorder)
		return;

	/* 1. Each block merges medium runs. */
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

	/* 2. If a run is longer, the grid merges all keys. */
	for (size_t width = 1; width < w.count; width *= 4) {
		merge_pieces(&w.row, &w.spare, 0, w.count, width, thread, threads);
		gpu_grid_sync(&w.runs->arrived);
		merge_pieces(&w.spare, &w.row, 0, w.count, 2 * width, thread, threads);
		gpu_grid_sync(&w.runs->arrived);
	}
}

/* ---- launches ----------------------------------------------------------------------------- */

/* First make the words: source.make(i) returns word i and stores it in row.keys.  temp and runs are
 * zero. */
template <class SOURCE>
static inline gb_status gpu_words_make(const gpu_words *w, SOURCE source, void *temp, gb_error *err)
{
	const gpu_sort_args args = gpu_words_args(w, temp);

	return gpu_sort_count<uint64_t>(&args, source, err);
}

/* Then sort them: w->sorted. */
static inline gb_status gpu_words_sort(const gpu_words *w, void *temp, gb_error *err)
{
	const gpu_sort_args args = gpu_words_args(w, temp);

	return gpu_sort(&args, NULL, err);
}

static inline gb_status gpu_words_merge_ties(const gpu_words *w, gb_error *err)
{
	const unsigned blocks = gpu_resident_blocks(merge_ties_kernel, MERGE_BLOCK, 0,
						    gpu_blocks(w->count, TIES_TILE));

	return CUDA_TRY(err, gpu_launch_cooperative(merge_ties_kernel, blocks, MERGE_BLOCK, 0,
						    gpu_stream(), *w));
}

/* Then put the keys of runs in order: w->row.  source.whole(i, part) returns key i, whose upper
 * bits are `part`. */
template <class SOURCE>
static inline gb_status gpu_words_fix_ties(const gpu_words *w, SOURCE source, gb_error *err)
{
	fix_ties_kernel<<<gpu_blocks(w->count, TIES_TILE), TIES_BLOCK, 0, gpu_stream()>>>(*w,
											  source);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	return gpu_words_merge_ties(w, err);
}

/* The same if w->runs says that one is in disorder. */
template <class SOURCE>
static inline gb_status gpu_words_fix_ties_again(const gpu_words *w, SOURCE source, gb_error *err)
{
	const unsigned blocks = gpu_resident_blocks(fix_ties_again_kernel<SOURCE>, TIES_BLOCK, 0,
						    gpu_blocks(w->count, TIES_TILE));

	fix_ties_again_kernel<<<blocks, TIES_BLOCK, 0, gpu_stream()>>>(*w, source);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	return gpu_words_merge_ties(w, err);
}

#endif
