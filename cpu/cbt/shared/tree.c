/* tree.c -- arrays, input and output of the CPU variants of cbt; operations on single elements. */
#include "cpu/cbt/shared/tree.h"

#include <omp.h>
#include <string.h>

#include "common/memory.h"

enum gb_status cbt_cpu_init(struct cbt_cpu *cpu, const void *params, const void *input,
			    bool keeps_heap, struct gb_error *err)
{
	const struct cbt_params *p = params;
	const struct cbt_input *in = input;

	cpu->in = in;
	cpu->depth = in->depth;
	cpu->threads = p->threads > 0 ? (int)p->threads : omp_get_num_procs();
	cpu->tree = in->heap;
	if (keeps_heap && cbt_has_heap(in)) {
		cpu->heap = gb_host_alloc(in->heap_words, sizeof *cpu->heap, err);
		cpu->tree = cpu->heap;
	}
	if (cbt_has_ids(in))
		cpu->ids = gb_host_alloc(in->leaves, sizeof *cpu->ids, err);
	cpu->found = gb_host_alloc(1, sizeof *cpu->found, err);
	gb_memory_result(cpu->found, GB_WHOLE, GB_POISON);
	gb_memory_result(cpu->heap, cbt_sum_bytes(in->depth), 0);
	gb_memory_result(cpu->ids, GB_WHOLE, GB_POISON);
	return err->code;
}

enum gb_status cbt_cpu_reset(void *state, int64_t sample, struct gb_error *err)
{
	struct cbt_cpu *cpu = state;
	const struct cbt_input *in = cpu->in;

	cpu->found->leaves = cpu->found->id_sum = 0;
	if (!cpu->heap)
		return GB_OK;
	if (in->op == CBT_UPDATE) {
		memcpy(cpu->heap, in->heap, in->heap_words * sizeof *in->heap);
		return GB_OK;
	}
	memset(cpu->heap, 0,
	       (in->depth < 6 ? in->heap_words : cbt_field_at(in->depth)) * sizeof *cpu->heap);
	cbt_put_field(cpu->heap, in->depth, in->field);
	return GB_OK;
}

enum gb_status cbt_cpu_download(void *state, void *output, struct gb_error *err)
{
	const struct cbt_cpu *cpu = state;
	const struct cbt_input *in = cpu->in;

	*(struct cbt_output *)output = (struct cbt_output){
		.leaves = cpu->found->leaves,
		.id_sum = cpu->found->id_sum,
		.last_level = (int64_t)in->depth - 1,
	};
	if (cpu->ids)
		memcpy(cbt_output_ids(in, output), cpu->ids, in->leaves * sizeof *cpu->ids);
	if (cpu->heap)
		memcpy(cbt_output_heap(in, output), cpu->heap, in->heap_words * sizeof *cpu->heap);
	return GB_OK;
}

void cbt_cpu_reduce(uint64_t *heap, unsigned depth)
{
	heap[0] |= UINT64_C(1) << depth;
	for (uint32_t k = (UINT32_C(1) << depth) - 1; k >= 1; k--)
		cbt_set(heap, depth, k,
			cbt_get(heap, depth, 2 * k) + cbt_get(heap, depth, 2 * k + 1));
}

/* Sibling leaves have consecutive numbers, so the right one also checks the wish before its own.
 * Their parent's sum tells whether the left one is a leaf; a frame does not change sums. */
void cbt_cpu_change(uint64_t *heap, unsigned depth, const struct cbt_frame *frame, size_t leaf,
		    uint32_t k)
{
	if (cbt_cpu_wish(frame->split, leaf) && cbt_level(k) < depth) {
		const uint64_t bit = cbt_level_bit(depth, depth) + cbt_field_bit(depth, 2 * k + 1);

		(void)__atomic_fetch_or(&heap[bit / 64], UINT64_C(1) << bit % 64, __ATOMIC_RELAXED);
	}
	if (k > 1 && (k & 1) && cbt_cpu_wish(frame->merge, leaf) &&
	    cbt_cpu_wish(frame->merge, leaf - 1) && cbt_cpu_get(heap, depth, k / 2) == 2) {
		const uint64_t bit = cbt_level_bit(depth, depth) + cbt_field_bit(depth, k);

		(void)__atomic_fetch_and(&heap[bit / 64], ~(UINT64_C(1) << bit % 64),
					 __ATOMIC_RELAXED);
	}
}
