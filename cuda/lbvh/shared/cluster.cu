/* cluster.cu -- the tree by clustering instead of by codes alone (Benthin, Meister, Barczak,
 * Mehalwal, Tsakok, Kensler 2024: "H-PLOC").
 *
 * Threads climb the codes' tree from the leaves as in shared/hierarchy.cu, but a finished range does
 * not become a node.  It keeps a list of at most THRESHOLD clusters (the paper's merging threshold)
 * and their boxes, ordered along the curve, at the positions of its first leaves.  When two ranges
 * meet, a warp concatenates their lists, one cluster per lane.  While there are more than THRESHOLD
 * clusters, it repeats the steps of PLOC:
 *
 *	1. nearest neighbour: each cluster looks SEARCH_RADIUS positions to both sides for the one
 *	   with the smallest common box
 *	2. mutual pairs: two that are each other's nearest neighbour become a node
 *	3. compaction: the clusters that are left move to the first lanes
 *
 * The last range is merged down to one cluster, the root.
 *
 * Codes and boxes alone decide which clusters merge.  The tree is therefore that of cpu/ploc before
 * its treelets are refined, except for the numbers of inner nodes.  Leaf i brings number i to its
 * range.  A new node takes one, but neither the least nor the largest of its range.  So a list has
 * as many free numbers as clusters, in ascending order, and no counter is shared.  The root takes
 * 0, and the largest number is not used.
 *
 * Progress: the distance of two clusters is a number that both compute alike.  A cluster has no two
 * equal distances, because the lowest bits name the partner.  The two clusters of the smallest
 * distance of all are therefore each other's nearest neighbour.
 *
 * Bound: latency of the joins on the way to the root; then arithmetic and shuffles of the merging,
 * SEARCH_RADIUS neighbours in each of several rounds.
 */
#include "cuda/lbvh/shared/builder.h"

enum {
	BLOCK = 128,
	THRESHOLD = WARP / 2, /* clusters that a range keeps */
	SEARCH_RADIUS = 8,
	PARTNER = 63, /* bits of a distance that name the partner: i ^ j */
};

#define NONE UINT32_MAX

struct cluster {
	float lo[3], hi[3];
	uint32_t node;
};

/* A warp's shared memory: lanes to shuffle from, and numbers for new nodes. */
struct scratch {
	uint32_t source[WARP], number[WARP];
};

/* ---- merging: one cluster per lane, `count` of them ----------------------------------------- */

/* The distance of cluster a and one of box lo, hi: half the surface of the common box, with `lanes`
 * (i ^ j) in its lowest bits.  fminf() is one instruction, and equals lbvh_min() if nothing is NaN
 * or -0. */
static __device__ __forceinline__ int merge_distance(const cluster *a, const float *lo,
						     const float *hi, int lanes)
{
	float edge[3];

	for (int k = 0; k < 3; k++)
		edge[k] = lbvh_add(fmaxf(a->hi[k], hi[k]), -fminf(a->lo[k], lo[k]));

	const float area =
		lbvh_add(lbvh_add(lbvh_mul(edge[0], edge[1]), lbvh_mul(edge[1], edge[2])),
			 lbvh_mul(edge[2], edge[0]));

	return (__float_as_int(area) & ~PARTNER) | lanes;
}

/* The distance of this lane's cluster and its nearest neighbour.  Each distance is computed once,
 * by the lower lane. */
static __device__ __forceinline__ int find_nearest(const cluster *mine, int lane, int count)
{
	int nearest = INT32_MAX;

	for (int offset = 1; offset <= SEARCH_RADIUS; offset++) {
		float lo[3], hi[3];
		int distance = INT32_MAX;

		for (int k = 0; k < 3; k++) {
			lo[k] = __shfl_down_sync(ALL_LANES, mine->lo[k], offset);
			hi[k] = __shfl_down_sync(ALL_LANES, mine->hi[k], offset);
		}
		if (lane + offset < count)
			distance = merge_distance(mine, lo, hi, lane ^ (lane + offset));

		const int theirs = __shfl_up_sync(ALL_LANES, distance, offset);

		nearest = min(nearest, distance);
		if (lane >= offset)
			nearest = min(nearest, theirs);
	}
	return nearest;
}

/* Replace this lane's cluster by that of lane `from`. */
static __device__ __forceinline__ void shuffle_cluster(cluster *mine, int from)
{
	for (int k = 0; k < 3; k++) {
		mine->lo[k] = __shfl_sync(ALL_LANES, mine->lo[k], from);
		mine->hi[k] = __shfl_sync(ALL_LANES, mine->hi[k], from);
	}
	mine->node = __shfl_sync(ALL_LANES, mine->node, from);
}

/* Move the clusters of the lanes in `surviving` to the first lanes; return their number. */
static __device__ __forceinline__ int compact(cluster *mine, unsigned surviving, uint32_t *source)
{
	const unsigned lane = threadIdx.x % WARP;

	source[lane] = lane;
	__syncwarp();
	if (surviving >> lane & 1)
		source[__popc(surviving & lanes_below())] = lane;
	__syncwarp();

	const int from = (int)source[lane];

	__syncwarp();
	shuffle_cluster(mine, from);
	return __popc(surviving);
}

/* Make a node of this lane's cluster and the other one. */
static __device__ __forceinline__ void make_node(const lbvh_gpu *g, cluster *mine,
						 const cluster *other, uint32_t number)
{
	for (int k = 0; k < 3; k++) {
		mine->lo[k] = fminf(mine->lo[k], other->lo[k]);
		mine->hi[k] = fmaxf(mine->hi[k], other->hi[k]);
	}
	lbvh_node_store(g->node, number, mine->lo, mine->hi, mine->node, other->node);
	mine->node = number;
}

/* Merge until at most `target` clusters are left; return their number. */
static __device__ __forceinline__ int merge_clusters(const lbvh_gpu *g, cluster *mine, int count,
						     int target, scratch *scratch)
{
	const int lane = (int)(threadIdx.x % WARP), last = count - 1;

	while (count > target) {
		/* 1. Nearest neighbour. */
		const int nearest = find_nearest(mine, lane, count);
		const int partner = lane < count ? lane ^ (nearest & PARTNER) : lane;

		/* 2. Mutual pairs. */
		const bool mutual =
			__shfl_sync(ALL_LANES, nearest, partner) == nearest && lane < count;
		const unsigned merging = __ballot_sync(ALL_LANES, mutual && lane < partner);
		const unsigned surviving =
			__ballot_sync(ALL_LANES, lane < count && !(mutual && lane > partner));
		const int next = last - count + 2 + __popc(merging & lanes_below());
		cluster other = *mine;

		shuffle_cluster(&other, partner);
		if (merging >> lane & 1)
			make_node(g, mine, &other, scratch->number[next < last ? next : 0]);

		/* 3. Compaction. */
		count = compact(mine, surviving, scratch->source);
	}
	return count;
}

/* ---- ranges ------------------------------------------------------------------------------- */

/* Merge the lists of leaves left .. split and split + 1 .. right, with the whole warp.  An entry of
 * a list has the low corner of the box and the node, or NONE, and g->count entries on the high
 * corner and a number for a new node.  Up to THRESHOLD leaves have no list yet.  One lane has
 * acquired what all read and will release what all have written; a __syncwarp() lies between. */
static __device__ __forceinline__ void merge_ranges(const lbvh_gpu *g, uint32_t leaves, int left,
						    int split, int right, int target,
						    scratch *scratch)
{
	const int lane = (int)(threadIdx.x % WARP), item = lane % THRESHOLD;
	const int first = lane < THRESHOLD ? left : split + 1;
	const int last = lane < THRESHOLD ? split : right;
	float4 *const list = (float4 *)(void *)g->box;
	cluster mine = { { 0, 0, 0 }, { 0, 0, 0 }, NONE };
	uint32_t number = (uint32_t)(first + item);
	const uint32_t node = leaves - 1 + number;
	const bool leaf = last - first < THRESHOLD;
	const float4 *const low =
		leaf ? (const float4 *)(const void *)(g->node + node) : list + number;
	const float4 *const high = leaf ? low + 1 : low + g->count;

	if (first + item <= last) {
		const float4 lo = *low, hi = *high;

		mine = { { lo.x, lo.y, lo.z },
			 { hi.x, hi.y, hi.z },
			 leaf ? node : __float_as_uint(lo.w) };
		number = leaf ? number : __float_as_uint(hi.w);
	}

	const unsigned surviving = __ballot_sync(ALL_LANES, mine.node != NONE);

	if (mine.node != NONE)
		scratch->number[__popc(surviving & lanes_below())] = number;

	const int all = compact(&mine, surviving, scratch->source);
	const int count = merge_clusters(g, &mine, all, target, scratch);

	if (lane < THRESHOLD && target > 1) {
		list[left + lane] = make_float4(mine.lo[0], mine.lo[1], mine.lo[2],
						__uint_as_float(lane < count ? mine.node : NONE));
		if (lane < count)
			list[g->count + (size_t)(left + lane)] = make_float4(
				mine.hi[0], mine.hi[1], mine.hi[2],
				__uint_as_float(scratch->number[lane ? all - count + lane : 0]));
	}
	__syncwarp();
}

static __device__ __forceinline__ int delta(const uint64_t *code, int leaves, int i, int j)
{
	return j < 0 || j >= leaves ? -1 : lbvh_delta(code[i], code[j]);
}

/* One thread per leaf.  The warp of the thread that arrives second merges the ranges. */
static __global__ void cluster_kernel(lbvh_gpu g)
{
	__shared__ scratch scratches[BLOCK / WARP];
	const uint64_t *const code = (const uint64_t *)g.code;
	const int leaves = (int)g.counters->leaves;
	int left = (int)(blockIdx.x * BLOCK + threadIdx.x), right = left, split = left;
	bool active = left < leaves && leaves > 1;
	int delta_left = active ? delta(code, leaves, left, left - 1) : -1;
	int delta_right = active ? delta(code, leaves, right, right + 1) : -1;

	while (__any_sync(ALL_LANES, active)) {
		/* 1. Find the parent (Apetrei 2014).  The first child at its split leaves its bound
		 * and ends. */
		if (active) {
			const bool is_left = delta_right > delta_left;

			split = is_left ? right : left - 1;

			const uint32_t bound = (uint32_t)(is_left ? left : right);
			uint32_t *const arrived = &g.arrived[split];
			/* A range that was never merged has written nothing. */
			const uint32_t other = right - left >= THRESHOLD
						       ? gpu_cas(arrived, NONE, bound)
						       : gpu_cas_acquire(arrived, NONE, bound);

			active = other != NONE;
			if (active && is_left) {
				right = (int)other;
				delta_right = delta(code, leaves, right, right + 1);
			} else if (active) {
				left = (int)other;
				delta_left = delta(code, leaves, left, left - 1);
			}
		}

		/* 2. The warp merges its ranges of more than THRESHOLD leaves, one after the
		 * other. */
		const bool root = active && delta_left < 0 && delta_right < 0;

		__syncwarp(); /* lists that a lane has acquired are read by all */
		for (unsigned merging = __ballot_sync(
			     ALL_LANES, active && (root || right - left >= THRESHOLD));
		     merging; merging &= merging - 1) {
			const int lane = __ffs((int)merging) - 1;

			merge_ranges(&g, (uint32_t)leaves, __shfl_sync(ALL_LANES, left, lane),
				     __shfl_sync(ALL_LANES, split, lane),
				     __shfl_sync(ALL_LANES, right, lane),
				     __shfl_sync(ALL_LANES, (int)root, lane) ? 1 : (int)THRESHOLD,
				     scratches + threadIdx.x / WARP);
		}
		active = active && !root;
	}
}

/* ---- phase -------------------------------------------------------------------------------- */

gb_status lbvh_gpu_cluster(lbvh_gpu *g, gb_timer *timer, gb_error *err)
{
	gb_phase(timer, "hierarchy");
	cluster_kernel<<<gpu_blocks(g->count, BLOCK), BLOCK, 0, gpu_stream()>>>(*g);
	return CUDA_TRY(err, cudaGetLastError());
}
