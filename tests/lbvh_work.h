/* lbvh_work.h -- a scene and a tree over it from a CPU builder, for the tests of builders and of
 * the verifier.
 */
#ifndef GPUBENCH_TESTS_LBVH_WORK_H
#define GPUBENCH_TESTS_LBVH_WORK_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "common/benchmark.h"
#include "common/lbvh_types.h"
#include "tests/metric.h"
#include "tests/scene_number.h"

static const char *const scenes[] = { "terrain", "knot",   "flake",  "soup", "city", "teapot",
				      "flat",    "points", "copies", "huge", "hall" };

/* A scene, its input and room for a tree over it. */
struct work {
	struct lbvh_params params;
	struct lbvh_input *in;
	void *output;
	size_t size;
	struct lbvh_tree_header *header;
	struct lbvh_node *node;
	uint32_t *index;
};

static inline struct work set_up(const char *scene, size_t primitives, int threads)
{
	struct work w = { .params = { .op = LBVH_BUILD,
				      .scene = scene_number(scene),
				      .primitives = (int64_t)primitives,
				      .rays = 64,
				      .threads = threads,
				      .seed = 3 } };
	struct gb_error err = { 0 };
	void *input;

	cr_assert_eq(gb_lbvh_benchmark.prepare(&w.params, &input, &err), GB_OK, "%s", err.message);
	w.in = input;
	w.size = gb_lbvh_benchmark.output_size(&w.params, input);
	w.output = calloc(w.size, 1);
	w.header = w.output;
	w.node = lbvh_build_nodes(w.output);
	w.index = lbvh_build_index(w.in, w.output);
	return w;
}

static inline void tear_down(struct work *w)
{
	gb_lbvh_benchmark.release(w->in);
	free(w->output);
}

static inline void build(struct work *w, const struct gb_variant_ops *ops)
{
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };
	void *state;

	memset(w->output, 0, w->size);
	cr_assert_eq(gb_state_create(ops, &w->params, w->in, &state, &err), GB_OK, "%s",
		     err.message);
	/* Twice: the second run must not depend on the first. */
	for (int k = 0; k < 2; k++)
		cr_assert_eq(ops->run(state, &timer, &err), GB_OK, "%s", err.message);
	cr_assert_eq(ops->download(state, w->output, &err), GB_OK, "%s", err.message);
	gb_state_destroy(ops, state);
}

static inline enum gb_status verify(const struct work *w, struct gb_metrics *metrics,
				    struct gb_error *err)
{
	*err = (struct gb_error){ 0 };
	return gb_lbvh_benchmark.verify(&w->params, w->in, 0, w->output, metrics, err);
}

#endif
