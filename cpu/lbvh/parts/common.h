/* common.h -- what the CPU builders share: the phases of a Morton-code build, the tree they
 * fill, and the way out.
 *
 * A builder is a list of phases over one struct lbvh_cpu, all of whose arrays are allocated by
 * lbvh_cpu_init(): its `build` function is what the variant's run() times, and what the traversals
 * call, untimed, in create() by lbvh_cpu_best().
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_COMMON_H
#define GPUBENCH_CPU_LBVH_PARTS_COMMON_H

#include <omp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh.h"
#include "common/status.h"
#include "common/timer.h"

/* What a builder needs beyond boxes, codes and the tree. */
enum lbvh_cpu_needs {
	LBVH_CPU_CODES_63 = 1,  /* 63-bit codes in arrays of their own, else 30 bits packed */
	LBVH_CPU_LEAVES = 2,    /* code, first */
	LBVH_CPU_MARKS = 4,     /* mark */
	LBVH_CPU_PARENTS = 8,   /* parent, arrived */
	LBVH_CPU_POWER = 16,    /* pair is as long as the next power of two (bitonic sort) */
	LBVH_CPU_CLUSTERS = 32, /* spare, runs, run_first, sum, moves */
};

enum { LBVH_CPU_DIGITS = 3072 }; /* counts of the radix sort, at most: three digits of 10 bits */

struct lbvh_cpu {
	const struct lbvh_input *input;
	size_t count; /* primitives */
	int threads;
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
	void *runs;              /* what lbvh_cluster.c joins */
	uint32_t *run_first;     /* the inner node of each run that has no children in it */
	size_t runs_used;
	struct lbvh_sum *sum; /* of each inner node (lbvh_refine.c) */
	struct lbvh_move *moves;
	size_t moves_used;
	uint64_t *mark;    /* of each inner node: its children, or UINT64_MAX when done */
	uint32_t *parent;  /* of each node */
	uint32_t *arrived; /* of each inner node: whether one child is done */
	uint32_t (*histogram)[LBVH_CPU_DIGITS]; /* of each thread, and one more */
	size_t *share;                          /* threads + 1: leaves before each thread's */
	void *stacks;                           /* of each thread: what lbvh_fused.c joins */
	bool constant; /* of the radix sort: the digit is the same everywhere */
	bool even;     /* of the radix sort: threads can sort ranges of codes */
	size_t passes; /* that lbvh_cpu_refit_passes() took */
};

/* Allocate for the input's triangles.  GB_EUNAVAILABLE if memory is short; what was allocated is
 * left to lbvh_cpu_release(). */
enum gb_status lbvh_cpu_init(struct lbvh_cpu *cpu, const void *params, const void *input,
			     unsigned needs, struct gb_error *err);
void lbvh_cpu_release(struct lbvh_cpu *cpu);
/* Threads that params ask for: 0 means one per core. */
int lbvh_cpu_threads(const struct lbvh_params *params);

/* Whether the phases may use AVX2. */
bool lbvh_cpu_has_avx2(void);
/* For tests: whether they keep to portable code from now on. */
void lbvh_cpu_limit_builders(bool plain);

/* ---- phases -------------------------------------------------------------------------------
 *
 * Each is called by all threads of a team of cpu->threads, or outside of one by a single thread,
 * and ends with a barrier: one team makes a whole tree, because waking one for every phase costs
 * more than the work on a small scene.  `timer` may be NULL; each phase names itself. */

/* box, lo, hi. */
void lbvh_cpu_bounds(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* pair (30 bits), or pair and index (63 bits), in the order of primitives. */
void lbvh_cpu_codes(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Ascending codes, equal ones in ascending order of primitives. */
void lbvh_cpu_sort_radix(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* leaves, share: how many different codes there are, in all and in each thread's part. */
void lbvh_cpu_count_leaves(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* code, first, index, and the leaf nodes with their boxes (LBVH_CPU_LEAVES). */
void lbvh_cpu_leaves(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Children of all inner nodes: Karras 2012 (LBVH_CPU_LEAVES). */
void lbvh_cpu_karras(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Boxes of all inner nodes, pass by pass, the paper's listing 9 (LBVH_CPU_MARKS). */
void lbvh_cpu_refit_passes(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* The same in one go, from the leaves up: the second child to arrive goes on (LBVH_CPU_PARENTS). */
void lbvh_cpu_refit_once(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Everything from sorted codes on in one go: index, leaf nodes, inner nodes (needs nothing). */
void lbvh_cpu_fused(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* Bytes of one of cpu->stacks. */
size_t lbvh_cpu_stack_bytes(void);

/* Inner nodes by locally-ordered clustering within the ranges of the codes' tree
 * (LBVH_CPU_LEAVES | LBVH_CPU_CLUSTERS).  The nodes of run i are run_first[i] .. run_first[i + 1] -
 * 1, children before parents; those above all runs come before them, parents first. */
void lbvh_cpu_cluster(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* How many runs `count` leaves may make, and the bytes of one. */
size_t lbvh_cpu_cluster_runs(size_t count);
size_t lbvh_cpu_cluster_bytes(void);

/* After lbvh_cpu_cluster(): treelets rearranged, and the subtrees known that cost less as a leaf.
 */
void lbvh_cpu_refine(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Then: the tree written anew, with those leaves. */
void lbvh_cpu_rewrite(struct lbvh_cpu *cpu, struct gb_timer *timer);
/* Bytes of one of cpu->sum, and of all of cpu->moves. */
size_t lbvh_cpu_sum_bytes(void);
size_t lbvh_cpu_moves_bytes(void);

/* ---- whole builds, by teams of their own --------------------------------------------------
 *
 * Afterwards node, index, leaves and box hold the tree. */

/* The fastest builder there is (apetrei); `cpu` was initialised with LBVH_CPU_BEST. */
enum { LBVH_CPU_BEST = 0 };
void lbvh_cpu_best(struct lbvh_cpu *cpu, struct gb_timer *timer);

/* The one that makes the best trees (ploc); with LBVH_CPU_CLUSTERED. */
enum { LBVH_CPU_CLUSTERED = LBVH_CPU_CODES_63 | LBVH_CPU_LEAVES | LBVH_CPU_CLUSTERS };
void lbvh_cpu_clustered(struct lbvh_cpu *cpu, struct gb_timer *timer);

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

/* ---- what the builders' variants are made of: the state is a struct lbvh_cpu -------------- */

/* GB_EUNAVAILABLE for --op=trace. */
enum gb_status lbvh_builder_create(void **state, const void *params, const void *input,
				   unsigned needs, struct gb_error *err);
enum gb_status lbvh_builder_download(void *state, void *output, struct gb_error *err);
void lbvh_builder_destroy(void *state);

/* The tree into a build's output. */
void lbvh_cpu_download(const struct lbvh_cpu *cpu, void *output);

#endif
