/* image.c -- write images as PNG or PPM. */
#include "cli/benchmarks/lbvh/image.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "common/whole.h"

#if GB_HAVE_PNG
#include <png.h>
#endif

static bool ends_in(const char *path, const char *ending)
{
	const size_t length = strlen(path), tail = strlen(ending);

	return length > tail && gb_equal(path + length - tail, ending);
}

enum gb_status gb_image_check(const char *path, struct gb_error *err)
{
	if (!ends_in(path, ".png") && !ends_in(path, ".ppm"))
		return gb_fail(err, GB_EUSAGE, "%s: pictures are .png or .ppm", path);
#if !GB_HAVE_PNG
	if (ends_in(path, ".png"))
		return gb_fail(err, GB_EUSAGE, "%s: this build has no libpng; name a .ppm", path);
#endif
	return GB_OK;
}

static bool write_ppm(FILE *file, const unsigned char *rgb, size_t width, size_t height)
{
	return fprintf(file, "P6\n%zu %zu\n255\n", width, height) > 0 &&
	       fwrite(rgb, 3 * width, height, file) == height;
}

/* False if a write failed. */
static bool write_picture(FILE *file, bool png, const unsigned char *rgb, size_t width,
			  size_t height)
{
#if GB_HAVE_PNG
	png_image image = { .version = PNG_IMAGE_VERSION,
			    .width = (png_uint_32)width,
			    .height = (png_uint_32)height,
			    .format = PNG_FORMAT_RGB };

	if (png)
		return png_image_write_to_stdio(&image, file, 0, rgb, 0, NULL) != 0;
#endif
	return !png && write_ppm(file, rgb, width, height);
}

enum gb_status gb_image_write(const char *path, const unsigned char *rgb, size_t width,
			      size_t height, struct gb_error *err)
{
	struct gb_whole whole;
	bool written;

	if (gb_image_check(path, err) || gb_whole_open(&whole, path, err))
		return err->code;
	errno = 0;
	written = write_picture(whole.stream, ends_in(path, ".png"), rgb, width, height);
	if (!written)
		gb_fail(err, GB_EIO, "cannot write %s: %s", path,
			errno ? strerror(errno) : "write error");
	return gb_whole_close(&whole, written, err);
}
