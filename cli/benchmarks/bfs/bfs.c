/* bfs.c -- the bfs benchmark: distances and parents from one source at a time, or from a batch of
 * sources at once.
 *
 * Traversed edges per second (TEPS) is the sum of the out-degrees of all reached vertices, divided
 * by the time of the search.  Parallel edges and self-loops count as often as they are stored, so
 * an undirected graph counts each edge twice, once from either end.  Graph500 counts each
 * undirected edge once; the metric graph500_edges does the same.  Rates of several sources are
 * averaged by the harmonic mean.  The edges of a batch are the sum over its searches, and its time
 * is the time of the whole batch.  A search that stops early does not read every edge it is
 * credited with; the metric touched_bytes reports the bytes it did read.
 */
#include <math.h>

#include "cli/benchmarks/bfs/bfs_reference.h"
#include "cli/benchmarks/bfs/write.h"
#include "cli/benchmarks/registry.h"
#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/graph.h"

/* ---- parameters -------------------------------------------------------------------------- */

GB_WORDS(graphs, BFS_GRAPHS, "gnp", "kronecker", "uniform", "grid");
GB_WORDS(outputs, BFS_OUTPUTS, "dist", "parent", "both");

#define AT(type, member) GB_AT(type, struct bfs_params, member)
static const struct gb_param params[] = {
	{ .name = "graph",
	  AT(GB_CHOICE, graph),
	  .initial = "gnp",
	  .choices = graphs,
	  .only = "!file",
	  .help = "generated graph; gnp: each ordered pair is an edge with probability p; "
		  "kronecker (R-MAT), uniform, grid: undirected" },
	{ .name = "vertices",
	  AT(GB_INT, vertices),
	  .initial = "16Ki",
	  .min = 1,
	  .max = INT64_C(1) << 30,
	  .unit = "vertices",
	  .only = "!file",
	  .help = "vertices of a gnp (at most 64Ki), uniform or grid graph" },
	{ .name = "p",
	  AT(GB_FLOAT, p),
	  .initial = "0.05",
	  .high = 1,
	  .only = "!file",
	  .help = "edge probability of gnp" },
	{ .name = "scale",
	  AT(GB_INT, scale),
	  .initial = "16",
	  .min = 1,
	  .max = 30,
	  .only = "!file",
	  .help = "log2 of the number of vertices of kronecker" },
	{ .name = "edgefactor",
	  AT(GB_INT, edgefactor),
	  .initial = "16",
	  .min = 1,
	  .max = 1024,
	  .only = "!file",
	  .help = "undirected edges per vertex drawn for kronecker and uniform" },
	{ .name = "file",
	  AT(GB_PATH, file),
	  .help = "read the graph from a file: an edge list, Matrix Market, DIMACS, METIS or "
		  "GAPBS (see gpubench help files)" },
	{ .name = "write",
	  AT(GB_PATH, write),
	  .written = true,
	  .help = "write the graph to a .sg or .el file for use by other programs" },
	{ .name = "sources",
	  AT(GB_INT, sources),
	  .initial = "64",
	  .min = 1,
	  .max = 1 << 20,
	  .unit = "sources",
	  .help = "number of distinct source vertices, one per sample; every source has "
		  "out-edges" },
	{ .name = "batch",
	  AT(GB_INT, batch),
	  .initial = "1",
	  .min = 1,
	  .max = BFS_BATCH,
	  .unit = "sources",
	  .keyed = "1",
	  .help = "sources searched together in one run, taken cyclically (batch variants only)" },
	{ .name = "result",
	  AT(GB_CHOICE, output),
	  .initial = "dist",
	  .choices = outputs,
	  .help = "result of a search: distances, parents, or both" },
	GB_COMMON_PARAMS(struct bfs_params),
};
#undef AT

/* ---- sweeps: each line holds the arguments of `gpubench bfs` ------------------------------ */

/* Sizes around words, warps, cache lines and slabs; empty and complete graphs; each generator; deep
 * chains, unreachable vertices, and more vertices than 16 bits number; parents after 64 neighbours
 * of the same level; batches, also with a source that occurs twice. */
static const char *const check[] = {
	"--vertices=1,2,31,32,33,65,1023,1025 --p=0.05,0.6 --sources=2 --result=both",
	"--vertices=2100 --p=0.02,0.3 --sources=2 --result=dist,both",
	"--vertices=300 --p=0,0.003,0.01,1 --sources=2 --result=dist,parent",
	"--vertices=1500 --p=0.0005,0.003 --sources=2 --result=dist,both",
	"--graph=kronecker --scale=1,9 --edgefactor=8 --sources=2 --result=dist,both",
	"--graph=kronecker --scale=8 --edgefactor=64 --sources=2 --result=dist,both",
	"--graph=uniform --vertices=1200,66000 --edgefactor=1,4 --sources=2 --result=dist,parent",
	"--graph=grid --vertices=2,3,401 --sources=2 --result=dist,both",
	"--vertices=1,33,130,1025 --p=0,0.05,0.6 --sources=64 --batch=64",
	"--vertices=2100 --p=0.002,0.3 --sources=70 --batch=5,64",
	"--graph=grid --vertices=1000 --sources=10 --batch=17,64",
	"--graph=kronecker --scale=9 --sources=100 --batch=64",
	"--graph=grid --vertices=401 --sources=1 --batch=8,9",
	NULL,
};

static const char *const quick[] = {
	("cpu/ccam-paper cpu/ccam cpu/graphblas cuda/ccam-paper cuda/ccam "
	 "--vertices=4Ki --sources=8"),
	NULL,
};

/* Dense graphs, a skewed one and a deep one. */
static const char *const ci[] = {
	"!*/*-early --vertices=8Ki --p=0.05,0.32 --sources=16",
	"!*/*-early --vertices=8Ki --p=0.05 --sources=16 --result=parent",
	"!*/*-early --graph=kronecker --scale=13 --sources=16",
	"!*/*-early --graph=grid --vertices=4Ki --sources=16",
	NULL,
};

/* The paper's nine graphs. */
static const char *const paper[] = {
	"!*/*-early --vertices=16384,20480,24576 --p=0.05,0.15,0.32",
	NULL,
};

/* Skewed, random and deep graphs; each source is verified by a search on one thread. */
static const char *const large[] = {
	"!*/*-early --graph=kronecker --scale=16,18,20 --sources=8 --result=dist,parent",
	"!*/*-early --graph=uniform,grid --vertices=1Mi --sources=8 --result=dist,parent",
	"!cpu/* !*/*-early --graph=kronecker --scale=22,24 --sources=8 --result=dist,parent",
	("!cpu/* !*/*-early --graph=uniform,grid --vertices=4Mi,16Mi --sources=8 "
	 "--result=dist,parent"),
	NULL,
};

/* ---- input ------------------------------------------------------------------------------- */

static enum gb_status prepare(const void *params_, void **input, struct gb_error *err)
{
	const struct bfs_params *p = params_;
	struct bfs_input *in = gb_input_begin(sizeof *in, err);

	if (in && !bfs_input_make(in, p, err)) {
		in->facts = gb_host_zalloc(in->source_count, sizeof *in->facts, err);
		if (in->facts && p->write && !gb_memory_is_dry())
			(void)bfs_graph_write(in, p->write, err);
	}
	return gb_input_end(in, input, err);
}

static size_t output_size(const void *params_, const void *input)
{
	return bfs_output_size(params_, input);
}

static size_t common_divisor(size_t a, size_t b)
{
	return b ? common_divisor(b, a % b) : a;
}

/* The number of batches after which the first one repeats. */
static int64_t distinct(const void *params_, const void *input)
{
	const struct bfs_input *in = input;
	const size_t count = in->source_count;

	return (int64_t)(count / common_divisor(count, bfs_batch(params_)));
}

/* ---- verification and metrics ------------------------------------------------------------ */

/* Edges as Graph500 counts them: each undirected edge once, each parallel edge separately. */
static double graph500_edges(const struct bfs_input *in, const struct bfs_facts *facts)
{
	if (!in->symmetric)
		return (double)facts->edges;
	return (double)(facts->edges - facts->loops) / 2 + (double)facts->loops;
}

/* The reach of a batch: sums over its searches, and the maximum number of levels. */
struct reach {
	double reached, edges, graph500_edges;
	uint32_t levels;
};

static bool find_reach(const struct bfs_params *p, const struct bfs_input *in, int64_t sample,
		       struct reach *reach, struct gb_error *err)
{
	const int64_t batch = (int64_t)bfs_batch(p);

	*reach = (struct reach){ 0 };
	for (int64_t i = 0; i < batch; i++) {
		const struct bfs_facts *facts = bfs_facts(in, sample * batch + i, err);

		if (!facts)
			return false;
		reach->reached += facts->reached;
		reach->edges += (double)facts->edges;
		reach->graph500_edges += graph500_edges(in, facts);
		if (facts->levels > reach->levels)
			reach->levels = facts->levels;
	}
	return true;
}

/* The difference between the number of edges of G(n, p) and its mean, in standard deviations.  NAN
 * for p = 0, for p = 1 and for all other graphs. */
static double z_score(const struct bfs_params *p, const struct bfs_input *in)
{
	const double pairs = (double)in->n * ((double)in->n - 1);
	const double deviation = sqrt(pairs * p->p * (1 - p->p));

	if (p->file || p->graph != BFS_GNP || deviation <= 0)
		return NAN;
	return ((double)in->m - pairs * p->p) / deviation;
}

/* Add a metric unless it is NAN (not defined for this graph). */
static void add(struct gb_metrics *metrics, const char *name, double value)
{
	if (!isnan(value))
		gb_metric(metrics, name, value);
}

static void add_all(const struct bfs_params *p, const struct bfs_input *in,
		    const struct reach *reach, struct gb_metrics *metrics)
{
	gb_metric(metrics, "vertices", in->n);
	gb_metric(metrics, "edges", (double)in->m);
	add(metrics, "edges_z_score", z_score(p, in));
	gb_metric(metrics, "reached", reach->reached);
	gb_metric(metrics, "levels", reach->levels);
	gb_metric(metrics, "graph500_edges", reach->graph500_edges);
	gb_metric(metrics, "ccam_bytes", bfs_bytes_ccam(in->n));
	gb_metric(metrics, "csr32_bytes", bfs_bytes_csr(in->n, in->m, 4));
	if (in->n <= UINT32_C(1) << 16)
		gb_metric(metrics, "csr16_bytes", bfs_bytes_csr(in->n, in->m, 2));
	gb_metric(metrics, "basic_bytes", (double)in->n * (double)in->n);
	add(metrics, "crossover16_p", bfs_crossover(in->n, 2, 8));
	add(metrics, "crossover32_p", bfs_crossover(in->n, 4, 8));
}

static enum gb_status verify(const void *params_, const void *input, int64_t sample,
			     const void *output, struct gb_metrics *metrics, struct gb_error *err)
{
	const struct bfs_params *p = params_;
	const struct bfs_input *in = input;
	const int64_t batch = (int64_t)bfs_batch(p);
	const int32_t *dist = p->output == BFS_PARENT ? NULL : output;
	const int32_t *parent = p->output == BFS_DIST ? NULL : output;
	struct reach reach;

	if (p->output == BFS_BOTH)
		parent += bfs_output_count(p, in);
	if (!find_reach(p, in, sample, &reach, err))
		return err->code;
	for (int64_t i = 0; i < batch; i++) {
		const size_t at = (size_t)i * in->n;

		if (bfs_verify(in, sample * batch + i, dist ? dist + at : NULL,
			       parent ? parent + at : NULL, err))
			return err->code;
	}
	add_all(p, in, &reach, metrics);
	return GB_OK;
}

/* ---- the benchmark ------------------------------------------------------------------------ */

static double items(const void *params_, const void *input, int64_t sample)
{
	struct gb_error ignored = { 0 };
	struct reach reach;

	return find_reach(params_, input, sample, &reach, &ignored) ? reach.edges : (double)NAN;
}

/* The work of the first batch.  Only writing the result is compulsory, not reading the graph.  The
 * variants report what they did read as touched_bytes. */
static struct gb_work work(const void *params_, const void *input)
{
	return (struct gb_work){ .items = items(params_, input, 0),
				 .bytes = (double)bfs_output_size(params_, input) };
}

static const char *excluded(const void *params_)
{
	return "making of rows and of the matrix of bits";
}

const struct gb_benchmark gb_bfs_benchmark = {
	.name = "bfs",
	.summary = "breadth-first search",
	.paper = "Acceleration of parallel breadth-first search in graphs by GPU computing "
		 "(in Russian)",
	.item = "edges",
	.params = params,
	.param_count = GB_COUNT(params),
	.params_size = sizeof(struct bfs_params),
	.check = check,
	.preset = { [GB_QUICK] = quick, [GB_CI] = ci, [GB_PAPER] = paper, [GB_LARGE] = large },
	.prepare = prepare,
	.output_size = output_size,
	.verify = verify,
	.verify_method =
		"distances equal to a serial search's, itself checked on every edge; parents "
		"a tree of edges as deep as the distances",
	.distinct = distinct,
	.work = work,
	.items = items,
	.excluded = excluded,
	.release = gb_input_release,
};
