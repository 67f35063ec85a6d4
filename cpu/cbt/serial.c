/* serial.c -- cpu/serial: the paper's algorithms in one thread.
 *
 * bitfield is its figure 5: read the field bit after bit.  A set bit ends the run of zeros before
 * it, whose length gives the level of the leaf that started the run.  This takes 2^D steps, however
 * few the leaves, and cannot be shared among threads, which is why the tree has sums.
 *
 * decode is figure 8, once for each leaf number: a descent of at most D steps, bound by the latency
 * of two dependent loads per step.  reduce reads every pair of elements from the heap and stores
 * their sum, one at a time, from level D - 1 up.
 */
#include "common/benchmark.h"
#include "cpu/cbt/shared/tree.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return cbt_cpu_init(state, params, input, true, err);
}

static void emit(struct cbt_cpu *cpu, uint32_t k)
{
	if (cpu->ids)
		cpu->ids[cpu->found->leaves] = k;
	else
		cpu->found->id_sum += k;
	cpu->found->leaves++;
}

static void scan_field(struct cbt_cpu *cpu)
{
	const uint64_t end = UINT64_C(1) << cpu->depth;
	const uint64_t *field = cpu->in->field;
	uint64_t x = 0; /* start of the current leaf */

	for (uint64_t y = 1; y < end; y++)
		if (field[y / 64] >> y % 64 & 1) {
			emit(cpu, cbt_leaf(cpu->depth, (uint32_t)x, (uint32_t)(y - x)));
			x = y;
		}
	emit(cpu, cbt_leaf(cpu->depth, (uint32_t)x, (uint32_t)(end - x)));
}

static void decode(struct cbt_cpu *cpu)
{
	const uint64_t leaves = cbt_get(cpu->tree, cpu->depth, 1);

	for (uint64_t leaf = 0; leaf < leaves; leaf++)
		emit(cpu, cbt_cpu_descend(cpu->tree, cpu->depth, leaf));
}

static void update(struct cbt_cpu *cpu, struct gb_timer *timer)
{
	for (size_t f = 0; f < cpu->in->frames; f++) {
		const struct cbt_frame *frame = &cpu->in->frame[f];
		const uint64_t leaves = cbt_get(cpu->heap, cpu->depth, 1);

		gb_phase(timer, "change");
		for (uint64_t leaf = 0; leaf < leaves; leaf++)
			cbt_cpu_change(cpu->heap, cpu->depth, frame, leaf,
				       cbt_cpu_descend(cpu->heap, cpu->depth, leaf));
		gb_phase(timer, "reduce");
		cbt_cpu_reduce(cpu->heap, cpu->depth);
	}
	cpu->found->leaves = cbt_get(cpu->heap, cpu->depth, 1);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cbt_cpu *cpu = state;

	cpu->found->leaves = cpu->found->id_sum = 0;
	switch (cpu->in->op) {
	case CBT_BITFIELD:
		scan_field(cpu);
		break;
	case CBT_REDUCE:
		cbt_cpu_reduce(cpu->heap, cpu->depth);
		cpu->found->leaves = cbt_get(cpu->heap, cpu->depth, 1);
		break;
	case CBT_DECODE:
		decode(cpu);
		break;
	case CBT_CYCLE:
		gb_phase(timer, "reduce");
		cbt_cpu_reduce(cpu->heap, cpu->depth);
		gb_phase(timer, "decode");
		decode(cpu);
		break;
	case CBT_UPDATE:
		update(cpu, timer);
		break;
	case CBT_OPS:
		break;
	}
	return GB_OK;
}

const struct gb_variant_ops cbt_cpu_serial = {
	.state_size = sizeof(struct cbt_cpu),
	.create = create,
	.reset = cbt_cpu_reset,
	.run = run,
	.download = cbt_cpu_download,
	.flags = GB_SERIAL | GB_REPEATABLE,
};
