/* sums_block.c -- 64 words of the field to six levels of sums, packing of wider sums: word by
 * word, and the choice of the instruction set.
 */
#include "cpu/cbt/parts/sums_block.h"

#include "cpu/cbt/parts/writer.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- words, bit by bit ------------------------------------------------------------------- */

CBT_ALWAYS void pack_plain(uint64_t *to, const uint32_t count[64], unsigned width)
{
	struct cbt_writer w = { 0 };

	w.to = to;
	for (size_t i = 0; i < 64; i++)
		cbt_append(&w, count[i], width);
}

/* ---- a block, word by word --------------------------------------------------------------- */

/* Bits of x where mask has ones, moved together.  The mask's ones come in runs of equal length and
 * distance: `run` of every `step`, both filling the word, so each round closes half of the gaps. */
typedef uint64_t squeeze_fn(uint64_t x, uint64_t mask, unsigned run, unsigned step);

static inline uint64_t squeeze_plain(uint64_t x, uint64_t mask, unsigned run, unsigned step)
{
	for (; step < 64; run *= 2, step *= 2) {
		/* Fields of `run` bits every `step` bits: each second one joins the one below. */
		uint64_t low = ((UINT64_C(1) << run) - 1), keep = 0;

		for (unsigned at = 0; at < 64; at += 2 * step)
			keep |= low << at;
		x = (x & keep) | (x >> (step - run) & keep << run);
	}
	return x;
}

#if defined(__x86_64__)
CPU_AVX2_TARGET static inline uint64_t squeeze_bmi2(uint64_t x, uint64_t mask, unsigned run,
						    unsigned step)
{
	return _pext_u64(x, mask);
}
#endif

static struct cbt_rows rows_of(const struct cbt_sums *s, size_t block)
{
	struct cbt_rows r = { s->heap + cbt_field_at(s->depth) + cbt_row_words[0] * block,
			      { NULL } };

	for (unsigned i = 1; i <= 6; i++)
		r.level[i] = s->heap + cbt_level_bit(s->depth, s->depth - i) / 64 +
			     cbt_row_words[i] * block;
	return r;
}

CBT_ALWAYS void sum_by(const struct cbt_rows *r, size_t n, uint32_t *count, squeeze_fn *squeeze)
{
	const uint64_t m1 = 0x5555555555555555, m2 = 0x3333333333333333;
	struct cbt_writer w2 = { 0, 0, r->level[2] }, w3 = { 0, 0, r->level[3] };
	struct cbt_writer w4 = { 0, 0, r->level[4] }, w5 = { 0, 0, r->level[5] };
	struct cbt_writer w6 = { 0, 0, r->level[6] };

	for (size_t i = 0; i < n; i++) {
		uint64_t x = r->field[i];

		x = (x & m1) + (x >> 1 & m1);
		r->level[1][i] = x;
		x = (x & m2) + (x >> 2 & m2);
		cbt_append(&w2, squeeze(x, 0x7777777777777777, 3, 4), 48);
		x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
		cbt_append(&w3, squeeze(x, 0x0f0f0f0f0f0f0f0f, 4, 8), 32);
		x = (x + (x >> 8)) & 0x001f001f001f001f;
		cbt_append(&w4, squeeze(x, 0x001f001f001f001f, 5, 16), 20);
		x = (x + (x >> 16)) & 0x0000003f0000003f;
		cbt_append(&w5, squeeze(x, 0x0000003f0000003f, 6, 32), 12);
		x = (x + (x >> 32)) & 0x7f;
		cbt_append(&w6, x, 7);
		count[i] = (uint32_t)x;
	}
	cbt_append_end(&w2);
	cbt_append_end(&w3);
	cbt_append_end(&w4);
	cbt_append_end(&w5);
	cbt_append_end(&w6);
}

static void sum_plain(const struct cbt_rows *r, size_t n, uint32_t *count)
{
	sum_by(r, n, count, squeeze_plain);
}

#if defined(__x86_64__)
CPU_AVX2_TARGET static void sum_bmi2(const struct cbt_rows *r, size_t n, uint32_t *count)
{
	sum_by(r, n, count, squeeze_bmi2);
}
#endif

void cbt_sum_words(enum cpu_simd simd, const struct cbt_rows *r, size_t n, uint32_t *count)
{
#if defined(__x86_64__)
	if (simd >= CPU_AVX2) {
		sum_bmi2(r, n, count);
		return;
	}
#endif
	sum_plain(r, n, count);
}

/* ---- the choice -------------------------------------------------------------------------- */

void cbt_sum_blocks(const struct cbt_sums *s, size_t first, size_t n, uint32_t *count,
		    struct cbt_stage *stage)
{
	struct cbt_rows r = rows_of(s, first);

#if defined(__x86_64__)
	if (s->simd >= CPU_VBMI2) {
		if (s->around && n == CBT_BATCH)
			cbt_sum_around_avx512(stage, &r, count);
		else
			cbt_sum_blocks_avx512(&r, n, count);
		return;
	}
#endif
	for (size_t b = 0; b < n; b++) {
		r = rows_of(s, first + b);
		cbt_sum_words(s->simd, &r, 64, count + 64 * b);
	}
}

void cbt_stage_end(const struct cbt_sums *s, struct cbt_stage *stage)
{
#if defined(__x86_64__)
	if (s->simd >= CPU_VBMI2)
		cbt_stage_end_avx512(stage);
#endif
}

void cbt_sums_fence(const struct cbt_sums *s)
{
#if defined(__x86_64__)
	if (s->simd >= CPU_VBMI2 && s->around)
		cbt_sums_fence_avx512();
#endif
}

void cbt_joints_init(struct cbt_joint joint[CBT_JOINTS])
{
	for (unsigned width = CBT_FIRST_JOINT; width < CBT_FIRST_JOINT + CBT_JOINTS; width++) {
		struct cbt_joint *j = &joint[width - CBT_FIRST_JOINT];

		*j = (struct cbt_joint){ 0 };
		for (unsigned byte = 0; byte < 4 * width; byte++) {
			const unsigned eight = byte / width, at = byte % width;
			const unsigned lane = 4 * (eight % 2) + eight / 2;

			if (at < (width + 1) / 2) {
				j->take[0] |= UINT64_C(1) << byte;
				j->from[0][byte] = (uint8_t)(8 * lane + at);
			}
			if (at >= width / 2) {
				j->take[1] |= UINT64_C(1) << byte;
				j->from[1][byte] = (uint8_t)(8 * (lane + 2) + at - width / 2);
			}
		}
	}
}

void cbt_pack_groups(const struct cbt_sums *s, uint64_t *to, const uint32_t *count, size_t n,
		     unsigned width)
{
#if defined(__x86_64__)
	if (s->simd >= CPU_VBMI2 && width < CBT_FIRST_JOINT) {
		for (size_t i = 0; i < n; i += 64)
			cbt_pack_bytes_avx512(to + i / 64 * width, count + i);
		return;
	}
	if (s->simd >= CPU_VBMI2 && width < CBT_FIRST_JOINT + CBT_JOINTS) {
		for (size_t i = 0; i < n; i += 64)
			cbt_pack_joint_avx512(to + i / 64 * width, count + i,
					      &s->joint[width - CBT_FIRST_JOINT], width);
		return;
	}
#endif
	for (size_t i = 0; i < n; i += 64)
		pack_plain(to + i / 64 * width, count + i, width);
}

void cbt_add_pairs(enum cpu_simd simd, uint32_t *count, size_t n)
{
#if defined(__x86_64__)
	if (simd >= CPU_VBMI2) {
		cbt_add_pairs_avx512(count, n);
		return;
	}
#endif
	for (size_t i = 0; i < n; i++)
		count[i] = count[2 * i] + count[2 * i + 1];
}
