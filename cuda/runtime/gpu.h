/* gpu.h -- what kernels need besides CUDA: memory orders, and a few operations that CUDA has no
 * function for.  For everything else kernels use CUDA's own words: __shared__, #pragma unroll,
 * __pipeline_memcpy_async(), __cluster_map_shared_rank(), cudaGridDependencySynchronize().
 *
 * Memory orders, at device scope, of 4- and 8-byte integers in global or shared memory.  They are
 * those of cuda::atomic_ref<T, cuda::thread_scope_device>, without its seconds of compile time:
 *	gpu_ld_relaxed(p), gpu_ld_acquire(p)      .load(memory_order_relaxed), _acquire
 *	gpu_st_relaxed(p, v), gpu_st_release(p, v)      .store(v, memory_order_relaxed), _release
 *	gpu_cas(p, expected, v)                   .compare_exchange_strong(expected, v), acq_rel
 *	gpu_cas_acquire(), gpu_cas_release()      the same with only one of the two
 *	gpu_add(p, v)                             .fetch_add(v, memory_order_acq_rel)
 *	gpu_ld_acquire_shared(p), gpu_cas_shared(p, expected, v)     thread_scope_block, __shared__
 *	gpu_fence()           cuda::atomic_thread_fence(memory_order_acq_rel, thread_scope_device)
 *	gpu_ld_stale(p)       plain load: it may miss what other threads write meanwhile
 * gpu_cas() and gpu_add() return the old value.  A block passes data to another by plain stores
 * followed by gpu_st_release() or gpu_cas() on a flag; the reader calls gpu_ld_acquire() on that
 * flag first.  A reader that polls calls gpu_ld_relaxed(), then gpu_fence(), because each acquire
 * clears the L1, which other blocks use too.
 *
 * Built for sm_75 to sm_121 with CUDA 12 and 13.
 */
#ifndef GPUBENCH_CUDA_RUNTIME_GPU_H
#define GPUBENCH_CUDA_RUNTIME_GPU_H

#include <stddef.h>
#include <stdint.h>

#include <type_traits>

#include <cuda_runtime.h>

/* Architectures before sm_90 have neither clusters nor overlapping launches.  In code for them,
 * CUDA's functions for clusters trap when reached, and those for overlap do nothing. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900

static __device__ __forceinline__ unsigned gpu_no_cluster(void)
{
	__trap();
	return 0;
}

static __device__ __forceinline__ void *gpu_no_cluster_map(void *shared, unsigned)
{
	__trap();
	return shared;
}

static __device__ __forceinline__ void gpu_no_overlap(void)
{
}

#define __clusterRelativeBlockRank              gpu_no_cluster
#define __clusterSizeInBlocks                   gpu_no_cluster
#define __cluster_barrier_arrive                gpu_no_cluster
#define __cluster_barrier_wait                  gpu_no_cluster
#define __cluster_map_shared_rank               gpu_no_cluster_map
#define cudaTriggerProgrammaticLaunchCompletion gpu_no_overlap
#define cudaGridDependencySynchronize           gpu_no_overlap

#endif

/* ---- memory ordering -------------------------------------------------------------------- */

template <class T>
concept gpu_atomic_type = sizeof(T) == 4 || sizeof(T) == 8;
/* Inline PTX, because __nv_atomic_*() needs CUDA 12.8. */
#define GPU_LOAD(name, order)                                                                     \
	template <gpu_atomic_type T> static __device__ __forceinline__ T name(const T *p)         \
	{                                                                                         \
		if (sizeof(T) == 4) {                                                             \
			unsigned v;                                                               \
			asm volatile("ld." order ".b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); \
			return (T)v;                                                              \
		}                                                                                 \
		unsigned long long v;                                                             \
		asm volatile("ld." order ".b64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");         \
		return (T)v;                                                                      \
	}

#define GPU_STORE(name, order)                                                                   \
	template <gpu_atomic_type T>                                                             \
	static __device__ __forceinline__ void name(T *p, std::type_identity_t<T> v)             \
	{                                                                                        \
		if (sizeof(T) == 4)                                                              \
			asm volatile("st." order ".gpu.b32 [%0], %1;" ::"l"(p), "r"((unsigned)v) \
				     : "memory");                                                \
		else                                                                             \
			asm volatile("st." order ".gpu.b64 [%0], %1;" ::"l"(p),                  \
				     "l"((unsigned long long)v)                                  \
				     : "memory");                                                \
	}

GPU_LOAD(gpu_ld_acquire, "acquire.gpu")
GPU_LOAD(gpu_ld_relaxed, "relaxed.gpu")
GPU_STORE(gpu_st_release, "release")
GPU_STORE(gpu_st_relaxed, "relaxed")
#undef GPU_LOAD
#undef GPU_STORE

#define GPU_CAS(name, order)                                                             \
	template <gpu_atomic_type T>                                                     \
	static __device__ __forceinline__ T name(T *p, std::type_identity_t<T> expected, \
						 std::type_identity_t<T> v)              \
	{                                                                                \
		if (sizeof(T) == 4) {                                                    \
			unsigned old;                                                    \
			asm volatile("atom." order ".cas.b32 %0, [%1], %2, %3;"          \
				     : "=r"(old)                                         \
				     : "l"(p), "r"((unsigned)expected), "r"((unsigned)v) \
				     : "memory");                                        \
			return (T)old;                                                   \
		}                                                                        \
		unsigned long long old;                                                  \
		asm volatile("atom." order ".cas.b64 %0, [%1], %2, %3;"                  \
			     : "=l"(old)                                                 \
			     : "l"(p), "l"((unsigned long long)expected),                \
			       "l"((unsigned long long)v)                                \
			     : "memory");                                                \
		return (T)old;                                                           \
	}

GPU_CAS(gpu_cas, "acq_rel.gpu")
GPU_CAS(gpu_cas_acquire, "acquire.gpu")
GPU_CAS(gpu_cas_release, "release.gpu")
#undef GPU_CAS

template <gpu_atomic_type T>
static __device__ __forceinline__ T gpu_add(T *p, std::type_identity_t<T> v)
{
	if (sizeof(T) == 4) {
		unsigned old;
		asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], %2;"
			     : "=r"(old)
			     : "l"(p), "r"((unsigned)v)
			     : "memory");
		return (T)old;
	}
	unsigned long long old;
	asm volatile("atom.acq_rel.gpu.add.u64 %0, [%1], %2;"
		     : "=l"(old)
		     : "l"(p), "l"((unsigned long long)v)
		     : "memory");
	return (T)old;
}

static __device__ __forceinline__ void gpu_fence(void)
{
	asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

/* A plain load, which the L1 may serve: for uses where a stale value only costs repeated work.  The
 * PTX executor knows this name, and does not report such a load as a race. */
template <class T> static __device__ __forceinline__ T gpu_ld_stale(const T *p)
{
	return *p;
}

/* Words of shared memory, ordered among the threads of a block.  Inline PTX, because nvcc compiles
 * __nv_atomic_*() for generic addresses and resolves each one's memory space at run time. */
template <class T> static __device__ __forceinline__ T gpu_ld_acquire_shared(const T *p)
{
	static_assert(sizeof(T) == 4, "4 bytes");
	unsigned v;

	asm volatile("ld.acquire.cta.shared.b32 %0, [%1];"
		     : "=r"(v)
		     : "r"((unsigned)__cvta_generic_to_shared(p))
		     : "memory");
	return (T)v;
}

template <class T>
static __device__ __forceinline__ T gpu_cas_shared(T *p, std::type_identity_t<T> expected,
						   std::type_identity_t<T> v)
{
	static_assert(sizeof(T) == 4, "4 bytes");
	unsigned old;

	asm volatile("atom.acq_rel.cta.shared.cas.b32 %0, [%1], %2, %3;"
		     : "=r"(old)
		     : "r"((unsigned)__cvta_generic_to_shared(p)), "r"((unsigned)expected),
		       "r"((unsigned)v)
		     : "memory");
	return (T)old;
}

/* ---- warps -------------------------------------------------------------------------------- */

/* Mask of the lanes whose lowest BITS bits of value equal this lane's; all lanes call together.  It
 * takes a vote per bit, inverted where this lane's bit is 0, and a three-way AND per two votes,
 * which is shorter than nvcc's code for the same in C.  The bits go in groups of four: with more,
 * ptxas would move them all into its seven predicates, and fail where another one is in use. */
template <int BITS> static __device__ __forceinline__ unsigned gpu_match(unsigned value)
{
	unsigned vote[BITS], lanes;

#pragma unroll
	for (int b = 0; b < BITS; b++)
		asm volatile("{\n\t.reg .pred mine;\n\t"
			     "and.b32 %0, %1, %2;\n\t"
			     "setp.ne.u32 mine, %0, 0;\n\t"
			     "vote.sync.ballot.b32 %0, mine, 0xffffffff;\n\t"
			     "@!mine not.b32 %0, %0;\n\t}"
			     : "=r"(vote[b])
			     : "r"(value >> b / 4 * 4), "r"(1u << b % 4));
	lanes = vote[0];
#pragma unroll
	for (int b = 1; b < BITS; b += 2)
		asm("lop3.b32 %0, %0, %1, %2, 0x80;"
		    : "+r"(lanes)
		    : "r"(vote[b]), "r"(vote[b + 1 < BITS ? b + 1 : b]));
	return lanes;
}

/* `if (mine) old = atomicAdd(p, v)` with p in shared memory, without the branch that nvcc
 * generates.  Returns the old value if `mine`, else garbage, namely the address: a register that is
 * not written would have to keep its value from one loop iteration to the next. */
static __device__ __forceinline__ unsigned gpu_add_shared_if(bool mine, unsigned *p, unsigned v)
{
	unsigned old = (unsigned)__cvta_generic_to_shared(p);

	asm volatile("{\n\t.reg .pred mine;\n\t"
		     "setp.ne.u32 mine, %1, 0;\n\t"
		     "@mine atom.shared.add.u32 %0, [%0], %2;\n\t}"
		     : "+r"(old)
		     : "r"((unsigned)mine), "r"(v)
		     : "memory");
	return old;
}

/* Wait for all blocks of a cooperative launch, and see their earlier writes.  word: a counter in
 * device memory, zeroed once and reusable by launches of any size.  Block 0 tops the arrivals up to
 * 2^31, so that the highest bit flips when all blocks have arrived. */
static __device__ __forceinline__ void gpu_grid_sync(unsigned *word)
{
	__syncthreads();
	if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
		const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
		const bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
		const unsigned old = gpu_add(word, first ? 0x80000000u - (blocks - 1) : 1u);

		while (!((old ^ gpu_ld_relaxed(word)) & 0x80000000u))
			__nanosleep(20);
		gpu_fence();
	}
	__syncthreads();
}

#endif
