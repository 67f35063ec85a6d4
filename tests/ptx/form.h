/* form.h -- opcodes: op_*.cc fill a table, decode.cc looks statements up. */
#ifndef GPUBENCH_TESTS_PTX_FORM_H
#define GPUBENCH_TESTS_PTX_FORM_H

#include <tuple>
#include <type_traits>
#include <utility>

#include "tests/ptx/machine.h"

/* The common part of all instructions of an opcode, and their operands: see take_operands(). */
struct form {
	std::string operands;
	struct instruction i;
};
typedef std::unordered_map<std::string, struct form> form_table;

void add_integers(form_table &t);
void add_bits(form_table &t);
void add_floats(form_table &t);
void add_conversions(form_table &t);
void add_moves(form_table &t);
void add_memory(form_table &t); /* "ld.u32", "atom.add.u32": without space, order and width */
void add_warps(form_table &t);

/* ".u32", or ".b32" for the letter b. */
template <class T> std::string suffix(char letter = 0)
{
	const char own = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 's' : 'u';

	return std::string(".") + (letter ? letter : own) + std::to_string(8 * sizeof(T));
}

/* In a pattern of operands: a width of at least `bytes`. */
static inline char at_least(size_t bytes)
{
	return "?bh?w???d"[bytes];
}

/* d = f(a, b, ...) for the lanes of the mask, with the operand types of F. */
template <class F, class D, class... A>
static void run_lanes(struct warp &w, const struct instruction &i, uint32_t mask)
{
	[&]<size_t... n>(std::index_sequence<n...>)
	{
		const std::tuple<const A *...> a(lanes<A>(w, i.in[n])...);

		each(mask, lanes<D>(w, i.out[0]),
		     [=](unsigned l) { return F()(std::get<n>(a)[l]...); });
	}
	(std::index_sequence_for<A...>());
}

/* A comparison of two operands. */
template <class F, class T>
static void run_comparison(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]), *const b = lanes<T>(w, i.in[1]);
	uint32_t result = 0;

	for (unsigned l = 0; l < LANES; l++)
		result |= (uint32_t)F()(a[l], b[l]) << l;
	set_predicate(w, i.out[0], result, mask);
}

/* f(R()) for an R as wide as the operand's register. */
template <class F> static void with_register(const struct operand &o, F f)
{
	if (o.bytes == 8)
		f(uint64_t());
	else if (o.bytes == 4)
		f(uint32_t());
	else
		f(uint16_t());
}

template <class F, class D, class... A>
static void put_lanes(form_table &t, const std::string &name, D (*)(A...))
{
	constexpr enum instruction_class kind =
		(std::is_floating_point_v<A> || ...) ? FLOATING : ARITHMETIC;
	const std::string operands = (std::to_string(sizeof(A)) + ...);

	if constexpr (std::is_same_v<D, bool>)
		t[name] = { "0=" + operands,
			    { .run = run_comparison<F, std::common_type_t<A...>>, .kind = kind } };
	else
		t[name] = { std::to_string(sizeof(D)) + "=" + operands,
			    { .run = run_lanes<F, D, A...>, .kind = kind } };
}

/* Add an opcode whose result is f of its operands. */
template <class F> static void put(form_table &t, const std::string &name, F f)
{
	put_lanes<F>(t, name, +f);
}

#endif
