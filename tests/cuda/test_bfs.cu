/* test_bfs.cu -- the cuda variants of bfs compared with a queue search: sizes around words and
 * warps, graphs that are difficult for some variant, both launches of ccam, batches of sources.
 */
#include "tests/cuda/bfs_search.h"

TestSuite(bfs_cuda, .init = open_gpu, .fini = close_gpu);

/* ---- searches ------------------------------------------------------------------------------ */

/* Sizes around words, warps and the 1024 bits to which rows are padded.  Vertices without in-edges
 * keep every slab open. */
Test(bfs_cuda, random_graphs)
{
	static const struct {
		uint32_t n;
		double p;
		uint32_t orphan, source;
	} graphs[] = {
		{ 1, 0, 0, 0 },   { 33, 0, 0, 32 },  { 31, .1, 0, 0 },    { 32, .1, 0, 0 },
		{ 33, .1, 0, 0 }, { 257, .1, 0, 0 }, { 1025, .02, 0, 5 }, { 700, .1, 50, 49 }
	};

	for (const auto &g : graphs)
		check_edges("random", g.n, random_edges(g.n, g.p, g.orphan), false, { g.source });
}

Test(bfs_cuda, requested_results)
{
	struct graph g;

	make_graph(&g, "random", 100, random_edges(100, .05, 0), false, { 3, 99 });
	check_graph(&g, { BFS_DIST, BFS_PARENT, BFS_BOTH });
}

/* As many levels as vertices. */
Test(bfs_cuda, chain)
{
	std::vector<edge> edges;

	for (uint32_t v = 0; v + 1 < 35; v++)
		edges.emplace_back(v, v + 1);
	check_edges("chain", 35, edges, false, { 0 });
	check_edges("chain both ways", 35, edges, true, { 20 });
}

/* One vertex of large degree.  Its neighbours have no edges, or only the one back. */
Test(bfs_cuda, star)
{
	check_edges("star", 1500, star_edges(1500), false, { 0 });
	check_edges("star both ways", 1500, star_edges(1500), true, { 7 });
}

/* A tree whose last level but one has fan^depth vertices and this many edges, a third of them at
 * few vertices: `most` at each. */
static std::vector<edge> tree_edges(uint32_t fan, int depth, uint32_t edges, uint32_t most,
				    uint32_t *n)
{
	uint32_t first = 0, count = 1;
	std::vector<edge> tree;

	*n = 1;
	for (; depth > 0; depth--, first += count, count *= fan)
		for (uint32_t i = 0; i < count * fan; i++)
			tree.emplace_back(first + i / fan, (*n)++);
	for (uint32_t k = 0; count + k < edges; k++)
		tree.emplace_back(first + (k % 3 ? k % count : k / 3 / most), (*n)++);
	return tree;
}

/* Levels on both sides of the limits of one block: edges, those of one vertex, groups of four, and
 * groups per vertex; with short and long rows. */
Test(bfs_cuda, narrow_levels)
{
	static const struct {
		uint32_t fan;
		int depth;
		uint32_t edges, most;
	} trees[] = { { 4, 2, 25, 60 },    { 4, 2, 26, 60 },   { 15, 2, 600, 60 },
		      { 15, 2, 601, 60 },  { 8, 2, 384, 60 },  { 8, 2, 385, 60 },
		      { 8, 2, 895, 30 },   { 8, 2, 896, 30 },  { 16, 1, 225, 30 },
		      { 16, 1, 226, 30 },  { 4, 1, 58, 60 },   { 4, 1, 59, 60 },
		      { 15, 2, 1024, 60 }, { 15, 2, 1025, 60 } };

	for (const auto &t : trees) {
		uint32_t n;
		std::vector<edge> edges = tree_edges(t.fan, t.depth, t.edges, t.most, &n);
		struct graph g;

		make_graph(&g, "tree", n, edges, true, { 0, n - 1 });
		for (const struct variant &variant : variants) {
			struct gb_metrics metrics = {};
			struct bfs_params params = {};

			params.output = BFS_BOTH;
			if (is_csr(&variant) && !strstr(variant.name, "paper"))
				search_all(&variant, &g, &params, &metrics);
		}
	}
}

/* Two halves without edges between them, with self-loops and parallel edges. */
Test(bfs_cuda, halves)
{
	std::vector<edge> edges = random_edges(60, .2, 0);

	for (edge &e : edges)
		if (e.first / 30 != e.second / 30)
			e.second = e.first;
	edges.insert(edges.end(), edges.begin(), edges.begin() + 100);
	check_edges("halves", 60, edges, false, { 59 });
}

/* Few vertices, many, few, many: a search changes its direction and back. */
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

/* More in-edges from unreachable vertices than one thread scans alone; only the last one comes from
 * the frontier.  No row is behind that of the last vertex.  The many edges of the source make a
 * search go bottom-up at once. */
Test(bfs_cuda, hidden_parent)
{
	const uint32_t in_vain[] = { 7, 8, 9, 39, 40, 41, 72, 73 };
	std::vector<edge> edges;
	uint32_t to = 501;

	for (uint32_t v = 400; v < 500; v++)
		edges.emplace_back(500, v);
	for (const uint32_t count : in_vain) {
		for (uint32_t u = 0; u < count; u++)
			edges.emplace_back(u, to);
		edges.emplace_back(499, to++);
	}
	check_edges("hidden parent", to, edges, false, { 500 });
}

/* The source has a self-loop, and the last level has one vertex.  If the source were counted twice,
 * the search would end a level early. */
Test(bfs_cuda, loop_at_the_source)
{
	std::vector<edge> edges = { { 0, 0 } };

	check_edges("loop at the source", 3, { { 0, 0 }, { 0, 1 }, { 1, 2 } }, false, { 0 });
	for (uint32_t v = 1; v < 69; v++)
		edges.emplace_back(0, v);
	edges.emplace_back(68, 69);
	check_edges("loop at the source", 70, edges, false, { 0 });
}

/* Each of the 700 vertices of a level is the only parent of one vertex of the next, and vertices
 * without in-edges keep the search top-down.  None may be missed in the middle or at the end of a
 * round of ccam. */
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

/* Sizes around tiles, words, chunks, rounds and warps of a block; some sources occur twice in a
 * batch. */
Test(bfs_cuda, batches)
{
	for (const uint32_t n : { 1u, 15u, 16u, 17u, 511u, 513u, 700u }) {
		struct graph g;

		make_graph(&g, "random", n, random_edges(n, n < 100 ? .1 : .02, 30), false,
			   some_sources(n, 40));
		for (const int64_t batch : { 1, 16, 17, 64 })
			search_batches(&g, batch);
	}
}

/* Directed chains, at least as deep as a chunk has blocks of 16 vertices, and not connected: most
 * chunks are empty, in the rows or in the frontiers. */
Test(bfs_cuda, batch_of_chains)
{
	const uint32_t n = 2600;
	std::vector<edge> edges;
	struct graph g;

	for (uint32_t v = 0; v + 65 < n; v++)
		edges.emplace_back(v + 65, v);
	make_graph(&g, "chains", n, edges, false, some_sources(n, 64));

	const double touched = search_batches(&g, 64);

	/* Each row needs at most two tiles per chunk, and a search has about 40 levels (2600 /
	 * 65). */
	cr_expect(touched < .5 * 40 * bfs_bytes_ccam(n), "%g", touched);
}

/* A level that reaches every vertex skips the other rows: of 5 chunks, the four of one round are
 * read once. */
Test(bfs_cuda, batch_leaves_a_dense_graph)
{
	const uint32_t n = 2560;
	struct graph g;

	make_graph(&g, "dense", n, random_edges(n, .3, 0), false, some_sources(n, 64));

	const double touched = search_batches(&g, 64);

	cr_expect_eq(touched, n * 4 * 64., "%g", touched);
}

/* Parents are refused, here and by the variants of one source. */
Test(bfs_cuda, a_batch_refuses_parents)
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
