/* tree.h -- the code that the CUDA variants of cbt share: the tree, the ids and the wishes on the
 * device, their transfers, and single elements of the heap.
 *
 * The heap is the host's, byte for byte, read as 32-bit words: from level 5 on, 32 consecutive
 * nodes of level d fill D - d + 1 whole words.  Only in trees of depth below 5 can a word hold bits
 * of both the sums and the field; cbt_row() and the reductions handle that.
 */
#ifndef GPUBENCH_CUDA_CBT_SHARED_TREE_H
#define GPUBENCH_CUDA_CBT_SHARED_TREE_H

#include <string.h>

#include "common/cbt_types.h"
#include "cuda/runtime/variant.h"

/* Output of the decoding kernels other than the ids. */
struct cbt_result {
	unsigned long long leaves; /* decoded */
	unsigned long long id_sum; /* with CBT_SUM */
};

/* All pointers except input are to device memory.  ids is NULL unless ids are stored; wishes is
 * NULL unless there are frames; start is NULL unless a run writes sums to the heap whose field it
 * reads, because upload() must not write to a result. */
struct cbt_arrays {
	const cbt_input *input;
	uint32_t *ids;      /* [input->leaves] */
	cbt_result *result; /* one */
	uint32_t *wishes;   /* all frames in order, each splits, then merges */
	uint64_t *start;    /* [input->field_words]; the field, which reset() copies */
};

/* The wishes of one frame on the device; leaf l is bit l % 32 of word l / 32. */
struct cbt_wishes {
	const uint32_t *split, *merge;
};

/* ---- elements of a heap, on the device ----------------------------------------------------- */

/* The first 32-bit word of a level, which must be 5 or higher to start at a word. */
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

/* Location of a field.  shift: its first bit in the first word, 0 except in a small tree's heap. */
struct cbt_field {
	uint32_t *word;
	unsigned depth, shift;
};

/* The field of a heap. */
static inline __host__ __device__ cbt_field cbt_field_of(uint32_t *heap, unsigned depth)
{
	const uint64_t bit = (uint64_t)3 << depth;
	const cbt_field field = {
		.word = heap + bit / 32,
		.depth = depth,
		.shift = (unsigned)(bit % 32),
	};

	return field;
}

/* 32 bits of the field from bit 32 i on; bits beyond its end are 0. */
static __device__ __forceinline__ uint32_t cbt_row(const cbt_field &field, uint32_t i)
{
	const unsigned depth = field.depth;

	if (depth >= 5)
		return i < 1u << (depth - 5) ? field.word[i] : 0;
	return i == 0 ? field.word[0] >> field.shift & ((1u << (1u << depth)) - 1) : 0;
}

/* Store `row` in the same bits.  In a small tree's heap, the other bits of the word become 0. */
static __device__ __forceinline__ void cbt_put_row(const cbt_field &field, uint32_t i, uint32_t row)
{
	if (i < (field.depth < 5 ? 1u : 1u << (field.depth - 5)))
		field.word[i] = row << field.shift;
}

static __device__ __forceinline__ bool cbt_wish(const uint32_t *wishes, uint32_t leaf)
{
	return wishes[leaf / 32] >> leaf % 32 & 1;
}

/* ---- host ---------------------------------------------------------------------------------- */

/* 32-bit words of a heap. */
static inline size_t cbt_heap_words32(const cbt_input *input)
{
	return input->heap_words * 2;
}

/* True if a run finds leaves, and stores or sums their ids. */
static inline bool cbt_decodes(const cbt_input *input)
{
	return input->op != CBT_REDUCE && input->op != CBT_UPDATE;
}

static inline gb_status cbt_arrays_create(cbt_arrays *a, const cbt_input *input, gb_error *err)
{
	size_t words = 0;

	a->input = input;
	for (size_t f = 0; f < input->frames; f++)
		words += 4 * cbt_wish_words(input->frame[f].leaves);
	(void)gpu_alloc(&a->result, 1, err);
	if (words)
		(void)gpu_alloc(&a->wishes, words, err);
	if (cbt_has_ids(input))
		(void)gpu_alloc(&a->ids, input->leaves, err);
	if (input->op == CBT_REDUCE || input->op == CBT_CYCLE)
		(void)gpu_alloc(&a->start, input->field_words, err);
	gb_memory_result(a->result, GB_WHOLE, GB_POISON);
	gb_memory_result(a->ids, GB_WHOLE, GB_POISON);
	return err->code;
}

/* The wishes of frame f, which begin *at words into the array.  Advances *at past them. */
static inline cbt_wishes cbt_wishes_of(const cbt_arrays *a, size_t f, size_t *at)
{
	const size_t words = 2 * cbt_wish_words(a->input->frame[f].leaves);
	const cbt_wishes wishes = {
		.split = a->wishes + *at,
		.merge = a->wishes + *at + words,
	};

	*at += 2 * words;
	return wishes;
}

/* Upload the wishes of all frames and wait once. */
static inline gb_status cbt_arrays_upload(const cbt_arrays *a, gb_error *err)
{
	size_t at = 0;

	if (err->code)
		return err->code;
	for (size_t f = 0; f < a->input->frames; f++) {
		const cbt_frame *frame = &a->input->frame[f];
		const size_t bytes = cbt_wish_words(frame->leaves) * sizeof *frame->split;
		const cbt_wishes to = cbt_wishes_of(a, f, &at);

		if (CUDA_TRY(err, cudaMemcpyAsync((void *)to.split, frame->split, bytes,
						  cudaMemcpyHostToDevice, gpu_stream())) ||
		    CUDA_TRY(err, cudaMemcpyAsync((void *)to.merge, frame->merge, bytes,
						  cudaMemcpyHostToDevice, gpu_stream())))
			return err->code;
	}
	return gpu_wait(err);
}

/* Upload the input's heap to `heap` or, if it has none, its field to `start` or to its place in the
 * heap. */
static inline gb_status cbt_heap_upload(const cbt_arrays *a, uint32_t *heap, gb_error *err)
{
	const cbt_input *const in = a->input;
	const size_t bytes = in->field_words * sizeof *in->field;
	uint64_t *const place = (uint64_t *)(void *)heap + cbt_field_at(in->depth);
	uint64_t small; /* a field of depth 5 or less begins within a word of the heap */

	if (in->heap)
		return gpu_upload(heap, in->heap, in->heap_words * sizeof *in->heap, err);
	small = in->field[0] << ((uint64_t)3 << in->depth) % 64;
	return gpu_upload(a->start ? a->start : place, in->depth < 6 ? &small : in->field, bytes,
			  err);
}

/* Copy the field from `start` to the heap, and set all sums to 0. */
static inline gb_status cbt_heap_reset(const cbt_arrays *a, uint32_t *heap, gb_error *err)
{
	const cbt_input *const in = a->input;
	const size_t bytes = in->field_words * sizeof *in->field;
	uint64_t *const place = (uint64_t *)(void *)heap + cbt_field_at(in->depth);

	if (!a->start)
		return GB_OK;
	if (gpu_zero(heap, cbt_heap_words32(in), err))
		return err->code;
	return CUDA_TRY(err, cudaMemcpyAsync(place, a->start, bytes, cudaMemcpyDeviceToDevice,
					     gpu_stream()));
}

/* Download ids and result into the output.  The caller fills in the heap and, if the heap is the
 * only output, `leaves`. */
static inline gb_status cbt_arrays_download(const cbt_arrays *a, void *output, gb_error *err)
{
	const cbt_input *const input = a->input;
	const size_t bytes = cbt_has_ids(input) ? input->leaves * sizeof *a->ids : 0;
	cbt_output *const head = (cbt_output *)output;
	cbt_result result = { 0, 0 };

	/* A run writes only what is asked for. */
	memset(head, 0, sizeof *head);
	if (gpu_download(&result, a->result,
			 !cbt_decodes(input)       ? 0
			 : input->ids == CBT_STORE ? sizeof result.leaves
						   : sizeof result,
			 err) ||
	    gpu_download(cbt_output_ids(input, output), a->ids, bytes, err))
		return err->code;
	head->leaves = result.leaves;
	head->id_sum = result.id_sum;
	head->last_level = (int64_t)input->depth - 1;
	return GB_OK;
}

/* The same, plus the whole heap. */
static inline gb_status cbt_heap_download(const cbt_arrays *a, const uint32_t *heap, void *output,
					  gb_error *err)
{
	const cbt_input *const input = a->input;
	cbt_output *const head = (cbt_output *)output;
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

/* ---- parts of variants; STATE has a member `arrays` ------------------------------------------ */

/* Run any operation except bitfield, by functions of the state's file:
 *	update(s, f, wishes, err)   frame f, from the tree after f frames to another
 *	reduce(s, frames, err)      the sums of the tree after so many frames
 *	decode(s, err) */
template <class STATE> static gb_status cbt_run(const STATE *s, gb_timer *timer, gb_error *err)
{
	const cbt_input *const input = s->arrays.input;
	size_t at = 0;

	for (size_t f = 0; f < input->frames; f++) {
		const cbt_wishes wishes = cbt_wishes_of(&s->arrays, f, &at);

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

/* The index of the tree after so many frames: 0 is the input's; frames alternate between 1 and
 * 2. */
static inline size_t cbt_tree_after(size_t frames)
{
	return frames == 0 ? 0 : 1 + (frames - 1) % 2;
}

/* Bytes that a run moves.  reduce, decode and frame: the number of fields read and written to
 * reduce, to decode and per frame.  The ids and two wish bits per leaf come on top. */
static inline double cbt_bytes(const cbt_input *input, double reduce, double decode, double frame)
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
