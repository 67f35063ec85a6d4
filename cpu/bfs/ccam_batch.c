/* ccam_batch.c -- cpu/ccam-batch: up to 64 searches at once on the transposed bit matrix.  OpenMP,
 * and AVX-512 where the processor has it.
 *
 * Each vertex has 64-bit words with one bit per search of the batch: `seen` tells where it has been
 * reached, `frontier` where it was reached in the last level.  A level is a product of bit matrices
 * over OR and AND: the new word of v is the OR of the frontier's words over v's in-edges, minus v's
 * seen bits.  Vertices already reached in all searches are skipped, and a row is left as soon as
 * its vertex is.  A row is read only in 64-vertex words where some search's frontier has a vertex;
 * each level makes a list of those words.  Level 1 needs no product: the rows of the sources are
 * transposed, 64 words at a time.  Transposing a block back gives each search a bitmap of 64
 * vertices, from which the distances are stored.
 *
 * Against a search from each source, a row is read once for all of them, and with AVX-512 one
 * masked OR handles 8 edges for 64 searches.  It lacks the strength of ccam, whose OR of whole rows
 * reaches 512 vertices of one search at a time and is done with a dense graph after ln(8192) / p
 * rows (ccam.c).  The bound is n words of 8 bytes, which must stay in the nearest
 * cache, and the stores of 64 n distances.
 *
 * Only distances are found: one OR shows for 64 searches that a row and the frontier have a vertex
 * in common, but not which one.
 *
 * Several searches in the bits of a word: Then et al., "The More the Merrier: Efficient
 * Multi-Source Graph Traversal", VLDB 2014, who push along edges.  The product over OR and AND:
 * GraphBLAS.  The CUDA variant of this name runs the same levels on tensor cores and cites the
 * papers on that.
 */
#include "common/benchmark.h"
#include "common/memory.h"
#include "cpu/bfs/shared/dense.h"

enum {
	SIDE = 64,             /* vertices of a block; bits of a word */
	AHEAD = 8,             /* vertices to prefetch ahead */
	SHARED_VERTICES = 512, /* fewer are not worth waking threads for */
};

struct state {
	struct bfs_dense dense; /* first member; its frontier unites all searches */
	uint64_t all;           /* a bit for each search */
	/* One word per vertex, padded to whole blocks. */
	uint64_t *seen, *frontier, *next;
	uint32_t *at; /* blocks that have a frontier vertex */
	size_t count;
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const size_t room = bfs_cpu_room(((const struct bfs_input *)input)->n);
	struct state *s = state;

	(void)bfs_dense_init(&s->dense, params, input, BFS_WANTS_BATCH, err);
	s->all = UINT64_MAX >> (SIDE - bfs_batch(params));
	s->seen = gb_host_alloc(room, sizeof *s->seen, err);
	s->frontier = gb_host_alloc(room, sizeof *s->frontier, err);
	s->next = gb_host_alloc(room, sizeof *s->next, err);
	s->at = gb_host_alloc(room / SIDE, sizeof *s->at, err);
	return err->code;
}

/* Transpose 64 words of 64 bits: swap blocks of half the size, then blocks within them. */
static void turn(uint64_t bits[SIDE])
{
	uint64_t mask = UINT64_MAX >> SIDE / 2;

	for (unsigned half = SIDE / 2; half; half /= 2, mask ^= mask << half)
		for (unsigned i = 0; i < SIDE; i = ((i | half) + 1) & ~half) {
			const uint64_t swap = (bits[i] >> half ^ bits[i | half]) & mask;

			bits[i] ^= swap << half;
			bits[i | half] ^= swap;
		}
}

/* Store dist = level for the set bits of `bits`, a word per vertex of block b.  Transposes it. */
static void store_level(const struct state *s, size_t b, uint64_t bits[SIDE], int32_t level)
{
	const struct bfs_cpu *cpu = &s->dense.cpu;
	const size_t room = bfs_cpu_room(cpu->in->n);

	turn(bits);
	for (size_t i = 0; i < cpu->batch; i++)
		if (bits[i])
			s->dense.ops->set(cpu->dist + i * room + SIDE * b, &bits[i], 1, level);
}

/* Record `found`, the vertices of block b reached at this level. */
static void publish(struct state *s, size_t b, uint64_t found[SIDE], int32_t level)
{
	uint64_t *const seen = s->seen + SIDE * b, *const next = s->next + SIDE * b;
	uint64_t some = 0;

	for (size_t k = 0; k < SIDE; k++) {
		seen[k] |= found[k];
		next[k] = found[k];
		some |= (uint64_t)(found[k] != 0) << k;
	}
	s->dense.found[b] = some;
	if (some)
		store_level(s, b, found, level);
}

/* Find the sources' neighbours in block b, as one word per vertex. */
static void first_level(const struct state *s, size_t b, uint64_t found[SIDE])
{
	const struct bfs_cpu *cpu = &s->dense.cpu;
	const struct bfs_input *in = cpu->in;

	for (size_t i = 0; i < SIDE; i++) {
		const uint32_t source = bfs_source(in, cpu->first + (int64_t)i);

		found[i] = i < cpu->batch ? bfs_load64(in->matrix + source * in->pitch + 2 * b) : 0;
	}
	turn(found);
	for (size_t k = 0; k < SIDE; k++)
		found[k] &= ~s->seen[SIDE * b + k];
}

static void pull(const struct state *s, size_t b, uint64_t found[SIDE], uint64_t *read)
{
	const struct bfs_input *in = s->dense.cpu.in;
	const struct bfs_words words = { s->frontier, s->dense.frontier, s->at, s->count };

	for (size_t k = 0; k < SIDE; k++) {
		const size_t v = SIDE * b + k;
		const uint64_t open = s->all & ~s->seen[v];

		found[k] = 0;
		if (!open)
			continue;
		if (v + AHEAD < in->n)
			__builtin_prefetch(in->matrix_in + (v + AHEAD) * in->pitch);
		found[k] = s->dense.ops->gather(in->matrix_in + v * in->pitch, &words, open, read);
	}
}

/* Mark only the sources as reached.  Padding vertices count as reached in all searches. */
static void start(struct state *s)
{
	struct bfs_cpu *cpu = &s->dense.cpu;
	const size_t room = bfs_cpu_room(cpu->in->n);

	memset(s->seen, 0, room * sizeof *s->seen);
	for (size_t v = cpu->in->n; v < room; v++)
		s->seen[v] = s->all;
	for (size_t i = 0; i < cpu->batch; i++) {
		const uint32_t source = bfs_source(cpu->in, cpu->first + (int64_t)i);

		s->seen[source] |= UINT64_C(1) << i;
		cpu->dist[i * room + source] = 0;
	}
	cpu->touched = 0;
}

/* Find the vertices of this level; false if there are none or every vertex has been reached. */
static bool search_level(struct state *s, int32_t level)
{
	struct bfs_cpu *cpu = &s->dense.cpu;
	const size_t blocks = bfs_cpu_room(cpu->in->n) / SIDE;
	uint64_t read = 0, some = 0, left = 0;

#pragma omp parallel for num_threads(cpu->threads) schedule(dynamic, 1) \
	reduction(+ : read) reduction(| : some, left) \
	if (cpu->threads > 1 && cpu->in->n >= SHARED_VERTICES)
	for (size_t b = 0; b < blocks; b++) {
		uint64_t found[SIDE];

		if (level == 1) {
			first_level(s, b, found);
			read += cpu->batch;
		} else {
			pull(s, b, found, &read);
		}
		publish(s, b, found, level);
		some |= s->dense.found[b];
		for (size_t k = 0; k < SIDE; k++)
			left |= s->all & ~s->seen[SIDE * b + k];
	}
	cpu->touched += read * sizeof(uint64_t);
	return some && left;
}

/* Store BFS_UNREACHED for vertices that no path leads to. */
static void finish(struct state *s)
{
	struct bfs_cpu *cpu = &s->dense.cpu;
	const size_t blocks = bfs_cpu_room(cpu->in->n) / SIDE;

#pragma omp parallel for num_threads(cpu->threads) \
	schedule(static) if (cpu->threads > 1 && cpu->in->n >= SHARED_VERTICES)
	for (size_t b = 0; b < blocks; b++) {
		uint64_t none[SIDE], any = 0;

		for (size_t k = 0; k < SIDE; k++)
			any |= none[k] = s->all & ~s->seen[SIDE * b + k];
		if (any)
			store_level(s, b, none, BFS_UNREACHED);
	}
}

static void swap(uint64_t **a, uint64_t **b)
{
	uint64_t *const kept = *a;

	*a = *b;
	*b = kept;
}

/* Make the level just found the frontier. */
static void advance(struct state *s)
{
	const size_t blocks = bfs_cpu_room(s->dense.cpu.in->n) / SIDE;

	swap(&s->frontier, &s->next);
	swap(&s->dense.frontier, &s->dense.found);
	s->count = 0;
	for (size_t b = 0; b < blocks; b++)
		if (s->dense.frontier[b])
			s->at[s->count++] = (uint32_t)b;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	int32_t level = 1;

	start(s);
	while (search_level(s, level)) {
		advance(s);
		level++;
	}
	finish(s);
	return GB_OK;
}

const struct gb_variant_ops bfs_cpu_ccam_batch = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};
