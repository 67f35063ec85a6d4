/* graphblas.c -- cpu/graphblas: SuiteSparse:GraphBLAS, with the search of LAGraph, its library of
 * graph algorithms (Mattson and others, "LAGraph: A Community Effort to Collect Graph Algorithms
 * Built on Top of the GraphBLAS", GrAPL 2019).
 *
 * A level is the product of the frontier, a sparse vector, and the adjacency matrix, masked by the
 * vertices that are not reached: along the out-edges of a list, or along the in-edges of the
 * unreached vertices once the frontier has many edges and grows.  The rule is LAGraph's, with its
 * constants.  The semiring gives each new vertex any one of its parents, or just marks it.
 *
 * The matrices are made in upload(): 64-bit columns, no parallel edges, no values.  The vectors
 * belong to the library and are read in download().
 */
#include <GraphBLAS.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/library.h"
#include "common/memory.h"
#include "cpu/bfs/shared/search.h"

/* Pull if the frontier grows and has more than 1 / ALPHA of the unexplored edges or, after an
 * earlier pull, more than 1 / GROWN of the vertices; push again if it shrinks to 1 / SHRUNK. */
enum { ALPHA = 8, GROWN = 8, SHRUNK = 512 };

/* The functions and objects of the library. */
#define SYMBOLS(X)                        \
	X(GrB_init)                       \
	X(GrB_Matrix_new)                 \
	X(GrB_Matrix_free)                \
	X(GrB_Vector_new)                 \
	X(GrB_Vector_free)                \
	X(GrB_Vector_clear)               \
	X(GrB_Vector_wait)                \
	X(GrB_Vector_nvals)               \
	X(GrB_Vector_assign)              \
	X(GrB_Vector_assign_INT32)        \
	X(GrB_Vector_reduce_INT64)        \
	X(GrB_Vector_setElement_BOOL)     \
	X(GrB_Vector_setElement_INT32)    \
	X(GrB_Vector_setElement_INT64)    \
	X(GrB_Vector_extractTuples_INT32) \
	X(GrB_mxv)                        \
	X(GrB_vxm)                        \
	X(GxB_Matrix_pack_CSR)            \
	X(GxB_Vector_Option_set)          \
	X(GxB_Global_Option_get)          \
	X(GxB_Global_Option_set)          \
	X(GrB_ALL)                        \
	X(GrB_BOOL)                       \
	X(GrB_INT32)                      \
	X(GrB_INT64)                      \
	X(GrB_DESC_RS)                    \
	X(GrB_DESC_RSC)                   \
	X(GrB_DESC_S)                     \
	X(GrB_PLUS_MONOID_INT64)          \
	X(GxB_ANY_PAIR_BOOL)              \
	X(GxB_ANY_SECONDI_INT32)
#define X(name) __typeof__(name) *name;
static struct {
	SYMBOLS(X)
} lib;
#undef X

#define TEXT(number)   #number
#define SONAME_(major) "libgraphblas.so." TEXT(major)
#define SONAME         SONAME_(GxB_IMPLEMENTATION_MAJOR)

struct state {
	struct bfs_cpu cpu; /* first member: search.h casts a state to it */
	GrB_Matrix out, in; /* the same if the graph is symmetric */
	GrB_Vector degree;  /* only vertices with out-edges */
	GrB_Vector dist, parent, frontier, edges;
	GrB_Index *index; /* n, for download() */
	int32_t *value;   /* n */
};

static enum gb_status check(GrB_Info info, struct gb_error *err)
{
	if (info == GrB_SUCCESS || info == GrB_NO_VALUE)
		return GB_OK;
	return gb_fail(err, info == GrB_OUT_OF_MEMORY ? GB_EMEMORY : GB_ERUNTIME,
		       "GraphBLAS: error %d", (int)info);
}

/* Load and start the library once per process. */
static enum gb_status start(struct gb_error *err)
{
#define X(name) #name,
	static const char *const name[] = { SYMBOLS(X) };
#undef X
	static GrB_Info info = GrB_PANIC;

	_Static_assert(sizeof lib == sizeof name, "");
	if (gb_library_load(SONAME, name, sizeof name / sizeof *name, &lib, err))
		return err->code;
	if (info != GrB_SUCCESS)
		info = lib.GrB_init(GrB_NONBLOCKING);
	return check(info, err);
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;
	const GrB_Index n = ((const struct bfs_input *)input)->n;

	(void)bfs_cpu_init(&s->cpu, params, input, 0, err);
	s->index = gb_host_alloc(n, sizeof *s->index, err);
	s->value = gb_host_alloc(n, sizeof *s->value, err);
	if (err->code || gb_memory_is_dry() || start(err) ||
	    check(lib.GrB_Vector_new(&s->degree, *lib.GrB_INT64, n), err) ||
	    check(lib.GrB_Vector_new(&s->edges, *lib.GrB_INT64, n), err))
		return err->code;
	return err->code;
}

/* Make a matrix of the edges, with one value for all. */
static enum gb_status make_matrix(GrB_Matrix *matrix, const struct bfs_csr *csr, uint32_t n,
				  struct gb_error *err)
{
	const size_t row_bytes = ((size_t)n + 1) * sizeof(GrB_Index);
	const size_t column_bytes = (csr->row[n] + 1) * sizeof(GrB_Index);
	GrB_Index *row = malloc(row_bytes), *column = malloc(column_bytes);
	bool *one = malloc(sizeof *one);
	GrB_Index count = 0;

	if (!row || !column || !one) {
		gb_out_of_memory(err, "GraphBLAS's matrix");
		goto out;
	}
	*one = true;
	row[0] = 0;
	for (uint32_t u = 0; u < n; u++) {
		for (uint64_t e = csr->row[u]; e < csr->row[u + 1]; e++)
			if (e == csr->row[u] || csr->column[e] != csr->column[e - 1])
				column[count++] = csr->column[e];
		row[u + 1] = count;
	}
	if (!check(lib.GrB_Matrix_new(matrix, *lib.GrB_BOOL, n, n), err))
		(void)check(lib.GxB_Matrix_pack_CSR(*matrix, &row, &column, (void **)&one,
						    row_bytes, column_bytes, sizeof *one, true,
						    false, NULL),
			    err);
out:
	free(row); /* NULL if the matrix owns them */
	free(column);
	free(one);
	return err->code;
}

static void free_matrices(struct state *s)
{
	if (s->in != s->out)
		(void)lib.GrB_Matrix_free(&s->in);
	s->in = NULL;
	(void)lib.GrB_Matrix_free(&s->out);
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = state;
	const struct bfs_input *in = s->cpu.in;

	if (gb_memory_is_dry())
		return GB_OK;
	free_matrices(s);
	(void)lib.GrB_Vector_clear(s->degree);
	if (make_matrix(&s->out, &in->out, in->n, err))
		return err->code;
	s->in = s->out;
	if (!in->symmetric && make_matrix(&s->in, &in->in, in->n, err))
		return err->code;
	for (uint32_t u = 0; u < in->n; u++) {
		const uint64_t degree = in->out.row[u + 1] - in->out.row[u];

		if (degree &&
		    check(lib.GrB_Vector_setElement_INT64(s->degree, (int64_t)degree, u), err))
			return err->code;
	}
	return check(lib.GrB_Vector_wait(s->degree, GrB_MATERIALIZE), err);
}

static const char *excluded(const void *params)
{
	return "conversion to GraphBLAS's matrices";
}

static void free_results(struct state *s)
{
	(void)lib.GrB_Vector_free(&s->dist);
	(void)lib.GrB_Vector_free(&s->parent);
	(void)lib.GrB_Vector_free(&s->frontier);
}

/* Forget the last result. */
static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	free_results(state);
	return bfs_cpu_reset(state, sample, err);
}

/* The numbers that decide on the direction of the next level. */
struct course {
	GrB_Index reached, before; /* vertices of this level and of the one before it */
	int64_t left;              /* edges that are not explored, until the first pull */
	bool pulls, pulled, decides;
};

/* Choose the direction of the next level. */
static enum gb_status turn(struct state *s, struct course *c, struct gb_error *err)
{
	const GrB_Index n = s->cpu.in->n;
	int64_t edges = 0;

	if (c->pulls) {
		c->pulls = c->reached >= c->before || c->reached > n / SHRUNK;
		return GB_OK;
	}
	if (c->left < (int64_t)n) {
		c->decides = false; /* hardly any edges are left */
		return GB_OK;
	}
	if (c->pulled) {
		c->pulls = c->reached > c->before && c->reached > n / GROWN;
		return GB_OK;
	}
	if (check(lib.GrB_Vector_assign(s->edges, s->frontier, NULL, s->degree, *lib.GrB_ALL, n,
					*lib.GrB_DESC_RS),
		  err) ||
	    check(lib.GrB_Vector_reduce_INT64(&edges, NULL, *lib.GrB_PLUS_MONOID_INT64, s->edges,
					      NULL),
		  err))
		return err->code;
	c->left -= edges;
	c->pulls = c->pulled = c->reached > c->before && edges > c->left / ALPHA;
	return GB_OK;
}

/* Make the source the frontier, reached at distance 0 from itself. */
static enum gb_status set_source(struct state *s, struct gb_error *err)
{
	const GrB_Index n = s->cpu.in->n, source = s->cpu.source;

	if (s->cpu.dist &&
	    (check(lib.GrB_Vector_new(&s->dist, *lib.GrB_INT32, n), err) ||
	     check(lib.GxB_Vector_Option_set(s->dist, GxB_SPARSITY_CONTROL, GxB_BITMAP + GxB_FULL),
		   err) ||
	     check(lib.GrB_Vector_setElement_INT32(s->dist, 0, source), err)))
		return err->code;
	if (!s->cpu.parent) {
		if (check(lib.GrB_Vector_new(&s->frontier, *lib.GrB_BOOL, n), err))
			return err->code;
		return check(lib.GrB_Vector_setElement_BOOL(s->frontier, true, source), err);
	}
	if (check(lib.GrB_Vector_new(&s->frontier, *lib.GrB_INT32, n), err) ||
	    check(lib.GrB_Vector_setElement_INT32(s->frontier, (int32_t)source, source), err) ||
	    check(lib.GrB_Vector_new(&s->parent, *lib.GrB_INT32, n), err) ||
	    check(lib.GxB_Vector_Option_set(s->parent, GxB_SPARSITY_CONTROL, GxB_BITMAP + GxB_FULL),
		  err))
		return err->code;
	return check(lib.GrB_Vector_setElement_INT32(s->parent, (int32_t)source, source), err);
}

/* Replace the frontier by the vertices that it reaches, and keep their distances and parents. */
static enum gb_status step(struct state *s, const struct course *c, int32_t level,
			   struct gb_error *err)
{
	const GrB_Semiring semiring =
		s->parent ? *lib.GxB_ANY_SECONDI_INT32 : *lib.GxB_ANY_PAIR_BOOL;
	const GrB_Vector reached = s->parent ? s->parent : s->dist;
	const GrB_Index n = s->cpu.in->n;

	if (check(lib.GxB_Vector_Option_set(s->frontier, GxB_SPARSITY_CONTROL,
					    c->pulls ? GxB_BITMAP : GxB_SPARSE),
		  err) ||
	    check(c->pulls ? lib.GrB_mxv(s->frontier, reached, NULL, semiring, s->in, s->frontier,
					 *lib.GrB_DESC_RSC)
			   : lib.GrB_vxm(s->frontier, reached, NULL, semiring, s->frontier, s->out,
					 *lib.GrB_DESC_RSC),
		  err))
		return err->code;
	if (s->parent && check(lib.GrB_Vector_assign(s->parent, s->frontier, NULL, s->frontier,
						     *lib.GrB_ALL, n, *lib.GrB_DESC_S),
			       err))
		return err->code;
	if (s->dist)
		(void)check(lib.GrB_Vector_assign_INT32(s->dist, s->frontier, NULL, level,
							*lib.GrB_ALL, n, *lib.GrB_DESC_S),
			    err);
	return err->code;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	const GrB_Index n = s->cpu.in->n;
	struct course c = { .reached = 1, .left = (int64_t)s->cpu.in->m, .decides = true };

	free_results(s);
	if (check(lib.GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, s->cpu.threads), err) ||
	    set_source(s, err))
		return err->code;
	for (GrB_Index visited = 1, level = 1; visited < n && c.reached; level++) {
		if ((c.decides && turn(s, &c, err)) || step(s, &c, (int32_t)level, err))
			return err->code;
		c.before = c.reached;
		if (check(lib.GrB_Vector_nvals(&c.reached, s->frontier), err))
			return err->code;
		visited += c.reached;
	}
	if ((s->dist && check(lib.GrB_Vector_wait(s->dist, GrB_COMPLETE), err)) ||
	    (s->parent && check(lib.GrB_Vector_wait(s->parent, GrB_COMPLETE), err)))
		return err->code;
	return GB_OK;
}

/* Copy a vector to n values; vertices without an entry are unreached. */
static enum gb_status copy(struct state *s, GrB_Vector from, int32_t *to, struct gb_error *err)
{
	GrB_Index count = s->cpu.in->n;

	memset(to, 0xff, count * sizeof *to);
	if (check(lib.GrB_Vector_extractTuples_INT32(s->index, s->value, &count, from), err))
		return err->code;
	for (GrB_Index i = 0; i < count; i++)
		to[s->index[i]] = s->value[i];
	return GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = state;

	if ((s->dist && copy(s, s->dist, s->cpu.dist, err)) ||
	    (s->parent && copy(s, s->parent, s->cpu.parent, err)))
		return err->code;
	return bfs_cpu_download(state, output, err);
}

static void destroy(void *state)
{
	struct state *s = state;

	if (!lib.GrB_init)
		return;
	free_matrices(s);
	free_results(s);
	(void)lib.GrB_Vector_free(&s->degree);
	(void)lib.GrB_Vector_free(&s->edges);
}

/* The library that runs, which may be newer than the header. */
static const char *library(void)
{
	static char text[32];
	struct gb_error err = { 0 };
	int version[3] = { 0 };

	if (!text[0] && !start(&err) &&
	    lib.GxB_Global_Option_get(GxB_LIBRARY_VERSION, version) == GrB_SUCCESS)
		(void)snprintf(text, sizeof text, "GraphBLAS %d.%d.%d", version[0], version[1],
			       version[2]);
	return text[0] ? text : "GraphBLAS";
}

const struct gb_variant_ops bfs_cpu_graphblas = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.reset = reset,
	.run = run,
	.download = download,
	.destroy = destroy,
	.excluded = excluded,
	.library = library,
};
