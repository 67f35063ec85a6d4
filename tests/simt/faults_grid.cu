/* faults_grid.cu -- seeded faults in global memory and between blocks. */
#include "tests/simt/faults.h"

enum { BLOCK = FAULT_BLOCK, BLOCKS = FAULT_BLOCKS, COUNT = FAULT_COUNT, MANY = 64 };

#define INDEX (blockIdx.x * BLOCK + threadIdx.x)

/* For faults whose result is one word. */
static void expect_word(const uint32_t *device, uint32_t expected)
{
	uint32_t found = ~expected;

	(void)cudaMemcpy(&found, device, sizeof found, cudaMemcpyDeviceToHost);
	fault_verdict(found == expected);
}

/* ---- global memory ----------------------------------------------------------------------- */

static __global__ void read_past_end(const uint32_t *in, uint32_t *out, uint32_t n)
{
	const uint32_t i = INDEX;

	if (i < n)
		out[i] = in[i] + (in[i + 1] == 0x12345678u);
}

static void run_read_past_end(void)
{
	GPU_LAUNCH(read_past_end, BLOCKS, BLOCK, 0, 0, fault_in, fault_out, (uint32_t)COUNT);
	fault_end();
}

static __global__ void write_past_end(const uint32_t *in, uint32_t *out, uint32_t n)
{
	const uint32_t i = INDEX;

	if (i <= n)
		out[i] = i < n ? in[i] : 0;
}

static void run_write_past_end(void)
{
	GPU_LAUNCH(write_past_end, BLOCKS + 1, BLOCK, 0, 0, fault_in, fault_out, (uint32_t)COUNT);
	fault_end();
}

static __global__ void add_first(const uint32_t *in, const uint32_t *extra, uint32_t *out)
{
	out[INDEX] = in[INDEX] + (extra[INDEX] & 1);
}

static void run_uninitialised_global(void)
{
	uint32_t *extra = NULL;

	(void)cudaMalloc(&extra, sizeof fault_host);
	GPU_LAUNCH(add_first, BLOCKS, BLOCK, 0, 0, fault_in, extra, fault_out);
	(void)cudaDeviceSynchronize();
	(void)cudaFree(extra);
	fault_end();
}

static __global__ void count_up(uint32_t *counter)
{
	counter[0] = counter[0] + 1;
}

static void run_lost_update(void)
{
	GPU_LAUNCH(count_up, BLOCKS, BLOCK, 0, 0, fault_words);
	expect_word(fault_words, COUNT);
}

static void run_lost_update_between_blocks(void)
{
	GPU_LAUNCH(count_up, MANY, 1, 0, 0, fault_words);
	expect_word(fault_words, MANY);
}

/* ---- publication ------------------------------------------------------------------------- */

static __global__ void publish_without_release(uint32_t *data, uint32_t *flag, uint32_t *out)
{
	if (threadIdx.x != 0)
		return;
	if (blockIdx.x == 0) {
		data[0] = 42;
		gpu_st_relaxed(flag, 1);
	} else {
		while (!gpu_ld_acquire(flag))
			__nanosleep(20);
		out[0] = data[0];
	}
}

static void run_publish_without_release(void)
{
	GPU_LAUNCH(publish_without_release, 2, 32, 0, 0, fault_words, fault_words + 64,
		   fault_words + 128);
	expect_word(fault_words + 128, 42);
}

static __global__ void read_without_acquire(uint32_t *data, uint32_t *flag, uint32_t *out)
{
	if (threadIdx.x != 0)
		return;
	if (blockIdx.x == 0) {
		data[0] = 42;
		gpu_st_release(flag, 1);
	} else {
		while (!gpu_ld_relaxed(flag))
			__nanosleep(20);
		out[0] = data[0];
	}
}

static void run_read_without_acquire(void)
{
	GPU_LAUNCH(read_without_acquire, 2, 32, 0, 0, fault_words, fault_words + 64,
		   fault_words + 128);
	expect_word(fault_words + 128, 42);
}

/* The counter is relaxed: the last block may see old parts. */
static __global__ void last_block_without_release(const uint32_t *in, uint32_t *part,
						  uint32_t *done, uint32_t *out)
{
	SHARED_VAR(bool, last);

	if (threadIdx.x == 0) {
		part[blockIdx.x] = in[blockIdx.x];
		last = atomicAdd(done, 1u) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0)
		*out = part[0] + part[1] + part[2] + part[3];
}

static void run_last_block_without_release(void)
{
	GPU_LAUNCH(last_block_without_release, BLOCKS, BLOCK, 0, 0, fault_in, fault_words,
		   fault_words + 64, fault_words + 128);
	expect_word(fault_words + 128,
		    fault_host[0] + fault_host[1] + fault_host[2] + fault_host[3]);
}

/* Lane 0 speaks for its warp.  What orders its lanes is missing: a vote brings them together, and
 * orders no memory. */
static __global__ void release_for_others(uint32_t *data, uint32_t *flag, uint32_t *out)
{
	const uint32_t lane = threadIdx.x % 32;

	if (threadIdx.x < 32) {
		data[lane] = 42;
		(void)__any_sync(0xffffffffu, 1);
		if (lane == 0)
			gpu_st_release(flag, 1);
	} else {
		while (!gpu_ld_acquire(flag))
			__nanosleep(20);
		out[lane] = data[lane];
	}
}

static void run_release_for_others(void)
{
	GPU_LAUNCH(release_for_others, 1, 64, 0, 0, fault_words, fault_words + 64,
		   fault_words + 128);
	expect_word(fault_words + 128, 42);
}

static __global__ void acquire_for_others(uint32_t *data, uint32_t *flag, uint32_t *out)
{
	const uint32_t lane = threadIdx.x % 32;

	if (threadIdx.x < 32 && blockIdx.x == 0) {
		data[lane] = 42;
		__syncwarp();
		if (lane == 0)
			gpu_st_release(flag, 1);
	} else if (threadIdx.x >= 32 && blockIdx.x == gridDim.x - 1) {
		if (lane == 0)
			while (!gpu_ld_acquire(flag))
				__nanosleep(20);
		(void)__any_sync(0xffffffffu, 1);
		out[lane] = data[lane];
	}
}

static void run_acquire_for_others(void)
{
	GPU_LAUNCH(acquire_for_others, 1, 64, 0, 0, fault_words, fault_words + 64,
		   fault_words + 128);
	expect_word(fault_words + 128, 42);
}

static void run_acquire_for_other_block(void)
{
	GPU_LAUNCH(acquire_for_others, 2, 64, 0, 0, fault_words, fault_words + 64,
		   fault_words + 128);
	expect_word(fault_words + 128, 42);
}

/* ---- waiting ----------------------------------------------------------------------------- */

static __global__ void wait_for_next_block(uint32_t *flag)
{
	const uint32_t b = blockIdx.x;

	if (b + 1 < gridDim.x)
		while (!gpu_ld_acquire(&flag[b + 1]))
			__nanosleep(20);
	gpu_st_release(&flag[b], 1);
}

static void run_wait_for_next_block(void)
{
	GPU_LAUNCH(wait_for_next_block, MANY, 1, 0, 0, fault_words);
	expect_word(fault_words, 1);
}

/* Right only if blocks start in the order of their numbers, which nobody promises. */
static __global__ void wait_for_previous_block(uint32_t *flag)
{
	const uint32_t b = blockIdx.x;

	if (b)
		while (!gpu_ld_acquire(&flag[b - 1]))
			__nanosleep(20);
	gpu_st_release(&flag[b], 1);
}

static void run_assumes_block_order(void)
{
	GPU_LAUNCH(wait_for_previous_block, MANY, 1, 0, 0, fault_words);
	expect_word(fault_words + MANY - 1, 1);
}

static __global__ void all_meet(uint32_t *word, uint32_t *out)
{
	gpu_grid_sync(word);
	if (threadIdx.x == 0)
		out[blockIdx.x] = 1;
}

static void run_grid_sync_not_cooperative(void)
{
	GPU_LAUNCH(all_meet, 512, 32, 0, 0, fault_words, fault_words + 1);
	expect_word(fault_words + 1, 1);
}

/* Plain reads: the thread never lets others run, and a compiler may read once only. */
static __global__ void spin_on_plain_memory(volatile uint32_t *flag)
{
	if (threadIdx.x == 0)
		while (!*flag)
			;
	else
		*flag = 1;
}

static void run_spin_on_plain_memory(void)
{
	GPU_LAUNCH(spin_on_plain_memory, 1, 2, 0, 0, fault_words);
	expect_word(fault_words, 1);
}

/* Two threads, each waits for the lock that the other one holds. */
static __global__ void locks_in_two_orders(uint32_t *lock)
{
	const uint32_t first = threadIdx.x & 1;

	while (gpu_cas(&lock[first], 0, 1))
		__nanosleep(20);
	__syncwarp();
	while (gpu_cas(&lock[first ^ 1], 0, 1))
		__nanosleep(20);
	gpu_st_release(&lock[0], 0);
	gpu_st_release(&lock[1], 0);
}

static void run_locks_in_two_orders(void)
{
	GPU_LAUNCH(locks_in_two_orders, 1, 2, 0, 0, fault_words);
	expect_word(fault_words, 0);
}

/* ---- atomicity --------------------------------------------------------------------------- */

static __global__ void insert_without_cas(uint32_t *head, uint32_t *next)
{
	const uint32_t i = INDEX, old = gpu_ld_relaxed(head);

	next[i] = old;
	gpu_st_relaxed(head, i + 1);
}

static void run_insert_without_cas(void)
{
	enum { NODES = COUNT / 2 };
	static uint32_t list[COUNT];
	uint32_t length = 0;

	GPU_LAUNCH(insert_without_cas, BLOCKS / 2, BLOCK, 0, 0, fault_words, fault_words + 8);
	(void)cudaMemcpy(list, fault_words, sizeof list, cudaMemcpyDeviceToHost);
	for (uint32_t at = list[0]; at && length <= NODES; at = list[8 + at - 1])
		length++;
	fault_verdict(length == NODES);
}

/* Looks, then takes: two may find the place empty. */
static __global__ void look_then_take(uint32_t *place, uint32_t *taken)
{
	if (gpu_ld_relaxed(place) == 0) {
		gpu_st_relaxed(place, 1);
		atomicAdd(taken, 1u);
	}
}

static void run_look_then_take(void)
{
	GPU_LAUNCH(look_then_take, BLOCKS, BLOCK, 0, 0, fault_words, fault_words + 1);
	expect_word(fault_words + 1, 1);
}

const struct fault grid_faults[] = {
	{ "read_past_end", "asan|check", run_read_past_end },
	{ "write_past_end", "asan|check", run_write_past_end },
	{ "uninitialised_global", "wrong|check", run_uninitialised_global },
	{ "lost_update", "check", run_lost_update },
	{ "lost_update_between_blocks", "check", run_lost_update_between_blocks },
	{ "publish_without_release", "check", run_publish_without_release },
	{ "read_without_acquire", "check", run_read_without_acquire },
	{ "release_for_others", "check", run_release_for_others },
	{ "acquire_for_others", "check", run_acquire_for_others },
	{ "acquire_for_other_block", "check", run_acquire_for_other_block },
	{ "last_block_without_release", "check", run_last_block_without_release },
	{ "wait_for_next_block", "reported", run_wait_for_next_block },
	{ "assumes_block_order", "reverse|seeds", run_assumes_block_order },
	{ "grid_sync_not_cooperative", "reported", run_grid_sync_not_cooperative },
	{ "spin_on_plain_memory", "reported", run_spin_on_plain_memory },
	{ "locks_in_two_orders", "reported", run_locks_in_two_orders },
	{ "insert_without_cas", "seeds", run_insert_without_cas },
	{ "look_then_take", "seeds", run_look_then_take },
	{ NULL, NULL, NULL },
};
