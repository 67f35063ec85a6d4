/* frame.c -- see frame.h.
 *
 * The wishes of the leaves that start in a word are moved to those leaves' bits, by PDEP where
 * there is BMI2; only leaves with a wish are handled one by one.  The bound is those wishes, a few
 * operations each, and a pass over the field.
 */
#include "cpu/cbt/shared/frame.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

void cbt_chunks_cut(struct cbt_chunk *chunk, size_t count, size_t words)
{
	for (size_t i = 0; i < count; i++) {
		chunk[i].first_word = words / count * i;
		chunk[i].end_word = words / count * (i + 1);
	}
}

void cbt_chunk_look(const uint64_t *field, struct cbt_chunk *chunk)
{
	size_t low = chunk->first_word, high = chunk->end_word;

	chunk->first = chunk->last = chunk->behind = UINT64_MAX;
	while (low < high && !field[low])
		low++;
	if (low == high)
		return;
	while (!field[high - 1])
		high--;
	chunk->first = 64 * (uint64_t)low + (uint64_t)__builtin_ctzll(field[low]);
	chunk->last = 64 * (uint64_t)(high - 1) + 63 - (uint64_t)__builtin_clzll(field[high - 1]);
}

/* Return n wishes from leaf number `leaf` on, n = 1 .. 64. */
CBT_ALWAYS uint64_t wishes_at(const uint64_t *wishes, uint64_t leaf, unsigned n)
{
	const unsigned shift = (unsigned)(leaf % 64);
	uint64_t word = wishes[leaf / 64] >> shift;

	if (shift)
		word |= wishes[leaf / 64 + 1] << (64 - shift);
	return word & UINT64_MAX >> (64 - n);
}

/* Move the lowest bits of x, in order, to where mask has ones. */
typedef uint64_t deposit_fn(uint64_t x, uint64_t mask);

static inline uint64_t deposit_plain(uint64_t x, uint64_t mask)
{
	uint64_t result = 0;

	for (; mask; mask &= mask - 1, x >>= 1)
		if (x & 1)
			result |= mask & -mask;
	return result;
}

#if defined(__x86_64__)
CPU_AVX2_TARGET static inline uint64_t deposit_bmi2(uint64_t x, uint64_t mask)
{
	return _pdep_u64(x, mask);
}
#endif

/* State of the pass over a chunk. */
struct walk {
	const struct cbt_chunk *chunk;
	const uint64_t *field;
	uint64_t before;    /* last leaf of the words before; UINT64_MAX: none */
	bool before_merges; /* true if that leaf wishes to merge */
	uint64_t after;     /* first leaf behind the chunk */
	uint64_t ahead;     /* bit to set in a word that is still to be read */
};

/* Start of the first leaf behind word w. */
CBT_ALWAYS uint64_t leaf_behind(const struct walk *walk, size_t w)
{
	while (++w < walk->chunk->end_word)
		if (walk->field[w])
			return 64 * (uint64_t)w + (uint64_t)__builtin_ctzll(walk->field[w]);
	return walk->after;
}

/* End of the leaf at bit `at` of `word`, number w; `behind` is the first leaf behind the word. */
CBT_ALWAYS uint64_t leaf_end(uint64_t word, size_t w, unsigned at, uint64_t behind)
{
	const uint64_t above = at == 63 ? 0 : word >> (at + 1);

	return above ? 64 * (uint64_t)w + at + 1 + (uint64_t)__builtin_ctzll(above) : behind;
}

/* Return the word with the leaves of `split` split. */
CBT_ALWAYS uint64_t split_leaves(struct walk *walk, uint64_t word, size_t w, uint64_t behind,
				 uint64_t split)
{
	uint64_t result = word;

	for (; split; split &= split - 1) {
		const unsigned at = (unsigned)__builtin_ctzll(split);
		const uint64_t x = 64 * (uint64_t)w + at;
		const uint64_t gap = leaf_end(word, w, at, behind) - x;

		if (gap > 64)
			walk->ahead = x + gap / 2;
		else if (gap > 1)
			result |= UINT64_C(1) << (at + gap / 2);
	}
	return result;
}

/* Return the leaves of `merge` that are right siblings of a leaf that wishes to merge too. */
CBT_ALWAYS uint64_t merged_leaves(const struct walk *walk, uint64_t word, size_t w, uint64_t behind,
				  uint64_t merge)
{
	uint64_t result = 0;

	for (uint64_t rest = merge; rest; rest &= rest - 1) {
		const unsigned at = (unsigned)__builtin_ctzll(rest);
		const uint64_t x = 64 * (uint64_t)w + at, below = word & ((UINT64_C(1) << at) - 1);
		const uint64_t gap = leaf_end(word, w, at, behind) - x;
		const unsigned left = below ? 63U - (unsigned)__builtin_clzll(below) : 0;
		const uint64_t sibling = below ? 64 * (uint64_t)w + left : walk->before;
		const bool wished = below ? merge >> left & 1 : walk->before_merges;

		if (wished && (x & gap) && sibling == x - gap)
			result |= UINT64_C(1) << at;
	}
	return result;
}

CBT_ALWAYS void set_bit(uint64_t *field, uint64_t x)
{
	if (x != UINT64_MAX)
		field[x / 64] |= UINT64_C(1) << x % 64;
}

/* Apply the wishes of the leaves of word number w, which is not zero. */
CBT_ALWAYS void change_word(struct walk *walk, uint64_t *field, size_t w, uint64_t split,
			    uint64_t merge)
{
	const uint64_t word = field[w];
	const unsigned last = 63U - (unsigned)__builtin_clzll(word);

	if (split | merge) {
		const uint64_t behind = leaf_behind(walk, w);

		set_bit(field, walk->ahead);
		walk->ahead = UINT64_MAX;
		field[w] = split_leaves(walk, word, w, behind, split) &
			   ~merged_leaves(walk, word, w, behind, merge);
	}
	walk->before = 64 * (uint64_t)w + last;
	walk->before_merges = merge >> last & 1;
}

CBT_ALWAYS void change_by(struct walk *walk, uint64_t *field, const struct cbt_frame *frame,
			  const struct cbt_chunk *chunk, deposit_fn *deposit)
{
	uint64_t leaf = chunk->rank;

	for (size_t w = chunk->first_word; w < chunk->end_word; w++) {
		const uint64_t word = field[w];
		const unsigned n = (unsigned)__builtin_popcountll(word);

		if (word)
			change_word(walk, field, w, deposit(wishes_at(frame->split, leaf, n), word),
				    deposit(wishes_at(frame->merge, leaf, n), word));
		leaf += n;
	}
}

static void change_plain(struct walk *walk, uint64_t *field, const struct cbt_frame *frame,
			 const struct cbt_chunk *chunk)
{
	change_by(walk, field, frame, chunk, deposit_plain);
}

#if defined(__x86_64__)
CPU_AVX2_TARGET static void change_bmi2(struct walk *walk, uint64_t *field,
					const struct cbt_frame *frame,
					const struct cbt_chunk *chunk)
{
	change_by(walk, field, frame, chunk, deposit_bmi2);
}
#endif

/* Find the last leaf before chunk i and its wish. */
static void look_before(struct walk *walk, const struct cbt_frame *frame,
			const struct cbt_chunk *chunk, size_t i)
{
	walk->before = UINT64_MAX;
	walk->before_merges = false;
	if (chunk[i].rank == 0)
		return;
	walk->before_merges = cbt_cpu_wish(frame->merge, chunk[i].rank - 1);
	for (size_t j = i; walk->before == UINT64_MAX && j-- > 0;)
		walk->before = chunk[j].last;
}

void cbt_chunk_change(enum cpu_simd simd, uint64_t *field, unsigned depth,
		      const struct cbt_frame *frame, struct cbt_chunk *chunk, size_t count,
		      size_t i)
{
	struct walk walk = {
		.chunk = &chunk[i], .field = field, .after = UINT64_MAX, .ahead = UINT64_MAX
	};

	look_before(&walk, frame, chunk, i);
	for (size_t j = i + 1; walk.after == UINT64_MAX && j < count; j++)
		walk.after = chunk[j].first;
	if (walk.after == UINT64_MAX)
		walk.after = UINT64_C(1) << depth;
#if defined(__x86_64__)
	if (simd >= CPU_AVX2)
		change_bmi2(&walk, field, frame, &chunk[i]);
	else
#endif
		change_plain(&walk, field, frame, &chunk[i]);
	chunk[i].behind = walk.ahead;
}

void cbt_chunks_finish(uint64_t *field, const struct cbt_chunk *chunk, size_t count)
{
	for (size_t i = 0; i < count; i++)
		set_bit(field, chunk[i].behind);
}
