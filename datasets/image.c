/* image.c -- pictures through libpng, where the build has it. */
#include "datasets/image.h"

#if GB_HAVE_PNG

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum gb_status gb_image_write(const char *path, const unsigned char *rgb, size_t width,
			      size_t height, struct gb_error *err)
{
	png_image image = { .version = PNG_IMAGE_VERSION,
			    .width = (png_uint_32)width,
			    .height = (png_uint_32)height,
			    .format = PNG_FORMAT_RGB };
	FILE *file = fopen(path, "wb");
	int ok;

	if (!file)
		return gb_fail(err, GB_EIO, "%s: %s", path, strerror(errno));
	ok = png_image_write_to_stdio(&image, file, 0, rgb, 0, NULL);
	if (!ok)
		gb_fail(err, GB_EIO, "%s: %s", path, image.message);
	if (fclose(file) && ok) {
		gb_fail(err, GB_EIO, "%s: %s", path, strerror(errno));
		ok = 0;
	}
	if (ok)
		return GB_OK;
	(void)unlink(path);
	return err->code;
}

#else

enum gb_status gb_image_write(const char *path, const unsigned char *rgb, size_t width,
			      size_t height, struct gb_error *err)
{
	(void)rgb;
	(void)width;
	(void)height;
	return gb_fail(err, GB_EUNAVAILABLE, "%s: this build has no libpng, so no pictures", path);
}

#endif
