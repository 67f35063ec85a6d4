/* selftest_grid.cu -- right kernels in which blocks work together: look-back, last block, lists,
 * grid barrier, atomics. */
#include "cuda/gpu.h"
#include "tests/simt/selftest.h"

enum { BLOCK = 128, BLOCKS = 24, COUNT = BLOCK * BLOCKS, WORDS = 2 * COUNT };

static uint32_t *words; /* WORDS of them, all zero at the start of a case */
static uint32_t host[WORDS];

static bool begin(void)
{
	EXPECT(cudaMalloc(&words, sizeof host) == cudaSuccess);
	EXPECT(cudaMemset(words, 0, sizeof host) == cudaSuccess);
	return true;
}

static bool end(void)
{
	EXPECT(cudaGetLastError() == cudaSuccess);
	EXPECT(cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
	EXPECT(cudaFree(words) == cudaSuccess);
	return true;
}

/* ---- order between blocks ---------------------------------------------------------------- */

/* Decoupled look-back: state[tile] is 0, then 1 + 2 * own sum, then 2 + 2 * the sum up to here.
 * The tile's number comes from a ticket, so no order of blocks is taken for granted. */
static __global__ void look_back(uint32_t *ticket, uint32_t *state, uint32_t *out)
{
	SHARED_VAR(uint32_t, shared_tile);
	SHARED_VAR(uint32_t, before);

	if (threadIdx.x == 0)
		shared_tile = atomicAdd(ticket, 1u);
	__syncthreads();
	const uint32_t tile = shared_tile, sum = tile + 1;

	if (threadIdx.x == 0) {
		uint32_t total = 0;

		if (tile)
			gpu_st_release(&state[tile], 1 + 4 * sum);
		for (uint32_t k = tile; k-- > 0;) {
			uint32_t seen;

			while (!((seen = gpu_ld_acquire(&state[k])) & 3))
				__nanosleep(20);
			total += seen >> 2;
			if (seen & 2)
				break;
		}
		gpu_st_release(&state[tile], 2 + 4 * (total + sum));
		before = total;
	}
	__syncthreads();
	out[tile * BLOCK + threadIdx.x] = before;
}

static bool test_look_back(void)
{
	EXPECT(begin());
	GPU_LAUNCH(look_back, BLOCKS, BLOCK, 0, 0, words, words + 1, words + COUNT);
	EXPECT(end());
	for (uint32_t i = 0; i < COUNT; i++)
		EXPECT(host[COUNT + i] == i / BLOCK * (i / BLOCK + 1) / 2);
	return true;
}

/* The block that counts itself last adds up what all have left; by acquire and release. */
static __global__ void last_block(uint32_t *done, uint32_t *part, uint32_t *total)
{
	SHARED_VAR(bool, last);

	part[blockIdx.x * BLOCK + threadIdx.x] = blockIdx.x + threadIdx.x;
	__syncthreads();
	if (threadIdx.x == 0)
		last = gpu_add(done, 1) == gridDim.x - 1;
	__syncthreads();
	if (last)
		for (uint32_t i = threadIdx.x; i < COUNT; i += BLOCK)
			atomicAdd(total, part[i]);
}

/* The same by fences and a relaxed counter, as in the CUDA samples. */
static __global__ void last_block_fence(uint32_t *done, uint32_t *part, uint32_t *total)
{
	SHARED_VAR(bool, last);

	part[blockIdx.x * BLOCK + threadIdx.x] = blockIdx.x + threadIdx.x;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0) {
		last = atomicAdd(done, 1u) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	if (last)
		for (uint32_t i = threadIdx.x; i < COUNT; i += BLOCK)
			atomicAdd(total, part[i]);
}

static bool check_last_block(void)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < COUNT; i++)
		sum += i / BLOCK + i % BLOCK;
	EXPECT(host[1] == sum);
	return true;
}

static bool test_last_block(void)
{
	EXPECT(begin());
	GPU_LAUNCH(last_block, BLOCKS, BLOCK, 0, 0, words, words + COUNT, words + 1);
	EXPECT(end());
	return check_last_block();
}

static bool test_last_block_fence(void)
{
	EXPECT(begin());
	GPU_LAUNCH(last_block_fence, BLOCKS, BLOCK, 0, 0, words, words + COUNT, words + 1);
	EXPECT(end());
	return check_last_block();
}

/* A lane releases what its warp has written, and a lane acquires it for its own: in the same block,
 * and by a barrier for all of the next one. */
static __global__ void handed_on(uint32_t *data, uint32_t *flag, uint32_t *out)
{
	const uint32_t t = threadIdx.x, lane = t % 32;

	if (blockIdx.x == 0 && t < 32) {
		data[lane] = lane + 7;
		__syncwarp();
		if (lane == 0)
			gpu_st_release(flag, 1);
	} else if (blockIdx.x == 0 && t < 64) {
		if (lane == 5)
			while (!gpu_ld_acquire(flag))
				__nanosleep(20);
		__syncwarp();
		out[lane] = data[31 - lane];
	} else if (blockIdx.x == 1) {
		if (t == 33)
			while (!gpu_ld_acquire(flag))
				__nanosleep(20);
		__syncthreads();
		out[32 + t] = data[lane];
	}
}

static bool test_handed_on(void)
{
	EXPECT(begin());
	GPU_LAUNCH(handed_on, 2, 64, 0, 0, words + 1, words, words + COUNT);
	EXPECT(end());
	for (uint32_t i = 0; i < 32; i++) {
		EXPECT(host[COUNT + i] == 31 - i + 7);
		EXPECT(host[COUNT + 32 + i] == i + 7 && host[COUNT + 64 + i] == i + 7);
	}
	return true;
}

/* Push onto a list without locks: write the node, then publish it by compare and swap. */
static __global__ void push(uint32_t *head, uint32_t *next)
{
	const uint32_t me = blockIdx.x * BLOCK + threadIdx.x + 1;
	uint32_t seen = gpu_ld_relaxed(head);

	for (;;) {
		next[me] = seen;
		const uint32_t found = gpu_cas(head, seen, me);

		if (found == seen)
			break;
		seen = found;
	}
}

static bool test_list(void)
{
	uint32_t length = 0;

	EXPECT(begin());
	GPU_LAUNCH(push, BLOCKS, BLOCK, 0, 0, words, words + 1);
	EXPECT(end());
	for (uint32_t at = host[0]; at && length <= COUNT; at = host[1 + at])
		length++;
	EXPECT(length == COUNT);
	return true;
}

/* ---- cooperative launch ------------------------------------------------------------------ */

/* Rounds of a cellular sum: each thread adds its right neighbour's value of the round before. */
static __global__ void rounds(uint32_t *barrier, uint32_t *even, uint32_t *odd, int count)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x, n = gridDim.x * BLOCK;

	even[i] = i;
	gpu_grid_sync(barrier);
	for (int round = 0; round < count; round++) {
		odd[i] = even[i] + even[(i + 1) % n];
		gpu_grid_sync(barrier);
		uint32_t *const t = even;
		even = odd;
		odd = t;
	}
}

static bool test_cooperative(void)
{
	enum { SOME = 6, N = SOME * BLOCK, ROUNDS = 4 };
	uint32_t expected[2][N];

	EXPECT(begin());
	GPU_LAUNCH_COOPERATIVE(rounds, 100000, BLOCK, 0, 0, words, words + 1, words + 1 + N,
			       ROUNDS);
	EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
	for (int again = 0; again < 2; again++)
		GPU_LAUNCH_COOPERATIVE(rounds, SOME, BLOCK, 0, 0, words, words + 1, words + 1 + N,
				       ROUNDS);
	EXPECT(end());
	for (uint32_t i = 0; i < N; i++)
		expected[0][i] = i;
	for (int round = 0; round < ROUNDS; round++)
		for (uint32_t i = 0; i < N; i++)
			expected[(round + 1) % 2][i] =
				expected[round % 2][i] + expected[round % 2][(i + 1) % N];
	for (uint32_t i = 0; i < N; i++)
		EXPECT(host[1 + i] == expected[0][i]);
	return true;
}

/* ---- atomics ----------------------------------------------------------------------------- */

struct tally {
	uint32_t sum, least, most, bits, flips, wheel;
	uint64_t long_sum, long_most;
	float float_sum, float_most;
	double double_sum;
	int signed_least;
};

static __global__ void tally_up(struct tally *tally)
{
	const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

	atomicAdd(&tally->sum, i);
	atomicMin(&tally->least, i);
	atomicMax(&tally->most, i);
	atomicOr(&tally->bits, 1u << (i & 31));
	atomicXor(&tally->flips, i);
	atomicInc(&tally->wheel, 99);
	atomicAdd(&tally->long_sum, (uint64_t)i << 32);
	atomicMax(&tally->long_most, (uint64_t)i << 33);
	atomicAdd(&tally->float_sum, 0.5f);
	atomicMax(&tally->signed_least, 0);
	atomicMin(&tally->signed_least, 5 - (int)i);
	atomicAdd(&tally->double_sum, 0.25);
}

static bool test_atomics(void)
{
	struct tally t = {}, *device;
	uint64_t sum = 0;
	uint32_t flips = 0;

	t.least = 0xffffffffu;
	EXPECT(cudaMalloc(&device, sizeof t) == cudaSuccess);
	EXPECT(cudaMemcpy(device, &t, sizeof t, cudaMemcpyHostToDevice) == cudaSuccess);
	GPU_LAUNCH(tally_up, BLOCKS, BLOCK, 0, 0, device);
	EXPECT(cudaMemcpy(&t, device, sizeof t, cudaMemcpyDeviceToHost) == cudaSuccess);
	EXPECT(cudaFree(device) == cudaSuccess);
	for (uint32_t i = 0; i < COUNT; i++) {
		sum += i;
		flips ^= i;
	}
	EXPECT(t.sum == sum && t.least == 0 && t.most == COUNT - 1);
	EXPECT(t.bits == 0xffffffffu && t.flips == flips && t.wheel == COUNT % 100);
	EXPECT(t.long_sum == sum << 32 && t.long_most == (uint64_t)(COUNT - 1) << 33);
	EXPECT(t.float_sum == 0.5f * (float)COUNT && t.double_sum == 0.25 * (double)COUNT);
	EXPECT(t.signed_least <= 0);
	return true;
}

/* ---- arithmetic -------------------------------------------------------------------------- */

static __global__ void arithmetic(uint32_t *wrong)
{
	uint32_t bad = 0;

	bad |= (uint32_t)(__popc(0xf0f0u) != 8 || __popcll(0xf0f0f0f000000000ull) != 16) << 0;
	bad |= (uint32_t)(__clz(1) != 31 || __clz(0) != 32 || __clzll(1) != 63) << 1;
	bad |= (uint32_t)(__ffs(0) != 0 || __ffs(8) != 4 || __ffsll(1ll << 40) != 41) << 2;
	bad |= (uint32_t)(__brev(1) != 0x80000000u || __brev(0x12345678u) != 0x1e6a2c48u) << 3;
	bad |= (uint32_t)(__byte_perm(0x33221100u, 0x77665544u, 0x7250) != 0x77225500u) << 4;
	bad |= (uint32_t)(__byte_perm(0x80u, 0, 0x1118) != 0x000000ffu) << 5;
	bad |= (uint32_t)(__umulhi(0x80000000u, 6) != 3) << 6;
	bad |= (uint32_t)(__funnelshift_r(0x12345678u, 0x9abcdef0u, 8) != 0xf0123456u) << 7;
	bad |= (uint32_t)(__funnelshift_l(0x12345678u, 0x9abcdef0u, 8) != 0xbcdef012u) << 8;
	bad |= (uint32_t)(__float_as_uint(1.0f) != 0x3f800000u) << 9;
	bad |= (uint32_t)(__uint_as_float(0x40000000u) != 2.0f) << 10;
	bad |= (uint32_t)(rsqrtf(4.0f) != 0.5f || fmaxf(1.0f, 2.0f) != 2.0f) << 11;
	bad |= (uint32_t)(min(3, 5u) != 3 || max((int64_t)7, 5) != 7) << 12;
	bad |= (uint32_t)(__float2int_rd(-1.5f) != -2 || __float2int_ru(1.2f) != 2) << 13;
	*wrong = bad;
}

static bool test_arithmetic(void)
{
	EXPECT(begin());
	GPU_LAUNCH(arithmetic, 1, 1, 0, 0, words);
	EXPECT(end());
	EXPECT(host[0] == 0);
	return true;
}

const struct selftest grid_tests[] = {
	{ "look-back", test_look_back },
	{ "last block", test_last_block },
	{ "last block, fences", test_last_block_fence },
	{ "handed on", test_handed_on },
	{ "list", test_list },
	{ "cooperative", test_cooperative },
	{ "atomics", test_atomics },
	{ "arithmetic", test_arithmetic },
	{ NULL, NULL },
};
