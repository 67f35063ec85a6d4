/* test_graph.c -- generated graphs have the promised structure for any number of threads; files are
 * parsed strictly, and errors give their place.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/bfs/write.h"
#include "common/benchmark.h"
#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/graph.h"
#include "tests/digest_of.h"
#include "tests/file_of.h"

/* The input, or NULL. */
static struct bfs_input *create(const struct bfs_params *params, struct gb_error *err)
{
	struct bfs_input *in = gb_input_begin(sizeof *in, err);
	void *input;

	(void)bfs_input_make(in, params, err);
	(void)gb_input_end(in, &input, err);
	return input;
}

static struct bfs_input *make(const struct bfs_params *params)
{
	struct gb_error err = { 0 };
	struct bfs_input *in;

	in = create(params, &err);
	cr_assert_eq(err.code, GB_OK, "%s", err.message);
	return in;
}

static bool bit(const uint32_t *matrix, const struct bfs_input *in, uint32_t u, uint32_t v)
{
	return matrix[u * in->pitch + v / 32] >> v % 32 & 1;
}

static bool has_edge(const struct bfs_csr *csr, uint32_t u, uint32_t v)
{
	for (uint64_t e = csr->row[u]; e < csr->row[u + 1]; e++)
		if (csr->column[e] == v)
			return true;
	return false;
}

/* Rows ascend, in-edges are the reversed out-edges, matrices represent the same graph, sources are
 * in order. */
static void check(const struct bfs_input *in)
{
	uint64_t bits = 0, different = 0;

	cr_assert(in->out.row[0] == 0 && in->out.row[in->n] == in->m);
	cr_assert(in->in.row[0] == 0 && in->in.row[in->n] == in->m);
	for (uint32_t u = 0; u < in->n; u++)
		for (uint64_t e = in->out.row[u]; e < in->out.row[u + 1]; e++) {
			const uint32_t v = in->out.column[e];
			const bool repeated = e > in->out.row[u] && in->out.column[e - 1] == v;

			cr_assert(v < in->n && (e == in->out.row[u] || in->out.column[e - 1] <= v));
			different += !repeated;
			cr_assert(has_edge(&in->in, v, u));
			cr_assert(!in->symmetric || has_edge(&in->out, v, u));
			if (in->matrix)
				cr_assert(bit(in->matrix, in, u, v) &&
					  bit(in->matrix_in, in, v, u));
		}
	for (uint32_t u = 0; u < in->n; u++)
		for (uint64_t e = in->in.row[u] + 1; e < in->in.row[u + 1]; e++)
			cr_assert(in->in.column[e - 1] <= in->in.column[e]);
	for (size_t j = 0; in->matrix && j < in->n * in->pitch; j++)
		bits += (unsigned)__builtin_popcount(in->matrix[j]);
	cr_assert(!in->matrix || bits == different);
	for (size_t i = 0; i < in->source_count; i++) {
		const uint32_t s = in->source[i];

		cr_assert(s < in->n && (in->out.row[s + 1] > in->out.row[s] || in->m == 0));
		for (size_t k = 0; k < i; k++)
			cr_assert(in->source[k] != s);
	}
}

static const struct bfs_params kinds[] = {
	{ .graph = BFS_GNP, .vertices = 777, .p = 0.03, .sources = 9, .seed = 7 },
	{ .graph = BFS_KRONECKER, .scale = 9, .edgefactor = 8, .sources = 9, .seed = 7 },
	{ .graph = BFS_UNIFORM, .vertices = 600, .edgefactor = 3, .sources = 9, .seed = 7 },
	{ .graph = BFS_GRID, .vertices = 130, .sources = 9, .seed = 7 },
};
static const uint64_t known[GB_COUNT(kinds)] = { UINT64_C(0xbe521a5bfb8833d1),
						 UINT64_C(0x154e85846ba072e3),
						 UINT64_C(0xf44c58ebcc432cb5),
						 UINT64_C(0xabf95869dc3e351c) };

/* The digest of the edges and the sources. */
static uint64_t digest(const struct bfs_input *in)
{
	uint64_t all = digest_of(0, in->out.row, (in->n + 1) * sizeof *in->out.row);

	all = digest_of(all, in->out.column, in->m * sizeof *in->out.column);
	all = digest_of(all, in->in.column, in->m * sizeof *in->in.column);
	return digest_of(all, in->source, in->source_count * sizeof *in->source);
}

/* Known digests, for any number of threads. */
Test(graph, structure)
{
	for (size_t k = 0; k < GB_COUNT(kinds); k++)
		for (int threads = 1; threads <= 5; threads += 4) {
			struct bfs_input *in;

			omp_set_num_threads(threads);
			in = make(&kinds[k]);
			check(in);
			cr_expect_eq(digest(in), known[k], "kind %zu: 0x%016lx", k, digest(in));
			gb_input_release(in);
		}
	omp_set_num_threads(omp_get_num_procs());
}

/* The number of edges is within 4.5 standard deviations, for p with few and with many binary
 * digits. */
Test(graph, gnp_has_the_expected_edges)
{
	const double p[] = { 0.05, 0.15, 0.32, 0.5, 1 / 3., 0.001 };
	const double pairs = 3000. * 2999;

	for (size_t k = 0; k < GB_COUNT(p); k++) {
		struct bfs_params params = { .vertices = 3000, .p = p[k], .sources = 1 };
		struct bfs_input *in = make(&params);
		const double z = ((double)in->m - pairs * p[k]) / sqrt(pairs * p[k] * (1 - p[k]));

		cr_assert(fabs(z) < 4.5, "p = %g: z = %g", p[k], z);
		for (uint32_t v = 0; v < in->n; v++)
			cr_assert(!bit(in->matrix, in, v, v));
		gb_input_release(in);
	}
}

Test(graph, no_edges_and_all_edges)
{
	struct bfs_params params = { .vertices = 130, .p = 0, .sources = 3 };
	struct bfs_input *in = make(&params);

	cr_assert(in->m == 0 && in->source_count == 1 && in->source[0] == 0);
	gb_input_release(in);
	params.p = 1;
	in = make(&params);
	cr_assert(in->m == 130 * 129 && in->source_count == 3);
	gb_input_release(in);
}

/* ---- files ------------------------------------------------------------------------------- */

struct text_case {
	const char *ending, *text;
	const char *expected; /* edges as "u>v " in order, or the fault without the path */
};

#define MTX(kind) "%%MatrixMarket matrix coordinate " kind "\n"
#define MARK      "\xef\xbb\xbf"
/* More than 255 bytes. */
#define BLANKS_64 "                                                                "
#define BLANKS    BLANKS_64 BLANKS_64 BLANKS_64 BLANKS_64

static const struct text_case good[] = {
	{ ".el", "0 1\n1 2\n", "0>1 1>2 " },
	{ ".el", "2 0\n0 2\n0 1", "0>1 0>2 2>0 " },
	{ ".el", "# SNAP\r\n0\t1\r\n\r\n  1 0 \n% x\n", "0>1 1>0 " },
	{ ".txt", "0 1 3.5 label\n1 1 2\n1 1 2\n", "0>1 1>1 1>1 " },
	{ ".gr", "c x\np sp 3 2\na 1 2 7\nc y\na 3 1 -1\n", "0>1 2>0 " },
	{ ".mtx", MTX("pattern general") "% c\n3 3 2\n1 2\n3 1\n", "0>1 2>0 " },
	{ ".mtx", "%%matrixmarket MATRIX Coordinate Real General\n\n2 2 2\n1 2 0\n2 1 -1.5e-3",
	  "0>1 1>0 " },
	{ ".mtx",
	  "%%MatrixMarket matrix coordinate integer symmetric\r\n3 3 3\r\n"
	  "1 1 4\r\n2 1 -5\r\n3 2 +6\r\n",
	  "0>0 0>1 1>0 1>2 2>1 " },
	{ ".mtx", MTX("pattern general") "5 5 0\n", "" },
	{ ".el", MARK "0 1\n", "0>1 " },
	{ ".el", "# Nodes: 4 Edges: 3\n3 2\n2 3\n2 2\n", "2>2 2>3 3>2 " },
	{ ".el", "%\tsym\tunweighted\n3 2\n1 1\n", "0>0 1>2 2>1 " },
	{ ".el", "3 0\n", "1>0 " },
	{ ".gr", "0 1\n1 2\n", "0>1 1>2 " },
	{ ".csv", ":START_ID,:END_ID,:TYPE\n0,1,x\n", "0>1 " },
	{ ".csv", "id_a,id_b\n0,1\n", "0>1 " },
	{ ".txt", "\xc3\xa4 b\n0 1\n", "0>1 " },
	{ ".graph", "0 1\n1 2\n", "0>1 1>2 " },
	{ ".mtx", "p sp 2 1\na 1 2 7\n", "0>1 " },
	{ ".sg", "0 1\n1 2\n", "0>1 1>2 " },
	{ ".el", "# Undirected graph\n0 1\n1 0\n1 2\n2 1\n", "0>1 1>0 1>2 2>1 " },
	{ ".csv", "\"from\"|\"to\"|date\n7|9|2010-03-13\n", "0>1 " },
	{ ".gr", MARK "p sp 2 1\na 1 2 7\n", "0>1 " },
	{ ".mtx", MARK MTX("pattern general") "2 2 1\n1 2\n", "0>1 " },
	{ ".el", "000000000000 0000000000001\n00 2\n", "0>1 0>2 " },
	{ ".gr", "p sp 0000000000000000000002 000000000000000000000001\na 000000000001 2 7\n",
	  "0>1 " },
	{ ".txt", "5,18446744073709551614\n7,5\n", "0>2 1>0 " },
	{ ".txt", "3 2\n1 2\n2 3\n", "0>1 1>2 " },
	{ ".txt", "3 1", "1>0 " },
	{ ".txt", "3 2\n0 1\n", "0>1 3>2 " },
	{ ".graph", "% c\n3 2 11 1\n9 2 1\n% c\n8 1 1 3 1\n7 2 1\n", "0>1 1>0 1>2 2>1 " },
	{ "", "3 2\n2\n1 3\n2\n", "0>1 1>0 1>2 2>1 " },
	{ "", "% asym unweighted\n4 2\n2 3\n1 4\n2\t2\n", "0>3 1>1 1>2 3>1 " },
	{ ".col", "p edge 3 1\nn 1 5\ne 1 3\n", "0>2 2>0 " },
	/* each edge at both ends, declared once or twice, and at one end, declared twice */
	{ ".col", "p col 3 4\ne 1 3\ne 1 2\n", "0>1 0>2 1>0 2>0 " },
	{ ".col", "p edge 3 4\ne 1 3\ne 1 2\ne 3 1\ne 2 1\n", "0>1 0>2 1>0 2>0 " },
	{ ".col", "p col 3 1\ne 1 3\ne 3 1\n", "0>2 2>0 " },
	{ ".mtx", MTX("pattern symmetric") "2 2 3\n1 2\n2 2\n2 1\n", "0>1 1>0 1>1 " },
	{ ".gr", "p sp 3 2\na 1 2\na 3 2\n", "0>1 2>1 " },
	{ ".graph", "2 1 1\n1 .5 2 1.5\n1 1.5\n", "0>0 0>1 1>0 " },
};

static const struct text_case bad[] = {
	{ ".el", "0 1\n0\n", ":2: the line ends where a vertex should be" },
	{ ".el", "0 1\n\n# c\n-1 2\n", ":4: a vertex is not a natural number: -1" },
	{ ".txt", "\"from\" \"to\"\n\"1\" 1 2\n", ":1: the first two columns are not named" },
	{ ".csv", "id,u,v\n0,5,6\n", ":1: the first two columns are not named" },
	{ ".csv", "source,weight,target\n1,5,2\n", ":1: the first two columns are not named" },
	{ ".csv", ",src,dst\n0,5,6\n", ":1: the first two columns are not named as ends" },
	{ ".el", "0 1x\n", ":1: a vertex is not a natural number: 1x" },
	{ ".el", "99999999999999999999 0\n", ":1: the vertex number does not fit in 64 bits" },
	{ ".el", "0 1 2\n1 2\n", ":2: it has not as many numbers as the lines before" },
	{ ".el", "0 1\na b\n", ":2: a vertex is not a natural number: a" },
	{ ".el", "0 1\n0 ", ":2: the line ends where a vertex should be" },
	{ ".el", "# nothing\n", " holds no edges" },
	{ ".el", "", " is empty" },
	{ ".gr", "a 1 2 3\n", ":1: \"p sp VERTICES EDGES\" is expected" },
	{ ".gr", "c only\n", ":1: \"p sp VERTICES EDGES\" is expected" },
	{ ".gr", "p sp 3\n", ":1: two numbers are expected" },
	{ ".gr", "p sp 0 0\n", ":1: a graph without vertices" },
	{ ".gr", "p sp 2 1\na 0 1 1\n", ":2: vertex 0 in a file that counts from 1" },
	{ ".gr", "p sp 2 1\na 1 3 1\n", ":2: the vertex is greater than the number of vertices" },
	{ ".gr", "p sp 2 2\na 1 2\na 2 1 7\n",
	  ":3: it has not as many numbers as the lines before" },
	{ ".gr", "p aux sp co 1\nv 1 5 5\n", ":1: \"p aux\" does not state a graph" },
	{ ".gr", "p sp 2 1\ne 1 2 1\n", ":2: neither a comment nor an edge" },
	{ ".gr", "p sp 2 2\na 1 2 1\n", ":1: the header declares 2 edges, but the file has 1" },
	{ ".mtx", "%%MatrixMarket\n", ":1: only a matrix is a graph" },
	{ ".mtx", "x 1 0\n", ":1: a Matrix Market file starts with" },
	{ ".mtx", "%%MatrixMarket matrix array real general\n",
	  ":1: only the coordinate format is read" },
	{ ".mtx", MTX("general"), ":1: the symmetry must be" },
	{ ".mtx", MTX("real diagonal"), ":1: the symmetry must be" },
	{ ".mtx", MTX("real general") "% x\n", ":2: rows, columns and entries are expected" },
	{ ".mtx", MTX("real general") "2\n", ":2: rows, columns and entries are expected" },
	{ ".mtx", MTX("real general") "2 3 1\n1 1 1\n", ":2: the matrix is not square" },
	{ ".mtx", MTX("real general") "3000000000 3000000000 1\n",
	  ":2: more than 2147483647 vertices" },
	{ ".mtx", MTX("real general") "2 2 1\n1 2 x\n", ":3: the value is not a number" },
	{ ".mtx", MTX("real general") "3 3 2\n1 2\n0.5\n2 3 1\n", ":3: a value is missing" },
	{ ".mtx", MTX("pattern general") "3 3 9999999999999999999\n1 2\n",
	  ":2: the header declares 9999999999999999999 entries, but the file has" },
	{ ".mtx", MTX("integer general") "2 2 1\n1 2 1 5\n",
	  ":3: nothing is expected after the value" },
	{ ".mtx", MTX("pattern general") "2 2 1\n0 1\n",
	  ":3: vertex 0 in a file that counts from 1" },
	{ ".mtx", MTX("pattern general") "2 2 1\n1 3\n",
	  ":3: the vertex is greater than the number of vertices" },
	{ ".mtx", MTX("pattern general") "2 2 3\n1 2\n2 1\n",
	  ":2: the header declares 3 entries, but the file has 2" },
	{ ".mtx", MTX("pattern general") "2 2 1\n1 2\n2 1\n",
	  ":2: the header declares 1 entries, but the file has 2" },
	{ ".el", "18446744073709551615 0\n", ":1: the vertex number does not fit in 64 bits" },
	{ ".el",
	  "\xef\xbb\xef"
	  "0 1\n",
	  ":1: a vertex number is expected; names of vertices" },
	{ ".el", "0 1\n" MARK "0 1\n", ":2: a vertex is not a natural number: ???0" },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general\xff\n2 2 1\n1 2\n",
	  ":1: the symmetry must be" },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general" BLANKS "x\n2 2 1\n1 2\n",
	  ":1: nothing is expected after the symmetry" },
	{ ".mtx", MTX("pattern general") "2 2 1" BLANKS "1\n1 2\n",
	  ":2: rows, columns and entries are expected" },
	{ ".gr", "p sp 2 1" BLANKS "1\na 1 2 1\n", ":1: two numbers are expected" },
	{ ".graph", "3 3\n2\n1 3\n2\n", ":1: the header declares 3 edges, but the file has 2" },
	{ ".graph", "3 1\n2\n3\n\n", ":1: an edge is listed at one of its ends only" },
	{ ".graph", "2 1 2\n2\n1\n", ":2: the line ends where a vertex should be" },
	{ ".graph", "2 1\n2\n3\n", ":3: the neighbour is not a vertex of the graph" },
	{ ".txt", "{\"nodes\": []}\n", " is not a graph, but a JSON document" },
	{ ".net", MARK "% c\n\n*vertices 2\n", " is not a graph, but a Pajek network" },
};

/* Expect these edges from the file, which is removed. */
static void expect_edges(const char *path, const char *expected)
{
	struct bfs_params params = { .file = path, .sources = 8 };
	struct bfs_input *in = make(&params);
	char text[256] = "";

	check(in);
	for (uint32_t u = 0; u < in->n; u++)
		for (uint64_t e = in->out.row[u]; e < in->out.row[u + 1]; e++)
			snprintf(text + strlen(text), sizeof text - strlen(text), "%u>%u ", u,
				 in->out.column[e]);
	cr_assert_str_eq(text, expected);
	gb_input_release(in);
	unlink(path);
}

Test(graph, good_files)
{
	for (size_t i = 0; i < GB_COUNT(good); i++)
		for (int threads = 1; threads <= 7; threads += 3) {
			omp_set_num_threads(threads);
			expect_edges(file_of(good[i].ending, good[i].text, strlen(good[i].text)),
				     good[i].expected);
		}
	omp_set_num_threads(omp_get_num_procs());
}

/* Expect that reading fails with this fault and leaks nothing.  The file is removed. */
static void expect_fault(const char *path, const char *fault)
{
	const size_t used = gb_memory_used(GB_HOST_MEMORY);
	struct bfs_params params = { .file = path, .sources = 8 };
	struct gb_error err = { 0 };
	struct bfs_input *in;

	in = create(&params, &err);
	cr_assert_eq(err.code, GB_EUSAGE, "not found in %s: %s", path, fault);
	cr_assert(!in && !strncmp(err.message, path, strlen(path)), "%s", err.message);
	cr_assert(!strncmp(err.message + strlen(path), fault, strlen(fault)),
		  "expected: %s\n     got: %s", fault, err.message);
	cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), used);
	unlink(path);
}

Test(graph, malformed_files)
{
	for (size_t i = 0; i < GB_COUNT(bad); i++)
		expect_fault(file_of(bad[i].ending, bad[i].text, strlen(bad[i].text)),
			     bad[i].expected);
	expect_fault("/nowhere/at-all.mtx", ": No such file or directory");
}

/* The first of several faults is reported, whichever thread finds it. */
Test(graph, the_first_fault_of_many_lines)
{
	char *text = malloc(1 << 20);
	size_t size = 0;

	for (int line = 1; line <= 50000; line++)
		size += (size_t)sprintf(text + size,
					line == 30001 || line == 40000 ? "x\n" : "%d 1\n", line);
	omp_set_num_threads(4);
	expect_fault(file_of(".el", text, size), ":30001: a vertex is not a natural number: x");
	free(text);
	omp_set_num_threads(omp_get_num_procs());
}

/* The peak of memory is at most 8 times the size of an edge list, for ids of any number of digits. */
Test(graph, memory_is_bounded)
{
	const uint64_t steps[] = { 0, 1, 1000, 10000000000 };
	char *text = malloc(8 << 20);

	for (size_t k = 0; k < 2 * GB_COUNT(steps); k++) {
		const size_t used = gb_memory_used(GB_HOST_MEMORY);
		size_t size = (size_t)sprintf(text, k % 2 ? "# Undirected graph\n" : "");
		struct bfs_params params = { .sources = 1 };
		struct bfs_input *in;

		for (uint64_t i = 0; i < 100000; i++)
			size += (size_t)sprintf(text + size, "%lu %lu\n", i * steps[k / 2],
						(i + 70000) * steps[k / 2]);
		params.file = file_of(".el", text, size);
		gb_memory_mark();
		in = make(&params);
		cr_expect_leq(gb_memory_peak(GB_HOST_MEMORY) - used, 8 * size + 4096, "%zu", k);
		gb_input_release(in);
		unlink(params.file);
	}
	free(text);
}

/* Expect the graph without its isolated vertices, or with them. */
static void expect_equal_degrees(const struct bfs_input *in, const struct bfs_input *again)
{
	uint32_t next = 0;

	for (uint32_t v = 0; v < in->n; v++) {
		const uint64_t out = in->out.row[v + 1] - in->out.row[v];

		if (again->n < in->n && out + in->in.row[v + 1] - in->in.row[v] == 0)
			continue;
		cr_assert(next < again->n);
		cr_assert_eq(again->out.row[next + 1] - again->out.row[next], out);
		next++;
	}
	cr_assert_eq(next, again->n);
}

Test(graph, written_and_read_again)
{
	const char *const endings[] = { ".sg", ".el" };

	for (size_t k = 0; k < GB_COUNT(kinds); k++)
		for (size_t e = 0; e < GB_COUNT(endings); e++) {
			struct bfs_input *in = make(&kinds[k]), *again;
			struct bfs_params params = { .sources = 9 };
			struct gb_error err = { 0 };

			params.file = file_of(endings[e], "", 0);
			cr_assert_eq(bfs_graph_write(in, params.file, &err), GB_OK);
			again = make(&params);
			check(again);
			/* An edge list has neither isolated vertices nor the fact that each edge
			 * has its reverse. */
			cr_assert(e || (again->n == in->n && again->symmetric == in->symmetric));
			cr_assert(again->m == in->m);
			if (again->n == in->n)
				cr_assert_arr_eq(again->out.column, in->out.column, in->m * 4);
			expect_equal_degrees(in, again);
			unlink(params.file);
			gb_input_release(in);
			gb_input_release(again);
		}
}

Test(graph, not_written)
{
	struct bfs_input *in = make(&kinds[0]);
	struct gb_error err = { 0 };

	cr_assert_eq(bfs_graph_write(in, "/tmp/graph.mtx", &err), GB_EUSAGE);
	err = (struct gb_error){ 0 };
	cr_assert_eq(bfs_graph_write(in, "/nowhere/graph.sg", &err), GB_EIO);
	err = (struct gb_error){ 0 };
	if (!access("/dev/full", W_OK) && !symlink("/dev/full", "/tmp/gpubench-full.sg")) {
		cr_assert_eq(bfs_graph_write(in, "/tmp/gpubench-full.sg", &err), GB_EIO);
		cr_assert_eq(unlink("/tmp/gpubench-full.sg"), 0, "the user's link stays");
	}
	gb_input_release(in);
}

/* ---- .sg --------------------------------------------------------------------------------- */

/* 0 -> 1, 0 -> 2, 2 -> 1: directed; and 0 - 1: undirected. */
struct __attribute__((packed)) directed {
	uint8_t directed;
	int64_t m, n, row[4];
	int32_t column[3];
	int64_t in_row[4];
	int32_t in_column[3];
};
static const struct directed three = {
	1, 3, 3, { 0, 2, 2, 3 }, { 2, 1, 1 }, { 0, 0, 2, 3 }, { 0, 2, 0 }
};
struct __attribute__((packed)) undirected {
	uint8_t directed;
	int64_t m, n, row[3];
	int32_t column[2];
};
static const struct undirected pair = { 0, 2, 2, { 0, 1, 2 }, { 1, 0 } };

/* Files written by other programs.  Rows are sorted if a file has them in another order, as in the
 * first row of `three` and in the undirected graph `path`. */
Test(graph, sg_of_other_programs)
{
	const struct __attribute__((packed)) {
		uint8_t directed;
		int64_t m, n, row[4];
		int32_t column[4];
	} path = { 0, 4, 3, { 0, 1, 3, 4 }, { 1, 2, 0, 1 } };
	const struct {
		const void *bytes;
		size_t size;
		uint32_t vertices;
		bool symmetric;
		const char *edges;
	} files[] = { { &three, sizeof three, 3, false, "0>1 0>2 2>1 " },
		      { &pair, sizeof pair, 2, true, "0>1 1>0 " },
		      { &path, sizeof path, 3, true, "0>1 1>0 1>2 2>1 " } };

	for (size_t i = 0; i < GB_COUNT(files); i++) {
		struct bfs_params params = { .sources = 9 };
		struct bfs_input *in;

		params.file = file_of(".sg", files[i].bytes, files[i].size);
		in = make(&params);
		cr_assert(in->n == files[i].vertices && in->symmetric == files[i].symmetric);
		gb_input_release(in);
		expect_edges(params.file, files[i].edges);
	}
}

Test(graph, malformed_sg)
{
	const struct {
		size_t at, size; /* position and size of the changed member */
		int64_t value;
		const char *fault;
	} faults[] = {
#define MEMBER(name) offsetof(struct directed, name), sizeof three.name
		{ MEMBER(directed), 2, " does not start with the header" },
		{ MEMBER(n), -1, " does not start with the header" },
		{ MEMBER(n), INT64_C(1) << 40, " does not start with the header" },
		{ MEMBER(m), INT64_C(1) << 61, " does not start with the header" },
		{ MEMBER(m), 2, " has 105 bytes, and 3 vertices with 2 edges, directed, take 97" },
		{ MEMBER(row[0]), 1,
		  ": byte 17: the row pointers go from 1 to 3, not from 0 to 3" },
		{ MEMBER(row[1]), 9,
		  ": byte 25: the edges of vertex 0 end at 9, and start at 0 of 3" },
		{ MEMBER(row[2]), 1,
		  ": byte 33: the edges of vertex 1 end at 1, and start at 2 of 3" },
		{ MEMBER(row[3]), 2,
		  ": byte 17: the row pointers go from 0 to 2, not from 0 to 3" },
		{ MEMBER(column[1]), 3, ": byte 53: vertex 3 of 3" },
		{ MEMBER(column[1]), -1, ": byte 53: vertex -1 of 3" },
	};
	struct undirected u = pair;

	for (size_t size = 1; size < sizeof three; size++)
		expect_fault(file_of(".sg", &three, size), size < 17 ? " does not" : "");
	for (size_t i = 0; i < GB_COUNT(faults); i++) {
		struct directed d = three;

		memcpy((char *)&d + faults[i].at, &faults[i].value, faults[i].size);
		expect_fault(file_of(".sg", &d, sizeof d), faults[i].fault);
	}
	u.column[1] = 1;
	expect_fault(file_of(".sg", &u, sizeof u), " is marked undirected, but");
}

Test(graph, each_allocation_of_a_reader_may_fail)
{
	const struct {
		const char *ending;
		const void *bytes;
		size_t size;
	} files[] = { { ".el", "0 1\n1 2\n", 8 },
		      { ".el", "0 9\n9 2\n", 8 },
		      { ".el", "0 1\n1 99999999999\n", 18 },
		      { ".graph", "2 1\n2\n1\n", 8 },
		      { ".sg", &three, sizeof three },
		      { ".sg", &pair, sizeof pair } };

	for (size_t i = 0; i < GB_COUNT(files); i++) {
		struct bfs_params params = { .sources = 1 };
		const size_t used = gb_memory_used(GB_HOST_MEMORY);
		int64_t k = 1;

		params.file = file_of(files[i].ending, files[i].bytes, files[i].size);
		for (bool failed = true; failed; k++) {
			struct gb_error err = { 0 };
			struct bfs_input *in;

			gb_memory_fail_at(k);
			in = create(&params, &err);
			gb_memory_fail_at(0);
			failed = err.code || in->no_matrix;
			cr_assert(!err.code || err.code == GB_EMEMORY);
			gb_input_release(in);
			cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), used);
		}
		cr_assert(k > 5 && k < 30);
		unlink(params.file);
	}
}
