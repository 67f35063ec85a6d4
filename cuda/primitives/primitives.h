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
#include "cuda/primitives/keys.h"
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

/* Sort count keys and their values, if they have some, by bits begin_bit .. end_bit - 1 of the
 * unsigned number that to_order() (keys.h) maps a key to.  Elements with equal bits keep their
 * order.  The arrays *_in are not written.  `out` and `spare` are for the keys, followed by the
 * values at values_offset(); with values, both are aligned to 16 bytes.  The result is in `out`.
 * staged: what gpu_sort_can_stage() said; false is always right.  counted: gpu_sort_count()
 * (sort_count.h) has counted the keys, which are unsigned and of 4 or 8 bytes. */
struct gpu_sort_args {
	size_t count, key_size, value_size; /* sizes of keys: 1, 2, 4, 8; of values: 0, 4, 8 */
	gpu_order order;                    /* floats have 4 or 8 bytes */
	int begin_bit, end_bit;
	const void *keys_in, *values_in;
	void *out, *spare, *temp;
	bool staged, counted;
};

/* Bytes of `out`, and of `spare`. */
static inline size_t gpu_sort_bytes(size_t count, size_t key_size, size_t value_size)
{
	return (value_size ? values_offset(count, key_size) : count * key_size) +
	       count * value_size;
}

/* The runs of a sort of words (sort_words.h): the number of long ones, 1 if one is out of order, 1
 * if one is too long for a block, and the word of gpu_grid_sync(). */
struct gpu_runs {
	uint32_t count, disorder, longer, arrived;
};

/* Bytes of temp.  Like gpu_sort_can_stage(), it uses sizes and bits only. */
size_t gpu_sort_temp_bytes(const gpu_sort_args *sort);
/* True if the device copies tiles to shared memory ahead of their sort, and the sort gains by it.
 * It configures kernels: call it when arrays are allocated. */
bool gpu_sort_can_stage(const gpu_sort_args *sort);
/* timer (may be NULL) gets the phases "histogram" and "pass". */
gb_status gpu_sort(const gpu_sort_args *sort, gb_timer *timer, gb_error *err);

#endif
