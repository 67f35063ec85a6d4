/* split_ways.h -- the operations of split.c and spatial.c on primitives and bins, one version per
 * instruction set.
 *
 * In the arrays that are partitioned, a box is a record: lo unchanged, hi negated, so that one
 * minimum joins both; lo[3] is the primitive's number, hi[3] is 0.  Zeros have one sign in lo and
 * the other in hi, so that a box does not depend on the order in which its primitives are joined.
 * All instruction sets do the same arithmetic and make the same tree.
 */
#ifndef GPUBENCH_CPU_LBVH_PARTS_SPLIT_WAYS_H
#define GPUBENCH_CPU_LBVH_PARTS_SPLIT_WAYS_H

#include "cpu/lbvh/parts/frame.h"

enum {
	LBVH_SPLIT_BINS = 16,
	LBVH_SPACE_BINS = 32,
	LBVH_SPLIT_LEAF = 8,  /* primitives of a leaf, at most */
	LBVH_SPLIT_DEEP = 48, /* ranges below this level are halved, which bounds the depth */
};

/* Added to a primitive's number in its record.  Sums include the fourth component, which must be
 * neither subnormal nor a NaN. */
#define LBVH_SPLIT_NUMBER UINT32_C(0x20000000)

/* Primitives first .. first + count - 1 of the array of its level. */
struct lbvh_range {
	uint32_t first, count, level;
};

/* Bounds of boxes, as a record, and bounds of twice their centres. */
struct lbvh_extent {
	_Alignas(32) struct lbvh_box box;
	float centre_lo[4], centre_hi[4];
};

/* Maps twice a centre to its bin, per axis. */
struct lbvh_split_grid {
	float origin[4], scale[4];
	int bins;
};

/* Records and numbers of primitives, per axis and bin.  Each implementation chooses where it keeps
 * the numbers. */
struct lbvh_bins {
	_Alignas(64) struct lbvh_box bin[3][LBVH_SPLIT_BINS];
	uint32_t count[3][LBVH_SPLIT_BINS];
};

/* Bins in space, per axis: records of parts of references, and the numbers of references that begin
 * or end there. */
struct lbvh_space {
	struct lbvh_split_grid grid;
	float plane[3][LBVH_SPACE_BINS]; /* below each bin */
	_Alignas(32) struct lbvh_box bin[3][LBVH_SPACE_BINS];
	uint32_t enter[3][LBVH_SPACE_BINS], leave[3][LBVH_SPACE_BINS];
};

/* Primitives before `place` on the grid's axis are on the left; with axis 3, the first half is. */
struct lbvh_plane {
	float cost;
	int axis;
	float place;
	uint32_t left; /* primitives on the left */
};

struct lbvh_split_ways {
	/* Turn boxes begin .. end - 1 into records. */
	void (*number)(struct lbvh_box *box, size_t begin, size_t end);
	void (*extent)(struct lbvh_extent *e, const struct lbvh_box *box, size_t count);
	void (*join_extents)(struct lbvh_extent *e, const struct lbvh_extent *with);
	void (*grid)(struct lbvh_split_grid *g, const struct lbvh_extent *e, size_t count);
	/* Fill the bins of a part of a range; add the bins of another part. */
	void (*bins)(struct lbvh_bins *b, const struct lbvh_split_grid *g,
		     const struct lbvh_box *box, size_t count);
	void (*join_bins)(struct lbvh_bins *b, const struct lbvh_bins *with, int bins);
	/* The cheapest plane and, if any, the records of its sides. */
	struct lbvh_plane (*plane)(const struct lbvh_bins *b, const struct lbvh_split_grid *g,
				   uint32_t count, struct lbvh_box side[2]);
	/* The number of primitives on the left of a plane. */
	uint32_t (*left)(const struct lbvh_bins *b, const struct lbvh_plane *plane);
	/* Move records to the other array: those on the left from `left` on, the others from
	 * `right` on, each side in its old order. */
	void (*partition)(const struct lbvh_box *from, struct lbvh_box *to, size_t count,
			  const struct lbvh_split_grid *g, const struct lbvh_plane *plane,
			  uint32_t left, uint32_t right);
	/* Make the subtree over a range in node[0 ..]; returns the number of nodes. */
	uint32_t (*subtree)(struct lbvh_cpu *cpu, struct lbvh_range r, struct lbvh_node *node);
	/* Add references to bins in space. */
	void (*space)(struct lbvh_space *s, const struct lbvh_input *in,
		      const struct lbvh_box *from, uint32_t count);
};

extern const struct lbvh_split_ways lbvh_split_plain, lbvh_split_avx2, lbvh_split_avx512;

static inline const struct lbvh_split_ways *lbvh_split_ways_of(enum cpu_simd simd)
{
	if (simd >= CPU_AVX512)
		return &lbvh_split_avx512;
	return simd >= CPU_AVX2 ? &lbvh_split_avx2 : &lbvh_split_plain;
}

#endif
