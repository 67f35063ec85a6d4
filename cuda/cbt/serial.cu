/* serial.cu -- step 1 of 5: one thread scans the bit field.
 *
 * It follows the paper's flow chart (Grachev and Ushakov 2023, Fig. 5 and 6), bit by bit: a set bit
 * ends the leaf before it, whose level follows from the zeros between them.  It exists for Fig. 6,
 * which compares one thread of a GPU with one of a CPU.  The bound is the latency of the dependent
 * instructions for each bit and of one load per 32 bits.
 */
#include "cuda/cbt/shared/tree.h"

struct state {
	cbt_arrays arrays;
	uint32_t *heap; /* only its field is read */
};

/* One thread.  ids: receives the ids; if NULL, only their sum is computed. */
static __global__ void serial_kernel(cbt_field field, uint32_t *ids, cbt_result *result)
{
	const unsigned depth = field.depth;
	const uint32_t bits = 1u << depth;
	unsigned long long sum = 0;
	uint32_t leaves = 0, start = 0, word = 0;

	for (uint32_t x = 0; x <= bits; x++) {
		if (x % 32 == 0)
			word = x < bits ? cbt_row(field, x / 32) : 1;
		if (x == bits || (word >> x % 32 & 1 && x > 0)) {
			const uint32_t id = cbt_leaf(depth, start, x - start);

			if (ids)
				ids[leaves] = id;
			sum += id;
			leaves++;
			start = x;
		}
	}
	result->leaves = leaves;
	result->id_sum = sum;
}

static gb_status create(state *s, const void *params, const cbt_input *input, gb_error *err)
{
	if (input->op != CBT_BITFIELD)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "serial decodes the field alone: --op=bitfield");
	(void)cbt_arrays_create(&s->arrays, input, err);
	return gpu_alloc(&s->heap, cbt_heap_words32(input), err);
}

static gb_status upload(state *s, gb_error *err)
{
	(void)cbt_arrays_upload(&s->arrays, err);
	return cbt_heap_upload(&s->arrays, s->heap, err);
}

static gb_status run(const state *s, gb_timer *timer, gb_error *err)
{
	serial_kernel<<<1, 1, 0, gpu_stream()>>>(cbt_field_of(s->heap, s->arrays.input->depth),
						 s->arrays.ids, s->arrays.result);
	return CUDA_TRY(err, cudaGetLastError());
}

static gb_status download(const state *s, void *output, gb_error *err)
{
	return cbt_arrays_download(&s->arrays, output, err);
}

/* The field is read and the ids are written. */
static double bytes(const void *params, const cbt_input *input)
{
	return cbt_bytes(input, 0, 1, 0);
}

extern "C" const gb_variant_ops cbt_cuda_serial = {
	.state_size = sizeof(state),
	.create = op<create>,
	.upload = op<upload>,
	.run = op<run>,
	.download = op<download>,
	.bytes = op<bytes>,
	.flags = GB_SERIAL | GB_REPEATABLE,
};
