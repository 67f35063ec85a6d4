/* ccam_paper.c -- cpu/ccam-paper, cpu/ccam-paper-early: the paper's GPU_CCAM on threads, repaired.
 *
 * Each level goes through all vertices.  One whose distance is the level reads its row of bits and
 * probes the distance of the neighbour at every set bit.  Against basic, it reads an eighth of the
 * bytes.  The printed kernel drops the vertices of the last, incomplete word (N / 32 truncates),
 * reads 64-bit words from a matrix of 32-bit ones where long has 64 bits, and cannot see that a
 * level changed nothing.  Here rows have all their words, of the matrix's width, and the search
 * ends after a level that finds nothing.  In a dense graph most probes find vertices already
 * reached: the bound is the probes, m.
 *
 * ccam-paper-early also ends once all vertices are reached, which spares the last level.
 */
#include "common/benchmark.h"
#include "cpu/bfs/shared/search.h"

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	return bfs_cpu_init(state, params, input, BFS_WANTS_DIST | BFS_WANTS_MATRIX, err);
}

/* Reach the neighbours among the 32 vertices from `base` on; return how many. */
static uint64_t probe_word(const struct bfs_cpu *cpu, uint32_t u, uint32_t word, uint32_t base,
			   int32_t next)
{
	uint64_t found = 0;

	for (; word; word &= word - 1)
		found += bfs_cpu_reach(cpu, base + (uint32_t)__builtin_ctz(word), u, next);
	return found;
}

static uint64_t scan_row(const struct bfs_cpu *cpu, uint32_t u, int32_t next)
{
	const struct bfs_input *in = cpu->in;
	const uint32_t *row = in->matrix + u * in->pitch;
	const uint32_t words = in->n / 32 + (in->n % 32 > 0);
	uint64_t found = 0;

	for (uint32_t j = 0; j < words; j++)
		found += probe_word(cpu, u, row[j], 32 * j, next);
	return found;
}

static void search(struct bfs_cpu *cpu, bool early)
{
	const size_t words = (cpu->in->n + 31) / 32;

	bfs_cpu_by_levels(cpu, scan_row, words * sizeof(uint32_t), early);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	search(state, false);
	return GB_OK;
}

static enum gb_status run_early(void *state, struct gb_timer *timer, struct gb_error *err)
{
	search(state, true);
	return GB_OK;
}

const struct gb_variant_ops bfs_cpu_ccam_paper = {
	.state_size = sizeof(struct bfs_cpu),
	.create = create,
	.reset = bfs_cpu_reset,
	.run = run,
	.download = bfs_cpu_download,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};

const struct gb_variant_ops bfs_cpu_ccam_paper_early = {
	.state_size = sizeof(struct bfs_cpu),
	.create = create,
	.reset = bfs_cpu_reset,
	.run = run_early,
	.download = bfs_cpu_download,
	.metrics = bfs_cpu_metrics,
	.flags = GB_REPEATABLE,
};
