/* primitives.h -- prefix sums and stable sorts on the device, for any benchmark.
 *
 * All work is queued in gpu_stream(); no function waits or allocates.  The caller provides
 * temporary storage: at least the bytes that the *_temp_bytes() function returns, aligned to 256
 * bytes as gpu_alloc() does.  It may be reused when the work is done.  Arrays are in device memory
 * and aligned to their elements; alignment to 16 bytes is faster.
 */
#ifndef GPUBENCH_CUDA_PRIMITIVES_PRIMITIVES_H
#define GPUBENCH_CUDA_PRIMITIVES_PRIMITIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"
#include "common/timer.h"
#include "cuda/primitives/lookback.h"
#include "cuda/runtime/device.h"

/* ---- exclusive prefix sum ---------------------------------------------------------------- */

size_t gpu_scan_temp_bytes(size_t count);

/* out[i] = sum of in[0 .. i); *total (may be NULL) = sum of all.  out may be in.  With 32-bit sums,
 * the sum of all must be below 2^32. */
gb_status gpu_scan(const uint32_t *in, uint32_t *out, size_t count, uint64_t *total, void *temp,
		   gb_error *err);
gb_status gpu_scan(const uint32_t *in, uint64_t *out, size_t count, uint64_t *total, void *temp,
		   gb_error *err);

/* ---- prefix sums within another kernel: chain_block() of lookback.h ------------------------ */

/* Threads of a block, and items per thread.  There are FEW if each multiprocessor then has at most
 * one block. */
enum { GPU_CHAIN_BLOCK = 256, GPU_CHAIN_FEW = 4, GPU_CHAIN_MANY = 16 };

static inline int gpu_chain_items(size_t count)
{
	return gpu_blocks(count, GPU_CHAIN_BLOCK * GPU_CHAIN_FEW) <= (size_t)gpu_sm_count()
		       ? GPU_CHAIN_FEW
		       : GPU_CHAIN_MANY;
}

static inline size_t gpu_chain_blocks(size_t count)
{
	return gpu_blocks(count, (size_t)(GPU_CHAIN_BLOCK * gpu_chain_items(count)));
}

/* Zeroed words that these blocks need: the counter of next_tile(), then a word each; rounded up to
 * 16 bytes. */
static inline size_t gpu_chain_words(size_t count)
{
	return 2 + gpu_chain_blocks(count) / 2 * 2;
}

/* ---- stable sort ------------------------------------------------------------------------- */

enum gpu_key { GPU_KEY_U32, GPU_KEY_U64, GPU_KEY_F32 /* order: common/radix_types.h; keys only */ };

/* Sort count keys, and their values unless values_in is NULL, by bits begin_bit .. end_bit - 1 of
 * the key.  Elements with equal bits keep their order.  The sorted arrays are in *_out; *_in is not
 * written.  in, out and spare are different arrays of count elements.  timer (may be NULL) gets the
 * phases "histogram" and "pass".  staged: what gpu_sort_can_stage() said; false is always right.
 * counted: gpu_sort_count() (sort_count.h) has counted the keys. */
struct gpu_sort_args {
	gpu_key key;
	size_t count;
	int begin_bit, end_bit;
	const void *keys_in;
	void *keys_out, *keys_spare;
	const uint32_t *values_in;
	uint32_t *values_out, *values_spare;
	void *temp;
	gb_timer *timer;
	bool staged, counted;
};

/* The runs of a sort of words (sort_words.h): the number of long ones, 1 if one is out of order, 1
 * if one is too long for a block, and the word of gpu_grid_sync(). */
struct gpu_runs {
	uint32_t count, disorder, longer, arrived;
};

/* Bytes of temp, for a sort with or without values. */
size_t gpu_sort_temp_bytes(gpu_key key, bool values, size_t count, int begin_bit, int end_bit);
/* True if the device copies tiles to shared memory ahead of their sort, and a sort of so many keys
 * without values gains by it.  It configures kernels: call it when arrays are allocated. */
bool gpu_sort_can_stage(gpu_key key, size_t count);
gb_status gpu_sort(const gpu_sort_args *sort, gb_error *err);

#endif
