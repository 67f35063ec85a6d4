/* karras_bitonic.cu -- cuda/karras-bitonic: the paper's build, phase by phase (section 4):
 * bounds, 30-bit codes, a bitonic sort over the next power of two, leaves by flags and a scan,
 * Karras' hierarchy, boxes pass by pass until the root has one.
 *
 * The sort is a launch per step, log2(n) (log2(n) + 1) / 2 of them, each of which reads and writes
 * all pairs.  A pair is a code with its primitive below it, so that equal codes come out in order,
 * too.  Differences from the listings: the scene's box starts at +-FLT_MAX instead of +-10000, and
 * what ends refit early is a word of its own.
 *
 * Bound: memory and launches.  2^21 pairs take 231 steps of 32 MiB, which stay in an H200's L2
 * cache of 50 MB: about 1.5 ms are expected, four fifths of the whole build.
 */
#include "cuda/lbvh/parts/common.h"

enum { BLOCK = GPU_BLOCK(256) };

/* Compare and exchange all pairs (i, i + step) of one stage, a thread each; blocks of `size`
 * alternate between ascending and descending. */
static __global__ void step_kernel(uint64_t *pair, size_t pairs, size_t size, size_t step)
{
	const size_t k = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (k >= pairs)
		return;

	const size_t i = 2 * k - (k & (step - 1)), j = i + step;
	const uint64_t a = pair[i], b = pair[j];

	if ((a > b) == ((i & size) == 0)) {
		pair[i] = b;
		pair[j] = a;
	}
}

/* Codes and primitives apart, as the other phases want them; one thread per primitive. */
static __global__ void unpack_kernel(const uint64_t *pair, size_t count, uint32_t *code,
				     uint32_t *index)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i >= count)
		return;
	code[i] = (uint32_t)(pair[i] >> 32);
	index[i] = (uint32_t)pair[i];
}

static enum gb_status sort(struct lbvh_gpu *g, struct gb_timer *timer, struct gb_error *err)
{
	size_t power = 1;

	lbvh_gpu_phase(timer, "sort");
	while (power < g->count)
		power *= 2;
	for (size_t size = 2; size <= power; size *= 2)
		for (size_t step = size / 2; step > 0; step /= 2) {
			GPU_LAUNCH(step_kernel, lbvh_gpu_blocks(power / 2, BLOCK), BLOCK, 0,
				   gpu_stream(), g->pair, power / 2, size, step);
			if (!CUDA_OK(err, cudaGetLastError()))
				return err->code;
		}
	GPU_LAUNCH(unpack_kernel, lbvh_gpu_blocks(g->count, BLOCK), BLOCK, 0, gpu_stream(), g->pair,
		   g->count, (uint32_t *)g->code_sorted, g->index);
	return CUDA_OK(err, cudaGetLastError()) ? GB_OK : err->code;
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return lbvh_gpu_builder_create(state, params, input, LBVH_GPU_MARKS | LBVH_GPU_POWER, err);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct lbvh_gpu *const g = (struct lbvh_gpu *)state;

	if (lbvh_gpu_bounds(g, timer, err) != GB_OK || lbvh_gpu_codes(g, timer, err) != GB_OK ||
	    sort(g, timer, err) != GB_OK || lbvh_gpu_leaves(g, true, timer, err) != GB_OK ||
	    lbvh_gpu_karras(g, timer, err) != GB_OK)
		return err->code;
	return lbvh_gpu_refit_passes(g, timer, err);
}

/* As karras-radix, with k (k + 1) / 2 steps over 2^k >= count pairs for the sort. */
static double bytes(const void *params, const void *input)
{
	return lbvh_build_bytes(input, 3 * sizeof(struct lbvh_box) + 24 + 40 +
					       5 * sizeof(struct lbvh_node) +
					       2 * sizeof(uint64_t)) +
	       lbvh_bitonic_bytes(input);
}

const struct gb_variant_ops lbvh_cuda_karras_bitonic = {
	.state_size = sizeof(struct lbvh_gpu),
	.create = create,
	.upload = lbvh_gpu_upload,
	.run = run,
	.download = lbvh_gpu_builder_download,
	.bytes = bytes,
	.metrics = lbvh_gpu_builder_metrics,
	.flags = GB_REPEATABLE,
};
