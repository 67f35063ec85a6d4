/* test_sha256.c -- digests of texts and files, from sha256sum. */
#include "cli/plugins/sha256.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/text.h"

static const struct {
	size_t bytes;
	const char *hex;
} digests[] = {
	{ 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ 1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb" },
	{ 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
	{ 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
	{ 63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
	{ 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
	{ 65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
	{ 119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb" },
	{ 120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c" },
	{ 128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e" },
	{ 200, "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5" },
};

Test(sha256, digests)
{
	char text[200], hex[65], path[] = "/tmp/gpubench-digest-XXXXXX";
	const int file = mkstemp(path);
	struct gb_error err = { 0 };

	memset(text, 'a', sizeof text);
	for (size_t i = 0; i < GB_COUNT(digests); i++) {
		gb_sha256(text, digests[i].bytes, hex);
		cr_expect_str_eq(hex, digests[i].hex, "%zu bytes", digests[i].bytes);
	}
	cr_assert_eq(write(file, text, 1), 1);
	cr_expect_eq(gb_sha256_file(path, hex, &err), GB_OK, "%s", err.message);
	cr_expect_str_eq(hex, digests[1].hex);
	cr_assert_eq(ftruncate(file, 0), 0);
	cr_expect_eq(gb_sha256_file(path, hex, &err), GB_EUSAGE);
	cr_expect(strstr(err.message, ": is empty"), "%s", err.message);
	(void)close(file);
	(void)unlink(path);
	err = (struct gb_error){ 0 };
	cr_expect_eq(gb_sha256_file(path, hex, &err), GB_EUSAGE);
	cr_expect(strstr(err.message, ": No such file"), "%s", err.message);
}
