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

/* Memory, for the operation build that of a builder with such needs; for trace also the tree. */
enum gb_status lbvh_wide_state_create(struct lbvh_wide_state *s, const void *params,
				      const void *input, struct lbvh_ways ways, unsigned needs,
				      struct gb_error *err);
/* A way to trace: rays by turns. */
lbvh_batch_fn lbvh_wide_state_turns;

/* ---- of the operation build ---------------------------------------------------------------- */

/* Before it: there is no tree. */
enum gb_status lbvh_wide_state_reset(void *state, int64_t sample, struct gb_error *err);
/* The wide tree from s->cpu, the phase "collapse"; leaves: as lbvh_wide_collapse() takes them. */
void lbvh_wide_state_collapse(struct lbvh_wide_state *s, size_t leaves, struct gb_timer *timer);
/* Both trees; after the operation trace its answers. */
enum gb_status lbvh_wide_state_download(void *state, void *output, struct gb_error *err);

#endif
