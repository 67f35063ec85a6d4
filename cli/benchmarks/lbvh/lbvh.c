/* lbvh.c -- the lbvh benchmark: build a bounding volume hierarchy over the triangles of a scene
 * (--op=build), or trace the rays of an image or a stream through one (--op=trace).
 *
 * verify.c verifies a tree node by node; hits.c verifies hits ray by ray.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/lbvh/hits.h"
#include "cli/benchmarks/lbvh/image.h"
#include "cli/benchmarks/lbvh/lbvh_reference.h"
#include "cli/benchmarks/lbvh/rays.h"
#include "cli/benchmarks/lbvh/view.h"
#include "cli/benchmarks/registry.h"
#include "common/lbvh_types.h"
#include "common/memory.h"
#include "common/text.h"
#include "datasets/mesh/mesh.h"
#include "datasets/mesh/scene.h"

/* ---- parameters -------------------------------------------------------------------------- */

GB_WORDS(ops, LBVH_OPS, "build", "trace");
GB_WORDS(trees, LBVH_TREES, "best", "paper");
GB_WORDS(kinds, LBVH_KINDS, "primary", "shadow", "ambient", "random", "bounce");
GB_WORDS(orders, LBVH_ORDERS, "own", "spatial");
GB_WORDS(calls, LBVH_CALLS, "all", "1", "16");

#define AT(type, member) GB_AT(type, struct lbvh_params, member)
static const struct gb_param params[] = {
	{ .name = "op",
	  AT(GB_CHOICE, op),
	  .initial = "build",
	  .choices = ops,
	  .help = "operation: build a tree, or trace rays through one" },
	{ .name = "scene",
	  AT(GB_CHOICE, scene),
	  .initial = "terrain",
	  .choices = gb_scene_names,
	  .only = "!file",
	  .help = "generated scene" },
	{ .name = "count",
	  AT(GB_INT, primitives),
	  .initial = "0",
	  .max = LBVH_PRIMITIVES_MAX,
	  .unit = "triangles",
	  .only = "!file",
	  .help = "number of triangles in a generated scene (0: the scene's default)" },
	{ .name = "file",
	  AT(GB_PATH, file),
	  .help = "read the triangles from this PLY, STL or OBJ file" },
	{ .name = "rays",
	  AT(GB_INT, rays),
	  .initial = "2048",
	  .min = 1,
	  .max = 1 << 14,
	  .unit = "pixels",
	  .help = "edge of the traced image in pixels; the number of rays is its square, for "
		  "every --rays-kind" },
	{ .name = "tree",
	  AT(GB_CHOICE, tree),
	  .initial = "best",
	  .choices = trees,
	  .help = "with --op=trace: trace the best tree of the back end, or the paper's, with "
		  "30-bit codes (Embree's variants build their own)" },
	{ .name = "write",
	  AT(GB_PATH, image),
	  .written = true,
	  .help = "with --op=trace: write the image to this .png or .ppm file" },
	{ .name = "rays-kind",
	  AT(GB_CHOICE, rays_kind),
	  .initial = "primary",
	  .choices = kinds,
	  .help = "with --op=trace: kind of rays; primary: from the camera; shadow, ambient, "
		  "bounce: from the surfaces it sees; random: anywhere in the scene; shadow and "
		  "ambient ask for any hit, others for the nearest" },
	{ .name = "order",
	  AT(GB_CHOICE, order),
	  .initial = "own",
	  .keyed = "own",
	  .choices = orders,
	  .help = "with --op=trace: memory order of the rays; own: as generated; spatial: sorted "
		  "by direction and origin" },
	{ .name = "rays-per-call",
	  AT(GB_CHOICE, rays_per_call),
	  .initial = "all",
	  .keyed = "all",
	  .choices = calls,
	  .backends = 1U << GB_CPU,
	  .variant = "wide",
	  .only = "op=trace",
	  .help = "with --op=trace: rays that a call traces: all that a thread takes at a time, 1 "
		  "as in embree, or 16 as in embree16" },
	GB_COMMON_PARAMS(struct lbvh_params),
};
#undef AT

/* ---- sweeps: each line holds the arguments of `gpubench lbvh` ----------------------------- */

/* Sizes around those of warps and blocks; then every scene, degenerate ones included, at sizes of
 * several blocks and tiles. */
static const char *const check[] = {
	"--scene=soup --count=1,2,3,31,32,33,64,65,255,256,257,1023,1025",
	("--scene=terrain,knot,flake,soup,city,hall,teapot,flat,points,copies,huge "
	 "--count=2501"),
	"--scene=points,copies --count=1,2,33",
	"--op=trace --scene=soup --count=1,2,3,33,257 --rays=64",
	("--op=trace --scene=terrain,knot,flake,soup,city,hall,teapot,flat,points,copies,huge "
	 "--count=3001 --rays=64"),
	"--op=trace --scene=knot --count=1000 --rays=1,7,8,9,17",
	"--op=trace --tree=paper --scene=soup,copies,city --count=1,2,1500 --rays=33",
	("--op=trace --rays-kind=shadow,ambient,random,bounce --scene=soup --count=1,700 "
	 "--rays=33"),
	("--op=trace --rays-kind=shadow,ambient,random,bounce "
	 "--scene=terrain,flake,city,points,huge "
	 "--count=1500 --rays=33 --order=spatial"),
	"--op=trace --order=spatial --scene=knot --count=1000 --rays=1,17",
	("cpu/wide --op=trace --rays-per-call=1,16 --rays-kind=primary,shadow,random "
	 "--scene=soup,city "
	 "--count=1,1500 --rays=33"),
	NULL,
};

static const char *const quick[] = {
	("cpu/karras-bitonic cpu/apetrei cpu/embree cuda/karras-bitonic cuda/apetrei "
	 "vulkan/driver-rt --scene=terrain --count=100k"),
	("cpu/stack2 cpu/wide cpu/embree cuda/stack2 cuda/wide vulkan/driver-rt "
	 "--op=trace --scene=teapot --rays=256"),
	NULL,
};

/* Sizes in cache and in memory; several scenes; coherent and incoherent rays. */
static const char *const ci[] = {
	"--scene=teapot",
	"--scene=terrain,city,flake --count=200k",
	"--scene=terrain --count=1M",
	"--op=trace --scene=teapot --rays=1024",
	"--op=trace --scene=terrain,city --count=200k --rays=512",
	"--op=trace --rays-kind=shadow,bounce --scene=terrain --count=200k --rays=512",
	NULL,
};

/* The sizes of the paper's scenes (teapot, sponza, bunny, cry-sponza, dragon, car) with 2048 x 2048
 * rays. */
static const char *const paper[] = {
	"--op=build,trace --scene=teapot --count=25600",
	"--op=build,trace --scene=hall --count=66k,243k",
	"--op=build,trace --scene=knot --count=144k,871k",
	"--op=build,trace --scene=flake --count=1600k",
	NULL,
};

/* Builds up to 30M triangles; every kind of ray at 2048 x 2048, through both trees. */
static const char *const large[] = {
	"--scene=terrain,city --count=1M,4M",
	"!cpu/* --scene=terrain,city,soup --count=10M,30M",
	("!cpu/* --op=trace --rays-kind=primary,shadow,ambient,random,bounce --tree=best,paper "
	 "--scene=terrain,city,knot --count=1M"),
	NULL,
};

/* ---- input ------------------------------------------------------------------------------- */

static enum gb_status make_mesh(const struct lbvh_params *p, struct lbvh_input *in,
				struct gb_error *err)
{
	struct gb_view view;

	if (!p->file)
		(void)gb_scene_make((size_t)p->scene, (size_t)p->primitives, (uint64_t)p->seed, in,
				    &view, err);
	else if (!gb_mesh_read(p->file, in, err))
		lbvh_view_file(p->file, in, &view);
	if (err->code)
		return err->code;
	in->edge = (uint32_t)p->rays;
	in->camera = lbvh_camera_of(&view, in->edge);
	in->probe = lbvh_camera_of(&view, LBVH_PROBE_EDGE);
	return GB_OK;
}

static enum gb_status check_image(const struct lbvh_params *p, struct gb_error *err)
{
	if (p->image && p->op != LBVH_TRACE)
		return gb_fail(err, GB_EUSAGE, "--write needs --op=trace: a build has no picture");
	if (p->image && lbvh_rays_wanted(p))
		return gb_fail(err, GB_EUSAGE,
			       "--write needs primary rays in their own order: --rays-kind=%s "
			       "--order=%s are no picture",
			       kinds[p->rays_kind], orders[p->order]);
	return p->image ? gb_image_check(p->image, err) : GB_OK;
}

static enum gb_status prepare(const void *params_, void **input, struct gb_error *err)
{
	const struct lbvh_params *p = params_;
	struct lbvh_input *in = gb_input_begin(sizeof *in, err);

	if (in && !check_image(p, err) && !make_mesh(p, in, err) &&
	    !lbvh_reference_create(in, p->op == LBVH_TRACE, err) && lbvh_rays_wanted(p))
		lbvh_rays_make(in, p, err);
	return gb_input_end(in, input, err);
}

static size_t output_size(const void *params_, const void *input)
{
	const struct lbvh_params *p = params_;

	return p->op == LBVH_TRACE ? lbvh_trace_size(input) : lbvh_build_size(input);
}

/* ---- the picture -------------------------------------------------------------------------- */

/* The colour of a hit: the direction of the normal, brighter if it faces the eye. */
static void shade(const struct lbvh_input *in, uint32_t primitive, const float direction[3],
		  unsigned char rgb[3])
{
	double e1[3], e2[3], n[3], length = 0, facing = 0;

	lbvh_edges(in, primitive, e1, e2, n);
	for (int k = 0; k < 3; k++) {
		length += n[k] * n[k];
		facing -= n[k] * (double)direction[k];
	}
	length = length > 0 ? sqrt(length) : 1;
	for (int k = 0; k < 3; k++) {
		const double toward = (facing < 0 ? -n[k] : n[k]) / length;

		rgb[k] = (unsigned char)((0.35 + 0.65 * fabs(facing) / length) *
					 (127.5 + 127.5 * toward));
	}
}

static const unsigned char NO_TRIANGLE[3] = { 255, 0, 255 };

/* Draw the primitives that the rays hit, right or wrong. */
static enum gb_status draw(const struct lbvh_input *in, const void *output, const char *path,
			   struct gb_error *err)
{
	const size_t rays = (size_t)in->edge * in->edge;
	const uint32_t *primitive = (const uint32_t *)output + rays;
	unsigned char *rgb = calloc(rays, 3);
	enum gb_status status;

	if (!rgb)
		return gb_out_of_memory(err, "the picture");
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < rays; i++) {
		float direction[3];

		if (primitive[i] == LBVH_MISS)
			continue;
		if (primitive[i] >= in->count) {
			memcpy(rgb + 3 * i, NO_TRIANGLE, sizeof NO_TRIANGLE);
			continue;
		}
		lbvh_direction(&in->camera, (uint32_t)(i % in->edge), (uint32_t)(i / in->edge),
			       direction);
		shade(in, primitive[i], direction, rgb + 3 * i);
	}
	status = gb_image_write(path, rgb, in->edge, in->edge, err);
	free(rgb);
	return status;
}

/* ---- verification ------------------------------------------------------------------------ */

static enum gb_status verify(const void *params_, const void *input, int64_t sample,
			     const void *output, struct gb_metrics *metrics, struct gb_error *err)
{
	const struct lbvh_params *p = params_;
	const struct lbvh_input *in = input;

	/* The parameters have the size of a generated scene only. */
	if (p->file)
		gb_metric(metrics, "triangles", (double)in->count);
	if (p->op == LBVH_BUILD)
		return lbvh_verify_build(in, output, metrics, err);
	/* Draw before verifying: the image of a wrong result shows the faults. */
	if (p->image && draw(in, output, p->image, err))
		return err->code;
	return lbvh_verify_trace(in, output, metrics, err);
}

/* ---- the benchmark ------------------------------------------------------------------------ */

/* The items are triangles of a build or rays of a trace.  The bytes are the mesh and a stream's
 * rays (read), and the nodes and index of a tree with one triangle per leaf, or the hits or bits
 * (written). */
static struct gb_work work(const void *params_, const void *input)
{
	const struct lbvh_params *p = params_;
	const struct lbvh_input *in = input;
	const double mesh = 12 * ((double)in->vertex_count + (double)in->count);
	const double rays = (double)in->edge * in->edge;
	const double each = in->ray ? (double)sizeof *in->ray : 0;

	if (p->op == LBVH_TRACE)
		return (struct gb_work){ .items = rays,
					 .unit = "rays",
					 .bytes = mesh + each * rays + (double)lbvh_trace_size(in) -
						  4,
					 .read = each * rays };
	return (struct gb_work){ .items = (double)in->count,
				 .unit = "triangles",
				 .bytes = mesh + (2 * sizeof(struct lbvh_node) + sizeof(uint32_t)) *
							 (double)in->count,
				 .read = mesh };
}

static const char *excluded(const void *params_)
{
	const struct lbvh_params *p = params_;

	if (p->op != LBVH_TRACE)
		return NULL;
	if (!lbvh_rays_wanted(p))
		return "building of the tree";
	return p->order == LBVH_SPATIAL ? "building of the tree; making and sorting of the rays"
					: "building of the tree; making of the rays";
}

const struct gb_benchmark gb_lbvh_benchmark = {
	.name = "lbvh",
	.summary = "build a bounding volume hierarchy, or trace rays through one",
	.paper =
		"Frolov, Galaktionov. A no-API approach to massive-parallel architectures. Keldysh "
		"Institute of Applied Mathematics, preprint 58, 2023 (in Russian)",
	.item = "items",
	.params = params,
	.param_count = GB_COUNT(params),
	.params_size = sizeof(struct lbvh_params),
	.check = check,
	.preset = { [GB_QUICK] = quick, [GB_CI] = ci, [GB_PAPER] = paper, [GB_LARGE] = large },
	.prepare = prepare,
	.output_size = output_size,
	.verify = verify,
	.verify_method =
		"build: every node and primitive once, boxes exact, probe rays; trace: every "
		"ray against the nearest of all triangles",
	.work = work,
	.excluded = excluded,
	.release = gb_input_release,
};
