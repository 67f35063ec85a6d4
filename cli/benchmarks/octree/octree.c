/* octree.c -- the octree benchmark: build a sparse octree over bodies.
 *
 * An input and a bucket size determine the tree uniquely (common/octree_types.h).  prepare()
 * computes its shape from sorted keys (octree_reference.c).  Verification walks the result and compares
 * its structural hash (octree_verify.c).  The number of nodes also sets the size of the builders' node
 * pools.
 *
 * Cordeiro & Zola do not state whether their times include the box, the clearing of nodes and
 * allocation.  Here `time` is all of run(), from positions to the finished tree.  The phase
 * `insert` is insertion alone; `repro` compares it with the paper's throughput.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/benchmarks/octree/octree_reference.h"
#include "cli/benchmarks/registry.h"
#include "common/memory.h"
#include "common/octree_types.h"
#include "common/text.h"
#include "datasets/bodies/bodies.h"

/* ---- parameters -------------------------------------------------------------------------- */

GB_WORDS(distributions, OCTREE_DISTRIBUTIONS, "plummer", "cube", "uniform", "clustered",
	 "coincident", "pairs");
GB_WORDS(orders, OCTREE_ORDERS, "own", "random", "spatial");

#define AT(type, member) GB_AT(type, struct octree_params, member)
static const struct gb_param params[] = {
	{ .name = "count",
	  AT(GB_INT, count),
	  .initial = "1M",
	  .max = OCTREE_MAX_COUNT,
	  .yields_to = "file",
	  .unit = "bodies",
	  .help = "number of bodies to insert; with --file, read at most this many (all if not "
		  "given or 0)" },
	{ .name = "distribution",
	  AT(GB_CHOICE, distribution),
	  .initial = "plummer",
	  .choices = distributions,
	  .only = "!file",
	  .help = "distribution of generated bodies; pairs: close pairs, for the deepest tree" },
	{ .name = "order",
	  AT(GB_CHOICE, order),
	  .initial = "own",
	  .choices = orders,
	  .help = "memory order of the bodies; own: as generated (cube, mesh: spatial, others: "
		  "random) or read; spatial: sorted by key" },
	{ .name = "bucket",
	  AT(GB_INT, bucket),
	  .initial = "1",
	  .min = 1,
	  .max = OCTREE_MAX_BUCKET,
	  .unit = "bodies",
	  .help = "maximum number of bodies per leaf" },
	{ .name = "file",
	  AT(GB_PATH, file),
	  .help = "read positions from this file: text, .npy, PLY or raw float32" },
	GB_COMMON_PARAMS(struct octree_params),
};
#undef AT

/* ---- sweeps: each line holds the arguments of `gpubench octree` --------------------------- */

/* Sizes around those of warps and blocks; every distribution and order, several bucket sizes; more
 * than one tile. */
static const char *const check[] = {
	"--count=0,1,2,3,8,31,32,33,255,256,257,1000 --distribution=plummer,cube,pairs",
	"--count=1500 --distribution=plummer,cube,uniform --order=own,random,spatial "
	"--bucket=1,16,32",
	"--count=1500 --distribution=clustered,coincident,pairs --order=own,random "
	"--bucket=1,16,32",
	"--count=17,70,513 --distribution=uniform,coincident --bucket=2,16,32",
	"--count=20011 --distribution=plummer,cube --bucket=1,16",
	NULL,
};

static const char *const quick[] = {
	"cpu/lf cpu/morton cuda/lf cuda/morton --count=500k --distribution=plummer,cube",
	NULL,
};

/* The paper's distributions; others; the bucket sizes that other papers use. */
static const char *const ci[] = {
	"--count=1M --distribution=plummer,cube",
	"--count=200k --distribution=uniform,clustered,coincident,pairs",
	"--count=500k --distribution=plummer --bucket=16,32",
	NULL,
};

/* The paper's sizes and distributions: Plummer in random order, cube in spatial order. */
static const char *const paper[] = {
	"--count=1M,2M,4M,8M,16M --distribution=plummer,cube",
	NULL,
};

static const char *const large[] = {
	"--count=4M,16M --distribution=plummer --bucket=1,16,32",
	"--count=4M --distribution=uniform,clustered",
	"!cpu/* --count=64M --distribution=plummer,cube --bucket=1,16,32",
	NULL,
};

/* ---- input ------------------------------------------------------------------------------- */

/* Read or generate the positions.  A dry run only allocates them. */
static enum gb_status make_bodies(struct octree_input *in, const struct octree_params *p,
				  struct gb_error *err)
{
	if (p->file)
		return gb_bodies_read(p->file, (size_t)p->count, in, err);
	in->count = (size_t)p->count;
	in->x = gb_host_alloc(in->count, sizeof *in->x, err);
	in->y = gb_host_alloc(in->count, sizeof *in->y, err);
	in->z = gb_host_alloc(in->count, sizeof *in->z, err);
	if (!err->code && !gb_memory_is_dry())
		gb_bodies_fill(in, (enum octree_distribution)p->distribution, (uint64_t)p->seed);
	return err->code;
}

/* Shuffle the bodies if --order=random. */
static void shuffle(struct octree_input *in, const struct octree_params *p, struct gb_error *err)
{
	if (p->order == OCTREE_RANDOM && !gb_memory_is_dry())
		(void)gb_bodies_shuffle(in, (uint64_t)p->seed, err);
}

/* An estimate of the nodes per body for a dry run, from the metric `nodes` of 1 M bodies and a
 * bucket of 1. */
static double usual_nodes(const struct octree_params *p)
{
	static const double share[] = { 0.48, 0.29, 0.3, 0.5, 0, 7.7 };

	_Static_assert(GB_COUNT(share) == OCTREE_DISTRIBUTIONS, "a share for each distribution");
	return p->file ? 1 : share[p->distribution] / (p->bucket > 4 ? 4 : (double)p->bucket);
}

/* Set the number of nodes that builders may allocate. */
static enum gb_status size_pool(struct octree_input *in, struct gb_error *err)
{
	const size_t most = INT32_MAX;
	const size_t slack = in->count < OCTREE_SLACK ? in->count : OCTREE_SLACK;

	in->pool = in->tree.nodes + slack;
	if (in->pool <= most)
		return GB_OK;
	return gb_fail(err, GB_EUNAVAILABLE,
		       "%zu nodes for %zu bodies: at most %zu nodes can be numbered", in->pool,
		       in->count, most);
}

/* Compute the shape of the tree and allocate the verifier. */
static enum gb_status make_reference(struct octree_input *in, const struct octree_params *p,
				     struct gb_error *err)
{
	struct octree_verifier *verifier = gb_host_zalloc(1, sizeof *verifier, err);

	in->verifier = verifier;
	if (!verifier)
		return err->code;
	if (gb_memory_is_dry())
		in->tree.nodes = 1 + (size_t)(usual_nodes(p) * (double)in->count);
	else if (octree_reference(in, p->order == OCTREE_SPATIAL, &verifier->box, err))
		return err->code;
	if (size_pool(in, err))
		return err->code;
	verifier->node_seen = gb_host_alloc(octree_seen_bytes(in->pool), 1, err);
	verifier->body_seen = gb_host_alloc(octree_seen_bytes(in->count), 1, err);
	return err->code;
}

static enum gb_status prepare(const void *params_, void **input, struct gb_error *err)
{
	const struct octree_params *p = params_;
	struct octree_input *in = gb_input_begin(sizeof *in, err);

	if (in) {
		in->bucket = (int)p->bucket;
		if (!make_bodies(in, p, err))
			shuffle(in, p, err);
		if (!err->code)
			(void)make_reference(in, p, err);
	}
	return gb_input_end(in, input, err);
}

static size_t output_size(const void *params_, const void *input)
{
	return octree_output_size(input);
}

/* ---- verification ------------------------------------------------------------------------ */

static enum gb_status verify(const void *params_, const void *input, int64_t sample,
			     const void *output, struct gb_metrics *metrics, struct gb_error *err)
{
	const struct octree_output *out = output;
	struct octree_shape found;

	if (octree_verify(input, out, &found, err))
		return err->code;
	gb_metric(metrics, "nodes", (double)found.nodes);
	gb_metric(metrics, "leaves", (double)found.leaves);
	gb_metric(metrics, "max_depth", found.max_depth);
	gb_metric(metrics, "mean_depth", found.mean_depth);
	gb_metric(metrics, "pool_nodes", (double)out->rows);
	gb_metric_hash(metrics, "structural_hash", found.hash);
	return GB_OK;
}

/* ---- the benchmark ------------------------------------------------------------------------ */

/* Compulsory traffic: read the positions, write the child array of every node. */
static struct gb_work work(const void *params_, const void *input)
{
	const struct octree_input *in = input;

	return (struct gb_work){ .items = (double)in->count,
				 .bytes = 12 * (double)in->count + 32 * (double)in->tree.nodes,
				 .read = 12 * (double)in->count };
}

static const char *excluded(const void *params_)
{
	return "size of the pool from the known number of nodes";
}

const struct gb_benchmark gb_octree_benchmark = {
	.name = "octree",
	.summary = "build a sparse octree over bodies",
	.paper = "Cordeiro, Zola. Parallel lock-free construction of sparse octrees on GPU "
		 "(OctreeBuild-LF). Universidade Federal do Parana, 2024 (in Portuguese)",
	.item = "bodies",
	.params = params,
	.param_count = GB_COUNT(params),
	.params_size = sizeof(struct octree_params),
	.check = check,
	.preset = { [GB_QUICK] = quick, [GB_CI] = ci, [GB_PAPER] = paper, [GB_LARGE] = large },
	.prepare = prepare,
	.output_size = output_size,
	.verify = verify,
	.verify_method = "structural hash of the walked tree (cells of nodes, leaf of every body) "
			 "against one from sorted keys; every body once, bucket kept",
	.work = work,
	.excluded = excluded,
	.release = gb_input_release,
};
