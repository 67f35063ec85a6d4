/* simt_math.h -- CUDA's integer and floating-point intrinsics.
 *
 * The _rn forms are what a CPU does; _rz, _rd and _ru conversions round as named.  Approximate
 * functions (rsqrtf, __expf, ...) are exact here: their error is the hardware's alone.
 */
#ifndef GPUBENCH_TESTS_SIMT_SIMT_MATH_H
#define GPUBENCH_TESTS_SIMT_SIMT_MATH_H

/* ---- bits --------------------------------------------------------------------------------- */

static inline int __popc(unsigned x)
{
	return __builtin_popcount(x);
}

static inline int __popcll(unsigned long long x)
{
	return __builtin_popcountll(x);
}

static inline int __clz(int x)
{
	return x ? __builtin_clz((unsigned)x) : 32;
}

static inline int __clzll(long long x)
{
	return x ? __builtin_clzll((unsigned long long)x) : 64;
}

static inline int __ffs(int x)
{
	return __builtin_ffs(x);
}

static inline int __ffsll(long long x)
{
	return __builtin_ffsll(x);
}

static inline unsigned long long __brevll(unsigned long long x)
{
	unsigned long long reversed = 0;

	for (int i = 0; i < 64; i++)
		reversed |= (x >> i & 1) << (63 - i);
	return reversed;
}

static inline unsigned __brev(unsigned x)
{
	return (unsigned)(__brevll(x) >> 32);
}

/* Byte i of the result is byte (selector nibble i, low 3 bits) of y:x; bit 3 spreads its sign. */
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
	const uint64_t bytes = (uint64_t)y << 32 | x;
	unsigned result = 0;

	for (unsigned i = 0; i < 4; i++) {
		const unsigned nibble = selector >> (4 * i) & 15;
		unsigned byte = (unsigned)(bytes >> (8 * (nibble & 7))) & 0xff;

		if (nibble & 8)
			byte = byte & 0x80 ? 0xff : 0;
		result |= byte << (8 * i);
	}
	return result;
}

static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
	return (unsigned)((((uint64_t)high << 32 | low) << (shift & 31)) >> 32);
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
	return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}

static inline unsigned __umulhi(unsigned a, unsigned b)
{
	return (unsigned)(((uint64_t)a * b) >> 32);
}

static inline int __mulhi(int a, int b)
{
	return (int)(((int64_t)a * b) >> 32);
}

static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
	return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}

static inline unsigned __sad(int a, int b, unsigned c)
{
	return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}

/* ---- the same bits in another type ---------------------------------------------------------- */

template <class To, class From> static inline To simt_cast(From value)
{
	static_assert(sizeof(To) == sizeof(From), "same size");
	To result;

	memcpy(&result, &value, sizeof result);
	return result;
}

#define __float_as_uint(x)      simt_cast<unsigned>((float)(x))
#define __float_as_int(x)       simt_cast<int>((float)(x))
#define __uint_as_float(x)      simt_cast<float>((unsigned)(x))
#define __int_as_float(x)       simt_cast<float>((int)(x))
#define __double_as_longlong(x) simt_cast<long long>((double)(x))
#define __longlong_as_double(x) simt_cast<double>((long long)(x))

/* ---- floating point ------------------------------------------------------------------------ */

static inline float rsqrtf(float x)
{
	return 1.0f / sqrtf(x);
}

static inline double rsqrt(double x)
{
	return 1.0 / sqrt(x);
}

static inline float __saturatef(float x)
{
	return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

#define __fadd_rn(a, b)      ((float)(a) + (float)(b))
#define __fsub_rn(a, b)      ((float)(a) - (float)(b))
#define __fmul_rn(a, b)      ((float)(a) * (float)(b))
#define __fdiv_rn(a, b)      ((float)(a) / (float)(b))
#define __fmaf_rn(a, b, c)   fmaf(a, b, c)
#define __fsqrt_rn(a)        sqrtf(a)
#define __frcp_rn(a)         (1.0f / (float)(a))
#define __dadd_rn(a, b)      ((double)(a) + (double)(b))
#define __dmul_rn(a, b)      ((double)(a) * (double)(b))
#define __fma_rn(a, b, c)    fma(a, b, c)
#define __dsqrt_rn(a)        sqrt(a)
#define __fdividef(a, b)     ((float)(a) / (float)(b))
#define __expf(x)            expf(x)
#define __logf(x)            logf(x)
#define __log2f(x)           log2f(x)
#define __powf(x, y)         powf(x, y)
#define __float2int_rn(x)    ((int)rintf(x))
#define __float2int_rz(x)    ((int)(x))
#define __float2int_rd(x)    ((int)floorf(x))
#define __float2int_ru(x)    ((int)ceilf(x))
#define __float2uint_rn(x)   ((unsigned)rintf(x))
#define __float2uint_rz(x)   ((unsigned)(x))
#define __float2uint_rd(x)   ((unsigned)floorf(x))
#define __float2uint_ru(x)   ((unsigned)ceilf(x))
#define __int2float_rn(x)    ((float)(int)(x))
#define __uint2float_rn(x)   ((float)(unsigned)(x))
#define __double2int_rn(x)   ((int)rint(x))
#define __double2float_rn(x) ((float)(double)(x))

/* As CUDA's overloads: arguments of two types meet in their common type. */
template <class A, class B> static inline typename std::common_type<A, B>::type min(A a, B b)
{
	typedef typename std::common_type<A, B>::type T;

	return (T)b < (T)a ? (T)b : (T)a;
}

template <class A, class B> static inline typename std::common_type<A, B>::type max(A a, B b)
{
	typedef typename std::common_type<A, B>::type T;

	return (T)a < (T)b ? (T)b : (T)a;
}

#endif
