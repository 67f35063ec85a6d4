/* sort.cu -- stable LSD radix sort of keys, or keys and values, by 8-bit digits, with one sweep
 * over the data per digit (Adinets and Merrill 2022).  The kernels are in sort_plan.h and
 * sort_pass.h; this file chooses the shape of their blocks and launches them.
 *
 *	histogram  one read of the keys counts the digits of all passes; the last block to finish
 *	           makes the plan: exclusive sums of each histogram, and the passes to run
 *	pass       per digit: read a tile, count its digits, publish the counts, rank the keys,
 *	           find by look-back how many keys of each digit precede the tile, put the tile in
 *	           order in shared memory, write it in runs
 *
 * Ideas beyond the textbook:
 *  - A pass in which all keys have the same digit is skipped.  The plan decides this on the device
 *    and also chooses the arrays of each pass, so that the last one always writes `out`; the host
 *    queues every launch without knowing.  If all passes would be skipped, the first one runs and
 *    copies.
 *  - A tile in which all keys have the same digit needs no ordering.
 *  - Counting comes before ranking (Merrill's early counts): other tiles learn the counts while
 *    this one ranks, and a rank is immediately a position in the tile.
 *  - Tile 0 adds the base of each digit to the sums that it publishes, so only tile 0 reads the
 *    histogram.
 *  - Keys without values, sorted by all their bits, need no stable first pass: a lane then reads
 *    packs of 16 bytes.  Later passes read keys 32 apart, the order in which they are ranked.
 *  - Look-back words have 32 bits below 2^30 keys, 64 bits above.
 *  - One block sorts up to 4096 keys in one launch (sort_block.h).
 *  - For many keys without values, blocks are persistent: while a block works on one tile, the
 *    keys of its next tile are copied to shared memory (sm_90 and others with as much of it).
 *  - The launch of a pass overlaps the previous pass if the GPU supports it (sm_90).
 *  - Tiles nearly fill 48 KB of shared memory, so that runs are long: a run of bytes that does not
 *    end with a sector costs a part of another.  Two blocks share a multiprocessor.  If there is at
 *    most one tile per multiprocessor, one block with more threads does instead.  Few keys are cut
 *    into smaller tiles: then more multiprocessors have one, and a thread handles fewer keys one
 *    after the other.
 *
 * The warps' digit counts are dead when the tile is put in order, so counts and tile share memory.
 * The bound is memory traffic: one read per key, then a read and a write per pass.
 */
#include "cuda/primitives/primitives.h"

#include "common/text.h"
#include "cuda/primitives/sort_block.h"

/* The shapes for keys of 4 and 8 bytes.  `small`, else `medium`, is used if each multiprocessor
 * gets at most one tile, and `large_wide` if look-back words have 64 bits, which takes more
 * registers.  `medium` also replaces `large` if a multiprocessor has shared memory for one of its
 * blocks only.  Tiles are staged up to MAX_STAGED keys.  MAX_STAGED and `large` were the fastest on
 * an H100: where memory is the bound, as with values and with many keys of 8 bytes, a block per
 * tile was faster. */
enum shape_name { SMALL, MEDIUM, LARGE, LARGE_WIDE, SHAPES };
enum { RESERVED = 1024 }; /* bytes of shared memory that a block takes more than it uses (sm_80) */

template <size_t KEY_SIZE, bool VALUES> struct shapes;
template <> struct shapes<4, false> {
	static constexpr size_t MAX_STAGED = SIZE_MAX;
	typedef shape<1024, 4, 1> small;
	typedef shape<768, 12, 1> medium;
	typedef shape<512, 20, 2> large;
	typedef shape<384, 20, 2> large_wide;
};
template <> struct shapes<4, true> {
	static constexpr size_t MAX_STAGED = 0;
	typedef shape<1024, 4, 1> small;
	typedef shape<768, 12, 1> medium;
	typedef shape<384, 23, 2> large;
	typedef shape<384, 20, 2> large_wide;
};
template <bool VALUES> struct shapes<8, VALUES> {
	static constexpr size_t MAX_STAGED = VALUES ? 0 : (size_t)1 << 25;
	typedef shape<1024, 2, 1> small;
	typedef shape<736, 8, 1> medium;
	typedef shape<384, 15, 2> large;
	typedef shape<384, 15, 2> large_wide;
};

/* The multiprocessors for which grids are sized. */
static size_t multiprocessors(void)
{
	return min((size_t)gpu_sm_count(), gpu_sort_limits.processors);
}

/* The number of tiles and, in *name, their shape. */
template <size_t KEY_SIZE, bool VALUES> static size_t tiles_for(size_t count, shape_name *name)
{
	typedef struct shapes<KEY_SIZE, VALUES> shapes;
	typedef typename shapes::large large;
	typedef std::conditional_t<KEY_SIZE == 8, uint64_t, uint32_t> word;
	static const size_t tile[] = { shapes::small::TILE, shapes::medium::TILE,
				       shapes::large::TILE, shapes::large_wide::TILE };
	static_assert(GB_COUNT(tile) == SHAPES, "a tile for each shape");
	int n = has_wide_status(count) ? LARGE_WIDE : SMALL;

	while (n < LARGE && gpu_blocks(count, tile[n]) > multiprocessors())
		n++;
	if (n == LARGE && large::BLOCKS * (sizeof(pass_shared<word, uint32_t, large>) + RESERVED) >
				  gpu_sm_shared())
		n = MEDIUM;
	*name = (shape_name)n;
	return gpu_blocks(count, tile[n]);
}

template <class W> static size_t temp_bytes(size_t tiles, int passes)
{
	return sizeof(header<W>) +
	       (LOOKBACK_AHEAD + (size_t)passes * tiles) * RADIX_DIGITS * sizeof(W);
}

static size_t tiles_of_sort(gpu_key key, bool values, size_t count)
{
	shape_name name;

	if (key == GPU_KEY_U64)
		return values ? tiles_for<8, true>(count, &name)
			      : tiles_for<8, false>(count, &name);
	return values ? tiles_for<4, true>(count, &name) : tiles_for<4, false>(count, &name);
}

/* It cannot overflow: except for a constant, it is less than the size of the keys. */
size_t gpu_sort_temp_bytes(gpu_key key, bool values, size_t count, int begin_bit, int end_bit)
{
	const int passes = bit_range_of(begin_bit, end_bit).passes;
	const size_t tiles = tiles_of_sort(key, values, count);

	return has_wide_status(count) ? temp_bytes<unsigned long long>(tiles, passes)
				      : temp_bytes<uint32_t>(tiles, passes);
}

/* The grid of a staged pass. */
template <class SHAPE> static unsigned staged_blocks(void)
{
	return (unsigned)multiprocessors() * SHAPE::BLOCKS;
}

/* True if blocks would get several tiles, and the GPU copies to shared memory past the registers
 * (sm_80) and holds as many blocks as it would without staging. */
template <class KEY> static bool can_stage(size_t count)
{
	typedef shapes<sizeof(typename KEY::word), false> shapes;
	typedef typename shapes::large shape;
	void (*const kernel)(pass<uint32_t>) = staged_pass_kernel<KEY, uint32_t, shape>;
	const size_t shared = sizeof(staged_shared<typename KEY::word, uint32_t, shape>);
	const unsigned all = staged_blocks<shape>();

	if (has_wide_status(count) || count > shapes::MAX_STAGED ||
	    gpu_blocks(count, shape::TILE) <= all ||
	    gpu_attribute(cudaDevAttrComputeCapabilityMajor) < 8)
		return false;
	if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
				 (int)shared) == cudaSuccess &&
	    cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100) ==
		    cudaSuccess &&
	    gpu_resident_blocks(kernel, shape::THREADS, shared, all) == all)
		return true;
	(void)cudaGetLastError(); /* continue without staging */
	return false;
}

bool gpu_sort_can_stage(gpu_key key, size_t count)
{
	return key == GPU_KEY_U64   ? can_stage<key_u64>(count)
	       : key == GPU_KEY_F32 ? can_stage<key_f32>(count)
				    : can_stage<key_u32>(count);
}

template <class KEY, bool VALUES, class W, class SHAPE, bool STAGED>
static gb_status run_passes(const gpu_sort_args *sort, bit_range bits, gb_error *err)
{
	const size_t tiles = gpu_blocks(sort->count, SHAPE::TILE);
	void (*kernel)(pass<W>) = pass_kernel<KEY, VALUES, W, SHAPE>;
	unsigned blocks = (unsigned)tiles;
	size_t shared = 0; /* bytes of dynamic shared memory */
	header<W> *const start = (header<W> *)sort->temp;
	struct pass<W> pass = {
		.arrays = { sort->keys_in,   sort->keys_out,   sort->keys_spare,
			    sort->values_in, sort->values_out, sort->values_spare },
		.header = start,
		.tile_status = (W *)(void *)(start + 1) + (size_t)LOOKBACK_AHEAD * RADIX_DIGITS,
		.count = sort->count, .bits = bits, .number = 0,
		.unstable = gpu_is_packed(sort->keys_in) && bits.begin_bit == 0 &&
			    bits.end_bit == KEY::BITS,
	};

	if constexpr (STAGED)
		if (sort->staged && gpu_is_packed(sort->keys_in) && gpu_is_packed(sort->keys_out) &&
		    gpu_is_packed(sort->keys_spare)) {
			kernel = staged_pass_kernel<KEY, W, SHAPE>;
			blocks = staged_blocks<SHAPE>();
			shared = sizeof(staged_shared<typename KEY::word, W, SHAPE>);
		}
	for (; pass.number < bits.passes; pass.number++) {
		if (gpu_can_overlap())
			(void)gpu_launch_overlapped(kernel, blocks, SHAPE::THREADS, shared,
						    gpu_stream(), pass);
		else
			kernel<<<blocks, SHAPE::THREADS, shared, gpu_stream()>>>(pass);
		if (CUDA_TRY(err, cudaGetLastError()))
			return err->code;
		pass.tile_status += tiles * RADIX_DIGITS;
	}
	return GB_OK;
}

template <class KEY, bool VALUES, class W, class SHAPE, bool STAGED = false>
static gb_status sort_by_shape(const gpu_sort_args *sort, bit_range bits, gb_error *err)
{
	typedef typename KEY::word word;
	const size_t packs = gpu_is_packed(sort->keys_in) ? sort->count / gpu_pack<word>::COUNT : 0;
	const size_t processors = multiprocessors();
	/* By 16 keys per thread, and by 4 up to a block per multiprocessor; rounded down. */
	const size_t by16 = sort->count / (HISTOGRAM_BLOCK * 16),
		     by4 = min(sort->count / (HISTOGRAM_BLOCK * 4), processors - 1);
	const size_t blocks = min(max(by16, by4) + 1, processors * 4);

	if (!sort->counted)
		histogram_kernel<KEY, W><<<blocks, HISTOGRAM_BLOCK, 0, gpu_stream()>>>(
			(const word *)sort->keys_in, packs, sort->count, bits,
			(header<W> *)sort->temp);
	if (CUDA_TRY(err, cudaGetLastError()))
		return err->code;
	gb_phase(sort->timer, "pass");
	return run_passes<KEY, VALUES, W, SHAPE, STAGED>(sort, bits, err);
}

template <class KEY, bool VALUES>
static gb_status sort_by_one_block(const gpu_sort_args *sort, bit_range bits, gb_error *err)
{
	typedef struct shape<1024, 4, 1> shape;
	const struct pass<uint32_t> pass = {
		.arrays = { sort->keys_in,   sort->keys_out,   NULL,
			    sort->values_in, sort->values_out, NULL },
		.count = sort->count, .bits = bits,
	};

	static_assert(shape::TILE == MAX_ONE_BLOCK, "one block sorts as many keys as it holds");
	block_kernel<KEY, VALUES, shape><<<1, shape::THREADS, 0, gpu_stream()>>>(pass);
	return CUDA_TRY(err, cudaGetLastError());
}

template <class KEY, bool VALUES>
static gb_status sort_keys(const gpu_sort_args *sort, bit_range bits, gb_error *err)
{
	constexpr size_t KEY_SIZE = sizeof(typename KEY::word);
	typedef struct shapes<KEY_SIZE, VALUES> shapes;
	typedef typename shapes::small small;
	typedef typename shapes::medium medium;
	typedef typename shapes::large large;
	typedef typename shapes::large_wide large_wide;
	shape_name name;

	if (fits_one_block(sort->count))
		return sort_by_one_block<KEY, VALUES>(sort, bits, err);
	(void)tiles_for<KEY_SIZE, VALUES>(sort->count, &name);
	switch (name) {
	case SMALL:
		return sort_by_shape<KEY, VALUES, uint32_t, small>(sort, bits, err);
	case MEDIUM:
		return sort_by_shape<KEY, VALUES, uint32_t, medium>(sort, bits, err);
	case LARGE:
		return sort_by_shape<KEY, VALUES, uint32_t, large, !VALUES>(sort, bits, err);
	case LARGE_WIDE:
	default:
		return sort_by_shape<KEY, VALUES, unsigned long long, large_wide>(sort, bits, err);
	}
}

gb_status gpu_sort(const gpu_sort_args *sort, gb_error *err)
{
	const bit_range bits = bit_range_of(sort->begin_bit, sort->end_bit);
	const bool values = sort->values_in != NULL;

	if (sort->count == 0)
		return GB_OK;
	if (!sort->counted && !fits_one_block(sort->count)) {
		gb_phase(sort->timer, "histogram");
		if (gpu_zero((char *)sort->temp,
			     gpu_sort_temp_bytes(sort->key, values, sort->count, sort->begin_bit,
						 sort->end_bit),
			     err))
			return err->code;
	}
	if (sort->key == GPU_KEY_F32)
		return sort_keys<key_f32, false>(sort, bits, err);
	if (sort->key == GPU_KEY_U64)
		return values ? sort_keys<key_u64, true>(sort, bits, err)
			      : sort_keys<key_u64, false>(sort, bits, err);
	return values ? sort_keys<key_u32, true>(sort, bits, err)
		      : sort_keys<key_u32, false>(sort, bits, err);
}
