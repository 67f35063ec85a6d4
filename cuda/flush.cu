/* flush.cu -- evict the GPU's L2 between samples.
 *
 * A memset of twice the L2 leaves no line of older data in it: the L2 allocates on write, and its
 * two partitions (A100, H100) are both passed over.  The buffer belongs to the measurement, not to
 * a variant, and so is not counted in a record's memory.
 */
#include "cuda/check.h"
#include "cuda/device.h"
#include "cuda/parts.h"

/* The least to write: also what is used where the size of the L2 is unknown. */
static const size_t MIN_BYTES = (size_t)8 << 20;

static struct {
	void *buffer;
	size_t bytes;
	int value; /* changes from flush to flush, so that no write can be left out */
} flush;

enum gb_status gpu_flush_create(struct gb_error *err)
{
	const size_t l2 = (size_t)gpu_attribute(cudaDevAttrL2CacheSize);

	flush.bytes = 2 * l2 > MIN_BYTES ? 2 * l2 : MIN_BYTES;
	if (!CUDA_OK(err, cudaMalloc(&flush.buffer, flush.bytes))) {
		flush.buffer = NULL;
		return err->code;
	}
	return GB_OK;
}

enum gb_status gpu_flush(struct gb_error *err)
{
	flush.value = (flush.value + 1) & 0xff;
	if (!CUDA_OK(err, cudaMemsetAsync(flush.buffer, flush.value, flush.bytes, gpu_stream())))
		return err->code;
	return GB_OK;
}

void gpu_flush_destroy(void)
{
	if (flush.buffer)
		(void)cudaFree(flush.buffer);
	flush.buffer = NULL;
}
