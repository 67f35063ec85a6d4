/* words.cu -- each word of cuda/gpu.h that compiles to an instruction, in its own kernel, so that
 * words.py can read the generated code.  The kernel's parameters are the operands of the word; its
 * result goes to *result by a plain store. */
#include "cuda/gpu.h"

#define WORD(name, type, parameters, ...)                                                \
	extern "C" __global__ void name##_##type parameters; /* without it nvcc warns */ \
	extern "C" __global__ void name##_##type parameters                              \
	{                                                                                \
		__VA_ARGS__;                                                             \
	}

typedef uint32_t u32;
typedef uint64_t u64;

#define MEMORY_WORDS(T)                                                                           \
	WORD(gpu_ld_acquire, T, (const T *p, T *result), *result = gpu_ld_acquire(p))             \
	WORD(gpu_ld_relaxed, T, (const T *p, T *result), *result = gpu_ld_relaxed(p))             \
	WORD(gpu_ld_stale, T, (const T *p, T *result), *result = gpu_ld_stale(p))                 \
	WORD(gpu_st_release, T, (T * p, T v), gpu_st_release(p, v))                               \
	WORD(gpu_st_relaxed, T, (T * p, T v), gpu_st_relaxed(p, v))                               \
	WORD(gpu_cas, T, (T * p, T expected, T v, T * result), *result = gpu_cas(p, expected, v)) \
	WORD(gpu_cas_acquire, T, (T * p, T expected, T v, T * result),                            \
	     *result = gpu_cas_acquire(p, expected, v))                                           \
	WORD(gpu_cas_release, T, (T * p, T expected, T v, T * result),                            \
	     *result = gpu_cas_release(p, expected, v))                                           \
	WORD(gpu_add, T, (T * p, T v, T * result), *result = gpu_add(p, v))

MEMORY_WORDS(u32)
MEMORY_WORDS(u64)

WORD(gpu_copy_16, u32, (u32 * to, const u32 *from), gpu_copy_16(to, from))
WORD(gpu_end_copies, u32, (), gpu_end_copies())
WORD(gpu_wait_for_copies, u32, (), gpu_wait_for_copies<1>())
WORD(gpu_ld_acquire_shared, u32, (const u32 *p, u32 *result), *result = gpu_ld_acquire_shared(p))
WORD(gpu_cas_shared, u32, (u32 * p, u32 expected, u32 v, u32 *result),
     *result = gpu_cas_shared(p, expected, v))
WORD(gpu_grid_sync, u32, (u32 * word), gpu_grid_sync(word))
WORD(gpu_cluster_rank, u32, (u32 * result), *result = gpu_cluster_rank())
WORD(gpu_cluster_size, u32, (u32 * result), *result = gpu_cluster_size())
WORD(gpu_cluster_sync, u32, (), gpu_cluster_sync())
WORD(gpu_let_next_launch, u32, (), gpu_let_next_launch())
WORD(gpu_wait_for_last_launch, u32, (), gpu_wait_for_last_launch())
WORD(gpu_add_shared_if, u32, (u32 mine, u32 *p, u32 v, u32 *result),
     *result = gpu_add_shared_if(mine != 0, p, v))
WORD(gpu_mma_and_popc, u32, (const u32 *a, const u32 *b, int *sum), gpu_mma_and_popc(sum, a, b))
WORD(gpu_cluster_map, u64, (u32 * p, u32 rank, u32 **result), *result = gpu_cluster_map(p, rank))
WORD(gpu_global_timer_ns, u64, (unsigned long long *result), *result = gpu_global_timer_ns())

/* Textbook CUDA that our kernels use for publication. */
WORD(threadfence, u32, (), __threadfence())
WORD(threadfence_block, u32, (), __threadfence_block())
WORD(volatile_load, u32, (const volatile u32 *p, u32 *result), *result = *p)
WORD(atomicAdd, u32, (u32 * p, u32 v, u32 *result), *result = atomicAdd(p, v))
WORD(atomicCAS, u32, (u32 * p, u32 expected, u32 v, u32 *result),
     *result = atomicCAS(p, expected, v))
WORD(atomicExch, u32, (u32 * p, u32 v, u32 *result), *result = atomicExch(p, v))
WORD(syncthreads, u32, (), __syncthreads())
WORD(syncwarp, u32, (), __syncwarp())
