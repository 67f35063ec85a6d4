/* test_lbvh_parts.c -- parts of a triangle within boxes, and whether boxes hold all of it. */
#include "cli/workloads/lbvh/parts.h"

#include <criterion/criterion.h>
#include <string.h>

#include "common/text.h"

enum { BOXES = 4 };

/* A box in x and y; from -9 to 9 in z. */
struct flat {
	float lo[2], hi[2];
};

/* Put numbers for x and y on two axes, `axis` and the next, and z on the third. */
static void turn(float to[3], float x, float y, float z, int axis)
{
	to[axis] = x;
	to[(axis + 1) % 3] = y;
	to[(axis + 2) % 3] = z;
}

/* The triangle (x, -4), (x + 4, -4), (x, 0), which has all z from 0 to 4.  Its input is valid until
 * the next call. */
static const struct lbvh_input *triangle(float x, int axis)
{
	static float vertex[10];
	static uint32_t corner[] = { 2, 0, 1 };
	static const struct lbvh_input in = { .vertex = vertex, .triangle = corner, .count = 1 };

	turn(vertex, x, -4, 0, axis);
	turn(vertex + 3, x + 4, -4, 4, axis);
	turn(vertex + 6, x, 0, 0, axis);
	return &in;
}

Test(lbvh_parts, box_of_a_part)
{
	static const struct {
		float x; /* the least of the triangle */
		struct flat box, part;
	} row[] = {
		{ 0, { { -9, -9 }, { 9, 9 } }, { { 0, -4 }, { 4, 0 } } },
		{ 0, { { 0, -4 }, { 4, 0 } }, { { 0, -4 }, { 4, 0 } } },
		{ 0, { { 0, -4 }, { 2, 0 } }, { { 0, -4 }, { 2, 0 } } },
		{ 0, { { 2, -4 }, { 4, 0 } }, { { 2, -4 }, { 4, -2 } } },
		{ 0, { { 0, -3 }, { 4, 0 } }, { { 0, -3 }, { 3, 0 } } },
		{ 0, { { 0, -4 }, { 4, -3 } }, { { 0, -4 }, { 4, -3 } } },
		{ 0, { { 1, -3 }, { 2, -2 } }, { { 1, -3 }, { 2, -2 } } },
		{ 0, { { 2.5F, -3 }, { 4, 0 } }, { { 2.5F, -3 }, { 3, -2.5F } } },
		{ 0, { { 4, -9 }, { 9, 9 } }, { { 4, -4 }, { 4, -4 } } },
		/* beside the triangle by less than 4 * 2^-40 */
		{ 0, { { -9, -9 }, { -3e-12F, 9 } }, { { 0, -4 }, { 0, 0 } } },
		{ -4, { { 3e-12F, -9 }, { 9, 9 } }, { { 0, -4 }, { 0, -4 } } },
		{ 0, { { -9, 3e-12F }, { 9, 9 } }, { { 0, 0 }, { 0, 0 } } },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++)
		for (int axis = 0; axis < 3; axis++) {
			const struct lbvh_input *in = triangle(row[i].x, axis);
			const struct flat *box = &row[i].box, *part = &row[i].part;
			double part_lo[3], part_hi[3], largest[3];
			const int y = (axis + 1) % 3, z = (axis + 2) % 3;
			float lo[3], hi[3];

			turn(lo, box->lo[0], box->lo[1], -9, axis);
			turn(hi, box->hi[0], box->hi[1], 9, axis);
			cr_assert(lbvh_part_box(in, 0, lo, hi, part_lo, part_hi, largest));
			cr_expect_float_eq(part_lo[axis], part->lo[0], 1e-11, "%zu", i);
			cr_expect_float_eq(part_hi[axis], part->hi[0], 1e-11, "%zu", i);
			cr_expect_float_eq(part_lo[y], part->lo[1], 1e-11, "%zu", i);
			cr_expect_float_eq(part_hi[y], part->hi[1], 1e-11, "%zu", i);
			/* z grows with x */
			cr_expect_float_eq(part_lo[z], part->lo[0] - row[i].x, 1e-11, "%zu", i);
			cr_expect_float_eq(part_hi[z], part->hi[0] - row[i].x, 1e-11, "%zu", i);
			for (int k = 0; k < 3; k++)
				cr_expect_eq(largest[k], 4, "%zu", i);
		}
}

Test(lbvh_parts, none)
{
	static const struct {
		float x;
		struct flat box;
	} row[] = {
		{ 0, { { 5, -9 }, { 9, 9 } } },        { 0, { { -9, -9 }, { -1, 9 } } },
		{ 0, { { -9, 1 }, { 9, 9 } } },        { 0, { { -9, -9 }, { 9, -5 } } },
		{ 0, { { 2.5F, -1.25F }, { 9, 9 } } }, { 0, { { -9, -9 }, { -4e-12F, 9 } } },
		{ -4, { { 4e-12F, -9 }, { 9, 9 } } },  { 0, { { -9, 4e-12F }, { 9, 9 } } },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++)
		for (int axis = 0; axis < 3; axis++) {
			double part_lo[3], part_hi[3], largest[3];
			float lo[3], hi[3];

			turn(lo, row[i].box.lo[0], row[i].box.lo[1], -9, axis);
			turn(hi, row[i].box.hi[0], row[i].box.hi[1], 9, axis);
			cr_expect_not(lbvh_part_box(triangle(row[i].x, axis), 0, lo, hi, part_lo,
						    part_hi, largest),
				      "%zu", i);
		}
}

/* Boxes in all orders of the list. */
Test(lbvh_parts, covered)
{
	static const struct {
		float x;
		size_t count;
		struct flat box[BOXES];
		bool covered;
	} row[] = {
		{ 0, 0, { { { 0 }, { 0 } } }, false },
		{ 0, 1, { { { 0, -4 }, { 4, 0 } } }, true },
		{ 0, 1, { { { 1, -4 }, { 4, 0 } } }, false },
		{ 0, 1, { { { 0, -4 }, { 3, 0 } } }, false },
		{ 0, 1, { { { 0, -3 }, { 4, 0 } } }, false },
		{ 0, 1, { { { 0, -4 }, { 4, -1 } } }, false },
		/* halves, overlapping ones, and ones with a gap */
		{ 0, 2, { { { 0, -4 }, { 2, 0 } }, { { 2, -4 }, { 4, 0 } } }, true },
		{ 0, 2, { { { 0, -4 }, { 3, 0 } }, { { 2, -4 }, { 4, 0 } } }, true },
		{ 0, 2, { { { 0, -4 }, { 2, 0 } }, { { 2.5F, -4 }, { 4, 0 } } }, false },
		{ 0, 2, { { { 0, -4 }, { 4, -2 } }, { { 0, -2 }, { 2, 0 } } }, true },
		{ 0, 2, { { { 0, -4 }, { 4, -2 } }, { { 0, -2 }, { 1, 0 } } }, false },
		/* quarters; the upper right one holds one point */
		{ 0,
		  4,
		  { { { 0, -4 }, { 2, -2 } },
		    { { 2, -4 }, { 4, -2 } },
		    { { 0, -2 }, { 2, 0 } },
		    { { 2, -2 }, { 4, 0 } } },
		  true },
		{ 0,
		  3,
		  { { { 0, -4 }, { 2, -2 } }, { { 2, -4 }, { 4, -2 } }, { { 0, -2 }, { 2, 0 } } },
		  true },
		{ 0,
		  4,
		  { { { 0, -4 }, { 2, -2 } },
		    { { 5, -4 }, { 9, 0 } },
		    { { 2, -4 }, { 4, -2 } },
		    { { 2, -2 }, { 4, 0 } } },
		  false },
		/* slack */
		{ 0, 1, { { { 3e-12F, -4 }, { 4, 0 } } }, true },
		{ 0, 1, { { { 4e-12F, -4 }, { 4, 0 } } }, false },
		{ 0, 1, { { { 0, -4 }, { 4, -3e-12F } } }, true },
		{ 0, 1, { { { 0, -4 }, { 4, -4e-12F } } }, false },
		{ -2, 2, { { { -2, -4 }, { -8e-13F, 0 } }, { { 8e-13F, -4 }, { 2, 0 } } }, true },
		{ -2, 2, { { { -2, -4 }, { -6e-12F, 0 } }, { { 6e-12F, -4 }, { 2, 0 } } }, false },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++)
		for (int axis = 0; axis < 3; axis++)
			for (uint32_t first = 0; first < BOXES; first++) {
				const struct lbvh_input *in = triangle(row[i].x, axis);
				struct lbvh_node node[BOXES];
				uint32_t list[BOXES];

				for (uint32_t k = 0; k < row[i].count; k++) {
					const struct flat *box = &row[i].box[k];

					turn(node[k].lo, box->lo[0], box->lo[1], 0, axis);
					turn(node[k].hi, box->hi[0], box->hi[1], 4, axis);
					list[k] = (k + first) % (uint32_t)row[i].count;
				}
				cr_expect_eq(lbvh_part_covered(in, 0, node, list, row[i].count),
					     row[i].covered, "row %zu, axis %d, from %u", i, axis,
					     first);
			}
}
