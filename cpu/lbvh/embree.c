/* embree.c -- cpu/embree, embree-medium, embree8, embree16, embree16-medium: Intel's Embree.
 *
 * The peer that the paper compares with.  Build: rtcCommitScene() of one mesh, at low quality
 * (Morton codes, the paper's "HLBVH") and at medium (surface area heuristic); both end with a tree
 * of up to eight children a node ready for traversal, so cpu/wide is their counterpart.  Trace: the
 * same scene, by calls with 1, 8 and 16 rays.  Embree's arithmetic is its own: where a ray grazes
 * an edge its hit may differ from ours.
 */
#include "cpu/lbvh/parts/embree.h"

#include <math.h>
#include <stdlib.h>

#include "common/variants.h"

static enum gb_status create(void **state, const void *params, const void *input,
			     enum RTCBuildQuality quality, struct gb_error *err)
{
	struct lbvh_embree *s = calloc(1, sizeof *s);

	*state = s;
	if (!s)
		return gb_fail(err, GB_EUNAVAILABLE, "out of memory");
	return lbvh_embree_create(s, params, input, quality, err);
}

static enum gb_status create_low(void **state, const void *params, const void *input,
				 struct gb_error *err)
{
	return create(state, params, input, RTC_BUILD_QUALITY_LOW, err);
}

static enum gb_status create_medium(void **state, const void *params, const void *input,
				    struct gb_error *err)
{
	return create(state, params, input, RTC_BUILD_QUALITY_MEDIUM, err);
}

/* Ways to trace a tree that another of these builds. */
static enum gb_status only_trace(const void *params, struct gb_error *err)
{
	if (((const struct lbvh_params *)params)->op != LBVH_TRACE)
		return gb_fail(err, GB_EUNAVAILABLE, "this is a way to trace: --op=trace");
	return GB_OK;
}

static enum gb_status create_low_trace(void **state, const void *params, const void *input,
				       struct gb_error *err)
{
	return only_trace(params, err) ? err->code : create_low(state, params, input, err);
}

static enum gb_status create_medium_trace(void **state, const void *params, const void *input,
					  struct gb_error *err)
{
	return only_trace(params, err) ? err->code : create_medium(state, params, input, err);
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct lbvh_embree *s = state;

	(void)sample;
	if (s->op == LBVH_BUILD)
		lbvh_embree_touch(s);
	return lbvh_embree_check(s->device, err);
}

static enum gb_status run(struct lbvh_embree *s, lbvh_trace_fn *trace, struct gb_error *err)
{
	if (s->op == LBVH_BUILD)
		return lbvh_embree_build(s, err);
	lbvh_tracer_run(&s->tracer, trace, s);
	return lbvh_embree_check(s->device, err);
}

static enum gb_status run1(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)timer;
	return run(state, lbvh_embree_trace1, err);
}

static enum gb_status run8(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)timer;
	return run(state, lbvh_embree_trace8, err);
}

static enum gb_status run16(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)timer;
	return run(state, lbvh_embree_trace16, err);
}

/* Distances to the triangles that Embree has found, by the arithmetic that all variants share:
 * where a ray grazes a long thin triangle, Embree's single precision is off by parts in 10^4, which
 * would pass for a wrong hit.  A distance that is off by more than 1 % stays as it is. */
static void refine(const struct lbvh_input *in, const struct lbvh_camera *camera, uint32_t edge,
		   float *t, const uint32_t *primitive)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < (size_t)edge * edge; i++) {
		float direction[3], ours;
		const uint32_t *v;

		if (primitive[i] >= in->count)
			continue;
		v = in->triangle + 3 * (size_t)primitive[i];
		lbvh_ray(camera, (uint32_t)(i % edge), (uint32_t)(i / edge), direction);
		ours = lbvh_intersect(camera->eye, direction, in->vertex + 3 * (size_t)v[0],
				      in->vertex + 3 * (size_t)v[1], in->vertex + 3 * (size_t)v[2]);
		if (fabsf(ours - t[i]) <= 0.01F * t[i])
			t[i] = ours;
	}
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct lbvh_embree *s = state;
	const struct lbvh_input *in = s->tracer.input;

	if (s->op == LBVH_TRACE) {
		lbvh_tracer_download(&s->tracer, output);
		*lbvh_trace_arithmetic(in, output) = LBVH_FOREIGN;
		refine(in, &in->camera, in->edge, lbvh_trace_t(output),
		       lbvh_trace_primitive(in, output));
	} else {
		lbvh_tracer_probe(&s->tracer, lbvh_embree_trace1, s, 0, output);
		((struct lbvh_tree_header *)output)->arithmetic = LBVH_FOREIGN;
		refine(in, &in->probe, LBVH_PROBE_EDGE, lbvh_build_probe_t(in, output),
		       lbvh_build_probe_primitive(in, output));
	}
	return lbvh_embree_check(s->device, err);
}

static void destroy(void *state)
{
	if (!state)
		return;
	lbvh_embree_destroy(state);
	free(state);
}

#define OPS(create_, run_)                                                                    \
	{                                                                                     \
		.create_old = (create_), .reset = reset, .run = (run_), .download = download, \
		.destroy = destroy                                                            \
	}

const struct gb_variant_ops lbvh_cpu_embree = OPS(create_low, run1);
const struct gb_variant_ops lbvh_cpu_embree_medium = OPS(create_medium, run1);
const struct gb_variant_ops lbvh_cpu_embree8 = OPS(create_low_trace, run8);
const struct gb_variant_ops lbvh_cpu_embree16 = OPS(create_low_trace, run16);
const struct gb_variant_ops lbvh_cpu_embree16_medium = OPS(create_medium_trace, run16);
