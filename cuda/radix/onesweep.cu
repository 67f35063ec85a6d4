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
#include "cuda/primitives/primitives.h"
#include "cuda/radix/shared/buffers.h"

struct state {
	radix_arrays arrays; /* first: see radix_upload() */
	gpu_key key;
	int bits;
	bool staged;
	void *temp;
};

static gb_status create(state *s, const void *params, const radix_input *input, gb_error *err)
{
	s->key = input->type == RADIX_U64   ? GPU_KEY_U64
		 : input->type == RADIX_F32 ? GPU_KEY_F32
					    : GPU_KEY_U32;
	s->bits = 8 * (int)input->key_size;
	s->staged = gpu_sort_can_stage(s->key, input->count);
	(void)radix_arrays_create(&s->arrays, input, true, err);
	return gpu_alloc(
		&s->temp,
		gpu_sort_temp_bytes(s->key, input->value_size > 0, input->count, 0, s->bits), 1,
		err);
}

static gb_status run(const state *s, gb_timer *timer, gb_error *err)
{
	const radix_arrays *a = &s->arrays;
	const gpu_sort_args sort = {
		.key = s->key,
		.count = a->count,
		.begin_bit = 0,
		.end_bit = s->bits,
		.keys_in = a->keys_in,
		.keys_out = a->keys_out,
		.keys_spare = a->keys_spare,
		.values_in = a->values_in,
		.values_out = a->values_out,
		.values_spare = a->values_spare,
		.temp = s->temp,
		.timer = timer,
		.staged = s->staged,
	};

	return gpu_sort(&sort, err);
}

extern "C" const gb_variant_ops radix_cuda_onesweep =
	radix_ops<state, create, run, radix_sweep_bytes>();
