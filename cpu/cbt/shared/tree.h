/* tree.h -- shared by the CPU variants of cbt: arrays, input and output, and the paper's two
 * algorithms on single elements.
 */
#ifndef GPUBENCH_CPU_CBT_SHARED_TREE_H
#define GPUBENCH_CPU_CBT_SHARED_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cbt_types.h"
#include "common/status.h"
#include "cpu/runtime/simd.h"

/* Results of the last run. */
struct cbt_found {
	uint64_t leaves, id_sum;
};

struct cbt_cpu {
	const struct cbt_input *in;
	unsigned depth;
	int threads;
	uint64_t *heap;       /* reduce, cycle, update: the variant's own; else NULL */
	const uint64_t *tree; /* heap to decode: heap or the input's; bitfield: NULL */
	uint32_t *ids;        /* in->leaves ids; NULL if only their sum is wanted */
	struct cbt_found *found;
};

/* Allocate what the operation needs; the heap only if `keeps_heap`. */
enum gb_status cbt_cpu_init(struct cbt_cpu *cpu, const void *params, const void *input,
			    bool keeps_heap, struct gb_error *err);

/* Operations for every variant whose state begins with a struct cbt_cpu. */

/* Copy the input's tree into cpu->heap, if there is one; its sums only for an update. */
enum gb_status cbt_cpu_reset(void *state, int64_t sample, struct gb_error *err);
/* Copy leaves, ids and heap into the benchmark's output. */
enum gb_status cbt_cpu_download(void *state, void *output, struct gb_error *err);

/* Compute all sums one element at a time, level by level. */
void cbt_cpu_reduce(uint64_t *heap, unsigned depth);

/* Read element k while other threads change other elements of its word atomically. */
static inline uint64_t cbt_cpu_get(const uint64_t *heap, unsigned depth, uint32_t k)
{
	const uint64_t bit = cbt_element_bit(depth, k);
	const unsigned width = cbt_width(depth, cbt_level(k)), shift = (unsigned)(bit % 64);
	uint64_t value = __atomic_load_n(&heap[bit / 64], __ATOMIC_RELAXED) >> shift;

	if (shift + width > 64)
		value |= __atomic_load_n(&heap[bit / 64 + 1], __ATOMIC_RELAXED) << (64 - shift);
	return value & ((UINT64_C(1) << width) - 1);
}

/* Node of leaf number `leaf` (figure 8 of the paper): from the root, go to the child that holds it
 * until a subtree has one leaf. */
static inline uint32_t cbt_cpu_descend(const uint64_t *heap, unsigned depth, uint64_t leaf)
{
	uint64_t sum = cbt_cpu_get(heap, depth, 1);
	uint32_t k = 1;

	while (sum > 1) {
		const uint64_t left = cbt_cpu_get(heap, depth, 2 * k);
		const bool right = leaf >= left;

		k = 2 * k + right;
		sum = right ? sum - left : left;
		leaf -= right ? left : 0;
	}
	return k;
}

static inline bool cbt_cpu_wish(const uint64_t *wishes, size_t leaf)
{
	return wishes[leaf / 64] >> leaf % 64 & 1;
}

/* Carry out the frame's wishes for leaf number `leaf`, node k.  Makes at most one atomic operation
 * on the field, while other threads find and change other leaves. */
void cbt_cpu_change(uint64_t *heap, unsigned depth, const struct cbt_frame *frame, size_t leaf,
		    uint32_t k);

#define CBT_ALWAYS static inline __attribute__((always_inline))

#endif
