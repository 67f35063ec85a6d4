/* words_plain.h -- the vector operations of kernels_body.h in portable C.
 *
 * A vector is eight floats; a comparison gives a bit per lane, lane 0 lowest.  min and max are
 * `a < b ? a : b` and `a > b ? a : b`: with a NaN in a, the result is b.  The loops have constant
 * bounds, so that compilers vectorise them.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_WORDS_PLAIN_H
#define GPUBENCH_CPU_LBVH_PARTS_WORDS_PLAIN_H

#include <math.h>
#include <stdint.h>

#define WORDS_FN static inline

/* A function that is called from outside. */
#define WORDS_ENTRY static

struct lanes8 {
	float lane[8];
};

#define F8 struct lanes8

#define WORDS_EACH(result, expression)           \
	do {                                     \
		for (int i = 0; i < 8; i++)      \
			(result) = (expression); \
	} while (0)

WORDS_FN F8 f8_set(float a)
{
	F8 r;

	WORDS_EACH(r.lane[i], a);
	return r;
}

WORDS_FN F8 f8_load(const float *p)
{
	F8 r;

	WORDS_EACH(r.lane[i], p[i]);
	return r;
}

WORDS_FN void f8_store(float *p, F8 a)
{
	WORDS_EACH(p[i], a.lane[i]);
}

WORDS_FN F8 f8_add(F8 a, F8 b)
{
	WORDS_EACH(a.lane[i], a.lane[i] + b.lane[i]);
	return a;
}

WORDS_FN F8 f8_sub(F8 a, F8 b)
{
	WORDS_EACH(a.lane[i], a.lane[i] - b.lane[i]);
	return a;
}

WORDS_FN F8 f8_mul(F8 a, F8 b)
{
	WORDS_EACH(a.lane[i], a.lane[i] * b.lane[i]);
	return a;
}

/* a * b + c, rounded once or twice: only for values that need not be the same everywhere */
WORDS_FN F8 f8_fma(F8 a, F8 b, F8 c)
{
	WORDS_EACH(c.lane[i], a.lane[i] * b.lane[i] + c.lane[i]);
	return c;
}

WORDS_FN F8 f8_div(F8 a, F8 b)
{
	WORDS_EACH(a.lane[i], a.lane[i] / b.lane[i]);
	return a;
}

WORDS_FN F8 f8_sqrt(F8 a)
{
	WORDS_EACH(a.lane[i], sqrtf(a.lane[i]));
	return a;
}

WORDS_FN F8 f8_abs(F8 a)
{
	WORDS_EACH(a.lane[i], fabsf(a.lane[i]));
	return a;
}

WORDS_FN F8 f8_min(F8 a, F8 b)
{
	WORDS_EACH(a.lane[i], a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
	return a;
}

WORDS_FN F8 f8_max(F8 a, F8 b)
{
	WORDS_EACH(a.lane[i], a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
	return a;
}

/* the largest lane */
WORDS_FN float f8_most(F8 a)
{
	for (int i = 1; i < 8; i++)
		a.lane[0] = a.lane[0] > a.lane[i] ? a.lane[0] : a.lane[i];
	return a.lane[0];
}

WORDS_FN unsigned f8_le(F8 a, F8 b)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= (unsigned)(a.lane[i] <= b.lane[i]) << i;
	return bits;
}

WORDS_FN unsigned f8_lt(F8 a, F8 b)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= (unsigned)(a.lane[i] < b.lane[i]) << i;
	return bits;
}

WORDS_FN unsigned f8_eq(F8 a, F8 b)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= (unsigned)(a.lane[i] == b.lane[i]) << i;
	return bits;
}

/* b where the bit is set, else a */
WORDS_FN F8 f8_select(F8 a, F8 b, unsigned bits)
{
	WORDS_EACH(a.lane[i], bits >> i & 1 ? b.lane[i] : a.lane[i]);
	return a;
}

/* store v to p[i] where the bit is set */
WORDS_FN void f8_put(uint32_t *p, uint32_t v, unsigned bits)
{
	for (int i = 0; i < 8; i++)
		p[i] = bits >> i & 1 ? v : p[i];
}

/* Distances as integers of the same order, the lowest three bits replaced by the lane. */
WORDS_FN void f8_keys(uint32_t *p, F8 a)
{
	for (uint32_t i = 0; i < 8; i++)
		p[i] = ((union lbvh_distance){ a.lane[i] }.bits & ~UINT32_C(7)) | i;
}

/* Store child and distance of the lanes set in `bits`, one entry each, from the farthest to the
 * nearest.  Distances are not negative; their lowest three bits are ignored and stored as 0.  There
 * is room for eight entries; those behind the last are undefined.  Returns the nearest child; any
 * number if `bits` is 0. */
WORDS_FN uint32_t f8_sort(struct lbvh_entry *to, const uint32_t *child, F8 distance, unsigned bits)
{
	unsigned count = 0;

	for (; bits; bits &= bits - 1) {
		const int i = __builtin_ctz(bits);
		const uint32_t key = (union lbvh_distance){ distance.lane[i] }.bits & ~UINT32_C(7);
		unsigned k = count++;

		for (; k > 0 && to[k - 1].key <= key; k--)
			to[k] = to[k - 1];
		to[k] = (struct lbvh_entry){ child[i], key };
	}
	return count ? to[count - 1].child : 0;
}

#endif
