/* order.c -- see order.h.
 *
 * radix_sort_nearly() keeps an ascending sequence at the front and drops what does not fit.  If a
 * record is below the last one kept, records at the end of the sequence or from this one on are out
 * of order: as few as possible are dropped.  If they are many, there are two runs, which this
 * method does not sort.  The records dropped leave a gap between those kept and those to come,
 * which grows with each of them; from the back, each moves the larger ones kept to their places at
 * once.
 */
#include "cpu/sort/order.h"

#include <string.h>

enum {
	SAMPLE = 64,  /* pairs of neighbours from which the order is guessed */
	FEW = 4,      /* most of them that may be out of order */
	BLOCK = 64,   /* records compared at once, in a loop that vectorises */
	LARGE = 256,  /* the same, as long as all are in order */
	AHEAD = 8192, /* bytes ahead that are prefetched: more than a processor does by itself */
	TRIED = 64,   /* records that may be out of order at any rate; then 1 in RATE */
	RATE = 16,
	LOOK = 8,       /* records that may be out of order together */
	MIN_COUNT = 256 /* fewer records are sorted as fast in any order */
};

#define SAME(x)   (x)
#define KEY_OF(x) ((x) >> 32)

#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))

#if defined(__x86_64__)
#define AVX2 CPU_AVX2_TARGET
#else
#define AVX2
#endif

/* Prefetch what is read AHEAD of `bytes` bytes. */
static inline void prefetch(const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 64)
		__builtin_prefetch((const char *)from + AHEAD + i);
}

/* sum_suffix_isa(): how many of n neighbours key[i], key[i + 1] descend, or with `down` ascend.
 * breaks_suffix_isa(): whether any do; the larger of two differs from the second one then.
 * differs_suffix_isa(): whether a key differs from `first`; needs one load per key. */
#define DEFINE_ORDER(type, suffix, order, isa, target)                                             \
	target static size_t sum_##suffix##isa(const type *key, size_t n, bool down)               \
	{                                                                                          \
		type sum = 0;                                                                      \
                                                                                                   \
		for (size_t i = 0; i < n; i++) {                                                   \
			const type a = order(key[i]), b = order(key[i + 1]);                       \
                                                                                                   \
			sum += down ? a < b : a > b;                                               \
		}                                                                                  \
		return sum;                                                                        \
	}                                                                                          \
                                                                                                   \
	target static bool breaks_##suffix##isa(const type *key, size_t n, bool down)              \
	{                                                                                          \
		type any = 0;                                                                      \
                                                                                                   \
		if (down)                                                                          \
			for (size_t i = 0; i < n; i++)                                             \
				any |= LESS(order(key[i]), order(key[i + 1])) ^ order(key[i + 1]); \
		else                                                                               \
			for (size_t i = 0; i < n; i++)                                             \
				any |= MORE(order(key[i]), order(key[i + 1])) ^ order(key[i + 1]); \
		return any;                                                                        \
	}                                                                                          \
                                                                                                   \
	target static bool differs_##suffix##isa(const type *key, size_t n, type first)            \
	{                                                                                          \
		type any = 0;                                                                      \
                                                                                                   \
		for (size_t i = 0; i < n; i++)                                                     \
			any |= order(key[i]) ^ order(first);                                       \
		return any;                                                                        \
	}                                                                                          \
                                                                                                   \
	target static size_t ordered_##suffix##isa(const type *key, size_t n, bool down)           \
	{                                                                                          \
		size_t i = 0;                                                                      \
                                                                                                   \
		for (; i + LARGE < n && !differs_##suffix##isa(key + i, LARGE, *key); i += LARGE)  \
			prefetch(key + i, LARGE * sizeof *key);                                    \
		i -= i > 0; /* the last of the equal keys may exceed the next one */               \
		for (; i + LARGE < n && !breaks_##suffix##isa(key + i, LARGE, down); i += LARGE)   \
			prefetch(key + i, LARGE * sizeof *key);                                    \
		while (i + BLOCK < n && !breaks_##suffix##isa(key + i, BLOCK, down))               \
			i += BLOCK;                                                                \
		if (n > BLOCK && i + BLOCK >= n &&                                                 \
		    !breaks_##suffix##isa(key + n - 1 - BLOCK, BLOCK, down))                       \
			return n;                                                                  \
		while (i + 1 < n && !breaks_##suffix##isa(key + i, 1, down))                       \
			i++;                                                                       \
		return n ? i + 1 : 0;                                                              \
	}

#define DEFINE_ORDERS(isa, target)                                \
	DEFINE_ORDER(uint32_t, u32, SAME, isa, target)            \
	DEFINE_ORDER(uint32_t, f32, radix_f32_order, isa, target) \
	DEFINE_ORDER(uint64_t, u64, SAME, isa, target)            \
	DEFINE_ORDER(uint64_t, pairs, KEY_OF, isa, target)

DEFINE_ORDERS(_plain, )
DEFINE_ORDERS(_avx2, AVX2)

#define CALL_TYPE(what, isa, type, ...)                       \
	((type) == RADIX_U32   ? what##_u32##isa(__VA_ARGS__) \
	 : (type) == RADIX_F32 ? what##_f32##isa(__VA_ARGS__) \
	 : (type) == RADIX_U64 ? what##_u64##isa(__VA_ARGS__) \
			       : what##_pairs##isa(__VA_ARGS__))
#define CALL(what, type, simd, ...)                                     \
	((simd) >= CPU_AVX2 ? CALL_TYPE(what, _avx2, type, __VA_ARGS__) \
			    : CALL_TYPE(what, _plain, type, __VA_ARGS__))

enum radix_order radix_guess_order(const void *record, size_t n, enum radix_type type,
				   enum cpu_simd simd)
{
	if (n < MIN_COUNT)
		return RADIX_NO_ORDER;
	if (CALL(sum, type, simd, record, SAMPLE, false) <= FEW)
		return RADIX_ASCENDING;
	return CALL(sum, type, simd, record, SAMPLE, true) ? RADIX_NO_ORDER : RADIX_DESCENDING;
}

size_t radix_ordered(const void *record, size_t n, enum radix_type type, enum radix_order order,
		     enum cpu_simd simd)
{
	return CALL(ordered, type, simd, record, n, order == RADIX_DESCENDING);
}

/* ---- reversed records --------------------------------------------------------------------- */

#define DEFINE_MIRROR(type, suffix)                                                    \
	static void swap_##suffix(type *restrict left, type *restrict right, size_t n) \
	{                                                                              \
		type kept[BLOCK];                                                      \
                                                                                       \
		memcpy(kept, left, n * sizeof *kept);                                  \
		for (size_t i = 0; i < n; i++)                                         \
			left[i] = right[n - 1 - i];                                    \
		for (size_t i = 0; i < n; i++)                                         \
			right[i] = kept[n - 1 - i];                                    \
	}                                                                              \
                                                                                       \
	static void mirror_##suffix(type *key, size_t n, size_t begin, size_t end)     \
	{                                                                              \
		for (size_t i = begin; i < end; i += BLOCK) {                          \
			const size_t part = end - i < BLOCK ? end - i : BLOCK;         \
                                                                                       \
			swap_##suffix(key + i, key + n - i - part, part);              \
		}                                                                      \
	}

DEFINE_MIRROR(uint32_t, 32)
DEFINE_MIRROR(uint64_t, 64)

void radix_mirror(void *record, size_t n, size_t width, size_t begin, size_t end)
{
	if (width == 8)
		mirror_64(record, n, begin, end);
	else
		mirror_32(record, n, begin, end);
}

/* How many of n neighbours have equal keys. */
static size_t ties(const uint64_t *pair, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += KEY_OF(pair[i]) == KEY_OF(pair[i + 1]);
	return sum;
}

void radix_mirror_ties(uint64_t *pair, size_t n)
{
	for (size_t i = 0, end, block = 0; i < n; i = end) {
		end = i + 1;
		if (i >= block && i + BLOCK < n) {
			block = i + BLOCK;
			if (ties(pair + i, BLOCK) == 0) {
				end = block;
				continue;
			}
		}
		while (end < n && KEY_OF(pair[end]) == KEY_OF(pair[i]))
			end++;
		if (end - i > 1)
			mirror_64(pair + i, end - i, 0, (end - i) / 2);
	}
}

/* ---- nearly sorted records ---------------------------------------------------------------- */

/* Find how many records at the end of key[0 .. kept) and from key[i] on, LOOK together at most,
 * have to go so that the others ascend: the least number.  False if more have to.
 * keep_suffix(): returns how many are kept; the others are in `few`.  Returns 0 if there are too
 * many, with all records in key again. */
#define DEFINE_NEARLY(type, suffix)                                                               \
	static bool misfits_##suffix(const type *key, size_t n, size_t kept, size_t i,            \
				     size_t *tail, size_t *head)                                  \
	{                                                                                         \
		for (size_t all = 1; all <= LOOK; all++)                                          \
			for (*tail = 0; *tail <= all && *tail <= kept; ++*tail) {                 \
				*head = all - *tail;                                              \
				if (*tail == kept || i + *head >= n ||                            \
				    key[kept - 1 - *tail] <= key[i + *head])                      \
					return i + *head <= n;                                    \
			}                                                                         \
		return false;                                                                     \
	}                                                                                         \
                                                                                                  \
	static size_t keep_##suffix(type *key, size_t n, size_t kept, type *few, size_t room,     \
				    enum cpu_simd simd)                                           \
	{                                                                                         \
		const size_t start = kept;                                                        \
		size_t i = kept, block = kept, tail, head;                                        \
                                                                                                  \
		while (i < n) {                                                                   \
			if (i >= block && i + BLOCK < n && key[i] >= key[kept - 1] &&             \
			    !(simd < CPU_AVX2 ? breaks_##suffix##_plain(key + i, BLOCK, false)    \
					      : breaks_##suffix##_avx2(key + i, BLOCK, false))) { \
				memmove(key + kept, key + i, BLOCK * sizeof *key);                \
				kept += BLOCK;                                                    \
				i += BLOCK;                                                       \
				continue;                                                         \
			}                                                                         \
			block = i >= block ? i + BLOCK : block;                                   \
			if (kept == 0 || key[i] >= key[kept - 1]) {                               \
				key[kept++] = key[i++];                                           \
				continue;                                                         \
			}                                                                         \
			if (i - kept + LOOK > room || i - kept > TRIED + (i - start) / RATE ||    \
			    !misfits_##suffix(key, n, kept, i, &tail, &head)) {                   \
				memcpy(key + kept, few, (i - kept) * sizeof *key);                \
				return 0;                                                         \
			}                                                                         \
			for (; tail; tail--, kept--)                                              \
				few[i - kept] = key[kept - 1];                                    \
			for (; head; head--, i++)                                                 \
				few[i - kept] = key[i];                                           \
		}                                                                                 \
		return kept;                                                                      \
	}                                                                                         \
                                                                                                  \
	/* Merge few[0 .. n - kept), sorted, with key[0 .. kept). */                              \
	static void merge_##suffix(type *key, size_t n, size_t kept, const type *few)             \
	{                                                                                         \
		for (size_t left = n - kept; left; left--) {                                      \
			const type next = few[left - 1];                                          \
			size_t step = 1, low, high = kept;                                        \
                                                                                                  \
			while (step < high && key[high - step] > next)                            \
				step *= 2;                                                        \
			low = step < high ? high - step : 0;                                      \
			while (low < high) {                                                      \
				const size_t middle = low + (high - low) / 2;                     \
                                                                                                  \
				if (key[middle] > next)                                           \
					high = middle;                                            \
				else                                                              \
					low = middle + 1;                                         \
			}                                                                         \
			memmove(key + low + left, key + low, (kept - low) * sizeof *key);         \
			key[low + left - 1] = next;                                               \
			kept = low;                                                               \
		}                                                                                 \
	}

DEFINE_NEARLY(uint32_t, u32)
DEFINE_NEARLY(uint64_t, u64)

bool radix_sort_nearly(void *record, size_t n, size_t width, size_t ordered, void *few, size_t room,
		       radix_sort_few *sort, void *context, enum cpu_simd simd)
{
	const size_t kept = width == 8 ? keep_u64(record, n, ordered, few, room, simd)
				       : keep_u32(record, n, ordered, few, room, simd);

	if (!kept)
		return false;
	sort(few, n - kept, context);
	if (width == 8)
		merge_u64(record, n, kept, few);
	else
		merge_u32(record, n, kept, few);
	return true;
}
