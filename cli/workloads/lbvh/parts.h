/* parts.h -- parts of triangles within boxes, for the verifier of trees with spatial splits.  Many
 * leaves may refer to a triangle there, and each one's box holds a part of it.
 *
 * Parts are polygons in double precision.  They are cut by faces of boxes, and boxes are compared
 * with a tolerance of LBVH_PART_SLACK of the largest coordinate, far above the rounding errors of a
 * cut and far below one unit in the last place of a float.
 */
#ifndef GPUBENCH_CLI_WORKLOADS_LBVH_PARTS_H
#define GPUBENCH_CLI_WORKLOADS_LBVH_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/lbvh.h"

#define LBVH_PART_SLACK 0x1p-40

/* The box around the part of primitive p within the box lo .. hi.  False if there is none.
 * largest: its largest coordinate on each axis. */
bool lbvh_part_box(const struct lbvh_input *in, size_t p, const float lo[3], const float hi[3],
		   double part_lo[3], double part_hi[3], double largest[3]);

/* True if the boxes of these nodes together hold all of primitive p.  The list is reordered. */
bool lbvh_part_covered(const struct lbvh_input *in, size_t p, const struct lbvh_node *node,
		       uint32_t *list, size_t count);

#endif
