/* sums_neon.c -- sums of a block with NEON: 64 words of the field, sixteen at a time.
 *
 * Sums of up to 64 fit in a byte, so neighbours are added pairwise as bytes.  To pack them, halves
 * of lanes are joined, which doubles the lanes and leaves a gap at the top of each, until a sum
 * fills whole bytes; a table then moves these together.
 */
#include "cpu/cbt/parts/sums.h"

#if defined(__aarch64__)

#include <arm_neon.h>

typedef uint8x16_t lanes_8;
typedef uint16x8_t lanes_16;
typedef uint32x4_t lanes_32;
typedef uint64x2_t lanes_64;

/* Move the number in the upper half of each lane of `size` bits behind the lowest `bits` bits. */
#define JOIN(v, size, bits)                          \
	((lanes_8)vsliq_n_u##size((lanes_##size)(v), \
				  vshrq_n_u##size((lanes_##size)(v), (size) / 2), bits))

/* The place of byte k, of which only the first `used` in each `size` count. */
#define AT(k, used, size) ((k) / (used) * (size) + (k) % (used))
#define AT_4(k, used, size) \
	AT(k, used, size), AT((k) + 1, used, size), AT((k) + 2, used, size), AT((k) + 3, used, size)
#define AT_16(k, used, size)                                                       \
	AT_4(k, used, size), AT_4((k) + 4, used, size), AT_4((k) + 8, used, size), \
		AT_4((k) + 12, used, size)
static const uint8_t three_of_4[] = { AT_16(0, 3, 4), AT_16(16, 3, 4), AT_16(32, 3, 4) };
static const uint8_t five_of_8[] = { AT_16(0, 5, 8), AT_16(16, 5, 8), AT_4(32, 5, 8),
				     AT_4(36, 5, 8) };
static const uint8_t seven_of_8[] = { AT_16(0, 7, 8), AT_16(16, 7, 8), AT_16(32, 7, 8),
				      AT_4(48, 7, 8), AT_4(52, 7, 8) };

/* Store the bytes of four vectors that the table names, a multiple of eight. */
CBT_ALWAYS void put_bytes(uint64_t *to, const lanes_8 from[4], const uint8_t *table, size_t bytes)
{
	const uint8x16x4_t all = { { from[0], from[1], from[2], from[3] } };
	uint8_t *byte = (uint8_t *)to;
	size_t k = 0;

	for (; k + 16 <= bytes; k += 16)
		vst1q_u8(byte + k, vqtbl4q_u8(all, vld1q_u8(table + k)));
	if (k < bytes)
		vst1_u8(byte + k, vqtbl4_u8(all, vld1_u8(table + k)));
}

/* Compute levels D-1 and D-2 of two words. */
CBT_ALWAYS lanes_8 sum_pairs(lanes_8 x, uint64_t *level_1)
{
	const lanes_8 m1 = vdupq_n_u8(0x55), m2 = vdupq_n_u8(0x33);

	x = vsubq_u8(x, vandq_u8(vshrq_n_u8(x, 1), m1));
	vst1q_u8((uint8_t *)level_1, x);
	x = vaddq_u8(vandq_u8(x, m2), vandq_u8(vshrq_n_u8(x, 2), m2));
	return JOIN(JOIN(JOIN(x, 8, 3), 16, 6), 32, 12);
}

/* Compute levels D-1 to D-4 of sixteen words from number `first` on.  five, six: their sums of
 * levels D-5 and D-6, one per byte. */
CBT_ALWAYS void sum_sixteen(const struct cbt_rows *r, size_t first, lanes_8 five[2], lanes_8 *six)
{
	lanes_8 two[8], three[8], four[4], joined[4];

#pragma GCC unroll 8
	for (size_t i = 0; i < 8; i++) {
		const size_t word = first + 2 * i;
		const lanes_8 x = vld1q_u8((const uint8_t *)(r->field + word));

		two[i] = sum_pairs(x, r->level[1] + word);
		three[i] = vcntq_u8(x);
	}
	put_bytes(r->level[2] + first / 4 * 3, two, three_of_4, 48);
	put_bytes(r->level[2] + first / 4 * 3 + 6, two + 4, three_of_4, 48);
#pragma GCC unroll 4
	for (size_t i = 0; i < 4; i++) {
		const lanes_8 even = vuzp1q_u8(three[2 * i], three[2 * i + 1]);
		const lanes_8 odd = vuzp2q_u8(three[2 * i], three[2 * i + 1]);

		vst1q_u8((uint8_t *)(r->level[3] + first / 2 + 2 * i), vsliq_n_u8(even, odd, 4));
		four[i] = vaddq_u8(even, odd);
		joined[i] = JOIN(JOIN(JOIN(four[i], 16, 5), 32, 10), 64, 20);
	}
	put_bytes(r->level[4] + first / 16 * 5, joined, five_of_8, 40);
	for (size_t i = 0; i < 2; i++)
		five[i] = vpaddq_u8(four[2 * i], four[2 * i + 1]);
	*six = vpaddq_u8(five[0], five[1]);
}

CBT_ALWAYS void widen(uint32_t *count, lanes_8 six)
{
	const lanes_16 low = vmovl_u8(vget_low_u8(six)), high = vmovl_high_u8(six);

	vst1q_u32(count, vmovl_u16(vget_low_u16(low)));
	vst1q_u32(count + 4, vmovl_high_u16(low));
	vst1q_u32(count + 8, vmovl_u16(vget_low_u16(high)));
	vst1q_u32(count + 12, vmovl_high_u16(high));
}

void cbt_sum_block_neon(const struct cbt_rows *r, uint32_t *count)
{
	lanes_8 five[8], six[4];

	for (size_t g = 0; g < 4; g++) {
		sum_sixteen(r, 16 * g, five + 2 * g, six + g);
		widen(count + 16 * g, six[g]);
		six[g] = JOIN(JOIN(JOIN(six[g], 16, 7), 32, 14), 64, 28);
	}
	for (size_t i = 0; i < 8; i++)
		five[i] = JOIN(JOIN(five[i], 16, 6), 32, 12);
	put_bytes(r->level[5], five, three_of_4, 48);
	put_bytes(r->level[5] + 6, five + 4, three_of_4, 48);
	put_bytes(r->level[6], six, seven_of_8, 56);
}

#endif
