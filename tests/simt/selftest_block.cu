/* selftest_block.cu -- right kernels that stay within a block: barriers, warp operations, shared
 * memory, clusters. */
#include "cuda/gpu.h"
#include "tests/simt/selftest.h"

enum { BLOCK = 256, BLOCKS = 5, COUNT = BLOCK * BLOCKS, WARPS = BLOCK / 32 };

static uint32_t host_in[COUNT], host_out[COUNT];
static uint32_t *device_in, *device_out;

/* Well mixed, and the same every time. */
static uint32_t value(uint32_t i)
{
	i = (i ^ i >> 16) * 0x7feb352du;
	i = (i ^ i >> 15) * 0x846ca68bu;
	return i ^ i >> 16;
}

static bool upload(void)
{
	for (uint32_t i = 0; i < COUNT; i++)
		host_in[i] = value(i);
	EXPECT(cudaMalloc(&device_in, sizeof host_in) == cudaSuccess);
	EXPECT(cudaMalloc(&device_out, sizeof host_out) == cudaSuccess);
	EXPECT(cudaMemcpy(device_in, host_in, sizeof host_in, cudaMemcpyHostToDevice) ==
	       cudaSuccess);
	return true;
}

static bool download(void)
{
	EXPECT(cudaGetLastError() == cudaSuccess);
	EXPECT(cudaMemcpy(host_out, device_out, sizeof host_out, cudaMemcpyDeviceToHost) ==
	       cudaSuccess);
	EXPECT(cudaFree(device_in) == cudaSuccess);
	EXPECT(cudaFree(device_out) == cudaSuccess);
	return true;
}

/* ---- barriers ---------------------------------------------------------------------------- */

/* Inclusive sums within each block; Hillis and Steele. */
static __global__ void scan(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, sum, BLOCK);
	const uint32_t t = threadIdx.x, i = blockIdx.x * BLOCK + t;

	sum[t] = in[i];
	__syncthreads();
	for (uint32_t step = 1; step < BLOCK; step *= 2) {
		const uint32_t left = t >= step ? sum[t - step] : 0;

		__syncthreads();
		sum[t] += left;
		__syncthreads();
	}
	out[i] = sum[t];
}

static bool test_scan(void)
{
	uint32_t sum = 0;

	EXPECT(upload());
	GPU_LAUNCH(scan, BLOCKS, BLOCK, 0, 0, device_in, device_out);
	EXPECT(download());
	for (uint32_t i = 0; i < COUNT; i++) {
		sum = i % BLOCK ? sum + host_in[i] : host_in[i];
		EXPECT(host_out[i] == sum);
	}
	return true;
}

static __global__ void votes(const uint32_t *in, uint32_t *out)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
	const int odd = __syncthreads_count(in[i] & 1);
	const int all = __syncthreads_and(in[i] != 0xffffffffu);
	const int any = __syncthreads_or(in[i] == 0xffffffffu);

	out[i] = (uint32_t)odd * 4 + (uint32_t)(all != 0) * 2 + (uint32_t)(any != 0);
}

static bool test_votes(void)
{
	EXPECT(upload());
	GPU_LAUNCH(votes, BLOCKS, BLOCK, 0, 0, device_in, device_out);
	EXPECT(download());
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint32_t first = i - i % BLOCK;
		uint32_t odd = 0;

		for (uint32_t j = 0; j < BLOCK; j++)
			odd += host_in[first + j] & 1;
		EXPECT(host_out[i] == odd * 4 + 2);
	}
	return true;
}

/* ---- warp operations --------------------------------------------------------------------- */

/* Each operation's result against the same worked out from the warp's values in memory; out[i] is
 * a set of bits, one per operation that disagrees. */
static __global__ void warp_operations(const uint32_t *in, uint32_t *out)
{
	const uint32_t all = 0xffffffffu, i = blockIdx.x * BLOCK + threadIdx.x;
	const int lane = (int)(threadIdx.x & 31);
	const uint32_t *const warp = in + (i - (uint32_t)lane);
	const uint32_t mine = in[i], digit = mine & 3;
	uint32_t sum = 0, least = all, most = 0, same = 0, odd = 0, wrong = 0;
	int signed_least = INT32_MAX, everybody = -1;

	for (int k = 0; k < 32; k++) {
		sum += warp[k];
		least = min(least, warp[k]);
		most = max(most, warp[k]);
		signed_least = min(signed_least, (int)warp[k]);
		same |= (uint32_t)((warp[k] & 3) == digit) << k;
		odd |= (warp[k] & 1) << k;
	}
	wrong |= (uint32_t)(__shfl_sync(all, mine, 7) != warp[7]) << 0;
	wrong |= (uint32_t)(__shfl_up_sync(all, mine, 3) != warp[lane < 3 ? lane : lane - 3]) << 1;
	wrong |= (uint32_t)(__shfl_down_sync(all, mine, 5) != warp[lane > 26 ? lane : lane + 5])
		 << 2;
	wrong |= (uint32_t)(__shfl_xor_sync(all, mine, 9) != warp[lane ^ 9]) << 3;
	wrong |= (uint32_t)(__shfl_sync(all, mine, 9, 8) != warp[(lane & 24) | 1]) << 4;
	wrong |= (uint32_t)(__ballot_sync(all, mine & 1) != odd) << 5;
	wrong |= (uint32_t)(__any_sync(all, mine & 1) != (odd != 0)) << 6;
	wrong |= (uint32_t)(__all_sync(all, mine & 1) != (odd == all)) << 7;
	wrong |= (uint32_t)(__match_any_sync(all, digit) != same) << 8;
	wrong |= (uint32_t)(__match_all_sync(all, 5u, &everybody) != all || !everybody) << 9;
	wrong |= (uint32_t)(__match_all_sync(all, lane, &everybody) != 0 || everybody) << 10;
	wrong |= (uint32_t)(__reduce_add_sync(all, mine) != sum) << 11;
	wrong |= (uint32_t)(__reduce_min_sync(all, mine) != least) << 12;
	wrong |= (uint32_t)(__reduce_max_sync(all, mine) != most) << 13;
	wrong |= (uint32_t)(__reduce_min_sync(all, (int)mine) != signed_least) << 14;
	wrong |= (uint32_t)(__reduce_or_sync(all, 1u << lane) != all) << 15;
	wrong |= (uint32_t)(__reduce_and_sync(all, ~(1u << lane)) != 0) << 16;
	wrong |= (uint32_t)(__reduce_xor_sync(all, 3u) != 0) << 17;
	wrong |= (uint32_t)(__shfl_xor_sync(all, 1.5f * (float)lane, 1) != 1.5f * (float)(lane ^ 1))
		 << 18;
	wrong |= (uint32_t)(__shfl_sync(all, (uint64_t)mine << 20, 2) != (uint64_t)warp[2] << 20)
		 << 19;
	wrong |= (uint32_t)(!(__activemask() >> lane & 1)) << 20;
	out[i] = wrong;
}

static bool test_warp_operations(void)
{
	EXPECT(upload());
	GPU_LAUNCH(warp_operations, BLOCKS, BLOCK, 0, 0, device_in, device_out);
	EXPECT(download());
	for (uint32_t i = 0; i < COUNT; i++)
		EXPECT(host_out[i] == 0);
	return true;
}

/* Of two matrices of bits, rows and columns of 8 words, their product by a warp against the naive one;
 * out as above, a bit for each of a lane's four numbers.  With two registers exchanged it must be wrong. */
static __global__ void matrix_product(const uint32_t *in, uint32_t *out)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x & 31;
	const uint32_t *const row = in + (i - lane) % (COUNT - 24 * 8);
	const uint32_t *const column = row + 16 * 8;
	const uint32_t g = lane / 4, t = lane % 4;
	const uint32_t a[4] = { row[g * 8 + t], row[(g + 8) * 8 + t], row[g * 8 + 4 + t],
				row[(g + 8) * 8 + 4 + t] };
	const uint32_t b[2] = { column[g * 8 + t], column[g * 8 + 4 + t] };
	const uint32_t exchanged[4] = { a[0], a[2], a[1], a[3] };
	int sum[4] = { 0, 1, -2, 3000 }, other[4] = { 0, 1, -2, 3000 };
	uint32_t wrong = 0, alike = 0;

	gpu_mma_and_popc(sum, a, b);
	gpu_mma_and_popc(other, exchanged, b);
	for (uint32_t n = 0; n < 4; n++) {
		const uint32_t r = g + n / 2 * 8, c = 2 * t + n % 2;
		int wanted = n == 1 ? 1 : n == 2 ? -2 : n == 3 ? 3000 : 0;

		for (uint32_t w = 0; w < 8; w++)
			wanted += __popc(row[r * 8 + w] & column[c * 8 + w]);
		wrong |= (uint32_t)(sum[n] != wanted) << n;
		alike += other[n] == wanted;
	}
	out[i] = wrong | (uint32_t)(__all_sync(0xffffffffu, alike == 4) != 0) << 4;
}

static bool test_matrix_product(void)
{
	EXPECT(upload());
	GPU_LAUNCH(matrix_product, BLOCKS, BLOCK, 0, 0, device_in, device_out);
	EXPECT(download());
	for (uint32_t i = 0; i < COUNT; i++)
		EXPECT(host_out[i] == 0);
	return true;
}

/* Halves of a warp meet apart, each under its own mask; then pairs exchange through memory. */
static __global__ void partial_masks(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, box, BLOCK);
	const uint32_t t = threadIdx.x, lane = t & 31, i = blockIdx.x * BLOCK + t;
	uint32_t v;

	if (lane < 16)
		v = __reduce_add_sync(0x0000ffffu, in[i]);
	else
		v = __reduce_max_sync(0xffff0000u, in[i]);
	box[t] = v;
	__syncwarp();
	out[i] = box[t ^ 16];
}

static bool test_partial_masks(void)
{
	EXPECT(upload());
	GPU_LAUNCH(partial_masks, BLOCKS, BLOCK, 0, 0, device_in, device_out);
	EXPECT(download());
	for (uint32_t first = 0; first < COUNT; first += 32) {
		uint32_t sum = 0, most = 0;

		for (uint32_t k = 0; k < 16; k++) {
			sum += host_in[first + k];
			most = max(most, host_in[first + 16 + k]);
		}
		EXPECT(host_out[first] == most && host_out[first + 31] == sum);
	}
	return true;
}

/* A block of 45 threads: its last warp is short, and full masks stand for the lanes there are. */
static __global__ void short_warp(uint32_t *out)
{
	const uint32_t t = threadIdx.x + blockDim.x * threadIdx.y;

	out[t] = (uint32_t)__popc(__ballot_sync(0xffffffffu, 1));
	__syncthreads();
	out[t] += __shfl_up_sync(0xffffffffu, t, 1);
}

static bool test_short_warp(void)
{
	EXPECT(upload());
	EXPECT(cudaMemset(device_out, 0, sizeof host_out) == cudaSuccess);
	GPU_LAUNCH(short_warp, 1, dim3(9, 5), 0, 0, device_out);
	EXPECT(download());
	EXPECT(host_out[1] == 32 && host_out[31] == 32 + 30);
	EXPECT(host_out[32] == 13 + 32 && host_out[44] == 13 + 43);
	return true;
}

/* ---- shared memory ----------------------------------------------------------------------- */

/* Neighbouring bytes belong to different threads. */
static __global__ void bytes(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint8_t, flag, BLOCK);
	const uint32_t t = threadIdx.x, i = blockIdx.x * BLOCK + t;

	flag[t] = (uint8_t)in[i];
	__syncthreads();
	out[i] = flag[BLOCK - 1 - t];
}

static bool test_bytes(void)
{
	EXPECT(upload());
	GPU_LAUNCH(bytes, BLOCKS, BLOCK, 0, 0, device_in, device_out);
	EXPECT(download());
	for (uint32_t i = 0; i < COUNT; i++)
		EXPECT(host_out[i] == (host_in[i - i % BLOCK + BLOCK - 1 - i % BLOCK] & 0xff));
	return true;
}

/* A histogram per warp, by match and plain counters; more than 48 KiB of shared memory. */
static __global__ void large_shared(const uint32_t *in, uint32_t *out)
{
	DYN_SHARED(uint32_t, table);
	const uint32_t t = threadIdx.x, warp = t / 32, lane = t & 31, i = blockIdx.x * BLOCK + t;
	uint32_t *const mine = table + warp * (60000 / 4 / WARPS);

	for (uint32_t k = lane; k < 16; k += 32)
		mine[k] = 0;
	__syncwarp();
	const uint32_t digit = in[i] & 15, peers = __match_any_sync(0xffffffffu, digit);
	const uint32_t before = (uint32_t)__popc(peers & ((1u << lane) - 1));

	if (before == 0)
		mine[digit] += (uint32_t)__popc(peers);
	__syncwarp();
	out[i] = mine[digit] * 64 + before;
}

static bool test_large_shared(void)
{
	EXPECT(upload());
	GPU_LAUNCH(large_shared, BLOCKS, BLOCK, 60000, 0, device_in, device_out);
	EXPECT(cudaGetLastError() == cudaErrorInvalidValue); /* not asked for yet */
	EXPECT(cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
				    60000) == cudaSuccess);
	GPU_LAUNCH(large_shared, BLOCKS, BLOCK, 60000, 0, device_in, device_out);
	EXPECT(download());
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint32_t first = i - i % 32;
		uint32_t count = 0, before = 0;

		for (uint32_t k = first; k < first + 32; k++) {
			count += (host_in[k] & 15) == (host_in[i] & 15);
			before += k < i && (host_in[k] & 15) == (host_in[i] & 15);
		}
		EXPECT(host_out[i] == count * 64 + before);
	}
	return true;
}

template <class T, int N> static __global__ void reversed(const T *in, T *out)
{
	SHARED_ARRAY(T, box, N);

	box[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = box[N - 1 - threadIdx.x];
}

static bool test_templates(void)
{
	EXPECT(upload());
	GPU_LAUNCH((reversed<uint32_t, 64>), 1, 64, 0, 0, device_in, device_out);
	GPU_LAUNCH((reversed<uint64_t, 32>), 1, 32, 0, 0, (const uint64_t *)device_in,
		   (uint64_t *)device_out + 32);
	EXPECT(download());
	for (uint32_t i = 0; i < 64; i++) {
		EXPECT(host_out[i] == host_in[63 - i]);
		EXPECT(host_out[64 + i] == host_in[62 - i / 2 * 2 + i % 2]);
	}
	return true;
}

/* ---- clusters ---------------------------------------------------------------------------- */

enum { CLUSTER = 4, CLUSTER_BLOCK = 64 };

/* Each block counts its share; block 0 of the cluster gathers, all read the total from there. */
static __global__ void cluster_sum(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, part, CLUSTER);
	SHARED_VAR(uint32_t, mine);
	const uint32_t t = threadIdx.x, i = blockIdx.x * CLUSTER_BLOCK + t;

	if (t == 0)
		mine = 0;
	__syncthreads();
	atomicAdd(&mine, in[i]);
	__syncthreads();
	if (t == 0)
		gpu_cluster_map(part, 0)[gpu_cluster_rank()] = mine;
	gpu_cluster_sync();
	uint32_t total = 0;

	for (unsigned r = 0; r < gpu_cluster_size(); r++)
		total += *gpu_cluster_map(&part[r], 0);
	out[i] = total;
	gpu_cluster_sync();
}

static bool test_cluster(void)
{
	const unsigned size = CLUSTER_BLOCK * CLUSTER, blocks = COUNT / size * CLUSTER;

	EXPECT(upload());
	EXPECT(cudaMemset(device_out, 0, sizeof host_out) == cudaSuccess);
	GPU_LAUNCH_CLUSTER(cluster_sum, blocks + 1, CLUSTER_BLOCK, CLUSTER, 0, 0, device_in,
			   device_out);
	EXPECT(cudaGetLastError() == cudaErrorInvalidClusterSize);
	GPU_LAUNCH_CLUSTER(cluster_sum, blocks, CLUSTER_BLOCK, CLUSTER, 0, 0, device_in,
			   device_out);
	EXPECT(download());
	for (uint32_t i = 0; i < blocks * CLUSTER_BLOCK; i++) {
		const uint32_t first = i - i % size;
		uint32_t total = 0;

		for (uint32_t k = 0; k < size; k++)
			total += host_in[first + k];
		EXPECT(host_out[i] == total);
	}
	return true;
}

const struct selftest block_tests[] = {
	{ "scan", test_scan },
	{ "votes", test_votes },
	{ "warp operations", test_warp_operations },
	{ "products of bit matrices", test_matrix_product },
	{ "partial masks", test_partial_masks },
	{ "short warp", test_short_warp },
	{ "bytes", test_bytes },
	{ "large shared", test_large_shared },
	{ "templates", test_templates },
	{ "cluster", test_cluster },
	{ NULL, NULL },
};
