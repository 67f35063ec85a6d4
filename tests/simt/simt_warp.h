/* simt_warp.h -- warp operations: shuffles, votes, matches, reductions.
 *
 * Each is a meeting of the lanes that its mask names: simt_warp() returns in a lane when all of
 * them have come with the same operation and mask.
 */
#ifndef GPUBENCH_TESTS_SIMT_SIMT_WARP_H
#define GPUBENCH_TESTS_SIMT_SIMT_WARP_H

enum simt_warp_op {
	SIMT_SYNCWARP,
	SIMT_SHUFFLE,
	SIMT_BALLOT,
	SIMT_ANY,
	SIMT_ALL,
	SIMT_MATCH_ANY,
	SIMT_MATCH_ALL,
	SIMT_REDUCE_ADD,
	SIMT_REDUCE_MIN,
	SIMT_REDUCE_MAX,
	SIMT_REDUCE_MIN_SIGNED,
	SIMT_REDUCE_MAX_SIGNED,
	SIMT_REDUCE_AND,
	SIMT_REDUCE_OR,
	SIMT_REDUCE_XOR,
	SIMT_MMA,
};

/* source: the lane to read, for shuffles. */
uint64_t simt_warp(enum simt_warp_op op, unsigned mask, uint64_t value, int source,
		   const struct simt_site *site);
unsigned simt_activemask(void);

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

/* ---- shuffles: which lane does this one read? --------------------------------------------- */

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

static inline unsigned simt_match_all(unsigned mask, uint64_t value, int *all,
				      const struct simt_site *site)
{
	const unsigned found = (unsigned)simt_warp(SIMT_MATCH_ALL, mask, value, 0, site);

	*all = found != 0;
	return found;
}

template <class T>
static inline T simt_extreme(bool least, unsigned mask, T value, const struct simt_site *site)
{
	static_assert(sizeof(T) == 4, "__reduce_min_sync and __reduce_max_sync take 32 bits");
	const enum simt_warp_op op =
		std::is_signed<T>::value ? (least ? SIMT_REDUCE_MIN_SIGNED : SIMT_REDUCE_MAX_SIGNED)
					 : (least ? SIMT_REDUCE_MIN : SIMT_REDUCE_MAX);

	return (T)simt_warp(op, mask, (uint32_t)value, 0, site);
}

template <class T>
static inline T simt_reduce(enum simt_warp_op op, unsigned mask, T value,
			    const struct simt_site *site)
{
	static_assert(sizeof(T) == 4, "__reduce_*_sync takes 32 bits");
	return (T)simt_warp(op, mask, (uint32_t)value, 0, site);
}

#define __syncwarp(...)        simt_syncwarp(SIMT_HERE __VA_OPT__(, ) __VA_ARGS__)
#define __ballot_sync(mask, p) ((unsigned)simt_warp(SIMT_BALLOT, mask, !!(p), 0, SIMT_HERE))
#define __any_sync(mask, p)    ((int)simt_warp(SIMT_ANY, mask, !!(p), 0, SIMT_HERE))
#define __all_sync(mask, p)    ((int)simt_warp(SIMT_ALL, mask, !!(p), 0, SIMT_HERE))
#define __match_any_sync(mask, v) \
	((unsigned)simt_warp(SIMT_MATCH_ANY, mask, simt_to_bits(v), 0, SIMT_HERE))
#define __match_all_sync(mask, v, all) simt_match_all(mask, simt_to_bits(v), all, SIMT_HERE)
#define __reduce_min_sync(mask, v)     simt_extreme(true, mask, v, SIMT_HERE)
#define __reduce_max_sync(mask, v)     simt_extreme(false, mask, v, SIMT_HERE)
#define __reduce_add_sync(mask, v)     simt_reduce(SIMT_REDUCE_ADD, mask, v, SIMT_HERE)
#define __reduce_and_sync(mask, v)     simt_reduce(SIMT_REDUCE_AND, mask, v, SIMT_HERE)
#define __reduce_or_sync(mask, v)      simt_reduce(SIMT_REDUCE_OR, mask, v, SIMT_HERE)
#define __reduce_xor_sync(mask, v)     simt_reduce(SIMT_REDUCE_XOR, mask, v, SIMT_HERE)
#define __activemask()                 simt_activemask()

/* Words of gpu.h. */

/* A lane's parts of a product of bit matrices: cuda/gpu.h says which. */
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
	return __match_any_sync(0xffffffffu, value & 0xffffffffu >> (32 - BITS));
}

#endif
