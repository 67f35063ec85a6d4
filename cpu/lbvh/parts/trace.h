/* trace.h -- the common part of the CPU traversals: images by tiles, streams by batches, the tree
 * to traverse, counts.
 *
 * A traversal is a function that all threads call: for an image over packets of 8 x 8 rays, for a
 * stream over batches of consecutive rays.  Making the rays of an image is part of the timed work
 * of every variant, libraries included, with the same code.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_TRACE_H
#define GPUBENCH_CPU_LBVH_PARTS_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "common/lbvh.h"
#include "common/status.h"
#include "cpu/lbvh/parts/builder.h"
#include "cpu/lbvh/parts/kernels.h"

/* Find the hits of a packet: t and primitive of the rays within width and height.  state: the
 * variant's. */
typedef void lbvh_trace_fn(const void *state, int thread, struct lbvh_packet *packet,
			   struct lbvh_counts *counts);

/* Answer the rays of a batch. */
typedef void lbvh_batch_fn(const void *state, int thread, struct lbvh_batch *batch,
			   struct lbvh_counts *counts);

/* The traversal functions of a variant. */
struct lbvh_ways {
	lbvh_trace_fn *trace; /* NULL: packets are traced as batches */
	lbvh_batch_fn *batch; /* NULL: streams are not supported */
};

/* The first member of a traversal's state. */
struct lbvh_tracer {
	const struct lbvh_input *input;
	enum lbvh_op op;
	struct lbvh_ways ways;
	const struct lbvh_kernels *kernels;
	int threads;
	float *t;            /* edge * edge; NULL for builds and occlusion */
	uint32_t *primitive; /* the same */
	uint32_t *bits;      /* occlusion only: lbvh_bit_words() */
	struct lbvh_counts counts;
};

/* GB_EUNAVAILABLE unless --op=trace. */
enum gb_status lbvh_wants_trace(const void *params, struct gb_error *err);
/* The kernels of the best instruction set that cpu_simd() allows. */
const struct lbvh_kernels *lbvh_cpu_kernels(void);
/* GB_EUNAVAILABLE if the rays are a stream that the variant cannot trace. */
enum gb_status lbvh_tracer_init(struct lbvh_tracer *tracer, const void *params, const void *input,
				struct lbvh_ways ways, struct gb_error *err);

/* Operations of a state that begins with a tracer: trace all rays of the input; write their answers
 * to a trace's output; report nodes_per_ray and triangles_per_ray of the last run. */
enum gb_status lbvh_tracer_run(void *state, struct gb_timer *timer, struct gb_error *err);
enum gb_status lbvh_tracer_download(void *state, void *output, struct gb_error *err);
void lbvh_tracer_metrics(void *state, struct gb_metrics *metrics);

/* Add the hits of the probe's rays to the output of a build, whose header is written. */
void lbvh_tracer_probe(const struct lbvh_tracer *tracer, void *output);

/* Build the tree for a traversal, untimed: ploc's or, for --tree=paper, apetrei's.
 * It is in cpu->node and index; other arrays are freed, and a dry run computes nothing.  *depth:
 * levels of nodes, leaves included; GB_EUNAVAILABLE if more than LBVH_DEPTH_MAX. */
enum { LBVH_DEPTH_MAX = 1 << 13 };
enum gb_status lbvh_tracer_tree(struct lbvh_cpu *cpu, const void *params, const void *input,
				unsigned *depth, struct gb_error *err);
/* Levels of nodes of a binary tree; more than LBVH_DEPTH_MAX if it is deeper than that. */
unsigned lbvh_depth(const struct lbvh_node *node);

#endif
