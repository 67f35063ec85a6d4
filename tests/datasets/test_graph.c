/* test_graph.c -- generated graphs have the structure they promise, whatever the number of
 * threads; files are read strictly, and errors are reported with their place.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/graph.h"
#include "tests/file_of.h"

static struct bfs_input *make(const struct bfs_params *params)
{
	struct gb_error err = { 0 };
	struct bfs_input *in;

	bfs_input_create(params, &in, &err);
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

/* Rows ascending, in-edges the out-edges reversed, matrices the same graph, sources in order. */
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
	{ .graph = BFS_GNP, .vertices = 300, .p = 0.5, .orphans = 0.2, .sources = 9, .seed = 7 },
	{ .graph = BFS_BLOCKS, .vertices = 500, .p = 0.4, .blocks = 7, .sources = 9, .seed = 7 },
	{ .graph = BFS_KRONECKER, .scale = 9, .edgefactor = 8, .sources = 9, .seed = 7 },
	{ .graph = BFS_KRONECKER, .scale = 6, .edgefactor = 8, .multi = 1, .sources = 9 },
	{ .graph = BFS_UNIFORM, .vertices = 600, .edgefactor = 3, .sources = 9, .seed = 7 },
	{ .graph = BFS_UNIFORM, .vertices = 20, .edgefactor = 30, .multi = 1, .sources = 99 },
	{ .graph = BFS_GRID, .vertices = 130, .sources = 9, .seed = 7 },
};

Test(graph, structure)
{
	for (size_t k = 0; k < GB_COUNT(kinds); k++) {
		struct bfs_input *in = make(&kinds[k]);

		check(in);
		bfs_input_destroy(in);
	}
}

Test(graph, the_same_for_any_number_of_threads)
{
	for (size_t k = 0; k < GB_COUNT(kinds); k++) {
		struct bfs_input *one, *five;

		omp_set_num_threads(1);
		one = make(&kinds[k]);
		omp_set_num_threads(5);
		five = make(&kinds[k]);
		cr_assert_eq(one->m, five->m);
		cr_assert_arr_eq(one->out.row, five->out.row, (one->n + 1) * 8);
		cr_assert_arr_eq(one->out.column, five->out.column, one->m * 4);
		cr_assert_arr_eq(one->in.column, five->in.column, one->m * 4);
		cr_assert_arr_eq(one->source, five->source, one->source_count * 4);
		bfs_input_destroy(one);
		bfs_input_destroy(five);
	}
	omp_set_num_threads(omp_get_num_procs());
}

/* Within 4.5 standard deviations, for p with few and with many binary digits. */
Test(graph, gnp_has_the_edges_it_should)
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
		bfs_input_destroy(in);
	}
}

/* Every column is as likely: no bit of a 128-bit block is left out. */
Test(graph, gnp_is_even)
{
	struct bfs_params params = { .vertices = 2048, .p = 0.3, .sources = 1 };
	struct bfs_input *in = make(&params);
	double square = 0;

	for (uint32_t v = 0; v < in->n; v++) {
		const double expected = 2047 * 0.3, deviation = sqrt(2047 * 0.3 * 0.7);
		const double z =
			((double)(in->in.row[v + 1] - in->in.row[v]) - expected) / deviation;

		square += z * z;
	}
	cr_assert(fabs(square / 2048 - 1) < 0.2, "variance %g", square / 2048);
	bfs_input_destroy(in);
}

Test(graph, none_and_all)
{
	struct bfs_params params = { .vertices = 130, .p = 0, .sources = 3 };
	struct bfs_input *in = make(&params);

	cr_assert(in->m == 0 && in->source_count == 1 && in->source[0] == 0);
	bfs_input_destroy(in);
	params.p = 1;
	in = make(&params);
	cr_assert(in->m == 130 * 129 && in->source_count == 3);
	bfs_input_destroy(in);
}

Test(graph, blocks_are_a_chain)
{
	struct bfs_params params = {
		.graph = BFS_BLOCKS, .vertices = 100, .blocks = 10, .p = 1, .sources = 1
	};
	struct bfs_input *in = make(&params);

	for (uint32_t u = 0; u < 100; u++)
		for (uint32_t v = 0; v < 100; v++)
			cr_assert_eq(bit(in->matrix, in, u, v),
				     u != v && abs((int)(u / 10) - (int)(v / 10)) <= 1);
	bfs_input_destroy(in);
}

Test(graph, orphans_have_no_in_edges)
{
	struct bfs_params params = { .vertices = 2000, .p = 0.5, .orphans = 0.1, .sources = 1 };
	struct bfs_input *in = make(&params);
	int orphans = 0;

	for (uint32_t v = 0; v < in->n; v++)
		orphans += in->in.row[v + 1] == in->in.row[v];
	cr_assert(orphans > 130 && orphans < 270, "%d", orphans);
	bfs_input_destroy(in);
}

/* R-MAT's skew: many vertices without edges, a few with very many. */
Test(graph, kronecker_is_skewed)
{
	struct bfs_params params = {
		.graph = BFS_KRONECKER, .scale = 12, .edgefactor = 16, .sources = 1
	};
	struct bfs_input *in = make(&params);
	uint64_t most = 0, none = 0;

	for (uint32_t v = 0; v < in->n; v++) {
		const uint64_t degree = in->out.row[v + 1] - in->out.row[v];

		most = degree > most ? degree : most;
		none += degree == 0;
	}
	cr_assert(most > 500 && none > 500, "%lu %lu", (unsigned long)most, (unsigned long)none);
	cr_assert(in->m < 2 * 16 * 4096 && in->m > 16 * 4096);
	bfs_input_destroy(in);
}

/* ---- files ------------------------------------------------------------------------------- */

struct text_case {
	const char *ending, *text;
	const char *expected; /* edges as "u>v " in order, or the fault after the path */
};

/* More than 255 bytes. */
#define BLANKS_64 "                                                                "
#define BLANKS    BLANKS_64 BLANKS_64 BLANKS_64 BLANKS_64

static const struct text_case good[] = {
	{ ".el", "0 1\n1 2\n", "0>1 1>2 " },
	{ ".el", "2 0\n0 2\n0 1", "0>1 0>2 2>0 " },
	{ ".el", "# SNAP\r\n0\t1\r\n\r\n  1 0 \n% x\n", "0>1 1>0 " },
	{ ".txt", "0 1 3.5 label\n1 1\n1 1\n", "0>1 1>1 1>1 " },
	{ ".gr", "c x\np sp 3 2\na 1 2 7\nc y\na 3 1 -1\n", "0>1 2>0 " },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general\n% c\n3 3 2\n1 2\n3 1\n",
	  "0>1 2>0 " },
	{ ".mtx", "%%matrixmarket MATRIX Coordinate Real General\n\n2 2 2\n1 2 0\n2 1 -1.5e-3",
	  "0>1 1>0 " },
	{ ".mtx",
	  "%%MatrixMarket matrix coordinate integer symmetric\r\n3 3 3\r\n"
	  "1 1 4\r\n2 1 -5\r\n3 2 +6\r\n",
	  "0>0 0>1 1>0 1>2 2>1 " },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general\n5 5 0\n", "" },
	{ ".el",
	  "\xef\xbb\xbf"
	  "0 1\n",
	  "0>1 " },
	{ ".gr",
	  "\xef\xbb\xbf"
	  "p sp 2 1\na 1 2 7\n",
	  "0>1 " },
	{ ".mtx",
	  "\xef\xbb\xbf"
	  "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
	  "0>1 " },
	{ ".el", "000000000000 0000000000001\n00 2\n", "0>1 0>2 " },
	{ ".gr", "p sp 0000000000000000000002 000000000000000000000001\na 000000000001 2 7\n",
	  "0>1 " },
};

static const struct text_case bad[] = {
	{ ".el", "0 1\n0\n", ":2: a vertex number is expected" },
	{ ".el", "0 1\n\n# c\n-1 2\n", ":4: a vertex number is expected" },
	{ ".el", "0 1x\n", ":1: a vertex number is followed by something else" },
	{ ".el", "0 2147483647\n", ":1: the vertex number is too large" },
	{ ".el", "99999999999999999999 0\n", ":1: the vertex number is too large" },
	{ ".el", "0 1\na b\n", ":2: a vertex number is expected" },
	{ ".el", "0 1\n0 ", ":2: a vertex number is expected" },
	{ ".el", "# nothing\n", " holds no edges" },
	{ ".gr", "a 1 2 3\n", ":1: \"p sp VERTICES EDGES\" is expected" },
	{ ".gr", "c only\n", ":1: there is no problem line" },
	{ ".gr", "p sp 3\n", ":1: two numbers are expected" },
	{ ".gr", "p sp 0 0\n", ":1: a graph without vertices" },
	{ ".gr", "p sp 2 1\na 0 1 1\n", ":2: vertex 0 in a file that counts from 1" },
	{ ".gr", "p sp 2 1\na 1 3 1\n", ":2: the vertex is greater than the number of vertices" },
	{ ".gr", "p sp 2 1\na 1 2\n", ":2: the value is no integer" },
	{ ".gr", "p sp 2 1\ne 1 2 1\n", ":2: neither a comment nor an edge" },
	{ ".gr", "p sp 2 2\na 1 2 1\n", ":1: 2 edges are announced, and the file has 1" },
	{ ".mtx", "%%MatrixMarket\n", ":1: only a matrix is a graph" },
	{ ".mtx", "1 1 0\n", ":1: a MatrixMarket file starts with" },
	{ ".mtx", "%%MatrixMarket matrix array real general\n",
	  ":1: only the coordinate format is read" },
	{ ".mtx", "%%MatrixMarket matrix coordinate complex general\n", ":1: the field must be" },
	{ ".mtx", "%%MatrixMarket matrix coordinate real hermitian\n", ":1: the symmetry must be" },
	{ ".mtx", "%%MatrixMarket matrix coordinate real general\n% x\n",
	  ":2: the line of the sizes is missing" },
	{ ".mtx", "%%MatrixMarket matrix coordinate real general\n2 2\n",
	  ":2: rows, columns and entries are expected" },
	{ ".mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n",
	  ":2: the matrix is not square" },
	{ ".mtx", "%%MatrixMarket matrix coordinate real general\n3000000000 3000000000 1\n",
	  ":2: more than 2147483647 vertices" },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 1\n",
	  ":3: two vertices and nothing else are expected" },
	{ ".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 x\n",
	  ":3: the value is no number" },
	{ ".mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1e\n",
	  ":3: the value is no number" },
	{ ".mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1.5\n",
	  ":3: nothing is expected after the value" },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n1 2\n",
	  ":3: an entry above the diagonal" },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n0 1\n",
	  ":3: vertex 0 in a file that counts from 1" },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n",
	  ":3: the vertex is greater than the number of vertices" },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 2\n2 1\n",
	  ":2: 3 entries are announced, and the file has 2" },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n2 1\n",
	  ":2: 1 entries are announced, and the file has 2" },
	{ ".el", "0000000000012345678901 0\n", ":1: the vertex number is too large" },
	{ ".el",
	  "\xef\xbb\xef"
	  "0 1\n",
	  ":1: a vertex number is expected" },
	{ ".el",
	  "0 1\n\xef\xbb\xbf"
	  "0 1\n",
	  ":2: a vertex number is expected" },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general\xff\n2 2 1\n1 2\n",
	  ":1: the symmetry must be" },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general" BLANKS "x\n2 2 1\n1 2\n",
	  ":1: nothing is expected after the symmetry" },
	{ ".mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1" BLANKS "1\n1 2\n",
	  ":2: rows, columns and entries are expected" },
	{ ".gr", "p sp 2 1" BLANKS "1\na 1 2 1\n", ":1: two numbers are expected" },
	{ ".csv", "0 1\n", ": a graph is read from" },
	{ "", "0 1\n", ": a graph is read from" },
};

Test(graph, good_files)
{
	for (size_t i = 0; i < GB_COUNT(good); i++)
		for (int threads = 1; threads <= 7; threads += 3) {
			const char *path =
				file_of(good[i].ending, good[i].text, strlen(good[i].text));
			struct bfs_params params = { .file = path, .sources = 8 };
			struct bfs_input *in;
			char text[256] = "";

			omp_set_num_threads(threads);
			in = make(&params);
			check(in);
			for (uint32_t u = 0; u < in->n; u++)
				for (uint64_t e = in->out.row[u]; e < in->out.row[u + 1]; e++)
					snprintf(text + strlen(text), sizeof text - strlen(text),
						 "%u>%u ", u, in->out.column[e]);
			cr_assert_str_eq(text, good[i].expected);
			bfs_input_destroy(in);
			unlink(path);
		}
	omp_set_num_threads(omp_get_num_procs());
}

/* That reading the file fails with this fault after its path, and leaves nothing behind. */
static void expect_fault(const char *path, const char *fault)
{
	const size_t used = gb_memory_used(GB_HOST_MEMORY);
	struct bfs_params params = { .file = path, .sources = 8 };
	struct gb_error err = { 0 };
	struct bfs_input *in;

	bfs_input_create(&params, &in, &err);
	cr_assert_eq(err.code, GB_EUSAGE, "not found in %s: %s", path, fault);
	cr_assert(!in && !strncmp(err.message, path, strlen(path)), "%s", err.message);
	cr_assert(!strncmp(err.message + strlen(path), fault, strlen(fault)),
		  "expected: %s\n     got: %s", fault, err.message);
	cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), used);
}

Test(graph, malformed_files)
{
	for (size_t i = 0; i < GB_COUNT(bad); i++) {
		const char *path = file_of(bad[i].ending, bad[i].text, strlen(bad[i].text));

		expect_fault(path, bad[i].expected);
		unlink(path);
	}
	expect_fault("/nowhere/at-all.mtx", ": No such file or directory");
	expect_fault(file_of(".el", "", 0), " is empty");
	unlink(file_of(".el", "", 0));
}

/* The first of several faults is reported, whichever thread found it. */
Test(graph, the_first_fault_of_many_lines)
{
	char *text = malloc(1 << 20);
	size_t size = 0;
	const char *path;

	for (int line = 1; line <= 50000; line++)
		size += (size_t)sprintf(text + size,
					line == 30001 || line == 40000 ? "x\n" : "%d 1\n", line);
	path = file_of(".el", text, size);
	omp_set_num_threads(4);
	expect_fault(path, ":30001: a vertex number is expected");
	unlink(path);
	free(text);
	omp_set_num_threads(omp_get_num_procs());
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
			/* An edge list knows neither isolated vertices at the end nor that each
			 * edge has its reverse. */
			cr_assert(e || (again->n == in->n && again->symmetric == in->symmetric));
			cr_assert(again->m == in->m && again->n <= in->n);
			cr_assert_arr_eq(again->out.column, in->out.column, in->m * 4);
			cr_assert_arr_eq(again->out.row, in->out.row, ((size_t)again->n + 1) * 8);
			unlink(params.file);
			bfs_input_destroy(in);
			bfs_input_destroy(again);
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
	bfs_input_destroy(in);
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

static void expect_sg(const void *bytes, size_t size, const char *fault)
{
	const char *path = file_of(".sg", bytes, size);

	expect_fault(path, fault);
	unlink(path);
}

Test(graph, sg_that_others_wrote)
{
	struct bfs_params params = { .sources = 9 };
	struct bfs_input *in;

	params.file = file_of(".sg", &three, sizeof three);
	in = make(&params);
	check(in);
	cr_assert(in->n == 3 && in->m == 3 && !in->symmetric && in->out.column[0] == 1);
	bfs_input_destroy(in);
	params.file = file_of(".sg", &pair, sizeof pair);
	in = make(&params);
	check(in);
	cr_assert(in->n == 2 && in->m == 2 && in->symmetric);
	bfs_input_destroy(in);
	unlink(params.file);
}

/* Rows are sorted where a file leaves them in another order: `three` has them so in its first row,
 * these in a row of the in-edges, and of an undirected graph. */
Test(graph, sg_in_another_order)
{
	struct __attribute__((packed)) {
		uint8_t directed;
		int64_t m, n, row[4];
		int32_t column[4];
	} path = { 0, 4, 3, { 0, 1, 3, 4 }, { 1, 2, 0, 1 } };
	struct directed in_edges = three;
	struct bfs_params params = { .sources = 9 };
	struct bfs_input *in;

	in_edges.column[0] = 1, in_edges.column[1] = 2;
	in_edges.in_column[0] = 2, in_edges.in_column[1] = 0;
	params.file = file_of(".sg", &in_edges, sizeof in_edges);
	in = make(&params);
	check(in);
	cr_assert(in->in.column[0] == 0 && in->in.column[1] == 2);
	bfs_input_destroy(in);
	params.file = file_of(".sg", &path, sizeof path);
	in = make(&params);
	check(in);
	cr_assert(in->symmetric && in->out.column[1] == 0 && in->out.column[2] == 2);
	bfs_input_destroy(in);
	unlink(params.file);
}

Test(graph, malformed_sg)
{
	struct directed d;
	struct undirected u;

	for (size_t size = 1; size < sizeof three; size++)
		expect_sg(&three, size, size < 17 ? ": " : "");
	d = three, d.directed = 2;
	expect_sg(&d, sizeof d, ": byte 0 is 2, neither");
	d = three, d.n = -1;
	expect_sg(&d, sizeof d, ": byte 9: -1 vertices");
	d = three, d.n = INT64_C(1) << 40;
	expect_sg(&d, sizeof d, ": byte 9: 1099511627776 vertices");
	d = three, d.m = INT64_C(1) << 61;
	expect_sg(&d, sizeof d, ": byte 1: 2305843009213693952 edges in a file of");
	d = three, d.m = 2;
	expect_sg(&d, sizeof d, " has 105 bytes, and 3 vertices with 2 edges, directed, take 97");
	d = three, d.row[0] = 1;
	expect_sg(&d, sizeof d, ": byte 17: the edges of vertex 0 start at 1");
	d = three, d.row[1] = 9;
	expect_sg(&d, sizeof d, ": byte 25: the edges of vertex 0 end at 9, and start at 0 of 3");
	d = three, d.row[2] = 1;
	expect_sg(&d, sizeof d, ": byte 33: the edges of vertex 1 end at 1, and start at 2 of 3");
	d = three, d.row[3] = 2;
	expect_sg(&d, sizeof d, ": byte 41: the row pointers end at 2 of 3 edges");
	d = three, d.column[1] = 3;
	expect_sg(&d, sizeof d, ": byte 53: vertex 3 of 3");
	d = three, d.column[1] = -1;
	expect_sg(&d, sizeof d, ": byte 53: vertex -1 of 3");
	d = three, d.in_row[2] = 1;
	expect_sg(&d, sizeof d, ": byte 61: the in-edges are not the out-edges reversed");
	d = three, d.in_row[1] = 9;
	expect_sg(&d, sizeof d, ": byte 69: the edges of vertex 0 end at 9, and start at 0 of 3");
	d = three, d.in_column[1] = 3;
	expect_sg(&d, sizeof d, ": byte 97: vertex 3 of 3");
	d = three, d.in_column[2] = -1;
	expect_sg(&d, sizeof d, ": byte 101: vertex -1 of 3");
	d = three, d.in_column[1] = 1;
	expect_sg(&d, sizeof d, ": byte 61: the in-edges are not the out-edges reversed");
	u = pair, u.column[1] = 1;
	expect_sg(&u, sizeof u, " says that it is undirected, but");
}

Test(graph, each_allocation_of_a_reader_may_fail)
{
	const struct {
		const char *ending;
		const void *bytes;
		size_t size;
	} files[] = { { ".el", "0 1\n1 2\n", 8 },
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
			(void)bfs_input_create(&params, &in, &err);
			gb_memory_fail_at(0);
			failed = err.code || in->no_matrix;
			cr_assert(!err.code || err.code == GB_EMEMORY);
			bfs_input_destroy(in);
			cr_assert_eq(gb_memory_used(GB_HOST_MEMORY), used);
		}
		cr_assert(k > 5 && k < 30);
		unlink(params.file);
	}
}
