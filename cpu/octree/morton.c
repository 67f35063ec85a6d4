/* morton.c -- cpu/morton: keys, sort, linear octree; or insertion where that is faster.
 *
 * Unlike in insertion, no body walks down the tree.  In the order of their keys, bodies that share
 * a cell are neighbours, and the digits that two neighbours share tell where nodes begin and end.
 *
 *	box    the least and the greatest coordinates
 *	keys   a sample of the bodies determines cells that fit a core's cache
 *	       (shared/morton_plan.c); each body's cell is looked up and counted
 *	sort   bodies and their keys are moved to their cells, which are in order
 *	link   a thread takes a cell, sorts it in its cache and makes its nodes
 *	       (shared/morton_link.c); this phase includes the rest of the sort
 *
 * A body's position is read three times, its record written and read once, and its number written
 * twice and read once; every node is written once, in the order of the walk.  The bound is main
 * memory.
 *
 * Insertion is used for two kinds of input.  One is up to FEW bodies, because a sort has fixed
 * costs.  The other is bodies whose layout is even (octree_cpu_is_even()): the path down is in the
 * cache, and its length is predictable.  One thread inserts without atomic operations
 * (shared/insert.h).  It works alone on up to some thousand bodies (octree_cpu_is_alone()), where
 * two threads are slower.
 *
 * A leaf is identified by the place of its first body in the order; it ends where the next leaf
 * begins.  download() turns that into the benchmark's lists.
 */
#include "cpu/octree/shared/morton.h"

#include <omp.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "cpu/octree/shared/insert.h"

enum {
	FEW = 2048, /* so many bodies or fewer are inserted */
	PARTS_PER_THREAD = 4,
	LEAST_STEP = 16, /* bodies per sample, at least */
};

/* ---- memory -------------------------------------------------------------------------------- */

static enum gb_status create_worker(struct octree_worker *w, size_t words, struct gb_error *err)
{
	/* Vectors are stored whole: the last one may reach past the end. */
	const size_t room = (words > OCTREE_CELL_MAX ? words : OCTREE_CELL_MAX) + 64;

	w->count = gb_host_alloc(OCTREE_CELLS, sizeof *w->count, err);
	w->position = gb_host_alloc(OCTREE_CELLS, sizeof *w->position, err);
	w->start = gb_host_alloc(OCTREE_CELLS, sizeof *w->start, err);
	w->line = gb_host_alloc((size_t)OCTREE_CELLS * OCTREE_LINE, sizeof *w->line, err);
	for (int k = 0; k < 2; k++)
		w->word[k] = gb_host_alloc(room, sizeof *w->word[k], err);
	return err->code;
}

/* A cell with more samples is divided, into eight parts at most: there is room for the parts of
 * evenly spread bodies. */
static size_t cell_samples(size_t samples)
{
	const size_t least = samples / (OCTREE_CELLS / 8);

	return least > OCTREE_CELL_SAMPLES ? least : OCTREE_CELL_SAMPLES;
}

/* Choose the step so that each thread gets a few parts, if there are enough bodies. */
static size_t sample_step(const struct octree_cpu *cpu)
{
	const size_t wanted = (size_t)cpu->threads * PARTS_PER_THREAD * OCTREE_CELL_SAMPLES;
	const size_t step = cpu->threads > 1 ? cpu->count / wanted : OCTREE_SAMPLE_STEP;

	return step < LEAST_STEP           ? LEAST_STEP
	       : step < OCTREE_SAMPLE_STEP ? step
					   : OCTREE_SAMPLE_STEP;
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct octree_morton *m = state;

	if (octree_cpu_init(&m->cpu, params, input, OCTREE_WANTS_RANKS, err))
		return err->code;
	m->sample_step = sample_step(&m->cpu);
	m->samples = m->cpu.count / m->sample_step;
	m->cell_samples = cell_samples(m->samples);
	m->record = gb_host_alloc(m->cpu.count, sizeof *m->record, err);
	/* An insertion makes no records and keeps its keys in their place. */
	m->cpu.key = (uint64_t *)m->record;
	m->part = gb_host_alloc(OCTREE_CELLS, sizeof *m->part, err);
	m->table = gb_host_alloc(OCTREE_TABLES, sizeof *m->table, err);
	m->worker = gb_host_zalloc((size_t)m->cpu.threads, sizeof *m->worker, err);
	for (int t = 0; t < m->cpu.threads && !err->code; t++)
		(void)create_worker(&m->worker[t], t ? 0 : m->samples, err);
	return err->code;
}

/* ---- insertion ----------------------------------------------------------------------------- */

/* The layout of few bodies is not sampled: that would take a large part of the time. */
static bool is_inserted(const struct octree_cpu *cpu)
{
	return cpu->count <= FEW || octree_cpu_is_even(cpu);
}

/* ---- building ------------------------------------------------------------------------------ */

/* The part of a team's thread in a build.  The first thread names the phases. */
static void build(struct octree_morton *m, struct gb_timer *timer)
{
	const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
	bool room = true;

	octree_count(m, thread, threads);
#pragma omp barrier
	if (thread == 0) {
		gb_phase(timer, "sort");
		octree_place(m, threads);
	}
#pragma omp barrier
	octree_move(m, thread, threads);
#pragma omp barrier
	if (thread == 0)
		gb_phase(timer, "link");
#pragma omp for schedule(dynamic, 1)
	for (size_t p = 0; p < m->part_count; p++)
		if (room)
			room = octree_link(m, &m->worker[thread], m->part[p]);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct octree_morton *m = state;
	const bool alone = octree_cpu_is_alone(&m->cpu);
	double start_ns;

	octree_cpu_box(&m->cpu, timer);
	m->inserted = is_inserted(&m->cpu);
	if (m->inserted)
		return octree_cpu_insert(
			state, timer, alone ? octree_seq_insert : octree_lock_insert, alone, err);
	start_ns = octree_cpu_begin(&m->cpu, timer, "keys");
	for (int t = 0; t < m->cpu.threads; t++)
		m->worker[t].rows = (struct octree_rows){ 0, 0 };
	if (octree_plan(m)) {
		if (alone) {
			build(m, timer);
		} else {
#pragma omp parallel num_threads(m->cpu.threads)
			build(m, timer);
		}
	}
	return octree_cpu_end(&m->cpu, start_ns, err);
}

/* ---- output -------------------------------------------------------------------------------- */

/* Turn places in the order into bodies: link all as if they were one list, then cut it before each
 * leaf's first body.  Values that are not bodies or places are left to the verifier. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct octree_morton *m = state;
	const int32_t *order = m->cpu.next;
	const size_t count = m->cpu.count;
	struct octree_output *out = output;
	int32_t *next = octree_output_next(m->cpu.input, out);

	if (m->inserted)
		return octree_cpu_download(state, output, err);
	out->rows = (int64_t)octree_cpu_rows(&m->cpu);
#pragma omp parallel num_threads(m->cpu.threads)
	{
#pragma omp for schedule(static)
		for (size_t j = 0; j < count; j++)
			if ((size_t)order[j] < count)
				next[order[j]] = j + 1 < count ? order[j + 1] : -1;
#pragma omp for schedule(static)
		for (int64_t row = 0; row < out->rows; row++)
			for (int d = 0; d < 8; d++) {
				const int32_t value = m->cpu.child[row][d];
				const int32_t place = octree_body(value);

				out->child[row][d] = value;
				if (value >= OCTREE_FREE || (size_t)place >= count)
					continue;
				out->child[row][d] = octree_body(order[place]);
				if (place > 0 && (size_t)order[place - 1] < count)
					next[order[place - 1]] = -1;
			}
	}
	return GB_OK;
}

static void metrics(void *state, struct gb_metrics *metrics)
{
	const struct octree_morton *m = state;

	octree_cpu_metrics(state, metrics);
	gb_metric(metrics, "inserted", m->inserted);
}

const struct gb_variant_ops octree_cpu_morton = {
	.state_size = sizeof(struct octree_morton),
	.create = create,
	.run = run,
	.download = download,
	.metrics = metrics,
	.flags = GB_REPEATABLE,
};
