/* bits.h -- what a search does with rows of bits, and how in portable C.
 *
 * Bitmaps of vertices are 64-bit words, as many as a padded row has: a multiple of 16.  A slab is
 * a range of columns, BFS_SLAB_WORDS of them or what is left, always a multiple of 16.
 *
 * Two ways to find the next frontier in a slab:
 *
 *	push	OR the rows of the frontier's vertices; what was not visited before is new.  Reads
 *		sequentially, but all of the slab of each row, and each row contributes less.
 *	pull	AND each unvisited vertex's row of the transpose with the frontier, up to the first
 *		common bit.  In a dense graph that is in the row's first cache line or two, but a
 *		vertex that cannot be reached costs its whole row.
 *
 * So rows are pushed until few enough vertices of the slab are left that pulling them is cheaper
 * than the rows that pushing would still take; bfs_worth_pulling() decides.
 */
#ifndef GPUBENCH_CPU_BFS_PARTS_BITS_H
#define GPUBENCH_CPU_BFS_PARTS_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	BFS_SLAB_WORDS = 128, /* 64-bit words: 1 KiB, 16 vectors of 512 bits */
	BFS_LINE_WORDS = 8,   /* of a cache line */
	BFS_CHECK_ROWS = 32,  /* rows between two looks at how many are left */
};

/* One slab of one level. */
struct bfs_push {
	const uint32_t *matrix; /* of bits, from the slab's first column on */
	size_t pitch;           /* of the matrix, in 32-bit words */
	const uint32_t *list;   /* the frontier */
	uint32_t count;         /* of the frontier */
	size_t words;           /* of the slab */
	uint64_t *visited;      /* the slab's part; in and out */
	uint64_t *found;        /* the slab's part of the new frontier; out */
	int32_t *parent;        /* of the slab's first vertex on; NULL if not wanted */
	uint32_t rows;          /* out: rows read */
	uint64_t left;          /* out: vertices of the slab that are still unvisited */
};

/* A frontier that has a word for each vertex. */
struct bfs_words {
	const uint64_t *word; /* of vertex v */
	const uint64_t *some; /* a bit for each vertex whose word is not 0 */
	const uint32_t *at;   /* the words of `some` that are not 0 */
	size_t count;         /* of these */
};

/* A set of operations. */
struct bfs_bits_ops {
	/* Push rows until all are pushed, or the slab is saturated, or pulling is cheaper. */
	void (*push)(struct bfs_push *p);
	/* Number of the first bit that both have in their first `words` words, or -1; *read counts
	 * words. */
	int64_t (*pull)(const uint32_t *row, const uint64_t *frontier, size_t words,
			uint64_t *read);
	/* dist[v] = level for the bits v of `words` words. */
	void (*set)(int32_t *dist, const uint64_t *bits, size_t words, int32_t level);
	/* The numbers of the bits, in ascending order; returns how many. */
	uint32_t (*list)(uint32_t *list, const uint64_t *bits, size_t words);
	/* The OR of the frontier's words over a row's bits, as far as it takes to have all bits of
	 * `open`; those are returned.  *read counts words of the row. */
	uint64_t (*gather)(const uint32_t *row, const struct bfs_words *frontier, uint64_t open,
			   uint64_t *read);
};

extern const struct bfs_bits_ops bfs_bits_plain, bfs_bits_avx512; /* the latter on x86 */

/* Whether pulling `left` vertices is cheaper than pushing the rows that are left; `before` were
 * left BFS_CHECK_ROWS rows ago, 0 if that is not known. */
bool bfs_worth_pulling(const struct bfs_push *p, uint64_t left, uint64_t before,
		       uint32_t rows_left);

static inline uint64_t bfs_load64(const uint32_t *word)
{
	uint64_t value;

	memcpy(&value, word, sizeof value);
	return value;
}

/* All bits set from n on, none before; `words` words. */
void bfs_bits_fence(uint64_t *bits, uint32_t n, size_t words);

#endif
