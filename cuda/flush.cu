/* flush.cu -- evict the GPU's L2 between samples.
 *
 * A memset of twice the L2 leaves no line of older data in it: the L2 allocates on write, and its
 * two partitions (A100, H100) are both passed over.  The lines that it leaves are dirty, and would be
 * written back while a sample that reads little runs: so another buffer of that size is read.  The
 * buffers belong to the measurement, not to a variant, and are counted apart in a record's memory.
 */
#include "cuda/check.h"
#include "cuda/device.h"
#include "cuda/parts.h"

enum { BLOCK = 256, BLOCKS_PER_SM = 8 };

/* The size of a buffer where that of the L2 is unknown. */
static const size_t UNKNOWN_BYTES = (size_t)8 << 20;

static struct {
	void *written;
	uint4 *read;  /* zeros */
	size_t bytes; /* of each */
	int value;    /* changes from flush to flush, so that no write can be left out */
} flush;

/* Some blocks, all vectors.  The sum is 0, which the compiler cannot know. */
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

enum gb_status gpu_flush_create(struct gb_error *err)
{
	const size_t l2 = (size_t)gpu_attribute(cudaDevAttrL2CacheSize);

	flush.bytes = l2 ? 2 * l2 : UNKNOWN_BYTES;
	if (!CUDA_OK(err, cudaMalloc(&flush.written, flush.bytes))) {
		flush.written = NULL;
		return err->code;
	}
	if (!CUDA_OK(err, cudaMalloc((void **)&flush.read, flush.bytes))) {
		flush.read = NULL;
		return err->code;
	}
	if (!CUDA_OK(err, cudaMemsetAsync(flush.read, 0, flush.bytes, gpu_stream())))
		return err->code;
	return GB_OK;
}

enum gb_status gpu_flush(struct gb_error *err)
{
	const unsigned blocks = (unsigned)(gpu_sm_count() * BLOCKS_PER_SM);

	flush.value = (flush.value + 1) & 0xff;
	if (!CUDA_OK(err, cudaMemsetAsync(flush.written, flush.value, flush.bytes, gpu_stream())))
		return err->code;
	GPU_LAUNCH(read_all, blocks, BLOCK, 0, gpu_stream(), flush.read,
		   flush.bytes / sizeof *flush.read, flush.read);
	if (!CUDA_OK(err, cudaGetLastError()))
		return err->code;
	return GB_OK;
}

size_t gpu_flush_bytes(void)
{
	return flush.written && flush.read ? 2 * flush.bytes : 0;
}

void gpu_flush_destroy(void)
{
	if (flush.written)
		(void)cudaFree(flush.written);
	if (flush.read)
		(void)cudaFree(flush.read);
	flush.written = NULL;
	flush.read = NULL;
}
