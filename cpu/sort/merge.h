/* merge.h -- merges two ascending sequences of keys, for vectors and lanes of any width.
 * partition.h, whose includer defines what is used here, includes it.
 *
 * The largest keys read so far, a vector of them, stay in a register.  The next vector is read from
 * the sequence whose next key is the smaller one; a network merges both vectors, and the lower half
 * is written.  The bound is the latency of that network.
 */

/* The number of leading keys of key[0 .. n - 1] that are below x; few in most cases. */
static inline size_t NAME(below)(const KEY *key, size_t n, KEY x)
{
	size_t step = 1, low = 0, high;

	while (step <= n && key[step - 1] < x) {
		low = step;
		step *= 2;
	}
	high = step <= n ? step - 1 : n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (key[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Merge `lefts` keys with the `rights` keys at to + lefts, into `to`. */
ATTRIBUTES
static void NAME(merge)(KEY *to, const KEY *left, size_t lefts, size_t rights)
{
	const KEY *right = to + lefts, *const left_end = left + lefts, *const end = right + rights;
	const KEY *rest, *brief, *brief_end;
	KEY kept[LANES], last[2 * LANES];
	size_t keeps = 0, lasts = 0, rest_count;

	if (lefts >= LANES && rights >= LANES) {
		VECTOR low = TO_ORDER(LOAD(left)), high = TO_ORDER(LOAD(right));

		left += LANES;
		right += LANES;
		NAME(merge_rows)(&low, &high);
		STORE(to, TO_ORDER(low));
		to += LANES;
		while (left_end - left >= LANES && end - right >= LANES) {
			const bool is_left = *left <= *right;
			const KEY *const from = is_left ? left : right;

			left += is_left ? LANES : 0;
			right += is_left ? 0 : LANES;
			low = TO_ORDER(LOAD(from));
			NAME(merge_rows)(&low, &high);
			STORE(to, TO_ORDER(low));
			to += LANES;
		}
		STORE(kept, TO_ORDER(high));
		keeps = LANES;
	}
	/* Less than a vector is left of one sequence. */
	const bool is_left = left_end - left < LANES;

	brief = is_left ? left : right;
	brief_end = is_left ? left_end : end;
	rest = is_left ? right : left;
	rest_count = (size_t)(is_left ? end - right : left_end - left);
	for (size_t k = 0; k < keeps || brief < brief_end;)
		last[lasts++] = brief == brief_end || (k < keeps && kept[k] < *brief) ? kept[k++]
										      : *brief++;
	for (size_t k = 0; k < lasts; k++) {
		const size_t lower = NAME(below)(rest, rest_count, last[k]);

		memmove(to, rest, lower * sizeof *to);
		rest += lower;
		rest_count -= lower;
		to += lower;
		*to++ = last[k];
	}
	memmove(to, rest, rest_count * sizeof *to);
}
