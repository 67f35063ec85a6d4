/* image.h -- write an image: PPM, or PNG if the build has libpng. */
#ifndef GPUBENCH_CLI_BENCHMARKS_LBVH_IMAGE_H
#define GPUBENCH_CLI_BENCHMARKS_LBVH_IMAGE_H

#include <stddef.h>

#include "common/status.h"

/* GB_EUSAGE if the name does not end in .png or .ppm, or ends in .png in a build without libpng. */
enum gb_status gb_image_check(const char *path, struct gb_error *err);

/* Write width x height pixels of three bytes, row by row from the top, in the format of the name's
 * ending.  GB_EUSAGE as above; GB_EIO if the file cannot be written completely.  An existing file
 * stays until the new one is complete. */
enum gb_status gb_image_write(const char *path, const unsigned char *rgb, size_t width,
			      size_t height, struct gb_error *err);

#endif
