/* swaps.c -- see swaps.h.
 *
 * In the field and on each level of the heap, the two subtrees of a node are adjacent ranges of
 * equal length, which trade places.  In the requests of a frame they are adjacent ranges of a bit
 * per leaf, which may differ in length.  Their lengths are counted when the input is generated.
 */
#include "datasets/trees/swaps.h"

#include "common/memory.h"
#include "datasets/trees/bits.h"

enum {
	LEVELS = 7,           /* a swapped node is above this level */
	LONG_RANGE = 1 << 15, /* words that are swapped by several threads */
	CHUNK = 63,           /* bits that cbt_bits() moves at a time */
};

struct cbt_swaps {
	unsigned level;         /* of the nodes that may be swapped */
	uint64_t nodes;         /* bit i: node 2^level + i may be */
	uint64_t now;           /* nodes that are swapped in field, heap and frames */
	uint64_t end;           /* nodes that are swapped in end_field */
	uint64_t inner[LEVELS]; /* by level: the nodes that have had children in all trees */
	uint32_t leaves[];      /* [frames][parts]: leaves that start in each part of the field */
};

/* Number of levels whose nodes can have different subtrees, at most LEVELS. */
static unsigned levels_of(const struct cbt_input *in)
{
	return in->depth - 1 < LEVELS ? in->depth - 1 : LEVELS;
}

/* Leaves of each part in a frame, in the original order.  There are two parts per node of the
 * lowest level. */
static uint32_t *leaves_of(const struct cbt_input *in, size_t frame)
{
	return in->swaps->leaves + (frame << levels_of(in));
}

/* ---- ranges of bits ---------------------------------------------------------------------- */

static inline void swap_word(uint64_t *a, uint64_t *b)
{
	const uint64_t word = *a;

	*a = *b;
	*b = word;
}

static void swap_words(uint64_t *restrict a, uint64_t *restrict b, size_t n)
{
	if (n < LONG_RANGE) { /* a parallel region costs time even with one thread */
		for (size_t i = 0; i < n; i++)
			swap_word(&a[i], &b[i]);
		return;
	}
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < n; i++)
		swap_word(&a[i], &b[i]);
}

/* Swap the n bits from a on with the n bits from b on, which do not overlap. */
static void swap_bits(uint64_t *word, uint64_t a, uint64_t b, uint64_t n)
{
	if (a % 64 == 0 && b % 64 == 0 && n % 64 == 0) {
		swap_words(word + a / 64, word + b / 64, n / 64);
		return;
	}
	while (n > 0) {
		const unsigned width = n < CHUNK ? (unsigned)n : CHUNK;
		const uint64_t bits = cbt_bits(word, a, width);

		cbt_set_bits(word, a, width, cbt_bits(word, b, width));
		cbt_set_bits(word, b, width, bits);
		a += width;
		b += width;
		n -= width;
	}
}

/* Exchange `left` bits from x on with the `right` bits behind them; one of the two is a chunk. */
static void exchange_chunk(uint64_t *word, uint64_t x, uint64_t left, uint64_t right)
{
	if (left <= right) {
		const uint64_t bits = cbt_bits(word, x, (unsigned)left);

		for (uint64_t i = 0; i < right; i += CHUNK) {
			const unsigned width = right - i < CHUNK ? (unsigned)(right - i) : CHUNK;

			cbt_set_bits(word, x + i, width, cbt_bits(word, x + i + left, width));
		}
		cbt_set_bits(word, x + right, (unsigned)left, bits);
	} else {
		const uint64_t bits = cbt_bits(word, x + left, (unsigned)right);

		for (uint64_t i = left; i > 0;) {
			const unsigned width = i < CHUNK ? (unsigned)i : CHUNK;

			i -= width;
			cbt_set_bits(word, x + i + right, width, cbt_bits(word, x + i, width));
		}
		cbt_set_bits(word, x, (unsigned)right, bits);
	}
}

/* The same for any lengths: swap the shorter range with bits of the longer one, which are then in
 * their place, until a chunk is left. */
static void exchange(uint64_t *word, uint64_t x, uint64_t left, uint64_t right)
{
	while (left > CHUNK && right > CHUNK) {
		const uint64_t n = left < right ? left : right;

		swap_bits(word, x, x + left, n);
		x += n;
		if (left <= right)
			right -= n;
		else
			left -= n;
	}
	if (left && right)
		exchange_chunk(word, x, left, right);
}

/* ---- which nodes ------------------------------------------------------------------------- */

enum gb_status gb_swaps_create(struct cbt_input *in, size_t frames, struct gb_error *err)
{
	const size_t counts = sizeof(uint32_t) * frames << levels_of(in);

	in->swaps = gb_host_alloc(1, sizeof *in->swaps + counts, err);
	if (in->swaps && !gb_memory_is_dry()) {
		*in->swaps = (struct cbt_swaps){ 0 };
		for (unsigned level = 0; level < levels_of(in); level++)
			in->swaps->inner[level] = UINT64_MAX >> (64 - (1U << level));
	}
	return err->code;
}

/* The number of set bits from x on; n is a power of two and x a multiple of it. */
static uint32_t count_bits(const uint64_t *field, uint64_t x, uint64_t n)
{
	uint32_t count = 0;

	if (n < 64)
		return (uint32_t)__builtin_popcountll(cbt_bits(field, x, (unsigned)n));
	for (uint64_t w = x / 64; w < (x + n) / 64; w++)
		count += (uint32_t)__builtin_popcountll(field[w]);
	return count;
}

void gb_swaps_look(struct cbt_input *in, size_t frame, const uint64_t *field)
{
	const unsigned levels = levels_of(in);
	const uint64_t part = (UINT64_C(1) << in->depth) >> levels;

	for (unsigned level = 0; level < levels; level++) {
		const uint64_t size = (UINT64_C(1) << in->depth) >> level;

		/* A leaf starts in the middle of a node that has children. */
		for (unsigned i = 0; i < 1U << level; i++)
			if (!gb_tree_get(field, i * size + size / 2))
				in->swaps->inner[level] &= ~(UINT64_C(1) << i);
	}
	if (frame < in->frames)
		for (unsigned i = 0; i < 1U << levels; i++)
			leaves_of(in, frame)[i] = count_bits(field, i * part, part);
}

/* True if the n bits from x on differ from the n bits behind them; x is a multiple of 2 n, a power
 * of two. */
static bool differ(const uint64_t *field, uint64_t x, uint64_t n)
{
	if (n < 64)
		return cbt_bits(field, x, (unsigned)n) != cbt_bits(field, x + n, (unsigned)n);
	return memcmp(field + x / 64, field + (x + n) / 64, n / 8) != 0;
}

void gb_swaps_choose(struct cbt_input *in)
{
	const uint64_t *field = in->end_field ? in->end_field : in->field;
	struct cbt_swaps *s = in->swaps;

	for (unsigned level = 0; level < levels_of(in); level++) {
		const uint64_t half = (UINT64_C(1) << in->depth) >> level >> 1;
		uint64_t nodes = s->inner[level];

		for (unsigned i = 0; i < 1U << level; i++)
			if ((nodes >> i & 1) && !differ(field, (uint64_t)i * 2 * half, half))
				nodes &= ~(UINT64_C(1) << i);
		if (nodes && __builtin_popcountll(nodes) >= __builtin_popcountll(s->nodes)) {
			s->nodes = nodes;
			s->level = level;
		}
	}
}

/* ---- swaps ------------------------------------------------------------------------------- */

static void swap_field(const struct cbt_swaps *s, unsigned depth, uint64_t *field, unsigned i)
{
	const uint64_t half = (UINT64_C(1) << depth) >> s->level >> 1;

	swap_bits(field, (uint64_t)i * 2 * half, (uint64_t)i * 2 * half + half, half);
}

static void swap_heap(const struct cbt_swaps *s, unsigned depth, uint64_t *heap, unsigned i)
{
	for (unsigned level = s->level + 1; level <= depth; level++) {
		const unsigned below = level - s->level;
		const uint32_t first = ((UINT32_C(1) << s->level) + i) << below;
		const uint64_t bits = (UINT64_C(1) << below >> 1) * cbt_width(depth, level);
		const uint64_t x = cbt_element_bit(depth, first);

		swap_bits(heap, x, x + bits, bits);
	}
}

/* Swap the requests of one frame.  Until now, its nodes were swapped as in s->now. */
static void swap_requests(const struct cbt_input *in, size_t f, uint64_t nodes)
{
	const struct cbt_swaps *s = in->swaps;
	const uint32_t *leaves = leaves_of(in, f);
	const unsigned parts = 1U << (levels_of(in) - s->level - 1); /* of a child */
	uint64_t leaf = 0;

	for (unsigned i = 0; i < 1U << s->level; i++) {
		uint64_t child[2] = { 0 };

		for (unsigned p = 0; p < 2 * parts; p++)
			child[p / parts] += *leaves++;
		if (nodes >> i & 1) {
			const unsigned left = s->now >> i & 1;

			exchange(in->frame[f].split, leaf, child[left], child[!left]);
			exchange(in->frame[f].merge, leaf, child[left], child[!left]);
		}
		leaf += child[0] + child[1];
	}
}

/* A bijection in which every bit of the result depends on every bit of x. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 32) * UINT64_C(0xd2b74407b1ce6e93);
	x = (x ^ x >> 29) * UINT64_C(0xca5a826395121157);
	return x ^ x >> 32;
}

bool gb_swaps_vary(struct cbt_input *in, uint64_t key)
{
	struct cbt_swaps *s = in->swaps;
	uint64_t want = key ? mix(key) & s->nodes : 0, nodes;

	if (key && !want)
		want = s->nodes & -s->nodes;
	nodes = want ^ s->now;
	for (uint64_t rest = nodes; rest; rest &= rest - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(rest);

		swap_field(s, in->depth, in->field, i);
		if (in->heap)
			swap_heap(s, in->depth, in->heap, i);
	}
	for (size_t f = 0; f < in->frames && nodes; f++)
		swap_requests(in, f, nodes);
	s->now = want;
	return s->nodes != 0;
}

const uint64_t *gb_swaps_end_field(const struct cbt_input *in)
{
	struct cbt_swaps *s = in->swaps;

	for (uint64_t rest = s->now ^ s->end; rest; rest &= rest - 1)
		swap_field(s, in->depth, in->end_field, (unsigned)__builtin_ctzll(rest));
	s->end = s->now;
	return in->end_field;
}

uint32_t gb_swaps_original(const struct cbt_input *in, uint32_t k)
{
	const struct cbt_swaps *s = in->swaps;
	const unsigned level = cbt_level(k);
	unsigned below, i;

	if (level <= s->level)
		return k;
	below = level - s->level;
	i = (k >> below) - (1U << s->level);
	return s->now >> i & 1 ? k ^ (UINT32_C(1) << (below - 1)) : k;
}
