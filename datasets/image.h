/* image.h -- write a picture: PNG through libpng where the build has it, else PPM. */
#ifndef GPUBENCH_DATASETS_IMAGE_H
#define GPUBENCH_DATASETS_IMAGE_H

#include <stddef.h>

#include "common/status.h"

/* GB_EUSAGE for a name that ends in neither .png nor .ppm, and for .png in a build without libpng.
 */
enum gb_status gb_image_check(const char *path, struct gb_error *err);

/* Write width x height pixels of three bytes, row by row from the top; the name's ending decides the
 * format.  GB_EUSAGE as above; GB_EIO if the file cannot be written whole; what was there stays until
 * the new file is complete. */
enum gb_status gb_image_write(const char *path, const unsigned char *rgb, size_t width,
			      size_t height, struct gb_error *err);

#endif
