/* keys.h -- the key types of a sort. */
#ifndef GPUBENCH_CUDA_PRIMITIVES_KEYS_H
#define GPUBENCH_CUDA_PRIMITIVES_KEYS_H

#include "cuda/primitives/device.h"

/* order() maps a key's bits in memory to an unsigned number that compares
 * as the key does; bits() is its inverse. */
struct key_u32 {
	typedef uint32_t word;
	static constexpr int BITS = 32;
	static __device__ __forceinline__ word order(word bits)
	{
		return bits;
	}
	static __device__ __forceinline__ word bits(word order)
	{
		return order;
	}
};

struct key_u64 {
	typedef uint64_t word;
	static constexpr int BITS = 64;
	static __device__ __forceinline__ word order(word bits)
	{
		return bits;
	}
	static __device__ __forceinline__ word bits(word order)
	{
		return order;
	}
};

/* All bits of a negative number are inverted; for other numbers, the highest bit is set.  See
 * common/radix_types.h. */
struct key_f32 {
	typedef uint32_t word;
	static constexpr int BITS = 32;
	static __device__ __forceinline__ word order(word bits)
	{
		return bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u);
	}
	static __device__ __forceinline__ word bits(word order)
	{
		return order ^ (~(uint32_t)((int32_t)order >> 31) | 0x80000000u);
	}
};

/* load_striped() for keys, in the form of KEY::order().  Items beyond the end are the highest key,
 * which ranks last. */
template <class KEY, int ITEMS>
static __device__ __forceinline__ void load_keys(typename KEY::word *key,
						 const typename KEY::word *first, int left)
{
	load_striped<ITEMS>(key, first, left, KEY::bits(~(typename KEY::word)0));
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		key[k] = KEY::order(key[k]);
}

#endif
