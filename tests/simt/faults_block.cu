/* faults_block.cu -- seeded faults inside a block, a warp or a cluster. */
#include "tests/simt/faults.h"

enum { BLOCK = FAULT_BLOCK, BLOCKS = FAULT_BLOCKS, COUNT = FAULT_COUNT };

#define RUN(kernel, shmem) \
	GPU_LAUNCH(kernel, BLOCKS, BLOCK, shmem, 0, (const uint32_t *)fault_in, fault_out)
#define INDEX (blockIdx.x * BLOCK + threadIdx.x)
#define ALL   0xffffffffu

static void expect_prefix_sums(void)
{
	for (uint32_t i = 0; i < COUNT; i++)
		fault_expected[i] =
			i % BLOCK ? fault_expected[i - 1] + fault_host[i] : fault_host[i];
}

static void expect_neighbours(void)
{
	for (uint32_t i = 0; i < COUNT; i++)
		fault_expected[i] = fault_host[i ^ 1];
}

/* ---- barriers ---------------------------------------------------------------------------- */

static __global__ void missing_barrier(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, box, BLOCK);

	box[threadIdx.x] = in[INDEX];
	out[INDEX] = box[BLOCK - 1 - threadIdx.x];
}

static void run_missing_barrier(void)
{
	for (uint32_t i = 0; i < COUNT; i++)
		fault_expected[i] = fault_host[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK];
	RUN(missing_barrier, 0);
	fault_end();
}

static __global__ void missing_barrier_in_loop(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, sum, BLOCK);
	const uint32_t t = threadIdx.x;

	sum[t] = in[INDEX];
	__syncthreads();
	for (uint32_t step = 1; step < BLOCK; step *= 2) {
		const uint32_t left = t >= step ? sum[t - step] : 0;

		sum[t] += left;
		__syncthreads();
	}
	out[INDEX] = sum[t];
}

static void run_missing_barrier_in_loop(void)
{
	expect_prefix_sums();
	RUN(missing_barrier_in_loop, 0);
	fault_end();
}

/* Shared memory is written again while others may still read it. */
static __global__ void reuse_without_barrier(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, box, BLOCK);
	const uint32_t t = threadIdx.x;
	uint32_t v;

	box[t] = in[INDEX];
	__syncthreads();
	v = box[t ^ 32];
	box[t] = 0;
	__syncthreads();
	out[INDEX] = v + box[t];
}

static void run_reuse_without_barrier(void)
{
	for (uint32_t i = 0; i < COUNT; i++)
		fault_expected[i] = fault_host[i ^ 32];
	RUN(reuse_without_barrier, 0);
	fault_end();
}

static __global__ void divergent_barrier(const uint32_t *in, uint32_t *out)
{
	if (threadIdx.x < BLOCK / 2) {
		out[INDEX] = in[INDEX];
		__syncthreads();
	} else {
		__syncthreads();
		out[INDEX] = in[INDEX];
	}
}

static void run_divergent_barrier(void)
{
	RUN(divergent_barrier, 0);
	fault_end();
}

static __global__ void barrier_count_differs(const uint32_t *in, uint32_t *out)
{
	for (uint32_t k = 0; k < (threadIdx.x < 32 ? 3u : 2u); k++)
		__syncthreads();
	out[INDEX] = in[INDEX];
}

static void run_barrier_count_differs(void)
{
	RUN(barrier_count_differs, 0);
	fault_end();
}

static __global__ void barrier_after_return(const uint32_t *in, uint32_t *out)
{
	out[INDEX] = in[INDEX];
	if (threadIdx.x & 1)
		return;
	__syncthreads();
}

static void run_barrier_after_return(void)
{
	RUN(barrier_after_return, 0);
	fault_end();
}

/* ---- warps ------------------------------------------------------------------------------- */

static __global__ void missing_syncwarp(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, box, BLOCK);

	box[threadIdx.x] = in[INDEX];
	out[INDEX] = box[threadIdx.x ^ 1];
}

static void run_missing_syncwarp(void)
{
	expect_neighbours();
	RUN(missing_syncwarp, 0);
	fault_end();
}

/* All lanes meet, but a vote orders no memory. */
static __global__ void vote_is_no_fence(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, box, BLOCK);

	box[threadIdx.x] = in[INDEX];
	const uint32_t votes = __ballot_sync(ALL, 1);
	out[INDEX] = box[threadIdx.x ^ 1] + (votes == 0);
}

static void run_vote_is_no_fence(void)
{
	expect_neighbours();
	RUN(vote_is_no_fence, 0);
	fault_end();
}

static __global__ void mask_names_returned_lane(const uint32_t *in, uint32_t *out)
{
	out[INDEX] = in[INDEX];
	if (threadIdx.x & 1)
		return;
	out[INDEX] += __shfl_down_sync(ALL, in[INDEX], 2) * 0;
}

static void run_mask_names_returned_lane(void)
{
	RUN(mask_names_returned_lane, 0);
	fault_end();
}

static __global__ void mask_without_caller(const uint32_t *in, uint32_t *out)
{
	out[INDEX] = in[INDEX] + __ballot_sync(0xfffffffeu, 1) * 0;
}

static void run_mask_without_caller(void)
{
	RUN(mask_without_caller, 0);
	fault_end();
}

static __global__ void operations_differ(const uint32_t *in, uint32_t *out)
{
	uint32_t v;

	if (threadIdx.x & 1)
		v = __shfl_sync(ALL, in[INDEX], 1);
	else
		v = __ballot_sync(ALL, in[INDEX]);
	out[INDEX] = in[INDEX] + v * 0;
}

static void run_operations_differ(void)
{
	RUN(operations_differ, 0);
	fault_end();
}

static __global__ void masks_differ(const uint32_t *in, uint32_t *out)
{
	const uint32_t mask = threadIdx.x & 31 ? ALL : 0x7fffffffu;

	out[INDEX] = in[INDEX] + __shfl_sync(mask, in[INDEX], 1) * 0;
}

static void run_masks_differ(void)
{
	RUN(masks_differ, 0);
	fault_end();
}

static __global__ void shuffle_outside_mask(const uint32_t *in, uint32_t *out)
{
	uint32_t v = in[INDEX];

	if ((threadIdx.x & 31) < 16)
		v += __shfl_down_sync(0x0000ffffu, v, 8) * 0;
	out[INDEX] = v;
}

static void run_shuffle_outside_mask(void)
{
	RUN(shuffle_outside_mask, 0);
	fault_end();
}

/* Half of the warp waits for lanes that wait at the block's barrier. */
static __global__ void warp_and_block_deadlock(const uint32_t *in, uint32_t *out)
{
	out[INDEX] = in[INDEX];
	if (threadIdx.x % 32 < 16)
		__syncwarp();
	__syncthreads();
}

static void run_warp_and_block_deadlock(void)
{
	RUN(warp_and_block_deadlock, 0);
	fault_end();
}

/* ---- shared memory ----------------------------------------------------------------------- */

static __global__ void shared_overrun(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, box, BLOCK);

	box[threadIdx.x + 1] = in[INDEX];
	__syncthreads();
	out[INDEX] = box[threadIdx.x + 1];
}

static void run_shared_overrun(void)
{
	RUN(shared_overrun, 0);
	fault_end();
}

static __global__ void dynamic_shared_overrun(const uint32_t *in, uint32_t *out)
{
	DYN_SHARED(uint32_t, box);

	box[threadIdx.x] = in[INDEX];
	__syncthreads();
	out[INDEX] = box[threadIdx.x];
}

static void run_dynamic_shared_overrun(void)
{
	RUN(dynamic_shared_overrun, BLOCK * 4 - 4);
	fault_end();
}

static __global__ void too_much_static_shared(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, box, 13 << 10);

	box[threadIdx.x] = in[INDEX];
	__syncthreads();
	out[INDEX] = box[threadIdx.x];
}

static void run_too_much_static_shared(void)
{
	RUN(too_much_static_shared, 0);
	fault_end();
}

static __global__ void uninitialised_shared(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, sum, BLOCK);

	atomicAdd(&sum[threadIdx.x], in[INDEX]);
	__syncthreads();
	out[INDEX] = sum[threadIdx.x];
}

static void run_uninitialised_shared(void)
{
	RUN(uninitialised_shared, 0);
	fault_end();
}

/* Plain counting in shared memory. */
static __global__ void lost_count(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, count, 4);

	if (threadIdx.x < 4)
		count[threadIdx.x] = 0;
	__syncthreads();
	count[in[INDEX] & 3]++;
	__syncthreads();
	out[INDEX] = count[0] + count[1] + count[2] + count[3];
}

static void run_lost_count(void)
{
	for (uint32_t i = 0; i < COUNT; i++)
		fault_expected[i] = BLOCK;
	RUN(lost_count, 0);
	fault_end();
}

/* ---- undefined behaviour ----------------------------------------------------------------- */

static __global__ void shift_too_far(const uint32_t *in, uint32_t *out)
{
	out[INDEX] = in[INDEX] + (uint32_t)(1 << (5 + (int)(INDEX & 31)) == 0x7654321);
}

static void run_shift_too_far(void)
{
	RUN(shift_too_far, 0);
	fault_end();
}

static __global__ void misaligned_vector(const uint32_t *in, uint32_t *out)
{
	const uint4 v = *(const uint4 *)(in + 1);

	out[INDEX] = in[INDEX] + v.x * 0;
}

static void run_misaligned_vector(void)
{
	RUN(misaligned_vector, 0);
	fault_end();
}

/* ---- clusters ---------------------------------------------------------------------------- */

static __global__ void cluster_missing_sync(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, box, BLOCK);

	box[threadIdx.x] = in[INDEX];
	__syncthreads();
	const uint32_t *const other = gpu_cluster_map(box, gpu_cluster_rank() ^ 1);
	out[INDEX] = other[threadIdx.x];
	gpu_cluster_sync();
}

/* No wait at the end: a block may be gone while the other one reads its shared memory. */
static __global__ void cluster_ends_early(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, box, BLOCK);

	box[threadIdx.x] = in[INDEX];
	gpu_cluster_sync();
	if (gpu_cluster_rank() == 0)
		return;
	__syncthreads();
	out[INDEX] = gpu_cluster_map(box, 0)[threadIdx.x];
}

static __global__ void cluster_rank_too_large(const uint32_t *in, uint32_t *out)
{
	SHARED_ARRAY(uint32_t, box, BLOCK);

	box[threadIdx.x] = in[INDEX];
	gpu_cluster_sync();
	out[INDEX] = gpu_cluster_map(box, gpu_cluster_rank() + 1)[threadIdx.x];
	gpu_cluster_sync();
}

static void run_in_pairs(void (*kernel)(const uint32_t *, uint32_t *))
{
	for (uint32_t i = 0; i < COUNT; i++)
		fault_expected[i] = fault_host[i ^ BLOCK];
	GPU_LAUNCH_CLUSTER(kernel, BLOCKS, BLOCK, 2, 0, 0, fault_in, fault_out);
	fault_end();
}

static void run_cluster_missing_sync(void)
{
	run_in_pairs(cluster_missing_sync);
}

static void run_cluster_ends_early(void)
{
	run_in_pairs(cluster_ends_early);
}

static void run_cluster_rank_too_large(void)
{
	run_in_pairs(cluster_rank_too_large);
}

const struct fault block_faults[] = {
	{ "missing_barrier", "wrong|check", run_missing_barrier },
	{ "missing_barrier_in_loop", "check", run_missing_barrier_in_loop },
	{ "reuse_without_barrier", "check", run_reuse_without_barrier },
	{ "divergent_barrier", "reported", run_divergent_barrier },
	{ "barrier_count_differs", "reported", run_barrier_count_differs },
	{ "barrier_after_return", "reported", run_barrier_after_return },
	{ "missing_syncwarp", "check", run_missing_syncwarp },
	{ "vote_is_no_fence", "check", run_vote_is_no_fence },
	{ "mask_names_returned_lane", "reported", run_mask_names_returned_lane },
	{ "mask_without_caller", "reported", run_mask_without_caller },
	{ "operations_differ", "reported", run_operations_differ },
	{ "masks_differ", "reported", run_masks_differ },
	{ "shuffle_outside_mask", "reported", run_shuffle_outside_mask },
	{ "warp_and_block_deadlock", "reported", run_warp_and_block_deadlock },
	{ "shared_overrun", "asan|check", run_shared_overrun },
	{ "dynamic_shared_overrun", "asan|check", run_dynamic_shared_overrun },
	{ "too_much_static_shared", "reported", run_too_much_static_shared },
	{ "uninitialised_shared", "wrong|check", run_uninitialised_shared },
	{ "lost_count", "check", run_lost_count },
	{ "shift_too_far", "asan", run_shift_too_far },
	{ "misaligned_vector", "asan", run_misaligned_vector },
	{ "cluster_missing_sync", "check", run_cluster_missing_sync },
	{ "cluster_ends_early", "reported", run_cluster_ends_early },
	{ "cluster_rank_too_large", "reported", run_cluster_rank_too_large },
	{ NULL, NULL, NULL },
};
