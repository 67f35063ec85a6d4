/* partition.h -- splits keys in two repeatedly until a network can sort them, for vectors and lanes
 * of any width.  vector*.c include it once per width, so it has no include guard.
 *
 * The includer defines NAME(x), a name with the width in it; KEY, the type of a key; VECTOR, the
 * type of a vector; LANES, its number of lanes; ATTRIBUTES of functions; LOAD(from); STORE(to,
 * vector); BROADCAST(key); LOAD_FIRST(from, n), n keys followed by lanes of the largest key;
 * STORE_FIRST(to, n, vector); TO_ORDER(vector), which turns keys into what network.h compares, and
 * back; GREATER(a, b) and DIFFERENT(a, b), masks of the lanes in which key a exceeds b or differs
 * from it, 0 if there are none; LOW_FIRST(vector, mask), the vector with the lanes of the mask
 * moved last and otherwise in order; MIN and MAX of two vectors as network.h compares them.  If a
 * mask is not a bit per lane, it also defines COUNT(mask), the number of its lanes, and
 * OTHERS(mask), the mask of all others.  STORE_SIDES(low, high, vector, up) stores the lanes of the
 * mask in front of `high` and the others from `low` on, and any lanes between.
 */
#ifndef COUNT
#define COUNT(mask)  ((unsigned)__builtin_popcount(mask))
#define OTHERS(mask) (((1 << LANES) - 1) & ~(mask))
#endif
#ifndef STORE_SIDES
#define STORE_SIDES(low, high, vector, up)                    \
	do {                                                  \
		const VECTOR ordered = LOW_FIRST(vector, up); \
                                                              \
		STORE(low, ordered);                          \
		STORE((high)-LANES, ordered);                 \
	} while (0)
#endif

enum {
	NAME(NETWORK) = 16 * LANES, /* most keys that the networks sort */
	NAME(MANY) = NAME(NETWORK) < RADIX_MANY_SAMPLES ? NAME(NETWORK) : RADIX_MANY_SAMPLES,
};

/* Number of the n keys that lie in row i. */
static inline size_t NAME(in_row)(size_t n, size_t i)
{
	return n <= LANES * i ? 0 : n - LANES * i < LANES ? n - LANES * i : LANES;
}

/* Sort n keys that fill at least `full` rows and at most `rows`. */
static inline __attribute__((always_inline)) ATTRIBUTES void NAME(network)(KEY *key, size_t n,
									   unsigned full,
									   unsigned rows)
{
	VECTOR v[16];

#pragma GCC unroll 16
	for (size_t i = 0; i < full; i++)
		v[i] = TO_ORDER(LOAD(key + LANES * i));
#pragma GCC unroll 16
	for (size_t i = full; i < rows; i++)
		v[i] = TO_ORDER(LOAD_FIRST(key + LANES * i, NAME(in_row)(n, i)));
	NAME(sort_matrix)(v, rows);
#pragma GCC unroll 16
	for (size_t i = 0; i < full; i++)
		STORE(key + LANES * i, TO_ORDER(v[i]));
#pragma GCC unroll 16
	for (size_t i = full; i < rows; i++)
		STORE_FIRST(key + LANES * i, NAME(in_row)(n, i), TO_ORDER(v[i]));
}

/* Sort 1 .. NETWORK keys.  There is no network for each number of rows: every network is kilobytes
 * of code, which a run with cold caches has to fetch. */
ATTRIBUTES
static void NAME(few)(KEY *key, size_t n)
{
	const size_t rows = (n + LANES - 1) / LANES;

	if (rows <= 1)
		NAME(network)(key, n, 0, 1);
	else if (rows <= 2)
		NAME(network)(key, n, 1, 2);
	else if (rows <= 4)
		NAME(network)(key, n, 2, 4);
	else if (rows <= 8)
		NAME(network)(key, n, 4, 8);
	else if (rows <= 10)
		NAME(network)(key, n, 8, 10);
	else if (rows <= 12)
		NAME(network)(key, n, 10, 12);
	else if (rows <= 14)
		NAME(network)(key, n, 12, 14);
	else
		NAME(network)(key, n, 14, 16);
}

/* Inclusive bounds of keys. */
struct NAME(range) {
	KEY least, most;
};

static inline ATTRIBUTES void NAME(fill)(KEY *key, size_t n, KEY with)
{
	for (size_t i = 0; i < n; i++)
		key[i] = with;
}

/* Sort n keys by counting if each is one of m different ones, which ascend; else they stay. */
ATTRIBUTES
static bool NAME(sort_counted)(KEY *key, size_t n, const KEY *different, size_t m)
{
	enum { BLOCK = 4, KEYS = BLOCK * LANES };
	size_t count[RADIX_COUNTED] = { 0 }, sum = 0, i = 0;

	for (; i + KEYS <= n && sum == i; i += KEYS)
		for (size_t d = 0; d < m; d++) {
			const VECTOR same = BROADCAST(different[d]);
			size_t found = KEYS;

			for (size_t k = i; k < i + KEYS; k += LANES)
				found -= COUNT(DIFFERENT(LOAD(key + k), same));
			count[d] += found;
			sum += found;
		}
	for (; i < n && sum == i; i++)
		for (size_t d = 0; d < m; d++) {
			count[d] += key[i] == different[d];
			sum += key[i] == different[d];
		}
	if (sum < n)
		return false;
	for (size_t d = 0; d < m; key += count[d++])
		NAME(fill)(key, count[d], different[d]);
	return true;
}

/* Choose the median of a sample of n keys, of which only `bits` count, as the pivot; if it is the
 * sample's largest key, the number below it, so that some keys exceed the pivot and some do not; if
 * half of the sample are equal, or few are different, that key.  *range becomes that of the sample.
 * If all bits count, and all keys are those few, sort them. */
ATTRIBUTES
static enum radix_sample NAME(choose_median)(KEY *key, size_t n, KEY bits, KEY *pivot,
					     struct NAME(range) * range)
{
	const size_t samples = n < RADIX_MANY ? RADIX_FEW_SAMPLES : NAME(MANY);
	const size_t step = n / samples, middle = samples / 2;
	KEY sample[RADIX_MANY_SAMPLES];
	size_t m = 1;
	bool repeated;

	for (size_t i = 0; i < samples; i++)
		sample[i] = key[i * step + step / 2] & bits;
	NAME(few)(sample, samples);
	*range = (struct NAME(range)){ sample[0], sample[samples - 1] };
	*pivot = sample[middle];
	repeated = sample[middle / 2] == sample[middle + middle / 2];
	for (size_t i = 1; i < samples; i++)
		m += sample[i] != sample[i - 1];
	/* A small sample may show that there are two keys, but not that there are only several. */
	if (m > 1 && m <= (n < RADIX_MANY ? 2 : (size_t)RADIX_COUNTED) && !(KEY)~bits) {
		m = 1;
		for (size_t i = 1; i < samples; i++)
			if (sample[i] != sample[m - 1])
				sample[m++] = sample[i];
		return NAME(sort_counted)(key, n, sample, m) ? RADIX_COUNTED_ALL : RADIX_REPEATED;
	}
	if (repeated)
		return RADIX_REPEATED;
	*pivot -= *pivot == range->most;
	return m < samples - middle ? RADIX_FEW_KEYS : RADIX_MIXED;
}

static inline KEY NAME(middle_of)(struct NAME(range) range)
{
	return range.least + (range.most - range.least) / 2;
}

/* Find the least and the largest of n keys, at least two vectors of them, and copy the keys to `to`
 * unless they are there.  False if they are all equal. */
ATTRIBUTES
static bool NAME(find_range)(const KEY *key, size_t n, KEY *to, struct NAME(range) * range)
{
	const size_t step = (size_t)2 * LANES;
	const VECTOR last[2] = { LOAD(key + n - step), LOAD(key + n - LANES) };
	VECTOR least[2], most[2];
	KEY low[LANES], high[LANES];

	for (size_t k = 0; k < 2; k++)
		least[k] = most[k] = TO_ORDER(last[k]);
	for (size_t i = 0; i + step <= n; i += step) {
		const VECTOR v = LOAD(key + i), w = LOAD(key + i + LANES);

		if (to != key) {
			STORE(to + i, v);
			STORE(to + i + LANES, w);
		}
		least[0] = MIN(least[0], TO_ORDER(v));
		most[0] = MAX(most[0], TO_ORDER(v));
		least[1] = MIN(least[1], TO_ORDER(w));
		most[1] = MAX(most[1], TO_ORDER(w));
	}
	if (to != key) {
		STORE(to + n - step, last[0]);
		STORE(to + n - LANES, last[1]);
	}
	STORE(low, TO_ORDER(MIN(least[0], least[1])));
	STORE(high, TO_ORDER(MAX(most[0], most[1])));
	for (size_t i = 1; i < LANES; i++) {
		low[0] = low[i] < low[0] ? low[i] : low[0];
		high[0] = high[i] > high[0] ? high[i] : high[0];
	}
	*range = (struct NAME(range)){ low[0], high[0] };
	return low[0] != high[0];
}

/* Move the keys that do not exceed the pivot to the front; return how many there are.  The pivot
 * must be below the largest number that a key can be; n is at least NETWORK.
 *
 * The partition is in place, so that what it writes is in the nearest cache.  One block of vectors
 * stays in registers, so one block more is free than is written at a time.  The next block is read
 * from the end that has less room, before the current one is written, so that nothing waits for the
 * choice; both ends then have room for a whole block.  Each vector is stored at both ends of the
 * free space, which is at least two vectors, or exactly one at the very end; later stores overwrite
 * what lies between.  Reads are prefetched AHEAD bytes before their turn.  A block of short vectors
 * has more of them, so that more keys share the cost of a choice. */
ATTRIBUTES
static size_t NAME(partition)(KEY *key, size_t n, KEY pivot)
{
	enum { BLOCK = sizeof(VECTOR) == 16 ? 8 : 4, KEYS = BLOCK * LANES, AHEAD = 4096 };
	const VECTOR p = BROADCAST(pivot);
	VECTOR first[BLOCK], block[BLOCK], rest[BLOCK], last;
	size_t low = 0, high = n, left = KEYS, right = n - KEYS, whole, part;

#define PUT(v)                                             \
	do {                                               \
		const unsigned up = GREATER(v, p);         \
		const unsigned ups = COUNT(up);            \
                                                           \
		STORE_SIDES(key + low, key + high, v, up); \
		low += LANES - ups;                        \
		high -= ups;                               \
	} while (0)

	for (size_t k = 0; k < BLOCK; k++) {
		first[k] = LOAD(key + LANES * k);
		block[k] = LOAD(key + right + LANES * k);
	}
	while (right - left >= KEYS) {
		/* All ones if the next block is read from the left; no branch could predict it. */
		const size_t chosen = -(size_t)(left - low <= high - right);
		const KEY *from = key + (right - KEYS) + ((left - (right - KEYS)) & chosen);
		const char *ahead = (const char *)from - AHEAD + ((size_t)2 * AHEAD & chosen);
		VECTOR next[BLOCK];

		left += KEYS & chosen;
		right -= KEYS & ~chosen;
		for (size_t k = 0; k < BLOCK; k++)
			next[k] = LOAD(from + LANES * k);
		for (size_t k = 0; k < KEYS * sizeof *key; k += 64)
			__builtin_prefetch(ahead + k);
		for (size_t k = 0; k < BLOCK; k++)
			PUT(block[k]);
		for (size_t k = 0; k < BLOCK; k++)
			block[k] = next[k];
	}
	/* Load what is left between, before it is overwritten. */
	whole = (right - left) / LANES;
	part = (right - left) % LANES;
	for (size_t k = 0; k < BLOCK; k++)
		rest[k] = LOAD(key + left + LANES * k);
	last = LOAD_FIRST(key + left + LANES * whole, part);
	if (part) {
		/* The largest keys, which fill up the vector, exceed the pivot and come last. */
		const unsigned up = GREATER(last, p);
		const VECTOR ordered = LOW_FIRST(last, up);
		const size_t lows = LANES - COUNT(up);

		STORE(key + low, ordered);
		STORE_FIRST(key + high - part, part, ordered);
		low += lows;
		high -= part - lows;
	}
	for (size_t k = 0; k < whole; k++)
		PUT(rest[k]);
	for (size_t k = 0; k < BLOCK; k++)
		PUT(block[k]);
	for (size_t k = 0; k < BLOCK; k++)
		PUT(first[k]);
#undef PUT
	return low;
}

/* Move the keys that differ from `same` to the front, in order; return how many there are. */
ATTRIBUTES
static size_t NAME(gather_others)(KEY *key, size_t n, KEY same)
{
	enum { BLOCK = 4, KEYS = BLOCK * LANES };
	const VECTOR s = BROADCAST(same);
	size_t others = 0, i = 0;

	for (; i + KEYS <= n; i += KEYS) {
		VECTOR v[BLOCK];
		unsigned other[BLOCK], any = 0;

		for (size_t k = 0; k < BLOCK; k++) {
			v[k] = LOAD(key + i + LANES * k);
			other[k] = DIFFERENT(v[k], s);
			any |= other[k];
		}
		if (!any)
			continue;
		for (size_t k = 0; k < BLOCK; k++) {
			STORE(key + others, LOW_FIRST(v[k], OTHERS(other[k])));
			others += COUNT(other[k]);
		}
	}
	for (; i < n; i++) {
		const KEY x = key[i];

		key[others] = x;
		others += x != same;
	}
	return others;
}

/* Split n keys in three: below `same`, equal to it, above it.  Reads all of them once, and writes
 * the equal ones once; the others are split as by partition(). */
ATTRIBUTES
static struct radix_cut NAME(split_off)(KEY *key, size_t n, KEY same)
{
	const size_t others = NAME(gather_others)(key, n, same);
	size_t low = 0, high;

	if (others > NAME(NETWORK)) {
		low = same ? NAME(partition)(key, others, same - 1) : 0;
	} else if (others) {
		NAME(few)(key, others);
		while (low < others && key[low] < same)
			low++;
	}
	high = n - (others - low);
	memmove(key + high, key + low, (others - low) * sizeof *key);
	NAME(fill)(key + low, high - low, same);
	return (struct radix_cut){ low, high };
}

static void NAME(sort)(KEY *key, size_t n, unsigned medians, bool even);

/* Sort keys that lie within a range.  They are split at its middle, and so on, without being
 * examined again, as long as each side keeps at least a quarter of them. */
ATTRIBUTES
static void NAME(halve)(KEY *key, size_t n, struct NAME(range) range, unsigned medians)
{
	while (n > NAME(NETWORK) && range.least < range.most) {
		const KEY pivot = NAME(middle_of)(range);
		const size_t low = NAME(partition)(key, n, pivot);

		if (low < n / 4 || n - low < n / 4) {
			NAME(sort)(key, low, medians, false);
			NAME(sort)(key + low, n - low, medians, false);
			return;
		}
		NAME(halve)(key, low, (struct NAME(range)){ range.least, pivot }, medians);
		range.least = pivot + 1;
		key += low;
		n -= low;
	}
	if (n <= NAME(NETWORK))
		NAME(few)(key, n);
}

/* Sort n keys.  Many are split by medians, for at most `medians` levels, then at the middle between
 * the least and the largest.  Few are halved at that middle at once if `even`, that is, unless an
 * earlier split or sample has shown that they are not evenly spread.  A key repeated often is split
 * off. */
ATTRIBUTES
static void NAME(sort)(KEY *key, size_t n, unsigned medians, bool even)
{
	struct NAME(range) range;
	struct radix_cut cut;
	KEY pivot;

	while (n > NAME(NETWORK)) {
		const bool is_halved = even && n <= (size_t)RADIX_EVEN * LANES;
		enum radix_sample sample = RADIX_MIXED;

		if (is_halved || !medians) {
			if (!NAME(find_range)(key, n, key, &range))
				break;
			pivot = NAME(middle_of)(range);
		} else {
			sample = NAME(choose_median)(key, n, (KEY)-1, &pivot, &range);
		}
		if (is_halved) {
			NAME(halve)(key, n, range, medians);
			return;
		}
		if (sample == RADIX_COUNTED_ALL)
			return;
		even = even && sample == RADIX_MIXED;
		if (sample > RADIX_FEW_KEYS)
			cut = NAME(split_off)(key, n, pivot);
		else
			cut.low = cut.high = NAME(partition)(key, n, pivot);
		medians -= medians > 0;
		NAME(sort)(key, cut.low, medians, even);
		key += cut.high;
		n -= cut.high;
	}
	if (n && n <= NAME(NETWORK))
		NAME(few)(key, n);
}

/* True if n keys are in order. */
ATTRIBUTES
static bool NAME(ascends)(const KEY *key, size_t n)
{
	enum { BLOCK = 4, KEYS = BLOCK * LANES, AHEAD = 4096 };
	size_t i = 0;

	for (; i + KEYS < n; i += KEYS) {
		unsigned descents = 0;

		for (size_t k = 0; k < KEYS * sizeof *key; k += 64)
			__builtin_prefetch((const char *)(key + i) + AHEAD + k);
		for (size_t k = i; k < i + KEYS; k += LANES)
			descents |= GREATER(LOAD(key + k), LOAD(key + k + 1));
		if (descents)
			return false;
	}
	for (; i + 1 < n; i++)
		if (key[i] > key[i + 1])
			return false;
	return true;
}

/* Sort a leaf of any size.  A leaf in the spare array is first moved to its place: then only one
 * array is written, and what other threads have left is fetched in one sweep. */
static void NAME(sort_leaf)(const struct radix_leaf *leaf)
{
	enum { CODE = 12288 }; /* bytes of code of few(), which is slow to fetch as it runs */
	const size_t n = leaf->count;
	const bool is_few = n <= (size_t)RADIX_EVEN * LANES;
	KEY *key = leaf->record;
	struct NAME(range) range;

	if (leaf->in_spare && n > NAME(NETWORK) && is_few) {
		if (NAME(find_range)(leaf->spare, n, key, &range))
			NAME(halve)(key, n, range, radix_medians_for(n));
		return;
	}
	if (n > NAME(NETWORK))
		for (size_t i = 0; i < CODE; i += 64)
			__builtin_prefetch(__extension__(const char *) NAME(few) + i);
	if (leaf->in_spare)
		memcpy(key, leaf->spare, n * sizeof *key);
	if (!NAME(ascends)(key, n))
		NAME(sort)(key, n, radix_medians_for(n), true);
}

/* Make the first step of that, for leaves of more than NETWORK keys. */
static struct radix_cut NAME(cut_leaf)(const struct radix_leaf *leaf)
{
	const size_t n = leaf->count;
	struct NAME(range) range;
	KEY *key = leaf->record, pivot;
	const enum radix_sample sample = NAME(choose_median)(key, n, (KEY)-1, &pivot, &range);

	if (sample == RADIX_COUNTED_ALL)
		return (struct radix_cut){ 0, n };
	if (sample > RADIX_FEW_KEYS)
		return NAME(split_off)(key, n, pivot);
	const size_t low = NAME(partition)(key, n, pivot);

	return (struct radix_cut){ low, low };
}

#include "cpu/sort/merge.h"

#undef NAME
#undef KEY
#undef VECTOR
#undef LANES
#undef ATTRIBUTES
#undef LOAD
#undef STORE
#undef BROADCAST
#undef LOAD_FIRST
#undef STORE_FIRST
#undef TO_ORDER
#undef GREATER
#undef DIFFERENT
#undef LOW_FIRST
#undef STORE_SIDES
#undef COUNT
#undef OTHERS
#undef MIN
#undef MAX
