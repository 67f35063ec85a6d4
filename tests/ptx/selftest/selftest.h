/* selftest.h -- tests of the PTX executor: generated kernels, with independent expected results. */
#ifndef GPUBENCH_TESTS_PTX_SELFTEST_SELFTEST_H
#define GPUBENCH_TESTS_PTX_SELFTEST_SELFTEST_H

#include <stdint.h>

#include <functional>
#include <string>
#include <vector>

/* Count a check.  If it is false, print the formatted text. */
void expect(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Record that this opcode is tested. */
void covers(const std::string &form);

/* ".version ... .entry test(.param .u64 p0, ...)" around declarations and statements. %tid holds
 * %tid.x; %p0 to %p<n-1> hold the parameters as global addresses. */
std::string kernel_text(unsigned parameters, const std::string &body);

/* Load and run the kernel named test.  The buffers are copied to it and back.  Return the text of
 * the first error, or an empty string. */
std::string run_kernel(const std::string &text, std::vector<std::vector<uint8_t>> &buffers,
		       unsigned blocks, unsigned threads, unsigned cluster = 1,
		       bool overlapped = false);

void test_arithmetic(void);
void test_floats(void);
void test_memory(void);
void test_warps(void);
void test_faults(void);
void test_weak(void);

/* The result of a form for the values of its operands, each in its low bits. */
typedef std::function<uint64_t(const uint64_t *v)> formula;

/* Check "form d, a, b;" for all values and many combinations of them. operands: widths in bytes, as
 * in "4=44"; 0 is a predicate. */
void check_form(const std::string &form, const std::string &operands,
		const std::vector<uint64_t> &values, const formula &expected);
/* The same for an explicit statement with registers d, a, b, c, e. */
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

/* The low bits of v as a two's complement number. */
static inline __int128 as_signed(uint64_t v, unsigned bits)
{
	const __int128 n = low(v, bits);

	return n >> (bits - 1) & 1 ? n - ((__int128)1 << bits) : n;
}

#endif
