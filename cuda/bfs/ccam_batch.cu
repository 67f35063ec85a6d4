/* ccam_batch.cu -- a branch of ccam: up to 64 searches at once, by tensor cores.
 *
 * It multiplies the transposed bit matrix by the searches' frontiers, all levels in one cooperative
 * launch.
 *
 * The frontiers of the batch form a bit matrix with one row per vertex and one column per search.
 * A level is the product of the matrix of in-edges and this matrix, over OR and AND.  Tensor cores
 * compute the product over integers, 16 x 8 x 256 bits per instruction: the number of a vertex's
 * in-edges that come from the frontier.  A vertex with a non-zero count that was not reached before
 * is on the next level.
 *
 *	tile       A warp handles 16 vertices in all searches: 32 counts per lane.  The same warp
 *	           handles a vertex for the whole search, so nothing needs atomics.
 *	chunk      512 vertices, that is, 64 bytes of a row.  A lane loads 16 bytes of each of two
 *	           of the tile's rows and of each of eight frontiers.  The product does not depend
 *	           on the order of the bits as long as both operands have the same order, so the
 *	           loaded words are the operands of the instruction as they are.
 *	skip       Skips chunks in which the tile has no edge or no search has a frontier vertex.
 *	           Both are bits, one word per 16384 vertices.  Also skips tiles whose vertices are
 *	           reached in all searches.
 *	stop       After each round of four chunks, a tile stops if all its counts are non-zero or
 *	           no longer needed.  At p = .05, two rounds of level 2 are 4096 p^2 = 10 expected
 *	           hits per count, so a tile seldom needs a third.
 *	publish    Three shuffles transpose the 8 x 8 blocks of the lanes' bits.  Each lane then
 *	           has 16 vertices of two searches: a half-word of each of their next frontiers.
 * Level 1 needs no product: it is the rows of the sources.  A grid barrier ends each level.
 *
 * Unlike 64 launches of ccam, it reads a row once for all searches and pays the latency of the
 * launch, barriers and loads once; both store 64 n distances.  Unlike ccam, it cannot drop a
 * partition after about 200 rows.  A smaller batch is padded to 64 and costs as much.
 *
 * It finds distances only: a count tells how many parents a vertex has, not which.
 *
 * The idea is from BerryBees (Niu and Casas, PPoPP 2025) and BLEST (Elbek and Kaya 2025).
 * BerryBees has the frontier as a bitmap, the adjacency matrix as bits of which only the non-empty
 * parts are kept, and one .b1 instruction in place of 32768 ANDs.  BLEST has bottom-up steps on
 * bits in one kernel and, later, several sources.  Both store slices of the rows of sparse graphs
 * and one frontier, with which to fill the eight columns of the instruction.  Here, the matrix is
 * the paper's CCAM unchanged, dense, plus one bit per tile and chunk, and the columns are searches.
 * Their measures against imbalance (virtual slices, reordering, lazy updates) have no counterpart
 * here.  Then et al. (VLDB 2014) keep several searches in the bits of a word.
 */
#include "cuda/bfs/shared/transpose.h"
#include "cuda/runtime/mma.h"

enum {
	BLOCK = 128,
	WARPS = BLOCK / WARP,
	TILE = 16,              /* vertices per warp */
	CHUNK_WORDS = 16,       /* 32-bit words of a chunk of a row: 512 vertices */
	CHUNK_HALVES = 32,      /* half-words of it, one for each tile */
	ROUND = 4,              /* chunks loaded at once */
	GROUPS = BFS_BATCH / 8, /* groups of eight searches, the columns of an instruction */
	MAX_CHUNKS = BFS_MATRIX_VERTICES / 32 / CHUNK_WORDS,
	MASK_WORDS = MAX_CHUNKS / 32, /* words of one bit per chunk */
	ROTATED = 3,
	LEVELS = ROTATED + 2,
};

/* The state of a level when it begins. */
struct level {
	uint32_t chunk[MAX_CHUNKS]; /* 1 if a search has a frontier vertex in the chunk */
	uint32_t has_frontier;      /* 1 if any chunk has one */
	uint32_t has_unreached;     /* 1 if any search has unreached vertices */
};

struct batch_arrays {
	const uint32_t *out, *in; /* the matrix and its transpose */
	uint32_t pitch;           /* words of a row, whole chunks */
	uint32_t n, tiles;
	uint32_t batch;
	uint32_t source[BFS_BATCH];
	uint32_t *edges; /* MASK_WORDS per tile: the chunks in which it has edges */
	/* The searches that have reached each vertex, 16 per half-word. */
	uint16_t *visited;
	/* Two frontiers, by level % 2: CHUNK_WORDS words of bits per chunk and search. */
	uint32_t *frontier;
	level *level;        /* LEVELS: see level_of() */
	uint32_t run_parity; /* alternates between 0 and 1 from run to run */
	int32_t *dist;       /* n per search */
	unsigned *barrier;   /* for gpu_grid_sync() */
	unsigned long long *touched;
};

/* ---- places ---------------------------------------------------------------------------------- */

/* The 16 x 8 counts of one instruction, in the registers of a warp's lanes ("fragments" of the PTX
 * manual).  There are GROUPS such instructions per 256 edges:
 *
 *	search of instruction g    2g  2g+1    16+2g 17+2g    32+2g 33+2g    48+2g 49+2g
 *	vertex 0 of the tile       lane 0      lane 1         lane 2         lane 3         sum[g][0..1]
 *	vertex 1                   lane 4      lane 5         lane 6         lane 7
 *	...
 *	vertex 7                   lane 28     lane 29        lane 30        lane 31
 *	vertex 8                   lane 0      lane 1         lane 2         lane 3         sum[g][2..3]
 *	...
 *	vertex 15                  lane 28     lane 29        lane 30        lane 31
 *
 * So a lane holds two of the tile's vertices, `group` and `group + 8`, in the 16 searches from 16 *
 * `member` on.  Bit c of a lane's word is search 16 * member + c of the first vertex; bit 16 + c
 * is the same search of the second vertex.  As operands, lanes hold
 *
 *	rows of the matrix    the same two vertices: 16 bytes of each, from byte 16 * member on
 *	frontiers             search group / 2 * 16 + group % 2 + 2g: the same 16 bytes
 */
struct lane {
	uint32_t group, member; /* groupID and threadID_in_group of the PTX manual */
};

static __device__ __forceinline__ lane my_lane(void)
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

static __device__ __forceinline__ uint32_t *frontier_of(const batch_arrays &a, int32_t level)
{
	return a.frontier + (size_t)((uint32_t)level % 2) * BFS_BATCH * a.pitch;
}

/* Three entries rotate: one is read, one written, one cleared.  Level 1 of a run has no predecessor
 * to clear its entry, so it uses one of two extra entries while the other is cleared for the next
 * run. */
static __device__ __forceinline__ level *level_of(const batch_arrays &a, int32_t level)
{
	return &a.level[level == 1 ? ROTATED + a.run_parity : (uint32_t)level % ROTATED];
}

/* The half-word of vertex v in `visited` with the lane's searches. */
static __device__ __forceinline__ uint16_t *visited_at(const batch_arrays &a, uint32_t v,
						       uint32_t member)
{
	return &a.visited[(size_t)v * (BFS_BATCH / 16) + member];
}

/* Those of the 16 searches from `first` on that are not in the batch. */
static __device__ __forceinline__ uint32_t padding(const batch_arrays &a, uint32_t first)
{
	const uint32_t mine = first < a.batch ? a.batch - first : 0;

	return mine >= 16 ? 0 : 0xffffu & ~0u << mine;
}

/* ---- transposing --------------------------------------------------------------------------- */

/* Exchange bit `far` of the lane number with bit `near` of the bit number.  low: the bits of a word
 * whose number has bit `near` clear. */
static __device__ __forceinline__ uint32_t exchange(uint32_t word, uint32_t far, uint32_t near,
						    uint32_t low)
{
	const uint32_t other = __shfl_xor_sync(ALL_LANES, word, (int)far);

	return threadIdx.x & far ? (word & ~low) | (other & ~low) >> near
				 : (word & low) | (other & low) << near;
}

/* Transpose the 8 x 8 blocks of bits of each column of lanes: between a lane's two vertices in 16
 * searches (lane) and two searches, 16 * member + group and that + 8, of all 16 vertices.
 * The first search is in the low half, one bit per vertex of the tile.  Either way, __byte_perm()
 * below puts the half-words' bytes in order. */
static __device__ __forceinline__ uint32_t transpose_8x8(uint32_t word)
{
	word = exchange(word, 4, 1, 0x55555555u);
	word = exchange(word, 8, 2, 0x33333333u);
	return exchange(word, 16, 4, 0x0f0f0f0fu);
}

static __device__ __forceinline__ uint32_t transpose_to_searches(uint32_t word)
{
	return __byte_perm(transpose_8x8(word), 0, 0x3120);
}

static __device__ __forceinline__ uint32_t transpose_to_vertices(uint32_t word)
{
	return transpose_8x8(__byte_perm(word, 0, 0x3120));
}

/* ---- a tile -------------------------------------------------------------------------------- */

/* Load the reached bits of the lane's part of the tile.  Padding vertices and searches count as
 * reached. */
static __device__ __forceinline__ uint32_t load_visited(const batch_arrays &a, uint32_t tile)
{
	const lane l = my_lane();
	const uint32_t v = tile * TILE + l.group;
	const uint32_t low = v < a.n ? *visited_at(a, v, l.member) : 0xffffu;
	const uint32_t high = v + 8 < a.n ? *visited_at(a, v + 8, l.member) : 0xffffu;

	return low | high << 16;
}

/* Store `value` as the distance of the lane's vertices in the searches of `bits`. */
static __device__ __forceinline__ void store_dist(const batch_arrays &a, uint32_t tile,
						  uint32_t bits, int32_t value)
{
	const lane l = my_lane();
	int32_t *const dist = a.dist + (size_t)l.member * 16 * a.n + tile * TILE + l.group;

#pragma unroll
	for (uint32_t c = 0; c < 16; c++) {
		if (bits >> c & 1)
			dist[(size_t)c * a.n] = value;
		if (bits >> (16 + c) & 1)
			dist[(size_t)c * a.n + 8] = value;
	}
}

/* Put the tile's vertices in `found` on `level`; `visited` has those reached before.  Every tile
 * writes its half-words of the frontiers at every level. */
static __device__ __forceinline__ void publish(const batch_arrays &a, uint32_t tile, int32_t level,
					       uint32_t visited, uint32_t found)
{
	const lane l = my_lane();
	const uint32_t chunk = tile / CHUNK_HALVES, v = tile * TILE + l.group;
	const uint32_t two = transpose_to_searches(found);
	uint16_t *const half =
		(uint16_t *)frontier_of(a, level) +
		((size_t)chunk * BFS_BATCH + 16 * l.member + l.group) * CHUNK_HALVES +
		tile % CHUNK_HALVES;

	half[0] = (uint16_t)two;
	half[8 * CHUNK_HALVES] = (uint16_t)(two >> 16);
	if (!__any_sync(ALL_LANES, found))
		return;
	visited |= found;
	if (v < a.n)
		*visited_at(a, v, l.member) = (uint16_t)visited;
	if (v + 8 < a.n)
		*visited_at(a, v + 8, l.member) = (uint16_t)(visited >> 16);
	store_dist(a, tile, found, level);
	if (threadIdx.x % WARP == 0)
		gpu_st_relaxed(&level_of(a, level)->chunk[chunk], 1);
}

/* Record for the level whether the warp's tiles have frontier vertices and unreached vertices. */
static __device__ __forceinline__ void record_level(const batch_arrays &a, int32_t level,
						    bool frontier, bool unreached)
{
	frontier = __any_sync(ALL_LANES, frontier);
	unreached = __any_sync(ALL_LANES, unreached);
	if (threadIdx.x % WARP != 0)
		return;
	if (frontier)
		gpu_st_relaxed(&level_of(a, level)->has_frontier, 1);
	if (unreached)
		gpu_st_relaxed(&level_of(a, level)->has_unreached, 1);
}

/* ---- levels 0 and 1 ------------------------------------------------------------------------ */

/* The tile's half-words of two sources' rows or, unless `rows`, of the sources alone. */
static __device__ __forceinline__ uint32_t source_bits(const batch_arrays &a, uint32_t tile,
						       bool rows)
{
	const lane l = my_lane();
	uint32_t halves[2];

#pragma unroll
	for (uint32_t k = 0; k < 2; k++) {
		const uint32_t i = 16 * l.member + l.group + 8 * k;
		const uint32_t u = i < a.batch ? a.source[i] : 0;
		const uint32_t self = u / TILE == tile ? 1u << u % TILE : 0;
		const uint32_t row = ((const uint16_t *)(a.out + (size_t)u * a.pitch))[tile];

		halves[k] = i >= a.batch ? 0 : rows ? row : self;
	}
	return halves[0] | halves[1] << 16;
}

static __device__ __forceinline__ void start(const batch_arrays &a)
{
	const lane l = my_lane();
	const uint32_t none = padding(a, 16 * l.member) * 0x10001u;
	bool frontier = false, unreached = false;

	for (uint32_t tile = my_warp(); tile < a.tiles; tile += all_warps()) {
		const uint32_t v = tile * TILE + l.group;
		const uint32_t self = transpose_to_vertices(source_bits(a, tile, false));
		const uint32_t row = transpose_to_vertices(source_bits(a, tile, true));
		const uint32_t outside = (v < a.n ? 0 : 0xffffu) | (v + 8 < a.n ? 0 : 0xffff0000u);
		const uint32_t visited = self | none | outside;

		if (v < a.n)
			*visited_at(a, v, l.member) = (uint16_t)visited;
		if (v + 8 < a.n)
			*visited_at(a, v + 8, l.member) = (uint16_t)(visited >> 16);
		if (__any_sync(ALL_LANES, self))
			store_dist(a, tile, self, 0);
		publish(a, tile, 1, visited, row & ~visited);
		frontier |= (row & ~visited) != 0;
		unreached |= ~(visited | row) != 0;
	}
	record_level(a, 1, frontier, unreached);
}

/* ---- further levels ------------------------------------------------------------------------ */

/* The lane's bits whose counts are non-zero. */
static __device__ __forceinline__ uint32_t above_zero(const int sum[GROUPS][4])
{
	uint32_t bits = 0;

#pragma unroll
	for (uint32_t g = 0; g < GROUPS; g++) {
#pragma unroll
		for (uint32_t k = 0; k < 4; k++)
			bits |= sum[g][k] > 0 ? 1u << (2 * g + k % 2 + 16 * (k / 2)) : 0;
	}
	return bits;
}

/* The lane's 16 bytes of the row of vertex v; zeros if there is no such vertex. */
static __device__ __forceinline__ uint4 load_row(const batch_arrays &a, uint32_t v, uint32_t chunk)
{
	const uint32_t *const row = a.in + (size_t)v * a.pitch + chunk * CHUNK_WORDS;

	return v < a.n ? *(const uint4 *)(row + 4 * my_lane().member) : make_uint4(0, 0, 0, 0);
}

/* Multiply a chunk of the tile's rows, of which the lane has a part of two, by all frontiers.
 * Column `group` of group g is chosen so that a lane's counts are of adjacent searches. */
static __device__ __forceinline__ void multiply(const uint32_t *frontier, uint32_t chunk,
						uint4 first, uint4 second, int sum[GROUPS][4])
{
	const lane l = my_lane();
	const uint32_t search = l.group / 2 * 16 + l.group % 2;
	const uint32_t *const from =
		frontier + ((size_t)chunk * BFS_BATCH + search) * CHUNK_WORDS + 4 * l.member;
	const uint32_t low[4] = { first.x, second.x, first.y, second.y };
	const uint32_t high[4] = { first.z, second.z, first.w, second.w };

#pragma unroll
	for (uint32_t g = 0; g < GROUPS; g++) {
		const uint4 bits = *(const uint4 *)(from + 2 * g * CHUNK_WORDS);
		const uint32_t b[2] = { bits.x, bits.y }, more[2] = { bits.z, bits.w };

		gpu_mma_and_popc(sum[g], low, b);
		gpu_mma_and_popc(sum[g], high, more);
	}
}

/* Clear the lowest set bit and return its number. */
static __device__ __forceinline__ uint32_t take_bit(uint32_t *bits)
{
	const uint32_t bit = (uint32_t)__ffs((int)*bits) - 1;

	*bits &= *bits - 1;
	return bit;
}

/* The lane's bits in `unreached` that the frontiers reach.  *read grows by the number of chunks
 * read. */
static __device__ __forceinline__ uint32_t pull(const batch_arrays &a, uint32_t tile, int32_t level,
						uint32_t unreached, uint32_t *read)
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

#pragma unroll
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
#pragma unroll
			for (uint32_t k = 0; k < ROUND; k++)
				if (k < count)
					multiply(frontier, chunk[k], first[k], second[k], sum);
			*read += count;
			found = unreached & above_zero(sum);
			if (__all_sync(ALL_LANES, found == unreached))
				return found;
		}
	}
	return found;
}

static __device__ __forceinline__ void expand(const batch_arrays &a, int32_t level, uint32_t *read)
{
	bool frontier = false, unreached = false;

	for (uint32_t tile = my_warp(); tile < a.tiles; tile += all_warps()) {
		const uint32_t visited = load_visited(a, tile);
		uint32_t found = 0;

		if (__any_sync(ALL_LANES, ~visited))
			found = pull(a, tile, level, ~visited, read);
		publish(a, tile, level + 1, visited, found);
		frontier |= found != 0;
		unreached |= ~(visited | found) != 0;
	}
	record_level(a, level + 1, frontier, unreached);
}

/* Store BFS_UNREACHED for the vertices that a search has not reached. */
static __device__ __forceinline__ void finish(const batch_arrays &a)
{
	for (uint32_t tile = my_warp(); tile < a.tiles; tile += all_warps()) {
		const uint32_t visited = load_visited(a, tile);

		if (__any_sync(ALL_LANES, ~visited))
			store_dist(a, tile, ~visited, BFS_UNREACHED);
	}
}

static __device__ __forceinline__ void clear(level *level)
{
	for (uint32_t i = threadIdx.x; blockIdx.x == 0 && i < MAX_CHUNKS; i += BLOCK)
		level->chunk[i] = 0;
	if (blockIdx.x == 0 && threadIdx.x == 0)
		level->has_frontier = level->has_unreached = 0;
}

/* Launched with as many blocks as fit on the device at once; one warp per tile. */
static __global__ void __launch_bounds__(BLOCK, 2) search_kernel(batch_arrays a)
{
	uint32_t read = 0; /* chunks */

	start(a);
	clear(level_of(a, 2));
	clear(&a.level[ROTATED + (a.run_parity ^ 1)]);
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*a.touched = 0;
	gpu_grid_sync(a.barrier);
	for (int32_t level = 1;
	     level_of(a, level)->has_frontier && level_of(a, level)->has_unreached; level++) {
		clear(level_of(a, level + 2));
		expand(a, level, &read);
		gpu_grid_sync(a.barrier);
	}
	finish(a);
	if (threadIdx.x % WARP == 0 && read)
		atomicAdd(a.touched, (unsigned long long)read * TILE * CHUNK_WORDS * sizeof *a.in);
}

/* ---- upload: which chunks of a tile have edges --------------------------------------------- */

/* One warp per tile, with the lanes arranged as in a product. */
static __global__ void __launch_bounds__(BLOCK) mark_edges(batch_arrays a)
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
	struct bfs_matrices matrices; /* first: shared operations cast a state to it */
	batch_arrays arrays;
	unsigned blocks;
};

static enum gb_status create(state *s, const void *params, const void *input, struct gb_error *err)
{
	batch_arrays *const a = &s->arrays;

	if (bfs_need_no_parents((const struct bfs_params *)params, err) != GB_OK ||
	    bfs_searches_create(&s->matrices.search, params, input, true, err) != GB_OK ||
	    bfs_matrices_create(&s->matrices, err) != GB_OK)
		return err->code;
	bfs_matrices_arrays(&s->matrices, a);
	a->tiles = (a->n - 1) / TILE + 1;
	a->batch = (uint32_t)bfs_batch(&s->matrices.search.params);
	s->blocks = gpu_resident_blocks(search_kernel, BLOCK, 0, (a->tiles - 1) / WARPS + 1);
	(void)gpu_alloc(&a->edges, (size_t)a->tiles * MASK_WORDS, err);
	(void)gpu_alloc(&a->visited, (size_t)a->n * (BFS_BATCH / 16), err);
	/* The frontiers' bits beyond the last tile stay 0. */
	(void)gpu_alloc_zeroed(&a->frontier, (size_t)2 * BFS_BATCH * a->pitch, err);
	(void)gpu_alloc_zeroed(&a->level, LEVELS, err);
	return gpu_alloc_zeroed(&a->barrier, 1, err);
}

static enum gb_status upload(state *s, struct gb_error *err)
{
	if (bfs_matrices_upload(&s->matrices, err) != GB_OK)
		return err->code;
	mark_edges<<<s->blocks, BLOCK, 0, gpu_stream()>>>(s->arrays);
	return CUDA_TRY(err, cudaGetLastError()) ? err->code : gpu_wait(err);
}

static enum gb_status reset(state *s, int64_t sample, struct gb_error *err)
{
	const int64_t first = sample * (int64_t)s->arrays.batch;

	for (uint32_t i = 0; i < s->arrays.batch; i++)
		s->arrays.source[i] = bfs_search_source(&s->matrices.search, first + i);
	return GB_OK;
}

static enum gb_status run(state *s, struct gb_timer *timer, struct gb_error *err)
{
	s->arrays.run_parity ^= 1;
	return CUDA_TRY(err, gpu_launch_cooperative(search_kernel, s->blocks, BLOCK, 0,
						    gpu_stream(), s->arrays));
}

extern "C" const struct gb_variant_ops bfs_cuda_ccam_batch = {
	.state_size = sizeof(state),
	.create = op<create>,
	.upload = op<upload>,
	.reset = op<reset>,
	.run = op<run>,
	.download = op<bfs_search_download>,
	.metrics = op<bfs_search_metrics>,
	.flags = GB_REPEATABLE,
};
