/* rays.c -- generation of rays from (seed, index), and their order (rays.h). */
#include "cli/benchmarks/lbvh/rays.h"

#include <math.h>
#include <stdlib.h>

#include "cli/benchmarks/lbvh/lbvh_reference.h"
#include "common/memory.h"
#include "common/rng.h"

/* Random streams of the seed, distinct from the scene's.  Each attempt at a direction uses the next
 * stream. */
enum { STREAM_ORIGIN = 200, STREAM_DIRECTION = 1000 };

/* Lengths as fractions of the scene's diagonal. */
static const double NEAR_SHARE = 1e-4, AMBIENT_SHARE = 0.1, LIGHT_AWAY = 0.75, LIGHT_RADIUS = 0.05;

/* A ray's place in the sorted order. */
struct place {
	uint64_t key;
	size_t from; /* index in the given order */
};

/* Data shared by all rays of a stream. */
struct maker {
	const struct lbvh_input *in;
	enum lbvh_rays kind;
	uint64_t seed;
	struct lbvh_box scene;
	double diagonal;
	/* The primitive that each pixel's primary ray hits, and the pixels with a hit in stream
	 * order.  NULL if rays do not start at such hits. */
	uint32_t *primitive, *pixel;
	size_t hits;
	struct place *place; /* NULL: rays stay in the given order */
};

/* The start of a ray.  The normal is a unit vector on the eye's side of the surface. */
struct spot {
	double point[3], normal[3];
};

/* ---- vectors ------------------------------------------------------------------------------ */

/* Normalize v.  False if it is zero. */
static bool normalize(double v[3])
{
	const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

	for (int k = 0; k < 3 && length > 0; k++)
		v[k] /= length;
	return length > 0;
}

/* Map 32 random bits to [-1, 1). */
static double signed_unit(uint32_t word)
{
	return (double)word * 0x1p-31 - 1;
}

/* A random unit vector by rejection of points outside the unit ball.  This avoids libm functions
 * whose rounding differs between C libraries. */
static void random_direction(const struct maker *m, size_t i, double out[3])
{
	for (uint64_t attempt = 0;; attempt++) {
		const struct gb_random_block random =
			gb_random_block(m->seed, STREAM_DIRECTION + attempt, i);
		double square = 0;

		for (int k = 0; k < 3; k++) {
			out[k] = signed_unit(random.word[k]);
			square += out[k] * out[k];
		}
		if (square <= 1 && square > 1e-6 && normalize(out))
			return;
	}
}

/* ---- the surface -------------------------------------------------------------------------- */

/* Bits 0, 2 and 4 of v, packed. */
static uint32_t even_bits(uint32_t v)
{
	return (v & 1) | (v >> 1 & 2) | (v >> 2 & 4);
}

/* List the pixels with a hit in stream order. */
static void order_pixels(struct maker *m)
{
	enum { TILE = 8 };
	const uint32_t edge = m->in->edge, tiles = (edge + TILE - 1) / TILE;

	for (size_t tile = 0; tile < (size_t)tiles * tiles; tile++)
		for (uint32_t z = 0; z < TILE * TILE; z++) {
			const uint32_t x = (uint32_t)(tile % tiles) * TILE + even_bits(z);
			const uint32_t y = (uint32_t)(tile / tiles) * TILE + even_bits(z >> 1);

			if (x < edge && y < edge && m->primitive[y * edge + x] != LBVH_MISS)
				m->pixel[m->hits++] = y * edge + x;
		}
}

static void find_surface(struct maker *m)
{
	const size_t rays = lbvh_ray_count(m->in);

	lbvh_reference_build(m->in);
#pragma omp parallel for schedule(dynamic, 1024)
	for (size_t i = 0; i < rays; i++) {
		const struct lbvh_ray ray = lbvh_camera_ray(&m->in->camera, m->in->edge, i);

		(void)lbvh_reference_hit(m->in, &ray, &m->primitive[i]);
	}
	order_pixels(m);
}

/* The unit normal of triangle p that faces against `ahead`; -ahead if the triangle has no area. */
static void face(const struct lbvh_input *in, size_t p, const double ahead[3], double normal[3])
{
	double e1[3], e2[3], toward = 0;

	lbvh_edges(in, p, e1, e2, normal);
	if (!normalize(normal))
		for (int k = 0; k < 3; k++)
			normal[k] = -ahead[k];
	for (int k = 0; k < 3; k++)
		toward += normal[k] * ahead[k];
	for (int k = 0; k < 3 && toward > 0; k++)
		normal[k] = -normal[k];
}

/* The start of ray i of the stream. */
static struct spot spot_of(const struct maker *m, size_t i)
{
	const struct lbvh_input *in = m->in;
	const bool seen = m->primitive && m->hits;
	const size_t pixel = seen ? m->pixel[i * m->hits / lbvh_ray_count(in)] : 0;
	const struct lbvh_ray ray = lbvh_camera_ray(&in->camera, in->edge, pixel);
	const size_t p = seen ? m->primitive[pixel] : i % in->count;
	const uint32_t *v = in->triangle + 3 * p;
	const float *a = in->vertex + 3 * (size_t)v[0], *b = in->vertex + 3 * (size_t)v[1];
	const float *c = in->vertex + 3 * (size_t)v[2];
	const double t = seen ? (double)lbvh_meet(in, ray.origin, ray.direction, p) : 0;
	struct spot spot;
	double ahead[3];

	for (int k = 0; k < 3; k++) {
		ahead[k] = (double)ray.direction[k];
		spot.point[k] = seen ? (double)ray.origin[k] + t * ahead[k]
				     : ((double)a[k] + (double)b[k] + (double)c[k]) / 3;
	}
	face(in, p, ahead, spot.normal);
	return spot;
}

/* ---- rays --------------------------------------------------------------------------------- */

/* A ray from the point along a direction, between two distances. */
static struct lbvh_ray ray_from(const double point[3], const double direction[3], double near,
				double far)
{
	struct lbvh_ray ray = { .near = (float)near, .far = (float)far };

	for (int k = 0; k < 3; k++) {
		ray.origin[k] = (float)point[k];
		ray.direction[k] = (float)direction[k];
	}
	return ray;
}

static struct lbvh_ray shadow_ray(const struct maker *m, size_t i)
{
	static const double away[3] = { 0.48, 0.8, 0.36 }; /* a unit vector */
	const struct spot spot = spot_of(m, i);
	double d[3], random[3], square = 0;

	random_direction(m, i, random);
	for (int k = 0; k < 3; k++) {
		d[k] = ((double)m->scene.lo[k] + (double)m->scene.hi[k]) / 2 - spot.point[k] +
		       m->diagonal * (LIGHT_AWAY * away[k] + LIGHT_RADIUS * random[k]);
		square += d[k] * d[k];
	}
	if (!normalize(d))
		d[1] = 1;
	return ray_from(spot.point, d, NEAR_SHARE * m->diagonal, sqrt(square));
}

/* A cosine-distributed ray: its direction is the sum of the normal and a random unit vector. */
static struct lbvh_ray surface_ray(const struct maker *m, size_t i, double far)
{
	const struct spot spot = spot_of(m, i);
	double d[3];

	random_direction(m, i, d);
	for (int k = 0; k < 3; k++)
		d[k] += spot.normal[k];
	if (!normalize(d))
		return ray_from(spot.point, spot.normal, NEAR_SHARE * m->diagonal, far);
	return ray_from(spot.point, d, NEAR_SHARE * m->diagonal, far);
}

static struct lbvh_ray random_ray(const struct maker *m, size_t i)
{
	const struct gb_random_block random = gb_random_block(m->seed, STREAM_ORIGIN, i);
	double point[3], direction[3];

	for (int k = 0; k < 3; k++)
		point[k] =
			(double)m->scene.lo[k] + ((double)m->scene.hi[k] - (double)m->scene.lo[k]) *
							 ((double)random.word[k] * 0x1p-32);
	random_direction(m, i, direction);
	return ray_from(point, direction, 0, (double)INFINITY);
}

static struct lbvh_ray make_ray(const struct maker *m, size_t i)
{
	switch (m->kind) {
	case LBVH_SHADOW:
		return shadow_ray(m, i);
	case LBVH_AMBIENT:
		return surface_ray(m, i, AMBIENT_SHARE * m->diagonal);
	case LBVH_RANDOM:
		return random_ray(m, i);
	case LBVH_BOUNCE:
		return surface_ray(m, i, (double)INFINITY);
	case LBVH_PRIMARY:
	default:
		return lbvh_camera_ray(&m->in->camera, m->in->edge, i);
	}
}

/* ---- order -------------------------------------------------------------------------------- */

static int by_key(const void *a_, const void *b_)
{
	const struct place *a = a_, *b = b_;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static uint64_t key_of(const struct lbvh_grid *grid, const struct lbvh_ray *ray)
{
	struct lbvh_box box = { { 0 }, { 0 } };
	uint64_t octant = 0;

	for (int k = 0; k < 3; k++) {
		box.lo[k] = box.hi[k] = ray->origin[k];
		octant = octant << 1 | (ray->direction[k] < 0);
	}
	return octant << 30 | lbvh_code_30(grid, &box);
}

static void sort_rays(const struct maker *m)
{
	const struct lbvh_grid grid = lbvh_grid_over(m->scene.lo, m->scene.hi, LBVH_BITS_30);
	const size_t rays = lbvh_ray_count(m->in);

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < rays; i++) {
		const struct lbvh_ray ray = make_ray(m, i);

		m->place[i] = (struct place){ key_of(&grid, &ray), i };
	}
	qsort(m->place, rays, sizeof *m->place, by_key);
}

/* ---- the stream --------------------------------------------------------------------------- */

/* Compute the scene's box and its diagonal. */
static void measure(struct maker *m)
{
	double square = 0;

	m->scene = lbvh_scene_box(m->in);
	for (int k = 0; k < 3; k++) {
		const double extent = (double)m->scene.hi[k] - (double)m->scene.lo[k];

		square += extent * extent;
	}
	m->diagonal = sqrt(square);
}

static void make_rays(struct maker *m, struct lbvh_ray *ray)
{
	const size_t rays = lbvh_ray_count(m->in);

	measure(m);
	if (m->primitive)
		find_surface(m);
	if (m->place)
		sort_rays(m);
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < rays; i++)
		ray[i] = make_ray(m, m->place ? m->place[i].from : i);
}

bool lbvh_rays_wanted(const struct lbvh_params *params)
{
	return params->op == LBVH_TRACE &&
	       (params->rays_kind != LBVH_PRIMARY || params->order != LBVH_OWN);
}

void lbvh_rays_make(struct lbvh_input *in, const struct lbvh_params *params, struct gb_error *err)
{
	struct maker m = { .in = in,
			   .kind = (enum lbvh_rays)params->rays_kind,
			   .seed = (uint64_t)params->seed };
	const size_t rays = lbvh_ray_count(in);
	struct lbvh_ray *ray = gb_host_alloc(rays, sizeof *ray, err);

	if (m.kind != LBVH_PRIMARY && m.kind != LBVH_RANDOM) {
		m.primitive = gb_host_alloc(rays, sizeof *m.primitive, err);
		m.pixel = gb_host_alloc(rays, sizeof *m.pixel, err);
	}
	if (params->order == LBVH_SPATIAL)
		m.place = gb_host_alloc(rays, sizeof *m.place, err);
	if (!err->code && !gb_memory_is_dry())
		make_rays(&m, ray);
	gb_host_free(m.primitive);
	gb_host_free(m.pixel);
	gb_host_free(m.place);
	in->ray = ray;
	in->occlusion = m.kind == LBVH_SHADOW || m.kind == LBVH_AMBIENT;
}
