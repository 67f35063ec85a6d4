/* picture.c -- draw the meshes of a terrain. */
#include "datasets/trees/terrain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/image.h"
#include "datasets/trees/bits.h"
#include "datasets/trees/trees.h"

enum { EDGE = 1024, UNIT = GB_TERRAIN_UNIT, RING = 12 /* pixels */ };

struct color {
	unsigned char r, g, b;
};
static const struct color SPLIT = { 213, 94, 0 }, MERGE = { 0, 114, 178 }, INK = { 32, 32, 32 },
			  WHITE = { 255, 255, 255 };

struct picture {
	struct gb_ground ground;
	unsigned char empty[3 * EDGE * EDGE]; /* the ground without a mesh */
	unsigned char rgb[3 * EDGE * EDGE];
};

static void paint_ground(struct picture *p)
{
	const struct gb_ground *g = &p->ground;

#pragma omp parallel for schedule(static)
	for (int j = 0; j < EDGE; j++)
		for (int i = 0; i < EDGE; i++) {
			const double x = i / (double)EDGE, y = j / (double)EDGE;
			const double here = gb_ground_height(g, x, y);
			const double z = here / (2 * GB_GROUND_ROUGHNESS);
			const double slope = gb_ground_height(g, x + 1.0 / EDGE, y) - here;
			const double light = 0.75 + 40 * slope;
			const double shade = light < 0.3 ? 0.3 : light > 1 ? 1 : light;
			unsigned char *at = p->empty + 3 * ((size_t)j * EDGE + (size_t)i);

			at[0] = (unsigned char)(255 * shade * (0.45 + 0.55 * z));
			at[1] = (unsigned char)(255 * shade * (0.75 + 0.15 * z));
			at[2] = (unsigned char)(255 * shade * (0.50 + 0.30 * z));
		}
}

static size_t pixel(int64_t at)
{
	return (size_t)(at * (EDGE - 1) / UNIT);
}

static void set(struct picture *p, size_t row, size_t column, struct color c)
{
	unsigned char *at = p->rgb + 3 * (row * EDGE + column);

	at[0] = c.r;
	at[1] = c.g;
	at[2] = c.b;
}

/* Draw a line between corners i and j, with points at most half a pixel apart. */
static void draw_line(struct picture *p, const struct gb_triangle *t, int i, int j)
{
	const int steps = (abs(t->x[j] - t->x[i]) + abs(t->y[j] - t->y[i])) * EDGE / UNIT * 2 + 1;

	for (int s = 0; s <= steps; s++) {
		const int64_t x = t->x[i] + (int64_t)(t->x[j] - t->x[i]) * s / steps;
		const int64_t y = t->y[i] + (int64_t)(t->y[j] - t->y[i]) * s / steps;

		set(p, pixel(y), pixel(x), INK);
	}
}

/* True if the point is on the edge from corner i to corner j or on its inner side. */
static bool is_inside(const struct gb_triangle *t, int i, int j, int64_t x, int64_t y, int side)
{
	const int64_t cross = (int64_t)(t->x[j] - t->x[i]) * (y - t->y[i]) -
			      (int64_t)(t->y[j] - t->y[i]) * (x - t->x[i]);

	return cross * side >= 0;
}

static void fill(struct picture *p, const struct gb_triangle *t, struct color c)
{
	const int64_t turn = (int64_t)(t->x[1] - t->x[0]) * (t->y[2] - t->y[0]) -
			     (int64_t)(t->y[1] - t->y[0]) * (t->x[2] - t->x[0]);
	const int side = turn > 0 ? 1 : -1;
	size_t from[2] = { EDGE, EDGE }, to[2] = { 0, 0 };

	for (int i = 0; i < 3; i++) {
		const size_t at[2] = { pixel(t->x[i]), pixel(t->y[i]) };

		for (int k = 0; k < 2; k++) {
			from[k] = at[k] < from[k] ? at[k] : from[k];
			to[k] = at[k] > to[k] ? at[k] : to[k];
		}
	}
	for (size_t row = from[1]; row <= to[1]; row++)
		for (size_t column = from[0]; column <= to[0]; column++) {
			const int64_t x = (int64_t)column * UNIT / (EDGE - 1);
			const int64_t y = (int64_t)row * UNIT / (EDGE - 1);

			if (is_inside(t, 0, 1, x, y, side) && is_inside(t, 1, 2, x, y, side) &&
			    is_inside(t, 2, 0, x, y, side))
				set(p, row, column, c);
		}
}

static void draw_camera(struct picture *p, size_t frame)
{
	const struct gb_place c = gb_ground_camera(&p->ground, frame);

	for (int row = 0; row < EDGE; row++)
		for (int column = 0; column < EDGE; column++) {
			const double x = column - c.x * (EDGE - 1);
			const double y = row - c.y * (EDGE - 1);

			if (fabs(sqrt(x * x + y * y) - RING) < 2)
				set(p, (size_t)row, (size_t)column, WHITE);
		}
}

/* Draw the mesh over the ground.  `frame`, if not NULL, has the splits and merges to colour. */
static void draw_mesh(struct picture *p, const uint64_t *field, unsigned depth,
		      const struct cbt_frame *frame)
{
	const uint64_t end = UINT64_C(1) << depth;
	size_t leaf = 0;

	memcpy(p->rgb, p->empty, sizeof p->rgb);
	for (uint64_t x = 0; frame && x < end; leaf++) {
		const struct gb_triangle t = gb_terrain_triangle(gb_tree_leaf(field, depth, &x));

		if (gb_tree_get(frame->split, leaf))
			fill(p, &t, SPLIT);
		else if (gb_tree_get(frame->merge, leaf))
			fill(p, &t, MERGE);
	}
	for (uint64_t x = 0; x < end;) {
		const struct gb_triangle t = gb_terrain_triangle(gb_tree_leaf(field, depth, &x));

		for (int i = 0; i < 3; i++)
			draw_line(p, &t, i, (i + 1) % 3);
	}
}

static struct picture *make_picture(uint64_t seed, struct gb_error *err)
{
	struct picture *p = gb_host_alloc(1, sizeof *p, err);

	if (!p)
		return NULL;
	gb_ground_make(&p->ground, seed);
	paint_ground(p);
	return p;
}

enum gb_status gb_terrain_draw(const char *path, const uint64_t *field, unsigned depth,
			       uint64_t seed, struct gb_error *err)
{
	struct picture *p = make_picture(seed, err);

	if (!p)
		return err->code;
	draw_mesh(p, field, depth, NULL);
	(void)gb_image_write(path, p->rgb, EDGE, EDGE, err);
	gb_host_free(p);
	return err->code;
}

/* ---- a flight ------------------------------------------------------------------------------ */

static enum gb_status write_numbered(const struct picture *p, const char *path, size_t number,
				     struct gb_error *err)
{
	char *name = gb_numbered_path(path, number);

	if (!name)
		return gb_out_of_memory(err, NULL);
	(void)gb_image_write(name, p->rgb, EDGE, EDGE, err);
	free(name);
	return err->code;
}

enum gb_status gb_terrain_film(const char *path, const struct cbt_input *in, uint64_t seed,
			       struct gb_error *err)
{
	uint64_t *field = gb_host_alloc(in->field_words, sizeof *field, err);
	struct picture *p = field ? make_picture(seed, err) : NULL;

	if (!p)
		goto out;
	memcpy(field, in->field, in->field_words * sizeof *field);
	for (size_t f = 0; f <= in->frames && !err->code; f++) {
		struct cbt_frame frame = f < in->frames ? in->frame[f] : (struct cbt_frame){ 0 };

		draw_mesh(p, field, in->depth, f < in->frames ? &frame : NULL);
		draw_camera(p, f < in->frames ? f + 1 : f);
		if (!write_numbered(p, path, f, err) && f < in->frames)
			(void)gb_trees_apply(field, in->depth, &frame);
	}
out:
	gb_host_free(p);
	gb_host_free(field);
	return err->code;
}
