/* simd.h -- the processor's vector instruction sets, detected in this one place.
 *
 * A level includes all levels before it.  Variants call cpu_simd() once, in create(), and choose a
 * function compiled with the level's target attribute; there is always a plain one.
 */
#ifndef GPUBENCH_CPU_RUNTIME_SIMD_H
#define GPUBENCH_CPU_RUNTIME_SIMD_H

#ifdef __cplusplus
extern "C" {
#endif

enum cpu_simd {
	CPU_PLAIN, /* portable C */
#if defined(__aarch64__)
	CPU_NEON, /* all 64-bit ARM processors, which have no other level */
#endif
	CPU_AVX2,   /* AVX2, FMA, POPCNT, BMI, BMI2: from Haswell and Zen on */
	CPU_AVX512, /* F, BW, DQ, VL, CD: from Skylake-X and Zen 4 on */
	CPU_VBMI2,  /* VBMI, VBMI2, BITALG, VPOPCNTDQ: from Ice Lake and Zen 4 on */
};

#define CPU_AVX2_TARGET __attribute__((target("avx2,fma,popcnt,bmi,bmi2")))
#define CPU_AVX512_TARGET                                                                    \
	__attribute__((target("avx2,fma,popcnt,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl," \
			      "avx512cd")))
#define CPU_VBMI2_TARGET                                                                     \
	__attribute__((target("avx2,fma,popcnt,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl," \
			      "avx512cd,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq")))

/* The highest level that this processor has and cpu_limit_simd() allows. */
enum cpu_simd cpu_simd(void);
/* Variants created from now on use no level above `most`. */
void cpu_limit_simd(enum cpu_simd most);

#ifdef __cplusplus
}
#endif
#endif
