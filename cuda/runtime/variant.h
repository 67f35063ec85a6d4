/* variant.h -- what a variant's source file includes: the device, and op<> for typed operations.
 *
 * The members of struct gb_variant_ops take pointers to void.  op<> turns a function that takes the
 * state, parameters and input by their own types into such an operation:
 *	static enum gb_status run(struct state *s, struct gb_timer *timer, struct gb_error *err);
 *	.run = op<run>,
 * The function may also take the first member of the state.
 */
#ifndef GPUBENCH_CUDA_RUNTIME_VARIANT_H
#define GPUBENCH_CUDA_RUNTIME_VARIANT_H

#include "common/benchmark.h"
#include "common/timer.h"
#include "cuda/runtime/device.h"

/* FUNCTION, with a pointer to void wherever the operation has one. */
template <auto FUNCTION> struct operation;
template <class R, class... T, R (*FUNCTION)(T...)> struct operation<FUNCTION> {
	template <class... V> using pointer = R (*)(V...);

	template <class... V> static R call(V... value)
	{
		return FUNCTION(static_cast<T>(value)...);
	}

	template <class... V> constexpr operator pointer<V...>() const
	{
		return call<V...>;
	}
};
template <auto FUNCTION> constexpr operation<FUNCTION> op{};

#endif
