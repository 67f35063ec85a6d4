/* radix.h -- the interface of the radix benchmark and its variants: parameters, input, output
 * layout, and the order of keys.
 *
 * Order of f32: ascending by value; -0 and +0 are equal (either may come first); NaNs with the sign
 * bit come before -inf, those without it after +inf, each sorted by payload.  radix_f32_order()
 * maps the bits of a float to an unsigned number of the same order, and radix_f32_bits() maps it
 * back.  CUDA kernels have their own copy of these two functions.
 */
#ifndef GPUBENCH_COMMON_RADIX_TYPES_H
#define GPUBENCH_COMMON_RADIX_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* pairs: u32 keys with u32 values, sorted by key, stably. */
enum radix_type { RADIX_U32, RADIX_U64, RADIX_F32, RADIX_PAIRS, RADIX_TYPES };

/* Value i of pairs: i, or a number that differs from all others (datasets/keys/keys.h). */
enum radix_values { RADIX_INDEX_VALUES, RADIX_RANDOM_VALUES, RADIX_VALUES };

enum radix_distribution {
	RADIX_UNIFORM,
	RADIX_SORTED,
	RADIX_REVERSE,
	RADIX_CONSTANT,
	RADIX_FEW,      /* 256 different keys */
	RADIX_ZIPF,     /* rank r with probability ~ 1/r; ranks are spread over the key range */
	RADIX_ENTROPY0, /* AND of k uniform words (Thearling and Smith); for k = 0 all bits set */
	RADIX_ENTROPY1,
	RADIX_ENTROPY2,
	RADIX_ENTROPY3,
	RADIX_ENTROPY4,
	RADIX_ENTROPY5,
	RADIX_NEARLY, /* ascending but for about sqrt(count) keys */
	RADIX_DISTRIBUTIONS,
};

struct radix_params {
	int64_t count;        /* keys; with a file: read at most this many, 0: all */
	int64_t type;         /* enum radix_type */
	int64_t distribution; /* enum radix_distribution; not used with a file */
	const char *file;     /* raw little-endian keys, or NULL */
	int64_t threads;
	int64_t seed;
	int64_t values; /* enum radix_values; pairs only */
};

/* keys has count elements of key_size bytes.  Pairs have as many values; else values is NULL. */
struct radix_input {
	size_t count;
	enum radix_type type;
	size_t key_size; /* 4 or 8 */
	void *keys;
	uint32_t *values;
};

static inline uint32_t radix_f32_order(uint32_t bits)
{
	return bits ^ (bits >> 31 ? UINT32_MAX : UINT32_C(1) << 31);
}

static inline uint32_t radix_f32_bits(uint32_t order)
{
	return order ^ (order >> 31 ? UINT32_C(1) << 31 : UINT32_MAX);
}

/* An output is count keys followed, for pairs, by count values. */
static inline size_t radix_output_size(const struct radix_input *input)
{
	return input->count * (input->key_size + (input->values ? sizeof *input->values : 0));
}

static inline uint32_t *radix_output_values(const struct radix_input *input, void *output)
{
	return (uint32_t *)(void *)((unsigned char *)output + input->count * input->key_size);
}

#ifdef __cplusplus
}
#endif
#endif
