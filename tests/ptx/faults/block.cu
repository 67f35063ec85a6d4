/* faults_block.cu -- planted faults inside a block, a warp or a cluster. */
#include "tests/ptx/faults/case.h"

#define ALL 0xffffffffu

static uint32_t neighbour(uint32_t i)
{
	return case_in[i ^ 1];
}

static uint32_t of_next_warp(uint32_t i)
{
	return case_in[i ^ 32];
}

static uint32_t of_next_block(uint32_t i)
{
	return case_in[i ^ BLOCK];
}

/* ---- barriers ---------------------------------------------------------------------------- */

KERNEL(missing_barrier)
{
	__shared__ uint32_t box[BLOCK];

	box[threadIdx.x] = in[INDEX];
	out[INDEX] = box[BLOCK - 1 - threadIdx.x];
}

KERNEL(missing_barrier_in_loop)
{
	scan_block<false>(in, out);
}

/* One warp writes byte B of words and another one reads it, without a barrier. */
template <unsigned B, bool READS_FIRST>
static __global__ void byte_race(const uint32_t *in, uint32_t *out, uint32_t *)
{
	__shared__ uint8_t box[BLOCK * 4];
	const uint32_t t = threadIdx.x;
	unsigned v = 0;

	for (unsigned k = 0; k < 4; k++)
		box[4 * t + k] = 0;
	__syncthreads();
	if (t < 64 && (t < 32) == READS_FIRST)
		v = box[4 * (t ^ 32) + B];
	else if (t < 64)
		box[4 * t + B] = 1;
	out[INDEX] = in[INDEX] + (v & 2);
}

static uint32_t first_warp_of_next(uint32_t i)
{
	return case_in[i % BLOCK < 32 ? i + 32 : i];
}

/* The last thread that reads a word writes it; the reader before may be late. */
KERNEL(last_reader_writes)
{
	__shared__ uint32_t box[BLOCK];
	const uint32_t t = threadIdx.x;

	box[t] = in[INDEX];
	__syncthreads();
	const uint32_t v = box[t < 32 ? t + 32 : t];

	if (t >= 32 && t < 64)
		box[t] = v;
	out[INDEX] = v;
}

/* Shared memory is overwritten while other threads may still read it. */
KERNEL(reuse_without_barrier)
{
	__shared__ uint32_t box[BLOCK];
	const uint32_t t = threadIdx.x;
	uint32_t v;

	box[t] = in[INDEX];
	__syncthreads();
	v = box[t ^ 32];
	box[t] = 0;
	__syncthreads();
	out[INDEX] = v + box[t];
}

KERNEL(divergent_barrier)
{
	if (threadIdx.x < BLOCK / 2) {
		out[INDEX] = in[INDEX];
		__syncthreads();
	} else {
		__syncthreads();
		out[INDEX] = in[INDEX];
	}
}

KERNEL(barrier_count_differs)
{
	for (uint32_t k = 0; k < (threadIdx.x < 32 ? 3u : 2u); k++)
		__syncthreads();
	out[INDEX] = in[INDEX];
}

/* ---- warps ------------------------------------------------------------------------------- */

KERNEL(missing_syncwarp)
{
	__shared__ uint32_t box[BLOCK];

	box[threadIdx.x] = in[INDEX];
	out[INDEX] = box[threadIdx.x ^ 1];
}

/* All lanes vote, but a vote does not order memory. */
KERNEL(vote_is_no_fence)
{
	__shared__ uint32_t box[BLOCK];

	box[threadIdx.x] = in[INDEX];
	const uint32_t votes = __ballot_sync(ALL, 1);
	out[INDEX] = box[threadIdx.x ^ 1] + (votes == 0);
}

/* The mask names lanes that have returned, and their values are read. */
KERNEL(reads_returned_lane)
{
	out[INDEX] = in[INDEX];
	if (threadIdx.x & 1)
		return;
	out[INDEX] += nothing_of(__shfl_down_sync(ALL, in[INDEX], 1));
}

KERNEL(mask_without_caller)
{
	out[INDEX] = in[INDEX] + nothing_of(__ballot_sync(0xfffffffeu, 1));
}

KERNEL(operations_differ)
{
	uint32_t v;

	if (threadIdx.x & 1)
		v = __shfl_sync(ALL, in[INDEX], 1);
	else
		v = __ballot_sync(ALL, in[INDEX]);
	out[INDEX] = in[INDEX] + nothing_of(v);
}

KERNEL(shuffle_outside_mask)
{
	uint32_t v = in[INDEX];

	if ((threadIdx.x & 31) < 16)
		v += nothing_of(__shfl_down_sync(0x0000ffffu, v, 8));
	out[INDEX] = v;
}

/* Half of the warp waits for lanes that wait at the block's barrier. */
KERNEL(warp_and_block_deadlock)
{
	out[INDEX] = in[INDEX];
	if (threadIdx.x % 32 < 16)
		__syncwarp();
	__syncthreads();
}

/* ---- shared memory ----------------------------------------------------------------------- */

KERNEL(shared_overrun)
{
	__shared__ uint32_t box[BLOCK];

	box[threadIdx.x + 1] = in[INDEX];
	__syncthreads();
	out[INDEX] = box[threadIdx.x + 1];
}

static const uint32_t TOO_SMALL = BLOCK * 4 - 4;

KERNEL(dynamic_overrun)
{
	extern __shared__ uint32_t box[];

	box[threadIdx.x] = in[INDEX];
	__syncthreads();
	out[INDEX] = box[threadIdx.x];
}

KERNEL(uninitialised_shared)
{
	__shared__ uint32_t sum[BLOCK];

	atomicAdd(&sum[threadIdx.x], in[INDEX]);
	__syncthreads();
	out[INDEX] = sum[threadIdx.x];
}

/* Non-atomic increments in shared memory. */
KERNEL(lost_count)
{
	__shared__ uint32_t count[4];

	if (threadIdx.x < 4)
		count[threadIdx.x] = 0;
	__syncthreads();
	count[in[INDEX] & 3]++;
	__syncthreads();
	out[INDEX] = count[0] + count[1] + count[2] + count[3];
}

KERNEL(misaligned_vector)
{
	const uint4 v = *(const uint4 *)(in + 1);

	out[INDEX] = in[INDEX] + nothing_of(v.x ^ v.y ^ v.z ^ v.w);
}

/* ---- clusters ---------------------------------------------------------------------------- */

KERNEL(cluster_missing_sync)
{
	__shared__ uint32_t box[BLOCK];

	box[threadIdx.x] = in[INDEX];
	__syncthreads();
	const uint32_t *const other =
		(const uint32_t *)__cluster_map_shared_rank(box, __clusterRelativeBlockRank() ^ 1);
	out[INDEX] = other[threadIdx.x];
	__cluster_barrier_arrive();
	__cluster_barrier_wait();
}

/* No wait at the end: a block may end while the other one still reads its shared memory. */
KERNEL(cluster_ends_early)
{
	__shared__ uint32_t box[BLOCK];

	box[threadIdx.x] = in[INDEX];
	__cluster_barrier_arrive();
	__cluster_barrier_wait();
	if (__clusterRelativeBlockRank() == 0)
		return;
	__syncthreads();
	out[INDEX] = ((uint32_t *)__cluster_map_shared_rank(box, 0))[threadIdx.x];
}

const struct kernel_case block_faults[] = {
	{ "missing_barrier", "uninitialised", missing_barrier, mirrored },
	{ "missing_barrier_in_loop", "race", missing_barrier_in_loop, prefix_sum },
	{ "reuse_without_barrier", "race", reuse_without_barrier, of_next_warp },
	{ "last_reader_writes", "race", last_reader_writes, first_warp_of_next },
	{ "first_byte_read_early", "race", byte_race<0, false> },
	{ "last_byte_read_late", "race", byte_race<3, true> },
	{ "divergent_barrier", "reported", divergent_barrier },
	{ "barrier_count_differs", "reported", barrier_count_differs },
	{ "missing_syncwarp", "race", missing_syncwarp, neighbour },
	{ "vote_is_no_fence", "race", vote_is_no_fence, neighbour },
	{ "reads_returned_lane", "reported", reads_returned_lane },
	{ "mask_without_caller", "reported", mask_without_caller },
	{ "operations_differ", "reported", operations_differ },
	{ "shuffle_outside_mask", "reported", shuffle_outside_mask },
	{ "warp_and_block_deadlock", "reported", warp_and_block_deadlock },
	{ "shared_overrun", "reported", shared_overrun },
	{ "dynamic_shared_overrun", "reported", dynamic_overrun, NULL, { .shared = TOO_SMALL } },
	{ "uninitialised_shared", "uninitialised", uninitialised_shared },
	{ "lost_count", "race", lost_count, first<COUNT, BLOCK> },
	{ "misaligned_vector", "reported", misaligned_vector },
	{ "cluster_missing_sync",
	  "uninitialised",
	  cluster_missing_sync,
	  of_next_block,
	  { .cluster = 2 } },
	{ "cluster_ends_early", "reported", cluster_ends_early, of_next_block, { .cluster = 2 } },
	{ NULL, NULL },
};
