/* simt_warp.h -- warp operations: shuffles, votes, matches, bit-matrix products.
 *
 * simt_warp() returns in a lane when all lanes of its mask have called it with the same operation
 * and mask.
 */
#ifndef GPUBENCH_TESTS_SIMT_SIMT_WARP_H
#define GPUBENCH_TESTS_SIMT_SIMT_WARP_H

enum simt_warp_op {
	SIMT_SYNCWARP,
	SIMT_SHUFFLE,
	SIMT_BALLOT,
	SIMT_ANY,
	SIMT_ALL,
	SIMT_MATCH,
	SIMT_MMA,
};

/* source: the lane to read, for shuffles. */
uint64_t simt_warp(enum simt_warp_op op, unsigned mask, uint64_t value, int source,
		   const struct simt_site *site);

template <class T> static inline uint64_t simt_to_bits(T value)
{
	static_assert(sizeof(T) <= 8, "a warp operation takes at most 8 bytes");
	uint64_t bits = 0;

	memcpy(&bits, &value, sizeof value);
	return bits;
}

template <class T> static inline T simt_from_bits(uint64_t bits)
{
	T value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* ---- shuffles: the lane that this one reads ------------------------------------------------- */

static inline int simt_source_index(int index, int width = 32)
{
	return (simt_current->lane & ~(width - 1)) | (index & (width - 1));
}

static inline int simt_source_up(unsigned delta, int width = 32)
{
	const int lane = simt_current->lane;

	return (unsigned)(lane & (width - 1)) >= delta ? lane - (int)delta : lane;
}

static inline int simt_source_down(unsigned delta, int width = 32)
{
	const int lane = simt_current->lane;

	return (unsigned)(lane & (width - 1)) + delta < (unsigned)width ? lane + (int)delta : lane;
}

static inline int simt_source_xor(int bits, int width = 32)
{
	const int lane = simt_current->lane, source = lane ^ bits;

	return (source & ~(width - 1)) > (lane & ~(width - 1)) ? lane : source;
}

template <class T>
static inline T simt_shuffle(unsigned mask, T value, int source, const struct simt_site *site)
{
	return simt_from_bits<T>(simt_warp(SIMT_SHUFFLE, mask, simt_to_bits(value), source, site));
}

#define __shfl_sync(mask, value, ...) \
	simt_shuffle(mask, value, simt_source_index(__VA_ARGS__), SIMT_HERE)
#define __shfl_up_sync(mask, value, ...) \
	simt_shuffle(mask, value, simt_source_up(__VA_ARGS__), SIMT_HERE)
#define __shfl_down_sync(mask, value, ...) \
	simt_shuffle(mask, value, simt_source_down(__VA_ARGS__), SIMT_HERE)
#define __shfl_xor_sync(mask, value, ...) \
	simt_shuffle(mask, value, simt_source_xor(__VA_ARGS__), SIMT_HERE)

/* ---- the rest ------------------------------------------------------------------------------ */

static inline void simt_syncwarp(const struct simt_site *site, unsigned mask = 0xffffffffu)
{
	(void)simt_warp(SIMT_SYNCWARP, mask, 0, 0, site);
}

#define __syncwarp(...)        simt_syncwarp(SIMT_HERE __VA_OPT__(, ) __VA_ARGS__)
#define __ballot_sync(mask, p) ((unsigned)simt_warp(SIMT_BALLOT, mask, !!(p), 0, SIMT_HERE))
#define __any_sync(mask, p)    ((int)simt_warp(SIMT_ANY, mask, !!(p), 0, SIMT_HERE))
#define __all_sync(mask, p)    ((int)simt_warp(SIMT_ALL, mask, !!(p), 0, SIMT_HERE))
/* The weakest answer that the manual allows: the caller alone. */
#define __activemask() (1u << simt_current->lane)

/* Words of cuda/gpu.h. */

/* A lane's fragments in a product of bit matrices; cuda/gpu.h has the layout. */
struct simt_fragments {
	uint32_t a[4], b[2];
	int sum[4];
};

static inline void simt_mma(int sum[4], const uint32_t a[4], const uint32_t b[2],
			    const struct simt_site *site)
{
	struct simt_fragments mine;

	for (int i = 0; i < 4; i++) {
		mine.a[i] = a[i];
		mine.b[i / 2] = b[i / 2];
		mine.sum[i] = sum[i];
	}
	(void)simt_warp(SIMT_MMA, 0xffffffffu, (uint64_t)(uintptr_t)&mine, 0, site);
	for (int i = 0; i < 4; i++)
		sum[i] = mine.sum[i];
}

#define gpu_mma_and_popc(sum, a, b) simt_mma(sum, a, b, SIMT_HERE)

template <int BITS> static inline unsigned gpu_match(unsigned value)
{
	return (unsigned)simt_warp(SIMT_MATCH, 0xffffffffu, value & 0xffffffffu >> (32 - BITS), 0,
				   SIMT_HERE);
}

#endif
