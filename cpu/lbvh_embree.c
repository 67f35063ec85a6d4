/* lbvh_embree.c -- cpu/embree, embree-medium, embree8, embree16, embree16-medium: Intel's Embree.
 *
 * The peer that the paper compares with.  Build: rtcCommitScene() of one mesh, at low quality
 * (Morton codes, the paper's "HLBVH") and at medium (surface area heuristic); both end with a tree
 * of up to eight children a node ready for traversal, so cpu/wide is their counterpart.  Trace: the
 * same scene, by calls with 1, 8 and 16 rays.  Embree's arithmetic is its own: where a ray grazes
 * an edge its hit may differ from ours.
 */
#include "cpu/lbvh_embree.h"

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

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct lbvh_embree *s = state;

	if (s->op == LBVH_TRACE)
		lbvh_tracer_download(&s->tracer, output);
	else
		lbvh_tracer_probe(&s->tracer, lbvh_embree_trace1, s, 0, output);
	return lbvh_embree_check(s->device, err);
}

static void destroy(void *state)
{
	if (!state)
		return;
	lbvh_embree_destroy(state);
	free(state);
}

#define OPS(create_, run_)                                                                \
	{                                                                                 \
		.create = (create_), .reset = reset, .run = (run_), .download = download, \
		.destroy = destroy                                                        \
	}

const struct gb_variant_ops lbvh_cpu_embree = OPS(create_low, run1);
const struct gb_variant_ops lbvh_cpu_embree_medium = OPS(create_medium, run1);
const struct gb_variant_ops lbvh_cpu_embree8 = OPS(create_low_trace, run8);
const struct gb_variant_ops lbvh_cpu_embree16 = OPS(create_low_trace, run16);
const struct gb_variant_ops lbvh_cpu_embree16_medium = OPS(create_medium_trace, run16);
