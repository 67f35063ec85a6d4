/* ocbt.c -- cpu/ocbt: sums stored only above lines of 512 bits, leaves streamed from the field.
 *
 * Against descent: the lowest nine levels, nearly all of the heap, are not stored (Benyoub and
 * Dupuy, "Concurrent binary trees for large-scale game components", 2024).  The tree is its field,
 * a 16-bit count for each 512 bits and 32-bit sums above: 1.09 * 2^D bits in place of 4 * 2^D, so a
 * reduction writes little.  Leaves are streamed from the field (leaves.h) instead of found by D
 * steps each; a frame is applied in the same pass (frame.h).  Threads share subtrees of the field,
 * whose first leaves are numbered by the sums, in one parallel region per run; below PARALLEL_DEPTH
 * one thread is faster than starting two.
 *
 * Memory sets the bounds: reduce reads 2^D bits; decode reads them and writes the ids.
 */
#include <omp.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "cpu/cbt/shared/frame.h"
#include "cpu/cbt/shared/leaves.h"
#include "cpu/cbt/shared/tree.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
	LINE_LEVELS = 9,
	PARALLEL_DEPTH = 18,
	CHUNK_LEVELS = 6, /* a parallel run has 2^6 chunks */
};

/* Ids of at least this many bytes are written around the caches. */
static const size_t LARGE = (size_t)32 << 20;

struct state {
	struct cbt_cpu cpu; /* first member: see cbt_cpu_download() */
	unsigned levels;    /* level whose nodes are the lines */
	size_t line_words;  /* 64-bit words of the field in a line */
	uint64_t *field;    /* the tree's bits */
	uint16_t *line;     /* leaves of each line */
	uint32_t *sum;      /* leaves below node k < 2^levels */
	size_t chunks;
	struct cbt_chunk *chunk;
	enum cpu_simd simd;
	bool parallel;
	bool around;
};

/* ---- sums -------------------------------------------------------------------------------- */

/* Leaves of node k's subtree; k lies above the lines or is one. */
static inline uint32_t sum_of(const struct state *s, uint32_t k)
{
	const uint32_t lines = UINT32_C(1) << s->levels;

	return k < lines ? s->sum[k] : s->line[k - lines];
}

CBT_ALWAYS void count_line(const struct state *s, size_t i)
{
	const uint64_t *word = s->field + s->line_words * i;
	unsigned count = 0;

	for (size_t w = 0; w < s->line_words; w++)
		count += (unsigned)__builtin_popcountll(word[w]);
	s->line[i] = (uint16_t)count;
}

static void count_lines_plain(const struct state *s, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		count_line(s, i);
}

#if defined(__x86_64__)

CPU_AVX2_TARGET static void count_lines_bmi2(const struct state *s, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		count_line(s, i);
}

/* For lines of eight words. */
CPU_VBMI2_TARGET static void count_lines_avx512(const struct state *s, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const __m512i count = _mm512_popcnt_epi64(_mm512_load_si512(s->field + 8 * i));

		s->line[i] = (uint16_t)_mm512_reduce_add_epi64(count);
	}
}

#endif

static void count_lines(const struct state *s, size_t first, size_t end)
{
#if defined(__x86_64__)
	if (s->simd >= CPU_VBMI2 && s->line_words == 8) {
		count_lines_avx512(s, first, end);
		return;
	}
	if (s->simd >= CPU_AVX2) {
		count_lines_bmi2(s, first, end);
		return;
	}
#endif
	count_lines_plain(s, first, end);
}

/* Add up the nodes above the lines in node k's subtree, k included. */
static void add_up(struct state *s, uint32_t k)
{
	const unsigned top = cbt_level(k);

	for (unsigned level = s->levels; level-- > top;) {
		const size_t first = (size_t)k << (level - top), nodes = (size_t)1 << (level - top);
		const uint16_t *line = s->line + 2 * (first - ((size_t)1 << level));
		const uint32_t *below = s->sum + 2 * first;
		uint32_t *sum = s->sum + first;

		if (level + 1 == s->levels)
			for (size_t i = 0; i < nodes; i++)
				sum[i] = (uint32_t)line[2 * i] + line[2 * i + 1];
		else
			for (size_t i = 0; i < nodes; i++)
				sum[i] = below[2 * i] + below[2 * i + 1];
	}
}

/* Compute all sums from the field, by the whole team. */
static void reduce(struct state *s)
{
	const unsigned top = s->chunks > 1 ? CHUNK_LEVELS : 0;
	const size_t lines = ((size_t)1 << s->levels) / s->chunks;

#pragma omp for schedule(static)
	for (size_t i = 0; i < s->chunks; i++) {
		count_lines(s, lines * i, lines * (i + 1));
		add_up(s, (UINT32_C(1) << top) + (uint32_t)i);
	}
#pragma omp single
	{
		for (size_t k = ((size_t)1 << top) - 1; k >= 1; k--)
			s->sum[k] = s->sum[2 * k] + s->sum[2 * k + 1];
		s->cpu.found->leaves = sum_of(s, 1);
	}
}

/* ---- leaves ------------------------------------------------------------------------------ */

/* Number of leaves before node k, which lies above the lines or is one. */
static uint64_t rank_of(const struct state *s, uint32_t k)
{
	uint64_t rank = 0;

	for (; k > 1; k /= 2)
		if (k & 1)
			rank += sum_of(s, k - 1);
	return rank;
}

static void decode(struct state *s)
{
	const struct cbt_cpu *cpu = &s->cpu;
	uint64_t leaves = 0, sum = 0;

#pragma omp for schedule(dynamic)
	for (size_t i = 0; i < s->chunks; i++) {
		const struct cbt_chunk *c = &s->chunk[i];
		const uint64_t rank = rank_of(s, (uint32_t)(s->chunks + i));
		struct cbt_leaves out = { cpu->ids ? cpu->ids + rank : NULL, 0 };

		leaves += cbt_leaves(s->simd, s->field, cpu->depth, c->first_word, c->end_word,
				     s->around, &out);
		sum += out.sum;
	}
#pragma omp critical(cbt_ocbt)
	{
		cpu->found->leaves += leaves;
		cpu->found->id_sum += sum;
	}
}

/* ---- frames ------------------------------------------------------------------------------ */

static void change(struct state *s, const struct cbt_frame *frame)
{
#pragma omp for schedule(static)
	for (size_t i = 0; i < s->chunks; i++) {
		s->chunk[i].rank = rank_of(s, (uint32_t)(s->chunks + i));
		cbt_chunk_look(s->field, &s->chunk[i]);
	}
#pragma omp for schedule(dynamic)
	for (size_t i = 0; i < s->chunks; i++)
		cbt_chunk_change(s->simd, s->field, s->cpu.depth, frame, s->chunk, s->chunks, i);
#pragma omp single
	cbt_chunks_finish(s->field, s->chunk, s->chunks);
}

/* ---- the run ----------------------------------------------------------------------------- */

/* The whole run, as each thread of the team executes it.  The first thread names the phases. */
static void work(struct state *s, struct gb_timer *timer)
{
	const struct cbt_input *in = s->cpu.in;
	const bool first = omp_get_thread_num() == 0;
	/* A field alone has no sums to number the first leaves of several chunks. */
	const bool sums = in->op == CBT_REDUCE || in->op == CBT_CYCLE ||
			  (in->op == CBT_BITFIELD && s->chunks > 1);

	for (size_t f = 0; in->op == CBT_UPDATE && f < in->frames; f++) {
		if (first)
			gb_phase(timer, "change");
		change(s, &in->frame[f]);
		if (first)
			gb_phase(timer, "reduce");
		reduce(s);
	}
	if (sums) {
		if (first)
			gb_phase(timer, "reduce");
		reduce(s);
	}
	if (in->op != CBT_REDUCE && in->op != CBT_UPDATE) {
		if (first)
			gb_phase(timer, "decode");
#pragma omp single
		s->cpu.found->leaves = s->cpu.found->id_sum = 0;
		decode(s);
	}
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	if (!s->parallel) {
		work(s, timer);
		return GB_OK;
	}
#pragma omp parallel num_threads(s->cpu.threads)
	work(s, timer);
	return GB_OK;
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct cbt_input *in = input;
	struct state *s = state;
	size_t lines;

	if (cbt_cpu_init(&s->cpu, params, input, false, err))
		return err->code;
	s->levels = in->depth > LINE_LEVELS ? in->depth - LINE_LEVELS : 0;
	s->simd = cpu_simd();
	s->parallel = s->cpu.threads > 1 && in->depth >= PARALLEL_DEPTH;
	s->chunks = s->parallel ? (size_t)1 << CHUNK_LEVELS : 1;
	s->around = in->leaves * sizeof *s->cpu.ids >= LARGE;
	lines = (size_t)1 << s->levels;
	s->line_words = in->field_words / lines;
	s->field = gb_host_alloc(in->field_words, sizeof *s->field, err);
	s->line = gb_host_alloc(lines, sizeof *s->line, err);
	s->sum = gb_host_zalloc(lines + 1, sizeof *s->sum, err);
	s->chunk = gb_host_alloc(s->chunks, sizeof *s->chunk, err);
	if (cbt_has_heap(in)) {
		gb_memory_result(s->line, GB_WHOLE, 0);
		gb_memory_result(s->sum, GB_WHOLE, 0);
	}
	if (s->chunk)
		cbt_chunks_cut(s->chunk, s->chunks, in->field_words);
	return err->code;
}

/* decode and update start with valid sums. */
static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = state;
	const struct cbt_input *in = s->cpu.in;

	memcpy(s->field, in->field, in->field_words * sizeof *s->field);
	if (in->op == CBT_DECODE || in->op == CBT_UPDATE)
		reduce(s);
	s->cpu.found->leaves = 0;
	return GB_OK;
}

/* Write the part of the heap that is kept: levels 0 .. s->levels, the field, the depth marker. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = state;
	const struct cbt_input *in = s->cpu.in;
	struct cbt_output *out = output;
	uint64_t *heap = cbt_output_heap(in, output);
	const unsigned last = s->levels < in->depth ? s->levels : in->depth - 1;

	(void)cbt_cpu_download(state, output, err);
	out->last_level = last;
	if (!cbt_has_heap(in))
		return GB_OK;
	memset(heap, 0, in->heap_words * sizeof *heap);
	heap[0] = UINT64_C(1) << in->depth;
	cbt_put_field(heap, in->depth, s->field);
	for (uint32_t k = 1; k < UINT32_C(2) << last; k++)
		cbt_set(heap, in->depth, k, sum_of(s, k));
	return GB_OK;
}

/* Levels below the lines are not moved.  reduce reads the field and writes the counts; decode reads
 * the field and writes the ids; a frame reads its wishes and writes the field. */
static double bytes(const void *params, const void *input)
{
	const struct cbt_input *in = input;
	const double field = (double)(UINT64_C(1) << in->depth) / 8;
	const double sums = field * 8 / 512 * (sizeof(uint16_t) + sizeof(uint32_t));
	const double ids = (double)cbt_ids_size(in);

	switch (in->op) {
	case CBT_REDUCE:
		return field + sums;
	case CBT_UPDATE:
		return (double)in->frames * (3 * field + sums) + (double)in->total_leaves / 4;
	case CBT_CYCLE:
		return field + sums + ids;
	case CBT_DECODE:
	case CBT_BITFIELD:
	case CBT_OPS:
		break;
	}
	return field + ids;
}

const struct gb_variant_ops cbt_cpu_ocbt = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = reset,
	.run = run,
	.download = download,
	.bytes = bytes,
	.flags = GB_REPEATABLE,
};
