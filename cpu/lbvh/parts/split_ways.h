/* split_ways.h -- what split.c does to primitives and bins, once per instruction set.
 *
 * In the arrays that are parted a box is a record: lo as it is, hi negated, so that one minimum
 * joins both; the primitive's number in lo[3], hi[3] is 0.  Zeros have one sign in lo and the other
 * in hi: a box does not depend on the order in which its primitives are joined.  All sets of
 * instructions do the same arithmetic and make the same tree.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_SPLIT_WAYS_H
#define GPUBENCH_CPU_LBVH_PARTS_SPLIT_WAYS_H

#include "cpu/lbvh/parts/frame.h"

enum {
	LBVH_SPLIT_BINS = 16,
	LBVH_SPLIT_LEAF = 8,  /* primitives, at most */
	LBVH_SPLIT_DEEP = 48, /* levels, below which ranges are halved: the tree ends soon */
};

/* A primitive's number in its record: with this added it is neither subnormal nor a NaN, for sums
 * are made of all four components. */
#define LBVH_SPLIT_NUMBER UINT32_C(0x20000000)

/* Primitives first .. first + count of the array of its level. */
struct lbvh_range {
	uint32_t first, count, level;
};

/* Around boxes, a record, and around twice their centres. */
struct lbvh_extent {
	_Alignas(32) struct lbvh_box box;
	float centre_lo[4], centre_hi[4];
};

/* From twice a centre to its bin, per axis. */
struct lbvh_split_grid {
	float origin[4], scale[4];
	int bins;
};

/* Records and numbers of primitives, per axis and bin; where the numbers are is the ways' own. */
struct lbvh_bins {
	_Alignas(64) struct lbvh_box bin[3][LBVH_SPLIT_BINS];
	uint32_t count[3][LBVH_SPLIT_BINS];
};

/* On the left is what lies before `place` on the grid's axis; axis 3: the first half. */
struct lbvh_plane {
	float cost;
	int axis;
	float place;
	uint32_t left; /* primitives */
};

struct lbvh_split_ways {
	/* Boxes begin .. end - 1 become records. */
	void (*number)(struct lbvh_box *box, size_t begin, size_t end);
	void (*extent)(struct lbvh_extent *e, const struct lbvh_box *box, size_t count);
	void (*join_extents)(struct lbvh_extent *e, const struct lbvh_extent *with);
	void (*grid)(struct lbvh_split_grid *g, const struct lbvh_extent *e, size_t count);
	/* The bins of a part of a range, and those of another part to them. */
	void (*bins)(struct lbvh_bins *b, const struct lbvh_split_grid *g,
		     const struct lbvh_box *box, size_t count);
	void (*join_bins)(struct lbvh_bins *b, const struct lbvh_bins *with, int bins);
	struct lbvh_plane (*plane)(const struct lbvh_bins *b, const struct lbvh_split_grid *g,
				   uint32_t count);
	/* Primitives that a plane has on its left. */
	uint32_t (*left)(const struct lbvh_bins *b, const struct lbvh_plane *plane);
	/* Records to the other array, those on the left from `left` on and the others from `right`
	 * on, each side in the order it has. */
	void (*partition)(const struct lbvh_box *from, struct lbvh_box *to, size_t count,
			  const struct lbvh_split_grid *g, const struct lbvh_plane *plane,
			  uint32_t left, uint32_t right);
	/* The subtree over a range into node[0 ..]; returns how many nodes. */
	uint32_t (*subtree)(struct lbvh_cpu *cpu, struct lbvh_range r, struct lbvh_node *node);
};

extern const struct lbvh_split_ways lbvh_split_plain, lbvh_split_avx2, lbvh_split_avx512;

#endif
