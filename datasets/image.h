/* image.h -- pictures of meshes and scenes, as PNG files. */
#ifndef GPUBENCH_DATASETS_IMAGE_H
#define GPUBENCH_DATASETS_IMAGE_H

#include <stddef.h>

#include "common/status.h"

/* Write width * height pixels of 3 bytes (red, green, blue), rows from the top.  GB_EIO if the file
 * cannot be written (none is left behind), GB_EUNAVAILABLE if this build has no libpng. */
enum gb_status gb_image_write(const char *path, const unsigned char *rgb, size_t width,
			      size_t height, struct gb_error *err);

#endif
