/* partition.h -- keys split in two, again and again, until a network takes them; written once for both widths.
 * Included by vector_avx2.c for each; there is no include guard on purpose.
 *
 * Defined by the includer: NAME(x) a name with the width in it, KEY the type, LANES of a vector, FLIP the
 * bits to be flipped to compare keys as signed numbers, BROADCAST(key), LOAD_FIRST(from, mask) and
 * STORE_FIRST(to, mask, vector) of the lanes in a mask, GREATER(a, b): the lanes, as bits, in which flipped
 * a exceeds flipped b; LOW_FIRST(vector, lanes): a vector's lanes, those of these bits last; and
 * ANY(vector), the OR of its lanes.
 */
enum { NAME(NETWORK) = 16 * LANES }; /* keys that the networks take */

static inline INLINE CPU_AVX2_TARGET void NAME(network)(const KEY *key, size_t n, KEY *out,
							unsigned rows)
{
	const size_t whole = LANES * (size_t)(rows - 1);
	const __m256i last = first_bytes((n - whole) * sizeof *key), flip = BROADCAST(FLIP);
	__m256i v[16];

#pragma GCC unroll 16
	for (size_t i = 0; i + 1 < rows; i++)
		v[i] = _mm256_xor_si256(load(key + LANES * i), flip);
	v[rows - 1] = _mm256_or_si256(LOAD_FIRST(key + whole, last),
				      _mm256_andnot_si256(last, BROADCAST(-1)));
	v[rows - 1] = _mm256_xor_si256(v[rows - 1], flip);
	NAME(sort_matrix)(v, rows);
#pragma GCC unroll 16
	for (size_t i = 0; i + 1 < rows; i++)
		store(out + LANES * i, _mm256_xor_si256(v[i], flip));
	STORE_FIRST(out + whole, last, _mm256_xor_si256(v[rows - 1], flip));
}

/* Up to NETWORK keys, one at least.  key and out may be the same. */
CPU_AVX2_TARGET
static void NAME(few)(const KEY *key, size_t n, KEY *out)
{
#define ROWS(rows)                                \
	case (rows):                              \
		NAME(network)(key, n, out, rows); \
		break
	switch ((n + LANES - 1) / LANES) {
		ROWS(1);
		ROWS(2);
		ROWS(3);
		ROWS(4);
		ROWS(5);
		ROWS(6);
		ROWS(7);
		ROWS(8);
		ROWS(9);
		ROWS(10);
		ROWS(11);
		ROWS(12);
		ROWS(13);
		ROWS(14);
		ROWS(15);
		ROWS(16);
	default:
		break;
	}
#undef ROWS
}

/* The bits in which n keys differ, LANES keys at least. */
CPU_AVX2_TARGET
static KEY NAME(difference)(const KEY *key, size_t n)
{
	const __m256i first = BROADCAST(key[0]);
	__m256i any = _mm256_xor_si256(load(key + n - LANES), first);

	for (size_t i = 0; i + LANES <= n; i += LANES)
		any = _mm256_or_si256(any, _mm256_xor_si256(load(key + i), first));
	return ANY(any);
}

/* The median of a sample of n keys; the number below it if that is the sample's largest, so that some keys
 * exceed it and some do not.  False: the sample is all the same. */
CPU_AVX2_TARGET
static bool NAME(choose_median)(const KEY *key, size_t n, KEY *pivot)
{
	const size_t samples = n < MANY ? FEW_SAMPLES : MANY_SAMPLES, step = n / samples;
	KEY sample[MANY_SAMPLES];

	for (size_t i = 0; i < samples; i++)
		sample[i] = key[i * step + step / 2];
	NAME(few)(sample, samples, sample);
	*pivot = sample[samples / 2] - (sample[samples / 2] == sample[samples - 1]);
	return sample[0] != sample[samples - 1];
}

/* The largest number that lacks the first bit in which n keys differ.  False: they are all equal. */
CPU_AVX2_TARGET
static bool NAME(choose_bit)(const KEY *key, size_t n, KEY *pivot)
{
	const KEY difference = NAME(difference)(key, n);
	KEY bit;

	if (!difference)
		return false;
	bit = (KEY)1 << (63 - __builtin_clzll(difference));
	*pivot = (key[0] | (2 * bit - 1)) - bit;
	return true;
}

/* n keys to `to`, those first that do not exceed the pivot.  Returns how many these are.
 *
 * A vector is stored whole at both ends of what is still free, its low keys first: what lies between is
 * overwritten by the next ones. */
CPU_AVX2_TARGET
static size_t NAME(partition)(const KEY *key, size_t n, KEY pivot, KEY *to)
{
	const __m256i flip = BROADCAST(FLIP), p = BROADCAST(pivot ^ FLIP);
	size_t low = 0, high = n, i = 0;

	for (; n - i >= (size_t)2 * LANES; i += LANES) {
		const __m256i v = load(key + i);
		const unsigned up = GREATER(_mm256_xor_si256(v, flip), p);
		const __m256i ordered = LOW_FIRST(v, up);
		const unsigned ups = (unsigned)_mm_popcnt_u32(up);

		store(to + low, ordered);
		store(to + high - LANES, ordered);
		low += LANES - ups;
		high -= ups;
	}
	for (; i < n; i++) {
		const bool up = key[i] > pivot;

		high -= up;
		to[up ? high : low] = key[i];
		low += !up;
	}
	return low;
}

/* Sort n keys into out, which is key or spare; both are written to.  The first `medians` levels are split by
 * those, what is left then by bits. */
CPU_AVX2_TARGET
static void NAME(sort)(KEY *key, KEY *spare, size_t n, unsigned medians, KEY *out)
{
	KEY pivot, *other;

	while (n > NAME(NETWORK) && ((medians && NAME(choose_median)(key, n, &pivot)) ||
				     NAME(choose_bit)(key, n, &pivot))) {
		const size_t low = NAME(partition)(key, n, pivot, spare);

		medians -= medians > 0;
		NAME(sort)(spare, key, low, medians, out);
		other = key + low;
		key = spare + low;
		spare = other;
		out += low;
		n -= low;
	}
	if (n <= NAME(NETWORK))
		NAME(few)(key, n, out);
	else if (key != out)
		memcpy(out, key, n * sizeof *key);
}

CPU_AVX2_TARGET
static bool NAME(ascends)(const KEY *key, size_t n)
{
	const __m256i flip = BROADCAST(FLIP);
	size_t i = 0;

	for (; i + LANES < n; i += LANES)
		if (GREATER(_mm256_xor_si256(load(key + i), flip),
			    _mm256_xor_si256(load(key + i + 1), flip)))
			return false;
	for (; i + 1 < n; i++)
		if (key[i] > key[i + 1])
			return false;
	return true;
}

static void NAME(leaf)(KEY *key, KEY *spare, size_t n, KEY *out)
{
	if (!NAME(ascends)(key, n))
		NAME(sort)(key, spare, n, medians_for(n), out);
	else if (key != out)
		memcpy(out, key, n * sizeof *key);
}

#undef NAME
#undef KEY
#undef LANES
#undef FLIP
#undef BROADCAST
#undef LOAD_FIRST
#undef STORE_FIRST
#undef GREATER
#undef LOW_FIRST
#undef ANY
