/* op_convert.cc -- cvt: between integers, between floats, and from one to the other.
 *
 * A source narrower than its register is the register's low part; a result narrower than its
 * register is extended as its type says.  Floats outside the range of an integer become its least
 * or greatest value; a float of 32 bits that is no number is 0x7fffffff.
 */
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "tests/ptx/machine.h"

enum rounding { EXACT, NEAREST, DOWN, UP, TO_ZERO };

template <enum rounding r, class T> static inline T integral(T x)
{
	return r == DOWN      ? std::floor(x)
	       : r == UP      ? std::ceil(x)
	       : r == TO_ZERO ? std::trunc(x)
	       : r == NEAREST ? std::nearbyint(x)
			      : x;
}

/* What is no number becomes 0, or the highest bit alone if 64 bits are involved. */
template <class D, class S, enum rounding r> static inline D to_integer(S x)
{
	const S whole = integral<r>(x);
	/* The bounds are powers of two: exact in any float. */
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

/* R: the register of the result, as wide as it is declared. */
template <class R, class D, class S, enum rounding r>
static void into(const struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint8_t *const a = lanes<uint8_t>(w, i.in[0]);
	const unsigned stride = i.in[0].bytes;

	each(mask, lanes<R>(w, i.out[0]), [=](unsigned l) {
		return (R)converted<D, S, r>(*(const S *)(const void *)(a + l * stride));
	});
}

template <class D, class S, enum rounding r>
static void convert(struct warp &w, const struct instruction &i, uint32_t mask)
{
	if constexpr (std::is_floating_point_v<D>) {
		into<D, D, S, r>(w, i, mask);
	} else {
		if (i.out[0].bytes == 8)
			into<uint64_t, D, S, r>(w, i, mask);
		else if (i.out[0].bytes == 4)
			into<uint32_t, D, S, r>(w, i, mask);
		else
			into<uint16_t, D, S, r>(w, i, mask);
	}
}

/* Integers to integers, and exactly representable floats: no rounding may be given. */
template <class D, class S> static handler plain(std::string_view rounding)
{
	return rounding.empty() ? convert<D, S, EXACT> : nullptr;
}

template <class D, class S> static handler to_whole(std::string_view r)
{
	return r == "rzi"   ? convert<D, S, TO_ZERO>
	       : r == "rni" ? convert<D, S, NEAREST>
	       : r == "rmi" ? convert<D, S, DOWN>
	       : r == "rpi" ? convert<D, S, UP>
			    : nullptr;
}

template <class D, class S> static handler pick(std::string_view r)
{
	constexpr bool from = std::is_floating_point_v<S>, to = std::is_floating_point_v<D>;

	if constexpr (from && (!to || std::is_same_v<D, S>))
		return to_whole<D, S>(r);
	else if constexpr (to && (!from || sizeof(D) < sizeof(S)))
		return r == "rn" ? convert<D, S, EXACT> : nullptr;
	else
		return plain<D, S>(r);
}

template <class D> static handler from_type(enum type from, std::string_view r)
{
	switch (from) {
	case U8:
		return pick<D, uint8_t>(r);
	case S8:
		return pick<D, int8_t>(r);
	case U16:
		return pick<D, uint16_t>(r);
	case S16:
		return pick<D, int16_t>(r);
	case U32:
		return pick<D, uint32_t>(r);
	case S32:
		return pick<D, int32_t>(r);
	case U64:
		return pick<D, uint64_t>(r);
	case S64:
		return pick<D, int64_t>(r);
	case F32:
		return pick<D, float>(r);
	case F64:
		return pick<D, double>(r);
	default:
		return nullptr;
	}
}

handler convert_handler(enum type to, enum type from, std::string_view rounding)
{
	switch (to) {
	case U8:
		return from_type<uint8_t>(from, rounding);
	case S8:
		return from_type<int8_t>(from, rounding);
	case U16:
		return from_type<uint16_t>(from, rounding);
	case S16:
		return from_type<int16_t>(from, rounding);
	case U32:
		return from_type<uint32_t>(from, rounding);
	case S32:
		return from_type<int32_t>(from, rounding);
	case U64:
		return from_type<uint64_t>(from, rounding);
	case S64:
		return from_type<int64_t>(from, rounding);
	case F32:
		return from_type<float>(from, rounding);
	case F64:
		return from_type<double>(from, rounding);
	default:
		return nullptr;
	}
}
