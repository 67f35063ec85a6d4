/* trace.h -- what the CPU traversals share: the image by tiles, hits, the tree to be traversed,
 * counts.
 *
 * A traversal of an image is a function over packets of 8 x 8 rays, called by all threads.  Making
 * the rays is part of the timed work of every variant, peers included, by the same code.  One of a
 * stream is a function over batches of neighbours in it.
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

/* Find the answers to a batch. */
typedef void lbvh_batch_fn(const void *state, int thread, struct lbvh_batch *batch,
			   struct lbvh_counts *counts);

/* How a variant traces. */
struct lbvh_ways {
	lbvh_trace_fn *trace; /* NULL: the rays of a packet are a batch */
	lbvh_batch_fn *batch; /* NULL: it takes no streams */
};

/* What a traversal's state begins with. */
struct lbvh_tracer {
	const struct lbvh_input *input;
	enum lbvh_op op;
	struct lbvh_ways ways;
	const struct lbvh_kernels *kernels;
	int threads;
	float *t;            /* edge * edge; NULL when the operation is build, or of occlusion */
	uint32_t *primitive; /* the same */
	uint32_t *bits;      /* of occlusion: lbvh_bit_words() */
	struct lbvh_counts counts;
};

/* GB_EUNAVAILABLE unless the operation is trace. */
enum gb_status lbvh_wants_trace(const void *params, struct gb_error *err);
/* Those of the best instruction set that cpu_simd() allows. */
const struct lbvh_kernels *lbvh_cpu_kernels(void);
/* GB_EUNAVAILABLE if the rays are a stream and the variant takes none, or not this one. */
enum gb_status lbvh_tracer_init(struct lbvh_tracer *tracer, const void *params, const void *input,
				struct lbvh_ways ways, struct gb_error *err);

/* Operations of a state that begins with a tracer: all rays of the input; their answers as a
 * trace's output; nodes_per_ray and triangles_per_ray of the last run. */
enum gb_status lbvh_tracer_run(void *state, struct gb_timer *timer, struct gb_error *err);
enum gb_status lbvh_tracer_download(void *state, void *output, struct gb_error *err);
void lbvh_tracer_metrics(void *state, struct gb_metrics *metrics);

/* To the output of a build, whose header is written: its hits of the probe's rays. */
void lbvh_tracer_probe(const struct lbvh_tracer *tracer, void *output);

/* The tree for a traversal, untimed: lbvh_cpu_build_best() or, for --tree=paper, apetrei's, the paper's:
 * cpu->node, index.  Nothing is computed in a dry run.  *depth: levels of nodes, the leaves'
 * included; GB_EUNAVAILABLE if they are more than LBVH_DEPTH_MAX. */
enum { LBVH_DEPTH_MAX = 1 << 13 };
enum gb_status lbvh_tracer_tree(struct lbvh_cpu *cpu, const void *params, const void *input,
				unsigned *depth, struct gb_error *err);
/* Levels of nodes of a binary tree; more than LBVH_DEPTH_MAX if it is deeper than that. */
unsigned lbvh_depth(const struct lbvh_node *node);

#endif
