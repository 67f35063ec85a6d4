/* descent.c -- cpu/descent: the paper's algorithms as published, OpenMP.
 *
 * Against serial: the levels are reduced one after the other, all elements of a level in parallel,
 * and the leaf numbers are divided among threads, each of which descends for its own.  An element
 * may share its word with one that another thread writes, so it is written by an atomic AND and an
 * atomic OR; a split or merge is one of the two.  (Words have 64 bits here and 32 in the paper; no
 * element touches more than two of either.)  bitfield is left out: without sums no thread knows
 * where to start.
 *
 * The bounds are two atomic operations for each of 2^D sums, and D steps of dependent loads for
 * each leaf.
 */
#include "common/workload.h"
#include "cpu/cbt/parts/tree.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct cbt_input *in = input;

	if (in->op == CBT_BITFIELD)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "a descent needs the sums; --op=bitfield is for serial and stream");
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

static void reduce(struct cbt_cpu *cpu)
{
	const unsigned depth = cpu->depth;
	uint64_t *heap = cpu->heap;

	heap[0] |= UINT64_C(1) << depth;
#pragma omp parallel num_threads(cpu->threads)
	for (unsigned level = depth; level-- > 0;) {
		const unsigned width = cbt_width(depth, level);

#pragma omp for schedule(static)
		for (uint32_t k = UINT32_C(1) << level; k < UINT32_C(2) << level; k++)
			put(heap, cbt_element_bit(depth, k), width,
			    cbt_cpu_get(heap, depth, 2 * k) + cbt_cpu_get(heap, depth, 2 * k + 1));
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

static void update(struct cbt_cpu *cpu, struct gb_timer *timer)
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
		reduce(cpu);
	}
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cbt_cpu *cpu = state;

	cpu->found->leaves = cpu->found->id_sum = 0;
	if (cpu->in->op == CBT_UPDATE) {
		update(cpu, timer);
		return GB_OK;
	}
	if (cpu->in->op != CBT_DECODE) {
		gb_phase(timer, "reduce");
		reduce(cpu);
	}
	if (cpu->in->op != CBT_REDUCE) {
		gb_phase(timer, "decode");
		decode(cpu);
	}
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
