/* common.h -- what the CPU radix sorts share: records, buffers, the way in and out, and the
 * choice of instruction set.
 *
 * A record is what is moved: the key itself (u32, f32: 4 bytes, u64: 8 bytes), or for pairs 8
 * bytes with the key in the upper half and the value in the lower.  Pairs are interleaved by
 * reset() and split again by download(), outside `time`: a program that sorts pairs on a CPU
 * keeps them together.  All variants, peers included, get this layout.
 *
 * Floats are sorted as unsigned numbers of the same order (common/radix.h); the way there and
 * back belongs to the algorithm and is timed.
 */
#ifndef GPUBENCH_CPU_RADIX_PARTS_COMMON_H
#define GPUBENCH_CPU_RADIX_PARTS_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/radix.h"
#include "common/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct radix_cpu {
	const struct radix_input *input;
	size_t count;
	size_t width; /* bytes of a record: 4 or 8 */
	unsigned low; /* the key is bits low .. top - 1 of a record */
	unsigned top;
	bool is_float;
	int threads;
	void *record; /* count records: the input after reset(), the result after run() */
	void *spare;  /* as large, or NULL */
};

/* Allocate the buffers, the spare one only if asked for.  GB_EUNAVAILABLE if memory is short. */
enum gb_status radix_cpu_init(struct radix_cpu *cpu, const void *params, const void *input,
			      bool spare, struct gb_error *err);
void radix_cpu_release(struct radix_cpu *cpu);

/* For a variant whose state begins with its struct radix_cpu: what its ops share. */

/* A zeroed state of `size` bytes, its struct radix_cpu as radix_cpu_init() leaves it.  NULL, with
 * err set, if that fails; *state is then NULL or for the variant's destroy(). */
void *radix_cpu_create(void **state, size_t size, const void *params, const void *input, bool spare,
		       struct gb_error *err);
/* The input into cpu->record. */
enum gb_status radix_cpu_reset(void *state, int64_t sample, struct gb_error *err);
/* cpu->record to the workload's output layout. */
enum gb_status radix_cpu_download(void *state, void *output, struct gb_error *err);

/* cpu->record between floats and unsigned numbers of their order; nothing for other types. */
void radix_cpu_to_order(struct radix_cpu *cpu);
void radix_cpu_from_order(struct radix_cpu *cpu);

/* Threads that params ask for: 0 means one per core. */
int radix_cpu_threads(const struct radix_params *params);

/* Bytes of all records, once. */
double radix_cpu_size(const struct radix_input *input);
/* Bits of a key. */
unsigned radix_cpu_key_bits(const struct radix_input *input);
/* Bytes to turn floats into numbers and back: two passes of reading and writing, else 0. */
double radix_cpu_order_bytes(const struct radix_input *input);

/* Instruction sets that a variant may choose from, each containing those before it. */
enum radix_simd {
	RADIX_PLAIN,  /* portable C */
	RADIX_AVX512, /* F, BW, DQ, VL, CD, BMI, BMI2 */
	RADIX_VBMI2,  /* AVX-512 with compression of 16-bit lanes */
};

/* The best one that this processor has, or the limit below. */
enum radix_simd radix_cpu_simd(void);
/* For tests: variants created from now on use nothing beyond `most`. */
void radix_cpu_limit_simd(enum radix_simd most);

#define RADIX_AVX512_TARGET \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,popcnt,bmi,bmi2")))
#define RADIX_VBMI2_TARGET                                                                      \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vbmi2,popcnt," \
			      "bmi,bmi2")))

#ifdef __cplusplus
}
#endif
#endif
