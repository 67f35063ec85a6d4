/* pack.h -- vectors of 64 bytes, which the compiler splits into what the processor has, and the
 * packing of fields and numbers of a few bits into words, for sums.c.
 *
 * The fields of each 64-bit lane are joined in pairs, 3 of 4 bits to 6 of 8, to 12 of 16 and so on,
 * until they fill the lane's first bytes, which a permutation gathers from all lanes.
 */
#ifndef GPUBENCH_CPU_CBT_SHARED_PACK_H
#define GPUBENCH_CPU_CBT_SHARED_PACK_H

#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "cpu/cbt/shared/tree.h"

enum {
	GROUP = 64,
	MOST = 8 * GROUP, /* numbers that pack() takes at most */
};

/* ---- vectors ------------------------------------------------------------------------------- */

typedef uint64_t lanes __attribute__((vector_size(64)));
typedef uint32_t numbers __attribute__((vector_size(64)));
typedef uint8_t bytes __attribute__((vector_size(64)));
typedef uint64_t lanes_anywhere __attribute__((vector_size(64), aligned(4), may_alias));
#define LOAD(from) (*(const lanes_anywhere *)(const void *)(from))
#define STORE(to)  (*(lanes_anywhere *)(void *)(to))

/* The elements of a and b, vectors of one type, with these numbers; those of b follow a's. */
#if defined(__clang__) || __GNUC__ >= 12
#define PICK(type, a, b, ...) __builtin_shufflevector((type)(a), (type)(b), __VA_ARGS__)
#else
#define PICK(type, a, b, ...) __builtin_shuffle((type)(a), (type)(b), (type){ __VA_ARGS__ })
#endif

#define EIGHT(f, at, ...)                                                                     \
	f(at, __VA_ARGS__), f((at) + 1, __VA_ARGS__), f((at) + 2, __VA_ARGS__),               \
		f((at) + 3, __VA_ARGS__), f((at) + 4, __VA_ARGS__), f((at) + 5, __VA_ARGS__), \
		f((at) + 6, __VA_ARGS__), f((at) + 7, __VA_ARGS__)
#define SIXTY_FOUR(f, at, ...)                                                      \
	EIGHT(f, at, __VA_ARGS__), EIGHT(f, (at) + 8, __VA_ARGS__),                 \
		EIGHT(f, (at) + 16, __VA_ARGS__), EIGHT(f, (at) + 24, __VA_ARGS__), \
		EIGHT(f, (at) + 32, __VA_ARGS__), EIGHT(f, (at) + 40, __VA_ARGS__), \
		EIGHT(f, (at) + 48, __VA_ARGS__), EIGHT(f, (at) + 56, __VA_ARGS__)

/* Number `at` of the first `used` of each `of` bytes, as a byte of the vectors x[first] and the
 * next. */
#define PLACE(at, used, of, first) \
	(64 * ((at) * (of) / (used) / 64 - (first)) + (at) / (used) * (of) % 64 + (at) % (used))
/* Store bytes at .. at + 63 of the first `used` of each `of`, which lie in x[first] and the next. */
#define GATHER(around, to, x, used, of, first, at)                                          \
	do {                                                                                \
		static const uint8_t from[64] = { SIXTY_FOUR(PLACE, at, used, of, first) }; \
		gather_vbmi2(around, to, (x) + (first), from,                               \
			     64 * ((first) + 1) / (of) * (used) - (at));                    \
	} while (0)

/* `bits` ones from bit 0 of each `step` bits. */
#define REPEAT(bits, step) \
	(UINT64_MAX / (UINT64_MAX >> (64 - (step))) * ((UINT64_C(1) << (bits)) - 1))

#define EACH(i, n, step)                                                       \
	do {                                                                   \
		_Pragma("GCC unroll 8") for (size_t i = 0; i < (n); i++) step; \
	} while (0)

/* Join the fields of `bits` bits in each `step` in pairs, each second one behind the one before.
 * The bits above a pair are arbitrary. */
CBT_ALWAYS void join(lanes *x, unsigned bits, unsigned step)
{
	const lanes up = *x >> (step - bits);

	*x = up ^ ((*x ^ up) & REPEAT(bits, 2 * step));
}

#if defined(__x86_64__)
CPU_VBMI2_TARGET static inline void add_bytes_vbmi2(lanes *x, unsigned shift)
{
	*x = (lanes)_mm512_maddubs_epi16((__m512i)*x, _mm512_set1_epi16((short)(256 << shift | 1)));
}

CPU_VBMI2_TARGET static inline void add_shorts_vbmi2(lanes *x, unsigned shift)
{
	*x = (lanes)_mm512_madd_epi16((__m512i)*x, _mm512_set1_epi32(65536 << shift | 1));
}

/* Store a line, around the caches if `around`. */
CPU_VBMI2_TARGET static inline void put_line_vbmi2(bool around, uint64_t *to, const lanes *x)
{
	if (around)
		_mm512_stream_si512((void *)to, (__m512i)*x);
	else
		_mm512_storeu_si512(to, (__m512i)*x);
}

/* Store the bytes with these numbers: the first `firsts` of them lie in *x, the others in the next. */
CPU_VBMI2_TARGET static inline void gather_vbmi2(bool around, uint64_t *to, const lanes *x,
						 const uint8_t *from, unsigned firsts)
{
	const __m512i place = _mm512_loadu_si512(from);
	const __m512i all = _mm512_permutexvar_epi8(place, (__m512i)x[0]);
	const lanes line = (lanes)_mm512_mask_permutexvar_epi8(all, UINT64_MAX << firsts, place,
							       (__m512i)x[1]);

	put_line_vbmi2(around, to, &line);
}

CPU_VBMI2_TARGET static inline void even_bytes_vbmi2(lanes *x, size_t i)
{
	const __m512i even_first = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);

	x[i] = (lanes)_mm512_permutexvar_epi64(
		even_first, _mm512_packus_epi16((__m512i)x[2 * i], (__m512i)x[2 * i + 1]));
}
#else
/* Never called. */
#define gather_vbmi2(around, to, x, from, firsts) ((void)(from))
#define put_line_vbmi2(around, to, x)             ((void)(x))
#endif

CBT_ALWAYS void put_line(enum cpu_simd simd, bool around, uint64_t *to, const lanes *x)
{
	if (simd >= CPU_VBMI2)
		put_line_vbmi2(around, to, x);
	else
		STORE(to) = *x;
}

/* Replace each pair of bytes by the first one + 2^shift times the second one; shift is 0 .. 6. */
CBT_ALWAYS void add_bytes(enum cpu_simd simd, lanes *x, unsigned shift)
{
	const uint64_t low = REPEAT(8, 16);

#if defined(__x86_64__)
	if (simd >= CPU_VBMI2) {
		add_bytes_vbmi2(x, shift);
		return;
	}
#endif
	*x = (*x & low) + (*x >> (8 - shift) & low << shift);
}

/* The same with pairs of 15-bit numbers; shift is 0 .. 14. */
CBT_ALWAYS void add_shorts(enum cpu_simd simd, lanes *x, unsigned shift)
{
	const uint64_t low = REPEAT(16, 32);

#if defined(__x86_64__)
	if (simd >= CPU_VBMI2) {
		add_shorts_vbmi2(x, shift);
		return;
	}
#endif
	*x = (*x & low) + (*x >> (16 - shift) & low << shift);
}

/* Replace n vectors by the even bytes of all; the odd ones are 0. */
CBT_ALWAYS void even_bytes(enum cpu_simd simd, lanes *x, size_t n)
{
	uint8_t even[4 * 64];

#if defined(__x86_64__)
	if (simd >= CPU_VBMI2) {
		EACH(i, n / 2, even_bytes_vbmi2(x, i));
		return;
	}
#endif
	for (size_t i = 0; i < 32 * n; i++)
		even[i] = ((const uint8_t *)x)[2 * i];
	memcpy(x, even, 32 * n);
}

/* Store the first `used` bytes of the lanes of n vectors, without a permutation of bytes. */
CBT_ALWAYS void store_bytes(uint64_t *to, const lanes *x, size_t n, size_t used)
{
	for (size_t i = 0; i < 8 * n; i++)
		memcpy((uint8_t *)to + used * i, (const uint64_t *)x + i, used);
}

/* ---- packing numbers of a few bits into words ---------------------------------------------- */

struct writer {
	uint64_t word; /* the lowest `used` bits are taken */
	unsigned used; /* < 64 */
	uint64_t *to;
};

/* Append value < 2^bits; bits is 1 .. 64. */
CBT_ALWAYS void append(struct writer *w, uint64_t value, unsigned bits)
{
	w->word |= value << w->used;
	w->used += bits;
	if (w->used < 64)
		return;
	*w->to++ = w->word;
	w->used -= 64;
	w->word = w->used ? value >> (bits - w->used) : 0;
}

/* Write the last word, its other bits 0. */
static void append_end(const struct writer *w)
{
	if (w->used)
		*w->to = w->word;
}

#if defined(__x86_64__)
/* The place of byte number `at` of eights of `width` bytes: the first eight bytes of each in a lane of
 * one vector, the others in the same lane of the next. */
#define PLACE_IN_EIGHT(at, width) \
	((at) / (width)*8 + (at) % (width) + ((at) % (width) < 8 ? 0 : 64 - 8))
#define HALVES_OF(width)                                                    \
	{                                                                   \
		{ SIXTY_FOUR(PLACE_IN_EIGHT, 0, width) },                   \
			{ SIXTY_FOUR(PLACE_IN_EIGHT, 4 * (width), width) }, \
	}

/* Store the eights of pack_eights(). */
CPU_VBMI2_TARGET static inline void store_eights_vbmi2(uint8_t *to, const lanes *low,
						       const lanes *high, unsigned width)
{
	static const uint8_t place[8][2][64] = { HALVES_OF(9),  HALVES_OF(10), HALVES_OF(11),
						 HALVES_OF(12), HALVES_OF(13), HALVES_OF(14),
						 HALVES_OF(15), HALVES_OF(16) };

	for (unsigned half = 0; half < 2; half++) {
		const __m512i from = _mm512_loadu_si512(place[width - 9][half]);

		_mm512_mask_storeu_epi8(
			to + (size_t)4 * width * half, UINT64_MAX >> (64 - 4 * width),
			_mm512_permutex2var_epi8((__m512i)*low, from, (__m512i)*high));
	}
}
#endif

/* Pack 64 numbers of `width` bits (9 .. 16) into eights of `width` bytes.  Without VBMI2, the last
 * one is written in 16 bytes. */
CBT_ALWAYS void pack_eights(enum cpu_simd simd, uint8_t *to, const uint32_t *count, unsigned width)
{
	const lanes by = (lanes){ 0 } + (32 - width);
	lanes x[4], low, high;

	EACH(i, 4, x[i] = LOAD(count + 16 * i));
	EACH(i, 4, x[i] = (x[i] & UINT32_MAX) | x[i] >> by);
	EACH(i, 2,
	     x[i] = PICK(lanes, x[2 * i], x[2 * i + 1], 0, 2, 4, 6, 8, 10, 12, 14) |
		    PICK(lanes, x[2 * i], x[2 * i + 1], 1, 3, 5, 7, 9, 11, 13, 15) << 2 * width);
	low = PICK(lanes, x[0], x[1], 0, 2, 4, 6, 8, 10, 12, 14);
	high = PICK(lanes, x[0], x[1], 1, 3, 5, 7, 9, 11, 13, 15);
	low |= high << 2 * width << 2 * width;
	high >>= 64 - 4 * width;
#if defined(__x86_64__)
	if (simd >= CPU_VBMI2) {
		store_eights_vbmi2(to, &low, &high, width);
		return;
	}
#endif
	for (size_t i = 0; i < 8; i++) {
		memcpy(to + width * i, (const uint64_t *)&low + i, 8);
		memcpy(to + width * i + 8, (const uint64_t *)&high + i, 8);
	}
}

/* Pack 64 numbers of eight bits. */
CBT_ALWAYS void pack_bytes(enum cpu_simd simd, uint8_t *to, const uint32_t *count)
{
	lanes x[4];

	EACH(i, 4, x[i] = LOAD(count + 16 * i));
	even_bytes(simd, x, 4);
	even_bytes(simd, x, 2);
	STORE(to) = x[0];
}

/* Pack n numbers (a multiple of GROUP, at most MOST) of `width` bits (8 .. 31). */
CBT_ALWAYS void pack(enum cpu_simd simd, uint64_t *to, const uint32_t *count, size_t n,
		     unsigned width)
{
	uint8_t buffer[2 * MOST + 8], *const byte = simd < CPU_VBMI2 ? buffer : (uint8_t *)to;
	struct writer w = { .to = to };

	for (size_t i = 0; i < n && width == 8; i += GROUP)
		pack_bytes(simd, byte + i, count + i);
	for (size_t i = 0; i < n && width > 8 && width <= 16; i += GROUP)
		pack_eights(simd, byte + i / 8 * width, count + i, width);
	if (byte == buffer && width <= 16)
		memcpy(to, buffer, n / 8 * width);
	for (size_t i = 0; i < n && width > 16; i++)
		append(&w, count[i], width);
}

#endif
