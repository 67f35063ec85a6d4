/* digit.c -- counts and moves records by an 8-bit digit (digit.h). */
#include "cpu/sort/digit.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "common/radix.h"

enum {
	TABLES = 4,   /* neighbours count in separate tables, so equal digits do not wait */
	BLOCK = 2048, /* records whose digits are extracted at once, in a loop that vectorises */
};

/* Outputs of at least this size are staged and written past the cache. */
#define STREAM_BYTES ((size_t)16 << 20)
enum { STAGE_BYTES = 256 };

#define SAME(x) (x)

#if defined(__SSE2__)
/* Copy STAGE_BYTES from stage to out, both aligned to a line, without reading out. */
static inline void stream(void *out, const void *stage)
{
	const __m128i *from = stage;
	__m128i *to = out;

	for (size_t i = 0; i < STAGE_BYTES / sizeof *to; i++)
		_mm_stream_si128(to + i, from[i]);
}

/* Order streamed stores before those that follow. */
static inline void stream_end(void)
{
	_mm_sfence();
}
#else
static inline void stream(void *out, const void *stage)
{
	memcpy(out, stage, STAGE_BYTES);
}

static inline void stream_end(void)
{
}
#endif

#define DEFINE_EXTRACT(type, suffix, order)                                                     \
	static void extract_##suffix(const type *key, size_t n, unsigned shift, uint8_t *digit) \
	{                                                                                       \
		for (size_t i = 0; i < n; i++)                                                  \
			digit[i] = (uint8_t)(order(key[i]) >> shift);                           \
	}

static void count_digits(const uint8_t *digit, size_t n, size_t table[TABLES][RADIX_DIGITS])
{
	size_t i = 0;

	for (; i + TABLES <= n; i += TABLES) {
		table[0][digit[i]]++;
		table[1][digit[i + 1]]++;
		table[2][digit[i + 2]]++;
		table[3][digit[i + 3]]++;
	}
	for (; i < n; i++)
		table[0][digit[i]]++;
}

#define DEFINE_COUNT(type, suffix)                                                         \
	void radix_digit_count_##suffix(const type *key, size_t n, unsigned shift,         \
					size_t count[RADIX_DIGITS])                        \
	{                                                                                  \
		size_t table[TABLES][RADIX_DIGITS] = { { 0 } };                            \
		uint8_t digit[BLOCK];                                                      \
                                                                                           \
		for (size_t i = 0; i < n; i += BLOCK) {                                    \
			size_t length = n - i < BLOCK ? n - i : BLOCK;                     \
                                                                                           \
			extract_##suffix(key + i, length, shift, digit);                   \
			count_digits(digit, length, table);                                \
		}                                                                          \
		for (size_t d = 0; d < RADIX_DIGITS; d++)                                  \
			count[d] += table[0][d] + table[1][d] + table[2][d] + table[3][d]; \
	}

#define DEFINE_SCATTER(type, suffix, order)                                                     \
	static void plain_##suffix(const type *key, size_t n, unsigned shift, type *out,        \
				   size_t position[RADIX_DIGITS])                               \
	{                                                                                       \
		for (size_t i = 0; i < n; i++) {                                                \
			type x = order(key[i]);                                                 \
			type *to = out + position[x >> shift & 255]++;                          \
                                                                                                \
			*to = x;                                                                \
			__builtin_prefetch(RADIX_NEXT_LINE(to), 1);                             \
		}                                                                               \
	}                                                                                       \
                                                                                                \
	/* Scatter through a stage per digit: a window of the output aligned to its size. */    \
	static void staged_##suffix(const type *key, size_t n, unsigned shift, type *out,       \
				    size_t position[RADIX_DIGITS])                              \
	{                                                                                       \
		enum { ROOM = STAGE_BYTES / sizeof(type) };                                     \
		_Alignas(64) type stage[RADIX_DIGITS][ROOM];                                    \
		size_t first[RADIX_DIGITS];                                                     \
                                                                                                \
		memcpy(first, position, sizeof first);                                          \
		for (size_t i = 0; i < n; i++) {                                                \
			type x = order(key[i]);                                                 \
			size_t d = x >> shift & 255, p = position[d]++;                         \
                                                                                                \
			stage[d][p % ROOM] = x;                                                 \
			if (p % ROOM < ROOM - 1)                                                \
				continue;                                                       \
			if (p - (ROOM - 1) >= first[d])                                         \
				stream(out + p - (ROOM - 1), stage[d]);                         \
			else                                                                    \
				memcpy(out + first[d], &stage[d][first[d] % ROOM],              \
				       (p + 1 - first[d]) * sizeof *out);                       \
		}                                                                               \
		for (size_t d = 0; d < RADIX_DIGITS; d++) {                                     \
			size_t begin = position[d] / ROOM * ROOM;                               \
                                                                                                \
			if (begin < first[d])                                                   \
				begin = first[d];                                               \
			memcpy(out + begin, &stage[d][begin % ROOM],                            \
			       (position[d] - begin) * sizeof *out);                            \
		}                                                                               \
		stream_end();                                                                   \
	}                                                                                       \
                                                                                                \
	void radix_digit_scatter_##suffix(const type *key, size_t n, unsigned shift, type *out, \
					  size_t position[RADIX_DIGITS])                        \
	{                                                                                       \
		if (n * sizeof *key >= STREAM_BYTES && (uintptr_t)out % STAGE_BYTES == 0)       \
			staged_##suffix(key, n, shift, out, position);                          \
		else                                                                            \
			plain_##suffix(key, n, shift, out, position);                           \
	}

DEFINE_EXTRACT(uint32_t, u32, SAME)
DEFINE_EXTRACT(uint32_t, f32, radix_f32_order)
DEFINE_EXTRACT(uint64_t, u64, SAME)
DEFINE_COUNT(uint32_t, u32)
DEFINE_COUNT(uint32_t, f32)
DEFINE_COUNT(uint64_t, u64)
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
