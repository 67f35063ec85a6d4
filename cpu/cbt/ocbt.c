/* ocbt.c -- cpu/ocbt: stores sums only above lines of 512 bits and counts the rest when needed.
 *
 * Against stream: the lowest nine levels, nearly all of the heap, are not stored (Benyoub and
 * Dupuy, "Concurrent binary trees for large-scale game components", 2024).  The tree is its field,
 * a 16-bit count for each 512 bits and 32-bit sums above: 1.09 * 2^D bits in place of 4 * 2^D, so a
 * reduction writes little.  A leaf is found by its number as in descent: go D - 9 steps down, count
 * the words of its line, then select the bit within one.  Leaves may be asked for in any order,
 * which streaming cannot offer.
 *
 * The bounds: reduce reads 2^D bits; decode takes D - 9 dependent loads and a line for each leaf.
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

/* Return the number of the set bit of x that has `rank` set bits below it. */
typedef unsigned select_fn(uint64_t x, unsigned rank);

static inline unsigned select_plain(uint64_t x, unsigned rank)
{
	for (; rank; rank--)
		x &= x - 1;
	return (unsigned)__builtin_ctzll(x);
}

#if defined(__x86_64__)
CPU_AVX2_TARGET static inline unsigned select_bmi2(uint64_t x, unsigned rank)
{
	return (unsigned)__builtin_ctzll(_pdep_u64(UINT64_C(1) << rank, x));
}
#endif

/* Position of a leaf: number `rest` among the leaves that start in *word.  Bit 0 of *word is node
 * `start` of level D; the line ends before node `end`. */
struct place {
	const uint64_t *word;
	uint32_t start, end;
	unsigned rest;
};

/* Descend to leaf number *rest, or to its line, in which it is leaf number *rest afterwards.
 * Return the node; *is_leaf is true if it is the leaf. */
CBT_ALWAYS uint32_t go_down(const struct state *s, uint32_t *rest, bool *is_leaf)
{
	uint32_t k = 1, sum = sum_of(s, 1);

	while (sum > 1 && k < UINT32_C(1) << s->levels) {
		const uint32_t left = sum_of(s, 2 * k);
		const bool right = *rest >= left;

		k = 2 * k + right;
		sum = right ? sum - left : left;
		*rest -= right ? left : 0;
	}
	*is_leaf = sum == 1;
	return k;
}

/* Find the word of leaf number `rest` in the line of node k. */
CBT_ALWAYS struct place find_word(const struct state *s, uint32_t k, uint32_t rest)
{
	const unsigned below = s->cpu.depth - s->levels;
	uint32_t start = k << below;
	const uint64_t *word = s->field + (start - (UINT32_C(1) << s->cpu.depth)) / 64;
	unsigned count;

	while ((count = (unsigned)__builtin_popcountll(*word)) <= rest) {
		rest -= count;
		start += 64;
		word++;
	}
	return (struct place){ word, start, (k + 1) << below, rest };
}

/* Node of the leaf that starts at bit `bit` of the word. */
CBT_ALWAYS uint32_t leaf_at(const struct place *at, unsigned bit)
{
	const uint32_t start = at->start + bit;
	const uint64_t *word = at->word;
	uint64_t above = bit == 63 ? 0 : *word >> (bit + 1);
	uint32_t next = start + 1, behind = at->start;

	/* The next leaf starts in this word, in a later one, or with the next line. */
	while (!above && (behind += 64) < at->end) {
		above = *++word;
		next = behind;
	}
	next = above ? next + (uint32_t)__builtin_ctzll(above) : at->end;
	return start >> cbt_log2(next - start);
}

/* Find leaves first .. end - 1; return the sum of their ids if they are not stored. */
CBT_ALWAYS uint64_t find_by(const struct state *s, uint64_t first, uint64_t end, select_fn *select)
{
	uint64_t sum = 0;

	for (uint64_t leaf = first; leaf < end; leaf++) {
		uint32_t rest = (uint32_t)leaf;
		bool is_leaf;
		uint32_t k = go_down(s, &rest, &is_leaf);

		if (!is_leaf) {
			const struct place at = find_word(s, k, rest);

			k = leaf_at(&at, select(*at.word, at.rest));
		}
		if (s->cpu.ids)
			s->cpu.ids[leaf] = k;
		else
			sum += k;
	}
	return sum;
}

static uint64_t find_leaves_plain(const struct state *s, uint64_t first, uint64_t end)
{
	return find_by(s, first, end, select_plain);
}

#if defined(__x86_64__)
CPU_AVX2_TARGET static uint64_t find_leaves_bmi2(const struct state *s, uint64_t first,
						 uint64_t end)
{
	return find_by(s, first, end, select_bmi2);
}
#endif

static uint64_t find_leaves(const struct state *s, uint64_t first, uint64_t end)
{
#if defined(__x86_64__)
	if (s->simd >= CPU_AVX2)
		return find_leaves_bmi2(s, first, end);
#endif
	return find_leaves_plain(s, first, end);
}

static void decode(struct state *s)
{
	const uint64_t leaves = sum_of(s, 1);
	const uint64_t rank = (uint64_t)omp_get_thread_num(),
		       team = (uint64_t)omp_get_num_threads();
	const uint64_t sum = find_leaves(s, leaves * rank / team, leaves * (rank + 1) / team);

#pragma omp critical(cbt_ocbt)
	s->cpu.found->id_sum += sum;
#pragma omp single
	s->cpu.found->leaves = leaves;
}

/* ---- frames ------------------------------------------------------------------------------ */

/* Number of leaves before node k, which lies above the lines or is one. */
static uint64_t rank_of(const struct state *s, uint32_t k)
{
	uint64_t rank = 0;

	for (; k > 1; k /= 2)
		if (k & 1)
			rank += sum_of(s, k - 1);
	return rank;
}

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

	for (size_t f = 0; in->op == CBT_UPDATE && f < in->frames; f++) {
		if (first)
			gb_phase(timer, "change");
		change(s, &in->frame[f]);
		if (first)
			gb_phase(timer, "reduce");
		reduce(s);
	}
	if (in->op == CBT_REDUCE || in->op == CBT_CYCLE) {
		if (first)
			gb_phase(timer, "reduce");
		reduce(s);
	}
	if (in->op == CBT_DECODE || in->op == CBT_CYCLE) {
		if (first)
			gb_phase(timer, "decode");
#pragma omp single
		s->cpu.found->id_sum = 0;
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

	if (in->op == CBT_BITFIELD)
		return gb_fail(
			err, GB_EUNAVAILABLE,
			"leaves are found by the sums; --op=bitfield is for serial and stream");
	if (cbt_cpu_init(&s->cpu, params, input, false, err))
		return err->code;
	s->levels = in->depth > LINE_LEVELS ? in->depth - LINE_LEVELS : 0;
	s->simd = cpu_simd();
	s->parallel = s->cpu.threads > 1 && in->depth >= PARALLEL_DEPTH;
	s->chunks = s->parallel ? (size_t)1 << CHUNK_LEVELS : 1;
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
 * both and writes the ids; a frame reads its wishes and writes the field. */
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
	case CBT_DECODE:
	case CBT_BITFIELD:
	case CBT_OPS:
		break;
	}
	return field + sums + ids;
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
