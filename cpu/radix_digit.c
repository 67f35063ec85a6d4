/* radix_digit.c -- counting and moving records by an 8-bit digit (radix_digit.h). */
#include "cpu/radix_digit.h"

#include <string.h>

#include "common/radix.h"

/* Equal digits in a row would wait for each other's counter: neighbours count in own tables. */
enum { TABLES = 4 };

/* Outputs larger than this do not stay in a core's own cache. */
#define CACHED_BYTES ((size_t)512 << 10)

#define SAME(x) (x)

#define DEFINE_COUNT(type, suffix, order)                                                          \
	void radix_digit_count_##suffix(const type *key, size_t n, unsigned shift,                 \
					size_t count[RADIX_DIGITS])                                \
	{                                                                                          \
		size_t table[TABLES][RADIX_DIGITS] = { { 0 } };                                    \
		size_t i = 0;                                                                      \
                                                                                                   \
		for (; i + TABLES <= n; i += TABLES) {                                             \
			table[0][order(key[i]) >> shift & 255]++;                                  \
			table[1][order(key[i + 1]) >> shift & 255]++;                              \
			table[2][order(key[i + 2]) >> shift & 255]++;                              \
			table[3][order(key[i + 3]) >> shift & 255]++;                              \
		}                                                                                  \
		for (; i < n; i++)                                                                 \
			table[0][order(key[i]) >> shift & 255]++;                                  \
		for (size_t d = 0; d < RADIX_DIGITS; d++)                                          \
			count[d] += table[0][d] + table[1][d] + table[2][d] + table[3][d];          \
	}

#define DEFINE_SCATTER(type, suffix, order)                                                        \
	void radix_digit_scatter_##suffix(const type *key, size_t n, unsigned shift, type *out,    \
					  size_t position[RADIX_DIGITS])                           \
	{                                                                                          \
		enum { AHEAD = 64 / sizeof(type) };                                                \
                                                                                                   \
		if (n * sizeof *key <= CACHED_BYTES) {                                             \
			for (size_t i = 0; i < n; i++) {                                           \
				type x = order(key[i]);                                            \
                                                                                                   \
				out[position[x >> shift & 255]++] = x;                             \
			}                                                                          \
			return;                                                                    \
		}                                                                                  \
		for (size_t i = 0; i < n; i++) {                                                   \
			type x = order(key[i]);                                                    \
			type *to = out + position[x >> shift & 255]++;                             \
                                                                                                   \
			*to = x;                                                                   \
			__builtin_prefetch((const char *)to + sizeof(type) * AHEAD, 1);            \
		}                                                                                  \
	}

DEFINE_COUNT(uint32_t, u32, SAME)
DEFINE_COUNT(uint32_t, f32, radix_f32_order)
DEFINE_COUNT(uint64_t, u64, SAME)
DEFINE_SCATTER(uint32_t, u32, SAME)
DEFINE_SCATTER(uint32_t, f32, radix_f32_order)
DEFINE_SCATTER(uint64_t, u64, SAME)

void radix_digit_positions(const size_t *count, size_t stride, int threads, int thread,
			   size_t position[RADIX_DIGITS], size_t first[RADIX_DIGITS + 1])
{
	size_t sum = 0;

	for (size_t d = 0; d < RADIX_DIGITS; d++) {
		if (first)
			first[d] = sum;
		for (int t = 0; t < threads; t++) {
			if (t == thread)
				position[d] = sum;
			sum += count[(size_t)t * stride + d];
		}
	}
	if (first)
		first[RADIX_DIGITS] = sum;
}
