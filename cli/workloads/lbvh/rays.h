/* rays.h -- streams of rays that are no image: shadow, ambient, random and bounce rays.
 *
 * Ray i depends on the scene, its camera, the seed and i alone: the same bytes for all back ends and
 * numbers of threads.  Lengths go by the diagonal D of the scene's box:
 *
 *	primary   the image's own, as an array (asked for by --rays-order=sorted)
 *	shadow    from the surface to a point of a round light above the scene: is it in shadow?
 *	          The light has a radius of D / 20, 3 D / 4 from the box's centre.
 *	ambient   from the surface, any direction, by the cosine to the normal, no farther than
 *	          D / 10: is anything near?
 *	random    from anywhere in the scene's box, any direction: nearest hit
 *	bounce    from the surface as ambient rays, to the nearest hit
 *
 * "The surface" is what the primary rays hit, in the order of 8 x 8 pixels at a time, along a
 * Z-curve in them, as a renderer would go: neighbours in the stream start near each other.  Where
 * some primary rays miss, a hit has several rays instead; where all do, rays start from the middle
 * of triangles.  Such a ray does not hit within D / 10^4, so that it does not meet the triangle it
 * starts from.
 *
 * Sorted rays: by the octant of the direction, then the Morton code of the origin (30 bits), then as
 * given.
 */
#ifndef GPUBENCH_CLI_WORKLOADS_LBVH_RAYS_H
#define GPUBENCH_CLI_WORKLOADS_LBVH_RAYS_H

#include "common/lbvh.h"
#include "common/status.h"

/* Whether these parameters ask for a stream. */
bool lbvh_rays_wanted(const struct lbvh_params *params);
/* Make in->ray, and say in in->occlusion what is asked of it.  The rest of the input is there, with
 * its reference.  In a dry run the memory is allocated alone. */
enum gb_status lbvh_rays_make(struct lbvh_input *in, const struct lbvh_params *params,
			      struct gb_error *err);

#endif
