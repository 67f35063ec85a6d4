/* sums_avx512.c -- the inner loops of sums.c with AVX-512.
 *
 * Multiply-add widens sums and squeezes two neighbours together (low + 2^bits high) until they fill
 * whole bytes, which permutations gather into whole lines.  From 16-bit sums on, two vectors become
 * one; the same permutations restore its order.  A block is eight vectors; its bound is the
 * operations on the two ports that take 512 bits.
 */
#include "cpu/cbt/parts/sums_avx512.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* Join the halves of each 64-bit lane of x, `bits` bits each, into 2 * bits bits. */
CPU_VBMI2_TARGET CBT_ALWAYS __m512i join_halves(__m512i x, unsigned bits)
{
	const __m512i low = _mm512_set1_epi64((1LL << bits) - 1);

	return _mm512_ternarylogic_epi64(low, x, _mm512_srli_epi64(x, 32 - bits), 0xca);
}

/* ---- bytes to be gathered ---------------------------------------------------------------- */

/* 64 bytes from number `p` on of a row of bytes f(0), f(1) ... */
#define EIGHT(f, p)                                                                         \
	f((p) + 0), f((p) + 1), f((p) + 2), f((p) + 3), f((p) + 4), f((p) + 5), f((p) + 6), \
		f((p) + 7)
#define SIXTY_FOUR(f, p)                                                                    \
	EIGHT(f, p), EIGHT(f, p + 8), EIGHT(f, p + 16), EIGHT(f, p + 24), EIGHT(f, p + 32), \
		EIGHT(f, p + 40), EIGHT(f, p + 48), EIGHT(f, p + 56)

/* Places of a level's bytes in vectors that hold 48, 40, 24 or 56 of them.  48: the three lower
 * bytes of each 32-bit lane.  40, 24: the five or three lower bytes of the even 64-bit lanes, then
 * of the odd ones.  56: the seven lower bytes of each 64-bit lane.  The vectors are in
 * sequence. */
#define OF_48(p) ((p) % 48 / 3 * 4 + (p) % 3)
#define OF_40(p) ((p) % 40 / 5 % 4 * 16 + (p) % 40 / 20 * 8 + (p) % 5)
#define OF_24(p) ((p) % 24 / 3 % 4 * 16 + (p) % 24 / 12 * 8 + (p) % 3)
#define OF_56(p) ((p) % 56 / 7 * 8 + (p) % 7)

static const uint8_t from_48[3][64] __attribute__((aligned(64))) = { { SIXTY_FOUR(OF_48, 0) },
								     { SIXTY_FOUR(OF_48, 64) },
								     { SIXTY_FOUR(OF_48, 128) } };
static const uint8_t from_40[3][64] __attribute__((aligned(64))) = { { SIXTY_FOUR(OF_40, 0) },
								     { SIXTY_FOUR(OF_40, 64) },
								     { SIXTY_FOUR(OF_40, 128) } };
static const uint8_t from_24[2][64]
	__attribute__((aligned(64))) = { { SIXTY_FOUR(OF_24, 0) }, { SIXTY_FOUR(OF_24, 64) } };
static const uint8_t from_56[64] __attribute__((aligned(64))) = { SIXTY_FOUR(OF_56, 0) };

/* Gather line number `line` of four vectors' bytes, `bytes` of each, at the places in from. */
CPU_VBMI2_TARGET CBT_ALWAYS __m512i gather(const __m512i x[4], unsigned bytes,
					   const uint8_t from[][64], unsigned line)
{
	const __m512i index = _mm512_load_si512(from[line]);
	const unsigned begin = 64 * line, first = begin / bytes;
	__m512i all = _mm512_permutexvar_epi8(index, x[first]);

	for (unsigned i = first + 1; i < 4 && i * bytes < begin + 64; i++)
		all = _mm512_mask_permutexvar_epi8(all, UINT64_MAX << (i * bytes - begin), index,
						   x[i]);
	return all;
}

CPU_VBMI2_TARGET CBT_ALWAYS void put_line(uint64_t *to, __m512i x, bool around)
{
	if (around)
		_mm512_stream_si512((void *)to, x);
	else
		_mm512_store_si512(to, x);
}

/* ---- a block ----------------------------------------------------------------------------- */

/* Do a step for each of four vectors.  One vector's steps depend on each other, and the processor
 * does not look far enough ahead to reach those of the next. */
#define EACH(i, step)                          \
	do {                                   \
		for (size_t i = 0; i < 4; i++) \
			step;                  \
	} while (0)

/* Compute levels D-1, D-2 of words first .. first + 31, and the sums of level D-3 as bytes in x. */
CPU_VBMI2_TARGET CBT_ALWAYS void sum_words(const struct cbt_rows *r, size_t first, bool around,
					   __m512i x[4])
{
	const __m512i m1 = _mm512_set1_epi8(0x55), m2 = _mm512_set1_epi8(0x33);
	const uint64_t *const field = r->field + first;
	uint64_t *const level1 = r->level[1] + first, *const level2 = r->level[2] + first / 4 * 3;
	__m512i t[4];

	EACH(i, x[i] = _mm512_load_si512(field + 8 * i));
	EACH(i, t[i] = _mm512_srli_epi64(x[i], 1));
	EACH(i, t[i] = _mm512_and_si512(t[i], m1));
	EACH(i, x[i] = _mm512_sub_epi8(x[i], t[i]));
	EACH(i, put_line(level1 + 8 * i, x[i], around));
	EACH(i, t[i] = _mm512_srli_epi64(x[i], 2));
	EACH(i, x[i] = _mm512_and_si512(x[i], m2));
	EACH(i, t[i] = _mm512_and_si512(t[i], m2));
	EACH(i, x[i] = _mm512_add_epi8(x[i], t[i]));
	/* From low + 2^4 high to low + 2^3 high; then 12 of 16 bits, then 24 of 32. */
	EACH(i, t[i] = _mm512_and_si512(x[i], _mm512_set1_epi8((char)0xf0)));
	EACH(i, t[i] = _mm512_srli_epi64(t[i], 1));
	EACH(i, t[i] = _mm512_sub_epi8(x[i], t[i]));
	EACH(i, t[i] = _mm512_maddubs_epi16(t[i], _mm512_set1_epi16(0x4001)));
	EACH(i, t[i] = _mm512_madd_epi16(t[i], _mm512_set1_epi32(0x10000001)));
	put_line(level2, gather(t, 48, from_48, 0), around);
	put_line(level2 + 8, gather(t, 48, from_48, 1), around);
	put_line(level2 + 16, gather(t, 48, from_48, 2), around);
	EACH(i, t[i] = _mm512_srli_epi64(x[i], 4));
	EACH(i, x[i] = _mm512_add_epi8(x[i], t[i]));
	EACH(i, x[i] = _mm512_and_si512(x[i], _mm512_set1_epi8(0x0f)));
}

/* Pack 4 * 16 numbers of 32 bits that are below 256 into bytes. */
CPU_VBMI2_TARGET CBT_ALWAYS __m512i narrow(__m512i a, __m512i b, __m512i c, __m512i d)
{
	const __m512i order =
		_mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
	const __m512i x = _mm512_packus_epi16(_mm512_packus_epi32(a, b), _mm512_packus_epi32(c, d));

	return _mm512_permutexvar_epi32(order, x);
}

/* Compute levels D-3 .. D-6 of a block and count; x holds its sums of level D-3 as bytes. */
CPU_VBMI2_TARGET CBT_ALWAYS void sum_bytes(const struct cbt_rows *r, const __m512i x[8],
					   bool around, uint32_t *count)
{
	const __m512i even_first = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
	const __m512i order =
		_mm512_set_epi32(15, 14, 11, 10, 7, 6, 3, 2, 13, 12, 9, 8, 5, 4, 1, 0);
	const __m512i one = _mm512_set1_epi8(1);
	const __m512i low_high = _mm512_set1_epi16(0x1001);
	__m512i s[4], t[4], u[4], all;

	EACH(i, t[i] = _mm512_maddubs_epi16(x[2 * i], low_high));
	EACH(i, u[i] = _mm512_maddubs_epi16(x[2 * i + 1], low_high));
	EACH(i, t[i] = _mm512_packus_epi16(t[i], u[i]));
	EACH(i, t[i] = _mm512_permutexvar_epi64(even_first, t[i]));
	EACH(i, put_line(r->level[3] + 8 * i, t[i], around));
	/* Bytes of level D-4; 64-bit lanes alternate between the two vectors. */
	EACH(i, t[i] = _mm512_maddubs_epi16(x[2 * i], one));
	EACH(i, u[i] = _mm512_maddubs_epi16(x[2 * i + 1], one));
	EACH(i, s[i] = _mm512_packus_epi16(t[i], u[i]));
	EACH(i, t[i] = _mm512_maddubs_epi16(s[i], _mm512_set1_epi16(0x2001)));
	EACH(i, t[i] = _mm512_madd_epi16(t[i], _mm512_set1_epi32(0x04000001)));
	EACH(i, t[i] = join_halves(t[i], 20));
	_mm512_storeu_si512(r->level[4], gather(t, 40, from_40, 0));
	_mm512_storeu_si512(r->level[4] + 8, gather(t, 40, from_40, 1));
	all = gather(t, 40, from_40, 2);
	_mm256_storeu_si256((void *)(r->level[4] + 16), _mm512_castsi512_si256(all));
	EACH(i, s[i] = _mm512_maddubs_epi16(s[i], one));
	EACH(i, t[i] = _mm512_madd_epi16(s[i], _mm512_set1_epi32(0x00400001)));
	EACH(i, t[i] = join_halves(t[i], 12));
	_mm512_storeu_si512(r->level[5], gather(t, 24, from_24, 0));
	all = gather(t, 24, from_24, 1);
	_mm256_storeu_si256((void *)(r->level[5] + 8), _mm512_castsi512_si256(all));
	EACH(i, s[i] = _mm512_madd_epi16(s[i], _mm512_set1_epi32(0x00010001)));
	EACH(i, s[i] = _mm512_permutexvar_epi32(order, s[i]));
	EACH(i, _mm512_storeu_si512(count + 16 * i, s[i]));
	all = narrow(s[0], s[1], s[2], s[3]);
	all = _mm512_maddubs_epi16(_mm512_set1_epi16((short)0x8001), all); /* low + 2^7 high */
	all = _mm512_madd_epi16(all, _mm512_set1_epi32(0x40000001));       /* low + 2^14 high */
	all = _mm512_permutexvar_epi8(_mm512_load_si512(from_56), join_halves(all, 28));
	_mm512_mask_storeu_epi64(r->level[6], 0x7f, all);
}

CPU_VBMI2_TARGET CBT_ALWAYS void sum_block(const struct cbt_rows *r, bool around, uint32_t *count)
{
	__m512i x[8];

	sum_words(r, 0, around, x);
	sum_words(r, 32, around, x + 4);
	sum_bytes(r, x, around, count);
}

CBT_ALWAYS void next_block(struct cbt_rows *r)
{
	r->field += cbt_row_words[0];
	for (size_t i = 1; i <= 6; i++)
		r->level[i] += cbt_row_words[i];
}

CPU_VBMI2_TARGET void cbt_sum_blocks_avx512(const struct cbt_rows *first, size_t n, uint32_t *count)
{
	struct cbt_rows r = *first;

	for (size_t b = 0; b < n; b++) {
		sum_block(&r, false, count + 64 * b);
		next_block(&r);
	}
}

/* ---- around the caches ------------------------------------------------------------------- */

/* A batch fills whole lines of levels D-4 .. D-6, and each of its blocks provides a part.  The
 * lines are written while the next batch is computed, a few with each block.  All at once they
 * would fill the store buffer; right after their own stores they would wait for everything before
 * them in it. */
enum {
	LINES_A_BLOCK = (CBT_STAGE_LINES + CBT_BATCH - 1) / CBT_BATCH,
	BATCH_WORDS = CBT_BATCH * 64, /* words of the field: a page */
	SUBTREE_PAGES = (1 << CBT_SUBTREE_LEVELS) / 64 / BATCH_WORDS,
};

/* Prefetch the next subtree's field, a line of each of its eight pages with each block of this one:
 * so many streams are faster than one.  This affects nothing but time. */
CPU_VBMI2_TARGET CBT_ALWAYS void fetch_ahead(const uint64_t *subtree, size_t block)
{
	for (size_t page = 0; page < SUBTREE_PAGES; page++) {
		const uint64_t *const at = subtree + (SUBTREE_PAGES + page) * BATCH_WORDS;

		_mm_prefetch((const void *)(at + 8 * block), _MM_HINT_T1);
	}
}

/* Write lines first .. end - 1 of a batch around the caches. */
CPU_VBMI2_TARGET CBT_ALWAYS void stream_lines(const struct cbt_staged *staged, size_t first,
					      size_t end)
{
	for (size_t line = first; line < end && line < CBT_STAGE_LINES; line++) {
		uint64_t *const to = line < CBT_STAGE_LEVEL_5 ? staged->to[0] + 8 * line
				     : line < CBT_STAGE_LEVEL_6
					     ? staged->to[1] + 8 * (line - CBT_STAGE_LEVEL_5)
					     : staged->to[2] + 8 * (line - CBT_STAGE_LEVEL_6);

		_mm512_stream_si512((void *)to, _mm512_load_si512(staged->line[line]));
	}
}

CPU_VBMI2_TARGET void cbt_sum_around_avx512(struct cbt_stage *stage, const struct cbt_rows *to,
					    uint32_t *count)
{
	struct cbt_staged *const made = &stage->batch[stage->batches % 2];
	const struct cbt_staged *const old = &stage->batch[1 - stage->batches % 2];
	const uint64_t *const subtree = to->field - BATCH_WORDS * stage->batches;
	struct cbt_rows r = { to->field,
			      { NULL, to->level[1], to->level[2], to->level[3], made->line[0],
				made->line[CBT_STAGE_LEVEL_5], made->line[CBT_STAGE_LEVEL_6] } };

	for (size_t i = 0; i < 3; i++)
		made->to[i] = to->level[4 + i];
	for (size_t b = 0; b < CBT_BATCH; b++) {
		fetch_ahead(subtree, CBT_BATCH * stage->batches + b);
		sum_block(&r, true, count + 64 * b);
		if (stage->batches)
			stream_lines(old, LINES_A_BLOCK * b, LINES_A_BLOCK * (b + 1));
		next_block(&r);
	}
	stage->batches++;
}

CPU_VBMI2_TARGET void cbt_stage_end_avx512(struct cbt_stage *stage)
{
	if (stage->batches)
		stream_lines(&stage->batch[1 - stage->batches % 2], 0, CBT_STAGE_LINES);
}

CPU_VBMI2_TARGET void cbt_sums_fence_avx512(void)
{
	_mm_sfence();
}

/* ---- wider sums -------------------------------------------------------------------------- */

/* Join 16 numbers of 32 bits into eight of 2 * width bits. */
CPU_VBMI2_TARGET CBT_ALWAYS __m512i join_pairs(const uint32_t *count, unsigned width)
{
	const __m512i x = _mm512_loadu_si512(count);
	const __m512i low = _mm512_set1_epi64((1LL << width) - 1);
	const __m512i by = _mm512_set1_epi64((int)(32 - width));

	return _mm512_ternarylogic_epi64(low, x, _mm512_srlv_epi64(x, by), 0xca);
}

/* Pack 32 numbers of `width` <= 16 bits into 4 * width bytes.  Four numbers fill a 64-bit lane, and
 * eight end at a whole byte: numbers 0 .. 15 lie in the lower halves of the 128-bit lanes.  Every
 * second lane is moved to the nibble where the one before it ends.  A byte shared by both is the OR
 * of their parts. */
CPU_VBMI2_TARGET CBT_ALWAYS __m512i join_fours(const uint32_t *count, const struct cbt_joint *joint,
					       unsigned width)
{
	const __m512i a = join_pairs(count, width), b = join_pairs(count + 16, width);
	const __m512i by = _mm512_set1_epi64((int)(2 * width));
	const __m512i odd =
		width & 1 ? _mm512_set_epi64(4, 4, 0, 0, 4, 4, 0, 0) : _mm512_setzero_si512();
	__m512i x = _mm512_sllv_epi64(_mm512_unpackhi_epi64(a, b), by);

	x = _mm512_or_si512(x, _mm512_unpacklo_epi64(a, b));
	x = _mm512_sllv_epi64(x, odd);
	return _mm512_or_si512(
		_mm512_maskz_permutexvar_epi8(joint->take[0], _mm512_load_si512(joint->from[0]), x),
		_mm512_maskz_permutexvar_epi8(joint->take[1], _mm512_load_si512(joint->from[1]),
					      x));
}

CPU_VBMI2_TARGET void cbt_pack_bytes_avx512(uint64_t *to, const uint32_t count[64])
{
	_mm512_storeu_si512(to,
			    narrow(_mm512_loadu_si512(count), _mm512_loadu_si512(count + 16),
				   _mm512_loadu_si512(count + 32), _mm512_loadu_si512(count + 48)));
}

CPU_VBMI2_TARGET void cbt_pack_joint_avx512(uint64_t *to, const uint32_t count[64],
					    const struct cbt_joint *joint, unsigned width)
{
	const __mmask64 bytes = UINT64_MAX >> (64 - 4 * width);
	uint8_t *const second = (uint8_t *)to + (size_t)4 * width;

	_mm512_mask_storeu_epi8(to, bytes, join_fours(count, joint, width));
	_mm512_mask_storeu_epi8(second, bytes, join_fours(count + 32, joint, width));
}

CPU_VBMI2_TARGET void cbt_add_pairs_avx512(uint32_t *count, size_t n)
{
	const __m512i even =
		_mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
	const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));

	for (size_t i = 0; i < n; i += 16) {
		const __m512i a = _mm512_loadu_si512(count + 2 * i);
		const __m512i b = _mm512_loadu_si512(count + 2 * i + 16);

		_mm512_storeu_si512(count + i,
				    _mm512_add_epi32(_mm512_permutex2var_epi32(a, even, b),
						     _mm512_permutex2var_epi32(a, odd, b)));
	}
}

#endif
