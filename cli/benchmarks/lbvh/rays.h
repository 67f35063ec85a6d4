/* rays.h -- streams of rays in memory: shadow, ambient, random, bounce and sorted primary rays.
 *
 * Ray i depends only on the scene, its camera, the seed and i, so all back ends and thread counts
 * get the same bytes.  Lengths are relative to the diagonal D of the scene's box:
 *
 *	primary   the rays of the image as an array (with --order=spatial)
 *	shadow    from the surface to a point of a spherical light above the scene, for any hit;
 *	          the light has radius D / 20 and is 3 D / 4 from the centre of the box
 *	ambient   from the surface in a cosine-distributed direction, for any hit within D / 10
 *	random    from a uniform point of the scene's box in a uniform direction, for the nearest
 *	          hit
 *	bounce    from the surface in a cosine-distributed direction, for the nearest hit
 *
 * Surface points are the hits of the primary rays, in tiles of 8 x 8 pixels and along a Z-curve in
 * each tile, as in a renderer: neighbours in the stream start near each other.  If some primary
 * rays miss, several rays start at the same hit.  If all miss, rays start at the centres of
 * triangles.  A ray from the surface ignores hits within D / 10^4 so that it does not hit the
 * triangle it starts from.
 *
 * Sorted rays are ordered by the octant of the direction, then by the 30-bit Morton code of the
 * origin, then by their given order.
 */
#ifndef GPUBENCH_CLI_BENCHMARKS_LBVH_RAYS_H
#define GPUBENCH_CLI_BENCHMARKS_LBVH_RAYS_H

#include "common/lbvh_types.h"
#include "common/status.h"

/* True if the parameters ask for a stream. */
bool lbvh_rays_wanted(const struct lbvh_params *params);
/* Make in->ray and set in->occlusion.  The rest of the input must be complete, with its reference.
 * A dry run only allocates memory. */
void lbvh_rays_make(struct lbvh_input *in, const struct lbvh_params *params, struct gb_error *err);

#endif
