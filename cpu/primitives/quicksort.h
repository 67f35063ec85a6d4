/* quicksort.h -- a quicksort in place, by vectors, with sorting networks at the end.
 *
 * vectors.cc includes it once per instruction set, inside a namespace, so it has no include guard.
 * Vectors are those of GCC and Clang, so there is one source; only what these cannot express comes
 * from the includer, who defines
 *
 *	VECTOR_BYTES                   the size of a vector
 *	TARGET                         attribute of all functions
 *	above(v, p)                    mask of the lanes of v that exceed those of p
 *	NUMBER_OF(K, mask)             number of lanes of a mask for keys K
 *	put_sides(low, high, v, up)    stores the lanes of v outside the mask from `low` on, those
 *	                               of the mask in front of `high`, and any lanes between
 *	load_first(from, bytes, rest)  the first bytes of a vector, followed by lanes of `rest`
 *	store_first(to, bytes, v)      stores them
 *
 * Keys are split in two by a pivot, the median of a sample, until a network can sort them.  After
 * `medians` levels, parts are split at the middle between their least and their largest key, so
 * there is at most one level more per bit of a key.  Keys in order, or nearly, need no pivots.
 */
#define INLINE inline __attribute__((always_inline)) TARGET

template <int... i> using lane_numbers = std::integer_sequence<int, i...>;

template <class K> struct quicksort {
	typedef K vec __attribute__((vector_size(VECTOR_BYTES)));

	static constexpr size_t LANES = VECTOR_BYTES / sizeof(K);
	static constexpr K LEAST = std::numeric_limits<K>::min();
	static constexpr K LARGEST = std::numeric_limits<K>::max();
	typedef std::make_integer_sequence<int, LANES> lanes;
	static constexpr size_t NETWORK = 16 * LANES; /* most keys that the networks sort */
	static constexpr size_t FEW_SAMPLES = 16, MANY_SAMPLES = NETWORK < 64 ? NETWORK : 64;
	static constexpr size_t MANY = 1 << 12; /* keys that are worth many samples */

	static INLINE vec load(const K *from)
	{
		vec v;

		memcpy(&v, from, sizeof v);
		return v;
	}

	static INLINE void store(K *to, vec v)
	{
		memcpy(to, &v, sizeof v);
	}

	static INLINE vec least(vec a, vec b)
	{
		return a < b ? a : b;
	}

	static INLINE vec most(vec a, vec b)
	{
		return a < b ? b : a;
	}

	/* ---- networks ------------------------------------------------------------------- */

	/* A vector whose lane i is v's lane i ^ c. */
	template <unsigned c, int... i> static INLINE vec xor_lanes(vec v, lane_numbers<i...>)
	{
		return __builtin_shufflevector(v, v, (i ^ c)...);
	}

	/* The lanes of `high` whose number has this bit, and the others of `low`. */
	template <unsigned bit, int... i>
	static INLINE vec blend(vec low, vec high, lane_numbers<i...>)
	{
		return __builtin_shufflevector(low, high, (i & bit ? LANES + i : i)...);
	}

	/* The greater of a and b, given the lesser.  Minima and maxima of 64-byte vectors take twice
	 * as long as operations on bits, and there are none of 8-byte lanes in shorter ones. */
	static INLINE vec greater(vec a, vec b, vec lesser)
	{
		return VECTOR_BYTES == 64 || sizeof(K) == 8 ? a ^ b ^ lesser : most(a, b);
	}

	static INLINE void exchange(vec &a, vec &b)
	{
		const vec low = least(a, b);

		b = greater(a, b, low);
		a = low;
	}

	/* Sort the columns of a matrix by the smallest known network for 16 rows, 60 comparators.
	 * Missing rows would hold the largest keys, so comparators that touch them are left out. */
	template <unsigned rows> static INLINE void sort_columns(vec *v)
	{
#define X(i, j)                   \
	if constexpr ((j) < rows) \
	exchange(v[i], v[j])
		/* clang-format off */
		X(0, 13); X(1, 12); X(2, 15); X(3, 14); X(4, 8); X(5, 6); X(7, 11); X(9, 10);
		X(0, 5); X(1, 7); X(2, 9); X(3, 4); X(6, 13); X(8, 14); X(10, 15); X(11, 12);
		X(0, 1); X(2, 3); X(4, 5); X(6, 8); X(7, 9); X(10, 11); X(12, 13); X(14, 15);
		X(0, 2); X(1, 3); X(4, 10); X(5, 11); X(6, 7); X(8, 9); X(12, 14); X(13, 15);
		X(1, 2); X(3, 12); X(4, 6); X(5, 7); X(8, 10); X(9, 11); X(13, 14);
		X(1, 4); X(2, 6); X(5, 8); X(7, 10); X(9, 13); X(11, 14);
		X(2, 4); X(3, 6); X(9, 12); X(11, 13);
		X(3, 5); X(6, 8); X(7, 9); X(10, 12);
		X(3, 4); X(5, 6); X(7, 8); X(9, 10); X(11, 12);
		X(6, 7); X(8, 9);
		/* clang-format on */
#undef X
	}

	/* Compare row i with row block - 1 - i in all blocks of rows, lanes mirrored in groups. */
	template <unsigned rows, unsigned block, unsigned group>
	static INLINE void exchange_blocks(vec *v)
	{
#pragma GCC unroll 16
		for (unsigned i = 0; i < 8; i++) {
			const unsigned base = i / (block / 2) * block, k = i % (block / 2);
			const unsigned low = base + k, high = base + block - 1 - k;

			if (high >= rows)
				continue;
			v[high] = xor_lanes<group - 1>(v[high], lanes());
			exchange(v[low], v[high]);
		}
	}

	/* In each row, compare lanes i and i ^ c; the smaller goes to the one without c's highest
	 * bit. */
	template <unsigned rows, unsigned c> static INLINE void exchange_lanes(vec *v)
	{
#pragma GCC unroll 16
		for (unsigned i = 0; i < rows; i++) {
			const vec other = xor_lanes<c>(v[i], lanes()), low = least(v[i], other);

			v[i] = blend<std::bit_floor(c)>(low, greater(v[i], other, low), lanes());
		}
	}

	/* Merge neighbouring groups of columns into groups of `group` columns.  After that, each
	 * group's elements ascend row by row.  The merge is bitonic: element k of the left is
	 * compared with element N - 1 - k of the right, which is row i with row rows - 1 - i, the
	 * lanes of each group mirrored; then both halves of the rows in the same way, until each
	 * row holds the right elements; then the lanes of each row. */
	template <unsigned rows, unsigned group> static INLINE void merge_columns(vec *v)
	{
		if constexpr (group <= LANES) {
			exchange_blocks<rows, 16, group>(v);
			exchange_blocks<rows, 8, group>(v);
			exchange_blocks<rows, 4, group>(v);
			exchange_blocks<rows, 2, group>(v);
			exchange_lanes<rows, group - 1>(v);
			if constexpr (group >= 16)
				exchange_lanes<rows, 4>(v);
			if constexpr (group >= 8)
				exchange_lanes<rows, 2>(v);
			if constexpr (group >= 4)
				exchange_lanes<rows, 1>(v);
			merge_columns<rows, 2 * group>(v);
		}
	}

	/* Sort n keys that fill at least `full` rows and at most `rows`. */
	template <unsigned full, unsigned rows> static INLINE void network(K *key, size_t n)
	{
		vec v[rows];

#pragma GCC unroll 16
		for (unsigned i = 0; i < full; i++)
			v[i] = load(key + LANES * i);
#pragma GCC unroll 16
		for (unsigned i = full; i < rows; i++)
			v[i] = load_first(key + LANES * i, in_row(n, i) * sizeof(K),
					  vec{} + LARGEST);
		sort_columns<rows>(v);
		merge_columns<rows, 2>(v);
#pragma GCC unroll 16
		for (unsigned i = 0; i < full; i++)
			store(key + LANES * i, v[i]);
#pragma GCC unroll 16
		for (unsigned i = full; i < rows; i++)
			store_first(key + LANES * i, in_row(n, i) * sizeof(K), v[i]);
	}

	/* Number of the n keys that lie in row i. */
	static INLINE size_t in_row(size_t n, size_t i)
	{
		return n <= LANES * i ? 0 : n - LANES * i < LANES ? n - LANES * i : LANES;
	}

	/* Sort up to NETWORK keys.  There is no network for each number of rows: every network is
	 * kilobytes of code, which a run with cold caches has to fetch. */
	static TARGET void few(K *key, size_t n)
	{
		const size_t rows = (n + LANES - 1) / LANES;

		if (n < 2)
			return;
		if (rows <= 1)
			network<0, 1>(key, n);
		else if (rows <= 2)
			network<1, 2>(key, n);
		else if (rows <= 4)
			network<2, 4>(key, n);
		else if (rows <= 8)
			network<4, 8>(key, n);
		else if (rows <= 10)
			network<8, 10>(key, n);
		else if (rows <= 12)
			network<10, 12>(key, n);
		else if (rows <= 14)
			network<12, 14>(key, n);
		else
			network<14, 16>(key, n);
	}

	/* ---- pivots --------------------------------------------------------------------- */

	/* Sample n keys: the pivot becomes the median, or the number below it if that is the
	 * sample's largest key, so that some keys exceed the pivot and some do not.  True if half
	 * of the sample is the pivot. */
	static TARGET bool choose_median(const K *key, size_t n, K &pivot)
	{
		const size_t samples = n < MANY ? FEW_SAMPLES : MANY_SAMPLES;
		const size_t step = n / samples, middle = samples / 2;
		K sample[MANY_SAMPLES];

		for (size_t i = 0; i < samples; i++)
			sample[i] = key[i * step + step / 2];
		few(sample, samples);
		pivot = sample[middle];
		if (sample[middle / 2] == sample[middle + middle / 2])
			return true;
		pivot -= pivot == sample[samples - 1];
		return false;
	}

	/* Find the bounds of n keys, at least a vector of them; false if all are equal. */
	static TARGET bool find_bounds(const K *key, size_t n, K &low, K &high)
	{
		vec lows = load(key + n - LANES), highs = lows;

		for (size_t i = 0; i + LANES <= n; i += LANES) {
			lows = least(lows, load(key + i));
			highs = most(highs, load(key + i));
		}
		low = high = lows[0];
		for (size_t i = 0; i < LANES; i++) {
			low = lows[i] < low ? lows[i] : low;
			high = highs[i] > high ? highs[i] : high;
		}
		return low != high;
	}

	/* Store the lanes of v on their sides of the pivot. */
	static INLINE void put(K *key, size_t &low, size_t &high, vec v, vec p)
	{
		const unsigned up = above(v, p), ups = NUMBER_OF(K, up);

		put_sides(key + low, key + high, v, up);
		low += LANES - ups;
		high -= ups;
	}

	/* Move the keys that do not exceed the pivot to the front; return how many there are.  The
	 * pivot must be below the largest number that a key can be; n is at least NETWORK.
	 *
	 * One block of vectors stays in registers, so one block more is free than is written at a
	 * time.  The next block is read from the end that has less room, before the current one is
	 * written, so that nothing waits for the choice; both ends then have room for a whole
	 * block.  Each vector is stored at both ends of the free space, which is at least two
	 * vectors, or exactly one at the very end; later stores overwrite what lies between.  Reads
	 * are prefetched AHEAD bytes before their turn.  A block of short vectors has more of them,
	 * so that more keys share the cost of a choice. */
	static TARGET size_t partition(K *key, size_t n, K pivot)
	{
		constexpr size_t BLOCK = VECTOR_BYTES == 16 ? 8 : 4, KEYS = BLOCK * LANES;
		constexpr size_t AHEAD = 4096;
		const vec p = vec{} + pivot;
		vec first[BLOCK], block[BLOCK], rest[BLOCK], last;
		size_t low = 0, high = n, left = KEYS, right = n - KEYS, whole, part;

		for (size_t k = 0; k < BLOCK; k++) {
			first[k] = load(key + LANES * k);
			block[k] = load(key + right + LANES * k);
		}
		while (right - left >= KEYS) {
			/* All ones if the next block is read from the left; no branch could
			 * predict it. */
			const size_t chosen = -(size_t)(left - low <= high - right);
			const K *from = key + (right - KEYS) + ((left - (right - KEYS)) & chosen);
			const char *ahead = (const char *)from - AHEAD + (2 * AHEAD & chosen);
			vec next[BLOCK];

			left += KEYS & chosen;
			right -= KEYS & ~chosen;
			for (size_t k = 0; k < BLOCK; k++)
				next[k] = load(from + LANES * k);
			for (size_t k = 0; k < KEYS * sizeof *key; k += 64)
				__builtin_prefetch(ahead + k);
			for (size_t k = 0; k < BLOCK; k++)
				put(key, low, high, block[k], p);
			for (size_t k = 0; k < BLOCK; k++)
				block[k] = next[k];
		}
		/* Load what is left between, before it is overwritten. */
		whole = (right - left) / LANES;
		part = (right - left) % LANES;
		for (size_t k = 0; k < BLOCK; k++)
			rest[k] = load(key + left + LANES * k);
		last = load_first(key + left + LANES * whole, part * sizeof(K), vec{} + LARGEST);
		if (part) {
			/* The largest keys, which fill up the vector, exceed the pivot and come
			 * last. */
			const unsigned up = above(last, p);
			const size_t lows = LANES - NUMBER_OF(K, up);
			K ordered[LANES];

			put_sides(ordered, ordered + LANES, last, up);
			store(key + low, load(ordered));
			store_first(key + high - part, part * sizeof(K), load(ordered));
			low += lows;
			high -= part - lows;
		}
		for (size_t k = 0; k < whole; k++)
			put(key, low, high, rest[k], p);
		for (size_t k = 0; k < BLOCK; k++)
			put(key, low, high, block[k], p);
		for (size_t k = 0; k < BLOCK; k++)
			put(key, low, high, first[k], p);
		return low;
	}

	/* Split n keys, more than NETWORK, in three: below `same`, equal to it, above it from `high`
	 * on. */
	static TARGET size_t split_off(K *key, size_t n, K same, size_t &high)
	{
		const size_t low = same > LEAST ? partition(key, n, same - 1) : 0;

		high = n;
		if (n - low <= NETWORK)
			few(key + low, n - low);
		else if (same < LARGEST)
			high = low + partition(key + low, n - low, same);
		return low;
	}

	static TARGET void sort(K *key, size_t n, unsigned medians, size_t share)
	{
		while (n > NETWORK) {
			K pivot{}, least, most;
			const bool repeated = medians && choose_median(key, n, pivot);
			size_t low, high;

			if ((repeated || !medians) && !find_bounds(key, n, least, most))
				return;
			if (repeated) {
				low = split_off(key, n, pivot, high);
			} else {
				pivot = medians ? pivot : std::midpoint(least, most);
				low = high = partition(key, n, pivot);
			}
			medians -= medians > 0;
			if (low > share)
#pragma omp task
				sort(key, low, medians, share);
			else
				sort(key, low, medians, share);
			key += high;
			n -= high;
		}
		few(key, n);
	}

	/* ---- order ---------------------------------------------------------------------- */

	/* Numbers that ascend as the keys do.  Negative real keys have the bits of the mask `real`
	 * inverted; it is 0 for other keys. */
	template <class V> static INLINE V ordered(V v, K real)
	{
		return std::is_unsigned_v<K> ? v : v ^ (v >> (8 * (int)sizeof(K) - 1) & real);
	}

	static TARGET void flip(void *record, size_t n, uint64_t real, bool is_order)
	{
		K *key = static_cast<K *>(record);
		const K before = is_order ? LEAST : 0, after = is_order ? 0 : LEAST;
		const size_t rest = n % LANES * sizeof(K);

		for (; n >= LANES; key += LANES, n -= LANES)
			store(key, ordered(load(key) ^ before, (K)real) ^ after);
		store_first(key, rest,
			    ordered(load_first(key, rest, vec{}) ^ before, (K)real) ^ after);
	}

	/* Exchange each of keys begin .. end - 1 with the one as far from the end of n keys. */
	static TARGET void reverse(void *record, size_t n, size_t begin, size_t end)
	{
		K *key = static_cast<K *>(record);

		for (; begin + LANES <= end; begin += LANES) {
			K *const other = key + (n - begin - LANES);
			const vec low = load(key + begin), high = load(other);

			store(key + begin, xor_lanes<LANES - 1>(high, lanes()));
			store(other, xor_lanes<LANES - 1>(low, lanes()));
		}
		for (; begin < end; begin++)
			std::swap(key[begin], key[n - 1 - begin]);
	}

	static size_t negatives(const void *record, size_t n)
	{
		const K *key = static_cast<const K *>(record);

		return (size_t)(std::lower_bound(key, key + n, K{}) - key);
	}

	/* The order of n keys.  Blocks of neighbours overlap by one key, the last ones by more. */
	static TARGET unsigned order(const void *record, size_t n, int low, uint64_t real)
	{
		const K *key = static_cast<const K *>(record);
		constexpr size_t BLOCK = 4, KEYS = BLOCK * LANES, AHEAD = 8192;
		const unsigned full = above(vec{} + 1, vec{});
		unsigned any = 0, all = full;

		if (n <= KEYS)
			return 0;
		for (size_t i = 0; i + 1 < n && (!any || all == full); i += KEYS) {
			const K *from = key + (i + KEYS < n ? i : n - 1 - KEYS);

			for (size_t k = 0; k < BLOCK; k++, from += LANES) {
				const vec a = load(from), b = load(from + 1);
				const unsigned down = above(ordered(a, (K)real) >> low,
							    ordered(b, (K)real) >> low);

				__builtin_prefetch((const char *)from + AHEAD);
				any |= down;
				all &= down;
			}
		}
		return (any ? 0 : RADIX_ASCENDS) | (all == full ? RADIX_DESCENDS : 0);
	}

	/* Move keys that ascend to the front and the others to `few`; return how many are in front.
	 * If a key is below the one before it, either may be out of place, so both are moved.
	 * Returns 0 if more than a few are; then all are in `key` again, in another order. */
	static TARGET size_t keep(K *key, size_t n, K *few, K real)
	{
		size_t kept = 0, i = 0, next = 0;

		while (i < n) {
			if (i >= next && i + LANES < n &&
			    (!kept || ordered(key[kept - 1], real) <= ordered(key[i], real))) {
				const vec v = load(key + i);

				next = i + LANES;
				if (!above(ordered(v, real), ordered(load(key + i + 1), real))) {
					store(key + kept, v);
					kept += LANES;
					i += LANES;
					continue;
				}
			}
			if (!kept || ordered(key[kept - 1], real) <= ordered(key[i], real)) {
				key[kept++] = key[i++];
				continue;
			}
			few[i - kept] = key[i];
			few[i - kept + 1] = key[kept - 1];
			kept--;
			i++;
			if (i - kept + 2 > radix_few_of(i))
				break;
		}
		if (i < n || !kept) {
			memcpy(key + kept, few, (i - kept) * sizeof *key);
			return 0;
		}
		return kept;
	}

	static TARGET bool sort_nearly(void *record, size_t n, void *few_, uint64_t mask)
	{
		K *key = static_cast<K *>(record), *few = static_cast<K *>(few_);
		const K real = (K)mask;
		size_t kept = keep(key, n, few, real), others = n - kept;

		if (!kept)
			return false;
		sort(few, others, radix_medians_for(others), others);
		if (real)
			std::reverse(few, few + negatives(few, others));
		/* From the back on, all keys that exceed one of the others make room for it. */
		for (; others; others--) {
			const K least = few[others - 1], limit = ordered(least, real);

			for (; kept >= LANES && ordered(key[kept - LANES], real) > limit;
			     kept -= LANES)
				store(key + kept - LANES + others, load(key + kept - LANES));
			for (; kept && ordered(key[kept - 1], real) > limit; kept--)
				key[kept - 1 + others] = key[kept - 1];
			key[kept + others - 1] = least;
		}
		return true;
	}
};

template <class K>
constexpr struct radix_vector_ops vectors = {
	.sort =
		[](void *record, size_t n, unsigned medians, size_t share) {
			quicksort<K>::sort(static_cast<K *>(record), n, medians, share);
		},
	.negatives = quicksort<K>::negatives,
	.reverse = quicksort<K>::reverse,
	.order = quicksort<K>::order,
	.flip = quicksort<std::make_signed_t<K>>::flip,
	.sort_nearly = quicksort<K>::sort_nearly,
};

#undef INLINE
#undef TARGET
#undef VECTOR_BYTES
#undef NUMBER_OF
