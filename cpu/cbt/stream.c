/* stream.c -- cpu/stream: sums by whole words, leaves streamed from the field.
 *
 * Against descent: the sums are written in whole words by the one thread that owns them (sums.h),
 * instead of element by element with atomics.  Leaves are streamed from the field (leaves.h),
 * instead of found by D steps each; a frame is applied in the same pass (frame.h).  Threads share
 * subtrees of the field, in one parallel region per run; below PARALLEL_DEPTH one thread is faster
 * than starting two.
 *
 * Memory sets the bounds: reduce reads 2^D bits and writes 3 * 2^D; decode reads 2^D and writes the
 * ids.
 */
#include <omp.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "cpu/cbt/shared/frame.h"
#include "cpu/cbt/shared/leaves.h"
#include "cpu/cbt/shared/sums.h"
#include "cpu/cbt/shared/tree.h"

enum {
	PARALLEL_DEPTH = 18,
	CHUNKS_A_THREAD = 8,
	MAX_CHUNKS = 1024,
	MIN_CHUNK_WORDS = 64,
};

/* Ids of at least this many bytes are written around the caches. */
static const size_t LARGE = (size_t)32 << 20;

struct state {
	struct cbt_cpu cpu; /* first member: see cbt_cpu_reset() */
	struct cbt_sums sums;
	struct cbt_chunk *chunk; /* a power of two of them */
	size_t chunks;
	enum cpu_simd simd;
	bool parallel;
	bool around;
	uint64_t small; /* the field if depth < 6, where it has no word of its own in the heap */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct cbt_input *in = input;
	struct state *s = state;
	size_t words;

	if (cbt_cpu_init(&s->cpu, params, input, true, err))
		return err->code;
	s->simd = cpu_simd();
	s->parallel = s->cpu.threads > 1 && in->depth >= PARALLEL_DEPTH;
	s->around = in->leaves * sizeof *s->cpu.ids >= LARGE;
	words = in->field_words;
	for (s->chunks = 1; s->parallel && s->chunks < MAX_CHUNKS &&
			    s->chunks < CHUNKS_A_THREAD * (size_t)s->cpu.threads &&
			    words / s->chunks > MIN_CHUNK_WORDS;)
		s->chunks *= 2;
	s->chunk = gb_host_alloc(s->chunks, sizeof *s->chunk, err);
	if (!s->chunk)
		return err->code;
	cbt_chunks_cut(s->chunk, s->chunks, words);
	if (!s->cpu.heap)
		return GB_OK;
	return cbt_sums_init(&s->sums, s->cpu.heap, in->depth, s->parallel ? s->cpu.threads : 1,
			     err);
}

/* Return the field as words. */
static const uint64_t *field_of(struct state *s)
{
	const struct cbt_cpu *cpu = &s->cpu;

	if (!cpu->tree)
		return cpu->in->field;
	if (cpu->depth >= 6)
		return cpu->tree + cbt_field_at(cpu->depth);
	s->small = cbt_bits(cpu->tree, cbt_level_bit(cpu->depth, cpu->depth), 1U << cpu->depth);
	return &s->small;
}

/* ---- work of a team of threads; a team of one needs no parallel region --------------------- */

static void reduce(struct state *s)
{
	const size_t subtrees = cbt_sums_subtrees(&s->sums);

#pragma omp for schedule(static) nowait
	for (size_t i = 0; i < subtrees; i++)
		cbt_sums_subtree(&s->sums, i);
	cbt_sums_fence(&s->sums);
#pragma omp barrier
#pragma omp single
	{
		cbt_sums_top(&s->sums);
		s->cpu.found->leaves = cbt_get(s->cpu.heap, s->cpu.depth, 1);
	}
}

/* Find the number of each chunk's first leaf, from the sums or by counting. */
static void rank_chunks(struct state *s, const uint64_t *field)
{
	const struct cbt_cpu *cpu = &s->cpu;

#pragma omp for schedule(static)
	for (size_t i = 0; i < s->chunks; i++) {
		struct cbt_chunk *c = &s->chunk[i];

		if (cpu->tree)
			c->rank = cbt_cpu_rank(cpu->tree, cpu->depth, (uint32_t)(s->chunks + i));
		else
			c->rank = s->chunks == 1
					  ? 0
					  : cbt_count(s->simd, field, c->first_word, c->end_word);
	}
#pragma omp single
	for (size_t i = 0, sum = 0; !cpu->tree && i < s->chunks; i++) {
		const size_t count = s->chunk[i].rank;

		s->chunk[i].rank = sum;
		sum += count;
	}
}

static void decode(struct state *s, const uint64_t *field)
{
	struct cbt_cpu *cpu = &s->cpu;
	uint64_t leaves = 0, sum = 0;

	rank_chunks(s, field);
#pragma omp for schedule(dynamic)
	for (size_t i = 0; i < s->chunks; i++) {
		const struct cbt_chunk *c = &s->chunk[i];
		struct cbt_leaves out = { cpu->ids ? cpu->ids + c->rank : NULL, 0 };

		leaves += cbt_leaves(s->simd, field, cpu->depth, c->first_word, c->end_word,
				     s->around, &out);
		sum += out.sum;
	}
#pragma omp critical(cbt_stream)
	{
		cpu->found->leaves += leaves;
		cpu->found->id_sum += sum;
	}
}

static void change(struct state *s, const struct cbt_frame *frame, uint64_t *field)
{
	rank_chunks(s, field);
#pragma omp for schedule(static)
	for (size_t i = 0; i < s->chunks; i++)
		cbt_chunk_look(field, &s->chunk[i]);
#pragma omp for schedule(dynamic)
	for (size_t i = 0; i < s->chunks; i++)
		cbt_chunk_change(s->simd, field, s->cpu.depth, frame, s->chunk, s->chunks, i);
#pragma omp single
	{
		cbt_chunks_finish(field, s->chunk, s->chunks);
		if (s->cpu.depth < 6)
			cbt_put_field(s->cpu.heap, s->cpu.depth, field);
	}
}

static void update(struct state *s, struct gb_timer *timer)
{
	uint64_t *heap_field = s->cpu.heap + cbt_field_at(s->cpu.depth);

	for (size_t f = 0; f < s->cpu.in->frames; f++) {
		(void)field_of(s);
		if (omp_get_thread_num() == 0)
			gb_phase(timer, "change");
		change(s, &s->cpu.in->frame[f], s->cpu.depth < 6 ? &s->small : heap_field);
		if (omp_get_thread_num() == 0)
			gb_phase(timer, "reduce");
		reduce(s);
	}
}

/* The whole run, as each thread of the team executes it.  The first thread names the phases. */
static void work(struct state *s, struct gb_timer *timer)
{
	const enum cbt_op op = s->cpu.in->op;
	const bool first = omp_get_thread_num() == 0;

	if (op == CBT_UPDATE) {
		update(s, timer);
		return;
	}
	if (op == CBT_REDUCE || op == CBT_CYCLE) {
		if (first)
			gb_phase(timer, "reduce");
		reduce(s);
	}
	if (op == CBT_REDUCE)
		return;
	if (first)
		gb_phase(timer, "decode");
#pragma omp single
	s->cpu.found->leaves = s->cpu.found->id_sum = 0;
	decode(s, field_of(s));
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

const struct gb_variant_ops cbt_cpu_stream = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = cbt_cpu_reset,
	.run = run,
	.download = cbt_cpu_download,
	.flags = GB_REPEATABLE,
};
