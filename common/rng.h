/* rng.h -- random words that depend only on (seed, stream, index).
 *
 * Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) from
 * Random123.  There is no state: each word is computed directly from its index, so any number of
 * threads, on the CPU or the GPU, generate the same bytes.  The seed is the cipher's key; the
 * counter is (index, stream), low words first.  Streams of one seed are independent: give each
 * purpose (keys, positions, velocities ...) its own.
 */
#ifndef GPUBENCH_COMMON_RNG_H
#define GPUBENCH_COMMON_RNG_H

#include <stdint.h>

#include <Random123/philox.h>

#ifdef __CUDACC__
#define GB_RANDOM static inline __host__ __device__
#else
#define GB_RANDOM static inline
#endif

struct gb_random_block {
	uint32_t word[4];
};

/* All 128 random bits of one index. */
GB_RANDOM struct gb_random_block gb_random_block(uint64_t seed, uint64_t stream, uint64_t index)
{
	philox4x32_ctr_t counter = { { (uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream,
				       (uint32_t)(stream >> 32) } };
	philox4x32_key_t key = { { (uint32_t)seed, (uint32_t)(seed >> 32) } };
	struct gb_random_block block;

	counter = philox4x32_R(10, counter, key);
	block.word[0] = counter.v[0];
	block.word[1] = counter.v[1];
	block.word[2] = counter.v[2];
	block.word[3] = counter.v[3];
	return block;
}

/* Half 0 or 1 of a block as a 64-bit word. */
GB_RANDOM uint64_t gb_random_half(struct gb_random_block block, unsigned half)
{
	const uint32_t *word = half ? block.word + 2 : block.word;

	return (uint64_t)word[1] << 32 | word[0];
}

/* 64 uniform bits: half 0 of the index's block. */
GB_RANDOM uint64_t gb_random64_stream(uint64_t seed, uint64_t stream, uint64_t index)
{
	return gb_random_half(gb_random_block(seed, stream, index), 0);
}

/* A multiple of 2^-53, uniform in [0, 1). */
GB_RANDOM double gb_random_to_unit(uint64_t word)
{
	return (double)(word >> 11) * 0x1p-53;
}

GB_RANDOM double gb_random_unit_stream(uint64_t seed, uint64_t stream, uint64_t index)
{
	return gb_random_to_unit(gb_random64_stream(seed, stream, index));
}

/* 64 uniform bits from stream 0. */
GB_RANDOM uint64_t gb_random64(uint64_t seed, uint64_t index)
{
	return gb_random64_stream(seed, 0, index);
}

#undef GB_RANDOM

#endif
