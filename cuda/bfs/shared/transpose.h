/* transpose.h -- transposes the uploaded bit matrix on the device, so that its n * n / 8 bytes are
 * copied from the host only once.
 */
#ifndef GPUBENCH_CUDA_BFS_SHARED_TRANSPOSE_H
#define GPUBENCH_CUDA_BFS_SHARED_TRANSPOSE_H

#include "cuda/bfs/shared/search.h"

enum {
	BFS_FLIP_BLOCK = 256,
	BFS_FLIP_WARPS = BFS_FLIP_BLOCK / WARP,
	BFS_FLIP_WORDS = 8, /* a tile is 256 rows of 8 words, a 32-byte sector of each */
	BFS_FLIP_ROWS = 32 * BFS_FLIP_WORDS,
};

/* One block per tile; blockIdx.x selects 8 words of a row, blockIdx.y 256 rows.  A warp transposes
 * 32 rows of one word: a vote for each bit forms a word of the transpose, which the lane of its row
 * keeps. */
static __global__ void __launch_bounds__(BFS_FLIP_BLOCK)
	bfs_transpose(const uint32_t *matrix, uint32_t *transpose, size_t pitch, uint32_t n)
{
	__shared__ uint32_t tile[BFS_FLIP_ROWS * (BFS_FLIP_WORDS + 1)];
	const uint32_t lane = threadIdx.x % WARP;
	const uint32_t row = blockIdx.y * BFS_FLIP_ROWS, column = blockIdx.x * BFS_FLIP_ROWS;

	for (uint32_t i = threadIdx.x; i < BFS_FLIP_ROWS * BFS_FLIP_WORDS; i += BFS_FLIP_BLOCK) {
		const uint32_t r = i / BFS_FLIP_WORDS, w = i % BFS_FLIP_WORDS;

		tile[r * (BFS_FLIP_WORDS + 1) + w] =
			row + r < n ? matrix[(row + r) * pitch + column / 32 + w] : 0;
	}
	__syncthreads();
	for (uint32_t w = threadIdx.x / WARP; w < BFS_FLIP_WORDS; w += BFS_FLIP_WARPS) {
		const uint32_t v = column + w * 32 + lane;

		for (uint32_t g = 0; g < BFS_FLIP_WORDS; g++) {
			const uint32_t word = tile[(g * 32 + lane) * (BFS_FLIP_WORDS + 1) + w];
			uint32_t turned = 0;

#pragma unroll
			for (uint32_t b = 0; b < 32; b++) {
				const unsigned vote = __ballot_sync(ALL_LANES, word >> b & 1);

				turned = lane == b ? vote : turned;
			}
			if (v < n)
				transpose[v * pitch + row / 32 + g] = turned;
		}
	}
}

/* ---- a matrix and its transpose -------------------------------------------------------------- */

/* The first member of the state of a search that uses both matrices. */
struct bfs_matrices {
	bfs_search search;
	uint32_t *out; /* rows of out-edges */
	uint32_t *in;  /* rows of in-edges: the same array if the graph is symmetric */
};

/* Requires an initialised m->search. */
static inline enum gb_status bfs_matrices_create(bfs_matrices *m, struct gb_error *err)
{
	bfs_search *const s = &m->search;

	(void)bfs_matrix_create(&m->out, s, err);
	bfs_plan_copy(s, m->out, s->input->matrix, (size_t)s->n * s->input->pitch);
	if (!s->input->symmetric)
		return bfs_matrix_create(&m->in, s, err);
	m->in = m->out;
	return err->code;
}

/* Fill in the fields that the kernels' arguments have in common. */
template <class ARRAYS> static inline void bfs_matrices_arrays(const bfs_matrices *m, ARRAYS *a)
{
	a->out = m->out;
	a->in = m->in;
	a->pitch = (uint32_t)m->search.input->pitch;
	a->n = m->search.n;
	a->dist = m->search.dist;
	a->touched = m->search.touched;
}

/* Copy the matrix, transpose it if the graph is directed, and wait.  Each has n rows of
 * input->pitch words. */
static inline enum gb_status bfs_matrices_upload(bfs_matrices *m, struct gb_error *err)
{
	const bfs_input *const input = m->search.input;
	const unsigned tiles = (unsigned)(input->pitch / BFS_FLIP_WORDS);

	if (bfs_search_load(&m->search, err) != GB_OK)
		return err->code;
	if (m->in != m->out)
		bfs_transpose<<<dim3(tiles, tiles), BFS_FLIP_BLOCK, 0, gpu_stream()>>>(
			m->out, m->in, input->pitch, input->n);
	return CUDA_TRY(err, cudaGetLastError()) ? err->code : gpu_wait(err);
}

#endif
