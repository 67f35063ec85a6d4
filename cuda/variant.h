/* variant.h -- what the file of a variant includes: the device, and operations of the variant's own types.
 *
 * The members of struct gb_variant_ops take pointers to void.  A function that takes the state,
 * parameters and input as what they are becomes one by op<>:
 *	static enum gb_status run(struct state *s, struct gb_timer *timer, struct gb_error *err);
 *	.run = op<run>,
 * The state may also be what it begins with.
 */
#ifndef GPUBENCH_CUDA_VARIANT_H
#define GPUBENCH_CUDA_VARIANT_H

#include "common/timer.h"
#include "common/workload.h"
#include "cuda/device.h"

/* FUNCTION with a pointer to void wherever the operation has one. */
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
