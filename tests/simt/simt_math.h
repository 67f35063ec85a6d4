/* simt_math.h -- the integer and floating-point intrinsics of CUDA that our kernels use. */
#ifndef GPUBENCH_TESTS_SIMT_SIMT_MATH_H
#define GPUBENCH_TESTS_SIMT_SIMT_MATH_H

static inline int __popc(unsigned x)
{
	return __builtin_popcount(x);
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

/* Byte i of the result is the byte of y:x that the low 3 bits of nibble i select; bit 3 replicates
 * its sign. */
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

#define __float_as_uint(x) std::bit_cast<unsigned>((float)(x))
#define __float_as_int(x)  std::bit_cast<int>((float)(x))
#define __uint_as_float(x) std::bit_cast<float>((unsigned)(x))

/* As in CUDA, arguments of two types are converted to their common type. */
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
