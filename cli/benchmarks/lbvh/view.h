/* view.h -- views of meshes from files, and cameras of views. */
#ifndef GPUBENCH_CLI_BENCHMARKS_LBVH_VIEW_H
#define GPUBENCH_CLI_BENCHMARKS_LBVH_VIEW_H

#include "common/lbvh_types.h"
#include "datasets/mesh/scene.h"

/* Set *view to the view recorded for a public mesh of that file name and number of triangles, else
 * to one from outside that shows the whole mesh. */
void lbvh_view_file(const char *path, const struct lbvh_input *mesh, struct gb_view *view);

/* The camera of an image of edge x edge pixels. */
struct lbvh_camera lbvh_camera_of(const struct gb_view *view, uint32_t edge);

#endif
