/* sort_plan.h -- temporary storage of the sort (sort.cu), and the kernel that reads the keys once,
 * counts the digits of all passes, and plans which passes to run.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_SORT_PLAN_H
#define GPUBENCH_CUDA_PRIMITIVES_SORT_PLAN_H

#include "cuda/primitives/keys.h"
#include "cuda/primitives/limits.h"

enum {
	RADIX_BITS = 8,
	RADIX_DIGITS = 1 << RADIX_BITS,
	MAX_PASSES = 64 / RADIX_BITS,
	HISTOGRAM_BLOCK = 512,
	MAX_ONE_BLOCK = 4096, /* words of up to 8 bytes that one block sorts */
	HISTOGRAM_LOADS = 4,  /* 16-byte packs that a thread has in flight */
};

/* The bits of a key to sort by, and the passes that they take: one per digit of RADIX_BITS bits.
 * The last digit may be narrower. */
struct bit_range {
	int begin_bit, end_bit, passes;
};

static inline bit_range bit_range_of(int begin_bit, int end_bit)
{
	const int passes = (end_bit - begin_bit + RADIX_BITS - 1) / RADIX_BITS;
	const bit_range bits = { begin_bit, end_bit, passes };

	return bits;
}

/* True if look-back words have 64 bits. */
static inline bool has_wide_status(size_t count)
{
	return count >= gpu_sort_limits.words;
}

/* True if one block sorts all keys: see sort_block.h. */
static inline bool fits_one_block(size_t count, size_t word_size)
{
	return count <= MAX_ONE_BLOCK / (word_size > 8 ? 2 : 1) && !has_wide_status(count);
}

/* The start of temporary storage.  Look-back words of 32 or 64 bits follow: LOOKBACK_AHEAD *
 * RADIX_DIGITS that are not used, then [passes][tiles][RADIX_DIGITS].  Everything is zeroed before
 * a sort. */
template <class W> struct alignas(128) header {
	W histogram[MAX_PASSES][RADIX_DIGITS]; /* counts, then their exclusive sums */
	uint32_t counted;                      /* blocks whose keys are in the histogram */
	uint32_t needed;                       /* bit p: pass p is run */
	uint32_t ticket[MAX_PASSES];           /* tiles handed out */
};

/* The digit that a pass sorts by: key >> shift & mask. */
struct digit {
	int shift;
	unsigned mask;
};

template <class WORD>
static __device__ __forceinline__ unsigned digit_of(WORD word, struct digit digit)
{
	return (unsigned)(key_of(word) >> digit.shift) & digit.mask;
}

static __device__ __forceinline__ digit digit_number(bit_range bits, int pass)
{
	const int shift = bits.begin_bit + RADIX_BITS * pass;
	const struct digit digit = { shift,
				     (1u << min((int)RADIX_BITS, bits.end_bit - shift)) - 1 };

	return digit;
}

/* Load the keys of PACKS packs of 16 bytes, `step` packs apart. */
template <int PACKS, class T>
static __device__ __forceinline__ void load_packs(T *key, const gpu_pack<T> *first, size_t step)
{
	constexpr int EACH = gpu_pack<T>::COUNT;
	gpu_pack<T> pack[PACKS];

#pragma unroll
	for (int p = 0; p < PACKS; p++)
		pack[p] = first[(size_t)p * step];
#pragma unroll
	for (int k = 0; k < PACKS * EACH; k++)
		key[k] = pack[k / EACH].item[k % EACH];
}

/* A block's shared memory while it counts keys of type T. */
template <class T, class W> struct histogram_shared {
	static constexpr int PASSES = 8 * sizeof(T) / RADIX_BITS;
	unsigned count[PASSES][RADIX_DIGITS];
	W sums[PASSES][RADIX_DIGITS];
	unsigned needed;
};

/* ---- plan -------------------------------------------------------------------------------- */

/* By one block, one warp per pass: turn the counts into exclusive sums, and find out if there is
 * more than one digit. */
template <class T, class W>
static __device__ __forceinline__ void make_plan(histogram_shared<T, W> *s,
						 struct header<W> *header, size_t count, int passes)
{
	const unsigned lane = threadIdx.x % WARP;

#pragma unroll 1
	for (unsigned p = threadIdx.x / WARP; p < (unsigned)passes; p += HISTOGRAM_BLOCK / WARP) {
		bool whole = false;

#pragma unroll
		for (unsigned d = lane; d < RADIX_DIGITS; d += WARP) {
			s->sums[p][d] = header->histogram[p][d];
			whole |= s->sums[p][d] == count;
		}
		if (!__any_sync(ALL_LANES, whole) && lane == 0)
			atomicOr(&s->needed, 1u << p);
		__syncwarp();
		(void)warp_scan_array<RADIX_DIGITS>(s->sums[p]);
		__syncwarp();
#pragma unroll
		for (unsigned d = lane; d < RADIX_DIGITS; d += WARP)
			header->histogram[p][d] = s->sums[p][d];
	}
	__syncthreads();
	if (threadIdx.x == 0)
		header->needed = s->needed ? s->needed : 1;
}

/* ---- histogram --------------------------------------------------------------------------- */

/* Count all digits of the keys.  The loop over digits is outside, so that values that depend on the
 * digit are computed once for all keys. */
template <int KEYS, class T>
static __device__ __forceinline__ void count_keys(unsigned (*count)[RADIX_DIGITS], T *key,
						  bit_range bits, key_order order)
{
	if (order.sign) {
#pragma unroll
		for (int k = 0; k < KEYS; k++)
			key[k] = to_order(key[k], order);
	}
#pragma unroll 1
	for (int p = 0; p < bits.passes; p++) {
		const struct digit digit = digit_number(bits, p);

#pragma unroll
		for (int k = 0; k < KEYS; k++)
			atomicAdd(&count[p][digit_of(key[k], digit)], 1u);
	}
}

/* Begin to count.  Ends with a barrier. */
template <class T, class W>
static __device__ __forceinline__ void start_counts(histogram_shared<T, W> *s)
{
	unsigned *const count = &s->count[0][0];

#pragma unroll
	for (unsigned j = threadIdx.x; j < s->PASSES * RADIX_DIGITS; j += HISTOGRAM_BLOCK)
		count[j] = 0;
	if (threadIdx.x == 0)
		s->needed = 0;
	__syncthreads();
}

/* Add the block's counts to the total; the last block to do so makes the plan. */
template <class T, class W>
static __device__ __forceinline__ void add_counts(histogram_shared<T, W> *s,
						  struct header<W> *header, size_t count,
						  bit_range bits)
{
	const unsigned *const local = &s->count[0][0];

	__syncthreads();
#pragma unroll 1
	for (unsigned j = threadIdx.x; j < (unsigned)bits.passes * RADIX_DIGITS;
	     j += HISTOGRAM_BLOCK) {
		if (local[j])
			atomicAdd(&header->histogram[j / RADIX_DIGITS][j % RADIX_DIGITS],
				  (W)local[j]);
	}
	if (is_last_block(&header->counted))
		make_plan(s, header, count, bits.passes);
}

/* Load the keys of PACKS packs of 16 bytes, `step` packs apart, each into an element of 4 or 8
 * bytes. */
template <class T, int PACKS, class WORD>
static __device__ __forceinline__ void load_key_packs(WORD *key, const gpu_pack<WORD> *first,
						      size_t step)
{
	constexpr int EACH = sizeof(WORD) / sizeof(T); /* keys in a loaded word */
	WORD word[PACKS * gpu_pack<WORD>::COUNT];

	load_packs<PACKS>(word, first, step);
#pragma unroll
	for (int k = 0; k < PACKS * gpu_pack<T>::COUNT; k++)
		key[k] = word[k / EACH] >> k % EACH * 8 * sizeof(T) & (WORD) ~(T)0;
}

/* A grid-stride loop over keys of type T: the first `packs` packs of 16 bytes, then single keys.
 * Each block counts in shared memory and adds its counts to the total once. */
template <class T, class W>
static __global__ void histogram_kernel(const T *keys, size_t packs, size_t count, bit_range bits,
					key_order order, struct header<W> *header)
{
	typedef std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t> word;
	typedef gpu_pack<word> pack;
	typedef histogram_shared<T, W> shared;
	constexpr int EACH = gpu_pack<T>::COUNT; /* keys in a pack */
	__shared__ shared s;
	const size_t stride = (size_t)gridDim.x * HISTOGRAM_BLOCK;
	const size_t first = (size_t)blockIdx.x * HISTOGRAM_BLOCK + threadIdx.x;
	size_t i = first;

	start_counts(&s);
	cudaTriggerProgrammaticLaunchCompletion();
#pragma unroll 1
	for (; i + (HISTOGRAM_LOADS - 1) * stride < packs; i += HISTOGRAM_LOADS * stride) {
		word key[HISTOGRAM_LOADS * EACH];

		load_key_packs<T, HISTOGRAM_LOADS>(key, (const pack *)keys + i, stride);
		count_keys<HISTOGRAM_LOADS * EACH>(s.count, key, bits, order);
	}
#pragma unroll 1
	for (; i < packs; i += stride) {
		word key[EACH];

		load_key_packs<T, 1>(key, (const pack *)keys + i, stride);
		count_keys<EACH>(s.count, key, bits, order);
	}
#pragma unroll 1
	for (i = packs * EACH + first; i < count; i += stride) {
		word key = keys[i];

		count_keys<1>(s.count, &key, bits, order);
	}
	add_counts(&s, header, count, bits);
}

#endif
