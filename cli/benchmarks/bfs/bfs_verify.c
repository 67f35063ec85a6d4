/* bfs_verify.c -- verification of the result of a search.
 *
 * Graph500's rules for directed graphs: (1) the parents form a tree, (2) each tree edge joins
 * levels that differ by one, (3) an edge u -> v from a reached u leads at most one level beyond u,
 * (4) the reached vertices are exactly those that have a path from the source, (5) each tree edge
 * is an edge of the graph.
 *
 * Distances are right if they equal those of the reference, which obey rules 3 and 4.  Only digests
 * are compared, so verification reads n numbers and not m edges.  Parents are right if they are
 * edges and form a tree in which the depth of each vertex equals its distance; rule 2 then holds by
 * construction.  The reference runs again only to locate a fault.
 */
#include "cli/benchmarks/bfs/bfs_reference.h"

#include <inttypes.h>
#include <stdlib.h>

enum { UNKNOWN = -2, ON_PATH = -3 };

/* ---- distances --------------------------------------------------------------------------- */

/* Report the wrong distance of v. */
static enum gb_status report_distance(const struct bfs_input *in, uint32_t source, uint32_t v,
				      int32_t have, int32_t want, const char *what,
				      struct gb_error *err)
{
	if (want == BFS_UNREACHED)
		return gb_fail(err, GB_EVERIFY,
			       "%s of vertex %" PRIu32 " is %" PRId32
			       ", and no path leads there from source %" PRIu32,
			       what, v, have, source);
	if (have == BFS_UNREACHED)
		return gb_fail(err, GB_EVERIFY,
			       "vertex %" PRIu32 " of %" PRIu32 " is not reached, and is %" PRId32
			       " edges from source %" PRIu32,
			       v, in->n, want, source);
	return gb_fail(err, GB_EVERIFY,
		       "%s of vertex %" PRIu32 " is %" PRId32 ", and it is %" PRId32
		       " edges from source %" PRIu32,
		       what, v, have, want, source);
}

/* Compare distances with the reference.  `what` names them in the error message. */
static enum gb_status check_distances(const struct bfs_input *in, int64_t search,
				      const int32_t *dist, const char *what, struct gb_error *err)
{
	const struct bfs_facts *facts = bfs_facts(in, search, err);
	const uint32_t source = bfs_source(in, search);
	int32_t *want;

	if (!facts)
		return err->code;
	if (bfs_digest(dist, in->n) == facts->digest)
		return GB_OK;
	want = malloc(in->n * sizeof *want);
	if (want && bfs_reference(in, source, want))
		for (uint32_t v = 0; v < in->n && !err->code; v++)
			if (dist[v] != want[v])
				(void)report_distance(in, source, v, dist[v], want[v], what, err);
	free(want);
	return gb_fail(err, GB_EVERIFY, "the distances from source %" PRIu32 " are wrong", source);
}

/* ---- parents ----------------------------------------------------------------------------- */

/* Check that each parent is the start of an edge to its vertex, or marks the vertex unreached. */
static enum gb_status check_tree_edges(const struct bfs_input *in, uint32_t source,
				       const int32_t *parent, struct gb_error *err)
{
	uint32_t bad = in->n;

	if (parent[source] != (int32_t)source)
		return gb_fail(err, GB_EVERIFY,
			       "the parent of source %" PRIu32 " is %" PRId32 ", not itself",
			       source, parent[source]);
#pragma omp parallel for schedule(static) reduction(min : bad)
	for (uint32_t v = 0; v < in->n; v++) {
		const bool none = parent[v] == BFS_UNREACHED || v == source;

		if (!none && v < bad &&
		    (parent[v] < 0 || (uint32_t)parent[v] >= in->n ||
		     !bfs_has_edge(in, (uint32_t)parent[v], v)))
			bad = v;
	}
	if (bad == in->n)
		return GB_OK;
	if (parent[bad] < 0 || (uint32_t)parent[bad] >= in->n)
		return gb_fail(err, GB_EVERIFY,
			       "the parent of vertex %" PRIu32 " is %" PRId32
			       ", no vertex of %" PRIu32,
			       bad, parent[bad], in->n);
	return gb_fail(err, GB_EVERIFY,
		       "the parent of vertex %" PRIu32 " is %" PRId32 ", from where no edge leads",
		       bad, parent[bad]);
}

/* Store the depth of v in depth[], and that of every vertex on the path from v to the first known
 * one.  False if the path has a cycle; *on is then a vertex of the cycle. */
static bool find_depth(const int32_t *parent, int32_t *depth, uint32_t v, uint32_t *on)
{
	uint32_t top = v;
	int32_t steps = 0;

	while (depth[top] == UNKNOWN) {
		depth[top] = ON_PATH;
		steps++;
		if (parent[top] == BFS_UNREACHED)
			break;
		top = (uint32_t)parent[top];
	}
	*on = top;
	if (depth[top] == ON_PATH && parent[top] != BFS_UNREACHED)
		return false;
	/* If the path ends outside the tree, all of its vertices are unreached. */
	if (depth[top] == ON_PATH || depth[top] == BFS_UNREACHED)
		steps = INT32_MIN;
	else
		steps += depth[top];
	for (uint32_t u = v; depth[u] == ON_PATH; u = (uint32_t)parent[u]) {
		depth[u] = steps < 0 ? BFS_UNREACHED : steps--;
		if (parent[u] == BFS_UNREACHED)
			break;
	}
	return true;
}

static enum gb_status check_parents(const struct bfs_input *in, int64_t search,
				    const int32_t *parent, struct gb_error *err)
{
	const uint32_t source = bfs_source(in, search);
	int32_t *depth;
	uint32_t on = 0;

	if (check_tree_edges(in, source, parent, err))
		return err->code;
	depth = malloc(in->n * sizeof *depth);
	if (!depth)
		return gb_out_of_memory(err, "the verification");
	for (uint32_t v = 0; v < in->n; v++)
		depth[v] = UNKNOWN;
	depth[source] = 0;
	for (uint32_t v = 0; v < in->n && !err->code; v++)
		if (depth[v] == UNKNOWN && !find_depth(parent, depth, v, &on))
			gb_fail(err, GB_EVERIFY,
				"the parents lead from vertex %" PRIu32 " back to itself", on);
	if (!err->code)
		(void)check_distances(in, search, depth, "the depth in the tree", err);
	free(depth);
	return err->code;
}

enum gb_status bfs_verify(const struct bfs_input *in, int64_t search, const int32_t *dist,
			  const int32_t *parent, struct gb_error *err)
{
	if (dist && check_distances(in, search, dist, "the distance", err))
		return err->code;
	return parent ? check_parents(in, search, parent, err) : GB_OK;
}
