/* bfs_common.h -- what the CUDA variants of bfs share: the graph and the result on the device, and
 * their way there and back.
 *
 * A search is run from one source at a time; reset() takes the next one.  run() starts from
 * scratch and leaves the graph alone, so it can be repeated.
 */
#ifndef GPUBENCH_CUDA_BFS_COMMON_H
#define GPUBENCH_CUDA_BFS_COMMON_H

#include <stdlib.h>

#include "common/bfs.h"
#include "common/memory.h"
#include "common/variants.h"
#include "common/workload.h"
#include "cuda/check.h"
#include "cuda/device.h"
#include "cuda/gpu.h"
#include "cuda/primitives_device.h"

/* One search; the first member of a variant's state. */
struct bfs_search {
	struct bfs_params params;
	const struct bfs_input *input;
	uint32_t n, source;
	size_t graph_bytes; /* of the graph's formats on the device, as uploaded or made there */
	/* On the device, n each. */
	int32_t *dist;               /* NULL if not wanted */
	int32_t *parent;             /* NULL if not asked for */
	unsigned long long *touched; /* one: bytes of the graph read by the last run */
};

/* Accepts a search that was never created, but zeroed. */
static inline void bfs_search_release(struct bfs_search *s)
{
	gpu_free(s->dist);
	gpu_free(s->parent);
	gpu_free(s->touched);
}

/* dist: the variant needs the distances even if they are not asked for.  On failure release()
 * frees what there is. */
static inline enum gb_status bfs_search_create(struct bfs_search *s, const void *params,
					       const void *input, bool dist, struct gb_error *err)
{
	s->params = *(const struct bfs_params *)params;
	s->input = (const struct bfs_input *)input;
	s->n = s->input->n;
	if (s->params.output != BFS_PARENT || dist)
		(void)gpu_alloc(&s->dist, s->n, sizeof *s->dist, err);
	if (err->code == GB_OK && s->params.output != BFS_DIST)
		(void)gpu_alloc(&s->parent, s->n, sizeof *s->parent, err);
	if (err->code == GB_OK)
		(void)gpu_alloc(&s->touched, 1, sizeof *s->touched, err);
	return err->code;
}

/* The reset() of every variant whose state starts with a struct bfs_search. */
static inline enum gb_status bfs_search_reset(void *state, int64_t sample, struct gb_error *err)
{
	struct bfs_search *const s = (struct bfs_search *)state;

	(void)err;
	s->source = bfs_source(s->input, sample);
	return GB_OK;
}

/* And its download(). */
static inline enum gb_status bfs_search_download(void *state, void *output, struct gb_error *err)
{
	const struct bfs_search *const s = (const struct bfs_search *)state;
	int32_t *const dist = bfs_output_dist(&s->params, output);
	int32_t *const parent = bfs_output_parent(&s->params, s->input, output);
	const size_t bytes = s->n * sizeof *dist;

	if (dist && !CUDA_OK(err, cudaMemcpyAsync(dist, s->dist, bytes, cudaMemcpyDeviceToHost,
						  gpu_stream())))
		return err->code;
	if (parent && !CUDA_OK(err, cudaMemcpyAsync(parent, s->parent, bytes,
						    cudaMemcpyDeviceToHost, gpu_stream())))
		return err->code;
	return CUDA_OK(err, cudaStreamSynchronize(gpu_stream())) ? GB_OK : err->code;
}

/* And its metrics(), where run() counts what it touches. */
static inline void bfs_search_metrics(void *state, struct gb_metrics *metrics)
{
	const struct bfs_search *const s = (const struct bfs_search *)state;
	unsigned long long touched = 0;

	gb_metric(metrics, "graph_bytes", (double)s->graph_bytes);
	if (cudaMemcpyAsync(&touched, s->touched, sizeof touched, cudaMemcpyDeviceToHost,
			    gpu_stream()) == cudaSuccess &&
	    cudaStreamSynchronize(gpu_stream()) == cudaSuccess)
		gb_metric(metrics, "touched_bytes", (double)touched);
}

/* ---- graphs on the device ------------------------------------------------------------------ */

/* count elements to the device; nothing waits. */
template <class T>
static inline enum gb_status bfs_to_device(T *to, const T *from, size_t count, struct gb_error *err)
{
	if (count == 0)
		return GB_OK;
	return CUDA_OK(err, cudaMemcpyAsync(to, from, count * sizeof *to, cudaMemcpyHostToDevice,
					    gpu_stream()))
		       ? GB_OK
		       : err->code;
}

static inline enum gb_status bfs_csr_create(struct bfs_csr *csr, struct bfs_search *s,
					    struct gb_error *err)
{
	const size_t n = s->n, m = s->input->m;

	if (gpu_alloc(&csr->row, n + 1, sizeof *csr->row, err) != GB_OK ||
	    gpu_alloc(&csr->column, m, sizeof *csr->column, err) != GB_OK)
		return err->code;
	s->graph_bytes += (n + 1) * sizeof *csr->row + m * sizeof *csr->column;
	return GB_OK;
}

static inline void bfs_csr_release(struct bfs_csr *csr)
{
	gpu_free(csr->row);
	gpu_free(csr->column);
}

static inline enum gb_status bfs_csr_upload(struct bfs_csr *csr, const struct bfs_csr *from,
					    const struct bfs_search *s, struct gb_error *err)
{
	if (bfs_to_device(csr->row, from->row, (size_t)s->n + 1, err) != GB_OK)
		return err->code;
	return bfs_to_device(csr->column, from->column, s->input->m, err);
}

/* GB_EUNAVAILABLE, with the reason, if the graph is not kept as a matrix. */
static inline enum gb_status bfs_matrix_create(uint32_t **matrix, struct bfs_search *s,
					       struct gb_error *err)
{
	if (!s->input->matrix)
		return gb_fail(err, GB_EUNAVAILABLE, "%s",
			       s->input->no_matrix ? s->input->no_matrix : "no bit matrix");
	if (gpu_alloc(matrix, (size_t)s->n * s->input->pitch, sizeof **matrix, err) != GB_OK)
		return err->code;
	s->graph_bytes += (size_t)s->n * s->input->pitch * sizeof **matrix;
	return GB_OK;
}

/* Blocks of a cooperative launch: as many of `threads` threads as the device holds of this kernel
 * at once, with `shared` bytes of dynamic shared memory, but no more than `most`. */
template <class K>
static inline unsigned bfs_resident_blocks(K *kernel, int threads, size_t shared, unsigned most)
{
	unsigned blocks;
	int each = 0;

	if (gb_memory_is_dry() ||
	    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, shared) !=
		    cudaSuccess ||
	    each < 1)
		each = 1;
	blocks = (unsigned)each * (unsigned)gpu_sm_count();
	return blocks < most ? blocks : most;
}

/* Each bit of `bits` in turn, from the lowest: its number is left in `bit`. */
#define BFS_FOR_EACH_BIT(bit, bits)                                            \
	for (uint32_t bit##_rest = (bits), bit;                                \
	     bit##_rest && (bit = (uint32_t)__ffs((int)bit##_rest) - 1, true); \
	     bit##_rest &= bit##_rest - 1)

#endif
