/* digits.cc -- counts, moves and sorts records by 8-bit digits.
 *
 * Moving is a plain scatter: one load of a position, one store of the record.  Each store also
 * prefetches the next line.  The hardware follows only some of the 256 output streams, so a thread
 * would otherwise wait for a miss per line; where everything is in the cache, the prefetch costs
 * nothing.  Outputs far larger than the cache are collected in a few lines per digit and streamed
 * to memory, which saves reading what is overwritten.
 */
#include <string.h>

#include <algorithm>
#include <utility>

#include "cpu/primitives/sort.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace
{
enum : size_t {
	TABLES = 4,   /* neighbours count in separate tables, so equal digits do not wait */
	BLOCK = 2048, /* records whose digits are extracted at once, in a loop that vectorises */
	STREAM_BYTES = 16 << 20, /* outputs of at least this size are staged */
	STAGE_BYTES = 256,
	FEW = 24, /* records that are inserted one by one */
};

typedef struct radix_digit digit_bits;
__extension__ typedef unsigned __int128 uint128;

template <class K> unsigned digit_of(K record, digit_bits digit)
{
	return (unsigned)(record >> digit.shift) & digit.mask;
}

template <class K> void count_digits(const void *from, size_t n, digit_bits bits, size_t *count)
{
	const K *record = static_cast<const K *>(from);
	size_t table[TABLES][RADIX_DIGITS] = {};
	uint8_t digit[BLOCK];

	for (size_t begin = 0; begin < n; begin += BLOCK) {
		const size_t length = n - begin < BLOCK ? n - begin : (size_t)BLOCK;
		size_t i = 0;

		for (size_t k = 0; k < length; k++)
			digit[k] = (uint8_t)digit_of(record[begin + k], bits);
		for (; i + TABLES <= length; i += TABLES)
			for (size_t t = 0; t < TABLES; t++)
				table[t][digit[i + t]]++;
		for (; i < length; i++)
			table[0][digit[i]]++;
	}
	for (size_t d = 0; d < RADIX_DIGITS; d++)
		count[d] += table[0][d] + table[1][d] + table[2][d] + table[3][d];
}

template <class K>
void scatter(const K *record, size_t n, digit_bits bits, K *out, size_t *position)
{
	for (size_t i = 0; i < n; i++) {
		const K x = record[i];
		K *const to = out + position[digit_of(x, bits)]++;

		*to = x;
		__builtin_prefetch((const char *)to + 64, 1);
	}
}

/* Copy STAGE_BYTES from stage to out, both aligned to a line, without reading out. */
void stream(void *out, const void *stage)
{
#if defined(__SSE2__)
	const __m128i *from = static_cast<const __m128i *>(stage);
	__m128i *to = static_cast<__m128i *>(out);

	for (size_t i = 0; i < STAGE_BYTES / sizeof *to; i++)
		_mm_stream_si128(to + i, from[i]);
#else
	memcpy(out, stage, STAGE_BYTES);
#endif
}

/* Scatter through a stage per digit: a window of the output aligned to its size. */
template <class K>
void scatter_staged(const K *record, size_t n, digit_bits bits, K *out, size_t *position)
{
	constexpr size_t ROOM = STAGE_BYTES / sizeof(K);
	alignas(64) K stage[RADIX_DIGITS][ROOM];
	size_t first[RADIX_DIGITS];

	memcpy(first, position, sizeof first);
	for (size_t i = 0; i < n; i++) {
		const K x = record[i];
		const unsigned d = digit_of(x, bits);
		const size_t p = position[d]++;

		stage[d][p % ROOM] = x;
		if (p % ROOM < ROOM - 1)
			continue;
		if (p - (ROOM - 1) >= first[d])
			stream(out + p - (ROOM - 1), stage[d]);
		else
			memcpy(out + first[d], &stage[d][first[d] % ROOM],
			       (p + 1 - first[d]) * sizeof *out);
	}
	for (size_t d = 0; d < RADIX_DIGITS; d++) {
		size_t begin = position[d] / ROOM * ROOM;

		if (begin < first[d])
			begin = first[d];
		memcpy(out + begin, &stage[d][begin % ROOM], (position[d] - begin) * sizeof *out);
	}
#if defined(__SSE2__)
	_mm_sfence(); /* orders streamed stores before those that follow */
#endif
}

template <class K>
void move(const void *from, size_t n, digit_bits bits, void *to, size_t *position)
{
	const K *record = static_cast<const K *>(from);
	K *out = static_cast<K *>(to);

	if (n * sizeof *record >= STREAM_BYTES && (uintptr_t)out % STAGE_BYTES == 0)
		scatter_staged(record, n, bits, out, position);
	else
		scatter(record, n, bits, out, position);
}

/* Write n copies of x.  While `room` allows, whole blocks are written; what lies behind the copies is
 * overwritten later. */
template <class K> void write_copies(K *out, size_t n, size_t room, K x)
{
	constexpr size_t BLOCK = 64 / sizeof(K);

	for (; room >= BLOCK; out += BLOCK, room -= BLOCK) {
		for (size_t k = 0; k < BLOCK; k++)
			out[k] = x;
		if (n <= BLOCK)
			return;
		n -= BLOCK;
	}
	for (size_t k = 0; k < n; k++)
		out[k] = x;
}

/* A few records, stably; the bits are those of `mask`. */
template <class K> void insert(K *record, size_t n, K mask)
{
	for (size_t i = 1; i < n; i++) {
		const K x = record[i];
		size_t k = i;

		for (; k && (record[k - 1] & mask) > (x & mask); k--)
			record[k] = record[k - 1];
		record[k] = x;
	}
}

template <class K>
void sort_digits(void *record, void *spare, bool in_spare, size_t n, unsigned low, unsigned top)
{
	void *from = in_spare ? spare : record, *other = in_spare ? record : spare;

	for (unsigned shift = low; shift < top && n > FEW; shift += RADIX_DIGIT_BITS) {
		const digit_bits bits = radix_digit_from(shift, top);
		size_t count[1][RADIX_DIGITS] = {}, position[RADIX_DIGITS];

		count_digits<K>(from, n, bits, count[0]);
		if (radix_digit_positions(count, 1, 0, position) == n)
			continue;
		move<K>(from, n, bits, other, position);
		std::swap(from, other);
	}
	if (from != record)
		memcpy(record, from, n * sizeof(K));
	if (n <= FEW && low < top)
		insert(static_cast<K *>(record), n,
		       (K)((K) ~(K)0 >> (8 * sizeof(K) - (top - low)) << low));
}

template <class K> void sort_counts(void *to, size_t n, size_t *count)
{
	K *record = static_cast<K *>(to);
	constexpr size_t KEYS = (size_t)1 << 8 * sizeof(K);
	size_t at = 0;

	memset(count, 0, KEYS * sizeof *count);
	if (sizeof(K) == 1)
		count_digits<K>(record, n, radix_digit_from(0, 8), count);
	else
		for (size_t i = 0; i < n; i++)
			count[record[i]]++;
	for (size_t x = 0; x < KEYS; at += count[x++])
		write_copies(record + at, count[x], n - at, (K)x);
}
} // namespace

/* Call a function template for records of this width. */
#define CALL(width, function, ...)                        \
	((width) == 1   ? function<uint8_t>(__VA_ARGS__)  \
	 : (width) == 2 ? function<uint16_t>(__VA_ARGS__) \
	 : (width) == 4 ? function<uint32_t>(__VA_ARGS__) \
	 : (width) == 8 ? function<uint64_t>(__VA_ARGS__) \
			: function<uint128>(__VA_ARGS__))

void radix_digit_count(const void *record, size_t n, size_t width, struct radix_digit digit,
		       size_t count[RADIX_DIGITS])
{
	CALL(width, count_digits, record, n, digit, count);
}

void radix_digit_scatter(const void *record, size_t n, size_t width, struct radix_digit digit,
			 void *out, size_t position[RADIX_DIGITS])
{
	CALL(width, move, record, n, digit, out, position);
}

size_t radix_digit_positions(size_t (*count)[RADIX_DIGITS], int threads, int thread,
			     size_t position[RADIX_DIGITS])
{
	size_t sum = 0, most = 0;

	for (size_t d = 0; d < RADIX_DIGITS; d++) {
		const size_t before = sum;

		for (int t = 0; t < threads; t++) {
			if (t == thread)
				position[d] = sum;
			sum += count[t][d];
		}
		most = std::max(most, sum - before);
	}
	return most;
}

void radix_sort_digits(void *record, void *spare, bool in_spare, size_t n, size_t width,
		       unsigned low, unsigned top)
{
	CALL(width, sort_digits, record, spare, in_spare, n, low, top);
}

void radix_sort_counts(void *record, size_t n, size_t width, size_t *count)
{
	(width == 1 ? sort_counts<uint8_t> : sort_counts<uint16_t>)(record, n, count);
}
