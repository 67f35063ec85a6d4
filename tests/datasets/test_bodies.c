/* test_bodies.c -- generated bodies, and body files right and wrong.
 *
 * The known bodies were computed by a second implementation, in Python, written from the
 * description in datasets/bodies/bodies.h; its powers and roots are libm's.
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
#include "tests/file_of.h"

struct bodies {
	float *x, *y, *z;
	size_t count;
};

static struct bodies make(int distribution, int shuffled, size_t count, uint64_t seed)
{
	struct bodies b = { malloc(count * 4 + 1), malloc(count * 4 + 1), malloc(count * 4 + 1),
			    count };

	gb_bodies_fill(b.x, b.y, b.z, (enum octree_distribution)distribution, shuffled, count,
		       seed);
	return b;
}

static void drop(struct bodies *b)
{
	free(b->x);
	free(b->y);
	free(b->z);
}

/* ---- generated ----------------------------------------------------------------------------- */

/* Bodies 0, 7 and 999 of 1000, seed 9. */
static const float known[][3][3] = {
	/* plummer */ { { -0.326252371F, 0.11521288F, 0.740079045F },
			{ 0.0641426519F, -0.0391531102F, -0.325509191F },
			{ 0.105862029F, 0.0961304381F, 0.514180303F } },
	/* cube */
	{ { -0.886321843F, -0.898630977F, -0.883009613F },
	  { 0.519705117F, -0.915192842F, -0.880139709F },
	  { 0.919918656F, 0.892119765F, 0.891019404F } },
	/* uniform */
	{ { 0.683906734F, 0.0684506372F, 0.849519789F },
	  { 0.985256255F, -0.759643435F, 0.993013501F },
	  { 0.995931327F, -0.394011825F, -0.449030429F } },
	/* clustered */
	{ { 0.719871163F, -0.180939406F, -0.208251566F },
	  { -0.940453291F, -0.913826585F, 0.316427559F },
	  { 0.793295085F, -0.367382169F, -0.762206554F } },
	/* coincident */
	{ { 0.300000012F, -0.699999988F, 0.899999976F },
	  { 0.300000012F, -0.699999988F, 0.899999976F },
	  { 0.300000012F, -0.699999988F, 0.899999976F } },
	/* pairs */
	{ { -1.0F, -1.0F, -1.0F },
	  { 0.880860329F, 0.541016579F, -0.619139671F },
	  { -0.999022484F, 0.802735329F, -0.148436546F } },
};

Test(bodies, known)
{
	static const size_t index[] = { 0, 7, 999 };

	for (int d = 0; d < OCTREE_DISTRIBUTIONS; d++) {
		struct bodies b = make(d, 0, 1000, 9);

		for (size_t k = 0; k < GB_COUNT(index); k++) {
			const float *want = known[d][k];
			const size_t i = index[k];

			cr_assert(b.x[i] == want[0] && b.y[i] == want[1] && b.z[i] == want[2],
				  "distribution %d, body %zu: %.9g %.9g %.9g", d, i, (double)b.x[i],
				  (double)b.y[i], (double)b.z[i]);
		}
		drop(&b);
	}
}

Test(bodies, same_for_any_number_of_threads)
{
	for (int d = 0; d < OCTREE_DISTRIBUTIONS; d++) {
		struct bodies one, three;

		omp_set_num_threads(1);
		one = make(d, d % 2, 3001, 4);
		omp_set_num_threads(3);
		three = make(d, d % 2, 3001, 4);
		cr_assert_eq(memcmp(one.x, three.x, 4 * 3001), 0);
		cr_assert_eq(memcmp(one.y, three.y, 4 * 3001), 0);
		cr_assert_eq(memcmp(one.z, three.z, 4 * 3001), 0);
		drop(&one);
		drop(&three);
	}
}

/* Shares of the mass within some radii, in units of a: M(r) = (1 + 1 / r^2)^(-3/2) / 0.999. */
Test(bodies, plummer_is_plummer)
{
	const double a = 0.58904862254808621;
	const double radii[] = { 0.25, 0.5, 1, 2, 5, 20 };
	struct bodies b = make(OCTREE_PLUMMER, 0, 200000, 1);
	double centre = 0;

	for (size_t k = 0; k < GB_COUNT(radii); k++) {
		const double want = pow(1 + 1 / (radii[k] * radii[k]), -1.5) / 0.999;
		size_t within = 0;

		for (size_t i = 0; i < b.count; i++) {
			const double x = (double)b.x[i], y = (double)b.y[i], z = (double)b.z[i];

			within += sqrt(x * x + y * y + z * z) < radii[k] * a;
		}
		cr_assert(fabs((double)within / (double)b.count - want) < 0.005, "%g", radii[k]);
	}
	for (size_t i = 0; i < b.count; i++) {
		centre += (double)b.z[i] > 0;
		cr_assert(fabsf(b.x[i]) < 22.9F && fabsf(b.y[i]) < 22.9F && fabsf(b.z[i]) < 22.9F);
	}
	cr_assert(fabs(centre / (double)b.count - 0.5) < 0.005);
	drop(&b);
}

Test(bodies, cube_is_spatial)
{
	struct bodies b = make(OCTREE_CUBE, 0, 900, 1); /* of 10 x 10 x 10 */

	for (size_t i = 0; i < b.count; i++) {
		cr_assert(fabs(((double)b.x[i] + 1) * 5 - 0.5 - (double)(i % 10)) < 0.11);
		cr_assert(fabs(((double)b.y[i] + 1) * 5 - 0.5 - (double)(i / 10 % 10)) < 0.11);
		cr_assert(fabs(((double)b.z[i] + 1) * 5 - 0.5 - (double)(i / 100)) < 0.11);
	}
	drop(&b);
}

static int ascending(const void *a_, const void *b_)
{
	const float a = *(const float *)a_, b = *(const float *)b_;

	return (a > b) - (a < b);
}

/* A shuffle takes every body once, and hardly any to where it was; one of an array is the same. */
Test(bodies, shuffled)
{
	static const size_t counts[] = { 1, 2, 3, 4, 5, 16, 17, 1000, 65537 };

	for (size_t k = 0; k < GB_COUNT(counts); k++) {
		const size_t n = counts[k];
		struct bodies own = make(OCTREE_UNIFORM, 0, n, 6);
		struct bodies other = make(OCTREE_UNIFORM, 1, n, 6);
		struct gb_error err = { 0 };
		size_t kept = 0;

		cr_assert_eq(gb_bodies_shuffle(own.x, own.y, own.z, n, 6, &err), GB_OK);
		cr_assert_eq(memcmp(own.x, other.x, 4 * n), 0);
		cr_assert_eq(memcmp(own.y, other.y, 4 * n), 0);
		cr_assert_eq(memcmp(own.z, other.z, 4 * n), 0);
		drop(&own);
		own = make(OCTREE_UNIFORM, 0, n, 6);
		for (size_t i = 0; i < n; i++)
			kept += own.x[i] == other.x[i];
		cr_assert(n < 100 || kept < n / 50);
		qsort(own.x, n, sizeof *own.x, ascending);
		qsort(other.x, n, sizeof *other.x, ascending);
		cr_assert_eq(memcmp(own.x, other.x, 4 * n), 0);
		drop(&own);
		drop(&other);
	}
}

/* ---- files --------------------------------------------------------------------------------- */

static struct gb_error err;

/* Write a file and read it. */
static struct bodies read_text(const char *name, const char *text, size_t length, size_t limit)
{
	struct bodies b = { NULL, NULL, NULL, 0 };
	const char *path = file_of(name, text, length);

	err = (struct gb_error){ 0 };
	(void)gb_bodies_read(path, limit, &b.x, &b.y, &b.z, &b.count, &err);
	remove(path);
	cr_assert((err.code == GB_OK) == (b.x != NULL));
	return b;
}

static void release(struct bodies *b)
{
	gb_host_free(b->x);
	gb_host_free(b->y);
	gb_host_free(b->z);
}

/* The bodies (1, 2, 3), (4, 5, 6) ... */
static void expect_steps(const char *path, const char *text, size_t length, size_t limit,
			 size_t count)
{
	struct bodies b = read_text(path, text, length, limit);

	cr_assert_eq(err.code, GB_OK, "%s", err.message);
	cr_assert_eq(b.count, count);
	for (size_t i = 0; i < count; i++)
		cr_assert(b.x[i] == (float)(3 * i + 1) && b.y[i] == (float)(3 * i + 2) &&
			  b.z[i] == (float)(3 * i + 3));
	release(&b);
}

static void expect_error(const char *path, const char *text, size_t length, const char *message)
{
	struct bodies b = read_text(path, text, length, 0);

	cr_assert_eq(err.code, GB_EUSAGE, "%s was read", message);
	cr_assert(strstr(err.message, message) != NULL, "\"%s\" is not in \"%s\"", message,
		  err.message);
	release(&b);
}

#define STEPS(path, text, limit, count) expect_steps(path, text, sizeof(text) - 1, limit, count)
#define ERROR(path, text, message)      expect_error(path, text, sizeof(text) - 1, message)

Test(bodies, csv)
{
	STEPS("b.csv", "1,2,3\n4,5,6\n", 0, 2);
	STEPS("b.csv", "x,y,z,mass\n# a comment\n\n1, 2,3,9,word\n4\t5 6;7\n", 0, 2);
	STEPS("b.csv", "1;2;3\r\n 4 , 5 , 6\r\n7 8 9", 0, 3);
	STEPS("b.CSV", "1,2,3\n4,5,6\n7,8,9\n", 2, 2);
	ERROR("b.csv", "1,2,3\n4,5\n", "b.csv:2: three numbers");
	ERROR("b.csv", "1,2,3\nx,y,z\n", "b.csv:2: three numbers");
	ERROR("b.csv", "1,,3\n", "b.csv:1: three numbers");
	ERROR("b.csv", "1,2,3m\n", "b.csv:1: three numbers");
	ERROR("b.csv", "1,2,3\n1,nan,3\n", "y of body 1 is nan");
	ERROR("b.csv", "1,2,3\n1,2,-inf\n", "z of body 1 is -inf");
	ERROR("b.csv", "1e39,2,3\n", "x of body 0 is 1e+39");
	ERROR("b.csv", "x,y,z\n", "holds no bodies");
	ERROR("b.csv", "", "is empty");
}

#define HEADER(format, count)                                                     \
	"ply\nformat " format " 1.0\ncomment made by hand\nelement vertex " count \
	"\nproperty float x\nproperty float y\nproperty float z\n"

Test(bodies, csv_strictly)
{
	STEPS("a.csv",
	      "\xef\xbb\xbf"
	      "1,2,3\n4,5,6\n",
	      0, 2);
	STEPS("a.csv",
	      "\xef\xbb\xbf"
	      "x,y,z\n1,2,3\n4,5,6\n",
	      0, 2);
	STEPS("a.csv", "\"x\",\"y\",\"z\"\n1,2,3\n4,5,6\n", 0, 2);
	ERROR("a.csv", "1.2.3,4,5\n0,1,2\n", "a.csv:1: three numbers");
	ERROR("a.csv", ",1,2\n0,1,2\n", "a.csv:1: three numbers");
	ERROR("a.csv", "0,1,2\nx,y,z\n", "a.csv:2: three numbers");
	ERROR("a.csv", "0,1,2\n3,4,5\0zzz\n", "a.csv:2: a zero byte");
	STEPS("a.csv", "1;2;3;9\n0004 5.0e0 +6;7,5\n", 0, 2);
	ERROR("a.csv", "0,1,2\n1,5;2,5;3,5\n", "a.csv:2: commas and other separators");
	ERROR("a.csv", "1,5 2,5 3,5\n", "a.csv:1: commas and other separators");
	ERROR("a.csv", "1;2;3,5\n", "a.csv:1: commas and other separators");
	ERROR("a.csv", "1 2 3,5\n", "a.csv:1: commas and other separators");
	ERROR("a.csv", "1,2 3\n", "a.csv:1: commas and other separators");
	ERROR("a.csv", "0x10,2,3\n", "a.csv:1: three numbers");
	ERROR("a.csv", "1,-0X1p3,3\n", "a.csv:1: three numbers");
}

Test(bodies, ply_text_strictly)
{
	static const char head[] = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\n"
				   "property float y\nproperty float z\nend_header\n";
	char text[256];
	int length = snprintf(text, sizeof text, "%s1 2 3\n4 5 6 7\n", head);

	expect_error("a.ply", text, (size_t)length, "a.ply:9: the line has more than vertex 1");
	length = snprintf(text, sizeof text, "%s1 2 3 \n4 5 6\t\r\n", head);
	expect_steps("a.ply", text, (size_t)length, 0, 2);
	length = snprintf(text, sizeof text, "\xef\xbb\xbf%s1 2 3 \n4 5 6\n\n", head);
	expect_steps("a.ply", text, (size_t)length, 0, 2);
	length = snprintf(text, sizeof text, "%s1 2 3\n4 5 6\n7 8 9\n", head);
	expect_error("a.ply", text, (size_t)length, "a.ply:10: the file goes on behind");
	expect_steps("a.ply", text, (size_t)length, 1, 1);
}

Test(bodies, ply_text)
{
	STEPS("b.ply", HEADER("ascii", "2") "end_header\n1 2 3\n4 5 6\n", 0, 2);
	STEPS("b.ply",
	      HEADER("ascii", "2") "property uchar red\nelement face 1\nproperty list uchar int i\n"
				   "end_header\n1 2 3 255\n4 5 6 0\n3 0 1 2\n",
	      0, 2);
	ERROR("b.ply",
	      HEADER("ascii", "2") "element face 1\nproperty list uchar int i\nend_header\n"
				   "1 2 3\n4 5 6\n3 0 1\n",
	      "b.ply:13: the line ends where i should be");
	STEPS("b.ply", HEADER("ascii", "3") "end_header\n1 2 3\n4 5 6\n7 8 9\n", 1, 1);
	STEPS("b.ply",
	      "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int i\nelement vertex 2\n"
	      "property float x\nproperty list uchar int w\nproperty float y\nproperty float z\n"
	      "end_header\n3 0 1 2\n\n1 2 8 9 2 3\n4 0 5 6\n",
	      0, 2);
	ERROR("b.ply", HEADER("ascii", "2") "end_header\n1.00000 2.00000 3\n",
	      "b.ply:10: the file ends at vertex 1 of 2");
	ERROR("b.ply", HEADER("ascii", "2") "end_header\n1.000 2 3\n4 5\n",
	      "b.ply:10: the line ends where a coordinate");
	ERROR("b.ply", HEADER("ascii", "1") "end_header\n1 2 inf\n",
	      "b.ply:9: a coordinate is no number: inf");
	ERROR("b.ply", HEADER("ascii", "1") "end_header\n1 2 1e39\n", "z of body 0 is 1e+39");
	ERROR("b.ply", HEADER("ascii", "999999") "end_header\n1 2 3\n",
	      "b.ply:8: 999999 vertices are announced");
	ERROR("b.ply", HEADER("ascii", "9999999999") "end_header\n1 2 3\n",
	      "b.ply:8: 9999999999 vertices are announced");
	ERROR("b.ply", HEADER("ascii", "0") "end_header\n", "holds no bodies");
	ERROR("b.ply", HEADER("ascii", "-1") "end_header\n", "b.ply:4: -1 elements");
	ERROR("b.ply", HEADER("ascii", "1") "property float x\nend_header\n1 2 3 1\n",
	      "a second property x");
	ERROR("b.ply", HEADER("ascii", "1") "property quad w\nend_header\n",
	      "b.ply:8: quad is no type");
	ERROR("b.ply", HEADER("ascii", "1") "what\nend_header\n",
	      "b.ply:8: no line of a header starts with what");
	ERROR("b.ply", HEADER("utf8", "1") "end_header\n", "b.ply:2: utf8 is no format");
	ERROR("b.ply", HEADER("ascii", "1"), "ends before end_header");
	ERROR("b.ply", "plyx\n", "b.ply:1: is no PLY file");
	ERROR("b.ply",
	      "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int i\nend_header\n3 0 1 "
	      "2\n",
	      "no vertex with x, y and z");
	ERROR("b.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
	      "no vertex with x, y and z");
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
	expect_steps("b.ply", text, length + sizeof vertex, 0, 2);
	expect_error("b.ply", text, length + sizeof vertex - 1, "2 vertices are announced");
	text[length + sizeof vertex] = 0;
	expect_error("b.ply", text, length + sizeof vertex + 1, "the file goes on behind");
	length += sizeof vertex;
	memset(text + length - 30 + 1, 0xff, 8);
	expect_error("b.ply", text, length, "z of body 0");
}

/* The bytes of a big-endian file are those of a little-endian one, reversed in each value. */
Test(bodies, ply_big_endian)
{
	const uint32_t big[] = { 0x0000803f, 0x00000040, 0x00004040 }; /* 1, 2, 3 */
	const char *header = HEADER("binary_big_endian", "1") "end_header\n";
	char text[256];
	const size_t length = strlen(header);

	memcpy(text, header, length);
	memcpy(text + length, big, sizeof big);
	expect_steps("b.ply", text, length + sizeof big, 0, 1);
}

Test(bodies, raw)
{
	static const float steps[] = { 1, 2, 3, 4, 5, 6 };
	static const float odd[] = { 1, 2, 3, 4, NAN, 6 };

	expect_steps("b.f32", (const char *)steps, sizeof steps, 0, 2);
	expect_steps("b", (const char *)steps, sizeof steps, 1, 1);
	expect_error("b.f32", (const char *)steps, sizeof steps - 4, "20 bytes");
	expect_error("b.f32", (const char *)odd, sizeof odd, "y of body 1");
}

Test(bodies, no_such_file)
{
	struct bodies b;

	err = (struct gb_error){ 0 };
	cr_assert_eq(gb_bodies_read("none.csv", 0, &b.x, &b.y, &b.z, &b.count, &err), GB_EUSAGE);
	cr_assert(strstr(err.message, "none.csv") != NULL);
	err = (struct gb_error){ 0 };
	cr_assert_eq(gb_bodies_read("/tmp", 0, &b.x, &b.y, &b.z, &b.count, &err), GB_EUSAGE);
	cr_assert(strstr(err.message, "is a directory") != NULL);
	err = (struct gb_error){ 0 };
	cr_assert_eq(gb_bodies_read("/dev/null", 0, &b.x, &b.y, &b.z, &b.count, &err), GB_EUSAGE);
	cr_assert(strstr(err.message, "not a regular file") != NULL);
}

/* In a dry run the count is known, or an upper bound of it, and nothing is filled. */
Test(bodies, dry)
{
	struct bodies b;

	gb_memory_set_dry(true);
	b = read_text("b.csv", "1,2,3\n4,5,6\n", 12, 0);
	cr_assert_eq(b.count, 2);
	release(&b);
	gb_memory_set_dry(false);
}

/* Whichever allocation fails, nothing leaks. */
Test(bodies, no_memory)
{
	const size_t before = gb_memory_used(GB_HOST_MEMORY);

	for (int64_t k = 1; k <= 3; k++) {
		struct bodies b;

		gb_memory_fail_at(k);
		b = read_text("b.csv", "1,2,3\n", 6, 0);
		gb_memory_fail_at(0);
		cr_assert_eq(err.code, GB_EMEMORY);
		cr_assert(b.x == NULL && b.y == NULL && b.z == NULL);
		cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), before);
	}
}
