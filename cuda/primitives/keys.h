/* keys.h -- keys, their order, and the words that a sort moves.
 *
 * A word is a key, or a key with its value:
 *	uint32_t    a key of 1, 2 or 4 bytes
 *	uint64_t    a key of 8 bytes; or key << 32 | value, of up to 4 bytes each
 *	key_value   any other key with a value
 * In memory, keys and values are two arrays ("columns") or one array of words.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_KEYS_H
#define GPUBENCH_CUDA_PRIMITIVES_KEYS_H

#include "cuda/primitives/device.h"

struct alignas(16) key_value {
	uint64_t key, value;
};

/* The part of a word that has the key. */
template <class WORD> static __device__ __forceinline__ auto &key_of(WORD &word)
{
	if constexpr (sizeof(WORD) == sizeof(key_value))
		return word.key;
	else
		return word;
}

/* ---- order --------------------------------------------------------------------------------- */

enum gpu_order { GPU_UNSIGNED, GPU_SIGNED, GPU_FLOAT };

/* The order of keys, as two masks of their bits: `sign` is the sign bit, and `negative` is what
 * changes in negative keys besides it.  Both are 0 for unsigned keys. */
struct key_order {
	uint64_t sign, negative;
};

/* shift: bits of a word below the key. */
static inline key_order key_order_of(gpu_order order, size_t key_size, int shift)
{
	const uint64_t all = UINT64_MAX >> (64 - 8 * key_size);

	return { order == GPU_UNSIGNED ? 0 : (all ^ all >> 1) << shift,
		 order == GPU_FLOAT ? all << shift : 0 };
}

/* Map the bits of a key to an unsigned number that compares as the key does.  The sign bit of a
 * float is the highest bit of T. */
template <class T> static __device__ __forceinline__ T to_order(T bits, key_order order)
{
	const T minus = (T)((std::make_signed_t<T>)bits >> (8 * sizeof(T) - 1));

	return bits ^ ((minus & (T)order.negative) | (T)order.sign);
}

/* The inverse. */
template <class T> static __device__ __forceinline__ T from_order(T number, key_order order)
{
	const T plus = (T)((std::make_signed_t<T>)number >> (8 * sizeof(T) - 1));

	return number ^ ((T)(~plus & (T)order.negative) | (T)order.sign);
}

/* Put the keys of words in order; nothing is to do for unsigned keys. */
template <int ITEMS, class WORD>
static __device__ __forceinline__ void order_keys(WORD *word, key_order order)
{
	if (order.sign == 0)
		return;
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		key_of(word[k]) = to_order(key_of(word[k]), order);
}

/* load_striped() for keys, which are put in order.  Items beyond the end are the highest key. */
template <int ITEMS, class T>
static __device__ __forceinline__ void load_keys(T *key, const T *first, int left, key_order order)
{
	load_striped<ITEMS>(key, first, left, (T)~order.sign);
	order_keys<ITEMS>(key, order);
}

/* ---- columns ------------------------------------------------------------------------------- */

/* How keys and values lie in memory. */
struct key_format {
	int key_size, value_size; /* bytes; value_size is 0, 4 or 8 */
	key_order order;          /* of keys in words */
};

/* Bits of a word below the key. */
static __host__ __device__ __forceinline__ int key_shift(int key_size, int value_size)
{
	return value_size && key_size <= 4 ? 32 : 0;
}

/* Bytes of a word. */
static inline size_t word_size_of(size_t key_size, size_t value_size)
{
	const bool narrow = key_size <= 4 && value_size <= 4;

	return value_size ? narrow ? 8 : sizeof(key_value) : narrow ? 4 : 8;
}

/* Bytes of an array of keys before the values that follow it. */
static __host__ __device__ __forceinline__ size_t values_offset(size_t count, size_t key_size)
{
	return (count * key_size + 7) / 8 * 8;
}

/* load_striped() of an array of T. */
template <class T, int ITEMS, class TO>
static __device__ __forceinline__ void load_column(TO *to, const void *array, size_t first,
						   int left, TO beyond)
{
	T item[ITEMS];

	load_striped<ITEMS>(item, (const T *)array + first, left, (T)beyond);
#pragma unroll
	for (int k = 0; k < ITEMS; k++)
		to[k] = item[k];
}

/* The same for words, from columns. */
template <int ITEMS, class WORD>
static __device__ __forceinline__ void load_columns(WORD *word, const void *keys,
						    const void *values, size_t first, int left,
						    WORD beyond, const key_format &format)
{
	constexpr bool WIDE = sizeof(WORD) > 4;
	typedef std::conditional_t<WIDE, uint64_t, uint32_t> number;
	const int shift = key_shift(format.key_size, format.value_size);
	const number highest = key_of(beyond) >> shift;
	number key[ITEMS], value[WIDE ? ITEMS : 1];

	if (format.key_size == 1)
		load_column<uint8_t, ITEMS>(key, keys, first, left, highest);
	else if (format.key_size == 2)
		load_column<uint16_t, ITEMS>(key, keys, first, left, highest);
	else if (format.key_size == 4)
		load_column<uint32_t, ITEMS>(key, keys, first, left, highest);
	else if constexpr (sizeof(WORD) == sizeof(key_value))
		load_column<uint64_t, ITEMS>(key, keys, first, left, highest);
	if constexpr (sizeof(WORD) == sizeof(key_value)) {
		if (format.value_size == 8)
			load_column<uint64_t, ITEMS>(value, values, first, left, (number)0);
		else
			load_column<uint32_t, ITEMS>(value, values, first, left, (number)0);
	} else if constexpr (WIDE) {
		load_column<uint32_t, ITEMS>(value, values, first, left, (number)0);
	}
#pragma unroll
	for (int k = 0; k < ITEMS; k++) {
		if constexpr (sizeof(WORD) == sizeof(key_value))
			word[k] = { key[k] << shift, value[k] };
		else if constexpr (WIDE)
			word[k] = key[k] << 32 | value[k];
		else
			word[k] = key[k];
	}
}

/* Store a word into columns. */
template <class WORD>
static __device__ __forceinline__ void store_columns(void *keys, void *values, size_t i, WORD word,
						     const key_format &format)
{
	const auto key = key_of(word) >> key_shift(format.key_size, format.value_size);

	if (format.key_size == 4)
		((uint32_t *)keys)[i] = (uint32_t)key;
	else if (format.key_size == 1)
		((uint8_t *)keys)[i] = (uint8_t)key;
	else if (format.key_size == 2)
		((uint16_t *)keys)[i] = (uint16_t)key;
	else if constexpr (sizeof(key) == 8)
		((uint64_t *)keys)[i] = key;
	if constexpr (sizeof(WORD) == sizeof(key_value)) {
		if (format.value_size == 8)
			((uint64_t *)values)[i] = word.value;
		else
			((uint32_t *)values)[i] = (uint32_t)word.value;
	} else if constexpr (sizeof(WORD) == 8) {
		if (format.value_size)
			((uint32_t *)values)[i] = (uint32_t)word;
	}
}

#endif
