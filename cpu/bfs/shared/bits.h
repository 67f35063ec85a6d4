/* bits.h -- operations of a search on rows of bits.
 *
 * Bitmaps of vertices are arrays of 64-bit words, as long as a padded row: a multiple of 16 words.
 * A slab is a range of columns: BFS_SLAB_WORDS words or what remains, always a multiple of 16.
 *
 * There are two ways to find the next frontier in a slab:
 *
 *	push	OR the rows of the frontier's vertices; bits not visited before are new.  Reads
 *		sequentially, but reads the slab part of every row, and each row adds less.
 *	pull	AND each unvisited vertex's row of the transpose with the frontier, up to the first
 *		common bit.  In a dense graph that is in the row's first cache line or two, but a
 *		vertex that cannot be reached costs its whole row.
 *
 * Rows are pushed until pulling the slab's remaining vertices is cheaper than the rows that pushing
 * would still take.
 */
#ifndef GPUBENCH_CPU_BFS_SHARED_BITS_H
#define GPUBENCH_CPU_BFS_SHARED_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	BFS_SLAB_WORDS = 128, /* 64-bit words: 1 KiB, 16 vectors of 512 bits */
	BFS_LINE_WORDS = 8,   /* 64-bit words of a cache line */
	BFS_CHECK_ROWS = 32,  /* rows between two checks of how many vertices are left */
};

/* One slab of one level. */
struct bfs_push {
	const uint32_t *matrix; /* rows of bits, from the slab's first column on */
	size_t pitch;           /* row pitch in 32-bit words */
	const uint32_t *list;   /* vertices of the frontier */
	uint32_t count;         /* entries of `list` */
	size_t words;           /* 64-bit words of the slab */
	uint64_t *visited;      /* words of this slab; in and out */
	uint64_t *found;        /* words of this slab in the new frontier; out */
	int32_t *parent;        /* from the slab's first vertex on; NULL if not wanted */
	uint32_t rows;          /* out: number of rows read */
	uint64_t left;          /* out: number of vertices of the slab still unvisited */
};

/* A frontier with one word per vertex. */
struct bfs_words {
	const uint64_t *word; /* indexed by vertex */
	const uint64_t *some; /* one bit per vertex, set if its word is not 0 */
	const uint32_t *at;   /* indices of the words of `some` that are not 0 */
	size_t count;         /* entries of `at` */
};

/* The operations for one instruction set. */
struct bfs_bits_ops {
	/* Push rows until all are pushed, the slab is saturated or pulling is cheaper. */
	void (*push)(struct bfs_push *p);
	/* Return the number of the first bit set in both within the first `words` words, or -1; add
	 * the words read to *read. */
	int64_t (*pull)(const uint32_t *row, const uint64_t *frontier, size_t words,
			uint64_t *read);
	/* Set dist[v] = level for each set bit v of `words` words. */
	void (*set)(int32_t *dist, const uint64_t *bits, size_t words, int32_t level);
	/* Write the numbers of the set bits in ascending order; return how many. */
	uint32_t (*list)(uint32_t *list, const uint64_t *bits, size_t words);
	/* OR the frontier's words over a row's set bits until all bits of `open` are found; return
	 * those found.  Add the words of the row that were read to *read. */
	uint64_t (*gather)(const uint32_t *row, const struct bfs_words *frontier, uint64_t open,
			   uint64_t *read);
};

extern const struct bfs_bits_ops bfs_bits_plain, bfs_bits_avx512; /* avx512: x86 only */

static inline uint64_t bfs_load64(const uint32_t *word)
{
	uint64_t value;

	memcpy(&value, word, sizeof value);
	return value;
}

/* Clear bits 0 .. n - 1 of `words` words and set all others. */
void bfs_bits_fence(uint64_t *bits, uint32_t n, size_t words);

#endif
