/* words_sort.h -- f8_sort() in AVX2 or AVX-512; words_plain.h describes it. */

/* The child of the least key.  Half as long as the network: the caller can go on before it ends. */
WORDS_FN uint32_t words_nearest(const uint32_t *child, __m256i key)
{
	__m128i least = _mm256_extracti128_si256(key, 1);

	least = _mm_min_epu32(least, _mm256_castsi256_si128(key));
	least = _mm_min_epu32(least, _mm_shuffle_epi32(least, 0x4e));
	least = _mm_min_epu32(least, _mm_shuffle_epi32(least, 0xb1));
	return child[_mm_cvtsi128_si32(least) & 7];
}

/* A bitonic network over keys as f8_keys() makes them, and -1 for lanes left out.  A step is
 * SORT_STEP(a, other, LOW): lanes of `a` set in LOW keep the smaller of `a` and `other`, the rest
 * the larger. */
WORDS_FN uint32_t f8_sort(struct lbvh_entry *to, const uint32_t *child, F8 distance, unsigned bits)
{
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), low = _mm256_set1_epi32(7);
	const __m256i back = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
	const __m256i none = _mm256_set1_epi32(-1);
	__m256i key, first, second;
	uint32_t nearest;

	key = _mm256_or_si256(_mm256_andnot_si256(low, _mm256_castps_si256(distance)), lane);
	key = _mm256_castps_si256(
		f8_select(_mm256_castsi256_ps(none), _mm256_castsi256_ps(key), bits));
	nearest = words_nearest(child, key);
	key = SORT_STEP(key, _mm256_shuffle_epi32(key, 0xb1), 0xaa);
	key = SORT_STEP(key, _mm256_shuffle_epi32(key, 0x1b), 0xcc);
	key = SORT_STEP(key, _mm256_shuffle_epi32(key, 0xb1), 0xaa);
	key = SORT_STEP(key, _mm256_permutevar8x32_epi32(key, back), 0xf0);
	key = SORT_STEP(key, _mm256_shuffle_epi32(key, 0x4e), 0xcc);
	key = SORT_STEP(key, _mm256_shuffle_epi32(key, 0xb1), 0xaa);
	first = _mm256_permutevar8x32_epi32(
		_mm256_loadu_si256((const __m256i *)(const void *)child), key);
	key = _mm256_andnot_si256(low, key);
	second = _mm256_unpackhi_epi32(first, key);
	first = _mm256_unpacklo_epi32(first, key);
	_mm_storeu_si128((__m128i *)(void *)to, _mm256_castsi256_si128(first));
	_mm_storeu_si128((__m128i *)(void *)(to + 2), _mm256_castsi256_si128(second));
	_mm_storeu_si128((__m128i *)(void *)(to + 4), _mm256_extracti128_si256(first, 1));
	_mm_storeu_si128((__m128i *)(void *)(to + 6), _mm256_extracti128_si256(second, 1));
	return nearest;
}
#undef SORT_STEP
