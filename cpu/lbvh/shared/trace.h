/* trace.h -- the common part of the CPU traversals: batches of rays, the tree to traverse, counts.
 *
 * A traversal is a function that all threads call for batches of rays: tiles of an image, or parts
 * of a stream.  Making the rays of an image is part of the timed work of every variant, libraries
 * included, with the same code.
 */
#ifndef GPUBENCH_CPU_LBVH_SHARED_TRACE_H
#define GPUBENCH_CPU_LBVH_SHARED_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "common/lbvh_types.h"
#include "common/status.h"
#include "cpu/lbvh/shared/builder.h"

/* Rays of an image in an order in which 16 in a row are a square, or consecutive ones of a stream;
 * and their answers. */
struct lbvh_batch {
	const struct lbvh_ray *ray; /* count */
	uint32_t count;
	/* NULL or, if any hit will do, the answers: bit i % 32 of word i / 32 is set if ray i hits
	 * something; 0 before. */
	uint32_t *occluded;
	float *t;            /* otherwise: distances of the nearest hits, count */
	uint32_t *primitive; /* and their primitives */
};

/* Store the answer to ray i; primitive is LBVH_MISS if it hits nothing. */
static inline void lbvh_batch_keep(struct lbvh_batch *batch, uint32_t i, float t,
				   uint32_t primitive)
{
	if (batch->occluded) {
		batch->occluded[i / 32] |= (uint32_t)(primitive != LBVH_MISS) << i % 32;
	} else {
		batch->t[i] = primitive == LBVH_MISS ? INFINITY : t;
		batch->primitive[i] = primitive;
	}
}

/* The work of a traversal, summed over rays: nodes whose children (or box) were tested, and
 * triangles tested (the eight lanes of a block count as eight). */
struct lbvh_counts {
	uint64_t nodes, triangles;
};

/* 1 + 2^-21: more than the error of a distance to a plane, of 1.5 units in the last place, plus
 * that of the distance that it is compared with. */
#define LBVH_SLACK 0x1.000008p0f

/* Answer the rays of a batch.  state: the variant's. */
typedef void lbvh_batch_fn(const void *state, int thread, struct lbvh_batch *batch,
			   struct lbvh_counts *counts);

/* The first member of a traversal's state. */
struct lbvh_tracer {
	const struct lbvh_input *input;
	enum lbvh_op op;
	lbvh_batch_fn *batch;
	int threads;
	float *t;            /* edge * edge; NULL for builds and occlusion */
	uint32_t *primitive; /* the same */
	uint32_t *bits;      /* occlusion only: lbvh_bit_words() */
	struct lbvh_counts counts;
};

/* GB_EUNAVAILABLE unless --op=trace. */
enum gb_status lbvh_wants_trace(const void *params, struct gb_error *err);
enum gb_status lbvh_tracer_init(struct lbvh_tracer *tracer, const void *params, const void *input,
				lbvh_batch_fn *batch, struct gb_error *err);

/* Operations of a state that begins with a tracer: trace all rays of the input; write their answers
 * to a trace's output; report nodes_per_ray and triangles_per_ray of the last run. */
enum gb_status lbvh_tracer_run(void *state, struct gb_timer *timer, struct gb_error *err);
enum gb_status lbvh_tracer_download(void *state, void *output, struct gb_error *err);
void lbvh_tracer_metrics(void *state, struct gb_metrics *metrics);

/* Add the hits of the probe's rays to the output of a build, whose header is written. */
void lbvh_tracer_probe(const struct lbvh_tracer *tracer, void *output);

/* Build the tree for a traversal, untimed: by surface area or, for --tree=paper,
 * apetrei's.  It is in cpu->node and index; other arrays are freed, and a dry run computes nothing.  *depth:
 * levels of nodes, leaves included; GB_EUNAVAILABLE if more than LBVH_DEPTH_MAX. */
enum { LBVH_DEPTH_MAX = 1 << 13 };
enum gb_status lbvh_tracer_tree(struct lbvh_cpu *cpu, const void *params, const void *input,
				unsigned *depth, struct gb_error *err);
/* Levels of nodes of a binary tree; more than LBVH_DEPTH_MAX if it is deeper than that. */
unsigned lbvh_depth(const struct lbvh_node *node);

#endif
