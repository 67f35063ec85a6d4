/* op_bits.cc -- logic, shifts, bit fields, bytes. */
#include <bit>

#include "tests/ptx/form.h"

static inline uint32_t reverse(uint32_t a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(a);
}

static inline uint64_t reverse(uint64_t a)
{
	return (uint64_t)reverse((uint32_t)a) << 32 | reverse((uint32_t)(a >> 32));
}

/* The position of the highest bit that differs from the sign; all ones if there is none. */
template <class T> static inline uint32_t highest(T a)
{
	typedef std::make_unsigned_t<T> U;
	const U bits = (U)(std::is_signed_v<T> && a < 0 ? ~a : a);

	return bits ? (uint32_t)(8 * sizeof(T) - 1 - (unsigned)std::countl_zero(bits)) : ~0u;
}

/* The shift distance that moves this bit to the top. */
template <class T> static inline uint32_t shift_to_top(T a)
{
	const uint32_t bit = highest(a);

	return bit == ~0u ? bit : (uint32_t)(8 * sizeof(T)) - 1 - bit;
}

/* Shifts beyond the width give zeros or sign bits. */
template <class T> static inline T left(T a, uint32_t by)
{
	return by >= 8 * sizeof(T) ? 0 : (T)(a << by);
}

template <class T> static inline T right(T a, uint32_t by)
{
	const uint32_t most = 8 * sizeof(T) - 1;

	if (std::is_signed_v<T>)
		return (T)(a >> (by > most ? most : by));
	return by > most ? 0 : (T)(a >> by);
}

/* `length` ones from bit 0, limited to the width. */
template <class T> static inline T low_ones(uint32_t length)
{
	return length >= 8 * sizeof(T) ? (T) ~(T)0 : (T)(((T)1 << length) - 1);
}

/* bfi: b with the low bits of a inserted at a position; bits beyond the width are lost. */
template <class T> static inline T insert_field(T a, T b, uint32_t at, uint32_t length)
{
	const T field = low_ones<T>(length & 255);

	return (b & ~left<T>(field, at & 255)) | left<T>(a & field, at & 255);
}

/* bfe: extract a field.  A signed field is extended by its highest bit, or by the sign of a if the
 * field ends beyond it. */
template <class T> static inline T extract_field(T a, uint32_t b, uint32_t c)
{
	typedef std::make_unsigned_t<T> U;
	const uint32_t at = b & 255, length = c & 255, top = 8 * sizeof(T) - 1;
	const U field = low_ones<U>(length);
	const uint32_t last = at + length - 1 > top ? top : at + length - 1;
	const U value = right<U>((U)a, at) & field;
	const bool minus = std::is_signed_v<T> && length && ((U)a >> last & 1);
	const U there = low_ones<U>(at > top ? 0 : last - at + 1) & field;

	return (T)(minus ? (U)(value | (U)~there) : value);
}

/* shf: 32 bits of the shifted pair b:a.  wrap takes the distance modulo 32. */
template <bool to_left> static inline uint32_t funnel(uint32_t a, uint32_t b, uint32_t by)
{
	const uint64_t pair = (uint64_t)b << 32 | a;

	return (uint32_t)(to_left ? pair << by % 32 >> 32 : pair >> by % 32);
}

/* Each nibble of the selector selects a byte of b:a, or its sign bit eight times. */
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
	const uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t result = 0;

	for (unsigned n = 0; n < 4; n++) {
		const uint32_t nibble = selector >> 4 * n & 15;
		const uint32_t byte = (uint32_t)(bytes >> 8 * (nibble & 7)) & 255;

		result |= (nibble & 8 ? (0 - (byte >> 7)) & 255 : byte) << 8 * n;
	}
	return result;
}

/* lop3: any function of three bits, given by its truth table. */
static inline uint32_t logic3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
	uint32_t result = 0;

	for (unsigned n = 0; n < 8; n++)
		result |= (0 - (table >> n & 1)) & (n & 4 ? a : ~a) & (n & 2 ? b : ~b) &
			  (n & 1 ? c : ~c);
	return result;
}

/* On predicates the operands of all lanes are single words. */
template <class F> static void logic(struct warp &w, const struct instruction &i, uint32_t mask)
{
	set_predicate(w, i.out[0], F()(predicate(w, i.in[0]), predicate(w, i.in[1])), mask);
}

static void not_predicate(struct warp &w, const struct instruction &i, uint32_t mask)
{
	set_predicate(w, i.out[0], ~predicate(w, i.in[0]), mask);
}

template <class T> static void add_width(form_table &t)
{
	typedef std::make_signed_t<T> S;
	const std::string bits = suffix<T>('b');

	put(t, "and" + bits, [](T a, T b) -> T { return a & b; });
	put(t, "or" + bits, [](T a, T b) -> T { return a | b; });
	put(t, "xor" + bits, [](T a, T b) -> T { return a ^ b; });
	put(t, "not" + bits, [](T a) -> T { return ~a; });
	put(t, "shl" + bits, [](T a, uint32_t by) { return left(a, by); });
	for (const std::string &unsigned_type : { bits, suffix<T>() })
		put(t, "shr" + unsigned_type, [](T a, uint32_t by) { return right(a, by); });
	put(t, "shr" + suffix<S>(), [](S a, uint32_t by) { return right(a, by); });
}

template <class T> static void add_fields(form_table &t)
{
	typedef std::make_unsigned_t<T> U;
	const std::string bits = suffix<T>('b'), type = suffix<T>();

	put(t, "brev" + bits, [](U a) { return reverse(a); });
	put(t, "popc" + bits, [](U a) { return (uint32_t)std::popcount(a); });
	put(t, "clz" + bits, [](U a) { return (uint32_t)std::countl_zero(a); });
	put(t, "bfind" + type, [](T a) { return highest(a); });
	put(t, "bfind.shiftamt" + type, [](T a) { return shift_to_top(a); });
	put(t, "bfi" + bits,
	    [](U a, U b, uint32_t at, uint32_t length) { return insert_field(a, b, at, length); });
	put(t, "bfe" + type,
	    [](T a, uint32_t at, uint32_t length) { return extract_field(a, at, length); });
}

void add_bits(form_table &t)
{
	typedef uint32_t u32;

	add_width<uint16_t>(t);
	add_width<uint32_t>(t);
	add_width<uint64_t>(t);
	add_fields<uint32_t>(t);
	add_fields<int32_t>(t);
	add_fields<uint64_t>(t);
	add_fields<int64_t>(t);
	t["and.pred"] = { "0=00", { .run = logic<std::bit_and<u32>> } };
	t["or.pred"] = { "0=00", { .run = logic<std::bit_or<u32>> } };
	t["xor.pred"] = { "0=00", { .run = logic<std::bit_xor<u32>> } };
	t["not.pred"] = { "0=0", { .run = not_predicate } };
	put(t, "shf.l.wrap.b32", [](u32 a, u32 b, u32 c) { return funnel<true>(a, b, c); });
	put(t, "shf.r.wrap.b32", [](u32 a, u32 b, u32 c) { return funnel<false>(a, b, c); });
	put(t, "prmt.b32", [](u32 a, u32 b, u32 c) { return permute(a, b, c); });
	put(t, "lop3.b32", [](u32 a, u32 b, u32 c, u32 f) { return logic3(a, b, c, f); });
	put(t, "bmsk.clamp.b32",
	    [](u32 at, u32 length) { return left(low_ones<u32>(length), at); });
}
