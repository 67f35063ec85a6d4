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
 *  - What moves is a word: a key, or a key with its value (keys.h).  The first pass makes words of
 *    keys and values, in the order of their bits; the last one splits them and gives signed and
 *    float keys their bits back.  A key and a value of the same size are one word in memory, too,
 *    between these passes, so that their runs are twice as long and need one store.  The kernels
 *    depend on the size of a word, not on types.
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

/* The shapes for words of 4, 8 and 16 bytes.  `small`, else `medium`, is used if each multiprocessor
 * gets at most one tile, and `large_wide` if look-back words have 64 bits, which takes more
 * registers.  `medium` also replaces `large` if a multiprocessor has shared memory for one of its
 * blocks only.  Keys without values are staged up to MAX_STAGED keys.  MAX_STAGED and `large` were
 * the fastest on an H100: where memory is the bound, as with many keys of 8 bytes, a block per tile
 * was faster. */
enum shape_name { SMALL, MEDIUM, LARGE, LARGE_WIDE, SHAPES };
enum { RESERVED = 1024 }; /* bytes of shared memory that a block takes more than it uses (sm_80) */

template <class WORD> struct shapes;
template <> struct shapes<uint32_t> {
	static constexpr size_t MAX_STAGED = SIZE_MAX;
	typedef shape<1024, 4, 1> small;
	typedef shape<768, 12, 1> medium;
	typedef shape<512, 20, 2> large;
	typedef shape<384, 20, 2> large_wide;
};
template <> struct shapes<uint64_t> {
	static constexpr size_t MAX_STAGED = (size_t)1 << 25;
	typedef shape<1024, 2, 1> small;
	typedef shape<736, 8, 1> medium;
	typedef shape<384, 15, 2> large, large_wide;
};
template <> struct shapes<key_value> {
	static constexpr size_t MAX_STAGED = 0;
	typedef shape<1024, 1, 1> small;
	typedef shape<736, 4, 1> medium;
	typedef shape<384, 7, 2> large, large_wide;
};

/* function(word), with a word of the sort's type. */
template <class FUNCTION> static auto by_word(const gpu_sort_args *sort, FUNCTION function)
{
	const size_t size = word_size_of(sort->key_size, sort->value_size);

	return size == 4   ? function(uint32_t())
	       : size == 8 ? function(uint64_t())
			   : function(key_value());
}

/* The multiprocessors for which grids are sized. */
static size_t multiprocessors(void)
{
	return min((size_t)gpu_sm_count(), gpu_sort_limits.processors);
}

/* The number of tiles and, in *name, their shape. */
template <class WORD> static size_t tiles_for(size_t count, shape_name *name)
{
	typedef struct shapes<WORD> shapes;
	typedef typename shapes::large large;
	static const size_t tile[] = { shapes::small::TILE, shapes::medium::TILE,
				       shapes::large::TILE, shapes::large_wide::TILE };
	static_assert(GB_COUNT(tile) == SHAPES, "a tile for each shape");
	int n = has_wide_status(count) ? LARGE_WIDE : SMALL;

	while (n < LARGE && gpu_blocks(count, tile[n]) > multiprocessors())
		n++;
	if (n == LARGE && large::BLOCKS * (sizeof(pass_shared<WORD, uint32_t, large>) + RESERVED) >
				  gpu_sm_shared())
		n = MEDIUM;
	*name = (shape_name)n;
	return gpu_blocks(count, tile[n]);
}

static bit_range key_bits(const gpu_sort_args *sort)
{
	return bit_range_of(sort->begin_bit, sort->end_bit);
}

/* It cannot overflow: except for a constant, it is less than the size of the keys. */
size_t gpu_sort_temp_bytes(const gpu_sort_args *sort)
{
	const size_t passes = (size_t)key_bits(sort).passes;
	const size_t tiles = by_word(sort, [&]<class WORD>(WORD) {
		shape_name name;

		return tiles_for<WORD>(sort->count, &name);
	});
	const size_t words = (LOOKBACK_AHEAD + passes * tiles) * RADIX_DIGITS;

	return has_wide_status(sort->count)
		       ? sizeof(header<unsigned long long>) + words * sizeof(unsigned long long)
		       : sizeof(header<uint32_t>) + words * sizeof(uint32_t);
}

/* The grid of a staged pass. */
template <class SHAPE> static unsigned staged_blocks(void)
{
	return (unsigned)multiprocessors() * SHAPE::BLOCKS;
}

/* True if blocks would get several tiles, and the GPU copies to shared memory past the registers
 * (sm_80) and holds as many blocks as it would without staging. */
template <class WORD> static bool can_stage(size_t count, bool convert)
{
	typedef typename shapes<WORD>::large shape;
	void (*const kernel)(pass<uint32_t>) =
		convert ? staged_pass_kernel<WORD, true, uint32_t, shape>
			: staged_pass_kernel<WORD, false, uint32_t, shape>;
	const size_t shared = sizeof(staged_shared<WORD, uint32_t, shape>);
	const unsigned all = staged_blocks<shape>();

	if (has_wide_status(count) || count > shapes<WORD>::MAX_STAGED ||
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

bool gpu_sort_can_stage(const gpu_sort_args *sort)
{
	const bool convert = sort->order != GPU_UNSIGNED;

	if (sort->value_size || sort->key_size < 4)
		return false;
	return sort->key_size == 8 ? can_stage<uint64_t>(sort->count, convert)
				   : can_stage<uint32_t>(sort->count, convert);
}

/* All passes, or the sort by one block. */
template <class W> static pass<W> pass_of(const gpu_sort_args *sort, size_t word_size)
{
	const int shift = key_shift((int)sort->key_size, (int)sort->value_size);
	header<W> *const start = (header<W> *)sort->temp;

	return {
		.keys_in = sort->keys_in,
		.values_in = sort->values_in,
		.out = sort->out,
		.spare = sort->spare,
		.values_offset = values_offset(sort->count, sort->key_size),
		.format = { (int)sort->key_size, (int)sort->value_size,
			    key_order_of(sort->order, sort->key_size, shift) },
		.packed = sort->key_size + sort->value_size == word_size,
		.header = start,
		.tile_status = (W *)(void *)(start + 1) + (size_t)LOOKBACK_AHEAD * RADIX_DIGITS,
		.count = sort->count,
		.bits = bit_range_of(sort->begin_bit + shift, sort->end_bit + shift),
		.number = 0,
		.unstable = gpu_is_packed(sort->keys_in) && sort->begin_bit == 0 &&
			    sort->end_bit == 8 * (int)sort->key_size && !sort->value_size,
	};
}

template <class WORD, bool CONVERT, class W, class SHAPE, bool STAGED = false>
static gb_status run_passes(const gpu_sort_args *sort, gb_error *err)
{
	const size_t tiles = gpu_blocks(sort->count, SHAPE::TILE);
	void (*kernel)(pass<W>) = pass_kernel<WORD, CONVERT, W, SHAPE>;
	unsigned blocks = (unsigned)tiles;
	size_t shared = 0; /* bytes of dynamic shared memory */
	struct pass<W> pass = pass_of<W>(sort, sizeof(WORD));

	if constexpr (STAGED)
		if (sort->staged && gpu_is_packed(sort->keys_in) && gpu_is_packed(sort->out) &&
		    gpu_is_packed(sort->spare)) {
			kernel = staged_pass_kernel<WORD, CONVERT, W, SHAPE>;
			blocks = staged_blocks<SHAPE>();
			shared = sizeof(staged_shared<WORD, W, SHAPE>);
		}
	for (; pass.number < pass.bits.passes; pass.number++) {
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

template <class T, class W> static gb_status count_digits(const gpu_sort_args *sort, gb_error *err)
{
	const size_t packs = gpu_is_packed(sort->keys_in) ? sort->count / gpu_pack<T>::COUNT : 0;
	const size_t processors = multiprocessors();
	/* By 16 keys per thread, and by 4 up to a block per multiprocessor; rounded down. */
	const size_t by16 = sort->count / (HISTOGRAM_BLOCK * 16),
		     by4 = min(sort->count / (HISTOGRAM_BLOCK * 4), processors - 1);
	const size_t blocks = min(max(by16, by4) + 1, processors * 4);

	histogram_kernel<T, W><<<blocks, HISTOGRAM_BLOCK, 0, gpu_stream()>>>(
		(const T *)sort->keys_in, packs, sort->count, key_bits(sort),
		key_order_of(sort->order, sizeof(T), 0), (header<W> *)sort->temp);
	return CUDA_TRY(err, cudaGetLastError());
}

template <class W>
static gb_status make_histogram(const gpu_sort_args *sort, gb_timer *timer, gb_error *err)
{
	gb_phase(timer, "histogram");
	if (gpu_zero((char *)sort->temp, gpu_sort_temp_bytes(sort), err))
		return err->code;
	return sort->key_size == 1   ? count_digits<uint8_t, W>(sort, err)
	       : sort->key_size == 2 ? count_digits<uint16_t, W>(sort, err)
	       : sort->key_size == 4 ? count_digits<uint32_t, W>(sort, err)
				     : count_digits<uint64_t, W>(sort, err);
}

template <class WORD> static gb_status sort_by_one_block(const gpu_sort_args *sort, gb_error *err)
{
	typedef struct shape<1024, (sizeof(WORD) > 8 ? 2 : 4), 1> shape;

	block_kernel<WORD, shape>
		<<<1, shape::THREADS, 0, gpu_stream()>>>(pass_of<uint32_t>(sort, sizeof(WORD)));
	return CUDA_TRY(err, cudaGetLastError());
}

template <class WORD, bool CONVERT>
static gb_status sort_by_passes(const gpu_sort_args *sort, gb_timer *timer, gb_error *err)
{
	typedef struct shapes<WORD> shapes;
	typedef unsigned long long wide;
	constexpr bool STAGED = shapes::MAX_STAGED != 0;
	shape_name name;

	if (!sort->counted &&
	    (has_wide_status(sort->count) ? make_histogram<wide>(sort, timer, err)
					  : make_histogram<uint32_t>(sort, timer, err)))
		return err->code;
	gb_phase(timer, "pass");
	(void)tiles_for<WORD>(sort->count, &name);
	switch (name) {
	case SMALL:
		return run_passes<WORD, CONVERT, uint32_t, typename shapes::small>(sort, err);
	case MEDIUM:
		return run_passes<WORD, CONVERT, uint32_t, typename shapes::medium>(sort, err);
	case LARGE:
		return run_passes<WORD, CONVERT, uint32_t, typename shapes::large, STAGED>(sort,
											   err);
	case LARGE_WIDE:
	default:
		return run_passes<WORD, CONVERT, wide, typename shapes::large_wide>(sort, err);
	}
}

template <class WORD>
static gb_status sort_words(const gpu_sort_args *sort, gb_timer *timer, gb_error *err)
{
	if (fits_one_block(sort->count, sizeof(WORD)))
		return sort_by_one_block<WORD>(sort, err);
	if constexpr (sizeof(WORD) <= sizeof(uint64_t))
		if (sort->key_size == sizeof(WORD) && sort->order == GPU_UNSIGNED)
			return sort_by_passes<WORD, false>(sort, timer, err);
	return sort_by_passes<WORD, true>(sort, timer, err);
}

gb_status gpu_sort(const gpu_sort_args *sort, gb_timer *timer, gb_error *err)
{
	if (sort->count == 0)
		return GB_OK;
	return by_word(sort, [&]<class WORD>(WORD) { return sort_words<WORD>(sort, timer, err); });
}
