/* bits.c -- rows of bits in portable C, and the choice between pushing and pulling. */
#include "cpu/bfs/parts/bits.h"

/* Assumed cost of pulling a vertex, in cache lines of a pushed row.  A pull reads only one or two
 * lines, but at an unpredictable address, and handles bits one by one. */
enum { PULL_LINES = 12 };

void bfs_bits_fence(uint64_t *bits, uint32_t n, size_t words)
{
	for (size_t j = 0; j < words; j++)
		bits[j] = j < n / 64 ? 0 : UINT64_MAX;
	if (n % 64)
		bits[n / 64] = UINT64_MAX << n % 64;
}

static unsigned log2_of(uint64_t x)
{
	return 63 - (unsigned)__builtin_clzll(x | 1);
}

/* Each row takes the same share of the vertices left, so log2(left) falls by a constant per row;
 * that gives the number of rows until less than one vertex is left.  Until the share is known,
 * assume BFS_CHECK_ROWS rows. */
bool bfs_worth_pulling(const struct bfs_push *p, uint64_t left, uint64_t before, uint32_t rows_left)
{
	const uint64_t lines = p->words / BFS_LINE_WORDS;
	uint64_t rows = before ? rows_left : BFS_CHECK_ROWS;

	if (before > left) {
		const unsigned step = log2_of(before) - log2_of(left);
		const uint64_t wanted = (uint64_t)BFS_CHECK_ROWS * (log2_of(left) + 1);

		rows = step ? wanted / step : rows;
	}
	rows = rows < rows_left ? rows : rows_left;
	return left * PULL_LINES < rows * lines;
}

static uint64_t count_clear(const uint64_t *bits, size_t words)
{
	uint64_t count = 0;

	for (size_t j = 0; j < words; j++)
		count += (unsigned)__builtin_popcountll(~bits[j]);
	return count;
}

/* Make u the parent of the word's set bits; `parent` points to the entry of bit 0. */
static void set_parents(int32_t *parent, uint64_t word, uint32_t u)
{
	for (; word; word &= word - 1)
		parent[__builtin_ctzll(word)] = (int32_t)u;
}

/* Push one row into the slab.  With parents, only new bits go to `found`, and become visited. */
static void push_row(const struct bfs_push *p, uint32_t u)
{
	const uint32_t *row = p->matrix + u * p->pitch;

	if (!p->parent) {
		for (size_t j = 0; j < p->words; j++)
			p->found[j] |= bfs_load64(row + 2 * j);
		return;
	}
	for (size_t j = 0; j < p->words; j++) {
		const uint64_t fresh = bfs_load64(row + 2 * j) & ~p->visited[j];

		if (!fresh)
			continue;
		p->visited[j] |= fresh;
		p->found[j] |= fresh;
		set_parents(p->parent + 64 * j, fresh, u);
	}
}

/* Without parents, `found` holds all bits pushed; remove those that were visited before. */
static uint64_t settle(struct bfs_push *p)
{
	for (size_t j = 0; j < p->words; j++) {
		const uint64_t old = p->visited[j];

		p->visited[j] |= p->found[j];
		if (!p->parent)
			p->found[j] &= ~old;
	}
	return count_clear(p->visited, p->words);
}

static uint64_t count_left(const struct bfs_push *p)
{
	uint64_t count = 0;

	for (size_t j = 0; j < p->words; j++)
		count += (unsigned)__builtin_popcountll(~(p->visited[j] | p->found[j]));
	return count;
}

static void push_plain(struct bfs_push *p)
{
	uint64_t left = count_clear(p->visited, p->words), before = 0;
	uint32_t i = 0;

	memset(p->found, 0, p->words * sizeof *p->found);
	while (i < p->count && left && !bfs_worth_pulling(p, left, before, p->count - i)) {
		const uint32_t end = p->count - i < BFS_CHECK_ROWS ? p->count : i + BFS_CHECK_ROWS;

		for (; i < end; i++)
			push_row(p, p->list[i]);
		before = left;
		left = count_left(p);
	}
	p->rows = i;
	p->left = settle(p);
}

static int64_t pull_plain(const uint32_t *row, const uint64_t *frontier, size_t words,
			  uint64_t *read)
{
	for (size_t j = 0; j < words; j++) {
		const uint64_t common = bfs_load64(row + 2 * j) & frontier[j];

		if (!common)
			continue;
		*read += j + 1;
		return (int64_t)(64 * j) + __builtin_ctzll(common);
	}
	*read += words;
	return -1;
}

static void set_plain(int32_t *dist, const uint64_t *bits, size_t words, int32_t level)
{
	for (size_t j = 0; j < words; j++)
		for (uint64_t w = bits[j]; w; w &= w - 1)
			dist[64 * j + (unsigned)__builtin_ctzll(w)] = level;
}

static uint32_t list_plain(uint32_t *list, const uint64_t *bits, size_t words)
{
	uint32_t count = 0;

	for (size_t j = 0; j < words; j++)
		for (uint64_t w = bits[j]; w; w &= w - 1)
			list[count++] = (uint32_t)(64 * j) + (uint32_t)__builtin_ctzll(w);
	return count;
}

static uint64_t gather_plain(const uint32_t *row, const struct bfs_words *f, uint64_t open,
			     uint64_t *read)
{
	uint64_t found = 0;
	size_t i = 0;

	while (i < f->count && open & ~found) {
		const size_t j = f->at[i++];
		const uint64_t bits = bfs_load64(row + 2 * j) & f->some[j];

		for (uint64_t w = bits; w; w &= w - 1)
			found |= f->word[64 * j + (unsigned)__builtin_ctzll(w)];
	}
	*read += i;
	return found & open;
}

const struct bfs_bits_ops bfs_bits_plain = {
	.push = push_plain,
	.pull = pull_plain,
	.set = set_plain,
	.list = list_plain,
	.gather = gather_plain,
};
