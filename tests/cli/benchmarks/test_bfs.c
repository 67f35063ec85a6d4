/* test_bfs.c -- the verifier of bfs: correct results pass, and each planted fault is found and
 * named.  Graphs are generated or written by hand as edge lists.
 */
#include <stdio.h>
#include <unistd.h>

#include "cli/benchmarks/bfs/bfs_reference.h"
#include "tests/cli/benchmarks/trial.h"
#include "tests/file_of.h"

/* An input, and arrays for a result of both kinds. */
struct scene {
	struct bfs_params *params;
	struct trial trial;
	struct bfs_input *in;
	int32_t *dist, *parent; /* n each, consecutive */
};

/* The parameters are valid until the next call. */
static struct scene start(struct bfs_params p)
{
	static struct bfs_params params;
	struct scene s = { .params = &params };

	params = p;
	params.output = BFS_BOTH;
	s.trial = start_trial(&gb_bfs_benchmark, &params);
	s.in = s.trial.input;
	s.dist = s.trial.output;
	s.parent = s.dist + s.in->n;
	return s;
}

/* Compute a correct result slowly: distances by the reference, parents as the first in-neighbour
 * one level up. */
static void solve(struct scene *s, int64_t sample)
{
	const uint32_t source = bfs_source(s->in, sample);

	cr_assert(bfs_reference(s->in, source, s->dist));
	for (uint32_t v = 0; v < s->in->n; v++) {
		s->parent[v] = v == source ? (int32_t)v : BFS_UNREACHED;
		for (uint64_t e = s->in->in.row[v]; e < s->in->in.row[v + 1]; e++) {
			const uint32_t u = s->in->in.column[e];

			if (v != source && s->dist[v] > 0 && s->dist[u] == s->dist[v] - 1)
				s->parent[v] = (int32_t)u;
		}
	}
}

/* Verify one sample; a refusal ends the trial. */
static void expect(struct scene *s, int64_t sample, const char *fault)
{
	expect_of(&s->trial, sample, fault);
	if (fault)
		end_trial(&s->trial);
}

static struct scene graph_of(const char *ending, const char *text)
{
	struct scene s = start((struct bfs_params){ .file = file_of(ending, text, strlen(text)),
						    .sources = 1 << 20 });

	unlink(s.params->file);
	return s;
}

static struct scene edges(const char *text)
{
	return graph_of(".el", text);
}

/* The sample whose source is `source`. */
static int64_t sample_of(const struct scene *s, uint32_t source)
{
	for (size_t i = 0; i < s->in->source_count; i++)
		if (s->in->source[i] == source)
			return (int64_t)i;
	cr_assert_fail("vertex %u is no source", source);
	return 0;
}

/* 0 -> 1 -> 2 -> 3, 0 -> 4 -> 3, 3 -> 1, 5 -> 0: from 0 the distances are 0 1 2 2 1 and none. */
static struct scene diamond(void)
{
	struct scene s = edges("0 1\n1 2\n2 3\n0 4\n4 3\n3 1\n5 0\n");

	solve(&s, sample_of(&s, 0));
	return s;
}

/* ---- planted faults ----------------------------------------------------------------------- */

/* One wrong value in the result of the diamond. */
Test(bfs_verify, one_wrong_number)
{
	static const struct {
		bool parent;
		int vertex;
		int32_t value;
		const char *words;
	} fault[] = {
		{ false, 3, 3, "the distance of vertex 3 is 3, and it is 2 edges from source 0" },
		{ false, 2, 1, "the distance of vertex 2 is 1, and it is 2 edges from source 0" },
		{ false, 4, BFS_UNREACHED,
		  "vertex 4 of 6 is not reached, and is 1 edges from source 0" },
		{ false, 5, 3,
		  "the distance of vertex 5 is 3, and no path leads there from source 0" },
		{ false, 0, 1, "the distance of vertex 0 is 1, and it is 0 edges" },
		{ true, 0, 5, "the parent of source 0 is 5, not itself" },
		{ true, 2, 4, "the parent of vertex 2 is 4, from where no edge leads" },
		{ true, 1, 2, "the parent of vertex 1 is 2, from where no edge leads" },
		{ true, 2, 0, "the parent of vertex 2 is 0, from where no edge leads" },
		{ true, 4, 6, "the parent of vertex 4 is 6, no vertex of 6" },
		{ true, 4, -2, "the parent of vertex 4 is -2, no vertex of 6" },
		{ true, 3, 2,
		  "the depth in the tree of vertex 3 is 3, and it is 2 edges from source 0" },
		{ true, 4, BFS_UNREACHED,
		  "vertex 3 of 6 is not reached, and is 2 edges from source 0" },
	};

	for (size_t i = 0; i < GB_COUNT(fault); i++) {
		struct scene s = diamond();

		(fault[i].parent ? s.parent : s.dist)[fault[i].vertex] = fault[i].value;
		expect(&s, sample_of(&s, 0), fault[i].words);
	}
}

Test(bfs_verify, the_result_of_another_source)
{
	struct scene s = diamond();

	solve(&s, sample_of(&s, 1));
	expect(&s, sample_of(&s, 0), "from source 0");
}

/* A batch of 64 with correct distances in s->dist and no parents. */
static struct scene batch_of_64(void)
{
	struct scene s = start((struct bfs_params){
		.vertices = 700, .p = 0.01, .sources = 50, .batch = 64, .seed = 4 });

	s.params->output = BFS_DIST;
	for (size_t i = 0; i < 64; i++)
		cr_assert(bfs_reference(s.in, bfs_source(s.in, 64 + (int64_t)i),
					s.dist + i * s.in->n));
	return s;
}

/* Each search of the batch is verified, and all their edges are counted. */
Test(bfs_verify, a_right_batch)
{
	struct scene s = batch_of_64();
	struct gb_error err = { 0 };
	double edges = 0;

	expect(&s, 1, NULL);
	/* with 50 sources and batches of 64, batch 25 is the first one again */
	expect(&s, 26, NULL);
	cr_assert_eq(gb_bfs_benchmark.distinct(s.params, s.in), 25);
	for (int64_t i = 0; i < 64; i++)
		edges += (double)bfs_facts(s.in, 64 + i, &err)->edges;
	cr_assert(edges > 0);
	cr_assert_float_eq(gb_bfs_benchmark.items(s.params, s.in, 1), edges, 0);
	end_trial(&s.trial);
}

Test(bfs_verify, one_wrong_distance_in_search_37)
{
	struct scene s = batch_of_64();
	const uint32_t source = bfs_source(s.in, 64 + 37);
	char fault[100];

	s.dist[37 * s.in->n + 699]++;
	(void)snprintf(fault, sizeof fault,
		       "the distance of vertex 699 is %d, and it is %d edges "
		       "from source %u",
		       s.dist[37 * s.in->n + 699], s.dist[37 * s.in->n + 699] - 1, source);
	expect(&s, 1, fault);
}

/* The next batch has other sources. */
Test(bfs_verify, the_results_of_another_batch)
{
	struct scene s = batch_of_64();

	expect(&s, 2, "from source");
}

Test(bfs_verify, cyclic_parents)
{
	struct scene s = diamond();

	s.parent[1] = 3;
	s.parent[2] = 1;
	s.parent[3] = 2;
	expect(&s, sample_of(&s, 0), "the parents lead from vertex 1 back to itself");
}

Test(bfs_verify, a_parent_of_an_unreached_vertex)
{
	struct scene s = edges("0 1\n2 3\n");

	solve(&s, sample_of(&s, 0));
	s.parent[3] = 2;
	expect(&s, sample_of(&s, 0), NULL); /* 2 is unreached, and so is 3, whatever its parent */
	s.parent[2] = 3;
	expect(&s, sample_of(&s, 0), "the parent of vertex 2 is 3, from where no edge leads");
}

/* A parent on the right level, but without an edge to its child, of each vertex: also the first and
 * the last. */
Test(bfs_verify, a_parent_without_an_edge)
{
	/* 2 -> 1, 2 -> 3, 1 -> 0, 3 -> 4, so that 1 and 3 are as far from 2, and so are 0 and 4. */
	static const struct {
		int vertex;
		int32_t parent;
	} fault[] = { { 0, 3 }, { 4, 1 } };

	for (size_t i = 0; i < GB_COUNT(fault); i++) {
		struct scene s = edges("2 1\n2 3\n1 0\n3 4\n");
		char words[100];

		solve(&s, sample_of(&s, 2));
		expect(&s, sample_of(&s, 2), NULL);
		s.parent[fault[i].vertex] = fault[i].parent;
		(void)snprintf(words, sizeof words,
			       "the parent of vertex %d is %d, from where no edge leads",
			       fault[i].vertex, fault[i].parent);
		expect(&s, sample_of(&s, 2), words);
	}
}

/* If the graph contradicts itself, no result is called wrong. */
Test(bfs_verify, the_reference_is_checked)
{
	struct scene s = diamond();
	struct gb_metrics metrics = { 0 };
	struct gb_error err = { 0 };

	s.in->in.column[s.in->in.row[2]] = 5; /* which is not reached */
	cr_assert_eq(
		gb_bfs_benchmark.verify(s.params, s.in, sample_of(&s, 0), s.dist, &metrics, &err),
		GB_ERUNTIME);
	cr_assert_str_eq(err.message, "the reference's distances from 0 are wrong");
	end_trial(&s.trial);
}

/* The hash of a vertex and its distance is SplitMix64's: of 0 the published first number. */
Test(bfs_verify, digest)
{
	static const int32_t dist[] = { 0, BFS_UNREACHED };

	cr_expect_eq(bfs_digest(dist, 1), UINT64_C(0xe220a8397b1dcdaf));
	cr_expect_eq(bfs_digest(dist, 2) - bfs_digest(dist, 1), UINT64_C(0xb0caed0a7bf9c2c8));
}

/* A graph without a matrix of bits: edges are looked up in the rows. */
Test(bfs_verify, without_a_matrix)
{
	struct scene s = diamond();
	uint32_t *const matrix = s.in->matrix;

	s.in->matrix = NULL;
	expect(&s, sample_of(&s, 0), NULL);
	s.parent[2] = 4;
	expect_of(&s.trial, sample_of(&s, 0),
		  "the parent of vertex 2 is 4, from where no edge leads");
	s.in->matrix = matrix;
	end_trial(&s.trial);
}

/* ---- facts, rates and metrics ------------------------------------------------------------ */

Test(bfs_benchmark, items_are_the_out_degrees_of_reached_vertices)
{
	struct scene s = edges("0 1\n0 1\n1 1\n1 2\n3 0\n3 4\n");

	cr_assert(gb_bfs_benchmark.items(s.params, s.in, sample_of(&s, 0)) == 4);
	cr_assert(gb_bfs_benchmark.items(s.params, s.in, sample_of(&s, 1)) == 2);
	cr_assert(gb_bfs_benchmark.items(s.params, s.in, sample_of(&s, 3)) == 6);
	end_trial(&s.trial);
}

Test(bfs_benchmark, metrics)
{
	struct scene s =
		start((struct bfs_params){ .graph = BFS_GRID, .vertices = 9, .sources = 1 });
	const struct {
		const char *name;
		double value;
	} want[] = { { "vertices", 9 },
		     { "edges", 24 },
		     { "reached", 9 },
		     { "graph500_edges", 12 },
		     { "ccam_bytes", 9 * 128 },
		     { "basic_bytes", 81 },
		     { "csr32_bytes", 80 + 96 },
		     { "csr16_bytes", 80 + 48 },
		     { "crossover16_p", (36 - 80) / 144. },
		     { "crossover32_p", (36 - 80) / 288. } };

	solve(&s, 0);
	expect(&s, 0, NULL);
	for (size_t i = 0; i < GB_COUNT(want); i++)
		cr_assert_float_eq(metric_of(&s.trial, want[i].name), want[i].value, 0, "%s",
				   want[i].name);
	cr_assert(isnan(metric_of(&s.trial, "edges_z_score")));
	end_trial(&s.trial);
}

/* Metrics of a directed graph, and of an undirected one with a loop. */
Test(bfs_benchmark, metrics_of_edges)
{
	struct scene s = diamond();

	expect(&s, sample_of(&s, 0), NULL);
	cr_expect_eq(metric_of(&s.trial, "edges"), 7);
	cr_expect_eq(metric_of(&s.trial, "reached"), 5);
	cr_expect_eq(metric_of(&s.trial, "levels"), 2);
	cr_expect_eq(metric_of(&s.trial, "graph500_edges"), 6);
	end_trial(&s.trial);
	s = graph_of(".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n"
			     "3 2\n");
	solve(&s, sample_of(&s, 0));
	expect(&s, sample_of(&s, 0), NULL);
	cr_expect_eq(metric_of(&s.trial, "edges"), 5);
	cr_expect_eq(metric_of(&s.trial, "graph500_edges"), 3);
	end_trial(&s.trial);
}

/* 10 of 20 possible edges are expected, with a deviation of the root of 5. */
Test(bfs_benchmark, edges_of_a_random_graph)
{
	const struct bfs_params other[] = {
		{ .vertices = 5, .p = 0, .sources = 1 },
		{ .vertices = 5, .p = 1, .sources = 1 },
	};
	struct scene s = start((struct bfs_params){ .vertices = 5, .p = 0.5, .sources = 1 });

	solve(&s, 0);
	expect(&s, 0, NULL);
	cr_expect_neq(s.in->m, 10);
	cr_expect_float_eq(metric_of(&s.trial, "edges_z_score"), ((double)s.in->m - 10) / sqrt(5),
			   1e-12);
	end_trial(&s.trial);
	for (size_t i = 0; i < GB_COUNT(other); i++) {
		s = start(other[i]);
		solve(&s, 0);
		expect(&s, 0, NULL);
		cr_expect(isnan(metric_of(&s.trial, "edges_z_score")), "graph %zu", i);
		end_trial(&s.trial);
	}
}

Test(bfs_benchmark, sizes_and_crossovers)
{
	cr_assert(bfs_bytes_ccam_packed(33) == 33 * 8 && bfs_bytes_ccam(33) == 33 * 128);
	cr_assert(bfs_bytes_csr(65536, 1, 2) == 65537 * 8. + 2);
	cr_assert_float_eq(bfs_crossover(1 << 20, 2, 0), 1 / 16., 1e-6);
	cr_assert_float_eq(bfs_crossover(1 << 20, 4, 0), 1 / 32., 1e-6);
	cr_assert(bfs_crossover(16384, 2, 8) < bfs_crossover(16384, 2, 0));
	cr_assert(isnan(bfs_crossover(1, 2, 0)) && bfs_crossover(2, 2, 0) == 8 / 4.);
	cr_assert(bfs_bytes_ccam(1024) == 1024 * 128 && bfs_bytes_ccam(1025) == 1025 * 256);
	/* At the crossover both need the same space. */
	cr_assert_float_eq(
		bfs_bytes_csr(16384, (uint64_t)(bfs_crossover(16384, 4, 8) * 16384 * 16383), 4),
		bfs_bytes_ccam_packed(16384), 8);
}

Test(bfs_benchmark, dry_run_allocates_as_much)
{
	struct bfs_params params = { .vertices = 65536, .p = 0.05, .sources = 64 };

	cr_assert((double)dry_bytes(&gb_bfs_benchmark, &params) >
		  2 * bfs_bytes_ccam(65536) + 2 * bfs_bytes_csr(65536, 214000000, 4));
}
