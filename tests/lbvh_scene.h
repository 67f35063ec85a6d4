/* lbvh_scene.h -- for the tests of lbvh: scenes with hits from brute force, and a comparison of
 * traversals with them.
 */
#ifndef GPUBENCH_TESTS_LBVH_SCENE_H
#define GPUBENCH_TESTS_LBVH_SCENE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/lbvh/view.h"
#include "cli/benchmarks/registry.h"
#include "common/benchmark.h"
#include "common/lbvh_types.h"
#include "common/memory.h"
#include "tests/scene_number.h"

/* ---- scenes ------------------------------------------------------------------------------- */

/* An input, and its hits from brute force over all triangles. */
struct scene {
	struct lbvh_params params;
	struct lbvh_input *in;
	float *t;
	uint32_t *primitive;
};

/* Ray i of a trace. */
static inline struct lbvh_ray lbvh_trace_ray(const struct lbvh_input *in, size_t i)
{
	return in->ray ? in->ray[i] : lbvh_camera_ray(&in->camera, in->edge, i);
}

static inline void brute_force(struct scene *s)
{
	const struct lbvh_input *in = s->in;
	const size_t rays = (size_t)in->edge * in->edge;

	s->t = calloc(rays, sizeof *s->t);
	s->primitive = calloc(rays, sizeof *s->primitive);
	for (size_t i = 0; i < rays; i++) {
		const struct lbvh_ray ray = lbvh_trace_ray(in, i);

		s->t[i] = INFINITY;
		s->primitive[i] = LBVH_MISS;
		for (uint32_t p = 0; p < in->count; p++) {
			const uint32_t *v = in->triangle + 3 * (size_t)p;
			const float t = lbvh_intersect(
				ray.origin, ray.direction, in->vertex + 3 * (size_t)v[0],
				in->vertex + 3 * (size_t)v[1], in->vertex + 3 * (size_t)v[2]);

			if (t > ray.near && t <= ray.far &&
			    lbvh_nearer(t, p, s->t[i], s->primitive[i])) {
				s->t[i] = t;
				s->primitive[i] = p;
			}
		}
	}
}

static inline struct scene prepare_stream(const char *name, size_t primitives, size_t edge,
					  enum lbvh_rays kind, enum lbvh_order order)
{
	struct scene s = { .params = { .op = LBVH_TRACE,
				       .scene = scene_number(name),
				       .primitives = (int64_t)primitives,
				       .rays = (int64_t)edge,
				       .rays_kind = (int64_t)kind,
				       .order = (int64_t)order,
				       .threads = 2,
				       .seed = 5 } };
	struct gb_error err = { 0 };
	void *input;

	cr_assert_eq(gb_lbvh_benchmark.prepare(&s.params, &input, &err), GB_OK, "%s", err.message);
	s.in = input;
	return s;
}

static inline struct scene prepare(const char *name, size_t primitives, size_t edge)
{
	return prepare_stream(name, primitives, edge, LBVH_PRIMARY, LBVH_OWN);
}

static inline struct scene make(const char *name, size_t primitives, size_t edge)
{
	struct scene s = prepare(name, primitives, edge);

	brute_force(&s);
	return s;
}

static inline void drop(struct scene *s)
{
	gb_lbvh_benchmark.release(s->in);
	free(s->t);
	free(s->primitive);
}

/* A scene of the given triangles, seen from eye towards target. */
static inline struct scene compose(const float (*corner)[3], size_t triangles, struct gb_view view,
				   size_t edge)
{
	struct scene s = prepare("soup", triangles, edge);
	struct gb_error err = { 0 };

	gb_host_free(s.in->vertex);
	gb_memory_own(s.in);
	s.in->vertex = gb_host_zalloc(9 * triangles + 4, sizeof(float), &err);
	gb_memory_own(NULL);
	cr_assert(s.in->vertex);
	memcpy(s.in->vertex, corner, 36 * triangles);
	s.in->vertex_count = 3 * triangles;
	for (uint32_t i = 0; i < 3 * triangles; i++)
		s.in->triangle[i] = i;
	s.in->camera = lbvh_camera_of(&view, (uint32_t)edge);
	brute_force(&s);
	return s;
}

/* ---- comparing ---------------------------------------------------------------------------- */

/* The output of a traversal, which the caller frees. */
static inline void *trace(const struct scene *s, const struct gb_variant_ops *ops)
{
	struct gb_error err = { 0 };
	void *state = NULL, *output = malloc(lbvh_trace_size(s->in));

	memset(output, 0xa5, lbvh_trace_size(s->in));
	cr_assert_eq(gb_state_create(ops, &s->params, s->in, &state, &err), GB_OK, "%s",
		     err.message);
	cr_assert_eq(ops->run(state, NULL, &err), GB_OK, "%s", err.message);
	cr_assert_eq(ops->download(state, output, &err), GB_OK, "%s", err.message);
	gb_state_destroy(ops, state);
	return output;
}

/* The number of rays whose distance, primitive or bit is wrong. */
static inline size_t differing(const struct scene *s, void *output)
{
	const float *t = lbvh_trace_t(output);
	const uint32_t *primitive = lbvh_trace_primitive(s->in, output);
	const uint32_t *bits = lbvh_trace_bits(output);
	size_t count = 0;

	for (size_t i = 0; s->in->occlusion && i < 32 * lbvh_bit_words(s->in); i++)
		count += (bits[i / 32] >> i % 32 & 1) !=
			 (i < lbvh_ray_count(s->in) && s->primitive[i] != LBVH_MISS);
	for (size_t i = 0; !s->in->occlusion && i < lbvh_ray_count(s->in); i++)
		count += memcmp(t + i, s->t + i, sizeof *t) || primitive[i] != s->primitive[i];
	return count;
}

#endif
