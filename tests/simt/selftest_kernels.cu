/* selftest_kernels.cu -- correct kernels: within a block or a cluster, and across blocks. */
#include "tests/simt/case.h"
#include "tests/simt/selftest.h"

static const uint32_t ALL = 0xffffffffu;

/* ---- barriers ---------------------------------------------------------------------------- */

/* Inclusive sums within each block, after Hillis and Steele. */
KERNEL(scan)
{
	SHARED_ARRAY(uint32_t, sum, BLOCK);
	const uint32_t t = threadIdx.x;

	sum[t] = in[INDEX];
	__syncthreads();
	for (uint32_t step = 1; step < BLOCK; step *= 2) {
		const uint32_t left = t >= step ? sum[t - step] : 0;

		__syncthreads();
		sum[t] += left;
		__syncthreads();
	}
	out[INDEX] = sum[t];
}

KERNEL(votes)
{
	const int odd = __syncthreads_count(in[INDEX] & 1);
	const int some = __syncthreads_or(threadIdx.x == 77);
	const int none = __syncthreads_or(threadIdx.x == BLOCK);

	out[INDEX] = (uint32_t)odd * 4 + (uint32_t)(some != 0) * 2 + (uint32_t)(none != 0);
}

static uint32_t voted(uint32_t i)
{
	uint32_t odd = 0;

	for (uint32_t j = 0; j < BLOCK; j++)
		odd += case_in[i / BLOCK * BLOCK + j] & 1;
	return odd * 4 + 2;
}

/* ---- warp operations --------------------------------------------------------------------- */

/* Compare each operation's result with one computed from the warp's values in memory. out[i] is a
 * set of bits, one per operation that disagrees. */
KERNEL(warp_operations)
{
	const int lane = (int)(threadIdx.x & 31);
	const uint32_t *const warp = in + (INDEX - (uint32_t)lane);
	const uint32_t mine = in[INDEX];
	uint32_t same = 0, odd = 0;

	for (int k = 0; k < 32; k++) {
		same |= (uint32_t)((warp[k] & 3) == (mine & 3)) << k;
		odd |= (warp[k] & 1) << k;
	}
	const bool wrong[] = {
		__shfl_sync(ALL, mine, 7) != warp[7],
		__shfl_up_sync(ALL, mine, 3) != warp[lane < 3 ? lane : lane - 3],
		__shfl_down_sync(ALL, mine, 5) != warp[lane > 26 ? lane : lane + 5],
		__shfl_xor_sync(ALL, mine, 9) != warp[lane ^ 9],
		__shfl_sync(ALL, mine, 9, 8) != warp[(lane & 24) | 1],
		__shfl_xor_sync(ALL, 1.5f * (float)lane, 1) != 1.5f * (float)(lane ^ 1),
		__shfl_sync(ALL, (uint64_t)mine << 20, 2) != (uint64_t)warp[2] << 20,
		__ballot_sync(ALL, mine & 1) != odd,
		__any_sync(ALL, mine & 1) != (odd != 0),
		__all_sync(ALL, mine & 1) != (odd == ALL),
		gpu_match<2>(mine) != same,
		!(__activemask() >> lane & 1),
	};

	for (unsigned k = 0; k < sizeof wrong; k++)
		out[INDEX] |= (uint32_t)wrong[k] << k;
}

/* Multiply two matrices of bits, with rows and columns of 8 words, and compare with a naive
 * product. out has a bit for each of a lane's four numbers that disagrees.  Exchanged registers
 * must change it. */
KERNEL(matrix_product)
{
	const uint32_t lane = threadIdx.x & 31, g = lane / 4, t = lane % 4;
	const uint32_t *const row = in + (INDEX - lane) % (COUNT - 24 * 8);
	const uint32_t *const column = row + 16 * 8;
	const uint32_t a[4] = { row[g * 8 + t], row[(g + 8) * 8 + t], row[g * 8 + 4 + t],
				row[(g + 8) * 8 + 4 + t] };
	const uint32_t b[2] = { column[g * 8 + t], column[g * 8 + 4 + t] };
	const uint32_t exchanged[4] = { a[0], a[2], a[1], a[3] };
	const int start[4] = { 0, 1, -2, 3000 };
	int sum[4] = { 0, 1, -2, 3000 }, other[4] = { 0, 1, -2, 3000 };
	uint32_t wrong = 0, alike = 0;

	gpu_mma_and_popc(sum, a, b);
	gpu_mma_and_popc(other, exchanged, b);
	for (uint32_t n = 0; n < 4; n++) {
		const uint32_t r = g + n / 2 * 8, c = 2 * t + n % 2;
		int wanted = start[n];

		for (uint32_t w = 0; w < 8; w++)
			wanted += __popc(row[r * 8 + w] & column[c * 8 + w]);
		wrong |= (uint32_t)(sum[n] != wanted) << n;
		alike += other[n] == wanted;
	}
	out[INDEX] = wrong | (uint32_t)(__all_sync(ALL, alike == 4) != 0) << 4;
}

/* The halves of a warp synchronise separately, each under its own mask; then pairs exchange values
 * through memory. */
KERNEL(partial_masks)
{
	SHARED_ARRAY(uint32_t, box, BLOCK);
	const uint32_t t = threadIdx.x;
	uint32_t v;

	if (t % 32 < 16)
		v = __ballot_sync(0x0000ffffu, in[INDEX] & 1);
	else
		v = __shfl_sync(0xffff0000u, in[INDEX], 16);
	box[t] = v;
	__syncwarp();
	out[INDEX] = box[t ^ 16];
}

static uint32_t of_other_half(uint32_t i)
{
	const uint32_t *const warp = &case_in[i / 32 * 32];
	uint32_t odd = 0;

	for (uint32_t k = 0; k < 16; k++)
		odd |= (warp[k] & 1) << k;
	return i % 32 < 16 ? warp[16] : odd;
}

/* A block of 45 threads: its last warp is partial, and a full mask stands for its existing
 * lanes. */
KERNEL(short_warp)
{
	const uint32_t t = threadIdx.x + blockDim.x * threadIdx.y;

	out[t] = (uint32_t)__popc(__ballot_sync(ALL, 1));
	__syncthreads();
	out[t] += __shfl_up_sync(ALL, t, 1);
}

static uint32_t of_short_warp(uint32_t i)
{
	return i < 45 ? (i < 32 ? 32 : 13) + (i % 32 ? i - 1 : i) : 0;
}

/* ---- shared memory ----------------------------------------------------------------------- */

/* Adjacent bytes belong to different threads. */
KERNEL(bytes)
{
	SHARED_ARRAY(uint8_t, flag, BLOCK);

	flag[threadIdx.x] = (uint8_t)in[INDEX];
	__syncthreads();
	out[INDEX] = flag[BLOCK - 1 - threadIdx.x];
}

static uint32_t mirrored_byte(uint32_t i)
{
	return mirrored(i) & 0xff;
}

/* A histogram per warp, with match and non-atomic counters, in more than 48 KiB of shared
 * memory. */
static const uint32_t LARGE = 60000;

KERNEL(large_shared)
{
	DYN_SHARED(uint32_t, table);
	const uint32_t lane = threadIdx.x & 31, digit = in[INDEX] & 15;
	uint32_t *const mine = table + threadIdx.x / 32 * (LARGE / BLOCK * 32 / 4);

	if (lane < 16)
		mine[lane] = 0;
	__syncwarp();
	const uint32_t peers = gpu_match<4>(digit);
	const uint32_t before = (uint32_t)__popc(peers & ((1u << lane) - 1));

	if (before == 0)
		mine[digit] += (uint32_t)__popc(peers);
	__syncwarp();
	out[INDEX] = mine[digit] * 64 + before;
}

static void allow_large(void)
{
	case_check(cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
					LARGE));
}

static uint32_t of_digit(uint32_t i)
{
	uint32_t count = 0, before = 0;

	for (uint32_t k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
		const bool same = (case_in[k] & 15) == (case_in[i] & 15);

		count += same;
		before += same && k < i;
	}
	return count * 64 + before;
}

template <class T>
static __global__ void reversed(const uint32_t *from, uint32_t *to,
				[[maybe_unused]] uint32_t *words)
{
	SHARED_ARRAY(T, box, BLOCK);

	box[threadIdx.x] = ((const T *)from)[blockIdx.x * BLOCK + threadIdx.x];
	__syncthreads();
	((T *)to)[blockIdx.x * BLOCK + threadIdx.x] = box[BLOCK - 1 - threadIdx.x];
}

static uint32_t mirrored_long(uint32_t i)
{
	return case_in[i ^ (2 * BLOCK - 2)];
}

/* ---- clusters ---------------------------------------------------------------------------- */

static const uint32_t CLUSTER = 4;

/* Each block counts its share.  Block 0 of the cluster adds them up, and all blocks read the
 * total. */
KERNEL(cluster_sum)
{
	SHARED_ARRAY(uint32_t, part, CLUSTER);
	SHARED_VAR(uint32_t, mine);
	const uint32_t t = threadIdx.x;
	uint32_t total = 0;

	if (t == 0)
		mine = 0;
	__syncthreads();
	atomicAdd(&mine, in[INDEX]);
	__syncthreads();
	if (t == 0)
		gpu_cluster_map(part, 0)[gpu_cluster_rank()] = mine;
	gpu_cluster_sync();
	for (unsigned r = 0; r < gpu_cluster_size(); r++)
		total += *gpu_cluster_map(&part[r], 0);
	out[INDEX] = total;
	gpu_cluster_sync();
}

static uint32_t sum_of_cluster(uint32_t i)
{
	uint32_t total = 0;

	for (uint32_t k = 0; k < CLUSTER * BLOCK; k++)
		total += case_in[i / (CLUSTER * BLOCK) * (CLUSTER * BLOCK) + k];
	return total;
}

/* ---- order between blocks ---------------------------------------------------------------- */

/* Decoupled look-back: state[tile] is 0, then 1 + 4 * (the tile's sum), then 2 + 4 * (the prefix
 * sum).  The tile number comes from a ticket, so the order of blocks does not matter. */
KERNEL(look_back)
{
	SHARED_VAR(uint32_t, shared_tile);
	SHARED_VAR(uint32_t, before);
	uint32_t *const state = words + 1;

	if (threadIdx.x == 0)
		shared_tile = atomicAdd(&words[0], 1u);
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

static uint32_t sum_before(uint32_t i)
{
	return i / BLOCK * (i / BLOCK + 1) / 2;
}

/* The block that increments the counter last adds up all partial sums, with acquire and release. */
KERNEL(last_block)
{
	SHARED_VAR(bool, last);

	words[INDEX] = in[INDEX];
	__syncthreads();
	if (threadIdx.x == 0)
		last = gpu_add(&out[1], 1) == gridDim.x - 1;
	__syncthreads();
	if (last)
		for (uint32_t i = threadIdx.x; i < COUNT; i += BLOCK)
			atomicAdd(&out[0], words[i]);
}

static uint32_t sum_of_all(uint32_t i)
{
	uint32_t sum = 0;

	for (uint32_t k = 0; k < COUNT; k++)
		sum += case_in[k];
	return i == 0 ? sum : i == 1 ? BLOCKS : 0;
}

/* A lane releases the writes of its warp, and another lane acquires them for its own warp; in the
 * next block, for the whole block by a barrier. */
KERNEL(handed_on)
{
	const uint32_t t = threadIdx.x, lane = t % 32;
	uint32_t *const flag = &words[0], *const data = &words[1];

	if (blockIdx.x == 0 && t < 32) {
		data[lane] = lane + 7;
		__syncwarp();
		if (lane == 0)
			gpu_st_release(flag, 1);
	} else if (blockIdx.x == 0) {
		if (lane == 5)
			while (!gpu_ld_acquire(flag))
				__nanosleep(20);
		__syncwarp();
		out[lane] = data[31 - lane];
	} else {
		if (t == 33)
			while (!gpu_ld_acquire(flag))
				__nanosleep(20);
		__syncthreads();
		out[32 + t] = data[lane];
	}
}

static uint32_t of_other_warp(uint32_t i)
{
	return i < 32 ? 31 - i + 7 : i < 96 ? i % 32 + 7 : 0;
}

/* Push onto a lock-free list: write the node, then publish it by compare and swap.  The last thread
 * counts the nodes. */
static const uint32_t NODES = COUNT / 2;

KERNEL(push)
{
	const uint32_t me = INDEX + 1;
	uint32_t seen = gpu_ld_relaxed(&words[0]), length = 0;

	for (;;) {
		words[me] = seen;
		const uint32_t found = gpu_cas(&words[0], seen, me);

		if (found == seen)
			break;
		seen = found;
	}
	if (gpu_add(&words[NODES + 1], 1) != NODES - 1)
		return;
	for (uint32_t at = gpu_ld_acquire(&words[0]); at && length <= NODES; at = words[at])
		length++;
	out[0] = length;
}

/* ---- cooperative launch ------------------------------------------------------------------ */

/* Rounds of a cellular sum: each thread adds its right neighbour's value of the previous round. */
KERNEL(rounds)
{
	const uint32_t n = gridDim.x * BLOCK;
	uint32_t *even = out, *odd = words;

	even[INDEX] = INDEX;
	gpu_grid_sync(&words[n]);
	for (int round = 0; round < 4; round++) {
		odd[INDEX] = even[INDEX] + even[(INDEX + 1) % n];
		gpu_grid_sync(&words[n]);
		uint32_t *const t = even;
		even = odd;
		odd = t;
	}
}

static uint32_t after_rounds(uint32_t i)
{
	static const uint32_t binomial[] = { 1, 4, 6, 4, 1 };
	uint32_t sum = 0;

	for (uint32_t k = 0; k < 5; k++)
		sum += binomial[k] * ((i + k) % NODES);
	return i < NODES ? sum : 0;
}

/* ---- atomics, arithmetic ----------------------------------------------------------------- */

/* Sum the indices in 4 and 8 bytes.  Each thread sets and clears its own bit, and checks that it
 * was set; one thread checks that a word is unchanged. */
KERNEL(atomics)
{
	uint32_t *const bits = &words[4 + INDEX / 32];
	const uint32_t bit = 1u << INDEX % 32;

	atomicAdd(&out[0], INDEX);
	atomicAdd((unsigned long long *)(out + 2), (unsigned long long)INDEX << 32);
	atomicOr(bits, bit);
	atomicAdd(&out[4], (uint32_t)((atomicAnd(bits, ~bit) & bit) != 0));
	atomicAdd(&out[5], (uint32_t)(atomicExch(&words[0], 1u) == 0));
	atomicAdd(&out[6], (uint32_t)(atomicCAS(&words[1], 0u, 1u) == 0));
}

static uint32_t of_atomics(uint32_t i)
{
	const uint32_t sum = COUNT * (COUNT - 1) / 2;

	return i == 0 || i == 3 ? sum : i == 4 ? COUNT : i == 5 || i == 6 ? 1 : 0;
}

KERNEL(arithmetic)
{
	const bool wrong[] = {
		__popc(0xf0f0u) != 8,
		__clz(1) != 31 || __clz(0) != 32 || __clzll(1) != 63,
		__ffs(0) != 0 || __ffs(8) != 4,
		__byte_perm(0x33221100u, 0x77665544u, 0x7250) != 0x77225500u,
		__byte_perm(0x80u, 0, 0x1118) != 0x000000ffu,
		__float_as_uint(1.0f) != 0x3f800000u,
		__uint_as_float(0x40000000u) != 2.0f,
		min(3, 5u) != 3 || max((int64_t)7, 5) != 7,
	};

	for (unsigned k = 0; k < sizeof wrong; k++)
		out[0] |= (uint32_t)wrong[k] << k;
}

const struct kernel_case right_kernels[] = {
	{ "scan", "", scan, prefix_sum },
	{ "votes", "", votes, voted },
	{ "warp operations", "", warp_operations, first<0, 0> },
	{ "products of bit matrices", "", matrix_product, first<0, 0> },
	{ "partial masks", "", partial_masks, of_other_half },
	{ "short warp", "", short_warp, of_short_warp, { 1, dim3(9, 5) } },
	{ "bytes", "", bytes, mirrored_byte },
	{ "large shared", "", large_shared, of_digit, { BLOCKS, BLOCK, 1, LARGE }, allow_large },
	{ "template, 4 bytes", "", reversed<uint32_t>, mirrored },
	{ "template, 8 bytes", "", reversed<uint64_t>, mirrored_long, { BLOCKS / 2 } },
	{ "cluster", "", cluster_sum, sum_of_cluster, { .cluster = CLUSTER } },
	{ "look-back", "", look_back, sum_before },
	{ "last block", "", last_block, sum_of_all },
	{ "handed on", "", handed_on, of_other_warp, { 2, 64 } },
	{ "list", "", push, first<1, NODES>, { NODES / BLOCK } },
	{ "cooperative", "", rounds, after_rounds, { NODES / BLOCK, BLOCK, 1, 0, true } },
	{ "atomics", "", atomics, of_atomics },
	{ "arithmetic", "", arithmetic, first<0, 0>, { 1, 1 } },
	{ NULL, NULL },
};
