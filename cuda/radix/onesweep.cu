/* onesweep.cu -- step 4 of 5: 8 bits per pass, one sweep over the data (Adinets and Merrill 2022).
 *
 * One kernel counts the digits of all passes.  Each pass then reads and writes every key once: a
 * tile ranks its keys, finds by decoupled look-back how many keys of each digit precede it, and
 * writes its keys in runs from shared memory.  Digits that all keys share cost no pass.
 * primitives/sort.cu implements and explains the sort; this file makes it a variant of radix.
 *
 * Unlike split-fused, it takes 8 bits per pass instead of one.  Bytes moved per u32 key: 4 for the
 * histogram and 8 in each of 4 passes, 36 in all; pairs 68, u64 136.  The bound is this traffic at
 * copy bandwidth, plus ranking: eight ballots per key and pass.
 */
#include "cuda/radix/shared/buffers.h"

struct state {
	radix_arrays arrays; /* first: see radix_upload() */
	gpu_sort_args sort;
};

static gb_status create(state *s, const void *params, const radix_input *input, gb_error *err)
{
	radix_arrays *const a = &s->arrays;

	(void)radix_arrays_create(a, input, true, err);
	s->sort = {
		.count = input->count,
		.key_size = input->key_size,
		.value_size = input->value_size,
		.order = radix_gpu_order(input),
		.begin_bit = input->begin_bit,
		.end_bit = input->end_bit,
		.keys_in = a->keys_in,
		.values_in = a->values_in,
		.out = a->out,
		.spare = a->spare,
	};
	s->sort.staged = gpu_sort_can_stage(&s->sort);
	return gpu_alloc(&s->sort.temp, gpu_sort_temp_bytes(&s->sort), 1, err);
}

static gb_status run(const state *s, gb_timer *timer, gb_error *err)
{
	return gpu_sort(&s->sort, timer, err);
}

extern "C" const gb_variant_ops radix_cuda_onesweep =
	radix_ops<state, create, run, radix_sweep_bytes>();
