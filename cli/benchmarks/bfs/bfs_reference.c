/* bfs_reference.c -- correct distances by a serial search with a queue, and facts derived from them.
 *
 * The distances are themselves checked on every edge, once per source.  Every edge u -> v from a
 * reached u leads at most one level beyond u, so all successors of a reached vertex are reached.
 * Each reached vertex except the source has a predecessor one level before its own.  Only a digest
 * of the distances is kept.
 */
#include "cli/benchmarks/bfs/bfs_reference.h"

#include <inttypes.h>
#include <stdlib.h>

bool bfs_reference(const struct bfs_input *in, uint32_t source, int32_t *dist)
{
	uint32_t *queue = malloc(in->n * sizeof *queue);
	uint32_t head = 0, end = 1;

	if (!queue)
		return false;
	for (uint32_t v = 0; v < in->n; v++)
		dist[v] = BFS_UNREACHED;
	dist[source] = 0;
	queue[0] = source;
	while (head < end && end < in->n) {
		const uint32_t u = queue[head++];

		for (uint64_t e = in->out.row[u]; e < in->out.row[u + 1]; e++) {
			const uint32_t v = in->out.column[e];

			if (dist[v] != BFS_UNREACHED)
				continue;
			dist[v] = dist[u] + 1;
			queue[end++] = v;
		}
	}
	free(queue);
	return true;
}

/* True if v has an in-edge from the level before its own. */
static bool has_predecessor(const struct bfs_input *in, const int32_t *dist, uint32_t v)
{
	for (uint64_t e = in->in.row[v]; e < in->in.row[v + 1]; e++) {
		const int32_t before = dist[in->in.column[e]];

		if (before != BFS_UNREACHED && before + 1 == dist[v])
			return true;
	}
	return false;
}

/* True if every edge of u leads at most one level beyond u. */
static bool edges_obey(const struct bfs_input *in, const int32_t *dist, uint32_t u)
{
	const uint32_t most = (uint32_t)dist[u] + 1;
	bool right = true;

	for (uint64_t e = in->out.row[u]; e < in->out.row[u + 1]; e++)
		right &= (uint32_t)dist[in->out.column[e]] <= most; /* unreached: UINT32_MAX */
	return right;
}

/* True if the distances obey the rules above on every edge. */
static bool is_right(const struct bfs_input *in, uint32_t source, const int32_t *dist)
{
	uint64_t wrong = dist[source] != 0;

#pragma omp parallel for schedule(dynamic, 64) reduction(+ : wrong)
	for (uint32_t v = 0; v < in->n; v++)
		if (dist[v] != BFS_UNREACHED)
			wrong += !edges_obey(in, dist, v) ||
				 (v != source && !has_predecessor(in, dist, v));
	return wrong == 0;
}

/* A bijection in which every bit of the result depends on every bit of x. */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint64_t hash(uint32_t v, int32_t dist)
{
	return mix((uint64_t)v << 32 | (uint32_t)dist);
}

uint64_t bfs_digest(const int32_t *dist, uint32_t n)
{
	uint64_t sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum) if (n > 100000)
	for (uint32_t v = 0; v < n; v++)
		sum += hash(v, dist[v]);
	return sum;
}

bool bfs_has_edge(const struct bfs_input *in, uint32_t u, uint32_t v)
{
	uint64_t low = in->out.row[u], high = in->out.row[u + 1];

	if (in->matrix)
		return in->matrix[u * in->pitch + v / 32] >> v % 32 & 1;
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (in->out.column[middle] < v)
			low = middle + 1;
		else
			high = middle;
	}
	return low < in->out.row[u + 1] && in->out.column[low] == v;
}

static void fill_facts(const struct bfs_input *in, const int32_t *dist, struct bfs_facts *facts)
{
	*facts = (struct bfs_facts){ .known = true, .digest = bfs_digest(dist, in->n) };
	for (uint32_t v = 0; v < in->n; v++) {
		if (dist[v] == BFS_UNREACHED)
			continue;
		facts->reached++;
		facts->edges += in->out.row[v + 1] - in->out.row[v];
		if ((uint32_t)dist[v] > facts->levels)
			facts->levels = (uint32_t)dist[v];
		for (uint64_t e = in->out.row[v]; in->symmetric && e < in->out.row[v + 1]; e++)
			facts->loops += in->out.column[e] == v;
	}
}

const struct bfs_facts *bfs_facts(const struct bfs_input *in, int64_t search, struct gb_error *err)
{
	struct bfs_facts *facts = &in->facts[(size_t)search % in->source_count];
	const uint32_t source = bfs_source(in, search);
	int32_t *dist;

	if (facts->known)
		return facts;
	dist = malloc(in->n * sizeof *dist);
	if (!dist || !bfs_reference(in, source, dist))
		(void)gb_out_of_memory(err, "the reference");
	else if (!is_right(in, source, dist))
		gb_fail(err, GB_ERUNTIME, "the reference's distances from %" PRIu32 " are wrong",
			source);
	else
		fill_facts(in, dist, facts);
	free(dist);
	return facts->known ? facts : NULL;
}
