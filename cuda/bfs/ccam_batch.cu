/* ccam_batch.cu -- up to 64 searches at once: the transposed bit matrix times their frontiers, on tensor
 * cores, all levels in one cooperative launch.
 *
 * The frontiers of the batch are a matrix of bits, a row for each vertex and a column for each search.  A
 * level is its product with the matrix of in-edges, over OR and AND; tensor cores have the product over
 * numbers, 16 x 8 x 256 bits in an instruction: how many in-edges of a vertex come from the frontier.
 * Where that is not zero and the vertex was not reached before, it is of the next level.
 *
 *	tile       A warp has 16 vertices, in all searches: 32 numbers in a lane.  A vertex is one
 *	           warp's for the whole search, so nothing needs atomics.
 *	chunk      512 vertices, that is 64 bytes of a row.  A lane loads 16 bytes of two of the
 *	           tile's rows, and 16 bytes of each of eight frontiers; the product is the same in
 *	           whatever order the bits are, as long as both have the same, so that what a load
 *	           brings is what the instruction takes.
 *	skip       Chunks in which the tile has no edge or no search has a frontier; both are bits, a
 *	           word for 16384 vertices.  Tiles whose vertices are reached in all searches.
 *	leave      After each round of four chunks a tile ends if all its numbers are above zero
 *	           or not wanted: at p = .05, n = 16384 mostly after two of eight rounds.
 *	publish    The 8 x 8 blocks of the lanes' bits are turned by three shuffles, so that each lane
 *	           has 16 vertices of two searches: half a word of their next frontiers.
 * Level 1 is no product: it is the rows of the sources.  A barrier of the grid ends each level.
 *
 * Beside ccam, which takes 64 launches: a row is read once for all searches, the latency of launch,
 * barriers and loads is paid once, and 64 n distances have to be stored.  What it cannot do is leave a
 * slab after 200 rows.  A batch of fewer is padded to 64, and costs as much.
 *
 * Only distances are found: a number tells how many parents there are, not which.
 *
 * The idea is of BerryBees (Niu and Casas, PPoPP 2025): the frontier as a bitmap, the adjacency matrix as
 * bits, non-empty parts of it only, and one .b1 instruction in place of 32768 ANDs; and of BLEST (Elbek
 * and Kaya 2025), which has pulls of bits in one kernel and, later, several sources.  They store slices
 * of the rows of sparse graphs and one frontier, of which the instruction has eight columns to fill; here
 * the matrix is the paper's CCAM as it is, dense, with a bit for each tile and chunk beside, and the
 * columns are searches.  What they do against imbalance (virtual slices, reordering, lazy updates) has no
 * counterpart.  Several searches in the bits of a word: Then et al., VLDB 2014.
 */
#include "cuda/bfs/parts/transpose.h"

enum {
	BLOCK = 128,
	WARPS = BLOCK / WARP,
	TILE = 16,              /* vertices of a warp */
	CHUNK_WORDS = 16,       /* 32-bit words of a chunk of a row: 512 vertices */
	CHUNK_HALVES = 32,      /* the same in half-words, one for each tile */
	ROUND = 4,              /* chunks loaded at once */
	GROUPS = BFS_BATCH / 8, /* of eight searches: columns of an instruction */
	MAX_CHUNKS = BFS_MATRIX_VERTICES / 32 / CHUNK_WORDS,
	MASK_WORDS = MAX_CHUNKS / 32, /* of a bit for each chunk */
	TURNS = 3,
	LEVELS = TURNS + 2,
};

/* What is known of a level when it begins. */
struct level {
	uint32_t chunk[MAX_CHUNKS]; /* 1 if a search has a vertex of the frontier in it */
	uint32_t some;              /* 1 if there is such a chunk */
	uint32_t open;              /* 1 if vertices are left in any search */
};

struct batch_arrays {
	const uint32_t *out, *in; /* the matrix and its transpose */
	uint32_t pitch;           /* words of a row: whole chunks */
	uint32_t n, tiles;
	uint32_t batch;
	uint32_t source[BFS_BATCH];
	uint32_t *edges; /* MASK_WORDS for each tile: chunks in which it has edges */
	/* For each vertex the searches that have reached it: 16 of them in a half-word. */
	uint16_t *seen;
	/* Two of them, by level % 2: for each chunk and search CHUNK_WORDS words of bits. */
	uint32_t *frontier;
	struct level *level; /* LEVELS: see level_of() */
	uint32_t turn;       /* 0 and 1, run by run */
	int32_t *dist;       /* n for each search */
	unsigned *barrier;   /* of gpu_grid_sync() */
	unsigned long long *touched;
};

/* ---- places ---------------------------------------------------------------------------------- */

/* A lane has, of the tile's vertices, number `group` and number `group + 8`, and of the searches 16
 * from 16 * `quarter` on: bit c of a lane's word is search 16 * quarter + c of the first, bit 16 + c of the
 * second vertex. */
struct lane {
	uint32_t group, quarter;
};

static __device__ __forceinline__ struct lane my_lane(void)
{
	return { threadIdx.x % WARP / 4, threadIdx.x % 4 };
}

static __device__ __forceinline__ uint32_t my_warp(void)
{
	return blockIdx.x * WARPS + threadIdx.x / WARP;
}

static __device__ __forceinline__ uint32_t all_warps(void)
{
	return gridDim.x * WARPS;
}

static __device__ __forceinline__ uint32_t *frontier_of(const struct batch_arrays &a, int32_t level)
{
	return a.frontier + (size_t)((uint32_t)level % 2) * BFS_BATCH * a.pitch;
}

/* Three take turns: one is read, one written, one cleared.  Level 1 of a run, which nothing is before,
 * has one of two of its own, and the other one is cleared for the next run. */
static __device__ __forceinline__ struct level *level_of(const struct batch_arrays &a,
							 int32_t level)
{
	return &a.level[level == 1 ? TURNS + a.turn : (uint32_t)level % TURNS];
}

/* The half-words of vertex v in `seen`, of the searches that the lane has. */
static __device__ __forceinline__ uint16_t *seen_at(const struct batch_arrays &a, uint32_t v,
						    uint32_t quarter)
{
	return &a.seen[(size_t)v * (BFS_BATCH / 16) + quarter];
}

/* Of 16 searches from `first` on those that are not of the batch. */
static __device__ __forceinline__ uint32_t padding(const struct batch_arrays &a, uint32_t first)
{
	const uint32_t mine = first < a.batch ? a.batch - first : 0;

	return mine >= 16 ? 0 : 0xffffu & ~0u << mine;
}

/* ---- turning ----------------------------------------------------------------------------------- */

/* Lane bit `far` and bit `near` of the word's number change places. */
static __device__ __forceinline__ uint32_t exchange(uint32_t word, uint32_t far, uint32_t near,
						    uint32_t low)
{
	const uint32_t other = __shfl_xor_sync(ALL_LANES, word, (int)far);

	return threadIdx.x & far ? (word & ~low) | (other & ~low) >> near
				 : (word & low) | (other & low) << near;
}

/* Between a lane's two vertices in 16 searches (struct lane) and two searches, 16 * quarter + group and
 * that + 8, of all 16 vertices: the first in the low half, bit by bit the tile's vertices. */
static __device__ __forceinline__ uint32_t turn(uint32_t word)
{
	word = exchange(word, 4, 1, 0x55555555u);
	word = exchange(word, 8, 2, 0x33333333u);
	return exchange(word, 16, 4, 0x0f0f0f0fu);
}

static __device__ __forceinline__ uint32_t to_searches(uint32_t word)
{
	return __byte_perm(turn(word), 0, 0x3120);
}

static __device__ __forceinline__ uint32_t to_vertices(uint32_t word)
{
	return turn(__byte_perm(word, 0, 0x3120));
}

/* ---- a tile ------------------------------------------------------------------------------------ */

/* What has been reached of the lane's part of the tile; what is no vertex or no search counts as such. */
static __device__ __forceinline__ uint32_t load_seen(const struct batch_arrays &a, uint32_t tile)
{
	const struct lane l = my_lane();
	const uint32_t v = tile * TILE + l.group;
	const uint32_t low = v < a.n ? *seen_at(a, v, l.quarter) : 0xffffu;
	const uint32_t high = v + 8 < a.n ? *seen_at(a, v + 8, l.quarter) : 0xffffu;

	return low | high << 16;
}

/* The distances of the lane's vertices in the searches of `bits`. */
static __device__ __forceinline__ void store_dist(const struct batch_arrays &a, uint32_t tile,
						  uint32_t bits, int32_t value)
{
	const struct lane l = my_lane();
	int32_t *const dist = a.dist + (size_t)l.quarter * 16 * a.n + tile * TILE + l.group;

	GPU_UNROLL
	for (uint32_t c = 0; c < 16; c++) {
		if (bits >> c & 1)
			dist[(size_t)c * a.n] = value;
		if (bits >> (16 + c) & 1)
			dist[(size_t)c * a.n + 8] = value;
	}
}

/* The tile's vertices in `found` are of `level`; `seen` is what was reached before.  Every tile has its
 * half-words of the frontiers written at every level. */
static __device__ __forceinline__ void publish(const struct batch_arrays &a, uint32_t tile,
					       int32_t level, uint32_t seen, uint32_t found)
{
	const struct lane l = my_lane();
	const uint32_t chunk = tile / CHUNK_HALVES, v = tile * TILE + l.group;
	const uint32_t two = to_searches(found);
	uint16_t *const half =
		(uint16_t *)frontier_of(a, level) +
		((size_t)chunk * BFS_BATCH + 16 * l.quarter + l.group) * CHUNK_HALVES +
		tile % CHUNK_HALVES;

	half[0] = (uint16_t)two;
	half[8 * CHUNK_HALVES] = (uint16_t)(two >> 16);
	if (!__any_sync(ALL_LANES, found))
		return;
	seen |= found;
	if (v < a.n)
		*seen_at(a, v, l.quarter) = (uint16_t)seen;
	if (v + 8 < a.n)
		*seen_at(a, v + 8, l.quarter) = (uint16_t)(seen >> 16);
	store_dist(a, tile, found, level);
	if (threadIdx.x % WARP == 0)
		gpu_st_relaxed(&level_of(a, level)->chunk[chunk], 1);
}

/* Of the warp's tiles: whether some have a part in the level's frontier, and some have vertices left. */
static __device__ __forceinline__ void tell(const struct batch_arrays &a, int32_t level, bool some,
					    bool open)
{
	some = __any_sync(ALL_LANES, some);
	open = __any_sync(ALL_LANES, open);
	if (threadIdx.x % WARP != 0)
		return;
	if (some)
		gpu_st_relaxed(&level_of(a, level)->some, 1);
	if (open)
		gpu_st_relaxed(&level_of(a, level)->open, 1);
}

/* ---- levels 0 and 1 ---------------------------------------------------------------------------- */

/* Of two searches the tile's half-words of their sources' rows, or their sources alone. */
static __device__ __forceinline__ uint32_t source_halves(const struct batch_arrays &a,
							 uint32_t tile, bool rows)
{
	const struct lane l = my_lane();
	uint32_t halves[2];

	GPU_UNROLL
	for (uint32_t k = 0; k < 2; k++) {
		const uint32_t i = 16 * l.quarter + l.group + 8 * k;
		const uint32_t u = i < a.batch ? a.source[i] : 0;
		const uint32_t self = u / TILE == tile ? 1u << u % TILE : 0;
		const uint32_t row = ((const uint16_t *)(a.out + (size_t)u * a.pitch))[tile];

		halves[k] = i >= a.batch ? 0 : rows ? row : self;
	}
	return halves[0] | halves[1] << 16;
}

static __device__ __forceinline__ void start(const struct batch_arrays &a)
{
	const struct lane l = my_lane();
	const uint32_t none = padding(a, 16 * l.quarter) * 0x10001u;
	bool some = false, open = false;

	for (uint32_t tile = my_warp(); tile < a.tiles; tile += all_warps()) {
		const uint32_t v = tile * TILE + l.group;
		const uint32_t self = to_vertices(source_halves(a, tile, false));
		const uint32_t row = to_vertices(source_halves(a, tile, true));
		const uint32_t outside = (v < a.n ? 0 : 0xffffu) | (v + 8 < a.n ? 0 : 0xffff0000u);
		const uint32_t seen = self | none | outside;

		if (v < a.n)
			*seen_at(a, v, l.quarter) = (uint16_t)seen;
		if (v + 8 < a.n)
			*seen_at(a, v + 8, l.quarter) = (uint16_t)(seen >> 16);
		if (__any_sync(ALL_LANES, self))
			store_dist(a, tile, self, 0);
		publish(a, tile, 1, seen, row & ~seen);
		some |= (row & ~seen) != 0;
		open |= ~(seen | row) != 0;
	}
	tell(a, 1, some, open);
}

/* ---- further levels ---------------------------------------------------------------------------- */

/* The lane's bits of which the numbers are above zero. */
static __device__ __forceinline__ uint32_t above_zero(const int sum[GROUPS][4])
{
	uint32_t bits = 0;

	GPU_UNROLL
	for (uint32_t g = 0; g < GROUPS; g++) {
		GPU_UNROLL
		for (uint32_t k = 0; k < 4; k++)
			bits |= sum[g][k] > 0 ? 1u << (2 * g + k % 2 + 16 * (k / 2)) : 0;
	}
	return bits;
}

/* The lane's 16 bytes of the row of vertex v, if there is one. */
static __device__ __forceinline__ uint4 load_row(const struct batch_arrays &a, uint32_t v,
						 uint32_t chunk)
{
	const uint32_t *const row = a.in + (size_t)v * a.pitch + chunk * CHUNK_WORDS;

	return v < a.n ? *(const uint4 *)(row + 4 * my_lane().quarter) : make_uint4(0, 0, 0, 0);
}

/* A chunk of the tile's rows, two of which the lane has a part of, times all frontiers.  Column `group` of
 * group g is such a search that the lane's numbers are of searches side by side. */
static __device__ __forceinline__ void multiply(const uint32_t *frontier, uint32_t chunk,
						uint4 first, uint4 second, int sum[GROUPS][4])
{
	const struct lane l = my_lane();
	const uint32_t search = l.group / 2 * 16 + l.group % 2;
	const uint32_t *const from =
		frontier + ((size_t)chunk * BFS_BATCH + search) * CHUNK_WORDS + 4 * l.quarter;
	const uint32_t low[4] = { first.x, second.x, first.y, second.y };
	const uint32_t high[4] = { first.z, second.z, first.w, second.w };

	GPU_UNROLL
	for (uint32_t g = 0; g < GROUPS; g++) {
		const uint4 bits = *(const uint4 *)(from + 2 * g * CHUNK_WORDS);
		const uint32_t b[2] = { bits.x, bits.y }, more[2] = { bits.z, bits.w };

		gpu_mma_and_popc(sum[g], low, b);
		gpu_mma_and_popc(sum[g], high, more);
	}
}

/* The number of the lowest bit, which is taken off. */
static __device__ __forceinline__ uint32_t take_bit(uint32_t *bits)
{
	const uint32_t bit = (uint32_t)__ffs((int)*bits) - 1;

	*bits &= *bits - 1;
	return bit;
}

/* Of the lane's bits in `open` those that the frontiers reach.  *read grows by the chunks that were. */
static __device__ __forceinline__ uint32_t pull(const struct batch_arrays &a, uint32_t tile,
						int32_t level, uint32_t open, uint32_t *read)
{
	const uint32_t *const frontier = frontier_of(a, level);
	const uint32_t v = tile * TILE + my_lane().group;
	int sum[GROUPS][4] = {};
	uint32_t found = 0;

	for (uint32_t w = 0; w * 32 * CHUNK_WORDS < a.pitch; w++) {
		const bool some = level_of(a, level)->chunk[w * 32 + threadIdx.x % WARP];
		uint32_t left = a.edges[tile * MASK_WORDS + w] & __ballot_sync(ALL_LANES, some);

		while (left) {
			uint4 first[ROUND], second[ROUND];
			uint32_t chunk[ROUND], count = 0;

			GPU_UNROLL
			for (uint32_t k = 0; k < ROUND; k++) {
				chunk[k] = 0;
				first[k] = second[k] = make_uint4(0, 0, 0, 0);
				if (!left)
					continue;
				chunk[k] = w * 32 + take_bit(&left);
				first[k] = load_row(a, v, chunk[k]);
				second[k] = load_row(a, v + 8, chunk[k]);
				count++;
			}
			GPU_UNROLL
			for (uint32_t k = 0; k < ROUND; k++)
				if (k < count)
					multiply(frontier, chunk[k], first[k], second[k], sum);
			*read += count;
			found = open & above_zero(sum);
			if (__all_sync(ALL_LANES, found == open))
				return found;
		}
	}
	return found;
}

static __device__ __forceinline__ void expand(const struct batch_arrays &a, int32_t level,
					      uint32_t *read)
{
	bool some = false, left = false;

	for (uint32_t tile = my_warp(); tile < a.tiles; tile += all_warps()) {
		const uint32_t seen = load_seen(a, tile);
		uint32_t found = 0;

		if (__any_sync(ALL_LANES, ~seen))
			found = pull(a, tile, level, ~seen, read);
		publish(a, tile, level + 1, seen, found);
		some |= found != 0;
		left |= ~(seen | found) != 0;
	}
	tell(a, level + 1, some, left);
}

/* What no search has reached. */
static __device__ __forceinline__ void finish(const struct batch_arrays &a)
{
	for (uint32_t tile = my_warp(); tile < a.tiles; tile += all_warps()) {
		const uint32_t seen = load_seen(a, tile);

		if (__any_sync(ALL_LANES, ~seen))
			store_dist(a, tile, ~seen, BFS_UNREACHED);
	}
}

static __device__ __forceinline__ void clear(struct level *level)
{
	for (uint32_t i = threadIdx.x; blockIdx.x == 0 && i < MAX_CHUNKS; i += BLOCK)
		level->chunk[i] = 0;
	if (blockIdx.x == 0 && threadIdx.x == 0)
		level->some = level->open = 0;
}

/* As many blocks as are on the device at once; a warp per tile. */
static __global__ void __launch_bounds__(BLOCK, 2) search_kernel(struct batch_arrays a)
{
	uint32_t read = 0; /* chunks */

	start(a);
	clear(level_of(a, 2));
	clear(&a.level[TURNS + (a.turn ^ 1)]);
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*a.touched = 0;
	gpu_grid_sync(a.barrier);
	for (int32_t level = 1; level_of(a, level)->some && level_of(a, level)->open; level++) {
		clear(level_of(a, level + 2));
		expand(a, level, &read);
		gpu_grid_sync(a.barrier);
	}
	finish(a);
	if (threadIdx.x % WARP == 0 && read)
		atomicAdd(a.touched, (unsigned long long)read * TILE * CHUNK_WORDS * sizeof *a.in);
}

/* ---- upload: which chunks of a tile have edges ------------------------------------------------- */

/* A warp per tile, lanes as in a product. */
static __global__ void __launch_bounds__(BLOCK) mark_edges(struct batch_arrays a)
{
	for (uint32_t tile = my_warp(); tile < a.tiles; tile += all_warps()) {
		const uint32_t v = tile * TILE + my_lane().group;

		for (uint32_t w = 0; w < MASK_WORDS; w++) {
			uint32_t some = 0;

			for (uint32_t k = 0; k < 32 && (w * 32 + k) * CHUNK_WORDS < a.pitch; k++) {
				const uint4 x = load_row(a, v, w * 32 + k);
				const uint4 y = load_row(a, v + 8, w * 32 + k);
				const bool edge = x.x | x.y | x.z | x.w | y.x | y.y | y.z | y.w;

				some |= __any_sync(ALL_LANES, edge) ? 1u << k : 0;
			}
			if (threadIdx.x % WARP == 0)
				a.edges[tile * MASK_WORDS + w] = some;
		}
	}
}

/* ---- host ------------------------------------------------------------------------------------ */

struct state {
	struct bfs_matrices matrices; /* first: shared operations take a state as these */
	struct batch_arrays arrays;
	unsigned blocks;
};

static enum gb_status create(struct state *s, const void *params, const void *input,
			     struct gb_error *err)
{
	struct batch_arrays *const a = &s->arrays;

	if (bfs_need_no_parents((const struct bfs_params *)params, err) != GB_OK ||
	    bfs_searches_create(&s->matrices.search, params, input, true, err) != GB_OK ||
	    bfs_matrices_create(&s->matrices, err) != GB_OK)
		return err->code;
	bfs_matrices_arrays(&s->matrices, a);
	a->tiles = (a->n - 1) / TILE + 1;
	a->batch = (uint32_t)bfs_batch(&s->matrices.search.params);
	s->blocks = gpu_resident_blocks(search_kernel, BLOCK, 0, (a->tiles - 1) / WARPS + 1);
	(void)gpu_alloc(&a->edges, (size_t)a->tiles * MASK_WORDS, err);
	(void)gpu_alloc(&a->seen, (size_t)a->n * (BFS_BATCH / 16), err);
	/* The frontiers' bits beyond the last tile stay 0. */
	(void)gpu_alloc_zeroed(&a->frontier, (size_t)2 * BFS_BATCH * a->pitch, err);
	(void)gpu_alloc_zeroed(&a->level, LEVELS, err);
	return gpu_alloc_zeroed(&a->barrier, 1, err);
}

static enum gb_status upload(const struct state *s, struct gb_error *err)
{
	if (bfs_matrices_upload(&s->matrices, err) ||
	    GPU_RUN(err, mark_edges, s->blocks, BLOCK, s->arrays))
		return err->code;
	return gpu_wait(err);
}

static enum gb_status reset(struct state *s, int64_t sample, struct gb_error *err)
{
	const int64_t first = sample * (int64_t)s->arrays.batch;

	for (uint32_t i = 0; i < s->arrays.batch; i++)
		s->arrays.source[i] = bfs_source(s->matrices.search.input, first + i);
	return GB_OK;
}

static enum gb_status run(struct state *s, struct gb_timer *timer, struct gb_error *err)
{
	s->arrays.turn ^= 1;
	return GPU_RUN_COOPERATIVE(err, search_kernel, s->blocks, BLOCK, s->arrays);
}

extern "C" const struct gb_variant_ops bfs_cuda_ccam_batch = {
	.state_size = sizeof(struct state),
	.create = op<create>,
	.upload = op<upload>,
	.reset = op<reset>,
	.run = op<run>,
	.download = op<bfs_search_download>,
	.metrics = op<bfs_search_metrics>,
	.flags = GB_REPEATABLE,
};
