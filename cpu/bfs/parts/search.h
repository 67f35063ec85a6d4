/* search.h -- what the CPU searches share: the arrays of the result, the start of a run, the
 * output.
 *
 * `mark` is the array that says whether a vertex was reached: the distances if there are any,
 * else the parents.  A search that reaches v from u writes the level or u there, and u to `other`,
 * which is the parents if both are there, else NULL.
 */
#ifndef GPUBENCH_CPU_BFS_PARTS_SEARCH_H
#define GPUBENCH_CPU_BFS_PARTS_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/bfs.h"
#include "common/status.h"
#include "common/workload.h"

struct bfs_cpu {
	const struct bfs_input *in;
	enum bfs_output output;
	int threads;
	/* n of each search, room for a multiple of 64; NULL if neither asked for nor needed */
	int32_t *dist;
	int32_t *parent; /* the same; NULL if not asked for */
	int32_t *mark, *other;
	size_t batch;     /* searches of a run: 1, or what was asked for with BFS_WANTS_BATCH */
	int64_t first;    /* of the run to come: number of its first search */
	uint32_t source;  /* and where that starts */
	uint64_t touched; /* of the last run: bytes read of the graph */
};

enum bfs_wants {
	BFS_WANTS_DIST = 1,   /* distances even if only parents are asked for */
	BFS_WANTS_MATRIX = 2, /* GB_EUNAVAILABLE if the input has no matrix of bits */
	BFS_WANTS_LIST = 4,   /* dense.h: lists of vertices */
	BFS_WANTS_BATCH =
		8, /* distances of many searches; without it GB_EUNAVAILABLE for a batch */
};

/* Allocate the arrays. */
enum gb_status bfs_cpu_init(struct bfs_cpu *cpu, const void *params, const void *input,
			    unsigned wants, struct gb_error *err);
/* The start of a run: nothing is reached but the source. */
void bfs_cpu_clear(struct bfs_cpu *cpu);
/* The same for a search that itself writes BFS_UNREACHED where it must. */
void bfs_cpu_start(struct bfs_cpu *cpu);

/* A whole search, level by level: each vertex whose distance is the level is scanned, `row_bytes` of
 * the graph, by threads in no order, for neighbours to be reached at distance `next`.  Scan returns
 * how many it found.  The end is the level that finds none, or when `all` are reached: UINT64_MAX if
 * some may be found twice. */
typedef uint64_t bfs_scan_fn(const struct bfs_cpu *cpu, uint32_t u, int32_t next);
void bfs_cpu_by_levels(struct bfs_cpu *cpu, bfs_scan_fn *scan, size_t row_bytes, uint64_t all);

/* Operations (struct gb_variant_ops) of any variant whose state starts with a struct bfs_cpu:
 * take the sample's source; the result to the workload's output layout; touched_bytes. */
enum gb_status bfs_cpu_reset(void *state, int64_t sample, struct gb_error *err);
enum gb_status bfs_cpu_download(void *state, void *output, struct gb_error *err);
void bfs_cpu_metrics(void *state, struct gb_metrics *metrics);

/* What a search from u writes to mark[v] at this level. */
static inline int32_t bfs_cpu_value(const struct bfs_cpu *cpu, uint32_t u, int32_t level)
{
	return cpu->dist ? level : (int32_t)u;
}

/* n rounded up to whole words of a bitmap, so that vectors may be stored past the end. */
static inline size_t bfs_cpu_room(uint32_t n)
{
	return ((size_t)n + 63) / 64 * 64;
}

#endif
