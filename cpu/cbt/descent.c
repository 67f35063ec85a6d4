/* descent.c -- cpu/descent: the paper's algorithms as published, OpenMP; cpu/libcbt: the same with
 * the reduction of Dupuy's library.
 *
 * Against serial: the levels are reduced one after the other, all elements of a level in parallel,
 * and the leaf numbers are divided among threads, each of which descends for its own.  An element
 * may share its word with one that another thread writes, so it is written by an atomic AND and an
 * atomic OR; a split or merge is one of the two.  (Words have 64 bits here and 32 in the paper; no
 * element touches more than two of either.)  bitfield is left out: without sums no thread knows
 * where to start.
 *
 * libcbt differs from descent in the six lowest levels.  As in the library (cbt.h, 64-bit words),
 * one pass over the field adds up the bits of a word in registers.  It stores level D - 1's word,
 * which no other thread writes, and packs the word's sums of each further level into one atomic AND
 * and OR per word that they touch.  So 63 sums take 5 to 9 pairs of atomic operations instead of 63
 * or more.
 *
 * The bounds are two atomic operations for each of 2^D sums (libcbt: a tenth), and D steps of
 * dependent loads for each leaf.
 */
#include "common/benchmark.h"
#include "cpu/cbt/shared/tree.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct cbt_input *in = input;

	if (in->op == CBT_BITFIELD)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "a descent needs the sums; --op=bitfield is for serial and ocbt");
	return cbt_cpu_init(state, params, input, true, err);
}

/* Set the `width` bits from `bit` on to value; leave their neighbours unchanged. */
static void put(uint64_t *heap, uint64_t bit, unsigned width, uint64_t value)
{
	uint64_t *at = heap + bit / 64;
	const unsigned shift = (unsigned)(bit % 64);
	const uint64_t mask = (UINT64_C(1) << width) - 1;

	(void)__atomic_fetch_and(at, ~(mask << shift), __ATOMIC_RELAXED);
	(void)__atomic_fetch_or(at, value << shift, __ATOMIC_RELAXED);
	if (shift + width <= 64)
		return;
	(void)__atomic_fetch_and(at + 1, ~(mask >> (64 - shift)), __ATOMIC_RELAXED);
	(void)__atomic_fetch_or(at + 1, value >> (64 - shift), __ATOMIC_RELAXED);
}

enum { WORD_LEVELS = 6 }; /* levels of sums over the 64 bits of a word */

/* Write levels D - 1 to D - 6 of the 64 leaves from node k of level D on. */
static void reduce_word(uint64_t *heap, unsigned depth, uint32_t k)
{
	static const uint64_t mask[WORD_LEVELS] = { 0x5555555555555555, 0x3333333333333333,
						    0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff,
						    0x0000ffff0000ffff, 0x00000000ffffffff };
	uint64_t x = heap[cbt_element_bit(depth, k) / 64];

#pragma GCC unroll 6
	for (unsigned i = 0; i < WORD_LEVELS; i++) {
		const unsigned sums = 32u >> i, width = i + 2;
		uint64_t packed = 0;

		x = (x & mask[i]) + (x >> (1u << i) & mask[i]);
		k /= 2;
		if (i == 0) {
			heap[cbt_element_bit(depth, k) / 64] = x;
			continue;
		}
#pragma GCC unroll 16
		for (unsigned j = 0; j < sums; j++)
			packed |= (x >> j * (2u << i) & ((1u << width) - 1)) << j * width;
		put(heap, cbt_element_bit(depth, k), sums * width, packed);
	}
}

/* prepass: sum the lowest levels as libcbt does. */
static void reduce(struct cbt_cpu *cpu, bool prepass)
{
	const unsigned depth = cpu->depth;
	const bool by_word = prepass && depth >= WORD_LEVELS;
	uint64_t *heap = cpu->heap;

	heap[0] |= UINT64_C(1) << depth;
#pragma omp parallel num_threads(cpu->threads)
	{
		if (by_word) {
#pragma omp for schedule(static)
			for (uint32_t k = UINT32_C(1) << depth; k < UINT32_C(2) << depth; k += 64)
				reduce_word(heap, depth, k);
		}
		for (unsigned level = by_word ? depth - WORD_LEVELS : depth; level-- > 0;) {
			const unsigned width = cbt_width(depth, level);

#pragma omp for schedule(static)
			for (uint32_t k = UINT32_C(1) << level; k < UINT32_C(2) << level; k++)
				put(heap, cbt_element_bit(depth, k), width,
				    cbt_cpu_get(heap, depth, 2 * k) +
					    cbt_cpu_get(heap, depth, 2 * k + 1));
		}
	}
	cpu->found->leaves = cbt_get(heap, depth, 1);
}

static void decode(struct cbt_cpu *cpu)
{
	const uint64_t leaves = cbt_get(cpu->tree, cpu->depth, 1);
	const uint64_t *tree = cpu->tree;
	uint32_t *ids = cpu->ids;
	uint64_t sum = 0;

#pragma omp parallel for num_threads(cpu->threads) schedule(static) reduction(+ : sum)
	for (uint64_t leaf = 0; leaf < leaves; leaf++) {
		const uint32_t k = cbt_cpu_descend(tree, cpu->depth, leaf);

		if (ids)
			ids[leaf] = k;
		else
			sum += k;
	}
	cpu->found->leaves = leaves;
	cpu->found->id_sum = sum;
}

static void update(struct cbt_cpu *cpu, bool prepass, struct gb_timer *timer)
{
	for (size_t f = 0; f < cpu->in->frames; f++) {
		const struct cbt_frame *frame = &cpu->in->frame[f];
		const uint64_t leaves = cbt_get(cpu->heap, cpu->depth, 1);

		gb_phase(timer, "change");
#pragma omp parallel for num_threads(cpu->threads) schedule(static)
		for (uint64_t leaf = 0; leaf < leaves; leaf++)
			cbt_cpu_change(cpu->heap, cpu->depth, frame, leaf,
				       cbt_cpu_descend(cpu->heap, cpu->depth, leaf));
		gb_phase(timer, "reduce");
		reduce(cpu, prepass);
	}
}

static void run_all(struct cbt_cpu *cpu, bool prepass, struct gb_timer *timer)
{
	cpu->found->leaves = cpu->found->id_sum = 0;
	if (cpu->in->op == CBT_UPDATE) {
		update(cpu, prepass, timer);
		return;
	}
	if (cpu->in->op != CBT_DECODE) {
		gb_phase(timer, "reduce");
		reduce(cpu, prepass);
	}
	if (cpu->in->op != CBT_REDUCE) {
		gb_phase(timer, "decode");
		decode(cpu);
	}
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	run_all(state, false, timer);
	return GB_OK;
}

static enum gb_status run_libcbt(void *state, struct gb_timer *timer, struct gb_error *err)
{
	run_all(state, true, timer);
	return GB_OK;
}

const struct gb_variant_ops cbt_cpu_descent = {
	.state_size = sizeof(struct cbt_cpu),
	.create = create,
	.reset = cbt_cpu_reset,
	.run = run,
	.download = cbt_cpu_download,
	.flags = GB_REPEATABLE,
};

const struct gb_variant_ops cbt_cpu_libcbt = {
	.state_size = sizeof(struct cbt_cpu),
	.create = create,
	.reset = cbt_cpu_reset,
	.run = run_libcbt,
	.download = cbt_cpu_download,
	.flags = GB_REPEATABLE,
};
