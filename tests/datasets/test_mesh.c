/* test_mesh.c -- generated scenes, valid and malformed mesh files, views. */
#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/lbvh/view.h"
#include "common/memory.h"
#include "common/text.h"
#include "datasets/mesh/mesh.h"
#include "datasets/mesh/scene.h"
#include "tests/file_of.h"
#include "tests/scene_number.h"

static const char *const scenes[] = { "terrain", "knot",   "flake",  "soup", "city", "teapot",
				      "flat",    "points", "copies", "huge", "hall" };

/* ---- generated scenes --------------------------------------------------------------------- */

static void release(struct lbvh_input *mesh)
{
	gb_host_free(mesh->vertex);
	gb_host_free(mesh->triangle);
	*mesh = (struct lbvh_input){ 0 };
}

static void make(const char *name, size_t count, uint64_t seed, struct lbvh_input *mesh)
{
	struct gb_error err = { 0 };
	struct gb_view view;

	*mesh = (struct lbvh_input){ 0 };
	cr_assert_eq(gb_scene_make((size_t)scene_number(name), count, seed, mesh, &view, &err),
		     GB_OK, "%s", err.message);
}

Test(scene, exactly_the_requested_number_of_triangles)
{
	const size_t counts[] = { 1, 2, 3, 5, 63, 64, 65, 199, 200, 201, 1000, 25601 };

	for (size_t s = 0; s < GB_COUNT(scenes); s++)
		for (size_t c = 0; c < GB_COUNT(counts); c++) {
			struct lbvh_input mesh;

			make(scenes[s], counts[c], 1, &mesh);
			cr_assert_eq(mesh.count, counts[c]);
			for (size_t i = 0; i < 3 * mesh.count; i++)
				cr_assert(mesh.triangle[i] < mesh.vertex_count);
			for (size_t i = 0; i < 3 * mesh.vertex_count; i++) {
				cr_assert(fabsf(mesh.vertex[i]) <= LBVH_COORDINATE_MAX);
				cr_assert(mesh.vertex[i] != 0 || !signbit(mesh.vertex[i]));
			}
			release(&mesh);
		}
}

Test(scene, the_teapot_has_its_usual_number)
{
	struct lbvh_input mesh;
	float lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { 0 };

	make("teapot", 0, 1, &mesh);
	cr_assert_eq(mesh.count, 25600);
	for (size_t i = 0; i < 3 * mesh.vertex_count; i++) {
		lo[i % 3] = fminf(lo[i % 3], mesh.vertex[i]);
		hi[i % 3] = fmaxf(hi[i % 3], mesh.vertex[i]);
	}
	/* From the handle to the spout, from the bottom to the knob. */
	cr_assert(fabsf(lo[0] + 3) < 0.01f && hi[0] > 3.4f && hi[0] < 3.525f);
	cr_assert(lo[1] == 0 && fabsf(hi[1] - 3.15f) < 1e-6f);
	cr_assert(fabsf(lo[2] + 2) < 1e-3f && fabsf(hi[2] - 2) < 1e-3f);
	release(&mesh);
}

Test(scene, the_same_bytes_for_any_threads)
{
	for (size_t s = 0; s < GB_COUNT(scenes); s++) {
		struct lbvh_input a, b;

		omp_set_num_threads(1);
		make(scenes[s], 5000, 7, &a);
		omp_set_num_threads(5);
		make(scenes[s], 5000, 7, &b);
		cr_assert_eq(a.vertex_count, b.vertex_count);
		cr_assert(memcmp(a.vertex, b.vertex, 12 * a.vertex_count) == 0, "%s", scenes[s]);
		cr_assert(memcmp(a.triangle, b.triangle, 12 * a.count) == 0, "%s", scenes[s]);
		release(&a);
		release(&b);
	}
}

/* Every scene is visible in the picture. */
Test(scene, the_view_looks_at_the_scene)
{
	for (size_t s = 0; s < GB_COUNT(scenes); s++) {
		struct gb_error err = { 0 };
		struct lbvh_input mesh = { 0 };
		struct gb_view view;
		struct lbvh_camera camera;
		float centre[3], beside[3];

		gb_scene_make((size_t)scene_number(scenes[s]), 100, 1, &mesh, &view, &err);
		camera = lbvh_camera_of(&view, 101);
		lbvh_direction(&camera, 50, 50, centre);
		for (int k = 0; k < 3; k++)
			beside[k] = (float)(view.target[k] - view.eye[k]);
		cr_assert(lbvh_dot(centre, beside) > 0.9999f * sqrtf(lbvh_dot(beside, beside)),
			  "%s", scenes[s]);
		release(&mesh);
	}
}

/* ---- files -------------------------------------------------------------------------------- */

/* Read bytes as a file with this extension; the contents, not the name, tell its format. */
static enum gb_status read_as(const char *ending, const void *bytes, size_t size,
			      struct lbvh_input *mesh, struct gb_error *err)
{
	const char *path = file_of(ending, bytes, size);

	*err = (struct gb_error){ 0 };
	*mesh = (struct lbvh_input){ 0 };
	gb_mesh_read(path, mesh, err);
	unlink(path);
	return err->code;
}

static void refuse(const char *ending, const char *text, const char *words)
{
	struct gb_error err;
	struct lbvh_input mesh;

	cr_assert_eq(read_as(ending, text, strlen(text), &mesh, &err), GB_EUSAGE, "was read: %s",
		     text);
	cr_assert(strstr(err.message, words), "the message is: %s\nit lacks: %s", err.message,
		  words);
	release(&mesh);
}

static void accept(const char *ending, const char *text, size_t vertices, size_t triangles,
		   struct lbvh_input *mesh)
{
	struct gb_error err;

	cr_assert_eq(read_as(ending, text, strlen(text), mesh, &err), GB_OK, "%s", err.message);
	cr_assert_eq(mesh->vertex_count, vertices);
	cr_assert_eq(mesh->count, triangles);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

Test(mesh, obj_faces_of_every_form)
{
	const uint32_t fan[] = { 0, 1, 2, 0, 2, 3 };
	const char *const files[] = {
		SQUARE "f 1 2 3 4\n",
		SQUARE "f -4 -3 -2 -1\n",
		SQUARE "f 1/1 2/1 3/1 4/9\n",
		SQUARE "f 1//1 2//2 3//3 4//4",
		SQUARE "f 1/2/3 2/2/3 3/2/3 4/2/3\n",
		"# a comment\r\nmtllib x.mtl\r\nv 0 0 0\r\nv\t1 0 0 1.0\r\nv 1 1 0 0.5 0.5 0.5\r\n"
		"v 0 1 0\r\nvn 0 0 1\r\nvt 0 0\r\n\r\ng a b\r\nusemtl m\r\ns off\r\nf 1 2 3 4 \r\n",
		"f 1 2 3 4\n" SQUARE,
		"\xef\xbb\xbf" SQUARE "f 1 2 3 4\n",
		SQUARE "f 1 2 3 4 # the face\n",
		"V 0 0 0\nV 1 0 0\nV 1 1 0\nV 0 1 0\nG a\nF 1 2 3 4\n",
		"v 0 0 0 # one\nv 1 0 0 1 # two\nv 1 1 0 .1 .2 .3\nv 0 1 0 .1 .2 .3 .4\n# \\\nf 1 "
		"2 3 4",
		SQUARE "f 1 \\\n  2 3 \\\r\n4\n",
		"v 0 \\\n0 0\n\\\nv 1 0 0\nv 1 1 0\nv 0 1 0\nl 1 2 \\\n3 4\nf 1 2 3 4 \\\n\n",
		SQUARE "f 00000000000000000000001 02 -02 -0000000000000000000001\n",
		SQUARE "f 1/ 2// 3/1/ 4/0/0\n",
		SQUARE "fo 1 2 3 4\nf\nf 1\nf 1 2\n",
		SQUARE "f 1 2 3 4\nendsolid\ncall x.obj\np 1\ncurv2 1 2\n",
		"v 0 0 0\rv 1 0 0\rv 1 1 0\rv 0 1 0\rf 1 2 3 4\r",
	};

	for (size_t i = 0; i < GB_COUNT(files); i++) {
		struct lbvh_input mesh;

		accept(".obj", files[i], 4, 2, &mesh);
		cr_assert(memcmp(mesh.triangle, fan, sizeof fan) == 0, "file %zu", i);
		cr_assert_eq(mesh.vertex[6], 1);
		cr_assert_eq(mesh.vertex[10], 1);
		release(&mesh);
	}
}

Test(mesh, obj_numbers_of_every_form)
{
	struct lbvh_input mesh;
	const float wanted[] = { 1.5f, -0.25f, 1e-3f, 12345678.9f, 3e10f, 0.1f,
				 0,    1e-30f, 0,     7,           -7,    1.0e2f };

	accept(".obj",
	       "v 1.5 -.25 1E-3\nv 12345678.9 3e+10 0.1000000000000000055511151231257827\n"
	       "v -0 1e-30 1e-99\nv +7. -7 1.0e2\nf 1 2 3\n",
	       4, 1, &mesh);
	for (size_t i = 0; i < GB_COUNT(wanted); i++)
		cr_assert_eq(mesh.vertex[i], wanted[i], "%zu: %g", i, (double)mesh.vertex[i]);
	cr_assert(!signbit(mesh.vertex[6]));
	release(&mesh);
}

Test(mesh, obj_malformed)
{
	refuse(".obj", "", "is empty");
	refuse(".obj", SQUARE, ":4: no face has three corners (vertices: 4)");
	refuse(".obj", SQUARE "l 1 2\nf 1 2\n", ":6: no face has three corners (vertices: 4)");
	refuse(".obj", SQUARE "f 1 2 5\n", ":5: a face uses vertex 5 of 4");
	refuse(".obj", SQUARE "f 1 2 3\nf 1 5\n", ":6: a face uses vertex 5 of 4");
	refuse(".obj", SQUARE "f 0 1 2\n", ":5: a face uses vertex 0 of 4");
	refuse(".obj", SQUARE "f -5 -1 -2\n", ":5: a face uses vertex -5 of 4");
	refuse(".obj", "f -1 -2 -3\n" SQUARE, ":1: a face uses vertex -1 of 0");
	refuse(".obj", SQUARE "f 1 2 x\n", ":5: a face's vertex is not an integer: x");
	refuse(".obj", SQUARE "f 1 2 3.5\n", ":5: a face's vertex is not an integer: 3.5");
	refuse(".obj", SQUARE "f 1 2 99999999999999999999\n",
	       "not an integer: 99999999999999999999");
	refuse(".obj", SQUARE "f 1/1/1/1 2 3\n", ":5: a face's corner is not vertex/texture/");
	refuse(".obj", SQUARE "f 1/1,2 2 3\n", ":5: a face's corner is not vertex/texture/");
	refuse(".obj", "v 1 2\n" SQUARE "f 1 2 3\n", ":1: the line ends where a coordinate");
	refuse(".obj", "v 1 2 z\n" SQUARE "f 1 2 3\n", ":1: a coordinate is not a number: z");
	refuse(".obj", "v 1 2 1e\n" SQUARE "f 1 2 3\n", ":1: a coordinate is not a number: 1e");
	refuse(".obj", "v 1 0,5 2\n" SQUARE "f 1 2 3\n", ":1: a coordinate is not a number: 0,5");
	refuse(".obj", "v 1 0x10 2\n" SQUARE "f 1 2 3\n", "not a number: 0x10");
	refuse(".obj", "v 1 2 3 junk\n" SQUARE "f 1 2 3\n",
	       ":1: a weight or a colour is not a number");
	refuse(".obj", "v 1 2 3 1 0x1\n" SQUARE "f 1 2 3\n",
	       ":1: a weight or a colour is not a number");
	refuse(".obj", "v 1 2 # 3\n" SQUARE "f 1 2 3\n", ":1: the line ends where a coordinate");
	refuse(".obj", SQUARE "f 1 2 \\\nx\n", ":6: a face's vertex is not an integer: x");
	refuse(".obj", SQUARE "f 1 2 \\ 3\n", ":5: a face's vertex is not an integer: \\");
	refuse(".obj", SQUARE "f 1 2 \\", ":5: a face's vertex is not an integer: \\");
	refuse(".obj", "glTF\2\1\1\1", "is not a mesh, but a binary glTF scene");
	refuse(".obj", "v 1e13 0 0\nv nan 0 0\nv -1.#IND 0 inf\nf 1 2 3\n",
	       "each triangle has a coordinate that is not finite or beyond 1e+12");
}

/* Triangles that use a vertex without a place are dropped; other vertices stay where they are. */
Test(mesh, vertices_without_a_place)
{
	const char *const spelled[] = { "nan",     "-nan(ind)", "NaN(0x1)", "inf",   "-Infinity",
					"1.#QNAN", "-1.#IND00", "1.#INF",   "1e999", "-2e12" };
	char text[200];
	struct lbvh_input mesh;

	for (size_t i = 0; i < GB_COUNT(spelled); i++) {
		(void)snprintf(text, sizeof text, SQUARE "v 0 %s 0\nf 1 2 3 5\nf 2 3 4\n",
			       spelled[i]);
		accept(".obj", text, 5, 2, &mesh);
		cr_assert(mesh.triangle[3] == 1 && mesh.triangle[5] == 3);
		cr_assert(mesh.vertex[12] >= 0 && mesh.vertex[12] <= 1);
		release(&mesh);
	}
}

#define FACET(word, z)                                                                         \
	"facet normal 0 0 1\n outer loop\n  " word " 0 0 " z "\n  " word " 1 0 " z "\n  " word \
	" 1 1 " z "\n endloop\nendfacet\n"

Test(mesh, stl_text)
{
	struct lbvh_input mesh;
	const char *const files[] = {
		"solid a b\n" FACET("vertex", "0") FACET("vertex", "2.5") "endsolid a b\n",
		"\xef\xbb\xbfsolidab\n" FACET("vertex", "0") FACET("vertex", "2.5"),
		"\n" FACET("vertex", "0") FACET("vertex", "2.5"),
		("solid\router loop\rvertex 0 0 0\rvertex 1 0 0\rvertex 1 1 0\rendloop\r"
		 "outer loop\rvertex 0 0 2.5\rvertex 1 0 2.5\rvertex 1 1 2.5\rendloop\r"),
	};

	for (size_t i = 0; i < GB_COUNT(files); i++) {
		accept(".stl", files[i], 6, 2, &mesh);
		cr_assert_eq(mesh.vertex[11], 2.5f);
		cr_assert(mesh.triangle[3] == 3 && mesh.triangle[5] == 5);
		release(&mesh);
	}
	/* Two solids, capitals, a colour, a loop of two vertices, one of four, and a NaN. */
	accept(".any",
	       "SOLID\r\n\r\n" FACET("VERTEX", "0") "endsolid\nsolid\ncolor 1 1 1\nouter loop\n"
						    "vertex 0 0 0\nvertex 1 1 1\nendloop\nouter "
						    "loop\nvertex 0 0 0\nvertex 1 0 0\n"
						    "vertex 1 1 0\nvertex 0 1 0\nendloop\n" FACET(
							    "vertex", "nan") "endsolid",
	       12, 3, &mesh);
	cr_assert(mesh.triangle[6] == 5 && mesh.triangle[7] == 7 && mesh.triangle[8] == 8);
	release(&mesh);
	refuse(".stl", "solid\nendsolid\n", ":2: no face has three corners (vertices: 0)");
	refuse(".stl", "version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS");
	refuse(".stl", "solid\nfacet\nvertex 0 0 0\n", ":3: a vertex outside a loop");
	refuse(".stl", "solid\nfacet\nouter loop\nvertex 0 0\n" FACET("vertex", "0"),
	       ":6: a loop begins inside another");
	refuse(".stl", "solid\nfacet\nouter loop\nvertex 0 0 0\n", "the file ends inside a loop");
	refuse(".stl", "solid\n" FACET("vertex", "0,5"), ":4: a coordinate is not a number: 0,5");
}

/* A header may begin like text, and exporters add bytes; a file that is cut is refused. */
Test(mesh, stl_binary)
{
	const char *const headers[] = { "", "solid made by hand", "binary" };
	const float vertex[] = { 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0 };
	const uint32_t count = 2;
	unsigned char bytes[84 + 2 * 50 + 3];
	struct lbvh_input mesh;
	struct gb_error err;

	for (size_t i = 0; i < GB_COUNT(headers); i++) {
		memset(bytes, 0, sizeof bytes);
		memcpy(bytes, headers[i], strlen(headers[i]));
		memcpy(bytes + 80, &count, 4);
		memcpy(bytes + 84, vertex, sizeof vertex);
		memcpy(bytes + 134, vertex, sizeof vertex);
		for (size_t more = 0; more < 4; more += 3) {
			cr_assert_eq(read_as(more ? ".STL" : ".x", bytes, 184 + more, &mesh, &err),
				     GB_OK, "%s", err.message);
			cr_assert(mesh.count == 2 && mesh.vertex_count == 6);
			cr_assert(mesh.vertex[9 + 6] == 1 && mesh.triangle[5] == 5);
			release(&mesh);
		}
		cr_assert_eq(read_as(".stl", bytes, 183, &mesh, &err), GB_EUSAGE);
		release(&mesh);
		cr_assert(strstr(err.message, "of 2 triangles takes 184 bytes, and has 183"), "%s",
			  err.message);
	}
}

#define HEADER(format, vertices, faces)                                               \
	"ply\nformat " format " 1.0\ncomment made by hand\nelement vertex " vertices  \
	"\nproperty float x\nproperty float y\nproperty float z\nelement face " faces \
	"\nproperty list uchar int vertex_indices\nend_header\n"
/* More than 255 bytes. */
#define BLANKS_64 "                                                                "
#define BLANKS    BLANKS_64 BLANKS_64 BLANKS_64 BLANKS_64
#define FOUR      "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
#define QUAD      HEADER("ascii", "4", "1") FOUR

Test(mesh, ply_ascii)
{
	const uint32_t fan[] = { 0, 1, 2, 0, 2, 3 };
	struct lbvh_input mesh;

	accept(".ply", QUAD "4 0 1 2 3\n", 4, 2, &mesh);
	cr_assert(memcmp(mesh.triangle, fan, sizeof fan) == 0);
	release(&mesh);
	accept(".ply",
	       "\xef\xbb\xbf" HEADER("ascii", "00000000000000000004", "01") FOUR "04 0 01 2 3\n", 4,
	       2, &mesh);
	cr_assert(memcmp(mesh.triangle, fan, sizeof fan) == 0);
	release(&mesh);
	accept(".PLY",
	       "ply\r\nformat ascii 1.0\r\nobj_info x\r\nelement face 2\r\n"
	       "property uchar red\r\nproperty list uint8 uint32 vertex_index\r\n"
	       "element vertex 3\r\nproperty double z\r\nproperty float64 nx\r\n"
	       "property float32 x\r\nproperty list uchar short w\r\nproperty int8 y\r\n"
	       "end_header\r\n255 3 0 1 2\r\n0 3 2 1 0\r\n1.5 0 2 0 3\r\n1 1 1 2 8 9 1\r\n"
	       "0 0 0 1 4 -1\r\n\r\n",
	       3, 2, &mesh);
	cr_assert_eq(mesh.vertex[0], 2);
	cr_assert_eq(mesh.vertex[1], 3);
	cr_assert_eq(mesh.vertex[2], 1.5f);
	cr_assert_eq(mesh.vertex[7], -1);
	cr_assert_eq(mesh.triangle[3], 2);
	release(&mesh);
}

/* Files of exporters that differ from what most write. */
Test(mesh, ply_of_exporters)
{
	const char *const lists[] = { "LIST UCHAR INT VERTEX_INDICES",
				      "list float int vertex_indices",
				      "list int64 uint64 vertex_index",
				      "list uchar float vertex_indices" };
	char text[500];
	struct lbvh_input mesh;

	for (size_t i = 0; i < GB_COUNT(lists); i++) {
		(void)snprintf(text, sizeof text,
			       "ply\n\nformat ascii 1.0 \nelement none 7\nelement Vertex 4\n"
			       "property float X\nproperty float y\nproperty float Z\n"
			       "element face 4\nproperty uchar red\nproperty %s\nend_header \n"
			       "0 0 0 9 9\n1 0 0\n\n1 1 0\n0 1 0\n.5 0\n0 2 0 1\n"
			       "x 3 0 1 2\n1 4 0 1 2 3\nand more\n",
			       lists[i]);
		accept(".ply", text, 4, 3, &mesh);
		release(&mesh);
		for (char *c = text; *c; c++)
			*c = (char)(*c == '\n' ? '\r' : *c);
		accept(".ply", text, 4, 3, &mesh);
		release(&mesh);
	}
}

#define STRIPS(type, more)                                                                        \
	"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"           \
	"property float z\nelement tristrips 1\nproperty list int " type " vertex_indices\n" more \
	"end_header\n" FOUR

/* Every second triangle is turned round, -1 ends a strip, and a repeated vertex joins two. */
Test(mesh, ply_strips)
{
	const uint32_t turned[] = { 0, 1, 3, 3, 1, 2, 0, 1, 2 };
	struct lbvh_input mesh;

	accept(".ply", STRIPS("int", "") "8 0 1 3 2 -1 0 1 2\n", 4, 3, &mesh);
	cr_assert(memcmp(mesh.triangle, turned, sizeof turned) == 0);
	release(&mesh);
	accept(".ply", STRIPS("int", "") "6 0 1 3 3 3 2\n", 4, 1, &mesh);
	release(&mesh);
	refuse(".ply", STRIPS("int", "") "3 0 1 -2\n", ":14: a face uses vertex -2 of 4");
	refuse(".ply", STRIPS("int", "") "3 -1 0 1\n", "no face has three corners (vertices: 4)");
}

/* The bytes of a binary file in the given byte order: a header, three vertices, a face. */
static size_t binary(bool big, unsigned char *out)
{
	const char *header = big ? HEADER("binary_big_endian", "3", "1")
				 : HEADER("binary_little_endian", "3", "1");
	const float vertex[9] = { 0, 0, 0, 1.5f, 0, 0, 0, -2, 0 };
	const uint32_t face[3] = { 0, 1, 2 };
	size_t n = strlen(header);
	unsigned char words[48];

	memcpy(out, header, n);
	memcpy(words, vertex, 36);
	memcpy(words + 36, face, 12);
	for (size_t i = 0; i < 48; i++) {
		if (i == 36)
			out[n++] = 3;
		out[n++] = words[big ? i / 4 * 4 + 3 - i % 4 : i];
	}
	return n;
}

Test(mesh, ply_binary)
{
	unsigned char bytes[600];

	for (int big = 0; big < 2; big++) {
		const size_t size = binary(big, bytes);
		struct gb_error err = { 0 };
		struct lbvh_input mesh;

		cr_assert_eq(read_as(".ply", bytes, size, &mesh, &err), GB_OK, "%s", err.message);
		cr_assert_eq(mesh.vertex[3], 1.5f);
		cr_assert_eq(mesh.vertex[7], -2);
		cr_assert_eq(mesh.triangle[2], 2);
		release(&mesh);
	}
}

/* A file cut at any byte is refused, and the error gives the place; an extra byte is ignored. */
Test(mesh, ply_binary_of_the_wrong_length)
{
	unsigned char bytes[600];
	const size_t size = binary(false, bytes);

	bytes[size] = 0;
	for (size_t cut = 0; cut <= size + 1; cut++) {
		struct gb_error err = { 0 };
		struct lbvh_input mesh;

		cr_assert_eq(read_as(".ply", bytes, cut, &mesh, &err),
			     cut < size ? GB_EUSAGE : GB_OK, "cut to %zu of %zu", cut, size);
		release(&mesh);
		cr_assert(cut != size - 1 ||
				  strstr(err.message, "the file ends where vertex_indices"),
			  "%s", err.message);
	}
}

Test(mesh, ply_malformed)
{
	refuse(".ply", "plyx\n", "is neither a PLY, an STL nor an OBJ file");
	refuse(".ply", "ply\nformat ascii 1.0\n", "ends before end_header");
	refuse(".ply", "ply\nformat ascii 2.0\n", ":2: format 2.0 is not 1.0");
	refuse(".ply", "ply\nformat utf8 1.0\n", ":2: unknown format utf8");
	refuse(".ply", "ply\nelement vertex x\n", ":2: an element's count is not an integer: x");
	refuse(".ply", "ply\nelement vertex -3\n", ":2: -3 elements");
	refuse(".ply", "ply\nproperty float x\n", ":2: a property before the first element");
	refuse(".ply", "ply\nelement vertex 1\nproperty real x\n", ":3: unknown type real");
	refuse(".ply", "ply\nelement a 1\nelement a 1\n", ":3: a second element a");
	refuse(".ply", "ply\nwhat\n", ":2: unknown keyword what in the header");
	refuse(".ply", "ply\nend_header\n", "the header has no format");
	refuse(".ply", "ply\nformat ascii 1.0 x\n", ":2: the header's line has extra words");
	refuse(".ply", "ply\nformat ascii 1.0\nelement vertex 1\nend_header\n",
	       "no vertex with x, y and z");
	refuse(".ply",
	       "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
	       "property float x\nend_header\n",
	       "a second property x");
	refuse(".ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
	       "no vertex with x, y and z");
	refuse(".ply",
	       "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
	       "property float z\nend_header\n1 2 3\n",
	       "no face with vertex_indices");
	refuse(".ply", QUAD, ":15: the file ends at face 0 of 1");
	refuse(".ply", HEADER("ascii", "5", "1") FOUR "3 0 1 2\n", ":16: the file ends at face 0");
	refuse(".ply", HEADER("ascii", "3", "1") FOUR "3 0 1 2\n", ":14: no face has three");
	refuse(".ply", QUAD "3 0 1 4\n", ":15: a face uses vertex 4 of 4");
	refuse(".ply", QUAD "3 0 1 -1\n", "a face uses vertex -1 of 4");
	refuse(".ply", QUAD "3 0 1 1.5\n", "is not an integer: 1.5");
	refuse(".ply", QUAD "2 0 1\n", ":15: no face has three corners (vertices: 4)");
	refuse(".ply", QUAD "1.5 0 1\n", "length of a list is not an integer: 1.5");
	refuse(".ply", QUAD "3 0 1\n", "the line ends where vertex_indices");
	refuse(".ply", HEADER("ascii", "4", "0") FOUR, "no face has three corners (vertices: 4)");
	refuse(".ply", HEADER("ascii", "4", "999999999999") FOUR "3 0 1 2\n",
	       ":16: the file ends at face 1 of 999999999999");
	refuse(".ply", QUAD "259 0 1 2\n", ":15: the line ends where vertex_indices");
	refuse(".ply", QUAD "-253 0 1 2\n", ":15: a list of -253 values");
	refuse(".ply", QUAD "3 0 1 4294967298\n", "a face uses vertex 4294967298 of 4");
	refuse(".ply",
	       "ply\nformat ascii 1.0 \xff"
	       "x\n",
	       ":2: the header's line has extra words");
	refuse(".ply", "ply\nformat ascii 1.0" BLANKS "x\n",
	       ":2: the header's line has extra words");
	refuse(".ply", "ply\nformat ascii 1.0\nelement vertex 4\xff\n",
	       "count is not an integer: 4?");
	refuse(".ply", HEADER("ascii", "1", "1") "0 nan 0\n3 0 0 0\n",
	       "each triangle has a coordinate that is not finite");
}

Test(mesh, invalid_files)
{
	struct gb_error err = { 0 };
	struct lbvh_input mesh;

	cr_assert_eq(gb_mesh_read("/no/such.ply", &mesh, &err), GB_EUSAGE);
	cr_assert(strstr(err.message, "No such file"), "%s", err.message);
}

/* A recorded view belongs to a file name and size.  Other scenes are seen from outside. */
Test(mesh, views)
{
	struct lbvh_input mesh;
	struct gb_view view;

	make("copies", 69451, 1, &mesh);
	lbvh_view_file("some/where/bunny.ply", &mesh, &view);
	cr_assert_eq(view.fov, 40);
	lbvh_view_file("bunny.obj", &mesh, &view);
	cr_assert_eq(view.fov, 45);
	cr_assert_eq(view.target[0], 0.5);
	release(&mesh);
	make("copies", 10, 1, &mesh);
	lbvh_view_file("bunny.ply", &mesh, &view);
	cr_assert_eq(view.fov, 45);
	release(&mesh);
}
