/* selftest_traffic.cu -- the counts of traffic.h against kernels whose traffic is known. */
#include "cuda/gpu.h"
#include "tests/simt/selftest.h"
#include "tests/simt/traffic.h"

enum { BLOCK = 64, BLOCKS = 8, COUNT = BLOCK * BLOCKS, STRIDE = 16 };

#define INDEX (blockIdx.x * BLOCK + threadIdx.x)

static __global__ void copy_words(const uint32_t *in, uint32_t *out)
{
	out[INDEX] = in[INDEX];
}

static __global__ void copy_strided(const uint32_t *in, uint32_t *out)
{
	out[INDEX] = in[INDEX * STRIDE];
}

static __global__ void copy_vectors(const uint4 *in, uint4 *out)
{
	const uint4 v = in[INDEX];

	out[INDEX] = make_uint4(v.x + 1, v.y, v.z, v.w);
}

/* Each lane reads its own column of a matrix of 32, or of 33 words a row. */
template <int ROW> static __global__ void columns(uint32_t *out)
{
	SHARED_ARRAY(uint32_t, matrix, 32 * ROW);
	const uint32_t lane = threadIdx.x % 32;

	for (uint32_t i = threadIdx.x; i < 32 * ROW; i += BLOCK)
		matrix[i] = i;
	__syncthreads();
	out[INDEX] = matrix[lane * ROW];
}

static uint32_t *in, *out;

static bool begin(void)
{
	EXPECT(cudaMalloc(&in, COUNT * STRIDE * sizeof *in) == cudaSuccess);
	EXPECT(cudaMalloc(&out, COUNT * sizeof(uint4)) == cudaSuccess);
	EXPECT(cudaMemset(in, 0, COUNT * STRIDE * sizeof *in) == cudaSuccess);
	EXPECT(cudaDeviceSynchronize() == cudaSuccess);
	simt_traffic_begin();
	return true;
}

static bool end(void)
{
	EXPECT(cudaDeviceSynchronize() == cudaSuccess);
	simt_traffic_end();
	EXPECT(cudaFree(in) == cudaSuccess && cudaFree(out) == cudaSuccess);
	return true;
}

/* Per request: how many sectors. */
static double sectors(const char *kernel, bool write)
{
	const struct simt_traffic t = simt_traffic_sum(kernel, false, write);

	return t.requests ? (double)t.sectors / (double)t.requests : 0;
}

static bool test_global(void)
{
	if (!simt_traffic_available())
		return true;
	EXPECT(begin());
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 0, 0, in, out);
	GPU_LAUNCH(copy_strided, BLOCKS, BLOCK, 0, 0, in, out);
	GPU_LAUNCH(copy_vectors, BLOCKS, BLOCK, 0, 0, (const uint4 *)in, (uint4 *)out);
	EXPECT(end());
	EXPECT(sectors("copy_words", false) == 4 && sectors("copy_words", true) == 4);
	EXPECT(sectors("copy_strided", false) == 32 && sectors("copy_strided", true) == 4);
	EXPECT(sectors("copy_vectors", false) == 16 && sectors("copy_vectors", true) == 16);
	EXPECT(simt_traffic_sum("copy_words", false, false).requests == COUNT / 32);
	EXPECT(simt_traffic_sum("copy_vectors", false, true).bytes == COUNT * sizeof(uint4));
	return true;
}

static bool test_shared(void)
{
	if (!simt_traffic_available())
		return true;
	EXPECT(begin());
	GPU_LAUNCH(columns<32>, BLOCKS, BLOCK, 0, 0, out);
	GPU_LAUNCH(columns<33>, BLOCKS, BLOCK, 0, 0, out);
	EXPECT(end());
	const struct simt_traffic narrow = simt_traffic_sum("columns<32>", true, false);
	const struct simt_traffic padded = simt_traffic_sum("columns<33>", true, false);

	EXPECT(narrow.requests && narrow.wavefronts == 32 * narrow.requests);
	EXPECT(padded.requests && padded.wavefronts == padded.requests);
	return true;
}

static bool test_lines(void)
{
	struct simt_traffic row[8];

	if (!simt_traffic_available())
		return true;
	EXPECT(begin());
	GPU_LAUNCH(copy_words, BLOCKS, BLOCK, 0, 0, in, out);
	EXPECT(end());
	EXPECT(simt_traffic_read(row, 8) == 2);
	EXPECT(strcmp(row[0].file, "selftest_traffic.cu") == 0 && row[0].line == row[1].line);
	EXPECT(strcmp(row[0].kernel, "copy_words") == 0 && row[0].write != row[1].write);
	return true;
}

const struct selftest traffic_tests[] = {
	{ "global traffic", test_global },
	{ "shared traffic", test_shared },
	{ "traffic by line", test_lines },
	{ NULL, NULL },
};
