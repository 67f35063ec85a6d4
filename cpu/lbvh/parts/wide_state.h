/* wide_state.h -- the state of the variants over wide trees. */
#ifndef GPUBENCH_CPU_LBVH_PARTS_WIDE_STATE_H
#define GPUBENCH_CPU_LBVH_PARTS_WIDE_STATE_H

#include "cpu/lbvh/parts/trace.h"
#include "cpu/lbvh/parts/wide.h"

struct lbvh_wide_state {
	struct lbvh_tracer tracer; /* first: its operations take a state as one of these */
	struct lbvh_cpu cpu;       /* the binary tree */
	struct lbvh_wide wide;
	struct lbvh_entry *stack; /* threads * stack_room */
	size_t stack_room;
};

/* Memory; for the operation trace also the tree. */
enum gb_status lbvh_wide_state_create(struct lbvh_wide_state *s, const void *params,
				      const void *input, struct lbvh_ways ways,
				      struct gb_error *err);
void lbvh_wide_state_metrics(void *state, struct gb_metrics *metrics);

#endif
