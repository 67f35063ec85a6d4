/* selftest.h -- tests of the PTX executor: generated kernels, results stated independently. */
#ifndef GPUBENCH_TESTS_PTX_SELFTEST_H
#define GPUBENCH_TESTS_PTX_SELFTEST_H

#include <stdint.h>

#include <functional>
#include <string>
#include <vector>

/* Count a check; a false one is printed with what was looked at. */
void expect(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* This opcode has been tested. */
void covers(const std::string &form);

/* ".version ... .entry test(.param .u64 p0, ...)" around declarations and statements; threads: of
 * %tid.x in %tid; parameters p0 to p<n-1> lie in %p0 and so on, as global addresses. */
std::string kernel_text(unsigned parameters, const std::string &body);

/* Load and run the kernel named test; each buffer goes in and comes back.  The text of the first
 * error, empty if there was none. */
std::string run_kernel(const std::string &text, std::vector<std::vector<uint8_t>> &buffers,
		       unsigned blocks, unsigned threads, unsigned cluster = 1,
		       bool overlapped = false);

void test_arithmetic(void);
void test_floats(void);
void test_memory(void);
void test_warps(void);
void test_faults(void);
void test_weak(void);
void test_graphs(void);

/* What a form gives for the values of its operands, each in its low bits. */
typedef std::function<uint64_t(const uint64_t *v)> formula;

/* Check "form d, a, b;" for all of the values, and for many combinations of them; widths of the operands in
 * bytes: "4=44", 0 being a predicate. */
void check_form(const std::string &form, const std::string &operands,
		const std::vector<uint64_t> &values, const formula &expected);
/* The same with a text of its own, with registers d, a, b, c, e. */
void check_statement(const std::string &form, const std::string &statement,
		     const std::string &operands, const std::vector<uint64_t> &values,
		     const formula &expected);

struct expectation {
	const char *form, *operands;
	uint64_t (*expected)(const uint64_t *v);
};

template <size_t n>
void check_all(const struct expectation (&table)[n], const std::vector<uint64_t> &values)
{
	for (const struct expectation &e : table)
		check_form(e.form, e.operands, values, e.expected);
}

static inline uint64_t low(uint64_t v, unsigned bits)
{
	return bits == 64 ? v : v & ((1ull << bits) - 1);
}

/* The number that the low bits of v are in two's complement. */
static inline __int128 as_signed(uint64_t v, unsigned bits)
{
	const __int128 n = low(v, bits);

	return n >> (bits - 1) & 1 ? n - ((__int128)1 << bits) : n;
}

#endif
