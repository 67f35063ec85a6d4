/* terrain.c -- generation of terrain meshes; terrain.h defines the mesh and its error.
 *
 * The neighbour of a node is computed from the node's number alone, so no mesh is stored.
 */
#include "datasets/trees/terrain.h"

#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "datasets/trees/bits.h"

enum {
	SEARCH = 40, /* maximum number of thresholds tried */
	STREAM_HEIGHTS = 1,
};

static const double ROUGHNESS = 0.12;    /* height of the first octave */
static const double ALTITUDE = 0.05;     /* height of the camera above the ground */
static const double SPEED = 0.01;        /* distance in x that the camera moves per frame */
static const double FLATNESS = 1.0 / 64; /* error per length of flat ground */
static const double PATIENCE = 0.9;      /* fraction of the threshold below which to merge */

/* The corners p, q, r of a node, and the node of the same level across its hypotenuse: 0 at the border
 * and for k < 2. */
struct node {
	double x[3], y[3];
	uint32_t across;
};

/* The height at (x, y), both in [0, 1]. */
static double height(const struct gb_terrain *t, double x, double y)
{
	return gb_noise_height(&t->ground, x, y, ROUGHNESS, 5, 0, 0);
}

/* The camera of a frame.  Frame 0 is the start of the flight; the wishes of frame f use camera
 * f + 1. */
static struct gb_place camera(const struct gb_terrain *t, size_t frame)
{
	const double along = 0.2 + SPEED * (double)frame;
	struct gb_place c = { along - floor(along), 0.3, 0 };

	c.y += 0.4 * c.x;
	c.z = height(t, c.x, c.y) + ALTITUDE;
	return c;
}

/* ---- nodes ------------------------------------------------------------------------------- */

/* The descent from the root keeps track of the nodes across the hypotenuse and across the legs p-q
 * (left) and q-r (right).  The leg p-q of a node is the hypotenuse of its left child, and half of its
 * hypotenuse is a leg of each child. */
static struct node node_of(uint32_t k)
{
	struct node n = { { 0, 1, 1 }, { 0, 0, 1 }, 0 };
	const unsigned level = cbt_level(k);
	uint32_t left = 0, right = 0;

	if (level == 0)
		return n;
	n.across = (k >> (level - 1)) ^ 1;
	if (n.across == 2) {
		n.x[0] = n.y[0] = n.y[1] = 1;
		n.x[1] = n.x[2] = n.y[2] = 0;
	}
	for (unsigned i = level - 1; i-- > 0;) {
		const double mx = (n.x[0] + n.x[2]) / 2, my = (n.y[0] + n.y[2]) / 2;
		const bool is_right = k >> i & 1;
		const int gone = is_right ? 0 : 2; /* the corner that q replaces */
		const uint32_t old = n.across ? 2 * n.across + !is_right : 0;
		const uint32_t leg = is_right ? right : left, sibling = (k >> i) ^ 1;

		n.across = leg ? 2 * leg + !is_right : 0;
		left = is_right ? sibling : old;
		right = is_right ? old : sibling;
		n.x[gone] = n.x[1];
		n.y[gone] = n.y[1];
		n.x[1] = mx;
		n.y[1] = my;
	}
	return n;
}

/* The error of node k, seen from the camera.  It is compared with the threshold. */
static double need(const struct gb_terrain *t, uint32_t k)
{
	const struct node c = node_of(k);
	const double px = c.x[0], py = c.y[0], rx = c.x[2], ry = c.y[2];
	const double mx = (px + rx) / 2, my = (py + ry) / 2, mz = height(t, mx, my);
	const double chord = (height(t, px, py) + height(t, rx, ry)) / 2;
	const double length = sqrt((px - rx) * (px - rx) + (py - ry) * (py - ry));
	const double dx = mx - t->camera.x, dy = my - t->camera.y, dz = mz - t->camera.z;

	return (fabs(mz - chord) + length * FLATNESS) / sqrt(dx * dx + dy * dy + dz * dz + 1e-12);
}

/* ---- the tree ---------------------------------------------------------------------------- */

/* True if node k is a leaf. */
static bool is_leaf(const uint64_t *field, unsigned depth, uint32_t k)
{
	const uint64_t x = cbt_field_bit(depth, k), end = UINT64_C(1) << depth;
	const uint64_t size = end >> cbt_level(k);

	return gb_tree_get(field, x) && (size == 1 || !gb_tree_get(field, x + size / 2)) &&
	       (x + size == end || gb_tree_get(field, x + size));
}

/* Split leaf k and every node that must be split with it to leave no crack.  Returns the number of
 * splits.  Each recursive call goes up one level. */
static size_t split_conforming(const struct gb_terrain *t, uint64_t *field, uint32_t k)
{
	const uint32_t other = node_of(k).across;
	size_t splits = 1;

	if (other && !is_leaf(field, t->depth, other))
		splits += split_conforming(t, field, other >> 1);
	gb_tree_set(field, cbt_field_bit(t->depth, 2 * k + 1));
	if (other) {
		gb_tree_set(field, cbt_field_bit(t->depth, 2 * other + 1));
		splits++;
	}
	return splits;
}

/* Refine the first two triangles until no leaf exceeds the threshold, or there are more than `most`
 * leaves.  Returns the number of leaves. */
static size_t refine(const struct gb_terrain *t, uint64_t *field, size_t most)
{
	const uint64_t end = UINT64_C(1) << t->depth;
	size_t leaves = 2, before;

	memset(field, 0, cbt_field_words(t->depth) * sizeof *field);
	gb_tree_set(field, 0);
	gb_tree_set(field, end / 2);
	do {
		before = leaves;
		for (uint64_t x = 0; x < end && leaves <= most;) {
			uint64_t next = x;
			const uint32_t k = gb_tree_leaf(field, t->depth, &next);

			if (next - x > 1 && need(t, k) > t->threshold)
				leaves += split_conforming(t, field, k);
			else
				x = next;
		}
	} while (leaves > before && leaves <= most);
	return leaves;
}

size_t gb_terrain_tree(struct gb_terrain *t, size_t leaves, uint64_t *field)
{
	double low = 0, high = 4, best = high;
	size_t got, best_off = SIZE_MAX;

	t->camera = camera(t, 0);
	for (int i = 0; i < SEARCH && best_off > leaves / 200; i++) {
		size_t off;

		t->threshold = low > 0 ? sqrt(low * high) : high / 4;
		got = refine(t, field, 2 * leaves);
		off = got > leaves ? got - leaves : leaves - got;
		if (off < best_off) {
			best_off = off;
			best = t->threshold;
		}
		if (got > leaves)
			low = t->threshold;
		else
			high = t->threshold;
	}
	t->threshold = best;
	return refine(t, field, UINT64_C(1) << t->depth);
}

/* ---- frames ------------------------------------------------------------------------------ */

/* Mark leaf k and its partner for splitting, or the larger leaves that must be split first. */
static void mark_split(struct gb_terrain *t, const uint64_t *field, uint32_t k)
{
	uint32_t other = node_of(k).across;

	while (other && !is_leaf(field, t->depth, other)) {
		k = other >> 1;
		other = node_of(k).across;
	}
	gb_tree_set(t->split, cbt_field_bit(t->depth, k));
	if (other)
		gb_tree_set(t->split, cbt_field_bit(t->depth, other));
}

/* True if both children of node k are leaves, neither is marked for splitting, and the error of k
 * is small enough. */
static bool may_merge(const struct gb_terrain *t, const uint64_t *field, uint32_t k)
{
	return is_leaf(field, t->depth, 2 * k) && is_leaf(field, t->depth, 2 * k + 1) &&
	       !gb_tree_get(t->split, cbt_field_bit(t->depth, 2 * k)) &&
	       !gb_tree_get(t->split, cbt_field_bit(t->depth, 2 * k + 1)) &&
	       need(t, k) < PATIENCE * t->threshold;
}

/* Mark the children of node k for merging if k and its partner may both be merged. */
static void mark_merge(struct gb_terrain *t, const uint64_t *field, uint32_t k)
{
	const uint32_t other = node_of(k).across;

	if (!may_merge(t, field, k) || (other && !may_merge(t, field, other)))
		return;
	gb_tree_set(t->merge, cbt_field_bit(t->depth, 2 * k));
	gb_tree_set(t->merge, cbt_field_bit(t->depth, 2 * k + 1));
}

void gb_terrain_wishes(struct gb_terrain *t, const uint64_t *field, size_t f,
		       struct cbt_frame *frame)
{
	const uint64_t end = UINT64_C(1) << t->depth;
	size_t leaf = 0;

	t->camera = camera(t, f + 1);
	memset(t->split, 0, cbt_field_words(t->depth) * sizeof *t->split);
	memset(t->merge, 0, cbt_field_words(t->depth) * sizeof *t->merge);
	for (uint64_t x = 0; x < end;) {
		const uint32_t k = gb_tree_leaf(field, t->depth, &x);

		if (cbt_level(k) < t->depth && need(t, k) > t->threshold)
			mark_split(t, field, k);
	}
	for (uint64_t x = 0; x < end;) {
		const uint32_t k = gb_tree_leaf(field, t->depth, &x);

		if (cbt_level(k) >= 2 && !(k & 1))
			mark_merge(t, field, k >> 1);
	}
	for (uint64_t x = 0; x < end; x = gb_tree_next(field, end, x + 1), leaf++) {
		if (gb_tree_get(t->split, x))
			gb_tree_set(frame->split, leaf);
		if (gb_tree_get(t->merge, x))
			gb_tree_set(frame->merge, leaf);
	}
}

enum gb_status gb_terrain_begin(struct gb_terrain *t, unsigned depth, uint64_t seed,
				struct gb_error *err)
{
	t->depth = depth;
	gb_noise_fill(&t->ground, 0, seed, STREAM_HEIGHTS);
	t->split = gb_host_alloc(cbt_field_words(depth), sizeof *t->split, err);
	t->merge = gb_host_alloc(cbt_field_words(depth), sizeof *t->merge, err);
	return err->code;
}
