/* tree.h -- what the CUDA variants of cbt share: the tree, the ids and the wishes on the
 * device, their way there and back, and single elements of the heap.
 *
 * The heap is the host's, byte for byte, seen as 32-bit words: 32 consecutive nodes of a level
 * from 5 on fill D - d + 1 whole words.  Only trees of depth below 5 have words that hold bits of
 * several levels and of the field; cbt_row() and the reductions take care of them.
 */
#ifndef GPUBENCH_CUDA_CBT_PARTS_TREE_H
#define GPUBENCH_CUDA_CBT_PARTS_TREE_H

#include <string.h>

#include "common/cbt.h"
#include "cuda/variant.h"

/* What the decoding kernels leave besides the ids. */
struct cbt_result {
	unsigned long long leaves; /* decoded */
	unsigned long long id_sum; /* with CBT_SUM */
};

/* All on the device but input.  ids is NULL unless they are stored, wishes unless there are
 * frames. */
struct cbt_arrays {
	const struct cbt_input *input;
	uint32_t *ids;             /* [input->leaves] */
	struct cbt_result *result; /* one */
	uint32_t *wishes;          /* of all frames, one after the other: splits, then merges */
};

/* The wishes of one frame on the device; leaf l is bit l % 32 of word l / 32. */
struct cbt_wishes {
	const uint32_t *split, *merge;
};

/* ---- elements of a heap, on the device ----------------------------------------------------- */

/* The first 32-bit word of level d, where that is whole words: d >= 5. */
static __device__ __forceinline__ size_t cbt_level_word(unsigned depth, unsigned level)
{
	return (size_t)(cbt_level_bit(depth, level) / 32);
}

/* Element k of level `level`, k >= 1. */
static __device__ __forceinline__ uint32_t cbt_element(const uint32_t *heap, unsigned depth,
						       unsigned level, uint32_t k)
{
	const unsigned width = cbt_width(depth, level);
	const uint64_t bit = ((uint64_t)2 << level) + (uint64_t)k * width;
	const uint32_t *at = heap + bit / 32;
	const unsigned shift = (unsigned)bit % 32;
	uint32_t value = at[0] >> shift;

	if (shift + width > 32)
		value |= at[1] << (32 - shift);
	return value & ((1u << width) - 1);
}

/* Where a field lies.  shift: its first bit in the first word; 0 but for a small tree's heap. */
struct cbt_field {
	uint32_t *word;
	unsigned depth, shift;
};

/* The field of a heap. */
static inline __host__ __device__ struct cbt_field cbt_field_of(uint32_t *heap, unsigned depth)
{
	const uint64_t bit = (uint64_t)3 << depth;
	const struct cbt_field field = {
		.word = heap + bit / 32,
		.depth = depth,
		.shift = (unsigned)(bit % 32),
	};

	return field;
}

/* 32 bits of the field from bit 32 i on; those beyond its end are 0. */
static __device__ __forceinline__ uint32_t cbt_row(const struct cbt_field &field, uint32_t i)
{
	const unsigned depth = field.depth;

	if (depth >= 5)
		return i < 1u << (depth - 5) ? field.word[i] : 0;
	return i == 0 ? field.word[0] >> field.shift & ((1u << (1u << depth)) - 1) : 0;
}

/* The same bits become `row`.  In a small tree's heap the word's other bits become 0. */
static __device__ __forceinline__ void cbt_put_row(const struct cbt_field &field, uint32_t i,
						   uint32_t row)
{
	if (i < (field.depth < 5 ? 1u : 1u << (field.depth - 5)))
		field.word[i] = row << field.shift;
}

static __device__ __forceinline__ bool cbt_wish(const uint32_t *wishes, uint32_t leaf)
{
	return wishes[leaf / 32] >> leaf % 32 & 1;
}

/* ---- host ---------------------------------------------------------------------------------- */

/* 32-bit words of one array of a frame's wishes. */
static inline size_t cbt_wish_words(size_t leaves)
{
	return ((leaves + 63) / 64 + 1) * 2;
}

/* 32-bit words of a heap. */
static inline size_t cbt_heap_words32(const struct cbt_input *input)
{
	return input->heap_words * 2;
}

static inline enum gb_status cbt_arrays_create(struct cbt_arrays *a, const struct cbt_input *input,
					       struct gb_error *err)
{
	size_t words = 0;

	a->input = input;
	for (size_t f = 0; f < input->frames; f++)
		words += 2 * cbt_wish_words(input->frame[f].leaves);
	(void)gpu_alloc(&a->result, 1, err);
	if (words)
		(void)gpu_alloc(&a->wishes, words, err);
	if (cbt_has_ids(input))
		(void)gpu_alloc(&a->ids, input->leaves, err);
	gb_memory_result(a->result, GB_WHOLE, GB_POISON);
	gb_memory_result(a->ids, GB_WHOLE, GB_POISON);
	return err->code;
}

/* The wishes of frame f, whose words begin *at words after the first frame's; *at moves on. */
static inline struct cbt_wishes cbt_wishes_of(const struct cbt_arrays *a, size_t f, size_t *at)
{
	const size_t words = cbt_wish_words(a->input->frame[f].leaves);
	const struct cbt_wishes wishes = {
		.split = a->wishes + *at,
		.merge = a->wishes + *at + words,
	};

	*at += 2 * words;
	return wishes;
}

/* Wishes to the device, and the result to 0. */
static inline enum gb_status cbt_arrays_upload(const struct cbt_arrays *a, struct gb_error *err)
{
	size_t at = 0;

	(void)gpu_zero(a->result, 1, err);
	for (size_t f = 0; f < a->input->frames; f++) {
		const struct cbt_frame *frame = &a->input->frame[f];
		const size_t bytes = cbt_wish_words(frame->leaves) * sizeof *a->wishes;
		const struct cbt_wishes to = cbt_wishes_of(a, f, &at);

		(void)gpu_upload((void *)to.split, frame->split, bytes, err);
		(void)gpu_upload((void *)to.merge, frame->merge, bytes, err);
	}
	return err->code;
}

/* The input's heap to the device; where it has none, its field with all sums 0. */
static inline enum gb_status cbt_heap_upload(const struct cbt_input *in, uint32_t *heap,
					     struct gb_error *err)
{
	const unsigned depth = in->depth;
	const size_t bytes = in->heap_words * sizeof *in->heap;
	const size_t sums = depth < 6 ? 0 : cbt_field_at(depth) * sizeof *in->field;
	uint64_t small[4] = { 0 }; /* a heap of depth 5 and less */
	const void *from = in->field;

	if (err->code)
		return err->code;
	if (in->heap)
		return gpu_upload(heap, in->heap, bytes, err);
	if (depth < 6) {
		small[cbt_field_at(depth)] = in->field[0] << (3u << depth) % 64;
		from = small;
	}
	if (gpu_zero(heap, bytes / sizeof *heap, err))
		return err->code;
	return gpu_upload((char *)heap + sums, from, bytes - sums, err);
}

/* Ids and result into the output; its heap is left to the caller, and `leaves` where there is
 * nothing but a heap. */
static inline enum gb_status cbt_arrays_download(const struct cbt_arrays *a, void *output,
						 struct gb_error *err)
{
	const struct cbt_input *const input = a->input;
	const size_t bytes = cbt_has_ids(input) ? input->leaves * sizeof *a->ids : 0;
	struct cbt_output *const head = (struct cbt_output *)output;
	struct cbt_result result;

	memset(head, 0, sizeof *head);
	if (gpu_download(&result, a->result, sizeof result, err) ||
	    gpu_download(cbt_output_ids(input, output), a->ids, bytes, err))
		return err->code;
	head->leaves = result.leaves;
	head->id_sum = input->ids == CBT_SUM ? result.id_sum : 0;
	head->last_level = (int64_t)input->depth - 1;
	return GB_OK;
}

/* The same with a whole heap. */
static inline enum gb_status cbt_heap_download(const struct cbt_arrays *a, const uint32_t *heap,
					       void *output, struct gb_error *err)
{
	const struct cbt_input *const input = a->input;
	struct cbt_output *const head = (struct cbt_output *)output;
	uint64_t *const to = cbt_output_heap(input, output);

	if (cbt_arrays_download(a, output, err) != GB_OK)
		return err->code;
	if (!cbt_has_heap(input))
		return GB_OK;
	if (gpu_download(to, heap, input->heap_words * sizeof *to, err))
		return err->code;
	if (input->op != CBT_CYCLE)
		head->leaves = cbt_get(to, input->depth, 1);
	return GB_OK;
}

/* ---- what variants are made of: STATE has `arrays` ------------------------------------------ */

/* All operations but bitfield, by the functions of the state's file:
 *	update(s, f, wishes, err)   frame f, from the tree after f frames to another
 *	reduce(s, frames, err)      the sums of the tree after so many frames
 *	decode(s, err) */
template <class STATE>
static enum gb_status cbt_run(const STATE *s, struct gb_timer *timer, struct gb_error *err)
{
	const struct cbt_input *const input = s->arrays.input;
	size_t at = 0;

	for (size_t f = 0; f < input->frames; f++) {
		const struct cbt_wishes wishes = cbt_wishes_of(&s->arrays, f, &at);

		gb_phase(timer, "update");
		if (update(s, f, wishes, err))
			return err->code;
		gb_phase(timer, "reduce");
		if (reduce(s, f + 1, err))
			return err->code;
	}
	if (input->op == CBT_REDUCE || input->op == CBT_CYCLE) {
		gb_phase(timer, "reduce");
		if (reduce(s, 0, err))
			return err->code;
	}
	if (input->op == CBT_DECODE || input->op == CBT_CYCLE) {
		gb_phase(timer, "decode");
		return decode(s, err);
	}
	return GB_OK;
}

/* Of three trees, the input's and two that the frames go back and forth between: the one after so many. */
static inline size_t cbt_tree_after(size_t frames)
{
	return frames == 0 ? 0 : 1 + (frames - 1) % 2;
}

/* Bytes that a run moves: so many fields to reduce, to decode, and in a frame; the ids, and two wishes
 * per leaf. */
static inline double cbt_bytes(const struct cbt_input *input, double reduce, double decode,
			       double frame)
{
	const double field = (double)((uint64_t)1 << input->depth) / 8;

	if (input->op == CBT_REDUCE)
		return reduce * field;
	if (input->op == CBT_UPDATE)
		return frame * field * (double)input->frames + (double)input->total_leaves / 4;
	if (input->op == CBT_CYCLE)
		decode += reduce;
	return decode * field + (cbt_has_ids(input) ? (double)input->leaves * sizeof(uint32_t) : 0);
}

#endif
