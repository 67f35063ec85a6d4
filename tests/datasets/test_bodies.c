/* test_bodies.c -- generated bodies, and valid and invalid body files.
 *
 * The known digests were recorded when some bodies agreed with a second implementation, in Python,
 * written from the description in datasets/bodies/bodies.h.
 */
#include "datasets/bodies/bodies.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/memory.h"
#include "common/text.h"
#include "tests/digest_of.h"
#include "tests/file_of.h"

static struct gb_error err;

static struct octree_input make(int distribution, int shuffled, size_t count, uint64_t seed)
{
	struct octree_input b = { .count = count,
				  .x = gb_host_alloc(count, 4, &err),
				  .y = gb_host_alloc(count, 4, &err),
				  .z = gb_host_alloc(count, 4, &err) };

	cr_assert_eq(err.code, GB_OK);
	gb_bodies_fill(&b, (enum octree_distribution)distribution, seed);
	if (shuffled)
		cr_assert_eq(gb_bodies_shuffle(&b, seed, &err), GB_OK);
	return b;
}

static void release(struct octree_input *b)
{
	gb_host_free(b->x);
	gb_host_free(b->y);
	gb_host_free(b->z);
}

/* ---- generated ----------------------------------------------------------------------------- */

/* Digests of 3001 bodies with seed 9, unshuffled and shuffled. */
static const uint64_t known[OCTREE_DISTRIBUTIONS][2] = {
	{ 0xdb33827001c64af1, 0xca45062322361ba9 }, /* plummer */
	{ 0x1caff23cff275551, 0x65efe710dcfadf4d }, /* cube */
	{ 0x8ae38f3a4e41658c, 0xacad4f68d7b81c9c }, /* uniform */
	{ 0xe6188f4b6686b203, 0x66b9d4e070c13dbf }, /* clustered */
	{ 0x8b330d81acc6ed4d, 0x8b330d81acc6ed4d }, /* coincident */
	{ 0x9ba10c61638d8dcf, 0x9089559f8c2ad55b }, /* pairs */
};

Test(bodies, known_digests_for_any_number_of_threads)
{
	for (int d = 0; d < OCTREE_DISTRIBUTIONS; d++)
		for (int shuffled = 0; shuffled < 2; shuffled++)
			for (int threads = 1; threads <= 3; threads += 2) {
				struct octree_input b;
				uint64_t digest;

				omp_set_num_threads(threads);
				b = make(d, shuffled, 3001, 9);
				digest = digest_of(0, b.x, 4 * b.count);
				digest = digest_of(digest, b.y, 4 * b.count);
				digest = digest_of(digest, b.z, 4 * b.count);
				cr_expect_eq(digest, known[d][shuffled],
					     "distribution %d: 0x%016lx", d, digest);
				release(&b);
			}
}

/* A sum over all bodies that does not depend on their order. */
static uint64_t sum_of(const struct octree_input *b)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < b->count; i++)
		sum += digest_of(digest_of(digest_of(0, b->x + i, 4), b->y + i, 4), b->z + i, 4);
	return sum;
}

/* A shuffle contains every body once, and leaves hardly any in place. */
Test(bodies, shuffled)
{
	static const size_t counts[] = { 1, 2, 3, 4, 5, 16, 17, 1000, 65537 };

	for (size_t k = 0; k < GB_COUNT(counts); k++) {
		struct octree_input own = make(OCTREE_UNIFORM, 0, counts[k], 6);
		struct octree_input other = make(OCTREE_UNIFORM, 1, counts[k], 6);
		size_t kept = 0;

		for (size_t i = 0; i < own.count; i++)
			kept += own.x[i] == other.x[i];
		cr_assert(own.count < 100 || kept < own.count / 50);
		cr_assert_eq(sum_of(&own), sum_of(&other));
		release(&own);
		release(&other);
	}
}

/* ---- files --------------------------------------------------------------------------------- */

/* Write a file and read it. */
static struct octree_input read_text(const char *name, const char *text, size_t length,
				     size_t limit)
{
	struct octree_input b = { 0 };
	const char *path = file_of(name, text, length);

	err = (struct gb_error){ 0 };
	(void)gb_bodies_read(path, limit, &b, &err);
	remove(path);
	return b;
}

/* Expect the bodies (1, 2, 3), (4, 5, 6) ... */
static void expect_steps(const char *path, const char *text, size_t length, size_t limit,
			 size_t count)
{
	struct octree_input b = read_text(path, text, length, limit);

	cr_assert_eq(err.code, GB_OK, "%s", err.message);
	cr_assert_eq(b.count, count);
	for (size_t i = 0; i < count; i++)
		cr_assert(b.x[i] == (float)(3 * i + 1) && b.y[i] == (float)(3 * i + 2) &&
			  b.z[i] == (float)(3 * i + 3));
	release(&b);
}

/* A message that starts with a colon must follow the name of the file. */
static void expect_error(const char *path, const char *text, size_t length, const char *words)
{
	struct octree_input b = read_text(path, text, length, 0);
	char message[80];

	(void)snprintf(message, sizeof message, "%s%s", *words == ':' ? path : "", words);
	cr_assert_eq(err.code, GB_EUSAGE, "%s was read", message);
	cr_assert(strstr(err.message, message) != NULL, "\"%s\" is not in \"%s\"", message,
		  err.message);
	release(&b);
}

#define TEXT(text) text, sizeof(text) - 1
#define MARK       "\xef\xbb\xbf"
#define HEADER(format, count)                                                     \
	"ply\nformat " format " 1.0\ncomment made by hand\nelement vertex " count \
	"\nproperty float x\nproperty float y\nproperty float z\n"

/* Texts with this many bodies within the limit, or with a fault.  test_mesh.c tests faults of the
 * header. */
static const struct {
	const char *name, *text;
	size_t length, limit, count;
	const char *fault;
} texts[] = {
	{ ".csv", TEXT("1,2,3\n4,5,6\n"), 0, 2, NULL },
	{ ".csv", TEXT("x,y,z,mass\n# a comment\n\n1, 2,3,9\n4,5 ,6,word\n"), 0, 2, NULL },
	{ "", TEXT("1;2;3\r\n 4 ; 5 ; 6\r\n7;8;9;"), 0, 3, NULL },
	{ ".CSV", TEXT("1,2,3\n4,5,6\n7,8,9\n"), 2, 2, NULL },
	{ ".csv", TEXT("1,2,3\n4,5\n"), 0, 0, ":2: z is missing" },
	{ ".csv", TEXT("1,2,3\nx,y,z\n"), 0, 0, ":2: x is not a number: x" },
	{ ".csv", TEXT("1,,3\n"), 0, 0, ":1: y is missing" },
	{ ".csv", TEXT("1.D0,0.20000000000000000D+01,3d0\n4,5,6\n"), 0, 2, NULL },
	{ ".csv", TEXT("1D,2,3\n"), 0, 0,
	  ":1: the first line is not numbers, and names no column x" },
	{ ".csv", TEXT("0,0,0\n1,2,3m\n"), 0, 0, ":2: z is not a number: 3m" },
	{ ".csv", TEXT("0,0,0\n1,nan,3\n"), 0, 0, ":2: y is nan" },
	{ ".csv", TEXT("1,2,3\n1,2,-inf\n"), 0, 0, ":2: z is -inf" },
	{ ".csv", TEXT("1e39,2,3\n"), 0, 0, ":1: x is 1e+39" },
	{ ".csv", TEXT("x,y,z\n"), 0, 0, "holds no bodies" },
	{ ".csv", TEXT("# x,y,z\n\n"), 0, 0, "holds no bodies" },
	{ ".csv", TEXT(""), 0, 0, "is empty" },
	{ ".csv", TEXT(MARK "1,2,3\n4,5,6\n"), 0, 2, NULL },
	{ ".csv", TEXT(MARK "x,y,z\n1,2,3\n4,5,6\n"), 0, 2, NULL },
	{ ".csv", TEXT("\"x\",\"y\",\"z\"\n\"1\",2,3\n4,\" 5\",6\n"), 0, 2, NULL },
	{ ".csv", TEXT("0,0,0\n1.2.3,4,5\n"), 0, 0, ":2: x is not a number: 1.2.3" },
	{ ".csv", TEXT(",1,2\n0,1,2\n"), 0, 0, ":1: x is missing" },
	{ ".csv", TEXT("0,1,2\n3,4,5\0zzz\n"), 0, 0, ":2: z is not a number: 5?zzz" },
	{ ".csv", TEXT("1;2;3;9\n0004;5.0e0;+6;7,5\n"), 0, 2, NULL },
	{ ".csv", TEXT("0;1;2\n1,5;2,5;3,5\n"), 0, 0, ":2: x is not a number: 1,5" },
	{ ".csv", TEXT("0,1,2\n1,5 2,5 3,5\n"), 0, 0, ":2: y is not a number: 5 2" },
	{ ".csv", TEXT("0 1 2\n1 2 3,5\n"), 0, 0, ":2: z is not a number: 3,5" },
	{ ".csv", TEXT("0,1,2\n0x10,2,3\n"), 0, 0, ":2: x is not a number: 0x10" },
	/* columns by name */
	{ ".csv", TEXT("id,X,Y,Z\n7,1,2,3\n8,4,5,6\n"), 0, 2, NULL },
	{ ".csv", TEXT("name;z [m];\"y (m)\";x\n\"a;b\";3;2;1\n;6;5;4\n"), 0, 2, NULL },
	{ "", TEXT("//X Y Z R G B\n1 2 3 0 0 0\n4 5 6 0 0 0\n"), 0, 2, NULL },
	{ "", TEXT("% z y x\n3 2 1\n6 5 4\n"), 0, 2, NULL },
	{ "", TEXT("# columns: z y x\n1 2 3\n4 5 6\n"), 0, 2, NULL },
	{ ".tsv", TEXT("a b\tx\ty\tz\n1 2\t1\t2\t3\n\t4\t5\t6\n"), 0, 2, NULL },
	{ ".tsv", TEXT("\tx\ty\tz\n1\t1\t2\t3\n2\t4\t5\t6\n"), 0, 2, NULL },
	{ ".tsv", TEXT("w\tx\ty\tz\n1\t\t2\t3\n"), 0, 0, ":2: x is missing" },
	{ ".csv", TEXT("\"Points:0\",\"Points:1\",\"Points:2\"\n1,2,3\n"), 0, 1, NULL },
	{ ".csv", TEXT("t,vel.x,pos.x,Pos.y,pos.z\n1,9,1,2,3\n"), 0, 1, NULL },
	{ ".csv", TEXT("Coordinates_0 Coordinates_1 Coordinates_2\n1 2 3\n"), 0, 1, NULL },
	{ ".csv", TEXT("x,y\n1,2\n"), 0, 0,
	  ":1: the first line is not numbers, and names no column z" },
	{ ".csv", TEXT("a,b,c\n1,2,3\n"), 0, 0,
	  ":1: the first line is not numbers, and names no column x" },
	{ ".csv", TEXT("x,y,z,w\n1,2,3\n"), 0, 0, ":2: 3 columns, and 4 before" },
	/* without names, and with the number of lines */
	{ "", TEXT("1 2 3 9 9\n4 5 6 9 9\n"), 0, 2, NULL },
	{ "", TEXT("1 2 3 9\n4 5 6\n"), 0, 0, ":2: 3 columns, and 4 before" },
	{ "", TEXT("1 2\n3 4\n"), 0, 0, ":1: z is missing" },
	{ ".pts", TEXT("2\n1 2 3 9\n4 5 6 9\n"), 0, 2, NULL },
	{ ".pts", TEXT("3\n1 2 3\n4 5 6\n"), 0, 0,
	  ":2: line 1 says 3 bodies, but 2 lines follow it" },
	{ "", TEXT("1 2 3\n4 5 6 9\n"), 0, 0, ":2: 4 columns, and 3 before" },
	{ ".xyz", TEXT("1 2 3\r4 5 6\r"), 0, 2, NULL },
	{ "",
	  TEXT("\xff\xfe"
	       "1\0,\0002\0,\0003\0\n\0"),
	  0, 0, "UTF-16 text" },
	{ ".ply", TEXT(HEADER("ascii", "2") "end_header\n1 2 3\n4 5 6\n"), 0, 2, NULL },
	{ ".ply",
	  TEXT(HEADER("ascii",
		      "2") "property uchar red\nelement face 1\nproperty list uchar int i\n"
			   "end_header\n1 2 3 255\n4 5 6 0\n3 0 1 2\n"),
	  0, 2, NULL },
	{ ".ply",
	  TEXT(HEADER("ascii", "2") "element face 1\nproperty list uchar int i\nend_header\n"
				    "1 2 3\n4 5 6\n3 0 1\n"),
	  0, 0, ":13: the line ends where i should be" },
	{ ".ply", TEXT(HEADER("ascii", "3") "end_header\n1 2 3\n4 5 6\n7 8 9\n"), 1, 1, NULL },
	{ ".ply",
	  TEXT("ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int i\nelement vertex "
	       "2\n"
	       "property float x\nproperty list uchar int w\nproperty float y\nproperty float z\n"
	       "end_header\n3 0 1 2\n\n1 2 8 9 2 3\n4 0 5 6\n"),
	  0, 2, NULL },
	{ ".ply", TEXT(HEADER("ascii", "2") "end_header\n1.00000 2.00000 3\n"), 0, 0,
	  ":10: the file ends at vertex 1 of 2" },
	{ ".ply", TEXT(HEADER("ascii", "2") "end_header\n1.000 2 3\n4 5\n"), 0, 0,
	  ":10: the line ends where a coordinate" },
	{ ".ply", TEXT(HEADER("ascii", "1") "end_header\n1 2 inf\n"), 0, 0, ":9: z is inf" },
	{ ".ply", TEXT(HEADER("ascii", "1") "end_header\n1 2 1e39\n"), 0, 0, ":9: z is 1e+39" },
	{ ".ply", TEXT(HEADER("ascii", "999999") "end_header\n1 2 3\n"), 0, 0,
	  ":10: the file ends at vertex 1 of 999999" },
	{ ".ply", TEXT(HEADER("ascii", "9999999999") "end_header\n1 2 3\n"), 0, 0,
	  "holds 9999999999 bodies, more than" },
	{ ".ply", TEXT(HEADER("ascii", "0") "end_header\n"), 0, 0, "holds no bodies" },
	{ ".ply",
	  TEXT("ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int i\nend_header\n"
	       "3 0 1 2\n"),
	  0, 0, "no vertex with x, y and z" },
	{ ".ply", TEXT("plyx\n"), 0, 0,
	  ":1: the first line is not numbers, and names no column x" },
	{ ".ply", TEXT(HEADER("ascii", "2") "end_header\n1 2 3\n4 5 6 7\n"), 0, 2, NULL },
	{ ".ply", TEXT(HEADER("ascii", "2") "end_header\n1 2 3 \n4 5 6\t\r\n"), 0, 2, NULL },
	{ ".ply", TEXT(MARK HEADER("ascii", "2") "end_header\n1 2 3 \n4 5 6\n\n"), 0, 2, NULL },
	{ ".ply", TEXT(HEADER("ascii", "2") "end_header\n1 2 3\n4 5 6\n7 8 9\n"), 0, 2, NULL },
	{ ".ply", TEXT(HEADER("ascii", "2") "end_header\n1 2 3\n4 5 6\n7 8 9\n"), 1, 1, NULL },
};

Test(bodies, texts)
{
	for (size_t i = 0; i < GB_COUNT(texts); i++)
		if (texts[i].fault)
			expect_error(texts[i].name, texts[i].text, texts[i].length, texts[i].fault);
		else
			expect_steps(texts[i].name, texts[i].text, texts[i].length, texts[i].limit,
				     texts[i].count);
}

Test(bodies, ply_binary)
{
	static const struct {
		uint8_t red;
		double z;
		float x;
		int16_t y;
	} __attribute__((packed)) vertex[] = { { 1, 3, 1, 2 }, { 2, 6, 4, 5 } };
	const char *header = "ply\nformat binary_little_endian 1.0\nelement vertex 2\n"
			     "property uchar red\nproperty double z\nproperty float32 x\n"
			     "property int16 y\nend_header\n";
	char text[512];
	size_t length = strlen(header);

	memcpy(text, header, length);
	memcpy(text + length, vertex, sizeof vertex);
	expect_steps(".ply", text, length + sizeof vertex, 0, 2);
	expect_error(".ply", text, length + sizeof vertex - 1,
		     "byte 165: the file ends where a coordinate should be");
	expect_steps(".ply", text, length + sizeof vertex + 1, 0, 2);
	length += sizeof vertex;
	memset(text + length - 30 + 1, 0xff, 8);
	expect_error(".ply", text, length, "z of body 0");
}

/* Negative integers of each width. */
Test(bodies, ply_big_endian)
{
	static const char text[] = "ply\nformat binary_big_endian 1.0\nelement vertex 1\n"
				   "property char x\nproperty short y\nproperty int z\n"
				   "end_header\n\xff\xff\xfe\xff\xff\xff\xfd";
	struct octree_input b = read_text(".ply", TEXT(text), 0);

	cr_assert_eq(b.count, 1, "%s", err.message);
	cr_assert(b.x[0] == -1 && b.y[0] == -2 && b.z[0] == -3);
	release(&b);
}

Test(bodies, raw)
{
	static const float steps[] = { 1, 2, 3, 4, 5, 6 };
	static const float odd[] = { 1, 2, 3, 4, NAN, 6 };
	static const uint32_t gadget[69] = { 256, [65] = 256 };
	static const double wide[] = { 0.1, 1 / 3.0, 0.7, -5.1, 1e-3, 2.2 };

	expect_steps(".f32", (const char *)steps, sizeof steps, 0, 2);
	expect_steps("", (const char *)steps, sizeof steps, 1, 1);
	expect_error(".f32", (const char *)steps, sizeof steps - 4, "20 bytes");
	expect_error(".f32", (const char *)odd, sizeof odd, "y of body 1");
	expect_error(".f32", (const char *)wide, sizeof wide, "the numbers look like float64");
	expect_error(".f32", TEXT("PK\3\4\0\0\0\0\0\0\0\0"), "is not a file of bodies, but a zip");
	expect_error("", (const char *)gadget, sizeof gadget, "but a Gadget snapshot");
}

/* A header of a NumPy array, padded to 128 bytes, and the numbers. */
static size_t npy(char text[512], const char *header, const void *numbers, size_t size)
{
	memcpy(text, "\x93NUMPY\1\0v\0", 10);
	memset(text + 10, ' ', 117);
	memcpy(text + 10, header, strlen(header));
	text[127] = '\n';
	memcpy(text + 128, numbers, size);
	return 128 + size;
}

Test(bodies, numpy)
{
	static const float rows[] = { 1, 2, 3, 4, 5, 6 }, wide[] = { 1, 2, 3, 0, 4, 5, 6, 0 };
	static const double columns[] = { 1, 4, 2, 5, 3, 6 };
	static const unsigned char big[] = { 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6 };
	static const int8_t small[] = { 1, 2, 3, 4, 5, 6 };
	static const struct {
		const char *header;
		const void *numbers;
		size_t size, limit, count;
		const char *fault;
	} files[] = {
#define NPY(type, order, shape) \
	"{'descr': '" type "', 'fortran_order': " order ", 'shape': (" shape "), }"
		{ NPY("<f4", "False", "2, 3"), rows, sizeof rows, 0, 2, NULL },
		{ NPY("<f4", "False", "2, 3"), rows, sizeof rows, 1, 1, NULL },
		{ NPY("<f4", "False", "2, 4"), wide, sizeof wide, 0, 2, NULL },
		{ NPY("<f8", "True", "2, 3"), columns, sizeof columns, 0, 2, NULL },
		{ NPY(">u2", "False", "2, 3"), big, sizeof big, 0, 2, NULL },
		{ NPY("|i1", "False", "2, 3"), small, sizeof small, 0, 2, NULL },
		{ NPY("|i1", "False", "1, 3"), small, sizeof small, 0, 1, NULL },
		{ NPY("<f4", "False", "3, 3"), rows, sizeof rows, 0, 0,
		  "3 x 3 numbers of 4 bytes, in a file of 152 bytes" },
		{ NPY("<f4", "False", "99999999999999999999, 3"), rows, sizeof rows, 0, 0,
		  "of 18446744073709551615 x 3 numbers" },
		{ NPY("<f4", "False", "6,"), rows, sizeof rows, 0, 0,
		  "of 6 x 1 numbers has no row" },
		{ NPY("<f4", "False", "1, 2, 3"), rows, sizeof rows, 0, 0,
		  "one or two dimensions" },
		{ NPY("|i1", "False", "3, 4"), rows, sizeof rows, 0, 0,
		  "of 3 x 4 numbers has no row" },
		{ NPY("<f2", "False", "2, 3"), rows, sizeof rows, 0, 0, "another type than" },
		{ "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }", rows,
		  sizeof rows, 0, 0, "another type than" },
		{ "{}", rows, sizeof rows, 0, 0, "the header of the NumPy array is damaged" },
	};
	char text[512];

	for (size_t i = 0; i < GB_COUNT(files); i++) {
		const size_t size = npy(text, files[i].header, files[i].numbers, files[i].size);

		if (files[i].fault)
			expect_error(".x", text, size, files[i].fault);
		else
			expect_steps(".x", text, size, files[i].limit, files[i].count);
	}
	for (size_t cut = 6; cut < 128; cut++)
		expect_error(".x", text, cut, "NumPy");
}

Test(bodies, no_such_file)
{
	static const char *const files[][2] = { { "none.csv", "none.csv" },
						{ "/tmp", "is a directory" },
						{ "/dev/null", "not a regular file" } };

	for (size_t i = 0; i < GB_COUNT(files); i++) {
		struct octree_input b;

		err = (struct gb_error){ 0 };
		cr_assert_eq(gb_bodies_read(files[i][0], 0, &b, &err), GB_EUSAGE);
		cr_assert(strstr(err.message, files[i][1]) != NULL, "%s", err.message);
	}
}

/* Whichever allocation fails, nothing leaks. */
Test(bodies, no_memory)
{
	const size_t before = gb_memory_used(GB_HOST_MEMORY);

	for (int64_t k = 1; k <= 3; k++) {
		struct octree_input b;

		gb_memory_fail_at(k);
		b = read_text(".csv", "1,2,3\n", 6, 0);
		gb_memory_fail_at(0);
		cr_assert_eq(err.code, GB_EMEMORY);
		release(&b);
		cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), before);
	}
}
