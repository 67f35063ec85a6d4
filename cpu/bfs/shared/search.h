/* search.h -- shared by the CPU searches: result arrays, start of a run, output.
 *
 * `mark` is the array that tells whether a vertex was reached: the distances if they exist, else
 * the parents.  A search that reaches v from u writes the level or u to mark[v], and u to other[v].
 * `other` is the parents if both arrays exist, else NULL.
 */
#ifndef GPUBENCH_CPU_BFS_SHARED_SEARCH_H
#define GPUBENCH_CPU_BFS_SHARED_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/benchmark.h"
#include "common/bfs_types.h"
#include "common/status.h"

struct bfs_cpu {
	const struct bfs_input *in;
	enum bfs_output output;
	int threads;
	/* n entries per search, padded to a multiple of 64; NULL if neither asked for nor needed */
	int32_t *dist;
	int32_t *parent; /* same layout; NULL if not asked for */
	int32_t *mark, *other;
	size_t batch;     /* searches per run; 1 without BFS_WANTS_BATCH */
	int64_t first;    /* number of the next run's first search */
	uint32_t source;  /* source of that search */
	uint64_t touched; /* bytes of the graph that the last run read */
};

enum bfs_wants {
	BFS_WANTS_DIST = 1,   /* allocate distances even if only parents are asked for */
	BFS_WANTS_MATRIX = 2, /* GB_EUNAVAILABLE if the input has no matrix of bits */
	BFS_WANTS_LIST = 4,   /* dense.h: allocate lists of vertices */
	BFS_WANTS_BATCH = 8,  /* allow a batch of searches, distances only */
};

/* Allocate the arrays. */
enum gb_status bfs_cpu_init(struct bfs_cpu *cpu, const void *params, const void *input,
			    unsigned wants, struct gb_error *err);
/* Start a run: mark every vertex but the source as unreached. */
void bfs_cpu_clear(struct bfs_cpu *cpu);
/* Start a run of a search that writes BFS_UNREACHED itself. */
void bfs_cpu_start(struct bfs_cpu *cpu);

/* Run a whole search level by level.  Threads scan, in any order, each vertex u whose distance is
 * the current level.  scan reads `row_bytes` of the graph, reaches u's neighbours at the distance
 * `next` and returns how many were new.  The search ends as the paper's does, after a level without
 * a change; with `early`, it also ends once all vertices are reached. */
typedef uint64_t bfs_scan_fn(const struct bfs_cpu *cpu, uint32_t u, int32_t next);
void bfs_cpu_by_levels(struct bfs_cpu *cpu, bfs_scan_fn *scan, size_t row_bytes, bool early);

/* Reach v from u unless it is reached; returns true for one of the threads that try. */
static inline bool bfs_cpu_reach(const struct bfs_cpu *cpu, uint32_t v, uint32_t u, int32_t next)
{
	int32_t none = BFS_UNREACHED;

	if (__atomic_load_n(&cpu->dist[v], __ATOMIC_RELAXED) != none ||
	    !__atomic_compare_exchange_n(&cpu->dist[v], &none, next, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return false;
	if (cpu->parent)
		cpu->parent[v] = (int32_t)u;
	return true;
}

/* Operations (struct gb_variant_ops) for every variant whose state starts with a struct bfs_cpu.
 * reset() takes the sample's source, download() writes the benchmark's output layout, metrics()
 * reports touched_bytes. */
enum gb_status bfs_cpu_reset(void *state, int64_t sample, struct gb_error *err);
enum gb_status bfs_cpu_download(void *state, void *output, struct gb_error *err);
void bfs_cpu_metrics(void *state, struct gb_metrics *metrics);

/* Value that a search from u writes to mark[v] at this level. */
static inline int32_t bfs_cpu_value(const struct bfs_cpu *cpu, uint32_t u, int32_t level)
{
	return cpu->dist ? level : (int32_t)u;
}

/* n rounded up to whole words of a bitmap, so that vector stores may pass the end. */
static inline size_t bfs_cpu_room(uint32_t n)
{
	return ((size_t)n + 63) / 64 * 64;
}

#endif
