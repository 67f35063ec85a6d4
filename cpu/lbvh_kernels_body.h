/* lbvh_kernels_body.h -- the kernels of lbvh_kernels.h, in the words of lbvh_words_*.h, which come
 * before.  KERNELS is the table to define, KERNELS_NAME its name.
 *
 * Made once per instruction set: the rays of a packet, here; their way through a wide tree one by
 * one, and together.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { VECTORS = LBVH_PACKET / FW_LANES };

/* ---- rays --------------------------------------------------------------------------------- */

/* lbvh_ray(), of many pixels. */
WORDS_FN void make_rays(const struct lbvh_camera *camera, uint32_t edge, struct lbvh_packet *packet)
{
	const uint32_t x = packet->x, y = packet->y;
	float column[LBVH_PACKET], row[LBVH_PACKET];

	packet->width = edge - x < LBVH_PACKET_EDGE ? edge - x : LBVH_PACKET_EDGE;
	packet->height = edge - y < LBVH_PACKET_EDGE ? edge - y : LBVH_PACKET_EDGE;
	for (uint32_t i = 0; i < LBVH_PACKET; i++) {
		const uint32_t u = i % LBVH_PACKET_EDGE, v = i / LBVH_PACKET_EDGE;

		column[i] = (float)(x + (u < packet->width ? u : packet->width - 1));
		row[i] = (float)(y + (v < packet->height ? v : packet->height - 1));
	}
	for (int i = 0; i < LBVH_PACKET; i += FW_LANES) {
		const FW px = fw_load(column + i), py = fw_load(row + i);
		FW d[3], length;

		for (int k = 0; k < 3; k++)
			d[k] = fw_add(fw_add(fw_set(camera->corner[k]),
					     fw_mul(px, fw_set(camera->dx[k]))),
				      fw_mul(py, fw_set(camera->dy[k])));
		length = fw_add(fw_add(fw_mul(d[0], d[0]), fw_mul(d[1], d[1])), fw_mul(d[2], d[2]));
		length = fw_div(fw_set(1), fw_sqrt(length));
		for (int k = 0; k < 3; k++)
			fw_store(packet->direction[k] + i, fw_mul(d[k], length));
	}
}

/* Slab tests and directions with a component of 0: its inverse is +INFINITY, never -INFINITY, and
 * the distance to a plane that the origin lies on is then 0 * INFINITY, a NaN.  min() and max() are
 * given their arguments in an order that drops NaN, so that such a plane does not bound. */
WORDS_FN float inverse_of(float d)
{
	return 1 / (d + 0.0F);
}

#include "cpu/lbvh_kernels_single.h"

#include "cpu/lbvh_kernels_packet.h"

/* ---- the table ---------------------------------------------------------------------------- */

WORDS_ENTRY static void rays(const struct lbvh_camera *camera, uint32_t edge,
			     struct lbvh_packet *packet)
{
	make_rays(camera, edge, packet);
}

WORDS_ENTRY static void single(const struct lbvh_wide *wide, const float eye[3],
			       struct lbvh_packet *packet, struct lbvh_entry *stack,
			       struct lbvh_counts *counts)
{
	trace_single(wide, eye, packet, stack, counts);
}

WORDS_ENTRY static void bundle(const struct lbvh_wide *wide, const float eye[3],
			       struct lbvh_packet *packet, struct lbvh_entry *stack,
			       struct lbvh_counts *counts)
{
	trace_packet(wide, eye, packet, stack, counts);
}

const struct lbvh_kernels KERNELS = { KERNELS_NAME, rays, single, bundle };
