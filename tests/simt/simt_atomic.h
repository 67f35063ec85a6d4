/* simt_atomic.h -- the atomics that our kernels use, and the memory words of cuda/gpu.h.
 *
 * CUDA's atomicXxx() are relaxed; gpu_*() provide the order.  Each lets the scheduler preempt the
 * thread before the access.  They compile to __atomic builtins in the kernel's own file, so every
 * sanitizer sees them there.
 */
#ifndef GPUBENCH_TESTS_SIMT_SIMT_ATOMIC_H
#define GPUBENCH_TESTS_SIMT_SIMT_ATOMIC_H

/* ---- the words of cuda/gpu.h ----------------------------------------------------------------- */

template <class T> static __forceinline__ T gpu_ld_acquire(const T *p, SIMT_CALLER)
{
	simt_point(file, line);
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

template <class T> static __forceinline__ T gpu_ld_relaxed(const T *p, SIMT_CALLER)
{
	simt_point(file, line);
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

template <class T>
static __forceinline__ void gpu_st_release(T *p, std::type_identity_t<T> v, SIMT_CALLER)
{
	simt_point(file, line);
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

template <class T>
static __forceinline__ void gpu_st_relaxed(T *p, std::type_identity_t<T> v, SIMT_CALLER)
{
	simt_point(file, line);
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
}

#define SIMT_CAS(name, order, order_if_different)                                               \
	template <class T>                                                                      \
	static __forceinline__ T name(T *p, std::type_identity_t<T> expected,                   \
				      std::type_identity_t<T> v, SIMT_CALLER)                   \
	{                                                                                       \
		simt_point(file, line);                                                         \
		__atomic_compare_exchange_n(p, &expected, v, false, order, order_if_different); \
		return expected;                                                                \
	}

SIMT_CAS(gpu_cas, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
SIMT_CAS(gpu_cas_acquire, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)
SIMT_CAS(gpu_cas_release, __ATOMIC_RELEASE, __ATOMIC_RELAXED)
SIMT_CAS(atomicCAS, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#undef SIMT_CAS

template <class T> static __forceinline__ T gpu_add(T *p, std::type_identity_t<T> v, SIMT_CALLER)
{
	simt_point(file, line);
	return __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL);
}

/* Copies at once.  Only the PTX executor finds a thread that reads too early. */
static __forceinline__ void gpu_copy_16(void *to, const void *from)
{
	for (int n = 0; n < 2; n++)
		((uint64_t *)to)[n] = ((const uint64_t *)from)[n];
}

static __forceinline__ void gpu_end_copies(void)
{
}

template <int LATEST> static __forceinline__ void gpu_wait_for_copies(void)
{
}

/* Between threads of a block these do not differ on a CPU. */
#define gpu_ld_acquire_shared gpu_ld_acquire
#define gpu_cas_shared        gpu_cas
/* Stores are visible at once here: only the schedule can yield an old value. */
#define gpu_ld_stale gpu_ld_relaxed

/* ---- CUDA's atomics ------------------------------------------------------------------------ */

#define SIMT_ATOMIC(name, builtin)                                                  \
	template <class T>                                                          \
	static __forceinline__ T name(T *p, std::type_identity_t<T> v, SIMT_CALLER) \
	{                                                                           \
		simt_point(file, line);                                             \
		return builtin(p, v, __ATOMIC_RELAXED);                             \
	}

SIMT_ATOMIC(atomicAdd, __atomic_fetch_add)
SIMT_ATOMIC(atomicAnd, __atomic_fetch_and)
SIMT_ATOMIC(atomicOr, __atomic_fetch_or)
SIMT_ATOMIC(atomicExch, __atomic_exchange_n)
#undef SIMT_ATOMIC

/* A memory word of cuda/gpu.h. */
static __forceinline__ unsigned gpu_add_shared_if(bool mine, unsigned *p, unsigned v, SIMT_CALLER)
{
	return mine ? atomicAdd(p, v, file, line) : 0;
}

/* ---- waiting, clocks ----------------------------------------------------------------------- */

#define __nanosleep(ns) ((void)(ns), simt_yield(__FILE__, __LINE__))

/* The clock advances, but its rate says nothing about a GPU. */
uint64_t simt_clock_ns(void);

#define gpu_global_timer_ns() simt_clock_ns()
#define clock64()             ((long long)simt_clock_ns())

#endif
