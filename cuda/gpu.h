/* gpu.h -- the one header that kernels include: CUDA on a GPU, or the SIMT emulator on a CPU.
 *
 * Kernels are written once, in the C-like part of CUDA C++, and compiled twice: by nvcc for the
 * GPU, and by g++ (-x c++ -DGPUBENCH_SIMT=1) against tests/simt/, which runs every CUDA thread as
 * a fiber and checks what it does.  What nvcc's language has and C++ has not, or what has to be
 * exact for both, goes through the words below; everything else is textbook CUDA.
 *
 *	SHARED_ARRAY(T, name, n), SHARED_VAR(T, name)   __shared__ T name[n]; __shared__ T name;
 *	DYN_SHARED(T, name)                             extern __shared__ T name[];
 *	GPU_LAUNCH(kernel, grid, block, shmem, stream, args...)     kernel<<<...>>>(args...)
 *	GPU_LAUNCH_CLUSTER(kernel, grid, block, cluster, shmem, stream, args...)
 *	GPU_LAUNCH_COOPERATIVE(kernel, grid, block, shmem, stream, args...)
 *	GPU_LAUNCH_OVERLAPPED(kernel, grid, block, shmem, stream, args...)
 *	gpu_cluster_fits(kernel, blocks, threads, shmem)   can such a cluster be on the device?
 *	GPU_UNROLL            before a loop: unroll it whole, so that arrays stay in registers
 *	gpu_ld_acquire(p), gpu_ld_relaxed(p), gpu_st_release(p, v), gpu_st_relaxed(p, v)
 *	gpu_ld_stale(p)       as cheap as a load is: what others write meanwhile may not be seen
 *	gpu_cas(p, expected, v), gpu_add(p, v)          acquire and release; return the old value
 *	gpu_cas_acquire(p, expected, v), gpu_cas_release(p, expected, v)            one of the two
 *	gpu_prefetch(p)                                 global memory to the L2: read a while later
 *	gpu_copy_16(to, from), gpu_end_copies(), gpu_wait_for_copies<N>()
 *	                      16 bytes of global to shared memory; the thread does not wait for them
 *	gpu_ld_acquire_shared(p), gpu_cas_shared(p, expected, v)        4 bytes of shared memory
 *	gpu_match<BITS>(value)                  the lanes whose lowest BITS bits are as mine are
 *	gpu_add_shared_if(mine, p, v)           atomicAdd() to shared memory, without a branch
 *	gpu_mma_and_popc(sum, a, b)             a product of bit matrices, by a warp: tensor cores
 *	gpu_grid_sync(word)                             all blocks of a cooperative launch
 *	gpu_cluster_rank(), gpu_cluster_size(), gpu_cluster_sync(), gpu_cluster_map(p, rank)
 *	gpu_let_next_launch(), gpu_wait_for_last_launch()               of launches that overlap
 *	gpu_global_timer_ns()
 *
 * A kernel whose name holds a comma stands in parentheses: GPU_LAUNCH((sort<T, 4>), ...).
 * A launch reports failure through cudaGetLastError(), on both sides.
 *
 * Data that one block writes for another go out by plain stores followed by gpu_st_release() or
 * gpu_cas() on a flag, and are read after gpu_ld_acquire() of that flag: then the emulator's race
 * checker understands the program, and it is right on the hardware.  `volatile` does the same on a GPU
 * but cannot be checked so well; the emulator knows neither __threadfence() nor inline PTX.
 *
 * The memory words work on 4- and 8-byte integers at device scope, in global and shared memory;
 * those that end in _shared order what threads of one block see, which costs next to nothing.
 * Built for sm_75 to sm_121 with CUDA 12 and 13.  Clusters need sm_90: below it the four words
 * compile, and trap when reached.
 */
#ifndef GPUBENCH_CUDA_GPU_H
#define GPUBENCH_CUDA_GPU_H

#include <stddef.h>
#include <stdint.h>

#include <type_traits>

#ifndef __CUDACC__

#include "simt.h"

#else

#include <cuda_runtime.h>

#define GPU_EMULATED 0

#define SHARED_ARRAY(T, name, n) __shared__ T name[n]
#define SHARED_VAR(T, name)      __shared__ T name
#define DYN_SHARED(T, name)                                                   \
	extern __shared__ __align__(16) unsigned char gpu_dyn_shared_bytes[]; \
	T *const name = reinterpret_cast<T *>(gpu_dyn_shared_bytes)

#define GPU_UNROLL _Pragma("unroll")

#define GPU_LAUNCH(kernel, grid, block, shmem, stream, ...) \
	(kernel)<<<(grid), (block), (shmem), (stream)>>>(__VA_ARGS__)

/* grid and block: unsigned or dim3; the grid is a multiple of the cluster, a number of blocks.  More than 8
 * blocks in a cluster need cudaFuncAttributeNonPortableClusterSizeAllowed set on the kernel. */
#define GPU_LAUNCH_CLUSTER(kernel, grid, block, cluster, shmem, stream, ...)                  \
	gpu_launch_special((kernel), (grid), (block), (shmem), (stream),                      \
			   gpu_launch_attribute(cudaLaunchAttributeClusterDimension, cluster) \
				   __VA_OPT__(, ) __VA_ARGS__)

/* All blocks of the grid must fit on the device at once, else the launch fails. */
#define GPU_LAUNCH_COOPERATIVE(kernel, grid, block, shmem, stream, ...)                        \
	gpu_launch_special((kernel), (grid), (block), (shmem), (stream),                       \
			   gpu_launch_attribute(cudaLaunchAttributeCooperative) __VA_OPT__(, ) \
				   __VA_ARGS__)

/* May start as soon as each block of the kernel launched before it in the stream has ended or has
 * called gpu_let_next_launch().  All its threads have to call gpu_wait_for_last_launch(), before they
 * touch global memory: only for kernels that gpu_can_overlap() (device.h). */
#define GPU_LAUNCH_OVERLAPPED(kernel, grid, block, shmem, stream, ...)                   \
	gpu_launch_special(                                                              \
		(kernel), (grid), (block), (shmem), (stream),                            \
		gpu_launch_attribute(cudaLaunchAttributeProgrammaticStreamSerialization) \
			__VA_OPT__(, ) __VA_ARGS__)

static inline cudaLaunchAttribute gpu_launch_attribute(cudaLaunchAttributeID id,
						       unsigned cluster = 1)
{
	cudaLaunchAttribute attribute = {};

	attribute.id = id;
	if (id == cudaLaunchAttributeCooperative)
		attribute.val.cooperative = 1;
	else if (id == cudaLaunchAttributeProgrammaticStreamSerialization)
		attribute.val.programmaticStreamSerializationAllowed = 1;
	else
		attribute.val.clusterDim = { cluster, 1, 1 };
	return attribute;
}

static inline cudaLaunchConfig_t gpu_launch_config(dim3 grid, dim3 block, size_t shmem,
						   cudaStream_t stream,
						   cudaLaunchAttribute *attribute)
{
	cudaLaunchConfig_t config = {};

	config.gridDim = grid;
	config.blockDim = block;
	config.dynamicSmemBytes = shmem;
	config.stream = stream;
	config.attrs = attribute;
	config.numAttrs = 1;
	return config;
}

/* The result is left for cudaGetLastError(), as that of a plain launch is. */
template <class... P, class... A>
static inline void gpu_launch_special(void (*kernel)(P...), dim3 grid, dim3 block, size_t shmem,
				      cudaStream_t stream, cudaLaunchAttribute attribute,
				      A &&...args)
{
	const cudaLaunchConfig_t config = gpu_launch_config(grid, block, shmem, stream, &attribute);

	(void)cudaLaunchKernelEx(&config, kernel, static_cast<P>(args)...);
}

/* Whether a cluster of so many blocks can be on the device at once. */
template <class K>
static inline bool gpu_cluster_fits(K *kernel, unsigned blocks, unsigned threads, size_t shmem)
{
	cudaLaunchAttribute attribute =
		gpu_launch_attribute(cudaLaunchAttributeClusterDimension, blocks);
	const cudaLaunchConfig_t config = gpu_launch_config(blocks, threads, shmem, 0, &attribute);
	int clusters = 0;

	return cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess &&
	       clusters > 0;
}

/* ---- memory: what is seen in which order ------------------------------------------------ */

/* By hand, for 4 and 8 bytes: __nv_atomic_*() came with CUDA 12.8 only. */
#define GPU_LOAD(name, order)                                                                     \
	template <class T> static __device__ __forceinline__ T name(const T *p)                   \
	{                                                                                         \
		static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");                  \
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
	template <class T>                                                                       \
	static __device__ __forceinline__ void name(T *p, std::type_identity_t<T> v)             \
	{                                                                                        \
		static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");                 \
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
	template <class T>                                                               \
	static __device__ __forceinline__ T name(T *p, std::type_identity_t<T> expected, \
						 std::type_identity_t<T> v)              \
	{                                                                                \
		static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");         \
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

template <class T> static __device__ __forceinline__ T gpu_add(T *p, std::type_identity_t<T> v)
{
	static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
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

/* A plain load, for where an old value only repeats work: the L1 may have it. */
template <class T> static __device__ __forceinline__ T gpu_ld_stale(const T *p)
{
	return *p;
}

static __device__ __forceinline__ void gpu_prefetch(const void *p)
{
	asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p)));
}

/* 16 bytes of global memory to shared memory, past the registers; both at multiples of 16.  The thread
 * goes on: until it has waited, what lies at `to` is nothing, and `from` may not change.  Below sm_80 a
 * load and a store. */
static __device__ __forceinline__ void gpu_copy_16(void *to, const void *from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
	*static_cast<uint4 *>(to) = *static_cast<const uint4 *>(from);
#else
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
			     (unsigned)__cvta_generic_to_shared(to)),
		     "l"(__cvta_generic_to_global(from))
		     : "memory");
#endif
}

/* The thread's copies since the last call are a group, be there none. */
static __device__ __forceinline__ void gpu_end_copies(void)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Until all groups of this thread but its last LATEST have come.  Other threads see them after the
 * next barrier, be it of the warp. */
template <int LATEST> static __device__ __forceinline__ void gpu_wait_for_copies(void)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
	asm volatile("cp.async.wait_group %0;" ::"n"(LATEST) : "memory");
#endif
}

/* Words of shared memory, ordered between the threads of a block.  By hand: for __nv_atomic_*() nvcc
 * takes generic addresses, and asks at run time where each one points. */
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

/* The lanes of this warp whose lowest BITS bits of value are as mine; all lanes call together.  A
 * vote on each bit, turned over where my bit is 0, two of them into one three-way and: nvcc makes
 * 23 instructions of 8 bits, and 34 of the same in C.  Four bits at a time: of more, ptxas would
 * move all into its seven predicates, and fail where another one is in use. */
template <int BITS> static __device__ __forceinline__ unsigned gpu_match(unsigned value)
{
	unsigned vote[BITS], lanes;

	GPU_UNROLL
	for (int b = 0; b < BITS; b++)
		asm volatile("{\n\t.reg .pred mine;\n\t"
			     "and.b32 %0, %1, %2;\n\t"
			     "setp.ne.u32 mine, %0, 0;\n\t"
			     "vote.sync.ballot.b32 %0, mine, 0xffffffff;\n\t"
			     "@!mine not.b32 %0, %0;\n\t}"
			     : "=r"(vote[b])
			     : "r"(value >> b / 4 * 4), "r"(1u << b % 4));
	lanes = vote[0];
	GPU_UNROLL
	for (int b = 1; b < BITS; b += 2)
		asm("lop3.b32 %0, %0, %1, %2, 0x80;"
		    : "+r"(lanes)
		    : "r"(vote[b]), "r"(vote[b + 1 < BITS ? b + 1 : b]));
	return lanes;
}

/* What `if (mine) old = atomicAdd(p, v)` does, p in shared memory, without the branch that nvcc
 * makes of it.  Returned: the old value where mine, anything elsewhere: the address, as a register that
 * nothing is written to would have to keep what it held, in a loop from one round to the next. */
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

/* ---- tensor cores ------------------------------------------------------------------------- */

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800

/* sm_75 has 8 x 8 x 128, and XOR alone: sum[] += |a ^ b|, of 2 of the 8 x 8 numbers. */
static __device__ __forceinline__ void gpu_mma_xor_popc(int sum[2], uint32_t a, uint32_t b)
{
	asm("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc "
	    "{%0, %1}, {%2}, {%3}, {%0, %1};"
	    : "+r"(sum[0]), "+r"(sum[1])
	    : "r"(a), "r"(b));
}

#endif

/* The product of a 16 x 256 and a 256 x 8 matrix of bits: how many ones each row of the first has in
 * common with each column of the second is added to sum.  All lanes call together; a lane's parts are,
 * with g = lane / 4, t = lane % 4,
 *	a[0], a[1]    row g, row g + 8: bits 32 t to 32 t + 31
 *	a[2], a[3]    the same rows, 128 bits on
 *	b[0], b[1]    column g: the same bits, and 128 on
 *	sum[0..1]     row g, columns 2 t and 2 t + 1;  sum[2..3]: of row g + 8.
 * One instruction from sm_80 on, which sm_100 and sm_120 have in name only: ptxas writes out bits as
 * bytes there.  On sm_75 ten of a quarter the size: twice what a and b have in common are |a| + |b| -
 * |a ^ b|, and |a| = |a ^ 0|; nvcc makes four of them but once for the same a. */
static __device__ __forceinline__ void gpu_mma_and_popc(int sum[4], const uint32_t a[4],
							const uint32_t b[2])
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
	int ones_b[2] = { 0, 0 };

	gpu_mma_xor_popc(ones_b, 0, b[0]);
	gpu_mma_xor_popc(ones_b, 0, b[1]);
	for (int half = 0; half < 2; half++) {
		int ones_a[2] = { 0, 0 }, differ[2] = { 0, 0 };

		gpu_mma_xor_popc(ones_a, a[half], 0);
		gpu_mma_xor_popc(ones_a, a[half + 2], 0);
		gpu_mma_xor_popc(differ, a[half], b[0]);
		gpu_mma_xor_popc(differ, a[half + 2], b[1]);
		sum[2 * half] += (ones_a[0] + ones_b[0] - differ[0]) / 2;
		sum[2 * half + 1] += (ones_a[1] + ones_b[1] - differ[1]) / 2;
	}
#else
	asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
	    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
	    : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/* ---- thread-block clusters ---------------------------------------------------------------- */

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define GPU_NO_CLUSTER 1
#else
#define GPU_NO_CLUSTER 0
#endif

/* The number of this block in its cluster, and how many there are. */
static __device__ __forceinline__ unsigned gpu_cluster_rank(void)
{
#if GPU_NO_CLUSTER
	__trap();
	return 0;
#else
	unsigned rank;

	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
#endif
}

static __device__ __forceinline__ unsigned gpu_cluster_size(void)
{
#if GPU_NO_CLUSTER
	__trap();
	return 1;
#else
	unsigned size;

	asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
	return size;
#endif
}

/* Wait for all threads of all blocks of the cluster; what they wrote before is seen after.
 * A block may only exit when no other one reads its shared memory any more: end with this. */
static __device__ __forceinline__ void gpu_cluster_sync(void)
{
#if GPU_NO_CLUSTER
	__trap();
#else
	asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::
			     : "memory");
#endif
}

/* The address of the same shared variable in block `rank` of the cluster. */
template <class T> static __device__ __forceinline__ T *gpu_cluster_map(T *shared, unsigned rank)
{
#if GPU_NO_CLUSTER
	__trap();
	return shared + rank;
#else
	unsigned long long address;

	asm("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(shared), "r"(rank));
	return reinterpret_cast<T *>(address);
#endif
}

/* ---- launches that overlap ----------------------------------------------------------------- */

/* Both need sm_90; below it they do nothing, and launches do not overlap. */
static __device__ __forceinline__ void gpu_let_next_launch(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Until the launch before this one has ended, and all that it waited for; what they wrote is seen. */
static __device__ __forceinline__ void gpu_wait_for_last_launch(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Nanoseconds of the device's clock; it advances in steps of up to a microsecond. */
static __device__ __forceinline__ unsigned long long gpu_global_timer_ns(void)
{
	unsigned long long ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}

#endif /* __CUDACC__ */

/* Wait for all blocks of a cooperative launch; what they wrote before is seen after.  word: a
 * counter in device memory, zeroed once; it may be used again and again, by launches of any size.
 * Block 0 tops the arrivals up to 2^31, so that the highest bit flips when all have arrived. */
static __device__ __forceinline__ void gpu_grid_sync(unsigned *word)
{
	__syncthreads();
	if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
		const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
		const bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
		const unsigned old = gpu_add(word, first ? 0x80000000u - (blocks - 1) : 1u);

		while (!((old ^ gpu_ld_acquire(word)) & 0x80000000u))
			__nanosleep(20);
	}
	__syncthreads();
}

#endif
