/* split_words_plain.h -- the vector operations of split_body.h in portable C, or in SSE2.
 *
 *	PAIR                    a record: lo, and hi negated
 *	cells_of_two(cell, ...) the bins of two primitives per axis, in the implementation's
 *				unit, and an unused fourth number each
 *	add_to_bin(b, k, c, r)  add a primitive's record to bin c, in that unit, of axis k
 *	sweep(..., side)        the cheapest of all planes and, if any, the boxes on its sides
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_SPLIT_WORDS_PLAIN_H
#define GPUBENCH_CPU_LBVH_PARTS_SPLIT_WORDS_PLAIN_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/lbvh/parts/lanes.h"
#include "cpu/lbvh/parts/split_ways.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

#define SPLIT_FN    static inline __attribute__((always_inline))
#define SPLIT_ENTRY static

#define PAIR struct pair
struct pair {
	LANES lo, hi;
};

SPLIT_FN PAIR pair_load(const struct lbvh_box *from)
{
	return (PAIR){ lanes_load(from->lo), lanes_load(from->hi) };
}

SPLIT_FN void pair_store(struct lbvh_box *to, PAIR a)
{
	lanes_store(to->lo, a.lo);
	lanes_store(to->hi, a.hi);
}

SPLIT_FN PAIR pair_all(float value)
{
	return (PAIR){ lanes_all(value), lanes_all(value) };
}

SPLIT_FN PAIR pair_min(PAIR a, PAIR b)
{
#if defined(__aarch64__)
	/* One instruction, which is the same without NaNs and zeros of both signs. */
	return (PAIR){ vminq_f32(a.lo, b.lo), vminq_f32(a.hi, b.hi) };
#else
	return (PAIR){ lanes_min(a.lo, b.lo), lanes_min(a.hi, b.hi) };
#endif
}

SPLIT_FN PAIR pair_max(PAIR a, PAIR b)
{
	return (PAIR){ lanes_max(a.lo, b.lo), lanes_max(a.hi, b.hi) };
}

SPLIT_FN PAIR pair_plus(PAIR a, PAIR b)
{
	return (PAIR){ a.lo + b.lo, a.hi + b.hi };
}

SPLIT_FN PAIR pair_minus(PAIR a, PAIR b)
{
	return (PAIR){ a.lo - b.lo, a.hi - b.hi };
}

SPLIT_FN PAIR pair_times(PAIR a, float by)
{
	return (PAIR){ a.lo * by, a.hi * by };
}

/* The record of a point. */
SPLIT_FN PAIR pair_both(LANES point)
{
	return (PAIR){ point, -point };
}

SPLIT_FN LANES pair_lo(PAIR a)
{
	return a.lo;
}

SPLIT_FN LANES pair_negated_hi(PAIR a)
{
	return a.hi;
}

/* ---- bins --------------------------------------------------------------------------------- */

SPLIT_FN void clear_bins(struct lbvh_bins *b, int bins)
{
	memset(b->count, 0, sizeof b->count);
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < bins; i++)
			pair_store(&b->bin[k][i], pair_all(FLT_MAX));
}

SPLIT_FN void cells_of(int32_t cell[4], PAIR a, LANES origin, LANES scale, LANES most)
{
	const LANES place = (a.lo - a.hi - origin) * scale;

	lanes_truncate(cell, lanes_min(lanes_max(place, lanes_all(0)), most));
}

SPLIT_FN void cells_of_two(int32_t cell[8], PAIR a, PAIR b, LANES origin, LANES scale, LANES most)
{
	cells_of(cell, a, origin, scale, most);
	cells_of(cell + 4, b, origin, scale, most);
}

SPLIT_FN void add_to_bin(struct lbvh_bins *b, int axis, int32_t cell, PAIR record)
{
	struct lbvh_box *bin = &b->bin[axis][cell];

	pair_store(bin, pair_min(pair_load(bin), record));
	b->count[axis][cell]++;
}

SPLIT_FN void join_bin(struct lbvh_bins *b, int axis, int i, const struct lbvh_bins *with)
{
	struct lbvh_box *bin = &b->bin[axis][i];

	pair_store(bin, pair_min(pair_load(bin), pair_load(&with->bin[axis][i])));
	b->count[axis][i] += with->count[axis][i];
}

SPLIT_FN uint32_t count_in_bin(const struct lbvh_bins *b, int axis, int i)
{
	return b->count[axis][i];
}

/* Half the surface of a box. */
SPLIT_FN float pair_area(PAIR a)
{
	float size[4];

	lanes_store(size, a.lo + a.hi); /* all three are negated */
	return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

/* Compute the costs of the planes between the bins of an axis; *best becomes a cheaper one. */
SPLIT_FN void sweep_axis(const struct lbvh_bins *b, int axis, int bins, uint32_t all,
			 struct lbvh_plane *best)
{
	PAIR around = pair_all(FLT_MAX);
	float right[LBVH_SPLIT_BINS];
	uint32_t count = 0;

	for (int i = bins - 1; i > 0; i--) {
		around = pair_min(around, pair_load(&b->bin[axis][i]));
		right[i] = pair_area(around);
	}
	around = pair_all(FLT_MAX);
	for (int i = 0; i + 1 < bins; i++) {
		float cost;

		around = pair_min(around, pair_load(&b->bin[axis][i]));
		count += b->count[axis][i];
		cost = pair_area(around) * (float)count + right[i + 1] * (float)(all - count);
		if (count && count < all && cost < best->cost)
			*best = (struct lbvh_plane){ cost, axis, (float)(i + 1), count };
	}
}

SPLIT_FN PAIR box_of_bins(const struct lbvh_box *bin, int begin, int end)
{
	PAIR around = pair_load(bin + begin);

	for (int i = begin + 1; i < end; i++)
		around = pair_min(around, pair_load(bin + i));
	return around;
}

SPLIT_FN struct lbvh_plane sweep(const struct lbvh_bins *b, int bins, uint32_t all, PAIR side[2])
{
	struct lbvh_plane best = { INFINITY, 3, 0, all / 2 };

	for (int k = 0; k < 3; k++)
		sweep_axis(b, k, bins, all, &best);
	if (best.axis < 3) {
		side[0] = box_of_bins(b->bin[best.axis], 0, (int)best.place);
		side[1] = box_of_bins(b->bin[best.axis], (int)best.place, bins);
	}
	return best;
}

#endif
