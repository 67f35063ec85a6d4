/* test_lbvh_image.c -- pictures as .ppm and .png files. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/lbvh/image.h"
#include "common/text.h"
#include "tests/file_of.h"

/* A check leaves no file behind.  Without libpng a .png is refused. */
Test(image, formats)
{
	static const struct {
		const char *ending, *head;
		size_t size;
	} formats[] = { { ".ppm", "P6\n2 2\n255\n\xff\0\0\0\xff\0\0\0\xff\1\2\3", 23 },
			{ ".png", "\x89PNG\r\n\x1a\n", 8 } };
	const unsigned char rgb[12] = { 255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 2, 3 };

	for (size_t i = 0; i < GB_COUNT(formats); i++) {
		const char *path = file_of(formats[i].ending, "", 0);
		struct gb_error err = { 0 };
		char bytes[64];
		size_t size;
		FILE *file;

		unlink(path);
		if (gb_image_check(path, &err)) {
			cr_assert(strstr(err.message, "libpng"), "%s", err.message);
			continue;
		}
		cr_assert(access(path, F_OK) != 0);
		cr_assert_eq(gb_image_write(path, rgb, 2, 2, &err), GB_OK, "%s", err.message);
		file = fopen(path, "rb");
		size = fread(bytes, 1, sizeof bytes, file);
		cr_assert(i ? size > formats[i].size : size == formats[i].size);
		fclose(file);
		unlink(path);
		cr_assert(memcmp(bytes, formats[i].head, formats[i].size) == 0);
	}
}

Test(image, invalid_paths)
{
	const unsigned char rgb[3] = { 0 };
	struct gb_error err = { 0 };

	cr_assert_eq(gb_image_check("picture.jpg", &err), GB_EUSAGE);
	err = (struct gb_error){ 0 };
	cr_assert_eq(gb_image_write("/no/such/place.ppm", rgb, 1, 1, &err), GB_EIO);
	cr_assert(strstr(err.message, "/no/such/place.ppm: "), "%s", err.message);
}
