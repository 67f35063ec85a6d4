/* lbvh_lanes_plain.h -- the words of lbvh_kernels_body.h in portable C.
 *
 * Eight floats side by side; a comparison gives a bit per lane, lane 0 lowest.  min and max are
 * `a < b ? a : b` and `a > b ? a : b`: with a NaN in a, the result is b.  The loops have constant
 * bounds, and compilers make vectors of them.
 */
#ifndef GPUBENCH_CPU_LBVH_LANES_H
#define GPUBENCH_CPU_LBVH_LANES_H

#include <math.h>
#include <stdint.h>

#define LANES_FN static inline

struct lanes8 {
	float lane[8];
};

/* A function that is called from outside. */
#define LANES_ENTRY

#define F8 struct lanes8

#define LANES_EACH(result, expression)           \
	do {                                     \
		for (int i = 0; i < 8; i++)      \
			(result) = (expression); \
	} while (0)

LANES_FN F8 f8_set(float a)
{
	F8 r;

	LANES_EACH(r.lane[i], a);
	return r;
}

LANES_FN F8 f8_load(const float *p)
{
	F8 r;

	LANES_EACH(r.lane[i], p[i]);
	return r;
}

LANES_FN void f8_store(float *p, F8 a)
{
	LANES_EACH(p[i], a.lane[i]);
}

LANES_FN F8 f8_add(F8 a, F8 b)
{
	LANES_EACH(a.lane[i], a.lane[i] + b.lane[i]);
	return a;
}

LANES_FN F8 f8_sub(F8 a, F8 b)
{
	LANES_EACH(a.lane[i], a.lane[i] - b.lane[i]);
	return a;
}

LANES_FN F8 f8_mul(F8 a, F8 b)
{
	LANES_EACH(a.lane[i], a.lane[i] * b.lane[i]);
	return a;
}

LANES_FN F8 f8_div(F8 a, F8 b)
{
	LANES_EACH(a.lane[i], a.lane[i] / b.lane[i]);
	return a;
}

LANES_FN F8 f8_sqrt(F8 a)
{
	LANES_EACH(a.lane[i], sqrtf(a.lane[i]));
	return a;
}

LANES_FN F8 f8_abs(F8 a)
{
	LANES_EACH(a.lane[i], fabsf(a.lane[i]));
	return a;
}

LANES_FN F8 f8_min(F8 a, F8 b)
{
	LANES_EACH(a.lane[i], a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
	return a;
}

LANES_FN F8 f8_max(F8 a, F8 b)
{
	LANES_EACH(a.lane[i], a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
	return a;
}

LANES_FN unsigned f8_le(F8 a, F8 b)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= (unsigned)(a.lane[i] <= b.lane[i]) << i;
	return bits;
}

LANES_FN unsigned f8_lt(F8 a, F8 b)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= (unsigned)(a.lane[i] < b.lane[i]) << i;
	return bits;
}

LANES_FN unsigned f8_eq(F8 a, F8 b)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < 8; i++)
		bits |= (unsigned)(a.lane[i] == b.lane[i]) << i;
	return bits;
}

/* b where the bit is set, else a */
LANES_FN F8 f8_select(F8 a, F8 b, unsigned bits)
{
	LANES_EACH(a.lane[i], bits >> i & 1 ? b.lane[i] : a.lane[i]);
	return a;
}

/* v to p[i] where the bit is set */
LANES_FN void f8_put(uint32_t *p, uint32_t v, unsigned bits)
{
	for (int i = 0; i < 8; i++)
		p[i] = bits >> i & 1 ? v : p[i];
}

LANES_FN void lanes_prefetch(const void *p)
{
	__builtin_prefetch(p);
}

/* Packets are eight lanes wide, too. */
#define FW        F8
#define FW_LANES  8
#define fw_set    f8_set
#define fw_load   f8_load
#define fw_store  f8_store
#define fw_add    f8_add
#define fw_sub    f8_sub
#define fw_mul    f8_mul
#define fw_div    f8_div
#define fw_sqrt   f8_sqrt
#define fw_abs    f8_abs
#define fw_min    f8_min
#define fw_max    f8_max
#define fw_le     f8_le
#define fw_lt     f8_lt
#define fw_eq     f8_eq
#define fw_select f8_select
#define fw_put    f8_put

#endif
