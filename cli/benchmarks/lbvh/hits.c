/* hits.c -- verification of ray hits against the nearest of all triangles (hits.h). */
#include "cli/benchmarks/lbvh/hits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/benchmarks/lbvh/lbvh_reference.h"

/* One in this many rays may disagree, where the last bit decides.  Embree's triangle test and
 * reciprocals have rounding errors of their own.  They matter for triangles that are much longer
 * than wide, as in `city`, and more for streams, which meet triangles at all angles. */
enum {
	RAYS_PER_EDGE_CASE = 100000,
	RAYS_PER_FOREIGN_EDGE_CASE = 10000,
};
static const float tolerance = 1e-4f;

/* The hit that the reference finds. */
struct hit {
	float t;
	uint32_t primitive;
};

void lbvh_hits_arithmetic(struct lbvh_hits *hits, uint32_t word)
{
	hits->coarse = word == LBVH_COARSE;
	hits->foreign = word == LBVH_FOREIGN || hits->coarse;
}

static struct lbvh_ray ray_of(const struct lbvh_hits *h, size_t i)
{
	return h->ray ? h->ray[i] : lbvh_camera_ray(h->camera, h->edge, i);
}

/* Find the hits once. */
static void trace_reference(const struct lbvh_input *in, const struct lbvh_hits *h)
{
	struct lbvh_reference *r = in->reference;

	lbvh_reference_build(in);
	if (r->traced)
		return;
#pragma omp parallel for schedule(dynamic, 1024)
	for (size_t i = 0; i < h->rays; i++) {
		const struct lbvh_ray ray = ray_of(h, i);

		r->t[i] = lbvh_reference_hit(in, &ray, &r->primitive[i]);
	}
	r->traced = true;
}

/* The reference's hit of ray i. */
static struct hit wanted(const struct lbvh_input *in, size_t i)
{
	return (struct hit){ in->reference->t[i], in->reference->primitive[i] };
}

/* True if two distances are equal up to rounding.  False if either is infinite. */
static bool near_enough(float a, float b)
{
	const float difference = a > b ? a - b : b - a;

	/* Keep `<` and `<=`: a NaN must compare as not near. */
	return difference < INFINITY && difference <= tolerance * lbvh_max(a, b);
}

static bool is_occluded(const struct lbvh_hits *h, size_t i)
{
	return h->bits[i / 32] >> i % 32 & 1;
}

static double length_of(const double v[3])
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* A bound on the rounding error of the distance t at which a ray meets primitive p.  The distance
 * is a quotient of determinants, each a sum of six products of edge coordinates.  The sum cancels
 * if the triangle is seen from the side or is much longer than wide.  The reference and the foreign
 * arithmetic both round.  The bound is at most MOST * t, so degenerate triangles do not pass. */
static double rounding_of(const struct lbvh_input *in, const struct lbvh_ray *ray, uint32_t p,
			  double t)
{
	static const double UNIT = 0x1p-24, MOST = 1e-2;
	enum { ROUNDED = 2 * 8 };
	const uint32_t first = in->triangle[3 * (size_t)p];
	double e1[3], e2[3], s[3], cross[3], determinant = 0;

	lbvh_edges(in, p, e1, e2, cross);
	for (size_t k = 0; k < 3; k++) {
		s[k] = (double)ray->origin[k] - (double)in->vertex[3 * (size_t)first + k];
		determinant += cross[k] * (double)ray->direction[k];
	}
	return fmin(MOST * t, ROUNDED * UNIT * length_of(e1) * length_of(e2) * (length_of(s) + t) /
				      fabs(determinant));
}

/* The distance at which ray i meets its primitive. */
static float meet(const struct lbvh_input *in, const struct lbvh_hits *h, size_t i)
{
	const struct lbvh_ray ray = ray_of(h, i);

	return lbvh_meet(in, ray.origin, ray.direction, h->primitive[i]);
}

/* The distance of ray i, whose primitive exists. */
static float distance_of(const struct lbvh_input *in, const struct lbvh_hits *h, size_t i)
{
	const float t = h->t[i], ours = h->coarse ? meet(in, h, i) : t;

	return fabsf(ours - t) <= 0.01F * t ? ours : t;
}

/* True if t, the distance of ray i, is the one that the reference found. */
static bool is_there(const struct lbvh_input *in, const struct lbvh_hits *h, size_t i, float t,
		     float want)
{
	struct lbvh_ray ray;

	if (near_enough(t, want))
		return true;
	if (!h->foreign)
		return false;
	ray = ray_of(h, i);
	return fabs((double)t - (double)want) <=
	       rounding_of(in, &ray, h->primitive[i], (double)want);
}

/* True if the answer to ray i, a hit (t, p) or a bit, agrees with the reference. */
static bool agrees(const struct lbvh_input *in, const struct lbvh_hits *h, size_t i)
{
	const struct hit want = wanted(in, i);
	uint32_t p;
	float t;

	if (h->bits)
		return is_occluded(h, i) == (want.t < INFINITY);
	p = h->primitive[i];
	if (want.t == INFINITY || p == LBVH_MISS)
		return want.t == INFINITY && p == LBVH_MISS && h->t[i] == INFINITY;
	if (p >= in->count)
		return false;
	t = distance_of(in, h, i);
	if (!is_there(in, h, i, t, want.t))
		return false;
	return p == want.primitive || near_enough(t, meet(in, h, i));
}

/* The primitive that ray i hits, or LBVH_MISS; 0 for an occluded ray. */
static uint32_t hit_of(const struct lbvh_hits *h, size_t i)
{
	if (h->bits)
		return is_occluded(h, i) ? 0 : LBVH_MISS;
	return h->primitive[i];
}

/* The place of ray i: "(12, 7)" in an image, "519" in a stream. */
static const char *place_of(const struct lbvh_hits *h, size_t i, char text[48])
{
	if (h->ray)
		(void)snprintf(text, 48, "%zu", i);
	else
		(void)snprintf(text, 48, "(%zu, %zu)", i % h->edge, i / h->edge);
	return text;
}

static enum gb_status report_hits(const struct lbvh_input *in, const struct lbvh_hits *h,
				  size_t differing, size_t allowed, size_t first,
				  struct gb_error *err)
{
	const struct hit want = wanted(in, first);
	char place[48];

	(void)place_of(h, first, place);
	if (h->bits)
		return gb_fail(err, GB_EVERIFY,
			       "%zu of %zu rays are wrongly occluded or not (%zu may be, at "
			       "edges), first ray %s: %s, and nearest is %" PRIu32 " at %.9g",
			       differing, h->rays, allowed, place,
			       is_occluded(h, first) ? "occluded" : "not occluded", want.primitive,
			       (double)want.t);
	return gb_fail(err, GB_EVERIFY,
		       "%zu of %zu rays do not hit what they should (%zu may, at edges), first ray "
		       "%s: primitive %" PRIu32 " at %.9g instead of %" PRIu32 " at %.9g",
		       differing, h->rays, allowed, place, h->primitive[first], (double)h->t[first],
		       want.primitive, (double)want.t);
}

/* The number of rays that may disagree. */
static size_t allowed_of(const struct lbvh_hits *h)
{
	const size_t share = h->foreign ? RAYS_PER_FOREIGN_EDGE_CASE : RAYS_PER_EDGE_CASE;

	return (h->rays + share - 1) / share + (h->foreign ? 1 : 0);
}

enum gb_status lbvh_verify_hits(const struct lbvh_input *in, const struct lbvh_hits *h,
				struct gb_metrics *metrics, struct gb_error *err)
{
	const size_t allowed = allowed_of(h);
	size_t differing = 0, first = h->rays, hits = 0;

	trace_reference(in, h);
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : differing, hits) reduction(min : first)
	for (size_t i = 0; i < h->rays; i++) {
		if (!agrees(in, h, i)) {
			differing++;
			first = i < first ? i : first;
		}
		hits += hit_of(h, i) != LBVH_MISS;
	}
	gb_metric(metrics, "hits", (double)hits);
	gb_metric(metrics, "differing_rays", (double)differing);
	if (differing > allowed)
		return report_hits(in, h, differing, allowed, first, err);
	return GB_OK;
}

enum gb_status lbvh_verify_trace(const struct lbvh_input *in, const void *output,
				 struct gb_metrics *metrics, struct gb_error *err)
{
	const uint32_t *word = output;
	struct lbvh_hits h = {
		.camera = &in->camera, .ray = in->ray, .edge = in->edge, .rays = lbvh_ray_count(in)
	};

	lbvh_hits_arithmetic(&h, word[lbvh_trace_size(in) / sizeof *word - 1]);
	if (!in->occlusion) {
		h.t = output;
		h.primitive = word + h.rays;
		return lbvh_verify_hits(in, &h, metrics, err);
	}
	h.bits = word;
	if (h.rays % 32 && word[h.rays / 32] >> h.rays % 32)
		return gb_fail(err, GB_EVERIFY, "bits behind the last of %zu rays are set", h.rays);
	return lbvh_verify_hits(in, &h, metrics, err);
}
