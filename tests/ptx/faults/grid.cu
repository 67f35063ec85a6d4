/* faults_grid.cu -- planted faults in global memory and between blocks. */
#include "tests/ptx/faults/case.h"

static const uint32_t MANY = 64, TOO_MANY = 512, NODES = COUNT / 2;

static uint32_t sum_of_four(uint32_t i)
{
	return i ? 0 : case_in[0] + case_in[1] + case_in[2] + case_in[3];
}

/* ---- global memory ----------------------------------------------------------------------- */

KERNEL(read_past_end)
{
	const uint32_t i = INDEX;

	out[i] = in[i] + (in[i + 1] == 0x12345678u);
}

KERNEL(write_past_end)
{
	const uint32_t i = INDEX;

	if (i <= COUNT)
		out[i] = i < COUNT ? in[i] : 0;
}

KERNEL(count_up)
{
	out[0] = out[0] + 1;
}

/* ---- publication: words[0..31] are data, words[64] is their flag -------------------------- */

template <bool RELEASE, bool ACQUIRE> static __device__ void publish(uint32_t *out, uint32_t *words)
{
	if (threadIdx.x != 0)
		return;
	if (blockIdx.x == 0) {
		words[0] = 42;
		RELEASE ? gpu_st_release(&words[64], 1) : gpu_st_relaxed(&words[64], 1);
	} else {
		while (!(ACQUIRE ? gpu_ld_acquire(&words[64]) : gpu_ld_relaxed(&words[64])))
			__nanosleep(20);
		out[0] = words[0];
	}
}

KERNEL(publish_without_release)
{
	publish<false, true>(out, words);
}

KERNEL(read_without_acquire)
{
	publish<true, false>(out, words);
}

/* The counter is relaxed: the last block may read stale parts. */
KERNEL(last_block_without_release)
{
	__shared__ bool last;

	if (threadIdx.x == 0) {
		words[blockIdx.x] = in[blockIdx.x];
		last = atomicAdd(&words[64], 1u) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0)
		*out = words[0] + words[1] + words[2] + words[3];
}

/* Lane 0 releases for its warp.  Its lanes are not ordered: they meet at a vote, which does not
 * order memory. */
KERNEL(release_for_others)
{
	const uint32_t lane = threadIdx.x % 32;

	if (threadIdx.x < 32) {
		words[lane] = 42;
		(void)__any_sync(0xffffffffu, 1);
		if (lane == 0)
			gpu_st_release(&words[64], 1);
	} else {
		while (!gpu_ld_acquire(&words[64]))
			__nanosleep(20);
		out[lane] = words[lane];
	}
}

KERNEL(acquire_for_others)
{
	const uint32_t lane = threadIdx.x % 32;

	if (threadIdx.x < 32 && blockIdx.x == 0) {
		words[lane] = 42;
		__syncwarp();
		if (lane == 0)
			gpu_st_release(&words[64], 1);
	} else if (threadIdx.x >= 32 && blockIdx.x == gridDim.x - 1) {
		if (lane == 0)
			while (!gpu_ld_acquire(&words[64]))
				__nanosleep(20);
		(void)__any_sync(0xffffffffu, 1);
		out[lane] = words[lane];
	}
}

/* ---- waiting ----------------------------------------------------------------------------- */

KERNEL(wait_for_next_block)
{
	const uint32_t b = blockIdx.x;

	if (b + 1 < gridDim.x)
		while (!gpu_ld_acquire(&out[b + 1]))
			__nanosleep(20);
	gpu_st_release(&out[b], 1);
}

/* Correct only if blocks start in the order of their numbers, which CUDA does not guarantee. */
KERNEL(wait_for_previous)
{
	const uint32_t b = blockIdx.x;

	if (b)
		while (!gpu_ld_acquire(&out[b - 1]))
			__nanosleep(20);
	gpu_st_release(&out[b], 1);
}

KERNEL(all_meet)
{
	gpu_grid_sync(words);
	if (threadIdx.x == 0)
		out[blockIdx.x] = 1;
}

/* A plain load: it is not ordered with the store, and nvcc may load only once. */
KERNEL(spin_on_plain_memory)
{
	uint32_t seen = 0;

	if (threadIdx.x == 0)
		while (!seen)
			asm volatile("ld.global.b32 %0, [%1];" : "=r"(seen) : "l"(out) : "memory");
	else
		*out = 1;
}

/* Each of two threads waits for the lock that the other one holds. */
KERNEL(locks_in_two_orders)
{
	const uint32_t first = threadIdx.x & 1;

	while (gpu_cas(&out[first], 0, 1))
		__nanosleep(20);
	__syncwarp();
	while (gpu_cas(&out[first ^ 1], 0, 1))
		__nanosleep(20);
	gpu_st_release(&out[0], 0);
	gpu_st_release(&out[1], 0);
}

/* ---- atomicity --------------------------------------------------------------------------- */

/* Push onto a list without compare and swap; one thread then counts the nodes. */
KERNEL(insert_without_cas)
{
	const uint32_t i = INDEX + 1, old = gpu_ld_relaxed(&words[0]);

	words[i] = old;
	gpu_st_relaxed(&words[0], i);
	if (gpu_add(&words[NODES + 1], 1) == NODES - 1)
		for (uint32_t at = gpu_ld_relaxed(&words[0]); at && out[0] <= NODES; at = words[at])
			out[0]++;
}

/* Test, then set: two threads may find the slot empty. */
KERNEL(look_then_take)
{
	if (gpu_ld_relaxed(&words[0]) == 0) {
		gpu_st_relaxed(&words[0], 1);
		atomicAdd(&out[0], 1u);
	}
}

const struct kernel_case grid_faults[] = {
	{ "read_past_end", "reported", read_past_end },
	{ "write_past_end", "reported", write_past_end, NULL, { BLOCKS + 1 } },
	{ "lost_update", "race", count_up, first<1, COUNT> },
	{ "lost_update_between_blocks", "race", count_up, first<1, MANY>, { MANY, 1 } },
	{ "publish_without_release", "race", publish_without_release, first<1, 42>, { 2, 32 } },
	{ "read_without_acquire", "race", read_without_acquire, first<1, 42>, { 2, 32 } },
	{ "release_for_others", "race", release_for_others, first<32, 42>, { 1, 64 } },
	{ "acquire_for_others", "race", acquire_for_others, first<32, 42>, { 1, 64 } },
	{ "acquire_for_other_block", "race", acquire_for_others, first<32, 42>, { 2, 64 } },
	{ "last_block_without_release", "race", last_block_without_release, sum_of_four, { 4 } },
	{ "wait_for_next_block", "reported", wait_for_next_block, first<MANY, 1>, { MANY, 1 } },
	{ "assumes_block_order", "reverse", wait_for_previous, first<MANY, 1>, { MANY, 1 } },
	{ "grid_sync_not_cooperative", "reported", all_meet, first<TOO_MANY, 1>, { TOO_MANY, 32 } },
	{ "spin_on_plain_memory", "race", spin_on_plain_memory, first<1, 1>, { 1, 2 } },
	{ "locks_in_two_orders", "reported", locks_in_two_orders, first<1, 0>, { 1, 2 } },
	{ "insert_without_cas", "seeds", insert_without_cas, first<1, NODES>, { NODES / BLOCK } },
	{ "look_then_take", "seeds", look_then_take, first<1, 1> },
	{ NULL, NULL },
};
