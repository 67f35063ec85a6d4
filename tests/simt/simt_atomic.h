/* simt_atomic.h -- atomics, fences, and the memory words of cuda/gpu.h.
 *
 * CUDA's atomicXxx() are relaxed; order comes from gpu_*() and from fences.  Each is a point where
 * the scheduler may let others run, before the access.  They compile to the compiler's __atomic
 * builtins in the kernel's own file, so that every checker sees them there.
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
#undef SIMT_CAS

template <class T> static __forceinline__ T gpu_add(T *p, std::type_identity_t<T> v, SIMT_CALLER)
{
	simt_point(file, line);
	return __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL);
}

static __forceinline__ void gpu_prefetch(const void *)
{
}

/* Copied at once; that a thread reads too early is found on the executor of PTX. */
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

/* Between threads of a block: no difference on a CPU. */
#define gpu_ld_acquire_shared gpu_ld_acquire
#define gpu_cas_shared        gpu_cas
/* What others write is seen at once: an old value comes from the schedule alone. */
#define gpu_ld_stale gpu_ld_relaxed

/* ---- CUDA's atomics ------------------------------------------------------------------------ */

/* Unsigned of T's size, to compare and swap the bits of a float. */
template <class T>
using simt_bits_of = typename std::conditional<
	sizeof(T) == 8, uint64_t,
	typename std::conditional<sizeof(T) == 4, uint32_t, uint16_t>::type>::type;

/* *p = f(*p), at once; the old value. */
template <class T, class F> static __forceinline__ T simt_update(T *p, F f)
{
	typedef simt_bits_of<T> bits_t;
	bits_t *const word = (bits_t *)p;
	bits_t old = __atomic_load_n(word, __ATOMIC_RELAXED), bits;
	T value;

	static_assert(sizeof(T) == sizeof(bits_t), "atomics take 2, 4 or 8 bytes");
	do {
		memcpy(&value, &old, sizeof value);
		const T changed = f(value);
		memcpy(&bits, &changed, sizeof bits);
	} while (!__atomic_compare_exchange_n(word, &old, bits, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return value;
}

#define SIMT_ATOMIC(name, builtin)                                                  \
	template <class T>                                                          \
	static __forceinline__ T name(T *p, std::type_identity_t<T> v, SIMT_CALLER) \
	{                                                                           \
		simt_point(file, line);                                             \
		return builtin(p, v, __ATOMIC_RELAXED);                             \
	}

SIMT_ATOMIC(atomicSub, __atomic_fetch_sub)
SIMT_ATOMIC(atomicAnd, __atomic_fetch_and)
SIMT_ATOMIC(atomicOr, __atomic_fetch_or)
SIMT_ATOMIC(atomicXor, __atomic_fetch_xor)
#undef SIMT_ATOMIC

template <class T> static __forceinline__ T atomicAdd(T *p, std::type_identity_t<T> v, SIMT_CALLER)
{
	simt_point(file, line);
	if constexpr (std::is_integral<T>::value)
		return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
	else
		return simt_update(p, [v](T old) { return (T)(old + v); });
}

/* A word of gpu.h. */
static __forceinline__ unsigned gpu_add_shared_if(bool mine, unsigned *p, unsigned v, SIMT_CALLER)
{
	return mine ? atomicAdd(p, v, file, line) : 0;
}

template <class T> static __forceinline__ T atomicExch(T *p, std::type_identity_t<T> v, SIMT_CALLER)
{
	simt_point(file, line);
	if constexpr (std::is_integral<T>::value)
		return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);
	else
		return simt_update(p, [v](T) { return v; });
}

template <class T>
static __forceinline__ T atomicCAS(T *p, std::type_identity_t<T> expected,
				   std::type_identity_t<T> v, SIMT_CALLER)
{
	simt_point(file, line);
	__atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return expected;
}

template <class T> static __forceinline__ T atomicMin(T *p, std::type_identity_t<T> v, SIMT_CALLER)
{
	simt_point(file, line);
	return simt_update(p, [v](T old) { return v < old ? v : old; });
}

template <class T> static __forceinline__ T atomicMax(T *p, std::type_identity_t<T> v, SIMT_CALLER)
{
	simt_point(file, line);
	return simt_update(p, [v](T old) { return old < v ? v : old; });
}

/* Counts up to limit, then back to 0; and down from limit. */
static __forceinline__ unsigned atomicInc(unsigned *p, unsigned limit, SIMT_CALLER)
{
	simt_point(file, line);
	return simt_update(p, [limit](unsigned old) { return old >= limit ? 0 : old + 1; });
}

static __forceinline__ unsigned atomicDec(unsigned *p, unsigned limit, SIMT_CALLER)
{
	simt_point(file, line);
	return simt_update(
		p, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

/* Within a block or the system: no difference on a CPU. */
#define atomicAdd_block   atomicAdd
#define atomicAdd_system  atomicAdd
#define atomicSub_block   atomicSub
#define atomicAnd_block   atomicAnd
#define atomicOr_block    atomicOr
#define atomicXor_block   atomicXor
#define atomicExch_block  atomicExch
#define atomicExch_system atomicExch
#define atomicCAS_block   atomicCAS
#define atomicCAS_system  atomicCAS
#define atomicMin_block   atomicMin
#define atomicMax_block   atomicMax

/* ---- fences, waiting, cached loads --------------------------------------------------------- */

void simt_fence(void);

#define __threadfence()        simt_fence()
#define __threadfence_block()  simt_fence()
#define __threadfence_system() simt_fence()
#define __nanosleep(ns)        ((void)(ns), simt_yield(__FILE__, __LINE__))

/* Cache hints change nothing here. */
#define SIMT_CACHED_LOAD(name)                                       \
	template <class T> static __forceinline__ T name(const T *p) \
	{                                                            \
		return *p;                                           \
	}
#define SIMT_CACHED_STORE(name)                                                              \
	template <class T> static __forceinline__ void name(T *p, std::type_identity_t<T> v) \
	{                                                                                    \
		*p = v;                                                                      \
	}
SIMT_CACHED_LOAD(__ldg)
SIMT_CACHED_LOAD(__ldca)
SIMT_CACHED_LOAD(__ldcg)
SIMT_CACHED_LOAD(__ldcs)
SIMT_CACHED_LOAD(__ldlu)
SIMT_CACHED_LOAD(__ldcv)
SIMT_CACHED_STORE(__stwb)
SIMT_CACHED_STORE(__stcg)
SIMT_CACHED_STORE(__stcs)
SIMT_CACHED_STORE(__stwt)
#undef SIMT_CACHED_LOAD
#undef SIMT_CACHED_STORE

/* Clocks: they tick, and mean nothing about a GPU. */
uint64_t simt_clock_ns(void);

#define gpu_global_timer_ns() simt_clock_ns()
#define clock64()             ((long long)simt_clock_ns())
#define clock()               ((long)simt_clock_ns())

#endif
