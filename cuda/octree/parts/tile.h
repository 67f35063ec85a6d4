/* tile.h -- the rest of a build after the sort of its words (sort_words.h), in one sweep: a block
 * takes a tile of bodies, mends their order in shared memory, and makes the nodes and links there.
 *
 *	tile   read the tile's words and a margin on both sides; order runs of up to TILE_RUN bodies
 *	       by their keys; count the nodes that each body starts (linear.h), and sum up by
 *	       look-back; write each node once with its first child; then enter other children
 *	edges  a node that begins in an earlier tile may not be written yet, so its children are
 *	       listed in the tile's edge.  A second kernel enters them.  It finds the tile where the
 *	       node begins by the tiles' first keys, and the node's number in that tile's edge
 *
 * A margin holds the rest of a run that is partly in the tile.  A run in the margin alone may be
 * cut and misplaced: in any order, its bodies share as many digits with those of the tile.  Only
 * runs of more than TILE_RUN bodies that are out of order need more than a tile: they set
 * runs->disorder, and the caller builds again with linear.h.  Numbers of nodes are then void, and
 * tiles with such a run write none.
 *
 * Bytes per body: 8 for its word, a sector for the rest of its key if it is in a run, and 32 per
 * node, which is written once.  linear.h takes 56 and 64 for the same.
 */
#ifndef GPUBENCH_CUDA_OCTREE_PARTS_TILE_H
#define GPUBENCH_CUDA_OCTREE_PARTS_TILE_H

#include "cuda/octree/parts/linear.h"
#include "cuda/primitives/sort_words.h"

enum {
	TILE_BLOCK = 512,
	TILE_WARPS = TILE_BLOCK / WARP,
	TILE_ITEMS = 4,
	TILE_SLOTS = TILE_BLOCK * TILE_ITEMS, /* bodies of a tile and of both margins */
	TILE_RUN = 64,                        /* most bodies of a run that a block orders */
	TILE_MARGIN = TILE_RUN,
	TILE_OWN = TILE_SLOTS - 2 * TILE_MARGIN,
	TILE_LINKS = 7 * OCTREE_LEVELS, /* children of nodes that begin before a tile */
	EDGES_BLOCK = 256,
};

/* A child of a node that began before the tile: its value, and 8 * the node's level + octant. */
struct octree_link {
	int32_t value, place;
};

struct octree_edge {
	/* For each level, the node that begins in the tile and has bodies in the next, or -1; any
	 * value if the cell is no node, since it has no children then. */
	int32_t node[OCTREE_LEVELS];
	uint32_t links;
	struct octree_link link[TILE_LINKS];
};

struct octree_tiles {
	struct gpu_words words; /* sorted, runs, and sizes */
	const uint32_t *rest;   /* by body: the bits of its key that its word lacks */
	struct octree_tree tree;
	uint64_t *first_key; /* [count]: of each tile */
	struct octree_edge *edges;
	uint64_t *chain; /* the counter of next_tile(), then a word per tile; zero before a run */
	uint32_t count;
};

static inline size_t octree_tiles_chain_bytes(const struct octree_tiles *t)
{
	return (2 + t->count / 2 * 2) * sizeof *t->chain;
}

struct tile_shared {
	uint64_t keys[TILE_SLOTS];
	uint64_t part[TILE_WARPS + 1]; /* see chain_block() */
	uint32_t numbers[TILE_SLOTS];
	union {
		/* From word 2 on, bit k: body k is in a run with the one before.  Dead when bodies
		 * are in order. */
		uint32_t joined[TILE_SLOTS / WARP + 4];
		/* By body of the tile: nodes that earlier ones start, first of its warp, then of
		 * the tile. */
		uint16_t base[TILE_OWN];
	};
	signed char reach[TILE_SLOTS];
	signed char before[TILE_SLOTS]; /* digits shared with the body before; -1 for body 0 */
	uint32_t tile, links;
};

/* A multiprocessor of sm_75 has 64 KB.  Others with 100 KB, of which a block takes 1 KB more than
 * it uses, hold three blocks. */
static_assert(sizeof(struct tile_shared) <= 32 << 10, "two blocks fit a multiprocessor of sm_75");
static_assert((int)TILE_OWN * (int)OCTREE_LEVELS <= UINT16_MAX, "nodes that a tile starts");

static __device__ __forceinline__ bool in_run(const uint32_t *joined, unsigned k)
{
	return joined[2 + k / WARP] >> k % WARP & 1 ||
	       joined[2 + (k + 1) / WARP] >> (k + 1) % WARP & 1;
}

/* The numbers of bodies before and after slot k in its run, each at most TILE_RUN. */
static __device__ __forceinline__ void run_around(const uint32_t *joined, unsigned k, int *before,
						  int *after)
{
	const uint32_t *down = joined + 2 + k / WARP, *up = joined + 2 + (k + 1) / WARP;
	const unsigned to = WARP - 1 - k % WARP, from = (k + 1) % WARP;
	const uint64_t middle = (uint64_t)down[0] << WARP | down[-1];
	const uint64_t below = middle << to | (to ? down[-2] >> (WARP - to) : 0);
	const uint64_t next = (uint64_t)up[1] << WARP | up[0];
	const uint64_t above = next >> from | (from ? (uint64_t)up[2] << (64 - from) : 0);

	*before = ~below ? __clzll((long long)~below) : (int)TILE_RUN;
	*after = ~above ? 63 - __clzll((long long)(~above & -~above)) : (int)TILE_RUN;
}

/* Read the bodies of all slots and put runs in order.  body: that of slot 0, modulo 2^32.  True in
 * all threads if a run is longer than TILE_RUN and not in order. */
static __device__ __forceinline__ bool order_tile(const struct octree_tiles *t,
						  struct tile_shared *s, uint32_t body)
{
	const struct gpu_words *const w = &t->words;
	const unsigned first = threadIdx.x / WARP * (WARP * TILE_ITEMS) + threadIdx.x % WARP;
	uint64_t key[TILE_ITEMS];
	uint32_t number[TILE_ITEMS], place[TILE_ITEMS];
	bool disorder = false;

	GPU_UNROLL
	for (unsigned n = 0; n < TILE_ITEMS; n++) {
		const unsigned k = first + n * WARP;
		const uint32_t i = body + k;
		const uint64_t word = i < w->count ? w->sorted[i] : 0;
		const bool joins = is_tied(w, i, word) && k > 0;
		const uint32_t joined = __ballot_sync(ALL_LANES, joins);

		s->keys[k] = gpu_word_key(w->number_bits, word);
		s->numbers[k] = gpu_word_number(w->number_bits, word);
		if (threadIdx.x % WARP == 0)
			s->joined[2 + k / WARP] = joined;
	}
	if (threadIdx.x < 2)
		s->joined[threadIdx.x] = s->joined[TILE_SLOTS / WARP + 2 + threadIdx.x] = 0;
	__syncthreads();
	GPU_UNROLL
	for (unsigned n = 0; n < TILE_ITEMS; n++) {
		const unsigned k = first + n * WARP;

		if (in_run(s->joined, k))
			s->keys[k] |= t->rest[s->numbers[k]];
	}
	__syncthreads();
	GPU_UNROLL
	for (unsigned n = 0; n < TILE_ITEMS; n++) {
		const unsigned k = first + n * WARP;
		int before, after;

		place[n] = TILE_SLOTS;
		if (!in_run(s->joined, k))
			continue;
		run_around(s->joined, k, &before, &after);
		key[n] = s->keys[k];
		number[n] = s->numbers[k];
		if (before + after < TILE_RUN)
			place[n] = k + (uint32_t)rank_run(s->keys, key[n], (int)k, before, after);
		else if (before > 0 && s->keys[k - 1] > key[n])
			disorder = true;
		if (before == 0 && after >= SHORT_RUN && k - TILE_MARGIN < TILE_OWN)
			atomicAdd(&w->runs->count, 1u);
	}
	disorder = __syncthreads_or(disorder);
	GPU_UNROLL
	for (unsigned n = 0; n < TILE_ITEMS; n++) {
		if (place[n] < TILE_SLOTS) {
			s->keys[place[n]] = key[n];
			s->numbers[place[n]] = number[n];
		}
	}
	__syncthreads();
	return disorder;
}

/* Write a node with one child. */
static __device__ __forceinline__ void write_node(int32_t *child, int digit, int32_t value)
{
	GPU_UNROLL
	for (int h = 0; h < 2; h++) {
		const int d = digit - 4 * h;

		((int4 *)child)[h] = { d == 0 ? value : OCTREE_FREE, d == 1 ? value : OCTREE_FREE,
				       d == 2 ? value : OCTREE_FREE, d == 3 ? value : OCTREE_FREE };
	}
}

/* The number of the first node that begins with the tile's body p or later. */
static __device__ __forceinline__ uint32_t first_node(const struct tile_shared *s, uint32_t p)
{
	return (uint32_t)s->part[0] + s->base[p];
}

/* The node of that level that begins with the tile's body p. */
static __device__ __forceinline__ int32_t tile_node(const struct octree_tiles *t,
						    const struct tile_shared *s, uint32_t p,
						    int level)
{
	return (int32_t)(first_node(s, p) + (uint32_t)(level - s->before[TILE_MARGIN + p] - 1));
}

/* The first body of the tile that shares `level` digits with its body p, or -1 if a body before
 * the tile does. */
static __device__ __forceinline__ int first_in_tile(const struct octree_tiles *t,
						    const struct tile_shared *s, uint32_t p,
						    int level)
{
	const uint64_t *const keys = s->keys + TILE_MARGIN;
	const uint32_t first = linear_first(keys, p, level);

	if (first == 0 && s->tile > 0 &&
	    octree_shared_digits(s->keys[TILE_MARGIN - 1], keys[0]) >= level)
		return -1;
	return (int)first;
}

/* Enter the child of a node of that level in which the tile's body p is. */
static __device__ __forceinline__ void link_child(const struct octree_tiles *t,
						  struct tile_shared *s, uint32_t p, int level,
						  int32_t value)
{
	const int digit = octree_digit(s->keys[TILE_MARGIN + p], level);
	const int first = first_in_tile(t, s, p, level);

	if (first >= 0) {
		t->tree.child[tile_node(t, s, (uint32_t)first, level)][digit] = value;
	} else {
		const struct octree_link link = { value, 8 * level + digit };

		t->edges[s->tile].link[atomicAdd(&s->links, 1u)] = link;
	}
}

/* Blocks per multiprocessor that registers must allow; sm_75 has 1024 threads. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define TILES_AT_ONCE 2
#else
#define TILES_AT_ONCE 3
#endif

/* One block per tile. */
static __global__ void __launch_bounds__(TILE_BLOCK, TILES_AT_ONCE)
	tile_kernel(struct octree_tiles t)
{
	SHARED_VAR(struct tile_shared, s);
	const uint32_t bucket = t.tree.bucket, count = (uint32_t)t.words.count;
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const unsigned first = warp * (WARP * TILE_ITEMS) + lane;
	const uint32_t tile = next_tile((uint32_t *)t.chain, &s.tile);
	const uint32_t own = min((uint32_t)TILE_OWN, count - tile * TILE_OWN);
	const uint32_t body = tile * TILE_OWN - TILE_MARGIN; /* of slot 0; may be below 0 */
	const bool disorder = order_tile(&t, &s, body);
	uint32_t sum = 0;

	if (threadIdx.x == 0)
		s.links = 0;
	GPU_NO_UNROLL
	for (unsigned n = 0; n < TILE_ITEMS; n++) {
		const unsigned k = first + n * WARP;
		const uint32_t i = body + k;
		int reach = i == 0 ? 0 : -1;

		if (i < count && i + bucket < count && k + bucket < TILE_SLOTS)
			reach = min(octree_shared_digits(s.keys[k], s.keys[k + bucket]),
				    (int)OCTREE_DEEPEST);
		s.reach[k] = (signed char)reach;
		s.before[k] = (signed char)(i == 0 || k == 0 ? -1
							     : octree_shared_digits(s.keys[k - 1],
										    s.keys[k]));
	}
	__syncthreads();
	GPU_NO_UNROLL
	for (unsigned n = 0; n < TILE_ITEMS; n++) {
		const unsigned p = first + n * WARP, k = p + TILE_MARGIN;
		const uint32_t mine = p < own ? (uint32_t)max(s.reach[k] - s.before[k], 0) : 0u;
		const uint32_t inclusive = warp_scan(mine);

		if (p < own)
			s.base[p] = (uint16_t)(sum + inclusive - mine);
		sum += __shfl_sync(ALL_LANES, inclusive, WARP - 1);
	}
	chain_block<TILE_WARPS>(s.part, t.chain + 1, tile, sum);
	if (threadIdx.x == 0 && tile == t.count - 1) {
		t.tree.counters->taken = s.part[TILE_WARPS];
		t.tree.counters->exhausted = s.part[TILE_WARPS] > t.tree.pool;
	}
	if (threadIdx.x == 0 && disorder)
		gpu_st_relaxed(&t.words.runs->disorder, 1);
	if (disorder || s.part[TILE_WARPS] > t.tree.pool)
		return;

	const uint32_t of_tile = (uint32_t)s.part[0];
	const uint32_t of_warp = (uint32_t)s.part[warp] - of_tile;

	GPU_NO_UNROLL
	for (unsigned p = first; p < min(first + TILE_ITEMS * WARP, own); p += WARP) {
		const unsigned k = p + TILE_MARGIN;
		const uint32_t base = of_warp + s.base[p], number = of_tile + base;
		const int before = s.before[k], reach = s.reach[k];

		s.base[p] = (uint16_t)base;
		for (int level = before + 1; level <= reach; level++) {
			const uint32_t node = number + (uint32_t)(level - before - 1);

			write_node(t.tree.child[node], octree_digit(s.keys[k], level),
				   level < reach ? (int32_t)node + 1
						 : octree_body((int32_t)s.numbers[k]));
		}
	}
	__syncthreads();
	GPU_NO_UNROLL
	for (unsigned p = threadIdx.x; p < own; p += TILE_BLOCK) {
		const unsigned k = p + TILE_MARGIN;
		const int before = s.before[k], reach = s.reach[k];
		const bool starts = reach > before;
		const int deepest = starts ? reach : linear_deepest(s.reach + k - bucket, bucket);

		if (starts ? before >= 0 : before <= deepest)
			link_child(&t, &s, p, starts ? before : deepest,
				   starts ? (int32_t)(of_tile + s.base[p])
					  : octree_body((int32_t)s.numbers[k]));
		if (body + k + 1 < count && s.before[k + 1] > deepest)
			t.tree.next[s.numbers[k]] = (int32_t)s.numbers[k + 1];
	}

	struct octree_edge *const edge = t.edges + tile;
	const int level = (int)threadIdx.x;

	if (tile < t.count - 1 && level < (int)OCTREE_LEVELS) {
		const unsigned last = TILE_MARGIN + own - 1;
		int begins = -1;

		if (level <= s.before[last + 1])
			begins = first_in_tile(&t, &s, own - 1, level);
		edge->node[level] = begins < 0 ? -1 : tile_node(&t, &s, (uint32_t)begins, level);
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		t.first_key[tile] = s.keys[TILE_MARGIN];
		edge->links = s.links;
	}
}

/* One warp per tile. */
static __global__ void edges_kernel(struct octree_tiles t)
{
	const uint32_t tile = (blockIdx.x * EDGES_BLOCK + threadIdx.x) / WARP;

	if (t.words.runs->disorder) {
		/* Mending counts them again. */
		if (tile == 0 && threadIdx.x == 0)
			t.words.runs->count = 0;
		return;
	}
	if (t.tree.counters->exhausted || tile == 0 || tile >= t.count)
		return;

	const struct octree_edge *const edge = t.edges + tile;

	for (unsigned n = threadIdx.x % WARP; n < edge->links; n += WARP) {
		const struct octree_link link = edge->link[n];
		const int level = link.place / 8;
		/* The node began in the tile before this one, or with it. */
		const uint32_t first = linear_first(t.first_key, tile, level);
		int32_t node = first > 0 ? t.edges[first - 1].node[level] : -1;

		if (node < 0)
			node = t.edges[first].node[level];
		t.tree.child[node][link.place % 8] = link.value;
	}
}

#endif
