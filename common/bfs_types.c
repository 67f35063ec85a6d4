/* bfs.c -- sizes of the graph formats and conversions between them. */
#include "common/bfs_types.h"

#include <math.h>
#include <string.h>

size_t bfs_pitch(uint32_t n)
{
	const size_t bits = (size_t)BFS_PITCH * 8;

	return ((size_t)n + bits - 1) / bits * (BFS_PITCH / sizeof(uint32_t));
}

double bfs_bytes_ccam(uint32_t n)
{
	return (double)n * (double)bfs_pitch(n) * sizeof(uint32_t);
}

double bfs_bytes_ccam_packed(uint32_t n)
{
	const uint64_t words = ((uint64_t)n + 31) / 32;

	return (double)n * (double)words * sizeof(uint32_t);
}

double bfs_bytes_csr(uint32_t n, uint64_t m, size_t column_bytes)
{
	return ((double)n + 1) * sizeof(uint64_t) + (double)m * (double)column_bytes;
}

/* Solves row_bytes (n + 1) + column_bytes p n (n - 1) = bytes of the matrix for p. */
double bfs_crossover(uint32_t n, unsigned column_bytes, unsigned row_bytes)
{
	const double pairs = (double)n * ((double)n - 1);

	if (n < 2)
		return NAN;
	return (bfs_bytes_ccam_packed(n) - row_bytes * ((double)n + 1)) / (column_bytes * pairs);
}

enum gb_status bfs_need_one_source(const struct bfs_params *params, struct gb_error *err)
{
	if (bfs_batch(params) > 1)
		return gb_fail(err, GB_EUNAVAILABLE, "supports one source per run: use --batch=1");
	return err->code;
}

enum gb_status bfs_need_no_parents(const struct bfs_params *params, struct gb_error *err)
{
	if (params->output != BFS_DIST)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "computes distances only, no parents: use --result=dist");
	return err->code;
}

void bfs_expand_bytes(const struct bfs_input *input, uint8_t *bytes)
{
	const size_t n = input->n;

#pragma omp parallel for schedule(dynamic, 64)
	for (size_t u = 0; u < n; u++) {
		memset(bytes + u * n, 0, n);
		for (uint64_t e = input->out.row[u]; e < input->out.row[u + 1]; e++)
			bytes[u * n + input->out.column[e]] = 1;
	}
}

void bfs_narrow_columns(const uint32_t *column, uint64_t m, uint16_t *narrow)
{
#pragma omp parallel for schedule(static)
	for (uint64_t e = 0; e < m; e++)
		narrow[e] = (uint16_t)column[e];
}
