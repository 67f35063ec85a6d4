/* simt.h -- the CUDA C++ language for g++: the parts that a C++ compiler lacks.
 *
 * cuda/gpu.h includes this file instead of the CUDA headers when the compiler is not nvcc.  Every
 * CUDA thread is a fiber with its own stack, and blocks run on OS threads.  Each barrier, warp
 * operation and atomic is a call to the engine (engine.h).
 *
 * This file has keywords, built-in variables, shared memory, block barriers, clusters and the
 * launch.  Warp operations, atomics, arithmetic and the runtime API are in simt_*.h.
 */
#ifndef GPUBENCH_TESTS_SIMT_SIMT_H
#define GPUBENCH_TESTS_SIMT_SIMT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bit>
#include <tuple>
#include <type_traits>
#include <utility>

#define GPU_EMULATED 1

/* ---- keywords ----------------------------------------------------------------------------- */

#define __global__
#define __device__
#define __host__
#define __shared__      write_SHARED_ARRAY_or_SHARED_VAR_instead_see_cuda_gpu_h
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

#define GPU_UNROLL

/* ---- vectors, aligned as on the device ------------------------------------------------------ */

#define SIMT_VECTOR(name, T)                                     \
	struct alignas(8) name##2                                \
	{                                                        \
		T x, y;                                          \
	};                                                       \
	struct name##3                                           \
	{                                                        \
		T x, y, z;                                       \
	};                                                       \
	struct alignas(16) name##4                               \
	{                                                        \
		T x, y, z, w;                                    \
	};                                                       \
	static inline name##2 make_##name##2(T x, T y)           \
	{                                                        \
		return { x, y };                                 \
	}                                                        \
	static inline name##4 make_##name##4(T x, T y, T z, T w) \
	{                                                        \
		return { x, y, z, w };                           \
	}

SIMT_VECTOR(int, int)
SIMT_VECTOR(uint, unsigned)
SIMT_VECTOR(float, float)
#undef SIMT_VECTOR

struct dim3 {
	unsigned x, y, z;
	constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
	{
	}
};

#include "tests/cudart/call.h"

/* ---- state of a running CUDA thread ---------------------------------------------------------- */

struct simt_block;
struct simt_carrier;

/* A source location at which a thread synchronised. */
struct simt_site {
	const char *file;
	int line;
};

struct alignas(64) simt_thread {
	uint3 index;     /* threadIdx */
	unsigned linear; /* number in the block */
	struct simt_block *block;
	struct simt_carrier *carrier; /* its stack, once started */
	const struct simt_site *site; /* its last synchronisation; NULL: none yet */
	const char *yield_file;       /* location of its last yield, or NULL */
	int yield_line;
	unsigned short lane, warp;
};

/* The part of a block that kernels read; the first member of struct simt_block. */
struct simt_geometry {
	uint3 index;
	dim3 block, grid;
};

extern __thread struct simt_thread *simt_current; /* NULL outside kernels */
extern __thread int simt_budget;                  /* points left before this thread yields */

#define threadIdx (simt_current->index)
#define blockIdx  (((struct simt_geometry *)simt_current->block)->index)
#define blockDim  (((struct simt_geometry *)simt_current->block)->block)
#define gridDim   (((struct simt_geometry *)simt_current->block)->grid)
enum { warpSize = 32 };

/* The address of a constant struct that names this source line. */
#define SIMT_HERE                                                            \
	([]() -> const struct simt_site * {                                  \
		static const struct simt_site here = { __FILE__, __LINE__ }; \
		return &here;                                                \
	}())

/* The caller's location, as the last two parameters of a function that is not a macro. */
#define SIMT_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()

/* Let other threads run. */
void simt_yield(const char *file, int line);

/* A point where the scheduler may preempt a thread: atomics and memory words are such points. */
static __forceinline__ void simt_point(const char *file, int line)
{
	if (__builtin_expect(--simt_budget <= 0, 0))
		simt_yield(file, line);
}

/* ---- shared memory ------------------------------------------------------------------------ */

/* This block's copy of the variable.  *slot is the number of the variable, 0 until its first
 * use. */
void *simt_shared(int *slot, size_t bytes, size_t align, const struct simt_site *site);
void *simt_dynamic_shared(void);

#define SHARED_ARRAY(T, name, n)     \
	static int simt_slot_##name; \
	T(&name)                     \
	[n] = *(T(*)[n])simt_shared(&simt_slot_##name, sizeof(T[n]), alignof(T), SIMT_HERE)
#define SHARED_VAR(T, name)          \
	static int simt_slot_##name; \
	T &name = *(T *)simt_shared(&simt_slot_##name, sizeof(T), alignof(T), SIMT_HERE)
#define DYN_SHARED(T, name) T *const name = (T *)simt_dynamic_shared()

/* ---- barriers and clusters ---------------------------------------------------------------- */

enum simt_barrier_kind { SIMT_SYNC, SIMT_COUNT, SIMT_OR };

/* Wait for all threads of the block.  Return the count or the disjunction of their predicates. */
int simt_barrier(enum simt_barrier_kind kind, int predicate, const struct simt_site *site);

#define __syncthreads()        ((void)simt_barrier(SIMT_SYNC, 0, SIMT_HERE))
#define __syncthreads_count(p) simt_barrier(SIMT_COUNT, !!(p), SIMT_HERE)
#define __syncthreads_or(p)    simt_barrier(SIMT_OR, !!(p), SIMT_HERE)

void simt_cluster_barrier(const struct simt_site *site);
unsigned simt_cluster_rank(void);
unsigned simt_cluster_size(void);
void *simt_cluster_map(const void *shared, unsigned rank, const struct simt_site *site);

unsigned function_most_cluster_blocks(const void *kernel);

/* Code is C++ here. */
template <class K> static inline bool gpu_code_has_sm_90(K *)
{
	return true;
}

template <class K> static inline bool gpu_cluster_fits(K *kernel, unsigned blocks, unsigned, size_t)
{
	return blocks <= function_most_cluster_blocks((const void *)kernel);
}
#define gpu_cluster_rank() simt_cluster_rank()
#define gpu_cluster_size() simt_cluster_size()
/* The emulator does not overlap launches. */
#define GPU_LAUNCH_OVERLAPPED GPU_LAUNCH
static inline void gpu_let_next_launch(void)
{
}
static inline void gpu_wait_for_last_launch(void)
{
}

#define gpu_cluster_sync() simt_cluster_barrier(SIMT_HERE)
#define gpu_cluster_map(pointer, rank) \
	((decltype(&*(pointer)))simt_cluster_map((pointer), (rank), SIMT_HERE))

#include "tests/simt/simt_atomic.h"
#include "tests/simt/simt_math.h"
#include "tests/simt/simt_runtime.h"
#include "tests/simt/simt_warp.h"

/* ---- launch ------------------------------------------------------------------------------- */

/* A kernel and its arguments, queued in a stream.  Created by the templates below, owned by the
 * engine. */
struct simt_call : gpu_call {
	void (*invoke)(const struct simt_call *call); /* run one thread of the kernel */
	size_t bytes; /* size of the derived object: threads read their arguments from it */
};

/* Check the launch and enqueue it.  The call is destroyed after it ran, or at once on an error. */
cudaError_t runtime_launch(struct gpu_call *call, cudaStream_t stream);
/* Report a pointer argument of a kernel that does not point to device memory. */
void runtime_check_argument(const char *kernel, int number, const void *pointer);

template <class... P> struct simt_bound_call : simt_call {
	void (*function)(P...);
	std::tuple<P...> arguments;

	template <size_t... I> void apply(std::index_sequence<I...>) const
	{
		function(std::get<I>(arguments)...);
	}
	static void run(const struct simt_call *call)
	{
		static_cast<const simt_bound_call *>(call)->apply(std::index_sequence_for<P...>());
	}
	static void release(struct gpu_call *call)
	{
		delete static_cast<simt_bound_call *>(call);
	}
	static struct gpu_call *duplicate(const struct gpu_call *call)
	{
		return new simt_bound_call(*static_cast<const simt_bound_call *>(call));
	}
	simt_bound_call(void (*f)(P...), P... args) : simt_call(), function(f), arguments(args...)
	{
		invoke = run;
		destroy = release;
		copy = duplicate;
		bytes = sizeof *this;
		kernel = (const void *)f;
	}
};

template <class T>
static inline void simt_look_at_argument(const char *kernel, int number, const T &value)
{
	if constexpr (std::is_pointer<T>::value)
		runtime_check_argument(kernel, number, (const void *)value);
}

template <class... P, class... A>
static inline cudaError_t simt_bind(const char *name, void (*kernel)(P...), dim3 grid, dim3 block,
				    dim3 cluster, bool cooperative, size_t dynamic_bytes,
				    cudaStream_t stream, A &&...args)
{
	simt_bound_call<P...> *call = new simt_bound_call<P...>(kernel, static_cast<P>(args)...);
	int number = 0;

	call->name = name;
	call->grid = grid;
	call->block = block;
	call->cluster = cluster;
	call->cooperative = cooperative;
	call->dynamic_bytes = dynamic_bytes;
	std::apply([&](auto &...a) { (simt_look_at_argument(name, ++number, a), ...); },
		   call->arguments);
	return runtime_launch(call, stream);
}

#define GPU_LAUNCH(kernel, grid, block, shmem, stream, ...)                  \
	((void)simt_bind(#kernel, kernel, grid, block, dim3(), false, shmem, \
			 stream __VA_OPT__(, ) __VA_ARGS__))
#define GPU_LAUNCH_CLUSTER(kernel, grid, block, cluster, shmem, stream, ...)  \
	((void)simt_bind(#kernel, kernel, grid, block, cluster, false, shmem, \
			 stream __VA_OPT__(, ) __VA_ARGS__))
#define GPU_LAUNCH_COOPERATIVE(kernel, grid, block, shmem, stream, ...)     \
	((void)simt_bind(#kernel, kernel, grid, block, dim3(), true, shmem, \
			 stream __VA_OPT__(, ) __VA_ARGS__))

#endif
