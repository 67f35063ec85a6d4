/* right.cu -- correct kernels, which synchronise in all ways that the checks know. */
#include "tests/ptx/faults/case.h"

/* ---- barriers ---------------------------------------------------------------------------- */

KERNEL(scan)
{
	scan_block<true>(in, out);
}

/* ---- clusters ---------------------------------------------------------------------------- */

static const uint32_t CLUSTER = 4;

/* Each block counts its share.  Block 0 of the cluster adds them up, and all blocks read the
 * total. */
KERNEL(cluster_sum)
{
	__shared__ uint32_t part[CLUSTER];
	__shared__ uint32_t mine;
	const uint32_t t = threadIdx.x;
	uint32_t total = 0;

	if (t == 0)
		mine = 0;
	__syncthreads();
	atomicAdd(&mine, in[INDEX]);
	__syncthreads();
	if (t == 0)
		((uint32_t *)__cluster_map_shared_rank(part, 0))[__clusterRelativeBlockRank()] =
			mine;
	__cluster_barrier_arrive();
	__cluster_barrier_wait();
	for (unsigned r = 0; r < __clusterSizeInBlocks(); r++)
		total += *(uint32_t *)__cluster_map_shared_rank(&part[r], 0);
	out[INDEX] = total;
	__cluster_barrier_arrive();
	__cluster_barrier_wait();
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
	__shared__ uint32_t shared_tile;
	__shared__ uint32_t before;
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
	__shared__ bool last;

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

const struct kernel_case right_kernels[] = {
	{ "scan", "", scan, prefix_sum },
	{ "cluster", "", cluster_sum, sum_of_cluster, { .cluster = CLUSTER } },
	{ "look_back", "", look_back, sum_before },
	{ "last_block", "", last_block, sum_of_all },
	{ "handed_on", "", handed_on, of_other_warp, { 2, 64 } },
	{ "list", "", push, first<1, NODES>, { NODES / BLOCK } },
	{ "cooperative", "", rounds, after_rounds, { NODES / BLOCK, BLOCK, 1, 0, true } },
	{ NULL, NULL },
};
