/* test_lbvh.c -- the CUDA builders and traversals of lbvh against the CPU's: trees must match byte
 * for byte, hits bit for bit.  Runs on a GPU or in the PTX executor; without either, skipped.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/lbvh/view.h"
#include "cli/benchmarks/registry.h"
#include "common/lbvh_types.h"
#include "tests/cuda/gpu.h"
#include "tests/scene_number.h"

TestSuite(variants_lbvh, .init = open_gpu);

static const char *const scenes[] = {
	"terrain", "soup", "city", "flat", "points", "copies", "huge"
};

static const struct gb_variant_ops *find(enum gb_backend backend, const char *name)
{
	return find_variant(backend, "lbvh", name)->ops;
}

/* A scene and its input. */
struct work {
	struct lbvh_params params;
	struct lbvh_input *in;
	size_t size; /* size of an output */
};

static struct work prepared(struct lbvh_params params)
{
	struct work w = { .params = params };
	struct gb_error err = { 0 };
	void *input;

	cr_assert_eq(gb_lbvh_benchmark.prepare(&w.params, &input, &err), GB_OK, "%s", err.message);
	w.in = input;
	w.size = gb_lbvh_benchmark.output_size(&w.params, input);
	return w;
}

static struct work set_up(enum lbvh_op op, const char *scene, int64_t primitives)
{
	return prepared((struct lbvh_params){ .op = (int64_t)op,
					      .scene = scene_number(scene),
					      .primitives = primitives,
					      .rays = 41,
					      .threads = 2,
					      .seed = 3 });
}

static struct work set_up_rays(const char *scene, int64_t primitives, int kind, int64_t edge)
{
	return prepared((struct lbvh_params){ .op = LBVH_TRACE,
					      .scene = scene_number(scene),
					      .primitives = primitives,
					      .rays = edge,
					      .rays_kind = kind,
					      .order = kind % 2 ? LBVH_OWN : LBVH_SPATIAL,
					      .threads = 2,
					      .seed = 3 });
}

static void scale(struct lbvh_input *in, float by)
{
	for (size_t i = 0; i < 3 * in->vertex_count; i++)
		in->vertex[i] *= by;
}

static int early_runs = 1;

/* The output of the variant's last run, which must not depend on early ones, of half the scene's
 * size. */
static void *output_of(const struct work *w, const struct gb_variant_ops *ops)
{
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };
	void *output = calloc(w->size, 1);
	void *state;

	cr_assert(output);
	cr_assert_eq(gb_state_create(ops, &w->params, w->in, &state, &err), GB_OK, "%s",
		     err.message);
	for (int k = 0; k < 2; k++) {
		scale(w->in, k ? 2 : 0.5F);
		cr_assert_eq(gb_state_upload(ops, state, &err), GB_OK, "%s", err.message);
		for (int run = k ? 1 : early_runs; run > 0; run--)
			cr_assert_eq(ops->run(state, &timer, &err), GB_OK, "%s", err.message);
	}
	cr_assert_eq(ops->download(state, output, &err), GB_OK, "%s", err.message);
	gb_state_destroy(ops, state);
	return output;
}

/* ---- trees -------------------------------------------------------------------------------- */

/* Compare the trees of both back ends; releases w. */
static void same_bytes_of(const char *builder, const char *scene, struct work *w)
{
	void *cpu = output_of(w, find(GB_CPU, builder));
	void *cuda = output_of(w, find(GB_CUDA, builder));

	cr_assert(memcmp(cpu, cuda, w->size) == 0, "%s, %s of %zu triangles", builder, scene,
		  w->in->count);
	free(cpu);
	free(cuda);
	gb_lbvh_benchmark.release(w->in);
}

static void same_bytes(const char *builder, const char *scene, int64_t primitives)
{
	struct work w = set_up(LBVH_BUILD, scene, primitives);

	same_bytes_of(builder, scene, &w);
}

/* The ranges of leaves determine Karras' numbering, so only one sequence of bytes is correct. */
Test(variants_lbvh, codes_make_one_tree)
{
	static const char *const builders[] = { "karras-bitonic", "karras-radix", "karras32",
						"apetrei" };

	for (size_t b = 0; b < GB_COUNT(builders); b++) {
		for (size_t s = 0; s < GB_COUNT(scenes); s++)
			same_bytes(builders[b], scenes[s], 1500);
		for (int64_t n = 1; n <= 4; n++)
			same_bytes(builders[b], "soup", n);
	}
}

/* Give each triangle separate corners, at 0. */
static void own_corners(struct lbvh_input *in)
{
	struct gb_error err = { 0 };

	gb_host_free(in->vertex);
	gb_memory_own(in);
	in->vertex = gb_host_zalloc(9 * in->count + 4, sizeof *in->vertex, &err);
	gb_memory_own(NULL);
	cr_assert(in->vertex);
	in->vertex_count = 3 * in->count;
	for (size_t i = 0; i < 3 * in->count; i++)
		in->triangle[i] = (uint32_t)i;
}

/* Make triangle i a point in the middle of the cell with this code, if points mark both ends of the
 * grid. */
static void put_into_cell(struct lbvh_input *in, size_t i, uint32_t code)
{
	uint32_t cell[3] = { 0 };

	for (unsigned bit = 0; bit < 30; bit++)
		cell[2 - bit % 3] |= (code >> bit & 1) << bit / 3;
	for (size_t k = 0; k < 9; k++)
		in->vertex[9 * i + k] = (float)cell[k % 3];
}

/* A subtree that grows leaf by leaf past the end of a block of apetrei: cells 0 to `dense` - 1 are
 * occupied, then 2^8, 2^9 ...; mirrored codes do the same from the other side.  A single leaf is
 * joined with a subtree of another block, whose first leaf is the last candidate split. */
static void check_stairs(uint32_t dense, uint32_t filler, bool mirrored)
{
	const uint32_t last = (UINT32_C(1) << 30) - 1, steps = 20, count = dense + steps + filler;
	struct work w = set_up(LBVH_BUILD, "soup", count);

	own_corners(w.in);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t code = i < dense           ? i
				      : i < dense + steps ? UINT32_C(1) << (8 + i - dense)
							  : last - (i - dense - steps);

		put_into_cell(w.in, i, mirrored ? last - code : code);
	}
	same_bytes_of("apetrei", "stairs", &w);
}

Test(variants_lbvh, leaves_alone_at_borders)
{
	check_stairs(230, 40, false);
	check_stairs(250, 198, true);
}

/* Build and verify; releases w. */
static void check_build(enum gb_backend backend, const char *builder, struct work *w)
{
	struct gb_metrics metrics = { 0 };
	struct gb_error err = { 0 };
	void *output = output_of(w, find(backend, builder));

	cr_assert_eq(gb_lbvh_benchmark.verify(&w->params, w->in, 0, output, &metrics, &err), GB_OK,
		     "%s, %zu triangles: %s", builder, w->in->count, err.message);
	/* At most four triangles per leaf, eight children per node. */
	cr_assert(((const struct lbvh_tree_header *)output)->nodes >= w->in->count / 32,
		  "%s makes too few nodes", builder);
	free(output);
	gb_lbvh_benchmark.release(w->in);
}

/* All but two triangles, which mark the ends of the box, are in a cell of 2^-15 of it, in an order
 * that is not theirs along the curve.  Words of 63-bit codes agree in all the bits that are sorted:
 * a run that a warp, a block or the whole grid puts in order. */
static void check_cluster(uint32_t count)
{
	struct work w = set_up(LBVH_BUILD, "soup", count + 2);

	own_corners(w.in);
	for (uint32_t i = 0; i < 9 * (count + 2); i++) {
		const uint32_t cell = i / 9 * 2654435761U >> 16;

		w.in->vertex[i] = i / 9 == count       ? 0
				  : i / 9 == count + 1 ? 1
						       : (float)(cell >> i % 3 * 5 & 31) * 0x1p-20F;
	}
	check_build(GB_CUDA, "ploc", &w);
}

Test(variants_lbvh, codes_that_share_the_sorted_bits)
{
	check_cluster(30);
	check_cluster(700);
	check_cluster(4500);
}

/* Make all triangles points on one line: no node has an area, but a wide tree still has inner
 * nodes. */
static void put_on_a_line(struct lbvh_input *in)
{
	own_corners(in);
	for (size_t i = 0; i < 3 * in->count; i++) {
		in->vertex[3 * i] = (float)(i / 3 * 37 % in->count);
		in->vertex[3 * i + 1] = in->vertex[3 * i + 2] = 0.5F;
	}
}

Test(variants_lbvh, nodes_without_area)
{
	static const char *const builders[] = { "karras-bitonic", "karras-radix", "karras32",
						"apetrei",        "ploc",         "wide" };

	for (size_t b = 0; b < GB_COUNT(builders); b++)
		for (int backend = GB_CPU; backend <= GB_CUDA; backend++) {
			struct work w = set_up(LBVH_BUILD, "soup", 900);

			put_on_a_line(w.in);
			check_build((enum gb_backend)backend, builders[b], &w);
		}
}

/* ---- hits --------------------------------------------------------------------------------- */

/* Compare the output of each traversal with the CPU's. */
static void same_hits(const struct work *w)
{
	static const char *const traversals[] = { "stack", "stack2", "wide" };
	void *cpu = output_of(w, find(GB_CPU, "stack"));

	for (size_t v = 0; v < GB_COUNT(traversals); v++) {
		void *cuda = output_of(w, find(GB_CUDA, traversals[v]));
		const float *eye = w->in->camera.eye;

		cr_assert(memcmp(cpu, cuda, w->size) == 0, "%s, %s, rays %d, eye %g %g %g",
			  traversals[v], gb_scene_names[w->params.scene], (int)w->params.rays_kind,
			  eye[0], eye[1], eye[2]);
		free(cuda);
	}
	free(cpu);
}

/* For every tree, each ray ends at the same distance on the same triangle.  Streams have lengths
 * that end within a warp or a block. */
Test(variants_lbvh, traversals_find_the_same_hits)
{
	for (size_t s = 0; s < GB_COUNT(scenes); s++)
		for (int kind = LBVH_PRIMARY; kind < LBVH_KINDS; kind++) {
			struct work w = kind == LBVH_PRIMARY ? set_up(LBVH_TRACE, scenes[s], 1500)
							     : set_up_rays(scenes[s], 700, kind,
									   5 + (int64_t)s * 3);

			same_hits(&w);
			gb_lbvh_benchmark.release(w.in);
		}
}

/* If emulated, a device of four blocks, whose warps take incoherent rays from the queue of `wide`:
 * more than they hold, and a number that ends within a warp.  If a launch did not clear the queue's
 * counter, each later one would lose one warp more, and the last all 16. */
Test(variants_lbvh_queue, no_ray_is_lost)
{
	(void)setenv("GPUBENCH_PTX_SMS", "1", 1);
	(void)setenv("GPUBENCH_PTX_SM_BLOCKS", "4", 1);
	open_gpu();
	early_runs = 16;
	for (int kind = LBVH_AMBIENT; kind < LBVH_KINDS; kind++)
		for (int64_t edge = 1; edge < 40; edge += 28) {
			struct work w = set_up_rays("soup", 100, kind, edge);

			same_bytes_of("wide", "queue", &w);
		}
}

/* ---- difficult rays for slab tests ----------------------------------------------------------- */

/* Write an OBJ file of a square lattice of triangles in the plane x = 0, with corners at multiples
 * of `unit`. */
static void write_lattice(const char *path, double unit)
{
	enum { SIDE = 8 };
	FILE *file = fopen(path, "w");

	cr_assert(file);
	for (int y = 0; y <= SIDE; y++)
		for (int x = 0; x <= SIDE; x++)
			fprintf(file, "v 0 %.0f %.0f\n", unit * (x - SIDE / 2),
				unit * (y - SIDE / 2));
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			const int a = y * (SIDE + 1) + x + 1, b = a + SIDE + 1;

			fprintf(file, "f %d %d %d %d\n", a, a + 1, b + 1, b);
		}
	cr_assert_eq(fclose(file), 0);
}

/* Directions with components of 0 from points on the planes of boxes: if 0 * INFINITY is NaN, the
 * plane does not bound the ray.  The expected hits are the CPU's, from tests of every triangle. */
static void look_along_planes(double unit)
{
	static const double eyes[][3] = { { 5, 0, 0 }, { -2, 1, 2 }, { 0, 0, 0 } };
	static const double ahead[][3] = { { -1, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
	char path[64];

	snprintf(path, sizeof path, "/tmp/gpubench-lattice-%d.obj", (int)getpid());
	write_lattice(path, unit);
	struct work w = prepared((struct lbvh_params){
		.op = LBVH_TRACE, .file = path, .rays = 41, .threads = 2, .seed = 3 });

	unlink(path);
	for (size_t e = 0; e < GB_COUNT(eyes); e++)
		for (size_t a = 0; a < GB_COUNT(ahead); a++) {
			struct gb_view view = { .up = { 0, 0, 1 }, .fov = 60 };

			for (int k = 0; k < 3; k++) {
				view.eye[k] = unit * eyes[e][k];
				view.target[k] = unit * (eyes[e][k] + ahead[a][k]);
			}
			w.in->camera = lbvh_camera_of(&view, w.in->edge);
			same_hits(&w);
		}
	gb_lbvh_benchmark.release(w.in);
}

/* Far planes overflow for beams along an axis if the unit is large. */
Test(variants_lbvh, rays_in_the_planes_of_boxes)
{
	static const double units[] = { 1, 0x1p20, 0x1p24, 0x1p30 };

	for (size_t i = 0; i < GB_COUNT(units); i++)
		look_along_planes(units[i]);
}
