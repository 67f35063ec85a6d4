/* search.h -- the code that the CUDA variants of bfs share: the graph and the result on the device,
 * and copies between host and device.
 *
 * A run searches from one source or from those of one batch; reset() selects the next.  run()
 * starts from scratch and does not modify the graph, so it can be repeated.  The sources belong to
 * the graph that was uploaded, and are copied with it.
 */
#ifndef GPUBENCH_CUDA_BFS_SHARED_SEARCH_H
#define GPUBENCH_CUDA_BFS_SHARED_SEARCH_H

#include <math.h>
#include <string.h>

#include "common/bfs_types.h"
#include "cuda/primitives/device.h"
#include "cuda/runtime/variant.h"

/* The copy of one array to the device. */
struct bfs_copy {
	void *to;
	const void *from;
	size_t bytes;
};

/* Compressed rows on the device.  The columns are in `column16` if 16 bits hold a vertex
 * number, otherwise in `column`; the other pointer is NULL. */
struct bfs_rows {
	uint64_t *row; /* n + 1 */
	uint32_t *column;
	uint16_t *column16;
};

enum { BFS_COPIES = 4 };

/* The search, or the batch of searches, of a run.  It is the first member of a variant's state. */
struct bfs_search {
	bfs_params params;
	const bfs_input *input;
	uint32_t n, source; /* source: of search number `number`, the first of the run */
	int64_t number;
	uint32_t *sources;  /* on the host, input->source_count; copied by upload() */
	size_t graph_bytes; /* size of the graph on the device, uploaded and derived formats */
	/* On the device, n per search of the batch. */
	int32_t *dist;               /* NULL if not needed */
	int32_t *parent;             /* NULL if not requested */
	unsigned long long *touched; /* one: bytes of the graph read by the last run */
	bfs_copy copy[BFS_COPIES];   /* of upload() */
	unsigned copies;
	uint64_t uploads; /* by upload() */
	double pinned_ns; /* see bfs_time_pinned(); 0: not yet timed */
	/* 16-bit columns on the host and the columns they are made of; NULL if not needed. */
	uint16_t *column16[2];
	const uint32_t *column32[2];
};

/* Create the state of all requested searches.  dist: the variant needs the distances even if they
 * are not requested. */
static inline enum gb_status bfs_searches_create(bfs_search *s, const void *params,
						 const void *input, bool dist, struct gb_error *err)
{
	s->params = *(const bfs_params *)params;
	s->input = (const bfs_input *)input;
	s->n = s->input->n;
	if (s->params.output != BFS_PARENT || dist)
		(void)gpu_alloc(&s->dist, bfs_output_count(&s->params, s->input), err);
	if (s->params.output != BFS_DIST)
		(void)gpu_alloc(&s->parent, bfs_output_count(&s->params, s->input), err);
	s->sources = (uint32_t *)gb_host_alloc(s->input->source_count, sizeof *s->sources, err);
	gb_memory_result(s->dist, GB_WHOLE, GB_POISON);
	gb_memory_result(s->parent, GB_WHOLE, GB_POISON);
	return gpu_alloc(&s->touched, 1, err);
}

/* The same for a variant that runs one search at a time. */
static inline enum gb_status bfs_search_create(bfs_search *s, const void *params, const void *input,
					       bool dist, struct gb_error *err)
{
	(void)bfs_need_one_source((const bfs_params *)params, err);
	return bfs_searches_create(s, params, input, dist, err);
}

/* The source of search number `search` in the graph on the device; see bfs_source(). */
static inline uint32_t bfs_search_source(const bfs_search *s, int64_t search)
{
	return s->sources[(size_t)search % s->input->source_count];
}

/* The reset() of every variant whose state starts with a struct bfs_search. */
static inline enum gb_status bfs_search_reset(bfs_search *s, int64_t sample, struct gb_error *err)
{
	s->number = sample;
	s->source = bfs_search_source(s, sample);
	return GB_OK;
}

/* The download() of these variants. */
static inline enum gb_status bfs_search_download(const bfs_search *s, void *output,
						 struct gb_error *err)
{
	int32_t *const dist = bfs_output_dist(&s->params, output);
	int32_t *const parent = bfs_output_parent(&s->params, s->input, output);
	const size_t bytes = bfs_output_count(&s->params, s->input) * sizeof *dist;

	if (dist)
		(void)gpu_download(dist, s->dist, bytes, err);
	if (parent)
		(void)gpu_download(parent, s->parent, bytes, err);
	return err->code;
}

/* ---- graphs on the device ------------------------------------------------------------------ */

/* Plan the copy of count elements for upload(). */
template <class T>
static inline void bfs_plan_copy(bfs_search *s, T *to, const T *from, size_t count)
{
	if (count)
		s->copy[s->copies++] = { to, from, count * sizeof *to };
}

/* Queue the planned copies. */
static inline enum gb_status bfs_search_copy(const bfs_search *s, struct gb_error *err)
{
	for (unsigned i = 0; i < s->copies; i++)
		if (CUDA_TRY(err, cudaMemcpyAsync(s->copy[i].to, s->copy[i].from, s->copy[i].bytes,
						  cudaMemcpyHostToDevice, gpu_stream())))
			return err->code;
	return GB_OK;
}

/* An upload without the conversions. */
static inline enum gb_status bfs_search_recopy(bfs_search *s, struct gb_error *err)
{
	return bfs_search_copy(s, err) ? err->code : gpu_wait(err);
}

/* The shortest of three uploads, in ns of host time; NAN if one fails. */
static inline double bfs_time_upload(bfs_search *s)
{
	struct gb_error ignored = {};
	double best = NAN;

	for (int i = 0; i < 3; i++) {
		const double start = gb_now_ns();

		if (bfs_search_recopy(s, &ignored) != GB_OK)
			return NAN;
		best = fmin(best, gb_now_ns() - start);
	}
	return best;
}

/* Time the copies from the same arrays after page-locking them; the locking is not timed.  The time
 * is NAN if an array cannot be locked, for example a small one that shares a page with another. */
static inline void bfs_time_pinned(bfs_search *s)
{
	unsigned locked = 0;

	s->pinned_ns = NAN;
	while (locked < s->copies &&
	       cudaHostRegister(const_cast<void *>(s->copy[locked].from), s->copy[locked].bytes,
				cudaHostRegisterDefault) == cudaSuccess)
		locked++;
	if (locked == s->copies)
		s->pinned_ns = bfs_time_upload(s);
	while (locked > 0)
		(void)cudaHostUnregister(const_cast<void *>(s->copy[--locked].from));
	(void)cudaGetLastError(); /* a failure here does not fail the search */
}

/* Convert the columns, copy the sources and queue the planned copies: the first part of every
 * upload(). */
static inline enum gb_status bfs_search_load(bfs_search *s, struct gb_error *err)
{
	for (int i = 0; i < 2; i++)
		if (s->column16[i] && s->uploads == 0)
			bfs_narrow_columns(s->column32[i], s->input->m, s->column16[i]);
	memcpy(s->sources, s->input->source, s->input->source_count * sizeof *s->sources);
	s->source = bfs_search_source(s, s->number); /* metrics() may search again */
	s->uploads++;
	return bfs_search_copy(s, err);
}

/* The upload() of every variant that only needs the copies. */
static inline enum gb_status bfs_search_upload(bfs_search *s, struct gb_error *err)
{
	return bfs_search_load(s, err) ? err->code : gpu_wait(err);
}

/* Report the size of the graph on the device and the duration of its upload from page-locked
 * memory, if there was one upload(): after the second, the input may differ from the graph on the
 * device, which must not change. */
static inline void bfs_graph_metrics(bfs_search *s, struct gb_metrics *metrics)
{
	if (s->uploads == 1 && s->pinned_ns == 0)
		bfs_time_pinned(s);
	gb_metric(metrics, "graph_bytes", (double)s->graph_bytes);
	if (s->pinned_ns > 0)
		gb_metric(metrics, "upload_pinned_ms", s->pinned_ns * 1e-6);
}

/* The metrics() of these variants if run() counts the bytes it reads. */
static inline void bfs_search_metrics(bfs_search *s, struct gb_metrics *metrics)
{
	unsigned long long touched = 0;
	struct gb_error ignored = {};

	bfs_graph_metrics(s, metrics);
	if (gpu_download(&touched, s->touched, sizeof touched, &ignored) == GB_OK)
		gb_metric(metrics, "touched_bytes", (double)touched);
}

/* The operations of a variant that runs one search at a time. */
template <class STATE, auto CREATE, auto UPLOAD, auto RUN, auto METRICS = bfs_search_metrics,
	  unsigned FLAGS = GB_REPEATABLE>
static constexpr struct gb_variant_ops bfs_ops(void)
{
	return {
		.state_size = sizeof(STATE),
		.create = op<CREATE>,
		.upload = op<UPLOAD>,
		.reset = op<bfs_search_reset>,
		.run = op<RUN>,
		.download = op<bfs_search_download>,
		.metrics = op<METRICS>,
		.flags = FLAGS,
	};
}

/* True if columns have 16 bits. */
static inline bool bfs_has_column16(const bfs_params *params, uint32_t n)
{
	return !params->wide && n <= UINT32_C(1) << 16;
}

/* The end vertex of an edge. */
static __device__ __forceinline__ uint32_t bfs_column(const bfs_rows &rows, uint64_t edge)
{
	return rows.column16 ? rows.column16[edge] : rows.column[edge];
}

/* The size of one column. */
static __device__ __forceinline__ uint64_t bfs_column_bytes(const bfs_rows &rows)
{
	return rows.column16 ? sizeof *rows.column16 : sizeof *rows.column;
}

/* Create 16-bit columns on the host and the device. */
static inline enum gb_status bfs_column16_create(bfs_rows *rows, const bfs_csr *from, bfs_search *s,
						 struct gb_error *err)
{
	const size_t m = s->input->m;
	const int i = s->column16[0] ? 1 : 0;

	(void)gpu_alloc(&rows->column16, m, err);
	s->column16[i] = (uint16_t *)gb_host_alloc(m, sizeof **s->column16, err);
	s->column32[i] = from->column;
	bfs_plan_copy(s, rows->column16, s->column16[i], m);
	s->graph_bytes += m * sizeof *rows->column16;
	return err->code;
}

static inline enum gb_status bfs_csr_create(bfs_rows *rows, const bfs_csr *from, bfs_search *s,
					    struct gb_error *err)
{
	const size_t n = s->n, m = s->input->m;

	(void)gpu_alloc(&rows->row, n + 1, err);
	bfs_plan_copy(s, rows->row, from->row, n + 1);
	s->graph_bytes += (n + 1) * sizeof *rows->row;
	if (bfs_has_column16(&s->params, s->n))
		return bfs_column16_create(rows, from, s, err);
	(void)gpu_alloc(&rows->column, m, err);
	bfs_plan_copy(s, rows->column, from->column, m);
	s->graph_bytes += m * sizeof *rows->column;
	return err->code;
}

/* Fail with GB_EUNAVAILABLE and the reason if the graph has no bit matrix. */
static inline enum gb_status bfs_matrix_create(uint32_t **matrix, bfs_search *s,
					       struct gb_error *err)
{
	if (!s->input->matrix)
		return gb_fail(err, GB_EUNAVAILABLE, "%s",
			       s->input->no_matrix ? s->input->no_matrix : "no bit matrix");
	s->graph_bytes += (size_t)s->n * s->input->pitch * sizeof **matrix;
	return gpu_alloc(matrix, (size_t)s->n * s->input->pitch, err);
}

#endif
