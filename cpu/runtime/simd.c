#include "cpu/runtime/simd.h"

#include <stdbool.h>

static enum cpu_simd limit = CPU_VBMI2;

void cpu_limit_simd(enum cpu_simd most)
{
	limit = most;
}

#if defined(__x86_64__)
#define HAS(feature) __builtin_cpu_supports(feature)
static bool has_avx2(void)
{
	return HAS("avx2") && HAS("fma") && HAS("popcnt") && HAS("bmi") && HAS("bmi2");
}

static bool has_avx512(void)
{
	return HAS("avx512f") && HAS("avx512bw") && HAS("avx512dq") && HAS("avx512vl") &&
	       HAS("avx512cd");
}

static bool has_vbmi2(void)
{
	return HAS("avx512vbmi") && HAS("avx512vbmi2") && HAS("avx512bitalg") &&
	       HAS("avx512vpopcntdq");
}
#endif

enum cpu_simd cpu_simd(void)
{
#if defined(__x86_64__)
	const enum cpu_simd best = !has_avx2()     ? CPU_PLAIN
				   : !has_avx512() ? CPU_AVX2
				   : !has_vbmi2()  ? CPU_AVX512
						   : CPU_VBMI2;
#elif defined(__aarch64__)
	const enum cpu_simd best = CPU_NEON;
#else
	const enum cpu_simd best = CPU_PLAIN;
#endif

	return best < limit ? best : limit;
}
