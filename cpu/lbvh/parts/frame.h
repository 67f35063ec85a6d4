/* frame.h -- the phases of a CPU build, and what they work on.
 *
 * A phase is called by all threads of a team of cpu->threads, or outside of one by a single thread,
 * and ends with a barrier: one team makes a whole tree, because waking one for every phase costs
 * more than the work on a small scene.  `timer` may be NULL; each phase names itself.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_FRAME_H
#define GPUBENCH_CPU_LBVH_PARTS_FRAME_H

#include <omp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh.h"
#include "common/status.h"
#include "common/timer.h"
#include "cpu/simd.h"

/* What a builder needs beyond boxes, codes and the tree. */
enum lbvh_cpu_needs {
	LBVH_CPU_CODES_63 = 1,  /* 63-bit codes in arrays of their own, else 30 bits packed */
	LBVH_CPU_LEAVES = 2,    /* code, first */
	LBVH_CPU_MARKS = 4,     /* mark */
	LBVH_CPU_PARENTS = 8,   /* parent, arrived */
	LBVH_CPU_POWER = 16,    /* pair is as long as the next power of two (bitonic sort) */
	LBVH_CPU_CLUSTERS = 32, /* spare, runs, run_first, sum, moves */
	LBVH_CPU_SPLITS = 64,   /* spare, box_spare, splitter, above, task; no codes */
};

enum { LBVH_CPU_DIGITS = 3072 }; /* counts of the radix sort, at most: three digits of 10 bits */

struct lbvh_cpu {
	const struct lbvh_input *input;
	size_t count; /* primitives */
	int threads;
	enum cpu_simd simd;
	unsigned needs;
	struct lbvh_box *box; /* of each primitive; the fourth components hold anything */
	float lo[4], hi[4];   /* of the scene */
	/* 30 bits: code << 32 | primitive.  63 bits: codes, the primitives are in `index`. */
	uint64_t *pair, *pair_spare;
	uint32_t *index, *index_spare; /* after the build: index is the tree's */
	uint64_t *code;                /* of each leaf, ascending */
	uint32_t *first;               /* of each leaf, and count behind the last */
	size_t leaves;
	struct lbvh_node *node;  /* 2 leaves - 1 */
	struct lbvh_node *spare; /* as many */
	void *runs;              /* what cluster.c joins */
	uint32_t *run_first;     /* the inner node of each run that has no children in it */
	size_t runs_used;
	struct lbvh_sum *sum; /* of each inner node (refine.c) */
	struct lbvh_move *moves;
	size_t moves_used;
	struct lbvh_box *box_spare;
	struct lbvh_splitter *splitter;
	const struct lbvh_split_ways *ways;
	struct lbvh_node *above;
	struct lbvh_task *task;
	uint64_t *mark;    /* of each inner node: its children, or UINT64_MAX when done */
	uint32_t *parent;  /* of each node */
	uint32_t *arrived; /* of each inner node: whether one child is done */
	uint32_t (*histogram)[LBVH_CPU_DIGITS]; /* of each thread, and one more */
	size_t *share;                          /* threads + 1: leaves before each thread's */
	void *stacks;                           /* of each thread: what fused.c joins */
	bool constant; /* of the radix sort: the digit is the same everywhere */
	bool even;     /* of the radix sort: threads can sort ranges of codes */
};

/* Threads that params ask for: 0 means one per core. */
static inline int lbvh_cpu_threads(const struct lbvh_params *params)
{
	return params->threads > 0 ? (int)params->threads : omp_get_num_procs();
}

/* The code of the primitive at place i of the sorted order. */
static inline uint64_t lbvh_cpu_code(const struct lbvh_cpu *cpu, size_t i)
{
	return cpu->needs & LBVH_CPU_CODES_63 ? cpu->pair[i] : cpu->pair[i] >> 32;
}

/* The first thread: gb_phase(), or nothing. */
static inline void lbvh_cpu_phase(struct gb_timer *timer, const char *name)
{
	if (timer && omp_get_thread_num() == 0)
		gb_phase(timer, name);
}

/* ---- phases -------------------------------------------------------------------------------- */

/* box, lo, hi. */
void lbvh_cpu_bounds(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* pair (30 bits), or pair and index (63 bits), in the order of primitives. */
void lbvh_cpu_codes(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Ascending codes, equal ones in ascending order of primitives: digit by digit, or by a bitonic
 * network (LBVH_CPU_POWER). */
void lbvh_cpu_sort(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* leaves, share: how many different codes there are, in all and in each thread's part. */
void lbvh_cpu_count_leaves(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* That, and code, first, index, and the leaf nodes with their boxes (LBVH_CPU_LEAVES). */
void lbvh_cpu_leaves(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Children of all inner nodes: Karras 2012 (LBVH_CPU_LEAVES). */
void lbvh_cpu_karras(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Boxes of all inner nodes: pass by pass, the paper's listing 9 (LBVH_CPU_MARKS), or in one go from
 * the leaves up, where the second child to arrive goes on (LBVH_CPU_PARENTS). */
void lbvh_cpu_refit(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* index, leaf nodes, inner nodes in one sweep over the sorted codes; lbvh_cpu_count_leaves() comes
 * before. */
void lbvh_cpu_fused(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Inner nodes by locally-ordered clustering within the ranges of the codes' tree
 * (LBVH_CPU_LEAVES | LBVH_CPU_CLUSTERS).  The nodes of run i are run_first[i] .. run_first[i + 1] -
 * 1, children before parents; those above all runs come before them, parents first. */
void lbvh_cpu_cluster(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* After that: treelets rearranged, subtrees found that cost less as a leaf. */
void lbvh_cpu_refine(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Then: the tree written anew, with those leaves. */
void lbvh_cpu_rewrite(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* The whole tree by the surface area heuristic, from the boxes (LBVH_CPU_SPLITS): node, index,
 * leaves.  Leaves have up to 8 primitives.  The boxes are in another order afterwards. */
void lbvh_cpu_split(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Memory that only the phase knows: stacks; runs, run_first; sum, moves; splitter, above, task. */
void lbvh_cpu_alloc_fused(struct lbvh_cpu *cpu, struct gb_error *err);
void lbvh_cpu_alloc_cluster(struct lbvh_cpu *cpu, struct gb_error *err);
void lbvh_cpu_alloc_refine(struct lbvh_cpu *cpu, struct gb_error *err);
void lbvh_cpu_alloc_split(struct lbvh_cpu *cpu, struct gb_error *err);

#endif
