/* trace.c -- images by tiles, streams by batches, and the tree of the CPU traversals. */
#include "cpu/lbvh/shared/trace.h"

#include <string.h>

#include "common/memory.h"
#include "cpu/lbvh/shared/lanes.h"

enum {
	TILE = 16,    /* edge in pixels of the square that a thread takes at a time */
	BATCH = 1024, /* rays of a stream that a thread takes at a time; a multiple of 32 */
};

/* ---- checks and setup --------------------------------------------------------------------- */

enum gb_status lbvh_wants_trace(const void *params, struct gb_error *err)
{
	if (((const struct lbvh_params *)params)->op != LBVH_TRACE)
		return gb_fail(err, GB_EUNAVAILABLE, "this variant only traces: use --op=trace");
	return GB_OK;
}

enum gb_status lbvh_tracer_init(struct lbvh_tracer *tracer, const void *params_, const void *input,
				lbvh_batch_fn *batch, struct gb_error *err)
{
	const struct lbvh_params *params = params_;
	size_t rays;

	tracer->input = input;
	tracer->op = (enum lbvh_op)params->op;
	tracer->batch = batch;
	tracer->threads = lbvh_cpu_threads(params);
	if (tracer->op != LBVH_TRACE)
		return GB_OK;
	if (tracer->input->occlusion) {
		tracer->bits =
			gb_host_alloc(lbvh_bit_words(tracer->input), sizeof *tracer->bits, err);
		gb_memory_result(tracer->bits, GB_WHOLE, GB_POISON);
		return err->code;
	}
	rays = lbvh_ray_count(tracer->input);
	tracer->t = gb_host_alloc(rays, sizeof *tracer->t, err);
	tracer->primitive = gb_host_alloc(rays, sizeof *tracer->primitive, err);
	gb_memory_result(tracer->t, GB_WHOLE, GB_POISON);
	gb_memory_result(tracer->primitive, GB_WHOLE, GB_POISON);
	return err->code;
}

/* ---- the image ---------------------------------------------------------------------------- */

/* An image, shared by all threads. */
struct image {
	const struct lbvh_tracer *tracer;
	const struct lbvh_camera *camera;
	uint32_t edge;
	float *t;
	uint32_t *primitive;
};

/* The rays of four pixels from (x, y) to the right: lbvh_direction(). */
static void make_rays(const struct lbvh_camera *camera, uint32_t x, uint32_t y,
		      struct lbvh_ray ray[4])
{
	const LANES eye = { camera->eye[0], camera->eye[1], camera->eye[2], 0 };
	const LANES along = lanes_all((float)x) + (LANES){ 0, 1, 2, 3 };
	LANES d[4], inverse;

	for (int k = 0; k < 3; k++)
		d[k] = lanes_all(camera->corner[k]) + along * lanes_all(camera->dx[k]) +
		       lanes_all((float)y * camera->dy[k]);
	inverse = 1 / lanes_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
	for (int k = 0; k < 3; k++)
		d[k] *= inverse;
	d[3] = lanes_all(INFINITY);
	lanes_transpose(d);
	for (int i = 0; i < 4; i++) {
		lanes_store(ray[i].origin, eye);
		lanes_store(ray[i].direction, d[i]);
	}
}

/* Trace the rays of a tile, square by square of 4 x 4 pixels. */
static void trace_tile(const struct image *image, uint32_t left, uint32_t top, int thread,
		       struct lbvh_counts *counts)
{
	struct lbvh_ray ray[TILE * TILE];
	uint32_t primitive[TILE * TILE], at[TILE * TILE];
	float t[TILE * TILE];
	struct lbvh_batch batch = { .ray = ray, .t = t, .primitive = primitive };

	for (uint32_t i = 0; i < TILE * TILE; i += 4) {
		const uint32_t x = left + i / 16 * 4 % TILE;
		const uint32_t y = top + i / 16 * 4 / TILE * 4 + i / 4 % 4;

		if (x >= image->edge || y >= image->edge)
			continue;
		/* Rays beyond the image are overwritten by the next ones. */
		make_rays(image->camera, x, y, ray + batch.count);
		for (uint32_t k = x; k < x + 4 && k < image->edge; k++)
			at[batch.count++] = y * image->edge + k;
	}
	image->tracer->batch(image->tracer, thread, &batch, counts);
	for (uint32_t i = 0; i < batch.count; i++) {
		image->t[at[i]] = t[i];
		image->primitive[at[i]] = primitive[i];
	}
}

static struct lbvh_counts trace_image(const struct image *image)
{
	const uint32_t tiles = (image->edge + TILE - 1) / TILE;
	uint64_t nodes = 0, triangles = 0;

#pragma omp parallel for num_threads(image->tracer->threads) schedule(dynamic, 1) \
	reduction(+ : nodes, triangles)
	for (uint32_t i = 0; i < tiles * tiles; i++) {
		struct lbvh_counts counts = { 0, 0 };

		trace_tile(image, i % tiles * TILE, i / tiles * TILE, omp_get_thread_num(),
			   &counts);
		nodes += counts.nodes;
		triangles += counts.triangles;
	}
	return (struct lbvh_counts){ nodes, triangles };
}

/* ---- the stream --------------------------------------------------------------------------- */

static void trace_batch(const struct lbvh_tracer *tracer, size_t first, int thread,
			struct lbvh_counts *counts)
{
	const size_t left = lbvh_ray_count(tracer->input) - first;
	struct lbvh_batch batch = { .ray = tracer->input->ray + first,
				    .count = (uint32_t)(left < BATCH ? left : BATCH) };

	if (tracer->bits) {
		batch.occluded = tracer->bits + first / 32;
		memset(batch.occluded, 0, (batch.count + 31) / 32 * sizeof *batch.occluded);
	} else {
		batch.t = tracer->t + first;
		batch.primitive = tracer->primitive + first;
	}
	tracer->batch(tracer, thread, &batch, counts);
}

static struct lbvh_counts trace_stream(const struct lbvh_tracer *tracer)
{
	const size_t rays = lbvh_ray_count(tracer->input);
	uint64_t nodes = 0, triangles = 0;

#pragma omp parallel for num_threads(tracer->threads) schedule(dynamic, 1) \
	reduction(+ : nodes, triangles)
	for (size_t first = 0; first < rays; first += BATCH) {
		struct lbvh_counts counts = { 0, 0 };

		trace_batch(tracer, first, omp_get_thread_num(), &counts);
		nodes += counts.nodes;
		triangles += counts.triangles;
	}
	return (struct lbvh_counts){ nodes, triangles };
}

/* ---- operations --------------------------------------------------------------------------- */

enum gb_status lbvh_tracer_run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_tracer *tracer = state;
	const struct image image = { tracer, &tracer->input->camera, tracer->input->edge, tracer->t,
				     tracer->primitive };

	tracer->counts = tracer->input->ray ? trace_stream(tracer) : trace_image(&image);
	return GB_OK;
}

enum gb_status lbvh_tracer_download(void *state, void *output, struct gb_error *err)
{
	const struct lbvh_tracer *tracer = state;
	const size_t rays = lbvh_ray_count(tracer->input);

	if (tracer->bits) {
		memcpy(lbvh_trace_bits(output), tracer->bits,
		       lbvh_bit_words(tracer->input) * sizeof *tracer->bits);
		return GB_OK;
	}
	memcpy(lbvh_trace_t(output), tracer->t, rays * sizeof *tracer->t);
	memcpy(lbvh_trace_primitive(tracer->input, output), tracer->primitive,
	       rays * sizeof *tracer->primitive);
	return GB_OK;
}

void lbvh_tracer_metrics(void *state, struct gb_metrics *metrics)
{
	const struct lbvh_tracer *tracer = state;
	const double rays = (double)lbvh_ray_count(tracer->input);

	if (tracer->op != LBVH_TRACE)
		return;
	gb_metric(metrics, "nodes_per_ray", (double)tracer->counts.nodes / rays);
	gb_metric(metrics, "triangles_per_ray", (double)tracer->counts.triangles / rays);
}

void lbvh_tracer_probe(const struct lbvh_tracer *tracer, void *output)
{
	const struct lbvh_input *input = tracer->input;
	struct lbvh_tree_header *header = output;
	const struct image image = { tracer, &input->probe, LBVH_PROBE_EDGE,
				     lbvh_build_probe_t(input, output),
				     lbvh_build_probe_primitive(input, output) };

	header->kind |= LBVH_PROBED;
	(void)trace_image(&image);
}

/* ---- the tree ----------------------------------------------------------------------------- */

static unsigned depth_below(const struct lbvh_node *node, uint32_t root, unsigned level)
{
	unsigned left, right;

	if (node[root].left & LBVH_LEAF || level > LBVH_DEPTH_MAX)
		return level;
	left = depth_below(node, node[root].left, level + 1);
	right = depth_below(node, node[root].right, level + 1);
	return left > right ? left : right;
}

unsigned lbvh_depth(const struct lbvh_node *node)
{
	return depth_below(node, 0, 1);
}

enum gb_status lbvh_tracer_tree(struct lbvh_cpu *cpu, const void *params, const void *input,
				unsigned *depth, struct gb_error *err)
{
	const bool paper = ((const struct lbvh_params *)params)->tree == LBVH_PAPER_TREE;
	const unsigned build = paper ? LBVH_CPU_FASTEST : LBVH_CPU_BEST;

	*depth = 64;
	if (lbvh_cpu_init(cpu, params, input, build, err))
		return err->code;
	if (!gb_memory_is_dry())
		lbvh_cpu_build(cpu, build, NULL);
	lbvh_cpu_drop(cpu);
	if (gb_memory_is_dry())
		return GB_OK;
	*depth = lbvh_depth(cpu->node);
	if (*depth > LBVH_DEPTH_MAX)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "the tree has more than %d levels, the limit of the traversals",
			       LBVH_DEPTH_MAX);
	return GB_OK;
}
