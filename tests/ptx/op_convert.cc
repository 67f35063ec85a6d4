/* op_convert.cc -- cvt: between integers, between floats, and between the two.
 *
 * A source narrower than its register is the register's low part.  A result narrower than its
 * register is extended according to its type.  Floats outside the range of an integer saturate; a
 * 32-bit NaN is 0x7fffffff.
 */
#include <bit>
#include <cmath>
#include <limits>

#include "tests/ptx/form.h"

enum rounding { EXACT, NEAREST, DOWN, UP, TO_ZERO };

template <enum rounding r, class T> static inline T integral(T x)
{
	return r == DOWN      ? std::floor(x)
	       : r == UP      ? std::ceil(x)
	       : r == TO_ZERO ? std::trunc(x)
	       : r == NEAREST ? std::nearbyint(x)
			      : x;
}

/* NaN becomes 0, or the highest bit alone if either type has 64 bits. */
template <class D, class S, enum rounding r> static inline D to_integer(S x)
{
	const S whole = integral<r>(x);
	/* The bounds are powers of two, which are exact in any float. */
	const S end = std::ldexp((S)1, std::numeric_limits<D>::digits);

	if (x != x)
		return sizeof(S) == 8 || sizeof(D) == 8 ? (D)(1ull << (8 * sizeof(D) - 1)) : 0;
	if (whole >= end)
		return std::numeric_limits<D>::max();
	if (whole < (std::is_signed_v<D> ? -end : (S)0))
		return std::numeric_limits<D>::min();
	return (D)whole;
}

template <class D, class S, enum rounding r> static inline D converted(S x)
{
	if constexpr (std::is_same_v<D, float>)
		if (x != x)
			return std::bit_cast<float>(0x7fffffffu);
	if constexpr (std::is_floating_point_v<S> && std::is_integral_v<D>)
		return to_integer<D, S, r>(x);
	else if constexpr (std::is_floating_point_v<S> && std::is_same_v<D, S>)
		return integral<r>(x);
	else
		return (D)x;
}

/* A float's register is as wide as the float; an integer's may be wider. */
template <class D, class S, enum rounding r>
static void convert(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint8_t *const a = lanes<uint8_t>(w, i.in[0]);
	const unsigned stride = i.in[0].bytes;
	const auto into = [&](auto *d) {
		each(mask, d, [=](unsigned l) {
			const S x = *(const S *)(const void *)(a + l * stride);

			return (std::remove_pointer_t<decltype(d)>)converted<D, S, r>(x);
		});
	};

	if constexpr (std::is_floating_point_v<D>)
		into(lanes<D>(w, i.out[0]));
	else
		with_register(i.out[0], [&]<class R>(R) { into(lanes<R>(w, i.out[0])); });
}

template <class T> static char operand_of(void)
{
	return std::is_floating_point_v<T> ? (char)('0' + sizeof(T)) : at_least(sizeof(T));
}

template <class D, class S> static void add_pair(form_table &t)
{
	constexpr bool from = std::is_floating_point_v<S>, to = std::is_floating_point_v<D>;
	const std::string types = suffix<D>() + suffix<S>();
	const auto row = [&](const char *rounding, handler run) {
		t[std::string("cvt") + rounding + types] = {
			{ operand_of<D>(), '=', operand_of<S>() },
			{ .run = run, .kind = from || to ? FLOATING : ARITHMETIC },
		};
	};

	if constexpr (from && (!to || std::is_same_v<D, S>)) {
		row(".rzi", convert<D, S, TO_ZERO>);
		row(".rni", convert<D, S, NEAREST>);
		row(".rmi", convert<D, S, DOWN>);
		row(".rpi", convert<D, S, UP>);
	} else {
		row(to && (!from || sizeof(D) < sizeof(S)) ? ".rn" : "", convert<D, S, EXACT>);
	}
}

template <class D, class... S> static void add_sources(form_table &t)
{
	(add_pair<D, S>(t), ...);
}

template <class... T> static void add_pairs(form_table &t)
{
	(add_sources<T, T...>(t), ...);
}

void add_conversions(form_table &t)
{
	add_pairs<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, float,
		  double>(t);
}
