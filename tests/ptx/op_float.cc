/* op_float.cc -- floating-point arithmetic, rounded to nearest even.
 *
 * Compiled without contraction: mul and add round separately, and fma rounds once.  A 32-bit NaN
 * result is always 0x7fffffff, as PTX specifies. min and max return the operand that is not NaN,
 * and -0 is less than +0.
 */
#include <bit>
#include <cmath>

#include "tests/ptx/form.h"

template <class T> static inline T canonical(T x)
{
	if constexpr (sizeof(T) == 4)
		return x != x ? std::bit_cast<float>(0x7fffffffu) : x;
	else
		return x;
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

template <class T> static void add_type(form_table &t)
{
	const std::string type = suffix<T>();

	for (const std::string &rounded : { type, ".rn" + type }) {
		put(t, "add" + rounded, [](T a, T b) { return canonical(a + b); });
		put(t, "sub" + rounded, [](T a, T b) { return canonical(a - b); });
		put(t, "mul" + rounded, [](T a, T b) { return canonical(a * b); });
	}
	put(t, "div.rn" + type, [](T a, T b) { return canonical(a / b); });
	put(t, "fma.rn" + type, [](T a, T b, T c) { return canonical(std::fma(a, b, c)); });
	put(t, "rcp.rn" + type, [](T a) { return canonical(1 / a); });
	put(t, "sqrt.rn" + type, [](T a) { return canonical(std::sqrt(a)); });
	put(t, "min" + type, [](T a, T b) { return least(a, b); });
	put(t, "max" + type, [](T a, T b) { return greatest(a, b); });
	put(t, "neg" + type, [](T a) { return -a; });
	put(t, "abs" + type, [](T a) { return std::fabs(a); });
}

void add_floats(form_table &t)
{
	add_type<float>(t);
	add_type<double>(t);
}
