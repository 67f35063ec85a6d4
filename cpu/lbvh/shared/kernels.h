/* kernels.h -- the inner loops of cpu/wide, one version per instruction set.
 *
 * Hits equal those of lbvh_intersect() bit for bit: products and sums are never fused.  Boxes are
 * tested with a slack of a few units in the last place, so that rounding does not lose a hit at the
 * face of a box.
 */
#ifndef GPUBENCH_CPU_LBVH_SHARED_KERNELS_H
#define GPUBENCH_CPU_LBVH_SHARED_KERNELS_H

#include <stdint.h>

#include "common/lbvh_types.h"
#include "cpu/lbvh/shared/trace.h"
#include "cpu/lbvh/shared/wide.h"

/* A pending subtree: a child of a wide node, and the least distance at which its box is entered, as
 * a float's bits.  In a group, the lower half has a bit for each ray that may enter instead. */
struct lbvh_entry {
	uint32_t child, key;
};

/* Answer rays first .. end - 1 of a batch.  stack: lbvh_stack_room() entries. */
typedef void lbvh_kernel_fn(const struct lbvh_wide *wide, struct lbvh_batch *batch, uint32_t first,
			    uint32_t end, struct lbvh_entry *stack, struct lbvh_counts *counts);

struct lbvh_kernels {
	lbvh_kernel_fn *alone; /* ray by ray */
	lbvh_kernel_fn *turns; /* interleaved */
	lbvh_kernel_fn *group; /* up to LBVH_GROUP together */
};

extern const struct lbvh_kernels lbvh_kernels_plain, lbvh_kernels_avx2, lbvh_kernels_avx512;

/* The kernels of the best instruction set that cpu_simd() allows. */
static inline const struct lbvh_kernels *lbvh_cpu_kernels(void)
{
#if defined(__x86_64__)
	if (cpu_simd() >= CPU_AVX512)
		return &lbvh_kernels_avx512;
	if (cpu_simd() >= CPU_AVX2)
		return &lbvh_kernels_avx2;
#endif
	return &lbvh_kernels_plain;
}

/* Rays that a thread interleaves, and those of a group. */
enum { LBVH_TURNS = 24, LBVH_GROUP = 16 };

/* Stack entries that one ray may need in a wide tree, including the end marker. */
static inline size_t lbvh_ray_room(const struct lbvh_wide *wide)
{
	return (size_t)wide->depth * (LBVH_WIDTH - 1) + 2;
}

/* Stack entries that a traversal needs. */
static inline size_t lbvh_stack_room(const struct lbvh_wide *wide)
{
	return LBVH_TURNS * lbvh_ray_room(wide);
}

#endif
