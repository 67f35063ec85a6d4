/* dense.c -- see dense.h. */
#include "cpu/bfs/shared/dense.h"

#include "common/memory.h"
#include "cpu/runtime/simd.h"

static const struct bfs_bits_ops *choose(void)
{
#if defined(__x86_64__)
	if (cpu_simd() >= CPU_AVX512)
		return &bfs_bits_avx512;
#endif
	return &bfs_bits_plain;
}

enum gb_status bfs_dense_init(struct bfs_dense *s, const void *params, const void *input,
			      unsigned wants, struct gb_error *err)
{
	(void)bfs_cpu_init(&s->cpu, params, input, wants | BFS_WANTS_MATRIX, err);
	s->ops = choose();
	s->words = s->cpu.in->pitch / 2;
	s->visited = gb_host_alloc(s->words, sizeof *s->visited, err);
	s->frontier = gb_host_alloc(s->words, sizeof *s->frontier, err);
	s->found = gb_host_alloc(s->words, sizeof *s->found, err);
	if (!(wants & BFS_WANTS_LIST))
		return err->code;
	s->list = gb_host_alloc(bfs_cpu_room(s->cpu.in->n), sizeof *s->list, err);
	s->left = gb_host_alloc(64 * s->words, sizeof *s->left, err);
	return err->code;
}
