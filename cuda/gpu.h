/* gpu.h -- the one header that kernels include: launches, and operations that CUDA has no function
 * for.  Everything else is textbook CUDA.
 *
 *	SHARED_ARRAY(T, name, n), SHARED_VAR(T, name)   __shared__ T name[n]; __shared__ T name;
 *	DYN_SHARED(T, name)                             extern __shared__ T name[];
 *	GPU_LAUNCH(kernel, grid, block, shmem, stream, args...)     kernel<<<...>>>(args...)
 *	GPU_LAUNCH_CLUSTER(kernel, grid, block, cluster, shmem, stream, args...)
 *	GPU_LAUNCH_COOPERATIVE(kernel, grid, block, shmem, stream, args...)
 *	GPU_LAUNCH_OVERLAPPED(kernel, grid, block, shmem, stream, args...)
 *	gpu_code_has_sm_90(kernel)                      true if its code is for sm_90 or newer
 *	gpu_cluster_fits(kernel, blocks, threads, shmem)   true if the code and the device have
 *	                                                   such a cluster
 *	GPU_UNROLL            before a loop: unroll it fully, so that arrays stay in registers
 *	gpu_ld_acquire(p), gpu_ld_relaxed(p), gpu_st_release(p, v), gpu_st_relaxed(p, v)
 *	gpu_ld_stale(p)       plain load: it may miss what other threads write meanwhile
 *	gpu_cas(p, expected, v), gpu_add(p, v)          acquire and release; return the old value
 *	gpu_cas_acquire(p, expected, v), gpu_cas_release(p, expected, v)     only one of the two
 *	gpu_copy_16(to, from), gpu_end_copies(), gpu_wait_for_copies<N>()
 *	                      asynchronous copies of 16 bytes from global to shared memory
 *	gpu_ld_acquire_shared(p), gpu_cas_shared(p, expected, v)        4 bytes of shared memory
 *	gpu_match<BITS>(value)            mask of the lanes with the same lowest BITS bits of value
 *	gpu_add_shared_if(mine, p, v)     branch-free atomicAdd() to shared memory if `mine`
 *	gpu_mma_and_popc(sum, a, b)       product of bit matrices by a warp, on tensor cores
 *	gpu_grid_sync(word)                             barrier of a cooperative launch
 *	gpu_cluster_rank(), gpu_cluster_size(), gpu_cluster_sync(), gpu_cluster_map(p, rank)
 *	gpu_let_next_launch(), gpu_wait_for_last_launch()               for overlapping launches
 *	gpu_global_timer_ns()
 *
 * A kernel whose name contains a comma needs parentheses: GPU_LAUNCH((sort<T, 4>), ...).  A launch
 * reports failure through cudaGetLastError().
 *
 * A block passes data to another by plain stores followed by gpu_st_release() or gpu_cas() on a
 * flag; the reader calls gpu_ld_acquire() on that flag first.
 *
 * The memory operations work on 4- and 8-byte integers at device scope, in global and shared
 * memory.  Those that end in _shared have block scope, which costs next to nothing.  Built for
 * sm_75 to sm_121 with CUDA 12 and 13.  Clusters need sm_90: below it the four cluster functions
 * compile, and trap when reached.
 */
#ifndef GPUBENCH_CUDA_GPU_H
#define GPUBENCH_CUDA_GPU_H

#include <stddef.h>
#include <stdint.h>

#include <type_traits>

#include <cuda_runtime.h>

#define SHARED_ARRAY(T, name, n) __shared__ T name[n]
#define SHARED_VAR(T, name)      __shared__ T name
#define DYN_SHARED(T, name)                                                   \
	extern __shared__ __align__(16) unsigned char gpu_dyn_shared_bytes[]; \
	T *const name = reinterpret_cast<T *>(gpu_dyn_shared_bytes)

#define GPU_UNROLL _Pragma("unroll")

#define GPU_LAUNCH(kernel, grid, block, shmem, stream, ...) \
	(kernel)<<<(grid), (block), (shmem), (stream)>>>(__VA_ARGS__)

/* grid and block are unsigned or dim3.  The grid is a multiple of the cluster, which is a number of
 * blocks.  Clusters of more than 8 blocks need cudaFuncAttributeNonPortableClusterSizeAllowed set
 * on the kernel. */
#define GPU_LAUNCH_CLUSTER(kernel, grid, block, cluster, shmem, stream, ...)                  \
	gpu_launch_special((kernel), (grid), (block), (shmem), (stream),                      \
			   gpu_launch_attribute(cudaLaunchAttributeClusterDimension, cluster) \
				   __VA_OPT__(, ) __VA_ARGS__)

/* All blocks of the grid must fit on the device at once, else the launch fails. */
#define GPU_LAUNCH_COOPERATIVE(kernel, grid, block, shmem, stream, ...)                        \
	gpu_launch_special((kernel), (grid), (block), (shmem), (stream),                       \
			   gpu_launch_attribute(cudaLaunchAttributeCooperative) __VA_OPT__(, ) \
				   __VA_ARGS__)

/* The kernel may start once each block of the previous kernel in the stream has ended or called
 * gpu_let_next_launch().  All its threads must call gpu_wait_for_last_launch() before they touch
 * global memory.  Only if gpu_can_overlap(). */
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

/* The result is left for cudaGetLastError(), as after a plain launch. */
template <class... P, class... A>
static inline void gpu_launch_special(void (*kernel)(P...), dim3 grid, dim3 block, size_t shmem,
				      cudaStream_t stream, cudaLaunchAttribute attribute,
				      A &&...args)
{
	const cudaLaunchConfig_t config = gpu_launch_config(grid, block, shmem, stream, &attribute);

	(void)cudaLaunchKernelEx(&config, kernel, static_cast<P>(args)...);
}

/* True if the code of this kernel is for sm_90 or newer.  Older code also runs on such a device. */
template <class K> static inline bool gpu_code_has_sm_90(K *kernel)
{
	cudaFuncAttributes code;

	return cudaFuncGetAttributes(&code, kernel) == cudaSuccess && code.ptxVersion >= 90;
}

/* True if this kernel's code has clusters, and the device can hold one of this many blocks. */
template <class K>
static inline bool gpu_cluster_fits(K *kernel, unsigned blocks, unsigned threads, size_t shmem)
{
	cudaLaunchAttribute attribute =
		gpu_launch_attribute(cudaLaunchAttributeClusterDimension, blocks);
	const cudaLaunchConfig_t config = gpu_launch_config(blocks, threads, shmem, 0, &attribute);
	int clusters = 0;

	return gpu_code_has_sm_90(kernel) &&
	       cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess &&
	       clusters > 0;
}

/* ---- memory ordering -------------------------------------------------------------------- */

/* Inline PTX for 4 and 8 bytes, because __nv_atomic_*() needs CUDA 12.8. */
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

/* A plain load, which the L1 may serve: for uses where a stale value only costs repeated work.  The
 * PTX executor knows this name, and does not report such a load as a race. */
template <class T> static __device__ __forceinline__ T gpu_ld_stale(const T *p)
{
	return *p;
}

/* Copy 16 bytes from global to shared memory, bypassing registers; both addresses are multiples of
 * 16.  The copy is asynchronous: until the thread has waited, `to` is undefined and `from` must not
 * change.  Below sm_80 it is a load and a store. */
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

/* Close the group of the thread's copies since the last call; it may be empty. */
static __device__ __forceinline__ void gpu_end_copies(void)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Wait for all of this thread's groups but the last LATEST.  Other threads see the data after the
 * next barrier of the block or the warp. */
template <int LATEST> static __device__ __forceinline__ void gpu_wait_for_copies(void)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
	asm volatile("cp.async.wait_group %0;" ::"n"(LATEST) : "memory");
#endif
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

/* ---- tensor cores ------------------------------------------------------------------------- */

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800

/* sm_75 has only XOR on 8 x 8 x 128: sum[] += |a ^ b|, for the lane's 2 of the 8 x 8 sums. */
static __device__ __forceinline__ void gpu_mma_xor_popc(int sum[2], uint32_t a, uint32_t b)
{
	asm("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc "
	    "{%0, %1}, {%2}, {%3}, {%0, %1};"
	    : "+r"(sum[0]), "+r"(sum[1])
	    : "r"(a), "r"(b));
}

#endif

/* The product of a 16 x 256 and a 256 x 8 bit matrix: add to sum the number of ones that each row
 * of the first shares with each column of the second.  All lanes call together.  With g = lane / 4
 * and t = lane % 4, a lane holds
 *	a[0], a[1]    row g, row g + 8: bits 32 t to 32 t + 31
 *	a[2], a[3]    the same rows, 128 bits on
 *	b[0], b[1]    column g: the same bits, and 128 on
 *	sum[0..1]     row g, columns 2 t and 2 t + 1;  sum[2..3]: row g + 8
 * This is one instruction from sm_80 on, but sm_100 and sm_120 emulate it: ptxas expands bits to
 * bytes there.  sm_75 takes ten instructions of a quarter the size, because it has only XOR:
 *	2 |a & b| = |a| + |b| - |a ^ b|, |a| = |a ^ 0|
 * nvcc computes the four that need only a just once for the same a. */
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

/* The rank of this block in its cluster, and the number of blocks in the cluster. */
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

/* Wait for all threads of all blocks of the cluster, and see their earlier writes.  A block may
 * exit only when no other block reads its shared memory any more: end the kernel with this. */
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

/* ---- overlapping launches ------------------------------------------------------------------ */

/* Both need sm_90; below it they do nothing, and launches do not overlap. */
static __device__ __forceinline__ void gpu_let_next_launch(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Wait until the previous launch, and all that it waited for, have ended, and see their writes. */
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

		while (!((old ^ gpu_ld_acquire(word)) & 0x80000000u))
			__nanosleep(20);
	}
	__syncthreads();
}

#endif
