/* test_bfs.cu -- the cuda variants of bfs on small graphs, each compared with a queue search
 * on the host: sizes around words and warps, shapes that are hard on one of them, both launches
 * of ccam, several sources in one state, the counters of warps and bytes.
 *
 * On a GPU or in the emulator; where there is neither, all tests are skipped.
 */
#include <algorithm>
#include <criterion/criterion.h>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "common/backend.h"
#include "common/bfs.h"
#include "common/memory.h"
#include "common/variants.h"
#include "cuda/bfs/parts/path.h"
#include "cuda/device.h"
#include "cuda/gpu.h"

static const struct variant {
	const char *name;
	const struct gb_variant_ops *ops;
	enum bfs_ccam_path path;
} variants[] = {
	{ "basic", &bfs_cuda_basic, BFS_CCAM_AUTO },
	{ "csr-paper", &bfs_cuda_csr_paper, BFS_CCAM_AUTO },
	{ "csr", &bfs_cuda_csr, BFS_CCAM_AUTO },
	{ "csr-do", &bfs_cuda_csr_do, BFS_CCAM_AUTO },
	{ "ccam-paper", &bfs_cuda_ccam_paper, BFS_CCAM_AUTO },
	{ "ccam-pull", &bfs_cuda_ccam_pull, BFS_CCAM_AUTO },
	{ "ccam, a cluster", &bfs_cuda_ccam, BFS_CCAM_CLUSTER },
	{ "ccam, a grid", &bfs_cuda_ccam, BFS_CCAM_GRID },
};

static void open_gpu(void)
{
	struct gb_error err = {};

	if (gb_backends[GB_CUDA]->open(0, &err))
		cr_skip("%s", err.message);
}

static void close_gpu(void)
{
	bfs_ccam_path = BFS_CCAM_AUTO;
	cr_expect_eq(gb_memory_used(GB_DEVICE_MEMORY), 0);
	gb_backends[GB_CUDA]->close();
}

/* ---- graphs -------------------------------------------------------------------------------- */

typedef std::pair<uint32_t, uint32_t> edge;

struct graph {
	const char *name;
	struct bfs_input input;
	std::vector<uint64_t> row, in_row;
	std::vector<uint32_t> column, in_column, matrix, matrix_in, source;
};

static void fill_csr(uint32_t n, std::vector<edge> edges, std::vector<uint64_t> *row,
		     std::vector<uint32_t> *column)
{
	std::sort(edges.begin(), edges.end());
	row->assign(n + 1, 0);
	column->clear();
	for (const edge &e : edges) {
		(*row)[e.first + 1]++;
		column->push_back(e.second);
	}
	for (uint32_t u = 0; u < n; u++)
		(*row)[u + 1] += (*row)[u];
}

static void fill_matrix(uint32_t n, const std::vector<edge> &edges, std::vector<uint32_t> *matrix)
{
	const size_t pitch = bfs_pitch(n);

	matrix->assign(n * pitch, 0);
	for (const edge &e : edges)
		(*matrix)[e.first * pitch + e.second / 32] |= 1u << e.second % 32;
}

static void make_graph(struct graph *g, const char *name, uint32_t n, std::vector<edge> edges,
		       bool symmetric, std::vector<uint32_t> source)
{
	std::vector<edge> back;

	for (const edge &e : edges)
		back.emplace_back(e.second, e.first);
	if (symmetric) {
		edges.insert(edges.end(), back.begin(), back.end());
		back = edges;
	}
	g->name = name;
	g->input = {};
	fill_csr(n, edges, &g->row, &g->column);
	fill_csr(n, back, &g->in_row, &g->in_column);
	fill_matrix(n, edges, &g->matrix);
	fill_matrix(n, back, &g->matrix_in);
	g->source = std::move(source);
	g->input.n = n;
	g->input.m = edges.size();
	g->input.symmetric = symmetric;
	g->input.out = { g->row.data(), g->column.data() };
	g->input.in = { g->in_row.data(), g->in_column.data() };
	g->input.pitch = bfs_pitch(n);
	g->input.matrix = g->matrix.data();
	g->input.matrix_in = g->matrix_in.data();
	g->input.source_count = g->source.size();
	g->input.source = g->source.data();
}

/* Random bits (splitmix64), the same in every run. */
static uint64_t random64(uint64_t index)
{
	uint64_t word = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);

	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return word ^ word >> 31;
}

/* Each ordered pair with probability p, but nothing leads to every `orphan`-th vertex. */
static std::vector<edge> random_edges(uint32_t n, double p, uint32_t orphan)
{
	std::vector<edge> edges;

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++)
			if (u != v && !(orphan && v % orphan == orphan - 1) &&
			    (double)random64((uint64_t)u << 32 | v) < p * 0x1p64)
				edges.emplace_back(u, v);
	return edges;
}

/* ---- verification -------------------------------------------------------------------------- */

static std::vector<int32_t> queue_search(const struct bfs_input *in, uint32_t source)
{
	std::vector<int32_t> dist(in->n, BFS_UNREACHED);
	std::vector<uint32_t> queue(1, source);

	dist[source] = 0;
	for (size_t i = 0; i < queue.size(); i++) {
		const uint32_t u = queue[i];

		for (uint64_t e = in->out.row[u]; e < in->out.row[u + 1]; e++) {
			const uint32_t v = in->out.column[e];

			if (dist[v] != BFS_UNREACHED)
				continue;
			dist[v] = dist[u] + 1;
			queue.push_back(v);
		}
	}
	return dist;
}

/* Is parent an edge back by one level, and the source its own parent? */
static bool is_parent(const struct bfs_input *in, const std::vector<int32_t> &dist, uint32_t v,
		      int32_t parent)
{
	if (dist[v] == BFS_UNREACHED)
		return parent == BFS_UNREACHED;
	if (dist[v] == 0)
		return parent == (int32_t)v;
	if (parent < 0 || (uint32_t)parent >= in->n || dist[(uint32_t)parent] != dist[v] - 1)
		return false;
	return std::binary_search(in->out.column + in->out.row[parent],
				  in->out.column + in->out.row[parent + 1], v);
}

static void verify(const struct variant *variant, const struct graph *g,
		   const struct bfs_params *params, uint32_t source, void *output)
{
	const std::vector<int32_t> want = queue_search(&g->input, source);
	const int32_t *const dist = bfs_output_dist(params, output);
	const int32_t *const parent = bfs_output_parent(params, &g->input, output);

	for (uint32_t v = 0; v < g->input.n; v++) {
		if (dist && dist[v] != want[v])
			cr_assert_fail("%s, %s, n %u, source %u: distance of %u is %d, not %d",
				       variant->name, g->name, g->input.n, source, v, dist[v],
				       want[v]);
		if (parent && !is_parent(&g->input, want, v, parent[v]))
			cr_assert_fail("%s, %s, n %u, source %u: parent of %u is %d", variant->name,
				       g->name, g->input.n, source, v, parent[v]);
	}
}

/* From each source, twice over, in one state.  The metrics of the last run are left. */
static void search_all(const struct variant *variant, const struct graph *g,
		       const struct bfs_params *params, struct gb_metrics *metrics)
{
	const struct gb_variant_ops *const ops = variant->ops;
	std::vector<unsigned char> output(bfs_output_size(params, &g->input));
	struct gb_timer timer = {};
	struct gb_error err = {};
	void *state = NULL;

	bfs_ccam_path = variant->path;
	cr_assert_eq(gb_state_create(ops, params, &g->input, &state, &err), GB_OK, "%s: %s",
		     variant->name, err.message);
	cr_assert_eq(ops->upload(state, &err), GB_OK, "%s: %s", variant->name, err.message);
	for (size_t sample = 0; sample < 2 * g->source.size(); sample++) {
		std::fill(output.begin(), output.end(), (unsigned char)0xa5);
		cr_assert_eq(ops->reset(state, (int64_t)sample, &err), GB_OK);
		cr_assert_eq(ops->run(state, &timer, &err), GB_OK, "%s: %s", variant->name,
			     err.message);
		cr_assert_eq(ops->download(state, output.data(), &err), GB_OK, "%s, %s: %s",
			     variant->name, g->name, err.message);
		verify(variant, g, params, bfs_source(&g->input, (int64_t)sample), output.data());
	}
	ops->metrics(state, metrics);
	gb_state_destroy(ops, state);
}

/* Two batches, three times, in one state; each search against its own. */
static void search_batches(const struct graph *g, int64_t batch, struct gb_metrics *metrics)
{
	const struct gb_variant_ops *const ops = &bfs_cuda_ccam_batch;
	const struct variant variant = { "ccam-batch", ops, BFS_CCAM_AUTO };
	struct bfs_params params = {}, one = {};
	struct gb_timer timer = {};
	struct gb_error err = {};
	void *state = NULL;

	params.batch = batch;
	std::vector<int32_t> output(g->input.n * (size_t)batch);

	cr_assert_eq(gb_state_create(ops, &params, &g->input, &state, &err), GB_OK, "%s",
		     err.message);
	cr_assert_eq(ops->upload(state, &err), GB_OK, "%s", err.message);
	for (int64_t sample = 0; sample < 6; sample++) {
		const int64_t first = sample % 2 * batch;

		std::fill(output.begin(), output.end(), -1515870811);
		cr_assert_eq(ops->reset(state, sample % 2, &err), GB_OK);
		cr_assert_eq(ops->run(state, &timer, &err), GB_OK, "%s", err.message);
		cr_assert_eq(ops->download(state, output.data(), &err), GB_OK, "%s, %s", g->name,
			     err.message);
		for (int64_t i = 0; i < batch; i++)
			verify(&variant, g, &one, bfs_source(&g->input, first + i),
			       output.data() + (size_t)i * g->input.n);
	}
	ops->metrics(state, metrics);
	gb_state_destroy(ops, state);
}

/* Whether it has columns, of 16 or 32 bits. */
static bool is_csr(const struct variant *variant)
{
	return strncmp(variant->name, "csr", 3) == 0;
}

static void check_graph(const struct graph *g, const std::vector<enum bfs_output> &outputs)
{
	for (const struct variant &variant : variants) {
		for (const enum bfs_output output : outputs) {
			struct gb_metrics metrics = {};
			struct bfs_params params = {};

			params.output = output;
			search_all(&variant, g, &params, &metrics);
			if (!is_csr(&variant))
				continue;
			params.index = BFS_INDEX_32;
			search_all(&variant, g, &params, &metrics);
		}
	}
}

static void check_edges(const char *name, uint32_t n, std::vector<edge> edges, bool symmetric,
			std::vector<uint32_t> source)
{
	struct graph g;

	struct gb_metrics metrics = {};

	make_graph(&g, name, n, std::move(edges), symmetric, std::move(source));
	check_graph(&g, { BFS_BOTH });
	search_batches(&g, 3, &metrics);
}

static double metric(const struct gb_metrics *metrics, const char *name)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (strcmp(metrics->item[i].name, name) == 0)
			return metrics->item[i].value;
	cr_assert(false, "there is no metric %s", name);
	return 0;
}

TestSuite(bfs_cuda, .init = open_gpu, .fini = close_gpu, .timeout = 300);

/* ---- searches ------------------------------------------------------------------------------ */

Test(bfs_cuda, no_edges)
{
	for (const uint32_t n : { 1u, 33u })
		check_edges("no edges", n, {}, false, { n - 1 });
}

/* Around words and warps. */
Test(bfs_cuda, random_graphs)
{
	for (const uint32_t n : { 31u, 32u, 33u, 257u })
		check_edges("random", n, random_edges(n, .1, 0), false, { 0 });
}

Test(bfs_cuda, what_is_asked_for)
{
	struct graph g;

	make_graph(&g, "random", 100, random_edges(100, .05, 0), false, { 3, 99 });
	check_graph(&g, { BFS_DIST, BFS_PARENT, BFS_BOTH });
}

/* One more than the 1024 bits that rows are padded to. */
Test(bfs_cuda, rows_of_two_lines)
{
	check_edges("random", 1025, random_edges(1025, .02, 0), false, { 5 });
}

/* Vertices that nothing leads to keep every slab open. */
Test(bfs_cuda, orphans)
{
	check_edges("orphans", 700, random_edges(700, .1, 50), false, { 49 });
}

/* As deep as there are vertices. */
Test(bfs_cuda, chain)
{
	std::vector<edge> edges;

	for (uint32_t v = 0; v + 1 < 35; v++)
		edges.emplace_back(v, v + 1);
	check_edges("chain", 35, edges, false, { 0 });
	check_edges("chain both ways", 35, edges, true, { 20 });
}

/* One vertex of large degree; its neighbours have no edges, or only the one back. */
Test(bfs_cuda, star)
{
	std::vector<edge> edges;

	for (uint32_t v = 1; v < 1500; v++)
		edges.emplace_back(0, v);
	check_edges("star", 1500, edges, false, { 0 });
	check_edges("star both ways", 1500, edges, true, { 7 });
}

/* Two halves without an edge between, with self-loops and parallel edges. */
Test(bfs_cuda, halves)
{
	std::vector<edge> edges = random_edges(60, .2, 0);

	for (edge &e : edges)
		if (e.first / 30 != e.second / 30)
			e.second = e.first;
	edges.insert(edges.end(), edges.begin(), edges.begin() + 100);
	check_edges("halves", 60, edges, false, { 59 });
}

/* Few vertices, many, few, many: a search changes its direction, and back. */
Test(bfs_cuda, hourglass)
{
	std::vector<edge> edges;

	for (uint32_t v = 1; v <= 400; v++) {
		edges.emplace_back(0, v);
		edges.emplace_back(v, 401);
		edges.emplace_back(v, 1 + v % 400);
	}
	for (uint32_t v = 401; v < 408; v++)
		edges.emplace_back(v, v + 1);
	for (uint32_t v = 409; v < 900; v++)
		edges.emplace_back(408, v);
	check_edges("hourglass", 900, edges, false, { 0 });
	check_edges("hourglass both ways", 900, edges, true, { 899 });
}

/* More in-edges, in vain, than one thread looks at alone: those of vertices that nothing leads to.  The
 * last one comes from the frontier.  So many edges of the source make a search look from the other
 * side at once. */
Test(bfs_cuda, hidden_parent)
{
	const uint32_t in_vain[] = { 63, 64, 65, 96, 97, 130 };
	std::vector<edge> edges;
	uint32_t to = 501;

	for (uint32_t v = 400; v < 500; v++)
		edges.emplace_back(500, v);
	for (const uint32_t count : in_vain) {
		for (uint32_t u = 0; u < count; u++)
			edges.emplace_back(u, to);
		edges.emplace_back(499, to++);
	}
	check_edges("hidden parent", 600, edges, false, { 500 });
}

/* The source has an edge to itself, and the last level one vertex: were the source counted as reached
 * twice, the search would end a level early. */
Test(bfs_cuda, loop_at_the_source)
{
	std::vector<edge> edges = { { 0, 0 } };

	check_edges("loop at the source", 3, { { 0, 0 }, { 0, 1 }, { 1, 2 } }, false, { 0 });
	for (uint32_t v = 1; v < 69; v++)
		edges.emplace_back(0, v);
	edges.emplace_back(68, 69);
	check_edges("loop at the source", 70, edges, false, { 0 });
}

/* Each of the 700 vertices of a level is the only one that leads to its vertex of the next, and
 * vertices that nothing leads to keep the search from looking the other way: none may be left out,
 * neither in the middle of a round of ccam nor at its end. */
Test(bfs_cuda, matching)
{
	const uint32_t width = 700, n = 2500;
	std::vector<edge> edges;
	struct graph g;

	for (uint32_t v = 1; v <= width; v++) {
		edges.emplace_back(0, v);
		edges.emplace_back(v, width + v);
	}
	make_graph(&g, "matching", n, edges, false, { 0 });
	check_graph(&g, { BFS_DIST, BFS_BOTH });
}

/* ---- batches ------------------------------------------------------------------------------- */

static std::vector<uint32_t> some_sources(uint32_t n, uint32_t count)
{
	std::vector<uint32_t> source;

	for (uint32_t i = 0; i < count; i++)
		source.push_back((uint32_t)(random64(1000 + i) % n));
	return source;
}

/* Around tiles, words, chunks, rounds and warps of a block; sources that are twice in a batch. */
Test(bfs_cuda, batches)
{
	for (const uint32_t n : { 1u, 15u, 16u, 17u, 511u, 513u, 700u }) {
		struct gb_metrics metrics = {};
		struct graph g;

		make_graph(&g, "random", n, random_edges(n, n < 100 ? .1 : .02, 30), false,
			   some_sources(n, 40));
		for (const int64_t batch : { 1, 16, 17, 64 })
			search_batches(&g, batch, &metrics);
	}
}

/* Chains one way, each as deep as there are blocks of 16 vertices in a chunk and more, and nothing between
 * them: most chunks are empty, in the rows or in the frontiers. */
Test(bfs_cuda, batch_of_chains)
{
	const uint32_t n = 2600;
	struct gb_metrics metrics = {};
	std::vector<edge> edges;
	struct graph g;

	for (uint32_t v = 0; v + 65 < n; v++)
		edges.emplace_back(v + 65, v);
	make_graph(&g, "chains", n, edges, false, some_sources(n, 64));
	search_batches(&g, 64, &metrics);
	/* Two tiles of each row lead to a chunk, and 40 levels are most of them. */
	cr_expect(metric(&metrics, "touched_bytes") < .5 * 40 * bfs_bytes_ccam(n), "%g",
		  metric(&metrics, "touched_bytes"));
}

/* A level that reaches all leaves the rest of the rows: of 5 chunks four, a round, are read once. */
Test(bfs_cuda, batch_leaves_a_dense_graph)
{
	const uint32_t n = 2560;
	struct gb_metrics metrics = {};
	struct graph g;

	make_graph(&g, "dense", n, random_edges(n, .3, 0), false, some_sources(n, 64));
	search_batches(&g, 64, &metrics);
	cr_expect_eq(metric(&metrics, "touched_bytes"), n * 4 * 64., "%g",
		     metric(&metrics, "touched_bytes"));
}

/* It says so, and so do the variants of one source. */
Test(bfs_cuda, batch_is_of_distances_only)
{
	struct bfs_params params = {};
	struct gb_error err = {};
	void *state = NULL;
	struct graph g;

	make_graph(&g, "random", 40, random_edges(40, .1, 0), false, { 1 });
	params.batch = 64;
	params.output = BFS_BOTH;
	cr_expect_eq(gb_state_create(&bfs_cuda_ccam_batch, &params, &g.input, &state, &err),
		     GB_EUNAVAILABLE);
	cr_expect(strstr(err.message, "--result=dist") != NULL, "%s", err.message);
	gb_state_destroy(&bfs_cuda_ccam_batch, state);
	params.output = BFS_DIST;
	for (const struct variant &variant : variants) {
		err = {};
		cr_expect_eq(gb_state_create(variant.ops, &params, &g.input, &state, &err),
			     GB_EUNAVAILABLE, "%s", variant.name);
		cr_expect(strstr(err.message, "--batch=1") != NULL, "%s", err.message);
		gb_state_destroy(variant.ops, state);
	}
}

/* ---- counters ------------------------------------------------------------------------------ */

/* From the centre of a star of n vertices: one row has all bits but one, and everything is new. */
Test(bfs_cuda, warp_efficiency_of_a_star)
{
	const uint32_t n = 256;
	std::vector<edge> edges;
	struct gb_metrics metrics = {};
	struct bfs_params params = {};
	struct graph g;

	for (uint32_t v = 1; v < n; v++)
		edges.emplace_back(0, v);
	make_graph(&g, "star", n, edges, false, { 0 });
	params.warps = 1;
	search_all(&variants[4], &g, &params, &metrics);

	/* Instructions as in ccam_paper.cu: in two levels every vertex is tested by 32 warps,
	 * and eight words of its row once; those of the source have edges, with one bit missing. */
	const double tests = 7. * 2 * n * 32 * 32 + 10. * n * 8 * 32;
	const double all = tests + (7. + 3.) * 8 * 32, active = tests + (7. + 3.) * (n - 1);

	if (GPU_BLOCK(1024) == 1024)
		cr_expect_float_eq(metric(&metrics, "warp_efficiency"), active / all, 1e-12);
	metrics.count = 0;
	search_all(&variants[1], &g, &params, &metrics);

	/* As in csr_paper.cu: 8 warps test their vertices twice; one lane of the first walks.
	 */
	const double first = 13. * 2 * 8 * 32, walk = (11. + 3.) * (n - 1);

	cr_expect_float_eq(metric(&metrics, "warp_efficiency"),
			   (first + walk) / (first + 32 * walk), 1e-12);
}

Test(bfs_cuda, warp_efficiency_is_a_share)
{
	struct bfs_params params = {};
	struct graph g;

	make_graph(&g, "random", 500, random_edges(500, .1, 0), false, { 1 });
	params.warps = 1;
	for (const size_t i : { 0, 1, 4 }) {
		struct gb_metrics metrics = {};

		search_all(&variants[i], &g, &params, &metrics);
		cr_expect(metric(&metrics, "warp_efficiency") > 0.05 &&
				  metric(&metrics, "warp_efficiency") < 1,
			  "%s", variants[i].name);
	}
}

/* A dense search leaves its slabs: it reads less than the frontier's rows. */
Test(bfs_cuda, touched_bytes)
{
	const uint32_t n = 1500;
	struct bfs_params params = {};
	struct graph g;

	make_graph(&g, "random", n, random_edges(n, .3, 0), false, { 2 });
	for (size_t i = 2; i < sizeof variants / sizeof *variants; i++) {
		struct gb_metrics metrics = {};

		if (variants[i].ops == &bfs_cuda_ccam_paper)
			continue;
		search_all(&variants[i], &g, &params, &metrics);
		cr_expect(metric(&metrics, "touched_bytes") > 0, "%s", variants[i].name);
		if (variants[i].ops == &bfs_cuda_ccam)
			cr_expect(metric(&metrics, "touched_bytes") < .9 * bfs_bytes_ccam(n), "%s",
				  variants[i].name);
	}
}

/* The last level is not expanded where every vertex is found: of a star seen from its centre one row
 * is read, from a tip two, and not all 1500. */
Test(bfs_cuda, touched_bytes_are_of_what_is_expanded)
{
	const uint32_t n = 1500;
	const struct {
		size_t variant;
		double centre, tip;
	} cases[] = {
		{ 0, n, 2 * n },
		{ 1, 2 * (n - 1), 2 * n },
		{ 2, 2 * (n - 1), 2 * n },
		{ 4, 188, 376 },
	};
	std::vector<edge> edges;
	struct graph centre, tip;

	for (uint32_t v = 1; v < n; v++)
		edges.emplace_back(0, v);
	make_graph(&centre, "star", n, edges, false, { 0 });
	make_graph(&tip, "star both ways", n, edges, true, { 7 });
	for (const auto &c : cases) {
		const struct gb_variant_ops *const ops = variants[c.variant].ops;
		struct bfs_params params = {};
		struct gb_metrics metrics = {};

		cr_expect(ops->bytes == NULL, "a model in place of what was touched");
		search_all(&variants[c.variant], &centre, &params, &metrics);
		cr_expect_eq(metric(&metrics, "touched_bytes"), c.centre, "%s: %g",
			     variants[c.variant].name, metric(&metrics, "touched_bytes"));
		search_all(&variants[c.variant], &tip, &params, &metrics);
		cr_expect_eq(metric(&metrics, "touched_bytes"), c.tip, "%s: %g",
			     variants[c.variant].name, metric(&metrics, "touched_bytes"));
	}
}

/* ---- formats and uploads ------------------------------------------------------------------- */

/* Each format takes exactly the bytes that it is said to, and its uploads have times. */
Test(bfs_cuda, graph_bytes)
{
	const uint32_t n = 300;
	struct graph g;

	make_graph(&g, "random", n, random_edges(n, .1, 0), false, { 2 });

	const uint64_t m = g.input.m;
	const struct {
		size_t variant;
		enum bfs_index index;
		double bytes;
	} cases[] = {
		{ 0, BFS_INDEX_AUTO, bfs_bytes_basic(n) },
		{ 1, BFS_INDEX_AUTO, bfs_bytes_csr16(n, m) },
		{ 1, BFS_INDEX_16, bfs_bytes_csr16(n, m) },
		{ 1, BFS_INDEX_32, bfs_bytes_csr32(n, m) },
		{ 2, BFS_INDEX_16, bfs_bytes_csr16(n, m) },
		{ 3, BFS_INDEX_16, 2 * bfs_bytes_csr16(n, m) },
		{ 3, BFS_INDEX_32, 2 * bfs_bytes_csr32(n, m) },
		{ 4, BFS_INDEX_AUTO, bfs_bytes_ccam(n) },
		{ 5, BFS_INDEX_AUTO, 2 * bfs_bytes_ccam(n) },
	};

	for (const auto &c : cases) {
		struct gb_metrics metrics = {};
		struct bfs_params params = {};

		params.index = c.index;
		search_all(&variants[c.variant], &g, &params, &metrics);
		cr_expect_float_eq(metric(&metrics, "graph_bytes"), c.bytes, .5, "%s",
				   variants[c.variant].name);
		cr_expect(metric(&metrics, "upload_pageable_ms") > 0);
		if (GPU_EMULATED)
			cr_expect(metric(&metrics, "upload_pinned_ms") > 0);
	}
}

/* 65536 vertices have numbers of 16 bits; one more has not. */
Test(bfs_cuda, narrow_columns)
{
	struct bfs_params params = {};
	struct gb_error err = {};
	void *state = NULL;

	params.index = BFS_INDEX_16;
	for (const uint32_t n : { 65536u, 65537u }) {
		struct graph g;

		g.row.assign(n + 1, 1);
		g.row[0] = 0;
		g.column.assign(1, n - 1);
		g.input = {};
		g.input.n = n;
		g.input.m = 1;
		g.input.out = g.input.in = { g.row.data(), g.column.data() };
		cr_expect_eq(gb_state_create(&bfs_cuda_csr_paper, &params, &g.input, &state, &err),
			     n == 65536 ? GB_OK : GB_EUNAVAILABLE, "%u", n);
		gb_state_destroy(&bfs_cuda_csr_paper, state);
	}
	cr_expect(strstr(err.message, "65537 vertices") != NULL, "%s", err.message);
}
