/* simt_plugin.h -- CUDA that plug-ins may use and our own kernels do not; see
 * scripts/simt-plugin.py.
 */
#ifndef GPUBENCH_TESTS_SIMT_SIMT_PLUGIN_H
#define GPUBENCH_TESTS_SIMT_SIMT_PLUGIN_H

#define __constant__
#define __noinline__ __attribute__((noinline))
#define __align__(n) alignas(n)

/* Fences order all scopes alike here. */
#define __threadfence()        __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __threadfence_block()  __threadfence()
#define __threadfence_system() __threadfence()

template <class T> static __forceinline__ T __ldg(const T *p)
{
	return *p;
}

static inline int __popcll(unsigned long long x)
{
	return __builtin_popcountll(x);
}

static inline int __ffsll(long long x)
{
	return __builtin_ffsll(x);
}

static inline unsigned __brev(unsigned x)
{
	unsigned result = 0;

	for (int i = 0; i < 32; i++)
		result |= (x >> i & 1) << (31 - i);
	return result;
}

#define SIMT_ATOMIC_BY_CAS(name, next)                                                           \
	template <class T>                                                                       \
	static __forceinline__ T name(T *p, std::type_identity_t<T> v, SIMT_CALLER)              \
	{                                                                                        \
		simt_point(file, line);                                                          \
		T old = __atomic_load_n(p, __ATOMIC_RELAXED);                                    \
                                                                                                 \
		while (!__atomic_compare_exchange_n(p, &old, (T)(next), false, __ATOMIC_RELAXED, \
						    __ATOMIC_RELAXED))                           \
			;                                                                        \
		return old;                                                                      \
	}

SIMT_ATOMIC_BY_CAS(atomicSub, old - v)
SIMT_ATOMIC_BY_CAS(atomicXor, old ^ v)
SIMT_ATOMIC_BY_CAS(atomicMin, v < old ? v : old)
SIMT_ATOMIC_BY_CAS(atomicMax, old < v ? v : old)
SIMT_ATOMIC_BY_CAS(atomicInc, old >= v ? 0 : old + 1)
#undef SIMT_ATOMIC_BY_CAS

/* The parts of kernel<<<grid, block, bytes, stream>>>(arguments) before the arguments. */
template <class... P> struct simt_configuration {
	const char *name;
	void (*kernel)(P...);
	dim3 grid, block;
	size_t bytes;
	cudaStream_t stream;

	template <class... A> void operator()(A &&...arguments) const
	{
		(void)simt_bind(name, kernel, grid, block, dim3(), false, bytes, stream,
				std::forward<A>(arguments)...);
	}
};

template <class... P>
static inline simt_configuration<P...> simt_configure(const char *name, void (*kernel)(P...),
						      dim3 grid, dim3 block, size_t bytes = 0,
						      cudaStream_t stream = 0)
{
	return { name, kernel, grid, block, bytes, stream };
}

/* A variable of shared memory of the running block; `align` is 1 without alignas(). */
template <class T> static __forceinline__ T &simt_variable(int *slot, size_t align, SIMT_CALLER)
{
	const struct simt_site site = { file, line };

	return *(T *)simt_shared(slot, sizeof(T), align > alignof(T) ? align : alignof(T), &site);
}

#endif
