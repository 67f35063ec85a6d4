/* test_simd.c -- a*b+c is rounded twice with every instruction set, compiler and machine. */
#include <criterion/criterion.h>

#include "cpu/runtime/simd.h"

#if !defined(__x86_64__)
#undef CPU_AVX2_TARGET
#define CPU_AVX2_TARGET
#endif

static double plain(double a, double b, double c)
{
	return a * b + c;
}

CPU_AVX2_TARGET static double avx2(double a, double b, double c)
{
	return a * b + c;
}

CPU_AVX2_TARGET static float avx2_float(float a, float b, float c)
{
	return a * b + c;
}

Test(simd, products_are_rounded_before_they_are_added)
{
	/* The last bit of (1 + e)^2 = 1 + 2 e + e^2 remains only if it is not rounded. */
	static const volatile double a = 1 + 0x1p-30, c = -1 - 0x1p-29;
	static const volatile float f = 1 + 0x1p-14F, g = -1 - 0x1p-13F;

	cr_assert_eq(plain(a, a, c), 0);
#if defined(__x86_64__)
	if (cpu_simd() < CPU_AVX2)
		return;
#endif
	cr_assert_eq(avx2(a, a, c), 0);
	cr_assert_eq(avx2_float(f, f, g), 0);
}
