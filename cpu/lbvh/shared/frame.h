/* frame.h -- the phases of a CPU build and the data that they work on.
 *
 * A phase is called by all threads of a team of cpu->threads, or by a single thread outside a team,
 * and ends with a barrier.  One team makes a whole tree, because waking one for every phase costs
 * more than the work on a small scene.  `timer` may be NULL; each phase names itself.
 */
#ifndef GPUBENCH_CPU_LBVH_SHARED_FRAME_H
#define GPUBENCH_CPU_LBVH_SHARED_FRAME_H

#include <omp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh_types.h"
#include "common/status.h"
#include "common/timer.h"
#include "cpu/runtime/simd.h"

/* Arrays of a builder beyond boxes, codes and the tree. */
enum lbvh_cpu_needs {
	LBVH_CPU_CODES_63 = 1,  /* 63-bit codes in their own array, else 30-bit codes packed */
	LBVH_CPU_LEAVES = 2,    /* code, first */
	LBVH_CPU_MARKS = 4,     /* mark */
	LBVH_CPU_PARENTS = 8,   /* parent, arrived */
	LBVH_CPU_POWER = 16,    /* pair has the length of the next power of two (bitonic sort) */
	LBVH_CPU_CLUSTERS = 32, /* spare, runs */
	LBVH_CPU_SAH = 64,      /* none; nodes are numbered depth first */
};

enum { LBVH_CPU_DIGITS = 3072 }; /* counters of the radix sort, at most: three digits of 10 bits */

struct lbvh_cpu {
	const struct lbvh_input *input;
	size_t count; /* primitives */
	int threads;
	enum cpu_simd simd;
	unsigned needs;
	struct lbvh_box *box; /* per primitive; the fourth components are undefined */
	float lo[4], hi[4];   /* bounds of the scene */
	/* 30-bit codes: code << 32 | primitive.  63-bit codes: the code; `index` has the
	 * primitive. */
	uint64_t *pair, *pair_spare;
	uint32_t *index, *index_spare; /* after the build, index belongs to the tree */
	uint64_t *code;                /* per leaf, ascending */
	uint32_t *first;               /* per leaf, then `count` */
	size_t leaves;
	struct lbvh_node *node;  /* 2 leaves - 1 */
	struct lbvh_node *spare; /* scratch of cluster.c: inner nodes */
	void *runs;              /* the same */
	uint64_t *mark;          /* per inner node: its children, or UINT64_MAX when done */
	uint32_t *parent;        /* per node */
	uint32_t *arrived;       /* per inner node: 1 if one child is done */
	uint32_t (*histogram)[LBVH_CPU_DIGITS]; /* one per thread, and one more */
	size_t *share;                          /* threads + 1: leaves before each thread's part */
	void *stacks;                           /* one per thread: scratch of fused.c */
	bool constant;                          /* radix sort: all records have the same digit */
	bool even; /* radix sort: the codes were cut evenly, a range per thread */
};

/* The number of threads that params request; 0 means one per core. */
static inline int lbvh_cpu_threads(const struct lbvh_params *params)
{
	return params->threads > 0 ? (int)params->threads : omp_get_num_procs();
}

/* The code of the primitive at place i of the sorted order. */
static inline uint64_t lbvh_cpu_code(const struct lbvh_cpu *cpu, size_t i)
{
	return cpu->needs & LBVH_CPU_CODES_63 ? cpu->pair[i] : cpu->pair[i] >> 32;
}

/* gb_phase() on the first thread. */
static inline void lbvh_cpu_phase(struct gb_timer *timer, const char *name)
{
	if (omp_get_thread_num() == 0)
		gb_phase(timer, name);
}

/* ---- phases -------------------------------------------------------------------------------- */

/* Sets box, lo, hi. */
void lbvh_cpu_bounds(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Sets pair (30 bits), or pair and index (63 bits), in the order of primitives. */
void lbvh_cpu_codes(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Sorts by code, equal codes by primitive: radix sort or, with LBVH_CPU_POWER, a bitonic
 * network. */
void lbvh_cpu_sort(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Sets leaves and share: the number of different codes, in total and before each thread's part. */
void lbvh_cpu_count_leaves(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* The same, and code, first, index, and the leaf nodes with their boxes (LBVH_CPU_LEAVES). */
void lbvh_cpu_leaves(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Sets the children of all inner nodes: Karras 2012 (LBVH_CPU_LEAVES). */
void lbvh_cpu_karras(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Sets the boxes of all inner nodes: pass by pass, the paper's listing 9 (LBVH_CPU_MARKS), or in
 * one pass from the leaves up, where the second child to arrive continues (LBVH_CPU_PARENTS). */
void lbvh_cpu_refit(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Sets index, leaf nodes and inner nodes in one sweep over the sorted codes.  Call
 * lbvh_cpu_count_leaves() first. */
void lbvh_cpu_fused(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Sets the inner nodes by locally-ordered clustering within the ranges of the codes' tree
 * (LBVH_CPU_LEAVES | LBVH_CPU_CLUSTERS). */
void lbvh_cpu_cluster(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Sets index, leaves and all nodes from the root down (LBVH_CPU_SAH); call lbvh_cpu_bounds() first.
 * The left child of node i is node i + 1, and its subtree has 2 k - 1 numbers for k primitives, not
 * all of them in use. */
void lbvh_cpu_sah(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Allocate the scratch of a phase: stacks; runs. */
void lbvh_cpu_alloc_fused(struct lbvh_cpu *cpu, struct gb_error *err);
void lbvh_cpu_alloc_cluster(struct lbvh_cpu *cpu, struct gb_error *err);

#endif
