/* partition.h -- keys split in two, again and again, until a network takes them; written once for vectors
 * and lanes of any width.  Included by vector.c and vector_avx2.c for each; there is no include guard on
 * purpose.
 *
 * Defined by the includer: NAME(x) a name with the width in it, KEY the type, VECTOR the type of a vector,
 * LANES of it, ATTRIBUTES of functions; LOAD(from), STORE(to, vector), BROADCAST(key); LOAD_FIRST(from, n):
 * n keys, and the largest key in the lanes behind; STORE_FIRST(to, n, vector); TO_ORDER(vector): keys as
 * network.h compares them, and back; GREATER(a, b): the lanes, as bits, in which key a exceeds b;
 * LOW_FIRST(vector, lanes): its lanes, those of these bits last, else in their order; and MIN and MAX of two
 * vectors in order.
 */
enum { NAME(NETWORK) = 16 * LANES }; /* keys that the networks take */

/* Keys in row i of n. */
static inline size_t NAME(in_row)(size_t n, size_t i)
{
	return n <= LANES * i ? 0 : n - LANES * i < LANES ? n - LANES * i : LANES;
}

/* n keys that fill `full` rows at least, and `rows` at most. */
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

/* Up to NETWORK keys, one at least.  Not a network for each number of rows: each is kilobytes of code, which a
 * run with cold caches has to fetch. */
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

/* The median of a sample of n keys; the number below it if that is the sample's largest, so that some keys
 * exceed it and some do not.  False: the sample is all the same. */
ATTRIBUTES
static bool NAME(choose_median)(const KEY *key, size_t n, KEY *pivot)
{
	const size_t samples = n < RADIX_MANY ? RADIX_FEW_SAMPLES : RADIX_MANY_SAMPLES;
	const size_t step = n / samples;
	KEY sample[RADIX_MANY_SAMPLES];

	for (size_t i = 0; i < samples; i++)
		sample[i] = key[i * step + step / 2];
	NAME(few)(sample, samples);
	*pivot = sample[samples / 2] - (sample[samples / 2] == sample[samples - 1]);
	return sample[0] != sample[samples - 1];
}

/* Numbers that keys are between, inclusively. */
struct NAME(range) {
	KEY least, most;
};

static inline KEY NAME(middle_of)(struct NAME(range) range)
{
	return range.least + (range.most - range.least) / 2;
}

/* The least and the largest of n keys, two vectors at least, which are copied to `to` as they are looked at,
 * or stay where they are if that is there.  False: they are all equal. */
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

/* Keys in order: those first that do not exceed the pivot, which must be below the largest number that a key
 * can be.  Returns how many these are.  n: NETWORK at least.
 *
 * In place, so that what is written is in the nearest cache: with a block of vectors in registers, one block
 * more is free than is written at a time.  The next block is read from the end that has less room, before
 * this one is written, so that nothing waits for the choice; either end has room for a whole block then.
 * A vector is stored at both ends of what is free, which is two vectors or more, or just one at the end: what
 * lies between is overwritten by the next ones.  What is read next is fetched AHEAD bytes before its turn: 0.5
 * to 4 KiB are the same, and none costs an eighth at 10M keys. */
ATTRIBUTES
static size_t NAME(partition)(KEY *key, size_t n, KEY pivot)
{
	enum { BLOCK = 4, KEYS = BLOCK * LANES, AHEAD = 4096 };
	const VECTOR p = BROADCAST(pivot);
	VECTOR first[BLOCK], block[BLOCK], rest[BLOCK], last;
	size_t low = 0, high = n, left = KEYS, right = n - KEYS, whole, part;

#define PUT(v)                                                         \
	do {                                                           \
		const unsigned up = GREATER(v, p);                     \
		const unsigned ups = (unsigned)__builtin_popcount(up); \
		const VECTOR ordered = LOW_FIRST(v, up);               \
                                                                       \
		STORE(key + low, ordered);                             \
		STORE(key + high - LANES, ordered);                    \
		low += LANES - ups;                                    \
		high -= ups;                                           \
	} while (0)

	for (size_t k = 0; k < BLOCK; k++) {
		first[k] = LOAD(key + LANES * k);
		block[k] = LOAD(key + right + LANES * k);
	}
	while (right - left >= KEYS) {
		/* All ones if the next block is read from the left: no branch, which none could foresee. */
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
	/* What is left between, before it is written over. */
	whole = (right - left) / LANES;
	part = (right - left) % LANES;
	for (size_t k = 0; k < BLOCK; k++)
		rest[k] = LOAD(key + left + LANES * k);
	last = LOAD_FIRST(key + left + LANES * whole, part);
	if (part) {
		/* The largest keys, which fill a vector up, exceed the pivot, and come last. */
		const unsigned up = GREATER(last, p);
		const VECTOR ordered = LOW_FIRST(last, up);
		const size_t lows = LANES - (unsigned)__builtin_popcount(up);

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

static void NAME(sort)(KEY *key, size_t n, unsigned medians, bool even);

/* As sort(), of keys that are within a range: they are split in its middle, and so on, without another look
 * at them, as long as that leaves a quarter on either side. */
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

/* Sort n keys.  Many are split by medians, `medians` levels of them at most, then in the middle between the
 * least and the largest.  Few are halved by that at once if `even`: nothing says that they are not evenly
 * spread. */
ATTRIBUTES
static void NAME(sort)(KEY *key, size_t n, unsigned medians, bool even)
{
	struct NAME(range) range;
	KEY pivot;

	while (n > NAME(NETWORK)) {
		const bool is_halved = even && n <= (size_t)RADIX_EVEN * LANES;
		size_t low;

		if (is_halved || !medians || !NAME(choose_median)(key, n, &pivot)) {
			if (!NAME(find_range)(key, n, key, &range))
				break;
			pivot = NAME(middle_of)(range);
		}
		if (is_halved) {
			NAME(halve)(key, n, range, medians);
			return;
		}
		low = NAME(partition)(key, n, pivot);
		medians -= medians > 0;
		NAME(sort)(key, low, medians, even);
		key += low;
		n -= low;
	}
	if (n && n <= NAME(NETWORK))
		NAME(few)(key, n);
}

/* Whether n keys are in order. */
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

/* A leaf of any size.  One that is not in its place goes there first: what is written then is in one array,
 * and what other threads have left is fetched in one sweep. */
static void NAME(sort_leaf)(const struct radix_leaf *leaf)
{
	const size_t n = leaf->count;
	const bool is_few = n <= (size_t)RADIX_EVEN * LANES;
	KEY *key = leaf->record;
	struct NAME(range) range;

	if (leaf->in_spare && n > NAME(NETWORK) && is_few) {
		if (NAME(find_range)(leaf->spare, n, key, &range))
			NAME(halve)(key, n, range, radix_medians_for(n));
		return;
	}
	if (leaf->in_spare)
		memcpy(key, leaf->spare, n * sizeof *key);
	if (!NAME(ascends)(key, n))
		NAME(sort)(key, n, radix_medians_for(n), true);
}

/* The first step of that, for leaves of more than NETWORK keys: how many keys are below the others now; 0: they
 * are all equal. */
static size_t NAME(cut_leaf)(const struct radix_leaf *leaf)
{
	struct NAME(range) range;
	KEY *key = leaf->record, pivot;

	if (!NAME(choose_median)(key, leaf->count, &pivot)) {
		if (!NAME(find_range)(key, leaf->count, key, &range))
			return 0;
		pivot = NAME(middle_of)(range);
	}
	return NAME(partition)(key, leaf->count, pivot);
}

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
#undef LOW_FIRST
#undef MIN
#undef MAX
