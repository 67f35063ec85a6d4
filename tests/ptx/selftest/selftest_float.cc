/* selftest_float.cc -- floating point, checked with more precise arithmetic rounded once.
 *
 * Sums, products, quotients and square roots of floats are computed with the 64-bit mantissa of
 * long double: double rounding is harmless for 24 bits (2p + 2 <= 64).  Doubles are computed with
 * the 113 bits of __float128.
 */
#include <math.h>
#include <string.h>

#include <bit>

#include "tests/ptx/selftest/selftest.h"

/* The number with these bits. */
template <class T> static T of_bits(uint64_t v)
{
	T x;

	memcpy(&x, &v, sizeof x);
	return x;
}

static uint64_t bits_of(float x)
{
	return x != x ? 0x7fffffff : std::bit_cast<uint32_t>(x);
}

static uint64_t bits_of(double x)
{
	return std::bit_cast<uint64_t>(x);
}

static const std::vector<uint64_t> floats = {
	0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
	0xffc01234, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff,
	0x3f000000, 0x3fc00000, 0x40200000, 0xbf000000, 0xc0200000, 0x3effffff, 0x4b7fffff,
	0x4b800001, 0x4effffff, 0x4f000000, 0x4f000001, 0xcf000000, 0xcf000001, 0x4f7fffff,
	0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000, 0x5f800000, 0x33800000, 0x33800001,
	0x3f7fffff, 0x3f800001, 0x40490fdb, 0xc2f6e979, 0x1e3ce508, 0x60ad78ec,
};
static const std::vector<uint64_t> doubles = {
	0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
	0x7ff0000000000000, 0xfff0000000000000, 0x0000000000000001, 0x000fffffffffffff,
	0x0010000000000000, 0x7fefffffffffffff, 0x3fe0000000000000, 0x3ff8000000000000,
	0x4004000000000000, 0xbfe0000000000000, 0x41dfffffffc00000, 0x41e0000000000000,
	0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000,
	0x43e0000000000000, 0xc3e0000000000000, 0x43f0000000000000, 0x400921fb54442d18,
	0xc05edd2f1a9fbe77, 0x3ca0000000000001, 0x7ff8000000000000,
};

/* ---- arithmetic -------------------------------------------------------------------------- */

/* The lesser number: -0 is before +0, and a number before NaN. */
template <class T> static T least(T a, T b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	if (a == 0 && b == 0)
		return signbit(a) || signbit(b) ? -(T)0 : (T)0;
	return a < b ? a : b;
}

/* a * b is exact in a double.  Its sum with c is rounded to odd, so that the second rounding, to 24
 * bits, is correct (Boldo and Melquiond 2008). */
static float fused(float a, float b, float c)
{
	const double product = (double)a * (double)b, sum = product + (double)c;
	const double back = sum - product;
	const double error = (product - (sum - back)) + ((double)c - back);
	uint64_t bits = bits_of(sum);

	if (isfinite(sum) && error != 0 && !(bits & 1))
		bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
	return (float)of_bits<double>(bits);
}

#define F(n) of_bits<float>(v[n])
#define D(n) of_bits<double>(v[n])
#define E(form, operands, value)                                                      \
	{                                                                             \
		form, operands, [](const uint64_t *v) -> uint64_t { return (value); } \
	}
/* For type T, computed in W; x converts an operand. */
#define BOTH(type, w, T, W, x)                                                             \
	E("add" type, w "=" w w, bits_of((T)((W)x(0) + (W)x(1)))),                         \
		E("add.rn" type, w "=" w w, bits_of((T)((W)x(0) + (W)x(1)))),              \
		E("sub" type, w "=" w w, bits_of((T)((W)x(0) - (W)x(1)))),                 \
		E("sub.rn" type, w "=" w w, bits_of((T)((W)x(0) - (W)x(1)))),              \
		E("mul" type, w "=" w w, bits_of((T)((W)x(0) * (W)x(1)))),                 \
		E("mul.rn" type, w "=" w w, bits_of((T)((W)x(0) * (W)x(1)))),              \
		E("div.rn" type, w "=" w w, bits_of((T)((W)x(0) / (W)x(1)))),              \
		E("rcp.rn" type, w "=" w, bits_of((T)(1 / (W)x(0)))),                      \
		E("min" type, w "=" w w, bits_of(least(x(0), x(1)))),                      \
		E("max" type, w "=" w w, bits_of(-least(-x(0), -x(1)))),                   \
		E("neg" type, w "=" w, v[0] ^ 1ull << (8 * sizeof(T) - 1)),                \
		E("abs" type, w "=" w, v[0] & ~(1ull << (8 * sizeof(T) - 1))),             \
		E("setp.eq" type, "0=" w w, x(0) == x(1)),                                 \
		E("setp.ne" type, "0=" w w, !isnan(x(0)) && !isnan(x(1)) && x(0) != x(1)), \
		E("setp.lt" type, "0=" w w, x(0) < x(1)),                                  \
		E("setp.le" type, "0=" w w, x(0) <= x(1)),                                 \
		E("setp.gt" type, "0=" w w, x(0) > x(1)),                                  \
		E("setp.ge" type, "0=" w w, x(0) >= x(1)),                                 \
		E("setp.equ" type, "0=" w w, !(x(0) < x(1)) && !(x(0) > x(1))),            \
		E("setp.neu" type, "0=" w w, !(x(0) == x(1))),                             \
		E("setp.ltu" type, "0=" w w, !(x(0) >= x(1))),                             \
		E("setp.leu" type, "0=" w w, !(x(0) > x(1))),                              \
		E("setp.gtu" type, "0=" w w, !(x(0) <= x(1))),                             \
		E("setp.geu" type, "0=" w w, !(x(0) < x(1))),                              \
		E("setp.num" type, "0=" w w, !isnan(x(0)) && !isnan(x(1))),                \
		E("setp.nan" type, "0=" w w, isnan(x(0)) || isnan(x(1)))

static const struct expectation single[] = {
	BOTH(".f32", "4", float, long double, F),
	E("sqrt.rn.f32", "4=4", bits_of((float)sqrtl((long double)F(0)))),
	E("fma.rn.f32", "4=444", bits_of(fused(F(0), F(1), F(2)))),
};
static const struct expectation twice[] = { BOTH(".f64", "8", double, __float128, D) };

/* ---- conversions ------------------------------------------------------------------------- */

/* Round explicitly, using the integers around x. */
static long double whole(long double x, char how)
{
	if (isnan(x) || isinf(x) || fabsl(x) > 0x1p62L)
		return x;
	const long double below = (long double)(int64_t)x - (x < (long double)(int64_t)x);
	const long double part = x - below;
	const bool odd = (int64_t)below & 1;

	if (part == 0 || how == 'm' || (how == 'z' && x > 0))
		return below;
	if (how == 'p' || how == 'z')
		return below + 1;
	return part > .5L || (part == .5L && odd) ? below + 1 : below;
}

/* The nearest number in range.  NaN is zero, or the lowest number if 64 bits are involved. */
static uint64_t to_int(long double x, char how, unsigned bits, bool sign, bool from_double)
{
	const long double w = whole(x, how);
	const long double most = sign ? ldexpl(1, (int)bits - 1) : ldexpl(1, (int)bits);

	if (isnan(x))
		return bits == 64 || from_double ? 1ull << (bits - 1) : 0;
	if (w >= most)
		return sign ? (1ull << (bits - 1)) - 1 : bits == 64 ? ~0ull : (1ull << bits) - 1;
	if (w < (sign ? -most : 0))
		return sign ? 1ull << (bits - 1) : 0;
	return w < 0 ? 0 - (uint64_t)-w : (uint64_t)w;
}

#define TO(name, how, bits, sign) \
	E("cvt." name ".f32", #bits[0] == '6' ? "8=4" : "4=4", to_int(F(0), how, bits, sign, false))

static const struct expectation from_single[] = {
	TO("rzi.s32", 'z', 32, true),
	TO("rzi.u32", 'z', 32, false),
	TO("rni.s32", 'n', 32, true),
	TO("rmi.s32", 'm', 32, true),
	TO("rpi.s32", 'p', 32, true),
	TO("rzi.s64", 'z', 64, true),
	TO("rzi.u64", 'z', 64, false),
	TO("rni.u32", 'n', 32, false),
	E("cvt.f64.f32", "8=4", bits_of((double)F(0))),
	E("cvt.rmi.f32.f32", "4=4",
	  bits_of((float)whole(F(0), 'm') == 0 ? copysignf(0, F(0)) : (float)whole(F(0), 'm'))),
};

static const struct expectation from_double[] = {
	E("cvt.rzi.s32.f64", "4=8", to_int(D(0), 'z', 32, true, true)),
	E("cvt.rzi.u32.f64", "4=8", to_int(D(0), 'z', 32, false, true)),
	E("cvt.rzi.s64.f64", "8=8", to_int(D(0), 'z', 64, true, true)),
	E("cvt.rzi.u64.f64", "8=8", to_int(D(0), 'z', 64, false, true)),
	E("cvt.rn.f32.f64", "4=8", bits_of((float)D(0))),
	E("cvt.rmi.f64.f64", "8=8",
	  bits_of((double)whole(D(0), 'm') == 0 ? copysign(0, D(0)) : (double)whole(D(0), 'm'))),
};

static const struct expectation from_integer[] = {
	E("cvt.rn.f32.s32", "4=4", bits_of((float)(long double)as_signed(v[0], 32))),
	E("cvt.rn.f32.u32", "4=4", bits_of((float)(long double)low(v[0], 32))),
	E("cvt.rn.f32.s64", "4=8", bits_of((float)(long double)as_signed(v[0], 64))),
	E("cvt.rn.f32.u64", "4=8", bits_of((float)(long double)v[0])),
	E("cvt.rn.f64.s32", "8=4", bits_of((double)(long double)as_signed(v[0], 32))),
	E("cvt.rn.f64.u32", "8=4", bits_of((double)(long double)low(v[0], 32))),
	E("cvt.rn.f64.s64", "8=8", bits_of((double)(long double)as_signed(v[0], 64))),
	E("cvt.rn.f64.u64", "8=8", bits_of((double)(long double)v[0])),
};

void test_floats(void)
{
	static const std::vector<uint64_t> integers = {
		0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x0000000000000003,
		0xffffffffffffffff, 0x000000007fffffff, 0x0000000080000000, 0x00000000ffffffff,
		0x00000000ffffff7f, 0x0000000001000001, 0x0000000001000003, 0x00000000ff000001,
		0x0020000000000001, 0x8000000000000000, 0x7fffffffffffffff, 0x8000008000000000,
		0x8000008000000001, 0x7fffffbfffffffff, 0xfffffffffffffbff,
	};

	check_all(single, floats);
	check_all(from_single, floats);
	check_all(twice, doubles);
	check_all(from_double, doubles);
	check_all(from_integer, integers);
}
