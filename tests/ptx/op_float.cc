/* op_float.cc -- floating-point arithmetic, rounded to nearest even.
 *
 * Built without contraction: mul and add are rounded each, and only fma is not.  A result of 32
 * bits that is no number is always 0x7fffffff, as PTX says; of two operands of min and max the one
 * that is a number wins, and -0 is less than +0.
 */
#include <bit>
#include <cmath>
#include <type_traits>

#include "tests/ptx/machine.h"

template <class T> static inline T canonical(T x)
{
	if constexpr (sizeof(T) == 4)
		return x != x ? std::bit_cast<float>(0x7fffffffu) : x;
	else
		return x;
}

template <class T> static inline T add(T a, T b)
{
	return canonical(a + b);
}

template <class T> static inline T subtract(T a, T b)
{
	return canonical(a - b);
}

template <class T> static inline T multiply(T a, T b)
{
	return canonical(a * b);
}

template <class T> static inline T divide(T a, T b)
{
	return canonical(a / b);
}

template <class T> static inline T least(T a, T b)
{
	if (a == b)
		return std::signbit(a) ? a : b;
	return canonical(a != a ? b : b != b ? a : a < b ? a : b);
}

template <class T> static inline T greatest(T a, T b)
{
	if (a == b)
		return std::signbit(a) ? b : a;
	return canonical(a != a ? b : b != b ? a : a > b ? a : b);
}

template <class T> static inline T fused(T a, T b, T c)
{
	return canonical(std::fma(a, b, c));
}

template <class T> static inline T reciprocal(T a)
{
	return canonical((T)1 / a);
}

template <class T> static inline T square_root(T a)
{
	return canonical(std::sqrt(a));
}

template <class T> static inline T negate(T a)
{
	return -a;
}

template <class T> static inline T absolute(T a)
{
	return std::fabs(a);
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

template <class T, T (*f)(T, T, T)>
static void ternary(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]), *const b = lanes<T>(w, i.in[1]);
	const T *const c = lanes<T>(w, i.in[2]);

	each(mask, lanes<T>(w, i.out[0]), [=](unsigned l) { return f(a[l], b[l], c[l]); });
}

#define BOTH(name, handler, f, operands)                                         \
	{ name ".f32", handler<float, f<float>>, operands("4"), FLOATING },      \
	{                                                                        \
		name ".f64", handler<double, f<double>>, operands("8"), FLOATING \
	}
#define ONE(width)   width "=" width
#define TWO(width)   width "=" width width
#define THREE(width) width "=" width width width

static const struct form forms[] = {
	BOTH("add", binary, add, TWO),          BOTH("add.rn", binary, add, TWO),
	BOTH("sub", binary, subtract, TWO),     BOTH("sub.rn", binary, subtract, TWO),
	BOTH("mul", binary, multiply, TWO),     BOTH("mul.rn", binary, multiply, TWO),
	BOTH("div.rn", binary, divide, TWO),    BOTH("min", binary, least, TWO),
	BOTH("max", binary, greatest, TWO),     BOTH("fma.rn", ternary, fused, THREE),
	BOTH("rcp.rn", unary, reciprocal, ONE), BOTH("sqrt.rn", unary, square_root, ONE),
	BOTH("neg", unary, negate, ONE),        BOTH("abs", unary, absolute, ONE),
};

extern const struct form_table float_forms;
const struct form_table float_forms = { forms, sizeof forms / sizeof *forms };
