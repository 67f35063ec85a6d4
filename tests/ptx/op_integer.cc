/* op_integer.cc -- integer arithmetic.  It wraps; division by zero gives all ones, as on a GPU. */
#include <type_traits>

#include "tests/ptx/machine.h"

template <class T> using natural = std::make_unsigned_t<T>;

/* Wide enough for any product of two T. */
template <class T>
using twice =
	std::conditional_t<sizeof(T) == 8,
			   std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
			   std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <class T> static inline T add(T a, T b)
{
	return (T)((natural<T>)a + (natural<T>)b);
}

template <class T> static inline T subtract(T a, T b)
{
	return (T)((natural<T>)a - (natural<T>)b);
}

template <class T> static inline T multiply_low(T a, T b)
{
	return (T)((uint64_t)(natural<T>)a * (natural<T>)b);
}

template <class T> static inline T multiply_high(T a, T b)
{
	return (T)(((twice<T>)a * (twice<T>)b) >> (8 * sizeof(T)));
}

template <class T> static inline T divide(T a, T b)
{
	if (b == 0)
		return (T)-1;
	return std::is_signed_v<T> && b == (T)-1 ? subtract<T>(0, a) : (T)(a / b);
}

template <class T> static inline T remainder_of(T a, T b)
{
	if (b == 0)
		return a;
	return std::is_signed_v<T> && b == (T)-1 ? 0 : (T)(a % b);
}

template <class T> static inline T least(T a, T b)
{
	return a < b ? a : b;
}

template <class T> static inline T greatest(T a, T b)
{
	return a > b ? a : b;
}

template <class T> static inline T negate(T a)
{
	return subtract<T>(0, a);
}

template <class T> static inline T absolute(T a)
{
	return a < 0 ? negate(a) : a;
}

/* ---- handlers ---------------------------------------------------------------------------- */

template <class T, T (*f)(T)>
static void unary(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]);

	each(mask, lanes<T>(w, i.out[0]), [=](unsigned l) { return f(a[l]); });
}

template <class T, T (*f)(T, T)>
static void binary(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]), *const b = lanes<T>(w, i.in[1]);

	each(mask, lanes<T>(w, i.out[0]), [=](unsigned l) { return f(a[l], b[l]); });
}

/* Only for lanes that are there: division is slow, and no vector instruction. */
template <class T, T (*f)(T, T)>
static void binary_slow(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]), *const b = lanes<T>(w, i.in[1]);
	T *const d = lanes<T>(w, i.out[0]);

	each_active(mask, [=](unsigned l) { d[l] = f(a[l], b[l]); });
}

template <class T>
static void multiply_add(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]), *const b = lanes<T>(w, i.in[1]);
	const T *const c = lanes<T>(w, i.in[2]);

	each(mask, lanes<T>(w, i.out[0]),
	     [=](unsigned l) { return add<T>(multiply_low<T>(a[l], b[l]), c[l]); });
}

/* The whole product, D being twice as wide as S. */
template <class D, class S>
static void multiply_wide(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const S *const a = lanes<S>(w, i.in[0]), *const b = lanes<S>(w, i.in[1]);

	each(mask, lanes<D>(w, i.out[0]), [=](unsigned l) { return (D)a[l] * (D)b[l]; });
}

template <class D, class S>
static void multiply_add_wide(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const S *const a = lanes<S>(w, i.in[0]), *const b = lanes<S>(w, i.in[1]);
	const D *const c = lanes<D>(w, i.in[2]);

	each(mask, lanes<D>(w, i.out[0]),
	     [=](unsigned l) { return add<D>((D)a[l] * (D)b[l], c[l]); });
}

#define SIGNED(name, handler, f, arity)                                                     \
	{ name ".s16", handler<int16_t, f<int16_t>>, "2=" arity("2"), ARITHMETIC },         \
		{ name ".s32", handler<int32_t, f<int32_t>>, "4=" arity("4"), ARITHMETIC }, \
	{                                                                                   \
		name ".s64", handler<int64_t, f<int64_t>>, "8=" arity("8"), ARITHMETIC      \
	}
#define UNSIGNED(name, handler, f, arity)                                                     \
	{ name ".u16", handler<uint16_t, f<uint16_t>>, "2=" arity("2"), ARITHMETIC },         \
		{ name ".u32", handler<uint32_t, f<uint32_t>>, "4=" arity("4"), ARITHMETIC }, \
	{                                                                                     \
		name ".u64", handler<uint64_t, f<uint64_t>>, "8=" arity("8"), ARITHMETIC      \
	}
#define ONE(width) width
#define TWO(width) width width

static const struct form forms[] = {
	SIGNED("add", binary, add, TWO),
	UNSIGNED("add", binary, add, TWO),
	SIGNED("sub", binary, subtract, TWO),
	UNSIGNED("sub", binary, subtract, TWO),
	SIGNED("mul.lo", binary, multiply_low, TWO),
	UNSIGNED("mul.lo", binary, multiply_low, TWO),
	SIGNED("mul.hi", binary, multiply_high, TWO),
	UNSIGNED("mul.hi", binary, multiply_high, TWO),
	SIGNED("div", binary_slow, divide, TWO),
	UNSIGNED("div", binary_slow, divide, TWO),
	SIGNED("rem", binary_slow, remainder_of, TWO),
	UNSIGNED("rem", binary_slow, remainder_of, TWO),
	SIGNED("min", binary, least, TWO),
	UNSIGNED("min", binary, least, TWO),
	SIGNED("max", binary, greatest, TWO),
	UNSIGNED("max", binary, greatest, TWO),
	SIGNED("neg", unary, negate, ONE),
	SIGNED("abs", unary, absolute, ONE),
	{ "mad.lo.s16", multiply_add<int16_t>, "2=222", ARITHMETIC },
	{ "mad.lo.u16", multiply_add<uint16_t>, "2=222", ARITHMETIC },
	{ "mad.lo.s32", multiply_add<int32_t>, "4=444", ARITHMETIC },
	{ "mad.lo.u32", multiply_add<uint32_t>, "4=444", ARITHMETIC },
	{ "mad.lo.s64", multiply_add<int64_t>, "8=888", ARITHMETIC },
	{ "mad.lo.u64", multiply_add<uint64_t>, "8=888", ARITHMETIC },
	{ "mul.wide.s16", multiply_wide<int32_t, int16_t>, "4=22", ARITHMETIC },
	{ "mul.wide.u16", multiply_wide<uint32_t, uint16_t>, "4=22", ARITHMETIC },
	{ "mul.wide.s32", multiply_wide<int64_t, int32_t>, "8=44", ARITHMETIC },
	{ "mul.wide.u32", multiply_wide<uint64_t, uint32_t>, "8=44", ARITHMETIC },
	{ "mad.wide.s32", multiply_add_wide<int64_t, int32_t>, "8=448", ARITHMETIC },
	{ "mad.wide.u32", multiply_add_wide<uint64_t, uint32_t>, "8=448", ARITHMETIC },
};

extern const struct form_table integer_forms;
const struct form_table integer_forms = { forms, sizeof forms / sizeof *forms };
