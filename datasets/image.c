/* image.c -- see image.h.  A picture is written beside its place and then renamed, so that an
 * incomplete one is never seen under its name. */
#include "datasets/image.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/text.h"

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
	const bool there = access(path, F_OK) == 0;
	FILE *file;

	if (!ends_in(path, ".png") && !ends_in(path, ".ppm"))
		return gb_fail(err, GB_EUSAGE, "%s: pictures are .png or .ppm", path);
#if !GB_HAVE_PNG
	if (ends_in(path, ".png"))
		return gb_fail(err, GB_EUSAGE, "%s: this build has no libpng; name a .ppm", path);
#endif
	file = fopen(path, "ab");
	if (!file)
		return gb_fail(err, GB_EUSAGE, "%s: %s", path, strerror(errno));
	(void)fclose(file);
	if (!there)
		(void)unlink(path);
	return GB_OK;
}

/* Both writers return false if a write failed. */

static bool write_ppm(FILE *file, const unsigned char *rgb, size_t width, size_t height)
{
	return fprintf(file, "P6\n%zu %zu\n255\n", width, height) > 0 &&
	       fwrite(rgb, 3 * width, height, file) == height;
}

#if GB_HAVE_PNG
static bool write_png(FILE *file, const unsigned char *rgb, size_t width, size_t height)
{
	png_image image = { .version = PNG_IMAGE_VERSION,
			    .width = (png_uint_32)width,
			    .height = (png_uint_32)height,
			    .format = PNG_FORMAT_RGB };

	return png_image_write_to_stdio(&image, file, 0, rgb, 0, NULL) != 0;
}
#else
static bool write_png(FILE *file, const unsigned char *rgb, size_t width, size_t height)
{
	(void)file;
	(void)rgb;
	(void)width;
	(void)height;
	return false;
}
#endif

enum gb_status gb_image_write(const char *path, const unsigned char *rgb, size_t width,
			      size_t height, struct gb_error *err)
{
	const bool png = ends_in(path, ".png");
	char *beside;
	FILE *file;
	bool fine;

	if (png && !GB_HAVE_PNG)
		return gb_fail(err, GB_EUNAVAILABLE, "%s: this build has no libpng", path);
	if (asprintf(&beside, "%s.%ld", path, (long)getpid()) < 0)
		return gb_out_of_memory(err, NULL);
	file = fopen(beside, "wb");
	fine = file &&
	       (png ? write_png(file, rgb, width, height) : write_ppm(file, rgb, width, height));
	if (file && fclose(file))
		fine = false;
	if (!fine || rename(beside, path)) {
		gb_fail(err, GB_EIO, "%s: the picture could not be written: %s", path,
			strerror(errno));
		(void)unlink(beside);
	}
	free(beside);
	return err->code;
}
