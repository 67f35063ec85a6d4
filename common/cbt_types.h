/* cbt.h -- the interface of the cbt benchmark and its variants: parameters, the heap's layout, the
 * rules of split and merge, input and output.
 *
 * A concurrent binary tree of depth D is a field of 2^D bits, one per node of the deepest level.  A
 * set bit starts a leaf; the distance to the next set bit (or to 2^D) is 2^(D-d) for a leaf of
 * level d.  The field and the sums of all subtrees above it form one implicit heap of 2^(D+2) bits,
 * stored as little-endian words (Grachev and Ushakov 2023, after Dupuy 2020):
 *
 *	node k of level d = floor(log2 k) has D - d + 1 bits from bit 2^(d+1) + k (D - d + 1)
 *	its value is the number of leaves of its subtree; on level D it is the bit itself
 *	level d therefore begins at bit 2^d (D - d + 3), and the field at bit 3 * 2^D
 *	from level 6 on, 64 consecutive nodes fill D - d + 1 whole aligned 64-bit words; from level
 *	5 on, 32 nodes fill as many 32-bit words
 *	bit D is the depth marker, element 0, which starts at bit 0, as in libcbt; at bit 2 in the
 *	paper
 *	all other bits are 0, including those of the last word if 2^(D+2) < 64
 *
 * Splitting leaf k sets the bit of 2k + 1; merging clears the bit of the right sibling.  Each is
 * one atomic OR or AND.  Only level D changes: the sums keep their values until the next reduction,
 * so that leaves can be found by descent while they are split and merged.  Two siblings may merge
 * only if both are leaves (the parent's sum is 2) and both are marked for it.
 */
#ifndef GPUBENCH_COMMON_CBT_TYPES_H
#define GPUBENCH_COMMON_CBT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define CBT_INLINE static inline __host__ __device__
#else
#define CBT_INLINE static inline
#endif

/* At depth 30 a node's number fits in 31 bits. */
enum {
	CBT_MIN_DEPTH = 1,
	CBT_MAX_DEPTH = 30,
	CBT_LEVELS_LEFT = 10, /* levels above the field without sums: at most 1024 bits to a sum */
};

enum cbt_op {
	CBT_BITFIELD, /* find the ids of the leaves from the field alone */
	CBT_REDUCE,   /* compute all sums from the field */
	CBT_DECODE,   /* find the ids of the leaves with the help of the sums */
	CBT_CYCLE,    /* reduce, then decode: one cycle of an unchanged tree */
	CBT_UPDATE,   /* per frame: find the leaves, split and merge them, reduce */
	CBT_OPS,
};

enum cbt_shape { CBT_FULL, CBT_UNIFORM, CBT_RANDOM, CBT_TERRAIN, CBT_SHAPES };

/* How decoded ids are used. */
enum cbt_ids {
	CBT_STORE, /* written to an array, in order */
	CBT_SUM,   /* summed */
	CBT_IDS,
};

struct cbt_params {
	int64_t op; /* enum cbt_op */
	int64_t depth;
	int64_t shape;  /* enum cbt_shape */
	double fill;    /* leaves / 2^depth */
	int64_t ids;    /* enum cbt_ids, for bitfield, decode and cycle */
	int64_t frames; /* number of frames of update */
	int64_t threads;
	int64_t seed;
};

/* The split and merge requests of one frame, a bit per leaf in the order of the leaves: leaf l is
 * bit l % 64 of word l / 64 (likewise in 32-bit words).  No leaf has both bits set.
 *	split of leaf k: if its level is below D, set the bit of 2k + 1
 *	merge of leaf k: if k > 1 and its sibling is a leaf with its merge bit set, clear the bit
 *	of k | 1
 * A sibling that is a leaf is the previous or the next leaf.  Each array has cbt_wish_words(leaves)
 * words; bits from `leaves` on are 0. */
struct cbt_frame {
	size_t leaves; /* before the frame */
	size_t splits; /* carried out */
	size_t merges;
	uint64_t *split;
	uint64_t *merge;
};

struct cbt_input {
	enum cbt_op op;
	enum cbt_ids ids;
	unsigned depth;
	size_t leaves;      /* leaves of the initial tree */
	size_t field_words; /* cbt_field_words(depth) */
	size_t heap_words;  /* cbt_heap_words(depth) */
	uint64_t *field;    /* the initial tree: bit x is bit x % 64 of word x / 64 */
	uint64_t *heap; /* CBT_DECODE, CBT_UPDATE: its whole heap, which no variant changes; else
			   NULL */
	size_t frames;  /* CBT_UPDATE: else 0 */
	struct cbt_frame *frame;
	size_t end_leaves;   /* CBT_UPDATE: leaves of the tree after the last frame */
	uint64_t *end_field; /* CBT_UPDATE: that tree; else NULL */
	size_t total_leaves; /* decoded in one run, summed over the frames of CBT_UPDATE */
};

/* The header of an output.  The ids and the heap follow, if the operation produces them. */
struct cbt_output {
	uint64_t leaves;    /* leaves decoded; for reduce and update the sum at the root */
	uint64_t id_sum;    /* CBT_SUM: sum of the decoded ids, modulo 2^64 */
	int64_t last_level; /* the heap has the sums of levels 0 .. last_level and the field; D - 1
			       unless the variant keeps fewer, down to D - CBT_LEVELS_LEFT */
	uint64_t unused[5];
};

/* ---- nodes ------------------------------------------------------------------------------- */

/* floor(log2 x), x > 0. */
CBT_INLINE unsigned cbt_log2(uint32_t x)
{
#ifdef __CUDA_ARCH__
	return 31u - (unsigned)__clz((int)x);
#else
	return 31u - (unsigned)__builtin_clz(x);
#endif
}

/* Level of node k. */
CBT_INLINE unsigned cbt_level(uint32_t k)
{
	return cbt_log2(k);
}

/* The bit of node k in the field: k 2^(D-d) - 2^D. */
CBT_INLINE uint32_t cbt_field_bit(unsigned depth, uint32_t k)
{
	return (k << (depth - cbt_level(k))) - (UINT32_C(1) << depth);
}

/* The leaf that starts at bit x and ends before bit x + gap; gap is a power of two. */
CBT_INLINE uint32_t cbt_leaf(unsigned depth, uint32_t x, uint32_t gap)
{
	return ((UINT32_C(1) << depth) + x) >> cbt_log2(gap);
}

/* ---- layout ------------------------------------------------------------------------------ */

/* Bits of an element of level d. */
CBT_INLINE unsigned cbt_width(unsigned depth, unsigned level)
{
	return depth - level + 1;
}

/* First bit of level d. */
CBT_INLINE uint64_t cbt_level_bit(unsigned depth, unsigned level)
{
	return (uint64_t)(depth - level + 3) << level;
}

/* First bit of element k, k >= 1. */
CBT_INLINE uint64_t cbt_element_bit(unsigned depth, uint32_t k)
{
	const unsigned level = cbt_level(k);

	return (UINT64_C(2) << level) + (uint64_t)k * cbt_width(depth, level);
}

/* 64-bit words of the field and of the heap: 2^D and 2^(D+2) bits. */
CBT_INLINE size_t cbt_field_words(unsigned depth)
{
	return depth < 6 ? 1 : (size_t)1 << (depth - 6);
}

CBT_INLINE size_t cbt_heap_words(unsigned depth)
{
	return depth < 4 ? 1 : (size_t)1 << (depth - 4);
}

/* 64-bit words of one array of a frame's requests. */
CBT_INLINE size_t cbt_wish_words(size_t leaves)
{
	return (leaves + 63) / 64 + 1;
}

/* Index of the field's first word in the heap; the field is whole words for depth >= 6. */
CBT_INLINE size_t cbt_field_at(unsigned depth)
{
	return (size_t)(UINT64_C(3) << depth >> 6);
}

/* Bytes of the heap before the field; they hold only the sums and the depth marker. */
CBT_INLINE size_t cbt_sum_bytes(unsigned depth)
{
	return (size_t)(UINT64_C(3) << depth >> 3);
}

/* Bits [bit, bit + width) of an array of 64-bit words, width 1 .. 63. */
CBT_INLINE uint64_t cbt_bits(const uint64_t *word, uint64_t bit, unsigned width)
{
	const uint64_t *at = word + (bit >> 6);
	const unsigned shift = (unsigned)(bit & 63);
	uint64_t value = at[0] >> shift;

	if (shift + width > 64)
		value |= at[1] << 1 << (63 - shift);
	return value & ((UINT64_C(1) << width) - 1);
}

/* Set these bits to `value` (< 2^width). */
CBT_INLINE void cbt_set_bits(uint64_t *word, uint64_t bit, unsigned width, uint64_t value)
{
	uint64_t *at = word + (bit >> 6);
	const unsigned shift = (unsigned)(bit & 63);
	const uint64_t mask = (UINT64_C(1) << width) - 1;

	at[0] = (at[0] & ~(mask << shift)) | value << shift;
	if (shift + width > 64)
		at[1] = (at[1] & ~(mask >> 1 >> (63 - shift))) | value >> 1 >> (63 - shift);
}

/* Element k, k >= 1. */
CBT_INLINE uint64_t cbt_get(const uint64_t *heap, unsigned depth, uint32_t k)
{
	return cbt_bits(heap, cbt_element_bit(depth, k), cbt_width(depth, cbt_level(k)));
}

CBT_INLINE void cbt_set(uint64_t *heap, unsigned depth, uint32_t k, uint64_t value)
{
	cbt_set_bits(heap, cbt_element_bit(depth, k), cbt_width(depth, cbt_level(k)), value);
}

/* Copy the field (cbt_field_words words) into the heap; the heap's other bits do not change. */
CBT_INLINE void cbt_put_field(uint64_t *heap, unsigned depth, const uint64_t *field)
{
	if (depth < 6)
		cbt_set_bits(heap, cbt_level_bit(depth, depth), 1U << depth, field[0]);
	else
		memcpy(heap + cbt_field_at(depth), field, cbt_field_words(depth) * sizeof *field);
}

/* ---- output ------------------------------------------------------------------------------ */

CBT_INLINE bool cbt_has_ids(const struct cbt_input *in)
{
	return in->ids == CBT_STORE && in->op != CBT_REDUCE && in->op != CBT_UPDATE;
}

CBT_INLINE bool cbt_has_heap(const struct cbt_input *in)
{
	return in->op == CBT_REDUCE || in->op == CBT_CYCLE || in->op == CBT_UPDATE;
}

/* Bytes of the ids, rounded up to whole 64-byte lines. */
CBT_INLINE size_t cbt_ids_size(const struct cbt_input *in)
{
	return cbt_has_ids(in) ? (in->leaves * sizeof(uint32_t) + 63) / 64 * 64 : 0;
}

CBT_INLINE size_t cbt_output_size(const struct cbt_input *in)
{
	return sizeof(struct cbt_output) + cbt_ids_size(in) +
	       (cbt_has_heap(in) ? in->heap_words * sizeof(uint64_t) : 0);
}

/* in->leaves ids, in the order of the leaves. */
CBT_INLINE uint32_t *cbt_output_ids(const struct cbt_input *in, void *output)
{
	(void)in;
	return (uint32_t *)(void *)((unsigned char *)output + sizeof(struct cbt_output));
}

/* in->heap_words words. */
CBT_INLINE uint64_t *cbt_output_heap(const struct cbt_input *in, void *output)
{
	return (uint64_t *)(void *)((unsigned char *)output + sizeof(struct cbt_output) +
				    cbt_ids_size(in));
}

#endif
