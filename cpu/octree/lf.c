/* lf.c -- cpu/lf: OctreeBuild-LF, lock-free insertion (Cordeiro & Zola).
 *
 * Each thread owns a pre-allocated node.  A free octant takes the body by one compare-and-swap.  If
 * the octant has a body, that goes into the pre-allocated node, which replaces it by one
 * compare-and-swap; the thread takes another node, continues below, and meets the same body again
 * until the two are apart.  There is no lock and no barrier: a late thread finds what another one
 * did, and every step of a division becomes visible to all at once.
 *
 * Invariants: a value only changes from FREE to a body to a node; a node is stored with release
 * after it was filled, and descended into with acquire.  A failed compare-and-swap leaves the
 * pre-allocated node without children, as before.  That node is taken when it is first needed, so
 * that there are no more of them than bodies.  Octants of level 21 take any number of bodies, each
 * by one exchange.
 *
 * With buckets above one, a leaf is a block of `bucket` places that only fill up, each by one
 * compare-and-swap.  A full block never changes, so that a late thread may still read it: its
 * bodies are copied into fresh blocks below the pre-allocated node.  Level 21 has lists instead;
 * the bodies of a block get the same successors there, whichever thread moves them.
 *
 * Unlike in lock, no thread waits for another.  The bound is the same.
 */
#include "cpu/octree/shared/insert.h"

#include "common/benchmark.h"
#include "common/memory.h"

enum { BLOCK_CHUNK = 16, SPARES = 8 };

struct state {
	struct octree_cpu cpu; /* must be first: builder.h takes a pointer to the state */
	int32_t *block;        /* block_room blocks of `bucket` places; NULL if bucket is 1 */
	size_t block_room;
	size_t blocks; /* blocks taken; atomic */
};

/* The nodes that a thread owns. */
struct thread {
	struct octree_rows rows;
	int32_t mine;          /* pre-allocated node; 0: none */
	int32_t spare[SPARES]; /* empty blocks */
	int spares;
	int32_t block, block_end; /* further ones */
};

/* The thread's own node; 0 if the pool is exhausted. */
static inline int32_t own_node(struct octree_cpu *cpu, struct thread *t)
{
	if (!t->mine)
		t->mine = octree_cpu_node(cpu, &t->rows);
	return t->mine;
}

/* ---- leaves of one body -------------------------------------------------------------------- */

/* False if the pool is exhausted. */
static inline bool insert_body(struct octree_cpu *cpu, struct thread *t, int32_t i)
{
	const uint64_t key = cpu->key[i];
	int32_t *slot = &cpu->child[0][key >> 3 * OCTREE_DEEPEST & 7];
	int32_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	int shift = 3 * OCTREE_DEEPEST;

	cpu->next[i] = -1;
	for (;;) {
		if (value > 0) {
			shift -= 3;
			slot = &cpu->child[value][key >> shift & 7];
			value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		} else if (shift == 0) {
			octree_list_chain(cpu, slot, i);
			return true;
		} else if (value == OCTREE_FREE) {
			if (__atomic_compare_exchange_n(slot, &value, octree_body(i), false,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return true;
		} else {
			const uint64_t found = cpu->key[octree_body(value)];
			const int32_t node = own_node(cpu, t);
			int32_t *below = &cpu->child[node][found >> (shift - 3) & 7];
			const int32_t body = value;

			if (!node)
				return false;
			*below = body;
			if (__atomic_compare_exchange_n(slot, &value, node, false, __ATOMIC_ACQ_REL,
							__ATOMIC_ACQUIRE)) {
				t->mine = 0;
				value = node;
			} else {
				*below = OCTREE_FREE;
			}
		}
	}
}

/* ---- leaves as blocks ---------------------------------------------------------------------- */

/* A block as a value of child; blocks are numbered after all bodies. */
static inline int32_t block_value(const struct state *s, int32_t block)
{
	return octree_body((int32_t)s->cpu.count + block);
}

static inline int32_t *places(const struct state *s, int32_t value)
{
	const size_t block = (size_t)octree_body(value) - s->cpu.count;

	return s->block + block * (size_t)s->cpu.bucket;
}

/* Take an empty block, as a value.  There are always enough: see create_blocks(). */
static int32_t take_block(struct state *s, struct thread *t)
{
	if (t->spares)
		return t->spare[--t->spares];
	if (t->block == t->block_end) {
		const size_t bucket = (size_t)s->cpu.bucket;

		t->block = (int32_t)__atomic_fetch_add(&s->blocks, BLOCK_CHUNK, __ATOMIC_RELAXED);
		t->block_end = t->block + BLOCK_CHUNK;
		for (size_t k = 0; k < BLOCK_CHUNK * bucket; k++)
			s->block[(size_t)t->block * bucket + k] = OCTREE_FREE;
	}
	return block_value(s, t->block++);
}

static void give_block(struct state *s, struct thread *t, int32_t value)
{
	int32_t *place = places(s, value);

	for (int k = 0; k < s->cpu.bucket && place[k] != OCTREE_FREE; k++)
		place[k] = OCTREE_FREE;
	t->spare[t->spares++] = value;
}

/* Put body i into the first free place.  False if the block is full. */
static bool join(struct state *s, struct thread *t, int32_t value, int32_t i)
{
	int32_t *place = places(s, value);

	for (int k = 0; k < s->cpu.bucket; k++) {
		int32_t there = __atomic_load_n(&place[k], __ATOMIC_RELAXED);

		if (there != OCTREE_FREE)
			continue;
		if (__atomic_compare_exchange_n(&place[k], &there, i, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return true;
	}
	return false;
}

/* Copy the bodies of a full block to the children of the thread's own node, whose digit is at
 * `shift`: into lists at level 21, else into blocks.  Bodies that stay together keep their
 * block. */
static void move_down(struct state *s, struct thread *t, int32_t value, int32_t node, int shift)
{
	struct octree_cpu *cpu = &s->cpu;
	const int32_t *place = places(s, value);
	int32_t *child = cpu->child[node];
	int32_t body[OCTREE_MAX_BUCKET] = { 0 };
	int digit[OCTREE_MAX_BUCKET] = { 0 };
	int fill[8] = { 0 };
	bool together = shift > 0;

	for (int k = 0; k < cpu->bucket; k++) {
		body[k] = __atomic_load_n(&place[k], __ATOMIC_RELAXED);
		digit[k] = (int)(cpu->key[body[k]] >> shift) & 7;
		together = together && digit[k] == digit[0];
	}
	if (together) {
		child[digit[0]] = value;
		return;
	}
	for (int k = 0; k < cpu->bucket; k++) {
		const int32_t i = body[k];
		const int d = digit[k];

		if (shift == 0) {
			const int32_t head = child[d] == OCTREE_FREE ? -1 : octree_body(child[d]);

			__atomic_store_n(&cpu->next[i], head, __ATOMIC_RELAXED);
			child[d] = octree_body(i);
			continue;
		}
		if (child[d] == OCTREE_FREE)
			child[d] = take_block(s, t);
		places(s, child[d])[fill[d]++] = i;
	}
}

/* Restore the thread's own node to its state before move_down(). */
static void undo(struct state *s, struct thread *t, int32_t value, int32_t node, int shift)
{
	int32_t *child = s->cpu.child[node];

	for (int d = 0; d < 8; d++) {
		if (child[d] != OCTREE_FREE && child[d] != value && shift > 0)
			give_block(s, t, child[d]);
		child[d] = OCTREE_FREE;
	}
}

/* Put a block with body i into a free octant.  False if another thread was faster; *value is then
 * what it stored. */
/* NOLINTNEXTLINE(readability-non-const-parameter) */
static bool plant(struct state *s, struct thread *t, int32_t *slot, int32_t *value, int32_t i)
{
	const int32_t block = take_block(s, t);

	places(s, block)[0] = i;
	if (__atomic_compare_exchange_n(slot, value, block, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return true;
	give_block(s, t, block);
	return false;
}

/* False if the pool is exhausted. */
static bool insert_block(struct state *s, struct thread *t, int32_t i)
{
	struct octree_cpu *cpu = &s->cpu;
	const uint64_t key = cpu->key[i];
	int32_t *slot = &cpu->child[0][key >> 3 * OCTREE_DEEPEST & 7];
	int32_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	int shift = 3 * OCTREE_DEEPEST;

	for (;;) {
		if (value > 0) {
			shift -= 3;
			slot = &cpu->child[value][key >> shift & 7];
			value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		} else if (shift == 0) {
			octree_list_chain(cpu, slot, i);
			return true;
		} else if (value == OCTREE_FREE) {
			if (plant(s, t, slot, &value, i))
				return true;
		} else if (join(s, t, value, i)) {
			return true;
		} else {
			const int32_t node = own_node(cpu, t), block = value;

			if (!node)
				return false;
			move_down(s, t, block, node, shift - 3);
			if (__atomic_compare_exchange_n(slot, &value, node, false, __ATOMIC_ACQ_REL,
							__ATOMIC_ACQUIRE)) {
				t->mine = 0;
				value = node;
			} else {
				undo(s, t, block, node, shift - 3);
			}
		}
	}
}

/* ---- the variant --------------------------------------------------------------------------- */

/* A cell gets at most one block that is published.  A thread holds up to a chunk's and a node's
 * worth of others. */
static enum gb_status create_blocks(struct state *s, struct gb_error *err)
{
	const struct octree_shape *tree = &s->cpu.input->tree;
	const size_t threads = (size_t)s->cpu.threads;

	s->block_room = tree->leaves + tree->nodes + threads * (2 * BLOCK_CHUNK + SPARES);
	if (s->cpu.count + s->block_room > INT32_MAX - 2)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "%zu bodies and %zu blocks do not fit in 31 bits: "
			       "use fewer bodies",
			       s->cpu.count, s->block_room);
	s->block = gb_host_alloc(s->block_room, (size_t)s->cpu.bucket * sizeof *s->block, err);
	gb_memory_result(s->block, GB_WHOLE, GB_POISON);
	return err->code;
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;

	if (octree_cpu_init(&s->cpu, params, input, OCTREE_WANTS_KEYS, err))
		return err->code;
	return s->cpu.bucket > 1 ? create_blocks(s, err) : GB_OK;
}

static bool insert(void *state, struct cpu_range r)
{
	struct state *s = state;
	struct thread t = { .spares = 0 };
	bool room = true;

	if (s->cpu.bucket == 1)
		for (size_t i = r.begin; i < r.end && room; i++)
			room = insert_body(&s->cpu, &t, (int32_t)i);
	else
		for (size_t i = r.begin; i < r.end && room; i++)
			room = insert_block(s, &t, (int32_t)i);
	return room;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	s->blocks = 0;
	octree_cpu_box(state, timer);
	return octree_cpu_insert(state, timer, insert, false, err);
}

/* Turn a block into a list.  Values that are not blocks, and places that are not bodies, are left
 * to the verifier. */
static int32_t list_of(const struct state *s, int32_t value, int32_t *next)
{
	const int32_t *place = places(s, value);

	if ((size_t)octree_body(value) - s->cpu.count >= s->block_room)
		return value;
	for (int k = 0; k < s->cpu.bucket && (size_t)place[k] < s->cpu.count; k++) {
		const bool last = k + 1 == s->cpu.bucket || place[k + 1] == OCTREE_FREE;

		next[place[k]] = last ? -1 : place[k + 1];
		if (last)
			break;
	}
	return octree_body(place[0]);
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = state;
	struct octree_output *out = output;
	int32_t *next = octree_output_next(s->cpu.input, out);

	(void)octree_cpu_download(state, output, err);
	if (!s->block)
		return GB_OK;
#pragma omp parallel for num_threads(s->cpu.threads) schedule(static)
	for (int64_t row = 0; row < out->rows; row++)
		for (int d = 0; d < 8; d++) {
			int32_t *value = &out->child[row][d];

			if (*value < OCTREE_FREE && (size_t)octree_body(*value) >= s->cpu.count)
				*value = list_of(s, *value, next);
		}
	return GB_OK;
}

const struct gb_variant_ops octree_cpu_lf = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = run,
	.download = download,
	.metrics = octree_cpu_metrics,
	.flags = GB_REPEATABLE,
};
