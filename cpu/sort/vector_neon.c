/* vector_neon.c -- sorts a leaf with NEON.
 *
 * Works like vector.c.  A table permutes each vector.  NEON has no mask of a bit per lane: the
 * lanes that a comparison finds are added up, which gives the entry of the table and their number.
 */
#include "cpu/sort/leaf.h"

#if defined(__aarch64__)

#include <arm_neon.h>
#include <string.h>

#include "cpu/sort/pivot.h"

#define INLINE __attribute__((always_inline))

static inline INLINE uint32x4_t xor_lanes_32(uint32x4_t v, unsigned c)
{
	if (c & 1)
		v = vrev64q_u32(v);
	return c & 2 ? vextq_u32(v, v, 2) : v;
}

/* Return high in the lanes whose number has c's highest bit, low elsewhere.  Both hold the same in
 * lanes i and i ^ c. */
static inline INLINE uint32x4_t blend_32(uint32x4_t low, unsigned c, uint32x4_t high)
{
	return c >= 2 ? vcombine_u32(vget_low_u32(low), vget_high_u32(high))
		      : vtrn1q_u32(low, high);
}

static inline INLINE uint64x2_t xor_lanes_64(uint64x2_t v, unsigned c)
{
	return c ? vextq_u64(v, v, 1) : v;
}

static inline INLINE uint64x2_t min_64(uint64x2_t a, uint64x2_t b)
{
	return vbslq_u64(vcgtq_u64(a, b), b, a);
}

static inline INLINE uint64x2_t max_64(uint64x2_t a, uint64x2_t b)
{
	return vbslq_u64(vcgtq_u64(a, b), a, b);
}

#define NAME(x)              x##_32
#define VECTOR               uint32x4_t
#define LANES                4
#define ATTRIBUTES           INLINE
#define MIN                  vminq_u32
#define MAX                  vmaxq_u32
#define MAX_AT(low, c, a, b) blend_32(low, c, vmaxq_u32(a, b))
#define XOR_LANES            xor_lanes_32
#include "cpu/sort/network.h"

#define NAME(x)              x##_64
#define VECTOR               uint64x2_t
#define LANES                2
#define ATTRIBUTES           INLINE
#define MIN                  min_64
#define MAX                  max_64
#define MAX_AT(low, c, a, b) vtrn1q_u64(low, max_64(a, b))
#define XOR_LANES            xor_lanes_64
#include "cpu/sort/network.h"

/* ---- pivots ------------------------------------------------------------------------------- */

/* Number of the lane that comes p-th if those of m are moved last, as the numbers of its bytes. */
#define LANE_AT(m, p) \
	((uint32_t)(RADIX_ORDER((m) | 0xf0U) >> 8 * (p)&3) * 0x04040404U + 0x03020100U)
#define LANES_AT(m)                                                        \
	{                                                                  \
		LANE_AT(m, 0), LANE_AT(m, 1), LANE_AT(m, 2), LANE_AT(m, 3) \
	}
#define LANES_AT_4(m) LANES_AT(m), LANES_AT((m) + 1), LANES_AT((m) + 2), LANES_AT((m) + 3)
static const uint32_t order[16][4] = { LANES_AT_4(0U), LANES_AT_4(4U), LANES_AT_4(8U),
				       LANES_AT_4(12U) };

/* A mask is the number of its 32-bit lanes in `order`, in bytes, and 0x100 for each key.  All lanes
 * together: */
enum { ALL_32 = 0x4f0, ALL_64 = 0x2f0 };

static inline INLINE unsigned mask_32(uint32x4_t found)
{
	static const uint32_t each[4] = { 0x110, 0x120, 0x140, 0x180 };

	return vaddvq_u32(vandq_u32(found, vld1q_u32(each)));
}

static inline INLINE unsigned mask_64(uint64x2_t found)
{
	static const uint64_t each[2] = { 0x130, 0x1c0 };

	return (unsigned)vaddvq_u64(vandq_u64(found, vld1q_u64(each)));
}

static inline INLINE uint8x16_t in_order(uint8x16_t v, unsigned mask)
{
	const char *const at = (const char *)order + (mask & 0xf0);

	return vqtbl1q_u8(v, vld1q_u8((const uint8_t *)at));
}

/* Load n <= 4 keys, and the largest key in the lanes behind. */
static inline INLINE uint32x4_t load_first_32(const uint32_t *from, size_t n)
{
	uint32x4_t v = vdupq_n_u32(UINT32_MAX);

	if (n == 4)
		return vld1q_u32(from);
	if (n & 1)
		v = vld1q_lane_u32(from + (n & 2), v, 0);
	return n & 2 ? vcombine_u32(vld1_u32(from), vget_low_u32(v)) : v;
}

static inline INLINE void store_first_32(uint32_t *to, size_t n, uint32x4_t v)
{
	if (n == 4) {
		vst1q_u32(to, v);
		return;
	}
	if (n & 2) {
		vst1_u32(to, vget_low_u32(v));
		v = vextq_u32(v, v, 2);
	}
	if (n & 1)
		vst1q_lane_u32(to + (n & 2), v, 0);
}

static inline INLINE uint64x2_t load_first_64(const uint64_t *from, size_t n)
{
	const uint64x2_t none = vdupq_n_u64(UINT64_MAX);

	return n >= 2 ? vld1q_u64(from) : n ? vld1q_lane_u64(from, none, 0) : none;
}

static inline INLINE void store_first_64(uint64_t *to, size_t n, uint64x2_t v)
{
	if (n >= 2)
		vst1q_u64(to, v);
	else if (n)
		vst1q_lane_u64(to, v, 0);
}

#define NAME(x) x##_32
#define KEY     uint32_t
#define VECTOR  uint32x4_t
#define LANES   4
#define ATTRIBUTES
#define LOAD               vld1q_u32
#define STORE              vst1q_u32
#define BROADCAST          vdupq_n_u32
#define LOAD_FIRST         load_first_32
#define STORE_FIRST        store_first_32
#define TO_ORDER(v)        (v)
#define GREATER(a, b)      mask_32(vcgtq_u32(a, b))
#define DIFFERENT(a, b)    mask_32(vmvnq_u32(vceqq_u32(a, b)))
#define LOW_FIRST(v, mask) vreinterpretq_u32_u8(in_order(vreinterpretq_u8_u32(v), mask))
#define COUNT(mask)        ((mask) >> 8)
#define OTHERS(mask)       (ALL_32 - (mask))
#define MIN                vminq_u32
#define MAX                vmaxq_u32
#include "cpu/sort/partition.h"

#define NAME(x) x##_64
#define KEY     uint64_t
#define VECTOR  uint64x2_t
#define LANES   2
#define ATTRIBUTES
#define LOAD          vld1q_u64
#define STORE         vst1q_u64
#define BROADCAST     vdupq_n_u64
#define LOAD_FIRST    load_first_64
#define STORE_FIRST   store_first_64
#define TO_ORDER(v)   (v)
#define GREATER(a, b) mask_64(vcgtq_u64(a, b))
#define DIFFERENT(a, b) \
	mask_64(vreinterpretq_u64_u32(vmvnq_u32(vreinterpretq_u32_u64(vceqq_u64(a, b)))))
#define LOW_FIRST(v, mask) vreinterpretq_u64_u8(in_order(vreinterpretq_u8_u64(v), mask))
#define COUNT(mask)        ((mask) >> 8)
#define OTHERS(mask)       (ALL_64 - (mask))
#define MIN                min_64
#define MAX                max_64
#include "cpu/sort/partition.h"

/* ---- the leaf ----------------------------------------------------------------------------- */

void radix_leaf_pivots(const struct radix_leaf *leaf, enum cpu_simd simd)
{
	if (leaf->width == 8)
		sort_leaf_64(leaf);
	else
		sort_leaf_32(leaf);
}

struct radix_cut radix_leaf_cut(const struct radix_leaf *leaf, enum cpu_simd simd)
{
	return leaf->width == 8 ? cut_leaf_64(leaf) : cut_leaf_32(leaf);
}

void radix_merge_vectors(void *to, const void *left, size_t lefts, size_t rights, size_t width,
			 enum cpu_simd simd)
{
	if (width == 8)
		merge_64(to, left, lefts, rights);
	else
		merge_32(to, left, lefts, rights);
}

#endif
