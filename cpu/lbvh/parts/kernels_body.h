/* kernels_body.h -- the kernels of kernels.h, written in the vector operations of a words_*.h,
 * which is included before.  KERNELS is the name of the table to define.
 *
 * This file makes the rays of a packet; the files that it includes trace rays alone, interleaved,
 * in groups and in packets.  It is compiled once per instruction set.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#ifndef FW
/* Packets use eight lanes, too. */
#define FW        F8
#define FW_LANES  8
#define fw_set    f8_set
#define fw_load   f8_load
#define fw_store  f8_store
#define fw_add    f8_add
#define fw_sub    f8_sub
#define fw_mul    f8_mul
#define fw_fma    f8_fma
#define fw_div    f8_div
#define fw_sqrt   f8_sqrt
#define fw_min    f8_min
#define fw_max    f8_max
#define fw_most   f8_most
#define fw_le     f8_le
#define fw_lt     f8_lt
#define fw_eq     f8_eq
#define fw_select f8_select
#define fw_put    f8_put
#endif

#ifndef f8_lower
/* min and max, for vectors without a NaN. */
#define f8_lower f8_min
#define f8_upper f8_max
#endif

/* ---- rays --------------------------------------------------------------------------------- */

/* Make the pyramid of a packet.  inverse: the largest inverse length of its directions. */
WORDS_FN void make_pyramid(const struct lbvh_camera *camera, uint32_t edge, float inverse,
			   struct lbvh_packet *packet)
{
	const float scale = inverse * LBVH_SLACK, half = (LBVH_PACKET_EDGE - 1) / 2.0F;
	const float x = (float)packet->x + half, y = (float)packet->y + half;

	for (int k = 0; k < 3; k++) {
		const float dx = camera->dx[k] * scale, dy = camera->dy[k] * scale;
		const float corner = camera->corner[k] * scale;

		packet->middle[k] = corner + x * dx + y * dy;
		packet->across[k] = dx;
		packet->down[k] = dy;
		packet->terms[k] =
			fabsf(corner) + (float)(edge + LBVH_PACKET_EDGE) * (fabsf(dx) + fabsf(dy));
	}
}

/* lbvh_direction() of many pixels. */
WORDS_ENTRY void make_rays(const struct lbvh_camera *camera, uint32_t edge,
			   struct lbvh_packet *packet)
{
	const uint32_t x = packet->x, y = packet->y;
	float column[LBVH_PACKET], row[LBVH_PACKET];
	FW most = fw_set(0);

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
		most = fw_max(most, length);
	}
	make_pyramid(camera, edge, fw_most(most), packet);
}

#include "cpu/lbvh/parts/kernels_single.h"

#include "cpu/lbvh/parts/kernels_turns.h"

#include "cpu/lbvh/parts/kernels_group.h"

#include "cpu/lbvh/parts/kernels_packet.h"

/* ---- the table ---------------------------------------------------------------------------- */

const struct lbvh_kernels KERNELS = { make_rays, trace_packet, trace_ray, trace_batch,
				      trace_groups };
