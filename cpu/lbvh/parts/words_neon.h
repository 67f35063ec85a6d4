/* words_neon.h -- the vector operations of kernels_body.h in NEON, eight lanes as two vectors;
 * words_plain.h describes them.
 *
 * Only f8_fma() fuses: every other product and sum is rounded alone, as common/lbvh.h demands.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_WORDS_NEON_H
#define GPUBENCH_CPU_LBVH_PARTS_WORDS_NEON_H

#include <arm_neon.h>
#include <stdint.h>

#define WORDS_FN static inline __attribute__((always_inline))

/* A function that is called from outside. */
#define WORDS_ENTRY static

struct lanes8 {
	float32x4_t low, high;
};

#define F8 struct lanes8

WORDS_FN F8 f8_set(float a)
{
	return (F8){ vdupq_n_f32(a), vdupq_n_f32(a) };
}

WORDS_FN F8 f8_load(const float *p)
{
	return (F8){ vld1q_f32(p), vld1q_f32(p + 4) };
}

WORDS_FN void f8_store(float *p, F8 a)
{
	vst1q_f32(p, a.low);
	vst1q_f32(p + 4, a.high);
}

/* FMIN and FMAX treat a NaN otherwise. */
WORDS_FN float32x4_t words_min(float32x4_t a, float32x4_t b)
{
	return vbslq_f32(vcltq_f32(a, b), a, b);
}

WORDS_FN float32x4_t words_max(float32x4_t a, float32x4_t b)
{
	return vbslq_f32(vcgtq_f32(a, b), a, b);
}

/* A bit for each lane that is all ones. */
WORDS_FN unsigned words_bits(uint32x4_t low, uint32x4_t high)
{
	static const uint16_t each[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };
	const uint16x8_t all = vuzp1q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));

	return vaddvq_u16(vandq_u16(all, vld1q_u16(each)));
}

#define WORDS_OF_TWO(name, of)                                       \
	WORDS_FN F8 f8_##name(F8 a, F8 b)                            \
	{                                                            \
		return (F8){ of(a.low, b.low), of(a.high, b.high) }; \
	}
#define WORDS_BITS(name, of)                                             \
	WORDS_FN unsigned f8_##name(F8 a, F8 b)                          \
	{                                                                \
		return words_bits(of(a.low, b.low), of(a.high, b.high)); \
	}

WORDS_OF_TWO(add, vaddq_f32)
WORDS_OF_TWO(sub, vsubq_f32)
WORDS_OF_TWO(mul, vmulq_f32)
WORDS_OF_TWO(div, vdivq_f32)
WORDS_OF_TWO(min, words_min)
WORDS_OF_TWO(max, words_max)
WORDS_OF_TWO(lower, vminq_f32)
WORDS_OF_TWO(upper, vmaxq_f32)
#define f8_lower f8_lower
#define f8_upper f8_upper
WORDS_BITS(le, vcleq_f32)
WORDS_BITS(lt, vcltq_f32)
WORDS_BITS(eq, vceqq_f32)

WORDS_FN F8 f8_fma(F8 a, F8 b, F8 c)
{
	return (F8){ vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high) };
}

WORDS_FN F8 f8_sqrt(F8 a)
{
	return (F8){ vsqrtq_f32(a.low), vsqrtq_f32(a.high) };
}

WORDS_FN F8 f8_abs(F8 a)
{
	return (F8){ vabsq_f32(a.low), vabsq_f32(a.high) };
}

WORDS_FN float f8_most(F8 a)
{
	return vmaxvq_f32(words_max(a.low, a.high));
}

/* Lanes whose bit is set become all ones: the first four, then the others. */
WORDS_FN uint32x4_t words_spread(unsigned bits, unsigned first)
{
	static const uint32_t each[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };

	return vtstq_u32(vdupq_n_u32(bits), vld1q_u32(each + first));
}

WORDS_FN F8 f8_select(F8 a, F8 b, unsigned bits)
{
	return (F8){ vbslq_f32(words_spread(bits, 0), b.low, a.low),
		     vbslq_f32(words_spread(bits, 4), b.high, a.high) };
}

WORDS_FN void f8_put(uint32_t *p, uint32_t v, unsigned bits)
{
	for (unsigned i = 0; i < 8; i += 4)
		vst1q_u32(p + i,
			  vbslq_u32(words_spread(bits, i), vdupq_n_u32(v), vld1q_u32(p + i)));
}

/* Four distances as integers of the same order, the lowest three bits replaced by the lane. */
WORDS_FN uint32x4_t words_keys(float32x4_t a, unsigned first)
{
	static const uint32_t lane[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };

	return vorrq_u32(vbicq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(7)),
			 vld1q_u32(lane + first));
}

WORDS_FN void f8_keys(uint32_t *p, F8 a)
{
	vst1q_u32(p, words_keys(a.low, 0));
	vst1q_u32(p + 4, words_keys(a.high, 4));
}

/* Compare lane i of both: the larger goes to *more. */
WORDS_FN void words_exchange(int32x4_t *more, int32x4_t *less)
{
	const int32x4_t a = *more, b = *less;

	*more = vmaxq_s32(a, b);
	*less = vminq_s32(a, b);
}

/* Store the entries of four keys, the first two of them to `to`, the others to to + 4. */
WORDS_FN void words_entries(struct lbvh_entry *to, uint8x16x2_t child, uint32x4_t key)
{
	/* The numbers of the bytes of a child. */
	const uint32x4_t byte =
		vmlaq_n_u32(vdupq_n_u32(0x03020100), vandq_u32(key, vdupq_n_u32(7)), 0x04040404);
	const uint32x4_t one = vreinterpretq_u32_u8(vqtbl2q_u8(child, vreinterpretq_u8_u32(byte)));
	const uint32x4_t distance = vbicq_u32(key, vdupq_n_u32(7));

	vst1q_u32((uint32_t *)(void *)to, vzip1q_u32(one, distance));
	vst1q_u32((uint32_t *)(void *)(to + 4), vzip2q_u32(one, distance));
}

/* f8_sort() of two lanes or more: a bitonic network over keys as f8_keys() makes them, and -1 for
 * lanes left out.  The numbers are those of the wires, the largest key on wire 0 in the end; at
 * first any lane may be any wire. */
WORDS_FN void words_sort(struct lbvh_entry *to, const uint32_t *child, F8 distance, unsigned bits)
{
	const uint8_t *const bytes = (const uint8_t *)child;
	const uint8x16x2_t children = { { vld1q_u8(bytes), vld1q_u8(bytes + 16) } };
	int32x4_t a = vreinterpretq_s32_u32(
		vornq_u32(words_keys(distance.low, 0), words_spread(bits, 0)));
	int32x4_t b = vreinterpretq_s32_u32(
		vornq_u32(words_keys(distance.high, 4), words_spread(bits, 4)));
	int32x4_t c, d;

	words_exchange(&a, &b); /* 0 2 4 6, 1 3 5 7 */
	b = vrev64q_s32(b);
	words_exchange(&a, &b); /* 0 1 4 5, 3 2 7 6 */
	c = vtrn1q_s32(a, b);
	d = vtrn2q_s32(a, b);
	words_exchange(&c, &d); /* 0 2 4 6, 1 3 5 7 */
	d = vrev64q_s32(d);
	d = vextq_s32(d, d, 2);
	words_exchange(&c, &d); /* 0 2 3 1, 7 5 4 6 */
	a = vtrn1q_s32(c, d);
	b = vtrn2q_s32(c, d);
	words_exchange(&a, &b); /* 0 5 1 4, 2 7 3 6 */
	c = vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
	d = vreinterpretq_s32_s64(vzip2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
	words_exchange(&c, &d); /* 0 4 2 6, 1 5 3 7 */
	words_entries(to, children, vreinterpretq_u32_s32(vzip1q_s32(c, d)));
	words_entries(to + 2, children, vreinterpretq_u32_s32(vzip2q_s32(c, d)));
}

/* Most rays enter one child of a node or none, which need no network. */
WORDS_FN uint32_t f8_sort(struct lbvh_entry *to, const uint32_t *child, F8 distance, unsigned bits)
{
	if (bits & (bits - 1)) {
		words_sort(to, child, distance, bits);
		return to[__builtin_popcount(bits) - 1].child;
	} else {
		const int i = __builtin_ctz(bits | 0x80);
		uint32_t key[8];

		vst1q_u32(key, vreinterpretq_u32_f32(distance.low));
		vst1q_u32(key + 4, vreinterpretq_u32_f32(distance.high));
		*to = (struct lbvh_entry){ child[i], key[i] & ~UINT32_C(7) };
		return to->child;
	}
}

#endif
