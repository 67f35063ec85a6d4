/* flush.cu -- evict the GPU's L2 between samples.
 *
 * A memset of twice the L2's size leaves no older line in it: the L2 allocates on write, and both
 * of its partitions (A100, H100) are covered.  The memset leaves dirty lines, which would be
 * written back during a sample that reads little, so another buffer of that size is read
 * afterwards.
 *
 * Lines that an access window made persisting would survive both.  The flush therefore ends what a
 * variant may have set up outside run(): the window of gpu_stream(), the part of the L2 that is set
 * aside for persisting lines, and the lines themselves.  The order matters: while the window or
 * queued work remains, lines can become persisting again.
 *
 * The buffers belong to the measurement, not to a variant, and a record counts them
 * separately.
 */
#include "cuda/runtime/device.h"
#include "cuda/runtime/parts.h"

enum { BLOCK = 256, BLOCKS_PER_SM = 8 };

/* Size of a buffer if the L2's size is unknown. */
static const size_t UNKNOWN_BYTES = (size_t)8 << 20;

static struct {
	uint4 *read;     /* zeros; the buffer that is written follows it */
	size_t bytes;    /* size of each buffer */
	bool persisting; /* the L2 can keep lines of an access window */
	int value;       /* differs between flushes, so that no write can be elided */
} flush;

/* Grid-stride loop over all vectors.  They are 0, which the compiler cannot know, so it keeps the
 * reads. */
static __global__ void __launch_bounds__(BLOCK) read_all(const uint4 *from, size_t count, uint4 *to)
{
	const size_t stride = (size_t)gridDim.x * BLOCK;
	unsigned bits = 0;

	for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < count; i += stride) {
		const uint4 v = from[i];

		bits |= v.x | v.y | v.z | v.w;
	}
	if (bits)
		to->x = bits;
}

gb_status gpu_flush_create(gb_error *err)
{
	const size_t l2 = (size_t)gpu_attribute(cudaDevAttrL2CacheSize);

	flush.bytes = l2 ? 2 * l2 : UNKNOWN_BYTES;
	flush.persisting = gpu_attribute(cudaDevAttrMaxPersistingL2CacheSize) > 0;
	if (CUDA_TRY(err, cudaMalloc((void **)&flush.read, 2 * flush.bytes))) {
		flush.read = NULL;
		return err->code;
	}
	return gpu_zero((char *)flush.read, flush.bytes, err);
}

/* Make persisting lines normal.  Needs sm_80.  The limit cannot be set under MPS, for example,
 * which is no reason to fail. */
static gb_status end_persisting(gb_error *err)
{
	const cudaStreamAttrValue no_window = {};
	size_t set_aside = 1;

	if (!flush.persisting)
		return GB_OK;
	if (CUDA_TRY(err, cudaDeviceSynchronize()))
		return err->code;
	(void)cudaStreamSetAttribute(gpu_stream(), cudaStreamAttributeAccessPolicyWindow,
				     &no_window);
	(void)cudaDeviceGetLimit(&set_aside, cudaLimitPersistingL2CacheSize);
	if (set_aside)
		(void)cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
	(void)cudaCtxResetPersistingL2Cache();
	(void)cudaGetLastError();
	return GB_OK;
}

gb_status gpu_flush(gb_error *err)
{
	const unsigned blocks = (unsigned)(gpu_sm_count() * BLOCKS_PER_SM);

	if (end_persisting(err))
		return err->code;
	flush.value = (flush.value + 1) & 0xff;
	if (CUDA_TRY(err, cudaMemsetAsync((char *)flush.read + flush.bytes, flush.value,
					  flush.bytes, gpu_stream())))
		return err->code;
	read_all<<<blocks, BLOCK, 0, gpu_stream()>>>(flush.read, flush.bytes / sizeof *flush.read,
						     flush.read);
	return CUDA_TRY(err, cudaGetLastError());
}

size_t gpu_flush_bytes(void)
{
	return flush.read ? 2 * flush.bytes : 0;
}

void gpu_flush_destroy(void)
{
	(void)cudaFree(flush.read);
	flush.read = NULL;
}
