/* trace.h -- what the CPU traversals share: the image by tiles, hits, the tree to be
 * traversed, counts.
 *
 * A traversal is a function over packets of 8 x 8 rays, called by all threads.  Making the rays is
 * part of the timed work of every variant, peers included, by the same code.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_TRACE_H
#define GPUBENCH_CPU_LBVH_PARTS_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "common/lbvh.h"
#include "common/status.h"
#include "common/workload.h"
#include "cpu/lbvh/parts/common.h"
#include "cpu/lbvh/parts/kernels.h"

/* Find the hits of a packet: t and primitive of the rays within width and height. */
typedef void lbvh_trace_fn(void *state, int thread, struct lbvh_packet *packet,
			   struct lbvh_counts *counts);

struct lbvh_tracer {
	const struct lbvh_input *input;
	const struct lbvh_kernels *kernels;
	int threads;
	float *t;            /* edge * edge; NULL when the operation is build */
	uint32_t *primitive; /* the same */
	struct lbvh_counts counts;
};

enum gb_status lbvh_tracer_init(struct lbvh_tracer *tracer, const void *params, const void *input,
				struct gb_error *err);
void lbvh_tracer_release(struct lbvh_tracer *tracer);
/* All rays of the input's camera into tracer->t and primitive; counts. */
void lbvh_tracer_run(struct lbvh_tracer *tracer, lbvh_trace_fn *trace, void *state);
/* The hits into a trace's output. */
void lbvh_tracer_download(const struct lbvh_tracer *tracer, void *output);
/* nodes_per_ray and triangles_per_ray of the last run. */
void lbvh_tracer_metrics(const struct lbvh_tracer *tracer, struct gb_metrics *metrics);

/* The output of a build whose tree is not binary: its hits of the probe's rays.  nodes, leaves: 0
 * if not known. */
void lbvh_tracer_probe(struct lbvh_tracer *tracer, lbvh_trace_fn *trace, void *state, size_t nodes,
		       void *output);

/* The tree for a traversal, untimed, by the best builder (ploc): cpu->node, index.  Nothing is
 * computed in a dry run.  *depth: levels of nodes, the leaves' included; GB_EUNAVAILABLE if they
 * are more than LBVH_DEPTH_MAX. What was allocated is left to lbvh_cpu_release(). */
enum { LBVH_DEPTH_MAX = 1 << 13 };
enum gb_status lbvh_tracer_tree(struct lbvh_cpu *cpu, const void *params, const void *input,
				unsigned *depth, struct gb_error *err);
/* Levels of nodes of a binary tree; more than LBVH_DEPTH_MAX if it is deeper than that. */
unsigned lbvh_depth(const struct lbvh_node *node);

#endif
