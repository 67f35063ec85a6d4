/* op_integer.cc -- integer arithmetic: wraps; division by zero gives all ones, as on a GPU. */
#include "tests/ptx/form.h"

/* A type that holds any product of two T. */
template <class T, bool sign = std::is_signed_v<T>>
using twice = std::conditional_t<
	sizeof(T) == 8, std::conditional_t<sign, __int128, unsigned __int128>,
	std::conditional_t<sizeof(T) == 4, std::conditional_t<sign, int64_t, uint64_t>,
			   std::conditional_t<sign, int32_t, uint32_t>>>;

template <class T> static inline T add(T a, T b)
{
	return (T)((std::make_unsigned_t<T>)a + (std::make_unsigned_t<T>)b);
}

template <class T> static inline T negate(T a)
{
	return (T)(0 - (std::make_unsigned_t<T>)a);
}

template <class T> static inline T multiply_low(T a, T b)
{
	typedef std::make_unsigned_t<T> U;

	return (T)((uint64_t)(U)a * (U)b);
}

template <class T> static inline T divide(T a, T b)
{
	if (b == 0)
		return (T)-1;
	return std::is_signed_v<T> && b == (T)-1 ? negate(a) : (T)(a / b);
}

template <class T> static inline T remainder_of(T a, T b)
{
	if (b == 0)
		return a;
	return std::is_signed_v<T> && b == (T)-1 ? 0 : (T)(a % b);
}

/* Only for active lanes: division is slow and has no vector instruction. */
template <class T, T (*f)(T, T)>
static void run_slowly(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]), *const b = lanes<T>(w, i.in[1]);
	T *const d = lanes<T>(w, i.out[0]);

	each_active(mask, [=](unsigned l) { d[l] = f(a[l], b[l]); });
}

template <class T> static void add_type(form_table &t)
{
	typedef twice<T> wide;
	const std::string type = suffix<T>(), bytes = std::to_string(sizeof(T));
	const std::string operands = bytes + "=" + bytes + bytes;

	put(t, "add" + type, [](T a, T b) { return add(a, b); });
	put(t, "sub" + type, [](T a, T b) { return add(a, negate(b)); });
	put(t, "mul.lo" + type, [](T a, T b) { return multiply_low(a, b); });
	put(t, "mul.hi" + type, [](T a, T b) { return (T)((wide)a * (wide)b >> 8 * sizeof(T)); });
	put(t, "min" + type, [](T a, T b) { return a < b ? a : b; });
	put(t, "max" + type, [](T a, T b) { return a > b ? a : b; });
	put(t, "mad.lo" + type, [](T a, T b, T c) { return add(multiply_low(a, b), c); });
	t["div" + type] = { operands, { .run = run_slowly<T, divide<T>> } };
	t["rem" + type] = { operands, { .run = run_slowly<T, remainder_of<T>> } };
	if constexpr (std::is_signed_v<T>) {
		put(t, "neg" + type, [](T a) { return negate(a); });
		put(t, "abs" + type, [](T a) { return a < 0 ? negate(a) : a; });
	}
	if constexpr (sizeof(T) < 8) {
		put(t, "mul.wide" + type, [](T a, T b) { return (wide)a * (wide)b; });
		put(t, "mad.wide" + type,
		    [](T a, T b, wide c) { return add((wide)a * (wide)b, c); });
	}
}

void add_integers(form_table &t)
{
	add_type<int16_t>(t);
	add_type<uint16_t>(t);
	add_type<int32_t>(t);
	add_type<uint32_t>(t);
	add_type<int64_t>(t);
	add_type<uint64_t>(t);
}
