/* tile.h -- the rest of a build after the sort of its words (sort_words.h), in one sweep: a block
 * takes a tile of bodies, orders them in shared memory, and makes the nodes and links there.
 *
 *	slots of a block    | halo |            bodies of the tile            | halo |
 *	                    0      64                                      1984      2048
 *	runs of equal words          ===     ==                     =====          ===
 *	nodes that start    .  .  .  3  0  0  1  0  0  2  0  0  0  1  0  0  0  1  .  .  .
 *
 *	tile kernel      reads the tile's words and a halo on both sides; orders runs of up to
 *	                 TILE_RUN bodies by their keys; counts the nodes that each body starts
 *	                 (linear.h), and sums them up by look-back; writes each node once with its
 *	                 first child; then enters the other children
 *	boundary kernel  enters the children of nodes that start before the child's tile: such a
 *	                 node may not be written yet, so the tile lists them.  The tile where the
 *	                 node starts is found by the tiles' first keys, and the node's number in that
 *	                 tile's list of nodes that continue in the next tile
 *
 * A halo holds the rest of a run that is partly in the tile.  A run in the halo alone may be cut
 * and misplaced: in any order, its bodies share as many digits with those of the tile.  Only runs
 * of more than TILE_RUN bodies that are out of order need more than a tile: they set
 * runs->disorder, and the caller builds again with linear.h.  Numbers of nodes are then void, and
 * tiles with such a run write none.
 *
 * Bytes per body: 8 for its word, a sector for the rest of its key if it is in a run, and 32 per
 * node, which is written once.  linear.h takes 56 and 64 for the same.
 */
#ifndef GPUBENCH_CUDA_OCTREE_SHARED_TILE_H
#define GPUBENCH_CUDA_OCTREE_SHARED_TILE_H

#include "cuda/octree/shared/linear.h"
#include "cuda/primitives/sort_words.h"

enum {
	TILE_BLOCK = 512,
	TILE_WARPS = TILE_BLOCK / WARP,
	TILE_ITEMS = 4,
	TILE_SLOTS = TILE_BLOCK * TILE_ITEMS, /* bodies of a tile and of both halos */
	TILE_RUN = 64,                        /* most bodies of a run that a block orders */
	TILE_HALO = TILE_RUN,
	TILE_BODIES = TILE_SLOTS - 2 * TILE_HALO,
	TILE_CHILDREN = 7 * OCTREE_LEVELS, /* most children of nodes that start before a tile */
	BOUNDARY_BLOCK = 256,
};

/* A child of a node that starts before the tile: its value, and 8 * the node's level + octant. */
struct octree_child {
	int32_t value, slot;
};

struct octree_boundary {
	/* For each level, the node that starts in the tile and has bodies in the next, or -1; any
	 * value if the cell is no node, since it has no children then. */
	int32_t node[OCTREE_LEVELS];
	uint32_t children;
	octree_child child[TILE_CHILDREN];
};

struct octree_tiles {
	gpu_words words;      /* sorted, runs, and sizes */
	const uint32_t *rest; /* by body: the bits of its key that its word lacks */
	octree_tree tree;
	uint64_t *first_key;       /* [count]: of each tile */
	octree_boundary *boundary; /* [count] */
	uint64_t *chain; /* the counter of next_tile(), then a word per tile; zero before a run */
	uint32_t count;
};

static inline size_t octree_tiles_chain_bytes(const octree_tiles *t)
{
	return (2 + t->count / 2 * 2) * sizeof *t->chain;
}

struct tile_shared {
	uint64_t keys[TILE_SLOTS];
	uint64_t part[TILE_WARPS + 1]; /* see chain_block() */
	uint32_t numbers[TILE_SLOTS];
	union {
		/* From word 2 on, bit k: slot k is in a run with the one before.  Step 1 only. */
		uint32_t joined[TILE_SLOTS / WARP + 4];
		/* By body of the tile: nodes that earlier ones start, of its warp in step 2, then
		 * of the tile. */
		uint16_t base[TILE_BODIES];
	};
	/* See linear.h; common_before is not capped at the deepest level of nodes. */
	signed char common_bucket[TILE_SLOTS];
	signed char common_before[TILE_SLOTS];
	uint32_t tile, children;
};

/* A multiprocessor of sm_75 has 64 KB.  Others with 100 KB, of which a block takes 1 KB more than
 * it uses, hold three blocks. */
static_assert(sizeof(tile_shared) <= 32 << 10, "two blocks fit a multiprocessor of sm_75");
static_assert((int)TILE_BODIES * (int)OCTREE_LEVELS <= UINT16_MAX, "nodes that a tile starts");

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
static __device__ __forceinline__ bool order_tile(const octree_tiles *t, tile_shared *s,
						  uint32_t body)
{
	const gpu_words *const w = &t->words;
	const unsigned first = threadIdx.x / WARP * (WARP * TILE_ITEMS) + threadIdx.x % WARP;
	uint64_t key[TILE_ITEMS];
	uint32_t number[TILE_ITEMS], place[TILE_ITEMS]; /* place: TILE_SLOTS if not in a run */
	bool disorder = false;

	/* a. Read the words; one bit for each that continues a run. */
#pragma unroll
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
	__syncthreads(); // words, runs

	/* b. Complete the keys of bodies in runs. */
#pragma unroll
	for (unsigned n = 0; n < TILE_ITEMS; n++) {
		const unsigned k = first + n * WARP;

		if (in_run(s->joined, k))
			s->keys[k] |= t->rest[s->numbers[k]];
	}
	__syncthreads(); // keys of runs

	/* c. Rank them among the bodies of their run. */
#pragma unroll
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
		if (before == 0 && after >= SHORT_RUN && k - TILE_HALO < TILE_BODIES)
			atomicAdd(&w->runs->count, 1u);
	}
	disorder = __syncthreads_or(disorder); // keys read

	/* d. Put them in order. */
#pragma unroll
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
#pragma unroll
	for (int h = 0; h < 2; h++) {
		const int d = digit - 4 * h;

		((int4 *)child)[h] = { d == 0 ? value : OCTREE_FREE, d == 1 ? value : OCTREE_FREE,
				       d == 2 ? value : OCTREE_FREE, d == 3 ? value : OCTREE_FREE };
	}
}

/* The node of that level that starts at the tile's body p. */
static __device__ __forceinline__ int32_t node_of(const tile_shared *s, uint32_t p, int level)
{
	return (int32_t)((uint32_t)s->part[0] + s->base[p] +
			 (uint32_t)(level - s->common_before[TILE_HALO + p] - 1));
}

/* The first body of the tile that shares `level` digits with its body p, or -1 if a body before
 * the tile does. */
static __device__ __forceinline__ int first_in_tile(const tile_shared *s, uint32_t p, int level)
{
	const uint64_t *const keys = s->keys + TILE_HALO;
	const uint32_t first = linear_first(keys, p, level);

	if (first == 0 && s->tile > 0 &&
	    octree_shared_digits(s->keys[TILE_HALO - 1], keys[0]) >= level)
		return -1;
	return (int)first;
}

/* Enter a child into the node of that level that holds the tile's body p, or list it for the
 * boundary kernel. */
static __device__ __forceinline__ void enter_child(const octree_tiles *t, tile_shared *s,
						   uint32_t p, int level, int32_t value)
{
	const int digit = octree_digit(s->keys[TILE_HALO + p], level);
	const int first = first_in_tile(s, p, level);

	if (first >= 0)
		t->tree.child[node_of(s, (uint32_t)first, level)][digit] = value;
	else
		t->boundary[s->tile].child[atomicAdd(&s->children, 1u)] = { value,
									    8 * level + digit };
}

/* Blocks per multiprocessor that registers must allow; sm_75 has 1024 threads. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define TILES_AT_ONCE 2
#else
#define TILES_AT_ONCE 3
#endif

/* One block per tile. */
static __global__ void __launch_bounds__(TILE_BLOCK, TILES_AT_ONCE) tile_kernel(octree_tiles t)
{
	__shared__ tile_shared s;
	const uint32_t bucket = t.tree.bucket, count = (uint32_t)t.words.count;
	const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	const unsigned first = warp * (WARP * TILE_ITEMS) + lane;

	/* 1. Take the next tile, and put its bodies in order. */
	const uint32_t tile = next_tile((uint32_t *)t.chain, &s.tile);
	const uint32_t bodies = min((uint32_t)TILE_BODIES, count - tile * TILE_BODIES);
	const uint32_t body = tile * TILE_BODIES - TILE_HALO; /* of slot 0; may be below 0 */
	const bool disorder = order_tile(&t, &s, body);
	uint32_t sum = 0;

	/* 2. Count the nodes that each body starts, from the digits that it shares with others. */
	if (threadIdx.x == 0)
		s.children = 0;
#pragma unroll 1
	for (unsigned n = 0; n < TILE_ITEMS; n++) {
		const unsigned k = first + n * WARP;
		const uint32_t i = body + k;
		int common_bucket = i == 0 ? 0 : -1;

		if (i < count && i + bucket < count && k + bucket < TILE_SLOTS)
			common_bucket = min(octree_shared_digits(s.keys[k], s.keys[k + bucket]),
					    (int)OCTREE_DEEPEST);
		s.common_bucket[k] = (signed char)common_bucket;
		s.common_before[k] =
			(signed char)(i == 0 || k == 0
					      ? -1
					      : octree_shared_digits(s.keys[k - 1], s.keys[k]));
	}
	__syncthreads(); // digits in common
#pragma unroll 1
	for (unsigned n = 0; n < TILE_ITEMS; n++) {
		const unsigned p = first + n * WARP, k = p + TILE_HALO;
		const uint32_t started =
			p < bodies ? (uint32_t)max(s.common_bucket[k] - s.common_before[k], 0) : 0u;
		const uint32_t inclusive = warp_scan(started);

		if (p < bodies)
			s.base[p] = (uint16_t)(sum + inclusive - started);
		sum += __shfl_sync(ALL_LANES, inclusive, WARP - 1);
	}

	/* 3. Number them by decoupled look-back over the tiles. */
	chain_block<TILE_WARPS>(s.part, t.chain + 1, tile, sum);
	if (threadIdx.x == 0 && tile == t.count - 1) {
		t.tree.counters->taken = s.part[TILE_WARPS];
		t.tree.counters->exhausted = s.part[TILE_WARPS] > t.tree.pool;
	}
	if (threadIdx.x == 0 && disorder)
		gpu_st_relaxed(&t.words.runs->disorder, 1);
	if (disorder || s.part[TILE_WARPS] > t.tree.pool)
		return;

	const uint32_t tile_base = (uint32_t)s.part[0];
	const uint32_t warp_base = (uint32_t)s.part[warp] - tile_base;

	/* 4. Write each node, with its first child: the next node that the body starts, or the
	 * body itself. */
#pragma unroll 1
	for (unsigned p = first; p < min(first + TILE_ITEMS * WARP, bodies); p += WARP) {
		const unsigned k = p + TILE_HALO;
		const uint32_t base = warp_base + s.base[p], number = tile_base + base;
		const int above = s.common_before[k], last = s.common_bucket[k];

		s.base[p] = (uint16_t)base;
		for (int level = above + 1; level <= last; level++) {
			const uint32_t node = number + (uint32_t)(level - above - 1);

			write_node(t.tree.child[node], octree_digit(s.keys[k], level),
				   level < last ? (int32_t)node + 1
						: octree_body((int32_t)s.numbers[k]));
		}
	}
	__syncthreads(); // nodes written, base

	/* 5. Enter the other children: the topmost node that a body starts, or its leaf, into the
	 * node above. */
#pragma unroll 1
	for (unsigned p = threadIdx.x; p < bodies; p += TILE_BLOCK) {
		const unsigned k = p + TILE_HALO;
		const int above = s.common_before[k], last = s.common_bucket[k];
		const bool starts = last > above;
		const int leaf =
			starts ? last : linear_leaf_level(s.common_bucket + k - bucket, bucket);

		if (starts ? above >= 0 : above <= leaf)
			enter_child(&t, &s, p, starts ? above : leaf,
				    starts ? (int32_t)(tile_base + s.base[p])
					   : octree_body((int32_t)s.numbers[k]));
		if (body + k + 1 < count && s.common_before[k + 1] > leaf)
			t.tree.next[s.numbers[k]] = (int32_t)s.numbers[k + 1];
	}

	/* 6. List what the boundary kernel needs. */
	octree_boundary *const boundary = t.boundary + tile;
	const int level = (int)threadIdx.x;

	if (tile < t.count - 1 && level < (int)OCTREE_LEVELS) {
		const unsigned last = TILE_HALO + bodies - 1;
		int start = -1;

		if (level <= s.common_before[last + 1])
			start = first_in_tile(&s, bodies - 1, level);
		boundary->node[level] = start < 0 ? -1 : node_of(&s, (uint32_t)start, level);
	}
	__syncthreads(); // children counted
	if (threadIdx.x == 0) {
		t.first_key[tile] = s.keys[TILE_HALO];
		boundary->children = s.children;
	}
}

/* One warp per tile. */
static __global__ void boundary_kernel(octree_tiles t)
{
	const uint32_t tile = (blockIdx.x * BOUNDARY_BLOCK + threadIdx.x) / WARP;

	if (t.words.runs->disorder) {
		/* Mending counts them again. */
		if (tile == 0 && threadIdx.x == 0)
			t.words.runs->count = 0;
		return;
	}
	if (t.tree.counters->exhausted || tile == 0 || tile >= t.count)
		return;

	const octree_boundary *const boundary = t.boundary + tile;

	for (unsigned n = threadIdx.x % WARP; n < boundary->children; n += WARP) {
		const octree_child child = boundary->child[n];
		const int level = child.slot / 8;
		/* The node starts in the tile before this one, or with it. */
		const uint32_t first = linear_first(t.first_key, tile, level);
		int32_t node = first > 0 ? t.boundary[first - 1].node[level] : -1;

		if (node < 0)
			node = t.boundary[first].node[level];
		t.tree.child[node][child.slot % 8] = child.value;
	}
}

#endif
