/* selftest_arithmetic.cc -- integers and bits, in numbers of 128 bits and bit by bit. */
#include "tests/ptx/selftest/selftest.h"

static const std::vector<uint64_t> values = {
	0,
	1,
	2,
	3,
	5,
	7,
	8,
	15,
	16,
	17,
	31,
	32,
	33,
	63,
	64,
	65,
	127,
	128,
	255,
	256,
	0x1f03,
	0x7654,
	0x7fff,
	0x8000,
	0xffff,
	0x10000,
	0xfedc,
	~0ull,
	~1ull,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x80000001,
	0xaaaaaaaa,
	0x12345678,
	1ull << 32,
	1ull << 62,
	1ull << 63,
	~0ull >> 1,
	0x0123456789abcdefull,
	0xfedcba9876543210ull,
};

/* ---- arithmetic -------------------------------------------------------------------------- */

#define S(n, bits) as_signed(v[n], bits)
#define U(n, bits) as_unsigned(v[n], bits)
#define E(form, operands, value)                                    \
	{                                                           \
		form, operands, [](const uint64_t *v) -> uint64_t { \
			(void)v;                                    \
			return (uint64_t)(value);                   \
		}                                                   \
	}
#define TYPES(name, s, u)                                                     \
	E(name ".s16", "2=22", s(16)), E(name ".u16", "2=22", u(16)),         \
		E(name ".s32", "4=44", s(32)), E(name ".u32", "4=44", u(32)), \
		E(name ".s64", "8=88", s(64)), E(name ".u64", "8=88", u(64))

#define ADD(b)   (S(0, b) + S(1, b))
#define SUB(b)   (S(0, b) - S(1, b))
#define MUL(b)   ((unsigned __int128)U(0, b) * (unsigned __int128)U(1, b))
#define HI_S(b)  (S(0, b) * S(1, b) >> b)
#define HI_U(b)  (((unsigned __int128)U(0, b) * (unsigned __int128)U(1, b)) >> b)
#define DIV_S(b) (S(1, b) == 0 ? -1 : S(0, b) / S(1, b))
#define DIV_U(b) (U(1, b) == 0 ? -1 : U(0, b) / U(1, b))
#define REM_S(b) (S(1, b) == 0 ? S(0, b) : S(0, b) % S(1, b))
#define REM_U(b) (U(1, b) == 0 ? U(0, b) : U(0, b) % U(1, b))
#define MIN_S(b) (S(0, b) < S(1, b) ? S(0, b) : S(1, b))
#define MIN_U(b) (U(0, b) < U(1, b) ? U(0, b) : U(1, b))
#define MAX_S(b) (S(0, b) > S(1, b) ? S(0, b) : S(1, b))
#define MAX_U(b) (U(0, b) > U(1, b) ? U(0, b) : U(1, b))
#define MAD(b)   (MUL(b) + (unsigned __int128)U(2, b))

static const struct expectation arithmetic[] = {
	TYPES("add", ADD, ADD),
	TYPES("sub", SUB, SUB),
	TYPES("mul.lo", MUL, MUL),
	TYPES("mul.hi", HI_S, HI_U),
	TYPES("div", DIV_S, DIV_U),
	TYPES("rem", REM_S, REM_U),
	TYPES("min", MIN_S, MIN_U),
	TYPES("max", MAX_S, MAX_U),
	E("neg.s16", "2=2", -S(0, 16)),
	E("neg.s32", "4=4", -S(0, 32)),
	E("neg.s64", "8=8", -S(0, 64)),
	E("abs.s16", "2=2", S(0, 16) < 0 ? -S(0, 16) : S(0, 16)),
	E("abs.s32", "4=4", S(0, 32) < 0 ? -S(0, 32) : S(0, 32)),
	E("abs.s64", "8=8", S(0, 64) < 0 ? -S(0, 64) : S(0, 64)),
	E("mad.lo.s16", "2=222", MAD(16)),
	E("mad.lo.u16", "2=222", MAD(16)),
	E("mad.lo.s32", "4=444", MAD(32)),
	E("mad.lo.u32", "4=444", MAD(32)),
	E("mad.lo.s64", "8=888", MAD(64)),
	E("mad.lo.u64", "8=888", MAD(64)),
	E("mul.wide.s16", "4=22", S(0, 16) * S(1, 16)),
	E("mul.wide.u16", "4=22", U(0, 16) * U(1, 16)),
	E("mul.wide.s32", "8=44", S(0, 32) * S(1, 32)),
	E("mul.wide.u32", "8=44", U(0, 32) * U(1, 32)),
	E("mad.wide.s32", "8=448", S(0, 32) * S(1, 32) + S(2, 64)),
	E("mad.wide.u32", "8=448", U(0, 32) * U(1, 32) + U(2, 64)),
};

/* ---- bits -------------------------------------------------------------------------------- */

static bool bit(uint64_t v, unsigned n)
{
	return n < 64 && (v >> n & 1);
}

/* A shift as that many steps of one. */
static uint64_t shift_left(uint64_t a, uint64_t by, unsigned bits)
{
	for (uint64_t n = 0; n < by && n < 100; n++)
		a = low((__int128)a * 2, bits);
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

/* The manual's bfind: the highest bit unlike the sign. */
static uint64_t find(uint64_t a, unsigned bits, bool sign, bool amount)
{
	const bool minus = sign && bit(a, bits - 1);

	for (unsigned n = bits; n-- > 0;)
		if (bit(a, n) != minus)
			return amount ? bits - 1 - n : n;
	return ~0ull;
}

static uint64_t funnel(const uint64_t *v, bool left, bool wrap)
{
	const unsigned by = wrap ? (unsigned)v[2] % 32 : v[2] > 32 ? 32 : (unsigned)v[2];
	uint64_t r = 0;

	for (unsigned n = 0; n < 32; n++) {
		const unsigned from = left ? 32 + n - by : n + by; /* in b:a */

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

/* As the manual writes it. */
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
	const unsigned last = at + length - 1 < msb ? at + length - 1 : msb;
	const bool fill = sign && length && bit(v[0], last);
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

#define BITS(name, f) \
	E(name ".b16", "2=22", f(16)), E(name ".b32", "4=44", f(32)), E(name ".b64", "8=88", f(64))
#define AND(b) (v[0] + v[1] - (v[0] | v[1]))
#define OR(b)  ~(~v[0] & ~v[1])
#define XOR(b) ((v[0] | v[1]) & ~(v[0] & v[1]))
#define FIND(name, amount)                                            \
	E(name ".u32", "4=4", find(v[0], 32, false, amount)),         \
		E(name ".s32", "4=4", find(v[0], 32, true, amount)),  \
		E(name ".u64", "4=8", find(v[0], 64, false, amount)), \
		E(name ".s64", "4=8", find(v[0], 64, true, amount))

static const struct expectation bits[] = {
	BITS("and", AND),
	BITS("or", OR),
	BITS("xor", XOR),
	E("not.b16", "2=2", -1 - S(0, 16)),
	E("not.b32", "4=4", -1 - S(0, 32)),
	E("not.b64", "8=8", -1 - S(0, 64)),
	E("and.pred", "0=00", v[0] && v[1]),
	E("or.pred", "0=00", v[0] || v[1]),
	E("xor.pred", "0=00", v[0] != v[1]),
	E("not.pred", "0=0", !v[0]),
	E("mov.pred", "0=0", v[0]),
	E("shl.b16", "2=24", shift_left(v[0], v[1], 16)),
	E("shl.b32", "4=44", shift_left(v[0], v[1], 32)),
	E("shl.b64", "8=84", shift_left(v[0], v[1], 64)),
	E("shr.b16", "2=24", shift_right(v[0], v[1], 16, false)),
	E("shr.b32", "4=44", shift_right(v[0], v[1], 32, false)),
	E("shr.b64", "8=84", shift_right(v[0], v[1], 64, false)),
	E("shr.u16", "2=24", shift_right(v[0], v[1], 16, false)),
	E("shr.u32", "4=44", shift_right(v[0], v[1], 32, false)),
	E("shr.u64", "8=84", shift_right(v[0], v[1], 64, false)),
	E("shr.s16", "2=24", shift_right(v[0], v[1], 16, true)),
	E("shr.s32", "4=44", shift_right(v[0], v[1], 32, true)),
	E("shr.s64", "8=84", shift_right(v[0], v[1], 64, true)),
	E("shf.l.wrap.b32", "4=444", funnel(v, true, true)),
	E("shf.l.clamp.b32", "4=444", funnel(v, true, false)),
	E("shf.r.wrap.b32", "4=444", funnel(v, false, true)),
	E("shf.r.clamp.b32", "4=444", funnel(v, false, false)),
	E("brev.b32", "4=4", reverse(v[0], 32)),
	E("brev.b64", "8=8", reverse(v[0], 64)),
	E("popc.b32", "4=4", count_ones(v[0])),
	E("popc.b64", "4=8", count_ones(v[0])),
	E("clz.b32", "4=4", zeros_above(v[0], 32)),
	E("clz.b64", "4=8", zeros_above(v[0], 64)),
	FIND("bfind", false),
	FIND("bfind.shiftamt", true),
	E("prmt.b32", "4=444", permute(v)),
	E("bfi.b32", "4=4444", insert(v, 32)),
	E("bfi.b64", "8=8844", insert(v, 64)),
	E("bfe.u32", "4=444", extract(v, 32, false)),
	E("bfe.s32", "4=444", extract(v, 32, true)),
	E("bfe.u64", "8=844", extract(v, 64, false)),
	E("bfe.s64", "8=844", extract(v, 64, true)),
	E("bmsk.clamp.b32", "4=44", mask_of(v[0], v[1])),
	E("bmsk.wrap.b32", "4=44", mask_of(v[0] % 32, v[1] % 32)),
};

/* ---- moves, selections, comparisons, conversions ----------------------------------------- */

static void check_moves(void)
{
	static const char *const types[] = { "b16", "u16", "s16", "b32", "u32", "s32",
					     "f32", "b64", "u64", "s64", "f64" };

	for (const char *t : types) {
		const unsigned bytes = (unsigned)atoi(t + 1) / 8;
		const std::string w = std::to_string(bytes);

		check_statement(
			std::string("mov.") + t, std::string("mov.") + t + " d, a;",
			(w + "=" + w).c_str(), [](const uint64_t *v) { return v[0]; }, values);
		check_statement(
			std::string("selp.") + t, std::string("selp.") + t + " d, a, b, c;",
			(w + "=" + w + w + "0").c_str(),
			[](const uint64_t *v) { return v[2] ? v[0] : v[1]; }, values);
	}
	check_statement(
		"mov.b64", "mov.b64 d, {a, b};", "8=44",
		[](const uint64_t *v) { return v[1] << 32 | v[0]; }, values);
	check_statement(
		"mov.b64", ".reg .b32 %lo; mov.b64 {%lo, d}, a;", "4=8",
		[](const uint64_t *v) { return v[0] >> 32; }, values);
	check_statement(
		"mov.b64", ".reg .b32 %hi; mov.b64 {d, %hi}, a;", "4=8",
		[](const uint64_t *v) { return v[0]; }, values);
	check_statement(
		"mov.b32", "mov.b32 d, {a, b};", "4=22",
		[](const uint64_t *v) { return v[1] << 16 | v[0]; }, values);
	check_statement(
		"lop3.b32", "lop3.b32 d, a, b, c, 0x1e;", "4=444",
		[](const uint64_t *v) { return logic3(v, 0x1e); }, values);
}

#define C(form, operands, value) E("setp." form, operands, value)
#define ORDERED(type, operands, x, bits)                           \
	C("eq." type, operands, x(0, bits) == x(1, bits)),         \
		C("ne." type, operands, x(0, bits) != x(1, bits)), \
		C("lt." type, operands, x(0, bits) < x(1, bits)),  \
		C("le." type, operands, x(0, bits) <= x(1, bits)), \
		C("gt." type, operands, x(0, bits) > x(1, bits)),  \
		C("ge." type, operands, x(0, bits) >= x(1, bits))

static const struct expectation comparisons[] = {
	ORDERED("s16", "0=22", S, 16),
	ORDERED("u16", "0=22", U, 16),
	ORDERED("s32", "0=44", S, 32),
	ORDERED("u32", "0=44", U, 32),
	ORDERED("s64", "0=88", S, 64),
	ORDERED("u64", "0=88", U, 64),
	C("eq.b16", "0=22", v[0] == v[1]),
	C("ne.b16", "0=22", v[0] != v[1]),
	C("eq.b32", "0=44", v[0] == v[1]),
	C("ne.b32", "0=44", v[0] != v[1]),
	C("eq.b64", "0=88", v[0] == v[1]),
	C("ne.b64", "0=88", v[0] != v[1]),
	C("lt.and.s32", "0=440", S(0, 32) < S(1, 32) && v[2]),
	C("lt.or.s32", "0=440", S(0, 32) < S(1, 32) || v[2]),
	C("lt.xor.s32", "0=440", (S(0, 32) < S(1, 32)) != (bool)v[2]),
};

/* cvt between integers: the number, cut to the result, extended to the register. */
static const struct expectation conversions[] = {
	E("cvt.u32.u64", "4=8", U(0, 64)),    E("cvt.u64.u32", "8=4", U(0, 32)),
	E("cvt.s64.s32", "8=4", S(0, 32)),    E("cvt.u32.u16", "4=2", U(0, 16)),
	E("cvt.u16.u32", "2=4", U(0, 32)),    E("cvt.s32.s16", "4=2", S(0, 16)),
	E("cvt.u16.u64", "2=8", U(0, 64)),    E("cvt.u64.u16", "8=2", U(0, 16)),
	E("cvt.s32.s8", "4=2", S(0, 8)),      E("cvt.u32.u8", "4=2", U(0, 8)),
	E("cvt.s16.s8", "2=2", S(0, 8)),      E("cvt.u16.u8", "2=2", U(0, 8)),
	E("cvt.s64.s16", "8=2", S(0, 16)),    E("cvt.s32.s64", "4=8", S(0, 64)),
	E("cvt.u8.u32", "4=4", U(0, 8)),      E("cvt.s8.s32", "4=4", S(0, 8)),
	E("cvt.s64.s8", "8=2", S(0, 8)),      E("cvt.u64.u8", "8=2", U(0, 8)),
	E("cvta.to.global.u64", "8=8", v[0]),
};

void test_arithmetic(void)
{
	for (const struct expectation &e : arithmetic)
		check_expectation(e, values);
	for (const struct expectation &e : bits)
		check_expectation(e, values);
	for (const struct expectation &e : comparisons)
		check_expectation(e, values);
	for (const struct expectation &e : conversions)
		check_expectation(e, values);
	check_moves();
	check_statement(
		"setp.lt.s32", ".reg .pred %q; setp.lt.s32 %q|d, a, b;", "0=44",
		[](const uint64_t *v) {
			return (uint64_t) !(as_signed(v[0], 32) < as_signed(v[1], 32));
		},
		values);
}
