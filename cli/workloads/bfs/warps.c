/* warps.c -- a model of active warp lanes in the kernels that the paper compares.
 *
 * The model needs no GPU.  It follows the control flow of the kernels on the CPU from the true
 * distances of a source, level by level, and counts the instructions that each warp issues and the
 * active lanes of each instruction.  The result is lanes / (32 instructions).  Instructions per
 * step are those of plain PTX for these loops.
 *
 *	basic	one thread per vertex; a thread whose vertex is in the frontier walks its row of n
 *		bytes, probes the vertex of each edge and stores a distance if it is new
 *	csr	one thread per vertex; a thread walks its list of columns, so a warp takes as long
 *		as its longest list
 *	ccam	the paper's kernel: one block per vertex, one warp per word, one lane per bit;
 *		lanes whose bit is set probe and store
 */
#include "cli/workloads/bfs/reference.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 32 };
/* Instructions per vertex, per loop step, per probe and per store. */
enum { LOOK = 7, STEP_BYTE = 6, STEP_COLUMN = 8, STEP_WORD = 10, PROBE = 7, STORE = 3 };

/* Instructions issued by warps, and the sum of their active lanes. */
struct count {
	double issued, lanes;
};

static void add(struct count *c, double weight, double issued, double lanes)
{
	c->issued += weight * issued;
	c->lanes += weight * lanes;
}

static double percent(const struct count *c)
{
	return c->issued > 0 ? 100 * c->lanes / (LANES * c->issued) : 0;
}

/* The rows of the lanes of one warp at one level. */
struct warp {
	unsigned active; /* lanes whose vertex is in the frontier */
	double edges;    /* sum over the active lanes */
	double longest;  /* maximum over the active lanes */
};

static struct warp look(const struct bfs_input *in, const int32_t *dist, uint32_t first,
			int32_t level)
{
	struct warp w = { 0, 0, 0 };

	for (uint32_t v = first; v < in->n && v < first + LANES; v++) {
		const double degree = (double)(in->out.row[v + 1] - in->out.row[v]);

		if (dist[v] != level)
			continue;
		w.active++;
		w.edges += degree;
		w.longest = degree > w.longest ? degree : w.longest;
	}
	return w;
}

/* Columns at which at least one lane of the warp has an edge: the lanes walk in lockstep.  Their
 * number does not depend on the names of the columns. */
static double union_of_rows(const struct bfs_input *in, const int32_t *dist, uint32_t first,
			    int32_t level)
{
	const uint32_t *row[LANES];
	double columns = 0;
	unsigned rows = 0;

	for (uint32_t v = first; v < in->n && v < first + LANES; v++)
		if (dist[v] == level)
			row[rows++] = in->matrix + v * in->pitch;
	for (size_t j = 0; j < in->pitch; j++) {
		uint32_t word = 0;

		for (unsigned k = 0; k < rows; k++)
			word |= row[k][j];
		columns += __builtin_popcount(word);
	}
	return columns;
}

/* Count one level of basic and csr, one thread per vertex.  Stores are few and not counted. */
static void count_threads(const struct bfs_input *in, const int32_t *dist, int32_t level,
			  struct count *basic, struct count *csr)
{
	for (uint32_t first = 0; first < in->n; first += LANES) {
		const struct warp w = look(in, dist, first, level);
		const double n = in->n, lanes = n - first < LANES ? n - first : LANES;

		add(basic, LOOK, 1, lanes);
		add(csr, LOOK, 1, lanes);
		if (!w.active)
			continue;
		add(basic, STEP_BYTE, n, n * w.active);
		add(basic, PROBE, union_of_rows(in, dist, first, level), w.edges);
		add(csr, STEP_COLUMN, w.longest, w.edges);
	}
}

/* The bits of a word whose vertices are beyond the level: the lanes that store. */
static unsigned fresh_bits(const int32_t *dist, uint32_t word, uint32_t base, int32_t level)
{
	unsigned fresh = 0;

	for (; word; word &= word - 1)
		fresh += dist[base + (uint32_t)__builtin_ctz(word)] > level;
	return fresh;
}

/* Count one level of ccam, 32 warps per vertex. */
static void count_words(const struct bfs_input *in, const int32_t *dist, int32_t level,
			struct count *ccam)
{
	const uint32_t words = in->n / 32 + (in->n % 32 > 0);
	const uint32_t *row;

	add(ccam, LOOK, 32 * (double)in->n, 32 * (double)in->n * LANES);
	for (uint32_t u = 0; u < in->n; u++) {
		if (dist[u] != level)
			continue;
		row = in->matrix + u * in->pitch;
		add(ccam, STEP_WORD, words, (double)words * LANES);
		for (uint32_t j = 0; j < words; j++) {
			const unsigned fresh = fresh_bits(dist, row[j], 32 * j, level);

			add(ccam, PROBE, row[j] != 0, __builtin_popcount(row[j]));
			add(ccam, STORE, fresh > 0, fresh);
		}
	}
}

enum gb_status bfs_model_warps(const struct bfs_input *in, int64_t sample,
			       struct gb_metrics *metrics, struct gb_error *err)
{
	struct count basic = { 0, 0 }, csr = { 0, 0 }, ccam = { 0, 0 };
	const struct bfs_facts *facts = bfs_facts(in, sample, err);
	int32_t *dist = facts ? malloc(in->n * sizeof *dist) : NULL;

	if (!dist || !bfs_reference(in, bfs_source(in, sample), dist)) {
		free(dist);
		return gb_out_of_memory(err, "the model of warps");
	}
	for (int32_t level = 0; level <= (int32_t)facts->levels; level++) {
		count_threads(in, dist, level, &basic, &csr);
		count_words(in, dist, level, &ccam);
	}
	gb_metric(metrics, "warp_basic_percent", percent(&basic));
	gb_metric(metrics, "warp_csr_percent", percent(&csr));
	gb_metric(metrics, "warp_ccam_percent", percent(&ccam));
	free(dist);
	return GB_OK;
}
