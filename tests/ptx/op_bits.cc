/* op_bits.cc -- logic, shifts, bit fields, bytes. */
#include <bit>
#include <type_traits>

#include "tests/ptx/machine.h"

template <class T> static inline T both(T a, T b)
{
	return a & b;
}

template <class T> static inline T either(T a, T b)
{
	return a | b;
}

template <class T> static inline T differ(T a, T b)
{
	return a ^ b;
}

template <class T> static inline T invert(T a)
{
	return (T)~a;
}

static inline uint32_t reverse32(uint32_t a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(a);
}

static inline uint64_t reverse64(uint64_t a)
{
	return (uint64_t)reverse32((uint32_t)a) << 32 | reverse32((uint32_t)(a >> 32));
}

template <class T> static inline uint32_t ones(T a)
{
	return (uint32_t)std::popcount(a);
}

template <class T> static inline uint32_t leading_zeros(T a)
{
	return (uint32_t)std::countl_zero(a);
}

/* The highest bit that differs from the sign; all ones if there is none. */
template <class T> static inline uint32_t highest(T a)
{
	typedef std::make_unsigned_t<T> U;
	const U bits = (U)(std::is_signed_v<T> && a < 0 ? ~a : a);

	return bits ? (uint32_t)(8 * sizeof(T) - 1 - (unsigned)std::countl_zero(bits)) : ~0u;
}

/* The same as the distance to shift it to the top. */
template <class T> static inline uint32_t shift_to_top(T a)
{
	const uint32_t bit = highest(a);

	return bit == ~0u ? bit : (uint32_t)(8 * sizeof(T)) - 1 - bit;
}

/* Shifts beyond the width give zeros, or signs. */
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

/* ---- handlers ---------------------------------------------------------------------------- */

template <class D, class T, D (*f)(T)>
static void unary(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]);

	each(mask, lanes<D>(w, i.out[0]), [=](unsigned l) { return f(a[l]); });
}

template <class T, T (*f)(T, T)>
static void binary(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]), *const b = lanes<T>(w, i.in[1]);

	each(mask, lanes<T>(w, i.out[0]), [=](unsigned l) { return f(a[l], b[l]); });
}

template <class T, T (*f)(T, uint32_t)>
static void shift(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]);
	const uint32_t *const b = lanes<uint32_t>(w, i.in[1]);

	each(mask, lanes<T>(w, i.out[0]), [=](unsigned l) { return f(a[l], b[l]); });
}

/* Predicates: the operands of all lanes are words. */
template <uint32_t (*f)(uint32_t, uint32_t)>
static void logic(struct warp &w, const struct instruction &i, uint32_t mask)
{
	set_predicate(w, i.out[0], f(predicate(w, i.in[0]), predicate(w, i.in[1])), mask);
}

static void not_predicate(struct warp &w, const struct instruction &i, uint32_t mask)
{
	set_predicate(w, i.out[0], ~predicate(w, i.in[0]), mask);
}

/* shf: 32 bits of the pair b:a, shifted; wrap takes the distance modulo 32, clamp ends at 32. */
template <bool to_left, bool wrap>
static void funnel(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint32_t *const a = lanes<uint32_t>(w, i.in[0]), *const b =
								       lanes<uint32_t>(w, i.in[1]);
	const uint32_t *const c = lanes<uint32_t>(w, i.in[2]);

	each(mask, lanes<uint32_t>(w, i.out[0]), [=](unsigned l) {
		const uint64_t pair = (uint64_t)b[l] << 32 | a[l];
		const uint32_t by = wrap ? c[l] & 31 : c[l] > 32 ? 32 : c[l];

		return to_left ? (uint32_t)(pair << by >> 32) : (uint32_t)(pair >> by);
	});
}

/* Each nibble of the selector names a byte of b:a, or its sign eight times. */
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

static void permute_bytes(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint32_t *const a = lanes<uint32_t>(w, i.in[0]), *const b =
								       lanes<uint32_t>(w, i.in[1]);
	const uint32_t *const c = lanes<uint32_t>(w, i.in[2]);

	each(mask, lanes<uint32_t>(w, i.out[0]),
	     [=](unsigned l) { return permute(a[l], b[l], c[l]); });
}

/* `length` ones from bit 0, as many as there are. */
template <class T> static inline T low_ones(uint32_t length)
{
	return length >= 8 * sizeof(T) ? (T) ~(T)0 : (T)(((T)1 << length) - 1);
}

/* bfi: the low bits of a over those of b from a position on; what passes the end is lost. */
template <class T>
static void insert_field(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]), *const b = lanes<T>(w, i.in[1]);
	const uint32_t *const c = lanes<uint32_t>(w, i.in[2]), *const d =
								       lanes<uint32_t>(w, i.in[3]);

	each(mask, lanes<T>(w, i.out[0]), [=](unsigned l) {
		const uint32_t at = c[l] & 255;
		const T field = low_ones<T>(d[l] & 255);

		return (T)((b[l] & ~left<T>(field, at)) | left<T>((T)(a[l] & field), at));
	});
}

/* bfe: a field as a number; signed ones take the sign of their highest bit, or a's past its end. */
template <class T>
static void extract_field(struct warp &w, const struct instruction &i, uint32_t mask)
{
	typedef std::make_unsigned_t<T> U;
	const T *const a = lanes<T>(w, i.in[0]);
	const uint32_t *const b = lanes<uint32_t>(w, i.in[1]), *const c =
								       lanes<uint32_t>(w, i.in[2]);

	each(mask, lanes<T>(w, i.out[0]), [=](unsigned l) {
		const uint32_t at = b[l] & 255, length = c[l] & 255, top = 8 * sizeof(T) - 1;
		const U field = low_ones<U>(length);
		const uint32_t last = at + length - 1 > top ? top : at + length - 1;
		const U value = (U)right<U>((U)a[l], at) & field;
		const bool minus = std::is_signed_v<T> && length && ((U)a[l] >> last & 1);
		const U there = low_ones<U>(at > top ? 0 : last - at + 1) & field;

		return (T)(minus ? (U)(value | (U)~there) : value);
	});
}

/* bmsk: ones from a position on; wrap takes both numbers modulo 32. */
template <bool wrap>
static void mask_bits(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint32_t *const a = lanes<uint32_t>(w, i.in[0]), *const b =
								       lanes<uint32_t>(w, i.in[1]);

	each(mask, lanes<uint32_t>(w, i.out[0]), [=](unsigned l) {
		const uint32_t at = wrap ? a[l] & 31 : a[l], length = wrap ? b[l] & 31 : b[l];

		return left<uint32_t>(low_ones<uint32_t>(length), at);
	});
}

/* lop3: any function of three bits, its table being the fourth operand. */
static void logic3(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint32_t *const a = lanes<uint32_t>(w, i.in[0]), *const b =
								       lanes<uint32_t>(w, i.in[1]);
	const uint32_t *const c = lanes<uint32_t>(w, i.in[2]), *const t =
								       lanes<uint32_t>(w, i.in[3]);

	each(mask, lanes<uint32_t>(w, i.out[0]), [=](unsigned l) {
		uint32_t result = 0;

		for (unsigned n = 0; n < 8; n++)
			result |= (0 - (t[l] >> n & 1)) & (n & 4 ? a[l] : ~a[l]) &
				  (n & 2 ? b[l] : ~b[l]) & (n & 1 ? c[l] : ~c[l]);
		return result;
	});
}

#define WIDTHS(name, handler, f, operands)                                                  \
	{ name ".b16", handler<uint16_t, f<uint16_t>>, operands("2"), ARITHMETIC },         \
		{ name ".b32", handler<uint32_t, f<uint32_t>>, operands("4"), ARITHMETIC }, \
	{                                                                                   \
		name ".b64", handler<uint64_t, f<uint64_t>>, operands("8"), ARITHMETIC      \
	}
#define TWO(width)   width "=" width width
#define SHIFT(width) width "=" width "4"
#define FIND(name, f)                                                                       \
	{ name ".u32", unary<uint32_t, uint32_t, f<uint32_t>>, "4=4", ARITHMETIC },         \
		{ name ".s32", unary<uint32_t, int32_t, f<int32_t>>, "4=4", ARITHMETIC },   \
		{ name ".u64", unary<uint32_t, uint64_t, f<uint64_t>>, "4=8", ARITHMETIC }, \
	{                                                                                   \
		name ".s64", unary<uint32_t, int64_t, f<int64_t>>, "4=8", ARITHMETIC        \
	}
#define COUNT(name, f)                                                                 \
	{ name ".b32", unary<uint32_t, uint32_t, f<uint32_t>>, "4=4", ARITHMETIC },    \
	{                                                                              \
		name ".b64", unary<uint32_t, uint64_t, f<uint64_t>>, "4=8", ARITHMETIC \
	}

static const struct form forms[] = {
	WIDTHS("and", binary, both, TWO),
	WIDTHS("or", binary, either, TWO),
	WIDTHS("xor", binary, differ, TWO),
	{ "not.b16", unary<uint16_t, uint16_t, invert<uint16_t>>, "2=2", ARITHMETIC },
	{ "not.b32", unary<uint32_t, uint32_t, invert<uint32_t>>, "4=4", ARITHMETIC },
	{ "not.b64", unary<uint64_t, uint64_t, invert<uint64_t>>, "8=8", ARITHMETIC },
	{ "and.pred", logic<both<uint32_t>>, "0=00", ARITHMETIC },
	{ "or.pred", logic<either<uint32_t>>, "0=00", ARITHMETIC },
	{ "xor.pred", logic<differ<uint32_t>>, "0=00", ARITHMETIC },
	{ "not.pred", not_predicate, "0=0", ARITHMETIC },
	WIDTHS("shl", shift, left, SHIFT),
	WIDTHS("shr", shift, right, SHIFT),
	{ "shr.u16", shift<uint16_t, right<uint16_t>>, "2=24", ARITHMETIC },
	{ "shr.s16", shift<int16_t, right<int16_t>>, "2=24", ARITHMETIC },
	{ "shr.u32", shift<uint32_t, right<uint32_t>>, "4=44", ARITHMETIC },
	{ "shr.s32", shift<int32_t, right<int32_t>>, "4=44", ARITHMETIC },
	{ "shr.u64", shift<uint64_t, right<uint64_t>>, "8=84", ARITHMETIC },
	{ "shr.s64", shift<int64_t, right<int64_t>>, "8=84", ARITHMETIC },
	{ "shf.l.wrap.b32", funnel<true, true>, "4=444", ARITHMETIC },
	{ "shf.l.clamp.b32", funnel<true, false>, "4=444", ARITHMETIC },
	{ "shf.r.wrap.b32", funnel<false, true>, "4=444", ARITHMETIC },
	{ "shf.r.clamp.b32", funnel<false, false>, "4=444", ARITHMETIC },
	{ "brev.b32", unary<uint32_t, uint32_t, reverse32>, "4=4", ARITHMETIC },
	{ "brev.b64", unary<uint64_t, uint64_t, reverse64>, "8=8", ARITHMETIC },
	COUNT("popc", ones),
	COUNT("clz", leading_zeros),
	FIND("bfind", highest),
	FIND("bfind.shiftamt", shift_to_top),
	{ "prmt.b32", permute_bytes, "4=444", ARITHMETIC },
	{ "bfi.b32", insert_field<uint32_t>, "4=4444", ARITHMETIC },
	{ "bfi.b64", insert_field<uint64_t>, "8=8844", ARITHMETIC },
	{ "bfe.u32", extract_field<uint32_t>, "4=444", ARITHMETIC },
	{ "bfe.s32", extract_field<int32_t>, "4=444", ARITHMETIC },
	{ "bfe.u64", extract_field<uint64_t>, "8=844", ARITHMETIC },
	{ "bfe.s64", extract_field<int64_t>, "8=844", ARITHMETIC },
	{ "bmsk.clamp.b32", mask_bits<false>, "4=44", ARITHMETIC },
	{ "bmsk.wrap.b32", mask_bits<true>, "4=44", ARITHMETIC },
	{ "lop3.b32", logic3, "4=4444", ARITHMETIC },
};

extern const struct form_table bit_forms;
const struct form_table bit_forms = { forms, sizeof forms / sizeof *forms };
