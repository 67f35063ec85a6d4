/* test_bfs_counters.cu -- metrics of the cuda variants of bfs: bytes touched, the size of a
 * format, the time of its upload.
 */
#include "tests/cuda/bfs_search.h"

TestSuite(bfs_cuda_counters, .init = open_gpu, .fini = close_gpu);

/* A metric of one variant. */
static double measured(size_t variant, const struct graph *g, const char *name,
		       const struct bfs_params &params = {})
{
	struct gb_metrics metrics = {};

	search_all(&variants[variant], g, &params, &metrics);
	return metric(&metrics, name);
}

/* ---- counters ------------------------------------------------------------------------------ */

/* A dense search stops within its slabs: it reads less than the frontier's rows. */
Test(bfs_cuda_counters, touched_bytes)
{
	const uint32_t n = 1500;
	struct graph g;

	make_graph(&g, "random", n, random_edges(n, .3, 0), false, { 2 });
	for (size_t i = 2; i < sizeof variants / sizeof *variants; i++) {
		if (variants[i].ops == &bfs_cuda_ccam_paper)
			continue;

		const double touched = measured(i, &g, "touched_bytes");

		cr_expect(touched > 0, "%s", variants[i].name);
		if (variants[i].ops == &bfs_cuda_ccam)
			cr_expect(touched < .9 * bfs_bytes_ccam(n), "%s", variants[i].name);
	}
}

/* The paper's searches expand the last level too, which finds nothing: all 1500 rows of a star are
 * read.  The others do not expand it once every vertex is found: from the centre one row is read,
 * from a tip two. */
Test(bfs_cuda_counters, only_expanded_rows_are_touched)
{
	const uint32_t n = 1500;
	const struct {
		size_t variant;
		double centre, tip;
	} cases[] = {
		{ 0, n * n, n * n },       { 1, 2 * (n - 1), 2 * 2 * (n - 1) },
		{ 2, 2 * (n - 1), 2 * n }, { 4, 188 * n, 188 * n },
		{ 8, n, 2 * n },           { 9, 2 * (n - 1), 2 * n },
		{ 10, 188, 376 },
	};
	struct graph centre, tip;

	make_graph(&centre, "star", n, star_edges(n), false, { 0 });
	make_graph(&tip, "star both ways", n, star_edges(n), true, { 7 });
	for (const auto &c : cases) {
		const char *const name = variants[c.variant].name;

		cr_expect(variants[c.variant].ops->bytes == NULL,
			  "a model in place of what was touched");
		cr_expect_eq(measured(c.variant, &centre, "touched_bytes"), c.centre, "%s", name);
		cr_expect_eq(measured(c.variant, &tip, "touched_bytes"), c.tip, "%s", name);
	}
}

/* Columns that csr-do reads by its rule (csr_do.cu).  Top-down: all columns of a level.  Bottom-up,
 * but not from a narrow level: those of every unreached vertex up to the first one in the frontier,
 * or all if it is not among the first 8.  A level is narrow by its edges and its vertices with
 * edges or, after a narrow one, by its groups of up to 4 edges of a vertex, of which more than 64
 * edges make 257, and its vertices. */
static uint64_t two_way_columns(const struct bfs_input *in, uint32_t source, uint64_t most)
{
	const std::vector<int32_t> dist = queue_search(in, source);
	uint64_t columns = 0, unseen = in->m;
	uint32_t reached = 0, before = 0;
	bool up = false, narrow = false;

	for (int32_t level = 0;; level++) {
		uint64_t edges = 0, groups = 0;
		uint32_t count = 0, vertices = 0;

		for (uint32_t v = 0; v < in->n; v++) {
			const uint64_t degree = in->out.row[v + 1] - in->out.row[v];

			if (dist[v] != level)
				continue;
			vertices++;
			count += degree > 0;
			edges += degree;
			groups += degree > 64 ? 257 : degree ? (degree + 3) / 4 : 1;
		}
		reached += vertices;
		if (count == 0 || reached == in->n)
			return columns;
		narrow = (narrow && groups <= most / 4 && groups <= 4 * vertices) ||
			 (edges <= most && edges <= 16 * count);
		up = up ? count >= before || count >= in->n / 24 : !narrow && edges > unseen / 14;
		narrow = narrow && !up;
		before = count;
		unseen -= edges;
		if (!up)
			columns += edges;
		for (uint32_t v = 0; up && v < in->n; v++) {
			const uint64_t first = in->in.row[v], end = in->in.row[v + 1];
			uint64_t e = first;

			if (dist[v] != BFS_UNREACHED && dist[v] <= level)
				continue;
			while (e < end && e - first < 8 && dist[in->in.column[e]] != level)
				e++;
			columns += e < end && e - first < 8 ? e - first + 1 : end - first;
		}
	}
}

/* The counts of a bottom-up level decide where the search ends and when it switches.  A core with
 * many vertices without out-edges is searched bottom-up; the chain attached to it is not. */
Test(bfs_cuda_counters, two_way_touches_match_its_rule)
{
	const uint32_t core = 1200, n = core + 40;
	const struct {
		size_t variant;
		uint64_t most;
	} rules[] = { { 3, 1024 }, { 12, 0 }, { 14, 64 } };
	std::vector<edge> edges;
	struct graph g;

	for (const edge &e : random_edges(core, .02, 0))
		if (e.first % 5)
			edges.push_back(e);
	for (uint32_t v = core; v < n; v++)
		edges.emplace_back(v == core ? 7 : v - 1, v);
	edges.emplace_back(n - 1, 3);
	make_graph(&g, "core and chain", n, edges, false, { 1 });
	for (const uint32_t source : { 1u, 2u, 3u, 904u }) {
		g.source = { source };
		g.input.source = g.source.data();
		for (const auto &rule : rules)
			cr_expect_eq(measured(rule.variant, &g, "touched_bytes"),
				     2. * (double)two_way_columns(&g.input, source, rule.most),
				     "source %u, %s", source, variants[rule.variant].name);
	}
}

/* A search ends when it has counted all vertices.  If each lane of a warp counted the one vertex
 * without out-edges that is found bottom-up, the count would be 31 too high, and 31 vertices would
 * be missed here. */
Test(bfs_cuda_counters, vertices_without_out_edges_count_once)
{
	const uint32_t first = 10, n = 1 + first + 31;
	std::vector<edge> edges;
	struct graph g;

	for (uint32_t v = 1; v <= first; v++)
		edges.emplace_back(0, v);
	for (uint32_t v = 2; v <= first; v++)
		edges.emplace_back(v, 0);
	for (uint32_t v = first; v + 1 < n; v++)
		edges.emplace_back(v, v + 1);
	make_graph(&g, "one without out-edges", n, edges, false, { 0 });
	(void)measured(12, &g, "touched_bytes");
}

/* ---- formats and uploads ------------------------------------------------------------------- */

/* Each format has exactly the documented size, and its upload has a time. */
Test(bfs_cuda_counters, graph_bytes)
{
	const uint32_t n = 300;
	struct graph g;

	make_graph(&g, "random", n, random_edges(n, .1, 0), false, { 2 });

	const uint64_t m = g.input.m;
	const struct {
		size_t variant;
		bool wide;
		double bytes;
	} cases[] = {
		{ 0, false, bfs_bytes_basic(n) },        { 1, false, bfs_bytes_csr16(n, m) },
		{ 1, true, bfs_bytes_csr32(n, m) },      { 2, false, bfs_bytes_csr16(n, m) },
		{ 3, false, 2 * bfs_bytes_csr16(n, m) }, { 3, true, 2 * bfs_bytes_csr32(n, m) },
		{ 4, false, bfs_bytes_ccam(n) },         { 5, false, 2 * bfs_bytes_ccam(n) },
	};

	for (const auto &c : cases) {
		struct gb_metrics metrics = {};
		struct bfs_params params = {};

		params.wide = c.wide;
		search_all(&variants[c.variant], &g, &params, &metrics);
		cr_expect_float_eq(metric(&metrics, "graph_bytes"), c.bytes, .5, "%s",
				   variants[c.variant].name);
	}
}

/* 65536 vertices have 16-bit numbers; one more vertex needs 32 bits. */
Test(bfs_cuda_counters, narrow_columns)
{
	const struct bfs_params params = {};
	struct gb_error err = {};
	void *state = NULL;

	for (const uint32_t n : { 65536u, 65537u }) {
		struct gb_metrics metrics = {};
		struct graph g;

		g.row.assign(n + 1, 1);
		g.row[0] = 0;
		g.column.assign(1, n - 1);
		g.input = {};
		g.input.n = n;
		g.input.m = 1;
		g.input.out = g.input.in = { g.row.data(), g.column.data() };
		g.source = { 0 };
		g.input.source_count = 1;
		g.input.source = g.source.data();
		cr_assert_eq(gb_state_create(&bfs_cuda_csr_paper, &params, &g.input, &state, &err),
			     GB_OK, "%s", err.message);
		cr_assert_eq(gb_state_upload(&bfs_cuda_csr_paper, state, &err), GB_OK);
		bfs_cuda_csr_paper.metrics(state, &metrics);
		cr_expect_float_eq(metric(&metrics, "graph_bytes"),
				   n == 65536 ? bfs_bytes_csr16(n, 1) : bfs_bytes_csr32(n, 1), .5);
		gb_state_destroy(&bfs_cuda_csr_paper, state);
	}
}
