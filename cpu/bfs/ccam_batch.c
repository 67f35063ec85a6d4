/* ccam_batch.c -- cpu/ccam-batch: up to 64 searches at once on the transposed bit matrix.  OpenMP, and
 * AVX-512 where the processor has it.
 *
 * A vertex has one 64-bit word, a bit for each search of the batch: in which it has been reached
 * (seen), in which it is of the last level (frontier).  A level is a product of bit matrices over OR and
 * AND: the word of v is the OR of the frontier's words over v's in-edges, less what v has seen.  Rows are
 * left as soon as the vertex is reached in all searches, passed over when it was before, and read only
 * where the frontier has a vertex in any search: a list of such words of 64 vertices is made at each
 * level.  Level 1 is no product: it is the rows of the sources, 64 words of them turned at a time.  Turned
 * back they are bitmaps of 64 vertices for each search, from which the distances are stored.
 *
 * What it adds over ccam-pull: a row is read once for all searches, not once for each, and with AVX-512
 * one masked OR looks at 8 edges for 64 searches.  What it cannot do is what makes ccam fast: the OR of
 * whole rows reaches 512 vertices of one search at a time, and leaves a dense graph after some 200 rows.
 * The bound is n words of 8 bytes that have to be in the nearest cache, and the store of 64 n distances.
 *
 * Only distances are found: that a row and a frontier have a vertex in common is known of 64 searches
 * from one OR, which vertex it is is not.
 *
 * Several searches in the bits of a word: Then et al., "The More the Merrier: Efficient Multi-Source
 * Graph Traversal", VLDB 2014, who push along edges; the product over OR and AND: GraphBLAS.  The
 * CUDA variant of this name has the same levels on tensor cores, and the papers on that.
 */
#include "common/memory.h"
#include "common/workload.h"
#include "cpu/bfs/parts/dense.h"

enum {
	SIDE = 64,             /* vertices of a block; bits of a word */
	AHEAD = 8,             /* vertices whose rows are prefetched */
	SHARED_VERTICES = 512, /* fewer are not worth waking threads for */
};

struct state {
	struct bfs_dense
		dense; /* first.  Its frontier: the vertices of the last level of any search */
	uint64_t all;  /* a bit for each search */
	/* A word for each vertex, whole blocks. */
	uint64_t *seen, *frontier, *next;
	uint32_t *at; /* blocks in which the frontier has a vertex */
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

/* Transpose 64 words of 64 bits: blocks of half the size change places, then those within them. */
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

/* dist = level where `bits`, a word per vertex of block b, are set.  They are turned. */
static void store_level(const struct state *s, size_t b, uint64_t bits[SIDE], int32_t level)
{
	const struct bfs_cpu *cpu = &s->dense.cpu;
	const size_t room = bfs_cpu_room(cpu->in->n);

	turn(bits);
	for (size_t i = 0; i < cpu->batch; i++)
		if (bits[i])
			s->dense.ops->set(cpu->dist + i * room + SIDE * b, &bits[i], 1, level);
}

/* The vertices of block b that `found` says are of this level. */
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

/* What the sources have rows to, as words of the block's vertices. */
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

/* Only the sources have been reached; what is no vertex is in all searches. */
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

/* Find the vertices of this level; false if there are none, or none are left. */
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

/* Vertices that no path leads to. */
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

/* The level that was found is searched from. */
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
