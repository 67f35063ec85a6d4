/* lbvh_common.h -- what the CPU builders share: the phases of a Morton-code build, the tree they
 * fill, and the way out.
 *
 * A builder is a list of phases over one struct lbvh_cpu, all of whose arrays are allocated by
 * lbvh_cpu_init(): its `build` function is what the variant's run() times, and what the traversals
 * call, untimed, in create() by lbvh_cpu_best().
 */
#ifndef GPUBENCH_CPU_LBVH_COMMON_H
#define GPUBENCH_CPU_LBVH_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh.h"
#include "common/status.h"
#include "common/timer.h"

/* What a builder needs beyond the boxes and the tree. */
enum lbvh_cpu_needs {
	LBVH_CPU_CODES_63 = 1, /* 63-bit codes in pairs of arrays, else 30 bits packed */
	LBVH_CPU_FLAGS = 2,    /* a 32-bit word per leaf */
	LBVH_CPU_PASSES = 4,   /* a 64-bit word per inner node */
	LBVH_CPU_POWER = 8,    /* `pair` is as long as the next power of two (bitonic sort) */
};

struct lbvh_cpu {
	const struct lbvh_input *input;
	size_t count; /* primitives */
	size_t threads;
	unsigned needs;
	struct lbvh_box *box; /* of each primitive */
	float lo[4], hi[4];   /* of the scene */
	/* 30 bits: code << 32 | primitive, sorted; 63 bits: codes, and primitives in `index`. */
	uint64_t *pair, *pair_spare;
	uint32_t *index, *index_spare; /* after the build: index is the tree's */
	uint64_t *code;                /* of each leaf, ascending */
	uint32_t *first;               /* of each leaf, and count behind the last */
	size_t leaves;
	struct lbvh_node *node; /* 2 leaves - 1 */
	uint32_t *flag;
	uint64_t *mark;
	size_t *histogram; /* of the radix sort */
	size_t passes;     /* that refit took, where it counts them */
};

/* Allocate for the input's triangles.  GB_EUNAVAILABLE if memory is short; what was allocated is
 * left to lbvh_cpu_release(). */
enum gb_status lbvh_cpu_init(struct lbvh_cpu *cpu, const void *params, const void *input,
			     unsigned needs, struct gb_error *err);
void lbvh_cpu_release(struct lbvh_cpu *cpu);
/* Threads that params ask for: 0 means one per core. */
int lbvh_cpu_threads(const struct lbvh_params *params);

/* ---- phases; `timer` may be NULL, each names itself --------------------------------------- */

/* box, lo, hi. */
void lbvh_cpu_bounds(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* pair (30 bits), or pair and index (63 bits), in the order of primitives. */
void lbvh_cpu_codes(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Ascending codes, equal ones in ascending order of primitives. */
void lbvh_cpu_sort_radix(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* code, first, leaves; index; the leaf nodes with their boxes. */
void lbvh_cpu_leaves(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Children of all inner nodes: Karras 2012. */
void lbvh_cpu_karras(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Boxes of all inner nodes, pass by pass (the paper's listing 9). */
void lbvh_cpu_refit_passes(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Children and boxes of all inner nodes in one go, bottom up. */
void lbvh_cpu_fused(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* The fastest builder there is (apetrei): all of the above; `cpu` was initialised with
 * LBVH_CPU_BEST.  Afterwards node, index, leaves and box hold the tree. */
enum { LBVH_CPU_BEST = LBVH_CPU_FLAGS };
void lbvh_cpu_best(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* The tree into a build's output. */
void lbvh_cpu_download(const struct lbvh_cpu *cpu, void *output);

#endif
