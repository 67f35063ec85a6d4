/* selftest_arithmetic.cc -- integers and bits, checked with 128-bit numbers and bit by bit. */
#include <algorithm>

#include "tests/ptx/selftest/selftest.h"

typedef __int128 number;
typedef unsigned __int128 natural;

/* Small numbers, numbers around powers of two, and bit patterns. */
static std::vector<uint64_t> make_values(void)
{
	std::vector<uint64_t> values = {
		0x0000000000000000, 0x0000000000000003, 0x0000000000000005, 0x0000000000000007,
		0x0000000000000011, 0x0000000000000021, 0x0000000000001f03, 0x0000000000007654,
		0x000000000000fedc, 0x00000000aaaaaaaa, 0x0000000012345678, 0x0000000080000001,
		0xffffffffffffffff, 0xfffffffffffffffe, 0x0123456789abcdef, 0xfedcba9876543210,
	};

	for (const unsigned n : { 0, 1, 3, 4, 5, 6, 7, 8, 15, 16, 31, 32, 62, 63 })
		values.push_back(1ull << n);
	for (const unsigned n : { 4, 5, 6, 7, 8, 15, 16, 31, 32, 63 })
		values.push_back((1ull << n) - 1);
	return values;
}

static const std::vector<uint64_t> values = make_values();

/* ---- numbers ----------------------------------------------------------------------------- */

static number number_of(uint64_t v, unsigned bits, bool sign)
{
	return sign ? as_signed(v, bits) : (number)low(v, bits);
}

/* The width of the result: the operands', twice that (as for a third operand), or a predicate. */
enum result { AS_OPERANDS, TWICE_AS_WIDE, TRUTH };

#define OPERATION(name, sources, result, formula)                                        \
	{                                                                                \
		name, sources, result,                                                   \
			[]([[maybe_unused]] number a, [[maybe_unused]] number b,         \
			   [[maybe_unused]] number c,                                    \
			   [[maybe_unused]] unsigned bits) -> number { return formula; } \
	}

static const struct operation {
	const char *name;
	unsigned sources;
	enum result result;
	number (*value)(number a, number b, number c, unsigned bits);
} operations[] = {
	OPERATION("add", 2, AS_OPERANDS, a + b),
	OPERATION("sub", 2, AS_OPERANDS, a - b),
	OPERATION("mul.lo", 2, AS_OPERANDS, (natural)a *(natural)b),
	OPERATION("mul.hi", 2, AS_OPERANDS, (natural)a *(natural)b >> bits),
	OPERATION("mul.wide", 2, TWICE_AS_WIDE, a *b),
	OPERATION("mad.lo", 3, AS_OPERANDS, (natural)a *(natural)b + (natural)c),
	OPERATION("mad.wide", 3, TWICE_AS_WIDE, a *b + c),
	OPERATION("div", 2, AS_OPERANDS, b ? a / b : -1),
	OPERATION("rem", 2, AS_OPERANDS, b ? a % b : a),
	OPERATION("min", 2, AS_OPERANDS, a < b ? a : b),
	OPERATION("max", 2, AS_OPERANDS, a > b ? a : b),
	OPERATION("neg", 1, AS_OPERANDS, -a),
	OPERATION("abs", 1, AS_OPERANDS, a < 0 ? -a : a),
	OPERATION("setp.eq", 2, TRUTH, a == b),
	OPERATION("setp.ne", 2, TRUTH, a != b),
	OPERATION("setp.lt", 2, TRUTH, a < b),
	OPERATION("setp.le", 2, TRUTH, a <= b),
	OPERATION("setp.gt", 2, TRUTH, a > b),
	OPERATION("setp.ge", 2, TRUTH, a >= b),
};

static std::string type_name(bool sign, unsigned bits)
{
	return (sign ? ".s" : ".u") + std::to_string(bits);
}

static void check_operation(const struct operation &o, unsigned bits, bool sign)
{
	const bool wide = o.result == TWICE_AS_WIDE;
	const std::string form = o.name + type_name(sign, bits), w = std::to_string(bits / 8);
	const std::string w2 = std::to_string((wide ? 2 : 1) * bits / 8);
	const std::string operands = (o.result == TRUTH ? "0" : w2) + "=" + w +
				     (o.sources > 1 ? w : "") + (o.sources > 2 ? w2 : "");

	if ((wide && bits == 64) || (o.sources == 1 && !sign))
		return;
	check_form(form, operands, values, [&](const uint64_t *v) {
		return (uint64_t)o.value(number_of(v[0], bits, sign), number_of(v[1], bits, sign),
					 number_of(v[2], wide ? 2 * bits : bits, sign), bits);
	});
}

/* cvt between integers: the number is truncated to the result, then extended to the register. */
static void check_conversion(unsigned to, bool to_sign, unsigned from, bool from_sign)
{
	const std::string widths = { (char)('0' + std::max(to, 16u) / 8), '=',
				     (char)('0' + std::max(from, 16u) / 8) };

	check_form("cvt" + type_name(to_sign, to) + type_name(from_sign, from), widths, values,
		   [&](const uint64_t *v) {
			   const number n = number_of(v[0], from, from_sign);

			   return (uint64_t)number_of((uint64_t)n, to, to_sign);
		   });
}

/* ---- bits -------------------------------------------------------------------------------- */

static bool bit(uint64_t v, unsigned n)
{
	return n < 64 && (v >> n & 1);
}

/* A shift as a sequence of shifts by one. */
static uint64_t shift_left(uint64_t a, uint64_t by, unsigned bits)
{
	for (uint64_t n = 0; n < by && n < 100; n++)
		a = low(a * 2, bits);
	return a;
}

static uint64_t shift_right(uint64_t a, uint64_t by, unsigned bits, bool sign)
{
	const uint64_t top = sign && bit(a, bits - 1) ? 1ull << (bits - 1) : 0;

	for (uint64_t n = 0; n < by && n < 100; n++)
		a = a / 2 | top;
	return a;
}

static uint64_t reverse(uint64_t a, unsigned bits)
{
	uint64_t r = 0;

	for (unsigned n = 0; n < bits; n++)
		r |= (uint64_t)bit(a, n) << (bits - 1 - n);
	return r;
}

static uint64_t count_ones(uint64_t a)
{
	uint64_t n = 0;

	for (; a; a /= 2)
		n += a % 2;
	return n;
}

static uint64_t zeros_above(uint64_t a, unsigned bits)
{
	uint64_t n = 0;

	while (n < bits && !bit(a, bits - 1 - (unsigned)n))
		n++;
	return n;
}

/* The position of the highest bit that differs from the sign, from bit 0 or from the top. */
static uint64_t find(uint64_t a, unsigned bits, bool sign, bool from_top)
{
	const bool minus = sign && bit(a, bits - 1);

	for (unsigned n = bits; n-- > 0;)
		if (bit(a, n) != minus)
			return from_top ? bits - 1 - n : n;
	return ~0ull;
}

static uint64_t funnel(const uint64_t *v, bool left)
{
	const unsigned by = (unsigned)v[2] % 32;
	uint64_t r = 0;

	for (unsigned n = 0; n < 32; n++) {
		const unsigned from = left ? 32 + n - by : n + by; /* bit position in b:a */

		r |= (uint64_t)(from < 32 ? bit(v[0], from) : bit(v[1], from - 32)) << n;
	}
	return r;
}

static uint64_t permute(const uint64_t *v)
{
	uint8_t bytes[8], result[4];

	for (unsigned n = 0; n < 4; n++) {
		bytes[n] = (uint8_t)(v[0] >> 8 * n);
		bytes[4 + n] = (uint8_t)(v[1] >> 8 * n);
	}
	for (unsigned n = 0; n < 4; n++) {
		const unsigned selector = (unsigned)(v[2] >> 4 * n) & 15;

		result[n] = bytes[selector % 8];
		if (selector >= 8)
			result[n] = result[n] >= 0x80 ? 0xff : 0;
	}
	return result[0] + 256u * result[1] + 65536u * result[2] + (uint64_t)result[3] * (1u << 24);
}

/* insert() and extract() are written as in the manual. */
static uint64_t insert(const uint64_t *v, unsigned bits)
{
	const unsigned at = v[2] & 255, length = v[3] & 255;
	uint64_t f = v[1];

	for (unsigned n = 0; n < length && at + n < bits; n++) {
		f &= ~(1ull << (at + n));
		f |= (uint64_t)bit(v[0], n) << (at + n);
	}
	return f;
}

static uint64_t extract(const uint64_t *v, unsigned bits, bool sign)
{
	const unsigned at = v[1] & 255, length = v[2] & 255, msb = bits - 1;
	const bool fill = sign && length && bit(v[0], std::min(at + length - 1, msb));
	uint64_t d = 0;

	for (unsigned n = 0; n <= msb; n++)
		d |= (uint64_t)(n < length && at + n <= msb ? bit(v[0], at + n) : fill) << n;
	return d;
}

static uint64_t mask_of(uint64_t at, uint64_t length)
{
	uint64_t r = 0;

	for (uint64_t n = 0; n < 32; n++)
		r |= (uint64_t)(n >= at && n - at < length) << n;
	return r;
}

static uint64_t logic3(const uint64_t *v, unsigned table)
{
	uint64_t r = 0;

	for (unsigned n = 0; n < 32; n++) {
		const unsigned row = 4u * bit(v[0], n) + 2u * bit(v[1], n) + bit(v[2], n);

		r |= (uint64_t)(table >> row & 1) << n;
	}
	return r;
}

#define E(form, operands, value)                                                                \
	{                                                                                       \
		form, operands, [](const uint64_t *v) -> uint64_t { return (uint64_t)(value); } \
	}
#define BITS(b, w)                                                               \
	E("and.b" #b, #w "=" #w #w, v[0] + v[1] - (v[0] | v[1])),                \
		E("or.b" #b, #w "=" #w #w, ~(~v[0] & ~v[1])),                    \
		E("xor.b" #b, #w "=" #w #w, (v[0] | v[1]) & ~(v[0] & v[1])),     \
		E("not.b" #b, #w "=" #w, -1 - v[0]),                             \
		E("shl.b" #b, #w "=" #w "4", shift_left(v[0], v[1], b)),         \
		E("shr.b" #b, #w "=" #w "4", shift_right(v[0], v[1], b, false)), \
		E("shr.u" #b, #w "=" #w "4", shift_right(v[0], v[1], b, false)), \
		E("shr.s" #b, #w "=" #w "4", shift_right(v[0], v[1], b, true)),  \
		E("setp.eq.b" #b, "0=" #w #w, v[0] == v[1]),                     \
		E("setp.ne.b" #b, "0=" #w #w, v[0] != v[1])

#define FIELDS(type, b, sign, w)                                             \
	E("bfind" type, "4=" w, find(v[0], b, sign, false)),                 \
		E("bfind.shiftamt" type, "4=" w, find(v[0], b, sign, true)), \
		E("bfe" type, w "=" w "44", extract(v, b, sign))

static const struct expectation bits[] = {
	BITS(16, 2),
	BITS(32, 4),
	BITS(64, 8),
	E("and.pred", "0=00", v[0] && v[1]),
	E("or.pred", "0=00", v[0] || v[1]),
	E("xor.pred", "0=00", v[0] != v[1]),
	E("not.pred", "0=0", !v[0]),
	E("mov.pred", "0=0", v[0]),
	E("shf.l.wrap.b32", "4=444", funnel(v, true)),
	E("shf.r.wrap.b32", "4=444", funnel(v, false)),
	E("brev.b32", "4=4", reverse(v[0], 32)),
	E("brev.b64", "8=8", reverse(v[0], 64)),
	E("popc.b32", "4=4", count_ones(v[0])),
	E("popc.b64", "4=8", count_ones(v[0])),
	E("clz.b32", "4=4", zeros_above(v[0], 32)),
	E("clz.b64", "4=8", zeros_above(v[0], 64)),
	FIELDS(".u32", 32, false, "4"),
	FIELDS(".s32", 32, true, "4"),
	FIELDS(".u64", 64, false, "8"),
	FIELDS(".s64", 64, true, "8"),
	E("prmt.b32", "4=444", permute(v)),
	E("bfi.b32", "4=4444", insert(v, 32)),
	E("bfi.b64", "8=8844", insert(v, 64)),
	E("bmsk.clamp.b32", "4=44", mask_of(v[0], v[1])),
	E("cvta.to.global.u64", "8=8", v[0]),
};

/* ---- moves ------------------------------------------------------------------------------- */

static void check_moves(void)
{
	for (const std::string type :
	     { "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64" }) {
		const std::string w = std::to_string(std::stoi(type.substr(1)) / 8);

		check_form("mov." + type, w + "=" + w, values,
			   [](const uint64_t *v) { return v[0]; });
		check_form("selp." + type, w + "=" + w + w + "0", values,
			   [](const uint64_t *v) { return v[2] ? v[0] : v[1]; });
	}
	check_statement("mov.b64", "mov.b64 d, {a, b};", "8=44", values,
			[](const uint64_t *v) { return v[1] << 32 | v[0]; });
	check_statement("mov.b64", ".reg .b32 %lo; mov.b64 {%lo, d}, a;", "4=8", values,
			[](const uint64_t *v) { return v[0] >> 32; });
	check_statement("mov.b64", ".reg .b32 %hi; mov.b64 {d, %hi}, a;", "4=8", values,
			[](const uint64_t *v) { return v[0]; });
	check_statement("lop3.b32", "lop3.b32 d, a, b, c, 0x1e;", "4=444", values,
			[](const uint64_t *v) { return logic3(v, 0x1e); });
}

void test_arithmetic(void)
{
	for (const bool sign : { false, true })
		for (const unsigned b : { 16, 32, 64 })
			for (const struct operation &o : operations)
				check_operation(o, b, sign);
	for (const unsigned to : { 8, 16, 32, 64 })
		for (const unsigned from : { 8, 16, 32, 64 })
			for (const unsigned signs : { 0, 1, 2, 3 })
				check_conversion(to, signs & 1, from, signs & 2);
	check_all(bits, values);
	check_moves();
}
