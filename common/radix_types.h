/* radix_types.h -- the interface of the radix benchmark and its variants: parameters, input, output
 * layout, and the order of keys.
 *
 * Keys are sorted by an unsigned number, the order of the key, which has as many bits as the key:
 *
 *	u8 ... u64   the key
 *	i32, i64     the key with its sign bit inverted
 *	f32, f64     negative numbers with all bits inverted, others with the sign bit set
 *
 * So NaNs with the sign bit come first, then -inf, numbers and inf, then the other NaNs; NaNs are
 * sorted by payload, and denormals are numbers like others.  A sort may place -0 before +0, by its
 * order, or treat both as +0.
 *
 * A sort by bits LOW:HIGH takes only these bits of the order into account.  It is stable, as is a
 * sort of keys with values: keys that agree in the bits stay in the order of the input.
 *
 * CUDA kernels have their own copy of the order of a key.
 */
#ifndef GPUBENCH_COMMON_RADIX_TYPES_H
#define GPUBENCH_COMMON_RADIX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum radix_type {
	RADIX_U8,
	RADIX_U16,
	RADIX_U32,
	RADIX_U64,
	RADIX_I32,
	RADIX_I64,
	RADIX_F32,
	RADIX_F64,
	RADIX_TYPES
};

/* Value i: i in 32 bits, or a number that differs from all others (datasets/keys/keys.h). */
enum radix_values {
	RADIX_NO_VALUES,
	RADIX_INDEX_VALUES,
	RADIX_U32_VALUES,
	RADIX_U64_VALUES,
	RADIX_VALUES
};

/* Lengths of segments: as equal as possible, random, or random with a few long ones. */
enum radix_lengths {
	RADIX_EQUAL_LENGTHS,
	RADIX_UNIFORM_LENGTHS,
	RADIX_ZIPF_LENGTHS,
	RADIX_LENGTHS
};

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
	RADIX_NEARLY,  /* ascending but for about sqrt(count) keys */
	RADIX_SPECIAL, /* 16 keys: zeros, denormals, infinities and NaNs of both signs */
	RADIX_DISTRIBUTIONS,
};

struct radix_params {
	int64_t count;        /* keys; with a file: read at most this many, 0: all */
	int64_t type;         /* enum radix_type */
	int64_t distribution; /* enum radix_distribution; not used with a file */
	const char *file;     /* raw little-endian keys, or NULL */
	int64_t threads;
	int64_t seed;
	int64_t values;   /* enum radix_values */
	const char *bits; /* "LOW:HIGH", or NULL: all */
	int64_t segments;
	int64_t lengths; /* enum radix_lengths */
};

struct radix_input {
	size_t count;
	enum radix_type type;
	size_t key_size;        /* 1, 2, 4 or 8 */
	size_t value_size;      /* 0, 4 or 8 */
	int begin_bit, end_bit; /* sort by bits begin_bit .. end_bit - 1 of the order */
	size_t segments;        /* at least 1 */
	uint64_t *offsets; /* segment s: keys offsets[s] .. offsets[s + 1] - 1; NULL if it is 1 */
	void *keys, *values;
};

/* Bytes of a key. */
static inline size_t radix_key_size(enum radix_type type)
{
	return type < RADIX_U32 ? type - RADIX_U8 + 1U : type % 2 ? 8 : 4;
}

/* Key (or value) i of an array of elements of `size` bytes. */
static inline uint64_t radix_load(const void *array, size_t size, size_t i)
{
	switch (size) {
	case 1:
		return ((const uint8_t *)array)[i];
	case 2:
		return ((const uint16_t *)array)[i];
	case 4:
		return ((const uint32_t *)array)[i];
	default:
		return ((const uint64_t *)array)[i];
	}
}

static inline void radix_store(void *array, size_t size, size_t i, uint64_t bits)
{
	switch (size) {
	case 1:
		((uint8_t *)array)[i] = (uint8_t)bits;
		break;
	case 2:
		((uint16_t *)array)[i] = (uint16_t)bits;
		break;
	case 4:
		((uint32_t *)array)[i] = (uint32_t)bits;
		break;
	default:
		((uint64_t *)array)[i] = bits;
		break;
	}
}

/* The mask that turns a key into its order, or an order into its key, by an exclusive or. */
static inline uint64_t radix_flip(enum radix_type type, bool is_negative)
{
	const unsigned bits = 8 * (unsigned)radix_key_size(type);

	if (type < RADIX_I32)
		return 0;
	return type >= RADIX_F32 && is_negative ? UINT64_MAX >> (64 - bits)
						: UINT64_C(1) << (bits - 1);
}

/* The order of a key with these bits. */
static inline uint64_t radix_order(enum radix_type type, uint64_t bits)
{
	return bits ^ radix_flip(type, bits >> (8 * radix_key_size(type) - 1) & 1);
}

/* The bits of the key of this order. */
static inline uint64_t radix_bits(enum radix_type type, uint64_t order)
{
	return order ^ radix_flip(type, !(order >> (8 * radix_key_size(type) - 1) & 1));
}

/* True for what every variant sorts: u32, u64 and f32 keys, and u32 keys with 4-byte values, by all
 * bits, in one segment. */
static inline bool radix_is_basic(const struct radix_input *input)
{
	return input->begin_bit == 0 && input->end_bit == 8 * (int)input->key_size &&
	       input->segments == 1 &&
	       (input->value_size ? input->value_size == 4 && input->type == RADIX_U32
				  : input->type == RADIX_U32 || input->type == RADIX_U64 ||
					    input->type == RADIX_F32);
}
#define RADIX_BASIC "u32, u64 and f32 keys by all bits, and u32 keys with 4-byte values"

/* True if the sort is by all bits of the keys. */
static inline bool radix_sorts_whole_keys(const struct radix_input *input)
{
	return input->begin_bit == 0 && input->end_bit == 8 * (int)input->key_size;
}

/* An output is count keys and, from the next multiple of 8 bytes on, count values. */
static inline size_t radix_values_offset(const struct radix_input *input)
{
	const size_t bytes = input->count * input->key_size;

	return input->value_size ? (bytes + 7) / 8 * 8 : bytes;
}

static inline size_t radix_output_size(const struct radix_input *input)
{
	return radix_values_offset(input) + input->count * input->value_size;
}

static inline void *radix_output_values(const struct radix_input *input, void *output)
{
	return (unsigned char *)output + radix_values_offset(input);
}

#ifdef __cplusplus
}
#endif
#endif
